/* Supports along upright lines, from the top down; slopes come back from the plate up
   (support_lines.h). */
#include "topopt/design/support_lines.h"
#include "topopt/design/support_columns.h"

#include <stdlib.h>
#include <string.h>

ig_status ig_support_lines_new(ig_ctx *cx, const ig_topopt_build *build, ig_support_lines *s) {
  const size_t n = (size_t)build->elements;
  int64_t longest = 0, most = 0;
  *s = (ig_support_lines){.build = build};
  for (int64_t i = 0; i < build->lines; i++) {
    const int64_t pieces = build->line[i + 1] - build->line[i];
    longest = pieces > longest ? pieces : longest;
  }
  for (size_t e = 0; e < n; e++) {
    const int64_t held = build->held_start[e + 1] - build->held_start[e];
    most = held > most ? held : most;
  }
  IG_TRY(IG_NEW(cx, &s->at, most + 1, "supports"));
  IG_TRY(IG_NEW(cx, &s->below, n, "supports"));
  IG_TRY(IG_NEW(cx, &s->hang, n, "supports"));
  IG_TRY(IG_NEW(cx, &s->by_hang, n, "supports"));
  IG_TRY(IG_NEW(cx, &s->need, longest + 1, "supports"));
  return IG_NEW(cx, &s->column, longest + 1, "supports");
}

void ig_support_lines_free(ig_support_lines *s) {
  double *const arrays[] = {s->below, s->hang, s->by_hang, s->need, s->column};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
  free(s->at);
  *s = (ig_support_lines){0};
}

/* The elements that hold one up into s->at; how many. */
static int holders(const ig_support_lines *s, int32_t e) {
  const ig_topopt_build *b = s->build;
  const int64_t from = b->held_start[e], n = b->held_start[e + 1] - from;
  for (int64_t i = 0; i < n; i++)
    s->at[i] = b->held[from + i];
  return (int)n;
}

/* What is known of a piece. */
typedef struct {
  int32_t element; /* -1: air */
  double x, hang, counts, length;
} piece;

static piece piece_at(const ig_support_lines *s, const double *x, const double *count, int64_t i) {
  const int32_t e = s->build->segment[i];
  return (piece){.element = e,
                 .x = e < 0 ? 0 : x[e],
                 .hang = e < 0 ? 0 : s->hang[e],
                 .counts = e < 0   ? s->air
                           : count ? count[e]
                                   : 1,
                 .length = s->build->length[i]};
}

static void air_count(ig_support_lines *s, const double *count) {
  s->air = 1;
  for (int32_t e = 0; count && e < s->build->elements; e++)
    s->air = count[e] > 0 ? s->air : 0;
}

/* Columns of a line and what they are asked for, into s->column and s->need. */
static void walk(const ig_support_lines *s, const double *x, const double *count, int64_t line) {
  const ig_topopt_build *b = s->build;
  double need = 0;
  for (int64_t i = b->line[line], k = 0; i < b->line[line + 1]; i++, k++) {
    const piece p = piece_at(s, x, count, i);
    s->need[k] = need;
    s->column[k] = (1 - p.x) * need;
    need = 1 - (1 - p.hang) * (1 - s->column[k]);
  }
}

void ig_support_lines_find(ig_support_lines *s, const double *x, const double *count,
                           double *volume, double *contact) {
  const ig_topopt_build *b = s->build;
  *volume = *contact = 0;
  air_count(s, count);
  for (int32_t e = 0; e < b->elements; e++) {
    s->below[e] = b->plate[e] ? 1 : ig_support_below(x, holders(s, e), s->at);
    s->hang[e] = x[e] * (1 - s->below[e]);
  }
  for (int64_t line = 0; line < b->lines; line++) {
    walk(s, x, count, line);
    for (int64_t i = b->line[line], k = 0; i < b->line[line + 1]; i++, k++) {
      const piece p = piece_at(s, x, count, i);
      *volume += p.counts * b->area * p.length * s->column[k];
      *contact += p.counts * b->area * (p.hang + (k > 0 ? p.x * s->column[k - 1] : 0));
    }
  }
}

/* Of one line: slopes by densities into `slope`, by `hang` into s->by_hang. */
static void line_back(ig_support_lines *s, const double *x, const double *count, int64_t line,
                      double by_volume, double by_contact, double *slope) {
  const ig_topopt_build *b = s->build;
  const double v = by_volume * b->area, a = by_contact * b->area;
  double by_need = 0; /* by what the piece at hand asks for */
  double under = 0;   /* contact of the piece below, by the column at hand */
  walk(s, x, count, line);
  for (int64_t i = b->line[line + 1] - 1; i >= b->line[line]; i--) {
    const int64_t k = i - b->line[line];
    const piece p = piece_at(s, x, count, i);
    const double by_column = p.counts * v * p.length + by_need * (1 - p.hang) + under;
    if (p.element >= 0) {
      s->by_hang[p.element] += p.counts * a + by_need * (1 - s->column[k]);
      slope[p.element] += (k > 0 ? p.counts * a * s->column[k - 1] : 0) - by_column * s->need[k];
    }
    under = p.counts * a * p.x;
    by_need = by_column * (1 - p.x);
  }
}

void ig_support_lines_back(ig_support_lines *s, const double *x, const double *count,
                           double by_volume, double by_contact, double *slope) {
  const ig_topopt_build *b = s->build;
  air_count(s, count);
  memset(s->by_hang, 0, (size_t)b->elements * sizeof *s->by_hang);
  for (int64_t line = 0; line < b->lines; line++)
    line_back(s, x, count, line, by_volume, by_contact, slope);
  for (int32_t e = 0; e < b->elements; e++) {
    slope[e] += s->by_hang[e] * (1 - s->below[e]);
    if (!b->plate[e])
      ig_support_below_back(x, holders(s, e), s->at, s->below[e], -s->by_hang[e] * x[e], slope);
  }
}
