/* The thermal room as a user meets it: a run, its continuation, what it says of bad input. */
#include "check.h"
#include "run/time_loop.h"
#include "folder.h"
#include "sink_drop.h"
#include "backend/backend.h"
#include "io/result/checkpoint.h"
#include "run/job.h"
#include "run/rooms.h"
#include "thermal/engine/heat_tables.h"
#include "thermal/thermal.h"
#include <ingot/run.h>
#include <unistd.h>

#include "kern/prec_f64.h"
#include "thermal/engine/heat.inc"

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
    "  - {set: surface, convection: 20, emissivity: 0.4}\n"
    "  - {set: zmin, temperature: 300 K}\n"
    "birth: {set: wall, width: 1.2 mm, height: 0.5 mm, lead: 0.3 mm, temperature: inherited}\n"
    "beams:\n"
    "  - model: surface\n"
    "    radius: 0.6 mm\n"
    "    raster: {power: 150 W, speed: 10 mm/s, spacing: 1 mm, layer_height: 0.5 mm, base: 1 mm,\n"
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
  double gap, sent, beam, source, volume, evaluations, hottest;
} figures;
static void figure_keep(void *user, const char *key, double value, const char *unit,
                        const char *text) {
  (void)unit;
  figures *f = user;
  (void)text;
  if (strcmp(key, "energy_gap") == 0)
    f->gap = value;
  if (strcmp(key, "beam_sent") == 0)
    f->sent = value;
  if (strcmp(key, "beam") == 0)
    f->beam = value;
  if (strcmp(key, "source") == 0)
    f->source = value;
  if (strcmp(key, "volume") == 0)
    f->volume = value;
  if (strcmp(key, "evaluations") == 0)
    f->evaluations = value;
  if (strcmp(key, "T_max") == 0)
    f->hottest = value;
}

/* Runs the case in `folder`, into folder/out; interrupted at once if asked. */
/* Interrupts a run once it computes: before that there is nothing to go on from. */
static void interrupt_it(void *user, const ig_progress *p) {
  (void)p;
  ig_ctx_interrupt(*(ig_ctx **)user);
}

static ig_status run(const char *folder, const char *out, const char *restart, const char *key,
                     const char *value, bool stop, figures *f, char *message) {
  char path[300], into[300], from[300];
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  snprintf(into, sizeof into, "%s/%s", folder, out);
  snprintf(from, sizeof from, "%s/%s/checkpoint.h5", folder, restart ? restart : "");
  ig_ctx *cx = NULL;
  GOOD(cx, ig_ctx_open(&(ig_ctx_options){.backend = "debug",
                                         .threads = 2,
                                         .progress = stop ? interrupt_it : NULL,
                                         .user = &cx},
                       &cx));
  ig_case *c;
  ig_status status = ig_case_open(cx, path, &c);
  if (status == IG_OK && key)
    status = ig_case_set(c, key, value);
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
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c;
  ig_job job;
  snprintf(path[0], sizeof path[0], "%s/case.yaml", folder);
  GOOD(cx, ig_case_open(cx, path[0], &c));
  GOOD(cx, ig_job_open(c, ig_rooms(), &job));
  const uint64_t mark = ig_job_fingerprint(c, &job);
  ig_job_close(&job);
  ig_case_close(c);
  for (int i = 0; i < 2; i++) {
    snprintf(path[i], sizeof path[i], "%s/%s/checkpoint.h5", folder, i ? b : a);
    GOOD(cx, ig_checkpoint_read(cx, path[i], mark, &r[i]));
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
    figures f, rest;
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    case_write(path, wall);
    assert_int_equal(run(folder, "whole", NULL, "conduction", forms[i], false, &f, NULL), IG_OK);
    assert_true(f.sent > 0 && fabs(f.source / (0.4 * f.sent) - 1) < 1e-12 && f.beam == f.source);
    assert_true(fabs(f.gap) < 1e-10 * f.beam);
    assert_true(fabs(f.volume / 44e-9 - 1) < 1e-12);
    assert_int_equal(run(folder, "part", NULL, "conduction", forms[i], true, &rest, NULL),
                     IG_INTERRUPTED);
    assert_int_equal(run(folder, "rest", "part", "conduction", forms[i], false, &rest, NULL),
                     IG_OK);
    assert_true(rest.sent == f.sent && rest.source == f.source);
    compare_checkpoints(folder, "whole", "rest");
    folder_remove(folder);
  }
}

