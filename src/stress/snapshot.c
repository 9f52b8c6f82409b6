/* Snapshots of a run: its mesh and fields, made array by array as the file asks for them. On one
   rank they come together in memory, and are written while the run goes on. On several the first
   rank asks, the others give rows of their elements in pieces, and no array is whole on the way
   into the file. */
#include "core/schedule.h"
#include "core/vtk_corner.h"
#include "model/loads.h"
#include "ranks/ranks.h"
#include "stress/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a field is made of: values of nodes, columns of the report, values of points. */
typedef enum {
  OF_NODES,
  DISTORTION,
  DEVIATION,
  NODAL_STRESS,
  NODAL_MISES,
  OF_REPORT,
  OF_POINTS
} source;

typedef struct {
  const char *name, *unit;
  source what;
  int components, from; /* from: first column */
  const double *node;   /* OF_NODES */
} shown;

/* FIELDS: the most there are. CHUNK: numbers that are packed at a time, 32 kB. */
enum { FIELDS = 16, CHUNK = 4096 };
typedef struct {
  ig_stress_run *r;
  ig_sink *to;
  shown field[FIELDS];
  int fields;
  bool found; /* `nodal`, on the first rank */
  ig_nodal nodal;
} showing;

/* Nodes that are not alive have their last displacement. */
static void fields_list(showing *s) {
  const ig_stress_run *r = s->r;
  const ig_stress *m = r->m;
  const ig_output_case *o = r->job->output;
  /* output.fields left out means all usual fields; those of points are large and must be named */
  const bool nodal = ig_nodal_wanted(o), points = o->fields.count > 0;
  const struct {
    bool there;
    shown field;
  } all[] = {
      {true, {"displacement", "m", OF_NODES, 3, 0, m->u.host}},
      {true, {"distortion", "m", DISTORTION, 3, 0, NULL}},
      {r->c->parts.count > 0, {"deviation", "m", DEVIATION, 1, 0, NULL}},
      {true, {"recoater", "m", OF_NODES, 1, 0, r->recoater}},
      {r->c->tearing.count > 0, {"torn", "", OF_NODES, 1, 0, m->tears.layer}},
      {true, {"stress", "Pa", OF_REPORT, 6, 0, NULL}},
      {true, {"von_mises", "Pa", OF_REPORT, 1, 6, NULL}},
      {true, {"plastic_strain", "", OF_REPORT, 1, 7, NULL}},
      {true, {"elastic_strain", "", OF_REPORT, 6, 9, NULL}},
      {true, {"T", "K", OF_REPORT, 1, 8, NULL}},
      {m->material.transforms, {"martensite", "", OF_REPORT, 1, 15, NULL}},
      {nodal, {"nodal_stress", "Pa", NODAL_STRESS, 6, 0, NULL}},
      {nodal, {"nodal_von_mises", "Pa", NODAL_MISES, 1, 0, NULL}},
      {points, {"point_stress", "Pa", OF_POINTS, 48, 0, NULL}},
      {points, {"point_plastic_strain", "", OF_POINTS, 8, 48, NULL}},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].there && ig_output_wants(o, all[i].field.name))
      s->field[s->fields++] = all[i].field;
}

static bool of_nodes(const shown *f) {
  return f->what < OF_REPORT;
}

/* --- the mesh; all of it is on the first rank */

/* Items of elements that are there, packed: `size` of type T each. */
#define ELEMENTS(T, size, make)                                                                    \
  do {                                                                                             \
    T chunk[CHUNK], *to = chunk;                                                                   \
    for (ig_lid e = 0; e < m->elements; e++) {                                                     \
      if (!alive[e])                                                                               \
        continue;                                                                                  \
      make;                                                                                        \
      if (to + (size) > chunk + CHUNK) {                                                           \
        IG_TRY(take(user, chunk, to - chunk));                                                     \
        to = chunk;                                                                                \
      }                                                                                            \
    }                                                                                              \
    return take(user, chunk, to - chunk);                                                          \
  } while (0)

static ig_status corners_give(const ig_stress *m, ig_stream_take *take, void *user) {
  const uint8_t *alive = m->alive.host;
  ELEMENTS(int64_t, m->npe, {
    for (int a = 0; a < m->npe; a++)
      *to++ = m->conn[m->npe * (int64_t)e + ig_vtk_corner(m->type, a)];
  });
}

