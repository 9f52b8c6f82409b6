/* Verification of topology optimisation on meshes: against the grid, a patch of distorted elements,
   and slopes against differences. */
#include "backend/backend.h"
#include "mesh/mesh_case.h"
#include "topopt/ebe.h"
#include "topopt/mesh_model.h"
#include "topopt/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void row(const ig_verify_sink *sink, const char *quantity, const char *source,
                double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row r = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &r);
}

/* A box of n elements, size as given, its inner nodes moved at random by a share of an edge. */
static ig_status box(ig_ctx *cx, double x, double y, double z, const int *n, double jitter,
                     ig_mesh **mesh) {
  ig_box_case b = {.size = IG_ROW(x, y, z), .cells = IG_ROW(n[0], n[1], n[2])};
  const ig_mesh_case c = {.boxes = {1, &b},
                          .jitter = {.at.given = jitter > 0, .amount = jitter, .seed = 7}};
  return ig_mesh_generate(cx, &c, mesh);
}

/* --- a regular mesh is the grid --- */

#define BEAM(head, kind, race)                                                                     \
  "{" head "volume: 0.3, filter: {kind: %s, radius: 1.5}, supports: [{where: {from: [0, 0, 0], "   \
  "to: [0, 4, 2]}}], loads: [{where: {from: [8, 0, 0], to: [8, 0, 2]}, force: [0, -1, 0]},"        \
  "{where: {from: [2, 4, 0], to: [6, 4, 2]}, force: [1, 0, 2], spread: faces, load_case: 2}],"     \
  "passive: [{where: {center: [4, 2, 1], radius: 1.5}, as: void}], solver: {tolerance: 1e-11, "    \
  "operator: " kind ", race: " race "}}"

ig_status ig_verify_mesh_grid(ig_ctx *cx, const ig_verify_sink *sink) {
  enum { ITERATIONS = 3 };
  static const char *const filters[] = {"sensitivity", "density"};
  char text[700], quantity[96];
  ig_mesh *mesh;
  IG_TRY(box(cx, 8, 4, 2, (const int[]){8, 4, 2}, 0, &mesh));
  ig_status status = IG_OK;
  for (int f = 0; f < 2 && status == IG_OK; f++) {
    double history[ITERATIONS];
    for (int kind = -1; kind < IG_EBE_KINDS && status == IG_OK; kind++) {
      ig_trial t;
      double worst = 0;
      if (f == 1 && kind >= 0 && kind != IG_EBE_RECOMPUTE)
        continue; /* filters know nothing of operators */
      if (kind < 0)
        snprintf(text, sizeof text, BEAM("grid: {elements: [8, 4, 2]}, ", "auto", "auto"),
                 filters[f]);
      else
        snprintf(text, sizeof text, BEAM("", "%s", "%s"), filters[f],
                 ig_ebe_name((ig_ebe_kind)kind), kind % 2 ? "color" : "atomic");
      status = ig_trial_open_mesh(cx, text, kind < 0 ? NULL : mesh, &t);
      if (status != IG_OK)
        break;
      for (int i = 0; i < ITERATIONS && status == IG_OK; i++) {
        ig_evaluation e = {0};
        status = ig_trial_iterate(&t, i + 1, &e);
        if (kind < 0)
          history[i] = e.objective;
        else
          worst = fmax(worst, fabs(e.objective / history[i] - 1));
      }
      ig_trial_close(&t);
      snprintf(quantity, sizeof quantity, "%s filter, %s: largest relative difference", filters[f],
               kind < 0 ? "" : ig_ebe_name((ig_ebe_kind)kind));
      if (kind >= 0 && status == IG_OK)
        row(sink, quantity, "objectives of the grid, 3 iterations", 0, worst, 1e-8, false);
    }
  }
  ig_mesh_free(mesh);
  return status;
}

/* --- patch test: uniform tension of distorted hexahedra is exact --- */

