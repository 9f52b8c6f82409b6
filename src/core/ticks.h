/* Round numbers along an axis or a color bar. */
#ifndef IG_CORE_TICKS_H
#define IG_CORE_TICKS_H

#include <stdbool.h>
#include <stddef.h>

enum { IG_TICKS = 16, IG_TICK_TEXT = 32 };

typedef struct {
  int count; /* 0: the range is empty, not finite, or constant to rounding */
  double value[IG_TICKS];
  int digits; /* significant ones: enough for labels that differ */
} ig_ticks;

/* Whether a range is worth dividing: finite, and wider than the rounding of its values. */
bool ig_range_spans(double low, double high);
/* Multiples of 1, 2 or 5 times a power of ten within low..high, rising, about `wanted` of them. */
ig_ticks ig_ticks_between(double low, double high, int wanted);
/* The label of tick `k`. */
void ig_tick_text(const ig_ticks *ticks, int k, char text[IG_TICK_TEXT]);

#endif
