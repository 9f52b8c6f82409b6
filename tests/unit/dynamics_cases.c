/* Whole cases of the dynamics room held against hand calculations, at the defaults. */
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
  if (strcmp(set[0].key, "physics") != 0)
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
        fail_msg("%s on %s: %g, expected %g", t->want[i].name, *backend, f.seen[i],
                 t->want[i].value);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

#define STEEL "{name: steel, density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}"
#define STEEL_0 "{name: steel, density: 7850 kg/m^3, young: 210 GPa, poisson: 0}"

/* The first analysis is static and leads nodes, or a body: it needs a velocity before a step. */
static void statics_begin_with_prescribed_motion(void **state) {
  (void)state;
  const problem nodes = {
      {{"mesh", "{boxes: {size: [4, 1, 1], cells: [4, 1, 1]}}"},
       {"materials", STEEL_0},
       {"supports",
        "[{set: xmin, fix: xyz}, {set: xmax, displacement: [1 mm, 0, 0], components: x, "
        "history: [[0, 0], [1, 1]]}]"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "{name: pull, set: xmax, quantity: fx}"}},
      {{"pull", 210e9 * 0.001 / 4, 210e9 * 0.001 / 4 * 2e-3}, {"static_error", 0, 1e-3}}};
  const problem body = {
      {{"mesh", "{boxes: {size: [0.1, 0.02, 0.02], cells: [5, 1, 1]}, sets: [{name: head, of: "
                "nodes, box: {min: [0.079, -1, -1], max: [1, 1, 1]}}]}"},
       {"materials", STEEL_0},
       {"supports", "{set: xmin, fix: all}"},
       {"bodies", "{set: head, displacement: [0.0001, 0, 0], history: [[0, 0], [1, 1]]}"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "{name: pull, set: xmin, quantity: fx}"}},
      {{"pull", -210e9 * 4e-4 * 1e-4 / 0.08, 105e3 * 4e-3}}};
  hold(&nodes);
  hold(&body);
}

/* Equal bars on equal grids, end on: they exchange velocities. A cube falls on its like. */
static void contact_makes_no_energy(void **state) {
  (void)state;
  const double energy = 0.5 * 7850 * 0.1 * 1e-4 * 100; /* J */
  const problem bars = {
      {{"mesh",
        "{boxes: [{name: a, size: [100 mm, 10 mm, 10 mm], cells: [25, 3, 3]}, {name: b, origin: "
        "[100.5 mm, 0, 0], size: [100 mm, 10 mm, 10 mm], cells: [25, 3, 3]}], sets: [{name: an, "
        "of: nodes, box: {min: [-1, -1, -1], max: [100.1 mm, 1, 1]}}, {name: bn, of: nodes, box: "
        "{min: [100.4 mm, -1, -1], max: [1, 1, 1]}}]}"},
       {"materials", STEEL_0},
       {"initial", "{set: an, velocity: [10, 0, 0]}"},
       {"contact", "{thickness: 0.2 mm}"},
       {"analysis", "{duration: 0.15 ms}"},
       {"probes", "[{name: va, set: an, quantity: vx}, {name: vb, set: bn, quantity: vx}]"}},
      {{"va", 0, 0.2},
       {"vb", 10, 0.2},
       {"contact_energy_made", 0, 0.005 * energy},
       {"energy_error", 0, 0.005}}};
  const problem stack = {
      {{"mesh", "{boxes: [{name: low, size: [100 mm, 100 mm, 100 mm], cells: [3, 3, 3]}, {name: "
                "top, origin: [0, 0, 101 mm], size: [100 mm, 100 mm, 100 mm], cells: [3, 3, 3]}], "
                "sets: [{name: tn, of: nodes, box: {min: [-1, -1, 100.5 mm], max: [1, 1, 1]}}]}"},
       {"materials", STEEL},
       {"supports", "{set: zmin, fix: all}"},
       {"initial", "{set: tn, velocity: [0, 0, -1]}"},
       {"contact", "{}"},
       {"analysis", "{duration: 3 ms}"},
       {"probes", "{name: vz, set: tn, quantity: vz}"}},
      /* thrown back, with less than it came with: the lower one rings */
      {{"vz", 0.85, 0.15}, {"contact_energy_made", 0, 0.02 * 3.925}, {"energy_error", 0, 0.02}}};
  hold(&bars);
  hold(&stack);
}

/* Two blocks, half a millimetre apart, are pressed together by 0.001 E: they close the gap, all of
   it, and shorten by 0.001 of their height; contact adds a tenth of an element to it. Meshes that
   do not match bear it less evenly. */
static void contact_is_as_stiff_as_its_elements(void **state) {
  (void)state;
  problem stack = {
      {{"mesh", "{boxes: [{name: a, size: [20 mm, 20 mm, 20 mm], cells: [4, 4, 4]}, {name: b, "
                "origin: [0, 0, 20.5 mm], size: [20 mm, 20 mm, 20 mm], cells: [4, 4, 4]}]}"},
       {"materials", "{name: st, density: 7850, young: 210 GPa, poisson: 0}"},
       {"supports", "[{set: zmin, fix: z}, {set: xmin, fix: x}, {set: ymin, fix: y}]"},
       {"contact", "{}"},
       {"loads", "{set: zmax, pressure: 210 MPa, history: [[0, 0], [1, 1]]}"},
       {"analysis", "{kind: static, method: relaxation, at_time: 1, steps: 20000}"},
       {"probes", "{name: top, set: zmax, quantity: uz}"}},
      {{"top", -0.54e-3, 0.02 * 0.04e-3}, {"contact_energy_made", 0, 1e-3}}};
  hold(&stack);
  stack.set[0].value =
      "{boxes: [{name: a, size: [20 mm, 20 mm, 20 mm], cells: [4, 4, 4]}, {name: b, origin: [0, 0, "
      "20.5 mm], size: [20 mm, 20 mm, 20 mm], cells: [3, 3, 4]}]}";
  stack.want[0].tolerance = 0.06 * 0.04e-3;
  hold(&stack);
}

/* A block on a slope of 30 degrees that is as steep as gravity is tilted, 1 mm above it, which is
   the thickness of contact. It stays where friction is larger than tan(30), else it slides as
   Coulomb says. */
static void friction_holds(void **state) {
  (void)state;
  problem slope = {
      {{"mesh",
        "{boxes: [{name: slab, origin: [-0.05, -0.05, -0.05], size: [0.3, 0.2, 0.049], cells: [6, "
        "4, 1]}, {name: block, origin: [0.01, 0.01, 0], size: [0.1, 0.1, 0.05], cells: [3, 3, "
        "2]}], "
        "sets: [{name: base, box: {min: [-1, -1, -0.0501], max: [1, 1, -0.0499]}}]}"},
       {"materials", "{name: m, density: 1000, young: 1e7, poisson: 0.3}"},
       {"contact", "{friction: 0.8, thickness: 1 mm}"},
       {"supports", "{set: base, fix: all}"},
       {"gravity", "{acceleration: [4.905, 0, -8.495709], history: [[0, 0], [0.1, 1]]}"},
       {"analysis", "{duration: 0.25}"},
       {"probes", "[{name: vx, set: block, quantity: vx}, {name: ux, set: block, quantity: ux}]"}},
      {{"vx", 0, 1e-4}, {"ux", 5e-6, 5e-6}, {"energy_error", 0, 0.001}}};
  hold(&slope);
  slope.set[2].value = "{friction: 0.2, thickness: 1 mm}";
  slope.set[4].value = "{acceleration: [4.905, 0, -8.495709]}";
  slope.set[5].value = "{duration: 0.1}";
  slope.want[0] = (wanted){"vx", 0.1 * 3.20586, 0.01 * 0.320586};
  slope.want[1] = (wanted){"ux", 0.005 * 3.20586, 0.01 * 0.01603};
  hold(&slope);
}

/* Two plates on edge that cross at right angles between their nodes: particles and triangles see
   nothing there. Rigid plates of equal mass change velocities exactly; elastic ones keep momentum
   and energy, and part; with edges off they pass through each other. */
#define PLATES(nx, nz)                                                                             \
  "{boxes: [{name: a, origin: [-50 mm, -1 mm, 3 mm], size: [100 mm, 2 mm, 20 mm], cells: [" nx     \
  ", 1, " nz "]}, {name: b, origin: [-1 mm, -50 mm, -20 mm], size: [2 mm, 100 mm, 20 mm], cells: " \
  "[1, " nx ", " nz "]}], sets: [{name: an, of: nodes, box: {min: [-1, -1, 2 mm], max: [1, 1, "    \
  "1]}}, {name: bn, of: nodes, box: {min: [-1, -1, -1], max: [1, 1, 1 mm]}}]}"
static void edges_touch_edges(void **state) {
  (void)state;
  const double energy = 0.5 * 7850 * 4e-6 * 100; /* J */
  const char *const probes =
      "[{name: va, set: an, quantity: vz}, {name: vb, set: bn, quantity: vz}]";
  const problem rigid = {{{"mesh", PLATES("5", "1")},
                          {"materials", STEEL},
                          {"bodies", "[{set: an}, {set: bn}]"},
                          {"initial", "{set: an, velocity: [0, 0, -10]}"},
                          {"contact", "{thickness: 2 mm}"},
                          {"analysis", "{duration: 1.2 ms, time_step: 1e-6 s}"},
                          {"probes", probes}},
                         /* of the four pairs of edges each takes one: they turn a little */
                         {{"va", 0, 0.05},
                          {"vb", -10, 0.05},
                          {"contact_energy_made", 0, 0.005 * energy},
                          {"contact_energy_stored", 0, 1e-12}}};
  const problem elastic = {{{"mesh", PLATES("7", "2")},
                            {"materials", STEEL},
                            {"initial", "{set: an, velocity: [0, 0, -10]}"},
                            {"contact", "{}"},
                            {"analysis", "{duration: 0.8 ms}"},
                            {"probes", probes}},
                           {{"vb", -9, 1}, /* thrown off, less what rings */
                            {"contact_energy_made", 0, 0.005 * energy},
                            {"energy_error", 0, 0.005}}};
  hold(&rigid);
  hold(&elastic);
  problem through = elastic;
  through.set[3].value = "{edges: false}";
  through.want[0] = (wanted){"vb", 0, 1e-12};
  through.want[1].name = NULL;
  hold(&through);
}

