/* One design: filter, project, analyse, differentiate.

   For filtered densities y = F x, physical densities rho = H(y) and moduli E = E(rho) the
   gradient of an objective J by x is

     dJ/dx = F^T [ H'(y) E'(rho) dJ/dE ],   dJ/dE_e = -u_e . k0 u_e  (compliance, self-adjoint)

   with u_e the displacements of element e and k0 its stiffness at unit modulus. Energies are
   summed over load cases into s->work, ops->slope turns them into gradients by y, and
   filter_back applies F^T. Objectives that are not self-adjoint (ports, stresses, temperatures)
   have adjoint systems of the same matrix.

   A robust design (Wang, Lazarov and Sigmund 2011) is evaluated at three thresholds, eroded,
   dilated and intermediate; the objective is a smooth maximum of the three, volume and
   constraints are those of the intermediate one, which is the last. */
#include "topopt/design/buckling.h"
#include "topopt/design/distortion.h"
#include "topopt/design/large.h"
#include "topopt/design/load.h"
#include "topopt/design/modes.h"
#include "topopt/design/overheat.h"
#include "topopt/design/pnorm.h"
#include "topopt/case/boundary_conditions.h"
#include "topopt/design/stress.h"
#include "topopt/design/support.h"
#include "topopt/design/solve_groups.h"
#include "topopt/output.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdlib.h>

/* initial_value for `hold` iterations, then growing by `factor` each, up to the value of the
   case. */
static double ramp(const ig_ramp_case *r, double last, int64_t iteration) {
  if (!r->at.given || iteration <= r->hold)
    return r->at.given ? fmin(r->initial_value, last) : last;
  return fmin(r->initial_value * pow(r->factor, (double)(iteration - r->hold)), last);
}

/* beta doubles every `every` iterations up to beta_max; penalty and gray follow their ramps. */
void ig_topopt_design_continue(const ig_topopt_case *c, int64_t iteration, ig_evaluation *e) {
  e->penalty = ramp(&c->penalty_ramp, c->penalty, iteration);
  e->gray = ramp(&c->optimiser.gray_ramp, c->optimiser.gray_exponent, iteration);
  e->beta = c->projection.beta;
  if (e->beta > 0)
    e->beta = fmin(e->beta * pow(2, (double)((iteration - 1) / c->projection.every)),
                   fmax(c->projection.beta_max, c->projection.beta));
}

/* Compares with the values at an iteration that no run reaches. */
bool ig_topopt_design_ramped(const ig_topopt_case *c, const ig_evaluation *e) {
  ig_evaluation last = {0};
  ig_topopt_design_continue(c, INT64_MAX / 2, &last);
  return e->penalty == last.penalty && e->gray == last.gray && e->beta == last.beta;
}

/* Large changes do not need exact gradients: the tolerance falls with the change from 1e-4 to
   1e-6, which saves solver iterations while designs still change much. */
double ig_topopt_design_tolerance(double change) {
  return fmin(1e-4, fmax(1e-6, 5e-4 * change));
}

/* Each value times its element's share of the volume, where elements differ. */
static ig_status weigh(ig_topopt_design *s, double *v) {
  if (!s->d->share)
    return IG_OK;
  return s->ops->map(s->cx, s->d->places, s->d->role, IG_MAP_PRODUCT, v, s->d->share, NULL, v);
}

/* --- filter, forwards and back --- */

ig_status ig_topopt_design_link(ig_topopt_design *s, double *v) {
  return s->d->link ? s->d->link(s->d->self, v) : IG_OK;
}

/* y = (sum over e of w_ie v_e x_e) / (sum of w_ie v_e) with volumes v: `hs` are the
   denominators. The Helmholtz filter has its own norm. Then linked elements share their mean and
   overhangs are removed. */
static ig_status filter_forward(ig_topopt_design *s) {
  const int kind = s->c->filter.kind;
  if (kind < IG_FILTER_DENSITY)
    return IG_OK;
  const double *x = s->x.dev;
  if (s->d->share) {
    IG_TRY(s->ops->map(s->cx, s->d->places, s->d->role, IG_MAP_PRODUCT, x, s->d->share, NULL,
                       s->work.dev));
    x = s->work.dev;
  }
  IG_TRY(s->d->filter(s->d->self, x, s->filtered.dev));
  if (kind == IG_FILTER_DENSITY)
    IG_TRY(s->ops->map(s->cx, s->d->places, s->d->role, IG_MAP_QUOTIENT, s->filtered.dev, s->hs.dev,
                       NULL, s->filtered.dev));
  IG_TRY(ig_topopt_design_link(s, s->filtered.dev));
  return s->printed.dev ? s->d->print(s->d->self, s->filtered.dev, s->printed.dev) : IG_OK;
}

