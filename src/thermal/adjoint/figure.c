/* Figures of a run that have gradients: functions of signals, which are read in every step.

   Signals:
     NAME             the temperature of a probe
     volume(1650 K)   volume hotter than that: nodes count from 0 at 50 K below it to 1 at 50 K
                      above, smoothly; volume(1650 K, 20 K): at 20 K
   Figures:
     SIGNAL           at the end of the run
     SIGNAL@0.5 s     at a time, interpolated between steps
     mean(SIGNAL)     over the time of the run
     max(SIGNAL)      its highest reading: the derivative is that of this reading
     variance(SIGNAL) mean square of its distance from its own mean, while a beam is on (without
                      beams over the whole run); variance(SIGNAL, 1400 K): from that value
     misfit(FILE.csv) sum of squares of (probe - measured) over the rows and columns of a file with
                      the columns `time` (s) and names of probes (K); empty cells do not count */
#include "thermal/adjoint/adjoint.h"
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

static ig_status signal_need(ig_ctx *cx, const ig_tape *t, const char *name, size_t length,
                             int *p) {
  *p = strncmp(name, "volume(", 7) == 0 && t->signals > t->probes ? t->probes
                                                                  : probe_find(t, name, length);
  if (*p >= 0)
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT,
                 "no figure '%.*s': expected SIGNAL, SIGNAL@TIME, mean(SIGNAL), max(SIGNAL), "
                 "variance(SIGNAL) or misfit(FILE.csv), where SIGNAL is the name of a probe of the "
                 "case or volume(TEMPERATURE)",
                 (int)length, name);
}

/* --- signals */

/* A quintic from 0 to 1: two continuous derivatives. */
double ig_tape_hot(const ig_tape *t, double T, double *slope) {
  const double x = 0.5 + 0.5 * (T - t->hot) / t->hot_width;
  *slope = 0;
  if (x <= 0 || x >= 1)
    return x > 0;
  *slope = 30 * x * x * (1 - x) * (1 - x) * 0.5 / t->hot_width;
  return x * x * x * (10 - 15 * x + 6 * x * x);
}

/* The number between two places of a figure, in SI. */
static ig_status argument_read(ig_ctx *cx, const char *figure, const char *from, const char *to,
                               const char *unit, double *value) {
  char text[96], problem[160] = "too long";
  const size_t length = (size_t)(to - from);
  snprintf(text, sizeof text, "%.*s", (int)length, from);
  if (length < sizeof text && ig_number_read(text, unit, value, problem, sizeof problem))
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT, "figure '%.200s': '%.60s': %s", figure, text, problem);
}

ig_status ig_tape_signals(ig_ctx *cx, ig_tape *t, const char *figure) {
  const char *at = strstr(figure, "volume(");
  t->probes = t->signals = t->run.probes;
  t->hot = NAN;
  if (!at || strncmp(figure, "misfit(", 7) == 0 || probe_find(t, figure, strlen(figure)) >= 0)
    return IG_OK;
  at += strlen("volume(");
  const char *end = at + strcspn(at, ")"), *comma = at + strcspn(at, ",)");
  if (!*end)
    return IG_FAIL(cx, IG_INPUT, "figure '%.200s': ')' is missing", figure);
  IG_TRY(argument_read(cx, figure, at, comma, "K", &t->hot));
  t->hot_width = 50;
  if (comma < end)
    IG_TRY(argument_read(cx, figure, comma + 1, end, "K", &t->hot_width));
  if (!(t->hot_width > 0 && t->hot > 0))
    return IG_FAIL(cx, IG_INPUT, "figure '%.200s': temperatures must be above 0 K", figure);
  t->signals++;
  return IG_OK;
}

/* --- moments */

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
  return (1 - share) * t->reading[2 * k * t->signals + p] +
         share * t->reading[(2 * k + 1) * t->signals + p];
}

