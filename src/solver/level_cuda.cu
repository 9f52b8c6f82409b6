/* Coarse levels on CUDA: sweeps over stored stencils, transfers, the accelerated cycle's steps. */
#include "solver/level.cuh"
#include "solver/planes.cuh"

/* Row r of A x at a node. Half precision is held by scaled nodes; see ig_level. */
template <int DOF, bool HALF>
static __device__ __forceinline__ float row_product(const stencil_args &s, int r, int64_t place,
                                                    const float *__restrict__ x) {
  float a = 0;
  const float *m = s.stencil + place;
#pragma unroll
  for (int c = 0; c < DOF; c++)
    a += m[(r * DOF + c) * s.stored] * x[c * s.stored + place];
  if constexpr (HALF) {
    float b = 0;
#pragma unroll 2
    for (int n = 1; n < s.blocks; n++) {
      const int64_t o = s.offset[n];
      const __half *up = s.half + place + (int64_t)(n - 1) * DOF * DOF * s.stored, *down = up - o;
      float u = 0, d = 0;
#pragma unroll
      for (int c = 0; c < DOF; c++) {
        u += __half2float(up[(r * DOF + c) * s.stored]) * x[c * s.stored + place + o];
        d += __half2float(down[(c * DOF + r) * s.stored]) * x[c * s.stored + place - o];
      }
      b += s.scale[place + o] * u + s.scale[place - o] * d;
    }
    return a + s.scale[place] * b;
  } else {
#pragma unroll 2
    for (int n = 1; n < s.blocks; n++) {
      const int64_t o = s.offset[n];
      const float *up = m + (int64_t)n * DOF * DOF * s.stored, *down = up - o;
#pragma unroll
      for (int c = 0; c < DOF; c++)
        a += up[(r * DOF + c) * s.stored] * x[c * s.stored + place + o] +
             down[(c * DOF + r) * s.stored] * x[c * s.stored + place - o];
    }
    return a;
  }
}

