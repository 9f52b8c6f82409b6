/* When a run's output is due. A run goes from one moment to the next, possibly over many steps
   at once; output is due if a multiple of the interval lies between the two. Nothing is counted
   along the way, so a continued run writes at the same moments as one that was never
   interrupted. */
#include "core/schedule.h"

#include <math.h>
#include <string.h>

/* ROWS: rows of a whole history, enough for a curve and few enough for any file. ROWS_UNKNOWN:
   steps between rows where the duration is not known. */
enum { ROWS = 1000, ROWS_UNKNOWN = 10 }; /* of a history nobody gave a rhythm */

void ig_schedule_start(ig_schedule *s, const ig_output_case *o, double duration) {
  *s = (ig_schedule){.interval = INFINITY, .row_interval = INFINITY, .saved = ig_now()};
  if (!o)
    return;
  s->every = o->every;
  s->times = o->times;
  if (o->times.count > 0)
    s->interval = INFINITY;
  else if (o->every == 0 && o->interval > 0)
    s->interval = o->interval;
  else if (o->every == 0 && o->count > 0)
    s->interval = duration / (double)o->count;
  s->rows = o->history_every > 0 ? o->history_every : isfinite(duration) ? 0 : ROWS_UNKNOWN;
  if (s->rows == 0)
    s->row_interval = duration / ROWS;
  s->checkpoint_every = o->checkpoint_every;
}

/* Intervals passed by a time. Times are sums of many steps: what is a rounding error short of an
   interval's end has reached it. */
static double passed(double time, double interval) {
  return floor(time / interval + 1e-9);
}

static bool due(int64_t every, double interval, ig_moment from, ig_moment to) {
  if (every > 0)
    return to.step / every > from.step / every;
  return interval < INFINITY && passed(to.time, interval) > passed(from.time, interval);
}

/* The division by dt may be a rounding error above a whole number; the 1e-9 is that of `passed`,
   so that both agree on when the interval has ended. */
static int64_t ahead(int64_t every, double interval, ig_moment from, double dt, int64_t most) {
  if (every > 0)
    return every - from.step % every < most ? every - from.step % every : most;
  if (!(interval < INFINITY))
    return most;
  const double steps = ceil(((passed(from.time, interval) + 1 - 1e-9) * interval - from.time) / dt);
  return steps < 1 ? 1 : steps < (double)most ? (int64_t)steps : most;
}

/* The first of the times that is not reached yet; their number where all are. */
static int next_time(const ig_reals *times, double now) {
  int i = 0;
  while (i < times->count && passed(now, times->value[i]) >= 1)
    i++;
  return i;
}

bool ig_schedule_snapshot(const ig_schedule *s, ig_moment from, ig_moment to) {
  if (s->times.count > 0)
    return next_time(&s->times, to.time) > next_time(&s->times, from.time);
  return due(s->every, s->interval, from, to);
}

bool ig_schedule_history(const ig_schedule *s, ig_moment from, ig_moment to) {
  return due(s->rows, s->row_interval, from, to);
}

int64_t ig_schedule_ahead(const ig_schedule *s, ig_moment from, double dt, int64_t most) {
  most = most > 1 ? most : 1;
  if (!s)
    return most;
  if (s->times.count > 0) {
    const int i = next_time(&s->times, from.time);
    if (i < s->times.count) {
      const double steps = ceil((s->times.value[i] * (1 - 1e-9) - from.time) / dt);
      most = steps < 1 ? 1 : steps < (double)most ? (int64_t)steps : most;
    }
  } else {
    most = ahead(s->every, s->interval, from, dt, most);
  }
  return ahead(s->rows, s->row_interval, from, dt, most);
}

bool ig_schedule_checkpoint(ig_schedule *s) {
  const double now = ig_now();
  if (s->checkpoint_every <= 0 || now - s->saved <= s->checkpoint_every)
    return false;
  s->saved = now;
  return true;
}

/* Doubles count without gaps up to 2^53. */
ig_status ig_steps_count(ig_ctx *cx, const ig_src *at, double steps, double dt, int64_t *count) {
  *count = 0;
  if (!(steps <= 0x1p53))
    return ig_fail_at(cx, at,
                      "steps of %.3g s make %.3g of them, more than can be counted: give a larger "
                      "`time_step` or a shorter `duration`, and look at the units of the material",
                      dt, steps);
  *count = (int64_t)steps;
  return IG_OK;
}

bool ig_output_shows(const ig_output_case *o) {
  return o && (o->every > 0 || o->interval > 0 || o->count > 0 || o->times.count > 0);
}

bool ig_output_wants(const ig_output_case *o, const char *field) {
  bool wanted = !o || o->fields.count == 0;
  for (int i = 0; !wanted && i < o->fields.count; i++)
    wanted = strcmp(o->fields.value[i], field) == 0;
  return wanted;
}
