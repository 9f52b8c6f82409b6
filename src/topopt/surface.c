/* The surface of a design on a grid: densities averaged to the nodes, mirrored through the planes
   of symmetry, cut by marching tetrahedra, and closed by the parts of the grid's own boundary that
   are inside.

   Every cube is split alike into six tetrahedra around its diagonal, so neighbours agree on every
   face, and a vertex is known by the edge it lies on (or the node it is): each edge of the surface
   then belongs to exactly two triangles, whatever the field. */
#include "topopt/surface.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n[3];             /* nodes along each axis */
  double h[3], from[3]; /* element size; place of node 0 */
  const float *value;   /* at nodes */
  double level;
  int32_t *known[2]; /* vertices of the nodes of two planes: its own, on the 7 edges up; -1: none */
  ig_topopt_part_builder build;
  int cube[3];
  const int *corner; /* of the tetrahedron at hand */
} cutter;

static float value_at(const cutter *c, const int *i) {
  return c->value[((int64_t)i[2] * c->n[1] + i[1]) * c->n[0] + i[0]];
}

static ig_status grow(ig_ctx *cx, void **p, int64_t *capacity, int64_t count, size_t size) {
  if (count < *capacity)
    return IG_OK;
  const int64_t want = *capacity ? 2 * *capacity : 4096;
  if (want > INT32_MAX)
    return IG_FAIL(cx, IG_MEMORY, "the surface has more than %d vertices or triangles", INT32_MAX);
  void *more = realloc(*p, (size_t)want * size);
  if (!more)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a surface of %lld triangles", (long long)want);
  *p = more;
  *capacity = want;
  return IG_OK;
}

ig_status ig_topopt_part_vertex(ig_topopt_part_builder *b, const double *x, int32_t *index) {
  ig_topopt_part *s = b->out;
  IG_TRY(grow(b->cx, (void **)&s->vertex, &b->vertex_capacity, s->vertices, sizeof *s->vertex));
  for (int d = 0; d < 3; d++)
    s->vertex[s->vertices][d] = (float)x[d];
  *index = (int32_t)s->vertices++;
  return IG_OK;
}

ig_status ig_topopt_part_triangle(ig_topopt_part_builder *b, int32_t p, int32_t q, int32_t r) {
  ig_topopt_part *s = b->out;
  IG_TRY(
      grow(b->cx, (void **)&s->triangle, &b->triangle_capacity, s->triangles, sizeof *s->triangle));
  s->triangle[s->triangles][0] = p;
  s->triangle[s->triangles][1] = q;
  s->triangle[s->triangles][2] = r;
  s->triangles++;
  return IG_OK;
}

/* Vertices keep away from nodes: triangles are never thinner than the files' single precision can
   tell apart. */
double ig_topopt_part_place(double level, double va, double vb) {
  const double nearest = 0.05, t = (level - va) / (vb - va);
  return t < nearest ? nearest : t > 1 - nearest ? 1 - nearest : t;
}

