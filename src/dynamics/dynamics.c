/* The dynamics room: a run from its first step to its last, the paper's Figure 5. */
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
  m->start_made = e.made;
  m->start_energy = e.plain + e.internal + e.damping - e.external - e.contact;
  return IG_OK;
}

static ig_status time_step_check(const ig_dyn_job *r, const ig_dyn_analysis *a, double critical) {
  if (a->time_step > critical) /* false where none is given */
    return ig_fail_at(r->job->cx, &a->at,
                      "`time_step` %g s is above the critical step %.4g s%s: give less, or leave "
                      "it out",
                      a->time_step, critical, r->m->p.triangles > 0 ? ", with contact" : "");
  return IG_OK;
}

static ig_status added_mass_check(const ig_dyn_job *r, const ig_dyn_analysis *a) {
  const ig_dyn_model *m = r->m;
  if (m->mass_scaled > r->c->added_mass * m->total_mass)
    return ig_fail_at(r->job->cx, &a->at,
                      "`least_step` adds %.3g %% of mass, more than `added_mass`",
                      100 * m->mass_scaled / m->total_mass);
  return IG_OK;
}

static ig_status step_choose(ig_dyn_job *r, const ig_dyn_analysis *a) {
  double critical;
  const double damping = isnan(a->damping) ? 0 : a->damping;
  IG_TRY(ig_dyn_critical_step(r->m, &critical));
  IG_TRY(time_step_check(r, a, critical));
  if (!isnan(a->time_step))
    return ig_dyn_set_clock(r->m, a->time_step, damping);
  return ig_dyn_set_clock(r->m, a->safety * critical, damping);
}

/* A row of the history and a snapshot, as asked; stops a run whose energies do not balance. */
static ig_status show(ig_dyn_job *r, bool row, bool snapshot) {
  if (row) {
    ig_dyn_energy e;
    IG_TRY(ig_dyn_history_write(r, &e));
    if (!(fabs(e.error) < r->c->energy_error))
      return IG_FAIL(r->job->cx, IG_NUMERIC,
                     "at step %lld the energy balance is off by %.3g %%, more than energy_error: "
                     "take a smaller step (safety)",
                     (long long)ig_dyn_clock_of(r)->step, 100 * e.error);
  }
  return snapshot ? ig_dyn_snapshot_write(r) : IG_OK;
}

static ig_status dynamic_begin(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *m = r->m;
  IG_TRY(ig_dyn_masses(m, a->least_step));
  IG_TRY(added_mass_check(r, a));
  if (m->mass_scaled > 0)
    ig_info(cx, "mass scaling adds %.3g %% of mass", 100 * m->mass_scaled / m->total_mass);
  IG_TRY(step_choose(r, a));
  IG_TRY(balance_start(m));
  r->analysis_start = ig_dyn_clock_of(r)->time;
  return IG_OK;
}

/* Time gone by in dynamic analyses: statics set the clock and take none. */
static ig_moment moment_now(const ig_dyn_job *r) {
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  double time = k->time - r->analysis_start;
  for (int i = 0; i < (int)r->analysis; i++) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, r->c->analysis, i);
    time += a->kind == IG_ANALYSIS_DYNAMIC ? a->duration : 0;
  }
  return (ig_moment){k->step, time};
}

