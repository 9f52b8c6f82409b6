/* CSV: writing and reading of cells, and tables of numbers (history.csv). */
#include "io/format/csv.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Apostrophes before a sign that a spreadsheet takes for a formula; -1: there is none. */
static int apostrophes(const char *cell) {
  const size_t n = strspn(cell, "'");
  return cell[n] && strchr("=+-@", cell[n]) ? (int)n : -1;
}

/* Whether a spreadsheet would compute the cell. "-1e5", "-inf" and "-2 mm" are none of these. */
static bool is_formula(const char *cell) {
  const char c = cell[0];
  if (c && (strcmp(cell + 1, "inf") == 0 || strcmp(cell + 1, "nan") == 0))
    return false;
  if (c == '=' || c == '@')
    return true;
  return (c == '+' || c == '-') &&
         (!((cell[1] >= '0' && cell[1] <= '9') || cell[1] == '.') || strpbrk(cell + 1, "=@|!(*/"));
}

/* Quotes only if necessary; a quote inside is doubled. */
void ig_csv_cell(ig_text *csv, const char *cell, bool first) {
  const bool quote = strpbrk(cell, ",\"\r\n") != NULL;
  ig_text_add(csv, first ? "" : ",");
  ig_text_add(csv, quote ? "\"" : "");
  ig_text_add(csv, is_formula(cell) || apostrophes(cell) > 0 ? "'" : "");
  for (const char *c = cell; *c; c++)
    ig_text_add_bytes(csv, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  ig_text_add(csv, quote ? "\"" : "");
}

/* Tolerant in one respect: text behind a closing quote belongs to the cell. CR LF and LF both end a
   line. */
bool ig_csv_take(const char **at, ig_text *cell) {
  const char *p = *at;
  cell->length = 0;
  ig_text_add_bytes(cell, "", 1); /* so that it is a text from the start */
  cell->length = 0;
  if (*p == '"') {
    for (p++; *p && !(*p == '"' && p[1] != '"'); p++) {
      p += *p == '"';
      ig_text_add_bytes(cell, p, 1);
    }
    p += *p == '"';
  }
  const size_t rest = strcspn(p, ",\n"); /* all of it, or what stands behind the quotes */
  const bool more = p[rest] == ',', ended = p[rest] == '\n';
  ig_text_add_bytes(cell, p, rest - (ended && rest > 0 && p[rest - 1] == '\r'));
  *at = p + rest + (more || ended);
  if (cell->length && apostrophes(cell->at) > 0) {
    memmove(cell->at, cell->at + 1, cell->length);
    cell->length--;
  }
  return more;
}

/* The last " [" starts the unit, because a name may contain brackets. */
size_t ig_csv_name(const char *heading, char unit[IG_CSV_UNIT]) {
  const size_t length = strlen(heading);
  const char *open = NULL;
  for (const char *p = heading; (p = strstr(p, " [")); p++)
    open = p;
  unit[0] = '\0';
  if (!open || heading[length - 1] != ']')
    return length;
  snprintf(unit, IG_CSV_UNIT, "%.*s", (int)(length - (size_t)(open - heading) - 3), open + 2);
  return (size_t)(open - heading);
}

/* Safe after a failed parse, when some names may be missing. */
void ig_csv_table_free(ig_csv_table *t) {
  for (int c = 0; t->name && c < t->columns; c++)
    free(t->name[c]);
  free(t->name);
  free(t->value);
  memset(t, 0, sizeof *t);
}

/* Column names as written, with units. */
static ig_status headings_parse(ig_ctx *cx, const char **at, ig_text *cell, ig_csv_table *t) {
  for (bool more = true; more; t->columns++) {
    more = ig_csv_take(at, cell);
    IG_TRY(IG_MORE(cx, &t->name, t->columns, "headings of a table"));
    t->name[t->columns] = cell->failed ? NULL : strdup(cell->at);
    if (!t->name[t->columns])
      return IG_FAIL(cx, IG_MEMORY, "no memory for the headings of a table");
  }
  return IG_OK;
}

/* Reads one row into `value`. false: it has another number of cells than the table has columns; the
   row is then overwritten by the next one. */
static bool row_parse(const char **at, ig_text *cell, int columns, double *value) {
  int cells = 0;
  for (bool more = true; more; cells++) {
    more = ig_csv_take(at, cell);
    char *end = cell->at;
    const double v = cell->failed || cells >= columns ? NAN : ig_decimal_read(cell->at, &end);
    if (cells < columns)
      value[cells] = end == cell->at ? NAN : v;
  }
  return cells == columns;
}

/* The memory is bounded by the size of the text, whatever the headings claim. */
ig_status ig_csv_table_parse(ig_ctx *cx, const char *text, ig_csv_table *t) {
  ig_text cell = {0};
  ig_status status;
  memset(t, 0, sizeof *t);
  IG_TRY_GOTO(status, done, headings_parse(cx, &text, &cell, t));
  /* A whole row has a byte per cell at least: the file's size bounds the memory. */
  int64_t lines = 0, bytes = (int64_t)strlen(text);
  for (const char *p = text; (p = strchr(p, '\n')); p++)
    lines++;
  const int64_t cells = bytes / t->columns < lines ? bytes : lines * t->columns;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &t->value, cells + t->columns, "a table"));
  while (strchr(text, '\n'))
    t->rows += row_parse(&text, &cell, t->columns, &t->value[t->columns * t->rows]);
  if (cell.failed)
    status = IG_FAIL(cx, IG_MEMORY, "no memory for a cell of a table");
done:
  free(cell.at);
  return status;
}