static ig_status types_give(const ig_stress *m, ig_stream_take *take, void *user) {
  const uint8_t *alive = m->alive.host, type = (uint8_t)ig_elem_info_get(m->type)->vtk;
  ELEMENTS(uint8_t, 1, *to++ = type);
}

static ig_status numbers_give(const ig_stress *m, ig_stream_take *take, void *user) {
  const uint8_t *alive = m->alive.host;
  ELEMENTS(ig_lid, 1, *to++ = e);
}

static ig_status mesh_give(const ig_stress *m, int array, ig_stream_take *take, void *user) {
  switch (array) {
  case IG_STREAM_POINTS:
    return take(user, m->mesh->x, m->nodes);
  case IG_STREAM_CORNERS:
    return corners_give(m, take, user);
  case IG_STREAM_TYPES:
    return types_give(m, take, user);
  default:
    return numbers_give(m, take, user);
  }
}

/* --- fields of nodes, on the first rank */

/* Distortion or deviation, made and forgotten. */
static ig_status made_give(const showing *s, const shown *f, ig_stream_take *take, void *user) {
  ig_stress *m = s->r->m;
  double *value, worst;
  IG_TRY(IG_NEW(m->cx, &value, (size_t)f->components * (size_t)m->nodes, f->name));
  ig_status status = f->what == DISTORTION ? ig_stress_distortion_now(s->r, value, &worst)
                                           : ig_stress_parts_look(s->r, value, NULL);
  if (status == IG_OK)
    status = take(user, value, m->nodes);
  free(value);
  return status;
}

static ig_status nodal_give(showing *s, const shown *f, ig_stream_take *take, void *user) {
  double chunk[CHUNK];
  int64_t kept = 0;
  for (ig_lid n = 0; n < s->nodal.nodes; n++) {
    ig_nodal_stress at;
    ig_nodal_get(&s->nodal, n, &at);
    memcpy(chunk + kept, f->what == NODAL_MISES ? &at.mises : at.stress,
           sizeof *chunk * (size_t)f->components);
    kept += f->components;
    if (kept + f->components > CHUNK) {
      IG_TRY(take(user, chunk, kept / f->components));
      kept = 0;
    }
  }
  return take(user, chunk, kept / f->components);
}

static ig_status node_field_bring(showing *s, const shown *f, ig_stream_take *take, void *user) {
  const bool nodal = f->what == NODAL_STRESS || f->what == NODAL_MISES;
  if (nodal && !s->found) { /* of all ranks, for both fields */
    s->found = true;
    IG_TRY(ig_stress_nodal_find(s->r->m, &s->nodal));
  }
  if (!take)
    return IG_OK;
  if (nodal)
    return nodal_give(s, f, take, user);
  return f->what == OF_NODES ? take(user, f->node, s->r->m->nodes) : made_give(s, f, take, user);
}

/* --- fields of elements */

/* Columns `from` … of rows with `stride` numbers, of elements that are there. */
typedef struct {
  const ig_stress *m;
  ig_stream_take *take;
  void *user;
  int stride, from, components, kept;
  double chunk[CHUNK];
} packing;

static ig_status packed_put(packing *p) {
  const ig_status status = p->kept ? p->take(p->user, p->chunk, p->kept / p->components) : IG_OK;
  p->kept = 0;
  return status;
}

static ig_status rows_pack(void *user, ig_lid begin, ig_lid count, const double *value) {
  packing *p = user;
  const uint8_t *alive = p->m->alive.host;
  for (ig_lid e = begin; e < begin + count; e++, value += p->stride) {
    if (!alive[e])
      continue;
    memcpy(p->chunk + p->kept, value + p->from, sizeof *value * (size_t)p->components);
    p->kept += p->components;
    if (p->kept + p->components > CHUNK)
      IG_TRY(packed_put(p));
  }
  return IG_OK;
}

static ig_status element_field_bring(showing *s, const shown *f, ig_stream_take *take, void *user) {
  ig_stress *m = s->r->m;
  packing p = {.m = m, .take = take, .user = user, .components = f->components};
  if (f->what == OF_POINTS) {
    p.stride = IG_STRESS_POINTS;
    p.from = f->from;
    IG_TRY(ig_stress_values_take(m, IG_VALUE_POINTS, false, rows_pack, &p));
  } else {
    p.stride = f->components;
    IG_TRY(ig_stress_report_take(m, f->from, f->components, rows_pack, &p));
  }
  return packed_put(&p);
}

