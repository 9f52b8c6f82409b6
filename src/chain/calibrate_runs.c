/* The runs of a calibration: which are needed, side by side on threads, and what is kept of them.

   A run is known by a hash of its case with all values and the contents of its files, so that no
   run is made twice and those of an earlier calibration (runs.csv) are found again whatever has
   changed in the file. */
#include "chain/calibrate.h"
#include "chain/pool.h"
#include "chain/run_sets.h"
#include "core/hash.h"
#include "core/inputs.h"
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/case_yaml.h"
#include "io/format/csv.h"
#include "io/result/result_folder.h"
#include "run/fingerprint.h"
#include <ingot/chain.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS_TABLE "runs.csv"

/* --- cases */

ig_status ig_cal_case_open(const ig_cal *c, ig_ctx *cx, int run, const double *x, ig_case **out) {
  const ig_cal_case *r = &c->run[run];
  IG_TRY(ig_case_with(cx, r->path, r->set, r->from, r->sets, out));
  for (int k = 0; k < c->keys; k++)
    for (int i = 0; i < c->key[k].key.count; i++) {
      char text[96];
      ig_cal_value_text(&c->key[k], x[k], text);
      IG_TRY(ig_case_set_from(*out, c->key[k].key.value[i], text, c->key[k].label));
    }
  return IG_OK;
}

static void hash_text(uint64_t *h, const char *text) {
  *h = ig_hash(ig_hash_word(*h, strlen(text)), text, strlen(text));
}

/* Adds the files that are read for the mesh of a case: those that its file includes, too. They
   are read once per case. */
static ig_status hash_mesh(const ig_cal *c, int run, ig_case *kase, uint64_t *h) {
  ig_cal_case *of = &c->run[run];
  if (kase->common.mesh.file && !of->files) {
    ig_inputs inputs = {0};
    ig_mesh *mesh = NULL;
    c->quiet->inputs = &inputs;
    const ig_status status = ig_case_mesh(kase, &mesh);
    c->quiet->inputs = NULL;
    ig_mesh_free(mesh);
    ig_inputs_finish(&inputs);
    of->files = IG_HASH_START;
    for (const ig_input *i = inputs.first; i; i = i->next)
      hash_text(&of->files, i->sha256);
    ig_inputs_free(&inputs);
    IG_TRY(status);
  }
  *h = ig_hash_word(*h, of->files);
  return IG_OK;
}

/* Reads the case as its run would and hashes it. A chain is hashed as its file and settings say
   it: its stages, and the files that they name, are read when they run. */
static ig_status case_hash(const ig_cal *c, int run, const double *x, uint64_t *h, bool *chain) {
  ig_case *kase = NULL;
  *h = IG_HASH_START;
  ig_status status = ig_cal_case_open(c, c->quiet, run, x, &kase);
  *chain = status == IG_OK && ig_case_is_chain(kase);
  if (status == IG_OK && !*chain) {
    status = ig_case_read(kase);
    if (status == IG_OK) {
      *h = ig_case_hash(kase);
      status = hash_mesh(c, run, kase, h);
    }
  } else if (status == IG_OK) {
    char *text = NULL, value[96];
    size_t size;
    status = ig_file_read(c->quiet, c->run[run].path, 0, &text, &size);
    hash_text(h, text ? text : "");
    free(text);
    for (int i = 0; i < c->run[run].sets; i++)
      hash_text(h, c->run[run].set[i]);
    for (int k = 0; k < c->keys; k++)
      for (int i = 0; i < c->key[k].key.count; i++) {
        ig_cal_value_text(&c->key[k], x[k], value);
        hash_text(h, c->key[k].key.value[i]);
        hash_text(h, value);
      }
  }
  ig_case_close(kase);
  return status;
}

/* --- one run */

/* What a run is looked at for. */
typedef struct {
  ig_cal *c;
  ig_cal_record *record;
  int place; /* of its thread: which device */
  double before[2];
  char *names;
  size_t length;
  ig_status status;
  double *then; /* figures: value of the column in the row before */
  bool rows;
  char (*unit)[IG_CSV_UNIT]; /* figures: in which SI unit; "?" where none was seen */
} task;

