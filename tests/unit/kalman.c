/* The analysis of an ensemble Kalman filter against the Kalman filter itself, on a linear problem
   with normal distributions: equal but for the sampling error of the ensemble. */
#include "check.h"
#include "chain/kalman.h"

static ig_ctx *cx;
enum { N = 3, P = 2 };

/* x' = A x without noise; y = H x. */
static const double A[N][N] = {{0.9, 0.2, 0}, {-0.1, 0.8, 0.1}, {0, 0.3, 1.0}};
static const double H[P][N] = {{1, 0, 0}, {0, 0.5, 0.5}};
static const double R[P] = {0.5, 0.3};

static void forecast(double mean[N], double cov[N][N]) {
  double x[N] = {0}, ac[N][N] = {{0}}, c[N][N] = {{0}};
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      x[i] += A[i][j] * mean[j];
      for (int k = 0; k < N; k++)
        ac[i][j] += A[i][k] * cov[k][j];
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j] += ac[i][k] * A[j][k];
  memcpy(mean, x, sizeof x);
  memcpy(cov, c, sizeof c);
}

/* One observation after the other, which is the same for independent ones. */
static void analysis(double mean[N], double cov[N][N], const double y[P]) {
  for (int p = 0; p < P; p++) {
    double hc[N] = {0}, s = R[p] * R[p], innovation = y[p];
    for (int i = 0; i < N; i++) {
      innovation -= H[p][i] * mean[i];
      for (int j = 0; j < N; j++)
        hc[i] += cov[i][j] * H[p][j];
    }
    for (int i = 0; i < N; i++)
      s += H[p][i] * hc[i];
    for (int i = 0; i < N; i++) {
      mean[i] += hc[i] / s * innovation;
      for (int j = 0; j < N; j++)
        cov[i][j] -= hc[i] * hc[j] / s;
    }
  }
}

static void filter_is_that_of_kalman(void **state) {
  (void)state;
  enum { M = 400, TIMES = 4 };
  static double x[N][M], y[P * M], work[M];
  static const double d[TIMES][P] = {{1.2, 0.3}, {0.4, 1.5}, {1.0, 1.1}, {0.2, 2.0}};
  double mean[N] = {1, 0, 1}, cov[N][N] = {{1, 0, 0}, {0, 0.64, 0}, {0, 0, 2.25}};
  uint64_t dice = 7;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      x[i][j] = mean[i] + sqrt(cov[i][i]) * ig_normal_draw(&dice);
  for (int t = 0; t < TIMES; t++) {
    for (int j = 0; j < M; j++) {
      double next[N] = {0};
      for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
          next[i] += A[i][k] * x[k][j];
      for (int i = 0; i < N; i++)
        x[i][j] = next[i];
      for (int p = 0; p < P; p++) {
        y[p * M + j] = 0;
        for (int i = 0; i < N; i++)
          y[p * M + j] += H[p][i] * x[i][j];
      }
    }
    forecast(mean, cov);
    analysis(mean, cov, d[t]);
    ig_kalman k;
    GOOD(cx, ig_kalman_make(cx, P, M, y, d[t], R, &dice, &k));
    assert_true(k.fit > 0 && k.fit < 10);
    for (int i = 0; i < N; i++)
      ig_kalman_apply(&k, NULL, x[i], work);
    ig_kalman_free(&k);
    for (int i = 0; i < N; i++) {
      double m, s;
      ig_ensemble_moments(M, x[i], &m, &s);
      /* four standard errors of a mean, and of a deviation */
      assert_near(m, mean[i], 4 * sqrt(cov[i][i] / M));
      assert_near(s, sqrt(cov[i][i]), 4 * sqrt(cov[i][i] / (2 * M)));
    }
  }
}

/* Members without spread stay where they are; a perfect instrument takes them to its reading. */
static void limits(void **state) {
  (void)state;
  enum { M = 50 };
  double x[M], y[M], work[M], m, s;
  ig_kalman k;
  const double measured = 5, none = 1e-4;
  uint64_t dice = 1;
  for (int j = 0; j < M; j++)
    x[j] = y[j] = 3;
  GOOD(cx, ig_kalman_make(cx, 1, M, y, &measured, &(double){1}, &dice, &k));
  ig_kalman_apply(&k, NULL, x, work);
  ig_ensemble_moments(M, x, &m, &s);
  assert_near(m, 3, 1e-14);
  assert_near(k.fit, 4, 1e-12); /* (5 - 3)^2 */
  ig_kalman_free(&k);
  for (int j = 0; j < M; j++)
    x[j] = y[j] = ig_normal_draw(&dice);
  GOOD(cx, ig_kalman_make(cx, 1, M, y, &measured, &none, &dice, &k));
  ig_kalman_apply(&k, &(double){0}, x, work); /* out of its reach */
  for (int j = 0; j < M; j++)
    assert_true(x[j] == y[j]);
  ig_kalman_apply(&k, NULL, x, work);
  ig_ensemble_moments(M, x, &m, &s);
  assert_near(m, 5, 1e-6);
  assert_near(s, none, 3e-5); /* that of the readings */
  ig_kalman_free(&k);
  for (int j = 0; j < M; j++)
    x[j] = j;
  ig_ensemble_inflate(M, 1.5, x);
  ig_ensemble_moments(M, x, &m, &s);
  assert_near(m, 24.5, 1e-12);
  assert_near(x[0], 24.5 - 1.5 * 24.5, 1e-12);
}

/* Both polynomials, and where they meet and end. */
static void reach(void **state) {
  (void)state;
  assert_near(ig_gaspari_cohn(0, 3), 1, 1e-15);
  assert_near(ig_gaspari_cohn(1.5, 3), 5.0 / 24, 1e-14);
  assert_near(ig_gaspari_cohn(1.5 + 1e-9, 3), 5.0 / 24, 1e-8);
  assert_near(ig_gaspari_cohn(3 - 1e-9, 3), 0, 1e-8);
  assert_true(ig_gaspari_cohn(3, 3) == 0 && ig_gaspari_cohn(7, 3) == 0);
  assert_near(ig_gaspari_cohn(0.75, 3), 0.684895833333333, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(filter_is_that_of_kalman),
      cmocka_unit_test(limits),
      cmocka_unit_test(reach),
  };
  cx = ctx_on("cpu", 1);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ig_ctx_close(cx);
  return failed;
}
