/* Snapshots: which fields are wanted and there, and their values, made on the device for the
   elements and particles of a rank. On one rank they leave the device on a stream of their own,
   while steps go on. On several, rows of own particles and elements go to rank 0 in pieces, in the
   order of the mesh, and are written as they come: the sink on rank 0 asks for one array after the
   other (shown_bring), all other ranks answer in ig_serve. */
#include "dynamics/run.h"
#include "dynamics/model/part.h"
#include "backend/backend.h"
#include "ranks/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  DISPLACEMENT,
  VELOCITY,
  STRESS,
  MISES,
  PLASTIC,
  SECTION,
  SURFACE,
  FORCE, /* from here on found on the host */
  PRESSURE,
  FIELDS
};
typedef struct {
  int what;
  const char *name, *unit;
  ig_location where;
  ig_dtype dtype;
  int components;
} field;

/* A snapshot on its way. `now`, `take` and `user` belong to the field that is being brought. */
typedef struct {
  ig_dyn_job *r;
  ig_sink *to;
  ig_partition_cells cells;
  field list[FIELDS];
  int count;                /* of them */
  const void *from[FIELDS]; /* values by `what`, of the part: device, from FORCE on host */
  double *force, *pressure; /* nodes x 3, nodes; on the host, owned */
  void *own[2];             /* several ranks: the host's copies of what is on the device; or NULL */
  const field *now;
  ig_stream_take *take;
  void *user;
} shown;

/* --- contact pressure */

/* Whether triangle k is on the surface now; without erosion all outer ones are. */
static bool is_open(const ig_dyn_model *m, int64_t k) {
  if (!m->p.erosion.alive)
    return true;
  return ig_dyn_part_open(m, k);
}

/* `pressure`: nodes of the part. Force along the normal over the
   particle's share of the open surface as it is now; 0 away from surfaces. */
static ig_status pressure_find(ig_dyn_model *m, double *pressure) {
  double *normal = NULL; /* x 3: of that share, as long as it is large */
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_array_pull(m->cx, &m->contact.press));
  if (m->contact.open.count)
    IG_TRY(ig_array_pull(m->cx, &m->contact.open));
  IG_TRY(IG_NEW(m->cx, &normal, 3 * (int64_t)m->mesh->nodes + 1, "contact pressure"));
  for (int64_t k = 0; k < (m->p.erosion.alive ? m->contact.skins : m->contact.outer); k++) {
    const int32_t *t = m->contact.skin + 3 * k;
    if (!is_open(m, k))
      continue;
    double a[3], b[3], n[3];
    for (int c = 0; c < 3; c++) {
      const double x = ig_dyn_get(m, &m->x, 3 * (int64_t)t[0] + c);
      a[c] = ig_dyn_get(m, &m->x, 3 * (int64_t)t[1] + c) - x;
      b[c] = ig_dyn_get(m, &m->x, 3 * (int64_t)t[2] + c) - x;
    }
    cross_f64(a, b, n);
    for (int i = 0; i < 9; i++)
      normal[3 * (int64_t)t[i / 3] + i % 3] += n[i % 3] / 6;
  }
  for (int64_t i = 0; i < m->mesh->nodes; i++) {
    double f[3];
    for (int c = 0; c < 3; c++)
      f[c] = ig_dyn_get(m, &m->contact.press, 3 * i + c);
    const double *n = normal + 3 * i, area2 = dot_f64(n, n);
    pressure[i] = area2 > 0 ? fabs(dot_f64(f, n)) / area2 : 0;
  }
  free(normal);
  return IG_OK;
}

/* --- fields */

/* Fields that the model has (section forces need shells or lines, contact forces need contact or
   tools) and that the case asks for. */
