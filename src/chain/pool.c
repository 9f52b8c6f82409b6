/* Tasks side by side on threads: see pool.h. */
#include "chain/pool.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  const ig_pool *o;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  int next, done, jobs;
  bool stop;
  ig_ctx *cx[IG_POOL_JOBS];
} pool;
typedef struct {
  pool *p;
  int place;
  pthread_t thread;
} worker;

/* The context is published under the lock, since the caller's thread may interrupt it. */
static void *worker_run(void *user) {
  worker *w = user;
  pool *p = w->p;
  const ig_pool *o = p->o;
  pthread_mutex_lock(&p->lock);
  while (!p->stop && p->next < o->count) {
    const int task = p->next++;
    pthread_mutex_unlock(&p->lock);
    const ig_ctx_options options = {.backend = o->backend,
                                    .threads = o->threads ? o->threads : 1,
                                    .device = o->devices > 0 ? w->place % o->devices : 0};
    ig_ctx *cx = o->own ? o->own[task] : NULL;
    const ig_status opened = o->own ? IG_OK : ig_ctx_open(&options, &cx);
    pthread_mutex_lock(&p->lock);
    p->cx[w->place] = cx;
    pthread_mutex_unlock(&p->lock);
    o->run(o->user, task, cx, opened);
    pthread_mutex_lock(&p->lock);
    p->cx[w->place] = NULL;
    if (!o->own)
      ig_ctx_close(cx);
    o->ended(o->user, task);
    p->done++;
    pthread_cond_signal(&p->ended);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* Waits until all tasks have ended. An interruption is passed on again and again: a run that has
   not begun does not listen yet. */
static ig_status pool_wait(pool *p, int workers) {
  ig_status status = IG_OK;
  pthread_mutex_lock(&p->lock);
  while (p->done < (p->stop ? p->next : p->o->count) && workers > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100 * 1000 * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&p->ended, &p->lock, &until);
    p->stop |= p->o->cx->interrupted;
    for (int i = 0; i < p->jobs && p->stop; i++)
      if (p->cx[i])
        ig_ctx_interrupt(p->cx[i]);
    if (p->o->beside && status == IG_OK) {
      status = p->o->beside(p->o->user, p->done);
      p->stop |= status != IG_OK;
    }
  }
  pthread_mutex_unlock(&p->lock);
  return status;
}

/* One per core and thread where nothing is asked for. */
static int jobs_of(const ig_pool *o) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int threads = o->threads > 0 ? o->threads : 1;
  int jobs = o->jobs > 0 ? o->jobs : cores > threads ? (int)cores / threads : 1;
  jobs = jobs < o->count ? jobs : o->count;
  return jobs < IG_POOL_JOBS ? jobs : IG_POOL_JOBS;
}

ig_status ig_pool_run(const ig_pool *o) {
  pool p = {.o = o, .jobs = jobs_of(o)};
  worker w[IG_POOL_JOBS];
  int started = 0;
  pthread_mutex_init(&p.lock, NULL);
  pthread_cond_init(&p.ended, NULL);
  for (; started < p.jobs; started++) {
    w[started] = (worker){.p = &p, .place = started};
    if (pthread_create(&w[started].thread, NULL, worker_run, &w[started]) != 0)
      break;
  }
  const ig_status status = pool_wait(&p, started);
  for (int i = 0; i < started; i++)
    pthread_join(w[i].thread, NULL);
  pthread_mutex_destroy(&p.lock);
  pthread_cond_destroy(&p.ended);
  if (started == 0 && o->count > 0)
    return IG_FAIL(o->cx, IG_MEMORY, "no thread can be started for a run");
  IG_TRY(status);
  return ig_interrupt_take(o->cx, o->what);
}
