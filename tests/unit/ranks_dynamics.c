/* Dynamics on ranks (threads of this process): rows of the history, snapshots and checkpoints have
   the bits of one rank, whatever the number of ranks and the division. */
#include "ranks_seats.h"
#include "ingot_io.h"

/* a plastic bar that is pressed, falls onto a tool, and is led at one end; another step every 20 */
/* Statics that yield: their ramp is repeated, slower, from a state that all ranks keep. */
static const char *const yielding[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{size: [0.1, 0.01, 0.01], cells: [10, 2, 2]}]}",
    "materials",
    "[{name: m, density: 7850, young: 200e9, poisson: 0.3, yield: 200e6, hardening: 2e9}]",
    "supports",
    "[{set: xmin, fix: all}]",
    "loads",
    "[{set: xmax, total: [0, 0, -700]}]",
    "analysis",
    "[{kind: static, method: relaxation, tolerance: 0.05}]",
    "probes",
    "[{name: w, set: xmax, quantity: uz}, {name: m, set: xmin, quantity: my}]",
    NULL};
static const char *const bar[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{size: [6, 2, 2], cells: [6, 2, 2]}]}",
    "materials",
    "[{name: m, density: 1000, young: 1e7, poisson: 0.3, yield: 2e4, hardening: 1e6}]",
    "supports",
    "[{set: xmin, fix: x}, {set: xmin, velocity: [0, 2, 0], history: [[0, 0], [0.05, 1]]}]",
    "gravity",
    "{acceleration: [0, 0, -50]}",
    "loads",
    "[{set: xmax, pressure: 2e4, history: [[0, 0], [0.05, 1]]}, {set: ymax, total: [0, -500, 0]}]",
    "tools",
    "[{shape: plane, point: [0, 0, -0.2], axis: [0, 0, 1], friction: 0.2}]",
    "analysis",
    "[{duration: 0.3, step_update_every: 20, damping: 0.5}]",
    "probes",
    "[{name: tip, set: xmax, quantity: uz}, {name: hold, set: xmin, quantity: fz}, {name: floor, "
    "set: zmin, quantity: cz}]",
    "output",
    "{count: 3, history_every: 7}",
    NULL};

/* shells and a frame of beams, at rest under a load before they are struck */
static const char *const sheet[] = {
    "physics",
    "dynamics",
    "mesh",
    "{plate: {size: [1, 0.6], cells: [5, 3]}, element: tri3, shell: true}",
    "materials",
    "[{name: m, density: 2700, young: 7e8, poisson: 0.3, yield: 1e6, hardening: 5e7}]",
    "sections",
    "[{thickness: 0.05}]",
    "supports",
    "[{set: xmin, fix: all}, {set: xmax, fix: z}]",
    "loads",
    "[{set: all, pressure: 200, history: [[0, 0], [1, 1]]}]",
    "analysis",
    "[{kind: static, method: relaxation, ramp: 40, at_time: 1, tolerance: 0.05, steps: 3000}, "
    "{duration: 0.02, "
    "mass_scaling_step: 1e-4}]",
    "added_mass",
    "1",
    "initial",
    "[{spin: [0, 0.1, 0]}]",
    "probes",
    "[{name: edge, set: ymax, quantity: uz}, {name: bend, set: all, quantity: mxx}, {name: root, "
    "set: xmin, quantity: my}]",
    "output",
    "{count: 2, history_every: 20}",
    NULL};

