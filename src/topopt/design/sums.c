/* Sums and extremes over a design, and its values, whether or not ranks divide it. Sums are made
   by planes or blocks of a fixed size and added in one order, so that their bits do not depend
   on threads or ranks; extremes are exact in any order. */
#include "topopt/topopt.h"
#include "backend/backend.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_topopt_dot(ig_ctx *cx, const ig_discretisation *d, const double *a, const double *b,
                        double *result) {
  return ig_pcg_dot(cx, d->grid, d->places, a, b, result);
}
/* Own values of a mesh part lie between ghosts: own_states is their range. */
ig_status ig_topopt_dot_states(ig_ctx *cx, const ig_discretisation *d, const double *a,
                               const double *b, double *result) {
  const int64_t from = d->own_states[0];
  return d->states ? ig_pcg_dot(cx, d->states, d->own_states[1] - from, a + from, b + from, result)
                   : ig_pcg_dot(cx, d->grid, d->unknowns, a, b, result);
}

/* Own planes only: ghosts may hold values of another time. */
ig_status ig_topopt_most(ig_ctx *cx, const ig_discretisation *d, const double *v, double *result) {
  const ig_grid *g = d->grid;
  if (!ig_topopt_divided(d))
    return cx->backend->absmax_f64(cx, (size_t)d->places, v, result);
  const int64_t own = (g->n[2] + 1) * g->plane; /* the last block of a mesh may be short */
  *result = 0;
  if (own > 0 && d->places > 0)
    IG_TRY(cx->backend->absmax_f64(cx, (size_t)(own < d->places ? own : d->places),
                                   v + g->ghosts * g->plane, result));
  return ig_slab_most(g->slab, result, 1);
}

/* On a divided grid each component of a state is one run of own values; a mesh in parts has them
   all in one. */
int ig_topopt_runs(const ig_discretisation *d) {
  return ig_topopt_divided(d) && !d->states ? d->layout.size : 1;
}
ig_topopt_values ig_topopt_run_own(const ig_discretisation *d, int run) {
  const ig_grid *g = d->grid;
  if (!ig_topopt_divided(d))
    return (ig_topopt_values){0, d->unknowns, 0};
  if (d->states)
    return (ig_topopt_values){d->own_states[0], d->own_states[1] - d->own_states[0], d->own_from};
  return (ig_topopt_values){run * g->stored + g->ghosts * g->plane, (g->n[2] + 1) * g->plane,
                            run * (d->all_unknowns / d->layout.size) + (g->from + 1) * g->plane};
}

/* The largest of all runs of own values, then of all ranks. */
ig_status ig_topopt_most_states(ig_ctx *cx, const ig_discretisation *d, const double *v,
                                double *result) {
  *result = 0;
  for (int r = 0; r < ig_topopt_runs(d); r++) {
    const ig_topopt_values own = ig_topopt_run_own(d, r);
    double most = 0;
    if (own.count > 0)
      IG_TRY(cx->backend->absmax_f64(cx, (size_t)own.count, v + own.at, &most));
    *result = most > *result ? most : *result;
  }
  return ig_topopt_divided(d) ? ig_slab_most(d->grid->slab, result, 1) : IG_OK;
}

ig_status ig_topopt_count(const ig_discretisation *d, int64_t *value, int count) {
  return ig_topopt_divided(d) ? ig_slab_count(d->grid->slab, value, count) : IG_OK;
}

/* Three cases: a mesh in parts, a grid in slabs, a body on one rank. */
ig_status ig_topopt_fetch(ig_ctx *cx, const ig_discretisation *d, bool states, int count,
                          const double *from, bool everyone, double *to) {
  if (d->fetch)
    return d->fetch(d->self, states, count, from, everyone, to);
  if (ig_topopt_divided(d))
    return ig_slab_collect(d->grid, states ? count * d->layout.size : count, from, everyone, to);
  return cx->backend->copy_out(
      cx, to, from, (size_t)count * (size_t)(states ? d->unknowns : d->places) * sizeof *to);
}

ig_status ig_topopt_place(ig_ctx *cx, const ig_discretisation *d, bool states, int count,
                          const double *from, double *to) {
  if (d->place)
    return d->place(d->self, states, count, from, to);
  if (ig_topopt_divided(d))
    return ig_slab_cut(d->grid, states ? count * d->layout.size : count, from, to);
  return cx->backend->copy_in(
      cx, to, from, (size_t)count * (size_t)(states ? d->unknowns : d->places) * sizeof *to);
}

/* Host array of `places` bytes; ghosts have no role and are not marked. */
ig_status ig_topopt_elements_mark(ig_ctx *cx, const ig_discretisation *d, uint8_t *mark) {
  IG_TRY(cx->backend->copy_out(cx, mark, d->role, (size_t)d->places));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, d->places, IG_WORK_VALUE))
  for (int64_t i = 0; i < d->places; i++)
    mark[i] = mark[i] != IG_ROLE_NONE;
  return IG_OK;
}

/* An agreement of all ranks where the body is divided; nothing otherwise. */
ig_status ig_topopt_meet(ig_ctx *cx, const ig_discretisation *d) {
  return ig_topopt_divided(d) ? ig_ranks_agree(cx, IG_OK) : IG_OK;
}
