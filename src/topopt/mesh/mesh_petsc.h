/* PETSc's algebraic multigrid as a preconditioner, where Ingot is configured with INGOT_PETSC.
   It is one of the choices of `solver: {preconditioner: ...}` on meshes; the conjugate gradients
   around it are Ingot's. */
#ifndef IG_TOPOPT_MESH_MESH_PETSC_H
#define IG_TOPOPT_MESH_MESH_PETSC_H

#include "solver/amg/mesh_amg.h"

typedef struct ig_topopt_petsc ig_topopt_petsc;

/* Nodes of the problem whose rows this rank gives to PETSc, and what its nodes are in the whole
   (kept by the caller; NULL: the same). */
typedef struct {
  ig_lid from, count;
  const ig_lid *node;
} ig_topopt_petsc_rows;

/* With problem->rows all ranks make one preconditioner: they call what is here together, and no
   rank enters PETSc, where nobody can call it, unless all do. Positions are not looked at again.
   Fails with IG_UNSUPPORTED, saying so, where PETSc is not compiled in. */
IG_MUST_CHECK ig_status ig_topopt_petsc_new(ig_ctx *cx, const ig_amg_problem *problem,
                                            const ig_topopt_petsc_rows *own, ig_topopt_petsc **out);
void ig_topopt_petsc_free(ig_topopt_petsc *s);
/* A new hierarchy for these moduli (device). */
IG_MUST_CHECK ig_status ig_topopt_petsc_update(ig_topopt_petsc *s, const double *modulus);
/* z = M^-1 r at own nodes; *z is left where the result is (device). */
IG_MUST_CHECK ig_status ig_topopt_petsc_apply(ig_topopt_petsc *s, const float *r, const float **z);

#endif
