/* Large deflections without a matrix: see large_items.h. */
#include "topopt/design/large_items.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "kern/prec_f64.h"
#include "solver/krylov/cg.h"
#include "solver/krylov/energy.h"
#include "topopt/design/load.h"
#include "topopt/kernels/large.inc"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Iterations of a step, at most. */
enum { MOST = 24 };

/* --- the tangent --- */

typedef struct {
  ig_topopt_design *s;
  ig_linear base;
} tangent;

ig_status ig_topopt_large_items_product(ig_topopt_design *s, const double *u, const double *v,
                                        double *y) {
  ig_topopt_large_items *t = s->large->items;
  IG_TRY(t->ops->product(s->cx, &t->body, u, v, t->slot.dev));
  return t->ops->gather(s->cx, &t->body, t->slot.dev, v, 0, NULL, 1, y, NULL);
}

static ig_status tangent_apply(void *self, const double *x, double *y, ig_cg_state *state) {
  const tangent *t = self;
  IG_TRY(ig_topopt_large_items_product(t->s, t->s->large->items->now.dev, x, y));
  return state ? ig_pcg_energy(t->s->cx, t->base.grid, t->base.n, x, y, state) : IG_OK;
}

static ig_status tangent_precondition(void *self, const float *r, const float **z) {
  const tangent *t = self;
  return t->base.precondition(t->base.self, r, z);
}

static ig_status mix(const ig_topopt_design *s, double p, const double *a, double q,
                     const double *b, double *out) {
  return ig_topopt_design_ops_of(s->cx)->mix(s->cx, s->d->unknowns, p, a, q, b, out);
}

/* K d = b at items->now, whose `size` is |b|: of unit size, since the preconditioner is in single
   precision. b and d may be the same. */
static ig_status solve(ig_topopt_design *s, const double *b, double size, double tolerance,
                       double *d, ig_solve_report *report) {
  ig_topopt_large *g = s->large;
  tangent t = {.s = s, .base = s->d->linear(s->d->self)};
  ig_linear a = t.base;
  a.self = &t;
  a.apply = tangent_apply;
  a.precondition = tangent_precondition;
  a.flexible = true;
  *report = (ig_solve_report){0, 0, IG_SOLVE_CONVERGED};
  if (!(size > 0))
    return mix(s, 0, b, 0, b, d);
  IG_TRY(mix(s, 1 / size, b, 0, b, g->right.dev));
  IG_TRY(ig_topopt_large_pcg(s, &a, tolerance, report));
  return mix(s, size, g->left.dev, 0, g->left.dev, d);
}

/* --- Newton's method --- */

/* What is known of a state: sums of squares of the residual and of what it is made of. */
typedef struct {
  double rest, size;
  bool fine;
} look;

/* Residual at u under a share of the load, into items->rest. */
static ig_status residual(const ig_topopt_design *s, int q, double factor, const double *u,
                          look *at) {
  ig_topopt_large_items *t = s->large->items;
  const double by = factor * s->loading->norm[q] / s->loading->stiffness;
  int32_t fault = INT32_MAX;
  IG_TRY(s->cx->backend->copy_in(s->cx, t->fault.dev, &fault, sizeof fault));
  IG_TRY(t->ops->force(s->cx, &t->body, u, t->slot.dev, t->fault.dev));
  IG_TRY(t->ops->gather(s->cx, &t->body, t->slot.dev, u, by, ig_topopt_load_of(s, q), -1,
                        t->rest.dev, t->size.dev));
  IG_TRY(s->cx->backend->copy_out(s->cx, &fault, t->fault.dev, sizeof fault));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, t->rest.dev, t->rest.dev, &at->rest));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, t->size.dev, t->size.dev, &at->size));
  at->fine = fault == INT32_MAX && isfinite(at->rest);
  if (fault != INT32_MAX) {
    char name[96];
    ig_topopt_large_name(s, s->large->body.node[(int64_t)fault * s->large->body.corners], name,
                         sizeof name);
    snprintf(t->why, sizeof t->why, "the element at %s is inverted", name);
  } else if (!at->fine) {
    snprintf(t->why, sizeof t->why, "forces are not finite");
  }
  return IG_OK;
}

/* Goes from items->now along items->step until the work of the residual on it has fallen: g0 at
   the start, positive. items->trial is where that is. */
