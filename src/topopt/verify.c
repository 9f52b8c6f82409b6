/* Verification problems of topology optimisation. They need no files: cases are text. */
#include "topopt/trial.h"
#include "backend/backend.h"
#include "topopt/mesh_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void row(const ig_verify_sink *sink, const char *quantity, const char *source,
                double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row r = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &r);
}

/* --- reference objectives --- */

typedef struct {
  int iteration;
  double objective, tolerance;
} expected;

static ig_status objectives(ig_ctx *cx, const ig_verify_sink *sink, const char *name,
                            const char *source, const char *text, const expected *list) {
  ig_trial t;
  IG_TRY(ig_trial_open(cx, text, &t));
  ig_status status = IG_OK;
  for (int it = 1; status == IG_OK && list->iteration; it++) {
    ig_evaluation e = {0};
    status = ig_trial_iterate(&t, it, &e);
    if (status == IG_OK && it == list->iteration) {
      char quantity[96];
      snprintf(quantity, sizeof quantity, "%s, objective at iteration %d", name, it);
      row(sink, quantity, source, list->objective, e.objective, list->tolerance, true);
      list++;
    }
  }
  ig_trial_close(&t);
  return status;
}

#define OWN "independent code with sparse Cholesky"
#define MBB(size, nx, ny, r, kind)                                                                 \
  "{grid: {elements: [" #nx ", " #ny ", 0]}, volume: 0.5, filter: {kind: " kind ", radius: " #r    \
  "}, supports: [{box: {min: [0, 0, 0], max: [0, " #ny ", 0]}, fix: x}, {box: {min: [" #nx         \
  ", 0, 0], max: [" #nx ", 0, 0]}, fix: y}], loads: [{box: {min: [0, " #ny ", 0], max: [0, " #ny   \
  ", 0]}, force: [0, -1, 0]}], optimiser: {tolerance: 1e-3}, solver: {tolerance: 1e-9}}"

static ig_status verify_mbb(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(objectives(cx, sink, "MBB 60x20, sensitivity filter", OWN,
                    MBB(60x20, 60, 20, 2.4, "sensitivity"),
                    (const expected[]){{1, 1007.022101, 1e-6},
                                       {2, 583.627944, 1e-6},
                                       {3, 417.059271, 1e-6},
                                       {10, 294.617819, 1e-3},
                                       {50, 218.970786, 1e-3},
                                       {0, 0, 0}}));
  IG_TRY(objectives(cx, sink, "MBB 60x20, density filter", OWN, MBB(60x20, 60, 20, 2.4, "density"),
                    (const expected[]){{1, 1007.022101, 1e-6},
                                       {2, 579.226306, 1e-6},
                                       {3, 420.123796, 1e-6},
                                       {10, 306.346696, 1e-3},
                                       {50, 236.737876, 1e-3},
                                       {0, 0, 0}}));
  IG_TRY(objectives(cx, sink, "MBB 150x50, sensitivity filter", OWN,
                    MBB(150x50, 150, 50, 6, "sensitivity"),
                    (const expected[]){{1, 1033.044578, 1e-6},
                                       {2, 592.274315, 1e-6},
                                       {3, 421.399512, 1e-6},
                                       {10, 297.811778, 1e-3},
                                       {0, 0, 0}}));
  return objectives(cx, sink, "MBB 150x50, density filter", OWN, MBB(150x50, 150, 50, 6, "density"),
                    (const expected[]){{1, 1033.044578, 1e-6},
                                       {2, 587.933420, 1e-6},
                                       {3, 424.110347, 1e-6},
                                       {10, 309.734790, 1e-3},
                                       {0, 0, 0}});
}