/* a slope by the filtered density becomes one by the design. The transpose of filter_forward,
   step by step in reverse order. The weights w are symmetric, so the same filter serves both
   ways. */
static ig_status filter_back(ig_topopt_design *s, double *slope) {
  const int64_t n = s->d->places;
  if (s->printed.dev)
    IG_TRY(s->d->print_back(s->d->self, s->filtered.dev, s->printed.dev, s->work.dev, slope));
  IG_TRY(ig_topopt_design_link(s, slope));
  if (s->c->filter.kind == IG_FILTER_DENSITY)
    IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_QUOTIENT, slope, s->hs.dev, NULL, slope));
  IG_TRY(s->d->filter(s->d->self, slope, s->work.dev));
  IG_TRY(weigh(s, s->work.dev));
  return s->cx->backend->copy(s->cx, slope, s->work.dev, (size_t)n * sizeof *slope);
}

/* Sigmund's sensitivity filter (1997): dJ/dx_i is replaced by sum(w x dJ/dx) / (max(1e-3, x_i)
   sum w). It is a heuristic: the result is the gradient of no function. */
static ig_status filter_sensitivity(ig_topopt_design *s, double *slope) {
  const int64_t n = s->d->places;
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, s->x.dev, slope, NULL, s->work.dev));
  IG_TRY(s->d->filter(s->d->self, s->work.dev, slope));
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_SENSITIVITY, slope, s->hs.dev, s->x.dev, slope));
  return weigh(s, slope);
}

/* --- analysis of one realisation --- */

/* What is left of the port's system, times each displacement: its rank knows it. With the adjoint z
   of the port and its residual r = l - K z the displacement is l.u = z.f + r.u: the last term
   corrects the first-order error of an inexact solve. */
static ig_status port_rest(ig_topopt_design *s, int r, double *rest) {
  const int cases = s->loading->cases, from = ig_topopt_systems_owner(s, cases);
  ig_status status = IG_OK;
  for (int q = 0; from == ig_ranks_rank(s->cx->ranks) && q < cases && status == IG_OK; q++)
    status =
        ig_topopt_dot_states(s->cx, s->d, s->d->residual(s->d->self), s->u[r][q].dev, &rest[q]);
  IG_TRY(ig_ranks_agree(s->cx, status));
  return ig_topopt_divided(s->d) ? IG_OK
                                 : ig_ranks_bcast(s->cx, from, rest, (size_t)cases * sizeof *rest);
}

/* Objective and element energies, dJ/dE = -energy. What the solver leaves undone is first order in
   f . u; adding u . r makes it second order. */
ig_status ig_topopt_design_analyse(ig_topopt_design *s, int r, double *objective,
                                   ig_evaluation *e) {
  const ig_loading *l = s->loading;
  /* the port's displacement: made large by mechanisms, or small */
  const bool port = ig_topopt_has_port(s->c);
  const double sign = s->c->problem == IG_PROBLEM_MECHANISM ? -1 : 1;
  double *energy = s->work.dev;
  double start = ig_now(), fu, shift, rest[IG_LOAD_CASES], value[IG_LOAD_CASES],
         part[IG_LOAD_CASES];
  /* all load cases, and the port's adjoint as one more system of the group: none depends on
     another */
  ig_topopt_systems y = {.count = l->cases + port};
  for (int q = 0; q < l->cases; q++) {
    y.f[q] = ig_topopt_load_of(s, q);
    y.u[q] = &s->u[r][q];
  }
  if (port) {
    y.f[l->cases] = l->port.dev;
    y.u[l->cases] = &s->adjoint[r];
  }
  IG_TRY(ig_topopt_meet(s->cx, s->d));
  IG_TRY(s->d->changed(s->d->self));
  IG_TRY(ig_topopt_load_prepare(s, r));
  for (int q = 0; q < l->cases; q++)
    IG_TRY(ig_topopt_load_lower(s, s->u[r][q].dev));
  IG_TRY(ig_topopt_systems_solve(s, &y, e));
  for (int q = 0; q < l->cases; q++)
    IG_TRY(ig_topopt_load_lift(s, q, s->u[r][q].dev));
  IG_TRY(port ? port_rest(s, r, rest) : IG_OK);
  for (int q = 0; q < l->cases; q++) {
    const double scale =
        l->weight[q] * l->norm[q] * (port ? l->norm_port : l->norm[q]) / l->stiffness;
    IG_TRY(
        ig_topopt_dot_states(s->cx, s->d, y.f[q], port ? s->adjoint[r].dev : s->u[r][q].dev, &fu));
    if (port) {
      IG_TRY(ig_topopt_load_expansion(s, q, l->port.dev, &shift));
      fu += shift;
    }
    /* f.u + u.r instead of f.u (see above); prescribed displacements count with their own energy */
    value[q] = port ? sign * scale * (fu + rest[q]) : scale * (fu + y.rest[q] - s->held[q]);
  }
  IG_TRY(ig_topopt_design_charge(s, IG_STAGE_SOLVE, &start));
  if (l->cases == 0)
    IG_TRY(ig_array_zero(s->cx, &s->work));
  *objective = ig_topopt_combine(s->c, l->cases, value, part);
  for (int q = 0; q < l->cases; q++) {
    const double scale = l->weight[q] * l->norm[q] * (port ? sign * l->norm_port : l->norm[q]) /
                         l->stiffness * part[q];
    s->response[q] = l->weight[q] != 0 ? value[q] / l->weight[q] : 0;
    const double *adjoint = port ? s->adjoint[r].dev : s->u[r][q].dev;
    IG_TRY(s->d->energy(s->d->self, adjoint, s->u[r][q].dev, scale, q > 0, energy));
    if (!port)
      IG_TRY(ig_topopt_load_expansion_energy(s, q, scale, energy));
    if (!port && l->gravity[q].dev) /* its work is done along u, not w */
      IG_TRY(ig_topopt_load_moved(s, q, s->u[r][q].dev, &adjoint));
    IG_TRY(ig_topopt_load_direct(s, r, q, adjoint, port ? scale : 2 * scale, q > 0));
  }
  if (!isfinite(*objective))
    return IG_FAIL(
        s->cx, IG_NUMERIC,
        "the objective is %g: loads or moduli are too large or too small to compute with",
        *objective);
  IG_TRY(ig_topopt_design_stiffen(s, energy));
  return ig_topopt_design_charge(s, IG_STAGE_SENSITIVITY, &start);
}

