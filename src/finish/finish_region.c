/* Where an entry of the case is in the finished part: the same boxes, cylinders, spheres, planes,
   sides and sets as in the design. A set of a mesh is near its faces; points of a set that has none
   are themselves. */
#include "finish/finish.h"
#include "mesh/face_share.h"
#include "mesh/geometry.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- places of a grid */

static const ig_place *place_named(const ig_finished *f, const char *name) {
  for (int i = 0; i < f->t->sets.count; i++) {
    const ig_set_case *set = IG_ITEM(const ig_set_case, f->t->sets, i);
    if (strcmp(set->name, name) == 0)
      return &set->place;
  }
  return NULL;
}

/* xmin to zmax. */
static const ig_place *side_named(const ig_finished *f, const char *name, ig_finish_region *r) {
  const int axis = strlen(name) == 4 ? name[0] - 'x' : -1;
  const bool high = strcmp(name + (axis >= 0), "max") == 0;
  if (axis < 0 || axis > 2 || (!high && strcmp(name + 1, "min") != 0))
    return NULL;
  for (int d = 0; d < 3; d++) {
    r->min[d] = d == axis && high ? f->high[d] : f->low[d];
    r->max[d] = d == axis && !high ? f->low[d] : f->high[d];
  }
  r->side = (ig_place){.at.given = true,
                       .box = {.at.given = true, .min = {3, r->min}, .max = {3, r->max}}};
  return &r->side;
}

/* --- sets of a mesh */

static ig_status triangle_add(ig_finish_region *r, const ig_mesh *mesh, const ig_lid *node) {
  IG_TRY(IG_MORE(r->f->cx, &r->triangle, r->triangles, "faces of a set"));
  for (int k = 0; k < 9; k++)
    r->triangle[r->triangles][k] = mesh->x[3 * (size_t)node[k / 3] + (size_t)(k % 3)];
  r->triangles++;
  return IG_OK;
}

static ig_status face_add(ig_finish_region *r, const ig_mesh *mesh, ig_lid element, int face) {
  ig_lid node[8], local;
  const int count = ig_mesh_face_nodes(mesh, element, face, node);
  const int corners = ig_elem_face_distinct(ig_mesh_element(mesh, element, &local)->type, face);
  for (int a = 2; a < corners && a < count; a++) {
    const ig_lid of[3] = {node[0], node[a - 1], node[a]};
    IG_TRY(triangle_add(r, mesh, of));
  }
  return IG_OK;
}

/* Faces of the boundary all of whose corners are among the nodes. */
static ig_status faces_of_nodes(ig_finish_region *r, const ig_mesh *mesh, const uint8_t *in) {
  ig_boundary boundary = {0};
  ig_status status = ig_mesh_boundary(r->f->cx, mesh, &boundary);
  for (ig_lid i = 0; status == IG_OK && i < boundary.count; i++) {
    ig_lid node[8], local;
    const ig_block *block = ig_mesh_element(mesh, boundary.element[i], &local);
    (void)ig_mesh_face_nodes(mesh, boundary.element[i], boundary.face[i], node);
    bool all = true;
    for (int a = 0; a < ig_elem_face_distinct(block->type, boundary.face[i]); a++)
      all = all && in[node[a]];
    if (all)
      status = face_add(r, mesh, boundary.element[i], boundary.face[i]);
  }
  ig_boundary_free(&boundary);
  return status;
}

static ig_status nodes_take(ig_finish_region *r, const ig_mesh *mesh, const ig_src *at,
                            const char *name) {
  ig_ctx *cx = r->f->cx;
  ig_lid *node = NULL, count = 0;
  uint8_t *in = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_named_nodes(cx, mesh, at, name, &node, &count));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &in, (size_t)mesh->nodes + 1, "nodes of a set"));
  for (ig_lid i = 0; i < count; i++)
    in[node[i]] = 1;
  IG_TRY_GOTO(status, done, faces_of_nodes(r, mesh, in));
  if (r->triangles == 0) {
    IG_TRY_GOTO(status, done, IG_NEW(cx, &r->point, (size_t)count + 1, "nodes of a set"));
    for (ig_lid i = 0; i < count; i++)
      memcpy(r->point[r->points++], mesh->x + 3 * (size_t)node[i], sizeof *r->point);
  }
done:
  free(node);
  free(in);
  return status;
}

