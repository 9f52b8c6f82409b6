/* Marks over the picture of a part: arrows of a vector field, outline of the undeformed shape. */
#include "io/picture/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float INK[3] = {0.13F, 0.14F, 0.16F};
static const float GRAY[3] = {0.45F, 0.47F, 0.51F}; /* of the undeformed shape */

/* Depth test with a tolerance: the arrow's foot lies in the surface. */
static bool visible(const ig_canvas *canvas, const double p[3], double tolerance) {
  if (!(p[0] >= 0 && p[1] >= 0 && p[0] < canvas->width && p[1] < canvas->height))
    return false;
  const size_t at = (size_t)p[1] * (size_t)canvas->width + (size_t)p[0];
  return p[2] <= (double)canvas->depth[at] + tolerance || isinf(canvas->depth[at]);
}

/* --- outline: edges where the surface ends or turns by more than 30 degrees */

/* An edge of a triangle, nodes in rising order. */
typedef struct {
  int64_t a, b; /* a < b */
  int64_t triangle;
} side;

/* By the lower point, then by the higher: the same side of two triangles compares equal. */
static int side_order(const void *left, const void *right) {
  const side *p = left, *q = right;
  if (p->a != q->a)
    return p->a < q->a ? -1 : 1;
  return p->b < q->b ? -1 : p->b > q->b;
}

/* Twice the area in length; not normalised. */
static void normal_of(const double *point, const int64_t *corner, double n[3]) {
  const double *p = &point[3 * corner[0]], *q = &point[3 * corner[1]], *r = &point[3 * corner[2]];
  const double a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  const double b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
  n[0] = a[1] * b[2] - a[2] * b[1];
  n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
}

/* Whether two triangles at an edge form an angle; the sign of normals is ignored, because shells
   may be numbered either way. */
static bool turns(const double *point, const ig_surface *s, const side *p, const side *q) {
  double m[3], n[3], mm = 0, nn = 0, mn = 0;
  normal_of(point, &s->corner[3 * p->triangle], m);
  normal_of(point, &s->corner[3 * q->triangle], n);
  for (int c = 0; c < 3; c++)
    mm += m[c] * m[c], nn += n[c] * n[c], mn += m[c] * n[c];
  return fabs(mn) < cos(30 * 3.14159265358979323846 / 180) * sqrt(mm * nn);
}

/* --- points at one place */

typedef struct {
  double x[3];
  int64_t point;
} placed;

static int placed_order(const void *left, const void *right) {
  const placed *p = left, *q = right;
  for (int c = 0; c < 3; c++)
    if (p->x[c] != q->x[c])
      return p->x[c] < q->x[c] ? -1 : 1;
  return p->point < q->point ? -1 : p->point > q->point;
}

/* For each point the first of those at its place. */
static ig_status first_at_place(ig_ctx *cx, const double *point, int64_t points, int64_t **first) {
  placed *list = NULL;
  IG_TRY(IG_NEW(cx, first, points + 1, "the outline"));
  IG_TRY(IG_NEW(cx, &list, points + 1, "the outline"));
  for (int64_t i = 0; i < points; i++)
    list[i] = (placed){{point[3 * i], point[3 * i + 1], point[3 * i + 2]}, i};
  qsort(list, (size_t)points, sizeof *list, placed_order);
  for (int64_t i = 0, from = 0; i < points; i++) {
    const double *x = list[i].x, *y = list[from].x;
    from = x[0] == y[0] && x[1] == y[1] && x[2] == y[2] ? from : i;
    (*first)[list[i].point] = list[from].point;
  }
  free(list);
  return IG_OK;
}

/* An edge in short pieces, of which those behind the part are left out. */
static void edge_draw(ig_canvas *canvas, const ig_camera *camera, const double *from,
                      const double *to, double tolerance) {
  double p[3], q[3];
  ig_camera_project(camera, from, p);
  ig_camera_project(camera, to, q);
  const double length = hypot(q[0] - p[0], q[1] - p[1]);
  const int pieces = length < 4000 ? 1 + (int)(length / 6) : 600;
  for (int k = 0; k < pieces; k++) {
    double end[2][3], middle[3];
    for (int c = 0; c < 3; c++) {
      end[0][c] = from[c] + (to[c] - from[c]) * k / pieces;
      end[1][c] = from[c] + (to[c] - from[c]) * (k + 1) / pieces;
      middle[c] = (end[0][c] + end[1][c]) / 2;
    }
    ig_camera_project(camera, end[0], p);
    ig_camera_project(camera, end[1], q);
    double at[3];
    ig_camera_project(camera, middle, at);
    if (visible(canvas, at, tolerance))
      ig_canvas_line(canvas, (float)p[0], (float)p[1], (float)q[0], (float)q[1],
                     0.0015F * (float)canvas->height, GRAY);
  }
}