static ig_status verify_cantilever(ig_ctx *cx, const ig_verify_sink *sink) {
  return objectives(cx, sink, "3D cantilever 60x20x4", OWN,
                    "{grid: {elements: [60, 20, 4]}, volume: 0.3, filter: {kind: density, radius: "
                    "1.5},supports: [{box: {min: [0, 0, 0], max: [0, 20, 4]}}],loads: [{box: {min: "
                    "[60, 0, 0], max: [60, 0, 4]}, force: [0, -1, 0], spread: each}],optimiser: "
                    "{tolerance: 1e-3}, solver: {tolerance: 1e-9}}",
                    (const expected[]){{1, 28354.779859, 1e-6},
                                       {2, 15486.778044, 1e-6},
                                       {3, 9801.038355, 1e-6},
                                       {5, 6501.807269, 1e-3},
                                       {10, 4790.516735, 1e-3},
                                       {20, 2708.412041, 1e-3},
                                       {0, 0, 0}});
}

static ig_status verify_heat(ig_ctx *cx, const ig_verify_sink *sink) {
  return objectives(
      cx, sink, "3D heat conduction 16x16x16", OWN,
      "{problem: heat, grid: {elements: [16, 16, 16]}, volume: 0.3, void_ratio: 1e-3, source: "
      "1,filter: {kind: sensitivity, radius: 1.5},supports: [{box: {min: [0, 0, 16], max: [4, 4, "
      "16]}}],optimiser: {tolerance: 1e-3}, solver: {tolerance: 1e-9}}",
      (const expected[]){{1, 90451059.931665, 1e-6},
                         {2, 24455728.810328, 1e-6},
                         {3, 13287087.950097, 1e-6},
                         {5, 8691812.933666, 1e-3},
                         {10, 7439093.739522, 1e-3},
                         {20, 5528864.715223, 1e-3},
                         {60, 5198102.809105, 1e-3},
                         {0, 0, 0}});
}

static ig_status verify_tied(ig_ctx *cx, const ig_verify_sink *sink) {
  return objectives(
      cx, sink, "tied cantilever 64x32x32", "printout of TopOpt-in-OpenMP",
      "{grid: {elements: [64, 32, 32]}, volume: 0.2, void_ratio: 1e-6,filter: {kind: density, "
      "radius: 1.5},supports: [{box: {min: [0, 0, 0], max: [0, 8, 32]}},           {box: {min: [0, "
      "24, 0], max: [0, 32, 32]}}],loads: [{box: {min: [0, 0, 0], max: [64, 32, 0]}, cylinder: "
      "{from: [64.5, 16, -1], to: [64.5, 16, 1], radius: 6.6}, force: [0, 0, -1], spread: "
      "faces}],optimiser: {move: 0.1, tolerance: 1e-3}, solver: {tolerance: 1e-5}}",
      (const expected[]){{1, 172.2, 3e-4}, {20, 5.563, 2e-4}, {0, 0, 0}});
}

/* --- elements --- */

static double largest(const double *v, int n) {
  double m = 0;
  for (int i = 0; i < n; i++)
    m = fabs(v[i]) > m ? fabs(v[i]) : m;
  return m;
}

/* forces of a motion u over the largest the matrix makes of a motion of that size */
static double force_of(const ig_brick *b, const double *u) {
  double f[24] = {0}, k = 0;
  for (int i = 0; i < b->size; i++)
    for (int j = 0; j < b->size; j++) {
      f[i] += b->k[i][j] * u[j];
      k = fabs(b->k[i][j]) > k ? fabs(b->k[i][j]) : k;
    }
  return largest(f, b->size) / (k * largest(u, b->size));
}

