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

/* The steps around a time: value = (1 - share) reading[k] + share reading[k + 1]. */
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

static double reading_at(ig_tape *t, int p, int64_t k, double share) {
  return (1 - share) * t->reading[k * t->probes + p] + share * t->reading[(k + 1) * t->probes + p];
}

static void weight_add(ig_tape *t, int p, int64_t k, double share, double weight) {
  t->weight[k * t->probes + p] += (1 - share) * weight;
  t->weight[(k + 1) * t->probes + p] += share * weight;
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
    const double half = 0.5 * (t->time[k + 1] - t->time[k]) / whole;
    *value += half * (t->reading[k * t->probes + p] + t->reading[(k + 1) * t->probes + p]);
    t->weight[k * t->probes + p] += half;
    t->weight[(k + 1) * t->probes + p] += half;
  }
}

static void most_of(ig_tape *t, int p, double *value) {
  int64_t most = 0;
  for (int64_t k = 1; k <= t->steps; k++)
    if (t->reading[k * t->probes + p] > t->reading[most * t->probes + p])
      most = k;
  *value = t->reading[most * t->probes + p];
  t->weight[most * t->probes + p] = 1;
}

#ifdef INGOT_HAVE_IO
/* One column of a file: squares of differences to the readings of its probe. */
static ig_status column_misfit(ig_ctx *cx, ig_tape *t, const char *file, const ig_csv_table *csv,
                               int column, int time, double *value, int64_t *used) {
  char unit[IG_CSV_UNIT];
  int p;
  IG_TRY(probe_need(cx, t, csv->name[column], ig_csv_name(csv->name[column], unit), &p));
  for (int64_t r = 0; r < csv->rows; r++) {
    const double *row = csv->value + r * csv->columns;
    int64_t k;
    double share;
    if (isnan(row[column]))
      continue;
    if (!moment_find(t, row[time], &k, &share))
      return IG_FAIL(cx, IG_INPUT, "%s: row %lld is at %g s: the run is from 0 to %g s", file,
                     (long long)r + 1, row[time], t->time[t->steps]);
    const double apart = reading_at(t, p, k, share) - row[column];
    *value += apart * apart;
    weight_add(t, p, k, share, 2 * apart);
    ++*used;
  }
  return IG_OK;
}

static ig_status misfit_of(ig_ctx *cx, ig_tape *t, const char *file, double *value) {
  ig_csv_table csv = {0};
  char *text = NULL, unit[IG_CSV_UNIT];
  size_t size;
  int64_t used = 0;
  int time = -1;
  ig_status status;
  *value = 0;
  IG_TRY_GOTO(status, done, ig_file_read(cx, file, 0, &text, &size));
  IG_TRY_GOTO(status, done, ig_csv_table_parse(cx, text, &csv));
  for (int c = 0; c < csv.columns; c++)
    if (ig_csv_name(csv.name[c], unit) == 4 && strncmp(csv.name[c], "time", 4) == 0)
      time = c;
  if (time < 0)
    status = IG_FAIL(cx, IG_INPUT, "%s: no column `time`", file);
  for (int c = 0; c < csv.columns && status == IG_OK; c++)
    if (c != time)
      status = column_misfit(cx, t, file, &csv, c, time, value, &used);
  if (status == IG_OK && used == 0)
    status = IG_FAIL(cx, IG_INPUT, "%s: no values of probes", file);
done:
  ig_csv_table_free(&csv);
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
  IG_TRY(IG_NEW(cx, &t->weight, (size_t)(t->steps + 1) * (size_t)(t->probes ? t->probes : 1),
                "figure"));
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
    if (rest == at + 1 || !ig_unit_read(rest, &factor, problem, sizeof problem))
      return IG_FAIL(cx, IG_INPUT, "'%s': expected a time behind @, as in @0.5 s", figure);
    time *= factor.factor;
  }
  return at_time(cx, t, p, time, value);
}
