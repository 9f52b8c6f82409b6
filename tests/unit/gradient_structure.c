/* Gradients of static analyses: against differences of whole runs (which the library makes itself),
   closed forms, Maxwell's reciprocity; shells by their thickness; refusals by name. */
#include "check.h"
#include "folder.h"
#include <ingot/gradient.h>

/* A bar under everything that acts, on a plane that is pushed aside. */
static const char *const bar[] = {
    "physics",
    "structure",
    "mesh",
    "{boxes: [{name: bar, size: [100 mm, 10 mm, 10 mm], cells: [5, 2, 2]}]}",
    "materials",
    "[{name: s, density: 7800, mechanical: {young: 200 GPa, poisson: 0.3, expansion: 1.2e-5}}]",
    "initial_temperatures",
    "[{set: bar, temperature: 300}]",
    "temperatures",
    "[{set: xmax, temperature: 340, from: 0 s, to: 1 s}]",
    "supports",
    "[{set: xmin, fix: x y z}, {set: xmax, components: y, displacement: [0, 0.3 mm, 0]}]",
    "loads",
    "[{set: xmax, force: [0, 0, -100 N]}, {set: zmax, pressure: 0.2 MPa}, {set: bar, acceleration: "
    "[0, 0, -9.81 m/s^2]}]",
    "analysis",
    "[{kind: static, duration: 1 s}]",
    NULL};
static const char *const keys[] = {"materials[0].mechanical.young",
                                   "materials[0].mechanical.poisson",
                                   "materials[0].mechanical.expansion",
                                   "materials[0].density",
                                   "loads[0].force[2]",
                                   "loads[1].pressure",
                                   "supports[1].displacement[1]",
                                   "temperatures[0].temperature",
                                   "mesh.boxes[0].size[0]",
                                   "mesh.boxes[0].size[2]"};
enum { KEYS = sizeof keys / sizeof *keys };

static ig_case *case_of(ig_ctx *cx, const char *const *set) {
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  for (int i = 0; set[i]; i += 2)
    GOOD(cx, ig_case_set(c, set[i], set[i + 1]));
  return c;
}

static void is_difference(const ig_gradient *g) {
  for (int i = 0; i < g->rows; i++) {
    const double d = g->row[i].derivative[0], effect = fabs(d * g->row[i].value[0]);
    if (!(fabs(d - g->row[i].difference) * fabs(g->row[i].value[0]) <=
          1e-6 * effect + 1e-8 * fabs(g->value)))
      fail_msg("%s by %s: %.12g, difference %.12g", g->figure, g->row[i].key, d,
               g->row[i].difference);
  }
}

static void agrees_with_differences(void **state) {
  (void)state;
  static const struct {
    const char *figure, *large, *unit;
  } of[] = {{"displacement(xmax, z)", "false", "m"}, {"displacement(xmax, z)", "true", "m"},
            {"von_mises(bar)", "true", "Pa"},        {"stress(bar, zx)", "true", "Pa"},
            {"reaction(xmin, y)", "false", "N"},     {"compliance", "false", "J"}};
  ig_ctx *cx = ctx_on("cpu", 1);
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    ig_case *c = case_of(cx, bar);
    ig_gradient *g;
    GOOD(cx, ig_case_set(c, "analysis[0].large", of[i].large));
    GOOD(cx, ig_case_gradient(c, of[i].figure, keys, KEYS, &(ig_gradient_options){true}, &g));
    is_difference(g);
    assert_string_equal(g->unit, of[i].unit);
    assert_true(g->row[0].derivative[0] != 0 && g->row[9].derivative[0] != 0);
    ig_gradient_free(g);
    ig_case_close(c);
  }
  ig_ctx_close(cx);
}

/* Displacements go as F / E, the work as F^2 / E. What acts at A moves B as what acts at B moves A.
 */