/* A u = 0 inside for a linear field, through the grid operator */
static ig_status patch(ig_ctx *cx, int dim, int dof, double *worst) {
  const int n[3] = {5, 4, dim == 3 ? 3 : 0};
  const double h[3] = {1, 0.7, 1.3};
  ig_grid g;
  ig_brick b;
  IG_TRY(ig_grid_init(cx, &g, dim, dof, n));
  if (dof == 1)
    ig_brick_conduction(&b, dim, h);
  else
    ig_brick_elastic(&b, dim, h, 0.3);
  const size_t stored = (size_t)g.stored, count = stored * (size_t)dof;
  uint8_t *fix = NULL;
  double *u = NULL, *one = NULL;
  ig_multigrid *m = NULL;
  ig_array x = {0}, y = {0};
  ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
  options.precondition = IG_PRECONDITION_JACOBI;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &fix, stored, "patch"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &u, count, "patch"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &one, stored, "patch"));
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++) {
        const int64_t at = ig_grid_place(&g, i, j, k);
        for (int c = 0; c < dof; c++)
          u[c * g.stored + at] = (c + 1) * i * h[0] - 0.5 * j * h[1] + (0.3 - c) * k * h[2];
        if (i < n[0] && j < n[1] && (dim == 2 || k < n[2]))
          one[at] = 1;
        if (i == 0 || j == 0 || i == n[0] || j == n[1] || (dim == 3 && (k == 0 || k == n[2])))
          fix[at] = IG_FIX_ALL;
      }
  IG_TRY_GOTO(status, done, ig_multigrid_new(cx, &g, &b, fix, NULL, 0, &options, &m));
  IG_TRY_GOTO(status, done, cx->backend->copy_in(cx, m->modulus.dev, one, stored * 8));
  IG_TRY_GOTO(status, done, ig_multigrid_update(m));
  IG_TRY_GOTO(status, done, ig_array_from(cx, &x, u, count, 8, "patch"));
  IG_TRY_GOTO(status, done, ig_array_new_device(cx, &y, count, 8, "patch"));
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &y));
  IG_TRY_GOTO(status, done, m->linear.apply(m, x.dev, y.dev, NULL));
  IG_TRY_GOTO(status, done, cx->backend->absmax_f64(cx, count, y.dev, worst));
  *worst /= largest(u, (int)count);
done:
  ig_array_free(cx, &x);
  ig_array_free(cx, &y);
  ig_multigrid_free(m);
  free(fix);
  free(u);
  free(one);
  return status;
}

static ig_status verify_elements(ig_ctx *cx, const ig_verify_sink *sink) {
  const double h[3] = {1, 0.7, 1.3};
  for (int dim = 2; dim <= 3; dim++)
    for (int dof = 1; dof <= dim; dof += dim - 1) {
      ig_brick b;
      char name[96];
      double worst = 0, u[24];
      if (dof == 1)
        ig_brick_conduction(&b, dim, h);
      else
        ig_brick_elastic(&b, dim, h, 0.3);
      const int turns = dof == 1 ? 0 : dim == 3 ? 3 : 1;
      for (int r = 0; r < dof + turns; r++) {
        for (int a = 0; a < b.nodes; a++) {
          double x[3];
          for (int d = 0; d < 3; d++)
            x[d] = (a >> d & 1) * h[d];
          for (int c = 0; c < dof; c++)
            u[a * dof + c] = r == c;
          if (r >= dof) { /* a turn about axis p carries q towards s */
            const int q = dim == 2 ? 0 : (r - dof + 1) % 3, s = dim == 2 ? 1 : (r - dof + 2) % 3;
            u[a * dof + q] = -x[s];
            u[a * dof + s] = x[q];
          }
        }
        const double f = force_of(&b, u);
        worst = f > worst ? f : worst;
      }
      snprintf(name, sizeof name, "forces of rigid modes, %s in %dD",
               dof == 1 ? "conduction" : "elasticity", dim);
      row(sink, name, "exact", 0, worst, 1e-14, false);
      IG_TRY(patch(cx, dim, dof, &worst));
      snprintf(name, sizeof name, "patch test, %s in %dD", dof == 1 ? "conduction" : "elasticity",
               dim);
      row(sink, name, "exact", 0, worst, 1e-14, false);
    }
  return IG_OK;
}

/* --- a beam --- */

