/* Sums over elements near each of a mesh: the cone of its filter, the balls that bound members.

   The filter's weight of element k at element e is radius - |x_e - x_k| between centres (a
   cone), of a ball 1. No list of neighbours is stored, as it would be several times larger than
   the mesh: elements are sorted into cells of at least the radius, and the kernel looks through
   27 cells.

   In a mesh that is divided between ranks each has the centres and values of its own elements
   and of those they reach; values of the latter come by a halo exchange before each sum. */
#include "topopt/mesh/mesh_model.h"
#include "backend/backend.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the cone --- */

/* Centres into cells: a counting sort. Cells are no smaller than the radius, so that neighbours
   are in the cells around, and no more than a few per element. Few large elements and a tiny
   radius would need far more cells than elements: cells then grow. */
static ig_status make_cone(ig_topopt_mesh_model *m, double radius, ig_topopt_mesh_cone *to) {
  ig_cone *c = &to->shape;
  const double *x = m->centers;
  double high[3];
  ig_mesh_bounds(m->mesh, c->low, high);
  c->radius = radius;
  c->elements = m->elements;
  double size = radius, cells;
  do {
    cells = 1;
    for (int d = 0; d < 3; d++)
      cells *= floor((high[d] - c->low[d]) / size) + 1;
    size *= cells > 4.0 * m->elements + 64 ? 1.25 : 1;
  } while (cells > 4.0 * m->elements + 64);
  for (int d = 0; d < 3; d++) {
    c->n[d] = c->size[d] = (int)floor((high[d] - c->low[d]) / size) + 1;
    c->inverse[d] = 1 / size;
  }
  IG_TRY(ig_array_new(m->cx, &to->start, (size_t)cells + 2, sizeof(int32_t), "filter cells"));
  IG_TRY(ig_array_new(m->cx, &to->order, (size_t)m->elements, sizeof(int32_t), "elements by cell"));
  int32_t *start = (int32_t *)to->start.host + 1, *order = to->order.host;
#define CELL(e)                                                                                    \
  (((int64_t)ig_cone_cell(c, 2, x[3 * (size_t)(e) + 2]) * c->n[1] +                                \
    ig_cone_cell(c, 1, x[3 * (size_t)(e) + 1])) *                                                  \
       c->n[0] +                                                                                   \
   ig_cone_cell(c, 0, x[3 * (size_t)(e)]))
  for (ig_lid e = 0; e < m->elements; e++)
    start[CELL(e) + 1]++;
  for (int64_t i = 0; i < (int64_t)cells; i++)
    start[i + 1] += start[i];
  for (ig_lid e = 0; e < m->elements; e++) /* leaves start[i] where cell i + 1 begins */
    order[start[CELL(e)]++] = e;
#undef CELL
  IG_TRY(ig_array_push(m->cx, &to->start));
  IG_TRY(ig_array_push(m->cx, &to->order));
  c->start = to->start.dev;
  c->order = to->order.dev;
  c->center = m->center.dev;
  memcpy(c->plane, m->plane, sizeof c->plane);
  return IG_OK;
}

/* --- the cone of a part --- */

/* Calls for every element that the cone of e (whole numbers) reaches. What an image beyond a plane
   of symmetry reaches is nearer to the element itself. */
typedef ig_status reach(ig_topopt_mesh_model *m, void *user, ig_lid e, ig_lid other);
/* 27 cells around the element's own contain everything within the radius, since cells are no
   smaller than it. */
static ig_status each_reached(ig_topopt_mesh_model *m, const ig_topopt_mesh_cone *of, ig_lid e,
                              reach *visit, void *user) {
  const ig_cone *c = &of->shape;
  const double *x = m->centers + 3 * (size_t)e;
  const int32_t *start = of->start.host, *order = of->order.host;
  int at[3];
  for (int d = 0; d < 3; d++)
    at[d] = ig_cone_cell(c, d, x[d]);
  for (int cell = 0; cell < 27; cell++) {
    const int i = at[0] + cell % 3 - 1, j = at[1] + cell / 3 % 3 - 1, k = at[2] + cell / 9 - 1;
    if (i < 0 || j < 0 || k < 0 || i >= c->n[0] || j >= c->n[1] || k >= c->n[2])
      continue;
    const int64_t place = ((int64_t)k * c->n[1] + j) * c->n[0] + i;
    for (int32_t o = start[place]; o < start[place + 1]; o++) {
      const double *y = m->centers + 3 * (size_t)order[o];
      const double dx = x[0] - y[0], dy = x[1] - y[1], dz = x[2] - y[2];
      if (c->radius - sqrt(dx * dx + dy * dy + dz * dz) > 0)
        IG_TRY(visit(m, user, e, order[o]));
    }
  }
  return IG_OK;
}

