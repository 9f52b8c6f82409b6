/* From a case to a grid as a discretisation.

     places: supports, loads, roles   case/boundary_conditions.c, grid_place.c
     products, multigrid              solver/
     overhang, draw; pattern          grid_making.c, grid_pattern.c
     snapshots, arrays of checkpoints grid_output.c
     the part at the end              grid_finish.c, grid_surface.c

   All arrays of a grid have the layout of ig_grid: nodes and elements are addressed by the same
   places, x fastest, with a halo of one place all around (in a plane none along z), so that kernels
   need no tests at the rim. Element (i, j, k) is at the place of its lowest node. Places without an
   element have the role NONE, modulus 0 and density 0. A state of `dof` components has them one
   after the other, `stored` values apart.

   All elements are alike: one element matrix (ig_brick) times the modulus, and no stored matrix.
   build() calls everything in the order in which it depends on each other: materials, roles,
   supports, the solver, loads, pattern, filter, and last the table of functions in m->d. */
#include "topopt/grid/divide.h"
#include "topopt/grid/grid_elements.h"
#include "topopt/grid/grid_making.h"
#include "topopt/grid/grid_output.h"
#include "topopt/grid/grid_pattern.h"
#include "topopt/grid/grid_plate.h"
#include "topopt/case/boundary_conditions.h"
#include "topopt/design/stress.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- filters --- */

/* The cone: w = max(0, radius - distance), one octant of offsets is stored. `padded` and
   symmetry mirror densities at the sides of the grid. */
static ig_status make_filter(ig_topopt_grid_model *m) {
  const ig_topopt_case *c = m->c;
  const ig_grid *g = &m->grid;
  const double radius = ig_topopt_grid_radius(m);
  if (c->filter.kind == IG_FILTER_NONE)
    return IG_OK;
  if (!(radius > fmin(m->h[0], fmin(m->h[1], g->dim == 3 ? m->h[2] : m->h[0]))))
    ig_warn_at(
        m->cx, &c->filter.at,
        "filter: a radius of %g m reaches no neighbour (elements of %g m): nothing is filtered; "
        "1.5 elements or more keep checkerboards away",
        radius, m->h[0]);
  if (c->filter.padded && c->filter.kind == IG_FILTER_HELMHOLTZ)
    return ig_fail_at(m->cx, &c->filter.at,
                      "filter: padded is for kind sensitivity or density: no density flows through "
                      "a side with helmholtz anyway");
  if (c->filter.kind == IG_FILTER_HELMHOLTZ) {
    /* the length that gives the cone filter's second moment */
    ig_brick brick;
    ig_brick_helmholtz(&brick, g->dim, m->h, radius / (2 * sqrt(3.0)));
    uint8_t *fix;
    IG_TRY(IG_NEW(m->cx, &fix, g->stored, "filter supports"));
    ig_multigrid_options options = ig_topopt_grid_filter_options(c);
    options.slab = m->slab;
    ig_status status =
        ig_multigrid_new(m->cx, &m->cells, &brick, fix, NULL, 0, &options, &m->helmholtz);
    free(fix);
    IG_TRY(status);
    const size_t n = (size_t)g->stored;
    double *one;
    IG_TRY(IG_NEW(m->cx, &one, n, "filter moduli"));
    for (size_t i = 0; i < n; i++)
      one[i] = ((const uint8_t *)m->role.host)[i] != IG_ROLE_NONE;
    status = m->cx->backend->copy_in(m->cx, m->helmholtz->modulus.dev, one, n * sizeof *one);
    free(one);
    IG_TRY(status);
    IG_TRY(ig_multigrid_update(m->helmholtz));
    IG_TRY(ig_array_new_device(m->cx, &m->nodal_f, n, sizeof(double), "filter load"));
    IG_TRY(ig_array_new_device(m->cx, &m->nodal_u, n, sizeof(double), "filter state"));
    return ig_array_zero(m->cx, &m->nodal_f);
  }
  int64_t count = 1;
  for (int d = 0; d < 3; d++) {
    m->taps.reach[d] = d < g->dim ? ig_topopt_grid_reach(m, d) : 0;
    count *= m->taps.reach[d] + 1;
  }
  IG_TRY(ig_array_new(m->cx, &m->weight, (size_t)count, sizeof(double), "filter weights"));
  double *w = m->weight.host;
  for (int z = 0; z <= m->taps.reach[2]; z++)
    for (int y = 0; y <= m->taps.reach[1]; y++)
      for (int x = 0; x <= m->taps.reach[0]; x++) {
        const double dx = x * m->h[0], dy = y * m->h[1], dz = g->dim == 3 ? z * m->h[2] : 0;
        const double left = radius - sqrt(dx * dx + dy * dy + dz * dz);
        *w++ = left > 0 ? left : 0;
      }
  m->taps.weight = m->weight.dev;
  ig_topopt_grid_mirrors(m, m->taps.mirror);
  for (int d = 0; d < g->dim && c->filter.padded; d++)
    m->taps.mirror[d] = 3;
  return ig_array_push(m->cx, &m->weight);
}

