/* Whether a surface is closed, and its shells and handles.

   Half-edges of a closed surface come in pairs that run in opposite directions. Corners of
   triangles that share an edge at the same vertex belong to one fan; a vertex of a manifold has
   one. With V fans, E edges and F triangles, V - E + F = 2 (shells - handles). */
#include "topopt/surface/surface.h"
#include "core/threads.h"
#include "core/union_find.h"

#include <stdlib.h>

/* While half-edges are looked at: those that leave each vertex, by number 3 t + i. */
typedef struct {
  const ig_topopt_part *s;
  int32_t *start, *leaving; /* vertices + 2; half-edges */
  int32_t *fan, *shell;     /* of corners; of vertices */
} look;

static int32_t vertex(const look *l, int32_t half) {
  return l->s->triangle[half / 3][half % 3];
}
/* Half-edge 3 t + i runs from corner i to corner i + 1 of triangle t. */
static int32_t next(int32_t half) {
  return half % 3 == 2 ? half - 2 : half + 1;
}

/* Half-edges from vertex a to b, and the last of them. Lists of half-edges leaving a vertex are
   short (six on average), so a search is enough. */
static int between(const look *l, int32_t a, int32_t b, int32_t *last) {
  int n = 0;
  for (int32_t i = l->start[a]; i < l->start[a + 1]; i++)
    if (vertex(l, next(l->leaving[i])) == b) {
      *last = l->leaving[i];
      n++;
    }
  return n;
}

/* A half-edge without exactly one partner in the other direction is open; it joins no fans. */
static void walk(ig_ctx *cx, const look *l, ig_topopt_part_shape *shape) {
  const int32_t halves = (int32_t)(3 * l->s->triangles);
  int64_t open = 0;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, halves, IG_WORK_NODE)) reduction(+ : open)
  for (int32_t h = 0; h < halves; h++) {
    const int32_t a = vertex(l, h), b = vertex(l, next(h));
    int32_t other = -1, same;
    ig_union_join_shared(l->shell, a, b);
    if (between(l, b, a, &other) != 1 || between(l, a, b, &same) != 1) {
      open++;
      continue;
    }
    ig_union_join_shared(l->fan, h, next(other)); /* both begin at a */
    ig_union_join_shared(l->fan, next(h), other);
  }
  shape->open = open;
}

/* V is the number of fans, not of vertices: a vertex where the surface touches itself counts
   once for each fan, as if it were separated. */
ig_status ig_topopt_part_look(ig_ctx *cx, const ig_topopt_part *s, ig_topopt_part_shape *shape) {
  const size_t halves = 3 * (size_t)s->triangles, n = (size_t)s->vertices;
  look l = {.s = s};
  ig_status status;
  *shape = (ig_topopt_part_shape){0};
  if (halves > INT32_MAX - 8)
    return IG_FAIL(cx, IG_UNSUPPORTED, "a surface of %zu triangles is too large to be looked at",
                   halves / 3);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &l.start, n + 2, "surface"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &l.leaving, halves + 1, "surface"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &l.fan, halves + 1, "surface"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &l.shell, n + 1, "surface"));
  for (size_t h = 0; h < halves; h++) {
    l.fan[h] = (int32_t)h;
    l.start[vertex(&l, (int32_t)h) + 1]++;
  }
  for (size_t i = 0; i < n; i++) {
    l.shell[i] = (int32_t)i;
    l.start[i + 1] += l.start[i];
  }
  for (size_t h = halves; h-- > 0;) /* leaves start[i] where vertex i + 1 begins; then back */
    l.leaving[--l.start[vertex(&l, (int32_t)h) + 1]] = (int32_t)h;
  for (size_t i = 0; i < n; i++)
    l.start[i] = l.start[i + 1];
  l.start[n] = (int32_t)halves;
  walk(cx, &l, shape);
  int64_t fans = 0, used = 0;
  for (size_t h = 0; h < halves; h++)
    fans += l.fan[h] == (int32_t)h;
  for (size_t i = 0; i < n; i++) {
    const bool there = l.start[i + 1] > l.start[i];
    used += there;
    shape->shells += there && l.shell[i] == (int32_t)i;
  }
  shape->pinched = fans - used;
  shape->handles = shape->shells - (fans - (int64_t)halves / 2 + s->triangles) / 2;
done:
  free(l.start);
  free(l.leaving);
  free(l.fan);
  free(l.shell);
  return status;
}
