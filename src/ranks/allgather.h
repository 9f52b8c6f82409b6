/* Gathers of lists whose length differs from rank to rank; the result is on all ranks. Both
   functions are collective and accept a rank that has already failed. */
#ifndef IG_RANKS_ALLGATHER_H
#define IG_RANKS_ALLGATHER_H

#include "ranks/ranks.h"

/* Sum of a count over all ranks. Collective; a rank that has failed passes its `status`, and all
   ranks then return that failure. */
IG_MUST_CHECK ig_status ig_ranks_sum_lists(ig_ctx *cx, ig_status status, int64_t mine,
                                           int64_t *sum);
/* The items of all ranks on all ranks. Collective, also for a rank that has failed (`status`).
   - mine: `count` items of `size` bytes; may be NULL if count is 0.
   - order: comparison for qsort, applied to the joined list; NULL: lists follow each other by rank.
   - all: receives the joined list, freed by the caller; its length is *sum.
   - each: receives the count of every rank (ranks entries); NULL if not wanted. */
IG_MUST_CHECK ig_status ig_ranks_allgatherv(ig_ctx *cx, ig_status status, const void *mine,
                                            int64_t count, size_t size,
                                            int (*order)(const void *, const void *), void **all,
                                            int64_t *sum, int64_t *each);

#endif
