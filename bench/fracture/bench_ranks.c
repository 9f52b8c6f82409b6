/* The room on ranks: the strip of Alhadeff et al. (2015) with a million triangles (on a GPU two),
   on one rank and on several; facets are checked every ten steps. */
#include "fracture/run.h"
#include "bench/fracture/bench.h"
#include "bench/common/crew.h"

enum { WARM = 10 };

/* The strip has 16 cells^2 triangles. */
static int cells(const ig_ctx *cx) {
  return ig_bench_size(cx, 356, 252, 4);
}

static ig_status steps_time(ig_frac_model *m, int steps, double *seconds) {
  IG_TRY(ig_frac_model_run(m, WARM));
  IG_TRY(m->cx->backend->sync(m->cx));
  IG_TRY(ig_ranks_agree(m->cx, IG_OK));
  const double start = ig_now();
  IG_TRY(ig_frac_model_run(m, WARM + steps));
  IG_TRY(m->cx->backend->sync(m->cx));
  IG_TRY(ig_ranks_agree(m->cx, IG_OK));
  *seconds = ig_now() - start;
  return IG_OK;
}

static ig_status work(ig_ctx *cx, int steps, double *seconds) {
  ig_frac_problem p;
  ig_frac_model m = {0};
  IG_TRY(ig_frac_problem_strip(&p, cx, cells(cx), IG_TRI6, 0));
  p.c.time_step = 0.2e-9;
  p.job.assembly = IG_GATHER;
  p.job.precision = IG_DOUBLE;
  ig_status status = ig_frac_setup(&p.job, &m);
  if (status == IG_OK)
    status = ig_frac_part_new(&m, p.job.mesh);
  if (status == IG_OK)
    status = steps_time(&m, steps, seconds);
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  return status;
}

ig_status ig_frac_bench_ranks(ig_ctx *cx, const ig_bench_sink *sink) {
  const int steps = ig_bench_size(cx, 1000, 20, 2);
  return ig_crew_bench(cx, sink, "strip, double", 16.0 * cells(cx) * cells(cx), steps, work);
}
