/* The CPU's drivers, compiled for three kinds of state: single, double, and mixed (state in double,
   element work in single precision). The .inc files between the definitions are the same each time;
   a pack is as many elements as fit into a vector register (kern/pack.h). */
#include "backend/backend.h"
#include "core/threads.h"
#include "thermal/kernels/heat_ops.h"
#include "thermal/kernels/heat_rows.h"
#include "thermal/engine/heat_tables.h"

#include <string.h>

#include "kern/pack_f32.h"
#include "thermal/kernels/hex.inc"
#include "kern/pack_f64.h"
#include "thermal/kernels/hex.inc"

#define LANE(x, l) ((x)[l])

/* How many nodes on end have one row, from each on, where that is not known any more. Counts end at
   255, and every so many nodes, so that threads can make them. */
static ig_status alike_count(ig_ctx *cx, ig_heat *h) {
  enum { ALIKE = 1 << 14 };
  if (h->rows.special_known)
    return IG_OK;
  if (!h->rows.alike.dev)
    IG_TRY(ig_array_new_device(cx, &h->rows.alike, (size_t)h->nodes, 1, "runs of nodes"));
  const int32_t *row = h->rows.of.dev;
  uint8_t *alike = h->rows.alike.dev;
  const ig_lid nodes = h->nodes, blocks = (nodes + ALIKE - 1) / ALIKE;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, nodes, IG_WORK_VALUE))
  for (ig_lid b = 0; b < blocks; b++) {
    const ig_lid begin = b * ALIKE, end = nodes - begin < ALIKE ? nodes : begin + ALIKE;
    int count = 0;
    for (ig_lid n = end - 1; n >= begin; n--) {
      count = n + 1 < end && row[n] == row[n + 1] && count < 255 ? count + 1 : 1;
      alike[n] = (uint8_t)count;
    }
  }
  h->rows.special_known = true;
  return IG_OK;
}

#define PACK ig_pack_f32
#define PF(name) name##_p32
#define LANES IG_PACK_F32
#include "thermal/kernels/state_f32.h"
#include "assembly/scatter.inc"
#include "thermal/engine/heat.inc"
#include "thermal/kernels/heat_row.inc"
#include "thermal/kernels/hex.inc"
#include "thermal/kernels/heat_view.inc"
#include "thermal/engine/heat_survey.inc"
#include "thermal/kernels/heat_element.inc"
#include "thermal/kernels/heat_cluster_cpu.inc"
#include "thermal/kernels/heat_run_cpu.inc"
#include "thermal/kernels/heat_cpu.inc"

#undef PACK
#undef PF
#undef LANES
#define PACK ig_pack_f64
#define PF(name) name##_p64
#define LANES IG_PACK_F64
#include "thermal/kernels/state_f64.h"
#include "assembly/scatter.inc"
#include "thermal/engine/heat.inc"
#include "thermal/kernels/heat_row.inc"
#include "thermal/kernels/hex.inc"
#include "thermal/kernels/heat_view.inc"
#include "thermal/engine/heat_survey.inc"
#include "thermal/kernels/heat_element.inc"
#include "thermal/kernels/heat_cluster_cpu.inc"
#include "thermal/kernels/heat_run_cpu.inc"
#include "thermal/kernels/heat_cpu.inc"

#undef PACK
#undef PF
#undef LANES
#define PACK ig_pack_f32
#define PF(name) name##_p32
#define LANES IG_PACK_F32
#include "thermal/kernels/state_mix.h"
#include "thermal/kernels/heat_view.inc"
#include "thermal/engine/heat_survey.inc"
#include "thermal/kernels/heat_element.inc"
#include "thermal/kernels/heat_cluster_cpu.inc"
#include "thermal/kernels/heat_run_cpu.inc"
#include "thermal/kernels/heat_cpu.inc"

const ig_heat_ops ig_heat_cpu[3] = {[IG_SINGLE] = {.steps = steps_cpu_f32,
                                                   .melt = melting_cpu_f32,
                                                   .patch = patch_cpu_f32,
                                                   .track = track_cpu_f32,
                                                   .survey = survey_cpu_f32,
                                                   .rows = survey_rows_cpu_f32},
                                    [IG_DOUBLE] = {.steps = steps_cpu_f64,
                                                   .melt = melting_cpu_f64,
                                                   .patch = patch_cpu_f64,
                                                   .track = track_cpu_f64,
                                                   .survey = survey_cpu_f64,
                                                   .rows = survey_rows_cpu_f64},
                                    [IG_MIXED] = {.steps = steps_cpu_mix,
                                                  .melt = melting_cpu_mix,
                                                  .patch = patch_cpu_mix,
                                                  .track = track_cpu_mix,
                                                  .survey = survey_cpu_mix,
                                                  .rows = survey_rows_cpu_mix}};
