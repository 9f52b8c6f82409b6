/* The manual page and shell completion, made from the command tables. What a shell treats specially
   is escaped by a function for each of them. */
#include "cli.h"

#include <string.h>

/* Escapes text for troff: a dash would become a hyphen that cannot be copied, a backslash begins a
   request. A new line begins a paragraph, or breaks the line where the next is indented. */
static void troff(FILE *to, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '-')
      fputs("\\-", to);
    else if (*c == '\\')
      fputs("\\e", to);
    else if (*c == '\n')
      fputs(c[1] == ' ' ? "\n.br\n" : "\n.PP\n", to);
    else
      fputc(*c, to);
  }
}

/* The page in the man macros: name, synopsis, commands with options, exit status, files. Lines of
   troff requests begin with a dot; text never does, as every line of it follows a request or a
   word. */
void cli_man(FILE *to) {
  fprintf(to, ".TH INGOT 1 \"\" \"ingot %s\" \"User Commands\"\n", ig_version());
  fputs(".SH NAME\ningot \\- finite elements for people who design, print and break parts\n", to);
  fputs(".SH SYNOPSIS\n", to);
  for (const cli_command *const *c = cli_commands; *c; c++) {
    fprintf(to, ".B ingot %s\n", (*c)->name);
    troff(to, (*c)->words);
    fputs("\n.br\n", to);
  }
  fputs(".SH COMMANDS\n"
        "\\fB\\-h\\fR, \\fB\\-\\-help\\fR after any of them tells what it takes.\n",
        to);
  for (const cli_command *const *c = cli_commands; *c; c++) {
    fprintf(to, ".SS ingot %s ", (*c)->name);
    troff(to, (*c)->words);
    fputc('\n', to);
    troff(to, (*c)->about);
    fputc('\n', to);
    if ((*c)->detail) {
      fputs(".PP\n", to);
      troff(to, (*c)->detail);
      fputc('\n', to);
    }
    for (const cli_option *o = (*c)->options; o->name; o++) {
      fputs(".TP\n", to);
      if (o->letter)
        fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
      fputs("\\fB\\-\\-", to);
      troff(to, o->name);
      fprintf(to, "\\fR%s%s%s\n", o->value ? " \\fI" : "", o->value ? o->value : "",
              o->value ? "\\fR" : "");
      troff(to, o->help);
      if (o->choices)
        fprintf(to, " (%s)", o->choices);
      fputc('\n', to);
    }
  }
  fputs(".SH EXIT STATUS\n"
        "0: good. 1: the run failed or was interrupted. 2: the input must be corrected.\n"
        ".SH FILES\n"
        "A case is a YAML file; \\fBingot help \\-\\-reference\\fR prints what it may say. A run "
        "writes snapshots (VTKHDF with a .vtkhdf.series index), history.csv, summary.json and "
        "checkpoint.h5 into its output folder, each written beside and renamed.\n",
        to);
}

/* The first word of a command. */
static const char *family(const cli_command *c, char *text, size_t size) {
  snprintf(text, size, "%.*s", (int)strcspn(c->name, " "), c->name);
  return text;
}

/* Commands of a family stand together in the table, so the one before tells. */
static bool first_of_family(const cli_command *const *c) {
  char a[32], b[32];
  return c == cli_commands || strcmp(family(c[0], a, sizeof a), family(c[-1], b, sizeof b)) != 0;
}

/* "a|b" as "a b". */
static void spaced(FILE *to, const char *choices) {
  for (const char *c = choices; *c; c++)
    fputc(*c == '|' ? ' ' : *c, to);
}

/* A command of the shell that prints the words which a command takes, NULL where these are files:
   what its --list prints, and the keys for `help`. */
static const char *list_of(const cli_command *c, char *text, size_t size) {
  if (strcmp(c->name, "help") == 0)
    return "ingot help --keys 2>/dev/null | cut -f 1 | sort -u";
  for (const cli_option *o = c->options; o->name; o++)
    if (strcmp(o->name, "list") == 0 && o->kind == CLI_FLAG) {
      snprintf(text, size, "ingot %s --list 2>/dev/null | sed \"s/^ *//;s/ .*//\"", c->name);
      return text;
    }
  return NULL;
}
/* The same of an option's value. */
static const char *values_of(const cli_option *o) {
  return strcmp(o->name, "material") == 0 ? "ingot materials --list 2>/dev/null" : NULL;
}

/* The script completes commands, second words of families, values of options, options, words that
   the program lists, and else files. --set asks the program itself for the keys. All names and
   values come from the tables of this program and need no quoting. */