/* number: of an element among those of the filter, own ones first; -1: it is not there */
typedef struct {
  ig_lid *number, ghosts;
  ig_halo_pairs give, take;
} reaching;

/* Elements of other ranks that own ones reach. */
static ig_status ghost_mark(ig_topopt_mesh_model *m, void *user, ig_lid e, ig_lid other) {
  const ig_rows *cells = &m->part.cells;
  reaching *r = user;
  (void)e;
  if (other < cells->from || other >= cells->to)
    r->number[other] = 0;
  return IG_OK;
}
/* The radius is symmetric: two elements reach each other, or neither does. */
static ig_status ghost_pair(ig_topopt_mesh_model *m, void *user, ig_lid e, ig_lid other) {
  const ig_rows *cells = &m->part.cells;
  reaching *r = user;
  if (other >= cells->from && other < cells->to)
    return IG_OK;
  const int owner = ig_rows_owner(cells, other);
  IG_TRY(ig_halo_pair_add(m->cx, &r->give, owner, e - cells->from));
  return ig_halo_pair_add(m->cx, &r->take, owner, r->number[other]);
}

/* Centres and cells of the elements that have a number; in a cell they keep their order. The
   order within cells is that of the whole, so that sums have the same bits on any number of
   ranks. */
static ig_status cone_make(ig_topopt_mesh_model *m, const reaching *r, ig_topopt_mesh_cone *to) {
  ig_cone *c = &to->shape;
  const ig_lid count = m->part.cells.to - m->part.cells.from + r->ghosts;
  const int32_t *start = to->start.host, *order = to->order.host;
  ig_array center = {0}, cells = {0}, list = {0};
  int low[3] = {c->n[0], c->n[1], c->n[2]}, high[3] = {-1, -1, -1};
  IG_TRY(ig_array_new(m->cx, &center, 3 * (size_t)count, sizeof(double), "centres"));
  for (ig_lid e = 0; e < m->elements; e++)
    for (int d = 0; d < 3 && r->number[e] >= 0; d++) {
      const double x = m->centers[3 * (size_t)e + (size_t)d];
      const int at = ig_cone_cell(c, d, x);
      ((double *)center.host)[3 * (size_t)r->number[e] + (size_t)d] = x;
      low[d] = at < low[d] ? at : low[d];
      high[d] = at > high[d] ? at : high[d];
    }
  size_t size = 1;
  for (int d = 0; d < 3; d++) {
    c->from[d] = low[d];
    c->size[d] = high[d] < low[d] ? 0 : high[d] - low[d] + 1;
    size *= (size_t)c->size[d];
  }
  ig_status status = ig_array_new(m->cx, &cells, size + 1, sizeof(int32_t), "filter cells");
  if (status == IG_OK)
    status = ig_array_new(m->cx, &list, (size_t)count, sizeof(int32_t), "elements by cell");
  int32_t *ends = cells.host, at = 0;
  for (size_t i = 0; i < size && status == IG_OK; i++) {
    const int64_t x = c->from[0] + (int)(i % (size_t)c->size[0]);
    const int64_t y = c->from[1] + (int)(i / (size_t)c->size[0] % (size_t)c->size[1]);
    const int64_t z = c->from[2] + (int)(i / (size_t)c->size[0] / (size_t)c->size[1]);
    const int64_t place = (z * c->n[1] + y) * c->n[0] + x;
    for (int32_t o = start[place]; o < start[place + 1]; o++)
      if (r->number[order[o]] >= 0)
        ((int32_t *)list.host)[at++] = r->number[order[o]];
    ends[i + 1] = at;
  }
  ig_array *const now[] = {&center, &cells, &list};
  ig_array *const was[] = {&to->center, &to->start, &to->order};
  for (int i = 0; i < 3; i++) {
    if (status == IG_OK)
      status = ig_array_push(m->cx, now[i]);
    ig_array_free(m->cx, was[i]);
    *was[i] = *now[i];
  }
  c->elements = m->part.cells.to - m->part.cells.from;
  c->center = to->center.dev;
  c->start = to->start.dev;
  c->order = to->order.dev;
  return status;
}

