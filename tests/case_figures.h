/* Whole cases, as keys and values, whose figures are held against hand calculations. */
#ifndef IG_TESTS_CASE_FIGURES_H
#define IG_TESTS_CASE_FIGURES_H

#include "check.h"
#include <ingot/run.h>

enum { MOST_FIGURES = 16 };

/* Tables of these end with an entry of NULLs. */
typedef struct {
  const char *key, *value;
} entry;
typedef struct {
  const char *name;
  double value, tolerance; /* relative; absolute where the value is 0 */
} wanted;

typedef struct {
  const wanted *want;
  double value[MOST_FIGURES];
} seen_figures;

static inline void figure_see(void *user, const char *key, double value, const char *unit,
                              const char *text) {
  (void)unit, (void)text;
  seen_figures *seen = user;
  for (int i = 0; i < MOST_FIGURES && seen->want[i].name; i++)
    if (strcmp(key, seen->want[i].name) == 0)
      seen->value[i] = value;
}

static inline ig_case *case_with(ig_ctx *cx, const char *physics, const entry *set) {
  ig_case *c;
  GOOD(cx, ig_case_new(cx, &c));
  GOOD(cx, ig_case_set(c, "physics", physics));
  for (int i = 0; i < MOST_FIGURES && set[i].key; i++)
    GOOD(cx, ig_case_set(c, set[i].key, set[i].value));
  return c;
}

/* Runs the case, compares its figures, closes case and context. */
static inline void case_holds(ig_ctx *cx, ig_case *c, const char *name, const wanted *want) {
  seen_figures seen = {.want = want};
  for (int i = 0; i < MOST_FIGURES; i++)
    seen.value[i] = NAN;
  GOOD(cx, ig_run(c, &(ig_run_options){.figure = figure_see, .user = &seen}));
  for (int i = 0; i < MOST_FIGURES && want[i].name; i++) {
    const double size = want[i].value != 0 ? fabs(want[i].value) : 1;
    if (!(fabs(seen.value[i] - want[i].value) <= want[i].tolerance * size))
      fail_msg("%s: %s on %s: %.8g, expected %.8g", name, want[i].name, ig_ctx_backend(cx),
               seen.value[i], want[i].value);
  }
  ig_case_close(c);
  ig_ctx_close(cx);
}

static inline void case_fails(ig_ctx *cx, ig_case *c, const char *words) {
  BAD(cx, ig_run(c, &(ig_run_options){0}), words);
  ig_case_close(c);
  ig_ctx_close(cx);
}

#endif
