/* Surfaces that touch: triangles of the mesh, springs, and space for the search. This file sets
   up the data that contact.inc (particles against triangles) and contact_edge.inc (edges against
   edges) work on; ig_dyn_contact_new is called once, when the model is made. The skin (all
   triangles) stays on the host for output, overlaps and division between ranks; device copies
   are for kernels. */
#include "dynamics/model/model.h"
#include "dynamics/contact/overlap.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what erodes */

/* Whether elements of a group can fail: Johnson and Cook's law with damage parameters. */
bool ig_dyn_erodes(const ig_dyn_group *g) {
  return g->law == IG_LAW_JOHNSON && jc_fails_f64(&g->g_f64.mat);
}

/* One byte per element of the mesh, 1: it holds. Only models in which something can fail have
   it. */
ig_status ig_dyn_alive_new(ig_dyn_model *m) {
  bool any = false;
  for (int k = 0; k < m->groups; k++)
    any |= ig_dyn_erodes(&m->group[k]);
  if (!any)
    return IG_OK;
  const size_t elements = (size_t)ig_mesh_elements(m->mesh);
  IG_TRY(ig_array_new(m->cx, &m->contact.alive, elements, 1, "elements that erode"));
  memset(m->contact.alive.host, 1, elements);
  return ig_array_push(m->cx, &m->contact.alive);
}

/* --- triangles */

/* The triangles of an element's face (-1: of a shell element) with what lies on both sides. */
static void triangles_put(ig_dyn_touching *t, const ig_block *b, ig_lid local, int face, ig_lid e,
                          ig_lid other) {
  ig_lid cut[4][3];
  const int n = ig_dyn_face_triangles(b, local, face, cut);
  for (int k = 0; k < n; k++, t->skins++) {
    for (int i = 0; i < 3; i++)
      t->skin[3 * t->skins + i] = cut[k][i];
    t->skin_owner[2 * t->skins] = e;
    t->skin_owner[2 * t->skins + 1] = other;
  }
}

/* Faces between solids one of which may erode: they come to the surface with it. Without `put` they
   are only counted. */
static ig_status inner_triangles(ig_dyn_model *m, bool put, int64_t *count) {
  ig_ctx *cx = m->cx;
  ig_adjacency next = {0};
  uint8_t *erodes = NULL;
  ig_status status = IG_OK;
  *count = 0;
  IG_TRY(IG_NEW(cx, &erodes, ig_mesh_elements(m->mesh), "elements that erode"));
  for (int k = 0; k < m->groups; k++)
    for (ig_lid s = 0; s < m->group[k].slots && ig_dyn_erodes(&m->group[k]); s++)
      if (m->group[k].element[s] >= 0)
        erodes[m->group[k].element[s]] = 1;
  IG_TRY_GOTO(status, done, ig_mesh_adjacency(cx, m->mesh, &next));
  ig_lid e = 0;
  for (int b = 0; b < m->mesh->blocks; b++) {
    const ig_block *block = &m->mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (ig_lid l = 0; l < block->count; l++, e++)
      for (int f = 0; info->dim == 3 && f < info->faces; f++) {
        const ig_lid other = next.neighbor[next.start[b] + l * info->faces + f];
        /* each inner face once, from the element with the smaller number */
        if (other <= e || !(erodes[e] || erodes[other]))
          continue;
        ++*count;
        if (put)
          triangles_put(&m->contact, block, l, f, e, other);
      }
  }
done:
  ig_adjacency_free(&next);
  free(erodes);
  return status;
}

/* Triangles of all surfaces: shells, and the boundary of solids with faces cut in two; then what
   lies behind elements that may erode. */
