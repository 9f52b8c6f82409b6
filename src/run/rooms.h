/* Lists of rooms. */
#ifndef IG_RUN_ROOMS_H
#define IG_RUN_ROOMS_H

#include "core/room.h"

/* Every room of run/room_list.h, ended by NULL. */
const ig_room *const *ig_rooms(void);
/* Rooms of a context: those of the library, followed by the added ones. `list` is what ig_rooms_of
   returns; it is replaced by a longer one with each room added. */
struct ig_added_rooms {
  struct added *first;  /* descriptions, added_room.c */
  const ig_room **list; /* ended by NULL */
};
/* The same and those that a program added to the context (ingot/room.h). */
const ig_room *const *ig_rooms_of(const ig_ctx *cx);
/* The built-in room of that name, NULL if there is none. */
const ig_room *ig_room_find(const char *name);

#endif
