/* From a case to a grid with supports, loads and roles: the grid as a discretisation. */
#include "topopt/topopt.h"
#include "backend/backend.h"
#include "material/material.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- regions --- */

bool ig_region_holds(const ig_region_case *r, const double *x, int dim, double slack) {
  for (int d = 0; d < dim; d++) {
    if (!isnan(r->from[d]) && x[d] < r->from[d] - slack)
      return false;
    if (!isnan(r->to[d]) && x[d] > r->to[d] + slack)
      return false;
  }
  if (isnan(r->radius))
    return true;
  double s = 0;
  for (int d = 0; d < dim; d++)
    if (r->axis != d + 1) {
      const double c = isnan(r->center[d]) ? 0 : r->center[d];
      s += (x[d] - c) * (x[d] - c);
    }
  return s < r->radius * r->radius;
}

/* Calls `visit` for every node, element or boundary face whose point is in the region. */
typedef void visit_fn(void *user, int64_t place, const int *index);

static double slack_of(const ig_grid_model *m) {
  double h = m->h[0];
  for (int d = 1; d < m->grid.dim; d++)
    h = m->h[d] < h ? m->h[d] : h;
  return 1e-6 * h;
}

static const ig_region_case *set_named(const ig_grid_model *m, const char *name) {
  for (int i = 0; i < m->c->sets.count; i++) {
    const ig_set_case *set = IG_ITEM(ig_set_case, m->c->sets, i);
    if (set->name && strcmp(set->name, name) == 0)
      return &set->where;
  }
  return NULL;
}
static bool holds(const ig_grid_model *m, const ig_region_case *r, const double *x) {
  const double slack = slack_of(m);
  return ig_region_holds(r, x, m->grid.dim, slack) &&
         (!r->set || ig_region_holds(set_named(m, r->set), x, m->grid.dim, slack));
}

static int64_t for_points(const ig_grid_model *m, const ig_region_case *r, bool elements,
                          visit_fn *visit, void *user) {
  const ig_grid *g = &m->grid;
  const int more = elements ? 0 : 1;
  int64_t count = 0;
  int i[3];
  const int nz = g->dim == 3 ? g->n[2] + more : 1;
  for (i[2] = 0; i[2] < nz; i[2]++)
    for (i[1] = 0; i[1] < g->n[1] + more; i[1]++)
      for (i[0] = 0; i[0] < g->n[0] + more; i[0]++) {
        double x[3];
        for (int d = 0; d < 3; d++)
          x[d] = (i[d] + (elements ? 0.5 : 0)) * m->h[d];
        if (!holds(m, r, x))
          continue;
        count++;
        if (visit)
          visit(user, ig_grid_place(g, i[0], i[1], i[2]), i);
      }
  return count;
}

/* Boundary faces whose centre is in the region: axis, side and lowest node of each. */
typedef void face_fn(void *user, int axis, const int *lowest);
static int64_t for_faces(const ig_grid_model *m, const ig_region_case *r, face_fn *visit,
                         void *user) {
  const ig_grid *g = &m->grid;
  int64_t count = 0;
  for (int axis = 0; axis < g->dim; axis++)
    for (int side = 0; side < 2; side++) {
      int n[3], i[3];
      for (int d = 0; d < 3; d++)
        n[d] = d == axis || d >= g->dim ? 1 : g->n[d];
      for (i[2] = 0; i[2] < n[2]; i[2]++)
        for (i[1] = 0; i[1] < n[1]; i[1]++)
          for (i[0] = 0; i[0] < n[0]; i[0]++) {
            int low[3] = {i[0], i[1], i[2]};
            low[axis] = side ? g->n[axis] : 0;
            double x[3];
            for (int d = 0; d < 3; d++)
              x[d] = (low[d] + (d == axis ? 0 : 0.5)) * m->h[d];
            if (!holds(m, r, x))
              continue;
            count++;
            if (visit)
              visit(user, axis, low);
          }
    }
  return count;
}