static ig_status set_take(ig_finish_region *r, const ig_src *at, const char *name) {
  const ig_mesh *mesh = r->f->job.mesh;
  const ig_set *faces = ig_mesh_find_set(mesh, name, IG_SET_FACES);
  r->listed = true;
  if (!faces)
    return nodes_take(r, mesh, at, name);
  for (ig_lid i = 0; i < faces->count; i++)
    IG_TRY(face_add(r, mesh, faces->item[i], faces->face[i]));
  return IG_OK;
}

/* --- the region */

ig_status ig_finish_region_open(const ig_finished *f, const ig_src *at, const char *set,
                                const ig_place *place, ig_finish_region *r) {
  *r = (ig_finish_region){.f = f};
  if (place && place->at.given) {
    IG_TRY(ig_place_check(f->cx, place));
    r->place[0] = place;
  }
  if (!set)
    return IG_OK;
  if (f->job.mesh)
    return set_take(r, at, set);
  r->place[1] = place_named(f, set);
  if (!r->place[1])
    r->place[1] = side_named(f, set, r);
  return r->place[1] ? IG_OK : ig_fail_at(f->cx, at, "there is no set '%.60s'", set);
}

void ig_finish_region_close(ig_finish_region *r) {
  free(r->triangle);
  free(r->point);
  free(r->near);
  r->near = NULL;
  r->triangle = NULL;
  r->point = NULL;
}

/* Sets of a material of a grid; later materials take what earlier ones have, one without sets what
   is left. */
