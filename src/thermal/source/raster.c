/* Hatched layers: lines across a union of rectangles, islands, contours, dwells. A small generator
   for tests and simple parts; scan/hatch.h makes paths from the surface of any part. A line is cut
   with each rectangle and the intervals are merged, so rectangles may overlap. */
#include "thermal/source/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rectangle of a layer, m; a stretch of a line, in units of its direction; the state of drawing.
 */
typedef struct {
  double min[2], max[2];
} rect;
typedef struct {
  double from, to;
} span;
typedef struct {
  ig_ctx *cx;
  const ig_raster_case *c;
  ig_toolpath *path;
  /* time and height of the stroke in hand, s and m; where the last one ended; false `placed`:
     nowhere yet */
  double t, z, at[3];
  bool placed;
} pen;

static double distance(const double *a, const double *b) {
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Travels to a point with the beam off, then scans to another. */
static ig_status stroke(pen *p, double x0, double y0, double x1, double y1) {
  const double from[3] = {x0, y0, p->z}, to[3] = {x1, y1, p->z};
  if (p->placed && distance(p->at, from) > 0) {
    IG_TRY(ig_toolpath_add(p->cx, p->path, p->t, p->at, 0));
    p->t += distance(p->at, from) / p->c->jump_speed;
  }
  IG_TRY(ig_toolpath_add(p->cx, p->path, p->t, from, p->c->power));
  p->t += distance(from, to) / p->c->speed;
  IG_TRY(ig_toolpath_add(p->cx, p->path, p->t, to, 0));
  memcpy(p->at, to, sizeof to);
  p->placed = true;
  return IG_OK;
}

/* Where the line o + s d is inside a rectangle. */
static bool cross(const rect *r, const double *o, const double *d, span *s) {
  s->from = -INFINITY;
  s->to = INFINITY;
  for (int k = 0; k < 2; k++) {
    if (fabs(d[k]) < 1e-12) {
      if (o[k] < r->min[k] || o[k] > r->max[k])
        return false;
      continue;
    }
    const double a = (r->min[k] - o[k]) / d[k], b = (r->max[k] - o[k]) / d[k];
    s->from = fmax(s->from, fmin(a, b));
    s->to = fmin(s->to, fmax(a, b));
  }
  return s->to > s->from;
}

/* For merging stretches that overlap. */
static int by_from(const void *a, const void *b) {
  const span *p = a, *q = b;
  return (p->from > q->from) - (p->from < q->from);
}

/* Lines at an angle across a union of rectangles, back and forth, half a spacing off the edge. */
static ig_status hatch(pen *p, const rect *rects, int count, double angle) {
  const double d[2] = {cos(angle), sin(angle)}, n[2] = {-sin(angle), cos(angle)};
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 4; k++) {
      const double x = k & 1 ? rects[i].max[0] : rects[i].min[0];
      const double y = k & 2 ? rects[i].max[1] : rects[i].min[1];
      low = fmin(low, n[0] * x + n[1] * y);
      high = fmax(high, n[0] * x + n[1] * y);
    }
  /* low, high: the union's extent across the lines */
  const double lines_real = (high - low) / p->c->spacing;
  if (lines_real > 1e7)
    return ig_fail_at(p->cx, &p->c->at, "spacing: %g m makes more than 10 million lines",
                      p->c->spacing);
  /* the spacing is adjusted so that a whole number of lines fits: equal gaps at both edges */
  const int lines = (int)fmax(1, round(lines_real));
  span *s;
  IG_TRY(IG_NEW(p->cx, &s, count, "hatch"));
  ig_status status = IG_OK;
  /* every other line runs backwards, so that jumps are short */
  bool back = false;
  for (int line = 0; line < lines && status == IG_OK; line++) {
    const double v = low + (high - low) * (line + 0.5) / lines, o[2] = {v * n[0], v * n[1]};
    int spans = 0;
    for (int i = 0; i < count; i++)
      spans += cross(&rects[i], o, d, &s[spans]);
    qsort(s, (size_t)spans, sizeof *s, by_from);
    int merged = 0;
    for (int i = 0; i < spans; i++)
      if (merged && s[i].from <= s[merged - 1].to + 1e-9)
        s[merged - 1].to = fmax(s[merged - 1].to, s[i].to);
      else
        s[merged++] = s[i];
    for (int i = 0; i < merged && status == IG_OK; i++) {
      const span *q = &s[back ? merged - 1 - i : i];
      const double a = back ? q->to : q->from, b = back ? q->from : q->to;
      status = stroke(p, o[0] + a * d[0], o[1] + a * d[1], o[0] + b * d[0], o[1] + b * d[1]);
    }
    back = !back && !p->c->one_way;
  }
  free(s);
  return status;
}

