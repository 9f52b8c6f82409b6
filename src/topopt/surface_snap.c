/* Faces that the case gives, cut exactly: on a grid the surface runs along elements, so that holes
   are not round and faces are a share of an element off. Vertices within an element of the wall of
   a region in `passive`, or of the part's own surface (`grid.stl`), that face the same way are put
   onto it.

   Meshes have such faces themselves. */
#include "mesh/tri_surface.h"
#include "ingot_io.h"
#include "topopt/surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { WALL_PLANE, WALL_CYLINDER, WALL_SPHERE, WALL_SOUP } wall_kind;

/* A wall of a region: points p + normals along `axis` (plane), at `radius` about the axis through
   p, at `radius` around p. `out` is +1 where the region lies within it, -1 where it lies beyond (an
   inner radius); `solid`: whether there is material in the region. */
typedef struct {
  wall_kind kind;
  double p[3], axis[3], radius;
  int out;
  bool solid;
  const ig_place *place[2]; /* the region: inside of both */
} wall;

/* The surface of `grid.stl`: triangles by cells of a coarse grid. */
typedef struct {
  ig_tri_surface soup;
  double low[3], cell, sense; /* sense -1: triangles face inwards */
  int n[3];
  ig_lid *start, *list;
} bins;

struct ig_surface_walls {
  ig_ctx *cx;
  const ig_topopt_grid_model *m;
  wall *list;
  int count;
  bins stl;
  const double *density;  /* of elements of the whole */
  double reach;           /* m */
  double low[3], high[3]; /* of the model */
  int side[3];            /* mirrored at the lowest (-1) or the highest plane (+1); 0: not */
};

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* --- walls of places --- */

/* A region may have many walls; all of them are candidates for every vertex near them. */
static ig_status wall_add(ig_surface_walls *w, wall a) {
  IG_TRY(IG_MORE(w->cx, &w->list, w->count, "faces of the case"));
  w->list[w->count++] = a;
  return IG_OK;
}

static void row(const ig_reals *from, double *to) {
  for (int d = 0; d < 3; d++)
    to[d] = d < from->count ? from->value[d] : 0;
}

/* Up to six planes; sides at infinity are none. */
static ig_status walls_of_box(ig_surface_walls *w, const ig_in_box *b, wall a) {
  for (int side = 0; side < 2; side++) {
    const ig_reals *at = side ? &b->max : &b->min;
    for (int d = 0; d < at->count && d < 3; d++) {
      if (!isfinite(at->value[d]))
        continue;
      a.kind = WALL_PLANE;
      a.out = 1;
      memset(a.p, 0, sizeof a.p);
      memset(a.axis, 0, sizeof a.axis);
      a.p[d] = at->value[d];
      a.axis[d] = side ? 1 : -1;
      IG_TRY(wall_add(w, a));
    }
  }
  return IG_OK;
}

/* The wall at a radius, and the one at an inner radius. */
static ig_status walls_round(ig_surface_walls *w, double radius, double inner, wall a) {
  a.radius = radius;
  a.out = 1;
  if (isfinite(radius) && radius > 0)
    IG_TRY(wall_add(w, a));
  a.radius = inner;
  a.out = -1;
  return inner > 0 ? wall_add(w, a) : IG_OK;
}

/* Boxes, cylinders (with their ends) and spheres; other kinds of places have no walls here. */
static ig_status walls_of_place(ig_surface_walls *w, const ig_place *place, wall a) {
  if (place->box.at.given)
    IG_TRY(walls_of_box(w, &place->box, a));
  if (place->cylinder.at.given) {
    const ig_in_cylinder *c = &place->cylinder;
    double to[3], axis[3], length = 0;
    row(&c->from, a.p);
    row(&c->to, to);
    for (int d = 0; d < 3; d++) {
      axis[d] = to[d] - a.p[d];
      length += axis[d] * axis[d];
    }
    length = sqrt(length);
    for (int d = 0; d < 3; d++)
      a.axis[d] = length > 0 ? axis[d] / length : 0;
    a.kind = WALL_CYLINDER;
    IG_TRY(walls_round(w, c->radius, c->inner, a));
    a.kind = WALL_PLANE;
    a.out = 1;
    for (int end = 0; end < 2 && length > 0; end++) {
      if (end)
        memcpy(a.p, to, sizeof a.p);
      for (int d = 0; d < 3; d++)
        a.axis[d] = (end ? 1 : -1) * axis[d] / length;
      IG_TRY(wall_add(w, a));
    }
  }
  if (place->sphere.at.given) {
    a.kind = WALL_SPHERE;
    row(&place->sphere.center, a.p);
    IG_TRY(walls_round(w, place->sphere.radius, place->sphere.inner, a));
  }
  return IG_OK;
}

