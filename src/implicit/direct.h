/* Sparse direct solution of K x = b for matrices whose pattern is symmetric.

   Two solvers behind one interface: our own multifrontal factorization (L D L^T, or L U without
   pivoting where K is not symmetric), always there, and sequential MUMPS, which pivots, where its
   library is installed. Both order the equations by nested dissection once (ig_direct_new), then
   factorize any number of matrices of the same pattern and solve any number of right-hand sides
   with the last one. Results have the same bits whatever the number of threads.

   A pivot that is zero to rounding belongs to a motion that nothing resists: its equation is taken
   out (that unknown becomes 0) and counted. Negative pivots of a symmetric matrix are counted too:
   their number is that of its negative eigenvalues (Sylvester's law of inertia), so that more of
   them than the model should have means an unstable state. */
#ifndef IG_IMPLICIT_DIRECT_H
#define IG_IMPLICIT_DIRECT_H

#include "core/ctx.h"

typedef enum { IG_DIRECT_AUTO, IG_DIRECT_OWN, IG_DIRECT_MUMPS } ig_direct_kind;
#define IG_DIRECT_CHOICES "auto|own|mumps"

typedef struct ig_direct ig_direct;

/* What the last factorization found. */
typedef struct {
  const char *solver; /* "own" or "MUMPS" */
  int64_t negative;   /* pivots; -1: unknown (not symmetric) */
  int64_t zero;       /* pivots taken out */
  int32_t first_zero; /* equation of the first of them, -1: none or unknown */
  double least;       /* size of the smallest pivot over the diagonal of the matrix there */
  int32_t least_at;   /* its equation, -1: unknown */
  double entries;     /* of the factors */
} ig_direct_info;

/* Orders `n` equations. Row i has columns column[first[i]] … column[first[i + 1] - 1], ascending,
   the diagonal among them; (i, j) is there whenever (j, i) is. The arrays are the caller's and must
   stay. `auto`: our own, which is faster than MUMPS with the BLAS of Debian. */
IG_MUST_CHECK ig_status ig_direct_new(ig_ctx *cx, int32_t n, const int64_t *first,
                                      const int32_t *column, ig_direct_kind kind, ig_direct **to);
void ig_direct_free(ig_direct *d);
/* Factorizes; value: as `column`. symmetric: (K + K^T) / 2 is taken. IG_INTERRUPTED soon after
   ig_ctx_interrupt (MUMPS: at its end); there are no factors then, and it can be called again. */
IG_MUST_CHECK ig_status ig_direct_factor(ig_direct *d, const double *value, bool symmetric,
                                         ig_direct_info *info);
/* b becomes the solution. A pivot that was taken out is IG_DIRECT_OUT: b of that size there, and 0
   elsewhere, gives the motion that nothing resists, with 1 there. */
#define IG_DIRECT_OUT 1e60
IG_MUST_CHECK ig_status ig_direct_solve(ig_direct *d, double *b);

#endif
