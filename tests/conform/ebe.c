/* Every element-by-element operator against the plain product with dense element matrices:
   kind x assembly x precision x backend, on a distorted mesh and on one of congruent elements. */
#include "check.h"
#include "solver/mesh/ebe.h"
#include "backend/backend.h"

enum { N = 5, NODES = (N + 1) * (N + 1) * (N + 1), ELEMENTS = N * N * N };
static double x[3 * NODES], u[3 * NODES], modulus[ELEMENTS], expected[3 * NODES];
static ig_lid conn[8 * ELEMENTS];

static double wobble(int i) {
  return sin(12.9898 * i) * 0.5;
}

static void block(double distortion) {
  for (int n = 0; n < NODES; n++) {
    const int at[3] = {n % (N + 1), n / (N + 1) % (N + 1), n / (N + 1) / (N + 1)};
    for (int c = 0; c < 3; c++) {
      x[3 * n + c] = (at[c] + distortion * wobble(3 * n + c)) * (1 + 0.3 * c);
      u[3 * n + c] = wobble(1000 + 3 * n + c);
    }
  }
  for (int e = 0; e < ELEMENTS; e++) {
    const int low = e % N + (N + 1) * (e / N % N + (N + 1) * (e / N / N));
    const int up = (N + 1) * (N + 1);
    const int corner[8] = {0, 1, N + 2, N + 1, up, up + 1, up + N + 2, up + N + 1};
    for (int a = 0; a < 8; a++)
      conn[8 * e + a] = low + corner[a];
    modulus[e] = 1 + 0.9 * wobble(77 + e);
  }
}

static void element_coordinates(int e, double xe[24]) {
  for (int i = 0; i < 24; i++)
    xe[i] = x[3 * conn[8 * e + i / 3] + i % 3];
}

/* Stiffness by the textbook: B^T D B with B from the inverse Jacobian, apart from the kernels. */
static void textbook(const double xe[24], double nu, double k[576]) {
  static const int sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                 {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  memset(k, 0, 576 * sizeof *k);
  const double g = 1 / sqrt(3), f = 1 / ((1 + nu) * (1 - 2 * nu));
  for (int q = 0; q < 8; q++) {
    double dn[8][3], jac[3][3] = {{0}}, inv[3][3], b[6][24] = {{0}};
    for (int a = 0; a < 8; a++)
      for (int d = 0; d < 3; d++) {
        dn[a][d] = sign[a][d] * 0.125;
        for (int o = 0; o < 3; o++)
          dn[a][d] *= o == d ? 1 : 1 + sign[a][o] * sign[q][o] * g;
        for (int c = 0; c < 3; c++)
          jac[d][c] += dn[a][d] * xe[3 * a + c];
      }
    double det = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        inv[j][i] = jac[i1][j1] * jac[i2][j2] - jac[i1][j2] * jac[i2][j1];
        det += i == 0 ? jac[0][j] * inv[j][0] : 0;
      }
    for (int a = 0; a < 8; a++) {
      double d[3];
      for (int c = 0; c < 3; c++)
        d[c] = (inv[c][0] * dn[a][0] + inv[c][1] * dn[a][1] + inv[c][2] * dn[a][2]) / det;
      b[0][3 * a] = b[3][3 * a + 1] = b[5][3 * a + 2] = d[0];
      b[1][3 * a + 1] = b[3][3 * a] = b[4][3 * a + 2] = d[1];
      b[2][3 * a + 2] = b[4][3 * a + 1] = b[5][3 * a] = d[2];
    }
    for (int r = 0; r < 24; r++)
      for (int c = 0; c < 24; c++)
        for (int i = 0; i < 6; i++)
          for (int j = 0; j < 6; j++) {
            const double dij = i < 3 && j < 3 ? f * (i == j ? 1 - nu : nu)
                               : i == j       ? 0.5 / (1 + nu)
                                              : 0;
            k[24 * r + c] += b[i][r] * dij * b[j][c] * det;
          }
  }
}

