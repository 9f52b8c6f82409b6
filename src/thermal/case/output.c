/* Output of a run: rows of history.csv, checkpoints, figures of the summary. All numbers come from
   surveys (ig_heat_ask); temperatures themselves stay on the device. Functions of the room: on
   several ranks all ranks call them, and the first one writes. */
#include "thermal/thermal.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- melt pool */

/* Unit vector of a beam's travel in the plane: the direction in which its melt pool's length is
   measured. (1, 0) where it does not move. */
static void heading(const ig_thermal_run *run, int beam, double time, double *d) {
  d[0] = 1;
  d[1] = 0;
  if (beam >= run->beams.count)
    return;
  const ig_toolpath *p = &run->beams.beam[beam].path;
  int64_t cursor = 0;
  const int64_t i = ig_path_piece(p, &cursor, time);
  if (i < 0 || i + 1 >= p->count)
    return;
  const double x = p->x[3 * i + 3] - p->x[3 * i], y = p->x[3 * i + 4] - p->x[3 * i + 1];
  const double length = sqrt(x * x + y * y);
  if (length > 0) {
    d[0] = x / length;
    d[1] = y / length;
  }
}

/* Length, width, depth and volume; 0 where nothing is molten. */
static void melt_pool(const ig_heat_survey *s, double *pool) {
  for (int i = 0; i < 3; i++)
    pool[i] = fmax(0, s->high[IG_SURVEY_POOL + i] - s->low[IG_SURVEY_POOL + i]);
  pool[3] = s->sum[IG_SURVEY_MOLTEN];
}

/* The pools of all beams; the last is all of it as one. A molten element belongs to the nearest
   beam that has begun its path. `all`: a survey of everything. */
static ig_status melt_pools(ig_thermal_run *run, double time, const ig_heat_survey *all,
                            double (*pool)[4]) {
  ig_heat_question q = {.melt = 1, .pools = run->pools - 1};
  melt_pool(all, pool[run->pools - 1]);
  for (int i = 0; i + 1 < run->pools; i++) {
    int64_t cursor = 0;
    double at[3];
    ig_path_at(&run->beams.beam[i].path, &cursor, time, at);
    const bool begun = cursor >= 0;
    q.pool_at[i][0] = begun ? at[0] : 1e100;
    q.pool_at[i][1] = begun ? at[1] : 1e100;
  }
  for (int i = 0; i + 1 < run->pools; i++) {
    ig_heat_survey s;
    q.pool = i;
    heading(run, i, time, q.along);
    IG_TRY(ig_heat_ask(run->job->cx, &run->heat, &q, &s));
    melt_pool(&s, pool[i]);
  }
  for (int i = 0; i < run->pools; i++)
    for (int k = 0; k < 4; k++)
      run->melt_most[i][k] = fmax(run->melt_most[i][k], pool[i][k]);
  return IG_OK;
}

/* What follows the name of the figures of a pool or beam: nothing for the first. */
static const char *pool_suffix(const ig_thermal_run *run, int i, char *text, size_t size) {
  snprintf(text, size, i == 0 ? "" : i + 1 == run->pools ? "_all" : "_%d", i + 1);
  return text;
}

/* --- rows of history.csv */

/* A column of history.csv; names carry the unit in brackets. */
typedef struct {
  char name[64];
  double value;
} column;
enum { FIXED_COLUMNS = 32, BEAM_COLUMNS = 8 }; /* a run's; a beam's, its melt pool's among them */

/* One column more; `c` has space for all there can be (FIXED_COLUMNS, BEAM_COLUMNS). */
static void column_put(column *c, int *n, const char *name, const char *suffix, const char *unit,
                       double value) {
  snprintf(c[*n].name, sizeof c->name, "%s%s%s", name, suffix, unit);
  c[(*n)++].value = value;
}

/* Position and power of a beam, from the path: a column of each coordinate, named as melt pools
   are. */
static void beam_columns(const ig_thermal_run *run, int beam, column *c, int *n) {
  static const char *const axis[] = {"beam_x", "beam_y", "beam_z"};
  char suffix[16];
  double at[3];
  int64_t cursor = 0;
  const double power =
      run->beams.beam[beam].factor *
      ig_path_at(&run->beams.beam[beam].path, &cursor, (double)run->done * run->dt, at);
  pool_suffix(run, beam, suffix, sizeof suffix);
  for (int d = 0; d < 3; d++)
    column_put(c, n, axis[d], suffix, " [m]", at[d]);
  column_put(c, n, "beam_power", suffix, " [W]", power);
}

