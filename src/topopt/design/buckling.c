/* Linear buckling (buckling.h): modes, and slopes by the adjoint method.

   The largest eigenvalues mu of -G phi = mu K phi, K positive definite, G of either sign, are found
   in subspaces spanned by the modes x, what K^-1 G makes of them less mu x, and the last directions
   (locally optimal block conjugate gradients, Knyazev 2001): negative eigenvalues, as frequent as
   positive ones in bending, do not disturb it as they do subspace iteration. */
#include "topopt/design/buckling.h"
#include "topopt/design/load.h"
#include "topopt/design/ritz.h"
#include "topopt/design/solve_groups.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* STUCK: rounds without half the residual: rounding allows no more. */
enum { ROUNDS = 100, STUCK = 30, MOST = IG_BUCKLINGS_BLOCK };

bool ig_topopt_buckling_asked(const ig_topopt_case *c) {
  bool asked = c->minimise == IG_MINIMISE_BUCKLING;
  for (int i = 0; i < c->constraints.count; i++)
    asked = asked || !isnan(IG_ITEM(ig_limit_case, c->constraints, i)->buckling);
  return asked;
}

double ig_topopt_buckling_bytes(const ig_topopt_case *c, double n, double nu, int cases) {
  if (!ig_topopt_buckling_asked(c))
    return 0;
  const double block = (double)c->buckling.modes + 4;
  return 8 * (nu * (block * (3 + cases) + 4 + cases) + 23 * n);
}

/* From the unit of mu of load case q to one over a factor of the loads. */
static double unit_of(const ig_topopt_design *s, int q) {
  return s->loading->norm[q] / s->loading->stiffness;
}

double ig_topopt_buckling_factor(const ig_topopt_design *s, int q, int i) {
  const double mu = s->buckling->mu[q][i];
  return mu > 0 ? 1 / (mu * unit_of(s, q)) : INFINITY;
}

/* Load cases a slot looks at. */
static void cases_of(const ig_topopt_design *s, int i, int *begin, int *end) {
  const ig_limit_case *limit = i < IG_LIMITS ? ig_topopt_limit_case(s, i) : NULL;
  *begin = limit && limit->load_case > 0 ? (int)limit->load_case - 1 : 0;
  *end = limit && limit->load_case > 0 ? *begin + 1 : s->loading->cases;
}

double ig_topopt_buckling_least(const ig_topopt_design *s, int slot) {
  double least = INFINITY;
  int begin, end;
  cases_of(s, slot, &begin, &end);
  for (int q = begin; q < end; q++)
    least = fmin(least, ig_topopt_buckling_factor(s, q, 0));
  return least;
}

/* --- products with G --- */

/* The solid's stresses under load case q. */
static ig_status stresses(ig_topopt_design *s, int r, int q) {
  ig_topopt_buckling *b = s->buckling;
  IG_TRY(s->d->strain(s->d->self, s->u[r][q].dev, b->stress.dev));
  return b->ops->mises(s->cx, s->d->places, s->d->role, &s->d->hooke, b->stress.dev, b->direct.dev);
}

/* The factor of an element's stresses in G, or its slope by the density: s, volume, material. */
static ig_status weights(ig_topopt_design *s, int r, double penalty, bool slope, double *to) {
  const int64_t n = s->d->places;
  IG_TRY(s->buckling->ops->modulus(s->cx, n, s->d->role, penalty, s->c->mass_threshold, slope,
                                   s->density[r].dev, to));
  IG_TRY(s->ops->mix(s->cx, n, s->d->volume, to, 0, to, to));
  if (s->d->share)
    IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, to, s->d->share, NULL, to));
  return ig_topopt_design_stiffen(s, to);
}

/* y = -G x for the stresses and weights in place. */
static ig_status image(ig_topopt_design *s, const double *x, double *y) {
  ig_topopt_buckling *b = s->buckling;
  IG_TRY(s->d->gradient(s->d->self, x, b->gradient.dev));
  IG_TRY(b->ops->geometric(s->cx, s->d->places, s->d->role, b->weight.dev, b->stress.dev,
                           b->gradient.dev));
  return s->d->gradient_back(s->d->self, b->gradient.dev, y);
}

