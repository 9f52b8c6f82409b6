/* The time loop: takes a room through its steps and decides on output, checkpoints, interruption,
   progress and timing. A room does not know when it is asked for output; the loop does not know
   what the room computes.

   Calls of the room in one iteration of `go`:

   advance    as many steps as may pass before the next output
   stand      where is the room now (step, time, next dt, ended)
   history    if a row is due
   snapshot   if a snapshot is due
   renew      work between steps (critical step, next analysis)
   save       if a checkpoint is due

   Results do not depend on how steps are divided between calls: output never changes state. */
#include "run/time_loop.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Waits for the device. Rooms that run ahead have a `wait` of their own. */
static ig_status settle(ig_loop *m) {
  ig_ctx *cx = m->job->cx;
  return m->room->wait ? m->room->wait(m->self) : cx->backend->sync(cx);
}

/* Whether checkpoints have a place to go. */
static bool keeps(const ig_job *job) {
  return job->sink && job->sink->checkpoint;
}

/* A room in a single-step analysis (`whole`) has no state to save; a checkpoint of this step is not
   written twice. */
static ig_status save(ig_loop *m) {
  if (!keeps(m->job) || !m->room->save || m->now.whole || m->saved == m->now.at.step)
    return IG_OK;
  IG_TRY(m->room->save(m->self, m->job->sink));
  m->saved = m->now.at.step;
  return IG_OK;
}

/* Stopwatch for output: wall clock and time of steps when it began. */
typedef struct {
  double mark, steps;
} watch;

/* Closes the current phase, so that its time up to now is counted. */
static double steps_spent(ig_ctx *cx) {
  ig_phase_end(cx, cx->split.now);
  return cx->split.seconds[IG_PHASE_STEPS];
}

static watch watch_start(ig_loop *m) {
  return (watch){ig_now(), steps_spent(m->job->cx)};
}

/* Output may have to compute (a room that finishes pending steps first); that time counts as solve
   time. */
static void watch_stop(ig_loop *m, watch w) {
  const double stepped = steps_spent(m->job->cx) - w.steps;
  m->job->seconds_output += ig_now() - w.mark - stepped;
  m->job->seconds_solve += stepped;
}

/* Makes what is due after the steps from `from` to now. edge: start or end of the run, where
   everything is written. */
static ig_status outputs(ig_loop *m, ig_moment from, bool edge) {
  ig_job *job = m->job;
  const ig_room *room = m->room;
  const ig_run_status *now = &m->now;
  const bool row =
      edge || (now->show & IG_SHOW_ROW) || ig_schedule_history(&m->schedule, from, now->at);
  const bool picture =
      job->sink && room->snapshot && ig_output_shows(job->output) &&
      (edge || (now->show & IG_SHOW_SNAPSHOT) || ig_schedule_snapshot(&m->schedule, from, now->at));
  if (row || picture)
    IG_TRY(settle(m)); /* waiting for steps is no output */
  const ig_phase former = ig_phase_begin(job->cx, IG_PHASE_OUTPUT);
  watch w = watch_start(m);
  if (row && room->history)
    IG_TRY(room->history(m->self, job->sink));
  if (picture)
    IG_TRY(room->snapshot(m->self, job->sink));
  watch_stop(m, w);
  ig_phase_end(job->cx, former);
  if (room->renew) {
    IG_TRY(room->renew(m->self));
    room->stand(m->self, &m->now);
  }
  /* Checkpoints are due by wall-clock time, which differs between ranks: any rank that is due makes
     all of them due. */
  bool due = now->ended || (now->show & IG_SHOW_CHECKPOINT) || ig_schedule_checkpoint(&m->schedule);
  IG_TRY(ig_ranks_agree_any(job->cx, IG_OK, &due)); /* their clocks differ */
  if (!due)
    return IG_OK;
  IG_TRY(settle(m));
  (void)ig_phase_begin(job->cx, IG_PHASE_OUTPUT);
  w = watch_start(m);
  IG_TRY(save(m));
  watch_stop(m, w);
  ig_phase_end(job->cx, former);
  return IG_OK;
}

