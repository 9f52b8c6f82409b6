/* Reading the command line from the tables, and helping with them. Options may stand anywhere, as
   --name value, --name=value, -n value or -nvalue; after -- everything is a word. */
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const cli_command *const *cli_commands;

/* Edits (insert, drop, change, swap neighbours) that turn a into b, by the table of Damerau
   (1964) and Levenshtein (1966) in its restricted form. Words are short: longer ones count as
   far apart. */
static int distance(const char *a, const char *b) {
  enum { MAX = 40 };
  const int n = (int)strlen(a), m = (int)strlen(b);
  if (n >= MAX || m >= MAX)
    return MAX;
  /* d[i][j]: edits between the first i letters of a and the first j of b. */
  int d[MAX + 1][MAX + 1];
  for (int i = 0; i <= n; i++)
    d[i][0] = i;
  for (int j = 0; j <= m; j++)
    d[0][j] = j;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best)
        best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best)
        best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[n][m];
}

/* More than half of the letters wrong is no likeness. A beginning of a word is as good as one
   slip. */
const char *cli_nearest(const char *word, const char *const *list) {
  const char *best = NULL;
  int least = 1 + (int)strlen(word) / 2;
  for (; *list; list++) {
    const int d = strncmp(word, *list, strlen(word)) == 0 && *word ? 1 : distance(word, *list);
    if (d < least)
      least = d, best = *list;
  }
  return best;
}

/* A command of two words is tried as such; its first word alone is no command. */
const cli_command *cli_find(int argc, char **argv, int *used) {
  for (const cli_command *const *c = cli_commands; *c; c++) {
    const char *space = strchr((*c)->name, ' ');
    if (!space && argc > 0 && strcmp(argv[0], (*c)->name) == 0)
      return *used = 1, *c;
    if (space && argc > 1 && strlen(argv[0]) == (size_t)(space - (*c)->name) &&
        strncmp(argv[0], (*c)->name, strlen(argv[0])) == 0 && strcmp(argv[1], space + 1) == 0)
      return *used = 2, *c;
  }
  return NULL;
}

/* The option of a name that is `length` long; NULL: there is none. */
static const cli_option *option_named(const cli_command *command, const char *name, size_t length) {
  for (const cli_option *o = command->options; o->name; o++)
    if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
      return o;
  return NULL;
}

/* Reports an unknown option with the nearest one of the command; returns the exit code. */
static int unknown_option(const cli_command *command, const char *word) {
  enum { MAX = 64 };
  /* --help belongs to every command, though it is in no table. */
  const char *names[MAX + 1] = {"help"};
  int n = 1;
  for (const cli_option *o = command->options; o->name && n < MAX; o++)
    names[n++] = o->name;
  char bare[64];
  snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word, "="), word);
  /* A single letter has no nearest one worth naming. */
  const char *near = strncmp(bare, "--", 2) == 0 ? cli_nearest(bare + 2, names) : NULL;
  if (near)
    cli_error("ingot %s has no option '%s': did you mean '--%s'?", command->name, bare, near);
  else
    cli_error("ingot %s has no option '%s': 'ingot %s --help' lists them", command->name, bare,
              command->name);
  return CLI_BAD_INPUT;
}

/* Whether a value is one of "a|b|c". */
static bool is_choice(const char *choices, const char *value) {
  const size_t length = strlen(value);
  for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
    if (strcspn(c, "|") == length && strncmp(c, value, length) == 0)
      return true;
  return false;
}

/* A finite number at the start of a text. strtod is safe here: the program never sets a locale, so
   the decimal sign is a point. */
static bool read_real(const char *text, const char **end, double *value) {
  char *stop;
  *value = strtod(text, &stop);
  *end = stop;
  return stop != text && isfinite(*value);
}

/* Values with units, by the word that stands for them in the help; the first unit is SI and may be
   left out. cli.h's tables name the word in `value`. */
static const struct {
  const char *word, *expected;
  struct {
    const char *name;
    double size;
  } unit[8];
} quantities[] = {
    {"LENGTH",
     "a length in metres or with its unit, as in 0.001 or 1mm",
     {{"m", 1},
      {"cm", 1e-2},
      {"mm", 1e-3},
      {"um", 1e-6},
      {"nm", 1e-9},
      {"in", 0.0254},
      {"ft", 0.3048}}},
    {"TIME",
     "a time in seconds or with its unit, as in 90 or 20min",
     {{"s", 1}, {"min", 60}, {"h", 3600}}},
    {"MEMORY",
     "an amount of memory with its unit, as in 8GB",
     {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}},
};

/* Reads number and unit; the result is in SI units. A unit alone means one of it, so that --unit mm
   reads well. */
