/* Figures of a run that have gradients: functions of the readings of probes.

     NAME             the temperature of a probe at the end
     NAME@0.5 s       at a time, interpolated between steps
     mean(NAME)       over the time of the run
     max(NAME)        its highest reading: the derivative is that of this reading
     misfit(FILE.csv) sum of squares of (probe - measured) over the rows and columns of a file with
                      the columns `time` (s) and names of probes (K); empty cells do not count */
#include "thermal/adjoint/adjoint.h"
#include "core/number.h"
#include "core/unit.h"
#ifdef INGOT_HAVE_IO
#include "io/format/atomic_file.h"
#include "io/format/csv.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The probe of a name; its column has the unit behind it. */
static int probe_find(const ig_tape *t, const char *name, size_t length) {
  for (int p = 0; p < t->probes; p++) {
    const char *own = t->run.probe[p].name;
    if (strncmp(own, name, length) == 0 &&
        (own[length] == '\0' || strcmp(own + length, " [K]") == 0))
      return p;
  }
  return -1;
}

static ig_status probe_need(ig_ctx *cx, const ig_tape *t, const char *name, size_t length, int *p) {
  *p = probe_find(t, name, length);
  if (*p >= 0)
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT,
                 "no figure '%.*s': expected the name of a probe of the case, NAME@TIME, "
                 "mean(NAME), max(NAME) or misfit(FILE.csv)",
                 (int)length, name);
}

