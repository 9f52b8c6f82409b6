/* A plan for some of its elements. */
#ifndef IG_ASSEMBLY_PART_H
#define IG_ASSEMBLY_PART_H

#include "assembly/assembly.h"

/* The plan for the elements marked with 1 alone, in the same order: sums at nodes all of whose
   elements are marked keep their bits. It has arrays of `plan` in it: ig_plan_part_free before that
   goes. */
IG_MUST_CHECK ig_status ig_plan_part(ig_ctx *cx, const ig_plan *plan, const uint8_t *mark,
                                     ig_plan *part);
void ig_plan_part_free(ig_ctx *cx, ig_plan *part);

/* A plan on numbers of its own: elements element[0] < element[1] < … of `plan`, with connectivity
   `conn` (elements x npe) between `nodes` nodes, whose numbers rise as the whole's do. Sums at
   nodes all of whose elements are there keep their bits. It has nothing of `plan` in it:
   ig_plan_free. color and gather alone. */
IG_MUST_CHECK ig_status ig_plan_cut(ig_ctx *cx, const ig_plan *plan, ig_lid nodes, ig_lid elements,
                                    const ig_lid *element, const ig_lid *conn, ig_plan *part);

#endif
