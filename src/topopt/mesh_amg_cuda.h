/* CUDA passes of a multigrid cycle; see mesh_amg.h. */
#ifndef IG_TOPOPT_MESH_AMG_CUDA_H
#define IG_TOPOPT_MESH_AMG_CUDA_H

#include "topopt/mesh_amg.h"

IG_C_BEGIN
ig_status ig_amg_product_cuda(ig_ctx *cx, const ig_bsr *a, bool add, const float *x, float *y);
ig_status ig_amg_smooth_cuda(ig_ctx *cx, int32_t nodes, int size, const float *inverse,
                             const double *spring, const float *b, const float *ax, bool first,
                             float c0, float c1, float *d, float *x);
ig_status ig_amg_residual_cuda(ig_ctx *cx, int64_t n, const double *spring, const float *b,
                               const float *x, float *ax);
ig_status ig_amg_dense_cuda(ig_ctx *cx, int n, const float *m, const float *b, float *x);
ig_status ig_amg_single_cuda(ig_ctx *cx, int64_t n, const double *x, float *y);
IG_C_END

#endif
