/* Sparse direct solvers: both give the solution, count negative pivots and find zero ones. */
#include "check.h"
#include "one_context.h"
#include "implicit/mumps.h"
#include "implicit/direct.h"

typedef struct {
  int32_t n;
  int64_t *first;
  int32_t *column;
  double *value;
} matrix;

/* A grid of `cells`^3 points with `dofs` unknowns each, coupled to their 27 neighbours. */
static matrix grid(int cells, int dofs, double skew, double shift) {
  const int points = cells * cells * cells;
  matrix m = {points * dofs, calloc((size_t)points * dofs + 1, 8),
              calloc((size_t)points * dofs * 27 * dofs, 4),
              calloc((size_t)points * dofs * 27 * dofs, 8)};
  int64_t at = 0;
  for (int p = 0; p < points; p++)
    for (int a = 0; a < dofs; a++) {
      for (int q = 0; q < points; q++) {
        const int d[3] = {p % cells - q % cells, p / cells % cells - q / cells % cells,
                          p / cells / cells - q / cells / cells};
        if (abs(d[0]) > 1 || abs(d[1]) > 1 || abs(d[2]) > 1)
          continue;
        for (int b = 0; b < dofs; b++) {
          const bool own = p == q && a == b;
          m.column[at] = q * dofs + b;
          m.value[at++] = own ? 30.0 + shift : (a == b ? -1.0 : 0.1) * (p > q ? 1 + skew : 1);
        }
      }
      m.first[p * dofs + a + 1] = at;
    }
  return m;
}
static void matrix_free(matrix *m) {
  free(m->first);
  free(m->column);
  free(m->value);
}

static double off(const matrix *m, const double *x, const double *b) {
  double worst = 0;
  for (int32_t i = 0; i < m->n; i++) {
    double sum = -b[i];
    for (int64_t k = m->first[i]; k < m->first[i + 1]; k++)
      sum += m->value[k] * x[m->column[k]];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

static void solvers_solve(void **state) {
  (void)state;
  for (int kind = IG_DIRECT_OWN; kind <= IG_DIRECT_MUMPS; kind++)
    for (int dofs = 1; dofs <= 3; dofs += 2)
      for (int skew = 0; skew < 2; skew++) {
        if (kind == IG_DIRECT_MUMPS && !ig_mumps_there())
          continue;
        matrix m = grid(9, dofs, 0.3 * skew, 0);
        ig_direct *d = NULL;
        ig_direct_info info;
        double *b = calloc((size_t)m.n, 8), *x = calloc((size_t)m.n, 8);
        assert_int_equal(ig_direct_new(cx, m.n, m.first, m.column, kind, &d), IG_OK);
        for (int again = 0; again < 2; again++) {
          assert_int_equal(ig_direct_factor(d, m.value, !skew, &info), IG_OK);
          assert_int_equal(info.zero, 0);
          assert_int_equal(info.negative, skew ? -1 : 0);
          for (int32_t i = 0; i < m.n; i++)
            x[i] = b[i] = sin(i);
          assert_int_equal(ig_direct_solve(d, x), IG_OK);
          assert_true(off(&m, x, b) < 1e-12);
        }
        ig_direct_free(d);
        free(b);
        free(x);
        matrix_free(&m);
      }
}

/* -30 on the diagonal of one unknown: one negative eigenvalue. A row of zeros: one zero pivot. */
static void pivots_are_counted(void **state) {
  (void)state;
  for (int kind = IG_DIRECT_OWN; kind <= IG_DIRECT_MUMPS; kind++) {
    if (kind == IG_DIRECT_MUMPS && !ig_mumps_there())
      continue;
    matrix m = grid(6, 3, 0, 0);
    ig_direct *d = NULL;
    ig_direct_info info;
    for (int32_t i = 0; i < m.n; i++)
      for (int64_t k = m.first[i]; k < m.first[i + 1]; k++) {
        if (i == 100 && m.column[k] == 100)
          m.value[k] = -60;
        if (i == 301 || m.column[k] == 301)
          m.value[k] = 0;
      }
    assert_int_equal(ig_direct_new(cx, m.n, m.first, m.column, kind, &d), IG_OK);
    assert_int_equal(ig_direct_factor(d, m.value, true, &info), IG_OK);
    assert_int_equal(info.negative, 1);
    assert_int_equal(info.zero, 1);
    assert_int_equal(info.first_zero, 301);
    double *x = calloc((size_t)m.n, 8), *b = calloc((size_t)m.n, 8);
    for (int32_t i = 0; i < m.n; i++)
      x[i] = b[i] = i == 301 ? 0 : cos(i);
    assert_int_equal(ig_direct_solve(d, x), IG_OK);
    assert_true(fabs(x[301]) < 1e-12);
    assert_true(off(&m, x, b) < 1e-12);
    free(x);
    free(b);
    ig_direct_free(d);
    matrix_free(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solvers_solve),
      cmocka_unit_test(pivots_are_counted),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
