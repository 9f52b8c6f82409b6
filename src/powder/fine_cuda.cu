/* Fine steps of all windows in one launch: a cluster of blocks per window.

   A window is cut into slabs of planes along x or y, a slab a block. A thread has pieces of
   columns, of four cells each, with their heat in registers. Temperature and resistance are in
   shared memory, with planes of the neighbours on both sides, which they write. A step:

     heat += dt x (conduction + top + beams)   reads temperatures
     the block meets                           nobody of it reads temperatures any more
     T, 1/k, state from heat; those of outer planes to the neighbours too
     the cluster meets

   Planes of the neighbours are there twice and used in turn: a neighbour may be ahead by half a
   step. One more warp per block works out the beams' shares along x and y one step ahead. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "powder/view.h"
}

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/beam.inc"
#include "powder/places.inc"
#include "powder/fine_light.cuh"

#include <cooperative_groups.h>

enum { LIGHT = 32, BLOCKS = 16, PIECE = 4 };

/* How a window is cut: axis `cut` into slabs of `thick` planes; the other axis is u. Columns are in
   `pieces` of PIECE cells. */
struct window_cut {
  int cut, planes, nu, nz, thick, pieces;
};
static __host__ __device__ window_cut window_cut_of(const int *n) {
  int work[2], held[2];
  for (int d = 0; d < 2; d++) {
    const int thick = (n[d] + BLOCKS - 1) / BLOCKS;
    work[d] = thick * n[1 - d];
    held[d] = (thick + 4) * (n[1 - d] + 2);
  }
  const int cut = work[1] < work[0] || (work[1] == work[0] && held[1] <= held[0]) ? 1 : 0;
  const window_cut c = {
      cut, n[cut], n[1 - cut], n[2], (n[cut] + BLOCKS - 1) / BLOCKS, (n[2] + PIECE - 1) / PIECE};
  return c;
}
static __host__ __device__ int window_items(const window_cut &c) {
  return c.thick * c.pieces * c.nu;
}

