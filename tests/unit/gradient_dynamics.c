/* Gradients of explicit dynamics: against central differences of whole runs, of solids and shells
   that yield, under loads, prescribed motion and tools; closed forms of an oscillator; sums over
   fields; the same bits on any number of threads and windows; refusals by name. */
#include "check.h"
#include "folder.h"
#include <ingot/gradient.h>

enum { MOST = 12 };
typedef struct {
  const char *const *set;
  const char *figure, *key[MOST];
  double step, tolerance; /* of differences */
} example;

static ig_case *case_of(ig_ctx *cx, const char *const *set) {
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  for (int i = 0; set[i]; i += 2)
    GOOD(cx, ig_case_set(c, set[i], set[i + 1]));
  return c;
}

static double value_of(ig_ctx *cx, ig_case *c, const char *figure) {
  ig_gradient *g;
  GOOD(cx, ig_case_gradient(c, figure, NULL, 0, NULL, &g));
  const double value = g->value;
  ig_gradient_free(g);
  return value;
}

static int length_of(const char *const *key) {
  int n = 0;
  while (n < MOST && key[n])
    n++;
  return n;
}

/* Derivatives by all keys, whose effects are at least `least` of the largest one, as differences
   of two runs have them: of fourth order where nothing has a kink. */
static void agrees(const example *e) {
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, e->set);
  ig_gradient *g;
  const int n = length_of(e->key);
  GOOD(cx, ig_case_gradient(c, e->figure, e->key, n, NULL, &g));
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(g->row[i].derivative[0] * g->row[i].value[0]));
  assert_true(most > 1e-6 * fabs(g->value));
  for (int i = 0; i < n; i++) {
    const double v = g->row[i].value[0], step = e->step * (v != 0 ? fabs(v) : 1);
    double slope[2];
    for (int k = 0; k < 2; k++) {
      GOOD(cx, ig_case_set_real(c, e->key[i], v + (k + 1) * step));
      const double high = value_of(cx, c, e->figure);
      GOOD(cx, ig_case_set_real(c, e->key[i], v - (k + 1) * step));
      slope[k] = (high - value_of(cx, c, e->figure)) / (2 * (k + 1) * step);
    }
    GOOD(cx, ig_case_set_real(c, e->key[i], v));
    const double difference = (4 * slope[0] - slope[1]) / 3, own = g->row[i].derivative[0];
    if (!(fabs(own - difference) * fmax(fabs(v), 1e-30) <= e->tolerance * most))
      fail_msg("%s by %s: %.12g, difference %.12g (%.2g of the largest effect)", e->figure,
               e->key[i], own, difference, fabs(own - difference) * fabs(v) / most);
  }
  ig_gradient_free(g);
  ig_case_close(c);
  ig_ctx_close(cx);
}

#define BAR                                                                                        \
  "physics", "dynamics", "mesh",                                                                   \
      "{boxes: [{name: bar, size: [50 mm, 20 mm, 20 mm], cells: [5, 2, 2]}]}"
#define STEEL "materials", "[{name: s, density: 7800, mechanical: {young: 200 GPa, poisson: 0.3}}]"
#define YIELDS                                                                                     \
  "materials",                                                                                     \
      "[{name: s, density: 7800, mechanical: {young: 200 GPa, poisson: 0.3}, yield: 250 MPa, "     \
      "hardening: 2 GPa}]"
#define FOR(time, step) "analysis", "[{kind: dynamic, duration: " time ", time_step: " step "}]"

/* Everything that acts from outside. */
static const char *const pushed[] = {
    BAR,
    STEEL,
    "supports",
    "[{set: xmin, fix: x y z}, {set: ymin, velocity: [0, 2 m/s, 0], components: y, history: [[0 s, "
    "0], [50 us, 1]]}]",
    "loads",
    "[{set: xmax, total: [0, 0, -20 kN], history: [[0 s, 0], [30 us, 1], [100 us, 0.4]]}, {set: "
    "zmax, pressure: 40 MPa}]",
    "gravity",
    "{acceleration: [0, 0, -5000]}",
    "initial",
    "[{set: xmax, velocity: [0, 3 m/s, 0], spin: [40, 0, 0]}]",
    "sections",
    "[{bulk_linear: 0.06, bulk_quadratic: 1.2}]",
    "analysis",
    "[{kind: dynamic, duration: 60 us, time_step: 0.5 us, damping: 2000}]",
    "probes",
    "[{name: tip, point: [50 mm, 20 mm, 20 mm], quantity: uz}]",
    NULL};
