/* Elements of a gather plan in two ranges, for passes in two steps: on ranks, elements
   at the border wait for ghosts, the others are computed meanwhile. */
#ifndef IG_ASSEMBLY_SPLIT_H
#define IG_ASSEMBLY_SPLIT_H

#include "assembly/assembly.h"

/* Two ranges, as if they were colors (ig_plan.colors is 2): elements that are not marked, then the
   others. Sums keep their order. late: elements. */
IG_MUST_CHECK ig_status ig_plan_split(ig_ctx *cx, ig_plan *plan, const uint8_t *late);

#endif
