/* A cycle that is recorded once and replayed, where the backend records launches: it is many small
   kernels whose pointers and coefficients stay the same. */
#ifndef IG_SOLVER_KRYLOV_REPLAY_H
#define IG_SOLVER_KRYLOV_REPLAY_H

#include "backend/backend.h"

typedef struct {
  struct ig_graph *graph; /* NULL: nothing is recorded */
  /* the address, which launches have in them */
  const float *r; /* what it was recorded for */
  bool mode;
} ig_replay;

/* `self` must not change what it launches from call to call, except by `mode`. */
typedef ig_status ig_replay_cycle(void *self, const float *r);
/* Runs the cycle for r; records it first unless that has been done for the same r and mode. */
IG_MUST_CHECK ig_status ig_replay_run(ig_ctx *cx, ig_replay *p, ig_replay_cycle *cycle, void *self,
                                      const float *r, bool mode);
void ig_replay_forget(ig_ctx *cx, ig_replay *p);

#endif
