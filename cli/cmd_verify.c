/* ingot verify: the verification manual, executed. Each row compares a computed figure with an
   exact or published one. */
#include "cli.h"
#include "verify/verify.h"

#include <string.h>

/* Where rows go, and how many of them passed. */
typedef struct {
  ig_ctx *cx;
  cli_page json, page;
  int passed, failed;
  bool quiet;
} table;

/* One table a room; a row can be read without the page around it. Failures are in bold. An error
   without "rel." is in the unit of the quantity. */
static void page_row(table *t, const ig_verified *r) {
  cli_page *page = &t->page;
  if (cli_page_room(page, r->room))
    fputs("| problem | quantity | source | expected | computed | error | tolerance | | backend | "
          "date |\n| --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- | --- |\n",
          page->file);
  cli_page_cell(page, r->problem);
  cli_page_cell(page, r->quantity);
  cli_page_cell(page, r->source);
  fprintf(page->file, "| %.6g | %.6g | %.2g%s | %.2g | %s | %s | %s |\n", r->expected, r->computed,
          r->error, r->relative ? " rel." : "", r->tolerance, r->pass ? "pass" : "**fail**",
          ig_ctx_backend(t->cx), page->date);
}

/* All digits: what scripts/fingerprint compares. One object a figure; `error` and `tolerance` are
   relative where `relative` is true. */
static void json_row(table *t, const ig_verified *r) {
  FILE *to = t->json.file;
  fprintf(to, "%s    {\"room\": ", t->passed + t->failed > 1 ? ",\n" : "\n");
  cli_page_quote(to, r->room);
  fputs(", \"problem\": ", to);
  cli_page_quote(to, r->problem);
  fputs(", \"quantity\": ", to);
  cli_page_quote(to, r->quantity);
  fputs(", \"source\": ", to);
  cli_page_quote(to, r->source);
  const struct {
    const char *key;
    double value;
  } number[] = {{"expected", r->expected},
                {"computed", r->computed},
                {"error", r->error},
                {"tolerance", r->tolerance}};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    fprintf(to, ", \"%s\": ", number[i].key);
    cli_page_number(to, number[i].value);
  }
  fprintf(to, ", \"relative\": %s, \"pass\": %s}", r->relative ? "true" : "false",
          r->pass ? "true" : "false");
}

/* Called for each figure. With --quiet only failures are shown. Failures stand out in capitals, so
   that a long log can be searched. */
static void show(void *user, const ig_verified *r) {
  table *t = user;
  cli_progress_end();
  /* Problems are named ROOM/NAME, as the words on the command line are. */
  char problem[96];
  snprintf(problem, sizeof problem, "%s/%s", r->room, r->problem);
  t->passed += r->pass;
  t->failed += !r->pass;
  if (!t->quiet && t->passed + t->failed == 1)
    printf("on %s: %s\n%-24s %-50s %13s %13s %9s %9s        %s\n", ig_ctx_backend(t->cx),
           ig_ctx_device(t->cx), "problem", "quantity", "expected", "computed", "error",
           "tolerance", "source");
  if (!t->quiet || !r->pass)
    printf("%-24s %-50s %13.6g %13.6g %9.2e %9.2e  %s  %s\n", problem, r->quantity, r->expected,
           r->computed, r->error, r->tolerance, r->pass ? "pass" : "FAIL", r->source);
  fflush(stdout);
  if (t->page.file)
    page_row(t, r);
  if (t->json.file)
    json_row(t, r);
}

/* One line of --list; `quick` marks what the test suite runs. */
static void list(void *user, const ig_problem *p) {
  (void)user;
  char name[96];
  snprintf(name, sizeof name, "%s/%s", p->room, p->name);
  printf("%-28s %-6s %s\n", name, p->quick ? "quick" : "", p->about);
}

/* The exit code is 1 if a figure is outside its tolerance; both files are kept in that case too, as
   the failure is in them. The page is written while problems run, so that an interrupted run has
   shown all it did. */
static int verify_run(const cli_args *args) {
  if (args->list) {
    ig_verify_list(list, NULL);
    return CLI_GOOD;
  }
  ig_ctx *cx;
  int code = cli_open(args->backend ? args->backend : "auto", args, &cx);
  if (code != CLI_GOOD)
    return code;
  table t = {.cx = cx, .quiet = args->quiet};
  code = cli_page_open(args->json, &t.json);
  if (code == CLI_GOOD)
    code = cli_page_open(args->markdown, &t.page);
  if (code != CLI_GOOD) {
    cli_page_close(&t.json, code);
    cli_close(cx);
    return code;
  }
  if (t.json.file) {
    fputs("{\n  \"backend\": ", t.json.file);
    cli_page_quote(t.json.file, ig_ctx_backend(cx));
    fputs(",\n  \"build\": ", t.json.file);
    cli_page_quote(t.json.file, ig_build_info());
    fputs(",\n  \"rows\": [", t.json.file);
  }
  if (t.page.file)
    fprintf(
        t.page.file,
        "# Verification\n\nWritten by `ingot verify%s --backend %s --markdown FILE`: %s, on %s, "
        "%s. An error marked rel. is\nrelative to what is expected, and so is its tolerance; "
        "others are in the unit of the quantity.\n\n",
        args->quick ? " --quick" : "", ig_ctx_backend(cx), ig_build_info(), ig_ctx_device(cx),
        t.page.date);
  /* Words choose rooms or problems; none: all of them. */
  code = cli_result(cx, ig_verify(cx, args->words.item, args->words.count, args->quick, show, &t));
  if (t.page.file)
    fprintf(t.page.file, "\n%d pass, %d fail.\n", t.passed, t.failed);
  if (t.json.file)
    fputs("\n  ]\n}\n", t.json.file);
  code = cli_page_close(&t.page, cli_page_close(&t.json, code));
  if (!args->quiet && (code == CLI_GOOD || t.passed + t.failed))
    printf("%d pass, %d fail\n", t.passed, t.failed);
  cli_close(cx);
  return code == CLI_GOOD && t.failed ? CLI_FAILED : code;
}

/* --quick is the selection that the test suite runs; problems are marked so in --list. */
static const cli_option options[] = {
    CLI_BACKEND,
    CLI_THREADS,
    {"quick", 0, CLI_FLAG, CLI_AT(quick), 0, NULL, NULL, "only the problems the test suite runs"},
    {"list", 'l', CLI_FLAG, CLI_AT(list), 0, NULL, NULL, "list the problems, run nothing"},
    {"json", 'j', CLI_FILE, CLI_AT(json), 0, "FILE", NULL, "write the figures to a file as well"},
    {"markdown", 'm', CLI_FILE, CLI_AT(markdown), 0, "FILE", NULL,
     "write the table to a file as well"},
    {"quiet", 'q', CLI_FLAG, CLI_AT(quiet), 0, NULL, NULL, "show only what does not pass"},
    {0}};
const cli_command cli_verify = {
    .name = "verify",
    .words = "[ROOM|NAME...]",
    .most = CLI_MAX_WORDS,
    .about = "run the verification problems and compare with exact and published figures",
    .detail = "Exit code 1 if any figure is out of its tolerance.",
    .options = options,
    .run = verify_run,
};
