/* Least squares with bounds: linear problems exactly, curved valleys, bounds, failures, what the
   data do not determine. */
#include "check.h"
#include "chain/least_squares.h"

static ig_ctx *cx;
enum { MOST = 8 };

/* A function of the points, with a count of how often it was asked. */
typedef struct {
  int n, m, points, batches;
  void (*function)(const double *u, double *r, bool *good);
} problem;

static ig_status residuals(void *user, int count, const double *u, double *r, bool *good) {
  problem *p = user;
  p->batches++;
  p->points += count;
  for (int i = 0; i < count; i++) {
    good[i] = true;
    p->function(u + i * p->n, r + i * p->m, &good[i]);
  }
  return IG_OK;
}

typedef struct {
  double u[MOST], r[2 * MOST], jacobian[2 * MOST * MOST];
  ig_fit_result result;
} answer;

/* `low`, `high` NULL: no bounds. */
static void solve(problem *p, const double *start, const double *low, const double *high,
                  double noise, answer *a) {
  double none[2][MOST], size[MOST], zero[2 * MOST] = {0};
  for (int i = 0; i < p->n; i++) {
    none[0][i] = -INFINITY;
    none[1][i] = INFINITY;
    size[i] = fmax(fabs(start[i]), 0.01);
    a->u[i] = start[i];
  }
  const ig_fit fit = {.n = p->n,
                      .m = p->m,
                      .low = low ? low : none[0],
                      .high = high ? high : none[1],
                      .noise = zero,
                      .relative_noise = noise,
                      .size = size,
                      .tolerance = 1e-8,
                      .floor = 1e-10,
                      .iterations = 200,
                      .residuals = residuals,
                      .user = p};
  a->result = (ig_fit_result){.u = a->u, .r = a->r, .jacobian = a->jacobian};
  GOOD(cx, ig_fit_run(cx, &fit, &a->result));
}

/* Three lines, four measurements of 0.1, 0.2, 0.1 and 0.4. */
static const double lines[4][3] = {{1, 2, 0.5}, {0, 1, -1}, {2, -1, 0.3}, {1, 1, 1}};
static void linear(const double *u, double *r, bool *good) {
  static const double y[4] = {1.2, 0.3, -0.7, 2.1}, deviation[4] = {0.1, 0.2, 0.1, 0.4};
  (void)good;
  for (int k = 0; k < 4; k++) {
    r[k] = -y[k];
    for (int i = 0; i < 3; i++)
      r[k] += lines[k][i] * u[i];
    r[k] /= deviation[k];
  }
}

/* NumPy: W = diag(1/deviation**2); C = inv(A.T @ W @ A); x = C @ A.T @ W @ y */
static void linear_is_exact(void **state) {
  (void)state;
  static const double x[3] = {-0.12368213465034116, 0.5805638440168741, 0.4482628528312239};
  static const double known[9] = {0.0035161367767603,   0.00060911616421443,  -0.00674280618719347,
                                  0.00060911616421443,  0.002142195699146,    -0.00276777446239325,
                                  -0.00674280618719347, -0.00276777446239325, 0.02951263847446582};
  problem p = {.n = 3, .m = 4, .function = linear};
  answer a;
  double covariance[9], direction[9];
  const bool fixed[3] = {0};
  solve(&p, (double[]){1, 1, 1}, NULL, NULL, 1e-6, &a);
  assert_true(a.result.iterations <= 2);
  assert_int_equal(ig_fit_covariance(4, 3, a.jacobian, fixed, 1e-6, covariance, direction), 0);
  for (int i = 0; i < 3; i++)
    assert_near(a.u[i], x[i], 1e-11);
  for (int i = 0; i < 9; i++)
    assert_near(covariance[i], known[i], 1e-12);
}

static void rosenbrock(const double *u, double *r, bool *good) {
  (void)good;
  r[0] = 10 * (u[1] - u[0] * u[0]);
  r[1] = 1 - u[0];
}

static void valley(void **state) {
  (void)state;
  problem p = {.n = 2, .m = 2, .function = rosenbrock};
  answer a;
  solve(&p, (double[]){-1.2, 1}, NULL, NULL, 1e-12, &a);
  assert_near(a.u[0], 1, 1e-7);
  assert_near(a.u[1], 1, 1e-7);
  assert_true(p.points < 150);
}

