/* ingot upgrade: case files of earlier versions with the words of this one. The library finds and
   replaces the words; see src/chain/upgrade.c. */
#include "cli.h"

/* A line for each word, in the form that editors jump to. */
static void tell(void *user, const ig_renamed_word *w) {
  const cli_args *args = user;
  if (!args->quiet)
    printf("%s:%d:%d: '%s' is called '%s' now\n", w->file, w->line, w->column, w->was, w->now);
}

/* Files are independent: one that fails does not keep the others from being rewritten. The worst
   exit code counts. With --check the exit code 1 says that something would be rewritten. */
static int upgrade_run(const cli_args *args) {
  ig_ctx *cx;
  int found = 0;
  if (args->out && args->words.count > 1) {
    cli_error("--out is for one file: give one, or leave it out to rewrite all in place");
    return CLI_BAD_INPUT;
  }
  if (args->out && args->check) {
    cli_error("--check writes nothing: leave --out out");
    return CLI_BAD_INPUT;
  }
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  for (int i = 0; i < args->words.count; i++) {
    const char *path = args->words.item[i], *to = args->out ? args->out : path;
    int words = 0;
    /* With --check nothing is written; words are only counted. */
    const int one = cli_result(
        cx, ig_case_upgrade(cx, path, args->check ? NULL : to, tell, (void *)args, &words));
    code = one > code ? one : code;
    found += words;
  }
  cli_close(cx);
  return code == CLI_GOOD && args->check && found ? CLI_FAILED : code;
}

/* --check is for scripts that must not change anything. */
static const cli_option upgrade_options[] = {
    {"check", 'c', CLI_FLAG, CLI_AT(check), 0, NULL, NULL,
     "write nothing; exit code 1 if a file has old words"},
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "FILE", NULL,
     "write there and leave the file as it is; for one file"},
    CLI_QUIET,
    {0}};
const cli_command cli_upgrade = {
    .name = "upgrade",
    .words = "CASE.yaml...",
    .least = 1,
    .most = CLI_MAX_WORDS,
    .about = "rewrite cases of earlier versions with the keys of this one",
    .detail =
        "Replaces keys and choices that were renamed, in cases, chains, sweeps and material files, "
        "in place. Comments and layout stay. Every change is printed with its place. What is "
        "rewritten already stays as it is. Keys given by --set are not in a file: the error "
        "message of a run names their new words.",
    .options = upgrade_options,
    .run = upgrade_run,
};
