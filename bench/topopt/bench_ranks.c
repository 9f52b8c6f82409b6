/* Grids and meshes divided between ranks. Systems are solved to one or two digits, or the runs
   would take minutes on a CPU. Multigrid on a mesh has an eighth of the million elements: its
   matrices take half a minute per design there. On springs Jacobi's preconditioner needs few
   iterations. */
#include "bench/topopt/bench_ranks.h"
#include "backend/backend.h"
#include "geometry/mesh_case.h"
#include "bench/common/crew.h"
#include "ranks/ranks.h"
#include "verify/topopt/problem.h"

#include <stdio.h>

/* A million elements; on a GPU two, a million for each of two ranks. */
static int length(const ig_ctx *cx) {
  return ig_bench_size(cx, 512, 256, 64);
}
static int width(const ig_ctx *cx) {
  return ig_bench_size(cx, 64, 64, 16);
}

#define CANTILEVER                                                                                 \
  "{ranks: divide, volume: 0.4, supports: [{set: zmin}], loads: [{set: zmax, force: [0, 1, 0]}], "
#define ROUGHLY "solver: {tolerance: 0.1}"

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
  snprintf(text, sizeof text, CANTILEVER ROUGHLY ", grid: {elements: [%d, %d, %d]}}", width(cx),
           width(cx), length(cx));
  IG_TRY(ig_ranks_agree(cx, ig_topopt_problem_open(cx, text, &t)));
  return designs_time(cx, &t, steps, seconds);
}

/* `by`: sides that are shorter than the million's. */
static ig_status mesh_time(ig_ctx *cx, const char *text, int by, int steps, double *seconds) {
  const int cells[3] = {width(cx) / by, width(cx) / by, length(cx) / by};
  const double size[3] = {cells[0], cells[1], cells[2]};
  ig_topopt_problem t;
  ig_mesh *mesh = NULL;
  ig_status status = ig_mesh_box(cx, IG_HEX8, size, cells, &mesh);
  if (status == IG_OK)
    status = ig_topopt_problem_open_mesh(cx, text, mesh, &t);
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = designs_time(cx, &t, steps, seconds);
  ig_mesh_free(mesh);
  return status;
}
static ig_status springs_work(ig_ctx *cx, int steps, double *seconds) {
  static const char text[] = CANTILEVER
      "springs: [{box: {min: [0, 0, 0], max: [64, 64, 512]}, stiffness: [1e5, 1e5, 1e5]}], "
      "solver: {preconditioner: jacobi, tolerance: 1e-2}}";
  return mesh_time(cx, text, 1, steps, seconds);
}
static ig_status multigrid_work(ig_ctx *cx, int steps, double *seconds) {
  return mesh_time(cx, CANTILEVER ROUGHLY "}", 2, steps, seconds);
}

ig_status ig_topopt_bench_divided(ig_ctx *cx, const ig_bench_sink *sink) {
  const double elements = (double)width(cx) * width(cx) * length(cx);
  IG_TRY(ig_crew_bench(cx, sink, "cantilever, grid divided", elements, 1, grid_work));
  IG_TRY(ig_crew_bench(cx, sink, "on springs, mesh divided", elements, 1, springs_work));
  return ig_crew_bench(cx, sink, "cantilever, mesh divided", elements / 8, 1, multigrid_work);
}
