/* Shapes of elements: volumes and face areas as nodes share them, conduction matrices, the largest
   rate; and classes of congruent elements, which share one shape. Computed on the host, in double
   precision, by the same functions that kernels use (hex.inc, heat.inc). */
#include "thermal/engine/heat_make.h"
#include "thermal/engine/heat_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "thermal/kernels/hex.inc"
#include "thermal/engine/heat.inc"

/* VTK counts corners around each face; binary order is i + 2 j + 4 k. The table is its own inverse.
 */
const int ig_heat_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

static void corners_of(const double *point, const ig_lid *conn, double *x) {
  for (int a = 0; a < 8; a++)
    for (int d = 0; d < 3; d++)
      x[8 * d + a] = point[3 * (int64_t)conn[a] + d] - point[3 * (int64_t)conn[0] + d];
}

bool ig_heat_is_anisotropic(const double r[3]) {
  return r && r[0] > 0 && (r[0] != 1 || r[1] != 1 || r[2] != 1);
}

/* Unit conductivity matrix K_ab = sum over d of the integral of r_d dN_a/dx_d dN_b/dx_d, m, and
   volumes along the way. With x_d = sqrt(r_d) x'_d it is sqrt(r_0 r_1 r_2) times the matrix of the
   isotropic element at x'. */
void ig_heat_shape_matrix(const double *point, const ig_lid *conn, const double anisotropy[3],
                          ig_heat_shape *shape) {
  double x[24], det[8], r[8], k[8];
  const bool stretched = ig_heat_is_anisotropic(anisotropy);
  corners_of(point, conn, x);
  for (int a = 0; a < 8; a++)
    k[a] = stretched ? sqrt(anisotropy[0] * anisotropy[1] * anisotropy[2]) : 1;
  for (int i = 0; i < 24 && stretched; i++)
    x[i] /= sqrt(anisotropy[i / 8]);
  for (int b = 0; b < 8; b++) {
    double T[8] = {0};
    T[b] = 1;
    hex_conduct_f64(x, T, k, r, det);
    for (int a = b; a < 8; a++)
      shape->K[a * (a + 1) / 2 + b] = -r[a];
  }
  hex_points_f64(det);
  memcpy(shape->volume, det, sizeof det);
}

/* The share of a node in the volume is the integral of its shape function (row sum of the mass
   matrix); its share in a face's area likewise, computed as a unit flux. */
static void shape_sizes(const double *point, const ig_lid *conn, ig_heat_shape *shape) {
  double x[24], det[8], r[8];
  static const double one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  static const heat_film_f64 unit = {.flux = 1};
  corners_of(point, conn, x);
  hex_conduct_f64(x, x, one, r, det);
  hex_points_f64(det);
  memcpy(shape->volume, det, sizeof det);
  for (int f = 0; f < 6; f++) {
    const int *corner = ig_elem_face(IG_HEX8, f);
    double y[12], zero[4] = {0}, out[3] = {0};
    for (int a = 0; a < 4; a++)
      for (int d = 0; d < 3; d++)
        y[3 * a + d] = x[8 * d + ig_heat_corner[corner[a]]];
    memset(shape->area[f], 0, sizeof shape->area[f]);
    heat_face_f64(&unit, y, zero, shape->area[f], out);
  }
}

const ig_heat_shape *ig_heat_shape_of(const ig_heat *h, ig_lid e, ig_heat_shape *own) {
  if (h->shape.classes.count)
    return &h->shape.of_class[h->shape.classes.of[e]];
  shape_sizes(h->node.point, ig_heat_conn(h, e), own);
  return own;
}

/* Largest eigenvalue of C^-1 K of one element at unit diffusivity: bounded row by row; exact, by
   power iteration from above, only where the bound exceeds `best`. 1/m^2 */
