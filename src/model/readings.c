/* Figures of readings: see readings.h. */
#include "model/readings.h"
#include "core/number.h"
#include "core/option.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "io/format/atomic_file.h"
#include "io/format/csv.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number between two places of a figure, in SI. */
ig_status ig_readings_argument(ig_ctx *cx, const char *figure, const char *from, const char *to,
                               const char *unit, double *value) {
  char text[96], problem[160] = "too long";
  const size_t length = (size_t)(to - from);
  snprintf(text, sizeof text, "%.*s", (int)length, from);
  if (length < sizeof text && ig_number_read(text, unit, value, problem, sizeof problem))
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT, "figure '%.200s': '%.60s': %s", figure, text, problem);
}

static ig_status signal_need(ig_ctx *cx, const ig_readings *r, const char *name, size_t length,
                             int *signal) {
  *signal = r->find(r->user, name, length);
  if (*signal >= 0)
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT,
                 "no figure '%.*s': expected SIGNAL, SIGNAL@TIME, mean(SIGNAL), max(SIGNAL), "
                 "variance(SIGNAL) or misfit(FILE.csv), where SIGNAL is %s",
                 (int)length, name, r->signals_are);
}

/* --- moments */

/* The rows between which a time is, and the share of the way that has passed; of two rows of one
   time it is after the second. */
