/* Stresses at the nodes as drawn (solid/nodal.h): of solids, of the solids that shells and beams
   became, whose nodes are around the drawn one, and of trusses. The largest of them counts. */
#include "solid/nodal.h"
#include "structure/structure.h"

#include <stdlib.h>
#include <string.h>

/* Stresses jump between bars, even of one material: each is a kind of its own. */
static ig_status elements_add(const ig_structure *s, ig_nodal *to) {
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    for (int32_t e = 0; e < g->count; e++) {
      double report[IG_SOLID_POINTS * IG_SOLID_REPORT];
      const bool bar = g->kind >= IG_SOLID_VOLUMES;
      IG_TRY(ig_structure_report(s, g, e, NULL, report));
      IG_TRY(ig_nodal_add_solid(to, g->kind, ig_structure_law(g, e)->rule, g->node[e],
                                bar ? -1 - g->element[e] : g->material[e], report,
                                IG_SOLID_REPORT));
    }
  }
  return IG_OK;
}

bool ig_structure_has_shells(const ig_structure *s) {
  for (int32_t k = 0; k < s->members; k++)
    if (s->member[k].side)
      return true;
  return false;
}

ig_status ig_structure_stresses(const ig_structure *s, ig_nodal_stress *out) {
  ig_nodal all;
  IG_TRY(ig_nodal_new(s->cx, s->nodes, false, &all));
  const ig_status status = elements_add(s, &all);
  for (ig_lid n = 0; n < s->drawn && status == IG_OK; n++)
    ig_nodal_get(&all, n, &out[n]);
  for (int32_t k = 0; k < s->members && status == IG_OK; k++) {
    const ig_structure_member *m = &s->member[k];
    ig_nodal_stress *to = &out[m->of], here;
    ig_nodal_get(&all, m->node, &here);
    /* surfaces of the section whose stress is largest so far, of all sections at the node */
    if (m->side && here.mises > ig_nodal_mises(to->surface[m->side < 0]))
      memcpy(to->surface[m->side < 0], here.stress, sizeof here.stress);
    if (here.mises > to->mises) {
      to->mises = here.mises;
      memcpy(to->stress, here.stress, sizeof here.stress);
    }
  }
  ig_nodal_free(&all);
  return status;
}
