/* Layer by layer, part by part: fields of lines, each given to the laser that is free first. A
   field is a rectangle in a frame turned by the hatch angle; lines, stripes and islands differ only
   in their fields. A line is cut by the outline of the layer, kept off its border, and split where
   the skins begin and end. */
#include "scan/hatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More lines than this in a layer come from a spacing in the wrong unit. */
#define MOST_LINES 1e7

/* Where a laser is: its time in s and its place in m. Not placed: it has not moved yet, and its
   first jump takes no time. */
typedef struct {
  ig_toolpath *path;
  double t, at[3];
  bool placed;
} pen;

/* What the layer in work needs. Span lists are buffers that each line uses again. */
typedef struct {
  ig_ctx *cx;
  const ig_hatch_case *c;
  int64_t layer;
  double base, z;
  const ig_scan_body *body; /* of the part in work */
  int64_t laser;            /* that must scan it, 0: any */
  pen *pens;
  /* outlines of this layer, then of those above, then of those below */
  int outlines, above, below;
  ig_outline *outline;
  ig_spans line, cut, near, up, down, rest;
  int64_t no_contour; /* outlines too narrow for one that was asked for */
} work;

/* --- pens */

/* A straight move from where the pen is: a toolpath point with the power that holds from it on,
   then the time of the way at `speed`, m/s. Height does not count: layers are level. */
static ig_status pen_go(work *w, pen *p, const double *to, double speed, double power) {
  IG_TRY(ig_toolpath_add(w->cx, p->path, p->t, p->at, power));
  p->t += hypot(to[0] - p->at[0], to[1] - p->at[1]) / speed;
  memcpy(p->at, to, sizeof p->at);
  return IG_OK;
}

/* Jumps to a place with the beam off, and waits there for the mirrors to settle, s. No jump is made
   to where the pen already is, so that pieces of a contour run on. */
static ig_status pen_jump(work *w, pen *p, const double *to) {
  if (!p->placed) {
    memcpy(p->at, to, sizeof p->at);
    p->placed = true;
    return IG_OK;
  }
  if (p->at[0] == to[0] && p->at[1] == to[1] && p->at[2] == to[2])
    return IG_OK;
  IG_TRY(pen_go(w, p, to, w->c->jump_speed, 0));
  if (w->c->settle > 0) {
    IG_TRY(ig_toolpath_add(w->cx, p->path, p->t, p->at, 0));
    p->t += w->c->settle;
  }
  return IG_OK;
}

/* The laser for the next field: the part's own, or the one that is free first. */
static pen *pen_next(work *w) {
  if (w->laser)
    return &w->pens[w->laser - 1];
  pen *best = &w->pens[0];
  for (int64_t i = 1; i < w->c->lasers; i++)
    best = w->pens[i].t < best->t ? &w->pens[i] : best;
  return best;
}

/* --- lines */

/* Keys that were left out are NaN and take the value of the lines. */
static double given(double value, double otherwise) {
  return isnan(value) ? otherwise : value;
}

/* Of the points of w->line, those which at least one of the `count` outlines from `first` on lacks:
   the skin, where the part ends within as many layers. It is the line without what all of those
   outlines cover. */
static ig_status skin_find(work *w, int first, int count, const double *o, const double *d,
                           ig_spans *out) {
  ig_spans covered = {0}, next = {0};
  ig_status status = IG_OK;
  for (int i = 0; i < w->line.count && status == IG_OK; i++)
    status = ig_spans_add(w->cx, &covered, w->line.span[i].from, w->line.span[i].to);
  for (int k = 0; k < count && status == IG_OK; k++) {
    status = ig_outline_inside(w->cx, &w->outline[first + k], o, d, &w->cut);
    if (status == IG_OK)
      status = ig_spans_both(w->cx, &covered, &w->cut, &next);
    const ig_spans swap = covered;
    covered = next;
    next = swap;
  }
  if (status == IG_OK)
    status = ig_spans_without(w->cx, &w->line, &covered, out);
  ig_spans_free(&covered);
  ig_spans_free(&next);
  return status;
}

/* Whether u lies in one of the spans. */
static bool spans_hold(const ig_spans *s, double u) {
  for (int i = 0; i < s->count; i++)
    if (u > s->span[i].from && u < s->span[i].to)
      return true;
  return false;
}

/* Where next on the way from u to `end` a skin begins or ends; `end` if there is none. Lengths
   below 1e-9 m are no change, or the loop of the caller might not move on. */
