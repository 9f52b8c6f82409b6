/* ingot calibrate: the values of keys for which figures of the results are what was measured. A
   calibration file has any number of both, and the library fits it (ig_calibrate).

   One key and one figure can be given by options instead: the secant method on figure(key) -
   target; the first step assumes that the figure is proportional to the key. Each evaluation is a
   whole run without output. */
#include "sweep_member.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The figure that is looked for, and what was found. */
typedef struct {
  const char *key;
  bool found;
  double value;
  char unit[32];
} wanted;

/* Called for every figure of a run; a figure that comes several times keeps its last value. Texts
   are passed over. */
static void look(void *user, const char *key, double value, const char *unit, const char *text) {
  wanted *w = user;
  if (text || strcmp(key, w->key) != 0)
    return;
  w->found = true;
  w->value = value;
  snprintf(w->unit, sizeof w->unit, "%s", unit);
}

/* One run with this value of the key, in the unit that the case gives it. */
static int trial(const cli_args *args, ig_ctx *cx, double x, const char *unit, wanted *w) {
  char text[100];
  ig_case *c;
  snprintf(text, sizeof text, "%.17g%s", x, unit);
  int code = cli_open_case(cx, args, &c);
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_case_set(c, args->key, text));
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_run(c, &(ig_run_options){.figure = look, .user = w}));
  ig_case_close(c);
  /* A figure that is not there would never come near its target: the name is wrong. */
  if (code == CLI_GOOD && !w->found) {
    cli_error("the result has no figure '%s': see summary.json of a run", w->key);
    code = CLI_BAD_INPUT;
  }
  if (code == CLI_GOOD)
    printf("%s = %.8g%s: %s = %.8g %s\n", args->key, x, unit, w->key, w->value, w->unit);
  fflush(stdout);
  return code;
}

/* What the case says, with its unit, or 1. */
static int start_of(const cli_args *args, ig_ctx *cx, double *x, char unit[50]) {
  ig_case *c;
  int code = cli_open_case(cx, args, &c);
  const char *text = code == CLI_GOOD ? ig_case_get(c, args->key) : NULL;
  char *rest = NULL;
  *x = text ? strtod(text, &rest) : 1;
  snprintf(unit, 50, "%s", text ? rest : "");
  if (text && rest == text) {
    cli_error("'%s' is '%s' in this case, no number", args->key, text);
    code = CLI_BAD_INPUT;
  }
  if (*x == 0)
    *x = 1;
  ig_case_close(c);
  return code;
}

/* Where a line through two trials meets the target: of logarithms where all have one sign, so that
   any power of the key is met at once, and a modulus does not become negative. */
static double secant(double x0, double y0, double x1, double y1, double target) {
  if (x0 * x1 > 0 && y0 * y1 > 0 && target * y1 > 0)
    return x1 * exp(log(target / y1) * log(x1 / x0) / log(y1 / y0));
  return x1 - (y1 - target) * (x1 - x0) / (y1 - y0);
}

static int calibrate(const cli_args *args, ig_ctx *cx) {
  enum { MOST = 15 };
  wanted w = {.key = args->figure};
  char unit[50] = "";
  double x, before = 0, x_before = 0;
  const double within = args->within > 0 ? args->within : 1e-3;
  int code = start_of(args, cx, &x, unit);
  for (int i = 0; code == CLI_GOOD && i < MOST; i++) {
    code = trial(args, cx, x, unit, &w);
    if (code != CLI_GOOD)
      return code;
    const double off = w.value - args->target;
    if (fabs(off) <= within * fabs(args->target)) {
      printf("%s: %.8g%s\n", args->key, x, unit);
      return CLI_GOOD;
    }
    /* a figure that has reached its limit (material that yields) would send the secant far away */
    if (i > 0 && fabs((w.value - before) / before) < 0.05 * fabs((x - x_before) / x_before)) {
      cli_error("'%s' hardly follows '%s': %g gives %g, %g gives %g. An inherent strain above the "
                "yield strain changes little where material yields: calibrate with `law: elastic`",
                args->figure, args->key, x_before, before, x, w.value);
      return CLI_FAILED;
    }
    double next = i == 0 ? x * args->target / w.value /* as if it were in proportion */
                         : secant(x_before, before, x, w.value, args->target);
    if (!isfinite(next) || next == x)
      break;
    before = w.value;
    x_before = x;
    x = next;
  }
  if (code == CLI_GOOD) {
    cli_error("'%s' does not come to %g by changing '%s': does it depend on it?", args->figure,
              args->target, args->key);
    code = CLI_FAILED;
  }
  return code;
}