/* A shot erodes a weak layer, then strikes what lies behind it. Without the faces behind, it flew
   on through the block. A failing element must not create energy either. */
static void eroded_surfaces_touch(void **state) {
  (void)state;
  const double energy = 0.5 * 7850 * 14e-3 * 14e-3 * 20e-3 * 200 * 200; /* J */
  problem shot = {
      {{"mesh",
        "{boxes: [{name: target, size: [20 mm, 20 mm, 20 mm], cells: [4, 4, 8]}, {name: shot, "
        "origin: [3 mm, 3 mm, 21 mm], size: [14 mm, 14 mm, 20 mm], cells: [3, 3, 4]}], sets: "
        "[{name: layer, of: elements, box: {min: [-1, -1, 15 mm], max: [1, 1, 20.1 mm]}}, {name: "
        "sn, of: nodes, box: {min: [-1, -1, 20.9 mm], max: [1, 1, 1]}}, {name: bn, of: nodes, box: "
        "{min: [-1, -1, -1], max: [1, 1, 15.1 mm]}}, {name: tip, of: nodes, box: {min: [-1, -1, "
        "20.9 mm], max: [1, 1, 21.1 mm]}}]}"},
       {"materials",
        "[" STEEL ", {name: weak, set: layer, density: 2700 kg/m^3, young: 20 GPa, poisson: 0.3, "
        "law: johnson_cook, yield: 50 MPa, johnson_cook: {b: 10 MPa, n: 0.5, c: 0, rate0: 1 1/s, "
        "m: 1, room: 294 K, melt: 900 K, failure: [0.1, 0, 0, 0, 0]}}]"},
       {"initial", "{set: sn, velocity: [0, 0, -200]}"},
       {"contact", "{}"},
       {"analysis", "{duration: 0.08 ms}"},
       {"probes", "[{name: vs, set: sn, quantity: vz}, {name: vb, set: bn, quantity: vz}, {name: "
                  "us, set: tip, quantity: uz}]"}},
      /* equal masses nearly: the block flies on at 0.6 of the speed, and the tip stops behind the
         layer of 5 mm and the 1 mm before it, and what the block gives way until it has thrown it
         off
       */
      {{"vs", 0, 20},
       {"vb", -125, 10},
       {"us", -0.0066, 0.0008},
       {"energy_error", 0, 0.002},
       {"contact_energy_made", -0.03 * energy, 0.03 * energy}}};
  hold(&shot);
}

/* Nothing limits the step of rigid bodies: it must be given. */
static void rigid_models_need_a_step(void **state) {
  (void)state;
  const problem alone = {
      {{"mesh", "{boxes: {size: [1, 1, 1], cells: [1, 1, 1]}, sets: [{name: every, "
                "of: nodes, box: {min: [-1, -1, -1], max: [2, 2, 2]}}]}"},
       {"materials", STEEL},
       {"bodies", "{set: every}"},
       {"analysis", "{duration: 1 ms}"}},
      {{0}}};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, alone.set);
  assert_int_equal(ig_run(c, NULL), IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "give `time_step`"));
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* Johnson and Cook's rate term, where Newton's steps used to go round in circles. */
static void johnson_cook_runs_with_its_rate_term(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    static const char *const copper[3] = {
#define COPPER(c)                                                                                  \
  "{name: copper, density: 8960 kg/m^3, young: 124 GPa, poisson: 0.34, law: johnson_cook, yield: " \
  "90 MPa, johnson_cook: {b: 292 MPa, n: 0.31, c: " c                                              \
  ", rate0: 1 1/s, m: 1.09, room: 294 K, melt: 1356 K}}"
        COPPER("0.001"), COPPER("0.025"), COPPER("0.1")};
    const problem bar = {
        {{"mesh", "{cylinder: {radius: 3.81 mm, height: 25.4 mm, cells: [2, 2, 8]}}"},
         {"materials", copper[i]},
         {"initial", "{velocity: [0, 0, -190]}"},
         {"tools", "{shape: plane, axis: [0, 0, 1]}"},
         {"analysis", "{duration: 15 us, safety: 0.8}"},
         {"probes", "{name: top, set: top, quantity: uz}"}},
        {{"top", -190 * 15e-6, 2e-4}, {"energy_error", 0, 0.01}}};
    hold(&bar);
  }
}

/* A shaft under torque alone: no way to find the damping, which went on for a million steps. */
static void shafts_need_damping(void **state) {
  (void)state;
  problem shaft = {{{"mesh", "{beam_line: {x: [0, 1 m], cells: 20}}"},
                    {"materials", STEEL},
                    {"sections", "{profile: tube, radius: 20 mm, wall: 2 mm}"},
                    {"supports", "{set: start, fix: all}"},
                    {"loads", "{set: end, moment: [100, 0, 0]}"},
                    {"probes", "[{name: root, set: start, quantity: mx}, {name: torque, set: all, "
                               "quantity: torsion}]"},
                    {"analysis", "{kind: static, method: relaxation}"}},
                   {{"root", -100, 0.1}, {"torque", 100, 0.1}}};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, shaft.set);
  assert_int_equal(ig_run(c, NULL), IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), "give `damping`"));
  ig_case_close(c);
  ig_ctx_close(cx);
  shaft.set[6].value = "{kind: static, method: relaxation, damping: 5000}";
  hold(&shaft);
}

/* `johnson_cook` given is the law, without `law` too: a bar at a strain of 0.02 carries
   A + B (0.02 - s / E), not its yield stress alone. */
static void johnson_cook_is_the_law_where_given(void **state) {
  (void)state;
  const double E = 200e9, A = 100e6, B = 5e9, strain = log(1.02);
  const double stress = (A + B * strain) / (1 + B / E), across = 1 - 0.5 * strain;
  hold(&(problem){{{"mesh", "{boxes: {size: [10 mm, 1 mm, 1 mm], cells: [4, 1, 1]}}"},
                   {"materials", "{name: m, density: 7800, young: 200 GPa, poisson: 0.3, yield: "
                                 "100 MPa, johnson_cook: {b: 5 GPa, n: 1}}"},
                   {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}, "
                                "{set: xmax, components: x, displacement: [0.2 mm, 0, 0], history: "
                                "[[0, 0], [1, 1]]}]"},
                   {"analysis", "{kind: static, method: relaxation, ramp: 20000}"},
                   {"probes", "{name: pull, set: xmax, quantity: fx}"}},
                  {{"pull", stress * 1e-6 * across * across, 0.02 * stress * 1e-6}}});
}

/* A block of 320 kg tied to one of a tonne, under gravity aslant: statics end, and the foot carries
   both. */
static void tied_blocks_rest_under_their_weight(void **state) {
  (void)state;
  hold(&(problem){
      {{"mesh", "{boxes: [{size: [1, 1, 1], cells: [3, 3, 3]}, {origin: [0.1, 0.1, 1.00001], size: "
                "[0.8, 0.8, 0.5], cells: [2, 2, 1]}], sets: [{name: face, of: faces, box: {min: "
                "[-1, -1, 0.999], max: [2, 2, 1.000005]}}, {name: foot, of: nodes, box: {min: [-1, "
                "-1, 1.000005], max: [2, 2, 1.001]}}]}"},
       {"materials", "{name: m, density: 1000, young: 1e8, poisson: 0.3}"},
       {"ties", "{set: foot, to: face, distance: 1 mm}"},
       {"supports", "{set: zmin, fix: all}"},
       {"gravity", "{acceleration: [3, 0, -10]}"},
       {"analysis", "{kind: static, method: relaxation, steps: 20000}"},
       {"probes", "[{name: fx, set: zmin, quantity: fx}, {name: fz, set: zmin, quantity: fz}]"}},
      {{"fx", -3960, 0.4}, {"fz", 13200, 1.3}}});
}

/* A cylinder under pressure: hoop force p r, nothing along it; stress p r / t at both surfaces. A
   cantilever plate bends: opposite stresses 6 M / t^2. */
