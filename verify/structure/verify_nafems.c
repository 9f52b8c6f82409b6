/* NAFEMS' linear benchmarks of stress and heat, and buckling of a plate and of a narrow beam. The
   stresses are those at a node, as an analyst reads them. */
#include "verify/structure/verify.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW(quantity, source, expected, computed, tolerance)                                       \
  ig_structure_verify_row(sink, quantity, source, expected, computed, tolerance)

/* Component of the stress at the node next to a place: xx yy zz xy yz zx. */
static double stress_at(const ig_structure_problem *q, const double x[3], int side, int component) {
  return q->node_stress[side][6 * (size_t)ig_structure_problem_node(q, x) + (size_t)component];
}

/* --- LE1 and LE10: a quarter of an elliptic plate with an elliptic hole; a goes from the axis of y
   to that of x, b outwards */

static void ellipses(const double at[3], double x[3]) {
  const double angle = IG_PI / 2 * (1 - at[0]);
  x[0] = (2 + 1.25 * at[1]) * cos(angle);
  x[1] = (1 + 1.75 * at[1]) * sin(angle);
}

/* The upper half of a thin plate: c0 is its middle surface. */
static void membrane(const double at[3], double x[3]) {
  ellipses(at, x);
  x[2] = 0.005 * at[2];
}

static void thick(const double at[3], double x[3]) {
  ellipses(at, x);
  x[2] = 0.6 * at[2];
}

/* The line in the middle of the outer edge of the thick plate. */
static bool outer_middle(const double x[3]) {
  return fabs(x[2] - 0.3) < 1e-9 && hypot(x[0] / 3.25, x[1] / 2.75) > 1 - 1e-9;
}

static ig_status elliptic(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_HEX20, {16, 12, 1}, membrane, NULL}},
      .set = {{"materials", "{name: m, young: 210 GPa, poisson: 0.3}"},
              {"supports", "[{set: a0, fix: x}, {set: a1, fix: y}, {set: c0, fix: z}]"},
              {"loads", "{set: b1, pressure: -10 MPa}"},
              {"analysis", "{kind: static}"}}};
  ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK)
    ROW("elliptic membrane: s_yy at D [MPa]", "NAFEMS LE1", 92.7,
        1e-6 * stress_at(&q, (double[]){2, 0, 0}, 0, 1), 0.02);
  ig_structure_problem_free(&q);
  IG_TRY(status);
  ig_structure_problem p = {
      .grid = {{IG_HEX20, {16, 12, 4}, thick, NULL}},
      .region = {{"middle", outer_middle}},
      .set = {{"materials", "{name: m, young: 210 GPa, poisson: 0.3}"},
              {"supports", "[{set: a0, fix: x}, {set: a1, fix: y}, {set: b1, fix: x y}, "
                           "{set: middle, fix: z}]"},
              {"loads", "{set: c1, pressure: 1 MPa}"},
              {"analysis", "{kind: static}"}}};
  status = ig_structure_problem_run(cx, &p);
  if (status == IG_OK)
    ROW("thick plate: s_yy at D [MPa]", "NAFEMS LE10", -5.38,
        1e-6 * stress_at(&p, (double[]){2, 0, 0.6}, 0, 1), 0.03);
  ig_structure_problem_free(&p);
  return status;
}

/* --- LE3: a quarter of a hemisphere of 10 m under point loads, with a hole of 2 degrees in place
   of its pole */

static void bowl(const double at[3], double x[3]) {
  const double lon = IG_PI / 2 * at[0], lat = IG_PI / 180 * 88 * at[1];
  x[0] = 10 * cos(lat) * cos(lon);
  x[1] = 10 * cos(lat) * sin(lon);
  x[2] = 10 * sin(lat);
}

