/* Fine steps of all windows in one launch: a cluster of blocks per window.

   A window is cut into slabs of planes along x or y, a slab a block. Heat, temperature, resistance
   and states stay in shared memory, with a plane of the neighbours' on both sides. A step:

     heat += dt x (conduction + top + beams)      reads temperatures of the own slab and its halo
     arrive; T, 1/k, state from heat; wait        nobody reads temperatures any more
     store them, those of outer planes to the neighbours too
     the cluster meets

   One more warp per block works out the beams' shares along x and y one step ahead. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "powder/view.h"
}

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/beam.inc"
#include "powder/places.inc"

#include <cooperative_groups.h>

enum { WORKERS = 480, LIGHT = 32, BLOCKS = 16, SPOTS = 4, REACH = 48 };

/* Spots of a step, and their shares along x and y. */
struct window_light {
  int count, first[SPOTS][2], n[SPOTS][2];
  double joule[SPOTS], share[SPOTS][2][REACH], below[2][REACH + 1];
};

/* How a window is cut: axis `cut` into slabs of `thick` planes; the other axis is u. */
struct window_cut {
  int cut, planes, nu, nz, thick;
};
static __host__ __device__ window_cut window_cut_of(const int *n) {
  int work[2];
  for (int d = 0; d < 2; d++)
    work[d] = (n[d] + BLOCKS - 1) / BLOCKS * n[1 - d];
  const int cut = work[1] <= work[0] ? 1 : 0;
  const window_cut c = {cut, n[cut], n[1 - cut], n[2], (n[cut] + BLOCKS - 1) / BLOCKS};
  return c;
}

/* Shared memory of a block, in doubles from its start; states are bytes. */
struct window_memory {
  int tables, T, resist, heat, rim, lost, source, deep, light, state, doubles;
};
static __host__ __device__ window_memory window_memory_of(const window_cut &c, bool tables) {
  const int padded = (c.thick + 2) * (c.nz + 2) * (c.nu + 2), cells = c.thick * c.nz * c.nu;
  window_memory m;
  int at = 0;
  m.tables = at, at += tables ? (int)(sizeof(ig_powder_tables) / sizeof(double)) : 0;
  m.T = at, at += padded;
  m.resist = at, at += padded;
  m.heat = at, at += cells;
  m.rim = at, at += 2 * c.thick * c.nz + 2 * c.thick * c.nu + c.nu * c.nz;
  m.lost = at, at += c.thick * c.nu;
  m.source = at, at += c.thick * c.nu;
  m.deep = at, at += c.nz;
  m.light = at, at += 2 * (int)(sizeof(window_light) / sizeof(double));
  m.state = at, at += (cells + 7) / 8;
  m.doubles = at;
  return m;
}

