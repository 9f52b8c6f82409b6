/* Import of surfaces: boxes around the own pieces of each rank to all; then from each rank to
   each other one the pieces near its boxes (part_surface.h says how near). All ranks take the
   same decisions from the same numbers: ranks with a corner of a piece know its position, to the
   last bit. A particle is sent by its owner, a triangle or an edge by the owner of its first
   corner, unless the other rank has a corner of it and so the piece itself.

   ig_dyn_import: own_look, fence_make, parcels_make, ig_parcels_exchange, parcels_take. Collective;
   a rank that fails agrees with the others before each exchange. */
#include "dynamics/contact/part_surface.h"
#include "backend/backend.h"
#include "contact/explicit/parcels.h"
#include "core/sorted.h"
#include "ranks/allgather.h"
#include "ranks/box_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the own pieces of a rank are. */
typedef struct {
  ig_box_grid boxes;
  double longest; /* edge */
} fence;

/* Box of a piece; at: its corners as places in own->particle. */
static ig_box box_of(const ig_dyn_pieces *own, const int32_t *at, int corners) {
  ig_box b = ig_box_none;
  for (int i = 0; i < corners; i++)
    ig_box_add(&b, own->particle[at[i]].x);
  return b;
}

/* --- boxes */

/* A piece in the fence: its box, and its diagonal as a bound of its longest edge. */
static void fence_add(fence *f, const ig_box *b) {
  ig_box_grid_add(&f->boxes, b);
  double l = 0;
  for (int c = 0; c < 3; c++)
    l += (b->high[c] - b->low[c]) * (b->high[c] - b->low[c]);
  f->longest = fmax(f->longest, sqrt(l));
}

/* Boxes of the own pieces as a coarse grid within their common box (ranks/box_grid.h): of fixed
   size, so that it fits one message. */
static void fence_make(const ig_dyn_surfaces *s, fence *f) {
  f->boxes.all = ig_box_none;
  f->longest = 0;
  ig_box_grid_clear(&f->boxes);
  for (int32_t i = 0; i < s->own.particles; i++)
    ig_box_add(&f->boxes.all, s->own.particle[i].x);
  for (int32_t k = 0; k < s->own.triangles; k++) {
    const ig_box b = box_of(&s->own, s->corner + 3 * (int64_t)k, 3);
    fence_add(f, &b);
  }
  for (int32_t j = 0; j < s->own.edges; j++) {
    const ig_box b = box_of(&s->own, s->end + 2 * (int64_t)j, 2);
    fence_add(f, &b);
  }
}

/* How near a piece must be to one of another rank to be sent there; see the head of
   part_surface.h. */
static double reach_of(const ig_dyn_model *m, const fence *all) {
  const ig_dyn_part *p = m->division;
  const double skin = p->surfaces->skin;
  double longest = 0;
  for (int r = 0; r < p->part.ranks; r++)
    longest = fmax(longest, all[r].longest);
  const bool far = ig_dyn_edges_touch(m) || m->p.erosion.alive;
  return 2 * (m->p.contact.gap + skin) + m->p.contact.deep + (far ? longest + skin : 0);
}

/* --- what goes to whom */

/* A parcel has particles, triangles, edges; places sent are those in the own pieces. */
enum { PARTICLES, TRIANGLES, EDGES };
static const size_t record[IG_PARCEL_LISTS] = {
    sizeof(ig_dyn_surface_particle), sizeof(ig_dyn_surface_triangle), sizeof(ig_dyn_surface_edge)};

/* Whether a piece goes to rank r: it is near one of its boxes, and r has none of its corners,
   for else it has the piece itself. */
static bool goes(const ig_dyn_pieces *own, const int32_t *at, int corners, int r, const fence *to,
                 double reach) {
  const ig_box b = box_of(own, at, corners);
  for (int i = 0; i < corners; i++)
    if (own->particle[at[i]].owner == r)
      return false;
  return ig_box_grid_near(&to->boxes, &b, reach);
}

/* Pieces of one kind that go to a rank. Own particles at the corners are marked for sending even
   if the piece itself is sent by the owner of its first corner. */
static int32_t pieces_choose(const ig_dyn_model *m, const int32_t *at, int32_t count, int corners,
                             const fence *to, double reach, int rank, uint8_t *mark,
                             int32_t *chosen) {
  const ig_dyn_pieces *own = &m->division->surfaces->own;
  const int me = m->division->part.rank;
  int32_t n = 0;
  for (int32_t k = 0; k < count; k++) {
    const int32_t *corner = at + (int64_t)corners * k;
    if (!goes(own, corner, corners, rank, to, reach))
      continue;
    for (int i = 0; i < corners; i++)
      mark[corner[i]] |= own->particle[corner[i]].owner == me;
    if (own->particle[corner[0]].owner == me)
      chosen[n++] = k;
  }
  return n;
}

