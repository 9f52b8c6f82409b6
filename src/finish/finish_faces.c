/* Planes and cylinders in a surface of triangles (finish_faces.h).

   1. Triangles near the wall of a cylinder that the case of a grid names, which face along its
      radius: the surface was cut there (topopt/surface_snap.c).
   2. Of the others, those between sharp edges: their normals lie in a plane whose normal is the
      axis; a circle through their vertices, seen along it, has the radius (least squares).
   3. Neighbours in one plane.

   Vertices of a cylinder are put onto it: triangles of another size cut it short by their sagitta.
   A cylinder is two faces, as CAD programs have it, so that none closes on itself. */
#include "finish/finish_faces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 6 };               /* triangles of a cylinder */
static const double SHARP = 0.64;  /* cosine of 50 degrees between normals across an edge */
static const double FLAT = 0.9999; /* 0.8 degrees */

typedef struct {
  const ig_finished *f;
  ig_finish_faces *to;
  double (*normal)[3]; /* of triangles, unit */
  double *area;
  double near, edge;     /* mm: how far vertices may be off a plane or cylinder; mean side */
  int32_t *queue, *mark; /* mark: the flood that saw a triangle last, from 1 */
  int32_t stamp;
  ig_finish_face *given; /* cylinders of the case */
  double (*ends)[2];     /* along their axes, from p */
  int givens;
} search;

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static double unit(double *v) {
  const double size = sqrt(dot(v, v));
  for (int d = 0; d < 3; d++)
    v[d] = size > 0 ? v[d] / size : 0;
  return size;
}
static void cross(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* From the axis to a point, unit; its distance. along: from p. */
static double radial(const ig_finish_face *c, const double *x, double *r, double *along) {
  for (int d = 0; d < 3; d++)
    r[d] = x[d] - c->p[d];
  *along = dot(r, c->axis);
  for (int d = 0; d < 3; d++)
    r[d] -= *along * c->axis[d];
  return unit(r);
}

/* --- the triangles */

static ig_status opposites(ig_ctx *cx, const ig_topopt_part *s, int64_t *opposite) {
  ig_topopt_keys keys = {0};
  int64_t *side = NULL, count = 0;
  ig_status status = IG_NEW(cx, &side, 3 * (size_t)s->triangles + 1, "edges");
  for (int64_t k = 0; status == IG_OK && k < 3 * s->triangles; k++) {
    const int32_t a = s->triangle[k / 3][k % 3], b = s->triangle[k / 3][(k % 3 + 1) % 3];
    const uint64_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
    int32_t *of;
    opposite[k] = -1;
    status = ig_topopt_keys_at(cx, &keys, low << 32 | high, &of);
    if (status != IG_OK)
      break;
    if (*of < 0) {
      *of = (int32_t)count;
      side[count++] = k;
    } else {
      opposite[k] = side[*of];
      opposite[side[*of]] = k;
    }
  }
  ig_topopt_keys_free(&keys);
  free(side);
  return status;
}

static void normals(search *s) {
  const ig_topopt_part *p = s->to->s;
  double edges = 0;
  for (int64_t t = 0; t < p->triangles; t++) {
    const int32_t *c = p->triangle[t];
    double u[3], v[3];
    for (int d = 0; d < 3; d++) {
      u[d] = s->to->x[c[1]][d] - s->to->x[c[0]][d];
      v[d] = s->to->x[c[2]][d] - s->to->x[c[0]][d];
    }
    cross(u, v, s->normal[t]);
    s->area[t] = 0.5 * unit(s->normal[t]);
    edges += sqrt(dot(u, u)) / (double)p->triangles;
  }
  s->near = 0.05 * edges;
  s->edge = edges;
}

/* How far vertices may be within a cylinder: those that were put onto sides of the design's
   elements, or of triangles, by the sagitta. */
static double sagitta(const search *s, double radius) {
  const double side = fmax(s->edge, 1e3 * s->f->edge);
  return fmin(fmax(s->near, 1.2 * side * side / (8 * radius)), 0.15 * radius);
}

/* Triangles without a face that `joins` connects with t; how many are in the queue. */
typedef bool join(const search *s, int32_t from, int32_t to, const void *user);
static int32_t flood(search *s, int32_t t, join *joins, const void *user) {
  const int32_t number = ++s->stamp;
  int32_t count = 0;
  s->queue[count++] = t;
  s->mark[t] = number;
  for (int32_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      const int64_t other = s->to->opposite[3 * (int64_t)s->queue[i] + k];
      const int32_t to = (int32_t)(other / 3);
      if (other < 0 || s->mark[to] == number || s->to->of[to] >= 0 ||
          !joins(s, s->queue[i], to, user))
        continue;
      s->mark[to] = number;
      s->queue[count++] = to;
    }
  return count;
}

static ig_status face_add(search *s, const ig_finish_face *face) {
  IG_TRY(IG_MORE(s->f->cx, &s->to->face, s->to->faces, "faces"));
  s->to->face[s->to->faces++] = *face;
  return IG_OK;
}

/* --- cylinders */

typedef struct {
  const ig_finish_face *c;
  const double *ends; /* NULL: as long as it is */
  double half[2][3];  /* across the axis */
  int side;           /* 0: any, 1 or -1: of half[0] */
} wall;

static bool on_wall(const search *s, int32_t t, const wall *w) {
  const int32_t *v = s->to->s->triangle[t];
  double r[3], along, middle[3] = {0};
  if (s->to->of[t] >= 0 || fabs(dot(s->normal[t], w->c->axis)) > 0.2)
    return false;
  for (int i = 0; i < 3; i++) {
    const double d = radial(w->c, s->to->x[v[i]], r, &along);
    if (d > w->c->radius + s->near || d < w->c->radius - sagitta(s, w->c->radius) ||
        (w->ends && (along < w->ends[0] - s->near || along > w->ends[1] + s->near)))
      return false;
    for (int d3 = 0; d3 < 3; d3++)
      middle[d3] += s->to->x[v[i]][d3] / 3;
  }
  (void)radial(w->c, middle, r, &along);
  if (w->side != 0 && (dot(r, w->half[0]) >= 0) != (w->side > 0))
    return false;
  return w->c->out * dot(r, s->normal[t]) > 0.8;
}
static bool stays_on_wall(const search *s, int32_t from, int32_t to, const void *user) {
  (void)from;
  return on_wall(s, to, user);
}

/* Any direction across an axis. */
static void across(const double *axis, double *r) {
  double seed[3] = {0};
  int least = 0;
  for (int d = 1; d < 3; d++)
    least = fabs(axis[d]) < fabs(axis[least]) ? d : least;
  seed[least] = 1;
  cross(axis, seed, r);
  (void)unit(r);
}

/* The furthest of the first `count` triangles in the queue from the axis: of a patch that is cut
   short by its sagitta some vertices still are on the cylinder. */
static double furthest(const search *s, int32_t count, const ig_finish_face *c) {
  double most = 0, r[3], along;
  for (int32_t i = 0; i < 3 * count; i++)
    most = fmax(most, radial(c, s->to->x[s->to->s->triangle[s->queue[i / 3]][i % 3]], r, &along));
  return most;
}

/* Patches of a cylinder become faces of their own, and their vertices lie on it. */
static ig_status wall_take(search *s, const ig_finish_face *c, const double *ends) {
  ig_finish_faces *to = s->to;
  int64_t taken = 0;
  wall w = {.c = c, .ends = ends};
  across(c->axis, w.half[0]);
  for (w.side = 1; w.side >= -1; w.side -= 2)
    for (int32_t t = 0; t < to->s->triangles; t++) {
      if (!on_wall(s, t, &w))
        continue;
      const int32_t count = flood(s, t, stays_on_wall, &w);
      if (count < FEWEST || furthest(s, count, c) < c->radius - s->near)
        continue;
      for (int32_t i = 0; i < count; i++)
        to->of[s->queue[i]] = to->faces;
      IG_TRY(face_add(s, c));
      taken += count;
    }
  to->cylinders += taken > 0;
  return IG_OK;
}

static void vertices_snap(ig_finish_faces *to) {
  for (int64_t t = 0; t < to->s->triangles; t++) {
    const ig_finish_face *c = to->of[t] >= 0 ? &to->face[to->of[t]] : NULL;
    for (int i = 0; i < 3 && c && c->round; i++) {
      double *x = to->x[to->s->triangle[t][i]], r[3], along;
      const double d = radial(c, x, r, &along);
      for (int k = 0; k < 3; k++)
        x[k] += (c->radius - d) * r[k];
    }
  }
}

static ig_status given_add(search *s, const ig_place *place) {
  const ig_in_cylinder *c = &place->cylinder;
  const double radius[2] = {c->radius, c->inner};
  if (!c->at.given)
    return IG_OK;
  for (int image = 0; image < ig_finish_images(s->f); image++)
    for (int k = 0; k < 2; k++)
      for (int out = -1; out <= 1; out += 2) {
        double from[3] = {0}, to[3] = {0}, at[3], end[3];
        ig_finish_face face = {.round = true, .radius = 1e3 * radius[k], .out = out};
        if (!(radius[k] > 0) || !isfinite(radius[k]) || !ig_finish_image_is(s->f, image))
          continue;
        for (int d = 0; d < 3; d++) {
          from[d] = d < c->from.count ? c->from.value[d] : 0;
          to[d] = d < c->to.count ? c->to.value[d] : 0;
        }
        ig_finish_mirror(s->f, image, from, at);
        ig_finish_mirror(s->f, image, to, end);
        for (int d = 0; d < 3; d++) {
          face.p[d] = 1e3 * at[d];
          face.axis[d] = 1e3 * (end[d] - at[d]);
        }
        const double length = unit(face.axis);
        if (!(length > 0))
          continue;
        IG_TRY(IG_MORE(s->f->cx, &s->given, s->givens, "cylinders"));
        IG_TRY(IG_MORE(s->f->cx, &s->ends, s->givens, "cylinders"));
        s->ends[s->givens][0] = 0;
        s->ends[s->givens][1] = length;
        s->given[s->givens++] = face;
      }
  return IG_OK;
}

static ig_status given_find(search *s) {
  const ig_topopt_case *t = s->f->t;
  if (!t->grid.at.given) /* what a case names on a mesh is no face of it */
    return IG_OK;
  for (int i = 0; i < t->passive.count; i++)
    IG_TRY(given_add(s, &IG_ITEM(const ig_passive_case, t->passive, i)->place));
  for (int i = 0; i < t->sets.count; i++)
    IG_TRY(given_add(s, &IG_ITEM(const ig_set_case, t->sets, i)->place));
  for (int i = 0; i < t->supports.count; i++)
    IG_TRY(given_add(s, &IG_ITEM(const ig_hold_case, t->supports, i)->place));
  for (int i = 0; i < t->loads.count; i++)
    IG_TRY(given_add(s, &IG_ITEM(const ig_load_case, t->loads, i)->place));
  return IG_OK;
}

/* --- cylinders between sharp edges */

static bool is_smooth(const search *s, int32_t from, int32_t to, const void *user) {
  (void)user;
  return dot(s->normal[from], s->normal[to]) > SHARP;
}

/* The direction that the normals of the first `count` triangles in the queue are all across;
   false: they lie in no plane, or all have one direction. */
static bool axis_find(const search *s, int32_t count, double *axis) {
  double c[3][3] = {{0}}, trace = 0;
  for (int32_t i = 0; i < count; i++) {
    const double *n = s->normal[s->queue[i]], a = s->area[s->queue[i]];
    for (int d = 0; d < 9; d++)
      c[d / 3][d % 3] += a * n[d / 3] * n[d % 3];
    trace += a;
  }
  /* the least eigenvector is the largest one of trace - C */
  static const double begin[3] = {0.48, 0.6, 0.64};
  memcpy(axis, begin, sizeof begin);
  for (int k = 0; k < 400; k++) {
    double next[3];
    for (int d = 0; d < 3; d++)
      next[d] = trace * axis[d] - dot(c[d], axis);
    (void)unit(next);
    memcpy(axis, next, sizeof next);
  }
  double least = 0, spread = 0, e[3], g[3];
  for (int d = 0; d < 3; d++)
    least += axis[d] * dot(c[d], axis) / trace;
  across(axis, e);
  cross(axis, e, g);
  double ee = 0, gg = 0, eg = 0;
  for (int d = 0; d < 3; d++) {
    ee += e[d] * dot(c[d], e) / trace;
    gg += g[d] * dot(c[d], g) / trace;
    eg += e[d] * dot(c[d], g) / trace;
  }
  spread = 0.5 * (ee + gg) - sqrt(0.25 * (ee - gg) * (ee - gg) + eg * eg);
  return least < 0.03 && spread > 0.05;
}

/* Gauss-Jordan elimination with pivots: column n becomes the solution; false: there is none. */
enum { UNKNOWNS = 5 };
static bool eliminate(int n, double m[UNKNOWNS][UNKNOWNS + 1]) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int j = k + 1; j < n; j++)
      best = fabs(m[j][k]) > fabs(m[best][k]) ? j : best;
    for (int j = 0; j <= n; j++) {
      const double swap = m[k][j];
      m[k][j] = m[best][j];
      m[best][j] = swap;
    }
    if (!(fabs(m[k][k]) > 1e-12))
      return false;
    for (int j = 0; j < n; j++) {
      const double by = j == k ? 0 : m[j][k] / m[k][k];
      for (int l = 0; l <= n; l++)
        m[j][l] -= by * m[k][l];
    }
  }
  for (int k = 0; k < n; k++)
    m[k][n] /= m[k][k];
  return true;
}

