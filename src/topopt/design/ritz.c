/* Rayleigh and Ritz in a subspace; states to begin with. */
#include "topopt/design/ritz.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>

/* Jacobi's rotations: a becomes diagonal, v its vectors (columns). Cyclic Jacobi: slow for large
   matrices, exact and simple for 12 x 12. t is the smaller root of t^2 + 2 theta t - 1 = 0, the
   rotation by at most 45 degrees. */
static void rotate_away(int n, ig_ritz a, ig_ritz v) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      v[i][j] = i == j;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, all = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        all += a[i][j] * a[i][j];
        off += i != j ? a[i][j] * a[i][j] : 0;
      }
    if (off <= 1e-32 * all)
      return;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (a[p][q] == 0)
          continue;
        /* the rotation that makes a[p][q] zero (Golub and Van Loan, Jacobi methods) */
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        const double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; k++) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          const double x = v[k][p], y = v[k][q];
          v[k][p] = c * x - s * y;
          v[k][q] = s * x + c * y;
        }
      }
  }
}

/* A v = lambda B v, lowest first, v.Bv = 1. False where B is not positive definite. Cholesky of
   B = L L^T after scaling its diagonal to 1, then the standard problem L^-1 A L^-T w = lambda w.
   B is singular where the vectors have become dependent: the model has fewer modes than the
   block. */
bool ig_topopt_ritz(int n, ig_ritz a, ig_ritz b, double *lambda, ig_ritz v) {
  ig_ritz l = {{0}}, w, c;
  double scale[IG_RITZ_MOST];
  int order[IG_RITZ_MOST];
  for (int i = 0; i < n; i++)
    scale[i] = b[i][i] > 0 ? 1 / sqrt(b[i][i]) : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = scale[i] * scale[j] * b[i][j];
      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 1e-14))
        return false;
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  for (int j = 0; j < n; j++) /* w = L^-1 A */
    for (int i = 0; i < n; i++) {
      double sum = scale[i] * scale[j] * 0.5 * (a[i][j] + a[j][i]);
      for (int k = 0; k < i; k++)
        sum -= l[i][k] * w[k][j];
      w[i][j] = sum / l[i][i];
    }
  for (int i = 0; i < n; i++) /* c = w L^-T */
    for (int j = 0; j < n; j++) {
      double sum = w[i][j];
      for (int k = 0; k < j; k++)
        sum -= c[i][k] * l[j][k];
      c[i][j] = sum / l[j][j];
    }
  rotate_away(n, c, w);
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at > 0 && c[order[at - 1]][order[at - 1]] > c[i][i]; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  for (int j = 0; j < n; j++) {
    lambda[j] = c[order[j]][order[j]];
    for (int i = n - 1; i >= 0; i--) {
      double sum = w[i][order[j]];
      for (int k = i + 1; k < n; k++)
        sum -= l[k][i] * v[k][j] / scale[k];
      v[i][j] = scale[i] * sum / l[i][i];
    }
  }
  return true;
}

/* State of a generator of numbers so many steps after its first. Skips ahead in Knuth's linear
   congruential generator (MMIX), so that a rank begins at its own part of the sequence. */
static uint64_t generated(uint64_t steps) {
  uint64_t times = 6364136223846793005u, plus = 1442695040888963407u, all = 1, more = 0;
  for (; steps; steps >>= 1) { /* 1, 2, 4, … steps at once */
    if (steps & 1) {
      all *= times;
      more = more * times + plus;
    }
    plus *= times + 1;
    times *= times;
  }
  return all * 12345 + more;
}

ig_status ig_topopt_state_scatter(const ig_topopt_design *s, int number, ig_array *state) {
  const ig_discretisation *d = s->d;
  const size_t nu = (size_t)d->unknowns;
  double *x;
  IG_TRY(IG_NEW(s->cx, &x, nu, "modes"));
  for (int r = 0; r < ig_topopt_runs(d); r++) {
    const ig_topopt_values own = ig_topopt_run_own(d, r);
    uint64_t at = generated((uint64_t)(number * d->all_unknowns + own.whole));
    for (int64_t i = own.at; i < own.at + own.count; i++) {
      at = at * 6364136223846793005u + 1442695040888963407u;
      x[i] = (double)(at >> 33) / 2147483648.0 - 0.5;
    }
  }
  const ig_status status = s->cx->backend->copy_in(s->cx, state->dev, x, nu * sizeof *x);
  free(x);
  return status;
}