static const example elastic[] = {
    {pushed,
     "displacement(xmax, z)",
     {"materials[0].mechanical.young", "materials[0].mechanical.poisson", "materials[0].density",
      "loads[0].total[2]", "loads[0].history[1][1]", "loads[1].pressure", "supports[1].velocity[1]",
      "gravity.acceleration[2]", "initial[0].velocity[1]", "analysis[0].damping",
      "sections[0].bulk_linear", "mesh.boxes[0].size[0]"},
     1e-4,
     1e-7},
    {pushed,
     "reaction(xmin, x)",
     {"materials[0].mechanical.young", "materials[0].mechanical.poisson", "materials[0].density",
      "loads[0].total[2]", "loads[1].pressure", "supports[1].velocity[1]",
      "gravity.acceleration[2]", "initial[0].spin[0]", "initial[0].velocity[1]",
      "sections[0].bulk_quadratic", "mesh.boxes[0].size[2]"},
     1e-4,
     1e-7},
    {pushed,
     "mean(energy(bar))",
     {"materials[0].mechanical.young", "materials[0].density", "loads[0].total[2]",
      "loads[1].pressure", "supports[1].velocity[1]", "initial[0].velocity[1]"},
     1e-4,
     1e-7},
    {pushed,
     "variance(tip, 0.1 mm)",
     {"materials[0].mechanical.young", "loads[1].pressure", "loads[0].total[2]"},
     1e-4,
     1e-7},
    {pushed,
     "velocity(xmax, y)@33.3 us",
     {"materials[0].mechanical.young", "materials[0].density", "initial[0].velocity[1]"},
     1e-4,
     1e-7},
    {pushed,
     "von_mises(bar)",
     {"materials[0].mechanical.young", "loads[1].pressure", "mesh.boxes[0].size[1]"},
     1e-4,
     1e-7}};

static void elastic_solids_agree(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof elastic / sizeof *elastic; i++)
    agrees(&elastic[i]);
}

/* Laws, drawn until they yield: derivatives by steps so small that no point begins to yield another
   step. Iterations of laws end with errors of their own. */
static void yielding_solids_agree(void **state) {
  (void)state;
  static const struct {
    const char *element, *sections, *law, *key;
    double tolerance;
  } of[] = {
      {"hex8", "[{integration: bbar}]", "yield: 250 MPa, hardening: 2 GPa",
       "materials[0].hardening", 1e-6},
      {"hex8", "[{integration: single}]", "yield: 250 MPa, hardening: 2 GPa, kinematic: 3 GPa",
       "materials[0].kinematic", 1e-6},
      {"hex8", "[{integration: full}]",
       "hardening_curve: [[0, 250 MPa], [0.01, 300 MPa], [0.5, 640 MPa]]",
       "materials[0].hardening_curve[1][1]", 1e-6},
      {"hex8", "[{integration: bbar}]",
       "law: johnson_cook, yield: 250 MPa, specific_heat: 500, johnson_cook: {b: 300 MPa, n: 0.4, "
       "c: 0.02}",
       "materials[0].johnson_cook.b", 1e-5},
      {"hex8", NULL, "law: neo_hookean", "materials[0].mechanical.poisson", 1e-6},
      {"tet4", NULL, "yield: 250 MPa, hardening: 2 GPa", "materials[0].hardening", 1e-6},
      {"tet10", NULL, "yield: 250 MPa, hardening: 2 GPa", "materials[0].hardening", 1e-6},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char material[400];
    snprintf(material, sizeof material,
             "[{name: s, density: 7800, mechanical: {young: 200 GPa, poisson: 0.3}, %s}]",
             of[i].law);
    const char *const drawn[] = {
        "physics",
        "dynamics",
        "mesh",
        "{boxes: [{name: bar, size: [20 mm, 10 mm, 10 mm], cells: [2, 1, 1]}]}",
        "mesh.element",
        of[i].element,
        "materials",
        material,
        "supports",
        "[{set: xmin, fix: x y z}, {set: xmax, velocity: [30 m/s, 0, 8 m/s]}]",
        "analysis",
        "[{kind: dynamic, duration: 20 us, time_step: 0.2 us}]",
        of[i].sections ? "sections" : NULL,
        of[i].sections,
        NULL};
    const example e = {drawn,
                       i % 2 ? "energy" : "reaction(xmin, x)",
                       {of[i].key, "materials[0].mechanical.young", "materials[0].density",
                        "supports[1].velocity[0]"},
                       strstr(of[i].law, "neo") ? 1e-4 : 1e-7,
                       of[i].tolerance};
    agrees(&e);
  }
}

