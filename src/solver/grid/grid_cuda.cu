/* The operator on CUDA: what a sweep over the finest level makes of A x; element energies. In 3D
   blocks march through planes (`march`), so that each value is loaded about once; in 2D each thread
   gathers (`gather`), since plane problems are small. */
#include "backend/cuda/launch.cuh"
#include "solver/grid/brick.cuh"
#include "solver/grid/level.cuh"
#include "solver/grid/planes.cuh"

/* The arguments' type of a precision, for templates over it. */
template <typename R> struct args_of;
template <> struct args_of<float> { typedef ig_grid_args_f32 type; };
template <> struct args_of<double> { typedef ig_grid_args_f64 type; };

/* What a sweep makes of a = (A x) at a node, one component. The spring of a flagged node is looked
   up; a smoother divides by the diagonal with it. Places take 32 bits: addresses are made for every
   value, and cost. */
template <typename R, int WHAT>
static __device__ __forceinline__ void finish(const typename args_of<R>::type &g, uint32_t place,
                                              int c, int fix, R inverse, R a, R b, R x, R d, R c0,
                                              R c1, R *dp, R *y, bool want, double &dot) {
  const int64_t first = c * g.stored;
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
    (y + first)[place] = v;
    if (want)
      dot += (double)x * (double)v;
  } else if (WHAT == IG_SWEEP_RESIDUAL) {
    (y + first)[place] = held ? 0 : b - a;
  } else {
    const R step = held ? 0 : c0 * d + c1 * quotient * (b - a);
    if (dp)
      (dp + first)[place] = step;
    (y + first)[place] = x + step;
  }
}

/* The operator in 3D. A block is a tile of 32 x TY node columns that marches in z; its rim only
   feeds its inside:

         row of a tile:   r n n n ... n n r      30 of 32 columns (n) are finished by it, the two at
                                                 the rim (r) by the tiles beside, too

   Values of a plane meet their neighbours through shared memory, where the transforms along x and y
   are made once for the elements below and above; what elements send to a plane is summed in mode
   space and brought back once a plane. A thread carries one element column: 4 DOF values of the
   plane below, 4 DOF of sums. One barrier a plane: what it publishes for the plane loaded ahead and
   for the sums of the plane finished goes into buffers of alternating parity.

   Step k: plane k + 1 is published, plane k + 2 asked for, plane k - 1 finished; then the elements
   between planes k and k + 1 are computed. A chunk starts one plane below its first and ends one
   above its last. */
