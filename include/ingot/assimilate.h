/* Assimilation: runs of one case that follow measurements while they go on, by an ensemble Kalman
   filter. In builds with input and output. */
#ifndef INGOT_ASSIMILATE_H
#define INGOT_ASSIMILATE_H

#include <ingot/run.h>

IG_C_BEGIN

/* One analysis: the measurements of one time. Values in the field's unit. */
typedef struct {
  double time;       /* s */
  int members;       /* that have not failed */
  int data, skipped; /* measurements used; those at places where there is no material yet */
  /* Root mean squares of measured less mean of the members, before and after, and the mean standard
     deviations of the members at these places */
  double before, after, spread_before, spread_after;
  double fit; /* mean square of the first, scaled by its covariance: about 1 if all is consistent */
  const char *unit;
} ig_analysis;
typedef void ig_analysis_fn(void *user, const ig_analysis *analysis);

typedef struct {
  const char *out;        /* result folder; NULL: nothing is written */
  bool force;             /* as in ig_run_options */
  const char *const *set; /* "KEY=VALUE" for every member */
  int sets;
  const char *backend;      /* of the members; NULL: as the case says */
  int threads;              /* per member; 0: one */
  int jobs;                 /* members at a time; 0: one per core and thread */
  int devices;              /* GPUs that the members are spread over; 0: one */
  ig_analysis_fn *analysed; /* called after each; may be NULL */
  void *user;
} ig_assimilate_options;

/* Reads an assimilation file (docs/how-to/assimilate.md), advances all members from one time of the
   data to the next, corrects field and factors there, and ends the runs. IG_INPUT: the file, its
   data or a case must be corrected. A member that fails is left out with a warning; fewer than two
   are an error. IG_INTERRUPTED: the analyses so far are in the folder. */
IG_API IG_MUST_CHECK ig_status ig_assimilate(ig_ctx *cx, const char *path,
                                             const ig_assimilate_options *options);

IG_C_END
#endif
