/* Samples as sweep files, and Sobol indices from the results of such sweeps. In a design for
   indices a run's name says which point it is: a-0001 and b-0001 of the two samples, k2-0001 of the
   first with its second key from the second. */
#include "chain/sample.h"
#include "chain/run_sets.h"
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/csv.h"
#include "io/format/json.h"
#include "run/case.h"
#include <ingot/chain.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As many runs as a sweep has at most. */
enum { MAX_RUNS = 100000, KEY = 200, UNIT = 60 };

/* --- what is sampled */

typedef enum { UNIFORM, LOGARITHMIC, NORMAL } distribution;
typedef struct {
  char key[KEY], unit[UNIT]; /* unit: with the blank before it */
  distribution kind;
  double one, two;  /* bounds, or mean and deviation; of a logarithm the logarithms */
  double low, high; /* bounds of a normal distribution; infinite: none */
} range;

/* A number and the rest behind it; false: there is none. */
static bool number_read(const char *text, const char *end, double *value, char unit[UNIT]) {
  char copy[KEY], *rest;
  if (end - text >= (ptrdiff_t)sizeof copy)
    return false;
  snprintf(copy, sizeof copy, "%.*s", (int)(end - text), text);
  *value = ig_decimal_read(copy, &rest);
  if (rest == copy || !isfinite(*value))
    return false;
  rest += strspn(rest, " ");
  for (size_t n = strlen(rest); n > 0 && rest[n - 1] == ' ';)
    rest[--n] = '\0';
  snprintf(unit, UNIT, "%s%.50s", *rest ? " " : "", rest);
  return true;
}

/* " in A..B" behind a normal distribution, up to `end`; *unit is that of the last number. */
static bool bounds_read(const char *in, const char *end, range *r, char unit[UNIT]) {
  char first[UNIT];
  const char *middle = strstr(in, "..");
  return middle && number_read(in + strlen(" in "), middle, &r->low, first) &&
         number_read(middle + 2, end, &r->high, unit) && (!*first || strcmp(first, unit) == 0);
}

/* A unit that stands behind the last number belongs to those before it. */
static bool unit_share(char before[UNIT], const char *last) {
  if (!*before)
    snprintf(before, UNIT, "%s", last);
  return strcmp(before, last) == 0;
}

/* "KEY=A..B", "KEY=A..B log", "KEY=M+-S", "KEY=M+-S in A..B". */
static ig_status range_read(ig_ctx *cx, const char *text, range *r) {
  const char *equals = strchr(text, '='), *middle = NULL, *end = text + strlen(text), *in = NULL;
  char unit[UNIT], last[UNIT] = "";
  *r = (range){.kind = UNIFORM, .low = -INFINITY, .high = INFINITY};
  if (equals && equals > text && equals - text < KEY) {
    snprintf(r->key, sizeof r->key, "%.*s", (int)(equals - text), text);
    middle = strstr(equals, "+-");
    r->kind = middle ? NORMAL : UNIFORM;
    in = middle ? strstr(middle, " in ") : NULL;
    middle = middle ? middle : strstr(equals, "..");
  }
  if (in && !bounds_read(in, end, r, last))
    middle = NULL;
  end = in ? in : end;
  if (middle && r->kind == UNIFORM && end - middle > 6 && strcmp(end - 4, " log") == 0) {
    r->kind = LOGARITHMIC;
    end -= 4;
  }
  if (!middle || !number_read(equals + 1, middle, &r->one, unit) ||
      !number_read(middle + 2, end, &r->two, r->unit))
    return IG_FAIL(cx, IG_INPUT,
                   "--key '%.200s': expected KEY=A..B, KEY=A..B log, KEY=MEAN+-DEVIATION or "
                   "KEY=MEAN+-DEVIATION in A..B, with the unit behind the last number",
                   text);
  if ((in && !unit_share(r->unit, last)) || !unit_share(unit, r->unit))
    return IG_FAIL(cx, IG_INPUT, "--key '%.200s': all numbers must have the same unit", text);
  if (r->kind != NORMAL && !(r->one < r->two))
    return IG_FAIL(cx, IG_INPUT, "--key '%.200s': the first number must be the smaller one", text);
  if (r->kind == NORMAL && !(r->two > 0))
    return IG_FAIL(cx, IG_INPUT, "--key '%.200s': the deviation must be above 0", text);
  if (in && !(r->low < r->high && ig_normal_within(r->one, r->two, r->low, r->high) > 1e-6))
    return IG_FAIL(cx, IG_INPUT,
                   "--key '%.200s': the bounds must be in order, and a share of the distribution "
                   "must lie between them",
                   text);
  if (r->kind == LOGARITHMIC && !(r->one > 0))
    return IG_FAIL(cx, IG_INPUT, "--key '%.200s': a logarithm needs numbers above 0", text);
  if (r->kind == LOGARITHMIC) {
    r->one = log(r->one);
    r->two = log(r->two);
  }
  return IG_OK;
}

