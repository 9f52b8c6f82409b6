/* Every driver of every element kernel against the plain serial element loop: backend x precision x
   assembly x kind and law, forces and state after a few steps of a stirred, distorted mesh. */
#include "check.h"
#include "backend/backend.h"
#include "verify/dynamics/problem.h"
#include "geometry/mesh_case.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/kernels/body.inc"
#include "dynamics/contact/contact.inc"
#include "dynamics/contact/contact_edge.inc"
#include "dynamics/elements/elements.inc"

typedef struct {
  const char *name;
  ig_elem_type type;
  int integration, law, line;
  double yield;
  int setup;
} kind;
enum { KINEMATIC = 100, BY_TABLE }; /* laws that other keys of a material ask for */
enum { ALONE, COLLISION, FOLD, BODIES, TIES, CROSS };
static const kind kinds[] = {
    {"hexahedra bbar", IG_HEX8, IG_INTEGRATE_BBAR, IG_MATERIAL_AUTO, 0, NAN, ALONE},
    {"hexahedra bbar plastic", IG_HEX8, IG_INTEGRATE_BBAR, IG_MATERIAL_AUTO, 0, 1e8, ALONE},
    {"hexahedra full plastic", IG_HEX8, IG_INTEGRATE_FULL, IG_MATERIAL_AUTO, 0, 1e8, ALONE},
    {"hexahedra single", IG_HEX8, IG_INTEGRATE_SINGLE, IG_MATERIAL_AUTO, 0, NAN, ALONE},
    {"hexahedra single plastic", IG_HEX8, IG_INTEGRATE_SINGLE, IG_MATERIAL_AUTO, 0, 1e8, ALONE},
    {"hexahedra neo-Hookean", IG_HEX8, IG_INTEGRATE_FULL, IG_MATERIAL_NEO_HOOKEAN, 0, NAN, ALONE},
    {"hexahedra kinematic", IG_HEX8, IG_INTEGRATE_BBAR, KINEMATIC, 0, 1e8, ALONE},
    {"hexahedra by table", IG_HEX8, IG_INTEGRATE_BBAR, BY_TABLE, 0, 1e8, ALONE},
    {"hexahedra single kinematic", IG_HEX8, IG_INTEGRATE_SINGLE, KINEMATIC, 0, 1e8, ALONE},
    {"tetrahedra kinematic", IG_TET4, 0, KINEMATIC, 0, 1e8, ALONE},
    {"tetrahedra by table", IG_TET4, 0, BY_TABLE, 0, 1e8, ALONE},
    {"tetrahedra Johnson-Cook", IG_TET4, 0, IG_MATERIAL_JOHNSON_COOK, 0, 1e8, ALONE},
    {"tetrahedra neo-Hookean", IG_TET4, 0, IG_MATERIAL_NEO_HOOKEAN, 0, NAN, ALONE},
    {"shells kinematic", IG_TRI3, 0, KINEMATIC, 0, 1e8, ALONE},
    {"shells by table", IG_TRI3, 0, BY_TABLE, 0, 1e8, ALONE},
    {"shells Johnson-Cook", IG_TRI3, 0, IG_MATERIAL_JOHNSON_COOK, 0, 1e8, ALONE},
    {"beams kinematic", IG_BEAM2, 0, KINEMATIC, IG_LINE_BEAM, 1e8, ALONE},
    {"beams by table", IG_BEAM2, 0, BY_TABLE, IG_LINE_BEAM, 1e8, ALONE},
    {"bars kinematic", IG_BEAM2, 0, KINEMATIC, IG_LINE_BAR, 1e8, ALONE},
    {"bars by table", IG_BEAM2, 0, BY_TABLE, IG_LINE_BAR, 1e8, ALONE},
    {"hexahedra Johnson-Cook", IG_HEX8, IG_INTEGRATE_BBAR, IG_MATERIAL_JOHNSON_COOK, 0, 1e8, ALONE},
    {"tetrahedra", IG_TET4, 0, IG_MATERIAL_AUTO, 0, NAN, ALONE},
    {"tetrahedra plastic", IG_TET4, 0, IG_MATERIAL_AUTO, 0, 1e8, ALONE},
    {"quadratic tetrahedra", IG_TET10, 0, IG_MATERIAL_AUTO, 0, NAN, ALONE},
    {"quadratic tetrahedra plastic", IG_TET10, 0, IG_MATERIAL_AUTO, 0, 1e8, ALONE},
    {"quadratic tetrahedra kinematic", IG_TET10, 0, KINEMATIC, 0, 1e8, ALONE},
    {"quadratic tetrahedra by table", IG_TET10, 0, BY_TABLE, 0, 1e8, ALONE},
    {"quadratic tetrahedra Johnson-Cook", IG_TET10, 0, IG_MATERIAL_JOHNSON_COOK, 0, 1e8, ALONE},
    {"quadratic tetrahedra neo-Hookean", IG_TET10, 0, IG_MATERIAL_NEO_HOOKEAN, 0, NAN, ALONE},
    {"shells", IG_TRI3, 0, IG_MATERIAL_AUTO, 0, NAN, ALONE},
    {"shells plastic", IG_TRI3, 0, IG_MATERIAL_AUTO, 0, 1e8, ALONE},
    {"quadrilaterals", IG_QUAD4, 0, IG_MATERIAL_AUTO, 0, NAN, ALONE},
    {"quadrilaterals plastic", IG_QUAD4, 0, IG_MATERIAL_AUTO, 0, 1e8, ALONE},
    {"quadrilaterals Johnson-Cook", IG_QUAD4, 0, IG_MATERIAL_JOHNSON_COOK, 0, 1e8, ALONE},
    {"beams", IG_BEAM2, 0, IG_MATERIAL_AUTO, IG_LINE_BEAM, NAN, ALONE},
    {"beams plastic", IG_BEAM2, 0, IG_MATERIAL_AUTO, IG_LINE_BEAM, 1e8, ALONE},
    {"bars plastic", IG_BEAM2, 0, IG_MATERIAL_AUTO, IG_LINE_BAR, 1e8, ALONE},
    {"cables", IG_BEAM2, 0, IG_MATERIAL_AUTO, IG_LINE_CABLE, NAN, ALONE},
    {"blocks that collide", IG_HEX8, IG_INTEGRATE_BBAR, IG_MATERIAL_AUTO, 0, NAN, COLLISION},
    {"a shell that touches itself", IG_TRI3, 0, IG_MATERIAL_AUTO, 0, NAN, FOLD},
    {"beams that cross", IG_BEAM2, 0, IG_MATERIAL_AUTO, IG_LINE_BEAM, NAN, CROSS},
    {"a block with rigid ends", IG_HEX8, IG_INTEGRATE_BBAR, IG_MATERIAL_AUTO, 0, NAN, BODIES},
    {"a shell with a rigid edge", IG_TRI3, 0, IG_MATERIAL_AUTO, 0, NAN, BODIES},
    {"blocks tied together", IG_HEX8, IG_INTEGRATE_BBAR, IG_MATERIAL_AUTO, 0, NAN, TIES},
};

