/* Profiles of beams: see profile_case.h. */
#include "material/profile_case.h"

#include <math.h>

#define R ig_profile_ring
const ig_option ig_profile_ring_options[] = {
    IG_REAL(R, radius, "m", IG_REQUIRED, IG_POSITIVE, 1,
            "of the circle where the ring is brightest"),
    IG_REAL(R, width, "m", IG_REQUIRED, IG_POSITIVE, 1,
            "distance from that circle where it has fallen to 1/e^2"),
    IG_REAL(R, share, "", IG_REQUIRED, 0, 1, "share of the power in the ring; the rest: the core"),
    IG_END};
#undef R

/* Of the ring at a peak of 1, m^2: of 2 pi r exp(-2 (r - r0)^2 / w^2). */
static double ring_area(const ig_profile *p) {
  const double x = p->ring_radius / p->ring_width;
  return 2 * M_PI * p->ring_width *
         (0.25 * p->ring_width * exp(-2 * x * x) +
          p->ring_radius * sqrt(M_PI / 8) * (1 + erf(M_SQRT2 * x)));
}

/* Constant within the first knot, then linear between knots; 2 pi r times a linear function is
   integrated exactly. */
static double table_area(const ig_profile *p) {
  double sum = M_PI * p->knot[0] * p->knot[0] * p->level[0];
  for (int i = 1; i < p->knots; i++) {
    const double a = p->knot[i - 1], b = p->knot[i], from = p->level[i - 1], to = p->level[i];
    sum += 2 * M_PI * (b - a) * (from * (2 * a + b) + to * (a + 2 * b)) / 6;
  }
  return sum;
}

double ig_profile_area(const ig_profile *p) {
  if (p->kind == IG_PROFILE_TABLE)
    return table_area(p);
  const double circle = M_PI * p->radius * p->radius;
  if (p->kind == IG_PROFILE_ORDER)
    return circle * tgamma(1 + 2 / p->order) * pow(2, -2 / p->order);
  return 0.5 * circle; /* peaks of core and ring are such that both together have this */
}

double ig_profile_peak(const ig_profile *p) {
  double most = ig_profile_at(p, 0);
  if (p->kind == IG_PROFILE_RING)
    most = fmax(most, ig_profile_at(p, p->ring_radius * p->ring_radius));
  for (int i = 0; p->kind == IG_PROFILE_TABLE && i < p->knots; i++)
    most = fmax(most, p->level[i]);
  return most;
}

double ig_profile_least(const ig_profile *p) {
  return p->kind == IG_PROFILE_RING ? fmin(p->radius, p->ring_width) : p->radius;
}

static ig_status table_make(ig_ctx *cx, const ig_profile_given *c, ig_profile *p) {
  const ig_table *t = c->table;
  if (t->count < 2 || t->count > IG_PROFILE_KNOTS)
    return ig_fail_at(cx, &c->at, "a profile has 2 to %d rows (found %d)", IG_PROFILE_KNOTS,
                      t->count);
  p->kind = IG_PROFILE_TABLE;
  p->knots = t->count;
  for (int i = 0; i < p->knots; i++) {
    p->knot[i] = t->x[i];
    p->level[i] = t->y[i];
  }
  if (p->knot[0] < 0 || !(table_area(p) > 0))
    return ig_fail_at(cx, &c->at, "a profile needs distances from 0 on and some intensity");
  return IG_OK;
}

ig_status ig_profile_make(ig_ctx *cx, const ig_profile_given *c, ig_profile *p, double *end) {
  const bool order = c->order > 0 && c->order != 2, ring = c->ring->at.given,
             table = c->table->count > 0;
  *p = (ig_profile){.kind = IG_PROFILE_GAUSSIAN, .radius = c->radius, .order = 2};
  if (order + ring + table > 1)
    return ig_fail_at(cx, &c->at, "a beam has one of `order`, `ring` and `profile`");
  if (order) {
    p->kind = IG_PROFILE_ORDER;
    p->order = c->order;
    *end = c->radius * pow(6.25, 1 / c->order); /* exp(-12.5), as at 2.5 radii of a Gaussian */
  } else if (ring) {
    p->kind = IG_PROFILE_RING;
    p->ring_radius = c->ring->radius;
    p->ring_width = c->ring->width;
    p->core = 1 - c->ring->share; /* the Gaussian's integral is the unit of both */
    p->ring = c->ring->share * 0.5 * M_PI * p->radius * p->radius / ring_area(p);
    *end = fmax(*end, p->ring_radius + 2.2 * p->ring_width);
  } else if (table) {
    IG_TRY(table_make(cx, c, p));
    *end = p->knot[p->knots - 1];
  }
  return IG_OK;
}
