/* What a run of the stress room shows: probes, history rows, figures of the summary.
   All of it is evaluated on the host from m->report (values of the elements of a rank), m->u and
   m->force, which ig_stress_look_now renews after each step; the functions that write only read
   them. Snapshots are the first rank's; the others give it what they have. */
#include "backend/backend.h"
#include "core/schedule.h"
#include "mesh/geometry.h"
#include "mesh/named.h"
#include "ranks/ranks.h"
#include "stress/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of every history, in the order in which ig_stress_look_now fills them; probes follow. */
static const char *const fixed_columns[] = {
    "time [s]",     "phase",      "elements",  "T_max [K]",          "newton",
    "linear",       "residual",   "u_max [m]", "von_mises_max [Pa]", "plastic_strain_max",
    "recoater [m]", "work [J]",   "heat [J]",  "stored [J]",         "dissipated [J]",
    "lost [J]",     "missing [J]"};
enum { FIXED = sizeof fixed_columns / sizeof *fixed_columns };

/* Probe i of the case. */
static const ig_stress_probe *probe_of(const ig_stress_run *r, int i) {
  return IG_ITEM(const ig_stress_probe, r->c->probes, i);
}

/* Element quantities in the order of IG_STRESS_REPORT: six stresses and von Mises in Pa, plastic
   strain, temperature, six elastic strains, fraction of martensite. */
static const char *probe_unit(const ig_stress_probe *p) {
  if (p->quantity < IG_PROBE_F)
    return "m";
  if (p->quantity < IG_PROBE_ELEMENT)
    return "N";
  const int k = p->quantity - IG_PROBE_ELEMENT;
  return k < 7 ? "Pa" : k == 8 ? "K" : "";
}

/* --- probes --- */

/* Resolves the probes to nodes or elements and names the columns. Names are cut to 48 characters
   to leave room for the unit. */
ig_status ig_stress_probes_open(ig_stress_run *r) {
  ig_ctx *cx = r->m->cx;
  const int n = r->c->probes.count;
  r->columns = FIXED + n;
  IG_TRY(IG_NEW(cx, &r->name, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->column, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->value, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->look, n + 1, "probes"));
  IG_TRY(IG_NEW(cx, &r->since, n + 1, "probes"));
  IG_TRY(IG_NEW(cx, &r->after, (size_t)r->c->phases.count * (size_t)n + 1, "probes"));
  for (int i = 0; i < FIXED; i++)
    r->column[i] = fixed_columns[i];
  for (int i = 0; i < n; i++) {
    const ig_stress_probe *p = probe_of(r, i);
    const char *unit = probe_unit(p);
    snprintf(r->name[i], sizeof r->name[i], *unit ? "%.48s [%s]" : "%.48s", p->name, unit);
    r->column[FIXED + i] = r->name[i];
    if (p->quantity == IG_PROBE_MARTENSITE && !r->m->material.transforms)
      return ig_fail_at(cx, &p->at,
                        "no material of the case has martensite: give one of them "
                        "`mechanical.transformation`, or probe another quantity");
    IG_TRY(ig_stress_phase_named(r->m, &p->at, p->since, -1, r->since + i));
    IG_TRY(ig_look_find(cx, r->job->mesh, &p->at, p->set, p->point, p->quantity >= IG_PROBE_ELEMENT,
                        r->look + i));
  }
  return IG_OK;
}

/* Displacements and values of elements are means over the set, forces are sums. The force on a
   node is what holds it: internal force less load. Collective. */
