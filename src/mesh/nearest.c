/* Points are sorted into boxes; the search looks at shells of boxes around x and ends when no box
   further out can have a nearer point. */
#include "mesh/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int box_along(const ig_point_boxes *b, int d, double x) {
  const double i = floor((x - b->low[d]) / b->size);
  return i < 0 ? 0 : i >= b->n[d] ? b->n[d] - 1 : (int)i;
}
static int64_t box_of(const ig_point_boxes *b, const double *x) {
  return ((int64_t)box_along(b, 2, x[2]) * b->n[1] + box_along(b, 1, x[1])) * b->n[0] +
         box_along(b, 0, x[0]);
}

/* Flat sets of points (a plane problem) have no volume: a thousandth of the widest extent stands
   for the missing one, which also bounds the number of boxes. */
static void boxes_size(ig_point_boxes *b, int64_t count) {
  double high[3], volume = 1, widest = 0;
  for (int d = 0; d < 3; d++) {
    b->low[d] = INFINITY;
    high[d] = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
      b->low[d] = fmin(b->low[d], b->point[3 * i + d]);
      high[d] = fmax(high[d], b->point[3 * i + d]);
    }
    widest = fmax(widest, high[d] - b->low[d]);
  }
  if (!(widest > 0))
    widest = 1;
  for (int d = 0; d < 3; d++)
    volume *= fmax(high[d] - b->low[d], 1e-3 * widest);
  b->size = fmax(cbrt(2 * volume / (double)count), 1e-3 * widest);
  for (int d = 0; d < 3; d++)
    b->n[d] = 1 + (int)((high[d] - b->low[d]) / b->size);
}

ig_status ig_nearest_new(ig_ctx *cx, const double *point, int64_t count, ig_point_boxes *b) {
  *b = (ig_point_boxes){.point = point};
  if (count == 0)
    return IG_OK;
  boxes_size(b, count);
  const int64_t all = (int64_t)b->n[0] * b->n[1] * b->n[2];
  ig_status status = IG_NEW(cx, &b->first, all + 2, "boxes of points");
  if (status == IG_OK)
    status = IG_NEW(cx, &b->order, count, "boxes of points");
  if (status != IG_OK) {
    ig_nearest_free(b);
    return status;
  }
  for (int64_t i = 0; i < count; i++)
    b->first[box_of(b, point + 3 * i) + 2]++;
  for (int64_t i = 0; i < all; i++)
    b->first[i + 2] += b->first[i + 1];
  for (int64_t i = 0; i < count; i++)
    b->order[b->first[box_of(b, point + 3 * i) + 1]++] = i;
  return IG_OK;
}

void ig_nearest_free(ig_point_boxes *b) {
  free(b->first);
  free(b->order);
  *b = (ig_point_boxes){0};
}

/* The shell of boxes `ring` away from x; the nearest point so far is kept. */
static void look(const ig_point_boxes *b, const double *x, int ring, int64_t *nearest,
                 double *least) {
  const int at[3] = {box_along(b, 0, x[0]), box_along(b, 1, x[1]), box_along(b, 2, x[2])};
  int from[3], to[3];
  for (int d = 0; d < 3; d++) { /* few boxes where the points are flat */
    from[d] = at[d] > ring ? at[d] - ring : 0;
    to[d] = at[d] + ring < b->n[d] ? at[d] + ring : b->n[d] - 1;
  }
  for (int k = from[2]; k <= to[2]; k++)
    for (int j = from[1]; j <= to[1]; j++) {
      const bool edge = abs(k - at[2]) == ring || abs(j - at[1]) == ring;
      for (int i = at[0] - ring; i <= at[0] + ring; i += edge || ring == 0 ? 1 : 2 * ring) {
        if (i < 0 || i >= b->n[0])
          continue;
        const int64_t box = ((int64_t)k * b->n[1] + j) * b->n[0] + i;
        for (int64_t q = b->first[box]; q < b->first[box + 1]; q++) {
          const double *p = b->point + 3 * b->order[q];
          const double away = (p[0] - x[0]) * (p[0] - x[0]) + (p[1] - x[1]) * (p[1] - x[1]) +
                              (p[2] - x[2]) * (p[2] - x[2]);
          if (away < *least || (away == *least && b->order[q] < *nearest)) {
            *least = away;
            *nearest = b->order[q];
          }
        }
      }
    }
}

/* After shell r - 1 every point nearer than (r - 1) box sizes has been seen. */
int64_t ig_nearest_find(const ig_point_boxes *b, const double x[3], double *far2) {
  const int most = b->n[0] + b->n[1] + b->n[2];
  int64_t nearest = -1;
  *far2 = INFINITY;
  for (int ring = 0; ring <= most && b->first; ring++) {
    if (nearest >= 0 && ring > 1 && *far2 < (ring - 1) * b->size * (ring - 1) * b->size)
      break;
    look(b, x, ring, &nearest, far2);
  }
  return nearest;
}