static ig_status search(ig_topopt_design *s, int q, double factor, double g0, double *length,
                        look *at) {
  ig_topopt_large_items *t = s->large->items;
  double low = 0, g_low = g0, high = -1, g_high = 0;
  bool last = false;
  *length = 1;
  for (int trial = 0;; trial++) {
    double g;
    IG_TRY(mix(s, 1, t->now.dev, *length, t->step.dev, t->trial.dev));
    IG_TRY(residual(s, q, factor, t->trial.dev, at));
    if (!at->fine && trial < 4 && !last) { /* an element is inverted: shorter */
      high = -1;
      *length *= 0.25;
      continue;
    }
    if (!at->fine || last || trial >= 5)
      return IG_OK;
    IG_TRY(ig_topopt_dot_states(s->cx, s->d, t->step.dev, t->rest.dev, &g));
    if (!(fabs(g) > 0.8 * fabs(g0)))
      return IG_OK;
    if (g * g0 > 0) {
      low = *length;
      g_low = g;
    } else {
      high = *length;
      g_high = g;
    }
    if (high < 0) {
      if (*length >= 1) /* still falling: the full step is taken */
        return IG_OK;
      *length = fmin(1, 2 * *length);
      continue;
    }
    const double next = low + (high - low) * g_low / (g_low - g_high);
    last = !(next >= 0.1) || fabs(next - *length) < 1e-3;
    *length = last ? fmax(0.1, fmin(next, 1)) : next;
  }
}

/* Iterations under a given share of the load, from items->from; items->now is what they come to. */
static ig_status step_load(ig_topopt_design *s, int q, double factor, int *took, bool *fine) {
  ig_topopt_large *g = s->large;
  ig_topopt_large_items *t = g->items;
  double before = INFINITY, first = 0;
  int rising = 0;
  look at;
  *fine = false;
  IG_TRY(mix(s, 1, t->from.dev, 0, t->from.dev, t->now.dev));
  IG_TRY(residual(s, q, factor, t->now.dev, &at));
  for (*took = 1; at.fine && *took <= MOST; (*took)++) {
    ig_solve_report report;
    double g0, length, correction, moved;
    if (s->cx->interrupted)
      return IG_FAIL(s->cx, IG_INTERRUPTED, "interrupted in Newton's method");
    IG_TRY(solve(s, t->rest.dev, sqrt(at.rest), 1e-6, t->step.dev, &report));
    if (report.end == IG_SOLVE_INDEFINITE || !(report.residual < 0.1)) {
      snprintf(t->why, sizeof t->why,
               "conjugate gradients find no correction: the body may not be stable there");
      return IG_OK;
    }
    IG_TRY(ig_topopt_dot_states(s->cx, s->d, t->step.dev, t->rest.dev, &g0));
    IG_TRY(search(s, q, factor, g0, &length, &at));
    g->now->iterations++;
    g->now->products += report.iterations;
    if (!at.fine)
      return IG_OK;
    IG_TRY(mix(s, 1, t->trial.dev, 0, t->trial.dev, t->now.dev));
    IG_TRY(ig_topopt_most_states(s->cx, s->d, t->step.dev, &correction));
    IG_TRY(mix(s, 1, t->now.dev, -1, t->from.dev, t->trial.dev));
    IG_TRY(ig_topopt_most_states(s->cx, s->d, t->trial.dev, &moved));
    const double left = at.size > 0 ? sqrt(at.rest / at.size) : 0;
    correction *= length;
    if ((left <= 1e-10 && correction <= 1e-8 * moved) || left <= 1e-15 ||
        (*took >= 2 && correction <= 16 * DBL_EPSILON * t->reach)) {
      g->now->residual = fmax(g->now->residual, left <= 1e-10 ? left : 0);
      *fine = true;
      return IG_OK;
    }
    snprintf(t->why, sizeof t->why, "after %d iterations the residual is %.2g of the forces", *took,
             left);
    first = *took == 1 ? left : first;
    rising = left > before ? rising + 1 : 0;
    if (rising >= 3 || left > 1e3 * first || (*took >= 8 && left >= before))
      return IG_OK;
    before = left;
  }
  return IG_OK;
}

