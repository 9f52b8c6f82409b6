/* Verification of large deflections: slopes by differences, the linear limit, the elastica. */
#include "backend/backend.h"
#include "geometry/mesh_case.h"
#include "material/material.h"
#include "topopt/design/large.h"
#include "verify/topopt/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Many of them where the energy is between that of small strains and that of the law. */
static double density_of(size_t i) {
  return i % 3 == 1 ? 0.2 : 0.55 + 0.35 * sin(1.7 * (double)i);
}

static ig_status value_at(ig_topopt_problem *t, double *x, size_t place, double by,
                          ig_evaluation *e) {
  const double keep = x[place];
  x[place] = keep + by;
  const ig_status status =
      t->cx->backend->copy_in(t->cx, t->s->x.dev, x, (size_t)t->d->places * sizeof *x);
  x[place] = keep;
  IG_TRY(status);
  ig_topopt_design_continue(&t->c, 1, e);
  return ig_topopt_design_evaluate(t->s, e);
}

static double function_of(const ig_evaluation *e, int f) {
  return f ? e->limit[f - 1] : e->objective;
}

/* The worst difference of slopes from central ones of the fourth order, over the largest slope;
   function 0 is the objective, others are constraints. */
static ig_status slopes(ig_topopt_problem *t, int samples, double *worst) {
  enum { ALL = 1 + IG_LIMITS };
  ig_ctx *cx = t->cx;
  const size_t n = (size_t)t->d->places;
  const int functions = 1 + t->s->limits;
  double *x = NULL, *slope = NULL, most[ALL];
  uint8_t *role = NULL;
  ig_evaluation e = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &x, n, "design"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &slope, n * (size_t)functions, "slopes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &role, n, "roles"));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, role, t->d->role, n));
  size_t designed = 0;
  for (size_t i = 0; i < n; i++)
    if (role[i] == IG_ROLE_DESIGN)
      x[i] = density_of(designed++);
  IG_TRY_GOTO(status, done, value_at(t, x, 0, 0, &e));
  for (int f = 0; f < functions; f++) {
    const ig_array *from = f ? &t->s->limit_slope[f - 1] : &t->s->dc;
    IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, slope + n * (size_t)f, from->dev, n * 8));
    most[f] = largest(slope + n * (size_t)f, (int)n);
    worst[f] = 0;
  }
  size_t number = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t stride = designed / (size_t)samples;
    if (role[i] != IG_ROLE_DESIGN || number++ % stride != stride / 2)
      continue;
    static const double step = 1e-4, at[4] = {-2, -1, 1, 2}, by[4] = {1, -8, 8, -1};
    double rate[ALL] = {0};
    for (int k = 0; k < 4; k++) {
      IG_TRY_GOTO(status, done, value_at(t, x, i, at[k] * step, &e));
      for (int f = 0; f < functions; f++)
        rate[f] += by[k] * function_of(&e, f) / (12 * step);
    }
    for (int f = 0; f < functions; f++)
      worst[f] = fmax(worst[f], fabs(rate[f] - slope[n * (size_t)f + i]) / most[f]);
  }
done:
  free(x);
  free(slope);
  free(role);
  return status;
}

