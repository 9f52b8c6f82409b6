/* Sums over a grid in space whose bits do not depend on how planes are divided between ranks.

   Values are summed in units of consecutive planes of nodes; cuts between ranks lie between units.
   A unit is cut into parts, a block of threads each, by the size of the whole grid alone. The last
   block to arrive adds the parts of each unit, eight lanes a unit, then the units one after the
   other. Where the grid is divided the host does the latter, over the units of all ranks. */
#ifndef IG_SOLVER_PLANES_CUH
#define IG_SOLVER_PLANES_CUH

#include "backend/cuda/launch.cuh"
#include "solver/grid/grid.h"
#include "solver/krylov/reduce.cuh"
extern "C" {
#include "solver/krylov/slab.h"
}

/* Blocks of values: of a grid in space, or (parts 0) of n values, in strides over all of them. A
   component's own planes are cut into units, a unit into pieces; a block of threads sums a piece.
 */
struct ig_pieces {
  int64_t first, stored;     /* of the first own value; from one component to the next */
  int64_t own, unit, length; /* values of a component, a unit, a piece of one */
  int units, pieces, parts;  /* own units; pieces of one; the same over all components */
};

/* The range of values of one thread: begin, begin + stride, ... below end. */
struct ig_walk {
  int64_t begin, end, stride;
  int unit, part;
};

/* `planes` own planes of `plane` values, of `all` planes of the whole; about `blocks` blocks for
   that, pieces of a multiple of `least` values; `room`: partial sums there is space for, of `each`
   values. parts 0 in the result: there is not enough, or the grid has no planes. */
static inline ig_pieces ig_pieces_cut(int64_t plane, int planes, int all, int group, int components,
                                      int64_t blocks, int64_t least, int each, int64_t room) {
  ig_pieces p = {};
  /* by the whole's size alone: on any number of ranks pieces have one length */
  const int64_t whole = plane * all * components, want = (whole / blocks + least) / least * least;
  p.own = plane * planes;
  p.unit = plane * group;
  p.length = want < p.unit ? want : p.unit;
  p.units = (planes + group - 1) / group;
  p.pieces = (int)((p.unit + p.length - 1) / p.length);
  p.parts = p.pieces * components;
  if (each * (int64_t)((all + group - 1) / group) * (p.parts + 1) > room)
    p.parts = 0;
  return p;
}

/* Of n values over a grid, component after component; NULL or plane: over nothing in particular. */
static inline ig_pieces ig_pieces_of(const ig_grid *g, int64_t n, int each, int64_t room) {
  ig_pieces p = {};
  if (!g || g->dim != 3)
    return p;
  p = ig_pieces_cut(g->plane, g->n[2] + 1, g->all + 1, IG_SLAB_GROUP, (int)(n / g->stored),
                    16 * IG_CUDA_UNITS, 256, each, room);
  p.first = g->ghosts * g->plane;
  p.stored = g->stored;
  return p;
}

/* Blocks to launch; `most` of a loop with a stride over n values. */
static inline unsigned ig_pieces_blocks(const ig_pieces *p, unsigned most) {
  return p->parts ? (unsigned)p->units * (unsigned)p->parts : most;
}

/* What a block walks through: thread of a row of `threads`. */
static __device__ __forceinline__ ig_walk ig_pieces_walk(const ig_pieces &p, int64_t n) {
  ig_walk w = {blockIdx.x * (int64_t)blockDim.x + threadIdx.x, n, (int64_t)gridDim.x * blockDim.x,
               0, 0};
  if (p.parts) {
    const int piece = blockIdx.x % p.pieces, rest = blockIdx.x / p.pieces;
    const int component = rest / p.units;
    w.unit = rest % p.units;
    w.part = component * p.pieces + piece;
    const int64_t from = w.unit * p.unit + piece * p.length;
    int64_t to = from + p.length < (w.unit + 1) * p.unit ? from + p.length : (w.unit + 1) * p.unit;
    to = to < p.own ? to : p.own;
    w.begin = p.first + component * p.stored + from + threadIdx.x;
    w.end = p.first + component * p.stored + to;
    w.stride = blockDim.x;
  }
  return w;
}