static ig_status surface_triangles(ig_dyn_model *m) {
  ig_ctx *cx = m->cx;
  ig_dyn_touching *t = &m->contact;
  ig_boundary boundary = {0};
  ig_status status = IG_OK;
  int64_t space = 0, inner = 0;
  for (int b = 0; b < m->mesh->blocks; b++)
    space += 2 * (ig_elem_info_get(m->mesh->block[b].type)->dim == 2 ? m->mesh->block[b].count : 0);
  if (t->alive.count)
    IG_TRY(inner_triangles(m, false, &inner));
  IG_TRY(ig_mesh_boundary(cx, m->mesh, &boundary));
  /* four triangles per face at most, of a quadratic tetrahedron */
  space += 4 * ((int64_t)boundary.count + inner);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &t->skin, 3 * space + 1, "contact surfaces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &t->skin_owner, 2 * space + 1, "contact surfaces"));
  ig_lid e = 0;
  for (int b = 0; b < m->mesh->blocks; b++) {
    const ig_block *block = &m->mesh->block[b];
    for (ig_lid l = 0; l < block->count; l++, e++)
      if (ig_elem_info_get(block->type)->dim == 2)
        triangles_put(t, block, l, -1, e, -1);
  }
  for (ig_lid i = 0; i < boundary.count; i++) {
    ig_lid local;
    const ig_block *b = ig_dyn_block_of(m->mesh, boundary.element[i], &local);
    if (ig_elem_info_get(b->type)->dim == 3)
      triangles_put(t, b, local, boundary.face[i], boundary.element[i], -1);
  }
  t->outer = t->skins;
  if (inner)
    IG_TRY_GOTO(status, done, inner_triangles(m, true, &inner));
done:
  ig_boundary_free(&boundary);
  return status;
}

/* Share of each particle in the area of the surfaces. Particles inside, which may come to the
   surface, have about the share they will have then; those of lines a strip as wide as the gap. */
static ig_status skin_area_new(ig_dyn_model *m, const double *length) {
  IG_TRY(ig_array_new(m->cx, &m->contact.skin_area, (size_t)m->mesh->nodes, sizeof(double),
                      "contact surfaces"));
  double *area = m->contact.skin_area.host, *inside = NULL;
  IG_TRY(IG_NEW(m->cx, &inside, m->mesh->nodes, "contact surfaces"));
  for (int64_t k = 0; k < m->contact.skins; k++) {
    const int32_t *t = m->contact.skin + 3 * k;
    double a[3], b[3], n[3];
    ig_dyn_sub(m->x0 + 3 * (int64_t)t[1], m->x0 + 3 * (int64_t)t[0], a);
    ig_dyn_sub(m->x0 + 3 * (int64_t)t[2], m->x0 + 3 * (int64_t)t[0], b);
    cross_f64(a, b, n);
    for (int i = 0; i < 3; i++)
      (k < m->contact.outer ? area : inside)[t[i]] += sqrt(dot_f64(n, n)) / 6;
  }
  for (ig_lid n = 0; n < m->mesh->nodes; n++)
    if (!(area[n] > 0))
      /* 1/3: an inner particle of hexahedra is on twelve inner faces and will be on about four
         outer ones */
      area[n] = inside[n] > 0 ? inside[n] / 3 : length ? length[n] * m->p.contact.gap : 0;
  free(inside);
  return ig_array_push(m->cx, &m->contact.skin_area);
}

/* --- particles and the search */

/* Particles on surfaces: their nodes, and the place of each node among them. */
typedef struct {
  int32_t *surface, *place, *first, *item; /* place: 1 + number of a node among those that touch */
  int32_t surfaces;
} touching_nodes;

/* Counting sort. The last loop goes backward so that items of a particle come in rising order,
   which fixes the order of the sums. */
void ig_dyn_corners(const int32_t *place, const int32_t *node, int64_t count, int32_t surfaces,
                    int32_t *first, int32_t *item) {
  memset(first, 0, ((size_t)surfaces + 1) * sizeof *first);
  for (int64_t i = 0; i < count; i++)
    first[place[node[i]]]++;
  for (int32_t i = 0; i < surfaces; i++)
    first[i + 1] += first[i];
  for (int64_t i = count; i-- > 0;)
    item[--first[place[node[i]]]] = (int32_t)i;
  for (int32_t i = 0; i < surfaces; i++)
    first[i] = first[i + 1];
  first[surfaces] = (int32_t)count;
}

/* Corners or ends (of `count` in `node`) that lie on each particle that touches. */
static ig_status corners_of(ig_dyn_model *m, const touching_nodes *q, const int32_t *node,
                            int64_t count, ig_array *first, ig_array *item) {
  IG_TRY(ig_array_new(m->cx, first, (size_t)q->surfaces + 1, sizeof(int32_t), "contact surfaces"));
  IG_TRY(ig_array_new(m->cx, item, (size_t)count + 1, sizeof(int32_t), "contact surfaces"));
  ig_dyn_corners(q->place, node, count, q->surfaces, first->host, item->host);
  IG_TRY(ig_array_push(m->cx, first));
  return ig_array_push(m->cx, item);
}

