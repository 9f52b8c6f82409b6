/* Preconditioned conjugate gradients over device vectors: the iterate and its residual in double,
   the preconditioner in single precision. Any discretisation can stand behind ig_linear: a grid
   (multigrid.h), a mesh (mesh_amg.h), a program's own (solver.c). */
#ifndef IG_SOLVER_KRYLOV_PCG_H
#define IG_SOLVER_KRYLOV_PCG_H

#include "core/array.h"

IG_C_BEGIN

struct ig_cg_state;
struct ig_grid;

/* A linear system as the iteration sees it: symmetric positive definite A (fixed unknowns give zero
   rows) and a preconditioner. All pointers are device pointers. Callbacks may return while the
   device works. */
typedef struct ig_linear {
  void *self;
  int64_t n; /* values of a vector */
  /* y = A x; state->s.pap = x . y unless NULL */
  ig_status (*apply)(void *self, const double *x, double *y, struct ig_cg_state *state);
  /* z = M^-1 r; the result is left where `z` says */
  ig_status (*precondition)(void *self, const float *r, const float **z);
  bool flexible;              /* the preconditioner is not quite the same every time */
  const struct ig_grid *grid; /* whose values they are; NULL: of no grid */
  /* vectors are whole on every rank, which computes its part of them: own[0] .. own[1] - 1, on
     `grid`; `apply` reads all of what it needs itself. NULL: all values are its own */
  const int64_t *own;
} ig_linear;

/* How a solve ended: below the tolerance; at the limit of iterations; the residual has stopped
   falling; p . A p or r . z was not positive, so A or M is not positive definite (or not finite).
   Texts: ig_solve_end_text. */
typedef enum {
  IG_SOLVE_CONVERGED,
  IG_SOLVE_LIMIT,
  IG_SOLVE_STAGNATED,
  IG_SOLVE_INDEFINITE
} ig_solve_end;

typedef struct {
  /* products with A but for those of true residuals */
  int iterations;
  double residual; /* |r| / |f| */
  ig_solve_end end;
} ig_solve_report;
const char *ig_solve_end_text(ig_solve_end end);

/* Work space: r, p, A p in double, r in single, sums; made once for a size. On the device. Solves
   of different systems may share it, one after the other. */
typedef struct {
  ig_array r, p, ap, r32, state;
  bool ends; /* a signal ends a solve: IG_INTERRUPTED, and u is somewhere on its way */
} ig_pcg;
/* 28 bytes per value of a vector, and space for partial sums. Reusable for any system of n values.
 */
IG_MUST_CHECK ig_status ig_pcg_init(ig_ctx *cx, ig_pcg *w, int64_t n);
void ig_pcg_free(ig_ctx *cx, ig_pcg *w);

/* a . b over n values of a grid (NULL: of none), whose sum does not depend on how it is divided. */
IG_MUST_CHECK ig_status ig_pcg_dot(ig_ctx *cx, const struct ig_grid *grid, int64_t n,
                                   const double *a, const double *b, double *result);
/* Solves A u = f from the u given, until |r| <= tolerance |f|. Ends that are not convergence are
   reported, not failed. f = 0 gives u = 0. */
IG_MUST_CHECK ig_status ig_pcg_solve(ig_ctx *cx, ig_pcg *w, const ig_linear *a, const double *f,
                                     double *u, double tolerance, int limit,
                                     ig_solve_report *report);

IG_C_END
#endif
