/* The finite particle method: elements do nothing under rigid motion, waves run at their speed,
   energy stays. */
#include "check.h"
#include "backend/backend.h"
#include "dynamics/dynamics.h"
#include "dynamics/problem.h"

static ig_ctx *open_backend(const char *name, int threads) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = name, .threads = threads};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  return cx;
}

static void check(ig_ctx *cx, ig_status status) {
  if (status != IG_OK)
    print_message("%s\n", ig_ctx_message(cx));
  assert_int_equal(status, IG_OK);
}

/* A block set spinning keeps its shape: no stress, no change of energy. */
static void spinning_block_keeps_its_shape(void **state) {
  (void)state;
  ig_ctx *cx = open_backend("debug", 2);
  for (int single = 0; single < 2; single++) {
    ig_dyn_problem q;
    check(cx, ig_dyn_problem_new(cx, &q));
    check(cx, ig_dyn_problem_box(&q, (double[3]){1, 0.5, 0.3}, (int[3]){4, 2, 2}));
    q.section.integration = single ? IG_INTEGRATE_SINGLE : IG_INTEGRATE_FULL;
    q.material.young = 1e5; /* soft: strain of the spin itself is not wanted, so slow */
    ig_dyn_initial spin = {.spin = {0.001, 0.002, 0.003}};
    q.c.initial = (ig_list){1, &spin};
    ig_dyn_model *m;
    check(cx, ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m));
    double dt;
    check(cx, ig_dyn_critical_step(m, &dt));
    check(cx, ig_dyn_set_clock(m, 0.5 * dt, 0));
    ig_dyn_energy e0, e1;
    check(cx, ig_dyn_energies(m, &e0));
    m->start_energy = e0.kinetic;
    check(cx, ig_dyn_advance(m, 2000));
    check(cx, ig_dyn_energies(m, &e1));
    assert_true(fabs(e1.error) < 1e-7);
    assert_true(fabs(e1.kinetic / e0.kinetic - 1) < 1e-5);
    check(cx, ig_fault_check(cx, "element", NULL));
    ig_dyn_model_free(m);
    ig_dyn_problem_free(&q);
  }
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spinning_block_keeps_its_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
