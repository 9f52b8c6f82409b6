/* CUDA's table of passes over a mesh. C, as designated initializers out of order are no C++. */
#include "solver/mesh/mesh_cuda.h"

#ifdef INGOT_HAVE_CUDA
const ig_solver_mesh_ops ig_solver_mesh_cuda = {.to_single = ig_solver_mesh_single_cuda,
                                                .ground = ig_solver_mesh_ground_cuda,
                                                .energy = ig_solver_mesh_energy_cuda,
                                                .scalar_f32 = ig_solver_mesh_scalar_cuda_f32,
                                                .scalar_f64 = ig_solver_mesh_scalar_cuda_f64,
                                                .to_nodes = ig_solver_mesh_to_nodes_cuda,
                                                .to_elements = ig_solver_mesh_to_elements_cuda,
                                                .strain = ig_solver_mesh_strain_cuda,
                                                .strain_back = ig_solver_mesh_strain_back_cuda,
                                                .gradient = ig_solver_mesh_gradient_cuda,
                                                .gradient_back = ig_solver_mesh_gradient_back_cuda,
                                                .diagonal = ig_solver_mesh_diagonal_cuda,
                                                .invert = ig_solver_mesh_invert_cuda,
                                                .scale = ig_solver_mesh_scale_cuda,
                                                .cone = ig_solver_mesh_cone_cuda};
#endif
