/* The surface of a design: densities averaged to the nodes, mirrored through the planes of
   symmetry, closed by a thin layer of void around, and cut by marching tetrahedra.

   Every cube is split alike into six tetrahedra around its diagonal, so neighbours agree on every
   face, and a vertex is known by the edge it lies on: each edge of the surface then belongs to
   exactly two triangles, whatever the field. */
#include "topopt/surface.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n[3];             /* nodes along each axis, the layer of void included */
  double h[3], from[3]; /* element size; place of node 1 */
  const float *value;   /* at nodes, layer included */
  double level;
  int32_t *edge[2]; /* vertex on each of the 7 edges up from the nodes of two planes; -1: none */
  ig_part_builder build;
  int cube[3];
  const int *corner; /* of the tetrahedron at hand */
} cutter;

static float value_at(const cutter *c, const int *i) {
  return c->value[((int64_t)i[2] * c->n[1] + i[1]) * c->n[0] + i[0]];
}

/* the layer of void is a thousandth of an element thick */
static double coordinate(const cutter *c, int d, int i) {
  const int last = c->n[d] - 1;
  const double x = i == 0 ? -1e-3 : i == last ? last - 2 + 1e-3 : i - 1;
  return c->from[d] + c->h[d] * x;
}

static ig_status grow(ig_ctx *cx, void **p, int64_t *room, int64_t count, size_t size) {
  if (count < *room)
    return IG_OK;
  const int64_t want = *room ? 2 * *room : 4096;
  if (want > INT32_MAX)
    return IG_FAIL(cx, IG_MEMORY, "the surface has more than %d vertices or triangles", INT32_MAX);
  void *more = realloc(*p, (size_t)want * size);
  if (!more)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a surface of %lld triangles", (long long)want);
  *p = more;
  *room = want;
  return IG_OK;
}

ig_status ig_part_vertex(ig_part_builder *b, const double *x, int32_t *index) {
  ig_part *s = b->out;
  IG_TRY(grow(b->cx, (void **)&s->vertex, &b->vertex_room, s->vertices, sizeof *s->vertex));
  for (int d = 0; d < 3; d++)
    s->vertex[s->vertices][d] = (float)x[d];
  *index = (int32_t)s->vertices++;
  return IG_OK;
}

ig_status ig_part_triangle(ig_part_builder *b, int32_t p, int32_t q, int32_t r) {
  ig_part *s = b->out;
  IG_TRY(grow(b->cx, (void **)&s->triangle, &b->triangle_room, s->triangles, sizeof *s->triangle));
  s->triangle[s->triangles][0] = p;
  s->triangle[s->triangles][1] = q;
  s->triangle[s->triangles][2] = r;
  s->triangles++;
  return IG_OK;
}

double ig_part_place(double level, double va, double vb) {
  const double t = (level - va) / (vb - va);
  return t < 1e-3 ? 1e-3 : t > 1 - 1e-3 ? 1 - 1e-3 : t;
}

