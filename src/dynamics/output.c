/* What a run writes: probes and histories, snapshots, figures of the summary. */
#include "dynamics/run.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double probe_value(const ig_dyn_job *r, const ig_dyn_probe *p, ig_lid node) {
  const ig_dyn_model *m = r->m;
  const ig_set *set = p->set ? ig_mesh_find_set(m->mesh, p->set, IG_SET_NODES) : NULL;
  const ig_lid count = set ? set->count : 1;
  const int c = p->quantity % 3, D = m->p.dofs;
  double sum = 0;
  for (ig_lid k = 0; k < count; k++) {
    const int64_t n = set ? set->item[k] : node;
    if (p->quantity < 3)
      sum += ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c];
    else if (p->quantity < 6)
      sum += ig_dyn_get(m, &m->v, D * n + c);
    else /* what keeps the particle in balance with its elements and loads */
      sum += ig_dyn_get(m, &m->f, D * n + c) -
             (m->load.count ? ig_dyn_get(m, &m->load, D * n + c) : 0);
  }
  return p->quantity < 6 && count > 0 ? sum / count : sum;
}

ig_status ig_dyn_probes_open(ig_dyn_job *r) {
  static const char *const fixed[] = {"time [s]",     "step_size [s]", "kinetic [J]",
                                      "internal [J]", "external [J]",  "damping [J]",
                                      "contact [J]",  "error"};
  ig_ctx *cx = r->job->cx;
  const int n = r->c->probes.count, first = (int)(sizeof fixed / sizeof *fixed);
  r->columns = first + n;
  IG_TRY(IG_NEW(cx, &r->names, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->values, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->probe_node, n + 1, "probes"));
  for (int i = 0; i < first; i++)
    snprintf(r->names[i], sizeof r->names[i], "%s", fixed[i]);
  for (int i = 0; i < n; i++) {
    const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
    static const char *const unit[3] = {"m", "m/s", "N"};
    snprintf(r->names[first + i], sizeof r->names[0], "%.48s [%s]", p->name, unit[p->quantity / 3]);
    if (p->set) {
      if (!ig_mesh_find_set(r->m->mesh, p->set, IG_SET_NODES))
        return ig_fail_at(cx, &p->at, "the mesh has no node set '%s'", p->set);
      continue;
    }
    if (isnan(p->point[0]))
      return ig_fail_at(cx, &p->at, "a probe needs a `set` or a `point`");
    double best = INFINITY;
    for (ig_lid k = 0; k < r->m->mesh->nodes; k++) {
      double d = 0;
      for (int c = 0; c < 3; c++)
        d += pow(r->m->x0[3 * (int64_t)k + c] - p->point[c], 2);
      if (d < best) {
        best = d;
        r->probe_node[i] = k;
      }
    }
  }
  return IG_OK;
}

ig_status ig_dyn_history_write(ig_dyn_job *r, ig_dyn_energy *e) {
  const double start = ig_now();
  IG_TRY(ig_dyn_energies(r->m, e));
  IG_TRY(ig_dyn_pull(r->m));
  if (r->m->load.count)
    IG_TRY(ig_array_pull(r->job->cx, &r->m->load));
  r->worst_error = fmax(r->worst_error, fabs(e->error));
  const double fixed[] = {ig_dyn_clock_of(r)->time,
                          ig_dyn_clock_of(r)->dt,
                          e->plain,
                          e->internal,
                          e->external,
                          e->damping,
                          e->contact,
                          e->error};
  const int first = (int)(sizeof fixed / sizeof *fixed);
  memcpy(r->values, fixed, sizeof fixed);
  for (int i = 0; i < r->c->probes.count; i++)
    r->values[first + i] =
        probe_value(r, IG_ITEM(const ig_dyn_probe, r->c->probes, i), r->probe_node[i]);
  if (r->job->sink) {
    const char *names[256];
    for (int i = 0; i < r->columns; i++)
      names[i] = r->names[i];
    IG_TRY(r->job->sink->history(r->job->sink, r->columns, names, r->values));
  }
  r->job->seconds_output += ig_now() - start;
  return IG_OK;
}

static bool wanted(const ig_dyn_job *r, const char *field) {
  const ig_texts *t = &r->job->output->fields;
  if (t->count == 0)
    return true;
  for (int i = 0; i < t->count; i++)
    if (strcmp(t->value[i], field) == 0)
      return true;
  return false;
}

