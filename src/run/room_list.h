/* Every room, once. Adding one is a line here and a folder beside this one; rooms.c expands the
   list. `shape` reads results of other runs and therefore needs INGOT_IO. */
#include "ingot_io.h"

#ifdef INGOT_HAVE_IO /* it reads what others wrote */
#define IG_ROOM_LIST_IO(X) X(shape)
#else
#define IG_ROOM_LIST_IO(X)
#endif
#define IG_ROOM_LIST(X)                                                                            \
  X(thermal)                                                                                       \
  X(topopt) X(fracture) X(dynamics) X(stress) X(structure) X(powder) X(grains) IG_ROOM_LIST_IO(X)
