/* Finds cells of a snapshot by position, to transfer results between meshes of the same part. */
#include "io/result/snapshot_locate.h"
#include "mesh/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Means of the corners (x: cells x 3), moved by the displacements where `moved` is given, and the
   squared distance from there to the farthest corner. */
static void centres_make(const ig_snapshot *snap, const ig_field *moved, double *x,
                         double *reach2) {
  for (int64_t c = 0; c < snap->cells; c++) {
    const int64_t first = snap->offset[c], corners = snap->offset[c + 1] - first;
    double *centre = x + 3 * c;
    centre[0] = centre[1] = centre[2] = reach2[c] = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int64_t i = 0; i < corners; i++) {
        double far = 0;
        for (int d = 0; d < 3; d++) {
          const int64_t n = snap->corner[first + i];
          const double at = snap->point[3 * n + d] + (moved ? ig_field_component(moved, n, d) : 0);
          if (pass == 0)
            centre[d] += at / (double)corners;
          far += (at - centre[d]) * (at - centre[d]);
        }
        if (pass == 1)
          reach2[c] = fmax(reach2[c], far);
      }
  }
}

/* A result may be on the drawn or on the deformed shape; both are tried, and the one with the
   smaller sum of distances is used. Points may be those of the undeformed or of the deformed body:
   both are tried, and the closer fit is taken. */
ig_status ig_snapshot_cells_near(ig_ctx *cx, const ig_snapshot *snap, bool same, const double *x,
                                 int64_t count, int64_t *cell) {
  const ig_field *moved = ig_snapshot_field(snap, IG_AT_POINTS, "displacement", 3);
  double least = INFINITY, *x0 = NULL, *reach2 = NULL;
  int64_t *found = NULL;
  ig_point_boxes near = {0};
  IG_TRY(IG_NEW(cx, &x0, 3 * snap->cells + 1, "cells"));
  ig_status status = IG_NEW(cx, &reach2, snap->cells + 1, "cells");
  if (status == IG_OK)
    status = IG_NEW(cx, &found, count + 1, "cells");
  for (int pass = 0; status == IG_OK && pass < (moved ? 2 : 1); pass++) {
    double all = 0;
    centres_make(snap, pass ? moved : NULL, x0, reach2);
    IG_TRY_GOTO(status, done, ig_nearest_new(cx, x0, snap->cells, &near));
    for (int64_t i = 0; i < count; i++) {
      double far2;
      const int64_t c = ig_nearest_find(&near, x + 3 * i, &far2);
      found[i] = c >= 0 && far2 <= (same ? 1e-6 * reach2[c] : reach2[c]) ? c : -1;
      all += c >= 0 ? far2 : 0;
    }
    ig_nearest_free(&near);
    if (all < least)
      memcpy(cell, found, (size_t)count * sizeof *cell);
    least = fmin(least, all);
  }
done:
  free(found);
  free(x0);
  free(reach2);
  return status;
}
