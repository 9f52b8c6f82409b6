/* The memory of one model: every array of ig_dyn_model is named here once. Called for the whole
   model and for a rank's part. Arrays that were not made have no memory and are passed over. */
#include "dynamics/contact/overlap.h"
#include "dynamics/model/rigid_body_check.h"
#include "dynamics/model/model.h"
#include "dynamics/model/pairs.h"
#include "dynamics/model/solids.h"
#include "backend/backend.h"

#include <stdlib.h>

/* Takes NULL. A part must be freed before (ig_dyn_part_free), as it refers to the whole model. */
void ig_dyn_model_release(ig_dyn_model *m) {
  if (!m)
    return;
  ig_ctx *cx = m->cx;
  free(m->overlap.part);
  ig_dyn_slide_forget(m);
  if (m->graph)
    cx->backend->graph_free(cx, m->graph);
  for (int i = 0; i < m->groups; i++) {
    ig_dyn_group *g = &m->group[i];
    ig_array_free(cx, &g->conn);
    ig_array_free(cx, &g->state);
    ig_array_free(cx, &g->slot);
    ig_clusters_free(cx, &g->cluster);
    ig_array_free(cx, &g->ids);
    free(g->element);
    free(g->begin);
    free(g->end);
  }
  free(m->group);
  ig_dyn_solids_free(m);
  ig_dyn_pairs_free(m);
  ig_dyn_touching *t = &m->contact;
  ig_dyn_loading *l = &m->loading;
  ig_dyn_leading *h = &m->held;
  ig_dyn_carried *k = &m->carried;
  ig_array *all[] = {
      &m->others,      &m->x,           &m->v,          &m->f,         &m->load,
      &m->mass,        &m->inertia,     &m->heavy,      &m->work,      &m->clock,
      &m->x_start,     &m->slots,       &m->slot_first, &m->scratch,   &m->partial,
      &h->move,        &h->motion,      &h->history_x,  &h->history_y, &l->loaded_node,
      &l->force_start, &l->face_start,  &l->force,      &l->face,      &l->tool,
      &t->press,       &t->alive,       &k->bound,      &k->body,      &k->body_node,
      &k->body_arm,    &k->body_pull,   &k->tie_node,   &k->tie_to,    &k->tie_share,
      &k->tie_turns,   &k->carry_first, &k->carry};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(cx, all[i]);
  ig_dyn_touching_free(cx, t);
  for (ig_dyn_nodes *made = m->made, *next; made; made = next) {
    next = made->next;
    free(made->set.item);
    free(made);
  }
  free(m->fault_ids);
  ig_array_free(cx, &m->relax.was);
  ig_arrays_free(&m->arrays);
  ig_dyn_loose_free(m);
  free(m->x0);
  free(m->weight.mass);
  free(m->weight.inertia);
  free(m->weight.added);
  free(m->weight.heavy);
  free(m->loading.tool_pull);
  free(m->loading.force_of);
  free(m->loading.face_of);
  free(m->loading.force_given);
  free(m->loading.face_given);
  free(m);
}