/* The last set of that name counts. */
static const ig_place *place_of_set(const ig_topopt_case *c, const char *name) {
  const ig_place *found = NULL;
  for (int i = 0; name && i < c->sets.count; i++) {
    const ig_set_case *set = IG_ITEM(ig_set_case, c->sets, i);
    found = strcmp(set->name, name) == 0 ? &set->place : found;
  }
  return found;
}

/* Regions of `passive`, solid and void: holes and flanges. */
static ig_status walls_of_case(ig_surface_walls *w) {
  const ig_topopt_case *c = w->m->c;
  for (int i = 0; i < c->passive.count; i++) {
    const ig_passive_case *p = IG_ITEM(ig_passive_case, c->passive, i);
    const ig_place *set = place_of_set(c, p->set);
    wall a = {.solid = p->as == 0, .place = {p->place.at.given ? &p->place : NULL, set}};
    for (int k = 0; k < 2; k++)
      if (a.place[k])
        IG_TRY(walls_of_place(w, a.place[k], a));
  }
  return IG_OK;
}

/* --- the surface of the part itself --- */

static void bins_free(bins *b) {
  free(b->start);
  free(b->list);
  ig_tri_surface_free(&b->soup);
}

/* Points outside count to the nearest cell, so that a search near the border finds its
   triangles. */
static int cell_at(const bins *b, double x, int d) {
  const int i = (int)floor((x - b->low[d]) / b->cell);
  return i < 0 ? 0 : i >= b->n[d] ? b->n[d] - 1 : i;
}

/* Cells that a triangle's box touches. */
static void cells_of(const bins *b, ig_lid t, int from[3], int to[3]) {
  for (int d = 0; d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 3; i++) {
      const double x = b->soup.x[3 * (size_t)b->soup.corner[3 * (size_t)t + (size_t)i] + (size_t)d];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    from[d] = cell_at(b, low, d);
    to[d] = cell_at(b, high, d);
  }
}

/* Counting sort in two passes: numbers per cell, then the lists. A triangle is in every cell
   that its bounding box touches. */
