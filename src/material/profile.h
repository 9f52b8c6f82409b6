/* How the intensity of a beam falls with the distance from its axis. Double precision, for the CPU
   and CUDA; profile_case.h makes one from the keys of a case. */
#ifndef IG_MATERIAL_PROFILE_H
#define IG_MATERIAL_PROFILE_H

#include "kern/hd.h"

#include <math.h>
#include <stdint.h>

typedef enum {
  IG_PROFILE_GAUSSIAN,
  IG_PROFILE_RING,
  IG_PROFILE_TABLE,
  IG_PROFILE_ORDER
} ig_profile_kind;
/* rows of a tabulated profile at most; tables are inside the struct so that it can be copied */
enum { IG_PROFILE_KNOTS = 32 };

typedef struct {
  int32_t kind, knots;            /* ig_profile_kind; rows of the table */
  double radius;                  /* of the Gaussian and the core, 1/e^2, m */
  double order;                   /* exp(-2 (r / radius)^order) */
  double core, ring;              /* peaks: of the Gaussian, of the ring */
  double ring_radius, ring_width; /* m */
  double knot[IG_PROFILE_KNOTS], level[IG_PROFILE_KNOTS]; /* table: m, relative intensity */
} ig_profile;

/* Straight lines between rows, the first value before them, nothing beyond. */
IG_HD double ig_profile_row(const double *knot, const double *level, int knots, double x) {
  if (x <= knot[0])
    return level[0];
  for (int i = 1; i < knots; i++)
    if (x < knot[i])
      return level[i - 1] + (level[i] - level[i - 1]) * (x - knot[i - 1]) / (knot[i] - knot[i - 1]);
  return 0;
}

/* Relative intensity at the distance sqrt(r2) from the axis, m. */
IG_HD double ig_profile_at(const ig_profile *p, double r2) {
  if (p->kind == IG_PROFILE_ORDER)
    return exp(-2 * pow(r2 / (p->radius * p->radius), 0.5 * p->order));
  const double core = exp(-2 * r2 / (p->radius * p->radius));
  if (p->kind == IG_PROFILE_GAUSSIAN)
    return core;
  const double r = sqrt(r2);
  if (p->kind == IG_PROFILE_RING) {
    const double off = (r - p->ring_radius) / p->ring_width;
    return p->core * core + p->ring * exp(-2 * off * off);
  }
  return ig_profile_row(p->knot, p->level, p->knots, r);
}

#endif