/* A figure of the summary. Texts are passed over. */
static void figure_take(void *user, const char *key, double value, const char *unit,
                        const char *text) {
  task *t = user;
  if (text)
    return;
  for (int i = 0; i < t->c->figures; i++) {
    const ig_cal_figure *f = &t->c->figure[i];
    if (f->run == t->record->run && isnan(f->out.time) && strcmp(f->out.figure, key) == 0) {
      t->record->value[i] = value;
      snprintf(t->unit[i], sizeof t->unit[i], "%s", unit);
    }
  }
  const size_t more = strlen(key) + 2;
  char *grown = realloc(t->names, t->length + more);
  if (!grown)
    return;
  t->names = grown;
  t->length += (size_t)snprintf(grown + t->length, more, "%s%s", t->length ? "|" : "", key);
}

/* A row of the history: columns at the times that are wanted, on straight lines between rows; the
   last row where no time is given. A figure of the summary, which comes later, counts more. */
static void row_take(void *user, int columns, const char *const *name, const double *value) {
  task *t = user;
  int clock = -1;
  char unit[IG_CSV_UNIT];
  for (int c = 0; c < columns && clock < 0; c++)
    if (ig_csv_name(name[c], unit) == 4 && strncmp(name[c], "time", 4) == 0)
      clock = c;
  for (int i = 0; i < t->c->figures && clock >= 0; i++) {
    const ig_cal_figure *f = &t->c->figure[i];
    if (f->run != t->record->run)
      continue;
    for (int c = 0; c < columns; c++) {
      const size_t length = ig_csv_name(name[c], unit);
      if (length != strlen(f->out.figure) || strncmp(name[c], f->out.figure, length) != 0)
        continue;
      const double now = value[clock], was = t->before[0];
      if (t->rows && was <= f->out.time && f->out.time <= now && now > was)
        t->record->value[i] =
            t->then[i] + (value[c] - t->then[i]) * (f->out.time - was) / (now - was);
      else if (isnan(f->out.time) || fabs(f->out.time - now) <= 0)
        t->record->value[i] = value[c];
      t->then[i] = value[c];
      snprintf(t->unit[i], sizeof t->unit[i], "%s", unit);
    }
  }
  if (clock >= 0) {
    t->before[0] = value[clock];
    t->rows = true;
  }
}

/* Figures of a chain's report, from its summary: "name [unit]: value". */
static ig_status chain_figures(ig_ctx *cx, const char *folder, task *t) {
  ig_arena *arena;
  ig_node *root = NULL;
  char *path = ig_path_join(folder, IG_SUMMARY);
  IG_TRY(ig_arena_new(cx, &arena));
  ig_status status =
      path ? ig_yaml_open(cx, arena, path, &root) : IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  const ig_node *report = root ? ig_node_find(root, "report") : NULL;
  for (const ig_node *f = report ? report->child : NULL; f; f = f->next) {
    char name[128], unit[IG_CSV_UNIT], *end;
    if (f->kind != IG_NODE_SCALAR)
      continue;
    snprintf(name, sizeof name, "%.*s", (int)ig_csv_name(f->key, unit), f->key);
    const double value = ig_decimal_read(f->text, &end);
    if (end != f->text)
      figure_take(t, name, value, unit, NULL);
  }
  free(path);
  ig_arena_free(arena);
  return status;
}

static ig_status chain_run(ig_ctx *cx, ig_case *kase, task *t) {
  char folder[4096];
  if (!t->c->o->out)
    return IG_FAIL(cx, IG_INPUT, "a chain needs a folder for its stages: give one");
  snprintf(folder, sizeof folder, "%s/runs/%016" PRIx64, t->c->o->out, t->record->hash);
  IG_TRY(ig_folder_make(cx, folder));
  IG_TRY(ig_chain_run(kase, &(ig_chain_options){.out = folder}));
  return chain_figures(cx, folder, t);
}

