/* Gradients of the first design of an optimisation: by the design against differences of objectives
   and constraints that a simulation gives for designs set from outside; by loads and moduli closed
   forms; refusals by name. */
#include "check.h"
#include <ingot/gradient.h>
#include <ingot/sim.h>

static const char *const beam[] = {
    "physics",
    "topopt",
    "grid",
    "{elements: [8, 4, 2], size: [80 mm, 40 mm, 20 mm]}",
    "materials",
    "[{name: s, density: 7800, mechanical: {young: 200 GPa, poisson: 0.3}}]",
    "supports",
    "[{box: {min: [0, 0, 0], max: [0, 40 mm, 20 mm]}}]",
    "loads",
    "[{box: {min: [80 mm, 0, 0], max: [80 mm, 0, 20 mm]}, force: [0, -700 N, 0]}]",
    "filter",
    "{kind: density, radius: 12 mm}",
    "solver.tolerance",
    "1e-12",
    "surface.formats",
    "[]",
    NULL};
static const char *const plate[] = {"physics",
                                    "topopt",
                                    "problem",
                                    "heat",
                                    "grid",
                                    "{elements: [8, 8, 0]}",
                                    "source",
                                    "1",
                                    "filter",
                                    "{kind: density, radius: 1.5}",
                                    "supports",
                                    "[{box: {min: [0, 0], max: [2, 0]}}]",
                                    "solver.tolerance",
                                    "1e-12",
                                    NULL};

static ig_case *case_of(ig_ctx *cx, const char *const *set) {
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  for (int i = 0; set[i]; i += 2)
    GOOD(cx, ig_case_set(c, set[i], set[i + 1]));
  return c;
}

/* The figure of a design: an objective or the first constraint. */
static double figure_at(ig_ctx *cx, ig_sim *sim, const char *figure, const double *design) {
  double value[4];
  GOOD(cx, ig_sim_set(sim, "design", design));
  GOOD(cx, ig_sim_get(sim, strcmp(figure, "constraint_1") == 0 ? "constraints" : figure, value));
  return value[0];
}

static void design_agrees(const char *backend, const char *const *set, const char *extra,
                          const char *figure) {
  static const char *const of = "design";
  static const int some[] = {0, 7, 21, 40, 63};
  const double step = 1e-5;
  ig_ctx *cx = ctx_on(backend, 1);
  ig_case *c = case_of(cx, set);
  ig_gradient *g;
  ig_sim *sim;
  if (extra)
    GOOD(cx, ig_case_set(c, "constraints", extra));
  GOOD(cx, ig_case_gradient(c, figure, &of, 1, NULL, &g));
  assert_int_equal(g->row[0].count, 64);
  double x[64], most = 0;
  memcpy(x, g->row[0].value, sizeof x);
  for (int i = 0; i < 64; i++)
    most = fmax(most, fabs(g->row[0].derivative[i]));
  assert_true(most > 0);
  GOOD(cx, ig_sim_open(c, &(ig_sim_options){0}, &sim));
  const double value = figure_at(cx, sim, figure, x);
  assert_near(value, g->value, 1e-9 * fabs(value));
  for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
    const double was = x[some[k]];
    x[some[k]] = was + step;
    const double high = figure_at(cx, sim, figure, x);
    x[some[k]] = was - step;
    const double low = figure_at(cx, sim, figure, x);
    x[some[k]] = was;
    assert_near((high - low) / (2 * step), g->row[0].derivative[some[k]], 1e-6 * most);
  }
  ig_sim_close(sim);
  ig_gradient_free(g);
  ig_case_close(c);
  ig_ctx_close(cx);
}

static void designs_agree_with_differences(void **state) {
  static const char displacement[] =
      "[{box: {min: [80 mm, 0, 0], max: [80 mm, 0, 20 mm]}, displacement: 1 mm, direction: [0, -1, "
      "0]}]";
  (void)state;
  design_agrees("cpu", beam, NULL, "objective");
  design_agrees("debug", beam, NULL, "objective");
  design_agrees("cpu", beam, NULL, "volume");
  design_agrees("cpu", beam, displacement, "constraint_1");
  design_agrees("cpu", plate, NULL, "objective");
}

/* Work is the square of the load over the modulus. */
static void numbers_have_closed_forms(void **state) {
  static const char *const of[] = {"loads[0].force[1]", "materials[0].mechanical.young"};
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, beam);
  ig_gradient *g;
  GOOD(cx, ig_case_gradient(c, "objective", of, 2, &(ig_gradient_options){true}, &g));
  assert_string_equal(g->unit, "J");
  assert_near(g->row[0].derivative[0], -2 * g->value / 700, 1e-8 * g->value / 350);
  assert_near(g->row[1].derivative[0], -g->value / 200e9, 1e-8 * g->value / 200e9);
  for (int i = 0; i < 2; i++)
    assert_near(g->row[i].derivative[0], g->row[i].difference,
                1e-6 * fabs(g->row[i].derivative[0]));
  ig_gradient_free(g);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* A number at the end of its range: differences go to one side. */
static void ends_of_ranges_agree(void **state) {
  static const char *const of = "penalty";
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, beam);
  ig_gradient *g, *more;
  GOOD(cx, ig_case_set(c, "penalty", "1"));
  GOOD(cx, ig_case_gradient(c, "objective", &of, 1, NULL, &g));
  GOOD(cx, ig_case_set(c, "penalty", "1.0001"));
  GOOD(cx, ig_case_gradient(c, "objective", &of, 1, NULL, &more));
  assert_near(g->row[0].derivative[0], (more->value - g->value) / 1e-4,
              1e-3 * g->row[0].derivative[0]);
  ig_gradient_free(g);
  ig_gradient_free(more);
  ig_case_close(c);
  ig_ctx_close(cx);
}

static void tells_what_has_none(void **state) {
  static const struct {
    const char *key, *value, *figure, *of, *words;
  } wrong[] = {
      {NULL, NULL, "compliance", "design", "no figure"},
      {NULL, NULL, "constraint_1", "design", "no figure"},
      {NULL, NULL, "objective", "iterations", "no gradient by 'iterations'"},
      {NULL, NULL, "objective", "loads[0].box.min[0]", "no gradient by 'loads[0].box"},
      {"filter", "{kind: sensitivity, radius: 12 mm}", "objective", "design", "sensitivity"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_of(cx, beam);
    ig_gradient *g;
    if (wrong[i].key)
      GOOD(cx, ig_case_set(c, wrong[i].key, wrong[i].value));
    BAD(cx, ig_case_gradient(c, wrong[i].figure, &wrong[i].of, 1, NULL, &g), wrong[i].words);
    assert_null(g);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(designs_agree_with_differences),
      cmocka_unit_test(numbers_have_closed_forms),
      cmocka_unit_test(ends_of_ranges_agree),
      cmocka_unit_test(tells_what_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
