/* Snapshots of a model: show.h. */
#include "model/show.h"
#include "core/backend.h"
#include "ranks/cells.h"

#include <stdlib.h>
#include <string.h>

/* --- on one rank */

static ig_status fields_add(const ig_shown *s, ig_snapshot *snap) {
  for (const ig_shown_field *f = s->field; f < s->field + s->count; f++) {
    void *data;
    if (f->dev) {
      IG_TRY(ig_snapshot_add_device(snap, f->name, f->unit, f->where, f->dtype, f->components,
                                    f->dev));
      continue;
    }
    IG_TRY(
        ig_snapshot_add(snap, f->name, f->unit, f->where, f->dtype, f->components, f->host, &data));
    if (!f->host)
      s->fill(s->room, f, data);
  }
  return IG_OK;
}

static ig_status whole_write(const ig_shown *s, ig_sink *to) {
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_mesh(s->cx, s->mesh, s->alive, s->time, s->step, &snap));
  memcpy(snap->state, s->state, sizeof snap->state);
  const ig_status status = fields_add(s, snap);
  if (status == IG_OK)
    return to->snapshot(to, snap);
  ig_snapshot_free(snap);
  return status;
}

/* --- on several */

typedef struct {
  const ig_shown *s;
  ig_sink *to;
  ig_partition_cells cells;
  /* of the field in hand: values, bytes of a node's, and who takes its rows */
  const void *values;
  size_t row;
  ig_stream_take *take;
  void *user;
} passing;

static void point_row(void *user, int64_t n, void *row) {
  const passing *p = user;
  memcpy(row, (const char *)p->values + (size_t)n * p->row, p->row);
}
static ig_status points_put(void *user, const void *rows, int64_t first, int64_t count) {
  const passing *p = user;
  (void)first;
  return p->take(p->user, rows, count);
}

/* The field's values as the host sees them; *own is to be freed. */
static ig_status values_find(const ig_shown *s, const ig_shown_field *f, void **own,
                             const void **values) {
  const int64_t items =
      f->where == IG_AT_POINTS ? s->mesh->nodes : (int64_t)ig_mesh_elements(s->mesh);
  const size_t row = (size_t)f->components * ig_dtype_size(f->dtype), bytes = (size_t)items * row;
  *own = NULL;
  *values = f->host ? f->host : f->dev;
  if (f->host || (f->dev && !s->cx->backend->separate))
    return IG_OK;
  IG_TRY(ig_alloc(s->cx, own, (size_t)items + 1, row, "snapshot"));
  *values = *own;
  if (f->dev)
    return bytes ? s->cx->backend->copy_out(s->cx, *own, f->dev, bytes) : IG_OK;
  s->fill(s->room, f, *own);
  return IG_OK;
}

/* Called on every rank for each array that rank 0 asks for: those of cells, then the fields. */
static ig_status array_bring(void *self, int array, ig_stream_take *take, void *user) {
  passing *p = self;
  const ig_shown *s = p->s;
  const int i = array - IG_STREAM_FIELDS;
  void *own;
  if (i < 0)
    return ig_cells_bring(&p->cells, array, take, user);
  if (i >= s->count)
    return IG_FAIL(s->cx, IG_ARG, "a snapshot has no array %d", array);
  const ig_shown_field *f = &s->field[i];
  ig_status status = values_find(s, f, &own, &p->values);
  if (f->where == IG_AT_POINTS) {
    p->row = (size_t)f->components * ig_dtype_size(f->dtype);
    p->take = take;
    p->user = user;
    status = ig_collect_rows(s->cx, s->nodes, p->row, point_row, points_put, p, status);
  } else {
    status = ig_cells_values(&p->cells, p->values, f->components, take, user, status);
  }
  free(own);
  return status;
}

/* On rank 0. */
static ig_status rows_write(void *user, const ig_stream *stream) {
  const passing *p = user;
  const ig_shown *s = p->s;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_rows(s->cx, stream, s->nodes->whole_count, p->cells.count, p->cells.corners,
                             s->elements->whole_count, &snap));
  snap->time = s->time;
  snap->step = s->step;
  memcpy(snap->state, s->state, sizeof snap->state);
  ig_status status = IG_OK;
  for (const ig_shown_field *f = s->field; f < s->field + s->count && status == IG_OK; f++)
    status = ig_snapshot_declare(snap, f->name, f->unit,
                                 f->where == IG_AT_POINTS ? IG_AT_POINTS : IG_AT_CELLS, f->dtype,
                                 f->components);
  if (status == IG_OK)
    return ig_sink_snapshot(p->to, snap);
  ig_snapshot_free(snap);
  return status;
}

ig_status ig_shown_write(const ig_shown *s, ig_sink *to, ig_status status) {
  if (s->part->ranks <= 1)
    return status == IG_OK ? whole_write(s, to) : status;
  passing p = {.s = s,
               .to = to,
               .cells = {.cx = s->cx,
                         .part = s->part,
                         .nodes = s->nodes,
                         .elements = s->elements,
                         .alive = s->alive}};
  ig_served served = {s->cx, &p, array_bring};
  status = ig_cells_count(&p.cells, status);
  if (status == IG_OK)
    status = ig_serve(&served, rows_write, &p);
  ig_cells_free(&p.cells);
  return status;
}
