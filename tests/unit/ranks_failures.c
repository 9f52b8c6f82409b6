/* A rank whose device fails in the middle of anything, alone: all ranks (threads of this process)
   come to an end with its message, wherever they wait by then, and can run again at once.
     TRIALS=200 unit_ranks_failures   tries that many places of each case */
#include "check.h"
#include "ranks_seats.h"
#include "backend/backend.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3 };

/* Calls of the device by this thread, and the one that fails (0: none). */
static _Thread_local long calls, fails_at;
static const ig_backend *whole; /* the backend that does not fail */

static ig_status device(ig_ctx *cx) {
  return ++calls == fails_at ? IG_FAIL(cx, IG_DEVICE, "the device gave up") : IG_OK;
}
static ig_status weak_sync(ig_ctx *cx) {
  IG_TRY(device(cx));
  return whole->sync(cx);
}
static ig_status weak_alloc(ig_ctx *cx, void **p, size_t bytes) {
  *p = NULL;
  IG_TRY(device(cx));
  return whole->alloc(cx, p, bytes);
}
static ig_status weak_host_alloc(ig_ctx *cx, void **p, size_t bytes) {
  *p = NULL;
  IG_TRY(device(cx));
  return whole->host_alloc(cx, p, bytes);
}
static ig_status weak_fill(ig_ctx *cx, void *p, int byte, size_t bytes) {
  IG_TRY(device(cx));
  return whole->fill(cx, p, byte, bytes);
}
static ig_status weak_copy_in(ig_ctx *cx, void *dev, const void *host, size_t bytes) {
  IG_TRY(device(cx));
  return whole->copy_in(cx, dev, host, bytes);
}
static ig_status weak_copy_out(ig_ctx *cx, void *host, const void *dev, size_t bytes) {
  IG_TRY(device(cx));
  return whole->copy_out(cx, host, dev, bytes);
}
static ig_status weak_copy(ig_ctx *cx, void *to, const void *from, size_t bytes) {
  IG_TRY(device(cx));
  return whole->copy(cx, to, from, bytes);
}
static ig_backend weak;

static void weak_make(void) {
  whole = ig_backend_find("debug");
  weak = *whole;
  weak.sync = weak_sync;
  weak.alloc = weak_alloc;
  weak.host_alloc = weak_host_alloc;
  weak.fill = weak_fill;
  weak.copy_in = weak_copy_in;
  weak.copy_out = weak_copy_out;
  weak.copy = weak_copy;
}

typedef struct {
  seat run, again;
  long fails_at, calls;
} trial;

static ig_status run_once(seat *s) {
  ig_case *c;
  s->seen = 0xcbf29ce484222325u;
  s->rows = s->snapshots = 0;
  IG_TRY(ig_case_new(s->cx, &c));
  const ig_status status = run_it(s, c);
  ig_case_close(c);
  return status;
}

/* A run with a weak device, and one after it with a whole one. */
static void *try_it(void *user) {
  trial *t = user;
  seat *s = &t->run;
  const ig_ctx_options options = {.backend = s->backend, .threads = 1, .ranks = s->ranks};
  s->status = ig_ctx_open(&options, &s->cx);
  if (s->status != IG_OK)
    return NULL;
  calls = 0;
  fails_at = t->fails_at;
  s->cx->backend = &weak;
  s->status = run_once(s);
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(s->cx));
  t->calls = calls;
  s->cx->backend = whole;
  t->again = *s;
  t->again.status = run_once(&t->again);
  snprintf(t->again.message, sizeof t->again.message, "%s", ig_ctx_message(s->cx));
  ig_ctx_close(s->cx);
  return NULL;
}

/* Who fails, and at which of its calls. */
static void crew_try(const char *const *base, int who, long at, trial t[RANKS]) {
  ig_ranks *ranks[RANKS];
  assert_int_equal(ig_ranks_threads(RANKS, ranks), IG_OK);
  for (int i = 0; i < RANKS; i++) {
    if (at % 4 == 3)
      harsh_use(ranks[i]);
    if (at % 2)
      assert_int_equal(ig_ranks_ipc(ranks[i], "on"), IG_OK);
    t[i] = (trial){.run = {.ranks = ranks[i], .base = base, .backend = "debug"},
                   .fails_at = i == who ? at : 0};
  }
  alarm(SANITIZED ? 300 : 100); /* they wait for each other for ever */
  threads_sit(RANKS, ranks, try_it, t, sizeof *t);
  alarm(0);
}

