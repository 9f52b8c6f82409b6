/* Choosing problems by name. */
#include "verify/problems.h"
#include "core/ctx.h"

#include <stdio.h>
#include <string.h>

static bool matches(const char *wanted, const char *room, const char *name) {
  const size_t n = strlen(room);
  return strcmp(wanted, room) == 0 || strcmp(wanted, name) == 0 ||
         (strncmp(wanted, room, n) == 0 && wanted[n] == '/' && strcmp(wanted + n + 1, name) == 0);
}

bool ig_problem_chosen(const char *const *names, int count, const char *room, const char *name) {
  for (int i = 0; i < count; i++)
    if (matches(names[i], room, name))
      return true;
  return count == 0;
}

typedef struct {
  const char *wanted;
  bool found;
} search;

static void look(void *user, const ig_problem *p) {
  search *s = user;
  s->found |= matches(s->wanted, p->room, p->name);
}

ig_status ig_problems_check(ig_ctx *cx, const char *const *names, int count, ig_problem_list *list,
                            const char *what) {
  for (int k = 0; k < count; k++) {
    search s = {.wanted = names[k]};
    list(look, &s);
    if (!s.found)
      return IG_FAIL(cx, IG_INPUT, "no %s is called '%s': --list names them", what, names[k]);
  }
  return IG_OK;
}
