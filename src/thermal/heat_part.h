/* What the engine does with other ranks: its mesh is divided, nodes inherit across ranks, values of
   all parts are put together. On one rank each of these is the plain local thing, and no message
   is sent.

   To divide a mesh each rank makes an outline of the whole engine, without state, takes its part
   from it and releases it: no rank keeps anything as long as the whole mesh. Values that somebody
   looks at go to rank 0 in pieces, in the order of the whole: sums have the bits of a run on one
   rank, files its bytes. */
#ifndef IG_HEAT_PART_H
#define IG_HEAT_PART_H

#include "thermal/heat_make.h"

/* heat_part.c: from an engine that was made to this rank's part of it. One rank: it is its part.
   `setup`: what it was made of. Refuses what cannot be divided. */
IG_MUST_CHECK ig_status ig_heat_divide(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h);
void ig_heat_part_free(ig_ctx *cx, ig_heat *h);

/* heat_part_births.c: elements around the part's nodes, where temperatures are inherited; the node
   that own node n, born with the elements from `begin` on, inherits from: in the part, else it is
   noted as an heir and IG_PATCH_KEEPS; heirs of all ranks to all; their temperatures, before the
   births of a step are applied. All ranks call the last two, with the `status` they are in. */
IG_MUST_CHECK ig_status ig_heat_part_kin(ig_ctx *cx, const ig_heat *whole, ig_heat *h);
IG_MUST_CHECK ig_status ig_heat_part_donor(ig_ctx *cx, ig_heat *h, ig_lid n, ig_lid begin,
                                           ig_lid *donor);
IG_MUST_CHECK ig_status ig_heat_part_heirs(ig_ctx *cx, ig_heat *h, ig_status status);
IG_MUST_CHECK ig_status ig_heat_part_inherit(ig_ctx *cx, ig_heat *h, int step, ig_status status);

/* heat_part_rows.c: rows of own items to rank 0, in the order of the whole, a piece at a time:
   `fill` writes those of items [first, first + count) of the part to memory of the host. All ranks
   call what follows. */
typedef ig_status ig_heat_rows_fill(void *user, int32_t first, int32_t count, void *rows);
IG_MUST_CHECK ig_status ig_heat_part_stream(ig_ctx *cx, const ig_collect *items, size_t size,
                                            ig_heat_rows_fill *fill, ig_collect_put *put,
                                            void *user);
/* An array of the part's memory on the device, `size` bytes per item; NULL: each item is `value`,
   or zeros. */
IG_MUST_CHECK ig_status ig_heat_part_array(ig_ctx *cx, const ig_collect *items, const void *dev,
                                           size_t size, const void *value, ig_stream_take *take,
                                           void *user);
/* Temperatures. */
IG_MUST_CHECK ig_status ig_heat_part_T(ig_ctx *cx, ig_heat *h, ig_stream_take *take, void *user);
/* What a survey of the part has found becomes that of all parts, on all ranks. `status`: of the
   part's. One rank: it is. */
IG_MUST_CHECK ig_status ig_heat_part_survey(ig_ctx *cx, ig_heat *h, const ig_heat_question *q,
                                            ig_status status, ig_heat_survey *found);
/* Of each number the largest of all ranks, to all. */
IG_MUST_CHECK ig_status ig_heat_part_most(ig_ctx *cx, double *value, int count, ig_status status);

#endif