static void shells_tell_forces_in_a_stated_frame(void **state) {
  (void)state;
  const problem vessel = {
      {{"mesh", "{cylinder_shell: {radius: 0.5 m, height: 0.1 m, cells: [48, 3]}}"},
       {"materials", STEEL},
       {"sections", "{thickness: 5 mm}"},
       {"supports", "{set: bottom, fix: z}"},
       {"loads", "{set: all, pressure: -1 MPa}"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes",
        "[{name: nxx, set: all, quantity: nxx}, {name: nyy, set: all, quantity: nyy}, {name: top, "
        "set: all, quantity: top_xx}, {name: bottom, set: all, quantity: bottom_xx}]"}},
      {{"nxx", 500e3, 2e3}, {"nyy", 0, 1e3}, {"top", 100e6, 2e6}, {"bottom", 100e6, 2e6}}};
  const problem along = {
      {{"mesh", "{cylinder_shell: {radius: 0.5 m, height: 0.1 m, cells: [48, 3]}}"},
       {"materials", STEEL},
       {"sections", "{thickness: 5 mm, local_x: [0, 0, 2]}"},
       {"supports", "{set: bottom, fix: z}"},
       {"loads", "{set: all, pressure: -1 MPa}"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "[{name: nxx, set: all, quantity: nxx}, {name: nyy, set: all, quantity: nyy}]"}},
      {{"nxx", 0, 1e3}, {"nyy", 500e3, 2e3}}};
  const problem plate = {
      {{"mesh",
        "{plate: {size: [100 mm, 10 mm], cells: [20, 2]}, element: tri3, shell: true, "
        "triangle_pattern: alternating, sets: [{name: root, of: elements, box: {min: [-1, -1, -1], "
        "max: [5 mm, 1, 1]}}]}"},
       {"materials", STEEL_0},
       {"sections", "{thickness: 1 mm}"},
       {"supports", "{set: xmin, fix: all}"},
       {"loads", "{set: xmax, total: [0, 0, 0.1 N]}"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes",
        "[{name: tip, set: xmax, quantity: uz}, {name: top, set: root, quantity: top_xx}, {name: "
        "bottom, set: root, quantity: bottom_xx}]"}},
      /* mean over the first element: M = 0.1 N x 97.5 mm over a section modulus of 10/6 mm^3 */
      {{"tip", 0.1 * 1e-3 / (3 * 210e9 * 1e-11 / 12), 0.01 * 1.905e-4},
       {"top", -5.85e6, 0.02 * 5.85e6},
       {"bottom", 5.85e6, 0.02 * 5.85e6}}};
  hold(&vessel);
  hold(&along);
  hold(&plate);
}

/* Nothing resists the turn of a flat shell about its normal: such turns, which the slopes couple to
   the bending, kept statics from ending at 1e-4. A cantilever by beam theory; a plate simply
   supported at its edges by Navier's series, 0.0040624 q a^4 / D, 1.3 % off on 8 x 8 and 0.37 % on
   16 x 16: second order in the size of elements. */
static void statics_of_flat_shells_end(void **state) {
  (void)state;
  static const char *const mesh[] = {
      "{plate: {size: [1, 0.25], cells: [8, 2]}, element: tri3, shell: true, triangle_pattern: "
      "alternating}",
      "{plate: {size: [1, 0.25], cells: [8, 2]}, element: quad4, shell: true}"};
  for (int i = 0; i < 2; i++) {
    const problem cantilever = {
        {{"mesh", mesh[i]},
         {"materials", STEEL_0},
         {"sections", "{thickness: 10 mm}"},
         {"supports", "{set: xmin, fix: all}"},
         {"loads", "{set: xmax, total: [0, 0, 40 N]}"},
         {"analysis",
          "{kind: static, method: relaxation, ramp: 500, tolerance: 1e-4, steps: 60000}"},
         {"probes", "{name: tip, set: xmax, quantity: uz}"}},
        {{"tip", 40 / (3 * 210e9 * 0.25e-6 / 12), 1e-3 * 3.0476e-3}}};
    hold(&cantilever);
  }
  const problem plate = {
      {{"mesh",
        "{plate: {size: [1, 1], cells: [8, 8]}, element: tri3, shell: true, triangle_pattern: "
        "alternating, sets: {name: middle, of: nodes, box: {min: [0.49, 0.49, -1], max: "
        "[0.51, 0.51, 1]}}}"},
       {"materials", STEEL},
       {"sections", "{thickness: 10 mm}"},
       {"supports", "[{set: xmin, fix: x y z}, {set: xmax, fix: z}, {set: ymin, fix: z}, {set: "
                    "ymax, fix: z}]"},
       {"loads", "{set: all, pressure: -1 kPa}"},
       {"analysis", "{kind: static, method: relaxation, ramp: 500, tolerance: 1e-4, steps: 60000}"},
       {"probes", "{name: middle, set: middle, quantity: uz}"}},
      {{"middle", 0.0040624 * 1e3 * 12 * (1 - 0.09) / 210e3, 0.015 * 2.1125e-4}}};
  hold(&plate);
  /* Bent and twisted, so that elements stand at angles of 0.001 to 0.1: these turns took 30,550
     steps when they were left to relax. Wanted: what a tolerance of 1e-7 gives. */
  const problem bent = {
      {{"mesh",
        "{plate: {size: [1, 0.25], cells: [6, 1]}, element: tri3, shell: true, triangle_pattern: "
        "alternating}"},
       {"materials", STEEL_0},
       {"sections", "{thickness: 10 mm}"},
       {"supports", "{set: xmin, fix: all}"},
       {"loads", "{set: xmax, total: [0, 500 N, 4 kN]}"},
       {"analysis", "{kind: static, method: relaxation, ramp: 500, tolerance: 1e-5, steps: 20000}"},
       {"probes", "{name: tip, set: xmax, quantity: uz}"}},
      {{"tip", 0.2808865, 3e-5 * 0.2808865}}};
  hold(&bent);
}

/* Quadrilaterals: a cantilever plate, a vessel, a plate beyond yield and a cylinder pulled far out
   of its shape (Sze, Liu and Lo 2004: 1.702, 2.215, 2.291 at a tenth of the load). */
static void quadrilateral_shells_are_right(void **state) {
  (void)state;
  const problem plate = {
      {{"mesh", "{plate: {size: [100 mm, 10 mm], cells: [20, 2]}, element: quad4, shell: true}"},
       {"materials", STEEL_0},
       {"sections", "{thickness: 1 mm}"},
       {"supports", "{set: xmin, fix: all}"},
       {"loads", "{set: xmax, total: [0, 0, 0.1 N]}"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "{name: tip, set: xmax, quantity: uz}"}},
      {{"tip", 0.1 * 1e-3 / (3 * 210e9 * 1e-11 / 12), 0.01 * 1.905e-4}}};
  const problem vessel = {
      {{"mesh", "{cylinder_shell: {radius: 0.5 m, height: 0.1 m, cells: [48, 3]}, element: quad4}"},
       {"materials", STEEL},
       {"sections", "{thickness: 5 mm}"},
       {"supports", "{set: bottom, fix: z}"},
       {"loads", "{set: all, pressure: -1 MPa}"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "[{name: nxx, set: all, quantity: nxx}, {name: nyy, set: all, quantity: nyy}]"}},
      {{"nxx", 500e3, 2e3}, {"nyy", 0, 1e3}}};
  /* tension to twice the yield strain, linear hardening: E H / (E + H) beyond it */
  const double beyond = 200e6 + 200e9 * 2e9 / 202e9 * 0.001;
  const problem yields = {
      {{"mesh", "{plate: {size: [0.2, 0.1], cells: [4, 2]}, element: quad4, shell: true}"},
       {"materials", "{name: soft, density: 7850 kg/m^3, young: 200 GPa, poisson: 0.3, yield: 200 "
                     "MPa, hardening: 2 GPa}"},
       {"sections", "{thickness: 2 mm}"},
       {"supports", "[{set: xmin, fix: \"x z rx ry rz\"}, {set: ymin, fix: \"y\"}, {set: xmax, "
                    "displacement: [0.4 mm, 0, 0], components: x, history: [[0, 0], [1, 1]]}]"},
       {"analysis", "{kind: static, method: relaxation, ramp: 8000}"},
       {"probes",
        "[{name: nxx, set: all, quantity: nxx}, {name: top, set: all, quantity: top_xx}]"}},
      {{"nxx", beyond * 0.002, 0.01 * beyond * 0.002}, {"top", beyond, 0.01 * beyond}}};
  const problem pulled = {
      {{"mesh",
        "{cylinder_shell: {radius: 4.953, height: 5.175, angle: 90 deg, cells: [18, 12]}, element: "
        "quad4, sets: [{name: A, sphere: {center: [0, 4.953, 0], radius: 0.01}}, {name: B, sphere: "
        "{center: [4.953, 0, 0], radius: 0.01}}, {name: C, sphere: {center: [4.953, 0, 5.175], "
        "radius: 0.01}}]}"},
       {"materials", "{name: unit, density: 1, young: 10.5e6, poisson: 0.3125}"},
       {"sections", "{thickness: 0.094}"},
       {"supports", "[{set: bottom, fix: \"z rx ry\"}, {set: start, fix: \"y rx rz\"}, {set: end, "
                    "fix: \"x ry rz\"}]"},
       {"loads", "{set: A, force: [0, 1000, 0], history: [[0, 0], [1, 1]]}"},
       {"analysis", "{kind: static, method: relaxation, ramp: 2000}"},
       {"probes", "[{name: wA, set: A, quantity: uy}, {name: uB, set: B, quantity: ux}, {name: uC, "
                  "set: C, quantity: ux}]"}},
      {{"wA", 1.702, 0.04 * 1.702}, {"uB", -2.215, 0.04 * 2.215}, {"uC", -2.291, 0.04 * 2.291}}};
  hold(&plate);
  hold(&vessel);
  hold(&yields);
  hold(&pulled);
}

/* The pinched cylinder at its whole load, large displacements (Sze, Liu and Lo 2004: 1.3265 m under
   the load), triangles and quadrilaterals, on meshes that are coarse enough for a test. */