/* --- objective, volume, slopes --- */

typedef struct {
  const ig_law *law;
  int r;         /* realisation */
  double *value; /* of the objective */
} adjoint_pass;

/* Constraints of the last realisation, and objectives with adjoint systems of their own. Called
   twice on ranks that share systems: see ig_topopt_turns_take. */
static ig_status adjoints(ig_topopt_design *s, void *user, ig_evaluation *e) {
  const adjoint_pass *p = user;
  if (p->r == s->realisations - 1)
    IG_TRY(ig_topopt_limits_evaluate(s, p->law, e));
  if (s->c->problem == IG_PROBLEM_FREQUENCY && !ig_topopt_turn_first(s))
    IG_TRY(ig_topopt_modes_slope(s, p->law, p->r, 1, p->value, s->dc.dev));
  if (s->c->minimise == IG_MINIMISE_STRESS)
    IG_TRY(ig_topopt_stress_evaluate(s, p->law, IG_LIMITS, e, p->value, s->dc.dev));
  if (s->c->minimise == IG_MINIMISE_TEMPERATURE)
    IG_TRY(ig_topopt_pnorm_evaluate(s, p->law, IG_LIMITS, e, p->value, s->dc.dev));
  if (s->c->minimise == IG_MINIMISE_BUCKLING)
    IG_TRY(ig_topopt_buckling_evaluate(s, p->law, IG_LIMITS, e, p->value, s->dc.dev));
  if (s->c->minimise == IG_MINIMISE_DISTORTION)
    IG_TRY(ig_topopt_distortion_evaluate(s, p->law, IG_LIMITS, e, p->value, s->dc.dev));
  if (s->c->minimise == IG_MINIMISE_SUPPORT_VOLUME)
    IG_TRY(ig_topopt_support_evaluate(s, p->law, IG_LIMITS, p->value, s->dc.dev));
  if (s->c->minimise == IG_MINIMISE_OVERHEATING)
    IG_TRY(ig_topopt_overheat_evaluate(s, p->law, IG_LIMITS, e, p->value, s->dc.dev));
  return IG_OK;
}

/* The largest gradient of the smoothed step, at its threshold. */
double ig_topopt_steepness(const ig_topopt_case *c, const ig_evaluation *e) {
  const double eta = c->projection.eta, beta = e->beta;
  return beta > 0 ? fmax(1, beta / (tanh(beta * eta) + tanh(beta * (1 - eta)))) : 1;
}

/* From filtered densities to densities and moduli; shift: of the threshold. With several
   materials to choose from the law has a step and a power between each and the next. */
