/* Supports and histories as cases give them. */
#include "../check.h"

#include "mesh/support.h"

static int setup(void **state) {
  *state = ctx_on("cpu", 1);
  return 0;
}
static int teardown(void **state) {
  ig_ctx_close(*state);
  return 0;
}

static void fix_names_components(void **state) {
  ig_support_motion m;
  ig_support_case c = ig_support_fix("a", "x, rz");
  assert_int_equal(ig_support_read(*state, &c, 6, &m), IG_OK);
  const uint8_t held[6] = {IG_MOVE_FIXED, 0, 0, 0, 0, IG_MOVE_FIXED};
  assert_memory_equal(m.kind, held, 6);
  c.fix = "all";
  assert_int_equal(ig_support_read(*state, &c, 2, &m), IG_OK);
  const uint8_t plane[6] = {IG_MOVE_FIXED, IG_MOVE_FIXED};
  assert_memory_equal(m.kind, plane, 6);
  const struct {
    const char *fix;
    int dofs;
  } wrong[] = {{"z", 2}, {"rx", 3}, {"w", 6}, {"xr", 6}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    c.fix = wrong[i].fix;
    BAD(*state, ig_support_read(*state, &c, wrong[i].dofs, &m), "`fix` is 'all' or some of x y");
  }
}

static void motions_lead_the_components_along(void **state) {
  ig_support_motion m;
  ig_support_case c = ig_support_fix("a", "y");
  c.velocity[0] = 2;
  c.velocity[1] = 3;
  c.components = "x";
  assert_int_equal(ig_support_read(*state, &c, 2, &m), IG_OK);
  assert_int_equal(m.kind[0], IG_MOVE_VELOCITY);
  assert_float_equal(m.scale[0], 2, 0);
  assert_int_equal(m.kind[1], IG_MOVE_FIXED);
  c.displacement[0] = 1;
  assert_int_equal(ig_support_read(*state, &c, 2, &m), IG_INPUT); /* led twice, and no history */
  c.velocity[0] = NAN;
  BAD(*state, ig_support_read(*state, &c, 2, &m), "without a `history`");
  double x[2] = {0, 1}, y[2] = {0, 1};
  c.history = (ig_table){2, x, y};
  assert_int_equal(ig_support_read(*state, &c, 2, &m), IG_OK);
  assert_int_equal(m.kind[0], IG_MOVE_DISPLACEMENT);
}

static void vectors_have_as_many_numbers_as_the_mesh_has_axes(void **state) {
  ig_support_motion m;
  ig_support_case c = ig_support_fix("a", NULL);
  c.at.file = "case.yaml";
  c.velocity[0] = c.velocity[1] = 1;
  assert_int_equal(ig_support_read(*state, &c, 2, &m), IG_OK);
  BAD(*state, ig_support_read(*state, &c, 3, &m), "2 numbers: expected 3");
  c.velocity[2] = 1;
  assert_int_equal(ig_support_read(*state, &c, 3, &m), IG_OK);
  assert_int_equal(ig_support_read(*state, &c, 2, &m), IG_INPUT);
  c.spin[2] = 5;
  assert_int_equal(ig_support_read(*state, &c, 6, &m), IG_OK);
  assert_int_equal(m.kind[5], IG_MOVE_VELOCITY);
  assert_float_equal(m.scale[5], 5, 0);
}

static void histories_are_linear_and_constant_beyond(void **state) {
  ig_histories h = {0};
  ig_history none, ramp, one;
  double x[4] = {0, 1, 3, 4}, y[4] = {1, 2, 6, 0};
  assert_int_equal(ig_histories_add(*state, &h, &(ig_table){0}, &none), IG_OK);
  assert_int_equal(ig_histories_add(*state, &h, &(ig_table){1, x, y + 2}, &one), IG_OK);
  assert_int_equal(ig_histories_add(*state, &h, &(ig_table){4, x, y}, &ramp), IG_OK);
  assert_int_equal(h.rows, 5);
  assert_float_equal(ig_history_at(none, h.x, h.y, 7), 1, 0);
  assert_float_equal(ig_history_at(one, h.x, h.y, -7), 6, 0);
  const double t[] = {-1, 0, 0.5, 2, 3, 3.25, 9}, want[] = {1, 1, 1.5, 4, 6, 4.5, 0};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++)
    assert_float_equal(ig_history_at(ramp, h.x, h.y, t[i]), want[i], 1e-15);
  ig_histories_free(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fix_names_components),
      cmocka_unit_test(motions_lead_the_components_along),
      cmocka_unit_test(vectors_have_as_many_numbers_as_the_mesh_has_axes),
      cmocka_unit_test(histories_are_linear_and_constant_beyond),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
