/* Whether a surface is closed. */
#ifndef IG_TESTS_CLOSED_H
#define IG_TESTS_CLOSED_H

#include "check.h"
#include "topopt/topopt.h"

static int edge_order(const void *a, const void *b) {
  return memcmp(a, b, 2 * sizeof(int32_t));
}

/* every edge belongs to two triangles, which run along it in opposite directions */
static void assert_closed(const ig_topopt_part *s) {
  assert_true(s->triangles > 0);
  int32_t(*edge)[2] = malloc((size_t)s->triangles * 3 * sizeof *edge);
  int32_t(*back)[2] = malloc((size_t)s->triangles * 3 * sizeof *back);
  for (int64_t t = 0; t < s->triangles; t++)
    for (int i = 0; i < 3; i++) {
      edge[3 * t + i][0] = back[3 * t + i][1] = s->triangle[t][i];
      edge[3 * t + i][1] = back[3 * t + i][0] = s->triangle[t][(i + 1) % 3];
    }
  const size_t n = (size_t)s->triangles * 3;
  qsort(edge, n, sizeof *edge, edge_order);
  qsort(back, n, sizeof *back, edge_order);
  for (size_t i = 1; i < n; i++)
    assert_true(edge_order(edge[i - 1], edge[i]) != 0); /* each direction once */
  assert_memory_equal(edge, back, n * sizeof *edge);
  free(edge);
  free(back);
}

#endif
