/* Steps of a run: batches written ahead of the device, and long steps over dwells.

   A batch ends where the host must know the state or change something: a layer begins (its mean
   temperature is a figure of the summary), boundary values change, output is due, or the batch is
   full. Between layers beams are off for seconds, which are many thousand explicit steps; there
   temperatures are smooth, and steps of the Runge-Kutta-Legendre scheme (ig_heat_batch_leap) are
   taken instead. Their length is controlled by the largest change of temperature in the last one
   (`dwell_change`). */
#include "backend/backend.h"
#include "thermal/thermal.h"

#include <math.h>

/* Steps taken at once in a dwell: at least so many, for fewer cost more than they save, at most so
   many; where a leap goes too far, plain steps come before the next, twice as many each time. */
enum { SHORTEST_LEAP = 6, LONGEST_LEAP = 512 };

/* How many of the coming steps have no beam, no birth, and nothing due before their end. */
static int64_t quiet_steps(ig_thermal_run *run, int64_t most) {
  const ig_heat *h = &run->heat;
  const double start = (double)run->step * run->dt;
  double until = ig_heat_next_birth(h);
  for (int i = 0; i < run->beams.count; i++)
    until = fmin(until, ig_beam_next_on(&run->beams.beam[i], start));
  most = ig_thermal_surroundings_ahead(run, run->step, most);
  const double fit = floor((until - start) / run->dt * (1 + 1e-12));
  most = most < run->steps - run->step ? most : run->steps - run->step;
  most = fit < (double)most ? (int64_t)fmax(fit, 0) : most;
  return most < 1 ? 0
                  : ig_schedule_ahead(run->job->schedule, ig_thermal_moment(run, run->step),
                                      run->dt, most);
}

/* Writes one long step of a dwell, if the last steps allow it: not above run->leap, the quiet time
   ahead, and 600 critical steps, which the stages of IG_HEAT_STAGES reach with a margin. */
static ig_status leap_write(ig_thermal_run *run, int64_t quiet) {
  const int64_t fit = (int64_t)(600 * run->critical / run->dt);
  int64_t leap = run->leap < quiet ? run->leap : quiet;
  leap = leap < fit ? leap : fit;
  if (leap < SHORTEST_LEAP)
    return IG_OK;
  ig_heat_clock(&run->heat, (double)run->step * run->dt);
  IG_TRY(ig_heat_batch_leap(run->job->cx, &run->heat, (double)leap * run->dt, run->critical));
  run->step += leap;
  run->leaping = leap;
  return IG_OK;
}

/* How far it went decides how long the next may be; and what is stable now. */
static ig_status leap_judge(ig_thermal_run *run) {
  const ig_heat_question q = {.change = 1, .stiff = !run->heat.material.constant};
  ig_heat *h = &run->heat;
  ig_heat_survey s;
  IG_TRY(ig_heat_ask(run->job->cx, h, &q, &s));
  /* 0.9 aims a little below the limit; the size at most doubles, as step controllers do */
  const double grow = fmin(2, 0.9 * run->c->dwell_change / fmax(s.high[IG_SURVEY_CHANGE], 1e-300));
  const int64_t next = (int64_t)((double)run->leaping * grow);
  if (grow < 1 || next > run->leap) /* one that was cut short says little */
    run->leap = next > LONGEST_LEAP ? LONGEST_LEAP : next;
  if (run->leap < SHORTEST_LEAP) { /* too early: the next try comes later */
    run->leap = SHORTEST_LEAP - run->wait;
    run->wait = run->wait < 256 ? 2 * run->wait : run->wait;
  }
  /* 5 % above what was seen, for temperatures move on before the next look */
  const double share = q.stiff ? fmin(1, 1.05 * s.high[IG_SURVEY_STIFF]) : 1;
  run->critical = run->c->safety * 2 / ((h->limit.rate - h->limit.film) * share + h->limit.film);
  run->leaping = 0;
  return IG_OK;
}

/* --- births within a step */

/* A birth this near to the end of a step, in steps, belongs to the next one: times and multiples of
   the step are rounded. A step is divided at most so often; where more births fall into it, those
   within that share of it come together. */
static const double ON_STEP = 1e-6;
enum { MOST_PIECES = 64 };

void ig_thermal_births_start(ig_thermal_run *run) {
  double path = 0;
  for (int i = 0; i < run->beams.count; i++) {
    const ig_toolpath *p = &run->beams.beam[i].path;
    path = fmax(path, p->count ? p->t[p->count - 1] : 0);
  }
  const ig_birth_case *c = &run->c->birth;
  run->divides = c->timing == IG_BIRTH_AUTO ? c->by != IG_BIRTH_BEAD || run->dt > 1e-4 * path
                                            : c->timing == IG_BIRTH_EXACT;
}

double ig_thermal_births_until(const ig_thermal_run *run, int64_t step) {
  if (step == 0)
    return 0;
  return run->divides ? (double)step * run->dt - ON_STEP * run->dt : (double)(step - 1) * run->dt;
}

/* Births that a step holds between its ends, as long as they are few. */
static int births_within(const ig_heat *h, double end) {
  int count = 0, next = h->next.event + 1;
  while (count <= MOST_PIECES && next + count < h->birth.events &&
         h->birth.time[next + count] <= end)
    count++;
  return count;
}

