/* The dynamics room: a queue of analyses, the paper's Figure 5. */
#include "dynamics/run.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- one analysis */

/* Balance from here on: what is there now counts as put in. */
static ig_status balance_start(ig_dyn_model *m) {
  ig_dyn_energy e;
  m->start_energy = 0;
  IG_TRY(ig_dyn_energies(m, &e));
  m->start_energy = e.plain + e.internal + e.damping - e.external - e.contact;
  return IG_OK;
}

static ig_status step_choose(ig_dyn_job *r, const ig_dyn_analysis *a) {
  double critical;
  int64_t steps;
  const double damping = isnan(a->damping) ? 0 : a->damping;
  IG_TRY(ig_dyn_critical_step(r->m, &critical));
  if (!isnan(a->time_step)) {
    if (a->time_step > critical)
      return ig_fail_at(r->job->cx, &a->at,
                        "`time_step` %g s is above the critical step %.4g s: give less, or leave "
                        "it out",
                        a->time_step, critical);
  }
  const double dt = isnan(a->time_step) ? a->safety * critical : a->time_step;
  IG_TRY(ig_steps_count(r->job->cx, &a->at, a->duration / dt, dt, &steps));
  return ig_dyn_set_clock(r->m, dt, damping);
}

/* A row of the history; stops a run whose energies do not balance. */
static ig_status history(void *self, ig_sink *to) {
  ig_dyn_job *r = self;
  ig_dyn_energy e;
  IG_TRY(ig_dyn_history_write(r, &e, to));
  if (fabs(e.error) < r->c->energy_error)
    return IG_OK;
  return IG_FAIL(r->job->cx, IG_NUMERIC,
                 "at step %lld the energy balance is off by %.3g %%, more than energy_error: "
                 "take a smaller step (safety)",
                 (long long)ig_dyn_clock_of(r)->step, 100 * e.error);
}

static ig_status dynamic_begin(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *m = r->m;
  IG_TRY(ig_dyn_masses(m, a->least_step));
  if (m->mass_scaled > r->c->added_mass * m->total_mass)
    return ig_fail_at(cx, &a->at, "`least_step` adds %.3g %% of mass, more than `added_mass`",
                      100 * m->mass_scaled / m->total_mass);
  if (m->mass_scaled > 0)
    ig_info(cx, "mass scaling adds %.3g %% of mass", 100 * m->mass_scaled / m->total_mass);
  IG_TRY(step_choose(r, a));
  IG_TRY(balance_start(m));
  r->analysis_start = ig_dyn_clock_of(r)->time;
  return IG_OK;
}

static const ig_dyn_analysis *analysis_at(const ig_dyn_job *r, int64_t i) {
  return IG_ITEM(const ig_dyn_analysis, r->c->analysis, (int)i);
}

/* Time gone by in dynamic analyses: statics set the clock and take none. */
static ig_moment moment_now(const ig_dyn_job *r) {
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  double time = 0;
  for (int64_t i = 0; i < r->analysis + r->over; i++)
    time += analysis_at(r, i)->kind == IG_ANALYSIS_DYNAMIC ? analysis_at(r, i)->duration : 0;
  const bool under_way = !r->over && r->analysis < r->c->analysis.count &&
                         analysis_at(r, r->analysis)->kind == IG_ANALYSIS_DYNAMIC;
  return (ig_moment){k->step, under_way ? time + (k->time - r->analysis_start) : time};
}

/* Trouble that a kernel met, with when it was and what may help. */
static ig_status fault_check(const ig_dyn_job *r) {
  ig_ctx *cx = r->job->cx;
  if (ig_fault_check(cx, "element", r->m->fault_ids) == IG_OK)
    return IG_OK;
  char what[256];
  snprintf(what, sizeof what, "%s", ig_ctx_message(cx));
  return IG_FAIL(cx, IG_NUMERIC,
                 "by step %lld, t = %.4g s: %s; take a smaller step (`safety`), or "
                 "look at loads, velocities and their units",
                 (long long)ig_dyn_clock_of(r)->step, ig_dyn_clock_of(r)->time, what);
}

static ig_status advance_dynamic(ig_dyn_job *r, const ig_dyn_analysis *a, int64_t most) {
  enum { LOOK = 5000 }; /* steps without the host, at most */
  ig_dyn_model *m = r->m;
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  const int64_t update = isnan(a->time_step) ? a->update : 0;
  const double end = r->analysis_start + a->duration;
  const double left = (end - k->time) / k->dt - 1e-6; /* steps */
  int64_t steps = left < LOOK ? (int64_t)ceil(left) : LOOK;
  if (update > 0 && steps > update - k->step % update)
    steps = update - k->step % update;
  steps = steps < most ? steps : most;
  if (steps > 0) {
    IG_TRY(ig_dyn_advance(m, steps));
    IG_TRY(ig_array_pull(m->cx, &m->clock));
    IG_TRY(fault_check(r));
    r->element_steps += steps * r->job->elements;
  }
  r->over = k->time >= end - 1e-6 * k->dt;
  return IG_OK;
}

