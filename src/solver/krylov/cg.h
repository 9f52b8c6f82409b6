/* Vector operations of conjugate gradients, one table per backend. Each pass over the vectors does
   all that it can: an update of x and r also rounds r for the preconditioner and sums |r|^2.
   Scalars stay on the device, so an iteration needs no synchronisation with the host but for the
   check of convergence. */
#ifndef IG_SOLVER_KRYLOV_CG_H
#define IG_SOLVER_KRYLOV_CG_H

#include "core/array.h"

IG_C_BEGIN

/* Scalars of a conjugate gradient iteration, in device memory, and space for a device's partial
   sums, 2 MB. The host reads the scalars alone. */
enum { IG_PARTIALS = 1 << 18 };
typedef struct {
  /* p . A p; r . r; r . z of this and of the last iteration; z . A p (flexible) */
  double pap, rr, rz, rz_last, zap;
} ig_cg_scalars;
typedef struct ig_cg_state {
  ig_cg_scalars s;
  unsigned arrived; /* blocks done with the reduction under way */
  double partial[IG_PARTIALS];
} ig_cg_state;

struct ig_grid;
/* X(name, arguments), over n values of a grid (NULL: of no grid in space); scalars stay on the
   device, but for that of `dot`. In the order of an iteration (pcg.c): residual once; then
   direction, the caller's product with pap, update. */
#define IG_CG_OPS(X)                                                                               \
  X(dot, (ig_ctx * cx, const struct ig_grid *grid, int64_t n, const double *a, const double *b,    \
          double *result))                                                                         \
  /* r = f - r; rr */                                                                              \
  X(residual, (ig_ctx * cx, const struct ig_grid *grid, int64_t n, const double *f, double *r,     \
               float *r32, ig_cg_state *state))                                                    \
  /* x, r by pap; rr */                                                                            \
  X(update, (ig_ctx * cx, const struct ig_grid *grid, int64_t n, const double *p,                  \
             const double *ap, double *x, double *r, float *r32, ig_cg_state *state))              \
  /* rz, p = z + beta p; ap not NULL: p is made conjugate to the last one by its image, which      \
     forgives a preconditioner that is not always the same */                                      \
  X(direction, (ig_ctx * cx, const struct ig_grid *grid, int64_t n, const double *r,               \
                const float *z, const double *ap, double *p, bool first, ig_cg_state *state))

#define IG_CG_OP(name, args) ig_status(*name) args;
#define IG_ON_CPU(name, args) ig_status ig_cg_cpu_##name args;
#define IG_ON_CUDA(name, args) ig_status ig_cg_cuda_##name args;
typedef struct ig_cg_ops {
  IG_CG_OPS(IG_CG_OP)
} ig_cg_ops;
IG_CG_OPS(IG_ON_CPU)
IG_CG_OPS(IG_ON_CUDA)
#undef IG_CG_OP
#undef IG_ON_CPU
#undef IG_ON_CUDA

IG_C_END
#endif
