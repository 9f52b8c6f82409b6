/* The reference of the paper's Figure 12: the stiffness matrix assembled in rows, conjugate
   gradients with the inverse diagonal, one CPU thread. */
#ifndef IG_TOPOPT_BENCH_SPARSE_H
#define IG_TOPOPT_BENCH_SPARSE_H

#include "solver/grid/multigrid.h"

/* Unknowns are node after node, without the grid's halo; held ones have the row of the identity. */
typedef struct {
  int64_t rows;
  int64_t *first; /* rows + 1 */
  int32_t *column;
  double *value, *diagonal;
} ig_sparse;

/* The matrix of the moduli in m->args, host memory. */
IG_MUST_CHECK ig_status ig_sparse_assemble(const ig_multigrid *m, ig_sparse *a);
void ig_sparse_free(ig_sparse *a);
/* y = A x */
void ig_sparse_apply(const ig_sparse *a, const double *x, double *y);
/* From the grid's places to rows, or back; the halo is left alone. */
void ig_sparse_move(const ig_multigrid *m, bool back, double *grid, double *rows);
/* Conjugate gradients from u until the residual is `tolerance` times the load or after `limit`
   iterations. */
IG_MUST_CHECK ig_status ig_sparse_solve(ig_ctx *cx, const ig_sparse *a, const double *f, double *u,
                                        double tolerance, int limit, int *iterations);

#endif