ig_status ig_finish_materials(const ig_finished *f, ig_finish_model *m) {
  const ig_block *block = &m->mesh->block[0];
  IG_TRY(IG_NEW(f->cx, &m->material, (size_t)block->count + 1, "materials"));
  for (int k = 0; k < f->materials && f->materials > 1; k++)
    for (ig_lid e = 0; e < block->count && f->material[k].of->set.count == 0; e++)
      m->material[e] = (uint8_t)k;
  for (int k = 0; k < f->materials && f->materials > 1; k++)
    for (int i = 0; i < f->material[k].of->set.count; i++) {
      ig_finish_region region;
      IG_TRY(ig_finish_region_open(f, &f->material[k].of->at, f->material[k].of->set.value[i], NULL,
                                   &region));
      for (ig_lid e = 0; e < block->count; e++) {
        double middle[3] = {0};
        for (int k2 = 0; k2 < 12; k2++)
          middle[k2 % 3] += m->mesh->x[3 * (size_t)block->conn[10 * (size_t)e + (size_t)(k2 / 3)] +
                                       (size_t)(k2 % 3)] /
                            4;
        for (int image = 0; image < 8 && m->material[e] != k; image++)
          if (ig_finish_image_is(f, image) && ig_finish_image_has(&region, image, middle, 0))
            m->material[e] = (uint8_t)k;
      }
      ig_finish_region_close(&region);
    }
  m->mass = 0;
  for (ig_lid e = 0; e < block->count; e++)
    m->mass += f->material[m->material[e]].density * ig_elem_measure(m->mesh, block, e, NULL);
  return IG_OK;
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Squared distance of a point from a segment. */
static double from_segment(const double *x, const double *a, const double *b) {
  double ab[3], ax[3], by[3];
  for (int d = 0; d < 3; d++) {
    ab[d] = b[d] - a[d];
    ax[d] = x[d] - a[d];
  }
  const double square = dot(ab, ab);
  const double s = square > 0 ? fmax(0, fmin(1, dot(ab, ax) / square)) : 0;
  for (int d = 0; d < 3; d++)
    by[d] = ax[d] - s * ab[d];
  return dot(by, by);
}

/* Squared distance of a point from a triangle: from its plane where the foot is inside, else from
   the nearest edge. */
static double from_triangle(const double *x, const double *t) {
  double u[3], v[3], n[3], w[3];
  for (int d = 0; d < 3; d++) {
    u[d] = t[3 + d] - t[d];
    v[d] = t[6 + d] - t[d];
    w[d] = x[d] - t[d];
  }
  for (int d = 0; d < 3; d++)
    n[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v);
  const double det = uu * vv - uv * uv;
  if (det > 0) {
    const double a = (vv * wu - uv * wv) / det, b = (uu * wv - uv * wu) / det;
    if (a >= 0 && b >= 0 && a + b <= 1)
      return dot(w, n) * dot(w, n) / dot(n, n);
  }
  return fmin(from_segment(x, t, t + 3),
              fmin(from_segment(x, t + 3, t + 6), from_segment(x, t + 6, t)));
}

/* Whether a point is outside of the box around a triangle, by more than `tolerance`. */
static bool far_from(const double *t, const double x[3], double tolerance) {
  for (int d = 0; d < 3; d++) {
    const double low = x[d] - tolerance, high = x[d] + tolerance;
    if ((t[d] > high && t[3 + d] > high && t[6 + d] > high) ||
        (t[d] < low && t[3 + d] < low && t[6 + d] < low))
      return true;
  }
  return false;
}

ig_status ig_finish_region_focus(ig_finish_region *r, const double x[3], double reach) {
  if (r->triangles == 0)
    return IG_OK;
  if (!r->near)
    IG_TRY(IG_NEW(r->f->cx, &r->near, (size_t)r->triangles, "faces of a set"));
  r->nears = 0;
  for (ig_lid i = 0; i < r->triangles; i++)
    if (!far_from(r->triangle[i], x, reach))
      r->near[r->nears++] = i;
  return IG_OK;
}

void ig_finish_region_widen(ig_finish_region *r) {
  free(r->near);
  r->near = NULL;
}

static bool near_listed(const ig_finish_region *r, const double x[3], double tolerance) {
  const double square = tolerance * tolerance;
  for (ig_lid i = 0; i < (r->near ? r->nears : r->triangles); i++) {
    const double *t = r->triangle[r->near ? r->near[i] : i];
    if (!far_from(t, x, tolerance) && from_triangle(x, t) <= square)
      return true;
  }
  for (ig_lid i = 0; i < r->points; i++)
    if (from_segment(x, r->point[i], r->point[i]) <= square)
      return true;
  return false;
}

bool ig_finish_region_has(const ig_finish_region *r, const double x[3], double tolerance) {
  for (int i = 0; i < 2; i++)
    if (r->place[i] && !ig_place_has(r->place[i], x, tolerance))
      return false;
  return !r->listed || near_listed(r, x, tolerance);
}

/* --- images */

int ig_finish_images(const ig_finished *f) {
  int images = 1;
  for (int d = 0; d < 3; d++)
    images *= f->mirrored[d] ? 2 : 1;
  return images;
}

/* From the planes of symmetry, which stay where they are. */
double ig_finish_expanded(const ig_finished *f, const double x[3], int d) {
  return f->expansion * (x[d] - (isnan(f->plane[d]) ? f->low[d] : f->plane[d]));
}

bool ig_finish_image_is(const ig_finished *f, int image) {
  for (int d = 0; d < 3; d++)
    if ((image >> d & 1) && !f->mirrored[d])
      return false;
  return true;
}

/* A reflection is its own inverse. */
void ig_finish_mirror(const ig_finished *f, int image, const double x[3], double y[3]) {
  for (int d = 0; d < 3; d++)
    y[d] = image >> d & 1 ? 2 * f->plane[d] - x[d] : x[d];
}

void ig_finish_turn(int image, const double v[3], double w[3]) {
  for (int d = 0; d < 3; d++)
    w[d] = image >> d & 1 ? -v[d] : v[d];
}

bool ig_finish_image_owns(const ig_finished *f, int image, const double x[3]) {
  for (int d = 0; d < 3; d++) {
    const bool within = f->plane[d] == f->low[d] ? x[d] >= f->plane[d] : x[d] <= f->plane[d];
    if (f->mirrored[d] && within == (image >> d & 1))
      return false;
  }
  return true;
}

bool ig_finish_image_has(const ig_finish_region *r, int image, const double x[3],
                         double tolerance) {
  const ig_finished *f = r->f;
  double y[3];
  ig_finish_mirror(f, image, x, y);
  for (int d = 0; d < 3; d++) { /* nothing beyond a plane of symmetry counts twice */
    const double beyond = !f->mirrored[d]            ? 0
                          : f->plane[d] == f->low[d] ? f->low[d] - y[d]
                                                     : y[d] - f->high[d];
    if (beyond > 1e-6 * f->edge)
      return false;
  }
  return ig_finish_region_has(r, y, tolerance);
}
