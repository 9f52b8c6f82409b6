/* CUDA passes of the assembly layer, in both precisions. */
#include "assembly/assembly_cuda.h"
#include "backend/cuda/launch.cuh"

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/plan_cuda.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/plan_cuda.inc"
