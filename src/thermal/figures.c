/* What a run tells: probes, history rows, snapshots, final figures. */
#include "thermal/thermal.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trilinear weights of a point in an element (VTK corners), by Newton's method; false: outside. */
static bool weights_at(const double *x, const ig_lid *conn, const double *point, double *weight) {
  static const double at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  double s[3] = {0.5, 0.5, 0.5};
  for (int i = 0; i < 20; i++) {
    double r[3] = {point[0], point[1], point[2]}, J[3][3] = {{0}}, size = 0;
    for (int a = 0; a < 8; a++) {
      double f[3], g[3];
      for (int d = 0; d < 3; d++) {
        f[d] = at[a][d] ? s[d] : 1 - s[d];
        g[d] = at[a][d] ? 1 : -1;
      }
      weight[a] = f[0] * f[1] * f[2];
      for (int d = 0; d < 3; d++) {
        const double y = x[3 * (int64_t)conn[a] + d];
        r[d] -= weight[a] * y;
        J[d][0] += g[0] * f[1] * f[2] * y;
        J[d][1] += f[0] * g[1] * f[2] * y;
        J[d][2] += f[0] * f[1] * g[2] * y;
      }
    }
    double I[3][3];
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++)
        I[q][p] = J[(p + 1) % 3][(q + 1) % 3] * J[(p + 2) % 3][(q + 2) % 3] -
                  J[(p + 1) % 3][(q + 2) % 3] * J[(p + 2) % 3][(q + 1) % 3];
    const double det = J[0][0] * I[0][0] + J[0][1] * I[1][0] + J[0][2] * I[2][0];
    if (!(fabs(det) > 0))
      return false;
    for (int d = 0; d < 3; d++) {
      const double step = (I[d][0] * r[0] + I[d][1] * r[1] + I[d][2] * r[2]) / det;
      s[d] += step;
      size = fmax(size, fabs(step));
    }
    if (size < 1e-12)
      break;
  }
  const double slack = 1e-6;
  for (int d = 0; d < 3; d++)
    if (!(s[d] >= -slack && s[d] <= 1 + slack))
      return false;
  return true;
}

static ig_status probe_add(ig_thermal_run *run, const ig_thermal_probe *c, int place,
                           const double *point) {
  const ig_mesh *mesh = run->job->mesh;
  const ig_block *block = &mesh->block[0];
  struct ig_probe *p = &run->probe[run->probes];
  if (place < 0)
    snprintf(p->name, sizeof p->name, "%.50s [K]", c->name);
  else
    snprintf(p->name, sizeof p->name, "%.40s_%d [K]", c->name, place);
  for (ig_lid e = 0; e < block->count; e++) {
    const ig_lid *conn = &block->conn[8 * (int64_t)e];
    bool near = true; /* inside the corners' box? */
    for (int d = 0; d < 3 && near; d++) {
      double low = INFINITY, high = -INFINITY;
      for (int a = 0; a < 8; a++) {
        low = fmin(low, mesh->x[3 * (int64_t)conn[a] + d]);
        high = fmax(high, mesh->x[3 * (int64_t)conn[a] + d]);
      }
      const double slack = 1e-6 * (high - low);
      near = point[d] >= low - slack && point[d] <= high + slack;
    }
    if (near && weights_at(mesh->x, conn, point, p->weight)) {
      memcpy(p->node, conn, sizeof p->node);
      run->probes++;
      return IG_OK;
    }
  }
  return ig_fail_at(run->job->cx, &c->at, "probe '%s' at (%g, %g, %g) m is outside the mesh",
                    c->name, point[0], point[1], point[2]);
}

/* The nodes of all probes, for the device to read out. */
static ig_status picks_make(ig_thermal_run *run) {
  const size_t count = 8 * (size_t)run->probes;
  if (count == 0)
    return IG_OK;
  IG_TRY(ig_array_new(run->job->cx, &run->pick, count, sizeof(int32_t), "probes"));
  IG_TRY(ig_array_new(run->job->cx, &run->picked, count, sizeof(double), "probes"));
  for (int p = 0; p < run->probes; p++)
    memcpy((int32_t *)run->pick.host + 8 * (int64_t)p, run->probe[p].node,
           sizeof run->probe[p].node);
  return ig_array_push(run->job->cx, &run->pick);
}

