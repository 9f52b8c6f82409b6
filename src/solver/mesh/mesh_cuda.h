/* CUDA passes over a mesh of hexahedra or tetrahedra: the entries of the table in mesh_ops.h, where
   they are described. */
#ifndef IG_SOLVER_MESH_MESH_CUDA_H
#define IG_SOLVER_MESH_MESH_CUDA_H

#include "solver/mesh/mesh_ops.h"

IG_C_BEGIN
ig_status ig_solver_mesh_single_cuda(ig_ctx *cx, int64_t n, const double *x, float *y);
ig_status ig_solver_mesh_ground_cuda(ig_ctx *cx, const ig_ground *g, const double *x, double *y,
                                     double *partial, double *dot);
ig_status ig_solver_mesh_energy_cuda(ig_ctx *cx, const ig_mesh_args *p, const double *u,
                                     const double *v, double scale, bool add, double *out);
ig_status ig_solver_mesh_scalar_cuda_f32(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                                         const float *modulus, const float *t, float *y);
ig_status ig_solver_mesh_scalar_cuda_f64(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                                         const double *modulus, const double *t, double *y);
ig_status ig_solver_mesh_to_nodes_cuda(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                                       const double *in, double *out);
ig_status ig_solver_mesh_to_elements_cuda(ig_ctx *cx, const ig_mesh_args *p, const double *in,
                                          double *out);
ig_status ig_solver_mesh_strain_cuda(ig_ctx *cx, const ig_mesh_args *p, const double *u,
                                     double *tensor);
ig_status ig_solver_mesh_strain_back_cuda(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                                          const double *tensor, double *f);
ig_status ig_solver_mesh_gradient_cuda(ig_ctx *cx, const ig_mesh_args *p, const double *u,
                                       double *to);
ig_status ig_solver_mesh_gradient_back_cuda(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                                            const double *from, double *f);
ig_status ig_solver_mesh_diagonal_cuda(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                                       const double *modulus, double *block);
ig_status ig_solver_mesh_invert_cuda(ig_ctx *cx, const ig_ground *g, bool whole,
                                     const double *block, float *inverse);
ig_status ig_solver_mesh_scale_cuda(ig_ctx *cx, ig_lid nodes, int size, const float *inverse,
                                    const float *r, float *z);
ig_status ig_solver_mesh_cone_cuda(ig_ctx *cx, const ig_cone *c, const double *in, double *out);
IG_C_END

#endif