static void equation_add(int n, const double *row, double m[UNKNOWNS][UNKNOWNS + 1]) {
  for (int k = 0; k < n; k++)
    for (int j = 0; j <= n; j++)
      m[k][j] += row[k] * row[j];
}

static const double *vertex_of(const search *s, int32_t i) {
  return s->to->x[s->to->s->triangle[s->queue[i / 3]][i % 3]];
}

/* Circle through the vertices, seen along the axis: least squares of x^2 + y^2 = a x + b y + c. */
static bool circle_find(const search *s, int32_t count, ig_finish_face *to) {
  const double *const origin = vertex_of(s, 0);
  double e[3], g[3], m[UNKNOWNS][UNKNOWNS + 1] = {{0}};
  across(to->axis, e);
  cross(to->axis, e, g);
  for (int32_t i = 0; i < 3 * count; i++) {
    const double *at = vertex_of(s, i);
    const double from[3] = {at[0] - origin[0], at[1] - origin[1], at[2] - origin[2]};
    const double x = dot(from, e), y = dot(from, g), row[4] = {x, y, 1, x * x + y * y};
    equation_add(3, row, m);
  }
  if (!eliminate(3, m))
    return false;
  const double x = 0.5 * m[0][3], y = 0.5 * m[1][3];
  to->radius = sqrt(fmax(0, m[2][3] + x * x + y * y));
  for (int d = 0; d < 3; d++)
    to->p[d] = origin[d] + x * e[d] + y * g[d];
  return to->radius > 0;
}

