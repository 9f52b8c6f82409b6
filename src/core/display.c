/* Units as people read them: a table of SI units with the prefixes they take. */
#include "core/display.h"
#include "core/number.h"
#include <ingot/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* From `least` on, by absolute value. A value is shown in the first unit of its list whose limit
   it reaches, one that reaches none, such as a rounding error of a force, in the SI unit. Limits
   are not powers of 1000 throughout: stresses stay in MPa up to 10 GPa and lengths in mm up to 2 m,
   as drawings have them. */
typedef struct {
  const char *unit, *shown;
  double least, factor;
} prefix;

/* Of each unit the largest first. */
static const prefix prefixes[] = {
    {"Pa", "GPa", 1e10, 1e-9},
    {"Pa", "MPa", 1e4, 1e-6},
    {"Pa", "kPa", 1e2, 1e-3},
    {"m", "m", 2, 1},
    {"m", "mm", 1e-4, 1e3},
    {"m", "um", 1e-7, 1e6},
    {"m", "nm", 1e-10, 1e9},
    {"m^2", "m^2", 1, 1},
    {"m^2", "mm^2", 1e-8, 1e6},
    {"m^2", "um^2", 1e-16, 1e12},
    {"m^3", "m^3", 1, 1},
    {"m^3", "mm^3", 1e-11, 1e9},
    {"m^3", "um^3", 1e-22, 1e18},
    {"s", "s", 1, 1},
    {"s", "ms", 1e-3, 1e3},
    {"s", "us", 1e-6, 1e6},
    {"s", "ns", 0, 1e9},
    {"N", "MN", 1e6, 1e-6},
    {"N", "kN", 1e3, 1e-3},
    {"N", "N", 1e-1, 1},
    {"N", "mN", 1e-5, 1e3},
    {"N m", "kN m", 1e3, 1e-3},
    {"J", "MJ", 1e6, 1e-6},
    {"J", "kJ", 1e3, 1e-3},
    {"J", "J", 1e-1, 1},
    {"J", "mJ", 1e-4, 1e3},
    {"J", "uJ", 1e-8, 1e6},
    {"W", "kW", 1e3, 1e-3},
    {"W", "W", 1e-1, 1},
    {"W", "mW", 1e-5, 1e3},
    {"J/m^3", "GJ/m^3", 1e9, 1e-9},
    {"J/m^3", "MJ/m^3", 1e6, 1e-6},
    {"J/m^3", "kJ/m^3", 1e3, 1e-3},
    {"J/m^2", "kJ/m^2", 1e3, 1e-3},
    {"J/kg", "kJ/kg", 1e3, 1e-3},
    {"W/m^2", "MW/m^2", 1e6, 1e-6},
    {"W/m^2", "kW/m^2", 1e3, 1e-3},
    {"W/m^3", "GW/m^3", 1e9, 1e-9},
    {"W/m^3", "MW/m^3", 1e6, 1e-6},
    {"m/s", "m/s", 0.1, 1},
    {"m/s", "mm/s", 1e-4, 1e3},
    {"m/s", "um/s", 0, 1e6},
    {"kg", "kg", 1, 1},
    {"kg", "g", 1e-3, 1e3},
    {"kg", "mg", 0, 1e6},
    {"N/m", "kN/mm", 1e6, 1e-6},
    {"N/m", "N/mm", 1e2, 1e-3},
    {"Hz", "MHz", 1e6, 1e-6},
    {"Hz", "kHz", 1e3, 1e-3},
};

/* A value a rounding error below a limit counts as on it: 1 kN that was summed up shall not be
   shown as 1000 N. Zero and values that are not finite stay in the SI unit. */
ig_display ig_display_for(const char *unit, double largest) {
  ig_display d = {.factor = 1};
  const double size = fabs(largest);
  snprintf(d.unit, sizeof d.unit, "%s", unit ? unit : "");
  if (!unit || !isfinite(size) || size == 0)
    return d;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strcmp(prefixes[i].unit, unit) == 0 && size >= prefixes[i].least * (1 - 1e-9)) {
      d.factor = prefixes[i].factor;
      snprintf(d.unit, sizeof d.unit, "%s", prefixes[i].shown);
      break;
    }
  return d;
}

/* Names of differences: a difference of 1 K is one of 1 degree Celsius. */
static bool is_difference(const char *name) {
  static const char *const part[] = {"difference", "error",     "rise",      "range",
                                     "change",     "deviation", "spread",    "drift",
                                     "drop",       "jump",      "tolerance", "undercooling"};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    if (strstr(name, part[i]))
      return true;
  return false;
}

ig_display ig_display_of(const char *name, const char *unit, double largest, bool celsius) {
  ig_display d = ig_display_for(unit, largest);
  if (celsius && unit && strcmp(unit, "K") == 0) {
    d.shift = is_difference(name) ? 0 : -273.15;
    snprintf(d.unit, sizeof d.unit, "\u00b0C");
  }
  return d;
}

const char *ig_figure_text(const char *key, double value, const char *unit, char text[64]) {
  const ig_display shown = ig_display_of(key ? key : "", unit, value, false);
  ig_format(text, 64, "%.6g%s%s", ig_display_number(&shown, value), *shown.unit ? " " : "",
            shown.unit);
  return text;
}
