/* Hashes that decide whether a checkpoint fits a case, and whether a result is up to date.

   fingerprint  physics and mesh                        arrays of a checkpoint fit
   settings     keys of the case, without end, output   a run may be continued
   stamp        everything that shapes the result       a result is up to date
   hash         the same, before a mesh is made         a run of a calibration is known */
#ifndef IG_RUN_FINGERPRINT_H
#define IG_RUN_FINGERPRINT_H

#include "run/case.h"

enum { IG_STAMP_TEXT = 17 }; /* sixteen hexadecimal digits */

/* Hash of physics and mesh: whether the arrays of a checkpoint can belong to this job. The job must
   still have its mesh. */
uint64_t ig_job_fingerprint(const ig_case *c, const ig_job *job);
/* The same hashed in one piece, as checkpoints of large meshes from older versions have it. */
uint64_t ig_job_fingerprint_first(const ig_case *c, const ig_job *job);
/* A line per top-level key, "boundary 0123456789abcdef", over all values that were read, defaults
   and material files included. Not included is what may change between a run and its continuation:
   end, output, backend and threads, title. The text is in the arena of the case. */
IG_MUST_CHECK ig_status ig_case_settings(ig_case *c, const char **settings);
/* Compares two such texts. true: they differ, and `key` gets the first key that does. */
bool ig_settings_differ(const char *one, const char *other, char *key, size_t size);
/* Hash of all that shapes the result: mesh with sets, settings, end, output, version of the
   program. */
void ig_job_stamp(const ig_case *c, const ig_job *job, char stamp[IG_STAMP_TEXT]);
/* The same without a job: the mesh counts by its section of the case, and all files that keys name
   by their contents. ig_case_read must have succeeded. */
uint64_t ig_case_hash(const ig_case *c);

#endif
