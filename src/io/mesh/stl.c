/* Reader of binary STL as a snapshot (for surfaces that rooms have written): 80 bytes of title, a
   count, and for each triangle its normal, three corners and two unused bytes. Corners at exactly
   the same place become one point; no tolerance is needed, because Ingot writes equal corners with
   equal bits. */
#include "io/mesh/stl.h"
#include "core/number.h"
#include "io/format/atomic_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the format; VTK's cell type of triangles. */
enum { TITLE = 80, HEAD = TITLE + 4, TRIANGLE = 50, NORMAL = 12, VTK_TRIANGLE = 5 };

/* A corner and where it is in the file. */
typedef struct {
  float x[3];
  int64_t corner; /* which of the file */
} vertex;

/* By coordinates, then by corner: equal points become neighbours, in an order that does not depend
   on the sort. */
static int by_place(const void *a, const void *b) {
  const vertex *p = a, *q = b;
  for (int d = 0; d < 3; d++)
    if (p->x[d] != q->x[d])
      return p->x[d] < q->x[d] ? -1 : 1;
  return p->corner < q->corner ? -1 : 1;
}

static bool same_place(const vertex *p, const vertex *q) {
  return p->x[0] == q->x[0] && p->x[1] == q->x[1] && p->x[2] == q->x[2];
}

/* Corners of all triangles, sorted by place; *points: number of different places. */
static ig_status vertices_read(ig_ctx *cx, const char *path, const char *bytes, int64_t triangles,
                               vertex *v, int64_t *points) {
  for (int64_t i = 0; i < 3 * triangles; i++) {
    memcpy(v[i].x, bytes + HEAD + (i / 3) * TRIANGLE + NORMAL + (i % 3) * (int)sizeof v->x,
           sizeof v->x);
    v[i].corner = i;
    if (!isfinite(v[i].x[0]) || !isfinite(v[i].x[1]) || !isfinite(v[i].x[2]))
      return IG_FAIL(cx, IG_INPUT, "%s: triangle %" PRId64 " has a corner that is no number", path,
                     i / 3);
  }
  qsort(v, 3 * (size_t)triangles, sizeof *v, by_place);
  *points = 0;
  for (int64_t i = 0; i < 3 * triangles; i++)
    *points += i == 0 || !same_place(&v[i], &v[i - 1]);
  return IG_OK;
}

/* Numbers the places in sorted order. */
static void snapshot_fill(ig_snapshot *snap, const vertex *v) {
  int64_t point = -1;
  for (int64_t i = 0; i < snap->corners; i++) {
    if (i == 0 || !same_place(&v[i], &v[i - 1]))
      point++;
    snap->corner[v[i].corner] = point;
    for (int d = 0; d < 3; d++)
      snap->point[3 * point + d] = v[i].x[d];
  }
  for (int64_t t = 0; t <= snap->cells; t++)
    snap->offset[t] = 3 * t;
  memset(snap->type, VTK_TRIANGLE, (size_t)snap->cells);
}

/* Metres per unit of the file: Ingot writes it into the title; millimetres where none is given. */
static double unit_of(const char *bytes) {
  static const char before[] = "in units of ";
  char title[TITLE + 1] = "", *end;
  memcpy(title, bytes, TITLE);
  const char *at = strstr(title, before);
  const double unit = at ? ig_decimal_read(at + sizeof before - 1, &end) : 0;
  return unit > 0 && isfinite(unit) ? unit : 1e-3;
}

/* Points are merged when their coordinates are the same bits. Binary only, as Ingot writes it. */
ig_status ig_stl_read(ig_ctx *cx, const char *path, ig_snapshot **snap) {
  char *bytes = NULL;
  size_t size = 0;
  vertex *v = NULL;
  int64_t points = 0;
  uint32_t triangles = 0;
  ig_status status;
  *snap = NULL;
  IG_TRY_GOTO(status, done, ig_file_read(cx, path, 0, &bytes, &size));
  if (size >= HEAD)
    memcpy(&triangles, bytes + TITLE, sizeof triangles);
  if (!triangles || size != HEAD + (size_t)triangles * TRIANGLE) {
    status = IG_FAIL(cx, IG_INPUT, "%s: no binary STL file, or not the whole of one", path);
    goto done;
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &v, 3 * (int64_t)triangles, "surface"));
  IG_TRY_GOTO(status, done, vertices_read(cx, path, bytes, triangles, v, &points));
  IG_TRY_GOTO(status, done,
              ig_snapshot_new(cx, points, triangles, 3 * (int64_t)triangles, NAN, 0, snap));
  snapshot_fill(*snap, v);
  const double unit = unit_of(bytes);
  for (int64_t i = 0; i < 3 * points; i++)
    (*snap)->point[i] *= unit;
done:
  free(bytes);
  free(v);
  return status;
}