/* A continuation may go further than the run meant to, in the same steps; not back. */
static void continuation_goes_further(void **state) {
  (void)state;
  char *folder = folder_new(), path[300], message[2048];
  figures f, more;
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  case_write(path, wall);
  assert_int_equal(run(folder, "whole", NULL, NULL, NULL, false, &f, NULL), IG_OK);
  assert_int_equal(run(folder, "more", "whole", "duration", "1.6 s", false, &more, message), IG_OK);
  assert_true(more.sent == f.sent && more.evaluations > f.evaluations);
  assert_int_equal(run(folder, "less", "whole", "duration", "1.4 s", false, &more, message),
                   IG_INPUT);
  assert_non_null(strstr(message, "the case ends at 1.4 s"));
  char less[300];
  snprintf(less, sizeof less, "%s/less/summary.json", folder);
  assert_int_not_equal(access(less, F_OK), 0); /* refused before anything is written */
  folder_remove(folder);
}

static void bad_input_is_named(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *message;
  } bad[] = {
      {"time_step", "1 s", "is above the critical step"},
      {"boundary[0].set", "side", "the mesh has no set 'side' of faces"},
      {"boundary[0]", "{set: surface}", "nothing is said about this boundary"},
      {"boundary[0]", "{set: surface, temperature: 300}", "on named face sets only"},
      {"materials[0].solidus", "1800 K", "a liquidus not below it"},
      {"materials[0].conductivity", "0", "greater than zero"},
      {"materials[0].set", "[core]", "the mesh has no set 'core' of elements"},
      {"beams[0].raster.base", "1 m", "no pass of a beam reaches"},
      {"beams[0].raster.regions[0].max", "[70 mm, 2.5 mm]", "outside the mesh"},
      {"beams[0].raster.regions[0].max", "[2 mm, 2 mm]", "this region is empty"},
      {"beams[0].absorptivity", "1.5", "1.5"},
      {"boundary[0].on", "surface", "unknown key 'on'"},
      {"birth.elements", "wall", "unknown key 'elements'"},
      {"output.fields", "[T, peak]", "peak"},
      {"output.fields", "[T, powder]", "no field 'powder'"},
      {"birth.set", "[tower]", "the mesh has no set 'tower' of elements"},
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

/* Files a case names: wrong ones are refused with their place, odd ones named in a warning. */
static int warned;
static char last_warning[512];
static void keep_warning(void *user, ig_log_level level, const char *message) {
  (void)user;
  if (level == IG_LOG_WARN) {
    warned++;
    snprintf(last_warning, sizeof last_warning, "%s", message);
  }
}

static void files_are_looked_at(void **state) {
  (void)state;
  static const char nodes[] = "*NODE\n1,0,0,0\n2,1e-3,0,0\n3,1e-3,1e-3,0\n4,0,1e-3,0\n"
                              "5,0,0,1e-3\n6,1e-3,0,1e-3\n7,1e-3,1e-3,1e-3\n8,0,1e-3,1e-3\n"
                              "9,0,0,0\n10,1e-3,0,0\n*ELEMENT, TYPE=C3D8\n";
  static const char box[] = "mesh: {boxes: {size: [10 mm, 4 mm, 1 mm], cells: [10, 4, 1]}}\n"
                            "beams: {radius: 1 mm, absorptivity: 0.4, path: {file: path%s}}\n";
  static const struct {
    const char *extension, *content, *message;
    ig_status status;
  } files[] = {
      {".inp", "1, 1,2,3,4,5,6,7,8\n", NULL, IG_OK},
      {".inp", "1, 5,6,7,8,1,2,3,4\n", "inverted: turned over", IG_OK},
      {".inp", "1, 1,3,2,4,5,7,6,8\n", "non-positive Jacobian", IG_INPUT},
      {".inp", "1, 1,2,3,4,9,10,7,8\n", "a face without area", IG_OK},
      {".csv", "0,5e-3,2e-3,1e-3,50\n0.2,6e-3,2e-3,1e-3,0\n", NULL, IG_OK},
      {".csv", "0,5e-3,2e-3,1e-3,50\n-1,6e-3,2e-3,1e-3,0\n", "time runs backwards", IG_INPUT},
      {".csv", "0,5e-3,2e-3,1e-3,50\n1,60e-3,2e-3,1e-3,0\n", "outside the mesh", IG_INPUT},
      {".csv", "0,5e-3,2e-3,1e-3,0\n1,6e-3,2e-3,1e-3,0\n", "never on", IG_OK},
      {".nc", "G0 X1 Y1 Z1\nM3 S20\nG1 X5 F600 Q2\n", "unknown word 'Q2'", IG_INPUT},
      {".nc", "G0 X1 Y1 Z1\nM3 S20\nM106\nG1 X5 F600\n", "ignored G-code words: M106", IG_OK},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *folder = folder_new(), path[300], text[2048], named[300];
    const bool mesh = strcmp(files[i].extension, ".inp") == 0;
    snprintf(path, sizeof path, "%s/%s%s", folder, mesh ? "part" : "path", files[i].extension);
    snprintf(text, sizeof text, "%s%s", mesh ? nodes : "", files[i].content);
    case_write(path, text);
    snprintf(named, sizeof named, mesh ? "mesh: {file: part%s}\n" : box, files[i].extension);
    snprintf(text, sizeof text,
             "physics: thermal\n%smaterials: {name: m, density: 8000, conductivity: 20, "
             "specific_heat: 500}\nduration: 0.5 s\noutput: {history_every: 1000}\n"
             "ambient: 350 K\nboundary: {set: surface, convection: 1}\n",
             named);
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    case_write(path, text);
    snprintf(named, sizeof named, "%s/out", folder);
    warned = 0;
    ig_ctx *cx;
    const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = keep_warning};
    assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
    ig_case *c;
    const ig_run_options o = {.out = named};
    ig_status status = ig_case_open(cx, path, &c);
    if (status == IG_OK)
      status = ig_run(c, &o);
    const char *said = status == IG_OK ? last_warning : ig_ctx_message(cx);
    if (status != files[i].status || (files[i].message && !strstr(said, files[i].message)))
      print_message("%s -> %d %s\n", files[i].content, status, said);
    assert_int_equal(status, files[i].status);
    if (files[i].message)
      assert_non_null(strstr(said, files[i].message));
    else
      assert_int_equal(warned, 0);
    ig_case_close(c);
    ig_ctx_close(cx);
    folder_remove(folder);
  }
}

