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
#include "powder/keys.inc"
#include "powder/beam.inc"
#include "powder/places.inc"
#include "powder/events.inc"
#include "powder/cells.inc"
#include "powder/pool.inc"

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

/* Columns with a molten cell: a warp per word of 32, a lane per column. */
static __device__ void mark_word(const ig_powder_view &v, int64_t word, int64_t words) {
  const int lane = (int)threadIdx.x % 32, across = powder_wet_words(&v);
  if (word >= words)
    return;
  const int j = (int)(word / across), i = 32 * (int)(word % across) + lane;
  const unsigned bits = __ballot_sync(0xffffffffu, powder_wet_column(&v, i, j));
  if (lane == 0)
    v.wet[word] = bits;
}

/* The pool of a window's beam (powder_flood) by one block, a thread per row: rows of even numbers,
   then those between them, since a row reads those beside it. Nothing is molten outside of words
   `from` to `to`. */
static __device__ void flood_beam(const ig_powder_view &v, int beam, const volatile uint32_t *wet,
                                  volatile uint32_t *own, int from, int to) {
  const int t = (int)threadIdx.x, rows = v.w.fine.n[1], words = powder_wet_words(&v);
  for (int i = t; i < words * rows; i += THREADS)
    own[i] = 0;
  __syncthreads();
  int c[2], more = 0;
  if (t == 0 && powder_pool_seed(&v, beam, wet, c)) {
    own[c[1] * words + c[0] / 32] = 1u << c[0] % 32;
    more = 1;
  }
  while (__syncthreads_or(more)) {
    more = 0;
    for (int odd = 0; odd < 2; odd++) {
      for (int j = 2 * t + odd; j < rows; j += 2 * THREADS)
        more |= powder_flood_row(wet, own, words, rows, j, from, to);
      __syncthreads();
    }
  }
}

/* All pools of the window by one block. `room`: shared memory for the molten columns and a pool's,
   where they fit into it; else NULL. The columns were marked by other blocks: they are read past
   the first cache. */
static __device__ void flood_all(const ig_powder_view &v, uint32_t *room) {
  const int t = (int)threadIdx.x, words = powder_wet_words(&v), all = words * v.w.fine.n[1];
  __shared__ int from, to;
  if (t == 0)
    from = words, to = 0;
  __syncthreads();
#pragma unroll 8 /* several loads on their way */
  for (int i = t; i < all; i += THREADS) {
    const uint32_t bits = __ldcg(&v.wet[i]);
    if (room)
      room[i] = bits;
    if (bits) {
      atomicMin(&from, i % words);
      atomicMax(&to, i % words + 1);
    }
  }
  __syncthreads();
  for (int b = 0; b < v.w.beams; b++) {
    uint32_t *own = powder_own_bits(&v, b);
    flood_beam(v, v.w.beam[b], room ? room : v.wet, room ? room + all : own, from, to);
    for (int i = t; room && i < all; i += THREADS)
      own[i] = room[all + i];
    __syncthreads();
  }
}

/* Whether this block is the last of `blocks` that come here, whose writes it sees. The counter is
   the caller's to set back. */
static __device__ bool block_is_last(int *done, unsigned blocks) {
  __shared__ bool end;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    end = atomicAdd(done, 1) == (int)blocks - 1;
  __syncthreads();
  __threadfence();
  return end;
}

/* Counts of molten cells to the host, by one warp; their number after all of them. */
static __device__ void counts_tell(const ig_powder_view *v, int *told, int turn) {
  const int lane = (int)threadIdx.x % 32;
  for (int i = lane; i < IG_MOLTEN_COUNT; i += 32)
    told[i] = *(volatile int *)&v->molten[i];
  __threadfence_system();
  __syncwarp();
  if (lane == 0)
    *(volatile int *)&told[IG_MOLTEN_COUNT] = turn;
}

/* A warp per coarse cell of the window (its mean), or per face of coarse cells around it. */
static __device__ void mean_or_cross(const ig_powder_view &v, int item, int boxes, int faces) {
  const int lane = (int)threadIdx.x % 32, *b = v.w.box.size;
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
}

/* The first `marks` blocks: a warp per word of molten columns, and by the last of them the pools;
   meanwhile the others: means and what crossed the faces. */
__global__ void __launch_bounds__(THREADS)
    powder_after_fine(const __grid_constant__ ig_powder_view v, int boxes, int faces,
                      unsigned marks, int64_t words, bool shared) {
  extern __shared__ uint32_t room[];
  const unsigned block = blockIdx.x < marks ? blockIdx.x : blockIdx.x - marks;
  const int64_t warp = ((int64_t)block * THREADS + threadIdx.x) / 32;
  if (blockIdx.x >= marks) {
    mean_or_cross(v, (int)warp, boxes, faces);
    return;
  }
  mark_word(v, warp, words);
  int *done = &v.molten[IG_MOLTEN_DONE];
  if (!block_is_last(done, marks))
    return;
  flood_all(v, shared ? room : NULL);
  if (threadIdx.x == 0)
    *done = 0;
}

