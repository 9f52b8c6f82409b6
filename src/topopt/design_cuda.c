/* The table of the design kernels on CUDA. */
#include "topopt/design_cuda.h"

#ifdef INGOT_HAVE_CUDA
const ig_design_ops ig_design_cuda = {.filter = ig_design_cuda_filter,
                                      .to_nodes = ig_design_cuda_to_nodes,
                                      .to_elements = ig_design_cuda_to_elements,
                                      .print = ig_design_cuda_print,
                                      .print_back = ig_design_cuda_print_back,
                                      .mix = ig_design_cuda_mix,
                                      .physical = ig_design_cuda_physical,
                                      .slope = ig_design_cuda_slope,
                                      .map = ig_design_cuda_map,
                                      .asymptotes = ig_design_cuda_asymptotes,
                                      .oc = ig_design_cuda_oc,
                                      .dual = ig_design_cuda_dual,
                                      .mma = ig_design_cuda_mma,
                                      .stats = ig_design_cuda_stats};
#endif
