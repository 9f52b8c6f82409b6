/* The thermal room as a user meets it: a run, its continuation, what it says of bad input. */
#include "check.h"
#include "folder.h"
#include "backend/backend.h"
#include "io/checkpoint.h"
#include "run/job.h"
#include "run/rooms.h"
#include "thermal/heat_tables.h"
#include "thermal/thermal.h"
#include <ingot/run.h>

#include "kern/prec_f64.h"
#include "thermal/heat.inc"

static const char wall[] =
    "physics: thermal\n"
    "mesh:\n"
    "  boxes:\n"
    "    - {name: plate, size: [10 mm, 4 mm, 1 mm], cells: [20, 8, 2]}\n"
    "    - {name: wall, origin: [3 mm, 1.5 mm, 1 mm], size: [4 mm, 1 mm, 1 mm], cells: [8, 2, 2]}\n"
    "materials:\n"
    "  - {name: steel, density: 7955, conductivity: 20, specific_heat: 500, absorptivity: 0.4,\n"
    "     solidus: 1600 K, liquidus: 1700 K, latent_heat: 270 kJ/kg}\n"
    "duration: 1.5 s\n"
    "boundary:\n"
    "  - {on: surface, convection: 20, emissivity: 0.4}\n"
    "  - {on: zmin, temperature: 300 K}\n"
    "birth: {elements: wall, width: 1.2 mm, height: 0.5 mm, lead: 0.3 mm, temperature: inherited}\n"
    "beams:\n"
    "  - model: surface\n"
    "    radius: 0.6 mm\n"
    "    raster: {power: 150 W, speed: 10 mm/s, hatch: 1 mm, layer_height: 0.5 mm, base: 1 mm,\n"
    "             layers: 2, rotation: 0, dwell: 0.1 s,\n"
    "             regions: {min: [3 mm, 1.5 mm], max: [7 mm, 2.5 mm]}}\n"
    "probes: {name: top, point: [5 mm, 2 mm, 1 mm]}\n"
    "output: {count: 3, history_every: 20}\n";

