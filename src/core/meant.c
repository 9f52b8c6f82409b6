/* The unit that was forgotten: messages about numbers without one propose it. */
#include "core/meant.h"
#include "core/number.h"

#include <stdio.h>
#include <string.h>

/* Units that users have in mind when they write a bare number, in order of preference. The first
   that brings the number into the usual range, and into the allowed one, is proposed. */
static const struct {
  const char *unit, *meant;
} meant[] = {
    {"K", "degC"},        {"Pa", "GPa"},     {"Pa", "MPa"},   {"m", "mm"},
    {"m", "um"},          {"s", "ms"},       {"s", "us"},     {"kg/m^3", "g/cm^3"},
    {"kg/m^3", "t/mm^3"}, {"J/kg", "kJ/kg"}, {"W", "kW"},     {"J/(kg K)", "kJ/(kg K)"},
    {"J/m^2", "kJ/m^2"},  {"m/s", "mm/s"},   {"m^2", "mm^2"}, {"m^3", "mm^3"},
    {"rad", "deg"},       {"1/K", "um/m/K"},
};

bool ig_option_meant(const ig_option *o, bool abscissa, const char *text, char *guess,
                     size_t size) {
  const char *const unit = abscissa ? o->xunit : o->unit;
  double low, high, value;
  char problem[160], *end;
  (void)ig_decimal_read(text, &end);
  if (!unit || *(end + strspn(end, " ")))
    return false;
  if (!ig_option_usual(o, abscissa, &low, &high) && strcmp(unit, "K") == 0)
    return false; /* a difference, which has no offset */
  if (!abscissa && (o->min != 0 || o->max != 0)) {
    low = low > o->min ? low : o->min;
    high = high < o->max ? high : o->max;
  }
  for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
    snprintf(guess, size, "%.40s %s", text, meant[i].meant);
    if (strcmp(meant[i].unit, unit) == 0 &&
        ig_number_read(guess, unit, &value, problem, sizeof problem) && value >= low &&
        value <= high)
      return true;
  }
  return false;
}