static void pinched_cylinder_meets_published_figure(void **state) {
  (void)state;
#define PINCHED(cells, element)                                                                    \
  {                                                                                                \
    {{"mesh", "{cylinder_shell: {radius: 1.016 m, height: 3.048 m, angle: 90 deg, cells: " cells   \
              "}, element: " element ", sets: {name: loaded, sphere: {center: [1.016, 0, 3.048], " \
              "radius: 1 mm}}}"},                                                                  \
     {"materials", "{name: rubber, density: 1000 kg/m^3, young: 20.685 MPa, poisson: 0.3}"},       \
     {"sections", "{thickness: 0.03 m}"},                                                          \
     {"supports", "[{set: bottom, fix: all}, {set: start, fix: \"y rx rz\"}, {set: end, fix: "     \
                  "\"x ry rz\"}]"},                                                                \
     {"loads", "{set: loaded, force: [-500, 0, 0], history: [[0, 0], [1, 1]]}"},                   \
     {"analysis", "{kind: static, method: relaxation, ramp: 1000}"},                               \
     {"probes", "{name: inward, set: loaded, quantity: ux}"}},                                     \
    {                                                                                              \
      {"inward", -1.3265, 0.03 * 1.3265}, {                                                        \
        "static_error", 0, 1e-3                                                                    \
      }                                                                                            \
    }                                                                                              \
  }
  const problem triangles = PINCHED("[16, 16]", "tri3"), quads = PINCHED("[20, 20]", "quad4");
  hold(&triangles);
  hold(&quads);
}

/* The pinched hemisphere at its whole load (Sze, Liu and Lo 2004: 4.067 out, 8.178 in), where large
   turns warp the quadrilaterals. A comparison: what this coarse mesh lacks falls with its square
   (12 % in on 10 x 10, 5.5 % on 16 x 16); cut into triangles both ways in space it lacks 18 %
   there. */
static void hemisphere_comes_near_published_figure(void **state) {
  (void)state;
  const problem quads = {
      {{"mesh", "{hemisphere: {radius: 10, angle: 90 deg, cells: [10, 10]}, element: quad4, sets: "
                "[{name: A, sphere: {center: [0, 10, 0], radius: 0.01}}, {name: B, sphere: "
                "{center: [10, 0, 0], radius: 0.01}}]}"},
       {"materials", "{name: unit, density: 1, young: 6.825e7, poisson: 0.3}"},
       {"sections", "{thickness: 0.04}"},
       {"supports", "[{set: start, fix: \"y rx rz\"}, {set: end, fix: \"x ry rz\"}, {set: A, "
                    "fix: z}]"},
       {"loads", "[{set: A, force: [0, 200, 0], history: [[0, 0], [1, 1]]}, {set: B, force: [-200, "
                 "0, 0], history: [[0, 0], [1, 1]]}]"},
       {"analysis", "{kind: static, method: relaxation, ramp: 1000}"},
       {"probes", "[{name: outward, set: A, quantity: uy}, {name: inward, set: B, quantity: ux}]"}},
      {{"outward", 4.067, 0.06 * 4.067}, {"inward", -8.178, 0.13 * 8.178}}};
  hold(&quads);
}

/* Quadratic tetrahedra, two across the height: a cantilever with shear (Timoshenko), its first
   frequency shows in the time of a free swing; pressure on curved-capable faces stretches a bar. */
static void quadratic_tetrahedra_are_right(void **state) {
  (void)state;
  const double ei = 210e9 * 1e-8 / 12,
               tip = 10 * 1e-3 / (3 * ei) + 10 * 0.1 / (5.0 / 6 * 105e9 * 1e-4);
  const problem bends = {
      {{"mesh", "{boxes: {size: [100 mm, 10 mm, 10 mm], cells: [10, 1, 1]}, element: tet10}"},
       {"materials", STEEL_0},
       {"supports", "{set: xmin, fix: xyz}"},
       {"loads", "{set: xmax, total: [0, 0, 10 N]}"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "{name: tip, set: xmax, quantity: uz}"}},
      {{"tip", tip, 0.01 * tip}, {"static_error", 0, 1e-3}}};
  const problem pressed = {
      {{"mesh", "{boxes: {size: [100 mm, 10 mm, 10 mm], cells: [5, 1, 1]}, element: tet10}"},
       {"materials", STEEL},
       {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]"},
       {"loads", "{set: xmax, pressure: -210 MPa}"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "[{name: pulled, set: xmax, quantity: ux}, {name: thinner, set: ymax, quantity: "
                  "uy}]"}},
      {{"pulled", 1e-4, 3e-7}, {"thinner", -0.3e-5, 3e-8}}};
  hold(&bends);
  hold(&pressed);
}

/* Statics scale masses, element by element: weight is not scaled with them. A column of unlike
   tetrahedra hangs: its support bears its weight, it is longer by rho g L^2 / 2 E. Then one
   of unlike bricks with a rigid foot. */
static void weight_is_not_scaled(void **state) {
  (void)state;
  const problem column = {
      {{"mesh", "{element: tet10, boxes: {size: [1, 1, 4], cells: [1, 1, 2]}}"},
       {"materials", "{name: s, density: 2000, young: 1 GPa, poisson: 0}"},
       {"supports", "{set: zmax, fix: all}"},
       {"gravity", "{acceleration: [0, 0, -10]}"},
       {"analysis", "{kind: static, method: relaxation, tolerance: 1e-4}"},
       {"probes", "[{name: bears, set: zmax, quantity: fz}, {name: foot, point: [0.5, 0.5, 0], "
                  "quantity: uz}]"}},
      {{"bears", 8e4, 8}, {"foot", -2000 * 10 * 16 / 2e9, 2e-2 * 1.6e-4}}};
  const problem foot = {
      {{"mesh", "{boxes: [{name: a, size: [1, 1, 2], cells: [1, 1, 2]}, {name: b, origin: [0, 0, "
                "2], size: [1, 1, 1], cells: [1, 1, 6]}], sets: {name: foot, of: nodes, box: "
                "{min: [-1, -1, -1], max: [2, 2, 1.01]}}}"},
       {"materials", "{name: s, density: 2000, young: 1 GPa, poisson: 0}"},
       {"supports", "{set: zmax, fix: all}"},
       {"bodies", "{set: foot}"},
       {"gravity", "{acceleration: [0, 0, -10]}"},
       {"analysis", "{kind: static, method: relaxation, tolerance: 1e-4}"},
       {"probes", "{name: bears, set: zmax, quantity: fz}"}},
      {{"bears", 6e4, 6}}};
  hold(&column);
  hold(&foot);
}

/* What statics press together rests when a dynamic analysis takes over, though elements of two
   sizes meet and its masses and steps are others. Pressed by a load; and a stiff block, rigid, by
   its weight. */
static void what_is_pressed_stays_at_rest(void **state) {
  (void)state;
  const problem blocks = {
      {{"mesh", "{boxes: [{name: low, size: [10 mm, 10 mm, 10 mm], cells: [2, 2, 2]}, {name: up, "
                "origin: [1 mm, 1 mm, 10.1 mm], size: [8 mm, 8 mm, 8 mm], cells: [3, 3, 3]}], "
                "sets: [{name: ground, of: nodes, box: {min: [-1, -1, -1], max: [1, 1, 0.01 mm]}}, "
                "{name: top, of: faces, box: {min: [-1, -1, 18.05 mm], max: [1, 1, 1]}}, {name: "
                "topn, of: nodes, box: {min: [-1, -1, 18.05 mm], max: [1, 1, 1]}}]}"},
       {"materials", "{name: s, density: 7850, young: 210 GPa, poisson: 0.3}"},
       {"supports", "[{set: ground, fix: all}, {set: topn, fix: xy}]"},
       {"contact", "{thickness: 0.1 mm}"},
       {"loads", "{set: top, pressure: 100 MPa, history: [[0, 0], [1, 1]]}"},
       {"analysis",
        "[{kind: static, method: relaxation, at_time: 1}, {duration: 20 us, safety: 0.7}]"},
       {"probes", "[{name: bears, set: ground, quantity: fz}, {name: speed, set: up, quantity: "
                  "vz}]"}},
      {{"bears", 6400, 6.4}, {"speed", 0, 1e-3}, {"energy_error", 0, 1e-5}}};
  const problem weight = {
      {{"mesh", "{boxes: [{name: low, size: [10 mm, 10 mm, 10 mm], cells: [2, 2, 2]}, {name: up, "
                "origin: [1 mm, 1 mm, 10.1 mm], size: [8 mm, 8 mm, 8 mm], cells: [3, 3, 3]}], "
                "sets: [{name: ground, of: nodes, box: {min: [-1, -1, -1], max: [1, 1, 0.01 mm]}}, "
                "{name: upn, of: nodes, box: {min: [-1, -1, 10.05 mm], max: [1, 1, 1]}}]}"},
       {"materials", "[{name: s, set: low, density: 2000, young: 1 MPa, poisson: 0.3}, {name: h, "
                     "set: up, density: 8000, young: 100 MPa, poisson: 0.3}]"},
       {"supports", "{set: ground, fix: all}"},
       {"bodies", "{set: upn, fix: xy}"},
       {"contact", "{thickness: 0.1 mm}"},
       {"gravity", "{acceleration: [0, 0, -10], history: [[0, 0], [1, 1]]}"},
       {"analysis",
        "[{kind: static, method: relaxation, at_time: 1, ramp: 400}, {duration: 2 ms}]"},
       {"probes", "[{name: bears, set: ground, quantity: fz}, {name: speed, set: up, quantity: "
                  "vz}]"}},
      {{"bears", 0.02 + 0.04096, 0.0001}, {"speed", 0, 1e-5}}};
  hold(&blocks);
  hold(&weight);
}

/* A bar cooled between two walls by the room `stress` is under E alpha dT. Handed to `dynamics` it
   rests between the same walls; without one of them it shortens by alpha dT L. */
