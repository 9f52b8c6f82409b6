/* Verification: the window against a grid that is fine everywhere; a moving beam against its closed
   form; heat counted over both grids. */
#include "verify/verify.h"
#include "powder/powder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 12, PROBES = 3 };
typedef struct {
  int64_t lines;
  double pool[LINES][IG_LINE_COLUMNS];
  double peak[PROBES], gap, moves;
  int most; /* windows at once */
} found;

static ig_table constant(double *y) {
  static double zero;
  return (ig_table){1, &zero, y};
}

static double density = 7800, specific_heat = 700, conductivity = 25, powder = 0.5, absorbs = 0.4;

static ig_material_case steel(void) {
  return (ig_material_case){.name = "steel",
                            .density = constant(&density),
                            .specific_heat = constant(&specific_heat),
                            .conductivity = constant(&conductivity),
                            .powder_conductivity = constant(&powder),
                            .absorptivity = constant(&absorbs),
                            .solidus = 1650,
                            .liquidus = 1720,
                            .latent_heat = 270e3};
}

static ig_hatch_case tracks(ig_scan_part *part, int parts) {
  return (ig_hatch_case){.parts = {parts, part},
                         .layer_height = 40e-6,
                         .base = NAN,
                         .first_layer = 1,
                         .spacing = 0.1e-3,
                         .power = 150,
                         .speed = 0.8,
                         .jump_speed = 5,
                         .width = NAN,
                         .lasers = 1};
}

static ig_status run_all(ig_ctx *cx, const ig_powder_case *c, found *f) {
  ig_material_case m = steel();
  const ig_list materials = {1, &m};
  ig_job job = {.cx = cx, .materials = &materials, .room_case = c};
  ig_powder_run r;
  memset(f, 0, sizeof *f);
  ig_status status = ig_powder_open(&job, &r);
  while (status == IG_OK && r.time < r.duration) {
    status = ig_powder_advance(&r);
    f->most = r.set[r.now].count > f->most ? r.set[r.now].count : f->most;
  }
  if (status == IG_OK)
    status = ig_powder_pull(&r, ~0u);
  if (status == IG_OK) {
    const ig_powder_ledger *l = &r.ledger;
    const double stored = ig_powder_stored(&r) - r.stored0;
    f->gap = (stored - (l->source + l->born + l->sunk - l->lost - l->held)) / (l->source + l->born);
    f->lines = r.lines;
    for (int i = 0; i < LINES && i < r.lines; i++)
      memcpy(f->pool[i], ig_powder_host(&r.array.line) + IG_LINE_COLUMNS * i, sizeof f->pool[i]);
    for (int i = 0; i < c->probes.count && i < PROBES; i++)
      f->peak[i] = ig_powder_host(&r.array.probe_peak)[i];
    f->moves = (double)r.moves;
  }
  ig_powder_close(&r);
  return status;
}

/* The same bed for all comparisons; `window` beyond it: fine cells everywhere. */
static ig_powder_case bed(const ig_hatch_case *hatch, ig_powder_probe *probe,
                          const double *window) {
  return (ig_powder_case){.duration = NAN,
                          .initial_temperature = 300,
                          .powder_temperature = NAN,
                          .plate_temperature = 300,
                          .ambient = 300,
                          .convection = 20,
                          .emissivity = 0.4,
                          .safety = 0.8,
                          .dwell_change = 2,
                          .packing = 1,
                          .grid = {.cell = 20e-6,
                                   .ratio = 4,
                                   .window = {window[0], window[1], window[2]},
                                   .margin = 0.3e-3,
                                   .plate = 0.4e-3},
                          .beam = {.radius = 50e-6, .depth = 40e-6, .powder_absorptivity = 0.5},
                          .hatch = *hatch,
                          .probes = {PROBES, probe}};
}

static void row_put(const ig_verify_sink *sink, const char *quantity, double expected,
                    double computed, double tolerance, bool relative) {
  const ig_verify_row row = {.quantity = quantity,
                             .source = "cells of 20 um everywhere",
                             .expected = expected,
                             .computed = computed,
                             .tolerance = tolerance,
                             .relative = relative};
  sink->row(sink->user, &row);
}