/* Balls of the bound on members: whole weight inside, elements at the rim in part. The weight
   falls from 1 to 0 over one element at the rim of the ball, so that the share changes smoothly
   with the diameter. d.ball adds up all octants. */
static ig_status make_ball(ig_topopt_grid_model *m, double radius) {
  const ig_grid *g = &m->grid;
  ig_taps *t = &m->ball_taps;
  const double h = fmin(m->h[0], fmin(m->h[1], g->dim == 3 ? m->h[2] : m->h[0]));
  int64_t count = 1;
  for (int d = 0; d < 3; d++) {
    t->reach[d] = d < g->dim ? ig_topopt_grid_ball_reach(m, d) : 0;
    count *= t->reach[d] + 1;
  }
  IG_TRY(ig_array_new(m->cx, &m->ball, (size_t)count, sizeof(double), "balls"));
  double *w = m->ball.host;
  for (int z = 0; z <= t->reach[2]; z++)
    for (int y = 0; y <= t->reach[1]; y++)
      for (int x = 0; x <= t->reach[0]; x++, w++) {
        const double dx = x * m->h[0], dy = y * m->h[1], dz = g->dim == 3 ? z * m->h[2] : 0;
        *w = fmin(1, fmax(0, (radius - sqrt(dx * dx + dy * dy + dz * dz)) / h + 0.5));
        m->d.ball += *w * (x ? 2 : 1) * (y ? 2 : 1) * (z ? 2 : 1);
      }
  t->weight = m->ball.dev;
  ig_topopt_grid_mirrors(m, t->mirror);
  return ig_array_push(m->cx, &m->ball);
}

/* Sums over balls: the same kernel as the cone filter, with other weights. */
static ig_status grid_around(void *self, const double *in, double *out) {
  ig_topopt_grid_model *m = self;
  IG_TRY(ig_slab_refresh(&m->grid, 1, sizeof *in, m->ball_taps.reach[2], (double *)in));
  IG_SLAB_TRY(m->slab, ig_topopt_design_ops_of(m->cx)->filter(m->cx, &m->grid, &m->ball_taps,
                                                              m->role.dev, in, out));
  return IG_OK;
}