/* Chooses and packs what goes to one rank. */
static ig_status parcel_fill(ig_dyn_model *m, const fence *to, double reach, ig_parcel *a) {
  const ig_dyn_surfaces *s = m->division->surfaces;
  const ig_dyn_pieces *own = &s->own;
  const void *const piece[IG_PARCEL_LISTS] = {own->particle, own->triangle, own->edge};
  const int32_t pieces[IG_PARCEL_LISTS] = {own->particles, own->triangles, own->edges};
  uint8_t *mark;
  for (int k = 0; k < IG_PARCEL_LISTS; k++)
    IG_TRY(IG_NEW(m->cx, &a->item[k], (size_t)pieces[k] + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &mark, (size_t)own->particles + 1, "import of surfaces"));
  a->count[TRIANGLES] =
      pieces_choose(m, s->corner, own->triangles, 3, to, reach, a->rank, mark, a->item[TRIANGLES]);
  a->count[EDGES] =
      pieces_choose(m, s->end, own->edges, 2, to, reach, a->rank, mark, a->item[EDGES]);
  for (int32_t i = 0; i < own->particles; i++)
    if (mark[i])
      a->item[PARTICLES][a->count[PARTICLES]++] = i;
  free(mark);
  IG_TRY(ig_parcel_open(m->cx, a, record));
  char *at = a->out;
  for (int k = 0; k < IG_PARCEL_LISTS; k++)
    for (int32_t i = 0; i < a->count[k]; i++, at += record[k])
      memcpy(at, (const char *)piece[k] + (size_t)a->item[k][i] * record[k], record[k]);
  return IG_OK;
}

/* A parcel for each rank whose pieces are near: both sides find the same pairs, as boxes and
   reach are the same numbers on all ranks. */
static ig_status parcels_make(ig_dyn_model *m, const fence *all, ig_parcel *list, int *count) {
  const ig_dyn_part *p = m->division;
  const double reach = reach_of(m, all);
  *count = 0;
  for (int r = 0; r < p->part.ranks; r++)
    if (r != p->part.rank && ig_box_near(&all[p->part.rank].boxes.all, &all[r].boxes.all, reach))
      list[(*count)++].rank = r;
  for (int i = 0; i < *count; i++)
    IG_TRY(parcel_fill(m, &all[list[i].rank], reach, &list[i]));
  return IG_OK;
}

/* --- together with the own ones */

/* Lists of a message. */
static const void *list_in(const ig_parcel *a, int list) {
  return ig_parcel_list(a->in, a->take, record, list);
}
static const ig_dyn_surface_particle *particles_in(const ig_parcel *a) {
  return list_in(a, PARTICLES);
}
static const ig_dyn_surface_triangle *triangles_in(const ig_parcel *a) {
  return list_in(a, TRIANGLES);
}

/* Own pieces of a kind and those of the parcels, sorted by number, each once (a piece may come from
   two ranks): tables then have the order of one rank. `all` is allocated. */
static ig_status pieces_merge(ig_dyn_model *m, const void *own, int32_t owns, const ig_parcel *list,
                              int parcels, int kind, void **all, int32_t *count) {
  const size_t size = record[kind];
  int64_t most = owns;
  for (int i = 0; i < parcels; i++)
    most += list[i].take[kind];
  IG_TRY(ig_alloc(m->cx, all, (size_t)most + 1, size, "contact surfaces"));
  char *to = *all;
  if (owns) /* a rank without surfaces has no list to copy from */
    memcpy(to, own, (size_t)owns * size);
  to += (size_t)owns * size;
  for (int i = 0; i < parcels; i++) {
    memcpy(to, list_in(&list[i], kind), (size_t)list[i].take[kind] * size);
    to += (size_t)list[i].take[kind] * size;
  }
  *count = ig_records_sort_once(*all, (int32_t)most, size);
  return IG_OK;
}
static ig_status pieces_join(ig_dyn_model *m, const ig_parcel *list, int count) {
  const ig_dyn_pieces *own = &m->division->surfaces->own;
  ig_dyn_pieces *all = &m->division->surfaces->all;
  ig_dyn_pieces_free(all);
  IG_TRY(pieces_merge(m, own->particle, own->particles, list, count, PARTICLES,
                      (void **)&all->particle, &all->particles));
  IG_TRY(pieces_merge(m, own->triangle, own->triangles, list, count, TRIANGLES,
                      (void **)&all->triangle, &all->triangles));
  return pieces_merge(m, own->edge, own->edges, list, count, EDGES, (void **)&all->edge,
                      &all->edges);
}

/* Particles that the part does not have, in rising order of their nodes: they get places after
   its own. */
