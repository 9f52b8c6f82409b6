/* PETSc's preconditioners: GAMG with the rigid-body modes, or what the environment's PETSC_OPTIONS
   ask for (-pc_type hypre). The finest matrix is assembled where the design is and comes to the
   host; PETSc works there, in double precision, on one process. */
#include "topopt/mesh_petsc.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_PETSC
#include <petscpc.h>

struct ig_topopt_petsc {
  ig_ctx *cx;
  ig_amg *finest; /* the matrix alone */
  float *value;   /* its values on the host */
  Mat matrix;
  PC pc;
  Vec r, z;
  ig_array single;
};

#define PETSC(cx, call)                                                                            \
  do {                                                                                             \
    const PetscErrorCode petsc_error_ = (call);                                                    \
    if (petsc_error_)                                                                              \
      return IG_FAIL(cx, IG_NUMERIC, "PETSc: %s failed with code %d", #call, (int)petsc_error_);   \
  } while (0)

/* Chebyshev with PETSc's own bounds on D^-1 A loses definiteness on designs with void; symmetric
   Gauss-Seidel sweeps do not. */
static const char *const defaults[][2] = {{"-ingot_mg_levels_pc_type", "sor"},
                                          {"-ingot_pc_gamg_threshold", "0.02"}};

/* Matrix, near-null space and vectors, from the pattern. */
static ig_status make(ig_topopt_petsc *s) {
  const ig_amg_problem *p = &s->finest->problem;
  const ig_bsr *a = &s->finest->level[0].a.m;
  const ig_lid *start = s->finest->level[0].a.start.host;
  const PetscInt n = (PetscInt)p->nodes * p->size;
  ig_ctx *cx = s->cx;
  PetscBool running;
  PetscInt *count;
  PETSC(cx, PetscInitialized(&running));
  if (!running) /* for the rest of the process: MPI starts only once */
    PETSC(cx, PetscInitializeNoArguments());
  IG_TRY(IG_NEW(cx, &s->value, (size_t)a->blocks * (size_t)(p->size * p->size), "PETSc matrix"));
  IG_TRY(ig_array_new(cx, &s->single, (size_t)n, sizeof(float), "PETSc vector"));
  IG_TRY(IG_NEW(cx, &count, (size_t)n, "PETSc matrix"));
  for (PetscInt i = 0; i < n; i++)
    count[i] = (PetscInt)p->size * (start[i / p->size + 1] - start[i / p->size]);
  const PetscErrorCode made = MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, count, &s->matrix);
  free(count);
  PETSC(cx, made);
  PETSC(cx, MatSetBlockSize(s->matrix, p->size));
  PETSC(cx, MatSetOption(s->matrix, MAT_SPD, PETSC_TRUE));
  PETSC(cx, MatCreateVecs(s->matrix, &s->z, &s->r));
  if (p->size == 3) {
    Vec x;
    MatNullSpace modes;
    PetscScalar *to;
    PETSC(cx, MatCreateVecs(s->matrix, &x, NULL));
    PETSC(cx, VecSetBlockSize(x, 3));
    PETSC(cx, VecGetArray(x, &to));
    for (PetscInt i = 0; i < n; i++)
      to[i] = p->x[i];
    PETSC(cx, VecRestoreArray(x, &to));
    PETSC(cx, MatNullSpaceCreateRigidBody(x, &modes));
    PETSC(cx, MatSetNearNullSpace(s->matrix, modes));
    PETSC(cx, MatNullSpaceDestroy(&modes));
    PETSC(cx, VecDestroy(&x));
  }
  PETSC(cx, PCCreate(PETSC_COMM_SELF, &s->pc));
  PETSC(cx, PCSetOptionsPrefix(s->pc, "ingot_"));
  PETSC(cx, PCSetType(s->pc, PCGAMG));
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    PetscBool given;
    PETSC(cx, PetscOptionsHasName(NULL, NULL, defaults[i][0], &given));
    if (!given)
      PETSC(cx, PetscOptionsSetValue(NULL, defaults[i][0], defaults[i][1]));
  }
  PETSC(cx, PCSetFromOptions(s->pc));
  return IG_OK;
}

