/* Nodes, elements and faces of a mesh that are in a set, at a place, or both: the mesh's side of
   ig_topopt_points (case/boundary_conditions.h), and what is placed on a mesh. */
#include "topopt/mesh/mesh_model.h"
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"
#include "mesh/named.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "solver/mesh/mesh.inc"

static const ig_lid *corners_of(const ig_topopt_mesh_model *m, ig_lid e) {
  return &m->conn[(size_t)m->info->nodes * (size_t)e];
}

/* The mean of the nodes, quadratic ones included. */
void ig_topopt_mesh_middle(ig_elem_type type, const double *x, const ig_lid *node, int face,
                           double *middle) {
  const ig_elem_info *info = ig_elem_info_get(type);
  const int *local = face < 0 ? NULL : ig_elem_face(type, face);
  const int n = local ? info->face_nodes : info->nodes;
  middle[0] = middle[1] = middle[2] = 0;
  for (int a = 0; a < n; a++)
    for (int d = 0; d < 3; d++)
      middle[d] += x[3 * (size_t)node[local ? local[a] : a] + (size_t)d] / n;
}

void ig_topopt_mesh_center(const ig_topopt_mesh_model *m, ig_lid e, int face, double *x) {
  ig_topopt_mesh_middle(m->type, m->mesh->x, corners_of(m, e), face, x);
}

void ig_topopt_mesh_normal(const ig_topopt_mesh_model *m, ig_lid e, int face, double *normal) {
  const int *local = ig_elem_face(m->type, face);
  const ig_lid *node = corners_of(m, e);
  const bool quad = m->info->face_nodes == 4;
  double a[3], b[3];
  for (int d = 0; d < 3; d++) {
    const double *x = m->mesh->x + d;
    const int from = quad ? 1 : 0;
    a[d] = 0.5 * (x[3 * (size_t)node[local[quad ? 2 : 1]]] - x[3 * (size_t)node[local[0]]]);
    b[d] = x[3 * (size_t)node[local[quad ? 3 : 2]]] - x[3 * (size_t)node[local[from]]];
  }
  cross_f64(a, b, normal);
}

/* Sets the bytes of the elements of a set, or of the nodes of one of any kind. */
static ig_status mark_set(const ig_topopt_mesh_model *m, ig_where where, bool nodes,
                          uint8_t *mark) {
  const ig_set *set;
  ig_lid *node, count;
  if (nodes) {
    IG_TRY(ig_mesh_named_nodes(m->cx, m->mesh, where.at, where.set, &node, &count));
    for (ig_lid i = 0; i < count; i++)
      mark[node[i]] = 1;
    free(node);
    return IG_OK;
  }
  IG_TRY(ig_mesh_named_set(m->cx, m->mesh, where.at, where.set, IG_OF_ELEMENTS, &set));
  for (ig_lid i = 0; i < set->count; i++)
    mark[set->item[i]] = 1;
  return IG_OK;
}

static bool there(const ig_topopt_mesh_model *m, ig_where where, const double *x) {
  return !where.place->at.given || ig_place_has(where.place, x, m->slack);
}

/* Nodes, or elements by their centres. */
static ig_status each_point(const ig_topopt_mesh_model *m, ig_where where, bool nodes,
                            ig_visit *visit, void *user) {
  const ig_lid n = nodes ? m->nodes : m->elements;
  const double *x = nodes ? m->mesh->x : m->centers, *share = m->shares;
  uint8_t *mark;
  IG_TRY(IG_NEW(m->cx, &mark, n, "selection"));
  ig_status status = IG_OK;
  if (!where.set)
    memset(mark, 1, (size_t)n);
  else
    status = mark_set(m, where, nodes, mark);
  for (ig_lid i = 0; status == IG_OK && i < n; i++)
    if (mark[i] && there(m, where, &x[3 * (size_t)i]))
      visit(user, i, nodes ? 1 : share[i]);
  free(mark);
  return status;
}

/* `mean` has as many values as the element has nodes. */
double ig_topopt_mesh_weights(const ig_topopt_mesh_model *m, ig_lid e, double *mean) {
  const ig_lid *node = corners_of(m, e);
  const int n = m->info->nodes;
  double x[30], own[10];
  for (int i = 0; i < 3 * n; i++)
    x[i] = m->mesh->x[3 * (size_t)node[i / 3] + (size_t)(i % 3)];
  return ig_cell_weights(x, n, mean ? mean : own);
}

/* Point q of a face's integration: values and derivatives of its shape functions; its weight.
   Two by two Gauss points of a quadrilateral, six points of a triangle (exact to fourth order):
   enough for the products of quadratic shape functions on flat faces. */
