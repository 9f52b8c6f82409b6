/* What can be made of a design on a grid: printed layer by layer, drawn column by column. Both
   are maps from filtered densities to densities that can be made, with their transposes for
   gradients. */
#ifndef IG_TOPOPT_GRID_GRID_MAKING_H
#define IG_TOPOPT_GRID_GRID_MAKING_H

#include "topopt/topopt.h"

/* Reads the directions of the case; a start that has the volume asked for. */
IG_MUST_CHECK ig_status ig_topopt_grid_making_new(ig_topopt_grid_model *m);
void ig_topopt_grid_making_free(ig_topopt_grid_model *m);
/* print and print_back of the discretisation */
IG_MUST_CHECK ig_status ig_topopt_grid_print(void *self, const double *in, double *out);
IG_MUST_CHECK ig_status ig_topopt_grid_print_back(void *self, const double *in,
                                                  const double *printed, double *work,
                                                  double *slope);

#endif