/* Compliance of a solid cantilever under a unit end load against Timoshenko's beam. */
static ig_status verify_beam(ig_ctx *cx, const ig_verify_sink *sink) {
  const double length = 10, height = 1, nu = 0.3;
  const double bending = 4 * pow(length / height, 3), shear = 12.0 / 5 * (1 + nu) * length / height;
  double error[3];
  for (int level = 0; level < 3; level++) {
    const int ny = 4 << level, nx = 10 * ny;
    char text[700], name[96];
    snprintf(text, sizeof text,
             "{grid: {elements: [%d, %d, 0], size: [10, 1, 1]}, volume: 1, filter: {kind: "
             "none},supports: [{box: {min: [0, 0, 0], max: [0, 1, 0]}, fix: x},           {box: "
             "{min: [0, 0.5, 0], max: [0, 0.5, 0]}, fix: y}],loads: [{box: {min: [10, 0, 0], max: "
             "[10, 1, 0]}, force: [0, -1, 0], spread: faces}], solver: {tolerance: 1e-10}}",
             nx, ny);
    ig_trial t;
    ig_evaluation e = {0};
    IG_TRY(ig_trial_open(cx, text, &t));
    ig_design_continue(&t.c, 1, &e);
    const ig_status status = ig_design_evaluate(t.s, &e);
    ig_trial_close(&t);
    IG_TRY(status);
    error[level] = fabs(e.objective / (bending + shear) - 1);
    snprintf(name, sizeof name, "end deflection of a cantilever, %d x %d", nx, ny);
    row(sink, name, "Timoshenko's beam", bending + shear, e.objective,
        level == 2   ? 2e-3
        : level == 1 ? 8e-3
                     : 3e-2,
        true);
  }
  row(sink, "order of convergence towards it", "bilinear elements", 2, log2(error[0] / error[1]),
      0.3, false);
  return IG_OK;
}

/* --- sensitivities --- */

static const struct {
  const char *name, *text;
} problems[] = {
    {"stiffness 2D", "grid: {elements: [7, 5, 0]}, supports: [{box: {max: [0, 9, 9]}}], loads: "
                     "[{box: {min: [7, 0, 0]}, force: [0.3, -1, 0]}, {box: {min: [7, 5, 0]}, "
                     "force: [1, 0, 0], load_case: 2}], weights: [1, 2]"},
    {"stiffness 3D",
     "grid: {elements: [5, 4, 3]}, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [5, 0, "
     "0]}, force: [0.3, -1, 0.2]}], passive: [{box: {min: [4, 0, 0], max: [5, 1, 1]}}]"},
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
    {"Helmholtz filter", "filter: {kind: helmholtz, radius: 2.5}"},
    {"density filter and projection",
     "filter: {kind: density, radius: 1.8}, projection: {beta: 3, eta: 0.45}"},
    {"density filter, robust projection",
     "filter: {kind: density, radius: 1.8}, projection: {beta: 3, eta: 0.5, robust: 0.15}"},
    {"Helmholtz filter and projection",
     "filter: {kind: helmholtz, radius: 2.5}, projection: {beta: 3, eta: 0.45}"},
    {"Helmholtz filter, robust projection",
     "filter: {kind: helmholtz, radius: 2.5}, projection: {beta: 3, eta: 0.5, robust: 0.15}"}};

static ig_status value_at(ig_trial *t, double *x, int64_t place, double by, ig_evaluation *e) {
  const double keep = x[place];
  x[place] = keep + by;
  const ig_status status =
      t->cx->backend->copy_in(t->cx, t->s->x.dev, x, (size_t)t->m->d.places * sizeof *x);
  x[place] = keep;
  IG_TRY(status);
  ig_design_continue(&t->c, 1, e);
  return ig_design_evaluate(t->s, e);
}

