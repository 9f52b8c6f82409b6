/* A mesh on the plate it is built on: the same elements, held at the plate and at planes of
   symmetry alone, in layers of equal height.

   An element comes with the layer that its centre lies in, a node with the first of its elements.
   The force of an inherent strain e* is that of the displacement t = e* x, which has this strain
   everywhere: f = K t, exact for elements of any shape. */
#include "topopt/mesh/mesh_model.h"
#include "backend/backend.h"
#include "topopt/case/boundary_conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ig_topopt_mesh_plate {
  ig_topopt_plate plate;
  ig_topopt_mesh_model *m;
  uint8_t *element, *node;             /* layers */
  ig_array fix, modulus, single, move; /* move: t, a state */
  ig_ebe op_single;
  ig_ground ground;
  ig_amg *amg;
  ig_pcg pcg;
  ig_linear system;
  bool learnt;
};

/* --- the system --- */

static ig_status apply(void *self, const double *x, double *y, ig_cg_state *state) {
  const ig_topopt_mesh_plate *p = self;
  ig_topopt_mesh_model *m = p->m;
  IG_TRY(ig_ebe_apply(m->cx, &m->op, p->modulus.dev, x, y));
  return m->ops->ground(m->cx, &p->ground, x, y, m->partial.dev, state ? &state->s.pap : NULL);
}
static ig_status apply_single(void *self, const float *x, float *y) {
  ig_topopt_mesh_plate *p = self;
  return ig_ebe_apply(p->m->cx, &p->op_single, p->single.dev, x, y);
}
static ig_status precondition(void *self, const float *r, const float **z) {
  return ig_amg_cycle(((ig_topopt_mesh_plate *)self)->amg, r, z);
}

static ig_status changed(void *self) {
  const ig_topopt_mesh_model *m = self;
  ig_topopt_mesh_plate *p = m->plate;
  IG_TRY(m->ops->to_single(m->cx, m->elements, p->modulus.dev, p->single.dev));
  return ig_amg_update(p->amg, p->modulus.dev);
}
static ig_status solve(void *self, const double *f, double *u, double tolerance,
                       ig_solve_report *report) {
  const ig_topopt_mesh_model *m = self;
  ig_topopt_mesh_plate *p = m->plate;
  return ig_pcg_solve(m->cx, &p->pcg, &p->system, f, u, tolerance, (int)m->c->solver.limit, report);
}

/* --- the inherent strain --- */

static ig_status shrink(void *self, const double *modulus, double *f) {
  ig_topopt_mesh_model *m = self;
  const ig_topopt_mesh_plate *p = m->plate;
  IG_TRY(ig_ebe_apply(m->cx, &m->op, modulus, p->move.dev, f));
  return m->ops->ground(m->cx, &p->ground, f, f, m->partial.dev, NULL);
}
static ig_status shrink_energy(void *self, const double *z, double *out) {
  ig_topopt_mesh_model *m = self;
  return m->d.energy(self, z, m->plate->move.dev, 1, false, out);
}

/* --- layers --- */

ig_status ig_topopt_mesh_rise_find(const ig_topopt_mesh_model *m, ig_topopt_mesh_rise *r) {
  const ig_printing_case *c = &m->c->printing;
  double low[3], high[3];
  IG_TRY(ig_topopt_mesh_direction(m, &c->at, "printing", c->direction, &r->axis, &r->sign));
  for (int s = 0; s < 2; s++)
    if (!isnan(m->plane[2 * r->axis + s]))
      return ig_fail_at(m->cx, &c->at,
                        "printing: the direction is across the plane of symmetry %c%c",
                        'x' + r->axis, s ? '+' : '-');
  ig_mesh_bounds(m->mesh, low, high);
  r->low = r->sign > 0 ? low[r->axis] : -high[r->axis];
  r->high = r->sign > 0 ? high[r->axis] : -low[r->axis];
  return IG_OK;
}

/* Layers of elements; the first that has none, or -1. */
static int elements_number(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r, int layers,
                           uint8_t *element) {
  bool any[IG_NO_LAYER] = {false};
  for (ig_lid e = 0; e < m->elements; e++) {
    const double height = r->sign * m->centers[3 * (size_t)e + (size_t)r->axis] - r->low;
    const int k = (int)(height / (r->high - r->low) * layers);
    element[e] = (uint8_t)(k < 0 ? 0 : k >= layers ? layers - 1 : k);
    any[element[e]] = true;
  }
  for (int k = 0; k < layers; k++)
    if (!any[k])
      return k;
  return -1;
}

/* As many layers as are asked for; without a number ten, or as many as have elements. */
static ig_status layers_find(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r,
                             ig_topopt_mesh_plate *p) {
  const ig_printing_case *c = &m->c->printing;
  int layers = c->layers > 0 ? (int)c->layers : 10, empty;
  while ((empty = elements_number(m, r, layers, p->element)) >= 0) {
    if (c->layers > 0)
      return ig_fail_at(m->cx, &c->at,
                        "printing: layers: of %d no element's centre lies in layer %d: take fewer, "
                        "or smaller elements",
                        layers, empty + 1);
    layers--;
  }
  p->plate.layers = layers;
  memset(p->node, IG_NO_LAYER, (size_t)m->nodes);
  for (ig_lid e = 0; e < m->elements; e++)
    for (int i = 0; i < m->info->nodes; i++) {
      uint8_t *at = &p->node[m->conn[(size_t)e * (size_t)m->info->nodes + (size_t)i]];
      *at = p->element[e] < *at ? p->element[e] : *at;
    }
  return IG_OK;
}

