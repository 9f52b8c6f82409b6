/* Tasks side by side on threads of this process, each with a context of its own: the runs of a
   calibration, the members of an ensemble. The caller's thread waits for them, and passes an
   interruption of its context on to all. */
#ifndef IG_CHAIN_POOL_H
#define IG_CHAIN_POOL_H

#include "core/ctx.h"

enum { IG_POOL_JOBS = 64 };
typedef struct {
  ig_ctx *cx;       /* the caller's */
  const char *what; /* for the message of an interruption: "calibration" */
  /* Contexts of the tasks: NULL and 0 as in ig_calibrate_options. */
  const char *backend;
  int threads, jobs, devices;
  int count; /* of tasks */
  /* Contexts that the tasks have already, one each; NULL: one is opened for each, and closed. */
  ig_ctx *const *own;
  void *user;
  /* A task, on its thread. opened: whether its context could be opened; cx may be NULL if not. */
  void (*run)(void *user, int task, ig_ctx *cx, ig_status opened);
  /* Both under one lock. ended: after each task; beside (may be NULL): every tenth of a second on
     the caller's thread, with the number of tasks that have ended. A failure ends the rest. */
  void (*ended)(void *user, int task);
  ig_status (*beside)(void *user, int done);
} ig_pool;

/* IG_INTERRUPTED: some tasks have not been run. */
IG_MUST_CHECK ig_status ig_pool_run(const ig_pool *pool);

#endif
