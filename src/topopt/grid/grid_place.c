/* Nodes, elements and boundary faces of a grid that are somewhere: the grid's side of
   ig_topopt_points.

   Points of the whole grid are visited on every rank, in one order, whatever the division;
   place_of turns them into places of the rank's arrays, which may lie outside for points of
   others. Boxes limit the ranges of the loops, so that a small region of a large grid is found
   quickly. */
#include "topopt/grid/grid_output.h"
#include "topopt/case/boundary_conditions.h"

#include <math.h>
#include <string.h>

/* Points this close to a place are in it. A millionth of an element: regions often end exactly
   on nodes, and their numbers are rounded. */
static double slack_of(const ig_topopt_grid_model *m) {
  double h = m->h[0];
  for (int d = 1; d < m->grid.dim; d++)
    h = m->h[d] < h ? m->h[d] : h;
  return 1e-6 * h;
}

static const ig_place *set_named(const ig_topopt_grid_model *m, const char *name) {
  for (int i = 0; i < m->c->sets.count; i++) {
    const ig_set_case *set = IG_ITEM(ig_set_case, m->c->sets, i);
    if (strcmp(set->name, name) == 0)
      return &set->place;
  }
  return NULL;
}

/* A side of the grid by the name a mesh has for it, xmin to zmax: a box as flat as a plane. */
typedef struct {
  double min[3], max[3];
  ig_place place;
} grid_side;
/* So that cases for a mesh and for a grid can use the same names. */
static const ig_place *side_named(const ig_topopt_grid_model *m, const char *name, grid_side *s) {
  const int axis = strlen(name) == 4 ? name[0] - 'x' : -1, dim = m->grid.dim;
  const bool high = axis >= 0 && strcmp(name + 1, "max") == 0;
  if (axis < 0 || axis >= dim || (!high && strcmp(name + 1, "min") != 0))
    return NULL;
  for (int d = 0; d < dim; d++) {
    const double size = m->whole.n[d] * m->h[d];
    s->min[d] = d == axis && high ? size : 0;
    s->max[d] = d == axis && !high ? 0 : size;
  }
  s->place = (ig_place){.at.given = true,
                        .box = {.at.given = true, .min = {dim, s->min}, .max = {dim, s->max}}};
  return &s->place;
}

/* What is looked for: in both places, where they are given. */
typedef struct {
  const ig_topopt_grid_model *m;
  const ig_place *place[2];
  double slack;
  ig_visit *visit;
  void *user;
} search;

/* A plane grid lies at z = 0. */
static bool there(const search *s, double *x) {
  if (s->m->grid.dim == 2)
    x[2] = 0;
  for (int i = 0; i < 2; i++)
    if (s->place[i] && !ig_place_has(s->place[i], x, s->slack))
      return false;
  return true;
}

/* Of n points at (i + offset) h, the range that boxes leave. A little wider than the box (0.01
   of an element): `there` decides exactly. */
static void range(const search *s, int d, double offset, int n, int *begin, int *end) {
  const double h = s->m->h[d];
  *begin = 0;
  *end = n;
  for (int i = 0; i < 2; i++) {
    const ig_in_box *box = s->place[i] ? &s->place[i]->box : NULL;
    if (!box || !box->at.given)
      continue;
    if (d < box->min.count)
      *begin = (int)fmax(*begin, fmin(n, ceil((box->min.value[d] - s->slack) / h - offset - 0.01)));
    if (d < box->max.count)
      *end =
          (int)fmin(*end, fmax(0, floor((box->max.value[d] + s->slack) / h - offset + 0.01) + 1));
  }
}

/* Place in this rank's arrays of a point of the whole. */
static int64_t place_of(const search *s, int i, int j, int k) {
  const ig_grid *g = &s->m->grid;
  return ig_grid_place(g, i, j, k - g->from);
}