static double value_of(const range *r, double u) {
  const double x = r->kind == NORMAL ? ig_normal_between(r->one, r->two, r->low, r->high, u)
                                     : r->one + u * (r->two - r->one);
  return r->kind == LOGARITHMIC ? exp(x) : x;
}

/* As a run is given it, "123.4 MPa". */
static void value_text(const range *r, double u, char *text, size_t size) {
  ig_format(text, size, "%.12g%s", value_of(r, u), r->unit);
}

/* --- the file */

/* In single quotes, as YAML has them. */
static void quoted(ig_text *to, const char *text) {
  ig_text_add(to, "'");
  for (const char *c = text; *c; c++)
    ig_text_add_bytes(to, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
  ig_text_add(to, "'");
}

/* One run; key k of `own` from `other` where k is `mixed`. */
static void run_write(ig_text *to, const char *group, int point, const range *r, int keys,
                      const double *own, const double *other, int mixed) {
  char text[160];
  snprintf(text, sizeof text, "  - {name: %s-%04d, set: {", group, point + 1);
  ig_text_add(to, text);
  for (int k = 0; k < keys; k++) {
    value_text(&r[k], k == mixed ? other[k] : own[k], text, sizeof text);
    ig_text_add(to, k ? ", " : "");
    quoted(to, r[k].key);
    ig_text_add(to, ": ");
    quoted(to, text);
  }
  ig_text_add(to, "}}\n");
}

/* Reads the case with the values of one point, as its run would. */
static ig_status point_check(ig_ctx *quiet, const ig_sample_options *o, const range *r,
                             const double *u) {
  ig_case *c = NULL;
  ig_status status = ig_case_open(quiet, o->case_path, &c);
  for (int k = 0; k < o->keys && status == IG_OK; k++) {
    char text[160], label[KEY + 16];
    value_text(&r[k], u[k], text, sizeof text);
    snprintf(label, sizeof label, "--key %.199s", r[k].key);
    status = ig_case_set_from(c, r[k].key, text, label);
  }
  if (status == IG_OK && !ig_case_is_chain(c)) /* a chain reads its stages when they run */
    status = ig_case_read(c);
  ig_case_close(c);
  return status;
}

/* Every point is checked before the file is written. */
static ig_status points_check(ig_ctx *cx, const ig_sample_options *o, const range *r,
                              const double *u, int points) {
  ig_ctx *quiet = NULL;
  ig_status status = ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &quiet);
  for (int i = 0; i < points && status == IG_OK; i++)
    status = point_check(quiet, o, r, u + i * o->keys);
  if (status != IG_OK)
    status = IG_FAIL(cx, status, "%s", quiet ? ig_ctx_message(quiet) : ig_status_text(status));
  ig_ctx_close(quiet);
  return status;
}

/* The case as the file in `out` has to name it. */
static char *case_from(const char *path, const char *out) {
  char *copy = NULL;
  if (*path != '/' && strchr(out, '/'))
    return realpath(path, NULL);
  copy = malloc(strlen(path) + 1);
  if (copy)
    memcpy(copy, path, strlen(path) + 1);
  return copy;
}

static ig_status file_write(ig_ctx *cx, const ig_sample_options *o, const range *r, const char *out,
                            ig_text *to) {
  static const char *const name[] = {"Latin hypercube", "Sobol sequence", "random points",
                                     "design for Sobol indices"};
  const bool indices = o->method == IG_SAMPLE_INDICES;
  const int dimensions = indices ? 2 * o->keys : o->keys;
  double *u = NULL;
  char text[200];
  char *path = case_from(o->case_path, out);
  ig_status status = path ? IG_OK : IG_FAIL(cx, IG_INPUT, "cannot read '%.300s'", o->case_path);
  if (status == IG_OK)
    status = IG_NEW(cx, &u, (size_t)o->n * (size_t)dimensions, "a sample");
  if (status != IG_OK) {
    free(path);
    return status;
  }
  ig_sample_points(!indices                            ? o->method
                   : dimensions <= IG_SOBOL_DIMENSIONS ? IG_SAMPLE_SOBOL
                                                       : IG_SAMPLE_RANDOM,
                   o->seed, o->n, dimensions, u);
  /* The rows of a design for indices are two points each. */
  status = points_check(cx, o, r, u, o->n * (dimensions / o->keys));
  snprintf(text, sizeof text, "title: '%s, %d points, seed %" PRIu64 "'\ncase: ", name[o->method],
           o->n, o->seed);
  ig_text_add(to, text);
  quoted(to, path);
  ig_text_add(to, "\nruns:\n");
  for (int i = 0; i < o->n && status == IG_OK; i++) {
    const double *a = u + i * dimensions, *b = a + o->keys;
    run_write(to, indices ? "a" : "s", i, r, o->keys, a, NULL, -1);
    if (!indices)
      continue;
    run_write(to, "b", i, r, o->keys, b, NULL, -1);
    for (int k = 0; k < o->keys; k++) {
      snprintf(text, sizeof text, "k%d", k + 1);
      run_write(to, text, i, r, o->keys, a, b, k);
    }
  }
  free(u);
  free(path);
  return status == IG_OK && to->failed ? IG_FAIL(cx, IG_MEMORY, "no memory for the runs") : status;
}

