/* Births at inherited temperature across ranks: a new node takes the temperature of one that was
   there, which may be another rank's. Rank 0, whose engine has the whole mesh, says whose
   (ig_heat_patch.donor). */
#include "thermal/heat_part.h"
#include "backend/backend.h"
#include "thermal/heat_make.h"

#include <stdlib.h>
#include <string.h>

/* Room for `count` heirs. */
static ig_status heirs_reserve(ig_ctx *cx, ig_heat_part *p, int32_t count) {
  if (count <= p->heir_space)
    return IG_OK;
  ig_heat_heir *bigger = realloc(p->heir, 2 * (size_t)count * sizeof *bigger);
  if (!bigger)
    return IG_FAIL(cx, IG_MEMORY, "no memory for nodes that inherit");
  p->heir = bigger;
  p->heir_space = 2 * count;
  return IG_OK;
}

/* As rank 0 has them. */
static void heirs_fill(const ig_heat *whole, ig_heat_part *p) {
  const ig_heat_patch *patch = whole->batch.patch.host;
  const int32_t *owner = p->part.owner;
  for (int32_t i = 0; i < whole->batch.patch_count; i++)
    p->heir[i] = (ig_heat_heir){patch[i].node, patch[i].donor, owner[patch[i].node],
                                patch[i].donor < 0 ? -1 : owner[patch[i].donor]};
}

ig_status ig_heat_part_heirs(ig_ctx *cx, ig_heat *whole) {
  ig_heat_part *p = whole->part;
  const bool first = ig_ranks_first(cx);
  if (whole->newborn != IG_BORN_INHERITED)
    return IG_OK;
  ig_status status = first ? heirs_reserve(cx, p, whole->batch.patch_count) : IG_OK;
  IG_TRY(ig_ranks_agree(cx, status));
  IG_TRY(ig_ranks_share(cx, 0, &whole->batch.patch_count, sizeof whole->batch.patch_count));
  if (whole->batch.patch_count == 0)
    return IG_OK;
  if (first)
    heirs_fill(whole, p);
  else
    status = heirs_reserve(cx, p, whole->batch.patch_count);
  IG_TRY(ig_ranks_agree(cx, status));
  return ig_ranks_share(cx, 0, p->heir, (size_t)whole->batch.patch_count * sizeof *p->heir);
}

void ig_heat_part_donors(ig_heat *whole, ig_heat *l) {
  const ig_part *part = &whole->part->part;
  const ig_heat_heir *heir = whole->part->heir;
  ig_heat_patch *own = l->batch.patch.host;
  int32_t w = whole->batch.held_count;
  if (whole->newborn != IG_BORN_INHERITED)
    return;
  for (int32_t i = l->batch.held_count; i < l->batch.patch_count; i++) {
    if (part->ghost[own[i].node]) /* its temperature comes from its owner */
      continue;
    while (heir[w].node != part->node[own[i].node])
      w++; /* own nodes come in the same order in both */
    const ig_heat_heir *h = &heir[w++];
    own[i].donor = h->donor < 0            ? h->donor
                   : h->from == part->rank ? ig_part_node(part, h->donor)
                                           : IG_PATCH_KEEPS; /* see below */
  }
}

/* Whether it takes its temperature from another rank's node. */
static bool is_far(const ig_heat_heir *h) {
  return h->donor >= 0 && h->from != h->owner;
}

/* Nodes of the part to send to each rank, or to receive from each, in the order of the patches. */
static ig_status list_make(ig_ctx *cx, const ig_heat_part *p, int32_t first, int32_t last,
                           bool give, int32_t **start, int32_t **node) {
  const ig_part *part = &p->part;
  int32_t at = 0;
  IG_TRY(IG_NEW(cx, start, (size_t)part->ranks + 1, "nodes that inherit"));
  IG_TRY(IG_NEW(cx, node, (size_t)(last - first) + 1, "nodes that inherit"));
  for (int r = 0; r < part->ranks; r++) {
    for (int32_t i = first; i < last; i++) {
      const ig_heat_heir *h = &p->heir[i];
      const int32_t mine = give ? h->from : h->owner, other = give ? h->owner : h->from;
      if (is_far(h) && mine == part->rank && other == r)
        (*node)[at++] = ig_part_node(part, give ? h->donor : h->node);
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
    any |= is_far(&p->heir[i]);
  if (!any)
    return status;
  int32_t *give_start = NULL, *give = NULL, *take_start = NULL, *take = NULL;
  ig_halo halo = {0};
  const size_t size = ig_heat_state_size(whole);
  if (status == IG_OK)
    status = list_make(cx, p, first, last, true, &give_start, &give);
  if (status == IG_OK)
    status = list_make(cx, p, first, last, false, &take_start, &take);
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
