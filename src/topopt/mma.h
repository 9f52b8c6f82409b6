/* The method of moving asymptotes: the multipliers of several constraints. */
#ifndef IG_TOPOPT_MMA_H
#define IG_TOPOPT_MMA_H

#include "topopt/design.h"

/* Finds the multipliers of the approximated problem, from those in mma->multiplier[1..count]:
   value[1..count] are the constraints now, in units of mma->scale; at most 0 is wanted. A bound
   that cannot be met is overstepped as little as a steep price makes worth it. */
IG_MUST_CHECK ig_status ig_topopt_mma_dual(ig_ctx *cx, const ig_topopt_design_ops *ops, int64_t n,
                                           const uint8_t *role, ig_topopt_mma *mma,
                                           const double *value);

#endif