static void wavy(void *user, double u, double v, double x[3]) {
  (void)user;
  x[0] = u, x[1] = 0.7 * v + 0.1 * u * u, x[2] = 0.2 * sin(3 * u + v);
}

/* A line that crosses itself near its ends, a little further away than the gap of contact. */
static void loop(void *user, double u, double v, double x[3]) {
  (void)user, (void)v;
  x[0] = cos(5.6 * u), x[1] = 0.7 * sin(11.2 * u), x[2] = 0.0024 * cos(5.6 * u + 1);
}

/* A hairpin: two legs a little further apart than the gap of contact. */
static void hairpin(void *user, double u, double v, double x[3]) {
  (void)user;
  x[0] = fabs(u - 0.5), x[1] = 0.7 * v, x[2] = u < 0.5 ? 0 : 0.0045;
}

static const ig_dyn_initial flying = {.set = "flying", .velocity = {400, 10, -7}};

/* Two blocks beside each other, unlike in their meshes; the nodes of the first are `flying`. */
static void two_blocks(ig_ctx *cx, ig_dyn_problem *q, double between) {
  const ig_mesh_case mesh = {
      .boxes = {2,
                (ig_box_case[]){
                    {.name = "left", .size = IG_ROW(0.3, 0.3, 0.3), .cells = IG_ROW(3, 3, 3)},
                    {.name = "right",
                     .origin = IG_ROW(0.3 + between, 0.02, 0.013),
                     .size = IG_ROW(0.2, 0.2, 0.2),
                     .cells = IG_ROW(3, 4, 3)}}},
      .sets = {2, (ig_pick_case[]){{.name = "foot",
                                    .of = IG_PICK_NODES,
                                    .place.box = {.at.given = true,
                                                  .min = IG_ROW(0.29 + between, 0.019, 0),
                                                  .max = IG_ROW(0.301 + between, 1, 1)}},
                                   {.name = "ground",
                                    .of = IG_PICK_FACES,
                                    .place.box = {.at.given = true,
                                                  .min = IG_ROW(0.299, -1, -1),
                                                  .max = IG_ROW(0.3001, 1, 1)}}}}};
  GOOD(cx, ig_mesh_generate(cx, &mesh, &q->mesh));
  ig_set *set;
  ig_lid n = 0;
  for (ig_lid i = 0; i < q->mesh->nodes; i++)
    n += q->mesh->x[3 * (int64_t)i] < 0.3 + 0.5 * between;
  GOOD(cx, ig_mesh_add_set(cx, q->mesh, "flying", IG_SET_NODES, n, &set));
  n = 0;
  for (ig_lid i = 0; i < q->mesh->nodes; i++)
    if (q->mesh->x[3 * (int64_t)i] < 0.3 + 0.5 * between)
      set->item[n++] = i;
}

