/* ingot verify: the verification manual, executed. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <string.h>

typedef struct {
  ig_ctx *cx;
  FILE *markdown;
  int passed, failed;
  bool quiet;
} table;

static void show(void *user, const ig_verified *r) {
  table *t = user;
  cli_progress_end();
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
  if (t->markdown)
    fprintf(t->markdown, "| %s | %s | %s | %.6g | %.6g | %.2g%s | %.2g | %s |\n", problem,
            r->quantity, r->source, r->expected, r->computed, r->error, r->relative ? " rel" : "",
            r->tolerance, r->pass ? "pass" : "**fail**");
}

static void list(void *user, const ig_problem *p) {
  (void)user;
  char name[96];
  snprintf(name, sizeof name, "%s/%s", p->room, p->name);
  printf("%-28s %-6s %s\n", name, p->quick ? "quick" : "", p->about);
}

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
  char part[4096] = "";
  if (args->markdown) {
    snprintf(part, sizeof part, "%s.part", args->markdown);
    t.markdown = fopen(part, "w");
    if (!t.markdown) {
      cli_error("%s: %s", part, strerror(errno));
      cli_close(cx);
      return CLI_BAD_INPUT;
    }
    fprintf(t.markdown,
            "# Verification\n\nMade by `ingot verify%s --backend %s` (%s) on %s.\n\n"
            "| problem | quantity | source | expected | computed | error | tolerance | |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
            args->quick ? " --quick" : "", ig_ctx_backend(cx), ig_build_info(), ig_ctx_device(cx));
  }
  code = cli_result(cx, ig_verify(cx, args->words.item, args->words.count, args->quick, show, &t));
  if (t.markdown) {
    fprintf(t.markdown, "\n%d pass, %d fail.\n", t.passed, t.failed);
    if (fclose(t.markdown) != 0 || rename(part, args->markdown) != 0) {
      cli_error("%s: %s", args->markdown, strerror(errno));
      code = CLI_FAILED;
    }
  }
  if (!args->quiet && (code == CLI_GOOD || t.passed + t.failed))
    printf("%d pass, %d fail\n", t.passed, t.failed);
  cli_close(cx);
  return code == CLI_GOOD && t.failed ? CLI_FAILED : code;
}

static const cli_option options[] = {
    CLI_BACKEND,
    CLI_THREADS,
    {"quick", 0, CLI_FLAG, CLI_AT(quick), 0, NULL, NULL, "only the problems the test suite runs"},
    {"list", 'l', CLI_FLAG, CLI_AT(list), 0, NULL, NULL, "list the problems, run nothing"},
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
