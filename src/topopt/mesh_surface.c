/* The surface of a design on a mesh: densities averaged to the nodes by volume, cut by marching
   tetrahedra, closed by the parts of the mesh's own boundary that are inside, and mirrored through
   the planes of symmetry.

   A hexahedron is twelve tetrahedra: each face is split through its lowest node and joined to the
   centre, so neighbours agree on every face. A quadratic tetrahedron is eight, four at its corners
   and four around a diagonal between two middles of edges. A vertex is known by the edge it lies on
   (or the node it is), so every edge of the surface belongs to two triangles. */
#include "mesh/topology.h"
#include "topopt/mesh_model.h"
#include "topopt/placing.h"
#include "topopt/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ig_topopt_mesh_model *m;
  double level;
  const double *value; /* nodes, then centres of elements */
  ig_topopt_part_builder build;
  uint64_t *key; /* table of vertices: the two points of an edge, the same twice for a node */
  int32_t *of;
  uint8_t *on; /* vertices: planes of symmetry they lie on, bits of axes */
  int64_t capacity;
  ig_lid corner[4]; /* points of the tetrahedron at hand */
} cutter;

static const uint64_t EMPTY = UINT64_MAX;

static uint64_t hash(uint64_t k) {
  k ^= k >> 31;
  k *= 0x9e3779b97f4a7c15ULL;
  return k ^ k >> 29;
}

static int64_t slot_of(const cutter *c, uint64_t key) {
  int64_t i = (int64_t)(hash(key) % (uint64_t)c->capacity);
  while (c->key[i] != EMPTY && c->key[i] != key)
    i = (i + 1) % c->capacity;
  return i;
}

/* Space for one more vertex: the table is never more than half full. */
static ig_status table_grow(cutter *c) {
  ig_ctx *cx = c->build.cx;
  if (2 * (c->build.out->vertices + 1) <= c->capacity)
    return IG_OK;
  cutter wide = *c;
  wide.capacity = c->capacity ? 2 * c->capacity : 1 << 14;
  wide.key = NULL;
  wide.of = NULL;
  ig_status status = IG_NEW(cx, &wide.key, (size_t)wide.capacity, "surface");
  if (status == IG_OK)
    status = IG_NEW(cx, &wide.of, (size_t)wide.capacity, "surface");
  if (status != IG_OK) {
    free(wide.key);
    return status;
  }
  memset(wide.key, 0xff, sizeof *wide.key * (size_t)wide.capacity);
  for (int64_t i = 0; i < c->capacity; i++)
    if (c->key[i] != EMPTY) {
      const int64_t at = slot_of(&wide, c->key[i]);
      wide.key[at] = c->key[i];
      wide.of[at] = c->of[i];
    }
  uint8_t *on = realloc(c->on, (size_t)wide.capacity);
  free(c->key);
  free(c->of);
  c->key = wide.key;
  c->of = wide.of;
  c->capacity = wide.capacity;
  if (!on)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a surface");
  c->on = on;
  return IG_OK;
}

static void point(const cutter *c, ig_lid p, double *x) {
  if (p < c->m->nodes)
    memcpy(x, &c->m->mesh->x[3 * (size_t)p], 3 * sizeof *x);
  else
    ig_topopt_mesh_center(c->m, p - c->m->nodes, -1, x);
}

/* Planes of symmetry a point lies on. */
static uint8_t planes_of(const cutter *c, const double *plane, ig_lid p) {
  uint8_t bits = 0;
  double x[3];
  point(c, p, x);
  for (int d = 0; d < 3; d++)
    if (!isnan(plane[d]) && fabs(x[d] - plane[d]) <= c->m->slack)
      bits |= (uint8_t)(1 << d);
  return bits;
}