/* for each set of corners inside: an even order, those inside first (last, where three are) */
static const int orders[16][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {0, 1, 2, 3},
                                  {2, 0, 1, 3}, {0, 2, 3, 1}, {1, 2, 0, 3}, {3, 0, 2, 1},
                                  {3, 0, 2, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}, {2, 0, 1, 3},
                                  {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};

ig_status ig_topopt_part_cut(ig_topopt_part_builder *b, int inside, ig_cut_edge *edge, void *user) {
  const int *o = orders[inside], count = __builtin_popcount((unsigned)inside);
  int32_t v[4];
  if (count == 0 || count == 4)
    return IG_OK;
  if (count == 2) {
    IG_TRY(edge(user, o[0], o[2], &v[0]));
    IG_TRY(edge(user, o[0], o[3], &v[1]));
    IG_TRY(edge(user, o[1], o[3], &v[2]));
    IG_TRY(edge(user, o[1], o[2], &v[3]));
    IG_TRY(ig_topopt_part_triangle(b, v[0], v[1], v[2]));
    return ig_topopt_part_triangle(b, v[0], v[2], v[3]);
  }
  for (int i = 0; i < 3; i++)
    IG_TRY(edge(user, o[0], o[i + 1], &v[i]));
  return count == 1 ? ig_topopt_part_triangle(b, v[0], v[1], v[2])
                    : ig_topopt_part_triangle(b, v[0], v[2], v[1]);
}

/* --- a grid --- */

/* the vertex between two corners of the cube, or at one; made once */
static ig_status vertex_of(cutter *c, int p, int q, int32_t *index) {
  const int a = p < q ? p : q, b = a ^ p ^ q; /* a's bits are part of b's */
  const int *cube = c->cube;
  const int low[3] = {cube[0] + (a & 1), cube[1] + (a >> 1 & 1), cube[2] + (a >> 2)};
  const int high[3] = {cube[0] + (b & 1), cube[1] + (b >> 1 & 1), cube[2] + (b >> 2)};
  const int64_t node = (int64_t)low[1] * c->n[0] + low[0];
  int32_t *known = &c->known[low[2] & 1][node * 8 + (a ^ b)];
  if (*known < 0) {
    const double t =
        a == b ? 0 : ig_topopt_part_place(c->level, value_at(c, low), value_at(c, high));
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = c->from[d] + c->h[d] * (low[d] + t * (high[d] - low[d]));
    IG_TRY(ig_topopt_part_vertex(&c->build, x, known));
  }
  *index = *known;
  return IG_OK;
}

static ig_status edge_of_cube(void *user, int p, int q, int32_t *index) {
  cutter *c = user;
  return vertex_of(c, c->corner[p], c->corner[q], index);
}

ig_status ig_topopt_part_close(ig_topopt_part_builder *b, const bool *inside, ig_cut_edge *edge,
                               void *user) {
  int32_t v[4];
  int n = 0;
  for (int i = 0; i < 3; i++) {
    const int q = (i + 1) % 3;
    if (inside[i])
      IG_TRY(edge(user, i, i, &v[n++]));
    if (inside[i] != inside[q])
      IG_TRY(edge(user, i, q, &v[n++]));
  }
  for (int i = 2; i < n; i++)
    IG_TRY(ig_topopt_part_triangle(b, v[0], v[i - 1], v[i]));
  return IG_OK;
}

/* Two triangles of the cube's face normal to `axis`, split as its tetrahedra are; seen from outside
   they run the other way round on the low side. */
static ig_status close_face(cutter *c, int in, int axis, int side) {
  const int e = 1 << (axis + 1) % 3, f = 1 << (axis + 2) % 3, at = side << axis;
  const int half[2][3] = {{at, at | e, at | e | f}, {at, at | e | f, at | f}};
  for (int h = 0; h < 2; h++) {
    const int corner[3] = {half[h][0], half[h][side ? 1 : 2], half[h][side ? 2 : 1]};
    bool inside[3];
    for (int i = 0; i < 3; i++)
      inside[i] = in >> corner[i] & 1;
    c->corner = corner;
    IG_TRY(ig_topopt_part_close(&c->build, inside, edge_of_cube, c));
  }
  return IG_OK;
}

/* corners of the six tetrahedra, all of positive volume */
static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                     {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};

/* Bits of the corners of the cube at hand that are inside. */
static int corners_inside(const cutter *c, const int *cube, double level) {
  int in = 0;
  for (int a = 0; a < 8; a++) {
    const int at[3] = {cube[0] + (a & 1), cube[1] + (a >> 1 & 1), cube[2] + (a >> 2)};
    in |= (value_at(c, at) >= (float)level) << a;
  }
  return in;
}

static ig_status cut_cube(cutter *c) {
  const int in = corners_inside(c, c->cube, c->level);
  if (in == 0)
    return IG_OK;
  for (int t = 0; t < 6 && in != 255; t++) {
    int inside = 0;
    for (int i = 0; i < 4; i++)
      inside |= (in >> tetrahedra[t][i] & 1) << i;
    c->corner = tetrahedra[t];
    IG_TRY(ig_topopt_part_cut(&c->build, inside, edge_of_cube, c));
  }
  for (int d = 0; d < 3; d++) {
    if (c->cube[d] == 0)
      IG_TRY(close_face(c, in, d, 0));
    if (c->cube[d] == c->n[d] - 2)
      IG_TRY(close_face(c, in, d, 1));
  }
  return IG_OK;
}

static ig_status march(cutter *c) {
  int *cube = c->cube;
  const size_t plane = (size_t)c->n[0] * (size_t)c->n[1] * 8 * sizeof(int32_t);
  memset(c->known[0], 0xff, plane);
  for (cube[2] = 0; cube[2] + 1 < c->n[2]; cube[2]++) {
    memset(c->known[(cube[2] + 1) & 1], 0xff, plane);
    for (cube[1] = 0; cube[1] + 1 < c->n[1]; cube[1]++)
      for (cube[0] = 0; cube[0] + 1 < c->n[0]; cube[0]++)
        IG_TRY(cut_cube(c));
  }
  return IG_OK;
}

/* --- the level that keeps the volume --- */

double ig_topopt_part_share(const double *value, double level) {
  double in[4], out[4];
  int n = 0, m = 0;
  for (int i = 0; i < 4; i++)
    if (value[i] >= level)
      in[n++] = value[i] - level;
    else
      out[m++] = level - value[i];
  if (n == 0 || n == 4)
    return n == 4;
  if (n == 2) { /* a wedge: three tetrahedra; shares of the edges that are inside */
    const double s = in[0] / (in[0] + out[0]), t = in[0] / (in[0] + out[1]),
                 u = in[1] / (in[1] + out[0]), w = in[1] / (in[1] + out[1]);
    return s * t + (1 - s) * t * u + (1 - t) * u * w;
  }
  const double *one = n == 1 ? in : out, *three = n == 1 ? out : in;
  double share = 1;
  for (int i = 0; i < 3; i++)
    share *= one[0] / (one[0] + three[i]);
  return n == 1 ? share : 1 - share;
}

double ig_topopt_part_level(ig_topopt_part_volume *volume, void *self, double target) {
  double low = 0.01, high = 0.99, more = volume(self, low) - target,
         less = volume(self, high) - target;
  int last = 0;
  if (more <= 0 || less >= 0)
    return more <= 0 ? low : high;
  for (int i = 0; i < 40 && high - low > 1e-6; i++) { /* false position, as in design.inc */
    double level = low + (high - low) * more / (more - less);
    if (i % 3 == 2)
      level = 0.5 * (low + high);
    const double excess = volume(self, level) - target;
    if (fabs(excess) < 1e-5 * target)
      return level;
    if (excess > 0) {
      low = level;
      more = excess;
      less *= last == 1 ? 0.5 : 1;
    } else {
      high = level;
      less = excess;
      more *= last == -1 ? 0.5 : 1;
    }
    last = excess > 0 ? 1 : -1;
  }
  return 0.5 * (low + high);
}

/* Share of a cube that is inside. */
static double cube_share(const cutter *c, const int *cube, double level) {
  const int in = corners_inside(c, cube, level);
  double sum = in == 255;
  for (int t = 0; t < 6 && in != 0 && in != 255; t++) {
    double value[4];
    for (int i = 0; i < 4; i++) {
      const int a = tetrahedra[t][i];
      const int at[3] = {cube[0] + (a & 1), cube[1] + (a >> 1 & 1), cube[2] + (a >> 2)};
      value[i] = (double)value_at(c, at);
    }
    sum += ig_topopt_part_share(value, level) / 6;
  }
  return sum;
}

/* Volume inside, in elements. */
static double volume_of(void *self, double level) {
  const cutter *c = self;
  double sum = 0;
  int cube[3];
  for (cube[2] = 0; cube[2] + 1 < c->n[2]; cube[2]++)
    for (cube[1] = 0; cube[1] + 1 < c->n[1]; cube[1]++)
      for (cube[0] = 0; cube[0] + 1 < c->n[0]; cube[0]++)
        sum += cube_share(c, cube, level);
  return sum;
}

/* --- */

void ig_topopt_part_measure(ig_topopt_part *s) {
  s->area = s->volume = 0;
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

/* The mean of the elements around a node of the mirrored grid, `all` elements along each axis. */
static double mean_at(const ig_grid *g, const double *density, const int *side, const int *all,
                      const int *i) {
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
  return sum / count;
}

ig_status ig_topopt_part_of_grid(ig_ctx *cx, const ig_grid *g, const double *h,
                                 const double *density, double level, const ig_texts *mirror,
                                 ig_topopt_part *surface) {
  memset(surface, 0, sizeof *surface);
  int side[3] = {0, 0, 0}; /* -1: mirrored at the lowest plane, +1: at the highest */
  for (int s = 0; s < mirror->count; s++)
    side[mirror->value[s][0] - 'x'] = mirror->value[s][1] == '+' ? 1 : -1;
  cutter c = {.build = {.cx = cx, .out = surface}};
  int all[3], i[3];
  double wanted = 0;
  for (int d = 0; d < 3; d++) {
    all[d] = g->n[d] * (side[d] ? 2 : 1);
    c.n[d] = all[d] + 1;
    c.h[d] = h[d];
    c.from[d] = side[d] < 0 ? -g->n[d] * h[d] : 0;
  }
  float *value = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &value, (size_t)c.n[0] * (size_t)c.n[1] * (size_t)c.n[2], "surface"));
  for (int p = 0; p < 2; p++)
    IG_TRY_GOTO(status, done,
                IG_NEW(cx, &c.known[p], (size_t)c.n[0] * (size_t)c.n[1] * 8, "surface edges"));
  for (i[2] = 0; i[2] <= all[2]; i[2]++)
    for (i[1] = 0; i[1] <= all[1]; i[1]++)
      for (i[0] = 0; i[0] <= all[0]; i[0]++)
        value[((int64_t)i[2] * c.n[1] + i[1]) * c.n[0] + i[0]] =
            (float)mean_at(g, density, side, all, i);
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int e = 0; e < g->n[0]; e++)
        wanted += density[ig_grid_place(g, e, j, k)];
  c.value = value;
  c.level = !isnan(level) ? level
                          : ig_topopt_part_level(volume_of, &c,
                                                 wanted * (side[0] ? 2 : 1) * (side[1] ? 2 : 1) *
                                                     (side[2] ? 2 : 1));
  surface->level = c.level;
  status = march(&c);
  ig_topopt_part_measure(surface);
