/* CUDA passes of multigrid on a mesh; see mesh_amg.h. */
#ifndef IG_SOLVER_AMG_MESH_AMG_CUDA_H
#define IG_SOLVER_AMG_MESH_AMG_CUDA_H

#include "solver/amg/mesh_amg.h"

IG_C_BEGIN
ig_status ig_amg_assemble_cuda(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                               const ig_ground *g, const double *modulus, ig_bsr *a);
ig_status ig_amg_invert_cuda(ig_ctx *cx, const ig_bsr *a, const int32_t *diagonal,
                             const uint8_t *fix, float *inverse);
ig_status ig_amg_diagonal_cuda(ig_ctx *cx, const ig_bsr *a, int32_t *place);
ig_status ig_amg_rows_cuda(ig_ctx *cx, const ig_bsr *a, int32_t *row);
ig_status ig_amg_norms_cuda(ig_ctx *cx, const ig_bsr *a, double *norm, double *largest,
                            uint8_t *strong);
ig_status ig_amg_join_cuda(ig_ctx *cx, const ig_bsr *a, const double *norm, const uint8_t *strong,
                           const int32_t *of, int32_t count, int32_t *joined);
ig_status ig_amg_modes_cuda(ig_ctx *cx, const ig_amg_frame *frame, int32_t nodes, int size,
                            const double *x, const uint8_t *fix, double *modes);
ig_status ig_amg_orthonormal_cuda(ig_ctx *cx, const ig_amg_members *m, int32_t nodes, int size,
                                  int count, double *modes, double *coarse, float *tentative);
ig_status ig_amg_prolongator_cuda(ig_ctx *cx, const ig_bsr *a, const float *inverse,
                                  const int32_t *of, const float *tentative, float omega,
                                  ig_bsr *p);
ig_status ig_amg_transpose_cuda(ig_ctx *cx, const ig_bsr *p, const int32_t *from, ig_bsr *r);
ig_status ig_amg_times_cuda(ig_ctx *cx, const ig_bsr *a, const ig_bsr *p, ig_bsr *ap);
ig_status ig_amg_coarse_cuda(ig_ctx *cx, const ig_bsr *r, const ig_bsr *ap, ig_bsr *a);
ig_status ig_amg_dense_invert_cuda(ig_ctx *cx, const ig_bsr *a, int n, double *work,
                                   float *inverse);
ig_status ig_amg_product_cuda(ig_ctx *cx, const ig_bsr *a, bool add, const float *x, float *y);
ig_status ig_amg_smooth_cuda(ig_ctx *cx, int32_t nodes, int size, const float *inverse,
                             const double *spring, const float *b, const float *ax, bool first,
                             float c0, float c1, float *d, float *x);
ig_status ig_amg_residual_cuda(ig_ctx *cx, int64_t n, const double *spring, const float *b,
                               const float *x, float *ax);
ig_status ig_amg_dense_cuda(ig_ctx *cx, int n, const float *m, const float *b, float *x);
IG_C_END

#endif
