/* Verification at rest: beams and shells bent far. */
#include "verify/dynamics/verify.h"

static void around(void *user, double u, double v, double x[3]) {
  (void)v;
  const line *l = user;
  x[0] = l->radius * sin(l->angle * u), x[1] = 0, x[2] = l->radius * (1 - cos(l->angle * u));
}

/* A chain of beams of unit stiffness, one end clamped. */
static void unit_beam(ig_dyn_problem *q) {
  ig_dyn_problem_material(q, 1, 1, 0);
  q->section.area = 1e4, q->section.iy = q->section.iz = 1, q->section.torsion = 1;
}

/* Mattiasson's elastica: a cantilever of unit length and stiffness under a dead tip load. */
static ig_status elastica(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink,
                          double load, const char *name[2], double u, double w) {
  line l = {.length = 1};
  ig_support_case fix = ig_support_fix("u0", "all");
  ig_dyn_load force = ig_dyn_force_on("u1", 0, 0, load);
  force.history = ramp;
  unit_beam(q);
  q->c.supports = (ig_list){1, &fix};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(ig_dyn_problem_chain(q, 32, along_x, &l));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  IG_TRY(settle(*m, &a));
  row(sink, name[0], "Mattiasson 1981", u, -moved(*m, 32, 0), 0.002, true);
  row(sink, name[1], "Mattiasson 1981", w, moved(*m, 32, 2), 0.002, true);
  return IG_OK;
}
#define ELASTICA(p, u, w)                                                                          \
  ig_status ig_dyn_verify_elastica_##p(ig_dyn_problem *q, ig_dyn_model **m,                        \
                                       const ig_verify_sink *sink) {                               \
    const char *name[2] = {"PL2/EI = " #p ": shortening", "PL2/EI = " #p ": deflection"};          \
    return elastica(q, m, sink, p, name, u, w);                                                    \
  }
ELASTICA(1, .05643, .30172)
ELASTICA(4, .32894, .66996)
ELASTICA(10, .55500, .81061)

/* A cantilever rolled up into a full circle by an end moment. */
ig_status ig_dyn_verify_roll_up(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  line l = {.length = 1};
  ig_support_case fix[2] = {ig_support_fix("u0", "all"), ig_support_fix("u1", "y rx rz")};
  ig_dyn_load moment = ig_dyn_force_on("u1", 0, 0, 0);
  moment.moment[0] = moment.moment[2] = 0;
  moment.moment[1] = 2 * IG_PI;
  moment.history = ramp;
  ig_dyn_analysis a = rest;
  unit_beam(q);
  q->c.supports = (ig_list){2, fix};
  q->c.loads = (ig_list){1, &moment};
  IG_TRY(ig_dyn_problem_chain(q, 20, along_x, &l));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(settle(*m, &a));
  ZERO("tip back at the root, x / L", at(*m, 20, 0), 0.003);
  ZERO("tip back at the root, z / L", at(*m, 20, 2), 0.003);
  EXACT("half way: z / L", -1 / IG_PI, at(*m, 10, 2), 0.005);
  return IG_OK;
}

/* 45 degree bend of radius 100, 1 x 1 section, under an out-of-plane load. */
ig_status ig_dyn_verify_bend(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  line l = {.radius = 100, .angle = IG_PI / 4};
  ig_support_case fix = ig_support_fix("u0", "all");
  ig_dyn_load force = ig_dyn_force_on("u1", 0, 600, 0);
  force.history = ramp;
  ig_dyn_problem_material(q, 1, 1e7, 0);
  q->section.area = 1, q->section.iy = q->section.iz = 1.0 / 12, q->section.torsion = 0.1406;
  q->c.supports = (ig_list){1, &fix};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(ig_dyn_problem_chain(q, 8, around, &l));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(settle(*m, &rest));
  row(sink, "tip along the first tangent", "FPM prototype, 8 elements", 46.908, at(*m, 8, 0), 0.005,
      true);
  row(sink, "tip out of the plane", "FPM prototype, 8 elements", 53.643, at(*m, 8, 1), 0.005, true);
  row(sink, "tip across", "FPM prototype, 8 elements", 15.634, at(*m, 8, 2), 0.005, true);
  row(sink, "tip out of the plane", "Bathe & Bolourchi 1979", 53.4, at(*m, 8, 1), 0.01, true);
  return IG_OK;
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
ig_status ig_dyn_verify_strip_shear(ig_dyn_problem *q, ig_dyn_model **m,
                                    const ig_verify_sink *sink) {
  patch p = {.a = 10, .b = 1};
  ig_support_case fix = ig_support_fix("u0", "all");
  ig_dyn_load force = ig_dyn_force_on("u1", 0, 0, 0);
  force.total[0] = force.total[1] = 0;
  force.total[2] = 4;
  force.history = ramp;
  ig_dyn_problem_material(q, 1, 1.2e6, 0);
  q->section.thickness = 0.1;
  q->c.supports = (ig_list){1, &fix};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(ig_dyn_problem_sheet(q, 20, 2, false, flat, &p));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(settle(*m, &rest));
  row(sink, "shortening", "Sze 2004", 3.286, -moved(*m, 20 + 21, 0), 0.005, true);
  row(sink, "deflection", "Sze 2004", 6.698, moved(*m, 20 + 21, 2), 0.003, true);
  return IG_OK;
}

/* Sze, Liu and Lo's annular plate, slit along a radius: one lip clamped, the other lifted. */
ig_status ig_dyn_verify_slit_plate(ig_dyn_problem *q, ig_dyn_model **m,
                                   const ig_verify_sink *sink) {
  enum { AROUND = 96, ACROSS = 10 };
  patch p = {.a = 6, .b = 10, .angle = 2 * IG_PI};
  ig_support_case fix = ig_support_fix("u1", "all");
  const double line_load = 0.8 * 4 / ACROSS;
  ig_dyn_load force[2] = {ig_dyn_force_on("lip", 0, 0, line_load),
                          ig_dyn_force_on("ends", 0, 0, line_load / 2)};
  force[0].history = force[1].history = ramp;
  ig_dyn_problem_material(q, 1, 21e6, 0);
  q->section.thickness = 0.03;
  q->c.supports = (ig_list){1, &fix};
  q->c.loads = (ig_list){2, force};
  IG_TRY(ig_dyn_problem_sheet(q, AROUND, ACROSS, false, annulus, &p));
  ig_lid lip[ACROSS - 1];
  for (int i = 1; i < ACROSS; i++)
    lip[i - 1] = i * (AROUND + 1);
  IG_TRY(node_set(q, "lip", lip, ACROSS - 1));
  IG_TRY(node_set(q, "ends", (ig_lid[]){0, ACROSS * (AROUND + 1)}, 2));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  IG_TRY(settle(*m, &a));
  row(sink, "inner corner", "Sze 2004", 13.891, moved(*m, 0, 2), 0.03, true);
  row(sink, "outer corner", "Sze 2004", 17.528, moved(*m, ACROSS * (AROUND + 1), 2), 0.03, true);
  return IG_OK;
}

/* Hemisphere with an 18 degree hole under alternating radial forces; a quarter of it. */
ig_status ig_dyn_verify_hemisphere(ig_dyn_problem *q, ig_dyn_model **m,
                                   const ig_verify_sink *sink) {
  enum { N = 36 };
  patch p = {.radius = 10, .b = 72 * IG_PI / 180, .angle = IG_PI / 2};
  ig_support_case fix[3] = {ig_support_fix("u0", "y rx rz"), ig_support_fix("u1", "x ry rz"),
                            ig_support_fix("A", "z")};
  /* half of each force: the quarter model cuts them */
  ig_dyn_load force[2] = {ig_dyn_force_on("A", 0, 200, 0), ig_dyn_force_on("B", -200, 0, 0)};
  force[0].history = force[1].history = ramp;
  ig_dyn_problem_material(q, 1, 6.825e7, 0.3);
  q->section.thickness = 0.04;
  q->c.supports = (ig_list){3, fix};
  q->c.loads = (ig_list){2, force};
  IG_TRY(ig_dyn_problem_sheet(q, N, N, false, sphere, &p));
  IG_TRY(node_set(q, "A", (ig_lid[]){N}, 1));
  IG_TRY(node_set(q, "B", (ig_lid[]){0}, 1));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  IG_TRY(settle(*m, &a));
  row(sink, "outward, P = 400", "Sze 2004", 4.067, moved(*m, N, 1), 0.03, true);
  row(sink, "inward, P = 400", "Sze 2004", 8.178, -moved(*m, 0, 0), 0.03, true);
  return IG_OK;
}

/* The cylinder of Tang et al. (2020), clamped at one end and pinched at the other; a quarter of it.
 */
ig_status ig_dyn_verify_pinched(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  enum { AROUND = 40, ALONG = 40 };
  patch p = {.radius = 1.016, .a = 3.048, .angle = IG_PI / 2};
  ig_support_case fix[3] = {ig_support_fix("u0", "y rx rz"), ig_support_fix("u1", "z rx ry"),
                            ig_support_fix("v0", "all")};
  ig_dyn_load force = ig_dyn_force_on("top", 0, 0, -300);
  force.history = ramp;
  ig_dyn_problem_material(q, 1000, 20.685e6, 0.3);
  q->section.thickness = 0.03;
  q->c.supports = (ig_list){3, fix};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(ig_dyn_problem_sheet(q, AROUND, ALONG, false, cylinder, &p));
  const ig_lid top = ALONG * (AROUND + 1);
  IG_TRY(node_set(q, "top", &top, 1));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  IG_TRY(settle(*m, &a));
  row(sink, "F = 600: under the load", "Sze 2004", .66410, -moved(*m, top, 2), 0.02, true);
  return IG_OK;
}

/* Williams' toggle frame, half of it, pushed by its apex. */
static void toggle_arm(void *user, double u, double v, double x[3]) {
  (void)user, (void)v;
  x[0] = 12.936 * u, x[1] = 0, x[2] = 0.386 * u;
}
ig_status ig_dyn_verify_toggle(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  static const double down[] = {0.2, 0.4, 0.6}, load[] = {33.568, 31.369, 53.349};
  static const char *const name[] = {"load at 0.2 in", "load at 0.4 in", "load at 0.6 in"};
  double push_x[] = {0, 1, 2, 3}, push_y[] = {0, 0.2, 0.4, 0.6};
  ig_support_case fix[2] = {ig_support_fix("u0", "all"), ig_support_fix("u1", "x y rx ry rz")};
  fix[1].displacement[2] = -1;
  fix[1].history = (ig_table){4, push_x, push_y};
  ig_dyn_problem_material(q, 1, 1.03e7, 0);
  q->section.area = 1.8847e6 / 1.03e7;
  q->section.iy = q->section.iz = 9274 / 1.03e7, q->section.torsion = q->section.iy;
  q->c.supports = (ig_list){2, fix};
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

/* --- buckling and snap-through */

/* A clamped column of unit stiffness beyond Euler's load, with a thousandth of it sideways: the
   elastica (Timoshenko and Gere 1961, table 2-4: angle of 60 degrees at the tip). */
ig_status ig_dyn_verify_column(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  line l = {.length = 1};
  const double euler = IG_PI * IG_PI / 4;
  ig_support_case fix = ig_support_fix("u0", "all");
  ig_dyn_load force = ig_dyn_force_on("u1", -1.152 * euler, 0, 1e-3 * euler);
  force.history = ramp;
  unit_beam(q);
  q->c.supports = (ig_list){1, &fix};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(ig_dyn_problem_chain(q, 32, along_x, &l));
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  ig_dyn_analysis a = rest;
  a.largest_step = 0.02; /* longer ones may step onto the straight column, which is unstable */
  IG_TRY(settle(*m, &a));
  row(sink, "beyond buckling: tip sideways", "elastica", 0.593, moved(*m, 32, 2), 0.01, true);
  row(sink, "beyond buckling: tip's height", "elastica", 0.741, at(*m, 32, 0), 0.01, true);
  return IG_OK;
}

/* Hinged cylindrical roof under a central load; a quarter of it, u around, v along. */
static void roof_place(void *user, double u, double v, double x[3]) {
  const patch *p = user;
  x[0] = p->a * v, x[1] = p->radius * sin(p->angle * u);
  x[2] = p->radius * (cos(p->angle * u) - cos(p->angle));
}
enum { ROOF = 12 };
static ig_status roof_open(ig_dyn_problem *q, double thickness, ig_dyn_model **m) {
  static patch p = {.radius = 2540, .a = 254, .angle = 0.1};
  ig_dyn_problem_material(q, 1, 3102.75, 0.3);
  q->section.thickness = thickness;
  q->quads = true;
  IG_TRY(ig_dyn_problem_sheet(q, ROOF, ROOF, false, roof_place, &p));
  IG_TRY(node_set(q, "top", (ig_lid[]){0}, 1));
  return ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m);
}
ig_status ig_dyn_verify_roof(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  static const double load[] = {2216, 509, 3640};
  static const char *const name[] = {"12.7 thick: load at 11", "12.7 thick: load at 19.5",
                                     "12.7 thick: load at 30"};
  double push_x[] = {0, 1, 2, 3}, push_y[] = {0, 11, 19.5, 30};
  ig_support_case fix[4] = {ig_support_fix("u0", "y rx rz"), ig_support_fix("v0", "x ry rz"),
                            ig_support_fix("u1", "x y z"), ig_support_fix("top", "x y rx ry rz")};
  fix[3].displacement[2] = -1;
  fix[3].components = "z";
  fix[3].history = (ig_table){4, push_x, push_y};
  q->c.supports = (ig_list){4, fix};
  IG_TRY(roof_open(q, 12.7, m));
  ig_dyn_analysis a = rest;
  for (int i = 0; i < 3; i++) {
    a.at_time = i + 1;
    IG_TRY(settle(*m, &a));
    row(sink, name[i], "solid (CalculiX)", load[i], -4 * ig_dyn_get(*m, &(*m)->f, 2), 0.02, true);
  }
  return IG_OK;
}
ig_status ig_dyn_verify_roof_thin(ig_dyn_problem *q, ig_dyn_model **m, const ig_verify_sink *sink) {
  ig_support_case fix[3] = {ig_support_fix("u0", "y rx rz"), ig_support_fix("v0", "x ry rz"),
                            ig_support_fix("u1", "x y z")};
  ig_dyn_load force = ig_dyn_force_on("top", 0, 0, -250);
  double highest = 0;
  force.history = ramp;
  q->c.supports = (ig_list){3, fix};
  q->c.loads = (ig_list){1, &force};
  IG_TRY(roof_open(q, 6.35, m));
  ig_dyn_analysis a = rest;
  a.method = IG_STATIC_ARC;
  a.first_step = 0.05;
  IG_TRY(settle_along(*m, &a, &highest));
  row(sink, "6.35 thick: limit load, by arc length", "solid (CalculiX)", 584, 1000 * highest, 0.02,
      true);
  return IG_OK;
}
