/* Lines at a distance inside an outline. Each piece moved inwards, and circles about the corners,
   keep what is nowhere nearer to the outline than that: exact, and indifferent to how many loops
   the outline has or how they merge. */
#include "scan/hatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHORDS = 72 }; /* of a circle: a chord's middle is 1e-3 nearer than its ends */
#define NEARER (1 - 2e-3)

typedef struct {
  ig_ctx *cx;
  const ig_outline *s;
  double distance;
  ig_outline around; /* pieces about a corner */
  ig_spans near, line, kept, inside;
  ig_outline found;
} inset;

static bool is_inside(inset *w, double x, double y, ig_status *status) {
  const double o[2] = {x, y}, d[2] = {1, 0};
  if (*status == IG_OK)
    *status = ig_outline_inside(w->cx, w->s, o, d, &w->inside);
  for (int i = 0; i < w->inside.count; i++)
    if (w->inside.span[i].from < 0 && w->inside.span[i].to > 0)
      return *status == IG_OK;
  return false;
}

/* Keeps of the line from a to b what is far enough from `from`, and inside. */
static ig_status line_keep(inset *w, const ig_outline *from, const double *a, const double *b) {
  const double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
  if (!(length > 0))
    return IG_OK;
  const double d[2] = {dx / length, dy / length};
  IG_TRY(ig_outline_near(w->cx, from, w->distance * NEARER, a, d, &w->near));
  w->line.count = 0;
  IG_TRY(ig_spans_add(w->cx, &w->line, 0, length));
  IG_TRY(ig_spans_without(w->cx, &w->line, &w->near, &w->kept));
  ig_status status = IG_OK;
  for (int i = 0; i < w->kept.count && status == IG_OK; i++) {
    const ig_span *k = &w->kept.span[i];
    const double p[2] = {a[0] + k->from * d[0], a[1] + k->from * d[1]};
    const double q[2] = {a[0] + k->to * d[0], a[1] + k->to * d[1]};
    if (k->to - k->from > 1e-4 * w->distance &&
        is_inside(w, 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), &status))
      status = ig_outline_add(w->cx, &w->found, p, q);
  }
  return status;
}

/* Pieces within two distances of a corner: the others cannot cut the circle about it. */
static ig_status around_find(inset *w, const double *x) {
  w->around.count = 0;
  for (int i = 0; i < w->s->count; i++) {
    const double *p = w->s->piece[i], far = 2.01 * w->distance;
    if (fmin(p[0], p[2]) - x[0] < far && x[0] - fmax(p[0], p[2]) < far &&
        fmin(p[1], p[3]) - x[1] < far && x[1] - fmax(p[1], p[3]) < far)
      IG_TRY(ig_outline_add(w->cx, &w->around, p, p + 2));
  }
  return IG_OK;
}

static ig_status pieces_find(inset *w) {
  for (int i = 0; i < w->s->count; i++) {
    const double *p = w->s->piece[i];
    const double dx = p[2] - p[0], dy = p[3] - p[1], length = sqrt(dx * dx + dy * dy);
    if (!(length > 0))
      continue;
    for (int side = -1; side <= 1; side += 2) {
      const double nx = -side * w->distance * dy / length, ny = side * w->distance * dx / length;
      const double a[2] = {p[0] + nx, p[1] + ny}, b[2] = {p[2] + nx, p[3] + ny};
      IG_TRY(line_keep(w, w->s, side > 0 ? a : b, side > 0 ? b : a));
    }
    IG_TRY(around_find(w, p));
    for (int k = 0; k < CHORDS; k++) {
      const double t0 = 2 * M_PI * k / CHORDS, t1 = 2 * M_PI * (k + 1) / CHORDS;
      const double a[2] = {p[0] + w->distance * cos(t0), p[1] + w->distance * sin(t0)};
      const double b[2] = {p[0] + w->distance * cos(t1), p[1] + w->distance * sin(t1)};
      IG_TRY(line_keep(w, &w->around, a, b));
    }
  }
  return IG_OK;
}

/* Which end of which piece not yet used is nearest to x: 2 i or 2 i + 1; -1: none is left. */
static int nearest_end(const ig_outline *s, const bool *used, const double *x, double *apart) {
  int best = -1;
  *apart = INFINITY;
  for (int i = 0; i < s->count; i++)
    for (int end = 0; end < 2 && !used[i]; end++) {
      const double *q = &s->piece[i][2 * end];
      const double d = hypot(q[0] - x[0], q[1] - x[1]);
      if (d < *apart) {
        *apart = d;
        best = 2 * i + end;
      }
    }
  return best;
}

/* In an order in which they hang together; ends that nearly meet do. */
static ig_status pieces_order(inset *w, ig_outline *out) {
  const ig_outline *s = &w->found;
  if (s->count == 0)
    return IG_OK;
  bool *used;
  IG_TRY(IG_NEW(w->cx, &used, s->count, "contour"));
  double x[2] = {s->piece[0][0], s->piece[0][1]}, apart;
  ig_status status = IG_OK;
  for (int n = 0; n < s->count && status == IG_OK; n++) {
    const int next = nearest_end(s, used, x, &apart);
    const double *p = s->piece[next / 2], *a = &p[2 * (next % 2)], *b = &p[2 - 2 * (next % 2)];
    const bool joins = n > 0 && apart < 0.05 * w->distance;
    status = ig_outline_add(w->cx, out, joins ? x : a, b);
    used[next / 2] = true;
    x[0] = b[0], x[1] = b[1];
  }
  free(used);
  return status;
}

ig_status ig_outline_inset(ig_ctx *cx, const ig_outline *s, double distance, ig_outline *out) {
  inset w = {.cx = cx, .s = s, .distance = distance};
  memset(out, 0, sizeof *out);
  ig_status status = IG_OK;
  if (distance > 0)
    status = pieces_find(&w);
  else
    for (int i = 0; i < s->count && status == IG_OK; i++)
      status = ig_outline_add(cx, &w.found, s->piece[i], s->piece[i] + 2);
  if (status == IG_OK)
    status = pieces_order(&w, out);
  ig_outline_free(&w.around);
  ig_outline_free(&w.found);
  ig_spans_free(&w.near);
  ig_spans_free(&w.line);
  ig_spans_free(&w.kept);
  ig_spans_free(&w.inside);
  if (status != IG_OK)
    ig_outline_free(out);
  return status;
}
