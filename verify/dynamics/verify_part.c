/* Verification of parts: laws in tension, lines, rigid bodies, ties, friction. */
#include "verify/dynamics/verify.h"

/* --- laws: one element pulled along x, free across
 * --------------------------------------------------
 */

static double pull_x[4] = {0, 1, 2, 3}, pull_y[4] = {0, 1, -1, 1};

/* Holds the sides so that the stress is uniaxial; the far end follows the history. */
static ig_status pull_open(ig_dyn_problem *q, ig_dyn_model **m, double by) {
  static ig_support_case fix[4];
  const bool sheet = q->mesh->block[0].type == IG_TRI3, chain = q->mesh->block[0].type == IG_BEAM2;
  const char *const side[3] = {sheet || chain ? "u0" : "x0", sheet || chain ? "u1" : "x1",
                               sheet   ? "v0"
                               : chain ? "u0"
                                       : "y0"};
  fix[0] = ig_support_fix(side[0], sheet ? "x z rx ry rz" : chain ? "xyz" : "x");
  fix[1] = ig_support_fix(side[1], sheet ? "z rx ry rz" : chain ? "yz" : NULL);
  fix[1].displacement[0] = by;
  fix[1].components = "x";
  fix[1].history = (ig_table){4, pull_x, pull_y};
  fix[2] = ig_support_fix(side[2], chain ? "xyz" : "y");
  fix[3] = ig_support_fix("z0", "z"); /* of solids */
  q->c.supports = (ig_list){sheet || chain ? 3 : 4, fix};
  return ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m);
}

/* Force on the far end, at rest at time t of the history. */
static ig_status pull_force(ig_dyn_model *m, double t, double *force) {
  ig_dyn_analysis a = rest;
  a.at_time = t, a.ramp = 4000, a.safety = 0.6;
  IG_TRY(settle(m, &a));
  const ig_set *set = ig_mesh_find_set(m->mesh, "u1", IG_SET_NODES);
  if (!set)
    set = ig_mesh_find_set(m->mesh, "x1", IG_SET_NODES);
  *force = 0;
  for (ig_lid i = 0; i < set->count; i++)
    *force += ig_dyn_get(m, &m->f, (int64_t)m->p.pitch * set->item[i]);
  return IG_OK;
}

/* Isotropic and kinematic hardening together: loaded, turned round, and back. */
static const double E = 200e9, YIELD = 200e6, H = 5e9, K = 15e9, BY = 0.002;
static ig_status pull_cycle(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink,
                            const char *const name[2], double area) {
  /* the law in one dimension, step by step */
  double s = 0, ep = 0, back = 0, want[2];
  const double way[2] = {BY, -2 * BY};
  for (int i = 0; i < 2; i++) {
    const double trial = s + E * way[i] - back;
    const double dp = fmax(0, fabs(trial) - YIELD - H * ep) / (E + H + K);
    s += E * way[i] - E * copysign(dp, trial);
    back += K * copysign(dp, trial);
    ep += dp;
    want[i] = s;
  }
  ig_dyn_problem_material(q, 7850, E, 0.3);
  q->material.yield = YIELD, q->material.hardening = H, q->material.kinematic = K;
  IG_TRY(pull_open(q, m, BY));
  for (int i = 0; i < 2; i++) {
    double force;
    IG_TRY(pull_force(*m, i + 1, &force));
    EXACT(name[i], want[i] * 1e-6, force / area * 1e-6, 0.006);
  }
  return IG_OK;
}
static const double cube[3] = {1, 1, 1};
static const int once[3] = {1, 1, 1};

#define NAMES(what)                                                                                \
  (const char *const[2]) {                                                                         \
    what ": stress loaded, MPa", what ": stress turned round, MPa"                                 \
  }
