/* Quality figures of a mesh, and the checks on which all other code relies: finite coordinates,
   valid node numbers, positive Jacobians, valid sets. Readers and programs pass through
   ig_mesh_check once; later code does not check again. */
#include "mesh/quality.h"
#include "core/require.h"
#include "core/threads.h"
#include "mesh/geometry.h"
#include "mesh/topology.h"

#include <math.h>

#include "kern/prec_f64.h"

/* Volume of a 10-node tetrahedron with curved edges. Its Jacobian determinant is a cubic polynomial
   of the barycentric coordinates, which the 5-point rule (Keast 1986; weights -4/5 and 9/20 of the
   volume 1/6) integrates exactly. By the rule of five points, exact for the cubic Jacobian of
   straight and curved elements (Keast 1986). */
static double tet10_volume(double p[10][3]) {
  static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  double volume = 0;
  for (int q = 0; q < 5; q++) {
    double l[4], j[3][3] = {{0}};
    for (int a = 0; a < 4; a++)
      l[a] = q == 0 ? 0.25 : q - 1 == a ? 0.5 : 1. / 6;
    for (int i = 0; i < 10; i++) {
      double slope[4] = {0}; /* of the shape function over each coordinate */
      if (i < 4) {
        slope[i] = 4 * l[i] - 1;
      } else {
        slope[edge[i - 4][0]] = 4 * l[edge[i - 4][1]];
        slope[edge[i - 4][1]] = 4 * l[edge[i - 4][0]];
      }
      for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
          j[k][d] += (slope[k + 1] - slope[0]) * p[i][d];
    }
    volume += (q == 0 ? -0.8 : 0.45) / 6 * triple_f64(j[0], j[1], j[2]);
  }
  return volume;
}

/* Area of a 6-node triangle with curved edges, exact in a plane: its Jacobian determinant is
   quadratic. */
static double tri6_area(double p[6][3]) {
  double area = 0;
  for (int q = 0; q < 3; q++) {
    double at[2], d[6][2], u[3] = {0}, v[3] = {0}, n[3];
    triangle3_f64(q, at);
    tri6_slopes_f64(at, d);
    for (int a = 0; a < 6; a++)
      for (int k = 0; k < 3; k++) {
        u[k] += d[a][0] * p[a][k];
        v[k] += d[a][1] * p[a][k];
      }
    cross_f64(u, v, n);
    area += norm_f64(n) / 6;
  }
  return area;
}

/* Measure with curved sides; `size` is that of the corners, returned for all other types. */
static double curved_measure(const ig_mesh *mesh, const ig_block *block, ig_lid e, double size) {
  const int nodes = ig_elem_info_get(block->type)->nodes;
  double p[10][3];
  if (block->type != IG_TRI6 && block->type != IG_TET10)
    return size;
  for (int i = 0; i < nodes; i++)
    for (int d = 0; d < 3; d++)
      p[i][d] = mesh->x[3 * (size_t)block->conn[(size_t)e * (size_t)nodes + (size_t)i] + (size_t)d];
  return block->type == IG_TRI6 ? tri6_area(p) : tet10_volume(p);
}

/* Sequential and complete: called by `ingot check` and `ingot mesh`, not by runs. Extremes over all
   elements with the number of the element each belongs to. */
ig_status ig_mesh_quality(ig_ctx *cx, const ig_mesh *mesh, ig_quality *q) {
  *q = (ig_quality){.shortest = INFINITY, .jacobian = INFINITY};
  ig_lid element = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (ig_lid e = 0; e < block->count; e++, element++) {
      double least, shortest, longest;
      const double size = ig_elem_measure(mesh, block, e, &least);
      ig_elem_edges(mesh, block, e, &shortest, &longest);
      q->measure[info->dim] += curved_measure(mesh, block, e, size);
      q->shortest = fmin(q->shortest, shortest);
      q->longest = fmax(q->longest, longest);
      q->aspect = fmax(q->aspect, longest / shortest);
      if (least / size < q->jacobian) {
        q->jacobian = least / size;
        q->worst = element;
      }
    }
    ig_classes classes;
    IG_TRY(ig_mesh_classes(cx, mesh->x, block->count, info->nodes, block->conn, &classes));
    q->classes += classes.count;
    ig_classes_free(&classes);
  }
  ig_boundary boundary;
  IG_TRY(ig_mesh_boundary(cx, mesh, &boundary));
  q->faces = boundary.count;
  for (ig_lid i = 0; i < boundary.count; i++) {
    ig_lid e;
    const ig_block *block = ig_mesh_element(mesh, boundary.element[i], &e);
    if (ig_elem_info_get(block->type)->dim > 1)
      q->boundary += ig_face_measure(mesh, block, e, boundary.face[i]);
  }
  ig_boundary_free(&boundary);
  return IG_OK;
}