/* Warns about more than 1e9 steps: such a run does not end, and the usual reason is a unit. */
static void steps_warn(const ig_loop *m) {
  const ig_run_status *now = &m->now;
  const double most = 1e9, steps = now->steps > 0 ? (double)(now->steps - now->at.step)
                                   : now->dt > 0 && !now->uneven && isfinite(now->duration)
                                       ? (now->duration - now->at.time) / now->dt
                                       : 0;
  if (!(steps > most) || now->iterations || !ig_ranks_first(m->job->cx))
    return;
  ig_warn(m->job->cx,
          "about %.2g steps of %.3g s to the end at %.3g s: look at the units of the duration, of "
          "the mesh and of the material, and at the smallest element",
          steps, now->dt, now->duration);
}

/* Set-up of the room and the first output. A restored run does not repeat the output of its start:
   it was written by the run that made the checkpoint. */
static ig_status open(ig_loop *m) {
  const double start = ig_now();
  const ig_room *room = m->room;
  ig_job *job = m->job;
  const ig_phase former = ig_phase_begin(job->cx, IG_PHASE_SETUP);
  IG_TRY(room->open(job, &m->self));
  m->opened = true;
  room->stand(m->self, &m->now);
  ig_schedule_start(&m->schedule, job->output, m->now.duration);
  if (job->restart) {
    IG_TRY(room->restore(m->self, job->restart));
    room->stand(m->self, &m->now);
  } else {
    if (room->begin)
      IG_TRY(room->begin(m->self));
    room->stand(m->self, &m->now);
    const ig_status shown = outputs(m, m->now.at, true);
    /* a room that computes for its first snapshot has gone back to the start */
    if (shown == IG_INTERRUPTED && job->cx->interrupted && !job->cx->ranks)
      return ig_loop_stop(m);
    IG_TRY(shown);
  }
  steps_warn(m);
  /* Rates of progress count from here; set-up and the output of the start are not included. */
  m->began = ig_now();
  m->work = m->now.work;
  job->steps = m->now.at.step;
  /* Output and steps within set-up have been counted under their own names. */
  job->seconds_setup += m->began - start - job->seconds_output - job->seconds_solve;
  ig_phase_end(job->cx, former);
  return IG_OK;
}

/* Collective. On failure call ig_loop_close. */
ig_status ig_loop_open(ig_loop *m, const ig_room *room, ig_job *job) {
  *m = (ig_loop){.job = job, .room = room, .saved = -1};
  job->schedule = &m->schedule;
  return ig_ranks_agree(job->cx, open(m));
}

/* Unit and total of the progress line: iterations of a design, steps, or simulated seconds; total 0
   if the end is not known (until the model is at rest). */
static void progress(const ig_loop *m) {
  const ig_run_status *now = &m->now;
  const double spent = m->job->seconds_solve;
  const bool open_end = now->steps == 0 && !isfinite(now->duration); /* until it is at rest */
  const bool counted = now->steps > 0 || open_end;
  const ig_progress p = {.unit = now->iterations ? "iteration"
                                 : counted       ? "step"
                                                 : "s",
                         .done = counted ? (double)now->at.step : now->at.time,
                         .total = counted ? (double)now->steps : now->duration, /* 0: unknown */
                         .rate = spent > 0 ? (now->work - m->work) / spent : 0,
                         .note = now->note,
                         .time = now->iterations ? NAN : now->clock};
  ig_progress_report(m->job->cx, &p);
}

/* Not collective by itself: all ranks come here at the same step, because the request was shared in
   `go`. */
ig_status ig_loop_stop(ig_loop *m) {
  const ig_run_status *now = &m->now;
  const ig_job *job = m->job;
  job->cx->interrupted = 0; /* a request ends one run */
  char of[48] = "";
  IG_TRY(settle(m));
  IG_TRY(save(m));
  if (now->steps > 0)
    snprintf(of, sizeof of, " of %" PRId64, now->steps);
  else if (now->dt > 0 && !now->uneven && isfinite(now->duration))
    snprintf(of, sizeof of, " of about %.0f",
             (double)now->at.step + ceil((now->duration - now->at.time) / now->dt));
  return IG_FAIL(job->cx, IG_INTERRUPTED, "interrupted at step %" PRId64 "%s; %s", now->at.step, of,
                 m->saved >= 0              ? "it can be continued from the checkpoint"
                 : keeps(job) && now->whole ? "nothing was saved: such a run is a single step"
                                            : "nothing was saved: there is no output folder");
}

/* Steps until the clock reaches `time`, at least 1. A tolerance of 1e-6 of a step absorbs rounding
   of accumulated times; 0x1p62 keeps the conversion to int64_t in range. */
