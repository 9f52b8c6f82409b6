/* The GPU's drivers, in three kinds of state. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "thermal/heat_ops.h"
#include "thermal/heat_rows.h"
#include "thermal/heat_tables.h"
}

static __device__ __forceinline__ int32_t warp_sum(int32_t x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, x);
#else
  for (int half = 16; half; half /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, half);
  return x;
#endif
}

#include "thermal/state_f32.h"
#include "assembly/scatter.inc"
#include "thermal/heat.inc"
#include "thermal/heat_row.inc"
#include "thermal/hex.inc"
#include "thermal/heat_view.inc"
#include "thermal/heat_cuda.inc"
#include "thermal/heat_resident.inc"

#include "thermal/state_f64.h"
#include "assembly/scatter.inc"
#include "thermal/heat.inc"
#include "thermal/heat_row.inc"
#include "thermal/hex.inc"
#include "thermal/heat_view.inc"
#include "thermal/heat_cuda.inc"
#include "thermal/heat_resident.inc"

#include "thermal/state_mix.h"
#include "thermal/heat_view.inc"
#include "thermal/heat_cuda.inc"
#include "thermal/heat_resident.inc"
