/* Ranks as threads of this process: the bits of one rank on any number of them, one failure for
   all, one stop for all, checkpoints that go from any number to any other. */
#include "check.h"
#include "ranks_threads.h"
#include "ranks/ranks.h"
#include <ingot/ingot.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 64, DENSITIES = 40 * 20 };

/* a mechanism has two linear systems, three load cases have three */
static const char *const mechanism[] = {
    "physics",
    "topopt",
    "problem",
    "mechanism",
    "grid",
    "{elements: [40, 20, 0]}",
    "symmetry",
    "[y-]",
    "volume",
    "0.3",
    "supports",
    "[{box: {min: [0, 18], max: [0, 20]}}]",
    "loads",
    "[{box: {min: [0, 0], max: [0, 1]}, force: [1, 0, 0]}]",
    "springs",
    "[{box: {min: [0, 0], max: [0, 1]}, stiffness: [0.1, 0, 0]}, {box: {min: [40, 0], max: [40, "
    "1]}, stiffness: [0.1, 0, 0]}]",
    "ports",
    "[{box: {min: [40, 0], max: [40, 1]}, direction: [-1, 0, 0]}]",
    "void_ratio",
    "1e-4",
    "iterations",
    "6",
    NULL};
static const char *const three_cases[] = {
    "physics",
    "topopt",
    "grid",
    "{elements: [40, 20, 0]}",
    "volume",
    "0.4",
    "supports",
    "[{box: {min: [0, 0], max: [0, 20]}}]",
    "loads",
    "[{box: {min: [40, 0], max: [40, 0]}, force: [0, -1, 0]}, {box: {min: [40, 20], "
    "max: [40, 20]}, force: [0, 1, 0], load_case: 2}, {box: {min: [40, 10], max: [40, "
    "10]}, force: [1, 0, 0], load_case: 3}]",
    "iterations",
    "6",
    NULL};
/* adjoint systems: seven of bounds on displacements and stresses; of a temperature two; vectors of
   subspace iteration. In space and on a mesh, where ranks are told to share. */
static const char *const bounded[] = {
    "physics",
    "topopt",
    "grid",
    "{elements: [8, 6, 12]}",
    "volume",
    "0.5",
    "ranks",
    "share",
    "supports",
    "[{set: zmin}]",
    "loads",
    "[{set: zmax, force: [1, 0, 0]}, {set: zmax, force: [0, 1, 0], load_case: 2}]",
    "filter",
    "{kind: density, radius: 1.6}",
    "projection",
    "{beta: 1, robust: 0.1}",
    "stress",
    "{clusters: 2}",
    "constraints",
    "[{stress: 1}, {set: zmax, direction: [1, 0, 0], displacement: 30}, {set: zmax, direction: [0, "
    "1, 0], displacement: 40, load_case: 2}, {stress: 2, load_case: 2}]",
    "iterations",
    "2",
    NULL};
static const char *const warm[] = {"physics",
                                   "topopt",
                                   "problem",
                                   "heat",
                                   "minimise",
                                   "temperature",
                                   "mesh",
                                   "{boxes: [{size: [4, 3, 3], cells: [4, 3, 3]}]}",
                                   "assembly",
                                   "color",
                                   "volume",
                                   "0.4",
                                   "source",
                                   "1",
                                   "supports",
                                   "[{set: xmin}]",
                                   "loads",
                                   "[{set: xmax, heat: 1, load_case: 2}]",
                                   "filter",
                                   "{kind: density, radius: 1.6}",
                                   "constraints",
                                   "[{set: ymax, temperature: 40}]",
                                   "surface.formats",
                                   "[]",
                                   "iterations",
                                   "3",
                                   NULL};
static const char *const swings[] = {"physics",     "topopt",
                                     "problem",     "frequency",
                                     "grid",        "{elements: [16, 8, 0]}",
                                     "volume",      "0.5",
                                     "supports",    "[{set: xmin}]",
                                     "filter",      "{kind: density, radius: 1.6}",
                                     "constraints", "[{frequency: 0.002}]",
                                     "iterations",  "2",
                                     NULL};
/* large deflections: equilibria and adjoint systems of two load cases and of the bounds; with a
   matrix in a plane, without one in space, by conjugate gradients on a mesh */