/* --- modes of one load case --- */

typedef struct {
  int q;
  double enough, residual[MOST];
} search;

/* rest_j = K^-1 (-G) x_j - mu_j x_j, by ranks in turn. */
static ig_status directions(ig_topopt_design *s, void *user, ig_evaluation *e) {
  const search *now = user;
  ig_topopt_buckling *b = s->buckling;
  const int64_t nu = s->d->unknowns;
  const double keep = s->tolerance;
  ig_status status = IG_OK;
  for (int j = 0; j < b->block && status == IG_OK; j++) {
    double *x = b->x[now->q][j].dev, *to = b->rest[j].dev;
    const bool mine = ig_topopt_turn_mine(s);
    if (mine && !s->turns.handed) {
      IG_TRY(image(s, x, b->gx.dev));
      IG_TRY(s->ops->mix(s->cx, nu, b->mu[now->q][j], x, 0, x, to)); /* the first guess */
    }
    s->tolerance = fmin(0.01, 0.03 * fmax(now->residual[j], now->enough));
    status = ig_topopt_turn_solve(s, mine ? b->gx.dev : NULL, to, e);
    if (status == IG_OK && !ig_topopt_turn_first(s))
      status = s->ops->mix(s->cx, nu, 1, to, -b->mu[now->q][j], x, to);
  }
  s->tolerance = keep;
  return status;
}

/* Basis vector k: modes, what is left of their images, the last directions. */
static double *basis(const ig_topopt_buckling *b, int q, int k) {
  const int j = k % b->block;
  return k < b->block ? b->x[q][j].dev : k < 2 * b->block ? b->rest[j].dev : b->last[j].dev;
}

/* K and -G in the basis; those of its vectors that do not depend on the others before them. */
typedef struct {
  int all, count, of[IG_RITZ_MOST];
  ig_ritz k, g;
} small;

static ig_status reduce(ig_topopt_design *s, int q, small *m) {
  ig_topopt_buckling *b = s->buckling;
  for (int j = 0; j < m->all; j++) {
    const double *v = basis(b, q, j);
    IG_TRY(s->d->apply(s->d->self, v, b->kx.dev));
    IG_TRY(image(s, v, b->gx.dev));
    for (int i = 0; i <= j; i++) {
      IG_TRY(ig_topopt_dot_states(s->cx, s->d, basis(b, q, i), b->kx.dev, &m->k[i][j]));
      IG_TRY(ig_topopt_dot_states(s->cx, s->d, basis(b, q, i), b->gx.dev, &m->g[i][j]));
      m->k[j][i] = m->k[i][j];
      m->g[j][i] = m->g[i][j];
    }
  }
  return IG_OK;
}

/* Cholesky's factor of K with unit diagonal, row by row; a vector whose pivot is small is left out.
   Then k and g are those of the vectors that stay. */
static void choose(small *m) {
  ig_ritz l, k, g;
  m->count = 0;
  for (int j = 0; j < m->all; j++) {
    double *row = l[m->count], pivot = 1;
    const double size = m->k[j][j] > 0 ? sqrt(m->k[j][j]) : 0;
    for (int i = 0; i < m->count && size > 0; i++) {
      const int o = m->of[i];
      double sum = m->k[o][j] / (sqrt(m->k[o][o]) * size);
      for (int c = 0; c < i; c++)
        sum -= row[c] * l[i][c];
      row[i] = sum / l[i][i];
      pivot -= row[i] * row[i];
    }
    if (!(size > 0) || !(pivot > 1e-10))
      continue;
    row[m->count] = sqrt(pivot);
    m->of[m->count++] = j;
  }
  for (int i = 0; i < m->count; i++)
    for (int j = 0; j < m->count; j++) {
      k[i][j] = m->k[m->of[i]][m->of[j]];
      g[i][j] = -m->g[m->of[i]][m->of[j]]; /* largest mu first */
    }
  memcpy(m->k, k, sizeof k);
  memcpy(m->g, g, sizeof g);
}

