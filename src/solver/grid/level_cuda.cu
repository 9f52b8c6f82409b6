/* Coarse levels on CUDA: sweeps over stored stencils, transfers, and the steps that join several
   cycles.

   A sweep is bound by the bytes of the stencil (14 blocks of 3 x 3 per node in single precision,
   504 bytes, beside 24 of vectors): half precision for the blocks off the diagonal nearly halves
   it. Only half of the symmetric stencil is stored; a node reads its own half, and of the other
   half the blocks of its neighbours, transposed. */
#include "solver/grid/level.cuh"
#include "solver/grid/planes.cuh"

/* What block n of the half stencil, and its transpose at the node opposite, add to A x at a node.
   Blocks off the diagonal in half precision are held by scaled nodes; see ig_level. Bases are the
   same for all threads, so that a load takes one addition. place: in 32 bits, as addresses are made
   for every load */
template <int DOF, bool HALF>
static __device__ __forceinline__ void block_product(const stencil_args &s, int n, unsigned place,
                                                     const float *__restrict__ x, float *a) {
  const int64_t o = s.offset[n], stored = s.stored;
  float up[DOF], down[DOF];
#pragma unroll
  for (int c = 0; c < DOF; c++) {
    up[c] = (x + c * stored + o)[place];
    down[c] = (x + c * stored - o)[place];
  }
  if constexpr (HALF) {
    const __half *m = s.half + (int64_t)(n - 1) * DOF * DOF * stored;
    const float u = (s.scale + o)[place], d = (s.scale - o)[place];
#pragma unroll
    for (int c = 0; c < DOF; c++) {
      up[c] *= u;
      down[c] *= d;
    }
#pragma unroll
    for (int r = 0; r < DOF; r++)
#pragma unroll
      for (int c = 0; c < DOF; c++)
        a[r] += __half2float((m + (r * DOF + c) * stored)[place]) * up[c] +
                __half2float((m + (c * DOF + r) * stored - o)[place]) * down[c];
  } else {
    const float *m = s.stencil + (int64_t)n * DOF * DOF * stored;
#pragma unroll
    for (int r = 0; r < DOF; r++)
#pragma unroll
      for (int c = 0; c < DOF; c++)
        a[r] += (m + (r * DOF + c) * stored)[place] * up[c] +
                (m + (c * DOF + r) * stored - o)[place] * down[c];
  }
}

/* The node's own block, added to the others' sum. */
template <int DOF, bool HALF>
static __device__ __forceinline__ void own_product(const stencil_args &s, unsigned place,
                                                   const float *__restrict__ x, float *a) {
  float own[DOF];
#pragma unroll
  for (int c = 0; c < DOF; c++)
    own[c] = (x + c * s.stored)[place];
#pragma unroll
  for (int r = 0; r < DOF; r++) {
    if constexpr (HALF)
      a[r] *= s.scale[place];
#pragma unroll
    for (int c = 0; c < DOF; c++)
      a[r] += (s.stencil + (r * DOF + c) * s.stored)[place] * own[c];
  }
}

/* Two ways to make A x. Of a large level a thread makes all rows of a node: its neighbours' values
   are loaded once. Of a small one, where there are too few nodes to hide the time a load takes, the
   blocks of a node are shared out among several warps, of the smallest one each, so that loads are
   under way at once; they meet in shared memory and are added in their order.

   WIDE: threads of a block; LANES: nodes of a shared block; FEW: warps that share a node's blocks
   on middle levels. The limits in nodes were measured on an H200. */
enum { WIDE = 128, LANES = 32, FEW = 4, WIDE_FROM = 200000, FEW_FROM = 20000 };

/* by the whole grid's size: the same on any number of ranks. The choice of kernel decides the order
   of sums */
static int64_t whole_nodes(const ig_level *l) {
  const ig_grid *g = &l->grid;
  return (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->all + 1);
}
static bool is_wide(const ig_level *l) {
  return whole_nodes(l) >= WIDE_FROM;
}
static dim3 shared_threads(const ig_level *l) {
  return dim3(LANES, whole_nodes(l) >= FEW_FROM ? FEW : l->blocks);
}

template <int DOF, bool HALF>
static __device__ __forceinline__ void node_product(const stencil_args &s, unsigned place,
                                                    const float *__restrict__ x, float *a) {
#pragma unroll
  for (int r = 0; r < DOF; r++)
    a[r] = 0;
#pragma unroll 2
  for (int n = 1; n < s.blocks; n++)
    block_product<DOF, HALF>(s, n, place, x, a);
  own_product<DOF, HALF>(s, place, x, a);
}

