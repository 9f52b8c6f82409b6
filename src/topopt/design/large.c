/* Large deflections (large.h): equilibrium by Newton's method of src/implicit with the elements of
   src/solid, adjoints by its direct solver. */
#include "topopt/design/large.h"
#include "topopt/design/large_items.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "implicit/newton.h"
#include "kern/fault.h"
#include "solver/krylov/cg.h"
#include "topopt/case/boundary_conditions.h"
#include "topopt/design/load.h"
#include "topopt/design/solve_groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* b and c of the blend; MOST: unknowns of an element */
static const double sharpness = 500, threshold = 0.01;
enum { MOST = 3 * IG_SOLID_NODES };

bool ig_topopt_large_asked(const ig_topopt_case *c) {
  return c->analysis.large_deflections;
}

void ig_topopt_body_free(ig_topopt_body *b) {
  free(b->place);
  free(b->at);
  free(b->node);
  free(b->x);
  free(b->spring);
  *b = (ig_topopt_body){0};
}

/* --- one element at unit modulus --- */

/* Where its unknowns are, and the positions of its nodes. */
static void gather(const ig_topopt_body *b, int32_t e, const double *from, double *to) {
  for (int a = 0; a < b->corners; a++)
    for (int d = 0; d < b->dim; d++)
      to[a * b->dim + d] = from[(int64_t)b->node[(int64_t)e * b->corners + a] * b->dim + d];
}

static int evaluate_law(const ig_topopt_large *g, const ig_solid_law *law, const double *X,
                        const double *u, double *f, double *K) {
  double none[1] = {0}, now[1];
  return g->body.dim == 2 ? ig_solid_plane(law, g->across, X, u, f, K)
                          : ig_solid_evaluate(g->body.kind, law, X, u, NULL, none, now, f, K);
}

/* f = g f(g u) + (1 - g^2) f_linear(u), K its derivative by u and `by` that by g; each NULL: not
   wanted. */
static int evaluate(const ig_topopt_large *g, const double *X, const double *u, double blend,
                    double *f, double *K, double *by) {
  const int n = g->body.corners * g->body.dim;
  double v[MOST], curved[MOST] = {0}, straight[MOST] = {0}, tangent[MOST * MOST],
                  plain[MOST * MOST];
  const bool linear = blend < 1 || by, matrix = K || by;
  if (blend > 0) {
    for (int i = 0; i < n; i++)
      v[i] = blend * u[i];
    const int fault = evaluate_law(g, &g->law, X, v, curved, matrix ? tangent : NULL);
    if (fault)
      return fault;
  }
  if (linear) {
    const int fault = evaluate_law(g, &g->linear, X, u, straight, K ? plain : NULL);
    if (fault)
      return fault;
  }
  const double rest = 1 - blend * blend;
  for (int i = 0; i < n; i++) {
    if (f)
      f[i] = blend * curved[i] + rest * straight[i];
    if (by) {
      by[i] = curved[i] - 2 * blend * straight[i];
      for (int j = 0; j < n && blend > 0; j++)
        by[i] += blend * tangent[i * n + j] * u[j];
    }
  }
  for (int i = 0; K && i < n * n; i++)
    K[i] = (blend > 0 ? blend * blend * tangent[i] : 0) + (linear ? rest * plain[i] : 0);
  return IG_FAULT_NONE;
}

/* --- groups of Newton's method --- */

static const char *fault_text(int fault) {
  return fault == IG_FAULT_JACOBIAN ? "is inverted" : "has no stress";
}

static ig_status elements_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                                   double *f, double *k, ig_trouble *trouble) {
  const ig_topopt_design *s = self;
  const ig_topopt_large *g = s->large;
  const ig_topopt_body *b = &g->body;
  const int n = b->corners * b->dim;
  for (int32_t e = begin; e < end; e++, f += n, k += k ? n * n : 0) {
    double X[MOST], u[MOST], more[MOST];
    gather(b, e, b->x, X);
    gather(b, e, g->u, u);
    gather(b, e, at->u, more);
    for (int i = 0; i < n; i++)
      u[i] += more[i];
    const int fault = evaluate(g, X, u, g->blend[e], f, k, NULL);
    if (fault) {
      *trouble = (ig_trouble){e, fault_text(fault)};
      return IG_OK;
    }
    const double E = g->modulus[e] * s->loading->stiffness;
    for (int i = 0; i < n; i++)
      f[i] *= E;
    for (int i = 0; k && i < n * n; i++)
      k[i] *= E;
  }
  return IG_OK;
}

static ig_status springs_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                                  double *f, double *k, ig_trouble *trouble) {
  const ig_topopt_large *g = ((const ig_topopt_design *)self)->large;
  (void)trouble;
  for (int32_t i = begin; i < end; i++) {
    const int32_t of = g->sprung[i];
    f[i - begin] = g->stiffness[i] * (g->u[of] + at->u[of]);
    if (k)
      k[i - begin] = g->stiffness[i];
  }
  return IG_OK;
}

/* No history: the state is in the displacements. */
static ig_status group_accept(void *self, const ig_trial *at) {
  (void)self, (void)at;
  return IG_OK;
}

static ig_status step_accepted(void *self, const ig_trial *at) {
  const ig_topopt_large *g = ((const ig_topopt_design *)self)->large;
  for (int32_t i = 0; i < g->system->unknowns; i++)
    g->u[i] += at->u[i];
  return IG_OK;
}

static ig_status loads_add(void *self, const ig_trial *at, double *f) {
  const ig_topopt_large *g = ((const ig_topopt_design *)self)->large;
  for (int32_t i = 0; i < g->system->unknowns; i++)
    f[i] += at->factor * g->f[i];
  return IG_OK;
}

