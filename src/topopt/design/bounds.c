/* Constraints with their values and bounds, in the units of the case: one place for the
   results of a run and the decision whether a design is feasible. Slot -1 is the volume.

   Optimisers meet bounds to their own tolerance, so a constraint counts as met within a small
   slack. */
#include "topopt/design/buckling.h"
#include "topopt/design/modes.h"
#include "topopt/design/pnorm.h"
#include "topopt/output.h"

#include <math.h>

/* over its bound by more than this share a constraint is not met */
static const double slack = 1e-3;

/* a stress, whose place may change with every design, by more than this. The largest stress is not
   differentiable, and its smooth replacement is corrected only after an iteration. */
static const double stress_slack = 2e-3;

/* Stresses, temperatures and members are judged by the largest value itself (e->peak), not by
   the norm that the optimiser works with; frequencies by the lowest mode. */
ig_topopt_bound ig_topopt_bound_of(const ig_topopt_design *s, const ig_evaluation *e, int i) {
  if (i < 0)
    return (ig_topopt_bound){"volume", "", e->volume, ig_topopt_volume(s->c), slack, false};
  const ig_limit_case *l = ig_topopt_limit_case(s, i);
  if (!isnan(l->frequency))
    return (ig_topopt_bound){"frequency",  "Hz",  ig_topopt_modes_hertz(s, 0),
                             l->frequency, slack, true};
  if (!isnan(l->buckling))
    return (ig_topopt_bound){"buckling",  "",    ig_topopt_buckling_least(s, i),
                             l->buckling, slack, true};
  ig_topopt_bound b = {"volume", "", 0, l->volume, slack, false};
  if (!isnan(l->compliance))
    b = (ig_topopt_bound){
        "compliance", s->c->problem == IG_PROBLEM_HEAT ? "W K" : "J", 0, l->compliance, slack,
        false};
  if (!isnan(l->displacement))
    b = (ig_topopt_bound){"displacement", "m", 0, l->displacement, slack, false};
  if (!isnan(l->mass))
    b = (ig_topopt_bound){"mass", "kg", 0, l->mass, slack, false};
  if (!isnan(l->stress))
    b = (ig_topopt_bound){"stress", "Pa", 0, l->stress, stress_slack, false};
  if (!isnan(l->temperature))
    b = (ig_topopt_bound){"temperature", "K", 0, l->temperature, stress_slack, false};
  if (!isnan(l->member)) /* solid share of the fullest ball */
    b = (ig_topopt_bound){"member", "", 0, IG_MEMBER_SHARE, stress_slack, false};
  if (!isnan(l->distortion))
    b = (ig_topopt_bound){"distortion", "m", 0, l->distortion, slack, false};
  if (!isnan(l->support_volume))
    b = (ig_topopt_bound){"support_volume", "m^3", 0, l->support_volume, slack, false};
  if (!isnan(l->removal_force))
    b = (ig_topopt_bound){"removal_force", "N", 0, l->removal_force, slack, false};
  if (!isnan(l->overheating))
    b = (ig_topopt_bound){"overheating", "", 0, l->overheating, stress_slack, false};
  const bool peak =
      !isnan(l->stress) || !isnan(l->temperature) || !isnan(l->member) || !isnan(l->overheating);
  b.value = (peak ? e->peak[i] : e->limit[i]) * b.bound;
  return b;
}

/* Share by which a bound is exceeded beyond its slack; at most 0 where it is met. */
double ig_topopt_bound_excess(const ig_topopt_bound *b) {
  return (b->least ? b->bound / b->value : b->value / b->bound) - 1 - b->slack;
}

/* The largest excess of the volume and all constraints. */
double ig_topopt_excess(const ig_topopt_design *s, const ig_evaluation *e) {
  double worst = -INFINITY;
  for (int i = -1; i < s->limits; i++) {
    const ig_topopt_bound b = ig_topopt_bound_of(s, e, i);
    const double over = ig_topopt_bound_excess(&b);
    worst = isnan(worst) || over <= worst ? worst : over; /* what is no number is over any bound */
  }
  return worst;
}
