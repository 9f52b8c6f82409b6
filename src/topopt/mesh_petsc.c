/* PETSc's preconditioners: GAMG with the rigid-body modes, or what the environment's PETSC_OPTIONS
   ask for (-ingot_pc_type hypre). The finest matrix is assembled where the design is and comes to
   the host; PETSc works there, in double precision. Where ranks divide the nodes each gives PETSc
   its rows; the preconditioner is then another one for each number of ranks, and results agree to
   the tolerance of the solver, not in their bits. */
#include "topopt/mesh_petsc.h"
#include "backend/backend.h"

#include "solver/rows.h"

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
  ig_lid from, to; /* own nodes */
};

#define PETSC(cx, call)                                                                            \
  do {                                                                                             \
    const PetscErrorCode petsc_error_ = (call);                                                    \
    if (petsc_error_)                                                                              \
      return IG_FAIL(cx, IG_NUMERIC, "PETSc: %s failed with code %d", #call, (int)petsc_error_);   \
  } while (0)

/* Chebyshev with PETSc's own bounds on D^-1 A loses definiteness on designs with void. An aggregate
   may be too small for all rigid-body modes (of quadratic tetrahedra, at cuts between ranks): a
   zero on the diagonal of a coarse level, by which Gauss-Seidel sweeps divide, and incomplete
   factors do not. */
static const char *const defaults[2][2] = {{"-ingot_mg_levels_pc_type", "bjacobi"},
                                           {"-ingot_mg_levels_sub_pc_type", "icc"}};

/* Blocks of an own row in own columns, and in others'. */
static void row_count(const ig_topopt_petsc *s, ig_lid row, PetscInt *own, PetscInt *others) {
  const ig_lid *start = s->finest->level[0].a.start.host;
  const ig_lid *column = s->finest->level[0].a.column.host;
  *own = *others = 0;
  for (ig_lid k = start[row]; k < start[row + 1]; k++)
    ++*(column[k] >= s->from && column[k] < s->to ? own : others);
}

static ig_status matrix_make(ig_topopt_petsc *s, MPI_Comm comm) {
  ig_ctx *cx = s->cx;
  const PetscInt size = s->finest->problem.size, n = size * (s->to - s->from);
  PetscInt *count;
  IG_TRY(IG_NEW(cx, &count, 2 * (size_t)n + 2, "PETSc matrix"));
  for (PetscInt i = 0; i < n; i++) {
    row_count(s, s->from + (ig_lid)(i / size), &count[i], &count[n + i]);
    count[i] *= size;
    count[n + i] *= size;
  }
  const PetscErrorCode made = MatCreateAIJ(comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, 0, count,
                                           0, count + n, &s->matrix);
  free(count);
  PETSC(cx, made);
  PETSC(cx, MatSetBlockSize(s->matrix, size));
  PETSC(cx, MatSetOption(s->matrix, MAT_SPD, PETSC_TRUE));
  PETSC(cx, MatCreateVecs(s->matrix, &s->z, &s->r));
  return IG_OK;
}

/* Rigid-body modes, from the positions of own nodes. */
static ig_status modes_give(ig_topopt_petsc *s) {
  ig_ctx *cx = s->cx;
  Vec x;
  MatNullSpace modes;
  PetscScalar *to;
  PETSC(cx, MatCreateVecs(s->matrix, &x, NULL));
  PETSC(cx, VecSetBlockSize(x, 3));
  PETSC(cx, VecGetArray(x, &to));
  for (PetscInt i = 0; i < 3 * (PetscInt)(s->to - s->from); i++)
    to[i] = s->finest->problem.x[3 * (PetscInt)s->from + i];
  PETSC(cx, VecRestoreArray(x, &to));
  PETSC(cx, MatNullSpaceCreateRigidBody(x, &modes));
  PETSC(cx, MatSetNearNullSpace(s->matrix, modes));
  PETSC(cx, MatNullSpaceDestroy(&modes));
  PETSC(cx, VecDestroy(&x));
  return IG_OK;
}

/* Where PETSc started MPI, it ends it: a launcher takes offence at processes that do not. */
static void petsc_end(void) {
  int over = 1;
  if (MPI_Finalized(&over) == MPI_SUCCESS && !over)
    PetscFinalize();
}

/* Matrix, near-null space and vectors, from the pattern. */
static ig_status make(ig_topopt_petsc *s) {
  const ig_amg_problem *p = &s->finest->problem;
  const ig_bsr *a = &s->finest->level[0].a.m;
  ig_ctx *cx = s->cx;
  PetscBool running;
  PETSC(cx, PetscInitialized(&running));
  if (!running) { /* for the rest of the process: MPI starts only once */
    PETSC(cx, PetscInitializeNoArguments());
    atexit(petsc_end);
  }
  const MPI_Comm comm = p->rows ? MPI_Comm_f2c((MPI_Fint)cx->ranks->communicator) : PETSC_COMM_SELF;
  s->from = p->rows ? p->rows->from : 0;
  s->to = p->rows ? p->rows->to : p->nodes;
  IG_TRY(IG_NEW(cx, &s->value, (size_t)a->blocks * (size_t)(p->size * p->size), "PETSc matrix"));
  IG_TRY(ig_array_new(cx, &s->single, (size_t)p->nodes * (size_t)p->size, sizeof(float),
                      "PETSc vector"));
  IG_TRY(matrix_make(s, comm));
  if (p->size == 3)
    IG_TRY(modes_give(s));
  PETSC(cx, PCCreate(comm, &s->pc));
  PETSC(cx, PCSetOptionsPrefix(s->pc, "ingot_"));
  PETSC(cx, PCSetType(s->pc, PCGAMG));
  for (int i = 0; i < 2; i++) {
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
  for (PetscInt i = s->from; i < s->to; i++)
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
  const ig_amg_problem *p = &s->finest->problem;
  const size_t size = (size_t)p->size, at = size * (size_t)s->from;
  const size_t n = size * (size_t)(s->to - s->from);
  float *host = (float *)s->single.host + at;
  PetscScalar *to;
  const PetscScalar *from;
  IG_TRY(s->cx->backend->copy_out(s->cx, host, r + at, n * sizeof *host));
  PETSC(s->cx, VecGetArrayWrite(s->r, &to));
  for (size_t i = 0; i < n; i++)
    to[i] = (PetscScalar)host[i];
  PETSC(s->cx, VecRestoreArrayWrite(s->r, &to));
  PETSC(s->cx, PCApply(s->pc, s->r, s->z));
  PETSC(s->cx, VecGetArrayRead(s->z, &from));
  for (size_t i = 0; i < n; i++) /* aggregates do not know what is held */
    host[i] = p->fix[(at + i) / size] >> ((at + i) % size) & 1 ? 0 : (float)from[i];
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
