/* Surfaces with fewer triangles, for pages that any browser turns smoothly.

   Nodes are clustered on a grid; each cluster is represented by one of its nodes, so that every
   value and every number that a reader picks is one of the result. Triangles whose corners fall
   into fewer than three clusters vanish (Rossignac and Borrel 1993). The representative is the node
   where the surface bends most, which keeps edges and corners of the part; between equals, the one
   nearest to the middle of the cluster's cell. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node of the surface and its cluster. */
typedef struct {
  uint64_t cluster;
  float bend;  /* 0: the surface is flat here; 1: its normals cancel */
  float apart; /* from the middle of the cluster's cell, in cells */
  int64_t point;
} member;

/* By cluster; in a cluster the representative first. Ends with the number: the order does not
 * depend on qsort. */
static int member_order(const void *a, const void *b) {
  const member *p = a, *q = b;
  if (p->cluster != q->cluster)
    return p->cluster < q->cluster ? -1 : 1;
  if (p->bend != q->bend)
    return p->bend > q->bend ? -1 : 1;
  if (p->apart != q->apart)
    return p->apart < q->apart ? -1 : 1;
  return (p->point > q->point) - (p->point < q->point);
}

/* Normal of a triangle, as long as its area is large. */
static void normal_of(const double *point, const int64_t *corner, double n[3]) {
  double e[2][3];
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 3; c++)
      e[k][c] = point[3 * corner[k + 1] + c] - point[3 * corner[0] + c];
  for (int c = 0; c < 3; c++)
    n[c] = (e[0][(c + 1) % 3] * e[1][(c + 2) % 3] - e[0][(c + 2) % 3] * e[1][(c + 1) % 3]) / 2;
}

/* How much the surface bends at each point, in steps of 1/16: 1 - |sum of normals| / sum of areas.
   sum: 4 x points, zero at first. *area: of the whole surface. */
static void bends(const ig_snapshot *snap, const ig_surface *s, double *sum, double *area) {
  *area = 0;
  for (int64_t t = 0; t < s->triangles; t++) {
    double n[3];
    normal_of(snap->point, &s->corner[3 * t], n);
    const double a = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    *area += a;
    for (int i = 0; i < 3; i++) {
      double *at = &sum[4 * s->corner[3 * t + i]];
      for (int c = 0; c < 3; c++)
        at[c] += n[c];
      at[3] += a;
    }
  }
  for (int64_t p = 0; p < snap->points; p++) {
    const double *at = &sum[4 * p];
    const double whole = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    sum[4 * p + 3] =
        at[3] > 0 ? round(16 * (1 - whole / at[3])) / 16 : -1; /* -1: not of the surface */
  }
}

/* Clusters the points on a grid of cells of size h; stands[p]: the point that stands for p. */
static int64_t cluster(const ig_snapshot *snap, const double *sum, const double low[3], double h,
                       member *list, int64_t *stands) {
  int64_t count = 0;
  for (int64_t p = 0; p < snap->points; p++) {
    if (sum[4 * p + 3] < 0)
      continue;
    member m = {.bend = (float)sum[4 * p + 3], .point = p};
    for (int c = 0; c < 3; c++) {
      const double x = (snap->point[3 * p + c] - low[c]) / h,
                   cell = fmin(fmax(floor(x), 0), 2097151);
      m.cluster = m.cluster << 21 | (uint64_t)cell;
      m.apart += (float)((x - cell - 0.5) * (x - cell - 0.5));
    }
    list[count++] = m;
  }
  qsort(list, (size_t)count, sizeof *list, member_order);
  for (int64_t i = 0, first = 0; i < count; i++) {
    first = list[i].cluster == list[first].cluster ? first : i;
    stands[list[i].point] = list[first].point;
  }
  return count;
}

/* Triangles that keep three corners. */
static int64_t remaining(const ig_surface *s, const int64_t *stands) {
  int64_t count = 0;
  for (int64_t t = 0; t < s->triangles; t++) {
    const int64_t a = stands[s->corner[3 * t]], b = stands[s->corner[3 * t + 1]],
                  c = stands[s->corner[3 * t + 2]];
    count += a != b && b != c && c != a;
  }
  return count;
}

/* Moves what remains to the front. Sides are no element edges any more. */
static void triangles_keep(ig_surface *s, const int64_t *stands) {
  int64_t count = 0;
  for (int64_t t = 0; t < s->triangles; t++) {
    const int64_t a = stands[s->corner[3 * t]], b = stands[s->corner[3 * t + 1]],
                  c = stands[s->corner[3 * t + 2]];
    if (a == b || b == c || c == a)
      continue;
    s->corner[3 * count] = a;
    s->corner[3 * count + 1] = b;
    s->corner[3 * count + 2] = c;
    s->cell[count] = s->cell[t];
    s->edges[count++] = 0;
  }
  s->triangles = count;
}

ig_status ig_surface_reduce(ig_ctx *cx, const ig_snapshot *snap, ig_surface *s, int64_t most) {
  double *sum = NULL, low[3] = {INFINITY, INFINITY, INFINITY}, area;
  member *list = NULL;
  int64_t *stands = NULL;
  ig_status status;
  if (s->triangles <= most)
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &sum, 4 * snap->points + 1, "a smaller surface"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &list, snap->points + 1, "a smaller surface"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &stands, snap->points + 1, "a smaller surface"));
  bends(snap, s, sum, &area);
  for (int64_t p = 0; p < snap->points; p++)
    for (int c = 0; c < 3; c++)
      low[c] = sum[4 * p + 3] < 0 ? low[c] : fmin(low[c], snap->point[3 * p + c]);
  /* A flat surface has two triangles for each cell of the grid that it crosses; others have more.
   */
  double h = sqrt(2 * area / (double)most);
  for (int k = 0; k < 40 && h > 0 && isfinite(h); k++, h *= 1.15) {
    IG_TRY_GOTO(status, done, ig_interrupt_take(cx, "report"));
    cluster(snap, sum, low, h, list, stands);
    if (remaining(s, stands) <= most)
      break;
  }
  triangles_keep(s, stands);
done:
  free(sum);
  free(list);
  free(stands);
  return status;
}