double ig_heat_shape_rate(const ig_heat_shape *s, const ig_lid *conn, double best) {
  double K[8][8] = {{0}}, volume[8] = {0}, A[8][8], bound = 0;
  int own[8]; /* the first corner with the same node: corners that coincide are one */
  for (int a = 0; a < 8; a++) {
    own[a] = 0;
    while (conn[own[a]] != conn[a])
      own[a]++;
    volume[own[a]] += s->volume[a];
  }
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++)
      K[own[a]][own[b]] += s->K[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a];
  for (int a = 0; a < 8; a++) {
    double row = 0;
    for (int b = 0; b < 8; b++) {
      A[a][b] = own[a] == a && own[b] == b ? K[a][b] / sqrt(volume[a] * volume[b]) : 0;
      row += fabs(A[a][b]);
    }
    bound = fmax(bound, row);
  }
  if (bound <= best)
    return bound;
  /* squaring eight times: the 256th power's norm, from above and within 8^(1/256) */
  double scale = 0;
  for (int i = 0; i < 8; i++) {
    double B[8][8], norm = 0;
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++)
        norm += A[a][b] * A[a][b];
    norm = sqrt(norm);
    scale += log(norm) / (double)(1 << i);
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++) {
        B[a][b] = 0;
        for (int c = 0; c < 8; c++)
          B[a][b] += A[a][c] / norm * (A[c][b] / norm);
      }
    memcpy(A, B, sizeof A);
  }
  double norm = 0;
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++)
      norm += A[a][b] * A[a][b];
  return fmin(bound, exp(scale + log(sqrt(norm)) / 256));
}

static ig_status classes_take(ig_ctx *cx, const ig_heat *whole, ig_heat *h) {
  const ig_lid count = whole->shape.classes.count;
  ig_classes *c = &h->shape.classes;
  IG_TRY(IG_NEW(cx, &c->of, h->elements, "element classes"));
  IG_TRY(IG_NEW(cx, &c->representative, count, "element classes"));
  IG_TRY(IG_NEW(cx, &h->shape.of_class, count, "element classes"));
  c->count = count;
  for (ig_lid e = 0; e < h->elements; e++)
    c->of[e] = whole->shape.classes.of[h->cell_of[e]];
  memcpy(h->shape.of_class, whole->shape.of_class, (size_t)count * sizeof *h->shape.of_class);
  return IG_OK;
}

/* Congruent elements share a matrix and sizes; numbers of classes are those of the mesh
   (ig_mesh_classes). */
static ig_status classes_make(ig_ctx *cx, ig_heat *h, const double anisotropy[3]) {
  IG_TRY(ig_mesh_classes(cx, h->node.point, h->elements, 8, h->elems.conn.host, &h->shape.classes));
  /* classes pay where at least about eight elements share one */
  if (h->shape.classes.count > 65536 || h->shape.classes.count > h->elements / 8 + 8) {
    ig_classes_free(&h->shape.classes); /* hardly any two alike */
    return IG_FAIL(cx, IG_INPUT,
                   "the elements of this mesh are not alike: conduction must be 'recompute'");
  }
  IG_TRY(IG_NEW(cx, &h->shape.of_class, h->shape.classes.count, "element classes"));
  for (ig_lid c = 0; c < h->shape.classes.count; c++) {
    ig_heat_shape_matrix(h->node.point, ig_heat_conn(h, h->shape.classes.representative[c]),
                         anisotropy, &h->shape.of_class[c]);
    shape_sizes(h->node.point, ig_heat_conn(h, h->shape.classes.representative[c]),
                &h->shape.of_class[c]);
  }
  return IG_OK;
}

/* Matrices for unit conductivity, in the precision of element work; a part takes the whole's
   classes. */
ig_status ig_heat_shapes_make(ig_ctx *cx, ig_heat *h, const ig_heat *whole,
                              const double anisotropy[3]) {
  if (h->conduction == IG_HEAT_RECOMPUTE)
    return IG_OK;
  IG_TRY(whole ? classes_take(cx, whole, h) : classes_make(cx, h, anisotropy));
  if (h->conduction != IG_HEAT_CLASSES || h->outline)
    return IG_OK;
  const size_t size = ig_heat_work_size(h);
  IG_TRY(ig_array_from(cx, &h->shape.class_of, h->shape.classes.of, (size_t)h->elements, 4,
                       "element classes"));
  IG_TRY(
      ig_array_new(cx, &h->shape.K, 36 * (size_t)h->shape.classes.count, size, "class matrices"));
  for (ig_lid c = 0; c < h->shape.classes.count; c++)
    for (int i = 0; i < 36; i++)
      ig_heat_put(h->shape.K.host, size, 36 * (int64_t)c + i, h->shape.of_class[c].K[i]);
  return ig_array_push(cx, &h->shape.K);
}