static ig_status bins_fill(ig_ctx *cx, bins *b) {
  const size_t cells = (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
  int from[3], to[3], at[3];
  IG_TRY(IG_NEW(cx, &b->start, cells + 2, "surface of the part"));
  for (int pass = 0; pass < 2; pass++) {
    for (ig_lid t = 0; t < b->soup.triangles; t++) {
      cells_of(b, t, from, to);
      for (at[2] = from[2]; at[2] <= to[2]; at[2]++)
        for (at[1] = from[1]; at[1] <= to[1]; at[1]++)
          for (at[0] = from[0]; at[0] <= to[0]; at[0]++) {
            const size_t i =
                ((size_t)at[2] * (size_t)b->n[1] + (size_t)at[1]) * (size_t)b->n[0] + (size_t)at[0];
            if (pass == 0)
              b->start[i + 2]++;
            else
              b->list[b->start[i + 1]++] = t;
          }
    }
    for (size_t i = 0; pass == 0 && i < cells; i++)
      b->start[i + 2] += b->start[i + 1];
    if (pass == 0)
      IG_TRY(IG_NEW(cx, &b->list, (size_t)b->start[cells + 1] + 1, "surface of the part"));
  }
  return IG_OK;
}

/* An STL whose triangles are not oriented alike has no outside: it is not used. Cells are no
 * smaller than a 200th of the part, which bounds their number. */
static ig_status stl_take(ig_surface_walls *w) {
  const ig_grid_case *c = &w->m->c->grid;
  bins *b = &w->stl;
  ig_tri_surface_survey survey;
  if (!c->stl)
    return IG_OK;
#ifdef INGOT_HAVE_IO
  IG_TRY(ig_tri_surface_read(w->cx, c->stl, c->unit > 0 ? c->unit : 0, 0, &b->soup));
#endif
  for (size_t n = 0; n < (size_t)b->soup.nodes; n++)
    for (size_t d = 0; d < 3; d++)
      b->soup.x[3 * n + d] += c->translate[d];
  IG_TRY(ig_tri_surface_look(w->cx, &b->soup, &survey));
  if (!survey.oriented)
    return IG_OK;
  b->sense = survey.volume < 0 ? -1 : 1;
  b->cell = 2 * w->reach;
  for (int d = 0; d < 3; d++)
    b->cell = fmax(b->cell, (survey.high[d] - survey.low[d]) / 200);
  for (int d = 0; d < 3; d++) {
    b->low[d] = survey.low[d];
    b->n[d] = (int)((survey.high[d] - survey.low[d]) / b->cell) + 1;
  }
  return bins_fill(w->cx, b);
}

/* The point of a triangle nearest to x (Ericson 2005, by the regions of its corners and edges). */
static void nearest_on(const double *a, const double *b, const double *c, const double *x,
                       double *at) {
  double ab[3], ac[3], ax[3], bx[3], cx[3];
  for (int d = 0; d < 3; d++) {
    ab[d] = b[d] - a[d];
    ac[d] = c[d] - a[d];
    ax[d] = x[d] - a[d];
    bx[d] = x[d] - b[d];
    cx[d] = x[d] - c[d];
  }
  const double d1 = dot(ab, ax), d2 = dot(ac, ax), d3 = dot(ab, bx), d4 = dot(ac, bx);
  const double d5 = dot(ab, cx), d6 = dot(ac, cx);
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  double v = 0, u = 0;
  if (d1 <= 0 && d2 <= 0)
    v = u = 0;
  else if (d3 >= 0 && d4 <= d3)
    v = 1;
  else if (vc <= 0 && d1 >= 0 && d3 <= 0)
    v = d1 / (d1 - d3);
  else if (d6 >= 0 && d5 <= d6)
    u = 1;
  else if (vb <= 0 && d2 >= 0 && d6 <= 0)
    u = d2 / (d2 - d6);
  else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    u = (d4 - d3) / (d4 - d3 + (d5 - d6));
    v = 1 - u;
  } else {
    v = vb / (va + vb + vc);
    u = vc / (va + vb + vc);
  }
  for (int d = 0; d < 3; d++)
    at[d] = a[d] + v * ab[d] + u * ac[d];
}

/* The nearest point of the part's surface within reach whose triangle faces as `normal` does (NULL:
   any way). */
static bool stl_nearest(const ig_surface_walls *w, const double *x, const double *normal,
                        double *at) {
  const bins *b = &w->stl;
  double best = w->reach * w->reach;
  bool any = false;
  int from[3], to[3], i[3];
  if (!b->start)
    return false;
  for (int d = 0; d < 3; d++) {
    from[d] = cell_at(b, x[d] - w->reach, d);
    to[d] = cell_at(b, x[d] + w->reach, d);
  }
  for (i[2] = from[2]; i[2] <= to[2]; i[2]++)
    for (i[1] = from[1]; i[1] <= to[1]; i[1]++)
      for (i[0] = from[0]; i[0] <= to[0]; i[0]++) {
        const size_t cell =
            ((size_t)i[2] * (size_t)b->n[1] + (size_t)i[1]) * (size_t)b->n[0] + (size_t)i[0];
        for (ig_lid k = b->start[cell]; k < b->start[cell + 1]; k++) {
          const ig_lid *t = &b->soup.corner[3 * (size_t)b->list[k]];
          const double *p[3];
          double n[3], q[3], r[3], on[3], square = 0;
          for (int c = 0; c < 3; c++)
            p[c] = &b->soup.x[3 * (size_t)t[c]];
          for (int d = 0; d < 3; d++) {
            q[d] = p[1][d] - p[0][d];
            r[d] = p[2][d] - p[0][d];
          }
          for (int d = 0; d < 3; d++)
            n[d] = b->sense * (q[(d + 1) % 3] * r[(d + 2) % 3] - q[(d + 2) % 3] * r[(d + 1) % 3]);
          if (normal && !(dot(n, normal) > 0.5 * sqrt(dot(n, n))))
            continue;
          nearest_on(p[0], p[1], p[2], x, on);
          for (int d = 0; d < 3; d++)
            square += (on[d] - x[d]) * (on[d] - x[d]);
          if (square < best) {
            best = square;
            any = true;
            memcpy(at, on, sizeof on);
          }
        }
      }
  return any;
}

