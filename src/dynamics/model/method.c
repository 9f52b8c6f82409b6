/* How an analysis is made where the case leaves it open. */
#include "dynamics/dynamics.h"
#include "core/union_find.h"
#include "dynamics/model/model.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdlib.h>

/* Whether elements join all nodes of the mesh: contact is then that of a body with itself. */
static ig_status one_body(ig_dyn_model *m, bool *one) {
  int32_t *up, bodies = 0;
  IG_TRY(IG_NEW(m->cx, &up, (size_t)m->mesh->nodes + 1, "bodies"));
  for (int32_t n = 0; n < m->mesh->nodes; n++)
    up[n] = n;
  for (int b = 0; b < m->mesh->blocks; b++) {
    const ig_block *block = &m->mesh->block[b];
    const int npe = ig_elem_info_get(block->type)->nodes;
    for (int64_t i = 0; i < (int64_t)block->count * npe; i++)
      ig_union_join(up, block->conn[i / npe * npe], block->conn[i]);
  }
  for (int32_t n = 0; n < m->mesh->nodes; n++)
    bodies += ig_union_root(up, n) == n;
  *one = bodies < 2;
  free(up);
  return IG_OK;
}

/* Sets m->pairs.why: what of the case Newton's method does not have in contact, in words. */
ig_status ig_dyn_method_find(ig_dyn_model *m) {
  const ig_dyn_contact *k = &m->c->contact;
  const char *why = !k->edges                          ? "`edges: false`: it has none of edges"
                    : k->overlap == IG_OVERLAP_KEEP    ? "`overlap: keep`"
                    : k->thickness >= 0                ? "`thickness`"
                    : ig_ranks_count(m->cx->ranks) > 1 ? "several ranks"
                                                       : NULL;
  bool one = false;
  m->pairs.on = k->at.given && k->on;
  if (!m->pairs.on)
    return IG_OK;
  for (int b = 0; b < m->mesh->blocks && !why; b++)
    if (ig_elem_info_get(m->mesh->block[b].type)->dim < 3)
      why = "shells and lines";
  for (int i = 0; i < m->c->analysis.count && !why; i++) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, m->c->analysis, i);
    if (a->kind != IG_ANALYSIS_STATIC || a->method == IG_STATIC_RELAXATION)
      why = "a case with other analyses, whose contact has other forces";
  }
  if (!why)
    IG_TRY(one_body(m, &one));
  m->pairs.why = one ? "a body that touches itself" : why;
  m->pairs.on = !m->pairs.why;
  return IG_OK;
}

ig_dyn_method ig_dyn_method_of(const ig_dyn_model *m, const ig_dyn_analysis *a) {
  if (a->method != IG_STATIC_AUTO)
    return (ig_dyn_method)a->method;
  return m->pairs.why && a->kind == IG_ANALYSIS_STATIC ? IG_STATIC_RELAXATION : IG_STATIC_NEWTON;
}
