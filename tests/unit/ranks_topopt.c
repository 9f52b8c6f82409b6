/* Optimisation in parts, with all that a case may ask for: history, snapshots, checkpoint and
   figures of any number of ranks are those of one, byte for byte. Of a grid each rank holds its
   planes, of a mesh its nodes and elements, and less than the whole. */
#include "ranks_folders.h"
#include "ingot_io.h"

#ifdef INGOT_HAVE_IO

/* bits do not depend on how far a solver goes: few iterations show what many would */
#define COARSE "solver", "{tolerance: 1e-2}"
#define GRID(n)                                                                                    \
  "physics", "topopt", "ranks", "divide", "iterations", "2", "grid", "{elements: " n "}", COARSE
#define MESH(n)                                                                                    \
  "physics", "topopt", "ranks", "divide", "iterations", "2", "mesh",                               \
      "{boxes: [{size: " n ", cells: " n "}], sets: [{name: far, of: elements, box: {min: [0, "    \
      "0, 9], max: [99, 99, 99]}}]}",                                                              \
      COARSE
#define FAR "sets", "[{name: far, box: {min: [0, 0, 9], max: [99, 99, 99]}}]"
#define ENDS "supports", "[{set: zmin}]", "loads", "[{set: zmax, force: [0, 1, 0.3]}]"

/* weight of two materials, masses across a cut, in two load cases of which one has no force */
#define HEAVY                                                                                      \
  "volume", "0.4", "supports", "[{set: zmin}]", "loads",                                           \
      "[{set: zmax, force: [0, 1e-3, 0]}, {gravity: [0, -9.81, 1]}, {gravity: [5, 0, 0], "         \
      "load_case: 2}]",                                                                            \
      "masses", "[{set: zmax, mass: 2}, {box: {min: [0, 0, 3], max: [2, 2, 16]}, mass: 1}]"
#define TWO(other)                                                                                 \
  "materials", "[{name: a, density: 1000, young: 1e6, poisson: 0.3}, {name: b, density: 2500, "    \
               "young: 3e6, poisson: " other ", set: far}]"
/* held away from zero, and warm */
#define LED                                                                                        \
  "temperature_change", "20", "materials",                                                         \
      "[{name: a, young: 1, poisson: 0.3, mechanical: {expansion: 1e-3}}]", "volume", "0.4",       \
      "supports", "[{set: zmin}, {set: zmax, fix: x, displacement: [0.01, 0, 0]}]", "loads",       \
      "[{set: ymax, force: [0, 1, 0]}]"
#define HOT                                                                                        \
  "problem", "heat", "volume", "0.4", "supports", "[{set: zmin}, {set: zmax, temperature: 40}]",   \
      "loads", "[{set: ymax, heat: 1}]"
#define CHOSEN                                                                                     \
  "volume", "0.3", "choose_material", "true", "optimiser", "{method: mma}", "filter",              \
      "{kind: density, radius: 1.5}", "materials",                                                 \
      "[{name: light, density: 500, young: 1e5, poisson: 0.3}, {name: dense, density: 2000, "      \
      "young: 1e6, poisson: 0.3}]"

static const char *const heavy_grid[] = {GRID("[4, 5, 21]"), FAR, HEAVY, TWO("0.3"), NULL};
static const char *const heavy_mesh[] = {MESH("[7, 7, 25]"), HEAVY, TWO("0.2"), NULL};
/* an island, and the part's own analysis */
static const char *const finished_mesh[] = {
    MESH("[7, 7, 40]"),
    ENDS,
    "volume",
    "0.5",
    "symmetry",
    "[x-]",
    "passive",
    "[{box: {min: [0, 4, 5], max: [7, 7, 36]}, as: void}, {box: {min: [2, 5, 18], max: [6, 7, "
    "22]}}]",
    "surface",
    "{islands: false, analyse: true}",
    NULL};
static const char *const led_grid[] = {GRID("[4, 5, 21]"), LED, NULL};
static const char *const led_mesh[] = {MESH("[7, 7, 25]"), LED, NULL};
static const char *const warm_grid[] = {GRID("[4, 5, 21]"), "solver", "{preconditioner: jacobi}",
                                        HOT, NULL};
static const char *const chosen_grid[] = {GRID("[4, 5, 21]"), ENDS, CHOSEN, NULL};
static const char *const chosen_mesh[] = {MESH("[7, 7, 25]"), ENDS, CHOSEN, NULL};

