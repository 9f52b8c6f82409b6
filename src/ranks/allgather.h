/* Gathers: of one record per rank, or of lists whose length differs from rank to rank. All
   functions are collective and accept a rank that has already failed (`status`): all ranks then
   return that failure. */
#ifndef IG_RANKS_ALLGATHER_H
#define IG_RANKS_ALLGATHER_H

#include "ranks/ranks.h"

/* `size` bytes of each rank, without pointers, one rank after the other: on rank 0 (gather) or on
   all of them (allgather). `all` is allocated here, on every rank, and freed by the caller, also
   after a failure. */
IG_MUST_CHECK ig_status ig_ranks_gather(ig_ctx *cx, ig_status status, const void *mine, size_t size,
                                        void **all);
IG_MUST_CHECK ig_status ig_ranks_allgather(ig_ctx *cx, ig_status status, const void *mine,
                                           size_t size, void **all);
/* Sum of a count over all ranks. */
IG_MUST_CHECK ig_status ig_ranks_sum_lists(ig_ctx *cx, ig_status status, int64_t mine,
                                           int64_t *sum);
/* The items of all ranks on all ranks.
   - mine: `count` items of `size` bytes; may be NULL if count is 0.
   - order: comparison for qsort, applied to the joined list; NULL: lists follow each other by rank.
   - all: receives the joined list, freed by the caller; its length is *sum.
   - each: receives the count of every rank (ranks entries); NULL if not wanted. */
IG_MUST_CHECK ig_status ig_ranks_allgatherv(ig_ctx *cx, ig_status status, const void *mine,
                                            int64_t count, size_t size,
                                            int (*order)(const void *, const void *), void **all,
                                            int64_t *sum, int64_t *each);

#endif
