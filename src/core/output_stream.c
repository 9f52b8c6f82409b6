/* Snapshots and checkpoints whose arrays come in pieces. A model that is divided between ranks
   can be larger than the memory of any one of them; its arrays reach rank 0 piece by piece, in
   the order of the whole, and go into the file without ever being complete in memory (ig_stream
   in output.h).

   A sink that takes no pieces is served by loading everything first: ig_snapshot_load and
   ig_sink_checkpoint make ordinary arrays of the stream. */
#include "core/output.h"

#include <stdlib.h>
#include <string.h>

int ig_vtk_corners(uint8_t type) {
  static const struct {
    uint8_t vtk;
    int nodes;
  } known[] = {
#define X(name, text, dim, nodes, faces, face_nodes, vtk) {vtk, nodes},
      IG_ELEM_LIST(X)
#undef X
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (known[k].vtk == type)
      return known[k].nodes;
  return 0;
}

ig_status ig_snapshot_of_rows(ig_ctx *cx, const ig_stream *rows, int64_t points, int64_t cells,
                              int64_t corners, int64_t elements, ig_snapshot **snap) {
  IG_TRY(IG_NEW(cx, snap, 1, "snapshot"));
  **snap = (ig_snapshot){.cx = cx,
                         .points = points,
                         .cells = cells,
                         .corners = corners,
                         .elements = elements,
                         .rows = rows};
  return IG_OK;
}

/* Rows one behind the other, as many as there is room for. */
typedef struct {
  ig_ctx *cx;
  char *to;
  size_t row;
  int64_t left;
} filling;

static ig_status rows_keep(void *user, const void *rows, int64_t count) {
  filling *f = user;
  if (count > f->left)
    return IG_FAIL(f->cx, IG_NUMERIC, "an array has more rows than it should");
  if (count > 0)
    memcpy(f->to, rows, f->row * (size_t)count);
  f->to += f->row * (size_t)count;
  f->left -= count;
  return IG_OK;
}

/* Fails unless the stream brings exactly `count` rows: a short array would leave zeros
   unnoticed. */
static ig_status array_load(ig_ctx *cx, const ig_stream *rows, int array, void *to, size_t row,
                            int64_t count) {
  filling f = {cx, to, row, count};
  IG_TRY(rows->pass(rows->self, array, rows_keep, &f));
  return f.left ? IG_FAIL(cx, IG_NUMERIC, "an array has fewer rows than it should") : IG_OK;
}

/* Offsets are not part of the stream: they follow from the types of the cells. */
static ig_status grid_load(const ig_stream *rows, ig_snapshot *to) {
  ig_ctx *cx = to->cx;
  IG_TRY(array_load(cx, rows, IG_STREAM_POINTS, to->point, 3 * sizeof(double), to->points));
  IG_TRY(array_load(cx, rows, IG_STREAM_CORNERS, to->corner, sizeof(int64_t), to->corners));
  IG_TRY(array_load(cx, rows, IG_STREAM_TYPES, to->type, 1, to->cells));
  to->offset[0] = 0;
  for (int64_t c = 0; c < to->cells; c++)
    to->offset[c + 1] = to->offset[c] + ig_vtk_corners(to->type[c]);
  if (to->cells == to->elements)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &to->element, to->cells, "elements alive"));
  return array_load(cx, rows, IG_STREAM_ELEMENTS, to->element, sizeof(ig_lid), to->cells);
}

/* Builds a second snapshot and exchanges the contents of the two structs, so that the caller's
   pointer stays valid and a failure leaves its snapshot as it was. */
ig_status ig_snapshot_load(ig_snapshot *snap) {
  const ig_stream *rows = snap->rows;
  ig_snapshot *full, swap;
  if (!rows)
    return ig_snapshot_fill(snap);
  IG_TRY(snap->regular ? ig_snapshot_of_image(snap->cx, &snap->image, snap->time, snap->step, &full)
                       : ig_snapshot_new(snap->cx, snap->points, snap->cells, snap->corners,
                                         snap->time, snap->step, &full));
  full->iterations = snap->iterations;
  memcpy(full->state, snap->state, sizeof full->state);
  full->elements = snap->elements;
  ig_status status = snap->regular ? ig_snapshot_fill(full) : grid_load(rows, full);
  for (int i = 0; i < snap->fields && status == IG_OK; i++) {
    const ig_field *f = &snap->field[i];
    void *data;
    status =
        ig_snapshot_add(full, f->name, f->unit, f->where, f->dtype, f->components, NULL, &data);
    if (status == IG_OK)
      status = array_load(snap->cx, rows, IG_STREAM_FIELDS + i, data,
                          ig_dtype_size(f->dtype) * (size_t)f->components,
                          f->where == IG_AT_POINTS ? snap->points : snap->cells);
  }
  if (status == IG_OK) { /* the caller's becomes the full one */
    swap = *snap;
    *snap = *full;
    *full = swap;
  }
  ig_snapshot_free(full);
  return status;
}

ig_status ig_sink_snapshot(ig_sink *sink, ig_snapshot *snap) {
  if (snap->rows && sink->snapshot_rows)
    return sink->snapshot_rows(sink, snap);
  const ig_status status = ig_snapshot_load(snap);
  if (status == IG_OK)
    return sink->snapshot(sink, snap);
  ig_snapshot_free(snap);
  return status;
}

ig_status ig_sink_checkpoint(ig_ctx *cx, ig_sink *sink, double time, int64_t step,
                             const ig_saved *saved, int count, const ig_stream *rows) {
  if (sink->checkpoint_rows)
    return sink->checkpoint_rows(sink, time, step, saved, count, rows);
  ig_saved *all;
  IG_TRY(IG_NEW(cx, &all, count + 1, "checkpoint"));
  ig_status status = IG_OK;
  for (int i = 0; i < count && status == IG_OK; i++) {
    all[i] = saved[i];
    if (saved[i].data || saved[i].count == 0)
      continue;
    const size_t size = ig_dtype_size(saved[i].dtype);
    status = ig_alloc(cx, &all[i].data, (size_t)saved[i].count, size, saved[i].name);
    if (status == IG_OK)
      status = array_load(cx, rows, i, all[i].data, size, saved[i].count);
  }
  if (status == IG_OK)
    status = sink->checkpoint(sink, time, step, all, count);
  for (int i = 0; i < count; i++)
    if (!saved[i].data)
      free(all[i].data);
  free(all);
  return status;
}
