/* The inside of a calibration: its file, its runs, its result. Runs are threads of this process,
   each with a context of its own; everything else happens on the caller's thread. */
#ifndef IG_CHAIN_CALIBRATE_H
#define IG_CHAIN_CALIBRATE_H

#include <ingot/calibrate.h>
#include "chain/least_squares.h"
#include "core/option.h"
#include "core/unit.h"

enum { IG_CAL_KEYS = 32, IG_CAL_FIGURES = 1024, IG_CAL_MESSAGE = 300 };

/* A case with its own settings. */
typedef struct {
  const char *name, *path;
  int sets;
  const char **set, **from; /* from: where it stands, "fit.yaml:3:12"; NULL: --set */
  bool checked;             /* its first good run had all figures */
  uint64_t files;           /* hash of the files of its mesh; 0: not read yet */
} ig_cal_case;

/* A key. Its unknown u is x / width, or log(x) / width. */
typedef struct {
  ig_src at;
  const char *label; /* "fit.yaml:3:12" */
  ig_texts key;      /* of the cases: all get the value */
  const char *unit;
  ig_unit factor; /* of `unit` */
  bool log;
  double width;
  ig_calibrated_key out; /* start, from, to, prior in `unit` */
} ig_cal_key;

/* A measured figure. Numbers in `unit`. */
typedef struct {
  ig_src at;
  int run; /* which case */
  ig_unit factor;
  double deviation;         /* its residual is (computed - measured) / deviation */
  ig_calibrated_figure out; /* unit NULL until a run says what SI unit the figure has */
} ig_cal_figure;

/* A run that has ended. */
typedef struct {
  int run;       /* which case */
  uint64_t hash; /* of the case with all its values */
  bool ended;    /* what follows is filled in; set under the lock of the pool */
  bool good, kept;
  ig_status status;
  double x[IG_CAL_KEYS], *value, seconds; /* value: one per figure, in SI; NaN: of another case */
  char message[IG_CAL_MESSAGE];
} ig_cal_record;

typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  const char *file, *title;
  const ig_calibrate_options *o;
  int cases, keys, figures, priors;
  ig_cal_case *run;
  ig_cal_key *key;
  ig_cal_figure *figure;
  bool uncertain; /* uncertainties are given, not weights */
  double tolerance, noise;
  bool noise_given, noise_measured;
  int64_t iterations;
  int records;
  ig_cal_record *record;
  int runs, failed, kept; /* of this call */
  bool checked;           /* the figures are there: from now on something may be written */
  ig_ctx *quiet;          /* for cases that are read, not run */
} ig_cal;

/* --- calibrate_file.c */
IG_MUST_CHECK ig_status ig_cal_read(ig_cal *c, const char *path);
/* The value of a key as the cases take it, "200 GPa". */
void ig_cal_value_text(const ig_cal_key *key, double x, char text[96]);

/* --- calibrate_runs.c */
/* Opens case `run` with the values x of the keys. Close it after a failure too. */
IG_MUST_CHECK ig_status ig_cal_case_open(const ig_cal *c, ig_ctx *cx, int run, const double *x,
                                         ig_case **out);
/* Runs all cases at `count` points x (count x keys) that have not been run yet, and finds the
   records: count x cases. */
IG_MUST_CHECK ig_status ig_cal_runs(ig_cal *c, int count, const double *x, int *record);
/* Reads `out`/runs.csv of an earlier calibration. */
IG_MUST_CHECK ig_status ig_cal_records_read(ig_cal *c);

/* --- calibrate_result.c */
/* Writes `out`/calibration.json. */
IG_MUST_CHECK ig_status ig_cal_store(const ig_cal *c, const ig_calibration *result);

#endif
