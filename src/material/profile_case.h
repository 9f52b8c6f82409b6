/* Profiles of beams (profile.h) from the keys of a case: Gaussian, super-Gaussian, a ring about a
   core, or a table. All rooms with beams have the same keys. */
#ifndef IG_MATERIAL_PROFILE_CASE_H
#define IG_MATERIAL_PROFILE_CASE_H

#include "core/option.h"
#include "material/profile.h"

/* A ring about the core of a beam. Members as the case gives them, SI units. */
typedef struct {
  ig_src at;
  double radius, width, share;
} ig_profile_ring;
extern const ig_option ig_profile_ring_options[];

/* What a case says; order NaN or 0, and what else is not given: a Gaussian. */
typedef struct {
  ig_src at;
  double radius, order;
  const ig_profile_ring *ring;
  const ig_table *table; /* relative intensity over the distance from the axis, m */
} ig_profile_given;

/* *end: where it ends, m; of a Gaussian as it was. */
IG_MUST_CHECK ig_status ig_profile_make(ig_ctx *cx, const ig_profile_given *from, ig_profile *p,
                                        double *end);
/* Integral over the plane, m^2; the highest relative intensity; the smallest length, m. */
double ig_profile_area(const ig_profile *p);
double ig_profile_peak(const ig_profile *p);
double ig_profile_least(const ig_profile *p);

#endif
