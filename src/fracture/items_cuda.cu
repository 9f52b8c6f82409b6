/* CUDA: the item kernels, compaction, taking nodes apart. */
#include "fracture/items_cuda.h"
#include "assembly/cluster_sum.cuh"
#include "assembly/scatter.h"
#include "backend/cuda/launch.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

enum { IG_FRAC_THREADS = 128, IG_FRAC_BLOCKS_PER_SM = 32, IG_FRAC_APART_BLOCKS = 16 };
typedef cub::BlockScan<int32_t, IG_FRAC_APART> apart_scan;
typedef void ig_frac_apart(const ig_frac_state s);
/* Blocks that must fit on a multiprocessor: where the compiler would rather spill than use
   registers it is told that one will do; 0 leaves it alone. */
#define IG_FRAC_BLOCKS(name)                                                                       \
  (IG_FRAC_##name == IG_FRAC_node || IG_FRAC_##name == IG_FRAC_figures ||                          \
           IG_FRAC_##name == IG_FRAC_border || IG_FRAC_##name == IG_FRAC_move ||                   \
           IG_FRAC_##name == IG_FRAC_contact || IG_FRAC_##name == IG_FRAC_check ||                 \
           IG_FRAC_##name == IG_FRAC_part || IG_FRAC_##name == IG_FRAC_split ||                    \
           IG_FRAC_##name == IG_FRAC_open || IG_FRAC_##name == IG_FRAC_press ||                    \
           IG_FRAC_##name == IG_FRAC_react || IG_FRAC_##name == IG_FRAC_overlap                    \
       ? 1                                                                                         \
       : 0)
typedef void ig_frac_kernel(const ig_frac_state s, int64_t begin, int64_t n);

/* The last block to finish its nodes counts the step: spares a launch of its own. */
static __device__ __forceinline__ void ig_frac_ticket(ig_frac_count *count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(&count->ticket, 1) == (int)gridDim.x - 1) {
      count->ticket = 0;
      count->step += !count->full;
    }
  }
}

/* Sums of what comes before tile t of a sequence, whose own sum is `sum`; called by one warp. A
   word of `chain` is 0 at first, then a tile's own sum, then that of all up to it (1 and 2 in its
   upper half). Tiles are taken in order, so the ones before this one are finished or at work. */
static __device__ __forceinline__ int32_t ig_frac_before(uint64_t *chain, int32_t t, int32_t sum) {
  volatile uint64_t *word = chain;
  const int lane = (int)threadIdx.x;
  int32_t before = 0;
  if (lane == 0)
    word[t] = (uint64_t)(t ? 1 : 2) << 32 | (uint32_t)sum;
  for (int32_t at = t - 1; at >= 0; at -= 32) {
    uint64_t seen;
    do
      seen = at - lane >= 0 ? word[at - lane] : (uint64_t)2 << 32;
    while (__any_sync(~0u, seen >> 32 == 0));
    const unsigned whole = __ballot_sync(~0u, seen >> 32 == 2);
    const int last = whole ? __ffs((int)whole) - 1 : 31;
    before += __reduce_add_sync(~0u, lane <= last ? (int32_t)(uint32_t)seen : 0);
    if (whole)
      break;
  }
  if (lane == 0 && t)
    word[t] = (uint64_t)2 << 32 | (uint32_t)(before + sum);
  return before;
}

#define IG_FRAC_DRIVERS "fracture/items_cuda.inc"
#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "material/cohesive.inc"
#include "fracture/types.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "material/cohesive.inc"
#include "fracture/types.inc"

static ig_frac_kernel *const *const tables[2][4] = {
    {tri3_kernels_f32, tri6_kernels_f32, tet4_kernels_f32, tet10_kernels_f32},
    {tri3_kernels_f64, tri6_kernels_f64, tet4_kernels_f64, tet10_kernels_f64}};

ig_status ig_frac_cuda_run(ig_ctx *cx, int kind, int wide, ig_frac_item item,
                           const ig_frac_state *s, int64_t begin, int64_t n) {
  if (item == IG_FRAC_advance || n == 0)
    return IG_OK; /* a step is counted with the last node */
  const int64_t most = n < 0 ? -n : n;
  ig_frac_kernel *const kernel = tables[wide][kind][item];
  if (item >= IG_FRAC_ITEM_KINDS) { /* a block an item */
    kernel<<<(unsigned)most, IG_FRAC_PATCH, 0, ig_cuda_stream(cx)>>>(*s, begin, n);
    IG_LAUNCHED(cx);
    return IG_OK;
  }
  const unsigned all = ig_cuda_blocks(most, IG_FRAC_THREADS);
  const unsigned cap = (unsigned)ig_cuda_of(cx)->multiprocessors * IG_FRAC_BLOCKS_PER_SM;
  const unsigned blocks = all < cap ? all : cap;
  kernel<<<blocks, IG_FRAC_THREADS, 0, ig_cuda_stream(cx)>>>(*s, begin, n);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Compactions of numbers only the device knows, in two passes: sums of
   stretches, which the last block to finish adds up; then each stretch in itself. The order of
   additions is fixed. */
enum { SCAN_THREADS = 256, SCAN_SUMS = 8, FLAGS_EACH = 16 };
typedef cub::BlockScan<int32_t, SCAN_THREADS> block_scan;
typedef cub::BlockReduce<int32_t, SCAN_THREADS> block_reduce;
union scan_temp {
  block_reduce::TempStorage reduce;
  block_scan::TempStorage scan;
};

/* All blocks come here when their stretches are summed up: the last makes sums[b] what comes before
   stretch b, up to sums[stretches], all there is. */
static __device__ void sums_finish(const ig_frac_state &s, int32_t stretches, scan_temp &temp,
                                   int32_t *found) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&s.count->ticket, 1) == (int)gridDim.x - 1;
  }
  __syncthreads();
  if (!last)
    return;
  __threadfence();
  int32_t before = 0;
  for (int32_t b = 0; b < stretches; b += SCAN_THREADS * SCAN_SUMS) {
    const int32_t at = b + threadIdx.x * SCAN_SUMS;
    int32_t mine[SCAN_SUMS], all;
    for (int k = 0; k < SCAN_SUMS; k++)
      mine[k] = at + k < stretches ? __ldcg(s.grow.sums + at + k) : 0;
    block_scan(temp.scan).ExclusiveSum(mine, mine, all);
    for (int k = 0; k < SCAN_SUMS; k++)
      if (at + k < stretches)
        s.grow.sums[at + k] = before + mine[k];
    before += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    s.grow.sums[stretches] = before;
    s.count->ticket = 0;
    if (found)
      *found = before;
  }
}

