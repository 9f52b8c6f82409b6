/* Filters on a mesh: the cone over element centres, and the differential equation. */
#include "topopt/mesh_model.h"
#include "backend/backend.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the cone --- */

/* Centres into cells: a counting sort. Cells are no smaller than the radius, so that neighbours are
   in the cells around, and no more than a few per element. */
static ig_status make_cone(ig_topopt_mesh_model *m, double radius, ig_cone *c, ig_array *cells_at,
                           ig_array *by_cell) {
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
  IG_TRY(ig_array_new(m->cx, cells_at, (size_t)cells + 2, sizeof(int32_t), "filter cells"));
  IG_TRY(ig_array_new(m->cx, by_cell, (size_t)m->elements, sizeof(int32_t), "elements by cell"));
  int32_t *start = (int32_t *)cells_at->host + 1, *order = by_cell->host;
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
  IG_TRY(ig_array_push(m->cx, cells_at));
  IG_TRY(ig_array_push(m->cx, by_cell));
  c->start = cells_at->dev;
  c->order = by_cell->dev;
  c->center = m->center.dev;
  ig_topopt_mesh_planes(m, c->plane);
  return IG_OK;
}

/* --- the cone of a part --- */

/* Calls for every element that the cone of e (whole numbers) reaches. What an image beyond a plane
   of symmetry reaches is nearer to the element itself. */
typedef ig_status reach(ig_topopt_mesh_model *m, void *user, ig_lid e, ig_lid other);
static ig_status each_reached(ig_topopt_mesh_model *m, ig_lid e, reach *visit, void *user) {
  const ig_cone *c = &m->cone;
  const double *x = m->centers + 3 * (size_t)e;
  const int32_t *start = m->start.host, *order = m->order.host;
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

static ig_status ghost_mark(ig_topopt_mesh_model *m, void *user, ig_lid e, ig_lid other) {
  const ig_rows *cells = &m->part.cells;
  reaching *r = user;
  (void)e;
  if (other < cells->from || other >= cells->to)
    r->number[other] = 0;
  return IG_OK;
}
/* Who is reached reaches as far. */
static ig_status ghost_pair(ig_topopt_mesh_model *m, void *user, ig_lid e, ig_lid other) {
  const ig_rows *cells = &m->part.cells;
  reaching *r = user;
  if (other >= cells->from && other < cells->to)
    return IG_OK;
  const int owner = ig_rows_owner(cells, other);
  IG_TRY(ig_halo_pair_add(m->cx, &r->give, owner, e - cells->from));
  return ig_halo_pair_add(m->cx, &r->take, owner, r->number[other]);
}

/* Centres and cells of the elements that have a number; in a cell they keep their order. */
static ig_status cone_cut(ig_topopt_mesh_model *m, const reaching *r) {
  ig_cone *c = &m->cone;
  const ig_lid count = m->part.cells.to - m->part.cells.from + r->ghosts;
  const int32_t *start = m->start.host, *order = m->order.host;
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
  int32_t *to = cells.host, at = 0;
  for (size_t i = 0; i < size && status == IG_OK; i++) {
    const int64_t x = c->from[0] + (int)(i % (size_t)c->size[0]);
    const int64_t y = c->from[1] + (int)(i / (size_t)c->size[0] % (size_t)c->size[1]);
    const int64_t z = c->from[2] + (int)(i / (size_t)c->size[0] / (size_t)c->size[1]);
    const int64_t place = (z * c->n[1] + y) * c->n[0] + x;
    for (int32_t o = start[place]; o < start[place + 1]; o++)
      if (r->number[order[o]] >= 0)
        ((int32_t *)list.host)[at++] = r->number[order[o]];
    to[i + 1] = at;
  }
  ig_array *const now[] = {&center, &cells, &list};
  ig_array *const was[] = {&m->center, &m->start, &m->order};
  for (int i = 0; i < 3; i++) { /* the whole's centres stay with the part, until all is set up */
    if (status == IG_OK)
      status = ig_array_push(m->cx, now[i]);
    if (i > 0)
      ig_array_free(m->cx, was[i]);
    *was[i] = *now[i];
  }
  c->elements = m->part.cells.to - m->part.cells.from;
  c->center = m->center.dev;
  c->start = m->start.dev;
  c->order = m->order.dev;
  return status;
}

ig_status ig_topopt_mesh_filter_cut(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
  const ig_lid from = p->cells.from, own = p->cells.to - from;
  reaching r = {0};
  p->center = m->center;
  m->center = (ig_array){0};
  if (m->c->filter.kind == IG_FILTER_NONE)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &r.number, m->elements, "part of the filter"));
  memset(r.number, 0xff, sizeof *r.number * (size_t)m->elements);
  ig_status status = IG_OK;
  for (ig_lid e = from; e < from + own && status == IG_OK; e++)
    status = each_reached(m, e, ghost_mark, &r);
  for (ig_lid e = 0; e < m->elements; e++)
    if (e >= from && e < from + own)
      r.number[e] = e - from;
    else if (r.number[e] == 0)
      r.number[e] = own + r.ghosts++;
  for (ig_lid e = from; e < from + own && status == IG_OK; e++)
    status = each_reached(m, e, ghost_pair, &r);
  if (status == IG_OK) {
    status = ig_halo_of_pairs(m->cx, &r.give, &r.take, sizeof(double), &p->reach);
  } else {
    free(r.give.item);
    free(r.take.item);
  }
  if (status == IG_OK)
    status = cone_cut(m, &r);
  if (status == IG_OK)
    status = ig_array_new_device(m->cx, &p->reached, (size_t)(own + r.ghosts), sizeof(double),
                                 "filtered elements");
  free(r.number);
  return status;
}