static ig_status guests_find(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_surfaces *s = p->surfaces;
  free(s->guest);
  s->guest = NULL;
  s->guests = 0;
  int32_t guests = 0;
  ig_lid *guest;
  IG_TRY(IG_NEW(m->cx, &guest, (size_t)s->all.particles + 1, "contact surfaces"));
  for (int32_t i = 0; i < s->all.particles; i++)
    if (ig_dyn_local_node(p, s->all.particle[i].node) < 0)
      guest[guests++] = s->all.particle[i].node;
  ig_records_sort(guest, guests, sizeof *guest);
  s->guest = guest;
  s->guests = guests;
  return IG_OK;
}

/* Value i of an array on the host, in its precision. */
static void number_put(const ig_array *a, int64_t i, double value) {
  if (a->size == sizeof(double))
    ((double *)a->host)[i] = value;
  else
    ((float *)a->host)[i] = (float)value;
}

/* Arrays of particles get room for guests, and these their values. */
static ig_status guests_seat(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_surfaces *s = p->surfaces;
  ig_dyn_touching *t = &m->contact;
  const ig_lid nodes = p->part.mesh->nodes;
  const size_t all = (size_t)nodes + (size_t)s->guests + 1;
  IG_TRY(ig_arrays_grow(&m->arrays, IG_DYN_SEATS));
  uint8_t *carried = realloc(p->carried, all);
  if (!carried)
    return IG_FAIL(m->cx, IG_MEMORY, "no memory for %zu particles of surfaces", all);
  p->carried = carried;
  for (int32_t i = 0; i < s->all.particles; i++) {
    const ig_dyn_surface_particle *from = &s->all.particle[i];
    const int64_t n = ig_dyn_local_node(p, from->node);
    for (int c = 0; c < 3; c++)
      /* positions one step ago come with the messages for all: own ones are the same numbers */
      number_put(&t->before, 3 * n + c, from->before[c]);
    if (n < nodes)
      continue;
    carried[n] = (uint8_t)from->carried;
    for (int c = 0; c < 3; c++) {
      number_put(&m->x, 3 * n + c, from->x[c]);
      number_put(&m->x_start, 3 * n + c, from->start[c]);
    }
    for (int c = 0; c < m->p.dofs; c++)
      number_put(&m->v, m->p.dofs * n + c, from->v[c]);
    number_put(&m->mass, n, from->mass);
    number_put(&t->skin_area, n, from->area);
    number_put(&t->spring, n, from->spring);
    number_put(&t->offset, n, from->offset);
    if (t->edge_length.count)
      number_put(&t->edge_length, n, from->length);
  }
  ig_array *const list[] = {&m->x,      &m->v,      &m->mass,   &t->skin_area, &t->edge_length,
                            &t->spring, &t->offset, &t->before, &m->x_start};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i]->count)
      IG_TRY(ig_array_push(m->cx, list[i]));
  return IG_OK;
}

/* Whether an own particle travels to that rank anyway, as a ghost. */
static bool given_already(const ig_dyn_travel *t, int rank, int32_t node) {
  const int32_t first = t->give_start[rank];
  return ig_sorted_find(t->give + first, t->give_start[rank + 1] - first, node) >= 0;
}

/* What travels at each step besides ghosts of elements: particles that were sent and that the other
   rank did not have. Both sides keep the order of the parcels. */
static ig_status guests_list(ig_dyn_model *m, const ig_parcel *list, int count) {
  ig_dyn_part *p = m->division;
  ig_dyn_travel *t = &p->guests;
  const ig_dyn_surfaces *s = p->surfaces;
  const ig_lid nodes = p->part.mesh->nodes;
  int64_t give = 0;
  for (int i = 0; i < count; i++)
    give += list[i].count[PARTICLES];
  IG_TRY(ig_dyn_travel_new(m->cx, p->part.ranks, give, s->guests, t));
  int32_t out = 0, in = 0;
  for (int i = 0, r = 0; r < p->part.ranks; r++) {
    const ig_parcel *a = i < count && list[i].rank == r ? &list[i++] : NULL;
    /* what travels as a ghost anyway is not sent twice */
    for (int32_t k = 0; a && k < a->count[PARTICLES]; k++)
      if (!given_already(&p->ghosts, r, s->local[a->item[PARTICLES][k]]))
        t->give[out++] = s->local[a->item[PARTICLES][k]];
    for (int32_t k = 0; a && k < a->take[PARTICLES]; k++) {
      const ig_lid n = ig_dyn_local_node(p, particles_in(a)[k].node);
      if (n >= nodes)
        t->take[in++] = n;
    }
    t->give_start[r + 1] = out;
    t->take_start[r + 1] = in;
  }
  return IG_OK;
}

