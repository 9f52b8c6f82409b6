/* What stages left in their folders, read back. */
#include "chain/chain.h"
#include "core/number.h"
#include "io/case_yaml.h"
#include "io/result_folder.h"
#include "io/store.h"
#include "io/vtkhdf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ig_status path_in(ig_ctx *cx, const char *folder, const char *name, char **path) {
  *path = ig_path_join(folder, name);
  return *path ? IG_OK : IG_FAIL(cx, IG_MEMORY, "no memory for a path");
}

/* JSON is YAML. *root is NULL if there is no such file. */
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

bool ig_summary_figure(const ig_node *summary, const char *key, double *value,
                       char unit[IG_UNIT_TEXT]) {
  const ig_node *units = summary ? ig_node_find(summary, "units") : NULL;
  const ig_node *of = units ? ig_node_find(units, key) : NULL;
  if (unit)
    snprintf(unit, IG_UNIT_TEXT, "%s", of && of->text ? of->text : "");
  const ig_node *result = summary ? ig_node_find(summary, "result") : NULL;
  const ig_node *figure = result ? ig_node_find(result, key) : NULL;
  if (!figure || figure->kind != IG_NODE_SCALAR || figure->quoted)
    return false;
  char *end;
  *value = ig_decimal_read(figure->text, &end);
  return end != figure->text && !*end;
}

/* --- snapshots */

void ig_series_free(ig_series *series) {
  for (int i = 0; i < series->count; i++)
    free(series->path[i]);
  free(series->path);
  free(series->time);
  memset(series, 0, sizeof *series);
}

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

ig_status ig_series_read(ig_ctx *cx, const char *folder, ig_series *series) {
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

/* The place of a column in the header, and its unit; -1: none. A header is "name [unit]". */
static int column_find(const char *header, const char *name, char unit[IG_UNIT_TEXT]) {
  const size_t length = strlen(name);
  int at = 0;
  for (const char *p = header; *p; p += *p == ',', at++) {
    const char *end = p + strcspn(p, ",\r\n"), *bracket = p + strcspn(p, "[,\r\n");
    const char *bare = bracket;
    while (bare > p && bare[-1] == ' ')
      bare--;
    if (((size_t)(bare - p) == length || (size_t)(end - p) == length) &&
        strncmp(p, name, length) == 0) {
      snprintf(unit, IG_UNIT_TEXT, "%.*s",
               *bracket == '[' ? (int)strcspn(bracket + 1, "],\r\n") : 0, bracket + 1);
      return at;
    }
    p = end;
    if (*p != ',')
      break;
  }
  return -1;
}

static ig_status column_fill(ig_ctx *cx, const char *path, FILE *f, int at, ig_column *column) {
  char *line = NULL;
  size_t bytes = 0;
  ig_status status = IG_OK;
  while (status == IG_OK && getline(&line, &bytes, f) > 0) {
    const char *p = line;
    for (int c = 0; c < at && *p; c++)
      p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',');
    IG_TRY_GOTO(status, done, IG_MORE(cx, &column->value, column->count, "history"));
    char *end;
    column->value[column->count++] = ig_decimal_read(p, &end);
    if (end == p || !strchr(",\r\n", *end))
      status =
          IG_FAIL(cx, IG_INPUT, "line %d of '%s' has no number in column %d: run the stage again",
                  column->count + 1, path, at + 1);
  }
done:
  free(line);
  return status;
}

ig_status ig_column_read(ig_ctx *cx, const char *folder, const char *name, ig_column *column) {
  char *path, *header = NULL;
  size_t bytes = 0;
  *column = (ig_column){0};
  IG_TRY(path_in(cx, folder, IG_HISTORY, &path));
  FILE *f = fopen(path, "r");
  ig_status status =
      f ? IG_OK : IG_FAIL(cx, IG_INPUT, "cannot read '%s': %s", path, strerror(errno));
  if (f && getline(&header, &bytes, f) > 0) {
    const int at = column_find(header, name, column->unit);
    header[strcspn(header, "\r\n")] = '\0';
    status = at < 0 ? IG_FAIL(cx, IG_INPUT, "'%s' has no column '%s': expected one of %.300s", path,
                              name, header)
                    : column_fill(cx, path, f, at, column);
  }
  if (status == IG_OK && column->count == 0)
    status = IG_FAIL(cx, IG_INPUT, "'%s' holds no rows", path);
  if (f)
    fclose(f);
  free(header);
  free(path);
  if (status != IG_OK) {
    free(column->value);
    *column = (ig_column){0};
  }
  return status;
}