/* A sink that counts: the start and the end are shown, what is due between, the fields asked for.
 */
typedef struct {
  int rows, snapshots, fields;
  double row[2], shown[2]; /* first and last, s */
} counted;
static ig_status row_count(ig_sink *sink, int columns, const char *const *names,
                           const double *values) {
  counted *c = sink->self;
  assert_true(columns > 0 && strcmp(names[0], "time [s]") == 0);
  c->row[c->rows++ > 0] = values[0];
  return IG_OK;
}
static ig_status snapshot_count(ig_sink *sink, ig_snapshot *snap) {
  counted *c = sink->self;
  c->shown[c->snapshots++ > 0] = snap->time;
  c->fields = snap->fields;
  ig_snapshot_free(snap);
  return IG_OK;
}

static void outputs_are_due(void **state) {
  (void)state;
  static const struct {
    const char *output;
    int snapshots, rows, fields;
  } cases[] = {{"{count: 3, history_every: 50}", 4, 41, 8},
               {"{count: 0, history_every: 0}", 0, 1001, 0},
               {"{interval: 0.4 s, history_every: 1000000, fields: [T, birth]}", 6, 2, 2},
               {"{every: 1000000, history_every: 1000000, fields: T_peak}", 2, 2, 1}};
  char *folder = folder_new(), path[300];
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  case_write(path, wall);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    counted c = {0};
    ig_sink sink = {.self = &c,
                    .snapshot = snapshot_count,
                    .history = row_count,
                    .checkpoint = checkpoint_drop,
                    .result = result_drop};
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *read;
    ig_job job;
    GOOD(cx, ig_case_open(cx, path, &read));
    GOOD(cx, ig_case_set(read, "output", cases[i].output));
    GOOD(cx, ig_case_set(read, "duration", "2 s"));
    GOOD(cx, ig_case_set(read, "time_step", "1 ms"));
    GOOD(cx, ig_job_open(read, ig_rooms(), &job));
    job.sink = &sink;
    GOOD(cx, ig_loop_all(ig_room_find("thermal"), &job));
    assert_int_equal(job.steps, 2000);
    assert_int_equal(c.snapshots, cases[i].snapshots);
    assert_int_equal(c.rows, cases[i].rows);
    assert_int_equal(c.fields, cases[i].fields);
    assert_true(c.row[0] == 0 && fabs(c.row[1] - 2) < 1e-12);
    if (c.snapshots)
      assert_true(c.shown[0] == 0 && fabs(c.shown[1] - 2) < 1e-12);
    ig_job_close(&job);
    ig_case_close(read);
    ig_ctx_close(cx);
  }
  folder_remove(folder);
}