/* Of all threads of a cluster. */
static __device__ __forceinline__ void cluster_arrive(void) {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
static __device__ __forceinline__ void cluster_wait(void) {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/* A spot's shares, by one warp: half of it along x, half along y. */
static __device__ __forceinline__ void light_share(const ig_powder_view &v,
                                                   const ig_powder_window &w, const double *x,
                                                   int spot, window_light *light) {
  const int lane = (int)threadIdx.x & 15, d = (int)threadIdx.x >> 4 & 1;
  const double h = w.fine.edge, at = d ? x[1] : x[0],
               low = (d ? v.low[1] : v.low[0]) + (d ? w.box.at[1] : w.box.at[0]) * h * v.r;
  int first, end;
  powder_reach(d ? w.fine.n[1] : w.fine.n[0], low, h, at, v.radius, &first, &end);
  const int n = end > first ? (end - first < REACH ? end - first : REACH) : 0;
  for (int i = lane; i <= n; i += 16)
    light->below[d][i] = powder_share_below(first + i, low, h, at, v.radius);
  __syncwarp();
  for (int i = lane; i < n; i += 16)
    light->share[spot][d][i] =
        (light->below[d][i + 1] - light->below[d][i]) / (light->below[d][n] - light->below[d][0]);
  if (lane == 0) {
    light->first[spot][d] = first;
    light->n[spot][d] = n;
  }
  __syncwarp();
}

/* The beams of a step, by one warp. `piece`: where each way is. */
static __device__ __noinline__ void light_look(const ig_powder_view &v, const ig_powder_window &w,
                                               int64_t *piece, double time, double dt,
                                               window_light *light) {
  int count = 0;
  for (int b = 0; b < w.beams; b++) {
    const ig_powder_way *way = &v.way[w.beam[b]];
    int64_t at = piece[b];
    while (at + 1 < way->count && way->t[at + 1] <= time)
      at++;
    piece[b] = at;
    powder_spot s = {at, -1, 0, 0, 0};
    double x[2], joule;
    while (count < SPOTS && powder_spot_next(way, time, dt, v.radius, &s, x, &joule)) {
      light_share(v, w, x, count, light);
      if ((threadIdx.x & 31) == 0)
        light->joule[count] = joule;
      count++;
    }
  }
  if ((threadIdx.x & 31) == 0)
    light->count = count;
}

/* One block's slab. */
struct window_slab {
  window_cut cut;
  int first, own, top, zrow, prow; /* planes; the topmost level; strides of T and resist */
  float per_row, per_plane;        /* 1/nu, 1/nz */
  double *T, *resist, *heat, *rim, *lost, *source, *deep;
  double *T_below, *resist_below, *T_above, *resist_above; /* of the blocks beside; NULL: none */
  uint8_t *state;
  window_light *light;
};

static __device__ __forceinline__ int slab_at(const window_slab &s, int plane, int k, int u) {
  return ((plane + 1) * (s.cut.nz + 2) + k + 1) * (s.cut.nu + 2) + u + 1;
}
/* A cell of the slab in the window's arrays. */
static __device__ __forceinline__ size_t slab_global(const ig_level &l, const window_slab &s,
                                                     int plane, int k, int u) {
  const int p = s.first + plane;
  return s.cut.cut ? ig_level_at(&l, u, p, k) : ig_level_at(&l, p, u, k);
}

/* Temperature and resistance of a cell; those of outer planes are the neighbours' too. */
static __device__ __forceinline__ void slab_put(const window_slab &s, int plane, int k, int u,
                                                double T, double resist) {
  const int at = slab_at(s, plane, k, u);
  s.T[at] = T;
  s.resist[at] = resist;
  if (plane == 0 && s.T_below) {
    const int there = slab_at(s, s.cut.thick, k, u);
    s.T_below[there] = T;
    s.resist_below[there] = resist;
  }
  if (plane == s.own - 1 && s.T_above) {
    const int there = slab_at(s, -1, k, u);
    s.T_above[there] = T;
    s.resist_above[there] = resist;
  }
}

/* Where the faces of a slab's rim are counted: u low and high, bottom and top, and the end of the
   window that the slab has, if it has one. */
static __device__ __forceinline__ int slab_face(const window_cut &c, int side, int plane, int k,
                                                int u) {
  const int upright = c.thick * c.nz, flat = c.thick * c.nu;
  return side < 2   ? side * upright + plane * c.nz + k
         : side < 4 ? 2 * upright + (side - 2) * flat + plane * c.nu + u
                    : 2 * upright + 2 * flat + k * c.nu + u;
}

/* Heat out through the faces of the rim that a cell has, J. Few cells have one. */
static __device__ __forceinline__ void slab_rim(const window_slab &s, int plane, int k, int u,
                                                int at, double edge, double scale) {
  const int p = s.first + plane;
  const unsigned sides = (u == 0) | (u == s.cut.nu - 1) << 1 | (k == 0) << 2 |
                         (k == s.cut.nz - 1) << 3 | (p == 0) << 4 | (p == s.cut.planes - 1) << 5;
#pragma unroll 1
  for (unsigned left = sides; left; left &= left - 1) {
    const int side = __ffs((int)left) - 1;
    const int stride = side < 2 ? 1 : side < 4 ? s.zrow : s.prow, to = side % 2 ? stride : -stride;
    s.rim[slab_face(s.cut, side < 4 ? side : 4, plane, k, u)] -=
        scale * powder_flux_f64(s.T[at], s.resist[at], s.T[at + to], s.resist[at + to], edge);
  }
}

/* Heat of a cell after a step. */
static __device__ __forceinline__ double slab_step(const ig_powder_view &v, const window_slab &s,
                                                   const window_light *light, int cell, int plane,
                                                   int k, int u, double edge, double dt) {
  const int at = slab_at(s, plane, k, u), column = plane * s.cut.nu + u;
  double heat = s.heat[cell] +
                dt / edge * powder_gain_f64(s.T + at, s.resist + at, s.prow, s.zrow, 1, 1, 1, edge);
  if (k == s.top && (v.convection != 0 || v.emissivity != 0)) {
    const double q = dt * powder_top_flux(&v, s.T[at]);
    heat -= q / edge;
    s.lost[column] += q * edge * edge;
  }
  const int x = s.cut.cut ? u : s.first + plane, y = s.cut.cut ? s.first + plane : u;
  for (int n = 0; n < light->count; n++) {
    const int i = x - light->first[n][0], j = y - light->first[n][1];
    if (i < 0 || j < 0 || i >= light->n[n][0] || j >= light->n[n][1] || s.deep[k] == 0)
      continue;
    const double q = light->joule[n] * light->share[n][0][i] * light->share[n][1][j] *
                     powder_absorbed(&v, s.state[(plane * s.cut.nz + s.top) * s.cut.nu + u],
                                     s.T[slab_at(s, plane, s.top, u)]);
    if (k == s.top)
      s.source[column] += q;
    heat += q * s.deep[k] / (edge * edge * edge);
  }
  slab_rim(s, plane, k, u, at, edge, dt * edge * edge);
  return heat;
}

/* Into shared memory: heat, states, ghosts; nothing has been counted yet. */
static __device__ void slab_load(const ig_powder_view &v, const ig_powder_window &w,
                                 const window_slab &s, const window_memory &m, double *base) {
  const int t = (int)threadIdx.x, step = (int)blockDim.x;
  const window_cut &c = s.cut;
  const ig_level &l = w.fine;
  for (int i = m.rim + t; i < m.deep; i += step)
    base[i] = 0;
  for (int k = t; k < c.nz; k += step)
    s.deep[k] = k <= s.top ? powder_share_deep(k, s.top, l.edge, v.depth) : 0;
  for (int i = t; i < s.own * c.nz * c.nu; i += step) {
    const int u = i % c.nu, k = i / c.nu % c.nz, plane = i / c.nu / c.nz, p = s.first + plane;
    s.heat[i] = l.heat[slab_global(l, s, plane, k, u)];
    s.state[i] = v.state[powder_state_in(&v, &w.box, c.cut ? u : p, c.cut ? p : u, k)];
  }
  const int span = (c.nz + 2) * (c.nu + 2);
  for (int i = t; i < (c.thick + 2) * span; i += step) {
    const int u = i % (c.nu + 2) - 1, k = i / (c.nu + 2) % (c.nz + 2) - 1, plane = i / span - 1;
    const int p = s.first + plane;
    const int out = (u < 0 || u >= c.nu) + (k < 0 || k >= c.nz) + (p < 0 || p >= c.planes);
    const bool ghost = out == 1 && plane < s.own + (p == c.planes);
    s.T[i] = ghost ? l.T[slab_global(l, s, plane, k, u)] : 0;
    s.resist[i] = ghost ? l.resist[slab_global(l, s, plane, k, u)] : IG_LEVEL_CLOSED;
  }
}

/* Back: heat, temperatures, states, what was counted. */
static __device__ void slab_store(const ig_powder_view &v, const ig_powder_window &w,
                                  const window_slab &s) {
  const int t = (int)threadIdx.x, step = (int)blockDim.x;
  const window_cut &c = s.cut;
  const ig_level &l = w.fine;
  for (int i = t; i < s.own * c.nz * c.nu; i += step) {
    const int u = i % c.nu, k = i / c.nu % c.nz, plane = i / c.nu / c.nz, p = s.first + plane;
    const int x[3] = {c.cut ? u : p, c.cut ? p : u, k}, at = slab_at(s, plane, k, u);
    const size_t to = slab_global(l, s, plane, k, u);
    l.heat[to] = s.heat[i];
    l.T[to] = s.T[at];
    l.resist[to] = s.resist[at];
    v.state[powder_state_in(&v, &w.box, x[0], x[1], k)] = s.state[i];
    const size_t column = powder_column_in(&v, &w.box, x[0], x[1]);
    for (int side = 0; side < 6; side++) {
      const int d = side / 2, e = (d + 1) % 3, f = (d + 2) % 3;
      if (x[d] != (side % 2 ? l.n[d] - 1 : 0))
        continue;
      const int here = d == 2 ? 2 + side % 2 : d == c.cut ? 4 : side % 2;
      const double q = s.rim[slab_face(c, here, plane, k, u)];
      w.rim[powder_rim_first(l.n, side) + (int64_t)x[f] * l.n[e] + x[e]] = q;
      if (side == 4 && w.box.at[2] == 0) /* the plate's bottom */
        v.held[column] += q;
    }
    if (k == s.top) {
      v.lost[column] += s.lost[plane * c.nu + u];
      v.source[column] += s.source[plane * c.nu + u];
    }
  }
}

/* Where in the slab a probe is; -1: elsewhere. */
static __device__ int probe_find(const ig_powder_view &v, const ig_powder_window &w,
                                 const window_slab &s, int probe) {
  int x[3];
  for (int d = 0; d < 3; d++) {
    const double at =
        floor((v.probe_at[3 * probe + d] - v.low[d]) / w.fine.edge) - (double)w.box.at[d] * v.r;
    if (!(at >= 0 && at < w.fine.n[d]))
      return -1;
    x[d] = (int)at;
  }
  const int plane = (s.cut.cut ? x[1] : x[0]) - s.first, u = s.cut.cut ? x[0] : x[1];
  return plane >= 0 && plane < s.own && x[2] <= s.top ? slab_at(s, plane, x[2], u) : -1;
}

static __device__ window_slab slab_of(const ig_powder_view &v, const ig_powder_window &w,
                                      const window_cut &cut, const window_memory &m, double *base,
                                      int rank) {
  window_slab s;
  s.cut = cut;
  s.first = rank * cut.thick;
  s.own = cut.planes - s.first;
  s.own = s.own < 0 ? 0 : s.own > cut.thick ? cut.thick : s.own;
  s.top = (int)(v.bed - (int64_t)w.box.at[2] * v.r) - 1;
  s.per_row = 1.0f / (float)cut.nu, s.per_plane = 1.0f / (float)cut.nz;
  s.zrow = cut.nu + 2;
  s.prow = (cut.nz + 2) * (cut.nu + 2);
  s.T = base + m.T, s.resist = base + m.resist, s.heat = base + m.heat, s.rim = base + m.rim;
  s.lost = base + m.lost, s.source = base + m.source, s.deep = base + m.deep;
  s.state = (uint8_t *)(base + m.state);
  s.light = (window_light *)(base + m.light);
  s.T_below = s.resist_below = s.T_above = s.resist_above = NULL;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (s.own > 0 && rank > 0) {
    s.T_below = cluster.map_shared_rank(s.T, (unsigned)rank - 1);
    s.resist_below = cluster.map_shared_rank(s.resist, (unsigned)rank - 1);
  }
  if (s.own > 0 && s.first + s.own < cut.planes) {
    s.T_above = cluster.map_shared_rank(s.T, (unsigned)rank + 1);
    s.resist_above = cluster.map_shared_rank(s.resist, (unsigned)rank + 1);
  }
  return s;
}

/* A cell's place in the slab; false: it is empty. */
struct slab_place {
  int plane, k, u;
};
static __device__ __forceinline__ slab_place slab_place_of(const window_slab &s, int cell) {
  /* quotients of small whole numbers, exact: cell + 1/2 is far from a multiple */
  const int row = (int)(((float)cell + 0.5f) * s.per_row);
  slab_place p;
  p.plane = (int)(((float)row + 0.5f) * s.per_plane);
  p.k = row - p.plane * s.cut.nz;
  p.u = cell - row * s.cut.nu;
  return p;
}

/* The highest temperature of a cell in the map; 1: it has just frozen (`gone`: bits of its state).
 */
static __device__ __forceinline__ unsigned slab_kept(const ig_powder_view &v,
                                                     const ig_powder_window &w,
                                                     const window_slab &s, const slab_place &p,
                                                     double T, int gone) {
  const int q = s.first + p.plane;
  float *kept = powder_map_in(&v, &w.box, s.cut.cut ? p.u : q, s.cut.cut ? q : p.u, p.k);
  if (!kept)
    return 0;
  if ((float)T > kept[IG_MAP_PEAK])
    kept[IG_MAP_PEAK] = (float)T;
  return gone & IG_POWDER_MOLTEN ? 1 : 0;
}

/* Records of a thread's cells that have just frozen. */
static __device__ void slab_freeze(const ig_powder_view &v, const ig_powder_window &w,
                                   const window_slab &s, const ig_powder_tables *tables, int t,
                                   unsigned *froze) {
  for (unsigned left = *froze; left; left &= left - 1) {
    const int i = t + (__ffs((int)left) - 1) * WORKERS;
    const slab_place p = slab_place_of(s, i);
    const int q = s.first + p.plane, at = slab_at(s, p.plane, p.k, p.u);
    float *kept = powder_map_in(&v, &w.box, s.cut.cut ? p.u : q, s.cut.cut ? q : p.u, p.k);
    powder_freeze_at(tables, s.T + at, s.resist + at, s.prow, s.zrow, s.heat[i], w.fine.edge, kept);
  }
  *froze = 0;
}

/* CELLS: how many a thread has at most; TABLES: those of the material are in shared memory. */
template <int CELLS, bool TABLES>
__global__ void __launch_bounds__(WORKERS + LIGHT, 1)
    window_steps(const __grid_constant__ ig_powder_view v, int steps) {
  extern __shared__ double base[];
  const ig_powder_window &w = v.windows[(int)blockIdx.x / BLOCKS];
  const int t = (int)threadIdx.x;
  const window_cut cut = window_cut_of(w.fine.n);
  const window_memory m = window_memory_of(cut, TABLES);
  const window_slab s = slab_of(v, w, cut, m, base, (int)blockIdx.x % BLOCKS);
  const ig_powder_tables *tables = TABLES ? (const ig_powder_tables *)base : v.tables;
  const double edge = w.fine.edge, dt = v.a.dt;
  const int cells = t < WORKERS ? s.own * cut.nz * cut.nu : 0;
  int64_t piece[IG_POWDER_BEAMS];
  int state[CELLS];
  double T[CELLS], resist[CELLS];
  unsigned froze = 0; /* cells of this thread, a bit each */
  for (int i = t; TABLES && i < m.T; i += (int)blockDim.x)
    base[i] = ((const double *)v.tables)[i];
  slab_load(v, w, s, m, base);
  if (t >= WORKERS) {
    for (int b = 0; b < w.beams; b++)
      piece[b] = v.way[w.beam[b]].piece;
    light_look(v, w, piece, v.a.time, dt, &s.light[0]);
  }
  const int seen = t < v.probes ? probe_find(v, w, s, t) : -1;
  double peak = seen >= 0 ? v.probe_peak[t] : 0;
  cluster_arrive();
  cluster_wait();
  for (int n = -1; n < steps; n++) { /* -1: only temperatures */
    if (seen >= 0 && n > 0)
      peak = peak > s.T[seen] ? peak : s.T[seen];
    if (v.map.n[0])
      slab_freeze(v, w, s, tables, t, &froze);
#pragma unroll 1
    for (int i = t; i < cells && n >= 0; i += WORKERS) {
      const slab_place p = slab_place_of(s, i);
      if (p.k <= s.top)
        s.heat[i] = slab_step(v, s, &s.light[n & 1], i, p.plane, p.k, p.u, edge, dt);
    }
    cluster_arrive();
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
      const int i = t + c * WORKERS;
      if (i < cells) {
        double heat = s.heat[i];
        state[c] = powder_state_next(tables, &heat, s.state[i]);
        heat = powder_content(tables, heat, state[c]);
        T[c] = powder_T(tables, heat);
        resist[c] = powder_resist(tables, heat, state[c] & IG_POWDER_SOLID ? 1 : 0);
      }
    }
    if (t >= WORKERS && n >= 0 && n + 1 < steps)
      light_look(v, w, piece, v.a.time + (n + 1) * dt, dt, &s.light[(n + 1) & 1]);
    cluster_wait();
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
      const int i = t + c * WORKERS;
      const slab_place p = slab_place_of(s, i);
      if (i < cells && p.k <= s.top) {
        if (v.map.n[0])
          froze |= slab_kept(v, w, s, p, T[c], s.state[i] & ~state[c]) << c;
        if (state[c] & ~s.state[i] & IG_POWDER_SOLID) {
          s.heat[i] += tables->sink;
          atomicAdd((unsigned long long *)v.sunk, 1ull);
        }
        s.state[i] = (uint8_t)state[c];
        slab_put(s, p.plane, p.k, p.u, T[c], resist[c]);
      }
    }
    cluster_arrive();
    cluster_wait();
  }
  if (v.map.n[0])
    slab_freeze(v, w, s, tables, t, &froze);
  if (seen >= 0)
    v.probe_peak[t] = peak > s.T[seen] ? peak : s.T[seen];
  slab_store(v, w, s);
  cluster_arrive(); /* nobody's memory goes before all are done */
  cluster_wait();
}

