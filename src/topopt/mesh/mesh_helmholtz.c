/* The filter of a mesh as a differential equation (Lazarov and Sigmund 2011):

     -r^2 laplacian u + u = x,   r = R / (2 sqrt 3),   du/dn = 0 at the rim

   with R the radius of the equivalent cone. Its cost does not depend on the radius, and ranks
   exchange only their ghosts. Solved by conjugate gradients with the diagonal as preconditioner:
   the mass term keeps the matrix well conditioned. Of a part each rank has its own nodes and
   ghosts, as of the body's own system. */
#include "topopt/mesh/mesh_model.h"
#include "assembly/part.h"
#include "backend/backend.h"
#include "solver/krylov/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nodes that are here. */
static ig_lid nodes_here(const ig_topopt_mesh_model *m) {
  return m->part.divided ? m->part.nodes : m->nodes;
}

/* y = (r^2 K + M) x, and x.y for the iteration where `state` is given. */
static ig_status apply(void *self, const double *x, double *y, ig_cg_state *state) {
  ig_topopt_mesh_model *m = self;
  ig_helmholtz *h = &m->helmholtz;
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  if (m->part.divided)
    IG_TRY(ig_halo_refresh(m->cx, &m->part.ghosts, (void *)x, sizeof *x, IG_OK));
  IG_TRY(m->ops->scalar_f64(m->cx, &h->hex, h->plan, NULL, x, y));
  const ig_ground ground = {own.count, 1, h->ground.fix + own.from, NULL};
  IG_TRY(m->ops->ground(m->cx, &ground, x + own.from, y + own.from, m->partial.dev,
                        state && !h->system.grid ? &state->s.pap : NULL));
  return state && h->system.grid
             ? ig_pcg_energy(m->cx, &h->sums, own.count, x + own.from, y + own.from, state)
             : IG_OK;
}

/* The diagonal, in single precision. */
static ig_status precondition(void *self, const float *r, const float **z) {
  ig_topopt_mesh_model *m = self;
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  float *to = m->helmholtz.z.dev;
  *z = to;
  return m->ops->scale(m->cx, own.count, 1, (const float *)m->helmholtz.inverse.dev + own.from,
                       r + own.from, to + own.from);
}

/* Of quadratic tetrahedra `conn` the four corners. */
static ig_status corners_of(ig_topopt_mesh_model *m, const ig_lid *conn, ig_lid elements,
                            ig_lid **to) {
  IG_TRY(IG_NEW(m->cx, to, 4 * (size_t)elements + 1, "filter"));
  for (size_t i = 0; i < 4 * (size_t)elements; i++)
    (*to)[i] = conn[10 * (i / 4) + i % 4];
  return IG_OK;
}

/* On quadratic tetrahedra the equation is linear on their corners: the means of quadratic shape
   functions have both signs, and filtered densities would leave 0 to 1. Other nodes are held. */
static ig_status use_corners(ig_topopt_mesh_model *m, const ig_lid *element, const ig_lid *conn) {
  const ig_topopt_mesh_part *p = &m->part;
  ig_helmholtz *h = &m->helmholtz;
  uint8_t *fix = h->fix.host, *whole = NULL;
  ig_lid *all = NULL, *part = NULL;
  ig_plan plan = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, corners_of(m, m->conn, m->elements, &all));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &whole, m->nodes, "filter"));
  memset(whole, 1, (size_t)m->nodes);
  for (size_t i = 0; i < 4 * (size_t)m->elements; i++)
    whole[all[i]] = 0;
  for (ig_lid n = 0; n < nodes_here(m); n++)
    fix[n] = whole[element ? p->node[n] : n];
  IG_TRY_GOTO(status, done,
              ig_plan_new(m->cx, m->plan.how, IG_SLOTS_COMPACT, m->nodes, m->elements, 4, all,
                          element ? &plan : &h->corners));
  if (element) {
    IG_TRY_GOTO(status, done, corners_of(m, conn, p->held, &part));
    IG_TRY_GOTO(status, done,
                ig_plan_cut(m->cx, &plan, p->nodes, p->held, element, part, &h->corners));
  }
  h->plan = &h->corners;
  h->hex.clusters = NULL; /* those of all ten nodes */
  h->hex.scatter = ig_plan_view(&h->corners);
done:
  ig_plan_free(m->cx, &plan);
  free(whole);
  free(all);
  free(part);
  return status;
}

/* The matrix is constant: its diagonal is inverted once. Element matrices are those of
   conduction with the coefficient r^2, plus the mass matrix. */
