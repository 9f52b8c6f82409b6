/* Snapshots: which fields are wanted and there, and their values, made on the device for the
   elements and particles of a rank (model/show.h hands them over). */
#include "dynamics/run.h"
#include "dynamics/model/part.h"
#include "backend/backend.h"
#include "model/show.h"

#include <math.h>
#include <stdio.h>
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
  NODAL, /* from here on of equilibria */
  NODAL_MISES,
  TOP,
  BOTTOM,
  FIELDS
};

/* A snapshot on its way. */
typedef struct {
  ig_dyn_job *r;
  ig_shown shown;
  ig_shown_field list[FIELDS];
  double *force, *pressure; /* nodes x 3, nodes; on the host, owned */
  ig_nodal_stress *nodal;   /* nodes; likewise */
} showing;

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
static int list_make(const ig_dyn_job *r, ig_shown_field *list) {
  static const ig_shown_field all[FIELDS] = {
      {"displacement", "m", IG_AT_POINTS, IG_F64, 3, DISPLACEMENT, NULL, NULL},
      {"velocity", "m/s", IG_AT_POINTS, IG_F64, 3, VELOCITY, NULL, NULL},
      {"stress", "Pa", IG_AT_ELEMENTS, IG_F32, 6, STRESS, NULL, NULL},
      {"von_mises", "Pa", IG_AT_ELEMENTS, IG_F32, 1, MISES, NULL, NULL},
      {"plastic_strain", "", IG_AT_ELEMENTS, IG_F32, 1, PLASTIC, NULL, NULL},
      {"section_force", "", IG_AT_ELEMENTS, IG_F32, 6, SECTION, NULL, NULL},
      {"surface_stress", "Pa", IG_AT_ELEMENTS, IG_F32, 6, SURFACE, NULL, NULL},
      {"contact_force", "N", IG_AT_POINTS, IG_F64, 3, FORCE, NULL, NULL},
      {"contact_pressure", "Pa", IG_AT_POINTS, IG_F64, 1, PRESSURE, NULL, NULL},
      {"nodal_stress", "Pa", IG_AT_POINTS, IG_F64, 6, NODAL, NULL, NULL},
      {"nodal_von_mises", "Pa", IG_AT_POINTS, IG_F64, 1, NODAL_MISES, NULL, NULL},
      {"nodal_stress_top", "Pa", IG_AT_POINTS, IG_F64, 6, TOP, NULL, NULL},
      {"nodal_stress_bottom", "Pa", IG_AT_POINTS, IG_F64, 6, BOTTOM, NULL, NULL}};
  const ig_dyn_model *m = r->m;
  bool there[FIELDS] = {true, true, true, true, true};
  int count = 0;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_family family = ig_dyn_element_of[m->group[k].kind].family;
    there[SECTION] |= family != IG_FAMILY_SOLID;
    there[SURFACE] |= family == IG_FAMILY_SHELL;
  }
  there[FORCE] = there[PRESSURE] = m->c->tools.count > 0 || ig_dyn_touches(m) || m->pairs.on;
  there[NODAL] = there[NODAL_MISES] = ig_dyn_at_rest(r) && ig_dyn_has_stresses(m);
  there[TOP] = there[BOTTOM] = there[NODAL] && ig_dyn_has_shells(m);
  for (int i = 0; i < FIELDS; i++)
    if (there[i] && ig_output_wants(r->job->output, all[i].name))
      list[count++] = all[i];
  return count;
}

/* Force of contact and tools, and its pressure, which needs areas that the host finds. */
static ig_status contact_find(showing *s) {
  ig_dyn_model *m = s->r->m;
  const size_t nodes = (size_t)m->p.nodes + 1;
  IG_TRY(IG_NEW(m->cx, &s->force, 3 * nodes, "contact forces"));
  IG_TRY(IG_NEW(m->cx, &s->pressure, nodes, "contact pressure"));
  IG_TRY(pressure_find(m, s->pressure)); /* pulls forces, too */
  for (int64_t i = 0; i < 3 * (int64_t)m->p.nodes; i++)
    s->force[i] = ig_dyn_get(m, &m->contact.press, i);
  return IG_OK;
}