/* --- supports, loads, springs, ports, roles --- */

typedef struct {
  const ig_grid_model *m;
  uint8_t *fix, *role;
  uint8_t bits;
  double *f, share[3];
  ig_spring *spring;
  int64_t springs;
} filling;

static void fix_node(void *user, int64_t place, const int *index) {
  (void)index;
  filling *w = user;
  w->fix[place] |= w->bits;
}
static void load_node(void *user, int64_t place, const int *index) {
  (void)index;
  filling *w = user;
  for (int c = 0; c < w->m->grid.dof; c++)
    w->f[c * w->m->grid.stored + place] += w->share[c];
}
static void load_face(void *user, int axis, const int *low) {
  filling *w = user;
  const ig_grid *g = &w->m->grid;
  const int corners = 1 << (g->dim - 1);
  for (int q = 0; q < 1 << g->dim; q++)
    if (!(q >> axis & 1)) {
      const int64_t place =
          ig_grid_place(g, low[0] + (q & 1), low[1] + (q >> 1 & 1), low[2] + (q >> 2));
      for (int c = 0; c < g->dof; c++)
        w->f[c * g->stored + place] += w->share[c] / corners;
    }
}
static void set_role(void *user, int64_t place, const int *index) {
  (void)index;
  filling *w = user;
  w->role[place] = w->bits;
}
static void add_springs(void *user, int64_t place, const int *index) {
  (void)index;
  filling *w = user;
  for (int c = 0; c < w->m->grid.dof; c++)
    if (w->share[c] > 0) {
      if (w->spring)
        w->spring[w->springs] = (ig_spring){place, c, w->share[c]};
      w->springs++;
    }
}

static int spring_order(const void *a, const void *b) {
  const ig_spring *p = a, *q = b;
  return p->node != q->node ? (p->node < q->node ? -1 : 1) : p->component - q->component;
}

bool ig_plane_read(const char *text, int dim, int *axis, int *side) {
  if (!text || strlen(text) != 2 || text[0] < 'x' || text[0] >= 'x' + dim ||
      (text[1] != '-' && text[1] != '+'))
    return false;
  *axis = text[0] - 'x';
  *side = text[1] == '+';
  return true;
}

static ig_status make_supports(ig_grid_model *m, uint8_t *fix) {
  const ig_topopt_case *c = m->c;
  filling w = {.m = m, .fix = fix};
  const uint8_t all = (uint8_t)((1 << m->grid.dof) - 1);
  for (int s = 0; s < c->supports.count; s++) {
    const ig_support_case *support = IG_ITEM(ig_support_case, c->supports, s);
    w.bits = 0;
    for (const char *t = support->fix; t && *t; t++) {
      if (*t < 'x' || *t > 'z')
        return ig_fail_at(m->cx, &support->at, "fix: '%s' holds no axis: expected letters of xyz",
                          support->fix);
      w.bits |= (uint8_t)(1 << (*t - 'x'));
    }
    if (m->grid.dof == 1 && w.bits)
      w.bits = 1;
    w.bits &= all;
    if (for_points(m, &support->where, false, fix_node, &w) == 0)
      return ig_fail_at(m->cx, &support->at, "supports: no node lies in this region of the grid");
  }
  for (int s = 0; s < c->symmetry.count; s++) {
    int axis, side;
    if (!ig_plane_read(c->symmetry.value[s], m->grid.dim, &axis, &side))
      return ig_fail_at(m->cx, &c->at, "symmetry: '%s' is no plane: expected x-, x+, y-, y+%s",
                        c->symmetry.value[s], m->grid.dim == 3 ? ", z- or z+" : "");
    if (m->grid.dof == 1)
      continue; /* no heat crosses a free side as it is */
    ig_region_case plane = {.from = {NAN, NAN, NAN}, .to = {NAN, NAN, NAN}, .radius = NAN};
    plane.from[axis] = plane.to[axis] = side ? m->grid.n[axis] * m->h[axis] : 0;
    w.bits = (uint8_t)(1 << axis);
    for_points(m, &plane, false, fix_node, &w);
  }
  return IG_OK;
}

