/* Triangles that can be meshed: marching tetrahedra leave slivers, which are collapsed, flipped and
   smoothed away while the surface stays where it was.

   Every vertex carries the planes of the triangles it came from (Garland and Heckbert 1997): the
   mean square of its distances to them, weighted by area, may not exceed the deviation. Edges and
   corners of the part stay what they are, since points off them are far from some plane. A collapse
   keeps the surface closed (the link condition), and no triangle may turn over.

   Threads work on chunks of triangles, the same ones whatever their number. In a round the vertices
   of a chunk's triangles are its own, but those that another chunk has, too: they stay as they are,
   so that no thread reads what another one changes. The next round's chunks are cut half a chunk
   further on. */
#include "core/threads.h"
#include "topopt/surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds of repair and smoothing, at most. */
enum { ROUNDS = 8 };
enum { CHUNK = 1 << 16 };          /* triangles */
static const double WANTED = 0.45; /* quality below which a triangle is worked on */
static const double SHORT = 0.35;  /* edges below this share of the mean are collapsed */
static const double TURN = 0.7;    /* cosine of the largest turn of a triangle in a collapse */
static const double FOLD = -0.95;  /* cosine between normals at the sharpest edge that is made */

/* Vertices that stay: the surface touches itself there; another chunk has them, too. */
enum { LOCK_PINCHED = 1, LOCK_SHARED = 2 };

typedef struct {
  ig_ctx *cx;
  int64_t vertices, triangles;
  double (*x)[3];
  int32_t (*corner)[3]; /* of triangles; [0] < 0: it has gone */
  int32_t *head, *next; /* corners (3 triangle + i) at a vertex, linked; -1: the end */
  double (*planes)[11]; /* of vertices: sums of w n n^T (6), w d n (3), w d^2, w */
  double (*flat)[11];   /* the same of flat faces: these are not left at all */
  const int32_t *on;    /* of vertices: the face they are to stay on, 0: none */
  const ig_surface_faces *faces;
  uint8_t *locked; /* vertices: LOCK_… */
  /* chunks of this round; their vertices: order[start[c]] ... */
  int64_t chunks, shift;
  int32_t *chunk; /* of vertices; -1: of several, or of no triangle */
  int32_t *order;
  int64_t *start;
  double deviation, edge;
  double shortest, longest; /* shorter edges are collapsed; no collapse makes a longer one */
} work;

static void minus(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[d] - b[d];
}
static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}
/* Twice the area times the unit normal. */
static void normal_of(const double *a, const double *b, const double *c, double *n) {
  double p[3], q[3];
  minus(b, a, p);
  minus(c, a, q);
  cross(p, q, n);
}
static double distance(const double *a, const double *b) {
  double d[3];
  minus(a, b, d);
  return sqrt(dot(d, d));
}

/* 2 r / R, twice the radius of the inscribed circle over that of the circumscribed one: 1 for an
   equilateral triangle, 0 for a degenerate one. With area A and sides p, q, r it is 16 A^2 / ((p
   + q + r) p q r); the normal's length is 2 A. */
double ig_topopt_triangle_quality(const double *a, const double *b, const double *c) {
  const double p = distance(b, c), q = distance(c, a), r = distance(a, b);
  const double product = (p + q + r) * p * q * r;
  double n[3];
  normal_of(a, b, c, n);
  return product > 0 ? 4 * dot(n, n) / product : 0;
}

static double quality(const work *w, const int32_t *t) {
  return ig_topopt_triangle_quality(w->x[t[0]], w->x[t[1]], w->x[t[2]]);
}

/* --- setting up --- */

/* At the front of the vertex's list. */
static void link_corner(work *w, int32_t corner) {
  const int32_t v = w->corner[corner / 3][corner % 3];
  w->next[corner] = w->head[v];
  w->head[v] = corner;
}

/* The quadric of a plane n.x + d = 0, weighted: 6 + 3 + 1 numbers, and the sum of weights. */
static void plane_add(double *p, const double *n, double d, double weight) {
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  for (int i = 0; i < 6; i++)
    p[i] += weight * n[at[i][0]] * n[at[i][1]];
  for (int i = 0; i < 3; i++)
    p[6 + i] += weight * d * n[i];
  p[9] += weight * d * d;
  p[10] += weight;
}

/* Mean square of the distances of a point to planes. */
static double offset(const double *p, const double *x) {
  const double square = p[0] * x[0] * x[0] + p[1] * x[1] * x[1] + p[2] * x[2] * x[2] +
                        2 * (p[3] * x[0] * x[1] + p[4] * x[1] * x[2] + p[5] * x[0] * x[2]);
  const double all = square + 2 * dot(p + 6, x) + p[9];
  return p[10] > 0 ? fmax(0, all / p[10]) : 0;
}

/* Triangles around a vertex, at most `most` of them; -1: there are more, or its fans are several
   (each neighbour must be in two of them). */
enum { STAR = 64 };
/* Lists of corners are not cleaned up when triangles go: entries that are out of date are passed
   over. */
static int star_of(const work *w, int32_t v, int32_t *star) {
  int count = 0;
  for (int32_t c = w->head[v]; c >= 0; c = w->next[c]) {
    const int32_t t = c / 3;
    if (w->corner[t][0] < 0 || w->corner[t][c % 3] != v)
      continue; /* it has gone, or belongs to another vertex by now */
    if (count == STAR)
      return -1;
    star[count++] = t;
  }
  return count;
}

