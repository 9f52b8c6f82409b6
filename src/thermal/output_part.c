/* Snapshots, checkpoints and exaca.csv of a mesh that no rank has as a whole: rows of own nodes and
   elements go to rank 0 in pieces, in the order of the mesh, and are written as they come. */
#include "backend/backend.h"
#include "core/vtk_corner.h"
#include "thermal/heat_part.h"
#include "thermal/thermal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 10 }; /* of an element */

/* A snapshot on its way. */
typedef struct {
  ig_thermal_run *run;
  ig_sink *to;
  ig_thermal_shown list[IG_THERMAL_SHOWN];
  int count;              /* of them */
  bool T;                 /* is a field, the first */
  uint8_t *alive;         /* elements of the part */
  float *value;           /* the same, of the field in hand */
  int64_t cells, corners; /* of all ranks */
  /* rank 0: who takes the rows in hand, and a piece of them */
  ig_stream_take *take;
  void *user;
  void *packed;
  int64_t room; /* bytes */
} shown;

/* Rows of elements that are there, and what stands in them: see rows_pack. */
typedef struct {
  int32_t nodes; /* 0: not there */
  ig_lid node[MOST_NODES];
} corner_row;
typedef struct {
  float value;
  int32_t there;
} value_row;

/* --- rows of the part */

static ig_status points_fill(void *user, int32_t first, int32_t count, void *rows) {
  const shown *s = user;
  memcpy(rows, &s->run->heat.part->part.mesh->x[3 * (int64_t)first],
         3 * (size_t)count * sizeof(double));
  return IG_OK;
}

static ig_status corners_fill(void *user, int32_t first, int32_t count, void *rows) {
  const shown *s = user;
  const ig_part *part = &s->run->heat.part->part;
  corner_row *row = rows;
  memset(rows, 0, (size_t)count * sizeof *row);
  for (ig_lid e = first; e < first + count; e++, row++) {
    ig_lid local;
    if (!s->alive[e])
      continue;
    const ig_block *block = ig_mesh_element(part->mesh, e, &local);
    row->nodes = ig_elem_info_get(block->type)->nodes;
    for (int a = 0; a < row->nodes; a++)
      row->node[a] =
          part->node[block->conn[(int64_t)row->nodes * local + ig_vtk_corner(block->type, a)]];
  }
  return IG_OK;
}

static ig_status types_fill(void *user, int32_t first, int32_t count, void *rows) {
  const shown *s = user;
  uint8_t *row = rows;
  for (ig_lid e = first; e < first + count; e++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(s->run->heat.part->part.mesh, e, &local);
    *row++ = s->alive[e] ? (uint8_t)ig_elem_info_get(block->type)->vtk : 0;
  }
  return IG_OK;
}

static ig_status values_fill(void *user, int32_t first, int32_t count, void *rows) {
  const shown *s = user;
  value_row *row = rows;
  for (ig_lid e = first; e < first + count; e++)
    *row++ = (value_row){s->alive[e] ? s->value[e] : 0, s->alive[e]};
  return IG_OK;
}

/* --- on rank 0: rows of what is there, packed */

static ig_status points_put(void *user, const void *rows, int64_t first, int64_t count) {
  const shown *s = user;
  (void)first;
  return s->take(s->user, rows, count);
}

static ig_status room_make(shown *s, int64_t bytes) {
  if (bytes <= s->room)
    return IG_OK;
  free(s->packed);
  s->room = 0;
  IG_TRY(ig_alloc(s->run->job->cx, &s->packed, (size_t)bytes, 1, "a piece of a snapshot"));
  s->room = bytes;
  return IG_OK;
}

static ig_status corners_put(void *user, const void *rows, int64_t first, int64_t count) {
  shown *s = user;
  const corner_row *row = rows;
  int64_t kept = 0;
  (void)first;
  IG_TRY(room_make(s, count * MOST_NODES * (int64_t)sizeof(int64_t)));
  int64_t *to = s->packed;
  for (int64_t i = 0; i < count; i++)
    for (int a = 0; a < row[i].nodes; a++)
      to[kept++] = row[i].node[a];
  return s->take(s->user, to, kept);
}

static ig_status types_put(void *user, const void *rows, int64_t first, int64_t count) {
  shown *s = user;
  const uint8_t *row = rows;
  int64_t kept = 0;
  (void)first;
  IG_TRY(room_make(s, count));
  uint8_t *to = s->packed;
  for (int64_t i = 0; i < count; i++)
    if (row[i])
      to[kept++] = row[i];
  return s->take(s->user, to, kept);
}

static ig_status elements_put(void *user, const void *rows, int64_t first, int64_t count) {
  shown *s = user;
  const uint8_t *row = rows;
  int64_t kept = 0;
  IG_TRY(room_make(s, count * (int64_t)sizeof(ig_lid)));
  ig_lid *to = s->packed;
  for (int64_t i = 0; i < count; i++)
    if (row[i])
      to[kept++] = (ig_lid)(first + i);
  return s->take(s->user, to, kept);
}

static ig_status values_put(void *user, const void *rows, int64_t first, int64_t count) {
  shown *s = user;
  const value_row *row = rows;
  int64_t kept = 0;
  (void)first;
  IG_TRY(room_make(s, count * (int64_t)sizeof(float)));
  float *to = s->packed;
  for (int64_t i = 0; i < count; i++)
    if (row[i].there)
      to[kept++] = row[i].value;
  return s->take(s->user, to, kept);
}

/* --- arrays */

