/* The method of moving asymptotes (Svanberg 1987): functions are replaced by separable convex
   approximations between two asymptotes per element, whose minimum for given multipliers is
   known; the multipliers maximise the dual function. With the volume alone, which is linear in
   the design, its multiplier is found on the volume itself.

   The dual problem has one unknown per constraint, at most 32, and every evaluation of it is one
   pass over the elements (ops->dual): values, gradient and second derivatives are summed
   together, so that Newton's method needs few passes. */
#include "topopt/design/mma.h"
#include "topopt/output.h"
#include "backend/backend.h"
#include "topopt/topopt.h"

#include <math.h>
#include <string.h>

/* Asymptotes and the last two designs; made at the first update, or before a restart fills them. */
ig_status ig_topopt_mma_prepare(ig_topopt_design *s) {
  ig_array *const arrays[] = {&s->mma_low, &s->mma_high, &s->mma_old, &s->mma_older};
  for (size_t i = 0; !s->mma_older.dev && i < 4; i++) {
    IG_TRY(
        ig_array_new_device(s->cx, arrays[i], (size_t)s->d->places, sizeof(double), "asymptotes"));
    IG_TRY(ig_array_zero(s->cx, arrays[i]));
  }
  return IG_OK;
}

/* --- several constraints --- */

/* a multiplier past this price buys what a constraint is overstepped by instead. Svanberg's
   artificial variables y_i with the cost price y_i + y_i^2 / 2: a problem without a feasible
   point has a solution all the same. 1000 times the largest gradient of the objective, which is
   1 after scaling. */
static const double price = 1e3;

/* The dual function, its slope and curvature (negative) at mma->multiplier. Index 0 is not used:
   the objective has no multiplier. */
typedef struct {
  double value, slope[IG_FUNCTIONS], bend[IG_FUNCTIONS][IG_FUNCTIONS];
} dual_point;

/* The order of the sums is that of ig_mma_minimum: changes of all functions, then the upper
   triangle of second derivatives. */
static ig_status dual_at(ig_ctx *cx, const ig_topopt_design_ops *ops, int64_t n,
                         const uint8_t *role, const ig_topopt_mma *mma, const double *value,
                         dual_point *d) {
  double sum[IG_DUAL_SUMS];
  IG_TRY(ops->dual(cx, n, role, mma, sum));
  d->value = sum[0];
  int at = mma->count + 1;
  for (int i = 1; i <= mma->count; i++) {
    const double over = fmax(0, mma->multiplier[i] - price);
    d->slope[i] = value[i] + sum[i] - over;
    d->value += mma->multiplier[i] * (value[i] + sum[i]) - 0.5 * over * over;
    for (int j = i; j <= mma->count; j++)
      d->bend[i][j] = d->bend[j][i] = sum[at++];
    d->bend[i][i] -= over > 0;
  }
  return IG_OK;
}

/* Newton's step in the multipliers that may move, held back by `brake` times a diagonal that
   keeps it finite where nothing bends. Uphill always: the matrix is positive definite.
   Levenberg-Marquardt: `brake` shortens the step where the quadratic model fails. Gaussian
   elimination without pivoting is safe, since the matrix is positive definite. */
static void newton_step(const ig_topopt_mma *mma, const dual_point *d, const bool *held,
                        double brake, double *step) {
  const int count = mma->count;
  double a[IG_FUNCTIONS][IG_FUNCTIONS], b[IG_FUNCTIONS];
  for (int i = 1; i <= count; i++) {
    b[i] = held[i] ? 0 : d->slope[i];
    for (int j = 1; j <= count; j++)
      a[i][j] = held[i] || held[j] ? i == j : -d->bend[i][j];
    const double least = fabs(d->slope[i]) / (10 * (1 + mma->multiplier[i])) + 1e-12;
    a[i][i] += brake * fmax(-d->bend[i][i], least);
  }
  /* forward elimination, then back substitution */
  for (int p = 1; p <= count; p++)
    for (int i = p + 1; i <= count; i++) {
      const double f = a[i][p] / a[p][p];
      for (int j = p; j <= count; j++)
        a[i][j] -= f * a[p][j];
      b[i] -= f * b[p];
    }
  for (int i = count; i >= 1; i--) {
    for (int j = i + 1; j <= count; j++)
      b[i] -= a[i][j] * step[j];
    step[i] = b[i] / a[i][i];
  }
}

/* A multiplier at 0 with a gradient that would lower it further is held there. Steps are
   accepted by Armijo's rule (1e-4 of the predicted gain), with more brake otherwise. Multipliers
   of the last design are the start: a few steps are enough. */
