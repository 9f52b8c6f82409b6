/* The loop around a room: outputs, checkpoints, interruption, progress, timings. */
#include "run/march.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static ig_status settle(ig_march *m) {
  ig_ctx *cx = m->job->cx;
  return m->room->wait ? m->room->wait(m->self) : cx->backend->sync(cx);
}

static bool keeps(const ig_job *job) {
  return job->sink && job->sink->checkpoint;
}

static ig_status save(ig_march *m) {
  if (!keeps(m->job) || !m->room->save || m->now.whole || m->saved == m->now.at.step)
    return IG_OK;
  IG_TRY(m->room->save(m->self, m->job->sink));
  m->saved = m->now.at.step;
  return IG_OK;
}

/* When something began to be written, and the time of steps until then. */
typedef struct {
  double mark, steps;
} watch;

static double steps_spent(ig_ctx *cx) {
  ig_phase_end(cx, cx->split.now);
  return cx->split.seconds[IG_PHASE_STEPS];
}

static watch watch_start(ig_march *m) {
  return (watch){ig_now(), steps_spent(m->job->cx)};
}

/* Of what was written since some may have had to be computed first: that is steps. */
static void watch_stop(ig_march *m, watch w) {
  const double stepped = steps_spent(m->job->cx) - w.steps;
  m->job->seconds_output += ig_now() - w.mark - stepped;
  m->job->seconds_solve += stepped;
}

/* What is due after the steps from `from` to now; all of it at the start and at the end. */
static ig_status outputs(ig_march *m, ig_moment from, bool edge) {
  ig_job *job = m->job;
  const ig_room *room = m->room;
  const ig_standing *now = &m->now;
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
  bool due = now->ended || ig_schedule_checkpoint(&m->schedule);
  IG_TRY(ig_ranks_meet(job->cx, IG_OK, &due)); /* their clocks differ */
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

/* A run of so many steps does not end: a duration or a size is in another unit than was meant. */
static void steps_warn(const ig_march *m) {
  const ig_standing *now = &m->now;
  const double most = 1e9, steps = now->steps > 0 ? (double)(now->steps - now->at.step)
                                   : now->dt > 0 && isfinite(now->duration)
                                       ? (now->duration - now->at.time) / now->dt
                                       : 0;
  if (!(steps > most) || now->iterations || !ig_ranks_first(m->job->cx))
    return;
  ig_warn(m->job->cx,
          "about %.2g steps of %.3g s to the end at %.3g s: look at the units of the duration, of "
          "the mesh and of the material, and at the smallest element",
          steps, now->dt, now->duration);
}

static ig_status open(ig_march *m) {
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
    IG_TRY(outputs(m, m->now.at, true));
  }
  steps_warn(m);
  m->began = ig_now();
  m->work = m->now.work;
  job->steps = m->now.at.step;
  job->seconds_setup += m->began - start - job->seconds_output - job->seconds_solve;
  ig_phase_end(job->cx, former);
  return IG_OK;
}

ig_status ig_march_open(ig_march *m, const ig_room *room, ig_job *job) {
  *m = (ig_march){.job = job, .room = room, .saved = -1};
  job->schedule = &m->schedule;
  return ig_ranks_agree(job->cx, open(m));
}

