/* Verification through time: waves, frequencies, energy, impact. */
#include "verify/dynamics/verify.h"

/* A unit square onto a quarter disc. */
static void to_disc(double u, double v, double *r, double *angle) {
  *r = fmax(u, v);
  *angle = *r == 0 ? 0 : u >= v ? IG_PI / 4 * v / u : IG_PI / 2 - IG_PI / 4 * u / v;
}

/* The spherical dome of Tang et al. (2020) under 600 psi, elastoplastic; a quarter of it, in inches
 * and pounds. */
static void cap(void *user, double u, double v, double x[3]) {
  const patch *p = user;
  double r, lon;
  to_disc(u, v, &r, &lon);
  const double lat = p->angle * r;
  x[0] = p->radius * sin(lat) * cos(lon), x[1] = p->radius * sin(lat) * sin(lon);
  x[2] = p->radius * cos(lat);
}
ig_status ig_dyn_verify_dome(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { N = 24, ROWS = 7 };
  static const double t[ROWS] = {.05e-3, .10e-3, .15e-3, .20e-3, .25e-3, .30e-3, .45e-3};
  static const double w[ROWS] = {-.00703, -.02459, -.04860, -.05445, -.05837, -.05652, -.06643};
  static const char *const name[ROWS] = {"deflection at 0.05 ms [in]", "deflection at 0.10 ms [in]",
                                         "deflection at 0.15 ms [in]", "deflection at 0.20 ms [in]",
                                         "deflection at 0.25 ms [in]", "deflection at 0.30 ms [in]",
                                         "deflection at 0.45 ms [in]"};
  patch p = {.radius = 22.27, .angle = 26.67 * IG_PI / 180};
  ig_support_case fix[4] = {ig_support_fix("v0", "y rx rz"), ig_support_fix("u0", "x ry rz"),
                            ig_support_fix("u1", "all"), ig_support_fix("v1", "all")};
  ig_dyn_load load = ig_dyn_force_on("sheet", NAN, NAN, NAN);
  load.pressure = 600;
  ig_dyn_problem_material(q, 2.45e-4, 10.5e6, 0.3);
  q->material.yield = 24000;
  q->material.hardening = 0.21e6;
  q->section.thickness = 0.41;
  q->c.inertia_scale = 0;
  q->c.supports = (ig_list){4, fix};
  q->c.loads = (ig_list){1, &load};
  IG_TRY(ig_dyn_problem_sheet(q, N, N, false, cap, &p));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(balance(*m));
  for (int i = 0; i < ROWS; i++) {
    IG_TRY(advance_to(*m, t[i], 0.8, 1000));
    IG_TRY(ig_dyn_pull(*m));
    row(sink, name[i], "axisymmetric solid (CalculiX)", w[i], moved(*m, 0, 2),
        t[i] < .31e-3 ? 0.05 : 0.06, true);
  }
  /* the rebound: where thin shells and the solid differ in height, they agree in time */
  double least = -1, when = 0;
  for (double s = 0.55e-3; s < 0.751e-3; s += 0.01e-3) {
    IG_TRY(advance_to(*m, s, 0.8, 1000));
    IG_TRY(ig_dyn_pull(*m));
    if (moved(*m, 0, 2) > least) {
      least = moved(*m, 0, 2);
      when = s;
    }
  }
  row(sink, "time of the rebound, ms", "axisymmetric solid (CalculiX)", 0.65, 1e3 * when, 0.02,
      false);
  row(sink, "height of the rebound [in]", "FPM prototype, 13,824 triangles", -.01860, least, 0.06,
      true);
  ig_dyn_energy e;
  IG_TRY(ig_dyn_energies(*m, &e));
  ZERO("energy balance", e.error, 0.005);
  return IG_OK;
}

