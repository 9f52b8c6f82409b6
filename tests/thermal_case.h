/* Cases of the heat room as text: run them on a backend, read the last row of their history. */
#ifndef THERMAL_CASE_H
#define THERMAL_CASE_H

#include "check.h"
#include "folder.h"
#include <ingot/run.h>

static char *folder;

static inline void text_write(const char *name, const char *text) {
  file_write(in_folder(folder, name), text, strlen(text));
}

/* Runs folder/case.yaml into folder/out with keys set (ended by NULL); the last row's columns. */
typedef struct {
  int columns;
  char name[64][32];
  double value[64];
} row;
static ig_status case_run(const char *backend, const char *out, const char *restart,
                          const char *const *keys, row *last, char *message) {
  char path[400], into[300], from[300], line[4096];
  snprintf(path, sizeof path, "%s/case.yaml", folder);
  snprintf(into, sizeof into, "%s/%s", folder, out);
  snprintf(from, sizeof from, "%s/%s/checkpoint.h5", folder, restart ? restart : "");
  ig_ctx *cx = ctx_on(backend, 1);
  ig_case *c;
  GOOD(cx, ig_case_open(cx, path, &c));
  for (; keys && *keys; keys += 2)
    GOOD(cx, ig_case_set(c, keys[0], keys[1]));
  const ig_run_options o = {.out = into, .restart = restart ? from : NULL};
  const ig_status status = ig_run(c, &o);
  if (message)
    snprintf(message, 1024, "%s", ig_ctx_message(cx));
  else if (status != IG_OK)
    fail_msg("%s", ig_ctx_message(cx));
  ig_case_close(c);
  ig_ctx_close(cx);
  if (!last)
    return status;
  memset(last, 0, sizeof *last);
  snprintf(path, sizeof path, "%s/history.csv", into);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  for (bool first = true; fgets(line, sizeof line, f); first = false) {
    int i = 0;
    for (char *p = strtok(line, ",\n"); p && i < 64; p = strtok(NULL, ",\n"), i++)
      if (first)
        snprintf(last->name[i], sizeof last->name[i], "%.31s", p);
      else
        last->value[i] = strtod(p, NULL);
    last->columns = i;
  }
  fclose(f);
  return status;
}
static double of(const row *r, const char *name) {
  for (int i = 0; i < r->columns; i++)
    if (strncmp(r->name[i], name, strlen(name)) == 0 && strchr(" [", r->name[i][strlen(name)]))
      return r->value[i];
  fail_msg("no column '%s'", name);
  return NAN;
}

/* folder/case.yaml with these keys is refused, with these words. */
static inline void case_refused(const char *const *keys, const char *words) {
  char message[1024];
  assert_int_equal(case_run("cpu", "bad", NULL, keys, NULL, message), IG_INPUT);
  if (!strstr(message, words))
    fail_msg("'%s' lacks '%s'", message, words);
}

/* The tests of a program, run in a folder of its own. */
#define IN_FOLDER(tests)                                                                           \
  int failed;                                                                                      \
  folder = folder_new();                                                                           \
  assert_int_equal(chdir(folder), 0);                                                              \
  failed = cmocka_run_group_tests(tests, NULL, NULL);                                              \
  assert_int_equal(chdir("/"), 0);                                                                 \
  folder_remove(folder);                                                                           \
  return failed

#endif