static ig_status hemisphere(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_QUAD8, {16, 20, 1}, bowl, NULL}},
      .point = {{"A", {10, 0, 0}, false}, {"C", {0, 10, 0}, false}},
      .set = {{"materials", "{name: m, young: 68.25 GPa, poisson: 0.3}"},
              {"shells", "{thickness: 0.04}"},
              {"supports", "[{set: a0, fix: y rx rz}, {set: a1, fix: x ry rz}, {set: A, fix: z}]"},
              {"sections", "{integration: reduced}"},
              {"loads", "[{set: A, force: [2000, 0, 0]}, {set: C, force: [0, -2000, 0]}]"},
              {"analysis", "{kind: static}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK)
    ROW("hemisphere: u_x at A [m]", "NAFEMS LE3", 0.185,
        ig_structure_problem_moved(&q, q.point[0].x, 0), 0.02);
  ig_structure_problem_free(&q);
  return status;
}

/* --- LE5: a cantilever of Z section, twisted by shear forces in its flanges; b goes along the
   section from tip to tip */

static void z_section(const double at[3], double x[3]) {
  const double way = 4 * at[1]; /* flange 1, web 2, flange 1 */
  x[0] = 10 * at[0];
  x[1] = way < 1 ? way - 1 : way < 3 ? 0 : way - 3;
  x[2] = way < 1 ? 1 : way < 3 ? 2 - way : -1;
}

static bool upper_end(const double x[3]) {
  return x[0] > 10 - 1e-9 && x[2] > 1 - 1e-9;
}
static bool lower_end(const double x[3]) {
  return x[0] > 10 - 1e-9 && x[2] < -1 + 1e-9;
}

static ig_status section(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_QUAD8, {20, 16, 1}, z_section, NULL}},
      .region = {{"upper", upper_end}, {"lower", lower_end}},
      .set = {
          {"materials", "{name: m, young: 210 GPa, poisson: 0.3}"},
          {"shells", "{thickness: 0.1}"},
          {"supports", "{set: a0, fix: all}"},
          {"loads", "[{set: upper, total: [0, -0.6 MN, 0]}, {set: lower, total: [0, 0.6 MN, 0]}]"},
          {"analysis", "{kind: static}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    const double tip[3] = {2.5, -1, 1};
    const double xx = 0.5e-6 * (stress_at(&q, tip, 0, 0) + stress_at(&q, tip, 1, 0));
    /* 107.9 for a section that keeps its shape (Vlasov), 110.9 for shells that bend */
    ROW("Z section: s_xx at A, middle surface [MPa]", "NAFEMS LE5", -108, xx, 0.03);
    ROW("the same, these shells in CalculiX 2.20 (S8R)", "CalculiX", -110.896, xx, 1e-3);
  }
  ig_structure_problem_free(&q);
  return status;
}

/* --- LE6: a rhombic plate of 30 degrees on its edges under 700 Pa */

static void rhombus(const double at[3], double x[3]) {
  x[0] = at[0] + at[1] * cos(IG_PI / 6);
  x[1] = at[1] * sin(IG_PI / 6);
  x[2] = 0;
}

static ig_status skew(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_QUAD8, {32, 32, 1}, rhombus, NULL}},
      .point = {{"A", {0, 0, 0}, false}, {"B", {1, 0, 0}, false}},
      .set = {{"materials", "{name: m, young: 210 GPa, poisson: 0.3, density: 10000}"},
              {"shells", "{thickness: 0.01}"},
              {"supports", "[{set: a0, fix: z}, {set: a1, fix: z}, {set: b0, fix: z}, "
                           "{set: b1, fix: z}, {set: A, fix: x y}, {set: B, fix: y}]"},
              {"loads", "{set: all, acceleration: [0, 0, -7]}"},
              {"analysis", "{kind: static}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    const double middle[3] = {0.5 * (1 + cos(IG_PI / 6)), 0.5 * sin(IG_PI / 6), 0};
    const double xx = stress_at(&q, middle, 1, 0), yy = stress_at(&q, middle, 1, 1);
    const double xy = stress_at(&q, middle, 1, 3);
    ROW("skew plate: largest stress at its middle, below [MPa]", "NAFEMS LE6", 0.802,
        1e-6 * (0.5 * (xx + yy) + hypot(0.5 * (xx - yy), xy)), 0.02);
  }
  ig_structure_problem_free(&q);
  return status;
}