static void progress(const ig_march *m) {
  const ig_standing *now = &m->now;
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

ig_status ig_march_stop(ig_march *m) {
  const ig_standing *now = &m->now;
  const ig_job *job = m->job;
  job->cx->interrupted = 0; /* a request ends one run */
  char of[48] = "";
  IG_TRY(settle(m));
  IG_TRY(save(m));
  if (now->steps > 0)
    snprintf(of, sizeof of, " of %" PRId64, now->steps);
  else if (now->dt > 0 && isfinite(now->duration))
    snprintf(of, sizeof of, " of about %.0f",
             (double)now->at.step + ceil((now->duration - now->at.time) / now->dt));
  return IG_FAIL(job->cx, IG_INTERRUPTED, "interrupted at step %" PRId64 "%s; %s", now->at.step, of,
                 m->saved >= 0              ? "it can be continued from the checkpoint"
                 : keeps(job) && now->whole ? "nothing was saved: such a run is a single step"
                                            : "nothing was saved: there is no output folder");
}

/* Steps to the one that reaches `time`. */
static int64_t steps_until(const ig_standing *now, double time) {
  const double steps = ceil((time - now->clock) / now->dt - 1e-6);
  return !(steps > 1) ? 1 : steps < 0x1p62 ? (int64_t)steps : INT64_MAX;
}

static bool reached(const ig_standing *now, double time) {
  return now->clock >= time - 1e-6 * now->dt;
}

static ig_status go(ig_march *m, int64_t steps, double time) {
  ig_ctx *cx = m->job->cx;
  ig_standing *now = &m->now;
  const int64_t last = steps < INT64_MAX - now->at.step ? now->at.step + steps : INT64_MAX;
  while (!now->ended && now->at.step < last && !reached(now, time)) {
    bool stopping = cx->interrupted;
    IG_TRY(ig_ranks_meet(cx, IG_OK, &stopping)); /* a signal to one stops all at the same step */
    if (stopping && now->pending == 0)
      return ig_march_stop(m);
    const double mark = ig_now(), others = m->job->seconds_output + m->job->seconds_solve;
    const ig_moment from = now->at;
    int64_t most = last - from.step;
    if (isfinite(time) && steps_until(now, time) < most)
      most = steps_until(now, time);
    const int64_t due = ig_schedule_ahead(&m->schedule, from, now->dt, most);
    const ig_phase former = ig_phase_begin(cx, m->first ? IG_PHASE_STEPS : IG_PHASE_FIRST);
    m->first = true;
    const ig_status advanced = m->room->advance(m->self, due, stopping ? 0 : most - due);
    /* a room that ends within a step has gone back to its start */
    if (advanced == IG_INTERRUPTED && cx->interrupted && !cx->ranks)
      return ig_march_stop(m);
    IG_TRY(advanced);
    (void)ig_phase_begin(cx, IG_PHASE_STEPS);
    m->room->stand(m->self, now);
    m->saved = -1; /* what is saved is of the former moment, even if that is still the same step */
    m->job->steps = now->at.step;
    IG_TRY(outputs(m, from, now->ended));
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

ig_status ig_march_go(ig_march *m, int64_t steps, double time) {
  return ig_ranks_agree(m->job->cx, go(m, steps, time));
}

static ig_status finish(ig_march *m) {
  ig_job *job = m->job;
  const watch w = watch_start(m);
  IG_TRY(settle(m));
  IG_TRY(save(m));
  if (job->sink && m->room->results)
    IG_TRY(m->room->results(m->self, job->sink));
  watch_stop(m, w);
  return IG_OK;
}

ig_status ig_march_figures(ig_march *m) {
  const ig_job *job = m->job;
  ig_status status = IG_OK;
  if (job->sink && m->room->results)
    status = m->room->results(m->self, job->sink);
  return ig_ranks_agree(job->cx, status);
}

ig_status ig_march_finish(ig_march *m) {
  return ig_ranks_agree(m->job->cx, finish(m));
}

void ig_march_close(ig_march *m) {
  if (m->opened && m->room->tally)
    m->room->tally(m->self);
  if (m->room)
    m->room->close(m->self);
  if (m->job)
    m->job->schedule = NULL;
  m->self = NULL;
}

ig_status ig_march_all(const ig_room *room, ig_job *job) {
  ig_march m;
  ig_status status = ig_march_open(&m, room, job);
  if (status == IG_OK)
    status = ig_march_go(&m, INT64_MAX, INFINITY);
  if (status == IG_OK)
    status = ig_march_finish(&m);
  ig_march_close(&m);
  return status;
}
