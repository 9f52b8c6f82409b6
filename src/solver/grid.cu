/* Grid kernels on CUDA. */
#include "solver/grid_cuda.h"
#include "backend/cuda/launch.cuh"
#include "kern/hd.h"
#include "solver/level_kern.inc"
#include "solver/reduce.cuh"

#include "kern/prec_f32.h"
#include "solver/brick_kern.inc"
#include "kern/prec_f64.h"
#include "solver/brick_kern.inc"

/* one name for both precisions */
template <int DIM, int DOF>
static __device__ __forceinline__ void product(const ig_grid_args_f32 &g, float e, float *v) {
  float w[24];
  mode_product_f32(DIM, DOF, g.b, e, v, w);
#pragma unroll
  for (int i = 0; i < 24; i++)
    if (i < 8 * DOF && (i & 7) < 1 << DIM)
      v[i] = w[i];
}
template <int DIM, int DOF>
static __device__ __forceinline__ void product(const ig_grid_args_f64 &g, double e, double *v) {
  double w[24];
  mode_product_f64(DIM, DOF, g.b, e, v, w);
#pragma unroll
  for (int i = 0; i < 24; i++)
    if (i < 8 * DOF && (i & 7) < 1 << DIM)
      v[i] = w[i];
}
template <int DIM, int DOF> static __device__ __forceinline__ void turn(int bit, float *v) {
  butterfly_f32(DIM, DOF, bit, v);
}
template <int DIM, int DOF> static __device__ __forceinline__ void turn(int bit, double *v) {
  butterfly_f64(DIM, DOF, bit, v);
}
template <typename R> struct args_of;
template <> struct args_of<float> { typedef ig_grid_args_f32 type; };
template <> struct args_of<double> { typedef ig_grid_args_f64 type; };

/* What a sweep makes of a = (A x) at a node, one component. The spring of a flagged node is looked
   up; a smoother divides by the diagonal with it. */
template <typename R, int WHAT>
static __device__ __forceinline__ void finish(const typename args_of<R>::type &g, int64_t place,
                                              int c, int fix, R inverse, R a, R b, R x, R d, R c0,
                                              R c1, R *dp, R *y, double *dot) {
  const int64_t at = c * g.stored + place;
  const bool held = fix >> c & 1;
  R quotient = inverse * g.reciprocal[c];
  if (fix & IG_FIX_SPRING) {
    int lo = 0, hi = g.springs;
    while (lo < hi) {
      const int mid = (lo + hi) / 2;
      if (g.spring[mid].node < place)
        lo = mid + 1;
      else
        hi = mid;
    }
    for (; lo < g.springs && g.spring[lo].node == place; lo++)
      if (g.spring[lo].component == c) {
        const R k = (R)g.spring[lo].stiffness;
        a += k * x;
        quotient = quotient / (1 + k * quotient);
      }
  }
  if (WHAT == IG_SWEEP_APPLY) {
    const R v = held ? 0 : a;
    y[at] = v;
    if (dot)
      *dot += (double)x * (double)v;
  } else if (WHAT == IG_SWEEP_RESIDUAL) {
    y[at] = held ? 0 : b - a;
  } else {
    const R step = held ? 0 : c0 * d + c1 * quotient * (b - a);
    dp[at] = step;
    y[at] = x + step;
  }
}

/* The operator in 3D. A block is a tile of 32 x TY node columns that marches in z; its rim only
   feeds its inside. Values of a plane meet their neighbours through shared memory, where the
   transforms along x and y are made once for the elements below and above; what elements send to a
   plane is summed in mode space and brought back once a plane. A thread carries one element column:
   4 DOF values of the plane below, 4 DOF of sums. One barrier a plane: what it publishes for the
   plane loaded ahead and for the sums of the plane finished goes into buffers of alternating
   parity. */