static bool moment_find(const ig_readings *r, double time, int64_t *row, double *share) {
  const double end = r->time[r->rows - 1];
  if (!(time >= r->time[0] && time <= end * (1 + 1e-12)))
    return false;
  int64_t low = 0, high = r->rows - 1;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (r->time[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  *row = low;
  *share = fmin(1, (time - r->time[low]) / (r->time[high] - r->time[low]));
  return true;
}

static double reading_at(const ig_readings *r, int signal, int64_t row, double share) {
  return (1 - share) * r->reading[row * r->signals + signal] +
         share * r->reading[(row + 1) * r->signals + signal];
}

static void weight_add(ig_readings *r, int signal, int64_t row, double share, double weight) {
  r->weight[row * r->signals + signal] += (1 - share) * weight;
  r->weight[(row + 1) * r->signals + signal] += share * weight;
}

static ig_status at_time(ig_ctx *cx, ig_readings *r, int signal, double time, double *value) {
  int64_t row;
  double share;
  if (!moment_find(r, time, &row, &share))
    return IG_FAIL(cx, IG_INPUT, "the figure is at %g s: the run is from 0 to %g s", time,
                   r->time[r->rows - 1]);
  *value = reading_at(r, signal, row, share);
  weight_add(r, signal, row, share, 1);
  return IG_OK;
}

/* The trapezoidal rule over the readings. */
static void mean_of(ig_readings *r, int signal, double *value) {
  const double whole = r->time[r->rows - 1];
  *value = 0;
  for (int64_t row = 0; row + 1 < r->rows; row++) {
    const double share = (r->time[row + 1] - r->time[row]) / whole;
    if (!(share > 0))
      continue;
    *value += share * reading_at(r, signal, row, 0.5);
    weight_add(r, signal, row, 0.5, share);
  }
}

static void most_of(ig_readings *r, int signal, double *value) {
  int64_t most = 0;
  for (int64_t row = 1; row < r->rows; row++)
    if (r->reading[row * r->signals + signal] > r->reading[most * r->signals + signal])
      most = row;
  *value = r->reading[most * r->signals + signal];
  r->weight[most * r->signals + signal] = 1;
}

/* Seconds for which a row stands. */
static double counted(const ig_readings *r, int64_t row) {
  return r->seconds ? r->seconds[row] : row > 0 ? r->time[row] - r->time[row - 1] : 0;
}

/* target NaN: the mean. */
static void variance_of(ig_readings *r, int signal, double target, double *value) {
  double whole = 0, mean = 0;
  for (int64_t row = 0; row < r->rows; row++) {
    const double dt = counted(r, row);
    whole += dt;
    mean += dt * r->reading[row * r->signals + signal];
  }
  const double from = isnan(target) ? mean / whole : target;
  *value = 0;
  for (int64_t row = 0; row < r->rows; row++) {
    const double share = counted(r, row) / whole,
                 apart = r->reading[row * r->signals + signal] - from;
    if (!(share > 0))
      continue;
    *value += share * apart * apart;
    /* the mean has no weight of its own: it is the least */
    r->weight[row * r->signals + signal] += 2 * share * apart;
  }
}

#ifdef INGOT_HAVE_IO
enum { COLUMNS = 4096 };

/* A file of measured values while it is read: nothing in it is passed over. */
typedef struct {
  const char *file, *at;
  int line, columns, time;
  int signal[COLUMNS]; /* of each column; -1: the time */
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

static ig_status column_find(ig_ctx *cx, const ig_readings *r, measured *m, const char *text,
                             size_t length) {
  m->signal[m->columns] = r->find(r->user, text, length);
  if (m->signal[m->columns] >= 0)
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT, "%s:%d: '%.*s' is no probe of the case", m->file, m->line,
                 (int)length, text);
}

/* `time` (s) and names of probes, with the unit behind or without. */
static ig_status headings_read(ig_ctx *cx, const ig_readings *r, measured *m) {
  m->time = -1;
  for (bool more = true; more; m->columns++) {
    char unit[IG_CSV_UNIT];
    if (m->columns == COLUMNS)
      return measured_fail(cx, m, "too many columns");
    const char *text = cell_take(m, &more);
    const size_t length = ig_csv_name(text, unit);
    const bool time = length == 4 && strncmp(text, "time", 4) == 0;
    m->signal[m->columns] = -1;
    if (time)
      m->time = m->columns;
    else
      IG_TRY(column_find(cx, r, m, text, length));
    const char *own = time ? "s" : r->unit(r->user, m->signal[m->columns], false);
    if (*unit && strcmp(unit, own) != 0)
      return measured_fail(cx, m, "expected times in s and values in the units of their probes");
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

static ig_status row_misfit(ig_ctx *cx, ig_readings *r, measured *m, double *value, int64_t *used) {
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
  if (!moment_find(r, row[m->time], &k, &share))
    return measured_fail(cx, m, "its time is outside of the run");
  for (int c = 0; c < columns; c++) {
    if (m->signal[c] < 0 || isnan(row[c]))
      continue;
    const double apart = reading_at(r, m->signal[c], k, share) - row[c];
    *value += apart * apart;
    weight_add(r, m->signal[c], k, share, 2 * apart);
    ++*used;
  }
  return IG_OK;
}

static ig_status misfit_of(ig_ctx *cx, ig_readings *r, const char *file, double *value) {
  measured *m;
  char *text = NULL;
  size_t size;
  int64_t used = 0;
  *value = 0;
  IG_TRY(IG_NEW(cx, &m, 1, "measured values"));
  m->file = file;
  m->line = 1;
  ig_status status = ig_file_read(cx, file, 0, &text, &size);
  m->at = text;
  if (status == IG_OK)
    status = headings_read(cx, r, m);
  while (status == IG_OK && *m->at) {
    m->line++;
    if (*m->at == '\n' || *m->at == '\r')
      m->at += 1 + (m->at[0] == '\r' && m->at[1] == '\n');
    else
      status = row_misfit(cx, r, m, value, &used);
  }
  if (status == IG_OK && used == 0)
    status = measured_fail(cx, m, "no values of probes");
  r->measured = used;
  for (int c = 0; status == IG_OK && c < m->columns; c++)
    if (m->signal[c] >= 0)
      r->misfit_unit = r->unit(r->user, m->signal[c], true);
  free(m->cell.at);
  free(m);
  free(text);
  return status;
}
#else
static ig_status misfit_of(ig_ctx *cx, ig_readings *r, const char *file, double *value) {
  (void)r;
  (void)file;
  (void)value;
  return IG_FAIL(cx, IG_UNSUPPORTED, "misfit needs a build with input and output");
}
#endif

/* FUNCTION(SIGNAL) or FUNCTION(SIGNAL, VALUE): what is between the brackets; false: another. */
static bool call_read(const char *figure, const char *function, const char **from, const char **to,
                      const char **comma) {
  const size_t head = strlen(function), length = strlen(figure);
  if (strncmp(figure, function, head) != 0 || figure[head] != '(' || figure[length - 1] != ')')
    return false;
  *from = figure + head + 1;
  *to = *comma = figure + length - 1;
  int depth = 0;
  for (const char *at = *from; at < *to; at++) {
    depth += (*at == '(') - (*at == ')');
    if (*at == ',' && depth == 0)
      *comma = at;
  }
  return true;
}

ig_status ig_readings_figure(ig_ctx *cx, ig_readings *r, const char *figure, double *value,
                             char unit[16]) {
  const size_t length = strlen(figure);
  const char *from, *to, *comma;
  int p;
  memset(r->weight, 0, (size_t)r->rows * (size_t)r->signals * sizeof *r->weight);
  if (call_read(figure, "misfit", &from, &to, &comma)) {
    char file[1024];
    if ((size_t)(to - from) >= sizeof file)
      return IG_FAIL(cx, IG_INPUT, "the name of a file is too long");
    snprintf(file, sizeof file, "%.*s", (int)(to - from), from);
    r->misfit_unit = "";
    IG_TRY(misfit_of(cx, r, file, value));
    snprintf(unit, 16, "%s", r->misfit_unit);
    return IG_OK;
  }
  const bool mean = call_read(figure, "mean", &from, &to, &comma),
             most = !mean && call_read(figure, "max", &from, &to, &comma),
             variance = !mean && !most && call_read(figure, "variance", &from, &to, &comma);
  const char *at = strchr(figure, '@');
  if (!mean && !most && !variance) {
    from = figure;
    comma = to = at ? at : figure + length;
  }
  const char *end = variance ? comma : to;
  IG_TRY(signal_need(cx, r, from, (size_t)(end - from), &p));
  const char *const own = r->unit(r->user, p, false);
  snprintf(unit, 16, "%s", r->unit(r->user, p, variance));
  if (mean)
    mean_of(r, p, value);
  else if (most)
    most_of(r, p, value);
  if (variance) {
    double target = NAN;
    if (comma < to)
      IG_TRY(ig_readings_argument(cx, figure, comma + 1, to, own, &target));
    variance_of(r, p, target, value);
  }
  if (mean || most || variance)
    return IG_OK;
  double time = r->time[r->rows - 1];
  if (at)
    IG_TRY(ig_readings_argument(cx, figure, at + 1, figure + length, "s", &time));
  return at_time(cx, r, p, time, value);
}