/* The two other corners of a triangle, in its order. */
static void others(const int32_t *t, int32_t v, int32_t *a, int32_t *b) {
  const int i = t[0] == v ? 0 : t[1] == v ? 1 : 2;
  *a = t[(i + 1) % 3];
  *b = t[(i + 2) % 3];
}

/* One closed fan: following it from triangle to triangle comes back after all of them. A vertex
   with two fans is where the surface touches itself in a point; moving it could separate or join
   parts of the body. */
static bool one_fan(const work *w, int32_t v, const int32_t *star, int count) {
  int32_t a, b, first, at;
  if (count < 3)
    return false;
  others(w->corner[star[0]], v, &first, &at);
  for (int steps = 2; steps < count; steps++) { /* all but the last one */
    int i = 0;
    for (; i < count; i++) {
      others(w->corner[star[i]], v, &a, &b);
      if (a == at)
        break;
    }
    if (i == count || b == first)
      return false;
    at = b;
  }
  for (int i = 0; i < count; i++) {
    others(w->corner[star[i]], v, &a, &b);
    if (a == at && b == first)
      return true;
  }
  return false;
}

/* Planes that are not left: those of triangles in a side of the body. Where sides are not known, or
   triangles get another size, of three triangles or more in one plane at a vertex, too. */
static void flat_find(work *w, const ig_topopt_part *s, int32_t v, const int32_t *star, int count) {
  double n[STAR][3];
  for (int i = 0; i < count; i++) {
    const int32_t *c = w->corner[star[i]];
    normal_of(w->x[c[0]], w->x[c[1]], w->x[c[2]], n[i]);
    const double size = sqrt(dot(n[i], n[i]));
    for (int d = 0; d < 3; d++)
      n[i][d] = size > 0 ? n[i][d] / size : 0;
  }
  for (int i = 0; i < count; i++) {
    int alike = 0;
    for (int k = 0; k < count; k++)
      alike += dot(n[i], n[k]) > 1 - 1e-7;
    const bool side = w->faces->side && w->faces->side(w->faces->user, s, star[i]);
    if (side || ((!w->faces->side || isfinite(w->longest)) && alike >= 3))
      plane_add(w->flat[v], n[i], -dot(n[i], w->x[v]), 1);
  }
}

static int team_of(const work *w) {
  return ig_team(w->cx, w->vertices, IG_WORK_ELEMENT);
}

/* Sums of chunks in their order: the same for any number of threads. */
typedef double chunk_sum(const work *w, int64_t begin, int64_t end);
static ig_status chunks_sum(const work *w, chunk_sum *of, int64_t items, double *sum) {
  const int64_t count = (items + CHUNK - 1) / CHUNK;
  double *part;
  *sum = 0;
  IG_TRY(IG_NEW(w->cx, &part, count + 1, "surface"));
#pragma omp parallel for schedule(dynamic, 1) num_threads(team_of(w))
  for (int64_t c = 0; c < count; c++)
    part[c] = of(w, c * CHUNK, (c + 1) * CHUNK < items ? (c + 1) * CHUNK : items);
  for (int64_t c = 0; c < count; c++)
    *sum += part[c];
  free(part);
  return IG_OK;
}

static double edges_of(const work *w, int64_t begin, int64_t end) {
  double sum = 0;
  for (int64_t t = begin; t < end; t++)
    for (int i = 0; i < 3; i++)
      sum += distance(w->x[w->corner[t][i]], w->x[w->corner[t][(i + 1) % 3]]);
  return sum;
}
/* The mean length of edges. */
static ig_status edge_measure(work *w) {
  double sum;
  IG_TRY(chunks_sum(w, edges_of, w->triangles, &sum));
  w->edge = w->triangles > 0 ? sum / (3 * (double)w->triangles) : 0;
  return IG_OK;
}

/* The plane of a triangle into a vertex's quadric. */
static void plane_of(work *w, int32_t v, int32_t t) {
  const int32_t *c = w->corner[t];
  double n[3];
  normal_of(w->x[c[0]], w->x[c[1]], w->x[c[2]], n);
  const double area = sqrt(dot(n, n));
  for (int d = 0; d < 3; d++)
    n[d] = area > 0 ? n[d] / area : 0;
  plane_add(w->planes[v], n, -dot(n, w->x[c[0]]), area);
}
/* Planes of the triangles around a vertex, the lowest first: its list has the highest first. A
   vertex of too many triangles is not moved and needs none. */
static void planes_sum(work *w, int32_t v, const int32_t *star, int count) {
  while (count > 0)
    plane_of(w, v, star[--count]);
}

/* Positions in double while they are moved. Quadrics are weighted by area, so that slivers,
   whose normals are inaccurate, count little. Vertices with several fans are locked from the
   start. */
