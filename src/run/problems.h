/* Choosing problems by name, for verify and bench. */
#ifndef IG_RUN_PROBLEMS_H
#define IG_RUN_PROBLEMS_H

#include "run/rooms.h"

/* A problem is called "ROOM/NAME"; "ROOM" or "NAME" alone choose it too, none given chooses
   all. */
bool ig_problem_chosen(const char *const *names, int count, const char *room, const char *name);
/* Fails unless each of `names` chooses something. `next` walks the problems of a room: the name of
   number i, NULL at the end. */
typedef const char *ig_problem_next(const ig_room *room, int i);
IG_MUST_CHECK ig_status ig_problems_check(ig_ctx *cx, const char *const *names, int count,
                                          ig_problem_next *next, const char *what);

#endif