/* bounds on stresses in clusters, of two load cases, and on the size of members */
#define CONE "filter", "{kind: density, radius: 1.6}"
#define HELMHOLTZ "filter", "{kind: helmholtz, radius: 2.5}"
#define STRESSED                                                                                   \
  "volume", "0.5", "supports", "[{set: zmin}]", "loads",                                           \
      "[{set: zmax, force: [1, 0, 0]}, {set: zmax, force: [0, 1, 0], load_case: 2}]", "stress",    \
      "{clusters: 3}", "constraints",                                                              \
      "[{stress: 1}, {stress: 2, load_case: 2, set: far}, {member: 3}]"
#define LEAST_STRESS ENDS, "volume", "0.5", "minimise", "stress"
#define COOL                                                                                       \
  "problem", "heat", "minimise", "temperature", "volume", "0.4", "source", "1", "supports",        \
      "[{set: zmin}]", "loads", "[{set: xmax, heat: 1, load_case: 2}]", "constraints",             \
      "[{set: ymax, temperature: 90}]"
#define SWINGS                                                                                     \
  "problem", "frequency", "volume", "0.5", "supports", "[{set: zmin}]", "masses",                  \
      "[{set: zmax, mass: 2}]", "frequency", "{modes: 2}", "constraints", "[{frequency: 0.002}]",  \
      "materials", "[{name: a, density: 1, young: 1, poisson: 0.3}]"

#define BUCKLES                                                                                    \
  "volume", "0.5", "supports", "[{set: zmin}]", "loads",                                           \
      "[{set: zmax, force: [0, 0, -1]}, {set: zmax, force: [0, 1, -2], load_case: 2}]",            \
      "buckling", "{modes: 2}", "constraints",                                                     \
      "[{buckling: 1e-4}, {buckling: 1e-4, load_case: 2}]"

static const char *const stressed_grid[] = {GRID("[4, 5, 21]"), FAR, STRESSED, CONE, NULL};
static const char *const stressed_mesh[] = {MESH("[7, 7, 25]"), STRESSED, CONE, NULL};
static const char *const least_grid[] = {GRID("[6, 8, 41]"), LEAST_STRESS, HELMHOLTZ, NULL};
static const char *const least_mesh[] = {MESH("[7, 7, 25]"), LEAST_STRESS, HELMHOLTZ, NULL};
static const char *const cool_grid[] = {GRID("[4, 5, 21]"),         COOL, CONE, "solver",
                                        "{preconditioner: jacobi}", NULL};
static const char *const cool_mesh[] = {MESH("[7, 7, 40]"), COOL, HELMHOLTZ, NULL};
static const char *const swings_grid[] = {GRID("[4, 5, 21]"), SWINGS, CONE, NULL};
static const char *const swings_mesh[] = {MESH("[7, 7, 25]"), SWINGS, CONE, NULL};
static const char *const buckles_grid[] = {GRID("[4, 5, 21]"), BUCKLES, CONE, NULL};
static const char *const buckles_mesh[] = {MESH("[7, 7, 25]"), BUCKLES, CONE, NULL};

/* On 3 ranks, and on 2 and 5 in turn; under sanitizers every fourth case, on 3. `key`, if any, is
   set to `value` besides. */
static void same_files(const char *const *base, const char *key, const char *value) {
  static int turn;
  const int counts[] = {3, turn++ % 2 ? 5 : 2};
  if (SANITIZED && turn % 4 != 1)
    return; /* each takes many seconds there */
  char folder[] = "/tmp/ingot-topopt-XXXXXX", one[64], many[64], command[128];
  assert_non_null(mkdtemp(folder));
  snprintf(one, sizeof one, "%s/one", folder);
  seat like = {
      .base = base, .backend = backend_of_test(0), .out = one, .key = {key}, .value = {value}};
  if (strcmp(like.backend, "cuda") == 0) { /* it divides larger ones alone */
    const bool grid = strcmp(base[6], "grid") == 0;
    const int at = key ? 1 : 0;
    like.key[at] = grid ? "grid.elements" : "mesh.boxes";
    like.value[at] = grid ? "[16, 16, 80]" : "[{size: [9, 9, 60], cells: [9, 9, 60]}]";
  }
  const seat whole = alone(&like);
  assert_true(whole.rows > 1 && whole.snapshots > 0);
  for (int i = 0; i < (SANITIZED ? 1 : 2); i++) {
    const int ranks = counts[i];
    snprintf(many, sizeof many, "%s/on%d", folder, ranks);
    like.out = many;
    like.backend = backend_of_test(ranks == 3);
    const seat s = together(&like, ranks, -1);
    if (strcmp(base[6], "mesh") == 0 &&
        strcmp(like.backend, "cuda") != 0) /* it has room to spare */
      assert_true(s.most_bytes < whole.bytes);
    folders_agree(one, many, base[7]);
  }
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void loads_that_follow_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(heavy_grid, NULL, NULL);
  same_files(heavy_mesh, "assembly", "gather");
  same_files(led_grid, NULL, NULL);
  same_files(led_mesh, NULL, NULL);
  same_files(warm_grid, NULL, NULL);
}