/* --- */

/* On all ranks, if the model is divided; take: NULL but on the first. */
static ig_status array_bring(void *self, int array, ig_stream_take *take, void *user) {
  showing *s = self;
  const int i = array - IG_STREAM_FIELDS;
  if (i >= s->fields)
    return IG_FAIL(s->r->m->cx, IG_ARG, "a snapshot has no array %d", array);
  if (i < 0)
    return take ? mesh_give(s->r->m, array, take, user) : IG_OK;
  return of_nodes(s->field + i) ? node_field_bring(s, s->field + i, take, user)
                                : element_field_bring(s, s->field + i, take, user);
}

/* Elements that are not alive are left out. */
static ig_status snapshot_new(const showing *s, const ig_stream *rows, ig_snapshot **snap) {
  const ig_stress_run *r = s->r;
  const ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  int64_t cells = 0;
  for (ig_lid e = 0; e < m->elements; e++)
    cells += alive[e] != 0;
  IG_TRY(ig_snapshot_of_rows(m->cx, rows, m->nodes, cells, m->npe * cells, m->elements, snap));
  (*snap)->time = ig_stress_time(r);
  (*snap)->step = (int64_t)r->rounds.steps + r->at;
  if (r->at && r->c->phases.count > 1) {
    const int k = r->step[r->at - 1].phase;
    const ig_stress_phase *phase = IG_ITEM(const ig_stress_phase, r->c->phases, k);
    static const char *const kinds[] = {"load", "build", "cut", "heat"};
    snprintf((*snap)->state, sizeof(*snap)->state, "phase %d of %d: %.20s", k + 1,
             r->c->phases.count, phase->name ? phase->name : kinds[phase->kind]);
  }
  ig_status status = IG_OK;
  for (const shown *f = s->field; f < s->field + s->fields && status == IG_OK; f++)
    status = ig_snapshot_declare(*snap, f->name, f->unit, of_nodes(f) ? IG_AT_POINTS : IG_AT_CELLS,
                                 IG_F64, f->components);
  if (status != IG_OK)
    ig_snapshot_free(*snap);
  return status;
}

static ig_status rows_write(void *user, const ig_stream *rows) {
  const showing *s = user;
  ig_snapshot *snap;
  IG_TRY(snapshot_new(s, rows, &snap));
  return ig_sink_snapshot(s->to, snap);
}

/* Where nobody else has a part of it. */
static ig_status whole_write(showing *s) {
  const ig_stream rows = {s, array_bring};
  ig_snapshot *snap;
  IG_TRY(snapshot_new(s, &rows, &snap));
  const ig_status status = ig_snapshot_load(snap);
  if (status == IG_OK)
    return s->to->snapshot(s->to, snap);
  ig_snapshot_free(snap);
  return status;
}

/* Loads and supports of the body as they act now: loads.csv. */
static ig_status loads_put(ig_stress *m, ig_sink *to) {
  ig_loads loads = {.cx = m->cx};
  bool *there;
  if (!to->file)
    return IG_OK;
  IG_TRY(ig_stress_nodes_there(m, &there));
  const double *x = m->mesh->x, *load = m->load.host;
  for (int64_t n = 0; n < m->nodes; n++) {
    if (there[n] && (load[3 * n] != 0 || load[3 * n + 1] != 0 || load[3 * n + 2] != 0))
      ig_loads_add(&loads, x + 3 * n, 1, load + 3 * n);
    if (there[n] && m->held.bits[n])
      ig_loads_hold(&loads, x + 3 * n, m->held.bits[n]);
  }
  free(there);
  return ig_loads_put(&loads, to);
}

ig_status ig_stress_snapshot(void *self, ig_sink *to) {
  ig_stress_run *r = self;
  const bool first = ig_ranks_first(r->m->cx);
  showing s = {.r = r, .to = to};
  ig_served served = {r->m->cx, &s, array_bring};
  ig_status status = IG_OK;
  fields_list(&s);
  if (ig_stress_divided(r->m))
    status = ig_serve(&served, rows_write, &s);
  else if (first)
    status = whole_write(&s);
  ig_nodal_free(&s.nodal);
  return status == IG_OK && first ? loads_put(r->m, to) : status;
}
