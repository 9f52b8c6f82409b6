/* Elements that share one density: the same after extrusion, repetition and mirroring. And
   elements that touch a load or a support.

   Centres of elements are folded into one cell of the pattern and rounded to whole numbers of a
   small step; elements with equal numbers form a group. Sorting by these numbers makes groups
   neighbours. A mesh need not be regular for this, but its elements must repeat to a thousandth
   of their size. */
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t at[3], element;
} linked;

/* The number of the element comes last: the order within a group is that of the mesh. */
static int compare(const void *a, const void *b) {
  const linked *p = a, *q = b;
  for (int d = 0; d < 3; d++)
    if (p->at[d] != q->at[d])
      return p->at[d] < q->at[d] ? -1 : 1;
  return p->element < q->element ? -1 : 1;
}
static bool alike(const linked *p, const linked *q) {
  return memcmp(p->at, q->at, sizeof p->at) == 0;
}

static ig_status read_axis(const ig_topopt_points *p, const char *text, bool *axis) {
  if (strlen(text) != 1 || text[0] < 'x' || text[0] >= 'x' + p->dim)
    return ig_fail_at(p->cx, &p->c->pattern.at, "pattern: '%.20s' is no axis: expected x, y%s",
                      text, p->dim == 3 ? " or z" : "");
  axis[text[0] - 'x'] = true;
  return IG_OK;
}

/* A grid must have a whole number of elements per repetition; of a mesh the groups show it. */
ig_status ig_topopt_points_sameness(const ig_topopt_points *p, ig_topopt_sameness *s) {
  const ig_pattern_case *c = &p->c->pattern;
  memset(s, 0, sizeof *s);
  if (c->extrude)
    IG_TRY(read_axis(p, c->extrude, s->extruded));
  for (int i = 0; i < c->mirror.count; i++)
    IG_TRY(read_axis(p, c->mirror.value[i], s->mirrored));
  for (int d = 0; d < 3; d++) {
    s->repeat[d] = c->repeat[d] > 0 ? c->repeat[d] : 1;
    const int64_t n = p->c->grid.elements[d];
    if (d < p->dim && n > 0 && n % s->repeat[d] != 0)
      return ig_fail_at(p->cx, &c->at,
                        "pattern: repeat: %lld elements along %c are no multiple of %lld",
                        (long long)n, 'x' + d, (long long)s->repeat[d]);
  }
  return IG_OK;
}

/* Where the element lies after folding, in steps of `size`, moved by a share of one. First into
   one period, then onto its lower half where it is mirrored; along an extruded axis all
   coordinates are equal. The shift (0.31831) moves the borders of the steps away from simple
   fractions of elements, where rounding would decide. */
static void fold(const ig_topopt_points *p, const ig_topopt_sameness *s, double size, double shift,
                 int64_t element, linked *l) {
  int64_t node[IG_ELEMENT_NODES];
  double x[3], center[3] = {0};
  const int n = p->corners(p->self, element, node);
  for (int a = 0; a < n; a++) {
    p->position(p->self, node[a], x);
    for (int d = 0; d < 3; d++)
      center[d] += x[d] / n;
  }
  l->element = element;
  for (int d = 0; d < 3; d++) {
    double t = center[d] - p->low[d], period = (p->high[d] - p->low[d]) / (double)s->repeat[d];
    l->at[d] = 0;
    if (d >= p->dim || s->extruded[d])
      continue;
    t -= period * floor(t / period);
    if (s->mirrored[d] && t > 0.5 * period)
      t = period - t;
    l->at[d] = (int64_t)floor(t / size + shift);
  }
}

/* Of an element, six tetrahedra counted as one. About the edge of a cube that contains one
   hexahedron or six tetrahedra. */
static double size_of(const ig_topopt_points *p, int64_t elements) {
  int64_t node[IG_ELEMENT_NODES];
  const int corners = p->corners(p->self, ig_topopt_own_begin(p), node);
  double volume = p->dim == 3 && (corners == 4 || corners == 10) ? 6 : 1;
  for (int d = 0; d < p->dim; d++)
    volume *= p->high[d] - p->low[d];
  return pow(volume / (double)elements, 1.0 / p->dim);
}

/* Elements sorted by where they lie after folding, and group after group of them; returns how many
   groups have one element. */