static ig_status make_springs(ig_grid_model *m, ig_spring **spring, int *springs) {
  filling w = {.m = m};
  *spring = NULL;
  *springs = 0;
  for (int pass = 0; pass < 2; pass++) {
    w.springs = 0;
    for (int s = 0; s < m->c->springs.count; s++) {
      const ig_spring_case *k = IG_ITEM(ig_spring_case, m->c->springs, s);
      const int64_t nodes = for_points(m, &k->where, false, NULL, NULL);
      if (nodes == 0)
        return ig_fail_at(m->cx, &k->at, "springs: no node lies in this region of the grid");
      for (int c = 0; c < 3; c++)
        w.share[c] = k->stiffness[c] / (double)nodes / m->loading.stiffness;
      for_points(m, &k->where, false, add_springs, &w);
    }
    if (w.springs == 0)
      return IG_OK;
    if (pass == 0)
      IG_TRY(IG_NEW(m->cx, &w.spring, w.springs, "springs"));
  }
  qsort(w.spring, (size_t)w.springs, sizeof *w.spring, spring_order);
  int kept = 0; /* springs on one component add up */
  for (int64_t s = 1; s < w.springs; s++)
    if (spring_order(&w.spring[kept], &w.spring[s]) == 0)
      w.spring[kept].stiffness += w.spring[s].stiffness;
    else
      w.spring[++kept] = w.spring[s];
  *spring = w.spring;
  *springs = kept + 1;
  return IG_OK;
}

/* Takes the held components out of a load, makes it unit and sends it to the device. */
static ig_status put_load(ig_grid_model *m, double *f, const uint8_t *fix, const char *what,
                          ig_array *to, double *norm) {
  const ig_grid *g = &m->grid;
  double s = 0;
  for (int c = 0; c < g->dof; c++)
    for (int64_t i = 0; i < g->stored; i++) {
      double *v = &f[c * g->stored + i];
      if (fix[i] >> c & 1)
        *v = 0;
      s += *v * *v;
    }
  *norm = sqrt(s);
  if (!(*norm > 0))
    return ig_fail_at(m->cx, &m->c->at, "%s: nothing acts on a node that is free to move", what);
  for (int64_t i = 0; i < g->stored * g->dof; i++)
    f[i] /= *norm;
  return ig_array_from(m->cx, to, f, (size_t)(g->stored * g->dof), sizeof *f, what);
}