/* for each set of corners inside: an even order, those inside first (last, where three are) */
static const int orders[16][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {0, 1, 2, 3},
                                  {2, 0, 1, 3}, {0, 2, 3, 1}, {1, 2, 0, 3}, {3, 0, 2, 1},
                                  {3, 0, 2, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}, {2, 0, 1, 3},
                                  {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};

ig_status ig_part_cut(ig_part_builder *b, int inside, ig_cut_edge *edge, void *user) {
  const int *o = orders[inside], count = __builtin_popcount((unsigned)inside);
  int32_t v[4];
  if (count == 0 || count == 4)
    return IG_OK;
  if (count == 2) {
    IG_TRY(edge(user, o[0], o[2], &v[0]));
    IG_TRY(edge(user, o[0], o[3], &v[1]));
    IG_TRY(edge(user, o[1], o[3], &v[2]));
    IG_TRY(edge(user, o[1], o[2], &v[3]));
    IG_TRY(ig_part_triangle(b, v[0], v[1], v[2]));
    return ig_part_triangle(b, v[0], v[2], v[3]);
  }
  for (int i = 0; i < 3; i++)
    IG_TRY(edge(user, o[0], o[i + 1], &v[i]));
  return count == 1 ? ig_part_triangle(b, v[0], v[1], v[2]) : ig_part_triangle(b, v[0], v[2], v[1]);
}

/* --- a grid --- */

/* the vertex on an edge of the tetrahedron, made once */
static ig_status edge_of_cube(void *user, int p, int q, int32_t *index) {
  cutter *c = user;
  const int a = c->corner[p] < c->corner[q] ? c->corner[p] : c->corner[q],
            b = a ^ c->corner[p] ^ c->corner[q];
  const int *cube = c->cube; /* a's bits are part of b's */
  const int low[3] = {cube[0] + (a & 1), cube[1] + (a >> 1 & 1), cube[2] + (a >> 2)};
  const int high[3] = {cube[0] + (b & 1), cube[1] + (b >> 1 & 1), cube[2] + (b >> 2)};
  const int64_t node = (int64_t)low[1] * c->n[0] + low[0];
  int32_t *known = &c->edge[low[2] & 1][node * 7 + (a ^ b) - 1];
  if (*known < 0) {
    const double t = ig_part_place(c->level, value_at(c, low), value_at(c, high));
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = (1 - t) * coordinate(c, d, low[d]) + t * coordinate(c, d, high[d]);
    IG_TRY(ig_part_vertex(&c->build, x, known));
  }
  *index = *known;
  return IG_OK;
}

/* corners of the six tetrahedra, all of positive volume */
static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                     {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
static ig_status march(cutter *c) {
  int *cube = c->cube;
  const size_t plane = (size_t)c->n[0] * (size_t)c->n[1] * 7 * sizeof(int32_t);
  memset(c->edge[0], 0xff, plane);
  for (cube[2] = 0; cube[2] + 1 < c->n[2]; cube[2]++) {
    memset(c->edge[(cube[2] + 1) & 1], 0xff, plane);
    for (cube[1] = 0; cube[1] + 1 < c->n[1]; cube[1]++)
      for (cube[0] = 0; cube[0] + 1 < c->n[0]; cube[0]++) {
        int in = 0;
        for (int a = 0; a < 8; a++) {
          const int at[3] = {cube[0] + (a & 1), cube[1] + (a >> 1 & 1), cube[2] + (a >> 2)};
          in |= (value_at(c, at) >= (float)c->level) << a;
        }
        if (in == 0 || in == 255)
          continue;
        for (int t = 0; t < 6; t++) {
          int inside = 0;
          for (int i = 0; i < 4; i++)
            inside |= (in >> tetrahedra[t][i] & 1) << i;
          c->corner = tetrahedra[t];
          IG_TRY(ig_part_cut(&c->build, inside, edge_of_cube, c));
        }
      }
  }
  return IG_OK;
}

void ig_part_measure(ig_part *s) {
  for (int64_t t = 0; t < s->triangles; t++) {
    double p[3][3], n[3];
    for (int i = 0; i < 3; i++)
      for (int d = 0; d < 3; d++)
        p[i][d] = s->vertex[s->triangle[t][i]][d];
    for (int d = 0; d < 3; d++) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      n[d] = (p[1][e] - p[0][e]) * (p[2][f] - p[0][f]) - (p[1][f] - p[0][f]) * (p[2][e] - p[0][e]);
    }
    s->area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    s->volume += (p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / 6;
  }
}

ig_status ig_part_of_grid(ig_ctx *cx, const ig_grid *g, const double *h, const double *density,
                          double level, const ig_texts *mirror, ig_part *surface) {
  memset(surface, 0, sizeof *surface);
  int side[3] = {0, 0, 0}; /* -1: mirrored at the lowest plane, +1: at the highest */
  for (int s = 0; s < mirror->count; s++)
    side[mirror->value[s][0] - 'x'] = mirror->value[s][1] == '+' ? 1 : -1;
  cutter c = {.level = level, .build = {.cx = cx, .out = surface}};
  int all[3];
  for (int d = 0; d < 3; d++) {
    all[d] = g->n[d] * (side[d] ? 2 : 1);
    c.n[d] = all[d] + 3;
    c.h[d] = h[d];
    c.from[d] = side[d] < 0 ? -g->n[d] * h[d] : 0;
  }
  float *value = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &value, (size_t)c.n[0] * (size_t)c.n[1] * (size_t)c.n[2], "surface"));
  for (int p = 0; p < 2; p++)
    IG_TRY_GOTO(status, done,
                IG_NEW(cx, &c.edge[p], (size_t)c.n[0] * (size_t)c.n[1] * 7, "surface edges"));
  int i[3];
  for (i[2] = 0; i[2] <= all[2]; i[2]++)
    for (i[1] = 0; i[1] <= all[1]; i[1]++)
      for (i[0] = 0; i[0] <= all[0]; i[0]++) {
        double sum = 0;
        int count = 0;
        for (int a = 0; a < 8; a++) {
          int e[3];
          bool there = true;
          for (int d = 0; d < 3; d++) {
            e[d] = i[d] - (a >> d & 1);
            there = there && e[d] >= 0 && e[d] < all[d];
            /* a mirrored element is the one it is the image of */
            if (side[d] < 0)
              e[d] = e[d] >= g->n[d] ? e[d] - g->n[d] : g->n[d] - 1 - e[d];
            else if (e[d] >= g->n[d])
              e[d] = 2 * g->n[d] - 1 - e[d];
          }
          if (there) {
            sum += density[ig_grid_place(g, e[0], e[1], e[2])];
            count++;
          }
        }
        value[((int64_t)(i[2] + 1) * c.n[1] + i[1] + 1) * c.n[0] + i[0] + 1] = (float)(sum / count);
      }
  c.value = value;
  status = march(&c);
  ig_part_measure(surface);
done:
  free(value);
  free(c.edge[0]);
  free(c.edge[1]);
  if (status != IG_OK)
    ig_part_free(surface);
  return status;
}

