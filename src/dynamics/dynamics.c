/* The dynamics room: a queue of analyses (Tang et al. 2020, Fig. 5). This file is the interface
   to the time loop (core/room.h) and decides what is done next; the model and its passes know no
   analyses.

   A run:

     room_open ─► begin ─► ┌ advance ─► history, snapshot ─► renew ┐ ─► results, close
                           └──────────── until stand says ended ◄──┘

   advance carries out a stretch of the current analysis: steps through time up to the next look
   at the critical step or at overlaps (advance_dynamic), a stretch of relaxation
   (advance_static), one load step of Newton's method (advance_newton) or one mode shape
   (advance_modes). It sets r->over at the end of the analysis. renew, which the loop calls after
   output, computes the critical step anew or begins the next analysis, so that output at the end
   of an analysis sees its last state.

   Checkpoints of statics hold the state at the start of the analysis (start_keep): how the load
   steps or the ramp were chosen is not part of the state. */
#include "dynamics/model/rigid_body_check.h"
#include "dynamics/model/solids.h"
#include "dynamics/run.h"
#include "dynamics/model/model.h"
#include "dynamics/contact/overlap.h"
#include "dynamics/model/part.h"
#include "ranks/restart.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- one analysis */

/* Balance from here on: what is there now counts as put in. Energies of now become the starting
   value, so that the error of an analysis is its own. */
static ig_status balance_start(ig_dyn_model *m) {
  ig_dyn_energy e;
  m->balance.energy = 0;
  IG_TRY(ig_dyn_energies(m, &e));
  m->balance.made = e.made;
  m->balance.energy = e.plain + e.internal + e.damping - e.external - e.contact;
  return IG_OK;
}

/* The step that an analysis takes as things stand; fails if it would be too large. `time_step`
   of the case must be stable; without it the step is safety x critical, and no longer than what
   contact at the speeds of the start allows (blow_step). */
static ig_status step_find(ig_dyn_job *r, const ig_dyn_analysis *a, double *dt) {
  double critical;
  int64_t steps;
  IG_TRY(ig_dyn_critical_step(r->m, &critical));
  if (a->time_step > critical) /* false where none is given */
    return ig_fail_at(r->job->cx, &a->at,
                      "`time_step` %g s is above the critical step %.4g s%s: give less, or leave "
                      "it out",
                      a->time_step, critical, ig_dyn_touches(r->m) ? ", with contact" : "");
  if (isinf(critical) && isnan(a->time_step))
    return ig_fail_at(r->job->cx, &a->at,
                      "every element is rigid, so that nothing limits the step: give `time_step`");
  *dt = isnan(a->time_step) ? a->safety * critical : a->time_step;
  if (isnan(a->time_step) && r->blow_step > 0)
    *dt = fmin(*dt, r->blow_step);
  return ig_steps_count(r->job->cx, &a->at, a->duration / *dt, *dt, &steps);
}

/* The clock gets the step of now; NaN damping means none in dynamics. */
static ig_status step_choose(ig_dyn_job *r, const ig_dyn_analysis *a) {
  double dt = 0;
  IG_TRY(step_find(r, a, &dt));
  return ig_dyn_set_clock(r->m, dt, isnan(a->damping) ? 0 : a->damping);
}

/* Masses for an analysis; refuses to add too much. */
static ig_status masses_find(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_dyn_model *m = r->m;
  IG_TRY(ig_dyn_masses(m, a->mass_scaling_step));
  if (m->weight.scaled > r->c->added_mass * m->weight.total)
    return ig_fail_at(r->job->cx, &a->at,
                      "`mass_scaling_step` adds %.3g %% of mass, more than `added_mass`",
                      100 * m->weight.scaled / m->weight.total);
  return IG_OK;
}

/* Advice for messages about steps that were too long. Elements that get small quickly have a
   smaller critical step long before it is computed again. */
static const char *update_hint(const ig_dyn_job *r) {
  for (int k = 0; k < r->m->groups; k++)
    if (r->m->group[k].law == IG_LAW_NEOHOOKE)
      return " or, where soft elements are crushed, look at the critical step more often "
             "(`step_update_every: "
             "1`)";
  return "";
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
                 "take a smaller step (`safety`)%s",
                 (long long)ig_dyn_clock_of(r)->step, 100 * e.error, update_hint(r));
}

/* Contact sees what crosses a surface in a step: bodies that come fast need a smaller one. */
static ig_status blow_look(ig_dyn_job *r) {
  r->look = r->m->overlap.due = 0;
  return ig_dyn_overlap_step(r->m, &r->blow_step);
}

/* What the stiffness of contact costs, as information in the log: its share of the step. */
static ig_status contact_tell(const ig_dyn_job *r, const ig_dyn_analysis *a) {
  double critical;
  if (!ig_dyn_touches(r->m) || !isnan(a->time_step))
    return IG_OK;
  IG_TRY(ig_dyn_critical_step(r->m, &critical));
  ig_info(r->job->cx,
          "contact is %.3g times as stiff as a layer of elements: the step is %.3g of theirs",
          ig_dyn_penalty(r->m), sqrt(1 - ig_dyn_contact_load(r->m) * critical * critical));
  return IG_OK;
}

/* Masses, then the step (which depends on masses), then the balance of energy from here on. */
static ig_status dynamic_begin(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *m = r->m;
  IG_TRY(masses_find(r, a));
  if (m->weight.scaled > 0)
    ig_info(cx, "mass scaling adds %.3g %% of mass", 100 * m->weight.scaled / m->weight.total);
  IG_TRY(blow_look(r));
  IG_TRY(step_choose(r, a));
  IG_TRY(contact_tell(r, a));
  IG_TRY(balance_start(m));
  r->analysis_start = ig_dyn_clock_of(r)->time;
  return IG_OK;
}

