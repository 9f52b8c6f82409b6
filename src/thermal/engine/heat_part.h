/* What the engine does with other ranks: its mesh is divided, nodes inherit across ranks, values of
   all parts are put together. On one rank each of these is the plain local thing, and no message
   is sent.

   To divide a mesh each rank makes an outline of the whole engine, without state, takes its part
   from it and releases it: no rank keeps anything as long as the whole mesh. Values that somebody
   looks at go to rank 0 in pieces, in the order of the whole: sums have the bits of a run on one
   rank, files its bytes. */
#ifndef IG_HEAT_PART_H
#define IG_HEAT_PART_H

#include "thermal/engine/heat_make.h"

/* heat_part.c: from an engine that was made to this rank's part of it. One rank: it is its part.
   `setup`: what it was made of. Refuses what cannot be divided. */
IG_MUST_CHECK ig_status ig_heat_divide(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h);
void ig_heat_part_free(ig_ctx *cx, ig_heat *h);

/* heat_part_births.c: elements around the part's nodes, where temperatures are inherited; the node
   that own node n, born with the elements from `begin` on, inherits from: in the part, else it is
   noted as an heir and IG_PATCH_KEEPS; heirs of all ranks to all; their temperatures, before the
   births of a step are applied. All ranks call the last two, with the `status` they are in. */
IG_MUST_CHECK ig_status ig_heat_part_neighbours(ig_ctx *cx, const ig_heat *whole, ig_heat *h);
IG_MUST_CHECK ig_status ig_heat_part_donor(ig_ctx *cx, ig_heat *h, ig_lid n, ig_lid begin,
                                           ig_lid *donor);
IG_MUST_CHECK ig_status ig_heat_part_inheritors(ig_ctx *cx, ig_heat *h, ig_status status);
IG_MUST_CHECK ig_status ig_heat_part_inherit(ig_ctx *cx, ig_heat *h, int step, ig_status status);

/* heat_part_survey.c: what a survey of the part has found becomes that of all parts, on all ranks.
   `status`: of the part's. One rank: it is. All ranks call it, and the next. */
IG_MUST_CHECK ig_status ig_heat_part_survey(ig_ctx *cx, ig_heat *h, const ig_heat_question *q,
                                            ig_status status, ig_heat_survey *found);
/* Of each number the largest of all ranks, to all. */
IG_MUST_CHECK ig_status ig_heat_part_most(ig_ctx *cx, double *value, int count, ig_status status);

#endif
