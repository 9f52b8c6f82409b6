/* What a run leaves in its sink; none of these is called without one. */
#ifndef IG_TOPOPT_OUTPUT_H
#define IG_TOPOPT_OUTPUT_H

#include "topopt/topopt.h"

/* All fields of snapshots, whatever the problem. */
#define IG_TOPOPT_FIELDS "density|strain_energy|displacement|dissipation|temperature"
/* A field that is asked for and that this problem does not have, or a rhythm in time, fails. */
IG_MUST_CHECK ig_status ig_topopt_output_check(const ig_job *job);

/* The design as last evaluated, after `iteration` updates. */
IG_MUST_CHECK ig_status ig_topopt_snapshot(ig_job *job, ig_design *s, int64_t iteration);
IG_MUST_CHECK ig_status ig_topopt_history(ig_job *job, const ig_design *s, int64_t iteration,
                                          const ig_evaluation *e, double change);
IG_MUST_CHECK ig_status ig_topopt_checkpoint(ig_job *job, ig_design *s, int64_t iteration,
                                             double objective);
IG_MUST_CHECK ig_status ig_topopt_restore(ig_job *job, ig_design *s, int64_t *iteration,
                                          double *objective);
/* The statement at the end: figures of summary.json, the part's surface; finish.c. */
IG_MUST_CHECK ig_status ig_topopt_finish(ig_job *job, ig_design *s, const ig_evaluation *e,
                                         bool settled);

#endif
