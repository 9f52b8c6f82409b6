/* Verification of shells at large displacements: Sze, Liu and Lo (2004). Shells of eight nodes
   become solids of one layer with 2 x 2 x 2 points. */
#include "core/number.h"
#include "verify/structure/verify.h"

#include <math.h>
#include <stdio.h>

#define ROW(quantity, expected, computed, tolerance)                                               \
  ig_structure_verify_row(sink, quantity, "Sze, Liu & Lo 2004", expected, computed, tolerance)

/* --- a strip under a shear force at its end */

static void strip(const double at[3], double x[3]) {
  x[0] = 10 * at[0];
  x[1] = at[1];
  x[2] = 0;
}

ig_status ig_structure_verify_strip(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *u, *w;
    double force, moved[2];
  } all[] = {{"half of the force: shortening", "half of the force: deflection", 2, {1.604, 4.933}},
             {"shortening", "deflection", 4, {3.286, 6.698}}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char loads[256];
    snprintf(loads, sizeof loads,
             "[{set: A, force: [0, 0, %.17g]}, {set: B, force: [0, 0, %.17g]}, {set: C, force: [0, "
             "0, %.17g]}]",
             all[i].force / 6, all[i].force / 1.5, all[i].force / 6);
    ig_structure_problem q = {
        .grid = {{IG_QUAD8, {10, 1, 1}, strip, NULL}},
        .point = {{"A", {10, 0, 0}, false}, {"B", {10, 0.5, 0}, false}, {"C", {10, 1, 0}, false}},
        .set = {{"materials", "{name: m, young: 1.2e6, poisson: 0}"},
                {"shells", "{thickness: 0.1}"},
                {"supports", "{set: a0, fix: x y z rx ry rz}"},
                {"sections", "{integration: reduced}"},
                {"loads", loads},
                {"analysis", "{kind: static, large: true, first_step: 0.1}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK) {
      ROW(all[i].u, all[i].moved[0], -ig_structure_problem_moved(&q, q.point[1].x, 0), 0.02);
      ROW(all[i].w, all[i].moved[1], ig_structure_problem_moved(&q, q.point[1].x, 2), 0.02);
    }
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- an annular plate, cut along a radius, lifted by 0.8 N/m at one lip */

static void slit(const double at[3], double x[3]) {
  const double r = 6 + 4 * at[0], angle = (2 * IG_PI - 1e-6) * at[1];
  x[0] = r * cos(angle);
  x[1] = r * sin(angle);
  x[2] = 0;
}

ig_status ig_structure_verify_slit(ig_ctx *cx, const ig_verify_sink *sink) {
  static const int share[7] = {1, 4, 2, 4, 2, 4, 1}; /* of a cell's sixths: Simpson's rule */
  char loads[512];
  int used = 0;
  ig_structure_problem q = {.grid = {{IG_QUAD8, {3, 32, 1}, slit, NULL}},
                            .set = {{"materials", "{name: m, young: 21e6, poisson: 0}"},
                                    {"shells", "{thickness: 0.03}"},
                                    {"supports", "{set: b1, fix: x y z rx ry rz}"},
                                    {"sections", "{integration: reduced}"},
                                    {"loads", loads},
                                    {"analysis", "{kind: static, large: true, first_step: 0.02}"}}};
  static const char *const name[7] = {"A", "B", "C", "D", "E", "F", "G"};
  for (int i = 0; i < 7; i++) {
    q.point[i].name = name[i];
    slit((double[]){i / 6.0, 0, 0}, q.point[i].x);
    used +=
        ig_format(loads + used, sizeof loads - (size_t)used, "%s{set: %s, force: [0, 0, %.17g]}",
                  i ? ", " : "[", name[i], 0.8 * 4 / 3 * share[i] / 6);
  }
  ig_format(loads + used, sizeof loads - (size_t)used, "]");
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    ROW("inner corner of the lip", 13.891, ig_structure_problem_moved(&q, q.point[0].x, 2), 0.02);
    ROW("outer corner of the lip", 17.528, ig_structure_problem_moved(&q, q.point[6].x, 2), 0.02);
  }
  ig_structure_problem_free(&q);
  return status;
}
