/* What stages left in their folders, read back. Folders may have been edited or damaged since:
   everything is checked, and messages say which stage to run again. */
#include "chain/chain.h"
#include "core/number.h"
#include "io/format/case_yaml.h"
#include "io/format/csv.h"
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A path in a folder, which the caller frees. */
static ig_status path_in(ig_ctx *cx, const char *folder, const char *name, char **path) {
  *path = ig_path_join(folder, name);
  return *path ? IG_OK : IG_FAIL(cx, IG_MEMORY, "no memory for a path");
}

/* Reads a JSON file, which is YAML, into the arena. *root is NULL if there is no such file. */
static ig_status json_read(ig_ctx *cx, ig_arena *arena, const char *folder, const char *name,
                           ig_node **root) {
  char *path;
  *root = NULL;
  IG_TRY(path_in(cx, folder, name, &path));
  const ig_status status = access(path, R_OK) == 0 ? ig_yaml_open(cx, arena, path, root) : IG_OK;
  free(path);
  return status;
}

ig_status ig_stage_summary(ig_chain *chain, int stage, ig_node **summary) {
  return json_read(chain->cx, chain->c->arena, chain->stage[stage].folder, IG_SUMMARY, summary);
}

/* summary may be NULL. The unit is set even if the figure is no number. */
bool ig_summary_figure(const ig_node *summary, const char *key, double *value,
                       char unit[IG_UNIT_TEXT]) {
  /* Units stand beside the figures under the same keys; a figure without one is a pure number. */
  const ig_node *units = summary ? ig_node_find(summary, "units") : NULL;
  const ig_node *of = units ? ig_node_find(units, key) : NULL;
  if (unit)
    snprintf(unit, IG_UNIT_TEXT, "%s", of && of->text ? of->text : "");
  const ig_node *result = summary ? ig_node_find(summary, "result") : NULL;
  const ig_node *figure = result ? ig_node_find(result, key) : NULL;
  /* A quoted figure is a text, also when it looks like a number. */
  if (!figure || figure->kind != IG_NODE_SCALAR || figure->quoted)
    return false;
  char *end;
  *value = ig_decimal_read(figure->text, &end);
  return end != figure->text && !*end;
}

/* --- snapshots */

/* Safe after a failure half way: count says how many paths there are. */
void ig_series_free(ig_series *series) {
  for (int i = 0; i < series->count; i++)
    free(series->path[i]);
  free(series->path);
  free(series->time);
  memset(series, 0, sizeof *series);
}

/* Names are files of the folder itself: one with a slash is refused, as it could lead anywhere.
   count grows with each entry, so a failure leaves what ig_series_free can free. */
static ig_status series_fill(ig_ctx *cx, const char *folder, const ig_node *files,
                             ig_series *series) {
  int count = 0;
  for (const ig_node *file = files->child; file; file = file->next)
    count++;
  IG_TRY(IG_NEW(cx, &series->path, count, "series"));
  IG_TRY(IG_NEW(cx, &series->time, count, "series"));
  for (const ig_node *file = files->child; file; file = file->next) {
    const ig_node *name = ig_node_find(file, "name"), *time = ig_node_find(file, "time");
    char *end = NULL;
    if (time && time->text)
      series->time[series->count] = ig_decimal_read(time->text, &end);
    if (!name || !name->text || !end || end == time->text || *end || strchr(name->text, '/'))
      return IG_FAIL(cx, IG_INPUT, "'%s/" IG_SERIES "' is damaged: run the stage again", folder);
    IG_TRY(path_in(cx, folder, name->text, &series->path[series->count]));
    series->count++;
  }
  return IG_OK;
}

/* A folder without snapshots is a failure: every caller needs at least one. */
ig_status ig_series_read(ig_ctx *cx, const char *folder, ig_series *series) {
  /* Only names and times are kept, so the tree can go at the end. */
  ig_arena *arena;
  ig_node *root = NULL;
  memset(series, 0, sizeof *series);
  IG_TRY(ig_arena_new(cx, &arena));
  ig_status status = json_read(cx, arena, folder, IG_SERIES, &root);
  const ig_node *files = root ? ig_node_find(root, "files") : NULL;
  if (status == IG_OK && files)
    status = series_fill(cx, folder, files, series);
  if (status == IG_OK && series->count == 0)
    status =
        IG_FAIL(cx, IG_INPUT, "'%s' holds no snapshots: run that stage with some (output)", folder);
  ig_arena_free(arena);
  if (status != IG_OK)
    ig_series_free(series);
  return status;
}

