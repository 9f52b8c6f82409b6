/* From a case to a job that a room can run (struct ig_job in core/room.h). */
#ifndef IG_RUN_JOB_H
#define IG_RUN_JOB_H

#include "run/case.h"
#include "run/fingerprint.h"

/* Reads the case for one of `rooms`, opens the backend it asks for if the context leaves that open,
   and makes the mesh. The job points into the case: close it before the case. On failure `job` is
   valid for ig_job_close. */
IG_MUST_CHECK ig_status ig_job_open(ig_case *c, const ig_room *const *rooms, ig_job *job);
void ig_job_close(ig_job *job);
typedef enum { IG_JOB_RUN, IG_JOB_CHECK } ig_job_purpose;
/* Collective: fails on all ranks if a rank has another job than rank 0 (its computer may have other
   files) or another purpose. `stamp` receives the stamp of the job. */
IG_MUST_CHECK ig_status ig_job_same(const ig_case *c, const ig_job *job, ig_job_purpose purpose,
                                    char stamp[IG_STAMP_TEXT]);
/* Makes job->mesh: a copy of the program's mesh, or as the section `mesh` says. Also called again
   when the mesh was freed on ranks. */
IG_MUST_CHECK ig_status ig_job_mesh(ig_case *c, ig_job *job);

/* ig_run with another list of rooms, ended by NULL. */
IG_MUST_CHECK ig_status ig_run_for(ig_case *c, const ig_run_options *options,
                                   const ig_room *const *rooms);

#endif