#define LARGE "analysis: {large_deflections: true}, "
#define RUBBER "analysis: {large_deflections: true, law: neo_hookean}, "
#define BEAM "grid: {elements: [8, 4, 0], size: [2, 1, 0]}, supports: [{box: {max: [0, 9, 9]}}], "
#define SMOOTH "filter: {kind: density, radius: 0.3}, optimiser: {method: mma}, void_ratio: 1e-6"
#define COARSE "filter: {kind: density, radius: 0.6}, optimiser: {method: mma}, void_ratio: 1e-6"
/* loads that turn the end by about a fifth */
#define PULL "loads: [{box: {min: [2, 0, 0]}, force: [0.001, -0.002, 0]}], "
static const struct {
  const char *name, *text;
  const char *of[4]; /* functions */
} problems[] = {
    {"plane stress", LARGE BEAM PULL SMOOTH, {"end compliance"}},
    {"plane stress, neo-Hookean", RUBBER BEAM PULL SMOOTH, {"end compliance"}},
    {"plane strain, neo-Hookean, projection, worst of two loads",
     RUBBER BEAM
     "plane: strain, combine: worst, loads: [{box: {min: [2, 0, 0]}, force: [0, -0.002, "
     "0]}, {box: {min: [2, 1, 0]}, force: [0.008, 0.001, 0], load_case: 2}], "
     "projection: {beta: 2}, " SMOOTH,
     {"end compliance"}},
    {"robust",
     LARGE BEAM PULL SMOOTH ", projection: {beta: 2, robust: 0.1}, constraints: [{box: {min: [2, "
                            "0, 0]}, direction: [0, -1, 0], displacement: 0.3}]",
     {"end compliance", "a displacement"}},
    {"bounds",
     LARGE BEAM
     "minimise: volume, loads: [{box: {min: [2, 0, 0]}, force: [0.001, -0.002, 0]}, "
     "{box: {min: [2, 1, 0]}, force: [0.006, 0, 0], load_case: 2}], constraints: "
     "[{compliance: 0.001, load_case: 2}, {box: {min: [2, 0, 0]}, direction: [0, -1, 0], "
     "displacement: 0.3}, {stress: 0.1}], " SMOOTH,
     {NULL, "a load case's compliance", "a displacement", "a stress"}},
    {"least stress, neo-Hookean", RUBBER BEAM PULL "minimise: stress, " SMOOTH, {"the stress"}},
    {"plane strain, least stress",
     LARGE BEAM PULL "plane: strain, minimise: stress, " SMOOTH,
     {"the stress"}},
    {"mechanism",
     LARGE "problem: mechanism, grid: {elements: [8, 4, 0], size: [2, 1, 0]}, supports: [{box: "
           "{max: [0, 0.25, 9]}}], loads: [{box: {min: [0, 1, 0], max: [0, 1, 0]}, force: [0.004, "
           "0, 0]}], springs: [{box: {min: [0, 1, 0], max: [0, 1, 0]}, stiffness: [0.05, 0, 0]}, "
           "{box: {min: [2, 1, 0]}, stiffness: [0.01, 0, 0]}], ports: [{box: {min: [2, 1, 0]}, "
           "direction: [-1, 0, 0]}], " SMOOTH,
     {"the port's displacement"}},
    {"space, neo-Hookean",
     RUBBER "grid: {elements: [4, 2, 2], size: [2, 1, 1]}, supports: [{box: {max: [0, 9, 9]}}], "
            "loads: [{box: {min: [2, 0, 0]}, force: [0.001, -0.002, 0.003]}], constraints: "
            "[{stress: 0.1}], " COARSE,
     {"end compliance", "a stress"}},
    {"space, iterative",
     "analysis: {large_deflections: true, linear_solver: iterative}, grid: {elements: [4, 2, 2], "
     "size: [2, 1, 1]}, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [2, 0, 0]}, "
     "force: "
     "[0.001, -0.002, 0.003]}], constraints: [{stress: 0.1}], " COARSE,
     {"end compliance", "a stress"}},
    {"space, neo-Hookean, without a matrix",
     "analysis: {large_deflections: true, law: neo_hookean, linear_solver: matrix_free}, grid: "
     "{elements: [4, 2, 2], size: [2, 1, 1]}, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: "
     "{min: [2, 0, 0]}, force: [0.001, -0.002, 0.003]}], constraints: [{stress: 0.1}], " COARSE,
     {"end compliance", "a stress"}},
    {"weight",
     LARGE BEAM "loads: [{box: {min: [2, 0, 0]}, force: [0, -0.001, 0]}, {gravity: [0, -0.002, "
                "0]}], constraints: [{compliance: 0.001}, {stress: 0.1}], " SMOOTH,
     {"end compliance", "a compliance", "a stress"}}};

/* The same on a distorted mesh of each kind. */
static ig_status mesh_slopes(ig_ctx *cx, const ig_verify_sink *sink, ig_elem_type type,
                             const char *name) {
  const ig_box_case b = {.size = IG_ROW(2, 1, 1), .cells = IG_ROW(4, 2, 2)};
  const ig_mesh_case c = {.boxes = {1, (ig_box_case *)&b},
                          .element = (int)type + 1,
                          .jitter = {.at.given = true, .amount = 0.2, .seed = 7}};
  ig_mesh *mesh;
  double worst[1 + IG_LIMITS];
  char text[160];
  ig_topopt_problem t;
  IG_TRY(ig_mesh_generate(cx, &c, &mesh));
  ig_status status = ig_topopt_problem_open_mesh(
      cx,
      "{" LARGE "supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [2, 0, 0]}, force: "
      "[0.0005, -0.001, 0.001]}], constraints: [{stress: 0.1}], " COARSE "}",
      mesh, &t);
  if (status == IG_OK)
    status = slopes(&t, 3, worst);
  ig_topopt_problem_close(&t);
  ig_mesh_free(mesh);
  IG_TRY(status);
  snprintf(text, sizeof text, "slope of end compliance, %s", name);
  row(sink, text, "central differences", 0, worst[0], 1e-6, false);
  snprintf(text, sizeof text, "slope of a stress, %s", name);
  row(sink, text, "central differences", 0, worst[1], 1e-6, false);
  return IG_OK;
}

