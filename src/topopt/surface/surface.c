/* Surfaces as triangles that grow: marching tetrahedra, the level that keeps a volume, vertices by
   their keys; what grids and meshes share. */
#include "core/threads.h"
#include "topopt/surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Doubles, starting at 4096. Numbers of vertices are 32 bits wide. */
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

/* One or three corners inside: a triangle; two: a quadrilateral, cut along one of its diagonals.
   `orders` is an even permutation of the corners, so that the orientation is kept. */
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

/* Goes round the triangle and collects corners inside and points where its edges are cut: a
   polygon of three or four corners. */
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

/* --- the level that keeps the volume --- */

/* One corner inside: the small tetrahedron has the product of the three cut edges' shares. Three
   corners: the complement. Two: a wedge. */
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

/* Every third step halves the interval: false position alone may stall where the volume is flat.
   Levels stay within 0.01 to 0.99, since at 0 or 1 everything or nothing is inside. */
ig_status ig_topopt_part_level(ig_topopt_part_volume *volume, void *self, double target,
                               double *level) {
  double low = 0.01, high = 0.99, more, less;
  int last = 0;
  IG_TRY(volume(self, low, &more));
  IG_TRY(volume(self, high, &less));
  more -= target;
  less -= target;
  if (more <= 0 || less >= 0) {
    *level = more <= 0 ? low : high;
    return IG_OK;
  }
  for (int i = 0; i < 40 && high - low > 1e-6; i++) { /* false position, as in design.inc */
    double excess;
    *level = i % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * more / (more - less);
    IG_TRY(volume(self, *level, &excess));
    excess -= target;
    if (fabs(excess) < 1e-5 * target)
      return IG_OK;
    if (excess > 0) {
      low = *level;
      more = excess;
      less *= last == 1 ? 0.5 : 1;
    } else {
      high = *level;
      less = excess;
      more *= last == -1 ? 0.5 : 1;
    }
    last = excess > 0 ? 1 : -1;
  }
  *level = 0.5 * (low + high);
  return IG_OK;
}

/* In double: the sum of many small volumes in single precision would lose digits. */
static void measure(ig_topopt_part *s, int64_t begin, int64_t end) {
  for (int64_t t = begin; t < end; t++) {
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

/* Sums of chunks, added in their order: the same for any number of threads. */
void ig_topopt_part_measure(ig_ctx *cx, ig_topopt_part *s) {
  enum { CHUNK = 1 << 16, CHUNKS = 1 << 15 }; /* as many as numbers of 32 bits can need */
  const int64_t count = (s->triangles + CHUNK - 1) / CHUNK;
  double sum[CHUNKS][2];
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, s->triangles, IG_WORK_NODE))
  for (int64_t c = 0; c < count; c++) {
    ig_topopt_part part = *s;
    part.area = part.volume = 0;
    measure(&part, c * CHUNK, (c + 1) * CHUNK < s->triangles ? (c + 1) * CHUNK : s->triangles);
    sum[c][0] = part.area;
    sum[c][1] = part.volume;
  }
  s->area = s->volume = 0;
  for (int64_t c = 0; c < count; c++) {
    s->area += sum[c][0];
    s->volume += sum[c][1];
  }
}

/* --- vertices by their keys --- */

static const uint64_t NO_KEY = UINT64_MAX;

/* Open addressing with linear probing; the multiplier is 2^64 over the golden ratio (Knuth). */
static int64_t slot_of(const ig_topopt_keys *k, uint64_t key) {
  uint64_t h = key ^ key >> 31;
  h *= 0x9e3779b97f4a7c15ULL;
  h ^= h >> 29;
  int64_t i = (int64_t)(h % (uint64_t)k->capacity);
  while (k->key[i] != NO_KEY && k->key[i] != key)
    i = (i + 1) % k->capacity;
  return i;
}

/* Room for one more: never more than half full. */
static ig_status keys_grow(ig_ctx *cx, ig_topopt_keys *k) {
  if (2 * (k->count + 1) <= k->capacity)
    return IG_OK;
  ig_topopt_keys wide = {.count = k->count, .capacity = k->capacity ? 2 * k->capacity : 1 << 14};
  ig_status status = IG_NEW(cx, &wide.key, (size_t)wide.capacity, "surface");
  if (status == IG_OK)
    status = IG_NEW(cx, &wide.of, (size_t)wide.capacity, "surface");
  if (status != IG_OK) {
    ig_topopt_keys_free(&wide);
    return status;
  }
  memset(wide.key, 0xff, sizeof *wide.key * (size_t)wide.capacity);
  for (int64_t i = 0; i < k->capacity; i++)
    if (k->key[i] != NO_KEY) {
      const int64_t at = slot_of(&wide, k->key[i]);
      wide.key[at] = k->key[i];
      wide.of[at] = k->of[i];
    }
  ig_topopt_keys_free(k);
  *k = wide;
  return IG_OK;
}

/* *of stays valid until the next call, which may move the table. */
ig_status ig_topopt_keys_at(ig_ctx *cx, ig_topopt_keys *k, uint64_t key, int32_t **of) {
  IG_TRY(keys_grow(cx, k));
  const int64_t at = slot_of(k, key);
  if (k->key[at] == NO_KEY) {
    k->key[at] = key;
    k->of[at] = -1;
    k->count++;
  }
  *of = &k->of[at];
  return IG_OK;
}

void ig_topopt_keys_free(ig_topopt_keys *k) {
  free(k->key);
  free(k->of);
  *k = (ig_topopt_keys){0};
}

void ig_topopt_part_free(ig_topopt_part *surface) {
  free(surface->vertex);
  free(surface->triangle);
  memset(surface, 0, sizeof *surface);
}
