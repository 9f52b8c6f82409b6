/* What kernels share: vectors, quadrature, shape functions, Hooke's law; for numbers and packs. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "kern/prec_f32.h"
#include "kern/prec_f64.h"
#include "kern/pack_f32.h"
#include "kern/pack_f64.h"
#include "kern/pack_fma.h"

/* Each type with its nodes' natural coordinates and its functions over flat arrays. */
/* clang-format off */
#define TYPES(X) \
  X(tri3, 3, 2, 1) X(tri6, 6, 2, 1) X(quad4, 4, 2, 0) X(tet4, 4, 3, 1) X(tet10, 10, 3, 1) \
  X(wedge6, 6, 3, 2) X(hex8, 8, 3, 0) X(hex27, 27, 3, 0) X(quad8, 8, 2, 0) X(hex20, 20, 3, 0) \
  X(wedge15, 15, 3, 2)
/* clang-format on */

#define X(name, nodes, dim, kind)                                                                  \
  static void name##_v(const double *at, double *N) {                                              \
    name##_values_f64(at, N);                                                                      \
  }                                                                                                \
  static void name##_s(const double *at, double *d) {                                              \
    name##_slopes_f64(at, (double(*)[dim])d);                                                      \
  }                                                                                                \
  static void name##_f(const float *at, float *N, float *d) {                                      \
    name##_values_f32(at, N);                                                                      \
    name##_slopes_f32(at, (float(*)[dim])d);                                                       \
  }                                                                                                \
  static void name##_p(const ig_pack_f64 *at, ig_pack_f64 *N, ig_pack_f64 *d) {                    \
    name##_values_p64(at, N);                                                                      \
    name##_slopes_p64(at, (ig_pack_f64(*)[dim])d);                                                 \
  }
TYPES(X)
#undef X

typedef struct {
  const char *name;
  int nodes, dim, kind; /* 0: -1..1, 1: barycentric, 2: wedge */
  void (*values)(const double *, double *), (*slopes)(const double *, double *);
  void (*single)(const float *, float *, float *);
  void (*pack)(const ig_pack_f64 *, ig_pack_f64 *, ig_pack_f64 *);
} type;
static const type types[] = {
#define X(name, nodes, dim, kind) {#name, nodes, dim, kind, name##_v, name##_s, name##_f, name##_p},
    TYPES(X)
#undef X
};
enum { COUNT = sizeof types / sizeof *types };

static void a_point(const type *t, int i, double at[3]) {
  for (int d = 0; d < 3; d++) {
    const double u = fmod(0.37 * (i + 1) + 0.61 * d + 0.13 * i * d, 1.0);
    at[d] = t->kind == 0 || (t->kind == 2 && d == 2) ? 2 * u - 1 : u / 3;
  }
}

static void shape_functions_sum_to_one_and_are_complete(void **state) {
  (void)state;
  for (int k = 0; k < COUNT; k++)
    for (int i = 0; i < 10; i++) {
      const type *t = types + k;
      double at[3], N[27], d[81], sum = 0, slope[3] = {0};
      a_point(t, i, at);
      t->values(at, N);
      t->slopes(at, d);
      for (int a = 0; a < t->nodes; a++) {
        sum += N[a];
        for (int c = 0; c < t->dim; c++)
          slope[c] += d[a * t->dim + c];
      }
      assert_near(sum, 1, 1e-14);
      for (int c = 0; c < t->dim; c++)
        assert_near(slope[c], 0, 1e-13);
    }
}

static void slopes_are_differences_of_values(void **state) {
  (void)state;
  const double h = 1e-5;
  for (int k = 0; k < COUNT; k++)
    for (int i = 0; i < 10; i++) {
      const type *t = types + k;
      double at[3], low[27], high[27], d[81];
      a_point(t, i, at);
      t->slopes(at, d);
      for (int c = 0; c < t->dim; c++) {
        double to[3];
        memcpy(to, at, sizeof to);
        to[c] = at[c] - h;
        t->values(to, low);
        to[c] = at[c] + h;
        t->values(to, high);
        for (int a = 0; a < t->nodes; a++) /* at most quadratic per axis: exact but for rounding */
          assert_near(d[a * t->dim + c], (high[a] - low[a]) / (2 * h), 1e-9);
      }
    }
}

