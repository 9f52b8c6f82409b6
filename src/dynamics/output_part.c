/* Snapshots of a model that no rank has as a whole: rows of own particles and elements go to rank 0
   in pieces, in the order of the mesh, and are written as they come. */
#include "dynamics/part.h"
#include "dynamics/run.h"
#include "core/vtk_corner.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 10 }; /* of an element */

/* A snapshot on its way. */
typedef struct {
  ig_dyn_job *r;
  ig_sink *to;
  const ig_part *part;
  ig_dyn_shown list[IG_DYN_SHOWN];
  int count;               /* of them */
  const uint8_t *alive;    /* elements of the part; NULL: all hold */
  ig_dyn_fields fields;    /* elements of the part */
  double *pressure;        /* particles of the part */
  int64_t cells, corners;  /* of all ranks */
  const ig_dyn_shown *now; /* the field in hand */
  const float *values;
  /* rank 0: who takes the rows in hand, and a piece of them */
  ig_stream_take *take;
  void *user, *packed;
  size_t room;
} shown;

/* Rows of elements that are there, and what stands in them. */
typedef struct {
  int32_t nodes; /* 0: not there */
  ig_lid node[MOST_NODES];
} corner_row;
typedef struct {
  float value[6];
  int32_t there;
} value_row;

static bool is_there(const shown *s, int64_t e) {
  return !s->alive || s->alive[e];
}

/* --- rows of the part */

static void point_row(void *user, int64_t n, void *row) {
  const shown *s = user;
  memcpy(row, s->part->mesh->x + 3 * n, 3 * sizeof(double));
}

static void corners_row(void *user, int64_t e, void *row) {
  const shown *s = user;
  corner_row *to = row;
  ig_lid local;
  memset(to, 0, sizeof *to);
  if (!is_there(s, e))
    return;
  const ig_block *b = ig_mesh_element(s->part->mesh, (ig_lid)e, &local);
  to->nodes = ig_elem_info_get(b->type)->nodes;
  for (int a = 0; a < to->nodes; a++)
    to->node[a] = s->part->node[b->conn[(int64_t)to->nodes * local + ig_vtk_corner(b->type, a)]];
}

static void type_row(void *user, int64_t e, void *row) {
  const shown *s = user;
  ig_lid local;
  const ig_block *b = ig_mesh_element(s->part->mesh, (ig_lid)e, &local);
  *(uint8_t *)row = is_there(s, e) ? (uint8_t)ig_elem_info_get(b->type)->vtk : 0;
}

static void values_row(void *user, int64_t e, void *row) {
  const shown *s = user;
  const int n = s->now->components;
  value_row *to = row;
  memset(to, 0, sizeof *to);
  to->there = is_there(s, e);
  if (to->there)
    memcpy(to->value, s->values + n * e, (size_t)n * sizeof(float));
}

static void particle_row(void *user, int64_t n, void *row) {
  const shown *s = user;
  const ig_dyn_model *l = s->r->m->divided->local;
  double *to = row;
  if (s->now->what == IG_SHOWN_PRESSURE) {
    to[0] = s->pressure[n];
    return;
  }
  for (int c = 0; c < 3; c++)
    to[c] = s->now->what == IG_SHOWN_DISPLACEMENT
                ? ig_dyn_get(l, &l->x, 3 * n + c) - l->x0[3 * n + c]
            : s->now->what == IG_SHOWN_VELOCITY ? ig_dyn_get(l, &l->v, n * l->p.dofs + c)
                                                : ig_dyn_get(l, &l->contact.press, 3 * n + c);
}

/* --- on rank 0: rows of what is there, packed */

static ig_status all_put(void *user, const void *rows, int64_t first, int64_t count) {
  const shown *s = user;
  (void)first;
  return s->take(s->user, rows, count);
}

static ig_status room_make(shown *s, size_t bytes) {
  if (bytes <= s->room)
    return IG_OK;
  free(s->packed);
  s->packed = NULL;
  s->room = 0;
  IG_TRY(ig_alloc(s->r->m->cx, &s->packed, bytes, 1, "a piece of a snapshot"));
  s->room = bytes;
  return IG_OK;
}

static ig_status corners_put(void *user, const void *rows, int64_t first, int64_t count) {
  shown *s = user;
  const corner_row *row = rows;
  int64_t kept = 0;
  (void)first;
  IG_TRY(room_make(s, (size_t)count * MOST_NODES * sizeof(int64_t)));
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
  IG_TRY(room_make(s, (size_t)count));
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
  IG_TRY(room_make(s, (size_t)count * sizeof(ig_lid)));
  ig_lid *to = s->packed;
  for (int64_t i = 0; i < count; i++)
    if (row[i])
      to[kept++] = (ig_lid)(first + i);
  return s->take(s->user, to, kept);
}

static ig_status values_put(void *user, const void *rows, int64_t first, int64_t count) {
  shown *s = user;
  const value_row *row = rows;
  const size_t n = (size_t)s->now->components;
  int64_t kept = 0;
  (void)first;
  IG_TRY(room_make(s, (size_t)count * n * sizeof(float)));
  float *to = s->packed;
  for (int64_t i = 0; i < count; i++)
    if (row[i].there)
      memcpy(to + n * (size_t)kept++, row[i].value, n * sizeof *to);
  return s->take(s->user, to, kept);
}

/* --- arrays */

