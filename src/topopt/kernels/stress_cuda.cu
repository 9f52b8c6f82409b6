/* Stresses on CUDA: kernels around the functions of one element in design/stress.inc, one thread
   per element or node. Nodes gather from their elements, so that no atomics are needed and sums
   have one order. */
#include "topopt/kernels/design.h"
#include "topopt/kernels/stress_ops.h"
#include "backend/cuda/launch.cuh"
#include "kern/hd.h"
#include "kern/prec_f64.h"
#include "topopt/kernels/design.inc"
#include "topopt/design/stress.inc"

#define EACH(i, n)                                                                                 \
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;                                      \
  i < n;                                                                                           \
  i += (int64_t)gridDim.x * blockDim.x
#define OVER(n) ig_cuda_blocks(n, 256), 256, 0, ig_cuda_stream(cx)

/* Element sizes by value: a host array cannot be passed to a kernel. */
struct sizes {
  double h[3];
};

__global__ void strain_values(const __grid_constant__ ig_grid g, sizes size, const double *u,
                              double *tensor) {
  const int above = g.from + g.n[2] < g.all; /* of a slab: its last plane has elements */
  const int nz = g.dim == 3 ? g.n[2] + above : 1;
  const int64_t n = (int64_t)g.n[0] * g.n[1] * nz;
  for (EACH(t, n)) {
    const int64_t at = g.first + t % g.n[0] + t / g.n[0] % g.n[1] * g.row +
                       t / ((int64_t)g.n[0] * g.n[1]) * g.plane;
    ig_stress_strain(&g, size.h, u, at, tensor);
  }
}

