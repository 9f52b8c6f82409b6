/* Births at inherited temperature across ranks: a new node takes the temperature of one that was
   there, which may be another rank's. The rank of the new node finds it, among the elements around
   its part's nodes. */
#include "backend/backend.h"
#include "core/sorted.h"
#include "ranks/allgather.h"
#include "thermal/engine/heat_part.h"

#include <stdlib.h>
#include <string.h>

/* --- elements around the part's nodes */

/* Elements of the whole that touch a node of the part, and their nodes: marks. */
static ig_status kin_mark(ig_ctx *cx, const ig_heat *whole, const ig_lid *local, uint8_t *node,
                          ig_heat_neighbourhood *k) {
  uint8_t *cell;
  IG_TRY(IG_NEW(cx, &cell, (size_t)whole->elements + 1, "elements around a part"));
  for (ig_lid e = 0; e < whole->elements; e++) {
    const ig_lid *conn = ig_heat_conn(whole, e);
    for (int a = 0; a < 8; a++)
      cell[e] |= local[conn[a]] >= 0;
    for (int a = 0; a < 8 && cell[e]; a++)
      node[conn[a]] = 1;
  }
  ig_status status = ig_lids_where(cx, cell, whole->elements, &k->cell, &k->cells);
  if (status == IG_OK)
    status = ig_lids_where(cx, node, whole->nodes, &k->node, &k->nodes);
  free(cell);
  return status;
}

/* Copies from the outline one layer of cells around the part, with nodes, owners and coordinates:
   enough for donor_seek, which looks at most through the elements of a neighbour's elements. */
ig_status ig_heat_part_neighbours(ig_ctx *cx, const ig_heat *whole, ig_heat *h) {
  ig_heat_neighbourhood *k = &h->part.kin;
  const ig_csr *around = &whole->node.around;
  uint8_t *node;
  IG_TRY(IG_NEW(cx, &node, (size_t)whole->nodes + 1, "nodes around a part"));
  const ig_status status = kin_mark(cx, whole, h->part.of.local, node, k);
  free(node);
  IG_TRY(status);
  IG_TRY(IG_NEW(cx, &k->conn, 8 * (size_t)k->cells + 1, "elements around a part"));
  IG_TRY(IG_NEW(cx, &k->first, (size_t)k->nodes + 1, "nodes around a part"));
  IG_TRY(IG_NEW(cx, &k->owner, (size_t)k->nodes + 1, "nodes around a part"));
  IG_TRY(IG_NEW(cx, &k->point, 3 * (size_t)k->nodes + 1, "nodes around a part"));
  for (ig_lid e = 0; e < k->cells; e++)
    for (int a = 0; a < 8; a++)
      k->conn[8 * (int64_t)e + a] =
          ig_sorted_find(k->node, k->nodes, ig_heat_conn(whole, k->cell[e])[a]);
  for (ig_lid n = 0; n < k->nodes; n++) {
    k->first[n] = around->item[around->start[k->node[n]]];
    k->owner[n] = h->part.of.owner[k->node[n]];
    memcpy(k->point + 3 * (size_t)n, whole->node.point + 3 * (size_t)k->node[n],
           3 * sizeof(double));
  }
  return k->cells ? ig_mesh_node_elements(cx, k->nodes, k->cells, 8, k->conn, &k->around) : IG_OK;
}

/* --- a batch's births */

/* The nearest of the elements around node n, else of those around these. */
static ig_lid donor_seek(const ig_heat_neighbours *kin, ig_lid n, ig_lid begin, ig_lid end) {
  const ig_lid donor = ig_heat_donor(kin, n, begin, end, false);
  return donor < 0 ? ig_heat_donor(kin, n, begin, end, true) : donor;
}

/* A donor on another rank is noted in `heir`, with the step of the batch before which it is needed.
 */
