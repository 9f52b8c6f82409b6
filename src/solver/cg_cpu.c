/* Conjugate gradients on the CPU. */
#include "solver/grid.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "solver/level.inc"

#include <math.h>
#include <stdlib.h>

/* Sums per fixed chunk, then over chunks in order: the same for any number of threads. */
enum { CHUNK = 1 << 13 };
#define CHUNKED(n, sum, body)                                                                      \
  do {                                                                                             \
    const int64_t chunks_ = ((n) + CHUNK - 1) / CHUNK;                                             \
    double *part_;                                                                                 \
    IG_TRY(IG_NEW(cx, &part_, chunks_, "reduction"));                                              \
    const int team_ = ig_team(cx, n, IG_WORK_VALUE);                                               \
    _Pragma("omp parallel for schedule(static) num_threads(team_)") for (int64_t c_ = 0;           \
                                                                         c_ < chunks_; c_++) {     \
      const int64_t end_ = (c_ + 1) * CHUNK < (n) ? (c_ + 1) * CHUNK : (n);                        \
      double s = 0;                                                                                \
      _Pragma("omp simd reduction(+ : s)") for (int64_t i = c_ * CHUNK; i < end_; i++)             \
          body part_[c_] = s;                                                                      \
    }                                                                                              \
    (sum) = 0;                                                                                     \
    for (int64_t c_ = 0; c_ < chunks_; c_++)                                                       \
      (sum) += part_[c_];                                                                          \
    free(part_);                                                                                   \
  } while (0)

ig_status ig_cg_cpu_residual(ig_ctx *cx, int64_t n, const double *f, double *r, float *r32,
                             ig_cg_state *state) {
  ig_cg_scalars *sc = &state->s;
  CHUNKED(n, sc->rr, {
    r[i] = f[i] - r[i];
    r32[i] = (float)r[i];
    s += r[i] * r[i];
  });
  return IG_OK;
}

ig_status ig_cg_cpu_update(ig_ctx *cx, int64_t n, const double *p, const double *ap, double *x,
                           double *r, float *r32, ig_cg_state *state) {
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

ig_status ig_cg_cpu_direction(ig_ctx *cx, int64_t n, const double *r, const float *z,
                              const double *ap, double *p, bool first, ig_cg_state *state) {
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
