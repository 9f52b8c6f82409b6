/* Stresses that elements have at no strain. They are part of the law of an element: the first
   analysis finds the displacements at which they are in equilibrium.

   Why a law and not a load: the stress follows the element in large displacements, is part of
   reported stresses, and stiffens modes. Elastic materials only: a yielding one would need its
   history at the start. */
#include "structure/structure.h"
#include "mesh/named.h"

#include <stdlib.h>
#include <string.h>

/* in: elements of the set. Points are numbered from 1, 0 means all of them. Each element then
   has a law of its own that points to its stresses in g->initial. */
static ig_status group_set(ig_structure *s, ig_structure_group *g, const ig_structure_prestress *c,
                           const uint8_t *in) {
  const int points = ig_solid_info_get(g->kind)->points;
  for (int32_t e = 0; e < g->count; e++) {
    if (!in[g->element[e]])
      continue;
    if (s->law[g->material[e]].law != IG_LAW_ELASTIC)
      return ig_fail_at(s->cx, &c->at,
                        "stresses at the start are for elastic materials: '%s' is another one",
                        s->material[g->material[e]]->name);
    if (ig_structure_law(g, e)->rule)
      return ig_fail_at(s->cx, &c->at,
                        "stresses at the start are not for hollow beams and trusses");
    if (c->point > points)
      return ig_fail_at(s->cx, &c->at, "`point` is %lld: a %s has %d", (long long)c->point,
                        ig_solid_info_get(g->kind)->name, points);
    IG_TRY(ig_structure_laws_own(s, g));
    if (!g->initial)
      IG_TRY(IG_NEW(s->cx, &g->initial, (size_t)g->count * (size_t)points * 6, "stresses"));
    double *own = g->initial + (size_t)e * (size_t)points * 6;
    g->law[e].initial = own;
    g->law[e].points = points;
    for (int q = 0; q < points; q++)
      if (c->point == 0 || c->point == q + 1)
        memcpy(own + (size_t)q * 6, c->stress, sizeof c->stress);
  }
  return IG_OK;
}

/* Entries are applied in their order; the last one for a point counts. */
ig_status ig_structure_prestress_read(ig_structure *s) {
  const size_t elements = (size_t)ig_mesh_elements(s->mesh);
  uint8_t *in;
  ig_status status = IG_OK;
  if (!s->c->initial_stresses.count)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &in, elements + 1, "stresses"));
  for (int i = 0; i < s->c->initial_stresses.count && status == IG_OK; i++) {
    const ig_structure_prestress *c =
        IG_ITEM(const ig_structure_prestress, s->c->initial_stresses, i);
    const ig_set *set;
    status = ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_ELEMENTS, &set);
    for (ig_lid k = 0; status == IG_OK && k < set->count; k++)
      in[set->item[k]] = 1;
    for (int g = 0; g < s->groups && status == IG_OK; g++)
      status = group_set(s, &s->group[g], c, in);
    for (ig_lid k = 0; status == IG_OK && k < set->count; k++)
      in[set->item[k]] = 0;
  }
  free(in);
  return status;
}
