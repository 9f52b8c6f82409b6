/* Surfaces of other ranks, for explicit contact on several ranks: each rank sends the others the
   pieces of its surface that are near theirs. This file has what the rooms share of such an
   import; which pieces are near, and what a piece is, each room decides itself.

   A parcel is all that goes to one rank and all that comes from it: three lists of records of fixed
   size, one after the other in one block of bytes. Sizes of records are multiples of 8, so that
   each list begins aligned. Where a record begins with its number (int32_t) in the whole model,
   lists of them can be sorted, merged and searched by it. */
#ifndef IG_CONTACT_PARCELS_H
#define IG_CONTACT_PARCELS_H

#include "ranks/ranks.h"

enum { IG_PARCEL_LISTS = 3 };

typedef struct {
  int rank;
  int32_t count[IG_PARCEL_LISTS], take[IG_PARCEL_LISTS]; /* records sent, received */
  int32_t *item[IG_PARCEL_LISTS]; /* which of the sender's pieces are sent; NULL where not asked */
  char *out, *in;                 /* owned; the same bytes where a rank sends to itself */
} ig_parcel;

/* Where a list begins in the bytes of a parcel with these counts. size: bytes of a record, by
   list. */
static inline char *ig_parcel_list(char *bytes, const int32_t count[IG_PARCEL_LISTS],
                                   const size_t size[IG_PARCEL_LISTS], int list) {
  for (int k = 0; k < list; k++)
    bytes += (size_t)count[k] * size[k];
  return bytes;
}
/* Room for what is sent, by its counts. */
IG_MUST_CHECK ig_status ig_parcel_open(ig_ctx *cx, ig_parcel *a,
                                       const size_t size[IG_PARCEL_LISTS]);
/* Counts, then contents, to and from the ranks of the list; a rank's parcel to itself is not
   copied. Collective, also for a rank that has failed before (`status`); afterwards `in` is set.
   Both ranks of a pair must have a parcel for each other, even if it is empty. */
IG_MUST_CHECK ig_status ig_parcels_exchange(ig_ctx *cx, ig_status status, ig_parcel *list,
                                            int parcels, const size_t size[IG_PARCEL_LISTS]);
void ig_parcels_free(ig_parcel *list, int parcels); /* and the list */

/* By number, rising. sort_once keeps one of those with the same number; returns how many remain. */
void ig_records_sort(void *list, int32_t count, size_t size);
int32_t ig_records_sort_once(void *list, int32_t count, size_t size);
/* Where the record with this number stands in a sorted list; -1: nowhere, or the number is -1. */
int32_t ig_records_find(const void *list, int32_t count, size_t size, int32_t number);

#endif