/* Row threadIdx.y of A x, where that is less than DOF; threadIdx.y is a share of the stencil's
   blocks, of which there are more than rows. All threads of a block call it. */
template <int DOF, bool HALF>
static __device__ __forceinline__ float shared_product(const stencil_args &s, bool there,
                                                       unsigned place, const float *__restrict__ x,
                                                       float (*part)[DOF][LANES]) {
  const int share = threadIdx.y, shares = blockDim.y, lane = threadIdx.x;
  float a[DOF] = {}, sum = 0;
  if (there) {
    for (int n = share ? share : shares; n < s.blocks; n += shares)
      block_product<DOF, HALF>(s, n, place, x, a);
    if (share == 0)
      own_product<DOF, HALF>(s, place, x, a);
    else if constexpr (HALF)
#pragma unroll
      for (int r = 0; r < DOF; r++)
        a[r] *= s.scale[place];
  }
#pragma unroll
  for (int r = 0; r < DOF; r++)
    part[share][r][lane] = a[r];
  __syncthreads();
  if (share < DOF)
    for (int m = 0; m < shares; m++)
      sum += part[m][share][lane];
  __syncthreads();
  return sum;
}

/* As stencil_finish of the CPU, for one unknown. */
static __device__ __forceinline__ void finish_row(const stencil_args &s, int what, int64_t at,
                                                  float a, const float *__restrict__ b,
                                                  const float *__restrict__ x, float *d, float c0,
                                                  float c1, float *__restrict__ y) {
  if (what == IG_SWEEP_APPLY) {
    y[at] = a;
  } else if (what == IG_SWEEP_RESIDUAL) {
    y[at] = s.inverse[at] == 0 ? 0 : b[at] - a;
  } else {
    const float step = (c0 != 0 ? c0 * d[at] : 0) + c1 * s.inverse[at] * (b[at] - a);
    if (d)
      d[at] = step;
    y[at] = x[at] + step;
  }
}

template <int DOF, bool HALF>
__global__ void __launch_bounds__(WIDE)
    wide_sweep(const __grid_constant__ stencil_args s, int what, const float *__restrict__ b,
               const float *__restrict__ x, float *d, float c0, float c1, float *__restrict__ y) {
  int64_t place;
  float a[DOF];
  if (!thread_node(s, &place))
    return;
  node_product<DOF, HALF>(s, (unsigned)place, x, a);
#pragma unroll
  for (int r = 0; r < DOF; r++)
    finish_row(s, what, r * s.stored + place, a[r], b, x, d, c0, c1, y);
}

template <int DOF, bool HALF>
__global__ void small_sweep(const __grid_constant__ stencil_args s, int what,
                            const float *__restrict__ b, const float *__restrict__ x, float *d,
                            float c0, float c1, float *__restrict__ y) {
  __shared__ float part[IG_STENCIL_HALF][DOF][LANES];
  int64_t place;
  const bool there = thread_node(s, &place);
  const float a = shared_product<DOF, HALF>(s, there, (unsigned)place, x, part);
  if (there && threadIdx.y < DOF)
    finish_row(s, what, threadIdx.y * s.stored + place, a, b, x, d, c0, c1, y);
}

#define OPEN(...) __VA_ARGS__
#define BY_DOF(dof, kernel, more, launch, ...)                                                     \
  do {                                                                                             \
    if ((dof) == 3)                                                                                \
      kernel<3 OPEN more><<<OPEN launch>>>(__VA_ARGS__);                                           \
    else if ((dof) == 2)                                                                           \
      kernel<2 OPEN more><<<OPEN launch>>>(__VA_ARGS__);                                           \
    else                                                                                           \
      kernel<1 OPEN more><<<OPEN launch>>>(__VA_ARGS__);                                           \
    IG_LAUNCHED(cx);                                                                               \
  } while (0)
/* 64 nodes a block, a thread for each of their components */
#define NODES(l)                                                                                   \
  ig_cuda_blocks(ig_grid_nodes(&(l)->grid), 64), dim3(64, (l)->grid.dof), 0, ig_cuda_stream(cx)
