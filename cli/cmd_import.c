/* ingot import: a case from a deck of Abaqus, CalculiX or LS-DYNA. The case names the deck as its
   mesh, so both files belong together. */
#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* How the case names the deck: by its name alone where both are in one folder, so that the folder
   can be moved; else by its full path. */
static void mesh_name(const char *deck, const char *out, char name[PATH_MAX]) {
  char a[PATH_MAX], b[PATH_MAX];
  const char *deck_slash = strrchr(deck, '/'), *out_slash = out ? strrchr(out, '/') : NULL;
  snprintf(a, sizeof a, "%.*s", deck_slash ? (int)(deck_slash - deck) + 1 : 1,
           deck_slash ? deck : ".");
  snprintf(b, sizeof b, "%.*s", out_slash ? (int)(out_slash - out) + 1 : 1, out_slash ? out : ".");
  char whole_a[PATH_MAX], whole_b[PATH_MAX];
  if (realpath(a, whole_a) && realpath(b, whole_b) && strcmp(whole_a, whole_b) == 0)
    snprintf(name, PATH_MAX, "%s", deck_slash ? deck_slash + 1 : deck);
  else if (!realpath(deck, name))
    snprintf(name, PATH_MAX, "%s", deck);
}

/* A piece of the case, into memory. */
static void text_put(void *user, const char *text) {
  fputs(text, user);
}

/* The case is made in memory first: a deck that is refused leaves no file behind. Exit code 2 for a
   deck that is not understood, 1 for a file that cannot be written. */
static int import_run(const cli_args *args) {
  const char *deck = args->words.item[0];
  char mesh[PATH_MAX];
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  if (!ig_deck_is(deck)) {
    cli_error("%s: expected a deck of Abaqus or CalculiX (.inp) or of LS-DYNA (.k)", deck);
    cli_close(cx);
    return CLI_BAD_INPUT;
  }
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  mesh_name(deck, args->out, mesh);
  const ig_deck_options options = {.lenient = args->lenient, .unit = args->units};
  code = memory ? cli_result(cx, ig_deck_import(cx, deck, &options, mesh, text_put, memory))
                : CLI_FAILED;
  if (memory && fclose(memory) != 0)
    code = CLI_FAILED;
  /* The file is opened only when there is something to write. */
  FILE *to = code != CLI_GOOD ? NULL : args->out ? fopen(args->out, "w") : stdout;
  if (code == CLI_GOOD && (!to || fwrite(text, 1, size, to) != size || fflush(to) != 0)) {
    cli_error("%s: cannot be written", args->out ? args->out : "the case");
    code = CLI_FAILED;
  }
  if (to && to != stdout && fclose(to) != 0)
    code = CLI_FAILED;
  free(text);
  cli_close(cx);
  return code;
}

/* Without --out the case goes to standard output, messages to standard error. */
static const cli_option import_options[] = {
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "CASE.yaml", NULL,
     "where the case goes; to standard output if not given"},
    CLI_LENIENT,
    CLI_UNITS,
    CLI_QUIET,
    {0}};
const cli_command cli_import = {
    .name = "import",
    .words = "DECK",
    .least = 1,
    .most = 1,
    .about = "make a case of a deck of Abaqus, CalculiX or LS-DYNA",
    .detail = "Writes a case file whose mesh is the deck itself, with the line of the deck that "
              "each entry comes from. A keyword or parameter that is not understood is an error "
              "with its line. 'ingot run DECK' does the same in memory and runs the case.",
    .options = import_options,
    .run = import_run,
};
