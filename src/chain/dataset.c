/* The data set of a sweep: the table of results as numbers, and the snapshots of all runs as arrays
   of run x snapshot x point (or cell) x component. Two passes over the snapshots: the first finds
   points, cells and fields of all of them, the second writes. One snapshot is in memory at a time;
   the file grows on the disk and appears whole. */
#include <ingot/dataset.h>
#include "chain/cell_union.h"
#include "chain/chain.h"
#include "chain/sweep.h"
#include "core/number.h"
#include "core/unit.h"
#include "io/format/atomic_file.h"
#include "io/format/csv.h"
#include "io/format/h5.h"
#include "io/result/result_folder.h"
#include "io/result/vtkhdf.h"
#include <ingot/context.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1, NAME = 160 };

/* A field that any snapshot has. */
typedef struct {
  char name[NAME], unit[24], path[NAME + 24];
  bool points; /* at points; else at cells */
  ig_dtype dtype;
  int components;
} field;

typedef struct {
  ig_ctx *cx;
  const ig_sweep *sweep;
  const char *out;
  const ig_dataset_options *o;
  ig_status status;
  /* The table of results: run, status, inputs, figures, wall time. */
  int runs, columns, inputs, row;
  char **cell; /* (runs + 1) x columns: headings first */
  /* The snapshots. */
  ig_series *series; /* per run; of those that are not complete empty */
  int64_t most;      /* snapshots of a run */
  ig_cell_union mesh;
  int fields;
  field *field;
  ig_dataset_info info;
} dataset;

/* --- the table */

/* ig_row_fn. */
static void row_take(void *user, int columns, const char *const *cell) {
  dataset *d = user;
  if (d->status != IG_OK)
    return;
  if (!d->cell) {
    d->columns = columns;
    d->status = IG_NEW(d->cx, &d->cell, ((size_t)d->runs + 1) * (size_t)columns, "results");
  }
  for (int c = 0; c < columns && d->status == IG_OK; c++)
    if (!(d->cell[d->row * columns + c] = strdup(cell[c])))
      d->status = IG_FAIL(d->cx, IG_MEMORY, "no memory for the results");
  d->row++;
}

static const char *cell_at(const dataset *d, int row, int column) {
  return d->cell[(size_t)row * (size_t)d->columns + (size_t)column];
}

static bool is_complete(const dataset *d, int run) {
  return strcmp(cell_at(d, run + 1, 1), "complete") == 0;
}

static ig_status table_read(dataset *d) {
  d->runs = ig_sweep_count(d->sweep);
  IG_TRY(ig_sweep_results(d->sweep, d->out, row_take, d));
  IG_TRY(d->status);
  d->inputs = ig_sweep_keys(d->sweep);
  for (int r = 0; r < d->runs; r++)
    d->info.complete += is_complete(d, r);
  d->info.runs = d->runs;
  d->info.inputs = d->inputs;
  d->info.figures = d->columns - 3 - d->inputs;
  if (d->info.complete == 0)
    return IG_FAIL(d->cx, IG_INPUT, "no complete run in '%.200s': run the sweep first", d->out);
  return IG_OK;
}

/* A column of inputs as numbers in the unit of the first run that has one; NaN: no number. */
static void input_numbers(const dataset *d, int column, double *value, const char **unit) {
  ig_unit first = {.factor = 0}, own;
  *unit = "";
  for (int r = 0; r < d->runs; r++) {
    const char *text = cell_at(d, r + 1, 2 + column), *suffix;
    char problem[160];
    double number;
    double *to = &value[r * d->inputs + column];
    *to = NAN;
    if (!ig_quantity_read(text, &number, &suffix, &own, problem, sizeof problem))
      continue;
    if (first.factor == 0) {
      first = own;
      *unit = suffix;
    }
    if (memcmp(first.power, own.power, sizeof own.power) == 0)
      *to = strcmp(*unit, suffix) == 0
                ? number
                : (number * own.factor + own.offset - first.offset) / first.factor;
  }
}

