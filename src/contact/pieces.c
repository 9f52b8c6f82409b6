/* Points of integration of a face of contact: those of the pieces that it shares with the faces of
   the other side. Over a piece the shape functions of both faces are smooth, so that forces of a
   uniform pressure are exact on both sides, whatever the meshes: the patch test of contact.

   Places are natural coordinates of the own face. Faces of the other side are projected along its
   normal, which is exact where it is a flat parallelogram or triangle with straight sides, and cut
   to it (Sutherland and Hodgman 1974); a piece is divided into triangles of 6 points. Other faces,
   and those that the other side does not cover once and completely, have points of their own
   alone: 4 x 4 of a quadrilateral, where contact that ends within a face or at an edge of the other
   side shows. Positions are the drawn ones, so that the points of all analyses are the same. */
#include "contact/points.h"
#include "mesh/face_place.h"
#include "kern/prec_f64.h"
#include "mesh/face_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 16 }; /* of a piece, at most: 8 of the other face and one more per cut */

typedef struct {
  int count;
  double at[CORNERS][2];
} polygon;

/* Axes of the own face: a place is centre + a axis[0] + b axis[1], a and b natural coordinates. */
typedef struct {
  bool triangle;
  double origin[3], axis[2][3], dual[2][3], normal[3], size;
} frame;

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double c[3]) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* False: the face is no parallelogram or triangle with straight sides. */
static bool frame_make(int nodes, const double (*x)[3], frame *f) {
  const int corners = nodes == 3 || nodes == 6 ? 3 : 4;
  double square = 0, area;
  f->triangle = corners == 3;
  for (int d = 0; d < 3; d++) {
    f->origin[d] = f->triangle ? x[0][d] : (x[0][d] + x[1][d] + x[2][d] + x[3][d]) / 4;
    f->axis[0][d] = f->triangle ? x[1][d] - x[0][d] : (x[1][d] - x[0][d]) / 2;
    f->axis[1][d] = f->triangle ? x[2][d] - x[0][d] : (x[3][d] - x[0][d]) / 2;
    square += f->axis[0][d] * f->axis[0][d] + f->axis[1][d] * f->axis[1][d];
  }
  f->size = sqrt(square);
  cross3(f->axis[0], f->axis[1], f->normal);
  area = sqrt(dot3(f->normal, f->normal));
  if (!(area > 0))
    return false;
  for (int d = 0; d < 3; d++)
    f->normal[d] /= area;
  cross3(f->axis[1], f->normal, f->dual[0]);
  cross3(f->normal, f->axis[0], f->dual[1]);
  for (int d = 0; d < 6; d++)
    f->dual[d / 3][d % 3] /= area;
  for (int a = 0; a < nodes; a++) {
    static const double quad[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                      {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
    static const double tri[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
    const double *at = f->triangle ? tri[a] : quad[a];
    for (int d = 0; d < 3; d++)
      if (fabs(f->origin[d] + at[0] * f->axis[0][d] + at[1] * f->axis[1][d] - x[a][d]) >
          1e-6 * f->size)
        return false;
  }
  return true;
}

/* Twice the area, positive where corners go counter-clockwise. */
static double twice_area(const polygon *p) {
  double sum = 0;
  for (int i = 0; i < p->count; i++) {
    const double *a = p->at[i], *b = p->at[(i + 1) % p->count];
    sum += a[0] * b[1] - a[1] * b[0];
  }
  return sum;
}

/* Keeps what is on the side where n . at <= limit. */
static void cut(polygon *p, double nx, double ny, double limit) {
  polygon out = {0};
  for (int i = 0; i < p->count; i++) {
    const double *a = p->at[i], *b = p->at[(i + 1) % p->count];
    const double da = nx * a[0] + ny * a[1] - limit, db = nx * b[0] + ny * b[1] - limit;
    if (da <= 0 && out.count < CORNERS)
      memcpy(out.at[out.count++], a, 2 * sizeof *a);
    if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
      const double w = da / (da - db);
      if (out.count < CORNERS) {
        out.at[out.count][0] = a[0] + w * (b[0] - a[0]);
        out.at[out.count++][1] = a[1] + w * (b[1] - a[1]);
      }
    }
  }
  *p = out;
}

/* What a face of the other side covers of the own one, in its natural coordinates. Faces that look
   the same way, or are further away than `reach`, cover nothing. */
static void piece_make(const frame *f, int nodes, const double (*y)[3], double reach, polygon *p) {
  static const int around[8] = {0, 4, 1, 5, 2, 6, 3, 7}, around3[6] = {0, 3, 1, 4, 2, 5};
  double near = INFINITY;
  p->count = nodes;
  for (int i = 0; i < nodes; i++) {
    const int a = nodes == 8 ? around[i] : nodes == 6 ? around3[i] : i;
    double v[3];
    for (int d = 0; d < 3; d++)
      v[d] = y[a][d] - f->origin[d];
    p->at[i][0] = dot3(v, f->dual[0]);
    p->at[i][1] = dot3(v, f->dual[1]);
    near = fmin(near, fabs(dot3(v, f->normal)));
  }
  const double area = twice_area(p);
  if (!(area < -1e-9) || near > reach) { /* seen from the own side it goes clockwise */
    p->count = 0;
    return;
  }
  for (int i = 0; i < nodes / 2; i++) {
    double kept[2];
    memcpy(kept, p->at[i], sizeof kept);
    memcpy(p->at[i], p->at[nodes - 1 - i], sizeof kept);
    memcpy(p->at[nodes - 1 - i], kept, sizeof kept);
  }
  cut(p, f->triangle ? -1 : 1, 0, f->triangle ? 0 : 1);
  cut(p, 0, f->triangle ? -1 : 1, f->triangle ? 0 : 1);
  if (f->triangle) {
    cut(p, 1, 1, 1);
  } else {
    cut(p, -1, 0, 1);
    cut(p, 0, -1, 1);
  }
}

/* Six points of each triangle of a fan. */
static ig_status piece_add(ig_ctx *cx, const polygon *p, double (**point)[3], int *points) {
  for (int i = 1; i + 1 < p->count; i++) {
    const double *a = p->at[0], *b = p->at[i], *c = p->at[i + 1];
    const double twice =
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]); /* area of the map */
    for (int q = 0; q < 6 && twice > 1e-12; q++) {
      double at[2];
      const double w = triangle6_f64(q, at);
      IG_TRY(IG_MORE(cx, point, *points, "contact"));
      for (int d = 0; d < 2; d++)
        (*point)[*points][d] = a[d] + at[0] * (b[d] - a[d]) + at[1] * (c[d] - a[d]);
      (*point)[(*points)++][2] = w * twice;
    }
  }
  return IG_OK;
}

