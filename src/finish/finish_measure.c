/* Measured on the surface: the smallest member and gap, and diameters of holes.

   From the middle of every triangle a ray goes inwards to the opposite wall, and one outwards to
   the next. Only walls that face each other within 45 degrees count, so that a wedge is no thin
   member. The smallest is the value below which lies a hundredth of the area that has an opposite
   wall. */
#include "finish/finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ig_topopt_part *s;
  int n[3];
  double low[3], cell;
  int32_t *start, *item; /* triangles whose box touches a cell */
} bins;

static void corner_of(const ig_topopt_part *s, int64_t t, int i, double x[3]) {
  for (int d = 0; d < 3; d++)
    x[d] = (double)s->vertex[s->triangle[t][i]][d];
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Twice the area times the normal. */
static void normal_of(const ig_topopt_part *s, int64_t t, double n[3]) {
  double a[3], b[3], c[3];
  corner_of(s, t, 0, a);
  corner_of(s, t, 1, b);
  corner_of(s, t, 2, c);
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, g = (d + 2) % 3;
    n[d] = (b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e]);
  }
}

static int cell_at(const bins *b, int d, double x) {
  const int i = (int)floor((x - b->low[d]) / b->cell);
  return i < 0 ? 0 : i >= b->n[d] ? b->n[d] - 1 : i;
}

/* Every cell that the box of a triangle touches: counts, or fills. */
static void triangle_bin(bins *b, int64_t t, bool fill) {
  int from[3], to[3];
  for (int d = 0; d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 3; i++) {
      double x[3];
      corner_of(b->s, t, i, x);
      low = fmin(low, x[d]);
      high = fmax(high, x[d]);
    }
    from[d] = cell_at(b, d, low);
    to[d] = cell_at(b, d, high);
  }
  for (int k = from[2]; k <= to[2]; k++)
    for (int j = from[1]; j <= to[1]; j++)
      for (int i = from[0]; i <= to[0]; i++) {
        int32_t *at = &b->start[((int64_t)k * b->n[1] + j) * b->n[0] + i];
        if (fill)
          b->item[--*at] = (int32_t)t;
        else
          ++*at;
      }
}

/* Cells of `size`, larger where there would be too many. */
static ig_status bins_make(ig_ctx *cx, const ig_topopt_part *s, double size, bins *b) {
  double high[3] = {-INFINITY, -INFINITY, -INFINITY}, cells = 1;
  *b = (bins){.s = s, .low = {INFINITY, INFINITY, INFINITY}};
  for (int64_t i = 0; i < 3 * s->vertices; i++) {
    b->low[i % 3] = fmin(b->low[i % 3], (double)s->vertex[i / 3][i % 3]);
    high[i % 3] = fmax(high[i % 3], (double)s->vertex[i / 3][i % 3]);
  }
  for (int d = 0; d < 3; d++)
    cells *= fmax(1, (high[d] - b->low[d]) / size);
  b->cell = size * fmax(1, cbrt(cells / 4e6));
  for (int d = 0; d < 3; d++)
    b->n[d] = 1 + (int)((high[d] - b->low[d]) / b->cell);
  const int64_t all = (int64_t)b->n[0] * b->n[1] * b->n[2];
  IG_TRY(IG_NEW(cx, &b->start, (size_t)all + 1, "measuring"));
  for (int64_t t = 0; t < s->triangles; t++)
    triangle_bin(b, t, false);
  for (int64_t c = 1; c <= all; c++) /* ends of cells; filling moves them to the beginnings */
    b->start[c] += b->start[c - 1];
  IG_TRY(IG_NEW(cx, &b->item, (size_t)b->start[all] + 1, "measuring"));
  for (int64_t t = 0; t < s->triangles; t++)
    triangle_bin(b, t, true);
  return IG_OK;
}

/* Where a ray meets a triangle (Moeller and Trumbore), INFINITY: nowhere. */
static double meets(const ig_topopt_part *s, int64_t t, const double x[3], const double d[3]) {
  double a[3], u[3], v[3], p[3], q[3], w[3];
  corner_of(s, t, 0, a);
  corner_of(s, t, 1, u);
  corner_of(s, t, 2, v);
  for (int i = 0; i < 3; i++) {
    u[i] -= a[i];
    v[i] -= a[i];
    w[i] = x[i] - a[i];
  }
  for (int i = 0; i < 3; i++) {
    const int e = (i + 1) % 3, g = (i + 2) % 3;
    p[i] = d[e] * v[g] - d[g] * v[e];
    q[i] = w[e] * u[g] - w[g] * u[e];
  }
  const double det = dot(u, p);
  if (det == 0)
    return INFINITY;
  const double first = dot(w, p) / det, second = dot(d, q) / det, at = dot(v, q) / det;
  return first >= 0 && second >= 0 && first + second <= 1 && at > 0 ? at : INFINITY;
}