/* In a context of its own. */
static void task_run(task *t, ig_ctx *cx) {
  ig_case *kase = NULL;
  const double start = ig_now();
  t->status = ig_cal_case_open(t->c, cx, t->record->run, t->record->x, &kase);
  if (t->status == IG_OK)
    t->status =
        ig_case_is_chain(kase)
            ? chain_run(cx, kase, t)
            : ig_run(kase, &(ig_run_options){.figure = figure_take, .row = row_take, .user = t});
  ig_case_close(kase);
  t->record->good = t->status == IG_OK;
  t->record->seconds = ig_now() - start;
  if (t->status != IG_OK)
    snprintf(t->record->message, sizeof t->record->message, "%.*s", IG_CAL_MESSAGE - 1,
             ig_ctx_message(cx));
}

/* --- what is kept */

static int record_find(const ig_cal *c, int run, uint64_t hash) {
  for (int i = 0; i < c->records; i++)
    if (c->record[i].run == run && c->record[i].hash == hash)
      return i;
  return -1;
}

/* Room for one record more; `value` all NaN. */
static ig_status record_add(ig_cal *c, int run, uint64_t hash, ig_cal_record **record) {
  IG_TRY(IG_MORE(c->cx, &c->record, c->records, "runs"));
  *record = &c->record[c->records];
  **record = (ig_cal_record){.run = run, .hash = hash};
  IG_TRY(IG_NEW(c->cx, &(*record)->value, c->figures, "figures"));
  for (int i = 0; i < c->figures; i++)
    (*record)->value[i] = NAN;
  c->records++;
  return IG_OK;
}

/* The heading of a figure: "case/name @ time s". */
static void heading(const ig_cal *c, int figure, char *text, size_t size) {
  const ig_calibrated_figure *f = &c->figure[figure].out;
  char time[40] = "";
  if (!isnan(f->time))
    ig_format(time, sizeof time, " @ %.9g s", f->time);
  snprintf(text, size, "%s%s%s%s", f->run, *f->run ? "/" : "", f->figure, time);
}

static void cell_real(ig_text *csv, double value, bool empty) {
  char text[IG_NUMBER_TEXT] = "";
  if (!empty)
    ig_number_text(value, text);
  ig_csv_cell(csv, text, false);
}

/* The whole table, while runs are under way: what was run survives whatever comes. Figures in SI.
 */
static ig_status records_write(const ig_cal *c) {
  ig_text csv = {0};
  char text[300];
  IG_TRY(ig_folder_make(c->cx, c->o->out));
  static const char *const first[] = {"run", "case", "status", "hash"};
  for (int i = 0; i < 4; i++)
    ig_csv_cell(&csv, first[i], i == 0);
  for (int k = 0; k < c->keys; k++) {
    snprintf(text, sizeof text, *c->key[k].unit ? "%.200s [%.60s]" : "%.200s%.60s",
             c->key[k].out.key, c->key[k].unit);
    ig_csv_cell(&csv, text, false);
  }
  for (int i = 0; i < c->figures; i++) {
    heading(c, i, text, sizeof text);
    ig_csv_cell(&csv, text, false);
  }
  ig_csv_cell(&csv, "seconds", false);
  ig_csv_cell(&csv, "message", false);
  ig_text_add(&csv, "\n");
  int rows = 0;
  for (int r = 0; r < c->records; r++) {
    const ig_cal_record *o = &c->record[r];
    if (!o->ended)
      continue;
    snprintf(text, sizeof text, "%d", ++rows);
    ig_csv_cell(&csv, text, true);
    ig_csv_cell(&csv, c->run[o->run].name, false);
    ig_csv_cell(&csv, o->good ? "complete" : "failed", false);
    snprintf(text, sizeof text, "%016" PRIx64, o->hash);
    ig_csv_cell(&csv, text, false);
    for (int k = 0; k < c->keys; k++)
      cell_real(&csv, o->x[k], false);
    for (int i = 0; i < c->figures; i++)
      cell_real(&csv, o->value[i], isnan(o->value[i]));
    cell_real(&csv, o->seconds, false);
    ig_csv_cell(&csv, o->message, false);
    ig_text_add(&csv, "\n");
  }
  const ig_status status = ig_store_text(c->cx, c->o->out, RUNS_TABLE, &csv);
  free(csv.at);
  return status;
}