ig_status ig_topopt_large_items_equilibrium(ig_topopt_design *s, int r, int q) {
  ig_topopt_large *g = s->large;
  ig_topopt_large_items *t = g->items;
  const double most = 1.0 / (double)s->c->analysis.load_steps;
  double factor = 0, ds = most;
  int64_t steps = 0;
  int easy = 0;
  IG_TRY(ig_array_zero(s->cx, &t->from));
  while (factor < 1) {
    const double next = factor + ds > 1 - 1e-9 ? 1 : factor + ds;
    int took = 0;
    bool fine;
    IG_TRY(step_load(s, q, next, &took, &fine));
    if (!fine) {
      ds = 0.25 * (next - factor);
      easy = 0;
      if (ds < 1e-4 * most)
        return ig_topopt_large_lost(s, q, factor, steps, t->why);
      continue;
    }
    IG_TRY(mix(s, 1, t->now.dev, 0, t->now.dev, t->from.dev));
    factor = next;
    steps++;
    easy = took <= 6 ? easy + 1 : 0;
    ds = easy >= 2 ? fmin(1.5 * ds, most) : ds;
  }
  g->now->steps += steps;
  g->factored = -1;
  return mix(s, s->loading->stiffness / s->loading->norm[q], t->now.dev, 0, t->now.dev,
             s->u[r][q].dev);
}

/* --- adjoints, slopes, forces --- */

/* items->now = displacements of load case q in m. */
static ig_status state_take(const ig_topopt_design *s, int r, int q) {
  const double unit = s->loading->norm[q] / s->loading->stiffness;
  return mix(s, unit, s->u[r][q].dev, 0, s->u[r][q].dev, s->large->items->now.dev);
}

/* What acts on supports or where no element is has no part in it: as `gather` leaves it. */
ig_status ig_topopt_large_items_adjoint(ig_topopt_design *s, int r, int q, const double *l,
                                        double *z, ig_solve_report *report) {
  ig_topopt_large_items *t = s->large->items;
  double square;
  IG_TRY(state_take(s, r, q));
  IG_TRY(ig_array_zero(s->cx, &t->slot));
  IG_TRY(ig_array_zero(s->cx, &t->trial));
  IG_TRY(t->ops->gather(s->cx, &t->body, t->slot.dev, t->trial.dev, 1, l, 1, t->step.dev, NULL));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, t->step.dev, t->step.dev, &square));
  return solve(s, t->step.dev, sqrt(square), 1e-10, z, report);
}

ig_status ig_topopt_large_items_energy(ig_topopt_design *s, int r, int q, const double *z,
                                       double scale, bool add, double *out) {
  ig_topopt_large_items *t = s->large->items;
  const double unit = s->loading->norm[q] / s->loading->stiffness;
  IG_TRY(state_take(s, r, q));
  if (!add)
    IG_TRY(s->cx->backend->fill(s->cx, out, 0, (size_t)s->d->places * sizeof *out));
  return t->ops->energy(s->cx, &t->body, t->now.dev, z, scale / unit, out);
}

ig_status ig_topopt_large_items_forces(const ig_topopt_design *s, int q, double *forces) {
  ig_topopt_large_items *t = s->large->items;
  const double unit = s->loading->norm[q] / s->loading->stiffness;
  look at;
  IG_TRY(state_take(s, s->realisations - 1, q));
  IG_TRY(residual(s, q, 0, t->now.dev, &at)); /* without loads: minus what elements bear */
  return mix(s, -1 / unit, t->rest.dev, 0, t->rest.dev, forces);
}

/* --- making it --- */

ig_status ig_topopt_large_items_moduli(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  ig_topopt_large_items *t = g->items;
  const struct {
    ig_array *to;
    const double *from;
  } of[] = {{&t->modulus, g->modulus}, {&t->blend, g->blend}, {&t->slope, g->slope}};
  for (int i = 0; i < 3; i++)
    IG_TRY(s->cx->backend->copy_in(s->cx, of[i].to->dev, of[i].from,
                                   (size_t)g->body.elements * sizeof(double)));
  return IG_OK;
}

/* Slopes of the shape functions of element 0 at its points, if all elements are like it: as a
   grid's are but for rounding. */