static double next_change(const work *w, double u, double end) {
  const ig_spans *skin[2] = {&w->up, &w->down};
  const double way = end > u ? 1 : -1;
  double next = end;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < skin[k]->count; i++) {
      const double at[2] = {skin[k]->span[i].from, skin[k]->span[i].to};
      for (int j = 0; j < 2; j++)
        if ((at[j] - u) * way > 1e-9 && (next - at[j]) * way > 1e-9)
          next = at[j];
    }
  return next;
}

/* Scans one span of a line from `from` to `to`, which may lie behind it. Skywriting adds a run-up
   and a run-out with the beam off, so that the mirrors are at full speed where the beam is on. The
   middle of each part decides on its skin; down-facing comes first, since there the melt lies on
   powder. */
static ig_status span_scan(work *w, pen *p, const double *o, const double *d, double from,
                           double to) {
  const ig_hatch_case *c = w->c;
  const double way = to > from ? 1 : -1, run = c->skywriting * way;
  const double before[3] = {o[0] + (from - run) * d[0], o[1] + (from - run) * d[1], w->z};
  const double start[3] = {o[0] + from * d[0], o[1] + from * d[1], w->z};
  const double after[3] = {o[0] + (to + run) * d[0], o[1] + (to + run) * d[1], w->z};
  IG_TRY(pen_jump(w, p, run != 0 ? before : start));
  if (run != 0)
    IG_TRY(pen_go(w, p, start, c->speed, 0));
  for (double u = from; u != to;) {
    const double next = next_change(w, u, to), middle = 0.5 * (u + next);
    const ig_hatch_skin *skin = spans_hold(&w->down, middle) ? &c->down_skin
                                : spans_hold(&w->up, middle) ? &c->up_skin
                                                             : NULL;
    const double end[3] = {o[0] + next * d[0], o[1] + next * d[1], w->z};
    IG_TRY(pen_go(w, p, end, given(skin ? skin->speed : NAN, c->speed),
                  given(skin ? skin->power : NAN, c->power)));
    u = next;
  }
  if (run != 0)
    IG_TRY(pen_go(w, p, after, c->speed, 0));
  return IG_OK;
}

/* Lines in a direction over a rectangle of the frame (u along them, v across). */
typedef struct {
  double angle, low[2], high[2]; /* m */
  double anchor;                 /* of the lines: the first is half a spacing above */
} field;

/* The spans of a line in a field: inside the outline, off its border, within the field and its
   overlap; then the skins. The result is in w->line, w->up and w->down. */
static ig_status line_find(work *w, const field *f, const double *o, const double *d) {
  IG_TRY(ig_outline_inside(w->cx, &w->outline[0], o, d, &w->cut));
  if (w->c->border > 0) {
    IG_TRY(ig_outline_near(w->cx, &w->outline[0], w->c->border, o, d, &w->near));
    IG_TRY(ig_spans_without(w->cx, &w->cut, &w->near, &w->rest));
  } else {
    w->near.count = 0;
    IG_TRY(ig_spans_without(w->cx, &w->cut, &w->near, &w->rest));
  }
  w->near.count = 0;
  IG_TRY(ig_spans_add(w->cx, &w->near, f->low[0] - w->c->overlap, f->high[0] + w->c->overlap));
  IG_TRY(ig_spans_both(w->cx, &w->rest, &w->near, &w->line));
  w->up.count = w->down.count = 0;
  if (w->above)
    IG_TRY(skin_find(w, 1, w->above, o, d, &w->up));
  if (w->below)
    IG_TRY(skin_find(w, 1 + w->above, w->below, o, d, &w->down));
  return IG_OK;
}

/* Line k is half a spacing plus k spacings above the anchor, which is that of the whole part, so
   that lines of neighbouring fields continue each other. Every second line runs back, unless all go
   one way. The laser is chosen at the first line that has a span: empty fields take none. */
static ig_status field_scan(work *w, const field *f) {
  const double s = w->c->spacing, d[2] = {cos(f->angle), sin(f->angle)};
  const double first = fmax(0, ceil((f->low[1] - f->anchor) / s - 0.5 - 1e-9));
  pen *p = NULL;
  bool back = false;
  for (double k = first;; k++) {
    const double v = f->anchor + (k + 0.5) * s, o[2] = {-v * d[1], v * d[0]};
    if (v >= f->high[1] - 1e-9 * s)
      return IG_OK;
    IG_TRY(line_find(w, f, o, d));
    for (int i = 0; i < w->line.count; i++) {
      const ig_span *q = &w->line.span[back ? w->line.count - 1 - i : i];
      if (q->to - q->from < 1e-3 * s)
        continue;
      p = p ? p : pen_next(w);
      IG_TRY(span_scan(w, p, o, d, back ? q->to : q->from, back ? q->from : q->to));
    }
    back = !back && !w->c->one_way;
  }
}