/* Least squares of the distances: normals of flat triangles know the axis to a few degrees. */
static bool refine(const search *s, int32_t count, ig_finish_face *to) {
  for (int step = 0; step < 20; step++) {
    double e[3], g[3], m[UNKNOWNS][UNKNOWNS + 1] = {{0}};
    across(to->axis, e);
    cross(to->axis, e, g);
    for (int32_t i = 0; i < 3 * count; i++) {
      double r[3], along;
      const double d = radial(to, vertex_of(s, i), r, &along), x = dot(r, e), y = dot(r, g);
      const double row[6] = {x, y, along * x, along * y, 1, d - to->radius};
      equation_add(5, row, m);
    }
    if (!eliminate(5, m))
      return false;
    for (int d = 0; d < 3; d++) {
      to->p[d] += m[0][5] * e[d] + m[1][5] * g[d];
      to->axis[d] += m[2][5] * e[d] + m[3][5] * g[d];
    }
    to->radius += m[4][5];
    (void)unit(to->axis);
  }
  return to->radius > 0;
}

/* The patch around t, all of which has to lie on it. */
static ig_status patch_try(search *s, int32_t t) {
  const int32_t count = flood(s, t, is_smooth, NULL);
  ig_finish_face c = {.round = true};
  double r[3], along;
  if (count < FEWEST || !axis_find(s, count, c.axis) || !circle_find(s, count, &c) ||
      !refine(s, count, &c))
    return IG_OK;
  c.radius = furthest(s, count, &c); /* others may be cut short */
  (void)radial(&c, s->to->x[s->to->s->triangle[t][0]], r, &along);
  c.out = dot(r, s->normal[t]) > 0 ? 1 : -1;
  const wall w = {.c = &c};
  for (int32_t i = 0; i < count; i++)
    if (!on_wall(s, s->queue[i], &w))
      return IG_OK;
  return wall_take(s, &c, NULL);
}