static void unknown_name(void *self, int32_t unknown, char *text, size_t size) {
  const ig_topopt_design *s = self;
  ig_topopt_large_name(s, unknown / s->large->body.dim, text, size);
}

static void element_name(void *self, int group, int32_t element, char *text, size_t size) {
  const ig_topopt_body *b = &((const ig_topopt_design *)self)->large->body;
  (void)group;
  char at[64];
  unknown_name(self, b->node[(int64_t)element * b->corners] * b->dim, at, sizeof at);
  snprintf(text, size, "the element at %s", at);
}

/* --- arrays of the device and unknowns --- */

static int64_t place_of(const ig_topopt_design *s, int32_t unknown) {
  const ig_topopt_body *b = &s->large->body;
  const ig_node_layout *l = &s->d->layout;
  return b->at[unknown / b->dim] * l->step + unknown % b->dim * l->stride;
}

static ig_status take(const ig_topopt_design *s, const double *from, double scale, double *to) {
  const ig_topopt_large *g = s->large;
  IG_TRY(
      s->cx->backend->copy_out(s->cx, g->values, from, (size_t)s->d->unknowns * sizeof *g->values));
  for (int32_t i = 0; i < g->unknowns; i++)
    to[i] = scale * g->values[place_of(s, i)];
  return IG_OK;
}

static ig_status put(const ig_topopt_design *s, const double *from, double scale, double *to) {
  const ig_topopt_large *g = s->large;
  memset(g->values, 0, (size_t)s->d->unknowns * sizeof *g->values);
  for (int32_t i = 0; i < g->unknowns; i++)
    g->values[place_of(s, i)] = scale * from[i];
  return s->cx->backend->copy_in(s->cx, to, g->values, (size_t)s->d->unknowns * sizeof *g->values);
}

/* An array of elements of the device; free *values. */
static ig_status elements_of(const ig_topopt_design *s, const double *from, double **values) {
  const size_t n = (size_t)s->d->places;
  IG_TRY(IG_NEW(s->cx, values, n, "elements"));
  return s->cx->backend->copy_out(s->cx, *values, from, n * sizeof **values);
}

/* Moduli of the elements, blends and their slopes by them. */
static ig_status moduli_take(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  const double least = ig_topopt_void_ratio(s->c), low = tanh(sharpness * threshold),
               all = low + tanh(sharpness * (1 - threshold));
  double *modulus = NULL, *scale = NULL;
  ig_status status = elements_of(s, s->d->modulus, &modulus);
  if (status == IG_OK && s->d->scale)
    status = elements_of(s, s->d->scale, &scale);
  for (int32_t e = 0; status == IG_OK && e < g->body.elements; e++) {
    const int64_t at = g->body.place[e];
    const double E = modulus[at] / (scale ? scale[at] : 1), x = (E - least) / (1 - least);
    const double step = tanh(sharpness * (x - threshold));
    g->modulus[e] = modulus[at];
    g->blend[e] = fmin(1, fmax(0, (low + step) / all));
    g->slope[e] = E / (1 - least) * sharpness * (1 - step * step) / all;
  }
  free(modulus);
  free(scale);
  return status;
}

/* --- conjugate gradients --- */

/* The tangent, with the preconditioner of the linear body. */
typedef struct {
  const ig_topopt_design *s;
  ig_linear base;
  double *x, *y; /* of equations */
} tangent;

static int32_t equation_of(const ig_topopt_large *g, int32_t unknown) {
  return g->system->equation[unknown];
}

static ig_status tangent_apply(void *self, const double *x, double *y, ig_cg_state *state) {
  const tangent *t = self;
  const ig_topopt_large *g = t->s->large;
  double pap = 0;
  IG_TRY(take(t->s, x, 1, g->f));
  for (int32_t i = 0; i < g->system->unknowns; i++)
    if (equation_of(g, i) >= 0)
      t->x[equation_of(g, i)] = g->f[i];
  ig_system_times(g->system, t->x, t->y);
  for (int32_t i = 0; i < g->system->unknowns; i++) {
    const int32_t e = equation_of(g, i);
    g->f[i] = e >= 0 ? t->y[e] / t->s->loading->stiffness : 0;
  }
  for (int32_t e = 0; e < g->system->equations; e++)
    pap += t->x[e] * t->y[e] / t->s->loading->stiffness;
  IG_TRY(put(t->s, g->f, 1, y));
  return state ? t->s->cx->backend->copy_in(t->s->cx, &state->s.pap, &pap, sizeof pap) : IG_OK;
}

static ig_status tangent_precondition(void *self, const float *r, const float **z) {
  const tangent *t = self;
  return t->base.precondition(t->base.self, r, z);
}

/* K d = b of equations, b becomes d; the load in g->f is lost. Rigid supports are no equations, so
   that the matrix is that of the state's layout without held components. */
static ig_status iterate(ig_topopt_design *s, double *b, double tolerance,
                         ig_solve_report *report) {
  ig_topopt_large *g = s->large;
  const int32_t n = g->system->equations, all = g->system->unknowns;
  tangent t = {.s = s, .base = s->d->linear(s->d->self)};
  double *keep = NULL, size = 0;
  ig_linear a = t.base;
  ig_status status;
  IG_TRY(IG_NEW(s->cx, &keep, 2 * (size_t)n + (size_t)all + 1, "conjugate gradients"));
  t.x = keep;
  t.y = keep + n;
  double *load = keep + 2 * (size_t)n; /* what g->f had */
  memcpy(load, g->f, (size_t)all * sizeof *load);
  a.self = &t;
  a.apply = tangent_apply;
  a.precondition = tangent_precondition;
  a.flexible = true;
  for (int32_t i = 0; i < n; i++)
    size += b[i] * b[i];
  size = sqrt(size); /* of unit size: the preconditioner is in single precision */
  for (int32_t i = 0; i < all; i++)
    g->f[i] = equation_of(g, i) >= 0 && size > 0 ? b[equation_of(g, i)] / size : 0;
  IG_TRY_GOTO(status, done, put(s, g->f, 1, g->right.dev));
  IG_TRY_GOTO(status, done, ig_topopt_large_pcg(s, &a, tolerance, report));
  IG_TRY_GOTO(status, done, take(s, g->left.dev, 1, g->f));
  for (int32_t i = 0; i < all; i++)
    if (equation_of(g, i) >= 0)
      b[equation_of(g, i)] = g->f[i] * size / s->loading->stiffness;
done:
  memcpy(g->f, load, (size_t)all * sizeof *load);
  free(keep);
  return status;
}