/* --- patterns */

/* The rectangle about this layer's outline in a frame turned by the angle, rad: u along the lines,
   v across them. */
static void frame_look(const ig_outline *s, double angle, field *f) {
  const double d[2] = {cos(angle), sin(angle)};
  *f = (field){.angle = angle, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
  for (int i = 0; i < s->count; i++) {
    const double x = s->piece[i][0], y = s->piece[i][1];
    const double q[2] = {x * d[0] + y * d[1], y * d[0] - x * d[1]};
    for (int k = 0; k < 2; k++) {
      f->low[k] = fmin(f->low[k], q[k]);
      f->high[k] = fmax(f->high[k], q[k]);
    }
  }
  f->anchor = f->low[1];
}

/* Lines across the whole part, in as many blocks as there are lasers to share them. */
static ig_status lines_scan(work *w, double angle) {
  field f;
  frame_look(&w->outline[0], angle, &f);
  const double low = f.low[1], high = f.high[1];
  const int64_t blocks = w->laser ? 1 : w->c->lasers;
  for (int64_t b = 0; b < blocks; b++) { /* a block of lines per laser */
    f.low[1] = low + (high - low) * (double)b / (double)blocks;
    f.high[1] = low + (high - low) * (double)(b + 1) / (double)blocks;
    IG_TRY(field_scan(w, &f));
  }
  return IG_OK;
}

/* Strips along v of the given width, one after the other; the last may be narrower. */
static ig_status stripes_scan(work *w, double angle) {
  field all, f;
  frame_look(&w->outline[0], angle, &all);
  const double stripes = ceil((all.high[0] - all.low[0]) / w->c->width - 1e-9);
  for (int64_t i = 0; i < (int64_t)stripes; i++) {
    f = all;
    f.low[0] = all.low[0] + (double)i * w->c->width;
    f.high[0] = fmin(f.low[0] + w->c->width, all.high[0]);
    IG_TRY(field_scan(w, &f));
  }
  return IG_OK;
}

/* Squares of a chessboard, turned with the layer; the second colour has its lines across. Scanning
   all of one colour first spreads the heat, which is what islands are for. */
static ig_status islands_scan(work *w, double angle) {
  field all, f;
  frame_look(&w->outline[0], angle, &all);
  const double edge = w->c->width;
  const int64_t nx = (int64_t)ceil((all.high[0] - all.low[0]) / edge - 1e-9);
  const int64_t ny = (int64_t)ceil((all.high[1] - all.low[1]) / edge - 1e-9);
  for (int64_t color = 0; color < 2; color++)
    for (int64_t j = 0; j < ny; j++)
      for (int64_t i = (j + color) % 2; i < nx; i += 2) {
        const double u = all.low[0] + (double)i * edge, v = all.low[1] + (double)j * edge;
        if (color == 0) {
          f = (field){.angle = angle, .low = {u, v}, .high = {u + edge, v + edge}, .anchor = v};
        } else { /* in the frame turned by 90 degrees, u' = v and v' = -u */
          f = (field){.angle = angle + M_PI / 2,
                      .low = {v, -u - edge},
                      .high = {v + edge, -u},
                      .anchor = -u - edge};
        }
        IG_TRY(field_scan(w, &f));
      }
  return IG_OK;
}

/* Contours from the outside in, each by one laser. Where the part is too narrow a contour is empty;
   that is counted and reported once at the end. */
static ig_status contours_scan(work *w) {
  const ig_hatch_contour *k = &w->c->contour;
  for (int64_t n = 0; n < k->count; n++) {
    /* The outermost first, each further one a spacing deeper. */
    const double distance = k->offset + (double)n * given(k->spacing, w->c->spacing);
    const double speed = given(k->speed, w->c->speed), power = given(k->power, w->c->power);
    ig_outline line;
    IG_TRY(ig_outline_inset(w->cx, &w->outline[0], distance, &line));
    w->no_contour += line.count == 0;
    pen *p = pen_next(w);
    ig_status status = IG_OK;
    for (int i = 0; i < line.count && status == IG_OK; i++) {
      const double a[3] = {line.piece[i][0], line.piece[i][1], w->z};
      const double b[3] = {line.piece[i][2], line.piece[i][3], w->z};
      status = pen_jump(w, p, a);
      if (status == IG_OK)
        status = pen_go(w, p, b, speed, power);
    }
    ig_outline_free(&line);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- layers */

static void outlines_free(work *w) {
  for (int i = 0; i < w->outlines; i++)
    ig_outline_free(&w->outline[i]);
  w->outlines = 0;
}

/* Cuts the outlines of a layer into w->outline: its own, taken at its middle, those above for the
   up skin, those below for the down skin. Below the first layer lies the plate, which is no
   overhang, so only layers of the part count. */
static ig_status outlines_cut(work *w, int64_t layer) {
  const ig_hatch_case *c = w->c;
  const double h = c->layer_height, z = w->base + ((double)layer + 0.5) * h;
  w->above = c->up_skin.at.given ? (int)c->up_skin.layers : 0;
  w->below = c->down_skin.at.given ? (int)fmin((double)c->down_skin.layers, (double)layer) : 0;
  for (int i = 0; i < 1 + w->above + w->below; i++) {
    const int away = i <= w->above ? i : w->above - i;
    IG_TRY(ig_scan_body_cut(w->cx, w->body, z + away * h, &w->outline[i]));
    w->outlines = i + 1;
  }
  return IG_OK;
}

/* One part in one layer, contours before or after the lines. The number of lines is estimated
   before any is made. */
static ig_status part_scan(work *w, int64_t layer) {
  const ig_hatch_case *c = w->c;
  const double angle = c->angle + (double)layer * c->rotation;
  IG_TRY(outlines_cut(w, layer));
  if (w->outline[0].count == 0)
    return IG_OK;
  field f;
  frame_look(&w->outline[0], angle, &f);
  const double wide = c->pattern == IG_HATCH_LINES ? 1 : (f.high[0] - f.low[0]) / c->width + 1;
  const double tall = c->pattern == IG_HATCH_ISLANDS ? (f.high[1] - f.low[1]) / c->width + 1 : 1;
  if ((f.high[1] - f.low[1]) / c->spacing * wide > MOST_LINES || wide * tall > MOST_LINES)
    return ig_fail_at(w->cx, &c->at, "a layer of more than 10 million lines: check spacing, width");
  if (c->contour.at.given && !c->contour.last)
    IG_TRY(contours_scan(w));
  IG_TRY(c->pattern == IG_HATCH_LINES     ? lines_scan(w, angle)
         : c->pattern == IG_HATCH_STRIPES ? stripes_scan(w, angle)
                                          : islands_scan(w, angle));
  if (c->contour.at.given && c->contour.last)
    IG_TRY(contours_scan(w));
  return IG_OK;
}

/* All lasers wait for the last of them, then for recoating, and at least until the layer has taken
   its least time. The points added keep a laser in its place, switched off, as it waits. */
static ig_status layer_end(work *w, double begun) {
  double t = begun;
  for (int64_t i = 0; i < w->c->lasers; i++)
    t = fmax(t, w->pens[i].t);
  t = fmax(t + w->c->recoating, begun + w->c->layer_time);
  for (int64_t i = 0; i < w->c->lasers; i++) {
    pen *p = &w->pens[i];
    if (p->placed && p->t < t)
      IG_TRY(ig_toolpath_add(w->cx, p->path, p->t, p->at, 0));
    p->t = t;
  }
  return IG_OK;
}

/* All layers from `first_layer` on; heights are counted from the base of the whole build. A
   remainder of half a layer or more at the top is a layer. */
static ig_status layers_scan(work *w, const ig_scan_body *body, double top) {
  const ig_hatch_case *c = w->c;
  const double all = fmax(1, floor((top - w->base) / c->layer_height + 0.5));
  if (all > 1e6)
    return ig_fail_at(w->cx, &c->at, "%.3g layers: is layer_height right?", all);
  if ((double)c->first_layer > all)
    return ig_fail_at(w->cx, &c->at, "first_layer %lld of %g layers", (long long)c->first_layer,
                      all);
  const int64_t first = c->first_layer - 1;
  const int64_t end = c->layers ? (int64_t)fmin((double)(first + c->layers), all) : (int64_t)all;
  for (int64_t layer = first; layer < end; layer++) {
    const double begun = w->pens[0].t;
    w->z = w->base + (double)(layer + 1) * c->layer_height;
    for (int i = 0; i < c->parts.count; i++) {
      w->body = &body[i];
      w->laser = IG_ITEM(const ig_scan_part, c->parts, i)->laser;
      const ig_status status = part_scan(w, layer);
      outlines_free(w);
      IG_TRY(status);
    }
    IG_TRY(layer_end(w, begun));
  }
  if (w->no_contour > 0)
    ig_warn_at(w->cx, &c->contour.at,
               "%lld contours of layers are left out: the part is narrower there than twice their "
               "distance from the outline (offset, spacing)",
               (long long)w->no_contour);
  for (int64_t i = 0; i < c->lasers; i++) /* the last recoating belongs to the build */
    IG_TRY(ig_toolpath_add(w->cx, w->pens[i].path, w->pens[i].t, w->pens[i].at, 0));
  return IG_OK;
}

/* Refuses combinations of keys that have no meaning or no effect. */
static ig_status case_check(ig_ctx *cx, const ig_hatch_case *c) {
  if (c->parts.count == 0)
    return ig_fail_at(cx, &c->at, "hatch needs parts: a surface or a box");
  if ((c->pattern != IG_HATCH_LINES) != !isnan(c->width))
    return ig_fail_at(cx, &c->at, "stripes and islands need a `width`, lines have none");
  if (c->pattern == IG_HATCH_LINES && c->overlap > 0)
    return ig_fail_at(cx, &c->at, "`overlap` is for stripes and islands: lines have none");
  if (c->contour.at.given && c->contour.count == 1 && !isnan(c->contour.spacing))
    return ig_fail_at(cx, &c->contour.at,
                      "`spacing` is the distance between contours, and there is one: leave it out, "
                      "or raise `count`");
  for (int i = 0; i < c->parts.count; i++) {
    const ig_scan_part *p = IG_ITEM(const ig_scan_part, c->parts, i);
    if (p->at.given && !p->stl && (!isnan(p->unit) || p->threshold != 0 || p->field))
      return ig_fail_at(cx, &p->at, "`%s` is for a part from a file: give its `stl`",
                        p->field            ? "field"
                        : p->threshold != 0 ? "threshold"
                                            : "unit");
    if (p->laser > c->lasers)
      return ig_fail_at(cx, &p->at, "laser %lld of %lld", (long long)p->laser,
                        (long long)c->lasers);
  }
  return IG_OK;
}

/* Opens all parts; the base is the lowest point of them all unless the case gives it. */
static ig_status bodies_scan(work *w, ig_scan_body *body) {
  const ig_hatch_case *c = w->c;
  double low = INFINITY, top = -INFINITY;
  for (int i = 0; i < c->parts.count; i++) {
    IG_TRY(ig_scan_body_open(w->cx, IG_ITEM(const ig_scan_part, c->parts, i), &body[i]));
    low = fmin(low, body[i].low[2]);
    top = fmax(top, body[i].high[2]);
  }
  w->base = given(c->base, low);
  return layers_scan(w, body, top);
}

/* All that is shared between layers is allocated once. Paths are the caller's on success; on
   failure they are freed here. The outlines of a layer are freed by layers_scan whatever
   happened. */
ig_status ig_hatch_make(ig_ctx *cx, const ig_hatch_case *c, ig_toolpath *paths) {
  work w = {.cx = cx, .c = c};
  ig_scan_body *body = NULL;
  ig_status status;
  for (int64_t i = 0; i < c->lasers; i++)
    memset(&paths[i], 0, sizeof paths[i]);
  IG_TRY_GOTO(status, done, case_check(cx, c));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &body, c->parts.count, "parts"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &w.pens, c->lasers, "lasers"));
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &w.outline, 1 + c->up_skin.layers + c->down_skin.layers, "outlines"));
  for (int64_t i = 0; i < c->lasers; i++)
    w.pens[i] = (pen){.path = &paths[i], .t = c->start_time};
  status = bodies_scan(&w, body);
done:
  for (int i = 0; body && i < c->parts.count; i++)
    ig_scan_body_close(&body[i]);
  free(body);
  free(w.pens);
  free(w.outline);
  ig_spans_free(&w.line);
  ig_spans_free(&w.cut);
  ig_spans_free(&w.near);
  ig_spans_free(&w.up);
  ig_spans_free(&w.down);
  ig_spans_free(&w.rest);
  for (int64_t i = 0; status != IG_OK && i < c->lasers; i++)
    ig_toolpath_free(&paths[i]);
  return status;
}