/* With u0 <= 0.5 the least is at the bound: u1 = 0.25. */
static void bounds_hold(void **state) {
  (void)state;
  problem p = {.n = 2, .m = 2, .function = rosenbrock};
  answer a;
  solve(&p, (double[]){-1.2, 1}, (double[]){-2, -2}, (double[]){0.5, 2}, 1e-12, &a);
  assert_true(a.u[0] == 0.5);
  assert_near(a.u[1], 0.25, 1e-6);
  /* both at a bound */
  solve(&p, (double[]){0, 1}, (double[]){-0.1, 0.5}, (double[]){0.5, 2}, 1e-12, &a);
  assert_true(a.u[0] == 0.5);
  assert_true(a.u[1] == 0.5);
}

/* Only the product of the two acts. */
static void product(const double *u, double *r, bool *good) {
  (void)good;
  for (int k = 0; k < 3; k++)
    r[k] = (k + 1) * (u[0] * u[1] - 6);
}

static void undetermined_directions(void **state) {
  (void)state;
  problem p = {.n = 3, .m = 3, .function = product};
  answer a;
  double covariance[9], direction[9];
  solve(&p, (double[]){1, 1, 7}, NULL, NULL, 1e-12, &a);
  assert_near(a.u[0] * a.u[1], 6, 1e-6);
  assert_true(a.u[2] == 7); /* what has no effect stays */
  const bool fixed[3] = {0};
  assert_int_equal(ig_fit_covariance(3, 3, a.jacobian, fixed, 1e-4, covariance, direction), 2);
  assert_near(direction[0] * a.u[1] + direction[1] * a.u[0], 0, 1e-4);
  assert_true(direction[3 + 2] == 1 && direction[3] == 0);
}

/* Without values beyond 2, where the whole step would lead, and below the start. */
static void walls(const double *u, double *r, bool *good) {
  *good = u[0] < 2 && u[0] >= 0.1;
  r[0] = log(u[0] / 1.5);
}

static void failures_are_rejected_steps(void **state) {
  (void)state;
  problem p = {.n = 1, .m = 1, .function = walls};
  answer a;
  solve(&p, (double[]){0.1}, NULL, NULL, 1e-12, &a);
  assert_near(a.u[0], 1.5, 1e-6);
  solve(&p, (double[]){1.9999999999}, NULL, NULL, 1e-8, &a); /* the difference fails: other side */
  assert_near(a.u[0], 1.5, 1e-6);
  solve(&p, (double[]){5}, NULL, NULL, 1e-8, &a);
  assert_int_equal(a.result.end, IG_FIT_NO_START);
}

static void svd(void **state) {
  (void)state;
  double a[5 * 4], was[5 * 4], s[4], v[16], error = 0;
  for (int i = 0; i < 20; i++)
    a[i] = was[i] = sin(1 + 7 * i) * (i % 4 == 2 ? 1e-9 : 1);
  ig_svd(5, 4, a, s, v);
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 4; i++) {
      double sum = 0;
      for (int j = 0; j < 4; j++)
        sum += a[4 * k + j] * s[j] * v[4 * i + j];
      error = fmax(error, fabs(sum - was[4 * k + i]) / (i == 2 ? 1e-9 : 1));
    }
  assert_true(error < 1e-14);
  for (int i = 1; i < 4; i++)
    assert_true(s[i] <= s[i - 1]);
}

static void noise(void **state) {
  (void)state;
  double smooth[8], rough[8];
  uint64_t dice = 12345;
  double mean = 0;
  for (int trial = 0; trial < 200; trial++) {
    for (int i = 0; i < 8; i++) {
      dice = dice * 6364136223846793005u + 1442695040888963407u;
      smooth[i] = exp(1 + 1e-3 * i);
      rough[i] = smooth[i] + 1e-5 * ((double)(dice >> 11) / 9007199254740992.0 - 0.5);
    }
    mean += ig_noise_of(8, rough) / 200;
  }
  assert_true(ig_noise_of(8, smooth) < 1e-13);
  assert_near(mean, 1e-5 / sqrt(12), 1e-6); /* deviation of the uniform distribution */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_is_exact),
      cmocka_unit_test(valley),
      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(undetermined_directions),
      cmocka_unit_test(failures_are_rejected_steps),
      cmocka_unit_test(svd),
      cmocka_unit_test(noise),
  };
  cx = ctx_on("cpu", 1);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ig_ctx_close(cx);
  return failed;
}
