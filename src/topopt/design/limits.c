/* Constraints beside the volume: values over their bounds, and gradients by the filtered
   density. A slot is one constraint as the optimiser sees it; a stress with clusters is several.
   Arrays of a slot: limit_slope (elements), limit_state (its adjoint, one state per load case it
   looks at).

     volume, mass      sum over elements in its region; gradient from dv
     compliance        f.u; self-adjoint
     displacement      l.u with K z = l; gradient -z_e . k0 u_e
     stress            design/stress.c
     temperature, member  design/pnorm.c
     frequency         design/modes.c
     buckling          design/buckling.c
     distortion        design/distortion.c
     support_volume, removal_force  design/support.c
     overheating       design/overheat.c */
#include "topopt/design/buckling.h"
#include "topopt/design/distortion.h"
#include "topopt/design/large.h"
#include "topopt/design/load.h"
#include "topopt/design/modes.h"
#include "topopt/design/overheat.h"
#include "topopt/design/pnorm.h"
#include "topopt/design/stress.h"
#include "topopt/design/support.h"
#include "topopt/design/solve_groups.h"
#include "backend/backend.h"

#include <math.h>

/* Also used for the finished part, whose states take the place of the design's. */
ig_status ig_topopt_limit_work(const ig_topopt_design *s, int i, double *value) {
  const ig_loading *l = s->loading;
  const ig_limit_case *limit = ig_topopt_limit_case(s, i);
  const int q = limit->load_case > 0 ? (int)limit->load_case - 1 : 0;
  const bool compliance = !isnan(limit->compliance);
  const double *load = compliance ? ig_topopt_load_of(s, q) : l->limit[i].dev;
  const double norm = compliance ? l->norm[q] : l->norm_limit[i];
  double lu;
  *value = NAN;
  if (!compliance && isnan(limit->displacement))
    return IG_OK;
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, load, s->u[s->realisations - 1][q].dev, &lu));
  double shift = 0;
  if (!compliance)
    IG_TRY(ig_topopt_load_expansion(s, q, load, &shift));
  *value = l->norm[q] * norm / l->stiffness * (compliance ? lu - s->held[q] : lu + shift) /
           (compliance ? limit->compliance : limit->displacement);
  return IG_OK;
}

/* A compliance or displacement under large deflections, whose compliances have adjoints, too. */
static ig_status large_slope(ig_topopt_design *s, int i, const ig_law *law, int q, double *value) {
  const ig_loading *l = s->loading;
  const int r = s->realisations - 1;
  const ig_limit_case *limit = ig_topopt_limit_case(s, i);
  const bool compliance = !isnan(limit->compliance);
  const double *of = compliance ? ig_topopt_load_of(s, q) : l->limit[i].dev;
  const double scale = l->norm[q] * (compliance ? l->norm[q] : l->norm_limit[i]) / l->stiffness /
                       (compliance ? limit->compliance : limit->displacement);
  double *z = s->limit_state[i].dev;
  IG_TRY(ig_topopt_large_adjoint(s, r, q, of, z));
  if (ig_topopt_turn_first(s))
    return IG_OK;
  IG_TRY(ig_topopt_limit_work(s, i, value));
  IG_TRY(ig_topopt_large_energy(s, r, q, z, scale, false, s->work.dev));
  IG_TRY(ig_topopt_design_stiffen(s, s->work.dev));
  IG_TRY(s->ops->slope(s->cx, s->d->places, s->d->role, law, ig_topopt_design_filtered(s),
                       s->density[r].dev, s->work.dev, s->limit_slope[i].dev, s->spare.dev));
  IG_TRY(ig_topopt_load_direct(s, r, q, z, scale, false));
  if (compliance)
    IG_TRY(ig_topopt_load_direct(s, r, q, s->u[r][q].dev, scale, true));
  return ig_topopt_load_add(s, s->spare.dev, s->limit_slope[i].dev);
}

