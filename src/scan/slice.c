/* A part cut at a height: each triangle that crosses it leaves a piece of the outline. The pieces
   are directed but in no order; spans.c needs none. */
#include "scan/hatch.h"
#include "ingot_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ig_outline_free(ig_outline *outline) {
  free(outline->piece);
  memset(outline, 0, sizeof *outline);
}

ig_status ig_outline_add(ig_ctx *cx, ig_outline *s, const double *a, const double *b) {
  IG_TRY(IG_MORE(cx, &s->piece, s->count, "outline"));
  double *q = s->piece[s->count++];
  q[0] = a[0], q[1] = a[1], q[2] = b[0], q[3] = b[1];
  return IG_OK;
}

/* The surface in the file, in m; `unit` is the length of one unit of the file, 0 its own. */
static ig_status surface_read(ig_ctx *cx, const ig_scan_part *c, ig_tri_surface *soup) {
#ifdef INGOT_HAVE_IO
  const ig_tri_surface_how how = {
      .unit = c->unit > 0 ? c->unit : 0, .threshold = c->threshold, .field = c->field};
  return ig_tri_surface_read_as(cx, c->stl, &how, soup);
#else
  (void)soup;
  return IG_FAIL(cx, IG_UNSUPPORTED, "%s: files are not compiled in: configure with INGOT_IO=ON",
                 c->stl);
#endif
}

/* Reads the surface and moves it. Only a closed one can be cut into closed loops, on which inside
   and outside rest. */
static ig_status surface_open(ig_ctx *cx, const ig_scan_part *c, ig_scan_body *body) {
  ig_tri_surface_survey v;
  IG_TRY(surface_read(cx, c, &body->soup));
  IG_TRY(ig_tri_surface_look(cx, &body->soup, &v));
  if (body->soup.triangles == 0)
    return ig_fail_at(cx, &c->at, "%s: there are no triangles", c->stl);
  if (v.open_edges)
    return ig_fail_at(cx, &c->at,
                      "%s: the surface is not closed: %d holes, the longest rim about (%.4g, %.4g, "
                      "%.4g) m: repair it before it is sliced",
                      c->stl, v.holes, v.hole[0], v.hole[1], v.hole[2]);
  body->oriented = v.oriented;
  body->volume = fabs(v.volume);
  for (size_t d = 0; d < 3; d++) {
    const double by = isnan(c->translate[d]) ? 0 : c->translate[d];
    body->low[d] = v.low[d] + by;
    body->high[d] = v.high[d] + by;
    for (size_t n = 0; n < (size_t)body->soup.nodes; n++)
      body->soup.x[3 * n + d] += by;
  }
  return IG_OK;
}

/* A part is one of two things, a surface or a box, and a box needs both of its corners. A body that
   failed to open needs no closing. */
ig_status ig_scan_body_open(ig_ctx *cx, const ig_scan_part *c, ig_scan_body *body) {
  memset(body, 0, sizeof *body);
  const bool box = !isnan(c->min[0]) && !isnan(c->max[0]);
  if (box == (c->stl != NULL) || (!box && (!isnan(c->min[0]) || !isnan(c->max[0]))))
    return ig_fail_at(cx, &c->at, "a part is a surface, `stl: FILE`, or a box, `min` and `max`");
  if (c->stl) {
    const ig_status status = surface_open(cx, c, body);
    if (status != IG_OK)
      ig_scan_body_close(body);
    return status;
  }
  body->volume = 1;
  body->oriented = true;
  for (int d = 0; d < 3; d++) {
    const double by = isnan(c->translate[d]) ? 0 : c->translate[d];
    if (!(c->max[d] > c->min[d]))
      return ig_fail_at(cx, &c->at, "this box is empty: max must lie above min");
    body->low[d] = c->min[d] + by;
    body->high[d] = c->max[d] + by;
    body->volume *= c->max[d] - c->min[d];
  }
  return IG_OK;
}

void ig_scan_body_close(ig_scan_body *body) {
  ig_tri_surface_free(&body->soup);
  memset(body, 0, sizeof *body);
}

/* Where an edge crosses the height, taken from its lower-numbered end, so that both its triangles
   find the same point. */