void cli_complete_bash(FILE *to) {
  char name[32], list[128];
  fputs("# bash completion of ingot, made by 'ingot completion bash'\n_ingot() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  local command=${COMP_WORDS[1]} options=\n"
        "  COMPREPLY=()\n"
        "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
        "    COMPREPLY=($(compgen -W '",
        to);
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (first_of_family(c))
      fprintf(to, "%s ", family(*c, name, sizeof name));
  fputs("' -- \"$word\"))\n    return\n  fi\n", to);
  /* two-word commands complete their second word */
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (strchr((*c)->name, ' ') && first_of_family(c)) {
      family(*c, name, sizeof name);
      fprintf(to,
              "  if [ \"$command\" = %s ]; then\n    if [ \"$COMP_CWORD\" = 2 ]; then\n"
              "      COMPREPLY=($(compgen -W '",
              name);
      for (const cli_command *const *d = c; *d && strncmp((*d)->name, name, strlen(name)) == 0; d++)
        fprintf(to, "%s ", strchr((*d)->name, ' ') + 1);
      fputs("' -- \"$word\"))\n      return\n    fi\n    command=\"$command ${COMP_WORDS[2]}\"\n"
            "  fi\n",
            to);
    }
  fputs("  case \"$command $before\" in\n", to);
  for (const cli_command *const *c = cli_commands; *c; c++)
    for (const cli_option *o = (*c)->options; o->name; o++) {
      if (o->kind == CLI_FLAG)
        continue;
      fprintf(to, "  '%s --%s'", (*c)->name, o->name);
      if (o->letter)
        fprintf(to, " | '%s -%c'", (*c)->name, o->letter);
      if (o->choices) {
        fputs(") COMPREPLY=($(compgen -W '", to);
        spaced(to, o->choices);
        fputs("' -- \"$word\")); return ;;\n", to);
      } else if (strcmp(o->name, "set") == 0) {
        fputs(") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "
              "\"$(ingot help --keys 2>/dev/null | cut -f 1)\" -- \"$word\")); return ;;\n",
              to);
      } else if (values_of(o)) {
        fprintf(to, ") COMPREPLY=($(compgen -W \"$(%s)\" -- \"$word\")); return ;;\n",
                values_of(o));
      } else if (o->kind == CLI_FILE) {
        fputs(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", to);
      } else {
        fputs(") return ;;\n", to);
      }
    }
  fputs("  esac\n  case \"$command\" in\n", to);
  for (const cli_command *const *c = cli_commands; *c; c++) {
    fprintf(to, "  '%s') options='", (*c)->name);
    for (const cli_option *o = (*c)->options; o->name; o++)
      fprintf(to, "--%s ", o->name);
    fputs("--help' ;;\n", to);
  }
  fputs("  esac\n"
        "  case \"$word\" in\n"
        "  -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "  *) case \"$command\" in\n"
        "    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;\n",
        to);
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (list_of(*c, list, sizeof list))
      fprintf(to, "    %s) COMPREPLY=($(compgen -W \"$(%s)\" -- \"$word\")) ;;\n", (*c)->name,
              list_of(*c, list, sizeof list));
  fputs("    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
        "    esac ;;\n"
        "  esac\n}\n"
        "complete -o filenames -F _ingot ingot\n",
        to);
}

/* Escapes text for zsh: _arguments gives brackets and colons a meaning, and all of it stands in
   single quotes. */
static void zsh(FILE *to, const char *text) {
  for (const char *c = text; *c; c++)
    if (*c == '\'')
      fputs("'\\''", to);
    else if (*c == '[' || *c == ']' || *c == ':')
      fprintf(to, "\\%c", *c);
    else
      fputc(*c, to);
}

/* One _arguments call for each command; an option that may be repeated has a star. $words[1] is the
   program; CURRENT counts from 1 as well. */