static const ig_dyn_analysis *analysis_at(const ig_dyn_job *r, int64_t i) {
  return IG_ITEM(const ig_dyn_analysis, r->c->analysis, (int)i);
}

/* Time gone by in dynamic analyses: statics set the clock and take none. Their steps count at their
   end, so that nothing is shown on the way. */
static ig_moment moment_now(const ig_dyn_job *r) {
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  const int64_t step = k->step - (r->m->relax.on ? r->m->relax.steps : 0);
  double time = 0;
  /* analyses that are over, the one that has just ended among them */
  for (int64_t i = 0; i < r->analysis + r->over; i++)
    time += analysis_at(r, i)->kind == IG_ANALYSIS_DYNAMIC ? analysis_at(r, i)->duration : 0;
  const bool under_way = !r->over && r->analysis < r->c->analysis.count &&
                         analysis_at(r, r->analysis)->kind == IG_ANALYSIS_DYNAMIC;
  return (ig_moment){step, under_way ? time + (k->time - r->analysis_start) : time};
}

/* Trouble that a kernel met, with when it was and what may help. */
static ig_status fault_check(const ig_dyn_job *r) {
  ig_ctx *cx = r->job->cx;
  const ig_status status = ig_fault_check(cx, "element", r->m->fault_ids);
  if (status != IG_NUMERIC) /* a device that has failed is told as it is */
    return status;
  char what[256];
  snprintf(what, sizeof what, "%s", ig_ctx_message(cx));
  return IG_FAIL(cx, IG_NUMERIC,
                 "by step %lld, t = %.4g s: %s; take a smaller step (`safety`)%s, or "
                 "look at loads, velocities and their units",
                 (long long)ig_dyn_clock_of(r)->step, ig_dyn_clock_of(r)->time, what,
                 update_hint(r));
}

/* Steps until the first of: end of the analysis, next look at the critical step, next look for
   overlaps, output (`most`), LOOK. Afterwards faults of kernels are read: later than they
   occurred, but a look per step would stop the device each time. */
static ig_status advance_dynamic(ig_dyn_job *r, const ig_dyn_analysis *a, int64_t most) {
  enum { LOOK = 5000 }; /* steps without the host, at most */
  ig_dyn_model *m = r->m;
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  const int64_t update = isnan(a->time_step) ? a->step_update_every : 0;
  const double end = r->analysis_start + a->duration;
  /* 1e-6 of a step: rounding of times must not add a step at the end */
  const double left = (end - k->time) / k->dt - 1e-6; /* steps */
  int64_t steps = left < LOOK ? (int64_t)ceil(left) : LOOK;
  if (update > 0 && steps > update - k->step % update)
    /* updates lie on multiples of `update` in the run's count of steps, so that a restart
       repeats them */
    steps = update - k->step % update;
  steps = steps < most ? steps : most;
  const bool watched = ig_dyn_overlap_watched(m);
  if (watched && r->look > k->step && steps > r->look - k->step)
    steps = r->look - k->step;
  if (steps > 0) {
    IG_TRY(ig_dyn_advance(m, steps));
    IG_TRY(ig_array_pull(m->cx, &m->clock));
    IG_TRY(ig_ranks_agree(m->cx, fault_check(r)));
    r->element_steps += steps * r->job->elements;
  }
  r->over = k->time >= end - 1e-6 * k->dt;
  if (watched && (k->step >= r->look || r->over)) {
    int64_t next = 0;
    IG_TRY(ig_dyn_overlap_check(m, r->over, &next));
    r->look = next < INT64_MAX - k->step ? k->step + next : INT64_MAX;
  }
  return IG_OK;
}

/* What no support holds may be why there is no equilibrium: it is named in a warning. */
static ig_status loose_warn(ig_dyn_model *m) {
  ig_dyn_loose l;
  IG_TRY(ig_dyn_loose_find(m, &l));
  if (l.parts)
    ig_warn(m->cx,
            "static: the part of %lld nodes that began around (%.4g, %.4g, %.4g) m is held by no "
            "support and has moved by %.3g m: contact pushes it and friction slows it, but neither "
            "brings it to one place; hold it where it may slide",
            (long long)l.nodes, l.at[0], l.at[1], l.at[2], l.way);
  return IG_OK;
}

/* Whether the ramp of statics is found by trials: what yields depends on it, and the case gives
   none. */
static bool ramp_found(const ig_dyn_job *r, const ig_dyn_analysis *a) {
  return isnan(a->ramp) && ig_dyn_yields(r->m) && a->at_time != r->analysis_start;
}

/* A ramp on which too much of the work was lost is done again, slower, from where it began. */
static const double lost_most = 0.02;
/* Reads the state at the start of the analysis back and sets a longer ramp. */
static ig_status ramp_again(ig_dyn_job *r) {
  /* what is lost falls with the square of the steps; at the first trial, or above a third, it only
     says "far too fast" */
  /* aims at 0.6 of what is allowed */
  const double path = r->m->relax.path, by = sqrt(path / (0.6 * lost_most));
  const bool far = path > 1.0 / 3 || (r->ramp <= IG_RELAX_RAMP && path > 0.1);
  const double slower = far ? 16 : fmin(6, fmax(1.5, by));
  ig_restart *from = r->start.kept;
  const double ramp = slower * r->ramp;
  ig_info(r->job->cx,
          "static: %.2g %% of the work was lost over a ramp of %.0f steps; again with %.0f",
          100 * path, r->ramp, ramp);
  IG_TRY(ig_dyn_relax_end(r->m));
  IG_TRY(ig_restart_share(r->job->cx, true, &from));
  const ig_status status = ig_dyn_checkpoint_read(r, from);
  if (from != r->start.kept)
    ig_restart_free(from);
  r->ramp = ramp;
  return status;
}

