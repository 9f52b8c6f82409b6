/* Verification of slopes: adjoint against differences. */
#include "verify/topopt/verify.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name, *text;
} problems[] = {
    {"stiffness 2D", "grid: {elements: [7, 5, 0]}, supports: [{box: {max: [0, 9, 9]}}], loads: "
                     "[{box: {min: [7, 0, 0]}, force: [0.3, -1, 0]}, {box: {min: [7, 5, 0]}, "
                     "force: [1, 0, 0], load_case: 2}], weights: [1, 2]"},
    {"stiffness 3D",
     "grid: {elements: [5, 4, 3]}, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [5, 0, "
     "0]}, force: [0.3, -1, 0.2]}], passive: [{box: {min: [4, 0, 0], max: [5, 1, 1]}}]"},
    {"plane strain",
     "plane: strain, grid: {elements: [7, 5, 0]}, supports: [{box: {max: [0, 9, 9]}}], loads: "
     "[{box: {min: [7, 0, 0]}, force: [0.3, -1, 0]}, {box: {min: [7, 5, 0]}, "
     "force: [1, 0, 0], load_case: 2}], weights: [1, 2]"},
    {"worst of two loads 2D",
     "combine: worst, grid: {elements: [7, 5, 0]}, supports: [{box: {max: [0, 9, 9]}}], loads: "
     "[{box: {min: [7, 0, 0]}, force: [0.3, -1, 0]}, {box: {min: [7, 5, 0]}, force: [2, 0, 0], "
     "load_case: 2}], weights: [1, 2]"},
    {"heat 2D",
     "problem: heat, source: 1, grid: {elements: [7, 5, 0]}, supports: [{box: {max: [0, 2, 9]}}]"},
    {"heat 3D",
     "problem: heat, source: 1, grid: {elements: [5, 4, 3]}, supports: [{box: {max: [0, 2, 9]}}]"},
    {"mechanism 2D",
     "problem: mechanism, grid: {elements: [8, 5, 0]}, supports: [{box: {max: [0, 1, 9]}}], loads: "
     "[{box: {min: [0, 5, 0], max: [0, 5, 0]}, force: [1, 0, 0]}], springs: [{box: {min: [0, 5, "
     "0], max: [0, 5, 0]}, stiffness: [0.1, 0, 0]}, {box: {min: [8, 5, 0]}, stiffness: [0.1, 0, "
     "0]}], ports: [{box: {min: [8, 5, 0]}, direction: [-1, 0, 0]}]"},
    {"mechanism 3D",
     "problem: mechanism, grid: {elements: [6, 4, 3]}, supports: [{box: {max: [0, 1, 9]}}], loads: "
     "[{box: {min: [0, 4, 0], max: [0, 4, 9]}, force: [1, 0, 0]}], springs: [{box: {min: [0, 4, "
     "0], max: [0, 4, 9]}, stiffness: [0.1, 0, 0]}, {box: {min: [6, 4, 0]}, stiffness: [0.1, 0, "
     "0]}], ports: [{box: {min: [6, 4, 0]}, direction: [-1, 0, 0]}]"}};
static const struct {
  const char *name, *text;
} chains[] = {
    {"no filter", "filter: {kind: none}"},
    {"density filter", "filter: {kind: density, radius: 1.8}"},
    {"density filter, padded", "filter: {kind: density, radius: 1.8, padded: true}"},
    {"Helmholtz filter", "filter: {kind: helmholtz, radius: 2.5}"},
    {"density filter and projection",
     "filter: {kind: density, radius: 1.8}, projection: {beta: 3, eta: 0.45}"},
    {"density filter, robust projection",
     "filter: {kind: density, radius: 1.8}, projection: {beta: 3, eta: 0.5, robust: 0.15}"},
    {"density and overhang filters",
     "filter: {kind: density, radius: 1.8}, overhang: {direction: y-}"},
    {"density and overhang filters, projection",
     "filter: {kind: density, radius: 1.8}, overhang: {direction: x+}, projection: {beta: 3}"},
    {"Helmholtz filter and projection",
     "filter: {kind: helmholtz, radius: 2.5}, projection: {beta: 3, eta: 0.45}"},
    {"Helmholtz filter, robust projection",
     "filter: {kind: helmholtz, radius: 2.5}, projection: {beta: 3, eta: 0.5, robust: 0.15}"}};

static ig_status value_at(ig_topopt_problem *t, double *x, int64_t place, double by,
                          ig_evaluation *e) {
  const double keep = x[place];
  x[place] = keep + by;
  const ig_status status =
      t->cx->backend->copy_in(t->cx, t->s->x.dev, x, (size_t)t->m->d.places * sizeof *x);
  x[place] = keep;
  IG_TRY(status);
  ig_topopt_design_continue(&t->c, 1, e);
  return ig_topopt_design_evaluate(t->s, e);
}

