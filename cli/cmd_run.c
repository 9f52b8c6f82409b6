/* ingot run, ingot check: a case, run or looked at. A case may be a YAML file, a chain, or a deck;
   what it is the library decides. */
#include "watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opens the case and applies the settings in order; on failure *c may be set, and the caller closes
   it. Used by threads of a sweep too, so it prints nothing. */
ig_status cli_case_read(ig_ctx *cx, const char *path, const ig_deck_options *deck,
                        const char *const *set, int sets, ig_case **c) {
  ig_status status = ig_deck_is(path) ? ig_deck_open(cx, path, deck, c) : ig_case_open(cx, path, c);
  for (int i = 0; i < sets && status == IG_OK; i++) {
    char key[CLI_MAX_KEY];
    const size_t length = strcspn(set[i], "=");
    snprintf(key, sizeof key, "%.*s", (int)length, set[i]);
    status = ig_case_set(*c, key, set[i] + length + (set[i][length] == '='));
  }
  return status;
}

/* Settings are checked first, as a malformed one is the command line's fault, not the case's.
   Collective: all ranks return the same. */
int cli_open_case(ig_ctx *cx, const cli_args *args, ig_case **c) {
  *c = NULL;
  for (int i = 0; i < args->set.count; i++) {
    /* A key of at least one letter, and a value that may be empty. */
    const size_t length = strcspn(args->set.item[i], "=");
    if (length > 0 && length < CLI_MAX_KEY && args->set.item[i][length])
      continue;
    if (cli_first())
      cli_error("--set '%s': expected KEY=VALUE, as in output.every=10", args->set.item[i]);
    return CLI_BAD_INPUT;
  }
  if (args->units && !ig_deck_is(args->words.item[0])) {
    if (cli_first())
      cli_error("--unit %s: expected a deck; numbers of a case carry their own units", args->units);
    return CLI_BAD_INPUT;
  }
  const ig_deck_options deck = {.lenient = args->lenient, .unit = args->units};
  const ig_status status =
      cli_case_read(cx, args->words.item[0], &deck, args->set.item, args->set.count, c);
  /* A rank that cannot read the case makes all of them stop. */
  return cli_result(cx, ig_ranks_agree(cx, status)); /* who cannot read it tells the others */
}

/* In the folder the program was started in, not beside the case, which may be read-only. */
void cli_usual_folder(const char *path, char *folder, size_t size) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  /* A name that begins with a dot has no ending. */
  const char *dot = strrchr(name, '.');
  snprintf(folder, size, "%.*s-out", dot && dot > name ? (int)(dot - name) : (int)strlen(name),
           name);
}

/* Figures for the lines at the end; more than these are in summary.json. */
enum { MAX_FIGURES = 256 };
typedef struct {
  int count;
  char label[MAX_FIGURES][64], value[MAX_FIGURES][128];
} figures;

/* A figure that comes again, as at each snapshot, replaces its former value. */
static void keep(void *user, const char *key, double value, const char *unit, const char *text) {
  figures *f = user;
  /* The list is short: a linear search by the key does. */
  int i = 0;
  while (i < f->count && strncmp(f->label[i], key, sizeof f->label[i] - 1) != 0)
    i++;
  if (i == MAX_FIGURES)
    return;
  f->count += i == f->count;
  snprintf(f->label[i], sizeof f->label[i], "%s", key);
  if (text)
    snprintf(f->value[i], sizeof f->value[i], "%s", text);
  else
    ig_figure_text(key, value, unit, f->value[i]);
}

/* Size, times, rate, memory and figures at the end of a run. Times in s, min or h; memory at its
   peak on host and device. */