/* --- side by side */

/* The tasks of a batch, and when the table was last written. */
typedef struct {
  ig_cal *c;
  task *tasks;
  double stored;
  int rows;
} batch;

static void batch_run(void *user, int number, ig_ctx *cx, ig_status opened) {
  task *t = &((batch *)user)->tasks[number];
  t->status = opened;
  if (opened == IG_OK)
    task_run(t, cx);
  else
    snprintf(t->record->message, sizeof t->record->message, "%.*s", IG_CAL_MESSAGE - 1,
             cx ? ig_ctx_message(cx) : ig_status_text(opened));
}

static void batch_ended(void *user, int number) {
  const task *t = &((batch *)user)->tasks[number];
  t->record->ended = t->status != IG_INTERRUPTED;
}

/* The table is renewed every few seconds, as a batch may take hours. */
static ig_status batch_store(void *user, int done) {
  batch *b = user;
  if (done <= b->rows || !b->c->o->out || !b->c->checked || ig_now() <= b->stored + 5)
    return IG_OK;
  b->rows = done;
  b->stored = ig_now();
  return records_write(b->c);
}

/* IG_INTERRUPTED: some have not been run. */
static ig_status tasks_run(ig_cal *c, task *tasks, int count) {
  batch b = {.c = c, .tasks = tasks, .stored = ig_now()};
  const ig_calibrate_options *o = c->o;
  return ig_pool_run(&(ig_pool){.cx = c->cx,
                                .what = "calibration",
                                .backend = o->backend,
                                .threads = o->threads,
                                .jobs = o->jobs,
                                .devices = o->devices,
                                .count = count,
                                .user = &b,
                                .run = batch_run,
                                .ended = batch_ended,
                                .beside = batch_store});
}

/* --- runs of an earlier calibration */

/* What a column of an earlier table holds: a key (0 …), a figure (KEYS + …), or a fixed one (< 0).
 */
enum { CELL_CASE = -1, CELL_STATUS = -2, CELL_HASH = -3, CELL_SECONDS = -4, CELL_OTHER = -5 };
static int column_of(const ig_cal *c, const char *name) {
  static const char *const fixed[] = {"case", "status", "hash", "seconds"};
  char text[300], unit[IG_CSV_UNIT];
  for (int i = 0; i < 4; i++)
    if (strcmp(name, fixed[i]) == 0)
      return CELL_CASE - i;
  const size_t length = ig_csv_name(name, unit);
  for (int k = 0; k < c->keys; k++)
    if (strlen(c->key[k].out.key) == length && strncmp(c->key[k].out.key, name, length) == 0)
      return k;
  for (int i = 0; i < c->figures; i++) {
    heading(c, i, text, sizeof text);
    if (strcmp(text, name) == 0)
      return IG_CAL_KEYS + i;
  }
  return CELL_OTHER;
}

