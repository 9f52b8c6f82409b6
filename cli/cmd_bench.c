/* ingot bench: how fast, and against which limit. */
#include "cli.h"

#include <errno.h>
#include <string.h>

typedef struct {
  ig_ctx *cx;
  FILE *json;
  int rows;
} table;

static void quote(FILE *to, const char *text) {
  fputc('"', to);
  for (const char *c = text; *c; c++)
    if (*c == '"' || *c == '\\')
      fprintf(to, "\\%c", *c);
    else if ((unsigned char)*c < 32)
      fprintf(to, "\\u%04x", (unsigned)*c);
    else
      fputc(*c, to);
  fputc('"', to);
}

static void show(void *user, const ig_benched *r) {
  table *t = user;
  cli_progress_end();
  if (!t->rows++)
    printf("on %s: %s, copy %s\n%-40s %10s %9s  %-24s %9s %11s %8s\n", ig_ctx_backend(t->cx),
           ig_ctx_device(t->cx), cli_scaled(r->copy, "B/s"), "benchmark", "elements", "time",
           "rate", "memory", "moved", "of copy");
  char unit[64];
  snprintf(unit, sizeof unit, "%s/s", r->rate_unit);
  printf("%-40s %10s %9s  %-24s %9s %11s %6.1f %%  %s\n", r->name, cli_scaled(r->elements, ""),
         cli_duration(r->seconds), cli_scaled(r->rate, unit), cli_scaled(r->memory, "B"),
         cli_scaled(r->seconds > 0 ? r->bytes / r->seconds : 0, "B/s"), 100 * r->fraction, r->note);
  fflush(stdout);
  if (!t->json)
    return;
  fprintf(t->json, "%s    {\"room\": ", t->rows > 1 ? ",\n" : "\n");
  quote(t->json, r->room);
  fputs(", \"bench\": ", t->json);
  quote(t->json, r->bench);
  fputs(", \"name\": ", t->json);
  quote(t->json, r->name);
  fputs(", \"rate_unit\": ", t->json);
  quote(t->json, r->rate_unit);
  fprintf(t->json,
          ", \"elements\": %.17g, \"steps\": %.17g, \"seconds\": %.9g, \"rate\": %.9g, "
          "\"bytes\": %.17g, \"memory\": %.17g, \"copy_fraction\": %.6g, \"note\": ",
          r->elements, r->steps, r->seconds, r->rate, r->bytes, r->memory, r->fraction);
  quote(t->json, r->note);
  fputc('}', t->json);
}

static void list(void *user, const ig_problem *p) {
  (void)user;
  char name[96];
  snprintf(name, sizeof name, "%s/%s", p->room, p->name);
  printf("%-28s %s\n", name, p->about);
}

static int bench_run(const cli_args *args) {
  if (args->list) {
    ig_bench_list(list, NULL);
    return CLI_GOOD;
  }
  ig_ctx *cx;
  int code = cli_open(args->backend ? args->backend : "auto", args, &cx);
  if (code != CLI_GOOD)
    return code;
  table t = {.cx = cx};
  char part[4096] = "";
  if (args->json) {
    snprintf(part, sizeof part, "%s.part", args->json);
    t.json = fopen(part, "w");
    if (!t.json) {
      cli_error("%s: %s", part, strerror(errno));
      cli_close(cx);
      return CLI_BAD_INPUT;
    }
    fputs("{\n  \"backend\": ", t.json);
    quote(t.json, ig_ctx_backend(cx));
    fputs(",\n  \"device\": ", t.json);
    quote(t.json, ig_ctx_device(cx));
    fputs(",\n  \"build\": ", t.json);
    quote(t.json, ig_build_info());
    fputs(",\n  \"rows\": [", t.json);
  }
  code = cli_result(cx, ig_bench(cx, args->words.item, args->words.count, show, &t));
  if (t.json) {
    fputs("\n  ]\n}\n", t.json);
    if (fclose(t.json) != 0 || (code == CLI_GOOD && rename(part, args->json) != 0)) {
      cli_error("%s: %s", args->json, strerror(errno));
      code = CLI_FAILED;
    }
    if (code != CLI_GOOD)
      remove(part);
  }
  cli_close(cx);
  return code;
}

static const cli_option options[] = {
    CLI_BACKEND,
    CLI_THREADS,
    {"json", 'j', CLI_FILE, CLI_AT(json), 0, "FILE", NULL, "write the figures to a file as well"},
    {"list", 'l', CLI_FLAG, CLI_AT(list), 0, NULL, NULL, "list the benchmarks, run nothing"},
    {0}};
const cli_command cli_bench = {
    .name = "bench",
    .words = "[ROOM|NAME...]",
    .most = CLI_MAX_WORDS,
    .about = "measure speed, and compare with what memory bandwidth allows",
    .detail = "The last column is the share of this device's measured copy bandwidth that the "
              "bytes the work must move took up.",
    .options = options,
    .run = bench_run,
};