/* Values over their bounds, and slopes by the filtered density, of the design just analysed: the
   last realisation, whose moduli are still in place and whose dv has not been filtered back. On
   ranks that share systems the first pass makes right sides only, hence the two checks of
   ig_topopt_turn_first. */
ig_status ig_topopt_limits_evaluate(ig_topopt_design *s, const ig_law *law, ig_evaluation *e) {
  const ig_loading *l = s->loading;
  const int64_t n = s->d->places;
  const int r = s->realisations - 1;
  double start = ig_now();
  for (int i = 0; i < s->limits; i++) {
    const ig_limit_case *limit = ig_topopt_limit_case(s, i);
    double *slope = s->limit_slope[i].dev;
    /* constraints that have a linear system of their own: only these matter in the first of two
       passes */
    const bool solves = !isnan(limit->displacement) || !isnan(limit->stress) ||
                        !isnan(limit->temperature) || !isnan(limit->buckling) ||
                        (s->large && !isnan(limit->compliance));
    if (ig_topopt_turn_first(s) && !solves)
      continue;
    if (!isnan(limit->volume) || !isnan(limit->mass)) {
      /* what the sum over elements must not exceed: elements, or kg over the mass of an element */
      const double all =
          isnan(limit->mass) ? limit->volume * l->norm_limit[i] : limit->mass / l->element_mass;
      double sum;
      const double *density = s->density[r].dev;
      if (s->d->share) {
        IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, density, s->d->share, NULL,
                           s->spare.dev));
        density = s->spare.dev;
      }
      IG_TRY(ig_topopt_dot(s->cx, s->d, density, l->limit[i].dev, &sum));
      e->limit[i] = sum / all;
      IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, s->dv.dev, l->limit[i].dev, NULL,
                         slope));
      IG_TRY(s->ops->mix(s->cx, n, 1 / all, slope, 0, slope, slope));
      continue;
    }
    if (!isnan(limit->stress)) {
      IG_TRY(ig_topopt_stress_evaluate(s, law, i, e, &e->limit[i], slope));
      continue;
    }
    if (!isnan(limit->distortion)) {
      IG_TRY(ig_topopt_distortion_evaluate(s, law, i, e, &e->limit[i], slope));
      continue;
    }
    if (!isnan(limit->support_volume) || !isnan(limit->removal_force)) {
      IG_TRY(ig_topopt_support_evaluate(s, law, i, &e->limit[i], slope));
      continue;
    }
    if (!isnan(limit->overheating)) {
      IG_TRY(ig_topopt_overheat_evaluate(s, law, i, e, &e->limit[i], slope));
      continue;
    }
    if (!isnan(limit->buckling)) {
      IG_TRY(ig_topopt_buckling_evaluate(s, law, i, e, &e->limit[i], slope));
      continue;
    }
    if (!isnan(limit->temperature) || !isnan(limit->member)) {
      IG_TRY(ig_topopt_pnorm_evaluate(s, law, i, e, &e->limit[i], slope));
      continue;
    }
    if (!isnan(limit->frequency)) {
      const double circle = 2 * acos(-1) * limit->frequency;
      IG_TRY(ig_topopt_modes_slope(s, law, r, circle * circle, &e->limit[i], slope));
      continue;
    }
    const int q = limit->load_case > 0 ? (int)limit->load_case - 1 : 0;
    const bool compliance = !isnan(limit->compliance);
    const double *u = s->u[r][q].dev, *adjoint = u;
    /* J per unit of f.u; with the adjoint of a displacement, m per unit of l.u */
    double scale = l->norm[q] * l->norm[q] / l->stiffness, bound = limit->compliance;
    if (s->large) {
      IG_TRY(large_slope(s, i, law, q, &e->limit[i]));
      continue;
    }
    if (!compliance) {
      start = ig_now();
      adjoint = s->limit_state[i].dev;
      IG_TRY(ig_topopt_turn_solve(s, ig_topopt_turn_mine(s) ? l->limit[i].dev : NULL,
                                  s->limit_state[i].dev, e));
      IG_TRY(ig_topopt_design_charge(s, IG_STAGE_SOLVE, &start));
      if (ig_topopt_turn_first(s))
        continue;
      scale = l->norm[q] * l->norm_limit[i] / l->stiffness;
      bound = limit->displacement;
    }
    IG_TRY(ig_topopt_limit_work(s, i, &e->limit[i]));
    IG_TRY(s->d->energy(s->d->self, adjoint, u, scale / bound, false, s->work.dev));
    if (compliance) {
      IG_TRY(ig_topopt_load_expansion_energy(s, q, scale / bound, s->work.dev));
      IG_TRY(ig_topopt_load_moved(s, q, u, &adjoint));
    }
    IG_TRY(ig_topopt_design_stiffen(s, s->work.dev));
    IG_TRY(s->ops->slope(s->cx, n, s->d->role, law, ig_topopt_design_filtered(s), s->density[r].dev,
                         s->work.dev, slope, s->spare.dev));
    IG_TRY(ig_topopt_load_direct(s, r, q, adjoint, (compliance ? 2 : 1) * scale / bound, false));
    IG_TRY(ig_topopt_load_add(s, s->spare.dev, slope));
  }
  return ig_topopt_design_charge(s, IG_STAGE_SENSITIVITY, &start);
}

