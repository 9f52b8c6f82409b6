/* From a case with a mesh of hexahedra to a discretisation: sets and regions become supports, loads
   and roles; products are made element by element (ebe.h). Vectors are node after node, three
   components each. */
#include "topopt/mesh_model.h"
#include "backend/backend.h"
#include "material/material.h"
#include "mesh/geometry.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which nodes, elements, faces: the set and the region of a `where` --- */

typedef struct {
  ig_lid count;
  ig_lid *item;
  uint8_t *face; /* of faces: local numbers; item holds elements */
} picked;

static void picked_free(picked *p) {
  free(p->item);
  free(p->face);
  memset(p, 0, sizeof *p);
}

static const ig_lid *corners_of(const ig_mesh_model *m, ig_lid e) {
  return &m->conn[8 * (size_t)e];
}

static void center_of(const ig_mesh_model *m, ig_lid e, int face, double *x) {
  const int *local = face < 0 ? NULL : ig_elem_face(IG_HEX8, face);
  const int n = local ? 4 : 8;
  x[0] = x[1] = x[2] = 0;
  for (int a = 0; a < n; a++)
    for (int d = 0; d < 3; d++)
      x[d] += m->mesh->x[3 * (size_t)corners_of(m, e)[local ? local[a] : a] + (size_t)d] / n;
}

/* Sets the bytes of the nodes or elements that a set holds, whatever kind it is of. */
static bool mark_set(const ig_mesh_model *m, const char *name, bool nodes, uint8_t *mark) {
  const ig_set *s = ig_mesh_find_set(m->mesh, name, nodes ? IG_SET_NODES : IG_SET_ELEMENTS);
  if (s) {
    for (ig_lid i = 0; i < s->count; i++)
      mark[s->item[i]] = 1;
    return true;
  }
  if (!nodes)
    return false;
  const ig_set *faces = ig_mesh_find_set(m->mesh, name, IG_SET_FACES);
  const ig_set *elements = ig_mesh_find_set(m->mesh, name, IG_SET_ELEMENTS);
  s = faces ? faces : elements;
  for (ig_lid i = 0; s && i < s->count; i++)
    for (int a = 0; a < (faces ? 4 : 8); a++)
      mark[corners_of(m, s->item[i])[faces ? ig_elem_face(IG_HEX8, s->face[i])[a] : a]] = 1;
  return s != NULL;
}

static ig_status unknown_set(const ig_mesh_model *m, const ig_region_case *r, const char *kind) {
  char names[256] = "";
  for (int i = 0; i < m->mesh->sets && strlen(names) < 200; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.40s", i ? ", " : "",
             m->mesh->set[i].name);
  return ig_fail_at(m->cx, &r->at, "set: the mesh has no set of %s '%s'; its sets: %s", kind,
                    r->set, names);
}

/* Nodes, or elements by their centres. */
static ig_status pick(const ig_mesh_model *m, const ig_region_case *r, bool nodes, picked *p) {
  const ig_lid n = nodes ? m->nodes : m->elements;
  uint8_t *mark;
  memset(p, 0, sizeof *p);
  IG_TRY(IG_NEW(m->cx, &mark, n, "selection"));
  ig_status status = IG_OK;
  if (!r->set)
    memset(mark, 1, (size_t)n);
  else if (!mark_set(m, r->set, nodes, mark))
    status = unknown_set(m, r, nodes ? "nodes or faces" : "elements");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &p->item, n, "selection");
  for (ig_lid i = 0; status == IG_OK && i < n; i++) {
    double x[3];
    if (!mark[i])
      continue;
    if (nodes)
      memcpy(x, &m->mesh->x[3 * (size_t)i], sizeof x);
    else
      center_of(m, i, -1, x);
    if (ig_region_holds(r, x, 3, m->slack))
      p->item[p->count++] = i;
  }
  free(mark);
  return status;
}

/* Boundary faces by their centres, or the faces of a set. */
static ig_status pick_faces(const ig_mesh_model *m, const ig_region_case *r, picked *p) {
  ig_boundary boundary = {0};
  const ig_set *s = NULL;
  memset(p, 0, sizeof *p);
  if (r->set && !(s = ig_mesh_find_set(m->mesh, r->set, IG_SET_FACES)))
    return unknown_set(m, r, "faces");
  if (!s)
    IG_TRY(ig_mesh_boundary(m->cx, m->mesh, &boundary));
  const ig_lid n = s ? s->count : boundary.count;
  const ig_lid *element = s ? s->item : boundary.element;
  const uint8_t *face = s ? s->face : boundary.face;
  ig_status status = IG_NEW(m->cx, &p->item, n, "faces");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &p->face, n, "faces");
  for (ig_lid i = 0; status == IG_OK && i < n; i++) {
    double x[3];
    center_of(m, element[i], face[i], x);
    if (!ig_region_holds(r, x, 3, m->slack))
      continue;
    p->item[p->count] = element[i];
    p->face[p->count++] = face[i];
  }
  ig_boundary_free(&boundary);
  return status;
}