/* Nodes on the plate are held, and across planes of symmetry. A part that touches the plate along a
   line or at points would turn over. */
static ig_status fix_find(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r,
                          uint8_t *fix) {
  const int a = (r->axis + 1) % 3, b = (r->axis + 2) % 3;
  double sum[6] = {0}; /* count, a, b, aa, ab, bb, from the middle of the mesh */
  for (ig_lid i = 0; i < m->nodes; i++) {
    const double *x = &m->mesh->x[3 * (size_t)i];
    fix[i] = 0;
    for (int s = 0; s < 6; s++)
      if (!isnan(m->plane[s]) && fabs(x[s / 2] - m->plane[s]) <= m->slack)
        fix[i] |= (uint8_t)(1 << s / 2);
    if (r->sign * x[r->axis] - r->low > m->slack)
      continue;
    fix[i] = 7;
    const double p = x[a] - m->mesh->x[a], q = x[b] - m->mesh->x[b];
    const double add[] = {1, p, q, p * p, p * q, q * q};
    for (int k = 0; k < 6; k++)
      sum[k] += add[k];
  }
  const double n = fmax(1, sum[0]), pp = sum[3] - sum[1] * sum[1] / n,
               pq = sum[4] - sum[1] * sum[2] / n, qq = sum[5] - sum[2] * sum[2] / n;
  if (sum[0] < 3 || pp * qq - pq * pq <= 1e-9 * pow(pp + qq, 2))
    return ig_fail_at(
        m->cx, &m->c->printing.at,
        "printing: the mesh touches its lowest plane along %s in no more than a line: "
        "it does not stand on the plate; cut it flat there, or choose another "
        "direction",
        m->c->printing.direction);
  return IG_OK;
}

/* --- making it --- */

static ig_status system_new(ig_topopt_mesh_model *m, ig_topopt_mesh_plate *p, const uint8_t *fix) {
  ig_ctx *cx = m->cx;
  const size_t n = (size_t)m->elements;
  double *t;
  IG_TRY(ig_array_from(cx, &p->fix, fix, (size_t)m->nodes, 1, "printing"));
  IG_TRY(ig_array_new_device(cx, &p->modulus, n, sizeof(double), "printing"));
  IG_TRY(ig_array_new_device(cx, &p->single, n, sizeof(float), "printing"));
  IG_TRY(IG_NEW(cx, &t, 3 * (size_t)m->nodes, "printing"));
  for (size_t i = 0; i < 3 * (size_t)m->nodes; i++)
    t[i] = m->c->printing.strain[i % 3] * m->mesh->x[i];
  const ig_status status =
      ig_array_from(cx, &p->move, t, 3 * (size_t)m->nodes, sizeof *t, "printing");
  free(t);
  IG_TRY(status);
  IG_TRY(ig_ebe_new(cx, m->op.kind, m->how, true, m->nodes, m->mesh->x, m->elements, m->info->nodes,
                    m->conn, m->poisson, &p->op_single));
  p->op_single.args.poisson = m->poissons.dev;
  p->ground = (ig_ground){m->nodes, m->size, p->fix.dev, NULL};
  p->system = (ig_linear){p, (int64_t)m->size * m->nodes, apply, precondition, false, NULL, NULL};
  ig_amg_problem problem = ig_topopt_mesh_problem(m);
  problem.fix = fix;
  problem.ground = &p->ground;
  problem.self = p;
  problem.apply = apply_single;
  IG_TRY(ig_amg_new(cx, &problem, &p->amg));
  return ig_pcg_init(cx, &p->pcg, p->system.n);
}

ig_status ig_topopt_mesh_plate_new(ig_topopt_mesh_model *m) {
  const ig_printing_case *c = &m->c->printing;
  ig_topopt_mesh_plate *p;
  uint8_t *fix;
  ig_topopt_mesh_rise r;
  if (!c->at.given || isnan(c->strain[0]) || m->size != 3)
    return IG_OK;
  if (m->part.divided)
    return ig_fail_at(m->cx, &c->at,
                      "printing: is not for meshes that are divided between ranks: ranks: share");
  IG_TRY(ig_topopt_mesh_rise_find(m, &r));
  IG_TRY(IG_NEW(m->cx, &p, 1, "printing"));
  m->plate = p;
  p->m = m;
  IG_TRY(IG_NEW(m->cx, &p->element, m->elements, "printing"));
  IG_TRY(IG_NEW(m->cx, &p->node, m->nodes, "printing"));
  IG_TRY(layers_find(m, &r, p));
  IG_TRY(IG_NEW(m->cx, &fix, m->nodes, "printing"));
  ig_status status = fix_find(m, &r, fix);
  if (status == IG_OK)
    status = system_new(m, p, fix);
  free(fix);
  IG_TRY(status);
  p->plate.element = p->element;
  p->plate.node = p->node;
  p->plate.fix = p->fix.dev;
  p->plate.modulus = p->modulus.dev;
  p->plate.learnt = &p->learnt;
  p->plate.changed = changed;
  p->plate.solve = solve;
  p->plate.shrink = shrink;
  p->plate.shrink_energy = shrink_energy;
  m->d.plate = &p->plate;
  return IG_OK;
}

void ig_topopt_mesh_plate_free(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_plate *p = m->plate;
  if (!p)
    return;
  ig_array *const arrays[] = {&p->fix, &p->modulus, &p->single, &p->move};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(m->cx, arrays[i]);
  ig_amg_free(p->amg);
  ig_pcg_free(m->cx, &p->pcg);
  ig_ebe_free(m->cx, &p->op_single);
  free(p->element);
  free(p->node);
  free(p);
  m->plate = NULL;
}