static double face_point(const ig_topopt_mesh_model *m, int q, double *n, double (*slope)[2]) {
  double at[2];
  if (m->type == IG_HEX8) {
    at[0] = gauss2_f64(q & 1);
    at[1] = gauss2_f64(q >> 1);
    quad4_values_f64(at, n);
    quad4_slopes_f64(at, slope);
    return 1;
  }
  const double weight = triangle6_f64(q, at);
  if (m->type == IG_TET4) {
    tri3_values_f64(at, n);
    tri3_slopes_f64(at, slope);
  } else {
    tri6_values_f64(at, n);
    tri6_slopes_f64(at, slope);
  }
  return weight;
}

/* The integrals of a face's shape functions. The weight of a node is the integral of its shape
   function over the face. Of quadratic triangles corners have none on a flat face, all of it is
   at the middles of edges: that is what makes a uniform traction consistent. m->normal is the
   mean normal of the face. */
static void visit_face(ig_topopt_mesh_model *m, ig_lid e, int face, ig_visit *visit, void *user) {
  const int *local = ig_elem_face(m->type, face);
  const int nodes = m->info->face_nodes, points = m->type == IG_HEX8 ? 4 : 6;
  const ig_lid *node = corners_of(m, e);
  double weight[6] = {0, 0, 0, 0, 0, 0}, all[3] = {0, 0, 0};
  for (int q = 0; q < points; q++) {
    double n[6], slope[6][2], a[3] = {0, 0, 0}, b[3] = {0, 0, 0}, normal[3];
    const double w = face_point(m, q, n, slope);
    for (int i = 0; i < nodes; i++)
      for (int d = 0; d < 3; d++) {
        const double x = m->mesh->x[3 * (size_t)node[local[i]] + (size_t)d];
        a[d] += slope[i][0] * x;
        b[d] += slope[i][1] * x;
      }
    cross_f64(a, b, normal);
    const double da = w * norm_f64(normal);
    for (int i = 0; i < nodes; i++)
      weight[i] += n[i] * da;
    for (int d = 0; d < 3; d++)
      all[d] += w * normal[d];
  }
  const double size = norm_f64(all);
  for (int d = 0; d < 3; d++)
    m->normal[d] = size > 0 ? all[d] / size : 0;
  for (int i = 0; i < nodes; i++)
    visit(user, node[local[i]], weight[i]);
}

/* Boundary faces by their centres, or the faces of a set. Faces of a set need not be on the
   boundary. */
static ig_status each_face(ig_topopt_mesh_model *m, ig_where where, ig_visit *visit, void *user) {
  ig_boundary boundary = {0};
  const ig_set *s = NULL;
  if (where.set)
    IG_TRY(ig_mesh_named_set(m->cx, m->mesh, where.at, where.set, IG_OF_FACES, &s));
  else
    IG_TRY(ig_mesh_boundary(m->cx, m->mesh, &boundary));
  const ig_lid n = s ? s->count : boundary.count;
  const ig_lid *element = s ? s->item : boundary.element;
  const uint8_t *face = s ? s->face : boundary.face;
  for (ig_lid i = 0; i < n; i++) {
    double x[3];
    ig_topopt_mesh_center(m, element[i], face[i], x);
    if (there(m, where, x))
      visit_face(m, element[i], face[i], visit, user);
  }
  ig_boundary_free(&boundary);
  return IG_OK;
}

static ig_status each(void *self, ig_where where, ig_point_kind kind, ig_visit *visit, void *user) {
  return kind == IG_POINT_FACES ? each_face(self, where, visit, user)
                                : each_point(self, where, kind != IG_POINT_ELEMENTS, visit, user);
}

static bool faces(void *self, const char *set) {
  const ig_topopt_mesh_model *m = self;
  return !set || ig_mesh_find_set(m->mesh, set, IG_SET_FACES);
}

static void position(void *self, int64_t node, double *x) {
  memcpy(x, &((const ig_topopt_mesh_model *)self)->mesh->x[3 * node], 3 * sizeof *x);
}

static int corners(void *self, int64_t place, int64_t *node) {
  const ig_topopt_mesh_model *m = self;
  for (int a = 0; a < m->info->nodes; a++)
    node[a] = corners_of(m, (ig_lid)place)[a];
  return m->info->nodes;
}

/* Heat generated everywhere. */
static void source(void *self, double value, double *f) {
  const ig_topopt_mesh_model *m = self;
  for (ig_lid e = 0; e < m->elements; e++) {
    const ig_lid *node = corners_of(m, e);
    double weight[10];
    const double volume = ig_topopt_mesh_weights(m, e, weight);
    for (int a = 0; a < m->info->nodes; a++)
      f[node[a]] += value * volume * weight[a];
  }
}

