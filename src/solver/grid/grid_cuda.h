/* Between the .cu files: the finest level's sweeps; and the operators `ingot bench` compares with.
 */
#ifndef IG_SOLVER_GRID_GRID_CUDA_H
#define IG_SOLVER_GRID_GRID_CUDA_H

#include "solver/grid/grid.h"

IG_C_BEGIN
ig_status ig_grid_cuda_fine_sweep(ig_ctx *cx, const ig_grid_args_f32 *args, ig_sweep what,
                                  const float *b, const float *x, float *d, float c0, float c1,
                                  float *y);
ig_status ig_grid_cuda_fine_start(ig_ctx *cx, const ig_grid_args_f32 *args, const float *b,
                                  float c1, float *x, float *d);

/* For comparisons alone, three unknowns per node in three dimensions, on one rank.

   y = A x by one thread per DoF with the dense element matrix (device, 24 x 24), nothing cached;
   and by an assembled matrix in ELLPACK form, 81 values and columns per row, built by the second
   call. */
ig_status ig_grid_cuda_dbd(ig_ctx *cx, const ig_grid_args_f64 *args, const double *k,
                           const double *x, double *y);
ig_status ig_grid_cuda_assemble(ig_ctx *cx, const ig_grid_args_f64 *args, const double *k,
                                double *value, int32_t *column);
ig_status ig_grid_cuda_assembled(ig_ctx *cx, const ig_grid_args_f64 *args, const double *value,
                                 const int32_t *column, const double *x, double *y);
/* The product of Martinez-Frutos et al. (2017): blocks of threads in three dimensions, the unknowns
   of a block and of the nodes around it in shared memory, the element matrix (host, 24 x 24) in
   constant memory. x, y: [node][3] without a halo; modulus: [element]; n: elements along each
   axis. *grid and *bytes: blocks along each axis, shared memory of one. */
ig_status ig_grid_cuda_paper_matrix(ig_ctx *cx, const double *k);
ig_status ig_grid_cuda_paper(ig_ctx *cx, const int *n, const int *block, const double *modulus,
                             const double *x, double *y, int *grid, int *bytes);
IG_C_END

#endif
