/* Verification of topology optimisation on meshes: against the grid, a patch of distorted elements,
   slopes against differences, solver iterations under refinement. */
#include "backend/backend.h"
#include "geometry/mesh_case.h"
#include "solver/mesh/ebe.h"
#include "topopt/mesh/mesh_model.h"
#include "verify/topopt/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const ig_elem_type types[] = {IG_HEX8, IG_TET4, IG_TET10};
enum { TYPES = sizeof types / sizeof *types };

/* A box of n cells (six tetrahedra each), size as given, its inner nodes moved at random by a share
   of an edge. */
static ig_status box(ig_ctx *cx, double x, double y, double z, const int *n, ig_elem_type type,
                     double jitter, ig_mesh **mesh) {
  ig_box_case b = {.size = IG_ROW(x, y, z), .cells = IG_ROW(n[0], n[1], n[2])};
  const ig_mesh_case c = {.boxes = {1, &b},
                          .element = (int)type + 1,
                          .jitter = {.at.given = jitter > 0, .amount = jitter, .seed = 7}};
  return ig_mesh_generate(cx, &c, mesh);
}

/* --- a regular mesh is the grid --- */

enum { ITERATIONS = 3 };

/* Objectives of the first iterations; on the grid where mesh is NULL. */
static ig_status histories(ig_ctx *cx, const ig_mesh *mesh, ig_assembly how, const char *body,
                           const char *solver, double *history) {
  char text[1200];
  ig_topopt_problem t;
  snprintf(text, sizeof text, "{%s%s, solver: {tolerance: 1e-11%s}}",
           mesh ? "" : "grid: {elements: [8, 4, 2]}, ", body, solver);
  IG_TRY(ig_topopt_problem_open_how(cx, text, mesh, how, &t));
  ig_status status = IG_OK;
  for (int i = 0; i < ITERATIONS && status == IG_OK; i++) {
    ig_evaluation e = {0};
    status = ig_topopt_problem_iterate(&t, i + 1, &e);
    history[i] = e.objective;
  }
  ig_topopt_problem_close(&t);
  return status;
}

static ig_status compare(ig_ctx *cx, const ig_verify_sink *sink, const ig_mesh *mesh,
                         ig_assembly how, const char *what, const char *body, const char *solver,
                         const double *grid) {
  double mine[ITERATIONS], worst = 0;
  IG_TRY(histories(cx, mesh, how, body, solver, mine));
  for (int i = 0; i < ITERATIONS; i++)
    worst = fmax(worst, fabs(mine[i] / grid[i] - 1));
  row(sink, what, "objectives of the grid, 3 iterations: largest relative difference", 0, worst,
      1e-8, false);
  return IG_OK;
}

#define BEAM                                                                                       \
  "volume: 0.3, supports: [{box: {min: [0, 0, 0], max: [0, 4, 2]}}], loads: [{box: {min: [8, 0, "  \
  "0], max: [8, 0, 2]}, force: [0, -1, 0]}, {box: {min: [2, 4, 0], max: [6, 4, 2]}, force: [1, "   \
  "0, 2], spread: faces, load_case: 2}], passive: [{sphere: {center: [4, 2, 1], radius: 1.5}, "    \
  "as: void}]"
#define SINK                                                                                       \
  "problem: heat, volume: 0.3, source: 1, supports: [{box: {min: [0, 0, 0], max: [0, 2, 1]}}], "   \
  "loads: [{box: {min: [8, 0, 0], max: [8, 4, 2]}, heat: 2, spread: faces}], void_ratio: 1e-3"
#define GRIPPER                                                                                    \
  "problem: mechanism, volume: 0.3, supports: [{box: {min: [0, 0, 0], max: [0, 1, 2]}}], loads: "  \
  "[{box: {min: [0, 3, 0], max: [0, 4, 2]}, force: [1, 0, 0]}], ports: [{box: {min: [8, 0, 0], "   \
  "max: [8, 0, 2]}, direction: [0, -1, 0]}], springs: [{box: {min: [8, 0, 0], max: [8, 0, 2]}, "   \
  "stiffness: [0, 0.1, 0]}], symmetry: [z-]"

