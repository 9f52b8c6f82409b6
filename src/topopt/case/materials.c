/* Moduli of the solid, element by element: one material, or several with sets of their own, or
   several to choose from.

   Element arrays hold the ratio to the first material (`scale`, `heavy`), so that a case with
   one material needs no array at all, and the solver works in units of the first one's modulus. */
#include "topopt/case/boundary_conditions.h"
#include "material/material.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const ig_topopt_points *p;
  int *owner, number;
} claim;
static void claim_element(void *user, int64_t place, double weight) {
  (void)weight;
  const claim *c = user;
  if (ig_topopt_in_places(c->p, place))
    c->owner[place] = c->number;
}

/* Bounds the arrays on the stack below. */
enum { MOST = 64 }; /* materials */

/* owner[e], from 1, -1: nobody: the last material that names a set with e; one without sets, and
   one alone, takes what is left. Two passes: materials without sets take everything first, those
   with sets take theirs back. */
static ig_status claim_elements(const ig_topopt_points *p, const ig_list *materials, int *owner) {
  const ig_place everywhere = {0};
  const ig_material_case *rest = NULL;
  claim c = {p, owner, -1};
  for (int m = 0; m < materials->count; m++) {
    const ig_material_case *material = IG_ITEM(ig_material_case, *materials, m);
    if (material->set.count == 0 && rest)
      return ig_fail_at(p->cx, &material->at,
                        "materials: neither '%.40s' nor '%.40s' has a `set`: one alone takes the "
                        "elements that are left; name the elements of the other, or let elements "
                        "choose by `choose_material: true`",
                        rest->name, material->name);
    rest = material->set.count == 0 ? material : rest;
  }
  IG_TRY(p->each(p->self, (ig_where){&p->c->at, NULL, &everywhere}, IG_POINT_ELEMENTS,
                 claim_element, &c));
  for (int pass = 0; pass < 2; pass++)
    for (int m = 0; m < materials->count; m++) {
      const ig_material_case *material = IG_ITEM(ig_material_case, *materials, m);
      c.number = m + 1;
      if (pass == 0 && material->set.count == 0)
        IG_TRY(p->each(p->self, (ig_where){&material->at, NULL, &everywhere}, IG_POINT_ELEMENTS,
                       claim_element, &c));
      for (int s = 0; pass == 1 && s < material->set.count; s++)
        IG_TRY(p->each(p->self, (ig_where){&material->at, material->set.value[s], &everywhere},
                       IG_POINT_ELEMENTS, claim_element, &c));
    }
  return IG_OK;
}

/* Plane strain is plane stress of another material: E / (1 - nu^2) and nu / (1 - nu). */
static void strain_read(const ig_topopt_points *p, double *young, double *poisson) {
  if (p->dim != 2 || p->c->plane != IG_PLANE_STRAIN)
    return;
  *young /= 1 - *poisson * *poisson;
  *poisson /= 1 - *poisson;
}

/* The values a material must give. */
static ig_status read_material(const ig_topopt_points *p, const ig_material_case *m,
                               double *stiffness, double *poisson) {
  const bool heat = p->c->problem == IG_PROBLEM_HEAT;
  IG_TRY(ig_material_require(p->cx, m, heat ? "conductivity" : "young|poisson", "topopt"));
  if (heat && m->conductivity.count > 1)
    ig_warn_at(p->cx, &m->at,
               "conductivity: topopt takes one value, the first of the table: %g W/(m K)",
               m->conductivity.y[0]);
  *stiffness = heat ? m->conductivity.y[0] : m->young;
  *poisson = heat ? 0 : m->poisson;
  if (!heat)
    strain_read(p, stiffness, poisson);
  return *stiffness > 0
             ? IG_OK
             : ig_fail_at(p->cx, &m->at, "%s must be more than 0", heat ? "conductivity" : "young");
}

/* Values over the first material's; elements of nobody fail, and materials without elements.
   Counts own elements only: the sum over ranks is that of the whole. */
