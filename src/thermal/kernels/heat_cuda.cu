/* The GPU's drivers, compiled for three kinds of state, as heat_cpu.c does for the CPU. A pack is
   one number here: a thread has one element. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "thermal/kernels/heat_ops.h"
#include "thermal/kernels/heat_rows.h"
#include "thermal/engine/heat_tables.h"
}

/* element work on one element per thread: a pack of one */
#define PACK REAL
#define PF(name) FN(name)
#define LANES 1
#define LANE(x, l) (x)

#include "thermal/kernels/state_f32.h"
#include "assembly/scatter.inc"
#include "thermal/engine/heat.inc"
#include "thermal/kernels/heat_row.inc"
#include "thermal/kernels/hex.inc"
#include "thermal/kernels/heat_view.inc"
#include "thermal/engine/heat_survey.inc"
#include "thermal/kernels/heat_element.inc"
#include "thermal/kernels/heat_cluster_cuda.inc"
#include "thermal/kernels/heat_rows_cuda.inc"
#include "thermal/kernels/heat_cuda.inc"
#include "thermal/kernels/heat_persistent.inc"
#include "thermal/kernels/heat_persistent_step.inc"
#include "thermal/kernels/heat_kernels_cuda.inc"

#include "thermal/kernels/state_f64.h"
#include "assembly/scatter.inc"
#include "thermal/engine/heat.inc"
#include "thermal/kernels/heat_row.inc"
#include "thermal/kernels/hex.inc"
#include "thermal/kernels/heat_view.inc"
#include "thermal/engine/heat_survey.inc"
#include "thermal/kernels/heat_element.inc"
#include "thermal/kernels/heat_cluster_cuda.inc"
#include "thermal/kernels/heat_rows_cuda.inc"
#include "thermal/kernels/heat_cuda.inc"
#include "thermal/kernels/heat_persistent.inc"
#include "thermal/kernels/heat_persistent_step.inc"
#include "thermal/kernels/heat_kernels_cuda.inc"

#include "thermal/kernels/state_mix.h"
#include "thermal/kernels/heat_view.inc"
#include "thermal/engine/heat_survey.inc"
#include "thermal/kernels/heat_element.inc"
#include "thermal/kernels/heat_cluster_cuda.inc"
#include "thermal/kernels/heat_rows_cuda.inc"
#include "thermal/kernels/heat_cuda.inc"
#include "thermal/kernels/heat_persistent.inc"
#include "thermal/kernels/heat_persistent_step.inc"
#include "thermal/kernels/heat_kernels_cuda.inc"