/* --- LE2: a cylindrical shell of 30 degrees under an edge moment of 1 kN m/m, elements askew */

static void arc(const double at[3], double x[3]) {
  const double bump = 0.08 * sin(IG_PI * at[0]) * sin(IG_PI * at[1]);
  const double angle = IG_PI / 6 * (at[0] + bump);
  x[0] = sin(angle), x[1] = 0.5 * (at[1] - bump), x[2] = cos(angle);
}

static bool inside_edge(const double x[3]) {
  return x[0] > 0.5 - 1e-9 && fabs(x[1] - 0.25) < 0.25 - 1e-9;
}

static ig_status bent(ig_ctx *cx, const ig_verify_sink *sink) {
  /* a corner of the edge has half of what the nodes between have: 62.5 N m of 500 */
  ig_structure_problem q = {
      .grid = {{IG_QUAD4, {32, 4, 1}, arc, NULL}},
      .region = {{"inside", inside_edge}},
      .set = {
          {"materials", "{name: m, young: 210 GPa, poisson: 0.3}"},
          {"shells", "{thickness: 0.01}"},
          {"supports", "[{set: a0, fix: all}, {set: b0, fix: y rx rz}, {set: b1, fix: y rx rz}]"},
          {"loads", "[{set: a1, moment: [0, 62.5, 0]}, {set: inside, moment: [0, 62.5, 0]}]"},
          {"analysis", "{kind: static}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    /* along the arc at its middle */
    const double x[3] = {sin(IG_PI / 12), 0.25, cos(IG_PI / 12)};
    const double c = cos(IG_PI / 12), s = -sin(IG_PI / 12);
    const double xx = stress_at(&q, x, 0, 0), zz = stress_at(&q, x, 0, 2);
    const double zx = stress_at(&q, x, 0, 5);
    ROW("bent cylindrical shell: stress along the arc, outside [MPa]", "NAFEMS LE2", 60,
        1e-6 * fabs(c * c * xx + s * s * zz + 2 * s * c * zx), 0.02);
  }
  ig_structure_problem_free(&q);
  return status;
}

/* --- LE11: a body of revolution, sphere, taper and cylinder, that is heated to r + z and cannot
   become longer; a goes along its axis, b outwards, c around. Each quarter of a has lines of its
   own: arcs of 22.5 degrees inside and 30 outside; an arc and the taper; lines */

static void revolved(const double at[3], double x[3]) {
  const double piece = fmin(floor(4 * at[0]), 3), s = 4 * at[0] - piece, root = sqrt(0.5);
  const double inner = IG_PI / 8 * (piece + s), outer = IG_PI / 6 * s;
  /* r and z inside and outside at the ends of the pieces */
  static const double flank[4][2] = {{1.2124, 0.7}, {1.1062, 1.045}, {1, 1.39}, {1, 1.79}};
  const double half = 0.5 * (root + 1.79);
  double in[2] = {cos(inner), sin(inner)}, out[2] = {1.4 * cos(outer), 1.4 * sin(outer)};
  if (piece >= 2) {
    in[0] = root;
    in[1] = piece < 3 ? root + s * (half - root) : half + s * (1.79 - half);
  }
  for (int d = 0; d < 2 && piece >= 1; d++) {
    const int k = (int)piece - 1;
    out[d] = flank[k][d] + s * (flank[k + 1][d] - flank[k][d]);
  }
  const double r = in[0] + at[1] * (out[0] - in[0]), around = IG_PI / 2 * at[2];
  x[0] = r * cos(around);
  x[1] = r * sin(around);
  x[2] = in[1] + at[1] * (out[1] - in[1]);
}

static double radius_and_height(const double x[3]) {
  return hypot(x[0], x[1]) + x[2];
}

static ig_status heated(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_HEX20, {32, 8, 6}, revolved, NULL}},
      .warm = radius_and_height,
      .set = {
          {"materials", "{name: m, young: 210 GPa, poisson: 0.3, mechanical: {expansion: 2.3e-4}}"},
          {"initial_temperatures", "{set: all, temperature: 0}"},
          {"supports", "[{set: a0, fix: z}, {set: a1, fix: z}, {set: c0, fix: y}, "
                       "{set: c1, fix: x}]"},
          {"analysis", "{kind: static}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK)
    ROW("heated sphere, taper and cylinder: s_zz at A [MPa]", "NAFEMS LE11", -105,
        1e-6 * stress_at(&q, (double[]){1, 0, 0}, 0, 2), 0.02);
  ig_structure_problem_free(&q);
  return status;
}

ig_status ig_structure_verify_nafems(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(elliptic(cx, sink));
  IG_TRY(bent(cx, sink));
  IG_TRY(heated(cx, sink));
  IG_TRY(hemisphere(cx, sink));
  IG_TRY(section(cx, sink));
  return skew(cx, sink);
}

/* --- heat: T2, a bar that radiates; T3, a bar whose end's temperature swings; T4, a block in air
 */

static void rod(const double at[3], double x[3]) {
  x[0] = 0.1 * at[0], x[1] = 0.01 * at[1], x[2] = 0.01 * at[2];
}

static void block(const double at[3], double x[3]) {
  x[0] = 0.6 * at[0], x[1] = at[1], x[2] = 0.1 * at[2];
}

static double heat_at(const ig_structure_problem *q, const double x[3]) {
  return q->T[ig_structure_problem_node(q, x)];
}

ig_status ig_structure_verify_nafems_heat(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem bar = {
      .grid = {{IG_HEX20, {10, 1, 1}, rod, NULL}},
      .set = {{"materials", "{name: m, conductivity: 55.6, density: 7850, specific_heat: 460}"},
              {"initial_temperatures", "{set: all, temperature: 1000}"},
              {"prescribed_temperatures", "{set: a0, temperature: 1000}"},
              {"heat_loads", "{set: a1, emissivity: 0.98, sink: 300}"},
              {"analysis", "{kind: heat, steady: true}"}}};
  ig_status status = ig_structure_problem_run(cx, &bar);
  if (status == IG_OK)
    ROW("bar that radiates: T at its end [K]", "NAFEMS T2", 927.0,
        heat_at(&bar, (double[]){0.1, 0, 0}), 0.001);
  ig_structure_problem_free(&bar);
  IG_TRY(status);

  char swing[4096] = "[{set: a0, temperature: 0}, {set: a1, temperature: 100, history: [";
  size_t length = strlen(swing);
  for (int i = 0; i <= 64; i++) /* sin(pi t / 40) to 32 s */
    length += (size_t)ig_format(swing + length, sizeof swing - length, "%s[%g, %.9f]",
                                i ? ", " : "", 0.5 * i, sin(IG_PI * 0.5 * i / 40));
  snprintf(swing + length, sizeof swing - length, "]}]");
  ig_structure_problem wave = {
      .grid = {{IG_HEX20, {10, 1, 1}, rod, NULL}},
      .set = {{"materials", "{name: m, conductivity: 35, density: 7200, specific_heat: 440.5}"},
              {"initial_temperatures", "{set: all, temperature: 0}"},
              {"prescribed_temperatures", swing},
              {"analysis", "{kind: heat, duration: 32, first_step: 0.25, fixed_steps: true}"}}};
  status = ig_structure_problem_run(cx, &wave);
  if (status == IG_OK)
    ROW("bar whose end swings: T at 80 mm after 32 s [C]", "NAFEMS T3", 36.60,
        heat_at(&wave, (double[]){0.08, 0, 0}), 0.01);
  ig_structure_problem_free(&wave);
  IG_TRY(status);

  ig_structure_problem air = {
      .grid = {{IG_HEX20, {12, 20, 1}, block, NULL}},
      .set = {{"materials", "{name: m, conductivity: 52, density: 7850, specific_heat: 460}"},
              {"initial_temperatures", "{set: all, temperature: 0}"},
              {"prescribed_temperatures", "{set: b0, temperature: 100}"},
              {"heat_loads", "[{set: a1, film: 750, sink: 0}, {set: b1, film: 750, sink: 0}]"},
              {"analysis", "{kind: heat, steady: true}"}}};
  status = ig_structure_problem_run(cx, &air);
  if (status == IG_OK)
    ROW("block in air: T at E [C]", "NAFEMS T4", 18.3, heat_at(&air, (double[]){0.6, 0.2, 0}),
        0.01);
  ig_structure_problem_free(&air);
  return status;
}

/* --- buckling */

static void square(const double at[3], double x[3]) {
  x[0] = at[0], x[1] = at[1], x[2] = 0;
}

static bool inside_end(const double x[3]) {
  return x[0] > 1 - 1e-9 && fabs(x[1] - 0.5) < 0.5 - 1e-9;
}

static void narrow(const double at[3], double x[3]) {
  x[0] = 10 * at[0], x[1] = 0.02 * (at[1] - 0.5), x[2] = 0.2 * (at[2] - 0.5);
}

ig_status ig_structure_verify_plate_buckling(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *supports;
    double k, tolerance;
  } all[] = {{"supported square plate: k of its load",
              "[{set: a0, fix: x z}, {set: a1, fix: z}, {set: b0, fix: z}, {set: b1, fix: z}, "
              "{set: A, fix: y}]",
              4.00, 0.01},
             {"clamped square plate: k of its load",
              "[{set: a0, fix: x z rx ry}, {set: a1, fix: z rx ry}, {set: b0, fix: z rx ry}, {set: "
              "b1, fix: z rx ry}, {set: A, fix: y}]",
              10.07, 0.015}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    /* 1 m x 1 m x 10 mm; a load of 1 N/m: corners have half of what the nodes between have */
    ig_structure_problem q = {.grid = {{IG_QUAD4, {24, 24, 1}, square, NULL}},
                              .point = {{"A", {0, 0, 0}, false}},
                              .region = {{"inside", inside_end}},
                              .set = {{"materials", "{name: m, young: 210e9, poisson: 0.3}"},
                                      {"shells", "{thickness: 0.01}"},
                                      {"supports", all[i].supports},
                                      {"loads", "[{set: a1, force: [-0.0208333333, 0, 0]}, {set: "
                                                "inside, force: [-0.0208333333, 0, 0]}]"},
                                      {"analysis", "{kind: buckling, modes: 1}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    const double stiffness = 210e9 * 1e-6 / 12 / (1 - 0.3 * 0.3);
    if (status == IG_OK)
      ROW(all[i].name, "Timoshenko & Gere 1961", all[i].k, q.mode[0] / (IG_PI * IG_PI * stiffness),
          all[i].tolerance);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  ig_structure_problem q = {.grid = {{IG_HEX20, {100, 1, 4}, narrow, NULL}},
                            .point = {{"tip", {10, 0, 0}, false}},
                            .set = {{"materials", "{name: m, young: 210e9, poisson: 0.3}"},
                                    {"supports", "{set: a0, fix: all}"},
                                    {"loads", "{set: a1, total: [0, 0, -1]}"},
                                    {"analysis", "{kind: buckling, modes: 1}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    const double b = 0.02, h = 0.2, E = 210e9, G = E / 2.6; /* Saint-Venant's torsion, h = 10 b */
    const double bend = E * h * b * b * b / 12, twist = G * h * b * b * b / 3 * (1 - 0.63 * b / h);
    ROW("narrow cantilever: load over sqrt(EI GJ) / L^2", "Timoshenko & Gere 1961", 4.013,
        fabs(q.mode[0]) * 100 / sqrt(bend * twist), 0.02);
  }
  ig_structure_problem_free(&q);
  return status;
}