static ig_status work_new(work *w, const ig_topopt_part *s) {
  w->vertices = s->vertices;
  w->triangles = s->triangles;
  IG_TRY(IG_NEW(w->cx, &w->x, (size_t)s->vertices + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->planes, (size_t)s->vertices + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->flat, (size_t)s->vertices + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->head, (size_t)s->vertices + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->locked, (size_t)s->vertices + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->corner, (size_t)s->triangles + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->next, 3 * (size_t)s->triangles + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->chunk, (size_t)s->vertices + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->order, (size_t)s->vertices + 1, "surface"));
  IG_TRY(IG_NEW(w->cx, &w->start, (size_t)(s->triangles / CHUNK) + 4, "surface"));
  for (int64_t v = 0; v < s->vertices; v++) {
    w->head[v] = -1;
    for (int d = 0; d < 3; d++)
      w->x[v][d] = (double)s->vertex[v][d];
  }
  for (int64_t t = 0; t < s->triangles; t++) {
    memcpy(w->corner[t], s->triangle[t], sizeof *w->corner);
    for (int i = 0; i < 3; i++)
      link_corner(w, (int32_t)(3 * t + i));
  }
  IG_TRY(edge_measure(w));
#pragma omp parallel for schedule(static) num_threads(team_of(w))
  for (int32_t v = 0; v < s->vertices; v++) {
    int32_t star[STAR];
    const int count = star_of(w, v, star);
    w->locked[v] = count < 0 || !one_fan(w, v, star, count) ? LOCK_PINCHED : 0;
    planes_sum(w, v, star, count);
    flat_find(w, s, v, star, count);
  }
  return IG_OK;
}

static void work_free(work *w) {
  free(w->x);
  free(w->planes);
  free(w->flat);
  free(w->head);
  free(w->locked);
  free(w->chunk);
  free(w->order);
  free(w->start);
  free(w->corner);
  free(w->next);
}

/* --- chunks --- */

static int64_t chunk_at(const work *w, int64_t t) {
  return (t + w->shift) / CHUNK;
}

/* Chunks of a round, and the vertices that are theirs alone, in rising order. */
static void chunks_make(work *w, int round) {
  const bool single = w->triangles <= CHUNK;
  w->shift = single || round % 2 == 0 ? 0 : CHUNK / 2;
  w->chunks = single ? 1 : chunk_at(w, w->triangles - 1) + 1;
#pragma omp parallel for schedule(static) num_threads(team_of(w))
  for (int32_t v = 0; v < w->vertices; v++) {
    int64_t own = -1;
    w->locked[v] &= LOCK_PINCHED;
    for (int32_t c = w->head[v]; c >= 0; c = w->next[c]) {
      if (w->corner[c / 3][0] < 0 || w->corner[c / 3][c % 3] != v)
        continue;
      const int64_t at = chunk_at(w, c / 3);
      if (own >= 0 && own != at)
        w->locked[v] |= LOCK_SHARED;
      own = at;
    }
    w->chunk[v] = w->locked[v] & LOCK_SHARED ? -1 : (int32_t)own;
  }
  memset(w->start, 0, (size_t)(w->chunks + 2) * sizeof *w->start);
  for (int64_t v = 0; v < w->vertices; v++)
    w->start[w->chunk[v] + 2]++; /* [1]: of none */
  w->start[1] = 0;
  for (int64_t c = 1; c <= w->chunks; c++)
    w->start[c + 1] += w->start[c];
  for (int64_t v = 0; v < w->vertices; v++)
    if (w->chunk[v] >= 0)
      w->order[w->start[w->chunk[v] + 1]++] = (int32_t)v;
}

/* --- operations --- */

/* The sum of the normals around a vertex, weighted by area: where they point out. */
static void star_normal(const work *w, int32_t v, const int32_t *star, int count, double *sum) {
  memset(sum, 0, 3 * sizeof *sum);
  for (int i = 0; i < count; i++) {
    int32_t a, b;
    double n[3];
    others(w->corner[star[i]], v, &a, &b);
    normal_of(w->x[v], w->x[a], w->x[b], n);
    for (int d = 0; d < 3; d++)
      sum[d] += n[d];
  }
}

/* The least quality of a vertex's triangles but those at `but`, were it at x; negative where one of
   them would turn too far. A sliver's own normal says nothing, and one that lies in a line has
   none: it must not point inwards, or the surface is folded. */
static double star_quality(const work *w, int32_t v, const int32_t *star, int count, int32_t but,
                           const double *x) {
  double least = 1, out[3];
  star_normal(w, v, star, count, out);
  for (int i = 0; i < count; i++) {
    int32_t a, b;
    double before[3], after[3];
    others(w->corner[star[i]], v, &a, &b);
    if (a == but || b == but)
      continue;
    normal_of(w->x[v], w->x[a], w->x[b], before);
    normal_of(x, w->x[a], w->x[b], after);
    const double size = sqrt(dot(before, before) * dot(after, after));
    /* turning by more than acos(0.7), 46 degrees, would fold the surface */
    if (!(dot(before, after) > TURN * size))
      if (!(dot(after, after) > 0) ||
          ig_topopt_triangle_quality(w->x[v], w->x[a], w->x[b]) > 0.05 || dot(before, after) < 0 ||
          !(dot(out, after) > 0))
        return -1;
    least = fmin(least, ig_topopt_triangle_quality(x, w->x[a], w->x[b]));
  }
  return least;
}

static double star_least(const work *w, const int32_t *star, int count) {
  double least = 1;
  for (int i = 0; i < count; i++)
    least = fmin(least, quality(w, w->corner[star[i]]));
  return least;
}

static bool has(const int32_t *list, int count, int32_t v) {
  for (int i = 0; i < count; i++)
    if (list[i] == v)
      return true;
  return false;
}

/* Neighbours of v: of each triangle around it the corner that follows v, so each comes once. */
static int ring_of(const work *w, int32_t v, const int32_t *star, int count, int32_t *ring) {
  for (int i = 0; i < count; i++) {
    int32_t b;
    others(w->corner[star[i]], v, &ring[i], &b);
  }
  return count;
}

