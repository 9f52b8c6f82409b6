/* The update of a design: by optimality criteria, or by moving asymptotes. The result goes to
   s->trial, which then changes places with s->x. */
#include "topopt/grid/divide.h"
#include "topopt/design/mma.h"
#include "topopt/design/overheat.h"
#include "topopt/output.h"
#include "topopt/design/pnorm.h"
#include "topopt/design/stress.h"
#include "backend/backend.h"

#include <math.h>

/* How far asymptotes may lie below a density, as a share of it. Compliances, displacements,
   stresses and temperatures go with x^-p: 2 / (p + 1) has their curvature. With asymptotes beyond
   0, as where the volume is bounded, they seem to grow by little where densities are taken away,
   and least volumes end in void. Steps are shorter: only as long as a bound is exceeded, or where
   one is a stress, or where a highest temperature counts: that is where material was just removed.
 */
static double share_below(const ig_topopt_design *s, const ig_evaluation *e) {
  const bool least = s->c->minimise == IG_MINIMISE_VOLUME;
  const bool hot = s->c->problem == IG_PROBLEM_HEAT && s->peaks;
  return hot || (least && (s->stress || ig_topopt_excess(s, e) > 0.1)) ? 2 / (e->penalty + 1)
                                                                       : INFINITY;
}

/* The update by moving asymptotes, into s->trial; *next: the evaluation whose states are in place.
 */
static ig_status update_asymptotes(ig_topopt_design *s, const ig_oc *oc, const ig_evaluation *e,
                                   ig_evaluation *next) {
  ig_ctx *cx = s->cx;
  const size_t n = (size_t)s->d->places;
  IG_TRY(ig_topopt_mma_prepare(s));
  IG_TRY(s->ops->asymptotes(cx, (int64_t)n, s->d->role, s->updates < 2, share_below(s, e), s->x.dev,
                            s->mma_old.dev, s->mma_older.dev, s->mma_low.dev, s->mma_high.dev));
  *next = *e;
  if (s->c->optimiser.method == IG_OPTIMISER_GCMMA)
    IG_TRY(ig_topopt_gcmma_update(s, oc, e, next));
  else if (s->limits)
    IG_TRY(ig_topopt_mma_constrained(s, oc, e));
  else
    IG_TRY(ig_topopt_mma_volume(s, oc));
  s->updates++;
  const ig_array swap = s->mma_older;
  s->mma_older = s->mma_old;
  s->mma_old = swap;
  return cx->backend->copy(cx, s->mma_old.dev, s->x.dev, n * sizeof(double));
}

/* A projection makes densities change by more than the design variables, at its threshold by so
   many times more. They are to change by twice `move_limit` at most. Without this, sharp
   projections fling members from void to solid and back: no design settles, and what was a
   structure falls apart. */
static double move_of(const ig_topopt_case *c, const ig_evaluation *e) {
  return c->optimiser.move_limit / fmax(1, 0.5 * ig_topopt_steepness(c, e));
}

/* `base` is the part of the volume that is not linear in x: sum of dv x + base is the volume to
   first order. */
ig_status ig_topopt_design_update(ig_topopt_design *s, const ig_evaluation *e) {
  const ig_optimiser_case *o = &s->c->optimiser;
  const int64_t n = s->d->places;
  const bool mechanism = s->c->problem == IG_PROBLEM_MECHANISM;
  double start = ig_now(), linear, steepest;
  IG_TRY(ig_topopt_meet(s->cx, s->d));
  IG_TRY(ig_topopt_dot(s->cx, s->d, s->dv.dev, s->x.dev, &linear));
  IG_TRY(ig_topopt_most(s->cx, s->d, s->dc.dev, &steepest));
  if (!(steepest > 0)) /* nothing to go by */
    steepest = 1;
  /* volume to first order; exact without projection */
  const double all = (double)s->d->elements;
  const ig_oc oc = {.move = move_of(s->c, e),
                    .relative = o->move_limit_kind,
                    .damping = o->damping,
                    .gray = e->gray,
                    .tolerance = o->tolerance,
                    .absolute = o->tolerance_kind,
                    .target = ig_topopt_volume(s->c) * all,
                    /* the part of the volume that does not change with x */
                    .base = e->volume * all - linear,
                    /* bounds of the multiplier scale with the gradients: cases in any unit find
                       it */
                    .high = o->multiplier_max,
                    .guess = s->multiplier,
                    .least = 1e-40 * fmin(1, steepest),
                    .most = 1e30 * fmax(1, steepest),
                    .x_min =
                        isnan(o->x_min) ? (mechanism && !o->move_limit_kind ? 1e-3 : 0) : o->x_min,
                    /* drawn columns are loaded as a whole: none goes in one step */
                    .keep = ig_topopt_swept(s->c) ? 0.3 : 0,
                    .floor = mechanism ? pow(1e-10, o->damping) : 0,
                    .grid = s->d->grid};
  ig_evaluation next = *e;
  if (s->drawn.dev) /* trials of gcmma draw anew */
    IG_TRY(s->cx->backend->copy(s->cx, s->drawn.dev, s->printed.dev, (size_t)n * sizeof(double)));
  if (ig_topopt_method(s->c) == IG_OPTIMISER_MMA)
    IG_TRY(update_asymptotes(s, &oc, e, &next));
  else
    IG_TRY(s->ops->oc(s->cx, n, s->d->role, &oc, s->x.dev, s->dc.dev, s->dv.dev, s->work.dev,
                      s->trial.dev, &s->multiplier));
  IG_TRY(ig_topopt_stress_learn(s, &next));
  ig_topopt_pnorm_learn(s, &next);
  ig_topopt_overheat_learn(s, &next);
  const ig_array swap = s->x;
  s->x = s->trial;
  s->trial = swap;
  return ig_topopt_design_charge(s, IG_STAGE_UPDATE, &start);
}
