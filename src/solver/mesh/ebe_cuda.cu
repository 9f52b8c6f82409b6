/* The element-by-element product on the GPU, in both precisions: kernels in ebe_cuda.inc, those by
   clusters in ebe_cluster.inc; here the matrices of the kinds that store them are filled. */
#include "solver/mesh/ebe_ops.h"
#include "solver/mesh/mesh_ops.h"
#include "assembly/cluster_sum.cuh"
#include "backend/cuda/launch.cuh"

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "solver/mesh/ebe.inc"
#include "solver/mesh/ebe_cuda.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "solver/mesh/ebe.inc"
#include "solver/mesh/ebe_cuda.inc"
#include "solver/mesh/ebe_fill.inc"

/* 24 threads per element, a column each */
#define FILL(F, R)                                                                                 \
  static __global__ void __launch_bounds__(128) fill_pass_##F(ig_ebe_fill p, R *matrix) {          \
    const int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;                              \
    if (t < 24 * (int64_t)p.count)                                                                 \
      ig_ebe_fill_column_##F(&p, t / 24, (int)(t % 24), matrix);                                   \
  }                                                                                                \
  extern "C" ig_status ig_ebe_fill_cuda_##F(ig_ctx *cx, const ig_ebe_fill *p, R *matrix) {         \
    fill_pass_##F<<<ig_cuda_blocks(24 * (int64_t)p->count, 128), 128, 0, ig_cuda_stream(cx)>>>(    \
        *p, matrix);                                                                               \
    IG_LAUNCHED(cx);                                                                               \
    return IG_OK;                                                                                  \
  }
FILL(f32, float)
FILL(f64, double)
#undef FILL