/* Sixteen flags, each 0 or 1, from `at` on. */
static __device__ __forceinline__ uint4 flags_get(const uint8_t *flag, int64_t n, int64_t at) {
  uint4 w = {0, 0, 0, 0};
  if (at + FLAGS_EACH <= n)
    w = *(const uint4 *)(flag + at);
  else
    for (int k = 0; at + k < n; k++)
      (&w.x)[k / 4] |= (uint32_t)flag[at + k] << 8 * (k % 4);
  return w;
}
static __device__ __forceinline__ int32_t flags_sum(uint4 w) {
  return __dp4a(w.x, 0x01010101u,
                __dp4a(w.y, 0x01010101u, __dp4a(w.z, 0x01010101u, __dp4a(w.w, 0x01010101u, 0u))));
}

static __global__ void __launch_bounds__(SCAN_THREADS)
    flags_count(const __grid_constant__ ig_frac_state s, const uint8_t *flag, int64_t n,
                int32_t stretches, int32_t *found) {
  __shared__ scan_temp temp;
  for (int32_t b = blockIdx.x; b < stretches; b += gridDim.x) {
    const int64_t at = ((int64_t)b * SCAN_THREADS + threadIdx.x) * FLAGS_EACH;
    const int32_t sum =
        block_reduce(temp.reduce).Sum(at < n ? flags_sum(flags_get(flag, n, at)) : 0);
    if (threadIdx.x == 0)
      s.grow.sums[b] = sum;
    __syncthreads();
  }
  sums_finish(s, stretches, temp, found);
}
static __global__ void __launch_bounds__(SCAN_THREADS)
    flags_list(const __grid_constant__ ig_frac_state s, const uint8_t *flag, int64_t n,
               int32_t stretches, int32_t *list, int32_t chain) {
  __shared__ block_scan::TempStorage temp;
  for (int32_t i = blockIdx.x * SCAN_THREADS + threadIdx.x; i < chain;
       i += gridDim.x * SCAN_THREADS)
    s.grow.chain[i] = 0; /* for the pass that follows */
  for (int32_t b = blockIdx.x; b < stretches; b += gridDim.x) {
    const int32_t before = s.grow.sums[b];
    if (s.grow.sums[b + 1] == before)
      continue;
    const int64_t at = ((int64_t)b * SCAN_THREADS + threadIdx.x) * FLAGS_EACH;
    const uint4 w = at < n ? flags_get(flag, n, at) : make_uint4(0, 0, 0, 0);
    int32_t to;
    block_scan(temp).ExclusiveSum(flags_sum(w), to);
    to += before;
    const uint32_t word[4] = {w.x, w.y, w.z, w.w};
    IG_UNROLL
    for (int k = 0; k < FLAGS_EACH; k++)
      if (word[k / 4] >> 8 * (k % 4) & 1)
        list[to++] = (int32_t)(at + k);
    __syncthreads();
  }
}
ig_status ig_frac_cuda_compact(ig_ctx *cx, const ig_frac_state *s, const uint8_t *flag, int64_t n,
                               int32_t *list, int32_t *found) {
  const unsigned all = ig_cuda_blocks(n, SCAN_THREADS * FLAGS_EACH);
  const unsigned cap = (unsigned)ig_cuda_of(cx)->multiprocessors * 8;
  const unsigned blocks = all < cap ? all : cap;
  flags_count<<<blocks, SCAN_THREADS, 0, ig_cuda_stream(cx)>>>(*s, flag, n, (int32_t)all, found);
  IG_LAUNCHED(cx);
  const int32_t chain = list == s->grow.touched ? s->node_max / IG_FRAC_APART + 1 : 0;
  flags_list<<<blocks, SCAN_THREADS, 0, ig_cuda_stream(cx)>>>(*s, flag, n, (int32_t)all, list,
                                                              chain);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static ig_frac_apart *const apart[2][4] = {
    {tri3_kernel_apart_f32, tri6_kernel_apart_f32, tet4_kernel_apart_f32, tet10_kernel_apart_f32},
    {tri3_kernel_apart_f64, tri6_kernel_apart_f64, tet4_kernel_apart_f64, tet10_kernel_apart_f64}};

ig_status ig_frac_cuda_apart(ig_ctx *cx, int kind, int wide, const ig_frac_state *s) {
  const unsigned all = ig_cuda_blocks(s->node_max, IG_FRAC_APART);
  const unsigned cap = (unsigned)ig_cuda_of(cx)->multiprocessors * IG_FRAC_APART_BLOCKS;
  const unsigned blocks = all < cap ? all : cap;
  ig_frac_apart *kernel = apart[wide][kind];
  kernel<<<blocks, IG_FRAC_APART, 0, ig_cuda_stream(cx)>>>(*s);
  IG_LAUNCHED(cx);
  return IG_OK;
}
