/* Counting sort of places into a grid of bins. */
#include "thermal/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int cell_of(const ig_bins *b, const double *x, int d) {
  const double c = floor((x[d] - b->low[d]) / b->width);
  return c < 0 ? 0 : c >= b->cells[d] ? b->cells[d] - 1 : (int)c;
}

ig_status ig_bins_new(ig_ctx *cx, ig_bins *b, int32_t count, const double *place, double width) {
  memset(b, 0, sizeof *b);
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int d = 0; d < 3; d++) {
    b->low[d] = INFINITY;
    for (int32_t i = 0; i < count; i++) {
      b->low[d] = fmin(b->low[d], place[3 * (int64_t)i + d]);
      high[d] = fmax(high[d], place[3 * (int64_t)i + d]);
    }
  }
  if (count == 0)
    return IG_OK;
  b->width = width;
  double bins;
  do {
    bins = 1;
    for (int d = 0; d < 3; d++)
      bins *= floor((high[d] - b->low[d]) / b->width) + 1;
    if (bins > 4.0 * count + 64)
      b->width *= 1.5;
  } while (bins > 4.0 * count + 64);
  for (int d = 0; d < 3; d++)
    b->cells[d] = (int)floor((high[d] - b->low[d]) / b->width) + 1;
  const size_t all = (size_t)b->cells[0] * (size_t)b->cells[1] * (size_t)b->cells[2];
  ig_status status = IG_NEW(cx, &b->start, all + 1, "bins");
  if (status == IG_OK)
    status = IG_NEW(cx, &b->item, count, "bins");
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    for (int32_t n = 0; n < count; n++) {
      const int32_t i = pass ? count - 1 - n : n; /* keeps rising order within a bin */
      const double *x = &place[3 * (int64_t)i];
      const size_t c = (size_t)cell_of(b, x, 0) +
                       (size_t)b->cells[0] * ((size_t)cell_of(b, x, 1) +
                                              (size_t)b->cells[1] * (size_t)cell_of(b, x, 2));
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

bool ig_bins_range(const ig_bins *b, const double *low, const double *high, int *from, int *to) {
  if (b->cells[0] == 0)
    return false;
  for (int d = 0; d < 3; d++) {
    if (high[d] < b->low[d] || low[d] > b->low[d] + b->width * b->cells[d])
      return false;
    from[d] = cell_of(b, low, d);
    to[d] = cell_of(b, high, d);
  }
  return true;
}
