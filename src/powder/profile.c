/* The beam across its axis: how wide it is, and a table of what lies between its axis and a point,
   where that is no product of two Gaussians (powder_within). */
#include "powder/powder.h"

#include <math.h>

/* places in each direction of a cell of the table: sharp edges are found to a thousandth of it */
enum { PLACES = 8 };

/* Mean of the relative intensity over a cell of the table; `step`: its edge. */
static double cell_mean(const ig_profile *p, int i, int j, double step) {
  double sum = 0;
  for (int n = 0; n < PLACES * PLACES; n++) {
    const double x = step * (i + (n % PLACES + 0.5) / PLACES),
                 y = step * (j + (n / PLACES + 0.5) / PLACES);
    sum += ig_profile_at(p, x * x + y * y);
  }
  return sum / (PLACES * PLACES);
}

/* A quarter of the plane, up to where the profile ends: sums along rows, then over rows. */
static ig_status within_make(ig_powder_run *r, double end) {
  enum { ROWS = IG_POWDER_WITHIN, WIDE = ROWS + 1 };
  IG_TRY(ig_array_new(r->cx, &r->array.within, (size_t)WIDE * WIDE, sizeof(double), "beam"));
  double *to = r->array.within.host;
  for (int j = 1; j < WIDE; j++)
    for (int i = 1; i < WIDE; i++) {
      const double mean = i <= j ? cell_mean(&r->across, i - 1, j - 1, end / ROWS) : 0;
      to[j * WIDE + i] = mean;
      to[i * WIDE + j] = i <= j ? mean : to[i * WIDE + j];
    }
  for (int j = 1; j < WIDE; j++)
    for (int i = 1; i < WIDE; i++)
      to[j * WIDE + i] +=
          to[j * WIDE + i - 1] + to[(j - 1) * WIDE + i] - to[(j - 1) * WIDE + i - 1];
  const double quarter = to[WIDE * WIDE - 1];
  for (int i = 0; i < WIDE * WIDE; i++)
    to[i] *= 0.25 / quarter;
  r->view.within_per = ROWS / end;
  return ig_array_push(r->cx, &r->array.within);
}

ig_status ig_powder_profile_make(ig_powder_run *r) {
  const ig_powder_beam *b = &r->c->beam;
  const ig_profile_given given = {b->at, b->radius, b->order, &b->ring, &b->profile};
  double end = 2.5 * b->radius;
  IG_TRY(ig_profile_make(r->cx, &given, &r->across, &end));
  r->radius = b->radius;
  r->view.narrow = ig_profile_least(&r->across);
  if (r->across.kind == IG_PROFILE_GAUSSIAN)
    return IG_OK;
  if (b->keyhole.at.given)
    return ig_fail_at(r->cx, &b->keyhole.at,
                      "a keyhole is that of a Gaussian beam: leave out order, ring and profile, or "
                      "give `depth` in place of the keyhole");
  r->radius = end / 2.5; /* reach, windows and what pools are measured by hold all of the light */
  return within_make(r, end);
}
