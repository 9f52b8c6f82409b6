/* Sets and regions of a mesh become supports, springs, loads, ports and roles. */
#include "topopt/mesh_model.h"
#include "backend/backend.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "kern/hex8.inc"
#include "topopt/hex_kern.inc"
#include "topopt/mesh_kern.inc"

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

void ig_mesh_center(const ig_mesh_model *m, ig_lid e, int face, double *x) {
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
      ig_mesh_center(m, i, -1, x);
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
    ig_mesh_center(m, element[i], face[i], x);
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
    if (m->size == 1 && bits)
      bits = 1;
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
    if (m->size == 1)
      continue; /* no heat crosses a free side as it is */
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
  if (m->size == 1)
    return ig_fail_at(m->cx, &IG_ITEM(ig_spring_case, m->c->springs, 0)->at,
                      "springs: a heat problem has none");
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

/* The integrals of a face's four shape functions: adds share (a component each) x them to the
   nodes; their sum. */
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
      for (int d = 0; d < m->size; d++)
        f[(size_t)m->size * (size_t)node[local[i]] + (size_t)d] += share[d] * n[i] * da;
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
    for (int d = 0; d < m->size; d++)
      share[d] = (m->size == 1 ? load->heat : load->force[d]) / all;
    for (ig_lid i = 0; i < p.count; i++)
      if (faces)
        load_face(m, p.item[i], p.face[i], share, f);
      else
        for (int d = 0; d < m->size; d++)
          f[(size_t)m->size * (size_t)p.item[i] + (size_t)d] += share[d];
  }
  picked_free(&p);
  return status;
}

/* Takes the held components out of a load, makes it unit and sends it to the device. */
static ig_status put_load(ig_mesh_model *m, double *f, const char *what, ig_array *to,
                          double *norm) {
  const uint8_t *fix = m->fix.host;
  const size_t size = (size_t)m->size, n = size * (size_t)m->nodes;
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    if (fix[i / size] >> (i % size) & 1)
      f[i] = 0;
    s += f[i] * f[i];
  }
  *norm = sqrt(s);
  if (!(*norm > 0))
    return ig_fail_at(m->cx, &m->c->at, "%s: nothing acts on a node that is free", what);
  for (size_t i = 0; i < n; i++)
    f[i] /= *norm;
  return ig_array_from(m->cx, to, f, n, sizeof *f, what);
}

/* Heat generated everywhere: source x the integrals of the shape functions. */
static void add_source(const ig_mesh_model *m, double source, double *f) {
  for (ig_lid e = 0; e < m->elements; e++) {
    const ig_lid *node = corners_of(m, e);
    double x[24], weight[8];
    for (int i = 0; i < 24; i++)
      x[i] = m->mesh->x[3 * (size_t)node[i / 3] + (size_t)(i % 3)];
    const double volume = ig_hex_weights(x, weight);
    for (int a = 0; a < 8; a++)
      f[node[a]] += source * volume * weight[a];
  }
}

static ig_status make_loads(ig_mesh_model *m) {
  const ig_topopt_case *c = m->c;
  ig_loading *to = &m->loading;
  const size_t n = (size_t)m->size * (size_t)m->nodes;
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
    if (m->size == 1 && c->source != 0)
      add_source(m, c->source, f);
    to->weight[q] = q < c->weights.count ? c->weights.value[q] : 1;
    IG_TRY_GOTO(status, done, put_load(m, f, "loads", &to->f[q], &to->norm[q]));
  }
  if (c->problem == IG_PROBLEM_MECHANISM) {
    memset(f, 0, n * sizeof *f);
    for (int i = 0; i < c->ports.count; i++) {
      const ig_port_case *port = IG_ITEM(ig_port_case, c->ports, i);
      picked p;
      IG_TRY_GOTO(status, done, pick(m, &port->where, true, &p));
      if (p.count == 0)
        status = ig_fail_at(m->cx, &port->at, "ports: no node of the mesh lies there");
      for (ig_lid j = 0; j < p.count; j++)
        for (int d = 0; d < 3; d++)
          f[3 * (size_t)p.item[j] + (size_t)d] += port->direction[d] / (double)p.count;
      picked_free(&p);
      IG_TRY_GOTO(status, done, status);
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

ig_status ig_mesh_place(ig_mesh_model *m) {
  IG_TRY(make_roles(m));
  IG_TRY(make_supports(m));
  IG_TRY(make_springs(m));
  return make_loads(m);
}
