/* PETSc's preconditioners: GAMG with the rigid-body modes, or what the environment's PETSC_OPTIONS
   ask for (-ingot_pc_type hypre). The finest matrix is assembled where the design is and comes to
   the host; PETSc works there, in double precision. Where ranks divide the nodes each gives PETSc
   its rows, which it has whole: every element that touches an own node is there. The preconditioner
   is then another one for each number of ranks, and results agree to the tolerance of the solver,
   not in their bits. */
#include "topopt/mesh/mesh_petsc.h"
#include "backend/backend.h"

#include "solver/krylov/rows.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef INGOT_HAVE_PETSC
#include <petscpc.h>

/* Everything of PETSc is in here; without INGOT_PETSC the functions at the end of the file say
   that it is missing. `single` is the preconditioned residual in the solver's single precision. */
struct ig_topopt_petsc {
  ig_ctx *cx;
  ig_amg *finest;  /* the matrix alone */
  float *value;    /* of own rows on the host */
  PetscInt *count; /* values of each own row in own columns, then in others', until it is made */
  Mat matrix;
  PC pc;
  Vec r, z;
  ig_array single;
  ig_topopt_petsc_rows own;
  char trouble[256]; /* what PETSc said of its last error */
  bool alike;        /* which all ranks have */
};

#define PETSC(s, call)                                                                             \
  do {                                                                                             \
    const PetscErrorCode petsc_error_ = (call);                                                    \
    if (petsc_error_)                                                                              \
      return IG_FAIL((s)->cx, IG_NUMERIC, "PETSc: %s (%s, code %d)", (s)->trouble, #call,          \
                     (int)petsc_error_);                                                           \
  } while (0)

/* PETSc's own handler prints, and ends the process on all ranks but the first. */
static PetscErrorCode hear(MPI_Comm comm, int line, const char *function, const char *file,
                           PetscErrorCode code, PetscErrorType type, const char *words,
                           void *self) {
  ig_topopt_petsc *s = self;
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL)
    snprintf(s->trouble, sizeof s->trouble, "%s", words ? words : "error");
  s->alike = code == PETSC_ERR_ARG_UNKNOWN_TYPE; /* asked for in the options */
  return code;
}

/* All ranks of one preconditioner learn of a failure before any of them waits in PETSc. */
static ig_status meet(ig_ctx *cx, const ig_amg_problem *p, ig_status status) {
  return p->rows ? ig_ranks_agree(cx, status) : status;
}

/* Calls of PETSc, with its errors heard. */
static ig_status heard(ig_topopt_petsc *s, ig_status (*calls)(ig_topopt_petsc *s)) {
  PETSC(s, PetscPushErrorHandler(hear, s));
  const ig_status status = calls(s);
  PETSC(s, PetscPopErrorHandler());
  if (status != IG_OK && s->finest->problem.rows && !s->alike) /* others may wait in there */
    ig_ranks_abort(s->cx);
  return status;
}

/* An aggregate may be too small for all rigid-body modes (of quadratic tetrahedra, at cuts between
   ranks): a zero on the diagonal of a coarse level, by which Gauss-Seidel sweeps divide, and
   incomplete factors do not. On designs with void the largest eigenvalue that Chebyshev steps need
   is far from the others: ten steps, PETSc's default, find nine tenths of it or less, and a cycle
   is then not definite. */
static const char *const defaults[][2] = {{"-ingot_mg_levels_pc_type", "bjacobi"},
                                          {"-ingot_mg_levels_sub_pc_type", "icc"},
                                          {"-ingot_mg_levels_ksp_chebyshev_esteig_steps", "20"},
                                          {"-ingot_mg_levels_ksp_chebyshev_esteig", "0,0.1,0,1.3"}};

/* PETSc needs to know how many values each row has in own columns and in others' before it
   allocates. */
static void rows_count(ig_topopt_petsc *s) {
  const ig_lid *start = s->finest->level[0].a.start.host;
  const ig_lid *column = s->finest->level[0].a.column.host;
  const ig_lid from = s->own.from, to = from + s->own.count;
  const PetscInt size = s->finest->problem.size, n = size * s->own.count;
  for (PetscInt i = 0; i < n; i++)
    for (ig_lid row = from + (ig_lid)(i / size), k = start[row]; k < start[row + 1]; k++)
      s->count[column[k] >= from && column[k] < to ? i : n + i] += size;
}

/* MAT_SPD: symmetric and positive definite, which lets factorisations be incomplete Cholesky
   ones. */
static ig_status matrix_make(ig_topopt_petsc *s, MPI_Comm comm) {
  const PetscInt size = s->finest->problem.size, n = size * s->own.count;
  PETSC(s, MatCreateAIJ(comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, 0, s->count, 0, s->count + n,
                        &s->matrix));
  free(s->count);
  s->count = NULL;
  PETSC(s, MatSetBlockSize(s->matrix, size));
  PETSC(s, MatSetOption(s->matrix, MAT_SPD, PETSC_TRUE));
  PETSC(s, MatCreateVecs(s->matrix, &s->z, &s->r));
  return IG_OK;
}