/* p: length, width, depth, volume. */
static void melt_columns(const ig_thermal_run *run, int pool, const double *p, column *c, int *n) {
  char suffix[16];
  pool_suffix(run, pool, suffix, sizeof suffix);
  column_put(c, n, "melt_length", suffix, " [m]", p[0]);
  column_put(c, n, "melt_width", suffix, " [m]", p[1]);
  column_put(c, n, "melt_depth", suffix, " [m]", p[2]);
  column_put(c, n, "melt_volume", suffix, " [m^3]", p[3]);
}

/* The first beam's columns come first, as they do where there is but one. */
static ig_status columns_fill(ig_thermal_run *run, const ig_heat_survey *s, column *c, int *count) {
  const ig_heat_ledger ledger = ig_heat_ledger_of(&run->heat, s), *l = &ledger;
  const double time = (double)run->done * run->dt;
  const struct {
    const char *name;
    double value;
  } always[] = {{"time [s]", time},
                {"step", (double)run->done},
                {"elements", run->heat.birth.mesh[run->heat.now.event + 1]},
                {"T_min [K]", s->low[IG_SURVEY_T]},
                {"T_max [K]", s->high[IG_SURVEY_T]},
                {"E_stored [J]", l->stored - l->start},
                {"E_source [J]", l->source},
                {"E_flux [J]", l->flux},
                {"E_body [J]", l->body},
                {"E_born [J]", l->born},
                {"E_convected [J]", l->convected},
                {"E_radiated [J]", l->radiated},
                {"E_held [J]", l->held},
                {"E_gap [J]", ig_heat_ledger_gap(l)}};
  int n = 0;
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    column_put(c, &n, always[i].name, "", "", always[i].value);
  if (run->heat.boils)
    column_put(c, &n, "E_evaporated [J]", "", "", l->evaporated);
  const int named = run->beams.count < IG_SURVEY_POOLS ? run->beams.count : IG_SURVEY_POOLS;
  for (int i = 0; i < named; i++) {
    beam_columns(run, i, c, &n);
    if (i == 0)
      column_put(c, &n, "T_interlayer", "", " [K]", run->interlayer);
  }
  if (run->heat.past.every) {
    double pool[IG_SURVEY_POOLS + 1][4];
    IG_TRY(melt_pools(run, time, s, pool));
    for (int i = 0; i < run->pools; i++)
      melt_columns(run, i, pool[i], c, &n);
    /* elements' past: highest of all; means over those that have solidified */
    const double frozen = s->sum[IG_SURVEY_FROZEN];
    column_put(c, &n, "T_peak", "", " [K]", s->high[IG_SURVEY_PEAK]);
    column_put(c, &n, "time_above_liquidus", "", " [s]", s->high[IG_SURVEY_ABOVE]);
    column_put(c, &n, "melts", "", "", s->high[IG_SURVEY_MELTS]);
    column_put(c, &n, "cooling_rate", "", " [K/s]", s->sum[IG_SURVEY_COOLING] / frozen);
    column_put(c, &n, "G", "", " [K/m]", s->sum[IG_SURVEY_GRADIENT] / frozen);
    column_put(c, &n, "R", "", " [m/s]", s->sum[IG_SURVEY_SPEED] / frozen);
  }
  *count = n;
  return IG_OK;
}

/* With `step_limit: state` the step relies on k and c of one temperature; an element whose corners
   span a wide range may allow less than that. Checked with each row of history, said once. */
static void step_check(ig_thermal_run *run, const ig_heat_survey *s) {
  const ig_heat *h = &run->heat;
  /* how much of the rate that the tables allow the present state has */
  const double share = fmin(1, s->high[IG_SURVEY_STIFF]);
  const double critical = 2 / ((h->limit.rate - h->limit.film) * share + h->limit.film);
  if (run->dt <= critical || run->step_warned)
    return;
  run->step_warned = true;
  const ig_src at = ig_key_at(run->job->tree, "step_limit", run->c->at);
  ig_warn_at(run->job->cx, &at,
             "at %g s the step of %.4g s is above %.4g s, up to which the present state is surely "
             "stable: look for temperatures beyond those that are given, or lower `safety`",
             (double)run->done * run->dt, run->dt, critical);
}