/* Whether the element at a place of the whole is in the part; places beyond the grid are not. */
static bool element_inside(const ig_topopt_grid_model *m, int i, int j, int k) {
  const ig_grid *g = &m->whole;
  if (!m->inside)
    return true;
  return i >= 0 && j >= 0 && k >= 0 && i < g->n[0] && j < g->n[1] && k < g->n[2] &&
         m->inside[((size_t)k * (size_t)g->n[1] + (size_t)j) * (size_t)g->n[0] + (size_t)i];
}

/* A node is in the part if any of its up to eight elements is. */
static bool node_inside(const ig_topopt_grid_model *m, const int *at) {
  bool any = !m->inside; /* such a grid has three dimensions */
  for (int a = 0; a < 8 && !any; a++)
    any = element_inside(m, at[0] - (a & 1), at[1] - (a >> 1 & 1), at[2] - (a >> 2));
  return any;
}

/* ALL_NODES do not ask for the part: supports may hold nodes beside it. */
static void each_point(const search *s, ig_point_kind kind) {
  const ig_grid *g = &s->m->whole;
  const bool elements = kind == IG_POINT_ELEMENTS;
  const int more = elements ? 0 : 1;
  const double offset = elements ? 0.5 : 0;
  int i[3], begin[3] = {0}, end[3] = {1, 1, 1};
  for (int d = 0; d < g->dim; d++)
    range(s, d, offset, g->n[d] + more, &begin[d], &end[d]);
  for (i[2] = begin[2]; i[2] < end[2]; i[2]++)
    for (i[1] = begin[1]; i[1] < end[1]; i[1]++)
      for (i[0] = begin[0]; i[0] < end[0]; i[0]++) {
        double x[3];
        for (int d = 0; d < 3; d++)
          x[d] = (i[d] + offset) * s->m->h[d];
        if (there(s, x) &&
            (kind == IG_POINT_ALL_NODES ||
             (elements ? element_inside(s->m, i[0], i[1], i[2]) : node_inside(s->m, i))))
          s->visit(s->user, place_of(s, i[0], i[1], i[2]), 1);
      }
}

/* The corners of the face normal to `axis` whose lowest node is `low`. */
static void visit_face(const search *s, int axis, const int *low, double area) {
  const ig_grid *g = &s->m->whole;
  const int corners = 1 << (g->dim - 1);
  for (int q = 0; q < 1 << g->dim; q++)
    if (!(q >> axis & 1))
      s->visit(s->user, place_of(s, low[0] + (q & 1), low[1] + (q >> 1 & 1), low[2] + (q >> 2)),
               area / corners);
}

/* Sides of the grid only; faces of the part inside of the grid (`stl`) are no boundary faces. */
static void each_face(const search *s, double *normal) {
  const ig_grid *g = &s->m->whole;
  for (int axis = 0; axis < g->dim; axis++)
    for (int side = 0; side < 2; side++) {
      int n[3], i[3];
      double area = 1;
      for (int d = 0; d < 3; d++)
        normal[d] = d == axis ? (side ? 1 : -1) : 0;
      for (int d = 0; d < 3; d++) {
        n[d] = d == axis || d >= g->dim ? 1 : g->n[d];
        area *= d == axis || d >= g->dim ? 1 : s->m->h[d];
      }
      for (i[2] = 0; i[2] < n[2]; i[2]++)
        for (i[1] = 0; i[1] < n[1]; i[1]++)
          for (i[0] = 0; i[0] < n[0]; i[0]++) {
            int low[3] = {i[0], i[1], i[2]};
            low[axis] = side ? g->n[axis] : 0;
            double x[3];
            for (int d = 0; d < 3; d++)
              x[d] = (low[d] + (d == axis ? 0 : 0.5)) * s->m->h[d];
            int behind[3] = {low[0], low[1], low[2]};
            behind[axis] -= side;
            if (there(s, x) && element_inside(s->m, behind[0], behind[1], behind[2]))
              visit_face(s, axis, low, area);
          }
    }
}

