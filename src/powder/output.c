/* Output of a run: rows of history.csv, snapshots of the coarse grid, figures of the summary.
   Tables of lines and layers are in report.c. Each function first pulls what it reads from the
   device. */
#include "powder/powder.h"
#include "core/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Also the place where a run that has gone wrong is noticed: a stored heat that is no number ends
   it. */
ig_status ig_powder_history(void *self, ig_sink *to) {
  ig_powder_run *r = self;
  /* columns that are always there; then one per probe */
  enum { FIXED = 19, MOST = FIXED + 1 + IG_POWDER_PROBES };
  const char *names[MOST] = {
      "step",           "time [s]",       "T_max [K]",         "stored [J]",     "source [J]",
      "born [J]",       "lost [J]",       "held [J]",          "energy_gap [J]", "layer",
      "line",           "interlayer [K]", "beam_x [m]",        "beam_y [m]",     "melt_length [m]",
      "melt_width [m]", "melt_depth [m]", "melt_volume [m^3]", "sunk [J]"};
  double x[3], values[MOST];
  IG_TRY(ig_powder_pull(r, IG_PULL_HEAT | IG_PULL_LEDGER | IG_PULL_POOL | IG_PULL_PROBES));
  const double stored = ig_powder_stored(r) - r->stored0, open = ig_powder_gap(r),
               *pool = ig_powder_host(&r->array.pool);
  char probe[IG_POWDER_PROBES][72];
  if (!isfinite(stored))
    return IG_FAIL(r->cx, IG_NUMERIC, "the heat of the bed is no number at %g s", r->time);
  if (!to)
    return IG_OK;
  ig_powder_beam_at(r, 0, r->time, x);
  const double fixed[FIXED] = {(double)r->step,
                               r->time,
                               pool[4],
                               stored,
                               r->ledger.source,
                               r->ledger.born,
                               r->ledger.lost,
                               r->ledger.held,
                               open,
                               (double)r->layer,
                               (double)r->laser[0].line + 1,
                               r->layer > 0 ? r->layer_of[r->layer - 1].interlayer : NAN,
                               x[0],
                               x[1],
                               pool[0],
                               pool[1],
                               pool[2],
                               pool[3],
                               r->ledger.sunk};
  memcpy(values, fixed, sizeof fixed);
  const int probes = r->c->probes.count;
  int count = FIXED;
  if (r->c->evaporation) {
    names[count] = "evaporated [J]";
    values[count++] = r->ledger.evaporated;
  }
  for (int i = 0; i < probes; i++, count++) {
    snprintf(probe[i], sizeof probe[i], "%.60s [K]",
             IG_ITEM(const ig_powder_probe, r->c->probes, i)->name);
    names[count] = probe[i];
    values[count] = ig_powder_host(&r->array.probe_now)[i];
  }
  return to->history(to, count, names, values);
}

/* --- snapshots: the coarse grid, cells that are filled */

/* Points of all levels that are filled; the topmost points lie at the bed's top, which may be
   within a coarse cell. */
static ig_status snapshot_grid(const ig_powder_run *r, ig_snapshot *s) {
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const ig_powder_level *l = &r->coarse;
  const int nx = l->n[0] + 1, ny = l->n[1] + 1;
  const double top = r->low[2] + (double)r->bed * r->cell;
  for (int64_t p = 0; p < s->points; p++) {
    s->point[3 * p] = r->low[0] + (double)(p % nx) * l->edge;
    s->point[3 * p + 1] = r->low[1] + (double)(p / nx % ny) * l->edge;
    s->point[3 * p + 2] = fmin(r->low[2] + (double)(p / nx / ny) * l->edge, top);
  }
  for (int64_t c = 0; c < s->cells; c++) {
    const int64_t at[3] = {c % l->n[0], c / l->n[0] % l->n[1], c / l->n[0] / l->n[1]};
    for (int a = 0; a < 8; a++)
      s->corner[8 * c + a] =
          ((at[2] + corner[a][2]) * ny + at[1] + corner[a][1]) * nx + at[0] + corner[a][0];
    s->offset[c + 1] = 8 * (c + 1);
    s->type[c] = 12; /* a hexahedron of VTK */
  }
  return IG_OK;
}

/* The mean number of meltings of a coarse cell's matter: of those that are buried (checkpoint.c)
   the sum, and of each fine cell since (melts_pull). */
