/* Picking problems by name, for verify and bench. */
#ifndef IG_RUN_PICK_H
#define IG_RUN_PICK_H

#include "run/rooms.h"

/* A problem is called "ROOM/NAME"; "ROOM" or "NAME" alone pick it too, none given picks all. */
bool ig_pick(const char *const *names, int count, const char *room, const char *name);
/* Fails unless each of `names` picks something. `next` walks the
   problems of a room: the name of number i, NULL at the end. */
typedef const char *ig_pick_next(const ig_room *room, int i);
IG_MUST_CHECK ig_status ig_pick_check(ig_ctx *cx, const char *const *names, int count,
                                      ig_pick_next *next, const char *what);

#endif