ig_status ig_dyn_picture_write(ig_dyn_job *r) {
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *m = r->m;
  if (!r->job->sink)
    return IG_OK;
  const double start = ig_now();
  IG_TRY(ig_dyn_pull(m));
  const int64_t ne = ig_mesh_elements(m->mesh), nn = m->mesh->nodes;
  if (!r->report)
    IG_TRY(IG_NEW(cx, &r->report, ne * IG_DYN_REPORT, "element results"));
  IG_TRY(ig_dyn_report(m, r->report));
  uint8_t *alive = NULL;
  bool erodes = false;
  for (int k = 0; k < m->groups; k++)
    erodes |= m->group[k].law == IG_LAW_JOHNSON;
  if (erodes) { /* an element whose points have all failed carries nothing */
    IG_TRY(IG_NEW(cx, &alive, ne, "element results"));
    for (int64_t e = 0; e < ne; e++)
      alive[e] = !(r->report[e * IG_DYN_REPORT + IG_REPORT_PLASTIC] > 0 &&
                   r->report[e * IG_DYN_REPORT + IG_REPORT_MISES] == 0);
  }
  ig_snapshot *snap;
  ig_status status = ig_snapshot_of_mesh(cx, m->mesh, alive, ig_dyn_clock_of(r)->time,
                                         ig_dyn_clock_of(r)->step, &snap);
  free(alive);
  IG_TRY(status);
  void *data;
  if (wanted(r, "displacement")) {
    IG_TRY_GOTO(status, failed,
                ig_snapshot_add(snap, "displacement", "m", IG_AT_POINTS, IG_F64, 3, NULL, &data));
    for (int64_t i = 0; i < 3 * nn; i++)
      ((double *)data)[i] = ig_dyn_get(m, &m->x, i) - m->x0[i];
  }
  if (wanted(r, "velocity")) {
    IG_TRY_GOTO(status, failed,
                ig_snapshot_add(snap, "velocity", "m/s", IG_AT_POINTS, IG_F64, 3, NULL, &data));
    for (int64_t i = 0; i < nn; i++)
      for (int c = 0; c < 3; c++)
        ((double *)data)[3 * i + c] = ig_dyn_get(m, &m->v, m->p.dofs * i + c);
  }
  static const struct {
    const char *name, *unit;
    int at, count;
  } fields[] = {{"stress", "Pa", 0, 6}, {"von_mises", "Pa", 6, 1}, {"plastic_strain", "", 7, 1}};
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
    if (!wanted(r, fields[k].name))
      continue;
    float *to = NULL;
    IG_TRY_GOTO(status, failed, IG_NEW(cx, &to, ne * fields[k].count, "element results"));
    for (int64_t e = 0; e < ne; e++)
      for (int c = 0; c < fields[k].count; c++)
        to[e * fields[k].count + c] = (float)r->report[e * IG_DYN_REPORT + fields[k].at + c];
    status = ig_snapshot_add(snap, fields[k].name, fields[k].unit, IG_AT_CELLS, IG_F32,
                             fields[k].count, to, NULL);
    free(to);
    if (status != IG_OK)
      goto failed;
  }
  status = r->job->sink->snapshot(r->job->sink, snap);
  r->job->seconds_output += ig_now() - start;
  return status;
failed:
  ig_snapshot_free(snap);
  return status;
}

ig_status ig_dyn_results_write(ig_dyn_job *r) {
  ig_sink *s = r->job->sink;
  ig_dyn_model *m = r->m;
  if (!s)
    return IG_OK;
  double most = 0, *report = r->report, plastic = 0;
  IG_TRY(ig_dyn_pull(m));
  for (int64_t n = 0; n < m->mesh->nodes; n++) {
    double u = 0;
    for (int c = 0; c < 3; c++)
      u += pow(ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c], 2);
    most = fmax(most, sqrt(u));
  }
  for (int64_t e = 0; report && e < ig_mesh_elements(m->mesh); e++)
    plastic = fmax(plastic, report[e * IG_DYN_REPORT + IG_REPORT_PLASTIC]);
  IG_TRY(s->result(s, "time", ig_dyn_clock_of(r)->time));
  IG_TRY(s->result(s, "time_step", ig_dyn_clock_of(r)->dt));
  IG_TRY(s->result(s, "energy_error", r->worst_error));
  IG_TRY(s->result(s, "mass", m->total_mass));
  IG_TRY(s->result(s, "added_mass", m->mass_scaled));
  IG_TRY(s->result(s, "displacement_max", most));
  IG_TRY(s->result(s, "plastic_strain_max", plastic));
  for (int i = 0; i < r->c->probes.count; i++) {
    const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
    IG_TRY(s->result(s, p->name, r->values[r->columns - r->c->probes.count + i]));
  }
  return IG_OK;
}