#define BENT(force, how)                                                                           \
  "physics", "topopt", "volume", "0.5", "void_ratio", "1e-6", "analysis",                          \
      "{large_deflections: true, load_steps: 2, linear_solver: " how "}", "supports",              \
      "[{set: xmin}]", "loads",                                                                    \
      "[{set: xmax, force: " force "}, {set: ymax, force: [1e-4, 0, 0], load_case: 2}, {set: "     \
      "ymin, force: [0, 1e-4, 0], load_case: 3}]",                                                 \
      "filter", "{kind: density, radius: 1.6}", "optimiser", "{method: mma}", "iterations", "2",   \
      "surface.formats", "[]"
#define BENT_LIMITS                                                                                \
  "constraints", "[{stress: 0.1}, {compliance: 1, load_case: 2}, {set: xmax, direction: [0, -1, "  \
                 "0], displacement: 2}]"
static const char *const bent_plane[] = {BENT("[0, -4e-3, 0]", "direct"), BENT_LIMITS, "grid",
                                         "{elements: [16, 8, 0]}", NULL};
static const char *const bent_robust[] = {BENT("[0, -2e-3, 0]", "direct"), "projection",
                                          "{beta: 1, robust: 0.1}",        "grid",
                                          "{elements: [12, 6, 0]}",        NULL};
static const char *const bent_space[] = {BENT("[0, -4e-3, 0]", "matrix_free"), BENT_LIMITS, "grid",
                                         "{elements: [8, 4, 4]}", NULL};
static const char *const bent_mesh[] = {
    BENT("[0, -4e-3, 0]", "iterative"), BENT_LIMITS, "mesh",
    "{element: tet4, boxes: [{size: [6, 3, 3], cells: [6, 3, 3]}]}", NULL};
/* what is computed by all ranks alike: supports and heat of the print on a mesh */
static const char *const printed[] = {
    "physics",     "topopt",
    "mesh",        "{element: tet4, boxes: [{size: [4, 3, 3], cells: [4, 3, 3]}]}",
    "volume",      "0.5",
    "supports",    "[{set: xmin}]",
    "loads",       "[{set: xmax, force: [1, 0, -1]}]",
    "filter",      "{kind: density, radius: 1.6}",
    "printing",    "{direction: z+}",
    "constraints", "[{support_volume: 1}, {overheating: 1.5}]",
    "iterations",  "3",
    NULL};
static const char *const strip[] = {
    "physics",   "structure",
    "mesh",      "{boxes: {size: [20 mm, 1 mm, 0.5 mm], cells: [20, 1, 1]}}",
    "materials", "{name: steel, young: 210 GPa, poisson: 0.3}",
    "supports",  "{set: xmin, fix: all}",
    "loads",     "{set: xmax, force: [0, 0, 1 mN]}",
    "analysis",  "{kind: static}",
    NULL};

typedef struct {
  const char *const *set;
  ig_ranks *ranks;
  int stop_after;  /* this rank asks to stop after so many steps, 0: never */
  bool fails;      /* this rank's case has a mistake */
  const char *out; /* folder, for the first */
  bool resume;
  ig_status status;
  char message[512];
  int figures;
  double figure[FIGURES];
  double density[DENSITIES];
} seat;

static void keep(void *user, const char *key, double value, const char *unit, const char *text) {
  seat *s = user;
  (void)unit;
  if (!text && strncmp(key, "seconds", 7) != 0 && s->figures < FIGURES)
    s->figure[s->figures++] = value;
}

static ig_ctx *stopping; /* of the rank that stops */
static int steps_left;
static void count_down(void *user, const ig_progress *p) {
  (void)user, (void)p;
  if (--steps_left == 0)
    ig_ctx_interrupt(stopping);
}

static ig_status steps_take(seat *s, ig_ctx *cx, ig_case *c) {
  for (int i = 0; s->set[i]; i += 2)
    IG_TRY(ig_case_set(c, s->set[i], s->set[i + 1]));
  if (s->fails)
    IG_TRY(ig_case_set(c, "volume", "7"));
  if (s->stop_after) {
    stopping = cx;
    steps_left = s->stop_after;
  }
  const ig_run_options options = {.out = s->out, .resume = s->resume, .figure = keep, .user = s};
  return ig_run(c, &options);
}

