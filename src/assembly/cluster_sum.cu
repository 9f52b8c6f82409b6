/* The pass that adds up border nodes of clusters: a thread a value. */
#include "assembly/cluster_sum_cuda.h"
#include "assembly/scatter.h"
#include "backend/cuda/launch.cuh"

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"

#define PASS(F, R)                                                                                 \
  static __global__ void borders_##F(const __grid_constant__ ig_cluster_view v, int m,             \
                                     const R *slots, R *sum) {                                     \
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;                              \
    const int32_t b = (int32_t)(i / m);                                                            \
    if (b < v.borders)                                                                             \
      sum[(int64_t)v.border[b] * m + i % m] = ig_border_sum_##F(&v, b, m, (int)(i % m), slots);    \
  }                                                                                                \
  extern "C" ig_status ig_clusters_sum_cuda_##F(ig_ctx *cx, ig_cluster_view v, int m,              \
                                                const R *slots, R *sum) {                          \
    const int64_t n = (int64_t)v.borders * m;                                                      \
    if (n == 0)                                                                                    \
      return IG_OK;                                                                                \
    borders_##F<<<ig_cuda_blocks(n, 256), 256, 0, ig_cuda_stream(cx)>>>(v, m, slots, sum);         \
    IG_LAUNCHED(cx);                                                                               \
    return IG_OK;                                                                                  \
  }
PASS(f32, float)
PASS(f64, double)
