/* Natural frequencies: subspace iteration (Bathe), Rayleigh-Ritz, gradients.

   A round solves K y_j = M x_j for a block of vectors, then finds the best combinations of the
   y_j: the small eigenproblem (Y^T K Y) v = lambda (Y^T M Y) v. Four vectors more than wanted
   make the wanted ones converge faster. Modes of the last design are the start for the next, so
   that later designs need few rounds. The gradient of an eigenvalue (x.Mx = 1) is

     dlambda/dE_e = x_e . k0 x_e,    dlambda/dm_e = -lambda x_e . x_e (lumped) */
#include "topopt/design/modes.h"
#include "topopt/design/load.h"
#include "topopt/design/ritz.h"
#include "topopt/design/solve_groups.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ROUNDS: one that does not converge in 300 rounds is reported and used as it is. */
enum { ROUNDS = 300, MOST = IG_MODES_BLOCK };

bool ig_topopt_modes_asked(const ig_topopt_case *c) {
  bool asked = c->problem == IG_PROBLEM_FREQUENCY;
  for (int i = 0; i < c->constraints.count; i++)
    asked = asked || !isnan(IG_ITEM(ig_limit_case, c->constraints, i)->frequency);
  return asked;
}

/* lambda is in units of stiffness over the mass of an element: omega^2 = lambda x that. */
double ig_topopt_modes_hertz(const ig_topopt_design *s, int i) {
  const double unit = s->loading->stiffness / s->loading->element_mass;
  return sqrt(unit * s->modes->lambda[i]) / (2 * acos(-1));
}

/* Two blocks of states, K x and M x, and the arrays of masses. */
double ig_topopt_modes_bytes(const ig_topopt_case *c, double n, double nu) {
  if (!ig_topopt_modes_asked(c))
    return 0;
  return 8 * (nu * (2 * (double)(c->frequency.modes + 4) + 2) + 6 * n);
}

/* --- subspace iteration --- */

/* K x and M x; held components are 0 in both. */
static ig_status images(ig_topopt_design *s, const double *x) {
  ig_topopt_modes *m = s->modes;
  IG_TRY(s->d->apply(s->d->self, x, m->kx.dev));
  return s->ops->node_scale(s->cx, &s->d->layout, s->d->fix, m->mass.dev, x, m->mx.dev);
}

/* x becomes the combination of y that Rayleigh and Ritz say. */
static ig_status project(ig_topopt_design *s) {
  ig_topopt_modes *m = s->modes;
  const size_t nu = (size_t)s->d->unknowns;
  ig_ritz a, b, v;
  for (int j = 0; j < m->block; j++) {
    IG_TRY(images(s, m->y[j].dev));
    for (int i = 0; i < m->block; i++) {
      IG_TRY(ig_topopt_dot_states(s->cx, s->d, m->y[i].dev, m->kx.dev, &a[i][j]));
      IG_TRY(ig_topopt_dot_states(s->cx, s->d, m->y[i].dev, m->mx.dev, &b[i][j]));
    }
  }
  if (!ig_topopt_ritz(m->block, a, b, m->lambda, v))
    return IG_FAIL(s->cx, IG_NUMERIC,
                   "frequencies: the design has fewer than %d modes: ask for fewer in "
                   "frequency.modes, or use a finer grid",
                   m->block);
  for (int j = 0; j < m->block; j++) {
    IG_TRY(s->ops->mix(s->cx, (int64_t)nu, v[0][j], m->y[0].dev, 0, m->y[0].dev, m->x[j].dev));
    for (int i = 1; i < m->block; i++)
      IG_TRY(s->ops->mix(s->cx, (int64_t)nu, 1, m->x[j].dev, v[i][j], m->y[i].dev, m->x[j].dev));
  }
  return IG_OK;
}

/* |K x - lambda M x| over |lambda M x|. */
static ig_status residual_of(ig_topopt_design *s, int j, double *residual) {
  ig_topopt_modes *m = s->modes;
  const size_t nu = (size_t)s->d->unknowns;
  double rr, ff;
  IG_TRY(images(s, m->x[j].dev));
  IG_TRY(s->ops->mix(s->cx, (int64_t)nu, 1, m->kx.dev, -m->lambda[j], m->mx.dev, m->kx.dev));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, m->kx.dev, m->kx.dev, &rr));
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, m->mx.dev, m->mx.dev, &ff));
  *residual = sqrt(rr) / (m->lambda[j] * sqrt(ff));
  return isfinite(*residual) ? IG_OK
                             : IG_FAIL(s->cx, IG_NUMERIC, "frequencies: a mode has no mass");
}