static ig_status compare(ig_topopt_design *s, int shape, bool *same, double table[200]) {
  const ig_topopt_body *b = &s->large->body;
  const int n = b->corners * b->dim;
  double X[30], d[30];
  *same = b->corners <= 8;
  for (int k = 0; k < n && *same; k++)
    X[k] = b->x[(int64_t)b->node[k / b->dim] * b->dim + k % b->dim];
  for (int64_t e = 1; e < b->elements && *same; e++) {
    const int32_t *node = b->node + e * b->corners;
    for (int k = b->dim; k < n; k++) {
      const double side = b->x[(int64_t)node[k / b->dim] * b->dim + k % b->dim] -
                          b->x[(int64_t)node[0] * b->dim + k % b->dim];
      *same &= fabs(side - (X[k] - X[k % b->dim])) <= 8 * DBL_EPSILON * s->large->items->reach;
    }
  }
  for (int q = 0; *same && q < ig_large_points(shape); q++) {
    double *to = table + q * (1 + n);
    const double w = ig_large_natural(shape, q, d);
    to[0] = w * ig_large_rates(b->dim, b->corners, X, d, to + 1);
  }
  return IG_OK;
}

/* Nodes by corners; which slots each point adds up, in the order of elements. */
static ig_status lists_make(ig_topopt_design *s) {
  const ig_topopt_body *b = &s->large->body;
  ig_topopt_large_items *t = s->large->items;
  const size_t n = (size_t)b->elements, points = (size_t)b->points, all = n * (size_t)b->corners;
  IG_TRY(ig_array_new(s->cx, &t->node, all + 1, sizeof(int32_t), "nodes of elements"));
  IG_TRY(ig_array_new(s->cx, &t->item, all + 1, sizeof(int32_t), "elements of nodes"));
  IG_TRY(ig_array_new(s->cx, &t->first, points + 2, sizeof(int32_t), "elements of nodes"));
  IG_TRY(ig_array_new(s->cx, &t->at, points + 1, sizeof(int32_t), "nodes"));
  IG_TRY(ig_array_from(s->cx, &t->place, b->place, n, sizeof *b->place, "elements"));
  int32_t *node = t->node.host, *item = t->item.host, *first = t->first.host, *at = t->at.host;
  for (size_t p = 0; p < points; p++)
    at[p] = (int32_t)b->at[p];
  for (size_t i = 0; i < all; i++)
    first[b->node[i] + 2]++;
  for (size_t p = 0; p < points; p++)
    first[p + 2] += first[p + 1];
  for (size_t e = 0; e < n; e++)
    for (size_t a = 0; a < (size_t)b->corners; a++) {
      const int32_t point = b->node[e * (size_t)b->corners + a];
      node[a * n + e] = at[point];
      item[first[point + 1]++] = (int32_t)(a * n + e);
    }
  ig_array *const lists[] = {&t->node, &t->item, &t->first, &t->at};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    IG_TRY(ig_array_push(s->cx, lists[i]));
  return IG_OK;
}

/* Shapes: a table where all elements are alike, else positions by places. */
static ig_status shapes_make(ig_topopt_design *s, int shape) {
  const ig_topopt_body *b = &s->large->body;
  ig_topopt_large_items *t = s->large->items;
  double table[200];
  bool same;
  IG_TRY(compare(s, shape, &same, table));
  if (same)
    return ig_array_from(s->cx, &t->alike, table,
                         (size_t)ig_large_points(shape) * (size_t)(1 + b->dim * b->corners),
                         sizeof *table, "shape of elements");
  IG_TRY(ig_array_new(s->cx, &t->x, (size_t)s->d->layout.nodes * (size_t)b->dim, sizeof(double),
                      "positions"));
  for (int64_t i = 0; i < (int64_t)b->points * b->dim; i++)
    ((double *)t->x.host)[b->at[i / b->dim] * b->dim + i % b->dim] = b->x[i];
  return ig_array_push(s->cx, &t->x);
}

static ig_status vectors_make(ig_topopt_design *s) {
  const ig_topopt_body *b = &s->large->body;
  ig_topopt_large_items *t = s->large->items;
  const size_t n = (size_t)b->elements, nu = (size_t)s->d->unknowns;
  ig_array *const states[] = {&t->from, &t->now, &t->trial, &t->rest, &t->size, &t->step},
                  *const elements[] = {&t->modulus, &t->blend, &t->slope};
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    IG_TRY(ig_array_new_device(s->cx, states[i], nu, sizeof(double), "states"));
    IG_TRY(ig_array_zero(s->cx, states[i])); /* halos stay so */
  }
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    IG_TRY(ig_array_new_device(s->cx, elements[i], n, sizeof(double), "moduli"));
  IG_TRY(ig_array_new_device(s->cx, &t->slot, n * (size_t)(b->corners * b->dim), sizeof(double),
                             "forces of elements"));
  IG_TRY(ig_array_new_device(s->cx, &t->fault, 1, sizeof(int32_t), "faults"));
  if (b->spring)
    IG_TRY(ig_array_from(s->cx, &t->spring, b->spring, (size_t)b->points * (size_t)b->dim,
                         sizeof *b->spring, "springs"));
  return IG_OK;
}

