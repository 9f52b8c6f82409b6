/* What the .cu files of the grid solver share: where nodes lie, and launches over them. Threads are
   numbered over nodes without the halo, x fastest, so that neighbours in a warp are neighbours in
   memory. */
#ifndef IG_SOLVER_LEVEL_CUH
#define IG_SOLVER_LEVEL_CUH

#include "backend/cuda/launch.cuh"
#include "kern/hd.h"
#include "solver/grid/grid_cuda.h"
#include "solver/grid/level.inc"

/* Blocks for a loop with a stride over n items: 16 per multiprocessor at most. */
static inline unsigned stride_blocks(ig_ctx *cx, int64_t n, int threads) {
  const unsigned all = ig_cuda_blocks(n, threads);
  const unsigned most = 16u * IG_CUDA_UNITS;
  return all < most ? (all ? all : 1) : most;
}

/* What kernels need of a level with a stored stencil: less than half of ig_level, which matters
   where parameters are copied at each launch. */
struct stencil_args {
  int n[3], dof, blocks;
  int64_t row, plane, stored, first, offset[IG_STENCIL_HALF];
  const float *stencil, *inverse, *scale;
  const __half *half;
};

/* Copied by value at each launch. */
static inline stencil_args stencil_of(const ig_level *l) {
  stencil_args s;
  for (int d = 0; d < 3; d++)
    s.n[d] = l->grid.n[d];
  s.dof = l->grid.dof;
  s.blocks = l->blocks;
  s.row = l->grid.row;
  s.plane = l->grid.plane;
  s.stored = l->grid.stored;
  s.first = l->grid.first;
  for (int b = 0; b < IG_STENCIL_HALF; b++)
    s.offset[b] = l->offset[b];
  s.stencil = l->stencil;
  s.inverse = l->inverse;
  s.scale = l->scale;
  s.half = l->half;
  return s;
}

/* nodes of a level in a flat range, x fastest; a grid has less than 2^31 of them. Unsigned 32-bit
   division: several times faster than that of 64 bits. */
static __device__ __forceinline__ bool node_place(const int *n, int64_t row, int64_t plane,
                                                  int64_t first, int64_t t, int *i, int64_t *at) {
  const unsigned wide = (unsigned)n[0] + 1, high = (unsigned)n[1] + 1, q = (unsigned)t / wide;
  i[0] = (int)((unsigned)t - q * wide);
  i[1] = (int)(q % high);
  i[2] = (int)(q / high);
  *at = first + i[0] + i[1] * row + i[2] * plane;
  return i[2] <= n[2];
}

/* the node a thread has to do with, false past the last one; G: a grid, or arguments with its
   members */
template <typename G> static __device__ __forceinline__ bool thread_node(const G &g, int64_t *at) {
  int i[3];
  return node_place(g.n, g.row, g.plane, g.first, blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i,
                    at);
}

/* BODY(level, place, ...) for every node */
template <auto BODY, typename... A>
static __global__ void level_nodes(const __grid_constant__ ig_level l, A... a) {
  int64_t at;
  if (thread_node(l.grid, &at))
    BODY(&l, at, a...);
}
template <auto BODY, typename... A>
static ig_status each_node(ig_ctx *cx, const ig_level *l, A... a) {
  level_nodes<BODY>
      <<<ig_cuda_blocks(ig_grid_nodes(&l->grid), 128), 128, 0, ig_cuda_stream(cx)>>>(*l, a...);
  IG_LAUNCHED(cx);
  return IG_OK;
}

#endif