/* tetrahedra tied to bricks of another mesh, a rigid block that turns with what it is part of */
static const char *const joined[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{name: low, size: [4, 2, 1], cells: [3, 2, 1]}, {name: high, origin: [0, 0, 1.01], "
    "size: [4, 2, 1], cells: [4, 2, 1]}], element: tet4, sets: [{name: under, of: nodes, box: "
    "{min: [-1, -1, 1.005], max: [9, 9, 1.015]}}, {name: seat, of: faces, box: {min: [-1, -1, "
    "0.99], max: [9, 9, 1.001]}}, {name: block, of: nodes, box: {min: [2.9, -1, 1.005], max: [9, "
    "9, 9]}}]}",
    "materials",
    "[{name: m, density: 1000, young: 1e7, poisson: 0.3}]",
    "supports",
    "[{set: zmin, fix: z}, {set: xmin, fix: all}]",
    "bodies",
    "[{set: block}]",
    "ties",
    "[{set: under, to: seat, distance: 0.05}]",
    "initial",
    "[{velocity: [0, 0, -1]}]",
    "gravity",
    "{acceleration: [0, 3, -9.81]}",
    "analysis",
    "[{duration: 0.1}]",
    "probes",
    "[{name: block, set: block, quantity: vz}, {name: pull, set: xmin, quantity: fx}]",
    "output",
    "{count: 2, history_every: 9}",
    NULL};

/* what fails and is left out */
static const char *const failing[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{size: [4, 1, 1], cells: [8, 2, 2]}]}",
    "materials",
    "[{name: m, density: 8960, young: 124e9, poisson: 0.34, law: johnson_cook, yield: 90e6, "
    "johnson_cook: {b: 292e6, n: 0.31, c: 0.025, rate0: 1, m: 1.09, room: 294, melt: 1356, "
    "failure: [0.05, 0, 0, 0, 0]}}]",
    "supports",
    "[{set: xmin, fix: all}, {set: xmax, velocity: [150, 0, 0]}]",
    "analysis",
    "[{duration: 3e-3, step_update_every: 25}]",
    "energy_error",
    "1",
    "output",
    "{count: 2, history_every: 20}",
    NULL};