ig_status ig_topopt_mma_dual(ig_ctx *cx, const ig_topopt_design_ops *ops, int64_t n,
                             const uint8_t *role, ig_topopt_mma *mma, const double *value) {
  enum { TRIES = 300 };
  dual_point now, next;
  double step[IG_FUNCTIONS] = {0}, from[IG_FUNCTIONS], brake = 1e-3;
  mma->multiplier[0] = 1;
  IG_TRY(dual_at(cx, ops, n, role, mma, value, &now));
  for (int tries = 0; tries < TRIES && brake < 1e12; tries++) {
    /* active set: multipliers at zero that would become negative */
    bool held[IG_FUNCTIONS] = {false};
    double worst = 0, gain = 0;
    for (int i = 1; i <= mma->count; i++) {
      held[i] = mma->multiplier[i] <= 0 && now.slope[i] <= 0;
      if (!held[i])
        worst = fmax(worst, fabs(now.slope[i]) / (1 + fabs(value[i])));
    }
    /* constraints are in units of their largest gradient: 1e-10 is next to rounding */
    if (worst < 1e-10)
      break;
    newton_step(mma, &now, held, brake, step);
    memcpy(from, mma->multiplier, sizeof from);
    for (int i = 1; i <= mma->count; i++) {
      mma->multiplier[i] = fmax(0, from[i] + step[i]);
      gain += now.slope[i] * (mma->multiplier[i] - from[i]);
    }
    IG_TRY(dual_at(cx, ops, n, role, mma, value, &next));
    /* the dual function is maximised: a step must gain */
    if (next.value >= now.value + 1e-4 * gain && gain > 0) {
      now = next;
      brake = fmax(0.1 * brake, 1e-9);
    } else {
      memcpy(mma->multiplier, from, sizeof from);
      brake = fmax(5 * brake, 1e-6);
    }
  }
  return IG_OK;
}

/* Functions of any unit have gradients of at most 1 in the approximations. */
ig_status ig_topopt_mma_scale(ig_topopt_design *s, const double *slope, double *scale) {
  double largest;
  IG_TRY(ig_topopt_most(s->cx, s->d, slope, &largest));
  *scale = largest > 0 ? 1 / largest : 1;
  return IG_OK;
}

/* Only the objective gets a least curvature: constraints that are linear stay so. */
ig_status ig_topopt_mma_constrained(ig_topopt_design *s, const ig_oc *oc, const ig_evaluation *e) {
  ig_topopt_mma mma = {.count = 1 + s->limits,
                       .move = oc->move,
                       .keep = oc->keep,
                       .x = s->x.dev,
                       .lower = s->mma_low.dev,
                       .upper = s->mma_high.dev,
                       .least = {1e-5},
                       .grid = s->d->grid};
  double value[IG_FUNCTIONS];
  mma.slope[0] = s->dc.dev;
  mma.slope[1] = s->dv.dev;
  for (int i = 0; i < s->limits; i++)
    mma.slope[2 + i] = s->limit_slope[i].dev;
  for (int f = 0; f <= mma.count; f++)
    IG_TRY(ig_topopt_mma_scale(s, mma.slope[f], &mma.scale[f]));
  value[1] = mma.scale[1] * (e->volume * (double)s->d->elements - oc->target);
  for (int i = 0; i < s->limits; i++)
    value[2 + i] = mma.scale[2 + i] * (e->limit[i] - 1);
  memcpy(mma.multiplier + 1, s->dual, (size_t)mma.count * sizeof *s->dual);
  IG_TRY(ig_topopt_mma_dual(s->cx, s->ops, s->d->places, s->d->role, &mma, value));
  memcpy(s->dual, mma.multiplier + 1, (size_t)mma.count * sizeof *s->dual);
  return s->ops->mma(s->cx, s->d->places, s->d->role, &mma, s->trial.dev);
}

/* The same search for the multiplier as with optimality criteria: only the candidate differs. */
ig_status ig_topopt_mma_volume(ig_topopt_design *s, const ig_oc *oc) {
  ig_oc mine = *oc;
  mine.lower = s->mma_low.dev;
  mine.upper = s->mma_high.dev;
  IG_TRY(ig_topopt_mma_scale(s, s->dc.dev, &mine.scale));
  return s->ops->oc(s->cx, s->d->places, s->d->role, &mine, s->x.dev, s->dc.dev, s->dv.dev,
                    s->work.dev, s->trial.dev, &s->multiplier);
}