/* a design without pattern */
static ig_status start_slopes(ig_topopt_problem *t, double *x) {
  const size_t n = (size_t)t->m->d.places;
  IG_TRY(t->cx->backend->copy_out(t->cx, x, t->s->x.dev, n * 8));
  for (size_t i = 0; i < n; i++)
    if (((uint8_t *)t->m->role.host)[i] == IG_ROLE_DESIGN)
      x[i] = 0.5 + 0.3 * sin(1.7 * (double)i);
  ig_evaluation e = {0};
  return value_at(t, x, t->m->grid.first, 0, &e);
}

/* function 0 is the objective, 1 the volume, the others constraints */
enum { OBJECTIVE, VOLUME, LIMIT };
static const double *slope_of(const ig_topopt_problem *t, int f) {
  return f == OBJECTIVE ? t->s->dc.dev
         : f == VOLUME  ? t->s->dv.dev
                        : t->s->limit_slope[f - LIMIT].dev;
}
static double function_of(const ig_topopt_problem *t, const ig_evaluation *e, int f) {
  return f == OBJECTIVE ? e->objective
         : f == VOLUME  ? e->volume * (double)t->m->d.elements
                        : e->limit[f - LIMIT];
}

/* worst difference of each function's slopes from central differences, over its largest slope */
static ig_status slopes(ig_topopt_problem *t, double *worst) {
  ig_ctx *cx = t->cx;
  const ig_grid *g = &t->m->grid;
  const size_t n = (size_t)t->m->d.places;
  const int functions = LIMIT + t->s->limits;
  double *x = NULL, *slope = NULL, most[LIMIT + IG_LIMITS];
  ig_status status;
  ig_evaluation up = {0}, down = {0};
  IG_TRY_GOTO(status, done, IG_NEW(cx, &x, n, "design"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &slope, n * (size_t)functions, "slopes"));
  IG_TRY_GOTO(status, done, start_slopes(t, x));
  for (int f = 0; f < functions; f++) {
    double *mine = slope + n * (size_t)f;
    IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, mine, slope_of(t, f), n * 8));
    most[f] = largest(mine, (int)n);
    worst[f] = 0;
  }
  for (int sample = 0; sample < 4; sample++) {
    const int64_t at = ig_grid_place(g, (sample * 3) % g->n[0], sample % g->n[1],
                                     g->dim == 3 ? sample % g->n[2] : 0);
    const double step = 1e-4;
    IG_TRY_GOTO(status, done, value_at(t, x, at, step, &up));
    IG_TRY_GOTO(status, done, value_at(t, x, at, -step, &down));
    for (int f = 0; f < functions; f++) {
      const double rate = (function_of(t, &up, f) - function_of(t, &down, f)) / (2 * step);
      worst[f] = fmax(worst[f], fabs(rate - slope[n * (size_t)f + (size_t)at]) / most[f]);
    }
  }
done:
  free(x);
  free(slope);
  return status;
}

/* The sensitivity filter's slopes are nobody's: compared with its sum over the true ones. */
static ig_status averaged(ig_ctx *cx, const char *problem, double *worst) {
  static const char *const filters[] = {"kind: none", "kind: sensitivity, radius: 1.8"};
  const double radius = 1.8;
  double *x[2] = {NULL, NULL}, *dc[2] = {NULL, NULL};
  ig_grid g = {0};
  ig_status status = IG_OK;
  for (int k = 0; status == IG_OK && k < 2; k++) {
    char text[1200];
    ig_topopt_problem t;
    snprintf(text, sizeof text, "{%s, filter: {%s}, void_ratio: 1e-3, solver: {tolerance: 1e-11}}",
             problem, filters[k]);
    IG_TRY_GOTO(status, done, ig_topopt_problem_open(cx, text, &t));
    const size_t n = (size_t)t.m->d.places;
    g = t.m->grid;
    status = IG_NEW(cx, &x[k], n, "design");
    if (status == IG_OK)
      status = IG_NEW(cx, &dc[k], n, "slopes");
    if (status == IG_OK)
      status = start_slopes(&t, x[k]);
    if (status == IG_OK)
      status = cx->backend->copy_out(cx, dc[k], t.s->dc.dev, n * 8);
    ig_topopt_problem_close(&t);
  }
  const int nz = g.dim == 3 ? g.n[2] : 1, r = 2;
  *worst = 0;
  for (int k = 0; status == IG_OK && k < nz; k++)
    for (int j = 0; j < g.n[1]; j++)
      for (int i = 0; i < g.n[0]; i++) {
        double sum = 0, weight = 0;
        for (int c = k - r; c <= k + r; c++)
          for (int b = j - r; b <= j + r; b++)
            for (int a = i - r; a <= i + r; a++) {
              if (a < 0 || b < 0 || c < 0 || a >= g.n[0] || b >= g.n[1] || c >= nz)
                continue;
              const double w =
                  fmax(0, radius - sqrt((a - i) * (a - i) + (b - j) * (b - j) + (c - k) * (c - k)));
              const int64_t at = ig_grid_place(&g, a, b, c);
              sum += w * x[0][at] * dc[0][at];
              weight += w;
            }
        const int64_t at = ig_grid_place(&g, i, j, k);
        const double expect = sum / (weight * fmax(1e-3, x[0][at]));
        *worst = fmax(*worst, fabs(dc[1][at] - expect));
      }
  if (status == IG_OK)
    *worst /= largest(dc[1], (int)g.stored);
done:
  for (int k = 0; k < 2; k++) {
    free(x[k]);
    free(dc[k]);
  }
  return status;
}

