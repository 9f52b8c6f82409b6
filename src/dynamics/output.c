/* What a run writes: probes and histories, snapshots, figures of the summary. */
#include "dynamics/run.h"
#include "dynamics/part.h"
#include "mesh/named.h"
#include "mesh/probe.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- probes and histories */

static double probe_section(const ig_dyn_job *r, const ig_dyn_probe *p, const ig_set *set) {
  const int at = IG_REPORT_SECTION + (p->quantity < IG_PROBE_SHELL ? p->quantity - IG_PROBE_BEAM
                                                                   : p->quantity - IG_PROBE_SHELL);
  double sum = 0;
  for (ig_lid k = 0; k < set->count; k++)
    sum += r->report[(int64_t)set->item[k] * IG_DYN_REPORT + at];
  return set->count > 0 ? sum / set->count : 0;
}

static double probe_value(const ig_dyn_job *r, const ig_dyn_probe *p, const ig_set *set,
                          ig_lid node) {
  const ig_dyn_model *m = r->m;
  const ig_lid count = set ? set->count : 1;
  const int c = p->quantity % 3, D = m->p.dofs, turn = p->quantity >= IG_PROBE_MOMENT ? 3 : 0;
  if (p->quantity >= IG_PROBE_BEAM)
    return probe_section(r, p, set);
  double sum = 0;
  for (ig_lid k = 0; k < count; k++) {
    const int64_t n = set ? set->item[k] : node;
    const double touch = m->contact.press.count ? ig_dyn_get(m, &m->contact.press, 3 * n + c) : 0;
    if (p->quantity < IG_PROBE_VELOCITY)
      sum += ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c];
    else if (p->quantity < IG_PROBE_FORCE)
      sum += ig_dyn_get(m, &m->v, D * n + c);
    else if (p->quantity >= IG_PROBE_CONTACT)
      sum += touch;
    else if (turn < D) /* what keeps the particle in balance with all else that acts on it */
      sum += ig_dyn_get(m, &m->f, m->p.pitch * n + turn + c) -
             (m->load.count ? ig_dyn_get(m, &m->load, D * n + turn + c) : 0) -
             (turn ? 0 : touch + ig_dyn_gravity_now(m, c) * m->weight.heavy[n]);
  }
  return p->quantity < IG_PROBE_FORCE && count > 0 ? sum / count : sum;
}

static const char *const fixed_columns[] = {
    "time [s]",     "step_size [s]", "kinetic [J]", "internal [J]", "plastic [J]",
    "external [J]", "damping [J]",   "contact [J]", "scaling [J]",  "error"};
enum { FIXED = sizeof fixed_columns / sizeof *fixed_columns };

static const char *probe_unit(const ig_dyn_probe *p) {
  static const char *const unit[11] = {"m",   "m/s", "N", "N m", "N", "N",
                                       "N m", "N/m", "N", "Pa",  "Pa"};
  return unit[p->quantity / 3];
}

ig_status ig_dyn_probes_open(ig_dyn_job *r) {
  ig_ctx *cx = r->job->cx;
  const int n = r->c->probes.count;
  r->columns = FIXED + n;
  IG_TRY(IG_NEW(cx, &r->name, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->column, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->values, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->probe_node, n + 1, "probes"));
  IG_TRY(IG_NEW(cx, &r->probe_set, n + 1, "probes"));
  for (int i = 0; i < FIXED; i++)
    r->column[i] = fixed_columns[i];
  for (int i = 0; i < n; i++) {
    const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
    snprintf(r->name[i], sizeof r->name[i], "%.48s [%s]", p->name, probe_unit(p));
    r->column[FIXED + i] = r->name[i];
    const bool section = p->quantity >= IG_PROBE_BEAM;
    if (p->set && section)
      IG_TRY(ig_mesh_named_set(cx, r->m->mesh, &p->at, p->set, IG_OF_ELEMENTS, &r->probe_set[i]));
    else if (p->set)
      IG_TRY(ig_dyn_nodes_of(r->m, &p->at, p->set, &r->probe_set[i]));
    if (!p->set && (section || isnan(p->point[0])))
      return ig_fail_at(cx, &p->at,
                        section ? "section forces need a `set` of elements"
                                : "a probe needs a `set` or a `point`");
    if (!p->set)
      r->probe_node[i] = ig_node_near(r->m->x0, r->m->mesh->nodes, p->point);
  }
  return IG_OK;
}

