/* What tells one case from another: whether a checkpoint fits, whether a result is up to date. */
#ifndef IG_RUN_FINGERPRINT_H
#define IG_RUN_FINGERPRINT_H

#include "run/case.h"

enum { IG_STAMP_TEXT = 17 }; /* sixteen hexadecimal digits */

/* Of the physics and the mesh: whether the arrays of a checkpoint can be those of this job. */
uint64_t ig_job_fingerprint(const ig_case *c, const ig_job *job);
/* As it was before large meshes were hashed in pieces: checkpoints written then can be continued.
 */
uint64_t ig_job_fingerprint_first(const ig_case *c, const ig_job *job);
/* Of everything a case says once it is read, defaults and material files included, a line a key:
   "boundary 0123456789abcdef". Left out is what may change between a run and its continuation: the
   end, output, where it runs, the title. The text lives as long as the case. */
IG_MUST_CHECK ig_status ig_case_settings(ig_case *c, const char **settings);
/* The first key whose line differs between two such texts, copied into `key`; false: none. */
bool ig_settings_differ(const char *one, const char *other, char *key, size_t size);
/* Of all that shapes the result: mesh, settings, end and output. */
void ig_job_stamp(const ig_case *c, const ig_job *job, char stamp[IG_STAMP_TEXT]);

#endif
