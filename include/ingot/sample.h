/* Samples: points of a space of keys as the runs of a sweep, and what their results say about the
   influence of each key. In builds with input and output. */
#ifndef INGOT_SAMPLE_H
#define INGOT_SAMPLE_H

#include <ingot/sweep.h>

IG_C_BEGIN

typedef enum {
  IG_SAMPLE_LATIN,   /* Latin hypercube: each key has one value in each of n equal intervals */
  IG_SAMPLE_SOBOL,   /* Sobol sequence with a random digital shift; best with n a power of 2 */
  IG_SAMPLE_RANDOM,  /* independent points */
  IG_SAMPLE_INDICES, /* n (keys + 2) runs from which ig_sensitivity computes Sobol indices */
} ig_sample_method;

/* Up to this many keys; of Sobol sequences the number of dimensions that are stored. */
enum { IG_SAMPLE_KEYS = 20 };

typedef struct {
  const char *case_path;
  /* What is sampled: "KEY=A..B" uniform, "KEY=A..B log" with a uniform logarithm, "KEY=M+-S"
     normal, "KEY=M+-S in A..B" normal between two bounds. The unit may stand behind the last number
     only. */
  const char *const *key;
  int keys;
  ig_sample_method method;
  int n;
  uint64_t seed;
} ig_sample_options;

/* Writes a sweep file `out` with one run per point; replaces a file only with `force`. */
IG_API IG_MUST_CHECK ig_status ig_sample(ig_ctx *cx, const ig_sample_options *options,
                                         const char *out, bool force);

/* Influence of one key on one figure: shares of the figure's variance, with 95 % intervals by the
   bootstrap. First: what would vanish if the key were known; total: what would remain if all
   others were. */
typedef struct {
  const char *figure, *key; /* the figure with its unit, "T_max [K]" */
  double first, first_low, first_high;
  double total, total_low, total_high;
} ig_sensitivity_row;
typedef void ig_sensitivity_fn(void *user, const ig_sensitivity_row *row);
/* From the results of a sweep whose file was made by IG_SAMPLE_INDICES, in `out`; also written to
   `out`/sensitivity.csv. figure NULL: all that vary. *used: points of which all runs are there. */
IG_API IG_MUST_CHECK ig_status ig_sensitivity(ig_ctx *cx, const ig_sweep *sweep, const char *out,
                                              const char *figure, ig_sensitivity_fn *row,
                                              void *user, int *used);

IG_C_END
#endif
