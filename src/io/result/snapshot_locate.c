/* Finds cells of a snapshot by position, to transfer results between meshes of the same part:
   centres sorted along the longest side; a search expands from the position along this axis until
   no nearer centre is possible. */
#include "io/result/snapshot_locate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* along: coordinate of sorting. reach2: squared distance from the centre to the farthest corner. */
typedef struct {
  double along, x[3], reach2; /* along: the coordinate they are sorted by; reach: to a corner */
  int64_t item;
} centre;

static int by_place(const void *a, const void *b) {
  const centre *p = a, *q = b;
  return p->along < q->along ? -1 : p->along > q->along;
}

/* Real fields only; NULL: there is none of that name and width. */
const ig_field *ig_snapshot_field(const ig_snapshot *snap, ig_location where, const char *name,
                                  int components) {
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    if (f->where == where && f->components == components && strcmp(f->name, name) == 0 &&
        (f->dtype == IG_F64 || f->dtype == IG_F32))
      return f;
  }
  return NULL;
}

double ig_field_component(const ig_field *field, int64_t item, int component) {
  const int64_t at = item * field->components + component;
  return field->dtype == IG_F64 ? ((const double *)field->data)[at]
                                : (double)((const float *)field->data)[at];
}

/* Two passes over the corners: mean, then reach. moved: displacement added to the points, NULL:
   none. Means of the corners, moved by the displacements where `moved` is given, and the radius of
   each cell about its centre. The axis is the one along which the body is longest. */
static void centres_make(const ig_snapshot *snap, const ig_field *moved, centre *list, int *axis) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t c = 0; c < snap->cells; c++) {
    const int64_t first = snap->offset[c], corners = snap->offset[c + 1] - first;
    list[c] = (centre){.item = c};
    /* First the mean of the corners, then the largest distance of a corner from it, squared. */
    for (int pass = 0; pass < 2; pass++)
      for (int64_t i = 0; i < corners; i++) {
        double far = 0;
        for (int d = 0; d < 3; d++) {
          const int64_t n = snap->corner[first + i];
          const double x = snap->point[3 * n + d] + (moved ? ig_field_component(moved, n, d) : 0);
          if (pass == 0)
            list[c].x[d] += x / (double)corners;
          far += (x - list[c].x[d]) * (x - list[c].x[d]);
        }
        if (pass == 1)
          list[c].reach2 = fmax(list[c].reach2, far);
      }
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], list[c].x[d]);
      high[d] = fmax(high[d], list[c].x[d]);
    }
  }
  /* The longest axis separates most cells, so that the search along it is short. */
  *axis = 0;
  for (int d = 1; d < 3; d++)
    if (high[d] - low[d] > high[*axis] - low[*axis])
      *axis = d;
  for (int64_t c = 0; c < snap->cells; c++)
    list[c].along = list[c].x[*axis];
}

/* The nearest centre; of equally near ones the lowest number. Stops in each direction once the
   distance along the axis alone exceeds the best. From the place found by bisection outwards in
   both directions, until the distance along the axis alone exceeds the best. */
static const centre *nearest(const centre *list, int64_t count, int axis, const double *x,
                             double *best2) {
  const centre *best = NULL;
  int64_t lo = 0, hi = count;
  while (lo < hi) {
    const int64_t mid = (lo + hi) / 2;
    if (list[mid].along < x[axis])
      lo = mid + 1;
    else
      hi = mid;
  }
  /* Two directions from the place found; the square of the distance along the axis alone is a lower
     bound. */
  *best2 = INFINITY;
  for (int side = 0; side < 2; side++)
    for (int64_t i = side ? lo : lo - 1; i >= 0 && i < count; i += side ? 1 : -1) {
      const double off = list[i].along - x[axis];
      if (off * off > *best2)
        break;
      double far = 0;
      for (int d = 0; d < 3; d++)
        far += (list[i].x[d] - x[d]) * (list[i].x[d] - x[d]);
      /* Of equal distances the lower number, so that the result does not depend on the sort. */
      if (far < *best2 || (far == *best2 && list[i].item < best->item)) {
        *best2 = far;
        best = list + i;
      }
    }
  return best;
}

/* A result may be on the drawn or on the deformed shape; both are tried, and the one with the
   smaller sum of distances is used. Points may be those of the undeformed or of the deformed body:
   both are tried, and the closer fit is taken. */
ig_status ig_snapshot_cells_near(ig_ctx *cx, const ig_snapshot *snap, bool same, const double *x,
                                 int64_t count, int64_t *cell) {
  const ig_field *moved = ig_snapshot_field(snap, IG_AT_POINTS, "displacement", 3);
  double least = INFINITY;
  centre *list;
  int64_t *found = NULL;
  IG_TRY(IG_NEW(cx, &list, snap->cells + 1, "cells"));
  ig_status status = IG_NEW(cx, &found, count + 1, "cells");
  for (int pass = 0; status == IG_OK && pass < (moved ? 2 : 1); pass++) {
    int axis;
    double all = 0;
    centres_make(snap, pass ? moved : NULL, list, &axis);
    qsort(list, (size_t)snap->cells, sizeof *list, by_place);
    for (int64_t i = 0; i < count; i++) {
      double far;
      const centre *near = nearest(list, snap->cells, axis, x + 3 * i, &far);
      found[i] = near && far <= (same ? 1e-6 * near->reach2 : near->reach2) ? near->item : -1;
      all += near ? far : 0;
    }
    if (all < least)
      memcpy(cell, found, (size_t)count * sizeof *cell);
    least = fmin(least, all);
  }
  free(found);
  free(list);
  return status;
}