ig_status ig_topopt_petsc_new(ig_ctx *cx, const ig_amg_problem *problem, ig_topopt_petsc **out) {
  ig_topopt_petsc *s;
  *out = NULL;
  IG_TRY(IG_NEW(cx, &s, 1, "PETSc"));
  s->cx = cx;
  ig_status status = ig_amg_new_finest(cx, problem, &s->finest);
  if (status == IG_OK)
    status = make(s);
  if (status != IG_OK) {
    ig_topopt_petsc_free(s);
    return status;
  }
  *out = s;
  return IG_OK;
}

void ig_topopt_petsc_free(ig_topopt_petsc *s) {
  if (!s)
    return;
  PCDestroy(&s->pc);
  VecDestroy(&s->r);
  VecDestroy(&s->z);
  MatDestroy(&s->matrix);
  ig_array_free(s->cx, &s->single);
  free(s->value);
  ig_amg_free(s->finest);
  free(s);
}

ig_status ig_topopt_petsc_update(ig_topopt_petsc *s, const double *modulus) {
  ig_amg_matrix *m = &s->finest->level[0].a;
  const int size = s->finest->problem.size, count = size * size;
  const ig_lid *start = m->start.host, *column = m->column.host;
  ig_status status = ig_amg_open_values(s->finest, m);
  if (status == IG_OK)
    status = ig_amg_assemble(s->finest, modulus);
  if (status == IG_OK)
    status = s->cx->backend->copy_out(s->cx, s->value, m->m.value,
                                      sizeof *s->value * (size_t)m->m.blocks * (size_t)count);
  ig_amg_close_values(s->finest, m);
  IG_TRY(status);
  for (PetscInt i = 0; i < m->m.rows; i++)
    for (ig_lid k = start[i]; k < start[i + 1]; k++) {
      const PetscInt j = column[k];
      PetscScalar block[9];
      for (int c = 0; c < count; c++)
        block[c] = (PetscScalar)s->value[(size_t)k * (size_t)count + (size_t)c];
      PETSC(s->cx, MatSetValuesBlocked(s->matrix, 1, &i, 1, &j, block, INSERT_VALUES));
    }
  PETSC(s->cx, MatAssemblyBegin(s->matrix, MAT_FINAL_ASSEMBLY));
  PETSC(s->cx, MatAssemblyEnd(s->matrix, MAT_FINAL_ASSEMBLY));
  PETSC(s->cx, PCSetOperators(s->pc, s->matrix, s->matrix));
  PETSC(s->cx, PCSetUp(s->pc));
  return IG_OK;
}

ig_status ig_topopt_petsc_apply(ig_topopt_petsc *s, const float *r, const float **z) {
  float *host = s->single.host;
  const size_t n = s->single.count;
  PetscScalar *to;
  const PetscScalar *from;
  IG_TRY(s->cx->backend->copy_out(s->cx, host, r, n * sizeof *host));
  PETSC(s->cx, VecGetArrayWrite(s->r, &to));
  for (size_t i = 0; i < n; i++)
    to[i] = (PetscScalar)host[i];
  PETSC(s->cx, VecRestoreArrayWrite(s->r, &to));
  PETSC(s->cx, PCApply(s->pc, s->r, s->z));
  PETSC(s->cx, VecGetArrayRead(s->z, &from));
  const ig_amg_problem *p = &s->finest->problem;
  const size_t size = (size_t)p->size;
  for (size_t i = 0; i < n; i++) /* aggregates do not know what is held */
    host[i] = p->fix[i / size] >> (i % size) & 1 ? 0 : (float)from[i];
  PETSC(s->cx, VecRestoreArrayRead(s->z, &from));
  *z = s->single.dev;
  return ig_array_push(s->cx, &s->single);
}

#else

ig_status ig_topopt_petsc_new(ig_ctx *cx, const ig_amg_problem *problem, ig_topopt_petsc **out) {
  (void)problem;
  *out = NULL;
  return IG_FAIL(cx, IG_UNSUPPORTED,
                 "preconditioner: petsc is not compiled in: configure with -DINGOT_PETSC=ON, or "
                 "use multigrid");
}
void ig_topopt_petsc_free(ig_topopt_petsc *s) {
  (void)s;
}
ig_status ig_topopt_petsc_update(ig_topopt_petsc *s, const double *modulus) {
  (void)s;
  (void)modulus;
  return IG_OK;
}
ig_status ig_topopt_petsc_apply(ig_topopt_petsc *s, const float *r, const float **z) {
  (void)s;
  (void)r;
  *z = NULL;
  return IG_OK;
}

#endif