/* Edges are sorted, so that the two triangles of an edge are neighbours in the list. Sides of
   triangles that belong to one triangle alone, or between faces at an angle: found by sorting all
   sides. */
ig_status ig_outline_draw(ig_ctx *cx, const ig_surface *s, const double *point, int64_t points,
                          const ig_camera *camera, double size, ig_canvas *canvas) {
  side *list = NULL;
  int64_t *first = NULL;
  const int64_t count = 3 * s->triangles;
  ig_status status = first_at_place(cx, point, points, &first);
  if (status == IG_OK)
    status = IG_NEW(cx, &list, count + 1, "the outline");
  if (status != IG_OK) {
    free(first);
    return status;
  }
  for (int64_t i = 0; i < count; i++) {
    const int64_t t = i / 3, a = first[s->corner[i]], b = first[s->corner[3 * t + (i + 1) % 3]];
    list[i] = (side){a < b ? a : b, a < b ? b : a, t};
  }
  qsort(list, (size_t)count, sizeof *list, side_order);
  for (int64_t i = 0; i < count && !cx->interrupted;) {
    int64_t end = i + 1;
    while (end < count && side_order(&list[i], &list[end]) == 0)
      end++;
    if (end - i == 1 || (end - i == 2 && turns(point, s, &list[i], &list[i + 1]))) {
      edge_draw(canvas, camera, &point[3 * list[i].a], &point[3 * list[i].b], 0.004 * size);
    }
    i = end;
  }
  free(first);
  free(list);
  return ig_interrupt_take(cx, "drawing");
}

/* --- arrows */

/* Arrows per row of the picture, at most. */
enum { BINS = 34 }; /* arrows in a row, at most */

/* Shaft and head; a short arrow has no head. */
static void arrow(ig_canvas *canvas, const double p[3], const double q[3]) {
  const float width = 0.0016F * (float)canvas->height;
  const double dx = q[0] - p[0], dy = q[1] - p[1], length = hypot(dx, dy);
  ig_canvas_line(canvas, (float)p[0], (float)p[1], (float)q[0], (float)q[1], width, INK);
  if (length < 4 * (double)width)
    return;
  for (int s = -1; s <= 1; s += 2)
    ig_canvas_line(canvas, (float)q[0], (float)q[1], (float)(q[0] - 0.3 * dx - 0.16 * s * dy),
                   (float)(q[1] - 0.3 * dy + 0.16 * s * dx), width, INK);
}

/* The longest arrow is 7 % of the part. The first visible point in each bin of the screen gets an
   arrow. Not more than one arrow in a square of the picture, or they would cover each other; the
   longest has a fixed length. */
ig_status ig_arrows_draw(ig_ctx *cx, const ig_snapshot *snap, const char *path, const char *name,
                         const ig_surface *s, const ig_camera *camera, double size,
                         ig_canvas *canvas) {
  ig_scalar field;
  uint8_t *taken = NULL;
  double most = 0;
  IG_TRY(ig_scalar_find(snap, path, name, &field));
  const ig_field *f = field.field;
  if (f->components != 3 || field.component >= 0)
    return IG_FAIL(cx, IG_INPUT, "%s: no arrows of '%s': it is no vector", path, name);
  /* The longest arrow sets the scale. */
  for (int64_t i = 0; i < 3 * s->triangles; i++)
    if (s->corner[i] < snap->points)
      most = fmax(most,
                  ig_scalar_value(&field, f->where == IG_AT_CELLS ? s->cell[i / 3] : s->corner[i]));
  if (!(most > 0))
    return IG_OK; /* nothing points anywhere */
  /* One arrow at most in each square of the picture. */
  const int across = BINS, bin = canvas->width / across + 1, down = canvas->height / bin + 1;
  IG_TRY(IG_NEW(cx, &taken, (int64_t)(across + 1) * (down + 1), "arrows"));
  for (int64_t i = 0; i < 3 * s->triangles; i++) {
    const int64_t item = f->where == IG_AT_CELLS ? s->cell[i / 3] : s->corner[i];
    double at[3], tip[3], p[3], q[3];
    if (s->corner[i] >= snap->points && f->where != IG_AT_CELLS)
      continue;
    ig_surface_at(snap, s, s->corner[i], at);
    for (int c = 0; c < 3; c++)
      tip[c] = at[c] + 0.07 * size / most * ig_field_number(f, 3 * item + c);
    ig_camera_project(camera, at, p);
    ig_camera_project(camera, tip, q);
    if (!visible(canvas, p, 0.01 * size))
      continue;
    uint8_t *here = &taken[(int)p[1] / bin * (across + 1) + (int)p[0] / bin];
    if (!*here)
      arrow(canvas, p, q);
    *here = 1;
  }
  free(taken);
  return IG_OK;
}