static void law_of(const ig_topopt_design *s, const ig_evaluation *e, double shift, ig_law *law) {
  *law = (ig_law){.penalty = e->penalty,
                  .least = ig_topopt_void_ratio(s->c),
                  .beta = e->beta,
                  .eta = s->c->projection.eta + shift,
                  .materials = s->loading->candidates};
  law->modulus[0] = law->least;
  for (int m = 0; m < law->materials; m++) {
    law->at[m + 1] = s->loading->candidate_density[m];
    law->modulus[m + 1] = s->loading->candidate_modulus[m];
  }
}

/* Sums of the physical densities of the last realisation, by shares of the volume. */
static ig_status density_sums(ig_topopt_design *s, const ig_law *law, ig_topopt_design_stats *st) {
  const double *density = s->density[s->realisations - 1].dev;
  IG_TRY(s->ops->stats(s->cx, s->d->grid, s->d->places, s->d->role, law, density, density, st));
  return s->d->share ? ig_topopt_dot(s->cx, s->d, density, s->d->share, &st->sum) : IG_OK;
}

/* The order matters: constraints need dv before it is filtered back, and the moduli of the last
   realisation in place; energies in s->work are overwritten by the next analysis. */
ig_status ig_topopt_design_evaluate(ig_topopt_design *s, ig_evaluation *e) {
  const ig_projection_case *p = &s->c->projection;
  ig_law law;
  const int64_t n = s->d->places;
  double value[IG_REALISATIONS] = {0}, start = ig_now();
  e->iterations = 0;
  e->residual = 0;
  IG_TRY(ig_topopt_meet(s->cx, s->d));
  IG_TRY(filter_forward(s));
  IG_TRY(ig_topopt_design_charge(s, IG_STAGE_FILTER, &start));
  /* the last realisation is the intermediate one: its volume counts */
  for (int r = 0; r < s->realisations; r++) {
    const double shift = r == 0 && s->realisations > 1 ? p->robust : r == 1 ? -p->robust : 0;
    law_of(s, e, shift, &law);
    IG_TRY(s->ops->physical(s->cx, n, s->d->role, &law, ig_topopt_design_filtered(s),
                            s->density[r].dev, s->d->modulus));
    IG_TRY(ig_topopt_design_stiffen(s, s->d->modulus));
    IG_TRY(s->large ? ig_topopt_large_analyse(s, r, &value[r], e)
                    : ig_topopt_design_analyse(s, r, &value[r], e));
    start = ig_now();
    /* one realisation writes its gradient straight to dc */
    double *to = s->realisations > 1 ? s->part[r].dev : s->dc.dev;
    IG_TRY(s->ops->slope(s->cx, n, s->d->role, &law, ig_topopt_design_filtered(s),
                         s->density[r].dev, s->work.dev, to, s->dv.dev));
    IG_TRY(ig_topopt_load_add(s, s->dv.dev, to));
    IG_TRY(weigh(s, s->dv.dev));
    IG_TRY(ig_topopt_design_charge(s, IG_STAGE_SENSITIVITY, &start));
    /* before the adjoints, which need the modes for their gradients */
    if (s->modes && r == s->realisations - 1)
      IG_TRY(ig_topopt_modes_solve(s, r, e));
    if (s->buckling && r == s->realisations - 1)
      IG_TRY(ig_topopt_buckling_solve(s, r, e));
    if (s->distortion && r == s->realisations - 1)
      IG_TRY(ig_topopt_distortion_solve(s, e));
    adjoint_pass pass = {&law, r, &value[r]};
    IG_TRY(ig_topopt_turns_take(s, adjoints, &pass, e));
  }
  start = ig_now();
  e->objective = value[0];
  if (s->realisations > 1) {
    double weight[IG_REALISATIONS];
    e->objective = ig_topopt_worst(s->realisations, value, weight);
    IG_TRY(s->ops->mix(s->cx, n, weight[0], s->part[0].dev, weight[1], s->part[1].dev, s->dc.dev));
    IG_TRY(s->ops->mix(s->cx, n, 1, s->dc.dev, weight[2], s->part[2].dev, s->dc.dev));
  }
  /* from gradients by the filtered density to gradients by x */
  if (s->c->filter.kind >= IG_FILTER_DENSITY) {
    IG_TRY(filter_back(s, s->dc.dev));
    IG_TRY(filter_back(s, s->dv.dev));
    for (int i = 0; i < s->limits; i++)
      IG_TRY(filter_back(s, s->limit_slope[i].dev));
  } else if (s->c->filter.kind == IG_FILTER_SENSITIVITY) {
    IG_TRY(filter_sensitivity(s, s->dc.dev));
    for (int i = 0; i < s->limits; i++)
      if (isnan(ig_topopt_limit_case(s, i)->volume))
        IG_TRY(filter_sensitivity(s, s->limit_slope[i].dev));
  }
  IG_TRY(ig_topopt_design_link(s, s->dc.dev));
  IG_TRY(ig_topopt_design_link(s, s->dv.dev));
  for (int i = 0; i < s->limits; i++)
    IG_TRY(ig_topopt_design_link(s, s->limit_slope[i].dev));
  ig_topopt_design_stats st;
  IG_TRY(density_sums(s, &law, &st));
  e->volume = st.sum / (double)s->d->elements;
  e->grayness = 100 * st.grayness / (double)s->d->elements;
  /* the volume is the objective: its gradient takes the place of dc */
  if (s->c->minimise == IG_MINIMISE_VOLUME) {
    e->objective = e->volume;
    IG_TRY(s->ops->mix(s->cx, n, 1 / (double)s->d->elements, s->dv.dev, 0, s->dv.dev, s->dc.dev));
  }
  return ig_topopt_design_charge(s, IG_STAGE_FILTER, &start);
}

