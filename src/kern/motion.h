/* Motion over time: histories, and the ways something may be led. Shared by supports, tools and
   rigid bodies of all rooms, on the host and in kernels. */
#ifndef IG_KERN_MOTION_H
#define IG_KERN_MOTION_H

#include "kern/hd.h"

/* A factor over time: linear between rows (x, y), constant beyond them; without rows it is 1. The
   rows of all histories lie in two arrays. */
typedef struct {
  int32_t first, rows;
} ig_history;

/* Bisection; x rises within a history.  */
IG_HD double ig_history_at(ig_history h, const double *x, const double *y, double t) {
  if (h.rows == 0)
    return 1;
  int lo = h.first, hi = h.first + h.rows - 1;
  if (t <= x[lo])
    return y[lo];
  if (t >= x[hi])
    return y[hi];
  while (hi - lo > 1) {
    const int mid = lo + (hi - lo) / 2;
    if (x[mid] <= t)
      lo = mid;
    else
      hi = mid;
  }
  return y[lo] + (y[hi] - y[lo]) * (t - x[lo]) / (x[hi] - x[lo]);
}

typedef enum {
  /* what a history prescribes of a component; FIXED: no motion, and no history */
  IG_MOVE_FREE,
  IG_MOVE_FIXED,
  IG_MOVE_DISPLACEMENT,
  IG_MOVE_VELOCITY,
  IG_MOVE_ACCELERATION
} ig_move;

#endif
