/* Limits of figures: texts with units, as cases have them. */
#ifndef IG_CORE_LIMIT_H
#define IG_CORE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a value in `unit` (SI) is below `min` or above `max`, such as "400 MPa"; NULL: no limit.
   A limit of other dimensions counts as broken. why: what is wrong, to follow the figure's name. */
bool ig_limit_broken(const char *min, const char *max, double value, const char *unit, char *why,
                     size_t size);

#endif
