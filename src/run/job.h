/* From a case to a job a room can run. */
#ifndef IG_RUN_JOB_H
#define IG_RUN_JOB_H

#include "run/case.h"
#include "run/fingerprint.h"

/* Reads the case for one of `rooms`, opens the backend it asks for where the context leaves that
   open, makes the mesh. The job stands on the case; close it before the case. */
IG_MUST_CHECK ig_status ig_job_open(ig_case *c, const ig_room *const *rooms, ig_job *job);
void ig_job_close(ig_job *job);
typedef enum { IG_JOB_RUN, IG_JOB_CHECK } ig_job_purpose;
/* All ranks: refuses a job that is another one than the first's, whose files a computer of its own
   may hold, or that is there for something else. `stamp` becomes that of the job. */
IG_MUST_CHECK ig_status ig_job_same(const ig_case *c, const ig_job *job, ig_job_purpose purpose,
                                    char stamp[IG_STAMP_TEXT]);
/* The mesh that the case asks for, or the program brings. */
IG_MUST_CHECK ig_status ig_job_mesh(ig_case *c, ig_job *job);

/* ig_run with rooms of the caller's own, ended by NULL. */
IG_MUST_CHECK ig_status ig_run_for(ig_case *c, const ig_run_options *options,
                                   const ig_room *const *rooms);

#endif