static ig_status inputs_put(const dataset *d, ig_h5 *h5) {
  const int n = d->runs, k = d->inputs;
  const char **text = NULL;
  double *value = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_h5_group(h5, "inputs"));
  if (k == 0)
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &value, n * k, "inputs"));
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &text, (n + 2) * k, "inputs"));
  for (int c = 0; c < k; c++) {
    text[c] = cell_at(d, 0, 2 + c);
    input_numbers(d, c, value, &text[k + c]);
    for (int r = 0; r < n; r++)
      text[(r + 2) * k + c] = cell_at(d, r + 1, 2 + c);
  }
  IG_TRY_GOTO(status, done, ig_h5_put_texts(h5, "inputs/name", k, 0, text));
  IG_TRY_GOTO(status, done, ig_h5_put_texts(h5, "inputs/unit", k, 0, text + k));
  IG_TRY_GOTO(status, done, ig_h5_put_texts(h5, "inputs/text", n, k, text + 2 * k));
  status = ig_h5_put(h5, "inputs/value", IG_F64, n, k, value);
done:
  free(text);
  free(value);
  return status;
}

/* Figures stand after the inputs, the wall time last. */
static ig_status figures_put(const dataset *d, ig_h5 *h5) {
  const int n = d->runs, k = d->info.figures, from = 2 + d->inputs;
  char(*name)[NAME] = NULL, (*unit)[IG_CSV_UNIT] = NULL;
  const char **text = NULL;
  double *value = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_h5_group(h5, "figures"));
  if (k <= 0)
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &name, k, "figures"));
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &unit, k, "figures"));
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &text, 2 * k, "figures"));
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &value, n * k, "figures"));
  for (int c = 0; c < k; c++) {
    const char *heading = cell_at(d, 0, from + c);
    snprintf(name[c], NAME, "%.*s", (int)ig_csv_name(heading, unit[c]), heading);
    text[c] = name[c];
    text[k + c] = unit[c];
    for (int r = 0; r < n; r++) {
      const char *cell = cell_at(d, r + 1, from + c);
      char *end;
      const double number = ig_decimal_read(cell, &end);
      value[r * k + c] = is_complete(d, r) && end != cell && !*end ? number : NAN;
    }
  }
  IG_TRY_GOTO(status, done, ig_h5_put_texts(h5, "figures/name", k, 0, text));
  IG_TRY_GOTO(status, done, ig_h5_put_texts(h5, "figures/unit", k, 0, text + k));
  status = ig_h5_put(h5, "figures/value", IG_F64, n, k, value);
done:
  free(name);
  free(unit);
  free(text);
  free(value);
  return status;
}

static ig_status runs_put(const dataset *d, ig_h5 *h5) {
  const char **text = NULL;
  int32_t *count = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &text, d->runs, "runs"));
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &count, d->runs, "runs"));
  IG_TRY_GOTO(status, done, ig_h5_group(h5, "runs"));
  for (int column = 0; column < 2; column++) {
    for (int r = 0; r < d->runs; r++)
      text[r] = cell_at(d, r + 1, column);
    IG_TRY_GOTO(status, done,
                ig_h5_put_texts(h5, column ? "runs/status" : "runs/name", d->runs, 0, text));
  }
  for (int r = 0; r < d->runs; r++)
    count[r] = (int32_t)d->series[r].count;
  status = ig_h5_put(h5, "runs/snapshots", IG_I32, d->runs, 0, count);
done:
  free(text);
  free(count);
  return status;
}

/* --- the snapshots */

/* Calls `each` with every snapshot, and frees it. */
typedef ig_status snapshot_fn(dataset *d, int run, int step, const ig_snapshot *snap, void *user);
static ig_status snapshots_each(dataset *d, snapshot_fn *each, void *user) {
  for (int r = 0; r < d->runs; r++)
    for (int t = 0; t < d->series[r].count; t++) {
      ig_snapshot *snap;
      IG_TRY(ig_snapshot_read(d->cx, d->series[r].path[t], &snap));
      const ig_status status = each(d, r, t, snap, user);
      ig_snapshot_free(snap);
      IG_TRY(status);
    }
  return IG_OK;
}

