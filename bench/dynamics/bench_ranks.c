/* The room on ranks: a million hexahedra (on a GPU two), on one rank and on several. */
#include "bench/dynamics/bench.h"
#include "backend/backend.h"
#include "bench/common/crew.h"

enum { WARM = 2 };

/* The block has 10 x side x side x side hexahedra. */
static int side(const ig_ctx *cx) {
  return ig_bench_size(cx, 58, 46, 2);
}

static ig_status steps_time(ig_ctx *cx, ig_dyn_model *m, int steps, double *seconds) {
  IG_TRY(ig_dyn_advance(m, WARM));
  IG_TRY(cx->backend->sync(cx));
  IG_TRY(ig_ranks_agree(cx, IG_OK));
  const double start = ig_now();
  IG_TRY(ig_dyn_advance(m, steps));
  IG_TRY(cx->backend->sync(cx));
  IG_TRY(ig_ranks_agree(cx, IG_OK));
  *seconds = ig_now() - start;
  return IG_OK;
}

static ig_status work(ig_ctx *cx, int steps, double *seconds) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  IG_TRY(ig_dyn_problem_new(cx, &q));
  ig_status status =
      ig_dyn_subject_open(&q, &ig_dyn_subjects[IG_SUBJECT_HEX], side(cx), IG_DOUBLE, IG_GATHER, &m);
  if (status == IG_OK)
    status = steps_time(cx, m, steps, seconds);
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

ig_status ig_dyn_bench_ranks(ig_ctx *cx, const ig_bench_sink *sink) {
  const int steps = ig_bench_size(cx, 200, 8, 2);
  const double n = side(cx);
  return ig_crew_bench(cx, sink, "hexahedra, 8 points, elastic, double", 10 * n * n * n, steps,
                       work);
}
