/* Contact of a divided model: the surfaces of a rank, and the tables of its kernels from them
   and from those that were imported (part_surface.h, part_import.c). What erodes lays surfaces
   open: when an element has failed on some rank, ranks that have imported one of its faces are
   informed.

   Life of the data: ig_dyn_part_contact takes the own pieces from the whole model, once. Each
   import makes `all` (own and imported pieces, in the numbers of the whole) and from it the
   tables on the device (ig_dyn_tables_make), in numbers of the part. Contact memory (`kept`) is
   translated between both numberings at every import and for checkpoints. */
#include "dynamics/contact/part_surface.h"
#include "backend/backend.h"
#include "contact/explicit/parcels.h"
#include "core/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Guests have the numbers after those of the part's own mesh, in rising order of their nodes. */
ig_lid ig_dyn_local_node(const ig_dyn_part *p, ig_lid node) {
  const ig_dyn_surfaces *s = p->surfaces;
  const ig_lid at = ig_partition_node(&p->part, node);
  if (at >= 0 || s->guests == 0)
    return at;
  const int32_t guest = ig_sorted_find(s->guest, s->guests, node);
  return guest < 0 ? -1 : p->part.mesh->nodes + guest;
}

/* Frees the three lists; the struct is empty afterwards. */
void ig_dyn_pieces_free(ig_dyn_pieces *p) {
  free(p->particle);
  free(p->triangle);
  free(p->edge);
  memset(p, 0, sizeof *p);
}

/* --- own pieces */

/* Whether a corner of the piece (nodes of the whole) belongs to this rank. */
static bool mine(const ig_partition *p, const int32_t *node, int corners) {
  for (int i = 0; i < corners; i++)
    if (p->owner[node[i]] == p->rank)
      return true;
  return false;
}

/* Triangles and edges with a corner of this rank, with what a message has of them; marks their
   nodes. */
static ig_status pieces_find(ig_dyn_model *m, ig_dyn_pieces *own, uint8_t *corner) {
  const ig_dyn_model *w = m->division->whole;
  const ig_partition *p = &m->division->part;
  const ig_dyn_touching *t = &w->contact;
  const int32_t *beside = t->beside.host;
  for (int32_t k = 0; k < w->p.contact.triangles; k++) {
    const int32_t *node = t->skin + 3 * (int64_t)k;
    if (!mine(p, node, 3))
      continue;
    IG_TRY(IG_MORE(m->cx, &own->triangle, own->triangles, "contact surfaces"));
    own->triangle[own->triangles++] = (ig_dyn_surface_triangle){
        .number = k,
        .node = {node[0], node[1], node[2]},
        .element = {t->skin_owner[2 * (int64_t)k], t->skin_owner[2 * (int64_t)k + 1]},
        .alive = {1, 1}};
    memcpy(own->triangle[own->triangles - 1].beside, beside + 4 * (int64_t)k, 4 * sizeof *beside);
    for (int i = 0; i < 3; i++)
      corner[node[i]] = 1;
  }
  for (int32_t j = 0; j < w->p.edges.count; j++) {
    const int32_t *node = (const int32_t *)t->edge.host + 2 * (int64_t)j,
                  *side = (const int32_t *)t->edge_side.host + 2 * (int64_t)j;
    if (!mine(p, node, 2))
      continue;
    IG_TRY(IG_MORE(m->cx, &own->edge, own->edges, "contact surfaces"));
    own->edge[own->edges++] =
        (ig_dyn_surface_edge){.number = j, .node = {node[0], node[1]}, .side = {side[0], side[1]}};
    corner[node[0]] = corner[node[1]] = 1;
  }
  return IG_OK;
}

/* Particles at corners of own pieces, with the data that a message carries; those that are not
   this rank's are included, as their owner may not send them here. */
