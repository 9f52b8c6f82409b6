/* Warnings of values that are allowed and yet unusual: a unit that was forgotten, a mesh in
   millimetres that is read in metres. */
#ifndef IG_RUN_PLAUSIBLE_H
#define IG_RUN_PLAUSIBLE_H

#include "run/case.h"

/* Of a case that was read, one warning a key, with its place. mesh: of the job, NULL: none. */
IG_MUST_CHECK ig_status ig_case_plausible(ig_case *c, const ig_mesh *mesh);

#endif
