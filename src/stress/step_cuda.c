/* CUDA's table of passes of the stress room. */
#include "stress/step_cuda.h"

#ifdef INGOT_HAVE_CUDA
const ig_stress_ops ig_stress_cuda = {.force = ig_stress_force_cuda,
                                      .product = ig_stress_product_cuda,
                                      .commit = ig_stress_commit_cuda,
                                      .wipe = ig_stress_wipe_cuda,
                                      .values = ig_stress_values_cuda,
                                      .young = ig_stress_young_cuda,
                                      .add = ig_stress_add_cuda,
                                      .tie_f64 = ig_stress_tie_cuda_f64,
                                      .tie_f32 = ig_stress_tie_cuda_f32,
                                      .to_grid = ig_stress_to_grid_cuda,
                                      .from_grid = ig_stress_from_grid_cuda,
                                      .to_cells = ig_stress_to_cells_cuda,
                                      .turn = ig_stress_turn_cuda,
                                      .still = ig_stress_still_cuda};
#endif
