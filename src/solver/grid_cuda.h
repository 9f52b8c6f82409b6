/* What grid.cu gives the table in grid_cuda.c; and the operators `ingot bench` compares with. */
#ifndef IG_SOLVER_GRID_CUDA_H
#define IG_SOLVER_GRID_CUDA_H

#include "solver/grid.h"

IG_C_BEGIN
ig_status ig_grid_cuda_apply(ig_ctx *cx, const ig_grid_args_f64 *args, const double *x, double *y,
                             ig_cg_state *state);
ig_status ig_grid_cuda_sweep(ig_ctx *cx, const ig_level *level, ig_sweep what, const float *b,
                             const float *x, float *d, float c0, float c1, float *y);
ig_status ig_grid_cuda_start(ig_ctx *cx, const ig_level *level, const float *b, float c1, float *x,
                             float *d);
ig_status ig_grid_cuda_restricts(ig_ctx *cx, const ig_level *fine, const float *r,
                                 const ig_level *coarse, float *b);
ig_status ig_grid_cuda_prolong(ig_ctx *cx, const ig_level *coarse, const float *xc,
                               const ig_level *fine, float *x);
ig_status ig_grid_cuda_to_single(ig_ctx *cx, int64_t n, const double *x, float *y);
ig_status ig_grid_cuda_node_inverse(ig_ctx *cx, const ig_grid_args_f32 *args, float *inverse);
ig_status ig_grid_cuda_coarsen_fine(ig_ctx *cx, const ig_level *fine, const ig_level *coarse,
                                    const ig_level *next, const uint16_t *kind, const float *table);
ig_status ig_grid_cuda_coarsen(ig_ctx *cx, const ig_level *fine, const ig_level *coarse);
ig_status ig_grid_cuda_stencil(ig_ctx *cx, const ig_level *level);
ig_status ig_grid_cuda_coarse_springs(ig_ctx *cx, const ig_level *fine, const ig_level *coarse,
                                      int depth);
ig_status ig_grid_cuda_coarse_inverse(ig_ctx *cx, const ig_level *level);
ig_status ig_grid_cuda_dense_invert(ig_ctx *cx, const ig_level *level, const int32_t *place, int n,
                                    double *work, float *inverse);
ig_status ig_grid_cuda_dense_solve(ig_ctx *cx, const int32_t *place, int n, const float *inverse,
                                   const float *b, float *x);
ig_status ig_grid_cuda_cg_residual(ig_ctx *cx, int64_t n, const double *f, double *r, float *r32,
                                   ig_cg_state *state);
ig_status ig_grid_cuda_cg_update(ig_ctx *cx, int64_t n, const double *p, const double *ap,
                                 double *x, double *r, float *r32, ig_cg_state *state);
ig_status ig_grid_cuda_cg_direction(ig_ctx *cx, int64_t n, const double *r, const float *z,
                                    double *p, bool first, ig_cg_state *state);
ig_status ig_grid_cuda_energy(ig_ctx *cx, const ig_grid_args_f64 *args, const double *u,
                              const double *v, double scale, bool add, double *out);

/* y = A x the paper's way, one thread a DoF with the dense element matrix (device, 24 x 24); and by
   an assembled matrix in ELLPACK form, 81 values and columns a row, built by the second call. */
ig_status ig_grid_cuda_dbd(ig_ctx *cx, const ig_grid_args_f64 *args, const double *k,
                           const double *x, double *y);
ig_status ig_grid_cuda_assemble(ig_ctx *cx, const ig_grid_args_f64 *args, const double *k,
                                double *value, int32_t *column);
ig_status ig_grid_cuda_assembled(ig_ctx *cx, const ig_grid_args_f64 *args, const double *value,
                                 const int32_t *column, const double *x, double *y);
IG_C_END

#endif
