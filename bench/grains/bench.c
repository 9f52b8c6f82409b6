/* Benchmarks: cell updates per second of a front that rises through a box, by a constant gradient
   and speed, with grains of random orientation below and nuclei in the melt.

   front  all steps from the substrate to the top */
#include "bench/bench.h"
#include "grains/grains.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>

static ig_status front(ig_ctx *cx, const ig_bench_sink *sink, int n) {
  const double cell = 1e-6;
  const ig_grains_case c = {
      .grid = {.cell = cell,
               .refine = 1,
               .size = {n * cell, n * cell, n * cell},
               .min = {NAN, NAN, NAN},
               .max = {NAN, NAN, NAN}},
      .field = {.at = {.given = true}, .gradient = 5e5, .speed = 0.6, .cooling_rate = NAN},
      .growth = {.linear = NAN, .quadratic = NAN, .cubic = NAN, .limit = NAN},
      .substrate = {.at = {.given = true}, .grain_size = 10e-6, .top = NAN},
      .nucleation = {.at = {.given = true}, .density = 1e12, .mean = 40, .deviation = 5},
      .periodic = true,
      .time_step = NAN,
      .safety = 0.2,
      .duration = NAN,
      .random_seed = 1,
      .ipf_axis = 2};
  ig_job job = {.cx = cx, .room_case = &c};
  ig_grains_run r = {.cx = cx};
  char name[64];
  ig_status status = ig_grains_open(&job, &r);
  const double seconds = ig_bench_seconds(cx, 2, 2);
  double start = 0, took = 0;
  int64_t from = 0;
  /* the front is on its way, and kernels are loaded, before time is taken */
  if (status == IG_OK)
    status = ig_grains_advance(&r, ig_bench_size(cx, 256, 64, 1));
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  start = ig_now();
  from = r.step;
  while (status == IG_OK && took < seconds && !ig_grains_ended(&r)) {
    status = ig_grains_advance(&r, ig_bench_size(cx, 64, 8, 1));
    if (status == IG_OK)
      status = cx->backend->sync(cx);
    took = ig_now() - start;
  }
  if (status == IG_OK) {
    const double steps = (double)(r.step - from), work = steps * (double)r.view.cells;
    snprintf(name, sizeof name, "front in %d^3 cells", n);
    const ig_bench_row row = {.name = name,
                              .elements = (double)r.view.cells,
                              .steps = steps,
                              .seconds = took,
                              .rate = work / took,
                              .rate_unit = "cell-updates",
                              .bytes = steps * 10 * (double)r.view.segments,
                              .memory = (double)cx->device_bytes};
    sink->row(sink->user, &row);
  }
  ig_grains_close(&r);
  return status;
}

static ig_status bench_front(ig_ctx *cx, const ig_bench_sink *sink) {
  IG_TRY(front(cx, sink, ig_bench_size(cx, 256, 64, 16)));
  return front(cx, sink, ig_bench_size(cx, 512, 128, 16));
}

const ig_bench_entry ig_grains_bench[] = {
    {"front", "a front that rises through a box of cells", bench_front}, {0}};
