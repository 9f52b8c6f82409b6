/* The strip of Alhadeff, Celes and Paulino 2015 as the shipped cases read it. */
#include "bench/fracture/bench.h"

void ig_frac_bench_stretch(ig_frac_problem *p, double strain) {
  p->strain[0] = -0.35 / 0.65 * strain;
  p->strain[1] = strain;
}

ig_status ig_frac_bench_strip(ig_frac_problem *p, ig_ctx *cx, bool fine) {
  IG_TRY(ig_frac_problem_strip(p, cx, ig_bench_size(cx, fine ? 96 : 48, fine ? 96 : 48, 4), IG_TRI6,
                               0.2));
  p->c.plane = 0;
  p->c.time_step = fine ? 0.5e-9 : 2e-9;
  p->c.cohesive.criterion = IG_FRAC_FACET_MEAN;
  p->c.cohesive.insertion_threshold = 0.5;
  ig_frac_bench_stretch(p, 0.015);
  p->support[0] = ig_support_fix("ymin", "y");
  p->support[1] = ig_support_fix("ymax", "y");
  return IG_OK;
}