ig_status ig_dyn_verify_pull_bar(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  line l = {.length = 1};
  q->section.line = IG_LINE_BAR, q->section.radius = 0.1;
  IG_TRY(ig_dyn_problem_chain(q, 1, along_x, &l));
  return pull_cycle(q, m, sink, NAMES("bar"), 0.01 * IG_PI);
}
ig_status ig_dyn_verify_pull_hex(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  IG_TRY(ig_dyn_problem_box(q, cube, once));
  return pull_cycle(q, m, sink, NAMES("hexahedron"), 1);
}
ig_status ig_dyn_verify_pull_single(ig_dyn_problem *q, ig_dyn_model **m,
                                    const ig_verify_sink *sink) {
  q->section.integration = IG_INTEGRATE_SINGLE;
  IG_TRY(ig_dyn_problem_box(q, cube, once));
  return pull_cycle(q, m, sink, NAMES("hexahedron, one point"), 1);
}
ig_status ig_dyn_verify_pull_tet(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  IG_TRY(ig_dyn_problem_tets(q, cube, once));
  return pull_cycle(q, m, sink, NAMES("tetrahedra"), 1);
}
ig_status ig_dyn_verify_pull_shell(ig_dyn_problem *q, ig_dyn_model **m,
                                   const ig_verify_sink *sink) {
  patch p = {.a = 1, .b = 1};
  q->section.thickness = 0.01;
  IG_TRY(ig_dyn_problem_sheet(q, 1, 1, false, flat, &p));
  return pull_cycle(q, m, sink, NAMES("shell"), 0.01);
}

/* A hardening curve of three rows: the stress lies on it. */
ig_status ig_dyn_verify_pull_table(ig_dyn_problem *q, ig_dyn_model **m,
                                   const ig_verify_sink *sink) {
  static double strain[3] = {0, 0.001, 0.003}, stress[3] = {200e6, 280e6, 320e6};
  q->material.hardening_curve = (ig_table){3, strain, stress};
  IG_TRY(ig_dyn_problem_box(q, cube, once));
  ig_dyn_problem_material(q, 7850, E, 0.3);
  IG_TRY(pull_open(q, m, 0.004));
  double force, report[IG_DYN_REPORT];
  IG_TRY(pull_force(*m, 1, &force));
  IG_TRY(ig_dyn_report(*m, report));
  const double ep = report[IG_REPORT_PLASTIC];
  EXACT("table: stress at its plastic strain, MPa", (280e6 + (ep - 0.001) / 0.002 * 40e6) * 1e-6,
        report[IG_REPORT_MISES] * 1e-6, 1e-3);
  EXACT("table: plastic strain", 0.004 - report[0] / E, ep, 0.01);
  return IG_OK;
}

/* Compressible neo-Hookean, stretched by half: stress and lateral stretch. */
static ig_status rubber(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink,
                        const char *name[2]) {
  const double young = 1e6, nu = 0.4, mu = young / (2 * (1 + nu)),
               lame = young * nu / ((1 + nu) * (1 - 2 * nu)), a = 1.5;
  double low = 0.5, high = 1; /* mu (b^2 - 1) + lame ln(a b^2) = 0 */
  for (int i = 0; i < 100; i++) {
    const double b = 0.5 * (low + high);
    if (mu * (b * b - 1) + lame * log(a * b * b) > 0)
      high = b;
    else
      low = b;
  }
  const double b = 0.5 * (low + high), j = a * b * b;
  const double s = (mu * (a * a - 1) + lame * log(j)) / j;
  ig_dyn_problem_material(q, 1000, young, nu);
  q->material.law = IG_MATERIAL_NEO_HOOKEAN;
  IG_TRY(pull_open(q, m, 0.5));
  double force;
  IG_TRY(pull_force(*m, 1, &force));
  EXACT(name[0], s * b * b, force, 0.001);
  EXACT(name[1], b, 1 + moved(*m, q->mesh->nodes - 1, 1), 0.001);
  return IG_OK;
}
ig_status ig_dyn_verify_pull_rubber(ig_dyn_problem *q, ig_dyn_model **m,
                                    const ig_verify_sink *sink) {
  const char *name[2] = {"neo-Hookean hexahedra: force", "neo-Hookean hexahedra: lateral stretch"};
  q->section.integration = IG_INTEGRATE_FULL;
  IG_TRY(ig_dyn_problem_box(q, cube, (int[3]){2, 2, 2}));
  return rubber(q, m, sink, name);
}
ig_status ig_dyn_verify_pull_rubber_tet(ig_dyn_problem *q, ig_dyn_model **m,
                                        const ig_verify_sink *sink) {
  const char *name[2] = {"neo-Hookean tetrahedra: force",
                         "neo-Hookean tetrahedra: lateral stretch"};
  IG_TRY(ig_dyn_problem_tets(q, cube, (int[3]){2, 2, 2}));
  return rubber(q, m, sink, name);
}

