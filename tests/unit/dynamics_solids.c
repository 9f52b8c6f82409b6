/* Solids of static analyses in the dynamics room: whole cases held against hand calculations. */
#include "case_figures.h"
#include <ingot/sim.h>

static void hold(const char *name, const entry *set, const wanted *want) {
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    case_holds(cx, case_with(cx, "dynamics", set), name, want);
  }
}

static void refused(const entry *set, const char *words) {
  ig_ctx *cx = ctx_on("cpu", 1);
  case_fails(cx, case_with(cx, "dynamics", set), words);
}

#define STEEL "{name: steel, density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}"
#define STEEL_0 "{name: steel, density: 7850 kg/m^3, young: 210 GPa, poisson: 0}"
static const char *const elements[] = {"hex8", "hex20", "wedge6", "wedge15", "tet10"};

/* 100 x 10 x 10 mm, clamped, 100 N at its end: bending and shear of beam theory. */
static void cantilevers_bend_as_beams(void **state) {
  (void)state;
  const double tip =
      100 * 1e-3 / (3 * 210e9 * 1e-8 / 12) + 100 * 0.1 / (210e9 / 2.6 * 1e-4 * 5 / 6);
  for (int e = 0; e < 5; e++) {
    const bool stiff = e == 2; /* wedge6 is linear and has no modes */
    const entry set[] = {{"mesh", "{boxes: {size: [100 mm, 10 mm, 10 mm], cells: [10, 1, 1]}}"},
                         {"mesh.element", elements[e]},
                         {"materials", STEEL},
                         {"supports", "{set: xmin, fix: xyz}"},
                         {"loads", "{set: xmax, total: [0, 0, -100]}"},
                         {"analysis", "{kind: static}"},
                         {"probes", "{name: tip, set: xmax, quantity: uz}"},
                         {NULL, NULL}};
    const wanted want[] = {{"tip", -tip, stiff ? 0.2 : 0.025},
                           {"reaction_z", 100, 1e-4},
                           {"load_z", -100, 1e-9},
                           {"mass", 0.0785, 1e-9},
                           {NULL, 0, 0}};
    hold(elements[e], set, want);
  }
}

/* Frequencies and buckling have the same elements: a frequency asked for after a static analysis
   does not change its result, and neither locks in elements twice as long as high. */
static void modes_have_the_elements_of_statics(void **state) {
  (void)state;
  const double EI = 210e9 * 1e-8 / 12, pi = 3.14159265358979323846;
  const double tip = 100 * 1e-3 / (3 * EI) + 100 * 0.1 / (210e9 / 2.6 * 1e-4 * 5 / 6);
  for (int e = 0; e < 5; e++) {
    const double stiff = e == 2 ? 0.2 : 0; /* wedge6, as above */
    entry set[] = {{"mesh", "{boxes: {size: [100 mm, 10 mm, 10 mm], cells: [10, 2, 2]}}"},
                   {"mesh.element", elements[e]},
                   {"materials", STEEL},
                   {"supports", "{set: xmin, fix: xyz}"},
                   {"loads", "{set: xmax, total: [0, 0, -100]}"},
                   {"analysis", "[{kind: static}, {kind: frequency, modes: 2}]"},
                   {"probes", "{name: tip, set: xmax, quantity: uz}"},
                   {NULL, NULL}};
    const wanted want[] = {
        {"tip", -tip, 0.025 + stiff},
        {"frequency_1", 3.5160 / (2 * pi * 0.01) * sqrt(EI / 0.785), 0.015 + stiff / 2},
        {NULL, 0, 0}};
    hold(elements[e], set, want);
    set[4].value = "{set: xmax, total: [-1, 0, 0]}";
    set[5].value = "{kind: buckling, modes: 1}";
    set[6] = (entry){NULL, NULL};
    const wanted falls[] = {{"load_factor_1", pi * pi * EI / 0.04, 0.02 + stiff}, {NULL, 0, 0}};
    hold(elements[e], set, falls);
  }
}