/* Distance along the ray to the next wall, and its triangle; own: the one it starts from. */
static double next_wall(const bins *b, int64_t own, const double x[3], const double d[3],
                        int64_t *wall) {
  int at[3], go[3];
  double next[3], by[3], best = INFINITY;
  for (int i = 0; i < 3; i++) {
    at[i] = cell_at(b, i, x[i]);
    go[i] = d[i] > 0 ? 1 : -1;
    by[i] = d[i] != 0 ? b->cell / fabs(d[i]) : INFINITY;
    next[i] = d[i] != 0 ? (b->low[i] + (at[i] + (d[i] > 0)) * b->cell - x[i]) / d[i] : INFINITY;
  }
  for (;;) {
    const int64_t c = ((int64_t)at[2] * b->n[1] + at[1]) * b->n[0] + at[0];
    const int axis = next[0] <= next[1] && next[0] <= next[2] ? 0 : next[1] <= next[2] ? 1 : 2;
    for (int32_t k = b->start[c]; k < b->start[c + 1]; k++) {
      const double hit = b->item[k] == own ? INFINITY : meets(b->s, b->item[k], x, d);
      if (hit < best) {
        best = hit;
        *wall = b->item[k];
      }
    }
    at[axis] += go[axis];
    if (best <= next[axis] || at[axis] < 0 || at[axis] >= b->n[axis] || !isfinite(next[axis]))
      return best;
    next[axis] += by[axis];
  }
}

typedef struct {
  double length, area;
} sample;

static int by_length(const void *a, const void *b) {
  const double p = ((const sample *)a)->length, q = ((const sample *)b)->length;
  return p < q ? -1 : p > q;
}

/* side -1: inwards, members; 1: outwards, gaps. NaN: there are no opposite walls. */
static ig_status smallest(ig_ctx *cx, const bins *b, int side, double *length) {
  const ig_topopt_part *s = b->s;
  sample *of;
  int64_t count = 0;
  double all = 0, sum = 0;
  IG_TRY(IG_NEW(cx, &of, (size_t)s->triangles + 1, "measuring"));
  for (int64_t t = 0; t < s->triangles; t++) {
    double n[3], m[3], x[3], y[3] = {0, 0, 0};
    int64_t wall = -1;
    normal_of(s, t, n);
    const double size = sqrt(dot(n, n));
    if (!(size > 0))
      continue;
    for (int i = 0; i < 3; i++) {
      corner_of(s, t, i, x);
      for (int d = 0; d < 3; d++)
        y[d] += x[d] / 3;
    }
    for (int d = 0; d < 3; d++)
      n[d] *= side / size;
    const double at = next_wall(b, t, y, n, &wall);
    if (wall < 0)
      continue;
    normal_of(s, wall, m);
    /* the ray meets the wall from its inner side where it goes inwards */
    if (-side * dot(n, m) < sqrt(0.5) * sqrt(dot(m, m)))
      continue;
    of[count++] = (sample){at, size};
    all += size;
  }
  qsort(of, (size_t)count, sizeof *of, by_length);
  *length = NAN;
  for (int64_t i = 0; i < count && isnan(*length); i++) {
    sum += of[i].area;
    if (sum >= 0.01 * all)
      *length = of[i].length;
  }
  free(of);
  return IG_OK;
}

ig_status ig_finish_measure(const ig_finished *f, double *member, double *gap) {
  bins b;
  ig_status status = bins_make(f->cx, &f->surface, f->edge, &b);
  if (status == IG_OK)
    status = smallest(f->cx, &b, -1, member);
  if (status == IG_OK)
    status = smallest(f->cx, &b, 1, gap);
  free(b.start);
  free(b.item);
  return status;
}

/* Distances of the surface's vertices from the axis of a cylinder, between its ends, within half an
   element of its wall. */
bool ig_finish_hole(const ig_finished *f, const ig_in_cylinder *c, double diameter[2]) {
  double axis[3], length = 0;
  for (int d = 0; d < 3; d++) {
    axis[d] = c->to.value[d] - c->from.value[d];
    length += axis[d] * axis[d];
  }
  length = sqrt(length);
  diameter[0] = INFINITY;
  diameter[1] = 0;
  for (int64_t v = 0; v < f->surface.vertices; v++) {
    double r[3], along = 0, square = 0;
    for (int d = 0; d < 3; d++) {
      r[d] = (double)f->surface.vertex[v][d] - c->from.value[d];
      along += r[d] * axis[d] / length;
    }
    for (int d = 0; d < 3; d++) {
      const double by = r[d] - along * axis[d] / length;
      square += by * by;
    }
    /* not the faces that the hole ends in */
    const double rim = 0.01 * f->edge;
    if (along < rim || along > length - rim || fabs(sqrt(square) - c->radius) > 0.5 * f->edge)
      continue;
    diameter[0] = fmin(diameter[0], 2 * sqrt(square));
    diameter[1] = fmax(diameter[1], 2 * sqrt(square));
  }
  return diameter[1] > 0;
}