/* Stresses as constraint (two clusters, or a region under one load) and as objective. */
static ig_status stress_slopes(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const kinds[] = {
      "constraints: [{stress: 2}, {box: {max: [4, 3, 9]}, stress: 1.5, load_case: 1}], "
      "stress: {clusters: 2, exponent: 6}",
      "minimise: stress, stress: {exclude: [tip]}, sets: [{name: tip, box: {min: [5, 3, 0]}}]"};
  static const char *const names[2][5] = {
      {NULL, "a stress bound, cluster 1", "a stress bound, cluster 2",
       "a region's stress bound, cluster 1", "a region's stress bound, cluster 2"},
      {"the largest stress"}};
  static const int chain[] = {0, 1, 3, 4, 6};
  char text[1200], name[120];
  double worst[LIMIT + IG_LIMITS];
  for (int p = 0; p < 3; p++)
    for (int k = 0; k < 2; k++)
      for (size_t f = 0; f < sizeof chain / sizeof *chain; f++) {
        if (k == 1 && chain[f] == 4) /* robust designs have no stress as objective */
          continue;
        snprintf(text, sizeof text, "{%s, %s, %s, void_ratio: 1e-3, solver: {tolerance: 1e-12}}",
                 problems[p].text, chains[chain[f]].text, kinds[k]);
        ig_topopt_problem t;
        IG_TRY(ig_topopt_problem_open(cx, text, &t));
        const ig_status status = slopes(&t, worst);
        const int count = t.s->limits;
        ig_topopt_problem_close(&t);
        IG_TRY(status);
        for (int i = 0; i <= count; i++)
          if (names[k][i]) {
            snprintf(name, sizeof name, "slope of %s, %s, %s", names[k][i], problems[p].name,
                     chains[chain[f]].name);
            row(sink, name, "central differences", 0, worst[i ? LIMIT + i - 1 : OBJECTIVE], 1e-6,
                false);
          }
      }
  return IG_OK;
}

ig_status ig_topopt_verify_slopes(ig_ctx *cx, const ig_verify_sink *sink) {
  char text[1200], name[120];
  double worst[LIMIT + IG_LIMITS];
  for (size_t p = 0; p < sizeof problems / sizeof *problems; p++) {
    for (size_t f = 0; f < sizeof chains / sizeof *chains; f++) {
      snprintf(text, sizeof text, "{%s, %s, void_ratio: 1e-3, solver: {tolerance: 1e-11}}",
               problems[p].text, chains[f].text);
      ig_topopt_problem t;
      IG_TRY(ig_topopt_problem_open(cx, text, &t));
      const ig_status status = slopes(&t, worst);
      ig_topopt_problem_close(&t);
      IG_TRY(status);
      snprintf(name, sizeof name, "slope of the objective, %s, %s", problems[p].name,
               chains[f].name);
      row(sink, name, "central differences", 0, worst[OBJECTIVE], 1e-6, false);
      if (p == 0) {
        snprintf(name, sizeof name, "slope of the volume, %s", chains[f].name);
        row(sink, name, "central differences", 0, worst[VOLUME], 1e-6, false);
      }
    }
    IG_TRY(averaged(cx, problems[p].text, &worst[0]));
    snprintf(name, sizeof name, "sensitivity filter, %s", problems[p].name);
    row(sink, name, "its sum over unfiltered slopes", 0, worst[0], 1e-6, false);
  }
  for (size_t f = 0; f < sizeof chains / sizeof *chains; f++) {
    static const char *const limits[] = {"a region's volume", "a load case's compliance",
                                         "a displacement"};
    snprintf(text, sizeof text,
             "{%s, %s, constraints: [{box: {max: [4, 3, 9]}, volume: 0.4}, {compliance: 50, "
             "load_case: 2}, {box: {min: [7, 2, 0]}, direction: [0, -1, 0], displacement: 3}], "
             "optimiser: {method: mma}, void_ratio: 1e-3, solver: {tolerance: 1e-11}}",
             problems[0].text, chains[f].text);
    ig_topopt_problem t;
    IG_TRY(ig_topopt_problem_open(cx, text, &t));
    const ig_status status = slopes(&t, worst);
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    for (int i = 0; i < 3; i++) {
      snprintf(name, sizeof name, "slope of %s, %s", limits[i], chains[f].name);
      row(sink, name, "central differences", 0, worst[LIMIT + i], 1e-6, false);
    }
  }
  return stress_slopes(cx, sink);
}