/* Reports of all elements on the host. */
static ig_status report_now(ig_dyn_job *r) {
  if (!r->report && ig_dyn_has_whole(r->m))
    IG_TRY(IG_NEW(r->job->cx, &r->report, (int64_t)ig_mesh_elements(r->m->mesh) * IG_DYN_REPORT,
                  "element results"));
  return ig_dyn_report(r->m, r->report);
}

/* What the probes look at comes to the host, nothing else. */
static ig_status probes_pull(ig_dyn_job *r) {
  ig_dyn_model *m = r->m;
  bool x = false, v = false, f = false, touch = false, report = false;
  for (int i = 0; i < r->c->probes.count; i++) {
    const int q = IG_ITEM(const ig_dyn_probe, r->c->probes, i)->quantity;
    x |= q < IG_PROBE_VELOCITY;
    v |= q >= IG_PROBE_VELOCITY && q < IG_PROBE_FORCE;
    f |= q >= IG_PROBE_FORCE && q < IG_PROBE_CONTACT;
    touch |= q >= IG_PROBE_FORCE && q < IG_PROBE_BEAM;
    report |= q >= IG_PROBE_BEAM;
  }
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  if (!ig_dyn_has_whole(m))
    return report ? report_now(r) : IG_OK;
  if (x)
    IG_TRY(ig_array_pull(m->cx, &m->x));
  if (v)
    IG_TRY(ig_array_pull(m->cx, &m->v));
  if (f) /* summed with the energies */
    IG_TRY(ig_array_pull(m->cx, &m->f));
  if (f && m->load.count)
    IG_TRY(ig_array_pull(m->cx, &m->load));
  if (touch && m->contact.press.count)
    IG_TRY(ig_array_pull(m->cx, &m->contact.press));
  return report ? report_now(r) : IG_OK;
}

/* The columns' values as things stand. */
static ig_status row_now(ig_dyn_job *r, ig_dyn_energy *e) {
  IG_TRY(ig_dyn_energies(r->m, e));
  IG_TRY(probes_pull(r));
  r->worst_error = fmax(r->worst_error, fabs(e->error));
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  const double fixed[FIXED] = {k->time,     k->dt,      e->plain,   e->internal, e->plastic,
                               e->external, e->damping, e->contact, e->scaling,  e->error};
  memcpy(r->values, fixed, sizeof fixed);
  for (int i = 0; i < r->c->probes.count && ig_dyn_has_whole(r->m); i++)
    r->values[FIXED + i] = probe_value(r, IG_ITEM(const ig_dyn_probe, r->c->probes, i),
                                       r->probe_set[i], r->probe_node[i]);
  return IG_OK;
}

ig_status ig_dyn_history_write(ig_dyn_job *r, ig_dyn_energy *e, ig_sink *to) {
  IG_TRY(row_now(r, e));
  return to ? to->history(to, r->columns, r->column, r->values) : IG_OK;
}

/* --- snapshots */

/* Elements all of whose points have failed carry nothing and are left out. NULL: none can fail. */
static ig_status alive_now(ig_dyn_job *r, uint8_t **alive) {
  const int64_t ne = ig_mesh_elements(r->m->mesh);
  const uint8_t *now;
  *alive = NULL;
  IG_TRY(ig_dyn_alive(r->m, &now));
  if (!now)
    return IG_OK;
  IG_TRY(IG_NEW(r->m->cx, alive, ne, "element results"));
  memcpy(*alive, now, (size_t)ne);
  return IG_OK;
}

