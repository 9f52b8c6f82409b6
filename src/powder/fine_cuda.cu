/* Fine steps of all windows in one launch: a cluster of blocks per window. The fine steps of a
   coarse one are 10 to 100; with a launch each, launches would take longer than the work, and
   temperatures would go through global memory every time. Thread block clusters (compute capability
   9.0) keep a window in the shared memory of 16 multiprocessors for all of them.

   A window is cut into slabs of planes along x or y, a slab a block. A thread has pieces of
   columns, of four cells each, with their heat in registers. Temperature and resistance are in
   shared memory, with planes of the neighbours on both sides, which they write. A step:

        heat += dt x (conduction + top + beams)   reads temperatures
        the block meets                           nobody of it reads temperatures any more
        T, 1/k, state from heat; those of outer planes to the neighbours too
        the cluster meets

   Planes of the neighbours are there twice and used in turn: a neighbour may be ahead by half a
   step. One more warp per block works out the beams' shares along x and y one step ahead. Windows
   that do not fit (shared memory, registers, too many spots) take the kernels of kernels_cuda.cu
   instead, step by step. */
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
#include "powder/fine_light.cuh"
#include "powder/fine_slab.cuh"

/* Of all threads of a cluster. */
static __device__ __forceinline__ void cluster_arrive(void) {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
static __device__ __forceinline__ void cluster_wait(void) {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/* Of the threads that have cells. */
static __device__ __forceinline__ void workers_meet(int workers) {
  asm volatile("bar.sync 1, %0;" ::"r"(workers) : "memory");
}

/* What the beams bring a column of the window, J. Its topmost cell decides. Out of line, as all
   that few threads need: the step keeps its registers. */
static __device__ __noinline__ double slab_light(const ig_powder_view &v, int beam,
                                                 const window_light *light, int x, int y, int state,
                                                 double T) {
  double sum = 0;
  for (int n = 0; n < light->count; n++) {
    const int i = x - light->first[n][0], j = y - light->first[n][1];
    if (i >= 0 && j >= 0 && i < light->n[n][0] && j < light->n[n][1])
      sum += light->joule[n] * light->share[n][0][i] * light->share[n][1][j];
  }
  if (sum == 0)
    return 0;
  const ig_powder_hole hole = powder_hole(&v, beam, v.a.kind[beam]);
  return sum * powder_absorbed(&v, &hole, state, T);
}

/* What a topmost cell loses as vapour, J/m^3; `light` at its surface alone, J. The column is this
   thread's alone. */
static __device__ __noinline__ double slab_boil(const ig_powder_view &v, const ig_powder_window &w,
                                                int x, int y, double heat, double dt, double edge,
                                                double resist, double light) {
  double surface;
  const double by =
      powder_vapour_take(&v, heat, dt / edge, resist, edge, light / (dt * edge * edge), &surface);
  const size_t column = powder_column_in(&v, &w.box, x, y);
  v.evaporated[column] += by * edge * edge * edge;
  powder_surface_hot(&v, column, surface);
  return by;
}

/* Between two cells, x the temperature and y the resistance: W/m, to be scaled once per step. */
static __device__ __forceinline__ double slab_pass(const double2 &a, const double2 &b) {
  return powder_pass_f64(a.x, a.y, b.x, b.y);
}

/* Numbers of a step: its length, what W/m through a face bring a cell (J/m^3), and are (J). */
struct window_step {
  double dt, into, across, edge, per_edge;
};

/* What leaves through the bed's top and what the beams bring, in a piece that has the topmost cell
   or is reached by light. */
static __device__ __forceinline__ void slab_top(const ig_powder_view &v, const ig_powder_window &w,
                                                const window_slab &s, const slab_place &p, int n,
                                                const window_step &h, double *heat) {
  const window_cut &c = s.cut;
  const int q = s.first + p.plane, column = p.plane * c.nu + p.u;
  const int highest = p.k + PIECE - 1 < s.top ? p.k + PIECE - 1 : s.top;
  const window_light *light = &s.light[n & 1];
  const bool lit = light->count && s.deep[highest] != 0;
  if (highest < s.top && !lit)
    return;
  const double2 cell = s.cell[slab_at(s, p.plane, s.top, p.u)];
  const double T = cell.x;
  double out = 0, in = 0;
  if (highest == s.top && (v.convection != 0 || v.emissivity != 0)) {
    out = h.dt * powder_top_flux(&v, T);
    s.lost[column] += out * h.edge * h.edge;
  }
  const int x = c.cut ? p.u : q, y = c.cut ? q : p.u, state = slab_top_state(s, p.plane, p.u);
  if (lit) /* of a window with light the keyhole of all its beams is the same (light_fits) */
    in = slab_light(v, w.beam[0], light, x, y, state, T);
  if (in != 0 && highest == s.top)
    s.source[column] += in;
  const double per_volume = in * h.per_edge * h.per_edge * h.per_edge;
#pragma unroll
  for (int z = 0; z < PIECE; z++) {
    if (p.k + z == s.top)
      heat[z] -= out * h.per_edge;
    heat[z] += per_volume * s.deep[p.k + z];
    if (v.evaporated && p.k + z == s.top && state & IG_POWDER_MOLTEN && heat[z] > v.law.liquidus)
      heat[z] -= slab_boil(v, w, x, y, heat[z], h.dt, h.edge, cell.y, s.deep[s.top] == 1 ? in : 0);
  }
}

/* Heat of a piece of a column after step `n`: of each face what powder_pass says. What passes faces
   of the rim is summed in shared memory: few cells have some, and registers are what limits how
   many threads a block has. Cells above the bed pass nothing. */
static __device__ __forceinline__ void slab_step(const ig_powder_view &v, const ig_powder_window &w,
                                                 const window_slab &s, const slab_place &p, int n,
                                                 const window_step &h, double *heat) {
  const window_cut &c = s.cut;
  const int low = slab_low(s, p.plane, n), high = slab_high(s, p.plane, n), q = s.first + p.plane;
  const double2 *at = s.cell + slab_at(s, p.plane, p.k, p.u);
  double2 here = at[0];
  double below = slab_pass(here, at[-s.zrow]);
  if (p.k == 0)
    s.rim[slab_face(c, 2, p.plane, 0, p.u)] -= h.across * below;
#pragma unroll
  for (int z = 0; z < PIECE; z++) {
    if (p.k + z > s.top) /* what lies there is the next plane, which a neighbour may be writing */
      break;
    const double2 next = at[s.zrow];
    const double above = slab_pass(here, next);
    const double left = slab_pass(here, at[-1]), right = slab_pass(here, at[1]);
    const double back = slab_pass(here, at[low]), front = slab_pass(here, at[high]);
    heat[z] += h.into * (left + right + (back + front) + (below + above));
    if (p.u == 0 || p.u == c.nu - 1)
      s.rim[slab_face(c, p.u == 0 ? 0 : 1, p.plane, p.k + z, 0)] -=
          h.across * (p.u == 0 ? left : right);
    if (q == 0 || q == c.planes - 1)
      s.rim[slab_face(c, q == 0 ? 4 : 5, 0, p.k + z, p.u)] -= h.across * (q == 0 ? back : front);
    below = -above;
    here = next;
    at += s.zrow;
  }
  slab_top(v, w, s, p, n, h, heat);
}

/* The highest temperature of cell (x, y, k) in the map; 1: it has just frozen (`gone`: bits of its
   state). */
static __device__ __noinline__ unsigned cell_kept(const ig_powder_view &v,
                                                  const ig_powder_window &w, int x, int y, int k,
                                                  double T, int gone) {
  float *kept = powder_map_in(&v, &w.box, x, y, k);
  if (!kept)
    return 0;
  if ((float)T > kept[IG_MAP_PEAK])
    kept[IG_MAP_PEAK] = (float)T;
  return gone & IG_POWDER_MOLTEN ? 1 : 0;
}

/* Temperature and resistance of a cell: powder_T and powder_resist, without a branch. Powder whose
   resistance changes with temperature: see slab_look. */
template <bool TABLES>
static __device__ __forceinline__ double2 cell_look(const ig_powder_view &v, const window_slab &s,
                                                    double heat, int state) {
  double share;
  const int row = powder_row_f64(v.law.start, v.law.per, IG_POWDER_ROWS,
                                 powder_content(v.law.unpack, heat, state), &share);
  double2 low, high;
  if (TABLES) {
    low = s.table[row], high = s.table[row + 1];
  } else {
    low.x = v.tables->T[row], high.x = v.tables->T[row + 1];
    low.y = v.tables->solid[row], high.y = v.tables->solid[row + 1];
  }
  const double solid = powder_between_f64(low.y, high.y, powder_inside_f64(share));
  const double2 now = {powder_between_f64(low.x, high.x, share),
                       state & IG_POWDER_SOLID ? solid : v.law.powder};
  return now;
}
/* Powder whose conductivity depends on temperature: out of line, since few materials have it. */
static __device__ __noinline__ double powder_varies(const ig_powder_view &v, double heat) {
  return powder_resist(v.tables, powder_content(v.law.unpack, heat, 0), 0);
}

/* States of a piece's cells that melt or freeze now, and their heat. */
static __device__ __forceinline__ uint32_t slab_change(const ig_powder_view &v,
                                                       const window_slab &s, const slab_place &p,
                                                       uint32_t state, double *heat) {
#pragma unroll
  for (int z = 0; z < PIECE; z++) {
    const int was = (int)(state >> 8 * z) & 255;
    if (p.k + z > s.top || !powder_changes(&v.law, heat[z], was))
      continue;
    const int now = powder_state_next(v.tables, &heat[z], was);
    state ^= (uint32_t)(was ^ now) << 8 * z;
    if (now & ~was & IG_POWDER_SOLID)
      atomicAdd((unsigned long long *)v.sunk, 1ull);
  }
  return state;
}

/* Temperatures, resistances and states of a piece of a column, for step `n`; those of outer planes
   are the neighbours' too. Few pieces change their states in a step: all others go straight on. */
template <bool TABLES>
static __device__ __forceinline__ void slab_look(const ig_powder_view &v, const window_slab &s,
                                                 const slab_place &p, int item, int n, double *heat,
                                                 uint32_t *state) {
  bool change = false;
#pragma unroll
  for (int z = 0; z < PIECE; z++)
    change |= (p.k + z <= s.top) & powder_changes(&v.law, heat[z], (int)(*state >> 8 * z) & 255);
  if (change)
    s.state[item] = *state = slab_change(v, s, p, *state, heat);
  double2 now[PIECE];
#pragma unroll
  for (int z = 0; z < PIECE; z++)
    now[z] = cell_look<TABLES>(v, s, heat[z], (int)(*state >> 8 * z) & 255);
  if (v.law.powder != v.law.powder)
#pragma unroll
    for (int z = 0; z < PIECE; z++)
      if (!(*state >> 8 * z & IG_POWDER_SOLID))
        now[z].y = powder_varies(v, heat[z]);
  const int left = s.top - p.k, at = slab_at(s, p.plane, p.k, p.u);
#pragma unroll
  for (int z = 0; z < PIECE; z++)
    if (z <= left)
      s.cell[at + z * s.zrow] = now[z];
  if (p.plane == 0 && s.cell_below) {
    double2 *to = s.cell_below + slab_at(s, s.cut.thick + (n & 1), p.k, p.u);
#pragma unroll
    for (int z = 0; z < PIECE; z++)
      if (z <= left)
        to[z * s.zrow] = now[z];
  }
  if (p.plane == s.own - 1 && s.cell_above) {
    double2 *to = s.cell_above + slab_at(s, (n & 1) - 2, p.k, p.u);
#pragma unroll
    for (int z = 0; z < PIECE; z++)
      if (z <= left)
        to[z * s.zrow] = now[z];
  }
}

/* Highest temperatures of a piece's cells in the map; bits of those that have just frozen. */
static __device__ __noinline__ unsigned slab_kept(const ig_powder_view &v,
                                                  const ig_powder_window &w, window_slab s,
                                                  slab_place p, uint32_t was, uint32_t now) {
  const int q = s.first + p.plane;
  unsigned froze = 0;
  for (int z = 0; z < PIECE && p.k + z <= s.top; z++)
    froze |=
        cell_kept(v, w, s.cut.cut ? p.u : q, s.cut.cut ? q : p.u, p.k + z,
                  s.cell[slab_at(s, p.plane, p.k + z, p.u)].x, (int)(was & ~now) >> 8 * z & 255)
        << z;
  return froze;
}

/* Events of a piece's cells, before step `n`. */
struct slab_heat {
  double of[PIECE];
};
static __device__ __noinline__ void slab_events(const ig_powder_view &v, const ig_powder_window &w,
                                                window_slab s, slab_place p, slab_heat heat,
                                                int n) {
  const int q = s.first + p.plane;
  const double time = ig_powder_fine_at(&v.a, n), dt = ig_powder_fine_dt(&v.a, n > 0 ? n - 1 : 0);
#pragma unroll
  for (int z = 0; z < PIECE; z++) {
    const int64_t cell = p.k + z > s.top ? -1
                                         : powder_event_in(&v, &w.box, s.cut.cut ? p.u : q,
                                                           s.cut.cut ? q : p.u, p.k + z);
    if (cell >= 0)
      powder_event_look(&v, cell, heat.of[z], time, dt);
  }
}

/* The record of cell (x, y, k) that has just frozen. `at`: the cell in shared memory; `low` and
   `high`: how far the planes beside it are. */
static __device__ __noinline__ void cell_freeze(const ig_powder_view &v, const ig_powder_window &w,
                                                int x, int y, int k, const double2 *at, int low,
                                                int high, int zrow, double heat) {
  double t[7], s[7];
#pragma unroll
  for (int i = 0; i < 7; i++) {
    const int to[7] = {-zrow, low, -1, 0, 1, high, zrow};
    t[i] = at[to[i]].x, s[i] = at[to[i]].y;
  }
  powder_freeze_at(v.tables, t + 3, s + 3, 2, 3, heat, w.fine.edge,
                   powder_map_in(&v, &w.box, x, y, k));
}

/* Records of cells of a piece that have just frozen, from the temperatures for step `n`. */
static __device__ __forceinline__ void slab_freeze(const ig_powder_view &v,
                                                   const ig_powder_window &w, const window_slab &s,
                                                   const slab_place &p, int n, unsigned froze,
                                                   const double *heat) {
  const int q = s.first + p.plane;
#pragma unroll 1
  for (unsigned left = froze; left; left &= left - 1) {
    const int z = __ffs((int)left) - 1, at = slab_at(s, p.plane, p.k + z, p.u);
    double here = heat[0];
#pragma unroll
    for (int i = 1; i < PIECE; i++) /* registers have no index */
      here = i == z ? heat[i] : here;
    cell_freeze(v, w, s.cut.cut ? p.u : q, s.cut.cut ? q : p.u, p.k + z, s.cell + at,
                slab_low(s, p.plane, n), slab_high(s, p.plane, n), s.zrow, here);
  }
}

/* The warp that has no cells: the beams of every step, one ahead, and while the others take their
   first look how deep light goes. It meets the others as often as they meet. */
static __device__ __noinline__ void light_warp(const ig_powder_view &v, const ig_powder_window &w,
                                               window_spots *spots, window_light *light,
                                               double *below, double *deep, int top, int steps) {
  int64_t piece[IG_POWDER_BEAMS];
  for (int b = 0; b < w.beams; b++)
    piece[b] = v.way[w.beam[b]].piece;
  for (int n = -2; n < steps; n++) {
    const int next = n < 0 ? 0 : n + 1;
    if (n == -1) {
      slab_deep(w.beams ? powder_hole(&v, w.beam[0], v.a.kind[w.beam[0]]).depth : v.depth, top,
                w.fine.n[2] + PIECE, w.fine.edge, below, deep);
    } else if (next < steps) {
      if (next % LANES == 0)
        light_spots(v, w, piece, next, spots);
      light_look(next, spots, &light[next & 1]);
    }
    cluster_arrive();
    cluster_wait();
  }
}

/* ROUNDS: pieces of a thread at most; TABLES: those of the material are in shared memory. */
template <int ROUNDS, int MOST, bool TABLES>
__global__ void __launch_bounds__(MOST, 1)
    window_steps(const __grid_constant__ ig_powder_view v, int steps) {
  extern __shared__ __align__(16) double base[];
  const ig_powder_window &w = v.windows[(int)blockIdx.x / BLOCKS];
  const int t = (int)threadIdx.x, workers = (int)blockDim.x - LIGHT;
  const window_cut cut = window_cut_of(w.fine.n);
  const window_memory m = window_memory_of(cut, TABLES);
  const window_slab s = slab_of(v, w, cut, m, base, (int)blockIdx.x % BLOCKS);
  const double edge = w.fine.edge;
  const window_step unit = {1, 2 / (edge * edge), 2 * edge, edge, 1 / edge};
  const int items = t < workers ? s.own * cut.pieces * cut.nu : 0;
  double heat[ROUNDS][PIECE] = {{0}};
  uint32_t state[ROUNDS] = {0};
  unsigned changed = 0, froze = 0; /* pieces, a bit each; cells, PIECE bits a piece */
#pragma unroll
  for (int r = 0; r < ROUNDS; r++)
    if (t + r * workers < items)
      s.state[t + r * workers] = state[r] =
          piece_load(v, w, s, slab_place_of(s, t + r * workers), heat[r]);
  const bool light = t >= workers;
  if (light) /* at once: its memory is its own */
    light_warp(v, w, s.spots, s.light, s.below, s.deep, s.top, steps);
#pragma unroll 8
  for (int i = light ? IG_POWDER_ROWS + 1 : t; TABLES && i <= IG_POWDER_ROWS; i += workers) {
    base[m.tables + 2 * i] = v.tables->T[i];
    base[m.tables + 2 * i + 1] = v.tables->solid[i];
  }
  if (!light) {
    slab_clear(s, m.rim, m.deep, base, workers);
    workers_meet(workers);
    slab_ghosts(v, w, s, workers);
  }
  const int seen = t < v.probes ? probe_find(v, w, s, t) : -1;
  double peak = seen >= 0 ? v.probe_peak[t] : 0;
  if (t < workers) {
    cluster_arrive();
    cluster_wait();
  }
  for (int n = -1; t < workers; n++) { /* -1: only temperatures */
    if (seen >= 0 && n > 0)
      peak = peak > s.cell[seen].x ? peak : s.cell[seen].x;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
      if (v.map.n[0] && froze >> PIECE * r & ((1u << PIECE) - 1))
        slab_freeze(v, w, s, slab_place_of(s, t + r * workers), n,
                    froze >> PIECE * r & ((1u << PIECE) - 1), heat[r]);
    froze = 0;
    if (n == steps)
      break;
    const double dt = ig_powder_fine_dt(&v.a, n > 0 ? n : 0);
    const window_step h = {dt, dt * unit.into, dt * unit.across, edge, unit.per_edge};
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
      if (t + r * workers < items && n >= 0) {
        const slab_place p = slab_place_of(s, t + r * workers);
        if (p.k <= s.top)
          slab_step(v, w, s, p, n, h, heat[r]);
      }
    workers_meet(workers);
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
      if (t + r * workers < items) {
        const slab_place p = slab_place_of(s, t + r * workers);
        const uint32_t was = state[r];
        slab_look<TABLES>(v, s, p, t + r * workers, n + 1, heat[r], &state[r]);
        changed |= (unsigned)(state[r] != was) << r;
        if (v.map.n[0])
          froze |= slab_kept(v, w, s, p, was, state[r]) << PIECE * r;
        if (v.events.n[0]) {
          slab_heat now;
#pragma unroll
          for (int z = 0; z < PIECE; z++)
            now.of[z] = heat[r][z];
          slab_events(v, w, s, p, now, n + 1);
        }
      }
    cluster_arrive();
    cluster_wait();
  }
  if (seen >= 0)
    v.probe_peak[t] = peak;
#pragma unroll
  for (int r = 0; r < ROUNDS; r++)
    if (t + r * workers < items) {
      const slab_place p = slab_place_of(s, t + r * workers);
      piece_store(v, w, s, p, heat[r], state[r], changed >> r & 1);
    }
  /* since the last barrier of the cluster nobody writes to shared memory, its own or a neighbour's
   */
  slab_store(v, w, s);
}

/* --- the host's part */

/* Each kernel is asked once whether it fits the device, with all the memory that a block may have:
   windows change their size often. */
template <int ROUNDS, int MOST, bool TABLES>
static ig_status launch(ig_ctx *cx, const ig_powder_view *v, int steps, int items, size_t bytes,
                        ig_powder_cluster *is, bool *done) {
  const void *kernel = (const void *)window_steps<ROUNDS, MOST, TABLES>;
  const unsigned bit = 1u << (2 * ROUNDS + TABLES);
  const int each = (items + ROUNDS - 1) / ROUNDS;
  cudaLaunchConfig_t how = {};
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = BLOCKS;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  how.gridDim = dim3((unsigned)(BLOCKS * v->window_count));
  how.blockDim = dim3((unsigned)((each + 31) / 32 * 32 + LIGHT));
  how.dynamicSmemBytes = bytes;
  how.stream = ig_cuda_stream(cx);
  how.attrs = &cluster;
  how.numAttrs = 1;
  if (!(is->asked & bit)) {
    cudaLaunchConfig_t most = how;
    most.blockDim = dim3(MOST);
    most.dynamicSmemBytes = (size_t)is->most;
    IG_CUDA(cx,
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, is->most));
    IG_CUDA(cx, cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    int fit = 0;
    const cudaError_t status = cudaOccupancyMaxActiveClusters(&fit, kernel, &most);
    if (status != cudaSuccess)
      cudaGetLastError(); /* not this device */
    is->asked |= bit;
    is->fits |= status == cudaSuccess && fit > 0 ? bit : 0;
  }
  if (!(is->fits & bit))
    return IG_OK;
  IG_CUDA(cx, cudaLaunchKernelEx(&how, window_steps<ROUNDS, MOST, TABLES>, *v, steps));
  *done = true;
  return IG_OK;
}

/* By pieces of a thread: as few as possible. Steps wait for memory, and more warps hide that: with
   four pieces for half as many threads a step of 55 k cells took twice as long per cell. */
template <bool TABLES>
static ig_status launch_items(ig_ctx *cx, const ig_powder_view *v, int steps, int items,
                              size_t bytes, ig_powder_cluster *is, bool *done) {
  enum { MOST = 512, WORKERS = MOST - LIGHT }; /* threads, which leaves 128 registers each */
  if (v->probes > items / 4)
    return IG_OK;
  switch ((items + WORKERS - 1) / WORKERS) {
  case 0:
  case 1:
    return launch<1, MOST, TABLES>(cx, v, steps, items, bytes, is, done);
  case 2:
    return launch<2, MOST, TABLES>(cx, v, steps, items, bytes, is, done);
  case 3:
    return launch<3, MOST, TABLES>(cx, v, steps, items, bytes, is, done);
  case 4:
    return launch<4, MOST, TABLES>(cx, v, steps, items, bytes, is, done);
  default:
    return IG_OK;
  }
}

/* One launch for all windows: the largest of them sets threads and memory. With the tables in
   shared memory where these fit, else from global memory. *done stays false where the fused kernel
   cannot be used; the caller then takes plain kernels. */
extern "C" ig_status ig_powder_fine_cuda(ig_ctx *cx, const ig_powder_view *v,
                                         const ig_powder_window *window, const ig_powder_way *ways,
                                         int steps, ig_powder_cluster *is, bool *done) {
  int items = 0;
  size_t bytes[2] = {0, 0};
  ig_powder_view with = *v; /* with the keyholes of its beams */
  *done = false;
  if (is->most == 0) {
    int device = 0;
    IG_CUDA(cx, cudaGetDevice(&device));
    IG_CUDA(cx, cudaDeviceGetAttribute(&is->most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  }
  for (int i = 0; i < v->window_count; i++) {
    const window_cut c = window_cut_of(window[i].fine.n);
    const int here = window_items(c);
    items = here > items ? here : items;
    for (int t = 0; t < 2; t++) {
      const size_t need = sizeof(double) * (size_t)window_memory_of(c, t != 0).doubles;
      bytes[t] = need > bytes[t] ? need : bytes[t];
    }
    if (c.nu > 4095 || c.nz > 1023 || c.thick > 511 || !light_fits(&with, &window[i], ways, steps))
      return IG_OK;
  }
  if (bytes[0] > (size_t)is->most || v->window_count == 0)
    return IG_OK;
  with.windows = v->own;
  with.window_count = v->own_count;
  *done = v->own_count == 0; /* others' windows only */
  if (*done)
    return IG_OK;
  return bytes[1] <= (size_t)is->most
             ? launch_items<true>(cx, &with, steps, items, bytes[1], is, done)
             : launch_items<false>(cx, &with, steps, items, bytes[0], is, done);
}