static void shells_agree(void **state) {
  (void)state;
  static const struct {
    const char *element, *law, *figure;
  } of[] = {
      {"quad4", "", "displacement(tip, z)"},
      {"tri3", "", "mean(energy)"},
      {"quad4", ", yield: 200 MPa, hardening: 1 GPa", "energy"},
      {"tri3", ", yield: 200 MPa, hardening: 1 GPa, kinematic: 2 GPa", "displacement(tip, z)"},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char material[300];
    snprintf(material, sizeof material,
             "[{name: s, density: 2700, mechanical: {young: 70 GPa, poisson: 0.3}%s}]", of[i].law);
    const char *const strip[] = {
        "physics",
        "dynamics",
        "mesh",
        "{boxes: [{name: strip, size: [60 mm, 20 mm], cells: [6, 2]}], shell: true, sets: [{name: "
        "root, of: nodes, box: {min: [0, 0], max: [0, 20 mm]}}, {name: tip, of: nodes, box: {min: "
        "[60 mm, 0], max: [60 mm, 20 mm]}}]}",
        "mesh.element",
        of[i].element,
        "materials",
        material,
        "sections",
        "[{thickness: 2 mm}]",
        "supports",
        "[{set: root, fix: x y z rx ry rz}]",
        "loads",
        "[{set: strip, pressure: 4 MPa}, {set: tip, force: [100 N, 0, 0], moment: [0, 3 N m, 0]}]",
        "initial",
        "[{set: tip, velocity: [0, 0, 15 m/s]}]",
        "analysis",
        "[{kind: dynamic, duration: 60 us, time_step: 0.5 us}]",
        NULL};
    const example e = {strip,
                       of[i].figure,
                       {"sections[0].thickness", "materials[0].mechanical.young",
                        "materials[0].density", "loads[0].pressure", "loads[1].moment[1]",
                        "initial[0].velocity[2]"},
                       i < 2 ? 1e-4 : 1e-7,
                       1e-6};
    agrees(&e);
  }
}

/* A bar that is thrown against rigid walls and drawn over a roller, with friction. */
static void tools_agree(void **state) {
  (void)state;
  static const char *const walls[] = {
      BAR,
      YIELDS,
      "initial",
      "[{velocity: [-60 m/s, 9 m/s, -7 m/s]}]",
      "tools",
      "[{shape: plane, point: [-0.2 mm, 0, 0], axis: [1, 0.05, 0.02], friction: 0.2}, {shape: "
      "sphere, point: [25 mm, 10 mm, -9.9 mm], radius: 9.8 mm, velocity: [0, 0, 3 m/s], friction: "
      "0.1}, {shape: cylinder, point: [30 mm, 10 mm, 26.3 mm], axis: [0, 1, 0.03], radius: 5.9 mm, "
      "displacement: [0, 0, -0.6 mm], history: [[0 s, 0], [60 us, 1]]}]",
      FOR("40 us", "0.4 us"),
      NULL};
  const example e = {walls,
                     "displacement(xmax, x)",
                     {"tools[0].friction", "tools[0].axis[1]", "tools[0].point[0]",
                      "tools[1].radius", "tools[1].velocity[2]", "tools[1].friction",
                      "tools[2].displacement[2]", "tools[2].axis[2]", "initial[0].velocity[0]",
                      "initial[0].velocity[1]", "materials[0].mechanical.young"},
                     3e-8,
                     3e-6};
  agrees(&e);
}

