/* Surfaces of triangles (STL, OBJ, 3MF): welding, survey (closed? oriented? volume), conversion to
   voxels. */
#include "mesh/tri_surface.h"
#include "core/union_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ig_tri_surface_free(ig_tri_surface *s) {
  free(s->x);
  free(s->corner);
  memset(s, 0, sizeof *s);
}

/* --- welding: STL stores each triangle with its own corners. Corners closer than a millionth of
   the part's size become one; single precision, in which STL stores them, is slightly finer than
   that. */

/* Spatial hash of the nodes kept so far; cells have the size of the tolerance. */
typedef struct {
  const ig_tri_surface *s;
  size_t mask;
  ig_lid *slot; /* node + 1; 0: empty */
  double low[3], cell;
} places;

/* Any mixing of the three cell numbers; collisions only cost time. */
static uint64_t cell_hash(const int64_t *c) {
  uint64_t h = 0;
  for (int d = 0; d < 3; d++) {
    h = (h ^ (uint64_t)c[d]) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

static void cell_of(const places *p, const double *x, int64_t *c) {
  for (int d = 0; d < 3; d++)
    c[d] = (int64_t)floor((x[d] - p->low[d]) / p->cell);
}

/* A kept node within the tolerance of x in one cell, -1: none. *free: slot for a new node of that
   cell. */
static ig_lid near_in_cell(const places *p, const double *x, const int64_t *c, size_t *free) {
  size_t i = cell_hash(c) & p->mask;
  for (; p->slot[i]; i = (i + 1) & p->mask) {
    const double *y = &p->s->x[3 * (size_t)(p->slot[i] - 1)];
    if (fabs(x[0] - y[0]) <= p->cell && fabs(x[1] - y[1]) <= p->cell &&
        fabs(x[2] - y[2]) <= p->cell)
      return p->slot[i] - 1;
  }
  *free = i;
  return -1;
}

/* The own cell first, because its free slot is needed and most partners are there; then the 26
   around it. */
static ig_lid node_near(const places *p, const double *x, size_t *free) {
  int64_t c[3];
  size_t other;
  cell_of(p, x, c);
  ig_lid found = near_in_cell(p, x, c, free);
  for (int k = 0; k < 27 && found < 0; k++) {
    const int64_t next[3] = {c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1};
    found = near_in_cell(p, x, next, &other);
  }
  return found;
}

/* Triangles with two equal corners have no area and are dropped. */
static void triangles_renumber(ig_tri_surface *s, const ig_lid *to) {
  ig_lid kept = 0;
  for (ig_lid t = 0; t < s->triangles; t++) {
    const ig_lid *from = &s->corner[3 * (size_t)t];
    const ig_lid a = to[from[0]], b = to[from[1]], c = to[from[2]];
    if (a == b || b == c || c == a)
      continue;
    ig_lid *into = &s->corner[3 * (size_t)kept++];
    into[0] = a, into[1] = b, into[2] = c;
  }
  s->triangles = kept;
}

/* Nodes are compacted in place while they are read, so x is copied before it may be overwritten.
   Corners of an STL file repeat each point: those within a small share of the size become one. */
ig_status ig_tri_surface_weld(ig_ctx *cx, ig_tri_surface *s) {
  places p = {.s = s, .mask = 1023, .low = {INFINITY, INFINITY, INFINITY}};
  double size = 0;
  for (size_t d = 0; d < 3; d++) {
    double high = -INFINITY;
    for (size_t n = 0; n < (size_t)s->nodes; n++) {
      p.low[d] = fmin(p.low[d], s->x[3 * n + d]);
      high = fmax(high, s->x[3 * n + d]);
    }
    size = fmax(size, high - p.low[d]);
  }
  p.cell = size > 0 ? 1e-6 * size : 1;
  while (p.mask < 2 * (size_t)s->nodes)
    p.mask = 2 * p.mask + 1;
  ig_lid *to = NULL, nodes = 0;
  ig_status status = IG_NEW(cx, &p.slot, p.mask + 1, "surface");
  if (status == IG_OK)
    status = IG_NEW(cx, &to, s->nodes, "surface");
  for (ig_lid n = 0; n < s->nodes && status == IG_OK; n++) {
    const double x[3] = {s->x[3 * (size_t)n], s->x[3 * (size_t)n + 1], s->x[3 * (size_t)n + 2]};
    size_t free_slot = 0;
    to[n] = node_near(&p, x, &free_slot);
    if (to[n] >= 0)
      continue;
    memcpy(&s->x[3 * (size_t)nodes], x, sizeof x);
    p.slot[free_slot] = nodes + 1;
    to[n] = nodes++;
  }
  if (status == IG_OK) {
    s->nodes = nodes;
    triangles_renumber(s, to);
  }
  free(p.slot);
  free(to);
  return status;
}

/* --- edges */

/* An edge as its triangle sees it: nodes in rising order, and the direction. */
typedef struct {
  ig_lid low, high;
  int way; /* 1: from low to high */
} rim;

/* By the lower node, then by the higher: the same edge of two triangles compares equal. */
static int edge_compare(const void *p, const void *q) {
  const rim *a = p, *b = q;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  return a->high < b->high ? -1 : a->high > b->high;
}

/* Distance of two points, m. */
static double apart(const double *a, const double *b) {
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Of the points of one rim (root) the one farthest from `from`. */
static const double *farthest(const ig_tri_surface *s, const rim *open, ig_lid count,
                              ig_lid *parent, ig_lid root, const double *from) {
  const double *far = from;
  for (ig_lid i = 0; i < count; i++)
    for (int end = 0; end < 2 && ig_union_root(parent, open[i].low) == root; end++) {
      const double *x = &s->x[3 * (size_t)(end ? open[i].high : open[i].low)];
      far = apart(x, from) > apart(far, from) ? x : far;
    }
  return far;
}

/* Whether all points of a rim are on one line: a seam, where the corners of one side lie on an edge
   of the other. There is no opening, although edges do not match. Two passes of `farthest` give the
   ends of the line. */
static bool is_seam(const ig_tri_surface *s, const rim *open, ig_lid count, ig_lid *parent,
                    ig_lid root, double tolerance) {
  const double *a = farthest(s, open, count, parent, root, &s->x[3 * (size_t)root]);
  const double *b = farthest(s, open, count, parent, root, a);
  const double length = apart(a, b);
  for (ig_lid i = 0; i < count && length > tolerance; i++)
    for (int end = 0; end < 2 && ig_union_root(parent, open[i].low) == root; end++) {
      const double *x = &s->x[3 * (size_t)(end ? open[i].high : open[i].low)];
      double cross = 0;
      for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        cross += pow((x[e] - a[e]) * (b[f] - a[f]) - (x[f] - a[f]) * (b[e] - a[e]), 2);
      }
      if (sqrt(cross) > tolerance * length)
        return false;
    }
  return true;
}

/* Groups open edges into rims (connected by nodes, union-find) and classifies them as holes or
   seams. The test for seams is linear in the open edges, so it stops after 1000 holes. */
static void holes_count(const ig_tri_surface *s, const rim *open, ig_lid count, ig_lid *parent,
                        ig_lid *size, ig_tri_surface_survey *v) {
  for (ig_lid n = 0; n < s->nodes; n++)
    parent[n] = n, size[n] = 0;
  for (ig_lid i = 0; i < count; i++)
    parent[ig_union_root(parent, open[i].low)] = ig_union_root(parent, open[i].high);
  for (ig_lid i = 0; i < count; i++)
    size[ig_union_root(parent, open[i].low)]++;
  /* 1e-5 of the diagonal: corners on an edge are there up to the single precision of the file. */
  const double tolerance = 1e-5 * apart(v->low, v->high);
  ig_lid longest = -1;
  for (ig_lid n = 0; n < s->nodes; n++) {
    if (!size[n])
      continue;
    if (v->holes < 1000 && is_seam(s, open, count, parent, n, tolerance)) {
      v->seams++;
      continue;
    }
    v->holes++;
    v->open_edges += size[n];
    longest = longest < 0 || size[n] > size[longest] ? n : longest;
  }
  v->hole_edges = longest < 0 ? 0 : size[longest];
  for (ig_lid i = 0; i < count && longest >= 0; i++)
    if (ig_union_root(parent, open[i].low) == longest)
      for (size_t d = 0; d < 3; d++)
        v->hole[d] += 0.5 *
                      (s->x[3 * (size_t)open[i].low + d] + s->x[3 * (size_t)open[i].high + d]) /
                      v->hole_edges;
}

/* Edges sorted by nodes: a closed surface has each edge twice, in opposite directions if it is
   consistently oriented. All edges sorted: one triangle at an edge is a hole, three are crowded;
   two must run against each other. Rims are counted by merging their ends (union-find). */
static ig_status edges_look(ig_ctx *cx, const ig_tri_surface *s, ig_tri_surface_survey *v) {
  const size_t count = 3 * (size_t)s->triangles;
  rim *all = NULL;
  ig_lid *parent = NULL, *size = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &all, count, "edges"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &parent, s->nodes, "edges"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &size, s->nodes, "edges"));
  for (size_t i = 0; i < count; i++) {
    const ig_lid a = s->corner[i], b = s->corner[i % 3 == 2 ? i - 2 : i + 1];
    all[i] = a < b ? (rim){a, b, 1} : (rim){b, a, -1};
  }
  if (count)
    qsort(all, count, sizeof *all, edge_compare);
  v->oriented = true;
  ig_lid single = 0;
  for (size_t i = 0, next; i < count; i = next) {
    int sum = 0;
    for (next = i; next < count && edge_compare(&all[i], &all[next]) == 0; next++)
      sum += all[next].way;
    if (next - i == 1)
      all[single++] = all[i]; /* behind the reading place: gathered in front */
    v->crowded_edges += next - i > 2;
    v->oriented = v->oriented && (sum == 0 || next - i == 1);
  }
  holes_count(s, all, single, parent, size, v);
done:
  free(all);
  free(parent);
  free(size);
  return status;
}

