/* Every room, once. Adding one is a line here and a folder beside this one. */
#define IG_ROOM_LIST(X) X(thermal) X(topopt) X(fracture) X(dynamics)
