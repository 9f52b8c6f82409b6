/* A sink that passes output to functions of the calling program (ig_run_options: snapshot, row,
   figure) and then on to the sink of files, if there is one. Used for every run, also for those
   without callbacks, so that rooms see one kind of sink. */
#include "run/callback_sink.h"

#include <stdlib.h>

/* Snapshots are copied from the device in the background; ig_snapshot_settle waits for that. The
   view points into the snapshot and is valid only during the call. */
ig_status ig_snapshot_hand(ig_ctx *cx, ig_snapshot *snap, ig_snapshot_fn *to, void *user) {
  ig_snapshot_field *field;
  const ig_status settled = ig_snapshot_settle(snap);
  if (settled != IG_OK)
    return IG_FAIL(cx, settled, "a snapshot could not be copied");
  IG_TRY(ig_snapshot_fill(snap));
  IG_TRY(IG_NEW(cx, &field, snap->fields + 1, "a snapshot"));
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    field[i] = (ig_snapshot_field){f->name, f->unit, f->where, f->dtype, f->components, f->data};
  }
  const ig_snapshot_view view = {.time = snap->time,
                                 .step = snap->step,
                                 .points = snap->points,
                                 .cells = snap->cells,
                                 .point = snap->point,
                                 .corner = snap->corner,
                                 .offset = snap->offset,
                                 .type = snap->type,
                                 .element = snap->element,
                                 .fields = snap->fields,
                                 .field = field};
  to(user, &view);
  free(field);
  return IG_OK;
}

/* Ownership: a sink's `snapshot` always takes the snapshot. It goes to the inner sink, or is freed
   here, also after a failure. */
static ig_status tee_snapshot(ig_sink *sink, ig_snapshot *snap) {
  ig_tee *t = sink->self;
  const ig_status status =
      t->snapshot ? ig_snapshot_hand(t->cx, snap, t->snapshot, t->user) : IG_OK;
  if (t->inner && status == IG_OK)
    return t->inner->snapshot(t->inner, snap);
  ig_snapshot_free(snap);
  return status;
}
/* Streamed version, on ranks: arrays are gathered while they are written. A callback needs whole
   arrays, so they are loaded into memory first; without a callback the stream goes through. */
static ig_status tee_snapshot_rows(ig_sink *sink, ig_snapshot *snap) {
  ig_tee *t = sink->self;
  if (!t->snapshot && t->inner)
    return ig_sink_snapshot(t->inner, snap);
  ig_status status = t->snapshot ? ig_snapshot_load(snap) : IG_OK;
  if (status == IG_OK)
    return tee_snapshot(sink, snap);
  ig_snapshot_free(snap);
  return status;
}
/* Each call goes to the program's callback, if there is one, and on to the inner sink, if there is
   one. */
static ig_status tee_history(ig_sink *sink, int columns, const char *const *names,
                             const double *values) {
  ig_tee *t = sink->self;
  if (t->row)
    t->row(t->user, columns, names, values);
  return t->inner ? t->inner->history(t->inner, columns, names, values) : IG_OK;
}
static ig_status tee_checkpoint(ig_sink *sink, double time, int64_t step, const ig_saved *saved,
                                int count) {
  ig_tee *t = sink->self;
  return t->inner ? t->inner->checkpoint(t->inner, time, step, saved, count) : IG_OK;
}
static ig_status tee_checkpoint_rows(ig_sink *sink, double time, int64_t step,
                                     const ig_saved *saved, int count, const ig_stream *rows) {
  ig_tee *t = sink->self;
  return t->inner ? ig_sink_checkpoint(t->cx, t->inner, time, step, saved, count, rows) : IG_OK;
}
static ig_status tee_result(ig_sink *sink, const char *key, const char *unit, double value) {
  ig_tee *t = sink->self;
  ig_accept_figure(&t->accept, key, unit, value);
  if (t->figure)
    t->figure(t->user, key, value, unit, NULL);
  return t->inner ? t->inner->result(t->inner, key, unit, value) : IG_OK;
}
static ig_status tee_result_text(ig_sink *sink, const char *key, const char *value) {
  ig_tee *t = sink->self;
  if (t->figure)
    t->figure(t->user, key, 0, "", value);
  return t->inner ? t->inner->result_text(t->inner, key, value) : IG_OK;
}
static ig_status tee_file(ig_sink *sink, const char *name, const void *bytes, size_t size) {
  ig_tee *t = sink->self;
  return t->inner ? t->inner->file(t->inner, name, bytes, size) : IG_OK;
}
static ig_status tee_flush(ig_sink *sink) {
  ig_tee *t = sink->self;
  return t->inner ? t->inner->flush(t->inner) : IG_OK;
}

/* `t` must not be moved afterwards: the sink points to it. */
void ig_tee_open(ig_ctx *cx, ig_tee *t, ig_sink *inner, const ig_run_options *o, bool kept) {
  *t = (ig_tee){.sink = {.self = t,
                         .snapshot = tee_snapshot,
                         .history = tee_history,
                         /* Without a checkpoint function the time loop makes no checkpoints at all.
                            `kept` is equal on all ranks, so that all take part in gathering one. */
                         .checkpoint = kept ? tee_checkpoint : NULL, /* nowhere to go */
                         .result = tee_result,
                         .result_text = tee_result_text,
                         .file = tee_file,
                         .no_files = !inner,
                         .flush = tee_flush,
                         .snapshot_rows = tee_snapshot_rows,
                         .checkpoint_rows = tee_checkpoint_rows},
                .cx = cx,
                .inner = inner,
                .figure = o->figure,
                .snapshot = o->snapshot,
                .row = o->row,
                .user = o->user};
}

bool ig_tee_wanted(const ig_sink *inner, const ig_run_options *o) {
  return inner || o->figure || o->snapshot || o->row;
}
