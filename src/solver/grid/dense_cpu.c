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

enum { PIVOTS = 8 }; /* eliminated together */

/* One row by `count` pivots from k on, whose rows as they were used are `row`: their columns one
   pivot after the other, which gives the factors; then the others, each read and written once. */
static void row_eliminate(double *to, const double *row, int n, int k, const int count) {
  double f[PIVOTS];
  for (int p = 0; p < count; p++) {
    f[p] = to[k + p];
    to[k + p] = 0;
    for (int j = k; j < k + count; j++)
      to[j] -= f[p] * row[(size_t)p * n + j];
  }
  for (int side = 0; side < 2; side++) {
    const int from = side ? k + count : 0, end = side ? n : k;
#pragma omp simd
    for (int j = from; j < end; j++) {
      double v = to[j];
      for (int p = 0; p < count; p++)
        v -= f[p] * row[(size_t)p * n + j];
      to[j] = v;
    }
  }
}

/* The pivots' own rows, one pivot after the other; each as all rows use it goes to `row`. */
static void pivots_eliminate(const ig_level *l, const int32_t *place, double *a, double *row, int n,
                             int k, int count) {
  for (int p = 0; p < count; p++) {
    double *own = a + (size_t)(k + p) * n, *use = row + (size_t)p * n;
    const double d = own[k + p], whole = ig_stencil_entry(l, place[k + p], place[k + p]);
    const double pivot = d > 1e-9 * whole ? 1 / d : 0; /* nothing there, or nothing left */
    own[k + p] = 1;
    for (int j = 0; j < n; j++)
      use[j] = own[j] *= pivot;
    for (int i = 0; i < count; i++)
      if (i != p) {
        double *to = a + (size_t)(k + i) * n;
        const double f = to[k + p];
        to[k + p] = 0;
#pragma omp simd
        for (int j = 0; j < n; j++)
          to[j] -= f * use[j];
      }
  }
}

/* Gauss-Jordan in place. PIVOTS at a time, so that the matrix goes through the cache once for all
   of them; each entry has the operations of one pivot after the other. Rows in parallel. n is a few
   hundred. */
ig_status ig_grid_cpu_dense_invert(ig_ctx *cx, const ig_level *l, const int32_t *place, int n,
                                   double *a, float *inverse) {
  double *row;
  IG_TRY(IG_NEW(cx, &row, (size_t)PIVOTS * (size_t)n, "rows of pivots"));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[(size_t)i * n + j] = ig_stencil_entry(l, place[i], place[j]);
  for (int k = 0; k < n; k += PIVOTS) {
    const int count = n - k < PIVOTS ? n - k : PIVOTS;
    pivots_eliminate(l, place, a, row, n, k, count);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, (int64_t)n *n, IG_WORK_VALUE))
    for (int i = 0; i < n; i++)
      if (i >= k && i < k + count)
        continue;
      else if (count == PIVOTS)
        row_eliminate(a + (size_t)i * n, row, n, k, PIVOTS);
      else
        row_eliminate(a + (size_t)i * n, row, n, k, count);
  }
  for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
    inverse[i] = (float)(0.5 * (a[i] + a[i % (size_t)n * (size_t)n + i / (size_t)n]));
  free(row);
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