/* One bar between a wall and its own mass: central differences are a recurrence with a closed form,
   x_n = dt v sin(n a) / sin a with 2 - 2 cos a = (w dt)^2, w^2 = 2 E / (rho l^2). */
static void oscillator_has_a_closed_form(void **state) {
  (void)state;
  static const char *const of[] = {"materials[0].mechanical.young", "materials[0].density",
                                   "initial[0].velocity[0]"};
  char mesh[600], text[700];
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_gradient *g;
  char *here = folder_new();
  snprintf(mesh, sizeof mesh, "%s/bar.inp", here);
  FILE *f = fopen(mesh, "w");
  assert_non_null(f);
  fprintf(f, "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=B31, ELSET=BAR\n1, 1, 2\n"
             "*NSET, NSET=WALL\n1\n*NSET, NSET=END\n2\n");
  fclose(f);
  snprintf(text, sizeof text, "{file: '%s'}", mesh);
  const char *const set[] = {
      "physics",   "dynamics",
      "mesh",      text,
      "materials", "[{name: s, density: 1000, mechanical: {young: 1 MPa, poisson: 0.3}}]",
      "sections",  "[{line: bar, area: 1e-4}]",
      "supports",  "[{set: WALL, fix: x y z}]",
      "initial",   "[{set: END, velocity: [1e-5, 0, 0]}]",
      "analysis",  "[{kind: dynamic, duration: 0.3 s, time_step: 1 ms}]",
      NULL};
  ig_case *c = case_of(cx, set);
  GOOD(cx, ig_case_gradient(c, "displacement(END, x)", of, 3, NULL, &g));
  const double dt = 1e-3, w2 = 2 * 1e6 / 1e3, a = acos(1 - 0.5 * w2 * dt * dt), n = 300;
  const double x = dt * 1e-5 * sin(n * a) / sin(a),
               by_a = dt * 1e-5 * (n * cos(n * a) * sin(a) - sin(n * a) * cos(a)) / pow(sin(a), 2),
               by_w2 = by_a * dt * dt / (2 * sin(a)), most = fabs(by_w2) * w2;
  assert_int_equal(g->steps, 300);
  assert_near(g->value, x, 2e-6 * most);
  assert_near(g->row[0].derivative[0] * 1e6, by_w2 * w2, 1e-5 * most);
  assert_near(g->row[1].derivative[0] * 1e3, -by_w2 * w2, 1e-5 * most);
  assert_near(g->row[2].derivative[0] * 1e-5, x, 1e-5 * most);
  ig_gradient_free(g);
  ig_case_close(c);
  folder_remove(here);
  ig_ctx_close(cx);
}

/* Fields: the velocity of each node and the thickness of each shell add up to those of all; a
   figure that is linear in them is their product; threads change no bit. */
static void fields_add_up(void **state) {
  (void)state;
  static const char *const sheet[] = {
      "physics",
      "dynamics",
      "mesh",
      "{boxes: [{name: sheet, size: [40 mm, 20 mm], cells: [8, 8]}], shell: true, sets: [{name: "
      "root, of: nodes, box: {min: [0, 0], max: [0, 20 mm]}}, {name: rest, of: nodes, box: {min: "
      "[1 mm, 0], max: [40 mm, 20 mm]}}]}",
      "materials",
      "[{name: s, density: 2700, mechanical: {young: 70 GPa, poisson: 0.3}, yield: 100 MPa, "
      "hardening: 1 "
      "GPa}]",
      "sections",
      "[{thickness: 1 mm}]",
      "supports",
      "[{set: root, fix: x y z rx ry rz}]",
      "gravity",
      "{acceleration: [0, 0, -1000]}",
      "initial",
      "[{set: rest, velocity: [0, 0, 40 m/s]}]",
      FOR("40 us", "0.4 us"),
      NULL};
  static const char *const of[] = {"thicknesses", "initial_velocities", "sections[0].thickness",
                                   "initial[0].velocity[2]"};
  double first[2][4] = {{0}};
  for (int threads = 1; threads <= 2; threads++) {
    ig_ctx *cx = ctx_on("cpu", threads);
    ig_case *c = case_of(cx, sheet);
    ig_gradient *g;
    GOOD(cx, ig_case_gradient(c, "energy", of, 4, NULL, &g));
    double sum[2] = {0};
    assert_int_equal(g->row[0].count, 64);
    assert_int_equal(g->row[1].count, 3 * 81);
    for (int i = 0; i < 64; i++)
      sum[0] += g->row[0].derivative[i];
    for (int i = 2; i < 3 * 81; i += 3)
      sum[1] += g->row[1].value[i] != 0 ? g->row[1].derivative[i] : 0;
    for (int i = 0; i < 2; i++)
      assert_near(sum[i], g->row[2 + i].derivative[0], 1e-9 * fabs(sum[i]));
    const double now[4] = {g->value, sum[0], sum[1], g->row[0].derivative[20]};
    memcpy(first[threads - 1], now, sizeof now);
    ig_gradient_free(g);
    static const char *const inertia = "inertia_scale";
    GOOD(cx, ig_case_set(c, inertia, "0")); /* a kink of the masses */
    GOOD(cx, ig_case_set(c, "analysis", "[{kind: dynamic, duration: 4 us, time_step: 0.2 us}]"));
    BAD(cx, ig_case_gradient(c, "energy", &inertia, 1, NULL, &g), "it is 0");
    ig_case_close(c);
    ig_ctx_close(cx);
  }
  assert_memory_equal(first[0], first[1], sizeof first[0]);
}

