/* The automaton on the GPU: a warp per segment, a thread per cell. What a cell does is in
 * cells.inc.
 */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "grains/view.h"
}

#include "grains/cells.inc"

enum { THREADS = 128, WARP = IG_GRAINS_SEGMENT };
#define ALL 0xffffffffu

__device__ static unsigned any_of(unsigned flags) {
  unsigned all = 0;
  for (unsigned bit = 1; bit <= IG_GRAINS_HAS_ACTIVE; bit *= 2)
    all |= __any_sync(ALL, (flags & bit) != 0) ? bit : 0;
  return all;
}

/* -1: none. */
__device__ static int64_t segment_here(const ig_grains_view &v) {
  const int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  return i < grains_own_segments(&v) ? grains_own_segment(&v, i) : -1;
}

__global__ void __launch_bounds__(THREADS)
    grains_own_all(const __grid_constant__ ig_grains_view v) {
  const int64_t s = segment_here(v);
  const int lane = (int)threadIdx.x % WARP;
  if (s < 0 || !grains_own_due(&v, s))
    return;
  int x, y, z;
  unsigned flags = 0;
  double wake = INFINITY;
  grains_segment(&v, s, &x, &y, &z);
  x += lane;
  if (x < v.n[0])
    flags = grains_own(&v, ((int64_t)z * v.n[1] + y) * v.n[0] + x, z, &wake);
  flags = any_of(flags);
  for (int to = WARP / 2; to && v.event; to /= 2) {
    const double other = __shfl_xor_sync(ALL, wake, to);
    wake = other < wake ? other : wake;
  }
  if (lane == 0) {
    v.flags[s] = (uint8_t)flags;
    v.wake[s] = wake;
    v.woken[s] = 0;
  }
}

__global__ void __launch_bounds__(THREADS)
    grains_take_all(const __grid_constant__ ig_grains_view v) {
  const int64_t s = segment_here(v);
  const int lane = (int)threadIdx.x % WARP;
  if (s < 0 || !(v.flags[s] & (IG_GRAINS_HAS_LIQUID | IG_GRAINS_HAS_ACTIVE)))
    return;
  int x, y, z;
  bool woken = false;
  grains_segment(&v, s, &x, &y, &z);
  const unsigned near = any_of(lane < 27 ? grains_flags_near(&v, x, y, z, lane) : 0);
  x += lane;
  if (x < v.n[0])
    woken = grains_take(&v, ((int64_t)z * v.n[1] + y) * v.n[0] + x, x, y, z, near);
  __syncwarp(); /* nuclei see what was captured */
  for (int32_t i = v.nuclei[s] + lane; i < v.nuclei[s + 1]; i += WARP)
    woken |= grains_nucleate(&v, &v.nucleus[i]);
  if (__any_sync(ALL, woken) && lane == 0)
    v.woken[s] = 1;
}

__global__ void grains_count_start(ig_grains_count *count) {
  count->liquid = count->active = 0;
  count->wake = INFINITY;
}

/* Times are not negative: their bits are in the order of the numbers. */
__global__ void __launch_bounds__(THREADS)
    grains_count_all(const __grid_constant__ ig_grains_view v, ig_grains_count *count) {
  const int64_t s = segment_here(v);
  const int lane = (int)threadIdx.x % WARP;
  if (s < 0)
    return;
  int x, y, z;
  if (lane == 0 && v.wake[s] < INFINITY)
    atomicMin((unsigned long long *)&count->wake,
              (unsigned long long)__double_as_longlong(v.wake[s]));
  if (!(v.flags[s] & (IG_GRAINS_HAS_LIQUID | IG_GRAINS_HAS_ACTIVE)))
    return;
  grains_segment(&v, s, &x, &y, &z);
  x += lane;
  const int state = x < v.n[0] ? v.state[((int64_t)z * v.n[1] + y) * v.n[0] + x] : IG_GRAINS_SOLID;
  const unsigned liquid = __ballot_sync(ALL, state == IG_GRAINS_LIQUID),
                 active = __ballot_sync(ALL, state == IG_GRAINS_ACTIVE);
  if (lane == 0 && liquid)
    atomicAdd(&count->liquid, (unsigned long long)__popc(liquid));
  if (lane == 0 && active)
    atomicAdd(&count->active, (unsigned long long)__popc(active));
}

__global__ void __launch_bounds__(THREADS)
    grains_ghosts_all(const __grid_constant__ ig_grains_view v, int y, bool from,
                      ig_grains_ghost *list) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (int64_t)v.n[0] * v.n[2])
    grains_ghost(&v, y, i, from, list);
}

/* A rank may have none. */
static unsigned own_blocks(const ig_grains_view *v) {
  return ig_cuda_blocks(WARP * grains_own_segments(v), THREADS);
}

extern "C" ig_status ig_grains_own_cuda(ig_ctx *cx, const ig_grains_view *v) {
  if (grains_own_segments(v) > 0)
    grains_own_all<<<own_blocks(v), THREADS, 0, ig_cuda_stream(cx)>>>(*v);
  IG_LAUNCHED(cx);
  return IG_OK;
}

extern "C" ig_status ig_grains_take_cuda(ig_ctx *cx, const ig_grains_view *v) {
  if (grains_own_segments(v) > 0)
    grains_take_all<<<own_blocks(v), THREADS, 0, ig_cuda_stream(cx)>>>(*v);
  IG_LAUNCHED(cx);
  return IG_OK;
}

extern "C" ig_status ig_grains_ghosts_cuda(ig_ctx *cx, const ig_grains_view *v, int y, bool from,
                                           ig_grains_ghost *list) {
  const int64_t count = (int64_t)v->n[0] * v->n[2];
  grains_ghosts_all<<<ig_cuda_blocks(count, THREADS), THREADS, 0, ig_cuda_stream(cx)>>>(*v, y, from,
                                                                                        list);
  IG_LAUNCHED(cx);
  return IG_OK;
}

extern "C" ig_status ig_grains_count_cuda(ig_ctx *cx, const ig_grains_view *v,
                                          ig_grains_count *count) {
  grains_count_start<<<1, 1, 0, ig_cuda_stream(cx)>>>(count);
  IG_LAUNCHED(cx);
  if (grains_own_segments(v) > 0)
    grains_count_all<<<own_blocks(v), THREADS, 0, ig_cuda_stream(cx)>>>(*v, count);
  IG_LAUNCHED(cx);
  return IG_OK;
}
