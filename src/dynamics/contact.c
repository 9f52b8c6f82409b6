/* Surfaces that touch: triangles of the mesh, and space for the search. */
#include "dynamics/model.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void triangle_put(int32_t *to, int64_t *count, ig_lid a, ig_lid b, ig_lid c) {
  to[3 * *count] = a, to[3 * *count + 1] = b, to[3 * *count + 2] = c;
  (*count)++;
}

/* Triangles of all surfaces: shells, and the boundary of solids with faces cut in two. */
static ig_status surface_triangles(ig_dyn_model *m, int32_t **triangle, int64_t *count) {
  ig_ctx *cx = m->cx;
  ig_boundary boundary = {0};
  ig_status status = IG_OK;
  int64_t space = 0;
  ig_lid cut[4][3];
  for (int b = 0; b < m->mesh->blocks; b++)
    space += 2 * (ig_elem_info_get(m->mesh->block[b].type)->dim == 2 ? m->mesh->block[b].count : 0);
  IG_TRY(ig_mesh_boundary(cx, m->mesh, &boundary));
  space += 4 * (int64_t)boundary.count;
  *count = 0;
  IG_TRY_GOTO(status, done, IG_NEW(cx, triangle, 3 * space + 1, "contact surfaces"));
  for (int b = 0; b < m->mesh->blocks; b++) {
    const ig_block *block = &m->mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (ig_lid e = 0; info->dim == 2 && e < block->count; e++) {
      const int n = ig_dyn_face_triangles(block, e, -1, cut);
      for (int k = 0; k < n; k++)
        triangle_put(*triangle, count, cut[k][0], cut[k][1], cut[k][2]);
    }
  }
  for (ig_lid i = 0; i < boundary.count; i++) {
    ig_lid local;
    const ig_block *b = ig_dyn_block_of(m->mesh, boundary.element[i], &local);
    const ig_elem_info *info = ig_elem_info_get(b->type);
    if (info->dim != 3)
      continue;
    const int n = ig_dyn_face_triangles(b, local, boundary.face[i], cut);
    for (int k = 0; k < n; k++)
      triangle_put(*triangle, count, cut[k][0], cut[k][1], cut[k][2]);
  }
done:
  ig_boundary_free(&boundary);
  return status;
}

/* Share of each particle in the area of the surfaces. */
static ig_status skin_area_new(ig_dyn_model *m) {
  IG_TRY(ig_array_new(m->cx, &m->contact.skin_area, (size_t)m->mesh->nodes, sizeof(double),
                      "contact surfaces"));
  double *area = m->contact.skin_area.host;
  for (int64_t k = 0; k < m->contact.skins; k++) {
    const int32_t *t = m->contact.skin + 3 * k;
    double a[3], b[3], n[3];
    ig_dyn_sub(m->x0 + 3 * (int64_t)t[1], m->x0 + 3 * (int64_t)t[0], a);
    ig_dyn_sub(m->x0 + 3 * (int64_t)t[2], m->x0 + 3 * (int64_t)t[0], b);
    cross_f64(a, b, n);
    for (int i = 0; i < 3; i++)
      area[t[i]] += sqrt(dot_f64(n, n)) / 6;
  }
  return ig_array_push(m->cx, &m->contact.skin_area);
}