static ig_status particles_find(ig_dyn_model *m, ig_dyn_pieces *own, const uint8_t *corner) {
  const ig_dyn_model *w = m->division->whole;
  const ig_partition *p = &m->division->part;
  const ig_dyn_touching *t = &w->contact;
  for (int32_t i = 0; i < w->p.contact.surfaces; i++) {
    const int32_t n = ((const int32_t *)t->surface.host)[i];
    if (!corner[n])
      continue;
    IG_TRY(IG_MORE(m->cx, &own->particle, own->particles, "contact surfaces"));
    ig_dyn_surface_particle *to = &own->particle[own->particles++];
    *to = (ig_dyn_surface_particle){
        .number = i,
        .node = n,
        .owner = p->owner[n],
        .carried = m->division->carried[p->local[n]],
        .area = ((const double *)t->skin_area.host)[n],
        .length = t->edge_length.count ? ((const double *)t->edge_length.host)[n] : 0,
        .spring = ((const double *)t->spring.host)[n],
        .offset = ((const double *)t->offset.host)[n]};
    memcpy(to->start, (const double *)w->x_start.host + 3 * (int64_t)n, sizeof to->start);
  }
  return IG_OK;
}

/* Where particles and corners of own pieces stand: nodes of the part, and corners as places in
   own.particle, from which boxes are made at each import. */
static ig_status places_find(ig_dyn_model *m, ig_dyn_surfaces *s) {
  const ig_dyn_part *p = m->division;
  const ig_dyn_pieces *own = &s->own;
  int32_t *place; /* nodes of the part: in own.particle */
  IG_TRY(IG_NEW(m->cx, &s->local, (size_t)own->particles + 1, "contact surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->corner, 3 * (size_t)own->triangles + 1, "contact surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->end, 2 * (size_t)own->edges + 1, "contact surfaces"));
  IG_TRY(IG_NEW(m->cx, &place, (size_t)p->part.mesh->nodes + 1, "contact surfaces"));
  for (int32_t i = 0; i < own->particles; i++) {
    s->local[i] = p->part.local[own->particle[i].node];
    place[s->local[i]] = i;
  }
  for (int64_t i = 0; i < 3 * (int64_t)own->triangles; i++)
    s->corner[i] = place[p->part.local[own->triangle[i / 3].node[i % 3]]];
  for (int64_t i = 0; i < 2 * (int64_t)own->edges; i++)
    s->end[i] = place[p->part.local[own->edge[i / 2].node[i % 2]]];
  free(place);
  return IG_OK;
}

/* Which rank reports a piece to the first one: the owner of the particle, of the first corner of
   others. node: of the whole's other pieces, `corners` each; own: of this rank's, their first
   corner. Each piece is reported by one rank, so that sums count it once. */
static ig_status telling_new(ig_dyn_model *m, const int32_t *node, int64_t count, int corners,
                             const ig_dyn_surfaces *s, const int32_t *first, int32_t others,
                             ig_collect *to) {
  const ig_dyn_model *w = m->division->whole;
  const ig_partition *p = &m->division->part;
  const int64_t surfaces = w->p.contact.surfaces;
  int32_t *owner, *list = NULL;
  int64_t own = 0;
  IG_TRY(IG_NEW(m->cx, &owner, (size_t)(surfaces + count) + 1, "owners"));
  for (int64_t i = 0; i < surfaces + count; i++)
    owner[i] = p->owner[i < surfaces ? ((const int32_t *)w->contact.surface.host)[i]
                                     : node[corners * (i - surfaces)]];
  ig_status status = IG_NEW(m->cx, &list, (size_t)s->own.particles + (size_t)others + 1, "owners");
  for (int32_t i = 0; i < s->own.particles && status == IG_OK; i++)
    if (s->own.particle[i].owner == p->rank)
      list[own++] = i;
  for (int32_t k = 0; k < others && status == IG_OK; k++)
    if (s->own.particle[first[(int64_t)corners * k]].owner == p->rank)
      list[own++] = s->own.particles + k;
  if (status == IG_OK)
    status = ig_collect_new(m->cx, p, owner, surfaces + count, list, own, to);
  if (status == IG_OK)
    ig_collect_drop_index(m->cx, to);
  free(owner);
  return status;
}

/* How far a particle may move between two imports, twice: half of the mean edge, or the gap.
   Larger means fewer imports of more pieces. */
static double skin_of(const ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  const int64_t count = 3 * w->contact.outer;
  double edge = 0;
  for (int64_t i = 0; i < count; i++) {
    const int32_t *t = w->contact.skin;
    double d[3];
    ig_dyn_sub(w->x0 + 3 * (int64_t)t[i % 3 == 2 ? i - 2 : i + 1], w->x0 + 3 * (int64_t)t[i], d);
    edge += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (double)count;
  }
  return fmax(w->p.contact.gap, edge / 2);
}