/* out = sum of v[i][j] times the basis vectors from `from` to `to`, or zero. */
static ig_status combine(ig_topopt_design *s, int q, const small *m, ig_ritz v, int j, int from,
                         int to, double *out) {
  const int64_t nu = s->d->unknowns;
  bool any = false;
  for (int i = 0; i < m->count; i++)
    if (m->of[i] >= from && m->of[i] < to) {
      const double *x = basis(s->buckling, q, m->of[i]);
      IG_TRY(s->ops->mix(s->cx, nu, v[i][j], x, any ? 1 : 0, any ? out : x, out));
      any = true;
    }
  return any ? IG_OK : s->cx->backend->fill(s->cx, out, 0, (size_t)nu * sizeof *out);
}

static void exchange(ig_array *a, ig_array *b) {
  const ig_array keep = *a;
  *a = *b;
  *b = keep;
}

/* The best modes in the subspace of so many basis vectors. */
static ig_status project(ig_topopt_design *s, int q, int all) {
  ig_topopt_buckling *b = s->buckling;
  ig_ritz *v = NULL;
  small *m = NULL;
  double mu[IG_RITZ_MOST];
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &v, 1, "modes"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &m, 1, "modes"));
  m->all = all;
  IG_TRY_GOTO(status, done, reduce(s, q, m));
  choose(m);
  if (m->count < b->block || !ig_topopt_ritz(m->count, m->g, m->k, mu, *v)) {
    status = IG_FAIL(s->cx, IG_NUMERIC,
                     "buckling: the design has fewer than %d modes: ask for fewer in "
                     "buckling.modes, or use a finer grid",
                     b->block);
    goto done;
  }
  for (int j = 0; j < b->block; j++) { /* the directions, then the modes */
    b->mu[q][j] = -mu[j];
    IG_TRY_GOTO(status, done, combine(s, q, m, *v, j, b->block, all, b->room[j].dev));
  }
  for (int j = 0; j < b->block; j++)
    exchange(&b->last[j], &b->room[j]);
  for (int j = 0; j < b->block; j++) {
    double *x = b->room[j].dev;
    IG_TRY_GOTO(status, done, combine(s, q, m, *v, j, 0, b->block, x));
    IG_TRY_GOTO(status, done, s->ops->mix(s->cx, s->d->unknowns, 1, x, 1, b->last[j].dev, x));
  }
  for (int j = 0; j < b->block; j++)
    exchange(&b->x[q][j], &b->room[j]);
done:
  free(v);
  free(m);
  return status;
}

/* |-G x - mu K x| over |mu_1 K x|: what a mode far below the first has left counts little, as the
   norm does not see it. */
static ig_status residual_of(ig_topopt_design *s, int q, int j, double *residual) {
  ig_topopt_buckling *b = s->buckling;
  double rr, ff;
  IG_TRY(s->d->apply(s->d->self, b->x[q][j].dev, b->kx.dev));
  IG_TRY(image(s, b->x[q][j].dev, b->gx.dev));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, b->kx.dev, b->kx.dev, &ff));
  IG_TRY(s->ops->mix(s->cx, s->d->unknowns, 1, b->gx.dev, -b->mu[q][j], b->kx.dev, b->gx.dev));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, b->gx.dev, b->gx.dev, &rr));
  *residual = sqrt(rr) / (fabs(b->mu[q][0]) * sqrt(ff));
  return isfinite(*residual)
             ? IG_OK
             : IG_FAIL(s->cx, IG_NUMERIC, "buckling: there are no stresses that a mode would feel");
}

/* Smooth states to begin with, zero where held: K^-1 of any. */
static ig_status begin(ig_topopt_design *s, void *user, ig_evaluation *e) {
  const search *now = user;
  ig_topopt_buckling *b = s->buckling;
  const double keep = s->tolerance;
  ig_status status = IG_OK;
  s->tolerance = 0.1;
  for (int j = 0; j < b->block && status == IG_OK; j++) {
    const bool mine = ig_topopt_turn_mine(s);
    if (mine && !s->turns.handed) {
      IG_TRY(ig_topopt_state_scatter(s, j, &b->room[j]));
      IG_TRY(s->ops->node_scale(s->cx, &s->d->layout, s->d->fix, b->ones.dev, b->room[j].dev,
                                b->gx.dev));
    }
    status = ig_topopt_turn_solve(s, mine ? b->gx.dev : NULL, b->x[now->q][j].dev, e);
  }
  s->tolerance = keep;
  return status;
}

