/* A grid's elements with their nodes; of a grid that is not divided. */
#ifndef IG_TOPOPT_GRID_ELEMENTS_H
#define IG_TOPOPT_GRID_ELEMENTS_H

#include "topopt/topopt.h"

IG_MUST_CHECK ig_status ig_topopt_grid_elements(void *self, ig_topopt_body *b);

#endif