/* The nodes of triangles and edges, numbered in the order in which they occur: places among
   those that touch are the rows of contact memory. */
static ig_status nodes_find(ig_dyn_model *m, const int32_t *edge, int64_t edges,
                            touching_nodes *q) {
  const size_t nodes = (size_t)m->mesh->nodes;
  IG_TRY(IG_NEW(m->cx, &q->place, nodes, "contact surfaces"));
  IG_TRY(IG_NEW(m->cx, &q->surface, nodes, "contact surfaces"));
  for (int64_t i = 0; i < 3 * m->contact.skins + 2 * edges; i++) {
    const int32_t n =
        i < 3 * m->contact.skins ? m->contact.skin[i] : edge[i - 3 * m->contact.skins];
    if (!q->place[n]) {
      q->surface[q->surfaces++] = n;
      q->place[n] = q->surfaces;
    }
  }
  return IG_OK;
}

/* What a particle may move in a step and be found: a tenth of the mean edge of the triangles; of
   lines alone their height. */
static double margin_of(const ig_dyn_model *m) {
  const int64_t count = m->contact.outer;
  double edge = 0, height = 0;
  for (int64_t i = 0; i < 3 * count; i++) {
    const int32_t *t = m->contact.skin;
    double d[3];
    ig_dyn_sub(m->x0 + 3 * (int64_t)t[i % 3 == 2 ? i - 2 : i + 1], m->x0 + 3 * (int64_t)t[i], d);
    edge += sqrt(dot_f64(d, d)) / (3 * (double)count);
  }
  for (int k = 0; k < m->groups; k++)
    /* the diameter of a circle of the section's area */
    height = fmax(height, 2 * sqrt(m->group[k].g_f64.area / 3.14159265358979323846));
  return count > 0 ? edge / 10 : height;
}

/* Work space of kernels: array, number of items, bytes of an item. Device only. */
typedef struct {
  ig_array *array;
  size_t count, size;
} space;
static ig_status spaces_new(ig_dyn_model *m, const space *of, int count) {
  for (int i = 0; i < count; i++)
    IG_TRY(ig_array_new_device(m->cx, of[i].array, of[i].count, of[i].size, "contact search"));
  return IG_OK;
}

/* Arrays for particles against triangles. Arrays of items get one more than needed, because an
   empty array has no address; `kept` starts without contacts (-1). */
