/* A grid on the plate it is built on (section `printing`). */
#ifndef IG_TOPOPT_GRID_GRID_PLATE_H
#define IG_TOPOPT_GRID_GRID_PLATE_H

#include "topopt/topopt.h"

/* Nothing where it is not asked for. Fills m->plate and m->d.plate. */
IG_MUST_CHECK ig_status ig_topopt_grid_plate_new(ig_topopt_grid_model *m, const ig_brick *brick);
/* The grid in layers along an axis; `up`: from its lowest side on. */
ig_topopt_layers ig_topopt_grid_layers(const ig_topopt_grid_model *m, int axis, int up);
void ig_topopt_grid_plate_free(ig_topopt_grid_model *m);

#endif