template <typename R, int DOF, int TY, int WHAT>
__global__ void __launch_bounds__(32 * TY, sizeof(R) == 4 ? 2 : 1)
    march(const __grid_constant__ typename args_of<R>::type g, const R *__restrict__ b,
          const R *__restrict__ x, R *d, R c0, R c1, R *__restrict__ y, int chunk,
          ig_cg_state *state) {
  __shared__ R plane[2][DOF][TY][32];
  __shared__ R below[2][DOF][TY - 1][32]; /* the highest row has none above */
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = (int)blockIdx.x * 30 + tx - 1, j = (int)blockIdx.y * (TY - 2) + ty - 1;
  const int k0 = (int)blockIdx.z * chunk, last = g.n[2] + 1;
  const int k1 = k0 + chunk < last ? k0 + chunk : last;
  const bool stored = i <= g.n[0] + 1 && j <= g.n[1] + 1;
  const bool mine = tx > 0 && tx < 31 && ty > 0 && ty < TY - 1 && i <= g.n[0] && j <= g.n[1];
  const int east = tx < 31 ? tx + 1 : 31, north = ty < TY - 1 ? ty + 1 : TY - 1;
  const int64_t column = g.first + i + j * g.row;
  R ahead[DOF], low[4 * DOF], sum[4 * DOF], own[DOF], e, e_ahead;
  double dot = 0;

  /* plane k0 - 1, and the first one ahead */
#pragma unroll
  for (int c = 0; c < DOF; c++) {
    const R *at = x + c * g.stored + column + (int64_t)(k0 - 1) * g.plane;
    plane[(k0 - 1) & 1][c][ty][tx] = stored ? at[0] : (R)0;
    ahead[c] = stored ? at[g.plane] : (R)0;
    own[c] = 0;
  }
  e_ahead = stored ? g.modulus[column + (int64_t)(k0 - 1) * g.plane] : (R)0;
  __syncthreads();
#pragma unroll
  for (int c = 0; c < DOF; c++) {
    const R(*u)[32] = plane[(k0 - 1) & 1][c];
    const R p = u[ty][tx], q = u[ty][east], r = u[north][tx], s = u[north][east];
    low[c * 4 + 0] = (p + q) + (r + s);
    low[c * 4 + 1] = (p - q) + (r - s);
    low[c * 4 + 2] = (p + q) - (r + s);
    low[c * 4 + 3] = (p - q) - (r - s);
  }
#pragma unroll
  for (int m = 0; m < 4 * DOF; m++)
    sum[m] = 0;

  for (int k = k0 - 1; k <= k1; k++) {
    /* what the finish of plane k - 1 needs, asked for before the barrier */
    const int64_t done = column + (int64_t)(k - 1) * g.plane;
    const bool finishing = mine && k > k0;
    R bv[DOF], inverse = 0;
    int fix = 0;
    if (finishing) {
      fix = g.fix[done];
      if (WHAT == IG_SWEEP_SMOOTH)
        inverse = (R)g.inverse[done];
#pragma unroll
      for (int c = 0; c < DOF; c++)
        bv[c] = WHAT != IG_SWEEP_APPLY ? b[c * g.stored + done] : (R)0;
    }
    if (k < k1) {
#pragma unroll
      for (int c = 0; c < DOF; c++)
        plane[(k + 1) & 1][c][ty][tx] = ahead[c];
      e = e_ahead;
      if (k + 1 < k1) {
#pragma unroll
        for (int c = 0; c < DOF; c++)
          ahead[c] = stored ? x[c * g.stored + column + (int64_t)(k + 2) * g.plane] : (R)0;
        e_ahead = stored ? g.modulus[column + (int64_t)(k + 1) * g.plane] : (R)0;
      }
    }
    __syncthreads();
    if (finishing) {
#pragma unroll
      for (int c = 0; c < DOF; c++) {
        const int64_t at = c * g.stored + done;
        const R dv = WHAT == IG_SWEEP_SMOOTH && c0 != 0 ? d[at] : (R)0;
        const R xv = WHAT != IG_SWEEP_RESIDUAL || (fix & IG_FIX_SPRING) ? x[at] : (R)0;
        finish<R, WHAT>(g, done, c, fix, inverse, own[c] + below[(k - 1) & 1][c][ty - 1][tx], bv[c],
                        xv, dv, c0, c1, d, y, state ? &dot : NULL);
      }
    }
    if (k == k1)
      break;
    R v[24];
#pragma unroll
    for (int c = 0; c < DOF; c++) {
      const R(*u)[32] = plane[(k + 1) & 1][c];
      const R p = u[ty][tx], q = u[ty][east], r = u[north][tx], s = u[north][east];
      const R high[4] = {(p + q) + (r + s), (p - q) + (r - s), (p + q) - (r + s),
                         (p - q) - (r - s)};
#pragma unroll
      for (int m = 0; m < 4; m++) {
        v[c * 8 + m] = low[c * 4 + m] + high[m];
        v[c * 8 + 4 + m] = low[c * 4 + m] - high[m];
        low[c * 4 + m] = high[m];
      }
    }
    product<3, DOF>(g, e, v);
    /* back along z: to plane k, joined with what came from below; and to plane k + 1 */
#pragma unroll
    for (int c = 0; c < DOF; c++) {
      R s[4];
#pragma unroll
      for (int m = 0; m < 4; m++) {
        s[m] = sum[c * 4 + m] + (v[c * 8 + m] + v[c * 8 + 4 + m]);
        sum[c * 4 + m] = v[c * 8 + m] - v[c * 8 + 4 + m];
      }
      /* back along x: element i - 1 is the lane below */
      const R r0 = (s[0] + s[1]) + __shfl_up_sync(0xffffffffu, s[0] - s[1], 1);
      const R r1 = (s[2] + s[3]) + __shfl_up_sync(0xffffffffu, s[2] - s[3], 1);
      own[c] = r0 + r1;
      if (ty < TY - 1)
        below[k & 1][c][ty][tx] = r0 - r1;
    }
  }
  if (WHAT == IG_SWEEP_APPLY && state) {
    double total;
    if (ig_grid_sum(dot, state->partial, &state->arrived, &total) && tx == 0 && ty == 0)
      state->s.pap = total;
  }
}

/* The operator in 2D: a thread a node gathers from the elements around it. */
template <typename R, int DOF, int WHAT>
__global__ void gather(const __grid_constant__ typename args_of<R>::type g, const R *__restrict__ b,
                       const R *__restrict__ x, R *d, R c0, R c1, R *__restrict__ y,
                       ig_cg_state *state) {
  const int64_t wide = g.n[0] + 1, nodes = wide * (g.n[1] + 1);
  double dot = 0;
  for (int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; t < nodes;
       t += (int64_t)gridDim.x * blockDim.x) {
    const int64_t place = g.first + t % wide + t / wide * g.row;
    R a[DOF], part[DOF]; /* added in pairs, so that mirrored problems mirror */
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const int64_t element = place - (q & 1) - (q >> 1) * g.row;
      R v[24];
#pragma unroll
      for (int c = 0; c < DOF; c++)
#pragma unroll
        for (int p = 0; p < 4; p++)
          v[c * 8 + p] = x[c * g.stored + element + (p & 1) + (p >> 1) * g.row];
      turn<2, DOF>(0, v);
      turn<2, DOF>(1, v);
      product<2, DOF>(g, g.modulus[element], v);
      turn<2, DOF>(0, v);
      turn<2, DOF>(1, v);
#pragma unroll
      for (int c = 0; c < DOF; c++)
        if (q & 1) {
          part[c] += v[c * 8 + q];
          a[c] = q == 1 ? part[c] : a[c] + part[c];
        } else {
          part[c] = v[c * 8 + q];
        }
    }
    const int fix = g.fix[place];
    const R inverse = WHAT == IG_SWEEP_SMOOTH ? (R)g.inverse[place] : (R)0;
#pragma unroll
    for (int c = 0; c < DOF; c++) {
      const int64_t at = c * g.stored + place;
      finish<R, WHAT>(g, place, c, fix, inverse, a[c], WHAT != IG_SWEEP_APPLY ? b[at] : (R)0, x[at],
                      WHAT == IG_SWEEP_SMOOTH ? d[at] : (R)0, c0, c1, d, y, state ? &dot : NULL);
    }
  }
  if (WHAT == IG_SWEEP_APPLY && state) {
    double total;
    if (ig_grid_sum(dot, state->partial, &state->arrived, &total) && threadIdx.x == 0)
      state->s.pap = total;
  }
}