static void residual_stress_is_in_balance(void **state) {
  (void)state;
  const double cold = 1e-5 * (293.15 - 243);
  char *folder = folder_new(), residual[600];
  snprintf(residual, sizeof residual, "{file: %s/snap_000001.vtkhdf}", folder);
  const entry cools[MOST] = {
      {"physics", "stress"},
      {"mesh", "{boxes: {size: [100 mm, 10 mm, 10 mm], cells: [5, 2, 2]}}"},
      {"materials", "{name: m, density: 8000 kg/m^3, young: 200 GPa, poisson: 0.3, mechanical: "
                    "{expansion: 1e-5 1/K}}"},
      {"supports", "[{set: xmin, fix: x}, {set: xmax, fix: x}, {set: ymin, fix: y}, {set: zmin, "
                   "fix: z}]"},
      {"phases",
       "{kind: load, temperature: [[0, 293.15 K], [1, 243 K]], duration: 1 s, steps: 1}"}};
#define BAR_OF_METAL                                                                               \
  {"mesh", "{boxes: {size: [100 mm, 10 mm, 10 mm], cells: [5, 2, 2]}}"},                           \
      {"materials", "{name: m, density: 8000 kg/m^3, young: 200 GPa, poisson: 0.3}"}, {            \
    "residual", residual                                                                           \
  }
  const problem rests = {
      {BAR_OF_METAL,
       {"supports", "[{set: xmin, fix: x}, {set: xmax, fix: x}, {set: ymin, fix: "
                    "y}, {set: zmin, fix: z}]"},
       {"analysis", "{duration: 0.1 ms}"},
       {"probes", "{name: wall, set: xmin, quantity: fx}"}},
      {{"residual_unbalance", 0, 1e-5},
       {"displacement_max", 0, 1e-10},
       {"wall", -200e9 * cold * 1e-4, 1},
       {"energy_error", 0, 1e-6}}};
  const problem shortens = {
      {BAR_OF_METAL,
       {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "{name: end, set: xmax, quantity: ux}"}},
      {{"end", -cold * 0.1, 2e-3 * cold * 0.1}}};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, cools);
  GOOD(cx, ig_run(c, &(ig_run_options){.out = folder}));
  ig_case_close(c);
  ig_ctx_close(cx);
  hold(&rests);
  hold(&shortens);
  folder_remove(folder);
}

/* A column at 0.8 of its buckling load, with a small load Q across: bending is 10^4 times as soft
   as the axis, and the tolerance is still one of the answer. Exact: Q / (P k) (tan kL - kL). */
static void static_tolerance_bounds_the_answer(void **state) {
  (void)state;
  const double ei = 210e9 * 1e-11 / 12, k = sqrt(0.8 * 43.1795 / ei),
               tip = 0.01 / (0.8 * 43.1795 * k) * (tan(0.1 * k) - 0.1 * k);
  const problem column = {
      {{"mesh", "{beam_line: {x: [0, 100 mm], cells: 10}}"},
       {"materials", STEEL_0},
       {"sections", "{line: beam, profile: rectangle, width: 10 mm, height: 1 mm}"},
       {"supports", "{set: start, fix: all}"},
       {"loads", "[{set: end, force: [-43.1795, 0, 0], history: [[0, 0], [1, 0.8]]}, {set: end, "
                 "force: [0, 0, 0.01]}]"},
       {"analysis", "[{kind: static, method: relaxation, at_time: 0}, {kind: static, method: "
                    "relaxation, at_time: 1}]"},
       {"probes", "{name: tip, set: end, quantity: uz}"}},
      {{"tip", tip, 0.01 * tip}, {"static_error", 0, 1e-3}}};
  hold(&column);
}

static void unread(void *user, const char *label, const char *value) {
  (void)user, (void)label, (void)value;
}
/* What a run refuses is refused by a check, in the same words. */
static void check_refuses_what_run_refuses(void **state) {
  (void)state;
#define BAR(analysis, rest)                                                                        \
  {                                                                                                \
    {"mesh", "{boxes: {size: [1, 1, 1], cells: [2, 2, 2]}}"}, {"materials", STEEL},                \
        {"initial", "{velocity: [0, 0, 1]}"}, {"analysis", analysis}, rest                         \
  }
  const struct {
    entry set[MOST];
    const char *words;
  } t[] = {
      {BAR("{}", {0}), "needs its `duration`"},
      {BAR("{duration: 1 ms, time_step: 1 s}", {0}), "above the critical step"},
      {BAR("[{duration: 1 us}, {duration: 1 ms, time_step: 1 s}]", {0}), "above the critical step"},
      {BAR("{duration: 1 ms, mass_scaling_step: 1 s}", {0}), "more than `added_mass`"},
#define PROBE(p) {"probes", p}
      {BAR("{duration: 1 ms}", PROBE("{name: p, set: nowhere}")), "nowhere"},
      {BAR("{duration: 1 ms}", PROBE("{name: p}")), "needs a `set` or a `point`"},
  };
  for (size_t i = 0; i < sizeof t / sizeof *t; i++)
    for (int running = 0; running < 2; running++) {
      ig_ctx *cx = ctx_on("cpu", 1);
      ig_case *c = case_of(cx, t[i].set);
      BAD(cx, running ? ig_run(c, &(ig_run_options){0}) : ig_check(c, unread, NULL), t[i].words);
      ig_case_close(c);
      ig_ctx_close(cx);
    }
}

static char said[512];
static void listen(void *user, ig_log_level level, const char *message) {
  (void)user;
  if (level == IG_LOG_WARN)
    snprintf(said, sizeof said, "%s", message);
}

/* Eight-point hexahedra 4 times as long as high, two layers: (1 + 4^2 / 8) = 3 times too stiff in
   bending. It is said, and only of them. */