ig_status ig_verify_mesh_patch(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_mesh *mesh;
  ig_trial t;
  IG_TRY(box(cx, 3, 2, 1.5, (const int[]){4, 3, 3}, 0.3, &mesh));
  ig_status status =
      ig_trial_open_mesh(cx,
                         "{volume: 1, symmetry: [x-, y-, z-], filter: {kind: none}, loads: [{where:"
                         "{set: xmax}, force: [6, 0, 0], spread: faces}], solver: {tolerance: "
                         "1e-12}}",
                         mesh, &t);
  if (status == IG_OK) {
    ig_evaluation e = {0};
    const size_t n = 3 * (size_t)mesh->nodes;
    double *u = NULL, worst = 0;
    ig_design_continue(&t.c, 1, &e);
    status = ig_design_evaluate(t.s, &e);
    if (status == IG_OK)
      status = IG_NEW(cx, &u, n, "displacements");
    if (status == IG_OK)
      status = cx->backend->copy_out(cx, u, t.s->u[0][0].dev, n * sizeof *u);
    /* stress 2 along x, Poisson's ratio 0.3 */
    for (size_t i = 0; status == IG_OK && i < n; i++) {
      const double exact = mesh->x[i] * (i % 3 == 0 ? 2 : -0.6);
      worst = fmax(worst, fabs(u[i] * t.d->loading->norm[0] - exact));
    }
    free(u);
    if (status == IG_OK) {
      row(sink, "largest error of a displacement", "exact: uniform stress", 0, worst, 1e-9, false);
      row(sink, "compliance", "exact: F^2 L / (E A)", 36, e.objective, 1e-10, true);
    }
    ig_trial_close(&t);
  }
  ig_mesh_free(mesh);
  return status;
}

/* --- slopes --- */

static ig_status objective_at(ig_trial *t, int element, double x, double *objective,
                              double *volume) {
  ig_evaluation e = {0};
  ig_design_continue(&t->c, 1, &e);
  IG_TRY(t->cx->backend->copy_in(t->cx, (double *)t->s->x.dev + element, &x, sizeof x));
  IG_TRY(ig_design_evaluate(t->s, &e));
  *objective = e.objective;
  *volume = e.volume;
  return IG_OK;
}

ig_status ig_verify_mesh_slopes(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_mesh *mesh;
  ig_trial t;
  IG_TRY(box(cx, 6, 3, 3, (const int[]){6, 3, 3}, 0.3, &mesh));
  ig_status status = ig_trial_open_mesh(
      cx,
      "{volume: 0.4, filter: {kind: density, radius: 1.6}, projection: {beta: 2}, supports: "
      "[{where: {set: xmin}}], loads: [{where: {set: xmax}, force: [0, 0, -1], spread: faces}],"
      "solver: {tolerance: 1e-12}}",
      mesh, &t);
  double worst = 0, worst_volume = 0;
  for (int i = 0; i < 4 && status == IG_OK; i++) {
    const int element = 11 * i + 5;
    const double h = 1e-4, x = t.c.volume;
    double low, high, at, volume, v[2], dc, dv;
    IG_TRY_GOTO(status, done, objective_at(&t, element, x - h, &low, &v[0]));
    IG_TRY_GOTO(status, done, objective_at(&t, element, x + h, &high, &v[1]));
    IG_TRY_GOTO(status, done, objective_at(&t, element, x, &at, &volume));
    IG_TRY_GOTO(status, done,
                cx->backend->copy_out(cx, &dc, (double *)t.s->dc.dev + element, sizeof dc));
    IG_TRY_GOTO(status, done,
                cx->backend->copy_out(cx, &dv, (double *)t.s->dv.dev + element, sizeof dv));
    worst = fmax(worst, fabs((high - low) / (2 * h) / dc - 1));
    worst_volume =
        fmax(worst_volume, fabs((v[1] - v[0]) / (2 * h) * (double)t.d->elements / dv - 1));
  }
done:
  if (status == IG_OK) {
    row(sink, "slope of the compliance, largest relative error", "central differences", 0, worst,
        1e-6, false);
    row(sink, "slope of the volume, largest relative error", "central differences", 0, worst_volume,
        1e-6, false);
  }
  if (t.s)
    ig_trial_close(&t);
  ig_mesh_free(mesh);
  return status;
}