static int64_t steps_until(const ig_run_status *now, double time) {
  const double steps = ceil((time - now->clock) / now->dt - 1e-6);
  return !(steps > 1) ? 1 : steps < 0x1p62 ? (int64_t)steps : INT64_MAX;
}

/* Within 1e-6 of a step counts as reached, as in steps_until. */
static bool reached(const ig_run_status *now, double time) {
  return now->clock >= time - 1e-6 * now->dt;
}

/* `pending`: steps that the room has prepared in advance and must still make; an interruption waits
 * for them. */
static ig_status go(ig_loop *m, int64_t steps, double time) {
  ig_ctx *cx = m->job->cx;
  ig_run_status *now = &m->now;
  /* Saturating addition: INT64_MAX steps mean "to the end". */
  const int64_t last = steps < INT64_MAX - now->at.step ? now->at.step + steps : INT64_MAX;
  while (!now->ended && now->at.step < last && !reached(now, time)) {
    bool stopping = cx->interrupted;
    IG_TRY(
        ig_ranks_agree_any(cx, IG_OK, &stopping)); /* a signal to one stops all at the same step */
    if (stopping && now->pending == 0)
      return ig_loop_stop(m);
    const double mark = ig_now(), others = m->job->seconds_output + m->job->seconds_solve;
    const ig_moment from = now->at;
    int64_t most = last - from.step;
    if (isfinite(time) && steps_until(now, time) < most)
      most = steps_until(now, time);
    const int64_t due = ig_schedule_ahead(&m->schedule, from, now->dt, most);
    const ig_phase former = ig_phase_begin(cx, m->first ? IG_PHASE_STEPS : IG_PHASE_FIRST);
    m->first = true;
    /* due: steps before the next output. ahead: steps beyond that which the room may prepare; 0
       when stopping. */
    const ig_status advanced = m->room->advance(m->self, due, stopping ? 0 : most - due);
    /* a room that ends within a step has gone back to its start */
    if (advanced == IG_INTERRUPTED && cx->interrupted && !cx->ranks)
      return ig_loop_stop(m);
    IG_TRY(advanced);
    (void)ig_phase_begin(cx, IG_PHASE_STEPS);
    m->room->stand(m->self, now);
    m->saved = -1; /* what is saved is of the former moment, even if that is still the same step */
    m->job->steps = now->at.step;
    IG_TRY(outputs(m, from, now->ended));
    /* Solve time is everything in this iteration that was not counted as output or steps by
       `outputs`. */
    m->job->seconds_solve +=
        ig_now() - mark - (m->job->seconds_output + m->job->seconds_solve - others);
    progress(m);
    ig_phase_end(cx, former);
  }
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_STEPS);
  const ig_status status = settle(m);
  ig_phase_end(cx, former);
  return status;
}

ig_status ig_loop_go(ig_loop *m, int64_t steps, double time) {
  return ig_ranks_agree(m->job->cx, go(m, steps, time));
}

/* End of a run: last checkpoint, then the room's figures. */
static ig_status finish(ig_loop *m) {
  ig_job *job = m->job;
  const watch w = watch_start(m);
  IG_TRY(settle(m));
  IG_TRY(save(m));
  if (job->sink && m->room->results)
    IG_TRY(m->room->results(m->self, job->sink));
  watch_stop(m, w);
  return IG_OK;
}

ig_status ig_loop_figures(ig_loop *m) {
  const ig_job *job = m->job;
  ig_status status = IG_OK;
  if (job->sink && m->room->results)
    status = m->room->results(m->self, job->sink);
  return ig_ranks_agree(job->cx, status);
}

ig_status ig_loop_finish(ig_loop *m) {
  return ig_ranks_agree(m->job->cx, finish(m));
}

/* Safe after a failed ig_loop_open; counts are collected only if the room was opened. */
void ig_loop_close(ig_loop *m) {
  if (m->opened && m->room->tally)
    m->room->tally(m->self);
  if (m->room)
    m->room->close(m->self);
  if (m->job)
    m->job->schedule = NULL;
  m->self = NULL;
}

ig_status ig_loop_all(const ig_room *room, ig_job *job) {
  ig_loop m;
  ig_status status = ig_loop_open(&m, room, job);
  if (status == IG_OK)
    status = ig_loop_go(&m, INT64_MAX, INFINITY);
  if (status == IG_OK)
    status = ig_loop_finish(&m);
  ig_loop_close(&m);
  return status;
}