static ig_status nodal_find(showing *s) {
  ig_dyn_model *m = s->r->m;
  IG_TRY(IG_NEW(m->cx, &s->nodal, (size_t)m->p.nodes + 1, "stresses at nodes"));
  return ig_dyn_stresses(m, s->nodal);
}

/* A field of stresses at nodes. */
static void nodal_fill(const void *room, const ig_shown_field *f, void *values) {
  const showing *s = room;
  double *to = values;
  for (int64_t n = 0; n < s->r->m->p.nodes; n++, to += f->components) {
    const ig_nodal_stress *at = &s->nodal[n];
    const double *from = f->what == NODAL         ? at->stress
                         : f->what == NODAL_MISES ? &at->mises
                                                  : at->surface[f->what == BOTTOM];
    memcpy(to, from, (size_t)f->components * sizeof *to);
  }
}

/* Values on the device, in arrays of their own (moved, fields), so that steps may change positions
   and states while they are copied. */
static ig_status fields_find(showing *s) {
  ig_dyn_job *r = s->r;
  ig_dyn_model *m = r->m;
  const size_t ne = (size_t)ig_mesh_elements(m->mesh), nn = (size_t)m->p.nodes;
  bool contact = false, nodal = false;
  s->shown.count = list_make(r, s->list);
  for (int i = 0; i < s->shown.count; i++) {
    contact |= s->list[i].what == FORCE || s->list[i].what == PRESSURE;
    nodal |= s->list[i].what >= NODAL;
  }
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
  if (nn)
    IG_TRY(m->ops->show(m->cx, &m->p, at, at + 3 * nn));
  IG_TRY(ig_dyn_fields_now(m, &fields));
  /* elements all of whose points have failed are left out */
  IG_TRY(ig_dyn_alive(m, &s->shown.alive));
  if (contact)
    IG_TRY(contact_find(s));
  if (nodal)
    IG_TRY(nodal_find(s));
  for (ig_shown_field *f = s->list; f < s->list + s->shown.count; f++)
    if (f->what < FORCE)
      f->dev = from[f->what];
    else if (f->what < NODAL)
      f->host = f->what == FORCE ? s->force : s->pressure;
  return IG_OK;
}

ig_status ig_dyn_snapshot_write(void *self, ig_sink *to) {
  ig_dyn_job *r = self;
  const ig_dyn_part *p = r->m->division;
  showing s = {.r = r,
               .shown = {.cx = r->m->cx,
                         .mesh = r->m->mesh,
                         .part = &p->part,
                         .nodes = &p->nodes,
                         .elements = &p->cells,
                         .field = s.list,
                         .fill = nodal_fill,
                         .room = &s}};
  static const char *const kinds[] = {"dynamic", "static", "frequency", "buckling"};
  if (r->c->analysis.count > 1 && r->analysis < r->c->analysis.count)
    snprintf(s.shown.state, sizeof s.shown.state, "analysis %d of %d: %s", (int)r->analysis + 1,
             r->c->analysis.count,
             kinds[IG_ITEM(const ig_dyn_analysis, r->c->analysis, (int)r->analysis)->kind]);
  ig_status status = ig_array_pull(r->m->cx, &r->m->clock);
  if (status == IG_OK)
    status = fields_find(&s);
  s.shown.time = ig_dyn_clock_of(r)->time;
  s.shown.step = ig_dyn_clock_of(r)->step;
  status = ig_shown_write(&s.shown, to, status);
  free(s.force);
  free(s.pressure);
  free(s.nodal);
  return status == IG_OK ? ig_dyn_loads_put(r, to) : status;
}
