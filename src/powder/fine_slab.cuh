/* A block's slab of a window in shared memory (fine_cuda.cu): how a window is cut, what is where,
   loading and storing. After places.inc and fine_light.cuh. */
#include <cooperative_groups.h>

/* threads of the warp for light; blocks of a cluster, the most that CUDA allows (beyond 8:
   non-portable); cells of a piece */
enum { LIGHT = 32, BLOCKS = 16, PIECE = 4 };

/* How a window is cut: axis `cut` into slabs of `thick` planes; the other axis is u. Columns are in
   `pieces` of PIECE cells. */
struct window_cut {
  int cut, planes, nu, nz, thick, pieces;
};
/* The axis whose slabs give blocks less work; of equal ones the one that needs less memory. */
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
/* Pieces of a slab: one for each thread and round. */
static __host__ __device__ int window_items(const window_cut &c) {
  return c.thick * c.pieces * c.nu;
}

/* Shared memory of a block, in doubles from its start; states are words, one a piece. */
struct window_memory {
  int cell, tables, rim, lost, source, deep, below, light, spots, state, doubles;
};
/* The same on host and device: the host needs the size, the kernel the places. */
static __host__ __device__ window_memory window_memory_of(const window_cut &c, bool tables) {
  /* cell: temperature and resistance, two doubles each */
  const int padded = (c.thick + 4) * (c.nz + 2) * (c.nu + 2);
  window_memory m;
  int at = 0;
  m.cell = at, at += 2 * padded;
  m.tables = at, at += tables ? 2 * (IG_POWDER_ROWS + 1) : 0;
  m.rim = at, at += 2 * c.thick * c.nz + 2 * c.thick * c.nu + 2 * c.nu * c.nz;
  m.lost = at, at += c.thick * c.nu;
  m.source = at, at += c.thick * c.nu;
  m.deep = at, at += c.nz + PIECE;
  m.below = at, at += c.nz + 2;
  m.light = at, at += 2 * (int)(sizeof(window_light) / sizeof(double));
  m.spots = at, at += (int)(sizeof(window_spots) / sizeof(double));
  m.state = at, at += (window_items(c) + 1) / 2;
  m.doubles = at;
  return m;
}

/* One block's slab. Planes -2 and -1 are the neighbour's below, `thick` and `thick` + 1 that above:
   of even steps and of odd ones. */
struct window_slab {
  window_cut cut;
  int first, own, top, zrow, prow;  /* planes; the topmost level; strides of cells */
  float per_row, per_plane, per_k;  /* 1 / nu, 1 / pieces, 1 / nz */
  double2 *cell;                    /* temperature and resistance */
  const double2 *table;             /* of the tables, solid; where they are in shared memory */
  double2 *cell_below, *cell_above; /* of the blocks beside; NULL: none */
  double *rim, *lost, *source, *deep, *below;
  uint32_t *state; /* of pieces, a byte a cell */
  window_light *light;
  window_spots *spots;
};

/* Cells lie u fastest, then k, then planes, with a ghost on each side of u and k and two planes
   below and above. */
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
/* The state of a column's topmost cell. */
static __device__ __forceinline__ int slab_top_state(const window_slab &s, int plane, int u) {
  return (int)(s.state[(plane * s.cut.pieces + s.top / PIECE) * s.cut.nu + u] >>
               8 * (s.top % PIECE)) &
         255;
}
/* A cell of the slab in the window's arrays. */
static __device__ __forceinline__ size_t slab_global(const ig_powder_level &l, const window_slab &s,
                                                     int plane, int k, int u) {
  const int p = s.first + plane;
  return s.cut.cut ? ig_level_at(&l, u, p, k) : ig_level_at(&l, p, u, k);
}

/* a / b of small whole numbers, `per` 1 / b: exact, since a + 1/2 is far from a multiple. */
static __device__ __forceinline__ int slab_over(int a, float per) {
  return (int)(((float)a + 0.5f) * per);
}