/* a design without pattern */
static ig_status start_slopes(ig_trial *t, double *x) {
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
static const double *slope_of(const ig_trial *t, int f) {
  return f == OBJECTIVE ? t->s->dc.dev
         : f == VOLUME  ? t->s->dv.dev
                        : t->s->limit_slope[f - LIMIT].dev;
}
static double function_of(const ig_trial *t, const ig_evaluation *e, int f) {
  return f == OBJECTIVE ? e->objective
         : f == VOLUME  ? e->volume * (double)t->m->d.elements
                        : e->limit[f - LIMIT];
}

/* worst difference of each function's slopes from central differences, over its largest slope */
static ig_status slopes(ig_trial *t, double *worst) {
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
  static const char *const kinds[] = {"none", "sensitivity"};
  const double radius = 1.8;
  double *x[2] = {NULL, NULL}, *dc[2] = {NULL, NULL};
  ig_grid g = {0};
  ig_status status = IG_OK;
  for (int k = 0; status == IG_OK && k < 2; k++) {
    char text[1200];
    ig_trial t;
    snprintf(text, sizeof text,
             "{%s, filter: {kind: %s, radius: %g}, void_ratio: 1e-3, solver: {tolerance: 1e-11}}",
             problem, kinds[k], radius);
    IG_TRY_GOTO(status, done, ig_trial_open(cx, text, &t));
    const size_t n = (size_t)t.m->d.places;
    g = t.m->grid;
    status = IG_NEW(cx, &x[k], n, "design");
    if (status == IG_OK)
      status = IG_NEW(cx, &dc[k], n, "slopes");
    if (status == IG_OK)
      status = start_slopes(&t, x[k]);
    if (status == IG_OK)
      status = cx->backend->copy_out(cx, dc[k], t.s->dc.dev, n * 8);
    ig_trial_close(&t);
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

static ig_status verify_slopes(ig_ctx *cx, const ig_verify_sink *sink) {
  char text[1200], name[120];
  double worst[LIMIT + IG_LIMITS];
  for (size_t p = 0; p < sizeof problems / sizeof *problems; p++) {
    for (size_t f = 0; f < sizeof chains / sizeof *chains; f++) {
      snprintf(text, sizeof text, "{%s, %s, void_ratio: 1e-3, solver: {tolerance: 1e-11}}",
               problems[p].text, chains[f].text);
      ig_trial t;
      IG_TRY(ig_trial_open(cx, text, &t));
      const ig_status status = slopes(&t, worst);
      ig_trial_close(&t);
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
    ig_trial t;
    IG_TRY(ig_trial_open(cx, text, &t));
    const ig_status status = slopes(&t, worst);
    ig_trial_close(&t);
    IG_TRY(status);
    for (int i = 0; i < 3; i++) {
      snprintf(name, sizeof name, "slope of %s, %s", limits[i], chains[f].name);
      row(sink, name, "central differences", 0, worst[LIMIT + i], 1e-6, false);
    }
  }
  return IG_OK;
}

/* --- solvers --- */

/* Solves A u = f by Cholesky on the dense matrix, column by column through the operator. */
static ig_status direct(ig_trial *t, double *compliance) {
  ig_ctx *cx = t->cx;
  ig_multigrid *m = t->m->solver;
  const size_t n = (size_t)m->linear.n;
  double *a = NULL, *v = NULL, *f = NULL;
  int *free_dof = NULL, count = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &v, n, "direct"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &f, n, "direct"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &free_dof, n, "direct"));
  const ig_grid *g = &t->m->grid;
  for (size_t i = 0; i < n; i++)
    if (!(((uint8_t *)m->fix.host)[i % (size_t)g->stored] >> (i / (size_t)g->stored) & 1))
      free_dof[count++] = (int)i;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &a, (size_t)count * (size_t)count, "direct"));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, f, t->m->loading.f[0].dev, n * 8));
  for (int j = 0; j < count; j++) {
    memset(v, 0, n * sizeof *v);
    v[free_dof[j]] = 1;
    IG_TRY_GOTO(status, done, cx->backend->copy_in(cx, m->pcg.p.dev, v, n * 8));
    IG_TRY_GOTO(status, done, m->linear.apply(m, m->pcg.p.dev, m->pcg.ap.dev, NULL));
    IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, v, m->pcg.ap.dev, n * 8));
    for (int i = 0; i < count; i++)
      a[(size_t)i * count + j] = v[free_dof[i]];
  }
  double *y = v; /* L y = f; c = y . y */
  *compliance = 0;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j <= i; j++) {
      double s = a[(size_t)i * count + j];
      for (int k = 0; k < j; k++)
        s -= a[(size_t)i * count + k] * a[(size_t)j * count + k];
      a[(size_t)i * count + j] = j < i ? s / a[(size_t)j * count + j] : sqrt(s);
    }
    double s = f[free_dof[i]];
    for (int k = 0; k < i; k++)
      s -= a[(size_t)i * count + k] * y[k];
    y[i] = s / a[(size_t)i * count + i];
    *compliance += y[i] * y[i];
  }
  *compliance *= t->m->loading.norm[0] * t->m->loading.norm[0];
