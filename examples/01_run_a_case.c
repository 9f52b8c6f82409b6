/* Runs a case and prints its figures.
     ./01_run_a_case share/ingot/cases/thermal/first.yaml "duration=0.2 s" */
#include <ingot/ingot.h>
#include <stdio.h>
#include <string.h>

static void figure(void *user, const char *key, double value, const char *unit, const char *text) {
  (void)user;
  if (text)
    printf("%-24s %s\n", key, text);
  else
    printf("%-24s %.6g %s\n", key, value, unit);
}

int main(int argc, char **argv) {
  ig_ctx *cx;
  ig_case *c = NULL;
  ig_status status = ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cx);
  if (status == IG_OK)
    status = ig_case_open(cx, argc > 1 ? argv[1] : "case.yaml", &c);
  for (int i = 2; i < argc && status == IG_OK; i++) { /* KEY=VALUE */
    char *value = strchr(argv[i], '=');
    if (value)
      *value++ = '\0';
    status = ig_case_set(c, argv[i], value ? value : "");
  }
  if (status == IG_OK)
    status = ig_run(c, &(ig_run_options){.figure = figure});
  if (status != IG_OK)
    fprintf(stderr, "%s: %s\n", ig_status_text(status), ig_ctx_message(cx));
  ig_case_close(c);
  ig_ctx_close(cx);
  return status == IG_OK ? 0 : 1;
}