/* Johnson and Cook's failure: in uniaxial tension at d1 + d2 exp(d3 / 3); then nothing holds. */
ig_status ig_dyn_verify_pull_apart(ig_dyn_problem *q, ig_dyn_model **m,
                                   const ig_verify_sink *sink) {
  static ig_support_case fix[4];
  const double d[3] = {0.1, 0.2, -1.5}, limit = d[0] + d[1] * exp(d[2] / 3);
  ig_dyn_problem_material(q, 7850, E, 0.3);
  q->material.law = IG_MATERIAL_JOHNSON_COOK;
  q->material.yield = 300e6;
  q->material.johnson_cook = (ig_johnson_case){.at.given = true,
                                               .b = 400e6,
                                               .n = 0.5,
                                               .rate0 = 1,
                                               .m = 1,
                                               .room = 293,
                                               .melt = 1800,
                                               .failure = {d[0], d[1], d[2], 0, 0}};
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1e-3, 1e-3, 1e-3}, once));
  fix[0] = ig_support_fix("x0", "x");
  fix[1] = ig_support_fix("x1", NULL);
  fix[1].velocity[0] = 5;
  fix[1].components = "x";
  fix[2] = ig_support_fix("y0", "y");
  fix[3] = ig_support_fix("z0", "z");
  q->c.supports = (ig_list){4, fix};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  double report[IG_DYN_REPORT], strain = 0;
  for (int i = 0; i < 100; i++) {
    IG_TRY(advance_to(*m, (i + 1) * 1e-6, 0.5, 1000000));
    IG_TRY(ig_dyn_report(*m, report));
    if (report[IG_REPORT_MISES] == 0)
      break;
    strain = report[IG_REPORT_PLASTIC];
  }
  ZERO("failed: von Mises stress", report[IG_REPORT_MISES], 0);
  EXACT("failed: plastic strain", limit, strain, 0.04);
  return IG_OK;
}

/* --- lines --------------------------------------------------------------------------------------
 */

/* A cable pulls and does not push. */
ig_status ig_dyn_verify_cable(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  line l = {.length = 1};
  q->section.line = IG_LINE_CABLE, q->section.radius = 0.1;
  IG_TRY(ig_dyn_problem_chain(q, 1, along_x, &l));
  IG_TRY(pull_open(q, m, 0.001));
  double force;
  IG_TRY(pull_force(*m, 1, &force));
  EXACT("cable pulled, kN", 210e9 * log(1.001) * 0.01 * IG_PI * 1e-3, force * 1e-3, 1e-3);
  IG_TRY(pull_force(*m, 2, &force));
  ZERO("cable pushed, kN", force * 1e-3, 0);
  return IG_OK;
}

/* Cantilever of an I section: deflection, and the section forces in it. */
ig_status ig_dyn_verify_i_beam(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { N = 20 };
  line l = {.length = 4};
  const double b = 0.1, h = 0.2, f = 0.01, w = 0.006, load = 1000, c = h - 2 * f;
  const double iy = (b * h * h * h - (b - w) * c * c * c) / 12;
  ig_support_case fix = ig_support_fix("u0", "all");
  ig_dyn_load force = ig_dyn_force_on("u1", 0, 0, load);
  force.history = ramp;
  q->section.profile = IG_SECTION_I;
  q->section.width = b, q->section.height = h, q->section.flange = f, q->section.web = w;
  q->c.supports = (ig_list){1, &fix};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(ig_dyn_problem_chain(q, N, along_x, &l));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  IG_TRY(settle(*m, &a));
  double report[N * IG_DYN_REPORT];
  IG_TRY(ig_dyn_report(*m, report));
  row(sink, "I section: deflection, m", "Euler-Bernoulli", load * 64 / (3 * 210e9 * iy),
      moved(*m, N, 2), 0.002, true);
  EXACT("section force Vz, N", load, report[IG_REPORT_SECTION + 2], 0.002);
  EXACT("section force My near the root, N m", -load * (4 - 0.1), report[IG_REPORT_SECTION + 4],
        0.002);
  return IG_OK;
}