/* What counts is what the update does to the physical density: with a projection, design
   variables far from the threshold may move without any effect. The plain case compares x with
   the design before it. */
ig_status ig_topopt_design_change(ig_topopt_design *s, const ig_evaluation *e, double *change) {
  ig_topopt_design_stats st;
  const int64_t n = s->d->places;
  const double *now = s->x.dev, *before = s->trial.dev;
  ig_law law = {0};
  /* gcmma has analysed the next design already, and its densities are in place */
  const bool gone = s->c->optimiser.method == IG_OPTIMISER_GCMMA, projected = e->beta > 0 && !gone;
  if (s->drawn.dev || projected)
    IG_TRY(filter_forward(s));
  if (projected) { /* the moduli are not needed: they take the place of the former design */
    law_of(s, e, 0, &law);
    now = s->work.dev;
    before = s->density[s->realisations - 1].dev;
    IG_TRY(s->ops->physical(s->cx, n, s->d->role, &law, ig_topopt_design_filtered(s), s->work.dev,
                            s->trial.dev));
  } else if (s->drawn.dev) {
    now = s->printed.dev;
    before = s->drawn.dev;
  }
  IG_TRY(s->ops->stats(s->cx, s->d->grid, n, s->d->role, &law, now, before, &st));
  *change = e->beta > 0 && gone ? st.change * ig_topopt_steepness(s->c, e) : st.change;
  return IG_OK;
}

/* --- making it --- */

/* Whether nothing acts but gravity on the design itself. A case with its weight as the only load
   has the empty body as its best design. */
static bool only_weight(const ig_topopt_design *s) {
  const ig_topopt_case *c = s->c;
  bool weighs = false, other = c->masses.count > 0 || s->loading->held.dev;
  for (int i = 0; i < c->loads.count; i++) {
    const ig_load_case *l = IG_ITEM(ig_load_case, c->loads, i);
    weighs = weighs || ig_topopt_load_weighs(l);
    other = other || l->pressure != 0;
    for (int d = 0; d < 3; d++)
      other = other || l->force[d] != 0 || l->moment[d] != 0;
  }
  return weighs && !other;
}

/* Objectives that may grow with a density, which optimality criteria do not know. */
static ig_status check_update(const ig_topopt_design *s) {
  const ig_topopt_case *c = s->c;
  if (c->temperature_change != 0 && ig_topopt_method(c) == IG_OPTIMISER_OC)
    return ig_fail_at(s->cx, &c->optimiser.at,
                      "temperature_change: needs optimiser: {method: mma}: material that is warm "
                      "may do harm, which oc does not know");
  if (c->analysis.large_deflections && ig_topopt_method(c) == IG_OPTIMISER_OC)
    return ig_fail_at(s->cx, &c->optimiser.at,
                      "large_deflections: needs optimiser: {method: mma}: more material may do "
                      "harm, which oc does not know");
  if (c->minimise >= IG_MINIMISE_BUCKLING && ig_topopt_method(c) == IG_OPTIMISER_OC)
    return ig_fail_at(s->cx, &c->optimiser.at,
                      "minimise: buckling, distortion, support_volume and overheating need "
                      "optimiser: {method: mma}: more material may do harm, which oc does not "
                      "know");
  return IG_OK;
}

/* What a case cannot mean, before anything is computed. Combinations of keys that have no
   meaning together, or that are known to fail: errors. Cases whose best design is degenerate or
   that bound nothing: warnings. */