/* Ghost planes are refreshed before the filter, as far as it reaches. */
static ig_status grid_filter(void *self, const double *in, double *out) {
  ig_topopt_grid_model *m = self;
  const ig_topopt_design_ops *ops = ig_topopt_design_ops_of(m->cx);
  if (!m->helmholtz) {
    IG_TRY(ig_slab_refresh(&m->grid, 1, sizeof *in, m->taps.reach[2], (double *)in));
    IG_SLAB_TRY(m->slab, ops->filter(m->cx, &m->grid, &m->taps, m->role.dev, in, out));
    return IG_OK;
  }
  /* shares of the elements to their nodes, the equation, the mean of the nodes */
  ig_solve_report report;
  IG_TRY(ig_slab_refresh(&m->grid, 1, sizeof *in, 1, (double *)in));
  IG_SLAB_TRY(m->slab,
              ops->to_nodes(m->cx, &m->grid, m->helmholtz->brick.load, in, m->nodal_f.dev));
  /* From zero: a filtered field depends on its input alone, and a run goes on from a checkpoint to
     the same bits. */
  IG_TRY(ig_array_zero(m->cx, &m->nodal_u));
  IG_TRY(ig_multigrid_solve(m->helmholtz, m->nodal_f.dev, m->nodal_u.dev, 1e-10, &report));
  if (report.end != IG_SOLVE_CONVERGED && report.residual > 1e-8)
    return IG_FAIL(m->cx, IG_NUMERIC, "the Helmholtz filter %s", ig_solve_end_text(report.end));
  return ops->to_elements(m->cx, &m->grid, m->role.dev, m->nodal_u.dev, out);
}

/* --- the discretisation --- */

static ig_status grid_changed(void *self) {
  return ig_multigrid_update(((ig_topopt_grid_model *)self)->solver);
}
static ig_status grid_solve(void *self, const double *f, double *u, double tolerance,
                            ig_solve_report *report) {
  return ig_multigrid_solve(((ig_topopt_grid_model *)self)->solver, f, u, tolerance, report);
}
static const double *grid_residual(void *self) {
  return ((ig_topopt_grid_model *)self)->solver->pcg.r.dev;
}
/* Per element u_e . k0 v_e, by the solver's own kernel. */
static ig_status grid_energy(void *self, const double *u, const double *v, double scale, bool add,
                             double *out) {
  ig_multigrid *s = ((ig_topopt_grid_model *)self)->solver;
  return s->ops->energy(s->cx, &s->args, u, v, scale, add, out);
}

/* K u for the moduli in place: multigrid's own product on its finest level. */
static ig_status grid_apply(void *self, const double *u, double *y) {
  const ig_linear a = ig_multigrid_linear(((ig_topopt_grid_model *)self)->solver);
  return a.apply(a.self, u, y, NULL);
}
/* Ghosts hold no data of their own: for the caller the values have not changed. */
static ig_status ghosts_take(const ig_topopt_grid_model *m, int components, const double *values) {
  return ig_slab_refresh(&m->grid, components, sizeof *values, 1, (double *)values);
}
/* An element gives each of its corners an eighth (a quarter in a plane). */
static ig_status grid_to_nodes(void *self, const double *in, double *out) {
  const ig_topopt_grid_model *m = self;
  IG_TRY(ghosts_take(m, 1, in));
  IG_SLAB_TRY(m->slab, ig_topopt_design_ops_of(m->cx)->to_nodes(
                           m->cx, &m->grid, m->grid.dim == 3 ? 0.125 : 0.25, in, out));
  return IG_OK;
}
static ig_status grid_to_elements(void *self, const double *in, double *out) {
  const ig_topopt_grid_model *m = self;
  IG_TRY(ghosts_take(m, 1, in));
  IG_SLAB_TRY(m->slab,
              ig_topopt_design_ops_of(m->cx)->to_elements(m->cx, &m->grid, m->role.dev, in, out));
  return IG_OK;
}

static ig_status grid_strain(void *self, const double *u, double *tensor) {
  const ig_topopt_grid_model *m = self;
  return ig_topopt_stress_ops_of(m->cx)->strain(m->cx, &m->grid, m->h, u, tensor);
}
/* The transpose of grid_strain: the right side of stress adjoints, 0 at held components. */
static ig_status grid_strain_back(void *self, const double *tensor, double *f) {
  const ig_topopt_grid_model *m = self;
  IG_TRY(ghosts_take(m, 6, tensor));
  IG_SLAB_TRY(m->slab, ig_topopt_stress_ops_of(m->cx)->strain_back(m->cx, &m->grid, m->h,
                                                                   m->solver->fix.dev, tensor, f));
  return IG_OK;
}