/* Where the sums of the units are, [unit][each]. */
static inline __host__ __device__ double *ig_unit_sums(double *partial, int each, int units,
                                                       int parts) {
  return partial + (int64_t)each * units * parts;
}

/* One block's share of a unit: [each][unit][part]. */
template <int N>
static __device__ __forceinline__ void ig_unit_leave(const double *v, int units, int parts,
                                                     int unit, int part, double *partial) {
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
#pragma unroll
  for (int q = 0; q < N; q++) {
    const double s = ig_block_sum_of(N, v[q]);
    if (thread == 0)
      partial[((int64_t)q * units + unit) * parts + part] = s;
  }
}

/* True in every thread of the block that arrives last, with the sums in total (valid in thread 0).
   Blocks have full warps. The counter `arrived` is 0 again at the end, for the next launch; fences
   make the other blocks' partial sums visible before they are read. */
template <int N>
static __device__ __forceinline__ bool ig_unit_meet(int units, int parts, double *partial,
                                                    unsigned *arrived, double *total) {
  __shared__ bool last;
  enum { LANES = 8 };
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z, lane = thread % LANES;
  if (thread == 0) {
    __threadfence();
    last = atomicAdd(arrived, 1u) == blocks - 1;
  }
  __syncthreads();
  if (!last)
    return false;
  __threadfence();
  /* behind the parts: what ranks exchange */
  double *sums = ig_unit_sums(partial, N, units, parts);
  /* all lanes of a warp go on together: shuffles need them */
  for (int at = thread / LANES; at - thread % 32 / LANES < N * units; at += threads / LANES) {
    double s = 0;
    if (at < N * units) {
      const volatile double *from = partial + (int64_t)at * parts;
#pragma unroll 4
      for (int p = lane; p < parts; p += LANES)
        s += from[p];
    }
#pragma unroll
    for (int o = LANES / 2; o; o >>= 1)
      s += __shfl_down_sync(0xffffffffu, s, o);
    if (at < N * units && lane == 0)
      sums[at % units * N + at / units] = s;
  }
  __syncthreads();
  if (thread < 32) { /* loads of 32 units at once, sums one after the other */
#pragma unroll(N > 4 ? 1 : N)
    for (int q = 0; q < N; q++) {
      total[q] = 0;
      for (int first = 0; first < units; first += 32) {
        const double v = first + thread < units ? sums[(first + thread) * N + q] : 0;
        const int count = units - first < 32 ? units - first : 32;
        for (int u = 0; u < count; u++)
          total[q] += __shfl_sync(0xffffffffu, v, u);
      }
    }
  }
  if (thread == 0)
    *arrived = 0;
  return true;
}

/* The sums of all blocks' walks, in either way. */
template <int N>
static __device__ __forceinline__ bool ig_pieces_sums(const ig_pieces &p, const ig_walk &w,
                                                      const double *v, double *partial,
                                                      unsigned *arrived, double *total) {
  if (!p.parts)
    return ig_grid_sums<N>(v, partial, arrived, total);
  ig_unit_leave<N>(v, p.units, p.parts, w.unit, w.part, partial);
  return ig_unit_meet<N>(p.units, p.parts, partial, arrived, total);
}

/* Of a divided grid: the sums of all ranks, in host memory and, where it is not NULL, at `device`
   too. `partial` is where the launch left its own. */
static inline ig_status ig_pieces_join(ig_ctx *cx, const ig_pieces *p, ig_slab *slab, int level,
                                       int group, int each, double *partial, double *sum,
                                       double *device) {
  if (!p->parts)
    ig_slab_fail(slab, IG_FAIL(cx, IG_UNSUPPORTED,
                               "the grid has too many planes for sums over ranks on a GPU"));
  IG_TRY(ig_slab_total_device(slab, level, group, each,
                              p->parts ? ig_unit_sums(partial, each, p->units, p->parts) : NULL,
                              sum));
  if (device)
    IG_SLAB_TRY(slab, cx->backend->copy_in(cx, device, sum, (size_t)each * sizeof *sum));
  return IG_OK;
}

#endif
