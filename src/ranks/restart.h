/* Checkpoints on ranks: distribution of what rank 0 has read. */
#ifndef IG_RANKS_RESTART_H
#define IG_RANKS_RESTART_H

#include "ranks/partition.h"

/* Distributes rank 0's checkpoint (*restart NULL there: none). On other ranks *restart is made, and
   freed by ig_restart_free. whole = false: they get names, sizes and small arrays only, and fetch
   the rest by ig_restart_take. Collective. */
IG_MUST_CHECK ig_status ig_restart_share(ig_ctx *cx, bool whole, ig_restart **restart);
/* Values [begin, begin + count) of an array of doubles with `whole` values. Rank 0 has or reads the
   array; `put` receives pieces on the calling rank, numbered from 0 at `begin`. Collective: each
   rank asks for its own range; ranges may overlap. count may be 0. */
IG_MUST_CHECK ig_status ig_restart_take(ig_ctx *cx, const ig_restart *from, const char *name,
                                        int64_t whole, int64_t begin, int64_t count,
                                        ig_collect_put *put, void *user);

#endif
