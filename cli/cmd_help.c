/* ingot help, completion, version: what the program says about itself. All of it is made from
   tables, of commands here and of keys in the library. */
#include "cli.h"

#include <string.h>

/* Text of the library, as it comes. */
static void print(void *user, const char *text) {
  (void)user;
  fputs(text, stdout);
}

/* The same after an empty line; *user: whether it has been written. */
static void print_apart(void *user, const char *text) {
  bool *begun = user;
  printf("%s%s", *begun ? "" : "\n", text);
  *begun = true;
}

/* A command whose name is that of a key, too, as `materials` and `mesh`: the section, where there
   is one. */
static int section_help(const cli_args *args, const char *word) {
  ig_ctx *cx;
  const int code = cli_open("cpu", args, &cx);
  if (code == CLI_GOOD) {
    bool begun = false;
    if (ig_explain(cx, word, print_apart, &begun) != IG_OK)
      begun = false; /* no key of that name, which is no fault */
    cli_close(cx);
  }
  return code;
}

/* In this order: manual, reference, overview, a family of commands, a command, a room or key. A
   context is needed only where the library is asked; it is a CPU one, which opens quickly and needs
   no device. */
static int help_run(const cli_args *args) {
  const char *word[2] = {args->words.count > 0 ? args->words.item[0] : NULL,
                         args->words.count > 1 ? args->words.item[1] : NULL};
  if (args->man) {
    cli_man(stdout);
    return CLI_GOOD;
  }
  if (args->reference || args->keys || args->schema) {
    ig_ctx *cx;
    int code = cli_open("cpu", args, &cx);
    if (code == CLI_GOOD) {
      code = cli_result(cx, args->reference ? ig_reference(cx, word[0], print, NULL)
                            : args->schema  ? ig_schema(cx, print, NULL)
                                            : ig_completion(cx, word[0], print, NULL));
      cli_close(cx);
    }
    return code;
  }
  if (!word[0]) {
    cli_help_all(stdout);
    return CLI_GOOD;
  }
  if (!word[1] && cli_is_family(word[0])) {
    cli_help_family(stdout, word[0]);
    return section_help(args, word[0]);
  }
  /* The words may name a command of one or two words. */
  int used = 0;
  const cli_command *command = cli_find(args->words.count, (char **)word, &used);
  if (!command && !word[1]) { /* a room or a key of a case */
    ig_ctx *cx;
    int code = cli_open("cpu", args, &cx);
    if (code == CLI_GOOD) {
      code = cli_result(cx, ig_explain(cx, word[0], print, NULL));
      cli_close(cx);
    }
    return code;
  }
  if (!command || used != args->words.count) {
    cli_error("there is no help on '%s%s%s': 'ingot help' lists the commands", word[0],
              word[1] ? " " : "", word[1] ? word[1] : "");
    return CLI_BAD_INPUT;
  }
  cli_help_command(stdout, command);
  return word[1] ? CLI_GOOD : section_help(args, word[0]);
}

/* Words for programs rather than people: documentation and completion are made with them. */
static const cli_option help_options[] = {
    {"man", 0, CLI_FLAG, CLI_AT(man), 0, NULL, NULL, "print the manual page (troff)"},
    {"reference", 0, CLI_FLAG, CLI_AT(reference), 0, NULL, NULL,
     "print what a case file may say (Markdown): everything, the keys of the room named, or what "
     "is common to all (common)"},
    {"schema", 0, CLI_FLAG, CLI_AT(schema), 0, NULL, NULL,
     "print a JSON Schema of the case language, for editors"},
    {"keys", 0, CLI_FLAG, CLI_AT(keys), 0, NULL, NULL,
     "print the keys of a case, of all rooms or of the one named; one per line"},
    {0}};
const cli_command cli_help = {
    .name = "help",
    .words = "[COMMAND|ROOM|KEY]",
    .most = 2,
    .about = "explain a command, a kind of analysis or a key of a case; print the manual",
    .detail = "For example:\n"
              "  ingot help run\n"
              "  ingot help thermal\n"
              "  ingot help loads\n"
              "  ingot help structure.loads\n"
              "  ingot help beams.radius",
    .options = help_options,
    .run = help_run,
};

/* The script is printed, for a shell to source. The shell is checked here, as the word is no option
   with choices. */
static int completion_run(const cli_args *args) {
  if (strcmp(args->words.item[0], "bash") == 0) {
    cli_complete_bash(stdout);
  } else if (strcmp(args->words.item[0], "zsh") == 0) {
    cli_complete_zsh(stdout);
  } else if (strcmp(args->words.item[0], "fish") == 0) {
    cli_complete_fish(stdout);
  } else {
    cli_error("no completion for '%s': expected bash, zsh or fish", args->words.item[0]);
    return CLI_BAD_INPUT;
  }
  return CLI_GOOD;
}

static const cli_option no_options[] = {{0}};
const cli_command cli_completion = {
    .name = "completion",
    .words = "bash|zsh|fish",
    .least = 1,
    .most = 1,
    .about = "print completion for a shell: source <(ingot completion bash)",
    .options = no_options,
    .run = completion_run,
};

/* The text names version, commit, compiler and what was compiled in. */
static int version_run(const cli_args *args) {
  (void)args;
  printf("%s\n", ig_build_info());
  return CLI_GOOD;
}
const cli_command cli_version = {
    .name = "version",
    .words = "",
    .about = "print version and how this program was built",
    .options = no_options,
    .run = version_run,
};
