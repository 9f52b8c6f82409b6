/* Outlines of plane designs: closed polygons at a level of the densities averaged to the nodes, as
   SVG and DXF in millimetres.

   A rectangle is two triangles, so that every triangle is cut in one way only. A vertex is
   identified by the edge it lies on, and has one polygon side that comes and one that goes: what is
   inside lies to the left. Outer polygons run counter-clockwise, holes clockwise. */
#include "topopt/surface/outline.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mirrored whole: elements n, and values at (n[0] + 1) (n[1] + 1) nodes. */
typedef struct {
  ig_ctx *cx;
  int n[2];
  double h[2], origin[2], level;
  double *value;
  ig_topopt_keys keys;
  ig_topopt_outline *out;
} tracer;

/* An element of the mirrored whole in the model. */
static int unmirror(int i, int n, int side) {
  return side < 0 ? (i < n ? n - 1 - i : i - n) : i < n ? i : 2 * n - 1 - i;
}

/* Means of the elements around each node. */
static ig_status nodes_fill(tracer *t, const ig_grid *g, const int side[2], const double *density) {
  const size_t width = (size_t)t->n[0] + 1;
  IG_TRY(IG_NEW(t->cx, &t->value, width * ((size_t)t->n[1] + 1), "outline"));
  for (int j = 0; j <= t->n[1]; j++)
    for (int i = 0; i <= t->n[0]; i++) {
      double sum = 0;
      int count = 0;
      for (int q = 0; q < 4; q++) {
        const int e = i - (q & 1), f = j - (q >> 1);
        if (e < 0 || f < 0 || e >= t->n[0] || f >= t->n[1])
          continue;
        const int a = side[0] ? unmirror(e, g->n[0], side[0]) : e;
        const int b = side[1] ? unmirror(f, g->n[1], side[1]) : f;
        sum += density[ig_grid_place(g, a, b, 0)];
        count++;
      }
      t->value[(size_t)j * width + (size_t)i] = sum / count;
    }
  return IG_OK;
}

static bool inside(const tracer *t, int32_t node) {
  return t->value[node] >= t->level;
}

static void position(const tracer *t, int32_t node, double x[2]) {
  x[0] = t->origin[0] + t->h[0] * (node % (t->n[0] + 1));
  x[1] = t->origin[1] + t->h[1] * (node / (t->n[0] + 1));
}

/* The vertex between two nodes, or at one. */
static ig_status vertex(tracer *t, int32_t a, int32_t b, int32_t *index) {
  ig_topopt_outline *o = t->out;
  const int32_t low = a < b ? a : b, high = a < b ? b : a;
  int32_t *of;
  IG_TRY(ig_topopt_keys_at(t->cx, &t->keys, (uint64_t)low << 32 | (uint32_t)high, &of));
  if (*of < 0) {
    double x[2], y[2];
    const double by = a == b ? 0 : ig_topopt_part_place(t->level, t->value[low], t->value[high]);
    position(t, low, x);
    position(t, high, y);
    *of = o->vertices;
    IG_TRY(IG_MORE(t->cx, &o->x, o->vertices, "outline"));
    IG_TRY(IG_MORE(t->cx, &o->next, o->vertices, "outline"));
    for (int d = 0; d < 2; d++)
      o->x[o->vertices][d] = x[d] + by * (y[d] - x[d]);
    o->next[o->vertices++] = -1;
  }
  *index = *of;
  return IG_OK;
}

/* A side of a polygon from the vertex on edge a, b to that on edge c, d. */
static ig_status side_add(tracer *t, int32_t a, int32_t b, int32_t c, int32_t d) {
  int32_t from, to;
  IG_TRY(vertex(t, a, b, &from));
  IG_TRY(vertex(t, c, d, &to));
  t->out->next[from] = to;
  return IG_OK;
}

/* Corners counter-clockwise; rim: whether the edge from corner i on lies on the rim. */
static ig_status triangle(tracer *t, const int32_t c[3], const bool rim[3]) {
  for (int i = 0; i < 3; i++) {
    const int32_t a = c[i], b = c[(i + 1) % 3], d = c[(i + 2) % 3];
    const bool in = inside(t, a), next = inside(t, b), last = inside(t, d);
    if (in && !next && !last)
      IG_TRY(side_add(t, a, b, d, a));
    if (!in && next && last)
      IG_TRY(side_add(t, d, a, a, b));
    if (rim[i] && (in || next))
      IG_TRY(side_add(t, a, in ? a : b, next ? b : a, b));
  }
  return IG_OK;
}

static ig_status trace(tracer *t) {
  const int width = t->n[0] + 1;
  for (int j = 0; j < t->n[1]; j++)
    for (int i = 0; i < t->n[0]; i++) {
      const int32_t p = j * width + i, q = p + 1, r = q + width, s = p + width;
      IG_TRY(
          triangle(t, (const int32_t[]){p, q, r}, (const bool[]){j == 0, i == t->n[0] - 1, false}));
      IG_TRY(
          triangle(t, (const int32_t[]){p, r, s}, (const bool[]){false, j == t->n[1] - 1, i == 0}));
    }
  return IG_OK;
}

/* Vertices on a straight line between their neighbours are passed over; area by the shoelace
   formula; one start for each polygon. */
