/* Round numbers along an axis or a color bar. */
#include "core/ticks.h"
#include "core/number.h"

#include <float.h>
#include <math.h>

bool ig_range_spans(double low, double high) {
  const double large = fmax(fabs(low), fabs(high));
  /* in halves, as the difference of two large numbers may overflow */
  const double half = high / 2 - low / 2;
  return isfinite(low) && isfinite(high) && half > DBL_MIN && half > 0.5e-12 * large;
}

/* Heckbert's nice numbers (Graphics Gems, 1990): the distance that `wanted` ticks would have is
   rounded to 1, 2, 5 or 10 times a power of ten. The limits 1.5, 3.5 and 7.5 are the middles
   between those numbers. */
ig_ticks ig_ticks_between(double low, double high, int wanted) {
  ig_ticks t = {0};
  if (!ig_range_spans(low, high) || wanted < 1)
    return t;
  /* Between 10^-307 and 10^308 a power of ten is a normal number. */
  const double raw = (high / 2 - low / 2) / wanted * 2;
  const double power = pow(10, fmax(floor(log10(raw)), -307)), m = raw / power;
  const double step = power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
  if (!isfinite(step))
    return t;
  /* The count is an integer: adding the step to a large value may not change it. */
  const double first = ceil(low / step - 1e-9), slack = 1e-9 * step;
  for (int k = 0; k < IG_TICKS; k++) {
    const double n = first + k, v = n * step;
    if (v >= low - slack && v <= high + slack && isfinite(v))
      t.value[t.count++] = n == 0 ? 0 : v; /* not -0 */
  }
  const double large = fmax(fabs(low), fabs(high));
  t.digits = (int)fmax(4, floor(log10(large)) - floor(log10(step) + 1e-9) + 1);
  return t;
}

void ig_tick_text(const ig_ticks *t, int k, char text[IG_TICK_TEXT]) {
  ig_format(text, IG_TICK_TEXT, "%.*g", t->digits, t->value[k]);
}