/* Cells that the earlier snapshot lacks count from zero. NaN is passed over by fmax. */
ig_status ig_snapshot_most(ig_ctx *cx, const char *path, const char *since, const char *field,
                           double *most) {
  ig_snapshot *snap = NULL, *was = NULL;
  ig_status status;
  *most = 0;
  IG_TRY_GOTO(status, done, ig_snapshot_read(cx, path, &snap));
  IG_TRY_GOTO(status, done, ig_snapshot_read(cx, since, &was));
  const ig_field *f = ig_snapshot_find(snap, IG_AT_CELLS, field),
                 *from = ig_snapshot_find(was, IG_AT_CELLS, field);
  if (!f)
    status = IG_FAIL(cx, IG_INPUT, "'%s' has no cell field '%s' of single numbers", path, field);
  for (int64_t c = 0; f && c < snap->cells; c++)
    *most = fmax(*most,
                 ig_field_number(f, c) - (from && c < was->cells ? ig_field_number(from, c) : 0));
done:
  ig_snapshot_free(snap);
  ig_snapshot_free(was);
  return status;
}

/* --- history.csv */

/* The place of a column among the headings, and its unit; -1: none. `known` takes their names. */
static int column_find(const char **at, ig_text *cell, const char *name, char unit[IG_UNIT_TEXT],
                       ig_text *known) {
  int found = -1, column = 0;
  for (bool more = true; more; column++) {
    char of[IG_CSV_UNIT];
    more = ig_csv_take(at, cell);
    const size_t length = cell->failed ? 0 : ig_csv_name(cell->at, of);
    ig_csv_cell(known, cell->failed ? "" : cell->at, column == 0);
    if (cell->failed || found >= 0 ||
        (strcmp(cell->at, name) != 0 &&
         !(strlen(name) == length && strncmp(cell->at, name, length) == 0)))
      continue;
    snprintf(unit, IG_UNIT_TEXT, "%.23s", of);
    found = column;
  }
  return found;
}

/* Reads the column line by line; `at` is behind the headings. A line that was cut off by a crash
   has no number in it and is refused with its number. */
static ig_status column_fill(ig_ctx *cx, const char *path, const char *at, ig_text *cell, int place,
                             ig_column *column) {
  for (int line = 2; *at; line++) {
    bool more = true, good = false;
    IG_TRY(IG_MORE(cx, &column->value, column->count, "history"));
    for (int c = 0; more; c++) {
      more = ig_csv_take(&at, cell);
      if (c != place || cell->failed)
        continue;
      char *end;
      column->value[column->count] = ig_decimal_read(cell->at, &end);
      good = end != cell->at && !*end;
    }
    if (!good)
      return IG_FAIL(cx, IG_INPUT,
                     "line %d of '%s' has no number in column %d: run the stage again", line, path,
                     place + 1);
    column->count++;
  }
  return column->count > 0 ? IG_OK : IG_FAIL(cx, IG_INPUT, "'%s' holds no rows", path);
}

/* The history is read whole, as text. Unit and values are set together; on failure the column is
   empty. */
ig_status ig_column_read(ig_ctx *cx, const char *folder, const char *name, ig_column *column) {
  char *path = NULL, *text = NULL;
  size_t bytes = 0;
  ig_text cell = {0}, known = {0};
  ig_status status;
  *column = (ig_column){0};
  IG_TRY_GOTO(status, done, path_in(cx, folder, IG_HISTORY, &path));
  IG_TRY_GOTO(status, done, ig_file_read(cx, path, 0, &text, &bytes));
  const char *at = text;
  const int place = column_find(&at, &cell, name, column->unit, &known);
  if (cell.failed || known.failed)
    status = IG_FAIL(cx, IG_MEMORY, "no memory for the history");
  else if (place < 0)
    status = IG_FAIL(cx, IG_INPUT, "'%s' has no column '%s': expected one of %.300s", path, name,
                     known.at);
  else
    status = column_fill(cx, path, at, &cell, place, column);
done:
  if (status != IG_OK) {
    free(column->value);
    *column = (ig_column){0};
  }
  free(cell.at);
  free(known.at);
  free(text);
  free(path);
  return status;
}
