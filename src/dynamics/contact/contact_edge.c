/* Sides of triangles: the edges that touch edges (of lines, of shells' boundaries, and the sharp
   ones of surfaces), and which triangles are neighbours. Both come from one list of sides,
   sorted by their nodes, in which equal sides stand together. Run once on the host, on the whole
   mesh. */
#include "dynamics/model/model.h"
#include "dynamics/contact/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Side of a triangle from one node to another, or a line (triangle -1). Sorted lists of sides
   bring equal ones together. */
typedef struct {
  int32_t low, high, triangle;
  int back; /* the triangle goes round it from high to low */
} side;

/* Equal sides next to each other, triangles in rising order. */
static int side_order(const void *a, const void *b) {
  const side *p = a, *q = b;
  if (p->low != q->low)
    return p->low < q->low ? -1 : 1;
  if (p->high != q->high)
    return p->high < q->high ? -1 : 1;
  return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

/* Normal of triangle k at the start, of twice its area. */
static void normal_of(const ig_dyn_model *m, int32_t k, double n[3]) {
  const int32_t *t = m->contact.skin + 3 * (int64_t)k;
  double a[3], b[3];
  ig_dyn_sub(m->x0 + 3 * (int64_t)t[1], m->x0 + 3 * (int64_t)t[0], a);
  ig_dyn_sub(m->x0 + 3 * (int64_t)t[2], m->x0 + 3 * (int64_t)t[0], b);
  cross_f64(a, b, n);
}

/* Whether sides s[0] ... s[count - 1], all of one edge, make it one that touches: a line, the end
   of a surface, or a fold of more than 30 degrees. */
static bool is_edge(const ig_dyn_model *m, const side *s, int64_t count) {
  double a[3], b[3];
  if (count != 2 || s[0].triangle < 0)
    return true;
  normal_of(m, s[0].triangle, a);
  normal_of(m, s[1].triangle, b);
  const double turned = s[0].back == s[1].back ? -1 : 1; /* shells may face either way */
  /* 0.866: cosine of 30 degrees */
  return turned * dot_f64(a, b) < 0.866 * sqrt(dot_f64(a, a) * dot_f64(b, b));
}

/* A side with its lower node first; back: the triangle has it the other way round. */
static void side_put(side *s, int32_t a, int32_t b, int32_t triangle) {
  *s = (side){a < b ? a : b, a < b ? b : a, triangle, a > b};
}

/* Writes the neighbour `of` triangle k across their side: at the corner opposite to it. */
static void beside_put(const ig_dyn_model *m, const side *k, const side *of, int32_t *beside) {
  const int32_t *t = m->contact.skin + 3 * (int64_t)k->triangle;
  for (int a = 0; a < 3; a++)
    if (t[a] != k->low && t[a] != k->high)
      beside[4 * (int64_t)k->triangle + a] = of->triangle;
}

/* Neighbours across sides that exactly two triangles share; the fourth number is the part of the
   mesh and whether the triangle is of a shell. Triangles behind eroding elements have no
   neighbours. */
ig_status ig_dyn_beside_find(ig_dyn_model *m, int32_t *beside) {
  const int64_t n = 3 * m->contact.outer;
  side *all = NULL;
  IG_TRY(IG_NEW(m->cx, &all, n + 1, "contact surfaces"));
  for (int64_t i = 0; i < n; i++)
    side_put(&all[i], m->contact.skin[i], m->contact.skin[i % 3 == 2 ? i - 2 : i + 1],
             (int32_t)(i / 3));
  qsort(all, (size_t)n, sizeof *all, side_order);
  for (int64_t k = 0; k < m->contact.skins; k++) {
    ig_lid local;
    const ig_block *b = ig_dyn_block_of(m->mesh, m->contact.skin_owner[2 * k], &local);
    beside[4 * k] = beside[4 * k + 1] = beside[4 * k + 2] = -1;
    beside[4 * k + 3] =
        2 * m->overlap.part[m->contact.skin[3 * k]] + (ig_elem_info_get(b->type)->dim == 2);
  }
  for (int64_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && all[end].low == all[i].low && all[end].high == all[i].high;)
      end++;
    if (end != i + 2)
      continue;
    beside_put(m, &all[i], &all[i + 1], beside);
    beside_put(m, &all[i + 1], &all[i], beside);
  }
  free(all);
  return IG_OK;
}

/* Edges of lines, and of triangles by is_edge; each gives half of its length to its ends. Arrays
   are freed by ig_dyn_edges_free, also after a failure. */
ig_status ig_dyn_edges_find(ig_dyn_model *m, bool on, ig_dyn_edges *edges) {
  ig_ctx *cx = m->cx;
  side *all = NULL;
  int64_t sides = 3 * m->contact.outer, n = 0;
  ig_status status = IG_OK;
  if (!on)
    return IG_OK;
  for (int b = 0; b < m->mesh->blocks; b++)
    if (m->mesh->block[b].type == IG_BEAM2)
      sides += m->mesh->block[b].count;
  IG_TRY(IG_NEW(cx, &all, sides + 1, "contact edges"));
  for (int64_t i = 0; i < 3 * m->contact.outer; i++)
    side_put(&all[n++], m->contact.skin[i], m->contact.skin[i % 3 == 2 ? i - 2 : i + 1],
             (int32_t)(i / 3));
  for (int b = 0; b < m->mesh->blocks; b++)
    for (ig_lid e = 0; m->mesh->block[b].type == IG_BEAM2 && e < m->mesh->block[b].count; e++) {
      const ig_lid *c = m->mesh->block[b].conn + 2 * (int64_t)e;
      side_put(&all[n++], c[0], c[1], -1);
    }
  qsort(all, (size_t)n, sizeof *all, side_order);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &edges->node, 2 * n + 1, "contact edges"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &edges->side, 2 * n + 1, "contact edges"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &edges->length, m->mesh->nodes, "contact edges"));
  for (int64_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && all[end].low == all[i].low && all[end].high == all[i].high;)
      end++;
    double d[3];
    ig_dyn_sub(m->x0 + 3 * (int64_t)all[i].low, m->x0 + 3 * (int64_t)all[i].high, d);
    const double length = sqrt(dot_f64(d, d));
    if (!(length > 0) || !is_edge(m, all + i, end - i))
      continue;
    int32_t *node = edges->node + 2 * edges->count, *at = edges->side + 2 * edges->count;
    node[0] = all[i].low, node[1] = all[i].high;
    at[0] = all[i].triangle;
    at[1] = at[0] >= 0 && end > i + 1 ? all[i + 1].triangle : -1;
    edges->length[node[0]] += 0.5 * length;
    edges->length[node[1]] += 0.5 * length;
    edges->count++;
  }
done:
  free(all);
  return status;
}

void ig_dyn_edges_free(ig_dyn_edges *edges) {
  free(edges->node);
  free(edges->side);
  free(edges->length);
  memset(edges, 0, sizeof *edges);
}