/* The vertex between two points, or at one; made once. */
static ig_status vertex_of(cutter *c, ig_lid p, ig_lid q, int32_t *index) {
  const ig_lid low = p < q ? p : q, high = p < q ? q : p;
  const uint64_t key = (uint64_t)(uint32_t)low << 32 | (uint32_t)high;
  IG_TRY(table_grow(c));
  const int64_t at = slot_of(c, key);
  if (c->key[at] == EMPTY) {
    double a[3], b[3];
    point(c, low, a);
    point(c, high, b);
    const double t =
        low == high ? 0 : ig_topopt_part_place(c->level, c->value[low], c->value[high]);
    for (int d = 0; d < 3; d++)
      a[d] += t * (b[d] - a[d]);
    IG_TRY(ig_topopt_part_vertex(&c->build, a, &c->of[at]));
    c->key[at] = key;
  }
  *index = c->of[at];
  return IG_OK;
}

static ig_status edge_of_tet(void *user, int p, int q, int32_t *index) {
  cutter *c = user;
  return vertex_of(c, c->corner[p], c->corner[q], index);
}

static bool inside(const cutter *c, ig_lid p) {
  return c->value[p] >= c->level;
}

static const ig_lid *nodes_of(const cutter *c, ig_lid e) {
  return &c->m->conn[(size_t)c->m->info->nodes * (size_t)e];
}

/* A quadrilateral's corners from its lowest node on: the triangles are 0 1 2 and 0 2 3. */
static void quad_nodes(const cutter *c, ig_lid e, int face, ig_lid *node) {
  const int *local = ig_elem_face(IG_HEX8, face);
  const ig_lid *corner = nodes_of(c, e);
  int first = 0;
  for (int i = 1; i < 4; i++)
    if (corner[local[i]] < corner[local[first]])
      first = i;
  for (int i = 0; i < 4; i++)
    node[i] = corner[local[(first + i) % 4]];
}

/* How many tetrahedra an element is, and triangles a face. */
static int tets_in(const cutter *c) {
  return c->m->type == IG_HEX8 ? 12 : c->m->type == IG_TET10 ? 8 : 1;
}
static int triangles_in(const cutter *c) {
  return c->m->type == IG_HEX8 ? 2 : c->m->type == IG_TET10 ? 4 : 1;
}

/* Triangle i of a face, seen from outside counter-clockwise. */
static void triangle_of(const cutter *c, ig_lid e, int face, int i, ig_lid *node) {
  static const int part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}; /* of a tri6 */
  if (c->m->type == IG_HEX8) {
    ig_lid quad[4];
    quad_nodes(c, e, face, quad);
    node[0] = quad[0];
    node[1] = quad[1 + i];
    node[2] = quad[2 + i];
    return;
  }
  const int *local = ig_elem_face(c->m->type, face);
  for (int k = 0; k < 3; k++)
    node[k] = nodes_of(c, e)[local[c->m->type == IG_TET10 ? part[i][k] : k]];
}

/* Corners of one of an element's tetrahedra. Of a hexahedron: faces look outwards, the centre is
   behind. */
static void tet_of(const cutter *c, ig_lid e, int tet, ig_lid *corner) {
  /* the middles of edges: 4 of 01, 5 of 12, 6 of 02, 7 of 03, 8 of 13, 9 of 23 */
  static const int part[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                 {4, 5, 6, 9}, {4, 6, 7, 9}, {4, 7, 8, 9}, {4, 8, 5, 9}};
  ig_lid node[4];
  if (c->m->type != IG_HEX8) {
    for (int i = 0; i < 4; i++)
      corner[i] = nodes_of(c, e)[c->m->type == IG_TET10 ? part[tet][i] : i];
    return;
  }
  const int half = tet % 2;
  quad_nodes(c, e, tet / 2, node);
  corner[0] = node[0];
  corner[1] = node[2 + half];
  corner[2] = node[1 + half];
  corner[3] = c->m->nodes + e;
}

static int corners_inside(const cutter *c, ig_lid e) {
  int in = 0;
  for (int a = 0; a < c->m->info->nodes; a++)
    in += inside(c, nodes_of(c, e)[a]);
  return in;
}