/* Rigid-body modes, from the positions of own nodes. */
static ig_status modes_give(ig_topopt_petsc *s) {
  Vec x;
  MatNullSpace modes;
  PetscScalar *to;
  PETSC(s, MatCreateVecs(s->matrix, &x, NULL));
  PETSC(s, VecSetBlockSize(x, 3));
  PETSC(s, VecGetArray(x, &to));
  for (PetscInt i = 0; i < 3 * (PetscInt)s->own.count; i++)
    to[i] = s->finest->problem.x[3 * (PetscInt)s->own.from + i];
  PETSC(s, VecRestoreArray(x, &to));
  PETSC(s, MatNullSpaceCreateRigidBody(x, &modes));
  PETSC(s, MatSetNearNullSpace(s->matrix, modes));
  PETSC(s, MatNullSpaceDestroy(&modes));
  PETSC(s, VecDestroy(&x));
  return IG_OK;
}

/* Where PETSc started MPI, it ends it: a launcher takes offence at processes that do not. */
static void petsc_end(void) {
  int over = 1;
  if (MPI_Finalized(&over) == MPI_SUCCESS && !over)
    PetscFinalize();
}

/* PETSc for the rest of the process, since MPI starts only once. Signals are the program's. */
static ig_status petsc_begin(ig_topopt_petsc *s) {
  PetscBool running;
  PETSC(s, PetscInitialized(&running));
  if (running)
    return IG_OK;
  PETSC(s, PetscOptionsSetValue(NULL, "-no_signal_handler", NULL));
  PETSC(s, PetscInitializeNoArguments());
  atexit(petsc_end);
  return IG_OK;
}

/* Where values of own rows begin, counted in blocks, and how many there are. */
static ig_lid blocks_of(const ig_topopt_petsc *s, ig_lid *first) {
  const ig_lid *start = s->finest->level[0].a.start.host;
  *first = start[s->own.from];
  return start[s->own.from + s->own.count] - *first;
}

/* What is here before PETSc is asked for anything: the pattern, space for values and vectors.
   The pattern and the element loop are those of Ingot's own algebraic multigrid, its finest
   level alone. */
static ig_status begin(ig_ctx *cx, const ig_amg_problem *p, const ig_topopt_petsc_rows *own,
                       ig_topopt_petsc **out) {
  ig_topopt_petsc *s;
  ig_lid first;
  IG_TRY(IG_NEW(cx, out, 1, "PETSc"));
  s = *out;
  s->cx = cx;
  s->own = *own;
  IG_TRY(ig_amg_new_finest(cx, p, &s->finest));
  IG_TRY(IG_NEW(cx, &s->count, 2 * (size_t)p->size * (size_t)own->count + 1, "PETSc matrix"));
  rows_count(s);
  const size_t blocks = (size_t)blocks_of(s, &first);
  IG_TRY(IG_NEW(cx, &s->value, blocks * (size_t)(p->size * p->size) + 1, "PETSc matrix"));
  return ig_array_new(cx, &s->single, (size_t)p->nodes * (size_t)p->size, sizeof(float),
                      "PETSc vector");
}

/* Matrix, near-null space and vectors, from the pattern. */
static ig_status make(ig_topopt_petsc *s) {
  const ig_amg_problem *p = &s->finest->problem;
  const MPI_Comm comm =
      p->rows ? MPI_Comm_f2c((MPI_Fint)s->cx->ranks->communicator) : PETSC_COMM_SELF;
  IG_TRY(matrix_make(s, comm));
  if (p->size == 3)
    IG_TRY(modes_give(s));
  s->finest->problem.x = NULL; /* the caller's, and not needed any more */
  PETSC(s, PCCreate(comm, &s->pc));
  PETSC(s, PCSetOptionsPrefix(s->pc, "ingot_"));
  PETSC(s, PCSetType(s->pc, PCGAMG));
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    PetscBool given;
    PETSC(s, PetscOptionsHasName(NULL, NULL, defaults[i][0], &given));
    if (!given)
      PETSC(s, PetscOptionsSetValue(NULL, defaults[i][0], defaults[i][1]));
  }
  PETSC(s, PCSetFromOptions(s->pc));
  return IG_OK;
}

/* All ranks have what they need before any of them enters PETSc: inside it nobody can report a
   failure. */
ig_status ig_topopt_petsc_new(ig_ctx *cx, const ig_amg_problem *problem,
                              const ig_topopt_petsc_rows *own, ig_topopt_petsc **out) {
  ig_topopt_petsc *s = NULL;
  *out = NULL;
  ig_status status = meet(cx, problem, begin(cx, problem, own, &s));
  if (status == IG_OK)
    status = petsc_begin(s);
  if (status == IG_OK)
    status = heard(s, make);
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
  free(s->count);
  ig_amg_free(s->finest);
  free(s);
}