/* A warning at the end of statics whose way was too fast, with what to change. */
static void path_warn(ig_dyn_job *r, const ig_dyn_analysis *a) {
  if (r->m->relax.path > 4 * lost_most)
    ig_warn_at(
        r->job->cx, &a->at,
        "static: relaxation took away %.0f %% of the work that was put in, so the loads came "
        "too fast: what yields depends on the way, and forces and stresses may be wrong; %s",
        100 * r->m->relax.path,
        isnan(a->ramp) ? "raise `steps`, or let loads grow from 0 by a `history`"
                       : "raise `ramp`, or leave it out");
}

/* The state that an analysis begins from is what checkpoints hold until it has ended. */
static ig_status start_keep(ig_dyn_job *r) {
  if (r->start.kept)
    return IG_OK;
  ig_keeper_open(r->job->cx, &r->start);
  return ig_dyn_checkpoint_write(r, &r->start.sink);
}

/* The analysis has ended: checkpoints are those of the running state again. */
static void start_forget(ig_dyn_job *r) {
  ig_restart_free(r->start.kept);
  r->start.kept = NULL;
}

/* A stretch of relaxation. Where the ramp is found, a trial that lost too much of the work is
   broken off early and begins again with a longer ramp. */
static ig_status advance_static(ig_dyn_job *r, const ig_dyn_analysis *given) {
  ig_ctx *cx = r->job->cx;
  const ig_dyn_relaxing *k = &r->m->relax;
  ig_dyn_analysis own = *given, *a = &own;
  bool done;
  if (!k->on) {
    r->analysis_start = ig_dyn_clock_of(r)->time;
    if (ramp_found(r, given))
      IG_TRY(start_keep(r));
    r->ramp = fmax(r->ramp, IG_RELAX_RAMP);
  }
  if (ramp_found(r, given))
    a->ramp = r->ramp;
  if (!k->on)
    IG_TRY(ig_dyn_relax_begin(r->m, a));
  const int64_t before = k->steps;
  IG_TRY(ig_dyn_relax_advance(r->m, a, &done));
  r->element_steps += (k->steps - before) * r->job->elements;
  /* given up early where much more was lost than allowed; but not in the first tenth of the
     ramp, and only where a longer ramp fits into the steps */
  if (r->start.kept && k->path > lost_most &&
      (done || k->path > 7 * lost_most || (k->loaded && k->path > 2 * lost_most)) &&
      (double)k->steps > 0.1 * r->ramp && 4 * r->ramp < (double)a->steps)
    return ramp_again(r);
  if (!done)
    return IG_OK;
  start_forget(r);
  r->ramp = 0;
  path_warn(r, given);
  ig_info(cx, "static: estimated error %.2g, residual %.2g after %lld steps", k->error, k->residual,
          (long long)k->steps);
  if (!k->balanced)
    IG_TRY(loose_warn(r->m));
  if (!k->balanced)
    return IG_FAIL(cx, IG_NUMERIC,
                   "no equilibrium after %lld steps: the displacements are off by about %.3g of "
                   "themselves, tolerance %.3g; raise `steps` or `tolerance`, load in smaller "
                   "pieces, or hold what nothing resists",
                   (long long)k->steps, k->error, a->tolerance);
  r->static_error = fmax(r->static_error, k->error);
  r->static_path = fmax(r->static_path, k->path);
  IG_TRY(ig_dyn_relax_end(r->m));
  r->over = true;
  return balance_start(r->m);
}

/* Residuals of the iterations of one step, collected for its line in the log; what does not fit
   is left out. */
static void iteration_note(void *user, const ig_newton_note *n) {
  ig_dyn_job *r = user;
  const size_t used = n->iteration == 1 ? 0 : strlen(r->residuals);
  r->residuals[used] = 0;
  if (used + 16 < sizeof r->residuals)
    snprintf(r->residuals + used, sizeof r->residuals - used, " %.1e", n->residual);
}

/* Newton's method has reached its end: log, counters, and its memory is freed. */
static void newton_end(ig_dyn_job *r, const ig_newton_standing *now) {
  ig_info(r->job->cx,
          "static: %lld steps, %lld iterations, residual %.2g of the mean force, solver %s",
          (long long)now->steps, (long long)now->iterations, now->residual, now->solver);
  /* tangents of friction are not symmetric: pivots say nothing of stability */
  const bool rubs = r->m->loading.tool_pull || (r->m->pairs.on && r->c->contact.friction > 0);
  if (now->negative > 0 && !rubs)
    ig_warn(r->job->cx,
            "static: the equilibrium is unstable: the matrix has %lld negative pivot%s; a small "
            "disturbance makes it buckle",
            (long long)now->negative, now->negative > 1 ? "s" : "");
  r->newton.steps += now->steps;
  r->newton.iterations += now->iterations;
  r->newton.negative = rubs ? -1 : now->negative;
  r->newton.zero = now->zero;
  r->newton.solver = now->solver;
  r->static_error = fmax(r->static_error, now->residual);
  ig_dyn_statics_free(r->statics);
  r->statics = NULL;
}

