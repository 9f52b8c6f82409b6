/* Snapshots of other runs, read by the ranks of this one. */
#ifndef IG_MODEL_READ_SNAPSHOT_H
#define IG_MODEL_READ_SNAPSHOT_H

#include "core/output.h"

/* Every rank reads the file and has all of it; ranks of one process one after the other, as HDF5 is
   not safe for threads. *snap is NULL if any of those fails. A build without files refuses.
   Collective. */
IG_MUST_CHECK ig_status ig_ranks_read_snapshot(ig_ctx *cx, const char *path, ig_snapshot **snap);

#endif
