/* ingot optimise: the numbers of a case for which a figure is least or greatest, by gradients. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bounds of each key, cut out of the arguments. */
typedef struct {
  char text[CLI_MAX_WORDS][2][64];
  const char *low[CLI_MAX_WORDS], *high[CLI_MAX_WORDS];
} bounds;

/* Empty: none. */
static const char *bound_cut(const char *from, const char *to, char text[64]) {
  while (from < to && *from == ' ')
    from++;
  snprintf(text, 64, "%.*s", (int)(to - from), from);
  return *text ? text : NULL;
}

/* "LOW:HIGH" for all keys, or "KEY=LOW:HIGH". */
static bool bounds_read(const cli_args *args, bounds *b) {
  for (int i = 0; i < args->bounds.count; i++) {
    const char *text = args->bounds.item[i], *is = strrchr(text, '='), *range = is ? is + 1 : text,
               *colon = strchr(range, ':');
    bool met = false;
    for (int k = 0; k < args->vary.count && colon && strlen(range) < 64; k++) {
      const size_t length = strlen(args->vary.item[k]);
      if (is && ((size_t)(is - text) != length || strncmp(text, args->vary.item[k], length) != 0))
        continue;
      met = true;
      b->low[k] = bound_cut(range, colon, b->text[k][0]);
      b->high[k] = bound_cut(colon + 1, range + strlen(range), b->text[k][1]);
    }
    if (!met) {
      cli_error("--bounds '%s': expected LOW:HIGH, or KEY=LOW:HIGH of a key that --wrt names, as "
                "in '50 W:400 W'",
                text);
      return false;
    }
  }
  return true;
}

static void step_show(void *user, const ig_optimum *now) {
  char head[40], text[120];
  (void)user;
  snprintf(head, sizeof head, "iteration %d", now->iterations);
  snprintf(text, sizeof text, "%.6g %s   gradient %.2e of the first", now->value, now->unit,
           now->gradient);
  cli_line(NULL, head, text);
  fflush(stdout);
}

static void text_write(void *user, const char *text) {
  fputs(text, user);
}

static int case_write(ig_ctx *cx, ig_case *c, const char *path) {
  FILE *file = fopen(path, "w");
  int code = file ? cli_result(cx, ig_case_print(c, text_write, file)) : CLI_FAILED;
  const bool bad = !file || ferror(file) | fclose(file);
  if (bad) {
    cli_error("%s: cannot be written", path);
    code = CLI_FAILED;
  }
  return code;
}

/* Value and standard error, SI; of a list nothing. */
static void key_show(const ig_case *c, const char *key, const double *error) {
  const char *value = ig_case_get(c, key);
  char text[120];
  if (!value)
    return;
  snprintf(text, sizeof text, error && !isnan(*error) ? "%-12.6g +- %.3g" : "%.9g",
           strtod(value, NULL), error ? *error : 0);
  if (error && isnan(*error))
    snprintf(text, sizeof text, "%-12.6g at a bound, or not determined", strtod(value, NULL));
  cli_line(NULL, key, text);
}

/* Keys that the data hardly tell apart. */
static void correlation_show(const cli_args *args, int i, int j, double r) {
  char text[300];
  if (!(fabs(r) > 0.9))
    return;
  snprintf(text, sizeof text, "%.2f between %s and %s", r, args->vary.item[j], args->vary.item[i]);
  cli_line(NULL, "correlation", text);
}

static int search(const cli_args *args, ig_ctx *cx, ig_case *c) {
  bounds b = {0};
  const int n = args->vary.count;
  ig_optimum end = {.reason = ""};
  char text[200];
  if (!bounds_read(args, &b))
    return CLI_BAD_INPUT;
  double *error = args->errors ? calloc((size_t)n * (size_t)(n + 1), sizeof *error) : NULL;
  if (args->errors && !error) {
    cli_error("no memory for the standard errors of %d keys", n);
    return CLI_FAILED;
  }
  const ig_optimise_options o = {.low = b.low,
                                 .high = b.high,
                                 .maximise = args->maximise,
                                 .iterations = args->samples,
                                 .tolerance = args->within,
                                 .step = args->quiet ? NULL : step_show,
                                 .deviation = error,
                                 .correlation = error ? error + n : NULL,
                                 .uncertainty = args->uncertainty};
  int code = cli_result(cx, ig_case_optimise(c, args->figure, args->vary.item, n, &o, &end));
  if (code != CLI_GOOD && !*end.reason) {
    free(error);
    return code;
  }
  if (!args->quiet) {
    snprintf(text, sizeof text, "%.8g %s, from %.8g (%+.3g %%), %d gradients: %s", end.value,
             end.unit, end.start, 100 * (end.value - end.start) / fabs(end.start), end.gradients,
             end.reason);
    cli_line(NULL, end.figure, text);
    for (int k = 0; k < n; k++)
      key_show(c, args->vary.item[k], error ? &error[k] : NULL);
    for (int i = 0; i < n && error; i++)
      for (int j = 0; j < i; j++)
        correlation_show(args, i, j, error[n + i * n + j]);
  }
  free(error);
  const int written = args->out ? case_write(cx, c, args->out) : CLI_GOOD;
  return code == CLI_GOOD ? written : code;
}

static int optimise_run(const cli_args *args) {
  return cli_with_figure(args, search);
}

static const cli_option optimise_options[] = {
    {"figure", 'f', CLI_TEXT, CLI_AT(figure), 0, "FIGURE", NULL,
     "what is made least, as 'ingot gradient' names it: variance(volume(1700 K), 4 mm^3)"},
    {"wrt", 'w', CLI_REPEAT, CLI_AT(vary), 0, "KEY", NULL,
     "a number of the case that may change, as in boundary[0].convection; beams[0].powers: the "
     "power of each piece of a path. May be repeated"},
    {"bounds", 0, CLI_REPEAT, CLI_AT(bounds), 0, "[KEY=]LOW:HIGH", NULL,
     "within which it stays, as in '50 W:400 W'; without KEY= for all keys. May be repeated"},
    {"maximise", 0, CLI_FLAG, CLI_AT(maximise), 0, NULL, NULL, "make it greatest"},
    {"iterations", 0, CLI_COUNT, CLI_AT(samples), 0, "N", NULL, "at most; 50 if not given"},
    {"within", 0, CLI_REAL, CLI_AT(within), 0, "SHARE", NULL,
     "end where the gradient is this share of the first; 1e-3 if not given"},
    {"errors", 0, CLI_FLAG, CLI_AT(errors), 0, NULL, NULL,
     "of a misfit: standard errors of the keys, by two more gradients each"},
    {"uncertainty", 0, CLI_REAL, CLI_AT(uncertainty), 0, "NUMBER", NULL,
     "of what was measured, SI; if not given, from the misfit that is left"},
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "FILE.yaml", NULL, "write the case with its new values"},
    CLI_SET,
    CLI_THREADS,
    CLI_QUIET,
    {0}};
const cli_command cli_optimise = {
    .name = "optimise",
    .words = "CASE.yaml",
    .least = 1,
    .most = 1,
    .about = "values of keys for which a figure is least, by gradients",
    .detail = "For cases and figures that have gradients (docs/how-to/gradients.md).",
    .options = optimise_options,
    .run = optimise_run,
};
