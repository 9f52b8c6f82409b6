/* Lists of rooms. */
#ifndef IG_RUN_ROOMS_H
#define IG_RUN_ROOMS_H

#include "core/room.h"

/* Every room of run/room_list.h, ended by NULL. */
const ig_room *const *ig_rooms(void);
/* The same and those that a program added to the context (ingot/room.h). */
const ig_room *const *ig_rooms_of(const ig_ctx *cx);
/* The built-in room of that name, NULL if there is none. */
const ig_room *ig_room_find(const char *name);

#endif