ig_status ig_topopt_verify_mesh_grid(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *what, *body;
  } others[] = {
      {"stiffness, density filter", BEAM ", filter: {kind: density, radius: 1.5}"},
      {"stiffness, helmholtz filter", BEAM ", filter: {kind: helmholtz, radius: 2.5}"},
      {"stiffness, moving asymptotes", BEAM ", optimiser: {method: mma}"},
      {"stiffness, constraints",
       BEAM ", optimiser: {method: mma}, filter: {kind: density, radius: 1.5}, constraints: "
            "[{box: {min: [6, 0, 0]}, volume: 0.2}, {box: {min: [8, 0, 0], max: [8, 0, 2]}, "
            "displacement: 300, direction: [0, -1, 0]}, {compliance: 9000}]"},
      {"stiffness, robust",
       BEAM ", filter: {kind: density, radius: 1.5}, projection: {beta: 2, robust: 0.2}"},
      {"stiffness, printed along z",
       BEAM ", filter: {kind: density, radius: 1.5}, overhang: {direction: z+}"},
      {"stiffness, drawn along z both ways",
       BEAM ", filter: {kind: density, radius: 1.5}, draw_direction: {direction: z+, parting: 1}"},
      {"heat", SINK ", filter: {radius: 1.5}"},
      {"mechanism", GRIPPER ", filter: {radius: 1.5}"}};
  const char *body = BEAM ", filter: {radius: 1.5}";
  double grid[ITERATIONS];
  char what[64], solver[64];
  ig_mesh *mesh;
  IG_TRY(box(cx, 8, 4, 2, (const int[]){8, 4, 2}, IG_HEX8, 0, &mesh));
  ig_status status = histories(cx, NULL, IG_GATHER, body, "", grid);
  for (int kind = 0; kind < IG_EBE_KINDS && status == IG_OK; kind++) {
    const char *name = ig_ebe_name((ig_ebe_kind)kind);
    const ig_assembly how = (ig_assembly)(kind % 3);
    snprintf(what, sizeof what, "stiffness, %s, %s", name, ig_assembly_names[how]);
    snprintf(solver, sizeof solver, ", operator: %s", name);
    status = compare(cx, sink, mesh, how, what, body, solver, grid);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others && status == IG_OK; i++) {
    status = histories(cx, NULL, IG_GATHER, others[i].body, "", grid);
    if (status == IG_OK)
      status = compare(cx, sink, mesh, i % 2 ? IG_COLOR : IG_GATHER, others[i].what, others[i].body,
                       "", grid);
  }
  ig_mesh_free(mesh);
  return status;
}

/* --- patch test: uniform tension of distorted elements is exact --- */

static ig_status patch(ig_ctx *cx, const ig_verify_sink *sink, ig_elem_type type) {
  const char *name = ig_elem_info_get(type)->name;
  char what[96];
  ig_mesh *mesh;
  ig_topopt_problem t;
  IG_TRY(box(cx, 3, 2, 1.5, (const int[]){4, 3, 3}, type, type == IG_HEX8 ? 0.3 : 0.2, &mesh));
  ig_status status = ig_topopt_problem_open_mesh(
      cx,
      "{volume: 1, symmetry: [x-, y-, z-], filter: {kind: none}, loads: [{set: "
      "xmax, force: [6, 0, 0], spread: faces}], solver: {tolerance: 1e-12}}",
      mesh, &t);
  if (status == IG_OK) {
    ig_evaluation e = {0};
    const size_t n = 3 * (size_t)mesh->nodes;
    double *u = NULL, worst = 0;
    ig_topopt_design_continue(&t.c, 1, &e);
    status = ig_topopt_design_evaluate(t.s, &e);
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
      snprintf(what, sizeof what, "%s: largest error of a displacement", name);
      row(sink, what, "exact: uniform stress", 0, worst, 1e-9, false);
      snprintf(what, sizeof what, "%s: compliance", name);
      row(sink, what, "exact: F^2 L / (E A)", 36, e.objective, 1e-10, true);
    }
    ig_topopt_problem_close(&t);
  }
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_topopt_verify_mesh_patch(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int i = 0; i < TYPES; i++)
    IG_TRY(patch(cx, sink, types[i]));
  return IG_OK;
}

/* --- tetrahedra against hexahedra --- */

