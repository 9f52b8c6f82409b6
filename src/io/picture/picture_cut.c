/* A surface cut by a plane across an axis: the part below with the section closed, or the section
   alone. New corners are points between two points of the snapshot, so fields are interpolated
   exactly as coordinates. */
#include "io/picture/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* VTK cell types. */
enum { TRIANGLE = 5, QUAD = 9, QUADRATIC_TRIANGLE = 22, QUADRATIC_QUAD = 23 };

/* Of a cut point the coordinates are interpolated. */
void ig_surface_at(const ig_snapshot *snap, const ig_surface *s, int64_t id, double p[3]) {
  if (id < snap->points) {
    memcpy(p, &snap->point[3 * id], 3 * sizeof *p);
    return;
  }
  const ig_between *b = &s->between[id - snap->points];
  for (int c = 0; c < 3; c++)
    p[c] = (1 - b->t) * snap->point[3 * b->a + c] + b->t * snap->point[3 * b->b + c];
}

/* Points made by a cut lie between two others, and so does their value. */
double ig_surface_value(const ig_snapshot *snap, const ig_surface *s, const ig_scalar *scalar,
                        int64_t cell, int64_t id) {
  if (scalar->field->where == IG_AT_CELLS)
    return ig_scalar_value(scalar, cell);
  if (id < snap->points)
    return ig_scalar_value(scalar, id);
  const ig_between *b = &s->between[id - snap->points];
  return (1 - b->t) * ig_scalar_value(scalar, b->a) + b->t * ig_scalar_value(scalar, b->b);
}

/* A surface under construction. */
typedef struct {
  ig_ctx *cx;
  const ig_snapshot *snap;
  ig_surface made;
  int64_t capacity[3]; /* for triangles, rods, points between */
  int axis;
  double at;
  ig_solid last;
  ig_status status;
} cut;

/* Signed distance from the plane; <= 0 is kept. */
static double side(const cut *k, int64_t id) {
  return k->snap->point[3 * id + k->axis] - k->at;
}

/* The first failure is kept in k->status; later calls do nothing. */
static bool grow(cut *k, void *list, int64_t count, int64_t capacity, size_t item) {
  void **p = list;
  void *more = realloc(*p, (size_t)capacity * item);
  if (!more) {
    k->status =
        IG_FAIL(k->cx, IG_MEMORY, "no memory for a cut of %lld triangles", (long long)count);
    return false;
  }
  *p = more;
  return true;
}

/* The point where the edge a-b meets the plane. Points are not shared between neighbours; a picture
   does not need that. */
static int64_t between(cut *k, int64_t a, int64_t b) {
  ig_surface *s = &k->made;
  if (s->betweens == k->capacity[2]) {
    const int64_t capacity = 2 * k->capacity[2] + 256;
    if (!grow(k, &s->between, s->triangles, capacity, sizeof *s->between))
      return a;
    k->capacity[2] = capacity;
  }
  const double fa = side(k, a), fb = side(k, b);
  s->between[s->betweens] = (ig_between){a, b, fa / (fa - fb)};
  return k->snap->points + s->betweens++;
}

/* Appends to the section; after a failure nothing more is added, and the status says so. */
static void triangle(cut *k, int64_t a, int64_t b, int64_t c, unsigned edges, int64_t cell) {
  ig_surface *s = &k->made;
  if (k->status != IG_OK)
    return;
  if (s->triangles == k->capacity[0]) {
    /* Capacity doubles, so that adding is cheap on average. */
    const int64_t capacity = 2 * k->capacity[0] + 256;
    if (!grow(k, &s->corner, s->triangles, 3 * capacity, sizeof *s->corner) ||
        !grow(k, &s->cell, s->triangles, capacity, sizeof *s->cell) ||
        !grow(k, &s->edges, s->triangles, capacity, sizeof *s->edges))
      return;
    k->capacity[0] = capacity;
  }
  s->corner[3 * s->triangles] = a;
  s->corner[3 * s->triangles + 1] = b;
  s->corner[3 * s->triangles + 2] = c;
  s->edges[s->triangles] = (uint8_t)edges;
  s->cell[s->triangles++] = cell;
}

/* Like triangle, for lines of beams and of cut shells. */
static void rod(cut *k, int64_t a, int64_t b, int64_t cell) {
  ig_surface *s = &k->made;
  if (k->status != IG_OK)
    return;
  if (s->rods == k->capacity[1]) {
    const int64_t capacity = 2 * k->capacity[1] + 64;
    if (!grow(k, &s->rod, s->rods, 2 * capacity, sizeof *s->rod) ||
        !grow(k, &s->rod_cell, s->rods, capacity, sizeof *s->rod_cell))
      return;
    k->capacity[1] = capacity;
  }
  s->rod[2 * s->rods] = a;
  s->rod[2 * s->rods + 1] = b;
  s->rod_cell[s->rods++] = cell;
}