static ig_status surfaces_new(ig_dyn_model *m, const touching_nodes *q, int64_t edges) {
  ig_ctx *cx = m->cx;
  ig_dyn_touching *t = &m->contact;
  ig_dyn_particles *p = &m->p;
  const size_t count = (size_t)t->skins, surfaces = (size_t)q->surfaces;
  const uint32_t buckets = ig_buckets_count(4 * t->skins);
  const size_t rows = surfaces + (size_t)edges;
  const space work[] = {{&t->pushed, count + 1, sizeof(int32_t)},
                        {&t->next, IG_DYN_SLOTS * surfaces, sizeof(int32_t)},
                        {&t->triangle_bucket, buckets, sizeof(int32_t)},
                        {&t->triangle_chain, 8 * count + 1, sizeof(int32_t)},
                        {&t->now, IG_DYN_KEPT * rows, sizeof(double)},
                        {&t->push, IG_DYN_PUSH * IG_DYN_SLOTS * surfaces, sizeof(double)},
                        {&t->stored, rows, sizeof(double)}};
  IG_TRY(spaces_new(m, work, sizeof work / sizeof *work));
  IG_TRY(
      ig_array_from(cx, &t->triangle, t->skin, 3 * count + 1, sizeof *t->skin, "contact surfaces"));
  IG_TRY(
      ig_array_from(cx, &t->surface, q->surface, surfaces, sizeof *q->surface, "contact surfaces"));
  IG_TRY(ig_dyn_upload(m, &t->touch, m->part, NULL, 3 * (size_t)m->mesh->nodes, "contact forces"));
  IG_TRY(ig_dyn_upload(m, &t->recoil, sizeof(double), NULL, 9 * count + 1, "contact forces"));
  IG_TRY(corners_of(m, q, t->skin, 3 * t->skins, &t->corner_first, &t->corner));
  IG_TRY(ig_array_new(cx, &t->longest, 2, sizeof(uint32_t), "contact search"));
  IG_TRY(ig_array_push(cx, &t->longest));
  IG_TRY(ig_array_new(cx, &t->beside, 4 * count + 1, sizeof(int32_t), "contact surfaces"));
  IG_TRY(ig_dyn_beside_find(m, t->beside.host));
  IG_TRY(ig_array_push(cx, &t->beside));
  IG_TRY(ig_array_new(cx, &t->kept, IG_DYN_KEPT * rows, sizeof(double), "contact"));
  for (size_t i = 0; i < IG_DYN_KEPT * rows; i++)
    ((double *)t->kept.host)[i] = i % 3 == 0 ? -1 : 0;
  IG_TRY(ig_array_push(cx, &t->kept));
  IG_TRY(ig_dyn_upload(m, &t->before, m->part, m->x0, 3 * (size_t)m->mesh->nodes, "positions"));
  p->contact.triangles = (int32_t)t->skins;
  p->contact.surfaces = q->surfaces;
  p->contact.bins = (ig_buckets){t->triangle_bucket.dev, t->triangle_chain.dev, buckets - 1};
  p->contact.pushed = t->pushed.dev, p->contact.next = t->next.dev;
  p->contact.now = t->now.dev, p->contact.push = t->push.dev, p->contact.beside = t->beside.dev;
  p->contact.stored = t->stored.dev, p->contact.longest = t->longest.dev;
  p->contact.corner_first = t->corner_first.dev, p->contact.corner = t->corner.dev;
  p->contact.recoil = t->recoil.dev, p->contact.triangle = t->triangle.dev,
  p->contact.surface = t->surface.dev;
  return IG_OK;
}

/* The same for edges; nothing where there are none. */
static ig_status edges_new(ig_dyn_model *m, const touching_nodes *q, const ig_dyn_edges *of) {
  ig_ctx *cx = m->cx;
  ig_dyn_touching *t = &m->contact;
  ig_dyn_particles *p = &m->p;
  const size_t count = (size_t)of->count;
  const uint32_t buckets = ig_buckets_count(4 * of->count);
  if (!count)
    return IG_OK;
  const space work[] = {{&t->edge_bucket, buckets, sizeof(int32_t)},
                        {&t->edge_chain, 8 * count, sizeof(int32_t)},
                        {&t->partner, count, sizeof(int32_t)},
                        {&t->chosen, count, sizeof(int32_t)},
                        {&t->also, count, sizeof(int32_t)}};
  IG_TRY(spaces_new(m, work, sizeof work / sizeof *work));
  IG_TRY(ig_array_from(cx, &t->edge, of->node, 2 * count, sizeof *of->node, "contact edges"));
  IG_TRY(ig_array_from(cx, &t->edge_side, of->side, 2 * count, sizeof *of->side, "contact edges"));
  IG_TRY(ig_array_from(cx, &t->edge_length, of->length, (size_t)m->mesh->nodes, sizeof *of->length,
                       "contact edges"));
  IG_TRY(ig_dyn_upload(m, &t->edge_recoil, sizeof(double), NULL, 6 * count, "contact forces"));
  IG_TRY(corners_of(m, q, of->node, 2 * of->count, &t->end_first, &t->end));
  p->edges.count = (int32_t)of->count;
  p->edges.bins = (ig_buckets){t->edge_bucket.dev, t->edge_chain.dev, buckets - 1};
  p->edges.node = t->edge.dev, p->edges.side = t->edge_side.dev;
  p->edges.end_first = t->end_first.dev, p->edges.end = t->end.dev,
  p->edges.recoil = t->edge_recoil.dev;
  p->edges.partner = t->partner.dev, p->edges.chosen = t->chosen.dev, p->edges.also = t->also.dev;
  return IG_OK;
}