static bool quantity(size_t which, const char *text, double *value) {
  const char *end;
  if (!read_real(text, &end, value)) { /* "mm": one of it */
    *value = 1;
    end = text;
    if (!*text)
      return false;
  }
  /* A blank between number and unit is allowed where the shell passes it on. */
  end += strspn(end, " ");
  for (int i = 0; i < 8 && quantities[which].unit[i].name; i++)
    if (strcmp(end, quantities[which].unit[i].name) == 0 || (i == 0 && !*end)) {
      *value *= quantities[which].unit[i].size;
      return isfinite(*value);
    }
  return false;
}

bool cli_length(const char *text, double *metres) {
  return quantity(0, text, metres);
}

/* Stores one value in args by the option's offset and kind. An empty text is refused: it is most
   often a shell variable that was not set. Returns the exit code. An option that is given twice
   keeps its last value, but for those of CLI_REPEAT. */
static int take(const cli_option *o, const char *value, cli_args *args) {
  /* The offset comes from CLI_AT of a member of the right type: the casts below rely on that. */
  char *at = (char *)args + o->offset;
  const char *end;
  if (o->given)
    *(bool *)(void *)((char *)args + o->given) = true;
  switch (o->kind) {
  case CLI_FLAG:
    *(bool *)(void *)at = true;
    return CLI_GOOD;
  case CLI_TEXT:
  case CLI_FILE:
    if (o->choices && !is_choice(o->choices, value)) {
      cli_error("--%s '%s': expected %s", o->name, value, o->choices);
      return CLI_BAD_INPUT;
    }
    if (!*value) {
      cli_error("--%s is empty: expected %s", o->name, o->value);
      return CLI_BAD_INPUT;
    }
    *(const char **)(void *)at = value;
    return CLI_GOOD;
  /* One limit for all whole numbers, far above any that an option needs. */
  case CLI_INT:
  case CLI_COUNT: {
    char *stop;
    const int least = o->kind == CLI_COUNT;
    const long n = strtol(value, &stop, 10);
    if (stop == value || *stop || n < least || n > 100000000) {
      cli_error("--%s '%s': expected a whole number from %d to 100000000", o->name, value, least);
      return CLI_BAD_INPUT;
    }
    *(int *)(void *)at = (int)n;
    return CLI_GOOD;
  }
  case CLI_REAL:
    for (size_t i = 0; o->value && i < sizeof quantities / sizeof *quantities; i++)
      if (strcmp(o->value, quantities[i].word) == 0) {
        if (quantity(i, value, (double *)(void *)at))
          return CLI_GOOD;
        cli_error("--%s '%s': expected %s", o->name, value, quantities[i].expected);
        return CLI_BAD_INPUT;
      }
    if (!read_real(value, &end, (double *)(void *)at) || *end) {
      cli_error("--%s '%s': expected a number", o->name, value);
      return CLI_BAD_INPUT;
    }
    return CLI_GOOD;
  /* A colon rather than a comma, as a comma is a decimal sign to many readers. */
  case CLI_PAIR: {
    double *pair = (double *)(void *)at;
    if (!read_real(value, &end, &pair[0]) || *end != ':' || !read_real(end + 1, &end, &pair[1]) ||
        *end) {
      cli_error("--%s '%s': expected two numbers with a colon between, as in 0:100", o->name,
                value);
      return CLI_BAD_INPUT;
    }
    return CLI_GOOD;
  }
  case CLI_REPEAT: {
    cli_texts *texts = (cli_texts *)(void *)at;
    if (texts->count == CLI_MAX_WORDS) {
      cli_error("--%s is given more than %d times", o->name, CLI_MAX_WORDS);
      return CLI_BAD_INPUT;
    }
    texts->item[texts->count++] = value;
    return CLI_GOOD;
  }
  }
  return CLI_BAD_INPUT;
}

