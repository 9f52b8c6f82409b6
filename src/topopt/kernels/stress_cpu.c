/* Stresses on the CPU: loops over the functions of one element in design/stress.inc. Every value
   is computed by one thread from values that no thread writes meanwhile, so results do not depend
   on the number of threads. */
#include "kern/hd.h"
#include "core/threads.h"
#include "topopt/design/stress.h"
#include "kern/prec_f64.h"
#include "topopt/kernels/design.inc"
#include "topopt/design/stress.inc"

#include "backend/backend.h"

/* Row by row of elements; a slab's last plane has elements unless it is the top of the grid. */
ig_status ig_topopt_stress_cpu_strain(ig_ctx *cx, const ig_grid *g, const double *h,
                                      const double *u, double *tensor) {
  const int64_t rows = (int64_t)g->n[1] * ig_grid_layers(g);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t at = ig_grid_place(g, 0, (int)(row % g->n[1]), (int)(row / g->n[1]));
    for (int i = 0; i < g->n[0]; i++)
      ig_stress_strain(g, h, u, at + i, tensor);
  }
  return IG_OK;
}

ig_status ig_topopt_stress_cpu_gradient(ig_ctx *cx, const ig_grid *g, const double *h,
                                        const double *u, double *gradient) {
  const int64_t rows = (int64_t)g->n[1] * ig_grid_layers(g);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t at = ig_grid_place(g, 0, (int)(row % g->n[1]), (int)(row / g->n[1]));
    for (int i = 0; i < g->n[0]; i++)
      ig_stress_gradient(g, h, u, at + i, gradient);
  }
  return IG_OK;
}

/* Row by row of nodes, each gathering from its elements. */
typedef double at_node(const ig_grid *g, const double *h, const double *tensor, int64_t at, int c);
static inline ig_status gather(ig_ctx *cx, const ig_grid *g, const double *h, const uint8_t *fix,
                               const double *tensor, at_node *sum, double *f) {
  const int64_t rows = (int64_t)(g->n[1] + 1) * (g->n[2] + 1);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t at = ig_grid_place(g, 0, (int)(row % (g->n[1] + 1)), (int)(row / (g->n[1] + 1)));
    for (int i = 0; i <= g->n[0]; i++)
      for (int c = 0; c < g->dof; c++)
        f[c * g->stored + at + i] = fix[at + i] >> c & 1 ? 0 : sum(g, h, tensor, at + i, c);
  }
  return IG_OK;
}
ig_status ig_topopt_stress_cpu_strain_back(ig_ctx *cx, const ig_grid *g, const double *h,
                                           const uint8_t *fix, const double *tensor, double *f) {
  return gather(cx, g, h, fix, tensor, ig_stress_at_node, f);
}
ig_status ig_topopt_stress_cpu_gradient_back(ig_ctx *cx, const ig_grid *g, const double *h,
                                             const uint8_t *fix, const double *gradient,
                                             double *f) {
  return gather(cx, g, h, fix, gradient, ig_stress_gradient_at_node, f);
}

/* Strains in `tensor` become stresses of the solid at unit modulus, in place. */
ig_status ig_topopt_stress_cpu_mises(ig_ctx *cx, int64_t n, const uint8_t *role,
                                     const ig_topopt_hooke *law, double *tensor, double *mises) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++) {
    mises[i] = 0;
    if (role[i]) {
      ig_stress_hooke(law, n, i, tensor);
      mises[i] = ig_stress_measure(law, n, tensor + i);
    }
  }
  return IG_OK;
}

ig_status ig_topopt_stress_cpu_relaxed(ig_ctx *cx, int64_t n, const uint8_t *role,
                                       const ig_topopt_stressed *s, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    out[i] = ig_stress_relaxed(s, role[i], i);
  return IG_OK;
}

ig_status ig_topopt_stress_cpu_power(ig_ctx *cx, int64_t n, const double *in, double inverse,
                                     double power, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    out[i] = in[i] > 0 ? pow(in[i] * inverse, power) : 0;
  return IG_OK;
}

ig_status ig_topopt_stress_cpu_slopes(ig_ctx *cx, int64_t n, const uint8_t *role,
                                      const ig_topopt_hooke *law, const ig_topopt_stressed *s,
                                      const double *relaxed, double *tensor, double *direct) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    direct[i] = role[i] ? ig_stress_slope(law, s, n, i, relaxed[i], tensor) : 0;
  return IG_OK;
}

ig_status ig_topopt_stress_cpu_modulus(ig_ctx *cx, int64_t n, const uint8_t *role, double penalty,
                                       double threshold, bool slope, const double *density,
                                       double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    out[i] = role[i] ? ig_stress_modulus(density[i], penalty, threshold, slope) : 0;
  return IG_OK;
}

ig_status ig_topopt_stress_cpu_geometric(ig_ctx *cx, int64_t n, const uint8_t *role,
                                         const double *weight, const double *stress,
                                         double *gradient) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    ig_stress_geometric(n, i, role[i] ? weight[i] : 0, stress, gradient);
  return IG_OK;
}

ig_status ig_topopt_stress_cpu_square(ig_ctx *cx, int64_t n, const uint8_t *role, double factor,
                                      bool add, const double *gradient, double *square) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    ig_stress_square(n, i, role[i] ? factor : 0, add, gradient, square);
  return IG_OK;
}

ig_status ig_topopt_stress_cpu_contract(ig_ctx *cx, int64_t n, const uint8_t *role, const double *a,
                                        const double *b, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    out[i] = role[i] ? ig_stress_contract(n, i, a, b) : 0;
  return IG_OK;
}

#define ON_CPU(name, args) .name = ig_topopt_stress_cpu_##name,
static const ig_topopt_stress_ops on_cpu = {IG_TOPOPT_STRESS_OPS(ON_CPU)};
#define ON_CUDA(name, args) .name = ig_topopt_stress_cuda_##name,
IG_IF_CUDA(static const ig_topopt_stress_ops on_cuda = {IG_TOPOPT_STRESS_OPS(ON_CUDA)};)

const ig_topopt_stress_ops *ig_topopt_stress_ops_of(const ig_ctx *cx) {
  return IG_OPS_OF(cx, &on_cpu, &on_cuda);
}