ig_status ig_sample(ig_ctx *cx, const ig_sample_options *o, const char *out, bool force) {
  range r[IG_SAMPLE_KEYS];
  ig_text text = {0};
  if (!cx || !o || !out || !o->case_path)
    return IG_ARG;
  if (o->keys < 1 || o->keys > IG_SAMPLE_KEYS)
    return IG_FAIL(cx, IG_INPUT, "1 to %d keys can be sampled, not %d: give --key KEY=A..B",
                   IG_SAMPLE_KEYS, o->keys);
  const int per = o->method == IG_SAMPLE_INDICES ? o->keys + 2 : 1;
  if (o->n < 1 || o->n > MAX_RUNS / per)
    return IG_FAIL(cx, IG_INPUT, "1 to %d points can be sampled, not %d: give --n", MAX_RUNS / per,
                   o->n);
  for (int k = 0; k < o->keys; k++) {
    IG_TRY(range_read(cx, o->key[k], &r[k]));
    for (int j = 0; j < k; j++)
      if (ig_key_same(r[j].key, r[k].key))
        return IG_FAIL(cx, IG_INPUT, "--key: '%.200s' is sampled twice", r[k].key);
  }
  if (!force && access(out, F_OK) == 0)
    return IG_FAIL(cx, IG_INPUT, "'%.300s' is there already: give another name, or --force", out);
  ig_status status = file_write(cx, o, r, out, &text);
  if (status == IG_OK)
    status = ig_store(cx, out, text.at, text.length);
  free(text.at);
  return status;
}

/* --- indices from the results */

/* The table of results as numbers. Columns: run, status, keys, figures, wall time. */
typedef struct {
  ig_ctx *cx;
  ig_status status;
  int keys, points; /* as the names say */
  int columns, figures;
  char (*heading)[KEY];
  double *value; /* (points x (keys + 2)) x columns; NaN: not there */
} results;

/* "k2-0017": group 3 (a is 0, b is 1), point 16. */
static bool place_of(const char *name, int *group, int *point) {
  int k = 0, used = 0;
  if (sscanf(name, "k%d-%d%n", &k, point, &used) == 2 && !name[used] && k >= 1 && *point >= 1)
    *group = k + 1;
  else if (sscanf(name, "a-%d%n", point, &used) == 1 && !name[used] && *point >= 1)
    *group = 0;
  else if (sscanf(name, "b-%d%n", point, &used) == 1 && !name[used] && *point >= 1)
    *group = 1;
  else
    return false;
  --*point;
  return true;
}

/* How many keys and points the names say; false: it is no design for indices. */
static bool design_find(const ig_sweep *sweep, int *keys, int *points) {
  const int count = ig_sweep_count(sweep);
  *keys = *points = 0;
  for (int i = 0; i < count; i++) {
    ig_sweep_run run;
    int group, point;
    if (ig_sweep_at(sweep, i, &run) != IG_OK || !place_of(run.name, &group, &point))
      return false;
    *keys = group - 1 > *keys ? group - 1 : *keys;
    *points = point + 1 > *points ? point + 1 : *points;
  }
  return *keys > 0 && count == *points * (*keys + 2);
}

/* ig_row_fn: headings first. */
static void row_take(void *user, int columns, const char *const *cell) {
  results *t = user;
  int group, point;
  if (t->status != IG_OK)
    return;
  if (!t->heading) {
    const size_t rows = (size_t)t->points * ((size_t)t->keys + 2);
    t->columns = columns;
    t->status = IG_NEW(t->cx, &t->heading, columns, "headings");
    if (t->status == IG_OK)
      t->status = IG_NEW(t->cx, &t->value, rows * (size_t)columns, "results");
    for (int c = 0; c < columns && t->status == IG_OK; c++)
      snprintf(t->heading[c], sizeof t->heading[c], "%s", cell[c]);
    for (size_t i = 0; i < rows * (size_t)columns && t->status == IG_OK; i++)
      t->value[i] = NAN;
    return;
  }
  if (!place_of(cell[0], &group, &point) || strcmp(cell[1], "complete") != 0)
    return;
  for (int c = 2; c < columns; c++) {
    char *end;
    const double v = ig_decimal_read(cell[c], &end);
    if (end != cell[c] && !*end)
      t->value[(group * t->points + point) * t->columns + c] = v;
  }
}