static void edge_cut(const ig_tri_surface *s, ig_lid p, ig_lid q, double z, double *x) {
  const double *a = &s->x[3 * (size_t)(p < q ? p : q)], *b = &s->x[3 * (size_t)(p < q ? q : p)];
  const double t = (z - a[2]) / (b[2] - a[2]);
  x[0] = a[0] + t * (b[0] - a[0]);
  x[1] = a[1] + t * (b[1] - a[1]);
}

/* The rectangle of a box, counter-clockwise, so that the part lies to the left. */
static ig_status box_cut(ig_ctx *cx, const ig_scan_body *b, ig_outline *out) {
  const double corner[5][2] = {{b->low[0], b->low[1]},
                               {b->high[0], b->low[1]},
                               {b->high[0], b->high[1]},
                               {b->low[0], b->high[1]},
                               {b->low[0], b->low[1]}};
  for (int k = 0; k < 4; k++)
    IG_TRY(ig_outline_add(cx, out, corner[k], corner[k + 1]));
  return IG_OK;
}

/* --- outlines of voxels
   Voxels leave a piece for every face: pieces in a row on one line become one. */

/* Along x or y, one way or the other, on one line, one after the other. */
static int piece_compare(const void *p, const void *q) {
  const double *a = p, *b = q;
  const bool x = a[1] == a[3], y = b[1] == b[3];
  if (x != y)
    return x ? -1 : 1;
  const int along = x ? 0 : 1;
  const bool up = a[2 + along] > a[along], down = b[2 + along] > b[along];
  if (up != down)
    return up ? -1 : 1;
  if (a[1 - along] != b[1 - along])
    return a[1 - along] < b[1 - along] ? -1 : 1;
  return a[along] == b[along] ? 0 : (a[along] < b[along]) == up ? -1 : 1;
}

/* After sorting, pieces that continue each other are neighbours. Voxel corners are exact products,
   so equality needs no tolerance. */
static void pieces_join(ig_outline *s) {
  int kept = 0;
  if (s->count > 1)
    qsort(s->piece, (size_t)s->count, sizeof *s->piece, piece_compare);
  for (int i = 0; i < s->count; i++) {
    double *last = kept ? s->piece[kept - 1] : NULL;
    const double *p = s->piece[i];
    const bool on = last && last[2] == p[0] && last[3] == p[1] &&
                    ((last[0] == p[0] && p[0] == p[2]) || (last[1] == p[1] && p[1] == p[3]));
    if (on)
      last[2] = p[2], last[3] = p[3];
    else
      memmove(s->piece[kept++], p, sizeof *s->piece);
  }
  s->count = kept;
}

/* A corner exactly at the height counts as above it, so that each triangle is either cut in two
   edges or not at all, and loops stay closed. The top of the part is outside, its bottom inside.
   Each piece runs from where the triangle's boundary goes down through the height to where it comes
   up. */
ig_status ig_scan_body_cut(ig_ctx *cx, const ig_scan_body *body, double z, ig_outline *out) {
  memset(out, 0, sizeof *out);
  out->oriented = body->oriented;
  if (z < body->low[2] || z >= body->high[2])
    return IG_OK;
  ig_status status = body->soup.triangles ? IG_OK : box_cut(cx, body, out);
  const ig_tri_surface *s = &body->soup;
  for (size_t t = 0; t < (size_t)s->triangles && status == IG_OK; t++) {
    const ig_lid *c = &s->corner[3 * t];
    bool above[3];
    double x[3][2] = {{0}};
    int leave = -1, enter = -1; /* the edges along which the way round goes down, and up */
    for (int k = 0; k < 3; k++)
      above[k] = s->x[3 * (size_t)c[k] + 2] >= z;
    for (int k = 0; k < 3; k++)
      if (above[k] != above[(k + 1) % 3]) {
        edge_cut(s, c[k], c[(k + 1) % 3], z, x[k]);
        *(above[k] ? &leave : &enter) = k;
      }
    if (leave >= 0 && enter >= 0 && (x[enter][0] != x[leave][0] || x[enter][1] != x[leave][1]))
      status = ig_outline_add(cx, out, x[leave], x[enter]);
  }
  if (status != IG_OK)
    ig_outline_free(out);
  else if (s->stepped)
    pieces_join(out);
  return status;
}