/* A correction need not be exact: the next one takes what is left. */
static ig_status correct(void *self, double *b, bool *fine) {
  ig_solve_report report;
  IG_TRY(iterate(self, b, 1e-6, &report));
  *fine = report.end != IG_SOLVE_INDEFINITE && report.residual < 0.1;
  return IG_OK;
}

/* --- equilibrium and adjoints --- */

static ig_status newton_run(ig_topopt_design *s, ig_newton *n, int q) {
  ig_topopt_large *g = s->large;
  ig_newton_standing now = {0};
  ig_status status = IG_OK;
  while (status == IG_OK && !now.done) {
    status = ig_newton_step(n);
    ig_newton_stand(n, &now);
  }
  g->now->steps += now.steps;
  g->now->iterations += now.iterations;
  g->now->residual = fmax(g->now->residual, now.residual);
  g->now->negative = now.negative > g->now->negative ? now.negative : g->now->negative;
  if (status != IG_NUMERIC)
    return status;
  char why[256]; /* what the engine found: its message without the head */
  const char *text = ig_ctx_message(s->cx), *at = strstr(text, "steps: ");
  snprintf(why, sizeof why, "%s", at ? at + 7 : text);
  char *end = strstr(why, " (numerical");
  if (end)
    *end = '\0';
  return ig_topopt_large_lost(s, q, now.factor, now.steps, why);
}

/* Displacements of load case q under its whole load, from none. */
static ig_status equilibrium(ig_topopt_design *s, int r, int q) {
  ig_topopt_large *g = s->large;
  const ig_loading *l = s->loading;
  double low[3] = {0}, high[3] = {0}, length = 0, reach = 0;
  const int dim = g->body.dim;
  if (g->items)
    return ig_topopt_large_items_equilibrium(s, r, q);
  g->factored = -1;
  memset(g->u, 0, (size_t)g->system->unknowns * sizeof *g->u);
  IG_TRY(take(s, ig_topopt_load_of(s, q), l->norm[q], g->f));
  for (int64_t i = 0; i < (int64_t)g->body.points * dim; i++) {
    low[i % dim] = fmin(low[i % dim], g->body.x[i]);
    high[i % dim] = fmax(high[i % dim], g->body.x[i]);
    reach = fmax(reach, fabs(g->body.x[i]));
  }
  for (int d = 0; d < dim; d++)
    length = fmax(length, high[d] - low[d]);
  const ig_newton_model model = {.system = g->system,
                                 .groups = g->stiffness ? 2 : 1,
                                 .group = g->group,
                                 .end = 1,
                                 .length = length,
                                 .reach = reach,
                                 .self = s,
                                 .loads = loads_add,
                                 .solve = g->iterative ? correct : NULL,
                                 .name = unknown_name,
                                 .name_element = element_name,
                                 .accepted = step_accepted};
  ig_newton_options o = ig_newton_usual;
  o.tolerance = 1e-9;
  o.first = o.most = 1.0 / (double)s->c->analysis.load_steps;
  o.least = 1e-4 * o.first;
  o.iterations = 24;
  o.beyond = "";
  ig_newton *n;
  IG_TRY(ig_newton_new(s->cx, &model, &o, &n));
  const ig_status status = newton_run(s, n, q);
  ig_newton_free(n);
  IG_TRY(status);
  return put(s, g->u, l->stiffness / l->norm[q], s->u[r][q].dev);
}

/* K at the state of load case q, unless it is there. */
static ig_status factorize(ig_topopt_design *s, int r, int q) {
  ig_topopt_large *g = s->large;
  ig_system *y = g->system;
  ig_trouble trouble = {.element = -1};
  ig_direct_info info;
  double size[2] = {0}, count[2] = {0}, *zero, *f;
  int group = 0;
  const int number = r * IG_LOAD_CASES + q;
  if (g->factored == number)
    return IG_OK;
  IG_TRY(take(s, s->u[r][q].dev, s->loading->norm[q] / s->loading->stiffness, g->u));
  IG_TRY(IG_NEW(s->cx, &zero, 2 * (size_t)y->unknowns, "tangent"));
  f = zero + y->unknowns;
  const ig_trial at = {.u = zero, .time = 1, .factor = 1};
  ig_status status = ig_system_assemble(y, g->stiffness ? 2 : 1, g->group, &at, true, NULL, f, size,
                                        count, &group, &trouble);
  free(zero);
  IG_TRY(status);
  if (trouble.element >= 0)
    return IG_FAIL(s->cx, IG_NUMERIC, "large_deflections: element %d %s", trouble.element,
                   trouble.what);
  g->factored = number;
  if (g->iterative)
    return IG_OK;
  g->factored = -1;
  if (!g->direct)
    IG_TRY(ig_direct_new(s->cx, y->equations, y->first, y->column, IG_DIRECT_AUTO, &g->direct));
  IG_TRY(ig_direct_factor(g->direct, y->value, true, &info));
  g->factored = number;
  return IG_OK;
}