static ig_status modes_of(ig_topopt_design *s, int r, int q, ig_evaluation *e) {
  ig_topopt_buckling *b = s->buckling;
  search now = {.q = q, .enough = fmax(s->tolerance, 1e-11)};
  const double before = e->residual; /* those of directions do not count */
  double worst = 1, best = 1, ff;
  int round = 0, better = 0;
  IG_TRY(stresses(s, r, q));
  IG_TRY(ig_topopt_dot(s->cx, s->d, b->direct.dev, b->direct.dev, &ff));
  if (!(ff > 0)) { /* a load case that does nothing */
    memset(b->mu[q], 0, sizeof b->mu[q]);
    return IG_OK;
  }
  for (int j = 0; j < b->block; j++)
    now.residual[j] = 1;
  if (!b->known)
    IG_TRY(ig_topopt_turns_take(s, begin, &now, e));
  IG_TRY(project(s, q, b->block));
  for (; round < ROUNDS && round < better + STUCK && (worst > now.enough || !(b->mu[q][0] > 0));
       round++) {
    IG_TRY(ig_topopt_turns_take(s, directions, &now, e));
    IG_TRY(project(s, q, (round > 0 ? 3 : 2) * b->block));
    worst = 0;
    for (int j = 0; j < b->block; j++) {
      IG_TRY(residual_of(s, q, j, &now.residual[j]));
      worst = j < b->wanted && b->mu[q][j] > 0 ? fmax(worst, now.residual[j]) : worst;
    }
    if (worst < 0.5 * best) {
      best = worst;
      better = round;
    }
  }
  if (worst > now.enough && b->mu[q][0] > 0) /* else none is positive: nothing is pressed */
    ig_warn(s->cx, "buckling: residual %.2g after %d rounds", worst, round);
  e->residual = fmax(before, worst);
  return IG_OK;
}

ig_status ig_topopt_buckling_solve(ig_topopt_design *s, int r, ig_evaluation *e) {
  double start = ig_now();
  IG_TRY(weights(s, r, e->penalty, false, s->buckling->weight.dev));
  for (int q = 0; q < s->loading->cases; q++)
    IG_TRY(modes_of(s, r, q, e));
  s->buckling->known = true;
  return ig_topopt_design_charge(s, IG_STAGE_SOLVE, &start);
}

/* --- value and slope --- */

/* Of each mode of load case q: d value / d mu. Returns the value itself. */
static double norm(const ig_topopt_design *s, int slot, double weight[IG_LOAD_CASES][MOST]) {
  const ig_topopt_buckling *b = s->buckling;
  const double exponent = s->c->buckling.exponent;
  double most = 0, sum = 0, scale[IG_LOAD_CASES];
  int begin, end;
  cases_of(s, slot, &begin, &end);
  for (int q = begin; q < end; q++) {
    scale[q] = unit_of(s, q) *
               (slot < IG_LIMITS ? ig_topopt_limit_case(s, slot)->buckling : s->loading->weight[q]);
    most = fmax(most, scale[q] * b->mu[q][0]);
  }
  for (int q = begin; q < end && most > 0; q++)
    for (int i = 0; i < b->wanted; i++)
      sum += pow(fmax(0, scale[q] * b->mu[q][i] / most), exponent);
  const double value = most > 0 ? most * pow(sum, 1 / exponent) : 0;
  for (int q = begin; q < end; q++)
    for (int i = 0; i < b->wanted; i++)
      weight[q][i] =
          value > 0 ? scale[q] * pow(fmax(0, scale[q] * b->mu[q][i] / value), exponent - 1) : 0;
  return value;
}

/* The part of load case q: energies into s->work, slopes by densities alone into b->direct, both
   added to where `add`. */