static double melts_mean(const ig_powder_run *r, int i, int j, int k) {
  const size_t at = ig_powder_cell(r, i, j, k);
  const int64_t sum = (int64_t)((const float *)r->array.part_melts.host)[at] + r->melts[at],
                above = r->bed - (int64_t)k * r->r, levels = above < r->r ? above : r->r;
  return levels > 0 ? (double)sum / (double)(levels * r->r * r->r) : 0;
}
static void melts_put(void *user, int k, const int32_t *sum) {
  const ig_powder_run *r = user;
  const size_t cells = (size_t)r->coarse.n[0] * (size_t)r->coarse.n[1];
  memcpy(r->melts + (size_t)k * cells, sum, cells * sizeof *sum);
}
static ig_status melts_pull(ig_powder_run *r) {
  const size_t cells = (size_t)r->coarse.n[0] * (size_t)r->coarse.n[1] * (size_t)r->coarse.n[2];
  if (!r->melts)
    IG_TRY(IG_NEW(r->cx, &r->melts, cells, "meltings"));
  return ig_powder_melts_sum(r, 0, r->bed, false, melts_put, r);
}

/* --- fields of coarse cells */

enum { FIELD_T, FIELD_SOLID, FIELD_MELTS, FIELD_UNFUSED, FIELD_POROSITY, FIELD_KEYHOLE, FIELDS };
static const char *const field_name[FIELDS] = {"T",       "solid",    "melts",
                                               "unfused", "porosity", "keyhole"};
static const char *const field_unit[FIELDS] = {"K", "", "", "", "", ""};

/* Meltings are in the fine cells' states, the largest array there is: pulled only where wanted. */
static ig_status field_pull(ig_powder_run *r, bool melts) {
  IG_TRY(ig_powder_pull(r, IG_PULL_HEAT | IG_PULL_SOLID | (melts ? IG_PULL_STATE : 0)));
  return melts ? melts_pull(r) : IG_OK;
}

/* Of a filled cell, once it is pulled. */
static double field_value(const ig_powder_run *r, int field, int i, int j, int k) {
  const size_t at = ig_powder_cell(r, i, j, k);
  const double solid = ig_powder_host(&r->array.solid)[at];
  const float of_part = ((const float *)r->array.part_cells.host)[at],
              unfused = ((const float *)r->array.part_unfused.host)[at];
  switch (field) {
  case FIELD_T:
    return ig_powder_table_T(r->tables, r->coarse.heat[ig_level_at(&r->coarse, i, j, k)], solid);
  case FIELD_SOLID:
    return solid;
  case FIELD_MELTS:
    return melts_mean(r, i, j, k);
  case FIELD_POROSITY:
    return (double)((const float *)r->array.part_porosity.host)[at];
  case FIELD_KEYHOLE:
    return (double)((const float *)r->array.part_keyhole.host)[at];
  default:
    return of_part > 0 ? (double)(unfused / of_part) : 0;
  }
}

/* Fields as a program sees them (core/room.h): one value per coarse cell of the whole bed. */
bool ig_powder_field(void *self, int i, ig_room_field *f) {
  const ig_powder_run *r = self;
  if (i >= FIELDS)
    return false;
  *f = (ig_room_field){.name = field_name[i],
                       .unit = field_unit[i],
                       .where = IG_AT_ELEMENTS,
                       .dtype = IG_F64,
                       .components = 1,
                       .count = (int64_t)r->coarse.n[0] * r->coarse.n[1] * r->coarse.n[2]};
  return true;
}

/* Cells of levels that are not filled yet are NaN. name is one of field_name: the caller has
   checked it. */
ig_status ig_powder_get(void *self, const char *name, double *values) {
  ig_powder_run *r = self;
  const int *n = r->coarse.n, levels = ig_powder_filled(&r->view, 2);
  int field = 0;
  while (strcmp(name, field_name[field]) != 0)
    field++;
  IG_TRY(field_pull(r, field == FIELD_MELTS));
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++)
        *values++ = k < levels ? field_value(r, field, i, j, k) : NAN;
  return IG_OK;
}

/* Fine cells are not written: a bed of 1e9 of them would be 8 GB a snapshot. See `map` and `movie`.
 */
ig_status ig_powder_snapshot(void *self, ig_sink *to) {
  ig_powder_run *r = self;
  const ig_powder_level *l = &r->coarse;
  if (r->view.film.T)
    return IG_OK; /* its frames are the snapshots */
  IG_TRY(field_pull(r, ig_output_wants(r->job->output, "melts")));
  const int levels = (int)((r->bed + r->r - 1) / r->r);
  const int64_t cells = (int64_t)l->n[0] * l->n[1] * levels;
  ig_snapshot *s;
  IG_TRY(ig_snapshot_new(r->cx, (int64_t)(l->n[0] + 1) * (l->n[1] + 1) * (levels + 1), cells,
                         8 * cells, r->time, r->step, &s));
  double *field[FIELDS] = {0};
  ig_status status = snapshot_grid(r, s);
  for (int f = 0; f < FIELDS && status == IG_OK; f++) {
    if (ig_output_wants(r->job->output, field_name[f]))
      status = ig_snapshot_add(s, field_name[f], field_unit[f], IG_AT_CELLS, IG_F64, 1, NULL,
                               (void **)&field[f]);
    for (int64_t c = 0; c < cells && field[f] && status == IG_OK; c++)
      field[f][c] = field_value(r, f, (int)(c % l->n[0]), (int)(c / l->n[0] % l->n[1]),
                                (int)(c / l->n[0] / l->n[1]));
  }
  if (status != IG_OK) {
    ig_snapshot_free(s);
    return status;
  }
  return to->snapshot(to, s);
}