/* Perfectly plastic cantilever pushed far by its tip: the root holds yield x b h^2 / 4. */
ig_status ig_dyn_verify_collapse(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { N = 30 };
  line l = {.length = 1};
  const double b = 0.02, h = 0.04, yield = 250e6;
  ig_support_case fix[2] = {ig_support_fix("u0", "all"), ig_support_fix("u1", NULL)};
  fix[1].displacement[2] = 0.06;
  fix[1].components = "z";
  fix[1].history = ramp;
  q->section.profile = IG_SECTION_RECTANGLE;
  q->section.width = b, q->section.height = h;
  q->material.yield = yield;
  q->c.supports = (ig_list){2, fix};
  IG_TRY(ig_dyn_problem_chain(q, N, along_x, &l));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  a.ramp = 40000; /* slowly: what yields on the way stays */
  IG_TRY(settle(*m, &a));
  row(sink, "collapse load, N", "plastic hinge", yield * b * h * h / 4,
      ig_dyn_get(*m, &(*m)->f, 6 * N + 2), 0.03, true);
  return IG_OK;
}

/* --- bodies and ties
 * ------------------------------------------------------------------------------
 */

static void momenta(const ig_dyn_model *m, double p[3], double l[3]) {
  const int D = m->p.dofs;
  const int32_t *bound = m->carried.bound.host;
  for (int c = 0; c < 3; c++)
    p[c] = l[c] = 0;
  for (int64_t n = 0; n < m->p.nodes; n++) {
    double v[3], x[3], r[3];
    if (bound && bound[n] < 0)
      continue; /* its mass is with those that carry it */
    for (int c = 0; c < 3; c++) {
      v[c] = m->weight.mass[n] * ig_dyn_get(m, &m->v, n * D + c);
      /* where it was when it had that velocity */
      x[c] = ig_dyn_get(m, &m->x, 3 * n + c) -
             0.5 * ((ig_dyn_clock *)m->clock.host)->before * ig_dyn_get(m, &m->v, n * D + c);
    }
    cross_f64(x, v, r);
    for (int c = 0; c < 3; c++) {
      p[c] += v[c];
      l[c] += r[c] + (D == 6 ? m->weight.inertia[n] * ig_dyn_get(m, &m->v, n * D + 3 + c) : 0);
    }
  }
}

/* A free rigid block that tumbles about its middle axis, for 10^5 steps. */
ig_status ig_dyn_verify_rigid_top(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  ig_support_case body = ig_support_fix("whole", NULL);
  ig_dyn_initial start = {.velocity = {3, -2, 1}, .spin = {1, 60, 1}, .about = {0.5, 0.25, 0.1}};
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1, 0.5, 0.2}, (int[3]){4, 2, 2}));
  ig_lid whole[200];
  for (ig_lid n = 0; n < q->mesh->nodes; n++)
    whole[n] = n;
  IG_TRY(node_set(q, "whole", whole, q->mesh->nodes));
  q->c.bodies = (ig_list){1, &body};
  q->c.initial = (ig_list){1, &start};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  const ig_dyn_body *b = (*m)->carried.body.host;
  IG_TRY(ig_dyn_set_clock(*m, 1e-5, 0));
  double mass = 0, first[3];
  for (int c = 0; c < 3; c++)
    first[c] = b->momentum[c];
  for (ig_lid n = 0; n < q->mesh->nodes; n++)
    mass += m[0]->weight.mass[n];
  EXACT("mass of the body, kg", 7850 * 0.1, b->mass, 1e-12);
  IG_TRY(ig_array_pull((*m)->cx, &(*m)->carried.body));
  const double before = 0.5 * dot_f64(b->spin, b->momentum);
  IG_TRY(ig_dyn_advance(*m, 100000));
  IG_TRY(ig_dyn_pull(*m));
  IG_TRY(ig_array_pull((*m)->cx, &(*m)->carried.body));
  double p[3], l[3], d[3], d0[3], off = 0;
  momenta(*m, p, l);
  for (int c = 0; c < 3; c++)
    off = fmax(off, fabs(b->momentum[c] - first[c]));
  ZERO("angular momentum, change over 1e5 steps", off / sqrt(dot_f64(first, first)), 1e-12);
  EXACT("momentum along x, kg m/s", 3 * mass, p[0], 1e-9);
  EXACT("energy of the spin after 1e5 steps / before", 1,
        0.5 * dot_f64(b->spin, b->momentum) / before, 1e-5);
  const ig_lid far = q->mesh->nodes - 1;
  for (int c = 0; c < 3; c++) {
    d[c] = at(*m, far, c) - at(*m, 0, c);
    d0[c] = m[0]->x0[3 * far + c] - m[0]->x0[c];
  }
  EXACT("diagonal of the body after 1e5 steps / before", 1,
        sqrt(dot_f64(d, d)) / sqrt(dot_f64(d0, d0)), 1e-12);
  return IG_OK;
}