/* A field of elements: its values in the part, then to rank 0. */
static ig_status field_bring(shown *s, int what) {
  ig_ctx *cx = s->run->job->cx;
  ig_heat_part *p = s->run->heat.part;
  ig_heat *l = &p->local;
  ig_status status = IG_OK;
  if (!p->idle) {
    if (what == IG_SHOWN_POWDER)
      status = ig_array_pull(cx, &l->material.solid);
    else if (what != IG_SHOWN_BIRTH)
      status = ig_array_pull(cx, &l->past.track);
    if (status == IG_OK)
      ig_thermal_elements_fill(l, p->birth, what, s->value);
  }
  IG_TRY(ig_ranks_agree(cx, status));
  return ig_heat_part_stream(cx, &p->elements, sizeof(value_row), values_fill, values_put, s);
}

static ig_status shown_bring(void *self, int array, ig_stream_take *take, void *user) {
  shown *s = self;
  ig_ctx *cx = s->run->job->cx;
  ig_heat *h = &s->run->heat;
  ig_heat_part *p = h->part;
  const int field = array - IG_STREAM_FIELDS - (s->T ? 1 : 0);
  s->take = take;
  s->user = user;
  switch (array) {
  case IG_STREAM_POINTS:
    return ig_heat_part_stream(cx, &p->nodes, 3 * sizeof(double), points_fill, points_put, s);
  case IG_STREAM_CORNERS:
    return ig_heat_part_stream(cx, &p->elements, sizeof(corner_row), corners_fill, corners_put, s);
  case IG_STREAM_TYPES:
    return ig_heat_part_stream(cx, &p->elements, 1, types_fill, types_put, s);
  case IG_STREAM_ELEMENTS:
    return ig_heat_part_stream(cx, &p->elements, 1, types_fill, elements_put, s);
  default:
    if (field < 0)
      return ig_heat_part_T(cx, h, take, user);
    return field < s->count ? field_bring(s, s->list[field].what)
                            : IG_FAIL(cx, IG_ARG, "a snapshot has no array %d", array);
  }
}

/* Which elements of the part are there; cells and corners of all ranks, on rank 0. */
static ig_status shown_count(shown *s) {
  ig_ctx *cx = s->run->job->cx;
  const ig_heat_part *p = s->run->heat.part;
  const ig_heat *l = &p->local;
  const size_t elements = (size_t)ig_mesh_elements(p->part.mesh) + 1;
  const int ranks = ig_ranks_count(cx->ranks);
  int64_t mine[2] = {0}, (*all)[2] = NULL;
  ig_status status = IG_NEW(cx, &s->alive, elements, "snapshot");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->value, elements, "snapshot");
  if (status == IG_OK)
    status = IG_NEW(cx, &all, ranks, "snapshot");
  for (ig_lid e = 0; e < l->now.elements && status == IG_OK && !p->idle; e++)
    s->alive[l->birth.order[e]] = 1;
  for (int64_t i = 0; i < p->elements.mine_count && status == IG_OK; i++) {
    ig_lid local;
    const ig_lid e = p->elements.mine[i];
    mine[0] += s->alive[e];
    mine[1] +=
        s->alive[e] ? ig_elem_info_get(ig_mesh_element(p->part.mesh, e, &local)->type)->nodes : 0;
  }
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = ig_ranks_collect(cx, mine, sizeof mine, all);
  for (int r = 0; r < ranks && status == IG_OK && ig_ranks_first(cx); r++) {
    s->cells += all[r][0];
    s->corners += all[r][1];
  }
  free(all);
  return status;
}

static ig_status shown_tell(void *user, const ig_stream *stream) {
  shown *s = user;
  ig_thermal_run *run = s->run;
  const ig_heat *h = &run->heat;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_rows(run->job->cx, stream, h->nodes, s->cells, s->corners,
                             h->part->elements.whole_count, &snap));
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
  shown s = {.run = run, .to = to, .T = ig_output_wants(run->job->output, "T")};
  ig_served served = {run->job->cx, &s, shown_bring};
  s.count = ig_thermal_fields_list(run, s.list);
  ig_status status = shown_count(&s);
  if (status == IG_OK)
    status = ig_serve(&served, shown_tell, &s);
  free(s.alive);
  free(s.value);
  free(s.packed);
  return status;
}

/* --- checkpoints */

typedef struct {
  ig_thermal_run *run;
  ig_sink *to;
  const ig_saved *saved;
  int count;
} saving;

static ig_status saved_bring(void *self, int array, ig_stream_take *take, void *user) {
  const saving *s = self;
  return ig_heat_part_saved_array(s->run->job->cx, &s->run->heat, array, take, user);
}

static ig_status saved_tell(void *user, const ig_stream *stream) {
  const saving *s = user;
  return ig_sink_checkpoint(s->run->job->cx, s->to, (double)s->run->done * s->run->dt, s->run->done,
                            s->saved, s->count, stream);
}

ig_status ig_thermal_part_save(ig_thermal_run *run, ig_sink *to, const ig_saved *saved, int count) {
  saving s = {run, to, saved, count};
  ig_served served = {run->job->cx, &s, saved_bring};
  IG_TRY(ig_serve(&served, saved_tell, &s));
  if (ig_ranks_first(run->job->cx))
    return IG_OK;
  /* others save what is not in parts: a state that a program keeps is there on all ranks */
  ig_saved own[IG_HEAT_SAVED + 2];
  int n = 0;
  for (int i = 0; i < count; i++)
    if (saved[i].data)
      own[n++] = saved[i];
  return to->checkpoint(to, (double)run->done * run->dt, run->done, own, n);
}
