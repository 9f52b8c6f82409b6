/* Where the running program lies: an installed tree may have been moved. */
#ifndef IG_CORE_PROGRAM_H
#define IG_CORE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* The folder so many levels above the running program, at least 1: PREFIX/bin is 1 and PREFIX is 2
   of PREFIX/bin/ingot; "" is the root. False: it is not known. */
bool ig_program_above(int levels, char *folder, size_t size);

#endif
