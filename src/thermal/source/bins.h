/* Points sorted into a regular grid of bins, so that those in a box are found by looking at a few
   bins. On several ranks all ranks agree on one grid (`all`), by the extent of all points, and each
   keeps the block of bins that has points of its own (`cells`). The number of a bin among all is
   the same on every rank: beams use it to restore the order of one rank. */
#ifndef IG_THERMAL_SOURCE_BINS_H
#define IG_THERMAL_SOURCE_BINS_H

#include "core/ctx.h"

/* How many things a grid of bins is for, and the box they lie in. */
typedef struct {
  double low[3], high[3], count;
} ig_bins_extent;

/* A grid of `all` bins, of which there are `cells`, from `first` on: those that have things. */
typedef struct {
  double low[3], width;
  int all[3], first[3], cells[3];
  int32_t *start, *item; /* of `cells` */
} ig_bins;

ig_bins_extent ig_bins_extent_of(int32_t count, const double *place);
/* That of the things of all ranks. All ranks call it. */
IG_MUST_CHECK ig_status ig_bins_extent_join(ig_ctx *cx, ig_bins_extent *e);
/* place: count x 3. width: of a bin; made larger where there would be too many bins. */
IG_MUST_CHECK ig_status ig_bins_new(ig_ctx *cx, ig_bins *b, int32_t count, const double *place,
                                    double width);
/* The same for some of the things of an extent. */
IG_MUST_CHECK ig_status ig_bins_within(ig_ctx *cx, ig_bins *b, const ig_bins_extent *extent,
                                       int32_t count, const double *place, double width);
void ig_bins_free(ig_bins *b);
/* Bin i, j, k of `cells`: its number among them; among all. */
static inline int64_t ig_bins_at(const ig_bins *b, int i, int j, int k) {
  return i + (int64_t)b->cells[0] * (j + (int64_t)b->cells[1] * k);
}
static inline int64_t ig_bins_of_all(const ig_bins *b, int i, int j, int k) {
  return b->first[0] + i +
         (int64_t)b->all[0] * (b->first[1] + j + (int64_t)b->all[1] * (b->first[2] + k));
}
/* The bins that reach into a box: from[d] … to[d] of `cells`; false: none does. */
bool ig_bins_range(const ig_bins *b, const double *low, const double *high, int *from, int *to);

#endif