/* A set is a named place: entries of `sets` first, then sides of the grid. */
static ig_status each(void *self, ig_where where, ig_point_kind kind, ig_visit *visit, void *user) {
  ig_topopt_grid_model *m = self;
  search s = {.m = m, .slack = slack_of(m), .visit = visit, .user = user};
  grid_side side;
  s.place[0] = where.place->at.given ? where.place : NULL;
  if (where.set && !(s.place[1] = set_named(m, where.set)) &&
      !(s.place[1] = side_named(m, where.set, &side)))
    return ig_fail_at(m->cx, where.at,
                      "set: there is no '%.60s': name it in 'sets', use a side (xmin to zmax), or "
                      "give a place",
                      where.set);
  if (kind == IG_POINT_FACES)
    each_face(&s, m->normal);
  else
    each_point(&s, kind);
  return IG_OK;
}

/* The inverse of ig_grid_place; the halo of one row and one column is why 1 is subtracted. */
static void position(void *self, int64_t node, double *x) {
  const ig_topopt_grid_model *m = self;
  const ig_grid *g = &m->grid;
  /* from the corner of the whole's halo on, none is negative */
  int64_t at = node - g->first + g->row + 1 + g->from * g->plane;
  x[2] = g->dim == 3 ? (double)(at / g->plane) * m->h[2] : 0;
  at = g->dim == 3 ? at % g->plane : at;
  x[1] = (double)(at / g->row - 1) * m->h[1];
  x[0] = (double)(at % g->row - 1) * m->h[0];
}

/* Nodes of an element by bits: x + 2 y + 4 z. */
static int corners(void *self, int64_t place, int64_t *node) {
  const ig_grid *g = &((const ig_topopt_grid_model *)self)->grid;
  for (int a = 0; a < 1 << g->dim; a++)
    node[a] = place + (a & 1) + (a >> 1 & 1) * g->row + (a >> 2) * g->plane;
  return 1 << g->dim;
}

/* Every node of an element gets an equal share of its heat. Elements of the plane below a slab
   add to its first nodes, too. */
static void source(void *self, double value, double *f) {
  const ig_topopt_grid_model *m = self;
  const ig_grid *g = &m->grid;
  const double share =
      value * m->solver->brick.load * (g->dim == 2 ? ig_topopt_thickness(m->c) : 1);
  for (int k = -ig_grid_below(g); k < ig_grid_layers(g); k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        for (int a = 0; element_inside(m, i, j, k + g->from) && a < 1 << g->dim; a++)
          f[ig_grid_place(g, i + (a & 1), j + (a >> 1 & 1), k + (a >> 2))] += share;
}

ig_topopt_points ig_topopt_grid_points(ig_topopt_grid_model *m) {
  const ig_grid *g = &m->grid;
  ig_topopt_points p = {.cx = m->cx,
                        .c = m->c,
                        .name = m->c->grid.stl ? "part" : "grid",
                        .dim = g->dim,
                        .one_piece = true,
                        .size = g->dof,
                        .nodes = g->stored,
                        .places = g->stored,
                        .all_nodes = m->whole.stored,
                        .step = 1,
                        .stride = g->stored,
                        .slab = m->slab,
                        .self = m,
                        .each = each,
                        .normal = m->normal,
                        .position = position,
                        .corners = corners,
                        .source = source};
  if (m->slab) {
    p.begin = g->ghosts * g->plane;
    p.end = p.begin + (g->n[2] + 1) * g->plane;
  }
  for (int d = 0; d < 3; d++)
    p.high[d] = m->whole.n[d] * m->h[d];
  return p;
}

/* `mirror` must be zeroed by the caller; bits are added. */
void ig_topopt_grid_mirrors(const ig_topopt_grid_model *m, int *mirror) {
  for (int i = 0; i < m->c->symmetry.count; i++) {
    int axis, side;
    if (ig_topopt_plane_read(m->c->symmetry.value[i], m->grid.dim, &axis, &side))
      mirror[axis] |= 1 << side;
  }
}