/* Vertices p and q have two common neighbours, which make two triangles with them, and no more.
   The link condition (Dey et al. 1999): otherwise the collapse would pinch the surface. np > 3
   and nq > 3 leave no tetrahedron flat; the bound on np + nq keeps the new star within STAR. */
static bool linked_well(const work *w, int32_t p, int32_t q, const int32_t *sp, int np,
                        const int32_t *sq, int nq) {
  int32_t rp[STAR], rq[STAR];
  int common = 0, shared = 0;
  ring_of(w, p, sp, np, rp);
  ring_of(w, q, sq, nq, rq);
  for (int i = 0; i < np; i++)
    common += has(rq, nq, rp[i]);
  for (int i = 0; i < np; i++)
    shared += has(sq, nq, sp[i]);
  return common == 2 && shared == 2 && np > 3 && nq > 3 && np + nq - 4 < STAR / 2;
}

/* Whether a point is near enough to the planes of a vertex, and of a second one (NULL: none).
   Flat faces are kept to rounding, everything else to the deviation. */
static bool near(const work *w, int32_t p, const int32_t *q, const double *x) {
  const double rounding = 1e-4 * w->edge;
  double planes[11], flat[11];
  for (int i = 0; i < 11; i++) {
    planes[i] = w->planes[p][i] + (q ? w->planes[*q][i] : 0);
    flat[i] = w->flat[p][i] + (q ? w->flat[*q][i] : 0);
  }
  return offset(planes, x) <= w->deviation * w->deviation && offset(flat, x) <= rounding * rounding;
}

/* Whether an edge from x to a neighbour of v but `but` would be longer than allowed. */
static bool too_long(const work *w, int32_t v, const int32_t *star, int count, int32_t but,
                     const double *x) {
  for (int i = 0; i < count; i++) {
    int32_t a, b;
    others(w->corner[star[i]], v, &a, &b);
    if (a != but && distance(w->x[a], x) > w->longest)
      return true;
  }
  return false;
}

/* Where the vertex of an edge that is collapsed may lie, with the best quality; false: nowhere.
   Candidates are the middle of the edge and its two ends. The result must be no worse than the
   worst triangle before, up to a quality of 0.3. */
static bool place_find(const work *w, int32_t p, int32_t q, const int32_t *sp, int np,
                       const int32_t *sq, int nq, double *best) {
  const double least = fmin(star_least(w, sp, np), star_least(w, sq, nq));
  /* a collapse of good triangles must not make bad ones: 0.3 is enough */
  double found = fmin(least, 0.3) - 1e-12;
  bool any = false;
  for (int k = 0; k < 3; k++) {
    const double t = k == 0 ? 0.5 : k == 1 ? 0 : 1;
    double x[3];
    const bool lost_p = w->on[p] && t != 0 && !(t == 1 && w->on[q] == w->on[p]);
    const bool lost_q = w->on[q] && t != 1 && !(t == 0 && w->on[p] == w->on[q]);
    if (lost_p || lost_q)
      continue; /* what lies on a face stays there */
    for (int d = 0; d < 3; d++)
      x[d] = w->x[p][d] + t * (w->x[q][d] - w->x[p][d]);
    if (!near(w, p, &q, x) || too_long(w, p, sp, np, q, x) || too_long(w, q, sq, nq, p, x))
      continue;
    const double good = fmin(star_quality(w, p, sp, np, q, x), star_quality(w, q, sq, nq, p, x));
    if (good > found) {
      found = good;
      any = true;
      memcpy(best, x, 3 * sizeof *x);
    }
  }
  return any;
}

/* The other triangle at an edge, -1: there is none, or several. */
static int32_t across(const work *w, int32_t t, int32_t p, int32_t q) {
  int32_t star[STAR], found = -1;
  const int count = star_of(w, p, star);
  for (int i = 0; i < count; i++) {
    const int32_t *c = w->corner[star[i]];
    if (star[i] == t || !(c[0] == q || c[1] == q || c[2] == q))
      continue;
    if (found >= 0)
      return -1;
    found = star[i];
  }
  return found;
}

/* Triangles around a vertex as they would be with it at x. */
typedef struct {
  int count;
  int32_t a[2 * STAR], b[2 * STAR], t[2 * STAR];
  double n[2 * STAR][3];
} fan;

static void fan_add(const work *w, fan *f, int32_t v, const int32_t *star, int count, int32_t but,
                    const double *x) {
  for (int i = 0; i < count; i++) {
    int32_t a, b;
    others(w->corner[star[i]], v, &a, &b);
    if (a == but || b == but)
      continue;
    f->a[f->count] = a;
    f->b[f->count] = b;
    f->t[f->count] = star[i];
    normal_of(x, w->x[a], w->x[b], f->n[f->count++]);
  }
}

static bool opposite(const double *m, const double *n) {
  return dot(m, n) < FOLD * sqrt(dot(m, m) * dot(n, n));
}

/* Whether two neighbours lie on top of each other, as where a lip is left without thickness: their
   own turns need not be large for that. */