/* --- making them --- */

static ig_status check_cycle(const ig_topopt_design *s, const ig_limit_case *limit) {
  const ig_cycle_case *c = &limit->cycle;
  if (isnan(limit->stress))
    return ig_fail_at(s->cx, &c->at, "constraints: cycle: is for a bound on the stress");
  if (!isnan(c->mean_stress) && !isnan(c->ultimate))
    return ig_fail_at(s->cx, &c->at, "constraints: cycle: give one of mean_stress and ultimate");
  if (c->ratio == -1 && (c->mean_stress > 0 || !isnan(c->ultimate)))
    return ig_fail_at(s->cx, &c->at,
                      "constraints: cycle: %s has no effect with ratio: -1, whose mean is 0",
                      isnan(c->ultimate) ? "mean_stress" : "ultimate");
  return IG_OK;
}

/* Exactly one quantity per entry, and everything that it needs. */
static ig_status check_limit(const ig_topopt_design *s, const ig_limit_case *limit) {
  const double given[] = {limit->volume,       limit->mass,           limit->compliance,
                          limit->displacement, limit->stress,         limit->temperature,
                          limit->frequency,    limit->member,         limit->buckling,
                          limit->distortion,   limit->support_volume, limit->removal_force,
                          limit->overheating};
  int count = 0;
  for (size_t i = 0; i < sizeof given / sizeof *given; i++)
    count += !isnan(given[i]);
  if (count != 1)
    return ig_fail_at(
        s->cx, &limit->at,
        "constraints: give one of volume, mass, compliance, displacement, stress, "
        "temperature, frequency, buckling, distortion, support_volume, removal_force, "
        "overheating and member");
  if (limit->cycle.at.given)
    IG_TRY(check_cycle(s, limit));
  if (!isnan(limit->mass) && !(s->loading->element_mass > 0))
    return ig_fail_at(s->cx, &limit->at, "constraints: mass: a material has no density: give it");
  if (!isnan(limit->displacement) && isnan(limit->direction[0]))
    return ig_fail_at(s->cx, &limit->at,
                      "constraints: displacement: along which direction? Give it, [0, -1, 0] for "
                      "example");
  if (!isnan(limit->temperature) && s->c->problem != IG_PROBLEM_HEAT)
    return ig_fail_at(s->cx, &limit->at, "constraints: temperature: is for heat problems");
  const bool loaded = !isnan(limit->compliance) || !isnan(limit->displacement) ||
                      !isnan(limit->stress) || !isnan(limit->temperature) ||
                      !isnan(limit->buckling);
  if (limit->load_case > s->loading->cases || (s->loading->cases == 0 && loaded))
    return ig_fail_at(s->cx, &limit->at, "constraints: there is no load case %d",
                      limit->load_case > 0 ? (int)limit->load_case : 1);
  return IG_OK;
}