/* K z = l at the state of load case q of realisation r. */
static ig_status adjoint_with_matrix(ig_topopt_design *s, int r, int q, const double *l, double *z,
                                     ig_solve_report *report) {
  ig_topopt_large *g = s->large;
  const ig_system *y = g->system;
  double *b;
  IG_TRY(factorize(s, r, q));
  IG_TRY(take(s, l, s->loading->stiffness, g->f));
  IG_TRY(IG_NEW(s->cx, &b, y->equations, "adjoint"));
  ig_system_reduce(y, g->f, b);
  ig_status status = g->iterative ? iterate(s, b, 1e-10, report) : ig_direct_solve(g->direct, b);
  for (int32_t i = 0; i < y->unknowns; i++) /* supports hold: nothing but free unknowns is left */
    g->f[i] = y->equation[i] >= 0 ? b[y->equation[i]] : 0;
  free(b);
  return status == IG_OK ? put(s, g->f, 1, z) : status;
}

static ig_status adjoint_solve(ig_topopt_design *s, void *user, const double *l, double *z,
                               ig_solve_report *report) {
  const int *of = user;
  return s->large->items ? ig_topopt_large_items_adjoint(s, of[0], of[1], l, z, report)
                         : adjoint_with_matrix(s, of[0], of[1], l, z, report);
}

ig_status ig_topopt_large_adjoint(ig_topopt_design *s, int r, int q, const double *l, double *z) {
  int of[] = {r, q};
  ig_solve_report report;
  IG_TRY(
      ig_topopt_turn_solve_by(s, adjoint_solve, of, ig_topopt_turn_mine(s) ? l : NULL, z, &report));
  if (!ig_topopt_turn_first(s) && report.residual > 1e-6)
    ig_warn(s->cx,
            "large_deflections: an adjoint system %s (relative residual %.2g): slopes are "
            "not exact; take analysis: {linear_solver: direct}",
            ig_solve_end_text(report.end), report.residual);
  return IG_OK;
}

/* --- slopes and energies --- */

ig_status ig_topopt_large_energy(ig_topopt_design *s, int r, int q, const double *z, double scale,
                                 bool add, double *out) {
  ig_topopt_large *g = s->large;
  const ig_topopt_body *b = &g->body;
  const size_t n = (size_t)s->d->places;
  const int count = b->corners * b->dim;
  const double unit = s->loading->norm[q] / s->loading->stiffness;
  double *energy;
  if (g->items)
    return ig_topopt_large_items_energy(s, r, q, z, scale, add, out);
  IG_TRY(take(s, s->u[r][q].dev, unit, g->u));
  IG_TRY(take(s, z, 1, g->f));
  IG_TRY(elements_of(s, out, &energy));
  int failed = 0;
  for (size_t i = 0; i < n && !add; i++)
    energy[i] = 0;
#pragma omp parallel for schedule(static) reduction(max                                            \
                                                    : failed)                                      \
    num_threads(ig_team(s->cx, b->elements, IG_WORK_ROW))
  for (int32_t e = 0; e < b->elements; e++) {
    double X[MOST], u[MOST], v[MOST], f[MOST], by[MOST], sum = 0;
    gather(b, e, b->x, X);
    gather(b, e, g->u, u);
    gather(b, e, g->f, v);
    const bool moves = g->slope[e] > 0;
    const int fault = evaluate(g, X, u, g->blend[e], f, NULL, moves ? by : NULL);
    failed = fault ? 1 : failed;
    for (int i = 0; i < count; i++)
      sum += v[i] * (f[i] + (moves ? g->slope[e] * by[i] : 0));
    energy[b->place[e]] += scale / unit * sum;
  }
  ig_status status = failed
                         ? IG_FAIL(s->cx, IG_NUMERIC, "large_deflections: an element is inverted")
                         : s->cx->backend->copy_in(s->cx, out, energy, n * sizeof *energy);
  free(energy);
  return status;
}

/* The work of the element's forces along the straight way from no displacement: exact to rounding
   for St. Venant and Kirchhoff's law, whose forces are cubic along it. */
ig_status ig_topopt_large_strain_energy(const ig_topopt_design *s, double scale, double *out) {
  static const double at[5] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052841,
                               0.953089922969332},
                      weight[5] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                   0.239314335249683, 0.118463442528095};
  ig_topopt_large *g = s->large;
  const ig_topopt_body *b = &g->body;
  const size_t n = (size_t)s->d->places;
  const int count = b->corners * b->dim;
  const double unit = s->loading->norm[0] / s->loading->stiffness;
  double *energy;
  IG_TRY(take(s, s->u[s->realisations - 1][0].dev, unit, g->u));
  IG_TRY(IG_NEW(s->cx, &energy, n, "energies"));
#pragma omp parallel for schedule(static) num_threads(ig_team(s->cx, b->elements, IG_WORK_ROW))
  for (int32_t e = 0; e < b->elements; e++) {
    double X[MOST], u[MOST], v[MOST], f[MOST], sum = 0;
    gather(b, e, b->x, X);
    gather(b, e, g->u, u);
    for (int k = 0; k < 5; k++) {
      for (int i = 0; i < count; i++)
        v[i] = at[k] * u[i];
      if (evaluate(g, X, v, g->blend[e], f, NULL, NULL))
        continue; /* inverted on a way that it did not go */
      for (int i = 0; i < count; i++)
        sum += weight[k] * f[i] * u[i];
    }
    energy[b->place[e]] = scale * sum / (unit * unit);
  }
  const ig_status status = s->cx->backend->copy_in(s->cx, out, energy, n * sizeof *energy);
  free(energy);
  return status;
}

/* --- figures --- */