static void *sit(void *user) {
  seat *s = user;
  ig_ctx *cx;
  ig_case *c;
  const char *backend = getenv("INGOT_TEST_BACKEND");
  const ig_ctx_options options = {.backend = backend ? backend : "cpu",
                                  .threads = 1,
                                  .ranks = s->ranks,
                                  .progress = s->stop_after ? count_down : NULL};
  s->status = ig_ctx_open(&options, &cx);
  if (s->status == IG_OK)
    s->status = ig_case_new(cx, &c);
  if (s->status == IG_OK) {
    s->status = steps_take(s, cx, c);
    ig_case_close(c);
  }
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}

/* Runs the seats, one thread each. */
static void together(seat *s, int count) {
  ig_ranks *ranks[MOST];
  assert_int_equal(ig_ranks_threads(count, ranks), IG_OK);
  for (int i = 0; i < count; i++)
    s[i].ranks = ranks[i];
  threads_sit(count, ranks, sit, s, sizeof *s);
}

static void same_bits(const char *const *set, int kinds) {
  static seat one, many[MOST];
  static const int counts[] = {2, 3, 1, 5};
  one = (seat){.set = set};
  sit(&one);
  assert_string_equal(one.message, "");
  assert_int_equal(one.status, IG_OK);
  assert_true(one.figures > 3);
  for (int k = 0; k < kinds; k++) {
    memset(many, 0, sizeof many);
    for (int i = 0; i < counts[k]; i++)
      many[i].set = set;
    together(many, counts[k]);
    for (int i = 0; i < counts[k]; i++) {
      if (many[i].status != IG_OK)
        print_message("rank %d of %d: %s\n", i, counts[k], many[i].message);
      assert_int_equal(many[i].status, IG_OK);
    }
    assert_int_equal(many[0].figures, one.figures);
    for (int i = 0; i < one.figures; i++)
      if (memcmp(&many[0].figure[i], &one.figure[i], sizeof(double)) != 0)
        print_message("%d ranks, figure %d: %.17g, alone %.17g\n", counts[k], i, many[0].figure[i],
                      one.figure[i]);
    assert_memory_equal(many[0].figure, one.figure, sizeof one.figure);
    for (int i = 1; i < counts[k]; i++)
      assert_int_equal(many[i].figures, 0); /* the first one's alone are told */
  }
}

static void mechanisms_have_the_bits_of_one(void **state) {
  (void)state;
  same_bits(mechanism, 4);
}
static void load_cases_have_the_bits_of_one(void **state) {
  (void)state;
  same_bits(three_cases, 4);
}
static void adjoint_systems_have_the_bits_of_one(void **state) {
  (void)state;
  same_bits(bounded, 2);
  same_bits(warm, 2);
  same_bits(swings, 2);
}

static void large_deflections_have_the_bits_of_one(void **state) {
  (void)state;
  same_bits(bent_plane, 4);
  same_bits(bent_robust, 2);
  same_bits(bent_space, 2);
  same_bits(bent_mesh, 2);
}

static void printed_meshes_have_the_bits_of_one(void **state) {
  (void)state;
  same_bits(printed, 2);
}

/* A case that finds no equilibrium on the last of three ranks. */
static void a_body_that_is_lost_is_everybodys(void **state) {
  (void)state;
  const char *set[64];
  int n = 0;
  for (; bent_plane[n]; n++)
    set[n] = bent_plane[n];
  set[n++] = "loads";
  set[n++] = "[{set: xmax, force: [0, -1e-3, 0]}, {set: xmax, force: [1e-4, 0, 0], load_case: 2}, "
             "{set: xmax, force: [0, -1e6, 0], load_case: 3}]";
  set[n] = NULL;
  seat s[3] = {{.set = set}, {.set = set}, {.set = set}};
  together(s, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(s[i].status, IG_INPUT);
    assert_non_null(strstr(s[i].message, "under load case 3 the design finds no equilibrium"));
  }
}

