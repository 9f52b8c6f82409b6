/* The CPU's passes, in three pairs of precision (elements, particles). */
#include "dynamics/step.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "dynamics/particle.inc"
#include "dynamics/body.inc"
#include "dynamics/contact.inc"
#include "kern/prec_f32.h"
#include "dynamics/particle.inc"
#include "dynamics/body.inc"
#include "dynamics/contact.inc"

#define PART float
#define PFN(name) name##_f32
#define VN(name) name##_single
#include "kern/pack_f32.h"
#include "dynamics/elements.inc"
#include "dynamics/force_cpu.inc"
#include "dynamics/step_cpu.inc"
#undef PART
#undef PFN
#undef VN
#define PART double
#define PFN(name) name##_f64
#define VN(name) name##_mixed
#include "dynamics/step_cpu.inc"
#undef VN
#define VN(name) name##_double
#include "kern/pack_f64.h"
#include "dynamics/elements.inc"
#include "dynamics/force_cpu.inc"
#include "dynamics/step_cpu.inc"

#define TABLE(p)                                                                                   \
  {                                                                                                \
    loads_cpu_##p, particles_cpu_##p, bodies_cpu_##p, ties_cpu_##p, elements_cpu_##p,              \
        report_cpu_##p, contact_cpu_##p, sum_cpu_##p, energy_cpu_##p, NULL                         \
  }
const ig_dyn_ops ig_dyn_cpu[3] = {
    [IG_SINGLE] = TABLE(single), [IG_DOUBLE] = TABLE(double), [IG_MIXED] = TABLE(mixed)};
