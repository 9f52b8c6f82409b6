/* Problems of topology optimisation, iterated by hand. */
#ifndef IG_TESTS_TOPOPT_DENSITIES_H
#define IG_TESTS_TOPOPT_DENSITIES_H

#include "check.h"
#include "backend/backend.h"
#include "verify/topopt/problem.h"

/* Densities after some iterations; to be freed. */
static inline double *densities(ig_ctx *cx, const char *text, int iterations, ig_topopt_problem *t,
                                ig_evaluation *e) {
  GOOD(cx, ig_topopt_problem_open(cx, text, t));
  for (int it = 1; it <= iterations; it++)
    GOOD(cx, ig_topopt_problem_iterate(t, it, e));
  double *density = calloc((size_t)t->d->places, 8);
  GOOD(cx, cx->backend->copy_out(cx, density, t->s->density[0].dev, (size_t)t->d->places * 8));
  return density;
}

#endif
