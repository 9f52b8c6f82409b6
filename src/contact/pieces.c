/* Points of integration of a face of contact: those of the pieces that it shares with the faces of
   the other side. Over a piece the shape functions of both faces are smooth, so that forces of a
   uniform pressure are exact on both sides, whatever the meshes: the patch test of contact.

   Faces of both sides are projected along the mean normal of the own one, those of the other side
   are cut to it (Sutherland and Hodgman 1974), and a piece is divided into triangles around its
   centre, whose points have the natural coordinates of the place above them. This is exact where
   faces are flat parallelograms or triangles with straight sides. Of others shape functions are no
   polynomials of the place: over flat ones the weights of a piece are corrected so that the shape
   functions of both faces have their exact integrals (weights_correct). Faces that the
   other side does not cover once and completely, and those that are bent too far, have points of
   their own alone: 4 x 4 of a quadrilateral, where contact that ends within a face or at an edge of
   the other side shows. Positions are the drawn ones, so that the points of all analyses are the
   same. */
#include "contact/points.h"
#include "kern/prec_f64.h"
#include "mesh/face_place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 16 }; /* of a piece, at most: 8 of the other face and one more per cut */

typedef struct {
  int count;
  double at[CORNERS][2];
} polygon;

/* Axes of the own face: a place is origin + a axis[0] + b axis[1]. Where it is a flat parallelogram
   or triangle with straight sides (`plain`) a and b are its natural coordinates. */
typedef struct {
  bool triangle, plain, flat;
  int nodes;
  double origin[3], axis[2][3], dual[2][3], normal[3], size;
  double at[8][2]; /* a and b of the nodes */
  polygon own;
} frame;

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double c[3]) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
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

