/* A snapshot of a mesh that is in parts: of own elements those that are there, in pieces and in the
   order of the whole, packed on rank 0. */
#ifndef IG_RANKS_CELLS_H
#define IG_RANKS_CELLS_H

#include "ranks/partition.h"

typedef struct {
  ig_ctx *cx;
  const ig_partition *part;
  const ig_collect *nodes, *elements;
  const uint8_t *alive;   /* elements of the part that are there; NULL: all */
  int64_t count, corners; /* of all ranks; rank 0 alone */
  /* of the array in hand */
  const float *value;
  int components;
  /* rank 0: who takes its rows, and a piece of them */
  ig_stream_take *take;
  void *user, *packed;
  size_t room;
} ig_partition_cells;

/* Finds cells and corners; `status`: whether the own elements are known. All ranks call it. */
IG_MUST_CHECK ig_status ig_cells_count(ig_partition_cells *c, ig_status status);
/* IG_STREAM_POINTS, _CORNERS, _TYPES or _ELEMENTS. */
IG_MUST_CHECK ig_status ig_cells_bring(ig_partition_cells *c, int array, ig_stream_take *take,
                                       void *user);
/* A field of the part's elements. */
IG_MUST_CHECK ig_status ig_cells_values(ig_partition_cells *c, const float *value, int components,
                                        ig_stream_take *take, void *user, ig_status status);
void ig_cells_free(ig_partition_cells *c);

#endif
