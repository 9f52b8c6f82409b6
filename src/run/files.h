/* The files of a run; in a build without input and output, what stands for them. */
#ifndef IG_RUN_FILES_H
#define IG_RUN_FILES_H

#include "run/job.h"

/* What a folder holds, measured by a case. */
typedef struct {
  ig_result result;
  ig_restart *restart; /* what is there of IG_RESULT_PART; free it */
  char why[96];        /* of a checkpoint that is another case's: what differs */
} ig_files_found;
/* Fails where there is a checkpoint that cannot be read. */
IG_MUST_CHECK ig_status ig_files_look(ig_case *c, const ig_job *job, const char *out,
                                      ig_files_found *look);
/* The checkpoint to continue from and the folder to write, as the options say; or nothing, if it
   holds the result already. */
IG_MUST_CHECK ig_status ig_files_open(ig_case *c, ig_job *job, const ig_run_options *o,
                                      ig_restart **restart, ig_sink **sink, bool *up_to_date);
/* The first warnings of a run, for its summary. */
typedef struct {
  int count;
  char text[8][256];
} ig_warned;
/* stamp: as it was when the mesh was there, NULL: it is. */
IG_MUST_CHECK ig_status ig_files_summary(const ig_case *c, const ig_job *job, const ig_run_stats *s,
                                         ig_status status, const char *message, const char *stamp,
                                         const ig_warned *warned, ig_sink *sink);
bool ig_sink_begun(const ig_sink *sink);
void ig_sink_close(ig_sink *sink);

#endif