done:
  free(a);
  free(v);
  free(f);
  free(free_dof);
  return status;
}

#define SMALL(solver)                                                                              \
  "{grid: {elements: [9, 5, 4]}, supports: [{box: {max: [0, 9, 9]}}], loads: [{box: {min: [9, 0, " \
  "0]}, force: [0, -1, 0.5]}], void_ratio: 1e-4, filter: {kind: density, radius: 1.5}, solver: "   \
  "{tolerance: 1e-10, " solver "}}"

static ig_status verify_solvers(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *text;
  } solvers[] = {{"Jacobi", SMALL("preconditioner: jacobi")},
                 {"multigrid, Chebyshev, V", SMALL("cycle: v")},
                 {"multigrid, Jacobi, W", SMALL("smoother: jacobi, cycle: w, steps: 3")},
                 {"multigrid, block Jacobi, V", SMALL("smoother: block_jacobi, cycle: v")},
                 {"multigrid, Chebyshev, K", SMALL("cycle: k")},
                 {"multigrid, Chebyshev, K, half storage", SMALL("cycle: k, storage: half")}};
  double exact = 0;
  for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
    ig_trial t;
    ig_evaluation e = {0};
    IG_TRY(ig_trial_open(cx, solvers[s].text, &t));
    ig_status status = IG_OK;
    for (int it = 1; status == IG_OK && it <= 4; it++)
      status = ig_trial_iterate(&t, it, &e);
    if (status == IG_OK && s == 0)
      status = direct(&t, &exact); /* the moduli are those of the last evaluation */
    ig_trial_close(&t);
    IG_TRY(status);
    char name[96];
    snprintf(name, sizeof name, "compliance by %s", solvers[s].name);
    row(sink, name, "dense Cholesky", exact, e.objective, 1e-8, true);
  }
  /* iterations to 1e-8 on an optimised design, refined: nearly the same */
  double first = 0;
  for (int level = 0; level < 3; level++) {
    const int n = 8 << level;
    char text[700], name[96];
    snprintf(
        text, sizeof text,
        "{grid: {elements: [%d, %d, %d], size: [2, 1, 1]}, volume: 0.3, void_ratio: 1e-4,filter: "
        "{kind: density, radius: 0.2}, supports: [{box: {min: [0, 0, 0], max: [0, 1, 1]}}], loads: "
        "[{box: {min: [2, 0, 0], max: [2, 0, 1]}, force: [0, -1, 0]}],solver: {tolerance: 1e-8}}",
        2 * n, n, n);
    ig_trial t;
    ig_evaluation e = {0};
    IG_TRY(ig_trial_open(cx, text, &t));
    ig_status status = IG_OK;
    for (int it = 1; status == IG_OK && it <= 4; it++)
      status = ig_trial_iterate(&t, it, &e);
    if (status == IG_OK)
      status = cx->backend->fill(cx, t.s->u[0][0].dev, 0, (size_t)t.m->d.unknowns * 8);
    if (status == IG_OK)
      status = ig_design_evaluate(t.s, &e);
    ig_trial_close(&t);
    IG_TRY(status);
    first = level ? first : e.iterations;
    snprintf(name, sizeof name, "solver iterations to 1e-8, %d x %d x %d", 2 * n, n, n);
    row(sink, name, "those of the coarsest grid", first, e.iterations, 0.6, true);
  }
  return IG_OK;
}

/* --- constraints and symmetry --- */

