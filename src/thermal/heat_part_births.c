/* Births at inherited temperature across ranks: a new node takes the temperature of one that was
   there, which may be another rank's. The whole engine says whose (ig_heat_patch.donor). */
#include "thermal/heat_part.h"
#include "backend/backend.h"
#include "thermal/heat_make.h"

#include <stdlib.h>
#include <string.h>

static const ig_heat_patch *patches(const ig_heat *h) {
  return h->batch.patch.host;
}

void ig_heat_part_donors(ig_heat *whole, ig_heat *l) {
  const ig_part *part = &whole->part->part;
  ig_heat_patch *own = l->batch.patch.host;
  int32_t w = whole->batch.held_count;
  if (whole->newborn != IG_BORN_INHERITED)
    return;
  for (int32_t i = l->batch.held_count; i < l->batch.patch_count; i++) {
    if (part->ghost[own[i].node]) /* its temperature comes from its owner */
      continue;
    while (patches(whole)[w].node != part->node[own[i].node])
      w++; /* own nodes come in the same order in both */
    const ig_lid donor = patches(whole)[w++].donor;
    own[i].donor = donor < 0                          ? donor
                   : part->owner[donor] == part->rank ? part->local[donor]
                                                      : IG_PATCH_KEEPS; /* see below */
  }
}

/* Whether the patch takes its temperature from another rank's node. */
static bool is_far(const ig_part *part, const ig_heat_patch *p) {
  return p->donor >= 0 && part->owner[p->donor] != part->owner[p->node];
}

/* Nodes of the part to send to each rank, or to receive from each, in the order of the patches. */
static ig_status list_make(ig_ctx *cx, const ig_heat *whole, int32_t first, int32_t last, bool give,
                           int32_t **start, int32_t **node) {
  const ig_part *part = &whole->part->part;
  const ig_heat_patch *p = patches(whole);
  int32_t at = 0;
  IG_TRY(IG_NEW(cx, start, (size_t)part->ranks + 1, "nodes that inherit"));
  IG_TRY(IG_NEW(cx, node, (size_t)(last - first) + 1, "nodes that inherit"));
  for (int r = 0; r < part->ranks; r++) {
    for (int32_t i = first; i < last; i++) {
      const ig_lid mine = give ? p[i].donor : p[i].node, other = give ? p[i].node : p[i].donor;
      if (is_far(part, &p[i]) && part->owner[mine] == part->rank && part->owner[other] == r)
        (*node)[at++] = part->local[mine];
    }
    (*start)[r + 1] = at;
  }
  return IG_OK;
}

ig_status ig_heat_part_inherit(ig_ctx *cx, ig_heat *whole, ig_heat *l, int32_t first, int32_t last,
                               ig_status status) {
  ig_heat_part *p = whole->part;
  bool any = false;
  for (int32_t i = first; i < last && whole->newborn == IG_BORN_INHERITED; i++)
    any |= is_far(&p->part, &patches(whole)[i]);
  if (!any)
    return status;
  int32_t *give_start = NULL, *give = NULL, *take_start = NULL, *take = NULL;
  ig_halo halo = {0};
  const size_t size = ig_heat_state_size(whole);
  if (status == IG_OK)
    status = list_make(cx, whole, first, last, true, &give_start, &give);
  if (status == IG_OK)
    status = list_make(cx, whole, first, last, false, &take_start, &take);
  if (status == IG_OK) {
    const ig_halo_lists lists = {p->part.ranks, give_start, give, take_start, take};
    status = ig_halo_of(cx, &lists, size, &halo);
  }
  status = ig_ranks_agree(cx, status); /* from here on each waits for the others */
  if (status == IG_OK)
    status = ig_halo_refresh(cx, &halo, l ? l->node.T.dev : NULL, size, status);
  if (status == IG_OK)
    status = cx->backend->sync(cx); /* before its memory goes */
  ig_halo_free(cx, &halo);
  free(give_start);
  free(give);
  free(take_start);
  free(take);
  return status;
}
