/* Whole cases of statics by Newton's method held against hand calculations, at the defaults. */
#include "check.h"
#include "folder.h"
#include <ingot/run.h>

typedef struct {
  const char *key, *value;
} entry;
typedef struct {
  const char *name;
  double value, tolerance; /* absolute */
} wanted;
enum { MOST = 12 };
typedef struct {
  entry set[MOST];
  wanted want[MOST];
} problem;

typedef struct {
  const wanted *want;
  double seen[MOST];
} figures;
static void figure(void *user, const char *key, double value, const char *unit, const char *text) {
  (void)unit, (void)text;
  figures *f = user;
  for (int i = 0; i < MOST && f->want[i].name; i++)
    if (strcmp(key, f->want[i].name) == 0)
      f->seen[i] = value;
}

static ig_case *case_of(ig_ctx *cx, const entry *set) {
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", "dynamics"));
  for (int i = 0; i < MOST && set[i].key; i++)
    GOOD(cx, ig_case_set(c, set[i].key, set[i].value));
  return c;
}

static void hold(const problem *t) {
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    ig_case *c = case_of(cx, t->set);
    figures f = {.want = t->want};
    for (int i = 0; i < MOST; i++)
      f.seen[i] = NAN;
    GOOD(cx, ig_run(c, &(ig_run_options){.figure = figure, .user = &f}));
    for (int i = 0; i < MOST && t->want[i].name; i++)
      if (!(fabs(f.seen[i] - t->want[i].value) <= t->want[i].tolerance))
        fail_msg("%s on %s: %.8g, expected %.8g", t->want[i].name, *backend, f.seen[i],
                 t->want[i].value);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

static void refuse(const entry *set, ig_status status, const char *words) {
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, set);
  assert_int_equal(ig_run(c, NULL), status);
  if (!strstr(ig_ctx_message(cx), words))
    fail_msg("'%s' is not in: %s", words, ig_ctx_message(cx));
  ig_case_close(c);
  ig_ctx_close(cx);
}

#define STEEL "{name: steel, density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}"
#define STEEL_0 "{name: steel, density: 7850 kg/m^3, young: 210 GPa, poisson: 0}"
#define SOFT "{name: s, density: 7850, young: 210 GPa, poisson: 0.3, yield: 250 MPa}"

/* A strip of shells with a plastic hinge: relaxation found -10.3 kN, or the wrong sign, depending
   on its ramp; solids with eight layers (CalculiX, C3D8I) 11.2 kN. */
static void plastic_strip_bears_its_load(void **state) {
  (void)state;
  const problem strip = {
      {{"mesh", "{plate: {size: [1, 0.1], cells: [20, 2]}, element: quad4, shell: true, sets: "
                "{name: mid, of: nodes, box: {min: [0.499, -1, -1], max: [0.501, 1, 1]}}}"},
       {"materials", SOFT},
       {"sections", "{thickness: 20 mm}"},
       {"supports", "[{set: xmin, fix: y z}, {set: xmax, fix: y z}, {set: mid, fix: x, along: z, "
                    "displacement: [0, 0, -30 mm], history: [[0, 0], [1, 1]]}]"},
       {"analysis", "{kind: static, at_time: 1}"},
       {"probes", "{name: P, set: mid, quantity: fz}"}},
      {{"P", -10975, 110}, {"static_path_error", 0, 0}, {"negative_pivots", 0, 0}}};
  hold(&strip);
}

/* Slender cantilever: Euler and Bernoulli's deflection; a handful of iterations. */
static void slender_cantilever_is_quick(void **state) {
  (void)state;
  const problem beam = {
      {{"mesh", "{boxes: {size: [1.6, 0.04, 0.04], cells: [120, 3, 3]}}"},
       {"materials", STEEL_0},
       {"supports", "{set: xmin, fix: xyz}"},
       {"loads", "{set: xmax, total: [0, 0, -100]}"},
       {"analysis", "{kind: static}"},
       {"probes", "[{name: w, set: xmax, quantity: uz}, {name: R, set: xmin, quantity: fz}]"}},
      {{"w", -3.048e-3, 0.03 * 3.048e-3},
       {"R", 100, 0.01},
       {"reaction_z", 100, 0.01},
       {"load_z", -100, 1e-9},
       {"static_steps", 1, 0},
       {"newton_iterations", 2, 1}}};
  problem mumps = beam;
  mumps.set[4].value = "{kind: static, solver: own}";
  hold(&beam);
  hold(&mumps);
}

/* Nodes that turn and do not move; a moment on a chain of beams. */
static void shafts_twist(void **state) {
  (void)state;
  const problem shaft = {{{"mesh", "{beam_line: {x: [0, 1], cells: 4}}"},
                          {"materials", STEEL},
                          {"sections", "{profile: circle, radius: 10 mm}"},
                          {"supports", "{set: start, fix: all}"},
                          {"loads", "{set: end, moment: [100 N m, 0, 0]}"},
                          {"analysis", "{kind: static}"},
                          {"probes", "{name: M, set: start, quantity: mx}"}},
                         {{"M", -100, 1e-6}, {"displacement_max", 0, 1e-9}}};
  hold(&shaft);
}

