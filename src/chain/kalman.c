/* The analysis of an ensemble Kalman filter: see kalman.h. */
#include "chain/kalman.h"
#include "chain/sample.h"

#include <math.h>
#include <stdlib.h>

double ig_normal_draw(uint64_t *state) {
  return ig_normal_quantile(ig_uniform_draw(state));
}

void ig_ensemble_moments(int m, const double *row, double *mean, double *deviation) {
  double sum = 0, squares = 0;
  for (int j = 0; j < m; j++)
    sum += row[j];
  *mean = sum / m;
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

/* Cholesky's factor of a symmetric positive definite matrix (p x p) in place of its lower half. R
   is positive, so the diagonal stays above it. */
static void factor_make(int p, double *c) {
  for (int i = 0; i < p; i++)
    for (int j = 0; j <= i; j++) {
      double sum = c[i * p + j];
      for (int k = 0; k < j; k++)
        sum -= c[i * p + k] * c[j * p + k];
      c[i * p + j] = i == j ? sqrt(sum) : sum / c[j * p + j];
    }
}

static void factor_lower(int p, const double *l, double *b) {
  for (int i = 0; i < p; i++) {
    for (int k = 0; k < i; k++)
      b[i] -= l[i * p + k] * b[k];
    b[i] /= l[i * p + i];
  }
}

static void factor_upper(int p, const double *l, double *b) {
  for (int i = p - 1; i >= 0; i--) {
    for (int k = i + 1; k < p; k++)
      b[i] -= l[k * p + i] * b[k];
    b[i] /= l[i * p + i];
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

ig_status ig_kalman_weights(ig_ctx *cx, int p, int m, const double *predicted,
                            const double *measured, const double *uncertainty, uint64_t *state,
                            double *weights, double *fit) {
  double *space;
  IG_TRY(IG_NEW(cx, &space, (size_t)p * ((size_t)p + 2 * (size_t)m + 1), "an analysis"));
  double *c = space, *s = c + p * p, *d = s + p * m, *b = d + p * m; /* p x p, p x m, p x m, p */
  for (int i = 0; i < p; i++) {
    double mean, deviation;
    ig_ensemble_moments(m, predicted + i * m, &mean, &deviation);
    perturb(m, uncertainty[i], state, d + i * m);
    b[i] = measured[i] - mean;
    for (int j = 0; j < m; j++) {
      s[i * m + j] = predicted[i * m + j] - mean;
      d[i * m + j] += measured[i] - predicted[i * m + j];
    }
    for (int k = 0; k <= i; k++) {
      double sum = 0;
      for (int j = 0; j < m; j++)
        sum += s[i * m + j] * s[k * m + j];
      c[i * p + k] = sum / (m - 1) + (i == k ? uncertainty[i] * uncertainty[i] : 0);
    }
  }
  factor_make(p, c);
  factor_lower(p, c, b);
  *fit = 0;
  for (int i = 0; i < p; i++)
    *fit += b[i] * b[i] / p;
  for (int j = 0; j < m; j++) { /* column j: C^-1 of one member's innovations */
    for (int i = 0; i < p; i++)
      b[i] = d[i * m + j];
    factor_lower(p, c, b);
    factor_upper(p, c, b);
    for (int k = 0; k < m; k++) {
      double sum = 0;
      for (int i = 0; i < p; i++)
        sum += s[i * m + k] * b[i];
      weights[k * m + j] = sum / (m - 1);
    }
  }
  free(space);
  return IG_OK;
}

void ig_kalman_apply(int m, const double *weights, double *row, double *work) {
  double mean, deviation;
  ig_ensemble_moments(m, row, &mean, &deviation);
  for (int j = 0; j < m; j++)
    work[j] = 0;
  for (int k = 0; k < m; k++)
    for (int j = 0; j < m; j++)
      work[j] += (row[k] - mean) * weights[k * m + j];
  for (int j = 0; j < m; j++)
    row[j] += work[j];
}