template <typename R, int DOF, int WHAT>
static ig_status launch(ig_ctx *cx, const typename args_of<R>::type *g, const R *b, const R *x,
                        R *d, R c0, R c1, R *y, ig_cg_state *state) {
  if (g->dim == 2) {
    const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1);
    unsigned blocks = ig_cuda_blocks(nodes, 128);
    blocks = blocks < 4096 ? blocks : 4096;
    gather<R, DOF == 3 ? 2 : DOF, WHAT>
        <<<blocks, 128, 0, ig_cuda_stream(cx)>>>(*g, b, x, d, c0, c1, y, state);
    IG_LAUNCHED(cx);
    return IG_OK;
  }
  enum { TY = sizeof(R) == 4 ? 14 : 16 }; /* as many as registers allow without spilling */
  dim3 grid((g->n[0] + 30) / 30, (g->n[1] + TY - 2) / (TY - 2), 1);
  /* Planes are split among blocks: in pieces of 16 or more where there are enough tiles, thinner
     ones (each computes one plane of elements twice) where multiprocessors would stand idle. */
  const int planes = g->n[2] + 1, tiles = (int)(grid.x * grid.y);
  const int slots = ig_cuda_of(cx)->multiprocessors * (sizeof(R) == 4 ? 2 : 1);
  int chunks = 8 * slots / tiles, most = planes / 16;
  chunks = chunks < most ? chunks : most;
  if (chunks * tiles < 2 * slots) {
    chunks = 2 * slots / tiles;
    most = planes / 5;
    chunks = chunks < most ? chunks : most;
  }
  chunks = chunks > 1 ? chunks : 1;
  const int chunk = (planes + chunks - 1) / chunks;
  grid.z = (planes + chunk - 1) / chunk;
  if ((uint64_t)grid.x * grid.y * grid.z > IG_PARTIALS)
    return IG_FAIL(cx, IG_UNSUPPORTED, "the grid is too wide: more than %d tiles", IG_PARTIALS);
  march<R, DOF, TY, WHAT>
      <<<grid, dim3(32, TY), 0, ig_cuda_stream(cx)>>>(*g, b, x, d, c0, c1, y, chunk, state);
  IG_LAUNCHED(cx);
  return IG_OK;
}

ig_status ig_grid_cuda_apply(ig_ctx *cx, const ig_grid_args_f64 *g, const double *x, double *y,
                             ig_cg_state *state) {
  if (g->dof == 1)
    return launch<double, 1, IG_SWEEP_APPLY>(cx, g, NULL, x, NULL, 0, 0, y, state);
  return launch<double, 3, IG_SWEEP_APPLY>(cx, g, NULL, x, NULL, 0, 0, y, state);
}

/* --- stored stencils --- */

struct stencil_args {
  int n[3], dof, blocks;
  int64_t row, plane, stored, first, offset[IG_STENCIL_HALF];
  const float *stencil, *inverse;
};

static stencil_args stencil_of(const ig_level *l) {
  stencil_args s;
  for (int d = 0; d < 3; d++)
    s.n[d] = l->grid.n[d];
  s.dof = l->grid.dof;
  s.blocks = l->blocks;
  s.row = l->grid.row;
  s.plane = l->grid.plane;
  s.stored = l->grid.stored;
  s.first = l->grid.first;
  for (int b = 0; b < IG_STENCIL_HALF; b++)
    s.offset[b] = l->offset[b];
  s.stencil = l->stencil;
  s.inverse = l->inverse;
  return s;
}

/* nodes of a level in a flat range, x fastest */
static __device__ __forceinline__ bool node_place(const int *n, int64_t row, int64_t plane,
                                                  int64_t first, int64_t t, int *i, int64_t *at) {
  const int64_t wide = n[0] + 1, high = n[1] + 1;
  i[0] = (int)(t % wide);
  i[1] = (int)(t / wide % high);
  i[2] = (int)(t / (wide * high));
  *at = first + i[0] + i[1] * row + i[2] * plane;
  return i[2] <= n[2];
}

/* a thread a row of the matrix: threadIdx.y is the component */
template <int DOF>
__global__ void stencil_sweep(const __grid_constant__ stencil_args s, int what,
                              const float *__restrict__ b, const float *__restrict__ x, float *d,
                              float c0, float c1, float *__restrict__ y) {
  const int r = threadIdx.y;
  int i[3];
  int64_t place;
  if (!node_place(s.n, s.row, s.plane, s.first, blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i,
                  &place))
    return;
  float a = 0;
  const float *m = s.stencil + place;
#pragma unroll
  for (int c = 0; c < DOF; c++)
    a += m[(r * DOF + c) * s.stored] * x[c * s.stored + place];
#pragma unroll 2
  for (int n = 1; n < s.blocks; n++) {
    const int64_t o = s.offset[n];
    const float *up = m + (int64_t)n * DOF * DOF * s.stored, *down = up - o;
#pragma unroll
    for (int c = 0; c < DOF; c++)
      a += up[(r * DOF + c) * s.stored] * x[c * s.stored + place + o] +
           down[(c * DOF + r) * s.stored] * x[c * s.stored + place - o];
  }
  const int64_t at = r * s.stored + place;
  if (what == IG_SWEEP_APPLY) {
    y[at] = a;
  } else if (what == IG_SWEEP_RESIDUAL) {
    y[at] = s.inverse[at] == 0 ? 0 : b[at] - a;
  } else {
    const float step = (c0 != 0 ? c0 * d[at] : 0) + c1 * s.inverse[at] * (b[at] - a);
    d[at] = step;
    y[at] = x[at] + step;
  }
}

