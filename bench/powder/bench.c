/* Benchmarks: how fast a part is scanned.

   scan    lines of a layer with a window of 30 k fine cells: all that a step needs
   window  fine steps of that window alone: two hundred coarse steps' worth at once; as many as a
           coarse step has; these with the coarse step around them, the beam standing still
   long    fine steps alone of the windows that long pools need: 49 k, 74 k and 111 k cells
   parts   where the time of a coarse step goes, with keyholes, coarse cells of eight fine ones and
           fine steps in pairs, as in the AM-Bench bridge: each row has one part more */
#include "bench/bench.h"
#include "powder/powder.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>

static double zero[] = {0}, warm[] = {300, 1600}, rho[] = {7800}, c1[] = {480, 700},
              k1[] = {14, 30}, powder[] = {0.3}, absorbs[] = {0.35};

static const ig_material_case steel = {.name = "steel",
                                       .density = {1, zero, rho},
                                       .specific_heat = {2, warm, c1},
                                       .conductivity = {2, warm, k1},
                                       .powder_conductivity = {1, zero, powder},
                                       .absorptivity = {1, zero, absorbs},
                                       .boiling = 3100,
                                       .evaporation_heat = 6.3e6,
                                       .molar_mass = 0.056,
                                       .solidus = 1670,
                                       .liquidus = 1720,
                                       .latent_heat = 270e3};

/* A layer of a 5 mm square; a window of 52 x 48 x 12 fine cells. */
static ig_powder_case square(ig_scan_part *part) {
  *part =
      (ig_scan_part){.min = {0, 0, 0}, .max = {5e-3, 5e-3, 40e-6}, .translate = {NAN, NAN, NAN}};
  return (ig_powder_case){.duration = NAN,
                          .initial_temperature = 353,
                          .powder_temperature = NAN,
                          .plate_temperature = 353,
                          .ambient = 300,
                          .convection = 20,
                          .emissivity = 0.4,
                          .safety = 0.8,
                          .dwell_change = 2,
                          .packing = 1,
                          .grid = {.cell = 20e-6,
                                   .ratio = 4,
                                   .window = {1.04e-3, 0.96e-3, 0.24e-3},
                                   .margin = 0.4e-3,
                                   .plate = 1.2e-3},
                          .beam = {.radius = 50e-6, .depth = 50e-6, .powder_absorptivity = 0.5},
                          .hatch = {.parts = {1, part},
                                    .layer_height = 40e-6,
                                    .base = NAN,
                                    .first_layer = 1,
                                    .spacing = 0.1e-3,
                                    .power = 150,
                                    .speed = 0.8,
                                    .jump_speed = 5,
                                    .width = NAN,
                                    .lasers = 1}};
}

static void row_put(const ig_bench_sink *sink, const char *name, const ig_powder_run *r,
                    double steps, double work, double seconds) {
  char note[96];
  snprintf(note, sizeof note, "%.4g fine steps/s", steps / seconds);
  const ig_bench_row row = {.name = name,
                            .elements = (double)r->size[0] * r->size[1] * r->size[2] * pow(r->r, 3),
                            .steps = steps,
                            .seconds = seconds,
                            .rate = work / seconds,
                            .rate_unit = "cell-steps",
                            .bytes = 56 * work,
                            .memory = (double)r->cx->device_bytes,
                            .note = note};
  sink->row(sink->user, &row);
}

/* The first 2 ms, in which the window opens, are not timed. */
static double opened(const ig_powder_run *r) {
  return 1e-5 * ig_bench_size(r->cx, 200, 200, 1);
}

static ig_status scan_time(ig_powder_run *r, const ig_bench_sink *sink) {
  const double seconds = ig_bench_seconds(r->cx, 0.5, 1.5);
  while (r->time < opened(r))
    IG_TRY(ig_powder_advance(r));
  IG_TRY(r->cx->backend->sync(r->cx));
  const double start = ig_now(), work = r->work;
  const int64_t steps = r->fine_steps;
  const int each = ig_bench_size(r->cx, 32, 32, 1);
  double took = 0;
  while (took < seconds && r->time < r->duration) {
    for (int i = 0; i < each && r->time < r->duration; i++)
      IG_TRY(ig_powder_advance(r));
    IG_TRY(r->cx->backend->sync(r->cx));
    took = ig_now() - start;
  }
  row_put(sink, "scan: windows, fine and coarse steps", r, (double)(r->fine_steps - steps),
          r->work - work, took);
  return IG_OK;
}

