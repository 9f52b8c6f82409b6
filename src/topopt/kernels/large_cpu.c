/* Large deflections on the CPU: loops over the functions of one element in large.inc. Slots and
   values of nodes are each written by one thread, sums have one order: results do not depend on the
   number of threads. */
#include "kern/hd.h"
#include "core/threads.h"
#include "topopt/kernels/large_ops.h"
#include "kern/prec_f64.h"
#include "topopt/kernels/large.inc"

#include "backend/backend.h"

/* An element's function for its shape, whose counts are constants then. */
#define EACH_SHAPE(of, ...)                                                                        \
  switch (b->shape) {                                                                              \
  case IG_LARGE_QUAD4:                                                                             \
    of(b, IG_LARGE_QUAD4, 2, 4, __VA_ARGS__);                                                      \
    break;                                                                                         \
  case IG_LARGE_TET4:                                                                              \
    of(b, IG_LARGE_TET4, 3, 4, __VA_ARGS__);                                                       \
    break;                                                                                         \
  case IG_LARGE_TET10:                                                                             \
    of(b, IG_LARGE_TET10, 3, 10, __VA_ARGS__);                                                     \
    break;                                                                                         \
  default:                                                                                         \
    of(b, IG_LARGE_HEX8, 3, 8, __VA_ARGS__);                                                       \
  }

IG_HD void forces(const ig_topopt_large_body *b, int shape, int dim, int corners, ig_ctx *cx,
                  const double *u, double *slot, int32_t *fault) {
  int32_t first = *fault;
#pragma omp parallel for schedule(static) reduction(min                                            \
                                                    : first)                                       \
    num_threads(ig_team(cx, b->elements, IG_WORK_ROW))
  for (int32_t e = 0; e < b->elements; e++)
    if (!ig_large_element(b, shape, dim, corners, e, u, NULL, slot) && e < first)
      first = e;
  *fault = first;
}

ig_status ig_topopt_large_cpu_force(ig_ctx *cx, const ig_topopt_large_body *b, const double *u,
                                    double *slot, int32_t *fault) {
  EACH_SHAPE(forces, cx, u, slot, fault)
  return IG_OK;
}

IG_HD void products(const ig_topopt_large_body *b, int shape, int dim, int corners, ig_ctx *cx,
                    const double *u, const double *v, double *slot) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, b->elements, IG_WORK_ROW))
  for (int32_t e = 0; e < b->elements; e++)
    ig_large_element(b, shape, dim, corners, e, u, v, slot);
}

ig_status ig_topopt_large_cpu_product(ig_ctx *cx, const ig_topopt_large_body *b, const double *u,
                                      const double *v, double *slot) {
  EACH_SHAPE(products, cx, u, v, slot)
  return IG_OK;
}

ig_status ig_topopt_large_cpu_gather(ig_ctx *cx, const ig_topopt_large_body *b, const double *slot,
                                     const double *u, double by, const double *load, double sign,
                                     double *out, double *size) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, b->points, IG_WORK_NODE))
  for (int32_t p = 0; p < b->points; p++)
    for (int c = 0; c < b->dim; c++)
      ig_large_gather(b, p, c, slot, u, by, load, sign, out, size);
  return IG_OK;
}

IG_HD void energies(const ig_topopt_large_body *b, int shape, int dim, int corners, ig_ctx *cx,
                    const double *u, const double *v, double scale, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, b->elements, IG_WORK_ROW))
  for (int32_t e = 0; e < b->elements; e++)
    out[b->place[e]] += scale * ig_large_energy(b, shape, dim, corners, e, u, v);
}

ig_status ig_topopt_large_cpu_energy(ig_ctx *cx, const ig_topopt_large_body *b, const double *u,
                                     const double *v, double scale, double *out) {
  EACH_SHAPE(energies, cx, u, v, scale, out)
  return IG_OK;
}

#define ON_CPU(name, args) .name = ig_topopt_large_cpu_##name,
static const ig_topopt_large_ops on_cpu = {IG_TOPOPT_LARGE_OPS(ON_CPU)};
#define ON_CUDA(name, args) .name = ig_topopt_large_cuda_##name,
IG_IF_CUDA(static const ig_topopt_large_ops on_cuda = {IG_TOPOPT_LARGE_OPS(ON_CUDA)};)

const ig_topopt_large_ops *ig_topopt_large_ops_of(const ig_ctx *cx) {
  return IG_OPS_OF(cx, &on_cpu, &on_cuda);
}
