/* A plan for some of its elements: a rank that holds a part of the mesh needs the sums of the whole
   mesh's plan, with the same order of elements at each node. */
#ifndef IG_ASSEMBLY_PART_H
#define IG_ASSEMBLY_PART_H

#include "assembly/assembly.h"

/* A plan on numbers of its own: elements element[0] < element[1] < … of `plan`, with connectivity
   `conn` (elements x npe) between `nodes` nodes, whose numbers rise as the whole's do. Sums at
   nodes all of whose elements are there keep their bits. It has nothing of `plan` in it:
   ig_plan_free. color and gather alone. */
IG_MUST_CHECK ig_status ig_plan_cut(ig_ctx *cx, const ig_plan *plan, ig_lid nodes, ig_lid elements,
                                    const ig_lid *element, const ig_lid *conn, ig_plan *part);

#endif
