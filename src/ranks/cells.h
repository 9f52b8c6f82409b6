/* Snapshot of a partitioned mesh. Rank 0 receives, in pieces and in the order of the undivided
   mesh, the own elements of all ranks that are present, packed without gaps: the file has the same
   bytes on any number of ranks. */
#ifndef IG_RANKS_CELLS_H
#define IG_RANKS_CELLS_H

#include "ranks/partition.h"

typedef struct {
  /* Set by the caller; borrowed until the snapshot is written. */
  ig_ctx *cx;
  const ig_partition *part;
  /* Which nodes and elements are own, and their numbers in the whole mesh. */
  const ig_collect *nodes, *elements;
  const uint8_t *alive;   /* elements of the part that are there; NULL: all */
  int64_t count, corners; /* of all ranks; rank 0 alone */
  /* Field being sent: elements of the part x components. Set by ig_cells_values. */
  const float *value;
  int components;
  /* Rank 0: receiver of packed rows (borrowed), and the buffer for them of `room` bytes, freed by
     ig_cells_free. */
  ig_stream_take *take;
  void *user, *packed;
  size_t room;
} ig_partition_cells;

/* Sets c->count and c->corners on rank 0. Collective. `status`: IG_OK if `alive` is valid on this
   rank; a failure is shared by all ranks. */
IG_MUST_CHECK ig_status ig_cells_count(ig_partition_cells *c, ig_status status);
/* Streams one array of the mesh: IG_STREAM_POINTS, _CORNERS, _TYPES or _ELEMENTS. Collective;
   `take` and `user` are used on rank 0 only. */
IG_MUST_CHECK ig_status ig_cells_bring(ig_partition_cells *c, int array, ig_stream_take *take,
                                       void *user);
/* Streams one field. value: elements of the part x components, on the host. Collective. */
IG_MUST_CHECK ig_status ig_cells_values(ig_partition_cells *c, const float *value, int components,
                                        ig_stream_take *take, void *user, ig_status status);
void ig_cells_free(ig_partition_cells *c);

#endif
