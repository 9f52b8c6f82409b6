/* The arrays of the state, registered once (model/arrays.h): checkpoints, ghosts, values of all
   ranks and fields for programs are derived from this list. */
#include "thermal/engine/heat_arrays.h"
#include "thermal/engine/heat_make.h"

#include <stdlib.h>

/* How many items of each place this rank has, how many the whole has, and their numbers in the
   whole. */
static ig_arrays_place place_of(const void *room, int place) {
  const ig_heat *h = room;
  const ig_heat_part *p = &h->part;
  switch (place) {
  case IG_HEAT_NODES:
    return (ig_arrays_place){h->nodes, h->nodes, p->nodes.whole_count, h->node_of};
  case IG_HEAT_CELLS:
    return (ig_arrays_place){h->elements, h->elements, p->cells.whole_count, h->cell_of};
  default:
    return (ig_arrays_place){h->face.count, h->face.count, p->faces.whole_count, p->face_of};
  }
}

static ig_status own_of(void *room, int place, const ig_collect **own) {
  const ig_heat_part *p = &((const ig_heat *)room)->part;
  *own = place == IG_HEAT_NODES ? &p->nodes : place == IG_HEAT_CELLS ? &p->cells : &p->faces;
  return IG_OK;
}

/* The names are those of the checkpoint file: changing one makes older checkpoints unreadable.
   Ghosts exist of T only: everything else of a node is computed by its owner and needed by nobody
   else. */
ig_status ig_heat_arrays_add(ig_ctx *cx, ig_heat *h) {
  static const ig_arrays_room room = {.place = place_of, .own = own_of};
  const size_t size = ig_heat_state_size(h);
  const ig_dtype type = h->precision == IG_SINGLE ? IG_F32 : IG_F64;
  const struct {
    bool there;
    ig_array_def of; /* name, -, place, values per item, their bytes, use, columns, type, memory */
  } list[] = {
      {true,
       {"T", NULL, IG_HEAT_NODES, 1, size, IG_ARRAY_SAVED | IG_ARRAY_GHOSTED, 1, type, &h->node.T,
        0}},
      {h->capacity == IG_HEAT_ENTHALPY,
       {"H", NULL, IG_HEAT_NODES, 1, size, IG_ARRAY_SAVED, 1, type, &h->node.H, 0}},
      {true,
       {"node_ledger", NULL, IG_HEAT_NODES, IG_LEDGER_COLUMNS, 8, IG_ARRAY_SAVED, 1, IG_F64,
        &h->node.ledger, 0}},
      {h->boils,
       {"evaporated", NULL, IG_HEAT_NODES, 1, 8, IG_ARRAY_SAVED, 1, IG_F64, &h->node.evaporated,
        0}},
      {h->part.faces.whole_count > 0,
       {"face_ledger", NULL, IG_HEAT_FACES, 3, 8, IG_ARRAY_SAVED, 1, IG_F64, &h->face.ledger, 0}},
      {h->material.powder,
       {"solid", NULL, IG_HEAT_CELLS, 1, 1, IG_ARRAY_SAVED, 1, IG_U8, &h->material.solid, 0}},
      {h->past.every > 0,
       {"track", NULL, IG_HEAT_CELLS, IG_TRACK_COLUMNS, 4, IG_ARRAY_SAVED, IG_TRACK_COLUMNS, IG_F32,
        &h->past.track, 0}}};
  IG_TRY(IG_NEW(cx, &h->state, 1, "state"));
  ig_arrays_open(ig_heat_arrays(h), cx, &room, h);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].there)
      IG_TRY(ig_arrays_add(ig_heat_arrays(h), &list[i].of, 1));
  return IG_OK;
}

void ig_heat_arrays_free(ig_heat *h) {
  if (h->state)
    ig_arrays_free(ig_heat_arrays(h));
  free(h->state);
  h->state = NULL;
}
