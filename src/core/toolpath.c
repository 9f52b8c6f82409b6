/* Toolpaths that grow point by point, and what they amount to. */
#include "core/toolpath.h"
#include "core/sorted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At 40 bytes a point, 4 GB: a file with more is read wrongly rather than meant. */
enum { MOST_POINTS = 100000000 };

ig_status ig_toolpath_add(ig_ctx *cx, ig_toolpath *p, double t, const double *x, double power) {
  if (p->count == p->capacity) {
    if (p->capacity >= MOST_POINTS)
      return IG_FAIL(cx, IG_INPUT, "a toolpath of more than %d points", MOST_POINTS);
    const int64_t capacity = p->capacity ? 2 * p->capacity : 256;
    double *q[3] = {p->t, p->x, p->power};
    const int width[3] = {1, 3, 1};
    for (int i = 0; i < 3; i++) {
      double *r = realloc(q[i], (size_t)(capacity * width[i]) * sizeof *r);
      if (!r)
        return IG_FAIL(cx, IG_MEMORY, "no memory for a toolpath of %lld points",
                       (long long)capacity);
      *(i == 0 ? &p->t : i == 1 ? &p->x : &p->power) = r;
    }
    p->capacity = capacity;
  }
  p->t[p->count] = t;
  memcpy(p->x + 3 * p->count, x, 3 * sizeof *x);
  p->power[p->count++] = power;
  return IG_OK;
}

void ig_toolpath_free(ig_toolpath *p) {
  free(p->t);
  free(p->x);
  free(p->power);
  memset(p, 0, sizeof *p);
}

static void bounds_take(ig_toolpath_survey *s, const double *x) {
  for (int d = 0; d < 3; d++) {
    s->low[d] = fmin(s->low[d], x[d]);
    s->high[d] = fmax(s->high[d], x[d]);
  }
}

/* x[3 i + 5] is z at the end of piece i. Sorting first makes equal heights neighbours, whatever
   the order in which they were scanned. */
ig_status ig_toolpath_heights(ig_ctx *cx, const ig_toolpath *p, double **heights, int64_t *count) {
  double *z, last = -INFINITY;
  int64_t n = 0;
  *count = 0;
  *heights = NULL;
  IG_TRY(IG_NEW(cx, &z, p->count, "layers"));
  for (int64_t i = 0; i + 1 < p->count; i++)
    if (p->power[i] > 0 && p->t[i + 1] > p->t[i])
      z[n++] = p->x[3 * i + 5];
  if (n)
    qsort(z, (size_t)n, sizeof *z, ig_rising_f64);
  for (int64_t i = 0; i < n; i++)
    if (z[i] > last + 1e-6)
      z[(*count)++] = last = z[i];
  *heights = z;
  return IG_OK;
}

/* A piece that `time` cuts counts with the part behind it. */
double ig_toolpath_after(const ig_toolpath *p, double time, double *last) {
  double sum = 0;
  *last = 0;
  for (int64_t i = 0; i + 1 < p->count; i++) {
    if (!(p->power[i] > 0) || !(p->t[i + 1] > p->t[i]))
      continue;
    *last = p->t[i + 1];
    sum += p->power[i] * fmax(0, p->t[i + 1] - fmax(p->t[i], time));
  }
  return sum;
}

/* One pass over the pieces. A piece of no duration is a jump, even if it has power: no energy is
   sent. */
ig_status ig_toolpath_look(ig_ctx *cx, const ig_toolpath *p, ig_toolpath_survey *s) {
  *s = (ig_toolpath_survey){.low = {INFINITY, INFINITY, INFINITY},
                            .high = {-INFINITY, -INFINITY, -INFINITY},
                            .start = p->count ? p->t[0] : 0,
                            .speed_min = INFINITY,
                            .power_min = INFINITY};
  memcpy(s->direction, p->direction, sizeof s->direction);
  for (int64_t i = 0; i + 1 < p->count; i++) {
    const double *a = &p->x[3 * i], *b = a + 3, time = p->t[i + 1] - p->t[i];
    const double length = sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
    const bool on = p->power[i] > 0 && time > 0;
    s->pieces += time > 0 || length > 0;
    *(on ? &s->time_on : &s->time_off) += time;
    *(on ? &s->length_on : &s->length_off) += length;
    if (!on)
      continue;
    bounds_take(s, a);
    bounds_take(s, b);
    s->energy += p->power[i] * time;
    s->power_min = fmin(s->power_min, p->power[i]);
    s->power_max = fmax(s->power_max, p->power[i]);
    if (length > 0) {
      s->speed_min = fmin(s->speed_min, length / time);
      s->speed_max = fmax(s->speed_max, length / time);
    }
  }
  if (s->time_on == 0)
    for (int64_t i = 0; i < p->count; i++)
      bounds_take(s, &p->x[3 * i]);
  s->speed_min = isfinite(s->speed_min) ? s->speed_min : 0;
  s->power_min = isfinite(s->power_min) ? s->power_min : 0;
  double *heights;
  IG_TRY(ig_toolpath_heights(cx, p, &heights, &s->layers));
  free(heights);
  return IG_OK;
}

void ig_toolpath_describe(const ig_toolpath_survey *s, ig_toolpath_line *line, void *user) {
  char text[160];
#define LINE(label, ...)                                                                           \
  do {                                                                                             \
    snprintf(text, sizeof text, __VA_ARGS__);                                                      \
    line(user, label, text);                                                                       \
  } while (0)
  LINE("pieces", "%lld", (long long)s->pieces);
  LINE("path length", "%.6g m with the beam on, %.6g m off", s->length_on, s->length_off);
  LINE("path time", "%.6g s on, %.6g s off, from %.6g s", s->time_on, s->time_off, s->start);
  LINE("beam on within", "%.6g %.6g %.6g to %.6g %.6g %.6g m", s->low[0], s->low[1], s->low[2],
       s->high[0], s->high[1], s->high[2]);
  const double *d = s->direction;
  if (d[0] != 0 || d[1] != 0)
    LINE("beam direction", "%.6g %.6g %.6g: the part is turned", d[0], d[1], d[2]);
  LINE("speed", "%.6g to %.6g m/s", s->speed_min, s->speed_max);
  LINE("power", "%.6g to %.6g W, %.6g J in all", s->power_min, s->power_max, s->energy);
  LINE("layers", "%lld", (long long)s->layers);
#undef LINE
}
