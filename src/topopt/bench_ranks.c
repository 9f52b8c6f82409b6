/* A million elements divided between ranks. Systems are solved to one digit, or the runs would take
   minutes on a CPU. */
#include "topopt/bench_ranks.h"
#include "mesh/mesh_case.h"
#include "ranks/crew.h"
#include "ranks/ranks.h"
#include "topopt/problem.h"

#include <stdio.h>

enum { WIDE = 64, LONG = 256 };

#define CANTILEVER                                                                                 \
  "{ranks: divide, volume: 0.4, supports: [{set: zmin}], loads: [{set: zmax, force: [0, 1, 0]}], " \
  "solver: {tolerance: 0.1}"

/* Designs after the first, which makes buffers and pages warm. */
static ig_status designs_time(ig_ctx *cx, ig_topopt_problem *t, int steps, double *seconds) {
  ig_evaluation now = {0};
  if (t->d->lighten)
    t->d->lighten(t->d->self);
  ig_status status = ig_topopt_problem_iterate(t, 1, &now);
  status = ig_ranks_agree(cx, status);
  const double start = ig_now();
  for (int i = 0; i < steps && status == IG_OK; i++)
    status = ig_topopt_problem_iterate(t, i + 2, &now);
  status = ig_ranks_agree(cx, status);
  *seconds = ig_now() - start;
  ig_topopt_problem_close(t);
  return status;
}

static ig_status grid_work(ig_ctx *cx, int steps, double *seconds) {
  char text[400];
  ig_topopt_problem t;
  snprintf(text, sizeof text, CANTILEVER ", grid: {elements: [%d, %d, %d]}}", WIDE, WIDE, LONG);
  IG_TRY(ig_ranks_agree(cx, ig_topopt_problem_open(cx, text, &t)));
  return designs_time(cx, &t, steps, seconds);
}

static ig_status mesh_work(ig_ctx *cx, int steps, double *seconds) {
  const double size[3] = {WIDE, WIDE, LONG};
  const ig_lid cells[3] = {WIDE, WIDE, LONG};
  ig_topopt_problem t;
  ig_mesh *mesh = NULL;
  ig_status status = ig_mesh_box(cx, IG_HEX8, size, cells, &mesh);
  if (status == IG_OK)
    status = ig_topopt_problem_open_mesh(cx, CANTILEVER "}", mesh, &t);
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = designs_time(cx, &t, steps, seconds);
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_topopt_bench_divided(ig_ctx *cx, const ig_bench_sink *sink) {
  const double elements = (double)WIDE * WIDE * LONG;
  IG_TRY(ig_crew_bench(cx, sink, "cantilever, grid divided", elements, 1, grid_work));
  return ig_crew_bench(cx, sink, "cantilever, mesh divided", elements, 1, mesh_work);
}
