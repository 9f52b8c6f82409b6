/* printf to a function of the caller, independent of the locale. */
#include "core/number.h"
#include "run/case.h"

#include <limits.h>
#include <stdarg.h>

void ig_text_put(ig_text_fn *text, void *user, const char *format, ...) {
  char line[PATH_MAX + 64];
  va_list args;
  va_start(args, format);
  ig_format_args(line, sizeof line, format, args);
  va_end(args);
  text(user, line);
}