static void stresses_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(stressed_grid, NULL, NULL);
  same_files(stressed_mesh, NULL, NULL);
  same_files(least_grid, NULL, NULL);
  same_files(least_mesh, "assembly", "gather");
}

static void temperatures_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(cool_grid, NULL, NULL);
  same_files(cool_mesh, NULL, NULL);
}

static void frequencies_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(swings_grid, NULL, NULL);
  same_files(swings_mesh, NULL, NULL);
}

static void buckling_has_the_bits_of_one(void **state) {
  (void)state;
  same_files(buckles_grid, NULL, NULL);
  same_files(buckles_mesh, NULL, NULL);
}

static void parts_of_meshes_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(finished_mesh, NULL, NULL);
  same_files(finished_mesh, "mesh.element", "tet4");
}

static void chosen_materials_have_the_bits_of_one(void **state) {
  (void)state;
  same_files(chosen_grid, NULL, NULL);
  same_files(chosen_mesh, NULL, NULL);
}

/* Densities of a coarser grid's snapshot. */
static void densities_of_a_file_have_the_bits_of_one(void **state) {
  (void)state;
  static const char *const from[] = {
      "physics", "topopt", "iterations", "2", "grid", "{elements: [8, 9, 30], size: [16, 16, 80]}",
      "volume",  "0.4",    ENDS,         NULL};
  static const char *const grid[] = {GRID("[4, 5, 21]"), ENDS, "volume", "0.4", NULL};
  static const char *const mesh[] = {MESH("[7, 7, 25]"), ENDS, "volume", "0.4", NULL};
  char folder[] = "/tmp/ingot-start-XXXXXX", command[256], start[128];
  assert_non_null(mkdtemp(folder));
  alone(&(seat){.base = from, .backend = "cpu", .out = folder});
  snprintf(command, sizeof command, "cd '%s' && mv \"$(ls *.vtkhdf | tail -1)\" last.vtkhdf",
           folder);
  assert_int_equal(system(command), 0);
  snprintf(start, sizeof start, "{file: %s/last.vtkhdf}", folder);
  same_files(grid, "initial_design", start);
  same_files(mesh, "initial_design", start);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

/* Middles of edges are numbered behind all corners, and elements go by whole blocks where their
   lowest node is: 480 are all the first rank's, which may not take its array for the whole's. */
static void programs_change_designs(void **state) {
  (void)state;
  static const char *const block[] = {
      "physics",  "topopt",
      "mesh",     "{element: tet10, boxes: [{size: [4, 4, 5], cells: [4, 4, 5]}]}",
      "volume",   "0.4",
      "supports", "[{set: zmin}]",
      "loads",    "[{set: zmax, force: [1, 0, 0]}]",
      "ranks",    "divide",
      "solver",   "{tolerance: 0.05}",
      "change",   "0",
      NULL};
  programs_agree(block);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_change_designs),
      cmocka_unit_test(loads_that_follow_have_the_bits_of_one),
      cmocka_unit_test(stresses_have_the_bits_of_one),
      cmocka_unit_test(temperatures_have_the_bits_of_one),
      cmocka_unit_test(frequencies_have_the_bits_of_one),
      cmocka_unit_test(buckling_has_the_bits_of_one),
      cmocka_unit_test(parts_of_meshes_have_the_bits_of_one),
      cmocka_unit_test(chosen_materials_have_the_bits_of_one),
      cmocka_unit_test(densities_of_a_file_have_the_bits_of_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  return 0; /* it compares files */
}
#endif
