/* The files of a run: examining a folder, opening it, the summary. In a build without input and
   output, functions that refuse files. */
#ifndef IG_RUN_FILES_H
#define IG_RUN_FILES_H

#include "run/job.h"

/* State of an output folder with respect to a case. */
typedef struct {
  ig_folder_state result;
  ig_restart *restart; /* what is there of IG_RESULT_PART; free it */
  char why[96];        /* of a checkpoint that is another case's: what differs */
} ig_files_found;
/* Examines folder `out`. Fails if there is a checkpoint that cannot be read. Reads only. */
IG_MUST_CHECK ig_status ig_files_look(ig_case *c, const ig_job *job, const char *out,
                                      ig_files_found *look);
/* The checkpoint to continue from and the folder to write, as the options say; or nothing, if it
   holds the result already. */
/* The first warnings of a run, for its summary: at most 8 of at most 255 bytes. */
typedef struct {
  int count;
  char text[8][256];
  /* said in the middle of the steps: a run that goes on from here would not say it again */
  bool once[8];
} ig_warned;
/* Adds a warning unless it is there already or the list is full. */
void ig_warned_add(ig_warned *warned, const char *message, bool once);
/* Opens the checkpoint to continue from (*restart, NULL: none) and the output folder (*sink, NULL:
   none), as the options say. *up_to_date: the folder has the result already; nothing is opened.
   warned: warnings of the steps computed before are added. Called on rank 0 only. */
IG_MUST_CHECK ig_status ig_files_open(ig_case *c, ig_job *job, const ig_run_options *o,
                                      ig_restart **restart, ig_sink **sink, bool *up_to_date,
                                      ig_warned *warned);
/* Registers the files that the case names (core/inputs.h), for the summary. */
void ig_case_inputs(const ig_case *c);
/* Writes summary.json. message: of a failure. stamp: computed when the mesh was complete; NULL: the
   job still has its mesh. */
IG_MUST_CHECK ig_status ig_files_summary(const ig_case *c, const ig_job *job, const ig_run_stats *s,
                                         ig_status status, const char *message, const char *stamp,
                                         const ig_warned *warned, const struct ig_inputs *inputs,
                                         ig_sink *sink);
/* Whether anything has been written to the folder yet. */
bool ig_sink_begun(const ig_sink *sink);
/* Whether the folder holds the files of a former run. */
bool ig_sink_former(const ig_sink *sink);
void ig_sink_close(ig_sink *sink);

#endif