static ig_status make_loads(ig_grid_model *m, const uint8_t *fix) {
  const ig_topopt_case *c = m->c;
  const ig_grid *g = &m->grid;
  const bool heat = c->problem == IG_PROBLEM_HEAT;
  ig_loading *to = &m->loading;
  double *f;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(m->cx, &f, g->stored * g->dof, "loads"));
  to->cases = 1;
  for (int l = 0; l < c->loads.count; l++) {
    const int64_t of = IG_ITEM(ig_load_case, c->loads, l)->load_case;
    to->cases = of > to->cases ? (int)of : to->cases;
  }
  for (int q = 0; q < to->cases; q++) {
    memset(f, 0, (size_t)(g->stored * g->dof) * sizeof *f);
    filling w = {.m = m, .f = f};
    for (int l = 0; l < c->loads.count; l++) {
      const ig_load_case *load = IG_ITEM(ig_load_case, c->loads, l);
      if (load->load_case != q + 1)
        continue;
      const bool faces = load->spread == IG_SPREAD_FACES;
      const int64_t count = faces ? for_faces(m, &load->where, NULL, NULL)
                                  : for_points(m, &load->where, false, NULL, NULL);
      if (count == 0) {
        status = ig_fail_at(m->cx, &load->at, "loads: no %s lies in this region of the grid",
                            faces ? "boundary face" : "node");
        goto done;
      }
      for (int d = 0; d < 3; d++)
        w.share[d] = (heat ? (d ? 0 : load->heat) : load->force[d]) /
                     (load->spread == IG_SPREAD_EACH ? 1.0 : (double)count);
      if (faces)
        for_faces(m, &load->where, load_face, &w);
      else
        for_points(m, &load->where, false, load_node, &w);
    }
    if (heat && c->source != 0) {
      const double share =
          c->source * m->solver->brick.load * (g->dim == 2 ? c->grid.thickness : 1);
      for (int k = 0; k < (g->dim == 3 ? g->n[2] : 1); k++)
        for (int j = 0; j < g->n[1]; j++)
          for (int i = 0; i < g->n[0]; i++)
            for (int a = 0; a < 1 << g->dim; a++)
              f[ig_grid_place(g, i + (a & 1), j + (a >> 1 & 1), k + (a >> 2))] += share;
    }
    to->weight[q] = q < c->weights.count ? c->weights.value[q] : 1;
    IG_TRY_GOTO(status, done, put_load(m, f, fix, "loads", &to->f[q], &to->norm[q]));
  }
  if (c->problem == IG_PROBLEM_MECHANISM) {
    memset(f, 0, (size_t)(g->stored * g->dof) * sizeof *f);
    filling w = {.m = m, .f = f};
    for (int p = 0; p < c->ports.count; p++) {
      const ig_port_case *port = IG_ITEM(ig_port_case, c->ports, p);
      const int64_t count = for_points(m, &port->where, false, NULL, NULL);
      if (count == 0) {
        status = ig_fail_at(m->cx, &port->at, "ports: no node lies in this region of the grid");
        goto done;
      }
      for (int d = 0; d < 3; d++)
        w.share[d] = port->direction[d] / (double)count;
      for_points(m, &port->where, false, load_node, &w);
    }
    IG_TRY_GOTO(status, done, put_load(m, f, fix, "ports", &to->port, &to->norm_port));
  }
done:
  free(f);
  return status;
}

static ig_status make_roles(ig_grid_model *m) {
  const ig_topopt_case *c = m->c;
  IG_TRY(ig_array_new(m->cx, &m->role, (size_t)m->grid.stored, 1, "roles"));
  filling w = {.m = m, .role = m->role.host, .bits = IG_ROLE_DESIGN};
  const ig_region_case everywhere = {.from = {NAN, NAN, NAN}, .to = {NAN, NAN, NAN}, .radius = NAN};
  for_points(m, &everywhere, true, set_role, &w);
  for (int p = 0; p < c->passive.count; p++) {
    const ig_passive_case *passive = IG_ITEM(ig_passive_case, c->passive, p);
    w.bits = passive->as == 0 ? IG_ROLE_SOLID : IG_ROLE_VOID;
    if (for_points(m, &passive->where, true, set_role, &w) == 0)
      return ig_fail_at(m->cx, &passive->at,
                        "passive: the centre of no element lies in this region of the grid");
  }
  for (int64_t i = 0; i < m->grid.stored; i++) {
    m->d.solid += w.role[i] == IG_ROLE_SOLID;
    m->d.designed += w.role[i] == IG_ROLE_DESIGN;
  }
  if (m->d.designed == 0)
    return ig_fail_at(m->cx, &c->at, "passive: no element is left to design");
  return ig_array_push(m->cx, &m->role);
}

static void mark_element(void *user, int64_t place, const int *index) {
  (void)index;
  filling *w = user;
  w->f[place] = 1;
}