static double noise(int64_t i) {
  uint64_t h = (uint64_t)i * 0x9e3779b97f4a7c15u + 12345;
  h ^= h >> 31, h *= 0xbf58476d1ce4e5b9u, h ^= h >> 29;
  return (double)(h >> 11) / 9007199254740992.0 - 0.5;
}

static void build(ig_ctx *cx, const kind *k, ig_precision precision, ig_assembly assembly,
                  ig_dyn_problem *q, ig_dyn_model **m) {
  GOOD(cx, ig_dyn_problem_new(cx, q));
  q->section.integration = k->integration;
  q->quads = k->type == IG_QUAD4;
  q->section.thickness = 0.02;
  q->section.radius = 0.02;
  q->section.line = k->line;
  q->section.bulk_linear = 0.06;
  q->section.bulk_quadratic = 1.2;
  static double strain[3] = {0, 0.001, 0.01}, stress[3] = {1e8, 1.5e8, 1.8e8};
  const bool yields = k->law >= KINEMATIC || !isnan(k->yield);
  q->material.law = k->law >= KINEMATIC || k->law == IG_MATERIAL_AUTO
                        ? (yields ? IG_MATERIAL_PLASTIC : IG_MATERIAL_ELASTIC)
                        : k->law;
  q->material.kinematic = k->law == KINEMATIC ? 3e9 : NAN;
  if (k->law == BY_TABLE)
    q->material.hardening_curve = (ig_table){3, strain, stress};
  q->material.yield = k->law == BY_TABLE ? NAN : k->yield;
  q->material.hardening = k->law == BY_TABLE ? NAN : 2e9;
  q->material.johnson_cook = (ig_johnson_case){.at.given = true,
                                               .b = 3e8,
                                               .n = 0.3,
                                               .c = 0.02,
                                               .rate0 = 1,
                                               .m = 1,
                                               .room = 293,
                                               .melt = 1800,
                                               .heat_share = 0.9,
                                               .failure = {NAN, NAN, NAN, NAN, NAN}};
  static const ig_dyn_tie tie = {.set = "foot", .to = "ground", .distance = 0.01};
  static ig_support_case body[2];
  body[0] = ig_support_fix(k->type == IG_HEX8 ? "x0" : "u0", NULL);
  body[1] = ig_support_fix(k->type == IG_HEX8 ? "x1" : "u1", "y rx");
  body[1].velocity[0] = 30;
  body[1].components = "x";
  if (k->setup == COLLISION || k->setup == FOLD || k->setup == CROSS)
    q->c.contact = (ig_dyn_contact){.at.given = true,
                                    .on = true,
                                    .edges = true,
                                    .penalty = 0.1,
                                    .thickness = 0.004,
                                    .friction = 0.3};
  if (k->setup == BODIES)
    q->c.bodies = (ig_list){2, body};
  if (k->setup == TIES)
    q->c.ties = (ig_list){1, (void *)&tie};
  if (k->setup == COLLISION)
    q->c.initial = (ig_list){1, (void *)&flying};
  if (k->setup == COLLISION || k->setup == TIES)
    two_blocks(cx, q, k->setup == TIES ? 0.004 : 0.0045);
  else if (k->setup == FOLD)
    GOOD(cx, ig_dyn_problem_sheet(q, 10, 5, false, hairpin, NULL));
  else if (k->type == IG_HEX8)
    GOOD(cx, ig_dyn_problem_box(q, (double[3]){1, 0.5, 0.5}, (int[3]){5, 3, 3}));
  else if (k->type == IG_TET4 || k->type == IG_TET10) {
    q->quadratic = k->type == IG_TET10;
    GOOD(cx, ig_dyn_problem_tets(q, (double[3]){1, 0.5, 0.5}, (int[3]){3, 2, 2}));
  } else if (k->type == IG_TRI3 || k->type == IG_QUAD4)
    GOOD(cx, ig_dyn_problem_sheet(q, 6, 5, false, wavy, NULL));
  else
    GOOD(cx, ig_dyn_problem_chain(q, 37, k->setup == CROSS ? loop : wavy, NULL));
  for (int64_t i = 0; i < 3 * (int64_t)q->mesh->nodes && (k->setup == ALONE || k->setup == BODIES);
       i++)
    q->mesh->x[i] += 0.015 * noise(i);
  GOOD(cx, ig_dyn_problem_open(q, precision, assembly, m));
  GOOD(cx, ig_dyn_set_clock(*m, 2e-6, 0));
  if (k->setup == COLLISION || k->setup == BODIES || k->setup == TIES) {
    /* bodies and ties have told their particles how to move: others follow */
    for (int64_t n = 0; n < q->mesh->nodes; n++)
      for (int c = 0; c < 3; c++) {
        const int32_t *bound = (*m)->carried.bound.host;
        const double v = ig_dyn_get(*m, &(*m)->v, n * (*m)->p.dofs + c) + 60 * noise(3 * n + c);
        if (bound && bound[n])
          continue;
        if ((*m)->part == sizeof(double))
          ((double *)(*m)->v.host)[n * (*m)->p.dofs + c] = v;
        else
          ((float *)(*m)->v.host)[n * (*m)->p.dofs + c] = (float)v;
      }
    GOOD(cx, ig_array_push(cx, &(*m)->v));
    return;
  }
  const int D = (*m)->p.dofs;
  for (int64_t i = 0; i < (int64_t)q->mesh->nodes * D; i++) {
    const double v = 60 * noise(i + 1000);
    if ((*m)->part == sizeof(double))
      ((double *)(*m)->v.host)[i] = v;
    else
      ((float *)(*m)->v.host)[i] = (float)v;
  }
  GOOD(cx, ig_array_push(cx, &(*m)->v));
}

