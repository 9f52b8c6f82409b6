/* Sums over a design on CUDA (design_sums_cuda.cu), for the table in design_cuda.cu; arguments are
   explained in kernels/design.h. */
#ifndef IG_TOPOPT_KERNELS_DESIGN_CUDA_H
#define IG_TOPOPT_KERNELS_DESIGN_CUDA_H

#include "topopt/kernels/design.h"

ig_status ig_topopt_design_cuda_oc(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_oc *oc,
                                   const double *x, const double *dc, const double *dv,
                                   double *work, double *out, double *multiplier);
ig_status ig_topopt_design_cuda_dual(ig_ctx *cx, int64_t n, const uint8_t *role,
                                     const ig_topopt_mma *mma, double *sums);
ig_status ig_topopt_design_cuda_stats(ig_ctx *cx, const ig_grid *g, int64_t n, const uint8_t *role,
                                      const ig_law *law, const double *x, const double *old,
                                      ig_topopt_design_stats *stats);

#endif