ig_status ig_thermal_probes(ig_thermal_run *run) {
  int64_t count = 0;
  for (int i = 0; i < run->c->probes.count; i++) {
    const ig_thermal_probe *p = IG_ITEM(const ig_thermal_probe, run->c->probes, i);
    count += isnan(p->to[0]) ? 1 : p->count;
  }
  if (count > 4096)
    return ig_fail_at(run->job->cx, &run->c->at, "%lld probes are too many (4096)",
                      (long long)count);
  IG_TRY(IG_NEW(run->job->cx, &run->probe, count, "probes"));
  for (int i = 0; i < run->c->probes.count; i++) {
    const ig_thermal_probe *p = IG_ITEM(const ig_thermal_probe, run->c->probes, i);
    if (isnan(p->to[0])) {
      IG_TRY(probe_add(run, p, -1, p->point));
      continue;
    }
    for (int k = 0; k < p->count; k++) {
      const double s = (double)k / (double)(p->count - 1);
      const double point[3] = {p->point[0] + s * (p->to[0] - p->point[0]),
                               p->point[1] + s * (p->to[1] - p->point[1]),
                               p->point[2] + s * (p->to[2] - p->point[2])};
      IG_TRY(probe_add(run, p, k, point));
    }
  }
  return picks_make(run);
}

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
    const double power =
        ig_path_at(&run->beams.beam[0].path, &cursor, (double)run->done * run->dt, at);
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

ig_status ig_thermal_history(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
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
    status = run->job->sink->history(run->job->sink, columns, names, value);
  }
  free(names);
  free(value);
  return status;
}

/* --- snapshots */

/* Element values of birth order, at the places cells have in a snapshot that leaves out the
   unborn. */
static ig_status cells_add(ig_thermal_run *run, ig_snapshot *snap, const ig_lid *cell_of,
                           const char *name, const char *unit, const float *from) {
  void *data;
  IG_TRY(ig_snapshot_add(snap, name, unit, IG_AT_CELLS, IG_F32, 1, NULL, &data));
  for (ig_lid e = 0; e < run->heat.now.elements; e++)
    ((float *)data)[cell_of[run->heat.order[e]]] = from[e];
  return IG_OK;
}

static ig_status past_add(ig_thermal_run *run, ig_snapshot *snap, const uint8_t *alive) {
  static const char *const name[] = {NULL, "T_peak", "time_above_liquidus", "melts", "cooling_rate",
                                     "G",  "R"};
  static const char *const unit[] = {NULL, "K", "s", "", "K/s", "K/m", "m/s"};
  ig_heat *h = &run->heat;
  ig_ctx *cx = run->job->cx;
  ig_lid *cell_of, cells = 0;
  float *value = NULL;
  IG_TRY(IG_NEW(cx, &cell_of, h->elements, "snapshot"));
  for (ig_lid e = 0; e < h->elements; e++) {
    cell_of[e] = cells;
    cells += alive[e];
  }
  ig_status status = IG_OK;
  if (h->track_every)
    status = ig_array_pull(cx, &h->track);
  for (int c = IG_TRACK_PEAK; c < IG_TRACK_COLUMNS && h->track_every && status == IG_OK; c++)
    status = cells_add(run, snap, cell_of, name[c], unit[c],
                       (float *)h->track.host + (int64_t)c * h->elements);
  if (status == IG_OK && (run->birth || h->solid.host) &&
      (status = IG_NEW(cx, &value, h->elements, "snapshot")) == IG_OK) {
    if (run->birth) {
      for (ig_lid e = 0; e < h->now.elements; e++)
        value[e] = (float)fmax(run->birth[h->order[e]], 0);
      status = cells_add(run, snap, cell_of, "birth", "s", value);
    }
    if (h->solid.host && status == IG_OK)
      status = ig_array_pull(cx, &h->solid);
    if (h->solid.host && status == IG_OK) {
      for (ig_lid e = 0; e < h->now.elements; e++)
        value[e] = ((uint8_t *)h->solid.host)[e] ? 0 : 1;
      status = cells_add(run, snap, cell_of, "powder", "", value);
    }
  }
  free(value);
  free(cell_of);
  return status;
}

ig_status ig_thermal_snapshot(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
  const ig_heat *h = &run->heat;
  ig_snapshot *snap = NULL;
  uint8_t *alive;
  IG_TRY(IG_NEW(cx, &alive, h->elements, "snapshot"));
  for (ig_lid e = 0; e < h->now.elements; e++)
    alive[h->order[e]] = 1;
  ig_status status =
      ig_snapshot_of_mesh(cx, run->job->mesh, h->now.elements < h->elements ? alive : NULL,
                          (double)run->done * run->dt, run->done, &snap);
  if (status == IG_OK)
    status = ig_snapshot_add_device(snap, "T", "K", IG_AT_POINTS,
                                    h->precision == IG_SINGLE ? IG_F32 : IG_F64, 1, h->T.dev);
  if (status == IG_OK)
    status = past_add(run, snap, alive);
  free(alive);
  if (status != IG_OK) {
    ig_snapshot_free(snap);
    return status;
  }
  return run->job->sink->snapshot(run->job->sink, snap);
}

ig_status ig_thermal_results(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
  ig_sink *sink = run->job->sink;
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
