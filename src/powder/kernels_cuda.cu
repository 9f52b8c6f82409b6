/* Kernels of the powder bed on the GPU: a thread per cell, face or column, made from the lists in
   view.h; and what overlaps with the fine steps: the coarse step runs on a stream of its own.

        main stream   near looks | fine steps ............... | after (cross, mean, pools)
        side stream              fork -> far looks, coarse step -> join */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "powder/view.h"
}

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/beam.inc"
#include "powder/places.inc"
#include "powder/events.inc"
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

/* A warp per coarse cell of the window, then a warp per face of coarse cells around it, then, from
   block `pool` on, a thread per fine cell. The block that is done last sums up the pools. */
__global__ void __launch_bounds__(THREADS)
    powder_after_all(const __grid_constant__ ig_powder_view v, int boxes, int faces, unsigned pool,
                     int64_t cells, bool last) {
  const int lane = (int)threadIdx.x % 32, *b = v.w.box.size, *f = v.w.fine.n;
  if (blockIdx.x < pool) {
    const int item = (int)((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    const int levels = item < boxes ? powder_mean_levels(&v, item / b[0] / b[1]) : 0;
    int solid = 0, c[3];
    powder_cross_faces on = {0, 1, 0, 0};
    double sum = 0;
    const bool there =
        item >= boxes && item < boxes + faces && powder_cross_at(&v, item - boxes, c, &on);
    if (item < boxes)
      sum = powder_mean_part(&v, item % b[0], item / b[0] % b[1], item / b[0] / b[1], levels, lane,
                             32, &solid);
    else if (there)
      sum = powder_cross_part(&v, &on, lane, 32);
    for (int to = 16; to; to /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, to);
      solid += __shfl_xor_sync(0xffffffffu, solid, to);
    }
    if (lane == 0 && item < boxes)
      powder_mean_put(&v, item % b[0], item / b[0] % b[1], item / b[0] / b[1], levels, sum, solid);
    if (lane == 0 && there)
      powder_cross_put(&v, c, sum);
  } else {
    const int64_t i = (int64_t)(blockIdx.x - pool) * blockDim.x + threadIdx.x;
    double T = i < cells ? powder_pool_T(&v, (int)(i % f[0]), (int)(i / f[0] % f[1]),
                                         (int)(i / f[0] / f[1]))
                         : 0;
    for (int to = 16; to; to /= 2) {
      const double other = __shfl_xor_sync(0xffffffffu, T, to);
      T = T > other ? T : other;
    }
    if (lane == 0)
      powder_pool_hottest(&v, T);
  }
  if (!last)
    return;
  __threadfence();
  __syncthreads();
  int *done = &v.molten[IG_MOLTEN_DONE];
  if (threadIdx.x == 0 && atomicAdd(done, 1) == (int)gridDim.x - 1) {
    __threadfence();
    powder_pool_done(&v, 0);
    *done = 0;
  }
}

/* Everything goes to the context's stream and is queued; the view is copied with each launch. */
extern "C" ig_status ig_powder_do_cuda(ig_ctx *cx, const ig_powder_view *v, ig_powder_do what,
                                       const int64_t *n) {
  const int64_t all = n[0] * n[1] * n[2];
  const unsigned blocks = ig_cuda_blocks(all, THREADS);
  if (all == 0)
    return IG_OK;
  switch (what) {
#define X(name, where)                                                                             \
  case IG_POWDER_KERNEL_##name:                                                                    \
    powder_##name##_all<<<blocks, THREADS, 0, ig_cuda_stream(cx)>>>(*v, (int)n[0], (int)n[1],      \
                                                                    all);                          \
    break;
    IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name)                                                                                    \
  case IG_POWDER_KERNEL_##name:                                                                    \
    powder_##name##_all<<<blocks, THREADS, 0, ig_cuda_stream(cx)>>>(*v, all);                      \
    break;
    IG_POWDER_ITEMS(X)
#undef X
  }
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Marks the place on the main stream after which the coarse step may run; streams and events are
   made once. */
extern "C" ig_status ig_powder_fork_cuda(ig_ctx *cx, ig_powder_cluster *is) {
  if (!is->side) {
    cudaStream_t side;
    cudaEvent_t fork, join;
    IG_CUDA(cx, cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    is->side = side;
    IG_CUDA(cx, cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    is->fork = fork;
    IG_CUDA(cx, cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    is->join = join;
  }
  IG_CUDA(cx, cudaEventRecord((cudaEvent_t)is->fork, ig_cuda_stream(cx)));
  return IG_OK;
}

/* The coarse step reads T and resist of coarse cells and writes heat; fine steps read T of coarse
   cells only at their start (ghosts): both may overlap. The main stream waits for it before
   `after`. */
extern "C" ig_status ig_powder_coarse_cuda(ig_ctx *cx, const ig_powder_view *v,
                                           ig_powder_cluster *is) {
  const cudaStream_t side = (cudaStream_t)is->side;
  const int *n = v->coarse.n;
  const int64_t all = (int64_t)n[0] * n[1] * ig_powder_filled(v, 2);
  IG_CUDA(cx, cudaStreamWaitEvent(side, (cudaEvent_t)is->fork, 0));
  powder_far_all<<<ig_cuda_blocks(all, THREADS), THREADS, 0, side>>>(*v, n[0], n[1], all);
  IG_LAUNCHED(cx);
  powder_coarse_step_all<<<ig_cuda_blocks(all, THREADS), THREADS, 0, side>>>(*v, n[0], n[1], all);
  IG_LAUNCHED(cx);
  IG_CUDA(cx, cudaEventRecord((cudaEvent_t)is->join, side));
  IG_CUDA(cx, cudaStreamWaitEvent(ig_cuda_stream(cx), (cudaEvent_t)is->join, 0));
  return IG_OK;
}

extern "C" ig_status ig_powder_after_cuda(ig_ctx *cx, const ig_powder_view *v, bool last) {
  const int *b = v->w.box.size, *f = v->w.fine.n;
  const int boxes = b[0] * b[1] * b[2], faces = 2 * (b[0] * b[1] + b[1] * b[2] + b[2] * b[0]);
  const int64_t cells = (int64_t)f[0] * f[1] * f[2];
  const unsigned pool = ig_cuda_blocks(32 * ((int64_t)boxes + faces), THREADS);
  powder_after_all<<<pool + ig_cuda_blocks(cells, THREADS), THREADS, 0, ig_cuda_stream(cx)>>>(
      *v, boxes, faces, pool, cells, last);
  IG_LAUNCHED(cx);
  return IG_OK;
}

extern "C" void ig_powder_cluster_close(ig_powder_cluster *is) {
  if (is->side)
    cudaStreamDestroy((cudaStream_t)is->side);
  if (is->fork)
    cudaEventDestroy((cudaEvent_t)is->fork);
  if (is->join)
    cudaEventDestroy((cudaEvent_t)is->join);
  is->side = is->fork = is->join = NULL;
}