/* A load step of Newton's method. Where there is none the last one is put out before the run ends.
 */
static ig_status advance_newton(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_ctx *cx = r->job->cx;
  ig_newton_standing now;
  if (r->failed[0])
    return IG_FAIL(cx, IG_NUMERIC, "%s", r->failed);
  if (!r->statics) {
    r->analysis_start = ig_dyn_clock_of(r)->time;
    if (r->analysis > 0 && r->m->loading.tool_pull &&
        (analysis_at(r, r->analysis - 1)->kind != IG_ANALYSIS_STATIC ||
         ig_dyn_method_of(r->m, analysis_at(r, r->analysis - 1)) == IG_STATIC_RELAXATION))
      memset(r->m->loading.tool_pull, 0, 3 * (size_t)r->m->p.nodes * (size_t)r->m->p.tools * 8);
    /* load steps depend on the way so far: a run that is continued begins the analysis again */
    IG_TRY(start_keep(r));
    if (strcmp(cx->backend->name, "cpu") != 0)
      ig_info(cx, "static: Newton's method runs on the host");
    IG_TRY(ig_dyn_statics_new(r->m, a, &r->statics));
    ig_dyn_statics_watch(r->statics, iteration_note, r);
  }
  const ig_status status = ig_dyn_statics_step(r->statics);
  ig_dyn_statics_stand(r->statics, &now);
  r->element_steps += r->job->elements;
  /* no equilibrium: what was reached is put out, and the next call fails with this message */
  if (status == IG_NUMERIC) {
    snprintf(r->failed, sizeof r->failed, "%s", ig_ctx_message(cx));
    char *where = strstr(r->failed, " (numerical failure"); /* it is added again */
    if (where)
      *where = 0;
    r->newton.steps = now.steps;
    start_forget(r); /* what was reached is kept */
    return balance_start(r->m);
  }
  IG_TRY(status);
  ig_info(cx, "static: step %lld, load factor %.6g, residuals%s", (long long)now.steps, now.factor,
          r->residuals);
  if (now.done) {
    newton_end(r, &now);
    start_forget(r);
    r->over = true;
  }
  return balance_start(r->m);
}

/* Positions become those about which modes were found, moved by shape i (NULL: not at all). */
static ig_status shape_put(ig_dyn_job *r, const double *shape) {
  ig_dyn_model *m = r->m;
  for (int64_t i = 0; i < 3 * (int64_t)m->p.nodes; i++) {
    const double x = r->modes.x[i] + (shape ? shape[i] : 0);
    if (m->x.size == sizeof(double))
      ((double *)m->x.host)[i] = x;
    else
      ((float *)m->x.host)[i] = (float)x;
  }
  return ig_array_push(m->cx, &m->x);
}

/* Values of an earlier modal analysis are kept for the summary, shapes only of the last one. */
static ig_status modes_begin(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_dyn_model *m = r->m;
  ig_dyn_modes *k = &r->modes.of;
  for (int i = 0; i < k->count; i++) {
    IG_TRY(IG_MORE(m->cx, &r->modes.before, r->modes.befores, "modes"));
    r->modes.before[r->modes.befores].analysis = r->modes.analysis;
    r->modes.before[r->modes.befores].buckling = r->modes.buckling;
    r->modes.before[r->modes.befores].number = i + 1;
    r->modes.before[r->modes.befores++].value = k->value[i];
  }
  ig_dyn_modes_free(k);
  r->modes.analysis = r->analysis;
  r->modes.shown = 0;
  r->modes.buckling = a->kind == IG_ANALYSIS_BUCKLING;
  r->analysis_start = ig_dyn_clock_of(r)->time;
  IG_TRY(ig_dyn_modes_find(m, a, k));
  if (!r->modes.x)
    IG_TRY(IG_NEW(m->cx, &r->modes.x, 3 * (size_t)m->p.nodes + 1, "modes"));
  IG_TRY(ig_array_pull(m->cx, &m->x));
  for (int64_t i = 0; i < 3 * (int64_t)m->p.nodes; i++)
    r->modes.x[i] = ig_dyn_get(m, &m->x, i);
  for (int i = 0; i < k->count; i++)
    if (r->modes.buckling)
      ig_info(m->cx, "buckling: mode %d, load factor %.6g", i + 1, k->value[i]);
    else
      ig_info(m->cx, "frequency: mode %d, %.6g Hz, effective masses %.4g %.4g %.4g kg", i + 1,
              k->value[i], k->mass[i][0], k->mass[i][1], k->mass[i][2]);
  if (k->count < a->modes)
    ig_warn_at(m->cx, &a->at, "the model has %d modes, not %lld", k->count, (long long)a->modes);
  /* Sturm's count says that modes are missing between those found */
  if (k->below >= 0 && k->below != k->count && k->count == a->modes)
    ig_warn_at(m->cx, &a->at,
               "%lld modes are below the highest of the %d found: some of them, or of its equals, "
               "are missing; ask for more `modes`",
               (long long)k->below, k->count);
  return IG_OK;
}

/* Modes are found at once; then each call puts out a shape, and the last one restores the
   positions. Checkpoints in between are of the state before it, with no shape in its positions. */