static void product_by_dense_matrices(void) {
  memset(expected, 0, sizeof expected);
  for (int e = 0; e < ELEMENTS; e++) {
    double xe[24], k[576];
    element_coordinates(e, xe);
    textbook(xe, 0.3, k);
    for (int r = 0; r < 24; r++)
      for (int c = 0; c < 24; c++)
        expected[3 * conn[8 * e + r / 3] + r % 3] +=
            modulus[e] * k[24 * r + c] * u[3 * conn[8 * e + c / 3] + c % 3];
  }
}

static void fill(ig_ctx *cx, ig_array *a, bool single, size_t count, const double *from) {
  assert_int_equal(ig_array_new(cx, a, count, single ? 4 : 8, "vector"), IG_OK);
  for (size_t i = 0; i < count; i++)
    if (single)
      ((float *)a->host)[i] = (float)from[i];
    else
      ((double *)a->host)[i] = from[i];
  assert_int_equal(ig_array_push(cx, a), IG_OK);
}

static void one_operator(ig_ctx *cx, ig_ebe_kind kind, ig_assembly how, bool single) {
  ig_ebe op;
  ig_array au, ay, am;
  assert_int_equal(ig_ebe_new(cx, kind, how, single, NODES, x, ELEMENTS, 8, conn, 0.3, &op), IG_OK);
  fill(cx, &au, single, 3 * NODES, u);
  fill(cx, &ay, single, 3 * NODES, u); /* must be overwritten */
  fill(cx, &am, single, ELEMENTS, modulus);
  assert_int_equal(ig_ebe_apply(cx, &op, am.dev, au.dev, ay.dev), IG_OK);
  assert_int_equal(ig_array_pull(cx, &ay), IG_OK);
  double worst = 0;
  for (int i = 0; i < 3 * NODES; i++) {
    const double y = single ? (double)((float *)ay.host)[i] : ((double *)ay.host)[i];
    const double error = fabs(y - expected[i]);
    worst = error > worst || isnan(error) ? error : worst;
  }
  if (!(worst < (single ? 2e-5 : 1e-13)))
    fail_msg("%s on %s, assembly %d, %s: error %g", ig_ebe_name(op.kind), ig_ctx_backend(cx), how,
             single ? "single" : "double", worst);
  ig_array_free(cx, &au);
  ig_array_free(cx, &ay);
  ig_array_free(cx, &am);
  ig_ebe_free(cx, &op);
}

static void operators_agree(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    for (int mesh = 0; mesh < 2; mesh++) {
      block(mesh ? 0 : 0.4);
      product_by_dense_matrices();
      for (int kind = 0; kind < IG_EBE_KINDS; kind++)
        for (int how = IG_ATOMIC; how <= IG_CLUSTER; how++)
          for (int single = 0; single < 2; single++)
            one_operator(cx, (ig_ebe_kind)kind, (ig_assembly)how, single);
    }
    ig_ctx_close(cx);
  }
}

static void congruent_elements_share_one_matrix(void **state) {
  (void)state;
  block(0);
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_ebe op;
  assert_int_equal(
      ig_ebe_new(cx, IG_EBE_CLASSES, IG_COLOR, false, NODES, x, ELEMENTS, 8, conn, 0.3, &op),
      IG_OK);
  assert_int_equal(op.classes, 1);
  ig_ebe_free(cx, &op);
  assert_int_equal(
      ig_ebe_new(cx, IG_EBE_EBESYM, IG_COLOR, false, NODES, x, ELEMENTS, 8, conn, 0.3, &op), IG_OK);
  assert_int_equal(op.matrix.count, 300 * ELEMENTS);
  ig_ebe_free(cx, &op);
  x[3 * 43] += 3; /* folds an element over */
  assert_int_equal(
      ig_ebe_new(cx, IG_EBE_EBE, IG_COLOR, false, NODES, x, ELEMENTS, 8, conn, 0.3, &op), IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "is inverted"));
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_agree),
      cmocka_unit_test(congruent_elements_share_one_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