/* Own particles that are watched: the device says when one of them leaves the skin. */
static ig_status watch_new(ig_dyn_model *m, ig_dyn_surfaces *s) {
  ig_dyn_own_view *own = &m->p.own;
  const size_t count = (size_t)s->own.particles + 1;
  IG_TRY(ig_array_new(m->cx, &s->watch, count, sizeof(int32_t), "contact surfaces"));
  IG_TRY(ig_array_new(m->cx, &s->from, 3 * count, m->part, "contact surfaces"));
  /* pinned host memory that the device writes: no copy is needed to look at it */
  IG_TRY(m->cx->backend->host_alloc(m->cx, &s->far, sizeof(int32_t)));
  for (int32_t i = 0; i < s->own.particles; i++)
    if (s->own.particle[i].owner == m->division->part.rank)
      ((int32_t *)s->watch.host)[own->watches++] = s->local[i];
  *(int32_t *)s->far = 0;
#ifdef INGOT_HAVE_CUDA
  if (m->cx->backend->kernels == IG_KERNELS_CUDA)
    IG_TRY(ig_exchange_mark_new_cuda(m->cx, &s->mark));
#endif
  own->watch = s->watch.dev, own->from = s->from.dev, own->far = s->far;
  own->most = s->skin / 2;
  return ig_array_push(m->cx, &s->watch);
}

/* Called while the whole model is there. Until the first import the tables are empty. */
ig_status ig_dyn_part_contact(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  ig_dyn_part *p = m->division;
  ig_dyn_surfaces *s;
  uint8_t *corner;
  if (w->p.contact.surfaces == 0)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &s, 1, "contact surfaces"));
  p->surfaces = s; /* and is freed with it */
  s->due = true;
  s->skin = skin_of(m);
  s->surfaces = w->p.contact.surfaces;
  p->fallen = -1;
  IG_TRY(IG_NEW(m->cx, &corner, (size_t)w->p.nodes + 1, "contact surfaces"));
  ig_status status = pieces_find(m, &s->own, corner);
  if (status == IG_OK)
    status = particles_find(m, &s->own, corner);
  free(corner);
  IG_TRY(status);
  IG_TRY(places_find(m, s));
  IG_TRY(telling_new(m, w->contact.edge.host, w->p.edges.count, 2, s, s->end, s->own.edges,
                     &s->stored));
  IG_TRY(watch_new(m, s));
  m->p.contact.surfaces = m->p.contact.triangles = m->p.edges.count = 0; /* until the import */
  return IG_OK;
}

/* Frees what ig_dyn_part_contact and the imports made; nothing where the model has no contact. */
void ig_dyn_part_contact_free(ig_dyn_model *m) {
  ig_dyn_surfaces *s = m->division->surfaces;
  if (!s)
    return;
  ig_dyn_pieces_free(&s->own);
  ig_dyn_pieces_free(&s->all);
  void *const host[] = {s->local, s->corner, s->end,        s->guest,
                        s->sent,  s->got,    s->sent_start, s->got_start};
  for (size_t i = 0; i < sizeof host / sizeof *host; i++)
    free(host[i]);
  ig_array_free(m->cx, &s->watch);
  ig_array_free(m->cx, &s->from);
  if (s->far)
    m->cx->backend->host_free(m->cx, s->far);
#ifdef INGOT_HAVE_CUDA
  ig_exchange_mark_free_cuda(s->mark);
#endif
  ig_collect_free(&s->stored);
  free(s);
  m->division->surfaces = NULL;
}

/* --- tables */

typedef struct {
  ig_array *array;
  size_t count, size;
  bool host;
} space;

/* Arrays of the tables for these counts. Marks of own pieces (own_*) are made unless elements
   erode: then forces on all pieces are computed. */
