/* Samples: equidistribution of Sobol sequences and Latin hypercubes, moments, and indices of
   functions whose indices are known. */
#include "check.h"
#include "chain/sample.h"

static ig_ctx *cx;

/* Every block of 2^k points that begins at a multiple of 2^k has one point in each of 2^k equal
   intervals, in every dimension. */
static void sobol_fills_dyadic_intervals(void **state) {
  (void)state;
  enum { N = 256, D = IG_SOBOL_DIMENSIONS };
  static double u[N * D];
  for (uint64_t seed = 0; seed < 3; seed++) {
    ig_sample_points(IG_SAMPLE_SOBOL, seed, N, D, u);
    for (int d = 0; d < D; d++)
      for (int size = 2; size <= N; size *= 2)
        for (int block = 0; block < N; block += size) {
          bool there[N] = {0};
          for (int i = block; i < block + size; i++) {
            const int place = (int)(u[i * D + d] * size);
            assert_false(there[place]);
            there[place] = true;
          }
        }
  }
}

/* The first two dimensions are a (0, m, 2) net: one point in every rectangle of area 1 / n. */
static void sobol_is_a_net(void **state) {
  (void)state;
  enum { N = 64 };
  double u[N * 2];
  ig_sample_points(IG_SAMPLE_SOBOL, 7, N, 2, u);
  for (int nx = 1; nx <= N; nx *= 2) {
    int there[N] = {0};
    for (int i = 0; i < N; i++)
      there[(int)(u[2 * i] * nx) * (N / nx) + (int)(u[2 * i + 1] * (N / nx))]++;
    for (int i = 0; i < N; i++)
      assert_int_equal(there[i], 1);
  }
}

/* Against SciPy 1.10, qmc.Sobol(21, scramble=False).random(64)[63]; ours is shifted, which
   differences by bits take out again. */
static void sobol_is_that_of_joe_and_kuo(void **state) {
  (void)state;
  enum { N = 64, D = 21 };
  static const double known[D] = {0.015625, 0.796875, 0.359375, 0.453125, 0.859375, 0.140625,
                                  0.578125, 0.140625, 0.828125, 0.578125, 0.421875, 0.671875,
                                  0.546875, 0.765625, 0.328125, 0.765625, 0.078125, 0.390625,
                                  0.953125, 0.234375, 0.234375};
  double u[N * D];
  ig_sample_points(IG_SAMPLE_SOBOL, 5, N, D, u);
  for (int d = 0; d < D; d++) {
    const uint32_t first = (uint32_t)(u[d] * 4294967296.0),
                   last = (uint32_t)(u[(N - 1) * D + d] * 4294967296.0);
    assert_true((first ^ last) / 4294967296.0 == known[d]);
  }
}

static void latin_has_one_in_each_interval(void **state) {
  (void)state;
  enum { N = 37, D = 5 };
  double u[N * D];
  ig_sample_points(IG_SAMPLE_LATIN, 3, N, D, u);
  for (int d = 0; d < D; d++) {
    bool there[N] = {0};
    for (int i = 0; i < N; i++) {
      assert_false(there[(int)(u[i * D + d] * N)]);
      there[(int)(u[i * D + d] * N)] = true;
    }
  }
}

static void quantiles(void **state) {
  (void)state;
  assert_near(ig_normal_quantile(0.5), 0, 1e-15);
  assert_near(ig_normal_quantile(0.975), 1.959963984540054, 1e-13);
  assert_near(ig_normal_quantile(1e-9), -5.997807015007687, 1e-10);
}

/* Ishigami and Homma (1990): sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1, -pi < x < pi. */
static double ishigami(const double *u) {
  const double x = M_PI * (2 * u[0] - 1), y = M_PI * (2 * u[1] - 1), z = M_PI * (2 * u[2] - 1);
  return sin(x) + 7 * sin(y) * sin(y) + 0.1 * z * z * z * z * sin(x);
}

static void indices_of_ishigami(void **state) {
  (void)state;
  enum { N = 4096, K = 3 };
  static double u[N * 2 * K], a[N], b[N], ab[K * N];
  ig_sensitivity_row row[K];
  ig_sample_points(IG_SAMPLE_SOBOL, 1, N, 2 * K, u);
  for (int i = 0; i < N; i++) {
    a[i] = ishigami(u + i * 2 * K);
    b[i] = ishigami(u + i * 2 * K + K);
    for (int k = 0; k < K; k++) {
      double mixed[K];
      memcpy(mixed, u + i * 2 * K, sizeof mixed);
      mixed[k] = u[i * 2 * K + K + k];
      ab[k * N + i] = ishigami(mixed);
    }
  }
  GOOD(cx, ig_sobol_indices(cx, N, K, a, b, ab, row));
  /* variances by hand: a^2/8, b pi^4/5 + b^2 pi^8/50 + 1/2, 8 b^2 pi^8/225 */
  const double p4 = pow(M_PI, 4), p8 = p4 * p4;
  const double v1 = 0.5 * (1 + 0.1 * p4 / 5) * (1 + 0.1 * p4 / 5), v2 = 49.0 / 8,
               v13 = 0.01 * p8 * 8 / 225, v = v1 + v2 + v13;
  const double first[K] = {v1 / v, v2 / v, 0}, total[K] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (int k = 0; k < K; k++) {
    assert_near(row[k].first, first[k], 0.01);
    assert_near(row[k].total, total[k], 0.01);
    assert_true(row[k].first_low < first[k] && first[k] < row[k].first_high);
    assert_true(row[k].total_low < total[k] && total[k] < row[k].total_high);
  }
}

/* The function of Sobol: the product of (|4 x_k - 2| + a_k) / (1 + a_k), whose factors have the
   variance 1 / 3 / (1 + a_k)^2. Here a = 0, 1, 4.5, 9, as Saltelli et al. (2010) have it. */
static void indices_of_sobol_g(void **state) {
  (void)state;
  enum { N = 4096, K = 4 };
  static const double c[K] = {0, 1, 4.5, 9};
  static double u[N * 2 * K], f[(K + 2) * N];
  ig_sensitivity_row row[K];
  ig_sample_points(IG_SAMPLE_SOBOL, 1, N, 2 * K, u);
  for (int i = 0; i < N; i++)
    for (int g = 0; g < K + 2; g++) {
      double product = 1;
      for (int k = 0; k < K; k++) {
        const double x = u[i * 2 * K + (g == 1 || g == k + 2 ? K + k : k)];
        product *= (fabs(4 * x - 2) + c[k]) / (1 + c[k]);
      }
      f[g * N + i] = product;
    }
  GOOD(cx, ig_sobol_indices(cx, N, K, f, f + N, f + 2 * N, row));
  double all = 1;
  for (int k = 0; k < K; k++)
    all *= 1 + 1 / (3 * (1 + c[k]) * (1 + c[k]));
  for (int k = 0; k < K; k++) {
    const double own = 1 / (3 * (1 + c[k]) * (1 + c[k])), first = own / (all - 1),
                 total = own * all / (1 + own) / (all - 1);
    assert_near(row[k].first, first, 0.01);
    assert_near(row[k].total, total, 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sobol_fills_dyadic_intervals),
      cmocka_unit_test(sobol_is_a_net),
      cmocka_unit_test(sobol_is_that_of_joe_and_kuo),
      cmocka_unit_test(latin_has_one_in_each_interval),
      cmocka_unit_test(quantiles),
      cmocka_unit_test(indices_of_ishigami),
      cmocka_unit_test(indices_of_sobol_g),
  };
  cx = ctx_on("cpu", 1);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ig_ctx_close(cx);
  return failed;
}
