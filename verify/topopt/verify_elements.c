/* Verification of the elements: rigid motions, patches, a beam. */
#include "verify/topopt/verify.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- elements --- */

/* forces of a motion u over the largest the matrix makes of a motion of that size */
static double force_of(const ig_brick *b, const double *u) {
  double f[24] = {0}, k = 0;
  for (int i = 0; i < b->size; i++)
    for (int j = 0; j < b->size; j++) {
      f[i] += b->k[i][j] * u[j];
      k = fabs(b->k[i][j]) > k ? fabs(b->k[i][j]) : k;
    }
  return largest(f, b->size) / (k * largest(u, b->size));
}

/* A u = 0 inside for a linear field, through the grid operator */
static ig_status patch(ig_ctx *cx, int dim, int dof, double *worst) {
  const int n[3] = {5, 4, dim == 3 ? 3 : 0};
  const double h[3] = {1, 0.7, 1.3};
  ig_grid g;
  ig_brick b;
  IG_TRY(ig_grid_init(cx, &g, dim, dof, n));
  if (dof == 1)
    ig_brick_conduction(&b, dim, h);
  else
    ig_brick_elastic(&b, dim, h, 0.3);
  const size_t stored = (size_t)g.stored, count = stored * (size_t)dof;
  uint8_t *fix = NULL;
  double *u = NULL, *one = NULL;
  ig_multigrid *m = NULL;
  ig_array x = {0}, y = {0};
  ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
  options.precondition = IG_PRECONDITION_JACOBI;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &fix, stored, "patch"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &u, count, "patch"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &one, stored, "patch"));
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++) {
        const int64_t at = ig_grid_place(&g, i, j, k);
        for (int c = 0; c < dof; c++)
          u[c * g.stored + at] = (c + 1) * i * h[0] - 0.5 * j * h[1] + (0.3 - c) * k * h[2];
        if (i < n[0] && j < n[1] && (dim == 2 || k < n[2]))
          one[at] = 1;
        if (i == 0 || j == 0 || i == n[0] || j == n[1] || (dim == 3 && (k == 0 || k == n[2])))
          fix[at] = IG_FIX_ALL;
      }
  IG_TRY_GOTO(status, done, ig_multigrid_new(cx, &g, &b, fix, NULL, 0, &options, &m));
  IG_TRY_GOTO(status, done, cx->backend->copy_in(cx, m->modulus.dev, one, stored * 8));
  IG_TRY_GOTO(status, done, ig_multigrid_update(m));
  IG_TRY_GOTO(status, done, ig_array_from(cx, &x, u, count, 8, "patch"));
  IG_TRY_GOTO(status, done, ig_array_new_device(cx, &y, count, 8, "patch"));
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &y));
  IG_TRY_GOTO(status, done, ig_multigrid_linear(m).apply(m, x.dev, y.dev, NULL));
  IG_TRY_GOTO(status, done, cx->backend->absmax_f64(cx, count, y.dev, worst));
  *worst /= largest(u, (int)count);
done:
  ig_array_free(cx, &x);
  ig_array_free(cx, &y);
  ig_multigrid_free(m);
  free(fix);
  free(u);
  free(one);
  return status;
}

ig_status ig_topopt_verify_elements(ig_ctx *cx, const ig_verify_sink *sink) {
  const double h[3] = {1, 0.7, 1.3};
  for (int dim = 2; dim <= 3; dim++)
    for (int dof = 1; dof <= dim; dof += dim - 1) {
      ig_brick b;
      char name[96];
      double worst = 0, u[24];
      if (dof == 1)
        ig_brick_conduction(&b, dim, h);
      else
        ig_brick_elastic(&b, dim, h, 0.3);
      const int turns = dof == 1 ? 0 : dim == 3 ? 3 : 1;
      for (int r = 0; r < dof + turns; r++) {
        for (int a = 0; a < b.nodes; a++) {
          double x[3];
          for (int d = 0; d < 3; d++)
            x[d] = (a >> d & 1) * h[d];
          for (int c = 0; c < dof; c++)
            u[a * dof + c] = r == c;
          if (r >= dof) { /* a turn about axis p carries q towards s */
            const int q = dim == 2 ? 0 : (r - dof + 1) % 3, s = dim == 2 ? 1 : (r - dof + 2) % 3;
            u[a * dof + q] = -x[s];
            u[a * dof + s] = x[q];
          }
        }
        const double f = force_of(&b, u);
        worst = f > worst ? f : worst;
      }
      snprintf(name, sizeof name, "forces of rigid modes, %s in %dD",
               dof == 1 ? "conduction" : "elasticity", dim);
      row(sink, name, "exact", 0, worst, 1e-14, false);
      IG_TRY(patch(cx, dim, dof, &worst));
      snprintf(name, sizeof name, "patch test, %s in %dD", dof == 1 ? "conduction" : "elasticity",
               dim);
      row(sink, name, "exact", 0, worst, 1e-14, false);
    }
  return IG_OK;
}

/* --- a beam --- */

/* Compliance of a solid cantilever under a unit end load against Timoshenko's beam. */
ig_status ig_topopt_verify_beam(ig_ctx *cx, const ig_verify_sink *sink) {
  const double length = 10, height = 1, nu = 0.3;
  const double bending = 4 * pow(length / height, 3), shear = 12.0 / 5 * (1 + nu) * length / height;
  double error[3];
  for (int level = 0; level < 3; level++) {
    const int ny = 4 << level, nx = 10 * ny;
    char text[700], name[96];
    snprintf(text, sizeof text,
             "{grid: {elements: [%d, %d, 0], size: [10, 1, 1]}, volume: 1, filter: {kind: "
             "none},supports: [{box: {min: [0, 0, 0], max: [0, 1, 0]}, fix: x},           {box: "
             "{min: [0, 0.5, 0], max: [0, 0.5, 0]}, fix: y}],loads: [{box: {min: [10, 0, 0], max: "
             "[10, 1, 0]}, force: [0, -1, 0], spread: faces}], solver: {tolerance: 1e-10}}",
             nx, ny);
    ig_topopt_problem t;
    ig_evaluation e = {0};
    IG_TRY(ig_topopt_problem_open(cx, text, &t));
    ig_topopt_design_continue(&t.c, 1, &e);
    const ig_status status = ig_topopt_design_evaluate(t.s, &e);
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    error[level] = fabs(e.objective / (bending + shear) - 1);
    snprintf(name, sizeof name, "end deflection of a cantilever, %d x %d", nx, ny);
    row(sink, name, "Timoshenko's beam", bending + shear, e.objective,
        level == 2   ? 2e-3
        : level == 1 ? 8e-3
                     : 3e-2,
        true);
  }
  row(sink, "order of convergence towards it", "bilinear elements", 2, log2(error[0] / error[1]),
      0.3, false);
  return IG_OK;
}
