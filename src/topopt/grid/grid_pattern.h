/* Elements of a grid that share a density: it is folded into one cell, and each place of the
   cell has the mean of its elements. Sets d->link of the discretisation. */
#ifndef IG_TOPOPT_GRID_GRID_PATTERN_H
#define IG_TOPOPT_GRID_GRID_PATTERN_H

#include "topopt/topopt.h"

/* Nothing without `pattern` in the case. Roles are known. */
IG_MUST_CHECK ig_status ig_topopt_grid_pattern_new(ig_topopt_grid_model *m);
void ig_topopt_grid_pattern_free(ig_topopt_grid_model *m);
/* Device memory of it, in bytes, for a grid of which this rank has `stored` places. */
double ig_topopt_grid_pattern_bytes(const ig_topopt_case *c, double stored);

#endif