ig_status ig_dyn_contact_new(ig_dyn_model *m) {
  ig_ctx *cx = m->cx;
  const ig_dyn_contact *c = &m->c->contact;
  const bool on = c->at.given && c->on;
  if (!on && m->c->tools.count == 0)
    return IG_OK;
  int32_t *surface = NULL, *place = NULL, *first = NULL, *corner = NULL;
  IG_TRY(surface_triangles(m, &m->contact.skin, &m->contact.skins));
  const int64_t count = m->contact.skins;
  const int32_t *triangle = m->contact.skin;
  ig_status status = IG_OK;
  if (!on || count == 0)
    return IG_OK;
  if (count > INT32_MAX / 9)
    return IG_FAIL(cx, IG_INPUT, "contact: %lld surface triangles are too many", (long long)count);
  const size_t nodes = (size_t)m->mesh->nodes;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &place, nodes, "contact surfaces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &surface, nodes, "contact surfaces"));
  int32_t surfaces = 0;
  double edge = 0;
  for (int64_t i = 0; i < 3 * count; i++) {
    const int32_t n = triangle[i], next = triangle[i % 3 == 2 ? i - 2 : i + 1];
    double d[3];
    ig_dyn_sub(m->x0 + 3 * (int64_t)next, m->x0 + 3 * (int64_t)n, d);
    edge += sqrt(dot_f64(d, d)) / (3 * (double)count);
    if (!place[n]) {
      surface[surfaces++] = n;
      place[n] = surfaces;
    }
  }
  /* corners that lie on each particle */
  IG_TRY_GOTO(status, done, IG_NEW(cx, &first, (size_t)surfaces + 1, "contact surfaces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &corner, 3 * (size_t)count, "contact surfaces"));
  for (int64_t i = 0; i < 3 * count; i++)
    first[place[triangle[i]]]++;
  for (int32_t i = 0; i < surfaces; i++)
    first[i + 1] += first[i];
  for (int64_t i = 3 * count; i-- > 0;)
    corner[--first[place[triangle[i]]]] = (int32_t)i;
  for (int32_t i = 0; i < surfaces; i++)
    first[i] = first[i + 1];
  first[surfaces] = (int32_t)(3 * count);
  double thick = 0;
  for (int k = 0; k < m->groups; k++)
    thick = fmax(thick, m->group[k].g_f64.thickness);
  ig_dyn_particles *p = &m->p;
  p->triangles = (int32_t)count;
  p->surfaces = surfaces;
  p->gap = !isnan(c->thickness) && c->thickness > 0 ? c->thickness : thick > 0 ? thick : edge / 10;
  p->penalty = c->penalty;
  p->rub = c->friction;
  uint32_t buckets = 16;
  while (buckets < 4u * (uint32_t)count)
    buckets *= 2;
  p->bucket_mask = buckets - 1;
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->contact.triangle, triangle, 3 * (size_t)count, sizeof *triangle,
                            "contact surfaces"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->contact.surface, surface, (size_t)surfaces, sizeof *surface,
                            "contact surfaces"));
  IG_TRY_GOTO(
      status, done,
      ig_array_new_device(cx, &m->contact.bucket, buckets, sizeof(int32_t), "contact search"));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(cx, &m->contact.chain, (size_t)surfaces, sizeof(int32_t),
                                  "contact search"));
  IG_TRY_GOTO(status, done,
              ig_dyn_upload(m, &m->contact.touch, m->part, NULL, 3 * nodes, "contact forces"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->contact.corner_first, first, (size_t)surfaces + 1,
                            sizeof *first, "contact surfaces"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->contact.corner, corner, 3 * (size_t)count, sizeof *corner,
                            "contact surfaces"));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(cx, &m->contact.triangle_bucket, buckets, sizeof(int32_t),
                                  "contact search"));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(cx, &m->contact.triangle_chain, 8 * (size_t)count,
                                  sizeof(int32_t), "contact search"));
  IG_TRY_GOTO(status, done,
              ig_dyn_upload(m, &m->contact.recoil, sizeof(double), NULL, 9 * (size_t)count,
                            "contact forces"));
  IG_TRY_GOTO(status, done, skin_area_new(m));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(cx, &m->contact.pusher, (size_t)surfaces, sizeof(int32_t),
                                  "contact search"));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(cx, &m->contact.stored, (size_t)surfaces, sizeof(double),
                                  "contact energy"));
  p->pusher = m->contact.pusher.dev, p->stored = m->contact.stored.dev,
  p->skin_area = m->contact.skin_area.dev;
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &m->contact.longest, 2, sizeof(uint32_t), "contact search"));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->contact.longest));
  p->corner_first = m->contact.corner_first.dev, p->corner = m->contact.corner.dev;
  p->triangle_bucket = m->contact.triangle_bucket.dev,
  p->triangle_chain = m->contact.triangle_chain.dev;
  p->recoil = m->contact.recoil.dev, p->longest = m->contact.longest.dev;
  p->triangle = m->contact.triangle.dev, p->surface = m->contact.surface.dev;
  p->bucket = m->contact.bucket.dev, p->chain = m->contact.chain.dev,
  p->touch = m->contact.touch.dev;
done:
  free(surface);
  free(place);
  free(first);
  free(corner);
  return status;
}