static ig_status probe_value(const ig_stress_run *r, int i, double *sum) {
  ig_stress *m = r->m;
  const ig_stress_probe *p = probe_of(r, i);
  const ig_look *k = r->look + i;
  const double *u = m->u.host, *f = m->force.host, *load = m->load.host;
  double *value = NULL;
  *sum = 0;
  if (p->quantity >= IG_PROBE_ELEMENT) {
    IG_TRY(IG_NEW(m->cx, &value, k->count, "probes"));
    const ig_status status =
        ig_stress_report_at(m, k->item, k->count, p->quantity - IG_PROBE_ELEMENT, value);
    for (ig_lid j = 0; j < k->count && status == IG_OK; j++)
      *sum += value[j] / k->count;
    free(value);
    return status;
  }
  for (ig_lid j = 0; j < k->count; j++) {
    const int64_t at = 3 * (int64_t)k->item[j] + p->quantity % 3;
    *sum += p->quantity < IG_PROBE_F ? u[at] / k->count : f[at] - load[at];
  }
  return IG_OK;
}

/* A value of the probe at the end of a phase, or within it, as it is shown. */
static double probe_shown(const ig_stress_run *r, int i, int phase, double value) {
  const int since = r->since[i], n = r->c->probes.count;
  if (since < 0)
    return value;
  if (phase < since)
    return 0;
  return value - (since > 0 ? r->after[(int64_t)(since - 1) * n + i] : 0);
}

/* Of living elements: how many, and the largest temperature, von Mises stress and plastic strain of
   all ranks, which are not negative. */
static ig_status maxima_find(ig_stress_run *r, ig_lid *living, double *T) {
  ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  double most[3] = {0};
  *living = 0;
  for (ig_lid e = 0; e < m->elements; e++)
    *living += alive[e] != 0;
  for (ig_lid i = 0; i < m->part.elements; i++)
    for (int k = 0; k < 3 && alive[ig_stress_element(m, i)]; k++)
      most[k] = fmax(most[k], m->report[IG_STRESS_REPORT * (int64_t)i + 6 + k]);
  IG_TRY(ig_stress_largest(m, most, 3));
  r->mises_max = most[0];
  r->plastic_max = most[1];
  *T = most[2];
  return IG_OK;
}

/* After every step: values of elements, forces and displacements to the host; maxima; the row of
   the history. Costs one pass of values and one of forces. */