static ig_status field_bring(shown *s, const ig_dyn_shown *f) {
  ig_dyn_model *m = s->r->m;
  const ig_dyn_fields *v = &s->fields;
  const float *const of[] = {NULL, NULL, v->stress, v->mises, v->plastic, v->section, v->surface};
  s->now = f;
  if (f->where == IG_AT_POINTS)
    return ig_collect_rows(m->cx, &m->divided->nodes, (size_t)f->components * sizeof(double),
                           particle_row, all_put, s, IG_OK);
  s->values = of[f->what];
  return ig_collect_rows(m->cx, &m->divided->cells, sizeof(value_row), values_row, values_put, s,
                         IG_OK);
}

static ig_status shown_bring(void *self, int array, ig_stream_take *take, void *user) {
  shown *s = self;
  ig_dyn_model *m = s->r->m;
  const ig_dyn_part *p = m->divided;
  const int field = array - IG_STREAM_FIELDS;
  s->take = take;
  s->user = user;
  switch (array) {
  case IG_STREAM_POINTS:
    return ig_collect_rows(m->cx, &p->nodes, 3 * sizeof(double), point_row, all_put, s, IG_OK);
  case IG_STREAM_CORNERS:
    return ig_collect_rows(m->cx, &p->cells, sizeof(corner_row), corners_row, corners_put, s,
                           IG_OK);
  case IG_STREAM_TYPES:
    return ig_collect_rows(m->cx, &p->cells, 1, type_row, types_put, s, IG_OK);
  case IG_STREAM_ELEMENTS:
    return ig_collect_rows(m->cx, &p->cells, 1, type_row, elements_put, s, IG_OK);
  default:
    return field >= 0 && field < s->count
               ? field_bring(s, &s->list[field])
               : IG_FAIL(m->cx, IG_ARG, "a snapshot has no array %d", array);
  }
}

/* Results of the part's own elements. */
static ig_status fields_find(shown *s) {
  ig_dyn_model *m = s->r->m;
  const size_t ne = (size_t)ig_mesh_elements(s->part->mesh) + 1;
  double *report = NULL;
  float *to;
  IG_TRY(IG_NEW(m->cx, &to, 20 * ne, "snapshot"));
  s->fields = (ig_dyn_fields){to, to + 6 * ne, to + 7 * ne, to + 8 * ne, to + 14 * ne};
  ig_status status = IG_NEW(m->cx, &report, ne * IG_DYN_REPORT, "element results");
  if (status == IG_OK)
    status = ig_dyn_report(m, report);
  for (size_t e = 0; e + 1 < ne && status == IG_OK; e++)
    ig_dyn_spread(report + e * IG_DYN_REPORT, (int64_t)e, &s->fields);
  free(report);
  return status;
}

/* What there is to show of the part. */
static ig_status part_look(shown *s) {
  ig_dyn_model *m = s->r->m, *l = m->divided->local;
  bool elements = false, press = false, pressure = false;
  for (int i = 0; i < s->count; i++) {
    elements |= s->list[i].where != IG_AT_POINTS;
    press |= s->list[i].what == IG_SHOWN_FORCE;
    pressure |= s->list[i].what == IG_SHOWN_PRESSURE;
  }
  IG_TRY(ig_array_pull(m->cx, &l->x));
  IG_TRY(ig_array_pull(m->cx, &l->v));
  if (press)
    IG_TRY(ig_array_pull(m->cx, &l->contact.press));
  IG_TRY(ig_dyn_alive(l, &s->alive));
  if (pressure) {
    IG_TRY(IG_NEW(m->cx, &s->pressure, (size_t)l->mesh->nodes + 1, "contact pressure"));
    IG_TRY(ig_dyn_contact_pressure(m, s->pressure));
  }
  return elements ? fields_find(s) : IG_OK;
}

/* Cells and corners of all ranks, on rank 0. */
static ig_status cells_count(shown *s, ig_status status) {
  ig_ctx *cx = s->r->m->cx;
  const ig_collect *own = &s->r->m->divided->cells;
  const int ranks = ig_ranks_count(cx->ranks);
  int64_t mine[2] = {0}, (*all)[2] = NULL;
  if (status == IG_OK)
    status = IG_NEW(cx, &all, ranks, "snapshot");
  for (int64_t i = 0; i < own->mine_count && status == IG_OK; i++) {
    ig_lid local;
    if (!is_there(s, own->mine[i]))
      continue;
    mine[0]++;
    mine[1] += ig_elem_info_get(ig_mesh_element(s->part->mesh, own->mine[i], &local)->type)->nodes;
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
  ig_dyn_model *m = s->r->m;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_rows(m->cx, stream, m->p.nodes, s->cells, s->corners,
                             m->divided->cells.whole_count, &snap));
  snap->time = ig_dyn_clock_of(s->r)->time;
  snap->step = ig_dyn_clock_of(s->r)->step;
  ig_status status = IG_OK;
  for (int i = 0; i < s->count && status == IG_OK; i++) {
    const ig_dyn_shown *f = &s->list[i];
    status = ig_snapshot_declare(snap, f->name, f->unit,
                                 f->where == IG_AT_POINTS ? IG_AT_POINTS : IG_AT_CELLS, f->dtype,
                                 f->components);
  }
  if (status == IG_OK)
    return ig_sink_snapshot(s->to, snap);
  ig_snapshot_free(snap);
  return status;
}

ig_status ig_dyn_part_snapshot(ig_dyn_job *r, ig_sink *to) {
  shown s = {.r = r, .to = to, .part = &r->m->divided->part};
  ig_served served = {r->m->cx, &s, shown_bring};
  s.count = ig_dyn_shown_list(r, s.list);
  ig_status status = cells_count(&s, part_look(&s));
  if (status == IG_OK)
    status = ig_serve(&served, shown_tell, &s);
  free(s.fields.stress);
  free(s.pressure);
  free(s.packed);
  return status;
}