/* --- supports, springs, loads, ports, roles --- */

static ig_status make_supports(ig_mesh_model *m) {
  const ig_topopt_case *c = m->c;
  uint8_t *fix;
  picked p;
  IG_TRY(ig_array_new(m->cx, &m->fix, (size_t)m->nodes, 1, "supports"));
  fix = m->fix.host;
  for (int s = 0; s < c->supports.count; s++) {
    const ig_support_case *support = IG_ITEM(ig_support_case, c->supports, s);
    uint8_t bits = 0;
    for (const char *t = support->fix; t && *t; t++) {
      if (*t < 'x' || *t > 'z')
        return ig_fail_at(m->cx, &support->at, "fix: '%s' holds no axis: expected letters of xyz",
                          support->fix);
      bits |= (uint8_t)(1 << (*t - 'x'));
    }
    IG_TRY(pick(m, &support->where, true, &p));
    for (ig_lid i = 0; i < p.count; i++)
      fix[p.item[i]] |= bits;
    const ig_lid count = p.count;
    picked_free(&p);
    if (count == 0)
      return ig_fail_at(m->cx, &support->at, "supports: no node of the mesh lies there");
  }
  double low[3], high[3];
  ig_mesh_bounds(m->mesh, low, high);
  for (int s = 0; s < c->symmetry.count; s++) {
    int axis, side;
    if (!ig_plane_read(c->symmetry.value[s], 3, &axis, &side))
      return ig_fail_at(m->cx, &c->at,
                        "symmetry: '%s' is no plane: expected x-, x+, y-, y+, z- or z+",
                        c->symmetry.value[s]);
    const double at = side ? high[axis] : low[axis];
    for (ig_lid i = 0; i < m->nodes; i++)
      if (fabs(m->mesh->x[3 * (size_t)i + (size_t)axis] - at) <= m->slack)
        fix[i] |= (uint8_t)(1 << axis);
  }
  return ig_array_push(m->cx, &m->fix);
}

static ig_status make_springs(ig_mesh_model *m) {
  picked p;
  if (m->c->springs.count == 0)
    return IG_OK;
  IG_TRY(ig_array_new(m->cx, &m->spring, 3 * (size_t)m->nodes, sizeof(double), "springs"));
  double *k = m->spring.host;
  for (int s = 0; s < m->c->springs.count; s++) {
    const ig_spring_case *spring = IG_ITEM(ig_spring_case, m->c->springs, s);
    IG_TRY(pick(m, &spring->where, true, &p));
    for (ig_lid i = 0; i < p.count; i++)
      for (int d = 0; d < 3; d++)
        k[3 * (size_t)p.item[i] + (size_t)d] +=
            spring->stiffness[d] / (double)p.count / m->loading.stiffness;
    const ig_lid count = p.count;
    picked_free(&p);
    if (count == 0)
      return ig_fail_at(m->cx, &spring->at, "springs: no node of the mesh lies there");
  }
  return ig_array_push(m->cx, &m->spring);
}

/* The integrals of a face's four shape functions: adds share x them to the nodes; their sum. */
static double load_face(const ig_mesh_model *m, ig_lid e, int face, const double *share,
                        double *f) {
  const int *local = ig_elem_face(IG_HEX8, face);
  const ig_lid *node = corners_of(m, e);
  double area = 0;
  for (int q = 0; q < 4; q++) {
    const double g = 0.57735026918962576, r = q & 1 ? g : -g, s = q & 2 ? g : -g;
    double n[4], a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
      const double ri = i == 1 || i == 2 ? 1 : -1, si = i >= 2 ? 1 : -1;
      const double *x = &m->mesh->x[3 * (size_t)node[local[i]]];
      n[i] = 0.25 * (1 + ri * r) * (1 + si * s);
      for (int d = 0; d < 3; d++) {
        a[d] += 0.25 * ri * (1 + si * s) * x[d];
        b[d] += 0.25 * si * (1 + ri * r) * x[d];
      }
    }
    const double cx = a[1] * b[2] - a[2] * b[1], cy = a[2] * b[0] - a[0] * b[2],
                 cz = a[0] * b[1] - a[1] * b[0], da = sqrt(cx * cx + cy * cy + cz * cz);
    area += da;
    for (int i = 0; f && i < 4; i++)
      for (int d = 0; d < 3; d++)
        f[3 * (size_t)node[local[i]] + (size_t)d] += share[d] * n[i] * da;
  }
  return area;
}