/* Contact forces over each particle's share of the surfaces. */
static ig_status contact_pressure(ig_dyn_job *r, double *pressure) {
  ig_dyn_model *m = r->m;
  double *normal = NULL; /* x 3: of that share, as long as it is large */
  IG_TRY(ig_array_pull(m->cx, &m->x));
  if (m->contact.open.count)
    IG_TRY(ig_array_pull(m->cx, &m->contact.open));
  IG_TRY(IG_NEW(m->cx, &normal, 3 * (int64_t)m->mesh->nodes, "contact pressure"));
  const uint8_t *open = m->contact.open.host;
  for (int64_t k = 0; k < (open ? m->contact.skins : m->contact.outer); k++) {
    const int32_t *t = m->contact.skin + 3 * k;
    if (open && !open[k])
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

static ig_status contact_fields(ig_dyn_job *r, ig_snapshot *snap) {
  ig_dyn_model *m = r->m;
  const bool force = ig_output_wants(r->job->output, "contact_force"),
             pressure = ig_output_wants(r->job->output, "contact_pressure");
  void *to;
  if (!m->contact.press.count || !(force || pressure))
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->contact.press));
  if (force) {
    IG_TRY(ig_snapshot_add(snap, "contact_force", "N", IG_AT_POINTS, IG_F64, 3, NULL, &to));
    for (int64_t i = 0; i < 3 * (int64_t)m->mesh->nodes; i++)
      ((double *)to)[i] = ig_dyn_get(m, &m->contact.press, i);
  }
  if (!pressure)
    return IG_OK;
  IG_TRY(ig_snapshot_add(snap, "contact_pressure", "Pa", IG_AT_POINTS, IG_F64, 1, NULL, &to));
  return contact_pressure(r, to);
}

/* Fields leave the device on a stream of their own, while steps go on. */
static ig_status fields_add(ig_dyn_job *r, ig_snapshot *snap) {
  ig_dyn_model *m = r->m;
  const size_t ne = (size_t)ig_mesh_elements(m->mesh), nn = (size_t)m->mesh->nodes;
  if (!r->moved.dev) {
    IG_TRY(ig_array_new_device(m->cx, &r->moved, 6 * nn, sizeof(double), "snapshots"));
    IG_TRY(ig_array_new_device(m->cx, &r->fields, 20 * ne, sizeof(float), "snapshots"));
  }
  double *at = r->moved.dev;
  float *to = r->fields.dev;
  const ig_dyn_fields fields = {to, to + 6 * ne, to + 7 * ne, to + 8 * ne, to + 14 * ne};
  const struct {
    const char *name, *unit;
    ig_location where;
    ig_dtype dtype;
    int components;
    const void *from;
  } all[] = {{"displacement", "m", IG_AT_POINTS, IG_F64, 3, at},
             {"velocity", "m/s", IG_AT_POINTS, IG_F64, 3, at + 3 * nn},
             {"stress", "Pa", IG_AT_ELEMENTS, IG_F32, 6, fields.stress},
             {"von_mises", "Pa", IG_AT_ELEMENTS, IG_F32, 1, fields.mises},
             {"plastic_strain", "", IG_AT_ELEMENTS, IG_F32, 1, fields.plastic},
             {"section_force", "", IG_AT_ELEMENTS, IG_F32, 6, fields.section},
             {"surface_stress", "Pa", IG_AT_ELEMENTS, IG_F32, 6, fields.surface}};
  bool sections = false, shells = false;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_family family = ig_dyn_element_of[m->group[k].kind].family;
    sections |= family != IG_FAMILY_SOLID;
    shells |= family == IG_FAMILY_SHELL;
  }
  IG_TRY(m->ops->show(m->cx, &m->p, at, at + 3 * nn));
  IG_TRY(ig_dyn_fields_now(m, &fields));
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (ig_output_wants(r->job->output, all[k].name) &&
        (sections || all[k].from != fields.section) && (shells || all[k].from != fields.surface))
      IG_TRY(ig_snapshot_add_device(snap, all[k].name, all[k].unit, all[k].where, all[k].dtype,
                                    all[k].components, all[k].from));
  return contact_fields(r, snap);
}

