/* The element-by-element product on the GPU, in both precisions. */
#include "topopt/ebe_ops.h"
#include "backend/cuda/launch.cuh"

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "topopt/ebe_kern.inc"
#include "topopt/ebe_cuda.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "topopt/ebe_kern.inc"
#include "topopt/ebe_cuda.inc"
