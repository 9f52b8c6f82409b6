/* Verification: the window against a grid that is fine everywhere; a moving beam against its closed
   form; heat counted over both grids. */
#include "powder/powder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two short tracks of two lines each, 1 mm apart: the window follows, and jumps. */
typedef struct {
  double pool[4][IG_LINE_COLUMNS]; /* of the lines */
  double peak[3], gap, moves;
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
                         .travel = 5,
                         .width = NAN,
                         .lasers = 1};
}

static ig_status run_all(ig_ctx *cx, const ig_powder_case *c, ig_material_case *m, found *f) {
  const ig_list materials = {1, m};
  ig_job job = {.cx = cx, .materials = &materials, .room_case = c};
  ig_powder_run r;
  ig_status status = ig_powder_open(&job, &r);
  while (status == IG_OK && r.time < r.duration)
    status = ig_powder_advance(&r);
  if (status == IG_OK)
    status = ig_powder_pull(&r, ~0u);
  if (status == IG_OK) {
    const ig_powder_ledger *l = &r.ledger;
    const double stored = ig_powder_stored(&r) - r.stored0;
    f->gap = (stored - (l->source + l->born + l->sunk - l->lost - l->held)) / (l->source + l->born);
    for (int i = 0; i < 4 && i < r.lines; i++)
      memcpy(f->pool[i], ig_powder_host(&r.array.line) + IG_LINE_COLUMNS * i, sizeof f->pool[i]);
    for (int i = 0; i < c->probes.count && i < 3; i++)
      f->peak[i] = ig_powder_host(&r.array.probe_peak)[i];
    f->moves = (double)r.moves;
  }
  ig_powder_close(&r);
  return status;
}

static ig_status tracks_run(ig_ctx *cx, double wx, double wy, double wz, found *f) {
  ig_scan_part part[2] = {{.min = {0, 0, 0}, .max = {0.6e-3, 0.2e-3, 40e-6}},
                          {.min = {1.6e-3, 0, 0}, .max = {2.2e-3, 0.2e-3, 40e-6}}};
  ig_powder_probe probe[3] = {{.name = "first", .point = {0.31e-3, 0.11e-3, -10e-6}},
                              {.name = "beside", .point = {1.91e-3, 0.27e-3, -30e-6}},
                              {.name = "below", .point = {1.91e-3, 0.11e-3, -130e-6}}};
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < 3; d++)
      part[i].move[d] = NAN;
  ig_material_case m = steel();
  const ig_powder_case c = {.duration = NAN,
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
                                     .window = {wx, wy, wz},
                                     .margin = 0.3e-3,
                                     .plate = 0.4e-3},
                            .beam = {.radius = 50e-6, .depth = 40e-6, .powder_absorptivity = 0.5},
                            .hatch = tracks(part, 2),
                            .probes = {3, probe}};
  memset(f, 0, sizeof *f);
  return run_all(cx, &c, &m, f);
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

static void rows_compare(const ig_verify_sink *sink, const char *which, const found *a,
                         const found *b) {
  static const char *const probe[3] = {"melted", "beside the track", "below it"};
  char text[96];
#define ROW(what, x, y, tolerance)                                                                 \
  do {                                                                                             \
    snprintf(text, sizeof text, "%s window: %s", which, what);                                     \
    row_put(sink, text, x, y, tolerance, true);                                                    \
  } while (0)
  for (int i = 1; i < 4; i += 2) {
    ROW(i == 1 ? "pool width, second line" : "pool width, after a jump", a->pool[i][IG_LINE_WIDTH],
        b->pool[i][IG_LINE_WIDTH], 0.03);
    ROW(i == 1 ? "pool depth, second line" : "pool depth, after a jump", a->pool[i][IG_LINE_DEPTH],
        b->pool[i][IG_LINE_DEPTH], 0.03);
    ROW(i == 1 ? "pool length, second line" : "pool length, after a jump",
        a->pool[i][IG_LINE_LENGTH], b->pool[i][IG_LINE_LENGTH], 0.03);
  }
  for (int i = 0; i < 3; i++) {
    char what[64];
    snprintf(what, sizeof what, "peak temperature, %s", probe[i]);
    ROW(what, a->peak[i], b->peak[i], 0.02);
  }
#undef ROW
  snprintf(text, sizeof text, "%s window: energy gap over heat brought in", which);
  row_put(sink, text, 0, b->gap, 1e-11, false);
}

static ig_status window_verify(ig_ctx *cx, const ig_verify_sink *sink) {
  found all, standing, moving;
  IG_TRY(tracks_run(cx, 9e-3, 9e-3, 9e-3, &all));
  IG_TRY(tracks_run(cx, 9e-3, 9e-3, 0.24e-3, &standing));
  IG_TRY(tracks_run(cx, 1.12e-3, 0.64e-3, 0.24e-3, &moving));
  row_put(sink, "fine everywhere: energy gap over heat brought in", 0, all.gap, 1e-11, false);
  rows_compare(sink, "standing", &all, &standing);
  rows_compare(sink, "moving", &all, &moving);
  row_put(sink, "moving window: it moved", 1, moving.moves > 3, 0, false);
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
  ig_scan_part part = {.min = {0, 0, 0}, .max = {0.8e-3, 0.1e-3, 20e-6}, .move = {NAN, NAN, NAN}};
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

const ig_verify_entry ig_powder_verify[] = {
    {"window", "a window that stands, moves and jumps against fine cells everywhere", true,
     window_verify},
    {"beam", "a moving Gaussian beam on a half space, partly beyond the window", true, beam_verify},
    {0}};