static void show_stats(const ig_run_stats *s, const figures *f) {
  char text[256];
  snprintf(text, sizeof text, "%s elements, %s nodes, %s degrees of freedom",
           cli_count((double)s->elements), cli_count((double)s->nodes), cli_count((double)s->dofs));
  cli_line(NULL, "size", text);
  cli_line(NULL, "steps", cli_count((double)s->steps));
  snprintf(text, sizeof text, "%s: setup %s, solve %s, output %s", cli_duration(s->seconds_total),
           cli_duration(s->seconds_setup), cli_duration(s->seconds_solve),
           cli_duration(s->seconds_output));
  cli_line(NULL, "time", text);
  /* Rooms without a rate have 0 there. */
  if (s->element_steps_per_s > 0) {
    snprintf(text, sizeof text, "%s%s%s", cli_scaled(s->element_steps_per_s, cli_rate_unit()),
             s->bytes_per_s > 0 ? ", " : "",
             s->bytes_per_s > 0 ? cli_scaled(s->bytes_per_s, "B/s") : "");
    cli_line(NULL, "rate", text);
  }
  snprintf(text, sizeof text, "%s host, %s device", cli_scaled((double)s->host_peak, "B"),
           cli_scaled((double)s->device_peak, "B"));
  cli_line(NULL, "memory at most", text);
  if (f->count)
    cli_line(NULL, "-- figure",
             "-- at the end, or over all of the run (max, peak); in SI: summary.json");
  for (int i = 0; i < f->count; i++)
    cli_line(NULL, f->label[i], f->value[i]);
}

/* Within single quotes of a shell: a quote ends them, is escaped, and begins them anew. */
static void say_quoted(const char *text) {
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stderr);
    else
      fputc(*text, stderr);
}

/* Prints an argument, in two parts, as a shell takes it back: in quotes unless all its characters
   are harmless. */
static void say_word(const char *before, const char *word, const char *more) {
  /* Characters that no shell gives a meaning within a word. */
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+=./:,@%";
  const char *quote = word[strspn(word, plain)] ? "'" : "";
  fprintf(stderr, "%s%s", before, quote);
  say_quoted(word);
  fprintf(stderr, "%s%s", more, quote);
}

/* The same command, with --restart: so that going on is copy and paste. Nothing where a run ended
   before its first checkpoint. */
static void say_how_to_go_on(const cli_args *args, const char *out) {
  char checkpoint[4096];
  snprintf(checkpoint, sizeof checkpoint, "%.4000s/checkpoint.h5", out);
  if (access(checkpoint, R_OK) != 0)
    return;
  say_word("ingot: to go on: ingot run ", args->words.item[0], "");
  say_word(" --out ", out, "");
  say_word(" --restart ", out, "/checkpoint.h5");
  for (int i = 0; i < args->set.count; i++)
    say_word(" --set ", args->set.item[i], "");
  if (args->backend)
    say_word(" --backend ", args->backend, "");
  if (args->threads)
    fprintf(stderr, " --threads %d", args->threads);
  fputc('\n', stderr);
}

/* --report: the page of what was just run. Interrupting it loses nothing: the results are complete,
   and the message says how to write it later. */
static int report_after(const cli_args *args, ig_ctx *cx, const char *out, int code) {
  if (code != CLI_GOOD || !args->report || !cli_first())
    return code;
  /* The usual page, report.html in the folder. */
  const ig_status status = ig_report(cx, out, NULL);
  code = cli_result(cx, status);
  if (status == IG_INTERRUPTED)
    fprintf(stderr, "ingot: the results are complete: 'ingot report %s' writes the page\n", out);
  char text[600];
  snprintf(text, sizeof text, "%s/report.html", out);
  if (code == CLI_GOOD && !args->quiet)
    cli_line(NULL, "report", text);
  return code;
}

/* --join: the snapshots in one file, too. On the first rank only, which has all files. */
static int join_after(const cli_args *args, ig_ctx *cx, const char *out, int code) {
  if (code != CLI_GOOD || !args->join || !cli_first())
    return code;
  char text[600];
  snprintf(text, sizeof text, "%s/run.vtkhdf", out);
  code = cli_result(cx, ig_result_join(cx, out, text));
  if (code == CLI_GOOD && !args->quiet)
    cli_line(NULL, "all snapshots", text);
  return code;
}