static void weight_add(ig_tape *t, int p, int64_t k, double share, double weight) {
  t->weight[2 * k * t->signals + p] += (1 - share) * weight;
  t->weight[(2 * k + 1) * t->signals + p] += share * weight;
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
    if (t->reading[row * t->signals + p] > t->reading[most * t->signals + p])
      most = row;
  *value = t->reading[most * t->signals + p];
  t->weight[most * t->signals + p] = 1;
}

/* Seconds of step k that count: those with a beam on, or all where none ever is. */
static double counted(const ig_tape *t, int64_t batch, int i, bool any) {
  const ig_tape_batch *b = &t->batch[batch];
  const int64_t k = b->first + i;
  return !any || b->step[i].last > b->step[i].first ? t->time[k + 1] - t->time[k] : 0;
}

/* Readings at the ends of steps, weighted by their length. target NaN: the mean. */
static void variance_of(ig_tape *t, int p, double target, double *value) {
  double whole = 0, mean = 0;
  bool any = false;
  for (int64_t b = 0; b < t->batches; b++)
    any |= t->batch[b].watts > 0;
  for (int64_t b = 0; b < t->batches; b++)
    for (int i = 0; i < t->batch[b].steps; i++) {
      const double dt = counted(t, b, i, any);
      whole += dt;
      mean += dt * t->reading[(2 * (t->batch[b].first + i) + 1) * t->signals + p];
    }
  const double from = isnan(target) ? mean / whole : target;
  *value = 0;
  for (int64_t b = 0; b < t->batches; b++)
    for (int i = 0; i < t->batch[b].steps; i++) {
      const int64_t row = 2 * (t->batch[b].first + i) + 1;
      const double share = counted(t, b, i, any) / whole,
                   apart = t->reading[row * t->signals + p] - from;
      *value += share * apart * apart;
      t->weight[row * t->signals + p] += 2 * share * apart; /* the mean has none: it is the least */
    }
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

static ig_status column_find(ig_ctx *cx, const ig_tape *t, measured *m, const char *text,
                             size_t length) {
  m->probe[m->columns] = probe_find(t, text, length);
  if (m->probe[m->columns] >= 0)
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT, "%s:%d: '%.*s' is no probe of the case", m->file, m->line,
                 (int)length, text);
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
      IG_TRY(column_find(cx, t, m, text, length));
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
  t->measured = used;
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

ig_status ig_tape_figure(ig_ctx *cx, ig_tape *t, const char *figure, double *value, char unit[16]) {
  const size_t length = strlen(figure);
  const char *from, *to, *comma;
  int p;
  free(t->weight);
  t->weight = NULL;
  IG_TRY(IG_NEW(cx, &t->weight, 2 * (size_t)t->steps * (size_t)(t->signals ? t->signals : 1),
                "figure"));
  if (call_read(figure, "misfit", &from, &to, &comma)) {
    char file[1024];
    if ((size_t)(to - from) >= sizeof file)
      return IG_FAIL(cx, IG_INPUT, "the name of a file is too long");
    snprintf(file, sizeof file, "%.*s", (int)(to - from), from);
    snprintf(unit, 16, "K^2");
    return misfit_of(cx, t, file, value);
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
  IG_TRY(signal_need(cx, t, from, (size_t)(end - from), &p));
  const char *const own = p < t->probes ? "K" : "m^3";
  snprintf(unit, 16, "%s", !variance ? own : p < t->probes ? "K^2" : "m^6");
  if (mean)
    mean_of(t, p, value);
  else if (most)
    most_of(t, p, value);
  if (variance) {
    double target = NAN;
    if (comma < to)
      IG_TRY(argument_read(cx, figure, comma + 1, to, own, &target));
    variance_of(t, p, target, value);
  }
  if (mean || most || variance)
    return IG_OK;
  double time = t->time[t->steps];
  if (at)
    IG_TRY(argument_read(cx, figure, at + 1, figure + length, "s", &time));
  return at_time(cx, t, p, time, value);
}