static bool folded(const work *w, const fan *f) {
  for (int i = 0; i < f->count; i++) {
    const bool shared = w->locked[f->a[i]] & LOCK_SHARED;
    if (shared && w->locked[f->b[i]] & LOCK_SHARED)
      return true; /* what lies across may be changing: not in this round */
    const int32_t o =
        shared ? across(w, f->t[i], f->b[i], f->a[i]) : across(w, f->t[i], f->a[i], f->b[i]);
    bool own = o < 0;
    for (int k = 0; k < f->count; k++) {
      own = own || f->t[k] == o;
      if (f->a[i] == f->b[k] && opposite(f->n[i], f->n[k]))
        return true;
    }
    double n[3];
    if (own)
      continue;
    const int32_t *c = w->corner[o];
    normal_of(w->x[c[0]], w->x[c[1]], w->x[c[2]], n);
    if (opposite(f->n[i], n))
      return true;
  }
  return false;
}

/* p takes the triangles of q over. */
static bool collapse(work *w, int32_t p, int32_t q) {
  int32_t sp[STAR], sq[STAR];
  double x[3];
  if (w->locked[p] || w->locked[q] || (w->on[p] && w->on[q] && w->on[p] != w->on[q]))
    return false;
  if (!w->on[p] && w->on[q]) { /* the one on a face stays */
    const int32_t swap = p;
    p = q;
    q = swap;
  }
  const int np = star_of(w, p, sp), nq = star_of(w, q, sq);
  if (np < 0 || nq < 0 || !linked_well(w, p, q, sp, np, sq, nq) ||
      !place_find(w, p, q, sp, np, sq, nq, x))
    return false;
  fan f = {.count = 0};
  fan_add(w, &f, p, sp, np, q, x);
  fan_add(w, &f, q, sq, nq, p, x);
  if (folded(w, &f))
    return false;
  memcpy(w->x[p], x, sizeof x);
  for (int i = 0; i < 11; i++) {
    w->planes[p][i] += w->planes[q][i];
    w->flat[p][i] += w->flat[q][i];
  }
  for (int i = 0; i < nq; i++) {
    int32_t *t = w->corner[sq[i]];
    if (t[0] == p || t[1] == p || t[2] == p) {
      t[0] = -1;
      continue;
    }
    const int at = t[0] == q ? 0 : t[1] == q ? 1 : 2;
    t[at] = p;
    w->next[3 * sq[i] + at] = w->head[p]; /* q's list is not needed any more */
    w->head[p] = 3 * sq[i] + at;
  }
  w->head[q] = -1;
  return true;
}

/* Takes a corner out of the list of its vertex. */
static void unlink_corner(work *w, int32_t v, int32_t corner) {
  int32_t *at = &w->head[v];
  while (*at >= 0 && *at != corner)
    at = &w->next[*at];
  if (*at >= 0)
    *at = w->next[*at];
}

/* Triangle t gets vertex v at corner i; both vertices' lists are kept up to date. */
static void corner_set(work *w, int32_t t, int i, int32_t v) {
  unlink_corner(w, w->corner[t][i], 3 * t + i);
  w->corner[t][i] = v;
  link_corner(w, 3 * t + i);
}

/* The longest edge of a flat triangle becomes the other diagonal of the quadrilateral around it,
   where that is better and both triangles lie in nearly one plane. */
static bool flip(work *w, int32_t t) {
  const int32_t *c = w->corner[t];
  int longest = 0;
  for (int i = 1; i < 3; i++)
    if (distance(w->x[c[i]], w->x[c[(i + 1) % 3]]) >
        distance(w->x[c[longest]], w->x[c[(longest + 1) % 3]]))
      longest = i;
  const int32_t p = c[longest], q = c[(longest + 1) % 3], a = c[(longest + 2) % 3];
  if (w->locked[p] || w->locked[q] || w->locked[a])
    return false;
  const int32_t o = across(w, t, p, q);
  if (o < 0)
    return false;
  int32_t star[STAR], ring[STAR], e, f;
  others(w->corner[o], q, &e, &f);
  if (e != p) /* neighbours run along an edge both ways */
    return false;
  const int32_t b = f;
  const int count = star_of(w, a, star);
  if (b == a || w->locked[b] || count < 0 || count > STAR / 2)
    return false;
  ring_of(w, a, star, count, ring);
  if (has(ring, count, b)) /* the diagonal is there already */
    return false;
  double n[4][3];
  normal_of(w->x[p], w->x[q], w->x[a], n[0]);
  normal_of(w->x[q], w->x[p], w->x[b], n[1]);
  normal_of(w->x[a], w->x[p], w->x[b], n[2]);
  normal_of(w->x[b], w->x[q], w->x[a], n[3]);
  double sum[3];
  for (int d = 0; d < 3; d++)
    sum[d] = n[0][d] + n[1][d];
  for (int i = 2; i < 4; i++)
    if (!(dot(sum, n[i]) > 0.9 * sqrt(dot(sum, sum) * dot(n[i], n[i]))))
      return false;
  /* how far the two diagonals pass each other by */
  const double area = sqrt(dot(sum, sum));
  double ab[3];
  minus(w->x[a], w->x[p], ab);
  /* heights of a and b over the mean plane through p: the flip changes the surface by about
     their difference */
  const double lift = fabs(dot(ab, sum)) / area;
  minus(w->x[b], w->x[p], ab);
  if (lift > 2 * w->deviation || fabs(dot(ab, sum)) / area > 2 * w->deviation)
    return false;
  const double now = fmin(quality(w, w->corner[t]), quality(w, w->corner[o]));
  const double then = fmin(ig_topopt_triangle_quality(w->x[a], w->x[p], w->x[b]),
                           ig_topopt_triangle_quality(w->x[b], w->x[q], w->x[a]));
  if (!(then > now + 0.02))
    return false;
  /* t = p q a and o = q p b become p b a and q a b */
  for (int i = 0; i < 3; i++) {
    if (w->corner[t][i] == q)
      corner_set(w, t, i, b);
    if (w->corner[o][i] == p)
      corner_set(w, o, i, a);
  }
  return true;
}

