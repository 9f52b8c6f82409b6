/* The words of messages about a case: where, what was expected, the nearest valid one. */
#include "core/option.h"
#include "core/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "file:line:column: message". */
static void place(char *text, size_t size, const ig_src *at, const char *format, va_list args) {
  size_t used = 0;
  if (at->file && at->line > 0)
    used = (size_t)snprintf(text, size, "%.512s:%d:%d: ", at->file, at->line, at->column);
  else if (at->file)
    used = (size_t)snprintf(text, size, "%.512s: ", at->file);
  ig_format_args(text + used, size - used, format, args);
}

ig_status ig_fail_at(ig_ctx *cx, const ig_src *at, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  place(text, sizeof text, at, format, args);
  va_end(args);
  return IG_FAIL(cx, IG_INPUT, "%s", text);
}

void ig_warn_at(ig_ctx *cx, const ig_src *at, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  place(text, sizeof text, at, format, args);
  va_end(args);
  ig_warn(cx, "%s", text);
}

/* How far two words are apart: letters added, left out, changed or swapped; capitals and dashes
   for underscores are free. The optimal string alignment distance (Damerau 1964, Levenshtein
   1966); three rows of its table are enough, as a swap looks two rows back. */
static int distance(const char *a, const char *b) {
  enum { MOST = 40 };
  int row[3][MOST + 1];
  const int m = (int)strlen(a), n = (int)strlen(b);
  if (m > MOST || n > MOST)
    return MOST;
#define SAME(c, d) (((c) | 32) == ((d) | 32) || ((c) == '-' && (d) == '_'))
  for (int j = 0; j <= n; j++)
    row[0][j] = j;
  for (int i = 1; i <= m; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= n; j++) {
      int best = last[j - 1] + !SAME(a[i - 1], b[j - 1]);
      best = last[j] + 1 < best ? last[j] + 1 : best;
      best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
    }
  }
#undef SAME
  return row[m % 3][n];
}

/* About a third of the letters may differ; words of three letters or fewer are all close to each
   other and must agree. */
bool ig_nearest(const char *word, const char *choices, char *text, size_t size) {
  const int letters = (int)strlen(word);
  int best = letters < 4 ? 0 : (letters + 1) / 3; /* further away is no help */
  bool found = false;
  for (const char *p = choices; *p;) {
    char one[48];
    const size_t length = strcspn(p, "|");
    snprintf(one, sizeof one, "%.*s", (int)length, p);
    const int d = distance(word, one);
    if (length && d <= best && !(found && d == best)) {
      best = d;
      found = true;
      snprintf(text, size, "%s", one);
    }
    p += length + (p[length] == '|');
  }
  /* a word that is the beginning of another, or begins with it: initial, initial_temperature */
  for (const char *p = choices; *p && !found && letters > 3;) {
    const int length = (int)strcspn(p, "|"), common = letters < length ? letters : length;
    found = common > 3 && strncmp(word, p, (size_t)common) == 0 &&
            (letters < length ? p[common] : word[common]) == '_';
    if (found)
      snprintf(text, size, "%.*s", length, p);
    p += length + (p[length] == '|');
  }
  return found;
}

int ig_choices_find(const char *choices, const char *word) {
  int i = 0;
  for (const char *p = choices; *p; i++) {
    const size_t length = strcspn(p, "|");
    if (strlen(word) == length && strncmp(p, word, length) == 0)
      return i;
    p += length + (p[length] == '|');
  }
  return -1;
}

void ig_choices_list(const char *choices, char *text, size_t size) {
  size_t used = 0;
  *text = '\0';
  for (const char *p = choices; *p && used < size;) {
    const size_t length = strcspn(p, "|");
    const char *const next = p + length + (p[length] == '|');
    const char *const join = p == choices ? "" : *next ? ", " : " or ";
    used += (size_t)snprintf(text + used, size - used, "%s%.*s", join, (int)length, p);
    p = next;
  }
}

