/* ingot compare: two results beside each other. The exit code is the answer, as with diff: 0 the
   same, 1 different, 2 not comparable. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the rows so far came to. JSON is collected in memory, as its head has the counts. */
typedef struct {
  FILE *json;        /* into memory, NULL: none is wanted */
  bool quiet, moved; /* moved: nodes of the two are at other places */
  int compared, different;
} table;

/* A string of JSON. */
static void quoted(FILE *to, const char *text) {
  putc('"', to);
  for (; *text; text++)
    if ((unsigned char)*text < ' ')
      fprintf(to, "\\u%04x", (unsigned)*text);
    else
      fprintf(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  putc('"', to);
}

/* A member of an object; JSON has no NaN or infinity, so they are null. */
static void number(FILE *to, const char *key, double value) {
  fprintf(to, ", \"%s\": ", key);
  if (isfinite(value))
    fprintf(to, "%.17g", value);
  else
    fputs("null", to);
}

/* One row as an object; members that have no meaning for it are left out. All digits, so that a
   script can judge by limits of its own. */
static void json_row(table *t, const ig_compared *r) {
  FILE *to = t->json;
  fputs(t->compared > 1 ? ",\n  {\"part\": " : "\n  {\"part\": ", to);
  quoted(to, r->part);
  fputs(", \"name\": ", to);
  quoted(to, r->name);
  fputs(", \"unit\": ", to);
  quoted(to, r->unit);
  for (int i = 0; i < 2; i++)
    if (r->text[i]) {
      fprintf(to, ", \"%c\": ", i ? 'b' : 'a');
      quoted(to, r->text[i]);
    } else
      number(to, i ? "b" : "a", r->value[i]);
  number(to, "difference", r->difference);
  number(to, "scale", r->scale);
  number(to, "allowed", r->allowed);
  if (r->item >= 0)
    fprintf(to, ", \"item\": %lld", (long long)r->item);
  if (!isnan(r->place[0]))
    fprintf(to, ", \"place\": [%.17g, %.17g, %.17g]", r->place[0], r->place[1], r->place[2]);
  fprintf(to, ", \"same\": %s}", r->same ? "true" : "false");
}

/* Names and texts of a file are not sent to the terminal with control characters. */
static void plain(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127)
      *text = '?';
}

/* A figure, a text, or what stands for something that is there and needs no value. */
static const char *cell(const ig_compared *r, int i, char text[32]) {
  if (r->text[i])
    snprintf(text, 32, "%.28s", *r->text[i] ? r->text[i] : "there");
  else
    snprintf(text, 32, "%.8g", r->value[i]);
  plain(text);
  return text;
}

/* One row: always to JSON, to the terminal only where the two differ. Coordinates that differ hint
   at another numbering, which the last line then suggests to match by place. Names and texts of
   results are shown without control characters; numbers are rounded to eight digits. */
static void show(void *user, const ig_compared *r) {
  table *t = user;
  char a[32], b[32], name[160];
  t->compared++;
  t->different += !r->same;
  if (t->json)
    json_row(t, r);
  /* The name ends in "coordinates", of whichever snapshot. */
  const size_t length = strlen(r->name), word = strlen("coordinates");
  t->moved |= !r->same && length >= word && strcmp(r->name + length - word, "coordinates") == 0;
  if (r->same || t->quiet)
    return;
  if (t->different == 1)
    printf("%-9s %-36s %16s %16s %10s %10s %10s\n", "", "different", "first", "second",
           "difference", "relative", "allowed");
  snprintf(name, sizeof name, "%.100s%s%.20s%s", r->name, *r->unit ? " [" : "", r->unit,
           *r->unit ? "]" : "");
  plain(name);
  printf("%-9s %-36s %16s %16s", r->part, name, cell(r, 0, a), cell(r, 1, b));
  if (!isnan(r->difference))
    printf(" %10.3g %10.3g %10.3g", r->difference, r->scale > 0 ? r->difference / r->scale : 0,
           r->allowed);
  if (!isnan(r->place[0]))
    printf("  at (%.5g, %.5g, %.5g) m", r->place[0], r->place[1], r->place[2]);
  else if (r->item >= 0)
    printf("  in row %lld", (long long)r->item + 1);
  putchar('\n');
}

/* "1e-6", "1e-6,1e-9" for all; what has a name is the library's to read. named[] has room for all
   of them and must outlive the comparison. Several bare tolerances: the last counts. false after a
   message; the pointers in `named` lead into argv. */
static bool tolerances_read(const cli_args *args, ig_compare_options *o, const char **named) {
  for (int i = 0; i < args->tolerance.count; i++) {
    const char *text = args->tolerance.item[i];
    char *end;
    if (strchr(text, '=')) {
      named[o->tolerances++] = text;
      continue;
    }
    o->relative = strtod(text, &end);
    o->absolute = 0;
    bool good = end != text && o->relative >= 0;
    if (good && *end == ',') {
      const char *from = end + 1;
      o->absolute = strtod(from, &end);
      good = end != from && o->absolute >= 0;
    }
    if (!good || *end) {
      cli_error("--tolerance '%s': expected [NAME=]RELATIVE[,ABSOLUTE], as in 1e-6 or T*=1e-6,0.1",
                text);
      return false;
    }
  }
  o->tolerance = named;
  return true;
}