/* Volume by the divergence theorem: sum of x . n A / 3 over triangles, with n A = n / 2. */
ig_status ig_tri_surface_look(ig_ctx *cx, const ig_tri_surface *s, ig_tri_surface_survey *v) {
  *v = (ig_tri_surface_survey){.low = {INFINITY, INFINITY, INFINITY},
                               .high = {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t n = 0; n < (size_t)s->nodes; n++)
    for (size_t d = 0; d < 3; d++) {
      v->low[d] = fmin(v->low[d], s->x[3 * n + d]);
      v->high[d] = fmax(v->high[d], s->x[3 * n + d]);
    }
  for (size_t t = 0; t < (size_t)s->triangles; t++) {
    const double *x[3];
    double a[3], b[3], n[3];
    for (size_t k = 0; k < 3; k++)
      x[k] = &s->x[3 * (size_t)s->corner[3 * t + k]];
    for (int d = 0; d < 3; d++) {
      a[d] = x[1][d] - x[0][d];
      b[d] = x[2][d] - x[0][d];
    }
    for (int d = 0; d < 3; d++)
      n[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    v->area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int d = 0; d < 3; d++) /* about the lowest corner, where little cancels */
      v->volume += (x[0][d] - v->low[d]) * n[d] / 6;
  }
  return edges_look(cx, s, v);
}

/* --- voxels: rays through the centres of voxel columns. The number of crossings below a centre
   tells whether it is inside. A ray through an edge or a corner must cross exactly one of the
   triangles there; this is done by symbolic perturbation: the ray counts as moved by an
   infinitesimal amount to one side, the same for all triangles. */

/* Where a ray meets a triangle, and in which direction it passes. */
typedef struct {
  double at; /* along the ray */
  int way;
} crossing;

static int crossing_compare(const void *p, const void *q) {
  const crossing *a = p, *b = q;
  return a->at < b->at ? -1 : a->at > b->at ? 1 : a->way - b->way;
}

/* Twice the signed area of the triangle (p, a, b) in projection. It is always computed from the
   lower end of the edge to the other, so that both triangles at the edge get the same number with
   opposite signs. *side: sign, never 0; ties are decided by the direction of the edge (the
   perturbation). */
static double edge_area(const double *a, const double *b, double px, double py, int *side) {
  const bool turned = a[0] > b[0] || (a[0] == b[0] && a[1] > b[1]);
  const double *from = turned ? b : a, *to = turned ? a : b;
  const double dx = to[0] - from[0], dy = to[1] - from[1];
  const double area = dx * (py - from[1]) - dy * (px - from[0]);
  *side = area > 0 ? 1 : area < 0 ? -1 : dy != 0 ? (dy > 0 ? -1 : 1) : dx >= 0 ? 1 : -1;
  *side = turned ? -*side : *side;
  return turned ? -area : area;
}

/* Where the ray at (px, py) meets a triangle whose third coordinate is along the ray; false: it
   does not. */
/* Never inlined or cloned: both passes must see the same bits, or their counts differ. */
__attribute__((noinline, noclone)) static bool ray_meets(double t[3][3], double px, double py,
                                                         crossing *c) {
  double area[3];
  int side[3];
  for (int k = 0; k < 3; k++)
    area[k] = edge_area(t[k], t[(k + 1) % 3], px, py, &side[k]);
  const double sum = area[0] + area[1] + area[2];
  if (side[0] != side[1] || side[1] != side[2] || sum == 0)
    return false;
  /* Barycentric interpolation of the coordinate along the ray. */
  c->at = (area[0] * t[2][2] + area[1] * t[0][2] + area[2] * t[1][2]) / sum;
  c->way = side[0];
  return true;
}

/* A bundle of rays along one axis. edge: of a voxel, m; n: voxels per axis. */
typedef struct {
  const ig_tri_surface *s;
  const double *low;
  const ig_lid *n;
  double edge;
  int axis[3]; /* across, across, along */
} rays;

/* Columns whose centres a triangle may cover: *from to *to - 1 along direction d. */
static void columns_of(const rays *r, const double t[3][3], int d, ig_lid *from, ig_lid *to) {
  const double least = fmin(fmin(t[0][d], t[1][d]), t[2][d]);
  const double most = fmax(fmax(t[0][d], t[1][d]), t[2][d]);
  const ig_lid n = r->n[r->axis[d]];
  const double a = floor((least - r->low[r->axis[d]]) / r->edge - 0.5);
  const double b = ceil((most - r->low[r->axis[d]]) / r->edge - 0.5) + 1;
  *from = a < 0 ? 0 : a > n ? n : (ig_lid)a;
  *to = b < 0 ? 0 : b > n ? n : (ig_lid)b;
}

/* One pass over all triangles: counts the crossings of each column into start[column + 1], or with
   `out` writes them from next[column] on. */
static void cast(const rays *r, int64_t *start, int64_t *next, crossing *out) {
  const ig_lid wide = r->n[r->axis[0]];
  for (size_t k = 0; k < (size_t)r->s->triangles; k++) {
    double t[3][3];
    for (size_t a = 0; a < 3; a++)
      for (size_t d = 0; d < 3; d++)
        t[a][d] = r->s->x[3 * (size_t)r->s->corner[3 * k + a] + (size_t)r->axis[d]];
    ig_lid i0, i1, j0, j1;
    columns_of(r, t, 0, &i0, &i1);
    columns_of(r, t, 1, &j0, &j1);
    for (ig_lid j = j0; j < j1; j++)
      for (ig_lid i = i0; i < i1; i++) {
        crossing c;
        const size_t column = (size_t)j * (size_t)wide + (size_t)i;
        if (!ray_meets(t, r->low[r->axis[0]] + (i + 0.5) * r->edge,
                       r->low[r->axis[1]] + (j + 0.5) * r->edge, &c))
          continue;
        if (!out)
          start[column + 1]++;
        else if (next[column] < start[column + 1])
          out[next[column]++] = c;
      }
  }
}

/* Adds 1 to inside[] of the voxels whose centre is inside according to rays along the last axis.
   oriented: by the winding number, which also handles overlapping shells; otherwise by parity. */
static ig_status rays_fill(ig_ctx *cx, const rays *r, bool oriented, uint8_t *inside) {
  const ig_lid *n = r->n;
  const size_t wide = (size_t)n[r->axis[0]], tall = (size_t)n[r->axis[1]], columns = wide * tall;
  int64_t *start = NULL, *next = NULL;
  crossing *all = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &start, columns + 1, "voxels"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &next, columns + 1, "voxels"));
  cast(r, start, NULL, NULL);
  for (size_t c = 0; c < columns; c++)
    start[c + 1] += start[c];
  IG_TRY_GOTO(status, done, IG_NEW(cx, &all, start[columns] ? start[columns] : 1, "voxels"));
  memcpy(next, start, columns * sizeof *next);
  cast(r, start, next, all);
  for (size_t c = 0; c < columns; c++) {
    const int64_t from = start[c], to = next[c];
    if (to > from)
      qsort(all + from, (size_t)(to - from), sizeof *all, crossing_compare);
    int64_t at = from;
    int winding = 0;
    for (ig_lid k = 0; k < n[r->axis[2]]; k++) {
      const double middle = r->low[r->axis[2]] + (k + 0.5) * r->edge;
      for (; at < to && all[at].at <= middle; at++)
        winding += oriented ? all[at].way : 1;
      ig_lid ijk[3];
      ijk[r->axis[0]] = (ig_lid)(c % wide);
      ijk[r->axis[1]] = (ig_lid)(c / wide);
      ijk[r->axis[2]] = k;
      const bool in = oriented ? winding != 0 : winding % 2 != 0;
      inside[((size_t)ijk[2] * (size_t)n[1] + (size_t)ijk[1]) * (size_t)n[0] + (size_t)ijk[0]] +=
          in;
    }
  }
done:
  free(start);
  free(next);
  free(all);
  return status;
}

ig_status ig_tri_surface_voxels(ig_ctx *cx, const ig_tri_surface *soup, const double *low,
                                double edge, const ig_lid *n, bool oriented, bool vote,
                                uint8_t *inside) {
  const size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  memset(inside, 0, count);
  for (int axis = vote ? 0 : 2; axis < 3; axis++) {
    const rays r = {soup, low, n, edge, {(axis + 1) % 3, (axis + 2) % 3, axis}};
    IG_TRY(rays_fill(cx, &r, oriented, inside));
  }
  for (size_t i = 0; i < count; i++)
    inside[i] = inside[i] >= (vote ? 2 : 1);
  return IG_OK;
}