/* A line's pool. `within`: m, of its width and length; 0: 3 %. */
static void pool_compare(const ig_verify_sink *sink, const char *which, const char *line,
                         const double *a, const double *b, double within) {
  static const char *const what[3] = {"width", "depth", "length"};
  static const int column[3] = {IG_LINE_WIDTH, IG_LINE_DEPTH, IG_LINE_LENGTH};
  char text[96];
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "%s: pool %s, %s", which, what[i], line);
    if (within > 0 && column[i] != IG_LINE_DEPTH)
      row_put(sink, text, a[column[i]], b[column[i]], within, false);
    else
      row_put(sink, text, a[column[i]], b[column[i]], 0.03, true);
  }
}

static void rest_compare(const ig_verify_sink *sink, const char *which, const char *const *probe,
                         const found *a, const found *b) {
  char text[96];
  for (int i = 0; i < PROBES; i++) {
    snprintf(text, sizeof text, "%s: peak temperature, %s", which, probe[i]);
    row_put(sink, text, a->peak[i], b->peak[i], 0.02, true);
  }
  snprintf(text, sizeof text, "%s: energy gap over heat brought in", which);
  row_put(sink, text, 0, b->gap, 1e-11, false);
}

/* --- two short tracks of two lines each, 1 mm apart: the window follows, and jumps */

static ig_status tracks_run(ig_ctx *cx, double wx, double wy, double wz, found *f) {
  ig_scan_part part[2] = {{.min = {0, 0, 0}, .max = {0.6e-3, 0.2e-3, 40e-6}},
                          {.min = {1.6e-3, 0, 0}, .max = {2.2e-3, 0.2e-3, 40e-6}}};
  ig_powder_probe probe[PROBES] = {{.name = "under", .point = {0.31e-3, 0.11e-3, -10e-6}},
                                   {.name = "beside", .point = {1.91e-3, 0.27e-3, -30e-6}},
                                   {.name = "below", .point = {1.91e-3, 0.11e-3, -130e-6}}};
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < 3; d++)
      part[i].translate[d] = NAN;
  const ig_hatch_case hatch = tracks(part, 2);
  const ig_powder_case c = bed(&hatch, probe, (const double[3]){wx, wy, wz});
  return run_all(cx, &c, f);
}

static void rows_compare(const ig_verify_sink *sink, const char *which, const found *a,
                         const found *b) {
  static const char *const probe[PROBES] = {"under the track", "beside the track", "below it"};
  pool_compare(sink, which, "second line", a->pool[1], b->pool[1], 0);
  pool_compare(sink, which, "after a jump", a->pool[3], b->pool[3], 0);
  rest_compare(sink, which, probe, a, b);
}

static ig_status window_verify(ig_ctx *cx, const ig_verify_sink *sink) {
  found all, standing, moving, fits;
  IG_TRY(tracks_run(cx, 9e-3, 9e-3, 9e-3, &all));
  IG_TRY(tracks_run(cx, 9e-3, 9e-3, 0.24e-3, &standing));
  IG_TRY(tracks_run(cx, 1.12e-3, 0.64e-3, 0.24e-3, &moving));
  IG_TRY(tracks_run(cx, NAN, NAN, NAN, &fits));
  row_put(sink, "fine everywhere: energy gap over heat brought in", 0, all.gap, 1e-11, false);
  rows_compare(sink, "standing window", &all, &standing);
  rows_compare(sink, "moving window", &all, &moving);
  row_put(sink, "moving window: it moved", 1, moving.moves > 3, 0, false);
  rows_compare(sink, "window that fits", &all, &fits);
  return IG_OK;
}

/* --- two lasers: one passes the other, their windows become one and part again */

static ig_status passing_run(ig_ctx *cx, const double *window, found *f) {
  ig_scan_part part[2] = {{.min = {0, 0, 0}, .max = {2e-3, 0.1e-3, 40e-6}, .laser = 1},
                          {.min = {1.2e-3, 0.3e-3, 0}, .max = {1.5e-3, 0.7e-3, 40e-6}, .laser = 2}};
  ig_powder_probe probe[PROBES] = {{.name = "between", .point = {1.35e-3, 0.17e-3, 10e-6}},
                                   {.name = "first", .point = {1.35e-3, 0.05e-3, -30e-6}},
                                   {.name = "second", .point = {1.35e-3, 0.45e-3, -30e-6}}};
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < 3; d++)
      part[i].translate[d] = NAN;
  ig_hatch_case hatch = tracks(part, 2);
  hatch.lasers = 2;
  ig_powder_case c = bed(&hatch, probe, window);
  c.packing = 0.6;
  return run_all(cx, &c, f);
}