/* Taylor's copper bar against a rigid wall. */
static ig_status taylor(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink,
                        const char *const name[3], double foot_tolerance) {
  const ig_mesh_case mesh = {
      .cylinder = {
          .at.given = true, .radius = 3.2e-3, .height = 32.4e-3, .cells = IG_ROW(4, 3, 40)}};
  IG_TRY(ig_mesh_generate(q->cx, &mesh, &q->mesh));
  ig_dyn_tool_case wall = {.shape = IG_TOOL_PLANE, .axis = {0, 0, 1}};
  ig_dyn_initial start = {.velocity = {0, 0, -227}};
  ig_dyn_problem_material(q, 8930, 117e9, 0.35);
  q->material.yield = 0.4e9;
  q->material.hardening = 0.1e9;
  q->c.tools = (ig_list){1, &wall};
  q->c.initial = (ig_list){1, &start};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(balance(*m));
  IG_TRY(advance_to(*m, 80e-6, 0.8, 50));
  IG_TRY(ig_dyn_pull(*m));
  double top = 0, foot = 0, plastic = 0, *report = NULL;
  for (ig_lid n = 0; n < q->mesh->nodes; n++) {
    top = fmax(top, at(*m, n, 2));
    if (m[0]->x0[3 * (int64_t)n + 2] == 0)
      foot = fmax(foot, hypot(at(*m, n, 0), at(*m, n, 1)));
  }
  const ig_lid ne = ig_mesh_elements(q->mesh);
  IG_TRY(IG_NEW(q->cx, &report, ne * IG_DYN_REPORT, "report"));
  const ig_status status = ig_dyn_report(*m, report);
  for (ig_lid e = 0; e < ne; e++)
    plastic = fmax(plastic, report[e * IG_DYN_REPORT + IG_REPORT_PLASTIC]);
  free(report);
  IG_TRY(status);
  ig_dyn_energy e;
  IG_TRY(ig_dyn_energies(*m, &e));
  row(sink, name[0], "NIKE2D, DYNA3D, Camacho & Ortiz", 21.45, 1e3 * top, 0.1, false);
  row(sink, name[1], "NIKE2D, DYNA3D, Camacho & Ortiz", 7.12, 1e3 * foot, foot_tolerance, false);
  row(sink, name[2], "NIKE2D, DYNA3D, Camacho & Ortiz", 3.1, plastic, 0.3, false);
  ZERO("energy balance", e.error, 0.001);
  return IG_OK;
}

ig_status ig_dyn_verify_taylor_bar(ig_dyn_problem *q, ig_dyn_model **m,
                                   const ig_verify_sink *sink) {
  static const char *const name[3] = {"final length, mm", "foot radius, mm",
                                      "largest plastic strain"};
  return taylor(q, m, sink, name, 0.15);
}
ig_status ig_dyn_verify_taylor_single(ig_dyn_problem *q, ig_dyn_model **m,
                                      const ig_verify_sink *sink) {
  static const char *const name[3] = {"one point: final length, mm", "one point: foot radius, mm",
                                      "one point: largest plastic strain"};
  q->section.integration = IG_INTEGRATE_SINGLE;
  return taylor(q, m, sink, name, 0.25);
}

/* A step of velocity running down a bar: stress rho c v, and where the front is. */
ig_status ig_dyn_verify_wave(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { N = 200 };
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1, 0.01, 0.01}, (int[3]){N, 1, 1}));
  ig_support_case push = ig_support_fix("x0", NULL);
  push.velocity[0] = 1;
  ig_dyn_problem_material(q, 7850, 210e9, 0);
  q->section.integration = IG_INTEGRATE_FULL;
  q->c.supports = (ig_list){1, &push};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  const double c = sqrt(210e9 / 7850);
  IG_TRY(balance(*m));
  IG_TRY(advance_to(*m, 0.75 / c, 0.95, 100000));
  double report[N * IG_DYN_REPORT], mean = 0, front = 0;
  IG_TRY(ig_dyn_report(*m, report));
  for (int e = 20; e < 100; e++)
    mean += report[e * IG_DYN_REPORT] / 80;
  for (int e = 0; e < N; e++)
    front += report[e * IG_DYN_REPORT] / (-7850 * c) / N;
  EXACT("stress behind the front, Pa", -7850 * c, mean, 0.002);
  EXACT("way of the front / length", 0.75, front, 0.005);
  ig_dyn_energy e;
  IG_TRY(ig_dyn_energies(*m, &e));
  ZERO("energy balance", e.error, 1e-9);
  return IG_OK;
}