static ig_status advance_modes(ig_dyn_job *r, const ig_dyn_analysis *a) {
  ig_dyn_clock *clock = r->m->clock.host;
  if (!r->modes.x || r->modes.of.count == 0 || r->modes.shown > r->modes.of.count) {
    IG_TRY(start_keep(r));
    IG_TRY(modes_begin(r, a));
  }
  const int i = r->modes.shown++;
  r->element_steps += r->job->elements;
  r->over = i >= r->modes.of.count;
  IG_TRY(shape_put(r, r->over ? NULL : r->modes.of.shape + (int64_t)i * 3 * r->m->p.nodes));
  clock->step++;
  IG_TRY(ig_array_push(r->m->cx, &r->m->clock));
  if (!r->over)
    return IG_OK;
  start_forget(r);
  return balance_start(r->m);
}

/* The analysis decides; `ahead` is not needed, as nothing is computed beyond `most`. */
static ig_status advance(void *self, int64_t most, int64_t ahead) {
  ig_dyn_job *r = self;
  const ig_dyn_analysis *a = analysis_at(r, r->analysis);
  (void)ahead;
  if (a->kind == IG_ANALYSIS_DYNAMIC)
    return advance_dynamic(r, a, most);
  if (a->kind != IG_ANALYSIS_STATIC)
    return advance_modes(r, a);
  return ig_dyn_method_of(r->m, a) == IG_STATIC_RELAXATION ? advance_static(r, a)
                                                           : advance_newton(r, a);
}

/* The next analysis where one is over; else the next step's length where it is time to look. */
static ig_status renew(void *self) {
  ig_dyn_job *r = self;
  if (r->analysis == r->c->analysis.count)
    return IG_OK;
  const ig_dyn_analysis *a = analysis_at(r, r->analysis);
  const int64_t update =
      a->kind == IG_ANALYSIS_DYNAMIC && isnan(a->time_step) ? a->step_update_every : 0;
  if (update > 0 && ig_dyn_clock_of(r)->step > 0 && ig_dyn_clock_of(r)->step % update == 0)
    IG_TRY(step_choose(r, a));
  if (!r->over)
    return IG_OK;
  r->analysis++;
  r->over = false;
  if (r->analysis == r->c->analysis.count ||
      analysis_at(r, r->analysis)->kind != IG_ANALYSIS_DYNAMIC)
    return IG_OK;
  return dynamic_begin(r, analysis_at(r, r->analysis));
}

/* Where the run stands. Statics show a row per load step, modes a snapshot per shape, the end of
   every analysis both; else the schedule of the case decides. */
static void stand(const void *self, ig_run_status *now) {
  const ig_dyn_job *r = self;
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  const int64_t n = r->c->analysis.count;
  *now = (ig_run_status){.at = moment_now(r),
                         .clock = k->time,
                         .duration = r->duration > 0 ? r->duration : INFINITY,
                         .dt = k->dt,
                         .ended = r->analysis + r->over >= n,
                         .show = r->over || r->failed[0] ? IG_SHOW_ROW | IG_SHOW_SNAPSHOT
                                 : r->statics            ? IG_SHOW_ROW
                                 : r->modes.shown > 0    ? IG_SHOW_SNAPSHOT
                                                         : 0,
                         .work = (double)r->element_steps};
  if (r->statics) {
    ig_newton_standing at;
    ig_dyn_statics_stand(r->statics, &at);
    snprintf(now->note, sizeof now->note, "load factor %.4g, residual %.1e", at.factor,
             at.residual);
    return;
  }
  const ig_dyn_relaxing *relax = &r->m->relax;
  if (n > 1 && r->analysis < n)
    snprintf(now->note, sizeof now->note, "analysis %d of %d", (int)r->analysis + 1, (int)n);
  if (relax->on && relax->steps > 0) {
    const size_t used = strlen(now->note);
    const double given = analysis_at(r, r->analysis)->ramp;
    const double ramp = isnan(given) ? fmax(r->ramp, IG_RELAX_RAMP) : fmax(given, 1);
    snprintf(now->note + used, sizeof now->note - used,
             "%srelaxation step %lld, load factor %.3g, residual %.1e", used ? ", " : "",
             (long long)relax->steps, relax->loaded ? 1 : fmin(1, (double)relax->steps / ramp),
             relax->residual);
  }
}

/* --- the queue of analyses, the room's table */

/* Warns where a case has nothing that could move it: a missing key, most often. */
static void motion_look(const ig_dyn_job *r) {
  const ig_dyn_case *c = r->c;
  const ig_list *held[] = {&c->supports, &c->bodies};
  bool moves = c->loads.count + c->initial.count + c->tools.count > 0 || c->gravity.at.given ||
               c->residual.at.given;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < held[k]->count; i++) {
      const ig_support_case *s = IG_ITEM(const ig_support_case, *held[k], i);
      moves |= !isnan(s->displacement[0]) || !isnan(s->velocity[0]) || !isnan(s->acceleration[0]) ||
               !isnan(s->spin[0]);
    }
  for (int i = 0; i < c->analysis.count; i++)
    moves |= analysis_at(r, i)->kind == IG_ANALYSIS_FREQUENCY;
  if (!moves)
    ig_warn_at(r->job->cx, &c->at,
               "nothing moves this body: no loads, initial velocities, motions or gravity");
}

/* The longest of a hexahedron's three axes over the shortest: vectors between the middles of its
   faces. */