static int64_t sort_groups(const ig_topopt_points *p, const ig_topopt_sameness *s,
                           const uint8_t *role, double size, double shift, linked *l,
                           int64_t *start, int64_t *groups) {
  int64_t n = 0, single = 0;
  for (int64_t i = 0; i < p->places; i++)
    if (role[i] == IG_ROLE_DESIGN)
      fold(p, s, size, shift, i, &l[n++]);
  qsort(l, (size_t)n, sizeof *l, compare);
  *groups = 0;
  for (int64_t i = 0; i < n; i++)
    if (i == 0 || !alike(&l[i], &l[i - 1]))
      start[(*groups)++] = i;
  start[*groups] = n;
  for (int64_t g = 0; g < *groups; g++)
    single += start[g + 1] - start[g] == 1;
  return single;
}

/* Fails where more than half of the designed elements are alone: the pattern was not meant for
   this mesh. */
ig_status ig_topopt_points_links(const ig_topopt_points *p, const uint8_t *role, int64_t *groups,
                                 int64_t **start, int64_t **order) {
  ig_topopt_sameness s;
  linked *l = NULL;
  int64_t n = 0;
  ig_status status;
  IG_TRY(ig_topopt_points_sameness(p, &s));
  for (int64_t i = 0; i < p->places; i++)
    n += role[i] == IG_ROLE_DESIGN;
  const double size = size_of(p, n);
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, &l, n, "pattern"));
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, start, n + 1, "pattern"));
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, order, n, "pattern"));
  /* centres of rows are not on a border of steps of a thousandth */
  int64_t single = sort_groups(p, &s, role, 1e-3 * size, 0.31831, l, *start, groups);
  const bool extruded = s.extruded[0] || s.extruded[1] || s.extruded[2];
  if (2 * single > n && extruded) { /* no rows: columns as wide as an element */
    single = sort_groups(p, &s, role, size, 0, l, *start, groups);
    ig_warn_at(p->cx, &p->c->pattern.at,
               "pattern: extrude: the elements lie in no rows: those whose centres are in one "
               "column %.3g m wide share a density, and the section is as rough",
               size);
  }
  for (int64_t i = 0; i < n; i++)
    (*order)[i] = l[i].element;
  if (2 * single > n)
    status = ig_fail_at(p->cx, &p->c->pattern.at,
                        "pattern: most elements have no counterpart: the elements of the mesh must "
                        "lie in rows and repeat where the pattern does");
done:
  free(l);
  return status;
}

/* On entry mark is 1 where an element is asked for, on return its IG_TOUCH_ bits. */
ig_status ig_topopt_points_touched(const ig_topopt_points *p, const uint8_t *fix,
                                   const ig_loading *l, uint8_t *mark) {
  const size_t n = (size_t)(p->nodes * p->size);
  uint8_t *node = NULL;
  double *f = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, &f, n, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, &node, p->nodes, "loads"));
  const int team = ig_team(p->cx, p->nodes, IG_WORK_NODE);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int64_t i = 0; i < p->nodes; i++)
    node[i] = fix[i] ? IG_TOUCH_HELD : 0;
  for (int i = 0; i < l->springs; i++)
    if (ig_topopt_in_nodes(p, l->sprung[i]))
      node[l->sprung[i]] |= IG_TOUCH_HELD;
  for (int q = 0; q <= l->cases; q++) {
    const ig_array *load = q < l->cases ? &l->f[q] : &l->port;
    if (!load->dev)
      continue;
    IG_TRY_GOTO(status, done, p->cx->backend->copy_out(p->cx, f, load->dev, n * sizeof *f));
#pragma omp parallel for schedule(static) num_threads(team)
    for (int64_t i = 0; i < p->nodes; i++)
      for (int c = 0; c < p->size; c++)
        node[i] |= f[i * p->step + c * p->stride] != 0 ? IG_TOUCH_LOADED : 0;
  }
  const int64_t begin = ig_topopt_own_begin(p), end = ig_topopt_own_end(p, p->places);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int64_t e = begin; e < end; e++) {
    int64_t corner[IG_ELEMENT_NODES];
    if (!mark[e])
      continue;
    mark[e] = 0;
    for (int a = p->corners(p->self, e, corner); a > 0; a--)
      mark[e] |= node[corner[a - 1]];
  }
done:
  free(f);
  free(node);
  return status;
}