/* Triangles sent and received, for what erodes later: part_erode.c sends bytes in this order. */
static ig_status triangles_list(ig_dyn_model *m, const ig_parcel *list, int count) {
  ig_dyn_surfaces *s = m->division->surfaces;
  const int ranks = m->division->part.ranks;
  int64_t out = 0, in = 0;
  for (int i = 0; i < count; i++)
    out += list[i].count[TRIANGLES], in += list[i].take[TRIANGLES];
  free(s->sent_start), free(s->sent), free(s->got_start), free(s->got);
  s->sent_start = s->sent = s->got_start = s->got = NULL;
  IG_TRY(IG_NEW(m->cx, &s->sent_start, (size_t)ranks + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->sent, (size_t)out + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->got_start, (size_t)ranks + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->got, (size_t)in + 1, "import of surfaces"));
  out = in = 0;
  for (int i = 0, r = 0; r < ranks; r++) {
    const ig_parcel *a = i < count && list[i].rank == r ? &list[i++] : NULL;
    for (int32_t k = 0; a && k < a->count[TRIANGLES]; k++)
      s->sent[out++] = a->item[TRIANGLES][k];
    for (int32_t k = 0; a && k < a->take[TRIANGLES]; k++)
      s->got[in++] = ig_dyn_triangle_place(&s->all, triangles_in(a)[k].number);
    s->sent_start[r + 1] = (int32_t)out;
    s->got_start[r + 1] = (int32_t)in;
  }
  return IG_OK;
}

/* From the messages to tables and lists; then the places from which particles are watched. */
static ig_status parcels_take(ig_dyn_model *m, const ig_parcel *list, int count) {
  ig_dyn_surfaces *s = m->division->surfaces;
  IG_TRY(pieces_join(m, list, count));
  IG_TRY(guests_find(m));
  IG_TRY(guests_seat(m));
  IG_TRY(guests_list(m, list, count));
  if (m->p.erosion.alive)
    IG_TRY(triangles_list(m, list, count));
  IG_TRY(ig_dyn_tables_make(m));
  IG_TRY(ig_dyn_part_travel(m));
  for (int32_t i = 0; i < m->p.own.watches; i++)
    for (int c = 0; c < 3; c++)
      number_put(&s->from, 3 * (int64_t)i + c,
                 ig_dyn_get(m, &m->x, 3 * (int64_t)((const int32_t *)s->watch.host)[i] + c));
  return ig_array_push(m->cx, &s->from);
}

/* Own pieces as they are now, for boxes and messages. The device must have finished, as lists
   are changed. */
static ig_status own_look(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_surfaces *s = p->surfaces;
  IG_TRY(m->cx->backend->sync(m->cx)); /* what is on its way may still use the lists */
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_array_pull(m->cx, &m->v));
  IG_TRY(ig_dyn_kept_look(m));
  for (int32_t i = 0; i < s->own.particles; i++) {
    ig_dyn_surface_particle *to = &s->own.particle[i];
    const int64_t n = s->local[i];
    for (int c = 0; c < 3; c++)
      to->x[c] = ig_dyn_get(m, &m->x, 3 * n + c);
    for (int c = 0; c < m->p.dofs; c++)
      to->v[c] = ig_dyn_get(m, &m->v, m->p.dofs * n + c);
    to->mass = ig_dyn_get(m, &m->mass, n);
  }
  const uint8_t *alive = m->contact.alive.host;
  for (int32_t k = 0; k < s->own.triangles && m->p.erosion.alive; k++)
    for (int i = 0; i < 2; i++) {
      const int32_t e = s->own.triangle[k].element[i];
      s->own.triangle[k].alive[i] = e >= 0 && alive[ig_partition_element(&m->division->part, e)];
    }
  return IG_OK;
}

/* See the head of the file. Afterwards no import is due, and watching starts from the new
   positions. */
ig_status ig_dyn_import(ig_dyn_model *m) {
  ig_dyn_surfaces *s = m->division->surfaces;
  fence mine, *all;
  ig_parcel *list = NULL;
  int count = 0;
  ig_status status = own_look(m);
  if (status == IG_OK)
    fence_make(s, &mine);
  status = ig_ranks_allgather(m->cx, status, &mine, sizeof mine, (void **)&all);
  if (status == IG_OK) {
    status = IG_NEW(m->cx, &list, (size_t)m->division->part.ranks, "import of surfaces");
    if (status == IG_OK)
      status = parcels_make(m, all, list, &count);
    status = ig_parcels_exchange(m->cx, status, list, count, record);
  }
  if (status == IG_OK)
    status = ig_ranks_agree(m->cx, parcels_take(m, list, count));
  ig_parcels_free(list, count);
  free(all);
  s->due = s->slow = false;
  s->imports++;
  *(int32_t *)s->far = 0;
  return status;
}
