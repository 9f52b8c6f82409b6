/* Preconditioned conjugate gradients (Hestenes and Stiefel, 1952). One iteration:

        z = M r             the preconditioner, in single precision
        p = z + beta p      beta from r . z, or explicitly conjugate (flexible)
        ap = A p            leaves p . A p in the state
        u += alpha p, r -= alpha ap, |r|^2

   The host reads five scalars per iteration, for the test of convergence, and nothing else. */
#include "solver/krylov/pcg.h"
#include "backend/backend.h"
#include "solver/krylov/energy.h"

#include <math.h>
#include <stddef.h>

#define ON_CPU(name, args) .name = ig_cg_cpu_##name,
static const ig_cg_ops on_cpu = {IG_CG_OPS(ON_CPU)};
#define ON_CUDA(name, args) .name = ig_cg_cuda_##name,
IG_IF_CUDA(static const ig_cg_ops on_cuda = {IG_CG_OPS(ON_CUDA)};)

static const ig_cg_ops *ops_of(const ig_ctx *cx) {
  return IG_OPS_OF(cx, &on_cpu, &on_cuda);
}

ig_status ig_pcg_dot(ig_ctx *cx, const struct ig_grid *grid, int64_t n, const double *a,
                     const double *b, double *result) {
  return ops_of(cx)->dot(cx, grid, n, a, b, result);
}

ig_status ig_pcg_energy(ig_ctx *cx, const struct ig_grid *grid, int64_t n, const double *p,
                        const double *ap, ig_cg_state *state) {
  IG_IF_CUDA(if (cx->backend->kernels == IG_KERNELS_CUDA) return ig_cg_cuda_energy(cx, grid, n, p,
                                                                                   ap, state);)
  return ig_cg_cpu_dot(cx, grid, n, p, ap, &state->s.pap);
}

const char *ig_solve_end_text(ig_solve_end end) {
  static const char *const text[] = {"converged", "stopped at the iteration limit",
                                     "stagnated: the residual no longer falls",
                                     "met a direction of no or negative energy"};
  return text[end];
}

/* r32 needs no zeroing: it is written whole before it is read. */
ig_status ig_pcg_init(ig_ctx *cx, ig_pcg *w, int64_t n) {
  const size_t count = (size_t)n;
  IG_TRY(ig_array_new_device(cx, &w->r, count, sizeof(double), "residual"));
  IG_TRY(ig_array_new_device(cx, &w->p, count, sizeof(double), "search direction"));
  IG_TRY(ig_array_new_device(cx, &w->ap, count, sizeof(double), "operator times direction"));
  IG_TRY(ig_array_new_device(cx, &w->r32, count, sizeof(float), "residual in single"));
  const bool parts = cx->backend->kernels == IG_KERNELS_CUDA; /* whose blocks leave them there */
  IG_TRY(ig_array_new_device(cx, &w->state, 1,
                             parts ? sizeof(ig_cg_state) : offsetof(ig_cg_state, partial), "sums"));
  /* the halo is never written by an operator: zero once */
  IG_TRY(ig_array_zero(cx, &w->r));
  IG_TRY(ig_array_zero(cx, &w->ap));
  IG_TRY(ig_array_zero(cx, &w->state));
  return ig_array_zero(cx, &w->p);
}

void ig_pcg_free(ig_ctx *cx, ig_pcg *w) {
  ig_array_free(cx, &w->r);
  ig_array_free(cx, &w->p);
  ig_array_free(cx, &w->ap);
  ig_array_free(cx, &w->r32);
  ig_array_free(cx, &w->state);
}

/* Values of this file are counted, not timed: equal problems take equal numbers of iterations on
   any machine. */
/* the residual has to halve at least once in so many iterations */
enum { PATIENCE = 2000 };

/* The recurrence of r drifts away from f - A u by rounding. Before convergence is reported, the
   true residual is computed where the drift may matter, and the iteration starts afresh from it if
   it is not small enough. `mark` is the last |r|^2 that was a quarter of the one before: no such
   step in PATIENCE iterations is stagnation. */
ig_status ig_pcg_solve(ig_ctx *cx, ig_pcg *w, const ig_linear *a, const double *f, double *u,
                       double tolerance, int limit, ig_solve_report *report) {
  const ig_cg_ops *ops = ops_of(cx);
  /* of vectors that every rank has whole, the own range alone is summed and updated */
  const int64_t from = a->own ? a->own[0] : 0, n = a->own ? a->own[1] - from : a->n;
  double *r = w->r.dev, *p = w->p.dev, *ap = w->ap.dev;
  float *r32 = w->r32.dev;
  ig_cg_state *s = w->state.dev;
  ig_cg_scalars now;
  const float *z;
  double ff;
  *report = (ig_solve_report){0, 0, IG_SOLVE_CONVERGED};
  IG_TRY(ops->dot(cx, a->grid, n, f + from, f + from, &ff));
  if (ff == 0)
    return cx->backend->fill(cx, u, 0, (size_t)a->n * sizeof *u);
  const double enough = tolerance * tolerance * ff;
  double mark = INFINITY, highest = ff; /* A u is of the size of f at least */
  int marked = 0, began = 0;
  bool fresh = true; /* r is f - A u, not what the recurrence makes of it */
  IG_TRY(a->apply(a->self, u, r, NULL));
  IG_TRY(ops->residual(cx, a->grid, n, f + from, r + from, r32 + from, s));
  IG_TRY(cx->backend->copy_out(cx, &now, &s->s, sizeof now));
  for (;;) {
    if (w->ends && cx->interrupted)
      return IG_FAIL(cx, IG_INTERRUPTED, "interrupted in a linear solve");
    highest = now.rr > highest ? now.rr : highest;
    if (now.rr <= enough) {
      /* Rounding stays in the recurrence: look where it may matter. Per iteration it is up to 1e-12
         of the largest residual met where stiffnesses differ by 1e9 (measured): a product adds and
         takes away again what is far larger than its result. */
      const double drift = 1e-12 * (1 + report->iterations - began);
      if (fresh || drift * drift * highest < 0.01 * enough)
        break;
      IG_TRY(a->apply(a->self, u, r, NULL));
      IG_TRY(ops->residual(cx, a->grid, n, f + from, r + from, r32 + from, s));
      IG_TRY(cx->backend->copy_out(cx, &now, &s->s, sizeof now));
      highest = ff;
      began = report->iterations;
      fresh = true;
      continue;
    }
    if (report->iterations == limit) {
      report->end = IG_SOLVE_LIMIT;
      break;
    }
    IG_TRY(a->precondition(a->self, r32, &z));
    IG_TRY(ops->direction(cx, a->grid, n, r + from, z + from, a->flexible ? ap + from : NULL,
                          p + from, fresh, s));
    IG_TRY(a->apply(a->self, p, ap, s));
    IG_TRY(ops->update(cx, a->grid, n, p + from, ap + from, u + from, r + from, r32 + from, s));
    IG_TRY(cx->backend->copy_out(cx, &now, &s->s, sizeof now));
    fresh = false;
    report->iterations++;
    if (!(now.pap > 0) || !(now.rz > 0) || !isfinite(now.rr)) {
      report->end = IG_SOLVE_INDEFINITE;
      break;
    }
    /* a quarter of |r|^2 is half of |r| */
    if (now.rr < 0.25 * mark) {
      mark = now.rr;
      marked = report->iterations;
    } else if (report->iterations - marked > PATIENCE) {
      report->end = IG_SOLVE_STAGNATED;
      break;
    }
  }
  report->residual = sqrt(now.rr / ff);
  return IG_OK;
}