/* --- onto a wall --- */

/* The nearest point of a wall and the normal out of the region there. */
static bool wall_nearest(const wall *a, const double *x, double *at, double *normal) {
  double from[3], along = 0, length = 0;
  for (int d = 0; d < 3; d++)
    from[d] = x[d] - a->p[d];
  if (a->kind != WALL_SPHERE)
    along = dot(from, a->axis);
  if (a->kind == WALL_PLANE) {
    for (int d = 0; d < 3; d++) {
      at[d] = x[d] - along * a->axis[d];
      normal[d] = a->axis[d];
    }
    return true;
  }
  for (int d = 0; d < 3; d++)
    from[d] -= a->kind == WALL_CYLINDER ? along * a->axis[d] : 0;
  length = sqrt(dot(from, from));
  if (!(length > 1e-9 * a->radius))
    return false;
  for (int d = 0; d < 3; d++) {
    normal[d] = a->out * from[d] / length;
    at[d] = x[d] + (a->radius / length - 1) * from[d];
  }
  return true;
}

/* Into the half of the model that was computed, and back: the same call twice. */
static void fold(const ig_surface_walls *w, const bool *mirrored, double *x) {
  for (int d = 0; d < 3; d++)
    if (mirrored[d])
      x[d] = 2 * (w->side[d] < 0 ? w->low[d] : w->high[d]) - x[d];
}

/* Whether x, folded, may be moved to `at`: near enough, and not off a side of the grid. A vertex
   on a side of the grid may slide in it and not leave it: sides close the part, and planes of
   symmetry must stay planes. */
static bool may_move(const ig_surface_walls *w, const double *x, double *at) {
  double square = 0;
  for (int d = 0; d < 3; d++) {
    const double rounding = 1e-5 * w->reach;
    if (fabs(x[d] - w->low[d]) < rounding || fabs(x[d] - w->high[d]) < rounding) {
      if (fabs(at[d] - x[d]) > 0.05 * w->reach)
        return false;
      at[d] = x[d];
    }
    square += (at[d] - x[d]) * (at[d] - x[d]);
    if (at[d] < w->low[d] - rounding || at[d] > w->high[d] + rounding)
      return false;
  }
  return square <= w->reach * w->reach;
}

/* Beyond the wall of what is kept solid the design has what it wants: only where it is void is
   the wall a face of the part. 0.6 of an element beyond the wall is the next element's inside.
   Outside of the grid is void. */
static bool void_beyond(const ig_surface_walls *w, const double *at, const double *out) {
  int i[3];
  for (int d = 0; d < 3; d++) {
    i[d] = (int)floor((at[d] + 0.6 * w->reach * out[d]) / w->m->h[d]);
    if (i[d] < 0 || i[d] >= w->m->whole.n[d])
      return true;
  }
  return w->density[ig_grid_place(&w->m->whole, i[0], i[1], i[2])] < 0.1;
}

/* `face` is the number of a wall from 1; count + 1 is the surface of the STL. `normal` NULL: the
   vertex is on the face already and slides. */
static bool onto(const ig_surface_walls *w, int32_t face, const double *x, const double *normal,
                 double *at) {
  const double slack = 1e-3 * w->reach;
  double out[3];
  if (face == w->count + 1)
    return stl_nearest(w, x, normal, at) && may_move(w, x, at);
  const wall *a = &w->list[face - 1];
  if (!wall_nearest(a, x, at, out))
    return false;
  if (normal && !((a->solid ? 1 : -1) * dot(out, normal) > 0.5))
    return false;
  for (int k = 0; k < 2; k++)
    if (a->place[k] && !ig_place_has(a->place[k], at, slack))
      return false;
  return (!normal || !a->solid || void_beyond(w, at, out)) && may_move(w, x, at);
}

