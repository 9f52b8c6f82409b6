/* An analysis that a program adds: its case, steps, output, restart and bad input. */
#include "check.h"
#include "folder.h"
#include "ingot_io.h"
#include <ingot/ingot.h>

static const ig_room_number numbers[] = {
    {"decay", "Hz", "rate", NULL, 0, 1e6}, {"start", "K", "initial value", "20 degC", 0, 1e4}, {0}};
static const ig_room_array arrays[] = {
    {"T", "K", IG_AT_POINTS, 1, true}, {"age", "s", IG_AT_ELEMENTS, 2, false}, {0}};
static const ig_room_figure figures[] = {{"mean", "K"}, {"steps_taken", ""}, {0}};
static int ends;

static ig_status begin(void *user, ig_room_state *s) {
  (void)user;
  for (ig_lid i = 0; i < s->mesh->nodes; i++)
    s->array[0][i] = s->number[1];
  if (s->number[0] == 14)
    return ig_room_fail(s->cx, IG_NUMERIC, "nothing converges");
  if (s->number[0] == 13)
    return ig_room_fail(s->cx, IG_INPUT, "a decay of %g is not liked", s->number[0]);
  s->dt = 0.03;
  s->own = calloc(1, 8);
  return IG_OK;
}
static ig_status step(void *user, ig_room_state *s) {
  (void)user;
  for (ig_lid i = 0; i < s->mesh->nodes; i++)
    s->array[0][i] *= 1 - s->dt * s->number[0];
  for (ig_lid e = 0; e < ig_mesh_elements(s->mesh); e++)
    s->array[1][2 * e + 1] += s->dt;
  return IG_OK;
}
static ig_status show(void *user, ig_room_state *s, double *value) {
  (void)user;
  value[0] = s->array[0][0];
  value[1] = (double)s->step;
  return IG_OK;
}
static void end(void *user, ig_room_state *s) {
  (void)user;
  free(s->own);
  ends++;
}
static const ig_room_description decay = {.size = sizeof(ig_room_description),
                                          .name = "decay",
                                          .elements = "hex8",
                                          .number = numbers,
                                          .array = arrays,
                                          .figure = figures,
                                          .begin = begin,
                                          .step = step,
                                          .figures = show,
                                          .end = end};

static ig_ctx *context(void) {
  ig_ctx *cx;
  assert_int_equal(ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cx), IG_OK);
  return cx;
}
static ig_case *small(ig_ctx *cx) {
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "decay"));
  GOOD(cx, ig_case_set(c, "mesh", "{boxes: {size: [1, 1, 1], cells: [2, 1, 1]}}"));
  GOOD(cx, ig_case_set(c, "duration", "1 s"));
  GOOD(cx, ig_case_set(c, "decay", "2 Hz"));
  return c;
}

