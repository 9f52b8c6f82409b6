/* Faces between an element of this rank and one of another. Both ranks sort theirs in the same
   order, so that values of them travel without their numbers. */
#ifndef IG_RANKS_CROSSINGS_H
#define IG_RANKS_CROSSINGS_H

#include "ranks/ranks.h"

typedef struct {
  int32_t rank, own; /* of the other element; this rank's, as the caller numbers them */
  int64_t low, high; /* the two in numbers of the whole */
} ig_crossing;

/* By rank, then by the lower and the higher element. */
void ig_crossings_sort(ig_crossing *list, int64_t count);
/* One value of `size` bytes per crossing, to the rank across and from it. Collective, also for a
   rank that has failed before (`status`). */
IG_MUST_CHECK ig_status ig_crossings_exchange(ig_ctx *cx, ig_status status, const ig_crossing *list,
                                              int64_t count, size_t size, const void *out,
                                              void *in);

#endif
