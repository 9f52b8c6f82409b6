/* ingot calibrate: the value of one key for which a figure of the result is what was measured. The
   secant method on figure(key) - target; the first step assumes that the figure is proportional to
   the key. Each evaluation is a whole run without output. */
#include "cli.h"

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

/* A target of zero has no relative tolerance and no first step, so it is refused. Results of the
   trials are not written: only the figure is taken from each. */
static int calibrate_run(const cli_args *args) {
  ig_ctx *cx;
  if (!args->key || !args->figure || !args->given_target || args->target == 0) {
    cli_error("calibrate needs --key, --figure and --target (not 0)");
    return CLI_BAD_INPUT;
  }
  int code = cli_open(args->backend, args, &cx);
  if (code != CLI_GOOD)
    return code;
  /* An interruption ends the run at hand and with it the search. */
  cli_catch_signals();
  code = calibrate(args, cx);
  cli_close(cx);
  return code;
}

/* The three that are required are checked in calibrate_run, as tables know no required options. */
static const cli_option options[] = {
    CLI_BACKEND,
    CLI_THREADS,
    CLI_SET,
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
    .words = "CASE.yaml",
    .least = 1,
    .most = 1,
    .about = "find the value of one key for which a figure of the result is what was measured",
    .detail =
        "Runs the case again and again, by the secant method; writes no results. The inherent "
        "strain of a print from one measured deflection: --key inherent_scale --figure tip "
        "--target 1.2e-3.",
    .options = options,
    .run = calibrate_run,
};