/* Two beams with a rigid piece between them, stretched: the piece keeps its length. */
ig_status ig_dyn_verify_rigid_joint(ig_dyn_problem *q, ig_dyn_model **m,
                                    const ig_verify_sink *sink) {
  enum { N = 12 };
  line l = {.length = 3};
  ig_support_case fix = ig_support_fix("u0", "all"), body = ig_support_fix("piece", NULL);
  ig_dyn_load force = ig_dyn_force_on("u1", 0, 0, 10);
  force.history = ramp;
  IG_TRY(ig_dyn_problem_chain(q, N, along_x, &l));
  IG_TRY(node_set(q, "piece", (ig_lid[]){4, 5, 6, 7, 8}, 5));
  q->section.radius = 0.01;
  q->c.supports = (ig_list){1, &fix};
  q->c.bodies = (ig_list){1, &body};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(settle(*m, &rest));
  /* each flexible third bends under its own moment; the rigid third only turns */
  const double ei = 210e9 * IG_PI * 1e-8 / 4, p = 10;
  const double slope1 = p * (2 * 1 + 0.5) / ei, w1 = p * (1.0 / 3 + 2 * 0.5) / ei;
  const double w = w1 + 2 * slope1 + p / (3 * ei);
  row(sink, "rigid piece between beams: deflection, m", "Euler-Bernoulli", w, moved(*m, N, 2), 0.01,
      true);
  return IG_OK;
}