/* One survey answers all columns but the melt pools of single beams, which need one more each. `to`
   NULL: no history is kept. Probes mix the temperatures that the survey has picked. */
ig_status ig_thermal_history(void *self, ig_sink *to) {
  ig_thermal_run *run = self;
  ig_ctx *cx = run->job->cx;
  if (!to)
    return IG_OK;
  IG_TRY(ig_thermal_layer_look(run)); /* so that a row does not depend on what is written ahead */
  ig_heat_question q = {.melt = run->heat.past.every > 0,
                        .stiff = run->c->step_limit && !run->heat.material.constant,
                        .picks = 8 * run->probes,
                        .pick = run->pick.dev,
                        .picked = run->picked.dev};
  ig_heat_survey s;
  heading(run, 0, (double)run->done * run->dt, q.along);
  IG_TRY(ig_heat_ask(cx, &run->heat, &q, &s));
  if (q.stiff)
    step_check(run, &s);
  IG_TRY(ig_thermal_probes_read(run));
  const size_t most = FIXED_COLUMNS + BEAM_COLUMNS * (IG_SURVEY_POOLS + 1) + (size_t)run->probes;
  const char **names = NULL;
  double *value = NULL;
  column *c = NULL;
  int columns;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &c, most, "history"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &names, most, "history"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &value, most, "history"));
  IG_TRY_GOTO(status, done, columns_fill(run, &s, c, &columns));
  for (int i = 0; i < columns; i++) {
    names[i] = c[i].name;
    value[i] = c[i].value;
  }
  for (int p = 0; p < run->probes; p++, columns++) {
    names[columns] = run->probe[p].name;
    for (int a = 0; a < 8; a++)
      value[columns] += run->probe[p].weight[a] * ((double *)run->picked.host)[8 * p + a];
  }
  status = to->history(to, columns, names, value);
done:
  free(c);
  free(names);
  free(value);
  return status;
}

/* --- checkpoints */

/* K; tungsten boils at 6200 K, and conduction without vapour makes spots hotter than they are. */
static const double BOILS = 1e4;
enum { KEPT = sizeof(ig_thermal_kept) / sizeof(double) };

/* The state after `done` steps. Steps may be written beyond that (a batch in hand), which has
   already moved the beams' sums and the length of the next long step: as_done has those from
   before. */
ig_status ig_thermal_save(void *self, ig_sink *to) {
  ig_thermal_run *run = self;
  ig_thermal_kept kept = run->as_done;
  kept.layer_z = run->layer_z;
  kept.interlayer = run->interlayer;
  kept.dt = run->dt;
  double *crossing = NULL;
  int64_t crossings = 0;
  const bool events = run->c->exaca != IG_THERMAL_EXACA_NONE;
  if (events)
    IG_TRY(ig_thermal_exaca_keep(run, &crossing, &crossings));
  const ig_saved own[] = {{"kept", IG_F64, KEPT, &kept},
                          {"melt_most", IG_F64, 4 * (int64_t)run->pools, run->melt_most},
                          {"crossings", IG_F64, crossings, crossing}};
  const ig_status status =
      ig_heat_save(&run->heat, (double)run->done * run->dt, run->done, own, events ? 3 : 2, to);
  free(crossing);
  return status;
}

/* Resumes from a checkpoint. The step length is the checkpoint's: a longer `duration` would
   otherwise give another step and other results up to the same time. Births up to that time are
   replayed, then the state is read over them. */