static double slenderness(const ig_dyn_model *m, const int32_t *node) {
  static const int far[3][4] = {{1, 2, 5, 6}, {2, 3, 6, 7}, {4, 5, 6, 7}},
                   near[3][4] = {{0, 3, 4, 7}, {0, 1, 4, 5}, {0, 1, 2, 3}};
  double most = 0, least = INFINITY;
  for (int k = 0; k < 3; k++) {
    double d[3] = {0};
    for (int a = 0; a < 12; a++)
      d[a % 3] += m->x0[3 * (int64_t)node[far[k][a / 3]] + a % 3] -
                  m->x0[3 * (int64_t)node[near[k][a / 3]] + a % 3];
    const double l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    most = fmax(most, l), least = fmin(least, l);
  }
  return most / least;
}

/* Says so where eight-point hexahedra are long enough to lock in bending: with n layers of them,
   l long and h high, across what bends, its stiffness is about 1 + (l / h)^2 / (2 n^2) times too
   large. */
static void shape_look(const ig_dyn_job *r) {
  const ig_dyn_model *m = ig_dyn_whole(r->m);
  double worst = 0;
  ig_lid element = -1;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    /* eight-point hexahedra alone: others do not lock in this way */
    for (ig_lid s = 0; g->kind == IG_DYN_HEX8 && s < g->slots; s++) {
      const double l =
          g->element[s] < 0 ? 0 : slenderness(m, (const int32_t *)g->conn.host + 8 * (int64_t)s);
      if (l > worst)
        worst = l, element = g->element[s];
    }
  }
  if (worst > 3)
    ig_warn_at(r->job->cx, &r->c->at,
               "element %d is %.1f times as long as high: where two layers of such hexahedra bend "
               "they are about %.1f times too stiff; take nearly cubic ones, `integration: single` "
               "or tet10",
               (int)element, worst, 1 + worst * worst / 8);
}

/* Fails for an analysis that could not begin, were it the first, and for keys that have no
   effect in its kind. Sums durations for progress. */
static ig_status analysis_look(ig_dyn_job *r, const ig_dyn_analysis *a) {
  double dt;
  const bool at_rest = a->kind != IG_ANALYSIS_DYNAMIC, modes = a->kind > IG_ANALYSIS_STATIC;
  /* 100 is the default: a value that equals it counts as left out */
  if (at_rest && a->at.given && (a->step_update_every != 100 || a->mass_scaling_step > 0))
    return ig_fail_at(r->job->cx, &a->at, "`%s` has no effect in a static analysis: leave it out",
                      a->step_update_every != 100 ? "step_update_every" : "mass_scaling_step");
  if (at_rest && (a->duration > 0 || a->time_step > 0))
    return ig_fail_at(r->job->cx, &a->at,
                      "a static analysis has no `duration` and no `time_step`: `at_time` says when "
                      "histories are read");
  const bool newton = ig_dyn_method_of(r->m, a) != IG_STATIC_RELAXATION;
  if (modes && a->at.given &&
      (a->method != IG_STATIC_AUTO || !isnan(a->first_step) || a->largest_step != 1 ||
       a->tolerance != 1e-3 || a->steps != 1000000))
    return ig_fail_at(r->job->cx, &a->at,
                      "`method`, `first_step`, `largest_step`, `tolerance` and `steps` are for "
                      "kind static");
  if (modes && r->c->tools.count > 0)
    return ig_fail_at(r->job->cx, &a->at,
                      "frequencies and buckling do not know what `tools` hold: leave the tools "
                      "out, or hold the part by `supports`");
  if (a->kind == IG_ANALYSIS_FREQUENCY && a->at.given && a->at_time != 1)
    return ig_fail_at(r->job->cx, &a->at, "`at_time` is for kinds static and buckling");
  if (!modes && a->at.given && a->modes != 10)
    return ig_fail_at(r->job->cx, &a->at, "`modes` is for kinds frequency and buckling");
  if (at_rest && newton && a->at.given &&
      (a->relaxation != IG_RELAX_VISCOUS || !isnan(a->ramp) || !isnan(a->damping) ||
       a->safety != 0.9 || a->step_update_every != 100 || a->mass_scaling_step != 0))
    return ig_fail_at(r->job->cx, &a->at,
                      "`relaxation`, `ramp`, `damping`, `safety`, `step_update_every` and "
                      "`mass_scaling_step` belong "
                      "to dynamic relaxation: give `method: relaxation`, or leave them out");
  if (a->at.given && !(at_rest && newton) &&
      (!isnan(a->first_step) || a->largest_step != 1 || a->solver != IG_DIRECT_AUTO))
    return ig_fail_at(r->job->cx, &a->at,
                      "`first_step`, `largest_step` and `solver` belong to Newton's method: `kind: "
                      "static` with `method: newton` or `arc_length`");
  if (at_rest)
    return newton ? ig_dyn_statics_check(r->m, a) : IG_OK;
  if (a->at.given && a->method != IG_STATIC_AUTO)
    return ig_fail_at(r->job->cx, &a->at, "`method` is for analyses of kind static");
  if (a->at.given && (a->relaxation != IG_RELAX_VISCOUS || a->tolerance != 1e-3 ||
                      a->steps != 1000000 || !isnan(a->ramp) || a->at_time != 1))
    return ig_fail_at(
        r->job->cx, &a->at,
        "`relaxation`, `tolerance`, `steps`, `ramp` and `at_time` are for analyses of "
        "kind static");
  if (isnan(a->duration))
    return ig_fail_at(r->job->cx, &a->at, "a dynamic analysis needs its `duration`");
  r->duration += a->duration;
  IG_TRY(masses_find(r, a));
  return step_find(r, a, &dt);
}

/* Keys of something that the case does not have: contact that is off, inertia of shells without
   shells. */