/* Compliance of a solid cantilever 8 x 2 x 2 of n elements across it. */
static ig_status cantilever(ig_ctx *cx, ig_elem_type type, int n, double *objective) {
  ig_mesh *mesh;
  ig_topopt_problem t;
  ig_evaluation e = {0};
  IG_TRY(box(cx, 8, 2, 2, (const int[]){4 * n, n, n}, type, 0, &mesh));
  ig_status status = ig_topopt_problem_open_mesh(
      cx,
      "{volume: 1, filter: {kind: none}, supports: [{set: xmin}], loads: [{set: xmax, force: [0, "
      "0, -1], spread: faces}], solver: {tolerance: 1e-8}}",
      mesh, &t);
  if (status == IG_OK) {
    ig_topopt_design_continue(&t.c, 1, &e);
    status = ig_topopt_design_evaluate(t.s, &e);
    ig_topopt_problem_close(&t);
  }
  *objective = e.objective;
  ig_mesh_free(mesh);
  return status;
}

/* Linear elements err by h^2: two sizes of hexahedra give the value of infinitely many. */
ig_status ig_topopt_verify_mesh_tets(ig_ctx *cx, const ig_verify_sink *sink) {
  double coarse, fine, tet, finer;
  IG_TRY(cantilever(cx, IG_HEX8, 4, &coarse));
  IG_TRY(cantilever(cx, IG_HEX8, 8, &fine));
  const double limit = fine + (fine - coarse) / 3;
  IG_TRY(cantilever(cx, IG_TET10, 4, &tet));
  row(sink, "tet10, solid cantilever: compliance", "hexahedra extrapolated to size 0, within 1 %",
      limit, tet, 0.01, true);
  IG_TRY(cantilever(cx, IG_TET4, 4, &tet));
  IG_TRY(cantilever(cx, IG_TET4, 8, &finer));
  row(sink, "tet4: error over that of elements twice as large", "1/4: order 2, within 0.1", 0.25,
      (limit - finer) / (limit - tet), 0.1, false);
  return IG_OK;
}

/* --- slopes --- */

static ig_status objective_at(ig_topopt_problem *t, int element, double x, double *objective,
                              double *volume) {
  ig_evaluation e = {0};
  ig_topopt_design_continue(&t->c, 1, &e);
  IG_TRY(t->cx->backend->copy_in(t->cx, (double *)t->s->x.dev + element, &x, sizeof x));
  IG_TRY(ig_topopt_design_evaluate(t->s, &e));
  *objective = e.objective;
  *volume = e.volume;
  return IG_OK;
}

#define HELD "supports: [{set: xmin}], solver: {tolerance: 1e-12}, volume: 0.4"
#define PUSHED HELD ", loads: [{set: xmax, force: [0, 0, -1], spread: faces}]"

