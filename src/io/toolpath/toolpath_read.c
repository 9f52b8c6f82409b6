/* Shared by the readers of toolpaths: lines with numbers for messages, numbers, pieces of a
   path. */
#include "io/toolpath/toolpath_read.h"
#include "core/number.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* where: a place in the current line, NULL: its beginning. */
ig_status ig_path_fail(ig_path_reader *r, const char *where, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  ig_format_args(message, sizeof message, format, args);
  va_end(args);
  const ig_src at = {r->file, r->line ? r->line : 1, where ? (int)(where - r->text) + 1 : 1, true};
  return ig_fail_at(r->cx, &at, "%s", message);
}

/* The buffer of a line grows by doubling and is used for all lines. */
ig_status ig_path_reserve(ig_path_reader *r, size_t length) {
  if (length < r->capacity)
    return IG_OK;
  size_t capacity = r->capacity ? r->capacity : 4096;
  while (capacity <= length)
    capacity *= 2;
  char *text = realloc(r->text, capacity);
  if (!text)
    return IG_FAIL(r->cx, IG_MEMORY, "%s: no memory for a line of %zu characters", r->file, length);
  r->text = text;
  r->capacity = capacity;
  return IG_OK;
}

/* The next line with content. A zero byte means that the file is not text. A byte order mark is
   skipped. The next line that is not empty, without its comment; *there false: the end. Lines of
   any length, with any line ends. */
ig_status ig_path_line(ig_path_reader *r, char mark, bool *there) {
  for (;;) {
    *there = false;
    if (r->at >= r->end)
      return IG_OK;
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    size_t length = (size_t)((stop ? stop : r->end) - r->at);
    r->line++;
    if (memchr(r->at, '\0', length))
      return ig_path_fail(r, NULL, "a zero byte: this is not a text file");
    IG_TRY(ig_path_reserve(r, length));
    memcpy(r->text, r->at, length);
    r->text[length] = '\0';
    r->at = stop ? stop + 1 : r->end;
    r->text[strcspn(r->text, "\r")] = '\0';
    if (r->line == 1 && strncmp(r->text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
      memmove(r->text, r->text + 3, strlen(r->text + 3) + 1);
    char *comment = mark ? strchr(r->text, mark) : NULL;
    if (comment)
      *comment = '\0';
    if (r->text[strspn(r->text, " \t,")] != '\0') {
      *there = true;
      return IG_OK;
    }
  }
}

/* Separators of columns, in any combination. */
bool ig_path_gap(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';';
}

bool ig_path_number(const char *p, char **stop, double *value) {
  *value = ig_decimal_read(p, stop);
  return *stop != p;
}

/* From least to most numbers, with commas or blanks between; `columns` names them in messages. */
ig_status ig_path_numbers(ig_path_reader *r, int least, int most, const char *columns,
                          double *value, int *count) {
  *count = 0;
  const char *p = r->text;
  for (;;) {
    while (ig_path_gap(*p))
      p++;
    if (*p == '\0')
      break;
    if (*count == most)
      return ig_path_fail(r, p, "more than %d values: expected %s", most, columns);
    char *stop;
    if (!ig_path_number(p, &stop, &value[*count]) || (*stop && !ig_path_gap(*stop)))
      return ig_path_fail(r, p, "'%.*s' is not a number: expected %s",
                          (int)strcspn(p, " \t,;") > 40 ? 40 : (int)strcspn(p, " \t,;"), p,
                          columns);
    if (!isfinite(value[*count]))
      return ig_path_fail(r, p, "'%.*s' is not finite", (int)(stop - p), p);
    (*count)++;
    p = stop;
  }
  if (*count < least)
    return ig_path_fail(r, p, "%d value%s: expected %s", *count, *count == 1 ? "" : "s", columns);
  return IG_OK;
}

/* "nan" and "inf" are numbers, not words of a header. */
bool ig_path_is_header(const char *text) {
  text += strspn(text, " \t,\"'");
  return isalpha((unsigned char)*text) && strncasecmp(text, "nan", 3) != 0 &&
         strncasecmp(text, "inf", 3) != 0;
}

/* Equal times are allowed: a jump. */
ig_status ig_path_later(ig_path_reader *r, double t) {
  const ig_toolpath *p = r->path;
  if (p->count && t < p->t[p->count - 1])
    return ig_path_fail(r, NULL, "time runs backwards: %g s after %g s", t, p->t[p->count - 1]);
  return IG_OK;
}

ig_status ig_path_need_power(ig_path_reader *r) {
  if (isnan(r->o->power))
    return ig_path_fail(r, NULL, "this file gives no power in watts: set `power`");
  return IG_OK;
}

double ig_path_unit(ig_path_reader *r, double usual) {
  return r->as.unit = isnan(r->o->unit) ? usual : r->o->unit;
}

/* Adds a piece with constant power. The power of a point is that of the piece that starts there, so
   the end point is added with 0 and overwritten when the next piece follows without a gap. */
ig_status ig_path_go(ig_path_reader *r, double *t, double *x, const double *y, double seconds,
                     double power) {
  ig_toolpath *p = r->path;
  if (p->count && p->t[p->count - 1] == *t)
    p->power[p->count - 1] = power; /* goes on from where the last one ended */
  else
    IG_TRY(ig_toolpath_add(r->cx, p, *t, x, power));
  *t += seconds;
  if (!isfinite(*t))
    return ig_path_fail(r, NULL, "the path takes forever");
  memcpy(x, y, 3 * sizeof *x);
  return ig_toolpath_add(r->cx, p, *t, x, 0);
}
