/* Contact of a divided model. All ranks have all particles of surfaces, as ghosts where they are
   another's, and the same triangles, edges and cells with the same numbers: sums run in the order
   of one rank. A rank finds partners only where its own triangles and edges may be touched, and
   forces on its own particles. What erodes lays surfaces open that all ranks must know of: there,
   which elements hold is told to all when it has changed, and gaps that grow are computed by all.
 */
#include "dynamics/part.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

ig_status ig_dyn_part_common(ig_dyn_model *m, uint8_t **common) {
  *common = NULL;
  if (m->p.contact.surfaces == 0)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, common, (size_t)m->p.nodes + 1, "particles of surfaces"));
  for (int32_t i = 0; i < m->p.contact.surfaces; i++)
    (*common)[((const int32_t *)m->contact.surface.host)[i]] = 1;
  return IG_OK;
}

/* Nodes of the whole as those of the part. */
static ig_status nodes_map(ig_dyn_model *m, const ig_array *whole, ig_array *part) {
  if (!whole->count)
    return IG_OK;
  IG_TRY(ig_array_new(m->cx, part, whole->count, sizeof(int32_t), "contact surfaces"));
  for (size_t i = 0; i < whole->count; i++)
    ((int32_t *)part->host)[i] = m->divided->part.local[((const int32_t *)whole->host)[i]];
  return ig_array_push(m->cx, part);
}

/* `numbers` doubles per node of the part, from those of the whole. */
static ig_status doubles_take(ig_dyn_model *m, const double *whole, int numbers, ig_array *part) {
  const ig_part *p = &m->divided->part;
  if (!whole)
    return IG_OK;
  const size_t size = (size_t)numbers * sizeof(double);
  IG_TRY(ig_array_new(m->cx, part, (size_t)(p->mesh->nodes + 1) * (size_t)numbers, sizeof(double),
                      "contact surfaces"));
  for (ig_lid n = 0; n < p->mesh->nodes; n++)
    memcpy((char *)part->host + (size_t)n * size, (const char *)whole + (size_t)p->node[n] * size,
           size);
  return ig_array_push(m->cx, part);
}

/* Which of `count` items have one of their `corners` nodes on this rank. */
static ig_status own_find(ig_dyn_model *m, const ig_array *nodes, int64_t count, int corners,
                          ig_array *own) {
  const ig_part *p = &m->divided->part;
  IG_TRY(ig_array_new(m->cx, own, (size_t)count + 1, 1, "contact surfaces"));
  for (int64_t i = 0; i < count * corners; i++)
    if (!p->ghost[((const int32_t *)nodes->host)[i]])
      ((uint8_t *)own->host)[i / corners] = 1;
  return ig_array_push(m->cx, own);
}

static ig_status own_make(ig_dyn_model *m) {
  ig_dyn_model *l = m->divided->local;
  ig_dyn_touching *t = &l->contact;
  ig_dyn_particles *p = &l->p;
  IG_TRY(own_find(m, &t->surface, p->contact.surfaces, 1, &t->own_surface));
  IG_TRY(own_find(m, &t->triangle, p->contact.triangles, 3, &t->own_triangle));
  IG_TRY(ig_array_new_device(m->cx, &t->near_triangle, (size_t)p->contact.bucket_mask + 1, 1,
                             "contact search"));
  p->own.surface = t->own_surface.dev, p->own.triangle = t->own_triangle.dev;
  p->own.near_triangle = t->near_triangle.dev;
  if (!p->edges.count)
    return IG_OK;
  IG_TRY(own_find(m, &t->edge, p->edges.count, 2, &t->own_edge));
  IG_TRY(ig_array_new_device(m->cx, &t->near_edge, (size_t)p->edges.mask + 1, 1, "contact search"));
  p->own.edge = t->own_edge.dev, p->own.near_edge = t->near_edge.dev;
  return IG_OK;
}

ig_status ig_dyn_part_contact(ig_dyn_model *m) {
  ig_dyn_model *l = m->divided->local;
  const ig_dyn_touching *from = &m->contact;
  ig_dyn_touching *t = &l->contact;
  ig_dyn_particles *p = &l->p; /* a copy of the whole's: space for the search is shared with it */
  if (p->contact.surfaces == 0)
    return IG_OK;
  const size_t nodes = (size_t)p->nodes + 1;
  IG_TRY(nodes_map(m, &from->triangle, &t->triangle));
  IG_TRY(nodes_map(m, &from->surface, &t->surface));
  IG_TRY(nodes_map(m, &from->edge, &t->edge));
  IG_TRY(doubles_take(m, from->skin_area.host, 1, &t->skin_area));
  IG_TRY(doubles_take(m, from->edge_length.host, 1, &t->edge_length));
  IG_TRY(doubles_take(m, m->x_start.host, 3, &l->x_start));
  IG_TRY(ig_dyn_upload(l, &t->touch, m->part, NULL, 3 * nodes, "contact forces"));
  p->contact.triangle = t->triangle.dev, p->contact.surface = t->surface.dev;
  p->edges.node = t->edge.dev;
  p->contact.skin_area = t->skin_area.dev, p->edges.length = t->edge_length.dev;
  p->contact.x_start = l->x_start.dev;
  p->contact.touch = t->touch.dev;
  m->divided->fallen = -1;
  return p->erosion.alive ? IG_OK : own_make(m);
}

ig_status ig_dyn_part_alive(ig_dyn_model *m, ig_status status) {
  ig_dyn_part *p = m->divided;
  ig_dyn_model *l = p->local;
  if (m->p.contact.surfaces == 0 || !m->p.erosion.alive)
    return status;
  int64_t fallen = 0;
  if (status == IG_OK)
    status = ig_dyn_alive_now(l);
  if (status == IG_OK)
    status = ig_array_pull(m->cx, &l->contact.alive);
  for (int64_t i = 0; i < p->cells.mine_count && status == IG_OK; i++)
    fallen += !((const uint8_t *)l->contact.alive.host)[p->cells.mine[i]];
  int64_t changed = fallen != p->fallen;
  IG_TRY(ig_ranks_most(m->cx, status, &changed, 1));
  p->fallen = fallen;
  if (!changed)
    return IG_OK;
  IG_TRY(ig_dyn_gather_alive(m));
  return ig_ranks_share_array(m->cx, 0, &m->contact.alive);
}
