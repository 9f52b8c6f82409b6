/* Snapshots: temperatures of nodes, fields of elements (model/show.h hands them over). */
#include "model/show.h"
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

/* --- a snapshot */

static void field_fill(const void *room, const ig_shown_field *f, void *values) {
  elements_fill(room, f->what, values);
}

/* Elements that are not born yet are left out. The caller frees *alive. */
static ig_status alive_find(ig_ctx *cx, const ig_heat *h, uint8_t **alive) {
  if (h->part.of.ranks <= 1 && h->now.elements == h->elements)
    return IG_OK;
  IG_TRY(IG_NEW(cx, alive, (size_t)ig_mesh_elements(h->mesh) + 1, "snapshot"));
  for (ig_lid e = 0; e < h->now.elements; e++)
    (*alive)[h->birth.order[e]] = 1;
  return IG_OK;
}

ig_status ig_thermal_snapshot(void *self, ig_sink *to) {
  ig_thermal_run *run = self;
  ig_heat *h = &run->heat;
  ig_ctx *cx = run->job->cx;
  field list[FIELDS];
  ig_shown_field shown[FIELDS + 1];
  uint8_t *alive = NULL;
  int count = 0;
  const int fields = fields_list(run, list);
  if (wanted(run, "T"))
    shown[count++] = (ig_shown_field){.name = "T",
                                      .unit = "K",
                                      .where = IG_AT_POINTS,
                                      .dtype = h->precision == IG_SINGLE ? IG_F32 : IG_F64,
                                      .components = 1,
                                      .dev = h->node.T.dev};
  for (int i = 0; i < fields; i++)
    shown[count++] = (ig_shown_field){.name = list[i].name,
                                      .unit = list[i].unit,
                                      .where = IG_AT_ELEMENTS,
                                      .dtype = IG_F32,
                                      .components = 1,
                                      .what = list[i].what};
  ig_status status = alive_find(cx, h, &alive);
  if (status == IG_OK)
    status = fields_pull(cx, h, list, fields);
  const ig_shown s = {.cx = cx,
                      .mesh = h->mesh,
                      .part = &h->part.of,
                      .nodes = &h->part.nodes,
                      .elements = &h->part.elements,
                      .alive = alive,
                      .time = (double)run->done * run->dt,
                      .step = run->done,
                      .field = shown,
                      .count = count,
                      .fill = field_fill,
                      .room = h};
  status = ig_shown_write(&s, to, status);
  free(alive);
  return status;
}