/* A thread per fine cell. The block that is done last sums up the pools. */
__global__ void __launch_bounds__(THREADS)
    powder_pool_cells(const __grid_constant__ ig_powder_view v, int64_t cells, bool last, int *told,
                      int turn) {
  const int lane = (int)threadIdx.x % 32, *f = v.w.fine.n;
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  double T = i < cells ? powder_pool_hot(&v, (int)(i % f[0]), (int)(i / f[0] % f[1]),
                                         (int)(i / f[0] / f[1]))
                       : 0;
  for (int to = 16; to; to /= 2) {
    const double other = __shfl_xor_sync(0xffffffffu, T, to);
    T = T > other ? T : other;
  }
  if (lane == 0)
    powder_pool_hottest(&v, T);
  int *done = &v.molten[IG_MOLTEN_DONE];
  if (!last || !block_is_last(done, gridDim.x))
    return;
  if (threadIdx.x == 0)
    powder_pool_done(&v, 0);
  if (threadIdx.x / 32 == 1)
    counts_tell(&v, told, turn);
  __syncthreads();
  if (threadIdx.x == 0)
    *done = 0;
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

extern "C" ig_status ig_powder_after_cuda(ig_ctx *cx, const ig_powder_view *v,
                                          ig_powder_cluster *is, bool last) {
  if (!is->told) {
    IG_CUDA(cx, cudaMallocHost((void **)&is->told, (IG_MOLTEN_COUNT + 1) * sizeof(int)));
    is->told[IG_MOLTEN_COUNT] = 0;
  }
  is->turn += last;
  const int *b = v->w.box.size, *f = v->w.fine.n;
  const int boxes = b[0] * b[1] * b[2], faces = 2 * (b[0] * b[1] + b[1] * b[2] + b[2] * b[0]);
  const int64_t cells = (int64_t)f[0] * f[1] * f[2];
  /* without a beam all that is molten is nobody's */
  const int64_t words = v->w.beams > 0 ? (int64_t)(f[0] + 31) / 32 * f[1] : 0;
  const size_t room = 2 * (size_t)words * sizeof(uint32_t);
  const bool shared = room <= 32768;
  const unsigned marks = words ? ig_cuda_blocks(32 * words, THREADS) : 0;
  powder_after_fine<<<marks + ig_cuda_blocks(32 * ((int64_t)boxes + faces), THREADS), THREADS,
                      shared ? room : 0, ig_cuda_stream(cx)>>>(*v, boxes, faces, marks, words,
                                                               shared);
  IG_LAUNCHED(cx);
  powder_pool_cells<<<ig_cuda_blocks(cells, THREADS), THREADS, 0, ig_cuda_stream(cx)>>>(
      *v, cells, last, is->told, is->turn);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* The stream is asked from time to time: a kernel that failed writes nothing. */
extern "C" ig_status ig_powder_told_cuda(ig_ctx *cx, const ig_powder_cluster *is, int *molten) {
  enum { ASK_EVERY = 4096 };
  const volatile int *told = is->told;
  for (int n = 1; told[IG_MOLTEN_COUNT] != is->turn; n++)
    if (n % ASK_EVERY == 0) {
      const cudaError_t now = cudaStreamQuery(ig_cuda_stream(cx));
      if (now == cudaSuccess)
        break;
      if (now != cudaErrorNotReady)
        IG_CUDA(cx, now);
    }
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  for (int i = 0; i < IG_MOLTEN_COUNT; i++)
    molten[i] = told[i];
  return IG_OK;
}

/* --- what comes before fine steps, in one launch */

/* Windows now and before; a launch has room for so many arguments. */
enum { READY = 4 };
struct ready_list {
  ig_powder_window now[READY], was[READY];
  bool moved;
};

/* Blocks of the parts of the launch, in this order: one for the ground ahead and the list; of each
   window the coarse cells near it; if windows have moved, the fine cells of each now, then of each
   before. */
enum { READY_FIRST, READY_NEAR, READY_NOW, READY_WAS };
struct ready_part {
  int what, window;
  unsigned block; /* within the part */
};
static __host__ __device__ unsigned ready_blocks(const ready_list &list, int what, int window) {
  const int *b = list.now[window].box.size;
  const int *f = what == READY_WAS ? list.was[window].fine.n : list.now[window].fine.n;
  const int64_t n = what == READY_NEAR ? (int64_t)(b[0] + 2) * (b[1] + 2) * (b[2] + 2)
                                       : (int64_t)f[0] * f[1] * f[2];
  return what == READY_FIRST ? 1 : (unsigned)((n + THREADS - 1) / THREADS);
}
static __host__ __device__ int ready_count(const ig_powder_view &v, const ready_list &list,
                                           int what) {
  return what == READY_FIRST  ? 1
         : what == READY_NEAR ? v.window_count
         : !list.moved        ? 0
         : what == READY_NOW  ? v.window_count
                              : v.were_count;
}
/* The part that a block has a share of; of the block after the last one `block` of READY_FIRST is
   how many there are. */
static __host__ __device__ ready_part ready_part_of(const ig_powder_view &v, const ready_list &list,
                                                    unsigned block) {
  unsigned before = 0;
  for (int what = READY_FIRST; what <= READY_WAS; what++)
    for (int i = 0; i < ready_count(v, list, what); i++) {
      const unsigned here = ready_blocks(list, what, i);
      if (block < before + here) {
        const ready_part part = {what, i, block - before};
        return part;
      }
      before += here;
    }
  const ready_part none = {READY_FIRST, 0, before};
  return none;
}

/* By words: both are multiples of them. */
static __device__ void words_copy(void *to, const void *from, size_t bytes) {
  for (size_t i = threadIdx.x; i < bytes / sizeof(int); i += blockDim.x)
    ((int *)to)[i] = ((const int *)from)[i];
}

/* The ground ahead of a window's beams (powder_ahead), by one warp: a lane for each column. */
static __device__ void ready_ground(const ig_powder_view &v, const ig_powder_window &w) {
  const int lane = (int)threadIdx.x % 32;
  double sum = 0;
  for (int b = 0; b < w.beams; b++) {
    const double here = lane < 4 ? powder_ground(&v, w.beam[b], lane) : 0;
    double T = 0;
    for (int c = 0; c < 4; c++)
      T += __shfl_sync(0xffffffffu, here, c);
    sum += T;
  }
  if (lane < w.beams)
    v.ground[w.beam[lane]] = sum / w.beams;
}

/* Items read the view and the lists of windows in it: here these are in shared memory, since the
   list on the device is only now being written. */
__global__ void __launch_bounds__(THREADS)
    powder_ready_all(const __grid_constant__ ig_powder_view all,
                     const __grid_constant__ ready_list list) {
  __shared__ ig_powder_view v;
  __shared__ ig_powder_window now[READY], was[READY];
  const int t = (int)threadIdx.x;
  const ready_part part = ready_part_of(all, list, blockIdx.x);
  words_copy(&v, &all, sizeof v);
  words_copy(now, list.now, sizeof now);
  words_copy(was, list.was, sizeof was);
  __syncthreads();
  if (t == 0) {
    v.windows = now;
    v.were = was;
    v.w = part.what == READY_WAS ? was[part.window] : now[part.window];
  }
  __syncthreads();
  const int more = part.what == READY_NEAR ? 2 : 0,
            *n = part.what == READY_NEAR ? v.w.box.size : v.w.fine.n;
  const int nx = n[0] + more, ny = n[1] + more, nz = n[2] + more;
  const int64_t c = (int64_t)part.block * THREADS + t;
  const int x = (int)(c % nx), y = (int)(c / nx % ny), z = (int)(c / nx / ny);
  if (part.what == READY_FIRST) {
    if (list.moved && t < v.window_count)
      v.list[t] = now[t];
    for (int i = t / 32; v.holes.row && i < v.window_count; i += THREADS / 32)
      ready_ground(v, now[i]);
  } else if (z < nz) {
    if (part.what == READY_NEAR)
      powder_near(&v, x, y, z);
    else if (part.what == READY_NOW)
      powder_remap(&v, x, y, z);
    else
      powder_leave(&v, x, y, z);
  }
}

extern "C" ig_status ig_powder_ready_cuda(ig_ctx *cx, const ig_powder_view *v,
                                          const ig_powder_window *now, const ig_powder_window *was,
                                          bool *done) {
  *done = false;
  if (v->window_count > READY || (was && v->were_count > READY))
    return IG_OK;
  *done = true;
  if (v->window_count == 0 && !was)
    return IG_OK;
  ready_list list = {};
  list.moved = was != NULL;
  for (int i = 0; i < v->window_count; i++)
    list.now[i] = now[i];
  for (int i = 0; was && i < v->were_count; i++)
    list.was[i] = was[i];
  const unsigned blocks = ready_part_of(*v, list, ~0u).block;
  powder_ready_all<<<blocks, THREADS, 0, ig_cuda_stream(cx)>>>(*v, list);
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
  cudaFreeHost(is->told);
  is->side = is->fork = is->join = NULL;
  is->told = NULL;
}
