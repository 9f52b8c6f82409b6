/* Boxes around the surfaces of ranks. Each rank builds a grid of boxes over its own items, sends it
   to the others, and selects what to send by asking whether an item is near the other's grid. One
   box per rank would be too coarse for parts that wind around each other; a tree would be more than
   the broad phase needs. */
#ifndef IG_RANKS_BOX_GRID_H
#define IG_RANKS_BOX_GRID_H

#include <stdbool.h>

/* Cells per axis of the grid, and cells in all. 64 boxes are 3 kB in a message: small beside the
   items that they keep from being sent. */
enum { IG_FENCE_CUTS = 4, IG_FENCE_BOXES = IG_FENCE_CUTS * IG_FENCE_CUTS * IG_FENCE_CUTS };

/* An axis-aligned box, in the length unit of the mesh. */
typedef struct {
  double low[3], high[3]; /* low above high: empty */
} ig_box;
/* `all` encloses everything; `part` has the items whose centre lies in each of 4 x 4 x 4 equal
   cells of `all`. A cell's box may reach beyond the cell. */
typedef struct {
  ig_box all, part[IG_FENCE_BOXES];
} ig_box_grid;

/* The empty box: the start value for ig_box_add. */
extern const ig_box ig_box_none;
void ig_box_add(ig_box *b, const double x[3]);
/* Whether boxes are no further apart than `reach` along any axis; the same either way round. */
bool ig_box_near(const ig_box *a, const ig_box *b, double reach);
/* Empties the cells and keeps `all`, which the caller sets before. Then ig_box_grid_add puts one
   box into the cell of its centre. */
void ig_box_grid_clear(ig_box_grid *f);
void ig_box_grid_add(ig_box_grid *f, const ig_box *b);
/* Whether a box is near one of the parts. */
bool ig_box_grid_near(const ig_box_grid *f, const ig_box *b, double reach);

#endif