static ig_status fill_scale(const ig_topopt_points *p, const ig_list *materials, const double *own,
                            const double *nu, double *scale, double *poisson) {
  int *owner;
  int64_t count[MOST + 1] = {0}; /* without material; of each material */
  ig_status status = IG_NEW(p->cx, &owner, p->places, "element materials");
  if (status == IG_OK)
    status = claim_elements(p, materials, owner);
  status = ig_topopt_points_meet(p, status);
  for (int64_t i = 0; status == IG_OK && i < p->places; i++) {
    const bool own_place = i >= ig_topopt_own_begin(p) && i < ig_topopt_own_end(p, p->places);
    if (own_place && owner[i] != 0)
      count[owner[i] > 0 ? owner[i] : 0]++;
    scale[i] = owner[i] > 0 ? own[owner[i] - 1] / own[0] : 0;
    if (poisson)
      poisson[i] = owner[i] > 0 ? nu[owner[i] - 1] : nu[0];
  }
  if (status == IG_OK && p->slab)
    status = ig_slab_count(p->slab, count, materials->count + 1);
  if (status == IG_OK && count[0])
    status = ig_fail_at(p->cx, &IG_ITEM(ig_material_case, *materials, 0)->at,
                        "materials: %lld elements are in no material's sets: leave 'set' out of "
                        "one material, it takes the rest",
                        (long long)count[0]);
  for (int m = 0; status == IG_OK && m < materials->count; m++) {
    const ig_material_case *material = IG_ITEM(ig_material_case, *materials, m);
    if (count[m + 1] == 0)
      status = ig_fail_at(
          p->cx, &material->at, "materials: no element is made of '%.40s': %s, or leave it out",
          material->name,
          material->set.count ? "its sets are empty, or later materials take all of their "
                                "elements: give it another `set`"
                              : "the sets of the others take all: make one smaller");
  }
  free(owner);
  return status;
}

/* Without any material the solid has modulus 1 and Poisson's ratio 0.3: designs of compliance
   problems do not depend on the modulus. One material without sets needs no array per element. */
ig_status ig_topopt_points_materials(const ig_topopt_points *p, const ig_list *materials,
                                     double *stiffness, double *poisson, ig_array *scale,
                                     ig_array *poissons) {
  double own[MOST], nu[MOST];
  const int count = materials ? materials->count : 0;
  bool differ = false;
  *stiffness = 1;
  *poisson = 0.3;
  strain_read(p, stiffness, poisson);
  if (count > MOST)
    return ig_fail_at(p->cx, &p->c->at, "materials: at most %d", MOST);
  for (int m = 0; m < count; m++) {
    const ig_material_case *material = IG_ITEM(ig_material_case, *materials, m);
    IG_TRY(read_material(p, material, &own[m], &nu[m]));
    differ |= nu[m] != nu[0];
    if (differ && !poissons)
      return ig_fail_at(p->cx, &material->at,
                        "poisson: %g here and %g in the first material: a grid has one Poisson's "
                        "ratio for all, moduli may differ; on a 'mesh' both may",
                        nu[m], nu[0]);
    *stiffness = own[0];
    *poisson = nu[0];
  }
  if (count == 0 || (count == 1 && IG_ITEM(ig_material_case, *materials, 0)->set.count == 0))
    return IG_OK;
  ig_status status =
      ig_array_new(p->cx, scale, (size_t)p->places, sizeof(double), "moduli of the solid");
  if (status == IG_OK && differ)
    status = ig_array_new(p->cx, poissons, (size_t)p->places, sizeof(double), "Poisson's ratios");
  IG_TRY(ig_topopt_points_meet(p, status));
  IG_TRY(fill_scale(p, materials, own, nu, scale->host, differ ? poissons->host : NULL));
  IG_TRY(differ ? ig_array_push(p->cx, poissons) : IG_OK);
  return ig_array_push(p->cx, scale);
}

/* Sorted by density while they are read (insertion sort). Each must be stiffer than the lighter
   ones: otherwise it could never be chosen. Densities and moduli are relative to the heaviest,
   whose density in the design is 1. */
