/* ig_calibrate: reads the file, checks every case at the start, measures the noise where asked,
   fits, and makes the result of the last point.

   Unknowns u of the fit are keys in units of their ranges. Residuals are those of the figures,
   then one for each prior: (x - mean) / deviation. */
#include "chain/calibrate.h"
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/case_yaml.h"
#include "run/case.h"
#include <ingot/chain.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The fit under way: unknowns and residuals of its best point, and the memory of a batch. */
typedef struct {
  ig_cal *c;
  int n, m;
  double *low, *high, *size, *noise, *u, *r, *jacobian;
  double best; /* sum of squares at `u_best`, for what was interrupted */
  double *u_best, *r_best;
  bool started;    /* the first point has been asked for: its residuals are */
  double *r_start; /* NaN: it was interrupted */
} fitting;

/* --- unknowns and residuals */

static double unknown_of(const ig_cal_key *k, double x) {
  return (k->log ? log(x) : x) / k->width;
}

/* Bounds and start are met exactly. */
static double key_of(const ig_cal_key *k, double u) {
  const double known[] = {k->out.start, k->out.from, k->out.to};
  for (int i = 0; i < 3; i++)
    if (isfinite(known[i]) && fabs(u - unknown_of(k, known[i])) <= 0)
      return known[i];
  return k->log ? exp(u * k->width) : u * k->width;
}

/* A value of a figure in the unit of its measurement. */
static double in_unit(const ig_cal_figure *f, double si) {
  return (si - f->factor.offset) / f->factor.factor;
}

/* A row of residuals; false: one of the runs has failed. */
static bool residuals_of(const ig_cal *c, const double *x, const int *record, double *r) {
  int m = c->figures;
  for (int i = 0; i < c->figures; i++) {
    const ig_cal_figure *f = &c->figure[i];
    const ig_cal_record *o = &c->record[record[f->run]];
    if (!o->good || !isfinite(o->value[i]))
      return false;
    r[i] = (in_unit(f, o->value[i]) - f->out.measured) / f->deviation;
  }
  for (int k = 0; k < c->keys; k++)
    if (isfinite(c->key[k].out.prior))
      r[m++] = (x[k] - c->key[k].out.prior) / c->key[k].out.prior_deviation;
  return true;
}

/* One line about the first point of a batch. */
static void tell(const fitting *f, const double *x, double sum, bool good) {
  char text[600] = "";
  size_t length = 0;
  for (int k = 0; k < f->n && length < sizeof text - 120; k++)
    length += (size_t)ig_format(text + length, sizeof text - length, "%s%.80s = %.6g%s%.20s",
                                k ? ", " : "", f->c->key[k].out.key, x[k],
                                *f->c->key[k].unit ? " " : "", f->c->key[k].unit);
  if (good)
    ig_info(f->c->cx, "%d runs: sum of squares %.6g at %s", f->c->runs, sum, text);
  else
    ig_info(f->c->cx, "%d runs: failed at %s", f->c->runs, text);
}

/* ig_residuals_fn. */
static ig_status residuals(void *user, int count, const double *u, double *r, bool *good) {
  fitting *f = user;
  ig_cal *c = f->c;
  double *x = NULL;
  int *record = NULL;
  const int before = c->runs;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(c->cx, &x, count * f->n, "points"));
  IG_TRY_GOTO(status, done, IG_NEW(c->cx, &record, count * c->cases, "points"));
  for (int i = 0; i < count; i++)
    for (int k = 0; k < f->n; k++)
      x[i * f->n + k] = key_of(&c->key[k], u[i * f->n + k]);
  status = ig_cal_runs(c, count, x, record);
  if (status != IG_OK && status != IG_INTERRUPTED)
    goto done;
  for (int i = 0; i < count; i++) {
    double sum = 0;
    good[i] = residuals_of(c, x + i * f->n, record + i * c->cases, r + i * f->m);
    for (int k = 0; k < f->m && good[i]; k++)
      sum += r[i * f->m + k] * r[i * f->m + k];
    if (i == 0 && c->runs > before)
      tell(f, x, sum, good[i]);
    for (int k = 0; k < f->m && !f->started; k++)
      f->r_start[k] = good[i] ? r[k] : NAN;
    f->started = true;
    if (!good[i] || !(sum < f->best))
      continue;
    f->best = sum;
    memcpy(f->u_best, u + i * f->n, sizeof *u * (size_t)f->n);
    memcpy(f->r_best, r + i * f->m, sizeof *r * (size_t)f->m);
  }
