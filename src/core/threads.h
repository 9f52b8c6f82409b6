/* How many threads work is worth; threads and fork. */
#ifndef IG_CORE_THREADS_H
#define IG_CORE_THREADS_H

#include "core/ctx.h"

/* What `threads: 0` means: OMP_NUM_THREADS where it is sensible, else all cores. */
int ig_threads_all(void);
/* For so many elements: a thread with too few of them waits longer for the others than it works,
   and on a busy machine much longer. No result depends on it. */
int ig_threads_for(int64_t elements, int all);

/* A child that is forked after parallel work can work in parallel, too. Any number of calls. */
void ig_threads_survive_fork(void);

/* What an item of a loop takes, in nanoseconds, roughly. */
enum { IG_WORK_VALUE = 1, IG_WORK_NODE = 10, IG_WORK_ELEMENT = 100, IG_WORK_ROW = 400 };

/* Threads for a loop of n items: all of the context's, or one where the loop is over before others
   wake up. All or one: teams that change their size cost more than they save. Every loop on the CPU
   asks here. No result depends on it. */
static inline int ig_team_of(int threads, int64_t n, int work) {
  enum { WAKE = 50000 }; /* ns */
  return n < WAKE / work ? 1 : threads;
}
static inline int ig_team(const ig_ctx *cx, int64_t n, int work) {
  return ig_team_of(cx->threads, n, work);
}

#endif
