/* The stress room on ranks (threads of this process): rows of the history, snapshots and
   checkpoints have the bits of one rank, and each rank has its share of the elements. */
#include "ranks_seats.h"
#include "ingot_io.h"

#define METAL                                                                                      \
  "materials",                                                                                     \
      "[{name: m, young: 200e9, poisson: 0.3, yield: 400e6, hardening: 2e9, solidus: 1600, "       \
      "mechanical: {expansion: 15e-6, kinematic: 1e9}}]"

/* A plastic wall of 6 layers that is built on a plate, transforms, is heated and cut off: 735
   nodes. */
static const char *const wall[] = {
    "physics",
    "stress",
    "assembly",
    "gather", /* on one GPU the default is not that of ranks */
    "mesh",
    "{boxes: [{name: plate, size: [14, 8, 2], cells: [14, 8, 2]}, {name: wall, origin: [2, 2, 2], "
    "size: [10, 4, 6], cells: [10, 4, 6]}], sets: [{name: foot, of: elements, box: {min: [4, 2, "
    "2], max: [12, 6, 3]}}]}",
    "materials",
    "[{name: m, young: 200e9, poisson: 0.3, yield: 400e6, hardening: 2e9, solidus: 1600, "
    "mechanical: {expansion: 15e-6, kinematic: 1e9, transformation: {martensite_start: 450, "
    "austenite_start: "
    "600, austenite_end: 700, strain: 2e-3, trip: 5e-11}}}]",
    "supports",
    "[{set: zmin, fix: all}]",
    "temperature",
    "300",
    "phases",
    "[{name: build, kind: build, set: wall, height: 3, steps: 2, stress_free_temperature: 900, "
    "clearance: 1e-5}, {name: rest, temperature: [[0, 300], [1, 350]]}, {name: cut, kind: cut, "
    "set: foot, direction: x, steps: 2}]",
    "solver",
    "{tolerance: 1e-2}",
    "probes",
    "[{name: tip, point: [12, 6, 8], quantity: uz}, {name: hold, set: zmin, quantity: fz}, "
    "{name: pull, set: foot, quantity: sxx, since: rest}]",
    "parts",
    "[{name: w, set: wall, datum: fit, tolerance: 1e-4}]",
    "output",
    "{count: 3, fields: [displacement, distortion, deviation, stress, plastic_strain, T, recoater, "
    "point_stress]}",
    NULL};

/* A bar that is pulled at one end, which stays plane, under pressure. */
static const char *const bar[] = {
    "physics",
    "stress",
    "assembly",
    "gather",
    "mesh",
    "{boxes: [{size: [20, 5, 5], cells: [16, 4, 4]}]}",
    METAL,
    "supports",
    "[{set: xmin, fix: xz}, {set: ymin, fix: y}, {set: xmax, displacement: [0.2, 0, 0], "
    "components: x, history: [[0, "
    "0], [2, 1]]}, {set: ymax, equal: y}]",
    "loads",
    "[{set: zmax, pressure: 2e7}, {set: ymin, total: [0, 0, 1e8], history: [[0, 0], [2, 1]]}]",
    "phases",
    "[{name: pull, duration: 2, steps: 2}]",
    "solver",
    "{tolerance: 1e-2}",
    "probes",
    "[{name: hold, set: xmin, quantity: fx}, {name: side, set: ymax, quantity: uy}]",
    "output",
    "{every: 1}",
    NULL};

/* Supports that tear off while a slab is built above them. */
static const char *const torn[] = {
    "physics",
    "stress",
    "assembly",
    "gather",
    "mesh",
    "{boxes: [{name: legs, size: [12, 6, 4], cells: [12, 6, 4]}, {name: slab, origin: [0, 0, 4], "
    "size: [12, 6, 2], cells: [12, 6, 2]}]}",
    "materials",
    "[{name: m, young: 200e9, poisson: 0.3}]",
    "supports",
    "[{set: zmin, fix: all}]",
    "inherent",
    "[{set: [slab], strain: [-4e-3, -2e-3, 0], angle: 0.3, rotation: 1.2}]",
    "phases",
    "[{name: build, kind: build, set: slab, height: 1}]",
    "tearing",
    "[{set: [legs], strength: 1.2e9, stress: principal}]",
    "solver",
    "{tolerance: 1e-2}",
    "output",
    "{count: 2}",
    NULL};

/* More elements than the grid's multigrid needs. */
#define FINE "mesh", "{boxes: [{size: [18, 12, 10], cells: [18, 12, 10]}]}"
static const char *const block[] = {"physics",  "stress",
                                    "assembly", "gather",
                                    FINE,       METAL,
                                    "supports", "[{set: zmin, fix: all}]",
                                    "loads",    "[{set: zmax, total: [1e10, 0, 0]}]",
                                    "phases",   "[{name: a, steps: 2}]",
                                    "solver",   "{tolerance: 1e-2}",
                                    "output",   "{count: 2}",
                                    NULL};

