/* Bars of trusses: lines with an area, which `trusses` names. They stay lines where shells and
   beams become solids: three displacements at each node, stress along the axis alone
   (solid/solid.h), so that joints of trusses are hinges by themselves. */
#include "structure/structure.h"
#include "mesh/named.h"

#include <stdlib.h>

/* Lines of the drawn mesh that an entry names; other elements of its sets are left out. */
ig_status ig_structure_trusses_find(ig_structure *s) {
  if (!s->c->trusses.count)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &s->truss, (size_t)ig_mesh_elements(s->mesh) + 1, "trusses"));
  IG_TRY(IG_CLAIM(s->cx, s->mesh, &s->c->trusses, ig_structure_truss, NULL, s->truss));
  for (ig_lid e = 0; e < ig_mesh_elements(s->mesh); e++) {
    ig_lid local;
    if (ig_elem_info_get(ig_mesh_element(s->mesh, e, &local)->type)->dim != 1)
      s->truss[e] = -1;
  }
  return IG_OK;
}

bool ig_structure_is_truss(const ig_structure *s, ig_lid element) {
  return s->truss && s->truss[element] >= 0;
}

/* After the groups of elements are made: each bar gets the rule of its section. */
ig_status ig_structure_trusses_read(ig_structure *s) {
  if (!s->truss)
    return IG_OK;
  const int entries = s->c->trusses.count;
  IG_TRY(IG_NEW(s->cx, &s->bar, 2 * (size_t)entries, "trusses"));
  for (int i = 0; i < 2 * entries; i++)
    s->bar[i] = ig_solid_bar_rule(i % 2 ? IG_SOLID_BAR3 : IG_SOLID_BAR2,
                                  IG_ITEM(const ig_structure_truss, s->c->trusses, i / 2)->area);
  for (int k = 0; k < s->groups; k++) {
    ig_structure_group *g = &s->group[k];
    for (int32_t e = 0; e < g->count && g->kind >= IG_SOLID_VOLUMES; e++) {
      const int i = s->truss[g->element[e]];
      const ig_structure_truss *c = IG_ITEM(const ig_structure_truss, s->c->trusses, i);
      const ig_material_case *m = s->material[g->material[e]];
      if (m->own_law)
        return ig_fail_at(s->cx, &c->at, "trusses have no `own_law`: model '%s' by solid elements",
                          m->name);
      if (m->stiffness.count || m->engineering_constants.count || g->axes)
        return ig_fail_at(s->cx, &c->at, "trusses are isotropic: '%s' is not, or has axes",
                          m->name);
      IG_TRY(ig_structure_laws_own(s, g));
      g->law[e].rule = &s->bar[2 * i + (g->kind == IG_SOLID_BAR3)];
    }
    for (int i = 0; i < s->c->analysis.count && g->kind >= IG_SOLID_VOLUMES; i++)
      if (IG_ITEM(const ig_structure_analysis, s->c->analysis, i)->kind == IG_STRUCTURE_HEAT)
        return ig_fail_at(s->cx, &IG_ITEM(const ig_structure_truss, s->c->trusses, 0)->at,
                          "heat is not computed in trusses");
  }
  return IG_OK;
}
