/* The arrays of a model, registered once (model/arrays.h): a rank's part takes them from the whole,
   kernels find them, checkpoints are written and read by this list.

   A checkpoint has the arrays by these names: changing one makes older checkpoints unreadable. */
#include "dynamics/contact/part_surface.h"

#include <stdio.h>

/* Places. SEATS: particles with room for guests, which come with surfaces of other ranks; ARMS:
   particles of bodies, one body after the other; PIECES: what contact remembers, of particles and
   edges; SLOTS + k: elements of group k. */
enum { NODES, SEATS = IG_DYN_SEATS, ARMS, PIECES, SLOTS };

static ig_arrays_place place_of(const void *room, int place) {
  const ig_dyn_model *m = room;
  const ig_dyn_part *p = m->division;
  const bool alone = ig_dyn_alone(m);
  const int64_t nodes = m->p.nodes, guests = ig_dyn_guests(p), all = ig_dyn_nodes_all(m);
  switch (place) {
  case NODES:
    return (ig_arrays_place){nodes, nodes, all, p->part.node};
  case SEATS: /* more than there are now, so that the next import need not make them larger */
    return (ig_arrays_place){nodes + guests + guests / 4, nodes, all, p->part.node};
  case ARMS: {
    const int64_t arms = alone ? (int64_t)m->carried.body_arm.count / 3 : p->arms.mine_count;
    return (ig_arrays_place){arms, arms, alone ? arms : p->arms.whole_count, p->arms.whole};
  }
  case PIECES: {
    const int64_t pieces = ig_dyn_pieces_all(m);
    return (ig_arrays_place){pieces, pieces, pieces, NULL};
  }
  default: {
    const ig_dyn_group *g = &m->group[place - SLOTS];
    /* pads are at the end; where there are several colors also in between, and left as they are */
    const ig_lid used = alone && g->colors == 1 ? g->count : g->slots;
    return (ig_arrays_place){g->slots, used, ig_dyn_slots_all(m, place - SLOTS),
                             alone ? NULL : p->slot[place - SLOTS]};
  }
  }
}

static ig_status own_of(void *room, int place, const ig_collect **own) {
  const ig_dyn_part *p = ((const ig_dyn_model *)room)->division;
  *own = place <= SEATS    ? &p->nodes
         : place == ARMS   ? &p->arms
         : place == PIECES ? &p->surfaces->stored
                           : &p->group[place - SLOTS];
  return IG_OK;
}

/* What contact remembers holds numbers of triangles and edges. */
static ig_status numbers_pass(void *room, const ig_arrays_entry *entry, ig_stream_take *take,
                              void *user) {
  (void)entry;
  return ig_dyn_part_kept(room, take, user);
}

/* Memory of an array of `m` that its whole has; on one rank it is there. */
static ig_status memory_new(ig_dyn_model *m, const ig_array_def *d) {
  const size_t count = (size_t)(place_of(m, d->place).rows * d->width);
  if (ig_dyn_alone(m) || d->flags & IG_ARRAY_HOST)
    return IG_OK;
  /* of contact there are tables after the first import alone */
  return ig_array_new(m->cx, d->array, d->flags & IG_ARRAY_NUMBERS ? 1 : count, d->size, d->name);
}

/* What elements remember. */
static ig_status states_add(ig_dyn_model *m) {
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    const size_t size = ig_dyn_whole(m)->group[k].state.size;
    snprintf(g->name, sizeof g->name, "state%d", k);
    const ig_array_def d = {.name = g->name,
                            .place = SLOTS + k,
                            .width = g->g_f64.states,
                            .size = size,
                            .flags = IG_ARRAY_SAVED,
                            .dtype = size == sizeof(double) ? IG_F64 : IG_F32,
                            .array = &g->state,
                            .block = IG_DYN_BLOCK};
    IG_TRY(memory_new(m, &d));
    IG_TRY(ig_arrays_add(&m->arrays, &d, 1));
    g->g_f64.state = g->state.dev;
    g->g_f32.state = g->state.dev;
  }
  return IG_OK;
}