/* Shared memory of a block, in doubles from its start; states are bytes. */
struct window_memory {
  int tables, T, resist, rim, lost, source, deep, light, state, doubles;
};
static __host__ __device__ window_memory window_memory_of(const window_cut &c, bool tables) {
  const int padded = (c.thick + 4) * (c.nz + 2) * (c.nu + 2), cells = c.thick * c.nz * c.nu;
  window_memory m;
  int at = 0;
  m.tables = at, at += tables ? (int)(sizeof(ig_powder_tables) / sizeof(double)) : 0;
  m.T = at, at += padded;
  m.resist = at, at += padded;
  m.rim = at, at += 2 * c.thick * c.nz + 2 * c.thick * c.nu + 2 * c.nu * c.nz;
  m.lost = at, at += c.thick * c.nu;
  m.source = at, at += c.thick * c.nu;
  m.deep = at, at += c.nz + PIECE;
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

/* Of the threads that have cells. */
static __device__ __forceinline__ void workers_meet(int workers) {
  asm volatile("bar.sync 1, %0;" ::"r"(workers) : "memory");
}

/* One block's slab. Planes -2 and -1 are the neighbour's below, `thick` and `thick` + 1 that above:
   of even steps and of odd ones. */
struct window_slab {
  window_cut cut;
  int first, own, top, zrow, prow; /* planes; the topmost level; strides of T and resist */
  float per_row, per_plane;        /* 1 / nu, 1 / pieces */
  double *T, *resist, *rim, *lost, *source, *deep;
  double *T_below, *resist_below, *T_above, *resist_above; /* of the blocks beside; NULL: none */
  uint8_t *state;
  window_light *light;
};

static __device__ __forceinline__ int slab_at(const window_slab &s, int plane, int k, int u) {
  return ((plane + 2) * (s.cut.nz + 2) + k + 1) * (s.cut.nu + 2) + u + 1;
}
/* How far the planes beside one are, in step `n`. */
static __device__ __forceinline__ int slab_low(const window_slab &s, int plane, int n) {
  return (plane > 0 ? -1 : (n & 1) - 2) * s.prow;
}
static __device__ __forceinline__ int slab_high(const window_slab &s, int plane, int n) {
  return (plane < s.own - 1 ? 1 : s.cut.thick + (n & 1) - plane) * s.prow;
}
/* A cell of the slab in the window's arrays. */
static __device__ __forceinline__ size_t slab_global(const ig_level &l, const window_slab &s,
                                                     int plane, int k, int u) {
  const int p = s.first + plane;
  return s.cut.cut ? ig_level_at(&l, u, p, k) : ig_level_at(&l, p, u, k);
}

/* The lowest cell of a thread's piece of a column. */
struct slab_place {
  int plane, k, u;
};
static __device__ __forceinline__ slab_place slab_place_of(const window_slab &s, int item) {
  asm volatile(""
               : "+r"(item)); /* worked out anew: what follows from it would fill all registers */
  /* quotients of small whole numbers, exact: item + 1/2 is far from a multiple */
  const int row = (int)(((float)item + 0.5f) * s.per_row);
  slab_place p;
  p.plane = (int)(((float)row + 0.5f) * s.per_plane);
  p.k = (row - p.plane * s.cut.pieces) * PIECE;
  p.u = item - row * s.cut.nu;
  return p;
}

/* Temperature and resistance of a cell for step `n`; those of outer planes are the neighbours' too.
 */
static __device__ __forceinline__ void slab_put(const window_slab &s, const slab_place &p, int k,
                                                int n, double T, double resist) {
  const int at = slab_at(s, p.plane, k, p.u);
  s.T[at] = T;
  s.resist[at] = resist;
  if (p.plane == 0 && s.T_below) {
    const int there = slab_at(s, s.cut.thick + (n & 1), k, p.u);
    s.T_below[there] = T;
    s.resist_below[there] = resist;
  }
  if (p.plane == s.own - 1 && s.T_above) {
    const int there = slab_at(s, (n & 1) - 2, k, p.u);
    s.T_above[there] = T;
    s.resist_above[there] = resist;
  }
}

/* Where the faces of a slab's rim are counted: u low and high, bottom and top, the window's ends.
 */
static __device__ __forceinline__ int slab_face(const window_cut &c, int side, int plane, int k,
                                                int u) {
  const int upright = c.thick * c.nz, flat = c.thick * c.nu;
  return side < 2   ? side * upright + plane * c.nz + k
         : side < 4 ? 2 * upright + (side - 2) * flat + plane * c.nu + u
                    : 2 * upright + 2 * flat + (side - 4) * c.nu * c.nz + k * c.nu + u;
}

/* What the beams bring a column of the window, J. Its topmost cell decides. Out of line, as all
   that few threads need: the step keeps its registers. */
static __device__ __noinline__ double slab_light(const ig_powder_view &v, const window_light *light,
                                                 int x, int y, int state, double T) {
  double sum = 0;
  for (int n = 0; n < light->count; n++) {
    const int i = x - light->first[n][0], j = y - light->first[n][1];
    if (i >= 0 && j >= 0 && i < light->n[n][0] && j < light->n[n][1])
      sum += light->joule[n] * light->share[n][0][i] * light->share[n][1][j];
  }
  return sum == 0 ? 0 : sum * powder_absorbed(&v, state, T);
}

/* Heat of a piece of a column after step `n`: of each face what powder_pass says. */
static __device__ __forceinline__ void slab_step(const ig_powder_view &v, const window_slab &s,
                                                 const slab_place &p, int n, double edge, double dt,
                                                 double *heat) {
  const window_cut &c = s.cut;
  const double into = 2 * dt / (edge * edge), across = 2 * dt * edge; /* J/m^3, J per W/m */
  const int low = slab_low(s, p.plane, n), high = slab_high(s, p.plane, n), q = s.first + p.plane;
  int at = slab_at(s, p.plane, p.k, p.u);
  double T = s.T[at], resist = s.resist[at];
  double below = powder_pass_f64(T, resist, s.T[at - s.zrow], s.resist[at - s.zrow]);
  if (p.k == 0)
    s.rim[slab_face(c, 2, p.plane, 0, p.u)] -= across * below;
#pragma unroll
  for (int z = 0; z < PIECE; z++, at += s.zrow) {
    const int k = p.k + z;
    if (k > s.top)
      continue;
    const double T_next = s.T[at + s.zrow], resist_next = s.resist[at + s.zrow];
    const double above = powder_pass_f64(T, resist, T_next, resist_next);
    const double left = powder_pass_f64(T, resist, s.T[at - 1], s.resist[at - 1]);
    const double right = powder_pass_f64(T, resist, s.T[at + 1], s.resist[at + 1]);
    const double back = powder_pass_f64(T, resist, s.T[at + low], s.resist[at + low]);
    const double front = powder_pass_f64(T, resist, s.T[at + high], s.resist[at + high]);
    heat[z] += into * (left + right + (back + front) + (below + above));
    if (k == s.top && (v.convection != 0 || v.emissivity != 0)) {
      const double out = dt * powder_top_flux(&v, T);
      heat[z] -= out / edge;
      s.lost[p.plane * c.nu + p.u] += out * edge * edge;
    }
    if (p.u == 0)
      s.rim[slab_face(c, 0, p.plane, k, 0)] -= across * left;
    if (p.u == c.nu - 1)
      s.rim[slab_face(c, 1, p.plane, k, 0)] -= across * right;
    if (q == 0)
      s.rim[slab_face(c, 4, 0, k, p.u)] -= across * back;
    if (q == c.planes - 1)
      s.rim[slab_face(c, 5, 0, k, p.u)] -= across * front;
    if (k == c.nz - 1)
      s.rim[slab_face(c, 3, p.plane, 0, p.u)] -= across * above;
    below = -above;
    T = T_next, resist = resist_next;
  }
  const int highest = p.k + PIECE - 1 < s.top ? p.k + PIECE - 1 : s.top;
  const window_light *light = &s.light[n & 1];
  if (light->count == 0 || highest < p.k || s.deep[highest] == 0)
    return;
  const double joule = slab_light(v, light, c.cut ? p.u : q, c.cut ? q : p.u,
                                  s.state[(p.plane * c.nz + s.top) * c.nu + p.u],
                                  s.T[slab_at(s, p.plane, s.top, p.u)]);
  if (joule == 0)
    return;
  if (highest == s.top)
    s.source[p.plane * c.nu + p.u] += joule;
#pragma unroll
  for (int z = 0; z < PIECE; z++)
    heat[z] += joule / (edge * edge * edge) * s.deep[p.k + z];
}

/* Into shared memory: states, ghosts; nothing has been counted yet. */
static __device__ __noinline__ void slab_load(const ig_powder_view &v, const ig_powder_window &w,
                                              window_slab s, int counted, int counted_end,
                                              double *base) {
  const int t = (int)threadIdx.x, step = (int)blockDim.x;
  const window_cut &c = s.cut;
  for (int i = counted + t; i < counted_end; i += step)
    base[i] = 0;
  for (int k = t; k < c.nz + PIECE; k += step)
    s.deep[k] = k <= s.top ? powder_share_deep(k, s.top, w.fine.edge, v.depth) : 0;
  for (int i = t; i < s.own * c.nz * c.nu; i += step) {
    const int u = i % c.nu, k = i / c.nu % c.nz, p = s.first + i / c.nu / c.nz;
    s.state[i] = v.state[powder_state_in(&v, &w.box, c.cut ? u : p, c.cut ? p : u, k)];
  }
  const int span = (c.nz + 2) * (c.nu + 2);
  for (int i = t; i < (c.thick + 4) * span; i += step) {
    const int u = i % (c.nu + 2) - 1, k = i / (c.nu + 2) % (c.nz + 2) - 1, q = i / span - 2;
    const int plane = q < 0 ? -1 : q < c.thick ? q : s.own, p = s.first + plane;
    const int x[3] = {c.cut ? u : p, c.cut ? p : u, k};
    int side = 0, out = s.own == 0 || (q < c.thick && plane >= s.own) ? 2 : 0;
    for (int d = 0; d < 3; d++)
      if (x[d] < 0 || x[d] >= w.fine.n[d])
        side = 2 * d + (x[d] >= 0), out++;
    s.T[i] = 0;
    s.resist[i] = IG_LEVEL_CLOSED;
    if (out != 1)
      continue;
    const powder_rim_face face =
        powder_rim_on(&v, &w, side, x[(side / 2 + 1) % 3], x[(side / 2 + 2) % 3]);
    powder_ghost_of(&v, &face, &s.T[i], &s.resist[i]);
  }
}

/* What a cell counted: heat through its faces of the rim, through the top, from the beams. */
static __device__ __forceinline__ void slab_count(const ig_powder_view &v,
                                                  const ig_powder_window &w, const window_slab &s,
                                                  const slab_place &p, int k) {
  const window_cut &c = s.cut;
  const ig_level &l = w.fine;
  const int q = s.first + p.plane, x[3] = {c.cut ? p.u : q, c.cut ? q : p.u, k};
  const size_t column = powder_column_in(&v, &w.box, x[0], x[1]);
#pragma unroll
  for (int side = 0; side < 6; side++) {
    const int d = side / 2, e = (d + 1) % 3, f = (d + 2) % 3;
    if (x[d] != (side % 2 ? l.n[d] - 1 : 0))
      continue;
    const int here = (d == 2 ? 2 : d == c.cut ? 4 : 0) + side % 2;
    const double out = s.rim[slab_face(c, here, p.plane, k, p.u)];
    w.rim[powder_rim_first(l.n, side) + (int64_t)x[f] * l.n[e] + x[e]] = out;
    if (side == 4 && w.box.at[2] == 0) /* the plate's bottom */
      v.held[column] += out;
  }
  if (k == s.top) {
    v.lost[column] += s.lost[p.plane * c.nu + p.u];
    v.source[column] += s.source[p.plane * c.nu + p.u];
  }
}

/* Back: temperatures, states, what was counted. */
static __device__ __noinline__ void slab_store(const ig_powder_view &v, const ig_powder_window &w,
                                               window_slab s, slab_place p) {
#pragma unroll 1
  for (int k = p.k; k < p.k + PIECE && k < s.cut.nz; k++) {
    const int q = s.first + p.plane;
    w.fine.T[slab_global(w.fine, s, p.plane, k, p.u)] = s.T[slab_at(s, p.plane, k, p.u)];
    v.state[powder_state_in(&v, &w.box, s.cut.cut ? p.u : q, s.cut.cut ? q : p.u, k)] =
        s.state[(p.plane * s.cut.nz + k) * s.cut.nu + p.u];
    slab_count(v, w, s, p, k);
  }
}

/* Where in the slab a probe is; -1: elsewhere. */
static __device__ __noinline__ int probe_find(const ig_powder_view &v, const ig_powder_window &w,
                                              window_slab s, int probe) {
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
  s.per_row = 1.0f / (float)cut.nu, s.per_plane = 1.0f / (float)cut.pieces;
  s.zrow = cut.nu + 2;
  s.prow = (cut.nz + 2) * (cut.nu + 2);
  s.T = base + m.T, s.resist = base + m.resist, s.rim = base + m.rim;
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

/* Temperatures, resistances and states of a piece of a column, for step `n`; bits of its cells that
   have just frozen, if they are in the map. */
static __device__ __forceinline__ unsigned
slab_look(const ig_powder_view &v, const ig_powder_window &w, const window_slab &s,
          const ig_powder_tables *tables, const slab_place &p, int n, double *heat) {
  unsigned froze = 0;
#pragma unroll
  for (int z = 0; z < PIECE; z++) {
    const int k = p.k + z;
    if (k > s.top)
      continue;
    uint8_t *cell = &s.state[(p.plane * s.cut.nz + k) * s.cut.nu + p.u];
    const int was = *cell, state = powder_state_next(tables, &heat[z], was);
    const double content = powder_content(tables, heat[z], state);
    const double T = powder_T(tables, content);
    const double resist = powder_resist(tables, content, state & IG_POWDER_SOLID ? 1 : 0);
    if (state != was) {
      *cell = (uint8_t)state;
      if (state & ~was & IG_POWDER_SOLID)
        atomicAdd((unsigned long long *)v.sunk, 1ull);
    }
    if (v.map.n[0])
      froze |= cell_kept(v, w, s.cut.cut ? p.u : s.first + p.plane,
                         s.cut.cut ? s.first + p.plane : p.u, k, T, was & ~state)
               << z;
    slab_put(s, p, k, n, T, resist);
  }
  return froze;
}

/* The record of cell (x, y, k) that has just frozen. T, resist: the cell in shared memory; `low`
   and `high`: how far the planes beside it are. */
static __device__ __noinline__ void cell_freeze(const ig_powder_view &v, const ig_powder_window &w,
                                                const ig_powder_tables *tables, int x, int y, int k,
                                                const double *T, const double *resist, int low,
                                                int high, int zrow, double heat) {
  double t[7], s[7];
#pragma unroll
  for (int i = 0; i < 7; i++) {
    const int to[7] = {-zrow, low, -1, 0, 1, high, zrow};
    t[i] = T[to[i]], s[i] = resist[to[i]];
  }
  powder_freeze_at(tables, t + 3, s + 3, 2, 3, heat, w.fine.edge,
                   powder_map_in(&v, &w.box, x, y, k));
}

/* Records of cells of a piece that have just frozen, from the temperatures for step `n`. */
static __device__ __forceinline__ void slab_freeze(const ig_powder_view &v,
                                                   const ig_powder_window &w, const window_slab &s,
                                                   const ig_powder_tables *tables,
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
    cell_freeze(v, w, tables, s.cut.cut ? p.u : q, s.cut.cut ? q : p.u, p.k + z, s.T + at,
                s.resist + at, slab_low(s, p.plane, n), slab_high(s, p.plane, n), s.zrow, here);
  }
}

/* ROUNDS: pieces of a thread at most; TABLES: those of the material are in shared memory. */
template <int ROUNDS, int MOST, bool TABLES>
__global__ void __launch_bounds__(MOST, 1)
    window_steps(const __grid_constant__ ig_powder_view v, int steps) {
  extern __shared__ double base[];
  const ig_powder_window &w = v.windows[(int)blockIdx.x / BLOCKS];
  const int t = (int)threadIdx.x, workers = (int)blockDim.x - LIGHT;
  const window_cut cut = window_cut_of(w.fine.n);
  const window_memory m = window_memory_of(cut, TABLES);
  const window_slab s = slab_of(v, w, cut, m, base, (int)blockIdx.x % BLOCKS);
  const ig_powder_tables *tables = TABLES ? (const ig_powder_tables *)base : v.tables;
  const double edge = w.fine.edge, dt = v.a.dt;
  const int items = t < workers ? s.own * cut.pieces * cut.nu : 0;
  int64_t piece[IG_POWDER_BEAMS];
  double heat[ROUNDS][PIECE];
  unsigned froze[ROUNDS] = {0}; /* cells, a bit each */
  for (int i = t; TABLES && i < m.T; i += (int)blockDim.x)
    base[i] = ((const double *)v.tables)[i];
  slab_load(v, w, s, m.rim, m.deep, base);
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const slab_place p = slab_place_of(s, t + r * workers);
#pragma unroll
    for (int z = 0; z < PIECE; z++)
      heat[r][z] = t + r * workers < items && p.k + z < cut.nz
                       ? w.fine.heat[slab_global(w.fine, s, p.plane, p.k + z, p.u)]
                       : 0;
  }
  if (t >= workers) {
    for (int b = 0; b < w.beams; b++)
      piece[b] = v.way[w.beam[b]].piece;
    light_look(v, w, piece, v.a.time, dt, &s.light[0]);
  }
  const int seen = t < v.probes ? probe_find(v, w, s, t) : -1;
  double peak = seen >= 0 ? v.probe_peak[t] : 0;
  cluster_arrive();
  cluster_wait();
  for (int n = -1;; n++) { /* -1: only temperatures */
    if (seen >= 0 && n > 0)
      peak = peak > s.T[seen] ? peak : s.T[seen];
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
      if (v.map.n[0] && froze[r])
        slab_freeze(v, w, s, tables, slab_place_of(s, t + r * workers), n, froze[r], heat[r]);
    if (n == steps)
      break;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
      if (t + r * workers < items && n >= 0)
        slab_step(v, s, slab_place_of(s, t + r * workers), n, edge, dt, heat[r]);
    if (t < workers)
      workers_meet(workers);
    else if (n >= 0 && n + 1 < steps)
      light_look(v, w, piece, v.a.time + (n + 1) * dt, dt, &s.light[(n + 1) & 1]);
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
      if (t + r * workers < items)
        froze[r] = slab_look(v, w, s, tables, slab_place_of(s, t + r * workers), n + 1, heat[r]);
    cluster_arrive();
    cluster_wait();
  }
  if (seen >= 0)
    v.probe_peak[t] = peak;
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const slab_place p = slab_place_of(s, t + r * workers);
#pragma unroll
    for (int z = 0; z < PIECE; z++)
      if (t + r * workers < items && p.k + z < cut.nz)
        w.fine.heat[slab_global(w.fine, s, p.plane, p.k + z, p.u)] = heat[r][z];
  }