/* First bending frequency of a cantilever, started in the shape of that mode. */
static void mode_start(ig_dyn_model *m, double length) {
  const int D = m->p.dofs;
  for (int64_t n = 0; n < m->p.nodes; n++) {
    const double b = 1.8751040687, s = b * m->x0[3 * n] / length;
    const double r = (cosh(b) + cos(b)) / (sinh(b) + sin(b));
    const double w = cosh(s) - cos(s) - r * (sinh(s) - sin(s));
    const double slope = b / length * (sinh(s) + sin(s) - r * (cosh(s) - cos(s)));
    ((double *)m->v.host)[D * n + 2] = -1e-3 * w;
    if (D == 6)
      ((double *)m->v.host)[D * n + 4] = 1e-3 * slope;
  }
}
static ig_status frequency(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink,
                           const char *name, ig_lid tip, double length, double height) {
  const double young = 210e9, density = 7850;
  double critical, period = 0;
  ig_support_case fix = ig_support_fix(q->mesh->block[0].type == IG_HEX8 ? "x0" : "u0", "all");
  q->c.supports = (ig_list){1, &fix};
  ig_dyn_problem_material(q, density, young, 0);
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  mode_start(*m, length);
  IG_TRY(ig_array_push(q->cx, &m[0]->v));
  const double f = 1.8751040687 * 1.8751040687 / (2 * IG_PI * length * length) *
                   sqrt(young / (density * 12)) * height;
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  IG_TRY(period_of(*m, tip, 2, 0.9 * critical, 1, 4 / f, &period));
  row(sink, name, "Euler-Bernoulli", f, 1 / period, 0.01, true);
  return IG_OK;
}
ig_status ig_dyn_verify_frequency_beam(ig_dyn_problem *q, ig_dyn_model **m,
                                       const ig_verify_sink *sink) {
  line l = {.length = 1};
  q->section.profile = IG_SECTION_RECTANGLE;
  q->section.width = q->section.height = 0.05;
  q->c.inertia_scale = 0;
  IG_TRY(ig_dyn_problem_chain(q, 16, along_x, &l));
  return frequency(q, m, sink, "beam, first bending, Hz", 16, 1, 0.05);
}
ig_status ig_dyn_verify_frequency_shell(ig_dyn_problem *q, ig_dyn_model **m,
                                        const ig_verify_sink *sink) {
  patch p = {.a = 1, .b = 0.1};
  q->section.thickness = 0.02;
  IG_TRY(ig_dyn_problem_sheet(q, 20, 2, false, flat, &p));
  return frequency(q, m, sink, "shell strip, first bending, Hz", 20, 1, 0.02);
}
ig_status ig_dyn_verify_frequency_hex(ig_dyn_problem *q, ig_dyn_model **m,
                                      const ig_verify_sink *sink) {
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1, 0.05, 0.05}, (int[3]){120, 1, 6}));
  return frequency(q, m, sink, "hexahedra, first bending, Hz", 120, 1, 0.05);
}
ig_status ig_dyn_verify_frequency_single(ig_dyn_problem *q, ig_dyn_model **m,
                                         const ig_verify_sink *sink) {
  q->section.integration = IG_INTEGRATE_SINGLE;
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1, 0.05, 0.05}, (int[3]){60, 2, 10}));
  return frequency(q, m, sink, "hexahedra, one point, Hz", 60, 1, 0.05);
}

/* A simply supported square plate, started in its first mode. */
ig_status ig_dyn_verify_frequency_plate(ig_dyn_problem *q, ig_dyn_model **m,
                                        const ig_verify_sink *sink) {
  enum { N = 20 };
  const double young = 210e9, nu = 0.3, thick = 0.01;
  patch p = {.a = 1, .b = 1};
  ig_support_case fix[4] = {ig_support_fix("u0", "z rx"), ig_support_fix("u1", "z rx"),
                            ig_support_fix("v0", "z ry"), ig_support_fix("v1", "z ry")};
  q->section.thickness = thick;
  q->c.supports = (ig_list){4, fix};
  q->c.inertia_scale = 0;
  ig_dyn_problem_material(q, 7850, young, nu);
  IG_TRY(ig_dyn_problem_sheet(q, N, N, false, flat, &p));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  double *v = (*m)->v.host, critical, period = 0;
  for (int64_t n = 0; n < (*m)->p.nodes; n++) {
    const double *x = m[0]->x0 + 3 * n, a = IG_PI * x[0], b = IG_PI * x[1];
    v[6 * n + 2] = -1e-3 * sin(a) * sin(b);
    v[6 * n + 3] = -1e-3 * IG_PI * sin(a) * cos(b);
    v[6 * n + 4] = 1e-3 * IG_PI * cos(a) * sin(b);
  }
  IG_TRY(ig_array_push((*m)->cx, &(*m)->v));
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  const double d = young * thick * thick * thick / (12 * (1 - nu * nu));
  const double exact = IG_PI * sqrt(d / (7850 * thick));
  IG_TRY(period_of(*m, N / 2 * (N + 2), 2, 0.9 * critical, 2, 6 / exact, &period));
  row(sink, "simply supported plate, Hz", "Kirchhoff", exact, 1 / period, 0.01, true);
  return IG_OK;
}

