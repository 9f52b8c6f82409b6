/* Kernels of the powder bed on the GPU: a thread per cell, face or column. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "powder/view.h"
}

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/beam.inc"
#include "powder/places.inc"
#include "powder/cells.inc"

enum { THREADS = 128 };

#define X(name, where)                                                                             \
  __global__ void __launch_bounds__(THREADS)                                                       \
      powder_##name##_all(const __grid_constant__ ig_powder_view v, int nx, int ny, int64_t n) {   \
    const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;                              \
    if (c < n)                                                                                     \
      powder_##name(&v, (int)(c % nx), (int)(c / nx % ny), (int)(c / nx / ny));                    \
  }
IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name)                                                                                    \
  __global__ void __launch_bounds__(THREADS)                                                       \
      powder_##name##_all(const __grid_constant__ ig_powder_view v, int64_t n) {                   \
    const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;                              \
    if (c < n)                                                                                     \
      powder_##name(&v, c);                                                                        \
  }
IG_POWDER_ITEMS(X)
#undef X

/* A warp per coarse cell. */
__global__ void __launch_bounds__(THREADS)
    powder_mean_warps(const __grid_constant__ ig_powder_view v, int nx, int ny, int64_t n) {
  const int64_t c = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = (int)threadIdx.x % 32;
  if (c >= n)
    return;
  const int i = (int)(c % nx), j = (int)(c / nx % ny), k = (int)(c / nx / ny);
  const int levels = powder_mean_levels(&v, k);
  int solid = 0;
  double sum = powder_mean_part(&v, i, j, k, levels, lane, 32, &solid);
  for (int to = 16; to; to /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, to);
    solid += __shfl_xor_sync(0xffffffffu, solid, to);
  }
  if (lane == 0)
    powder_mean_put(&v, i, j, k, levels, sum, solid);
}

extern "C" ig_status ig_powder_do_cuda(ig_ctx *cx, const ig_powder_view *v, ig_powder_do what,
                                       const int64_t *n) {
  const int64_t all = n[0] * n[1] * n[2];
  const unsigned blocks = ig_cuda_blocks(all, THREADS);
  if (all == 0)
    return IG_OK;
  if (what == IG_DO_mean) {
    powder_mean_warps<<<ig_cuda_blocks(32 * all, THREADS), THREADS, 0, ig_cuda_stream(cx)>>>(
        *v, (int)n[0], (int)n[1], all);
    IG_LAUNCHED(cx);
    return IG_OK;
  }
  switch (what) {
#define X(name, where)                                                                             \
  case IG_DO_##name:                                                                               \
    powder_##name##_all<<<blocks, THREADS, 0, ig_cuda_stream(cx)>>>(*v, (int)n[0], (int)n[1],      \
                                                                    all);                          \
    break;
    IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name)                                                                                    \
  case IG_DO_##name:                                                                               \
    powder_##name##_all<<<blocks, THREADS, 0, ig_cuda_stream(cx)>>>(*v, all);                      \
    break;
    IG_POWDER_ITEMS(X)
#undef X
  }
  IG_LAUNCHED(cx);
  return IG_OK;
}