/* 4 x 4 points of a quadrilateral, else those of ig_face_rule. */
static ig_status plain_add(ig_ctx *cx, int nodes, double (**point)[3], int *points) {
  double at[9][2], weight[9];
  const bool quad = nodes == 4 || nodes == 8;
  const int count = quad ? IG_CONTACT_POINTS : ig_face_rule(nodes, at, weight);
  for (int q = 0; q < count; q++) {
    const int place[2] = {q % 4, q / 4};
    IG_TRY(IG_MORE(cx, point, *points, "contact"));
    double *to = (*point)[(*points)++];
    for (int d = 0; d < 2; d++)
      to[d] = quad ? (place[d] / 2 ? 0.5 : -0.5) + (place[d] % 2 ? 0.5 : -0.5) * 0.57735026918962576
                   : at[q][d];
    to[2] = quad ? 0.25 : weight[q];
  }
  return IG_OK;
}

ig_status ig_contact_rule(const ig_contact *s, int nodes, const ig_lid *node, const ig_set *other,
                          double reach, double (**point)[3], int *points) {
  double x[8][3], covered = 0;
  frame f;
  *points = 0;
  for (int a = 0; a < nodes; a++)
    memcpy(x[a], s->bodies.mesh->x + 3 * (size_t)node[a], sizeof x[a]);
  const bool flat = frame_make(nodes, (const double(*)[3])x, &f);
  for (ig_lid k = 0; k < other->count && flat; k++) {
    ig_lid theirs[8];
    double y[8][3], low[3], high[3], apart = 0;
    polygon p;
    const int n = ig_mesh_face_nodes(s->bodies.mesh, other->item[k], other->face[k], theirs);
    for (int a = 0; a < n; a++)
      memcpy(y[a], s->bodies.mesh->x + 3 * (size_t)theirs[a], sizeof y[a]);
    for (int d = 0; d < 3; d++) {
      low[d] = high[d] = y[0][d];
      for (int a = 1; a < n; a++) {
        low[d] = fmin(low[d], y[a][d]);
        high[d] = fmax(high[d], y[a][d]);
      }
      apart = fmax(apart, fmax(low[d] - f.origin[d], f.origin[d] - high[d]));
    }
    if (apart > reach + 2 * f.size)
      continue;
    piece_make(&f, n, (const double(*)[3])y, reach, &p);
    if (p.count < 3 || !(twice_area(&p) > 1e-9))
      continue;
    covered += twice_area(&p);
    IG_TRY(piece_add(s->bodies.cx, &p, point, points));
  }
  if (flat && fabs(covered / (f.triangle ? 1 : 8) - 1) < 1e-6)
    return IG_OK;
  *points = 0;
  return plain_add(s->bodies.cx, nodes, point, points);
}
