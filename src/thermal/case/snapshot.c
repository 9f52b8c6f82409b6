/* Snapshots: temperatures of nodes, fields of elements. On one rank they are copied from the arrays
   while steps go on; on several, rows of own nodes and elements go to rank 0 in pieces, in the
   order of the mesh, and are written as they come. */
#include "ranks/cells.h"
#include "thermal/engine/heat_arrays.h"
#include "thermal/thermal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- fields of elements */

/* What is kept of their past, when they were born, which are powder: a column of the past, or one
   of these. */
enum { BIRTH = IG_TRACK_FIELDS, POWDER, FIELDS };
typedef struct {
  const char *name, *unit;
  int what;
} field;

/* Indexed by column of the past. The first column (the last temperature) is internal and has no
   name. */
static const field past_field[IG_TRACK_FIELDS] = {{NULL, NULL, IG_TRACK_LAST},
                                                  {"T_peak", "K", IG_TRACK_PEAK},
                                                  {"time_above_liquidus", "s", IG_TRACK_ABOVE},
                                                  {"melts", "", IG_TRACK_MELTS},
                                                  {"cooling_rate", "K/s", IG_TRACK_COOLING},
                                                  {"G", "K/m", IG_TRACK_GRADIENT},
                                                  {"R", "m/s", IG_TRACK_SPEED}};

static bool wanted(const ig_thermal_run *run, const char *name) {
  return ig_output_wants(run->job->output, name);
}

static int fields_list(const ig_thermal_run *run, field *list) {
  const ig_heat *h = &run->heat;
  int count = 0;
  for (int c = IG_TRACK_PEAK; c < IG_TRACK_FIELDS && h->past.every; c++)
    if (wanted(run, past_field[c].name))
      list[count++] = past_field[c];
  if (run->c->birth.at.given && wanted(run, "birth"))
    list[count++] = (field){"birth", "s", BIRTH};
  if (h->material.powder && wanted(run, "powder"))
    list[count++] = (field){"powder", "", POWDER};
  return count;
}

/* A field that a case names and this run does not have is refused: who reads the snapshots would
   look for it in vain. */
ig_status ig_thermal_fields_check(const ig_thermal_run *run) {
  const ig_output_case *o = run->job->output;
  field list[FIELDS];
  const int count = fields_list(run, list);
  for (int i = 0; o && i < o->fields.count; i++) {
    const char *name = o->fields.value[i];
    bool there = strcmp(name, "T") == 0;
    for (int k = 0; k < count; k++)
      there |= strcmp(name, list[k].name) == 0;
    if (there)
      continue;
    return ig_fail_at(run->job->cx, &o->at, "this run has no field '%s': %s", name,
                      strcmp(name, "birth") == 0    ? "nothing is born (`birth`)"
                      : strcmp(name, "powder") == 0 ? "no material has a `powder_conductivity`"
                                                    : "it needs a material with solidus and "
                                                      "liquidus, and `track_every` of at least 1");
  }
  return IG_OK;
}

/* Arrays that fields are made of, to the host. */
static ig_status fields_pull(ig_ctx *cx, ig_heat *h, const field *list, int count) {
  bool past = false, powder = false;
  for (int i = 0; i < count && h->elements; i++) {
    past |= list[i].what < IG_TRACK_FIELDS;
    powder |= list[i].what == POWDER;
  }
  if (past)
    IG_TRY(ig_array_pull(cx, &h->past.track));
  return powder ? ig_array_pull(cx, &h->material.solid) : IG_OK;
}

/* Of cell e, in birth order. */
static float cell_value(const ig_heat *h, int what, ig_lid e) {
  if (what == BIRTH)
    return (float)fmax(h->birth.of[h->birth.order[e]], 0);
  if (what == POWDER)
    return ((const uint8_t *)h->material.solid.host)[e] ? 0 : 1;
  return ((const float *)h->past.track.host)[(int64_t)what * h->elements + e];
}

/* Values of the elements of the part's mesh; 0: not there. An element of several cells (a tet10, a
   pyramid) shows the largest of their values. */
static void elements_fill(const ig_heat *h, int what, float *value) {
  const ig_lid elements = ig_mesh_elements(h->mesh);
  const bool whole = elements == h->elements; /* else: the largest of an element's cells */
  memset(value, 0, (size_t)elements * sizeof *value);
  for (ig_lid e = 0; e < h->now.elements; e++) {
    float *to = &value[h->birth.order[e]], from = cell_value(h, what, e);
    *to = whole || from > *to ? from : *to;
  }
}

/* --- a snapshot on its way */

typedef struct {
  ig_thermal_run *run;
  ig_sink *to;
  field list[FIELDS];
  int count;      /* of them */
  bool T;         /* is a field, the first */
  uint8_t *alive; /* elements of the part that are there */
  /* on several ranks */
  ig_partition_cells cells;
  float *value; /* elements of the part, of the field in hand */
} shown;

static ig_dtype T_type(const ig_heat *h) {
  return h->precision == IG_SINGLE ? IG_F32 : IG_F64;
}

