/* Boxes around what ranks have, by which they find out what of theirs is near another's. */
#ifndef IG_RANKS_BOX_GRID_H
#define IG_RANKS_BOX_GRID_H

#include <stdbool.h>

enum { IG_FENCE_CUTS = 4, IG_FENCE_BOXES = IG_FENCE_CUTS * IG_FENCE_CUTS * IG_FENCE_CUTS };

typedef struct {
  double low[3], high[3]; /* low above high: empty */
} ig_box;
/* Around all; and around what lies in each of 4 x 4 x 4 parts of that. */
typedef struct {
  ig_box all, part[IG_FENCE_BOXES];
} ig_box_grid;

extern const ig_box ig_box_none;
void ig_box_add(ig_box *b, const double x[3]);
/* Whether boxes are no further apart than `reach` along any axis; the same either way round. */
bool ig_box_near(const ig_box *a, const ig_box *b, double reach);
/* `all` stays as it is, the parts become empty; then something into its part. */
void ig_box_grid_clear(ig_box_grid *f);
void ig_box_grid_add(ig_box_grid *f, const ig_box *b);
/* Whether a box is near one of the parts. */
bool ig_box_grid_near(const ig_box_grid *f, const ig_box *b, double reach);

#endif
