/* CUDA: the item kernels, compaction, taking nodes apart. */
#include "fracture/kernels/items_cuda.h"
#include "assembly/cluster_sum.cuh"
#include "assembly/scatter.h"
#include "backend/cuda/launch.cuh"

#include <cub/block/block_scan.cuh>

/* 128 threads a block; 32 blocks per multiprocessor bound a grid-stride launch whose size the
   host does not know. */
enum { IG_FRAC_THREADS = 128, IG_FRAC_BLOCKS_PER_SM = 32, IG_FRAC_APART_BLOCKS = 16 };
typedef cub::BlockScan<int32_t, IG_FRAC_APART> apart_scan;
typedef void ig_frac_apart(const ig_frac_state s);
/* Blocks that must fit on a multiprocessor: where the compiler would rather spill than use
   registers one is demanded; 0 leaves it to the compiler. */
#define IG_FRAC_BLOCKS(name)                                                                       \
  (IG_FRAC_##name == IG_FRAC_node || IG_FRAC_##name == IG_FRAC_figures ||                          \
           IG_FRAC_##name == IG_FRAC_bulk_row || IG_FRAC_##name == IG_FRAC_node_row ||             \
           IG_FRAC_##name == IG_FRAC_crack_row || IG_FRAC_##name == IG_FRAC_border ||              \
           IG_FRAC_##name == IG_FRAC_move || IG_FRAC_##name == IG_FRAC_contact ||                  \
           IG_FRAC_##name == IG_FRAC_check || IG_FRAC_##name == IG_FRAC_part ||                    \
           IG_FRAC_##name == IG_FRAC_split || IG_FRAC_##name == IG_FRAC_open ||                    \
           IG_FRAC_##name == IG_FRAC_press || IG_FRAC_##name == IG_FRAC_react ||                   \
           IG_FRAC_##name == IG_FRAC_overlap                                                       \
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

/* All threads of a block come here when there are no more tiles: true for those of the last block,
   which leaves chain and counters all 0. */
static __device__ __forceinline__ bool ig_frac_last(const ig_frac_state &s, int32_t tiles) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd((unsigned long long *)s.grow.chain, 1ull) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last)
    return false;
  __threadfence();
  for (int32_t i = (int32_t)threadIdx.x; i <= tiles; i += (int32_t)blockDim.x)
    s.grow.chain[i] = 0;
  if (threadIdx.x == 0)
    s.count->ticket = 0;
  return true;
}

#define IG_FRAC_DRIVERS "fracture/kernels/items_cuda.inc"
#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "material/cohesive.inc"
#include "fracture/kernels/types.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "material/cohesive.inc"
#include "fracture/kernels/types.inc"

static ig_frac_kernel *const *const tables[2][4] = {
    {tri3_kernels_f32, tri6_kernels_f32, tet4_kernels_f32, tet10_kernels_f32},
    {tri3_kernels_f64, tri6_kernels_f64, tet4_kernels_f64, tet10_kernels_f64}};

/* Kernels read counts on the device: the host launches for the most there can be, and surplus
   threads end at once. */
ig_status ig_frac_cuda_run(ig_ctx *cx, int kind, int wide, ig_frac_item item,
                           const ig_frac_state *s, int64_t begin, int64_t n) {
  if (item == IG_FRAC_advance || item == IG_FRAC_capacity || item == IG_FRAC_settle || n == 0)
    return IG_OK; /* done with the last node, with `open`, with the last node taken apart */
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

/* Compactions of flags only the device has, in one pass: a block draws a tile of flags, counts
   those that are up, learns from the tiles before it where its numbers go (ig_frac_before), writes
   them. The last block to finish leaves chain and counters as it found them: all 0. Tiles are
   large: one looks back over 32 others at a time, and a look takes as long as an access. A warp has
   4096 flags in a row, in rounds of 16 per lane. */
enum { SCAN_THREADS = 512, SCAN_WARPS = SCAN_THREADS / 32, SCAN_ROUNDS = 8 };
enum { SCAN_TILE = SCAN_THREADS * 16 * SCAN_ROUNDS };

/* Sixteen flags, each 0 or 1, from `at` on, as bits; taken down where they are up (`down`). Four
   bytes of 0 or 1 times `gather` have them in bits 24 to 27. */
static __device__ __forceinline__ uint32_t flags_bits(uint4 w) {
  const uint32_t gather = 0x01020408u;
  return (w.x * gather >> 24 & 15) | (w.y * gather >> 24 & 15) << 4 |
         (w.z * gather >> 24 & 15) << 8 | (w.w * gather >> 24 & 15) << 12;
}
static __device__ __forceinline__ uint4 flags_get(const uint8_t *flag, int64_t n, int64_t at) {
  uint4 w = {0, 0, 0, 0};
  if (at + 16 <= n)
    w = *(const uint4 *)(flag + at);
  else
    for (int k = 0; at + k < n; k++)
      (&w.x)[k / 4] |= (uint32_t)flag[at + k] << 8 * (k % 4);
  return w;
}
static __device__ __forceinline__ void flags_down(uint8_t *flag, int64_t n, int64_t at) {
  if (at + 16 <= n)
    *(uint4 *)(flag + at) = make_uint4(0, 0, 0, 0);
  else
    for (int k = 0; at + k < n; k++)
      flag[at + k] = 0;
}

/* Two rounds a word, 16 bits each: the flags `up`; `before`: how many are up in the lanes before,
   round by round. Returns how many there are in the warp. */
static __device__ __forceinline__ int32_t flags_scan(const uint32_t up[SCAN_ROUNDS / 2],
                                                     uint32_t before[SCAN_ROUNDS / 2]) {
  const int lane = (int)threadIdx.x % 32;
  int32_t all = 0;
#pragma unroll
  for (int q = 0; q < SCAN_ROUNDS / 2; q++) {
    const uint32_t own = __popc(up[q] & 0xffff) | __popc(up[q] >> 16) << 16;
    uint32_t sum = own;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const uint32_t below = __shfl_up_sync(~0u, sum, step);
      sum += lane >= step ? below : 0;
    }
    const uint32_t last = __shfl_sync(~0u, sum, 31);
    before[q] = sum - own + ((uint32_t)all | (uint32_t)(all + (int32_t)(last & 0xffff)) << 16);
    all += (int32_t)(last & 0xffff) + (int32_t)(last >> 16);
  }
  return all;
}

