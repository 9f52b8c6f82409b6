/* The CPU's drivers: element work on packs of elements, in three kinds of state. */
#include "backend/backend.h"
#include "core/threads.h"
#include "thermal/heat_ops.h"
#include "thermal/heat_rows.h"
#include "thermal/heat_tables.h"

#include <string.h>

#include "kern/pack_f32.h"
#include "thermal/hex.inc"
#include "kern/pack_f64.h"
#include "thermal/hex.inc"

#define LANE(x, l) ((x)[l])

/* How many of `most` nodes on end have the first one's row; 32 at once while they do. */
static int row_count(const int32_t *row, int most) {
  const int32_t first = row[0];
  int count = 1;
  while (count + 32 <= most) {
    int32_t other = 0;
#pragma omp simd reduction(| : other)
    for (int i = 0; i < 32; i++)
      other |= row[count + i] ^ first;
    if (other)
      break;
    count += 32;
  }
  while (count < most && row[count] == first)
    count++;
  return count;
}

#define PACK ig_pack_f32
#define PF(name) name##_p32
#define LANES IG_PACK_F32
#include "thermal/state_f32.h"
#include "assembly/scatter.inc"
#include "thermal/heat.inc"
#include "thermal/heat_row.inc"
#include "thermal/hex.inc"
#include "thermal/heat_view.inc"
#include "thermal/heat_survey.inc"
#include "thermal/heat_element.inc"
#include "thermal/heat_cluster_cpu.inc"
#include "thermal/heat_run_cpu.inc"
#include "thermal/heat_cpu.inc"

#undef PACK
#undef PF
#undef LANES
#define PACK ig_pack_f64
#define PF(name) name##_p64
#define LANES IG_PACK_F64
#include "thermal/state_f64.h"
#include "assembly/scatter.inc"
#include "thermal/heat.inc"
#include "thermal/heat_row.inc"
#include "thermal/hex.inc"
#include "thermal/heat_view.inc"
#include "thermal/heat_survey.inc"
#include "thermal/heat_element.inc"
#include "thermal/heat_cluster_cpu.inc"
#include "thermal/heat_run_cpu.inc"
#include "thermal/heat_cpu.inc"

#undef PACK
#undef PF
#undef LANES
#define PACK ig_pack_f32
#define PF(name) name##_p32
#define LANES IG_PACK_F32
#include "thermal/state_mix.h"
#include "thermal/heat_view.inc"
#include "thermal/heat_survey.inc"
#include "thermal/heat_element.inc"
#include "thermal/heat_cluster_cpu.inc"
#include "thermal/heat_run_cpu.inc"
#include "thermal/heat_cpu.inc"

const ig_heat_ops ig_heat_cpu[3] = {[IG_SINGLE] = {.steps = steps_cpu_f32,
                                                   .melt = melting_cpu_f32,
                                                   .patch = patch_cpu_f32,
                                                   .track = track_cpu_f32,
                                                   .survey = survey_cpu_f32},
                                    [IG_DOUBLE] = {.steps = steps_cpu_f64,
                                                   .melt = melting_cpu_f64,
                                                   .patch = patch_cpu_f64,
                                                   .track = track_cpu_f64,
                                                   .survey = survey_cpu_f64},
                                    [IG_MIXED] = {.steps = steps_cpu_mix,
                                                  .melt = melting_cpu_mix,
                                                  .patch = patch_cpu_mix,
                                                  .track = track_cpu_mix,
                                                  .survey = survey_cpu_mix}};
