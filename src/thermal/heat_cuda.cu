/* The GPU's drivers, in three kinds of state. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "thermal/heat_ops.h"
#include "thermal/heat_rows.h"
#include "thermal/heat_tables.h"
}

/* element work on one element per thread: a pack of one */
#define PACK REAL
#define PF(name) FN(name)
#define LANES 1
#define LANE(x, l) (x)

#include "thermal/state_f32.h"
#include "assembly/scatter.inc"
#include "thermal/heat.inc"
#include "thermal/heat_row.inc"
#include "thermal/hex.inc"
#include "thermal/heat_view.inc"
#include "thermal/heat_survey.inc"
#include "thermal/heat_element.inc"
#include "thermal/heat_cluster_cuda.inc"
#include "thermal/heat_rows_cuda.inc"
#include "thermal/heat_cuda.inc"
#include "thermal/heat_persistent.inc"
#include "thermal/heat_persistent_step.inc"
#include "thermal/heat_kernels_cuda.inc"

#include "thermal/state_f64.h"
#include "assembly/scatter.inc"
#include "thermal/heat.inc"
#include "thermal/heat_row.inc"
#include "thermal/hex.inc"
#include "thermal/heat_view.inc"
#include "thermal/heat_survey.inc"
#include "thermal/heat_element.inc"
#include "thermal/heat_cluster_cuda.inc"
#include "thermal/heat_rows_cuda.inc"
#include "thermal/heat_cuda.inc"
#include "thermal/heat_persistent.inc"
#include "thermal/heat_persistent_step.inc"
#include "thermal/heat_kernels_cuda.inc"

#include "thermal/state_mix.h"
#include "thermal/heat_view.inc"
#include "thermal/heat_survey.inc"
#include "thermal/heat_element.inc"
#include "thermal/heat_cluster_cuda.inc"
#include "thermal/heat_rows_cuda.inc"
#include "thermal/heat_cuda.inc"
#include "thermal/heat_persistent.inc"
#include "thermal/heat_persistent_step.inc"
#include "thermal/heat_kernels_cuda.inc"
