/* Conjugate gradients on CUDA. */
#include "solver/level.cuh"
#include "solver/reduce.cuh"

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

/* One rank's grid: cuts it into blocks of the launch, not into planes. */
ig_status ig_cg_cuda_dot(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *a,
                         const double *b, double *result) {
  (void)grid;
  return cx->backend->dot_f64(cx, (size_t)n, a, b, result);
}

ig_status ig_cg_cuda_residual(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *f,
                              double *r, float *r32, ig_cg_state *state) {
  (void)grid;
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

ig_status ig_cg_cuda_update(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *p,
                            const double *ap, double *x, double *r, float *r32,
                            ig_cg_state *state) {
  (void)grid;
  update_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, p, ap, x, r, r32,
                                                                           state);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void dot_values(int64_t n, const double *r, const float *z, const double *ap,
                           ig_cg_state *state) {
  double s[2] = {0, 0}, total[2];
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x) {
    const double v = (double)z[i];
    s[0] += r[i] * v;
    if (ap)
      s[1] += ap[i] * v;
  }
  if (ig_grid_sums<2>(s, state->partial, &state->arrived, total) && threadIdx.x == 0) {
    state->s.rz_last = state->s.rz;
    state->s.rz = total[0];
    state->s.zap = total[1];
  }
}

__global__ void direction_values(int64_t n, const float *z, double *p, bool first, bool flexible,
                                 const ig_cg_state *state) {
  const double beta = ig_cg_beta(&state->s, first, flexible);
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
       i += (int64_t)gridDim.x * blockDim.x)
    p[i] = (double)z[i] + beta * p[i];
}

ig_status ig_cg_cuda_direction(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *r,
                               const float *z, const double *ap, double *p, bool first,
                               ig_cg_state *state) {
  (void)grid;
  dot_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, r, z, first ? NULL : ap,
                                                                        state);
  IG_LAUNCHED(cx);
  direction_values<<<stride_blocks(cx, n, 256), 256, 0, ig_cuda_stream(cx)>>>(n, z, p, first,
                                                                              ap != NULL, state);
  IG_LAUNCHED(cx);
  return IG_OK;
}