ig_status ig_topopt_large_forces(const ig_topopt_design *s, int q, double *forces) {
  ig_topopt_large *g = s->large;
  const ig_system *y = g->system;
  const double norm = s->loading->norm[q];
  ig_trouble trouble = {.element = -1};
  double size[2] = {0}, count[2] = {0}, *zero;
  int group = 0;
  if (g->items)
    return ig_topopt_large_items_forces(s, q, forces);
  g->factored = -1;
  IG_TRY(take(s, s->u[s->realisations - 1][q].dev, norm / s->loading->stiffness, g->u));
  IG_TRY(IG_NEW(s->cx, &zero, 2 * (size_t)y->unknowns, "forces"));
  double *f = zero + y->unknowns;
  const ig_trial at = {.u = zero, .time = 1, .factor = 1};
  ig_status status = ig_system_assemble(g->system, g->stiffness ? 2 : 1, g->group, &at, false, NULL,
                                        f, size, count, &group, &trouble);
  for (int32_t i = 0; i < y->unknowns; i++)
    f[i] = y->equation[i] >= 0 ? f[i] : 0;
  if (status == IG_OK)
    status = put(s, f, 1 / norm, forces);
  free(zero);
  return status;
}

ig_status ig_topopt_large_figures(const ig_topopt_design *s, int q, double *work, double *most) {
  const ig_topopt_large *g = s->large;
  const double norm = s->loading->norm[q];
  const int dim = g->body.dim;
  IG_TRY(take(s, ig_topopt_load_of(s, q), norm, g->f));
  IG_TRY(take(s, s->u[s->realisations - 1][q].dev, norm / s->loading->stiffness, g->u));
  *work = *most = 0;
  for (int32_t n = 0; n < g->body.points; n++) {
    double square = 0;
    for (int d = 0; d < dim; d++) {
      const double u = g->u[n * dim + d];
      *work += g->f[n * dim + d] * u;
      square += u * u;
    }
    *most = fmax(*most, sqrt(square));
  }
  return IG_OK;
}

/* --- stresses --- */

/* Von Mises' stress with a share of the trace, and its slope by the stress. */
static double measure(const ig_topopt_hooke *law, const double s[6], double slope[6]) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  const double mises =
      sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
  const double all = mises + law->mean * (s[0] + s[1] + s[2]);
  const double by = mises > 0 && all > 0 ? 1 / mises : 0;
  slope[0] = by * (s[0] - 0.5 * (s[1] + s[2]));
  slope[1] = by * (s[1] - 0.5 * (s[2] + s[0]));
  slope[2] = by * (s[2] - 0.5 * (s[0] + s[1]));
  for (int i = 0; i < 3; i++) {
    slope[i] += all > 0 ? law->mean : 0;
    slope[3 + i] = 3 * by * s[3 + i];
  }
  return fmax(all, 0);
}

/* s = g s(g H) + (1 - g^2) s_linear(H); by: its slope by H; blend: by g. */
static int stress_at(const ig_topopt_large *g, const double H[9], double blend, double s[6],
                     double by[54], double of_blend[6]) {
  double curved[6] = {0}, straight[6], slope[54] = {0}, plain[54], v[9];
  for (int i = 0; i < 9; i++)
    v[i] = blend * H[i];
  if (blend > 0) {
    const int fault = ig_solid_stress(&g->law, g->across, v, curved, slope);
    if (fault)
      return fault;
  }
  const int fault = ig_solid_stress(&g->linear, g->across, H, straight, plain);
  if (fault)
    return fault;
  const double rest = 1 - blend * blend;
  for (int n = 0; n < 6; n++) {
    s[n] = blend * curved[n] + rest * straight[n];
    of_blend[n] = curved[n] - 2 * blend * straight[n];
    for (int c = 0; c < 9; c++) {
      of_blend[n] += blend * slope[9 * n + c] * H[c];
      by[9 * n + c] = blend * blend * slope[9 * n + c] + rest * plain[9 * n + c];
    }
  }
  return IG_FAULT_NONE;
}

/* One walk over the elements for both directions; weight NULL: values into `mises`. gradient: of
   the states, on the host; it becomes the slopes by it. */
static ig_status stresses_walk(const ig_topopt_design *s, int q, const ig_topopt_hooke *law,
                               const double *weight, double *gradient, double *mises,
                               double *energy) {
  const ig_topopt_large *g = s->large;
  const ig_topopt_body *b = &g->body;
  const int64_t n = s->d->places;
  const double unit = s->loading->norm[q] / s->loading->stiffness;
  int failed = 0;
#pragma omp parallel for schedule(static) reduction(max                                            \
                                                    : failed)                                      \
    num_threads(ig_team(s->cx, b->elements, IG_WORK_ROW))
  for (int32_t e = 0; e < b->elements; e++) {
    const int64_t at = b->place[e];
    double H[9], stress[6], by[54], of_blend[6], slope[6], along = 0;
    for (int k = 0; k < 9; k++)
      H[k] = unit * gradient[k * n + at];
    const int fault = stress_at(g, H, g->blend[e], stress, by, of_blend);
    if (fault) {
      failed = 1;
      continue;
    }
    const double value = measure(law, stress, slope);
    if (!weight) {
      mises[at] = value / unit;
      continue;
    }
    for (int k = 0; k < 9; k++) {
      double sum = 0;
      for (int i = 0; i < 6; i++)
        sum += slope[i] * by[9 * i + k];
      gradient[k * n + at] = weight[at] * sum;
    }
    for (int i = 0; i < 6; i++)
      along += slope[i] * of_blend[i];
    /* by the modulus: slope has E dg/dE */
    energy[at] -= weight[at] * along / unit * g->slope[e] / g->modulus[e];
  }
  return failed ? IG_FAIL(s->cx, IG_NUMERIC,
                          "large_deflections: an element is inverted, its stress is not known")
                : IG_OK;
}