/* The nodes where VTK has them: value 1 at its own node, 0 at the others. */
static void a_shape_function_is_one_at_its_node(void **state) {
  (void)state;
  static const double simplex[10][3] = {{0, 0, 0},     {1, 0, 0},     {0, 1, 0},   {0, 0, 1},
                                        {0.5, 0, 0},   {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5},
                                        {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  static const double brick[27][3] = {
      {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
      {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
      {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}, {-1, 0, 0},
      {1, 0, 0},    {0, -1, 0},  {0, 1, 0},   {0, 0, -1},  {0, 0, 1},   {0, 0, 0}};
  for (int k = 0; k < COUNT; k++) {
    const type *t = types + k;
    for (int b = 0; b < t->nodes; b++) {
      double at[3], N[27];
      for (int d = 0; d < 3; d++)
        at[d] = t->kind == 0   ? brick[t->dim == 2 && b > 3 ? b + 4 : b][d]
                : t->kind == 1 ? simplex[t->dim == 2 && b > 2 ? b + 1 : b][d]
                : d < 2        ? simplex[b < 6 || b > 11 ? b % 3 : 4 + b % 3][d]
                : b > 11       ? 0
                               : (b < 3 || (b > 5 && b < 9) ? -1 : 1);
      t->values(at, N);
      for (int a = 0; a < t->nodes; a++)
        assert_near(N[a], a == b, 1e-14);
    }
  }
}

static void packs_and_single_precision_agree_with_numbers(void **state) {
  (void)state;
  for (int k = 0; k < COUNT; k++) {
    const type *t = types + k;
    ig_pack_f64 at[3] = {{0}}, N[27], d[81];
    double one[3], values[27], slopes[81];
    for (int l = 0; l < IG_PACK_F64; l++) {
      a_point(t, l, one);
      for (int c = 0; c < 3; c++)
        at[c][l] = one[c];
    }
    t->pack(at, N, d);
    for (int l = 0; l < IG_PACK_F64; l++) {
      float low[3], fN[27], fd[81];
      a_point(t, l, one);
      for (int c = 0; c < 3; c++)
        low[c] = (float)one[c];
      t->values(one, values);
      t->slopes(one, slopes);
      t->single(low, fN, fd);
      for (int a = 0; a < t->nodes; a++) {
        assert_near(N[a][l], values[a], 1e-14);
        assert_near(fN[a], values[a], 1e-6);
      }
      for (int a = 0; a < t->nodes * t->dim; a++) {
        assert_near(d[a][l], slopes[a], 1e-14);
        assert_near(fd[a], slopes[a], 4e-6);
      }
    }
  }
}

static double power(double x, int n) {
  double p = 1;
  while (n-- > 0)
    p *= x;
  return p;
}
static double factorial(int n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}
/* integral of x^n over -1..1 */
static double line(int n) {
  return n % 2 ? 0 : 2.0 / (n + 1);
}
/* of r^i s^j over the triangle, of r^i s^j t^k over the tetrahedron */
static double triangle(int i, int j) {
  return factorial(i) * factorial(j) / factorial(i + j + 2);
}
static double tetrahedron(int i, int j, int k) {
  return factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
}

static void quadrature_is_exact_to_its_degree_and_no_further(void **state) {
  (void)state;
  typedef double rule(int, double *);
  rule *const flat[] = {triangle3_f64, triangle6_f64};
  const int points[] = {3, 6}, degree[] = {2, 4};
  for (int k = 0; k < 2; k++) {
    double worst = 0;
    for (int i = 0; i <= degree[k] + 1; i++)
      for (int j = 0; i + j <= degree[k] + 1; j++) {
        double sum = 0, at[2];
        for (int q = 0; q < points[k]; q++) {
          const double w = flat[k](q, at);
          sum += w * power(at[0], i) * power(at[1], j);
        }
        if (i + j <= degree[k])
          assert_near(sum, triangle(i, j), 1e-14);
        else
          worst = fmax(worst, fabs(sum - triangle(i, j)));
      }
    assert_true(worst > 1e-6);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; i + j < 3; j++)
      for (int k = 0; i + j + k < 3; k++) {
        double tet = 0, at[3];
        for (int q = 0; q < 4; q++) {
          const double w = tetrahedron4_f64(q, at);
          tet += w * power(at[0], i) * power(at[1], j) * power(at[2], k);
        }
        assert_near(tet, tetrahedron(i, j, k), 1e-14);
      }
  for (int i = 0; i < 6; i++)
    for (int j = 0; i + j < 6; j++)
      for (int k = 0; i + j + k < 6; k++) {
        double tet = 0, at[3];
        for (int q = 0; q < 15; q++) {
          const double w = tetrahedron15_f64(q, at);
          tet += w * power(at[0], i) * power(at[1], j) * power(at[2], k);
        }
        assert_near(tet, tetrahedron(i, j, k), 1e-14);
      }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++) {
        double long_wedge = 0, thin_wedge = 0, to[3];
        for (int q = 0; q < 9; q++) {
          const double w = wedge3_f64(q, to);
          long_wedge += w * power(to[0], i) * power(to[1], j) * power(to[2], k);
        }
        for (int q = 0; q < 2; q++) {
          const double w = wedge_line2_f64(q, to);
          thin_wedge += w * power(to[0], i) * power(to[1], j) * power(to[2], k);
        }
        if (i + j < 3)
          assert_near(long_wedge, triangle(i, j) * line(k), 1e-14);
        if (i + j < 2 && k < 4)
          assert_near(thin_wedge, triangle(i, j) * line(k), 1e-14);
        double two = 0, three = 0, wedge = 0, at[3];
        for (int q = 0; q < 27; q++) {
          double w = q < 8 ? brick2_f64(q, at) : 0;
          two += q < 8 ? w * power(at[0], i) * power(at[1], j) * power(at[2], k) : 0;
          w = brick3_f64(q, at);
          three += w * power(at[0], i) * power(at[1], j) * power(at[2], k);
          w = q < 6 ? wedge2_f64(q, at) : 0;
          wedge += q < 6 ? w * power(at[0], i) * power(at[1], j) * power(at[2], k) : 0;
        }
        if (i < 4 && j < 4 && k < 4)
          assert_near(two, line(i) * line(j) * line(k), 1e-14);
        assert_near(three, line(i) * line(j) * line(k), 1e-14);
        if (i + j < 3 && k < 4)
          assert_near(wedge, triangle(i, j) * line(k), 1e-14);
      }
  for (int n = 0; n < 4; n++) {
    double sum = 0;
    for (int q = 0; q < 2; q++)
      sum += 0.5 * power(gauss2_unit_f64(q), n);
    assert_near(sum, 1.0 / (n + 1), 1e-14);
  }
}

static void vectors(void **state) {
  (void)state;
  const double a[3] = {1, 2, 3}, b[3] = {-2, 0.5, 4};
  double c[3], z[3] = {0, 0, 0};
  cross_f64(a, b, c);
  assert_near(c[0], 6.5, 0);
  assert_near(c[1], -10, 0);
  assert_near(c[2], 4.5, 0);
  assert_near(dot_f64(a, c), 0, 1e-14);
  assert_near(triple_f64(a, b, c), dot_f64(c, c), 0);
  assert_near(normalise_f64(c), sqrt(6.5 * 6.5 + 100 + 4.5 * 4.5), 1e-14);
  assert_near(norm_f64(c), 1, 1e-14);
  assert_near(normalise_f64(z), 0, 0);
  assert_near(z[0] + z[1] + z[2], 0, 0);
}

/* Uniaxial stress and pure shear by hand; the block is the derivative of the force. */
static void hooke(void **state) {
  (void)state;
  const double nu = 0.3, lame = hooke_lame_f64(nu), shear = hooke_shear_f64(nu);
  const double pull[9] = {1e-3, 0, 0, 0, -nu * 1e-3, 0, 0, 0, -nu * 1e-3};
  const double slide[9] = {0, 2e-3, 0, 0, 0, 0, 0, 0, 0};
  double s[6], t[9];
  hooke_stress_f64(lame, shear, pull, s);
  assert_near(s[0], 1e-3, 1e-17); /* E = 1 */
  for (int i = 1; i < 6; i++)
    assert_near(s[i], 0, 1e-17);
  assert_near(von_mises_f64(s), 1e-3, 1e-17);
  hooke_stress_f64(lame, shear, slide, s);
  assert_near(s[3], 2e-3 * shear, 1e-18);
  assert_near(von_mises_f64(s), sqrt(3) * 2e-3 * shear, 1e-17);
  /* force on a node with gradient g from a unit displacement of one with gradient h */
  const double g[3] = {0.3, -0.7, 1.1}, h[3] = {-0.4, 0.9, 0.2};
  double k[9] = {0};
  hooke_block_f64(g, h, 2.0, lame, shear, k);
  for (int d = 0; d < 3; d++) {
    double l[9] = {0}, columns[9];
    for (int c = 0; c < 3; c++)
      l[3 * d + c] = h[c];
    hooke_stress_f64(lame, shear, l, s);
    for (int c = 0; c < 9; c++)
      columns[c] = g[c % 3];
    stress_times_f64(s, columns, t);
    for (int c = 0; c < 3; c++)
      assert_near(k[3 * c + d], 2 * t[c], 1e-14);
  }
}

/* Lanes have the bits of numbers, and products are rounded with their sum wherever the processor
   can: (1 + e)^2 - 1 - 2 e is e^2, which a rounded product has lost. */
#define FUSED(p, T, pack, f, e)                                                                    \
  do {                                                                                             \
    const T one = 1 + (T)(e), rest = -1 - 2 * (T)(e);                                              \
    pack a = {0}, c = {0};                                                                         \
    for (int l = 0; l < (int)(sizeof a / sizeof a[0]); l++) {                                      \
      a[l] = one + (T)l;                                                                           \
      c[l] = rest * (T)(l + 1);                                                                    \
    }                                                                                              \
    const pack sum = ig_fma_##p(a, a, c), less = ig_fnma_##p(a, a, c);                             \
    for (int l = 0; l < (int)(sizeof a / sizeof a[0]); l++) {                                      \
      assert_true(sum[l] == ig_fma_##f(a[l], a[l], c[l]));                                         \
      assert_true(less[l] == ig_fnma_##f(a[l], a[l], c[l]));                                       \
    }                                                                                              \
    assert_true(sum[0] == (fused ? (T)(e) * (T)(e) : 0));                                          \
  } while (0)
static void fused_operations(void **state) {
#ifdef __FP_FAST_FMA
  const bool fused = true;
#else
  const bool fused = false;
#endif
  (void)state;
  FUSED(p32, float, ig_pack_f32, f32, 1.0 / (1 << 20));
  FUSED(p64, double, ig_pack_f64, f64, 1.0 / (1ll << 40));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fused_operations),
      cmocka_unit_test(shape_functions_sum_to_one_and_are_complete),
      cmocka_unit_test(slopes_are_differences_of_values),
      cmocka_unit_test(a_shape_function_is_one_at_its_node),
      cmocka_unit_test(packs_and_single_precision_agree_with_numbers),
      cmocka_unit_test(quadrature_is_exact_to_its_degree_and_no_further),
      cmocka_unit_test(vectors),
      cmocka_unit_test(hooke),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