/* For the smoothing afterwards: a vertex on a wall slides along it. */
static bool project(void *user, int32_t face, double *x) {
  const ig_surface_walls *w = user;
  bool mirrored[3];
  double at[3];
  for (int d = 0; d < 3; d++)
    mirrored[d] = (w->side[d] < 0 && x[d] < w->low[d]) || (w->side[d] > 0 && x[d] > w->high[d]);
  fold(w, mirrored, x);
  const bool done = onto(w, face, x, NULL, at);
  if (done)
    memcpy(x, at, sizeof at);
  fold(w, mirrored, x);
  return done;
}

/* --- the whole surface --- */

/* A triangle's normal, not of unit length. */
static void turned(const ig_topopt_part *s, const float (*x)[3], int64_t t, double *n) {
  double p[3], q[3];
  for (int d = 0; d < 3; d++) {
    const double a = (double)x[s->triangle[t][0]][d];
    p[d] = (double)x[s->triangle[t][1]][d] - a;
    q[d] = (double)x[s->triangle[t][2]][d] - a;
  }
  for (int d = 0; d < 3; d++)
    n[d] = p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3];
}

/* Whether a triangle lies in a side of the grid, which closes the part there. */
static bool in_side(void *user, const ig_topopt_part *s, int64_t t) {
  const ig_surface_walls *w = user;
  for (int d = 0; d < 3; d++) {
    const double size = w->high[d] - w->low[d], rounding = 1e-5 * w->reach;
    const double low = w->low[d] - (w->side[d] < 0 ? size : 0);
    const double high = w->high[d] + (w->side[d] > 0 ? size : 0);
    int at_low = 0, at_high = 0;
    for (int i = 0; i < 3; i++) {
      const double x = (double)s->vertex[s->triangle[t][i]][d];
      at_low += fabs(x - low) < rounding;
      at_high += fabs(x - high) < rounding;
    }
    if (at_low == 3 || at_high == 3)
      return true;
  }
  return false;
}

/* Of the surface at vertices, without the sides of the grid. */
static ig_status normals_make(const ig_surface_walls *w, const ig_topopt_part *s,
                              double (**normal)[3]) {
  IG_TRY(IG_NEW(w->cx, normal, (size_t)s->vertices + 1, "surface"));
  for (int64_t t = 0; t < s->triangles; t++) {
    double n[3];
    if (in_side((void *)w, s, t))
      continue;
    turned(s, (const float(*)[3])s->vertex, t, n);
    for (int i = 0; i < 3; i++)
      for (int d = 0; d < 3; d++)
        (*normal)[s->triangle[t][i]][d] += n[d];
  }
  for (int64_t v = 0; v < s->vertices; v++) {
    const double size = sqrt(dot((*normal)[v], (*normal)[v]));
    for (int d = 0; d < 3 && size > 0; d++)
      (*normal)[v][d] /= size;
  }
  return IG_OK;
}

/* Vertices of triangles that were turned over go back to where they were. Undoing one triangle
   may turn a neighbour over, hence the rounds. */
static void folds_undo(ig_topopt_part *s, const float (*before)[3], int32_t *on) {
  bool again = true;
  for (int round = 0; round < 20 && again; round++) {
    again = false;
    for (int64_t t = 0; t < s->triangles; t++) {
      double n[3], m[3];
      turned(s, before, t, n);
      turned(s, (const float(*)[3])s->vertex, t, m);
      if (dot(n, m) > 0.1 * sqrt(dot(n, n) * dot(m, m)) || !(dot(n, n) > 0))
        continue;
      for (int i = 0; i < 3; i++) {
        const int32_t v = s->triangle[t][i];
        again = again || on[v];
        on[v] = 0;
        memcpy(s->vertex[v], before[v], sizeof *before);
      }
    }
  }
}

