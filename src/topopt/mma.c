/* The method of moving asymptotes with the volume as its constraint: the objective is replaced by a
   separable convex approximation between two asymptotes an element, the multiplier of the volume
   found by bisection on the volume itself, which is linear in the design. */
#include "topopt/topopt.h"
#include "backend/backend.h"

ig_status ig_mma_prepare(ig_design *s) {
  ig_array *const arrays[] = {&s->mma_low, &s->mma_high, &s->mma_old, &s->mma_older};
  for (size_t i = 0; !s->mma_older.dev && i < 4; i++) {
    IG_TRY(
        ig_array_new_device(s->cx, arrays[i], (size_t)s->d->places, sizeof(double), "asymptotes"));
    IG_TRY(ig_array_zero(s->cx, arrays[i]));
  }
  return IG_OK;
}

ig_status ig_mma_update(ig_design *s, const ig_oc *oc, double *multiplier) {
  ig_ctx *cx = s->cx;
  const size_t n = (size_t)s->d->places;
  IG_TRY(ig_mma_prepare(s));
  IG_TRY(s->ops->asymptotes(cx, (int64_t)n, s->d->role, s->updates < 2, s->x.dev, s->mma_old.dev,
                            s->mma_older.dev, s->mma_low.dev, s->mma_high.dev));
  double largest;
  IG_TRY(cx->backend->absmax_f64(cx, n, s->dc.dev, &largest));
  ig_oc mine = *oc;
  mine.lower = s->mma_low.dev;
  mine.upper = s->mma_high.dev;
  mine.scale = largest > 0 ? 1 / largest : 1;
  IG_TRY(s->ops->oc(cx, (int64_t)n, s->d->role, &mine, s->x.dev, s->dc.dev, s->dv.dev, s->work.dev,
                    s->trial.dev, multiplier));
  s->updates++;
  const ig_array swap = s->mma_older;
  s->mma_older = s->mma_old;
  s->mma_old = swap;
  return cx->backend->copy(cx, s->mma_old.dev, s->x.dev, n * sizeof(double));
}