static void progress_tell(const ig_dyn_job *r) {
  const double spent = ig_now() - r->solve_start;
  char note[64] = "";
  if (r->c->analysis.count > 1)
    snprintf(note, sizeof note, "analysis %d of %d", (int)r->analysis + 1, r->c->analysis.count);
  const ig_progress progress = {.unit = "s",
                                .done = moment_now(r).time,
                                .total = r->duration,
                                .rate = spent > 0 ? (double)r->element_steps / spent : 0,
                                .note = note};
  ig_progress_report(r->job->cx, &progress);
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

static ig_status run_dynamic(ig_dyn_job *r, const ig_dyn_analysis *a, bool resumed) {
  enum { LOOK = 5000 }; /* steps without the host, at most */
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *m = r->m;
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  const int64_t update = isnan(a->time_step) ? a->update : 0;
  if (!resumed) {
    IG_TRY(dynamic_begin(r, a));
    if (k->step == 0)
      IG_TRY(show(r, true, true));
  }
  const double end = r->analysis_start + a->duration;
  for (;;) {
    const ig_moment from = moment_now(r);
    const double left = (end - k->time) / k->dt - 1e-6; /* steps */
    if (left <= 0)
      return IG_OK;
    int64_t steps = left < LOOK ? (int64_t)ceil(left) : LOOK;
    if (update > 0 && steps > update - from.step % update)
      steps = update - from.step % update;
    steps = ig_schedule_ahead(&r->schedule, from, k->dt, steps);
    IG_TRY(ig_dyn_advance(m, steps));
    IG_TRY(ig_array_pull(cx, &m->clock));
    IG_TRY(fault_check(r));
    r->element_steps += steps * r->job->elements;
    progress_tell(r);

    const ig_moment to = moment_now(r);
    const bool done = k->time >= end - 1e-6 * k->dt;
    IG_TRY(show(r, done || ig_schedule_history(&r->schedule, from, to),
                done || ig_schedule_snapshot(&r->schedule, from, to)));
    if (update > 0 && k->step % update == 0)
      IG_TRY(step_choose(r, a));
    if (cx->interrupted || ig_schedule_checkpoint(&r->schedule))
      IG_TRY(ig_dyn_checkpoint_write(r));
    if (cx->interrupted)
      return IG_FAIL(cx, IG_INTERRUPTED, "interrupted at step %lld, t = %g s", (long long)k->step,
                     k->time);
  }
}

static ig_status run_static(ig_dyn_job *r, const ig_dyn_analysis *a, bool resumed) {
  ig_ctx *cx = r->job->cx;
  const ig_dyn_relaxing *k = &r->m->relax;
  resumed &= k->on;
  if (!resumed && ig_dyn_clock_of(r)->step == 0) {
    double critical; /* what is led needs a step before it has a velocity */
    IG_TRY(ig_dyn_critical_step(r->m, &critical));
    IG_TRY(ig_dyn_set_clock(r->m, a->safety * critical, 0));
    IG_TRY(balance_start(r->m));
    IG_TRY(show(r, true, true));
  }
  if (!resumed)
    IG_TRY(ig_dyn_relax_begin(r->m, a));
  for (bool done = false; !done;) {
    const int64_t before = k->steps;
    IG_TRY(ig_dyn_relax_advance(r->m, a, &done));
    r->element_steps += (k->steps - before) * r->job->elements;
    if (!done && (cx->interrupted || ig_schedule_checkpoint(&r->schedule)))
      IG_TRY(ig_dyn_checkpoint_write(r));
    if (!done && cx->interrupted)
      return IG_FAIL(cx, IG_INTERRUPTED, "interrupted after %lld steps of relaxation",
                     (long long)k->steps);
  }
  ig_info(cx, "static: estimated error %.2g, residual %.2g after %lld steps", k->error, k->residual,
          (long long)k->steps);
  r->static_error = fmax(r->static_error, k->error);
  if (!k->balanced)
    return IG_FAIL(cx, IG_NUMERIC,
                   "no equilibrium after %lld steps: the displacements are off by about %.3g of "
                   "themselves, tolerance %.3g; raise `steps` or `tolerance`, or load in smaller "
                   "pieces",
                   (long long)k->steps, k->error, a->tolerance);
  IG_TRY(ig_dyn_relax_end(r->m));
  IG_TRY(balance_start(r->m));
  return show(r, true, true);
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

/* Steps and masses that a dynamic analysis would begin with, were it the first. */
static ig_status analysis_look(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_dyn_model *m = r->m;
  double critical;
  if (isnan(a->duration))
    return ig_fail_at(r->job->cx, &a->at, "a dynamic analysis needs its `duration`");
  r->duration += a->duration;
  IG_TRY(ig_dyn_masses(m, a->least_step));
  IG_TRY(added_mass_check(r, a));
  IG_TRY(ig_dyn_critical_step(m, &critical));
  IG_TRY(time_step_check(r, a, critical));
  return ig_dyn_masses(m, 0);
}

/* The model, and all that can be refused before the first step: `check` and `run` ask the same. */
static ig_status job_open(ig_dyn_job *r, ig_job *job) {
  *r = (ig_dyn_job){.job = job, .c = job->room_case};
  IG_TRY(ig_dyn_model_new(job->cx, job->mesh, job->materials, r->c, job->precision, job->assembly,
                          &r->m));
  motion_look(r);
  IG_TRY(ig_dyn_probes_open(r));
  for (int i = 0; i < r->c->analysis.count; i++) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, r->c->analysis, i);
    if (a->kind == IG_ANALYSIS_DYNAMIC)
      IG_TRY(analysis_look(r, a));
  }
  return IG_OK;
}

static void job_close(ig_dyn_job *r) {
  free(r->name);
  free(r->column);
  free(r->values);
  free(r->probe_node);
  free(r->probe_set);
  free(r->report);
  ig_array_free(r->job->cx, &r->moved);
  ig_array_free(r->job->cx, &r->fields);
  ig_dyn_model_free(r->m);
}

