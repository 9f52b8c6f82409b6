/* CUDA passes of the stress room; see ops.h. */
#ifndef IG_STRESS_STEP_CUDA_H
#define IG_STRESS_STEP_CUDA_H

#include "stress/ops.h"

IG_C_BEGIN
ig_status ig_stress_force_cuda(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, bool past,
                               const double *u, double *f);
ig_status ig_stress_product_cuda(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan,
                                 const double *x, double *y);
ig_status ig_stress_commit_cuda(ig_ctx *cx, const ig_stress_args *p, const double *u);
ig_status ig_stress_wipe_cuda(ig_ctx *cx, const ig_stress_args *p, const double *u, bool hot,
                              const int32_t *list, const double *value, int64_t count);
ig_status ig_stress_values_cuda(ig_ctx *cx, const ig_stress_args *p, ig_stress_value what,
                                const double *old, const double *u, ig_lid begin, ig_lid count,
                                double *out);
ig_status ig_stress_young_cuda(ig_ctx *cx, const ig_stress_args *p, double *out);
ig_status ig_stress_add_cuda(ig_ctx *cx, int64_t n, double a, const double *x, double *y);
ig_status ig_stress_tie_cuda_f64(ig_ctx *cx, int groups, const int32_t *start, const int32_t *item,
                                 double *x);
ig_status ig_stress_tie_cuda_f32(ig_ctx *cx, int groups, const int32_t *start, const int32_t *item,
                                 float *x);
ig_status ig_stress_to_grid_cuda(ig_ctx *cx, int64_t nodes, int64_t stored, const int32_t *list,
                                 const int32_t *place, const float *x, float *y);
ig_status ig_stress_from_grid_cuda(ig_ctx *cx, int64_t nodes, int64_t stored, const int32_t *list,
                                   const int32_t *place, const float *x, float *y);
ig_status ig_stress_to_cells_cuda(ig_ctx *cx, int64_t elements, const int32_t *list,
                                  const int32_t *cell, const double *x, double *y);
ig_status ig_stress_turn_cuda(ig_ctx *cx, int64_t nodes, const float *turn, bool back,
                              const float *x, float *y);
ig_status ig_stress_still_cuda(ig_ctx *cx, int64_t nodes, const uint8_t *fix, float *x);
IG_C_END

#endif
