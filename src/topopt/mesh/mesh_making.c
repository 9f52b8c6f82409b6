/* What can be made of a design on a mesh: elements that share one density, the columns along which
   a tool is drawn; what is printed is in mesh_print.c. */
#include "topopt/mesh/mesh_model.h"
#include "topopt/case/boundary_conditions.h"
#include "mesh/geometry.h"
#include "kern/hd.h"
#include "topopt/kernels/draw_direction.inc"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- drawing --- */

typedef struct {
  int64_t at[2], side; /* column; which tool */
  double depth;        /* from where the tool is */
  ig_lid element;
} in_column;

/* Within a column from the tool inwards; the number of the element decides between equal depths,
   so that the order is the same on every machine. */
static int by_column(const void *a, const void *b) {
  const in_column *p = a, *q = b;
  for (int d = 0; d < 2; d++)
    if (p->at[d] != q->at[d])
      return p->at[d] < q->at[d] ? -1 : 1;
  if (p->side != q->side)
    return p->side < q->side ? -1 : 1;
  if (p->depth != q->depth)
    return p->depth < q->depth ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}
static bool together(const in_column *p, const in_column *q) {
  return p->at[0] == q->at[0] && p->at[1] == q->at[1] && p->side == q->side;
}

/* Elements by columns of width `size`, and how many columns there are. `shift` keeps the centres
   of rows away from the borders of columns. `side` tells the two tools apart that meet at the
   parting plane; depth is counted from each. */
static int64_t sort_columns(const ig_topopt_mesh_model *m, int axis, double sign, double size,
                            double shift, in_column *list) {
  double low[3], high[3];
  const double parting = m->c->draw_direction.parting;
  int64_t columns = 0;
  ig_mesh_bounds(m->mesh, low, high);
  for (ig_lid e = 0; e < m->elements; e++) {
    const double *x = (const double *)m->center.host + 3 * (size_t)e;
    in_column *l = &list[e];
    l->element = e;
    for (int d = 0; d < 2; d++) {
      const int across = (axis + 1 + d) % 3;
      l->at[d] = (int64_t)floor((x[across] - low[across]) / size + shift);
    }
    l->side = isnan(parting) ? 0 : x[axis] > parting;
    l->depth = -(isnan(parting) ? sign : l->side ? 1 : -1) * x[axis];
  }
  qsort(list, (size_t)m->elements, sizeof *list, by_column);
  for (ig_lid e = 0; e < m->elements; e++)
    columns += e == 0 || !together(&list[e - 1], &list[e]);
  return columns;
}

/* The design, the same everywhere, whose columns have the volume asked for. A uniform design is
   drawn to more than itself: bisection finds the one whose drawn volume is right. */
static double uniform_start(const ig_topopt_mesh_model *m, const in_column *list) {
  const double *share = m->share.host;
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    const double x = 0.5 * (low + high);
    double sum = 0, last = 0;
    for (ig_lid e = 0; e < m->elements; e++) {
      last = ig_draw_join(m->draw_power, e > 0 && together(&list[e - 1], &list[e]) ? last : 0, x);
      sum += last * share[list[e].element];
    }
    *(sum < m->c->volume * m->elements ? &low : &high) = x;
  }
  return high;
}

/* Columns are the rows of elements there are; of a mesh without rows as wide as its elements,
   six tetrahedra counted as one. First try: columns a thousandth of an element wide find the
   rows of a structured mesh. With fewer than two elements per column on average the mesh has no
   rows, and columns as wide as elements are taken. */
static ig_status make_draw(ig_topopt_mesh_model *m) {
  const ig_draw_case *c = &m->c->draw_direction;
  const double size = cbrt(m->d.volume * (m->type == IG_HEX8 ? 1 : 6));
  const size_t n = (size_t)m->elements;
  int axis;
  double sign = 1, low[3], high[3];
  in_column *list = NULL;
  int64_t *start = NULL, *order = NULL, groups = 0, longest = 0;
  ig_status status;
  if (c->angle > 0)
    return ig_fail_at(m->cx, &c->at,
                      "draw_direction: angle: is for grids; walls of a mesh are as rough as its "
                      "elements");
  IG_TRY(ig_topopt_mesh_direction(m, &c->at, "draw_direction", c->direction, &axis, &sign));
  ig_mesh_bounds(m->mesh, low, high);
  if (!isnan(c->parting) && !(c->parting > low[axis] && c->parting < high[axis]))
    return ig_fail_at(m->cx, &c->at,
                      "draw_direction: parting: %g m is outside the mesh, %g to %g m", c->parting,
                      low[axis], high[axis]);
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &list, n, "columns"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &order, n, "columns"));
  int64_t columns = sort_columns(m, axis, sign, 1e-3 * size, 0.31831, list);
  if (2 * columns > (int64_t)n)
    columns = sort_columns(m, axis, sign, size, 0, list);
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &start, columns + 1, "columns"));
  for (size_t e = 0; e < n; e++) {
    order[e] = list[e].element;
    if (e == 0 || !together(&list[e - 1], &list[e]))
      start[groups++] = (int64_t)e;
  }
  start[groups] = (int64_t)n;
  for (int64_t g = 0; g < groups; g++)
    longest = start[g + 1] - start[g] > longest ? start[g + 1] - start[g] : longest;
  m->draw_power = ig_draw_power(longest);
  m->d.start = uniform_start(m, list);
  status = ig_topopt_mesh_groups_new(m, groups, start, order, 3, &m->columns);