static ig_status unused_look(const ig_dyn_job *r) {
  const ig_dyn_contact *k = &r->c->contact;
  const char *key = !k->edges                         ? "edges"
                    : k->overlap != IG_OVERLAP_REFUSE ? "overlap"
                    : !isnan(k->penalty)              ? "penalty"
                    : k->friction > 0                 ? "friction"
                    : k->thickness >= 0               ? "thickness"
                                                      : NULL;
  if (k->at.given && !k->on && key)
    return ig_fail_at(r->job->cx, &k->at,
                      "contact: `%s` has no effect here: contact is off; leave it out", key);
  bool thin = false; /* lines or shells */
  for (int b = 0; b < r->job->mesh->blocks; b++)
    thin |= ig_elem_info_get(r->job->mesh->block[b].type)->dim < 3;
  if (r->c->at.given && r->c->inertia_scale != 0.125 && !thin) {
    const ig_src at = ig_key_at(r->job->tree, "inertia_scale", r->c->at);
    return ig_fail_at(r->job->cx, &at,
                      "inertia_scale: has no effect here: it is for shells and lines, and the mesh "
                      "has none; leave it out");
  }
  return IG_OK;
}

/* Opens the run with the whole model on every rank, and checks each analysis as if it were the
   first: errors in the third analysis appear before the first one starts. */
static ig_status room_make(ig_job *job, void **self) {
  ig_dyn_job *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, "dynamics"));
  *self = r;
  r->job = job;
  r->c = job->room_case;
  IG_TRY(unused_look(r));
  IG_TRY(ig_dyn_model_new(job->cx, job->mesh, job->materials, r->c, job->precision, job->assembly,
                          &r->m));
  job->elements = ig_mesh_elements(job->mesh);
  job->nodes = job->mesh->nodes;
  job->dofs = job->nodes * r->m->p.dofs;
  motion_look(r);
  shape_look(r);
  IG_TRY(ig_dyn_probes_open(r));
  /* each analysis as if it were the first: steps of later ones may differ, but errors show now */
  for (int i = 0; i < r->c->analysis.count; i++)
    IG_TRY(analysis_look(r, analysis_at(r, i)));
  return ig_dyn_masses(r->m, 0);
}

/* On ranks the whole model and mesh are freed once the parts are made. */
static void whole_drop(ig_dyn_job *r) {
  ig_dyn_part_keep(r->m);
  ig_partition_drop_mesh(r->job->cx, r->job->mesh);
}

/* What this refuses `check` refuses too. */
static ig_status room_open(ig_job *job, void **self) {
  IG_TRY(room_make(job, self));
  whole_drop(*self);
  return IG_OK;
}

/* Safe on a run that failed half-way: members that were not made are NULL. */
static void room_close(void *self) {
  ig_dyn_job *r = self;
  if (!r)
    return;
  free(r->name);
  free(r->column);
  free(r->values);
  free(r->probe_node);
  for (int i = 0; r->probe_item && i < r->c->probes.count; i++)
    ig_collect_free(&r->probe_item[i]);
  free(r->probe_item);
  free(r->probe_set);
  free(r->probe_middle);
  free(r->report);
  ig_array_free(r->job->cx, &r->moved);
  ig_array_free(r->job->cx, &r->fields);
  ig_restart_free(r->start.kept);
  ig_dyn_statics_free(r->statics);
  ig_dyn_modes_free(&r->modes.of);
  free(r->modes.x);
  free(r->modes.before);
  ig_dyn_model_free(r->m);
  free(r);
}

static void rank_tell(void *user, const char *label, const char *value) {
  ig_info(user, "%s: %s", label, value);
}

/* The ranks and their parts, a line each. */
static ig_status ranks_tell(const ig_dyn_job *r, ig_partition_line *line, void *user) {
  const ig_dyn_part *p = r->m->division;
  return !ig_dyn_alone(r->m) ? ig_partition_describe(r->job->cx, &p->part, &p->halo, line, user)
                             : IG_OK;
}

/* A run that starts from its beginning; a restart reads the same numbers from the checkpoint. */
static ig_status begin(void *self) {
  ig_dyn_job *r = self;
  IG_TRY(ranks_tell(r, rank_tell, r->job->cx));
  if (r->c->analysis.count == 0)
    return IG_OK;
  const ig_dyn_analysis *a = analysis_at(r, 0);
  if (a->kind == IG_ANALYSIS_DYNAMIC)
    return dynamic_begin(r, a);
  double critical; /* what is led needs a step before it has a velocity */
  IG_TRY(ig_dyn_critical_step(r->m, &critical));
  IG_TRY(ig_dyn_set_clock(r->m, a->safety * critical, 0));
  return balance_start(r->m);
}

/* Work and traffic for the summary, from the steps done. */
static void tally(void *self) {
  ig_dyn_job *r = self;
  ig_job *job = r->job;
  if (job->elements == 0)
    return;
  job->element_steps = (double)r->element_steps;
  job->bytes_moved = (double)(r->element_steps / job->elements) * ig_dyn_step_bytes(r->m);
}