ig_status ig_thermal_restore(void *self, const ig_restart *restart) {
  ig_thermal_run *run = self;
  ig_ctx *cx = run->job->cx;
  const void *data;
  ig_thermal_kept kept;
  IG_TRY(ig_restart_find(cx, restart, "kept", IG_F64, KEPT, &data));
  memcpy(&kept, data, sizeof kept);
  if (!(kept.dt > 0) || !(fabs(restart->time - (double)restart->step * kept.dt) <= 1e-9 * kept.dt))
    return IG_FAIL(cx, IG_INPUT,
                   "the checkpoint's time, step and step length contradict each other");
  const ig_src duration = ig_key_at(run->job->tree, "duration", run->c->at);
  if (kept.dt != run->dt) { /* a run that goes further than it meant to keeps its step */
    run->dt = kept.dt;
    IG_TRY(ig_steps_count(cx, &duration, ceil(run->c->duration / kept.dt * (1 - 1e-9)), kept.dt,
                          &run->steps));
    ig_thermal_surroundings_start(run);
    ig_thermal_births_start(run);
  }
  if (restart->step > run->steps)
    return ig_fail_at(cx, &duration,
                      "the checkpoint is at %g s, the case ends at %g s: give a longer `duration`, "
                      "or start anew",
                      restart->time, run->c->duration);
  run->step = run->done = restart->step;
  if (run->step) /* the values of the last step that was made */
    IG_TRY(ig_thermal_surroundings_set(run, run->step - 1));
  IG_TRY(ig_heat_begin_at(cx, &run->heat, ig_thermal_births_until(run, run->step)));
  IG_TRY(ig_restart_find(cx, restart, "melt_most", IG_F64, 4 * (int64_t)run->pools, &data));
  memcpy(run->melt_most, data, 4 * (size_t)run->pools * sizeof(double));
  run->layer_z = kept.layer_z;
  run->interlayer = kept.interlayer;
  run->beams.sent = kept.sent;
  run->beams.asked = kept.asked;
  run->beams.met = kept.met;
  run->leap = (int64_t)kept.leap;
  run->wait = (int64_t)kept.wait;
  run->critical = kept.critical;
  ig_thermal_note(run);
  IG_TRY(ig_heat_restore(cx, &run->heat, restart));
  int64_t crossings = 0;
  if (run->c->exaca != IG_THERMAL_EXACA_NONE) {
    IG_TRY(ig_restart_find_any(cx, restart, "crossings", IG_F64, &crossings, &data));
    IG_TRY(ig_thermal_exaca_take(run, data, crossings));
  }
  run->before = run->heat.steps_done;
  return IG_OK;
}

/* --- final figures */

/* Warns of heat that newborn elements bring above ambient. It comes from nowhere but the case. If
   it is much beside the beams' heat, the same energy is probably counted twice: a beam melts what
   is born molten already. A quarter is a rule of thumb. */
static ig_status born_warn(ig_thermal_run *run, const ig_heat_ledger *l, double *brought) {
  double content;
  IG_TRY(ig_heat_born_content(run->job->cx, &run->heat, ig_thermal_ambient(run, 0), &content));
  const double above = *brought = l->born - content;
  const double beams = run->beams.heated ? l->source : run->beams.asked;
  if (run->c->birth.at.given && above > 0.25 * beams && above > 1e-6 * l->born)
    ig_warn_at(run->job->cx, &run->c->birth.at,
               "newborn elements brought %.3g J above ambient, the beams %.3g J: unless the "
               "material really arrives hot, give birth.temperature: ambient",
               above, beams);
  return IG_OK;
}

/* Warns of a heat balance that does not close. Rounding in double precision stays many orders below
   1e-6 of the heat moved. In single precision increments below half a unit in the last place of T
   are lost, which grows with the number of steps. */
static void ledger_warn(const ig_thermal_run *run, const ig_heat_ledger *l) {
  const double gap = ig_heat_ledger_gap(l),
               moved = fabs(l->source) + fabs(l->flux) + fabs(l->body) + fabs(l->born) +
                       fabs(l->convected) + fabs(l->radiated) + fabs(l->evaporated) + fabs(l->held);
  const bool single = run->job->precision == IG_SINGLE;
  /* what goes in and out again is not in the sums: then the content's own round-off counts */
  const double most =
      (single ? 1e-2 : 1e-6) * moved + (single ? 1e-6 : 1e-12) * (fabs(l->stored) + fabs(l->start));
  if (fabs(gap) > most)
    ig_warn_at(run->job->cx, &run->c->at,
               "the heat balance does not close: %.3g J of %.3g J that went in or out are missing "
               "(energy_gap)%s",
               gap, moved,
               single ? ": steps are too short for single precision; give precision: double"
                      : "; the result is not to be trusted");
}

