/* Conjugate gradients on CUDA. Sums are made within the kernel that computes the values: the last
   block to arrive adds the blocks' partial sums in their order (planes.cuh), so there is no second
   launch and no dependence on the order in which blocks finish. */
#include "solver/krylov/energy.h"
#include "solver/grid/level.cuh"
#include "solver/grid/planes.cuh"

#define EACH(i, w)                                                                                 \
  int64_t i = (w).begin;                                                                           \
  i < (w).end;                                                                                     \
  i += (w).stride

/* Values of a grid in space in its pieces, others in strides. */
struct launch_plan {
  ig_pieces pieces;
  unsigned blocks;
};
static launch_plan plan_of(ig_ctx *cx, const ig_grid *grid, int64_t n, int each) {
  launch_plan p;
  p.pieces = ig_pieces_of(grid, n, each, IG_PARTIALS);
  p.pieces.own = p.pieces.own < n ? p.pieces.own : n; /* the last plane of a mesh may be short */
  p.blocks = ig_pieces_blocks(&p.pieces, stride_blocks(cx, n, 256));
  return p;
}
/* Of a divided grid: sums of all ranks take the place of the own ones. */
static ig_status join(ig_ctx *cx, const ig_grid *grid, const launch_plan *p, int each,
                      ig_cg_state *state, double *sum, double *device) {
  return ig_pieces_join(cx, &p->pieces, grid->slab, 0, IG_SLAB_GROUP, each, state->partial, sum,
                        device);
}

/* a . b, into *sum by the last block. */
__global__ void product_values(const __grid_constant__ ig_pieces p, int64_t n, const double *a,
                               const double *b, ig_cg_state *state, double *sum) {
  const ig_walk w = ig_pieces_walk(p, n);
  double s = 0, total;
  for (EACH(i, w))
    s += a[i] * b[i];
  if (ig_pieces_sums<1>(p, w, &s, state->partial, &state->arrived, &total) && threadIdx.x == 0)
    *sum = total;
}

ig_status ig_cg_cuda_energy(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *d,
                            const double *ad, ig_cg_state *state) {
  const launch_plan p = plan_of(cx, grid, n, 1);
  double pap;
  product_values<<<p.blocks, 256, 0, ig_cuda_stream(cx)>>>(p.pieces, n, d, ad, state,
                                                           &state->s.pap);
  IG_LAUNCHED(cx);
  return ig_grid_divided(grid) ? join(cx, grid, &p, 1, state, &pap, &state->s.pap) : IG_OK;
}

/* A state of its own for this sum, from the stream's memory pool: no allocation that would
   synchronise. */
ig_status ig_cg_cuda_dot(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *a,
                         const double *b, double *result) {
  if (!grid || grid->dim != 3)
    return cx->backend->dot_f64(cx, (size_t)n, a, b, result);
  cudaStream_t stream = ig_cuda_stream(cx);
  const launch_plan p = plan_of(cx, grid, n, 1);
  ig_cg_state *state;
  IG_CUDA(cx, cudaMallocAsync((void **)&state, sizeof *state, stream));
  IG_CUDA(cx, cudaMemsetAsync(state, 0, offsetof(ig_cg_state, partial), stream));
  product_values<<<p.blocks, 256, 0, stream>>>(p.pieces, n, a, b, state, &state->s.rr);
  ig_status status = IG_OK;
  if (grid->slab)
    status = join(cx, grid, &p, 1, state, result, NULL);
  else
    status = cx->backend->copy_out(cx, result, &state->s.rr, sizeof *result);
  IG_LAUNCHED(cx);
  IG_CUDA(cx, cudaFreeAsync(state, stream));
  return status;
}

/* r holds A u on entry. */
__global__ void residual_values(const __grid_constant__ ig_pieces p, int64_t n, const double *f,
                                double *r, float *r32, ig_cg_state *state) {
  const ig_walk w = ig_pieces_walk(p, n);
  double s = 0, total;
  for (EACH(i, w)) {
    const double v = f[i] - r[i];
    r[i] = v;
    r32[i] = (float)v;
    s += v * v;
  }
  if (ig_pieces_sums<1>(p, w, &s, state->partial, &state->arrived, &total) && threadIdx.x == 0)
    state->s.rr = total;
}

