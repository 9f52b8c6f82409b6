/* Snapshots of a model that no rank has as a whole: rows of own particles and elements go to
   rank 0 in pieces, in the order of the mesh, and are written as they come. The sink on rank 0
   asks for one array after the other (shown_bring); all other ranks answer in ig_serve. */
#include "dynamics/model/part.h"
#include "dynamics/run.h"
#include "ranks/cells.h"

#include <stdlib.h>

/* A snapshot on its way. Fields of elements and pressures are of this rank's part; `now`, `take`
   and `user` belong to the field that is being brought. */
typedef struct {
  ig_dyn_job *r;
  ig_sink *to;
  ig_partition_cells cells;
  ig_dyn_shown list[IG_DYN_SHOWN];
  int count;               /* of them */
  ig_dyn_fields fields;    /* elements of the part */
  double *pressure;        /* particles of the part */
  const ig_dyn_shown *now; /* the field in hand, and who takes it */
  ig_stream_take *take;
  void *user;
} shown;

/* Row of particle n for the field in hand. */
static void particle_row(void *user, int64_t n, void *row) {
  const shown *s = user;
  const ig_dyn_model *m = s->r->m;
  double *to = row;
  if (s->now->what == IG_SHOWN_PRESSURE) {
    to[0] = s->pressure[n];
    return;
  }
  for (int c = 0; c < 3; c++)
    to[c] = s->now->what == IG_SHOWN_DISPLACEMENT
                ? ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c]
            : s->now->what == IG_SHOWN_VELOCITY ? ig_dyn_get(m, &m->v, n * m->p.dofs + c)
                                                : ig_dyn_get(m, &m->contact.press, 3 * n + c);
}

static ig_status particles_put(void *user, const void *rows, int64_t first, int64_t count) {
  const shown *s = user;
  (void)first;
  return s->take(s->user, rows, count);
}

/* --- arrays */

/* Fields of elements come from arrays of the part, fields of particles row by row from the
   host's copies. */
static ig_status field_bring(shown *s, const ig_dyn_shown *f, ig_stream_take *take, void *user) {
  ig_dyn_model *m = s->r->m;
  const ig_dyn_fields *v = &s->fields;
  const float *const of[] = {NULL, NULL, v->stress, v->mises, v->plastic, v->section, v->surface};
  if (f->where != IG_AT_POINTS)
    return ig_cells_values(&s->cells, of[f->what], f->components, take, user, IG_OK);
  s->now = f;
  s->take = take;
  s->user = user;
  return ig_collect_rows(m->cx, &m->division->nodes, (size_t)f->components * sizeof(double),
                         particle_row, particles_put, s, IG_OK);
}

/* Array number `array` of the snapshot: those of cells first, then the fields. */
static ig_status shown_bring(void *self, int array, ig_stream_take *take, void *user) {
  shown *s = self;
  const int field = array - IG_STREAM_FIELDS;
  if (field < 0)
    return ig_cells_bring(&s->cells, array, take, user);
  return field < s->count ? field_bring(s, &s->list[field], take, user)
                          : IG_FAIL(s->r->m->cx, IG_ARG, "a snapshot has no array %d", array);
}

/* Results of the part's own elements. */
static ig_status fields_find(shown *s) {
  ig_dyn_model *m = s->r->m;
  const size_t ne = (size_t)ig_mesh_elements(s->cells.part->mesh) + 1;
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

/* What there is to show of the part: pulls what the fields need, before the first array is asked
   for. */
static ig_status part_look(shown *s) {
  ig_dyn_model *m = s->r->m;
  bool elements = false, press = false, pressure = false;
  for (int i = 0; i < s->count; i++) {
    elements |= s->list[i].where != IG_AT_POINTS;
    press |= s->list[i].what == IG_SHOWN_FORCE;
    pressure |= s->list[i].what == IG_SHOWN_PRESSURE;
  }
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_array_pull(m->cx, &m->v));
  if (press)
    IG_TRY(ig_array_pull(m->cx, &m->contact.press));
  IG_TRY(ig_dyn_alive(m, &s->cells.alive));
  if (pressure) {
    IG_TRY(IG_NEW(m->cx, &s->pressure, (size_t)m->mesh->nodes + 1, "contact pressure"));
    IG_TRY(ig_dyn_contact_pressure(m, s->pressure));
  }
  return elements ? fields_find(s) : IG_OK;
}

/* On rank 0: declares the fields and hands the snapshot to the sink. */
static ig_status shown_tell(void *user, const ig_stream *stream) {
  shown *s = user;
  ig_dyn_model *m = s->r->m;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_rows(m->cx, stream, ig_dyn_nodes_all(m), s->cells.count, s->cells.corners,
                             m->division->cells.whole_count, &snap));
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

/* Collective. */
ig_status ig_dyn_part_snapshot(ig_dyn_job *r, ig_sink *to) {
  const ig_dyn_part *p = r->m->division;
  shown s = {
      .r = r,
      .to = to,
      .cells = {.cx = r->m->cx, .part = &p->part, .nodes = &p->nodes, .elements = &p->cells}};
  ig_served served = {r->m->cx, &s, shown_bring};
  s.count = ig_dyn_shown_list(r, s.list);
  ig_status status = ig_cells_count(&s.cells, part_look(&s));
  if (status == IG_OK)
    status = ig_serve(&served, shown_tell, &s);
  free(s.fields.stress);
  free(s.pressure);
  ig_cells_free(&s.cells);
  return status;
}
