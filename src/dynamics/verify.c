/* Verification problems of the dynamics room: exact solutions and published benchmarks. */
#include "dynamics/problem.h"
#include "backend/backend.h"
#include "mesh/mesh_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void row(const ig_verify_sink *sink, const char *quantity, const char *source,
                double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row r = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &r);
}
#define EXACT(q, expected, computed, tol) row(sink, q, "exact", expected, computed, tol, true)
#define ZERO(q, computed, tol) row(sink, q, "exact", 0, computed, tol, false)

static double at(const ig_dyn_model *m, ig_lid n, int c) {
  return ig_dyn_get(m, &m->x, 3 * (int64_t)n + c);
}
static double moved(const ig_dyn_model *m, ig_lid n, int c) {
  return at(m, n, c) - m->x0[3 * (int64_t)n + c];
}

static const ig_dyn_analysis rest = {.kind = IG_ANALYSIS_STATIC,
                                     .safety = 0.9,
                                     .damping = NAN,
                                     .tolerance = 1e-5,
                                     .steps = 400000,
                                     .ramp = 2000,
                                     .at_time = 1};

/* Histories that grow from 0 to 1 over one second. */
static double ramp_x[2] = {0, 1}, ramp_y[2] = {0, 1};
static const ig_table ramp = {2, ramp_x, ramp_y};

/* To equilibrium; fails if it is not reached. */
static ig_status settle(ig_dyn_model *m, const ig_dyn_analysis *a) {
  double residual;
  int64_t steps;
  IG_TRY(ig_dyn_relax(m, a, &residual, &steps));
  if (!(residual < a->tolerance))
    return IG_FAIL(m->cx, IG_NUMERIC, "no equilibrium: residual %g after %lld steps", residual,
                   (long long)steps);
  return ig_dyn_pull(m);
}

/* --- lines --------------------------------------------------------------------------------------
 */

typedef struct {
  double length, angle, radius, rise;
} line;
static void along_x(void *user, double u, double v, double x[3]) {
  (void)v;
  const line *l = user;
  x[0] = l->length * u, x[1] = x[2] = 0;
}
static void around(void *user, double u, double v, double x[3]) {
  (void)v;
  const line *l = user;
  x[0] = l->radius * sin(l->angle * u), x[1] = 0, x[2] = l->radius * (1 - cos(l->angle * u));
}

