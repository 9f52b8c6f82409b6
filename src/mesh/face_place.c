/* Places of faces of 3, 4, 6 or 8 nodes: shape functions, the nearest place to a point, points of
   integration. */
#include "mesh/face_place.h"
#include "kern/prec_f64.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* N: nodes; d: derivatives by the two natural coordinates. at: -1 to 1, triangles 0 to 1. */
void ig_face_values(int nodes, const double at[2], double *N, double d[8][2]) {
  if (nodes == 3) {
    tri3_values_f64(at, N);
    tri3_slopes_f64(at, (double(*)[2])d);
  } else if (nodes == 6) {
    tri6_values_f64(at, N);
    tri6_slopes_f64(at, (double(*)[2])d);
  } else if (nodes == 4) {
    quad4_values_f64(at, N);
    quad4_slopes_f64(at, (double(*)[2])d);
  } else {
    quad8_values_f64(at, N);
    quad8_slopes_f64(at, (double(*)[2])d);
  }
}

/* Unit normal n of a face from the derivatives of its shape functions; returns the area per unit
   of natural coordinates. */
double ig_face_normal(int nodes, const double (*x)[3], const double slope[8][2], double n[3]) {
  double t[2][3] = {{0}};
  for (int a = 0; a < nodes; a++)
    for (int m = 0; m < 2; m++)
      for (int d = 0; d < 3; d++)
        t[m][d] += slope[a][m] * x[a][d];
  n[0] = t[0][1] * t[1][2] - t[0][2] * t[1][1];
  n[1] = t[0][2] * t[1][0] - t[0][0] * t[1][2];
  n[2] = t[0][0] * t[1][1] - t[0][1] * t[1][0];
  const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int d = 0; d < 3; d++)
    n[d] /= size;
  return size;
}

/* The nearest point of a face: the square of its distance, and the shares of its nodes.
   Gauss-Newton on |x(at) - p|^2 from the middle of the face, clamped to the face after each
   step; 30 passes are a guard. Curvature of the face is left out of the matrix, which only costs
   passes. */
double ig_face_nearest(int nodes, const double (*x)[3], const double p[3], double at[2],
                       double *N) {
  const bool triangle = nodes == 3 || nodes == 6;
  double d[8][2];
  at[0] = at[1] = triangle ? 1. / 3 : 0;
  for (int i = 0; i < 30; i++) {
    double off[3] = {-p[0], -p[1], -p[2]}, t[2][3] = {{0}};
    ig_face_values(nodes, at, N, d);
    for (int a = 0; a < nodes; a++)
      for (int k = 0; k < 3; k++) {
        off[k] += N[a] * x[a][k];
        t[0][k] += d[a][0] * x[a][k];
        t[1][k] += d[a][1] * x[a][k];
      }
    double g[2], A[3] = {0, 0, 0};
    for (int m = 0; m < 2; m++)
      g[m] = t[m][0] * off[0] + t[m][1] * off[1] + t[m][2] * off[2];
    for (int k = 0; k < 3; k++) {
      A[0] += t[0][k] * t[0][k];
      A[1] += t[0][k] * t[1][k];
      A[2] += t[1][k] * t[1][k];
    }
    const double det = A[0] * A[2] - A[1] * A[1];
    double step[2] = {-(A[2] * g[0] - A[1] * g[1]) / det, -(A[0] * g[1] - A[1] * g[0]) / det};
    double to[2] = {at[0] + step[0], at[1] + step[1]};
    /* Clamping: to the square 0 to 1, then onto the hypotenuse. */
    if (triangle) {
      to[0] = fmax(0, fmin(1, to[0]));
      to[1] = fmax(0, fmin(1, to[1]));
      const double over = to[0] + to[1] - 1;
      if (over > 0) {
        to[0] = fmax(0, to[0] - over / 2);
        to[1] = 1 - to[0] < to[1] ? 1 - to[0] : to[1];
      }
    } else {
      to[0] = fmax(-1, fmin(1, to[0]));
      to[1] = fmax(-1, fmin(1, to[1]));
    }
    const double moved = fabs(to[0] - at[0]) + fabs(to[1] - at[1]);
    at[0] = to[0];
    at[1] = to[1];
    if (moved < 1e-12)
      break;
  }
  ig_face_values(nodes, at, N, d);
  double square = 0;
  for (int k = 0; k < 3; k++) {
    double off = -p[k];
    for (int a = 0; a < nodes; a++)
      off += N[a] * x[a][k];
    square += off * off;
  }
  return square;
}

/* The place of the face x, continued beyond its edges by half of it, where the normal goes through
   the point p. Gauss and Newton's method from the place `at` of the pair. */
void ig_face_project(int nodes, const double (*x)[3], const double p[3], const double at[2],
                     ig_face_place *to) {
  const bool triangle = nodes == 3 || nodes == 6;
  const double low = triangle ? -0.5 : -2, high = triangle ? 1.5 : 2;
  double place[2] = {at[0], at[1]};
  for (int pass = 0;; pass++) {
    double off[3] = {p[0], p[1], p[2]}, t[2][3] = {{0}}, g[2] = {0, 0}, A[3] = {0, 0, 0};
    ig_face_values(nodes, place, to->N, to->d);
    for (int a = 0; a < nodes; a++)
      for (int k = 0; k < 3; k++) {
        off[k] -= to->N[a] * x[a][k];
        t[0][k] += to->d[a][0] * x[a][k];
        t[1][k] += to->d[a][1] * x[a][k];
      }
    for (int k = 0; k < 3; k++) {
      g[0] += t[0][k] * off[k];
      g[1] += t[1][k] * off[k];
      A[0] += t[0][k] * t[0][k];
      A[1] += t[0][k] * t[1][k];
      A[2] += t[1][k] * t[1][k];
    }
    const double det = A[0] * A[2] - A[1] * A[1];
    const double by[2] = {(A[2] * g[0] - A[1] * g[1]) / det, (A[0] * g[1] - A[1] * g[0]) / det};
    if (pass == 30 || !(det > 0) || fmax(fabs(by[0]), fabs(by[1])) < 1e-13)
      break;
    for (int m = 0; m < 2; m++)
      place[m] = fmin(high, fmax(low, place[m] + by[m]));
  }
  ig_face_normal(nodes, x, (const double(*)[2])to->d, to->normal);
}

/* 2 x 2 or 3 x 3 of quadrilaterals, 3 of triangles. */
int ig_face_rule(int nodes, double at[9][2], double weight[9]) {
  static const double two[2] = {-0.57735026918962576, 0.57735026918962576};
  static const double three[3] = {-0.77459666924148338, 0, 0.77459666924148338};
  static const double share[3] = {5. / 9, 8. / 9, 5. / 9};
  static const double triangle[3][2] = {{1. / 6, 1. / 6}, {2. / 3, 1. / 6}, {1. / 6, 2. / 3}};
  const int n = nodes == 4 ? 2 : 3;
  if (nodes == 3 || nodes == 6) {
    for (int q = 0; q < 3; q++) {
      memcpy(at[q], triangle[q], sizeof at[q]);
      weight[q] = 1. / 6;
    }
    return 3;
  }
  for (int q = 0; q < n * n; q++) {
    at[q][0] = n == 2 ? two[q % 2] : three[q % 3];
    at[q][1] = n == 2 ? two[q / 2] : three[q / 3];
    weight[q] = n == 2 ? 1 : share[q % 3] * share[q / 3];
  }
  return n * n;
}