static ig_status add_load(const ig_mesh_model *m, const ig_load_case *load, double *f) {
  const bool faces = load->spread == IG_SPREAD_FACES;
  picked p;
  ig_status status = faces ? pick_faces(m, &load->where, &p) : pick(m, &load->where, true, &p);
  if (status == IG_OK && p.count == 0)
    status = ig_fail_at(m->cx, &load->at, "loads: no %s of the mesh lies there",
                        faces ? "boundary face" : "node");
  if (status == IG_OK) {
    double all = load->spread == IG_SPREAD_EACH ? 1 : (double)p.count, share[3];
    if (faces) {
      all = 0;
      for (ig_lid i = 0; i < p.count; i++)
        all += load_face(m, p.item[i], p.face[i], NULL, NULL);
    }
    for (int d = 0; d < 3; d++)
      share[d] = load->force[d] / all;
    for (ig_lid i = 0; i < p.count; i++)
      if (faces)
        load_face(m, p.item[i], p.face[i], share, f);
      else
        for (int d = 0; d < 3; d++)
          f[3 * (size_t)p.item[i] + (size_t)d] += share[d];
  }
  picked_free(&p);
  return status;
}

/* Takes the held components out of a load, makes it unit and sends it to the device. */
static ig_status put_load(ig_mesh_model *m, double *f, const char *what, ig_array *to,
                          double *norm) {
  const uint8_t *fix = m->fix.host;
  const size_t n = 3 * (size_t)m->nodes;
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    if (fix[i / 3] >> (i % 3) & 1)
      f[i] = 0;
    s += f[i] * f[i];
  }
  *norm = sqrt(s);
  if (!(*norm > 0))
    return ig_fail_at(m->cx, &m->c->at, "%s: nothing acts on a node that is free to move", what);
  for (size_t i = 0; i < n; i++)
    f[i] /= *norm;
  return ig_array_from(m->cx, to, f, n, sizeof *f, what);
}

static ig_status make_loads(ig_mesh_model *m) {
  const ig_topopt_case *c = m->c;
  ig_loading *to = &m->loading;
  const size_t n = 3 * (size_t)m->nodes;
  double *f;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(m->cx, &f, n, "loads"));
  to->cases = 1;
  for (int l = 0; l < c->loads.count; l++) {
    const int64_t of = IG_ITEM(ig_load_case, c->loads, l)->load_case;
    to->cases = of > to->cases ? (int)of : to->cases;
  }
  for (int q = 0; q < to->cases; q++) {
    memset(f, 0, n * sizeof *f);
    for (int l = 0; l < c->loads.count; l++) {
      const ig_load_case *load = IG_ITEM(ig_load_case, c->loads, l);
      if (load->load_case == q + 1)
        IG_TRY_GOTO(status, done, add_load(m, load, f));
    }
    to->weight[q] = q < c->weights.count ? c->weights.value[q] : 1;
    IG_TRY_GOTO(status, done, put_load(m, f, "loads", &to->f[q], &to->norm[q]));
  }
  if (c->problem == IG_PROBLEM_MECHANISM) {
    memset(f, 0, n * sizeof *f);
    for (int i = 0; i < c->ports.count; i++) {
      const ig_port_case *port = IG_ITEM(ig_port_case, c->ports, i);
      picked p;
      IG_TRY_GOTO(status, done, pick(m, &port->where, true, &p));
      for (ig_lid j = 0; j < p.count; j++)
        for (int d = 0; d < 3; d++)
          f[3 * (size_t)p.item[j] + (size_t)d] += port->direction[d] / (double)p.count;
      picked_free(&p);
    }
    IG_TRY_GOTO(status, done, put_load(m, f, "ports", &to->port, &to->norm_port));
  }
done:
  free(f);
  return status;
}