/* `args` is zeroed first. Texts point into argv, which lives as long as the program. Returns
   CLI_GOOD with *help set as soon as --help is met, whatever else is wrong with the line. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args, bool *help) {
  memset(args, 0, sizeof *args);
  *help = false;
  bool words_only = false;
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i], *value = NULL;
    if (words_only || word[0] != '-' || !word[1]) {
      if (args->words.count == CLI_MAX_WORDS) {
        cli_error("more than %d arguments", CLI_MAX_WORDS);
        return CLI_BAD_INPUT;
      }
      args->words.item[args->words.count++] = word;
      continue;
    }
    /* What follows is no option, even if it begins with a dash. */
    if (strcmp(word, "--") == 0) {
      words_only = true;
      continue;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      *help = true;
      return CLI_GOOD;
    }
    /* The option of this word; `value` is what stands directly with it, NULL: the next word. */
    const cli_option *o = NULL;
    /* A long name up to '=', or a letter with the value directly behind it. */
    if (word[1] == '-') {
      const size_t length = strcspn(word + 2, "=");
      o = option_named(command, word + 2, length);
      value = word[2 + length] ? word + 3 + length : NULL;
    } else {
      for (o = command->options; o->name && o->letter != word[1]; o++)
        ;
      if (!o->name)
        o = NULL;
      value = word[2] ? word + 2 : NULL;
    }
    if (!o)
      return unknown_option(command, word);
    if (o->kind == CLI_FLAG && value) {
      cli_error("--%s takes no value", o->name);
      return CLI_BAD_INPUT;
    }
    /* The next word is the value, also if it begins with a dash: numbers may be negative. */
    if (o->kind != CLI_FLAG && !value) {
      if (i + 1 == argc) {
        cli_error("--%s needs a value: %s", o->name, o->choices ? o->choices : o->value);
        return CLI_BAD_INPUT;
      }
      value = argv[++i];
    }
    const int code = take(o, value, args);
    if (code != CLI_GOOD)
      return code;
  }
  /* The number of words is checked after all options, so that --help works without them. */
  const char *gap = *command->words ? " " : "";
  if (args->words.count < command->least || args->words.count > command->most) {
    if (args->words.count < command->least)
      cli_error("something is missing: usage: ingot %s%s%s", command->name, gap, command->words);
    else
      cli_error("'%s' is too much: usage: ingot %s%s%s", args->words.item[command->most],
                command->name, gap, command->words);
    return CLI_BAD_INPUT;
  }
  return CLI_GOOD;
}

/* Text broken at spaces to 80 columns, from `column` on, each further line indented; a line that
   begins with a space stays as it is. Columns are counted in bytes, which is right for the English
   texts of the tables. A long word may reach beyond column 80. */
static void wrap(FILE *to, int column, int indent, const char *text) {
  for (bool fresh = true; *text;) {
    int length = (int)strcspn(text, fresh && *text == ' ' ? "\n" : " \n");
    if (!fresh && column + 1 + length > 80) {
      fprintf(to, "\n%*s", indent, "");
      column = indent, fresh = true;
    }
    fprintf(to, "%s%.*s", fresh ? "" : " ", length, text);
    column += length + !fresh;
    fresh = false;
    text += length;
    if (*text == '\n') {
      fprintf(to, "\n%*s", indent, "");
      column = indent, fresh = true, text++;
    } else {
      text += strspn(text, " ");
    }
  }
  fputc('\n', to);
}

/* Options in a column of 28; a longer one has its help on the next line. Choices stand behind the
   help text, in the form in which they are typed. */
void cli_help_command(FILE *to, const cli_command *command) {
  fprintf(to, "ingot %s%s%s%s\n\n", command->name, *command->words ? " " : "", command->words,
          command->options->name ? " [options]" : "");
  wrap(to, 0, 0, command->about);
  if (command->detail) {
    fputc('\n', to);
    wrap(to, 0, 0, command->detail);
  }
  fputs("\noptions:\n", to);
  for (const cli_option *o = command->options; o->name; o++) {
    char left[64];
    /* Options without a letter keep its place, so that names stand below each other. */
    char letter[5] = "    ";
    if (o->letter)
      snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->value ? " " : "",
             o->value ? o->value : "");
    fprintf(to, "%-28s", left);
    if (strlen(left) > 27)
      fprintf(to, "\n%28s", "");
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s", o->help, o->choices ? " (" : "",
             o->choices ? o->choices : "", o->choices ? ")" : "");
    wrap(to, 28, 28, text);
  }
  fprintf(to, "%-28s%s\n", "  -h, --help", "this text");
}

/* The list of all commands with one line each. */
void cli_help_all(FILE *to) {
  fputs("ingot: finite elements for people who design, print and break parts\n\n", to);
  fputs("usage: ingot COMMAND [options]\n\n", to);
  for (const cli_command *const *c = cli_commands; *c; c++) {
    char left[64];
    snprintf(left, sizeof left, "  %s %s", (*c)->name, (*c)->words);
    fprintf(to, "%-28s", left);
    if (strlen(left) > 27)
      fprintf(to, "\n%28s", "");
    wrap(to, 28, 28, (*c)->about);
  }
  fputs("\n'ingot COMMAND --help' tells more. First steps: ingot run cases/thermal/first.yaml\n",
        to);
}

/* Whether a command is one of two words whose first is `word`. */
bool cli_in_family(const cli_command *command, const char *word) {
  const size_t length = strlen(word);
  return strncmp(command->name, word, length) == 0 && command->name[length] == ' ';
}

/* Whether `word` begins a command of two words. */
bool cli_is_family(const char *word) {
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (cli_in_family(*c, word))
      return true;
  return false;
}

/* All commands of a family, as `ingot help mesh` shows them. */
void cli_help_family(FILE *to, const char *word) {
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (cli_in_family(*c, word)) {
      fprintf(to, "ingot %s %s\n    ", (*c)->name, (*c)->words);
      wrap(to, 4, 4, (*c)->about);
    }
  fprintf(to, "\n'ingot help %s COMMAND' tells more.\n", word);
}
