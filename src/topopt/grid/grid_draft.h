/* Drawn walls with a draft angle on a grid: each layer further in is wider by the height of a layer
   times the tangent of the angle.

     drawn_k = join(x_k, D(drawn_(k-1))),   D(b) = b + r |grad b|,   r = height tan(1.2 angle)

   with the upwind gradient of Rouy and Tourin (1992) across the layer, over the neighbours that are
   denser: a front of densities moves by r per layer, however little of an element that is, so that
   the surface at a density is inclined and has no steps. Computed on the host for both backends; a
   layer needs all of the one before it. */
#ifndef IG_TOPOPT_GRID_GRID_DRAFT_H
#define IG_TOPOPT_GRID_GRID_DRAFT_H

#include "topopt/topopt.h"

/* Nothing where no angle is given. Fills m->draft; after m->draw. */
IG_MUST_CHECK ig_status ig_topopt_grid_draft_new(ig_topopt_grid_model *m);
void ig_topopt_grid_draft_free(ig_topopt_grid_model *m);
/* As print and print_back of the discretisation. */
IG_MUST_CHECK ig_status ig_topopt_grid_draft(const ig_topopt_grid_model *m, const double *in,
                                             double *out);
IG_MUST_CHECK ig_status ig_topopt_grid_draft_back(const ig_topopt_grid_model *m, const double *in,
                                                  const double *drawn, double *slope);

#endif
