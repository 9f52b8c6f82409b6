/* The CPU's passes, in three pairs of precision (elements, particles): single, mixed, double.
   Elements work on packs of lanes (kern/pack_*.h), particles one by one. The inclusions stamp
   the same sources for each number type; order matters, as each precision header redefines REAL
   and FN. Mixed and double precision have the same passes over particles. */
#include "dynamics/kernels/step.h"
#include "core/threads.h"
#include "backend/backend.h"

#include <string.h>

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/kernels/body.inc"
#include "dynamics/contact/contact.inc"
#include "dynamics/contact/contact_edge.inc"
#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/kernels/body.inc"
#include "dynamics/contact/contact.inc"
#include "dynamics/contact/contact_edge.inc"

#define PART float
#define PFN(name) name##_f32
#define VN(name) name##_single
#include "kern/pack_f32.h"
#include "dynamics/elements/elements.inc"
#include "dynamics/kernels/force_cpu.inc"
#include "dynamics/kernels/particles_cpu.inc"
#include "dynamics/kernels/step_cpu.inc"
#undef PART
#undef PFN
#undef VN
#define PART double
#define PFN(name) name##_f64
#define VN(name) name##_mixed
#include "dynamics/kernels/particles_cpu.inc"
#include "dynamics/kernels/step_cpu.inc"
#undef VN
#define VN(name) name##_double
#include "kern/pack_f64.h"
#include "dynamics/elements/elements.inc"
#include "dynamics/kernels/force_cpu.inc"
#include "dynamics/kernels/step_cpu.inc"

/* Rows of reports into fields of the mesh, passing over pads. */
static ig_status spread_cpu(ig_ctx *cx, int32_t slots, const int32_t *element, const double *report,
                            const ig_dyn_fields *to) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, slots, IG_WORK_NODE))
  for (int32_t s = 0; s < slots; s++)
    if (element[s] >= 0)
      ig_dyn_spread(report + (int64_t)s * IG_DYN_REPORT, element[s], to);
  return IG_OK;
}

/* In turn and with the rounding carried along: the same whatever the threads. */
static ig_status totals_cpu(ig_ctx *cx, const double *table, int64_t rows, int columns, int first,
                            int count, double *work, double *total) {
  (void)cx, (void)work;
  for (int c = 0; c < count; c++) {
    double sum = 0, lost = 0;
    for (int64_t i = 0; i < rows; i++) {
      const double y = table[i * columns + first + c] - lost, t = sum + y;
      lost = (t - sum) - y;
      sum = t;
    }
    total[c] = sum;
  }
  return IG_OK;
}

/* Members in the order of ig_dyn_ops; the CPU has no kernels to report on. */
#define TABLE(p, v)                                                                                \
  {                                                                                                \
    loads_cpu_##p, particles_cpu_##p, bodies_cpu_##p, ties_cpu_##p, shift_cpu_##p, watch_cpu_##p,  \
        elements_cpu_##v, joined_cpu_##v, report_cpu_##v, alive_cpu_##v, contact_cpu_##p,          \
        sum_cpu_##p, energy_cpu_##p, show_cpu_##p, spread_cpu, totals_cpu, NULL                    \
  }
const ig_dyn_ops ig_dyn_cpu[3] = {[IG_SINGLE] = TABLE(f32, single),
                                  [IG_DOUBLE] = TABLE(f64, double),
                                  [IG_MIXED] = TABLE(f64, mixed)};
