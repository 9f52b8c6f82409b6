/* One element in mode space, one name for both precisions. */
#ifndef IG_SOLVER_BRICK_CUH
#define IG_SOLVER_BRICK_CUH

#include "kern/hd.h"
#include "solver/grid/grid_cuda.h"

#include "kern/prec_f32.h"
#include "solver/grid/brick.inc"
#include "kern/prec_f64.h"
#include "solver/grid/brick.inc"

#define IG_ONE_NAME(R, S)                                                                          \
  template <int DIM, int DOF>                                                                      \
  static __device__ __forceinline__ void product(const ig_grid_args_##S &g, R e, R *v) {           \
    R w[24];                                                                                       \
    mode_product_##S(DIM, DOF, g.b, e, v, w);                                                      \
    _Pragma("unroll") for (int i = 0; i < 24; i++) if (i < 8 * DOF && (i & 7) < 1 << DIM) v[i] =   \
        w[i];                                                                                      \
  }                                                                                                \
  template <int DIM, int DOF> static __device__ __forceinline__ void turn(int bit, R *v) {         \
    butterfly_##S(DIM, DOF, bit, v);                                                               \
  }
IG_ONE_NAME(float, f32)
IG_ONE_NAME(double, f64)
#undef IG_ONE_NAME

#endif