/* The next step: births, sources, conduction; in pieces that end where elements are born. */
static ig_status step_write(ig_thermal_run *run) {
  ig_heat *h = &run->heat;
  ig_ctx *cx = run->job->cx;
  const double start = (double)run->step * run->dt, end = (double)(run->step + 1) * run->dt;
  const double last = ig_thermal_births_until(run, run->step + 1);
  const double near = run->divides ? ON_STEP * run->dt : 0;
  double at = start;
  ig_heat_clock(h, start);
  IG_TRY(ig_heat_batch_births(cx, h, start + near));
  const double together = births_within(h, last) > MOST_PIECES ? run->dt / MOST_PIECES : near;
  while (run->divides && ig_heat_next_birth(h) <= last) {
    const double birth = ig_heat_next_birth(h);
    IG_TRY(ig_beams_step(cx, &run->beams, h, at, birth - at));
    IG_TRY(ig_heat_batch_piece(cx, h, birth - at));
    IG_TRY(ig_heat_batch_births(cx, h, fmin(birth + together, last)));
    at = birth;
  }
  const double rest = at > start ? end - at : run->dt;
  IG_TRY(ig_beams_step(cx, &run->beams, h, at, rest));
  return ig_heat_batch_step(cx, h, rest);
}

/* The piece of the first beam's path that begins a layer, at `step`: as the step begins or, where
   births divide it, within it; -1: none. */
static int64_t layer_piece(const ig_thermal_run *run, int64_t step) {
  if (run->beams.count == 0)
    return -1;
  const ig_beam *b = &run->beams.beam[0];
  const ig_toolpath *p = &b->path;
  const double start = (double)step * run->dt;
  const double until = run->divides ? ig_thermal_births_until(run, step + 1) : start;
  int64_t cursor = b->cursor, i = ig_path_piece(p, &cursor, start);
  do
    if (i >= 0 && i + 1 < p->count && p->power[i] > 0 &&
        (isnan(run->layer_z) || p->x[3 * i + 2] > run->layer_z + 1e-9))
      return i;
  while (++i + 1 < p->count && p->t[i] <= until);
  return -1;
}

static bool layer_begins(const ig_thermal_run *run, int64_t step) {
  return layer_piece(run, step) >= 0;
}

/* Mean over the nodes at the height of the layer just finished. */
static ig_status interlayer(ig_thermal_run *run, int64_t step) {
  const double z = run->layer_z, next = run->beams.beam[0].path.x[3 * layer_piece(run, step) + 2];
  run->layer_z = next;
  if (isnan(z))
    return IG_OK;
  const ig_heat_question q = {.layered = 1, .layer = z, .thick = 0.25 * (next - z)};
  ig_heat_survey s;
  IG_TRY(ig_heat_ask(run->job->cx, &run->heat, &q, &s));
  if (s.sum[IG_SURVEY_LAYER_NODES] > 0)
    run->interlayer = s.sum[IG_SURVEY_LAYER] / s.sum[IG_SURVEY_LAYER_NODES];
  return IG_OK;
}

ig_status ig_thermal_layer_look(ig_thermal_run *run) {
  return run->step == run->done && run->step < run->steps && layer_begins(run, run->step)
             ? interlayer(run, run->step)
             : IG_OK;
}

/* The conditions that end a batch, in the order in which they are asked for. A batch of several
   steps ends before a step that needs the state (layer) or other boundary values; the same
   condition at the first step of a batch is met at once, because the device has nothing left to do
   by then. While steps are quiet, `leap` counts plain ones; from SHORTEST_LEAP on a long step is a
   batch of its own, since its length depends on what the last one did. */
ig_status ig_thermal_write(ig_thermal_run *run, int64_t most, bool plain) {
  const bool grows = !isnan(run->c->dwell_change);
  most = ig_schedule_ahead(run->job->schedule, ig_thermal_moment(run, run->step), run->dt, most);
  IG_TRY(ig_thermal_layer_look(run));
  for (int64_t i = 0; i < most && run->step < run->steps; i++) {
    if (i > 0 && layer_begins(run, run->step))
      break; /* first bring the state up to here */
    if (ig_thermal_surroundings_change(run, run->step)) {
      if (i > 0)
        break; /* a batch has one set of values */
      IG_TRY(ig_thermal_surroundings_set(run, run->step));
    }
    const int64_t quiet = grows ? quiet_steps(run, LONGEST_LEAP) : 0;
    if (quiet < 1) {
      run->wait = IG_THERMAL_FIRST_WAIT;
      run->leap = SHORTEST_LEAP - run->wait;
      run->critical = run->c->safety * 2 / run->rate;
    } else if (run->leap < SHORTEST_LEAP) {
      run->leap++;
    } else if (quiet >= SHORTEST_LEAP) {
      if (i > 0 || plain)
        break; /* a leap is a batch of its own */
      IG_TRY(leap_write(run, quiet));
      if (run->leaping)
        break;
    }
    IG_TRY(step_write(run));
    run->step++;
    if (ig_heat_batch_full(&run->heat))
      break;
  }
  return IG_OK;
}

void ig_thermal_note(ig_thermal_run *run) {
  run->as_done = (ig_thermal_kept){.sent = run->beams.sent,
                                   .asked = run->beams.asked,
                                   .met = run->beams.met,
                                   .leap = (double)run->leap,
                                   .wait = (double)run->wait,
                                   .critical = run->critical,
                                   .dt = run->dt};
}

ig_status ig_thermal_advance(ig_thermal_run *run) {
  IG_TRY(ig_beams_power(run->job->cx, &run->beams, &run->heat));
  run->done = run->step;
  IG_TRY(ig_heat_batch_run(run->job->cx, &run->heat));
  IG_TRY(ig_thermal_exaca_drain(run));
  if (run->leaping)
    IG_TRY(leap_judge(run));
  ig_thermal_note(run);
  return IG_OK;
}
