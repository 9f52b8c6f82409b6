/* PETSc's algebraic multigrid as a preconditioner, where Ingot is configured with INGOT_PETSC. */
#ifndef IG_TOPOPT_MESH_PETSC_H
#define IG_TOPOPT_MESH_PETSC_H

#include "solver/mesh_amg.h"

typedef struct ig_topopt_petsc ig_topopt_petsc;

/* Fails with IG_UNSUPPORTED, saying so, where PETSc is not compiled in. */
IG_MUST_CHECK ig_status ig_topopt_petsc_new(ig_ctx *cx, const ig_amg_problem *problem,
                                            ig_topopt_petsc **out);
void ig_topopt_petsc_free(ig_topopt_petsc *s);
/* A new hierarchy for these moduli (device). */
IG_MUST_CHECK ig_status ig_topopt_petsc_update(ig_topopt_petsc *s, const double *modulus);
/* z = M^-1 r; *z is left where the result is (device). */
IG_MUST_CHECK ig_status ig_topopt_petsc_apply(ig_topopt_petsc *s, const float *r, const float **z);

#endif
