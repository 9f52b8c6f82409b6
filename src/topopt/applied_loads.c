/* Loads and supports of the model as its arrays have them, in loads.csv.

   Forces are the load vectors of the load cases, without the weight of the design and without what
   prescribed displacements do; supports are the components that the solver holds. Rows of nodes
   come in the order of snapshots, whole on one rank, in pieces to rank 0 from several. */
#include "topopt/output.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "model/loads.h"
#include "ranks/ranks.h"

#include <stdlib.h>

/* Nodes of one array that are not zero. */
typedef struct {
  int64_t node;
  float value[3];
} found;
typedef struct {
  ig_ctx *cx;
  int size;     /* values of a row */
  int64_t node; /* the next row's */
  int64_t count, capacity;
  found *list;
  const found *next; /* whose place is still missing */
  int number;        /* load case; 0: supports */
  ig_loads *to;
} finding;

/* Keeps rows with a value. */
static ig_status rows_take(void *user, const void *rows, int64_t count) {
  finding *f = user;
  const float *v = rows;
  for (int64_t i = 0; i < count; i++, v += f->size, f->node++) {
    found one = {.node = f->node};
    bool any = false;
    for (int c = 0; c < f->size && c < 3; c++) {
      one.value[c] = v[c];
      any |= v[c] != 0;
    }
    if (!any)
      continue;
    if (f->count == f->capacity) {
      const int64_t more = f->capacity ? 2 * f->capacity : 256;
      found *list = realloc(f->list, (size_t)more * sizeof *list);
      if (!list)
        return IG_FAIL(f->cx, IG_MEMORY, "no memory for the table of loads");
      f->list = list;
      f->capacity = more;
    }
    f->list[f->count++] = one;
  }
  return IG_OK;
}

/* Places of the nodes that were kept; both come in rising order. */
static ig_status places_take(void *user, const void *rows, int64_t count) {
  finding *f = user;
  const double *x = rows;
  for (; f->next < f->list + f->count && f->next->node < f->node + count; f->next++) {
    const double *at = x + 3 * (f->next->node - f->node);
    const double load[3] = {(double)f->next->value[0], (double)f->next->value[1],
                            (double)f->next->value[2]};
    unsigned held = 0;
    for (int c = 0; c < 3; c++)
      held |= load[c] != 0 ? 1U << c : 0;
    if (f->number > 0)
      ig_loads_add(f->to, at, f->number, load);
    else
      ig_loads_hold(f->to, at, held);
  }
  f->node += count;
  return IG_OK;
}

/* An array of states, scaled, row by row of the nodes; `points`: their places, NULL where the model
   makes them in pieces. */
static ig_status array_pass(const ig_topopt_run *r, const double *values, double scale,
                            const double *points, finding *f) {
  const ig_discretisation *d = r->d;
  ig_ctx *cx = r->s->cx;
  double *buffer = NULL;
  float *packed = NULL;
  ig_status status;
  f->node = f->count = 0;
  if (ig_topopt_divided(d)) {
    const bool first = ig_ranks_first(cx);
    IG_TRY(d->show(d->self, true, scale, values, first ? rows_take : NULL, f));
    f->node = 0;
    f->next = f->list;
    return d->outline(d->self, IG_STREAM_POINTS, first ? places_take : NULL, f);
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &buffer, d->all_unknowns, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &packed, d->nodes * f->size, "loads"));
  IG_TRY_GOTO(status, done, ig_topopt_fetch(cx, d, true, 1, values, false, buffer));
  IG_TRY_GOTO(status, done, cx->backend->sync(cx));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, d->all_unknowns, IG_WORK_VALUE))
  for (int64_t i = 0; i < d->all_unknowns; i++)
    buffer[i] *= scale;
  d->pack(d->self, true, f->size, buffer, packed);
  IG_TRY_GOTO(status, done, rows_take(f, packed, d->nodes));
  f->node = 0;
  f->next = f->list;
  status = points ? places_take(f, points, d->nodes)
                  : d->outline(d->self, IG_STREAM_POINTS, places_take, f);
done:
  free(buffer);
  free(packed);
  return status;
}

/* A state that is 1 where a component is held. */
static ig_status held_make(const ig_topopt_design *s, ig_array *held) {
  const ig_discretisation *d = s->d;
  const ig_node_layout *l = &d->layout;
  uint8_t *fix = NULL;
  double *host = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &fix, l->nodes + 1, "supports"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &host, d->unknowns, "supports"));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(s->cx, held, (size_t)d->unknowns, sizeof(double), "supports"));
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, fix, d->fix, (size_t)l->nodes));
  IG_TRY_GOTO(status, done, s->cx->backend->sync(s->cx));
  for (int64_t i = 0; i < l->nodes; i++)
    for (int c = 0; c < l->size; c++)
      host[i * l->step + c * l->stride] = fix[i] >> c & 1;
  IG_TRY_GOTO(status, done,
              s->cx->backend->copy_in(s->cx, held->dev, host, (size_t)d->unknowns * sizeof *host));
  status = s->cx->backend->sync(s->cx);
done:
  free(fix);
  free(host);
  return status;
}

/* Once, with the first snapshot that goes to files or at the end. Collective where the body is
   divided: sinks of all ranks take files, or none does. */
ig_status ig_topopt_loads_put(ig_topopt_run *r, ig_sink *to) {
  const ig_topopt_design *s = r->s;
  const ig_discretisation *d = r->d;
  const bool heat = s->c->problem == IG_PROBLEM_HEAT, divided = ig_topopt_divided(d);
  ig_loads loads = {.cx = s->cx, .heat = heat};
  finding f = {.cx = s->cx, .size = divided ? d->layout.size : heat ? 1 : 3, .to = &loads};
  ig_snapshot *snap = NULL;
  ig_array held = {0};
  if (r->loads_put || !to || !to->file)
    return IG_OK;
  r->loads_put = true;
  ig_status status = held_make(s, &held);
  if (status == IG_OK && !divided && !d->regular)
    status = d->snapshot(d->self, 0, &snap);
  if (divided)
    status = ig_ranks_agree(s->cx, status);
  for (int q = 0; q < s->loading->cases && status == IG_OK; q++) {
    f.number = q + 1;
    status =
        array_pass(r, s->loading->f[q].dev, s->loading->norm[q], snap ? snap->point : NULL, &f);
  }
  f.number = 0;
  if (status == IG_OK)
    status = array_pass(r, held.dev, 1, snap ? snap->point : NULL, &f);
  if (status == IG_OK && ig_ranks_first(s->cx))
    status = ig_loads_put(&loads, to);
  free(loads.text.at);
  free(f.list);
  ig_snapshot_free(snap);
  ig_array_free(s->cx, &held);
  return divided ? ig_ranks_agree(s->cx, status) : status;
}
