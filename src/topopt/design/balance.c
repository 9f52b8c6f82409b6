/* Sums of the loads of each load case and of the reactions to them.

   A rigid translation does no work on the stiffness matrix, so that the forces which supports and
   springs put on the body are, along each axis, minus the sum of (K u) over the free unknowns.
   Loads on unknowns that are held go straight into the support and are in neither sum. */
#include "topopt/design/large.h"
#include "topopt/design/load.h"
#include "topopt/output.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>

/* Unknowns of a model whose sums are made: two more states are needed for them. At 20 million
   unknowns the two extra states take 0.3 GB; the sums are a check for the reader, not worth more
   memory than that. */
static const int64_t MOST = 20000000;

typedef struct {
  ig_array unit, force; /* 1 along an axis; K u */
  double *host;
} room;

static ig_status room_new(const ig_topopt_design *s, room *w) {
  const size_t n = (size_t)s->d->unknowns;
  IG_TRY(IG_NEW(s->cx, &w->host, n, "sums of loads"));
  IG_TRY(ig_array_new_device(s->cx, &w->unit, n, sizeof(double), "sums of loads"));
  IG_TRY(ig_array_new_device(s->cx, &w->force, n, sizeof(double), "sums of loads"));
  return ig_array_zero(s->cx, &w->force); /* what is beside a grid is not written */
}

/* A rigid translation along one axis (heat: a unit temperature). */
static ig_status unit_fill(const ig_topopt_design *s, int axis, room *w) {
  const ig_node_layout *l = &s->d->layout;
  const int64_t n = s->d->unknowns;
  for (int64_t i = 0; i < n; i++)
    w->host[i] = 0;
  for (int64_t i = 0; i < l->nodes; i++)
    w->host[i * l->step + axis * l->stride] = 1;
  return s->cx->backend->copy_in(s->cx, w->unit.dev, w->host, (size_t)n * sizeof *w->host);
}

/* Of load case q along the axis of w->unit, in newtons or watts. */
static ig_status sum(const ig_topopt_design *s, int q, room *w, double *load, double *reaction) {
  const ig_loading *l = s->loading;
  const ig_discretisation *d = s->d;
  double pull = 0;
  IG_TRY(ig_topopt_dot_states(s->cx, d, w->unit.dev, ig_topopt_load_of(s, q), load));
  if (l->held.dev) /* the forces that nodes held away from zero need are no load */
    IG_TRY(ig_topopt_dot_states(s->cx, d, w->unit.dev, s->pull.dev, &pull));
  IG_TRY(s->large ? ig_topopt_large_forces(s, q, w->force.dev)
                  : d->apply(d->self, s->u[s->realisations - 1][q].dev, w->force.dev));
  IG_TRY(ig_topopt_dot_states(s->cx, d, w->unit.dev, w->force.dev, reaction));
  *load = l->norm[q] * *load + pull;
  *reaction *= -l->norm[q];
  return IG_OK;
}

/* Keys of the summary: load_sum_x and reaction_sum_x, heat_in and heat_out, with the number of
   the load case before them where there are several. */
static ig_status put(ig_sink *sink, const ig_topopt_design *s, int q, int axis, double load,
                     double reaction) {
  const bool heat = s->c->problem == IG_PROBLEM_HEAT;
  char of[32] = "", along[8] = "", key[80];
  if (s->loading->cases > 1)
    snprintf(of, sizeof of, "load_case_%d_", q + 1);
  if (!heat)
    snprintf(along, sizeof along, "_%c", 'x' + axis);
  snprintf(key, sizeof key, "%s%s%s", of, heat ? "heat_in" : "load_sum", along);
  IG_TRY(sink->result(sink, key, heat ? "W" : "N", load));
  snprintf(key, sizeof key, "%s%s%s", of, heat ? "heat_out" : "reaction_sum", along);
  return sink->result(sink, key, heat ? "W" : "N", heat ? -reaction : reaction);
}

/* States of the last analysis are in place. Equal and opposite sums tell the user that supports
   take what loads give. */
ig_status ig_topopt_sums_put(const ig_topopt_run *r, ig_sink *sink) {
  const ig_topopt_design *s = r->s;
  room w = {0};
  if (s->loading->cases == 0 || s->d->dofs > MOST)
    return IG_OK;
  ig_status status = room_new(s, &w);
  if (ig_topopt_divided(s->d))
    status = ig_ranks_agree(s->cx, status);
  for (int axis = 0; status == IG_OK && axis < s->d->layout.size; axis++) {
    status = unit_fill(s, axis, &w);
    for (int q = 0; status == IG_OK && q < s->loading->cases; q++) {
      double load, reaction;
      status = sum(s, q, &w, &load, &reaction);
      if (status == IG_OK)
        status = put(sink, s, q, axis, load, reaction);
    }
  }
  free(w.host);
  ig_array_free(s->cx, &w.unit);
  ig_array_free(s->cx, &w.force);
  return status;
}
