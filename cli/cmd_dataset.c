/* ingot dataset: inputs, figures and fields of all runs of a sweep in one HDF5 file. */
#include "cli.h"

#include <inttypes.h>

static int dataset_run(const cli_args *args) {
  char folder[512], text[700];
  ig_sweep *sweep = NULL;
  ig_dataset_info info = {0};
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  cli_usual_folder(args->words.item[0], folder, sizeof folder);
  const char *out = args->out ? args->out : folder;
  const ig_dataset_options options = {.file = args->file,
                                      .field = args->fields.item,
                                      .fields = args->fields.count,
                                      .tables = args->tables,
                                      .last = args->last};
  const ig_sweep_options varied = {.vary = args->vary.item,
                                   .varied = args->vary.count,
                                   .set = args->set.item,
                                   .sets = args->set.count};
  code = cli_result(cx, ig_sweep_open(cx, args->words.item[0], &varied, &sweep));
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_dataset(cx, sweep, out, &options, &info));
  if (code == CLI_GOOD && info.complete < info.runs)
    cli_warning("%d of %d runs are not complete: they have a row without figures and fields",
                info.runs - info.complete, info.runs);
  if (code == CLI_GOOD && !args->quiet) {
    snprintf(text, sizeof text, "%d x %d inputs, %d figures", info.runs, info.inputs, info.figures);
    cli_line(NULL, "runs", text);
    snprintf(text, sizeof text,
             "%d, up to %" PRId64 " snapshots of %" PRId64 " points and %" PRId64 " cells",
             info.fields, info.snapshots, info.points, info.cells);
    cli_line(NULL, "fields", text);
    snprintf(text, sizeof text, "%s%s", args->file ? args->file : out,
             args->file ? "" : "/dataset.h5");
    cli_line(NULL, "data set", text);
  }
  ig_sweep_close(sweep);
  cli_close(cx);
  return code;
}

static const cli_option dataset_options[] = {
    {"field", 'f', CLI_REPEAT, CLI_AT(fields), 0, "NAME", NULL,
     "field of the snapshots; all if not given; may be repeated"},
    {"last", 0, CLI_FLAG, CLI_AT(last), 0, NULL, NULL, "of each run its last snapshot only"},
    {"tables", 0, CLI_FLAG, CLI_AT(tables), 0, NULL, NULL, "inputs and figures only, no fields"},
    {"vary", 'v', CLI_REPEAT, CLI_AT(vary), 0, "KEY=V1,V2,…", NULL,
     "as the sweep was given it on the command line"},
    CLI_SET,
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "DIR", NULL,
     "folder that the sweep has written into; FILE-out in this folder if not given"},
    {"file", 0, CLI_FILE, CLI_AT(file), 0, "FILE.h5", NULL,
     "the data set; DIR/dataset.h5 if not given"},
    CLI_QUIET,
    {0}};
const cli_command cli_dataset = {
    .name = "dataset",
    .words = "FILE.yaml",
    .least = 1,
    .most = 1,
    .about = "write inputs, figures and fields of a sweep's runs into one HDF5 file",
    .detail = "FILE is a sweep that ingot sweep has run. Arrays of the file: runs x inputs, runs x "
              "figures, and of each field runs x snapshots x points or cells x components "
              "(docs/how-to/dataset.md). Fields need the same points in all runs.",
    .options = dataset_options,
    .run = dataset_run,
};