ig_status ig_topopt_mesh_helmholtz_new(ig_topopt_mesh_model *m, const ig_lid *element,
                                       const ig_lid *conn) {
  const ig_topopt_mesh_part *p = &m->part;
  ig_helmholtz *h = &m->helmholtz;
  ig_ctx *cx = m->cx;
  const ig_lid nodes = nodes_here(m);
  const size_t n = (size_t)nodes;
  ig_array *const doubles[] = {&h->block, &h->f, &h->u}, *const singles[] = {&h->inverse, &h->z};
  for (int i = 0; i < 3; i++)
    IG_TRY(ig_array_new_device(cx, doubles[i], n, sizeof(double), "filter"));
  for (int i = 0; i < 2; i++)
    IG_TRY(ig_array_new_device(cx, singles[i], n, sizeof(float), "filter"));
  IG_TRY(ig_array_new(cx, &h->fix, n, 1, "filter")); /* nothing is held */
  h->plan = &m->plan;
  h->hex = m->hex;
  if (m->type == IG_TET10)
    IG_TRY(use_corners(m, element, conn));
  IG_TRY(ig_array_push(cx, &h->fix));
  const double length =
      ig_topopt_mesh_radius(m) / (2 * sqrt(3.0)); /* has the cone's second moment */
  h->hex.size = 1;
  h->hex.conduct = length * length;
  h->hex.mass = 1;
  h->own = h->hex;
  if (p->divided) {
    h->own.scatter.elements = p->cells.to - p->cells.from;
    h->own.scatter.conn += (int64_t)h->hex.scatter.npe * p->element_at;
  }
  h->ground = (ig_ground){nodes, 1, h->fix.dev, NULL};
  h->system = (ig_linear){m, nodes, apply, precondition, false, NULL, NULL};
  h->own_values[0] = ig_topopt_mesh_own(m).from;
  h->own_values[1] = ig_topopt_mesh_own(m).from + ig_topopt_mesh_own(m).count;
  h->system.own = h->own_values;
  if (m->system.grid) { /* sums as the body's own, of one value a node */
    h->sums = ig_topopt_mesh_blocks(m);
    h->system.grid = &h->sums;
  }
  IG_TRY(m->ops->diagonal(cx, &h->hex, h->plan, NULL, h->block.dev));
  IG_TRY(m->ops->invert(cx, &h->ground, false, h->block.dev, h->inverse.dev));
  return ig_pcg_init(cx, &h->pcg, nodes);
}

/* Elements to nodes, the equation, means over elements. `in` comes weighed by volume over the
   mean volume, the equation wants integrals. 1e-11: the filter is linear and its own transpose
   only as far as it is solved. */
ig_status ig_topopt_mesh_helmholtz(ig_topopt_mesh_model *m, const double *in, double *out) {
  ig_helmholtz *h = &m->helmholtz;
  ig_solve_report report;
  IG_TRY(ig_topopt_mesh_surround(m, 1, &in));
  IG_TRY(m->ops->to_nodes(m->cx, &h->hex, h->plan, in, h->f.dev));
  IG_TRY(ig_array_zero(m->cx, &h->u)); /* as the filter of a grid: depends on `in` alone */
  IG_TRY(ig_pcg_solve(m->cx, &h->pcg, &h->system, h->f.dev, h->u.dev, 1e-11, 100000, &report));
  if (report.end != IG_SOLVE_CONVERGED && report.residual > 1e-8)
    return IG_FAIL(m->cx, IG_NUMERIC, "the Helmholtz filter %s", ig_solve_end_text(report.end));
  if (m->part.divided)
    IG_TRY(ig_halo_refresh(m->cx, &m->part.states, h->u.dev, sizeof(double), IG_OK));
  IG_TRY(m->ops->to_elements(m->cx, &h->own, h->u.dev, out));
  const ig_topopt_design_ops *ops = ig_topopt_design_ops_of(m->cx);
  return ops->mix(m->cx, h->own.scatter.elements, m->d.volume, out, 0, out, out);
}

void ig_topopt_mesh_helmholtz_free(ig_topopt_mesh_model *m) {
  ig_helmholtz *h = &m->helmholtz;
  ig_array *const arrays[] = {&h->fix, &h->block, &h->inverse, &h->z, &h->f, &h->u};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(m->cx, arrays[i]);
  ig_plan_free(m->cx, &h->corners);
  ig_pcg_free(m->cx, &h->pcg);
}