ig_status ig_topopt_stress_cuda_strain(ig_ctx *cx, const ig_grid *g, const double *h,
                                       const double *u, double *tensor) {
  const int64_t n = ig_grid_elements(g);
  strain_values<<<OVER(n)>>>(*g, sizes{{h[0], h[1], h[2]}}, u, tensor);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void gradient_values(const __grid_constant__ ig_grid g, sizes size, const double *u,
                                double *gradient) {
  const int above = g.from + g.n[2] < g.all;
  const int nz = g.dim == 3 ? g.n[2] + above : 1;
  const int64_t n = (int64_t)g.n[0] * g.n[1] * nz;
  for (EACH(t, n)) {
    const int64_t at = g.first + t % g.n[0] + t / g.n[0] % g.n[1] * g.row +
                       t / ((int64_t)g.n[0] * g.n[1]) * g.plane;
    ig_stress_gradient(&g, size.h, u, at, gradient);
  }
}

ig_status ig_topopt_stress_cuda_gradient(ig_ctx *cx, const ig_grid *g, const double *h,
                                         const double *u, double *gradient) {
  const int64_t n = ig_grid_elements(g);
  gradient_values<<<OVER(n)>>>(*g, sizes{{h[0], h[1], h[2]}}, u, gradient);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void gradient_back_values(const __grid_constant__ ig_grid g, sizes size,
                                     const uint8_t *fix, const double *gradient, double *f) {
  const int64_t row = g.n[0] + 1, plane = row * (g.n[1] + 1), n = plane * (g.n[2] + 1);
  for (EACH(t, n)) {
    const int64_t at = g.first + t % row + t / row % (g.n[1] + 1) * g.row + t / plane * g.plane;
    for (int c = 0; c < g.dof; c++)
      f[c * g.stored + at] =
          fix[at] >> c & 1 ? 0 : ig_stress_gradient_at_node(&g, size.h, gradient, at, c);
  }
}

ig_status ig_topopt_stress_cuda_gradient_back(ig_ctx *cx, const ig_grid *g, const double *h,
                                              const uint8_t *fix, const double *gradient,
                                              double *f) {
  const int64_t n = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  gradient_back_values<<<OVER(n)>>>(*g, sizes{{h[0], h[1], h[2]}}, fix, gradient, f);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void strain_back_values(const __grid_constant__ ig_grid g, sizes size,
                                   const uint8_t *fix, const double *tensor, double *f) {
  const int64_t row = g.n[0] + 1, plane = row * (g.n[1] + 1), n = plane * (g.n[2] + 1);
  for (EACH(t, n)) {
    const int64_t at = g.first + t % row + t / row % (g.n[1] + 1) * g.row + t / plane * g.plane;
    for (int c = 0; c < g.dof; c++)
      f[c * g.stored + at] = fix[at] >> c & 1 ? 0 : ig_stress_at_node(&g, size.h, tensor, at, c);
  }
}

ig_status ig_topopt_stress_cuda_strain_back(ig_ctx *cx, const ig_grid *g, const double *h,
                                            const uint8_t *fix, const double *tensor, double *f) {
  const int64_t n = (int64_t)(g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
  strain_back_values<<<OVER(n)>>>(*g, sizes{{h[0], h[1], h[2]}}, fix, tensor, f);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void mises_values(int64_t n, const uint8_t *role, ig_topopt_hooke law, double *tensor,
                             double *mises) {
  for (EACH(i, n)) {
    double m = 0;
    if (role[i]) {
      ig_stress_hooke(&law, n, i, tensor);
      m = ig_stress_measure(&law, n, tensor + i);
    }
    mises[i] = m;
  }
}

ig_status ig_topopt_stress_cuda_mises(ig_ctx *cx, int64_t n, const uint8_t *role,
                                      const ig_topopt_hooke *law, double *tensor, double *mises) {
  mises_values<<<OVER(n)>>>(n, role, *law, tensor, mises);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void relaxed_values(int64_t n, const uint8_t *role, ig_topopt_stressed s, double *out) {
  for (EACH(i, n))
    out[i] = ig_stress_relaxed(&s, role[i], i);
}

ig_status ig_topopt_stress_cuda_relaxed(ig_ctx *cx, int64_t n, const uint8_t *role,
                                        const ig_topopt_stressed *s, double *out) {
  relaxed_values<<<OVER(n)>>>(n, role, *s, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void power_values(int64_t n, const double *in, double inverse, double power,
                             double *out) {
  for (EACH(i, n))
    out[i] = in[i] > 0 ? pow(in[i] * inverse, power) : 0;
}

ig_status ig_topopt_stress_cuda_power(ig_ctx *cx, int64_t n, const double *in, double inverse,
                                      double power, double *out) {
  power_values<<<OVER(n)>>>(n, in, inverse, power, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void slope_values(int64_t n, const uint8_t *role, ig_topopt_hooke law,
                             ig_topopt_stressed s, const double *relaxed, double *tensor,
                             double *direct) {
  for (EACH(i, n))
    direct[i] = role[i] ? ig_stress_slope(&law, &s, n, i, relaxed[i], tensor) : 0;
}

ig_status ig_topopt_stress_cuda_slopes(ig_ctx *cx, int64_t n, const uint8_t *role,
                                       const ig_topopt_hooke *law, const ig_topopt_stressed *s,
                                       const double *relaxed, double *tensor, double *direct) {
  slope_values<<<OVER(n)>>>(n, role, *law, *s, relaxed, tensor, direct);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void modulus_values(int64_t n, const uint8_t *role, double penalty, double threshold,
                               bool slope, const double *density, double *out) {
  for (EACH(i, n))
    out[i] = role[i] ? ig_stress_modulus(density[i], penalty, threshold, slope) : 0;
}

ig_status ig_topopt_stress_cuda_modulus(ig_ctx *cx, int64_t n, const uint8_t *role, double penalty,
                                        double threshold, bool slope, const double *density,
                                        double *out) {
  modulus_values<<<OVER(n)>>>(n, role, penalty, threshold, slope, density, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void geometric_values(int64_t n, const uint8_t *role, const double *weight,
                                 const double *stress, double *gradient) {
  for (EACH(i, n))
    ig_stress_geometric(n, i, role[i] ? weight[i] : 0, stress, gradient);
}

ig_status ig_topopt_stress_cuda_geometric(ig_ctx *cx, int64_t n, const uint8_t *role,
                                          const double *weight, const double *stress,
                                          double *gradient) {
  geometric_values<<<OVER(n)>>>(n, role, weight, stress, gradient);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void square_values(int64_t n, const uint8_t *role, double factor, bool add,
                              const double *gradient, double *square) {
  for (EACH(i, n))
    ig_stress_square(n, i, role[i] ? factor : 0, add, gradient, square);
}

ig_status ig_topopt_stress_cuda_square(ig_ctx *cx, int64_t n, const uint8_t *role, double factor,
                                       bool add, const double *gradient, double *square) {
  square_values<<<OVER(n)>>>(n, role, factor, add, gradient, square);
  IG_LAUNCHED(cx);
  return IG_OK;
}

__global__ void contract_values(int64_t n, const uint8_t *role, const double *a, const double *b,
                                double *out) {
  for (EACH(i, n))
    out[i] = role[i] ? ig_stress_contract(n, i, a, b) : 0;
}

ig_status ig_topopt_stress_cuda_contract(ig_ctx *cx, int64_t n, const uint8_t *role,
                                         const double *a, const double *b, double *out) {
  contract_values<<<OVER(n)>>>(n, role, a, b, out);
  IG_LAUNCHED(cx);
  return IG_OK;
}
