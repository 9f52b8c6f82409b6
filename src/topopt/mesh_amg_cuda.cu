/* A multigrid cycle on the GPU. */
#include "topopt/mesh_amg_cuda.h"
#include "backend/cuda/launch.cuh"
#include "kern/hd.h"
#include "topopt/mesh_amg_kern.inc"

static __device__ float warp_sum(float s) {
  for (int d = 16; d; d /= 2)
    s += __shfl_xor_sync(0xffffffffu, s, d);
  return s;
}

/* a warp a row */
static __global__ void product_pass(ig_bsr a, bool add, const float *x, float *y) {
  const int64_t row = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= (int64_t)a.rows * a.br)
    return;
  const float s = warp_sum(ig_bsr_row(&a, row, lane, 32, x));
  if (lane == 0)
    y[row] = (add ? y[row] : 0) + s;
}
extern "C" ig_status ig_amg_product_cuda(ig_ctx *cx, const ig_bsr *a, bool add, const float *x,
                                         float *y) {
  product_pass<<<ig_cuda_blocks(32 * (int64_t)a->rows * a->br, 128), 128, 0, ig_cuda_stream(cx)>>>(
      *a, add, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

template <int SIZE>
static __global__ void smooth_pass(int32_t nodes, const float *inverse, const double *spring,
                                   const float *b, const float *ax, bool first, float c0, float c1,
                                   float *d, float *x) {
  const int32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < nodes)
    ig_amg_smooth_node(n, SIZE, inverse, spring, b, ax, first, c0, c1, d, x);
}
extern "C" ig_status ig_amg_smooth_cuda(ig_ctx *cx, int32_t nodes, int size, const float *inverse,
                                        const double *spring, const float *b, const float *ax,
                                        bool first, float c0, float c1, float *d, float *x) {
  const unsigned blocks = ig_cuda_blocks(nodes, 128);
  if (size == 3)
    smooth_pass<3><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(nodes, inverse, spring, b, ax, first, c0,
                                                           c1, d, x);
  else
    smooth_pass<IG_AMG_BLOCK><<<blocks, 128, 0, ig_cuda_stream(cx)>>>(nodes, inverse, spring, b, ax,
                                                                      first, c0, c1, d, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void residual_pass(int64_t n, const double *spring, const float *b,
                                     const float *x, float *ax) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    ax[i] = b[i] - ax[i] - (spring ? (float)spring[i] * x[i] : 0);
}
extern "C" ig_status ig_amg_residual_cuda(ig_ctx *cx, int64_t n, const double *spring,
                                          const float *b, const float *x, float *ax) {
  residual_pass<<<ig_cuda_blocks(n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, spring, b, x, ax);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void dense_pass(int n, const float *m, const float *b, float *x) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n)
    return;
  const float s = warp_sum(ig_amg_dense_row(n, row, lane, 32, m, b));
  if (lane == 0)
    x[row] = s;
}
extern "C" ig_status ig_amg_dense_cuda(ig_ctx *cx, int n, const float *m, const float *b,
                                       float *x) {
  dense_pass<<<ig_cuda_blocks(32 * (int64_t)n, 128), 128, 0, ig_cuda_stream(cx)>>>(n, m, b, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void single_pass(int64_t n, const double *x, float *y) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = (float)x[i];
}
extern "C" ig_status ig_amg_single_cuda(ig_ctx *cx, int64_t n, const double *x, float *y) {
  single_pass<<<ig_cuda_blocks(n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}