/* Values of a figure at the points that have all their runs, group by group: (keys + 2) x n. */
static int values_take(const results *t, int column, double *to) {
  int n = 0;
  for (int i = 0; i < t->points; i++) {
    bool all = true;
    for (int g = 0; g < t->keys + 2; g++)
      all &= isfinite(t->value[(g * t->points + i) * t->columns + column]);
    n += all;
  }
  int at = 0;
  for (int i = 0; i < t->points; i++) {
    bool all = true;
    for (int g = 0; g < t->keys + 2; g++)
      all &= isfinite(t->value[(g * t->points + i) * t->columns + column]);
    for (int g = 0; g < t->keys + 2 && all; g++)
      to[g * n + at] = t->value[(g * t->points + i) * t->columns + column];
    at += all;
  }
  return n;
}

/* Whether a column of figures is the one that is wanted, with or without its unit. */
static bool is_wanted(const char *heading, const char *figure) {
  char unit[IG_CSV_UNIT];
  return !figure || strcmp(heading, figure) == 0 ||
         (ig_csv_name(heading, unit) == strlen(figure) &&
          strncmp(heading, figure, strlen(figure)) == 0);
}

static void csv_row(ig_text *csv, const ig_sensitivity_row *r) {
  const double value[] = {r->first, r->first_low, r->first_high,
                          r->total, r->total_low, r->total_high};
  ig_csv_cell(csv, r->figure, true);
  ig_csv_cell(csv, r->key, false);
  for (int i = 0; i < 6; i++) {
    char text[IG_NUMBER_TEXT];
    ig_number_text(value[i], text);
    ig_csv_cell(csv, text, false);
  }
  ig_text_add(csv, "\n");
}

/* Each figure that is not the same everywhere. */
static ig_status figures_each(results *t, const char *figure, ig_sensitivity_fn *row, void *user,
                              ig_text *csv, int *used) {
  ig_sensitivity_row rows[IG_SAMPLE_KEYS];
  double *value = NULL;
  ig_status status = IG_NEW(t->cx, &value, (size_t)t->points * ((size_t)t->keys + 2), "results");
  for (int c = 2 + t->keys; c < t->columns - 1 && status == IG_OK; c++) {
    if (!is_wanted(t->heading[c], figure))
      continue;
    const int n = values_take(t, c, value);
    bool varies = false;
    for (int i = 0; i < n * (t->keys + 2); i++)
      varies |= fabs(value[i] - value[0]) > 1e-12 * fabs(value[0]);
    if (n < 2 || !varies)
      continue;
    *used = n > *used ? n : *used;
    memset(rows, 0, sizeof rows);
    status = ig_sobol_indices(t->cx, n, t->keys, value, value + n, value + 2 * n, rows);
    for (int k = 0; k < t->keys && status == IG_OK; k++) {
      rows[k].figure = t->heading[c];
      rows[k].key = t->heading[2 + k];
      csv_row(csv, &rows[k]);
      if (row)
        row(user, &rows[k]);
    }
    t->figures++;
  }
  free(value);
  return status;
}

ig_status ig_sensitivity(ig_ctx *cx, const ig_sweep *sweep, const char *out, const char *figure,
                         ig_sensitivity_fn *row, void *user, int *used) {
  results t = {.cx = cx};
  ig_text csv = {0};
  int none = 0;
  if (!cx || !sweep || !out)
    return IG_ARG;
  used = used ? used : &none;
  *used = 0;
  if (!design_find(sweep, &t.keys, &t.points) || t.keys > IG_SAMPLE_KEYS)
    return IG_FAIL(cx, IG_INPUT,
                   "the sweep is no design for indices: make one by ingot sample --method indices");
  ig_status status = ig_sweep_results(sweep, out, row_take, &t);
  status = status == IG_OK ? t.status : status;
  ig_text_add(&csv, "figure,key,first,first_low,first_high,total,total_low,total_high\n");
  if (status == IG_OK)
    status = figures_each(&t, figure, row, user, &csv, used);
  if (status == IG_OK && t.figures == 0)
    status =
        figure ? IG_FAIL(cx, IG_INPUT,
                         "no figure '%.80s' varies over the runs in '%.200s': columns of "
                         "results.csv there name them",
                         figure, out)
               : IG_FAIL(cx, IG_INPUT, "no complete points in '%.200s': run the sweep first", out);
  if (status == IG_OK)
    status = ig_store_text(cx, out, "sensitivity.csv", &csv);
  free(csv.at);
  free(t.heading);
  free(t.value);
  return status;
}