/* Those of the complete runs; with `last` one of each. A chain has none of its own. */
static ig_status series_read(dataset *d) {
  IG_TRY(IG_NEW(d->cx, &d->series, d->runs, "runs"));
  for (int r = 0; r < d->runs && !d->o->tables; r++) {
    ig_series *s = &d->series[r];
    char *folder = is_complete(d, r) ? ig_path_join(d->out, cell_at(d, r + 1, 0)) : NULL;
    char *index = folder ? ig_path_join(folder, IG_SERIES) : NULL;
    const bool there = index && access(index, R_OK) == 0;
    const ig_status status = there ? ig_series_read(d->cx, folder, s) : IG_OK;
    free(index);
    free(folder);
    IG_TRY(status);
    if (d->o->last && s->count > 1) {
      char *const path = s->path[0];
      s->path[0] = s->path[s->count - 1];
      s->path[s->count - 1] = path;
      s->time[0] = s->time[s->count - 1];
      for (; s->count > 1; s->count--)
        free(s->path[s->count - 1]);
    }
    d->most = s->count > d->most ? s->count : d->most;
  }
  return IG_OK;
}

static bool is_wanted(const dataset *d, const char *name) {
  bool wanted = d->o->fields == 0;
  for (int i = 0; i < d->o->fields; i++)
    wanted |= strcmp(d->o->field[i], name) == 0;
  return wanted;
}

static const field *field_find(const dataset *d, const ig_field *f) {
  for (int i = 0; i < d->fields; i++)
    if (d->field[i].points == (f->where == IG_AT_POINTS) && strcmp(d->field[i].name, f->name) == 0)
      return &d->field[i];
  return NULL;
}

/* snapshot_fn: points, cells and fields. */
static ig_status snapshot_survey(dataset *d, int run, int step, const ig_snapshot *snap,
                                 void *user) {
  bool same;
  (void)user;
  IG_TRY(ig_cell_union_add(d->cx, &d->mesh, snap, &same));
  if (!same)
    return IG_FAIL(d->cx, IG_INPUT,
                   "'%.300s' has other points than the first snapshot: fields of a data set need "
                   "one mesh in all runs; leave them out with --tables",
                   d->series[run].path[step]);
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    const field *known = field_find(d, f);
    if ((f->where != IG_AT_POINTS && f->where != IG_AT_CELLS) || !is_wanted(d, f->name))
      continue;
    if (known && (known->dtype != f->dtype || known->components != f->components))
      return IG_FAIL(d->cx, IG_INPUT,
                     "'%.80s' in '%.300s' has another type than in the snapshots before", f->name,
                     d->series[run].path[step]);
    if (known)
      continue;
    IG_TRY(IG_MORE(d->cx, &d->field, d->fields, "fields"));
    field *add = &d->field[d->fields++];
    *add =
        (field){.points = f->where == IG_AT_POINTS, .dtype = f->dtype, .components = f->components};
    snprintf(add->name, sizeof add->name, "%s", f->name);
    snprintf(add->unit, sizeof add->unit, "%s", f->unit);
    snprintf(add->path, sizeof add->path, "fields/%s/%s", add->points ? "point" : "cell", f->name);
  }
  return IG_OK;
}

static ig_status survey(dataset *d) {
  IG_TRY(series_read(d));
  IG_TRY(snapshots_each(d, snapshot_survey, NULL));
  for (int i = 0; i < d->o->fields; i++) {
    bool there = false;
    for (int k = 0; k < d->fields; k++)
      there |= strcmp(d->field[k].name, d->o->field[i]) == 0;
    if (!there)
      return IG_FAIL(d->cx, IG_INPUT, "no snapshot in '%.200s' has a field '%.80s'", d->out,
                     d->o->field[i]);
  }
  d->info.fields = d->fields;
  d->info.snapshots = d->most;
  d->info.points = d->mesh.points;
  d->info.cells = d->mesh.cells;
  return IG_OK;
}