/* Fields of the whole are on the device of the first rank no longer than it takes to copy them. */
static ig_status fields_drop(ig_dyn_job *r, ig_snapshot *snap) {
  const ig_status status = ig_snapshot_settle(snap);
  ig_array_free(r->job->cx, &r->moved);
  ig_array_free(r->job->cx, &r->fields);
  return status == IG_OK ? IG_OK : IG_FAIL(r->job->cx, status, "fields of a snapshot were lost");
}

/* What a rank without the whole does while the first makes a snapshot. */
static ig_status snapshot_help(ig_dyn_job *r) {
  const uint8_t *alive;
  IG_TRY(ig_dyn_alive(r->m, &alive));
  return ig_dyn_fields_now(r->m, NULL);
}

ig_status ig_dyn_snapshot_write(void *self, ig_sink *to) {
  ig_dyn_job *r = self;
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *m = r->m;
  uint8_t *alive;
  ig_snapshot *snap = NULL;
  IG_TRY(ig_array_pull(cx, &m->clock));
  IG_TRY(ig_dyn_gather(m));
  if (!ig_dyn_has_whole(m))
    return snapshot_help(r);
  IG_TRY(alive_now(r, &alive));
  ig_status status = ig_snapshot_of_mesh(cx, m->mesh, alive, ig_dyn_clock_of(r)->time,
                                         ig_dyn_clock_of(r)->step, &snap);
  free(alive);
  IG_TRY(status);
  status = fields_add(r, snap);
  if (status == IG_OK && m->divided)
    status = fields_drop(r, snap);
  if (status == IG_OK)
    status = to->snapshot(to, snap);
  else
    ig_snapshot_free(snap);
  return status;
}

/* --- the summary */

ig_status ig_dyn_results_write(void *self, ig_sink *s) {
  ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  double most = 0, plastic = 0;
  ig_dyn_energy e;
  IG_TRY(row_now(r, &e));
  IG_TRY(ig_dyn_pull(m));
  IG_TRY(report_now(r));
  if (!ig_dyn_has_whole(m))
    return IG_OK;
  for (int64_t n = 0; n < m->mesh->nodes; n++) {
    double u = 0;
    for (int c = 0; c < 3; c++)
      u += pow(ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c], 2);
    most = fmax(most, sqrt(u));
  }
  for (int64_t i = 0; i < ig_mesh_elements(m->mesh); i++)
    plastic = fmax(plastic, r->report[i * IG_DYN_REPORT + IG_REPORT_PLASTIC]);
  IG_TRY(s->result(s, "time", "s", ig_dyn_clock_of(r)->time));
  IG_TRY(s->result(s, "time_step", "s", ig_dyn_clock_of(r)->dt));
  IG_TRY(s->result(s, "energy_error", "", r->worst_error));
  bool statics = false;
  for (int i = 0; i < r->c->analysis.count; i++)
    statics |= IG_ITEM(const ig_dyn_analysis, r->c->analysis, i)->kind == IG_ANALYSIS_STATIC;
  if (statics)
    IG_TRY(s->result(s, "static_error", "", r->static_error));
  /* 0, less by what friction took; above it contact has made energy. After statics alone no step
     has said how stiff it is. */
  if (m->p.contact.surfaces > 0 && ig_dyn_clock_of(r)->stiff > 0) {
    IG_TRY(s->result(s, "contact_energy_made", "J", e.made - m->balance.made));
    IG_TRY(s->result(s, "contact_energy_stored", "J", e.stored));
  }
  if (r->c->residual.at.given)
    IG_TRY(s->result(s, "residual_unbalance", "", m->unbalance));
  IG_TRY(s->result(s, "mass", "kg", m->weight.total));
  IG_TRY(s->result(s, "added_mass", "kg", m->weight.scaled));
  IG_TRY(s->result(s, "displacement_max", "m", most));
  IG_TRY(s->result(s, "plastic_strain_max", "", plastic));
  for (int i = 0; i < r->c->probes.count; i++) {
    const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
    IG_TRY(s->result(s, p->name, probe_unit(p), r->values[FIXED + i]));
  }
  return IG_OK;
}