/* --- the host's part */

/* Whether no step has more spots, or wider ones, than there is room for. */
static bool light_fits(const ig_powder_view *v, const ig_powder_window *w,
                       const ig_powder_way *ways, int steps) {
  if (5 * v->radius / w->fine.edge + 2 > REACH)
    return false;
  for (int n = 0; n < steps; n++) {
    int count = 0;
    for (int b = 0; b < w->beams; b++) {
      const ig_powder_way *way = &ways[w->beam[b]];
      powder_spot s = {way->piece, -1, 0, 0, 0};
      double x[2], joule;
      while (count <= SPOTS &&
             powder_spot_next(way, v->a.time + n * v->a.dt, v->a.dt, v->radius, &s, x, &joule))
        count++;
    }
    if (count > SPOTS)
      return false;
  }
  return true;
}

template <int CELLS, bool TABLES>
static ig_status launch(ig_ctx *cx, const ig_powder_view *v, int steps, ig_powder_cluster *is,
                        bool *done) {
  const void *kernel = (const void *)window_steps<CELLS, TABLES>;
  cudaLaunchConfig_t how = {};
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = BLOCKS;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  how.gridDim = dim3((unsigned)(BLOCKS * v->window_count));
  how.blockDim = dim3(WORKERS + LIGHT);
  how.dynamicSmemBytes = is->bytes;
  how.stream = ig_cuda_stream(cx);
  how.attrs = &cluster;
  how.numAttrs = 1;
  if (is->asked != CELLS || is->asked_bytes != is->bytes) {
    IG_CUDA(cx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)is->bytes));
    IG_CUDA(cx, cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    int fit = 0;
    const cudaError_t status = cudaOccupancyMaxActiveClusters(&fit, kernel, &how);
    if (status != cudaSuccess)
      cudaGetLastError(); /* not this device */
    is->fits = status == cudaSuccess && fit > 0;
    is->asked = CELLS;
    is->asked_bytes = is->bytes;
  }
  if (!is->fits)
    return IG_OK;
  IG_CUDA(cx, cudaLaunchKernelEx(&how, window_steps<CELLS, TABLES>, *v, steps));
  *done = true;
  return IG_OK;
}