/* One line of `ingot check` per analysis. */
static void check_analysis(const ig_dyn_model *m, const ig_dyn_analysis *a, double critical,
                           ig_check_line *line, void *user) {
  char text[128];
  if (a->kind == IG_ANALYSIS_FREQUENCY || a->kind == IG_ANALYSIS_BUCKLING)
    snprintf(text, sizeof text, "%s, %lld modes",
             a->kind == IG_ANALYSIS_FREQUENCY ? "frequencies" : "linear buckling",
             (long long)a->modes);
  else if (a->kind == IG_ANALYSIS_STATIC && ig_dyn_method_of(m, a) != IG_STATIC_RELAXATION)
    snprintf(text, sizeof text, "static by Newton's method%s",
             ig_dyn_method_of(m, a) == IG_STATIC_ARC ? ", arc length" : "");
  else if (a->kind == IG_ANALYSIS_STATIC)
    snprintf(text, sizeof text,
             "static by relaxation, until the displacements are within about %.2g", a->tolerance);
  else {
    const double dt =
        isnan(a->time_step) ? a->safety * fmax(critical, a->mass_scaling_step) : a->time_step;
    snprintf(text, sizeof text, "dynamic, %.4g s, about %.0f steps", a->duration, a->duration / dt);
  }
  line(user, "analysis", text);
}

/* What the forces of a load come to, for `ingot check`: `force` counts at every node, and that
   is easily overlooked. */
static ig_status check_loads(ig_dyn_model *m, ig_check_line *line, void *user) {
  for (int i = 0; i < m->c->loads.count; i++) {
    const ig_dyn_load *c = IG_ITEM(const ig_dyn_load, m->c->loads, i);
    const ig_set *set;
    double sum[3];
    char name[32], text[128];
    if (!isnan(c->pressure))
      continue;
    IG_TRY(ig_dyn_nodes_of(m, &c->at, c->set, &set));
    for (int d = 0; d < 3; d++)
      sum[d] = (isnan(c->force[d]) ? 0 : c->force[d] * set->count) +
               (isnan(c->total[d]) ? 0 : c->total[d]);
    snprintf(name, sizeof name, "load %d", i + 1);
    snprintf(text, sizeof text, "(%.6g, %.6g, %.6g) N on %d nodes together", sum[0], sum[1], sum[2],
             set->count);
    line(user, name, text);
  }
  return IG_OK;
}

/* Everything `ingot check` prints, in order: groups, particles, mass, step, loads, analyses,
   memory. */
static ig_status check_tell(ig_dyn_job *r, ig_check_line *line, void *user) {
  ig_dyn_model *m = r->m;
  char text[128];
  double critical;
  IG_TRY(ig_dyn_critical_step(m, &critical));
  for (int k = 0; k < m->groups; k++) {
    snprintf(text, sizeof text, "%lld, %d values each", (long long)m->group[k].whole,
             m->group[k].g_f64.states);
    line(user, ig_dyn_element_of[m->group[k].kind].name, text);
  }
  for (int k = 0; m->solids && k < m->solids->count; k++) {
    const ig_solid_group *g = &m->solids->item[k].g;
    snprintf(text, sizeof text, "%d, %d values each", g->count,
             ig_solid_states(g->kind, g->law.law));
    line(user, ig_solid_info_get(g->kind)->name, text);
  }
  const int64_t nodes = ig_dyn_nodes_all(m);
  snprintf(text, sizeof text, "%lld, %lld degrees of freedom", (long long)nodes,
           (long long)nodes * m->p.dofs);
  line(user, "particles", text);
  snprintf(text, sizeof text, "%.6g kg", m->weight.total);
  line(user, "mass", text);
  if (ig_dyn_touches(m))
    snprintf(text, sizeof text, "%.4g s, %.3g of the elements' for the stiffness of contact",
             critical, sqrt(1 - ig_dyn_contact_load(m) * critical * critical));
  else
    snprintf(text, sizeof text, "%.4g s", critical);
  line(user, "critical step", text);
  IG_TRY(check_loads(ig_dyn_whole(m), line, user));
  whole_drop(r); /* as a run does: what follows tells of memory */
  for (int i = 0; i < r->c->analysis.count; i++)
    check_analysis(m, IG_ITEM(const ig_dyn_analysis, r->c->analysis, i), critical, line, user);
  snprintf(text, sizeof text, "%.1f MB on the device", (double)r->job->cx->device_bytes * 1e-6);
  line(user, "memory", text);
  return ranks_tell(r, line, user);
}

static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  void *self = NULL;
  ig_status status = room_make(job, &self);
  if (status == IG_OK)
    status = check_tell(self, line, user);
  room_close(self);
  return status;
}

const ig_room ig_room_dynamics = {
    .name = "dynamics",
    .about = "explicit structural dynamics by the finite particle method",
    .needs_mesh = true,
    .ranks = true,
    .clusters = true,
    .elements = "beam2|tri3|quad4|tet4|tet10|hex8|wedge6|hex20|wedge15",
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
    .support = ig_dyn_field_support,
    .check = check,
    .fields = "displacement|velocity|stress|von_mises|plastic_strain|"
              "section_force|surface_stress|contact_force|contact_pressure|nodal_stress|"
              "nodal_von_mises|nodal_stress_top|nodal_stress_bottom",
    .figures = "time|time_step|energy_error|static_error|static_steps|static_path_error|"
               "newton_iterations|negative_pivots|contact_energy_made|contact_energy_stored|"
               "penetration_max|penetration_share|residual_unbalance|mass|added_mass|"
               "displacement_max|plastic_strain_max|nodal_von_mises_max|nodal_von_mises_max_x|"
               "nodal_von_mises_max_y|nodal_von_mises_max_z|reaction_x|reaction_y|reaction_z|load_"
               "x|load_y|"
               "load_z|tool_x|tool_y|tool_z|frequency_*|load_factor_*|effective_mass_*|"
               "analysis_*_frequency_*|analysis_*_load_factor_*|modes_error|{probes}"};