/* Surfaces behind elements that may erode are shut at the start and have no reach. */
static ig_status eroding_new(ig_dyn_model *m, const touching_nodes *q) {
  ig_ctx *cx = m->cx;
  ig_dyn_touching *t = &m->contact;
  ig_dyn_particles *p = &m->p;
  if (!t->alive.count)
    return IG_OK;
  const space work[] = {{&t->awake, (size_t)q->surfaces, 1}};
  IG_TRY(spaces_new(m, work, 1));
  IG_TRY(ig_array_new(cx, &t->open, (size_t)t->skins + 1, 1, "contact search"));
  IG_TRY(ig_array_from(cx, &t->owner, t->skin_owner, 2 * (size_t)t->skins + 1,
                       sizeof *t->skin_owner, "contact surfaces"));
  p->erosion.alive = t->alive.dev, p->erosion.owner = t->owner.dev, p->erosion.open = t->open.dev;
  p->erosion.awake = t->awake.dev;
  return IG_OK;
}

/* Alive marks come first, as erosion needs them without contact. With tools alone the triangles
   are made, for pressures in the output, and nothing else; so they are where Newton's method has
   contact of its own (statics_contact.c). */
ig_status ig_dyn_contact_new(ig_dyn_model *m) {
  ig_ctx *cx = m->cx;
  const ig_dyn_contact *c = &m->c->contact;
  ig_dyn_touching *t = &m->contact;
  const bool on = c->at.given && c->on;
  IG_TRY(ig_dyn_alive_new(m));
  if (!on && m->c->tools.count == 0)
    return IG_OK;
  touching_nodes q = {0};
  ig_dyn_edges edges = {0};
  ig_status status = IG_OK;
  IG_TRY(surface_triangles(m));
  if (m->pairs.on) {
    IG_TRY(ig_dyn_parts_new(m));
    return ig_dyn_overlap_new(m);
  }
  if (!on)
    return IG_OK;
  IG_TRY_GOTO(status, done, ig_dyn_edges_find(m, c->edges, &edges));
  /* corners and places (3 k + a, 8 k + j) must fit into 32 bits */
  if (t->skins > INT32_MAX / 9 || edges.count > INT32_MAX / 9)
    IG_TRY_GOTO(status, done,
                IG_FAIL(cx, IG_INPUT, "contact: %lld surface triangles are too many",
                        (long long)(t->skins + edges.count)));
  if (t->skins + edges.count == 0)
    goto done;
  t->margin = margin_of(m);
  /* ten margins, that is one mean edge of the triangles. Deeper than an element is large, a
     contact is given up */
  m->p.contact.deep = 10 * t->margin;
  m->p.contact.rub = c->friction;
  m->p.contact.fit = c->overlap == IG_OVERLAP_FIT;
  m->p.contact.recover = c->overlap != IG_OVERLAP_KEEP;
  IG_TRY_GOTO(status, done, ig_dyn_parts_new(m));
  IG_TRY_GOTO(status, done, ig_dyn_springs_new(m));
  IG_TRY_GOTO(status, done, nodes_find(m, edges.node, edges.count, &q));
  IG_TRY_GOTO(status, done, surfaces_new(m, &q, edges.count));
  IG_TRY_GOTO(status, done, edges_new(m, &q, &edges));
  IG_TRY_GOTO(status, done, eroding_new(m, &q));
  IG_TRY_GOTO(status, done, skin_area_new(m, edges.length));
  status = ig_dyn_overlap_new(m);
done:
  free(q.surface);
  free(q.place);
  ig_dyn_edges_free(&edges);
  return status;
}

/* Frees the tables of contact and the host's lists of triangles; forces (`press`) and `alive`
   belong to the model and stay. */
void ig_dyn_touching_free(ig_ctx *cx, ig_dyn_touching *t) {
  ig_array *const all[] = {
      &t->triangle,    &t->beside,          &t->surface,        &t->corner_first, &t->corner,
      &t->pushed,      &t->triangle_bucket, &t->triangle_chain, &t->longest,      &t->recoil,
      &t->touch,       &t->skin_area,       &t->spring,         &t->offset,       &t->next,
      &t->stored,      &t->before,          &t->kept,           &t->now,          &t->push,
      &t->edge,        &t->edge_side,       &t->end_first,      &t->end,          &t->edge_bucket,
      &t->partner,     &t->edge_chain,      &t->chosen,         &t->also,         &t->edge_length,
      &t->owner,       &t->edge_recoil,     &t->open,           &t->awake,        &t->own_edge,
      &t->own_surface, &t->own_triangle};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(cx, all[i]);
  free(t->skin);
  free(t->skin_owner);
  t->skin = t->skin_owner = NULL;
}
