/* Our own sparse direct solver: a multifrontal factorization (Duff and Reid 1983) with supernodes.

   Equations with equal rows of the pattern are one vertex (the unknowns of a node, mostly). The
   vertices are ordered by nested dissection; those of one supernode are eliminated together in a
   dense matrix, its front, whose rows are the supernode's equations followed by those it is coupled
   to. What is left of a front after its elimination is added to the front of its parent in the
   elimination tree. Pivots are taken as they come. */
#ifndef IG_IMPLICIT_FRONTAL_H
#define IG_IMPLICIT_FRONTAL_H

#include "implicit/direct.h"

typedef struct ig_frontal ig_frontal;

/* As the functions of the same names in direct.h. Work grows with the squares of the fronts' rows
   times pivots, mostly in the last few: for a cube of n nodes about n^2, memory n^(4/3). */
IG_MUST_CHECK ig_status ig_frontal_new(ig_ctx *cx, int32_t n, const int64_t *first,
                                       const int32_t *column, ig_frontal **to);
void ig_frontal_free(ig_frontal *s);
IG_MUST_CHECK ig_status ig_frontal_factor(ig_frontal *s, const double *value, bool symmetric,
                                          ig_direct_info *info);
void ig_frontal_solve(ig_frontal *s, double *b);

#endif
