/* Large deflections on CUDA: kernels around the functions of one element in large.inc, a thread
   per element, then one per component of a point, which adds up its elements' slots: no atomics on
   values, sums have one order. */
#include "topopt/kernels/large_ops.h"
#include "backend/cuda/launch.cuh"
#include "kern/hd.h"
#include "kern/prec_f64.h"
#include "topopt/kernels/large.inc"

#define EACH(i, n)                                                                                 \
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;                                      \
  i < n;                                                                                           \
  i += (int64_t)gridDim.x * blockDim.x
#define THREADS 128
#define OVER(n) ig_cuda_blocks(n, THREADS), THREADS, 0, ig_cuda_stream(cx)

template <int shape, int dim, int corners>
__global__ void __launch_bounds__(THREADS)
    force_values(const __grid_constant__ ig_topopt_large_body b, const double *u, double *slot,
                 int32_t *fault) {
  for (EACH(e, b.elements))
    if (!ig_large_element(&b, shape, dim, corners, (int32_t)e, u, NULL, slot))
      atomicMin(fault, (int32_t)e);
}

template <int shape, int dim, int corners>
__global__ void __launch_bounds__(THREADS)
    product_values(const __grid_constant__ ig_topopt_large_body b, const double *u, const double *v,
                   double *slot) {
  for (EACH(e, b.elements))
    ig_large_element(&b, shape, dim, corners, (int32_t)e, u, v, slot);
}

template <int shape, int dim, int corners>
__global__ void __launch_bounds__(THREADS)
    energy_values(const __grid_constant__ ig_topopt_large_body b, const double *u, const double *v,
                  double scale, double *out) {
  for (EACH(e, b.elements))
    out[b.place[e]] += scale * ig_large_energy(&b, shape, dim, corners, (int32_t)e, u, v);
}

/* A kernel for the shape of the body's elements. */
#define LAUNCH(kernel, ...)                                                                        \
  switch (b->shape) {                                                                              \
  case IG_LARGE_QUAD4:                                                                             \
    kernel<IG_LARGE_QUAD4, 2, 4><<<OVER(b->elements)>>>(*b, __VA_ARGS__);                          \
    break;                                                                                         \
  case IG_LARGE_TET4:                                                                              \
    kernel<IG_LARGE_TET4, 3, 4><<<OVER(b->elements)>>>(*b, __VA_ARGS__);                           \
    break;                                                                                         \
  case IG_LARGE_TET10:                                                                             \
    kernel<IG_LARGE_TET10, 3, 10><<<OVER(b->elements)>>>(*b, __VA_ARGS__);                         \
    break;                                                                                         \
  default:                                                                                         \
    kernel<IG_LARGE_HEX8, 3, 8><<<OVER(b->elements)>>>(*b, __VA_ARGS__);                           \
  }                                                                                                \
  IG_LAUNCHED(cx)

ig_status ig_topopt_large_cuda_force(ig_ctx *cx, const ig_topopt_large_body *b, const double *u,
                                     double *slot, int32_t *fault) {
  LAUNCH(force_values, u, slot, fault);
  return IG_OK;
}

ig_status ig_topopt_large_cuda_product(ig_ctx *cx, const ig_topopt_large_body *b, const double *u,
                                       const double *v, double *slot) {
  LAUNCH(product_values, u, v, slot);
  return IG_OK;
}

ig_status ig_topopt_large_cuda_energy(ig_ctx *cx, const ig_topopt_large_body *b, const double *u,
                                      const double *v, double scale, double *out) {
  LAUNCH(energy_values, u, v, scale, out);
  return IG_OK;
}

/* Components of all points, one component after the other: neighbours read neighbouring slots. */
__global__ void gather_values(const __grid_constant__ ig_topopt_large_body b, const double *slot,
                              const double *u, double by, const double *load, double sign,
                              double *out, double *size) {
  for (EACH(i, (int64_t)b.points * b.dim))
    ig_large_gather(&b, (int32_t)(i % b.points), (int)(i / b.points), slot, u, by, load, sign, out,
                    size);
}

ig_status ig_topopt_large_cuda_gather(ig_ctx *cx, const ig_topopt_large_body *b, const double *slot,
                                      const double *u, double by, const double *load, double sign,
                                      double *out, double *size) {
  gather_values<<<OVER((int64_t)b->points * b->dim)>>>(*b, slot, u, by, load, sign, out, size);
  IG_LAUNCHED(cx);
  return IG_OK;
}