/* Only own elements, and those that they reach. */
static ig_status cone_cut(ig_topopt_mesh_model *m, ig_topopt_mesh_cone *to) {
  const ig_rows *cells = &m->part.cells;
  const ig_lid from = cells->from, own = cells->to - from;
  reaching r = {0};
  if (!to->start.dev)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &r.number, m->elements, "part of the filter"));
  memset(r.number, 0xff, sizeof *r.number * (size_t)m->elements);
  ig_status status = IG_OK;
  for (ig_lid e = from; e < from + own && status == IG_OK; e++)
    status = each_reached(m, to, e, ghost_mark, &r);
  r.ghosts = ig_topopt_mesh_number(m, r.number) - own;
  for (ig_lid e = from; e < from + own && status == IG_OK; e++)
    status = each_reached(m, to, e, ghost_pair, &r);
  if (status == IG_OK) {
    status = ig_halo_of_pairs(m->cx, &r.give, &r.take, sizeof(double), &to->reach);
  } else {
    free(r.give.item);
    free(r.take.item);
  }
  if (status == IG_OK)
    status = cone_make(m, &r, to);
  if (status == IG_OK)
    status = ig_array_new_device(m->cx, &to->values, (size_t)own + (size_t)r.ghosts, sizeof(double),
                                 "filtered elements");
  free(r.number);
  return status;
}

/* Both cones lose the elements that this rank does not need. */
ig_status ig_topopt_mesh_filter_cut(ig_topopt_mesh_model *m) {
  IG_TRY(cone_cut(m, &m->cone));
  return cone_cut(m, &m->ball);
}

/* Of a part: own elements' values, and what they reach of others'. */
static ig_status cone_sum(ig_topopt_mesh_model *m, ig_topopt_mesh_cone *c, const double *in,
                          double *out) {
  double *values = c->values.dev;
  if (!m->part.divided)
    return m->ops->cone(m->cx, &c->shape, in, out);
  IG_TRY(m->cx->backend->copy(m->cx, values, in, (size_t)c->shape.elements * sizeof *in));
  IG_TRY(ig_halo_refresh(m->cx, &c->reach, values, sizeof *values, IG_OK));
  return m->ops->cone(m->cx, &c->shape, values, out);
}

/* --- */

/* d.ball: how many mean elements a full ball contains. Balls at the rim are not full, and count
   as if void were outside. */
ig_status ig_topopt_mesh_filter_new(ig_topopt_mesh_model *m) {
  const ig_filter_case *c = &m->c->filter;
  const double radius = ig_topopt_mesh_radius(m), ball = 0.5 * ig_topopt_member(m->c);
  if (ball > 0) { /* of any mesh the mean share of it that its elements fill */
    IG_TRY(make_cone(m, ball, &m->ball));
    m->ball.shape.flat = 1;
    m->d.ball = 4.0 / 3 * acos(-1) * ball * ball * ball / m->d.volume;
  }
  if (c->padded)
    return ig_fail_at(m->cx, &c->at, "filter: padded is for grids: a mesh has sides of any shape");
  if (c->kind == IG_FILTER_NONE)
    return IG_OK;
  if (!(radius > cbrt(m->d.volume)))
    ig_warn_at(
        m->cx, &c->at,
        "filter: a radius of %g m is below one element (%g m on average): next to nothing is "
        "filtered; 1.5 elements or more keep checkerboards away",
        radius, cbrt(m->d.volume));
  if (c->kind != IG_FILTER_HELMHOLTZ)
    return make_cone(m, radius, &m->cone);
  return m->part.divided ? IG_OK : ig_topopt_mesh_helmholtz_new(m, NULL, NULL); /* else when cut */
}

ig_status ig_topopt_mesh_around(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  return cone_sum(m, &m->ball, in, out);
}

void ig_topopt_mesh_filter_free(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_cone *const cones[] = {&m->cone, &m->ball};
  for (int i = 0; i < 2; i++) {
    ig_array *const arrays[] = {&cones[i]->start, &cones[i]->order, &cones[i]->center,
                                &cones[i]->values};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
      ig_array_free(m->cx, arrays[k]);
    ig_halo_free(m->cx, &cones[i]->reach);
  }
  ig_topopt_mesh_helmholtz_free(m);
}

ig_status ig_topopt_mesh_filter(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  return m->c->filter.kind == IG_FILTER_HELMHOLTZ ? ig_topopt_mesh_helmholtz(m, in, out)
                                                  : cone_sum(m, &m->cone, in, out);
}