#define LAUNCH_WIDE(l) ig_cuda_blocks(ig_grid_nodes(&(l)->grid), WIDE), WIDE, 0, ig_cuda_stream(cx)
#define LAUNCH_SMALL(l)                                                                            \
  ig_cuda_blocks(ig_grid_nodes(&(l)->grid), LANES), shared_threads(l), 0, ig_cuda_stream(cx)

/* One kernel for each size of level, precision of storage and number of unknowns per node. */
ig_status ig_grid_cuda_sweep(ig_ctx *cx, const ig_level *l, ig_sweep what, const float *b,
                             const float *x, float *d, float c0, float c1, float *y) {
  if (!l->blocks)
    return ig_grid_cuda_fine_sweep(cx, &l->args, what, b, x, d, c0, c1, y);
  const stencil_args s = stencil_of(l);
#define BY_SIZE(half)                                                                              \
  do {                                                                                             \
    if (is_wide(l))                                                                                \
      BY_DOF(l->grid.dof, wide_sweep, (, half), (LAUNCH_WIDE(l)), s, what, b, x, d, c0, c1, y);    \
    else                                                                                           \
      BY_DOF(l->grid.dof, small_sweep, (, half), (LAUNCH_SMALL(l)), s, what, b, x, d, c0, c1, y);  \
  } while (0)
  if (l->half)
    BY_SIZE(true);
  else
    BY_SIZE(false);
#undef BY_SIZE
  return IG_OK;
}

/* The first step of a smoother from zero: needs no product. */
__global__ void start_nodes(const __grid_constant__ stencil_args s, const float *b, float c1,
                            float *x, float *d) {
  int64_t place;
  if (!thread_node(s, &place))
    return;
  const int64_t at = threadIdx.y * s.stored + place;
  const float step = c1 * s.inverse[at] * b[at];
  x[at] = step;
  if (d)
    d[at] = step;
}