/* Moves a vertex towards the middle of its neighbours, within its planes. Tangential Laplacian
   smoothing: the component along the mean normal is taken out, the step is halved until the move
   is allowed and improves the worst triangle. */
static void smooth(work *w, int32_t v) {
  int32_t star[STAR], a, b;
  double middle[3] = {0, 0, 0}, normal[3] = {0, 0, 0}, n[3], x[3];
  const int count = star_of(w, v, star);
  if (count < 3 || w->locked[v])
    return;
  for (int i = 0; i < count; i++) {
    others(w->corner[star[i]], v, &a, &b);
    normal_of(w->x[v], w->x[a], w->x[b], n);
    for (int d = 0; d < 3; d++) {
      middle[d] += w->x[a][d] / count;
      normal[d] += n[d];
    }
  }
  const double size = sqrt(dot(normal, normal)), least = star_least(w, star, count);
  if (!(size > 0) || least > WANTED)
    return;
  minus(middle, w->x[v], n);
  const double up = dot(n, normal) / (size * size);
  for (double step = 1; step > 0.1; step /= 2) {
    for (int d = 0; d < 3; d++)
      x[d] = w->x[v][d] + step * (n[d] - up * normal[d]);
    if (w->on[v] && !w->faces->project(w->faces->user, w->on[v], x))
      continue;
    fan f = {.count = 0};
    fan_add(w, &f, v, star, count, -1, x);
    if (near(w, v, NULL, x) && star_quality(w, v, star, count, -1, x) > least && !folded(w, &f)) {
      memcpy(w->x[v], x, sizeof x);
      return;
    }
  }
}

/* --- the whole --- */

/* Bad triangles: the shortest edge goes, then the second, else the longest is flipped. */
static int64_t triangles_mend(work *w, int64_t chunk) {
  const int64_t from = chunk * CHUNK - w->shift, to = from + CHUNK;
  int64_t changed = 0;
  for (int64_t t = from < 0 ? 0 : from; t < to && t < w->triangles; t++) {
    const int32_t *c = w->corner[t];
    int edge[3] = {0, 1, 2};
    double length[3];
    if (c[0] < 0)
      continue;
    for (int i = 0; i < 3; i++)
      length[i] = distance(w->x[c[i]], w->x[c[(i + 1) % 3]]);
    for (int i = 0; i < 2; i++)
      for (int k = 0; k < 2 - i; k++)
        if (length[edge[k]] > length[edge[k + 1]]) {
          const int swap = edge[k];
          edge[k] = edge[k + 1];
          edge[k + 1] = swap;
        }
    if (quality(w, c) > WANTED && length[edge[0]] > w->shortest)
      continue;
    bool done = collapse(w, c[edge[0]], c[(edge[0] + 1) % 3]);
    if (!done && quality(w, c) < WANTED)
      done = flip(w, (int32_t)t);
    if (!done && quality(w, c) < 0.3)
      done = collapse(w, c[edge[1]], c[(edge[1] + 1) % 3]);
    changed += done;
  }
  return changed;
}

/* The divergence theorem: a sixth of the triple products of all triangles. */
static double volume_of(const work *w, int64_t begin, int64_t end) {
  double sum = 0;
  for (int64_t t = begin; t < end; t++) {
    const int32_t *c = w->corner[t];
    double n[3];
    if (c[0] < 0)
      continue;
    cross(w->x[c[1]], w->x[c[2]], n);
    sum += dot(w->x[c[0]], n) / 6;
  }
  return sum;
}

/* What a vertex's motion along `normal` (unit) adds to the volume, per length; 0: it is to stay, on
   a face of the case or a side of the body. */
static double area_of(const work *w, int32_t v, double *normal) {
  int32_t star[STAR], a, b;
  double n[3], sum[3] = {0, 0, 0};
  const int count = star_of(w, v, star);
  if (count < 3 || w->on[v] || w->locked[v] || w->flat[v][10] > 0)
    return 0;
  for (int i = 0; i < count; i++) {
    others(w->corner[star[i]], v, &a, &b);
    normal_of(w->x[v], w->x[a], w->x[b], n);
    for (int d = 0; d < 3; d++)
      sum[d] += n[d] / 6;
  }
  const double size = sqrt(dot(sum, sum));
  for (int d = 0; d < 3; d++)
    normal[d] = size > 0 ? sum[d] / size : 0;
  return size;
}

static double areas_of(const work *w, int64_t begin, int64_t end) {
  double sum = 0, normal[3];
  for (int64_t v = begin; v < end; v++)
    sum += w->head[v] >= 0 ? area_of(w, (int32_t)v, normal) : 0;
  return sum;
}
static void out_by(work *w, int32_t v, double by) {
  double normal[3];
  if (w->head[v] >= 0 && area_of(w, v, normal) > 0)
    for (int d = 0; d < 3; d++)
      w->x[v][d] += by * normal[d];
}