static ig_status run_queue(ig_dyn_job *r) {
  ig_job *job = r->job;
  const int n = r->c->analysis.count;
  ig_schedule_start(&r->schedule, job->output, r->duration > 0 ? r->duration : INFINITY);
  bool resumed = job->restart != NULL;
  if (resumed)
    IG_TRY(ig_dyn_checkpoint_read(r));
  r->solve_start = ig_now();
  for (; r->analysis < n; r->analysis++, resumed = false) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, r->c->analysis, (int)r->analysis);
    if (a->kind == IG_ANALYSIS_DYNAMIC)
      IG_TRY(run_dynamic(r, a, resumed));
    else
      IG_TRY(run_static(r, a, resumed));
  }
  IG_TRY(job->cx->backend->sync(job->cx));
  job->seconds_solve = ig_now() - r->solve_start - job->seconds_output;
  job->steps = ig_dyn_clock_of(r)->step;
  job->element_steps = (double)r->element_steps;
  job->bytes_moved = (double)(r->element_steps / job->elements) * ig_dyn_step_bytes(r->m);
  IG_TRY(ig_dyn_checkpoint_write(r));
  return ig_dyn_results_write(r);
}

static ig_status run(ig_job *job) {
  const double start = ig_now();
  ig_dyn_job r;
  ig_status status = job_open(&r, job);
  if (status == IG_OK) {
    job->elements = ig_mesh_elements(job->mesh);
    job->nodes = job->mesh->nodes;
    job->dofs = job->nodes * r.m->p.dofs;
    job->seconds_setup = ig_now() - start;
    status = run_queue(&r);
  }
  job_close(&r);
  return status;
}

static void check_analysis(const ig_dyn_analysis *a, double critical, ig_check_line *line,
                           void *user) {
  char text[128];
  if (a->kind == IG_ANALYSIS_STATIC)
    snprintf(text, sizeof text, "static, until the displacements are within about %.2g",
             a->tolerance);
  else {
    const double dt =
        isnan(a->time_step) ? a->safety * fmax(critical, a->least_step) : a->time_step;
    snprintf(text, sizeof text, "dynamic, %.4g s, about %.0f steps", a->duration, a->duration / dt);
  }
  line(user, "analysis", text);
}

static ig_status check_tell(ig_dyn_job *r, ig_check_line *line, void *user) {
  static const char *const kind[IG_DYN_KINDS] = {"hexahedra, 8 points", "hexahedra, 1 point",
                                                 "tetrahedra",          "shells, elastic",
                                                 "shells, layered",     "beams",
                                                 "beams, fibres",       "bars"};
  ig_dyn_model *m = r->m;
  char text[128];
  double critical;
  IG_TRY(ig_dyn_critical_step(m, &critical));
  for (int k = 0; k < m->groups; k++) {
    snprintf(text, sizeof text, "%d, %d values each", m->group[k].count, m->group[k].g_f64.states);
    line(user, kind[m->group[k].kind], text);
  }
  snprintf(text, sizeof text, "%d, %lld degrees of freedom", m->p.nodes,
           (long long)m->p.nodes * m->p.dofs);
  line(user, "particles", text);
  snprintf(text, sizeof text, "%.6g kg", m->total_mass);
  line(user, "mass", text);
  if (m->p.triangles > 0)
    snprintf(text, sizeof text, "%.4g s, %.3g of the elements' for the stiffness of contact",
             critical, sqrt(1 - m->p.penalty));
  else
    snprintf(text, sizeof text, "%.4g s", critical);
  line(user, "critical step", text);
  for (int i = 0; i < r->c->analysis.count; i++)
    check_analysis(IG_ITEM(const ig_dyn_analysis, r->c->analysis, i), critical, line, user);
  snprintf(text, sizeof text, "%.1f MB on the device", (double)r->job->cx->device_bytes * 1e-6);
  line(user, "memory", text);
  return IG_OK;
}

static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  ig_dyn_job r;
  ig_status status = job_open(&r, job);
  if (status == IG_OK)
    status = check_tell(&r, line, user);
  job_close(&r);
  return status;
}

const ig_room ig_room_dynamics = {
    .name = "dynamics",
    .about = "explicit structural dynamics by the finite particle method",
    .needs_mesh = true,
    .elements = "beam2|tri3|tet4|hex8",
    .case_size = sizeof(ig_dyn_case),
    .options = ig_dyn_options,
    .run = run,
    .check = check,
    .verify = ig_dyn_verify,
    .bench = ig_dyn_bench,
    .fields = "displacement|velocity|stress|von_mises|plastic_strain|"
              "section_force|surface_stress|contact_force|contact_pressure"};