ig_topopt_points ig_topopt_mesh_points(ig_topopt_mesh_model *m) {
  ig_topopt_points p = {.cx = m->cx,
                        .c = m->c,
                        .name = "mesh",
                        .dim = 3,
                        .size = m->size,
                        .nodes = m->nodes,
                        .places = m->elements,
                        .all_nodes = m->nodes,
                        .step = m->size,
                        .stride = 1,
                        .self = m,
                        .each = each,
                        .faces = faces,
                        .normal = m->normal,
                        .position = position,
                        .corners = corners,
                        .source = source};
  ig_mesh_bounds(m->mesh, p.low, p.high);
  return p;
}

/* Here the question of what is still loose can be answered, too: supports and springs are both
   known. */
static ig_status make_springs(ig_topopt_mesh_model *m, const ig_topopt_points *points) {
  ig_spring *spring;
  int count;
  ig_status status = ig_topopt_points_springs(points, m->loading.stiffness, &spring, &count);
  if (status == IG_OK && count)
    status = ig_array_new(m->cx, &m->spring, 3 * (size_t)m->nodes, sizeof(double), "springs");
  for (int i = 0; status == IG_OK && i < count; i++)
    ((double *)m->spring.host)[3 * spring[i].node + spring[i].component] = spring[i].stiffness;
  if (status == IG_OK)
    status = ig_topopt_points_sprung(points, spring, count, &m->loading);
  m->d.loose = status == IG_OK ? ig_topopt_points_loose(points, m->fix.host, spring, count) : NULL;
  free(spring);
  return status == IG_OK && count ? ig_array_push(m->cx, &m->spring) : status;
}

/* Planes of symmetry are at the extremes of the mesh. */
static void planes_find(ig_topopt_mesh_model *m, const ig_topopt_points *points) {
  for (int s = 0; s < 6; s++)
    m->plane[s] = NAN;
  for (int i = 0; i < m->c->symmetry.count; i++) {
    int axis, side;
    if (ig_topopt_plane_read(m->c->symmetry.value[i], 3, &axis, &side))
      m->plane[2 * axis + side] = side ? points->high[axis] : points->low[axis];
  }
}

ig_status ig_topopt_mesh_touched(void *self, uint8_t *mark) {
  ig_topopt_mesh_model *m = self;
  const ig_topopt_points points = ig_topopt_mesh_points(m);
  memset(mark, 1, (size_t)m->elements);
  return ig_topopt_points_touched(&points, m->fixed, &m->loading, mark);
}

/* On the whole mesh: of a part this is called before it is cut (mesh_cut.c). */
ig_status ig_topopt_mesh_limit(void *self, const ig_limit_case *limit, ig_array *to, double *norm) {
  ig_topopt_mesh_model *m = self;
  const ig_topopt_points points = ig_topopt_mesh_points(m);
  return ig_topopt_points_limit(&points, m->fixed, limit, to, norm);
}

/* Roles first: loads are checked against elements that carry. */
ig_status ig_topopt_mesh_place(ig_topopt_mesh_model *m) {
  const ig_topopt_points points = ig_topopt_mesh_points(m);
  if (m->c->sets.count)
    return ig_fail_at(m->cx, &IG_ITEM(ig_set_case, m->c->sets, 0)->at,
                      "sets: a mesh has its own: say it in mesh.sets");
  planes_find(m, &points);
  IG_TRY(ig_array_new(m->cx, &m->role, (size_t)m->elements, 1, "roles"));
  IG_TRY(ig_topopt_points_roles(&points, m->role.host, &m->d.solid, &m->d.designed));
  for (ig_lid e = 0; e < m->elements; e++) {
    const uint8_t role = ((const uint8_t *)m->role.host)[e];
    const double share = m->shares[e] / m->elements;
    m->d.solid_volume += role == IG_ROLE_SOLID ? share : 0;
    m->d.void_volume += role == IG_ROLE_VOID ? share : 0;
  }
  IG_TRY(ig_array_push(m->cx, &m->role));
  IG_TRY(ig_array_new(m->cx, &m->fix, (size_t)m->nodes, 1, "supports"));
  m->fixed = m->fix.host;
  IG_TRY(ig_topopt_points_supports(&points, m->fix.host));
  IG_TRY(ig_array_push(m->cx, &m->fix));
  IG_TRY(make_springs(m, &points));
  return ig_topopt_points_loads(&points, m->fix.host, m->role.host, &m->loading);
}