static ig_status check_case(const ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const ig_topopt_case *c = s->c;
  const double solid = s->d->solid_volume;
  if (c->projection.beta > 0 && c->filter.kind < IG_FILTER_DENSITY)
    return ig_fail_at(cx, &c->projection.at,
                      "projection: needs filter: {kind: density} or helmholtz");
  if (c->projection.beta > 0 && ig_topopt_method(c) == IG_OPTIMISER_OC)
    return ig_fail_at(cx, &c->projection.at,
                      "projection: needs optimiser: {method: mma}; with oc the volume is lost and "
                      "designs fall apart as the step sharpens");
  IG_TRY(check_update(s));
  if (c->weights.count > 0 && c->weights.count != s->loading->cases)
    return ig_fail_at(cx, &c->at, "weights: %d given for %d load cases: give one each",
                      c->weights.count, s->loading->cases);
  if (c->combine == IG_COMBINE_WORST && s->loading->cases > 1 &&
      ig_topopt_method(c) == IG_OPTIMISER_OC)
    ig_warn_at(cx, &c->optimiser.at,
               "optimiser: oc goes to and fro between load cases, and never settles at the worst "
               "of them: leave 'method' out, or give mma");
  if (c->overhang.at.given && c->draw_direction.at.given)
    return ig_fail_at(cx, &c->draw_direction.at,
                      "draw_direction: a part is printed or cast: leave one of 'overhang' "
                      "and 'draw_direction' out");
  if (c->milling.at.given && (c->overhang.at.given || c->draw_direction.at.given))
    return ig_fail_at(cx, &c->milling.at,
                      "milling: a part is milled, printed or cast: leave '%s' out",
                      c->overhang.at.given ? "overhang" : "draw_direction");
  const ig_src *at = c->milling.at.given          ? &c->milling.at
                     : c->draw_direction.at.given ? &c->draw_direction.at
                                                  : &c->overhang.at;
  const char *key = c->milling.at.given          ? "milling"
                    : c->draw_direction.at.given ? "draw_direction"
                                                 : "overhang";
  if (ig_topopt_made(c) && ig_topopt_method(c) == IG_OPTIMISER_OC)
    return ig_fail_at(cx, at, "%s: needs optimiser: {method: mma}; oc knows linear volumes alone",
                      key);
  if (ig_topopt_made(c) && c->filter.kind < IG_FILTER_DENSITY)
    return ig_fail_at(cx, at, "%s: needs filter: {kind: density} or helmholtz", key);
  if ((c->minimise == IG_MINIMISE_STRESS || c->minimise == IG_MINIMISE_TEMPERATURE) &&
      c->projection.robust > 0)
    return ig_fail_at(cx, &c->projection.at,
                      "projection: robust: not with minimise: stress or temperature; bound it in "
                      "'constraints' instead");
  if (c->minimise == IG_MINIMISE_STRESS && s->loading->cases == 0)
    return ig_fail_at(cx, &c->at, "minimise: stress: there is no load: give one in 'loads'");
  if (c->minimise == IG_MINIMISE_DISPLACEMENT && c->problem != IG_PROBLEM_STIFFNESS)
    return ig_fail_at(cx, &c->at, "minimise: displacement: is for problem: stiffness");
  if (c->minimise == IG_MINIMISE_TEMPERATURE && c->problem != IG_PROBLEM_HEAT)
    return ig_fail_at(cx, &c->at, "minimise: temperature: is for problem: heat");
  if (c->minimise == IG_MINIMISE_VOLUME && c->constraints.count == 0)
    return ig_fail_at(cx, &c->at,
                      "minimise: volume: give a bound in 'constraints', else nothing is left");
  if (c->problem == IG_PROBLEM_STIFFNESS && c->minimise == IG_MINIMISE_RESPONSE && solid == 0 &&
      only_weight(s))
    ig_warn_at(cx, &c->at,
               "loads: the weight of the design is the only load, and the stiffest design is none: "
               "hold what it carries solid in 'passive', or give another load or 'masses'");
  if (solid > ig_topopt_volume(c) * (1 + 1e-9))
    return ig_fail_at(cx, &c->at,
                      "volume: %g cannot be met: passive elements held solid alone are %.4g of the "
                      "body: allow more, or hold fewer",
                      c->volume, solid);
  const double low = isnan(c->optimiser.x_min) ? 0 : c->optimiser.x_min;
  const double least = solid + low * (1 - solid - s->d->void_volume);
  if (low > 0 && least > ig_topopt_volume(c) * (1 + 1e-9))
    return ig_fail_at(cx, &c->at,
                      "volume: %g cannot be met: with optimiser: x_min %g the least is %.4g of the "
                      "body: allow more, or lower x_min",
                      c->volume, low, least);
  if (s->d->void_volume > 0 && c->minimise != IG_MINIMISE_VOLUME && !c->choose_material &&
      c->volume >= 1 - s->d->void_volume)
    ig_warn_at(cx, &c->at,
               "volume: %g bounds nothing: it is a share of the whole body, and elements held void "
               "leave %.4g of it",
               c->volume, 1 - s->d->void_volume);
  else if (c->volume >= 1 && c->minimise != IG_MINIMISE_VOLUME && !c->choose_material &&
           c->constraints.count == 0 && c->iterations > 1) /* one iteration analyses a body */
    ig_warn_at(cx, &c->at,
               "volume: %g bounds nothing: the whole body may be solid; give the share of it that "
               "may be used, or a bound in 'constraints'",
               c->volume);
  return IG_OK;
}