static void linear_forms_are_exact(void **state) {
  (void)state;
  static const char *const set[] = {
      "physics",
      "structure",
      "mesh",
      "{boxes: [{name: bar, size: [100 mm, 10 mm, 10 mm], cells: [6, 2, 2]}], sets: [{name: a, of: "
      "nodes, box: {min: [100 mm, 0, 0], max: [100 mm, 0, 0]}}, {name: b, of: nodes, box: {min: "
      "[50 "
      "mm, 10 mm, 10 mm], max: [50 mm, 10 mm, 10 mm]}}]}",
      "materials",
      "[{name: s, mechanical: {young: 200 GPa, poisson: 0.3}}]",
      "supports",
      "[{set: xmin, fix: x y z}]",
      "loads",
      "[{set: a, force: [0, 0, -70 N]}, {set: b, force: [0, 30 N, 0]}]",
      "analysis",
      "[{kind: static, duration: 1 s}]",
      NULL};
  static const char *const of[] = {"loads[0].force[2]", "loads[1].force[1]",
                                   "materials[0].mechanical.young"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, set);
  ig_gradient *a, *b, *work;
  GOOD(cx, ig_case_gradient(c, "displacement(a, z)", of, 3, NULL, &a));
  GOOD(cx, ig_case_gradient(c, "displacement(b, y)", of, 3, NULL, &b));
  GOOD(cx, ig_case_gradient(c, "compliance", of, 3, NULL, &work));
  const double cross = a->row[1].derivative[0], moved = a->row[0].derivative[0];
  assert_near(cross, b->row[0].derivative[0], 1e-9 * fabs(moved));
  assert_near(-70 * moved + 30 * cross, a->value, 1e-9 * fabs(a->value));
  assert_near(a->row[2].derivative[0], -a->value / 200e9, 1e-9 * fabs(a->value) / 200e9);
  assert_near(work->value, -70 * a->value + 30 * b->value, 1e-9 * work->value);
  assert_near(work->row[0].derivative[0], 2 * a->value, 1e-9 * fabs(2 * a->value));
  assert_near(work->row[2].derivative[0], -work->value / 200e9, 1e-9 * work->value / 200e9);
  ig_gradient_free(a);
  ig_gradient_free(b);
  ig_gradient_free(work);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* A bar that yields as a whole, in one step: stress is the load over the section. */
static void yielding_in_one_step_agrees(void **state) {
  (void)state;
  static const char *const set[] = {
      "physics",
      "structure",
      "mesh",
      "{boxes: [{name: bar, size: [10 mm, 10 mm, 10 mm], cells: [2, 2, 2]}]}",
      "materials",
      "[{name: s, mechanical: {young: 200 GPa, poisson: 0.3}, yield: 250 MPa, hardening: 20 GPa}]",
      "supports",
      "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]",
      "loads",
      "[{set: xmax, pressure: -300 MPa}]",
      "analysis",
      "[{kind: static, duration: 1 s}]",
      NULL};
  static const char *const of[] = {"materials[0].yield", "materials[0].hardening",
                                   "materials[0].mechanical.young", "loads[0].pressure"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, set);
  ig_gradient *g;
  GOOD(cx, ig_case_gradient(c, "displacement(xmax, x)", of, 4, &(ig_gradient_options){true}, &g));
  /* u = L (p / E + (p - yield) / H) */
  assert_near(g->value, 0.01 * (300e6 / 200e9 + 50e6 / 20e9), 1e-14);
  assert_near(g->row[0].derivative[0], -0.01 / 20e9, 1e-9 * 0.01 / 20e9);
  assert_near(g->row[1].derivative[0], -0.01 * 50e6 / 20e9 / 20e9, 1e-9 * 0.01 * 50e6 / 4e20);
  assert_near(g->row[2].derivative[0], -0.01 * 300e6 / 4e22, 1e-9 * 0.01 * 300e6 / 4e22);
  assert_near(g->row[3].derivative[0], -0.01 / 200e9 - 0.01 / 20e9, 1e-9 * 0.01 / 20e9);
  is_difference(g);
  ig_gradient_free(g);
  GOOD(cx, ig_case_set(c, "analysis[0].first_step", "0.5 s"));
  BAD(cx, ig_case_gradient(c, "displacement(xmax, x)", of, 4, NULL, &g), "only where the analysis");
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* A strip of shells: bending goes as the third power of the thickness. */
static void shells_have_thickness(void **state) {
  (void)state;
  static const char *const of[] = {"shells[0].thickness", "materials[0].mechanical.young"};
  char mesh[600], text[700];
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_gradient *g;
  char *here = folder_new();
  snprintf(mesh, sizeof mesh, "%s/strip.inp", here);
  FILE *f = fopen(mesh, "w");
  assert_non_null(f);
  fprintf(f, "*NODE\n");
  for (int i = 0; i <= 8; i++)
    for (int j = 0; j < 3; j++)
      if (!(i % 2 && j == 1))
        fprintf(f, "%d, %g, %g, 0\n", 10 * i + j + 1, i / 8.0, 0.05 * j);
  fprintf(f, "*ELEMENT, TYPE=S8R, ELSET=STRIP\n");
  for (int e = 0; e < 4; e++) {
    const int a = 20 * e + 1, b = a + 20, m = a + 10;
    fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", e + 1, a, b, b + 2, a + 2, m, b + 1, m + 2,
            a + 1);
  }
  fprintf(f, "*NSET, NSET=ROOT\n1, 2, 3\n*NSET, NSET=TIP\n81, 82, 83\n");
  fclose(f);
  snprintf(text, sizeof text, "{file: '%s'}", mesh);
  const char *const set[] = {"physics",   "structure",
                             "mesh",      text,
                             "materials", "[{name: s, mechanical: {young: 200 GPa, poisson: 0.3}}]",
                             "shells",    "[{thickness: 10 mm}]",
                             "supports",  "[{set: ROOT, fix: x y z rx ry rz}]",
                             "loads",     "[{set: TIP, force: [0, 0, -1 N]}]",
                             "analysis",  "[{kind: static, duration: 1 s}]",
                             NULL};
  ig_case *c = case_of(cx, set);
  GOOD(cx, ig_case_gradient(c, "displacement(TIP, z)", of, 2, &(ig_gradient_options){true}, &g));
  is_difference(g);
  assert_near(g->row[0].derivative[0], -3 * g->value / 0.01, 0.01 * 300 * fabs(g->value));
  ig_gradient_free(g);
  GOOD(cx, ig_case_set(c, "analysis[0].large", "true"));
  BAD(cx, ig_case_gradient(c, "displacement(TIP, z)", of, 2, NULL, &g), "small displacements only");
  ig_case_close(c);
  folder_remove(here);
  ig_ctx_close(cx);
}

static void tells_what_has_none(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *figure, *of, *words;
  } wrong[] = {
      {NULL, NULL, "displacement(xmax, w)", "loads[1].pressure", "no figure"},
      {NULL, NULL, "displacement(nowhere, z)", "loads[1].pressure", "nowhere"},
      {NULL, NULL, "compliance", "analysis[0].duration", "no gradient by 'analysis[0].duration'"},
      {NULL, NULL, "compliance", "mesh.boxes[0].cells[0]", "mesh.boxes"},
      {"analysis", "[{kind: static, duration: 1 s}, {kind: static, duration: 1 s}]", "compliance",
       "loads[1].pressure", "several analyses"},
      {"analysis", "[{kind: dynamic, duration: 1 s}]", "compliance", "loads[1].pressure",
       "only `kind: static`"},
      {"analysis[0].large", "true", "compliance", "loads[1].pressure", "this figure has none"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_of(cx, bar);
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
      cmocka_unit_test(linear_forms_are_exact),      cmocka_unit_test(agrees_with_differences),
      cmocka_unit_test(yielding_in_one_step_agrees), cmocka_unit_test(shells_have_thickness),
      cmocka_unit_test(tells_what_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
