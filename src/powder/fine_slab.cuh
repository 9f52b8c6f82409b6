/* A block's slab of a window in shared memory (fine_cuda.cu): how a window is cut, what is where,
   loading and storing. After places.inc and fine_light.cuh. */
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
  int cell, tables, rim, lost, source, deep, light, state, doubles;
};
static __host__ __device__ window_memory window_memory_of(const window_cut &c, bool tables) {
  const int padded = (c.thick + 4) * (c.nz + 2) * (c.nu + 2), cells = c.thick * c.nz * c.nu;
  window_memory m;
  int at = 0;
  m.cell = at, at += 2 * padded;
  m.tables = at, at += tables ? (int)(sizeof(ig_powder_tables) / sizeof(double)) : 0;
  m.rim = at, at += 2 * c.thick * c.nz + 2 * c.thick * c.nu + 2 * c.nu * c.nz;
  m.lost = at, at += c.thick * c.nu;
  m.source = at, at += c.thick * c.nu;
  m.deep = at, at += c.nz + PIECE;
  m.light = at, at += 2 * (int)(sizeof(window_light) / sizeof(double));
  m.state = at, at += (cells + 7) / 8;
  m.doubles = at;
  return m;
}

/* One block's slab. Planes -2 and -1 are the neighbour's below, `thick` and `thick` + 1 that above:
   of even steps and of odd ones. */