static ig_status adjoint(ig_topopt_design *s, const ig_law *law, int q, bool add,
                         const double *weight, double *state, ig_evaluation *e) {
  ig_topopt_buckling *b = s->buckling;
  const int last = s->realisations - 1;
  const int64_t n = s->d->places;
  double ff;
  if (!ig_topopt_turn_mine(s))
    return ig_topopt_turn_solve(s, NULL, state, e);
  IG_TRY(stresses(s, last, q));
  for (int i = 0; i < b->wanted; i++) {
    IG_TRY(s->d->gradient(s->d->self, b->x[q][i].dev, b->gradient.dev));
    IG_TRY(b->ops->square(s->cx, n, s->d->role, weight[i], i > 0, b->gradient.dev, b->square.dev));
  }
  double *slope = b->gradient.dev, *square = b->square.dev; /* the first is free by now */
  IG_TRY(b->ops->contract(s->cx, n, s->d->role, b->stress.dev, b->square.dev, slope));
  IG_TRY(weights(s, last, law->penalty, true, slope + n));
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, slope, slope + n, NULL, slope));
  IG_TRY(s->ops->mix(s->cx, n, -1, slope, add ? 1 : 0, add ? b->weight.dev : slope, b->weight.dev));
  /* -s D Q loads the adjoint system */
  IG_TRY(weights(s, last, law->penalty, false, slope));
  for (int k = 0; k < 6; k++)
    IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, square + k * n, slope, NULL,
                       square + k * n));
  IG_TRY(b->ops->mises(s->cx, n, s->d->role, &s->d->hooke, b->square.dev, slope));
  IG_TRY(s->d->strain_back(s->d->self, b->square.dev, b->load.dev));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, b->load.dev, b->load.dev, &ff));
  const double size = sqrt(ff);
  if (size > 0) /* of unit size: the solver's preconditioner is in single precision */
    IG_TRY(s->ops->mix(s->cx, s->d->unknowns, -1 / size, b->load.dev, 0, b->load.dev, b->load.dev));
  IG_TRY(ig_topopt_turn_solve(s, size > 0 ? b->load.dev : NULL, state, e));
  if (ig_topopt_turn_first(s))
    return IG_OK;
  IG_TRY(s->d->energy(s->d->self, state, s->u[last][q].dev, size, add, s->work.dev));
  for (int i = 0; i < b->wanted; i++)
    if (weight[i] > 0)
      IG_TRY(s->d->energy(s->d->self, b->x[q][i].dev, b->x[q][i].dev, weight[i] * b->mu[q][i], true,
                          s->work.dev));
  IG_TRY(ig_topopt_load_direct(s, last, q, state, size, false));
  return s->loading->gravity[q].dev
             ? s->ops->mix(s->cx, n, 1, b->weight.dev, 1, s->direct.dev, b->weight.dev)
             : IG_OK;
}

ig_status ig_topopt_buckling_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                      ig_evaluation *e, double *value, double *slope) {
  ig_topopt_buckling *b = s->buckling;
  const int64_t n = s->d->places;
  double *state = i < IG_LIMITS ? s->limit_state[i].dev : b->state.dev;
  double weight[IG_LOAD_CASES][MOST];
  int begin, end;
  cases_of(s, i, &begin, &end);
  *value = norm(s, i, weight);
  for (int q = begin; q < end; q++)
    IG_TRY(adjoint(s, law, q, q > begin, weight[q], state + (q - begin) * s->d->unknowns, e));
  if (ig_topopt_turn_first(s))
    return IG_OK;
  IG_TRY(ig_topopt_design_stiffen(s, s->work.dev));
  IG_TRY(s->ops->slope(s->cx, n, s->d->role, law, ig_topopt_design_filtered(s),
                       s->density[s->realisations - 1].dev, s->work.dev, slope, s->spare.dev));
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, b->weight.dev, s->spare.dev, NULL,
                     b->weight.dev));
  return s->ops->mix(s->cx, n, 1, slope, 1, b->weight.dev, slope);
}

/* --- making it --- */

static ig_status zeros(ig_ctx *cx, ig_array *a, size_t n) {
  IG_TRY(ig_array_new_device(cx, a, n, sizeof(double), "buckling"));
  return ig_array_zero(cx, a);
}

