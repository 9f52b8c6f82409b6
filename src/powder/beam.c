/* The laser: where it is, and its heat in the window. */
#include "powder/powder.h"

#include <math.h>

/* The piece of the path at a time. */
static int64_t piece_at(const ig_toolpath *p, int64_t *cursor, double time) {
  int64_t i = *cursor;
  if (i >= p->count || p->t[i] > time)
    i = 0;
  while (i + 1 < p->count && p->t[i + 1] <= time)
    i++;
  return *cursor = i;
}

static void place_in(const ig_toolpath *p, int64_t i, double time, double *x) {
  const int64_t next = i + 1 < p->count ? i + 1 : i;
  const double length = p->t[next] - p->t[i];
  const double s = length > 0 ? fmin(fmax((time - p->t[i]) / length, 0), 1) : 0;
  for (int d = 0; d < 3; d++)
    x[d] = p->x[3 * i + d] + s * (p->x[3 * next + d] - p->x[3 * i + d]);
}

double ig_powder_beam_at(ig_powder_run *r, double time, double *x) {
  const int64_t i = piece_at(&r->path, &r->cursor, time);
  place_in(&r->path, i, time, x);
  return i + 1 < r->path.count && time >= r->path.t[0] ? r->path.power[i] : 0;
}

double ig_powder_beam_next(const ig_powder_run *r, double time) {
  int64_t cursor = r->cursor;
  const ig_toolpath *p = &r->path;
  for (int64_t i = piece_at(p, &cursor, time); i + 1 < p->count; i++)
    if (p->power[i] > 0 && p->t[i + 1] > p->t[i])
      return fmax(time, p->t[i]);
  return INFINITY;
}

/* Shares of a Gaussian in the cells along an axis; they add up to 1. Cells from *first to *last. */
static void shares(double *w, int n, double low, double h, double x, double width, int *first,
                   int *last) {
  const double reach = 2.5 * width;
  *first = (int)fmax(0, floor((x - reach - low) / h));
  *last = (int)fmin(n - 1, floor((x + reach - low) / h));
  double sum = 0;
  for (int i = *first; i <= *last; i++) {
    const double a = low + i * h - x;
    w[i] = erf(M_SQRT2 * (a + h) / width) - erf(M_SQRT2 * a / width);
    sum += w[i];
  }
  for (int i = *first; i <= *last; i++)
    w[i] /= sum;
}

/* Joules at a place: shared out along x and y, then below the top of the bed. What a column absorbs
   depends on its topmost cell. */
static void deposit(ig_powder_run *r, const double *x, double joule) {
  ig_level *l = &r->fine;
  const double h = l->edge;
  int from[3], to[3];
  const int top = (int)(r->bed - (int64_t)r->at[2] * r->r) - 1;
  for (int d = 0; d < 2; d++)
    shares(r->wx[d], l->n[d], r->low[d] + r->at[d] * h * r->r, h, x[d], r->c->beam.radius, &from[d],
           &to[d]);
  from[2] = to[2] = top;
  r->wx[2][top] = 1;
  if (!isnan(r->c->beam.depth)) {
    const double low = r->low[2] + r->at[2] * h * r->r;
    shares(r->wx[2], top + 1, low, h, low + (top + 1) * h, r->c->beam.depth, &from[2], &to[2]);
  }
  for (int j = from[1]; j <= to[1]; j++)
    for (int i = from[0]; i <= to[0]; i++) {
      const size_t at = ig_level_at(l, i, j, top);
      const uint8_t state =
          r->state[ig_powder_state_at(r, r->at[0] * r->r + i, r->at[1] * r->r + j, r->bed - 1)];
      const double absorbed = !(state & IG_POWDER_SOLID) && !isnan(r->c->beam.powder_absorptivity)
                                  ? r->c->beam.powder_absorptivity
                                  : ig_table_at(&r->material->absorptivity, l->T[at]);
      const double q = absorbed * joule * r->wx[0][i] * r->wx[1][j];
      r->ledger.source += q;
      for (int k = from[2]; k <= to[2]; k++)
        l->heat[ig_level_at(l, i, j, k)] += q * r->wx[2][k] / (h * h * h);
    }
}

void ig_powder_beam_heat(ig_powder_run *r, double time, double dt) {
  const ig_toolpath *p = &r->path;
  int64_t i = piece_at(p, &r->cursor, time);
  for (; i + 1 < p->count && p->t[i] < time + dt; i++) {
    const double from = fmax(time, p->t[i]), to = fmin(time + dt, p->t[i + 1]);
    if (!(to > from) || !(p->power[i] > 0))
      continue;
    /* not more than half a radius at once */
    const double way = hypot(p->x[3 * i + 3] - p->x[3 * i], p->x[3 * i + 4] - p->x[3 * i + 1]) *
                       (to - from) / (p->t[i + 1] - p->t[i]);
    const int parts = (int)fmax(1, ceil(way / (0.5 * r->c->beam.radius)));
    for (int n = 0; n < parts; n++) {
      double x[3];
      place_in(p, i, from + (to - from) * (n + 0.5) / parts, x);
      deposit(r, x, p->power[i] * (to - from) / parts);
    }
  }
}