static ig_status march(cutter *c) {
  for (ig_lid e = 0; e < c->m->elements; e++) {
    const int in = corners_inside(c, e);
    for (int tet = 0; tet < tets_in(c) && in != 0 && in != c->m->info->nodes; tet++) {
      int bits = 0;
      tet_of(c, e, tet, c->corner);
      for (int i = 0; i < 4; i++)
        bits |= inside(c, c->corner[i]) << i;
      IG_TRY(ig_topopt_part_cut(&c->build, bits, edge_of_tet, c));
    }
  }
  return IG_OK;
}

/* Share of an element that is inside. */
static double element_share(cutter *c, ig_lid e) {
  const int in = corners_inside(c, e);
  double part = 0, all = 0;
  if (in == 0 || in == c->m->info->nodes)
    return in != 0;
  for (int tet = 0; tet < tets_in(c); tet++) {
    double x[4][3], value[4], v = 0;
    tet_of(c, e, tet, c->corner);
    for (int i = 0; i < 4; i++) {
      point(c, c->corner[i], x[i]);
      value[i] = c->value[c->corner[i]];
      for (int d = 0; d < 3 && i; d++)
        x[i][d] -= x[0][d];
    }
    for (int d = 0; d < 3; d++)
      v +=
          x[1][d] * (x[2][(d + 1) % 3] * x[3][(d + 2) % 3] - x[2][(d + 2) % 3] * x[3][(d + 1) % 3]);
    part += v * ig_topopt_part_share(value, c->level);
    all += v;
  }
  return all > 0 ? part / all : 0;
}

/* Volume inside, in mean elements. */
static ig_status volume_of(void *self, double level, double *volume) {
  cutter c = *(cutter *)self;
  const double *share = c.m->shares;
  *volume = 0;
  c.level = level;
  for (ig_lid e = 0; e < c.m->elements; e++)
    *volume += share[e] * element_share(&c, e);
  return IG_OK;
}

static ig_status close_triangle(cutter *c, const ig_lid *p) {
  bool in[3];
  for (int i = 0; i < 3; i++) {
    c->corner[i] = p[i];
    in[i] = inside(c, p[i]);
  }
  return ig_topopt_part_close(&c->build, in, edge_of_tet, c);
}

static ig_status close_boundary(cutter *c, const double *plane) {
  ig_boundary boundary;
  IG_TRY(ig_mesh_boundary(c->build.cx, c->m->mesh, &boundary));
  ig_status status = IG_OK;
  for (ig_lid i = 0; i < boundary.count && status == IG_OK; i++) {
    const ig_lid e = boundary.element[i];
    const int *local = ig_elem_face(c->m->type, boundary.face[i]);
    uint8_t on = 7;
    for (int a = 0; a < c->m->info->face_nodes; a++)
      on &= planes_of(c, plane, nodes_of(c, e)[local[a]]);
    for (int k = 0; k < triangles_in(c) && !on && status == IG_OK; k++) {
      ig_lid node[3]; /* not on a plane, where the mirrored half follows */
      triangle_of(c, e, boundary.face[i], k, node);
      status = close_triangle(c, node);
    }
  }
  ig_boundary_free(&boundary);
  return status;
}

/* The other half, one axis after the other; vertices on the plane are shared. */
static ig_status mirror_part(cutter *c, const double *plane) {
  ig_ctx *cx = c->build.cx;
  ig_topopt_part *s = c->build.out;
  for (int64_t i = 0; i < c->capacity; i++)
    if (c->key[i] != EMPTY)
      c->on[c->of[i]] = planes_of(c, plane, (ig_lid)(c->key[i] >> 32)) &
                        planes_of(c, plane, (ig_lid)(c->key[i] & 0xffffffffU));
  for (int d = 0; d < 3; d++) {
    const int64_t vertices = s->vertices, triangles = s->triangles;
    int32_t *image;
    if (isnan(plane[d]))
      continue;
    uint8_t *on = realloc(c->on, 2 * (size_t)vertices + 1);
    if (!on)
      return IG_FAIL(cx, IG_MEMORY, "no memory for a surface");
    c->on = on;
    IG_TRY(IG_NEW(cx, &image, (size_t)vertices, "surface"));
    ig_status status = IG_OK;
    for (int64_t i = 0; i < vertices && status == IG_OK; i++) {
      double x[3] = {(double)s->vertex[i][0], (double)s->vertex[i][1], (double)s->vertex[i][2]};
      image[i] = (int32_t)i;
      if (on[i] >> d & 1)
        continue;
      x[d] = 2 * plane[d] - x[d];
      status = ig_topopt_part_vertex(&c->build, x, &image[i]);
      if (status == IG_OK)
        on[image[i]] = on[i];
    }
    for (int64_t t = 0; t < triangles && status == IG_OK; t++)
      status = ig_topopt_part_triangle(&c->build, image[s->triangle[t][0]],
                                       image[s->triangle[t][2]], image[s->triangle[t][1]]);
    free(image);
    IG_TRY(status);
  }
  return IG_OK;
}