ig_status ig_heat_part_donor(ig_ctx *cx, ig_heat *h, ig_lid n, ig_lid begin, ig_lid *found) {
  ig_heat_part *p = &h->part;
  const ig_heat_neighbourhood *k = &p->kin;
  const ig_lid end = h->birth.whole[h->next.event + 1];
  if (!ig_heat_is_divided(h)) {
    const ig_heat_neighbours own = {
        .around = &h->node.around, .conn = h->elems.conn.host, .point = h->node.point};
    *found = donor_seek(&own, n, begin, end);
    return IG_OK;
  }
  const ig_heat_neighbours kin = {&k->around, k->conn, k->cell, k->first, k->point};
  const ig_lid whole = p->of.node[n];
  const ig_lid donor = donor_seek(&kin, ig_sorted_find(k->node, k->nodes, whole), begin, end);
  *found = IG_PATCH_NEW;
  if (donor < 0)
    return IG_OK;
  if (k->owner[donor] == p->of.rank) {
    *found = ig_partition_node(&p->of, k->node[donor]);
    return IG_OK;
  }
  *found = IG_PATCH_KEEPS; /* its temperature comes before: see ig_heat_part_inherit */
  IG_TRY(IG_MORE(cx, &p->heir, p->heirs, "nodes that inherit"));
  p->heir[p->heirs++] =
      (ig_heat_inheritor){whole, k->node[donor], p->of.rank, k->owner[donor], h->batch.step_count};
  return IG_OK;
}

/* After this every rank has the list of all ranks' heirs, in the same order. */
ig_status ig_heat_part_inheritors(ig_ctx *cx, ig_heat *h, ig_status status) {
  ig_heat_part *p = &h->part;
  void *all;
  int64_t count;
  if (!ig_heat_is_divided(h) || h->newborn != IG_BORN_INHERITED)
    return status;
  status =
      ig_ranks_allgatherv(cx, status, p->heir, p->heirs, sizeof *p->heir, NULL, &all, &count, NULL);
  if (status != IG_OK) {
    free(all);
    return status;
  }
  free(p->heir);
  p->heir = all;
  p->heirs = count;
  return IG_OK;
}

/* --- their temperatures */

/* Nodes of the part to send to each rank, or to receive from each, in the order of the heirs. Both
   sides walk the same list of all heirs in the same order, so the n-th value sent is the n-th value
   received and no numbers travel. */
static ig_status list_make(ig_ctx *cx, const ig_heat_part *p, int step, bool give, int32_t **start,
                           int32_t **node) {
  const ig_partition *part = &p->of;
  int32_t at = 0;
  IG_TRY(IG_NEW(cx, start, (size_t)part->ranks + 1, "nodes that inherit"));
  IG_TRY(IG_NEW(cx, node, (size_t)p->heirs + 1, "nodes that inherit"));
  for (int r = 0; r < part->ranks; r++) {
    for (int64_t i = 0; i < p->heirs; i++) {
      const ig_heat_inheritor *h = &p->heir[i];
      const int32_t mine = give ? h->from : h->owner, other = give ? h->owner : h->from;
      if (h->step == step && mine == part->rank && other == r)
        (*node)[at++] = ig_partition_node(part, give ? h->donor : h->node);
    }
    (*start)[r + 1] = at;
  }
  return IG_OK;
}

/* Temperatures of donors, before the births of a step: a halo made for this step only, since births
   with donors on other ranks are rare. Every rank takes part as soon as any heir of the step
   exists; `any` is the same on all ranks because they all have the whole list. */
ig_status ig_heat_part_inherit(ig_ctx *cx, ig_heat *h, int step, ig_status status) {
  const ig_heat_part *p = &h->part;
  bool any = false;
  for (int64_t i = 0; i < p->heirs; i++)
    any |= p->heir[i].step == step;
  if (!any)
    return status;
  int32_t *give_start = NULL, *give = NULL, *take_start = NULL, *take = NULL;
  ig_halo halo = {0};
  const size_t size = ig_heat_state_size(h);
  if (status == IG_OK)
    status = list_make(cx, p, step, true, &give_start, &give);
  if (status == IG_OK)
    status = list_make(cx, p, step, false, &take_start, &take);
  if (status == IG_OK) {
    const ig_halo_lists lists = {p->of.ranks, give_start, give, take_start, take};
    status = ig_halo_of(cx, &lists, size, &halo);
  }
  status = ig_ranks_agree(cx, status); /* from here on each waits for the others */
  if (status == IG_OK)
    status = ig_halo_refresh(cx, &halo, h->node.T.dev, size, status);
  if (status == IG_OK)
    status = cx->backend->sync(cx); /* before its memory goes */
  ig_halo_free(cx, &halo);
  free(give_start);
  free(give);
  free(take_start);
  free(take);
  return status;
}