template <typename R, int DOF, int TY, int BLOCKS, int WHAT>
__global__ void __launch_bounds__(32 * TY, BLOCKS)
    march(const __grid_constant__ typename args_of<R>::type g, const R *__restrict__ b,
          const R *__restrict__ x, R *d, R c0, R c1, R *__restrict__ y, int chunk, int units,
          ig_cg_state *state) {
  __shared__ R plane[2][DOF][TY][32];
  __shared__ R below[2][DOF][TY - 1][32]; /* the highest row has none above */
  const int tx = threadIdx.x, ty = threadIdx.y;
  /* i, j: from -1, the halo; `stored`: memory is there; `mine`: this thread finishes the node */
  const int i = (int)blockIdx.x * 30 + tx - 1, j = (int)blockIdx.y * (TY - 2) + ty - 1;
  const int k0 = (int)blockIdx.z * chunk, last = g.n[2] + 1;
  const int k1 = k0 + chunk < last ? k0 + chunk : last;
  const bool stored = i <= g.n[0] + 1 && j <= g.n[1] + 1;
  const bool mine = tx > 0 && tx < 31 && ty > 0 && ty < TY - 1 && i <= g.n[0] && j <= g.n[1];
  const int east = tx < 31 ? tx + 1 : 31, north = ty < TY - 1 ? ty + 1 : TY - 1;
  const uint32_t layer = (uint32_t)g.plane, column = (uint32_t)(g.first + i + j * g.row);
  /* ahead: the plane loaded; low: plane k in modes of x and y; sum: what elements below gave plane
     k; own: plane k, rows along y not joined yet; e: moduli */
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
    const uint32_t done = column + (uint32_t)(k - 1) * layer;
    const bool finishing = mine && k > k0;
    R bv[DOF], inverse = 0;
    int fix = 0;
    if (finishing) {
      fix = g.fix[done];
      if (WHAT == IG_SWEEP_SMOOTH)
        inverse = (R)g.inverse[done];
#pragma unroll
      for (int c = 0; c < DOF; c++)
        bv[c] = WHAT != IG_SWEEP_APPLY ? (b + c * g.stored)[done] : (R)0;
    }
    if (k < k1) {
#pragma unroll
      for (int c = 0; c < DOF; c++)
        plane[(k + 1) & 1][c][ty][tx] = ahead[c];
      e = e_ahead;
      if (k + 1 < k1) {
#pragma unroll
        for (int c = 0; c < DOF; c++)
          ahead[c] = stored ? (x + c * g.stored)[done + 3 * layer] : (R)0;
        e_ahead = stored ? g.modulus[done + 2 * layer] : (R)0;
      }
    }
    __syncthreads();
    if (finishing) {
#pragma unroll
      for (int c = 0; c < DOF; c++) {
        const R dv = WHAT == IG_SWEEP_SMOOTH && c0 != 0 ? (d + c * g.stored)[done] : (R)0;
        const bool wants = WHAT == IG_SWEEP_SMOOTH || state || (fix & IG_FIX_SPRING);
        const R xv = wants ? (x + c * g.stored)[done] : (R)0;
        finish<R, WHAT>(g, done, c, fix, inverse, own[c] + below[(k - 1) & 1][c][ty - 1][tx], bv[c],
                        xv, dv, c0, c1, d, y, state != NULL, dot);
      }
    }
    /* x . y of a unit of planes, once the last of them is finished */
    if (WHAT == IG_SWEEP_APPLY && state && k > k0 && (k % IG_SLAB_GROUP == 0 || k == k1)) {
      const int tiles = gridDim.x * gridDim.y, tile = blockIdx.x + gridDim.x * blockIdx.y;
      ig_unit_leave<1>(&dot, units, tiles, (k - 1) / IG_SLAB_GROUP, tile, state->partial);
      dot = 0;
    }
    if (k == k1)
      break;
    /* modes of the element: sums and differences along z of the planes below and above */
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
    /* back along z: to plane k, joined with what came from below; and to plane k + 1. Mode 0 is a
       translation: no force. */
#pragma unroll
    for (int c = 0; c < DOF; c++) {
      R s[4];
#pragma unroll
      for (int m = 0; m < 4; m++)
        if (DOF > 1 && m == 0) {
          s[m] = sum[c * 4] + v[c * 8 + 4];
          sum[c * 4] = -v[c * 8 + 4];
        } else {
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
    if (ig_unit_meet<1>(units, gridDim.x * gridDim.y, state->partial, &state->arrived, &total) &&
        tx == 0 && ty == 0)
      state->s.pap = total;
  }
}

/* The operator in 2D: a thread per node gathers from the elements around it. */
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
                      WHAT == IG_SWEEP_SMOOTH && c0 != 0 ? d[at] : (R)0, c0, c1, d, y,
                      state != NULL, dot);
    }
  }
  if (WHAT == IG_SWEEP_APPLY && state) {
    double total;
    if (ig_grid_sum(dot, state->partial, &state->arrived, &total) && threadIdx.x == 0)
      state->s.pap = total;
  }
}

/* Rows of a tile in double precision: as many as registers allow without spilling; in single 14. */
enum { TILE_ROWS = 16 };

/* Planes a block marches through: tiles are split along z so that the device is busy to the end. A
   block spends two plane's time more than its planes; `slots` of them run at once. Where they sum
   they begin where units of sums do, every `step` planes; elsewhere anywhere. */
static int planes_a_block(int planes, int tiles, int slots, int step) {
  const int most = (planes + step - 1) / step * step;
  int best = most;
  int64_t least = INT64_MAX;
  for (int chunk = most; chunk >= 4; chunk -= step) {
    const int64_t blocks = (int64_t)tiles * ((planes + chunk - 1) / chunk);
    const int64_t cost = (blocks + slots - 1) / slots * (chunk + 2);
    if (cost < least) {
      least = cost;
      best = chunk;
    }
  }
  return best;
}

template <typename R, int DOF, int TY, int BLOCKS, int WHAT>
static ig_status launch_march(ig_ctx *cx, const typename args_of<R>::type *g, const R *b,
                              const R *x, R *d, R c0, R c1, R *y, ig_cg_state *state) {
  dim3 grid((g->n[0] + 30) / 30, (g->n[1] + TY - 2) / (TY - 2), 1);
  const int planes = g->n[2] + 1;
  const int chunk = planes_a_block(planes, (int)(grid.x * grid.y), IG_CUDA_UNITS * BLOCKS,
                                   state ? IG_SLAB_GROUP : 1);
  grid.z = (planes + chunk - 1) / chunk;
  const int units = (planes + IG_SLAB_GROUP - 1) / IG_SLAB_GROUP;
  if (state && ((uint64_t)grid.x * grid.y + 1) * units > IG_PARTIALS)
    return IG_FAIL(cx, IG_UNSUPPORTED, "the grid is too wide: more than %d tiles", IG_PARTIALS);
  march<R, DOF, TY, BLOCKS, WHAT>
      <<<grid, dim3(32, TY), 0, ig_cuda_stream(cx)>>>(*g, b, x, d, c0, c1, y, chunk, units, state);
  IG_LAUNCHED(cx);
  return IG_OK;
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
  return launch_march < R, DOF, sizeof(R) == 4 ? 14 : TILE_ROWS, sizeof(R) == 4 ? 2 : 1,
         WHAT > (cx, g, b, x, d, c0, c1, y, state);
}