/* Moves curved parts of the surface along their normals, all by one length, until the volume is
   what it was. Smoothing shrinks convex parts a little; moving everything outwards by one small
   length restores the volume. */
static ig_status volume_keep(work *w, double wanted) {
  for (int round = 0; round < 3; round++) {
    double area, volume;
    for (int64_t v = 0; v < w->vertices; v++)
      w->locked[v] &= LOCK_PINCHED;
    IG_TRY(chunks_sum(w, areas_of, w->vertices, &area));
    IG_TRY(chunks_sum(w, volume_of, w->triangles, &volume));
    const double by = area > 0 ? (wanted - volume) / area : 0;
    if (fabs(by) > w->deviation)
      return IG_OK; /* too little of it is curved */
    chunks_make(w, 0);
#pragma omp parallel for schedule(dynamic, 1) num_threads(team_of(w))
    for (int64_t c = 0; c < w->chunks; c++)
      for (int64_t i = w->start[c]; i < w->start[c + 1]; i++)
        out_by(w, w->order[i], by);
    for (int32_t v = 0; v < w->vertices; v++) /* those of several chunks */
      if (w->locked[v] & LOCK_SHARED) {
        w->locked[v] &= LOCK_PINCHED;
        out_by(w, v, by);
      }
  }
  return IG_OK;
}

/* What is left, numbered anew in its order. */
static ig_status pack(const work *w, ig_topopt_part *s) {
  int32_t *number;
  int64_t vertices = 0, triangles = 0;
  IG_TRY(IG_NEW(w->cx, &number, (size_t)w->vertices + 1, "surface"));
  for (int64_t t = 0; t < w->triangles; t++)
    for (int i = 0; i < 3 && w->corner[t][0] >= 0; i++)
      number[w->corner[t][i]] = 1;
  for (int64_t v = 0; v < w->vertices; v++) {
    if (!number[v])
      continue;
    for (int d = 0; d < 3; d++)
      s->vertex[vertices][d] = (float)w->x[v][d];
    number[v] = (int32_t)vertices++;
  }
  for (int64_t t = 0; t < w->triangles; t++) {
    if (w->corner[t][0] < 0)
      continue;
    for (int i = 0; i < 3; i++)
      s->triangle[triangles][i] = number[w->corner[t][i]];
    triangles++;
  }
  s->vertices = vertices;
  s->triangles = triangles;
  free(number);
  return IG_OK;
}

/* A figure of the summary: how much of the surface a mesh generator can use. */
double ig_topopt_part_good(const ig_topopt_part *s, double least) {
  int64_t good = 0;
  for (int64_t t = 0; t < s->triangles; t++) {
    double x[3][3];
    for (int i = 0; i < 3; i++)
      for (int d = 0; d < 3; d++)
        x[i][d] = (double)s->vertex[s->triangle[t][i]][d];
    good += ig_topopt_triangle_quality(x[0], x[1], x[2]) >= least;
  }
  return s->triangles > 0 ? (double)good / (double)s->triangles : 1;
}

/* Collapses and flips, then smoothing, chunk by chunk: how many triangles were changed. */
static int64_t round_do(work *w, int round) {
  int64_t changed = 0;
  chunks_make(w, round);
#pragma omp parallel num_threads(team_of(w))
  {
#pragma omp for schedule(dynamic, 1) reduction(+ : changed)
    for (int64_t c = 0; c < w->chunks; c++)
      changed += triangles_mend(w, c);
#pragma omp for schedule(dynamic, 1)
    for (int64_t c = 0; c < w->chunks; c++)
      for (int64_t i = w->start[c]; i < w->start[c + 1]; i++)
        if (w->head[w->order[i]] >= 0)
          smooth(w, w->order[i]);
  }
  return changed;
}

/* Rounds of collapses, flips and smoothing until nothing changes; then the volume is restored
   and vertices are numbered anew. edge: target length, 0: that of the surface as it is. */
static ig_status rework(work *w, ig_topopt_part *s, int rounds, double edge) {
  w->longest = edge > 0 ? 4. / 3 * edge : INFINITY;
  ig_status status = work_new(w, s);
  w->shortest = edge > 0 ? 0.8 * edge : SHORT * w->edge;
  double volume = 0;
  if (status == IG_OK)
    status = chunks_sum(w, volume_of, w->triangles, &volume);
  for (int round = 0; status == IG_OK && round < rounds; round++)
    if (round_do(w, round) == 0 && round > 1)
      break;
  if (status == IG_OK)
    status = volume_keep(w, volume);
  if (status == IG_OK)
    status = pack(w, s);
  work_free(w);
  if (status == IG_OK)
    ig_topopt_part_measure(w->cx, s);
  return status;
}

/* Done by one rank on the whole surface. */
ig_status ig_topopt_part_improve(ig_ctx *cx, ig_topopt_part *s, double deviation, const int32_t *on,
                                 const ig_surface_faces *faces) {
  work w = {.cx = cx, .on = on, .faces = faces, .deviation = deviation};
  if (s->triangles == 0 || !(deviation > 0))
    return IG_OK;
  return rework(&w, s, ROUNDS, 0);
}

/* --- triangles of another size --- */