/* a block that strikes a plate of other meshing and slides on it */
static const char *const strike[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{name: plate, size: [4, 3, 0.5], cells: [5, 4, 1]}, {name: block, origin: [1.3, 0.8, "
    "0.62], size: [1.5, 1.2, 1], cells: [2, 2, 2]}], sets: [{name: flying, of: nodes, box: {min: "
    "[-1, -1, 0.6], max: [9, 9, 9]}}]}",
    "materials",
    "[{name: m, density: 1000, young: 2e8, poisson: 0.3}]",
    "supports",
    "[{set: zmin, fix: z}, {set: xmin, fix: all}]",
    "initial",
    "[{set: flying, velocity: [6, 3, -20]}]",
    "contact",
    "{friction: 0.3}",
    "analysis",
    "[{duration: 0.04}]",
    "probes",
    "[{name: floor, set: zmin, quantity: fz}, {name: up, set: zmax, quantity: cz}]",
    "output",
    "{count: 3, history_every: 6, fields: [displacement, velocity, stress, contact_force, "
    "contact_pressure]}",
    NULL};

/* a block that friction holds on a slope: gravity is tilted */
static const char *const resting[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{name: plate, size: [4, 3, 0.5], cells: [5, 4, 1]}, {name: block, origin: [1.3, 0.8, "
    "0.51], size: [1.5, 1.2, 1], cells: [2, 2, 2]}]}",
    "materials",
    "[{name: m, density: 1000, young: 2e8, poisson: 0.3}]",
    "supports",
    "[{set: zmin, fix: all}]",
    "gravity",
    "{acceleration: [40, 20, -90]}",
    "contact",
    "{friction: 0.7, thickness: 0.01}",
    "analysis",
    "[{duration: 0.03}]",
    "probes",
    "[{name: floor, set: zmin, quantity: fx}, {name: up, set: block, quantity: ux}]",
    "output",
    "{count: 2, history_every: 6, fields: [displacement, contact_force]}",
    NULL};

/* blocks of other elements, pressed together by statics, then free to move */
static const char *const pressed[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{name: low, size: [4, 4, 3], cells: [2, 2, 2]}, {name: up, origin: [0.5, 0.5, 3.1], "
    "size: [3, 3, 3], cells: [3, 3, 3]}], sets: [{name: ground, of: nodes, box: {min: [-1, -1, "
    "-1], max: [9, 9, 0.01]}}, {name: top, of: faces, box: {min: [-1, -1, 6.05], max: [9, 9, 9]}}, "
    "{name: topn, of: nodes, box: {min: [-1, -1, 6.05], max: [9, 9, 9]}}]}",
    "materials",
    "[{name: m, density: 1000, young: 2e8, poisson: 0.3}]",
    "supports",
    "[{set: ground, fix: all}, {set: topn, fix: xy}]",
    "contact",
    "{thickness: 0.1}",
    "loads",
    "[{set: top, pressure: 1e5, history: [[0, 0], [1, 1]]}]",
    "analysis",
    "[{kind: static, method: relaxation, at_time: 1, tolerance: 0.05}, {duration: 0.02}]",
    "probes",
    "[{name: bears, set: ground, quantity: fz}]",
    "output",
    "{count: 2, history_every: 6, fields: [displacement, contact_force]}",
    NULL};

/* bars that meet crosswise: edges touch edges */
static const char *const crossed[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{name: low, size: [3, 0.4, 0.4], cells: [4, 1, 1]}, {name: high, origin: [1.3, -1.5, "
    "0.55], size: [0.4, 3, 0.4], cells: [1, 4, 1]}], sets: [{name: falling, of: nodes, box: {min: "
    "[-9, -9, 0.5], max: [9, 9, 9]}}]}",
    "materials",
    "[{name: m, density: 1000, young: 5e7, poisson: 0.3}]",
    "initial",
    "[{set: falling, velocity: [0, 0, -30], spin: [10, 0, 0], about: [1.5, 0, 0.6]}]",
    "contact",
    "{friction: 0.1, thickness: 0.1}",
    "analysis",
    "[{duration: 0.04}]",
    "output",
    "{count: 2, history_every: 8}",
    NULL};

/* a sheet that is folded onto itself */
static const char *const folded[] = {
    "physics",
    "dynamics",
    "mesh",
    "{plate: {size: [1, 0.6], cells: [5, 3]}, element: tri3, shell: true}",
    "materials",
    "[{name: m, density: 2700, young: 7e8, poisson: 0.3}]",
    "sections",
    "[{thickness: 0.05}]",
    "initial",
    "[{spin: [0, 300, 0], about: [0.5, 0, 0]}]",
    "supports",
    "[{set: xmin, fix: x}, {set: xmax, velocity: [-60, 0, 0]}]",
    "contact",
    "{friction: 0.1, thickness: 0.15}",
    "analysis",
    "[{duration: 0.012}]",
    "energy_error",
    "1e9",
    "output",
    "{count: 2, history_every: 20}",
    NULL};

/* a pin that is shot into a block: elements fail and lay others open, which touch */
static const char *const shot[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{name: target, size: [3, 3, 1], cells: [4, 4, 2]}, {name: pin, origin: [1, 1, 1.1], "
    "size: [1, 1, 2], cells: [2, 2, 3]}], sets: [{name: flying, of: nodes, box: {min: [-1, -1, "
    "1.05], max: [9, 9, 9]}}]}",
    "materials",
    "[{name: m, density: 8960, young: 124e9, poisson: 0.34, law: johnson_cook, yield: 90e6, "
    "johnson_cook: {b: 292e6, n: 0.31, c: 0.025, rate0: 1, m: 1.09, room: 294, melt: 1356, "
    "failure: [0.15, 0, 0, 0, 0]}}]",
    "supports",
    "[{set: zmin, fix: all}]",
    "initial",
    "[{set: flying, velocity: [0, 0, -400]}]",
    "contact",
    "{friction: 0.1}",
    "analysis",
    "[{duration: 3e-3, safety: 0.6}]",
    "energy_error",
    "1e9",
    "output",
    "{count: 2, history_every: 10}",
    NULL};

/* blocks that fly past each other, one through the lane between two, and a beam in their way:
   surfaces come near and leave again, and those who have not met touch on the way */
static const char *const passing[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{name: low, size: [2, 1, 1], cells: [4, 2, 2]}, {name: high, origin: [5, 2.25, 0.2], "
    "size: [2, 1, 1], cells: [3, 2, 2]}, {name: fast, origin: [-4, 1.08, 0], size: [1.5, 1.1, 1], "
    "cells: [3, 2, 2]}, {name: wall, origin: [9, 0, -1], size: [0.5, 4, 3], cells: [1, 4, 3]}], "
    "sets: [{name: fast, of: nodes, box: {min: [-9, 1.05, -9], max: [-2, 2.2, 9]}}, {name: high, "
    "of: nodes, box: {min: [4.9, 2.2, 0.1], max: [7.1, 3.3, 1.3]}}]}",
    "materials",
    "[{name: m, density: 1000, young: 2e8, poisson: 0.3}]",
    "initial",
    "[{set: fast, velocity: [130, 1, 0]}, {set: high, velocity: [-60, -2, 0]}]",
    "contact",
    "{friction: 0.2}",
    "analysis",
    "[{duration: 0.12}]",
    "output",
    "{count: 2, history_every: 25}",
    NULL};

/* Every number of ranks with some case, precision, division and backend. */
static void dynamics_has_the_bits_of_one(void **state) {
  (void)state;
  static const divided_run run[] = {
      {2, bar, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, bar, "mixed", "mesh.element", "tet10", IG_DIVIDE_CURVE},
      {5, bar, "single", NULL, NULL, IG_DIVIDE_UNEVEN},
      {7, bar, "double", "sections", "[{integration: single}]", IG_DIVIDE_RANDOM},
      /* a tool pushes a surface that nothing else touches */
      {3, bar, "double", "output",
       "{count: 3, history_every: 7, fields: [velocity, contact_force, contact_pressure]}",
       IG_DIVIDE_RANDOM},
      {2, sheet, "double", NULL, NULL, IG_DIVIDE_RANDOM},
      {3, sheet, "single", "mesh.element", "quad4", IG_DIVIDE_CURVE},
      {5, sheet, "double", "analysis",
       "[{kind: static, method: relaxation, relaxation: kinetic, ramp: 40, at_time: 1, tolerance: "
       "0.05, steps: "
       "3000}]",
       IG_DIVIDE_UNEVEN},
      {3, yielding, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, joined, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {7, joined, "single", NULL, NULL, IG_DIVIDE_RANDOM},
      {2, failing, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {5, failing, "single", NULL, NULL, IG_DIVIDE_RANDOM},
      {2, strike, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, strike, "mixed", "mesh.element", "tet4", IG_DIVIDE_UNEVEN},
      {7, strike, "single", NULL, NULL, IG_DIVIDE_RANDOM},
      {2, resting, "double", NULL, NULL, IG_DIVIDE_RANDOM},
      {3, resting, "single", NULL, NULL, IG_DIVIDE_CURVE},
      {3, pressed, "double", NULL, NULL, IG_DIVIDE_RANDOM},
      {5, crossed, "double", NULL, NULL, IG_DIVIDE_RANDOM},
      {4, crossed, "single", NULL, NULL, IG_DIVIDE_CURVE},
      {2, folded, "single", "mesh.element", "quad4", IG_DIVIDE_CURVE},
      /* plastic shells by each law: no element may hang on its neighbours in a vector */
      {3, folded, "double", "materials",
       "[{name: m, density: 2700, young: 7e8, poisson: 0.3, yield: 1e6, hardening: 5e6}]",
       IG_DIVIDE_RANDOM},
      {5, folded, "single", "materials",
       "[{name: m, density: 2700, young: 7e8, poisson: 0.3, hardening_curve: [[0, 1e6], [0.02, "
       "2e6], [0.3, 3e6]]}]",
       IG_DIVIDE_CURVE},
      {4, folded, "double", "materials",
       "[{name: m, density: 2700, young: 7e8, poisson: 0.3, law: johnson_cook, yield: 1e6, "
       "johnson_cook: {b: 3e6, n: 0.31, c: 0.025, rate0: 1, m: 1.09, room: 294, melt: 1356}}]",
       IG_DIVIDE_RANDOM},
      {4, passing, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {5, passing, "single", NULL, NULL, IG_DIVIDE_BOXES},
      {3, shot, "double", NULL, NULL, IG_DIVIDE_RANDOM},
      {4, shot, "double", "output",
       "{count: 4, history_every: 1000, fields: [displacement, contact_pressure]}",
       IG_DIVIDE_CURVE},
      {5, shot, "single", NULL, NULL, IG_DIVIDE_UNEVEN}};
  runs_have_the_bits_of_one(run, sizeof run / sizeof *run, -1);
}

static void programs_change_velocities(void **state) {
  (void)state;
  programs_agree(bar);
}

static void what_cannot_be_divided_is_refused(void **state) {
  (void)state;
  static const refused_change bad[] = {{{"assembly"}, {"color"}, "assembly: gather"}};
  changes_are_refused(bar, bad, sizeof bad / sizeof *bad);
}

/* One rank's element turns inside out: all end, with one message. */
static void a_failure_of_one_ends_all(void **state) {
  (void)state;
  const seat like = {.base = bar,
                     .backend = "cpu",
                     .status = IG_NUMERIC,
                     .key = {"supports", "energy_error"},
                     .value = {"[{set: xmin, velocity: [2000, 0, 0]}]", "1e9"}};
  const seat s = together(&like, 3, -1);
  assert_int_equal(s.status, IG_NUMERIC);
  if (!strstr(s.message, "take a smaller step"))
    fail_msg("%s", s.message);
}

/* What no support holds is found by all ranks together, and told in the words of one. */
static void loose_parts_are_those_of_one(void **state) {
  (void)state;
  const seat like = {.base = pressed,
                     .backend = "cpu",
                     .status = IG_NUMERIC,
                     .key = {"contact", "supports"},
                     .value = {"{penalty: 1e-9}", "[{set: ground, fix: all}]"}};
  const seat one = alone(&like), many = together(&like, 3, -1);
  const char *const told = strstr(one.message, "nothing stops the part of 64 nodes");
  if (!told || !strstr(many.message, told))
    fail_msg("'%s', on ranks '%s'", one.message, many.message);
}

/* Device memory of each rank after some steps. */
typedef struct {
  ig_ranks *ranks;
  int64_t bytes;
  ig_status status;
} holder;
static void *hold(void *user) {
  holder *h = user;
  ig_ctx *cx;
  ig_case *c = NULL;
  ig_sim *sim = NULL;
  const ig_ctx_options options = {.backend = backend_of_test(0), .threads = 1, .ranks = h->ranks};
  h->status = ig_ctx_open(&options, &cx);
  if (h->status == IG_OK)
    h->status = ig_case_new(cx, &c);
  for (int i = 0; bar[i] && h->status == IG_OK; i += 2)
    h->status = ig_case_set(c, bar[i], bar[i + 1]);
  if (h->status == IG_OK)
    h->status = ig_case_set(c, "mesh", "{boxes: [{size: [64, 8, 8], cells: [64, 8, 8]}]}");
  if (h->status == IG_OK)
    h->status = ig_sim_open(c, NULL, &sim);
  if (h->status == IG_OK)
    h->status = ig_sim_step(sim, 8, NULL);
  h->bytes = (int64_t)cx->device_bytes;
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);
  return NULL;
}

/* Every rank has its part and ghosts: of 64 layers of cubes, which the curve passes one after the
   other, 64 / P and at most two on each side: it may cut within a layer. */
static void memory_falls_with_ranks(void **state) {
  (void)state;
  /* of a GPU's memory others may write into pieces of 2 MB, half as much as this model: left out */
  const double boxes = strcmp(backend_of_test(0), "cuda") == 0 ? 4 << 20 : 0;
  holder one = {0};
  hold(&one);
  assert_int_equal(one.status, IG_OK);
  for (int count = 2; count <= 4; count += 2) {
    ig_ranks *ranks[MOST];
    holder h[MOST] = {{0}};
    assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
    for (int i = 0; i < count; i++)
      h[i].ranks = ranks[i];
    threads_sit(count, ranks, hold, h, sizeof *h);
    for (int i = 0; i < count; i++) {
      const double share = ((double)h[i].bytes - boxes) / (double)one.bytes;
      assert_int_equal(h[i].status, IG_OK);
      if (share > (64.0 / count + 4) / 64)
        fail_msg("rank %d of %d has %.3f of the bytes of one rank", i, count, share);
    }
  }
}

#ifdef INGOT_HAVE_IO
/* 3 -> 5 -> 1; the checkpoint at the end is that of a run on one rank */
static void checkpoints_go_from_any_number_to_any_other(void **state) {
  (void)state;
  static const char *const kept[] = {"marks",  "x",       "v",      "f",          "work",
                                     "bodies", "arms",    "state0", "relaxation", "state1",
                                     "before", "contact", NULL};
  static const char *const *const base[] = {bar, sheet, joined, strike, shot, resting};
  for (int i = 0; i < 6; i++)
    restarts_agree(base[i], backend_of_test(i % 2), backend_of_test(i % 2), 2, kept);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dynamics_has_the_bits_of_one),
      cmocka_unit_test(programs_change_velocities),
      cmocka_unit_test(what_cannot_be_divided_is_refused),
      cmocka_unit_test(a_failure_of_one_ends_all),
      cmocka_unit_test(loose_parts_are_those_of_one),
      cmocka_unit_test(memory_falls_with_ranks),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(checkpoints_go_from_any_number_to_any_other),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