static int list_make(const ig_dyn_job *r, field *list) {
  static const field all[FIELDS] = {{DISPLACEMENT, "displacement", "m", IG_AT_POINTS, IG_F64, 3},
                                    {VELOCITY, "velocity", "m/s", IG_AT_POINTS, IG_F64, 3},
                                    {STRESS, "stress", "Pa", IG_AT_ELEMENTS, IG_F32, 6},
                                    {MISES, "von_mises", "Pa", IG_AT_ELEMENTS, IG_F32, 1},
                                    {PLASTIC, "plastic_strain", "", IG_AT_ELEMENTS, IG_F32, 1},
                                    {SECTION, "section_force", "", IG_AT_ELEMENTS, IG_F32, 6},
                                    {SURFACE, "surface_stress", "Pa", IG_AT_ELEMENTS, IG_F32, 6},
                                    {FORCE, "contact_force", "N", IG_AT_POINTS, IG_F64, 3},
                                    {PRESSURE, "contact_pressure", "Pa", IG_AT_POINTS, IG_F64, 1}};
  const ig_dyn_model *m = r->m;
  bool there[FIELDS] = {true, true, true, true, true};
  int count = 0;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_family family = ig_dyn_element_of[m->group[k].kind].family;
    there[SECTION] |= family != IG_FAMILY_SOLID;
    there[SURFACE] |= family == IG_FAMILY_SHELL;
  }
  there[FORCE] = there[PRESSURE] = m->c->tools.count > 0 || ig_dyn_touches(m);
  for (int i = 0; i < FIELDS; i++)
    if (there[i] && ig_output_wants(r->job->output, all[i].name))
      list[count++] = all[i];
  return count;
}

/* Force of contact and tools, and its pressure, which needs areas that the host finds. */
static ig_status contact_find(shown *s) {
  ig_dyn_model *m = s->r->m;
  const size_t nodes = (size_t)m->p.nodes + 1;
  IG_TRY(IG_NEW(m->cx, &s->force, 3 * nodes, "contact forces"));
  IG_TRY(IG_NEW(m->cx, &s->pressure, nodes, "contact pressure"));
  IG_TRY(pressure_find(m, s->pressure)); /* pulls forces, too */
  for (int64_t i = 0; i < 3 * (int64_t)m->p.nodes; i++)
    s->force[i] = ig_dyn_get(m, &m->contact.press, i);
  s->from[FORCE] = s->force, s->from[PRESSURE] = s->pressure;
  return IG_OK;
}

/* Values on the device, in arrays of their own (moved, fields), so that steps may change positions
   and states while they are copied. */
static ig_status fields_find(shown *s) {
  ig_dyn_job *r = s->r;
  ig_dyn_model *m = r->m;
  const size_t ne = (size_t)ig_mesh_elements(m->mesh), nn = (size_t)m->p.nodes;
  bool contact = false;
  s->count = list_make(r, s->list);
  for (int i = 0; i < s->count; i++)
    contact |= s->list[i].what >= FORCE;
  /* 6 per node: displacement and velocity; 20 per element: stress 6, von Mises, plastic strain,
     section 6, surface 6 */
  if (!r->moved.dev) {
    IG_TRY(ig_array_new_device(m->cx, &r->moved, 6 * nn, sizeof(double), "snapshots"));
    IG_TRY(ig_array_new_device(m->cx, &r->fields, 20 * ne, sizeof(float), "snapshots"));
  }
  double *at = r->moved.dev;
  float *to = r->fields.dev;
  const ig_dyn_fields fields = {to, to + 6 * ne, to + 7 * ne, to + 8 * ne, to + 14 * ne};
  const void *const from[] = {
      at, at + 3 * nn, fields.stress, fields.mises, fields.plastic, fields.section, fields.surface};
  memcpy(s->from, from, sizeof from);
  if (nn)
    IG_TRY(m->ops->show(m->cx, &m->p, at, at + 3 * nn));
  IG_TRY(ig_dyn_fields_now(m, &fields));
  IG_TRY(
      ig_dyn_alive(m, &s->cells.alive)); /* elements all of whose points have failed are left out */
  return contact ? contact_find(s) : IG_OK;
}

/* --- on one rank */

static ig_status fields_add(const shown *s, ig_snapshot *snap) {
  for (int i = 0; i < s->count; i++) {
    const field *f = &s->list[i];
    void *data;
    if (f->what < FORCE)
      IG_TRY(ig_snapshot_add_device(snap, f->name, f->unit, f->where, f->dtype, f->components,
                                    s->from[f->what]));
    else
      IG_TRY(ig_snapshot_add(snap, f->name, f->unit, f->where, f->dtype, f->components,
                             s->from[f->what], &data));
  }
  return IG_OK;
}

