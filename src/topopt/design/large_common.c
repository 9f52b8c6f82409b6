/* Large deflections: what is the same with a matrix (large.c) and without one (large_items.c). */
#include "topopt/design/large.h"

#include <math.h>
#include <stdio.h>

int32_t ig_topopt_large_direct(int dim) {
  return dim == 2 ? 200000 : 10000;
}

void ig_topopt_large_name(const ig_topopt_design *s, int32_t point, char *text, size_t size) {
  const ig_topopt_body *b = &s->large->body;
  const double *x = b->x + (int64_t)point * b->dim;
  if (b->dim == 3)
    snprintf(text, size, "(%.4g, %.4g, %.4g) m", x[0], x[1], x[2]);
  else
    snprintf(text, size, "(%.4g, %.4g) m", x[0], x[1]);
}

/* Solves for g->left. Multigrid may be optimistic at first: what it finds no solution with is tried
   once more with the cautious one, and all later solves take that (as ig_multigrid_solve). */
ig_status ig_topopt_large_pcg(ig_topopt_design *s, const ig_linear *a, double tolerance,
                              ig_solve_report *report) {
  ig_topopt_large *g = s->large;
  const int limit = (int)fmin(s->c->solver.limit, 2000);
  for (;;) {
    const bool hopeful = s->d->learnt && !*s->d->learnt;
    IG_TRY(ig_array_zero(s->cx, &g->left));
    IG_TRY(ig_pcg_solve(s->cx, &g->pcg, a, g->right.dev, g->left.dev, tolerance,
                        hopeful && limit > 100 ? 100 : limit, report));
    if (report->end == IG_SOLVE_CONVERGED || !hopeful)
      return IG_OK;
    *s->d->learnt = true;
  }
}

static const char remedy[] = "; give more analysis: load_steps, law: neo_hookean, a penalty_ramp "
                             "or more 'volume', with which "
                             "the body begins stiffer, or smaller loads; hold what is loaded solid "
                             "('passive'), and the body "
                             "where it buckles or snaps through";

ig_status ig_topopt_large_lost(ig_topopt_design *s, int q, double factor, int64_t steps,
                               const char *why) {
  return ig_fail_at(s->cx, &s->c->analysis.at,
                    "large_deflections: under load case %d the design finds no equilibrium beyond "
                    "%.3g of the load, after %lld load steps: %s%s",
                    q + 1, factor, (long long)steps, why, remedy);
}
