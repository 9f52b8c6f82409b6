/* Warnings about values that are allowed but unusual: a forgotten unit, a mesh in millimetres read
   in metres. */
#ifndef IG_RUN_PLAUSIBLE_H
#define IG_RUN_PLAUSIBLE_H

#include "run/case.h"

/* One warning per key, with its place. The case must have been read. mesh: of the job, NULL if
   none. */
IG_MUST_CHECK ig_status ig_case_plausible(ig_case *c, const ig_mesh *mesh);

#endif
