/* Points in the unit cube and Sobol indices: see sample.h. */
#include "chain/sample.h"
#include "core/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- random numbers: SplitMix64 (Steele, Lea and Flood 2014), the same on every machine */

static uint64_t dice(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

double ig_uniform_draw(uint64_t *state) {
  return ((double)(dice(state) >> 12) + 0.5) / 4503599627370496.0;
}

static int below(uint64_t *state, int n) {
  return (int)(dice(state) % (uint64_t)n);
}

/* --- Sobol sequences */

/* Primitive polynomials and initial direction numbers of Joe and Kuo (2008), dimensions 2 to 21:
   degree, inner coefficients as bits, m_1 … m_degree. The first dimension has neither. */
static const struct {
  int degree;
  unsigned inner, m[7];
} joe_kuo[IG_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* 32 direction numbers of a dimension, by the recurrence of Bratley and Fox (1988). */
static void directions(int dimension, uint32_t v[32]) {
  if (dimension == 0) {
    for (int i = 0; i < 32; i++)
      v[i] = UINT32_C(1) << (31 - i);
    return;
  }
  const int s = joe_kuo[dimension - 1].degree;
  const unsigned a = joe_kuo[dimension - 1].inner;
  for (int i = 0; i < s; i++)
    v[i] = (uint32_t)joe_kuo[dimension - 1].m[i] << (31 - i);
  for (int i = s; i < 32; i++) {
    v[i] = v[i - s] ^ v[i - s] >> s;
    for (int k = 1; k < s; k++)
      v[i] ^= (a >> (s - 1 - k) & 1) * v[i - k];
  }
}

/* In the order of Gray codes (Antonov and Saleev 1979). The shift keeps every dyadic interval's
   number of points, and no coordinate is 0. */
static void sobol(uint64_t *state, int n, int dimensions, double *u) {
  for (int d = 0; d < dimensions; d++) {
    uint32_t v[32], x = 0;
    const uint32_t shift = (uint32_t)(dice(state) >> 32);
    directions(d, v);
    for (int i = 0; i < n; i++) {
      u[i * dimensions + d] = ((double)(x ^ shift) + 0.5) / 4294967296.0;
      int zero = 0;
      while (i >> zero & 1)
        zero++;
      x ^= v[zero];
    }
  }
}

/* One point in each interval of each dimension, in a random order. The place of a point within its
   interval is random, too. */
static void latin(uint64_t *state, int n, int dimensions, double *u) {
  for (int d = 0; d < dimensions; d++) {
    for (int i = 0; i < n; i++)
      u[i * dimensions + d] = (i + ig_uniform_draw(state)) / n;
    for (int i = n - 1; i > 0; i--) {
      const int j = below(state, i + 1);
      const double t = u[i * dimensions + d];
      u[i * dimensions + d] = u[j * dimensions + d];
      u[j * dimensions + d] = t;
    }
  }
}

void ig_sample_points(ig_sample_method method, uint64_t seed, int n, int dimensions, double *u) {
  uint64_t state = seed;
  if (method == IG_SAMPLE_SOBOL && dimensions <= IG_SOBOL_DIMENSIONS)
    sobol(&state, n, dimensions, u);
  else if (method == IG_SAMPLE_LATIN)
    latin(&state, n, dimensions, u);
  else
    for (int i = 0; i < n * dimensions; i++)
      u[i] = ig_uniform_draw(&state);
}

static double normal_below(double x) {
  return erfc(-x / sqrt(2)) / 2;
}

double ig_normal_quantile(double p) {
  double low = -40, high = 40;
  /* By bisection: quick enough, and exact in both tails. */
  for (int i = 0; i < 80; i++) {
    const double x = (low + high) / 2;
    if (normal_below(x) < p)
      low = x;
    else
      high = x;
  }
  return (low + high) / 2;
}

double ig_normal_within(double mean, double deviation, double low, double high) {
  return normal_below((high - mean) / deviation) - normal_below((low - mean) / deviation);
}

double ig_normal_between(double mean, double deviation, double low, double high, double u) {
  const double below = normal_below((low - mean) / deviation),
               p = below + u * ig_normal_within(mean, deviation, low, high);
  return fmin(fmax(mean + deviation * ig_normal_quantile(p), low), high);
}

/* --- indices */

/* Those of one key at the points `at` (n numbers of points). */
static void indices(int n, const int *at, const double *a, const double *b, const double *ab,
                    double *first, double *total) {
  double mean = 0, variance = 0, shared = 0, rest = 0;
  for (int i = 0; i < n; i++)
    mean += (a[at[i]] + b[at[i]]) / (2.0 * n);
  for (int i = 0; i < n; i++) {
    const double fa = a[at[i]] - mean, fb = b[at[i]] - mean, fab = ab[at[i]] - mean;
    variance += (fa * fa + fb * fb) / (2.0 * n);
    shared += fb * (fab - fa) / n;
    rest += (fa - fab) * (fa - fab) / (2.0 * n);
  }
  *first = variance > 0 ? shared / variance : 0;
  *total = variance > 0 ? rest / variance : 0;
}

ig_status ig_sobol_indices(ig_ctx *cx, int n, int keys, const double *a, const double *b,
                           const double *ab, ig_sensitivity_row *row) {
  enum { AGAIN = 1000, CUT = 25 }; /* 95 % of a thousand lie between the 25th and the 975th */
  int *at = NULL;
  double *first = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &at, n, "indices"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &first, 2 * AGAIN, "indices"));
  double *total = first + AGAIN;
  for (int k = 0; k < keys; k++) {
    uint64_t state = 1; /* the same resamples for every key and figure */
    for (int i = 0; i < n; i++)
      at[i] = i;
    indices(n, at, a, b, ab + k * n, &row[k].first, &row[k].total);
    for (int r = 0; r < AGAIN; r++) {
      for (int i = 0; i < n; i++)
        at[i] = below(&state, n);
      indices(n, at, a, b, ab + k * n, &first[r], &total[r]);
    }
    qsort(first, AGAIN, sizeof *first, ig_rising_f64);
    qsort(total, AGAIN, sizeof *total, ig_rising_f64);
    row[k].first_low = first[CUT - 1];
    row[k].first_high = first[AGAIN - CUT];
    row[k].total_low = total[CUT - 1];
    row[k].total_high = total[AGAIN - CUT];
  }
done:
  free(at);
  free(first);
  return status;
}
