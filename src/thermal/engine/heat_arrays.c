/* The arrays of the state, registered once (model/arrays.h): checkpoints, ghosts, values of all
   ranks and fields for programs are derived from this list. */
#include "thermal/engine/heat_arrays.h"
#include "thermal/engine/heat_make.h"

#include <stdlib.h>

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

ig_status ig_heat_arrays_add(ig_ctx *cx, ig_heat *h) {
  static const ig_arrays_room room = {.place = place_of, .own = own_of};
  const size_t size = ig_heat_state_size(h);
  const ig_dtype type = h->precision == IG_SINGLE ? IG_F32 : IG_F64;
  enum { KEPT = IG_ARRAY_SAVED };
  const struct {
    bool there;
    ig_array_def of;
  } list[] = {{true,
               {.name = "T",
                .place = IG_HEAT_NODES,
                .width = 1,
                .size = size,
                .flags = KEPT | IG_ARRAY_GHOSTED,
                .dtype = type,
                .array = &h->node.T}},
              {h->capacity == IG_HEAT_ENTHALPY,
               {.name = "H",
                .place = IG_HEAT_NODES,
                .width = 1,
                .size = size,
                .flags = KEPT,
                .dtype = type,
                .array = &h->node.H}},
              {true,
               {.name = "node_ledger",
                .place = IG_HEAT_NODES,
                .width = IG_LEDGER_COLUMNS,
                .size = sizeof(double),
                .flags = KEPT,
                .dtype = IG_F64,
                .array = &h->node.ledger}},
              {h->part.faces.whole_count > 0,
               {.name = "face_ledger",
                .place = IG_HEAT_FACES,
                .width = 3,
                .size = sizeof(double),
                .flags = KEPT,
                .dtype = IG_F64,
                .array = &h->face.ledger}},
              {h->material.powder,
               {.name = "solid",
                .place = IG_HEAT_CELLS,
                .width = 1,
                .size = 1,
                .flags = KEPT,
                .dtype = IG_U8,
                .array = &h->material.solid}},
              {h->past.every > 0,
               {.name = "track",
                .place = IG_HEAT_CELLS,
                .width = IG_TRACK_COLUMNS,
                .size = sizeof(float),
                .flags = KEPT,
                .columns = IG_TRACK_COLUMNS,
                .dtype = IG_F32,
                .array = &h->past.track}}};
  IG_TRY(IG_NEW(cx, &h->state, 1, "state"));
  ig_arrays_open(ig_heat_arrays(h), cx, &room, h);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].there)
      IG_TRY(ig_arrays_add(ig_heat_arrays(h), &list[i].of, 1));
  return IG_OK;
}

void ig_heat_arrays_free(ig_heat *h) {
  free(h->state);
  h->state = NULL;
}
