/* Reading an assimilation file and its table of measurements. */
#include "chain/assimilate.h"
#include "chain/run_sets.h"
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/case_yaml.h"
#include "io/format/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ig_src at;
  int64_t load, support;
  double deviation;
} file_factor;
typedef struct {
  ig_src at;
  const char *title, *ensemble, *data, *field, *uncertainty;
  double localisation, inflation;
  int64_t seed;
  ig_list factors;
} file_top;

static const ig_option factor_keys[] = {
    IG_INT(file_factor, load, "-1", -1, 10000, "number of a load, or of a beam, from 0"),
    IG_INT(file_factor, support, "-1", -1, 10000, "number of a support, or of a boundary, from 0"),
    IG_REAL(file_factor, deviation, "", IG_REQUIRED, IG_POSITIVE, 0.5,
            "standard deviation of its factor, which is 1 on average"),
    IG_END};
static const ig_option top_keys[] = {
    IG_TEXT(file_top, title, NULL, "heading of the report"),
    IG_TEXT(file_top, ensemble, IG_REQUIRED, "sweep file whose runs are the members"),
    IG_TEXT(file_top, data, IG_REQUIRED, "table of the measurements, CSV"),
    IG_TEXT(file_top, field, "T", "scalar field that was measured and is corrected"),
    IG_TEXT(file_top, uncertainty, NULL, "standard deviation of every measurement, as in 2 K"),
    IG_REAL(file_top, localisation, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "distance from which on a measurement changes nothing"),
    IG_REAL(file_top, inflation, "", "1", 1, 2, "by which deviations are multiplied beforehand"),
    IG_INT(file_top, seed, "0", 0, INT64_MAX, "of the random numbers"),
    IG_LIST(file_top, factors, file_factor, factor_keys, NULL,
            "loads and supports of uncertain strength"),
    IG_END};

/* --- the table */

enum { TIME, X, Y, Z, VALUE, ERROR, COLUMNS };
typedef struct {
  ig_csv_table table;
  int column[COLUMNS]; /* -1: there is none */
  ig_unit unit[COLUMNS];
} measured;

/* Which column of ours a heading names; -1: none. */
static int column_of(const ig_asm *a, const char *name, size_t length) {
  static const char *const names[COLUMNS] = {"time", "x", "y", "z", NULL, "uncertainty"};
  for (int c = 0; c < COLUMNS; c++) {
    const char *wanted = c == VALUE ? a->field : names[c];
    if (strlen(wanted) == length && strncmp(wanted, name, length) == 0)
      return c;
  }
  return -1;
}

static ig_status heading_take(ig_asm *a, measured *m, int i) {
  static const char *const base[COLUMNS] = {"s", "m", "m", "m", NULL, NULL};
  char unit[IG_CSV_UNIT], problem[160];
  const char *heading = m->table.name[i];
  const int c = column_of(a, heading, ig_csv_name(heading, unit));
  if (c < 0)
    return IG_FAIL(a->cx, IG_INPUT,
                   "%s:1: column '%.60s' is none of time, x, y, z, %s, uncertainty, with their "
                   "units in brackets",
                   a->data_file, heading, a->field);
  if (m->column[c] >= 0)
    return IG_FAIL(a->cx, IG_INPUT, "%s:1: two columns '%.60s'", a->data_file, heading);
  m->column[c] = i;
  if (!ig_unit_read(*unit || !base[c] ? unit : base[c], &m->unit[c], problem, sizeof problem))
    return IG_FAIL(a->cx, IG_INPUT, "%s:1: column '%.60s': %s", a->data_file, heading, problem);
  if (base[c] && *unit && !ig_units_alike(unit, base[c]))
    return IG_FAIL(a->cx, IG_INPUT, "%s:1: column '%.60s': expected a unit like %s", a->data_file,
                   heading, base[c]);
  if (c == VALUE)
    snprintf(a->unit, sizeof a->unit, "%s", unit);
  if (c == ERROR)
    snprintf(a->error_unit, sizeof a->error_unit, "%s", unit);
  return IG_OK;
}

static ig_status headings_take(ig_asm *a, measured *m) {
  for (int c = 0; c < COLUMNS; c++)
    m->column[c] = -1;
  for (int i = 0; i < m->table.columns; i++)
    IG_TRY(heading_take(a, m, i));
  static const char *const names[] = {"time [s]", "x [m]", "y [m]", "z [m]"};
  for (int c = 0; c <= VALUE; c++)
    if (m->column[c] < 0)
      return IG_FAIL(a->cx, IG_INPUT, "%s:1: there is no column '%s'", a->data_file,
                     c == VALUE ? a->field : names[c]);
  return IG_OK;
}

