/* Insertion: the counts, the adjacencies, the same mesh whatever the schedule. */
#include "check.h"
#include "verify/fracture/problem.h"

/* Opens all facets of an annulus in random order in 20 batches; a fingerprint of the result. */
static uint64_t annulus(const char *backend, int threads, ig_elem_type type, bool reserve) {
  ig_ctx *cx = ctx_on(backend, threads);
  ig_frac_problem p;
  ig_frac_model m;
  const int radial = 10, around = 60, nn = type == IG_TRI6 ? 6 : 3;
  GOOD(cx, ig_frac_problem_annulus(&p, cx, radial, around, type));
  p.c.insertion.at.given = reserve; /* without: tables grow on the way */
  GOOD(cx, ig_frac_setup(&p.job, &m));
  const int ne = 4 * radial * around, boundary = 2 * around, edges = (3 * ne + boundary) / 2;
  assert_int_equal(m.count.nodes, edges - ne + (nn == 6 ? edges : 0));
  double seconds;
  GOOD(cx, ig_frac_open_all(&m, 20, 7, &seconds, NULL));
  GOOD(cx, ig_frac_tables_check(&m));
  assert_int_equal(m.count.cohesive, (3 * ne - boundary) / 2);
  assert_int_equal(m.count.nodes, ne * nn);
  uint64_t print = 1469598103934665603u;
  const int32_t *conn = ig_frac_model_host(&m, "conn"), *coh = ig_frac_model_host(&m, "coh");
  for (int i = 0; i < nn * ne; i++)
    print = (print ^ (uint32_t)conn[i]) * 1099511628211u;
  for (int i = 0; i < 2 * m.count.cohesive; i++)
    print = (print ^ (uint32_t)coh[i]) * 1099511628211u;
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
  return print;
}

static void annulus_comes_apart_completely(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const ig_elem_type type = k ? IG_TRI6 : IG_TRI3;
    const uint64_t print = annulus("cpu", 1, type, true);
    assert_true(annulus("cpu", 3, type, true) == print);
    assert_true(annulus("cpu", 2, type, false) == print);
    assert_true(annulus("debug", 2, type, false) == print);
    if (backend_here("cuda")) {
      assert_true(annulus("cuda", 1, type, true) == print);
      assert_true(annulus("cuda", 1, type, false) == print);
    }
  }
}

/* The checker itself: a table with one wrong entry is found out. */
static void a_wrong_table_is_found(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  static const char *const tables[] = {"conn", "opp", "node"};
  for (int i = 0; i < 3; i++) {
    ig_frac_problem p;
    ig_frac_model m;
    GOOD(cx, ig_frac_problem_annulus(&p, cx, 3, 12, IG_TRI6));
    GOOD(cx, ig_frac_setup(&p.job, &m));
    GOOD(cx, ig_frac_tables_check(&m));
    int32_t *t = ig_frac_model_host(&m, tables[i]);
    t[5] += i == 0 ? 1 : -1;
    assert_int_equal(ig_frac_tables_check(&m), IG_NUMERIC);
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
  }
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(annulus_comes_apart_completely),
                                     cmocka_unit_test(a_wrong_table_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
