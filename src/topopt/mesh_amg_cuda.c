/* CUDA's table of passes of a multigrid cycle. */
#include "topopt/mesh_amg_cuda.h"

#ifdef INGOT_HAVE_CUDA
const ig_amg_ops ig_amg_cuda = {ig_amg_product_cuda, ig_amg_smooth_cuda, ig_amg_residual_cuda,
                                ig_amg_dense_cuda, ig_amg_single_cuda};
#endif