static int by_time(const void *a, const void *b) {
  const ig_asm_datum *p = a, *q = b;
  return p->time < q->time ? -1 : p->time > q->time ? 1 : p->row - q->row;
}

/* Numbers of one row; those of values and uncertainties keep their unit. */
static ig_status row_take(ig_asm *a, const measured *m, int row, double uncertainty) {
  ig_asm_datum *d = &a->datum[row];
  double number[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    const int i = m->column[c];
    number[c] = i < 0 ? uncertainty : m->table.value[(size_t)row * (size_t)m->table.columns + i];
    if (!isfinite(number[c]))
      return IG_FAIL(a->cx, IG_INPUT, "%s:%d: column '%.60s' is no number", a->data_file, row + 2,
                     m->table.name[i]);
    if (c < VALUE)
      number[c] = number[c] * m->unit[c].factor + m->unit[c].offset;
  }
  if (number[TIME] < 0)
    return IG_FAIL(a->cx, IG_INPUT, "%s:%d: the time must not be negative", a->data_file, row + 2);
  if (!(number[ERROR] > 0))
    return IG_FAIL(a->cx, IG_INPUT, "%s:%d: the uncertainty must be above 0", a->data_file,
                   row + 2);
  *d = (ig_asm_datum){.time = number[TIME],
                      .at = {number[X], number[Y], number[Z]},
                      .value = number[VALUE],
                      .uncertainty = number[ERROR],
                      .row = row + 2};
  return IG_OK;
}

/* How many lines of `text` have anything on them. */
static int64_t lines_count(const char *text) {
  int64_t lines = 0;
  for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
    lines += at[strspn(at, " \t\r")] != '\n' && at[strspn(at, " \t\r")] != '\0';
  return lines;
}

static ig_status rows_take(ig_asm *a, measured *m, const char *text, double uncertainty) {
  const int64_t rows = m->table.rows;
  if (lines_count(text) != rows + 1)
    return IG_FAIL(a->cx, IG_INPUT, "%s: %" PRId64 " of %" PRId64 " rows have other than %d cells",
                   a->data_file, lines_count(text) - 1 - rows, lines_count(text) - 1,
                   m->table.columns);
  if (rows < 1 || rows > IG_ASM_DATA)
    return IG_FAIL(a->cx, IG_INPUT, "%s: 1 to %d measurements can be used, not %" PRId64,
                   a->data_file, IG_ASM_DATA, rows);
  IG_TRY(ig_arena_take(a->cx, a->arena, (void **)&a->datum, (size_t)rows, sizeof *a->datum));
  a->data = (int)rows;
  for (int i = 0; i < a->data; i++)
    IG_TRY(row_take(a, m, i, uncertainty));
  qsort(a->datum, (size_t)a->data, sizeof *a->datum, by_time);
  for (int i = 0, same = 0; i < a->data; i++) {
    same = i > 0 && a->datum[i].time <= a->datum[i - 1].time ? same + 1 : 0;
    if (same >= IG_ASM_AT_ONCE)
      return IG_FAIL(a->cx, IG_INPUT,
                     "%s: more than %d measurements at %g s: take the mean of neighbouring ones",
                     a->data_file, IG_ASM_AT_ONCE, a->datum[i].time);
  }
  return IG_OK;
}

/* uncertainty: that of the file for all, NAN: none. */
static ig_status data_read(ig_asm *a, double uncertainty) {
  enum { MOST = 64 << 20 };
  measured m = {0};
  char *text = NULL;
  size_t size = 0;
  ig_status status = ig_file_read(a->cx, a->data_file, MOST, &text, &size);
  if (status == IG_OK && size > MOST)
    status = IG_FAIL(a->cx, IG_INPUT, "%s: longer than %d MB", a->data_file, MOST >> 20);
  if (status == IG_OK && size > 0 && text[size - 1] != '\n') { /* there is a 0 behind it */
    char *longer = realloc(text, size + 2);
    if (longer) {
      text = longer;
      memcpy(text + size, "\n", 2);
    }
  }
  if (status == IG_OK)
    status = ig_csv_table_parse(a->cx, text, &m.table);
  if (status == IG_OK)
    status = headings_take(a, &m);
  if (status == IG_OK && (m.column[ERROR] < 0) == isnan(uncertainty))
    status = ig_fail_at(a->cx, &a->data_at,
                        "the uncertainty of the measurements must be given once: by 'uncertainty' "
                        "or by a column of that name");
  if (status == IG_OK)
    status = rows_take(a, &m, text, uncertainty);
  ig_csv_table_free(&m.table);
  free(text);
  return status;
}