static ig_topopt_large_law law_of(const ig_topopt_design *s) {
  const ig_topopt_large *g = s->large;
  const double shear = g->law.young * hooke_shear_f64(g->law.poisson),
               lame = g->law.young * hooke_lame_f64(g->law.poisson);
  const bool stress = g->across == IG_SOLID_PLANE_STRESS;
  return (ig_topopt_large_law){.neo = s->c->analysis.law == IG_LARGE_NEO_HOOKEAN,
                               .stress = stress,
                               .lame = lame,
                               .plane = stress ? 2 * shear * lame / (lame + 2 * shear) : lame,
                               .shear = shear};
}

ig_status ig_topopt_large_items_new(ig_topopt_design *s) {
  ig_topopt_large *g = s->large;
  const ig_topopt_body *b = &g->body;
  ig_topopt_large_items *t;
  const int shape = b->dim == 2                 ? IG_LARGE_QUAD4
                    : b->kind == IG_SOLID_TET4  ? IG_LARGE_TET4
                    : b->kind == IG_SOLID_TET10 ? IG_LARGE_TET10
                                                : IG_LARGE_HEX8;
  if ((double)b->elements * b->corners >= INT32_MAX || s->d->layout.nodes >= INT32_MAX)
    return ig_fail_at(s->cx, &s->c->analysis.at,
                      "large_deflections: too many elements for linear_solver: matrix_free: at "
                      "most %d with %d nodes each",
                      INT32_MAX / b->corners, b->corners);
  IG_TRY(IG_NEW(s->cx, &t, 1, "large deflections"));
  g->items = t;
  t->ops = ig_topopt_large_ops_of(s->cx);
  for (int64_t i = 0; i < (int64_t)b->points * b->dim; i++)
    t->reach = fmax(t->reach, fabs(b->x[i]));
  IG_TRY(lists_make(s));
  IG_TRY(shapes_make(s, shape));
  IG_TRY(vectors_make(s));
  t->body = (ig_topopt_large_body){.law = law_of(s),
                                   .shape = shape,
                                   .dim = b->dim,
                                   .corners = b->corners,
                                   .elements = b->elements,
                                   .points = b->points,
                                   .step = s->d->layout.step,
                                   .stride = s->d->layout.stride,
                                   .node = t->node.dev,
                                   .x = t->x.dev,
                                   .alike = t->alike.dev,
                                   .place = t->place.dev,
                                   .at = t->at.dev,
                                   .first = t->first.dev,
                                   .item = t->item.dev,
                                   .spring = t->spring.dev,
                                   .fix = s->d->fix,
                                   .modulus = t->modulus.dev,
                                   .blend = t->blend.dev,
                                   .slope = t->slope.dev};
  return IG_OK;
}

void ig_topopt_large_items_free(ig_topopt_design *s) {
  ig_topopt_large_items *t = s->large->items;
  if (!t)
    return;
  ig_array *const arrays[] = {&t->node,  &t->x,    &t->alike,  &t->place,   &t->at,
                              &t->first, &t->item, &t->spring, &t->modulus, &t->blend,
                              &t->slope, &t->slot, &t->fault,  &t->from,    &t->now,
                              &t->trial, &t->rest, &t->size,   &t->step};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  free(t);
  s->large->items = NULL;
}

bool ig_topopt_large_without_matrix(const ig_ctx *cx, const ig_topopt_case *c, int dim,
                                    double unknowns) {
  const int how = c->analysis.linear_solver;
  return c->analysis.large_deflections &&
         (how == IG_LARGE_MATRIX_FREE ||
          (how == IG_LARGE_AUTO && cx->backend->kernels == IG_KERNELS_CUDA &&
           unknowns > ig_topopt_large_direct(dim)));
}

/* Slots, moduli, lists; states and what conjugate gradients take. */
double ig_topopt_large_items_bytes(double n, double nu, int dim, int corners) {
  return n * (8 * corners * dim + 32 + 8 * corners) + nu * (8 * 8 + 28 + 8.0 / dim);
}
