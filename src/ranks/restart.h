/* Checkpoints on ranks. */
#ifndef IG_RANKS_RESTART_H
#define IG_RANKS_RESTART_H

#include "ranks/partition.h"

/* Rank 0's checkpoint (NULL: none) to all; theirs is freed by ig_restart_free. Not `whole`: they
   get names, sizes and small arrays, and the rest by ig_restart_take. */
IG_MUST_CHECK ig_status ig_restart_share(ig_ctx *cx, bool whole, ig_restart **restart);
/* Values [begin, begin + count) of an array in double with `whole` of them, which rank 0 has or
   reads, to `put`, a piece at a time and counted from `begin`. All ranks call it, each for values
   of its own; these may overlap. */
IG_MUST_CHECK ig_status ig_restart_take(ig_ctx *cx, const ig_restart *from, const char *name,
                                        int64_t whole, int64_t begin, int64_t count,
                                        ig_collect_put *put, void *user);

#endif