/* Once a static analysis has brought in the loads of `at_time`, nothing is left to grow. */
static void buckling_wants_loads_that_grow(void **state) {
  (void)state;
  entry set[] = {{"mesh", "{beam_line: {x: [0, 1 m], cells: 10}}"},
                 {"materials", STEEL},
                 {"sections", "{profile: rectangle, width: 10 mm, height: 20 mm, up: [0, 0, 1]}"},
                 {"supports", "{set: start, fix: all}"},
                 {"loads", "{set: end, force: [-1 N, 0, 0]}"},
                 {"analysis", "[{kind: static}, {kind: buckling, modes: 1}]"},
                 {NULL, NULL}};
  refused(set, "carries the loads of `at_time` 1 s already");
  set[4].value = "{set: end, force: [-1 N, 0, 0], history: [[0, 0], [1, 100], [2, 200]]}";
  set[5].value = "[{kind: static}, {kind: buckling, modes: 1, at_time: 2}]";
  /* 100 N are carried, another 100 N grow */
  const double euler = 3.14159265358979323846 * 3.14159265358979323846 * 210e9 * 2e-2 * 1e-6 / 48;
  const wanted want[] = {{"load_factor_1", (euler - 100) / 100, 0.005}, {NULL, 0, 0}};
  hold("a column with a preload", set, want);
}

/* Twenty elements, a dead load P L^2 / EI = 1: the elastica's end moves by 0.30172 L across and
   0.05643 L along (Mattiasson 1981). */
static void cantilevers_turn_as_the_elastica(void **state) {
  (void)state;
  for (int e = 0; e < 2; e++) {
    const entry set[] = {
        {"mesh", "{boxes: {size: [200 mm, 5 mm, 5 mm], cells: [20, 1, 1]}}"},
        {"mesh.element", elements[e]},
        {"materials", STEEL_0},
        {"supports", "{set: xmin, fix: xyz}"},
        {"loads", "{set: xmax, total: [0, 0, 273.4375]}"},
        {"analysis", "{kind: static}"},
        {"probes", "[{name: tip, set: xmax, quantity: uz}, {name: way, set: xmax, quantity: ux}]"},
        {NULL, NULL}};
    const wanted want[] = {{"tip", 0.30172 * 0.2, 0.01},
                           {"way", -0.05643 * 0.2, 0.02},
                           {"reaction_z", -273.4375, 1e-3},
                           {NULL, 0, 0}};
    hold(elements[e], set, want);
  }
}

/* Pressure on the far end, and weight, of a standing column. */
static void pressure_and_weight_are_carried(void **state) {
  (void)state;
  for (int e = 0; e < 5; e++) {
    const entry press[] = {{"mesh", "{boxes: {size: [0.1, 0.1, 0.4], cells: [2, 2, 3]}}"},
                           {"mesh.element", elements[e]},
                           {"materials", STEEL_0},
                           {"supports", "{set: zmin, fix: xyz}"},
                           {"loads", "{set: zmax, pressure: 21 MPa}"},
                           {"analysis", "{kind: static}"},
                           {"probes", "{name: top, set: zmax, quantity: uz}"},
                           {NULL, NULL}};
    const wanted pressed[] = {{"top", -0.4 * 1e-4, 1e-3},
                              {"reaction_z", 210e3, 1e-3},
                              {"load_z", -210e3, 1e-3},
                              {NULL, 0, 0}};
    hold(elements[e], press, pressed);
    const entry hang[] = {{"mesh", "{boxes: {size: [0.1, 0.1, 0.4], cells: [2, 2, 3]}}"},
                          {"mesh.element", elements[e]},
                          {"materials", STEEL_0},
                          {"supports", "{set: zmax, fix: xyz}"},
                          {"gravity", "{acceleration: [0, 0, -9810]}"},
                          {"analysis", "{kind: static}"},
                          {"probes", "{name: low, set: zmin, quantity: uz}"},
                          {NULL, NULL}};
    const wanted hung[] = {{"low", -7850 * 9810 * 0.16 / (2 * 210e9), 0.005},
                           {"reaction_z", 7850 * 0.004 * 9810, 1e-3},
                           {NULL, 0, 0}};
    hold(elements[e], hang, hung);
  }
}

/* A bar of free sides pulled beyond yield, linear hardening, and back to where it began. */
static void bars_yield(void **state) {
  (void)state;
  for (int e = 0; e < 5; e++) {
    const double Et = 21e9 * 210 / (210 + 21.) /* of hardening 21 GPa */;
    const double strain = 4e-3, yield = 210e6;
    const entry set[] = {
        {"mesh", "{boxes: {size: [0.4, 0.1, 0.1], cells: [3, 1, 1]}}"},
        {"mesh.element", elements[e]},
        {"materials", "{name: steel, density: 7850, young: 210 GPa, poisson: 0.3, yield: 210 MPa, "
                      "hardening: 21 GPa}"},
        {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}, {set: xmax, "
                     "displacement: [1.6 mm, 0, 0], components: x, history: [[0, 0], [1, 1]]}]"},
        {"analysis", "{kind: static}"},
        {"probes", "{name: pull, set: xmax, quantity: fx}"},
        {NULL, NULL}};
    const double stress = yield + Et * (strain - yield / 210e9);
    const wanted want[] = {{"pull", stress * 0.01, 0.01},
                           {"plastic_strain_max", strain - stress / 210e9, 0.01},
                           {NULL, 0, 0}};
    hold(elements[e], set, want);
  }
}