ig_status ig_cg_cuda_residual(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *f,
                              double *r, float *r32, ig_cg_state *state) {
  const launch_plan p = plan_of(cx, grid, n, 1);
  double rr;
  residual_values<<<p.blocks, 256, 0, ig_cuda_stream(cx)>>>(p.pieces, n, f, r, r32, state);
  IG_LAUNCHED(cx);
  return ig_grid_divided(grid) ? join(cx, grid, &p, 1, state, &rr, &state->s.rr) : IG_OK;
}

/* alpha is made by every thread from the device's scalars: no copy to the host in between. */
__global__ void update_values(const __grid_constant__ ig_pieces p, int64_t n, const double *d,
                              const double *ap, double *x, double *r, float *r32,
                              ig_cg_state *state) {
  const ig_walk w = ig_pieces_walk(p, n);
  const double alpha = state->s.pap != 0 ? state->s.rz / state->s.pap : 0;
  double s = 0, total;
  for (EACH(i, w)) {
    x[i] += alpha * d[i];
    const double v = r[i] - alpha * ap[i];
    r[i] = v;
    r32[i] = (float)v;
    s += v * v;
  }
  if (ig_pieces_sums<1>(p, w, &s, state->partial, &state->arrived, &total) && threadIdx.x == 0)
    state->s.rr = total;
}

ig_status ig_cg_cuda_update(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *d,
                            const double *ap, double *x, double *r, float *r32,
                            ig_cg_state *state) {
  const launch_plan p = plan_of(cx, grid, n, 1);
  double rr;
  update_values<<<p.blocks, 256, 0, ig_cuda_stream(cx)>>>(p.pieces, n, d, ap, x, r, r32, state);
  IG_LAUNCHED(cx);
  return ig_grid_divided(grid) ? join(cx, grid, &p, 1, state, &rr, &state->s.rr) : IG_OK;
}

/* rz and, for a flexible method, zap; the last rz is kept. */
static __device__ __forceinline__ void keep_products(ig_cg_scalars *s, double rz, double zap) {
  s->rz_last = s->rz;
  s->rz = rz;
  s->zap = zap;
}

/* r . z, and ap . z where ap is given. keep: the sums are final; of a divided grid they are not. */
__global__ void dot_values(const __grid_constant__ ig_pieces p, int64_t n, const double *r,
                           const float *z, const double *ap, bool keep, ig_cg_state *state) {
  const ig_walk w = ig_pieces_walk(p, n);
  double s[2] = {0, 0}, total[2];
  for (EACH(i, w)) {
    const double v = (double)z[i];
    s[0] += r[i] * v;
    if (ap)
      s[1] += ap[i] * v;
  }
  if (ig_pieces_sums<2>(p, w, s, state->partial, &state->arrived, total) && threadIdx.x == 0 &&
      keep)
    keep_products(&state->s, total[0], total[1]);
}

/* Sums of all ranks, which the host has made, to the device's scalars. */
__global__ void keep_sums(double rz, double zap, ig_cg_state *state) {
  keep_products(&state->s, rz, zap);
}

__global__ void direction_values(int64_t n, const float *z, double *p, bool first, bool flexible,
                                 const ig_cg_state *state) {
  const double beta = ig_cg_beta(&state->s, first, flexible);
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x)
    p[i] = (double)z[i] + beta * p[i];
}

/* Two launches: the sums must be complete on all blocks (and ranks) before any block uses beta. */
ig_status ig_cg_cuda_direction(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *r,
                               const float *z, const double *ap, double *p, bool first,
                               ig_cg_state *state) {
  const launch_plan plan = plan_of(cx, grid, n, 2);
  const bool divided = ig_grid_divided(grid);
  dot_values<<<plan.blocks, 256, 0, ig_cuda_stream(cx)>>>(plan.pieces, n, r, z, first ? NULL : ap,
                                                          !divided, state);
  IG_LAUNCHED(cx);
  if (divided) {
    double sum[2];
    IG_TRY(join(cx, grid, &plan, 2, state, sum, NULL));
    keep_sums<<<1, 1, 0, ig_cuda_stream(cx)>>>(sum[0], sum[1], state);
  }
  direction_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, z, p, first,
                                                                              ap != NULL, state);
  IG_LAUNCHED(cx);
  return IG_OK;
}
