/* A mesh that is part of a regular grid, and geometric multigrid of that grid. */
#ifndef IG_STRESS_VOXEL_MULTIGRID_H
#define IG_STRESS_VOXEL_MULTIGRID_H

#include "solver/grid/multigrid.h"
#include "stress/model.h"

/* The grid of a mesh. b has three components of grid.stored points, z is nodes x 3; both single
   precision, on the device.

   On several ranks the grid is divided in slabs along z (solver/krylov/slab.h), whatever the
   division of the elements: a rank takes the residual at the nodes of its planes, and gives the
   correction at these nodes to all. */
typedef struct ig_stress_lattice {
  ig_grid whole, grid; /* `grid`: this rank's part */
  ig_slab *slab;       /* NULL: not divided */
  ig_brick brick;
  int32_t *at;          /* host: nodes: place in the whole grid */
  ig_lid nodes, cells;  /* nodes in own planes; elements in those and in planes of ghosts */
  ig_array node, place; /* these nodes (if divided), and their places in the part */
  ig_array item, cell;  /* the same of elements */
  ig_array young;       /* their moduli, if elements are divided */
  ig_halo correction;   /* each rank gives the nodes of its planes to all others */
  ig_array b, z;        /* residual on the grid; correction at the nodes */
  ig_multigrid *multigrid;
} ig_stress_lattice;

/* *out NULL: the mesh is not part of a grid. */
IG_MUST_CHECK ig_status ig_stress_lattice_new(ig_stress *m, ig_stress_lattice **out);
void ig_stress_lattice_free(ig_ctx *cx, ig_stress_lattice *l);
/* Supports have changed. */
IG_MUST_CHECK ig_status ig_stress_lattice_hold(ig_stress *m, ig_stress_lattice *l);
/* New values for the moduli in m->built. */
IG_MUST_CHECK ig_status ig_stress_lattice_build(ig_stress *m, ig_stress_lattice *l);
/* One cycle; *z is left where the result is. */
IG_MUST_CHECK ig_status ig_stress_lattice_cycle(ig_stress *m, ig_stress_lattice *l, const float *r,
                                                const float **z);

#endif
