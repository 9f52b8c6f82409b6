/* Smoothed aggregation: the cycle, and making and freeing a hierarchy.

        cycle(l):  smooth x; r = b - A x; next b = R r; cycle(l + 1); x += P next x; smooth x

   The smoother is a Chebyshev polynomial in D^-1 A (Adams, Brezina, Hu and Tuminaro, 2003): it
   needs products only, no order of unknowns, so it is the same on any number of threads and ranks.
 */
#include "solver/amg/mesh_amg_parts.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Eigenvalues from lambda / 8 to lambda are smoothed: coarsening by 3 along each axis leaves the
   lower eighth of the spectrum to the coarse level, about. */
static const double RANGE = 8; /* the smoother takes care of the upper part of the spectrum */

/* Where own rows begin in a vector; springs of the finest level from there on. */
static int64_t first_of(const ig_amg *s, int depth) {
  return (int64_t)ig_amg_range_of(s, depth).from * s->level[depth].size;
}
static const double *springs(const ig_amg *s, int depth) {
  const double *spring = depth ? NULL : s->problem.ground->spring;
  return spring ? spring + first_of(s, depth) : NULL;
}

/* Chebyshev steps on [lambda / RANGE, lambda], or damped Jacobi; `zero`: x is zero at the start,
   and the first product is saved. c0, c1, rho: the usual three-term recurrence for x += d, d = c0 d
   + c1 D^-1 r. */
static ig_status smooth(ig_amg *s, int depth, const float *b, bool zero) {
  ig_amg_level *l = &s->level[depth];
  const ig_amg_range own = ig_amg_range_of(s, depth);
  const int64_t at = first_of(s, depth);
  const double high = l->lambda, low = high / RANGE;
  const double middle = 0.5 * (high + low), half = 0.5 * (high - low), sigma = middle / half;
  const double damping = s->problem.damping;
  double rho = 1 / sigma, c0 = 0, c1 = damping > 0 ? 2 * damping / high : 1 / middle;
  for (int k = 0; k < s->problem.steps; k++) {
    const bool first = zero && k == 0;
    if (!first)
      IG_TRY(ig_amg_product(s, depth));
    IG_TRY(s->ops->smooth(s->cx, own.count, l->size, (float *)l->inverse.dev + at * l->size,
                          springs(s, depth), b + at, (float *)l->ax.dev + at, first, (float)c0,
                          (float)c1, (float *)l->d.dev + at, (float *)l->x.dev + at));
    const double next = 1 / (2 * sigma - rho);
    if (damping > 0)
      continue;
    c0 = next * rho;
    c1 = 2 * next / half;
    rho = next;
  }
  return IG_OK;
}

/* A W-cycle (problem.cycle 2) visits the next level twice; not the coarsest, whose inverse is
   exact. */
static ig_status cycle(ig_amg *s, int depth, const float *b, bool zero) {
  ig_amg_level *l = &s->level[depth];
  if (depth == s->levels - 1 && s->dense_n)
    return s->ops->dense(s->cx, s->dense_n, s->dense.dev, b, l->x.dev);
  IG_TRY(smooth(s, depth, b, zero));
  if (depth + 1 < s->levels) {
    ig_amg_level *c = &s->level[depth + 1];
    const int64_t at = first_of(s, depth);
    IG_TRY(ig_amg_product(s, depth));
    IG_TRY(s->ops->residual(s->cx, (int64_t)ig_amg_range_of(s, depth).count * l->size,
                            springs(s, depth), b + at, (float *)l->x.dev + at,
                            (float *)l->ax.dev + at));
    IG_TRY(ig_amg_restrict(s, depth));
    IG_TRY(cycle(s, depth + 1, c->b.dev, true));
    for (int again = 1; again < s->problem.cycle && depth + 2 < s->levels; again++)
      IG_TRY(cycle(s, depth + 1, c->b.dev, false));
    IG_TRY(ig_amg_prolong(s, depth));
  }
  return smooth(s, depth, b, false);
}

/* The signature of ig_replay_run. */
static ig_status whole_cycle(void *self, const float *r) {
  return cycle(self, 0, r, true);
}

ig_status ig_amg_cycle(ig_amg *s, const float *r, const float **z) {
  *z = s->level[0].x.dev;
  if (s->parts) /* messages are not recorded */
    return whole_cycle(s, r);
  return ig_replay_run(s->cx, &s->replay, whole_cycle, s, r, false);
}

/* --- making it --- */

/* Common part of both constructors: `setup` makes the levels. Time counts as set-up of the solver
   (IG_PHASE_SOLVER) in the summary. */
static ig_status make(ig_ctx *cx, const ig_amg_problem *problem, ig_status (*setup)(ig_amg *),
                      ig_amg **out) {
  ig_amg *s;
  *out = NULL;
  IG_TRY(IG_NEW(cx, &s, 1, "multigrid"));
  s->cx = cx;
  s->ops = IG_OPS_OF(cx, &ig_amg_cpu, &ig_amg_cuda);
  s->patterns = IG_OPS_OF(cx, &ig_pattern_cpu, &ig_pattern_cuda);
  s->problem = *problem;
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_SOLVER);
  ig_status status = setup(s);
  if (status == IG_OK && s->levels > 0)
    status = ig_amg_parts_new(s);
  if (status == IG_OK && s->levels > 0)
    status = ig_amg_cut_rest(s);
  ig_phase_end(cx, former);
  if (status != IG_OK) {
    ig_amg_free(s);
    return status;
  }
  *out = s;
  return IG_OK;
}
ig_status ig_amg_new(ig_ctx *cx, const ig_amg_problem *problem, ig_amg **out) {
  return make(cx, problem, ig_amg_setup, out);
}
ig_status ig_amg_new_finest(ig_ctx *cx, const ig_amg_problem *problem, ig_amg **out) {
  return make(cx, problem, ig_amg_setup_finest, out);
}

/* Also of a hierarchy that was made in part. */
void ig_amg_free(ig_amg *s) {
  if (!s)
    return;
  ig_replay_forget(s->cx, &s->replay);
  ig_amg_parts_free(s);
  for (int i = 0; i < IG_AMG_LEVELS; i++) {
    ig_amg_level *l = &s->level[i];
    ig_amg_matrix *const matrices[] = {&l->a, &l->p, &l->r, &l->ap};
    ig_array *const arrays[] = {&l->diagonal, &l->of, &l->tentative, &l->from, &l->inverse,
                                &l->b,        &l->x,  &l->d,         &l->ax,   &l->noise};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
      ig_amg_matrix_free(s->cx, matrices[k]);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
      ig_array_free(s->cx, arrays[k]);
  }
  ig_array_free(s->cx, &s->unit);
  ig_array_free(s->cx, &s->dense);
  ig_array_free(s->cx, &s->work);
  free(s);
}
