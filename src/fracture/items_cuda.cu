/* CUDA: the item kernels, compaction and running sums. */
#include "fracture/items_cuda.h"
#include "assembly/scatter.h"
#include "backend/cuda/launch.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

enum { IG_FRAC_THREADS = 128, IG_FRAC_BLOCKS_PER_SM = 32 };
/* Blocks that must fit on a multiprocessor: where the compiler would rather spill than use
   registers it is told that one will do; 0 leaves it alone. */
#define IG_FRAC_BLOCKS(name)                                                                       \
  (IG_FRAC_##name == IG_FRAC_node || IG_FRAC_##name == IG_FRAC_figures ||                          \
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

#define IG_FRAC_DRIVERS "fracture/items_cuda.inc"
#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "material/cohesive.inc"
#include "fracture/types.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
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
  const unsigned all = ig_cuda_blocks(most, IG_FRAC_THREADS);
  const unsigned cap = (unsigned)ig_cuda_of(cx)->multiprocessors * IG_FRAC_BLOCKS_PER_SM;
  const unsigned blocks = all < cap ? all : cap;
  ig_frac_kernel *kernel = tables[wide][kind][item];
  kernel<<<blocks, IG_FRAC_THREADS, 0, ig_cuda_stream(cx)>>>(*s, begin, n);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Compactions and running sums of numbers only the device knows, each in two passes: sums of
   stretches, which the last block to finish adds up; then each stretch in itself. The order of
   additions is fixed. */
enum {
  SCAN_THREADS = 256,
  SCAN_EACH = IG_FRAC_SCAN / SCAN_THREADS,
  SCAN_SUMS = 8,
  FLAGS_EACH = 16
};
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
               int32_t stretches, int32_t *list) {
  __shared__ block_scan::TempStorage temp;
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
  flags_list<<<blocks, SCAN_THREADS, 0, ig_cuda_stream(cx)>>>(*s, flag, n, (int32_t)all, list);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static __global__ void __launch_bounds__(SCAN_THREADS)
    scan_stretches(const __grid_constant__ ig_frac_state s) {
  __shared__ scan_temp temp;
  const int32_t n = s.count->touched, stretches = (n + IG_FRAC_SCAN - 1) / IG_FRAC_SCAN;
  for (int32_t b = blockIdx.x; b < stretches; b += gridDim.x) {
    int32_t sum = 0;
    for (int k = 0; k < SCAN_EACH; k++) {
      const int32_t i = b * IG_FRAC_SCAN + k * SCAN_THREADS + threadIdx.x;
      sum += i < n ? s.grow.extra[i] : 0;
    }
    sum = block_reduce(temp.reduce).Sum(sum);
    if (threadIdx.x == 0)
      s.grow.sums[b] = sum;
    __syncthreads();
  }
  sums_finish(s, stretches, temp, NULL);
}
static __global__ void __launch_bounds__(SCAN_THREADS)
    scan_within(const __grid_constant__ ig_frac_state s) {
  __shared__ block_scan::TempStorage temp;
  const int32_t n = s.count->touched;
  for (int32_t b = blockIdx.x; b * (int64_t)IG_FRAC_SCAN < n; b += gridDim.x) {
    int32_t mine[SCAN_EACH];
    const int32_t at = b * IG_FRAC_SCAN + threadIdx.x * SCAN_EACH;
    for (int k = 0; k < SCAN_EACH; k++)
      mine[k] = at + k < n ? s.grow.extra[at + k] : 0;
    block_scan(temp).InclusiveSum(mine, mine);
    for (int k = 0; k < SCAN_EACH; k++)
      if (at + k < n)
        s.grow.extra[at + k] = s.grow.sums[b] + mine[k];
    __syncthreads();
  }
}
ig_status ig_frac_cuda_scan(ig_ctx *cx, const ig_frac_state *s) {
  const unsigned all = ig_cuda_blocks(s->node_max, IG_FRAC_SCAN);
  const unsigned cap = (unsigned)ig_cuda_of(cx)->multiprocessors * 4;
  const unsigned blocks = all < cap ? all : cap;
  scan_stretches<<<blocks, SCAN_THREADS, 0, ig_cuda_stream(cx)>>>(*s);
  IG_LAUNCHED(cx);
  scan_within<<<blocks, SCAN_THREADS, 0, ig_cuda_stream(cx)>>>(*s);
  IG_LAUNCHED(cx);
  return IG_OK;
}