ig_status ig_stress_look_now(ig_stress_run *r) {
  ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  double T = 0;
  ig_lid living = 0;
  IG_TRY(ig_stress_alpha_clear(m));
  IG_TRY(ig_stress_report(m));
  IG_TRY(ig_stress_forces(m));
  IG_TRY(ig_array_pull(m->cx, &m->force));
  IG_TRY(ig_array_pull(m->cx, &m->u));
  IG_TRY(maxima_find(r, &living, &T));
  const double *u = m->u.host;
  r->u_max = 0;
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (alive[i / m->npe]) {
      const double *v = u + 3 * (int64_t)m->conn[i];
      /* the square, rooted once after the loop */
      r->u_max = fmax(r->u_max, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
  r->u_max = sqrt(r->u_max);
  const ig_stress_balance *b = &m->balance;
  const ig_stress_step *s = r->at ? r->step + r->at - 1 : NULL;
  const double fixed[FIXED] = {ig_stress_time(r),
                               s ? s->phase + 1 : 0,
                               living,
                               T,
                               m->count.newton,
                               m->count.linear,
                               m->count.residual,
                               r->u_max,
                               r->mises_max,
                               r->plastic_max,
                               r->recoater_now,
                               b->work,
                               b->heat,
                               b->stored,
                               b->dissipated,
                               b->annealed + b->released,
                               b->missing};
  memcpy(r->value, fixed, sizeof fixed);
  const int n = r->c->probes.count;
  for (int i = 0; i < n; i++) {
    double value;
    IG_TRY(probe_value(r, i, &value));
    r->value[FIXED + i] = probe_shown(r, i, s ? s->phase : -1, value);
    /* values at the end of each phase: overwritten by every step, the last one stays */
    if (s)
      r->after[(int64_t)s->phase * n + i] = value;
  }
  return IG_OK;
}

ig_status ig_stress_history(void *self, ig_sink *to) {
  ig_stress_run *r = self;
  return to ? to->history(to, r->columns, r->column, r->value) : IG_OK;
}

/* --- figures --- */

ig_status ig_stress_nodes_there(ig_stress *m, bool **there) {
  IG_TRY(IG_NEW(m->cx, there, (size_t)m->nodes, "nodes of the body"));
  const uint8_t *alive = m->alive.host;
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    (*there)[m->conn[i]] |= alive[i / m->npe] != 0;
  return IG_OK;
}

/* Sums of the loads and of the forces of supports, over the nodes of the body. Loads on nodes
   without elements, those that a cut has left, have no effect: a warning gives their sum. */
static ig_status sums_write(ig_stress *m, ig_sink *to) {
  static const char *const name[] = {"reaction_x", "reaction_y", "reaction_z",
                                     "load_x",     "load_y",     "load_z"};
  double sum[6] = {0}, lost[3] = {0};
  bool *there, any = false;
  IG_TRY(ig_stress_forces(m));
  IG_TRY(ig_array_pull(m->cx, &m->force));
  IG_TRY(ig_stress_nodes_there(m, &there));
  const double *f = m->force.host, *load = m->load.host;
  for (int64_t i = 0; i < 3 * (int64_t)m->nodes; i++) {
    if (!there[i / 3]) {
      lost[i % 3] += load[i];
      any |= load[i] != 0;
      continue;
    }
    sum[i % 3] += m->held.bits[i / 3] >> i % 3 & 1 ? f[i] - load[i] : 0;
    sum[3 + i % 3] += load[i];
  }
  free(there);
  if (any)
    ig_warn(m->cx,
            "loads of (%.3g, %.3g, %.3g) N act on nodes that have no elements at the end, and have "
            "no effect there: give the load another set, or a `history` that ends before the cut",
            lost[0], lost[1], lost[2]);
  for (int k = 0; k < 6; k++)
    IG_TRY(to->result(to, name[k], "N", sum[k]));
  return IG_OK;
}

/* Small rotations are assumed, and the part turns: strains of a body that turns by an angle t are
   wrong by t^2 / 2. A hundredth of the elements may turn: molten or loose ones do. */
static void turns_warn(const ig_stress_run *r) {
  const ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  const double *x = m->mesh->x, *u = m->u.host;
  double worst = 0;
  ig_lid living = 0, turned = 0;
  for (ig_lid e = 0; e < m->elements && m->c->rotations == IG_ROTATIONS_SMALL; e++) {
    double X[30], v[30];
    if (!alive[e])
      continue;
    for (int i = 0; i < 3 * m->npe; i++) {
      X[i] = x[3 * (int64_t)m->conn[m->npe * (int64_t)e + i / 3] + i % 3];
      v[i] = u[3 * (int64_t)m->conn[m->npe * (int64_t)e + i / 3] + i % 3];
    }
    const double turn = ig_nodes_turn(m->npe, X, v);
    living++;
    turned += turn > 0.1; /* rad: strains of 0.5 % */
    worst = fmax(worst, turn);
  }
  if (turned > living / 100)
    ig_warn_at(m->cx, &r->c->at,
               "%lld of %lld elements turn by more than 6 degrees, one by %.0f: too much for small "
               "rotations (strains are wrong by up to %.1g); set `rotations: finite`",
               (long long)turned, (long long)living, worst * 180 / 3.14159265358979324,
               0.5 * worst * worst);
}

/* Force that pulls the rest off; how many elements have torn, where and when the first of them. */
static ig_status torn_write(const ig_stress_run *r, ig_sink *to) {
  const ig_stress_torn *t = &r->m->tears.torn;
  if (r->c->tearing.count == 0)
    return IG_OK;
  IG_TRY(to->result(to, "removal_force", "N", ig_stress_removal_force(r->m)));
  IG_TRY(to->result(to, "torn_elements", "", t->elements));
  if (t->elements == 0)
    return IG_OK;
  IG_TRY(to->result(to, "torn_layer", "", t->layer));
  IG_TRY(to->result(to, "torn_time", "s", t->time));
  IG_TRY(to->result(to, "torn_stress", "Pa", t->stress));
  IG_TRY(to->result(to, "torn_x", "m", t->place[0]));
  IG_TRY(to->result(to, "torn_y", "m", t->place[1]));
  return to->result(to, "torn_z", "m", t->place[2]);
}

/* Figures of the summary. A probe appears with its final value, and as NAME_after_PHASE for each
   named phase before the last. */
ig_status ig_stress_results(void *self, ig_sink *to) {
  ig_stress_run *r = self;
  const ig_stress *m = r->m;
  const int n = r->c->probes.count, last = r->c->phases.count - 1;
  double *off, worst = 0, recoater = -INFINITY;
  IG_TRY(IG_NEW(m->cx, &off, 3 * (size_t)m->nodes, "distortion"));
  ig_status status = ig_stress_distortion_now(r, off, &worst);
  free(off);
  IG_TRY(status);
  turns_warn(r);
  for (ig_lid i = 0; i < m->nodes; i++)
    if (!isnan(r->recoater[i]))
      recoater = fmax(recoater, r->recoater[i]);
  IG_TRY(to->result(to, "u_max", "m", r->u_max));
  IG_TRY(to->result(to, "distortion_max", "m", worst));
  for (int i = 0; r->c->compensation_runs > 1 && i <= (int)r->rounds.round; i++) {
    char key[40];
    snprintf(key, sizeof key, "distortion_run_%d", i + 1);
    IG_TRY(to->result(to, key, "m", r->rounds.worst[i]));
  }
  IG_TRY(to->result(to, "von_mises_max", "Pa", r->mises_max));
  IG_TRY(ig_stress_nodal_results(r, to));
  IG_TRY(to->result(to, "plastic_strain_max", "", r->plastic_max));
  if (isfinite(recoater))
    IG_TRY(to->result(to, "recoater_height_max", "m", recoater));
  for (int i = 0; i <= last; i++)
    if (!isnan(IG_ITEM(const ig_stress_phase, r->c->phases, i)->clearance)) {
      IG_TRY(to->result(to, "recoater_touches", "", r->touches));
      break;
    }
  const struct {
    const char *key;
    double value;
  } energy[] = {
      {"energy_work", m->balance.work},         {"energy_heat", m->balance.heat},
      {"energy_stored", m->balance.stored},     {"energy_dissipated", m->balance.dissipated},
      {"energy_annealed", m->balance.annealed}, {"energy_released", m->balance.released},
      {"energy_missing", m->balance.missing}};
  for (size_t i = 0; i < sizeof energy / sizeof *energy; i++)
    IG_TRY(to->result(to, energy[i].key, "J", energy[i].value));
  IG_TRY(ig_stress_parts_look(r, NULL, to));
  IG_TRY(torn_write(r, to));
  IG_TRY(sums_write(r->m, to));
  IG_TRY(to->result(to, "newton_iterations", "", (double)m->count.newton_all));
  IG_TRY(to->result(to, "linear_iterations", "", (double)m->count.linear_all));
  for (int i = 0; i < n; i++) {
    const ig_stress_probe *p = probe_of(r, i);
    IG_TRY(to->result(to, p->name, probe_unit(p),
                      probe_shown(r, i, last, r->after[(int64_t)last * n + i])));
    for (int k = 0; k < last; k++) {
      const char *phase = IG_ITEM(const ig_stress_phase, r->c->phases, k)->name;
      char key[128];
      if (!phase)
        continue;
      snprintf(key, sizeof key, "%.50s_after_%.50s", p->name, phase);
      IG_TRY(
          to->result(to, key, probe_unit(p), probe_shown(r, i, k, r->after[(int64_t)k * n + i])));
    }
  }
  return IG_OK;
}