done:
  free(value);
  free(c.known[0]);
  free(c.known[1]);
  if (status != IG_OK)
    ig_topopt_part_free(surface);
  return status;
}

ig_status ig_topopt_part_inside_grid(ig_ctx *cx, const ig_grid *g, const double *density,
                                     double level, double *share) {
  const int none[3] = {0, 0, 0};
  cutter c = {.n = {g->n[0] + 1, g->n[1] + 1, g->n[2] + 1}};
  float *value;
  int i[3];
  IG_TRY(IG_NEW(cx, &value, (size_t)c.n[0] * (size_t)c.n[1] * (size_t)c.n[2], "surface"));
  c.value = value;
  for (i[2] = 0; i[2] <= g->n[2]; i[2]++)
    for (i[1] = 0; i[1] <= g->n[1]; i[1]++)
      for (i[0] = 0; i[0] <= g->n[0]; i[0]++)
        value[((int64_t)i[2] * c.n[1] + i[1]) * c.n[0] + i[0]] =
            (float)mean_at(g, density, none, g->n, i);
  for (i[2] = 0; i[2] < g->n[2]; i[2]++)
    for (i[1] = 0; i[1] < g->n[1]; i[1]++)
      for (i[0] = 0; i[0] < g->n[0]; i[0]++)
        share[ig_grid_place(g, i[0], i[1], i[2])] = cube_share(&c, i, level);
  free(value);
  return IG_OK;
}

void ig_topopt_part_free(ig_topopt_part *surface) {
  free(surface->vertex);
  free(surface->triangle);
  memset(surface, 0, sizeof *surface);
}