static ig_status passing_verify(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const probe[PROBES] = {"between the tracks", "below the first",
                                            "below the second"};
  static const double all[3] = {9e-3, 9e-3, 9e-3}, two[3] = {0.8e-3, 0.64e-3, 0.24e-3};
  found a, b;
  IG_TRY(passing_run(cx, all, &a));
  IG_TRY(passing_run(cx, two, &b));
  row_put(sink, "two lasers: lines", (double)a.lines, (double)b.lines, 0, false);
  row_put(sink, "two lasers: windows at once, where they are apart", 2, b.most, 0, false);
  pool_compare(sink, "two lasers", "the one that passes", a.pool[0], b.pool[0], 0);
  pool_compare(sink, "two lasers", "the one that is passed", a.pool[3], b.pool[3], 0);
  rest_compare(sink, "two lasers", probe, &a, &b);
  return IG_OK;
}

/* --- lines across the borders of coarse cells and of windows, in two layers */

static ig_status oblique_run(ig_ctx *cx, const double *window, int64_t ratio, found *f) {
  ig_scan_part part = {
      .min = {0, 0, 0}, .max = {0.88e-3, 0.4e-3, 80e-6}, .translate = {NAN, NAN, NAN}};
  ig_powder_probe probe[PROBES] = {{.name = "under", .point = {0.45e-3, 0.2e-3, -10e-6}},
                                   {.name = "edge", .point = {0.89e-3, 0.2e-3, 30e-6}},
                                   {.name = "deep", .point = {0.3e-3, 0.2e-3, -90e-6}}};
  ig_hatch_case hatch = tracks(&part, 1);
  hatch.angle = 0.6;
  hatch.rotation = 1.2;
  hatch.spacing = 0.13e-3;
  ig_powder_case c = bed(&hatch, probe, window);
  c.grid.ratio = ratio;
  c.grid.margin = 0.32e-3;
  c.packing = 0.6;
  return run_all(cx, &c, f);
}

static ig_status oblique_verify(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const probe[PROBES] = {"in the middle", "at its edge", "deep below"};
  static const double all[3] = {9e-3, 9e-3, 9e-3}, moving[3] = {0.64e-3, 0.64e-3, 0.24e-3};
  found a, b;
  IG_TRY(oblique_run(cx, all, 1, &a));
  IG_TRY(oblique_run(cx, moving, 4, &b));
  row_put(sink, "oblique lines: it moved", 1, b.moves > 8, 0, false);
  /* pools of neighbours join for a moment, a cell sooner or later */
  pool_compare(sink, "oblique lines", "third line", a.pool[2], b.pool[2], 20e-6);
  pool_compare(sink, "oblique lines", "second layer", a.pool[a.lines - 2], b.pool[a.lines - 2],
               20e-6);
  rest_compare(sink, "oblique lines", probe, &a, &b);
  return IG_OK;
}

/* --- order: a mode of the closed plate, half of it in a window that stands */

/* The mean of the mode over a cell. */
static double mode_mean(const ig_powder_run *r, const double *length, double edge, double x,
                        double y, double z) {
  const double at[3] = {x, y, z};
  double value = 1;
  for (int d = 0; d < 3; d++) {
    const double w = M_PI / length[d];
    value *= cos(w * (at[d] - r->low[d])) * sin(0.5 * w * edge) / (0.5 * w * edge);
  }
  return value;
}

/* Root of the mean square of what the temperature is wrong by, over what the mode has become, after
   a fixed time on cells of the size `cell`. */