static void long_hexahedra_are_said(void **state) {
  (void)state;
  const struct {
    const char *cells, *sections;
    bool warned;
  } t[] = {{"[25, 1, 2]", "{integration: bbar}", true},
           {"[25, 1, 2]", "{integration: single}", false},
           {"[50, 2, 1]", "{integration: bbar}", false}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    char mesh[96];
    snprintf(mesh, sizeof mesh, "{boxes: {size: [0.5, 0.02, 0.01], cells: %s}}", t[i].cells);
    const entry set[MOST] = {{"mesh", mesh},
                             {"materials", STEEL},
                             {"sections", t[i].sections},
                             {"initial", "{velocity: [0, 0, 1]}"},
                             {"analysis", "{duration: 1 us}"}};
    ig_ctx *cx = NULL;
    const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = listen};
    assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
    ig_case *c = case_of(cx, set);
    said[0] = 0;
    GOOD(cx, ig_check(c, unread, NULL));
    assert_true((strstr(said, "4.0 times as long as high") != NULL) == t[i].warned);
    assert_true((strstr(said, "3.0 times too stiff") != NULL) == t[i].warned);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

/* Solids that slide at distance 0, where contact gives way by a little: what lies ahead of the
   block stands above its lower face, and once took hold of its front. Velocity after 0.2 s and some
   nodes of either mesh, as by hand within 1 % of the friction, 1e-3 of the weight without. */
static void sliding_at_distance_0_does_not_catch(void **state) {
  (void)state;
  const struct {
    const char *slab, *block, *element;
    double friction;
  } t[] = {{"[8, 2, 1]",
            "{name: block, origin: [0.01, 0.01, 1e-6], size: [0.1, 0.08, 0.05], cells: "
            "[3, 2, 2]}",
            "hex8", 0},
           {"[8, 2, 1]",
            "{name: block, origin: [0, 0, 1e-6], size: [0.1, 0.1, 0.05], cells: [2, "
            "2, 1]}",
            "hex8", 0},
           {"[8, 2, 1]",
            "{name: block, origin: [0, 0, 1e-6], size: [0.1, 0.1, 0.05], cells: [2, "
            "2, 1]}",
            "hex8", 0.2},
           {"[12, 3, 1]",
            "{name: block, origin: [0.01, 0.01, 1e-6], size: [0.1, 0.08, 0.05], "
            "cells: [3, 2, 2]}",
            "tet4", 0.2}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    char mesh[320], contact[40];
    snprintf(mesh, sizeof mesh,
             "{boxes: [{name: slab, origin: [0, 0, -0.05], size: [0.4, 0.1, 0.05], cells: %s}, "
             "%s], element: %s}",
             t[i].slab, t[i].block, t[i].element);
    snprintf(contact, sizeof contact, "{friction: %g}", t[i].friction);
    const double slower = t[i].friction * 9.81 * (0.12 - 0.02 / 2);
    const problem p = {{{"mesh", mesh},
                        {"materials", "{name: m, density: 1000, young: 1e7, poisson: 0.3}"},
                        {"contact", contact},
                        {"supports", "{set: slab, fix: all}"},
                        {"gravity", "{acceleration: [0, 0, -9.81], history: [[0, 0], [0.02, 1]]}"},
                        {"initial", "{set: block, velocity: [1, 0, 0]}"},
                        {"analysis", "{duration: 0.12}"},
                        {"probes", "{name: vx, set: block, quantity: vx}"}},
                       {{"vx", 1 - slower, slower > 0 ? 0.01 * slower : 1e-3 * 9.81 * 0.12},
                        {"energy_error", 0, 1e-2}}};
    hold(&p);
  }
}

/* A block over four plates laid end to end, a micrometre apart: their ends, which its front looks
 * at, do not hold it. */
static void plates_end_to_end_do_not_catch(void **state) {
  (void)state;
#define PLATE(x)                                                                                   \
  "{name: plates, origin: [" x ", 0, -0.05], size: [0.1, 0.1, 0.05], cells: [2, 2, 1]}, "
  for (int i = 0; i < 2; i++) {
    const double slower = i ? 0.2 * 9.81 * (0.2 - 0.02 / 2) : 0;
    const problem p = {
        {{"mesh", "{boxes: [" PLATE("0") PLATE("0.100001") PLATE("0.200002") PLATE(
                      "0.300003") "{name: block, origin: [0.01, 0.01, 1e-6], size: [0.1, 0.08, "
                                  "0.05], cells: [3, 2, 2]}]}"},
         {"materials", "{name: m, density: 1000, young: 1e7, poisson: 0.3}"},
         {"contact", i ? "{friction: 0.2}" : "{}"},
         {"supports", "{set: plates, fix: all}"},
         {"gravity", "{acceleration: [0, 0, -9.81], history: [[0, 0], [0.02, 1]]}"},
         {"initial", "{set: block, velocity: [1, 0, 0]}"},
         {"analysis", "{duration: 0.2}"},
         {"probes", "{name: vx, set: block, quantity: vx}"}},
        {{"vx", 1 - slower, i ? 0.01 * slower : 2e-3}, {"energy_error", 0, 1e-2}}};
    hold(&p);
  }
}

/* A block falls onto a ledge that it overlaps by 0.5 mm, a hundredth of a face. A rigid one that is
   struck at its end, by J = 2 v m / (1 + r^2 m / I), goes on at 0.41 m/s; this one swings. Ridges
   that let it by until it was deep gave it a blow. */
static void blocks_land_on_ledges(void **state) {
  (void)state;
  const problem p = {
      {{"mesh", "{boxes: [{name: ledge, origin: [0, 0, -0.05], size: [0.1, 0.1, 0.05], cells: [2, "
                "2, 1]}, {name: block, origin: [0.0995, 0.01, 0.001], size: [0.1, 0.08, 0.05], "
                "cells: [3, 2, 2]}]}"},
       {"materials", "{name: m, density: 1000, young: 1e7, poisson: 0.3}"},
       {"contact", "{}"},
       {"supports", "{set: ledge, fix: all}"},
       {"initial", "{set: block, velocity: [0, 0, -1]}"},
       {"analysis", "{duration: 0.02}"},
       {"probes", "{name: vz, set: block, quantity: vz}"}},
      {{"vz", -0.41, 0.08}, {"energy_error", 0, 1e-3}}};
  hold(&p);
}

/* A plane of shells of nx x ny cells of size dx x dy, mm; numbers begin after *node and *element.
 */
static void shells_write(FILE *f, const char *name, int nx, int ny, const double at[3], double dx,
                         double dy, int *node, int *element) {
  fprintf(f, "*NODE, NSET=%s\n", name);
  for (int k = 0; k < (nx + 1) * (ny + 1); k++)
    fprintf(f, "%d, %g, %g, %g\n", *node + k + 1, at[0] + dx * (k % (nx + 1)),
            at[1] + dy * (k / (nx + 1)), at[2]);
  fprintf(f, "*ELEMENT, TYPE=S4\n");
  for (int k = 0; k < nx * ny; k++) {
    const int n = *node + 1 + k % nx + k / nx * (nx + 1);
    fprintf(f, "%d, %d, %d, %d, %d\n", ++*element, n, n + 1, n + nx + 2, n + nx + 1);
  }
  *node += (nx + 1) * (ny + 1);
}

/* A shell that slides on a shell: the nodes below pass from triangle to triangle on the side that
   their normals do not look to, and once changed to the other side there. As by hand, within 1 %
   of the friction. */
static void shells_slide_on_shells(void **state) {
  (void)state;
  char *folder = folder_new(), mesh[600];
  int node = 0, element = 0;
  FILE *f = fopen(in_folder(folder, "shells.inp"), "w");
  assert_non_null(f);
  shells_write(f, "slab", 8, 2, (const double[]){0, 0, 0}, 50, 50, &node, &element);
  shells_write(f, "top", 3, 2, (const double[]){20, 10, 4.001}, 33.3, 40, &node, &element);
  fclose(f);
  snprintf(mesh, sizeof mesh, "{file: %s, unit: 1 mm}", in_folder(folder, "shells.inp"));
  const problem p = {
      {{"mesh", mesh},
       {"materials", "{name: m, density: 1000, young: 1e9, poisson: 0.3}"},
       {"sections", "{thickness: 4 mm}"},
       {"contact", "{friction: 0.2}"},
       {"supports", "{set: slab, fix: all}"},
       {"gravity", "{acceleration: [0, 0, -9.81], history: [[0, 0], [0.02, 1]]}"},
       {"initial", "{set: top, velocity: [1, 0, 0]}"},
       {"analysis", "{duration: 0.1}"},
       {"probes", "{name: vx, set: top, quantity: vx}"}},
      {{"vx", 1 - 0.2 * 9.81 * 0.09, 0.01 * 0.2 * 9.81 * 0.09}, {"energy_error", 0, 1e-2}}};
  hold(&p);
  folder_remove(folder);
}

/* A block on a slope of 30 degrees with friction of 0.5, laid on at distance 0: once it rattled,
   and had 0.228 m/s. Velocity of g (sin - mu cos) after weight has grown over 50 ms, within 10 %:
   it still rattles a little. */
static void friction_near_the_slope(void **state) {
  (void)state;
  const double a = 9.81 * (0.5 - 0.5 * sqrt(0.75));
  const problem p = {
      {{"mesh",
        "{boxes: [{name: slab, origin: [0, 0, -0.05], size: [0.5, 0.1, 0.05], cells: [9, 3, "
        "1]}, {name: block, origin: [0.03, 0.01, 1e-6], size: [0.1, 0.08, 0.05], cells: [4, "
        "3, 2]}]}"},
       {"materials", "{name: m, density: 1000, young: 1e7, poisson: 0.3}"},
       {"contact", "{friction: 0.5}"},
       {"supports", "{set: slab, fix: all}"},
       {"gravity", "{acceleration: [4.905, 0, -8.49571], history: [[0, 0], [0.05, 1]]}"},
       {"analysis", "{duration: 0.3}"},
       {"probes", "{name: vx, set: block, quantity: vx}"}},
      {{"vx", a * (0.3 - 0.05 / 2), 0.1 * a * 0.275}}};
  hold(&p);
}

/* Deeper in contact than 2 % of an element a front face still catches: said, and not where solids
   touch at a distance, stick, slide hardly pressed, or meet head on. */
static void sliding_deep_in_contact_is_said(void **state) {
  (void)state;
  const struct {
    const char *low, *contact, *velocity, *young;
    bool warned;
  } t[] = {{"1e-5", "{friction: 0.1}", "{set: block, velocity: [1, 0, 0]}", "1e4", true},
           {"1e-5", "{friction: 0.1}", "{set: block, velocity: [1, 0, 0]}", "1e7", false},
           {"2 mm", "{friction: 0.1, thickness: 2 mm}", "{set: block, velocity: [1, 0, 0]}", "1e7",
            false},
           {"1e-5", "{friction: 0.8}", "{set: block, velocity: [1e-3, 0, 0]}", "1e7", false},
           {"1e-3", "{}", "{set: block, velocity: [0, 0, -0.1]}", "1e7", false}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    char mesh[320], material[80];
    snprintf(mesh, sizeof mesh,
             "{boxes: [{name: slab, origin: [0, 0, -0.05], size: [0.4, 0.1, 0.05], cells: [8, 2, "
             "1]}, {name: block, origin: [0.01, 0.01, %s], size: [0.1, 0.08, 0.05], cells: [3, 2, "
             "2]}]}",
             t[i].low);
    snprintf(material, sizeof material, "{name: m, density: 1000, young: %s, poisson: 0.3}",
             t[i].young);
    const entry set[MOST] = {{"mesh", mesh},
                             {"materials", material},
                             {"contact", t[i].contact},
                             {"supports", "{set: slab, fix: all}"},
                             {"gravity", "{acceleration: [0, 0, -9.81]}"},
                             {"initial", t[i].velocity},
                             {"analysis", "{duration: 0.06}"}};
    ig_ctx *cx = NULL;
    const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = listen};
    assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
    ig_case *c = case_of(cx, set);
    said[0] = 0;
    GOOD(cx, ig_run(c, NULL));
    if ((strstr(said, "of a face deep in contact") != NULL) != t[i].warned)
      fail_msg("%zu: '%s'", i, said);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

/* A block that no support holds rests on another, by contact and friction, however soft it is.
   Without contact it is said at once, not after all steps; a run that ends too early says that it
   is loose. */
static void loose_parts_are_said(void **state) {
  (void)state;
  const struct {
    const char *young, *contact, *steps, *fault;
    bool warned;
  } t[] = {{"1 MPa", "{friction: 0.3}", "200000", NULL, false},
           {"1 MPa", NULL, "200000",
            "the loads push the part of 64 nodes around (0.5, 0.5, 1.42) m along (0, 0, -1), which "
            "no support resists",
            false},
           {"10 MPa", "{friction: 0.3}", "600", "no equilibrium", true}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    char materials[96], analysis[64];
    snprintf(materials, sizeof materials, "{name: s, density: 1000, young: %s, poisson: 0.2}",
             t[i].young);
    snprintf(analysis, sizeof analysis, "{kind: static, method: relaxation, steps: %s}",
             t[i].steps);
    const entry set[MOST] = {
        {"mesh",
         "{boxes: [{name: low, size: [1, 1, 1], cells: [2, 2, 2]}, {name: up, origin: [0.1, "
         "0.1, 1.02], size: [0.8, 0.8, 0.8], cells: [3, 3, 3]}]}"},
        {"materials", materials},
        {"supports", "{set: zmin, fix: all}"},
        {"gravity", "{}"},
        {"analysis", analysis},
        {t[i].contact ? "contact" : NULL, t[i].contact}};
    ig_ctx *cx = NULL;
    const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = listen};
    assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
    ig_case *c = case_of(cx, set);
    said[0] = 0;
    assert_int_equal(ig_run(c, &(ig_run_options){0}), !t[i].fault    ? IG_OK
                                                      : t[i].contact ? IG_NUMERIC
                                                                     : IG_INPUT);
    if (t[i].fault)
      assert_non_null(strstr(ig_ctx_message(cx), t[i].fault));
    assert_true((strstr(said, "part of 64 nodes that began around (0.5, 0.5, 1.42)") != NULL) ==
                t[i].warned);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

/* Two cubes of 10 mm, one above the other: its lower face `low` mm above the lower one's. */
static void cubes_write(const char *path, double low) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "*NODE\n");
  for (int n = 0; n < 16; n++)
    fprintf(f, "%d, %g, %g, %g\n", n + 1, (n < 8 ? 0 : 2) + (n % 4 % 3 ? 10.0 : 0.0),
            (n < 8 ? 0 : 2) + (n % 4 > 1 ? 10.0 : 0.0),
            (n < 8 ? 0 : low) + (n % 8 > 3 ? 10.0 : 0.0));
  fprintf(f, "*ELEMENT, TYPE=C3D8\n1, 1, 2, 3, 4, 5, 6, 7, 8\n2, 9, 10, 11, 12, 13, 14, 15, 16\n");
  fclose(f);
}

/* Bodies that overlap at the start are refused; fast ones do not pass through each other; where
   contact is far too soft for that the run ends with an error that says where. */
static void bodies_do_not_pass_through_each_other(void **state) {
  (void)state;
  static const struct {
    const char *low, *contact, *analysis, *fault;
  } t[] = {{"21 mm", "{}", "{duration: 60 us}", NULL},
           {"21 mm", "{penalty: 0.01}", "{duration: 60 us}", "passed into each other"},
           {"8", "{}", "{duration: 1 us}", "the deepest 0.002 m below its surface"},
           {"10", "{}", "{duration: 1 us}", NULL}, /* they only touch */
           {"10.02", "{thickness: 0.05 mm}", "{duration: 1 us}",
            "than `thickness`, from which "
            "contact acts: 2e-05 m"},
           {"10.05", "{thickness: 0.05 mm}", "{duration: 1 us}", NULL},
           {"8", "{overlap: keep}", "{duration: 1 us}", NULL},
           {"9.99", "{overlap: fit}", "{duration: 1 us}", NULL}};
  char *folder = folder_new();
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    char mesh[320];
    snprintf(mesh, sizeof mesh,
             "{boxes: [{name: a, size: [40 mm, 40 mm, 20 mm], cells: [8, 8, 4]}, {name: b, origin: "
             "[11 mm, 11 mm, %s], size: [18 mm, 18 mm, 20 mm], cells: [4, 4, 4]}]}",
             t[i].low);
    if (i > 1) {
      cubes_write(in_folder(folder, "cubes.inp"), atof(t[i].low));
      snprintf(mesh, sizeof mesh, "{file: %s, unit: 1 mm}", in_folder(folder, "cubes.inp"));
    }
    const entry set[MOST] = {
        {"mesh", mesh},
        {"materials", "{name: st, density: 7850, young: 210 GPa, poisson: "
                      "0.3, yield: 400 MPa, hardening: 1 GPa}"},
        {"contact", t[i].contact},
        {"analysis", t[i].analysis},
        {"initial", i > 1 ? "{velocity: [0, 0, -1]}" : "{set: b, velocity: [0, 0, -500]}"},
        {i > 1 ? NULL : "probes", "[{name: a, set: a, quantity: uz}, {name: "
                                  "b, set: b, quantity: uz}]"}};
    const wanted want[MOST] = {{"a", 0, 0}, {"b", 0, 0}};
    figures f = {.want = want};
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_of(cx, set);
    const ig_status status = ig_run(c, &(ig_run_options){.figure = figure, .user = &f});
    if (t[i].fault) {
      assert_int_not_equal(status, IG_OK);
      if (!strstr(ig_ctx_message(cx), t[i].fault))
        fail_msg("%s", ig_ctx_message(cx));
    } else {
      GOOD(cx, status);
      if (i == 0) /* its middle comes no nearer than half its height, crushed to two thirds */
        assert_true(f.seen[1] - f.seen[0] > -10e-3);
    }
    ig_case_close(c);
    ig_ctx_close(cx);
  }
  folder_remove(folder);
}