static ig_status slopes(ig_ctx *cx, const ig_verify_sink *sink, ig_elem_type type) {
  static const struct {
    const char *what, *text;
  } cases[] = {{"density filter",
                "{" PUSHED ", filter: {kind: density, radius: 1.6}, projection: {beta: 2}}"},
               {"helmholtz filter",
                "{" PUSHED ", filter: {kind: helmholtz, radius: 2.5}, projection: {beta: 2}}"},
               {"stress as objective",
                "{minimise: stress, " PUSHED
                ", filter: {kind: density, radius: 1.6}, projection: {beta: 2}}"},
               {"heat", "{problem: heat, " HELD
                        ", source: 1, void_ratio: 1e-3, filter: {kind: density, radius: 1.6}}"},
               {"mechanism",
                "{problem: mechanism, " PUSHED
                ", ports: [{set: ymax, direction: [0, 1, 0.3]}], springs: [{set: ymax, stiffness: "
                "[0, 0.1, 0]}], filter: {kind: density, radius: 1.6}}"}};
  ig_mesh *mesh;
  const bool hex = type == IG_HEX8;
  IG_TRY(box(cx, 6, 3, 3, hex ? (const int[]){6, 3, 3} : (const int[]){4, 2, 2}, type,
             hex ? 0.3 : 0.2, &mesh));
  ig_status status = IG_OK;
  for (size_t k = 0; k < sizeof cases / sizeof *cases && status == IG_OK; k++) {
    double worst = 0, worst_volume = 0;
    char what[96];
    ig_topopt_problem t;
    IG_TRY_GOTO(status, failed, ig_topopt_problem_open_mesh(cx, cases[k].text, mesh, &t));
    for (int i = 0; i < 4 && status == IG_OK; i++) {
      const int element = 11 * i + 5;
      const double h = 1e-4, x = t.c.volume;
      double low, high, at, volume, v[2], dc, dv;
      IG_TRY_GOTO(status, close, objective_at(&t, element, x - h, &low, &v[0]));
      IG_TRY_GOTO(status, close, objective_at(&t, element, x + h, &high, &v[1]));
      IG_TRY_GOTO(status, close, objective_at(&t, element, x, &at, &volume));
      IG_TRY_GOTO(status, close,
                  cx->backend->copy_out(cx, &dc, (double *)t.s->dc.dev + element, sizeof dc));
      IG_TRY_GOTO(status, close,
                  cx->backend->copy_out(cx, &dv, (double *)t.s->dv.dev + element, sizeof dv));
      worst = fmax(worst, fabs((high - low) / (2 * h) / dc - 1));
      worst_volume =
          fmax(worst_volume, fabs((v[1] - v[0]) / (2 * h) * (double)t.d->elements / dv - 1));
    }
    const char *name = ig_elem_info_get(type)->name;
    snprintf(what, sizeof what, "%s, %s: slope of the objective", name, cases[k].what);
    row(sink, what, "central differences: largest relative difference", 0, worst, 1e-6, false);
    snprintf(what, sizeof what, "%s, %s: slope of the volume", name, cases[k].what);
    row(sink, what, "central differences: largest relative difference", 0, worst_volume, 1e-6,
        false);
  close:
    ig_topopt_problem_close(&t);
  }
failed:
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_topopt_verify_mesh_slopes(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int i = 0; i < TYPES; i++)
    IG_TRY(slopes(cx, sink, types[i]));
  return IG_OK;
}

/* --- solver iterations under refinement --- */

/* A curved part whose cells halve: iterations of the third design, from its predecessor's state.
 */
static ig_status iterations_of(ig_ctx *cx, const char *text, int n, int *iterations) {
  const ig_mesh_case c = {.tube = {.at.given = true,
                                   .inner = 40,
                                   .outer = 60,
                                   .angle = 3.14159265358979,
                                   .height = 20,
                                   .cells = IG_ROW(n, 6 * n, n)}};
  ig_mesh *mesh;
  ig_topopt_problem t;
  IG_TRY(ig_mesh_generate(cx, &c, &mesh));
  ig_status status = ig_topopt_problem_open_mesh(cx, text, mesh, &t);
  for (int i = 1; i <= 3 && status == IG_OK; i++) {
    ig_evaluation e = {0};
    status = ig_topopt_problem_iterate(&t, i, &e);
    *iterations = e.iterations;
  }
  ig_topopt_problem_close(&t);
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_topopt_verify_mesh_solvers(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *what, *text;
  } cases[] = {
      {"stiffness",
       "{volume: 0.3, void_ratio: 1e-6, supports: [{box: {max: [-40, 0, 20]}}], loads: [{box: "
       "{min: [40, 0, 0], max: [60, 0, 20]}, force: [1, 0, 0.5], spread: faces}], filter: {kind: "
       "density, radius: 6}, solver: {tolerance: 1e-6}}"},
      {"heat", "{problem: heat, volume: 0.3, void_ratio: 1e-3, source: 1, supports: [{box: {max: "
               "[-40, 0, 20]}}], filter: {kind: density, radius: 6}, solver: {tolerance: 1e-6}}"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    int first = 0;
    for (int n = 4; n <= 16; n *= 2) {
      int iterations = 0;
      char what[96];
      IG_TRY(iterations_of(cx, cases[k].text, n, &iterations));
      first = n == 4 ? iterations : first;
      snprintf(what, sizeof what, "%s: iterations on %d x %d x %d", cases[k].what, n, 6 * n, n);
      row(sink, what, "no more than half as many again as on the coarsest", first, iterations,
          0.5 * first + 2, false);
    }
  }
  return IG_OK;
}