static ig_status cylinders_find(search *s) {
  const ig_finish_faces *to = s->to;
  IG_TRY(given_find(s));
  for (int i = 0; i < s->givens; i++)
    IG_TRY(wall_take(s, &s->given[i], s->ends[i]));
  const int32_t before = s->stamp; /* floods from now on are patches and what is taken of them */
  for (int32_t t = 0; t < to->s->triangles; t++)
    if (to->of[t] < 0 && s->mark[t] <= before)
      IG_TRY(patch_try(s, t));
  return IG_OK;
}

/* --- planes */

static bool in_plane(const search *s, int32_t from, int32_t to, const void *user) {
  const ig_finish_face *plane = user;
  (void)from;
  if (dot(plane->axis, s->normal[to]) < FLAT)
    return false;
  for (int i = 0; i < 3; i++) {
    const double *x = s->to->x[s->to->s->triangle[to][i]];
    const double off[3] = {x[0] - plane->p[0], x[1] - plane->p[1], x[2] - plane->p[2]};
    if (fabs(dot(off, plane->axis)) > 2e-3 * s->near)
      return false;
  }
  return true;
}

static ig_status planes_find(search *s) {
  ig_finish_faces *to = s->to;
  for (int32_t t = 0; t < to->s->triangles; t++) {
    if (to->of[t] >= 0)
      continue;
    ig_finish_face plane = {.out = 1};
    memcpy(plane.p, to->x[to->s->triangle[t][0]], sizeof plane.p);
    memcpy(plane.axis, s->normal[t], sizeof plane.axis);
    const int32_t count = flood(s, t, in_plane, &plane);
    for (int32_t i = 0; i < count; i++)
      to->of[s->queue[i]] = to->faces;
    to->planes += count > 1;
    IG_TRY(face_add(s, &plane));
  }
  return IG_OK;
}