/* Mattiasson's elastica: a cantilever of unit length and stiffness under a dead tip load. */
static ig_status verify_elastica(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double load[] = {1, 4, 10}, u[] = {.05643, .32894, .55500},
                      w[] = {.30172, .66996, .81061};
  static const char *const name[] = {"PL2/EI = 1: shortening",  "PL2/EI = 1: deflection",
                                     "PL2/EI = 4: shortening",  "PL2/EI = 4: deflection",
                                     "PL2/EI = 10: shortening", "PL2/EI = 10: deflection"};
  for (int i = 0; i < 3; i++) {
    ig_dyn_problem q;
    ig_dyn_model *m = NULL;
    line l = {.length = 1};
    ig_dyn_constraint fix = ig_dyn_fix("u0", "all");
    ig_dyn_load force = ig_dyn_force_on("u1", 0, 0, load[i]);
    force.history = ramp;
    IG_TRY(ig_dyn_problem_new(cx, &q));
    ig_dyn_problem_material(&q, 1, 1, 0);
    q.section.area = 1e4, q.section.iy = q.section.iz = 1, q.section.torsion = 1;
    q.c.constraints = (ig_list){1, &fix};
    q.c.loads = (ig_list){1, &force};
    ig_status status = ig_dyn_problem_chain(&q, 16, along_x, &l);
    if (status == IG_OK)
      status = ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m);
    if (status == IG_OK)
      status = settle(m, &rest);
    if (status == IG_OK) {
      row(sink, name[2 * i], "Mattiasson 1981", u[i], -moved(m, 16, 0), 0.005, true);
      row(sink, name[2 * i + 1], "Mattiasson 1981", w[i], moved(m, 16, 2), 0.003, true);
    }
    ig_dyn_model_free(m);
    ig_dyn_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* A cantilever rolled up into a full circle by an end moment. */
static ig_status verify_roll_up(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  line l = {.length = 1};
  ig_dyn_constraint fix[2] = {ig_dyn_fix("u0", "all"), ig_dyn_fix("u1", "y rx rz")};
  ig_dyn_load moment = ig_dyn_force_on("u1", 0, 0, 0);
  moment.moment[0] = moment.moment[2] = 0;
  moment.moment[1] = 2 * pi;
  moment.history = ramp;
  ig_dyn_analysis a = rest;
  a.ramp = 20000;
  IG_TRY(ig_dyn_problem_new(cx, &q));
  ig_dyn_problem_material(&q, 1, 1, 0);
  q.section.area = 1e4, q.section.iy = q.section.iz = 1, q.section.torsion = 1;
  q.c.constraints = (ig_list){2, fix};
  q.c.loads = (ig_list){1, &moment};
  ig_status status = ig_dyn_problem_chain(&q, 20, along_x, &l);
  if (status == IG_OK)
    status = ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m);
  if (status == IG_OK)
    status = settle(m, &a);
  if (status == IG_OK) {
    ZERO("tip back at the root, x / L", at(m, 20, 0), 0.003);
    ZERO("tip back at the root, z / L", at(m, 20, 2), 0.003);
    EXACT("half way: z / L", -1 / pi, at(m, 10, 2), 0.005);
  }
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

/* 45 degree bend of radius 100, 1 x 1 section, under an out-of-plane load. */
static ig_status verify_bend(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  line l = {.radius = 100, .angle = pi / 4};
  ig_dyn_constraint fix = ig_dyn_fix("u0", "all");
  ig_dyn_load force = ig_dyn_force_on("u1", 0, 600, 0);
  force.history = ramp;
  IG_TRY(ig_dyn_problem_new(cx, &q));
  ig_dyn_problem_material(&q, 1, 1e7, 0);
  q.section.area = 1, q.section.iy = q.section.iz = 1.0 / 12, q.section.torsion = 0.1406;
  q.c.constraints = (ig_list){1, &fix};
  q.c.loads = (ig_list){1, &force};
  ig_status status = ig_dyn_problem_chain(&q, 8, around, &l);
  if (status == IG_OK)
    status = ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m);
  if (status == IG_OK)
    status = settle(m, &rest);
  if (status == IG_OK) {
    row(sink, "tip along the first tangent", "FPM prototype, 8 elements", 46.908, at(m, 8, 0),
        0.005, true);
    row(sink, "tip out of the plane", "FPM prototype, 8 elements", 53.643, at(m, 8, 1), 0.005,
        true);
    row(sink, "tip across", "FPM prototype, 8 elements", 15.634, at(m, 8, 2), 0.008, true);
    row(sink, "tip out of the plane", "Bathe & Bolourchi 1979", 53.4, at(m, 8, 1), 0.01, true);
  }
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

/* --- shells --------------------------------------------------------------------------------------
 */

typedef struct {
  double a, b, radius, angle;
} patch;
static void flat(void *user, double u, double v, double x[3]) {
  const patch *p = user;
  x[0] = p->a * u, x[1] = p->b * v, x[2] = 0;
}
static void cylinder(void *user, double u, double v, double x[3]) {
  const patch *p = user;
  x[0] = p->a * v, x[1] = p->radius * sin(p->angle * u), x[2] = p->radius * cos(p->angle * u);
}
static void annulus(void *user, double u, double v, double x[3]) {
  const patch *p = user;
  const double r = p->a + (p->b - p->a) * v;
  x[0] = r * cos(p->angle * u), x[1] = r * sin(p->angle * u), x[2] = 0;
}
static void sphere(void *user, double u, double v, double x[3]) {
  const patch *p = user;
  const double lat = p->b * v, lon = p->angle * u;
  x[0] = p->radius * cos(lat) * cos(lon), x[1] = p->radius * cos(lat) * sin(lon);
  x[2] = p->radius * sin(lat);
}

/* Sze, Liu and Lo's cantilever under an end shear force. */
static ig_status verify_strip_shear(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  patch p = {.a = 10, .b = 1};
  ig_dyn_constraint fix = ig_dyn_fix("u0", "all");
  ig_dyn_load force = ig_dyn_force_on("u1", 0, 0, 0);
  force.total[0] = force.total[1] = 0;
  force.total[2] = 4;
  force.history = ramp;
  IG_TRY(ig_dyn_problem_new(cx, &q));
  ig_dyn_problem_material(&q, 1, 1.2e6, 0);
  q.section.thickness = 0.1;
  q.c.constraints = (ig_list){1, &fix};
  q.c.loads = (ig_list){1, &force};
  ig_status status = ig_dyn_problem_sheet(&q, 20, 2, false, flat, &p);
  if (status == IG_OK)
    status = ig_dyn_problem_open(&q, IG_DOUBLE, IG_GATHER, &m);
  if (status == IG_OK)
    status = settle(m, &rest);
  if (status == IG_OK) {
    row(sink, "shortening", "Sze 2004", 3.286, -moved(m, 20 + 21, 0), 0.005, true);
    row(sink, "deflection", "Sze 2004", 6.698, moved(m, 20 + 21, 2), 0.003, true);
  }
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

/* A mesh node set by numbers. */
static ig_status node_set(ig_dyn_problem *q, const char *name, const ig_lid *node, int count) {
  ig_set *set;
  IG_TRY(ig_mesh_add_set(q->cx, q->mesh, name, IG_SET_NODES, count, &set));
  memcpy(set->item, node, sizeof *node * (size_t)count);
  return IG_OK;
}

/* Sze, Liu and Lo's annular plate, slit along a radius: one lip clamped, the other lifted. */
static ig_status slit_plate(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { AROUND = 96, ACROSS = 10 };
  patch p = {.a = 6, .b = 10, .angle = 2 * pi};
  ig_dyn_constraint fix = ig_dyn_fix("u1", "all");
  const double line_load = 0.8 * 4 / ACROSS;
  ig_dyn_load force[2] = {ig_dyn_force_on("lip", 0, 0, line_load),
                          ig_dyn_force_on("ends", 0, 0, line_load / 2)};
  force[0].history = force[1].history = ramp;
  ig_dyn_problem_material(q, 1, 21e6, 0);
  q->section.thickness = 0.03;
  q->c.constraints = (ig_list){1, &fix};
  q->c.loads = (ig_list){2, force};
  IG_TRY(ig_dyn_problem_sheet(q, AROUND, ACROSS, false, annulus, &p));
  ig_lid lip[ACROSS - 1];
  for (int i = 1; i < ACROSS; i++)
    lip[i - 1] = i * (AROUND + 1);
  IG_TRY(node_set(q, "lip", lip, ACROSS - 1));
  IG_TRY(node_set(q, "ends", (ig_lid[]){0, ACROSS * (AROUND + 1)}, 2));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  a.tolerance = 1e-5;
  IG_TRY(settle(*m, &a));
  row(sink, "inner corner", "Sze 2004", 13.891, moved(*m, 0, 2), 0.03, true);
  row(sink, "outer corner", "Sze 2004", 17.528, moved(*m, ACROSS * (AROUND + 1), 2), 0.03, true);
  return IG_OK;
}

/* Hemisphere with an 18 degree hole under alternating radial forces; a quarter of it. */
static ig_status hemisphere(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { N = 36 };
  patch p = {.radius = 10, .b = 72 * pi / 180, .angle = pi / 2};
  ig_dyn_constraint fix[3] = {ig_dyn_fix("u0", "y rx rz"), ig_dyn_fix("u1", "x ry rz"),
                              ig_dyn_fix("A", "z")};
  /* half of each force: the quarter model cuts them */
  ig_dyn_load force[2] = {ig_dyn_force_on("A", 0, 200, 0), ig_dyn_force_on("B", -200, 0, 0)};
  force[0].history = force[1].history = ramp;
  ig_dyn_problem_material(q, 1, 6.825e7, 0.3);
  q->section.thickness = 0.04;
  q->c.constraints = (ig_list){3, fix};
  q->c.loads = (ig_list){2, force};
  IG_TRY(ig_dyn_problem_sheet(q, N, N, false, sphere, &p));
  IG_TRY(node_set(q, "A", (ig_lid[]){N}, 1));
  IG_TRY(node_set(q, "B", (ig_lid[]){0}, 1));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  a.tolerance = 1e-5;
  IG_TRY(settle(*m, &a));
  row(sink, "outward, P = 400", "Sze 2004", 4.067, moved(*m, N, 1), 0.03, true);
  row(sink, "inward, P = 400", "Sze 2004", 8.178, -moved(*m, 0, 0), 0.03, true);
  return IG_OK;
}

/* The paper's cylinder, clamped at one end and pinched at the other; a quarter of it. */
static ig_status pinched(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { AROUND = 40, ALONG = 40 };
  patch p = {.radius = 1.016, .a = 3.048, .angle = pi / 2};
  ig_dyn_constraint fix[3] = {ig_dyn_fix("u0", "y rx rz"), ig_dyn_fix("u1", "z rx ry"),
                              ig_dyn_fix("v0", "all")};
  ig_dyn_load force = ig_dyn_force_on("top", 0, 0, -300);
  force.history = ramp;
  ig_dyn_problem_material(q, 1000, 20.685e6, 0.3);
  q->section.thickness = 0.03;
  q->c.constraints = (ig_list){3, fix};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(ig_dyn_problem_sheet(q, AROUND, ALONG, false, cylinder, &p));
  const ig_lid top = ALONG * (AROUND + 1);
  IG_TRY(node_set(q, "top", &top, 1));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  a.tolerance = 1e-5;
  IG_TRY(settle(*m, &a));
  row(sink, "F = 600: under the load", "Sze 2004", .66410, -moved(*m, top, 2), 0.03, true);
  return IG_OK;
}

/* Williams' toggle frame, half of it, pushed by its apex. */
static void toggle_arm(void *user, double u, double v, double x[3]) {
  (void)user, (void)v;
  x[0] = 12.936 * u, x[1] = 0, x[2] = 0.386 * u;
}
static ig_status toggle(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  static const double down[] = {0.2, 0.4, 0.6}, load[] = {33.568, 31.369, 53.349};
  static const char *const name[] = {"load at 0.2 in", "load at 0.4 in", "load at 0.6 in"};
  double push_x[] = {0, 1, 2, 3}, push_y[] = {0, 0.2, 0.4, 0.6};
  ig_dyn_constraint fix[2] = {ig_dyn_fix("u0", "all"), ig_dyn_fix("u1", "x y rx ry rz")};
  fix[1].displacement[2] = -1;
  fix[1].history = (ig_table){4, push_x, push_y};
  ig_dyn_problem_material(q, 1, 1.03e7, 0);
  q->section.area = 1.8847e6 / 1.03e7;
  q->section.iy = q->section.iz = 9274 / 1.03e7, q->section.torsion = q->section.iy;
  q->c.constraints = (ig_list){2, fix};
  IG_TRY(ig_dyn_problem_chain(q, 20, toggle_arm, NULL));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  for (int i = 0; i < 3; i++) {
    a.at_time = i + 1;
    IG_TRY(settle(*m, &a));
    ZERO("displacement held", moved(*m, 20, 2) + down[i], 1e-9);
    row(sink, name[i], "co-rotational, 80 elements", load[i],
        -2 * ig_dyn_get(*m, &(*m)->f, 6 * 20 + 2), 0.01, true);
  }
  return IG_OK;
}

/* --- through time --------------------------------------------------------------------------------
 */

/* Advances to time t in steps of the critical step x safety, looked at every `update` steps. */
static ig_status advance_to(ig_dyn_model *m, double t, double safety, int update) {
  for (;;) {
    double critical;
    IG_TRY(ig_array_pull(m->cx, &m->clock));
    const ig_dyn_clock *k = m->clock.host;
    const double left = t - k->time;
    if (left <= 1e-9 * t)
      return IG_OK;
    IG_TRY(ig_dyn_critical_step(m, &critical));
    const double steps = ceil(left / (safety * critical));
    const double dt = steps <= update ? left / steps : safety * critical;
    IG_TRY(ig_dyn_set_clock(m, dt, 0));
    IG_TRY(ig_dyn_advance(m, steps < update ? (int64_t)steps : update));
    IG_TRY(ig_fault_check(m->cx, "element", m->fault_ids));
  }
}

static ig_status balance(ig_dyn_model *m) {
  ig_dyn_energy e;
  double critical;
  IG_TRY(ig_dyn_critical_step(m, &critical));
  IG_TRY(ig_dyn_set_clock(m, 0.1 * critical, 0));
  IG_TRY(ig_dyn_energies(m, &e));
  m->start_energy = e.plain + e.internal - e.external;
  return IG_OK;
}

/* A unit square onto a quarter disc. */
static void to_disc(double u, double v, double *r, double *angle) {
  *r = fmax(u, v);
  *angle = *r == 0 ? 0 : u >= v ? pi / 4 * v / u : pi / 2 - pi / 4 * u / v;
}

/* The paper's spherical dome under 600 psi, elastoplastic; a quarter of it, in inches and pounds.
 */
static void cap(void *user, double u, double v, double x[3]) {
  const patch *p = user;
  double r, lon;
  to_disc(u, v, &r, &lon);
  const double lat = p->angle * r;
  x[0] = p->radius * sin(lat) * cos(lon), x[1] = p->radius * sin(lat) * sin(lon);
  x[2] = p->radius * cos(lat);
}
static ig_status dome(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { N = 24, ROWS = 8 };
  static const double t[ROWS] = {.05e-3, .10e-3, .15e-3, .20e-3, .25e-3, .30e-3, .45e-3, .65e-3};
  static const double w[ROWS] = {-.00703, -.02459, -.04860, -.05445,
                                 -.05837, -.05652, -.06643, -.01547};
  static const char *const name[ROWS] = {"0.05 ms", "0.10 ms", "0.15 ms", "0.20 ms",
                                         "0.25 ms", "0.30 ms", "0.45 ms", "0.65 ms"};
  patch p = {.radius = 22.27, .angle = 26.67 * pi / 180};
  ig_dyn_constraint fix[4] = {ig_dyn_fix("v0", "y rx rz"), ig_dyn_fix("u0", "x ry rz"),
                              ig_dyn_fix("u1", "all"), ig_dyn_fix("v1", "all")};
  ig_dyn_load load = ig_dyn_force_on("sheet", 0, 0, 0);
  load.pressure = 600;
  ig_dyn_problem_material(q, 2.45e-4, 10.5e6, 0.3);
  q->material.yield = 24000;
  q->material.hardening = 0.21e6;
  q->section.thickness = 0.41;
  q->c.inertia_scale = 0;
  q->c.constraints = (ig_list){4, fix};
  q->c.loads = (ig_list){1, &load};
  IG_TRY(ig_dyn_problem_sheet(q, N, N, false, cap, &p));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(balance(*m));
  for (int i = 0; i < ROWS; i++) {
    IG_TRY(advance_to(*m, t[i], 0.8, 1000));
    IG_TRY(ig_dyn_pull(*m));
    /* later swings: thin-shell codes differ from the solid reference by up to a tenth */
    row(sink, name[i], "axisymmetric solid (CalculiX)", w[i], moved(*m, 0, 2),
        t[i] < .31e-3 ? 0.06
        : i == 6      ? 0.06
                      : 0.4,
        true);
  }
  ig_dyn_energy e;
  IG_TRY(ig_dyn_energies(*m, &e));
  ZERO("energy balance", e.error, 0.005);
  return IG_OK;
}

/* Taylor's copper bar against a rigid wall. */
static ig_status taylor_bar(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
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
  row(sink, "final length, mm", "NIKE2D, DYNA3D, Camacho & Ortiz", 21.45, 1e3 * top, 0.1, false);
  row(sink, "foot radius, mm", "NIKE2D, DYNA3D, Camacho & Ortiz", 7.12, 1e3 * foot, 0.2, false);
  row(sink, "largest plastic strain", "NIKE2D, DYNA3D, Camacho & Ortiz", 3.1, plastic, 0.3, false);
  ZERO("energy balance", e.error, 0.001);
  return IG_OK;
}

/* A step of velocity running down a bar: stress rho c v, and where the front is. */
static ig_status wave(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { N = 200 };
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1, 0.01, 0.01}, (int[3]){N, 1, 1}));
  ig_dyn_constraint push = ig_dyn_fix("x0", NULL);
  push.velocity[0] = 1;
  ig_dyn_problem_material(q, 7850, 210e9, 0);
  q->section.integration = IG_INTEGRATE_FULL;
  q->c.constraints = (ig_list){1, &push};
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

