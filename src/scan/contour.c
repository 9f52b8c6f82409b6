/* Lines at a distance inside an outline. Each piece moved inwards, and arcs about the corners, keep
   what is nowhere nearer to the outline than that: exact but for the chords of arcs, and
   indifferent to how many loops the outline has or how they merge. The cost grows with the square
   of the number of pieces, which is small for an outline of one layer. */
#include "scan/hatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Five degrees: chords lie within 0.1 % of the distance of the true arc. */
#define CHORD (M_PI / 36) /* of an arc, at most, rad */

/* What one call works with: the outline, the distance in m, buffers of spans used again for every
   line, and the pieces found so far in any order. */
typedef struct {
  ig_ctx *cx;
  const ig_outline *s;
  double distance;
  ig_spans near, line, kept, inside;
  ig_outline found;
} inset;

/* Whether a point is inside, by the spans of a line along x through it; after a failure always
   false. */
static bool is_inside(inset *w, double x, double y, ig_status *status) {
  const double o[2] = {x, y}, d[2] = {1, 0};
  if (*status == IG_OK)
    *status = ig_outline_inside(w->cx, w->s, o, d, &w->inside);
  for (int i = 0; i < w->inside.count; i++)
    if (w->inside.span[i].from < 0 && w->inside.span[i].to > 0)
      return *status == IG_OK;
  return false;
}

/* Keeps of the line from a to b what is not `near` the outline, and inside. Remains shorter than
   1e-4 of the distance come from rounding where a line just touches the limit; they are dropped.
   One point of a remainder decides for all of it, as it crosses no piece. */
static ig_status line_keep(inset *w, double near, const double *a, const double *b) {
  const double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
  if (!(length > 0))
    return IG_OK;
  const double d[2] = {dx / length, dy / length};
  IG_TRY(ig_outline_near(w->cx, w->s, near, a, d, &w->near));
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

/* The piece that ends where piece i begins, or the one whose end is nearest. Pieces of an outline
   are in no order, so all are searched, until an exact match is found. */
static int piece_before(const ig_outline *s, int i) {
  const double *p = s->piece[i];
  double least = INFINITY;
  int best = i;
  for (int j = 0; j < s->count && least > 0; j++) {
    const double apart = hypot(s->piece[j][2] - p[0], s->piece[j][3] - p[1]);
    if (j != i && apart < least) {
      least = apart;
      best = j;
    }
  }
  return best;
}

/* Direction of a piece, rad from the x axis. */
static double direction(const double *p) {
  return atan2(p[3] - p[1], p[2] - p[0]);
}

/* The arc about the corner at which piece i begins, on its outer side, in chords of at most CHORD.
   `turn` is brought to within half a turn. Chords lie inside the circle: the distance to which they
   are checked is that of their middles, less rounding. */
static ig_status arc_keep(inset *w, int i) {
  const double *p = w->s->piece[i], to = direction(p);
  double turn = to - direction(w->s->piece[piece_before(w->s, i)]);
  turn -= 2 * M_PI * round(turn / (2 * M_PI));
  const int chords = (int)ceil(fabs(turn) / CHORD);
  const double side = turn > 0 ? -M_PI / 2 : M_PI / 2;
  const double near = w->distance * cos(0.5 * turn / fmax(chords, 1)) * (1 - 1e-9);
  for (int k = 0; k < chords; k++) {
    const double t0 = to + side - turn * (chords - k) / chords,
                 t1 = to + side - turn * (chords - k - 1) / chords;
    const double a[2] = {p[0] + w->distance * cos(t0), p[1] + w->distance * sin(t0)};
    const double b[2] = {p[0] + w->distance * cos(t1), p[1] + w->distance * sin(t1)};
    IG_TRY(line_keep(w, near, a, b));
  }
  return IG_OK;
}

/* Both sides of a piece are tried, since only an oriented outline says on which one the part is,
   and `line_keep` drops the wrong one. The factor of 1 - 1e-9 keeps a line from being cut by the
   very piece it was moved away from. */
static ig_status pieces_find(inset *w) {
  for (int i = 0; i < w->s->count; i++) {
    const double *p = w->s->piece[i];
    const double dx = p[2] - p[0], dy = p[3] - p[1], length = sqrt(dx * dx + dy * dy);
    if (!(length > 0))
      continue;
    for (int side = -1; side <= 1; side += 2) {
      const double nx = -side * w->distance * dy / length, ny = side * w->distance * dx / length;
      const double a[2] = {p[0] + nx, p[1] + ny}, b[2] = {p[2] + nx, p[3] + ny};
      IG_TRY(line_keep(w, w->distance * (1 - 1e-9), side > 0 ? a : b, side > 0 ? b : a));
    }
    IG_TRY(arc_keep(w, i));
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

/* Puts the pieces into an order in which each continues the last, always taking the nearest free
   end (and turning the piece if it is its second). Ends less than 5 % of the distance apart are
   joined, so that the beam does not jump across gaps of rounding. */
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

/* At distance 0 the outline itself, only put in order. On failure `out` is empty. */
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
  ig_outline_free(&w.found);
  ig_spans_free(&w.near);
  ig_spans_free(&w.line);
  ig_spans_free(&w.kept);
  ig_spans_free(&w.inside);
  if (status != IG_OK)
    ig_outline_free(out);
  return status;
}