static ig_status shown_alone(shown *s) {
  const ig_dyn_clock *k = ig_dyn_clock_of(s->r);
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_mesh(s->r->m->cx, s->r->m->mesh, s->cells.alive, k->time, k->step, &snap));
  const ig_status status = fields_add(s, snap);
  if (status == IG_OK)
    return s->to->snapshot(s->to, snap);
  ig_snapshot_free(snap);
  return status;
}

/* --- on several */

static void particle_row(void *user, int64_t n, void *row) {
  const shown *s = user;
  const size_t size = (size_t)s->now->components * sizeof(double);
  memcpy(row, (const char *)s->from[s->now->what] + (size_t)n * size, size);
}
static ig_status particles_put(void *user, const void *rows, int64_t first, int64_t count) {
  const shown *s = user;
  (void)first;
  return s->take(s->user, rows, count);
}

/* Array number `array` of the snapshot: those of cells first, then the fields. */
static ig_status shown_bring(void *self, int array, ig_stream_take *take, void *user) {
  shown *s = self;
  ig_dyn_model *m = s->r->m;
  const int i = array - IG_STREAM_FIELDS;
  if (i < 0)
    return ig_cells_bring(&s->cells, array, take, user);
  if (i >= s->count)
    return IG_FAIL(m->cx, IG_ARG, "a snapshot has no array %d", array);
  const field *f = &s->list[i];
  if (f->where != IG_AT_POINTS)
    return ig_cells_values(&s->cells, s->from[f->what], f->components, take, user, IG_OK);
  s->now = f;
  s->take = take;
  s->user = user;
  return ig_collect_rows(m->cx, &m->division->nodes, (size_t)f->components * sizeof(double),
                         particle_row, particles_put, s, IG_OK);
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
    const field *f = &s->list[i];
    status = ig_snapshot_declare(snap, f->name, f->unit,
                                 f->where == IG_AT_POINTS ? IG_AT_POINTS : IG_AT_CELLS, f->dtype,
                                 f->components);
  }
  if (status == IG_OK)
    return ig_sink_snapshot(s->to, snap);
  ig_snapshot_free(snap);
  return status;
}

/* What is on the device, as the host sees it. */
static ig_status fields_pull(shown *s) {
  const ig_array *const array[] = {&s->r->moved, &s->r->fields};
  for (int i = 0; i < 2; i++) {
    const void *seen;
    IG_TRY(ig_dyn_seen(s->r->m->cx, array[i]->dev, array[i]->count * array[i]->size, &s->own[i],
                       &seen));
    for (int k = i ? STRESS : DISPLACEMENT; k < (i ? FORCE : STRESS); k++)
      s->from[k] = (const char *)seen + ((const char *)s->from[k] - (const char *)array[i]->dev);
  }
  return IG_OK;
}

/* Collective: a rank that fails (`status`) takes part. */
static ig_status shown_divided(shown *s, ig_status status) {
  ig_served served = {s->r->m->cx, s, shown_bring};
  if (status == IG_OK)
    status = fields_pull(s);
  IG_TRY(ig_cells_count(&s->cells, status));
  return ig_serve(&served, shown_tell, s);
}

ig_status ig_dyn_snapshot_write(void *self, ig_sink *to) {
  ig_dyn_job *r = self;
  const ig_dyn_part *p = r->m->division;
  shown s = {
      .r = r,
      .to = to,
      .cells = {.cx = r->m->cx, .part = &p->part, .nodes = &p->nodes, .elements = &p->cells}};
  ig_status status = ig_array_pull(r->m->cx, &r->m->clock);
  if (status == IG_OK)
    status = fields_find(&s);
  if (!ig_dyn_alone(r->m))
    status = shown_divided(&s, status);
  else if (status == IG_OK)
    status = shown_alone(&s);
  free(s.own[0]);
  free(s.own[1]);
  free(s.force);
  free(s.pressure);
  ig_cells_free(&s.cells);
  return status;
}
