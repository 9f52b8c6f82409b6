/* Ranks as threads of one process: for tests, for sanitizers, and for one process with several
   GPUs. */
#include "ranks/ranks.h"
#include "core/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of `most`; bytes that a box holds itself; ranks up to which there is a box per pair. */
enum { WORDS = 8, SMALL = 64, BOXES = 64 };

/* What one rank has for another. It writes `posted`, the other `taken`: message number `posted` is
   there while `taken` is less. */
typedef struct {
  uint64_t posted, taken;
  const void *send;
  size_t size;
  char small[SMALL]; /* of a message that fits: its sender need not wait */
  char apart[64];    /* pairs do not share lines of caches */
} box;

/* Where all ranks come, again and again. */
typedef struct {
  int here;
  uint64_t round;
} gate;

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t news; /* to all who wait for anything */
  int count, open;
  gate meeting, talk; /* who is called leaves the second for the first */
  bool called;
  void *bytes;                /* of who broadcasts */
  int64_t (*word)[WORDS];     /* of each rank */
  const ig_message **message; /* of each rank */
  int *messages;
  box *box; /* count x count: from, to; NULL: there are too many */
  int asleep;
} shared;
typedef struct {
  shared *s;
  int rank;
  const ig_message *message; /* under way */
  int messages;
} member;

/* Returns when all have come, or with IG_INTERRUPTED from the talk when somebody calls. */
static ig_status pass(shared *s, gate *g) {
  pthread_mutex_lock(&s->lock);
  const uint64_t round = g->round;
  if (++g->here == s->count) {
    g->here = 0;
    g->round++;
    pthread_cond_broadcast(&s->news);
  }
  while (g->round == round && !(s->called && g == &s->talk))
    pthread_cond_wait(&s->news, &s->lock);
  const bool left = g->round == round;
  g->here -= left;
  pthread_mutex_unlock(&s->lock);
  return left ? IG_INTERRUPTED : IG_OK;
}

static ig_status broadcast(void *self, int root, void *bytes, size_t size) {
  const member *m = self;
  if (m->rank == root)
    m->s->bytes = bytes;
  IG_TRY(pass(m->s, &m->s->talk));
  if (m->rank != root)
    memcpy(bytes, m->s->bytes, size);
  return pass(m->s, &m->s->talk); /* the bytes are root's again */
}

static ig_status most(void *self, int64_t *values, int count) {
  const member *m = self;
  if (count > WORDS)
    return IG_ARG;
  memcpy(m->s->word[m->rank], values, (size_t)count * sizeof *values);
  IG_TRY(pass(m->s, &m->s->meeting));
  for (int r = 0; r < m->s->count; r++)
    for (int i = 0; i < count; i++)
      if (m->s->word[r][i] > values[i])
        values[i] = m->s->word[r][i];
  return pass(m->s, &m->s->meeting);
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
  IG_TRY(pass(m->s, &m->s->talk));
  for (int i = 0; i < count; i++) {
    if (message[i].receive_size == 0)
      continue;
    const ig_message *other = message_find(m->s, message[i].rank, m->rank);
    if (other && other->send_size == message[i].receive_size)
      memcpy(message[i].receive, other->send, other->send_size);
    else
      status = IG_IO;
  }
  const ig_status passed = pass(m->s, &m->s->talk);
  return passed == IG_OK ? status : passed;
}

/* --- pairs of ranks that do not wait for the others --- */

static uint64_t seen(const uint64_t *number) {
  return __atomic_load_n(number, __ATOMIC_SEQ_CST);
}

/* Returns when the number has been reached: soon as a rule, so it looks some times before it
   sleeps; or with IG_INTERRUPTED when somebody calls. */
static ig_status reach(shared *s, const uint64_t *number, uint64_t least) {
  enum { LOOKS = 2000, TURNS = 50 };
  for (int i = 0; i < LOOKS + TURNS; i++) {
    if (seen(number) >= least)
      return IG_OK;
    if (i >= LOOKS)
      sched_yield();
  }
  pthread_mutex_lock(&s->lock);
  __atomic_add_fetch(&s->asleep, 1, __ATOMIC_SEQ_CST);
  while (seen(number) < least && !s->called)
    pthread_cond_wait(&s->news, &s->lock);
  __atomic_sub_fetch(&s->asleep, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&s->lock);
  return seen(number) < least ? IG_INTERRUPTED : IG_OK;
}