/* The middle of an edge, one vertex for both of its triangles. */
static ig_status middle_of(ig_ctx *cx, ig_topopt_part *s, ig_topopt_keys *keys, int32_t a,
                           int32_t b, int32_t *middle) {
  int32_t *of;
  const uint64_t key = (uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
  IG_TRY(ig_topopt_keys_at(cx, keys, key, &of));
  if (*of < 0) {
    if (s->vertices >= INT32_MAX)
      return IG_FAIL(cx, IG_INPUT, "the surface has too many triangles of this size");
    *of = (int32_t)s->vertices;
    for (int d = 0; d < 3; d++)
      s->vertex[s->vertices][d] = 0.5F * (s->vertex[a][d] + s->vertex[b][d]);
    s->vertices++;
  }
  *middle = *of;
  return IG_OK;
}

/* Square of an edge's length, from numbers in single precision: the same seen from both sides. */
static double edge_square(const ig_topopt_part *s, int32_t a, int32_t b) {
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    const double by = (double)s->vertex[a][d] - (double)s->vertex[b][d];
    sum += by * by;
  }
  return sum;
}

/* Splits all edges longer than `longest` once; a triangle becomes two, three or four. */
static ig_status edges_split(ig_ctx *cx, ig_topopt_part *s, double longest, int64_t *splits) {
  const int64_t before = s->triangles;
  int64_t most = 0;
  for (int64_t t = 0; t < before; t++)
    for (int i = 0; i < 3; i++)
      most += edge_square(s, s->triangle[t][i], s->triangle[t][(i + 1) % 3]) > longest * longest;
  *splits = most;
  if (most == 0)
    return IG_OK;
  float(*vertex)[3] = realloc(s->vertex, (size_t)(s->vertices + most) * sizeof *vertex);
  s->vertex = vertex ? vertex : s->vertex;
  int32_t(*triangle)[3] = realloc(s->triangle, (size_t)(before + most) * sizeof *triangle);
  s->triangle = triangle ? triangle : s->triangle;
  if (!vertex || !triangle)
    return IG_FAIL(cx, IG_MEMORY, "no memory for %lld triangles", (long long)(before + most));
  ig_topopt_keys keys = {0};
  ig_status status = IG_OK;
  for (int64_t t = 0; t < before && status == IG_OK; t++) {
    int32_t c[3], m[3] = {-1, -1, -1}; /* m[i]: on the edge from corner i */
    int first = 0, marked = 0;
    memcpy(c, s->triangle[t], sizeof c);
    for (int i = 0; i < 3 && status == IG_OK; i++)
      if (edge_square(s, c[i], c[(i + 1) % 3]) > longest * longest) {
        status = middle_of(cx, s, &keys, c[i], c[(i + 1) % 3], &m[i]);
        marked++;
      }
    if (marked == 0 || status != IG_OK)
      continue;
    /* One is marked: the first; two: the first and the next. */
    while (m[first] < 0 || (marked == 2 && m[(first + 1) % 3] < 0))
      first++;
    const int32_t p = c[first], q = c[(first + 1) % 3], r = c[(first + 2) % 3];
    const int32_t mp = m[first], mq = m[(first + 1) % 3], mr = m[(first + 2) % 3];
    const int32_t one[2][3] = {{p, mp, r}, {mp, q, r}};
    const int32_t two[3][3] = {{mp, q, mq}, {p, mp, mq}, {p, mq, r}};
    const int32_t all[4][3] = {{p, mp, mr}, {mp, q, mq}, {mr, mq, r}, {mp, mq, mr}};
    const int32_t(*parts)[3] = marked == 1 ? one : marked == 2 ? two : all;
    memcpy(s->triangle[t], parts[0], sizeof *parts);
    for (int i = 1; i <= marked; i++)
      memcpy(s->triangle[s->triangles++], parts[i], sizeof *parts);
  }
  ig_topopt_keys_free(&keys);
  return status;
}

/* Whether a triangle lies in a side of the box around the surface, whose corners are `user`. */
static bool side_of_box(void *user, const ig_topopt_part *s, int64_t triangle) {
  const double *box = user;
  for (int k = 0; k < 6; k++) {
    bool all = true;
    for (int i = 0; i < 3; i++)
      all = all && (double)s->vertex[s->triangle[triangle][i]][k % 3] == box[k];
    if (all)
      return true;
  }
  return false;
}

/* Splitting first, which leaves the surface where it is; then collapses. Limits of
   Botsch and Kobbelt (2004): 4/5 and 4/3 of the target. */
ig_status ig_topopt_part_remesh(ig_ctx *cx, ig_topopt_part *s, double edge, double deviation) {
  enum { SPLITS = 30, COLLAPSES = 40 };
  int64_t splits = 1;
  int32_t *on = NULL;
  double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
  const ig_surface_faces sides = {.side = side_of_box, .user = box};
  for (int64_t i = 0; i < 3 * s->vertices; i++) {
    box[i % 3] = fmin(box[i % 3], (double)s->vertex[i / 3][i % 3]);
    box[3 + i % 3] = fmax(box[3 + i % 3], (double)s->vertex[i / 3][i % 3]);
  }
  for (int i = 0; i < SPLITS && splits > 0; i++)
    IG_TRY(edges_split(cx, s, 4. / 3 * edge, &splits));
  IG_TRY(IG_NEW(cx, &on, (size_t)s->vertices + 1, "surface"));
  work w = {.cx = cx, .on = on, .faces = &sides, .deviation = deviation};
  const ig_status status = s->triangles > 0 ? rework(&w, s, COLLAPSES, edge) : IG_OK;
  free(on);
  return status;
}