/* The element is counted over all blocks; NaN for a number beyond them. */
double ig_mesh_measure(const ig_mesh *mesh, ig_lid element) {
  ig_lid local;
  const ig_block *block = ig_mesh_element(mesh, element, &local);
  return block ? ig_elem_measure(mesh, block, local, NULL) : NAN;
}

/* A node that a wedge or pyramid contains twice, -1: none. Such an element collapses to another
   type; its faces would match no neighbour's. (Degenerate hexahedra are converted by the
   readers.) */
static ig_lid node_twice(ig_elem_type type, const ig_lid *conn) {
  const int nodes = type == IG_WEDGE6 || type == IG_WEDGE15 ? 6 : type == IG_PYRAMID5 ? 5 : 0;
  for (int a = 0; a < nodes; a++)
    for (int b = 0; b < a; b++)
      if (conn[a] == conn[b])
        return conn[a];
  return -1;
}

/* Vectors from the first corner of a hexahedron to the seven others; returns the largest
   component. */
static double hex_vectors(const ig_mesh *mesh, const ig_lid *conn, double v[21]) {
  double size = 0;
  for (int i = 0; i < 21; i++) {
    v[i] = mesh->x[3 * (size_t)conn[1 + i / 3] + (size_t)(i % 3)] -
           mesh->x[3 * (size_t)conn[0] + (size_t)(i % 3)];
    size = fmax(size, fabs(v[i]));
  }
  return size;
}

/* Whether an element has no size beside its extent. */
static bool is_flat(const ig_mesh *mesh, const ig_elem_info *info, const ig_lid *conn, double least,
                    double measure) {
  double extent = 0;
  for (int a = 1; a < info->nodes; a++)
    for (int c = 0; c < 3; c++)
      extent = fmax(extent, fabs(mesh->x[3 * (size_t)conn[a] + (size_t)c] -
                                 mesh->x[3 * (size_t)conn[0] + (size_t)c]));
  return fmax(fabs(least), fabs(measure)) <= 1e-12 * pow(extent, info->dim);
}

/* first: number of the block's first element, for messages. In a grid nearly all elements are
   copies of the first one, so comparing 21 numbers replaces the determinants; only if the first is
   safely valid (1e-3 of its mean). Corners in range and different, positive measure. The first bad
   element in order is reported, whichever thread finds one first. */
static ig_status block_check(ig_ctx *cx, const ig_mesh *mesh, const ig_block *block, ig_lid first) {
  const ig_elem_info *info = ig_elem_info_get(block->type);
  if (info->dim > mesh->dim)
    return IG_FAIL(cx, IG_INPUT, "%s elements in a mesh of dimension %d", info->name, mesh->dim);
  const int npe = info->nodes;
  ig_lid bad = INT32_MAX; /* the first bad element, whatever the thread count */
  /* hexahedra that are like the first, as in a grid, are as good as it, if it is good */
  double first_is[21], size = 0, good_enough = 0;
  bool known = block->type == IG_HEX8 && block->count > 0;
  for (int a = 0; known && a < npe; a++)
    known = (uint32_t)block->conn[a] < (uint32_t)mesh->nodes;
  if (known) {
    size = hex_vectors(mesh, block->conn, first_is);
    const double measure = ig_elem_measure(mesh, block, 0, &good_enough);
    known = good_enough > 1e-3 * measure;
  }
#pragma omp parallel for num_threads(ig_team(cx, block->count, IG_WORK_ELEMENT)) reduction(min     \
                                                                                           : bad)  \
    schedule(static)
  for (ig_lid e = 0; e < block->count; e++) {
    const ig_lid *conn = block->conn + (size_t)e * npe;
    bool good = true;
    for (int a = 0; a < npe; a++)
      good = good && (uint32_t)conn[a] < (uint32_t)mesh->nodes;
    if (good && known) {
      double v[21], off = 0;
      hex_vectors(mesh, conn, v);
      for (int i = 0; i < 21; i++)
        off = fmax(off, fabs(v[i] - first_is[i]));
      if (off <= 1e-9 * size)
        continue;
    }
    if (good) {
      double least;
      ig_elem_measure(mesh, block, e, &least);
      good = least > 0 && node_twice(block->type, conn) < 0;
    }
    if (!good && e < bad)
      bad = e;
  }
  if (bad == INT32_MAX)
    return IG_OK;
  const ig_lid *conn = block->conn + (size_t)bad * npe;
  for (int a = 0; a < npe; a++)
    if ((uint32_t)conn[a] >= (uint32_t)mesh->nodes)
      return IG_FAIL(cx, IG_INPUT, "element %d (%s) uses node %d: the mesh has nodes 0 to %d",
                     first + bad, info->name, conn[a], mesh->nodes - 1);
  if (node_twice(block->type, conn) >= 0)
    return IG_FAIL(
        cx, IG_INPUT,
        "element %d (%s) names node %d twice: write it as the element that it stands for",
        first + bad, info->name, node_twice(block->type, conn));
  double least;
  const double measure = ig_elem_measure(mesh, block, bad, &least);
  return IG_FAIL(cx, IG_INPUT,
                 "element %d (%s) has a non-positive Jacobian (%g at its worst point, size %g): %s",
                 first + bad, info->name, least, measure,
                 is_flat(mesh, info, conn, least, measure)
                     ? "its nodes lie in a plane, on a line or at one place; leave it out, or mesh "
                       "again"
                 : measure > 0 ? "it is folded or distorted, or its nodes are in another order"
                               : "check the order of its nodes");
}

