/* Import of surfaces: boxes around the own pieces of each rank to all; then from each rank to
   each other one the pieces near its boxes (part_surface.h says how near). All ranks take the
   same decisions from the same numbers: who has a corner of a piece knows where it is, to the
   last bit. A particle is sent by its owner, a triangle or an edge by the owner of its first
   corner, unless the other rank has a corner of it and so the piece itself.

   ig_dyn_import: own_look, fences_share, parcels_make, parcels_swap, parcels_take. Collective; a
   rank that fails agrees with the others before each exchange. */
#include "dynamics/contact/part_surface.h"
#include "backend/backend.h"
#include "core/sorted.h"
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

/* Boxes of all ranks, to all. Collective. */
static ig_status fences_share(ig_dyn_model *m, fence **all) {
  const int ranks = m->division->part.ranks;
  fence mine;
  *all = NULL;
  const ig_status status = IG_NEW(m->cx, all, (size_t)ranks, "boxes of ranks");
  IG_TRY(ig_ranks_agree(m->cx, status));
  fence_make(m->division->surfaces, &mine);
  IG_TRY(ig_ranks_collect(m->cx, &mine, sizeof mine, *all));
  return ig_ranks_bcast(m->cx, 0, *all, (size_t)ranks * sizeof **all);
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

/* What goes to one rank and what comes from it; places are those in the own pieces. `out` and
   `in` are the messages. */
typedef struct {
  int rank;
  int32_t count[3], take[3]; /* particles, triangles, edges: to it, from it */
  int32_t *particle, *triangle, *edge;
  char *out, *in;
} parcel;

static size_t parcel_size(const int32_t count[3]) {
  return (size_t)count[0] * sizeof(ig_dyn_surface_particle) +
         (size_t)count[1] * sizeof(ig_dyn_surface_triangle) +
         (size_t)count[2] * sizeof(ig_dyn_surface_edge);
}

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

/* Chooses and packs what goes to one rank. Layout of a message: particles, triangles, edges. */
static ig_status parcel_fill(ig_dyn_model *m, const fence *to, double reach, parcel *a) {
  const ig_dyn_surfaces *s = m->division->surfaces;
  const ig_dyn_pieces *own = &s->own;
  uint8_t *mark;
  IG_TRY(IG_NEW(m->cx, &a->particle, (size_t)own->particles + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &a->triangle, (size_t)own->triangles + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &a->edge, (size_t)own->edges + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &mark, (size_t)own->particles + 1, "import of surfaces"));
  a->count[1] =
      pieces_choose(m, s->corner, own->triangles, 3, to, reach, a->rank, mark, a->triangle);
  a->count[2] = pieces_choose(m, s->end, own->edges, 2, to, reach, a->rank, mark, a->edge);
  for (int32_t i = 0; i < own->particles; i++)
    if (mark[i])
      a->particle[a->count[0]++] = i;
  free(mark);
  IG_TRY(ig_alloc(m->cx, (void **)&a->out, parcel_size(a->count) + 1, 1, "import of surfaces"));
  char *at = a->out;
  for (int32_t i = 0; i < a->count[0]; i++, at += sizeof *own->particle)
    memcpy(at, &own->particle[a->particle[i]], sizeof *own->particle);
  for (int32_t i = 0; i < a->count[1]; i++, at += sizeof *own->triangle)
    memcpy(at, &own->triangle[a->triangle[i]], sizeof *own->triangle);
  for (int32_t i = 0; i < a->count[2]; i++, at += sizeof *own->edge)
    memcpy(at, &own->edge[a->edge[i]], sizeof *own->edge);
  return IG_OK;
}

/* A parcel for each rank whose pieces are near: both sides find the same pairs, as boxes and
   reach are the same numbers on all ranks. */
static ig_status parcels_make(ig_dyn_model *m, const fence *all, parcel *list, int *count) {
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

/* Lists and messages of all parcels, and the list itself. */
static void parcels_free(parcel *list, int count) {
  for (int i = 0; i < count; i++) {
    free(list[i].particle);
    free(list[i].triangle);
    free(list[i].edge);
    free(list[i].out);
    free(list[i].in);
  }
  free(list);
}

/* Exchanges counts, allocates, exchanges contents. `status`: how this rank fared before. */
static ig_status parcels_swap(ig_dyn_model *m, ig_status status, parcel *list, int count) {
  ig_message *message = NULL;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &message, (size_t)count + 1, "messages");
  status = ig_ranks_agree(m->cx, status);
  for (int i = 0; i < count && status == IG_OK; i++)
    message[i] = (ig_message){.rank = list[i].rank,
                              .send = list[i].count,
                              .send_size = sizeof list[i].count,
                              .receive = list[i].take,
                              .receive_size = sizeof list[i].take};
  if (status == IG_OK)
    status = ig_ranks_exchange(m->cx, message, count);
  ig_status made = status;
  for (int i = 0; i < count && made == IG_OK; i++)
    made = ig_alloc(m->cx, (void **)&list[i].in, parcel_size(list[i].take) + 1, 1,
                    "import of surfaces");
  if (status == IG_OK)
    status = ig_ranks_agree(m->cx, made);
  for (int i = 0; i < count && status == IG_OK; i++)
    message[i] = (ig_message){.rank = list[i].rank,
                              .send = list[i].out,
                              .send_size = parcel_size(list[i].count),
                              .receive = list[i].in,
                              .receive_size = parcel_size(list[i].take)};
  if (status == IG_OK)
    status = ig_ranks_exchange(m->cx, message, count);
  free(message);
  return status;
}

/* --- together with the own ones */

/* Records begin with their number: one comparison serves all three kinds. */
static int by_first(const void *a, const void *b) {
  const int32_t p = *(const int32_t *)a, q = *(const int32_t *)b; /* all records begin with it */
  return (p > q) - (p < q);
}

/* In rising order, each once: a piece may come from two ranks. */
static int32_t sort_once(void *list, int32_t count, size_t size) {
  int32_t kept = 0;
  if (count)
    qsort(list, (size_t)count, size, by_first);
  for (int32_t i = 0; i < count; i++) {
    char *to = (char *)list + (size_t)kept * size, *from = (char *)list + (size_t)i * size;
    if (kept && by_first(to - size, from) == 0)
      continue;
    memmove(to, from, size);
    kept++;
  }
  return kept;
}

/* Parts of a message, in the order in which parcel_fill wrote them. */
static const ig_dyn_surface_particle *particles_in(const parcel *a) {
  return (const ig_dyn_surface_particle *)(const void *)a->in;
}
static const ig_dyn_surface_triangle *triangles_in(const parcel *a) {
  return (const ig_dyn_surface_triangle *)(const void *)(particles_in(a) + a->take[0]);
}
static const ig_dyn_surface_edge *edges_in(const parcel *a) {
  return (const ig_dyn_surface_edge *)(const void *)(triangles_in(a) + a->take[1]);
}

/* A rank without surfaces has no list to copy from. */
static void items_copy(void *to, const void *from, int32_t count, size_t size) {
  if (count > 0)
    memcpy(to, from, (size_t)count * size);
}

/* All pieces, own ones first, sorted by number, each once: tables then have the order of one
   rank. */
static ig_status pieces_join(ig_dyn_model *m, const parcel *list, int count) {
  ig_dyn_surfaces *s = m->division->surfaces;
  ig_dyn_pieces *all = &s->all;
  int64_t most[3] = {s->own.particles, s->own.triangles, s->own.edges};
  for (int i = 0; i < count; i++)
    for (int j = 0; j < 3; j++)
      most[j] += list[i].take[j];
  ig_dyn_pieces_free(all);
  IG_TRY(IG_NEW(m->cx, &all->particle, (size_t)most[0] + 1, "contact surfaces"));
  IG_TRY(IG_NEW(m->cx, &all->triangle, (size_t)most[1] + 1, "contact surfaces"));
  IG_TRY(IG_NEW(m->cx, &all->edge, (size_t)most[2] + 1, "contact surfaces"));
  for (int i = -1; i < count; i++) { /* the own ones first */
    const int32_t own[3] = {s->own.particles, s->own.triangles, s->own.edges};
    const int32_t *n = i < 0 ? own : list[i].take;
    items_copy(all->particle + all->particles, i < 0 ? s->own.particle : particles_in(&list[i]),
               n[0], sizeof *all->particle);
    items_copy(all->triangle + all->triangles, i < 0 ? s->own.triangle : triangles_in(&list[i]),
               n[1], sizeof *all->triangle);
    items_copy(all->edge + all->edges, i < 0 ? s->own.edge : edges_in(&list[i]), n[2],
               sizeof *all->edge);
    all->particles += n[0], all->triangles += n[1], all->edges += n[2];
  }
  all->particles = sort_once(all->particle, all->particles, sizeof *all->particle);
  all->triangles = sort_once(all->triangle, all->triangles, sizeof *all->triangle);
  all->edges = sort_once(all->edge, all->edges, sizeof *all->edge);
  return IG_OK;
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
  if (guests)
    qsort(guest, (size_t)guests, sizeof *guest, by_first);
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
static ig_status guests_list(ig_dyn_model *m, const parcel *list, int count) {
  ig_dyn_part *p = m->division;
  ig_dyn_travel *t = &p->guests;
  const ig_dyn_surfaces *s = p->surfaces;
  const ig_lid nodes = p->part.mesh->nodes;
  int64_t give = 0;
  for (int i = 0; i < count; i++)
    give += list[i].count[0];
  IG_TRY(ig_dyn_travel_new(m->cx, p->part.ranks, give, s->guests, t));
  int32_t out = 0, in = 0;
  for (int i = 0, r = 0; r < p->part.ranks; r++) {
    const parcel *a = i < count && list[i].rank == r ? &list[i++] : NULL;
    /* what travels as a ghost anyway is not sent twice */
    for (int32_t k = 0; a && k < a->count[0]; k++)
      if (!given_already(&p->ghosts, r, s->local[a->particle[k]]))
        t->give[out++] = s->local[a->particle[k]];
    for (int32_t k = 0; a && k < a->take[0]; k++) {
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
static ig_status triangles_list(ig_dyn_model *m, const parcel *list, int count) {
  ig_dyn_surfaces *s = m->division->surfaces;
  const int ranks = m->division->part.ranks;
  int64_t out = 0, in = 0;
  for (int i = 0; i < count; i++)
    out += list[i].count[1], in += list[i].take[1];
  free(s->sent_start), free(s->sent), free(s->got_start), free(s->got);
  s->sent_start = s->sent = s->got_start = s->got = NULL;
  IG_TRY(IG_NEW(m->cx, &s->sent_start, (size_t)ranks + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->sent, (size_t)out + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->got_start, (size_t)ranks + 1, "import of surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->got, (size_t)in + 1, "import of surfaces"));
  out = in = 0;
  for (int i = 0, r = 0; r < ranks; r++) {
    const parcel *a = i < count && list[i].rank == r ? &list[i++] : NULL;
    for (int32_t k = 0; a && k < a->count[1]; k++)
      s->sent[out++] = a->triangle[k];
    for (int32_t k = 0; a && k < a->take[1]; k++) {
      const ig_dyn_surface_triangle *found =
          bsearch(&triangles_in(a)[k], s->all.triangle, (size_t)s->all.triangles,
                  sizeof *s->all.triangle, by_first);
      s->got[in++] = (int32_t)(found - s->all.triangle);
    }
    s->sent_start[r + 1] = (int32_t)out;
    s->got_start[r + 1] = (int32_t)in;
  }
  return IG_OK;
}

/* From the messages to tables and lists; then the places from which particles are watched. */
static ig_status parcels_take(ig_dyn_model *m, const parcel *list, int count) {
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
  fence *all = NULL;
  parcel *list = NULL;
  int count = 0;
  const ig_status seen = own_look(m);
  IG_TRY(ig_ranks_agree(m->cx, seen));
  ig_status status = fences_share(m, &all);
  if (status == IG_OK) {
    status = IG_NEW(m->cx, &list, (size_t)m->division->part.ranks, "import of surfaces");
    if (status == IG_OK)
      status = parcels_make(m, all, list, &count);
    status = parcels_swap(m, status, list, count);
  }
  if (status == IG_OK)
    status = ig_ranks_agree(m->cx, parcels_take(m, list, count));
  if (list)
    parcels_free(list, count);
  free(all);
  s->due = s->slow = false;
  s->imports++;
  *(int32_t *)s->far = 0;
  return status;
}
