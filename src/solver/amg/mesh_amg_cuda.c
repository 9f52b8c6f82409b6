/* CUDA's table of multigrid passes. */
#include "solver/amg/mesh_amg_cuda.h"

#ifdef INGOT_HAVE_CUDA
const ig_amg_ops ig_amg_cuda = {.assemble = ig_amg_assemble_cuda,
                                .invert = ig_amg_invert_cuda,
                                .diagonal = ig_amg_diagonal_cuda,
                                .rows = ig_amg_rows_cuda,
                                .norms = ig_amg_norms_cuda,
                                .join = ig_amg_join_cuda,
                                .modes = ig_amg_modes_cuda,
                                .orthonormal = ig_amg_orthonormal_cuda,
                                .prolongator = ig_amg_prolongator_cuda,
                                .transpose = ig_amg_transpose_cuda,
                                .times = ig_amg_times_cuda,
                                .coarse = ig_amg_coarse_cuda,
                                .dense_invert = ig_amg_dense_invert_cuda,
                                .product = ig_amg_product_cuda,
                                .smooth = ig_amg_smooth_cuda,
                                .residual = ig_amg_residual_cuda,
                                .dense = ig_amg_dense_cuda};
#endif