/* Designs from one density: `free` where elements are designed, 1 and 0 where they are passive. */
ig_status ig_topopt_design_fill(ig_topopt_design *s, double free_density) {
  const size_t n = (size_t)s->d->places;
  double *x = s->x.host;
  uint8_t *role;
  IG_TRY(IG_NEW(s->cx, &role, n, "roles"));
  const ig_status status = s->cx->backend->copy_out(s->cx, role, s->d->role, n);
  for (size_t i = 0; status == IG_OK && i < n; i++)
    x[i] = role[i] == IG_ROLE_DESIGN ? free_density : role[i] == IG_ROLE_SOLID;
  free(role);
  IG_TRY(status);
  return ig_array_push(s->cx, &s->x);
}

static double start_density(const ig_topopt_design *s) {
  return s->d->start > 0 ? s->d->start : s->c->volume;
}

/* Filters spread elements held solid over their neighbours, and overhangs need material below
   them: the least volume of a design may be above that of its passive elements. Filter,
   projection and printing are monotone, so the least volume is that of the lowest densities, with
   the sharpest projection. */
ig_status ig_topopt_design_check_volume(ig_topopt_design *s) {
  const ig_topopt_case *c = s->c;
  const double solid = s->d->solid_volume;
  ig_evaluation e = {0};
  ig_law law;
  ig_topopt_design_stats st;
  if (solid == 0 || c->filter.kind < IG_FILTER_DENSITY)
    return IG_OK;
  ig_topopt_design_continue(c, INT64_MAX / 2, &e);
  law_of(s, &e, 0, &law);
  IG_TRY(ig_topopt_design_fill(s, 0));
  IG_TRY(filter_forward(s));
  IG_TRY(s->ops->physical(s->cx, s->d->places, s->d->role, &law, ig_topopt_design_filtered(s),
                          s->density[s->realisations - 1].dev, s->work.dev));
  IG_TRY(density_sums(s, &law, &st));
  e.volume = st.sum / (double)s->d->elements;
  const ig_topopt_bound bound = ig_topopt_bound_of(s, &e, -1);
  if (ig_topopt_bound_excess(&bound) > 0)
    return ig_fail_at(
        s->cx, &c->at,
        "volume: %g cannot be met: passive elements held solid are %.4g of the body, "
        "and %.4g with what the filter%s adds around them: allow more, hold fewer, or "
        "give a smaller filter.radius",
        c->volume, solid, e.volume,
        c->overhang.at.given         ? " and 'overhang'"
        : c->draw_direction.at.given ? " and 'draw_direction'"
        : c->milling.at.given        ? " and 'milling'"
                                     : "");
  return ig_topopt_design_fill(s, start_density(s));
}

/* Arrays are allocated by what the case asks for; states begin at zero. The design starts
   uniform at the volume fraction, or at what drawn columns need for it (d->start); passive
   elements have their value from the start. */