/* What a constraint measures: elements of a region, or the mean displacement of its nodes. */
static ig_status grid_measure(void *self, const ig_limit_case *limit, ig_array *to, double *norm) {
  ig_grid_model *m = self;
  const ig_grid *g = &m->grid;
  const bool volume = !isnan(limit->volume);
  if (!volume && m->c->problem == IG_PROBLEM_HEAT)
    return ig_fail_at(m->cx, &limit->at, "constraints: nothing is displaced in a heat problem");
  const int64_t count = for_points(m, &limit->where, volume, NULL, NULL);
  if (count == 0)
    return ig_fail_at(m->cx, &limit->at, "constraints: no %s lies in this region of the grid",
                      volume ? "element's centre" : "node");
  filling w = {.m = m};
  const size_t n = (size_t)(g->stored * (volume ? 1 : g->dof));
  IG_TRY(IG_NEW(m->cx, &w.f, n, "constraint"));
  ig_status status;
  if (volume) {
    for_points(m, &limit->where, true, mark_element, &w);
    *norm = (double)count;
    status = ig_array_from(m->cx, to, w.f, n, sizeof *w.f, "constraint");
  } else {
    for (int d = 0; d < 3; d++)
      w.share[d] = isnan(limit->direction[d]) ? 0 : limit->direction[d] / (double)count;
    for_points(m, &limit->where, false, load_node, &w);
    status = put_load(m, w.f, m->solver->fix.host, "constraints", to, norm);
  }
  free(w.f);
  return status;
}

/* --- filters --- */

static ig_status make_filter(ig_grid_model *m, const ig_multigrid_options *options) {
  const ig_topopt_case *c = m->c;
  const ig_grid *g = &m->grid;
  const double radius = isnan(c->filter.radius) ? 1.5 * m->h[0] : c->filter.radius;
  if (c->filter.kind == IG_FILTER_NONE)
    return IG_OK;
  if (c->filter.kind == IG_FILTER_HELMHOLTZ) {
    /* the length that gives the cone filter's second moment */
    ig_brick brick;
    ig_brick_helmholtz(&brick, g->dim, m->h, radius / (2 * sqrt(3.0)));
    uint8_t *fix;
    IG_TRY(IG_NEW(m->cx, &fix, g->stored, "filter supports"));
    ig_multigrid_options mine = *options;
    mine.precondition = IG_PRECONDITION_MULTIGRID;
    ig_status status =
        ig_multigrid_new(m->cx, &m->cells, &brick, fix, NULL, 0, &mine, &m->helmholtz);
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
    IG_TRY(ig_array_zero(m->cx, &m->nodal_f));
    return ig_array_zero(m->cx, &m->nodal_u);
  }
  int64_t count = 1;
  for (int d = 0; d < 3; d++) {
    m->taps.reach[d] = d < g->dim ? (int)ceil(radius / m->h[d]) - 1 : 0;
    if (m->taps.reach[d] > g->n[d] && d < g->dim)
      m->taps.reach[d] = g->n[d];
    if (m->taps.reach[d] < 0)
      m->taps.reach[d] = 0;
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
  return ig_array_push(m->cx, &m->weight);
}

static ig_status grid_filter(void *self, const double *in, double *out) {
  ig_grid_model *m = self;
  const ig_design_ops *ops = ig_design_ops_of(m->cx);
  if (!m->helmholtz)
    return ops->filter(m->cx, &m->grid, &m->taps, m->role.dev, in, out);
  /* shares of the elements to their nodes, the equation, the mean of the nodes */
  ig_solve_report report;
  IG_TRY(ops->to_nodes(m->cx, &m->grid, m->helmholtz->brick.load, in, m->nodal_f.dev));
  IG_TRY(ig_multigrid_solve(m->helmholtz, m->nodal_f.dev, m->nodal_u.dev, 1e-10, &report));
  if (report.end != IG_SOLVE_CONVERGED && report.residual > 1e-8)
    return IG_FAIL(m->cx, IG_NUMERIC, "the Helmholtz filter %s", ig_solve_end_text(report.end));
  return ops->to_elements(m->cx, &m->grid, m->role.dev, m->nodal_u.dev, out);
}

/* --- the discretisation --- */

static ig_status grid_changed(void *self) {
  return ig_multigrid_update(((ig_grid_model *)self)->solver);
}
static ig_status grid_solve(void *self, const double *f, double *u, double tolerance,
                            ig_solve_report *report) {
  return ig_multigrid_solve(((ig_grid_model *)self)->solver, f, u, tolerance, report);
}
static const double *grid_residual(void *self) {
  return ((ig_grid_model *)self)->solver->pcg.r.dev;
}
static ig_status grid_energy(void *self, const double *u, const double *v, double scale, bool add,
                             double *out) {
  ig_multigrid *s = ((ig_grid_model *)self)->solver;
  return s->ops->energy(s->cx, &s->args, u, v, scale, add, out);
}

/* --- output --- */

/* Packs a field of elements or nodes without the halo. */
static void grid_pack(void *self, bool nodes, int components, const double *from, float *to) {
  const ig_grid *g = &((ig_grid_model *)self)->grid;
  const int more = nodes ? 1 : 0, nz = g->dim == 3 ? g->n[2] + more : 1;
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < g->n[1] + more; j++)
      for (int i = 0; i < g->n[0] + more; i++)
        for (int c = 0; c < components; c++)
          *to++ = c < g->dof || components == 1
                      ? (float)from[c * g->stored + ig_grid_place(g, i, j, k)]
                      : 0;
}

