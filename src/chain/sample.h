/* Points in the unit cube, and Sobol indices of values at such points: the mathematics of
   <ingot/sample.h>. */
#ifndef IG_CHAIN_SAMPLE_H
#define IG_CHAIN_SAMPLE_H

#include <ingot/sample.h>
#include "core/ctx.h"

enum { IG_SOBOL_DIMENSIONS = 21 };

/* The next number of a sequence of random ones in (0, 1): SplitMix64, `state` is its seed. */
double ig_uniform_draw(uint64_t *state);
/* n points (n x dimensions) in the open unit cube. Not of IG_SAMPLE_INDICES. */
void ig_sample_points(ig_sample_method method, uint64_t seed, int n, int dimensions, double *u);
/* The distribution function of the normal distribution, inverted. */
double ig_normal_quantile(double p);
/* The share of a normal distribution between two bounds, which may be infinite, and the value below
   which lies the share u of that part. */
double ig_normal_within(double mean, double deviation, double low, double high);
double ig_normal_between(double mean, double deviation, double low, double high, double u);

/* Indices of `keys` keys from values at n points: a and b (n) of two independent samples, ab (keys
   x n) of the first with one key from the second. Saltelli et al. (2010) for first, Jansen (1999)
   for total; intervals by resampling the points. `row` (keys) gets the numbers. */
IG_MUST_CHECK ig_status ig_sobol_indices(ig_ctx *cx, int n, int keys, const double *a,
                                         const double *b, const double *ab,
                                         ig_sensitivity_row *row);

#endif