static ig_status make_roles(ig_mesh_model *m) {
  const ig_topopt_case *c = m->c;
  picked p;
  IG_TRY(ig_array_new(m->cx, &m->role, (size_t)m->elements, 1, "roles"));
  uint8_t *role = m->role.host;
  memset(role, IG_ROLE_DESIGN, (size_t)m->elements);
  for (int i = 0; i < c->passive.count; i++) {
    const ig_passive_case *passive = IG_ITEM(ig_passive_case, c->passive, i);
    IG_TRY(pick(m, &passive->where, false, &p));
    for (ig_lid j = 0; j < p.count; j++)
      role[p.item[j]] = passive->as == 0 ? IG_ROLE_SOLID : IG_ROLE_VOID;
    const ig_lid count = p.count;
    picked_free(&p);
    if (count == 0)
      return ig_fail_at(m->cx, &passive->at,
                        "passive: the centre of no element of the mesh lies there");
  }
  for (ig_lid e = 0; e < m->elements; e++) {
    m->d.solid += role[e] == IG_ROLE_SOLID;
    m->d.designed += role[e] == IG_ROLE_DESIGN;
  }
  if (m->d.designed == 0)
    return ig_fail_at(m->cx, &c->at, "passive: no element is left to design");
  return ig_array_push(m->cx, &m->role);
}

/* --- geometry and the filter --- */

static ig_status make_geometry(ig_mesh_model *m) {
  const ig_mesh *mesh = m->mesh;
  double shortest = INFINITY, all = 0;
  size_t at = 0;
  m->nodes = mesh->nodes;
  m->elements = ig_mesh_elements(mesh);
  if (m->elements == 0)
    return ig_fail_at(m->cx, &m->c->at, "the mesh has no elements");
  IG_TRY(IG_NEW(m->cx, &m->conn, 8 * (size_t)m->elements, "connectivity"));
  IG_TRY(ig_array_new(m->cx, &m->share, (size_t)m->elements, sizeof(double), "volumes"));
  IG_TRY(ig_array_new(m->cx, &m->center, 3 * (size_t)m->elements, sizeof(double), "centres"));
  double *share = m->share.host, *center = m->center.host;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    if (block->type != IG_HEX8)
      return ig_fail_at(m->cx, &m->c->at,
                        "topopt takes meshes of hexahedra alone: this one has %s elements",
                        ig_elem_info_get(block->type)->name);
    memcpy(&m->conn[8 * at], block->conn, 8 * sizeof *block->conn * (size_t)block->count);
    for (ig_lid e = 0; e < block->count; e++, at++) {
      double s, l;
      ig_elem_edges(mesh, block, e, &s, &l);
      shortest = fmin(shortest, s);
      all += share[at] = ig_elem_measure(mesh, block, e, NULL);
    }
  }
  m->d.volume = all / m->elements;
  m->slack = 1e-6 * shortest;
  for (ig_lid e = 0; e < m->elements; e++) {
    share[e] /= m->d.volume;
    center_of(m, e, -1, &center[3 * (size_t)e]);
  }
  IG_TRY(ig_array_push(m->cx, &m->share));
  IG_TRY(ig_array_push(m->cx, &m->center));
  return ig_array_from(m->cx, &m->x, mesh->x, 3 * (size_t)m->nodes, sizeof(double), "positions");
}

/* Centres into cells: a counting sort. Cells are no smaller than the radius, so that neighbours are
   in the cells around, and no more than a few an element. */
static ig_status make_cone(ig_mesh_model *m) {
  ig_cone *c = &m->cone;
  const double *x = m->center.host;
  double high[3], radius = m->c->filter.radius;
  if (isnan(radius))
    radius = 1.5 * cbrt(m->d.volume);
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
  IG_TRY(ig_array_new(m->cx, &m->start, (size_t)cells + 2, sizeof(int32_t), "filter cells"));
  IG_TRY(ig_array_new(m->cx, &m->order, (size_t)m->elements, sizeof(int32_t), "elements by cell"));
  int32_t *start = (int32_t *)m->start.host + 1, *order = m->order.host;
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
  IG_TRY(ig_array_push(m->cx, &m->start));
  IG_TRY(ig_array_push(m->cx, &m->order));
  c->start = m->start.dev;
  c->order = m->order.dev;
  c->center = m->center.dev;
  return IG_OK;
}

static ig_status mesh_filter(void *self, const double *in, double *out) {
  ig_mesh_model *m = self;
  return m->ops->cone(m->cx, &m->cone, in, out);
}

/* --- the linear system --- */

static ig_status apply(void *self, const double *x, double *y, ig_cg_state *state) {
  ig_mesh_model *m = self;
  IG_TRY(ig_ebe_apply(m->cx, &m->op, m->modulus.dev, x, y));
  return m->ops->ground(m->cx, &m->ground, x, y, m->partial.dev, state ? &state->s.pap : NULL);
}

