/* The method of moving asymptotes: updates of the design, and the multipliers of several
   constraints. ig_topopt_mma (kernels/design.h) is the approximated problem: asymptotes,
   gradients, scales and multipliers of the objective (0), the volume (1) and the constraints (2
   and up). */
#ifndef IG_TOPOPT_DESIGN_MMA_H
#define IG_TOPOPT_DESIGN_MMA_H

#include "topopt/topopt.h"

/* Finds the multipliers of the approximated problem, from those in mma->multiplier[1..count]:
   value[1..count] are the constraints now, in units of mma->scale; at most 0 is wanted. A bound
   that cannot be met is overstepped as little as a steep price makes worth it. */
IG_MUST_CHECK ig_status ig_topopt_mma_dual(ig_ctx *cx, const ig_topopt_design_ops *ops, int64_t n,
                                           const uint8_t *role, ig_topopt_mma *mma,
                                           const double *value);

/* 1 / the largest slope. */
IG_MUST_CHECK ig_status ig_topopt_mma_scale(ig_topopt_design *s, const double *slope,
                                            double *scale);
/* Updates into s->trial between the asymptotes, under several constraints or the volume alone; `oc`
   carries move limit and volume. */
IG_MUST_CHECK ig_status ig_topopt_mma_constrained(ig_topopt_design *s, const ig_oc *oc,
                                                  const ig_evaluation *e);
IG_MUST_CHECK ig_status ig_topopt_mma_volume(ig_topopt_design *s, const ig_oc *oc);
/* The conservative update into s->trial; *next is the evaluation of that design, whose states are
   left behind. gcmma.c */
IG_MUST_CHECK ig_status ig_topopt_gcmma_update(ig_topopt_design *s, const ig_oc *oc,
                                               const ig_evaluation *e, ig_evaluation *next);

#endif
