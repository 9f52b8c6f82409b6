/* The linear solver by itself, for programs that have a mesh and a problem of their own: linear
   elasticity or conduction on hexahedra or tetrahedra. Products are made without a stored matrix;
   conjugate gradients are preconditioned by multigrid (smoothed aggregation with rigid-body modes).
   Runs on the backend of the context.

     ig_solver_options o = {.size = sizeof o, .poisson = 0.3, .fixed = fixed};
     ig_solver_open(cx, mesh, &o, &s);
     ig_solver_set_coefficient(s, young);           again whenever it changes
     ig_solver_solve(s, force, u, 1e-8, &report);   u: start and result
     ig_solver_close(s);                                                                        */
#ifndef INGOT_SOLVER_H
#define INGOT_SOLVER_H

#include <ingot/mesh.h>

IG_C_BEGIN

typedef struct ig_solver ig_solver;

typedef enum { IG_EQUATION_ELASTICITY, IG_EQUATION_CONDUCTION } ig_equation;

typedef struct {
  size_t size;          /* of this struct, as the program was compiled */
  ig_equation equation; /* unknowns per node: 3 displacements, or 1 temperature */
  double poisson;       /* of elasticity */
  const uint8_t *fixed; /* one byte per node: bits 1, 2, 4: x, y, z is zero; of conduction: 1 */
  const double *spring; /* nodes x unknowns per node: stiffness to the ground; NULL: none */
  int limit;            /* most iterations; 0: 2000 */
} ig_solver_options;

/* The mesh has one block of hex8, tet4 or tet10; it must outlive the solver. Arrays of the options
   are copied. Fails with IG_INPUT for other meshes and where nothing is fixed. */
IG_API IG_MUST_CHECK ig_status ig_solver_open(ig_ctx *cx, const ig_mesh *mesh,
                                              const ig_solver_options *options, ig_solver **solver);
IG_API void ig_solver_close(ig_solver *solver); /* takes NULL */

/* Young's modulus in Pa, or conductivity in W/(m K), of each element: positive. */
IG_API IG_MUST_CHECK ig_status ig_solver_set_coefficient(ig_solver *solver,
                                                         const double *coefficient);
/* y = A u, nodes x unknowns per node each; 0 where fixed. */
IG_API IG_MUST_CHECK ig_status ig_solver_apply(ig_solver *solver, const double *u, double *y);

typedef struct {
  int iterations;
  double residual; /* |f - A u| / |f| */
} ig_solver_report;
/* Solves A u = f, nodes x unknowns per node each, from the u given until the residual is below the
   tolerance. IG_NUMERIC: it was not reached; u is the best that was found. report may be NULL. */
IG_API IG_MUST_CHECK ig_status ig_solver_solve(ig_solver *solver, const double *f, double *u,
                                               double tolerance, ig_solver_report *report);

IG_C_END
#endif