static ig_status polygons_close(ig_ctx *cx, ig_topopt_outline *o) {
  uint8_t *seen;
  IG_TRY(IG_NEW(cx, &seen, (size_t)o->vertices + 1, "outline"));
  ig_status status = IG_OK;
  for (int32_t v = 0; v < o->vertices && status == IG_OK; v++) {
    if (seen[v] || o->next[v] < 0)
      continue;
    int32_t at = v, start = v;
    do {
      seen[at] = 1;
      for (int32_t b = o->next[at], c = o->next[b]; c != at && b != v; b = c, c = o->next[b]) {
        const double *x = o->x[at], *y = o->x[b], *z = o->x[c];
        const double turn = (y[0] - x[0]) * (z[1] - y[1]) - (y[1] - x[1]) * (z[0] - y[0]);
        const double size = hypot(y[0] - x[0], y[1] - x[1]) * hypot(z[0] - y[0], z[1] - y[1]);
        if (fabs(turn) > 1e-9 * size)
          break;
        seen[b] = 1;
        o->next[at] = c;
      }
      const double *x = o->x[at], *y = o->x[o->next[at]];
      o->area += 0.5 * (x[0] * y[1] - x[1] * y[0]);
      o->length += hypot(y[0] - x[0], y[1] - x[1]);
      at = o->next[at];
    } while (at != v);
    status = IG_MORE(cx, &o->start, o->polygons, "outline");
    if (status == IG_OK)
      o->start[o->polygons++] = start;
  }
  free(seen);
  return status;
}

ig_status ig_topopt_outline_make(ig_ctx *cx, const ig_grid *g, const double *h,
                                 const double *density, double level, const ig_texts *mirror,
                                 ig_topopt_outline *o) {
  tracer t = {.cx = cx, .level = level, .out = o};
  int side[2] = {0, 0};
  memset(o, 0, sizeof *o);
  for (int i = 0; i < mirror->count; i++)
    side[mirror->value[i][0] - 'x'] = mirror->value[i][1] == '+' ? 1 : -1;
  for (int d = 0; d < 2; d++) {
    t.h[d] = h[d];
    t.n[d] = g->n[d] * (side[d] ? 2 : 1);
    t.origin[d] = side[d] < 0 ? -g->n[d] * h[d] : 0;
    o->low[d] = t.origin[d];
    o->high[d] = t.origin[d] + t.n[d] * h[d];
  }
  ig_status status = nodes_fill(&t, g, side, density);
  if (status == IG_OK)
    status = trace(&t);
  if (status == IG_OK)
    status = polygons_close(cx, o);
  free(t.value);
  ig_topopt_keys_free(&t.keys);
  return status;
}

void ig_topopt_outline_free(ig_topopt_outline *o) {
  free(o->x);
  free(o->next);
  free(o->start);
  memset(o, 0, sizeof *o);
}

/* --- files */

static void svg_write(const ig_topopt_outline *o, FILE *f) {
  const double width = 1e3 * (o->high[0] - o->low[0]), height = 1e3 * (o->high[1] - o->low[1]);
  ig_print(f,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.9gmm\" height=\"%.9gmm\" "
           "viewBox=\"0 0 %.9g %.9g\">\n<path fill-rule=\"evenodd\" d=\"",
           width, height, width, height);
  for (int p = 0; p < o->polygons; p++) {
    int32_t at = o->start[p];
    char command = 'M';
    do {
      ig_print(f, "%c%.9g %.9g\n", command, 1e3 * (o->x[at][0] - o->low[0]),
               1e3 * (o->high[1] - o->x[at][1]));
      command = 'L';
      at = o->next[at];
    } while (at != o->start[p]);
    fprintf(f, "Z\n");
  }
  fprintf(f, "\"/>\n</svg>\n");
}

/* Closed polylines of release 12, which every program reads; $INSUNITS 4: millimetres. */
static void dxf_write(const ig_topopt_outline *o, FILE *f) {
  fprintf(f, "0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1009\n9\n$INSUNITS\n70\n4\n0\nENDSEC\n"
             "0\nSECTION\n2\nENTITIES\n");
  for (int p = 0; p < o->polygons; p++) {
    int32_t at = o->start[p];
    fprintf(f, "0\nPOLYLINE\n8\npart\n66\n1\n70\n1\n10\n0.0\n20\n0.0\n30\n0.0\n");
    do {
      ig_print(f, "0\nVERTEX\n8\npart\n10\n%.9f\n20\n%.9f\n30\n0.0\n", 1e3 * o->x[at][0],
               1e3 * o->x[at][1]);
      at = o->next[at];
    } while (at != o->start[p]);
    fprintf(f, "0\nSEQEND\n8\npart\n");
  }
  fprintf(f, "0\nENDSEC\n0\nEOF\n");
}

ig_status ig_topopt_outline_write(ig_ctx *cx, const ig_topopt_outline *o, const char *format,
                                  ig_sink *sink) {
  char *text = NULL, name[16];
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  snprintf(name, sizeof name, "part.%.8s", format);
  if (f)
    (strcmp(format, "svg") == 0 ? svg_write : dxf_write)(o, f);
  const bool good = f && !ferror(f);
  if ((f && fclose(f) != 0) || !good) {
    free(text);
    return IG_FAIL(cx, IG_MEMORY, "no memory for '%s'", name);
  }
  const ig_status status = sink->file(sink, name, text, size);
  free(text);
  return status;
}