/* Edges of the rectangles, drawn in by half a spacing, where no other rectangle covers them. */
static ig_status contour(pen *p, const rect *rects, int count) {
  const double in = p->c->spacing / 2;
  for (int i = 0; i < count; i++) {
    const rect q = {{rects[i].min[0] + in, rects[i].min[1] + in},
                    {rects[i].max[0] - in, rects[i].max[1] - in}};
    const double corner[5][2] = {{q.min[0], q.min[1]},
                                 {q.max[0], q.min[1]},
                                 {q.max[0], q.max[1]},
                                 {q.min[0], q.max[1]},
                                 {q.min[0], q.min[1]}};
    if (q.min[0] >= q.max[0] || q.min[1] >= q.max[1])
      continue;
    for (int k = 0; k < 4; k++) {
      const double d[2] = {corner[k + 1][0] - corner[k][0], corner[k + 1][1] - corner[k][1]};
      double at = 0; /* cut away what lies inside others, in rising order */
      while (at < 1) {
        /* until: where the next rectangle begins; skip: where one that holds this point ends */
        double until = 1, skip = -1;
        for (int j = 0; j < count; j++) {
          span s;
          const rect inner = {{rects[j].min[0] + in, rects[j].min[1] + in},
                              {rects[j].max[0] - in, rects[j].max[1] - in}};
          if (j == i || !cross(&inner, corner[k], d, &s))
            continue;
          if (s.from <= at + 1e-9 && s.to > at + 1e-9)
            skip = fmax(skip, s.to);
          else if (s.from > at)
            until = fmin(until, s.from);
        }
        if (skip > 0) {
          at = skip;
          continue;
        }
        IG_TRY(stroke(p, corner[k][0] + at * d[0], corner[k][1] + at * d[1],
                      corner[k][0] + until * d[0], corner[k][1] + until * d[1]));
        at = until;
      }
    }
  }
  return IG_OK;
}

/* Squares of a chessboard, white ones first, their lines at right angles to the black ones'. */
static ig_status islands(pen *p, const rect *rects, int count, double angle) {
  const double edge = p->c->island;
  rect all = rects[0];
  for (int i = 1; i < count; i++)
    for (int k = 0; k < 2; k++) {
      all.min[k] = fmin(all.min[k], rects[i].min[k]);
      all.max[k] = fmax(all.max[k], rects[i].max[k]);
    }
  const double nx = ceil((all.max[0] - all.min[0]) / edge - 1e-9);
  const double ny = ceil((all.max[1] - all.min[1]) / edge - 1e-9);
  if (nx * ny > 1e6)
    return ig_fail_at(p->cx, &p->c->at, "island %g m makes more than a million islands", edge);
  rect *cut;
  IG_TRY(IG_NEW(p->cx, &cut, count, "islands"));
  ig_status status = IG_OK;
  for (int color = 0; color < 2; color++)
    for (int j = 0; j < (int)ny; j++)
      for (int i = (j + color) % 2; i < (int)nx && status == IG_OK; i += 2) {
        int cuts = 0;
        for (int k = 0; k < count; k++) {
          const rect q = {{fmax(rects[k].min[0], all.min[0] + i * edge),
                           fmax(rects[k].min[1], all.min[1] + j * edge)},
                          {fmin(rects[k].max[0], all.min[0] + (i + 1) * edge),
                           fmin(rects[k].max[1], all.min[1] + (j + 1) * edge)}};
          if (q.max[0] - q.min[0] > 1e-9 && q.max[1] - q.min[1] > 1e-9)
            cut[cuts++] = q;
        }
        if (cuts)
          status = hatch(p, cut, cuts, angle + (color ? M_PI / 2 : 0));
      }
  free(cut);
  return status;
}

/* One part's layer: contour first, then islands or lines. */
static ig_status part(pen *p, const ig_list *regions, double angle) {
  rect *rects;
  IG_TRY(IG_NEW(p->cx, &rects, regions->count, "regions"));
  ig_status status = IG_OK;
  for (int i = 0; i < regions->count && status == IG_OK; i++) {
    const ig_raster_region *r = IG_ITEM(const ig_raster_region, *regions, i);
    if (!(r->max[0] > r->min[0] && r->max[1] > r->min[1]))
      status = ig_fail_at(p->cx, &r->at, "this region is empty: max must lie above min");
    memcpy(rects[i].min, r->min, sizeof r->min);
    memcpy(rects[i].max, r->max, sizeof r->max);
  }
  if (status == IG_OK && p->c->contour)
    status = contour(p, rects, regions->count);
  if (status == IG_OK)
    status = isnan(p->c->island) ? hatch(p, rects, regions->count, angle)
                                 : islands(p, rects, regions->count, angle);
  free(rects);
  return status;
}

/* Layer after layer, part after part; time runs on through dwells. Paths run on top of a layer,
   where the powder's surface is. */
ig_status ig_raster_make(ig_ctx *cx, const ig_raster_case *c, ig_toolpath *path) {
  memset(path, 0, sizeof *path);
  if ((c->regions.count == 0) == (c->parts.count == 0))
    return ig_fail_at(cx, &c->at, "a raster needs either regions or parts");
  if (c->at.given && c->part_dwell > 0 && c->parts.count == 0)
    return ig_fail_at(cx, &c->at, "`part_dwell` is for `parts`; after a layer of regions: `dwell`");
  pen p = {.cx = cx, .c = c, .path = path, .t = c->start_time};
  ig_status status = IG_OK;
  for (int64_t layer = 0; layer < c->layers && status == IG_OK; layer++) {
    p.z = c->base + (double)(layer + 1) * c->layer_height;
    const double angle = c->angle + (double)layer * c->rotation;
    if (c->regions.count)
      status = part(&p, &c->regions, angle);
    for (int i = 0; i < c->parts.count && status == IG_OK; i++) {
      status = part(&p, &IG_ITEM(const ig_raster_part, c->parts, i)->regions, angle);
      p.t += c->part_dwell;
    }
    p.t += c->dwell;
  }
  if (status == IG_OK && p.placed) /* the last dwell belongs to the build */
    status = ig_toolpath_add(cx, path, p.t, p.at, 0);
  if (status != IG_OK)
    ig_toolpath_free(path);
  return status;
}