/* Own elements' values, what they reach of others', the cone. */
static ig_status filter_part(ig_topopt_mesh_model *m, const double *in, double *out) {
  ig_topopt_mesh_part *p = &m->part;
  double *values = p->reached.dev;
  IG_TRY(m->cx->backend->copy(m->cx, values, in, (size_t)m->cone.elements * sizeof *in));
  IG_TRY(ig_halo_refresh(m->cx, &p->reach, values, sizeof *values, IG_OK));
  return m->ops->cone(m->cx, &m->cone, values, out);
}

/* --- the differential equation --- */

static ig_status apply(void *self, const double *x, double *y, ig_cg_state *state) {
  ig_topopt_mesh_model *m = self;
  ig_helmholtz *h = &m->helmholtz;
  IG_TRY(m->ops->scalar_f64(m->cx, &h->hex, h->plan, NULL, x, y));
  return m->ops->ground(m->cx, &h->ground, x, y, m->partial.dev, state ? &state->s.pap : NULL);
}

static ig_status precondition(void *self, const float *r, const float **z) {
  ig_topopt_mesh_model *m = self;
  *z = m->helmholtz.z.dev;
  return m->ops->scale(m->cx, m->nodes, 1, m->helmholtz.inverse.dev, r, m->helmholtz.z.dev);
}

/* On quadratic tetrahedra the equation is linear on their corners: the means of quadratic shape
   functions have both signs, and filtered densities would leave 0 to 1. Other nodes are held. */
static ig_status use_corners(ig_topopt_mesh_model *m) {
  ig_helmholtz *h = &m->helmholtz;
  uint8_t *fix = h->fix.host;
  ig_lid *conn;
  IG_TRY(IG_NEW(m->cx, &conn, 4 * (size_t)m->elements, "filter"));
  memset(fix, 1, (size_t)m->nodes);
  for (size_t i = 0; i < 4 * (size_t)m->elements; i++) {
    conn[i] = m->conn[10 * (i / 4) + i % 4];
    fix[conn[i]] = 0;
  }
  const ig_status status = ig_plan_new(m->cx, m->plan.how, IG_SLOTS_COMPACT, m->nodes, m->elements,
                                       4, conn, &h->corners);
  free(conn);
  h->plan = &h->corners;
  h->hex.clusters = NULL; /* those of all ten nodes */
  h->hex.scatter = ig_plan_view(&h->corners);
  return status;
}