void ig_part_free(ig_part *surface) {
  free(surface->vertex);
  free(surface->triangle);
  memset(surface, 0, sizeof *surface);
}

/* --- files --- */

typedef struct {
  char *bytes;
  size_t size, room;
} buffer;

static ig_status put(ig_ctx *cx, buffer *b, const void *data, size_t size) {
  if (b->size + size > b->room) {
    const size_t want = 2 * (b->size + size);
    char *more = realloc(b->bytes, want);
    if (!more)
      return IG_FAIL(cx, IG_MEMORY, "no memory for a surface file of %zu bytes", want);
    b->bytes = more;
    b->room = want;
  }
  memcpy(b->bytes + b->size, data, size);
  b->size += size;
  return IG_OK;
}

/* both binary formats are little-endian, as are the machines Ingot runs on */
static ig_status write_stl(ig_ctx *cx, const ig_part *s, buffer *b) {
  char head[80] = "binary STL by Ingot, metres";
  const uint32_t count = (uint32_t)s->triangles;
  IG_TRY(put(cx, b, head, sizeof head));
  IG_TRY(put(cx, b, &count, 4));
  for (int64_t t = 0; t < s->triangles; t++) {
    float record[12] = {0};
    for (int i = 0; i < 3; i++)
      memcpy(&record[3 + 3 * i], s->vertex[s->triangle[t][i]], 12);
    double n[3], norm = 0;
    for (int d = 0; d < 3; d++) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      n[d] = (double)(record[6 + e] - record[3 + e]) * (double)(record[9 + f] - record[3 + f]) -
             (double)(record[6 + f] - record[3 + f]) * (double)(record[9 + e] - record[3 + e]);
      norm += n[d] * n[d];
    }
    for (int d = 0; d < 3 && norm > 0; d++)
      record[d] = (float)(n[d] / sqrt(norm));
    const uint16_t attribute = 0;
    IG_TRY(put(cx, b, record, sizeof record));
    IG_TRY(put(cx, b, &attribute, 2));
  }
  return IG_OK;
}

static ig_status write_obj(ig_ctx *cx, const ig_part *s, buffer *b) {
  char line[128];
  for (int64_t v = 0; v < s->vertices; v++)
    IG_TRY(put(cx, b, line,
               (size_t)ig_format(line, sizeof line, "v %.7g %.7g %.7g\n", (double)s->vertex[v][0],
                                 (double)s->vertex[v][1], (double)s->vertex[v][2])));
  for (int64_t t = 0; t < s->triangles; t++)
    IG_TRY(put(cx, b, line,
               (size_t)snprintf(line, sizeof line, "f %d %d %d\n", s->triangle[t][0] + 1,
                                s->triangle[t][1] + 1, s->triangle[t][2] + 1)));
  return IG_OK;
}

static ig_status write_ply(ig_ctx *cx, const ig_part *s, buffer *b) {
  char head[400];
  const int length = snprintf(head, sizeof head,
                              "ply\nformat binary_little_endian 1.0\ncomment by Ingot, metres\n"
                              "element vertex %lld\nproperty float x\nproperty float y\n"
                              "property float z\nelement face %lld\n"
                              "property list uchar int vertex_indices\nend_header\n",
                              (long long)s->vertices, (long long)s->triangles);
  IG_TRY(put(cx, b, head, (size_t)length));
  IG_TRY(put(cx, b, s->vertex ? (const void *)s->vertex : "", (size_t)s->vertices * 12));
  for (int64_t t = 0; t < s->triangles; t++) {
    const unsigned char three = 3;
    IG_TRY(put(cx, b, &three, 1));
    IG_TRY(put(cx, b, s->triangle[t], 12));
  }
  return IG_OK;
}

ig_status ig_part_write(ig_ctx *cx, const ig_part *surface, const char *format, ig_sink *sink) {
  static const struct {
    const char *name;
    ig_status (*write)(ig_ctx *, const ig_part *, buffer *);
  } writers[] = {{"stl", write_stl}, {"obj", write_obj}, {"ply", write_ply}};
  for (size_t w = 0; w < sizeof writers / sizeof *writers; w++)
    if (strcmp(format, writers[w].name) == 0) {
      buffer b = {0};
      char name[16];
      snprintf(name, sizeof name, "part.%s", format);
      ig_status status = writers[w].write(cx, surface, &b);
      if (status == IG_OK)
        status = sink->file(sink, name, b.bytes, b.size);
      free(b.bytes);
      return status;
    }
  return IG_FAIL(cx, IG_INPUT, "surface: '%s' is no format: expected stl, obj or ply", format);
}
