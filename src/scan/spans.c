/* Spans on a line: joined, cut, and found where a line crosses an outline. All lists but those
   being filled are sorted and do not overlap, so that both and without are single sweeps. */
#include "scan/spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ig_spans_free(ig_spans *s) {
  free(s->span);
  memset(s, 0, sizeof *s);
}

/* Empty spans and NaN are left out rather than refused. */
ig_status ig_spans_add(ig_ctx *cx, ig_spans *s, double from, double to) {
  if (!(to > from))
    return IG_OK;
  IG_TRY(IG_MORE(cx, &s->span, s->count, "spans of a scan line"));
  s->span[s->count++] = (ig_span){from, to};
  return IG_OK;
}

static int by_from(const void *a, const void *b) {
  const ig_span *p = a, *q = b;
  return (p->from > q->from) - (p->from < q->from);
}

/* One sweep over the spans sorted by their beginning; those that touch become one. */
void ig_spans_join(ig_spans *s) {
  int kept = 0;
  if (s->count)
    qsort(s->span, (size_t)s->count, sizeof *s->span, by_from);
  for (int i = 0; i < s->count; i++)
    if (kept && s->span[i].from <= s->span[kept - 1].to)
      s->span[kept - 1].to = fmax(s->span[kept - 1].to, s->span[i].to);
    else
      s->span[kept++] = s->span[i];
  s->count = kept;
}

/* The span that ends first can meet no further one of the other list. */
ig_status ig_spans_both(ig_ctx *cx, const ig_spans *a, const ig_spans *b, ig_spans *out) {
  out->count = 0;
  for (int i = 0, j = 0; i < a->count && j < b->count;) {
    const ig_span *p = &a->span[i], *q = &b->span[j];
    IG_TRY(ig_spans_add(cx, out, fmax(p->from, q->from), fmin(p->to, q->to)));
    if (p->to < q->to)
      i++;
    else
      j++;
  }
  return IG_OK;
}

/* Walks through each span of a, leaving out every span of b that meets it. `first` never goes back,
   so the sweep is linear but for spans of b that reach over several of a. */
ig_status ig_spans_without(ig_ctx *cx, const ig_spans *a, const ig_spans *b, ig_spans *out) {
  out->count = 0;
  int first = 0; /* of b that may still matter */
  for (int i = 0; i < a->count; i++) {
    double at = a->span[i].from;
    const double end = a->span[i].to;
    while (first < b->count && b->span[first].to <= at)
      first++;
    for (int j = first; j < b->count && b->span[j].from < end; j++) {
      IG_TRY(ig_spans_add(cx, out, at, fmin(b->span[j].from, end)));
      at = fmax(at, b->span[j].to);
    }
    IG_TRY(ig_spans_add(cx, out, at, end));
  }
  return IG_OK;
}

/* A piece in the frame of the line: u along it, v to its left. */
static void piece_turn(const double *p, const double *o, const double *d, double *a, double *b) {
  const double x0 = p[0] - o[0], y0 = p[1] - o[1], x1 = p[2] - o[0], y1 = p[3] - o[1];
  a[0] = x0 * d[0] + y0 * d[1], a[1] = y0 * d[0] - x0 * d[1];
  b[0] = x1 * d[0] + y1 * d[1], b[1] = y1 * d[0] - x1 * d[1];
}

/* The line is cut by every piece that changes its side. An oriented outline counts crossings by
   their direction (non-zero winding), so that loops that overlap stay solid; otherwise their parity
   decides (even-odd). */
ig_status ig_outline_inside(ig_ctx *cx, const ig_outline *s, const double *o, const double *d,
                            ig_spans *out) {
  ig_spans cross = {0}; /* from: where, to: which way */
  ig_status status = IG_OK;
  out->count = 0;
  for (int i = 0; i < s->count && status == IG_OK; i++) {
    double a[2], b[2];
    piece_turn(s->piece[i], o, d, a, b);
    if ((a[1] < 0) == (b[1] < 0)) /* a corner on the line counts as above it, for both pieces */
      continue;
    const double u = a[0] + (b[0] - a[0]) * (a[1] / (a[1] - b[1]));
    status = ig_spans_add(cx, &cross, 0, 1);
    if (status == IG_OK)
      cross.span[cross.count - 1] = (ig_span){u, a[1] < 0 ? 1 : -1};
  }
  if (cross.count)
    qsort(cross.span, (size_t)cross.count, sizeof *cross.span, by_from);
  int winding = 0;
  for (int i = 0; i + 1 < cross.count && status == IG_OK; i++) {
    winding += s->oriented ? (int)cross.span[i].to : 1;
    if (s->oriented ? winding != 0 : winding % 2 != 0)
      status = ig_spans_add(cx, out, cross.span[i].from, cross.span[i + 1].from);
  }
  ig_spans_free(&cross);
  ig_spans_join(out);
  return status;
}

/* Extends a span to take in the place u on the line. */
static void span_take(ig_span *s, double u) {
  s->from = fmin(s->from, u);
  s->to = fmax(s->to, u);
}

/* The points within `near` of a piece are convex: two circles about its ends and a strip between.
   So a line meets them in one span, whose ends lie where it meets the rims of the circles or the
   sides of the strip. Empty (from > to) if it meets none. */
static ig_span piece_near(const double *a, const double *b, double near) {
  ig_span s = {INFINITY, -INFINITY};
  const double *end[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    const double v = end[k][1];
    if (fabs(v) < near) {
      const double half = sqrt(near * near - v * v);
      span_take(&s, end[k][0] - half);
      span_take(&s, end[k][0] + half);
    }
  }
  const double du = b[0] - a[0], dv = b[1] - a[1], length = sqrt(du * du + dv * dv);
  for (int side = -1; side <= 1 && length > 0; side += 2) {
    const double nu = -side * near * dv / length, nv = side * near * du / length;
    const double v0 = a[1] + nv, v1 = b[1] + nv;
    if ((v0 < 0) != (v1 < 0))
      span_take(&s, a[0] + nu + du * (v0 / (v0 - v1)));
  }
  return s;
}

/* Pieces wholly beyond `near` on one side of the line are passed over. */
ig_status ig_outline_near(ig_ctx *cx, const ig_outline *s, double near, const double *o,
                          const double *d, ig_spans *out) {
  out->count = 0;
  for (int i = 0; i < s->count; i++) {
    double a[2], b[2];
    piece_turn(s->piece[i], o, d, a, b);
    if (fmin(a[1], b[1]) >= near || fmax(a[1], b[1]) <= -near)
      continue;
    const ig_span q = piece_near(a, b, near);
    IG_TRY(ig_spans_add(cx, out, q.from, q.to));
  }
  ig_spans_join(out);
  return IG_OK;
}