/* --- */

static ig_status find(search *s) {
  ig_finish_faces *to = s->to;
  ig_ctx *cx = s->f->cx;
  const size_t n = (size_t)to->s->triangles, nodes = (size_t)to->s->vertices;
  IG_TRY(IG_NEW(cx, &to->x, nodes + 1, "faces"));
  IG_TRY(IG_NEW(cx, &to->opposite, 3 * n + 1, "faces"));
  IG_TRY(IG_NEW(cx, &to->of, n + 1, "faces"));
  IG_TRY(IG_NEW(cx, &s->normal, n + 1, "faces"));
  IG_TRY(IG_NEW(cx, &s->area, n + 1, "faces"));
  IG_TRY(IG_NEW(cx, &s->queue, n + 1, "faces"));
  IG_TRY(IG_NEW(cx, &s->mark, n + 1, "faces"));
  for (size_t v = 0; v < nodes; v++)
    for (int d = 0; d < 3; d++)
      to->x[v][d] = 1e3 * (double)to->s->vertex[v][d];
  for (size_t t = 0; t < n; t++)
    to->of[t] = -1;
  IG_TRY(opposites(cx, to->s, to->opposite));
  normals(s);
  IG_TRY(cylinders_find(s));
  vertices_snap(to);
  normals(s);
  return planes_find(s);
}

ig_status ig_finish_faces_find(const ig_finished *f, const ig_topopt_part *s, ig_finish_faces *to) {
  search look = {.f = f, .to = to};
  *to = (ig_finish_faces){.s = s};
  const ig_status status = find(&look);
  free(look.normal);
  free(look.area);
  free(look.queue);
  free(look.mark);
  free(look.given);
  free(look.ends);
  return status;
}

void ig_finish_faces_free(ig_finish_faces *to) {
  free(to->x);
  free(to->opposite);
  free(to->of);
  free(to->face);
  *to = (ig_finish_faces){0};
}