static ig_status begin(ig_topopt_design *s) {
  ig_topopt_modes *m = s->modes;
  for (int j = 0; j < m->block; j++) {
    m->lambda[j] = 0;
    IG_TRY(ig_topopt_state_scatter(s, j, &m->x[j]));
  }
  m->known = true;
  return IG_OK;
}

/* A round: K y = M x for every vector, each from its own guess and as exact as it deserves. */
typedef struct {
  double enough;
  const double *residual;
} round_pass;

/* A vector needs to be solved only ten times better than its residual is by now. The guess x /
   lambda is the solution itself once the mode has converged. */
static ig_status vectors(ig_topopt_design *s, void *user, ig_evaluation *e) {
  const round_pass *p = user;
  ig_topopt_modes *m = s->modes;
  for (int j = 0; j < m->block; j++) {
    const double guess = m->lambda[j] > 0 ? 1 / m->lambda[j] : 0;
    const bool mine = ig_topopt_turn_mine(s);
    if (mine && !s->turns.handed) {
      IG_TRY(
          s->ops->node_scale(s->cx, &s->d->layout, s->d->fix, m->mass.dev, m->x[j].dev, m->mx.dev));
      if (guess > 0)
        IG_TRY(s->ops->mix(s->cx, s->d->unknowns, guess, m->x[j].dev, 0, m->x[j].dev, m->y[j].dev));
      else
        IG_TRY(ig_array_zero(s->cx, &m->y[j]));
    }
    s->tolerance = fmin(0.1, fmax(0.1 * p->residual[j], 0.1 * p->enough));
    IG_TRY(ig_topopt_turn_solve(s, mine ? m->mx.dev : NULL, m->y[j].dev, e));
  }
  return IG_OK;
}

/* The tolerance of the solver is set vector by vector in each round (vectors), and restored at
   the end. Only the wanted modes have to converge; the additional ones serve to speed that up. */
ig_status ig_topopt_modes_solve(ig_topopt_design *s, int r, ig_evaluation *e) {
  ig_topopt_modes *m = s->modes;
  const double tolerance = s->tolerance, enough = fmax(tolerance, 1e-11);
  double residual[MOST], worst = 1, start = ig_now();
  ig_status status = IG_OK;
  IG_TRY(ig_topopt_load_masses(s, r, true));
  IG_TRY(s->cx->backend->copy(s->cx, m->mass.dev, s->nodal.dev,
                              (size_t)s->d->layout.nodes * sizeof(double)));
  for (int j = 0; j < m->block; j++)
    residual[j] = 1;
  if (!m->known)
    IG_TRY(begin(s));
  int round = 0;
  round_pass pass = {enough, residual};
  for (; round < ROUNDS && worst > enough && status == IG_OK; round++) {
    IG_TRY_GOTO(status, done, ig_topopt_turns_take(s, vectors, &pass, e));
    IG_TRY_GOTO(status, done, project(s));
    worst = 0;
    for (int j = 0; j < m->block; j++) {
      IG_TRY_GOTO(status, done, residual_of(s, j, &residual[j]));
      worst = j < m->wanted ? fmax(worst, residual[j]) : worst;
    }
  }
  if (worst > enough)
    ig_warn(s->cx, "frequencies: residual %.2g after %d rounds", worst, round);
  e->residual = worst;
done:
  s->tolerance = tolerance;
  IG_TRY(status);
  return ig_topopt_design_charge(s, IG_STAGE_SOLVE, &start);
}

/* N = (sum lambda_i^-P)^(1/P): weights are dN/dlambda_i. lambda_0 is taken out of the powers to
   stay in range. */