static void ends_with_one_message(const trial t[RANKS], int who, long at, const seat *good) {
  char names[64] = "";
  if (who)
    snprintf(names, sizeof names, "rank %d on this computer: ", who);
  for (int i = 0; i < RANKS; i++) {
    const seat *s = &t[i].run;
    if (s->status != t[0].run.status || strcmp(s->message, t[0].run.message) != 0)
      fail_msg("%d fails at %ld: rank %d says '%s', the first '%s'", who, at, i, s->message,
               t[0].run.message);
    if (s->status != IG_OK && (strncmp(s->message, names, strlen(names)) != 0 ||
                               !strstr(s->message, "the device gave up")))
      fail_msg("%d fails at %ld: '%s'", who, at, s->message);
    if (t[i].again.status != IG_OK)
      fail_msg("%d fails at %ld: the next run fails: %s", who, at, t[i].again.message);
  }
  if (t[0].again.seen != good->seen)
    fail_msg("%d fails at %ld: the next run has other bits", who, at);
}

static void failures_are_told(const char *const *base) {
  const char *asked = getenv("TRIALS");
  const long trials = asked ? atol(asked) : SANITIZED ? 3 : 10;
  trial t[RANKS];
  weak_make();
  crew_try(base, -1, 0, t);
  const seat good = t[0].run;
  if (good.status != IG_OK)
    fail_msg("without a failure: %s", good.message);
  int failed = 0;
  for (long k = 0; k < trials; k++) {
    const int who = (int)(k % RANKS);
    const long span = t[who].calls / trials + 1, all = t[who].calls;
    const long at =
        1 + (k * all) / trials + (long)((unsigned long)(k * 7919) % (unsigned long)span);
    trial one[RANKS];
    crew_try(base, who, at, one);
    ends_with_one_message(one, who, at, &good);
    failed += one[0].run.status != IG_OK;
  }
  assert_true(failed > 0);
}

#define OUT "output", "{count: 2, history_every: 5, checkpoint_every: 0}", NULL
static const char *const heat[] = {
    "physics",
    "thermal",
    "mesh",
    "{boxes: [{name: plate, size: [6 mm, 4 mm, 1 mm], cells: [12, 8, 2]}, {name: wall, origin: "
    "[1 mm, 1.5 mm, 1 mm], size: [4 mm, 1 mm, 0.5 mm], cells: [8, 2, 1]}]}",
    "materials",
    "[{name: steel, density: 7955, conductivity: 20, specific_heat: 500, absorptivity: 0.4, "
    "solidus: 1600 K, liquidus: 1700 K}]",
    "duration",
    "0.3 s",
    "boundary",
    "[{set: surface, convection: 20, emissivity: 0.4}, {set: zmin, temperature: 300 K}]",
    "birth",
    "{set: wall, width: 1.2 mm, height: 0.5 mm, lead: 0.3 mm, temperature: inherited}",
    "beams",
    "[{model: surface, radius: 0.6 mm, raster: {power: 150 W, speed: 20 mm/s, spacing: 1 mm, "
    "layer_height: 0.5 mm, base: 1 mm, layers: 1, rotation: 0, regions: {min: [1 mm, 1.5 mm], "
    "max: [5 mm, 2.5 mm]}}}]",
    OUT};
