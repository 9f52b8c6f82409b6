/* Fields of files at places of the mesh, matched by position: numbers of nodes may differ between
   the file and the mesh (another reader, another run), places may not. Bins make each look-up
   short; two places are the same within 1e-6 of the size of the file's mesh. */
#include "thermal/source/file_fields.h"
#include "model/read_snapshot.h"
#include "thermal/source/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The one of the file's places at x; -1: there is none within `tie`. */
static int32_t place_at(const ig_bins *bins, const double *point, const double *x, double tie) {
  double low[3], high[3], best = tie * tie;
  int from[3], to[3];
  int32_t found = -1;
  for (int d = 0; d < 3; d++) {
    low[d] = x[d] - tie;
    high[d] = x[d] + tie;
  }
  if (!ig_bins_range(bins, low, high, from, to))
    return -1;
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      for (int i = from[0]; i <= to[0]; i++) {
        const int64_t bin = i + (int64_t)bins->cells[0] * (y + (int64_t)bins->cells[1] * z);
        for (int32_t n = bins->start[bin]; n < bins->start[bin + 1]; n++) {
          const double *p = &point[3 * (int64_t)bins->item[n]];
          const double apart = pow(p[0] - x[0], 2) + pow(p[1] - x[1], 2) + pow(p[2] - x[2], 2);
          if (apart <= best) {
            best = apart;
            found = bins->item[n];
          }
        }
      }
  return found;
}

/* The longest side of the box around the points. */
static double size_of(const double *point, int64_t count) {
  double size = 0;
  for (int d = 0; d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t n = 0; n < count; n++) {
      low = fmin(low, point[3 * n + d]);
      high = fmax(high, point[3 * n + d]);
    }
    size = fmax(size, high - low);
  }
  return size;
}

/* Bins of about one place each. Points that no cell uses are nodes that were not born in the other
   run: NaN, so that the caller can tell them from zero. */
static ig_status field_take(ig_ctx *cx, const ig_src *at, const char *file, const ig_snapshot *snap,
                            const ig_field *field, ig_lid count, const double *place, double *value,
                            ig_lid *missing) {
  const bool cells = field->where == IG_AT_CELLS;
  const int32_t items = (int32_t)(cells ? snap->cells : snap->points);
  uint8_t *used = NULL;
  double *centre = NULL;
  ig_bins bins;
  memset(&bins, 0, sizeof bins);
  ig_lid absent = 0, first = 0;
  ig_status status;
  if (cells)
    IG_TRY_GOTO(status, done, ig_snapshot_centres(cx, snap, &centre));
  else
    IG_TRY_GOTO(status, done, ig_snapshot_used(cx, snap, &used));
  const double *where = cells ? centre : snap->point, size = size_of(snap->point, snap->points);
  IG_TRY_GOTO(status, done,
              ig_bins_new(cx, &bins, items, where, fmax(size / cbrt((double)items + 1), 1e-300)));
  for (ig_lid i = 0; i < count; i++) {
    const int32_t p = place_at(&bins, where, &place[3 * (int64_t)i], 1e-6 * size);
    if (p < 0 && absent++ == 0)
      first = i;
    value[i] = p < 0 ? INFINITY : cells || used[p] ? ig_field_number(field, p) : NAN;
  }
  if (missing)
    *missing = absent;
  else if (absent)
    status = ig_fail_at(cx, at,
                        "'%s' has no %s at %d of %d places, the first at (%g, %g, %g) m: the two "
                        "runs need the same mesh",
                        file, cells ? "cell" : "point", (int)absent, (int)count,
                        place[3 * (int64_t)first], place[3 * (int64_t)first + 1],
                        place[3 * (int64_t)first + 2]);
done:
  free(used);
  free(centre);
  ig_bins_free(&bins);
  return status;
}

/* All ranks call it and all get the same values. */
ig_status ig_given_read(ig_ctx *cx, const ig_src *at, const char *file, const char *name,
                        ig_location where, ig_lid count, const double *place, double *value,
                        ig_lid *missing) {
  ig_snapshot *snap;
  IG_TRY(ig_ranks_read_snapshot(cx, file, &snap));
  const bool cells = where == IG_AT_CELLS;
  const int64_t items = cells ? snap->cells : snap->points;
  const ig_field *field = ig_snapshot_find(snap, where, name);
  ig_status status;
  if (!field)
    status = ig_fail_at(cx, at, "'%s' has no field '%s' at its %s", file, name,
                        cells ? "cells" : "points");
  else if (items == 0 || items > INT32_MAX)
    status =
        ig_fail_at(cx, at, "'%s' has %lld %s", file, (long long)items, cells ? "cells" : "points");
  else
    status = field_take(cx, at, file, snap, field, count, place, value, missing);
  ig_snapshot_free(snap);
  return status;
}
