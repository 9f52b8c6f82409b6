/* A multigrid cycle on the CPU. */
#include "backend/backend.h"
#include "kern/hd.h"
#include "topopt/mesh_amg.h"
#include "topopt/mesh_amg_kern.inc"

static ig_status product(ig_ctx *cx, const ig_bsr *a, bool add, const float *x, float *y) {
  const int64_t rows = (int64_t)a->rows * a->br;
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t i = 0; i < rows; i++)
    y[i] = (add ? y[i] : 0) + ig_bsr_row(a, i, 0, 1, x);
  return IG_OK;
}

static ig_status smooth(ig_ctx *cx, int32_t nodes, int size, const float *inverse,
                        const double *spring, const float *b, const float *ax, bool first, float c0,
                        float c1, float *d, float *x) {
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int32_t n = 0; n < nodes; n++)
    ig_amg_smooth_node(n, size, inverse, spring, b, ax, first, c0, c1, d, x);
  return IG_OK;
}

static ig_status residual(ig_ctx *cx, int64_t n, const double *spring, const float *b,
                          const float *x, float *ax) {
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t i = 0; i < n; i++)
    ax[i] = b[i] - ax[i] - (spring ? (float)spring[i] * x[i] : 0);
  return IG_OK;
}

static ig_status dense(ig_ctx *cx, int n, const float *m, const float *b, float *x) {
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int i = 0; i < n; i++)
    x[i] = ig_amg_dense_row(n, i, 0, 1, m, b);
  return IG_OK;
}

static ig_status to_single(ig_ctx *cx, int64_t n, const double *x, float *y) {
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t i = 0; i < n; i++)
    y[i] = (float)x[i];
  return IG_OK;
}

const ig_amg_ops ig_amg_cpu = {product, smooth, residual, dense, to_single};
