/* What can be made of a design on a mesh: which elements hold others up while they are printed, and
   the columns along which a tool is drawn. */
#include "topopt/mesh_model.h"
#include "topopt/placing.h"
#include "mesh/geometry.h"
#include "mesh/topology.h"
#include "kern/hd.h"
#include "topopt/draw.inc"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ig_status read_direction(const ig_topopt_mesh_model *m, const ig_src *at, const char *key,
                                const char *text, int *axis, double *sign) {
  int up;
  if (!ig_topopt_plane_read(text, 3, axis, &up))
    return ig_fail_at(m->cx, at, "%s: '%.20s' is no direction: expected x-, x+, y-, y+, z- or z+",
                      key, text);
  *sign = up ? 1 : -1;
  return IG_OK;
}

typedef struct {
  double key;
  ig_lid element;
} ranked;
static int rising(const void *a, const void *b) {
  const ranked *p = a, *q = b;
  if (p->key != q->key)
    return p->key < q->key ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}

/* --- printing --- */

/* While supports are looked for; arrays of elements. */
typedef struct {
  ig_topopt_mesh_model *m;
  int axis;
  double sign;
  ig_csr around;         /* elements at nodes */
  ig_adjacency adj;      /* and across faces */
  uint8_t *plate, *open; /* stands on the plate; has nothing but air below a face */
  int64_t *start;        /* elements + 1 */
  int32_t *below;
  int64_t count;
  ig_lid *stamp, *near; /* neighbours of the element at hand */
  int64_t floating, steep;
  double worst; /* least cosine of a support that was taken for want of a better one */
} search;

static double height(const search *s, ig_lid e) {
  return s->sign * ((const double *)s->m->center.host)[3 * (size_t)e + (size_t)s->axis];
}

/* Elements whose lowest node is on the plate and that have air below, and those with air below
   alone. A face looks down where its middle lies below that of its element, within 72 degrees. */
static void find_plate(search *s) {
  const ig_topopt_mesh_model *m = s->m;
  const int npe = m->info->nodes, faces = m->info->faces;
  double lowest = INFINITY;
  for (ig_lid i = 0; i < m->nodes; i++)
    lowest = fmin(lowest, s->sign * m->mesh->x[3 * (size_t)i + (size_t)s->axis]);
  for (ig_lid e = 0; e < m->elements; e++) {
    const double *c = (const double *)m->center.host + 3 * (size_t)e;
    double low = INFINITY;
    for (int a = 0; a < npe; a++) {
      const size_t node = (size_t)m->conn[(size_t)npe * (size_t)e + (size_t)a];
      low = fmin(low, s->sign * m->mesh->x[3 * node + (size_t)s->axis]);
    }
    for (int f = 0; f < faces; f++) {
      double x[3], far = 0;
      if (s->adj.neighbor[(size_t)faces * (size_t)e + (size_t)f] >= 0)
        continue;
      ig_topopt_mesh_center(m, e, f, x);
      for (int d = 0; d < 3; d++)
        far += (x[d] - c[d]) * (x[d] - c[d]);
      s->open[e] |= s->sign * (c[s->axis] - x[s->axis]) > 0.3 * sqrt(far);
    }
    s->plate[e] = s->open[e] && low - lowest <= 1e-3 * cbrt(m->d.volume);
  }
}

/* Neighbours through a node, each once. */
static int neighbours(search *s, ig_lid e) {
  const int npe = s->m->info->nodes;
  int n = 0;
  s->stamp[e] = e;
  for (int a = 0; a < npe; a++) {
    const ig_lid node = s->m->conn[(size_t)npe * (size_t)e + (size_t)a];
    for (ig_lid i = s->around.start[node]; i < s->around.start[node + 1]; i++) {
      const ig_lid k = s->around.item[i];
      if (s->stamp[k] == e)
        continue;
      s->stamp[k] = e;
      s->near[n++] = k;
    }
  }
  return n;
}

/* Cosine of the angle between down and the way from one middle to another. */
static double steepness(const search *s, ig_lid e, ig_lid k) {
  const double *p = (const double *)s->m->center.host + 3 * (size_t)e;
  const double *q = (const double *)s->m->center.host + 3 * (size_t)k;
  double far = 0;
  for (int d = 0; d < 3; d++)
    far += (q[d] - p[d]) * (q[d] - p[d]);
  return far > 0 ? (height(s, e) - height(s, k)) / sqrt(far) : -1;
}

/* An element is held up by those that touch it and lie within 45 degrees below. Inside an irregular
   mesh there may be none; then the steepest one below counts. */
