/* Supports of thin walls or struts as a continuum: the values of the metal become those of a body
   that has the outer size of the support. Isotropic: along walls and columns they are exact with
   exponents of 1, across them less is right (docs/explanation/stress.md). */
#include "material/material.h"

#include <math.h>

static void table_scale(ig_table *t, double by) {
  for (int i = 0; i < t->count; i++)
    t->y[i] *= by;
}

/* Volume share of metal, without perforation. */
static ig_status share_of(ig_ctx *cx, const ig_homogenised_case *h, double *share) {
  const bool walls = !isnan(h->wall) && !isnan(h->spacing);
  *share = h->share;
  if (isnan(h->wall) != isnan(h->spacing) || walls == !isnan(h->share))
    return ig_fail_at(cx, &h->at, "`homogenised` needs either `share`, or `wall` and `spacing`");
  if (!walls)
    return IG_OK;
  if (!(h->wall <= h->spacing))
    return ig_fail_at(cx, &h->at, "walls of %g m are thicker than their spacing, %g m", h->wall,
                      h->spacing);
  const double one = h->wall / h->spacing;
  *share = h->kind == IG_WALLS_BLOCK ? 2 * one - one * one : one;
  return IG_OK;
}

ig_status ig_material_homogenise(ig_ctx *cx, ig_material_case *m) {
  const ig_homogenised_case *h = &m->homogenised;
  ig_mechanical_case *t = &m->mechanical;
  double share;
  if (!h->at.given)
    return IG_OK;
  IG_TRY(share_of(cx, h, &share));
  /* walls with holes: Mori and Tanaka's estimate of a plate in tension, Maxwell's of its
     conductivity; the narrowest section of square holes in rows carries the strength */
  const double p = h->perforation;
  const double stiffness = pow(share, h->stiffness_exponent) * (1 - p) / (1 + 2 * p);
  const double strength = pow(share, h->strength_exponent) * (1 - sqrt(p));
  const double conductivity = pow(share, h->conductivity_exponent) * (1 - p) / (1 + p);
  table_scale(&m->density, share * (1 - p));
  table_scale(&m->conductivity, conductivity);
  table_scale(&m->powder_conductivity, conductivity);
  m->young *= stiffness;
  table_scale(&t->young, stiffness);
  for (int i = 0; i < m->stiffness.count; i++)
    m->stiffness.value[i] *= stiffness;
  for (int i = 0; i < m->engineering_constants.count; i++) /* Poisson's ratios are 3 to 5 */
    m->engineering_constants.value[i] *= i < 3 || i > 5 ? stiffness : 1;
  /* stresses at a strain: moduli beyond yield as the yield stress, so that curves keep their shape
     over plastic strain; a tangent modulus is no such modulus, but far below Young's */
  double *const stress[] = {&m->yield,
                            &m->tangent,
                            &m->hardening,
                            &m->kinematic,
                            &m->johnson_cook.b,
                            &m->cohesive_strength,
                            &m->cohesive_strength_shear};
  for (size_t i = 0; i < sizeof stress / sizeof *stress; i++)
    *stress[i] *= strength;
  ig_table *const table[] = {&t->yield,
                             &t->tangent,
                             &t->hardening,
                             &t->kinematic,
                             &m->hardening_curve,
                             &t->transformation.yield,
                             &t->transformation.hardening};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    table_scale(table[i], strength);
  /* the metal has the stress of the support over `strength` */
  if (t->creep.at.given)
    t->creep.factor *= pow(strength, -t->creep.power);
  t->transformation.trip /= strength;
  m->fracture_energy *= share * (1 - p);
  m->fracture_energy_shear *= share * (1 - p);
  return IG_OK;
}