ig_status ig_dyn_arrays_new(ig_dyn_model *m) {
  static const ig_arrays_room room = {place_of, own_of, numbers_pass};
  enum { SAVED = IG_ARRAY_SAVED, KEPT = IG_ARRAY_SAVED | IG_ARRAY_NUMBERS, FIXED = IG_ARRAY_FIXED };
  const ig_dyn_model *w = ig_dyn_whole(m);
  const bool touches = ig_dyn_touches(w);
  const ig_dtype type = m->part == sizeof(double) ? IG_F64 : IG_F32;
  const size_t part = m->part;
  const int D = m->p.dofs, past = 3 * IG_RELAX_ARRAYS;
  ig_dyn_particles *p = &m->p;
  ig_dyn_touching *t = &m->contact;
  const struct {
    bool there;
    /* name, what kernels see, place, values per item, their bytes, use, columns, type, memory */
    ig_array_def of;
  } list[] = {
      {true, {"x", &p->x, SEATS, 3, part, SAVED, 1, type, &m->x, 0}},
      {true, {"v", &p->v, SEATS, D, part, SAVED, 1, type, &m->v, 0}},
      {true, {"f", &p->f, NODES, p->pitch, part, SAVED, 1, type, &m->f, 0}},
      {true, {"work", &p->work, NODES, IG_WORKS, 8, SAVED, 1, IG_F64, &m->work, 0}},
      {true, {"mass", &p->mass, SEATS, 1, part, FIXED, 1, type, &m->mass, 0}},
      {true, {"inertia", &p->inertia, NODES, 1, part, FIXED, 1, type, &m->inertia, 0}},
      {w->heavy.dev, {"weight", &p->loads.heavy, NODES, 1, part, FIXED, 1, type, &m->heavy, 0}},
      {w->load.dev, {"load", &p->load, NODES, D, part, SAVED, 1, type, &m->load, 0}},
      {w->contact.press.dev, {"press", &p->press, NODES, 3, part, SAVED, 1, type, &t->press, 0}},
      {w->held.move.dev, {"move", &p->held.move, NODES, 1, 4, FIXED, 1, IG_I32, &m->held.move, 0}},
      {touches, {"touch", &p->contact.touch, SEATS, 3, part, 0, 1, type, &t->touch, 0}},
      {true, {"x_start", &p->contact.x_start, SEATS, 3, 8, FIXED, 1, IG_F64, &m->x_start, 0}},
      {touches, {"area", &p->contact.skin_area, SEATS, 1, 8, FIXED, 1, IG_F64, &t->skin_area, 0}},
      {touches && w->contact.edge_length.dev,
       {"length", &p->edges.length, SEATS, 1, 8, FIXED, 1, IG_F64, &t->edge_length, 0}},
      {touches, {"spring", &p->contact.spring, SEATS, 1, 8, FIXED, 1, IG_F64, &t->spring, 0}},
      {touches, {"offset", &p->contact.offset, SEATS, 1, 8, FIXED, 1, IG_F64, &t->offset, 0}},
      {touches, {"before", &p->contact.before, SEATS, 3, part, SAVED, 1, type, &t->before, 0}},
      {w->p.bodies.count,
       {"arms", &p->bodies.arm, ARMS, 3, 8, SAVED, 1, IG_F64, &m->carried.body_arm, 0}},
      {touches,
       {"contact", &p->contact.kept, PIECES, IG_DYN_KEPT, 8, KEPT, 1, IG_F64, &t->kept, 0}},
      {true,
       {"relaxation", NULL, NODES, past, 8, SAVED | IG_ARRAY_HOST, IG_RELAX_ARRAYS, IG_F64,
        &m->relax.was, 0}}};
  ig_arrays_open(&m->arrays, m->cx, &room, m);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].there) {
      IG_TRY(memory_new(m, &list[i].of));
      IG_TRY(ig_arrays_add(&m->arrays, &list[i].of, 1));
    }
  return states_add(m);
}

/* Values at the start, of the part from those of the whole: all but what contact remembers. */
ig_status ig_dyn_arrays_begin(ig_dyn_model *m) {
  const ig_arrays *whole = &m->division->whole->arrays;
  for (int i = 0; i < m->arrays.count; i++) {
    ig_arrays_entry *e = m->arrays.entry[i];
    if (!(e->def.flags & (IG_ARRAY_NUMBERS | IG_ARRAY_HOST)))
      IG_TRY(ig_arrays_take(&m->arrays, e, ig_arrays_at(whole, e->def.name)->host));
  }
  return IG_OK;
}