ig_status ig_topopt_modes_slope(ig_topopt_design *s, const ig_law *law, int r, double factor,
                                double *value, double *slope) {
  ig_topopt_modes *m = s->modes;
  const double exponent = s->c->frequency.exponent;
  const double unit = s->loading->stiffness / s->loading->element_mass;
  double sum = 0;
  for (int i = 0; i < m->wanted; i++)
    sum += pow(m->lambda[0] / m->lambda[i], exponent);
  const double all = factor * pow(sum, 1 / exponent) / (m->lambda[0] * unit);
  *value = all;
  for (int i = 0; i < m->wanted; i++) {
    const double weight = all * pow(m->lambda[0] / m->lambda[i], exponent) / sum;
    const double *x = m->x[i].dev;
    IG_TRY(s->d->energy(s->d->self, x, x, weight / m->lambda[i], i > 0, s->work.dev));
    IG_TRY(s->ops->node_dot(s->cx, &s->d->layout, x, x, s->nodal.dev));
    IG_TRY(ig_topopt_load_mass_slope(s, r, true, weight, i > 0));
  }
  IG_TRY(ig_topopt_design_stiffen(s, s->work.dev));
  IG_TRY(s->ops->slope(s->cx, s->d->places, s->d->role, law, ig_topopt_design_filtered(s),
                       s->density[r].dev, s->work.dev, slope, s->spare.dev));
  return ig_topopt_load_add(s, s->spare.dev, slope);
}

/* --- making them --- */

static ig_status zeros(ig_ctx *cx, ig_array *a, int64_t n) {
  IG_TRY(ig_array_new_device(cx, a, (size_t)n, sizeof(double), "modes"));
  return ig_array_zero(cx, a);
}

/* Refuses what has no meaning with frequencies, and warns of cases whose best design is
   degenerate. */
ig_status ig_topopt_modes_new(ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const ig_topopt_case *c = s->c;
  ig_topopt_modes *m;
  if (!ig_topopt_modes_asked(c))
    return IG_OK;
  if (c->problem == IG_PROBLEM_HEAT)
    return ig_fail_at(cx, &c->at, "frequency: nothing swings in a heat problem");
  if (!(s->loading->element_mass > 0))
    return ig_fail_at(cx, &c->at,
                      "frequency: the material has no density: give it one in 'materials'");
  if (c->filter.kind == IG_FILTER_SENSITIVITY)
    return ig_fail_at(cx, &c->at,
                      "frequency: needs filter: {kind: density} or helmholtz: filtered "
                      "sensitivities are no slopes of a frequency");
  if (c->problem == IG_PROBLEM_FREQUENCY && c->projection.robust > 0)
    return ig_fail_at(cx, &c->projection.at, "projection: robust: not with problem: frequency");
  if (c->problem == IG_PROBLEM_FREQUENCY && c->masses.count == 0 && s->d->solid == 0)
    ig_warn_at(cx, &c->at,
               "frequency: nothing swings but the design itself, which shrinks to a stub at its "
               "supports: give what it carries in 'masses', or hold a region solid in 'passive'");
  if (c->symmetry.count > 0)
    ig_warn_at(cx, &c->at,
               "frequency: with 'symmetry' only modes that are their own mirror images are seen, "
               "and the whole part may swing lower in others: design all of it, with 'pattern: "
               "{mirror: …}' for a symmetric design");
  IG_TRY(IG_NEW(cx, &m, 1, "modes"));
  s->modes = m;
  m->wanted = (int)c->frequency.modes;
  m->block = m->wanted + 4;
  for (int j = 0; j < m->block; j++) {
    IG_TRY(zeros(cx, &m->x[j], s->d->unknowns));
    IG_TRY(zeros(cx, &m->y[j], s->d->unknowns));
  }
  IG_TRY(zeros(cx, &m->kx, s->d->unknowns));
  IG_TRY(zeros(cx, &m->mx, s->d->unknowns));
  IG_TRY(zeros(cx, &m->mass, s->d->layout.nodes));
  if (!s->spare.dev)
    IG_TRY(zeros(cx, &s->spare, s->d->places));
  return ig_topopt_load_room(s);
}

/* Frees all slots: those beyond the block were never allocated. */
void ig_topopt_modes_free(ig_topopt_design *s) {
  ig_topopt_modes *m = s->modes;
  if (!m)
    return;
  for (int j = 0; j < MOST; j++) {
    ig_array_free(s->cx, &m->x[j]);
    ig_array_free(s->cx, &m->y[j]);
  }
  ig_array_free(s->cx, &m->kx);
  ig_array_free(s->cx, &m->mx);
  ig_array_free(s->cx, &m->mass);
  free(m);
  s->modes = NULL;
}
