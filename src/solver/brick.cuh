/* One element in mode space, one name for both precisions. */
#ifndef IG_SOLVER_BRICK_CUH
#define IG_SOLVER_BRICK_CUH

#include "kern/hd.h"
#include "solver/grid_cuda.h"

#include "kern/prec_f32.h"
#include "solver/brick_kern.inc"
#include "kern/prec_f64.h"
#include "solver/brick_kern.inc"

template <int DIM, int DOF>
static __device__ __forceinline__ void product(const ig_grid_args_f32 &g, float e, float *v) {
  float w[24];
  mode_product_f32(DIM, DOF, g.b, e, v, w);
#pragma unroll
  for (int i = 0; i < 24; i++)
    if (i < 8 * DOF && (i & 7) < 1 << DIM)
      v[i] = w[i];
}
template <int DIM, int DOF>
static __device__ __forceinline__ void product(const ig_grid_args_f64 &g, double e, double *v) {
  double w[24];
  mode_product_f64(DIM, DOF, g.b, e, v, w);
#pragma unroll
  for (int i = 0; i < 24; i++)
    if (i < 8 * DOF && (i & 7) < 1 << DIM)
      v[i] = w[i];
}
template <int DIM, int DOF> static __device__ __forceinline__ void turn(int bit, float *v) {
  butterfly_f32(DIM, DOF, bit, v);
}
template <int DIM, int DOF> static __device__ __forceinline__ void turn(int bit, double *v) {
  butterfly_f64(DIM, DOF, bit, v);
}

#endif