done:
  free(list);
  free(start);
  free(order);
  return status;
}

/* Value 0 is the design, 1 what is drawn of it. */
static ig_status draw(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  ig_topopt_mesh_groups *g = &m->columns;
  const ig_topopt_making_ops *ops = ig_topopt_making_ops_of(m->cx);
  if (!m->part.divided)
    return ops->draw(m->cx, &g->links, m->draw_power, m->role.dev, in, out);
  IG_TRY(ig_topopt_mesh_groups_borrow(m, g, 1, &in));
  IG_TRY(ops->draw(m->cx, &g->links, m->draw_power, g->role.dev, g->value[0].dev, g->value[1].dev));
  return ig_topopt_mesh_groups_return(m, g, 1, out);
}
/* Values 0, 1, 2: design, drawn, gradient; only the gradient goes back. */
static ig_status draw_back(void *self, const double *in, const double *drawn, double *work,
                           double *slope) {
  ig_topopt_mesh_model *m = self;
  ig_topopt_mesh_groups *g = &m->columns;
  const ig_topopt_making_ops *ops = ig_topopt_making_ops_of(m->cx);
  const double *const all[] = {in, drawn, slope};
  (void)work;
  if (!m->part.divided)
    return ops->draw_back(m->cx, &g->links, m->draw_power, m->role.dev, in, drawn, slope);
  IG_TRY(ig_topopt_mesh_groups_borrow(m, g, 3, all));
  IG_TRY(ops->draw_back(m->cx, &g->links, m->draw_power, g->role.dev, g->value[0].dev,
                        g->value[1].dev, g->value[2].dev));
  return ig_topopt_mesh_groups_return(m, g, 2, slope);
}

/* --- one density for several elements --- */

/* Every element of a group gets the mean of the group (d->link). */
static ig_status share(void *self, double *v) {
  ig_topopt_mesh_model *m = self;
  ig_topopt_mesh_groups *g = &m->pattern;
  const ig_topopt_design_ops *ops = ig_topopt_design_ops_of(m->cx);
  const double *in = v;
  if (!m->part.divided)
    return ops->average(m->cx, &g->links, v);
  IG_TRY(ig_topopt_mesh_groups_borrow(m, g, 1, &in));
  IG_TRY(ops->average(m->cx, &g->links, g->value[0].dev));
  return ig_topopt_mesh_groups_return(m, g, 0, v);
}

/* Groups are found on the whole mesh, as everything that is placed. */
static ig_status make_pattern(ig_topopt_mesh_model *m) {
  const ig_topopt_points points = ig_topopt_mesh_points(m);
  int64_t groups, *start = NULL, *order = NULL;
  ig_status status = ig_topopt_points_links(&points, m->role.host, &groups, &start, &order);
  if (status == IG_OK)
    status = ig_topopt_mesh_groups_new(m, groups, start, order, 1, &m->pattern);
  m->d.link = share;
  free(start);
  free(order);
  return status;
}

/* --- */

/* `print` of the discretisation is printing or drawing, whichever the case has. */
ig_status ig_topopt_mesh_making_new(ig_topopt_mesh_model *m) {
  if (m->c->pattern.at.given)
    IG_TRY(make_pattern(m));
  if (m->c->milling.at.given)
    return ig_fail_at(m->cx, &m->c->milling.at,
                      "milling: grids alone: a mesh has 'draw_direction' for one tool or two");
  if (m->c->overhang.at.given)
    return ig_topopt_mesh_print_new(m);
  if (!m->c->draw_direction.at.given)
    return IG_OK;
  m->d.print = draw;
  m->d.print_back = draw_back;
  return make_draw(m);
}

void ig_topopt_mesh_making_free(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_groups_free(m, &m->columns);
  ig_topopt_mesh_groups_free(m, &m->pattern);
  ig_topopt_mesh_print_free(m);
}

void ig_topopt_mesh_making_describe(const ig_topopt_mesh_model *m, ig_check_line *line,
                                    void *user) {
  char text[128];
  if (m->columns.all) {
    snprintf(text, sizeof text, "%" PRId64 " columns", m->columns.all);
    line(user, "draw direction", text);
  } else if (m->printing.levels) {
    snprintf(text, sizeof text, "%d levels, at most %.0f elements hold one up", m->printing.levels,
             m->printing.supports.most);
    line(user, "overhang", text);
  }
}