/* The nearest of all triangles that surface particle i has crossed. */
static void plain_seek(const ig_dyn_particles *p, int32_t i, const contact_left_over_f64 *over,
                       const contact_touch_f64 *other, contact_touch_f64 *best) {
  const int32_t n = p->contact.surface[i];
  memset(best, 0, sizeof *best);
  best->k = -1;
  for (int32_t k = 0; k < p->contact.triangles; k++) {
    const int32_t *t = p->contact.triangle + 3 * k;
    contact_touch_f64 at = {.k = k};
    if (n == t[0] || n == t[1] || n == t[2] || !contact_crossed_f64(p, i, over, &at) ||
        (other->k >= 0 && !contact_beside_f64(p, other, &at)))
      continue;
    if (best->k < 0 || fabs(at.distance) < fabs(best->distance))
      *best = at;
  }
  memset(best->u, 0, sizeof best->u);
}

/* Contact as it is defined: every particle with all triangles. */
static bool plain_contact(ig_dyn_particles *p) {
  bool any = false;
  double *touch = p->contact.touch, *now = p->contact.now;
  memset(touch, 0, sizeof *touch * 3 * (size_t)p->nodes);
  for (int32_t i = 0; i < p->contact.surfaces; i++) {
    const int32_t n = p->contact.surface[i];
    const double *kept = p->contact.kept + IG_DYN_KEPT * (int64_t)i;
    contact_touch_f64 at[2];
    contact_left_over_f64 over = {0};
    for (int s = 0; s < 2; s++)
      if (kept[3 * s] < 0 || !contact_hold_f64(p, n, kept + 3 * s, &at[s], &over))
        at[s].k = -1;
    const int s = at[0].k < 0 ? 0 : 1;
    if (at[s].k < 0) {
      plain_seek(p, i, &over, &at[1 - s], &at[s]);
      if (at[s].k >= 0 && at[1 - s].k < 0)
        plain_seek(p, i, &over, &at[s], &at[1 - s]);
    }
    for (int c = 0; c < 2; c++) {
      double *row = now + IG_DYN_KEPT * (int64_t)i + 3 * c, push[IG_DYN_PUSH];
      row[0] = -1;
      if (at[c].k < 0)
        continue;
      any = true;
      contact_force_f64(p, n, &at[c], row, push);
      for (int d = 0; d < 3; d++) {
        touch[3 * n + d] += push[d];
        for (int a = 0; a < 3; a++)
          touch[3 * p->contact.triangle[3 * at[c].k + a] + d] -= push[3 + a] * push[d];
      }
    }
  }
  return any;
}