static ig_status mode_error(ig_ctx *cx, double cell, int ratio, double *error) {
  ig_scan_part part = {
      .min = {0, 0, 0}, .max = {0.96e-3, 0.96e-3, cell}, .translate = {NAN, NAN, NAN}};
  ig_hatch_case hatch = tracks(&part, 1);
  hatch.layer_height = cell;
  hatch.start_time = 1; /* until then there is the plate only */
  ig_powder_case c = bed(&hatch, NULL, (const double[3]){9e-3, 9e-3, 9e-3});
  c.probes.count = 0;
  c.plate_temperature = NAN;
  c.convection = c.emissivity = 0;
  c.grid.cell = cell;
  c.grid.ratio = ratio;
  c.grid.margin = 0;
  c.grid.plate = 0.96e-3;
  ig_material_case m = steel();
  m.latent_heat = m.solidus = m.liquidus = NAN;
  const ig_list materials = {1, &m};
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  ig_powder_run r;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_powder_open(&job, &r));
  const ig_powder_level *l = &r.coarse;
  const int n = (int)(r.plate / ratio); /* along each axis */
  const double length[3] = {0.96e-3, 0.96e-3, 0.96e-3}, c0 = density * specific_heat;
  for (int i = 0; i < n * n * n; i++) {
    const int x = i % n, y = i / n % n, z = i / n / n;
    const double mean = mode_mean(&r, length, l->edge, r.low[0] + (x + 0.5) * l->edge,
                                  r.low[1] + (y + 0.5) * l->edge, r.low[2] + (z + 0.5) * l->edge);
    l->heat[ig_level_at(l, x, y, z)] = c0 * (1000 + 100 * mean);
  }
  IG_TRY_GOTO(status, done, ig_powder_push(&r));
  const ig_powder_box box = {{n / 4, n / 4, n / 2}, {n / 2, n / 2, n / 2}};
  IG_TRY_GOTO(status, done, ig_powder_windows_place(&r, &box, 1));
  const double end = 4e-3, most = ig_powder_coarse_step(&r);
  const int steps = (int)ceil(end / most);
  for (int i = 0; i < steps; i++)
    IG_TRY_GOTO(status, done, ig_powder_both(&r, end / steps));
  IG_TRY_GOTO(status, done, ig_powder_pull(&r, ~0u));
  const double w = M_PI / length[0], left = 100 * exp(-3 * w * w * conductivity / c0 * end);
  double sum = 0;
  for (int i = 0; i < n * n * n; i++) {
    const int x = i % n, y = i / n % n, z = i / n / n;
    const double mean = mode_mean(&r, length, l->edge, r.low[0] + (x + 0.5) * l->edge,
                                  r.low[1] + (y + 0.5) * l->edge, r.low[2] + (z + 0.5) * l->edge);
    const double T = ig_powder_table_T(r.tables, l->heat[ig_level_at(l, x, y, z)], 1);
    sum += (T - 1000 - left * mean) * (T - 1000 - left * mean);
  }
  *error = sqrt(sum / (n * n * n)) / left;
done:
  ig_powder_close(&r);
  return status;
}

static ig_status order_verify(ig_ctx *cx, const ig_verify_sink *sink) {
  double error[3];
  for (int i = 0; i < 3; i++)
    IG_TRY(mode_error(cx, 60e-6 / (1 << i), 2, &error[i]));
  const ig_verify_row row = {.quantity = "order of both grids refined, cells of 30 to 15 um",
                             .source = "a mode of the heat equation",
                             .expected = 2,
                             .computed = log2(error[1] / error[2]),
                             .tolerance = 0.2};
  sink->row(sink->user, &row);
  return IG_OK;
}

/* --- a moving Gaussian beam on a half space (Eagar and Tsai, 1983) */

static double eagar_tsai(double P, double v, double radius, double k, double a, const double *x,
                         double time) {
  const double s2 = radius * radius / 4; /* variance along x and y */
  double sum = 0;
  enum { N = 20000 };
  for (int i = 0; i < N; i++) { /* equal steps of the root of the age: no pole at 0 */
    const double q = (i + 0.5) / N * sqrt(time), age = q * q;
    const double w = 2 * a * age + s2, dx = x[0] + v * age;
    sum += 2 * exp(-(dx * dx + x[1] * x[1]) / (2 * w) - x[2] * x[2] / (4 * a * age)) / w;
  }
  return P * a / (k * M_PI * sqrt(4 * M_PI * a)) * sum * sqrt(time) / N;
}

/* A bed that is all solid and does not melt; probes below the line's end, when the beam is there.
 */
