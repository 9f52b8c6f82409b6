/* Yield from a curve of load over displacement.

   The stiffness is that of the straight part: a line through the origin fitted to what lies below
   half the load at first yield, or a tenth of the highest load where that is more: what holds
   residual stress may yield at once. First yield is when the plastic field leaves what it was at
   the start (residual stress may bring some along), between two snapshots by the straight line
   through the two after it. The offset load is where the curve meets that line moved by offset x
   length. */
#include "chain/chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Keys of the figures, by which a report and the summary name them. */
const char *const ig_curve_keys[IG_CURVE_FIGURES] = {"stiffness", "first_yield", "offset_yield",
                                                     "highest_load"};

/* Straight between rows, level beyond them; t must not fall. With fewer than two rows the first. */
static double at_time(int n, const double *t, const double *y, double when) {
  int i = 1;
  while (i < n - 1 && t[i] < when)
    i++;
  if (n < 2 || !(t[i] > t[i - 1]))
    return y[0];
  const double s = fmin(fmax((when - t[i - 1]) / (t[i] - t[i - 1]), 0), 1);
  return (1 - s) * y[i - 1] + s * y[i];
}

/* When the material first yields, s; NaN: nothing yields. Reads every snapshot until two have
   plastic strain, so the time of yield is no multiple of the output interval. */
static ig_status yield_time(ig_ctx *cx, const char *folder, const char *field, double *time) {
  /* A tenth of a micrometre a metre: above the rounding of single precision, below any
     measurement. */
  const double least = 1e-7; /* plastic strain that counts */
  ig_series series;
  double first = 0;
  int start = 0; /* the last one before time goes on: a static analysis may come first */
  *time = NAN;
  IG_TRY(ig_series_read(cx, folder, &series));
  ig_status status = IG_OK;
  while (start + 1 < series.count && series.time[start + 1] == series.time[0])
    start++;
  for (int i = start; i < series.count && status == IG_OK; i++) {
    double most;
    status = ig_snapshot_most(cx, series.path[i], series.path[start], field, &most);
    if (status != IG_OK || most <= least)
      continue;
    /* The first snapshot with plastic strain; the second gives the rate at which it grows. */
    if (isnan(*time)) {
      *time = series.time[i];
      first = most;
      continue;
    }
    /* Back along the straight line through both to where it was zero, though not further than the
       last snapshot without any. */
    const double before = *time, grown = most - first;
    int k = i - 2;
    if (grown > 0)
      *time -= first * (series.time[i] - before) / grown;
    *time = fmax(*time, k >= 0 ? series.time[k] : 0);
    break;
  }
  ig_series_free(&series);
  return status;
}

/* All figures from history.csv and the snapshots. Columns may differ in length when a run was cut
   short: the rows they share count. */
ig_status ig_curve_read(ig_ctx *cx, const char *folder, const ig_curve_case *c, ig_curve *curve) {
  ig_column time = {0}, moved = {0}, load = {0};
  double *const figure = curve->value, when;
  *curve = (ig_curve){0};
  for (int i = 0; i < IG_CURVE_FIGURES; i++)
    figure[i] = NAN;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_column_read(cx, folder, "time", &time));
  IG_TRY_GOTO(status, done, ig_column_read(cx, folder, c->displacement, &moved));
  IG_TRY_GOTO(status, done, ig_column_read(cx, folder, c->force, &load));
  for (int i = 0; i < IG_CURVE_FIGURES; i++)
    snprintf(curve->unit[i], IG_UNIT_TEXT, i == IG_CURVE_STIFFNESS ? "%.10s/%.10s" : "%s",
             load.unit, moved.unit);
  const double *t = time.value;
  double *u = moved.value, *f = load.value;
  /* Rows that all three columns have. */
  int n = time.count < moved.count ? time.count : moved.count;
  n = load.count < n ? load.count : n;
  /* signs: pulling and pushing read alike */
  for (int i = 0; i < n; i++) {
    u[i] = fabs(u[i]);
    f[i] = fabs(f[i]);
    figure[IG_CURVE_HIGHEST] = fmax(f[i], figure[IG_CURVE_HIGHEST]); /* of a NaN the other */
  }
  IG_TRY_GOTO(status, done, yield_time(cx, folder, c->plastic, &when));
  if (!isnan(when))
    figure[IG_CURVE_FIRST] = at_time(n, t, f, when);
  const double straight =
      fmax(0.5 * (isnan(when) ? figure[IG_CURVE_HIGHEST] : figure[IG_CURVE_FIRST]),
           0.1 * figure[IG_CURVE_HIGHEST]);
  /* Least squares through the origin: stiffness = sum u f / sum u^2 over the straight part. */
  double uf = 0, uu = 0;
  int start = 0;
  while (start + 1 < n && t[start + 1] == t[0])
    start++;
  for (int i = start; i < n && f[i] <= straight; i++) {
    uf += u[i] * f[i];
    uu += u[i] * u[i];
  }
  if (uu > 0)
    figure[IG_CURVE_STIFFNESS] = uf / uu;
  /* Where the curve passes below the line moved by the offset, straight between two rows. */
  const double offset = c->offset * c->length;
  for (int i = 1; i < n && isnan(figure[IG_CURVE_OFFSET]); i++) {
    const double a = f[i - 1] - figure[IG_CURVE_STIFFNESS] * (u[i - 1] - offset),
                 b = f[i] - figure[IG_CURVE_STIFFNESS] * (u[i] - offset);
    if (u[i] > offset && a > 0 && b <= 0)
      figure[IG_CURVE_OFFSET] = f[i - 1] + a / (a - b) * (f[i] - f[i - 1]);
  }
done:
  free(time.value);
  free(moved.value);
  free(load.value);
  return status;
}
