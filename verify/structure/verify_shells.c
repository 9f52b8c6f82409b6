/* Verification of shells, which become solids of one layer (structure/expand.h). */
#include "verify/structure/verify.h"

#include <math.h>
#include <stdio.h>

#define ROW(quantity, source, expected, computed, tolerance)                                       \
  ig_structure_verify_row(sink, quantity, source, expected, computed, tolerance)

/* --- Scordelis and Lo's roof: a quarter; x along it from the middle, the crown at a = 0 */

static void roof(const double at[3], double x[3]) {
  const double angle = IG_PI / 180 * 40 * at[0];
  x[0] = 25 * at[1];
  x[1] = 25 * sin(angle);
  x[2] = 25 * cos(angle);
}

ig_status ig_structure_verify_roof(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name;
    ig_elem_type type;
    int n;
  } all[] = {{"quad4, 16 x 16: middle of the free edge", IG_QUAD4, 16},
             {"quad8, 8 x 8: middle of the free edge", IG_QUAD8, 8}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_structure_problem q = {
        .grid = {{all[i].type, {all[i].n, all[i].n, 1}, roof, NULL}},
        .set = {{"materials", "{name: m, young: 4.32e8, poisson: 0, density: 360}"},
                {"shells", "{thickness: 0.25}"},
                {"supports", "[{set: b1, fix: y z}, {set: b0, fix: x ry rz}, {set: a0, fix: y rx "
                             "rz}]"},
                {"sections",
                 all[i].type == IG_QUAD8 ? "{integration: reduced}" : "{integration: auto}"},
                {"loads", "{set: all, acceleration: [0, 0, -1]}"},
                {"analysis", "{kind: static}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK)
      ROW(all[i].name, "MacNeal & Harder 1985", -0.3024,
          ig_structure_problem_moved(
              &q, (double[]){0, 25 * sin(IG_PI / 4.5), 25 * cos(IG_PI / 4.5)}, 2),
          0.02);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- a quarter of a hemisphere with a hole of 18 degrees */

static void sphere(const double at[3], double x[3]) {
  const double lon = IG_PI / 2 * at[0], lat = IG_PI / 180 * 72 * at[1];
  x[0] = 10 * cos(lat) * cos(lon);
  x[1] = 10 * cos(lat) * sin(lon);
  x[2] = 10 * sin(lat);
}

ig_status ig_structure_verify_hemisphere(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name;
    ig_elem_type type;
    int n;
  } all[] = {{"quad4, 48 x 48: under the load", IG_QUAD4, 48},
             {"quad8, 12 x 12: under the load", IG_QUAD8, 12}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_structure_problem q = {
        .grid = {{all[i].type, {all[i].n, all[i].n, 1}, sphere, NULL}},
        .point = {{"A", {10, 0, 0}, false}, {"B", {0, 10, 0}, false}},
        .set = {
            {"materials", "{name: m, young: 6.825e7, poisson: 0.3}"},
            {"shells", "{thickness: 0.04}"},
            {"supports", "[{set: a0, fix: y rx rz}, {set: a1, fix: x ry rz}, {set: A, fix: z}]"},
            {"sections",
             all[i].type == IG_QUAD8 ? "{integration: reduced}" : "{integration: auto}"},
            {"loads", "[{set: A, force: [1, 0, 0]}, {set: B, force: [0, -1, 0]}]"},
            {"analysis", "{kind: static}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK)
      ROW(all[i].name, "MacNeal & Harder 1985", 0.0940,
          ig_structure_problem_moved(&q, q.point[0].x, 0), 0.02);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* The same shell, pulled and pushed by 400 N. */
ig_status ig_structure_verify_bowl(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_QUAD8, {16, 16, 1}, sphere, NULL}},
      .point = {{"A", {10, 0, 0}, false}, {"B", {0, 10, 0}, false}},
      .set = {{"materials", "{name: m, young: 6.825e7, poisson: 0.3}"},
              {"shells", "{thickness: 0.04}"},
              {"supports", "[{set: a0, fix: y rx rz}, {set: a1, fix: x ry rz}, {set: A, fix: z}]"},
              {"sections", "{integration: reduced}"},
              {"loads", "[{set: A, force: [-200, 0, 0]}, {set: B, force: [0, 200, 0]}]"},
              {"analysis", "{kind: static, large: true, first_step: 0.1}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    ROW("where it is pushed", "Sze, Liu & Lo 2004", 8.178,
        -ig_structure_problem_moved(&q, q.point[0].x, 0), 0.02);
    ROW("where it is pulled", "Sze, Liu & Lo 2004", 4.067,
        ig_structure_problem_moved(&q, q.point[1].x, 1), 0.02);
  }
  ig_structure_problem_free(&q);
  return status;
}

/* --- a hinged roof, 12.7 thick, pushed through by its middle. mm, N, MPa */

static void shallow(const double at[3], double x[3]) {
  const double angle = 0.1 * (2 * at[0] - 1);
  x[0] = 254 * (2 * at[1] - 1);
  x[1] = 2540 * sin(angle);
  x[2] = 2540 * (cos(angle) - 1);
}

ig_status ig_structure_verify_snap(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *way;
    double expected;
  } all[] = {
      {"load at 11 mm, near the limit", "{set: A, components: z, displacement: [0, 0, -11]}", 2216},
      {"load at 19.5 mm, the least", "{set: A, components: z, displacement: [0, 0, -19.5]}", 509},
      {"load at 30 mm", "{set: A, components: z, displacement: [0, 0, -30]}", 3640}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char supports[400];
    snprintf(supports, sizeof supports,
             "[{set: a0, fix: x y z ry rz}, {set: a1, fix: x y z ry rz}, %s]", all[i].way);
    ig_structure_problem q = {
        .grid = {{IG_QUAD8, {12, 12, 1}, shallow, NULL}},
        .point = {{"A", {0, 0, 0}, false}},
        .set = {{"materials", "{name: m, young: 3102.75, poisson: 0.3}"},
                {"shells", "{thickness: 12.7}"},
                {"supports", supports},
                {"sections", "{integration: reduced}"},
                {"analysis", "{kind: static, large: true, first_step: 0.1, largest_step: 0.1}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK)
      ROW(all[i].name, "solid (CalculiX)", -all[i].expected,
          q.force[3 * (size_t)ig_structure_problem_node(&q, q.point[0].x) + 2], 0.03);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* Half as thick its middle moves back while the load falls: the arc length alone follows it. The
   least load is that of a quarter of the roof, 16 x 16 quad4 of `dynamics`, whose limit is 587 N.
 */
ig_status ig_structure_verify_snap_back(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_QUAD8, {8, 8, 1}, shallow, NULL}},
      .point = {{"A", {0, 0, 0}, false}},
      .set = {{"materials", "{name: m, young: 3102.75, poisson: 0.3}"},
              {"shells", "{thickness: 6.35}"},
              {"supports", "[{set: a0, fix: x y z ry rz}, {set: a1, fix: x y z ry rz}]"},
              {"sections", "{integration: reduced}"},
              {"loads", "{set: A, force: [0, 0, -1000]}"},
              {"analysis", "{kind: static, large: true, method: arc_length, first_step: 0.05, "
                           "until: {set: A, component: z, displacement: -28}}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    ROW("6.35 mm: limit load", "solid (CalculiX)", 584, 1000 * q.limit[0], 0.02);
    ROW("6.35 mm: least load after it", "shells of dynamics", -387, 1000 * q.limit[1], 0.03);
  }
  ig_structure_problem_free(&q);
  return status;
}