/* A chain finds by itself what is complete, so there is nothing to restart from. Collective. */
static int run_chain(const cli_args *args, ig_ctx *cx, ig_case *c, const char *out) {
  if (args->restart) {
    if (cli_first())
      cli_error("chains resume automatically: omit --restart");
    return CLI_BAD_INPUT;
  }
  const ig_chain_options options = {.out = out,
                                    .stage = args->stage,
                                    .force = args->force,
                                    .line = args->quiet || !cli_first() ? NULL : cli_line};
  const ig_status status = ig_chain_run(c, &options);
  const int code = cli_result(cx, status);
  if (status == IG_INTERRUPTED && cli_first())
    fprintf(stderr, "ingot: the same command goes on from here\n");
  if (code == CLI_GOOD && !args->quiet && cli_first())
    cli_line(NULL, "results", out);
  return code;
}

/* Runs the case. The order matters: signals are caught only when there is a context that can write
   a checkpoint. Each step is passed over once the code is not good; what was opened is closed at
   the end in any case. Only the first rank prints. */
static int run_case(const cli_args *args) {
  char folder[512];
  cli_usual_folder(args->words.item[0], folder, sizeof folder);
  const char *out = args->out ? args->out : folder;
  ig_ctx *cx;
  ig_case *c;
  int code = cli_open(args->backend, args, &cx);
  if (code != CLI_GOOD)
    return code;
  code = cli_open_case(cx, args, &c);
  cli_catch_signals(CLI_KEEPS);
  if (code == CLI_GOOD)
    cli_ranks_show(cx);
  static figures f; /* large; a program runs one case */
  if (code == CLI_GOOD && ig_case_is_chain(c)) {
    code = run_chain(args, cx, c, out);
  } else if (code == CLI_GOOD && args->stage) {
    if (cli_first())
      cli_error("%s has no stages: leave out --stage", args->words.item[0]);
    code = CLI_BAD_INPUT;
  } else if (code == CLI_GOOD) {
    ig_run_stats stats;
    const ig_run_options options = {.out = out,
                                    .restart = args->restart,
                                    .force = args->force,
                                    .resume = args->resume,
                                    .stats = &stats,
                                    .figure = keep,
                                    .user = &f};
    /* Collective; an interruption is a status of its own, with a checkpoint written. */
    ig_status status = ig_run(c, &options);
    const bool designed = status == IG_OK; /* what is left is the analysis of a part */
    if (designed)
      status = ig_finish_after(c, &options);
    code = cli_result(cx, status);
    if (status == IG_INTERRUPTED && cli_first()) {
      if (designed)
        fprintf(stderr,
                "ingot: the run is complete: the same command with --resume does the rest\n");
      else
        say_how_to_go_on(args, out);
    }
    if (code == CLI_GOOD && !args->quiet && cli_first()) {
      if (stats.up_to_date)
        cli_line(NULL, "status", "up to date, nothing to do");
      else
        show_stats(&stats, &f);
      cli_line(NULL, "results", out);
    }
  }
  code = join_after(args, cx, out, code);
  code = report_after(args, cx, out, code);
  ig_case_close(c);
  cli_close(cx);
  return code;
}

/* The page's process is started before the run has threads or a GPU: neither survives a fork. */
static int run_run(const cli_args *args) {
  char folder[512];
  /* Without --watch the pid stays 0, and watch_end does nothing. */
  watcher w = {0};
  cli_usual_folder(args->words.item[0], folder, sizeof folder);
  if (args->watch && cli_first_copy() && /* one of them serves the page */
      watch_start(args->out ? args->out : folder, args->port, &w) != CLI_GOOD)
    return CLI_FAILED;
  const int code = run_case(args);
  watch_end(&w);
  return code;
}

