/* Particles that travel: lists of what each rank sends to each other one at every step.
   Velocities of all; a particle on its own then moves by its velocity wherever it is a ghost, as
   its owner moved it, to the same bits. One that a body or a tie carries is put in its place by
   its owner, not moved by a velocity: its place travels, too.

   ghosts: particles of elements at the border, fixed for the run. guests: particles of imported
   surfaces, new at every import. Both are merged into one halo, so that a step has one message
   per pair of ranks. */
#include "dynamics/contact/part_surface.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

int32_t ig_dyn_guests(const ig_dyn_part *p) {
  return p->surfaces ? p->surfaces->guests : 0;
}

static void travel_free(ig_dyn_travel *t) {
  free(t->give_start);
  free(t->give);
  free(t->take_start);
  free(t->take);
  memset(t, 0, sizeof *t);
}

/* Empty lists with room; old ones are freed. */
ig_status ig_dyn_travel_new(ig_ctx *cx, int ranks, int64_t give, int64_t take, ig_dyn_travel *t) {
  travel_free(t);
  IG_TRY(IG_NEW(cx, &t->give_start, (size_t)ranks + 1, "ghosts"));
  IG_TRY(IG_NEW(cx, &t->take_start, (size_t)ranks + 1, "ghosts"));
  IG_TRY(IG_NEW(cx, &t->give, (size_t)give + 1, "ghosts"));
  return IG_NEW(cx, &t->take, (size_t)take + 1, "ghosts");
}

/* The lists of a halo, by rank: a rank that is no peer has an empty one. */
static void list_copy(const ig_halo *h, const int32_t *from_start, const ig_array *from, int ranks,
                      int32_t *start, int32_t *list) {
  for (int p = 0; p < h->peers; p++)
    start[h->wire.end[p].rank + 1] = from_start[p + 1] - from_start[p];
  for (int r = 0; r < ranks; r++)
    start[r + 1] += start[r];
  memcpy(list, from->host, (size_t)start[ranks] * sizeof *list);
}

/* From a halo of the partition, whose lists are by peer: here they are by rank, so that guests
   can be added. */
ig_status ig_dyn_part_ghosts(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  const ig_array *bound = &p->whole->carried.bound;
  ig_halo h = {0};
  const int ranks = p->part.ranks;
  IG_TRY(IG_NEW(m->cx, &p->carried, (size_t)p->part.mesh->nodes + 1, "ghosts"));
  for (ig_lid n = 0; n < p->part.mesh->nodes && bound->count; n++)
    p->carried[n] = ((const int32_t *)bound->host)[p->part.node[n]] != 0;
  IG_TRY(ig_halo_new(m->cx, &p->part, 4, &h));
  const ig_status status =
      ig_dyn_travel_new(m->cx, ranks, h.sent[h.peers], h.received[h.peers], &p->ghosts);
  if (status == IG_OK) {
    list_copy(&h, h.sent, &h.give, ranks, p->ghosts.give_start, p->ghosts.give);
    list_copy(&h, h.received, &h.take, ranks, p->ghosts.take_start, p->ghosts.take);
  }
  ig_halo_free(m->cx, &h);
  return status;
}

void ig_dyn_part_ghosts_free(ig_dyn_part *p) {
  travel_free(&p->ghosts);
  travel_free(&p->guests);
  free(p->carried);
}

/* Items of a message have three numbers: velocities (two items per particle with rotations);
   items from `split` on are places. Order: those of each rank's ghosts, then of its guests. */
typedef struct {
  int wide;
  int32_t split;
  const uint8_t *carried;
} item_rule;
/* Items for the particles of one rank; returns how many were written. */
static int32_t items_put(const item_rule *rule, const int32_t *start, const int32_t *node, int rank,
                         int32_t *to) {
  int32_t count = 0;
  for (int32_t i = start ? start[rank] : 0; start && i < start[rank + 1]; i++) {
    for (int j = 0; j < rule->wide; j++)
      to[count++] = rule->wide * node[i] + j;
    if (rule->carried[node[i]])
      to[count++] = rule->split + node[i];
  }
  return count;
}

/* Lists of items by rank, from the lists of ghosts [0] and guests [1]; the caller frees both. */
static ig_status items_make(ig_dyn_model *m, const item_rule *rule, const int32_t *start[2],
                            const int32_t *node[2], int32_t **first, int32_t **list) {
  const int ranks = m->division->part.ranks;
  size_t most = 1;
  for (int i = 0; i < 2; i++)
    most += start[i] ? (size_t)start[i][ranks] * (size_t)(rule->wide + 1) : 0;
  IG_TRY(IG_NEW(m->cx, first, (size_t)ranks + 1, "ghosts"));
  IG_TRY(IG_NEW(m->cx, list, most, "ghosts"));
  int32_t at = 0;
  for (int r = 0; r < ranks; r++) {
    (*first)[r] = at;
    for (int i = 0; i < 2; i++)
      at += items_put(rule, start[i], node[i], r, *list + at);
  }
  (*first)[ranks] = at;
  return IG_OK;
}

/* Particles of others that move by their velocities: ghosts and guests that nothing carries. */
static ig_status shift_make(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_own_view *own = &m->p.own;
  const int32_t *start[2] = {p->ghosts.take_start, p->guests.take_start},
                *node[2] = {p->ghosts.take, p->guests.take};
  size_t most = 1;
  for (int i = 0; i < 2; i++)
    most += start[i] ? (size_t)start[i][p->part.ranks] : 0;
  if (p->shift.count < most) {
    ig_array_free(m->cx, &p->shift);
    IG_TRY(ig_array_new(m->cx, &p->shift, most + most / 4, sizeof(int32_t), "ghosts"));
  }
  own->shifts = 0;
  for (int i = 0; i < 2; i++)
    for (int32_t j = 0; start[i] && j < start[i][p->part.ranks]; j++)
      if (!p->carried[node[i][j]])
        ((int32_t *)p->shift.host)[own->shifts++] = node[i][j];
  own->shift = p->shift.dev;
  return ig_array_push(m->cx, &p->shift);
}

/* Makes the halo anew, after the lists have changed. Not collective itself, but every rank must
   call it with matching lists. */
ig_status ig_dyn_part_travel(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  const int wide = m->p.dofs / 3;
  const item_rule rule = {wide, wide * (p->part.mesh->nodes + ig_dyn_guests(p)), p->carried};
  const int32_t *give_start[2] = {p->ghosts.give_start, p->guests.give_start},
                *give[2] = {p->ghosts.give, p->guests.give},
                *take_start[2] = {p->ghosts.take_start, p->guests.take_start},
                *take[2] = {p->ghosts.take, p->guests.take};
  int32_t *first[2] = {NULL, NULL}, *list[2] = {NULL, NULL};
  ig_status status = items_make(m, &rule, give_start, give, &first[0], &list[0]);
  if (status == IG_OK)
    status = items_make(m, &rule, take_start, take, &first[1], &list[1]);
  if (status == IG_OK) {
    const ig_halo_lists lists = {p->part.ranks, first[0], list[0], first[1], list[1]};
    status = ig_halo_of(m->cx, &lists, 3 * m->part, &p->halo);
    p->halo.split = rule.split;
  }
  if (status == IG_OK)
    status = shift_make(m);
  for (int i = 0; i < 2; i++) {
    free(first[i]);
    free(list[i]);
  }
  return status;
}
