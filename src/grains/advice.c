/* Whether cells resolve the front: between the isotherm of the liquidus and the tips, which follow
   it at the undercooling that gives them its speed, lies undercooling / gradient. Cells that are
   longer are captured before they have that undercooling. */
#include "grains/grains.h"

#include <math.h>

/* cells over that distance: then undercoolings are about a quarter too small */
#define MOST_CELLS 0.25
/* cells that are asked, about, however many there are */
#define ENOUGH 200000

/* What the law needs for a speed, K. */
static double under_of(const ig_grains_run *r, double speed) {
  double low = 0, high = r->limit;
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    *(ig_grains_speed(r, middle) < speed ? &low : &high) = middle;
  }
  return high;
}

/* The event of a cell that is molten at a time; NULL: none. */
static const ig_grains_event *molten_at(const ig_grains_run *r, int64_t cell, double time) {
  const int32_t *first = r->array.first.host;
  const ig_grains_event *event = r->array.event.host;
  for (int32_t i = first[cell]; i < first[cell + 1]; i++)
    if (event[i].melt < time && time < event[i].liquidus)
      return &event[i];
  return NULL;
}

/* How far apart in time the isotherm passes two neighbouring cells, s: of a cell and the next ones
   that are still molten when it passes this one, squared and summed over the axes; 0: none is. */
static double delay(const ig_grains_run *r, int64_t cell, const ig_grains_event *e) {
  const int *n = r->view.n;
  const int64_t step[3] = {1, n[0], (int64_t)n[0] * n[1]};
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    const int64_t at = cell / step[d] % n[d];
    double most = 0;
    for (int to = -1; to <= 1; to += 2) {
      const ig_grains_event *beside =
          at + to >= 0 && at + to < n[d] ? molten_at(r, cell + to * step[d], e->liquidus) : NULL;
      if (beside)
        most = fmax(most, beside->liquidus - e->liquidus);
    }
    sum += most * most;
  }
  return sqrt(sum);
}

/* Means over events: what temperature falls by across a cell, and the front's undercooling. */
static bool events_mean(const ig_grains_run *r, double *fall, double *under) {
  const int *n = r->view.n;
  const double cell = r->c->grid.cell;
  const int64_t cells = (int64_t)n[0] * n[1] * n[2], every = 1 + cells / ENOUGH;
  int64_t count = 0;
  *fall = *under = 0;
  for (int64_t c = 0; c < cells; c += every) {
    const int32_t *first = (const int32_t *)r->array.first.host + c;
    for (int32_t i = first[0]; i < first[1]; i++) {
      const ig_grains_event *e = (const ig_grains_event *)r->array.event.host + i;
      const double late = delay(r, c, e);
      if (!(late > 0))
        continue;
      *fall += e->cooling * late;
      *under += under_of(r, cell / late);
      count++;
    }
  }
  *fall /= (double)count, *under /= (double)count;
  return count > 0;
}

void ig_grains_front_warn(const ig_grains_run *r) {
  const ig_grains_field *f = &r->c->field;
  double fall = f->gradient * r->c->grid.cell, under = 0;
  if (f->at.given && f->gradient > 0 && r->view.rate > 0)
    under = under_of(r, r->view.rate / f->gradient);
  else if (!r->array.event.host || !events_mean(r, &fall, &under))
    return;
  if (fall > MOST_CELLS * under)
    ig_warn_at(r->cx, &r->c->grid.at,
               "across a cell of %.3g m temperatures fall by %.3g K, and tips follow the liquidus "
               "by %.3g K: cells are captured before, so that undercoolings are too small and "
               "nuclei too few; take cells of at most %.2g m",
               r->c->grid.cell, fall, under, r->c->grid.cell * MOST_CELLS * under / fall);
}
