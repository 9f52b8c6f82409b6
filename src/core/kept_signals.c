/* See kept_signals.h. */
#include "core/kept_signals.h"

#include <time.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `over` */
static bool over;

static bool is_over(void) {
  pthread_mutex_lock(&lock);
  const bool is = over;
  pthread_mutex_unlock(&lock);
  return is;
}
static void over_set(bool to) {
  pthread_mutex_lock(&lock);
  over = to;
  pthread_mutex_unlock(&lock);
}

/* A handler that takes three arguments lies in the same place as one that takes one. */
static bool differs(const struct sigaction *a, const struct sigaction *b) {
  return a->sa_handler != b->sa_handler;
}

/* It takes SIGTERM itself once the program's handler is back: the other threads may all be
   waiting in calls that block it. */
static void *watch(void *self) {
  const ig_kept_signals *k = self;
  const struct timespec pause = {0, 50000};
  sigset_t term;
  bool open = false;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  while (!is_over()) {
    struct sigaction now;
    if (sigaction(SIGTERM, NULL, &now) == 0 && differs(&now, &k->before)) {
      sigaction(SIGTERM, &k->before, NULL);
      if (!open)
        pthread_sigmask(SIG_UNBLOCK, &term, NULL);
      open = true;
    }
    nanosleep(&pause, NULL);
  }
  return NULL;
}

void ig_signals_keep(ig_kept_signals *k) {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_mutex_lock(&one_at_a_time);
  sigaction(SIGTERM, NULL, &k->before);
  /* the new thread inherits the mask */
  pthread_sigmask(SIG_BLOCK, &term, &k->mask);
  over_set(false);
  k->watched = pthread_create(&k->watch, NULL, watch, k) == 0;
}

void ig_signals_kept(ig_kept_signals *k) {
  over_set(true);
  if (k->watched)
    pthread_join(k->watch, NULL);
  sigaction(SIGTERM, &k->before, NULL);
  pthread_sigmask(SIG_SETMASK, &k->mask, NULL); /* one that waits is taken now */
  pthread_mutex_unlock(&one_at_a_time);
}