/* What a row of bench_window times: `most` fine steps, at once or by coarse steps. */
enum { AT_ONCE, STANDING, LAUNCHES };
static ig_status window_steps(ig_powder_run *r, int how, int most) {
  const double dt = ig_powder_whole_step(r);
  const int each = how == AT_ONCE ? most : (int)ceil(dt / r->dt_fine * (1 - 1e-12));
  for (int n = 0; n < most; n += each)
    IG_TRY(how == STANDING ? ig_powder_both(r, dt) : ig_powder_fine_steps(r, each * r->dt_fine));
  return r->cx->backend->sync(r->cx);
}

static ig_status window_time(ig_powder_run *r, const ig_bench_sink *sink) {
  static const char *const name[] = {"window: fine steps alone",
                                     "window: with the coarse step around",
                                     "window: as many as a coarse step has"};
  const int most = ig_bench_size(r->cx, 2000, 50, 10);
  while (r->time < opened(r))
    IG_TRY(ig_powder_advance(r));
  for (int how = AT_ONCE; how <= LAUNCHES; how++) {
    IG_TRY(window_steps(r, how, most / 10)); /* warms up */
    const double start = ig_now(), work = r->work;
    const int64_t steps = r->fine_steps;
    IG_TRY(window_steps(r, how, most));
    row_put(sink, name[how], r, (double)(r->fine_steps - steps), r->work - work, ig_now() - start);
  }
  return IG_OK;
}

/* Pools of keyholes are 0.9 to 1.5 mm long: 64, 96 or 144 x 32 x 24 fine cells. */
static const double lengths[] = {1.28e-3, 1.92e-3, 2.88e-3};
static ig_status long_time(ig_powder_run *r, const ig_bench_sink *sink) {
  const int most = ig_bench_size(r->cx, 2000, 20, 10);
  while (r->time < opened(r))
    IG_TRY(ig_powder_advance(r));
  IG_TRY(window_steps(r, AT_ONCE, most / 10)); /* warms up */
  const double start = ig_now(), work = r->work;
  const int64_t steps = r->fine_steps;
  IG_TRY(window_steps(r, AT_ONCE, most));
  row_put(sink, "long: fine steps alone", r, (double)(r->fine_steps - steps), r->work - work,
          ig_now() - start);
  return IG_OK;
}

/* Parts of a coarse step, each with those before it: fine steps, all in one launch; a launch for
   each coarse step; with the coarse step, rims, means and pools, windows standing; the host reads
   the pools' extents back; windows are placed anew in every step. */
enum { PART_FINE, PART_LAUNCH, PART_BOTH, PART_READ, PART_MOVE, PARTS };

/* The window goes to and fro by a coarse cell. */
static ig_status window_shift(ig_powder_run *r, int step) {
  const ig_powder_windows *set = &r->set[r->now];
  ig_powder_box box[IG_POWDER_WINDOWS];
  for (int i = 0; i < set->count; i++) {
    box[i] = set->window[i].box;
    box[i].at[0] += step % 2 ? 1 : -1;
  }
  r->view.were = set->list.dev;
  r->view.were_count = set->count;
  r->moved = true;
  return ig_powder_windows_make(r, 1 - r->now, box, NULL, set->count);
}

static ig_status part_steps(ig_powder_run *r, int part, int most) {
  const double dt = ig_powder_whole_step(r);
  if (part == PART_FINE)
    return ig_powder_fine_steps(r, most * dt);
  for (int n = 0; n < most; n++) {
    if (part == PART_MOVE)
      IG_TRY(window_shift(r, n));
    IG_TRY(part == PART_LAUNCH ? ig_powder_fine_steps(r, dt) : ig_powder_both(r, dt));
    if (part >= PART_READ)
      IG_TRY(ig_powder_molten_pull(r));
  }
  return IG_OK;
}

static void part_put(const ig_bench_sink *sink, const char *name, const ig_powder_run *r,
                     double coarse, double steps, double work, double seconds) {
  double cells = 0;
  for (int i = 0; i < r->set[r->now].count; i++) {
    const int *n = r->set[r->now].window[i].fine.n;
    cells += (double)n[0] * n[1] * n[2];
  }
  char note[96];
  snprintf(note, sizeof note, "%.4g us per coarse step of %.3g fine ones", 1e6 * seconds / coarse,
           steps / coarse);
  const ig_bench_row row = {.name = name,
                            .elements = cells,
                            .steps = steps,
                            .seconds = seconds,
                            .rate = work / seconds,
                            .rate_unit = "cell-steps",
                            .bytes = 56 * work,
                            .memory = (double)r->cx->device_bytes,
                            .note = note};
  sink->row(sink->user, &row);
}