/* The lowest cell of a thread's piece of a column. */
struct slab_place {
  int plane, k, u;
};
static __device__ __forceinline__ slab_place slab_place_of(const window_slab &s, int item) {
  asm volatile(""
               : "+r"(item)); /* worked out anew: what follows from it would fill all registers */
  const int row = slab_over(item, s.per_row);
  slab_place p;
  p.plane = slab_over(row, s.per_plane);
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

/* A face of the slab's rim by its number (slab_face): the window's side it is on, the cell inside
   in the slab and in the window, where its ghost is in shared memory; false: another slab has it.
 */
struct slab_rim {
  int side, plane, k, u, x, y, ghost;
};
static __device__ __forceinline__ bool slab_rim_at(const window_slab &s, int face, slab_rim *f) {
  const window_cut &c = s.cut;
  const int upright = c.thick * c.nz, flat = c.thick * c.nu, end = c.nu * c.nz;
  bool mine = true;
  int side;
  if (face < 2 * upright) {
    side = face >= upright, face -= side * upright;
    f->plane = slab_over(face, s.per_k), f->k = face - f->plane * c.nz, f->u = side ? c.nu - 1 : 0;
    f->side = 2 * (1 - c.cut) + side;
  } else if (face < 2 * upright + 2 * flat) {
    face -= 2 * upright, side = face >= flat, face -= side * flat;
    f->plane = slab_over(face, s.per_row), f->u = face - f->plane * c.nu,
    f->k = side ? c.nz - 1 : 0;
    f->side = 4 + side;
  } else {
    face -= 2 * upright + 2 * flat, side = face >= end, face -= side * end;
    f->k = slab_over(face, s.per_row), f->u = face - f->k * c.nu, f->plane = side ? s.own - 1 : 0;
    f->side = 2 * c.cut + side;
    mine = s.own > 0 && s.first + f->plane == (side ? c.planes - 1 : 0);
  }
  const int q = s.first + f->plane, to = f->side >= 4 ? s.zrow : 1;
  f->x = c.cut ? f->u : q, f->y = c.cut ? q : f->u;
  f->ghost = f->side / 2 == c.cut ? slab_at(s, side ? c.thick : -2, f->k, f->u)
                                  : slab_at(s, f->plane, f->k, f->u) + (side ? to : -to);
  return mine && f->plane < s.own;
}
/* How many faces there are: the window's ends are those of the first and the last slab. */
static __device__ __forceinline__ int slab_faces(const window_slab &s) {
  const bool end = s.own > 0 && (s.first == 0 || s.first + s.own == s.cut.planes);
  return slab_face(s.cut, end ? 6 : 4, 0, 0, 0);
}

/* The ghost at a face of a side of axis D, and where the face is in the window's list. */
template <int D>
static __device__ __forceinline__ double2 rim_ghost(const ig_powder_view &v,
                                                    const ig_powder_window &w, const slab_rim &f) {
  const int p = D == 0 ? f.y : D == 1 ? f.k : f.x, q = D == 0 ? f.k : D == 1 ? f.x : f.y;
  const powder_rim_face face = powder_rim_on(&v, &w, 2 * D + (f.side & 1), p, q);
  double2 ghost;
  powder_ghost_of(&v, &face, &ghost.x, &ghost.y);
  return ghost;
}
template <int D>
static __device__ __forceinline__ int64_t rim_place(const int *n, const slab_rim &f) {
  const int p = D == 0 ? f.y : D == 1 ? f.k : f.x, q = D == 0 ? f.k : D == 1 ? f.x : f.y;
  const int wide = n[(D + 1) % 3], high = n[(D + 2) % 3];
  return powder_rim_first(n, 2 * D) + (f.side & 1 ? (int64_t)wide * high : 0) + (int64_t)q * wide +
         p;
}

/* Shares of light below the surface, by one warp: powder_share_deep of every level. */
static __device__ __noinline__ void slab_deep(double depth, int top, int levels, double edge,
                                              double *below, double *deep) {
  const int lane = (int)threadIdx.x & 31;
  const double surface = (top + 1) * edge;
  int first = top, end = top + 1;
  if (depth == depth) {
    powder_reach(top + 1, 0, edge, surface, depth, &first, &end);
    for (int k = first + lane; k <= end; k += 32)
      below[k] = powder_share_below(k, 0, edge, surface, depth);
  }
  __syncwarp();
  for (int k = lane; k < levels; k += 32)
    deep[k] = k < first || k >= end ? 0
              : depth == depth      ? (below[k + 1] - below[k]) / (below[end] - below[first])
                                    : 1;
}

/* In shared memory: nothing passes, nothing has been counted yet. By the threads that have cells.
 */
static __device__ __forceinline__ void slab_clear(const window_slab &s, int counted,
                                                  int counted_end, double *base, int step) {
  const int t = (int)threadIdx.x;
  const double2 closed = {0, IG_LEVEL_CLOSED};
  for (int i = counted + t; i < counted_end; i += step)
    base[i] = 0;
  for (int i = t; i < (s.cut.thick + 4) * s.prow; i += step)
    s.cell[i] = closed;
}

/* Ghosts from the coarse grid, by the threads that have cells. */
static __device__ __noinline__ void slab_ghosts(const ig_powder_view &v, const ig_powder_window &w,
                                                window_slab s, int workers) {
  for (int i = (int)threadIdx.x; i < slab_faces(s); i += workers) {
    slab_rim f;
    if (!slab_rim_at(s, i, &f))
      continue;
    const double2 ghost = f.side < 2   ? rim_ghost<0>(v, w, f)
                          : f.side < 4 ? rim_ghost<1>(v, w, f)
                                       : rim_ghost<2>(v, w, f);
    s.cell[f.ghost] = ghost;
    if (f.side / 2 == s.cut.cut) /* of even steps and of odd ones */
      s.cell[f.ghost + s.prow] = ghost;
  }
}

/* Back: heat that crossed the rim, left through the top, came from beams. */
static __device__ __noinline__ void slab_store(const ig_powder_view &v, const ig_powder_window &w,
                                               window_slab s) {
  const int t = (int)threadIdx.x, step = (int)blockDim.x;
  const window_cut &c = s.cut;
  const int *n = w.fine.n;
  for (int i = t; i < slab_faces(s); i += step) {
    slab_rim f;
    if (!slab_rim_at(s, i, &f))
      continue;
    w.rim[f.side < 2   ? rim_place<0>(n, f)
          : f.side < 4 ? rim_place<1>(n, f)
                       : rim_place<2>(n, f)] = s.rim[i];
    if (powder_rim_bottom(&w, f.side))
      v.held[powder_column_in(&v, &w.box, f.x, f.y)] += s.rim[i];
  }
  for (int i = t; i < s.own * c.nu; i += step) {
    const int plane = slab_over(i, s.per_row), u = i - plane * c.nu, p = s.first + plane;
    const size_t column = powder_column_in(&v, &w.box, c.cut ? u : p, c.cut ? p : u);
    v.lost[column] += s.lost[i];
    if (s.source[i] != 0)
      v.source[column] += s.source[i];
  }
}

/* A piece of a column between the window's arrays and a thread; `state`: a byte a cell. */
static __device__ __forceinline__ uint32_t piece_load(const ig_powder_view &v,
                                                      const ig_powder_window &w,
                                                      const window_slab &s, const slab_place &p,
                                                      double *heat) {
  const int q = s.first + p.plane;
  const size_t at = slab_global(w.fine, s, p.plane, p.k, p.u),
               plane = (size_t)(w.fine.n[0] + 2) * (size_t)(w.fine.n[1] + 2);
  const uint8_t *states =
      &v.state[powder_state_in(&v, &w.box, s.cut.cut ? p.u : q, s.cut.cut ? q : p.u, p.k)];
  uint32_t state = 0;
#pragma unroll
  for (int z = 0; z < PIECE; z++)
    if (p.k + z < s.cut.nz) {
      heat[z] = w.fine.heat[at + z * plane];
      state |= (uint32_t)states[(size_t)z * (size_t)v.nf[0] * (size_t)v.nf[1]] << 8 * z;
    }
  return state;
}
/* States are written only where they changed: bytes of a column lie far apart in the bed's array.
 */
static __device__ __forceinline__ void piece_store(const ig_powder_view &v,
                                                   const ig_powder_window &w, const window_slab &s,
                                                   const slab_place &p, const double *heat,
                                                   uint32_t state, bool changed) {
  const int q = s.first + p.plane;
  const size_t at = slab_global(w.fine, s, p.plane, p.k, p.u),
               plane = (size_t)(w.fine.n[0] + 2) * (size_t)(w.fine.n[1] + 2);
  uint8_t *states =
      &v.state[powder_state_in(&v, &w.box, s.cut.cut ? p.u : q, s.cut.cut ? q : p.u, p.k)];
#pragma unroll
  for (int z = 0; z < PIECE; z++)
    if (p.k + z < s.cut.nz) {
      w.fine.heat[at + z * plane] = heat[z];
      w.fine.T[at + z * plane] = s.cell[slab_at(s, p.plane, p.k + z, p.u)].x;
      if (changed)
        states[(size_t)z * (size_t)v.nf[0] * (size_t)v.nf[1]] = (uint8_t)(state >> 8 * z);
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

/* Addresses of this block's arrays, and of its neighbours' cells in their shared memory
   (distributed shared memory of the cluster). Blocks beyond the last plane have no cells but take
   part in all barriers. */
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
  s.per_k = 1.0f / (float)cut.nz;
  s.zrow = cut.nu + 2;
  s.prow = (cut.nz + 2) * (cut.nu + 2);
  s.cell = (double2 *)(base + m.cell);
  s.rim = base + m.rim, s.lost = base + m.lost, s.source = base + m.source;
  s.deep = base + m.deep, s.below = base + m.below;
  s.table = (const double2 *)(base + m.tables);
  s.state = (uint32_t *)(base + m.state);
  s.light = (window_light *)(base + m.light);
  s.spots = (window_spots *)(base + m.spots);
  s.cell_below = s.cell_above = NULL;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (s.own > 0 && rank > 0)
    s.cell_below = cluster.map_shared_rank(s.cell, (unsigned)rank - 1);
  if (s.own > 0 && s.first + s.own < cut.planes)
    s.cell_above = cluster.map_shared_rank(s.cell, (unsigned)rank + 1);
  return s;
}