static ig_status find_below(search *s, ig_lid e) {
  const double enough = sqrt(0.5) - 1e-6;
  const int n = neighbours(s, e);
  double steepest = 0;
  for (int i = 0; i < n; i++)
    steepest = fmax(steepest, steepness(s, e, s->near[i]));
  double least = enough;
  if (steepest < enough) {
    s->floating += s->open[e] || steepest < 0.1;
    if (s->open[e] || steepest < 0.1)
      return IG_OK;
    s->steep++;
    s->worst = fmin(s->worst, steepest);
    least = steepest - 1e-6;
  }
  for (int i = 0; i < n; i++)
    if (steepness(s, e, s->near[i]) >= least) {
      IG_TRY(IG_MORE(s->m->cx, &s->below, s->count, "supports"));
      s->below[s->count++] = s->near[i];
    }
  return IG_OK;
}

/* Elements by level: one more than the highest of those below. */
static ig_status make_levels(search *s, int32_t *order) {
  ig_topopt_mesh_model *m = s->m;
  const size_t n = (size_t)m->elements;
  ranked *by = NULL;
  int32_t *level = NULL;
  ig_status status;
  int levels = 1;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &by, n, "levels"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &level, n, "levels"));
  for (size_t i = 0; i < n; i++)
    by[i] = (ranked){height(s, (ig_lid)i), (ig_lid)i};
  qsort(by, n, sizeof *by, rising);
  for (size_t i = 0; i < n; i++) {
    const ig_lid e = by[i].element;
    for (int64_t k = s->start[e]; k < s->start[e + 1]; k++)
      level[e] = level[s->below[k]] >= level[e] ? level[s->below[k]] + 1 : level[e];
    levels = level[e] >= levels ? level[e] + 1 : levels;
  }
  m->supports.levels = levels;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &m->level, levels + 2, "levels"));
  int64_t *from = m->level + 1; /* ends up one place later */
  for (size_t i = 0; i < n; i++)
    from[level[i] + 1]++;
  for (int l = 0; l < levels; l++)
    from[l + 1] += from[l];
  for (size_t i = 0; i < n; i++)
    order[from[level[i]]++] = (int32_t)i;
  m->supports.level = m->level;
done:
  free(by);
  free(level);
  return status;
}

/* The lists of the search on the device, and who stands on whom. */
static ig_status send_supports(search *s) {
  ig_topopt_mesh_model *m = s->m;
  ig_ctx *cx = m->cx;
  const size_t n = (size_t)m->elements;
  int64_t *start = NULL;
  int32_t *above = NULL, *order = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &start, n + 2, "supports"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &above, s->count + 1, "supports"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &order, n, "supports"));
  for (int64_t i = 0; i < s->count; i++)
    start[s->below[i] + 2]++;
  for (size_t i = 0; i < n; i++)
    start[i + 2] += start[i + 1];
  for (size_t e = 0; e < n; e++)
    for (int64_t i = s->start[e]; i < s->start[e + 1]; i++)
      above[start[s->below[i] + 1]++] = (int32_t)e;
  IG_TRY_GOTO(status, done, make_levels(s, order));
  const size_t links = s->count > 0 ? (size_t)s->count : 1;
  const struct {
    ig_array *to;
    const void *from;
    size_t count, size;
  } list[] = {{&m->making[0], s->start, n + 1, 8}, {&m->making[1], s->below, links, 4},
              {&m->making[2], start, n + 1, 8},    {&m->making[3], above, links, 4},
              {&m->making[4], order, n, 4},        {&m->making[5], s->plate, n, 1}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    IG_TRY_GOTO(
        status, done,
        ig_array_from(cx, list[i].to, list[i].from, list[i].count, list[i].size, "supports"));
  m->supports.below_start = m->making[0].dev;
  m->supports.below = m->making[1].dev;
  m->supports.above_start = m->making[2].dev;
  m->supports.above = m->making[3].dev;
  m->supports.order = m->making[4].dev;
  m->supports.plate = m->making[5].dev;
done:
  free(start);
  free(above);
  free(order);
  return status;
}

static void tell_supports(const search *s) {
  const ig_src *at = &s->m->c->overhang.at;
  if (s->floating > 0)
    ig_warn_at(s->m->cx, at,
               "overhang: %" PRId64 " elements have air below them and nothing within 45 degrees: "
               "they stay void unless they are held solid",
               s->floating);
  if (s->steep > 0)
    ig_warn_at(s->m->cx, at,
               "overhang: %" PRId64 " elements inside the mesh have no neighbour within 45 degrees "
               "below: the steepest counts, at most %.0f degrees from upright",
               s->steep, acos(s->worst) * 57.29577951308232);
}