void cli_complete_zsh(FILE *to) {
  char name[32], list[128];
  fputs("#compdef ingot\n# zsh completion of ingot, made by 'ingot completion zsh'\n"
        "_ingot() {\n  local command=$words[2]\n  if (( CURRENT == 2 )); then\n"
        "    local -a commands=(",
        to);
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (first_of_family(c)) {
      fprintf(to, "\n      '%s:", family(*c, name, sizeof name));
      zsh(to, (*c)->about);
      fputc('\'', to);
    }
  fputs(")\n    _describe command commands\n    return\n  fi\n", to);
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (strchr((*c)->name, ' ') && first_of_family(c)) {
      family(*c, name, sizeof name);
      fprintf(to,
              "  if [[ $command == %s ]]; then\n    if (( CURRENT == 3 )); then\n"
              "      compadd",
              name);
      for (const cli_command *const *d = c; *d && strncmp((*d)->name, name, strlen(name)) == 0; d++)
        fprintf(to, " %s", strchr((*d)->name, ' ') + 1);
      fputs("\n      return\n    fi\n    command=\"$command $words[3]\"\n  fi\n", to);
    }
  fputs("  case $command in\n", to);
  for (const cli_command *const *c = cli_commands; *c; c++) {
    fprintf(to, "  '%s') _arguments", (*c)->name);
    for (const cli_option *o = (*c)->options; o->name; o++) {
      fprintf(to, " \\\n      '%s--%s%s[", o->kind == CLI_REPEAT ? "*" : "", o->name,
              o->kind == CLI_FLAG ? "" : "=");
      zsh(to, o->help);
      fputc(']', to);
      if (o->kind != CLI_FLAG) {
        fprintf(to, ":%s:", o->value);
        if (o->choices) {
          fputc('(', to);
          spaced(to, o->choices);
          fputc(')', to);
        } else if (values_of(o)) {
          fprintf(to, "{compadd -- $(%s)}", values_of(o));
        } else if (o->kind == CLI_FILE) {
          fputs("_files", to);
        }
      }
      fputc('\'', to);
    }
    fputs(" \\\n      '--help[tell about this command]' \\\n      '*:", to);
    if (list_of(*c, list, sizeof list))
      fprintf(to, "word:{compadd -- $(%s)}' ;;\n", list_of(*c, list, sizeof list));
    else
      fputs("file:_files' ;;\n", to);
  }
  fputs("  esac\n}\n_ingot \"$@\"\n", to);
}

/* fish keeps backslashes and quotes in single quotes by a backslash. */
static void fish(FILE *to, const char *text) {
  fputc('\'', to);
  for (const char *c = text; *c; c++) {
    if (*c == '\'' || *c == '\\')
      fputc('\\', to);
    fputc(*c, to);
  }
  fputc('\'', to);
}

/* One `complete` line for each command and option. -x: the option has an argument and no file fits;
   -r -F: a file is wanted. */
void cli_complete_fish(FILE *to) {
  char name[32], list[128];
  fputs("# fish completion of ingot, made by 'ingot completion fish'\n"
        "complete -c ingot -l help -s h -d 'tell about a command'\n",
        to);
  for (const cli_command *const *c = cli_commands; *c; c++) {
    family(*c, name, sizeof name);
    const char *second = strchr((*c)->name, ' ');
    if (first_of_family(c)) {
      fprintf(to, "complete -c ingot -n __fish_use_subcommand -f -a %s -d ", name);
      fish(to, !second                       ? (*c)->about
               : strcmp(name, "mesh") == 0   ? "make, convert or measure a mesh"
               : strcmp(name, "path") == 0   ? "look at or convert a toolpath"
               : strcmp(name, "result") == 0 ? "look into results"
                                             : "several commands");
      fputc('\n', to);
    }
    /* The condition under which a line counts: the words before the cursor. */
    char when[128];
    snprintf(when, sizeof when, "-n '__fish_seen_subcommand_from %s", name);
    if (second) {
      fprintf(to, "complete -c ingot %s' -a %s -d ", when, second + 1);
      fish(to, (*c)->about);
      fputc('\n', to);
      snprintf(when + strlen(when), sizeof when - strlen(when),
               "; and __fish_seen_subcommand_from %s", second + 1);
    }
    if (list_of(*c, list, sizeof list))
      fprintf(to, "complete -c ingot %s' -f -a '(%s)'\n", when, list_of(*c, list, sizeof list));
    for (const cli_option *o = (*c)->options; o->name; o++) {
      fprintf(to, "complete -c ingot %s' -l %s", when, o->name);
      if (o->letter)
        fprintf(to, " -s %c", o->letter);
      if (o->choices) {
        fputs(" -x -a '", to);
        spaced(to, o->choices);
        fputc('\'', to);
      } else if (strcmp(o->name, "set") == 0) {
        fputs(" -x -a '(ingot help --keys 2>/dev/null | string replace -r \"\\t.*\\t\" \"=\\t\")'",
              to);
      } else if (values_of(o)) {
        fprintf(to, " -x -a '(%s)'", values_of(o));
      } else if (o->kind != CLI_FLAG) {
        fputs(o->kind == CLI_FILE ? " -r -F" : " -x", to);
      }
      fputs(" -d ", to);
      fish(to, o->help);
      fputc('\n', to);
    }
  }
}