/* a thread per row of the matrix: threadIdx.y is the component */
template <int DOF, bool HALF>
__global__ void stencil_sweep(const __grid_constant__ stencil_args s, int what,
                              const float *__restrict__ b, const float *__restrict__ x, float *d,
                              float c0, float c1, float *__restrict__ y) {
  const int r = threadIdx.y;
  int64_t place;
  if (!thread_node(s, &place))
    return;
  const float a = row_product<DOF, HALF>(s, r, place, x);
  const int64_t at = r * s.stored + place;
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
#define NODES(l)                                                                                   \
  ig_cuda_blocks(ig_grid_nodes(&(l)->grid), 64), dim3(64, (l)->grid.dof), 0, ig_cuda_stream(cx)

ig_status ig_grid_cuda_sweep(ig_ctx *cx, const ig_level *l, ig_sweep what, const float *b,
                             const float *x, float *d, float c0, float c1, float *y) {
  if (!l->blocks)
    return ig_grid_cuda_fine_sweep(cx, &l->args, what, b, x, d, c0, c1, y);
  if (l->half)
    BY_DOF(l->grid.dof, stencil_sweep, (, true), (NODES(l)), stencil_of(l), what, b, x, d, c0, c1,
           y);
  else
    BY_DOF(l->grid.dof, stencil_sweep, (, false), (NODES(l)), stencil_of(l), what, b, x, d, c0, c1,
           y);
  return IG_OK;
}

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

struct pair_args {
  int dim, dof, fine[3], coarse[3];
  int below;                             /* of a slab: the fine level goes on there */
  int64_t row, plane, stored, first;     /* of the fine level */
  int64_t crow, cplane, cstored, cfirst; /* of the coarse one */
  const uint8_t *fix;                    /* finest level, or */
  const float *inverse;                  /* a coarse one */
};

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

__global__ void restrict_nodes(const __grid_constant__ pair_args p, const float *__restrict__ r,
                               float *__restrict__ b, float c1, const float *inverse, float *x,
                               float *d) {
  int I[3];
  int64_t at;
  if (!node_place(p.coarse, p.crow, p.cplane, p.cfirst,
                  blockIdx.x * (int64_t)blockDim.x + threadIdx.x, I, &at))
    return;
  const float *from = r + threadIdx.y * p.stored;
  float s = 0;
  for (int z = p.dim == 3 ? -1 : 0; z <= (p.dim == 3 ? 1 : 0); z++)
    for (int y = -1; y <= 1; y++) {
      const int j = 2 * I[1] + y, k = 2 * I[2] + z;
      if (j < 0 || j > p.fine[1] || k < -p.below || k > p.fine[2])
        continue;
      const float *line = from + p.first + j * p.row + k * p.plane;
      float t = 0;
      for (int o = -1; o <= 1; o++) {
        const int i = 2 * I[0] + o;
        if (i >= 0 && i <= p.fine[0])
          t += (o ? 0.5f : 1.0f) * line[i];
      }
      s += (y ? 0.5f : 1.0f) * (z ? 0.5f : 1.0f) * t;
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

__global__ void prolong_nodes(const __grid_constant__ pair_args p, const float *__restrict__ xc,
                              float *x) {
  int i[3];
  int64_t at;
  if (!node_place(p.fine, p.row, p.plane, p.first, blockIdx.x * (int64_t)blockDim.x + threadIdx.x,
                  i, &at))
    return;
  const int64_t low = p.cfirst + i[0] / 2 + i[1] / 2 * p.crow + i[2] / 2 * p.cplane;
  const int64_t dx = i[0] & 1, dy = (i[1] & 1) * p.crow, dz = (i[2] & 1) * p.cplane;
  const int fix = p.fix ? p.fix[at] : 0;
  for (int c = 0; c < p.dof; c++) {
    const float *from = xc + c * p.cstored + low;
    const float v = 0.125f * (((from[0] + from[dx]) + (from[dy] + from[dx + dy])) +
                              ((from[dz] + from[dx + dz]) + (from[dy + dz] + from[dx + dy + dz])));
    const int64_t to = c * p.stored + at;
    if (p.inverse ? p.inverse[to] != 0 : !(fix >> c & 1))
      x[to] += v;
  }
}

ig_status ig_grid_cuda_prolong(ig_ctx *cx, const ig_level *coarse, const float *xc,
                               const ig_level *fine, float *x) {
  prolong_nodes<<<ig_cuda_blocks(ig_grid_nodes(&fine->grid), 128), 128, 0, ig_cuda_stream(cx)>>>(
      pair_of(fine, coarse), xc, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- two cycles joined by conjugate gradients --- */

template <int DOF, bool HALF>
__global__ void
stencil_energy(const __grid_constant__ stencil_args s, const __grid_constant__ ig_pieces p,
               int64_t nodes, const float *__restrict__ x, const float *__restrict__ b,
               const float *__restrict__ v, float *y, ig_pair_state *state, int visit) {
  const int r = threadIdx.y;
  const ig_walk w = ig_pieces_walk(p, nodes);
  double sum[3] = {0, 0, 0}, total[3];
  int i[3];
  int64_t place;
  for (int64_t t = w.begin; t < w.end; t += w.stride) {
    (void)node_place(s.n, s.row, s.plane, s.first, t, i, &place);
    const int64_t at = r * s.stored + place;
    const float a = row_product<DOF, HALF>(s, r, place, x);
    const double xv = x[at];
    sum[0] += xv * (double)a;
    sum[1] += xv * (double)b[at];
    if (visit)
      sum[2] += xv * (double)v[at];
    else
      y[at] = a;
  }
  if (ig_pieces_sums<3>(p, w, sum, state->partial, &state->arrived, total) && threadIdx.x == 0 &&
      r == 0)
    for (int q = 0; q < 3; q++)
      state->sum[visit][q] = total[q];
}

ig_status ig_grid_cuda_pair_energy(ig_ctx *cx, const ig_level *l, int visit, const float *x,
                                   const float *b) {
  enum { SUMS = 3 };
  const ig_grid *g = &l->grid;
  const int64_t nodes = ig_grid_nodes(g), plane = (int64_t)(g->n[0] + 1) * (g->n[1] + 1);
  const unsigned all = ig_cuda_blocks(nodes, 64), most = 8u * IG_CUDA_UNITS;
  ig_pieces p = {};
  if (g->dim == 3)
    p = ig_pieces_cut(plane, g->n[2] + 1, g->all + 1, 1, 1, most, 64, SUMS,
                      sizeof l->pair->partial / sizeof(double));
  const unsigned blocks = ig_pieces_blocks(&p, all < most ? all : most);
  const dim3 threads(64, g->dof);
  if (l->half)
    BY_DOF(g->dof, stencil_energy, (, true), (blocks, threads, 0, ig_cuda_stream(cx)),
           stencil_of(l), p, nodes, x, b, l->image, l->image, l->pair, visit);
  else
    BY_DOF(g->dof, stencil_energy, (, false), (blocks, threads, 0, ig_cuda_stream(cx)),
           stencil_of(l), p, nodes, x, b, l->image, l->image, l->pair, visit);
  double sum[SUMS];
  return g->slab ? ig_pieces_join(cx, &p, g->slab, g->level, 1, SUMS, l->pair->partial, sum,
                                  l->pair->sum[visit])
                 : IG_OK;
}

__global__ void pair_residual_nodes(const __grid_constant__ stencil_args s,
                                    const ig_pair_state *state, const float *x, const float *b,
                                    const float *image, float *first, float *rest, float c1,
                                    float *start, float *d) {
  int64_t place;
  if (!thread_node(s, &place))
    return;
  const int64_t at = threadIdx.y * s.stored + place;
  const float v = b[at] - ig_pair_step(state) * image[at];
  first[at] = x[at];
  rest[at] = v;
  start[at] = d[at] = c1 * s.inverse[at] * v;
}

ig_status ig_grid_cuda_pair_residual(ig_ctx *cx, const ig_level *l, const float *b, float c1) {
  pair_residual_nodes<<<NODES(l)>>>(stencil_of(l), l->pair, l->x, b, l->image, l->first, l->rest,
                                    c1, l->x, l->d);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void pair_join_nodes(const __grid_constant__ stencil_args s, const ig_pair_state *state,
                                const float *first, float *x) {
  int64_t place;
  if (!thread_node(s, &place))
    return;
  const int64_t at = threadIdx.y * s.stored + place;
  float w[2];
  ig_pair_weights(state, w);
  x[at] = w[0] * first[at] + w[1] * x[at];
}

ig_status ig_grid_cuda_pair_join(ig_ctx *cx, const ig_level *l) {
  pair_join_nodes<<<NODES(l)>>>(stencil_of(l), l->pair, l->first, l->x);
  IG_LAUNCHED(cx);
  return IG_OK;
}