/* The step that holds a time, and the share of it that has passed. */
static bool moment_find(const ig_tape *t, double time, int64_t *k, double *share) {
  const double end = t->time[t->steps];
  if (!(time >= 0 && time <= end * (1 + 1e-12)))
    return false;
  int64_t low = 0, high = t->steps;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (t->time[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  *k = low;
  *share = fmin(1, (time - t->time[low]) / (t->time[high] - t->time[low]));
  return true;
}

/* Within step k: from what its births left to its end. */
static double reading_at(ig_tape *t, int p, int64_t k, double share) {
  return (1 - share) * t->reading[2 * k * t->probes + p] +
         share * t->reading[(2 * k + 1) * t->probes + p];
}

static void weight_add(ig_tape *t, int p, int64_t k, double share, double weight) {
  t->weight[2 * k * t->probes + p] += (1 - share) * weight;
  t->weight[(2 * k + 1) * t->probes + p] += share * weight;
}

static ig_status at_time(ig_ctx *cx, ig_tape *t, int p, double time, double *value) {
  int64_t k;
  double share;
  if (!moment_find(t, time, &k, &share))
    return IG_FAIL(cx, IG_INPUT, "the figure is at %g s: the run is from 0 to %g s", time,
                   t->time[t->steps]);
  *value = reading_at(t, p, k, share);
  weight_add(t, p, k, share, 1);
  return IG_OK;
}

/* The trapezoidal rule over the readings. */
static void mean_of(ig_tape *t, int p, double *value) {
  const double whole = t->time[t->steps];
  *value = 0;
  for (int64_t k = 0; k < t->steps; k++) {
    const double share = (t->time[k + 1] - t->time[k]) / whole;
    *value += share * reading_at(t, p, k, 0.5);
    weight_add(t, p, k, 0.5, share);
  }
}

static void most_of(ig_tape *t, int p, double *value) {
  int64_t most = 0;
  for (int64_t row = 1; row < 2 * t->steps; row++)
    if (t->reading[row * t->probes + p] > t->reading[most * t->probes + p])
      most = row;
  *value = t->reading[most * t->probes + p];
  t->weight[most * t->probes + p] = 1;
}

#ifdef INGOT_HAVE_IO
enum { COLUMNS = 4096 };

/* A file of measured temperatures while it is read: nothing in it is passed over. */
typedef struct {
  const char *file, *at;
  int line, columns, time;
  int probe[COLUMNS]; /* of each column; -1: the time */
  ig_text cell;
} measured;

static ig_status measured_fail(ig_ctx *cx, const measured *m, const char *what) {
  return IG_FAIL(cx, IG_INPUT, "%s:%d: %s", m->file, m->line, what);
}

/* The next cell of the line; *more: another one follows. */
static const char *cell_take(measured *m, bool *more) {
  *more = ig_csv_take(&m->at, &m->cell);
  return m->cell.at ? m->cell.at : "";
}

/* `time` (s) and names of probes (K), with the unit behind or without. */
static ig_status headings_read(ig_ctx *cx, const ig_tape *t, measured *m) {
  m->time = -1;
  for (bool more = true; more; m->columns++) {
    char unit[IG_CSV_UNIT];
    if (m->columns == COLUMNS)
      return measured_fail(cx, m, "too many columns");
    const char *text = cell_take(m, &more);
    const size_t length = ig_csv_name(text, unit);
    const bool time = length == 4 && strncmp(text, "time", 4) == 0;
    if (*unit && strcmp(unit, time ? "s" : "K") != 0)
      return measured_fail(cx, m, "expected times in s and temperatures in K");
    m->probe[m->columns] = -1;
    if (time)
      m->time = m->columns;
    else
      IG_TRY(probe_need(cx, t, text, length, &m->probe[m->columns]));
  }
  return m->time < 0 ? measured_fail(cx, m, "no column `time`") : IG_OK;
}

/* A number, or NaN where the cell is empty. */
static ig_status number_read(ig_ctx *cx, const measured *m, const char *text, double *value) {
  char *rest;
  text += strspn(text, " ");
  *value = NAN;
  if (!*text)
    return IG_OK;
  *value = ig_decimal_read(text, &rest);
  rest += strspn(rest, " ");
  return *rest || !isfinite(*value) ? measured_fail(cx, m, "expected numbers") : IG_OK;
}

static ig_status row_misfit(ig_ctx *cx, ig_tape *t, measured *m, double *value, int64_t *used) {
  double row[COLUMNS], share;
  int64_t k;
  int columns = 0;
  for (bool more = true; more; columns++) {
    if (columns == m->columns)
      return measured_fail(cx, m, "more cells than columns");
    const char *text = cell_take(m, &more);
    IG_TRY(number_read(cx, m, text, &row[columns]));
  }
  if (columns < m->columns)
    return measured_fail(cx, m, "fewer cells than columns");
  if (!moment_find(t, row[m->time], &k, &share))
    return measured_fail(cx, m, "its time is outside of the run");
  for (int c = 0; c < columns; c++) {
    if (m->probe[c] < 0 || isnan(row[c]))
      continue;
    const double apart = reading_at(t, m->probe[c], k, share) - row[c];
    *value += apart * apart;
    weight_add(t, m->probe[c], k, share, 2 * apart);
    ++*used;
  }
  return IG_OK;
}

static ig_status misfit_of(ig_ctx *cx, ig_tape *t, const char *file, double *value) {
  measured *m;
  char *text = NULL;
  size_t size;
  int64_t used = 0;
  *value = 0;
  IG_TRY(IG_NEW(cx, &m, 1, "measured temperatures"));
  m->file = file;
  m->line = 1;
  ig_status status = ig_file_read(cx, file, 0, &text, &size);
  m->at = text;
  if (status == IG_OK)
    status = headings_read(cx, t, m);
  while (status == IG_OK && *m->at) {
    m->line++;
    if (*m->at == '\n' || *m->at == '\r')
      m->at += 1 + (m->at[0] == '\r' && m->at[1] == '\n');
    else
      status = row_misfit(cx, t, m, value, &used);
  }
  if (status == IG_OK && used == 0)
    status = measured_fail(cx, m, "no values of probes");
  free(m->cell.at);
  free(m);
  free(text);
  return status;
}
#else
static ig_status misfit_of(ig_ctx *cx, ig_tape *t, const char *file, double *value) {
  (void)t;
  (void)file;
  (void)value;
  return IG_FAIL(cx, IG_UNSUPPORTED, "misfit needs a build with input and output");
}
#endif

ig_status ig_tape_figure(ig_ctx *cx, ig_tape *t, const char *figure, double *value, char unit[16]) {
  const size_t length = strlen(figure);
  int p;
  free(t->weight);
  IG_TRY(
      IG_NEW(cx, &t->weight, 2 * (size_t)t->steps * (size_t)(t->probes ? t->probes : 1), "figure"));
  snprintf(unit, 16, "K");
  if (strncmp(figure, "misfit(", 7) == 0 && figure[length - 1] == ')') {
    char file[1024];
    if (length - 8 >= sizeof file)
      return IG_FAIL(cx, IG_INPUT, "the name of a file is too long");
    memcpy(file, figure + 7, length - 8);
    file[length - 8] = '\0';
    snprintf(unit, 16, "K^2");
    return misfit_of(cx, t, file, value);
  }
  const bool mean = strncmp(figure, "mean(", 5) == 0, most = strncmp(figure, "max(", 4) == 0;
  if ((mean || most) && figure[length - 1] == ')') {
    const size_t head = mean ? 5 : 4;
    IG_TRY(probe_need(cx, t, figure + head, length - head - 1, &p));
    if (mean)
      mean_of(t, p, value);
    else
      most_of(t, p, value);
    return IG_OK;
  }
  const char *at = strchr(figure, '@');
  IG_TRY(probe_need(cx, t, figure, at ? (size_t)(at - figure) : length, &p));
  double time = t->time[t->steps];
  if (at) {
    char *rest, problem[160];
    ig_unit factor;
    time = ig_decimal_read(at + 1, &rest);
    while (*rest == ' ')
      rest++;
    if (rest == at + 1 || !ig_unit_read(rest, &factor, problem, sizeof problem) ||
        (*rest && !ig_units_alike(rest, "s")))
      return IG_FAIL(cx, IG_INPUT, "'%s': expected a time behind @, as in @0.5 s", figure);
    time *= factor.factor;
  }
  return at_time(cx, t, p, time, value);
}
