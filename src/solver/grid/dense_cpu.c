/* The coarsest level on the CPU: its matrix inverted once per design by Gauss-Jordan elimination in
   double, and the inverse used in each cycle in single precision. A pivot that elimination leaves
   nothing of belongs to a motion that nothing prescribes, or to an empty node; it is left out. The
   inverse is made symmetric, as conjugate gradients require of the preconditioner. */
#include "solver/grid/grid.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "solver/grid/level.inc"

#include <math.h>
#include <stdlib.h>

/* Gauss-Jordan in place, one pivot after the other; rows in parallel. n is a few hundred. */
ig_status ig_grid_cpu_dense_invert(ig_ctx *cx, const ig_level *l, const int32_t *place, int n,
                                   double *a, float *inverse) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[(size_t)i * n + j] = ig_stencil_entry(l, place[i], place[j]);
  for (int p = 0; p < n; p++) {
    double *row = a + (size_t)p * n;
    const double d = row[p], whole = ig_stencil_entry(l, place[p], place[p]);
    const double pivot = d > 1e-9 * whole ? 1 / d : 0; /* nothing there, or nothing left */
    row[p] = 1;
    for (int j = 0; j < n; j++)
      row[j] *= pivot;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, (int64_t)n *n, IG_WORK_VALUE))
    for (int i = 0; i < n; i++)
      if (i != p) {
        double *to = a + (size_t)i * n;
        const double f = to[p];
        to[p] = 0;
#pragma omp simd
        for (int j = 0; j < n; j++)
          to[j] -= f * row[j];
      }
  }
  for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
    inverse[i] = (float)(0.5 * (a[i] + a[i % (size_t)n * (size_t)n + i / (size_t)n]));
  return IG_OK;
}

/* By one thread: n^2 multiplications of a few hundred unknowns take less than starting a team. */
ig_status ig_grid_cpu_dense_solve(ig_ctx *cx, const int32_t *place, int n, const float *inverse,
                                  const float *b, float *x) {
  float *r;
  IG_TRY(IG_NEW(cx, &r, n, "coarse right-hand side"));
  for (int i = 0; i < n; i++)
    r[i] = b[place[i]];
  for (int i = 0; i < n; i++) {
    const float *row = inverse + (size_t)i * n;
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (int j = 0; j < n; j++)
      s += row[j] * r[j];
    x[place[i]] = s;
  }
  free(r);
  return IG_OK;
}