/* One bound on a function of the design; a stress has as many as clusters. gcmma evaluates the
   distance moved as one more function (promised in gcmma.c): it has a slot less. */
static ig_status make_limit(ig_topopt_design *s, int of, int cluster) {
  ig_ctx *cx = s->cx;
  const ig_limit_case *limit = IG_ITEM(ig_limit_case, s->c->constraints, of);
  const int i = s->limits;
  const size_t n = (size_t)s->d->places;
  const int most = s->c->optimiser.method == IG_OPTIMISER_GCMMA ? IG_LIMITS - 1 : IG_LIMITS;
  if (i >= most)
    return ig_fail_at(cx, &limit->at, "constraints: at most %d, clusters of stresses counted",
                      most);
  s->limit_of[i] = of;
  s->cluster_of[i] = cluster;
  s->limits = i + 1;
  if (isnan(limit->compliance) && isnan(limit->frequency) && isnan(limit->buckling))
    IG_TRY(s->d->measure(s->d->self, limit, &s->loading->limit[i], &s->loading->norm_limit[i]));
  if (!isnan(limit->mass) && s->loading->heavy.dev) {
    double *counts = s->loading->limit[i].dev;
    IG_TRY(s->ops->map(cx, s->d->places, s->d->role, IG_MAP_PRODUCT, counts, s->loading->heavy.dev,
                       NULL, counts));
  }
  IG_TRY(ig_array_new_device(cx, &s->limit_slope[i], n, sizeof(double), "slopes"));
  IG_TRY(ig_array_zero(cx, &s->limit_slope[i]));
  const bool peak = !isnan(limit->stress) || !isnan(limit->temperature) || !isnan(limit->buckling);
  const bool bends = ig_topopt_large_asked(s->c) && !isnan(limit->compliance);
  if (isnan(limit->displacement) && !peak && !bends)
    return IG_OK;
  const bool all = peak && limit->load_case == 0;
  s->limit_states[i] = bends ? 0 : all ? s->loading->cases : 1; /* none: it is no first guess */
  const size_t nu = (size_t)s->d->unknowns * (all ? (size_t)s->loading->cases : 1);
  IG_TRY(ig_array_new_device(cx, &s->limit_state[i], nu, sizeof(double), "adjoint state"));
  return ig_array_zero(cx, &s->limit_state[i]);
}

/* Also makes what stresses and largest values need, since these may be objectives without any
   constraint. */
ig_status ig_topopt_limits_new(ig_topopt_design *s) {
  ig_ctx *cx = s->cx;
  const ig_topopt_case *c = s->c;
  bool stress = c->minimise == IG_MINIMISE_STRESS;
  bool peaks = c->minimise == IG_MINIMISE_TEMPERATURE;
  if (c->constraints.count == 0 && !stress && !peaks)
    return IG_OK;
  if (ig_topopt_method(c) != IG_OPTIMISER_MMA)
    return ig_fail_at(cx, c->constraints.count ? &ig_topopt_limit_case(s, 0)->at : &c->at,
                      "constraints: need optimiser: {method: mma}; oc knows the volume alone");
  for (int i = 0; i < c->constraints.count; i++) {
    const ig_limit_case *limit = IG_ITEM(ig_limit_case, c->constraints, i);
    IG_TRY(check_limit(s, limit));
    stress = stress || !isnan(limit->stress);
    peaks = peaks || !isnan(limit->temperature) || !isnan(limit->member);
    for (int k = 0; k < (isnan(limit->stress) ? 1 : c->stress.clusters); k++)
      IG_TRY(make_limit(s, i, k));
  }
  IG_TRY(ig_array_new_device(cx, &s->spare, (size_t)s->d->places, sizeof(double), "slopes"));
  IG_TRY(ig_array_zero(cx, &s->spare));
  IG_TRY(peaks ? ig_topopt_pnorm_new(s) : IG_OK);
  return stress ? ig_topopt_stress_new(s) : IG_OK;
}