static void other_analyses_refuse_them_by_name(void **state) {
  (void)state;
  entry set[] = {{"mesh", "{boxes: {size: [0.4, 0.1, 0.1], cells: [3, 1, 1]}, element: hex20}"},
                 {"materials", STEEL},
                 {"supports", "{set: xmin, fix: xyz}"},
                 {"analysis", "{duration: 1 ms}"},
                 {NULL, NULL},
                 {NULL, NULL}};
  refused(set,
          "hex20 elements are for static analyses by Newton's method, frequencies and buckling");
  set[3].value = "[{kind: static}, {duration: 1 ms}]";
  refused(set,
          "hex20 elements are for static analyses by Newton's method, frequencies and buckling");
  set[0].value = "{boxes: {size: [0.4, 0.1, 0.1], cells: [3, 1, 1]}}";
  set[4] = (entry){"sections", "{integration: incompatible}"};
  refused(set, "hex8 incompatible elements are for static analyses by Newton's method, frequencies "
               "and buckling");
  set[3].value = "{kind: static}";
  set[4].value = "{integration: reduced}";
  refused(set, "`integration: reduced` is none of hex8 elements");
}

/* A run that is kept and brought back after every step, the last one too, has the figures of one
   that is not: sums of loads, and positions without the shape of a mode. */
static void states_are_whole(void **state) {
  (void)state;
  static const char *const analysis[] = {"{kind: static}", "{kind: frequency, modes: 2}",
                                         "{kind: buckling, modes: 2}"};
  static const wanted want[] = {{"displacement_max", 0, 0},
                                {"load_x", 0, 0},
                                {"reaction_x", 0, 0},
                                {"frequency_2", 0, 0},
                                {NULL, 0, 0}};
  for (int a = 0; a < 3; a++) {
    const entry set[] = {{"mesh", "{boxes: {size: [40 mm, 10 mm, 10 mm], cells: [4, 1, 1]}}"},
                         {"materials", STEEL},
                         {"supports", "{set: xmin, fix: xyz}"},
                         {"loads", a == 1 ? NULL : "{set: xmax, pressure: 1 MPa}"},
                         {"analysis", analysis[a]},
                         {NULL, NULL}};
    seen_figures seen[2] = {{.want = want}, {.want = want}};
    for (int kept = 0; kept < 2; kept++) {
      ig_ctx *cx = ctx_on("cpu", 1);
      ig_case *c;
      ig_sim *sim;
      GOOD(cx, ig_case_new(cx, &c));
      GOOD(cx, ig_case_set(c, "physics", "dynamics"));
      for (int i = 0; set[i].key; i++)
        if (set[i].value)
          GOOD(cx, ig_case_set(c, set[i].key, set[i].value));
      GOOD(cx, ig_sim_open(c, &(ig_sim_options){.figure = figure_see, .user = &seen[kept]}, &sim));
      for (int steps = 0; !ig_sim_ended(sim); steps++) {
        assert_in_range(steps, 0, 100);
        GOOD(cx, ig_sim_step(sim, 1, NULL));
        if (!kept || steps > 3)
          continue;
        ig_sim_state *now;
        GOOD(cx, ig_sim_save(sim, &now));
        GOOD(cx, ig_sim_restore(sim, now));
        ig_sim_state_free(now);
      }
      GOOD(cx, ig_sim_finish(sim));
      ig_sim_close(sim);
      ig_case_close(c);
      ig_ctx_close(cx);
    }
    assert_true(a > 0 || fabs(seen[0].value[1] + 100) < 1);
    for (int i = 0; want[i].name; i++)
      if (seen[0].value[i] != seen[1].value[i])
        fail_msg("%s: %s is %g, kept %g", analysis[a], want[i].name, seen[0].value[i],
                 seen[1].value[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cantilevers_bend_as_beams),
      cmocka_unit_test(modes_have_the_elements_of_statics),
      cmocka_unit_test(buckling_wants_loads_that_grow),
      cmocka_unit_test(cantilevers_turn_as_the_elastica),
      cmocka_unit_test(pressure_and_weight_are_carried),
      cmocka_unit_test(bars_yield),
      cmocka_unit_test(other_analyses_refuse_them_by_name),
      cmocka_unit_test(states_are_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