/* Of all faces that accept the vertex the nearest is taken. */
static void vertex_snap(const ig_surface_walls *w, const double *normal, float *vertex,
                        int32_t *on) {
  double x[3], n[3], best[3] = {0}, least = INFINITY;
  bool mirrored[3];
  for (int d = 0; d < 3; d++) {
    x[d] = (double)vertex[d];
    mirrored[d] = (w->side[d] < 0 && x[d] < w->low[d]) || (w->side[d] > 0 && x[d] > w->high[d]);
    n[d] = mirrored[d] ? -normal[d] : normal[d];
  }
  fold(w, mirrored, x);
  for (int32_t face = 1; face <= w->count + 1; face++) {
    double at[3], square = 0;
    if (!onto(w, face, x, n, at))
      continue;
    for (int d = 0; d < 3; d++)
      square += (at[d] - x[d]) * (at[d] - x[d]);
    if (square < least) {
      least = square;
      *on = face;
      memcpy(best, at, sizeof at);
    }
  }
  if (!*on)
    return;
  fold(w, mirrored, best);
  for (int d = 0; d < 3; d++)
    vertex[d] = (float)best[d];
}

/* Triangles of vertices: list[start[v]] ... */
typedef struct {
  int64_t *start;
  int32_t *list;
} stars;

static void stars_free(stars *st) {
  free(st->start);
  free(st->list);
}

static ig_status stars_make(ig_ctx *cx, const ig_topopt_part *s, stars *st) {
  IG_TRY(IG_NEW(cx, &st->start, (size_t)s->vertices + 2, "surface"));
  IG_TRY(IG_NEW(cx, &st->list, 3 * (size_t)s->triangles + 1, "surface"));
  for (int64_t t = 0; t < s->triangles; t++)
    for (int i = 0; i < 3; i++)
      st->start[s->triangle[t][i] + 2]++;
  for (int64_t v = 2; v <= s->vertices; v++)
    st->start[v] += st->start[v - 1];
  for (int64_t t = 0; t < s->triangles; t++)
    for (int i = 0; i < 3; i++)
      st->list[st->start[s->triangle[t][i] + 1]++] = (int32_t)t;
  return IG_OK;
}

/* Whether a vertex that alone has moved from `was` turns a triangle over. */
static bool turns_over(ig_topopt_part *s, const stars *st, int64_t v, const float *was) {
  for (int64_t k = st->start[v]; k < st->start[v + 1]; k++) {
    double n[3], m[3];
    float now[3];
    turned(s, (const float(*)[3])s->vertex, st->list[k], m);
    memcpy(now, s->vertex[v], sizeof now);
    memcpy(s->vertex[v], was, sizeof now);
    turned(s, (const float(*)[3])s->vertex, st->list[k], n);
    memcpy(s->vertex[v], now, sizeof now);
    if (!(dot(n, m) > 0.1 * sqrt(dot(n, n) * dot(m, m))) && dot(n, n) > 0)
      return true;
  }
  return false;
}

bool ig_surface_walls_any(const ig_surface_walls *w) {
  return w->count > 0 || w->stl.start;
}

ig_surface_faces ig_surface_walls_faces(ig_surface_walls *w) {
  return (ig_surface_faces){project, in_side, w};
}

void ig_surface_walls_free(ig_surface_walls *w) {
  if (!w)
    return;
  free(w->list);
  bins_free(&w->stl);
  free(w);
}

/* `density` must outlive the walls. `reach`: the longest side of an element. */
ig_status ig_surface_walls_new(ig_ctx *cx, const ig_topopt_grid_model *m, const double *density,
                               bool mirror, ig_surface_walls **out) {
  ig_surface_walls *w;
  *out = NULL;
  IG_TRY(IG_NEW(cx, &w, 1, "faces of the case"));
  w->cx = cx;
  w->m = m;
  w->density = density;
  for (int d = 0; d < 3; d++) {
    w->reach = fmax(w->reach, m->h[d]);
    w->high[d] = m->whole.n[d] * m->h[d];
  }
  for (int i = 0; mirror && i < m->c->symmetry.count; i++) {
    const char *plane = m->c->symmetry.value[i];
    w->side[plane[0] - 'x'] = plane[1] == '+' ? 1 : -1;
  }
  ig_status status = walls_of_case(w);
  if (status == IG_OK)
    status = stl_take(w);
  if (status != IG_OK) {
    ig_surface_walls_free(w);
    return status;
  }
  *out = w;
  return IG_OK;
}

