/* The analysis of an ensemble Kalman filter: see kalman.h. */
#include "chain/kalman.h"
#include "chain/sample.h"

#include <math.h>
#include <stdlib.h>

double ig_normal_draw(uint64_t *state) {
  return ig_normal_quantile(ig_uniform_draw(state));
}

void ig_ensemble_moments(int m, const double *row, double *mean, double *deviation) {
  double sum = 0, squares = 0; /* from the first: equal members have no deviation by rounding */
  for (int j = 0; j < m; j++)
    sum += row[j] - row[0];
  *mean = row[0] + sum / m;
  for (int j = 0; j < m; j++)
    squares += (row[j] - *mean) * (row[j] - *mean);
  *deviation = m > 1 ? sqrt(squares / (m - 1)) : 0;
}

void ig_ensemble_inflate(int m, double factor, double *row) {
  double mean, deviation;
  ig_ensemble_moments(m, row, &mean, &deviation);
  for (int j = 0; j < m; j++)
    row[j] = mean + factor * (row[j] - mean);
}

double ig_gaspari_cohn(double distance, double reach) {
  const double r = 2 * distance / reach;
  if (r >= 2)
    return 0;
  if (r >= 1)
    return ((((r / 12 - 0.5) * r + 0.625) * r + 5.0 / 3) * r - 5) * r + 4 - 2 / (3 * r);
  return (((-r / 4 + 0.5) * r + 0.625) * r - 5.0 / 3) * r * r + 1;
}

/* Cholesky's factor of a symmetric positive definite matrix (n x n) in place of its lower half, and
   transposed in place of the upper one: both solutions go along rows. Its diagonal stays at m - 1
   or above. */
static void factor_make(int n, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = c[i * n + j];
      for (int k = 0; k < j; k++)
        sum -= c[i * n + k] * c[j * n + k];
      c[i * n + j] = c[j * n + i] = i == j ? sqrt(sum) : sum / c[j * n + j];
    }
}

static void factor_solve(int n, const double *l, double *b) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      b[i] -= l[i * n + k] * b[k];
    b[i] /= l[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      b[i] -= l[i * n + k] * b[k];
    b[i] /= l[i * n + i];
  }
}

/* Perturbations of one observation, their mean taken out, so that it adds no error to the
   analysis. */
static void perturb(int m, double uncertainty, uint64_t *state, double *row) {
  double mean = 0;
  for (int j = 0; j < m; j++) {
    row[j] = uncertainty * ig_normal_draw(state);
    mean += row[j] / m;
  }
  for (int j = 0; j < m; j++)
    row[j] -= mean;
}

/* (S S^T / (m - 1) + R)^-1 b = R^-1 (b - S y) with (m - 1 + S^T R^-1 S) y = S^T R^-1 b:
   observations may be many, as of a camera, members are few. y: m numbers. */
static void innovation_solve(const ig_kalman *k, const double *factor, const double *uncertainty,
                             double *b, double *y) {
  for (int j = 0; j < k->m; j++) {
    y[j] = 0;
    for (int i = 0; i < k->p; i++)
      y[j] += k->s[i * k->m + j] * (b[i] / uncertainty[i] / uncertainty[i]);
  }
  factor_solve(k->m, factor, y);
  for (int i = 0; i < k->p; i++) {
    for (int j = 0; j < k->m; j++)
      b[i] -= k->s[i * k->m + j] * y[j];
    b[i] = b[i] / uncertainty[i] / uncertainty[i];
  }
}

/* The factor of m - 1 + S^T R^-1 S. */
static void members_factor(const ig_kalman *k, const double *uncertainty, double *c) {
  for (int a = 0; a < k->m; a++)
    for (int b = 0; b <= a; b++) {
      double sum = a == b ? k->m - 1 : 0;
      for (int i = 0; i < k->p; i++)
        sum += (k->s[i * k->m + a] / uncertainty[i]) * (k->s[i * k->m + b] / uncertainty[i]);
      c[a * k->m + b] = sum;
    }
  factor_make(k->m, c);
}

ig_status ig_kalman_make(ig_ctx *cx, int p, int m, const double *predicted, const double *measured,
                         const double *uncertainty, uint64_t *state, ig_kalman *k) {
  double *space = NULL;
  const size_t observed = (size_t)p, members = (size_t)m;
  *k = (ig_kalman){.p = p, .m = m};
  IG_TRY(IG_NEW(cx, &k->s, 2 * observed * members, "an analysis"));
  k->z = k->s + observed * members;
  IG_TRY(IG_NEW(cx, &space, members * members + members + 2 * observed, "an analysis"));
  double *factor = space, *y = factor + members * members, *b = y + m, *first = b + p;
  for (int i = 0; i < p; i++) {
    double mean, deviation;
    ig_ensemble_moments(m, predicted + i * m, &mean, &deviation);
    perturb(m, uncertainty[i], state, k->z + i * m);
    first[i] = b[i] = measured[i] - mean;
    for (int j = 0; j < m; j++) {
      k->s[i * m + j] = predicted[i * m + j] - mean;
      k->z[i * m + j] += measured[i] - predicted[i * m + j];
    }
  }
  members_factor(k, uncertainty, factor);
  innovation_solve(k, factor, uncertainty, b, y);
  for (int i = 0; i < p; i++)
    k->fit += first[i] * b[i] / p;
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < p; i++)
      b[i] = k->z[i * m + j];
    innovation_solve(k, factor, uncertainty, b, y);
    for (int i = 0; i < p; i++)
      k->z[i * m + j] = b[i];
  }
  free(space);
  return IG_OK;
}

void ig_kalman_free(ig_kalman *k) {
  free(k->s);
  *k = (ig_kalman){0};
}

void ig_kalman_apply(const ig_kalman *k, const double *share, double *row, double *work) {
  double mean, deviation;
  ig_ensemble_moments(k->m, row, &mean, &deviation);
  for (int j = 0; j < k->m; j++)
    work[j] = 0;
  for (int i = 0; i < k->p; i++) {
    const double *s = k->s + (size_t)i * (size_t)k->m, *z = k->z + (size_t)i * (size_t)k->m;
    double gain = 0;
    if (share && share[i] <= 0)
      continue;
    for (int j = 0; j < k->m; j++)
      gain += (row[j] - mean) * s[j];
    gain *= (share ? share[i] : 1) / (k->m - 1);
    for (int j = 0; j < k->m; j++)
      work[j] += gain * z[j];
  }
  for (int j = 0; j < k->m; j++)
    row[j] += work[j];
}