static ig_status spaces_make(ig_dyn_model *m, const ig_dyn_pieces *all) {
  ig_dyn_touching *t = &m->contact;
  const size_t n = (size_t)all->particles, k = (size_t)all->triangles, j = (size_t)all->edges;
  const bool erodes = m->p.erosion.alive, own = !erodes;
  const size_t buckets = ig_buckets_count(4 * (int64_t)all->triangles),
               places = ig_buckets_count(4 * (int64_t)all->edges);
  const size_t word = sizeof(int32_t);
  const space list[] = {{&t->triangle, 3 * k, word, true},
                        {&t->surface, n, word, true},
                        {&t->corner_first, n + 1, word, true},
                        {&t->corner, 3 * k, word, true},
                        {&t->beside, 4 * k, word, true},
                        {&t->pushed, k, word, false},
                        {&t->next, IG_DYN_SLOTS * n, word, false},
                        {&t->kept, IG_DYN_KEPT * (n + j), sizeof(double), true},
                        {&t->now, IG_DYN_KEPT * (n + j), sizeof(double), false},
                        {&t->push, IG_DYN_PUSH * IG_DYN_SLOTS * n, sizeof(double), false},
                        {&t->triangle_bucket, buckets, word, false},
                        {&t->triangle_chain, 8 * k, word, false},
                        {&t->stored, n + j, sizeof(double), false},
                        {&t->recoil, 9 * k, sizeof(double), false},
                        {&t->longest, 2, sizeof(uint32_t), true},
                        {&t->edge, 2 * j, word, true},
                        {&t->edge_side, 2 * j, word, true},
                        {&t->end_first, n + 1, word, true},
                        {&t->end, 2 * j, word, true},
                        {&t->edge_bucket, j ? places : 0, word, false},
                        {&t->edge_chain, 8 * j, word, false},
                        {&t->partner, j, word, false},
                        {&t->chosen, j, word, false},
                        {&t->also, j, word, false},
                        {&t->edge_recoil, 6 * j, sizeof(double), false},
                        {&t->owner, erodes ? 2 * k : 0, word, true},
                        {&t->open, erodes ? k : 0, 1, true},
                        {&t->awake, erodes ? n : 0, 1, false},
                        {&t->own_surface, own ? n : 0, 1, true},
                        {&t->own_triangle, own ? k : 0, 1, true},
                        {&t->own_edge, own ? j : 0, 1, true}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    IG_TRY(ig_array_fit(m->cx, list[i].array, list[i].count, list[i].size, list[i].host,
                        "contact surfaces"));
  return IG_OK;
}

/* Which of the pieces have a corner of this rank: only their forces are needed here. */
static void owns_find(const ig_partition *p, const int32_t *node, int64_t count, int corners,
                      uint8_t *own) {
  memset(own, 0, (size_t)count);
  for (int64_t i = 0; i < count * corners; i++)
    if (node[i] < p->mesh->nodes && !p->ghost[node[i]])
      own[i / corners] = 1;
}

/* Pieces are in rising order of their numbers. */
int32_t ig_dyn_triangle_place(const ig_dyn_pieces *all, int32_t number) {
  return ig_records_find(all->triangle, all->triangles, sizeof *all->triangle, number);
}
int32_t ig_dyn_edge_place(const ig_dyn_pieces *all, int32_t number) {
  return ig_records_find(all->edge, all->edges, sizeof *all->edge, number);
}

/* Nodes of all pieces in numbers of the part; `place`: 1 + where a node stands among those that
   touch. Fails if a piece came without one of its corners. */
static ig_status nodes_fill(ig_dyn_model *m, int32_t *place) {
  ig_dyn_part *p = m->division;
  const ig_dyn_pieces *all = &p->surfaces->all;
  ig_dyn_touching *t = &m->contact;
  int32_t *surface = t->surface.host, *triangle = t->triangle.host, *edge = t->edge.host;
  bool there = true;
  for (int32_t i = 0; i < all->particles; i++) {
    surface[i] = ig_dyn_local_node(p, all->particle[i].node);
    place[surface[i]] = i + 1;
  }
  for (int64_t i = 0; i < 3 * (int64_t)all->triangles; i++) {
    triangle[i] = ig_dyn_local_node(p, all->triangle[i / 3].node[i % 3]);
    there &= triangle[i] >= 0 && place[triangle[i]] > 0;
  }
  for (int64_t i = 0; i < 2 * (int64_t)all->edges; i++) {
    edge[i] = ig_dyn_local_node(p, all->edge[i / 2].node[i % 2]);
    there &= edge[i] >= 0 && place[edge[i]] > 0;
  }
  return there ? IG_OK
               : IG_FAIL(m->cx, IG_NUMERIC, "a surface came from another rank without its corners");
}

/* Contact memory of all pieces in numbers of the part. Codes are 2 k + side; a triangle or edge
   that is not here is not near, so that the contact is over. */
static void kept_fill(const ig_dyn_pieces *all, double *kept) {
  for (int32_t i = 0; i < all->particles; i++) {
    double *to = kept + IG_DYN_KEPT * (int64_t)i;
    memcpy(to, all->particle[i].kept, sizeof all->particle[i].kept);
    for (int s = 0; s < IG_DYN_SLOTS; s++) {
      const int32_t code = (int32_t)to[3 * s],
                    at = ig_dyn_triangle_place(all, code < 0 ? -1 : code / 2);
      to[3 * s] = at < 0 ? -1 : 2 * at + code % 2;
    }
  }
  for (int32_t j = 0; j < all->edges; j++) {
    double *to = kept + IG_DYN_KEPT * ((int64_t)all->particles + j);
    const int32_t code = (int32_t)all->edge[j].kept,
                  at = ig_dyn_edge_place(all, code < 0 ? -1 : code / 2);
    memset(to, 0, IG_DYN_KEPT * sizeof *to);
    to[0] = at < 0 ? -1 : 2 * (double)at + code % 2;
  }
}

/* Everything else of the tables: neighbours, corners by particle, contact memory, sides that
   erode, own marks. */
static void tables_fill(ig_dyn_model *m, const int32_t *place) {
  ig_dyn_part *p = m->division;
  const ig_dyn_pieces *all = &p->surfaces->all;
  ig_dyn_touching *t = &m->contact;
  const int32_t *surface = t->surface.host, *triangle = t->triangle.host, *edge = t->edge.host;
  for (int64_t i = 0; i < 2 * (int64_t)all->edges; i++)
    ((int32_t *)t->edge_side.host)[i] = ig_dyn_triangle_place(all, all->edge[i / 2].side[i % 2]);
  ig_dyn_corners(place, triangle, 3 * (int64_t)all->triangles, all->particles, t->corner_first.host,
                 t->corner.host);
  ig_dyn_corners(place, edge, 2 * (int64_t)all->edges, all->particles, t->end_first.host,
                 t->end.host);
  /* nothing is known of the longest edge yet: both parities start at 0 */
  memset(t->longest.host, 0, 2 * sizeof(uint32_t));
  for (int64_t i = 0; i < 4 * (int64_t)all->triangles; i++) {
    const int32_t beside = all->triangle[i / 4].beside[i % 4];
    ((int32_t *)t->beside.host)[i] = i % 4 == 3 ? beside : ig_dyn_triangle_place(all, beside);
  }
  kept_fill(all, t->kept.host);
  /* bytes of elements that this rank has, then two for each triangle, for sides of other ranks */
  if (m->p.erosion.alive) {
    const ig_lid elements = ig_mesh_elements(p->part.mesh);
    uint8_t *alive = t->alive.host;
    for (int64_t k = 0; k < all->triangles; k++)
      for (int i = 0; i < 2; i++) {
        const ig_lid e = all->triangle[k].element[i];
        ig_lid at = e < 0 ? -1 : ig_partition_element(&p->part, e);
        if (e >= 0 && at < 0) /* another rank's: who holds it tells of each side */
          at = elements + (ig_lid)(2 * k + i);
        ((int32_t *)t->owner.host)[2 * k + i] = at;
        if (at >= 0)
          alive[at] = (uint8_t)all->triangle[k].alive[i];
      }
    return;
  }
  owns_find(&p->part, surface, all->particles, 1, t->own_surface.host);
  owns_find(&p->part, triangle, all->triangles, 3, t->own_triangle.host);
  owns_find(&p->part, edge, all->edges, 2, t->own_edge.host);
}

/* Pointers of the kernels' view: arrays may have moved. */
static void view_make(ig_dyn_model *m) {
  const ig_dyn_pieces *all = &m->division->surfaces->all;
  ig_dyn_particles *p = &m->p;
  const ig_dyn_touching *t = &m->contact;
  ig_dyn_contact_view *c = &p->contact;
  ig_dyn_edges_view *e = &p->edges;
  c->surfaces = all->particles, c->triangles = all->triangles;
  c->triangle = t->triangle.dev, c->surface = t->surface.dev;
  c->corner_first = t->corner_first.dev, c->corner = t->corner.dev;
  c->beside = t->beside.dev, c->push = t->push.dev;
  c->bins = (ig_buckets){t->triangle_bucket.dev, t->triangle_chain.dev,
                         ig_buckets_count(4 * (int64_t)all->triangles) - 1};
  c->longest = t->longest.dev, c->kept = t->kept.dev, c->now = t->now.dev;
  c->pushed = t->pushed.dev, c->next = t->next.dev;
  c->stored = t->stored.dev, c->recoil = t->recoil.dev;
  e->count = all->edges;
  e->bins = (ig_buckets){t->edge_bucket.dev, t->edge_chain.dev,
                         ig_buckets_count(4 * (int64_t)all->edges) - 1};
  e->node = t->edge.dev, e->side = t->edge_side.dev;
  e->end_first = t->end_first.dev, e->end = t->end.dev;
  e->partner = t->partner.dev, e->chosen = t->chosen.dev, e->also = t->also.dev;
  e->recoil = t->edge_recoil.dev;
  if (p->erosion.alive) {
    p->erosion = (ig_dyn_erosion_view){t->alive.dev, t->owner.dev, t->open.dev, t->awake.dev};
    return;
  }
  p->own.surface = t->own_surface.dev, p->own.triangle = t->own_triangle.dev;
  p->own.edge = t->own_edge.dev;
}

/* `alive` grows by two bytes per triangle: one for each side whose element another rank has. */
ig_status ig_dyn_tables_make(ig_dyn_model *m) {
  ig_dyn_part *p = m->division;
  ig_dyn_touching *t = &m->contact;
  int32_t *place;
  IG_TRY(spaces_make(m, &p->surfaces->all));
  const size_t sides =
      (size_t)ig_mesh_elements(p->part.mesh) + 2 * (size_t)p->surfaces->all.triangles + 1;
  if (m->p.erosion.alive && t->alive.count < sides)
    IG_TRY(ig_array_grow(m->cx, &t->alive, sides + sides / 4));
  IG_TRY(IG_NEW(m->cx, &place, (size_t)p->part.mesh->nodes + (size_t)p->surfaces->guests + 1,
                "contact surfaces"));
  const ig_status filled = nodes_fill(m, place);
  if (filled == IG_OK)
    tables_fill(m, place);
  free(place);
  IG_TRY(filled);
  ig_array *const pushed[] = {&t->triangle, &t->surface,     &t->corner_first, &t->corner,
                              &t->longest,  &t->edge,        &t->edge_side,    &t->end_first,
                              &t->end,      &t->own_surface, &t->own_triangle, &t->own_edge,
                              &t->owner,    &t->alive,       &t->beside,       &t->kept};
  for (size_t i = 0; i < sizeof pushed / sizeof *pushed; i++)
    if (pushed[i]->count && pushed[i]->host)
      IG_TRY(ig_array_push(m->cx, pushed[i]));
  view_make(m);
  p->surfaces->made = true;
  return IG_OK;
}

/* --- before a step */

/* Masses or places have changed outside of a step. Must be called on all ranks alike. */
void ig_dyn_part_changed(ig_dyn_model *m) {
  if (m->division && m->division->surfaces)
    m->division->surfaces->due = true;
}

/* Velocities have changed outside of a step: guests get them before the next one. */
void ig_dyn_part_slowed(ig_dyn_model *m) {
  if (m->division && m->division->surfaces)
    m->division->surfaces->slow = true;
}

/* Enqueues the test whether a watched particle has left half of the skin; ig_dyn_part_ready
   looks at its result before the next step, when the device has long been past it. */
ig_status ig_dyn_part_watch(ig_dyn_model *m) {
  if (m->p.own.watches == 0)
    return IG_OK;
  IG_TRY(m->ops->watch(m->cx, &m->p));
#ifdef INGOT_HAVE_CUDA
  if (m->division->surfaces->mark)
    IG_TRY(ig_peer_mark_cuda(m->cx, m->division->surfaces->mark));
#endif
  return IG_OK;
}