/* Readings of a run itself: a misfit to them is 0, and so is its slope. */
static void misfit_of_itself_is_zero(void **state) {
  (void)state;
  static const char *const of = "materials[0].mechanical.young";
  char figure[600];
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, pushed);
  ig_gradient *g;
  char *here = folder_new();
  const double at[2] = {value_of(cx, c, "tip@20 us"), value_of(cx, c, "tip@50 us")};
  snprintf(figure, sizeof figure, "%s/data.csv", here);
  FILE *f = fopen(figure, "w");
  assert_non_null(f);
  fprintf(f, "time [s],tip [m]\n20e-6,%.17g\n50e-6,%.17g\n", at[0], at[1] + 1e-5);
  fclose(f);
  snprintf(figure, sizeof figure, "misfit(%s/data.csv)", here);
  GOOD(cx, ig_case_gradient(c, figure, &of, 1, NULL, &g));
  assert_string_equal(g->unit, "m^2");
  assert_int_equal(g->measured, 2);
  assert_near(g->value, 1e-10, 1e-20);
  const double slope = g->row[0].derivative[0];
  ig_gradient_free(g);
  GOOD(cx, ig_case_gradient(c, "tip@50 us", &of, 1, NULL, &g));
  assert_near(slope, -2e-5 * g->row[0].derivative[0], 1e-9 * fabs(slope));
  ig_gradient_free(g);
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
      {NULL, NULL, "energy", "analysis[0].duration", "no gradient by 'analysis[0].duration'"},
      {NULL, NULL, "energy", "loads[0].history[1][0]", "times of a history"},
      {NULL, NULL, "energy", "mesh.boxes[0].cells[0]", "no gradient by 'mesh.boxes[0].cells[0]'"},
      {NULL, NULL, "energy", "thicknesses", "no shells"},
      {"sections", "{integration: single, hourglass: 0}", "energy", "sections[0].hourglass",
       "it is 0"},
      {"contact", "{friction: 0.1}", "energy", "loads[1].pressure", "`contact` of surfaces"},
      {"precision", "single", "energy", "loads[1].pressure", "precision: double"},
      {"analysis", "[{kind: static}]", "energy", "loads[1].pressure", "only `kind: dynamic`"},
      {"tools", "[{shape: plane, point: [0, 0, -1]}]", "reaction(xmin, x)", "loads[1].pressure",
       "not separated from those of tools"},
      {"analysis[0].mass_scaling_step", "1 us", "energy", "loads[1].pressure",
       "`mass_scaling_step`"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_of(cx, pushed);
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
      cmocka_unit_test(oscillator_has_a_closed_form),
      cmocka_unit_test(elastic_solids_agree),
      cmocka_unit_test(yielding_solids_agree),
      cmocka_unit_test(shells_agree),
      cmocka_unit_test(tools_agree),
      cmocka_unit_test(fields_add_up),
      cmocka_unit_test(misfit_of_itself_is_zero),
      cmocka_unit_test(tells_what_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
