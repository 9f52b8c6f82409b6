/* A material law that a program adds: the same answers as a law of ours, its history and the
   length of its steps, and what is refused. */
#include "case_figures.h"
#include <ingot/law.h>

enum { LENGTH, PLASTIC, STATES };
static double seen_time;

/* Hooke's law by the constants E and nu; the history adds up the time. The third constant is a
   limit: no stress beyond that strain. */
static bool hooke(void *user, const ig_law_point *p) {
  const double E = p->constant[0], nu = p->constant[1], G = E / (2 + 2 * nu);
  const double lame = E * nu / ((1 + nu) * (1 - 2 * nu));
  const double volume = p->strain[0] + p->strain[1] + p->strain[2];
  (void)user;
  for (int i = 0; i < 6; i++) {
    p->stress[i] = i < 3 ? lame * volume + 2 * G * p->strain[i] : G * p->strain[i];
    for (int j = 0; j < 6; j++)
      p->tangent[6 * i + j] = (i < 3 && j < 3 ? lame : 0) + (i == j ? (i < 3 ? 2 * G : G) : 0);
  }
  p->now[LENGTH] = p->past[LENGTH] + p->step;
  p->now[PLASTIC] = 0.25;
  seen_time = p->now[LENGTH];
  return fabs(p->strain[0]) < p->constant[2];
}
static const ig_law_description law = {.size = sizeof law,
                                       .name = "hooke",
                                       .constants = 3,
                                       .states = STATES,
                                       .plastic = 1 + PLASTIC,
                                       .stress = hooke};

static ig_case *bent(ig_ctx *cx, const char *materials, const char *analysis) {
  const entry set[] = {{"materials", materials},
                       {"mesh", "{boxes: {size: [1, 0.1, 0.1], cells: [6, 1, 1]}}"},
                       {"supports", "{set: xmin, fix: all}"},
                       {"loads", "{set: xmax, force: [3e5, 0, -2e5]}"},
                       {"analysis", analysis},
                       {NULL, NULL}};
  return case_with(cx, "structure", set);
}

typedef struct {
  double bend, cuts;
} answer;
static void take(void *user, const char *key, double value, const char *unit, const char *text) {
  (void)unit, (void)text;
  answer *a = user;
  if (strcmp(key, "displacement_max") == 0)
    a->bend = value;
  if (strcmp(key, "step_cuts") == 0)
    a->cuts = value;
}
static answer ask(const char *materials, const char *analysis) {
  answer a = {0};
  ig_ctx *cx = ctx_on("cpu", 1);
  GOOD(cx, ig_law_add(cx, &law));
  ig_case *c = bent(cx, materials, analysis);
  GOOD(cx, ig_run(c, &(ig_run_options){.figure = take, .user = &a}));
  ig_case_close(c);
  ig_ctx_close(cx);
  return a;
}

#define OWN(limit)                                                                                 \
  "{name: a, young: 2e9, poisson: 0.3, own_law: hooke, constants: [2e9, 0.3, " limit "]}"
/* Large: our law of the same strain is the kinematic one, which does not yield here. */
static void it_agrees_with_ours(void **state) {
  (void)state;
  const char *small = "{kind: static, duration: 3 s, first_step: 1 s, fixed_steps: true}";
  answer own = ask(OWN("9"), small), ours = ask("{name: a, young: 2e9, poisson: 0.3}", small);
  assert_true(ours.bend > 0.1);
  assert_near(own.bend, ours.bend, 1e-9 * ours.bend);
  assert_near(seen_time, 3, 1e-12); /* three steps were added up */
  const char *large = "{kind: static, large: true, first_step: 0.25}";
  own = ask(OWN("9"), large);
  ours = ask("{name: a, young: 2e9, poisson: 0.3, law: plastic, yield: 1e12, kinematic: 1}", large);
  assert_near(own.bend, ours.bend, 1e-7 * ours.bend);
}

/* Where a law has no stress the step is cut; where there is none at any step, the run says so. */
static void a_law_may_refuse(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  GOOD(cx, ig_law_add(cx, &law));
  ig_case *c = bent(cx, OWN("1e-3"), "{kind: static}");
  assert_int_equal(ig_run(c, &(ig_run_options){0}), IG_NUMERIC);
  assert_non_null(strstr(ig_ctx_message(cx), "law"));
  ig_case_close(c);
  ig_ctx_close(cx);
}

static void refused(const char *materials, const char *words) {
  ig_ctx *cx = ctx_on("cpu", 1);
  GOOD(cx, ig_law_add(cx, &law));
  ig_case *c = bent(cx, materials, "{kind: static}");
  case_fails(cx, c, words);
}
static void bad_input_is_refused(void **state) {
  (void)state;
  refused("{name: a, young: 2e9, poisson: 0.3, own_law: hook, constants: [1]}", "no law 'hook'");
  refused("{name: a, young: 2e9, poisson: 0.3, own_law: hooke, constants: [1]}", "needs 3");
  refused("{name: a, young: 2e9, poisson: 0.3, constants: [1]}", "without `own_law`");
  refused("{name: a, young: 2e9, poisson: 0.3, law: elastic, own_law: hooke, "
          "constants: [1, 1, 1]}",
          "instead of `law`");
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_law_description bad = law;
  GOOD(cx, ig_law_add(cx, &law));
  BAD(cx, ig_law_add(cx, &law), "'hooke' already");
  bad.states = IG_LAW_MOST_STATES + 1;
  BAD(cx, ig_law_add(cx, &bad), "history");
  bad = law;
  bad.plastic = STATES + 1;
  BAD(cx, ig_law_add(cx, &bad), "`plastic`");
  bad = law;
  bad.stress = NULL;
  BAD(cx, ig_law_add(cx, &bad), "`stress`");
  bad.size = 0;
  BAD(cx, ig_law_add(cx, &bad), "`size`");
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "thermal"));
  GOOD(cx, ig_case_set(c, "mesh", "{boxes: {size: [1, 1, 1], cells: [1, 1, 1]}}"));
  GOOD(cx, ig_case_set(c, "duration", "1"));
  GOOD(cx, ig_case_set(c, "materials",
                       "{name: a, density: 1, specific_heat: 1, conductivity: 1, own_law: hooke}"));
  BAD(cx, ig_run(c, &(ig_run_options){0}), "physics: structure");
  ig_case_close(c);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_agrees_with_ours),
                                     cmocka_unit_test(a_law_may_refuse),
                                     cmocka_unit_test(bad_input_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