/* A row: kept if it is a good run of one of the cases with every figure that is wanted of it. */
static ig_status row_keep(ig_cal *c, const int *column, int columns, const char **at, ig_text *cell,
                          double *value) {
  double x[IG_CAL_KEYS] = {0}, seconds = 0;
  int run = -1;
  uint64_t hash = 0;
  bool good = false, more = true;
  for (int i = 0; i < c->figures; i++)
    value[i] = NAN;
  for (int i = 0; more; i++) {
    cell->length = 0;
    more = ig_csv_take(at, cell);
    const char *text = cell->at ? cell->at : "";
    const int what = i < columns ? column[i] : CELL_OTHER;
    char *end;
    const double number = ig_decimal_read(text, &end);
    if (what == CELL_CASE)
      for (int k = 0; k < c->cases; k++)
        run = strcmp(c->run[k].name, text) == 0 ? k : run;
    else if (what == CELL_STATUS)
      good = strcmp(text, "complete") == 0;
    else if (what == CELL_HASH)
      hash = strtoull(text, NULL, 16);
    else if (what == CELL_SECONDS)
      seconds = number;
    else if (what >= IG_CAL_KEYS && *text && !*end)
      value[what - IG_CAL_KEYS] = number;
    else if (what >= 0 && what < IG_CAL_KEYS)
      x[what] = number;
  }
  /* a figure that was measured several times has several columns, which are read as the first */
  for (int i = 0; i < c->figures; i++) {
    char name[300], first[300];
    heading(c, i, name, sizeof name);
    for (int k = 0; k < i && isnan(value[i]); k++) {
      heading(c, k, first, sizeof first);
      if (strcmp(name, first) == 0)
        value[i] = value[k];
    }
    good = good && (c->figure[i].run != run || !isnan(value[i]));
  }
  if (!good || run < 0)
    return IG_OK;
  ig_cal_record *r;
  IG_TRY(record_add(c, run, hash, &r));
  r->ended = r->good = r->kept = true;
  r->seconds = seconds;
  memcpy(r->x, x, sizeof x);
  memcpy(r->value, value, sizeof *value * (size_t)c->figures);
  return IG_OK;
}

ig_status ig_cal_records_read(ig_cal *c) {
  char *path = ig_path_join(c->o->out, RUNS_TABLE), *text = NULL;
  size_t size;
  ig_text cell = {0};
  double *value = NULL;
  int *column = NULL, columns = 0;
  ig_status status = IG_OK;
  if (!path || access(path, R_OK) != 0)
    goto done;
  IG_TRY_GOTO(status, done, IG_NEW(c->cx, &value, c->figures, "figures"));
  IG_TRY_GOTO(status, done, ig_file_read(c->cx, path, 0, &text, &size));
  const char *at = text;
  for (bool more = true; more; columns++) {
    IG_TRY_GOTO(status, done, IG_MORE(c->cx, &column, columns, "columns"));
    cell.length = 0;
    more = ig_csv_take(&at, &cell);
    column[columns] = column_of(c, cell.at ? cell.at : "");
  }
  while (*at && status == IG_OK)
    status = row_keep(c, column, columns, &at, &cell, value);
done:
  free(column);
  free(value);
  free(cell.at);
  free(text);
  free(path);
  return status;
}

/* --- a batch */

/* Every figure of the run's case must be there, in a unit that its measured value can have. */
static ig_status figures_check(ig_cal *c, const task *t) {
  for (int i = 0; i < c->figures; i++) {
    ig_cal_figure *f = &c->figure[i];
    char near[64], problem[160];
    ig_unit si;
    if (f->run != t->record->run)
      continue;
    if (!isfinite(t->record->value[i])) {
      const bool like =
          isnan(f->out.time) && t->names && ig_nearest(f->out.figure, t->names, near, sizeof near);
      return isnan(f->out.time)
                 ? ig_fail_at(c->cx, &f->at,
                              "the result has no figure '%.80s'%s%s%s: see 'result' "
                              "in summary.json and the columns of history.csv",
                              f->out.figure, like ? ", did you mean '" : "", like ? near : "",
                              like ? "'?" : "")
                 : ig_fail_at(c->cx, &f->at,
                              "the history has no column '%.80s' at %g s: see history.csv of a run",
                              f->out.figure, f->out.time);
    }
    if (!ig_unit_read(t->unit[i], &si, problem, sizeof problem))
      continue; /* no unit of ours: the number is taken as it is */
    if (!*f->out.unit && *t->unit[i]) {
      f->factor = si;
      IG_TRY(ig_arena_text(c->cx, c->arena, &f->out.unit, t->unit[i], strlen(t->unit[i])));
    } else if (memcmp(si.power, f->factor.power, sizeof si.power) != 0) {
      return ig_fail_at(c->cx, &f->at, "'%.80s' is measured in '%s', and is in '%s' in the result",
                        f->out.figure, f->out.unit, t->unit[i]);
    }
  }
  return IG_OK;
}