static ig_status verify_volume(ig_ctx *cx, const ig_verify_sink *sink) {
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
    ig_trial t;
    ig_evaluation e = {0};
    IG_TRY(ig_trial_open(cx, text, &t));
    ig_status status = IG_OK;
    for (int it = 1; status == IG_OK && it <= 8; it++)
      status = ig_trial_iterate(&t, it, &e);
    ig_trial_close(&t);
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
  ig_trial t;
  ig_evaluation e = {0};
  IG_TRY(ig_trial_open(cx, text, &t));
  ig_status status = IG_OK;
  for (int it = 1; status == IG_OK && it <= 40; it++)
    status = ig_trial_iterate(&t, it, &e);
  ig_trial_close(&t);
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
      "12, 0]}, direction: [0, -1, 0], displacement: 32}], optimiser: {method: mma, move: 0.1}, "
      "solver: {tolerance: 1e-8}}";
  ig_trial t;
  ig_evaluation e = {0};
  IG_TRY(ig_trial_open(cx, text, &t));
  ig_status status = IG_OK;
  for (int it = 1; status == IG_OK && it <= 80; it++)
    status = ig_trial_iterate(&t, it, &e);
  ig_trial_close(&t);
  IG_TRY(status);
  row(sink, "compliance of a second load over its bound", "active at the optimum", 1, e.limit[0],
      5e-3, false);
  row(sink, "deflection at half length over its bound", "active at the optimum", 1, e.limit[1],
      5e-3, false);
  return IG_OK;
}

static ig_status verify_constraints(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(verify_regions(cx, sink));
  return verify_bounds(cx, sink);
}

static ig_status verify_symmetry(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const texts[] = {
      "{grid: {elements: [21, 10, 0]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
      "[21, 5, 0], max: [21, 5, 0]}, force: [0, -1, 0]}], filter: {kind: sensitivity, radius: "
      "2.4}, solver: {tolerance: 1e-8, preconditioner: jacobi}, void_ratio: 1e-4}",
      "{grid: {elements: [9, 6, 4]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: "
      "[9, 3, 2], max: [9, 3, 2]}, force: [0, -1, 0]}], filter: {kind: density, radius: 2.4}, "
      "solver: {tolerance: 1e-8, preconditioner: jacobi}, void_ratio: 1e-4}"};
  for (size_t p = 0; p < 2; p++) {
    ig_trial t;
    ig_evaluation e = {0};
    double *x = NULL, different = 0;
    IG_TRY(ig_trial_open(cx, texts[p], &t));
    const ig_grid *g = &t.m->grid;
    ig_status status = IG_NEW(cx, &x, t.m->d.places, "design");
    for (int it = 1; status == IG_OK && it <= 6; it++)
      status = ig_trial_iterate(&t, it, &e);
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
    ig_trial_close(&t);
    IG_TRY(status);
    row(sink,
        p ? "densities unlike their mirror image, 3D" : "densities unlike their mirror image, 2D",
        "a symmetric problem", 0, different, 0, false);
  }
  return IG_OK;
}

const ig_verify_entry ig_topopt_verify[] = {
    {"elements", "rigid modes and patch tests of the four elements", true, verify_elements},
    {"timoshenko", "a solid cantilever against beam theory, refined", true, verify_beam},
    {"slopes", "sensitivities of every problem through every filter and projection", true,
     verify_slopes},
    {"solvers", "every solver against a direct one; iterations under refinement", true,
     verify_solvers},
    {"volume", "the volume constraint", true, verify_volume},
    {"constraints", "several constraints: bounds that hold, an optimum that is known", true,
     verify_constraints},
    {"symmetry", "symmetric problems give symmetric designs, bit for bit", true, verify_symmetry},
    {"mbb", "2D plane stress: objectives of the MBB beam, two meshes, two filters", true,
     verify_mbb},
    {"cantilever", "3D elasticity: objectives of a cantilever", true, verify_cantilever},
    {"heat", "3D conduction: objectives of a volume-to-patch problem", true, verify_heat},
    {"tied", "3D elasticity: objectives of the tied cantilever of the DTU codes", false,
     verify_tied},
    {"mesh-grid", "a regular mesh gives the grid's objectives with every operator", true,
     ig_verify_mesh_grid},
    {"mesh-patch", "uniform tension of distorted hexahedra", true, ig_verify_mesh_patch},
    {"mesh-slopes", "slopes on distorted hexahedra against differences", true,
     ig_verify_mesh_slopes},
    {"mesh-solvers", "algebraic multigrid: iterations under refinement", true,
     ig_verify_mesh_solvers},
    {.name = NULL}};