static const char *const blocks[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{name: low, size: [4, 4, 1], cells: [4, 4, 1]}, {name: high, origin: [1, 1, 1.2], "
    "size: [2, 2, 1], cells: [3, 3, 2]}]}",
    "materials",
    "[{name: m, density: 7850, young: 2e9, poisson: 0.3, yield: 1e6, hardening: 1e7}]",
    "supports",
    "[{set: zmin, fix: all}]",
    "initial",
    "[{set: high, velocity: [3, 1, -25]}]",
    "contact",
    "{friction: 0.3}",
    "analysis",
    "[{duration: 0.01, step_update_every: 7}]",
    OUT};
static const char *const crack[] = {
    "physics",
    "fracture",
    "mesh",
    "{element: tri3, boxes: [{size: [8 mm, 2 mm], cells: [16, 4]}]}",
    "materials",
    "[{name: PMMA, density: 1190, young: 3.24 GPa, poisson: 0.35, fracture_energy: 100 J/m^2, "
    "cohesive_strength: 20 MPa}]",
    "supports",
    "[{set: xmin, components: x, velocity: [-20 m/s, 0]}, {set: xmax, components: x, velocity: [20 "
    "m/s, 0]}]",
    "surface_contact",
    "true",
    "duration",
    "3 us",
    OUT};
static const char *const grid[] = {"physics",    "topopt",
                                   "ranks",      "divide",
                                   "grid",       "{elements: [5, 4, 21]}",
                                   "supports",   "[{set: zmin}]",
                                   "loads",      "[{set: zmax, force: [1, 0, 0]}]",
                                   "filter",     "{kind: density, radius: 2}",
                                   "iterations", "2",
                                   NULL};
/* ranks take turns, and hand sums on */
static const char *const made[] = {"physics",    "topopt",
                                   "ranks",      "divide",
                                   "grid",       "{elements: [4, 4, 24]}",
                                   "supports",   "[{set: zmin}]",
                                   "loads",      "[{set: zmax, force: [1, 0, 0]}]",
                                   "filter",     "{kind: density, radius: 1.5}",
                                   "optimiser",  "{method: mma}",
                                   "overhang",   "{direction: z+}",
                                   "pattern",    "{repeat: [1, 1, 3]}",
                                   "sequence",   "{grids: 1, iterations: 1}",
                                   "solver",     "{preconditioner: jacobi, tolerance: 1e-2}",
                                   "iterations", "1",
                                   NULL};
static const char *const mesh[] = {
    "physics",    "topopt",
    "mesh",       "{boxes: [{size: [11, 11, 12], cells: [11, 11, 12]}]}",
    "supports",   "[{set: zmin}]",
    "loads",      "[{set: zmax, force: [1, 0, 0]}]",
    "iterations", "2",
    "surface",    "{formats: []}",
    NULL};

/* a layer that is built and shrinks; and multigrid in slabs */
#define SHRINKS                                                                                    \
  "materials", "[{name: m, young: 200e9, poisson: 0.3, mechanical: {expansion: 1e-5}}]",           \
      "supports", "[{set: zmin, fix: all}]", "solver", "{tolerance: 0.01}"
static const char *const warp[] = {
    "physics",
    "stress",
    "mesh",
    "{boxes: [{name: low, size: [8, 6, 3], cells: [8, 6, 3]}, {name: high, origin: [0, 0, 3], "
    "size: "
    "[8, 6, 2], cells: [8, 6, 2]}]}",
    SHRINKS,
    "phases",
    "[{name: build, kind: build, set: high, height: 2, stress_free_temperature: 500}]",
    OUT};
static const char *const voxels[] = {"physics",
                                     "stress",
                                     "mesh",
                                     "{boxes: [{size: [13, 13, 12], cells: [13, 13, 12]}]}",
                                     SHRINKS,
                                     "phases",
                                     "[{name: heat, temperature: 310}]",
                                     NULL};

static const char *const bed[] = {
    "physics",
    "powder",
    "materials",
    "[{name: m, density: 8000, specific_heat: 500, conductivity: 20, powder_conductivity: 1, "
    "absorptivity: 0.4, solidus: 1500, liquidus: 1600, latent_heat: 250e3}]",
    "grid",
    "{cell: 20 um, ratio: 2, margin: 0.12 mm, plate: 0.12 mm}",
    "beam",
    "{radius: 30 um}",
    "hatch",
    "{parts: [{min: [0, 0, 0], max: [0.4 mm, 0.2 mm, 0.04 mm]}], layer_height: 40 um, spacing: "
    "0.1 mm, power: 80 W, speed: 2 m/s, lasers: 2, recoating: 0.1 ms}",
    "events",
    "{min: [0, 0, 0], max: [0.4 mm, 0.2 mm, 0.04 mm]}",
    "duration",
    "0.4 ms",
    OUT};
static const char *const front[] = {
    "physics",  "grains",       "grid",      "{cell: 1 um, size: [8 um, 7 um, 12 um]}",
    "periodic", "true",         "field",     "{gradient: 5e5 K/m, speed: 0.6 m/s}",
    "growth",   "{law: in625}", "substrate", "{grain_size: 4 um}",
    OUT};

static void a_device_that_fails_in_thermal(void **state) {
  (void)state;
  failures_are_told(heat);
}
static void a_device_that_fails_in_dynamics(void **state) {
  (void)state;
  failures_are_told(blocks);
}
static void a_device_that_fails_in_fracture(void **state) {
  (void)state;
  failures_are_told(crack);
}
static void a_device_that_fails_on_a_grid(void **state) {
  (void)state;
  failures_are_told(grid);
  failures_are_told(made);
}
static void a_device_that_fails_on_a_mesh(void **state) {
  (void)state;
  failures_are_told(mesh);
}
static void a_device_that_fails_in_stress(void **state) {
  (void)state;
  failures_are_told(warp);
  failures_are_told(voxels);
}

static void a_device_that_fails_in_powder(void **state) {
  (void)state;
  failures_are_told(bed);
}
static void a_device_that_fails_in_grains(void **state) {
  (void)state;
  failures_are_told(front);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_device_that_fails_in_thermal),
      cmocka_unit_test(a_device_that_fails_in_dynamics),
      cmocka_unit_test(a_device_that_fails_in_fracture),
      cmocka_unit_test(a_device_that_fails_on_a_grid),
      cmocka_unit_test(a_device_that_fails_on_a_mesh),
      cmocka_unit_test(a_device_that_fails_in_stress),
      cmocka_unit_test(a_device_that_fails_in_powder),
      cmocka_unit_test(a_device_that_fails_in_grains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