static ig_status beam_verify(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_scan_part part = {
      .min = {0, 0, 0}, .max = {0.8e-3, 0.1e-3, 20e-6}, .translate = {NAN, NAN, NAN}};
  /* the line is at y = 0.05 mm and ends at x = 0.8 mm; the surface is at z = 20 um */
  ig_powder_probe probe[3] = {{.name = "a", .point = {0.65e-3, 0.05e-3, -30e-6}},
                              {.name = "b", .point = {0.65e-3, 0.15e-3, -10e-6}},
                              {.name = "c", .point = {0.45e-3, 0.05e-3, -90e-6}}};
  ig_material_case m = steel();
  m.powder_conductivity = (ig_table){0};
  m.latent_heat = m.solidus = m.liquidus = NAN;
  ig_powder_case c = {.initial_temperature = 300,
                      .powder_temperature = NAN,
                      .plate_temperature = NAN,
                      .ambient = 300,
                      .safety = 0.8,
                      .dwell_change = 2,
                      .packing = 1,
                      .grid = {.cell = 20e-6,
                               .ratio = 4,
                               .window = {0.96e-3, 0.72e-3, 0.4e-3},
                               .margin = 0.6e-3,
                               .plate = 0.6e-3},
                      .beam = {.radius = 60e-6, .depth = NAN, .powder_absorptivity = NAN},
                      .hatch = tracks(&part, 1),
                      .probes = {3, probe}};
  c.hatch.layer_height = 20e-6;
  c.hatch.power = 50;
  c.duration = 1e-3; /* the end of the line */
  const ig_list materials = {1, &m};
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  ig_powder_run r;
  ig_status status = ig_powder_open(&job, &r);
  while (status == IG_OK && r.time < r.duration)
    status = ig_powder_advance(&r);
  if (status == IG_OK)
    status = ig_powder_pull(&r, IG_PULL_PROBES);
  for (int i = 0; i < 3 && status == IG_OK; i++) {
    double x[3]; /* of the middle of the probe's cell, from the beam and the surface */
    for (int d = 0; d < 3; d++)
      x[d] = r.low[d] + (floor((probe[i].point[d] - r.low[d]) / 20e-6) + 0.5) * 20e-6 -
             (d == 0   ? 0.8e-3
              : d == 1 ? 0.05e-3
                       : 20e-6);
    const double rise = eagar_tsai(0.4 * 50, 0.8, 60e-6, conductivity,
                                   conductivity / (density * specific_heat), x, 1e-3);
    const ig_verify_row row = {.quantity = i == 0   ? "rise 150 um behind, 40 um deep"
                                           : i == 1 ? "rise beside the track"
                                                    : "rise 350 um behind, 100 um deep",
                               .source = "Eagar and Tsai (1983)",
                               .expected = rise,
                               .computed = ig_powder_host(&r.array.probe_now)[i] - 300,
                               .tolerance = 0.03,
                               .relative = true};
    sink->row(sink->user, &row);
  }
  ig_powder_close(&r);
  return status;
}

/* --- when cells melt and freeze under a beam that moves, in closed form */

/* A beam of 60 W absorbed that begins at x = 0 and moves at 0.5 m/s along y = 0: a Gaussian of
   50 um (1/e^2) along all axes, on the surface z = 0 of a half space. Rise at a place, K. */
static double moving_rise(const double *x, double time) {
  enum { N = 1000 };
  const double c = density * specific_heat, D = conductivity / c, s2 = 50e-6 * 50e-6 / 4;
  double sum = 0;
  for (int i = 0; i < N; i++) { /* equal steps of the root of the age */
    const double q = (i + 0.5) / N * sqrt(time), age = q * q, w = s2 + 2 * D * age,
                 dx = x[0] - 0.5 * (time - age);
    sum += 2 * q * exp(-(dx * dx + x[1] * x[1] + x[2] * x[2]) / (2 * w)) / pow(2 * M_PI * w, 1.5);
  }
  return 2 * 60 / c * sum * sqrt(time) / N;
}
/* When a place passes a temperature, K: between two times of which the one is on one side of it. */
static double passes(const double *x, double T, double from, double to) {
  const bool up = 300 + moving_rise(x, to) > T;
  for (int i = 0; i < 40; i++) {
    const double middle = 0.5 * (from + to);
    *((300 + moving_rise(x, middle) > T) == up ? &to : &from) = middle;
  }
  return 0.5 * (from + to);
}

/* How many cells of 20 um of the column across the line come to the liquidus. */
static int melting_cells(void) {
  int count = 0;
  for (int n = 0; n < 11 * 5; n++) {
    const double x[3] = {0.71e-3, (n % 11 - 5) * 20e-6, (n / 11 + 0.5) * 20e-6};
    double most = 0;
    for (int i = 0; i < 100; i++)
      most = fmax(most, moving_rise(x, x[0] / 0.5 + i * 3e-6));
    count += 300 + most > 1720;
  }
  return count;
}

