/* The table of the grid kernels on CUDA. */
#include "solver/grid_cuda.h"

#ifdef INGOT_HAVE_CUDA
const ig_grid_ops ig_grid_cuda = {.apply = ig_grid_cuda_apply,
                                  .sweep = ig_grid_cuda_sweep,
                                  .start = ig_grid_cuda_start,
                                  .restricts = ig_grid_cuda_restricts,
                                  .prolong = ig_grid_cuda_prolong,
                                  .to_single = ig_grid_cuda_to_single,
                                  .node_inverse = ig_grid_cuda_node_inverse,
                                  .coarsen_fine = ig_grid_cuda_coarsen_fine,
                                  .coarsen = ig_grid_cuda_coarsen,
                                  .stencil = ig_grid_cuda_stencil,
                                  .coarse_springs = ig_grid_cuda_coarse_springs,
                                  .coarse_inverse = ig_grid_cuda_coarse_inverse,
                                  .dense_invert = ig_grid_cuda_dense_invert,
                                  .dense_solve = ig_grid_cuda_dense_solve,
                                  .cg_residual = ig_grid_cuda_cg_residual,
                                  .cg_update = ig_grid_cuda_cg_update,
                                  .cg_direction = ig_grid_cuda_cg_direction,
                                  .energy = ig_grid_cuda_energy};
#endif