done:
  free(x);
  free(record);
  return status;
}

/* --- before the fit */

/* Every case with the values of the start: what is wrong with the input is said before anything
   is run or written. */
static ig_status cases_check(ig_cal *c) {
  double x[IG_CAL_KEYS];
  for (int k = 0; k < c->keys; k++)
    x[k] = c->key[k].out.start;
  for (int i = 0; i < c->cases; i++) {
    ig_case *kase = NULL;
    ig_status status = ig_cal_case_open(c, c->quiet, i, x, &kase);
    if (status == IG_OK && !ig_case_is_chain(kase))
      status = ig_case_read(kase);
    ig_case_close(kase);
    if (status != IG_OK)
      return IG_FAIL(c->cx, status, "%s%s%s%s", ig_ctx_message(c->quiet),
                     *c->run[i].name ? " (case '" : "", c->run[i].name,
                     *c->run[i].name ? "')" : "");
  }
  return IG_OK;
}

/* What a difference in an unknown is a share of: its value, or where it is small the range. */
static void sizes_fill(const fitting *f) {
  for (int k = 0; k < f->n; k++)
    f->size[k] = f->c->key[k].log ? 1 / f->c->key[k].width : fmax(fabs(f->u[k]), 0.01);
}

/* The largest relative noise of any figure, from points in a row that are a thousandth apart: far
   enough to see the jumps of figures that are found at cells and steps, as melt pools are. A figure
   near 0 is only as good as its deviation: relative to itself, rounding would be noise. */
static ig_status noise_measure(fitting *f) {
  enum { POINTS = 8 };
  ig_cal *c = f->c;
  double x[POINTS * IG_CAL_KEYS], worst = 0;
  int *record = NULL;
  for (int p = 0; p < POINTS; p++)
    for (int k = 0; k < f->n; k++) {
      const double inward = f->u[k] + 0.01 * f->size[k] <= f->high[k] ? 1 : -1;
      x[p * f->n + k] = key_of(&c->key[k], f->u[k] + inward * 1e-3 * p * f->size[k]);
    }
  IG_TRY(IG_NEW(c->cx, &record, POINTS * c->cases, "points"));
  ig_status status = ig_cal_runs(c, POINTS, x, record);
  for (int i = 0; i < c->figures && status == IG_OK; i++) {
    double value[POINTS];
    for (int p = 0; p < POINTS; p++) {
      const ig_cal_record *o = &c->record[record[p * c->cases + c->figure[i].run]];
      value[p] = o->good ? o->value[i] : NAN;
    }
    const double least = c->figure[i].deviation * c->figure[i].factor.factor,
                 noise = ig_noise_of(POINTS, value) / fmax(fabs(value[0]), least);
    if (isfinite(noise))
      worst = fmax(worst, noise);
  }
  free(record);
  c->noise = fmin(fmax(worst, 1e-14), 1e-2);
  if (status == IG_OK && worst > 0)
    ig_info(c->cx, "the figures have a relative noise of %.2g", c->noise);
  return status;
}

/* Noise of each residual. An assumed noise is only used for the length of differences. */
static void noise_fill(const fitting *f) {
  const double noise = f->c->noise_given || f->c->noise_measured ? f->c->noise : 1e-10;
  for (int i = 0; i < f->c->figures; i++)
    f->noise[i] = noise * fmax(fabs(f->c->figure[i].out.measured) / f->c->figure[i].deviation, 1);
}

/* --- the result */

typedef struct {
  double *covariance, *correlation, *direction;
  bool fixed[IG_CAL_KEYS];
  ig_calibrated_key key[IG_CAL_KEYS];
  ig_calibrated_figure *figure;
} outcome;

/* dx / du. */
static double slope(const ig_cal_key *k, double x) {
  return k->log ? x * k->width : k->width;
}

/* Standard errors, covariance in the units of the keys, correlations, and which keys are not
   determined: those that change by more than their standard error along a direction that has no
   effect, as far as differences can tell. */