static ig_status precondition(void *self, const float *r, const float **z) {
  ig_mesh_model *m = self;
  if (m->amg)
    return ig_amg_cycle(m->amg, r, z);
  *z = m->z.dev;
  return m->ops->scale(m->cx, m->nodes, m->inverse.dev, r, m->z.dev);
}

static ig_status apply_single(void *self, const float *x, float *y) {
  ig_mesh_model *m = self;
  return ig_ebe_apply(m->cx, &m->op_single, m->modulus_single.dev, x, y);
}

static ig_status make_multigrid(ig_mesh_model *m) {
  const ig_amg_problem problem = {.nodes = m->nodes,
                                  .elements = m->elements,
                                  .size = 3,
                                  .x = m->mesh->x,
                                  .conn = m->conn,
                                  .fix = m->fix.host,
                                  .hex = &m->hex,
                                  .ground = &m->ground,
                                  .plan = &m->op.plan,
                                  .steps = (int)m->c->solver.steps,
                                  .self = m,
                                  .apply = apply_single};
  IG_TRY(ig_ebe_new(m->cx, m->op.kind, m->op.plan.how, true, m->nodes, m->mesh->x, m->elements,
                    m->conn, m->poisson, &m->op_single));
  IG_TRY(
      ig_array_new_device(m->cx, &m->modulus_single, (size_t)m->elements, sizeof(float), "moduli"));
  return ig_amg_new(m->cx, &problem, &m->amg);
}

static ig_status mesh_changed(void *self) {
  ig_mesh_model *m = self;
  if (m->amg) {
    IG_TRY(m->ops->to_single(m->cx, m->elements, m->modulus.dev, m->modulus_single.dev));
    return ig_amg_update(m->amg, m->modulus.dev);
  }
  IG_TRY(m->ops->diagonal(m->cx, &m->hex, &m->op.plan, m->modulus.dev, m->block.dev));
  return m->ops->invert(m->cx, &m->ground, m->c->solver.preconditioner != IG_PRECONDITIONER_JACOBI,
                        m->block.dev, m->inverse.dev);
}
static ig_status mesh_solve(void *self, const double *f, double *u, double tolerance,
                            ig_solve_report *report) {
  ig_mesh_model *m = self;
  return ig_pcg_solve(m->cx, &m->pcg, &m->system, f, u, tolerance, (int)m->c->solver.limit, report);
}
static const double *mesh_residual(void *self) {
  return ((ig_mesh_model *)self)->pcg.r.dev;
}
static ig_status mesh_energy(void *self, const double *u, const double *v, double scale, bool add,
                             double *out) {
  ig_mesh_model *m = self;
  return m->ops->energy(m->cx, &m->hex, u, v, scale, add, out);
}

static ig_status make_system(ig_mesh_model *m) {
  ig_ctx *cx = m->cx;
  const ig_solver_case *s = &m->c->solver;
  const size_t n = (size_t)m->nodes;
  const bool gpu = cx->backend->kernels == IG_KERNELS_CUDA;
  const bool color = s->race == IG_RACE_COLOR || (s->race == IG_RACE_AUTO && !gpu);
  IG_TRY(ig_ebe_new(cx, (ig_ebe_kind)s->operator, color ? IG_COLOR : IG_ATOMIC, false, m->nodes,
                    m->mesh->x, m->elements, m->conn, m->poisson, &m->op));
  IG_TRY(ig_array_new_device(cx, &m->modulus, (size_t)m->elements, sizeof(double), "moduli"));
  IG_TRY(ig_array_new_device(cx, &m->block, 6 * n, sizeof(double), "diagonal blocks"));
  IG_TRY(ig_array_new_device(cx, &m->inverse, 6 * n, sizeof(float), "inverse blocks"));
  IG_TRY(ig_array_new_device(cx, &m->z, 3 * n, sizeof(float), "preconditioned residual"));
  IG_TRY(ig_array_new_device(cx, &m->partial, IG_MESH_CHUNKS, sizeof(double), "partial sums"));
  m->hex = (ig_hex_args){m->op.args.scatter, m->x.dev, m->op.args.lame, m->op.args.shear};
  m->ground = (ig_ground){m->nodes, 3, m->fix.dev, m->spring.dev};
  if (s->preconditioner == IG_PRECONDITIONER_MULTIGRID)
    IG_TRY(make_multigrid(m));
  m->system = (ig_linear){m, 3 * (int64_t)m->nodes, apply, precondition, false};
  return ig_pcg_init(cx, &m->pcg, 3 * (int64_t)m->nodes);
}