/* Gradients of the state of load case q at the centres of elements; free *values. */
static ig_status gradients_of(const ig_topopt_design *s, int q, double **values) {
  const ig_topopt_large *g = s->large;
  const size_t n = 9 * (size_t)s->d->places;
  IG_TRY(s->d->gradient(s->d->self, s->u[s->realisations - 1][q].dev, g->load.dev));
  IG_TRY(IG_NEW(s->cx, values, n, "gradients"));
  return s->cx->backend->copy_out(s->cx, *values, g->load.dev, n * sizeof **values);
}

ig_status ig_topopt_large_mises(const ig_topopt_design *s, int q, const ig_topopt_hooke *law,
                                double *mises) {
  const size_t n = (size_t)s->d->places;
  double *gradient = NULL, *values = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, gradients_of(s, q, &gradient));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &values, n, "stresses"));
  IG_TRY_GOTO(status, done, stresses_walk(s, q, law, NULL, gradient, values, NULL));
  status = s->cx->backend->copy_in(s->cx, mises, values, n * sizeof *values);
done:
  free(gradient);
  free(values);
  return status;
}

ig_status ig_topopt_large_mises_back(const ig_topopt_design *s, int q, const ig_topopt_hooke *law,
                                     const double *weight, double *load, double *energy) {
  const ig_topopt_large *g = s->large;
  const size_t n = (size_t)s->d->places;
  double *gradient = NULL, *sums = NULL, *by = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, gradients_of(s, q, &gradient));
  IG_TRY_GOTO(status, done, elements_of(s, energy, &sums));
  IG_TRY_GOTO(status, done, elements_of(s, weight, &by));
  IG_TRY_GOTO(status, done, stresses_walk(s, q, law, by, gradient, NULL, sums));
  IG_TRY_GOTO(status, done,
              s->cx->backend->copy_in(s->cx, g->load.dev, gradient, 9 * n * sizeof *gradient));
  IG_TRY_GOTO(status, done, s->d->gradient_back(s->d->self, g->load.dev, load));
  status = s->cx->backend->copy_in(s->cx, energy, sums, n * sizeof *sums);
done:
  free(gradient);
  free(sums);
  free(by);
  return status;
}

/* --- the objective --- */

static ig_status equilibrium_solve(ig_topopt_design *s, void *user, const double *f, double *u,
                                   ig_solve_report *report) {
  ig_topopt_large *g = s->large;
  const int *of = user;
  (void)f, (void)u, (void)report; /* the state is s->u */
  ig_topopt_large_counts *count = &g->count[of[1]];
  *count = (ig_topopt_large_counts){0};
  g->now = count;
  return equilibrium(s, of[0], of[1]);
}

/* Load cases in turn on ranks that share, as all systems: design/solve_groups.h. */
static ig_status equilibria(ig_topopt_design *s, void *user, ig_evaluation *e) {
  const int r = *(const int *)user;
  ig_solve_report report;
  (void)e;
  for (int q = 0; q < s->loading->cases; q++) {
    int of[] = {r, q};
    IG_TRY(ig_topopt_turn_solve_by(s, equilibrium_solve, of,
                                   ig_topopt_turn_mine(s) ? ig_topopt_load_of(s, q) : NULL,
                                   s->u[r][q].dev, &report));
  }
  return IG_OK;
}

/* What Newton's method took, on all ranks. */
static ig_status counts_add(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  for (int q = 0; q < s->loading->cases; q++) {
    const ig_topopt_large_counts *c = &g->count[q];
    IG_TRY(ig_topopt_systems_hand(s, q, &g->count[q], sizeof g->count[q]));
    g->steps += c->steps;
    g->iterations += c->iterations;
    g->products += c->products;
    g->residual = fmax(g->residual, c->residual);
    g->negative = c->negative > g->negative ? c->negative : g->negative;
  }
  return IG_OK;
}

/* Adjoint states of the objective: one after the other in the same place, or all of them where
   ranks hand them on. */
typedef struct {
  int r;
  const double *scale;
} slopes_of;

static ig_status slopes_add(ig_topopt_design *s, void *user, ig_evaluation *e) {
  const slopes_of *p = user;
  const ig_loading *l = s->loading;
  const bool port = ig_topopt_has_port(s->c);
  const int r = p->r;
  (void)e;
  for (int q = 0; q < l->cases; q++) {
    double *z =
        (double *)s->large->adjoint.dev + (ig_topopt_systems_shared(s) ? q : 0) * s->d->unknowns;
    IG_TRY(ig_topopt_large_adjoint(s, r, q, port ? l->port.dev : ig_topopt_load_of(s, q), z));
    if (ig_topopt_turn_first(s))
      continue;
    IG_TRY(ig_topopt_large_energy(s, r, q, z, p->scale[q], q > 0, s->work.dev));
    IG_TRY(ig_topopt_load_direct(s, r, q, z, p->scale[q], q > 0));
    if (!port)
      IG_TRY(ig_topopt_load_direct(s, r, q, s->u[r][q].dev, p->scale[q], true));
  }
  return IG_OK;
}

/* Every load case with its adjoint. K of the last one is factorized once for both, and stays for
   what is bounded of it. */
