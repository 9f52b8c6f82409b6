/* Lists that each rank has some of, on all of them. */
#ifndef IG_RANKS_ALLGATHER_H
#define IG_RANKS_ALLGATHER_H

#include "ranks/ranks.h"

/* A count of all ranks; all come here, one that has failed, too. */
IG_MUST_CHECK ig_status ig_ranks_sum_lists(ig_ctx *cx, ig_status status, int64_t mine,
                                           int64_t *sum);
/* The items of all ranks, also on one that has failed: `mine` has `count` of `size` bytes, *all
   (freed by the caller) *sum; sorted, or (order NULL) one rank after the other. each: how many each
   rank has (room for all ranks); NULL: not asked. */
IG_MUST_CHECK ig_status ig_ranks_allgatherv(ig_ctx *cx, ig_status status, const void *mine,
                                            int64_t count, size_t size,
                                            int (*order)(const void *, const void *), void **all,
                                            int64_t *sum, int64_t *each);

#endif
