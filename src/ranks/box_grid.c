/* Axis-aligned boxes and a coarse grid of them, used for the broad phase of contact between ranks:
   a rank sends a face or node to another rank only if it is near one of that rank's boxes. */
#include "ranks/box_grid.h"

#include <math.h>

const ig_box ig_box_none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

void ig_box_add(ig_box *b, const double x[3]) {
  for (int c = 0; c < 3; c++) {
    b->low[c] = fmin(b->low[c], x[c]);
    b->high[c] = fmax(b->high[c], x[c]);
  }
}

/* Written as a negated comparison so that a box with NaN is near nothing. The empty box (low =
   +inf, high = -inf) gives a distance of +inf and is also near nothing. */
bool ig_box_near(const ig_box *a, const ig_box *b, double reach) {
  for (int c = 0; c < 3; c++)
    if (!(fmax(a->low[c] - b->high[c], b->low[c] - a->high[c]) <= reach))
      return false;
  return true;
}

void ig_box_grid_clear(ig_box_grid *f) {
  for (int i = 0; i < IG_FENCE_BOXES; i++)
    f->part[i] = ig_box_none;
}

/* A box is put into the cell that contains its centre, but the cell's bounds grow to contain all of
   it. So a query against the cells never misses a part of a large box. */
void ig_box_grid_add(ig_box_grid *f, const ig_box *b) {
  int cell = 0;
  for (int c = 2; c >= 0; c--) {
    const double wide = f->all.high[c] - f->all.low[c];
    const double at =
        wide > 0 ? (0.5 * (b->low[c] + b->high[c]) - f->all.low[c]) / wide * IG_FENCE_CUTS : 0;
    const int cut = at >= IG_FENCE_CUTS ? IG_FENCE_CUTS - 1 : at > 0 ? (int)at : 0;
    cell = cell * IG_FENCE_CUTS + cut;
  }
  ig_box_add(&f->part[cell], b->low);
  ig_box_add(&f->part[cell], b->high);
}

bool ig_box_grid_near(const ig_box_grid *f, const ig_box *b, double reach) {
  if (!ig_box_near(b, &f->all, reach))
    return false;
  for (int i = 0; i < IG_FENCE_BOXES; i++)
    if (ig_box_near(b, &f->part[i], reach))
      return true;
  return false;
}
