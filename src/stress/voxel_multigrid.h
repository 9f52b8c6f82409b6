/* A mesh that is part of a regular grid, and geometric multigrid of that grid. */
#ifndef IG_STRESS_VOXEL_MULTIGRID_H
#define IG_STRESS_VOXEL_MULTIGRID_H

#include "solver/grid/multigrid.h"
#include "stress/model.h"

/* The grid of a mesh. `place` is a grid point per node, `cell` a cell per element; b has three
   components of grid.stored points, z is nodes x 3; both single precision, on the device. */
typedef struct ig_stress_lattice {
  ig_grid grid;
  ig_brick brick;
  ig_array place, cell; /* nodes, elements: where in the grid */
  ig_array b, z;        /* residual on the grid; correction at the nodes */
  ig_multigrid *multigrid;
} ig_stress_lattice;

/* *out NULL: the mesh is not part of a grid. */
IG_MUST_CHECK ig_status ig_stress_lattice_new(ig_stress *m, ig_stress_lattice **out);
void ig_stress_lattice_free(ig_ctx *cx, ig_stress_lattice *l);
/* Supports have changed. */
IG_MUST_CHECK ig_status ig_stress_lattice_hold(ig_stress *m, ig_stress_lattice *l);
/* New values for these moduli (device, elements). */
IG_MUST_CHECK ig_status ig_stress_lattice_build(ig_stress *m, ig_stress_lattice *l,
                                                const double *young);
/* One cycle; *z is left where the result is. */
IG_MUST_CHECK ig_status ig_stress_lattice_cycle(ig_stress *m, ig_stress_lattice *l, const float *r,
                                                const float **z);

#endif