ig_status ig_grid_cuda_start(ig_ctx *cx, const ig_level *l, const float *b, float c1, float *x,
                             float *d) {
  if (!l->blocks)
    return ig_grid_cuda_fine_start(cx, &l->args, b, c1, x, d);
  start_nodes<<<NODES(l)>>>(stencil_of(l), b, c1, x, d);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- diagonal blocks --- */

ig_status ig_grid_cuda_blocks(ig_ctx *cx, const ig_level *l) {
  return each_node<ig_block_make>(cx, l);
}

ig_status ig_grid_cuda_relax(ig_ctx *cx, const ig_level *l, const float *r, float c1,
                             bool from_zero, float *x) {
  return each_node<ig_block_relax>(cx, l, r, c1, from_zero, x);
}

/* --- between levels --- */

/* Geometry of two neighbouring levels, as kernels need it. */
struct pair_args {
  int dim, dof, fine[3], coarse[3];
  int below;                             /* of a slab: the fine level goes on there */
  int64_t row, plane, stored, first;     /* of the fine level */
  int64_t crow, cplane, cstored, cfirst; /* of the coarse one */
  const uint8_t *fix;                    /* finest level, or */
  const float *inverse;                  /* a coarse one */
};

/* What is held is known by `fix` on the finest level and by a zero inverse on coarse ones. */
static pair_args pair_of(const ig_level *fine, const ig_level *coarse) {
  pair_args p;
  const ig_grid *f = &fine->grid, *c = &coarse->grid;
  p.dim = f->dim;
  p.dof = f->dof;
  for (int d = 0; d < 3; d++) {
    p.fine[d] = f->n[d];
    p.coarse[d] = c->n[d];
  }
  p.below = ig_grid_below(f);
  p.row = f->row;
  p.plane = f->dim == 3 ? f->plane : 0;
  p.stored = f->stored;
  p.first = f->first;
  p.crow = c->row;
  p.cplane = c->dim == 3 ? c->plane : 0;
  p.cstored = c->stored;
  p.cfirst = c->first;
  p.fix = fine->blocks ? NULL : fine->args.fix;
  p.inverse = fine->blocks ? fine->inverse : NULL;
  return p;
}

/* A thread per coarse node and component (threadIdx.y) gathers the 27 (9) fine nodes around, with
   weights 1, 1/2, 1/4, 1/8. */
__global__ void restrict_nodes(const __grid_constant__ pair_args p, const float *__restrict__ r,
                               float *__restrict__ b, float c1, const float *inverse, float *x,
                               float *d) {
  int I[3];
  int64_t at;
  if (!node_place(p.coarse, p.crow, p.cplane, p.cfirst,
                  blockIdx.x * (int64_t)blockDim.x + threadIdx.x, I, &at))
    return;
  const float *from = r + threadIdx.y * p.stored + p.first;
  float s = 0;
  /* what is not there is not loaded rather than jumped over: all loads are under way at once */
#pragma unroll
  for (int z = -1; z <= 1; z++)
#pragma unroll
    for (int y = -1; y <= 1; y++) {
      const int j = 2 * I[1] + y, k = 2 * I[2] + z, i = 2 * I[0];
      const bool in =
          (z == 0 || p.dim == 3) && j >= 0 && j <= p.fine[1] && k >= -p.below && k <= p.fine[2];
      const float *line = from + j * p.row + k * p.plane + i;
      const float low = in && i > 0 ? line[-1] : 0, mid = in && i <= p.fine[0] ? line[0] : 0,
                  high = in && i < p.fine[0] ? line[1] : 0;
      s += (y ? 0.5f : 1.0f) * (z ? 0.5f : 1.0f) * (mid + 0.5f * (low + high));
    }
  at += threadIdx.y * p.cstored;
  b[at] = s;
  if (c1 != 0) {
    const float step = c1 * inverse[at] * s;
    x[at] = step;
    if (d)
      d[at] = step;
  }
}

ig_status ig_grid_cuda_restricts(ig_ctx *cx, const ig_level *fine, const float *r,
                                 const ig_level *coarse, float *b, float c1, float *x, float *d) {
  restrict_nodes<<<NODES(coarse)>>>(pair_of(fine, coarse), r, b, c1, coarse->inverse, x, d);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* The mean over eight places, of which some are the same where an index is even: no cases. */
template <int DOF>
__global__ void prolong_nodes(const __grid_constant__ pair_args p, const float *__restrict__ xc,
                              float *__restrict__ x) {
  int i[3];
  int64_t at;
  if (!node_place(p.fine, p.row, p.plane, p.first, blockIdx.x * (int64_t)blockDim.x + threadIdx.x,
                  i, &at))
    return;
  const int64_t low = p.cfirst + i[0] / 2 + i[1] / 2 * p.crow + i[2] / 2 * p.cplane;
  const int64_t dx = i[0] & 1, dy = (i[1] & 1) * p.crow, dz = (i[2] & 1) * p.cplane;
  const int fix = p.fix ? p.fix[at] : 0;
  float v[DOF];
  bool is_free[DOF];
#pragma unroll
  for (int c = 0; c < DOF; c++) {
    const float *from = xc + c * p.cstored + low;
    const int64_t to = c * p.stored + at;
    v[c] = x[to] + 0.125f * (((from[0] + from[dx]) + (from[dy] + from[dx + dy])) +
                             ((from[dz] + from[dx + dz]) + (from[dy + dz] + from[dx + dy + dz])));
    is_free[c] = p.inverse ? p.inverse[to] != 0 : !(fix >> c & 1);
  }
#pragma unroll
  for (int c = 0; c < DOF; c++)
    if (is_free[c])
      x[c * p.stored + at] = v[c];
}

ig_status ig_grid_cuda_prolong(ig_ctx *cx, const ig_level *coarse, const float *xc,
                               const ig_level *fine, float *x) {
  BY_DOF(fine->grid.dof, prolong_nodes, (),
         (ig_cuda_blocks(ig_grid_nodes(&fine->grid), 128), 128, 0, ig_cuda_stream(cx)),
         pair_of(fine, coarse), xc, x);
  return IG_OK;
}

/* --- several cycles joined --- */

/* Sums x.a and x.b with a = A x, which is kept; a large level's has been made by a sweep before:
   a loop over nodes with sums would hold too many registers there. */
template <int DOF, bool HALF, bool MADE>
__global__ void pair_sums(const __grid_constant__ stencil_args s,
                          const __grid_constant__ ig_pieces p, int64_t nodes,
                          const float *__restrict__ x, const float *__restrict__ b, float *image,
                          ig_pair_state *state) {
  __shared__ float part[MADE ? 1 : IG_STENCIL_HALF][DOF][LANES];
  const ig_walk w = ig_pieces_walk(p, nodes);
  double sum[2] = {0, 0}, total[2];
  int i[3];
  int64_t place;
  /* all threads of a block go round together, since shared_product has barriers */
  for (int64_t row = w.begin - threadIdx.x; row < w.end; row += w.stride) {
    const int64_t t = row + threadIdx.x;
    const bool there = t < w.end;
    (void)node_place(s.n, s.row, s.plane, s.first, there ? t : row, i, &place);
    const int64_t at = threadIdx.y * s.stored + place;
    float a = 0;
    if constexpr (!MADE)
      a = shared_product<DOF, HALF>(s, there, (unsigned)place, x, part);
    if (!there || threadIdx.y >= DOF)
      continue;
    if constexpr (MADE)
      a = image[at];
    else
      image[at] = a;
    sum[0] += (double)x[at] * (double)a;
    sum[1] += (double)x[at] * (double)b[at];
  }
  if (ig_pieces_sums<2>(p, w, sum, state->partial, &state->arrived, total) && threadIdx.x == 0 &&
      threadIdx.y == 0)
    for (int q = 0; q < 2; q++)
      state->sum[q] = total[q];
}

/* Sums are cut into pieces by the size of the whole grid, so that ranks and launches do not change
   them. */
ig_status ig_grid_cuda_pair_energy(ig_ctx *cx, const ig_level *l, const float *x, const float *b) {
  enum { SUMS = 2 };
  const ig_grid *g = &l->grid;
  const bool wide = is_wide(l);
  const int row = wide ? WIDE : LANES;
  const int64_t nodes = ig_grid_nodes(g), plane = (int64_t)(g->n[0] + 1) * (g->n[1] + 1);
  const unsigned all = ig_cuda_blocks(nodes, row), most = 16u * IG_CUDA_UNITS;
  ig_pieces p = {};
  if (g->dim == 3)
    p = ig_pieces_cut(plane, g->n[2] + 1, g->all + 1, 1, 1, most, row, SUMS,
                      sizeof l->pair->partial / sizeof(double));
  const unsigned blocks = ig_pieces_blocks(&p, all < most ? all : most);
  const stencil_args s = stencil_of(l);
  if (wide) {
    IG_TRY(ig_grid_cuda_sweep(cx, l, IG_SWEEP_APPLY, NULL, x, NULL, 0, 0, l->image));
    BY_DOF(g->dof, pair_sums, (, false, true), (blocks, dim3(WIDE, g->dof), 0, ig_cuda_stream(cx)),
           s, p, nodes, x, b, l->image, l->pair);
  } else if (l->half) {
    BY_DOF(g->dof, pair_sums, (, true, false), (blocks, shared_threads(l), 0, ig_cuda_stream(cx)),
           s, p, nodes, x, b, l->image, l->pair);
  } else {
    BY_DOF(g->dof, pair_sums, (, false, false), (blocks, shared_threads(l), 0, ig_cuda_stream(cx)),
           s, p, nodes, x, b, l->image, l->pair);
  }
  double sum[SUMS];
  return g->slab ? ig_pieces_join(cx, &p, g->slab, g->level, 1, SUMS, l->pair->partial, sum,
                                  l->pair->sum)
                 : IG_OK;
}

/* As ig_grid_cpu_pair_residual; the step length is read from the device, where the sums were made.
 */
__global__ void pair_residual_nodes(const __grid_constant__ stencil_args s,
                                    const ig_pair_state *state, const float *x, const float *b,
                                    const float *image, float *first, float *rest, float c1,
                                    float *start, float *d) {
  int64_t place;
  if (!thread_node(s, &place))
    return;
  const int64_t at = threadIdx.y * s.stored + place;
  const float step = ig_pair_step(state), v = b[at] - step * image[at];
  first[at] = step * x[at];
  rest[at] = v;
  start[at] = d[at] = c1 * s.inverse[at] * v;
}

ig_status ig_grid_cuda_pair_residual(ig_ctx *cx, const ig_level *l, const float *b, float c1) {
  pair_residual_nodes<<<NODES(l)>>>(stencil_of(l), l->pair, l->x, b, l->image, l->first, l->rest,
                                    c1, l->x, l->d);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void pair_join_nodes(const __grid_constant__ stencil_args s, float weight,
                                const float *first, float *x) {
  int64_t place;
  if (!thread_node(s, &place))
    return;
  const int64_t at = threadIdx.y * s.stored + place;
  x[at] = first[at] + weight * x[at];
}

ig_status ig_grid_cuda_pair_join(ig_ctx *cx, const ig_level *l, float weight) {
  pair_join_nodes<<<NODES(l)>>>(stencil_of(l), weight, l->first, l->x);
  IG_LAUNCHED(cx);
  return IG_OK;
}