/* 34 steps of 1/34 s, as far as a loop by hand comes; in any portions, and back again. */
static void steps_are_taken(void **state) {
  (void)state;
  ig_ctx *cx = context();
  GOOD(cx, ig_room_add(cx, &decay));
  ig_case *c = small(cx);
  ig_sim *sim;
  ig_sim_state *kept;
  double T[12], age[4], exact = 293.15;
  GOOD(cx, ig_sim_open(c, NULL, &sim));
  GOOD(cx, ig_sim_step(sim, 10, NULL));
  GOOD(cx, ig_sim_save(sim, &kept));
  GOOD(cx, ig_sim_step(sim, 5, NULL));
  GOOD(cx, ig_sim_restore(sim, kept));
  assert_int_equal(ig_sim_steps(sim), 10);
  while (!ig_sim_ended(sim))
    GOOD(cx, ig_sim_step(sim, 7, NULL));
  assert_int_equal(ig_sim_steps(sim), 34);
  assert_near(ig_sim_time(sim), 1, 1e-15);
  GOOD(cx, ig_sim_get(sim, "T", T));
  GOOD(cx, ig_sim_get(sim, "age", age));
  for (int i = 0; i < 34; i++)
    exact *= 1 - 1. / 34 * 2;
  for (int i = 0; i < 12; i++)
    assert_near(T[i], exact, 1e-12 * exact);
  assert_true(age[0] == 0 && fabs(age[1] - 1) < 1e-14);
  T[3] = 7;
  GOOD(cx, ig_sim_set(sim, "T", T));
  BAD(cx, ig_sim_set(sim, "age", age), "age");
  ig_sim_state_free(kept);
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* Another context does not know it; what is wrong in a case is said where it stands. */
static void bad_cases_are_refused(void **state) {
  (void)state;
  ig_ctx *cx = context(), *other = context();
  GOOD(cx, ig_room_add(cx, &decay));
  BAD(cx, ig_room_add(cx, &decay), "'decay' already");
  ig_room_description wrong = decay;
  wrong.name = "thermal";
  BAD(cx, ig_room_add(cx, &wrong), "'thermal' already");
  wrong.name = "no_step";
  wrong.step = NULL;
  BAD(cx, ig_room_add(cx, &wrong), "`step`");
  wrong = decay;
  wrong.name = "no_figures";
  wrong.figures = NULL;
  BAD(cx, ig_room_add(cx, &wrong), "no function");
  static const ig_room_number odd[][2] = {{{"mesh", "Hz", "", "2 Hz", 0, 1}, {0}},
                                          {{"q", "Hz", "", "2 m", 0, 1}, {0}},
                                          {{"q", "furlong", "", NULL, 0, 1}, {0}}};
  static const char *const why[] = {"'mesh' of 'odd' is taken", "expected a rate", "furlong"};
  for (int i = 0; i < 3; i++) {
    wrong = decay;
    wrong.name = "odd";
    wrong.number = odd[i];
    BAD(cx, ig_room_add(cx, &wrong), why[i]);
  }
  ig_case *c = small(cx);
  GOOD(cx, ig_case_set(c, "decay", "2 m"));
  BAD(cx, ig_run(c, NULL), "decay");
  GOOD(cx, ig_case_set(c, "decay", "13"));
  const int before = ends;
  BAD(cx, ig_run(c, NULL), "not liked");
  assert_int_equal(ends, before + 1);
  GOOD(cx, ig_case_set(c, "decay", "2"));
  GOOD(cx, ig_case_set(c, "mesh", "{boxes: {size: [1, 1, 1], cells: [2, 1, 1]}, element: tet4}"));
  BAD(cx, ig_run(c, NULL), "takes meshes of hex8");
  ig_case *alien;
  GOOD(other, ig_case_new(other, &alien));
  GOOD(other, ig_case_set(alien, "physics", "decay"));
  BAD(other, ig_run(alien, NULL), "decay");
  ig_case_close(alien);
  ig_case_close(c);
  ig_ctx_close(other);
  ig_ctx_close(cx);
}

#ifdef INGOT_HAVE_IO
static void mean_take(void *user, const char *name, double value, const char *unit,
                      const char *text) {
  if (!text && strcmp(name, "mean") == 0 && strcmp(unit, "K") == 0)
    *(double *)user = value;
}
/* Half a run, continued from its folder, ends where a whole one does. */
static void files_are_written(void **state) {
  (void)state;
  ig_ctx *cx = context();
  char *folder = folder_new();
  double mean[2] = {0};
  GOOD(cx, ig_room_add(cx, &decay));
  for (int whole = 0; whole < 2; whole++) {
    ig_case *c = small(cx);
    const char *first = in_folder(folder, "half/checkpoint.h5");
    GOOD(cx, ig_case_set(c, "output", "{count: 2, fields: [T, age]}"));
    if (!whole) {
      GOOD(cx, ig_case_set(c, "duration", "0.5 s"));
      GOOD(cx, ig_run(c, &(ig_run_options){.out = in_folder(folder, "half")}));
      GOOD(cx, ig_case_set(c, "duration", "1 s"));
    }
    const ig_run_options o = {.out = in_folder(folder, whole ? "whole" : "rest"),
                              .restart = whole ? NULL : first,
                              .force = true,
                              .figure = mean_take,
                              .user = &mean[whole]};
    GOOD(cx, ig_run(c, &o));
    ig_case_close(c);
  }
  assert_true(mean[1] > 0);
  assert_near(mean[0], mean[1], 1e-12 * mean[1]);
  /* a run that fails before its first output leaves what was there */
  ig_case *c = small(cx);
  GOOD(cx, ig_case_set(c, "decay", "14"));
  assert_int_equal(ig_run(c, &(ig_run_options){.out = in_folder(folder, "whole")}), IG_NUMERIC);
  ig_case_close(c);
  assert_int_equal(access(in_folder(folder, "whole/history.csv"), F_OK), 0);
  folder_remove(folder);
  ig_ctx_close(cx);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_taken),
      cmocka_unit_test(bad_cases_are_refused),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(files_are_written),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