/* All vertices move at once, by normals of the surface as it was; then folds are undone. */
ig_status ig_surface_walls_snap(const ig_surface_walls *w, ig_topopt_part *s, int32_t *on) {
  double(*normal)[3] = NULL;
  float(*before)[3] = NULL;
  ig_status status = normals_make(w, s, &normal);
  if (status == IG_OK)
    status = IG_NEW(w->cx, &before, (size_t)s->vertices + 1, "surface");
  if (status == IG_OK) {
    if (s->vertices > 0) // an empty part has no vertices to point at
      memcpy(before, s->vertex, (size_t)s->vertices * sizeof *before);
    for (int64_t v = 0; v < s->vertices; v++)
      vertex_snap(w, normal[v], s->vertex[v], &on[v]);
    folds_undo(s, (const float(*)[3])before, on);
    ig_topopt_part_measure(w->cx, s);
  }
  free(normal);
  free(before);
  return status;
}

/* --- what is left off a wall --- */

/* Of vertices: the face that would take them (0: none), the distance to it, and neighbours on it
   less those that are not. */
typedef struct {
  double (*normal)[3], *by;
  int32_t *face, *beside;
} looks;

static void looks_free(looks *k) {
  free(k->normal);
  free(k->by);
  free(k->face);
  free(k->beside);
}

static ig_status looks_make(const ig_surface_walls *w, const ig_topopt_part *s, looks *k) {
  const size_t n = (size_t)s->vertices + 1;
  IG_TRY(normals_make(w, s, &k->normal));
  IG_TRY(IG_NEW(w->cx, &k->by, n, "surface"));
  IG_TRY(IG_NEW(w->cx, &k->face, n, "surface"));
  IG_TRY(IG_NEW(w->cx, &k->beside, n, "surface"));
  for (int64_t v = 0; v < s->vertices; v++) {
    float at[3];
    double square = 0;
    memcpy(at, s->vertex[v], sizeof at);
    vertex_snap(w, k->normal[v], at, &k->face[v]);
    for (int d = 0; d < 3; d++)
      square += pow((double)at[d] - (double)s->vertex[v][d], 2);
    k->by[v] = sqrt(square);
  }
  for (int64_t t = 0; t < s->triangles; t++)
    for (int i = 0; i < 6; i++) {
      const int32_t v = s->triangle[t][i / 2], other = s->triangle[t][(i / 2 + 1 + i % 2) % 3];
      k->beside[v] += k->face[other] == k->face[v] && k->by[other] < 1e-3 * w->reach ? 1 : -1;
    }
  return IG_OK;
}

/* Where the design leaves a face, vertices next to it are not on it either: those count as off it
   that are nearer than half an element and have more neighbours on it than not. */
static bool is_off(const ig_surface_walls *w, const looks *k, int64_t v) {
  return k->face[v] && k->beside[v] > 0 && k->by[v] >= 0.02 * w->reach &&
         k->by[v] <= 0.5 * w->reach;
}

ig_status ig_surface_walls_again(const ig_surface_walls *w, ig_topopt_part *s, int32_t *on) {
  stars st = {0};
  looks k = {0};
  ig_status status = looks_make(w, s, &k);
  if (status == IG_OK)
    status = stars_make(w->cx, s, &st);
  for (int64_t v = 0; v < s->vertices && status == IG_OK; v++) {
    float was[3];
    on[v] = k.by[v] < 1e-3 * w->reach ? k.face[v] : 0;
    if (!is_off(w, &k, v))
      continue;
    memcpy(was, s->vertex[v], sizeof was);
    vertex_snap(w, k.normal[v], s->vertex[v], &on[v]);
    if (!turns_over(s, &st, v, was))
      continue;
    on[v] = 0;
    memcpy(s->vertex[v], was, sizeof was);
  }
  stars_free(&st);
  looks_free(&k);
  return status;
}

ig_status ig_surface_walls_off(const ig_surface_walls *w, const ig_topopt_part *s,
                               ig_surface_off *off) {
  looks k = {0};
  *off = (ig_surface_off){0};
  const ig_status status = looks_make(w, s, &k);
  for (int64_t v = 0; v < s->vertices && status == IG_OK; v++) {
    if (!is_off(w, &k, v))
      continue;
    off->count++;
    if (k.by[v] <= off->most)
      continue;
    off->most = k.by[v];
    for (int d = 0; d < 3; d++)
      off->at[d] = (double)s->vertex[v][d];
  }
  looks_free(&k);
  return status;
}
