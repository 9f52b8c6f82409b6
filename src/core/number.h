/* Numbers in files: always with a decimal point, whatever locale the program has set. */
#ifndef IG_CORE_NUMBER_H
#define IG_CORE_NUMBER_H

#include <ingot/context.h>
#include <stdarg.h>
#include <stdio.h>

IG_C_BEGIN

/* strtod, snprintf, vsnprintf and fprintf as the C locale has them. Whatever goes into a file or
   comes out of one goes through these (scripts/check-layers looks for the others). */
double ig_decimal_read(const char *text, char **end);
int ig_format(char *text, size_t size, const char *format, ...) IG_PRINTF(3, 4);
int ig_format_args(char *text, size_t size, const char *format, va_list args) IG_PRINTF(3, 0);
int ig_print(FILE *file, const char *format, ...) IG_PRINTF(2, 3);

/* The shortest of 15 to 17 digits that reads back as `value`; "nan", "inf", "-inf". */
enum { IG_NUMBER_TEXT = 32 };
int ig_number_text(double value, char text[IG_NUMBER_TEXT]);

IG_C_END
#endif