/* Options of runs on several ranks have no effect without mpirun or srun. */
static const cli_option run_options[] = {
    CLI_BACKEND,
    CLI_THREADS,
    CLI_PARTITION,
    CLI_GPU_MPI,
    CLI_GPU_IPC,
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "DIR", NULL,
     "output folder; CASE-out in this folder if not given"},
    CLI_SET,
    {"restart", 'r', CLI_FILE, CLI_AT(restart), 0, "FILE", NULL,
     "go on from a checkpoint of the same case"},
    {"resume", 0, CLI_FLAG, CLI_AT(resume), 0, NULL, NULL,
     "finish what the output folder holds of this case: nothing to do if it is complete, on from "
     "its checkpoint, or from the start"},
    {"force", 0, CLI_FLAG, CLI_AT(force), 0, NULL, NULL,
     "with --restart or --stage: go on with results of a case that has changed since; replace "
     "files "
     "in the output folder that have the names of results but do not come from Ingot"},
    {"stage", 0, CLI_TEXT, CLI_AT(stage), 0, "NAME", NULL,
     "of a chain: run this stage alone, on what the stages before it have left"},
    {"join", 0, CLI_FLAG, CLI_AT(join), 0, NULL, NULL,
     "write run.vtkhdf when the run is done, as 'ingot result join' does: all snapshots, the mesh "
     "stored once, for ParaView 5.12 and later"},
    {"report", 0, CLI_FLAG, CLI_AT(report), 0, NULL, NULL,
     "write report.html when the run is done, as 'ingot report' does"},
    {"watch", 0, CLI_FLAG, CLI_AT(watch), 0, NULL, NULL,
     "show that page in the browser while it runs, as 'ingot watch' does"},
    {"port", 0, CLI_INT, CLI_AT(port), 0, "N", NULL,
     "of --watch: port on 127.0.0.1; one that is free if not given"},
    CLI_LENIENT,
    CLI_UNITS,
    CLI_QUIET,
    {0}};
const cli_command cli_run = {
    .name = "run",
    .words = "CASE",
    .least = 1,
    .most = 1,
    .about = "run a case (.yaml), or a deck of Abaqus or CalculiX (.inp)",
    .detail = "Writes into its output folder: snapshots (open snap.hdf.series in ParaView), "
              "history.csv, summary.json and checkpoint.h5. Ctrl-C finishes the step, writes a "
              "checkpoint and says how to go on; a second one, after a second, ends at once.\n"
              "A case with stages is a chain: they run one after the other, each into a folder of "
              "its own; what is done and up to date is not run again.",
    .options = run_options,
    .run = run_run,
};

/* Checks a case, and of a chain all its stages against the folder it would use. Nothing is written.
   Collective, like run. The folder is the usual one, as `check` has no --out: what it says of
   results is about that. */
static int check_run(const cli_args *args) {
  ig_ctx *cx;
  ig_case *c;
  int code = cli_open(args->backend, args, &cx);
  if (code != CLI_GOOD)
    return code;
  code = cli_open_case(cx, args, &c);
  char out[512];
  cli_usual_folder(args->words.item[0], out, sizeof out);
  if (code == CLI_GOOD)
    cli_ranks_show(cx);
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_case_is_chain(c) ? ig_chain_check(c, out, cli_line_first, NULL)
                                              : ig_check(c, cli_line_first, NULL));
  ig_case_close(c);
  cli_close(cx);
  return code;
}

static const cli_option check_options[] = {CLI_BACKEND, CLI_THREADS, CLI_PARTITION,
                                           CLI_GPU_MPI, CLI_GPU_IPC, CLI_SET,
                                           CLI_LENIENT, CLI_UNITS,   {0}};
const cli_command cli_check = {
    .name = "check",
    .words = "CASE.yaml",
    .least = 1,
    .most = 1,
    .about = "validate a case; print mesh, critical time step, memory; run nothing",
    .options = check_options,
    .run = check_run,
};