/* Time between upward passes of a node's deflection through zero, over `periods` of them. */
static ig_status period_of(ig_dyn_model *m, ig_lid node, int c, double dt, int periods,
                           double longest, double *period) {
  double first = 0, before = 0, t = 0;
  int seen = 0;
  IG_TRY(ig_dyn_set_clock(m, dt, 0));
  while (t < longest) {
    IG_TRY(ig_dyn_advance(m, 4));
    t += 4 * dt;
    IG_TRY(ig_array_pull(m->cx, &m->x));
    const double now = moved(m, node, c);
    if (before < 0 && now >= 0) {
      const double when = t - 4 * dt * now / (now - before);
      if (seen == 0)
        first = when;
      if (seen++ == periods) {
        *period = (when - first) / periods;
        return IG_OK;
      }
    }
    before = now;
  }
  return IG_FAIL(m->cx, IG_NUMERIC, "no oscillation seen within %g s", longest);
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
  ig_dyn_constraint fix = ig_dyn_fix(q->mesh->block[0].type == IG_HEX8 ? "x0" : "u0", "all");
  q->c.constraints = (ig_list){1, &fix};
  ig_dyn_problem_material(q, density, young, 0);
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  mode_start(*m, length);
  IG_TRY(ig_array_push(q->cx, &m[0]->v));
  const double f = 1.8751040687 * 1.8751040687 / (2 * pi * length * length) *
                   sqrt(young / (density * 12)) * height;
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  IG_TRY(period_of(*m, tip, 2, 0.9 * critical, 1, 4 / f, &period));
  row(sink, name, "Euler-Bernoulli", f, 1 / period, 0.01, true);
  return IG_OK;
}
static ig_status frequency_beam(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  line l = {.length = 1};
  q->section.profile = IG_SECTION_RECTANGLE;
  q->section.width = q->section.height = 0.05;
  q->c.inertia_scale = 0;
  IG_TRY(ig_dyn_problem_chain(q, 16, along_x, &l));
  return frequency(q, m, sink, "beam, first bending, Hz", 16, 1, 0.05);
}
static ig_status frequency_shell(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  patch p = {.a = 1, .b = 0.1};
  q->section.thickness = 0.02;
  IG_TRY(ig_dyn_problem_sheet(q, 20, 2, false, flat, &p));
  return frequency(q, m, sink, "shell strip, first bending, Hz", 20, 1, 0.02);
}
static ig_status frequency_hex(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1, 0.05, 0.05}, (int[3]){120, 1, 6}));
  return frequency(q, m, sink, "hexahedra, first bending, Hz", 120, 1, 0.05);
}
static ig_status frequency_single(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  q->section.integration = IG_INTEGRATE_SINGLE;
  IG_TRY(ig_dyn_problem_box(q, (double[3]){1, 0.05, 0.05}, (int[3]){60, 2, 10}));
  return frequency(q, m, sink, "hexahedra, one point, Hz", 60, 1, 0.05);
}

