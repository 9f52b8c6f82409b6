/* Verification of linear buckling: a column and a plate against closed forms, the strongest column
   of given mass. Slopes are in verify_problems.c. */
#include "geometry/mesh_case.h"
#include "topopt/design/buckling.h"
#include "verify/topopt/verify.h"

#include <stdio.h>

/* Lowest factors of the first load case after so many designs. */
static ig_status factors(ig_ctx *cx, const char *text, const ig_mesh *mesh, int designs, int count,
                         double *factor) {
  ig_topopt_problem t;
  ig_evaluation e = {0};
  IG_TRY(ig_topopt_problem_open_mesh(cx, text, mesh, &t));
  ig_status status = IG_OK;
  for (int it = 1; it < designs && status == IG_OK; it++)
    status = ig_topopt_problem_iterate(&t, it, &e);
  ig_topopt_design_continue(&t.c, designs, &e);
  if (status == IG_OK)
    status = ig_topopt_design_evaluate(t.s, &e);
  for (int i = 0; i < count && status == IG_OK; i++)
    factor[i] = ig_topopt_buckling_factor(t.s, 0, i);
  ig_topopt_problem_close(&t);
  return status;
}

#define SOLID                                                                                      \
  "volume: 1, constraints: [{buckling: 1e-4}], filter: {kind: none}, solver: {tolerance: 1e-8}, "
#define COLUMN                                                                                     \
  SOLID                                                                                            \
  "supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [40, 0, 0]}, force: [-1, 0, 0], "      \
  "spread: faces}]"

/* Clamped at one end, 40 x 2, by extrapolation from two grids: Euler's load, less what shear
   takes of it (Engesser; coefficient of Cowper). */
static ig_status columns(ig_ctx *cx, const ig_verify_sink *sink) {
  const double pi = acos(-1), inertia = 8.0 / 12, shear = 10 * 1.3 / (12 + 11 * 0.3) * 2 / 2.6;
  double coarse, fine;
  IG_TRY(factors(cx, "{grid: {elements: [40, 8, 0], size: [40, 2, 1]}, " COLUMN "}", NULL, 1, 1,
                 &coarse));
  IG_TRY(factors(cx, "{grid: {elements: [80, 16, 0], size: [40, 2, 1]}, " COLUMN "}", NULL, 1, 1,
                 &fine));
  const double euler = pi * pi * inertia / (4 * 40 * 40);
  row(sink, "a column clamped at one end: load factor", "Euler, with shear",
      euler / (1 + euler / shear), (4 * fine - coarse) / 3, 1e-3, true);
  return IG_OK;
}

/* Square in section: pairs of modes, and the same by a mesh. */
static ig_status squares(ig_ctx *cx, const ig_verify_sink *sink) {
  const ig_box_case b = {.size = IG_ROW(40, 2, 2), .cells = IG_ROW(20, 3, 3)};
  const ig_mesh_case c = {.boxes = {1, (ig_box_case *)&b}};
  ig_mesh *mesh;
  double grid[3], other[3];
  IG_TRY(factors(cx, "{grid: {elements: [20, 3, 3], size: [40, 2, 2]}, " COLUMN "}", NULL, 1, 3,
                 grid));
  IG_TRY(ig_mesh_generate(cx, &c, &mesh));
  const ig_status status = factors(cx, "{" COLUMN "}", mesh, 1, 3, other);
  ig_mesh_free(mesh);
  IG_TRY(status);
  row(sink, "a column of square section: second over first factor", "a pair", 1, grid[1] / grid[0],
      1e-6, true);
  for (int i = 0; i < 3; i += 2) {
    char what[80];
    snprintf(what, sizeof what, "a column of square section, mesh: load factor %d", i + 1);
    row(sink, what, "the grid's", grid[i], other[i], 1e-7, true);
  }
  return IG_OK;
}

/* A quarter of a square plate, hinged at its sides, pressed along x: sigma = 4 pi^2 D / (b^2 t).
   Its lowest mode is the same on both sides of each middle. Quadratic tetrahedra, one layer. */
static ig_status plates(ig_ctx *cx, const ig_verify_sink *sink) {
  const ig_box_case b = {.size = IG_ROW(20, 20, 1), .cells = IG_ROW(6, 6, 1)};
  const ig_mesh_case c = {.boxes = {1, (ig_box_case *)&b}, .element = (int)IG_TET10 + 1};
  const double pi = acos(-1);
  ig_mesh *mesh;
  double factor;
  IG_TRY(ig_mesh_generate(cx, &c, &mesh));
  const ig_status status = factors(
      cx,
      "{" SOLID "supports: [{box: {min: [0, 0, 0.5], max: [0, 20, 0.5]}, fix: z}, {box: {min: [0, "
      "0, 0.5], max: [20, 0, 0.5]}, fix: z}, {box: {min: [20, 0, 0], max: [20, 20, 1]}, fix: x}, "
      "{box: {min: [0, 20, 0], max: [20, 20, 1]}, fix: y}], loads: [{box: {max: [0, 20, 1]}, "
      "force: [20, 0, 0], spread: faces}]}",
      mesh, 1, 1, &factor);
  ig_mesh_free(mesh);
  IG_TRY(status);
  row(sink, "a square plate hinged at its sides, tet10: load factor", "4 pi^2 D / (b^2 t), thin",
      4 * pi * pi / (12 * 0.91 * 1600), factor, 0.02, true);
  return IG_OK;
}

/* A sandwiched column clamped at one end, whose stiffness is proportional to its mass: the
   strongest has a constant curvature, EI ~ 1 - (x/L)^2, and 12 / pi^2 of the uniform one's load. */
static ig_status strongest(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char text[] =
      "{grid: {elements: [40, 4, 0], size: [40, 2, 1]}, volume: 0.5, penalty: 1, minimise: "
      "buckling, mass_threshold: 1e-6, void_ratio: 1e-6, filter: {kind: none}, pattern: {extrude: "
      "y}, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [40, 0, 0]}, force: [-1, 0, "
      "0], spread: faces}], buckling: {modes: 3}, optimiser: {move_limit: 0.05}, solver: "
      "{tolerance: 1e-8}}";
  double uniform, best;
  IG_TRY(factors(cx, text, NULL, 1, 1, &uniform));
  IG_TRY(factors(cx, text, NULL, 40, 1, &best));
  row(sink, "the strongest sandwiched column: factor over that of the uniform one", "12 / pi^2",
      12 / (acos(-1) * acos(-1)), best / uniform, 0.01, true);
  return IG_OK;
}

ig_status ig_topopt_verify_buckling(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(columns(cx, sink));
  IG_TRY(squares(cx, sink));
  IG_TRY(plates(cx, sink));
  return strongest(cx, sink);
}