/* Unsigned comparison catches negative numbers as well. Items in range; faces must exist on their
   elements. Negative numbers count as very large ones. */
static ig_status set_check(ig_ctx *cx, const ig_mesh *mesh, const ig_set *set, ig_lid elements) {
  const ig_lid limit = set->kind == IG_SET_NODES ? mesh->nodes : elements;
  uint32_t most = 0;
#pragma omp parallel for num_threads(ig_team(cx, set->count, IG_WORK_VALUE)) schedule(static)      \
    reduction(max                                                                                  \
              : most)
  for (ig_lid i = 0; i < set->count; i++)
    most = (uint32_t)set->item[i] > most ? (uint32_t)set->item[i] : most;
  if (set->kind != IG_SET_FACES && most < (uint32_t)limit)
    return IG_OK;
  for (ig_lid i = 0; i < set->count; i++) {
    if ((uint32_t)set->item[i] >= (uint32_t)limit)
      return IG_FAIL(cx, IG_INPUT, "set '%s' names %s %d: there are %d", set->name,
                     set->kind == IG_SET_NODES ? "node" : "element", set->item[i], limit);
    if (set->kind != IG_SET_FACES)
      continue;
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, set->item[i], &local);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    if (set->face[i] >= info->faces)
      return IG_FAIL(cx, IG_INPUT, "set '%s' names face %d of element %d (%s): it has %d",
                     set->name, set->face[i], set->item[i], info->name, info->faces);
  }
  return IG_OK;
}

/* Messages name the first fault in mesh order, whatever the number of threads. Everything that
   solvers rely on without looking: finite coordinates, valid corners, positive Jacobians, valid
   sets. Fails with IG_INPUT and the first fault. */
ig_status ig_mesh_check(ig_ctx *cx, const ig_mesh *mesh) {
  IG_REQUIRE_ARGS(cx, cx && mesh);
  const ig_lid elements = ig_mesh_elements(mesh);
  if (mesh->nodes == 0 || elements == 0)
    return IG_FAIL(cx, IG_INPUT, "the mesh is empty: %d nodes, %d elements", mesh->nodes, elements);
  ig_lid bad = mesh->nodes; /* the first, whatever the thread count */
#pragma omp parallel for num_threads(ig_team(cx, mesh->nodes, IG_WORK_NODE)) reduction(min         \
                                                                                       : bad)      \
    schedule(static)
  for (ig_lid n = 0; n < mesh->nodes; n++)
    for (size_t d = 0; d < 3; d++)
      if (!isfinite(mesh->x[3 * (size_t)n + d]))
        bad = n < bad ? n : bad;
  if (bad < mesh->nodes)
    return IG_FAIL(cx, IG_INPUT, "node %d has a coordinate that is not a finite number", (int)bad);
  if (mesh->dim == 2)
    for (size_t n = 0; n < (size_t)mesh->nodes; n++)
      if (mesh->x[3 * n + 2] != 0)
        return IG_FAIL(cx, IG_INPUT, "node %zu of a plane mesh has z = %g: expected 0", n,
                       mesh->x[3 * n + 2]);
  ig_lid first = 0;
  for (int i = 0; i < mesh->blocks; i++) {
    IG_TRY(block_check(cx, mesh, &mesh->block[i], first));
    first += mesh->block[i].count;
  }
  for (int i = 0; i < mesh->sets; i++)
    IG_TRY(set_check(cx, mesh, &mesh->set[i], elements));
  return IG_OK;
}