/* A block fixed at one end, started in its first axial mode. */
ig_status ig_dyn_verify_frequency_block(ig_dyn_problem *q, ig_dyn_model **m,
                                        const ig_verify_sink *sink) {
  ig_support_case fix = ig_support_fix("x0", "all");
  q->c.supports = (ig_list){1, &fix};
  ig_dyn_problem_material(q, 7850, 210e9, 0);
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1, 0.2, 0.2}, (int[3]){20, 4, 4}));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  const double c = sqrt(210e9 / 7850);
  double critical, period = 0;
  for (int64_t n = 0; n < (*m)->p.nodes; n++)
    ((double *)(*m)->v.host)[3 * n] = -1e-3 * sin(0.5 * IG_PI * m[0]->x0[3 * n]);
  IG_TRY(ig_array_push((*m)->cx, &(*m)->v));
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  IG_TRY(period_of(*m, (*m)->mesh->nodes - 1, 0, 0.9 * critical, 2, 20 / c, &period));
  EXACT("block, first axial, Hz", 0.25 * c, 1 / period, 0.005);
  return IG_OK;
}

/* A block struck at one end rings for 10^5 steps: its energy stays. */
ig_status ig_dyn_verify_ringing(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  double critical;
  ig_dyn_energy e;
  IG_TRY(ig_dyn_problem_box(q, (double[3]){0.4, 0.1, 0.1}, (int[3]){8, 2, 2}));
  ig_dyn_initial start = {.set = "x1", .velocity = {3, 10, -5}};
  q->c.initial = (ig_list){1, &start};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  IG_TRY(balance(*m));
  IG_TRY(ig_dyn_set_clock(*m, 0.9 * critical, 0));
  IG_TRY(ig_dyn_advance(*m, 100000));
  IG_TRY(ig_dyn_energies(*m, &e));
  ZERO("energy drift over 1e5 steps", e.error, 0.005);
  return IG_OK;
}

/* Two blocks that fly into each other and part again: momentum stays, energy comes back. */
ig_status ig_dyn_verify_collision(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  const ig_mesh_case mesh = {
      .boxes = {2, (ig_box_case[]){
                       {.name = "left", .size = IG_ROW(0.1, 0.1, 0.1), .cells = IG_ROW(4, 4, 4)},
                       {.name = "right",
                        .origin = IG_ROW(0.12, 0.02, 0.013),
                        .size = IG_ROW(0.1, 0.1, 0.1),
                        .cells = IG_ROW(5, 5, 5)}}}};
  IG_TRY(ig_mesh_generate(q->cx, &mesh, &q->mesh));
  ig_lid left[1000], n = 0;
  for (ig_lid i = 0; i < q->mesh->nodes; i++)
    if (q->mesh->x[3 * (int64_t)i] < 0.11)
      left[n++] = i;
  IG_TRY(node_set(q, "flying", left, n));
  ig_dyn_initial start = {.set = "flying", .velocity = {100, 0, 0}};
  ig_dyn_problem_material(q, 2700, 70e9, 0.3);
  q->c.initial = (ig_list){1, &start};
  q->c.contact = (ig_dyn_contact){
      .at.given = true, .on = true, .edges = true, .penalty = NAN, .thickness = 0.002};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(balance(*m));
  IG_TRY(advance_to(*m, 4e-4, 0.6, 100000));
  IG_TRY(ig_dyn_pull(*m));
  double momentum[3] = {0}, put = 0, right = 0, mass = 0;
  for (ig_lid i = 0; i < q->mesh->nodes; i++) {
    for (int c = 0; c < 3; c++)
      momentum[c] += m[0]->weight.mass[i] * ig_dyn_get(*m, &m[0]->v, 3 * (int64_t)i + c);
    if (m[0]->x0[3 * (int64_t)i] < 0.11)
      put += 100 * m[0]->weight.mass[i];
    else {
      right += m[0]->weight.mass[i] * ig_dyn_get(*m, &m[0]->v, 3 * (int64_t)i);
      mass += m[0]->weight.mass[i];
    }
  }
  ig_dyn_energy e;
  IG_TRY(ig_dyn_energies(*m, &e));
  EXACT("momentum along the way, kg m/s", put, momentum[0], 1e-10);
  ZERO("momentum across / put in", hypot(momentum[1], momentum[2]) / put, 1e-10);
  ZERO("energy balance", e.error, 0.005);
  row(sink, "contact energy left / put in", "exact", 0, e.contact / (50 * put), 0.005, false);
  row(sink, "speed of the struck block, m/s: at least half", "between plastic and elastic", 75,
      right / mass, 30, false);
  return IG_OK;
}