#pragma unroll 1
  for (int i = t; i < items; i += workers)
    slab_store(v, w, s, slab_place_of(s, i));
  cluster_arrive(); /* nobody's memory goes before all are done */
  cluster_wait();
}

/* --- the host's part */

template <int ROUNDS, int MOST, bool TABLES>
static ig_status launch(ig_ctx *cx, const ig_powder_view *v, int steps, int items, size_t bytes,
                        ig_powder_cluster *is, bool *done) {
  const void *kernel = (const void *)window_steps<ROUNDS, MOST, TABLES>;
  const int which = 2 * ROUNDS + TABLES, each = (items + ROUNDS - 1) / ROUNDS;
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
  if (is->asked != which || is->bytes != bytes) {
    IG_CUDA(cx,
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    IG_CUDA(cx, cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    int fit = 0;
    const cudaError_t status = cudaOccupancyMaxActiveClusters(&fit, kernel, &how);
    if (status != cudaSuccess)
      cudaGetLastError(); /* not this device */
    is->fits = status == cudaSuccess && fit > 0;
    is->asked = which;
    is->bytes = bytes;
  }
  if (!is->fits)
    return IG_OK;
  IG_CUDA(cx, cudaLaunchKernelEx(&how, window_steps<ROUNDS, MOST, TABLES>, *v, steps));
  *done = true;
  return IG_OK;
}

/* By pieces of a thread: one, two or four, with the registers that so many threads leave. */
template <bool TABLES>
static ig_status launch_items(ig_ctx *cx, const ig_powder_view *v, int steps, int items,
                              size_t bytes, ig_powder_cluster *is, bool *done) {
  enum { ONE = 512, MORE = 384 }; /* threads: 128 and 168 registers each */
  if (v->probes > items / 4)
    return IG_OK;
  if (items <= ONE - LIGHT)
    return launch<1, ONE, TABLES>(cx, v, steps, items, bytes, is, done);
  if (items <= 2 * (MORE - LIGHT))
    return launch<2, MORE, TABLES>(cx, v, steps, items, bytes, is, done);
  if (items <= 4 * (MORE - LIGHT))
    return launch<4, MORE, TABLES>(cx, v, steps, items, bytes, is, done);
  return IG_OK;
}

extern "C" ig_status ig_powder_fine_cuda(ig_ctx *cx, const ig_powder_view *v,
                                         const ig_powder_window *window, const ig_powder_way *ways,
                                         int steps, ig_powder_cluster *is, bool *done) {
  int items = 0;
  size_t bytes[2] = {0, 0};
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
    if (c.nu > 4095 || c.nz > 1023 || c.thick > 511 || !light_fits(v, &window[i], ways, steps))
      return IG_OK;
  }
  if (bytes[0] > (size_t)is->most || v->window_count == 0)
    return IG_OK;
  return bytes[1] <= (size_t)is->most
             ? launch_items<true>(cx, v, steps, items, bytes[1], is, done)
             : launch_items<false>(cx, v, steps, items, bytes[0], is, done);
}