/* A record for a run that is not known yet, and its task. One whose case cannot be read has
   failed without being run. A chain of an earlier calibration is run again: it passes over its
   stages that are up to date, and only they tell whether a file they read has changed. */
static ig_status task_add(ig_cal *c, int run, const double *x, task *tasks, int *count,
                          int *place) {
  uint64_t hash;
  ig_cal_record *r;
  bool chain;
  const ig_status readable = case_hash(c, run, x, &hash, &chain);
  if (readable == IG_OK) {
    *place = record_find(c, run, hash);
    if (*place >= 0 && chain && c->record[*place].kept) {
      r = &c->record[*place];
      r->kept = r->ended = r->good = false;
      memcpy(r->x, x, sizeof *x * (size_t)c->keys);
      for (int i = 0; i < c->figures; i++)
        r->value[i] = NAN;
      tasks[(*count)++].place = *place;
      return IG_OK;
    }
    if (*place >= 0) {
      c->kept += c->record[*place].kept;
      c->record[*place].kept = false; /* counted once */
      return IG_OK;
    }
  }
  IG_TRY(record_add(c, run, hash, &r));
  *place = c->records - 1;
  memcpy(r->x, x, sizeof *x * (size_t)c->keys);
  r->status = readable;
  r->ended = readable != IG_OK;
  if (readable != IG_OK)
    snprintf(r->message, sizeof r->message, "%.*s", IG_CAL_MESSAGE - 1, ig_ctx_message(c->quiet));
  else
    tasks[(*count)++].place = *place;
  return IG_OK;
}

/* Records are only known by number while others are added. */
static ig_status tasks_prepare(ig_cal *c, task *tasks, int count) {
  for (int i = 0; i < count; i++) {
    task *t = &tasks[i];
    t->c = c;
    t->record = &c->record[t->place];
    IG_TRY(IG_NEW(c->cx, &t->then, c->figures, "figures"));
    IG_TRY(IG_NEW(c->cx, &t->unit, c->figures, "figures"));
  }
  return IG_OK;
}

/* The figures of the first good run of a case are checked: the file may name ones that are not
   there. A later run without one of them (nothing has melted) counts as failed. */
static ig_status tasks_close(ig_cal *c, task *tasks, int count, ig_status status) {
  bool good = false;
  for (int i = 0; i < count; i++) {
    task *t = &tasks[i];
    if (t->record && t->record->ended) {
      t->record->status = t->status;
      if (t->record->good && status == IG_OK && !c->run[t->record->run].checked) {
        status = figures_check(c, t);
        c->run[t->record->run].checked = true;
      }
      good |= t->record->good;
      c->runs++;
      c->failed += !t->record->good;
    }
    free(t->then);
    free(t->unit);
    free(t->names);
  }
  c->checked |= status == IG_OK && good;
  return status;
}

ig_status ig_cal_runs(ig_cal *c, int count, const double *x, int *record) {
  task *tasks = NULL;
  int n = 0;
  ig_status status;
  IG_TRY(IG_NEW(c->cx, &tasks, count * c->cases, "runs"));
  for (int p = 0; p < count; p++)
    for (int r = 0; r < c->cases; r++)
      IG_TRY_GOTO(status, done,
                  task_add(c, r, x + p * c->keys, tasks, &n, &record[p * c->cases + r]));
  status = tasks_prepare(c, tasks, n);
  if (status == IG_OK && n > 0)
    status = tasks_run(c, tasks, n);
  status = tasks_close(c, tasks, n, status);
  if (n > 0 && c->o->out && c->checked) {
    const ig_status stored = records_write(c);
    status = status == IG_OK ? stored : status;
  }
done:
  free(tasks);
  return status;
}