/* A bar of two blocks, unlike in their meshes, tied end to end. */
static ig_status tied_blocks(ig_dyn_problem *q) {
  const ig_mesh_case mesh = {
      .boxes = {2,
                (ig_box_case[]){
                    {.name = "left", .size = IG_ROW(0.5, 0.1, 0.1), .cells = IG_ROW(20, 3, 3)},
                    {.name = "right",
                     .origin = IG_ROW(0.501, 0, 0),
                     .size = IG_ROW(0.499, 0.1, 0.1),
                     .cells = IG_ROW(20, 4, 5)}}},
      .sets = {3, (ig_pick_case[]){{.name = "foot",
                                    .of = IG_PICK_NODES,
                                    .place.box = {.at.given = true,
                                                  .min = IG_ROW(0.5005, -1, -1),
                                                  .max = IG_ROW(0.5015, 1, 1)}},
                                   {.name = "ground",
                                    .of = IG_PICK_FACES,
                                    .place.box = {.at.given = true,
                                                  .min = IG_ROW(0.4999, -1, -1),
                                                  .max = IG_ROW(0.5001, 1, 1)}},
                                   {.name = "root",
                                    .of = IG_PICK_NODES,
                                    .place.box = {.at.given = true,
                                                  .min = IG_ROW(-1, -1, -1),
                                                  .max = IG_ROW(0.0001, 1, 1)}}}}};
  static const ig_dyn_tie tie = {.set = "foot", .to = "ground", .distance = 0.005};
  IG_TRY(ig_mesh_generate(q->cx, &mesh, &q->mesh));
  q->c.ties = (ig_list){1, (void *)&tie};
  ig_dyn_problem_material(q, 7850, 210e9, 0);
  return IG_OK;
}
ig_status ig_dyn_verify_tied_bar(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  ig_support_case fix = ig_support_fix("root", "all");
  IG_TRY(tied_blocks(q));
  q->c.supports = (ig_list){1, &fix};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  const double c = sqrt(210e9 / 7850);
  double period = 0;
  for (int64_t n = 0; n < (*m)->p.nodes; n++)
    ((double *)(*m)->v.host)[3 * n] = -1e-3 * sin(0.5 * IG_PI * m[0]->x0[3 * n]);
  IG_TRY(ig_array_push((*m)->cx, &(*m)->v));
  double critical;
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  IG_TRY(period_of(*m, (*m)->mesh->nodes - 1, 0, 0.8 * critical, 2, 20 / c, &period));
  EXACT("tied bar: first axial frequency, Hz", 0.25 * c, 1 / period, 0.01);
  return IG_OK;
}
ig_status ig_dyn_verify_tied_flight(ig_dyn_problem *q, ig_dyn_model **m,
                                    const ig_verify_sink *sink) {
  ig_dyn_initial start = {.velocity = {2, -1, 3}, .spin = {20, 30, 40}, .about = {0.4, 0.1, 0}};
  IG_TRY(tied_blocks(q));
  q->c.initial = (ig_list){1, &start};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  double p[2][3], l[2][3], critical, off[2] = {0};
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  IG_TRY(ig_dyn_set_clock(*m, 0.8 * critical, 0));
  IG_TRY(ig_dyn_advance(*m, 1));
  for (int i = 0; i < 2; i++) {
    IG_TRY(ig_dyn_pull(*m));
    momenta(*m, p[i], l[i]);
    IG_TRY(ig_dyn_advance(*m, 5000));
  }
  for (int c = 0; c < 3; c++) {
    off[0] = fmax(off[0], fabs(p[1][c] - p[0][c]));
    off[1] = fmax(off[1], fabs(l[1][c] - l[0][c]));
  }
  ZERO("tied flight: change of momentum", off[0] / sqrt(dot_f64(p[0], p[0])), 1e-10);
  ZERO("tied flight: change of angular momentum", off[1] / sqrt(dot_f64(l[0], l[0])), 1e-8);
  return IG_OK;
}

/* --- friction -----------------------------------------------------------------------------------
 */

/* A block that slides on a rigid plane under gravity stops after v^2 / (2 mu g). */
ig_status ig_dyn_verify_friction(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  const double mu = 0.3, v = 1;
  ig_dyn_tool_case plane = {.shape = IG_TOOL_PLANE, .axis = {0, 0, 1}, .friction = mu};
  ig_dyn_initial start = {.velocity = {v, 0, 0}};
  IG_TRY(ig_dyn_problem_box(q, (double[3]){0.2, 0.1, 0.05}, (int[3]){4, 2, 1}));
  ig_dyn_problem_material(q, 1000, 1e8, 0.3);
  q->c.tools = (ig_list){1, &plane};
  q->c.initial = (ig_list){1, &start};
  q->c.gravity = (ig_dyn_gravity){.at.given = true, .acceleration = {0, 0, -9.81}};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(balance(*m));
  IG_TRY(advance_to(*m, 0.5, 0.8, 1000000));
  IG_TRY(ig_dyn_pull(*m));
  double way = 0;
  for (ig_lid n = 0; n < q->mesh->nodes; n++)
    way += moved(*m, n, 0) / q->mesh->nodes;
  ig_dyn_energy e;
  IG_TRY(ig_dyn_energies(*m, &e));
  row(sink, "way to rest, m", "Coulomb", v * v / (2 * mu * 9.81), way, 0.02, true);
  ZERO("energy balance", e.error, 0.005);
  return IG_OK;
}