static ig_status grid_gradient(void *self, const double *u, double *to) {
  const ig_topopt_grid_model *m = self;
  return ig_topopt_stress_ops_of(m->cx)->gradient(m->cx, &m->grid, m->h, u, to);
}
static ig_status grid_gradient_back(void *self, const double *from, double *f) {
  const ig_topopt_grid_model *m = self;
  IG_TRY(ghosts_take(m, 9, from));
  IG_SLAB_TRY(m->slab, ig_topopt_stress_ops_of(m->cx)->gradient_back(m->cx, &m->grid, m->h,
                                                                     m->solver->fix.dev, from, f));
  return IG_OK;
}

/* Where elements are: the mean of their corners, in the order of a snapshot's. Only for
   densities of a file. The order of the sum is that of ig_snapshot_centre, so that a design
   written by the same grid is found back exactly. */
static ig_status make_centers(ig_topopt_grid_model *m) {
  const ig_grid *g = &m->grid;
  static const int order[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* VTK goes round, bits do not */
  const int corners = 1 << g->dim;
  IG_TRY(IG_NEW(m->cx, &m->centers, 3 * (size_t)g->stored, "centres"));
  for (int k = 0; k < ig_grid_layers(g); k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        double *x = m->centers + 3 * ig_grid_place(g, i, j, k);
        for (int a = 0; a < corners; a++) {
          const int q = order[a];
          x[0] += (i + (q & 1)) * m->h[0] / corners;
          x[1] += (j + (q >> 1 & 1)) * m->h[1] / corners;
          x[2] += g->dim == 3 ? (g->from + k + (q >> 2)) * m->h[2] / corners : 0;
        }
      }
  m->d.centers = m->centers;
  return IG_OK;
}

/* Lines of `ingot check` about the grid and its solver. */
static void grid_describe(void *self, ig_check_line *line, void *user) {
  const ig_topopt_grid_model *m = self;
  const ig_grid *g = &m->whole;
  char text[128];
  snprintf(text, sizeof text, g->dim == 3 ? "%d x %d x %d elements" : "%d x %d elements", g->n[0],
           g->n[1], g->n[2]);
  line(user, "grid", text);
  snprintf(text, sizeof text, "%d levels, coarsest %d unknowns", m->solver->levels,
           m->solver->coarse_n);
  line(user, "multigrid", m->solver->levels > 1 ? text : "none (Jacobi)");
}

static void grid_free(void *self) {
  ig_topopt_grid_model_free(self);
}

/* What a constraint looks at, found from the case by its place or set. */
static ig_status grid_measure(void *self, const ig_limit_case *limit, ig_array *to, double *norm) {
  ig_topopt_grid_model *m = self;
  const ig_topopt_points points = ig_topopt_grid_points(m);
  return ig_topopt_points_limit(&points, m->solver->fix.host, limit, to, norm);
}

/* Ghosts lose their role only after the places of the case have been applied: filters and
   patterns must not count elements twice. */
static ig_status build(ig_topopt_grid_model *m, const ig_list *materials) {
  ig_ctx *cx = m->cx;
  const ig_topopt_case *c = m->c;
  const ig_grid_case *gc = &c->grid;
  for (int i = 0; i < c->sets.count; i++)
    IG_TRY(ig_place_check(cx, &IG_ITEM(ig_set_case, c->sets, i)->place));
  IG_TRY(ig_topopt_grid_make(m));
  const int dim = m->grid.dim;
  const bool heat = c->problem == IG_PROBLEM_HEAT;
  const ig_topopt_points points = ig_topopt_grid_points(m);
  double solid, poisson, density;
  if (c->choose_material) {
    IG_TRY(
        ig_topopt_points_candidates(&points, materials, &solid, &poisson, &density, &m->loading));
  } else {
    IG_TRY(ig_topopt_points_materials(&points, materials, &solid, &poisson, &m->scale, NULL));
    IG_TRY(ig_topopt_points_densities(&points, materials, &density, &m->loading.heavy));
  }
  IG_TRY(ig_topopt_points_expansion(&points, materials, &m->loading.expansion));
  const double thickness = ig_topopt_thickness(c);
  if (dim == 3 && !isnan(gc->thickness))
    ig_warn_at(cx, &gc->at, "grid: thickness is for plane problems: this one has elements along z");
  m->loading.stiffness = solid * (dim == 2 ? thickness : 1);
  m->loading.element_mass =
      isnan(density) ? 0 : density * m->h[0] * m->h[1] * (dim == 2 ? thickness : m->h[2]);
  ig_brick brick;
  if (heat)
    ig_brick_conduction(&brick, dim, m->h);
  else
    ig_brick_elastic(&brick, dim, m->h, poisson);
  ig_multigrid_options options = ig_topopt_grid_options(c);
  options.slab = m->slab;
  uint8_t *fix = NULL;
  ig_spring *spring = NULL;
  int springs = 0;
  ig_status status;
  IG_TRY(IG_NEW(cx, &fix, m->grid.stored, "supports"));
  IG_TRY_GOTO(status, done, ig_array_new(cx, &m->role, (size_t)m->grid.stored, 1, "roles"));
  IG_TRY_GOTO(status, done,
              ig_topopt_points_roles(&points, m->role.host, &m->d.solid, &m->d.designed));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->role));
  IG_TRY_GOTO(status, done, ig_topopt_points_supports(&points, fix));
  IG_TRY_GOTO(status, done,
              ig_topopt_points_springs(&points, m->loading.stiffness, &spring, &springs));
  IG_TRY_GOTO(status, done, ig_topopt_points_sprung(&points, spring, springs, &m->loading));
  if (m->slab)
    IG_TRY_GOTO(status, done, ig_ranks_agree(cx, IG_OK)); /* they take turns to find that out */
  m->d.loose = ig_topopt_points_loose(&points, fix, spring, springs);
  IG_TRY_GOTO(status, done,
              ig_multigrid_new(cx, &m->grid, &brick, fix, spring, springs, &options, &m->solver));
  IG_TRY_GOTO(status, done, ig_topopt_points_loads(&points, fix, m->role.host, &m->loading));
  IG_TRY_GOTO(status, done, ig_topopt_grid_pattern_new(m));
  IG_TRY_GOTO(status, done, make_filter(m));
  const double member = ig_topopt_member(c);
  if (member > 0)
    IG_TRY_GOTO(status, done, make_ball(m, 0.5 * member));
  IG_TRY_GOTO(status, done, ig_topopt_grid_plate_new(m, &brick));
  if (m->slab) { /* ghosts take no part in designs */
    memset(m->role.host, IG_ROLE_NONE, (size_t)points.begin);
    memset((uint8_t *)m->role.host + points.end, IG_ROLE_NONE,
           (size_t)(m->grid.stored - points.end));
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->role));
  }
  IG_TRY_GOTO(status, done, ig_topopt_grid_making_new(m));
  if (c->initial_design.at.given)
    IG_TRY_GOTO(status, done, make_centers(m));
  m->d.self = m;
  m->d.loading = &m->loading;
  m->d.places = m->grid.stored;
  m->d.grid = &m->grid;
  m->d.all_places = m->whole.stored;
  m->d.all_unknowns = m->whole.stored * m->whole.dof;
  m->d.elements = ig_grid_elements(&m->whole);
  m->d.nodes = ig_grid_nodes(&m->whole);
  m->d.dofs = ig_grid_nodes(&m->whole) * m->grid.dof;
  m->d.volume = m->h[0] * m->h[1] * m->h[2];
  m->d.solid_volume = (double)m->d.solid / (double)m->d.elements;
  m->d.void_volume = 1 - (double)(m->d.solid + m->d.designed) / (double)m->d.elements;
  m->d.role = m->role.dev;
  m->d.scale = m->scale.dev;
  m->d.modulus = m->solver->modulus.dev;
  m->d.unknowns = m->grid.stored * m->grid.dof;
  m->d.changed = grid_changed;
  m->d.solve = grid_solve;
  m->d.residual = grid_residual;
  /* whether the smoother's bound has to be taken in full; a restart has to know */
  m->d.learnt = &m->solver->cautious;
  m->d.ends = &m->solver->pcg.ends;
  m->d.energy = grid_energy;
  m->d.apply = grid_apply;
  m->d.layout = (ig_node_layout){m->grid.stored, 1, m->grid.stored, m->grid.dof};
  m->d.fix = m->solver->fix.dev;
  m->d.to_nodes = grid_to_nodes;
  m->d.to_elements = grid_to_elements;
  m->d.lump = grid_to_nodes;
  m->d.lump_back = grid_to_elements;
  m->d.strain = heat ? NULL : grid_strain;
  m->d.strain_back = grid_strain_back;
  m->d.gradient = grid_gradient;
  m->d.gradient_back = grid_gradient_back;
  m->d.thickness = dim == 2 ? thickness : 1;
  m->d.hooke = (ig_topopt_hooke){dim,
                                 m->c->plane == IG_PLANE_STRAIN,
                                 dim == 2 ? poisson / (1 - poisson * poisson)
                                          : poisson / ((1 + poisson) * (1 - 2 * poisson)),
                                 0.5 / (1 + poisson),
                                 NULL,
                                 0};
  m->d.filter = grid_filter;
  m->d.around = grid_around;
  m->d.print = ig_topopt_grid_print;
  m->d.print_back = ig_topopt_grid_print_back;
  m->d.measure = grid_measure;
  m->d.corners = 1 << dim;
  m->d.snapshot = ig_topopt_grid_snapshot;
  m->d.pack = ig_topopt_grid_pack;
  m->d.stream = ig_topopt_grid_stream;
  m->d.show = ig_topopt_grid_show;
  m->d.outline = ig_topopt_grid_outline;
  m->d.regular = m->whole.dim == 3;
  m->d.surface = dim == 3 ? ig_topopt_grid_surface : NULL;
  m->d.inside = ig_topopt_grid_inside;
  m->d.touched = ig_topopt_grid_touched;
  m->d.faces = ig_topopt_grid_faces;
  m->d.describe = grid_describe;
  m->d.body = heat ? NULL : ig_topopt_grid_elements;
  m->d.free = grid_free;
