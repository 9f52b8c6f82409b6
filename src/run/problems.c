/* Choosing problems by name. */
#include "run/problems.h"

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

ig_status ig_problems_check(ig_ctx *cx, const char *const *names, int count, ig_problem_next *next,
                            const char *what) {
  for (int k = 0; k < count; k++) {
    bool found = false;
    for (const ig_room *const *room = ig_rooms(); *room && !found; room++) {
      found = strcmp(names[k], (*room)->name) == 0;
      for (int i = 0; !found && next(*room, i); i++)
        found = matches(names[k], (*room)->name, next(*room, i));
    }
    if (!found)
      return IG_FAIL(cx, IG_INPUT, "no %s is called '%s': --list names them", what, names[k]);
  }
  return IG_OK;
}