/* What a load of next to nothing does is what a linear analysis says. */
static ig_status small_loads(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *text;
  } bodies[] = {{"plane stress", "grid: {elements: [8, 4, 0], size: [2, 1, 0]}"},
                {"plane strain", "plane: strain, grid: {elements: [8, 4, 0], size: [2, 1, 0.3]}"},
                {"space", "grid: {elements: [4, 2, 2], size: [2, 1, 1]}"}};
  static const char *const laws[] = {"", LARGE, RUBBER};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    double value[3], peak[3];
    for (int k = 0; k < 3; k++) {
      char text[600];
      ig_topopt_problem t;
      ig_evaluation e = {0};
      snprintf(text, sizeof text,
               "{%s%s, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [2, 0, 0]}, force: "
               "[0, -1e-10, 0]}], minimise: stress, %s" COARSE "}",
               laws[k], bodies[i].text, k ? "" : "solver: {tolerance: 1e-12}, ");
      IG_TRY(ig_topopt_problem_open(cx, text, &t));
      ig_topopt_design_continue(&t.c, 1, &e);
      const ig_status status = ig_topopt_design_evaluate(t.s, &e);
      value[k] = t.s->response[0];
      peak[k] = e.peak[IG_LIMITS];
      ig_topopt_problem_close(&t);
      IG_TRY(status);
    }
    for (int k = 1; k < 3; k++) {
      char text[120];
      const char *law = k == 1 ? "" : ", neo-Hookean";
      snprintf(text, sizeof text, "compliance under a load of next to nothing, %s%s",
               bodies[i].name, law);
      row(sink, text, "linear analysis", value[0], value[k], 1e-7, true);
      snprintf(text, sizeof text, "stress under it, %s%s", bodies[i].name, law);
      row(sink, text, "linear analysis", peak[0], peak[k], 1e-7, true);
    }
  }
  return IG_OK;
}

/* A cantilever 40 x 1 under a load across of P L^2 / E I at its end, by extrapolation from two
   grids: how far its end goes down and back. */
static ig_status elastica(ig_ctx *cx, const ig_verify_sink *sink, double load, double down,
                          double back) {
  double at[2][2];
  for (int k = 0; k < 2; k++) {
    char text[700];
    ig_topopt_problem t;
    ig_evaluation e = {0};
    const int high = k ? 6 : 4;
    snprintf(text, sizeof text,
             "{" LARGE "grid: {elements: [%d, %d, 0], size: [40, 1, 0]}, supports: [{box: {max: "
             "[0, 9, 9]}}], loads: [{box: {min: [40, 0.5], max: [40, 0.5]}, force: [0, -%.17g, "
             "0]}], constraints: [{box: {min: [40, 0.5], max: [40, 0.5]}, direction: [0, -1, 0], "
             "displacement: 40}, {box: {min: [40, 0.5], max: [40, 0.5]}, direction: [-1, 0, 0], "
             "displacement: 40}], volume: 1, filter: {kind: none}, optimiser: {method: mma}}",
             40 * high, high, load / (12 * 1600));
    IG_TRY(ig_topopt_problem_open(cx, text, &t));
    ig_topopt_design_continue(&t.c, 1, &e);
    const ig_status status = ig_topopt_design_evaluate(t.s, &e);
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    for (int i = 0; i < 2; i++)
      at[k][i] = e.limit[i];
  }
  const double want[] = {down, back};
  for (int i = 0; i < 2; i++) {
    char text[120];
    snprintf(text, sizeof text, "a cantilever under P L^2 / E I = %g: its end goes %s", load,
             i ? "back" : "down");
    row(sink, text, "Mattiasson 1981", want[i], (9 * at[1][i] - 4 * at[0][i]) / 5, 5e-3, true);
  }
  return IG_OK;
}

ig_status ig_topopt_verify_large(ig_ctx *cx, const ig_verify_sink *sink) {
  static double zero = 0, one = 1;
  ig_material_case heavy = {
      .name = "heavy", .young = 1, .poisson = 0.3, .density = {1, &zero, &one}};
  const ig_list materials = {1, &heavy};
  IG_TRY(small_loads(cx, sink));
  for (size_t p = 0; p < sizeof problems / sizeof *problems; p++) {
    double worst[1 + IG_LIMITS];
    char text[1400];
    ig_topopt_problem t;
    if (strstr(problems[p].text, "iterative") && cx->backend->kernels == IG_KERNELS_CUDA)
      continue; /* refused by name there: its matrix is on the host */
    snprintf(text, sizeof text, "{%s}", problems[p].text);
    IG_TRY(ig_topopt_problem_open_with(cx, text, strstr(text, "gravity") ? &materials : NULL, NULL,
                                       IG_GATHER, &t));
    const ig_status status = slopes(&t, 5, worst);
    const int functions = 1 + t.s->limits;
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    for (int f = 0; f < functions; f++)
      if (problems[p].of[f]) {
        snprintf(text, sizeof text, "slope of %s, %s", problems[p].of[f], problems[p].name);
        row(sink, text, "central differences", 0, worst[f], 1e-6, false);
      }
  }
  IG_TRY(mesh_slopes(cx, sink, IG_HEX8, "distorted hexahedra"));
  IG_TRY(mesh_slopes(cx, sink, IG_TET10, "distorted quadratic tetrahedra"));
  return elastica(cx, sink, 5, 0.71379, 0.38763);
}