/* A bar of two unlike meshes that are tied; a beam with a rigid end. */
static void ties_and_bodies_carry(void **state) {
  (void)state;
  const problem tied = {
      {{"mesh",
        "{boxes: [{name: a, size: [1, 0.2, 0.2], cells: [6, 2, 2]}, {name: b, origin: "
        "[1.001, 0, 0], size: [0.999, 0.2, 0.2], cells: [5, 3, 3]}], sets: [{name: joint, of: "
        "nodes, box: {min: [1.0005, -1, -1], max: [1.0015, 1, 1]}}, {name: face, of: faces, "
        "box: {min: [0.9995, -1, -1], max: [1.0005, 1, 1]}}]}"},
       {"ties", "{set: joint, to: face, distance: 2 mm}"},
       {"materials", STEEL_0},
       {"supports", "{set: xmin, fix: xyz}"},
       {"loads", "{set: xmax, total: [1 MN, 0, 0]}"},
       {"analysis", "{kind: static}"},
       {"probes", "{name: u, set: xmax, quantity: ux}"}},
      /* nodes tied to the faces of another mesh do not pass the patch test */
      {{"u", 1e6 * 2 / (210e9 * 0.04), 0.015 * 2.381e-4}, {"reaction_x", -1e6, 1}}};
  const problem body = {
      {{"mesh", "{beam_line: {x: [0, 2], cells: 8}, sets: {name: stiff, of: "
                "nodes, box: {min: [0.99, -1, -1], max: [3, 1, 1]}}}"},
       {"materials", STEEL},
       {"sections", "{area: 1e-3, iy: 1e-6, iz: 1e-6, torsion: 1e-6}"},
       {"supports", "{set: start, fix: all}"},
       {"bodies", "{set: stiff}"},
       {"loads", "{set: end, total: [0, 0, 100]}"},
       {"analysis", "{kind: static, tolerance: 1e-6}"},
       {"probes", "{name: w, set: end, quantity: uz}"}},
      /* a cantilever of 1 m under 100 N and 100 N m, and its end's slope times the arm */
      {{"w", 100 / 210e3 * (1.0 / 3 + 0.5 + 0.5 + 1), 1e-3 * 1.1e-3}, {"reaction_z", -100, 1e-3}}};
  hold(&tied);
  hold(&body);
}

/* Pressure follows its face: a strip of shells rolled up by it stays a circle in equilibrium. Here:
   a closed ring under inner pressure, p r / t. */
static void pressure_follows(void **state) {
  (void)state;
  const problem ring = {
      {{"mesh",
        "{cylinder_shell: {radius: 1, height: 0.4, cells: [24, 2]}, element: quad4, sets: [{name: "
        "nx, of: "
        "nodes, box: {min: [-1e-6, -2, -1], max: [1e-6, 2, 1]}}, {name: ny, of: nodes, box: "
        "{min: [-2, -1e-6, -1], max: [2, 1e-6, 1]}}]}"},
       {"materials", STEEL_0},
       {"sections", "{thickness: 10 mm}"},
       {"supports", "[{set: all, fix: z rx ry rz}, {set: nx, fix: x}, {set: ny, fix: y}]"},
       {"loads", "{set: all, pressure: -1 MPa}"},
       {"analysis", "{kind: static}"}},
      {{"displacement_max", 1e6 / (210e9 * 0.01), 0.02 * 4.76e-4}}};
  hold(&ring);
}

/* What statics leave is in balance: the dynamic analysis after it stays at rest. */
static void dynamics_go_on_from_rest(void **state) {
  (void)state;
  const problem queue = {{{"mesh", "{boxes: {size: [1, 0.2, 0.2], cells: [5, 2, 2]}}"},
                          {"materials", STEEL},
                          {"supports", "{set: xmin, fix: xyz}"},
                          {"loads", "{set: xmax, total: [0, 0, -10 kN]}"},
                          {"analysis", "[{kind: static, tolerance: 1e-8}, {duration: 0.3 ms}]"},
                          {"probes", "{name: v, set: xmax, quantity: vz}"}},
                         {{"v", 0, 1e-6}, {"energy_error", 0, 1e-6}}};
  hold(&queue);
}

/* Beyond the limit load the message says how far it came; keys of relaxation are refused. */
static void what_cannot_be_is_said(void **state) {
  (void)state;
  const entry collapse[MOST] = {{"mesh", "{boxes: {size: [1, 0.1, 0.1], cells: [10, 2, 2]}}"},
                                {"materials", SOFT},
                                {"supports", "{set: xmin, fix: xyz}"},
                                {"loads", "{set: xmax, total: [5 MN, 0, 0]}"},
                                {"analysis", "{kind: static}"}};
  refuse(collapse, IG_NUMERIC, "no equilibrium beyond load factor 0.");
  entry key[MOST];
  static const struct {
    const char *analysis, *words;
  } bad[] = {
      {"{kind: static, ramp: 100}", "method: relaxation"},
      {"{kind: static, method: relaxation, solver: own}", "belong to Newton's method"},
      {"{duration: 1 ms, method: arc_length}", "for analyses of kind static"},
  };
  for (int i = 0; i < 3; i++) {
    memcpy(key, collapse, sizeof key);
    key[4].value = bad[i].analysis;
    refuse(key, IG_INPUT, bad[i].words);
  }
  memcpy(key, collapse, sizeof key);
  key[5] = (entry){"tools", "{point: [0, 0, -1]}"};
  refuse(key, IG_INPUT, "does not do `tools` yet");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plastic_strip_bears_its_load),
      cmocka_unit_test(slender_cantilever_is_quick),
      cmocka_unit_test(shafts_twist),
      cmocka_unit_test(ties_and_bodies_carry),
      cmocka_unit_test(pressure_follows),
      cmocka_unit_test(dynamics_go_on_from_rest),
      cmocka_unit_test(what_cannot_be_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
