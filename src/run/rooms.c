/* The table of built-in rooms, expanded from room_list.h. No registration at run time, so there is
   no global state and the linker keeps exactly the rooms that are listed. */
#include "run/rooms.h"
#include "run/room_list.h"

#include <string.h>

#define X(name) extern const ig_room ig_room_##name;
IG_ROOM_LIST(X)
#undef X

const ig_room *const *ig_rooms(void) {
  static const ig_room *const rooms[] = {
#define X(name) &ig_room_##name,
    IG_ROOM_LIST(X)
#undef X
        NULL
  };
  return rooms;
}

const ig_room *const *ig_rooms_of(const ig_ctx *cx) {
  return cx->rooms && cx->rooms->list ? cx->rooms->list : ig_rooms();
}

const ig_room *ig_room_find(const char *name) {
  for (const ig_room *const *room = ig_rooms(); *room; room++)
    if (strcmp((*room)->name, name) == 0)
      return *room;
  return NULL;
}