/* Of a mean in the records of lines over all looks at their pools; NaN: there were none. */
static double looks_mean(const ig_powder_run *r, int column) {
  double sum = 0, looks = 0;
  for (int64_t i = 0; i < r->lines; i++) {
    const double *l = ig_powder_host(&r->array.line) + IG_LINE_COLUMNS * i;
    sum += l[IG_LINE_LOOKS] * l[column];
    looks += l[IG_LINE_LOOKS];
  }
  return looks > 0 ? sum / looks : NAN;
}

/* The last layer is counted here: no later one has closed it. Figures that were never measured
   (NaN) are left out. */
ig_status ig_powder_results(void *self, ig_sink *to) {
  ig_powder_run *r = self;
  if (r->layer > 0)
    IG_TRY(ig_powder_layer_done(r, r->layer - 1));
  IG_TRY(ig_powder_pull(r, IG_PULL_HEAT | IG_PULL_LEDGER | IG_PULL_POOL | IG_PULL_PROBES |
                               IG_PULL_LINES));
  const double *most = ig_powder_host(&r->array.pool) + IG_POOL_MOST;
  IG_TRY(ig_powder_tables_write(r, to));
  IG_TRY(ig_powder_events_write(r, to));
  const double stored = ig_powder_stored(r) - r->stored0, open = ig_powder_gap(r);
  double worst = NAN, reached = NAN, porosity = NAN, keyhole = NAN;
  for (int64_t i = 0; i < r->layer; i++) {
    worst = fmin(worst, r->layer_of[i].melted); /* a number, where one of them is */
    reached = fmin(reached, r->layer_of[i].reached);
    porosity = fmax(porosity, r->layer_of[i].porosity);
    keyhole = fmax(keyhole, r->layer_of[i].keyhole);
  }
  const struct {
    const char *key, *unit;
    double value;
  } row[] = {{"layers", "", (double)r->layer},
             {"stored", "J", stored},
             {"source", "J", r->ledger.source},
             {"born", "J", r->ledger.born},
             {"sunk", "J", r->ledger.sunk},
             {"lost", "J", r->ledger.lost},
             {"held", "J", r->ledger.held},
             {"evaporated", "J", r->c->evaporation ? r->ledger.evaporated : NAN},
             {"energy_gap", "J", open},
             {"T_max", "K", most[4]},
             {"melt_length_max", "m", most[0]},
             {"melt_width_max", "m", most[1]},
             {"melt_depth_max", "m", most[2]},
             {"melt_width_mean", "m", looks_mean(r, IG_LINE_WIDTH_MEAN)},
             {"melt_depth_mean", "m", looks_mean(r, IG_LINE_DEPTH_MEAN)},
             {"melted_fraction_least", "", worst},
             {"reached_below_least", "", reached},
             {"porosity_most", "", porosity},
             {"keyhole_index_most", "", keyhole},
             {"events", "", r->c->events.at.given ? r->events_before + (double)r->events : NAN},
             {"events_lost", "", r->c->events.at.given ? r->events_lost : NAN},
             {"time_above", "s", ig_powder_events_mean(r, IG_EVENT_LINE_ABOVE)},
             {"cooling_rate", "K/s", ig_powder_events_mean(r, IG_EVENT_LINE_COOLING)},
             {"fine_steps", "", (double)r->fine_steps},
             {"coarse_steps", "", (double)r->coarse_steps},
             {"window_moves", "", (double)r->moves}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (!isnan(row[i].value))
      IG_TRY(to->result(to, row[i].key, row[i].unit, row[i].value));
  for (int i = 0; i < r->c->probes.count; i++) {
    char key[80];
    snprintf(key, sizeof key, "%.60s_peak", IG_ITEM(const ig_powder_probe, r->c->probes, i)->name);
    IG_TRY(to->result(to, key, "K", ig_powder_host(&r->array.probe_peak)[i]));
  }
  ig_powder_warn(r);
  return IG_OK;
}
