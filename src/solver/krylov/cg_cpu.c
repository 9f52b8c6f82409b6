/* Conjugate gradients on the CPU. CHUNKED runs `body` for each i with a partial sum s per chunk,
   then adds the chunks in order (chunks.h): the same bits on any number of threads and ranks.
   Updates and sums share a pass over memory, which is what an iteration costs. */
#include "solver/krylov/chunks.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "solver/grid/level.inc"

#include <math.h>
#include <stdlib.h>

#define CHUNKED(n, sum, body)                                                                      \
  do {                                                                                             \
    const ig_chunks all_ = ig_chunks_of(grid, n);                                                  \
    double *part_ = NULL;                                                                          \
    ig_status made_ = IG_NEW(cx, &part_, all_.count, "reduction");                                 \
    if (made_ != IG_OK && !ig_chunks_divided(grid))                                                \
      return made_;                                                                                \
    const int64_t chunks_ = part_ ? all_.count : 0;                                                \
    const int team_ = ig_team(cx, n, IG_WORK_VALUE);                                               \
    _Pragma("omp parallel for schedule(static) num_threads(team_)") for (int64_t c_ = 0;           \
                                                                         c_ < chunks_; c_++) {     \
      const int64_t begin_ = ig_chunk_begin(&all_, c_), end_ = ig_chunk_end(&all_, c_);            \
      double s = 0;                                                                                \
      _Pragma("omp simd reduction(+ : s)") for (int64_t i = begin_; i < end_; i++)                 \
          body part_[c_] = s;                                                                      \
    }                                                                                              \
    made_ = ig_chunks_total(grid, &all_, 1, part_, &(sum));                                        \
    free(part_);                                                                                   \
    IG_TRY(made_);                                                                                 \
  } while (0)

/* Without a grid in space as all other dot products are made. */
ig_status ig_cg_cpu_dot(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *a,
                        const double *b, double *result) {
  if (!grid || grid->dim != 3)
    return cx->backend->dot_f64(cx, (size_t)n, a, b, result);
  CHUNKED(n, *result, { s += a[i] * b[i]; });
  return IG_OK;
}

/* r holds A u on entry. */
ig_status ig_cg_cpu_residual(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *f, double *r,
                             float *r32, ig_cg_state *state) {
  ig_cg_scalars *sc = &state->s;
  CHUNKED(n, sc->rr, {
    r[i] = f[i] - r[i];
    r32[i] = (float)r[i];
    s += r[i] * r[i];
  });
  return IG_OK;
}

ig_status ig_cg_cpu_update(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *p,
                           const double *ap, double *x, double *r, float *r32, ig_cg_state *state) {
  ig_cg_scalars *sc = &state->s;
  const double alpha = sc->pap != 0 ? sc->rz / sc->pap : 0;
  CHUNKED(n, sc->rr, {
    x[i] += alpha * p[i];
    r[i] -= alpha * ap[i];
    r32[i] = (float)r[i];
    s += r[i] * r[i];
  });
  return IG_OK;
}

/* Two sums over the vectors where the method is flexible (K-cycles), one otherwise; then the new
   direction. */
ig_status ig_cg_cpu_direction(ig_ctx *cx, const ig_grid *grid, int64_t n, const double *r,
                              const float *z, const double *ap, double *p, bool first,
                              ig_cg_state *state) {
  ig_cg_scalars *sc = &state->s;
  const double last = sc->rz;
  CHUNKED(n, sc->rz, { s += r[i] * (double)z[i]; });
  sc->rz_last = last;
  if (ap && !first)
    CHUNKED(n, sc->zap, { s += ap[i] * (double)z[i]; });
  const double beta = ig_cg_beta(sc, first, ap != NULL);
#pragma omp parallel for simd schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    p[i] = (double)z[i] + beta * p[i];
  return IG_OK;
}