static ig_status mesh_put(const dataset *d, ig_h5 *h5) {
  const ig_cell_union *m = &d->mesh;
  IG_TRY(ig_h5_group(h5, "mesh"));
  IG_TRY(ig_h5_put(h5, "mesh/point", IG_F64, m->points, 3, m->point));
  IG_TRY(ig_h5_put_text(h5, "mesh/point", "unit", "m"));
  IG_TRY(ig_h5_put(h5, "mesh/corner", IG_I64, m->corners, 0, m->corner));
  IG_TRY(ig_h5_put(h5, "mesh/offset", IG_I64, m->cells + 1, 0, m->offset));
  return ig_h5_put(h5, "mesh/type", IG_U8, m->cells, 0, m->type);
}

static ig_status times_put(const dataset *d, ig_h5 *h5) {
  double *time = NULL;
  IG_TRY(IG_NEW(d->cx, &time, (size_t)d->runs * (size_t)d->most, "times"));
  for (int r = 0; r < d->runs; r++)
    for (int t = 0; t < d->most; t++)
      time[r * d->most + t] = t < d->series[r].count ? d->series[r].time[t] : NAN;
  ig_status status = ig_h5_put(h5, "time", IG_F64, d->runs, (int)d->most, time);
  free(time);
  return status;
}

/* What is open while the second pass goes on. `of` is one of the fields, or -1: which cells are
   there. */
typedef struct {
  ig_h5_slabs slabs;
  int of;
  int64_t *number;
  unsigned char *values;
} writing;

static void values_fill(const dataset *d, const writing *w, const ig_snapshot *snap) {
  const field *f = w->of >= 0 ? &d->field[w->of] : NULL;
  const ig_field *from = NULL;
  const ig_dtype dtype = f ? f->dtype : IG_U8;
  const size_t size = ig_dtype_size(dtype) * (size_t)(f ? f->components : 1);
  for (int i = 0; i < snap->fields && f; i++)
    if (field_find(d, &snap->field[i]) == f)
      from = &snap->field[i];
  if (f && f->points) {
    memcpy(w->values, from->data, size * (size_t)snap->points);
    return;
  }
  const size_t count = (size_t)d->mesh.cells * (size_t)(f ? f->components : 1);
  memset(w->values, 0, size * (size_t)d->mesh.cells);
  for (size_t i = 0; i < count && dtype == IG_F32; i++)
    ((float *)(void *)w->values)[i] = NAN;
  for (size_t i = 0; i < count && dtype == IG_F64; i++)
    ((double *)(void *)w->values)[i] = NAN;
  for (int64_t c = 0; c < snap->cells; c++)
    if (f)
      memcpy(w->values + size * (size_t)w->number[c], (const char *)from->data + size * (size_t)c,
             size);
    else
      w->values[w->number[c]] = 1;
}

/* snapshot_fn: one slab of the field that is being written, if the snapshot has it. */
static ig_status snapshot_put(dataset *d, int run, int step, const ig_snapshot *snap, void *user) {
  writing *w = user;
  const int64_t at[2] = {run, step};
  bool there = w->of < 0;
  for (int i = 0; i < snap->fields && !there; i++)
    there = field_find(d, &snap->field[i]) == &d->field[w->of];
  if (!there)
    return IG_OK;
  if (w->of < 0 || !d->field[w->of].points)
    ig_cell_union_find(&d->mesh, snap, w->number);
  values_fill(d, w, snap);
  return ig_h5_slabs_put(&w->slabs, at, w->values);
}

