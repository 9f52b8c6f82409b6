/* Limits of figures. */
#include "core/limit.h"
#include "core/number.h"
#include "core/option.h"
#include <ingot/run.h>

#include <stdio.h>

bool ig_limit_broken(const char *min, const char *max, double value, const char *unit, char *why,
                     size_t size) {
  const char *const limit[] = {min, max};
  for (int k = 0; k < 2; k++) {
    char problem[160] = "";
    double bound;
    if (!limit[k])
      continue;
    if (!ig_number_read(limit[k], unit, &bound, problem, sizeof problem)) {
      ig_format(why, size, "is in %s: '%.60s' cannot be compared with it", *unit ? unit : "1",
                limit[k]);
      return true;
    }
    if (!(k ? value <= bound : value >= bound)) {
      char text[64]; /* in a unit for reading, as limits have it */
      snprintf(why, size, "= %s is %s %.60s", ig_figure_text("", value, unit, text),
               k ? "above" : "below", limit[k]);
      return true;
    }
  }
  return false;
}
