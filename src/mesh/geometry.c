/* Measures of single elements: length, area or volume, smallest Jacobian determinant, edges, areas
   of faces. In double precision with the shape functions of src/kern. */
#include "mesh/geometry.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

#include "kern/prec_f64.h"

/* Volume and smallest Jacobian determinant of a hexahedron, over the 2 x 2 x 2 Gauss points and the
   centre. The tangent dx/dr is bilinear in s and t only (and so on for the others): twelve edge
   vectors are interpolated to four tangents per direction, and each point combines three of them.
   Three times faster than summing shape functions, which matters because every element of a mesh is
   checked. */
static double hex_measure(double p[8][3], double *least) {
  /* Four edges in each reference direction r, s, t, in the order of the two other coordinates. */
  static const int edge[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},  /* r: at (s,t) 00 10 01 11 */
                                    {{0, 3}, {1, 2}, {4, 7}, {5, 6}},  /* s: at (r,t) */
                                    {{0, 4}, {1, 5}, {3, 7}, {2, 6}}}; /* t: at (r,s) */
  double tangent[3][4][3];
  for (int k = 0; k < 3; k++) {
    double e[4][3], half[4][3];
    for (int i = 0; i < 4; i++)
      minus_f64(p[edge[k][i][1]], p[edge[k][i][0]], e[i]);
    for (int g = 0; g < 2; g++)
      for (int d = 0; d < 3; d++) {
        half[g][d] = e[0][d] + gauss2_unit_f64(g) * (e[1][d] - e[0][d]);
        half[2 + g][d] = e[2][d] + gauss2_unit_f64(g) * (e[3][d] - e[2][d]);
      }
    for (int h = 0; h < 2; h++)
      for (int g = 0; g < 2; g++)
        for (int d = 0; d < 3; d++)
          tangent[k][2 * h + g][d] =
              half[g][d] + gauss2_unit_f64(h) * (half[2 + g][d] - half[g][d]);
  }
  double sum = 0, low = INFINITY;
  for (int t = 0; t < 2; t++)
    for (int s = 0; s < 2; s++)
      for (int r = 0; r < 2; r++) {
        const double j =
            triple_f64(tangent[0][2 * t + s], tangent[1][2 * t + r], tangent[2][2 * s + r]);
        sum += j / 8;
        low = fmin(low, j);
      }
  double middle[3][3]; /* a twist can hide between the Gauss points */
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < 3; d++)
      middle[k][d] =
          (tangent[k][0][d] + tangent[k][1][d] + tangent[k][2][d] + tangent[k][3][d]) / 4;
  *least = fmin(low, triple_f64(middle[0], middle[1], middle[2]));
  return sum;
}

/* plane: signed area in x, y. Otherwise a shell in space, whose area is positive. */
static double quad_measure(double p[4][3], bool plane, double *least) {
  double a[3], b[3], c[3], d[3], mean[3], one[3];
  minus_f64(p[1], p[0], a);
  minus_f64(p[2], p[3], b); /* dx/dr at s = 0, 1 */
  minus_f64(p[3], p[0], c);
  minus_f64(p[2], p[1], d); /* dx/ds at r = 0, 1 */
  double u[3], v[3];
  for (int k = 0; k < 3; k++) {
    u[k] = (a[k] + b[k]) / 2;
    v[k] = (c[k] + d[k]) / 2;
  }
  cross_f64(u, v, mean);
  const double size = norm_f64(mean);
  double low = INFINITY, sum = 0;
  for (int q = 0; q < 4; q++) {
    for (int k = 0; k < 3; k++) {
      u[k] = a[k] + gauss2_unit_f64(q / 2) * (b[k] - a[k]);
      v[k] = c[k] + gauss2_unit_f64(q % 2) * (d[k] - c[k]);
    }
    cross_f64(u, v, one);
    /* against the mean normal, so that a folded shell quad shows */
    const double j = plane ? one[2] : size > 0 ? dot_f64(one, mean) / size : 0;
    sum += (plane ? j : norm_f64(one)) / 4;
    low = fmin(low, j);
  }
  *least = low;
  return sum;
}

/* Signed in the plane, positive in space. */
static double tri_measure(double p[3][3], bool plane) {
  double a[3], b[3], n[3];
  minus_f64(p[1], p[0], a);
  minus_f64(p[2], p[0], b);
  cross_f64(a, b, n);
  return (plane ? n[2] : norm_f64(n)) / 2;
}

/* Smallest Jacobian determinant of a 6-node triangle over its three interior integration points,
   halved like the area; measured along the normal of the corners for a shell. The smallest Jacobian
   at corners and middles of sides, against the normal of the plane through the corners: negative
   where the triangle folds over. */