/* Single-pass scan with look-back (Merrill and Garland 2016): the running sum of tiles is passed
   along in s.grow.chain. down: flags are cleared where they are read. */
static __global__ void __launch_bounds__(SCAN_THREADS)
    flags_list(const __grid_constant__ ig_frac_state s, uint8_t *flag, int64_t n, int32_t tiles,
               int32_t *list, int32_t *found, bool down) {
  __shared__ int32_t tile, base, warps[SCAN_WARPS];
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  while (true) {
    if (threadIdx.x == 0)
      tile = atomicAdd(&s.count->ticket, 1);
    __syncthreads();
    const int32_t t = tile;
    if (t >= tiles)
      break;
    const int64_t at = (int64_t)t * SCAN_TILE + warp * (512 * SCAN_ROUNDS) + lane * 16;
    uint4 w[SCAN_ROUNDS];
    uint32_t up[SCAN_ROUNDS / 2] = {0}, before[SCAN_ROUNDS / 2];
#pragma unroll
    for (int r = 0; r < SCAN_ROUNDS; r++)
      w[r] = flags_get(flag, n, at + 512 * r);
#pragma unroll
    for (int r = 0; r < SCAN_ROUNDS; r++) {
      const uint32_t bits = flags_bits(w[r]);
      up[r / 2] |= bits << 16 * (r % 2);
      if (down && bits)
        flags_down(flag, n, at + 512 * r);
    }
    const int32_t all = flags_scan(up, before);
    if (lane == 0)
      warps[warp] = all;
    __syncthreads();
    int32_t to = 0, sum = 0;
#pragma unroll
    for (int i = 0; i < SCAN_WARPS; i++) {
      to += i < warp ? warps[i] : 0;
      sum += warps[i];
    }
    if (threadIdx.x < 32) {
      const int32_t earlier = ig_frac_before(s.grow.chain + 1, t, sum);
      if (threadIdx.x == 0) {
        base = earlier;
        if (t == tiles - 1)
          *found = earlier + sum;
      }
    }
    __syncthreads();
    to += base;
#pragma unroll
    for (int r = 0; r < SCAN_ROUNDS; r++) {
      int32_t next = to + (int32_t)(before[r / 2] >> 16 * (r % 2) & 0xffff);
      for (uint32_t left = up[r / 2] >> 16 * (r % 2) & 0xffff; left; left &= left - 1)
        list[next++] = (int32_t)(at + 512 * r + __ffs((int)left) - 1);
    }
  }
  ig_frac_last(s, tiles);
}
/* At most four blocks per multiprocessor; they draw tiles until none is left. */
ig_status ig_frac_cuda_compact(ig_ctx *cx, const ig_frac_state *s, uint8_t *flag, int64_t n,
                               int32_t *list, int32_t *found) {
  const unsigned all = ig_cuda_blocks(n, SCAN_TILE);
  const unsigned cap = (unsigned)ig_cuda_of(cx)->multiprocessors * 4;
  const unsigned blocks = all < cap ? all : cap;
  flags_list<<<blocks, SCAN_THREADS, 0, ig_cuda_stream(cx)>>>(*s, flag, n, (int32_t)all, list,
                                                              found, list == s->grow.touched);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static ig_frac_apart *const apart[2][4] = {
    {tri3_kernel_apart_f32, tri6_kernel_apart_f32, tet4_kernel_apart_f32, tet10_kernel_apart_f32},
    {tri3_kernel_apart_f64, tri6_kernel_apart_f64, tet4_kernel_apart_f64, tet10_kernel_apart_f64}};

/* One launch instead of the CPU's three passes: sort, running sum, split. */
ig_status ig_frac_cuda_apart(ig_ctx *cx, int kind, int wide, const ig_frac_state *s) {
  const unsigned all = ig_cuda_blocks(s->node_max, IG_FRAC_APART);
  const unsigned cap = (unsigned)ig_cuda_of(cx)->multiprocessors * IG_FRAC_APART_BLOCKS;
  const unsigned blocks = all < cap ? all : cap;
  ig_frac_apart *kernel = apart[wide][kind];
  kernel<<<blocks, IG_FRAC_APART, 0, ig_cuda_stream(cx)>>>(*s);
  IG_LAUNCHED(cx);
  return IG_OK;
}