/* Writes to a file or to standard output; false after a message. */
static bool json_write(const char *path, const char *rows, const table *t) {
  const bool printed = strcmp(path, "-") == 0;
  FILE *to = printed ? stdout : fopen(path, "w");
  bool good = to != NULL;
  if (good)
    /* The rows stand in memory as they were written, with commas between them. */
    good = fprintf(to, "{\"compared\": %d, \"different\": %d, \"rows\": [%s\n]}\n", t->compared,
                   t->different, rows) > 0;
  if (to && !printed)
    good &= fclose(to) == 0;
  if (!good)
    cli_error("cannot write '%s': %s", path, strerror(errno));
  return good;
}

/* Failures count as 2 here, as 1 says that the results differ. The context is a CPU one: comparing
   needs no device. */
static int compare_run(const cli_args *args) {
  const char *named[CLI_MAX_WORDS];
  const char *const a = args->words.item[0], *const b = args->words.item[1];
  /* Zeroed: the last snapshot, matched by number, nothing may differ. */
  ig_compare_options o = {0};
  table t = {.quiet = args->quiet};
  ig_ctx *cx;
  if (args->snapshots)
    o.snapshots = strcmp(args->snapshots, "all") == 0    ? IG_COMPARE_ALL
                  : strcmp(args->snapshots, "none") == 0 ? IG_COMPARE_NONE
                                                         : IG_COMPARE_LAST;
  o.by_position = args->match && strcmp(args->match, "position") == 0;
  if (!tolerances_read(args, &o, named))
    return CLI_BAD_INPUT;
  if (args->distance && (!cli_length(args->distance, &o.distance) || !(o.distance > 0))) {
    cli_error("--distance '%s': expected a length, as in 1um", args->distance);
    return CLI_BAD_INPUT;
  }
  /* With JSON on standard output no table is printed there. */
  char *json = NULL;
  size_t size = 0;
  const bool printed = args->json && strcmp(args->json, "-") == 0;
  if (args->json && !(t.json = open_memstream(&json, &size))) {
    cli_error("no memory for the rows");
    return CLI_BAD_INPUT;
  }
  t.quiet |= printed;
  int code = cli_open("cpu", args, &cx);
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_result_compare(cx, a, b, &o, show, &t));
  cli_close(cx);
  if (t.json)
    fclose(t.json);
  if (code == CLI_GOOD && args->json && !json_write(args->json, json, &t))
    code = CLI_FAILED;
  free(json);
  if (code != CLI_GOOD)
    return CLI_BAD_INPUT; /* 1 says that they differ */
  if (!t.quiet)
    printf("%d of %d figures, columns and fields differ%s\n", t.different, t.compared,
           t.moved ? "; where nodes are numbered in another order, --match position" : "");
  return t.different ? CLI_FAILED : CLI_GOOD;
}

/* --quiet means something else here than elsewhere: only the exit code counts. */
static const cli_option options[] = {
    {"tolerance", 'T', CLI_REPEAT, CLI_AT(tolerance), 0, "[NAME=]REL[,ABS]", NULL,
     "what may differ: REL times the largest magnitude of the figure, column or field, plus ABS in "
     "its unit; NAME may have * and ?; may be repeated, the last that fits counts; left out: "
     "nothing may"},
    {"snapshots", 0, CLI_TEXT, CLI_AT(snapshots), 0, "WHICH", "last|all|none",
     "whose fields are compared: of the last snapshot (if not given), all, none"},
    {"match", 0, CLI_TEXT, CLI_AT(match), 0, "HOW", "number|position",
     "nodes and cells belong together by their numbers (if not given) or by their places"},
    {"distance", 0, CLI_TEXT, CLI_AT(distance), 0, "LENGTH", NULL,
     "within which places are the same, as in 1um; left out: 1e-6 of the mesh's size"},
    {"json", 'j', CLI_FILE, CLI_AT(json), 0, "FILE", NULL,
     "write all rows to a file; -: to standard output, instead of the table"},
    {"quiet", 'q', CLI_FLAG, CLI_AT(quiet), 0, NULL, NULL, "say nothing, only the exit code"},
    {0}};
const cli_command cli_compare = {
    .name = "compare",
    .words = "A B",
    .least = 2,
    .most = 2,
    .about = "compare two results: figures, history and fields, within tolerances",
    .detail = "A and B are output folders of runs or chains, two files summary.json, or two "
              "snapshots (.vtkhdf). What depends on the clock and the machine is left out. Exit "
              "code 0: the same within the tolerances, 1: different, 2: they cannot be compared.",
    .options = options,
    .run = compare_run,
};