/* --- a calibration file */

/* "203.4 ± 1.2 GPa", or why there is no error. */
static void key_show(const ig_calibrated_key *k) {
  char text[200];
  const char *space = *k->unit ? " " : "";
  if (k->bound)
    snprintf(text, sizeof text, "%.6g%s%s, at the bound '%s'", k->value, space, k->unit,
             k->bound < 0 ? "from" : "to");
  else if (!k->determined)
    snprintf(text, sizeof text, "%.6g%s%s, not determined by the figures", k->value, space,
             k->unit);
  else if (isnan(k->deviation))
    snprintf(text, sizeof text, "%.6g%s%s", k->value, space, k->unit);
  else
    snprintf(text, sizeof text, "%.6g%s%s, standard error %.2g%s%s", k->value, space, k->unit,
             k->deviation, space, k->unit);
  cli_line(NULL, k->key, text);
}

static void figure_show(const ig_calibrated_figure *f) {
  char label[200], text[200], time[40] = "";
  if (!isnan(f->time))
    snprintf(time, sizeof time, " at %g s", f->time);
  snprintf(label, sizeof label, "%s%s%s%s", f->run, *f->run ? "/" : "", f->figure, time);
  const char *space = *f->unit ? " " : "";
  if (isfinite(f->uncertainty))
    snprintf(text, sizeof text, "%.6g%s%s, measured %.6g ± %.2g%s%s (%+.2f)", f->computed, space,
             f->unit, f->measured, f->uncertainty, space, f->unit, f->residual);
  else
    snprintf(text, sizeof text, "%.6g%s%s, measured %.6g%s%s (%+.3g %%)", f->computed, space,
             f->unit, f->measured, space, f->unit, 100 * f->residual);
  cli_line(NULL, label, text);
}

/* "k and h together", by their shares of a direction. */
static void direction_show(const ig_calibration *c, const double *direction) {
  char text[600] = "";
  size_t length = 0;
  for (int k = 0; k < c->keys && length + 140 < sizeof text; k++)
    if (fabs(direction[k]) >= 1e-3)
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%+.3g %.100s",
                                 length ? ", " : "", direction[k], c->key[k].key);
  cli_line(NULL, "undetermined", text);
}

/* ig_calibration_fn: the tables. */
static void calibrated(void *user, const ig_calibration *c) {
  char text[200];
  (void)user;
  cli_progress_end();
  printf("%s: %s\n", c->status, c->reason);
  for (int k = 0; k < c->keys; k++)
    key_show(&c->key[k]);
  for (int i = 0; i < c->keys; i++)
    for (int j = 0; j < i; j++)
      if (fabs(c->correlation[i * c->keys + j]) > 0.9) {
        snprintf(text, sizeof text, "%.3f: %.70s, %.70s", c->correlation[i * c->keys + j],
                 c->key[j].key, c->key[i].key);
        cli_line(NULL, "correlation", text);
      }
  for (int d = 0; d < c->undetermined; d++)
    direction_show(c, c->direction + d * c->keys);
  for (int i = 0; i < c->figures; i++)
    figure_show(&c->figure[i]);
  snprintf(text, sizeof text, "%.6g, %d degrees of freedom", c->sum, c->freedom);
  cli_line(NULL, "sum of squares", text);
  snprintf(text, sizeof text, "%d, %d failed, %d kept from before, %d iterations", c->runs,
           c->failed, c->kept, c->iterations);
  cli_line(NULL, "runs", text);
  if (!c->from_residuals && c->freedom > 0 && c->sum > c->freedom + 3 * sqrt(2.0 * c->freedom))
    cli_warning("the figures are not met within their uncertainties: the sum of squares should be "
                "near %d. The model or an uncertainty is wrong, and standard errors are too small",
                c->freedom);
}

