/* Things with a place, found again by where they are. */
#ifndef IG_THERMAL_BINS_H
#define IG_THERMAL_BINS_H

#include "core/ctx.h"

typedef struct {
  double low[3], width;
  int cells[3];
  int32_t *start, *item;
} ig_bins;

/* place: count x 3. width: of a bin; made larger where there would be too many bins. */
IG_MUST_CHECK ig_status ig_bins_new(ig_ctx *cx, ig_bins *b, int32_t count, const double *place,
                                    double width);
void ig_bins_free(ig_bins *b);
/* The bins that reach into a box: from[d] … to[d]; false: none does. */
bool ig_bins_range(const ig_bins *b, const double *low, const double *high, int *from, int *to);

#endif
