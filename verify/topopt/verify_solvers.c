/* Verification of the solvers: against a direct one, and by their iterations. */
#include "verify/topopt/verify.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Solves A u = f by Cholesky on the dense matrix, column by column through the operator. */
static ig_status direct(ig_topopt_problem *t, double *compliance) {
  ig_ctx *cx = t->cx;
  ig_multigrid *m = t->m->solver;
  const size_t n = (size_t)ig_multigrid_linear(m).n;
  double *a = NULL, *v = NULL, *f = NULL;
  int *free_dof = NULL, count = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &v, n, "direct"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &f, n, "direct"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &free_dof, n, "direct"));
  const ig_grid *g = &t->m->grid;
  for (size_t i = 0; i < n; i++)
    if (!(((uint8_t *)m->fix.host)[i % (size_t)g->stored] >> (i / (size_t)g->stored) & 1))
      free_dof[count++] = (int)i;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &a, (size_t)count * (size_t)count, "direct"));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, f, t->m->loading.f[0].dev, n * 8));
  for (int j = 0; j < count; j++) {
    memset(v, 0, n * sizeof *v);
    v[free_dof[j]] = 1;
    IG_TRY_GOTO(status, done, cx->backend->copy_in(cx, m->pcg.p.dev, v, n * 8));
    IG_TRY_GOTO(status, done, ig_multigrid_linear(m).apply(m, m->pcg.p.dev, m->pcg.ap.dev, NULL));
    IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, v, m->pcg.ap.dev, n * 8));
    for (int i = 0; i < count; i++)
      a[(size_t)i * count + j] = v[free_dof[i]];
  }
  double *y = v; /* L y = f; c = y . y */
  *compliance = 0;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j <= i; j++) {
      double s = a[(size_t)i * count + j];
      for (int k = 0; k < j; k++)
        s -= a[(size_t)i * count + k] * a[(size_t)j * count + k];
      a[(size_t)i * count + j] = j < i ? s / a[(size_t)j * count + j] : sqrt(s);
    }
    double s = f[free_dof[i]];
    for (int k = 0; k < i; k++)
      s -= a[(size_t)i * count + k] * y[k];
    y[i] = s / a[(size_t)i * count + i];
    *compliance += y[i] * y[i];
  }
  *compliance *= t->m->loading.norm[0] * t->m->loading.norm[0];
done:
  free(a);
  free(v);
  free(f);
  free(free_dof);
  return status;
}

#define SMALL(solver)                                                                              \
  "{grid: {elements: [9, 5, 4]}, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [9, 0, " \
  "0]}, force: [0, -1, 0.5]}], void_ratio: 1e-4, filter: {kind: density, radius: 1.5}, solver: "   \
  "{tolerance: 1e-10, " solver "}}"

ig_status ig_topopt_verify_solvers(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *text;
  } solvers[] = {{"Jacobi", SMALL("preconditioner: jacobi")},
                 {"multigrid, Chebyshev, V", SMALL("cycle: v")},
                 {"multigrid, Jacobi, W", SMALL("smoother: jacobi, cycle: w, smoothing_steps: 3")},
                 {"multigrid, block Jacobi, V", SMALL("smoother: block_jacobi, cycle: v")},
                 {"multigrid, Chebyshev, K", SMALL("cycle: k")},
                 {"multigrid, Chebyshev, K, half storage", SMALL("cycle: k, storage: half")}};
  double exact = 0;
  for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
    ig_topopt_problem t;
    ig_evaluation e = {0};
    IG_TRY(ig_topopt_problem_open(cx, solvers[s].text, &t));
    ig_status status = IG_OK;
    for (int it = 1; status == IG_OK && it <= 4; it++)
      status = ig_topopt_problem_iterate(&t, it, &e);
    if (status == IG_OK && s == 0)
      status = direct(&t, &exact); /* the moduli are those of the last evaluation */
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    char name[96];
    snprintf(name, sizeof name, "compliance by %s", solvers[s].name);
    row(sink, name, "dense Cholesky", exact, e.objective, 1e-8, true);
  }
  /* iterations to 1e-8 on an optimised design, refined: nearly the same */
  double first = 0;
  for (int level = 0; level < 3; level++) {
    const int n = 8 << level;
    char text[700], name[96];
    snprintf(
        text, sizeof text,
        "{grid: {elements: [%d, %d, %d], size: [2, 1, 1]}, volume: 0.3, void_ratio: 1e-4,filter: "
        "{kind: density, radius: 0.2}, supports: [{box: {min: [0, 0, 0], max: [0, 1, 1]}}], loads: "
        "[{box: {min: [2, 0, 0], max: [2, 0, 1]}, force: [0, -1, 0]}],solver: {tolerance: 1e-8}}",
        2 * n, n, n);
    ig_topopt_problem t;
    ig_evaluation e = {0};
    IG_TRY(ig_topopt_problem_open(cx, text, &t));
    ig_status status = IG_OK;
    for (int it = 1; status == IG_OK && it <= 4; it++)
      status = ig_topopt_problem_iterate(&t, it, &e);
    if (status == IG_OK)
      status = cx->backend->fill(cx, t.s->u[0][0].dev, 0, (size_t)t.m->d.unknowns * 8);
    if (status == IG_OK)
      status = ig_topopt_design_evaluate(t.s, &e);
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    first = level ? first : e.iterations;
    snprintf(name, sizeof name, "solver iterations to 1e-8, %d x %d x %d", 2 * n, n, n);
    row(sink, name, "those of the coarsest grid", first, e.iterations, 0.6, true);
  }
  return IG_OK;
}
