/* Nonlinear least squares with bounds:

     minimise |r(u)|^2 / 2   for low <= u <= high,   r: m residuals of n unknowns

   Levenberg-Marquardt in its trust-region form (Moré 1978): the step minimises |r + J p| over
   |p| <= radius, by a singular value decomposition of J. Bounds are an active set: unknowns at a
   bound that the gradient pushes outwards stay there; those that a step would carry over a bound
   are fixed at it, and the step of the others is solved again. J is made of one-sided differences.

   Unknowns are expected in comparable units: the radius is the same for all of them, and begins
   at 1. */
#ifndef IG_CHAIN_LEAST_SQUARES_H
#define IG_CHAIN_LEAST_SQUARES_H

#include "core/ctx.h"

/* Residuals r (count x m) at the points u (count x n), which may be computed side by side. good[i]
   false: there are none at point i. A failure ends the search. A point may be asked for again:
   whoever computes remembers. */
typedef ig_status ig_residuals_fn(void *user, int count, const double *u, double *r, bool *good);

typedef enum {
  IG_FIT_RESIDUAL,    /* nothing is left to fit */
  IG_FIT_GRADIENT,    /* no free unknown changes the sum at first order */
  IG_FIT_STEP,        /* the step is smaller than `tolerance` */
  IG_FIT_REDUCTION,   /* the sum would fall by less than a share `tolerance` of it */
  IG_FIT_ITERATIONS,  /* as many as allowed */
  IG_FIT_STOPPED,     /* `residuals` failed; u is the best so far */
  IG_FIT_NO_START,    /* there are no residuals at the start */
  IG_FIT_NO_GRADIENT, /* nor on either side of it, for unknown `lost` */
} ig_fit_end;

typedef struct {
  int n, m;
  const double *low, *high; /* n; -INFINITY, INFINITY: none */
  const double *noise;      /* m: changes of a residual below this are none */
  double relative_noise;    /* of what the residuals are made of: differences are about its root */
  const double *size;       /* n: magnitude of each unknown that differences are a share of; see
                               ig_fit_difference */
  double tolerance;
  double floor; /* root mean square of residuals that counts as zero */
  int iterations;
  bool ahead; /* differences at a trial point are asked for together with it: pays where points are
                 computed side by side */
  ig_residuals_fn *residuals;
  void *user;
} ig_fit;

typedef struct {
  double *u, *r, *jacobian; /* n; m; m x n, at u; given by the caller, u is the start */
  double sum;               /* |r|^2 */
  int iterations, rejected;
  ig_fit_end end;
  int lost;
} ig_fit_result;

/* IG_OK however the search ended: `end` says it. With IG_FIT_STOPPED the status of `residuals` is
   passed on. */
IG_MUST_CHECK ig_status ig_fit_run(ig_ctx *cx, const ig_fit *fit, ig_fit_result *result);
/* Why it ended, in words. */
const char *ig_fit_end_text(ig_fit_end end);
/* Length of a difference in an unknown. */
double ig_fit_difference(const ig_fit *fit, int i, const double *u);

/* A = U diag(s) V^T by one-sided Jacobi rotations (Hestenes 1958), singular values falling. A
   (m x n) becomes U; v is n x n. Columns of U for singular values of zero are zero. Exact to
   rounding for small values too, which the eigenvalues of A^T A are not. */
void ig_svd(int m, int n, double *a, double *s, double *v);

/* Covariance of the n unknowns from the Jacobian of their residuals, of unit variance each.
   Unknowns with fixed[i] have none (zeros). Directions that the residuals do not determine are left
   out of it: `direction` gets them, one row of n each, scaled to a largest entry of 1; their number
   is returned, or -1 where memory is out. Columns are compared by their directions: `least` is the
   least singular value of J with columns of length 1 that counts. */
int ig_fit_covariance(int m, int n, const double *jacobian, const bool *fixed, double least,
                      double *covariance, double *direction);

/* Noise of a function from its values at equal, small distances (Hamming; Moré and Wild 2011): the
   differences of rising order of a smooth function vanish, those of noise do not. Absolute; 0 where
   the values are smooth to rounding. */
double ig_noise_of(int count, const double *values);

#endif