ig_status ig_topopt_large_analyse(ig_topopt_design *s, int r, double *objective, ig_evaluation *e) {
  ig_topopt_large *g = s->large;
  const ig_loading *l = s->loading;
  const bool port = ig_topopt_has_port(s->c);
  const double sign = s->c->problem == IG_PROBLEM_MECHANISM ? -1 : 1;
  double fu, value[IG_LOAD_CASES], part[IG_LOAD_CASES], scale[IG_LOAD_CASES], start = ig_now();
  g->factored = -1;
  if (r == 0) {
    g->steps = g->iterations = g->products = g->negative = 0;
    g->residual = 0;
  }
  IG_TRY(moduli_take(s));
  if (g->items)
    IG_TRY(ig_topopt_large_items_moduli(s));
  IG_TRY(g->iterative ? s->d->changed(s->d->self) : IG_OK);
  IG_TRY(ig_topopt_load_prepare(s, r));
  IG_TRY(ig_topopt_turns_take(s, equilibria, &r, e));
  IG_TRY(counts_add(s));
  for (int q = 0; q < l->cases; q++) {
    const double *of = port ? l->port.dev : ig_topopt_load_of(s, q);
    IG_TRY(ig_topopt_dot_states(s->cx, s->d, of, s->u[r][q].dev, &fu));
    value[q] = (port ? sign : 1) * l->weight[q] * l->norm[q] * (port ? l->norm_port : l->norm[q]) /
               l->stiffness * fu;
  }
  e->iterations += (int)g->iterations;
  e->residual = fmax(e->residual, g->residual);
  IG_TRY(ig_topopt_design_charge(s, IG_STAGE_SOLVE, &start));
  *objective = ig_topopt_combine(s->c, l->cases, value, part);
  for (int q = 0; q < l->cases; q++) {
    s->response[q] = l->weight[q] != 0 ? value[q] / l->weight[q] : 0;
    scale[q] = part[q] * l->weight[q] * l->norm[q] * (port ? sign * l->norm_port : l->norm[q]) /
               l->stiffness;
  }
  slopes_of slopes = {r, scale};
  IG_TRY(ig_topopt_turns_take(s, slopes_add, &slopes, e));
  if (l->cases == 0)
    IG_TRY(ig_array_zero(s->cx, &s->work));
  if (!isfinite(*objective))
    return IG_FAIL(s->cx, IG_NUMERIC, "the objective is %g", *objective);
  IG_TRY(ig_topopt_design_stiffen(s, s->work.dev));
  return ig_topopt_design_charge(s, IG_STAGE_SENSITIVITY, &start);
}

/* --- making it --- */

/* What is not supported, by name. */
static ig_status check_case(const ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const ig_topopt_case *c = s->c;
  const ig_src *at = &c->analysis.at;
  const char *no = NULL;
  for (int i = 0; i < c->constraints.count; i++) {
    const ig_limit_case *l = IG_ITEM(ig_limit_case, c->constraints, i);
    no = !isnan(l->frequency)    ? "a bound on a frequency"
         : !isnan(l->buckling)   ? "a bound on buckling"
         : !isnan(l->distortion) ? "a bound on the distortion"
                                 : no;
  }
  no = c->problem == IG_PROBLEM_HEAT           ? "problem: heat"
       : c->problem == IG_PROBLEM_FREQUENCY    ? "problem: frequency"
       : c->minimise == IG_MINIMISE_BUCKLING   ? "minimise: buckling"
       : c->minimise == IG_MINIMISE_DISTORTION ? "minimise: distortion"
       : c->choose_material                    ? "choose_material"
       : c->temperature_change != 0            ? "temperature_change"
       : s->loading->held.dev                  ? "supports that move (displacement)"
       : s->d->hooke.poisson                   ? "materials of different Poisson's ratios"
       : c->surface.analyse > 0                ? "surface: analyse"
                                               : no;
  if (no)
    return ig_fail_at(cx, at, "large_deflections: not with %s: leave one of the two out", no);
  if (cx->backend->kernels == IG_KERNELS_CUDA && c->analysis.linear_solver == IG_LARGE_ITERATIVE)
    return ig_fail_at(cx, at,
                      "analysis: linear_solver: iterative has its matrix on the host: take "
                      "matrix_free, or `backend: cpu`");
  if (!s->d->body)
    return ig_fail_at(cx, at, "large_deflections: not on this body");
  return IG_OK;
}

static ig_status list_unknowns(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  const ig_topopt_body *b = &g->body;
  const int64_t nodes = (int64_t)b->elements * b->corners;
  IG_TRY(IG_NEW(s->cx, &g->unknown, (size_t)nodes * (size_t)b->dim, "unknowns"));
  for (int64_t i = 0; i < nodes * b->dim; i++)
    g->unknown[i] = b->node[i / b->dim] * b->dim + (int32_t)(i % b->dim);
  g->group[0] = (ig_implicit_group){.name = "solid",
                                    .self = s,
                                    .count = b->elements,
                                    .unknowns = b->corners * b->dim,
                                    .unknown = g->unknown,
                                    .evaluate = elements_evaluate,
                                    .accept = group_accept};
  int32_t springs = 0;
  const int32_t all = b->points * b->dim;
  for (int32_t i = 0; b->spring && i < all; i++)
    springs += b->spring[i] > 0;
  if (!springs)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &g->sprung, springs, "springs"));
  IG_TRY(IG_NEW(s->cx, &g->stiffness, springs, "springs"));
  springs = 0;
  for (int32_t i = 0; i < all; i++)
    if (b->spring[i] > 0) {
      g->sprung[springs] = i;
      g->stiffness[springs++] = b->spring[i] * s->loading->stiffness;
    }
  g->group[1] = (ig_implicit_group){.name = "springs",
                                    .self = s,
                                    .count = springs,
                                    .unknowns = 1,
                                    .unknown = g->sprung,
                                    .evaluate = springs_evaluate,
                                    .accept = group_accept};
  return IG_OK;
}