/* All of it at once. One that is interrupted leaves the state it began with. */
static ig_status advance_static(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_ctx *cx = r->job->cx;
  double residual;
  int64_t steps;
  ig_keeper before;
  ig_keeper_open(cx, &before);
  IG_TRY(ig_dyn_checkpoint_write(r, &before.sink));
  ig_status status = ig_dyn_relax(r->m, a, &residual, &steps);
  const bool found = status == IG_OK && residual < a->tolerance;
  if (status == IG_OK && !found && cx->interrupted)
    status = ig_dyn_checkpoint_read(r, before.kept);
  else if (status == IG_OK && !found)
    status =
        IG_FAIL(cx, IG_NUMERIC,
                "no equilibrium after %lld steps: residual %.3g, tolerance %.3g; raise `steps` or "
                "`tolerance`, or load in smaller pieces",
                (long long)steps, residual, a->tolerance);
  ig_restart_free(before.kept);
  IG_TRY(status);
  if (!found)
    return IG_OK;
  r->element_steps += steps * r->job->elements;
  ig_info(cx, "static: residual %.2g after %lld steps", residual, (long long)steps);
  r->over = true;
  return balance_start(r->m);
}

static ig_status advance(void *self, int64_t most, int64_t ahead) {
  ig_dyn_job *r = self;
  const ig_dyn_analysis *a = analysis_at(r, r->analysis);
  (void)ahead;
  return a->kind == IG_ANALYSIS_DYNAMIC ? advance_dynamic(r, a, most) : advance_static(r, a);
}

/* The next analysis where one is over; else the next step's length where it is time to look. */
static ig_status renew(void *self) {
  ig_dyn_job *r = self;
  if (r->analysis == r->c->analysis.count)
    return IG_OK;
  const ig_dyn_analysis *a = analysis_at(r, r->analysis);
  const int64_t update = a->kind == IG_ANALYSIS_DYNAMIC && isnan(a->time_step) ? a->update : 0;
  if (update > 0 && ig_dyn_clock_of(r)->step > 0 && ig_dyn_clock_of(r)->step % update == 0)
    IG_TRY(step_choose(r, a));
  if (!r->over)
    return IG_OK;
  r->analysis++;
  r->over = false;
  if (r->analysis == r->c->analysis.count ||
      analysis_at(r, r->analysis)->kind == IG_ANALYSIS_STATIC)
    return IG_OK;
  return dynamic_begin(r, analysis_at(r, r->analysis));
}

static void stand(const void *self, ig_standing *now) {
  const ig_dyn_job *r = self;
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  const int64_t n = r->c->analysis.count;
  *now = (ig_standing){.at = moment_now(r),
                       .clock = k->time,
                       .duration = r->duration > 0 ? r->duration : INFINITY,
                       .dt = k->dt,
                       .ended = r->analysis + r->over >= n,
                       .show = r->over ? IG_SHOW_ROW | IG_SHOW_SNAPSHOT : 0,
                       .work = (double)r->element_steps};
  if (n > 1 && r->analysis < n)
    snprintf(now->note, sizeof now->note, "analysis %d of %d", (int)r->analysis + 1, (int)n);
}

/* --- the queue of analyses, the room's table */

/* Says so where a case has nothing that could move it. */
static void motion_look(const ig_dyn_job *r) {
  const ig_dyn_case *c = r->c;
  const ig_list *held[] = {&c->supports, &c->bodies};
  bool moves = c->loads.count + c->initial.count + c->tools.count > 0 || c->gravity.at.given;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < held[k]->count; i++) {
      const ig_support_case *s = IG_ITEM(const ig_support_case, *held[k], i);
      moves |= !isnan(s->displacement[0]) || !isnan(s->velocity[0]) || !isnan(s->acceleration[0]) ||
               !isnan(s->spin[0]);
    }
  if (!moves)
    ig_warn_at(r->job->cx, &c->at,
               "nothing moves this body: no loads, initial velocities, motions or gravity");
}