/* One at every node, for products that are zero where held. */
static ig_status open_ones(ig_topopt_design *s) {
  const size_t n = (size_t)s->d->layout.nodes;
  double *one;
  IG_TRY(IG_NEW(s->cx, &one, n, "buckling"));
  for (size_t i = 0; i < n; i++)
    one[i] = 1;
  const ig_status status =
      ig_array_from(s->cx, &s->buckling->ones, one, n, sizeof *one, "buckling");
  free(one);
  return status;
}

static ig_status check_case(const ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const ig_topopt_case *c = s->c;
  if (c->problem != IG_PROBLEM_STIFFNESS)
    return ig_fail_at(cx, &c->at, "buckling: is for problem: stiffness");
  if (!s->d->strain || s->loading->candidates)
    return ig_fail_at(cx, &c->at, "buckling: not with choose_material");
  if (s->loading->cases == 0)
    return ig_fail_at(cx, &c->at, "buckling: there is no load: give one in 'loads'");
  if (c->filter.kind == IG_FILTER_SENSITIVITY)
    return ig_fail_at(cx, &c->at,
                      "buckling: needs filter: {kind: density} or helmholtz: filtered "
                      "sensitivities are no slopes of a load factor");
  if (c->minimise == IG_MINIMISE_BUCKLING && c->projection.robust > 0)
    return ig_fail_at(cx, &c->projection.at,
                      "projection: robust: not with minimise: buckling; bound it in 'constraints' "
                      "instead");
  if (c->symmetry.count > 0)
    ig_warn_at(cx, &c->at,
               "buckling: with 'symmetry' only modes that are their own mirror images are seen, "
               "and the whole part may buckle earlier in others: design all of it, with 'pattern: "
               "{mirror: …}' for a symmetric design");
  return IG_OK;
}

ig_status ig_topopt_buckling_new(ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const size_t n = (size_t)s->d->places, nu = (size_t)s->d->unknowns;
  ig_topopt_buckling *b;
  if (!ig_topopt_buckling_asked(s->c))
    return IG_OK;
  IG_TRY(check_case(s));
  IG_TRY(IG_NEW(cx, &b, 1, "buckling"));
  s->buckling = b;
  b->ops = ig_topopt_stress_ops_of(cx);
  b->wanted = (int)s->c->buckling.modes;
  b->block = b->wanted + 4;
  for (int j = 0; j < b->block; j++) {
    for (int q = 0; q < s->loading->cases; q++)
      IG_TRY(zeros(cx, &b->x[q][j], nu));
    IG_TRY(zeros(cx, &b->rest[j], nu));
    IG_TRY(zeros(cx, &b->last[j], nu));
    IG_TRY(zeros(cx, &b->room[j], nu));
  }
  ig_array *const states[] = {&b->kx, &b->gx, &b->load};
  for (int i = 0; i < 3; i++)
    IG_TRY(zeros(cx, states[i], nu));
  IG_TRY(open_ones(s));
  IG_TRY(zeros(cx, &b->stress, 6 * n));
  IG_TRY(zeros(cx, &b->square, 6 * n));
  IG_TRY(zeros(cx, &b->gradient, 9 * n));
  IG_TRY(zeros(cx, &b->weight, n));
  IG_TRY(zeros(cx, &b->direct, n));
  if (s->c->minimise == IG_MINIMISE_BUCKLING)
    IG_TRY(zeros(cx, &b->state, nu * (size_t)s->loading->cases));
  if (!s->spare.dev)
    IG_TRY(zeros(cx, &s->spare, n));
  return IG_OK;
}

void ig_topopt_buckling_free(ig_topopt_design *s) {
  ig_topopt_buckling *b = s->buckling;
  if (!b)
    return;
  for (int j = 0; j < MOST; j++) {
    for (int q = 0; q < IG_LOAD_CASES; q++)
      ig_array_free(s->cx, &b->x[q][j]);
    ig_array_free(s->cx, &b->rest[j]);
    ig_array_free(s->cx, &b->last[j]);
    ig_array_free(s->cx, &b->room[j]);
  }
  ig_array *const arrays[] = {&b->kx,     &b->gx,       &b->load,   &b->ones,   &b->stress,
                              &b->square, &b->gradient, &b->weight, &b->direct, &b->state};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  free(b);
  s->buckling = NULL;
}