/* Values of own rows to the host. Values are on the device for the time of the assembly only: PETSc
 * has a copy of its own. */
static ig_status values_make(ig_topopt_petsc *s, const double *modulus) {
  ig_amg_matrix *m = &s->finest->level[0].a;
  const size_t count = (size_t)(m->m.br * m->m.bc);
  ig_lid first;
  const ig_lid blocks = blocks_of(s, &first);
  ig_status status = ig_amg_open_values(s->finest, m);
  if (status == IG_OK)
    status = ig_amg_assemble(s->finest, modulus);
  if (status == IG_OK && blocks > 0)
    status = s->cx->backend->copy_out(s->cx, s->value, m->m.value + (size_t)first * count,
                                      sizeof *s->value * (size_t)blocks * count);
  ig_amg_close_values(s->finest, m);
  return status;
}

/* And to PETSc, under the numbers of the whole. They are rounded to single precision: where void is
   softer than that, what floats in it may have a negative energy. Diagonals are raised by a little
   more than the rounding of a row. */
static ig_status values_give(ig_topopt_petsc *s) {
  const PetscScalar raised = 1 + 1e-6;
  const ig_amg_matrix *m = &s->finest->level[0].a;
  const int count = m->m.br * m->m.bc;
  const ig_lid *start = m->start.host, *column = m->column.host, *node = s->own.node;
  const float *value = s->value;
  for (ig_lid n = s->own.from; n < s->own.from + s->own.count; n++)
    for (ig_lid k = start[n]; k < start[n + 1]; k++, value += count) {
      const PetscInt i = node ? node[n] : n, j = node ? node[column[k]] : column[k];
      PetscScalar block[9];
      for (int c = 0; c < count; c++)
        block[c] = (PetscScalar)value[c] * (i == j && c % (m->m.br + 1) == 0 ? raised : 1);
      PETSC(s, MatSetValuesBlocked(s->matrix, 1, &i, 1, &j, block, INSERT_VALUES));
    }
  return IG_OK;
}

static ig_status set_up(ig_topopt_petsc *s) {
  PETSC(s, MatAssemblyBegin(s->matrix, MAT_FINAL_ASSEMBLY));
  PETSC(s, MatAssemblyEnd(s->matrix, MAT_FINAL_ASSEMBLY));
  PETSC(s, PCSetOperators(s->pc, s->matrix, s->matrix));
  PETSC(s, PCSetUp(s->pc));
  return IG_OK;
}

/* Once for every design: a new hierarchy for new moduli. */
ig_status ig_topopt_petsc_update(ig_topopt_petsc *s, const double *modulus) {
  ig_status status = values_make(s, modulus);
  if (status == IG_OK)
    status = heard(s, values_give);
  IG_TRY(meet(s->cx, &s->finest->problem, status));
  return heard(s, set_up);
}

/* The own range of `single` goes through the preconditioner. */
static ig_status pass(ig_topopt_petsc *s) {
  const ig_amg_problem *p = &s->finest->problem;
  const size_t size = (size_t)p->size, at = size * (size_t)s->own.from;
  const size_t n = size * (size_t)s->own.count;
  float *host = (float *)s->single.host + at;
  PetscScalar *to;
  const PetscScalar *from;
  PETSC(s, VecGetArrayWrite(s->r, &to));
  for (size_t i = 0; i < n; i++)
    to[i] = (PetscScalar)host[i];
  PETSC(s, VecRestoreArrayWrite(s->r, &to));
  PETSC(s, PCApply(s->pc, s->r, s->z));
  PETSC(s, VecGetArrayRead(s->z, &from));
  for (size_t i = 0; i < n; i++) /* aggregates do not know what is held */
    host[i] = p->fix[(at + i) / size] >> ((at + i) % size) & 1 ? 0 : (float)from[i];
  PETSC(s, VecRestoreArrayRead(s->z, &from));
  return IG_OK;
}

/* Residuals go to the host and back in every iteration. */
ig_status ig_topopt_petsc_apply(ig_topopt_petsc *s, const float *r, const float **z) {
  const ig_amg_problem *p = &s->finest->problem;
  const size_t at = (size_t)p->size * (size_t)s->own.from,
               n = (size_t)p->size * (size_t)s->own.count;
  ig_status status = IG_OK;
  if (n > 0)
    status = s->cx->backend->copy_out(s->cx, (float *)s->single.host + at, r + at, n * sizeof *r);
  IG_TRY(meet(s->cx, p, status));
  IG_TRY(heard(s, pass));
  *z = s->single.dev;
  return ig_array_push(s->cx, &s->single);
}

#else

ig_status ig_topopt_petsc_new(ig_ctx *cx, const ig_amg_problem *problem,
                              const ig_topopt_petsc_rows *own, ig_topopt_petsc **out) {
  (void)problem;
  (void)own;
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