ig_status ig_asm_units(ig_asm *a, const char *unit) {
  const char *value = *a->unit ? a->unit : unit, *error = *a->error_unit ? a->error_unit : unit;
  char problem[160];
  ig_unit to, from, by;
  if (!ig_unit_read(unit, &to, problem, sizeof problem) ||
      !ig_unit_read(value, &from, problem, sizeof problem) ||
      !ig_unit_read(error, &by, problem, sizeof problem))
    return IG_FAIL(a->cx, IG_INPUT, "%s: %s", a->data_file, problem);
  if (!ig_units_alike(value, unit) || !ig_units_alike(error, unit))
    return IG_FAIL(a->cx, IG_INPUT, "%s: '%s' is in %s; '%s' does not go with it", a->data_file,
                   a->field, *unit ? unit : "no unit", ig_units_alike(value, unit) ? error : value);
  for (int i = 0; i < a->data; i++) {
    a->datum[i].value = (a->datum[i].value * from.factor + from.offset - to.offset) / to.factor;
    a->datum[i].uncertainty *= by.factor / to.factor;
  }
  return IG_OK;
}

/* --- the file */

static ig_status factors_read(ig_asm *a, const file_top *top) {
  if (top->factors.count > IG_ASM_FACTORS)
    return ig_fail_at(a->cx, &top->at, "at most %d 'factors' can be used", IG_ASM_FACTORS);
  a->factors = top->factors.count;
  for (int i = 0; i < a->factors; i++) {
    const file_factor *f = IG_ITEM(const file_factor, top->factors, i);
    if ((f->load < 0) == (f->support < 0))
      return ig_fail_at(a->cx, &f->at, "a factor belongs to a 'load' or to a 'support'");
    a->factor[i] = (ig_asm_factor){.at = f->at,
                                   .support = f->support >= 0,
                                   .number = (int)(f->support >= 0 ? f->support : f->load),
                                   .deviation = f->deviation};
    for (int j = 0; j < i; j++)
      if (a->factor[j].support == a->factor[i].support &&
          a->factor[j].number == a->factor[i].number)
        return ig_fail_at(a->cx, &f->at, "%s %d has a factor already",
                          a->factor[i].support ? "support" : "load", a->factor[i].number);
  }
  return IG_OK;
}

/* "2 K"; the unit goes with that of the field later. */
static ig_status uncertainty_read(ig_asm *a, const file_top *top, const ig_node *root,
                                  double *value) {
  const char *unit = "";
  ig_unit factor;
  char problem[160];
  const ig_src at = ig_key_at(root, "uncertainty", top->at);
  *value = NAN;
  if (!top->uncertainty)
    return IG_OK;
  if (!ig_quantity_read(top->uncertainty, value, &unit, &factor, problem, sizeof problem))
    return ig_fail_at(a->cx, &at, "'uncertainty: %.60s': %s", top->uncertainty, problem);
  snprintf(a->error_unit, sizeof a->error_unit, "%.30s", unit);
  return *value > 0 ? IG_OK : ig_fail_at(a->cx, &at, "'uncertainty' must be above 0");
}

ig_status ig_asm_read(ig_asm *a, const char *path) {
  ig_node *root = NULL;
  file_top top = {0};
  double uncertainty;
  const char *sweep;
  IG_TRY(ig_arena_text(a->cx, a->arena, &a->file, path, strlen(path)));
  IG_TRY(ig_yaml_open(a->cx, a->arena, path, &root));
  const ig_option_table table = {top_keys, &top};
  IG_TRY(ig_options_read(a->cx, a->arena, root, &table, 1));
  a->at = top.at;
  a->title = top.title ? top.title : "";
  a->field = top.field;
  a->inflation = top.inflation;
  a->reach = top.localisation;
  a->seed = (uint64_t)top.seed;
  a->data_at = ig_key_at(root, "data", top.at);
  IG_TRY(factors_read(a, &top));
  IG_TRY(uncertainty_read(a, &top, root, &uncertainty));
  IG_TRY(ig_path_beside(a->cx, a->arena, a->file, top.data, &a->data_file));
  IG_TRY(data_read(a, uncertainty));
  IG_TRY(ig_path_beside(a->cx, a->arena, a->file, top.ensemble, &sweep));
  const ig_sweep_options options = {.set = a->o->set, .sets = a->o->sets};
  IG_TRY(ig_sweep_open(a->cx, sweep, &options, &a->ensemble));
  const int members = ig_sweep_count(a->ensemble);
  if (members < 2 || members > IG_ASM_MEMBERS)
    return ig_fail_at(a->cx, &a->at, "an ensemble has 2 to %d members, '%.300s' has %d",
                      IG_ASM_MEMBERS, sweep, members);
  return IG_OK;
}
