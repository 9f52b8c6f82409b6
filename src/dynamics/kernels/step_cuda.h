/* CUDA's passes, by pair of precisions; declared once for all three. See ig_dyn_ops in step.h
   for what each does. Defined in step_cuda.inc. */
#ifndef IG_DYNAMICS_STEP_CUDA_H
#define IG_DYNAMICS_STEP_CUDA_H

#include "dynamics/kernels/step.h"

IG_C_BEGIN
#define X(v)                                                                                       \
  ig_status ig_dyn_loads_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p);                          \
  ig_status ig_dyn_particles_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p);                      \
  ig_status ig_dyn_bodies_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p, bool commit);            \
  ig_status ig_dyn_ties_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p);                           \
  ig_status ig_dyn_shift_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p);                          \
  ig_status ig_dyn_watch_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p);                          \
  ig_status ig_dyn_show_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p, double *displacement,      \
                                 double *velocity);                                                \
  ig_status ig_dyn_elements_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p,                        \
                                     const ig_dyn_range *range);                                   \
  ig_status ig_dyn_report_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p,                          \
                                   const ig_dyn_range *range, double *out);                        \
  ig_status ig_dyn_alive_cuda_##v(ig_ctx *cx, const ig_dyn_range *range, const int32_t *element,   \
                                  uint8_t *alive);                                                 \
  ig_status ig_dyn_kernels_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p,                         \
                                    const ig_dyn_range *range, ig_dyn_kernel_cost cost[2]);        \
  ig_status ig_dyn_contact_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p);                        \
  ig_status ig_dyn_sum_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p);                            \
  ig_status ig_dyn_energy_cuda_##v(ig_ctx *cx, const ig_dyn_particles *p, double *energy);
X(single)
X(double)
X(mixed)
#undef X
ig_status ig_dyn_spread_cuda(ig_ctx *cx, int32_t slots, const int32_t *element,
                             const double *report, const ig_dyn_fields *to);
ig_status ig_dyn_totals_cuda(ig_ctx *cx, const double *table, int64_t rows, int columns, int first,
                             int count, double *work, double *total);
IG_C_END

#endif