/* --- output --- */

static ig_status mesh_snapshot(void *self, int64_t step, ig_snapshot **snap) {
  ig_mesh_model *m = self;
  return ig_snapshot_of_mesh(m->cx, m->mesh, NULL, (double)step, step, snap);
}
static void mesh_pack(void *self, bool nodes, int components, const double *from, float *to) {
  const ig_mesh_model *m = self;
  const size_t n = (size_t)components * (size_t)(nodes ? m->nodes : m->elements);
  for (size_t i = 0; i < n; i++)
    to[i] = (float)from[i];
}
static void mesh_describe(void *self, ig_check_line *line, void *user) {
  const ig_mesh_model *m = self;
  char text[128];
  snprintf(text, sizeof text, "%s, %s, %.0f bytes an element", ig_ebe_name(m->op.kind),
           m->op.plan.how == IG_COLOR ? "colored" : "atomic",
           (double)ig_ebe_bytes(&m->op) / m->elements);
  line(user, "operator", text);
}

/* --- making it --- */

static void mesh_free(void *self) {
  ig_mesh_model *m = self;
  if (!m)
    return;
  ig_array *const arrays[] = {&m->x,       &m->fix,    &m->spring,  &m->role,        &m->modulus,
                              &m->share,   &m->center, &m->start,   &m->order,       &m->block,
                              &m->inverse, &m->z,      &m->partial, &m->loading.port};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(m->cx, arrays[i]);
  for (int q = 0; q < IG_LOAD_CASES; q++)
    ig_array_free(m->cx, &m->loading.f[q]);
  ig_amg_free(m->amg);
  ig_pcg_free(m->cx, &m->pcg);
  ig_ebe_free(m->cx, &m->op);
  ig_ebe_free(m->cx, &m->op_single);
  ig_array_free(m->cx, &m->modulus_single);
  free(m->conn);
  free(m);
}

static ig_status build(ig_mesh_model *m, const ig_list *materials) {
  const ig_topopt_case *c = m->c;
  const ig_material_case *material =
      materials && materials->count ? IG_ITEM(ig_material_case, *materials, 0) : NULL;
  if (c->problem == IG_PROBLEM_HEAT)
    return ig_fail_at(m->cx, &c->at, "problem: heat is solved on a grid, not on a mesh");
  if (c->filter.kind == IG_FILTER_HELMHOLTZ)
    return ig_fail_at(m->cx, &c->filter.at, "filter: on a mesh the kind is sensitivity or density");
  m->poisson = material && !isnan(material->poisson) ? material->poisson : 0.3;
  m->loading.stiffness = material && !isnan(material->young) ? material->young : 1;
  IG_TRY(make_geometry(m));
  IG_TRY(make_roles(m));
  IG_TRY(make_supports(m));
  IG_TRY(make_springs(m));
  IG_TRY(make_loads(m));
  if (c->filter.kind != IG_FILTER_NONE)
    IG_TRY(make_cone(m));
  IG_TRY(make_system(m));
  ig_discretisation *d = &m->d;
  d->loading = &m->loading;
  d->places = d->elements = m->elements;
  d->nodes = m->nodes;
  d->dofs = d->unknowns = 3 * (int64_t)m->nodes;
  d->role = m->role.dev;
  d->modulus = m->modulus.dev;
  d->share = m->share.dev;
  d->changed = mesh_changed;
  d->solve = mesh_solve;
  d->residual = mesh_residual;
  d->energy = mesh_energy;
  d->filter = mesh_filter;
  d->snapshot = mesh_snapshot;
  d->pack = mesh_pack;
  d->describe = mesh_describe;
  return IG_OK;
}

ig_status ig_mesh_model_new(ig_ctx *cx, const ig_topopt_case *c, const ig_list *materials,
                            const ig_mesh *mesh, ig_discretisation **out) {
  *out = NULL;
  ig_mesh_model *m;
  IG_TRY(IG_NEW(cx, &m, 1, "mesh model"));
  m->cx = cx;
  m->c = c;
  m->mesh = mesh;
  m->ops = ig_mesh_ops_of(cx);
  m->d.self = m;
  m->d.free = mesh_free;
  const ig_status status = build(m, materials);
  if (status != IG_OK) {
    mesh_free(m);
    return status;
  }
  *out = &m->d;
  return IG_OK;
}