static int calibrate_file(const cli_args *args, ig_ctx *cx) {
  char folder[512], text[600];
  cli_usual_folder(args->words.item[0], folder, sizeof folder);
  const char *out = args->out ? args->out : folder;
  const cli_places places = cli_places_count(args, args->backend ? args->backend : "auto");
  const ig_calibrate_options options = {.out = out,
                                        .set = args->set.item,
                                        .sets = args->set.count,
                                        .resume = args->resume,
                                        .backend = args->backend,
                                        .threads = args->threads,
                                        .jobs = places.jobs,
                                        .devices = places.devices,
                                        .done = calibrated};
  const int code = cli_result(cx, ig_calibrate(cx, args->words.item[0], &options));
  snprintf(text, sizeof text, "%s/calibration.json", out);
  if (code == CLI_GOOD)
    cli_line(NULL, "result", text);
  return code;
}

/* --- the command */

/* A target of zero has no relative tolerance and no first step, so it is refused. Results of the
   trials are not written: only the figure is taken from each. */
static int calibrate_run(const cli_args *args) {
  ig_ctx *cx;
  int code = cli_open(args->backend, args, &cx);
  if (code != CLI_GOOD)
    return code;
  const bool one = args->key || args->figure || args->given_target;
  bool file = false;
  if (!one)
    code = cli_result(cx, ig_is_calibration(cx, args->words.item[0], &file));
  if (code != CLI_GOOD) {
    cli_close(cx);
    return code;
  }
  if (!file && (!args->key || !args->figure || !args->given_target || args->target == 0)) {
    cli_error("calibrate needs a file with 'keys' and 'figures', or a case with --key, --figure "
              "and --target (not 0)");
    cli_close(cx);
    return CLI_BAD_INPUT;
  }
  /* An interruption ends the runs at hand and with them the search. */
  cli_catch_signals(CLI_KEEPS);
  code = file ? calibrate_file(args, cx) : calibrate(args, cx);
  cli_close(cx);
  return code;
}

/* The three that are required are checked in calibrate_run, as tables know no required options. */
static const cli_option options[] = {
    CLI_BACKEND,
    CLI_THREADS,
    CLI_SET,
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "DIR", NULL,
     "of a calibration file: folder for calibration.json and runs.csv; FILE-out in this folder if "
     "not given"},
    {"jobs", 'j', CLI_COUNT, CLI_AT(jobs), 0, "N", NULL,
     "of a calibration file: runs at a time; if not given, four per GPU, or one per CPU core"},
    {"resume", 0, CLI_FLAG, CLI_AT(resume), 0, NULL, NULL,
     "of a calibration file: take runs from DIR/runs.csv instead of running them again"},
    {"key", 'k', CLI_TEXT, CLI_AT(key), 0, "KEY", NULL,
     "number of the case that is changed, as in inherent_scale"},
    {"figure", 'f', CLI_TEXT, CLI_AT(figure), 0, "NAME", NULL,
     "figure of the result (summary.json) that was measured, as in a probe's name"},
    {"target", 0, CLI_REAL, CLI_AT(target), CLI_AT(given_target), "X", NULL,
     "what was measured, in SI units"},
    {"within", 0, CLI_REAL, CLI_AT(within), 0, "SHARE", NULL,
     "how close is close enough; 0.001 if not given"},
    CLI_QUIET,
    {0}};
const cli_command cli_calibrate = {
    .name = "calibrate",
    .words = "FILE.yaml",
    .least = 1,
    .most = 1,
    .about = "find the values of keys for which figures of results are what was measured",
    .detail =
        "FILE is a calibration file: cases, keys with ranges, measured figures with uncertainties "
        "(docs/how-to/calibrate.md). Least squares, runs side by side; values with standard "
        "errors, correlations and residuals in DIR/calibration.json. Ctrl-C keeps the best so "
        "far. Or FILE is a case, with --key, --figure and --target: one key by the secant method; "
        "writes no results. The inherent strain of a print from one measured deflection: --key "
        "inherent_scale --figure tip --target 1.2e-3.",
    .options = options,
    .run = calibrate_run,
};