/* Every edge with all others, the one of most energy counts; forces on both. */
static bool plain_edges(ig_dyn_particles *p) {
  bool any = false;
  double *touch = p->contact.touch;
  for (int32_t i = 0; i < p->edges.count; i++) {
    const int64_t row = IG_DYN_KEPT * ((int64_t)p->contact.surfaces + i);
    const int32_t code = (int32_t)p->contact.kept[row];
    int32_t best = -1;
    edge_touch_f64 at, most;
    memset(&most, 0, sizeof most);
    double largest = 0, force[12];
    if (code >= 0 && (largest = edge_pair_f64(p, i, code / 2, code % 2 ? -1 : 1, &most)) > 0)
      best = code / 2;
    for (int32_t j = 0; j < p->edges.count && (best < 0 || !(largest > 0) || code < 0); j++) {
      const double energy = j == i ? 0 : edge_pair_f64(p, i, j, 0, &at);
      if (energy > largest)
        largest = energy, best = j, most = at;
    }
    p->contact.now[row] = best < 0 ? -1 : 2 * best + (most.side < 0);
    if (best < 0)
      continue;
    any = true;
    edge_forces_f64(p, i, best, &most, force);
    for (int c = 0; c < 12; c++)
      touch[3 * p->edges.node[2 * (c < 6 ? i : best) + c / 3 % 2] + c % 3] += force[c];
  }
  return any;
}

/* What the step has found is remembered. */
static void plain_remember(ig_dyn_particles *p) {
  const size_t rows = (size_t)p->contact.surfaces + (size_t)p->edges.count;
  memcpy(p->contact.kept, p->contact.now, IG_DYN_KEPT * rows * sizeof(double));
  memcpy(p->contact.before, p->x, 3 * (size_t)p->nodes * sizeof(double));
}

static void plain_bodies(ig_dyn_particles *p) {
  for (int k = 0; k < p->bodies.count; k++) {
    ig_dyn_body *b = &p->bodies.of[k];
    double force[3] = {0}, moment[3] = {0};
    for (int32_t i = b->first; i < b->first + b->count; i++)
      body_pull_f64(p, b, i, force, moment);
    ig_dyn_body_move(p, b, force, moment, 1);
    for (int32_t i = b->first; i < b->first + b->count; i++)
      body_place_f64(p, b, i);
    ig_dyn_body_commit(p, b);
  }
}

enum { STEPS = 12 };