static void statistics(const fitting *f, bool stopped, outcome *o, ig_calibration *result) {
  const int n = f->n;
  const ig_cal *c = f->c;
  int loose = 0;
  for (int k = 0; k < n; k++) {
    ig_calibrated_key *key = &o->key[k];
    key->bound = key->value <= key->from ? -1 : key->value >= key->to ? 1 : 0;
    o->fixed[k] = key->bound != 0;
    key->determined = true;
    key->deviation = NAN;
    loose += !o->fixed[k];
  }
  result->freedom = f->m - loose;
  for (int i = 0; i < n * n && stopped; i++)
    o->covariance[i] = o->correlation[i] = NAN;
  if (stopped)
    return; /* the differences are not those of this point */
  result->undetermined = ig_fit_covariance(
      f->m, n, f->jacobian, o->fixed, fmax(2 * sqrt(c->noise), 1e-7), o->covariance, o->direction);
  result->undetermined = result->undetermined < 0 ? 0 : result->undetermined;
  result->freedom = f->m - (loose - result->undetermined);
  const double scale = c->uncertain ? 1 : result->freedom > 0 ? result->sum / result->freedom : NAN;
  for (int k = 0; k < n; k++) {
    ig_calibrated_key *key = &o->key[k];
    const double along = slope(&c->key[k], key->value);
    key->deviation = o->fixed[k] ? NAN : sqrt(scale * o->covariance[k * n + k]) * along;
    key->determined = true;
    for (int d = 0; d < result->undetermined; d++) {
      const double change = fabs(o->direction[d * n + k]);
      key->determined &= change < 1e-4 || change * along < key->deviation;
    }
    if (!key->determined)
      key->deviation = NAN;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const bool known = o->key[i].determined && o->key[j].determined;
      const double d = sqrt(o->covariance[i * n + i] * o->covariance[j * n + j]);
      o->correlation[i * n + j] = i == j   ? 1
                                  : !known ? NAN
                                  : d > 0  ? o->covariance[i * n + j] / d
                                           : 0;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      o->covariance[i * n + j] *=
          o->key[i].determined && o->key[j].determined
              ? scale * slope(&c->key[i], o->key[i].value) * slope(&c->key[j], o->key[j].value)
              : NAN;
}

/* The computed figures are those of the residuals. */
static void figures_fill(const fitting *f, outcome *o) {
  for (int i = 0; i < f->c->figures; i++) {
    const ig_cal_figure *from = &f->c->figure[i];
    o->figure[i] = from->out;
    o->figure[i].computed = from->out.measured + f->r[i] * from->deviation;
    o->figure[i].at_start = from->out.measured + f->r_start[i] * from->deviation;
    o->figure[i].residual =
        isfinite(from->out.uncertainty)
            ? f->r[i]
            : (o->figure[i].computed - from->out.measured) / fabs(from->out.measured);
  }
}

static ig_status finish(const fitting *f, const ig_fit_result *end, ig_status status) {
  ig_cal *c = f->c;
  outcome o = {0};
  const size_t nn = (size_t)f->n * (size_t)f->n;
  ig_calibration result = {
      .file = c->file,
      .title = c->title,
      .status = status != IG_OK                ? "interrupted"
                : end->end < IG_FIT_ITERATIONS ? "converged"
                                               : "not converged",
      .reason = ig_fit_end_text(end->end),
      .keys = f->n,
      .figures = c->figures,
      .sum = end->sum,
      .from_residuals = !c->uncertain,
      .noise = c->noise,
      .iterations = end->iterations,
      .runs = c->runs,
      .failed = c->failed,
      .kept = c->kept,
  };
  IG_TRY_GOTO(status, done, IG_NEW(c->cx, &o.covariance, 3 * nn, "covariance"));
  IG_TRY_GOTO(status, done, IG_NEW(c->cx, &o.figure, c->figures, "figures"));
  o.correlation = o.covariance + nn;
  o.direction = o.covariance + 2 * nn;
  for (int k = 0; k < f->n; k++) {
    o.key[k] = c->key[k].out;
    o.key[k].value = key_of(&c->key[k], f->u[k]);
  }
  statistics(f, end->end == IG_FIT_STOPPED, &o, &result);
  figures_fill(f, &o);
  result.key = o.key;
  result.figure = o.figure;
  result.covariance = o.covariance;
  result.correlation = o.correlation;
  result.direction = o.direction;
  if (c->o->out)
    status = ig_cal_store(c, &result);
  if (c->o->done && status == IG_OK)
    c->o->done(c->o->user, &result);
done:
  free(o.covariance);
  free(o.figure);
  return status;
}

/* --- the fit */

/* With the message of the last run that failed. */
static ig_status no_runs(const ig_cal *c, const ig_fit_result *end) {
  int i = c->records - 1;
  while (i > 0 && c->record[i].good)
    i--;
  return IG_FAIL(c->cx, c->record[i].status, "%s%s%s: %s", ig_fit_end_text(end->end),
                 end->lost >= 0 ? ", by " : "", end->lost >= 0 ? c->key[end->lost].out.key : "",
                 c->record[i].message);
}

static ig_status fit(fitting *f) {
  ig_cal *c = f->c;
  ig_fit fit = {.n = f->n,
                .m = f->m,
                .low = f->low,
                .high = f->high,
                .noise = f->noise,
                .size = f->size,
                .tolerance = c->tolerance,
                .iterations = (int)c->iterations,
                .ahead = c->o->jobs != 1,
                .residuals = residuals,
                .user = f};
  ig_fit_result end = {.u = f->u, .r = f->r, .jacobian = f->jacobian};
  ig_status status = c->noise_measured ? noise_measure(f) : IG_OK;
  noise_fill(f);
  fit.relative_noise = c->noise;
  /* What rounding and noise leave of residuals that could be zero. */
  for (int i = 0; i < c->figures; i++) {
    const double left = fmax(f->noise[i], 1e-3 * c->tolerance);
    fit.floor += left * left / f->m;
  }
  fit.floor = sqrt(fit.floor);
  if (status == IG_OK)
    status = ig_fit_run(c->cx, &fit, &end);
  if (status == IG_OK && (end.end == IG_FIT_NO_START || end.end == IG_FIT_NO_GRADIENT))
    status = no_runs(c, &end);
  if (status == IG_INTERRUPTED && isfinite(f->best)) {
    /* The best point may be one whose differences are not there yet: those of the last stay. */
    memcpy(f->u, f->u_best, sizeof *f->u * (size_t)f->n);
    memcpy(f->r, f->r_best, sizeof *f->r * (size_t)f->m);
    end.sum = f->best;
  }
  if (status == IG_OK || (status == IG_INTERRUPTED && isfinite(f->best))) {
    const ig_status finished = finish(f, &end, status);
    status = finished == IG_OK ? status : finished;
  }
  return status;
}

static ig_status fit_all(ig_cal *c) {
  fitting f = {.c = c, .n = c->keys, .m = c->figures + c->priors, .best = INFINITY};
  const size_t n = (size_t)f.n, m = (size_t)f.m;
  double *space;
  IG_TRY(IG_NEW(c->cx, &space, 5 * n + 4 * m + m * n, "a fit"));
  f.low = space;
  f.high = f.low + n;
  f.size = f.high + n;
  f.u = f.size + n;
  f.u_best = f.u + n;
  f.noise = f.u_best + n;
  f.r = f.noise + m;
  f.r_best = f.r + m;
  f.r_start = f.r_best + m;
  f.jacobian = f.r_start + m;
  for (int k = 0; k < f.n; k++) {
    const ig_calibrated_key *o = &c->key[k].out;
    f.low[k] = isfinite(o->from) ? unknown_of(&c->key[k], o->from) : -INFINITY;
    f.high[k] = isfinite(o->to) ? unknown_of(&c->key[k], o->to) : INFINITY;
    f.u[k] = unknown_of(&c->key[k], o->start);
  }
  sizes_fill(&f);
  const ig_status status = fit(&f);
  free(space);
  return status;
}

ig_status ig_is_calibration(ig_ctx *cx, const char *path, bool *is) {
  ig_arena *arena;
  ig_node *root = NULL;
  if (!cx || !path || !is)
    return IG_ARG;
  IG_TRY(ig_arena_new(cx, &arena));
  const ig_status status = ig_yaml_open(cx, arena, path, &root);
  *is = root && (ig_node_find(root, "keys") ||
                 (ig_node_find(root, "figures") && !ig_node_find(root, "vary") &&
                  !ig_node_find(root, "runs")));
  ig_arena_free(arena);
  return status;
}

static ig_status calibrate(ig_cal *c, const char *path) {
  IG_TRY(ig_arena_new(c->cx, &c->arena));
  IG_TRY(ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &c->quiet));
  IG_TRY(ig_cal_read(c, path));
  IG_TRY(cases_check(c));
  if (c->o->out && c->o->resume)
    IG_TRY(ig_cal_records_read(c));
  return fit_all(c);
}

ig_status ig_calibrate(ig_ctx *cx, const char *path, const ig_calibrate_options *options) {
  static const ig_calibrate_options none = {0};
  if (!cx)
    return IG_ARG;
  if (!path)
    return IG_FAIL(cx, IG_ARG, "no path of a calibration is given");
  ig_cal c = {.cx = cx, .o = options ? options : &none};
  const ig_status status = calibrate(&c, path);
  for (int i = 0; i < c.records; i++)
    free(c.record[i].value);
  free(c.record);
  ig_ctx_close(c.quiet);
  ig_arena_free(c.arena);
  return status;
}
