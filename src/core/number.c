/* Numbers in files. The calling thread takes the C locale for one call: setlocale would change it
   for the whole program, under the feet of other threads. */
#include "core/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* "C" is a constant of the C library: neither call allocates. */
static locale_t plain_begin(locale_t *was) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  *was = plain ? uselocale(plain) : (locale_t)0;
  return plain;
}
static void plain_end(locale_t plain, locale_t was) {
  if (plain) {
    uselocale(was);
    freelocale(plain);
  }
}

double ig_decimal_read(const char *text, char **end) {
  locale_t was, plain = plain_begin(&was);
  const double value = strtod(text, end);
  plain_end(plain, was);
  return value;
}

int ig_format_args(char *text, size_t size, const char *format, va_list args) {
  locale_t was, plain = plain_begin(&was);
  const int length = vsnprintf(text, size, format, args);
  plain_end(plain, was);
  return length;
}

int ig_format(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = ig_format_args(text, size, format, args);
  va_end(args);
  return length;
}

int ig_print(FILE *file, const char *format, ...) {
  locale_t was, plain = plain_begin(&was);
  va_list args;
  va_start(args, format);
  const int length = vfprintf(file, format, args);
  va_end(args);
  plain_end(plain, was);
  return length;
}

/* Any double survives 17 digits, and any decimal number of up to 15 digits survives a double:
   most values that a person wrote end after the first attempt and look as they were written. */
int ig_number_text(double value, char text[IG_NUMBER_TEXT]) {
  if (!isfinite(value))
    return snprintf(text, IG_NUMBER_TEXT, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = ig_format(text, IG_NUMBER_TEXT, "%.*g", digits, value);
    if (ig_decimal_read(text, NULL) == value)
      break;
  }
  return length;
}