/* The plain loop: one element after the other, one particle after the other, in double. */
static void plain(const kind *k, double **x, double **v, double **f, ig_lid *nodes, int *dofs) {
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_dyn_problem q;
  ig_dyn_model *m;
  build(cx, k, IG_DOUBLE, IG_GATHER, &q, &m);
  const ig_dyn_group *g = &m->group[0];
  const int D = m->p.dofs, npe = g->g_f64.npe, d = g->g_f64.dofs;
  double *F = m->p.f;
  bool touched = false;
  for (int s = 0; s < STEPS; s++) {
    if (m->p.contact.surfaces) {
      touched |= plain_contact(&m->p);
      touched |= plain_edges(&m->p);
      plain_remember(&m->p);
    }
    for (int32_t n = 0; n < m->p.nodes; n++)
      particle_step_f64(&m->p, n, D);
    plain_bodies(&m->p);
    for (int32_t i = 0; i < m->p.ties.count; i++)
      tie_step_f64(&m->p, i);
    for (ig_lid e = 0; e < g->count; e++) {
      const int32_t *conn = (int32_t *)g->conn.host + e * npe;
      double xe[IG_DYN_POSITIONS], du[IG_DYN_MOTIONS], fe[IG_DYN_MOTIONS], left;
      for (int a = 0; a < npe; a++) {
        for (int c = 0; c < 3; c++)
          xe[3 * a + c] = ((double *)m->p.x)[3 * conn[a] + c] - ((double *)m->p.x)[3 * conn[0] + c];
        for (int c = 0; c < d; c++)
          du[d * a + c] = m->p.clock->dt * ((double *)m->p.v)[D * conn[a] + c];
      }
      double *st = g->g_f64.state + (int64_t)(e / IG_DYN_BLOCK) * IG_DYN_BLOCK * g->g_f64.states +
                   e % IG_DYN_BLOCK;
      assert_true(element_force_f64((int)g->kind, g->law, &g->g_f64, st, m->p.clock->dt, xe, du, fe,
                                    &left) > 0);
      for (int a = 0; a < npe; a++)
        for (int c = 0; c < d; c++)
          F[D * conn[a] + c] += fe[d * a + c];
    }
    ig_dyn_tick(m->p.clock);
  }
  assert_true(touched || m->p.contact.surfaces == 0);
  *nodes = m->p.nodes;
  *dofs = D;
  const size_t n = (size_t)m->p.nodes;
  *x = malloc(3 * n * sizeof **x), *v = malloc(n * (size_t)D * sizeof **v);
  *f = malloc(n * (size_t)D * sizeof **f);
  memcpy(*x, m->p.x, 3 * n * sizeof **x);
  memcpy(*v, m->p.v, n * (size_t)D * sizeof **v);
  memcpy(*f, m->p.f, n * (size_t)D * sizeof **f);
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  ig_ctx_close(cx);
}

/* `a` holds D numbers a particle, `pitch` apart; `expected` D without gaps. */
static double worst(const ig_dyn_model *m, const ig_array *a, int pitch, const double *expected) {
  double top = 0, off = 0;
  const int D = m->p.dofs;
  for (int64_t i = 0; i < (int64_t)m->p.nodes * D; i++) {
    top = fmax(top, fabs(expected[i]));
    off = fmax(off, fabs(ig_dyn_get(m, a, i / D * pitch + i % D) - expected[i]));
  }
  return off / top;
}

static void on(const char *backend) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    double *x, *v, *f;
    ig_lid nodes;
    int D;
    plain(&kinds[k], &x, &v, &f, &nodes, &D);
    for (int precision = IG_SINGLE; precision <= IG_MIXED; precision++)
      for (int how = IG_ATOMIC; how <= IG_CLUSTER; how++) {
        ig_ctx *cx = ctx_on(backend, 2);
        ig_dyn_problem q;
        ig_dyn_model *m;
        build(cx, &kinds[k], (ig_precision)precision, (ig_assembly)how, &q, &m);
        GOOD(cx, ig_dyn_advance(m, STEPS));
        GOOD(cx, ig_fault_check(cx, "element", m->fault_ids));
        GOOD(cx, ig_dyn_pull(m));
        const double tolerance = precision == IG_DOUBLE ? 1e-9 : 3e-3;
        const double off = worst(m, &m->f, m->p.pitch, f);
        const double off_v = worst(m, &m->v, m->p.dofs, v);
        if (!(off < tolerance && off_v < tolerance))
          print_message("%s %s precision %d assembly %d: forces %g velocities %g\n", backend,
                        kinds[k].name, precision, how, off, off_v);
        assert_true(off < tolerance);
        assert_true(off_v < tolerance);
        ig_dyn_model_free(m);
        ig_dyn_problem_free(&q);
        ig_ctx_close(cx);
      }
    free(x), free(v), free(f);
  }
}

/* Forces of two edges are the slope of their energy, near and far from parallel; they balance in
   force and moment. */