/* A dwell in growing steps: far fewer evaluations, the same energy balance, nearly the same end;
   and it can be interrupted. */
static void dwells_are_leapt_over(void **state) {
  (void)state;
  char *folder = folder_new(), path[300];
  figures plain, leapt;
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  char text[4096], *at;
  snprintf(text, sizeof text, "%s", wall);
  assert_non_null(at = strstr(text, "duration: 1.5 s"));
  memcpy(at, "duration: 8.5 s", 15);
  assert_non_null(at = strstr(text, "history_every: 20"));
  memcpy(at, "history_every: 99", 17);
  assert_non_null(at = strstr(text, "count: 3"));
  memcpy(at, "count: 1", 8);
  case_write(path, text);
  assert_int_equal(run(folder, "plain", NULL, NULL, NULL, false, &plain, NULL), IG_OK);
  assert_int_equal(run(folder, "leapt", NULL, "dwell_change", "5 K", false, &leapt, NULL), IG_OK);
  assert_true(leapt.evaluations < 0.7 * plain.evaluations);
  assert_true(fabs(leapt.gap) < 1e-10 * leapt.beam);
  assert_true(fabs(leapt.hottest - plain.hottest) < 1);
  assert_int_equal(run(folder, "part", NULL, "dwell_change", "5 K", true, &leapt, NULL),
                   IG_INTERRUPTED);
  assert_int_equal(run(folder, "rest", "part", "dwell_change", "5 K", false, &leapt, NULL), IG_OK);
  compare_checkpoints(folder, "leapt", "rest");
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
  ig_ctx *cx = ctx_on("cpu", 1);
  heat_material_f64 *made = malloc(sizeof *made);
  GOOD(cx, ig_heat_material_make(cx, &m, made));
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

/* Capacities are constant but for melting: beyond it they are what they were before. Nodes of two
   materials find their temperature, near and far; the material that melts may be either. */
static void two_constant_materials(void **state) {
  (void)state;
  double one[] = {0}, rho[] = {2500}, k[] = {200}, c[] = {800}, dense[] = {5000}, less[] = {400};
  ig_material_case melts = {.name = "melts",
                            .density = {1, one, rho},
                            .conductivity = {1, one, k},
                            .specific_heat = {1, one, c},
                            .solidus = 880,
                            .liquidus = 900,
                            .latent_heat = 3e5};
  ig_material_case plain = {.name = "plain",
                            .density = {1, one, dense},
                            .conductivity = {1, one, k},
                            .specific_heat = {1, one, less}};
  ig_ctx *cx = ctx_on("cpu", 1);
  heat_material_f64 *made = malloc(2 * sizeof *made);
  GOOD(cx, ig_heat_material_make(cx, &melts, &made[0]));
  GOOD(cx, ig_heat_material_make(cx, &plain, &made[1]));
  assert_float_equal(heat_table_at_f64(&made[0].capacity, 300), 2e6, 1e-6);
  assert_float_equal(heat_table_at_f64(&made[0].capacity, 2000), 2e6, 1e-6);
  assert_float_equal(heat_table_at_f64(&made[0].capacity, 890), 2e6 + 2500 * 3e5 / 20, 1e-3);
  const double volume[][2] = {{1e-9, 0}, {0, 1e-9}, {1e-9, 3e-9}};
  for (int v = 0; v < 3; v++)
    for (double from = 300; from < 2500; from += 211)
      for (double x = 250; x < 2500; x += 37.7) {
        const double content = volume[v][0] * heat_content_f64(&made[0], x) +
                               volume[v][1] * heat_content_f64(&made[1], x);
        assert_float_equal(heat_mixture_f64(made, 2, volume[v], content, from), x, 1e-8);
      }
  free(made);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(continuation_ends_the_same), cmocka_unit_test(bad_input_is_named),
      cmocka_unit_test(files_are_looked_at),        cmocka_unit_test(dwells_are_leapt_over),
      cmocka_unit_test(heat_content_inverts),       cmocka_unit_test(two_constant_materials),
      cmocka_unit_test(continuation_goes_further),  cmocka_unit_test(outputs_are_due),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