/* The part of a triangle below the plane: nothing, itself, a triangle or a quadrilateral. */
static void triangle_clip(cut *k, const int64_t corner[3], unsigned edges, int64_t cell) {
  int64_t kept[4];
  int n = 0, above = 0;
  for (int i = 0; i < 3; i++)
    above += side(k, corner[i]) > 0;
  if (above == 0)
    triangle(k, corner[0], corner[1], corner[2], edges, cell);
  if (above == 0 || above == 3)
    return;
  for (int i = 0; i < 3; i++) {
    const int64_t a = corner[i], b = corner[(i + 1) % 3];
    if (side(k, a) <= 0)
      kept[n++] = a;
    if ((side(k, a) <= 0) != (side(k, b) <= 0))
      kept[n++] = between(k, a, b);
  }
  triangle(k, kept[0], kept[1], kept[2], 0, cell);
  if (n == 4)
    triangle(k, kept[0], kept[2], kept[3], 0, cell);
}

/* Section of a tetrahedron: a triangle (one corner apart) or a quadrilateral (two and two). */
static void tet_cut(cut *k, const int64_t node[4], int64_t cell) {
  int64_t above[4], below[4];
  int a = 0, b = 0;
  for (int i = 0; i < 4; i++)
    if (side(k, node[i]) > 0)
      above[a++] = node[i];
    else
      below[b++] = node[i];
  if (a == 1 || a == 3) {
    const int64_t one = a == 1 ? above[0] : below[0], *others = a == 1 ? below : above;
    triangle(k, between(k, one, others[0]), between(k, one, others[1]), between(k, one, others[2]),
             0, cell);
  } else if (a == 2) {
    const int64_t p = between(k, above[0], below[0]), q = between(k, above[0], below[1]),
                  r = between(k, above[1], below[1]), s = between(k, above[1], below[0]);
    triangle(k, p, q, r, 0, cell);
    triangle(k, p, r, s, 0, cell);
  }
}

/* Sections of a solid, cut into tetrahedra from its first corner to the triangles of the faces
   without it. Exact for convex cells. */
static void cell_cut(cut *k, int64_t c) {
  const ig_solid *kind = ig_solid_of(&k->last, k->snap->type[c]);
  const int64_t *corner = &k->snap->corner[k->snap->offset[c]];
  for (int f = 0; kind && f < kind->faces; f++) {
    const int8_t *n = kind->node[f];
    bool first = false;
    for (int i = 0; i < kind->corners[f]; i++)
      first |= n[i] == 0;
    for (int i = 2; i < kind->corners[f] && !first; i++) {
      const int64_t node[4] = {corner[0], corner[n[0]], corner[n[i - 1]], corner[n[i]]};
      tet_cut(k, node, c);
    }
  }
}

/* Section of a plate or shell cell: a line, drawn as a rod. */
static void face_cut(cut *k, int64_t c) {
  const int type = k->snap->type[c];
  const int64_t *corner = &k->snap->corner[k->snap->offset[c]];
  const int corners = type == QUAD || type == QUADRATIC_QUAD           ? 4
                      : type == TRIANGLE || type == QUADRATIC_TRIANGLE ? 3
                                                                       : 0;
  int64_t at[4];
  int n = 0;
  for (int i = 0; i < corners; i++) {
    const int64_t a = corner[i], b = corner[(i + 1) % corners];
    if ((side(k, a) <= 0) != (side(k, b) <= 0))
      at[n++] = between(k, a, b);
  }
  if (n == 2)
    rod(k, at[0], at[1], c);
}

/* Rods below the plane, shortened where they cross it. */
static void rods_clip(cut *k, const ig_surface *from) {
  for (int64_t r = 0; r < from->rods; r++) {
    const int64_t a = from->rod[2 * r], b = from->rod[2 * r + 1], cell = from->rod_cell[r];
    const bool low = side(k, a) <= 0, other = side(k, b) <= 0;
    if (low && other)
      rod(k, a, b, cell);
    else if (low != other)
      rod(k, low ? a : b, between(k, a, b), cell);
  }
}

/* low and high are the extent of the part along the axis, for the error message. Each cell is cut
   by the plane into a polygon, which becomes a fan. A plane that misses the body is refused with
   the range it has. */
ig_status ig_surface_cut(ig_ctx *cx, const ig_snapshot *snap, const uint8_t *keep, int axis,
                         double at, bool slice, ig_surface *surface) {
  cut k = {.cx = cx, .snap = snap, .axis = axis, .at = at, .made.flat = surface->flat};
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < 3 * surface->triangles + 2 * surface->rods; i++) {
    const int64_t j = i - 3 * surface->triangles;
    const double x = side(&k, j < 0 ? surface->corner[i] : surface->rod[j]) + at;
    low = fmin(low, x);
    high = fmax(high, x);
  }
  /* A clip keeps what is below the plane and closes the cut; a slice is the cut alone. */
  for (int64_t t = 0; t < surface->triangles && !slice; t++)
    triangle_clip(&k, &surface->corner[3 * t], surface->edges[t], surface->cell[t]);
  if (!slice)
    rods_clip(&k, surface);
  for (int64_t c = 0; c < snap->cells; c++)
    if (!keep || keep[c]) {
      cell_cut(&k, c);
      if (slice)
        face_cut(&k, c);
    }
  ig_surface_free(surface);
  *surface = k.made;
  if (k.status == IG_OK && surface->triangles + surface->rods == 0)
    return IG_FAIL(cx, IG_INPUT,
                   "nothing to draw: the plane %c = %g m does not meet the part, which "
                   "reaches from %g to %g m",
                   'x' + axis, at, low, high);
  return k.status;
}
