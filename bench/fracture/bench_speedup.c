/* `ingot bench fracture/speedup`: the columns "CPU time" and "speed-up" of Alhadeff et al. (2015),
   Tables V (and A.2), VII and IX. Each run is done whole on the device and, by the same program, on
   one CPU thread of the same machine: whole where that takes less than half a minute, else its
   first steps, scaled. In the first steps no facet has opened yet: the row of the smallest ring has
   both times, and their ratio is the error of scaling. */
#include "bench/fracture/bench.h"

#include <stdio.h>

typedef struct {
  const char *name;
  int size[2];           /* strip: 0, cells across its height; ring, annulus: radial, around */
  int steps, serial;     /* of the run; of those on one thread (0: insertion, done whole) */
  double paper, paper_1; /* the paper's seconds: GTX 480, one CPU core */
} speedup_row;

/* One row on one device: seconds of its first `steps` steps, or of inserting every facet. */
static ig_status row_time(ig_ctx *cx, const speedup_row *r, int64_t steps, double *elements,
                          double *seconds) {
  ig_frac_problem p;
  ig_frac_model m;
  const bool insertion = !r->serial, strip = !r->size[0];
  const int smoke = cx->smoke ? 10 : 1;
  if (strip) {
    IG_TRY(ig_frac_bench_strip(&p, cx, r->size[1] > 48));
  } else if (insertion) {
    IG_TRY(ig_frac_problem_annulus(&p, cx, r->size[0] / smoke, r->size[1] / smoke, IG_TRI6));
  } else {
    IG_TRY(ig_frac_problem_ring(&p, cx, r->size[0], r->size[1]));
    p.c.time_step = 3e-9;
  }
  ig_status status = ig_frac_setup(&p.job, &m);
  if (status == IG_OK && insertion)
    status = ig_frac_open_all(&m, 20, 1, seconds, NULL);
  if (status == IG_OK && !insertion) {
    const int64_t warm = ig_bench_size(cx, 20, 2, 2);
    status = ig_frac_model_run(&m, warm);
    if (status == IG_OK)
      status = cx->backend->sync(cx);
    const double start = ig_now();
    if (status == IG_OK)
      status = ig_frac_model_run(&m, warm + steps);
    if (status == IG_OK)
      status = cx->backend->sync(cx);
    *seconds = ig_now() - start;
  }
  *elements = (double)m.s.ne;
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  return status;
}

static ig_status speedup_put(ig_ctx *cx, ig_ctx *one, const ig_bench_sink *sink,
                             const speedup_row *r) {
  double elements, here, serial, paper = r->paper_1 / r->paper;
  char note[192];
  const int steps = ig_bench_size(cx, r->steps, r->serial, 2);
  const int few = cx->smoke ? 2 : r->serial;
  IG_TRY(row_time(cx, r, steps, &elements, &here));
  if (row_time(one, r, few, &elements, &serial) != IG_OK)
    return IG_FAIL(cx, IG_NUMERIC, "%s", ig_ctx_message(one));
  if (!r->serial)
    snprintf(note, sizeof note, "one CPU thread %.3g s: %.3g x; paper %.3g x", serial,
             serial / here, paper);
  else
    snprintf(note, sizeof note,
             "one CPU thread %.3g s (%d of %d steps%s): %.3g x; paper %.3g x (%.0f and %.1f s)",
             serial / few * r->steps, few, r->steps, few < r->steps ? ", scaled" : "",
             serial / few / (here / steps), paper, r->paper_1, r->paper);
  sink->row(sink->user,
            &(ig_bench_row){.name = r->name,
                            .elements = elements,
                            .steps = r->serial ? steps : 20,
                            .seconds = here,
                            .rate = r->serial ? elements * steps / here : elements / here,
                            .rate_unit = r->serial ? "element-steps" : "elements",
                            .note = note});
  return IG_OK;
}

ig_status ig_frac_bench_speedup(ig_ctx *cx, const ig_bench_sink *sink) {
  static const speedup_row rows[] = {
      {"Table VII: strip 36,864", {0, 48}, 10000, 10000, 11.788, 410},
      {"Table VII: strip 147,456", {0, 96}, 40000, 500, 153.809, 6538},
      {"Table IX: ring 12,800", {20, 160}, 27000, 27000, 12.668, 375.963},
      {"Table IX: ring 12,800, first steps", {20, 160}, 27000, 1000, 12.668, 375.963},
      {"Table IX: ring 28,800", {30, 240}, 27000, 1000, 22.632, 900.095},
      {"Table IX: ring 51,200", {40, 320}, 27000, 600, 36.384, 1601.516},
      {"Table IX: ring 294,912", {96, 768}, 27000, 100, 200.804, 9355.186},
      {"Table IX: ring 362,020", {115, 787}, 27000, 100, 242.802, 11421.568},
      {"Table A.2: insertion, 240,000", {100, 600}, 20, 0, 0.0363, 9.29},
      {"Table A.2: insertion, 960,000", {200, 1200}, 20, 0, 0.0778, 36.946},
      {"Table A.2: insertion, 2,160,000", {300, 1800}, 20, 0, 0.1161, 84.94},
      {"Table A.2: insertion, 3,840,000", {400, 2400}, 20, 0, 0.1761, 150.04}};
  const int count = (int)(sizeof rows / sizeof *rows);
  ig_ctx *one;
  if (ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &one) != IG_OK)
    return IG_FAIL(cx, IG_UNSUPPORTED, "no CPU backend to compare with");
  one->smoke = cx->smoke;
  ig_status status = IG_OK;
  for (int i = 0; i < count && status == IG_OK && !cx->interrupted; i++)
    if (!cx->smoke || i == 0 || i == 2 || i == 8)
      status = speedup_put(cx, one, sink, &rows[i]);
  ig_ctx_close(one);
  return status;
}
