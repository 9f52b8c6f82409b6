/* The table of the design kernels on CUDA. It is a C file, since designated initialisers of a
   struct of functions are C; the launchers are compiled by nvcc. */
#include "topopt/kernels/design_cuda.h"

#ifdef INGOT_HAVE_CUDA
const ig_topopt_design_ops ig_topopt_design_cuda = {
    .filter = ig_topopt_design_cuda_filter,
    .to_nodes = ig_topopt_design_cuda_to_nodes,
    .to_elements = ig_topopt_design_cuda_to_elements,
    .print = ig_topopt_design_cuda_print,
    .print_back = ig_topopt_design_cuda_print_back,
    .draw = ig_topopt_design_cuda_draw,
    .draw_back = ig_topopt_design_cuda_draw_back,
    .fold_sum = ig_topopt_design_cuda_fold_sum,
    .fold_spread = ig_topopt_design_cuda_fold_spread,
    .average = ig_topopt_design_cuda_average,
    .node_scale = ig_topopt_design_cuda_node_scale,
    .node_dot = ig_topopt_design_cuda_node_dot,
    .mass = ig_topopt_design_cuda_mass,
    .mix = ig_topopt_design_cuda_mix,
    .powers = ig_topopt_design_cuda_powers,
    .physical = ig_topopt_design_cuda_physical,
    .slope = ig_topopt_design_cuda_slope,
    .map = ig_topopt_design_cuda_map,
    .asymptotes = ig_topopt_design_cuda_asymptotes,
    .oc = ig_topopt_design_cuda_oc,
    .dual = ig_topopt_design_cuda_dual,
    .mma = ig_topopt_design_cuda_mma,
    .stats = ig_topopt_design_cuda_stats};
#endif
