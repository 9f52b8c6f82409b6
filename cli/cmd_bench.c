/* ingot bench: how fast, and against which limit. Figures go to the terminal, and on request to
   JSON, with all digits, and to Markdown. */
#include "cli.h"
#include "bench/bench.h"

/* Where rows go; `rows` counts those written. */
typedef struct {
  ig_ctx *cx;
  cli_page json, page;
  int rows;
} table;

/* A figure, or '-' where the benchmark has none of the kind. */
static const char *figure(double value, const char *unit) {
  return value > 0 ? cli_scaled(value, unit) : "-";
}

/* Bytes moved per second, as far as the benchmark counts them. A benchmark that moves no memory
   worth counting has no such figure. */
static const char *moved(const ig_benched *r) {
  return r->seconds > 0 ? figure(r->bytes / r->seconds, "B/s") : "-";
}

/* The share of the copy bandwidth, in `text` of 16 letters. */
static const char *share(const ig_benched *r, int digits, char *text) {
  if (!(r->fraction > 0))
    return "-";
  snprintf(text, 16, "%.*f %%", digits, 100 * r->fraction);
  return text;
}

/* A row of the Markdown page; a new room begins a new table. */
static void page_row(table *t, const ig_benched *r, const char *rate_unit) {
  cli_page *page = &t->page;
  if (cli_page_room(page, r->room))
    fputs("| benchmark | elements | time | rate | memory | moved | of copy | |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
          page->file);
  cli_page_cell(page, r->name);
  char text[16];
  fprintf(page->file, "| %s | %s | %s ", figure(r->elements, ""),
          r->seconds > 0 ? cli_duration(r->seconds) : "-", figure(r->rate, rate_unit));
  fprintf(page->file, "| %s | %s | %s ", figure(r->memory, "B"), moved(r), share(r, 0, text));
  cli_page_cell(page, r->note);
  fputs("|\n", page->file);
}

/* Called for each benchmark when it is done: to the terminal at once, then to the files. The first
   row is preceded by the device and its measured copy bandwidth, against which all are compared. */
static void show(void *user, const ig_benched *r) {
  table *t = user;
  cli_progress_end();
  if (!t->rows++)
    printf("on %s: %s, copy %s\n%-40s %10s %9s  %-24s %9s %11s %8s\n", ig_ctx_backend(t->cx),
           ig_ctx_device(t->cx), cli_scaled(r->copy, "B/s"), "benchmark", "elements", "time",
           "rate", "memory", "moved", "of copy");
  /* Rates are per second of whatever the benchmark counts. */
  char unit[64];
  snprintf(unit, sizeof unit, "%s/s", r->rate_unit);
  char text[16];
  printf("%-40s %10s %9s  %-24s %9s %11s %8s  %s\n", r->name, figure(r->elements, ""),
         r->seconds > 0 ? cli_duration(r->seconds) : "-", figure(r->rate, unit),
         figure(r->memory, "B"), moved(r), share(r, 1, text), r->note);
  fflush(stdout);
  if (t->page.file) {
    if (t->rows == 1)
      fprintf(t->page.file, "The device copies %s, read and written bytes both counted.\n\n",
              cli_scaled(r->copy, "B/s"));
    page_row(t, r, unit);
  }
  FILE *to = t->json.file;
  if (!to)
    return;
  fprintf(to, "%s    {\"room\": ", t->rows > 1 ? ",\n" : "\n");
  cli_page_quote(to, r->room);
  fputs(", \"bench\": ", to);
  cli_page_quote(to, r->bench);
  fputs(", \"name\": ", to);
  cli_page_quote(to, r->name);
  fputs(", \"rate_unit\": ", to);
  cli_page_quote(to, r->rate_unit);
  fprintf(to,
          ", \"elements\": %.17g, \"steps\": %.17g, \"seconds\": %.9g, \"rate\": %.9g, "
          "\"bytes\": %.17g, \"memory\": %.17g, \"copy_fraction\": %.6g, \"note\": ",
          r->elements, r->steps, r->seconds, r->rate, r->bytes, r->memory, r->fraction);
  cli_page_quote(to, r->note);
  fputc('}', to);
}

/* One line of --list. */
static void list(void *user, const ig_problem *p) {
  (void)user;
  char name[96];
  snprintf(name, sizeof name, "%s/%s", p->room, p->name);
  printf("%-28s %s\n", name, p->about);
}

/* Both files are opened before anything runs, so that a wrong path is found at once. Words choose
   rooms or benchmarks; none: all of them. */
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
  code = cli_page_open(args->json, &t.json);
  if (code == CLI_GOOD)
    code = cli_page_open(args->markdown, &t.page);
  if (code != CLI_GOOD) {
    cli_page_close(&t.json, code);
    cli_close(cx);
    return code;
  }
  /* The head of the JSON: what the figures were measured with and on. */
  if (t.json.file) {
    fputs("{\n  \"backend\": ", t.json.file);
    cli_page_quote(t.json.file, ig_ctx_backend(cx));
    fputs(",\n  \"device\": ", t.json.file);
    cli_page_quote(t.json.file, ig_ctx_device(cx));
    fputs(",\n  \"build\": ", t.json.file);
    cli_page_quote(t.json.file, ig_build_info());
    fputs(",\n  \"rows\": [", t.json.file);
  }
  if (t.page.file) {
    /* The page begins with the command that makes it again. */
    fputs("# Benchmarks\n\n`ingot bench", t.page.file);
    for (int i = 0; i < args->words.count; i++)
      fprintf(t.page.file, " %s", args->words.item[i]);
    if (args->smoke)
      fputs(" --smoke", t.page.file);
    fprintf(t.page.file, " --backend %s --markdown FILE`: %s, on %s, %s.\n", ig_ctx_backend(cx),
            ig_build_info(), ig_ctx_device(cx), t.page.date);
  }
  code = cli_result(cx, (args->smoke ? ig_bench_smoke : ig_bench)(cx, args->words.item,
                                                                  args->words.count, show, &t));
  if (t.json.file)
    fputs("\n  ]\n}\n", t.json.file);
  /* Files are kept only if all benchmarks ran. */
  code = cli_page_close(&t.page, cli_page_close(&t.json, code));
  cli_close(cx);
  return code;
}

/* --smoke is what the tests run: it shows that every benchmark still works. */
static const cli_option options[] = {
    CLI_BACKEND,
    CLI_THREADS,
    {"json", 'j', CLI_FILE, CLI_AT(json), 0, "FILE", NULL, "write the figures to a file as well"},
    {"markdown", 'm', CLI_FILE, CLI_AT(markdown), 0, "FILE", NULL,
     "write them as tables, one a room, as well"},
    {"smoke", 0, CLI_FLAG, CLI_AT(smoke), 0, NULL, NULL,
     "smallest sizes, few steps: shows that they run, in seconds; the times measure nothing"},
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
