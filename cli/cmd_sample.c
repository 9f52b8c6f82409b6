/* ingot sample: points of a space of keys, written as a sweep file. ingot sensitivity: the share of
   each key in the variance of the figures, from the results of such a sweep. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* plate.yaml -> plate-sample.yaml, in this folder. */
static void usual_file(const char *path, char *file, size_t size) {
  char folder[512];
  cli_usual_folder(path, folder, sizeof folder);
  snprintf(file, size, "%.*s-sample.yaml", (int)(strlen(folder) - strlen("-out")), folder);
}

static int sample_run(const cli_args *args) {
  static const char *const methods[] = {"lhs", "sobol", "random", "indices"};
  char file[600];
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  usual_file(args->words.item[0], file, sizeof file);
  const char *out = args->out ? args->out : file;
  ig_sample_options options = {.case_path = args->words.item[0],
                               .key = args->vary.item,
                               .keys = args->vary.count,
                               .method = IG_SAMPLE_LATIN,
                               .n = args->samples ? args->samples : 32,
                               .seed = (uint64_t)args->seed};
  for (int i = 0; i < 4 && args->method; i++)
    if (strcmp(args->method, methods[i]) == 0)
      options.method = (ig_sample_method)i;
  code = cli_result(cx, ig_sample(cx, &options, out, args->force));
  if (code == CLI_GOOD && !args->quiet) {
    const int runs = options.n * (options.method == IG_SAMPLE_INDICES ? options.keys + 2 : 1);
    printf("%d runs in %s: ingot sweep %s\n", runs, out, out);
  }
  cli_close(cx);
  return code;
}

static const cli_option sample_options[] = {
    {"key", 'k', CLI_REPEAT, CLI_AT(vary), 0, "KEY=A..B", NULL,
     "a key and its range; 'A..B log': its logarithm is uniform; 'M+-S': normal, mean and standard "
     "deviation; 'M+-S in A..B': the part of it between two bounds. The unit stands behind the "
     "last number. May be repeated"},
    {"method", 0, CLI_TEXT, CLI_AT(method), 0, "NAME", "lhs|sobol|random|indices",
     "Latin hypercube (lhs, if not given), Sobol sequence, independent points, or the N (keys + 2) "
     "runs that ingot sensitivity needs"},
    {"n", 'n', CLI_COUNT, CLI_AT(samples), 0, "N", NULL,
     "points, 32 if not given; of Sobol sequences best a power of 2"},
    {"seed", 0, CLI_INT, CLI_AT(seed), 0, "S", NULL,
     "other seeds give other points, the same one the same; 0 if not given"},
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "FILE", NULL,
     "the sweep file; CASE-sample.yaml in this folder if not given"},
    {"force", 0, CLI_FLAG, CLI_AT(force), 0, NULL, NULL, "replace the file"},
    CLI_QUIET,
    {0}};
const cli_command cli_sample = {
    .name = "sample",
    .words = "CASE.yaml",
    .least = 1,
    .most = 1,
    .about = "choose points in ranges of keys and write them as a sweep",
    .detail =
        "ingot sweep runs the file (docs/how-to/sweep.md). Every value is checked against the "
        "case before the file is written.",
    .options = sample_options,
    .run = sample_run,
};

/* A heading for each figure, a line for each key. */
static void row_show(void *user, const ig_sensitivity_row *r) {
  char *last = user, text[160];
  if (strcmp(last, r->figure) != 0) {
    snprintf(last, 256, "%s", r->figure);
    cli_line(NULL, last, "first order, 95 %            total, 95 %");
  }
  snprintf(text, sizeof text, "%6.3f (%6.3f to %6.3f)    %6.3f (%6.3f to %6.3f)", r->first,
           r->first_low, r->first_high, r->total, r->total_low, r->total_high);
  cli_line(NULL, r->key, text);
}

static int sensitivity_run(const cli_args *args) {
  char folder[512], text[600], last[256] = "";
  ig_sweep *sweep = NULL;
  ig_ctx *cx;
  int used = 0, code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  cli_usual_folder(args->words.item[0], folder, sizeof folder);
  const char *out = args->out ? args->out : folder;
  code = cli_result(cx, ig_sweep_open(cx, args->words.item[0], NULL, &sweep));
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_sensitivity(cx, sweep, out, args->figure,
                                         args->quiet ? NULL : row_show, last, &used));
  if (code == CLI_GOOD) {
    int missing = 0;
    for (int i = 0; i < ig_sweep_count(sweep); i++) {
      ig_sweep_run run;
      if (ig_sweep_at(sweep, i, &run) == IG_OK)
        missing += run.name[0] == 'a';
    }
    if (missing > used)
      cli_warning("%d of %d points are left out: not all of their runs are complete",
                  missing - used, missing);
    snprintf(text, sizeof text, "%s/sensitivity.csv", out);
    if (!args->quiet)
      cli_line(NULL, "table", text);
  }
  ig_sweep_close(sweep);
  cli_close(cx);
  return code;
}

static const cli_option sensitivity_options[] = {
    {"figure", 'f', CLI_TEXT, CLI_AT(figure), 0, "NAME", NULL,
     "figure of the results; all that vary if not given"},
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "DIR", NULL,
     "folder that the sweep has written into; FILE-out in this folder if not given"},
    CLI_QUIET,
    {0}};
const cli_command cli_sensitivity = {
    .name = "sensitivity",
    .words = "FILE.yaml",
    .least = 1,
    .most = 1,
    .about = "Sobol indices: which keys the variance of the figures comes from",
    .detail =
        "FILE is a sweep that ingot sample --method indices has made and ingot sweep has run. "
        "First order: the share of the variance that vanishes if the key is known; total: "
        "the share that remains if all others are. Intervals by the bootstrap. Also in "
        "DIR/sensitivity.csv.",
    .options = sensitivity_options,
    .run = sensitivity_run,
};