static double tri6_least(double p[6][3], bool plane) {
  double normal[3] = {0, 0, 1}, low = INFINITY;
  if (!plane) {
    double a[3], b[3];
    minus_f64(p[1], p[0], a);
    minus_f64(p[2], p[0], b);
    cross_f64(a, b, normal);
    const double size = norm_f64(normal);
    for (int k = 0; k < 3; k++)
      normal[k] = size > 0 ? normal[k] / size : 0;
  }
  for (int q = 0; q < 3; q++) {
    double at[2], d[6][2];
    triangle3_f64(q, at);
    tri6_slopes_f64(at, d);
    double u[3] = {0}, v[3] = {0}, n[3];
    for (int a = 0; a < 6; a++)
      for (int k = 0; k < 3; k++) {
        u[k] += d[a][0] * p[a][k];
        v[k] += d[a][1] * p[a][k];
      }
    cross_f64(u, v, n);
    low = fmin(low, dot_f64(n, normal) / 2);
  }
  return low;
}

/* Volume of a hexahedron with 20 or wedge with 15 nodes, with curved edges; smallest determinant
   over its stiffness points, scaled by the volume of the reference element (8 and 1). */
static double quadratic_measure(ig_elem_type type, double p[20][3], double *least) {
  const bool hex = type == IG_HEX20;
  double sum = 0, low = INFINITY;
  for (int q = 0; q < (hex ? 27 : 9); q++) {
    double at[3], d[20][3], t[3][3] = {{0}};
    const double w = hex ? brick3_f64(q, at) : wedge3_f64(q, at);
    if (hex)
      hex20_slopes_f64(at, d);
    else
      wedge15_slopes_f64(at, d);
    for (int a = 0; a < (hex ? 20 : 15); a++)
      for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
          t[k][i] += d[a][k] * p[a][i];
    const double j = triple_f64(t[0], t[1], t[2]);
    sum += w * j;
    low = fmin(low, j * (hex ? 8 : 1));
  }
  *least = low;
  return sum;
}

/* A switch over all types without default: the compiler reports a new type that is missing. Length,
   area or volume in m, m^2, m^3 by the dimension of the element; least may be NULL, otherwise it
   becomes the smallest Jacobian, negative for an element turned inside out. */
double ig_elem_measure(const ig_mesh *mesh, const ig_block *block, ig_lid e, double *least) {
  const ig_elem_info *info = ig_elem_info_get(block->type);
  const ig_lid *conn = block->conn + (size_t)e * (size_t)info->nodes;
  double p[20][3], a[3], b[3], c[3], size = 0, low = 0;
  for (int i = 0; i < info->nodes; i++)
    for (int d = 0; d < 3; d++)
      p[i][d] = mesh->x[3 * (size_t)conn[i] + (size_t)d];
  const bool plane = mesh->dim == 2;
  switch (block->type) {
  case IG_BEAM2:
  case IG_BEAM3:
    minus_f64(p[1], p[0], a);
    low = size = norm_f64(a);
    break;
  case IG_TRI3:
    low = size = tri_measure(p, plane);
    break;
  case IG_TRI6:
    size = tri_measure(p, plane);
    low = tri6_least(p, plane);
    break;
  case IG_QUAD4:
  case IG_QUAD8: /* by its corners */
    size = quad_measure(p, plane, &low);
    break;
  case IG_TET4:
  case IG_TET10:
    minus_f64(p[1], p[0], a);
    minus_f64(p[2], p[0], b);
    minus_f64(p[3], p[0], c);
    low = size = triple_f64(a, b, c) / 6;
    break;
  case IG_HEX8:
    size = hex_measure(p, &low);
    break;
  /* Wedges and pyramids as degenerate hexahedra: nodes that coincide give the right volume, and the
     Gauss points lie inside. */
  case IG_WEDGE6:
  case IG_PYRAMID5: { /* hexahedra with corners that coincide */
    static const int corner[2][8] = {{0, 1, 2, 2, 3, 4, 5, 5}, {0, 1, 2, 3, 4, 4, 4, 4}};
    double all[8][3];
    for (int i = 0; i < 8; i++)
      memcpy(all[i], p[corner[block->type == IG_PYRAMID5][i]], sizeof all[i]);
    size = hex_measure(all, &low);
    break;
  }
  case IG_HEX20:
  case IG_WEDGE15:
    size = quadratic_measure(block->type, p, &low);
    break;
  case IG_ELEM_TYPES:
    break;
  }
  if (least)
    *least = low;
  return size;
}

/* Squared lengths are compared; roots are taken once. Straight edges between corners; nodes in the
   middles do not count. */
