/* Creep of isotropic materials in static analyses with `creep: true` (laws: material/creep.inc).

   A point keeps its inelastic strain (tensor components), the accumulated inelastic strain, the
   parts of it by creep and by yielding, the equivalent stress, and by how much the creep strain of
   the last step would be another one at the stress of its start. A step is implicit (backward
   Euler): with the trial stress q and the new one s,
     s = q - 3 G (dc + dp),   dc = creep of the step at s,   dp = growth of the yield stress to s.
   Both parts follow the trial deviator, so that the tangent is that of radial return with the
   hardening 1 / (d dc / ds + d dp / ds). */
#include "kern/hd.h"
#include "material/creep.inc"
#include "structure/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The laws add up small strains: beyond this they, and the equilibrium, mean nothing. */
#define MOST_STRAIN 1.0

enum { STRAIN = 0, ALL = 6, CREEP, YIELDED, STRESS, CHANGE, STATES };

bool ig_structure_has_creep(const ig_structure_case *c) {
  for (int i = 0; i < c->analysis.count; i++)
    if (IG_ITEM(const ig_structure_analysis, c->analysis, i)->creep)
      return true;
  return false;
}

/* Plastic strain at which the yield stress has grown to s, less that so far; its derivative. A
   material that does not harden takes any. */
static double yielded_at(const ig_material_case *m, const ig_solid_here *here, double before,
                         double s, double *derivative) {
  const ig_table *curve = &m->hardening_curve;
  double at = here->hardening > 0 ? (s - here->yield) / here->hardening
              : s > here->yield   ? INFINITY
                                  : 0;
  *derivative = here->hardening > 0 ? 1 / here->hardening : INFINITY;
  if (curve->count) {
    int i = 1;
    while (i < curve->count && curve->y[i] < s)
      i++;
    const bool beyond = i == curve->count;
    const double rise = beyond ? 0 : curve->y[i] - curve->y[i - 1];
    at = s <= curve->y[0] ? 0
         : rise > 0
             ? curve->x[i - 1] + (curve->x[i] - curve->x[i - 1]) * (s - curve->y[i - 1]) / rise
             : INFINITY;
    *derivative = rise > 0 ? (curve->x[i] - curve->x[i - 1]) / rise : INFINITY;
  }
  if (!(at > before)) {
    *derivative = 0;
    return 0;
  }
  return at - before;
}

/* The stress that is left of q: yielding may bound it below what creep leaves. */
static double left_of(const ig_material_case *m, const ig_solid_here *here, double before,
                      const ig_creep_step *c, double q, double g) {
  double none, low = 0, high = ig_creep_left(c, q, g);
  if (isnan(here->yield) || yielded_at(m, here, before, high, &none) == 0)
    return high;
  for (int i = 0; i < 200 && high - low > 1e-15 * q; i++) {
    const double s = 0.5 * (low + high);
    if (q - g * (ig_creep_grown(c, s) + yielded_at(m, here, before, s, &none)) > s)
      low = s;
    else
      high = s;
  }
  return 0.5 * (low + high);
}

/* K 1 x 1 + a I_dev - b n x n, on engineering strains. */
static void tangent_fill(double bulk, double a, double b, const double n[6], double D[36]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      const double own = i != j ? 0 : i < 3 ? a : a / 2;
      D[6 * i + j] = own + (i < 3 && j < 3 ? bulk - a / 3 : 0) - b * n[i] * n[j];
    }
}

static ig_creep_step step_of(const ig_creep_case *c, const ig_solid_own *own, double T,
                             double creep) {
  const double factor = c->energy > 0 ? ig_creep_factor(c->factor, c->energy, T) : c->factor;
  return ig_creep_hardening(factor, c->power, c->time_power, c->hardening == IG_CREEP_STRAIN,
                            fmax(0, own->time - own->step), own->step, creep);
}

