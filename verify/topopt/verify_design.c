/* Verification of designs: volume and other constraints, symmetry. */
#include "verify/topopt/verify.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_topopt_verify_volume(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const ways[] = {
      "filter: {kind: sensitivity, radius: 1.5}", "filter: {kind: density, radius: 1.5}",
      "filter: {kind: helmholtz, radius: 2}",
      "filter: {kind: density, radius: 1.5}, optimiser: {method: mma}"};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    char text[600], name[120];
    snprintf(text, sizeof text,
             "{grid: {elements: [24, 12, 0]}, volume: 0.4, supports: [{box: {max: [0, 99, 99]}}], "
             "loads: [{box: {min: [24, 6, 0], max: [24, 6, 0]}, force: [0, -1, 0]}], passive: "
             "[{box: {min: [20, 0, 0], max: [24, 2, 0]}}], solver: {tolerance: 1e-8}, %s}",
             ways[w]);
    ig_topopt_problem t;
    ig_evaluation e = {0};
    IG_TRY(ig_topopt_problem_open(cx, text, &t));
    ig_status status = IG_OK;
    for (int it = 1; status == IG_OK && it <= 8; it++)
      status = ig_topopt_problem_iterate(&t, it, &e);
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    snprintf(name, sizeof name, "volume after 8 iterations, %s", ways[w]);
    row(sink, name, "the constraint", 0.4, e.volume, 1e-6, true);
  }
  return IG_OK;
}

/* Two bars in tension with a gap between them, each with a bound on its own volume. Where modulus
   is proportional to density the best bar is uniform, so the optimum is known. */
static ig_status verify_regions(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char text[] =
      "{grid: {elements: [12, 9, 0]}, volume: 0.8, penalty: 1, filter: {kind: none}, supports: "
      "[{box: {max: [0, 9, 0]}, fix: x}, {box: {max: [0, 0, 0]}, fix: y}, {box: {min: [0, 9, 0], "
      "max: [0, 9, 0]}, fix: y}], loads: [{box: {min: [12, 0, 0], max: [12, 4, 0]}, force: [1, 0, "
      "0], spread: faces}, {box: {min: [12, 5, 0], max: [12, 9, 0]}, force: [1, 0, 0], spread: "
      "faces}], passive: [{box: {min: [0, 4, 0], max: [12, 5, 0]}, as: void}], sets: [{name: low, "
      "box: {max: [12, 4, 0]}}], constraints: [{set: low, volume: 0.3}, {box: {min: [0, 5, 0]}, "
      "volume: 0.6}], optimiser: {method: mma}, solver: {tolerance: 1e-10}}";
  ig_topopt_problem t;
  ig_evaluation e = {0};
  IG_TRY(ig_topopt_problem_open(cx, text, &t));
  ig_status status = IG_OK;
  for (int it = 1; status == IG_OK && it <= 40; it++)
    status = ig_topopt_problem_iterate(&t, it, &e);
  ig_topopt_problem_close(&t);
  IG_TRY(status);
  row(sink, "two bars: volume of the first over its bound", "active at the optimum", 1, e.limit[0],
      1e-6, false);
  row(sink, "two bars: volume of the second over its bound", "active at the optimum", 1, e.limit[1],
      1e-6, false);
  row(sink, "two bars: compliance", "F^2 L / A (1 / 0.3 + 1 / 0.6)", 12.0 / 4 * (1 / 0.3 + 1 / 0.6),
      e.objective, 1e-5, true);
  return IG_OK;
}

/* Bounds on a second load case's compliance and on a displacement, both active, hold at the end. */
static ig_status verify_bounds(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char text[] =
      "{grid: {elements: [24, 12, 0]}, volume: 0.5, filter: {kind: density, radius: 1.5}, "
      "supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: [24, 12, 0]}, force: [0, -1, "
      "0]}, {box: {min: [24, 0, 0], max: [24, 0, 0]}, force: [1, 0, 0], load_case: 2}], weights: "
      "[1, 0], constraints: [{compliance: 160, load_case: 2}, {box: {min: [12, 12, 0], max: [12, "
      "12, 0]}, direction: [0, -1, 0], displacement: 32}], optimiser: {method: mma, move_limit: "
      "0.1}, "
      "solver: {tolerance: 1e-8}}";
  ig_topopt_problem t;
  ig_evaluation e = {0};
  IG_TRY(ig_topopt_problem_open(cx, text, &t));
  ig_status status = IG_OK;
  for (int it = 1; status == IG_OK && it <= 80; it++)
    status = ig_topopt_problem_iterate(&t, it, &e);
  ig_topopt_problem_close(&t);
  IG_TRY(status);
  row(sink, "compliance of a second load over its bound", "active at the optimum", 1, e.limit[0],
      5e-3, false);
  row(sink, "deflection at half length over its bound", "active at the optimum", 1, e.limit[1],
      5e-3, false);
  return IG_OK;
}

ig_status ig_topopt_verify_constraints(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(verify_regions(cx, sink));
  return verify_bounds(cx, sink);
}

ig_status ig_topopt_verify_symmetry(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const texts[] = {
      "{grid: {elements: [21, 10, 0]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
      "[21, 5, 0], max: [21, 5, 0]}, force: [0, -1, 0]}], filter: {kind: sensitivity, radius: "
      "2.4}, solver: {tolerance: 1e-8, preconditioner: jacobi}, void_ratio: 1e-4}",
      "{grid: {elements: [9, 6, 4]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
      "[9, 3, 2], max: [9, 3, 2]}, force: [0, -1, 0]}], filter: {kind: density, radius: 2.4}, "
      "solver: {tolerance: 1e-8, preconditioner: jacobi}, void_ratio: 1e-4}"};
  for (size_t p = 0; p < 2; p++) {
    ig_topopt_problem t;
    ig_evaluation e = {0};
    double *x = NULL, different = 0;
    IG_TRY(ig_topopt_problem_open(cx, texts[p], &t));
    const ig_grid *g = &t.m->grid;
    ig_status status = IG_NEW(cx, &x, t.m->d.places, "design");
    for (int it = 1; status == IG_OK && it <= 6; it++)
      status = ig_topopt_problem_iterate(&t, it, &e);
    if (status == IG_OK)
      status = cx->backend->copy_out(cx, x, t.s->x.dev, (size_t)t.m->d.places * 8);
    const int nz = g->dim == 3 ? g->n[2] : 1;
    for (int k = 0; status == IG_OK && k < nz; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          const double v = x[ig_grid_place(g, i, j, k)];
          different += v != x[ig_grid_place(g, i, g->n[1] - 1 - j, k)];
          different += v != x[ig_grid_place(g, i, j, nz - 1 - k)];
        }
    free(x);
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    row(sink,
        p ? "densities unlike their mirror image, 3D" : "densities unlike their mirror image, 2D",
        "a symmetric problem", 0, different, 0, false);
  }
  return IG_OK;
}
