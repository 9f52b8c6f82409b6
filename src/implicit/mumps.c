/* Sequential MUMPS (mumps.h), loaded by dlopen at run time: the program runs where it is not
   installed. Numbers of icntl and infog are those of the MUMPS Users' Guide less one, as C counts
   from 0. Matrices are given as triplets, counted from 1; of a symmetric one the lower half. */
#include "implicit/mumps.h"
#include "core/kept_signals.h"

#ifdef INGOT_HAVE_MUMPS
#include <dlfcn.h>
#include <dmumps_c.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef void mumps_call(DMUMPS_STRUC_C *);
/* `job` of a call; NO_WORLD: the value of comm_fortran by which MUMPS takes MPI_COMM_WORLD */
enum { START = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3, NO_WORLD = -987654 };

/* An instance is for either symmetric or other matrices: changing over ends it and starts another,
   with a new analysis. */
struct ig_mumps {
  ig_ctx *cx;
  void *library;
  mumps_call *call;
  int32_t n;
  const int64_t *first;
  const int32_t *column;
  int64_t *across; /* entries: where (j, i) is */
  MUMPS_INT *row, *col;
  double *value;
  DMUMPS_STRUC_C id;
  bool open, symmetric;
};

/* Its modules keep a table of instances that calls of several threads would share. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void call(ig_mumps *m, int job) {
  pthread_mutex_lock(&one_at_a_time);
  m->id.job = job;
  m->call(&m->id);
  pthread_mutex_unlock(&one_at_a_time);
}

/* Whether the library can be loaded; for tests and reports. */
bool ig_mumps_there(void) {
  void *library = dlopen(INGOT_MUMPS_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (library)
    dlclose(library);
  return library != NULL;
}

ig_status ig_mumps_new(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *column,
                       ig_mumps **to) {
  ig_mumps *m;
  int32_t *seen;
  IG_TRY(IG_NEW(cx, &m, 1, "MUMPS"));
  *to = m;
  m->cx = cx;
  m->n = n;
  m->first = first;
  m->column = column;
  m->library = dlopen(INGOT_MUMPS_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (m->library)
    *(void **)&m->call = dlsym(m->library, "dmumps_c");
  if (!m->call)
    return IG_FAIL(cx, IG_UNSUPPORTED, "MUMPS (%s) cannot be loaded: use `solver: own`",
                   INGOT_MUMPS_SONAME);
  IG_TRY(IG_NEW(cx, &m->across, (size_t)first[n] + 1, "MUMPS"));
  IG_TRY(IG_NEW(cx, &m->row, (size_t)first[n] + 1, "MUMPS"));
  IG_TRY(IG_NEW(cx, &m->col, (size_t)first[n] + 1, "MUMPS"));
  IG_TRY(IG_NEW(cx, &m->value, (size_t)first[n] + 1, "MUMPS"));
  IG_TRY(IG_NEW(cx, &seen, (size_t)n + 1, "MUMPS"));
  for (int32_t i = 0; i < n; i++)
    for (int64_t k = first[i]; k < first[i + 1]; k++)
      m->across[k] = first[column[k]] + seen[column[k]]++;
  free(seen);
  return IG_OK;
}

static void instance_end(ig_mumps *m) {
  if (m->open)
    call(m, END);
  m->open = false;
}

/* Where (of the equations) entry k is kept for a symmetric matrix: the lower half alone. */
static int64_t entries_set(ig_mumps *m, const double *value, bool symmetric) {
  int64_t count = 0;
  for (int32_t i = 0; i < m->n; i++)
    for (int64_t k = m->first[i]; k < m->first[i + 1]; k++) {
      if (symmetric && m->column[k] > i)
        continue;
      m->row[count] = i + 1;
      m->col[count] = m->column[k] + 1;
      m->value[count++] = symmetric ? 0.5 * (value[k] + value[m->across[k]]) : value[k];
    }
  return count;
}

/* -9: its work array is too small, even after growing; -13: an allocation failed */
static ig_status failed(ig_mumps *m, const char *what) {
  return IG_FAIL(m->cx, m->id.infog[0] == -13 || m->id.infog[0] == -9 ? IG_MEMORY : IG_NUMERIC,
                 "MUMPS: %s failed with code %d, %d: use `solver: own`", what, m->id.infog[0],
                 m->id.infog[1]);
}

ig_status ig_mumps_factor(ig_mumps *m, const double *value, bool symmetric, ig_direct_info *info) {
  *info = (ig_direct_info){
      .solver = "MUMPS", .negative = -1, .first_zero = -1, .least = 1, .least_at = -1};
  if (m->open && m->symmetric != symmetric)
    instance_end(m);
  const int64_t count = entries_set(m, value, symmetric);
  if (!m->open) {
    memset(&m->id, 0, sizeof m->id);
    m->id.comm_fortran = NO_WORLD;
    m->id.par = 1;
    /* 2: symmetric, any sign of pivots */
    m->id.sym = symmetric ? 2 : 0;
    call(m, START);
    if (m->id.infog[0] < 0)
      return failed(m, "its start");
    m->open = true;
    m->symmetric = symmetric;
    for (int i = 0; i < 4; i++) /* no messages */
      m->id.icntl[i] = i < 3 ? -1 : 0;
    m->id.icntl[6] = 5;   /* METIS */
    m->id.icntl[13] = 40; /* per cent of memory more than estimated */
    m->id.icntl[23] = 1;  /* zero pivots are found */
    m->id.n = m->n;
    m->id.nnz = count;
    m->id.irn = m->row;
    m->id.jcn = m->col;
    m->id.a = m->value;
    ig_kept_signals kept;
    ig_signals_keep(&kept); /* it calls METIS */
    call(m, ANALYSE);
    ig_signals_kept(&kept);
    if (m->id.infog[0] < 0)
      return failed(m, "the analysis");
  }
  /* -8, -9: pivoting needs more memory than the analysis has foreseen */
  for (int pass = 0; pass < 4; pass++) {
    call(m, FACTOR);
    if (m->id.infog[0] != -9 && m->id.infog[0] != -8)
      break;
    m->id.icntl[13] *= 2;
  }
  if (m->id.infog[0] < 0)
    return failed(m, "the factorization");
  if (m->cx->interrupted)
    return IG_FAIL(m->cx, IG_INTERRUPTED, "interrupted in a factorization");
  if (symmetric)
    /* infog(12): negative pivots; (28): zero pivots; (29): entries, if negative in millions */
    info->negative = m->id.infog[11];
  info->zero = m->id.infog[27];
  if (info->zero > 0 && m->id.pivnul_list)
    info->first_zero = m->id.pivnul_list[0] - 1;
  info->entries = m->id.infog[28] < 0 ? -1e6 * m->id.infog[28] : m->id.infog[28];
  return IG_OK;
}

ig_status ig_mumps_solve(ig_mumps *m, double *b) {
  m->id.rhs = b;
  m->id.nrhs = 1;
  m->id.lrhs = m->n;
  call(m, SOLVE);
  return m->id.infog[0] < 0 ? failed(m, "the solution") : IG_OK;
}

void ig_mumps_free(ig_mumps *m) {
  if (!m)
    return;
  instance_end(m);
  free(m->across);
  free(m->row);
  free(m->col);
  free(m->value);
  if (m->library)
    dlclose(m->library);
  free(m);
}

#else
bool ig_mumps_there(void) {
  return false;
}
ig_status ig_mumps_new(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *column,
                       ig_mumps **to) {
  (void)n, (void)first, (void)column, (void)to;
  return IG_FAIL(cx, IG_UNSUPPORTED,
                 "this build has no MUMPS (libmumps-seq-dev): use `solver: own`");
}
void ig_mumps_free(ig_mumps *m) {
  (void)m;
}
ig_status ig_mumps_factor(ig_mumps *m, const double *value, bool symmetric, ig_direct_info *info) {
  (void)m, (void)value, (void)symmetric, (void)info;
  return IG_UNSUPPORTED;
}
ig_status ig_mumps_solve(ig_mumps *m, double *b) {
  (void)m, (void)b;
  return IG_UNSUPPORTED;
}
#endif
