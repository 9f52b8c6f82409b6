/* Eigenvalues of largest magnitude, and their vectors, of B x = mu A x with A symmetric and
   positive definite, B symmetric, by a block Krylov method with thick restart (Wu and Simon 2000);
   the number of vectors is that of subspace iteration (Bathe and Wilson 1972).

   Vibration: A = K + s M, B = M, mu = 1 / (w^2 + s). Linear buckling: A = K of the unloaded
   structure, B = -(its change per load), mu = 1 / load factor, of either sign. */
#ifndef IG_IMPLICIT_MODES_H
#define IG_IMPLICIT_MODES_H

#include "core/ctx.h"

/* The matrices are known by what they do alone: no storage is prescribed. */
typedef struct {
  int32_t n; /* equations */
  void *self;
  ig_status (*solve)(void *self, double *x);             /* x becomes A^-1 x */
  void (*times)(void *self, const double *x, double *y); /* y = B x */
} ig_modes_model;

/* The first `*count` of them into mu and x (count x n, x.A x = 1); *count becomes smaller where
   there are no more. error: largest relative change of mu in the last iteration. IG_INTERRUPTED:
   within the time of one `solve` after ig_ctx_interrupt. */
IG_MUST_CHECK ig_status ig_modes_find(ig_ctx *cx, const ig_modes_model *m, int *count, double *mu,
                                      double *x, double *error);

#endif