/* Whether no corner goes inwards. */
static bool convex(const polygon *p) {
  for (int i = 0; i < p->count; i++) {
    const double *a = p->at[i], *b = p->at[(i + 1) % p->count], *c = p->at[(i + 2) % p->count];
    if ((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < -1e-9)
      return false;
  }
  return true;
}

/* Number of the i-th node around a face. */
static int around(int nodes, int i) {
  static const int eight[8] = {0, 4, 1, 5, 2, 6, 3, 7}, six[6] = {0, 3, 1, 4, 2, 5};
  return nodes == 8 ? eight[i] : nodes == 6 ? six[i] : i;
}

/* False: the face has no area, or is bent so far that points of it are not above each other. */
static bool frame_make(int nodes, const double (*x)[3], frame *f) {
  static const double quad[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                    {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
  static const double tri[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
  double square = 0, area;
  f->nodes = nodes;
  f->triangle = nodes == 3 || nodes == 6;
  for (int d = 0; d < 3; d++) {
    f->origin[d] = f->triangle ? x[0][d] : (x[0][d] + x[1][d] + x[2][d] + x[3][d]) / 4;
    f->axis[0][d] = f->triangle ? x[1][d] - x[0][d] : (x[1][d] - x[0][d] + x[2][d] - x[3][d]) / 4;
    f->axis[1][d] = f->triangle ? x[2][d] - x[0][d] : (x[3][d] - x[0][d] + x[2][d] - x[1][d]) / 4;
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
  f->plain = f->flat = true;
  f->own.count = nodes;
  for (int i = 0; i < nodes; i++) {
    const int a = around(nodes, i);
    const double v[3] = {x[a][0] - f->origin[0], x[a][1] - f->origin[1], x[a][2] - f->origin[2]};
    const double off = dot3(v, f->normal), *natural = f->triangle ? tri[a] : quad[a];
    for (int d = 0; d < 2; d++)
      f->own.at[i][d] = f->at[a][d] = dot3(v, f->dual[d]);
    f->flat &= fabs(off) < 1e-9 * f->size;
    f->plain &= fmax(fabs(off) / f->size,
                     fmax(fabs(f->at[a][0] - natural[0]), fabs(f->at[a][1] - natural[1]))) < 1e-6;
    if (fabs(off) > 0.2 * f->size)
      return false;
  }
  return convex(&f->own);
}

/* Natural coordinates of the place a, b, and how much larger a piece is there than in them:
   Newton's method. False: it finds none near the face. */
static bool place_find(const frame *f, const double ab[2], double at[2], double *larger) {
  at[0] = ab[0], at[1] = ab[1];
  *larger = 1;
  for (int pass = 0; !f->plain; pass++) {
    double N[8], d[8][2], off[2] = {-ab[0], -ab[1]}, J[2][2] = {{0}};
    ig_face_values(f->nodes, at, N, d);
    for (int a = 0; a < f->nodes; a++)
      for (int k = 0; k < 2; k++) {
        off[k] += N[a] * f->at[a][k];
        J[k][0] += d[a][0] * f->at[a][k];
        J[k][1] += d[a][1] * f->at[a][k];
      }
    *larger = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    if (!(*larger > 0) || pass == 30 || fabs(at[0]) > 1.5 || fabs(at[1]) > 1.5)
      return false;
    if (fmax(fabs(off[0]), fabs(off[1])) < 1e-14)
      break;
    const double by[2] = {(J[1][1] * off[0] - J[0][1] * off[1]) / *larger,
                          (J[0][0] * off[1] - J[1][0] * off[0]) / *larger};
    at[0] -= by[0];
    at[1] -= by[1];
    if (fmax(fabs(by[0]), fabs(by[1])) < 1e-13)
      break;
  }
  return true;
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
  double near = INFINITY;
  p->count = nodes;
  for (int i = 0; i < nodes; i++) { /* seen from the own side it goes clockwise */
    const int a = around(nodes, nodes - 1 - i);
    double v[3];
    for (int d = 0; d < 3; d++)
      v[d] = y[a][d] - f->origin[d];
    p->at[i][0] = dot3(v, f->dual[0]);
    p->at[i][1] = dot3(v, f->dual[1]);
    near = fmin(near, fabs(dot3(v, f->normal)));
  }
  if (!(twice_area(p) > 1e-9) || near > reach) {
    p->count = 0;
    return;
  }
  for (int i = 0; i < f->own.count && p->count; i++) {
    const double *a = f->own.at[i], *b = f->own.at[(i + 1) % f->own.count];
    const double nx = b[1] - a[1], ny = a[0] - b[0];
    cut(p, nx, ny, nx * a[0] + ny * a[1]);
  }
}

/* Points of a triangle of a piece: 3, of quadratic faces 6. *placed: whether all have a place on
   the face. */
static ig_status triangle_add(ig_ctx *cx, const frame *f, int count, const double *a,
                              const double *b, const double *c, double (**point)[3], int *points,
                              bool *placed) {
  const double twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  for (int q = 0; q < count && twice > 1e-12; q++) {
    double at[2], ab[2], larger;
    const double w = count == 3 ? triangle3_f64(q, at) : triangle6_f64(q, at);
    IG_TRY(IG_MORE(cx, point, *points, "contact"));
    for (int d = 0; d < 2; d++)
      ab[d] = a[d] + at[0] * (b[d] - a[d]) + at[1] * (c[d] - a[d]);
    double *to = (*point)[(*points)++];
    *placed &= place_find(f, ab, to, &larger);
    to[2] = w * twice / larger;
  }
  return IG_OK;
}

/* Coordinates on the other face `g`, in its axes, of a place a, b of the face f. */
static void carry(const frame *f, const double ab[2], const frame *g, double to[2]) {
  double v[3];
  for (int d = 0; d < 3; d++)
    v[d] = f->origin[d] + ab[0] * f->axis[0][d] + ab[1] * f->axis[1][d] - g->origin[d];
  to[0] = dot3(v, g->dual[0]);
  to[1] = dot3(v, g->dual[1]);
}

/* Shape functions of both faces, those of f first, at a place of f. */
static bool values_at(const frame *f, const frame *g, const double ab[2], double N[16]) {
  double at[2], on[2], d[8][2], larger;
  carry(f, ab, g, on);
  if (!place_find(f, ab, at, &larger))
    return false;
  ig_face_values(f->nodes, at, N, d);
  if (!place_find(g, on, at, &larger))
    return false;
  ig_face_values(g->nodes, at, N + f->nodes, d);
  return true;
}

/* Integrals of these functions over a piece: triangles around its centre, each by 6 x 6 points of a
   square that is drawn to one corner (Duffy 1982). */
static bool piece_integrals(const frame *f, const frame *g, const polygon *p,
                            const double centre[2], double sum[16]) {
  static const double at[3] = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521},
                      weight[3] = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
  memset(sum, 0, 16 * sizeof *sum);
  for (int i = 0; i < p->count; i++) {
    const double *b = p->at[i], *c = p->at[(i + 1) % p->count];
    const double twice =
        (b[0] - centre[0]) * (c[1] - centre[1]) - (b[1] - centre[1]) * (c[0] - centre[0]);
    for (int q = 0; q < 36 && twice > 1e-12; q++) {
      const int m = q % 6, n = q / 6;
      const double s = 0.5 + (m < 3 ? -0.5 : 0.5) * at[m % 3];
      const double t = 0.5 + (n < 3 ? -0.5 : 0.5) * at[n % 3];
      double ab[2], N[16];
      for (int d = 0; d < 2; d++)
        ab[d] = centre[d] + s * (b[d] - centre[d] + t * (c[d] - b[d]));
      if (!values_at(f, g, ab, N))
        return false;
      for (int k = 0; k < f->nodes + g->nodes; k++)
        sum[k] += weight[m % 3] * weight[n % 3] / 4 * s * twice * N[k];
    }
  }
  return true;
}

/* Changes the weights w of `count` points with values N (count x 16) so that sums of the first
   `rows` values become `want`, by as little as possible: conjugate gradients on the normal
   equations. w has room for two more rows. */
static void weights_fit(int count, const double (*N)[16], int rows, const double *want, double *w) {
  double r[16], z[16], *s = w + count, before = 0;
  for (int pass = 0; pass < 2 * rows; pass++) {
    double now = 0, length = 0;
    for (int k = 0; k < rows; k++) {
      r[k] = want[k];
      for (int q = 0; q < count; q++)
        r[k] -= w[q] * N[q][k];
    }
    for (int q = 0; q < count; q++) {
      double g = 0;
      for (int k = 0; k < rows; k++)
        g += N[q][k] * r[k];
      s[count + q] = g;
      now += g * g;
    }
    if (pass == 0)
      memset(s, 0, (size_t)count * sizeof *s);
    for (int q = 0; q < count; q++)
      s[q] = s[count + q] + (before > 0 ? now / before * s[q] : 0);
    for (int k = 0; k < rows; k++) {
      z[k] = 0;
      for (int q = 0; q < count; q++)
        z[k] += s[q] * N[q][k];
      length += z[k] * z[k];
    }
    if (!(length > 0) || !(now > 1e-34))
      return;
    for (int q = 0; q < count; q++)
      w[q] += now / length * s[q];
    before = now;
  }
}

/* Weights of the points of a piece, from number `from` on, where a face has sides that are not
   parallel: sums of the shape functions of both faces become their integrals. Both must be flat. */
static ig_status weights_correct(ig_ctx *cx, const frame *f, int nodes, const double (*y)[3],
                                 const polygon *p, const double centre[2], int from, int to,
                                 double (*point)[3]) {
  frame g;
  const int count = to - from, rows = f->nodes + nodes;
  double want[16], d[8][2], (*N)[16] = NULL, *w = NULL;
  ig_status status;
  if (!frame_make(nodes, y, &g) || (f->plain && g.plain) || !f->flat || !g.flat ||
      fabs(dot3(f->normal, g.normal) + 1) > 1e-12 || !piece_integrals(f, &g, p, centre, want))
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &N, count, "contact"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &w, 4 * count, "contact"));
  for (int q = 0; q < count; q++) {
    const double *at = point[from + q];
    double own[8], ab[2] = {0, 0}, place[2], *larger = w + 3 * count + q;
    ig_face_values(f->nodes, at, own, d);
    for (int k = 0; k < 2 * f->nodes; k++)
      ab[k % 2] += own[k / 2] * f->at[k / 2][k % 2];
    if (!values_at(f, &g, ab, N[q]) || !place_find(f, ab, place, larger))
      goto done;
    w[q] = at[2] * *larger;
  }
  weights_fit(count, (const double(*)[16])N, rows, want, w);
  for (int q = 0; q < count; q++)
    if (w[q] > 0)
      point[from + q][2] = w[q] / w[3 * count + q];
done:
  free(N);
  free(w);
  return status;
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

ig_status ig_contact_rule(const ig_contact *s, int nodes, const ig_lid *node,
                          const ig_contact_search *other, double reach, int32_t *found,
                          double (**point)[3], int *points) {
  double x[8][3], covered = 0;
  frame f;
  bool placed = true;
  *points = 0;
  for (int a = 0; a < nodes; a++)
    memcpy(x[a], s->bodies.mesh->x + 3 * (size_t)node[a], sizeof x[a]);
  const bool whole = frame_make(nodes, (const double(*)[3])x, &f);
  const int32_t near =
      whole ? ig_contact_search_near(other, f.origin, f.origin, reach + 2 * f.size, found) : 0;
  for (int32_t k = 0; k < near; k++) {
    const ig_contact_face *y = &other->face[found[k]];
    polygon p;
    piece_make(&f, y->nodes, (const double(*)[3])y->x, reach, &p);
    if (p.count < 3 || !(twice_area(&p) > 1e-9))
      continue;
    covered += twice_area(&p);
    double centre[2] = {0, 0};
    for (int i = 0; i < 2 * p.count; i++)
      centre[i % 2] += p.at[i / 2][i % 2] / p.count;
    const int from = *points;
    for (int i = 0; i < p.count; i++)
      IG_TRY(triangle_add(s->bodies.cx, &f, nodes > 4 || y->nodes > 4 ? 6 : 3, centre, p.at[i],
                          p.at[(i + 1) % p.count], point, points, &placed));
    if (placed)
      IG_TRY(weights_correct(s->bodies.cx, &f, y->nodes, (const double(*)[3])y->x, &p, centre, from,
                             *points, *point));
  }
  if (whole && placed && fabs(covered / twice_area(&f.own) - 1) < 1e-6)
    return IG_OK;
  *points = 0;
  return plain_add(s->bodies.cx, nodes, point, points);
}
