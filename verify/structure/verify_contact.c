/* Verification of contact between solids. */
#include "verify/structure/verify.h"

#include <math.h>
#include <stdio.h>

#define ROW(quantity, source, expected, computed, tolerance)                                       \
  ig_structure_verify_row(sink, quantity, source, expected, computed, tolerance)

static void lower(const double at[3], double x[3]) {
  x[0] = at[0], x[1] = at[1], x[2] = at[2];
}
static void upper(const double at[3], double x[3]) {
  x[0] = at[0], x[1] = at[1], x[2] = 1 + at[2];
}

/* Faces whose sides are not parallel. */
static void lower_skew(const double at[3], double x[3]) {
  const double by = sin(IG_PI * at[0]) * sin(IG_PI * at[1]);
  x[0] = at[0] + 0.1 * by, x[1] = at[1] - 0.08 * by, x[2] = at[2];
}
static void upper_skew(const double at[3], double x[3]) {
  const double by = sin(IG_PI * at[0]) * sin(IG_PI * at[1]);
  x[0] = at[0] - 0.07 * by, x[1] = at[1] + 0.09 * by, x[2] = 1 + at[2];
}

/* Stress along z under a pressure of 1: the largest difference from -1 in any element. */
ig_status ig_structure_verify_patch(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name;
    ig_elem_type type;
    int n[2];
    double tolerance;
    bool skew;
  } all[] = {
      {"hex8, the same mesh on both sides: error of the stress", IG_HEX8, {3, 3}, 1e-6, false},
      {"hex8, 3 x 3 on 4 x 4: error of the stress", IG_HEX8, {4, 3}, 1e-6, false},
      {"hex8, 3 x 3 on 4 x 4, sides not parallel: error of the stress",
       IG_HEX8,
       {4, 3},
       1e-6,
       true},
      {"hex8, 5 x 5 on 2 x 2: error of the stress", IG_HEX8, {2, 5}, 1e-6, false},
      {"hex8, 6 x 6 on 3 x 3, sides not parallel: error of the stress",
       IG_HEX8,
       {3, 6},
       1e-6,
       true},
      {"hex20, the same mesh on both sides: error of the stress", IG_HEX20, {2, 2}, 1e-6, false},
      {"hex20, 3 x 3 on 2 x 2: error of the stress", IG_HEX20, {2, 3}, 1e-6, false}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const int a = all[i].n[0], b = all[i].n[1];
    ig_structure_problem q = {
        .grid = {{all[i].type, {a, a, a}, all[i].skew ? lower_skew : lower, NULL},
                 {all[i].type, {b, b, b}, all[i].skew ? upper_skew : upper, "u"}},
        .set = {{"materials", "{name: m, young: 1000, poisson: 0.3}"},
                {"supports", "[{set: c0, fix: z}, {set: a0, fix: x}, {set: b0, fix: y}, {set: ua0, "
                             "fix: x}, {set: ub0, fix: y}]"},
                {"contacts", "{set: uc0, to: c1}"},
                {"loads", "{set: uc1, pressure: 1}"},
                {"sections", "{integration: full}"}, /* of hex20: no hidden points of 1e-5 */
                {"analysis", "{kind: static, tolerance: 1e-12}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK) {
      double worst = 0;
      for (ig_lid e = 0; e < ig_mesh_elements(q.mesh); e++)
        worst = fmax(worst, fabs(q.stress[6 * (size_t)e + 2] + 1));
      ROW(all[i].name, "exact", 0, worst, all[i].tolerance);
    }
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- half of a hollow cylinder of radius 50 mm, from its middle height down, pressed onto a plate
   in plane strain; both of E = 210 GPa, nu = 0.3. mm, N, MPa */

static void roller(const double at[3], double x[3]) {
  const double near = 0.2 * at[0] + 0.8 * pow(at[0], 4), up = at[2];
  const double angle = IG_PI / 2 * near, out = 1 - 0.9 * (0.1 * up + 0.9 * up * up);
  x[0] = 50 * sin(angle) * out;
  x[1] = at[1];
  x[2] = 50 - 50 * cos(angle) * out;
}
static void plate(const double at[3], double x[3]) {
  const double down = 1 - at[2];
  x[0] = 200 * (0.1 * at[0] + 0.9 * pow(at[0], 5));
  x[1] = at[1];
  x[2] = -200 * (0.03 * down + 0.97 * pow(down, 3));
}

/* The cylinder is driven; its load follows, and from it pressure and width of the contact. The
   stress under the middle is -p / sqrt(1 + (z / a)^2); at the surface half of p is left at 0.866
   a. */
ig_status ig_structure_verify_hertz(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_HEX8, {60, 1, 24}, plate, NULL}, {IG_HEX8, {48, 1, 16}, roller, "u"}},
      .set = {{"materials", "{name: m, young: 210e3, poisson: 0.3}"},
              {"supports",
               "[{set: c0, fix: z}, {set: a0, fix: x}, {set: b0, fix: y}, {set: b1, fix: "
               "y}, {set: ua0, fix: x}, {set: ub0, fix: y}, {set: ub1, fix: y}, {set: "
               "ua1, components: z, displacement: [0, 0, -0.4]}]"},
              {"contacts", "{set: uc0, to: c1}"},
              {"analysis", "{kind: static, first_step: 0.5}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    const double stiff = 210e3 / 2 / 0.91;
    double load = 0, x[3], z = 0, middle = 0, last = 0, before = 0, half = 0;
    for (ig_lid n = 0; n < q.mesh->nodes; n++) /* what the foot of the plate bears, 1 mm deep */
      load += fabs(q.mesh->x[3 * (size_t)n + 2] + 200) < 1e-6 ? q.force[3 * (size_t)n + 2] : 0;
    for (ig_lid e = 0; e < 60; e++) { /* the plate's top layer, from the middle outwards */
      const ig_lid k = 60 * 23 + e;
      const double s = fabs(q.stress[6 * (size_t)k + 2]);
      ig_structure_problem_centre(&q, k, x);
      if (e == 0)
        middle = s, z = x[2];
      if (half == 0 && s < 0.5 * middle)
        half = last + (x[0] - last) * (before - 0.5 * middle) / (before - s);
      last = x[0], before = s;
    }
    const double a = sqrt(8 * load * 50 / (IG_PI * stiff)), p = 4 * load / (IG_PI * a);
    ROW("pressure under the middle [MPa]", "Hertz", p / sqrt(1 + z * z / (a * a)), middle, 0.03);
    ROW("half width, by half of the pressure [mm]", "Hertz", 0.866 * a, half, 0.05);
  }
  ig_structure_problem_free(&q);
  return status;
}

/* --- a rigid flat punch, 20 wide, on a half plane in plane strain. mm, N, MPa; a half of both */

static void stamp(const double at[3], double x[3]) {
  const double out = 1 - at[0];
  x[0] = 10 * (1 - (0.1 * out + 0.9 * out * out)); /* finer towards its edge */
  x[1] = at[1];
  x[2] = 10 * at[2];
}
static void ground(const double at[3], double x[3]) {
  const double down = 1 - at[2];
  x[0] = at[0] < 0.5 ? 10 * (1 - pow(1 - 2 * at[0], 2))
                     : 10 + 390 * (0.05 * (2 * at[0] - 1) + 0.95 * pow(2 * at[0] - 1, 4));
  x[1] = at[1];
  x[2] = -400 * (0.02 * down + 0.98 * pow(down, 3));
}

/* Stress at a depth z below the middle: -P / pi (a^2 + 2 z^2) / (a^2 + z^2)^1.5, a the half width,
   P the load of the whole punch per depth. */
ig_status ig_structure_verify_punch(ig_ctx *cx, const ig_verify_sink *sink) {
  enum { ALONG = 40, DOWN = 24 };
  ig_structure_problem q = {
      .grid = {{IG_HEX8, {ALONG, 1, DOWN}, ground, NULL}, {IG_HEX8, {16, 1, 4}, stamp, "u"}},
      .set = {{"materials", "[{name: m, young: 1e4, poisson: 0.3, set: grid}, {name: hard, young: "
                            "1e8, poisson: 0.3, set: ugrid}]"},
              {"supports", "[{set: c0, fix: z}, {set: a0, fix: x}, {set: b0, fix: y}, {set: b1, "
                           "fix: y}, {set: ua0, fix: x}, {set: ub0, fix: y}, {set: ub1, fix: y}, "
                           "{set: uc1, components: z, displacement: [0, 0, -0.05]}]"},
              {"contacts", "{set: uc0, to: c1, stiffness: 1e7}"},
              {"analysis", "{kind: static}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    double load = 0, x[3];
    for (ig_lid n = 0; n < q.mesh->nodes; n++)
      load += fabs(q.mesh->x[3 * (size_t)n + 2] + 400) < 1e-6 ? q.force[3 * (size_t)n + 2] : 0;
    for (int k = 0; k < 2; k++) { /* near the surface, and below it */
      static const char *const name[] = {"stress under the middle, at the surface [MPa]",
                                         "stress under the middle, half a width deep [MPa]"};
      ig_lid e = ALONG * (DOWN - 1);
      ig_structure_problem_centre(&q, e, x);
      while (k && x[2] > -8) {
        e -= ALONG;
        ig_structure_problem_centre(&q, e, x);
      }
      const double z = x[2], a = 10;
      ROW(name[k], "Sadowsky 1928",
          -2 * fabs(load) / IG_PI * (a * a + 2 * z * z) / pow(a * a + z * z, 1.5),
          q.stress[6 * (size_t)e + 2], 0.03);
    }
  }
  ig_structure_problem_free(&q);
  return status;
}

/* --- ironing: a round die is pressed into a slab and drawn along it, without friction */

static void slab(const double at[3], double x[3]) {
  x[0] = 8 * at[0], x[1] = at[1], x[2] = 2 * at[2];
}
static void die(const double at[3], double x[3]) {
  const double out = 1.2 * (2 * at[0] - 1);
  x[0] = 2 + out, x[1] = at[1];
  x[2] = 2 + (1 - at[2]) * out * out / 4 + at[2];
}

/* Far from the ends all places are alike, but for where the edges of elements are: the load is the
   same an element further (between, it rises and falls by 1.5 % with this mesh), and nothing pulls
   the die back. */
ig_status ig_structure_verify_ironing(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const way[] = {"[1.2, 0, 0]", "[1.6, 0, 0]"};
  double down[2], back[2];
  for (int i = 0; i < 2; i++) {
    char supports[600];
    snprintf(
        supports, sizeof supports,
        "[{set: c0, fix: all}, {set: b0, fix: y}, {set: b1, fix: y}, {set: ub0, fix: y}, {set: "
        "ub1, fix: y}, {set: uc1, components: z, displacement: [0, 0, -0.3], history: [[0, 0], "
        "[1, 1], [2, 1]]}, {set: uc1, components: x, displacement: %s, history: [[0, 0], [1, "
        "0], [2, 1]]}]",
        way[i]);
    ig_structure_problem q = {
        .grid = {{IG_HEX8, {20, 1, 5}, slab, NULL}, {IG_HEX8, {9, 1, 3}, die, "u"}},
        .set = {{"materials", "[{name: m, young: 1, poisson: 0.3, set: grid}, {name: hard, young: "
                              "10, poisson: 0.3, set: ugrid}]"},
                {"supports", supports},
                {"contacts", "{set: uc0, to: c1}"},
                {"analysis",
                 "[{kind: static, large: true, first_step: 0.25}, {kind: static, large: "
                 "true, first_step: 0.1}]"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    down[i] = back[i] = 0;
    for (ig_lid n = 0; status == IG_OK && n < q.mesh->nodes; n++)
      if (q.mesh->x[3 * (size_t)n + 2] == 0) {
        back[i] += q.force[3 * (size_t)n];
        down[i] += q.force[3 * (size_t)n + 2];
      }
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  ROW("load an element further, over the load before", "equal places", 1, down[1] / down[0], 0.01);
  for (int i = 0; i < 2; i++)
    ROW(i ? "pull an element further, over the load" : "pull, over the load", "equal places", 0,
        back[i] / down[i], 0.01);
  return IG_OK;
}
