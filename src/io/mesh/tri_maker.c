/* A surface of triangles under construction. */
#include "io/mesh/tri_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Doubles the capacity, up to a number of triangles that fits into 32 bits. */
static ig_status reserve(ig_tri_maker *m, void **p, size_t *capacity, size_t used, size_t size) {
  if (used < *capacity)
    return IG_OK;
  const size_t more = *capacity ? 2 * *capacity : 1024;
  if (more > 3 * (size_t)IG_TRI_SURFACE_MOST)
    return IG_FAIL(m->cx, IG_INPUT, "%s: more than %d triangles", m->path, IG_TRI_SURFACE_MOST);
  void *q = realloc(*p, more * size);
  if (!q)
    return IG_FAIL(m->cx, IG_MEMORY, "%s: no memory for its triangles", m->path);
  *p = q;
  *capacity = more;
  return IG_OK;
}

/* 1e30 keeps squares and products of coordinates finite in double precision. */
ig_status ig_tri_node_add(ig_tri_maker *m, const double *x) {
  for (int d = 0; d < 3; d++)
    if (!isfinite(x[d]) || fabs(x[d]) > 1e30)
      return IG_FAIL(m->cx, IG_INPUT, "%s: point %d has no finite place", m->path,
                     (int)m->s->nodes + 1);
  IG_TRY(reserve(m, (void **)&m->s->x, &m->node_capacity, (size_t)m->s->nodes, 3 * sizeof *x));
  memcpy(&m->s->x[3 * (size_t)m->s->nodes++], x, 3 * sizeof *x);
  return IG_OK;
}

/* Corners count from 0; those of a file are checked here. */
ig_status ig_tri_triangle_add(ig_tri_maker *m, const int64_t *corner) {
  for (int a = 0; a < 3; a++)
    if (corner[a] < 0 || corner[a] >= m->s->nodes)
      return IG_FAIL(m->cx, IG_INPUT, "%s: triangle %d uses point %lld: there are %d", m->path,
                     (int)m->s->triangles + 1, (long long)corner[a] + 1, (int)m->s->nodes);
  IG_TRY(reserve(m, (void **)&m->s->corner, &m->triangle_capacity, (size_t)m->s->triangles,
                 3 * sizeof(ig_lid)));
  for (int a = 0; a < 3; a++)
    m->s->corner[3 * (size_t)m->s->triangles + (size_t)a] = (ig_lid)corner[a];
  m->s->triangles++;
  return IG_OK;
}

/* The next word, across lines; false at the end of the file. */
bool ig_tri_word(ig_mesh_text *t, char **p, char **from, char **stop) {
  for (;;) {
    while (*p < t->line_end && (**p == ' ' || **p == '\t'))
      ++*p;
    if (*p < t->line_end)
      break;
    if (!ig_text_line(t))
      return false;
    *p = t->line;
  }
  *from = *p;
  while (*p < t->line_end && **p != ' ' && **p != '\t')
    ++*p;
  *stop = *p;
  return true;
}