static ig_status close_system(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  const ig_topopt_body *b = &g->body;
  const int32_t all = b->points * b->dim;
  uint8_t *fix;
  IG_TRY(ig_system_new(s->cx, all, &g->system));
  IG_TRY(IG_NEW(s->cx, &fix, s->d->layout.nodes, "supports"));
  ig_status status = s->cx->backend->copy_out(s->cx, fix, s->d->fix, (size_t)s->d->layout.nodes);
  for (int32_t i = 0; status == IG_OK && i < all; i++)
    if (fix[b->at[i / b->dim]] >> i % b->dim & 1)
      status = ig_system_constrain(g->system, i, 0, NULL, NULL, 0, NULL);
  free(fix);
  IG_TRY(status);
  return ig_system_close(g->system, g->stiffness ? 2 : 1, g->group);
}

/* Plane strain is, in a linear design, plane stress of another material (case/materials.c): here it
   is that material itself. */
static void make_laws(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  const ig_discretisation *d = s->d;
  double young = 1, poisson = 0.5 / d->hooke.shear - 1;
  g->across = IG_SOLID_SPACE;
  if (g->body.dim == 2) {
    g->across = s->c->plane == IG_PLANE_STRAIN ? IG_SOLID_PLANE_STRAIN : IG_SOLID_PLANE_STRESS;
    if (g->across == IG_SOLID_PLANE_STRAIN) {
      poisson = poisson / (1 + poisson);
      young = 1 - poisson * poisson;
    }
  }
  g->linear = g->law = ig_solid_isotropic(young, poisson, 0);
  g->law.large = true;
  if (s->c->analysis.law == IG_LARGE_NEO_HOOKEAN)
    g->law.law = IG_LAW_NEOHOOKE;
}

/* With a matrix on the host, or without one where the context's device is. */
static ig_status choose_solver(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  const bool gpu = s->cx->backend->kernels == IG_KERNELS_CUDA;
  static const char *const name[] = {"auto", "direct", "iterative", "matrix_free"};
  int how = s->c->analysis.linear_solver;
  if (how >= IG_LARGE_ITERATIVE && !s->d->linear)
    return ig_fail_at(s->cx, &s->c->analysis.at,
                      "analysis: linear_solver: %s is not there on this body", name[how]);
  if (ig_topopt_large_without_matrix(s->cx, s->c, g->body.dim, g->unknowns) && s->d->linear)
    how = IG_LARGE_MATRIX_FREE;
  g->iterative = how >= IG_LARGE_ITERATIVE;
  if (how == IG_LARGE_MATRIX_FREE)
    return ig_topopt_large_items_new(s);
  IG_TRY(list_unknowns(s));
  IG_TRY(close_system(s));
  if (how == IG_LARGE_AUTO)
    g->iterative = g->unknowns > ig_topopt_large_direct(g->body.dim) && s->d->linear;
  if (gpu)
    ig_info(s->cx, "large_deflections: forces, tangents and their factors are computed on the "
                   "host, which is best for small bodies (linear_solver: direct)");
  return IG_OK;
}

ig_status ig_topopt_large_new(ig_topopt_design *s) {
  ig_topopt_large *g;
  const size_t n = (size_t)s->d->places, nu = (size_t)s->d->unknowns;
  if (!ig_topopt_large_asked(s->c))
    return IG_OK;
  IG_TRY(check_case(s));
  IG_TRY(IG_NEW(s->cx, &g, 1, "large deflections"));
  s->large = g;
  g->factored = -1;
  IG_TRY(s->d->body(s->d->self, &g->body));
  make_laws(s);
  g->unknowns = g->body.points * g->body.dim;
  IG_TRY(choose_solver(s));
  if (g->iterative) {
    IG_TRY(ig_pcg_init(s->cx, &g->pcg, (int64_t)nu));
    IG_TRY(ig_array_new_device(s->cx, &g->right, nu, sizeof(double), "right side"));
    IG_TRY(ig_array_new_device(s->cx, &g->left, nu, sizeof(double), "solution"));
    IG_TRY(ig_array_zero(s->cx, &g->right));
    IG_TRY(ig_array_zero(s->cx, &g->left));
  }
  const size_t elements = (size_t)g->body.elements, all = (size_t)g->unknowns;
  double **const per_element[] = {&g->modulus, &g->blend, &g->slope},
                 **const vector[] = {&g->u, &g->f};
  for (int i = 0; i < 3; i++)
    IG_TRY(IG_NEW(s->cx, per_element[i], elements + 1, "large deflections"));
  for (int i = 0; i < 2; i++)
    IG_TRY(IG_NEW(s->cx, vector[i], all + 1, "large deflections"));
  IG_TRY(IG_NEW(s->cx, &g->values, nu, "large deflections"));
  const size_t states = ig_topopt_systems_shared(s) ? (size_t)s->loading->cases : 1;
  IG_TRY(ig_array_new_device(s->cx, &g->adjoint, states * nu, sizeof(double), "adjoint state"));
  IG_TRY(ig_array_new_device(s->cx, &g->load, 9 * n, sizeof(double), "gradients"));
  IG_TRY(ig_array_zero(s->cx, &g->load));
  if (!s->spare.dev) {
    IG_TRY(ig_array_new_device(s->cx, &s->spare, n, sizeof(double), "slopes"));
    IG_TRY(ig_array_zero(s->cx, &s->spare));
  }
  return IG_OK;
}

void ig_topopt_large_free(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  if (!g)
    return;
  ig_topopt_large_items_free(s);
  ig_direct_free(g->direct);
  ig_system_free(g->system);
  ig_topopt_body_free(&g->body);
  void *const arrays[] = {g->unknown, g->sprung, g->stiffness, g->modulus, g->blend,
                          g->slope,   g->u,      g->f,         g->values};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
  ig_pcg_free(s->cx, &g->pcg);
  ig_array *const device[] = {&g->right, &g->left, &g->adjoint, &g->load};
  for (size_t i = 0; i < sizeof device / sizeof *device; i++)
    ig_array_free(s->cx, device[i]);
  free(g);
  s->large = NULL;
}
