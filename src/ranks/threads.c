/* Ranks as threads of one process: for tests, for sanitizers, and for one process with several
   GPUs. */
#include "ranks/ranks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 8 };

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t all_here;
  int count, here, open;
  uint64_t round;
  void *bytes;                /* of who broadcasts */
  int64_t (*word)[WORDS];     /* of each rank */
  const ig_message **message; /* of each rank */
  int *messages;
} shared;
typedef struct {
  shared *s;
  int rank;
} member;

/* Returns when all have come. */
static void meet(shared *s) {
  pthread_mutex_lock(&s->lock);
  const uint64_t round = s->round;
  if (++s->here == s->count) {
    s->here = 0;
    s->round++;
    pthread_cond_broadcast(&s->all_here);
  }
  while (s->round == round)
    pthread_cond_wait(&s->all_here, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

static ig_status broadcast(void *self, int root, void *bytes, size_t size) {
  const member *m = self;
  if (m->rank == root)
    m->s->bytes = bytes;
  meet(m->s);
  if (m->rank != root)
    memcpy(bytes, m->s->bytes, size);
  meet(m->s); /* the bytes are root's again */
  return IG_OK;
}

static ig_status most(void *self, int64_t *values, int count) {
  const member *m = self;
  if (count > WORDS)
    return IG_ARG;
  memcpy(m->s->word[m->rank], values, (size_t)count * sizeof *values);
  meet(m->s);
  for (int r = 0; r < m->s->count; r++)
    for (int i = 0; i < count; i++)
      if (m->s->word[r][i] > values[i])
        values[i] = m->s->word[r][i];
  meet(m->s);
  return IG_OK;
}

/* What rank `from` sends to rank `to`. */
static const ig_message *message_find(const shared *s, int from, int to) {
  for (int i = 0; i < s->messages[from]; i++)
    if (s->message[from][i].rank == to)
      return &s->message[from][i];
  return NULL;
}

static ig_status swap(void *self, const ig_message *message, int count) {
  const member *m = self;
  ig_status status = IG_OK;
  m->s->message[m->rank] = message;
  m->s->messages[m->rank] = count;
  meet(m->s);
  for (int i = 0; i < count; i++) {
    if (message[i].receive_size == 0)
      continue;
    const ig_message *other = message_find(m->s, message[i].rank, m->rank);
    if (other && other->send_size == message[i].receive_size)
      memcpy(message[i].receive, other->send, other->send_size);
    else
      status = IG_IO;
  }
  meet(m->s);
  return status;
}

static void leave(void *self) {
  member *m = self;
  shared *s = m->s;
  pthread_mutex_lock(&s->lock);
  const bool last = --s->open == 0;
  pthread_mutex_unlock(&s->lock);
  free(m);
  if (!last)
    return;
  pthread_cond_destroy(&s->all_here);
  pthread_mutex_destroy(&s->lock);
  free(s->word);
  free(s->message);
  free(s->messages);
  free(s);
}

static const ig_transport transport = {
    .broadcast = broadcast, .most = most, .swap = swap, .close = leave};

ig_status ig_ranks_threads(int count, ig_ranks **ranks) {
  if (count < 1 || count > 4096 || !ranks)
    return IG_ARG;
  shared *s = calloc(1, sizeof *s);
  bool good = s && (s->word = calloc((size_t)count, sizeof *s->word)) &&
              (s->message = calloc((size_t)count, sizeof *s->message)) &&
              (s->messages = calloc((size_t)count, sizeof *s->messages));
  for (int i = 0; i < count; i++) {
    ranks[i] = calloc(1, sizeof *ranks[i]);
    member *m = calloc(1, sizeof *m);
    good = good && ranks[i] && m;
    if (m)
      *m = (member){.s = s, .rank = i};
    if (ranks[i]) {
      *ranks[i] = (ig_ranks){.rank = i,
                             .count = count,
                             .local = i,
                             .transport = &transport,
                             .self = m,
                             .one_process = true};
      snprintf(ranks[i]->name, sizeof ranks[i]->name, "threads");
      snprintf(ranks[i]->host, sizeof ranks[i]->host, "this computer");
    } else {
      free(m);
    }
  }
  if (good) {
    s->count = s->open = count;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->all_here, NULL);
    return IG_OK;
  }
  for (int i = 0; i < count; i++) {
    if (ranks[i])
      free(ranks[i]->self);
    free(ranks[i]);
    ranks[i] = NULL;
  }
  if (s) {
    free(s->word);
    free(s->message);
    free(s->messages);
  }
  free(s);
  return IG_MEMORY;
}