static ig_status parts_time(ig_powder_run *r, const ig_bench_sink *sink) {
  static const char *const name[] = {"parts: fine steps alone", "parts: a launch per coarse step",
                                     "parts: coarse step, rims, means, pools",
                                     "parts: extents read by the host",
                                     "parts: windows placed anew"};
  const int most = ig_bench_size(r->cx, 400, 4, 2);
  const double open = 1e-3 * ig_bench_size(r->cx, 8, 3, 1); /* into the second line */
  while (r->time < open)
    IG_TRY(ig_powder_advance(r));
  for (int part = 0; part < PARTS; part++) {
    IG_TRY(part_steps(r, part, 2)); /* warms up */
    IG_TRY(r->cx->backend->sync(r->cx));
    const double start = ig_now(), work = r->work;
    const int64_t steps = r->fine_steps;
    IG_TRY(part_steps(r, part, most));
    IG_TRY(r->cx->backend->sync(r->cx));
    part_put(sink, name[part], r, most, (double)(r->fine_steps - steps), r->work - work,
             ig_now() - start);
  }
  return IG_OK;
}

/* All of it, along lines of 5 mm; how many of the steps placed windows anew is in the name's row of
   a run's summary (window_moves). */
static ig_status follow_time(ig_powder_run *r, const ig_bench_sink *sink) {
  const int most = ig_bench_size(r->cx, 2000, 20, 4);
  while (r->time < 1e-3)
    IG_TRY(ig_powder_advance(r));
  IG_TRY(r->cx->backend->sync(r->cx));
  const double start = ig_now(), work = r->work;
  const int64_t steps = r->fine_steps, coarse = r->coarse_steps;
  for (int n = 0; n < most; n++)
    IG_TRY(ig_powder_advance(r));
  IG_TRY(r->cx->backend->sync(r->cx));
  part_put(sink, "parts: all, windows that follow", r, (double)(r->coarse_steps - coarse),
           (double)(r->fine_steps - steps), r->work - work, ig_now() - start);
  return IG_OK;
}

/* As the bridge: 20 x 5 mm of a layer that fills its coarse cells by half. */
static ig_status bench_parts(ig_ctx *cx, const ig_bench_sink *sink) {
  ig_status (*const time[])(ig_powder_run *, const ig_bench_sink *) = {parts_time, follow_time};
  for (int i = 0; i < 2; i++) {
    ig_scan_part part;
    ig_powder_case c = square(&part);
    part.max[0] = 1e-3 * ig_bench_size(cx, 20, 5, 5);
    part.max[1] = 1e-3 * ig_bench_size(cx, 5, 1, 1);
    part.max[2] = c.hatch.layer_height = 20e-6;
    c.fine_stages = 2;
    c.grid = (ig_powder_grid){.cell = 20e-6,
                              .ratio = 8,
                              .window = {NAN, NAN, NAN},
                              .margin = 0.5e-3,
                              .plate = 1e-3 * ig_bench_size(cx, 10, 1, 1) + 60e-6};
    c.beam.depth = NAN;
    c.beam.keyhole = (ig_keyhole_case){
        .at = {.given = true}, .absorptivity = 0.35, .depth_factor = 1.03, .transition = 0.5};
    c.hatch.power = 195;
    c.hatch.settle = 0.48e-3;
    const ig_list materials = {1, (void *)&steel};
    ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
    ig_powder_run r;
    ig_status status = ig_powder_open(&job, &r);
    if (status == IG_OK)
      status = time[i](&r, sink);
    ig_powder_close(&r);
    IG_TRY(status);
  }
  return IG_OK;
}

static ig_status run(ig_ctx *cx, const ig_bench_sink *sink, double length,
                     ig_status (*time)(ig_powder_run *, const ig_bench_sink *)) {
  ig_scan_part part;
  ig_powder_case c = square(&part);
  if (length > 0)
    c.grid.window[0] = length, c.grid.window[1] = 0.64e-3, c.grid.window[2] = 0.48e-3;
  const ig_list materials = {1, (void *)&steel};
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  ig_powder_run r;
  ig_status status = ig_powder_open(&job, &r);
  if (status == IG_OK)
    status = time(&r, sink);
  ig_powder_close(&r);
  return status;
}
static ig_status bench_scan(ig_ctx *cx, const ig_bench_sink *sink) {
  return run(cx, sink, 0, scan_time);
}
static ig_status bench_window(ig_ctx *cx, const ig_bench_sink *sink) {
  return run(cx, sink, 0, window_time);
}
static ig_status bench_long(ig_ctx *cx, const ig_bench_sink *sink) {
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    IG_TRY(run(cx, sink, lengths[i], long_time));
  return IG_OK;
}

const ig_bench_entry ig_powder_bench[] = {
    {"scan", "lines of a layer with a window of 30 k fine cells", bench_scan},
    {"window", "fine steps of that window alone, and with the coarse step", bench_window},
    {"parts", "where the time of a coarse step goes, with keyholes", bench_parts},
    {"long", "fine steps alone of windows as long as the pools of keyholes", bench_long},
    {0}};
