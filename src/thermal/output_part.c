/* Snapshots of a mesh that no rank has as a whole: rows of own nodes and
   elements go to rank 0 in pieces, in the order of the mesh, and are written as they come. */
#include "ranks/cells.h"
#include "thermal/heat_part.h"
#include "thermal/thermal.h"

#include <stdlib.h>

/* A snapshot on its way. */
typedef struct {
  ig_thermal_run *run;
  ig_sink *to;
  ig_part_cells cells;
  ig_thermal_shown list[IG_THERMAL_SHOWN];
  int count;      /* of them */
  bool T;         /* is a field, the first */
  uint8_t *alive; /* elements of the part */
  float *value;   /* the same, of the field in hand */
} shown;

/* A field of elements: its values in the part, then to rank 0. */
static ig_status field_bring(shown *s, int what, ig_stream_take *take, void *user) {
  ig_ctx *cx = s->run->job->cx;
  ig_heat *h = &s->run->heat;
  ig_status status = IG_OK;
  if (h->elements) {
    if (what == IG_SHOWN_POWDER)
      status = ig_array_pull(cx, &h->material.solid);
    else if (what != IG_SHOWN_BIRTH)
      status = ig_array_pull(cx, &h->past.track);
    if (status == IG_OK)
      ig_thermal_elements_fill(h, what, s->value);
  }
  return ig_cells_values(&s->cells, s->value, 1, take, user, status);
}

static ig_status shown_bring(void *self, int array, ig_stream_take *take, void *user) {
  shown *s = self;
  ig_ctx *cx = s->run->job->cx;
  const int field = array - IG_STREAM_FIELDS - (s->T ? 1 : 0);
  if (array < IG_STREAM_FIELDS)
    return ig_cells_bring(&s->cells, array, take, user);
  if (field < 0)
    return ig_arrays_pass(&s->run->heat.state, ig_arrays_find(&s->run->heat.state, "T"), take,
                          user);
  return field < s->count ? field_bring(s, s->list[field].what, take, user)
                          : IG_FAIL(cx, IG_ARG, "a snapshot has no array %d", array);
}

/* Which elements of the part are there; all ranks count. */
static ig_status shown_count(shown *s) {
  ig_ctx *cx = s->run->job->cx;
  const ig_heat *h = &s->run->heat;
  const size_t elements = (size_t)ig_mesh_elements(h->mesh) + 1;
  ig_status status = IG_NEW(cx, &s->alive, elements, "snapshot");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->value, elements, "snapshot");
  for (ig_lid e = 0; e < h->now.elements && status == IG_OK; e++)
    s->alive[h->birth.order[e]] = 1;
  s->cells.alive = s->alive;
  return ig_cells_count(&s->cells, status);
}

static ig_status shown_tell(void *user, const ig_stream *stream) {
  shown *s = user;
  ig_thermal_run *run = s->run;
  const ig_heat *h = &run->heat;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_rows(run->job->cx, stream, (ig_lid)h->part.nodes.whole_count,
                             s->cells.count, s->cells.corners, h->part.elements.whole_count,
                             &snap));
  snap->time = (double)run->done * run->dt;
  snap->step = run->done;
  ig_status status = IG_OK;
  if (s->T)
    status = ig_snapshot_declare(snap, "T", "K", IG_AT_POINTS,
                                 h->precision == IG_SINGLE ? IG_F32 : IG_F64, 1);
  for (int i = 0; i < s->count && status == IG_OK; i++)
    status = ig_snapshot_declare(snap, s->list[i].name, s->list[i].unit, IG_AT_CELLS, IG_F32, 1);
  if (status == IG_OK)
    return ig_sink_snapshot(s->to, snap);
  ig_snapshot_free(snap);
  return status;
}

ig_status ig_thermal_part_snapshot(ig_thermal_run *run, ig_sink *to) {
  const ig_heat_part *p = &run->heat.part;
  shown s = {.run = run, .to = to, .T = ig_output_wants(run->job->output, "T")};
  ig_served served = {run->job->cx, &s, shown_bring};
  s.cells = (ig_part_cells){
      .cx = run->job->cx, .part = &p->of, .nodes = &p->nodes, .elements = &p->elements};
  s.count = ig_thermal_fields_list(run, s.list);
  ig_status status = shown_count(&s);
  if (status == IG_OK)
    status = ig_serve(&served, shown_tell, &s);
  free(s.alive);
  free(s.value);
  ig_cells_free(&s.cells);
  return status;
}