/* Who sleeps has said so before it looked for the last time: it sees the number, or is woken. */
static void set(shared *s, uint64_t *number, uint64_t value) {
  __atomic_store_n(number, value, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&s->asleep, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->news);
    pthread_mutex_unlock(&s->lock);
  }
}

static box *box_of(const shared *s, int from, int to) {
  return &s->box[(size_t)from * (size_t)s->count + (size_t)to];
}

static ig_status post(void *self, const ig_message *message, int count) {
  member *m = self;
  m->message = message;
  m->messages = count;
  for (int i = 0; i < count && m->s->box; i++) {
    if (message[i].send_size == 0)
      continue;
    box *b = box_of(m->s, m->rank, message[i].rank);
    IG_TRY(reach(m->s, &b->taken, b->posted));
    b->send = message[i].send;
    b->size = message[i].send_size;
    if (b->size <= SMALL)
      memcpy(b->small, b->send, b->size);
    set(m->s, &b->posted, b->posted + 1);
  }
  return IG_OK;
}

static ig_status await(void *self) {
  const member *m = self;
  ig_status status = IG_OK;
  if (!m->s->box)
    return swap(self, m->message, m->messages);
  for (int i = 0; i < m->messages; i++) {
    if (m->message[i].receive_size == 0)
      continue;
    box *b = box_of(m->s, m->message[i].rank, m->rank);
    IG_TRY(reach(m->s, &b->posted, b->taken + 1));
    if (b->size == m->message[i].receive_size)
      memcpy(m->message[i].receive, b->size <= SMALL ? b->small : b->send, b->size);
    else
      status = IG_IO;
    set(m->s, &b->taken, b->taken + 1);
  }
  for (int i = 0; i < m->messages; i++) { /* what was sent may change from now on */
    const box *b = box_of(m->s, m->rank, m->message[i].rank);
    if (m->message[i].send_size > SMALL)
      IG_TRY(reach(m->s, &b->taken, b->posted));
  }
  return status;
}

static ig_status swap_pairs(void *self, const ig_message *message, int count) {
  IG_TRY(post(self, message, count));
  return await(self);
}

/* --- who has failed --- */

static void call(void *self) {
  shared *s = ((member *)self)->s;
  pthread_mutex_lock(&s->lock);
  s->called = true;
  pthread_cond_broadcast(&s->news);
  pthread_mutex_unlock(&s->lock);
}

static ig_status settle(void *self) {
  const member *m = self;
  shared *s = m->s;
  for (int to = 0; to < s->count && s->box; to++) { /* messages that nobody has taken */
    box *b = box_of(s, m->rank, to);
    set(s, &b->taken, b->posted);
  }
  pthread_mutex_lock(&s->lock);
  s->called = false; /* all are here */
  pthread_mutex_unlock(&s->lock);
  return pass(s, &s->meeting);
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
  pthread_cond_destroy(&s->news);
  pthread_mutex_destroy(&s->lock);
  free(s->word);
  free(s->message);
  free(s->messages);
  free(s->box);
  free(s);
}

static const ig_transport transport = {.broadcast = broadcast,
                                       .most = most,
                                       .swap = swap_pairs,
                                       .post = post,
                                       .await = await,
                                       .call = call,
                                       .settle = settle,
                                       .close = leave};

ig_status ig_ranks_threads(int count, ig_ranks **ranks) {
  if (count < 1 || count > 4096 || !ranks)
    return IG_ARG;
  const int cores = ig_threads_all();
  shared *s = calloc(1, sizeof *s);
  bool good = s && (s->word = calloc((size_t)count, sizeof *s->word)) &&
              (s->message = calloc((size_t)count, sizeof *s->message)) &&
              (s->messages = calloc((size_t)count, sizeof *s->messages)) &&
              (count > BOXES || (s->box = calloc((size_t)count * (size_t)count, sizeof *s->box)));
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
                             .cores = cores > count ? cores / count : 1,
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
    pthread_cond_init(&s->news, NULL);
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
    free(s->box);
  }
  free(s);
  return IG_MEMORY;
}
