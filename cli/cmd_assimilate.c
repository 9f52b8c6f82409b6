/* ingot assimilate: runs of one case that follow measurements while they go on. */
#include "cli.h"
#include "sweep_member.h"

#include <stdio.h>

/* ig_analysis_fn: one line. */
static void analysis_show(void *user, const ig_analysis *a) {
  const cli_args *args = user;
  char label[40], text[200];
  if (args->quiet)
    return;
  snprintf(label, sizeof label, "%.6g s", a->time);
  if (a->data == 0)
    snprintf(text, sizeof text, "%d measurements, none where there is material", a->skipped);
  else
    snprintf(
        text, sizeof text,
        "%d measurements, off by %.3g before and %.3g %s after, spread %.3g and %.3g, fit %.2f",
        a->data, a->before, a->after, a->unit, a->spread_before, a->spread_after, a->fit);
  cli_line(NULL, label, text);
}

static int assimilate_run(const cli_args *args) {
  char folder[512];
  ig_ctx *cx;
  int code = cli_open(args->backend, args, &cx);
  if (code != CLI_GOOD)
    return code;
  cli_usual_folder(args->words.item[0], folder, sizeof folder);
  const char *out = args->out ? args->out : folder;
  const cli_places places = cli_places_count(args, args->backend ? args->backend : "auto");
  const ig_assimilate_options options = {.out = out,
                                         .force = args->force,
                                         .set = args->set.item,
                                         .sets = args->set.count,
                                         .backend = args->backend,
                                         .threads = args->threads,
                                         .jobs = places.jobs,
                                         .devices = places.devices,
                                         .analysed = analysis_show,
                                         .user = (void *)args};
  cli_catch_signals(CLI_KEEPS);
  code = cli_result(cx, ig_assimilate(cx, args->words.item[0], &options));
  if (code == CLI_GOOD && !args->quiet)
    cli_line(NULL, "result", out);
  cli_close(cx);
  return code;
}

static const cli_option options[] = {
    CLI_BACKEND,
    CLI_THREADS,
    CLI_SET,
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "DIR", NULL,
     "result folder; FILE-out in this folder if not given"},
    {"force", 0, CLI_FLAG, CLI_AT(force), 0, NULL, NULL,
     "replace files in DIR that nothing says are results of Ingot"},
    {"jobs", 'j', CLI_COUNT, CLI_AT(jobs), 0, "N", NULL,
     "members at a time; if not given, four per GPU, or one per CPU core"},
    CLI_QUIET,
    {0}};
const cli_command cli_assimilate = {
    .name = "assimilate",
    .words = "FILE.yaml",
    .least = 1,
    .most = 1,
    .about = "let runs of a case follow measurements, by an ensemble Kalman filter",
    .detail = "FILE names an ensemble (a sweep, as ingot sample writes one) and a table of "
              "measurements of a field at points and times (docs/how-to/assimilate.md). Mean and "
              "standard deviation of field, factors of loads and figures in DIR.",
    .options = options,
    .run = assimilate_run,
};
