/* The files of a run; in a build without input and output, what stands for them. */
#ifndef IG_RUN_FILES_H
#define IG_RUN_FILES_H

#include "run/job.h"

/* What a folder holds, measured by a case. */
typedef struct {
  ig_folder_state result;
  ig_restart *restart; /* what is there of IG_RESULT_PART; free it */
  char why[96];        /* of a checkpoint that is another case's: what differs */
} ig_files_found;
/* Fails where there is a checkpoint that cannot be read. */
IG_MUST_CHECK ig_status ig_files_look(ig_case *c, const ig_job *job, const char *out,
                                      ig_files_found *look);
/* The checkpoint to continue from and the folder to write, as the options say; or nothing, if it
   holds the result already. */
/* The first warnings of a run, for its summary. */
typedef struct {
  int count;
  char text[8][256];
} ig_warned;
/* Adds a warning that is not there yet, if there is room. */
void ig_warned_add(ig_warned *warned, const char *message);
/* warned: those of the part that was run before are added. */
IG_MUST_CHECK ig_status ig_files_open(ig_case *c, ig_job *job, const ig_run_options *o,
                                      ig_restart **restart, ig_sink **sink, bool *up_to_date,
                                      ig_warned *warned);
/* Notes the files that the case names (core/inputs.h). */
void ig_case_inputs(const ig_case *c);
/* stamp: as it was when the mesh was there, NULL: it is. */
IG_MUST_CHECK ig_status ig_files_summary(const ig_case *c, const ig_job *job, const ig_run_stats *s,
                                         ig_status status, const char *message, const char *stamp,
                                         const ig_warned *warned, const struct ig_inputs *inputs,
                                         ig_sink *sink);
bool ig_sink_begun(const ig_sink *sink);
void ig_sink_close(ig_sink *sink);

#endif