static void case_write(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

typedef struct {
  double gap, beam, source, volume;
} figures;
static void figure_keep(void *user, const char *key, double value, const char *text) {
  figures *f = user;
  (void)text;
  if (strcmp(key, "energy_gap_J") == 0)
    f->gap = value;
  if (strcmp(key, "beam_J") == 0)
    f->beam = value;
  if (strcmp(key, "source_J") == 0)
    f->source = value;
  if (strcmp(key, "volume_m3") == 0)
    f->volume = value;
}

/* Runs the case in `folder`, into folder/out; interrupted at once if asked. */
static ig_status run(const char *folder, const char *out, const char *restart, const char *key,
                     const char *value, bool stop, figures *f, char *message) {
  char path[300], into[300], from[300];
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  snprintf(into, sizeof into, "%s/%s", folder, out);
  snprintf(from, sizeof from, "%s/%s/checkpoint.h5", folder, restart ? restart : "");
  ig_ctx *cx;
  const ig_ctx_options options = {.backend = "debug", .threads = 2};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  ig_case *c;
  ig_status status = ig_case_open(cx, path, &c);
  if (status == IG_OK && key)
    status = ig_case_set(c, key, value);
  if (stop)
    ig_ctx_interrupt(cx);
  const ig_run_options o = {
      .out = into, .restart = restart ? from : NULL, .figure = figure_keep, .user = f};
  if (status == IG_OK)
    status = ig_run(c, &o);
  if (message)
    snprintf(message, 2048, "%s", ig_ctx_message(cx));
  ig_case_close(c);
  ig_ctx_close(cx);
  return status;
}

static void compare_checkpoints(const char *folder, const char *a, const char *b) {
  char path[2][300];
  ig_restart *r[2];
  ig_ctx *cx;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  ig_case *c;
  ig_job job;
  snprintf(path[0], sizeof path[0], "%s/case.yaml", folder);
  assert_int_equal(ig_case_open(cx, path[0], &c), IG_OK);
  assert_int_equal(ig_job_open(c, ig_rooms(), &job), IG_OK);
  const uint64_t mark = ig_job_fingerprint(c, &job);
  ig_job_close(&job);
  ig_case_close(c);
  for (int i = 0; i < 2; i++) {
    snprintf(path[i], sizeof path[i], "%s/%s/checkpoint.h5", folder, i ? b : a);
    const ig_status status = ig_checkpoint_read(cx, path[i], mark, &r[i]);
    if (status != IG_OK)
      print_message("%s\n", ig_ctx_message(cx));
    assert_int_equal(status, IG_OK);
  }
  assert_int_equal(r[0]->step, r[1]->step);
  assert_int_equal(r[0]->count, r[1]->count);
  for (int i = 0; i < r[0]->count; i++) {
    if (strncmp(r[0]->saved[i].name, "sink.", 5) == 0)
      continue; /* the files' own book-keeping: two runs wrote them */
    assert_int_equal(r[0]->saved[i].count, r[1]->saved[i].count);
    assert_memory_equal(r[0]->saved[i].data, r[1]->saved[i].data,
                        (size_t)r[0]->saved[i].count * ig_dtype_size(r[0]->saved[i].dtype));
  }
  ig_restart_free(r[0]);
  ig_restart_free(r[1]);
  ig_ctx_close(cx);
}

static void continuation_ends_the_same(void **state) {
  (void)state;
  static const char *const forms[] = {"recompute", "classes"};
  for (int i = 0; i < 2; i++) {
    char *folder = folder_new(), path[300];
    figures f;
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    case_write(path, wall);
    assert_int_equal(run(folder, "whole", NULL, "conduction", forms[i], false, &f, NULL), IG_OK);
    assert_true(f.beam > 0 && fabs(f.source / f.beam - 1) < 1e-12);
    assert_true(fabs(f.gap) < 1e-10 * f.beam);
    assert_true(fabs(f.volume / 44e-9 - 1) < 1e-12);
    assert_int_equal(run(folder, "part", NULL, "conduction", forms[i], true, &f, NULL),
                     IG_INTERRUPTED);
    assert_int_equal(run(folder, "rest", "part", "conduction", forms[i], false, &f, NULL), IG_OK);
    compare_checkpoints(folder, "whole", "rest");
    folder_remove(folder);
  }
}

static void bad_input_is_named(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *message;
  } bad[] = {
      {"time_step", "1 s", "is above the critical step"},
      {"boundary[0].on", "side", "the mesh has no face set 'side'"},
      {"boundary[0]", "{on: surface}", "nothing is said about this boundary"},
      {"boundary[0]", "{on: surface, temperature: 300}", "on named face sets only"},
      {"materials[0].solidus", "1800 K", "a liquidus not below it"},
      {"materials[0].conductivity", "0", "greater than zero"},
      {"materials[0].tags", "[core]", "the mesh has no element set 'core'"},
      {"beams[0].raster.base", "1 m", "no pass of a beam reaches"},
      {"beams[0].raster.regions[0].max", "[70 mm, 2.5 mm]", "outside the mesh"},
      {"beams[0].raster.regions[0].max", "[2 mm, 2 mm]", "this region is empty"},
      {"beams[0].absorptivity", "1.5", "1.5"},
      {"birth.elements", "[tower]", "the mesh has no element set 'tower'"},
      {"probes[0].point", "[1 m, 0, 0]", "outside the mesh"},
      {"conduction", "stencil", "do not depend on temperature"},
      {"conduction", "rows", "rows"},
  };
  char *folder = folder_new(), path[300], message[2048];
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  case_write(path, wall);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    figures f;
    const ig_status status = run(folder, "out", NULL, bad[i].key, bad[i].value, false, &f, message);
    if (status != IG_INPUT || !strstr(message, bad[i].message))
      print_message("%s: %s -> %s\n", bad[i].key, bad[i].value, message);
    assert_int_equal(status, IG_INPUT);
    assert_non_null(strstr(message, bad[i].message));
  }
  folder_remove(folder);
}

/* content and temperature are each other's inverse, through jumps and beyond the table */
static void heat_content_inverts(void **state) {
  (void)state;
  double T[] = {300, 1000, 2000}, c[] = {400, 600, 800}, one[] = {0}, rho[] = {8000}, k[] = {20};
  ig_material_case m = {.name = "m",
                        .density = {1, one, rho},
                        .conductivity = {1, one, k},
                        .specific_heat = {3, T, c},
                        .solidus = 1500,
                        .liquidus = 1600,
                        .latent_heat = 3e5};
  ig_ctx *cx;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  heat_material_f64 *made = malloc(sizeof *made);
  assert_int_equal(ig_heat_material_make(cx, &m, made), IG_OK);
  for (double x = 100; x < 3000; x += 7.3)
    assert_float_equal(heat_temperature_f64(made, heat_content_f64(made, x)), x, 1e-9);
  const double latent = heat_content_f64(made, 1600) - heat_content_f64(made, 1500);
  assert_float_equal(latent / (8000 * (3e5 + 100 * 710.)), 1, 1e-9); /* c is 710 at 1550 K */
  const double volume[] = {2e-9};
  assert_float_equal(heat_mixture_f64(made, 1, volume, 2e-9 * heat_content_f64(made, 1234), 300),
                     1234, 1e-9);
  free(made);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(continuation_ends_the_same),
      cmocka_unit_test(bad_input_is_named),
      cmocka_unit_test(heat_content_inverts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
