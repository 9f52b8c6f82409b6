/* What a run tells: rows of history, snapshots, final figures. */
#include "thermal/thermal.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- melt pool */

/* Where beam 0 goes, in the plane. */
static void heading(const ig_thermal_run *run, double time, double *d) {
  d[0] = 1;
  d[1] = 0;
  if (run->beams.count == 0)
    return;
  const ig_toolpath *p = &run->beams.beam[0].path;
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

/* --- layers */

bool ig_thermal_layer_begins(ig_thermal_run *run, double time) {
  if (run->beams.count == 0)
    return false;
  const ig_beam *b = &run->beams.beam[0];
  int64_t cursor = b->cursor;
  const int64_t i = ig_path_piece(&b->path, &cursor, time);
  if (i < 0 || i + 1 >= b->path.count || b->path.power[i] <= 0)
    return false;
  const double z = b->path.x[3 * i + 2];
  return isnan(run->layer_z) || z > run->layer_z + 1e-9;
}

/* Mean over the nodes at the height of the layer just finished. */
ig_status ig_thermal_interlayer(ig_thermal_run *run, double time) {
  const ig_beam *b = &run->beams.beam[0];
  int64_t cursor = b->cursor;
  const int64_t i = ig_path_piece(&b->path, &cursor, time);
  const double z = run->layer_z, next = b->path.x[3 * i + 2];
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

/* --- rows of history.csv */

typedef struct {
  const char *name;
  double value;
} column;
enum { MOST_COLUMNS = 32 };

static int columns_fill(ig_thermal_run *run, const ig_heat_survey *s, column *c) {
  const ig_heat_ledger ledger = ig_heat_ledger_of(&run->heat, s), *l = &ledger;
  double at[3];
  const column always[] = {{"time [s]", (double)run->done * run->dt},
                           {"step", (double)run->done},
                           {"elements", run->heat.now.elements},
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
  int n = (int)(sizeof always / sizeof *always);
  memcpy(c, always, sizeof always);
  if (run->beams.count) {
    int64_t cursor = 0;
    const double power = run->beams.beam[0].factor * ig_path_at(&run->beams.beam[0].path, &cursor,
                                                                (double)run->done * run->dt, at);
    const column beam[] = {{"beam_x [m]", at[0]},
                           {"beam_y [m]", at[1]},
                           {"beam_z [m]", at[2]},
                           {"beam_power [W]", power},
                           {"T_interlayer [K]", run->interlayer}};
    memcpy(c + n, beam, sizeof beam);
    n += (int)(sizeof beam / sizeof *beam);
  }
  if (run->heat.track_every) {
    double p[4];
    melt_pool(s, p);
    const column melt[] = {{"melt_length [m]", p[0]},
                           {"melt_width [m]", p[1]},
                           {"melt_depth [m]", p[2]},
                           {"melt_volume [m^3]", p[3]}};
    for (int i = 0; i < 4; i++)
      run->melt_most[i] = fmax(run->melt_most[i], melt[i].value);
    memcpy(c + n, melt, sizeof melt);
    n += 4;
    /* elements' past: highest of all; means over those that have solidified */
    const double frozen = s->sum[IG_SURVEY_FROZEN];
    const column past[] = {{"T_peak [K]", s->high[IG_SURVEY_PEAK]},
                           {"time_above_liquidus [s]", s->high[IG_SURVEY_ABOVE]},
                           {"melts", s->high[IG_SURVEY_MELTS]},
                           {"cooling_rate [K/s]", s->sum[IG_SURVEY_COOLING] / frozen},
                           {"G [K/m]", s->sum[IG_SURVEY_GRADIENT] / frozen},
                           {"R [m/s]", s->sum[IG_SURVEY_SPEED] / frozen}};
    memcpy(c + n, past, sizeof past);
    n += (int)(sizeof past / sizeof *past);
  }
  return n;
}

ig_status ig_thermal_history(void *self, ig_sink *to) {
  ig_thermal_run *run = self;
  ig_ctx *cx = run->job->cx;
  if (!to)
    return IG_OK;
  IG_TRY(ig_thermal_layer_look(run)); /* so that a row does not depend on what is written ahead */
  ig_heat_question q = {.melt = run->heat.track_every > 0,
                        .picks = 8 * run->probes,
                        .pick = run->pick.dev,
                        .picked = run->picked.dev};
  ig_heat_survey s;
  heading(run, (double)run->done * run->dt, q.along);
  IG_TRY(ig_heat_ask(cx, &run->heat, &q, &s));
  if (run->probes)
    IG_TRY(ig_array_pull(cx, &run->picked));
  column c[MOST_COLUMNS];
  const int fixed = columns_fill(run, &s, c), columns = fixed + run->probes;
  const char **names;
  double *value;
  IG_TRY(IG_NEW(cx, &names, columns, "history"));
  ig_status status = IG_NEW(cx, &value, columns, "history");
  if (status == IG_OK) {
    for (int i = 0; i < fixed; i++) {
      names[i] = c[i].name;
      value[i] = c[i].value;
    }
    for (int p = 0; p < run->probes; p++) {
      names[fixed + p] = run->probe[p].name;
      for (int a = 0; a < 8; a++)
        value[fixed + p] += run->probe[p].weight[a] * ((double *)run->picked.host)[8 * p + a];
    }
    status = to->history(to, columns, names, value);
  }
  free(names);
  free(value);
  return status;
}

/* --- snapshots */

static bool wanted(const ig_thermal_run *run, const char *field) {
  return ig_output_wants(run->job->output, field);
}

/* Element values of birth order, into the snapshot's mesh order. */
static ig_status elements_add(ig_thermal_run *run, ig_snapshot *snap, const char *name,
                              const char *unit, const float *from) {
  void *data;
  IG_TRY(ig_snapshot_add(snap, name, unit, IG_AT_ELEMENTS, IG_F32, 1, NULL, &data));
  memset(data, 0, (size_t)run->heat.elements * sizeof(float));
  for (ig_lid e = 0; e < run->heat.now.elements; e++)
    ((float *)data)[run->heat.order[e]] = from[e];
  return IG_OK;
}

/* What is kept of each element's past. */
static ig_status past_add(ig_thermal_run *run, ig_snapshot *snap) {
  static const char *const name[] = {NULL, "T_peak", "time_above_liquidus", "melts", "cooling_rate",
                                     "G",  "R"};
  static const char *const unit[] = {NULL, "K", "s", "", "K/s", "K/m", "m/s"};
  ig_heat *h = &run->heat;
  bool any = false;
  for (int c = IG_TRACK_PEAK; c < IG_TRACK_COLUMNS; c++)
    any |= wanted(run, name[c]);
  if (!h->track_every || !any)
    return IG_OK;
  IG_TRY(ig_array_pull(run->job->cx, &h->track));
  for (int c = IG_TRACK_PEAK; c < IG_TRACK_COLUMNS; c++)
    if (wanted(run, name[c]))
      IG_TRY(elements_add(run, snap, name[c], unit[c],
                          (float *)h->track.host + (int64_t)c * h->elements));
  return IG_OK;
}

/* When elements were born, and which are powder. `value`: elements, to work in. */
static ig_status births_add(ig_thermal_run *run, ig_snapshot *snap, float *value) {
  ig_heat *h = &run->heat;
  if (run->birth && wanted(run, "birth")) {
    for (ig_lid e = 0; e < h->now.elements; e++)
      value[e] = (float)fmax(run->birth[h->order[e]], 0);
    IG_TRY(elements_add(run, snap, "birth", "s", value));
  }
  if (h->solid.host && wanted(run, "powder")) {
    IG_TRY(ig_array_pull(run->job->cx, &h->solid));
    for (ig_lid e = 0; e < h->now.elements; e++)
      value[e] = ((uint8_t *)h->solid.host)[e] ? 0 : 1;
    IG_TRY(elements_add(run, snap, "powder", "", value));
  }
  return IG_OK;
}

ig_status ig_thermal_snapshot(void *self, ig_sink *to) {
  ig_thermal_run *run = self;
  ig_ctx *cx = run->job->cx;
  const ig_heat *h = &run->heat;
  ig_snapshot *snap = NULL;
  uint8_t *alive = NULL;
  float *value = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &alive, h->elements, "snapshot"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &value, h->elements, "snapshot"));
  for (ig_lid e = 0; e < h->now.elements; e++)
    alive[h->order[e]] = 1;
  IG_TRY_GOTO(status, done,
              ig_snapshot_of_mesh(cx, run->job->mesh, h->now.elements < h->elements ? alive : NULL,
                                  (double)run->done * run->dt, run->done, &snap));
  if (wanted(run, "T"))
    IG_TRY_GOTO(status, done,
                ig_snapshot_add_device(snap, "T", "K", IG_AT_POINTS,
                                       h->precision == IG_SINGLE ? IG_F32 : IG_F64, 1, h->T.dev));
  IG_TRY_GOTO(status, done, past_add(run, snap));
  IG_TRY_GOTO(status, done, births_add(run, snap, value));
done:
  free(alive);
  free(value);
  if (status == IG_OK)
    return to->snapshot(to, snap);
  ig_snapshot_free(snap);
  return status;
}

/* --- checkpoints */

enum { KEPT = 11 }; /* numbers of the run beside the state */

ig_status ig_thermal_save(void *self, ig_sink *to) {
  ig_thermal_run *run = self;
  ig_saved saved[IG_HEAT_SAVED + 1];
  int count;
  IG_TRY(ig_heat_save(run->job->cx, &run->heat, saved, &count));
  double kept[KEPT] = {run->layer_z,      run->interlayer,   run->melt_most[0],
                       run->melt_most[1], run->melt_most[2], run->melt_most[3]};
  memcpy(kept + 6, run->as_done, sizeof run->as_done);
  kept[10] = run->dt;
  saved[count++] = (ig_saved){"kept", IG_F64, KEPT, kept};
  return to->checkpoint(to, (double)run->done * run->dt, run->done, saved, count);
}

ig_status ig_thermal_restore(void *self, const ig_restart *restart) {
  ig_thermal_run *run = self;
  ig_ctx *cx = run->job->cx;
  const void *data;
  IG_TRY(ig_restart_find(cx, restart, "kept", IG_F64, KEPT, &data));
  const double *kept = data, dt = kept[10];
  if (!(dt > 0) || !(fabs(restart->time - (double)restart->step * dt) <= 1e-9 * dt))
    return IG_FAIL(cx, IG_INPUT,
                   "the checkpoint's time, step and step length contradict each other");
  if (dt != run->dt) { /* a run that goes further than it meant to keeps its step */
    run->dt = dt;
    IG_TRY(
        ig_steps_count(cx, &run->c->at, ceil(run->c->duration / dt * (1 - 1e-9)), dt, &run->steps));
  }
  if (restart->step > run->steps)
    return ig_fail_at(cx, &run->c->at, "the checkpoint is at %g s, the case ends at %g s",
                      restart->time, run->c->duration);
  run->step = run->done = restart->step;
  IG_TRY(ig_heat_begin(cx, &run->heat, run->step ? (double)(run->step - 1) * run->dt : 0));
  run->layer_z = kept[0];
  run->interlayer = kept[1];
  memcpy(run->melt_most, kept + 2, sizeof run->melt_most);
  run->beams.asked = kept[6];
  run->leap = (int64_t)kept[7];
  run->wait = (int64_t)kept[8];
  run->critical = kept[9];
  ig_thermal_note(run);
  IG_TRY(ig_heat_restore(cx, &run->heat, restart));
  run->before = run->heat.steps_done;
  return IG_OK;
}

/* --- final figures */

ig_status ig_thermal_results(void *self, ig_sink *sink) {
  ig_thermal_run *run = self;
  ig_ctx *cx = run->job->cx;
  const ig_heat_question nothing = {0};
  ig_heat_survey s;
  double volume, area;
  IG_TRY(ig_heat_ask(cx, &run->heat, &nothing, &s));
  const ig_heat_ledger l = ig_heat_ledger_of(&run->heat, &s);
  ig_heat_measure(&run->heat, &volume, &area);
  const double missed = fmax(0, run->beams.asked - l.source);
  if (missed > 1e-6 * run->beams.asked)
    ig_warn_at(cx, &run->c->at, "%.3g J of the beams' %.3g J found nothing to heat", missed,
               run->beams.asked);
  const struct {
    const char *key, *unit;
    double value;
  } figures[] = {{"T_min", "K", s.low[IG_SURVEY_T]},
                 {"T_max", "K", s.high[IG_SURVEY_T]},
                 {"stored", "J", l.stored - l.start},
                 {"source", "J", l.source},
                 {"beam", "J", run->beams.asked},
                 {"beam_missed", "J", missed},
                 {"flux", "J", l.flux},
                 {"body", "J", l.body},
                 {"born", "J", l.born},
                 {"convected", "J", l.convected},
                 {"radiated", "J", l.radiated},
                 {"held", "J", l.held},
                 {"energy_gap", "J", ig_heat_ledger_gap(&l)},
                 {"volume", "m^3", volume},
                 {"surface", "m^2", area},
                 {"time_step", "s", run->dt},
                 {"critical_step", "s", 2 / run->heat.rate},
                 {"evaluations", "", (double)run->heat.steps_done}};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    IG_TRY(sink->result(sink, figures[i].key, figures[i].unit, figures[i].value));
  static const char *const melt[] = {"melt_length_max", "melt_width_max", "melt_depth_max",
                                     "melt_volume_max"};
  for (int i = 0; i < 4 && run->heat.track_every; i++)
    IG_TRY(sink->result(sink, melt[i], i < 3 ? "m" : "m^3", run->melt_most[i]));
  if (!isnan(run->interlayer))
    IG_TRY(sink->result(sink, "interlayer_last", "K", run->interlayer));
  return IG_OK;
}