/* One array of run x snapshot x point or cell (x component). */
static ig_status field_put(dataset *d, ig_h5 *h5, int of) {
  const field *f = of >= 0 ? &d->field[of] : NULL;
  const char *path = f ? f->path : "mesh/alive";
  const ig_dtype dtype = f ? f->dtype : IG_U8;
  const int64_t items = f && f->points ? d->mesh.points : d->mesh.cells;
  const int64_t size[4] = {d->runs, d->most, items, f ? f->components : 1};
  const int rank = size[3] > 1 ? 4 : 3;
  writing w = {.of = of, .slabs = {.set = -1}};
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(d->cx, &w.number, d->mesh.cells, "cells"));
  IG_TRY_GOTO(status, done,
              IG_NEW(d->cx, &w.values, (size_t)(items * size[3]) * ig_dtype_size(dtype), path));
  IG_TRY_GOTO(status, done, ig_h5_slabs_new(h5, path, dtype, rank, 2, size, &w.slabs));
  if (f)
    IG_TRY_GOTO(status, done, ig_h5_put_text(h5, path, "unit", f->unit));
  status = snapshots_each(d, snapshot_put, &w);
done:
  ig_h5_slabs_close(&w.slabs);
  free(w.number);
  free(w.values);
  return status;
}

static ig_status fields_put(dataset *d, ig_h5 *h5) {
  if (d->most == 0 || d->mesh.points == 0 || d->mesh.cells == 0)
    return IG_OK;
  IG_TRY(mesh_put(d, h5));
  IG_TRY(times_put(d, h5));
  IG_TRY(ig_h5_group(h5, "fields"));
  IG_TRY(ig_h5_group(h5, "fields/point"));
  IG_TRY(ig_h5_group(h5, "fields/cell"));
  if (d->mesh.changes)
    IG_TRY(field_put(d, h5, -1));
  for (int i = 0; i < d->fields; i++)
    IG_TRY(field_put(d, h5, i));
  return IG_OK;
}

/* --- the file */

static ig_status file_fill(dataset *d, ig_h5 *h5) {
  const int32_t format = FORMAT;
  char program[80];
  snprintf(program, sizeof program, "Ingot %s", ig_version());
  IG_TRY(ig_h5_put_text(h5, "/", "format", "Ingot data set"));
  IG_TRY(ig_h5_put_numbers(h5, "/", "version", IG_I32, 0, &format));
  IG_TRY(ig_h5_put_text(h5, "/", "program", program));
  IG_TRY(runs_put(d, h5));
  IG_TRY(inputs_put(d, h5));
  IG_TRY(figures_put(d, h5));
  return fields_put(d, h5);
}

static ig_status file_write(dataset *d, const char *path) {
  ig_compressor compressor = {.level = 1};
  ig_h5 h5;
  ig_status status = ig_h5_create_on_disk(d->cx, path, &h5);
  h5.compressor = &compressor;
  if (status == IG_OK)
    status = file_fill(d, &h5);
  if (status == IG_OK)
    status = ig_h5_save(&h5);
  ig_h5_close(&h5);
  ig_compress_clear(&compressor);
  return status;
}

ig_status ig_dataset(ig_ctx *cx, const ig_sweep *sweep, const char *out,
                     const ig_dataset_options *options, ig_dataset_info *info) {
  static const ig_dataset_options none = {0};
  if (!cx || !sweep || !out)
    return IG_ARG;
  dataset d = {.cx = cx, .sweep = sweep, .out = out, .o = options ? options : &none};
  char *usual = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, table_read(&d));
  IG_TRY_GOTO(status, done, survey(&d));
  usual = ig_path_join(out, "dataset.h5");
  if (!usual)
    status = IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  else
    status = file_write(&d, d.o->file ? d.o->file : usual);
  if (info)
    *info = d.info;
done:
  for (int i = 0; i < (d.runs + 1) * d.columns && d.cell; i++)
    free(d.cell[i]);
  for (int r = 0; r < d.runs && d.series; r++)
    ig_series_free(&d.series[r]);
  free(d.cell);
  free(d.series);
  free(d.field);
  free(usual);
  ig_cell_union_free(&d.mesh);
  return status;
}
