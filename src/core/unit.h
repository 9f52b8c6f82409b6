/* Units: "W/(m K)" as a factor, an offset and the powers of the base units. */
#ifndef IG_CORE_UNIT_H
#define IG_CORE_UNIT_H

#include <stdbool.h>
#include <stddef.h>

/* m kg s A K mol cd rad B; an angle and an amount of memory count as dimensions, so that degrees
   and gigabytes are not taken for plain numbers */
enum { IG_BASE_UNITS = 9 };

typedef struct {
  double factor, offset;    /* SI value = factor * number + offset; an offset only for degC, degF */
  int power[IG_BASE_UNITS]; /* doubled: MPa m^0.5 has whole entries */
} ig_unit;

/* Reads a unit expression: "mm", "kg/m3", "W/(m^2 K)", "1/s", "MPa m^0.5"; "" is a pure number.
   On failure `problem` says what is wrong with it. */
bool ig_unit_read(const char *text, ig_unit *unit, char *problem, size_t problem_size);
/* Splits "200 GPa" into its number and its unit, as they are written. On failure `problem` says
   what is wrong. */
bool ig_quantity_read(const char *text, double *number, const char **unit, ig_unit *factor,
                      char *problem, size_t problem_size);
/* Whether two units are of the same dimensions; true also where one cannot be read. */
bool ig_units_alike(const char *a, const char *b);
/* What a value in that unit is called: "a length (m, mm, um, in)", "a value in W/(m K)". */
void ig_unit_describe(const char *unit, char *text, size_t size);

#endif