/* The figures of summary.json. Absorbed, reflected and missed power add up to what the beams sent;
   with an absorptivity that depends on temperature only the device knows what was absorbed (the
   ledger), and what landed is counted apart (`met`). */
ig_status ig_thermal_results(void *self, ig_sink *sink) {
  ig_thermal_run *run = self;
  ig_ctx *cx = run->job->cx;
  const ig_heat_question q = {.melt = run->heat.past.every > 0};
  ig_heat_survey s;
  double volume, area, above;
  IG_TRY(ig_heat_ask(cx, &run->heat, &q, &s));
  const ig_heat_ledger l = ig_heat_ledger_of(&run->heat, &s);
  IG_TRY(ig_heat_measure(cx, &run->heat, &volume, &area));
  /* of beams of unequal absorptivity, what missed is shared among them by their heat */
  const double sent = run->beams.sent, landed = run->beams.heated ? run->beams.met : l.source;
  const double missed = run->beams.asked > 0 ? sent * fmax(0, 1 - landed / run->beams.asked) : 0;
  bool meant = false; /* a beam that may miss is expected to */
  for (int i = 0; i < run->beams.count; i++)
    meant |= run->beams.beam[i].shape.whole > 0;
  if (missed > 1e-6 * sent && !meant)
    ig_warn_at(cx, &run->c->at,
               "%.3g J of the beams' %.3g J found nothing to heat: is their path at the height of "
               "the surface, over elements that are there?",
               missed, sent);
  if (s.high[IG_SURVEY_T] > BOILS)
    ig_warn_at(cx, &run->c->at,
               "T_max is %.3g K: every metal boils before; look at power, radius and absorptivity "
               "of the beams and at their units, or let `evaporation` cool the surface",
               s.high[IG_SURVEY_T]);
  ledger_warn(run, &l);
  IG_TRY(born_warn(run, &l, &above));
  const struct {
    const char *key, *unit;
    double value;
  } figures[] = {{"T_min", "K", s.low[IG_SURVEY_T]},
                 {"T_max", "K", s.high[IG_SURVEY_T]},
                 {"stored", "J", l.stored - l.start},
                 {"source", "J", l.source},
                 {"beam", "J", l.source},
                 {"beam_sent", "J", sent},
                 {"beam_missed", "J", missed},
                 {"beam_reflected", "J", fmax(0, sent - missed - l.source)},
                 {"flux", "J", l.flux},
                 {"body", "J", l.body},
                 {"born", "J", l.born},
                 {"born_above_ambient", "J", above},
                 {"convected", "J", l.convected},
                 {"radiated", "J", l.radiated},
                 {"held", "J", l.held},
                 {"energy_gap", "J", ig_heat_ledger_gap(&l)},
                 {"volume", "m^3", volume},
                 {"surface", "m^2", area},
                 {"time_step", "s", run->dt},
                 {"critical_step", "s", 2 / run->rate},
                 {"evaluations", "", (double)run->heat.steps_done}};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    IG_TRY(sink->result(sink, figures[i].key, figures[i].unit, figures[i].value));
  if (run->heat.boils)
    IG_TRY(sink->result(sink, "evaporated", "J", l.evaporated));
  if (run->heat.past.every) { /* over the whole run, of any element */
    IG_TRY(sink->result(sink, "T_peak", "K", s.high[IG_SURVEY_PEAK]));
    IG_TRY(sink->result(sink, "time_above_liquidus_max", "s", s.high[IG_SURVEY_ABOVE]));
  }
  static const char *const melt[] = {"melt_length%s_max", "melt_width%s_max", "melt_depth%s_max",
                                     "melt_volume%s_max"};
  for (int i = 0; i < 4 * run->pools && run->heat.past.every; i++) {
    char suffix[16], key[64];
    snprintf(key, sizeof key, melt[i % 4], pool_suffix(run, i / 4, suffix, sizeof suffix));
    IG_TRY(sink->result(sink, key, i % 4 < 3 ? "m" : "m^3", run->melt_most[i / 4][i % 4]));
  }
  if (!isnan(run->interlayer))
    IG_TRY(sink->result(sink, "interlayer_last", "K", run->interlayer));
  return ig_thermal_exaca(run, sink);
}