/* What there is to show of the part. */
static ig_status part_look(shown *s) {
  ig_heat *h = &s->run->heat;
  ig_ctx *cx = s->run->job->cx;
  IG_TRY(IG_NEW(cx, &s->alive, (size_t)ig_mesh_elements(h->mesh) + 1, "snapshot"));
  for (ig_lid e = 0; e < h->now.elements; e++)
    s->alive[h->birth.order[e]] = 1;
  return fields_pull(cx, h, s->list, s->count);
}

/* --- one rank: fields are filled where they are written from */

static ig_status fields_add(shown *s, ig_snapshot *snap) {
  const ig_heat *h = &s->run->heat;
  if (s->T)
    IG_TRY(ig_snapshot_add_device(snap, "T", "K", IG_AT_POINTS, T_type(h), 1, h->node.T.dev));
  for (int i = 0; i < s->count; i++) {
    void *data;
    IG_TRY(ig_snapshot_add(snap, s->list[i].name, s->list[i].unit, IG_AT_ELEMENTS, IG_F32, 1, NULL,
                           &data));
    elements_fill(h, s->list[i].what, data);
  }
  return IG_OK;
}

/* On one rank the snapshot refers to T on the device: the sink copies it when it writes, while
   steps go on. Elements that are not born yet are left out of the file. */
static ig_status whole_show(shown *s) {
  const ig_thermal_run *run = s->run;
  const ig_heat *h = &run->heat;
  ig_snapshot *snap;
  IG_TRY(part_look(s));
  IG_TRY(ig_snapshot_of_mesh(run->job->cx, h->mesh, h->now.elements < h->elements ? s->alive : NULL,
                             (double)run->done * run->dt, run->done, &snap));
  const ig_status status = fields_add(s, snap);
  if (status == IG_OK)
    return s->to->snapshot(s->to, snap);
  ig_snapshot_free(snap);
  return status;
}

/* --- several ranks: rank 0 asks for one array after the other */

/* Called on every rank for each array that rank 0 asks for, in the same order: cells first, then T,
   then fields of elements. */
static ig_status shown_bring(void *self, int array, ig_stream_take *take, void *user) {
  shown *s = self;
  ig_heat *h = &s->run->heat;
  const int at = array - IG_STREAM_FIELDS - (s->T ? 1 : 0);
  if (array < IG_STREAM_FIELDS)
    return ig_cells_bring(&s->cells, array, take, user);
  if (at < 0)
    return ig_arrays_pass(ig_heat_arrays(h), ig_arrays_find(ig_heat_arrays(h), "T"), take, user);
  if (at >= s->count)
    return IG_FAIL(s->run->job->cx, IG_ARG, "a snapshot has no array %d", array);
  elements_fill(h, s->list[at].what, s->value);
  return ig_cells_values(&s->cells, s->value, 1, take, user, IG_OK);
}

static ig_status shown_write(void *user, const ig_stream *stream) {
  shown *s = user;
  const ig_thermal_run *run = s->run;
  const ig_heat_part *p = &run->heat.part;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_rows(run->job->cx, stream, p->nodes.whole_count, s->cells.count,
                             s->cells.corners, p->elements.whole_count, &snap));
  snap->time = (double)run->done * run->dt;
  snap->step = run->done;
  ig_status status = IG_OK;
  if (s->T)
    status = ig_snapshot_declare(snap, "T", "K", IG_AT_POINTS, T_type(&run->heat), 1);
  for (int i = 0; i < s->count && status == IG_OK; i++)
    status = ig_snapshot_declare(snap, s->list[i].name, s->list[i].unit, IG_AT_CELLS, IG_F32, 1);
  if (status == IG_OK)
    return ig_sink_snapshot(s->to, snap);
  ig_snapshot_free(snap);
  return status;
}

/* `ig_serve` runs shown_write on rank 0; the other ranks answer its requests for arrays until it is
   done. */
static ig_status parts_show(shown *s) {
  ig_ctx *cx = s->run->job->cx;
  const ig_heat *h = &s->run->heat;
  const ig_heat_part *p = &h->part;
  ig_served served = {cx, s, shown_bring};
  s->cells =
      (ig_partition_cells){.cx = cx, .part = &p->of, .nodes = &p->nodes, .elements = &p->elements};
  ig_status status = part_look(s);
  if (status == IG_OK)
    status = IG_NEW(cx, &s->value, (size_t)ig_mesh_elements(h->mesh) + 1, "snapshot");
  s->cells.alive = s->alive;
  status = ig_cells_count(&s->cells, status);
  if (status == IG_OK)
    status = ig_serve(&served, shown_write, s);
  ig_cells_free(&s->cells);
  free(s->value);
  return status;
}

ig_status ig_thermal_snapshot(void *self, ig_sink *to) {
  ig_thermal_run *run = self;
  shown s = {.run = run, .to = to, .T = wanted(run, "T")};
  s.count = fields_list(run, s.list);
  const ig_status status = run->heat.part.of.ranks > 1 ? parts_show(&s) : whole_show(&s);
  free(s.alive);
  return status;
}
