/* Running cases: what the command line does, for any program. */
#ifndef INGOT_RUN_H
#define INGOT_RUN_H

#include <ingot/context.h>

IG_C_BEGIN

typedef struct ig_case ig_case;

/* Reads a case file. Fails with IG_INPUT and "file:line:column: …" if it is no YAML that Ingot
   takes; unknown keys and bad values show when the case is checked or run. */
IG_API IG_MUST_CHECK ig_status ig_case_open(ig_ctx *cx, const char *path, ig_case **c);
/* An empty case, to be filled by ig_case_set. */
IG_API IG_MUST_CHECK ig_status ig_case_new(ig_ctx *cx, ig_case **c);
/* Sets one key, "output.every" = "100", "sources[0].power" = "200 W"; before the case is run. The
   value is written as in a case file: "[1, 2, 3]" is a list, "{a: 1}" a map. An index one past the
   end of a list appends to it. */
IG_API IG_MUST_CHECK ig_status ig_case_set(ig_case *c, const char *key, const char *value);
/* The text of a scalar the case holds, NULL if that key is not given (defaults are not looked up)
   or is no scalar. */
IG_API const char *ig_case_get(const ig_case *c, const char *key);
IG_API void ig_case_close(ig_case *c);

typedef struct {
  const char *out;     /* output folder; NULL: none is written */
  const char *restart; /* checkpoint to continue from; NULL: from the start */
} ig_run_options;
IG_API IG_MUST_CHECK ig_status ig_run(ig_case *c, const ig_run_options *options);

/* Validates a case and reports mesh statistics, critical step, memory; runs nothing. */
typedef void ig_line_fn(void *user, const char *label, const char *value);
IG_API IG_MUST_CHECK ig_status ig_check(ig_case *c, ig_line_fn *line, void *user);

/* What a case file may say, from the tables that read it: docs/case-reference.md in Markdown, and
   the dotted keys ("sources[].power"), one a line, for completing --set. Room NULL: all of them. */
typedef void ig_text_fn(void *user, const char *text);
IG_API IG_MUST_CHECK ig_status ig_reference(ig_ctx *cx, ig_text_fn *text, void *user);
IG_API IG_MUST_CHECK ig_status ig_completion(ig_ctx *cx, const char *room, ig_text_fn *text,
                                             void *user);

IG_C_END
#endif
