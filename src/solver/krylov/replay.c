/* Recorded cycles (CUDA graphs). A multigrid cycle is a hundred small launches; replaying a
   recorded graph takes a fraction of their time. The record holds pointers and coefficients as they
   were: a caller that changes one of them must call ig_replay_forget. */
#include "solver/krylov/replay.h"

void ig_replay_forget(ig_ctx *cx, ig_replay *p) {
  if (p->graph)
    cx->backend->graph_free(cx, p->graph);
  p->graph = NULL;
}

/* Both statuses are looked at only after the recording has ended: a stream must not stay in
   capture. */
ig_status ig_replay_run(ig_ctx *cx, ig_replay *p, ig_replay_cycle *cycle, void *self,
                        const float *r, bool mode) {
  const ig_backend *b = cx->backend;
  if (!b->graph_begin)
    return cycle(self, r);
  if (!p->graph || p->r != r || p->mode != mode) {
    ig_replay_forget(cx, p);
    IG_TRY(b->graph_begin(cx));
    const ig_status recorded = cycle(self, r);
    const ig_status ended = b->graph_end(cx, &p->graph);
    IG_TRY(recorded);
    IG_TRY(ended);
    p->r = r;
    p->mode = mode;
  }
  return b->graph_run(cx, p->graph, 1);
}