/* Tiles here must be those of launch_march: partial sums are laid out by them. */
ig_status ig_grid_cuda_apply(ig_ctx *cx, const ig_grid_args_f64 *g, const double *x, double *y,
                             ig_cg_state *state) {
  ig_status status = g->dof == 1
                         ? launch<double, 1, IG_SWEEP_APPLY>(cx, g, NULL, x, NULL, 0, 0, y, state)
                         : launch<double, 3, IG_SWEEP_APPLY>(cx, g, NULL, x, NULL, 0, 0, y, state);
  if (!g->slab || !state)
    return status;
  /* all ranks meet in the sum, also one that has failed */
  const int units = (g->n[2] + IG_SLAB_GROUP) / IG_SLAB_GROUP;
  const int tiles = ((g->n[0] + 30) / 30) * ((g->n[1] + TILE_ROWS - 2) / (TILE_ROWS - 2));
  double pap;
  if (status != IG_OK)
    ig_slab_fail(g->slab, status);
  IG_TRY(ig_slab_total_device(
      g->slab, g->level, IG_SLAB_GROUP, 1,
      status == IG_OK ? ig_unit_sums(state->partial, 1, units, tiles) : NULL, &pap));
  return cx->backend->copy_in(cx, &state->s.pap, &pap, sizeof pap);
}

/* --- the finest level of the preconditioner --- */

/* What and dof are template arguments: a kernel each. */
ig_status ig_grid_cuda_fine_sweep(ig_ctx *cx, const ig_grid_args_f32 *g, ig_sweep what,
                                  const float *b, const float *x, float *d, float c0, float c1,
                                  float *y) {
  if (g->dof == 1)
    return what == IG_SWEEP_APPLY
               ? launch<float, 1, IG_SWEEP_APPLY>(cx, g, b, x, d, c0, c1, y, NULL)
           : what == IG_SWEEP_RESIDUAL
               ? launch<float, 1, IG_SWEEP_RESIDUAL>(cx, g, b, x, d, c0, c1, y, NULL)
               : launch<float, 1, IG_SWEEP_SMOOTH>(cx, g, b, x, d, c0, c1, y, NULL);
  return what == IG_SWEEP_APPLY ? launch<float, 3, IG_SWEEP_APPLY>(cx, g, b, x, d, c0, c1, y, NULL)
         : what == IG_SWEEP_RESIDUAL
             ? launch<float, 3, IG_SWEEP_RESIDUAL>(cx, g, b, x, d, c0, c1, y, NULL)
             : launch<float, 3, IG_SWEEP_SMOOTH>(cx, g, b, x, d, c0, c1, y, NULL);
}

/* As a step of the smoother, which looks up springs, too. */
__global__ void start_fine(const __grid_constant__ ig_grid_args_f32 g, const float *b, float c1,
                           float *x, float *d) {
  int64_t place;
  if (!thread_node(g, &place))
    return;
  const int fix = g.fix[place];
  const float inverse = g.inverse[place];
  double none = 0;
  /* a step of the smoother from x = 0: A x is 0 there, so y = d = c1 D^-1 b */
  for (int c = 0; c < g.dof; c++) {
    const float bv = b[c * g.stored + place];
    finish<float, IG_SWEEP_SMOOTH>(g, place, c, fix, inverse, 0.0f, bv, 0.0f, 0.0f, 0.0f, c1, d, x,
                                   false, none);
  }
}

ig_status ig_grid_cuda_fine_start(ig_ctx *cx, const ig_grid_args_f32 *g, const float *b, float c1,
                                  float *x, float *d) {
  const int64_t nodes = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  start_fine<<<ig_cuda_blocks(nodes, 128), 128, 0, ig_cuda_stream(cx)>>>(*g, b, c1, x, d);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* --- sensitivities --- */

/* As energy_row of the CPU: both fields to modes, u_e . K0 v_e there. */
template <int DIM, int DOF>
__global__ void energy_elements(const __grid_constant__ ig_grid_args_f64 g,
                                const double *__restrict__ u, const double *__restrict__ v,
                                double scale, bool add, double *out) {
  const int nz = DIM == 3 ? g.n[2] + g.above : 1;
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

/* A thread per element, each with its own place to write. */
ig_status ig_grid_cuda_energy(ig_ctx *cx, const ig_grid_args_f64 *g, const double *u,
                              const double *v, double scale, bool add, double *out) {
  const int64_t count = (int64_t)g->n[0] * g->n[1] * (g->dim == 3 ? g->n[2] + g->above : 1);
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