static ig_status make_helmholtz(ig_topopt_mesh_model *m, double radius) {
  ig_helmholtz *h = &m->helmholtz;
  ig_ctx *cx = m->cx;
  const size_t n = (size_t)m->nodes;
  ig_array *const doubles[] = {&h->block, &h->f, &h->u}, *const singles[] = {&h->inverse, &h->z};
  for (int i = 0; i < 3; i++)
    IG_TRY(ig_array_new_device(cx, doubles[i], n, sizeof(double), "filter"));
  for (int i = 0; i < 2; i++)
    IG_TRY(ig_array_new_device(cx, singles[i], n, sizeof(float), "filter"));
  IG_TRY(ig_array_new(cx, &h->fix, n, 1, "filter")); /* nothing is held */
  h->plan = &m->plan;
  h->hex = m->hex;
  if (m->type == IG_TET10)
    IG_TRY(use_corners(m));
  IG_TRY(ig_array_push(cx, &h->fix));
  IG_TRY(ig_array_zero(cx, &h->u));
  const double length = radius / (2 * sqrt(3.0)); /* has the cone's second moment */
  h->hex.size = 1;
  h->hex.conduct = length * length;
  h->hex.mass = 1;
  h->ground = (ig_ground){m->nodes, 1, h->fix.dev, NULL};
  h->system = (ig_linear){m, m->nodes, apply, precondition, false, NULL, NULL};
  IG_TRY(m->ops->diagonal(cx, &h->hex, h->plan, NULL, h->block.dev));
  IG_TRY(m->ops->invert(cx, &h->ground, false, h->block.dev, h->inverse.dev));
  return ig_pcg_init(cx, &h->pcg, m->nodes);
}

/* Elements to nodes, the equation, means over elements. `in` comes weighed by volume over the mean
   volume, the equation wants integrals. */
static ig_status filter_helmholtz(ig_topopt_mesh_model *m, const double *in, double *out) {
  ig_helmholtz *h = &m->helmholtz;
  ig_solve_report report;
  IG_TRY(m->ops->to_nodes(m->cx, &h->hex, h->plan, in, h->f.dev));
  IG_TRY(ig_pcg_solve(m->cx, &h->pcg, &h->system, h->f.dev, h->u.dev, 1e-11, 100000, &report));
  if (report.end != IG_SOLVE_CONVERGED && report.residual > 1e-8)
    return IG_FAIL(m->cx, IG_NUMERIC, "the Helmholtz filter %s", ig_solve_end_text(report.end));
  IG_TRY(m->ops->to_elements(m->cx, &h->hex, h->u.dev, out));
  const ig_topopt_design_ops *ops = ig_topopt_design_ops_of(m->cx);
  return ops->mix(m->cx, m->elements, m->d.volume, out, 0, out, out);
}

/* --- */

ig_status ig_topopt_mesh_filter_new(ig_topopt_mesh_model *m) {
  const ig_filter_case *c = &m->c->filter;
  const double radius = isnan(c->radius) ? 1.5 * cbrt(m->d.volume) : c->radius;
  const double ball = 0.5 * ig_topopt_member(m->c);
  if (ball > 0) { /* of any mesh the mean share of it that its elements fill */
    IG_TRY(make_cone(m, ball, &m->ball, &m->ball_start, &m->ball_order));
    m->ball.flat = 1;
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
  return c->kind == IG_FILTER_HELMHOLTZ ? make_helmholtz(m, radius)
                                        : make_cone(m, radius, &m->cone, &m->start, &m->order);
}

ig_status ig_topopt_mesh_around(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  return m->ops->cone(m->cx, &m->ball, in, out);
}

void ig_topopt_mesh_filter_free(ig_topopt_mesh_model *m) {
  ig_array_free(m->cx, &m->ball_start);
  ig_array_free(m->cx, &m->ball_order);
  ig_helmholtz *h = &m->helmholtz;
  ig_array *const arrays[] = {&h->fix, &h->block, &h->inverse, &h->z, &h->f, &h->u};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(m->cx, arrays[i]);
  ig_plan_free(m->cx, &h->corners);
  ig_pcg_free(m->cx, &h->pcg);
}

ig_status ig_topopt_mesh_filter(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  if (m->part.alone)
    return filter_part(m, in, out);
  return m->c->filter.kind == IG_FILTER_HELMHOLTZ ? filter_helmholtz(m, in, out)
                                                  : m->ops->cone(m->cx, &m->cone, in, out);
}
