/* Transport between threads of one process: for tests, for sanitizers (which follow threads, not
   processes), and for one process with several GPUs. Data is copied straight from the sender's
   buffer to the receiver's.

   Two mechanisms. Barriers (`gate`) for broadcasts and maxima, under one mutex. Mailboxes (`box`)
   for messages: one per ordered pair of ranks, with a pair of counters and no lock as long as
   no rank sleeps. */
#include "ranks/ranks.h"
#include "core/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* WORDS: most numbers of one `most`. SMALL: bytes that a mailbox stores itself, one cache line.
   BOXES: up to this number of ranks there is a mailbox per pair (count^2 x about 200 bytes); more
   ranks exchange by barriers. */
enum { WORDS = 8, SMALL = 64, BOXES = 64 };

/* Mailbox from one rank to another. The sender writes `posted`, the receiver `taken`: a message
   waits while taken < posted. */
typedef struct {
  uint64_t posted, taken;
  const void *send;
  size_t size;
  char small[SMALL]; /* of a message that fits: its sender need not wait */
  char apart[64];    /* pairs do not share lines of caches */
} box;

/* A reusable barrier: `round` changes when all ranks have come. */
typedef struct {
  int here;
  uint64_t round;
} gate;

/* Shared by all ranks, freed by the last that closes. */
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t news; /* to all who wait for anything */
  /* Ranks in all; ranks not yet closed. */
  int count, open;
  gate meeting, talk; /* who is called leaves the second for the first */
  /* A failed rank has called for a meeting; cleared by `settle`. */
  bool called;
  void *bytes;                /* of who broadcasts */
  int64_t (*word)[WORDS];     /* of each rank */
  const ig_message **message; /* of each rank */
  int *messages;
  box *box; /* count x count: from, to; NULL: there are too many */
  /* Number of ranks that sleep in `reach`; how many of the next waits do not yield first. Atomic.
   */
  int asleep, crowded;
} shared;
/* One rank's side; ig_ranks.self. */
typedef struct {
  shared *s;
  int rank;
  const ig_message *message; /* under way */
  int messages;
} member;

/* Barrier. Returns IG_INTERRUPTED from the gate `talk` if a failed rank calls; the gate `meeting`
   is never left, because all ranks come to it. */
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

/* Receivers copy from the root's memory between two barriers; after the second the root may change
   it. */
static ig_status broadcast(void *self, int root, void *bytes, size_t size) {
  const member *m = self;
  if (m->rank == root)
    m->s->bytes = bytes;
  IG_TRY(pass(m->s, &m->s->talk));
  if (m->rank != root)
    memcpy(bytes, m->s->bytes, size);
  return pass(m->s, &m->s->talk); /* the bytes are root's again */
}

/* Each rank publishes its words and reads those of all; the second barrier keeps a fast rank from
   overwriting words that others still read. */
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

/* Exchange by barriers, for more than BOXES ranks. */
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

/* Sequentially consistent, as all accesses to counters: `set` and `reach` need the order between a
   counter and `asleep` (store then load on both sides). */
static uint64_t seen(const uint64_t *number) {
  return __atomic_load_n(number, __ATOMIC_SEQ_CST);
}

/* Gives the core away. False if it came back late: other programs want the core. */
static bool yield_briefly(void) {
  enum { LATE = 500000 }; /* [ns] */
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  sched_yield();
  clock_gettime(CLOCK_MONOTONIC, &after);
  return (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec < LATE;
}

/* Waits until the counter reaches `least`. Messages usually arrive soon: it polls 2000 times, then
   yields 50 times at most, then sleeps on the condition. On a machine with other work a yield takes
   as long as the turns of all others, and a sleeper is woken ahead of them: the next waits then
   sleep at once. IG_INTERRUPTED if a failed rank calls. */
static ig_status reach(shared *s, const uint64_t *number, uint64_t least) {
  enum { LOOKS = 2000, TURNS = 50, CROWDED = 1000 };
  const int crowded = __atomic_load_n(&s->crowded, __ATOMIC_RELAXED);
  for (int i = 0; i < LOOKS; i++)
    if (seen(number) >= least)
      return IG_OK;
  if (crowded > 0)
    __atomic_store_n(&s->crowded, crowded - 1, __ATOMIC_RELAXED);
  for (int i = 0; i < TURNS && crowded <= 0; i++) {
    const bool soon = yield_briefly();
    if (seen(number) >= least)
      return IG_OK;
    if (!soon) {
      __atomic_store_n(&s->crowded, CROWDED, __ATOMIC_RELAXED);
      break;
    }
  }
  pthread_mutex_lock(&s->lock);
  __atomic_add_fetch(&s->asleep, 1, __ATOMIC_SEQ_CST);
  while (seen(number) < least && !s->called)
    pthread_cond_wait(&s->news, &s->lock);
  __atomic_sub_fetch(&s->asleep, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&s->lock);
  return seen(number) < least ? IG_INTERRUPTED : IG_OK;
}

/* Publishes a counter and wakes sleepers. No wake-up is lost: a rank that goes to sleep increments
   `asleep` before its last look at the counter, so either it sees the new value or this function
   sees `asleep`. */
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

/* Waits until the previous message of this mailbox was taken. A small message is copied into the
   mailbox, so its sender need not wait for the receiver in `await`. */
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

/* --- failures --- */

static void call(void *self) {
  shared *s = ((member *)self)->s;
  pthread_mutex_lock(&s->lock);
  s->called = true;
  pthread_cond_broadcast(&s->news);
  pthread_mutex_unlock(&s->lock);
}

/* All ranks are in the meeting, so no receiver is active: the sender may mark its messages as
   taken. */
static ig_status settle(void *self) {
  const member *m = self;
  shared *s = m->s;
  for (int to = 0; to < s->count && s->box; to++) { /* messages that no rank has taken */
    box *b = box_of(s, m->rank, to);
    set(s, &b->taken, b->posted);
  }
  pthread_mutex_lock(&s->lock);
  s->called = false; /* all are here */
  pthread_mutex_unlock(&s->lock);
  return pass(s, &s->meeting);
}

/* The last rank that closes frees the shared state. */
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

/* 4096: a guard against typing errors. All ranks are made here; each thread closes its own. */
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