/* A block struck at one end rings for 10^5 steps: its energy stays. */
static ig_status ringing(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
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
static ig_status collision(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
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
  q->c.contact = (ig_dyn_contact){.at.given = true, .on = true, .penalty = 0.1, .thickness = 0.002};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(balance(*m));
  IG_TRY(advance_to(*m, 4e-4, 0.6, 100000));
  IG_TRY(ig_dyn_pull(*m));
  double momentum[3] = {0}, put = 0, right = 0, mass = 0;
  for (ig_lid i = 0; i < q->mesh->nodes; i++) {
    for (int c = 0; c < 3; c++)
      momentum[c] += m[0]->node_mass[i] * ig_dyn_get(*m, &m[0]->v, 3 * (int64_t)i + c);
    if (m[0]->x0[3 * (int64_t)i] < 0.11)
      put += 100 * m[0]->node_mass[i];
    else {
      right += m[0]->node_mass[i] * ig_dyn_get(*m, &m[0]->v, 3 * (int64_t)i);
      mass += m[0]->node_mass[i];
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

/* Opens a problem, runs `body`, closes all. */
typedef ig_status problem_fn(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink);
static ig_status with_problem(ig_ctx *cx, const ig_verify_sink *sink, problem_fn *body) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  IG_TRY(ig_dyn_problem_new(cx, &q));
  const ig_status status = body(&q, &m, sink);
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}
#define PROBLEM(name, ...)                                                                         \
  static ig_status verify_##name(ig_ctx *cx, const ig_verify_sink *sink) {                         \
    problem_fn *const body[] = {__VA_ARGS__};                                                      \
    for (size_t i = 0; i < sizeof body / sizeof *body; i++)                                        \
      IG_TRY(with_problem(cx, sink, body[i]));                                                     \
    return IG_OK;                                                                                  \
  }
PROBLEM(slit_plate, slit_plate)
PROBLEM(hemisphere, hemisphere)
PROBLEM(pinched, pinched)
PROBLEM(toggle, toggle)
PROBLEM(dome, dome)
PROBLEM(taylor, taylor_bar)
PROBLEM(wave, wave)
PROBLEM(frequency, frequency_beam, frequency_shell, frequency_hex, frequency_single)
PROBLEM(ringing, ringing)
PROBLEM(collision, collision)

const ig_verify_entry ig_dyn_verify[] = {
    {"wave", "a step of velocity running down a bar", true, verify_wave},
    {"frequency", "bending frequencies of cantilevers", true, verify_frequency},
    {"ringing", "energy of a free elastic block over 1e5 steps", false, verify_ringing},
    {"collision", "two blocks in contact: momentum and energy", true, verify_collision},
    {"dome", "spherical dome under a step of pressure, elastoplastic", true, verify_dome},
    {"taylor-bar", "copper bar against a rigid wall", false, verify_taylor},
    {"williams-toggle", "shallow toggle pushed through", true, verify_toggle},
    {"slit-plate", "slit annular plate lifted at one lip", false, verify_slit_plate},
    {"hemisphere", "hemisphere under alternating forces", false, verify_hemisphere},
    {"pinched-cylinder", "clamped cylinder pinched at its free end", false, verify_pinched},
    {"strip-shear", "shell cantilever under an end shear force", true, verify_strip_shear},
    {"elastica", "cantilever beam under a dead tip load", true, verify_elastica},
    {"roll-up", "cantilever beam rolled into a circle by an end moment", true, verify_roll_up},
    {"bend-45", "45 degree bend loaded out of its plane", true, verify_bend},
    {.name = NULL}};