static ig_status room_open(ig_job *job, void **self) {
  ig_dyn_job *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, "dynamics"));
  *self = r;
  r->job = job;
  r->c = job->room_case;
  IG_TRY(ig_dyn_model_new(job->cx, job->mesh, job->materials, r->c, job->precision, job->assembly,
                          &r->m));
  job->elements = ig_mesh_elements(job->mesh);
  job->nodes = job->mesh->nodes;
  job->dofs = job->nodes * r->m->p.dofs;
  for (int i = 0; i < r->c->analysis.count; i++) {
    const ig_dyn_analysis *a = analysis_at(r, i);
    if (a->kind == IG_ANALYSIS_DYNAMIC && isnan(a->duration))
      return ig_fail_at(job->cx, &a->at, "a dynamic analysis needs its `duration`");
    r->duration += a->kind == IG_ANALYSIS_DYNAMIC ? a->duration : 0;
  }
  motion_look(r);
  return ig_dyn_probes_open(r);
}

static void room_close(void *self) {
  ig_dyn_job *r = self;
  if (!r)
    return;
  free(r->name);
  free(r->column);
  free(r->values);
  free(r->probe_node);
  free(r->probe_set);
  free(r->report);
  ig_array_free(r->job->cx, &r->moved);
  ig_array_free(r->job->cx, &r->fields);
  ig_dyn_model_free(r->m);
  free(r);
}

static ig_status begin(void *self) {
  ig_dyn_job *r = self;
  if (r->c->analysis.count == 0)
    return IG_OK;
  const ig_dyn_analysis *a = analysis_at(r, 0);
  return a->kind == IG_ANALYSIS_DYNAMIC ? dynamic_begin(r, a) : balance_start(r->m);
}

static void tally(void *self) {
  ig_dyn_job *r = self;
  ig_job *job = r->job;
  if (job->elements == 0)
    return;
  job->element_steps = (double)r->element_steps;
  job->bytes_moved = (double)(r->element_steps / job->elements) * ig_dyn_step_bytes(r->m);
}

static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  ig_dyn_model *m;
  const ig_dyn_case *c = job->room_case;
  IG_TRY(
      ig_dyn_model_new(job->cx, job->mesh, job->materials, c, job->precision, job->assembly, &m));
  double critical;
  char text[128];
  ig_status status = ig_dyn_critical_step(m, &critical);
  if (status == IG_OK) {
    static const char *const kind[IG_DYN_KINDS] = {"hexahedra, 8 points", "hexahedra, 1 point",
                                                   "tetrahedra",          "shells, elastic",
                                                   "shells, layered",     "beams",
                                                   "beams, fibres",       "bars"};
    for (int k = 0; k < m->groups; k++) {
      snprintf(text, sizeof text, "%d, %d values each", m->group[k].count,
               m->group[k].g_f64.states);
      line(user, kind[m->group[k].kind], text);
    }
    snprintf(text, sizeof text, "%d, %lld degrees of freedom", m->p.nodes,
             (long long)m->p.nodes * m->p.dofs);
    line(user, "particles", text);
    snprintf(text, sizeof text, "%.6g kg", m->total_mass);
    line(user, "mass", text);
    snprintf(text, sizeof text, "%.4g s", critical);
    line(user, "critical step", text);
    for (int i = 0; i < c->analysis.count; i++) {
      const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, c->analysis, i);
      if (a->kind == IG_ANALYSIS_STATIC) {
        line(user, "analysis", "static");
        continue;
      }
      const double dt =
          isnan(a->time_step) ? a->safety * fmax(critical, a->least_step) : a->time_step;
      snprintf(text, sizeof text, "dynamic, %.4g s, about %.0f steps", a->duration,
               a->duration / dt);
      line(user, "analysis", text);
    }
    snprintf(text, sizeof text, "%.1f MB on the device", (double)job->cx->device_bytes * 1e-6);
    line(user, "memory", text);
  }
  ig_dyn_model_free(m);
  return status;
}

const ig_room ig_room_dynamics = {.name = "dynamics",
                                  .about =
                                      "explicit structural dynamics by the finite particle method",
                                  .needs_mesh = true,
                                  .elements = "beam2|tri3|tet4|hex8",
                                  .case_size = sizeof(ig_dyn_case),
                                  .options = ig_dyn_options,
                                  .open = room_open,
                                  .close = room_close,
                                  .begin = begin,
                                  .restore = ig_dyn_checkpoint_read,
                                  .advance = advance,
                                  .stand = stand,
                                  .history = history,
                                  .snapshot = ig_dyn_snapshot_write,
                                  .renew = renew,
                                  .save = ig_dyn_checkpoint_write,
                                  .results = ig_dyn_results_write,
                                  .tally = tally,
                                  .field = ig_dyn_field,
                                  .get = ig_dyn_field_get,
                                  .set = ig_dyn_field_set,
                                  .load = ig_dyn_field_load,
                                  .check = check,
                                  .verify = ig_dyn_verify,
                                  .bench = ig_dyn_bench,
                                  .fields = "displacement|velocity|stress|von_mises|plastic_strain|"
                                            "section_force|contact_force|contact_pressure"};