static ig_status make_overhang(ig_topopt_mesh_model *m) {
  const size_t n = (size_t)m->elements;
  search s = {.m = m, .worst = 1};
  ig_status status;
  bool any = false;
  IG_TRY(read_direction(m, &m->c->overhang.at, "overhang", m->c->overhang.direction, &s.axis,
                        &s.sign));
  IG_TRY(ig_mesh_node_elements(m->cx, m->nodes, m->elements, m->info->nodes, m->conn, &s.around));
  IG_TRY_GOTO(status, done, ig_mesh_adjacency(m->cx, m->mesh, &s.adj));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &s.plate, n, "supports"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &s.open, n, "supports"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &s.start, n + 1, "supports"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &s.stamp, n, "supports"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &s.near, n, "supports"));
  for (size_t e = 0; e < n; e++)
    s.stamp[e] = -1;
  find_plate(&s);
  m->supports.most = 1;
  for (size_t e = 0; e < n; e++) {
    any |= s.plate[e];
    if (!s.plate[e])
      IG_TRY_GOTO(status, done, find_below(&s, (ig_lid)e));
    s.start[e + 1] = s.count;
    m->supports.most = fmax(m->supports.most, (double)(s.count - s.start[e]));
  }
  if (!any)
    status = ig_fail_at(m->cx, &m->c->overhang.at, "overhang: no element stands on the plate");
  if (status == IG_OK && !s.below) /* a single layer */
    status = IG_NEW(m->cx, &s.below, 1, "supports");
  if (status == IG_OK)
    status = send_supports(&s);
  tell_supports(&s);
done:
  ig_csr_free(&s.around);
  ig_adjacency_free(&s.adj);
  free(s.plate);
  free(s.open);
  free(s.start);
  free(s.below);
  free(s.stamp);
  free(s.near);
  return status;
}

/* --- drawing --- */

typedef struct {
  int64_t at[2], side; /* column; which tool */
  double depth;        /* from where the tool is */
  ig_lid element;
} in_column;

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

/* Elements by columns of width `size`, and how many columns there are. `shift` keeps the centres of
   rows away from the borders of columns. */
static int64_t sort_columns(const ig_topopt_mesh_model *m, int axis, double sign, double size,
                            double shift, in_column *list) {
  double low[3], high[3];
  const double parting = m->c->draw.parting;
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

/* The design, the same everywhere, whose columns have the volume asked for. */
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

/* Columns are the rows of elements there are; of a mesh without rows as wide as its elements, six
   tetrahedra counted as one. */
static ig_status make_draw(ig_topopt_mesh_model *m) {
  const ig_draw_case *c = &m->c->draw;
  const double size = cbrt(m->d.volume * (m->type == IG_HEX8 ? 1 : 6));
  const size_t n = (size_t)m->elements;
  int axis;
  double sign = 1, low[3], high[3];
  in_column *list = NULL;
  int64_t *start = NULL, *order = NULL, groups = 0, longest = 0;
  ig_status status;
  IG_TRY(read_direction(m, &c->at, "draw", c->direction, &axis, &sign));
  ig_mesh_bounds(m->mesh, low, high);
  if (!isnan(c->parting) && !(c->parting > low[axis] && c->parting < high[axis]))
    return ig_fail_at(m->cx, &c->at, "draw: parting: %g m is outside the mesh, %g to %g m",
                      c->parting, low[axis], high[axis]);
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
  IG_TRY_GOTO(status, done,
              ig_array_from(m->cx, &m->making[0], start, (size_t)groups + 1, 8, "columns"));
  IG_TRY_GOTO(status, done, ig_array_from(m->cx, &m->making[1], order, n, 8, "columns"));
  m->columns = (ig_links){groups, m->making[0].dev, m->making[1].dev};
done:
  free(list);
  free(start);
  free(order);
  return status;
}

/* --- what the design sees --- */

static ig_status print(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  const ig_topopt_making_ops *ops = ig_topopt_making_ops_of(m->cx);
  return m->columns.count ? ops->draw(m->cx, &m->columns, m->draw_power, m->role.dev, in, out)
                          : ops->print(m->cx, &m->supports, m->role.dev, in, out);
}
static ig_status print_back(void *self, const double *in, const double *printed, double *work,
                            double *slope) {
  ig_topopt_mesh_model *m = self;
  const ig_topopt_making_ops *ops = ig_topopt_making_ops_of(m->cx);
  return m->columns.count
             ? ops->draw_back(m->cx, &m->columns, m->draw_power, m->role.dev, in, printed, slope)
             : ops->print_back(m->cx, &m->supports, m->role.dev, in, printed, work, slope);
}

ig_status ig_topopt_mesh_making_new(ig_topopt_mesh_model *m) {
  if (!ig_topopt_made(m->c))
    return IG_OK;
  m->d.print = print;
  m->d.print_back = print_back;
  return m->c->draw.at.given ? make_draw(m) : make_overhang(m);
}

void ig_topopt_mesh_making_free(ig_topopt_mesh_model *m) {
  for (int i = 0; i < IG_MAKING_LISTS; i++)
    ig_array_free(m->cx, &m->making[i]);
  free(m->level);
}

void ig_topopt_mesh_making_describe(const ig_topopt_mesh_model *m, ig_check_line *line,
                                    void *user) {
  char text[128];
  if (m->columns.count) {
    snprintf(text, sizeof text, "%" PRId64 " columns", m->columns.count);
    line(user, "draw", text);
  } else if (m->supports.levels) {
    snprintf(text, sizeof text, "%d levels, at most %.0f elements hold one up", m->supports.levels,
             m->supports.most);
    line(user, "overhang", text);
  }
}