static void event_compare(const ig_verify_sink *sink, const double *x, const ig_powder_event *e) {
  const double under = x[0] / 0.5, hot = under + 50e-6, /* molten then */
      melts = passes(x, 1720, under - 300e-6, hot), cools = passes(x, 1720, hot, hot + 2e-3),
               freezes = passes(x, 1650, hot, hot + 2e-3);
  const struct {
    const char *what;
    double expected, computed, tolerance;
  } row[3] = {{"melts", melts - under, e->melted - under, 5e-6},
              {"falls through the liquidus", cools - under, e->cooled - under, 5e-6},
              {"cooling rate to the solidus over the exact one", 1,
               e->cooling * (freezes - cools) / (1720 - 1650), 0.01}};
  for (int i = 0; i < 3; i++) {
    char text[96];
    snprintf(text, sizeof text, "%.0f um beside, %.0f um deep: %s", 1e6 * fabs(x[1]), 1e6 * x[2],
             row[i].what);
    const ig_verify_row out = {.quantity = text,
                               .source = "a moving Gaussian in a half space",
                               .expected = row[i].expected,
                               .computed = row[i].computed,
                               .tolerance = row[i].tolerance};
    sink->row(sink->user, &out);
  }
}

/* One column of cells across the line, once the beam is far ahead; y, z from the line. */
static ig_status events_verify(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_scan_part part = {
      .min = {0, 0, 0}, .max = {1.4e-3, 0.1e-3, 20e-6}, .translate = {NAN, NAN, NAN}};
  ig_hatch_case hatch = tracks(&part, 1);
  hatch.layer_height = 20e-6, hatch.speed = 0.5;
  ig_powder_case c = bed(&hatch, NULL, (const double[3]){NAN, NAN, NAN});
  c.probes.count = 0;
  c.plate_temperature = NAN, c.convection = c.emissivity = 0;
  c.grid.margin = 0.5e-3, c.grid.plate = 0.5e-3;
  c.beam = (ig_powder_beam){.radius = 50e-6, .depth = 50e-6, .powder_absorptivity = NAN};
  c.events = (ig_powder_events_case){.at = {.given = true},
                                     .min = {0.7e-3, 0, -1e-3},
                                     .max = {0.72e-3, 0.1e-3, 20e-6},
                                     .layers = {NAN, NAN},
                                     .high = NAN,
                                     .low = NAN};
  ig_material_case m = steel();
  m.powder_conductivity = (ig_table){0};
  m.latent_heat = NAN;
  const ig_list materials = {1, &m};
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  ig_powder_run r;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_powder_open(&job, &r));
  while (r.time < r.duration)
    IG_TRY_GOTO(status, done, ig_powder_advance(&r));
  IG_TRY_GOTO(status, done, ig_powder_events_drain(&r));
  const ig_powder_events *e = &r.view.events;
  int64_t seen = 0;
  for (int64_t i = 0; i < r.events; i++) {
    const int64_t at[2] = {r.event[i].cell / e->n[0] % e->n[1],
                           r.event[i].cell / e->n[0] / e->n[1]};
    const double x[3] = {0.71e-3, r.low[1] + ((double)(e->at[1] + at[0]) + 0.5) * r.cell - 0.05e-3,
                         20e-6 - r.low[2] - ((double)(e->at[2] + at[1]) + 0.5) * r.cell};
    seen++;
    if (x[1] > -1e-6)
      event_compare(sink, x, &r.event[i]);
  }
  const ig_verify_row row = {.quantity = "cells that melt",
                             .source = "a moving Gaussian in a half space",
                             .expected = melting_cells(),
                             .computed = (double)seen,
                             .tolerance = 0};
  sink->row(sink->user, &row);
done:
  ig_powder_close(&r);
  return status;
}

const ig_verify_entry ig_powder_verify[] = {
    {"window", "a window that stands, moves and jumps against fine cells everywhere", true,
     window_verify},
    {"passing", "two lasers whose windows meet and part against fine cells everywhere", false,
     passing_verify},
    {"oblique", "lines across the borders of cells and windows, two layers of light powder", false,
     oblique_verify},
    {"order", "a mode of the heat equation across the rim of a window", true, order_verify},
    {"beam", "a moving Gaussian beam on a half space, partly beyond the window", true, beam_verify},
    {"events", "when cells melt and freeze under a moving beam, in closed form", true,
     events_verify},
    {0}};