static int64_t nodes_of(const ig_grid *g) {
  return (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
}

ig_status ig_grid_cuda_sweep(ig_ctx *cx, const ig_level *l, ig_sweep what, const float *b,
                             const float *x, float *d, float c0, float c1, float *y) {
  if (!l->blocks) {
    const ig_grid_args_f32 *g = &l->args;
    if (g->dof == 1)
      return what == IG_SWEEP_APPLY
                 ? launch<float, 1, IG_SWEEP_APPLY>(cx, g, b, x, d, c0, c1, y, NULL)
             : what == IG_SWEEP_RESIDUAL
                 ? launch<float, 1, IG_SWEEP_RESIDUAL>(cx, g, b, x, d, c0, c1, y, NULL)
                 : launch<float, 1, IG_SWEEP_SMOOTH>(cx, g, b, x, d, c0, c1, y, NULL);
    return what == IG_SWEEP_APPLY
               ? launch<float, 3, IG_SWEEP_APPLY>(cx, g, b, x, d, c0, c1, y, NULL)
           : what == IG_SWEEP_RESIDUAL
               ? launch<float, 3, IG_SWEEP_RESIDUAL>(cx, g, b, x, d, c0, c1, y, NULL)
               : launch<float, 3, IG_SWEEP_SMOOTH>(cx, g, b, x, d, c0, c1, y, NULL);
  }
  const int dof = l->grid.dof;
  const dim3 block(64, dof);
  const unsigned blocks = ig_cuda_blocks(nodes_of(&l->grid), 64);
  const stencil_args s = stencil_of(l);
  if (dof == 3)
    stencil_sweep<3><<<blocks, block, 0, ig_cuda_stream(cx)>>>(s, what, b, x, d, c0, c1, y);
  else if (dof == 2)
    stencil_sweep<2><<<blocks, block, 0, ig_cuda_stream(cx)>>>(s, what, b, x, d, c0, c1, y);
  else
    stencil_sweep<1><<<blocks, block, 0, ig_cuda_stream(cx)>>>(s, what, b, x, d, c0, c1, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void start_fine(const __grid_constant__ ig_grid_args_f32 g, const float *b, float c1,
                           float *x, float *d) {
  int i[3];
  int64_t place;
  if (!node_place(g.n, g.row, g.dim == 3 ? g.plane : 0, g.first,
                  blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i, &place))
    return;
  const int fix = g.fix[place];
  const float inverse = g.inverse[place];
  /* a step of the smoother from x = 0: A x is 0 there, so y = d = c1 D^-1 b */
  for (int c = 0; c < g.dof; c++) {
    const float bv = b[c * g.stored + place];
    finish<float, IG_SWEEP_SMOOTH>(g, place, c, fix, inverse, 0.0f, bv, 0.0f, 0.0f, 0.0f, c1, d, x,
                                   NULL);
  }
}

__global__ void start_coarse(const __grid_constant__ stencil_args s, const float *b, float c1,
                             float *x, float *d) {
  int i[3];
  int64_t place;
  if (!node_place(s.n, s.row, s.plane, s.first, blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i,
                  &place))
    return;
  for (int c = 0; c < s.dof; c++) {
    const int64_t at = c * s.stored + place;
    x[at] = d[at] = c1 * s.inverse[at] * b[at];
  }
}

ig_status ig_grid_cuda_start(ig_ctx *cx, const ig_level *l, const float *b, float c1, float *x,
                             float *d) {
  const unsigned blocks = ig_cuda_blocks(nodes_of(&l->grid), 128);
  if (l->blocks)
    start_coarse<<<blocks, 128, 0, ig_cuda_stream(cx)>>>(stencil_of(l), b, c1, x, d);
  else
    start_fine<<<blocks, 128, 0, ig_cuda_stream(cx)>>>(l->args, b, c1, x, d);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- between levels --- */

struct pair_args {
  int dim, dof, fine[3], coarse[3];
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
                               float *__restrict__ b) {
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
      if (j < 0 || j > p.fine[1] || k < 0 || k > p.fine[2])
        continue;
      const float *line = from + p.first + j * p.row + k * p.plane;
      float t = 0;
      for (int x = -1; x <= 1; x++) {
        const int i = 2 * I[0] + x;
        if (i >= 0 && i <= p.fine[0])
          t += (x ? 0.5f : 1.0f) * line[i];
      }
      s += (y ? 0.5f : 1.0f) * (z ? 0.5f : 1.0f) * t;
    }
  b[threadIdx.y * p.cstored + at] = s;
}

ig_status ig_grid_cuda_restricts(ig_ctx *cx, const ig_level *fine, const float *r,
                                 const ig_level *coarse, float *b) {
  restrict_nodes<<<ig_cuda_blocks(nodes_of(&coarse->grid), 64), dim3(64, coarse->grid.dof), 0,
                   ig_cuda_stream(cx)>>>(pair_of(fine, coarse), r, b);
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
  prolong_nodes<<<ig_cuda_blocks(nodes_of(&fine->grid), 128), 128, 0, ig_cuda_stream(cx)>>>(
      pair_of(fine, coarse), xc, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- setting up the levels --- */

__global__ void single_values(int64_t n, const double *x, float *y) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x)
    y[i] = (float)x[i];
}

/* blocks for a loop with a stride over n items */
static unsigned stride_blocks(ig_ctx *cx, int64_t n, int threads) {
  const unsigned all = ig_cuda_blocks(n, threads);
  const unsigned most = 16u * (unsigned)ig_cuda_of(cx)->multiprocessors;
  return all < most ? (all ? all : 1) : most;
}

ig_status ig_grid_cuda_to_single(ig_ctx *cx, int64_t n, const double *x, float *y) {
  single_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void inverse_nodes(const __grid_constant__ ig_grid_args_f32 g, float *inverse) {
  int i[3];
  int64_t at;
  if (!node_place(g.n, g.row, g.dim == 3 ? g.plane : 0, g.first,
                  blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i, &at))
    return;
  const float *e = g.modulus + at;
  const int64_t r = g.row, p = g.plane;
  float s = (e[0] + e[-1]) + (e[-r] + e[-1 - r]);
  if (g.dim == 3)
    s += (e[-p] + e[-1 - p]) + (e[-r - p] + e[-1 - r - p]);
  inverse[at] = s > 0 ? 1 / s : 0;
}

ig_status ig_grid_cuda_node_inverse(ig_ctx *cx, const ig_grid_args_f32 *g, float *inverse) {
  const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  inverse_nodes<<<ig_cuda_blocks(nodes, 128), 128, 0, ig_cuda_stream(cx)>>>(*g, inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}

struct coarsen_args {
  int dim, dof, n[3], fine[3], next[3]; /* elements of this, the finer and the next level */
  int64_t row, plane, stored, first;    /* of this level */
  int64_t frow, fplane, ffirst;         /* of the finest */
  const float *modulus, *table, *from;  /* from: element matrices of the finer level */
  const uint16_t *kind;
  float *stencil, *to; /* to: element matrices made */
};

static coarsen_args coarsen_of(const ig_level *l) {
  coarsen_args a = {};
  a.dim = l->grid.dim;
  a.dof = l->grid.dof;
  for (int d = 0; d < 3; d++)
    a.n[d] = l->grid.n[d];
  a.row = l->grid.row;
  a.plane = l->grid.dim == 3 ? l->grid.plane : 0;
  a.stored = l->grid.stored;
  a.first = l->grid.first;
  a.stencil = l->stencil;
  return a;
}

static __device__ __forceinline__ bool element_there(const int *n, int dim, const int *e) {
  return e[0] >= 0 && e[0] < n[0] && e[1] >= 0 && e[1] < n[1] && e[2] >= 0 &&
         e[2] < (dim == 3 ? n[2] : 1);
}
static __device__ __forceinline__ int64_t element_number(const int *n, const int *e) {
  return e[0] + (int64_t)n[0] * (e[1] + (int64_t)n[1] * e[2]);
}

/* A thread makes one block of one node's stencil: blockIdx.y is the block. Either from the moduli
   (first coarse level) or from element matrices. */
template <int DOF, bool FROM_MODULI>
__global__ void make_stencil(const __grid_constant__ coarsen_args a) {
  int i[3];
  int64_t place;
  if (!node_place(a.n, a.row, a.plane, a.first, blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i,
                  &place))
    return;
  const int block = blockIdx.y, nodes = 1 << a.dim, size = nodes * DOF;
  float s[DOF * DOF] = {};
  for (int p = 0; p < nodes; p++)
    for (int q = 0; q < nodes; q++) {
      if (ig_stencil_block(a.dim, (q & 1) - (p & 1), (q >> 1 & 1) - (p >> 1 & 1),
                           (q >> 2) - (p >> 2)) != block)
        continue;
      const int e[3] = {i[0] - (p & 1), i[1] - (p >> 1 & 1), i[2] - (p >> 2)};
      if (!element_there(a.n, a.dim, e))
        continue;
      const int64_t number = element_number(a.n, e);
      if (FROM_MODULI) {
        const float *t = a.table + (int64_t)a.kind[number] * nodes * size * size;
        for (int child = 0; child < nodes; child++) {
          const float m =
              a.modulus[a.ffirst + 2 * e[0] + (child & 1) + (2 * e[1] + (child >> 1 & 1)) * a.frow +
                        (2 * e[2] + (child >> 2)) * a.fplane];
          const float *k = t + ((int64_t)child * size + p * DOF) * size + q * DOF;
#pragma unroll
          for (int r = 0; r < DOF; r++)
#pragma unroll
            for (int c = 0; c < DOF; c++)
              s[r * DOF + c] += m * k[r * size + c];
        }
      } else {
        const float *k = a.from + number * size * size + (int64_t)p * DOF * size + q * DOF;
#pragma unroll
        for (int r = 0; r < DOF; r++)
#pragma unroll
          for (int c = 0; c < DOF; c++)
            s[r * DOF + c] += k[r * size + c];
      }
    }
#pragma unroll
  for (int m = 0; m < DOF * DOF; m++)
    a.stencil[((int64_t)block * DOF * DOF + m) * a.stored + place] = s[m];
}

/* A block makes one element matrix of the next level: the sum over the children, each taken
   through its interpolation one axis at a time, rows then columns. */
template <bool FROM_MODULI> __global__ void make_parents(const __grid_constant__ coarsen_args a) {
  __shared__ float k[576];
  const int nodes = 1 << a.dim, size = nodes * a.dof, entries = size * size;
  const int64_t number = blockIdx.x;
  const int parent[3] = {(int)(number % a.next[0]), (int)(number / a.next[0] % a.next[1]),
                         (int)(number / ((int64_t)a.next[0] * a.next[1]))};
  float sum[9] = {}; /* at least 64 threads */
  for (int child = 0; child < nodes; child++) {
    const int e[3] = {2 * parent[0] + (child & 1), 2 * parent[1] + (child >> 1 & 1),
                      2 * parent[2] + (child >> 2)};
    if (!element_there(a.n, a.dim, e))
      continue;
    const int64_t mine = element_number(a.n, e);
    if (FROM_MODULI) {
      const float *t = a.table + (int64_t)a.kind[mine] * nodes * entries;
      float m[8];
#pragma unroll
      for (int g = 0; g < 8; g++)
        m[g] = g < nodes
                   ? a.modulus[a.ffirst + 2 * e[0] + (g & 1) + (2 * e[1] + (g >> 1 & 1)) * a.frow +
                               (2 * e[2] + (g >> 2)) * a.fplane]
                   : 0.0f;
      for (int q = threadIdx.x; q < entries; q += blockDim.x) {
        float v = 0;
#pragma unroll
        for (int g = 0; g < 8; g++)
          if (g < nodes)
            v += m[g] * t[g * entries + q];
        k[q] = v;
      }
    } else {
      for (int q = threadIdx.x; q < entries; q += blockDim.x)
        k[q] = a.from[mine * entries + q];
    }
    for (int side = 0; side < 2; side++)
      for (int axis = 0; axis < a.dim; axis++) {
        __syncthreads();
        for (int q = threadIdx.x; q < entries / 2; q += blockDim.x) {
          /* q counts pairs of rows (or columns) that differ in the bit `axis` of the corner */
          const int line = q / size, other = q % size, corner = line / a.dof, c = line % a.dof;
          const int low = (corner >> axis << (axis + 1)) | (corner & ((1 << axis) - 1));
          const int high = low | 1 << axis;
          const int p0 = side ? other * size + low * a.dof + c : (low * a.dof + c) * size + other;
          const int p1 = side ? other * size + high * a.dof + c : (high * a.dof + c) * size + other;
          const float u = k[p0], v = k[p1];
          const int s = child >> axis & 1;
          k[p0] = s ? 0.5f * u : u + 0.5f * v;
          k[p1] = s ? v + 0.5f * u : 0.5f * v;
        }
      }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < 9; m++)
      if (threadIdx.x + m * blockDim.x < (unsigned)entries)
        sum[m] += k[threadIdx.x + m * blockDim.x];
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 9; m++)
    if (threadIdx.x + m * blockDim.x < (unsigned)entries)
      a.to[number * entries + threadIdx.x + m * blockDim.x] = sum[m];
}

template <bool FROM_MODULI>
static ig_status launch_stencil(ig_ctx *cx, const ig_level *l, const coarsen_args &a) {
  const dim3 grid(ig_cuda_blocks(nodes_of(&l->grid), 128), l->blocks);
  if (a.dof == 3)
    make_stencil<3, FROM_MODULI><<<grid, 128, 0, ig_cuda_stream(cx)>>>(a);
  else if (a.dof == 2)
    make_stencil<2, FROM_MODULI><<<grid, 128, 0, ig_cuda_stream(cx)>>>(a);
  else
    make_stencil<1, FROM_MODULI><<<grid, 128, 0, ig_cuda_stream(cx)>>>(a);
  IG_LAUNCHED(cx);
  return IG_OK;
}

static void parents_of(coarsen_args *a, const ig_level *next) {
  for (int d = 0; d < 3; d++)
    a->next[d] = d < a->dim ? next->grid.n[d] : 1;
  a->to = next->element;
}

ig_status ig_grid_cuda_coarsen_fine(ig_ctx *cx, const ig_level *fine, const ig_level *coarse,
                                    const ig_level *next, const uint16_t *kind,
                                    const float *table) {
  coarsen_args a = coarsen_of(coarse);
  a.modulus = fine->args.modulus;
  a.frow = fine->grid.row;
  a.fplane = fine->grid.dim == 3 ? fine->grid.plane : 0;
  a.ffirst = fine->grid.first;
  a.kind = kind;
  a.table = table;
  IG_TRY(launch_stencil<true>(cx, coarse, a));
  if (!next)
    return IG_OK;
  parents_of(&a, next);
  make_parents<true>
      <<<(unsigned)ig_grid_elements(&next->grid), a.dim == 3 ? 192 : 64, 0, ig_cuda_stream(cx)>>>(
          a);
  IG_LAUNCHED(cx);
  return IG_OK;
}

ig_status ig_grid_cuda_coarsen(ig_ctx *cx, const ig_level *fine, const ig_level *coarse) {
  coarsen_args a = coarsen_of(fine);
  a.from = fine->element;
  parents_of(&a, coarse);
  make_parents<false>
      <<<(unsigned)ig_grid_elements(&coarse->grid), a.dim == 3 ? 192 : 64, 0, ig_cuda_stream(cx)>>>(
          a);
  IG_LAUNCHED(cx);
  return IG_OK;
}

ig_status ig_grid_cuda_stencil(ig_ctx *cx, const ig_level *l) {
  coarsen_args a = coarsen_of(l);
  a.from = l->element;
  return launch_stencil<false>(cx, l, a);
}

__global__ void spread_springs(const __grid_constant__ ig_grid_args_f32 fine,
                               const __grid_constant__ ig_level l, int depth) {
  const int corners = 1 << l.grid.dim;
  for (int s = 0; s < fine.springs; s++) {
    ig_spring_spread(&fine, &l, depth, s, threadIdx.x / corners, threadIdx.x % corners);
    __syncthreads(); /* the next spring may add to the same entries */
  }
}

ig_status ig_grid_cuda_coarse_springs(ig_ctx *cx, const ig_level *fine, const ig_level *l,
                                      int depth) {
  spread_springs<<<1, 1 << 2 * l->grid.dim, 0, ig_cuda_stream(cx)>>>(fine->args, *l, depth);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void invert_diagonal(const __grid_constant__ stencil_args s, float *stencil,
                                float *inverse) {
  int i[3];
  int64_t place;
  if (!node_place(s.n, s.row, s.plane, s.first, blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i,
                  &place))
    return;
  for (int c = 0; c < s.dof; c++) {
    float *diagonal = stencil + (c * s.dof + c) * s.stored + place;
    const float v = *diagonal * IG_COARSE_SHIFT;
    *diagonal = v;
    inverse[c * s.stored + place] = v > 0 ? 1 / v : 0;
  }
}

ig_status ig_grid_cuda_coarse_inverse(ig_ctx *cx, const ig_level *l) {
  invert_diagonal<<<ig_cuda_blocks(nodes_of(&l->grid), 128), 128, 0, ig_cuda_stream(cx)>>>(
      stencil_of(l), l->stencil, l->inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- the coarsest level --- */

/* Gauss-Jordan by one block; the matrix is positive definite but for rows with nothing in them */
__global__ void __launch_bounds__(1024)
    invert_dense(const __grid_constant__ ig_level l, const int32_t *place, int n, double *a,
                 float *inverse) {
  extern __shared__ double line[]; /* pivot row, pivot column */
  double *column = line + n;
  __shared__ double pivot;
  for (int m = threadIdx.x; m < n * n; m += blockDim.x)
    a[m] = (double)ig_stencil_entry(&l, place[m / n], place[m % n]);
  __syncthreads();
  for (int p = 0; p < n; p++) {
    if (threadIdx.x == 0) {
      const double d = a[p * n + p], whole = (double)ig_stencil_entry(&l, place[p], place[p]);
      pivot = d > 1e-9 * whole ? 1 / d : 0;
    }
    __syncthreads();
    for (int m = threadIdx.x; m < n; m += blockDim.x) {
      line[m] = (m == p ? 1.0 : a[p * n + m]) * pivot;
      column[m] = a[m * n + p];
    }
    __syncthreads();
    for (int m = threadIdx.x; m < n * n; m += blockDim.x) {
      const int i = m / n, j = m - i * n;
      a[m] = i == p ? line[j] : (j == p ? 0.0 : a[m]) - column[i] * line[j];
    }
    __syncthreads();
  }
  for (int m = threadIdx.x; m < n * n; m += blockDim.x)
    inverse[m] = (float)(0.5 * (a[m] + a[m % n * n + m / n]));
}

ig_status ig_grid_cuda_dense_invert(ig_ctx *cx, const ig_level *l, const int32_t *place, int n,
                                    double *work, float *inverse) {
  invert_dense<<<1, 1024, 2 * (size_t)n * sizeof(double), ig_cuda_stream(cx)>>>(*l, place, n, work,
                                                                                inverse);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* the inverse is symmetric: its columns are read, neighbouring threads side by side */
__global__ void solve_dense(const int32_t *place, int n, const float *__restrict__ inverse,
                            const float *b, float *x) {
  extern __shared__ float r[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    r[i] = b[place[i]];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float s = 0;
#pragma unroll 8
    for (int j = 0; j < n; j++)
      s += inverse[j * n + i] * r[j];
    x[place[i]] = s;
  }
}

ig_status ig_grid_cuda_dense_solve(ig_ctx *cx, const int32_t *place, int n, const float *inverse,
                                   const float *b, float *x) {
  /* whole vectors of the right-hand side: the compiler reads four values at a time */
  const size_t shared = ((size_t)n + 7) / 8 * 8 * sizeof(float);
  solve_dense<<<1, 256, shared, ig_cuda_stream(cx)>>>(place, n, inverse, b, x);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- conjugate gradients --- */

__global__ void residual_values(int64_t n, const double *f, double *r, float *r32,
                                ig_cg_state *state) {
  double s = 0, total;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x) {
    const double v = f[i] - r[i];
    r[i] = v;
    r32[i] = (float)v;
    s += v * v;
  }
  if (ig_grid_sum(s, state->partial, &state->arrived, &total) && threadIdx.x == 0)
    state->s.rr = total;
}

ig_status ig_grid_cuda_cg_residual(ig_ctx *cx, int64_t n, const double *f, double *r, float *r32,
                                   ig_cg_state *state) {
  residual_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, f, r, r32, state);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void update_values(int64_t n, const double *p, const double *ap, double *x, double *r,
                              float *r32, ig_cg_state *state) {
  const double alpha = state->s.pap != 0 ? state->s.rz / state->s.pap : 0;
  double s = 0, total;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x) {
    x[i] += alpha * p[i];
    const double v = r[i] - alpha * ap[i];
    r[i] = v;
    r32[i] = (float)v;
    s += v * v;
  }
  if (ig_grid_sum(s, state->partial, &state->arrived, &total) && threadIdx.x == 0)
    state->s.rr = total;
}

ig_status ig_grid_cuda_cg_update(ig_ctx *cx, int64_t n, const double *p, const double *ap,
                                 double *x, double *r, float *r32, ig_cg_state *state) {
  update_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, p, ap, x, r, r32,
                                                                           state);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void dot_values(int64_t n, const double *r, const float *z, ig_cg_state *state) {
  double s = 0, total;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x)
    s += r[i] * (double)z[i];
  if (ig_grid_sum(s, state->partial, &state->arrived, &total) && threadIdx.x == 0) {
    state->s.rz_last = state->s.rz;
    state->s.rz = total;
  }
}

__global__ void direction_values(int64_t n, const float *z, double *p, bool first,
                                 const ig_cg_state *state) {
  const double last = state->s.rz_last, beta = first || last == 0 ? 0 : state->s.rz / last;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x)
    p[i] = (double)z[i] + beta * p[i];
}

ig_status ig_grid_cuda_cg_direction(ig_ctx *cx, int64_t n, const double *r, const float *z,
                                    double *p, bool first, ig_cg_state *state) {
  dot_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, r, z, state);
  IG_LAUNCHED(cx);
  direction_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, z, p, first,
                                                                              state);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- sensitivities --- */

template <int DIM, int DOF>
__global__ void energy_elements(const __grid_constant__ ig_grid_args_f64 g,
                                const double *__restrict__ u, const double *__restrict__ v,
                                double scale, bool add, double *out) {
  const int nz = DIM == 3 ? g.n[2] : 1;
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int i = (int)(t % g.n[0]), j = (int)(t / g.n[0] % g.n[1]);
  const int k = (int)(t / ((int64_t)g.n[0] * g.n[1]));
  if (k >= nz)
    return;
  const int64_t place = g.first + i + j * g.row + (DIM == 3 ? k * g.plane : 0);
  double a[24], b[24], s = 0;
#pragma unroll
  for (int c = 0; c < DOF; c++)
#pragma unroll
    for (int q = 0; q < 1 << DIM; q++) {
      const int64_t at = c * g.stored + place + (q & 1) + (q >> 1 & 1) * g.row + (q >> 2) * g.plane;
      a[c * 8 + q] = u[at];
      b[c * 8 + q] = v[at];
    }
#pragma unroll
  for (int d = 0; d < DIM; d++) {
    turn<DIM, DOF>(d, a);
    turn<DIM, DOF>(d, b);
  }
  product<DIM, DOF>(g, 1.0, b);
#pragma unroll
  for (int c = 0; c < DOF; c++)
#pragma unroll
    for (int m = 0; m < 1 << DIM; m++)
      s += a[c * 8 + m] * b[c * 8 + m];
  out[place] = scale * s + (add ? out[place] : 0);
}

ig_status ig_grid_cuda_energy(ig_ctx *cx, const ig_grid_args_f64 *g, const double *u,
                              const double *v, double scale, bool add, double *out) {
  const int64_t count = (int64_t)g->n[0] * g->n[1] * (g->dim == 3 ? g->n[2] : 1);
  const unsigned blocks = ig_cuda_blocks(count, 128);
  cudaStream_t stream = ig_cuda_stream(cx);
  if (g->dim == 3 && g->dof == 3)
    energy_elements<3, 3><<<blocks, 128, 0, stream>>>(*g, u, v, scale, add, out);
  else if (g->dim == 3)
    energy_elements<3, 1><<<blocks, 128, 0, stream>>>(*g, u, v, scale, add, out);
  else if (g->dof == 2)
    energy_elements<2, 2><<<blocks, 128, 0, stream>>>(*g, u, v, scale, add, out);
  else
    energy_elements<2, 1><<<blocks, 128, 0, stream>>>(*g, u, v, scale, add, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- operators to compare with --- */

/* one thread a DoF: the eight elements around its node, a row of the dense matrix each */
__global__ void dof_by_dof(const __grid_constant__ ig_grid_args_f64 g,
                           const double *__restrict__ matrix, const double *__restrict__ x,
                           double *__restrict__ y) {
  __shared__ double k[576];
  for (int m = threadIdx.x + blockDim.x * threadIdx.y; m < 576; m += blockDim.x * blockDim.y)
    k[m] = matrix[m];
  __syncthreads();
  const int r = threadIdx.y;
  int i[3];
  int64_t place;
  if (!node_place(g.n, g.row, g.plane, g.first, blockIdx.x * (int64_t)blockDim.x + threadIdx.x, i,
                  &place))
    return;
  double s = 0;
  for (int a = 0; a < 8; a++) {
    const int64_t element = place - (a & 1) - (a >> 1 & 1) * g.row - (a >> 2) * g.plane;
    const double e = g.modulus[element];
    double t = 0;
    for (int b = 0; b < 8; b++) {
      const double *u = x + element + (b & 1) + (b >> 1 & 1) * g.row + (b >> 2) * g.plane;
#pragma unroll
      for (int c = 0; c < 3; c++)
        t += k[(a * 3 + r) * 24 + b * 3 + c] * u[c * g.stored];
    }
    s += e * t;
  }
  y[r * g.stored + place] = g.fix[place] >> r & 1 ? 0 : s;
}

ig_status ig_grid_cuda_dbd(ig_ctx *cx, const ig_grid_args_f64 *g, const double *k, const double *x,
                           double *y) {
  const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  dof_by_dof<<<ig_cuda_blocks(nodes, 128), dim3(128, 3), 0, ig_cuda_stream(cx)>>>(*g, k, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* value, column: [81][3 x nodes], rows packed without the halo, columns as places */
__global__ void assemble_rows(const __grid_constant__ ig_grid_args_f64 g, const double *k,
                              double *value, int32_t *column) {
  const int64_t nodes = (int64_t)(g.n[0] + 1) * (g.n[1] + 1) * (g.n[2] + 1);
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int r = threadIdx.y;
  int i[3];
  int64_t place;
  if (!node_place(g.n, g.row, g.plane, g.first, t, i, &place))
    return;
  for (int q = 0; q < 27; q++) {
    const int o[3] = {q % 3 - 1, q / 3 % 3 - 1, q / 9 - 1};
    double s[3] = {0, 0, 0};
    for (int a = 0; a < 8; a++) {
      const int b[3] = {(a & 1) + o[0], (a >> 1 & 1) + o[1], (a >> 2) + o[2]};
      if ((b[0] | b[1] | b[2]) & ~1)
        continue;
      const double e = g.modulus[place - (a & 1) - (a >> 1 & 1) * g.row - (a >> 2) * g.plane];
      for (int c = 0; c < 3; c++)
        s[c] += e * k[(a * 3 + r) * 24 + (b[0] + 2 * b[1] + 4 * b[2]) * 3 + c];
    }
    const int64_t to = place + o[0] + o[1] * g.row + o[2] * g.plane;
    for (int c = 0; c < 3; c++) {
      value[(int64_t)(q * 3 + c) * 3 * nodes + r * nodes + t] = s[c];
      column[(int64_t)(q * 3 + c) * 3 * nodes + r * nodes + t] = (int32_t)(c * g.stored + to);
    }
  }
}

ig_status ig_grid_cuda_assemble(ig_ctx *cx, const ig_grid_args_f64 *g, const double *k,
                                double *value, int32_t *column) {
  const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  assemble_rows<<<ig_cuda_blocks(nodes, 64), dim3(64, 3), 0, ig_cuda_stream(cx)>>>(*g, k, value,
                                                                                   column);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void sparse_rows(const __grid_constant__ ig_grid_args_f64 g,
                            const double *__restrict__ value, const int32_t *__restrict__ column,
                            const double *__restrict__ x, double *__restrict__ y) {
  const int64_t nodes = (int64_t)(g.n[0] + 1) * (g.n[1] + 1) * (g.n[2] + 1);
  const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (t >= 3 * nodes)
    return;
  double s = 0;
#pragma unroll 9
  for (int q = 0; q < 81; q++)
    s += value[q * 3 * nodes + t] * x[column[q * 3 * nodes + t]];
  int i[3];
  int64_t place;
  const int r = (int)(t / nodes);
  (void)node_place(g.n, g.row, g.plane, g.first, t % nodes, i, &place);
  y[r * g.stored + place] = g.fix[place] >> r & 1 ? 0 : s;
}

ig_status ig_grid_cuda_assembled(ig_ctx *cx, const ig_grid_args_f64 *g, const double *value,
                                 const int32_t *column, const double *x, double *y) {
  const int64_t rows = 3 * (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  sparse_rows<<<ig_cuda_blocks(rows, 256), 256, 0, ig_cuda_stream(cx)>>>(*g, value, column, x, y);
  IG_LAUNCHED(cx);
  return IG_OK;
}