static void edges_have_a_potential(void **state) {
  (void)state;
  enum { TRIALS = 200 };
  double x[12], v[12] = {0}, before[12], mass[4] = {1, 2, 3, 4}, length[4] = {1, 1, 1, 1};
  double spring[4] = {0.1, 0.2, 0.3, 0.4}, offset[4] = {0.1, 0.1, 0.1, 0.1};
  const int32_t edge[4] = {0, 1, 2, 3};
  const int32_t side[4] = {-1, -1, -1, -1};
  ig_dyn_clock clock = {0};
  const ig_dyn_particles p = {
      .nodes = 4,
      .dofs = 3,
      .x = x,
      .v = v,
      .mass = mass,
      .clock = &clock,
      .contact = {.before = before, .gap = 0.3, .spring = spring, .offset = offset},
      .edges = {.count = 2, .node = edge, .side = side, .length = length}};
  int touching = 0;
  for (int t = 0; t < TRIALS; t++) {
    edge_touch_f64 at, to;
    double force[12], sum[3] = {0}, moment[3] = {0};
    const double angle = t % 2 ? 0.6 * noise(17 * t) : 3 * noise(17 * t);
    const double at_start[12] = {-1,          0,           0,   1,          0,          0,
                                 -cos(angle), -sin(angle), 0.1, cos(angle), sin(angle), 0.1};
    for (int i = 0; i < 12; i++) {
      x[i] = at_start[i] + 0.05 * noise(100 * t + i);
      before[i] = at_start[i] + (i % 3 == 2 && i > 5 ? 5 : 0);
    }
    if (!(edge_pair_f64(&p, 0, 1, 0, &at) > 0))
      continue;
    touching++;
    edge_forces_f64(&p, 0, 1, &at, force);
    for (int i = 0; i < 12; i++) {
      const double h = 1e-6, here = x[i];
      x[i] = here + h;
      const double up = edge_pair_f64(&p, 0, 1, at.side, &to);
      x[i] = here - h;
      const double down = edge_pair_f64(&p, 0, 1, at.side, &to);
      x[i] = here;
      assert_float_equal(force[i], (down - up) / (2 * h), 1e-7);
      sum[i % 3] += force[i];
    }
    for (int a = 0; a < 4; a++)
      for (int c = 0; c < 3; c++)
        moment[c] += x[3 * a + (c + 1) % 3] * force[3 * a + (c + 2) % 3] -
                     x[3 * a + (c + 2) % 3] * force[3 * a + (c + 1) % 3];
    for (int c = 0; c < 3; c++) {
      assert_float_equal(sum[c], 0, 1e-14);
      assert_float_equal(moment[c], 0, 1e-14);
    }
  }
  assert_true(touching > TRIALS / 2);
}

ON_BACKENDS

/* `color`, `gather` and `cluster` give the same bits whatever the threads, with contact, bodies and
   ties too; on a GPU they do from run to run. Steps one by one have the bits of steps in a row,
   where clusters move particles as soon as they have their force. */
static void repeats(const char *backend, const kind *k) {
  if (!backend_here(backend))
    skip();
  for (int how = IG_COLOR; how <= IG_CLUSTER; how++) {
    uint64_t seen = 0;
    for (int threads = 1; threads <= 3; threads++) {
      ig_ctx *cx = ctx_on(backend, threads);
      ig_dyn_problem q;
      ig_dyn_model *m;
      build(cx, k, IG_DOUBLE, (ig_assembly)how, &q, &m);
      for (int s = 0; s < (threads == 2 ? 40 : 1); s++)
        GOOD(cx, ig_dyn_advance(m, threads == 2 ? 1 : 40));
      GOOD(cx, ig_dyn_pull(m));
      uint64_t h = 1469598103934665603u;
      for (size_t i = 0; i < m->x.count * sizeof(double); i++)
        h = (h ^ ((unsigned char *)m->x.host)[i]) * 1099511628211u;
      if (threads == 1)
        seen = h;
      assert_true(h == seen);
      ig_dyn_model_free(m);
      ig_dyn_problem_free(&q);
      ig_ctx_close(cx);
    }
  }
}

static void reproducible(void **state) {
  (void)state;
  repeats("cpu", &kinds[1]);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (kinds[k].setup != ALONE || (isnan(kinds[k].yield) && kinds[k].type != IG_HEX8))
      repeats("cpu", &kinds[k]);
}
static void reproducible_on_cuda(void **state) {
  (void)state;
  repeats("cuda", &kinds[1]);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (kinds[k].setup != ALONE || (isnan(kinds[k].yield) && kinds[k].type != IG_HEX8))
      repeats("cuda", &kinds[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_have_a_potential),
      cmocka_unit_test(on_cpu),
      cmocka_unit_test(on_debug),
      cmocka_unit_test(on_cuda),
      cmocka_unit_test(reproducible),
      cmocka_unit_test(reproducible_on_cuda),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
