/* Units as people read them: MPa and mm instead of Pa and m. */
#ifndef IG_CORE_DISPLAY_H
#define IG_CORE_DISPLAY_H

#include <stdbool.h>

enum { IG_DISPLAY_UNIT = 32 };

typedef struct {
  double factor, shift;       /* shown number = factor * SI value + shift */
  char unit[IG_DISPLAY_UNIT]; /* of the shown number; "" if it has none */
} ig_display;

/* For values up to `largest` in the SI unit `unit`: a prefix that leaves few zeros. Lengths are in
   mm and stresses in MPa over the range that is usual in engineering. Units that take no prefix (K,
   1/s) stay as they are. */
ig_display ig_display_for(const char *unit, double largest);
/* The same for a quantity of that name, with temperatures (not differences of them) in degrees
   Celsius where asked for. */
ig_display ig_display_of(const char *name, const char *unit, double largest, bool celsius);
static inline double ig_display_number(const ig_display *d, double value) {
  return d->factor * value + d->shift;
}

#endif