/* What cannot work is refused before the first step, with what is wrong: parts that loads can move
   as they are, nodes inside tools; and a crushed soft block says what helps. */
static void hopeless_cases_are_refused(void **state) {
  (void)state;
  static const struct {
    entry set[MOST];
    const char *fault;
  } t[] = {{{{"supports", "{set: zmin, fix: z}"},
             {"loads", "{set: zmax, total: [1000, 0, 0]}"},
             {"analysis", "{kind: static, method: relaxation}"}},
            "push the part of 27 nodes around (0.005, 0.005, 0.005) m along (1, 0, 0), which no "
            "support"},
           {{{"supports", "[{set: zmin, fix: z}, {set: xmin, fix: x}]"},
             {"loads", "{set: xmax, force: [0, 0, 10]}"},
             {"analysis", "{kind: static, method: relaxation}"},
             {"gravity", "{acceleration: [0, 1, 0]}"}},
            "along (0, 1, 0)"},
           {{{"supports", "[{set: zmin, fix: z}, {set: spot, fix: xyz}]"},
             {"loads", "{set: ymax, force: [10, 0, 0]}"},
             {"analysis", "{kind: static, method: relaxation}"}},
            "turn the part of 27 nodes around (0.005, 0.005, 0.005) m about (0, 0, -1)"},
           {{{"tools", "{point: [0, 0, 2 mm]}"},
             {"initial", "{velocity: [0, 0, -1]}"},
             {"analysis", "{duration: 1 us}"}},
            "9 nodes lie inside this tool at the start, the deepest 0.002 m"}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_of(cx, t[i].set);
    GOOD(cx, ig_case_set(c, "mesh",
                         "{boxes: {size: [10 mm, 10 mm, 10 mm], cells: [2, 2, 2]}, sets: "
                         "{name: spot, of: nodes, sphere: {center: [0, 0, 0], radius: 1 "
                         "mm}}}"));
    GOOD(cx, ig_case_set(c, "materials", STEEL));
    assert_int_equal(ig_run(c, &(ig_run_options){0}), IG_INPUT);
    if (!strstr(ig_ctx_message(cx), t[i].fault))
      fail_msg("%s", ig_ctx_message(cx));
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

static void crushed_rubber_says_what_helps(void **state) {
  (void)state;
  const entry set[MOST] = {
      {"mesh", "{boxes: {size: [10 mm, 10 mm, 10 mm], cells: [6, 6, 6]}}"},
      {"materials", "{name: rub, density: 1100, young: 5 MPa, poisson: 0.45, law: neo_hookean}"},
      {"supports", "{set: zmin, fix: all}"},
      {"tools", "{point: [0, 0, 10 mm], axis: [0, 0, -1], velocity: [0, 0, -10]}"},
      {"analysis", "{duration: 1.2 ms}"}};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = case_of(cx, set);
  assert_int_equal(ig_run(c, &(ig_run_options){0}), IG_NUMERIC);
  assert_non_null(strstr(ig_ctx_message(cx), "`step_update_every: 1`"));
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* Quadrilaterals bend in their plane as beams do, with one element across, elastic and layered:
   P L^3 / 3 E I and the shear's 1.2 P L / G A. Stretched, they contract as they must. */
static void shells_bend_in_their_plane(void **state) {
  (void)state;
  static const char *const cells[] = {"[20, 1]", "[20, 2]", "[10, 1]"};
  static const char *const law[] = {"", ", yield: 1e9, hardening: 0"};
  for (int i = 0; i < 6; i++) {
    char mesh[200], material[200];
    snprintf(mesh, sizeof mesh, "{plate: {size: [10, 1], cells: %s}, element: quad4, shell: true}",
             cells[i % 3]);
    snprintf(material, sizeof material, "{name: m, density: 1000, young: 1e7, poisson: 0.25%s}",
             law[i / 3]);
    problem bend = {{{"mesh", mesh},
                     {"materials", material},
                     {"sections", "{thickness: 0.1}"},
                     {"supports", "{set: xmin, fix: all}"},
                     {"loads", "{set: xmax, total: [0, 1, 0]}"},
                     {"analysis", "{kind: static}"},
                     {"probes", "{name: uy, set: xmax, quantity: uy}"}},
                    {{"uy", 4.03e-3, 0.012 * 4.03e-3}}};
    hold(&bend);
  }
}

/* Tools hold what rests: their forces belong to the balance. */
static void statics_end_on_tools(void **state) {
  (void)state;
  const problem press = {
      {{"mesh", "{boxes: {size: [10 mm, 10 mm, 10 mm], cells: [2, 2, 2]}}"},
       {"materials", "{name: al, density: 2700, young: 70 GPa, poisson: 0}"},
       {"supports", "[{set: zmin, fix: z}, {set: xmin, fix: x}, {set: ymin, fix: y}]"},
       {"tools",
        "{shape: plane, point: [0, 0, 10 mm], axis: [0, 0, -1], displacement: [0, 0, -0.01 mm], "
        "history: [[0, 0], [1, 1]]}"},
       {"analysis", "{kind: static, method: relaxation, steps: 20000}"},
       {"probes", "[{name: F, set: zmin, quantity: fz}, {name: C, set: zmax, quantity: cz}]"}},
      {{"F", 7000, 10}, {"C", -7000, 10}, {"reaction_z", 7000, 10}, {"tool_z", -7000, 10}}};
  const problem rest = {{{"mesh", "{boxes: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}"},
                         {"materials", "{name: m, density: 1000, young: 1e7, poisson: 0}"},
                         {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}]"},
                         {"gravity", "{acceleration: [0, 0, -9.81]}"},
                         {"tools", "{shape: plane, point: [0, 0, 0], axis: [0, 0, 1]}"},
                         {"analysis", "{kind: static, method: relaxation, steps: 30000}"},
                         {"probes", "{name: top, set: zmax, quantity: uz}"}},
                        {{"tool_z", 9.81, 1e-3},
                         {"load_z", -9.81, 1e-9},
                         {"reaction_z", 0, 1e-9},
                         {"top", -1000 * 9.81 * 0.01 / 2e7, 1e-8}}};
  hold(&press);
  hold(&rest);
}

/* Velocities are dropped at peaks of the kinetic energy, also where a period has few steps: equal
   forces on nodes excite fast modes. */
static void kinetic_relaxation_ends(void **state) {
  (void)state;
  const problem t = {
      {{"mesh", "{boxes: {size: [3 mm, 4 mm, 4 mm], cells: [3, 2, 4]}}"},
       {"materials", STEEL_0},
       {"sections", "{integration: single}"},
       {"supports", "{set: zmin, fix: xyz}"},
       {"loads", "{set: zmax, force: [0, 0, 83.333333333333333]}"},
       {"analysis", "{kind: static, method: relaxation, relaxation: kinetic, steps: 20000}"},
       {"probes", "{name: u, set: zmax, quantity: uz}"}},
      {{"u", 2.70625e-6, 5e-9}, /* as viscous relaxation */
       {"reaction_z", -1000, 5},
       {"load_z", 1000, 1e-9}}};
  hold(&t);
  /* a mode whose half period is four steps: stopped a step too late it would be at its other end */
  const problem fast = {
      {{"mesh", "{boxes: {size: [3 mm, 2.1 mm, 1.5 mm], cells: [3, 3, 3]}}"},
       {"materials", "{name: al, density: 2700, young: 70 GPa, poisson: 0.3}"},
       {"sections", "{integration: bbar}"},
       {"supports", "{set: zmin, fix: xyz}"},
       {"loads", "{set: zmax, total: [6.4882, -17.6807, 111.8317]}"},
       {"gravity", "{acceleration: [0, 0, -98100]}"},
       {"analysis", "{kind: static, method: relaxation, relaxation: kinetic, tolerance: 1e-6, "
                    "steps: 20000}"},
       {"probes", "{name: u, set: zmax, quantity: uz}"}},
      {{"reaction_z", -109.32868, 1e-4}, {"reaction_x", -6.4882, 1e-5}}};
  hold(&fast);
}

/* A strip on two supports pushed down in its middle beyond its plastic hinge, at the defaults: at
   the speed of elastic models it would yield at the wrong places and end with a force of the other
   sign. A hinge carries 4 M / L, M = yield b t^2 / 4. */
static void plastic_statics_follow_the_path(void **state) {
  (void)state;
  const double hinge = 4 * (250e6 * 0.1 * 0.02 * 0.02 / 4);
  const problem strip = {
      {{"mesh",
        "{plate: {size: [1, 0.1], cells: [16, 1]}, element: quad4, shell: true, sets: {name: "
        "mid, of: nodes, box: {min: [0.499, -1, -1], max: [0.501, 1, 1]}}}"},
       {"materials", "{name: st, density: 7850, young: 210 GPa, poisson: 0, yield: 250 MPa}"},
       {"sections", "{thickness: 20 mm}"},
       {"supports", "[{set: xmin, fix: \"y z\"}, {set: xmax, fix: \"y z\"}, {set: mid, fix: x, "
                    "components: z, displacement: [0, 0, -30 mm], history: [[0, 0], [1, 1]]}]"},
       {"analysis", "{kind: static, method: relaxation}"},
       {"probes", "{name: P, set: mid, quantity: fz}"}},
      {{"P", -hinge, 0.12 * hinge}, {"static_path_error", 0.01, 0.01}}};
  /* a load without a history grows over the ramp: at once it would overshoot by a factor of two */
  const problem bar = {
      {{"mesh", "{boxes: {size: [0.1, 0.01, 0.01], cells: [10, 1, 1]}}"},
       {"materials", "{name: st, density: 7850, young: 200 GPa, poisson: 0, yield: 200 MPa, "
                     "hardening: 2 GPa}"},
       {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]"},
       {"loads", "{set: xmax, total: [19 kN, 0, 0]}"},
       {"analysis", "{kind: static, method: relaxation}"}},
      {{"plastic_strain_max", 0, 1e-9}, {"displacement_max", 9.5e-5, 2e-7}}};
  hold(&strip);
  hold(&bar);
}

/* What drives a rigid body does work; the moment that holds nodes of solids is that of their
   forces. A shaft turned by a body at its end, G J / L times the angle, J of a square 0.1406 a^4.
 */
static void driven_bodies_keep_the_balance(void **state) {
  (void)state;
  const double angle = 200 * (0.05e-3 + 0.4e-3), G = 210e9 / 2.6;
  const double torque = G * 0.1406 * 1e-8 / 0.05 * angle;
  const problem t = {
      {{"mesh",
        "{boxes: {origin: [-5 mm, -5 mm, 0], size: [10 mm, 10 mm, 50 mm], cells: [4, 4, "
        "10]}, sets: {name: top, of: nodes, box: {min: [-1, -1, 49.9 mm], max: [1, 1, 1]}}}"},
       {"materials", STEEL},
       {"supports", "{set: zmin, fix: all}"},
       {"bodies", "{set: top, fix: \"x y z rx ry\", spin: [0, 0, 200], history: [[0, 0], [0.1 ms, "
                  "1]]}"},
       {"analysis", "{duration: 0.5 ms}"},
       {"probes", "[{name: M, set: top, quantity: mz}, {name: B, set: zmin, quantity: mz}]"}},
      {{"energy_error", 0, 1e-4}, {"M", torque, 0.1 * torque}, {"B", -torque, 0.1 * torque}}};
  const problem pull = {
      {{"mesh",
        "{boxes: {origin: [-5 mm, -5 mm, 0], size: [10 mm, 10 mm, 50 mm], cells: [2, 2, "
        "10]}, sets: {name: top, of: nodes, box: {min: [-1, -1, 49.9 mm], max: [1, 1, 1]}}}"},
       {"materials", STEEL},
       {"supports", "{set: zmin, fix: all}"},
       {"bodies", "{set: top, fix: \"x y rx ry rz\", components: z, velocity: [0, 0, 5]}"},
       {"analysis", "{duration: 0.05 ms}"}},
      {{"energy_error", 0, 1e-3}}};
  hold(&t);
  hold(&pull);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hopeless_cases_are_refused),
      cmocka_unit_test(shells_bend_in_their_plane),
      cmocka_unit_test(crushed_rubber_says_what_helps),
      cmocka_unit_test(bodies_do_not_pass_through_each_other),
      cmocka_unit_test(statics_end_on_tools),
      cmocka_unit_test(kinetic_relaxation_ends),
      cmocka_unit_test(plastic_statics_follow_the_path),
      cmocka_unit_test(driven_bodies_keep_the_balance),
      cmocka_unit_test(statics_begin_with_prescribed_motion),
      cmocka_unit_test(loose_parts_are_said),
      cmocka_unit_test(contact_makes_no_energy),
      cmocka_unit_test(contact_is_as_stiff_as_its_elements),
      cmocka_unit_test(friction_holds),
      cmocka_unit_test(edges_touch_edges),
      cmocka_unit_test(eroded_surfaces_touch),
      cmocka_unit_test(rigid_models_need_a_step),
      cmocka_unit_test(johnson_cook_runs_with_its_rate_term),
      cmocka_unit_test(johnson_cook_is_the_law_where_given),
      cmocka_unit_test(shafts_need_damping),
      cmocka_unit_test(shells_tell_forces_in_a_stated_frame),
      cmocka_unit_test(tied_blocks_rest_under_their_weight),
      cmocka_unit_test(static_tolerance_bounds_the_answer),
      cmocka_unit_test(statics_of_flat_shells_end),
      cmocka_unit_test(quadrilateral_shells_are_right),
      cmocka_unit_test(pinched_cylinder_meets_published_figure),
      cmocka_unit_test(hemisphere_comes_near_published_figure),
      cmocka_unit_test(quadratic_tetrahedra_are_right),
      cmocka_unit_test(residual_stress_is_in_balance),
      cmocka_unit_test(weight_is_not_scaled),
      cmocka_unit_test(what_is_pressed_stays_at_rest),
      cmocka_unit_test(long_hexahedra_are_said),
      cmocka_unit_test(sliding_at_distance_0_does_not_catch),
      cmocka_unit_test(plates_end_to_end_do_not_catch),
      cmocka_unit_test(blocks_land_on_ledges),
      cmocka_unit_test(shells_slide_on_shells),
      cmocka_unit_test(friction_near_the_slope),
      cmocka_unit_test(sliding_deep_in_contact_is_said),
      cmocka_unit_test(check_refuses_what_run_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