/* A bound as a person writes it: 1e9, 0.35, 4096 */
typedef struct {
  char text[32];
} bound;
/* printf writes exponents with two digits and a plus sign: 1e+09 becomes 1e9. */
static bound bound_of(double value) {
  bound b;
  snprintf(b.text, sizeof b.text, "%.6g", value);
  char *e = strchr(b.text, 'e');
  if (e) {
    const int power = atoi(e + 1);
    snprintf(e + 1, sizeof b.text - (size_t)(e + 1 - b.text), "%d", power);
  }
  return b;
}

void ig_option_range(const ig_option *o, char *text, size_t size) {
  *text = '\0';
  if (o->min == 0 && o->max == 0)
    return;
  const char *const unit = o->unit ? o->unit : "", *const gap = *unit ? " " : "";
  const bool low = o->min > -IG_UNBOUNDED, high = o->max < IG_UNBOUNDED;
  const bool open = o->min == IG_POSITIVE; /* strictly positive */
  const bound least = bound_of(open ? 0 : o->min), most = bound_of(o->max);
  if (low && high && !open) {
    snprintf(text, size, "%s to %s%s%s", least.text, most.text, gap, unit);
    return;
  }
  size_t used = 0;
  if (low)
    used = (size_t)snprintf(text, size, "%s %s%s%s", open ? "more than" : "at least", least.text,
                            gap, unit);
  if (high && used < size)
    snprintf(text + used, size - used, "%sat most %s%s%s", low ? ", " : "", most.text, gap, unit);
}

/* Usual values by unit, where an option does not name its own: of what engineers compute, with room
   to spare. Beyond them a unit is missing more often than a value is meant. */
static const struct {
  const char *unit;
  double low, high;
  double min, max; /* only of options with this range; both 0: of any */
} usual[] = {
    {"K", 100, 2e4, 0, 1e5}, /* temperatures; differences have other ranges */
    {"kg/m^3", 15, 3e4, 0, 0},  {"W/(m K)", 1e-3, 1e4, 0, 0},     {"J/(kg K)", 10, 2e4, 0, 0},
    {"1/K", -1e-3, 1e-3, 0, 0}, {"J/kg", 1e3, 1e8, 0, 0},         {"J/m^2", 1e-3, 1e8, 0, 0},
    {"W", 1e-3, 1e6, 0, 1e6},   {"m", 1e-6, 100, IG_POSITIVE, 0}, {"s", 1e-15, 1e9, IG_POSITIVE, 0},
};

bool ig_option_usual(const ig_option *o, bool abscissa, double *low, double *high) {
  const char *const unit = abscissa ? o->xunit : o->unit;
  *low = -IG_UNBOUNDED;
  *high = IG_UNBOUNDED;
  if (!unit || strcmp(o->key, "unit") == 0)
    return false;
  if (abscissa) {
    if (strcmp(unit, "K") != 0)
      return false;
    *low = 100;
    return true;
  }
  if (o->low != 0 || o->high != 0) {
    *low = o->low;
    *high = o->high;
    return true;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    const bool same = usual[i].min == 0 && usual[i].max == 0
                          ? true
                          : usual[i].min == o->min && (usual[i].max == 0 || usual[i].max == o->max);
    if (same && strcmp(usual[i].unit, unit) == 0) {
      *low = usual[i].low;
      *high = usual[i].high;
      return true;
    }
  }
  return false;
}

void ig_option_usual_text(const ig_option *o, bool abscissa, char *text, size_t size) {
  double low, high;
  *text = '\0';
  if (!ig_option_usual(o, abscissa, &low, &high))
    return;
  const char *const unit = abscissa ? o->xunit : o->unit;
  if (!abscissa && (o->min != 0 || o->max != 0)) { /* what is refused is not usual */
    low = low > o->min ? low : o->min;
    high = high < o->max ? high : o->max;
  }
  if (high >= IG_UNBOUNDED)
    snprintf(text, size, "%s %s or more", bound_of(low).text, unit);
  else
    snprintf(text, size, "%s to %s %s", bound_of(low).text, bound_of(high).text, unit);
}
