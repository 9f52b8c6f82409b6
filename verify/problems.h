/* Names of verification problems and benchmarks. */
#ifndef IG_VERIFY_PROBLEMS_H
#define IG_VERIFY_PROBLEMS_H

#include <ingot/context.h>

typedef struct {
  const char *room, *name, *about;
  bool quick; /* of a verification problem: runs in the test suite too */
} ig_problem;
typedef void ig_problem_fn(void *user, const ig_problem *problem);

/* A problem is called "ROOM/NAME"; "ROOM" or "NAME" alone choose it too, none given chooses
   all. */
bool ig_problem_chosen(const char *const *names, int count, const char *room, const char *name);
/* Fails unless each of `names` chooses something. `list` lists all problems. */
typedef void ig_problem_list(ig_problem_fn *problem, void *user);
IG_MUST_CHECK ig_status ig_problems_check(ig_ctx *cx, const char *const *names, int count,
                                          ig_problem_list *list, const char *what);

#endif