struct window_slab {
  window_cut cut;
  int first, own, top, zrow, prow;  /* planes; the topmost level; strides of cells */
  float per_row, per_plane;         /* 1 / nu, 1 / pieces */
  double2 *cell;                    /* temperature and resistance */
  double2 *cell_below, *cell_above; /* of the blocks beside; NULL: none */
  double *rim, *lost, *source, *deep;
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

/* Where the faces of a slab's rim are counted: u low and high, bottom and top, the window's ends.
 */
static __device__ __forceinline__ int slab_face(const window_cut &c, int side, int plane, int k,
                                                int u) {
  const int upright = c.thick * c.nz, flat = c.thick * c.nu;
  return side < 2   ? side * upright + plane * c.nz + k
         : side < 4 ? 2 * upright + (side - 2) * flat + plane * c.nu + u
                    : 2 * upright + 2 * flat + (side - 4) * c.nu * c.nz + k * c.nu + u;
}

/* A face of the slab's rim by its number (slab_face): the window's side it is on, the cell inside,
   where its ghost is in shared memory; false: another slab has it. */
struct slab_rim {
  int side, plane, k, u, ghost;
};
static __device__ bool slab_rim_at(const window_slab &s, int face, slab_rim *f) {
  const window_cut &c = s.cut;
  const int upright = c.thick * c.nz, flat = c.thick * c.nu, end = c.nu * c.nz;
  int side;
  if (face < 2 * upright) {
    side = face / upright, face %= upright;
    f->plane = face / c.nz, f->k = face % c.nz, f->u = side ? c.nu - 1 : 0;
    f->side = 2 * (1 - c.cut) + side;
  } else if (face < 2 * upright + 2 * flat) {
    face -= 2 * upright, side = face / flat, face %= flat;
    f->plane = face / c.nu, f->u = face % c.nu, f->k = side ? c.nz - 1 : 0;
    f->side = 4 + side;
  } else {
    face -= 2 * upright + 2 * flat, side = face / end, face %= end;
    f->plane = side ? s.own - 1 : 0, f->k = face / c.nu, f->u = face % c.nu;
    f->side = 2 * c.cut + side;
    f->ghost = slab_at(s, side ? c.thick : -2, f->k, f->u);
    return s.own > 0 && s.first + f->plane == (side ? c.planes - 1 : 0);
  }
  const int to = f->side >= 4 ? s.zrow : 1;
  f->ghost = slab_at(s, f->plane, f->k, f->u) + (side ? to : -to);
  return f->plane < s.own;
}
/* The cell inside, in the window. */
static __device__ void slab_rim_cell(const window_slab &s, const slab_rim &f, int *x) {
  x[s.cut.cut] = s.first + f.plane;
  x[1 - s.cut.cut] = f.u;
  x[2] = f.k;
}

/* Into shared memory: states, ghosts; nothing has been counted yet. */
static __device__ __noinline__ void slab_load(const ig_powder_view &v, const ig_powder_window &w,
                                              window_slab s, int counted, int counted_end,
                                              double *base) {
  const int t = (int)threadIdx.x, step = (int)blockDim.x;
  const window_cut &c = s.cut;
  const double2 closed = {0, IG_LEVEL_CLOSED};
  for (int i = counted + t; i < counted_end; i += step)
    base[i] = 0;
  for (int k = t; k < c.nz + PIECE; k += step)
    s.deep[k] = k <= s.top ? powder_share_deep(k, s.top, w.fine.edge, v.depth) : 0;
  for (int i = t; i < (c.thick + 4) * s.prow; i += step)
    s.cell[i] = closed;
#pragma unroll 4
  for (int i = t; i < s.own * c.nz * c.nu; i += step) {
    const int u = i % c.nu, k = i / c.nu % c.nz, p = s.first + i / c.nu / c.nz;
    s.state[i] = v.state[powder_state_in(&v, &w.box, c.cut ? u : p, c.cut ? p : u, k)];
  }
  __syncthreads();
  for (int i = t; i < slab_face(c, 6, 0, 0, 0); i += step) {
    slab_rim f;
    int x[3];
    if (!slab_rim_at(s, i, &f))
      continue;
    slab_rim_cell(s, f, x);
    const powder_rim_face face =
        powder_rim_on(&v, &w, f.side, x[(f.side / 2 + 1) % 3], x[(f.side / 2 + 2) % 3]);
    double2 ghost;
    powder_ghost_of(&v, &face, &ghost.x, &ghost.y);
    s.cell[f.ghost] = ghost;
    if (f.side / 2 == c.cut) /* of even steps and of odd ones */
      s.cell[f.ghost + s.prow] = ghost;
  }
}

/* Back: temperatures and states; heat that crossed the rim, left through the top, came from beams.
 */
static __device__ __noinline__ void slab_store(const ig_powder_view &v, const ig_powder_window &w,
                                               window_slab s) {
  const int t = (int)threadIdx.x, step = (int)blockDim.x;
  const window_cut &c = s.cut;
  const ig_level &l = w.fine;
#pragma unroll 4
  for (int i = t; i < s.own * c.nz * c.nu; i += step) {
    const int u = i % c.nu, k = i / c.nu % c.nz, plane = i / c.nu / c.nz, p = s.first + plane;
    l.T[slab_global(l, s, plane, k, u)] = s.cell[slab_at(s, plane, k, u)].x;
    v.state[powder_state_in(&v, &w.box, c.cut ? u : p, c.cut ? p : u, k)] = s.state[i];
  }
  for (int i = t; i < slab_face(c, 6, 0, 0, 0); i += step) {
    slab_rim f;
    int x[3];
    if (!slab_rim_at(s, i, &f))
      continue;
    slab_rim_cell(s, f, x);
    const int e = (f.side / 2 + 1) % 3, g = (f.side / 2 + 2) % 3;
    w.rim[powder_rim_first(l.n, f.side) + (int64_t)x[g] * l.n[e] + x[e]] = s.rim[i];
    if (f.side == 4 && w.box.at[2] == 0) /* the plate's bottom */
      v.held[powder_column_in(&v, &w.box, x[0], x[1])] += s.rim[i];
  }
  for (int i = t; i < s.own * c.nu; i += step) {
    const int u = i % c.nu, p = s.first + i / c.nu;
    const size_t column = powder_column_in(&v, &w.box, c.cut ? u : p, c.cut ? p : u);
    v.lost[column] += s.lost[i];
    v.source[column] += s.source[i];
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
  s.cell = (double2 *)(base + m.cell);
  s.rim = base + m.rim, s.lost = base + m.lost, s.source = base + m.source;
  s.deep = base + m.deep;
  s.state = (uint8_t *)(base + m.state);
  s.light = (window_light *)(base + m.light);
  s.cell_below = s.cell_above = NULL;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (s.own > 0 && rank > 0)
    s.cell_below = cluster.map_shared_rank(s.cell, (unsigned)rank - 1);
  if (s.own > 0 && s.first + s.own < cut.planes)
    s.cell_above = cluster.map_shared_rank(s.cell, (unsigned)rank + 1);
  return s;
}