static void stress_has_the_bits_of_one(void **state) {
  (void)state;
  static const divided_run run[] = {
      {2, wall, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {5, wall, "double", "assembly", "color", IG_DIVIDE_RANDOM},
      {3, bar, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {3, bar, "double", "rotations", "finite", IG_DIVIDE_RANDOM},
      {2, bar, "double", "element", "bbar", IG_DIVIDE_CURVE},
      {3, bar, "double", "mesh", "{boxes: [{size: [20, 5, 5], cells: [8, 2, 2]}], element: tet10}",
       IG_DIVIDE_CURVE},
      {3, torn, "double", NULL, NULL, IG_DIVIDE_CURVE},
      {2, block, "double", NULL, NULL, IG_DIVIDE_RANDOM},
      {3, bar, "double", "solver", "{tolerance: 0.01, preconditioner: blocks}", IG_DIVIDE_CURVE},
      /* too small to be divided: every rank computes all */
      {7, bar, "double", "mesh", "{boxes: [{size: [20, 5, 5], cells: [6, 2, 2]}]}",
       IG_DIVIDE_CURVE}};
  runs_have_the_bits_of_one(run, sizeof run / sizeof *run, -1);
}

static void programs_change_temperatures(void **state) {
  (void)state;
  static const char *const steps[] = {"physics",
                                      "stress",
                                      "mesh",
                                      "{boxes: [{size: [10, 5, 5], cells: [10, 6, 5]}]}",
                                      METAL,
                                      "supports",
                                      "[{set: xmin, fix: all}]",
                                      "loads",
                                      "[{set: xmax, total: [0, 0, 1e8]}]",
                                      "phases",
                                      "[{name: a, steps: 40, duration: 40}]",
                                      NULL};
  programs_agree(steps);
}

static void what_cannot_be_divided_is_refused(void **state) {
  (void)state;
  static const refused_change bad[] = {
      {{"assembly"}, {"atomic"}, "assembly: atomic sums in an order that depends on the number"},
      {{"assembly"}, {"cluster"}, "stress takes color or gather"}};
  changes_are_refused(bar, bad, sizeof bad / sizeof *bad);
}

/* What a case gets wrong is reported once, in the words of one rank. */
static void a_failure_ends_all(void **state) {
  (void)state;
  const seat like = {.base = bar,
                     .backend = "cpu",
                     .status = IG_NUMERIC,
                     .key = {"solver"},
                     .value = {"{tolerance: 1e-12, halvings: 0, iterations: 1}"}};
  const seat one = alone(&like), many = together(&like, 3, -1);
  const char *const told = strstr(one.message, "no equilibrium beyond");
  if (!told || !strstr(many.message, told))
    fail_msg("'%s', on ranks '%s'", one.message, many.message);
}

#ifdef INGOT_HAVE_IO
static void restarts_on_other_ranks(void **state) {
  (void)state;
  static const char *const kept[] = {"u",     "state", "grown",    "alive", "soft",
                                     "built", "load",  "recoater", "T",     "warm",
                                     "share", "after", NULL};
  restarts_agree(wall, "cpu", "debug", 2, kept);
}
#endif

/* Of what elements have on the device a rank has that of its own and of a layer of others', of
   aggregates its own rows, also while they are made. */
static void memory_falls_with_ranks(void **state) {
  (void)state;
  static const char *const tall[] = {"physics",
                                     "stress",
                                     "mesh",
                                     "{boxes: [{size: [6, 6, 64], cells: [6, 6, 50]}]}",
                                     METAL,
                                     "supports",
                                     "[{set: zmin, fix: all}]",
                                     "phases",
                                     "[{name: a, temperature: 310}]",
                                     "solver",
                                     "{tolerance: 1e-2, preconditioner: blocks}",
                                     NULL};
  seat like = {.base = tall, .backend = backend_of_test(0)};
  const bool gpu = strcmp(like.backend, "cuda") == 0;
  for (int multigrid = 0; multigrid < 2; multigrid++) {
    if (multigrid) {
      like.key[0] = "solver";
      like.value[0] = "{tolerance: 1e-2}";
    }
    const seat one = alone(&like), many = together(&like, 4, -1);
    print_message("%zu bytes on one rank, %zu at most on four; in set-up %zu, %zu\n", one.bytes,
                  many.most_bytes, one.peak, many.most_peak);
    /* a GPU also has whole vectors of its reductions, which count in a model of this size */
    assert_true(many.most_bytes < one.bytes * (gpu ? 9 : 6) / 10);
    assert_true(many.most_peak < one.peak * (gpu ? 9 : 6) / 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stress_has_the_bits_of_one),
      cmocka_unit_test(programs_change_temperatures),
      cmocka_unit_test(what_cannot_be_divided_is_refused),
      cmocka_unit_test(a_failure_ends_all),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(restarts_on_other_ranks),
#endif
      cmocka_unit_test(memory_falls_with_ranks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
