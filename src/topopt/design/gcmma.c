/* The globally convergent method of moving asymptotes (Svanberg 2002): the approximations are
   made more curved until, at the design they lead to, none of them promises more than is there.
   Then the objective falls from one feasible design to the next.

   Each trial is a full evaluation with all its linear systems, so an update costs several of
   those of plain moving asymptotes. Function 0 is the objective, 1 the volume, 2 and up the
   constraints; all are scaled by their largest gradient. */
#include "topopt/design/mma.h"
#include "backend/backend.h"
#include "topopt/topopt.h"

#include <math.h>
#include <string.h>

/* Svanberg's inner loop ends by itself; the bound covers functions whose gradients are not exact
   (filtered sensitivities). */
enum { TRIES = 15 };

/* Values of all functions in the units of the approximations: objective, volume, constraints.
   Gradients of the volume are those of its sum over elements, hence the factor. */
static void values(const ig_topopt_design *s, const ig_evaluation *e, const double *scale,
                   double *value) {
  value[0] = scale[0] * e->objective;
  value[1] = scale[1] * e->volume * (double)s->d->elements;
  for (int i = 0; i < s->limits; i++)
    value[2 + i] = scale[2 + i] * e->limit[i];
}

/* Slopes are kept: trials overwrite them. */
static ig_status keep_slopes(ig_topopt_design *s, ig_topopt_mma *mma) {
  const size_t n = (size_t)s->d->places;
  double *const from[] = {s->dc.dev, s->dv.dev};
  for (int f = 0; f < 2 + s->limits; f++) {
    ig_array *to = &s->kept[f];
    if (!to->dev)
      IG_TRY(ig_array_new_device(s->cx, to, n, sizeof(double), "slopes"));
    const double *slope = f < 2 ? from[f] : s->limit_slope[f - 2].dev;
    IG_TRY(s->cx->backend->copy(s->cx, to->dev, slope, n * sizeof(double)));
    mma->slope[f] = to->dev;
    IG_TRY(ig_topopt_mma_scale(s, to->dev, &mma->scale[f]));
    double square; /* first curvature: a tenth of the typical slope */
    IG_TRY(ig_topopt_dot(s->cx, s->d, to->dev, to->dev, &square));
    mma->least[f] = fmax(1e-6, 0.1 * mma->scale[f] * sqrt(square / (double)s->d->designed));
  }
  return IG_OK;
}

/* What the approximations promise at the design just found, and how far away that is, in the last
   place. */
static ig_status promised(ig_topopt_design *s, const ig_topopt_mma *mma, double *promise) {
  double sum[IG_DUAL_SUMS];
  ig_topopt_mma more = *mma;
  const int last = ++more.count;
  more.slope[last] = mma->slope[1];
  more.scale[last] = more.multiplier[last] = 0;
  more.least[last] = 1;
  IG_TRY(s->ops->dual(s->cx, s->d->places, s->d->role, &more, sum));
  memcpy(promise, sum, (size_t)(last + 1) * sizeof *sum);
  return IG_OK;
}

/* Makes the trial the design for an evaluation, and the other way round afterwards. */
static void exchange(ig_topopt_design *s) {
  const ig_array swap = s->x;
  s->x = s->trial;
  s->trial = swap;
}

/* The gradients at s->x are copied first, as evaluations of trials overwrite them. `value` are
   the constraints as ig_topopt_mma_dual wants them (0 at the bound), `now` and `then` the
   functions themselves before and after. On return s->trial is the new design and *next its
   evaluation, whose states are still in place. */
ig_status ig_topopt_gcmma_update(ig_topopt_design *s, const ig_oc *oc, const ig_evaluation *e,
                                 ig_evaluation *next) {
  ig_topopt_mma mma = {.count = 1 + s->limits,
                       .move = oc->move,
                       .keep = oc->keep,
                       .x = s->x.dev,
                       .lower = s->mma_low.dev,
                       .upper = s->mma_high.dev,
                       .grid = s->d->grid};
  double value[IG_FUNCTIONS], now[IG_FUNCTIONS], then[IG_FUNCTIONS], promise[IG_FUNCTIONS + 1];
  IG_TRY(keep_slopes(s, &mma));
  values(s, e, mma.scale, now);
  value[1] = mma.scale[1] * (e->volume * (double)s->d->elements - oc->target);
  for (int i = 0; i < s->limits; i++)
    value[2 + i] = mma.scale[2 + i] * (e->limit[i] - 1);
  memcpy(mma.multiplier + 1, s->dual, (size_t)mma.count * sizeof *s->dual);
  bool kept = false;
  s->tried = 0;
  for (int tries = 0; tries < TRIES && !kept; tries++) {
    IG_TRY(ig_topopt_mma_dual(s->cx, s->ops, s->d->places, s->d->role, &mma, value));
    IG_TRY(s->ops->mma(s->cx, s->d->places, s->d->role, &mma, s->trial.dev));
    IG_TRY(promised(s, &mma, promise));
    /* the last function has gradient 0 and curvature 1: its value is the distance moved, in the
       norm of the approximation */
    const double far = promise[mma.count + 1];
    *next = (ig_evaluation){.penalty = e->penalty, .gray = e->gray, .beta = e->beta};
    exchange(s);
    const ig_status status = ig_topopt_design_evaluate(s, next);
    exchange(s);
    IG_TRY(status);
    s->tried += next->iterations;
    values(s, next, mma.scale, then);
    /* Svanberg's rule for the curvature: raise it by what was missing over the distance moved,
       by at most ten times. */
    kept = true;
    for (int f = 0; f <= mma.count; f++) {
      const double more = then[f] - now[f] - promise[f];
      /* what the linear solver leaves open is no broken promise */
      if (!(far > 0) || more <= fmax(1e-7, 0.1 * s->tolerance) * fabs(now[f]))
        continue;
      kept = false;
      mma.least[f] = fmin(1.1 * (mma.least[f] + more / far), 10 * mma.least[f]);
    }
  }
  memcpy(s->dual, mma.multiplier + 1, (size_t)mma.count * sizeof *s->dual);
  return IG_OK;
}
