/* Gradients: the derivative of a figure of a run by numbers of its case, by one run forward and one
   backward, whatever the number of keys. physics: thermal and one explicit analysis of dynamics, on
   a CPU, static analyses of structure, and the first design of topopt, so far. */
#ifndef INGOT_GRADIENT_H
#define INGOT_GRADIENT_H

#include <ingot/run.h>

IG_C_BEGIN

/* The figure is a function of a signal, the temperature of a probe (NAME) or volume(TEMPERATURE),
   the volume hotter than that: SIGNAL (at the end), SIGNAL@TIME, mean(SIGNAL), max(SIGNAL),
   variance(SIGNAL), variance(SIGNAL, VALUE); or misfit(FILE.csv), the sum of squares of differences
   to measured temperatures. Of structure: displacement(SET, x), reaction(SET, x), compliance,
   von_mises(SET), stress(SET, xx). Of topopt: objective, volume, constraint_1. Of dynamics the
   signals are probes, displacement(SET, x), velocity(SET, x), reaction(SET, x), energy,
   energy(SET), plastic_strain(SET), von_mises(SET).

   A key is a number of the case ("boundary[0].convection", "materials[0].conductivity", of a table
   "materials[0].conductivity[2][1]"), "beams[0].powers" (the power of each piece of a beam's path)
   or "initial_temperatures" (of each node), "design" (of each element), "initial_velocities" (three
   of each node), "thicknesses" (of each element). Steps, births and what a beam reaches are taken
   as they are: keys that change nothing else are refused. */
typedef struct {
  const char *key;
  int64_t count;            /* numbers of this key */
  const double *value;      /* count */
  const double *derivative; /* count: of the figure, by the number in SI units */
  double difference;        /* of two runs, for comparison; NaN: not asked for, or a field */
} ig_gradient_row;

typedef struct {
  const char *figure, *unit;
  double value;
  int64_t steps;
  int64_t measured; /* numbers that a misfit compares; 0: no misfit */
  int rows;
  const ig_gradient_row *row;
} ig_gradient;

typedef struct {
  bool differences; /* run twice more per key, and fill `difference` */
} ig_gradient_options;

/* The case keeps its values. options NULL: none. Free *gradient with ig_gradient_free. */
IG_API IG_MUST_CHECK ig_status ig_case_gradient(ig_case *c, const char *figure,
                                                const char *const *keys, int count,
                                                const ig_gradient_options *options,
                                                ig_gradient **gradient);
IG_API void ig_gradient_free(ig_gradient *gradient);

/* The search for the least figure, after each point that was accepted. */
typedef struct {
  const char *figure;
  char unit[16];
  double start, value; /* of the figure */
  double gradient;     /* largest derivative by a number that can move, over that at the start;
                          numbers in units of their ranges */
  int iterations, gradients; /* points accepted; figures computed, each with its gradient */
  const char *reason;        /* why it ended; "" on the way */
  bool converged;
} ig_optimum;
typedef void ig_optimum_fn(void *user, const ig_optimum *now);

typedef struct {
  /* Bounds of each key, for all its numbers, as a case has values: "50 W". NULL: none */
  const char *const *low, *const *high;
  bool maximise;
  int iterations;   /* at most; 0: 50 */
  double tolerance; /* of `gradient`, and of the change of the figure; 0: 1e-3 */
  ig_optimum_fn *step;
  void *user;
  /* Standard errors of the keys, which are single numbers then, and their correlations (count x
     count), of a misfit: from its second derivatives at the end, by two more gradients per key. NaN
     where the data do not determine a key, or where it is at a bound. NULL: not wanted */
  double *deviation, *correlation;
  double uncertainty; /* of what was measured, SI; 0: from the misfit that is left */
} ig_optimise_options;

/* Changes the numbers of `keys` until the figure is least: quasi-Newton steps (L-BFGS) projected
   onto the bounds, each point by ig_case_gradient. Powers that are 0 at the start stay so, as of
   pieces with the beam off; others need a lower bound above 0. The case has the best values
   afterwards, also where the search was interrupted. */
IG_API IG_MUST_CHECK ig_status ig_case_optimise(ig_case *c, const char *figure,
                                                const char *const *keys, int count,
                                                const ig_optimise_options *options,
                                                ig_optimum *optimum);

IG_C_END

#endif