done:
  free(fix);
  free(spring);
  return status;
}

/* The case and the materials must outlive the model. Collective where the grid is divided. */
ig_status ig_topopt_grid_model_new(ig_ctx *cx, const ig_topopt_case *c, const ig_list *materials,
                                   ig_topopt_grid_model **out) {
  *out = NULL;
  ig_topopt_grid_model *m;
  IG_TRY(IG_NEW(cx, &m, 1, "grid model"));
  m->cx = cx;
  m->c = c;
  const ig_status status = build(m, materials);
  if (status != IG_OK) {
    ig_topopt_grid_model_free(m);
    return status;
  }
  *out = m;
  return IG_OK;
}

/* Takes NULL and models that were made in part. */
void ig_topopt_grid_model_free(ig_topopt_grid_model *m) {
  if (!m)
    return;
  ig_multigrid_free(m->solver);
  ig_multigrid_free(m->helmholtz);
  ig_array_free(m->cx, &m->role);
  ig_array_free(m->cx, &m->weight);
  ig_array_free(m->cx, &m->ball);
  ig_array_free(m->cx, &m->scale);
  ig_array_free(m->cx, &m->nodal_f);
  ig_array_free(m->cx, &m->nodal_u);
  ig_topopt_loading_free(m->cx, &m->loading);
  ig_topopt_grid_making_free(m);
  ig_topopt_grid_pattern_free(m);
  ig_topopt_grid_plate_free(m);
  ig_slab_free(m->slab);
  free(m->centers);
  free(m->inside);
  free(m);
}
