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
  const double *x = m->center.host;
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
    c->n[d] = (int)floor((high[d] - c->low[d]) / size) + 1;
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
  return m->c->filter.kind == IG_FILTER_HELMHOLTZ ? filter_helmholtz(m, in, out)
                                                  : m->ops->cone(m->cx, &m->cone, in, out);
}