void ig_elem_edges(const ig_mesh *mesh, const ig_block *block, ig_lid e, double *shortest,
                   double *longest) {
  static const int pairs[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}; /* tet, tri */
  static const int quad[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  static const int hex[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                               {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  static const int wedge[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                 {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  static const int pyramid[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
  static const struct {
    const int (*edge)[2];
    int count;
  } of[IG_ELEM_TYPES] = {
      [IG_BEAM2] = {pairs, 1}, [IG_TRI3] = {pairs, 3},    [IG_TRI6] = {pairs, 3},
      [IG_QUAD4] = {quad, 4},  [IG_TET4] = {pairs, 6},    [IG_TET10] = {pairs, 6},
      [IG_HEX8] = {hex, 12},   [IG_WEDGE6] = {wedge, 9},  [IG_PYRAMID5] = {pyramid, 8},
      [IG_HEX20] = {hex, 12},  [IG_WEDGE15] = {wedge, 9}, [IG_QUAD8] = {quad, 4},
      [IG_BEAM3] = {pairs, 1}};
  const ig_elem_type type = block->type;
  const int(*edge)[2] = of[type].edge;
  const int edges = of[type].count;
  const ig_lid *conn = block->conn + (size_t)e * (size_t)ig_elem_info_get(type)->nodes;
  double low = INFINITY, high = 0;
  for (int i = 0; i < edges; i++) {
    double v[3];
    minus_f64(mesh->x + 3 * (size_t)conn[edge[i][1]], mesh->x + 3 * (size_t)conn[edge[i][0]], v);
    const double l = dot_f64(v, v);
    low = fmin(low, l);
    high = fmax(high, l);
  }
  *shortest = sqrt(low);
  *longest = sqrt(high);
}

/* Area of a face of a solid, length of an edge of a plane element or shell, 1 for the end of a
   beam. Mid-side nodes are ignored. */
double ig_face_measure(const ig_mesh *mesh, const ig_block *block, ig_lid e, int face) {
  const ig_elem_info *info = ig_elem_info_get(block->type);
  const ig_lid *conn = block->conn + (size_t)e * (size_t)info->nodes;
  const int *local = ig_elem_face(block->type, face);
  double p[4][3], least, v[3];
  for (int a = 0; a < info->face_nodes && a < 4; a++)
    for (int d = 0; d < 3; d++)
      p[a][d] = mesh->x[3 * (size_t)conn[local[a]] + (size_t)d];
  switch (info->dim) {
  case 1:
    return 1;
  case 2:
    minus_f64(p[1], p[0], v);
    return norm_f64(v);
  default:
    return ig_elem_face_distinct(block->type, face) == 4 ? quad_measure(p, false, &least)
                                                         : tri_measure(p, false);
  }
}

/* The displacement gradient that fits best: G = B A^-1 with A = sum dX dX, B = sum du dX, both
   about the mean of the nodes. False: the nodes lie in a plane. */
static bool nodes_gradient(int nodes, const double *X, const double *u, double G[3][3]) {
  double mean[2][3] = {{0}}, A[3][3] = {{0}}, B[3][3] = {{0}}, C[3][3];
  memset(G, 0, 9 * sizeof(double));
  for (int a = 0; a < nodes; a++)
    for (int d = 0; d < 3; d++) {
      mean[0][d] += X[3 * a + d] / nodes;
      mean[1][d] += u[3 * a + d] / nodes;
    }
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        A[i][j] += (X[3 * a + i] - mean[0][i]) * (X[3 * a + j] - mean[0][j]);
        B[i][j] += (u[3 * a + i] - mean[1][i]) * (X[3 * a + j] - mean[0][j]);
      }
  for (int i = 0; i < 3; i++) /* cofactors: A is symmetric */
    for (int j = 0; j < 3; j++) {
      const int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
      C[i][j] = A[k][m] * A[l][n] - A[k][n] * A[l][m];
    }
  const double det = A[0][0] * C[0][0] + A[0][1] * C[0][1] + A[0][2] * C[0][2];
  const double trace = A[0][0] + A[1][1] + A[2][2];
  if (!(det > 1e-12 * trace * trace * trace))
    return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        G[i][j] += B[i][k] * C[k][j] / det;
  return true;
}

/* The rotation vector is half the curl. */
double ig_nodes_turn(int nodes, const double *X, const double *u) {
  double G[3][3];
  if (!nodes_gradient(nodes, X, u, G))
    return 0;
  return 0.5 *
         sqrt(pow(G[2][1] - G[1][2], 2) + pow(G[0][2] - G[2][0], 2) + pow(G[1][0] - G[0][1], 2));
}

/* Roots of the least and the largest eigenvalue of F^T F, by the trigonometric solution. */
void ig_nodes_stretch(int nodes, const double *X, const double *u, double *least, double *most) {
  double G[3][3], C[3][3], trace = 0, square = 0;
  *least = *most = 1;
  if (!nodes_gradient(nodes, X, u, G))
    return;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      C[i][j] = (i == j ? 1 : 0) + G[i][j] + G[j][i];
      for (int k = 0; k < 3; k++)
        C[i][j] += G[k][i] * G[k][j];
    }
  for (int i = 0; i < 3; i++)
    trace += C[i][i] / 3;
  for (int i = 0; i < 9; i++) {
    const double d = C[i / 3][i % 3] - (i % 4 == 0 ? trace : 0);
    square += d * d / 6;
  }
  const double p = sqrt(square), a = C[0][0] - trace, b = C[1][1] - trace, c = C[2][2] - trace;
  const double det = a * (b * c - C[1][2] * C[1][2]) - C[0][1] * (C[0][1] * c - C[1][2] * C[0][2]) +
                     C[0][2] * (C[0][1] * C[1][2] - b * C[0][2]);
  const double angle = acos(fmin(1, fmax(-1, p > 0 ? det / (2 * p * p * p) : 1))) / 3;
  *most = sqrt(fmax(0, trace + 2 * p * cos(angle)));
  *least = sqrt(fmax(0, trace + 2 * p * cos(angle + 2.0943951023931954923)));
}