extern "C" ig_status ig_powder_fine_cuda(ig_ctx *cx, const ig_powder_view *v,
                                         const ig_powder_window *window, const ig_powder_way *ways,
                                         int steps, ig_powder_cluster *is, bool *done) {
  int cells = 0;
  size_t bytes[2] = {0, 0};
  *done = false;
  if (is->most == 0) {
    int device = 0;
    IG_CUDA(cx, cudaGetDevice(&device));
    IG_CUDA(cx, cudaDeviceGetAttribute(&is->most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  }
  for (int i = 0; i < v->window_count; i++) {
    const window_cut c = window_cut_of(window[i].fine.n);
    const int here = c.thick * c.nz * c.nu;
    cells = here > cells ? here : cells;
    for (int t = 0; t < 2; t++) {
      const size_t need = sizeof(double) * (size_t)window_memory_of(c, t != 0).doubles;
      bytes[t] = need > bytes[t] ? need : bytes[t];
    }
    if (c.nu > 4095 || c.nz > 1023 || c.thick > 511 || !light_fits(v, &window[i], ways, steps))
      return IG_OK;
  }
  const int each = (cells + WORKERS - 1) / WORKERS;
  const bool tables = bytes[1] <= (size_t)is->most && each <= 8;
  is->bytes = bytes[tables];
  if (is->bytes > (size_t)is->most || each > 16 || v->probes > WORKERS || v->window_count == 0)
    return IG_OK;
  if (!tables)
    return launch<16, false>(cx, v, steps, is, done);
  return each <= 4 ? launch<4, true>(cx, v, steps, is, done)
                   : launch<8, true>(cx, v, steps, is, done);
}