static ig_status build(ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  IG_TRY(check_case(s));
  IG_TRY(ig_topopt_limits_new(s));
  IG_TRY(ig_topopt_load_new(s));
  IG_TRY(ig_topopt_modes_new(s));
  IG_TRY(ig_topopt_buckling_new(s));
  IG_TRY(ig_topopt_distortion_new(s));
  IG_TRY(ig_topopt_support_new(s));
  IG_TRY(ig_topopt_overheat_new(s));
  IG_TRY(ig_topopt_large_new(s));
  const size_t n = (size_t)s->d->places, nu = (size_t)s->d->unknowns;
  const bool robust = s->c->projection.beta > 0 && s->c->projection.robust > 0;
  s->realisations = robust ? 3 : 1;
  ig_array *const arrays[] = {&s->trial, &s->filtered, &s->dc, &s->dv, &s->work, &s->hs};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    IG_TRY(ig_array_new_device(cx, arrays[i], n, sizeof(double), "design"));
    IG_TRY(ig_array_zero(cx, arrays[i]));
  }
  if (ig_topopt_made(s->c)) {
    IG_TRY(ig_array_new_device(cx, &s->printed, n, sizeof(double), "printed densities"));
    IG_TRY(ig_array_zero(cx, &s->printed));
  }
  if (ig_topopt_swept(s->c))
    IG_TRY(ig_array_new_device(cx, &s->drawn, n, sizeof(double), "drawn densities"));
  IG_TRY(ig_array_new(cx, &s->x, n, sizeof(double), "design"));
  for (int r = 0; r < s->realisations; r++) {
    IG_TRY(ig_array_new_device(cx, &s->density[r], n, sizeof(double), "densities"));
    if (robust)
      IG_TRY(ig_array_new_device(cx, &s->part[r], n, sizeof(double), "slopes"));
    for (int q = 0; q < s->loading->cases; q++) {
      IG_TRY(ig_array_new_device(cx, &s->u[r][q], nu, sizeof(double), "state"));
      IG_TRY(ig_array_zero(cx, &s->u[r][q]));
    }
    if (ig_topopt_has_port(s->c)) {
      IG_TRY(ig_array_new_device(cx, &s->adjoint[r], nu, sizeof(double), "adjoint state"));
      IG_TRY(ig_array_zero(cx, &s->adjoint[r]));
    }
  }
  /* start: everything free at the volume fraction; the filter's own sums */
  uint8_t *role;
  IG_TRY(IG_NEW(cx, &role, n, "roles"));
  ig_status status = cx->backend->copy_out(cx, role, s->d->role, n);
  double *x = s->x.host;
  for (size_t i = 0; status == IG_OK && i < n; i++)
    /* the filter of ones gives the denominators hs; x serves as work space for it */
    x[i] = role[i] != IG_ROLE_NONE;
  if (status == IG_OK)
    status = ig_array_push(cx, &s->x);
  if (status == IG_OK)
    status = weigh(s, s->x.dev);
  if (status == IG_OK &&
      (s->c->filter.kind == IG_FILTER_SENSITIVITY || s->c->filter.kind == IG_FILTER_DENSITY))
    status = s->d->filter(s->d->self, s->x.dev, s->hs.dev);
  free(role);
  if (status == IG_OK)
    status = ig_topopt_design_fill(s, start_density(s));
  s->tolerance =
      s->c->solver.tolerance > 0 ? s->c->solver.tolerance : ig_topopt_design_tolerance(1);
  return status;
}

/* The discretisation must outlive the design, which keeps pointers into it. */
ig_status ig_topopt_design_new(ig_ctx *cx, const ig_topopt_case *c, ig_discretisation *d,
                               ig_topopt_design **out) {
  *out = NULL;
  ig_topopt_design *s;
  IG_TRY(IG_NEW(cx, &s, 1, "design"));
  s->cx = cx;
  s->c = c;
  s->ops = ig_topopt_design_ops_of(cx);
  s->d = d;
  s->loading = d->loading;
  const ig_status status = build(s);
  if (status != IG_OK) {
    ig_topopt_design_free(s);
    return status;
  }
  *out = s;
  return IG_OK;
}

/* Takes NULL, and designs of which only a part was made: arrays that were never allocated are
   zeroed. */
void ig_topopt_design_free(ig_topopt_design *s) {
  if (!s)
    return;
  ig_array *const arrays[] = {&s->x,        &s->trial,   &s->filtered, &s->dc,
                              &s->dv,       &s->work,    &s->hs,       &s->mma_low,
                              &s->mma_high, &s->mma_old, &s->mma_older};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  ig_topopt_turns_free(s);
  ig_topopt_stress_free(s);
  ig_topopt_load_free(s);
  ig_topopt_modes_free(s);
  ig_topopt_buckling_free(s);
  ig_topopt_distortion_free(s);
  ig_topopt_support_free(s);
  ig_topopt_overheat_free(s);
  ig_topopt_pnorm_free(s);
  ig_topopt_large_free(s);
  ig_array_free(s->cx, &s->spare);
  ig_array_free(s->cx, &s->printed);
  ig_array_free(s->cx, &s->drawn);
  for (int f = 0; f < IG_FUNCTIONS; f++)
    ig_array_free(s->cx, &s->kept[f]);
  for (int i = 0; i < IG_LIMITS; i++) {
    ig_array_free(s->cx, &s->limit_slope[i]);
    ig_array_free(s->cx, &s->limit_state[i]);
  }
  for (int r = 0; r < IG_REALISATIONS; r++) {
    ig_array_free(s->cx, &s->density[r]);
    ig_array_free(s->cx, &s->part[r]);
    ig_array_free(s->cx, &s->adjoint[r]);
    for (int q = 0; q < IG_LOAD_CASES; q++)
      ig_array_free(s->cx, &s->u[r][q]);
  }
  free(s);
}
