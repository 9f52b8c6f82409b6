/* What a divided model has of contact beside forces: energies that contact stores, gathered for
   output, and contact memory, for imports and checkpoints. Memory is translated between numbers of
   the part and of the whole model. */
#include "dynamics/contact/part_surface.h"
#include "contact/explicit/parcels.h"

#include <stdlib.h>
#include <string.h>

/* --- energies that contact stores */

/* Energies of own pieces, found in the tables by their number; gathered on rank 0 in the order
   of the whole. */
typedef struct {
  const ig_dyn_surfaces *s;
  const double *stored; /* of `all` */
  ig_collect_put *put;
  void *user;
} storing;
/* The piece is found in the tables by its number: both lists are sorted by it. */
static void stored_row(void *user, int64_t item, void *row) {
  const storing *t = user;
  const ig_dyn_pieces *own = &t->s->own, *all = &t->s->all;
  const int64_t at = item < own->particles
                         ? ig_records_find(all->particle, all->particles, sizeof *all->particle,
                                           own->particle[item].number)
                         : all->particles + (int64_t)ig_dyn_edge_place(
                                                all, own->edge[item - own->particles].number);
  memcpy(row, t->stored + at, sizeof *t->stored);
}

static ig_status stored_put(void *user, const void *rows, int64_t first, int64_t count) {
  const storing *t = user;
  return t->put(t->user, rows, first, count);
}

/* `put` runs on rank 0, row by row in the order of the whole. Collective. */
ig_status ig_dyn_part_stored(ig_dyn_model *m, ig_collect_put *put, void *user) {
  const ig_dyn_surfaces *s = m->division->surfaces;
  storing t = {s, NULL, put, user};
  void *own = NULL;
  const void *seen = NULL;
  const size_t count = (size_t)s->all.particles + (size_t)s->all.edges;
  ig_status status =
      ig_dyn_seen(m->cx, m->contact.stored.dev, count * sizeof *t.stored, &own, &seen);
  t.stored = seen;
  status = ig_collect_rows(m->cx, &s->stored, sizeof *t.stored, stored_row, stored_put, &t, status);
  free(own);
  return status;
}

/* --- what contact remembers */

/* From the device to own pieces, in numbers of the whole. Before the first import (`made` is
   false) only positions one step ago are there to take. */
ig_status ig_dyn_kept_look(ig_dyn_model *m) {
  ig_dyn_surfaces *s = m->division->surfaces;
  ig_dyn_touching *t = &m->contact;
  const ig_dyn_pieces *all = &s->all;
  const double *kept = t->kept.host;
  IG_TRY(ig_array_pull(m->cx, &t->before));
  for (int32_t i = 0; i < s->own.particles; i++)
    for (int c = 0; c < 3; c++)
      s->own.particle[i].before[c] = ig_dyn_get(m, &t->before, 3 * (int64_t)s->local[i] + c);
  if (!s->made)
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &t->kept));
  for (int32_t i = 0, at = 0; i < s->own.particles; i++) { /* both rise */
    while (all->particle[at].number < s->own.particle[i].number)
      at++;
    double *to = s->own.particle[i].kept;
    memcpy(to, kept + IG_DYN_KEPT * (int64_t)at, sizeof s->own.particle[i].kept);
    for (int k = 0; k < IG_DYN_SLOTS; k++)
      if (to[3 * k] >= 0)
        to[3 * k] = 2.0 * all->triangle[(int32_t)to[3 * k] / 2].number + (int32_t)to[3 * k] % 2;
  }
  for (int32_t j = 0, at = 0; j < s->own.edges; j++) {
    while (all->edge[at].number < s->own.edge[j].number)
      at++;
    const double code = kept[IG_DYN_KEPT * ((int64_t)all->particles + at)];
    s->own.edge[j].kept =
        code < 0 ? -1 : 2.0 * all->edge[(int32_t)code / 2].number + (int32_t)code % 2;
  }
  return IG_OK;
}

typedef struct {
  const ig_dyn_pieces *own;
  ig_stream_take *take;
  void *user;
} keeping;
static void kept_row(void *user, int64_t item, void *row) {
  const ig_dyn_pieces *own = ((const keeping *)user)->own;
  /* the second contact of an edge does not exist: its mark is -1, as in a checkpoint of one rank */
  double of_edge[IG_DYN_KEPT] = {0, 0, 0, -1};
  if (item >= own->particles)
    of_edge[0] = own->edge[item - own->particles].kept;
  memcpy(row, item < own->particles ? own->particle[item].kept : of_edge, sizeof of_edge);
}
static ig_status kept_put(void *user, const void *rows, int64_t first, int64_t count) {
  const keeping *k = user;
  (void)first;
  return k->take(k->user, rows, IG_DYN_KEPT * count);
}

int64_t ig_dyn_pieces_all(const ig_dyn_model *m) {
  return ig_dyn_alone(m)     ? (int64_t)m->p.contact.surfaces + m->p.edges.count
         : ig_dyn_touches(m) ? m->division->surfaces->stored.whole_count
                             : 0;
}

/* The same for contact memory, as a checkpoint of one rank has it. */
ig_status ig_dyn_part_kept(ig_dyn_model *m, ig_stream_take *take, void *user) {
  const ig_dyn_surfaces *s = m->division->surfaces;
  keeping k = {&s->own, take, user};
  return ig_collect_rows(m->cx, &s->stored, IG_DYN_KEPT * sizeof(double), kept_row, kept_put, &k,
                         ig_dyn_kept_look(m));
}

/* Contact memory from a checkpoint of the whole. Tables are made anew by the next import. */
void ig_dyn_kept_take(ig_dyn_model *m, const double *kept) {
  ig_dyn_surfaces *s = m->division->surfaces;
  if (!s)
    return;
  s->made = false;
  s->due = true;
  for (int32_t i = 0; i < s->own.particles; i++)
    memcpy(s->own.particle[i].kept, kept + IG_DYN_KEPT * (int64_t)s->own.particle[i].number,
           sizeof s->own.particle[i].kept);
  for (int32_t j = 0; j < s->own.edges; j++)
    s->own.edge[j].kept = kept[IG_DYN_KEPT * (s->surfaces + (int64_t)s->own.edge[j].number)];
}
