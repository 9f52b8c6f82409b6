/* history.csv, read whole. */
#include "report/report.h"
#include "core/number.h"
#include "io/result_folder.h"
#include "io/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ig_log_table_free(ig_log_table *table) {
  for (int c = 0; table->name && c < table->columns; c++)
    free(table->name[c]);
  free(table->name);
  free(table->value);
  memset(table, 0, sizeof *table);
}

const char *ig_column_unit(const char *name, char text[32]) {
  const char *open = strchr(name, '[');
  snprintf(text, 32, "%.*s", open ? (int)strcspn(open + 1, "]") : 0, open ? open + 1 : "");
  return text;
}

static ig_status header_read(ig_ctx *cx, const char *line, ig_log_table *t) {
  int columns = 1;
  for (const char *p = line; *p && *p != '\n'; p++)
    columns += *p == ',';
  IG_TRY(IG_NEW(cx, &t->name, columns, "history"));
  t->columns = columns;
  for (int c = 0; c < columns; c++) {
    const size_t length = strcspn(line, ",\r\n");
    t->name[c] = strndup(line, length);
    if (!t->name[c])
      return IG_FAIL(cx, IG_MEMORY, "no memory for the history");
    line += length + (line[length] == ',');
  }
  return IG_OK;
}

static void row_read(const char *line, int columns, double *value) {
  for (int c = 0; c < columns; c++) {
    char *end;
    value[c] = ig_decimal_read(line, &end);
    if (end == line)
      value[c] = NAN;
    line += strcspn(line, ",\n");
    line += *line == ',';
  }
}

static ig_status table_parse(ig_ctx *cx, const char *text, ig_log_table *t) {
  int64_t rows = 0;
  IG_TRY(header_read(cx, text, t));
  const char *line = strchr(text, '\n');
  /* a line without its end is still being written */
  for (const char *p = line; p && p[1] && strchr(p + 1, '\n'); p = strchr(p + 1, '\n'))
    rows++;
  IG_TRY(IG_NEW(cx, &t->value, rows * t->columns + 1, "history"));
  for (; t->rows < rows; line = strchr(line + 1, '\n'))
    row_read(line + 1, t->columns, &t->value[t->columns * t->rows++]);
  return IG_OK;
}

ig_status ig_log_table_read(ig_ctx *cx, const char *folder, ig_log_table *table) {
  char *path = ig_path_join(folder, IG_HISTORY), *text = NULL;
  size_t size;
  ig_status status = IG_OK;
  memset(table, 0, sizeof *table);
  if (!path)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  if (access(path, R_OK) == 0)
    status = ig_file_read(cx, path, 0, &text, &size);
  if (status == IG_OK && text)
    status = table_parse(cx, text, table);
  free(text);
  free(path);
  return status;
}