ig_status ig_topopt_points_candidates(const ig_topopt_points *p, const ig_list *materials,
                                      double *stiffness, double *poisson, double *density,
                                      ig_loading *to) {
  const int count = materials ? materials->count : 0;
  const ig_topopt_case *c = p->c;
  double modulus[IG_CANDIDATES], mass[IG_CANDIDATES], nu = 0;
  if (count < 1 || count > IG_CANDIDATES)
    return ig_fail_at(p->cx, &c->at, "choose_material: give 1 to %d materials", IG_CANDIDATES);
  for (int m = 0; m < count; m++) {
    const ig_material_case *material = IG_ITEM(ig_material_case, *materials, m);
    double e, own;
    IG_TRY(read_material(p, material, &e, &own));
    IG_TRY(ig_material_require(p->cx, material, "density", "choose_material"));
    if (material->set.count)
      return ig_fail_at(p->cx, &material->at, "set: elements choose their material: leave it out");
    if (m > 0 && own != nu)
      return ig_fail_at(p->cx, &material->at,
                        "poisson: materials to choose from have one, moduli differ");
    nu = own;
    int at = m; /* lightest first */
    for (; at > 0 && mass[at - 1] > material->density.y[0]; at--) {
      mass[at] = mass[at - 1];
      modulus[at] = modulus[at - 1];
      to->candidate[at] = to->candidate[at - 1];
    }
    mass[at] = material->density.y[0];
    modulus[at] = e;
    to->candidate[at] = material->name;
  }
  for (int m = 0; m < count; m++) {
    if (m > 0 && mass[m] == mass[m - 1])
      return ig_fail_at(p->cx, &c->at, "choose_material: two materials have the density %g kg/m^3",
                        mass[m]);
    if (m > 0 && modulus[m] <= modulus[m - 1])
      return ig_fail_at(p->cx, &c->at,
                        "choose_material: '%.40s' is heavier and no stiffer than '%.40s': leave "
                        "it out",
                        to->candidate[m], to->candidate[m - 1]);
    to->candidate_density[m] = mass[m] / mass[count - 1];
    to->candidate_modulus[m] = modulus[m] / modulus[count - 1];
  }
  to->candidates = count;
  *stiffness = modulus[count - 1];
  *density = mass[count - 1];
  *poisson = nu;
  return IG_OK;
}

/* A density that is missing is no error here: only weight, masses and frequencies need it. */
ig_status ig_topopt_points_densities(const ig_topopt_points *p, const ig_list *materials,
                                     double *density, ig_array *heavy) {
  double own[MOST];
  const int count = materials ? materials->count : 0;
  *density = count ? NAN : 1;
  bool alike = true;
  for (int m = 0; m < count && m < MOST; m++) {
    const ig_material_case *material = IG_ITEM(ig_material_case, *materials, m);
    own[m] = material->density.count > 0 ? material->density.y[0] : NAN;
    *density = m == 0 || isnan(own[m]) ? own[m] : *density;
    if (isnan(own[m]))
      return IG_OK; /* reported where it is needed */
    alike = alike && own[m] == own[0];
  }
  if (alike)
    return IG_OK;
  IG_TRY(ig_topopt_points_meet(
      p, ig_array_new(p->cx, heavy, (size_t)p->places, sizeof(double), "densities of the solid")));
  IG_TRY(fill_scale(p, materials, own, NULL, heavy->host, NULL));
  return ig_array_push(p->cx, heavy);
}

/* Uniform: the free expansion of the whole body is then a displacement without stress, of which
   design/load.c makes the loads. */
ig_status ig_topopt_points_expansion(const ig_topopt_points *p, const ig_list *materials,
                                     double *strain) {
  const ig_topopt_case *c = p->c;
  double first = NAN;
  *strain = 0;
  if (c->temperature_change == 0)
    return IG_OK;
  if (p->size == 1 || c->problem == IG_PROBLEM_FREQUENCY)
    return ig_fail_at(p->cx, &c->at, "temperature_change: is for problem: stiffness and mechanism");
  if (p->dim == 2 && c->plane == IG_PLANE_STRAIN)
    return ig_fail_at(p->cx, &c->at, "temperature_change: not with plane: strain");
  if (c->choose_material)
    return ig_fail_at(p->cx, &c->at, "temperature_change: not with choose_material");
  for (int m = 0; materials && m < materials->count; m++) {
    const ig_material_case *material = IG_ITEM(ig_material_case, *materials, m);
    const ig_table *t = &material->mechanical.expansion;
    if (t->count != 1)
      return ig_fail_at(p->cx, &material->at,
                        "temperature_change: give the material mechanical.expansion, one number");
    first = isnan(first) ? t->y[0] : first;
    if (t->y[0] != first)
      return ig_fail_at(p->cx, &material->at,
                        "temperature_change: expansion %g here and %g in the first material: one "
                        "for all is supported",
                        t->y[0], first);
  }
  if (isnan(first))
    return ig_fail_at(p->cx, &c->at,
                      "temperature_change: needs a material with mechanical.expansion");
  *strain = first * c->temperature_change;
  return IG_OK;
}
