/* Calibration: the values of several keys of one or more cases for which figures of the results
   come nearest to measured ones, with their uncertainties. In builds with input and output. */
#ifndef INGOT_CALIBRATE_H
#define INGOT_CALIBRATE_H

#include <ingot/run.h>

IG_C_BEGIN

/* A key that was fitted; numbers in `unit`, the one that the file gives it. */
typedef struct {
  const char *key, *unit;
  double value, start;
  double deviation;              /* standard error; NaN: at a bound, or not determined */
  double from, to;               /* bounds; -INFINITY, INFINITY: none */
  double prior, prior_deviation; /* NaN: none */
  int bound;                     /* -1 at `from`, 1 at `to`, 0 between them */
  bool determined;
} ig_calibrated_key;

/* A figure that was measured; numbers in `unit`. */
typedef struct {
  const char *run, *figure, *unit; /* run: the name of its case, "" where there is one */
  double time;                     /* of a history's column, s; NaN: a figure of the summary */
  double measured, uncertainty;    /* NaN: none is known */
  double at_start, computed;
  double residual; /* (computed - measured) / uncertainty; without one, share of the measured */
} ig_calibrated_figure;

/* What is known so far. Pointers are valid during the call only. */
typedef struct {
  const char *file, *title;
  const char *status; /* "running", "converged", "not converged", "interrupted" */
  const char *reason; /* why it ended */
  int keys, figures;
  const ig_calibrated_key *key;
  const ig_calibrated_figure *figure;
  const double *covariance, *correlation; /* keys x keys */
  /* Combinations of keys that the figures do not determine: undetermined x keys, each scaled to a
     largest entry of 1. Entries are shares of the keys' ranges (of the logarithm's where they are
     fitted on that scale). */
  int undetermined;
  const double *direction;
  /* Sum of the squared residuals, that of priors included; figures + priors - free keys. */
  double sum;
  int freedom;
  bool from_residuals; /* no uncertainties are known: standard errors follow from the residuals */
  double noise;        /* relative, of the figures, that steps were chosen by */
  int iterations, runs, failed, kept; /* kept: taken from a former calibration's runs.csv */
} ig_calibration;
typedef void ig_calibration_fn(void *user, const ig_calibration *c);

typedef struct {
  /* Folder of calibration.json and runs.csv; of chains their runs, too. NULL: nothing is written */
  const char *out;
  const char *const *set; /* "KEY=VALUE" for every run */
  int sets;
  bool resume;         /* runs of an earlier calibration in `out` are not run again */
  const char *backend; /* of the runs; NULL: as the cases say */
  int threads;         /* per run; 0: one */
  int jobs;            /* runs at a time; 0: one per core and thread */
  int devices;         /* GPUs that the runs are spread over; 0: one */
  ig_calibration_fn *done;
  void *user;
} ig_calibrate_options;

/* Whether a file describes a calibration: a map with `keys` or `figures`, which no case has. */
IG_API IG_MUST_CHECK ig_status ig_is_calibration(ig_ctx *cx, const char *path, bool *is);
/* Reads a calibration file (docs/how-to/calibrate.md) and fits it. `done` is called once at the
   end, also where the search was interrupted (IG_INTERRUPTED), with the best so far. IG_INPUT: the
   file or one of its cases must be corrected; nothing was written. */
IG_API IG_MUST_CHECK ig_status ig_calibrate(ig_ctx *cx, const char *path,
                                            const ig_calibrate_options *options);

IG_C_END
#endif