static ig_status grid_snapshot(void *self, int64_t step, ig_snapshot **snap) {
  const ig_grid_model *m = self;
  const ig_grid *g = &m->grid;
  const int corners = 1 << g->dim;
  static const int order[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* VTK goes round, bits do not */
  IG_TRY(ig_snapshot_new(m->cx, m->d.nodes, m->d.elements, m->d.elements * corners, (double)step,
                         step, snap));
  double *x = (*snap)->point;
  for (int k = 0; k <= g->n[2]; k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++) {
        *x++ = i * m->h[0];
        *x++ = j * m->h[1];
        *x++ = g->dim == 3 ? k * m->h[2] : 0;
      }
  int64_t *corner = (*snap)->corner;
  const int64_t row = g->n[0] + 1, plane = row * (g->n[1] + 1);
  for (int k = 0; k < (g->dim == 3 ? g->n[2] : 1); k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        for (int a = 0; a < corners; a++) {
          const int q = order[a];
          *corner++ = i + (q & 1) + (j + (q >> 1 & 1)) * row + (k + (q >> 2)) * plane;
        }
  const int vtk = ig_elem_info_get(g->dim == 3 ? IG_HEX8 : IG_QUAD4)->vtk;
  for (int64_t e = 0; e <= m->d.elements; e++)
    (*snap)->offset[e] = e * corners;
  memset((*snap)->type, vtk, (size_t)m->d.elements);
  return IG_OK;
}

static ig_status grid_surface(void *self, const double *density, double level, bool mirror,
                              ig_part *surface) {
  const ig_grid_model *m = self;
  const ig_texts none = {0};
  return ig_part_of_grid(m->cx, &m->grid, m->h, density, level, mirror ? &m->c->symmetry : &none,
                         surface);
}

static void grid_describe(void *self, ig_check_line *line, void *user) {
  const ig_grid_model *m = self;
  const ig_grid *g = &m->grid;
  char text[128];
  snprintf(text, sizeof text, g->dim == 3 ? "%d x %d x %d elements" : "%d x %d elements", g->n[0],
           g->n[1], g->n[2]);
  line(user, "grid", text);
  snprintf(text, sizeof text, "%d levels, coarsest %d unknowns", m->solver->levels,
           m->solver->coarse_n);
  line(user, "multigrid", m->solver->levels > 1 ? text : "none (Jacobi)");
}

static void grid_free(void *self) {
  ig_grid_model_free(self);
}

/* Every set that is named exists. */
static ig_status check_sets(const ig_grid_model *m) {
  const ig_topopt_case *c = m->c;
#define CHECK(type, list)                                                                          \
  for (int i = 0; i < (list).count; i++) {                                                         \
    const ig_region_case *where = &IG_ITEM(type, list, i)->where;                                  \
    if (where->set && !set_named(m, where->set))                                                   \
      return ig_fail_at(m->cx, &where->at,                                                         \
                        "set: there is no '%s': name it in 'sets', or give a region", where->set); \
  }
  CHECK(ig_support_case, c->supports);
  CHECK(ig_load_case, c->loads);
  CHECK(ig_spring_case, c->springs);
  CHECK(ig_port_case, c->ports);
  CHECK(ig_passive_case, c->passive);
  CHECK(ig_limit_case, c->constraints);
#undef CHECK
  for (int i = 0; i < c->sets.count; i++)
    if (IG_ITEM(ig_set_case, c->sets, i)->where.set)
      return ig_fail_at(m->cx, &IG_ITEM(ig_set_case, c->sets, i)->where.at,
                        "sets: a set is a region, not another set");
  return IG_OK;
}

/* The grid of the case, one or three values a node; and of one value an element. */
static ig_status make_grid(ig_grid_model *m) {
  ig_ctx *cx = m->cx;
  const ig_grid_case *gc = &m->c->grid;
  const int dim = gc->elements[2] > 0 ? 3 : 2;
  int n[3];
  for (int d = 0; d < 3; d++) {
    n[d] = (int)gc->elements[d];
    if (d < dim && n[d] < 1)
      return ig_fail_at(cx, &gc->at, "grid: elements must be at least 1 along x and y");
    m->h[d] = d >= dim ? 1 : isnan(gc->size[d]) ? 1 : gc->size[d] / n[d];
    if (!(m->h[d] > 0))
      return ig_fail_at(cx, &gc->at, "grid: size must be more than 0 along every axis in use");
  }
  IG_TRY(ig_grid_init(cx, &m->grid, dim, m->c->problem == IG_PROBLEM_HEAT ? 1 : dim, n));
  return ig_grid_init(cx, &m->cells, dim, 1, n);
}

static ig_multigrid_options solver_options(const ig_topopt_case *c) {
  const bool multigrid = c->solver.preconditioner == IG_PRECONDITIONER_MULTIGRID;
  return (ig_multigrid_options){.precondition =
                                    multigrid ? IG_PRECONDITION_MULTIGRID : IG_PRECONDITION_JACOBI,
                                .smoother = (ig_smoother)c->solver.smoother,
                                .cycle = (ig_cycle)c->solver.cycle,
                                .fine_steps = (int)c->solver.fine_steps,
                                .steps = (int)c->solver.steps,
                                .damping = c->solver.damping,
                                .half = c->solver.storage == 1,
                                .limit = (int)c->solver.limit};
}

ig_status ig_grid_model_bytes(ig_ctx *cx, const ig_topopt_case *c, double *bytes) {
  ig_grid_model m = {.cx = cx, .c = c};
  ig_multigrid_options options = solver_options(c);
  double filter = 0;
  IG_TRY(make_grid(&m));
  IG_TRY(ig_multigrid_bytes(cx, &m.grid, &options, bytes));
  if (c->filter.kind == IG_FILTER_HELMHOLTZ) {
    options.precondition = IG_PRECONDITION_MULTIGRID;
    IG_TRY(ig_multigrid_bytes(cx, &m.cells, &options, &filter));
    filter += 2 * 8 * (double)m.cells.stored;
  }
  int cases = 1;
  for (int l = 0; l < c->loads.count; l++) {
    const int of = (int)IG_ITEM(ig_load_case, c->loads, l)->load_case;
    cases = of > cases ? of : cases;
  }
  const double n = (double)m.grid.stored, nu = n * m.grid.dof;
  const bool mechanism = c->problem == IG_PROBLEM_MECHANISM;
  *bytes += filter + n + 8 * nu * (cases + mechanism) + ig_design_bytes(c, n, nu, cases);
  return IG_OK;
}

static ig_status build(ig_grid_model *m, const ig_list *materials) {
  ig_ctx *cx = m->cx;
  const ig_topopt_case *c = m->c;
  const ig_grid_case *gc = &c->grid;
  IG_TRY(check_sets(m));
  IG_TRY(make_grid(m));
  const int dim = m->grid.dim;
  const bool heat = c->problem == IG_PROBLEM_HEAT;
  const ig_material_case *material =
      materials && materials->count ? IG_ITEM(ig_material_case, *materials, 0) : NULL;
  const double poisson = material && !isnan(material->poisson) ? material->poisson : 0.3;
  double solid = 1;
  if (material && heat && material->conductivity.count)
    solid = material->conductivity.y[0];
  if (material && !heat && !isnan(material->young))
    solid = material->young;
  m->loading.stiffness = solid * (dim == 2 ? gc->thickness : 1);
  ig_brick brick;
  if (heat)
    ig_brick_conduction(&brick, dim, m->h);
  else
    ig_brick_elastic(&brick, dim, m->h, poisson);
  const ig_multigrid_options options = solver_options(c);
  uint8_t *fix = NULL;
  ig_spring *spring = NULL;
  int springs = 0;
  ig_status status;
  IG_TRY(IG_NEW(cx, &fix, m->grid.stored, "supports"));
  IG_TRY_GOTO(status, done, make_roles(m));
  IG_TRY_GOTO(status, done, make_supports(m, fix));
  IG_TRY_GOTO(status, done, make_springs(m, &spring, &springs));
  IG_TRY_GOTO(status, done,
              ig_multigrid_new(cx, &m->grid, &brick, fix, spring, springs, &options, &m->solver));
  IG_TRY_GOTO(status, done, make_loads(m, fix));
  IG_TRY_GOTO(status, done, make_filter(m, &options));
  m->d.self = m;
  m->d.loading = &m->loading;
  m->d.places = m->grid.stored;
  m->d.elements = ig_grid_elements(&m->grid);
  m->d.nodes = ig_grid_nodes(&m->grid);
  m->d.dofs = ig_grid_nodes(&m->grid) * m->grid.dof;
  m->d.volume = m->h[0] * m->h[1] * m->h[2];
  m->d.role = m->role.dev;
  m->d.modulus = m->solver->modulus.dev;
  m->d.unknowns = m->grid.stored * m->grid.dof;
  m->d.changed = grid_changed;
  m->d.solve = grid_solve;
  m->d.residual = grid_residual;
  m->d.learnt = &m->solver->cautious;
  m->d.energy = grid_energy;
  m->d.filter = grid_filter;
  m->d.measure = grid_measure;
  m->d.snapshot = grid_snapshot;
  m->d.pack = grid_pack;
  m->d.surface = dim == 3 ? grid_surface : NULL;
  m->d.describe = grid_describe;
  m->d.free = grid_free;
done:
  free(fix);
  free(spring);
  return status;
}

ig_status ig_grid_model_new(ig_ctx *cx, const ig_topopt_case *c, const ig_list *materials,
                            ig_grid_model **out) {
  *out = NULL;
  ig_grid_model *m;
  IG_TRY(IG_NEW(cx, &m, 1, "grid model"));
  m->cx = cx;
  m->c = c;
  const ig_status status = build(m, materials);
  if (status != IG_OK) {
    ig_grid_model_free(m);
    return status;
  }
  *out = m;
  return IG_OK;
}

void ig_grid_model_free(ig_grid_model *m) {
  if (!m)
    return;
  ig_multigrid_free(m->solver);
  ig_multigrid_free(m->helmholtz);
  ig_array_free(m->cx, &m->role);
  ig_array_free(m->cx, &m->weight);
  ig_array_free(m->cx, &m->nodal_f);
  ig_array_free(m->cx, &m->nodal_u);
  for (int q = 0; q < IG_LOAD_CASES; q++)
    ig_array_free(m->cx, &m->loading.f[q]);
  ig_array_free(m->cx, &m->loading.port);
  for (int i = 0; i < IG_LIMITS; i++)
    ig_array_free(m->cx, &m->loading.limit[i]);
  free(m);
}