static void a_failure_is_everybodys(void **state) {
  (void)state;
  for (int who = 0; who < 3; who++) {
    seat s[3] = {{.set = mechanism}, {.set = mechanism}, {.set = mechanism}};
    s[who].fails = true;
    together(s, 3);
    for (int i = 0; i < 3; i++) {
      assert_int_equal(s[i].status, IG_INPUT);
      assert_non_null(strstr(s[i].message, "volume"));
      assert_int_equal(strstr(s[i].message, "rank ") != NULL, who > 0);
    }
  }
}

static void rooms_that_cannot_refuse(void **state) {
  (void)state;
  seat s[2] = {{.set = strip}, {.set = strip}};
  together(s, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(s[i].status, IG_INPUT);
    assert_non_null(strstr(s[i].message, "structure does not run on several ranks (2 here)"));
  }
}

/* 3 -> 1 -> 2, stopped by any of them */
static void a_stop_is_everybodys_and_checkpoints_fit_any_count(void **state) {
  (void)state;
  static seat whole, s[3];
  char folder[] = "/tmp/ingot-ranks-XXXXXX", out[64];
  assert_non_null(mkdtemp(folder));
  snprintf(out, sizeof out, "%s/out", folder);
  whole = (seat){.set = mechanism};
  sit(&whole);
  for (int i = 0; i < 3; i++)
    s[i] = (seat){.set = mechanism, .out = i == 0 ? out : NULL, .stop_after = i == 2 ? 2 : 0};
  together(s, 3);
  for (int i = 0; i < 3; i++)
    assert_int_equal(s[i].status, IG_INTERRUPTED);
  s[0] = (seat){.set = mechanism, .out = out, .resume = true, .stop_after = 2};
  sit(&s[0]);
  assert_int_equal(s[0].status, IG_INTERRUPTED);
  for (int i = 0; i < 2; i++)
    s[i] = (seat){.set = mechanism, .out = i == 0 ? out : NULL, .resume = true};
  together(s, 2);
  assert_int_equal(s[0].status, IG_OK);
  assert_int_equal(s[1].status, IG_OK);
  assert_int_equal(s[0].figures, whole.figures);
  assert_memory_equal(s[0].figure, whole.figure, sizeof whole.figure);
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

/* One rank finds no backend: none waits for it, all say why. */
static void *open_alone(void *user) {
  seat *s = user;
  ig_ctx *cx;
  const bool wrong = ig_ranks_rank(s->ranks) == 1;
  const ig_ctx_options options = {
      .backend = wrong ? "none" : "cpu", .threads = 1, .ranks = s->ranks};
  s->status = ig_ctx_open(&options, &cx);
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_ctx_close(cx);
  return NULL;
}
static void a_rank_without_backend_ends_all(void **state) {
  (void)state;
  static seat s[3];
  ig_ranks *ranks[3];
  assert_int_equal(ig_ranks_threads(3, ranks), IG_OK);
  for (int i = 0; i < 3; i++)
    s[i].ranks = ranks[i];
  threads_sit(3, ranks, open_alone, s, sizeof *s);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(s[i].status, IG_INPUT);
    assert_non_null(strstr(s[i].message, "rank 1 on this computer: backend 'none' is unknown"));
  }
}

static void arguments_are_looked_at(void **state) {
  (void)state;
  ig_ranks *r[1];
  assert_int_equal(ig_ranks_threads(0, r), IG_ARG);
  assert_int_equal(ig_ranks_threads(2, NULL), IG_ARG);
  assert_int_equal(ig_ranks_count(NULL), 1);
  assert_int_equal(ig_ranks_rank(NULL), 0);
  ig_ranks_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mechanisms_have_the_bits_of_one),
      cmocka_unit_test(load_cases_have_the_bits_of_one),
      cmocka_unit_test(adjoint_systems_have_the_bits_of_one),
      cmocka_unit_test(large_deflections_have_the_bits_of_one),
      cmocka_unit_test(printed_meshes_have_the_bits_of_one),
      cmocka_unit_test(a_body_that_is_lost_is_everybodys),
      cmocka_unit_test(a_failure_is_everybodys),
      cmocka_unit_test(rooms_that_cannot_refuse),
      cmocka_unit_test(a_stop_is_everybodys_and_checkpoints_fit_any_count),
      cmocka_unit_test(a_rank_without_backend_ends_all),
      cmocka_unit_test(arguments_are_looked_at),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