/* Densities at nodes, by volume, and at centres. */
static ig_status make_values(const ig_topopt_mesh_model *m, const double *density, double **out) {
  const double *share = m->shares;
  const size_t npe = (size_t)m->info->nodes;
  double *value, *weight;
  IG_TRY(IG_NEW(m->cx, out, (size_t)m->nodes + (size_t)m->elements, "surface"));
  value = *out;
  const ig_status status = IG_NEW(m->cx, &weight, m->nodes, "surface");
  if (status != IG_OK)
    return status;
  for (ig_lid e = 0; e < m->elements; e++)
    for (size_t a = 0; a < npe; a++) {
      value[m->conn[npe * (size_t)e + a]] += share[e] * density[e];
      weight[m->conn[npe * (size_t)e + a]] += share[e];
    }
  for (ig_lid n = 0; n < m->nodes; n++)
    value[n] = weight[n] > 0 ? value[n] / weight[n] : 0;
  for (ig_lid e = 0; e < m->elements; e++)
    for (size_t a = 0; a < npe; a++)
      value[m->nodes + e] += value[m->conn[npe * (size_t)e + a]] / (double)npe;
  free(weight);
  return IG_OK;
}

ig_status ig_topopt_mesh_inside(void *self, double *density, double level, double *share) {
  const ig_topopt_mesh_model *m = self;
  double *value = NULL;
  cutter c = {.m = m, .level = level};
  const ig_status status = make_values(m, density, &value);
  c.value = value;
  for (ig_lid e = 0; status == IG_OK && e < m->elements; e++)
    share[e] = element_share(&c, e);
  free(value);
  return status;
}

ig_status ig_topopt_mesh_surface(void *self, double *density, double level, bool mirror,
                                 ig_topopt_part *surface) {
  const ig_topopt_mesh_model *m = self;
  double side[6], plane[3] = {NAN, NAN, NAN}, wanted = 0, *value = NULL;
  memset(surface, 0, sizeof *surface);
  cutter c = {.m = m, .build = {.cx = m->cx, .out = surface}};
  ig_topopt_mesh_planes(m, side);
  for (int d = 0; d < 3 && mirror; d++)
    plane[d] = isnan(side[2 * d + 1]) ? side[2 * d] : side[2 * d + 1];
  for (ig_lid e = 0; e < m->elements; e++)
    wanted += m->shares[e] * density[e];
  ig_status status;
  IG_TRY_GOTO(status, done, make_values(m, density, &value));
  c.value = value;
  surface->level = level;
  if (isnan(level))
    IG_TRY_GOTO(status, done, ig_topopt_part_level(volume_of, &c, wanted, &surface->level));
  c.level = surface->level;
  IG_TRY_GOTO(status, done, march(&c));
  IG_TRY_GOTO(status, done, close_boundary(&c, plane));
  IG_TRY_GOTO(status, done, mirror_part(&c, plane));
  ig_topopt_part_measure(surface);
done:
  free(value);
  free(c.key);
  free(c.of);
  free(c.on);
  if (status != IG_OK)
    ig_topopt_part_free(surface);
  return status;
}