/* Callback of ig_solid_own; see the head of the file. */
static bool creep_stress(const ig_solid_own *own, const ig_solid_here *here, const double strain[6],
                         const double *past, double *now, double stress[6], double tangent[36]) {
  const ig_material_case *m = own->law;
  const double bulk = here->young / (3 * (1 - 2 * here->poisson)),
               shear = here->young / (2 * (1 + here->poisson));
  double e[6], n[6] = {0}, q2 = 0;
  for (int i = 0; i < 6; i++)
    e[i] = (i < 3 ? strain[i] : strain[i] / 2) - past[STRAIN + i];
  const double sum = e[0] + e[1] + e[2];
  for (int i = 0; i < 6; i++) {
    e[i] = 2 * shear * (i < 3 ? e[i] - sum / 3 : e[i]);
    q2 += (i < 3 ? 1.5 : 3.0) * e[i] * e[i];
  }
  memcpy(now, past, STATES * sizeof *now);
  const double q = sqrt(q2), g = 3 * shear;
  const ig_creep_step c = step_of(&m->mechanical.creep, own, here->T, past[CREEP]);
  double part, s = q > 0 ? left_of(m, here, past[YIELDED], &c, q, g) : 0, keep = 1, b = 0;
  if (s < q * (1 - 1e-15)) {
    const double all = (q - s) / g, grown = fmin(ig_creep_grown(&c, s), all);
    yielded_at(m, here, past[YIELDED], s, &part);
    part = isnan(here->yield) ? 0 : part;
    const double soft = ig_creep_derivative(&c, s, grown) + part;
    keep = s / q;
    b = 2 * shear * ((soft > 0 ? g / (g + 1 / soft) : 0) - (1 - keep));
    for (int i = 0; i < 6; i++) {
      n[i] = sqrt(1.5) * e[i] / q;
      now[STRAIN + i] += 1.5 * all * e[i] / q;
    }
    now[ALL] += all;
    now[CREEP] += grown;
    now[YIELDED] += all - grown;
  }
  now[STRESS] = s;
  now[CHANGE] = fabs(ig_creep_grown(&c, s) - ig_creep_grown(&c, past[STRESS]));
  for (int i = 0; i < 6; i++)
    stress[i] = keep * e[i] + (i < 3 ? bulk * sum : 0);
  tangent_fill(bulk, 2 * shear * keep, b, n, tangent);
  return isfinite(s) && isfinite(b);
}

bool ig_structure_creeps(const ig_solid_law *law) {
  return law->law >= IG_LAW_OWN && law->own.stress == creep_stress;
}

ig_status ig_structure_creep_law(ig_structure *s, const ig_material_case *m, ig_solid_law *law) {
  if (law->law == IG_LAW_KINEMATIC)
    return ig_fail_at(s->cx, &m->at, "material '%.60s': creep is not for kinematic hardening",
                      m->name);
  if (m->mechanical.creep.hardening == IG_CREEP_STRAIN && m->mechanical.creep.time_power == 0)
    return ig_fail_at(s->cx, &m->mechanical.creep.at,
                      "`hardening` has no effect without `time_power`: leave it out");
  if (m->mechanical.creep.energy > 0 && s->c->initial_temperatures.count == 0)
    return ig_fail_at(s->cx, &m->mechanical.creep.at,
                      "creep with an activation `energy` depends on temperature: give "
                      "`initial_temperatures`");
  if (law->law == IG_LAW_ELASTIC)
    law->yield = NAN;
  law->law = IG_LAW_OWN + STATES;
  law->own = (ig_solid_own){.stress = creep_stress, .law = m, .plastic = ALL + 1};
  return IG_OK;
}

typedef struct {
  double most;
  long long element; /* by its number in the mesh's file, or from 1 */
  const ig_material_case *material;
} worst;

/* Largest value of a state (CREEP, CHANGE) over the trial, and where. */
static worst worst_of(const ig_structure *s, int state) {
  worst w = {0};
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    for (int32_t e = 0; e < g->count; e++) {
      const double *now = g->now + (size_t)e * (size_t)g->states;
      const ig_solid_law *law = ig_structure_law(g, e);
      if (!ig_structure_creeps(law))
        continue;
      for (int q = 0; q < ig_structure_point_count(g, e); q++)
        if (now[STATES * q + state] > w.most)
          w = (worst){now[STATES * q + state],
                      s->mesh->element_number ? s->mesh->element_number[g->element[e]]
                                              : (long long)g->element[e] + 1,
                      law->own.law};
    }
  }
  return w;
}

bool ig_structure_creep_fits(const ig_structure *s, char *why, size_t size) {
  const worst w = s->creeping ? worst_of(s, CHANGE) : (worst){0};
  if (w.most <= s->creep_change)
    return true;
  snprintf(why, size,
           "the creep strain of a step changes by %.2g with its stress, more than `creep_change`, "
           "in element %lld",
           w.most, w.element);
  return false;
}

ig_status ig_structure_creep_check(const ig_structure *s) {
  const worst w = s->creeping ? worst_of(s, CREEP) : (worst){0};
  if (w.most <= MOST_STRAIN)
    return IG_OK;
  return ig_fail_at(s->cx, &w.material->mechanical.creep.at,
                    "element %lld has crept by a strain of %.3g at %.6g s, and laws of creep are "
                    "for small strains: check the unit of `factor` (stresses are in Pa), `power` "
                    "and the loads, or end the analysis earlier",
                    w.element, w.most, s->time);
}
