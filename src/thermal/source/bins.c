/* Counting sort of points into a grid of bins; see bins.h. start[c] counts, then becomes the end of
   bin c, then its beginning: the second pass fills each bin from its end. */
#include "thermal/source/bins.h"
#include "ranks/allgather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int cell_of(const ig_bins *b, const double *x, int d) {
  const double c = floor((x[d] - b->low[d]) / b->width);
  return c < 0 ? 0 : c >= b->all[d] ? b->all[d] - 1 : (int)c;
}

ig_bins_extent ig_bins_extent_of(int32_t count, const double *place) {
  ig_bins_extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, count};
  for (int32_t i = 0; i < count; i++)
    for (int d = 0; d < 3; d++) {
      e.low[d] = fmin(e.low[d], place[3 * (int64_t)i + d]);
      e.high[d] = fmax(e.high[d], place[3 * (int64_t)i + d]);
    }
  return e;
}

/* The box around the things of all ranks, and their number. */
ig_status ig_bins_extent_join(ig_ctx *cx, ig_bins_extent *e) {
  void *list;
  int64_t ranks;
  const ig_status status =
      ig_ranks_allgatherv(cx, IG_OK, e, 1, sizeof *e, NULL, &list, &ranks, NULL);
  const ig_bins_extent *all = list;
  for (int64_t r = 0; r < ranks && status == IG_OK; r++)
    for (int d = 0; d < 3; d++) {
      e->low[d] = fmin(e->low[d], all[r].low[d]);
      e->high[d] = fmax(e->high[d], all[r].high[d]);
    }
  e->count = 0;
  for (int64_t r = 0; r < ranks && status == IG_OK; r++)
    e->count += all[r].count;
  free(list);
  return status;
}

ig_status ig_bins_new(ig_ctx *cx, ig_bins *b, int32_t count, const double *place, double width) {
  const ig_bins_extent extent = ig_bins_extent_of(count, place);
  return ig_bins_within(cx, b, &extent, count, place, width);
}

/* The bins between the lowest and the highest that have things. */
static void cells_find(ig_bins *b, int32_t count, const double *place) {
  const ig_bins_extent own = ig_bins_extent_of(count, place);
  for (int d = 0; d < 3; d++) {
    b->first[d] = cell_of(b, own.low, d);
    b->cells[d] = cell_of(b, own.high, d) - b->first[d] + 1;
  }
}

/* Bins of all ranks have one origin and one width (e: of all), so that a bin has the same number
   everywhere; memory is for those between this rank's lowest and highest. A counting sort. */
ig_status ig_bins_within(ig_ctx *cx, ig_bins *b, const ig_bins_extent *e, int32_t count,
                         const double *place, double width) {
  memset(b, 0, sizeof *b);
  if (count == 0)
    return IG_OK;
  memcpy(b->low, e->low, sizeof b->low);
  b->width = width;
  double bins;
  /* more bins than about four per point would only be empty: they are made wider until that holds
   */
  do {
    bins = 1;
    for (int d = 0; d < 3; d++)
      bins *= floor((e->high[d] - b->low[d]) / b->width) + 1;
    if (bins > 4.0 * e->count + 64)
      b->width *= 1.5;
  } while (bins > 4.0 * e->count + 64);
  for (int d = 0; d < 3; d++)
    b->all[d] = (int)floor((e->high[d] - b->low[d]) / b->width) + 1;
  cells_find(b, count, place);
  const size_t all = (size_t)b->cells[0] * (size_t)b->cells[1] * (size_t)b->cells[2];
  ig_status status = IG_NEW(cx, &b->start, all + 1, "bins");
  if (status == IG_OK)
    status = IG_NEW(cx, &b->item, count, "bins");
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    for (int32_t n = 0; n < count; n++) {
      const int32_t i = pass ? count - 1 - n : n; /* keeps rising order within a bin */
      const double *x = &place[3 * (int64_t)i];
      const int64_t c = ig_bins_at(b, cell_of(b, x, 0) - b->first[0],
                                   cell_of(b, x, 1) - b->first[1], cell_of(b, x, 2) - b->first[2]);
      if (pass)
        b->item[--b->start[c]] = i;
      else
        b->start[c]++;
    }
    for (size_t c = 1; c <= all && !pass; c++)
      b->start[c] += b->start[c - 1];
  }
  if (status != IG_OK)
    ig_bins_free(b);
  return status;
}

void ig_bins_free(ig_bins *b) {
  free(b->start);
  free(b->item);
  memset(b, 0, sizeof *b);
}

/* Bounds are inclusive on both sides; a box that touches the grid only beyond the rank's own cells
   gives false as well. */
bool ig_bins_range(const ig_bins *b, const double *low, const double *high, int *from, int *to) {
  if (b->cells[0] == 0)
    return false;
  for (int d = 0; d < 3; d++) {
    if (high[d] < b->low[d] || low[d] > b->low[d] + b->width * b->all[d])
      return false;
    from[d] = cell_of(b, low, d) - b->first[d];
    to[d] = cell_of(b, high, d) - b->first[d];
    from[d] = from[d] < 0 ? 0 : from[d];
    to[d] = to[d] < b->cells[d] ? to[d] : b->cells[d] - 1;
    if (from[d] > to[d])
      return false;
  }
  return true;
}
