/* Verification of solid elements: bending, locking, yielding, modes. */
#include "verify/structure/verify.h"

#include <math.h>
#include <stdio.h>

#define ROW(quantity, source, expected, computed, tolerance)                                       \
  ig_structure_verify_row(sink, quantity, source, expected, computed, tolerance)

/* --- MacNeal and Harder's straight beam, 6 x 0.2 x 0.1 of six elements */

/* Walls between elements lean by 45 degrees; middles of edges lie half-way between walls. */
static void beam(const double at[3], double lean_of_one, bool alternate, double x[3]) {
  const double wall = 6 * at[0], low = floor(wall + 1e-9), part = wall - low < 1e-9 ? 0 : 0.5;
  double lean = 0;
  for (int k = 0; k < 2; k++) {
    const double w = low + k, weight = k ? part : 1 - part;
    const bool inner = w > 0.5 && w < 5.5;
    if (inner && weight > 0)
      lean += weight * lean_of_one * (alternate && fmod(w, 2) < 0.5 ? -1 : 1);
  }
  x[0] = wall + lean * (2 * at[1] - 1);
  x[1] = 0.2 * at[1];
  x[2] = 0.1 * at[2];
}
static void regular(const double at[3], double x[3]) {
  beam(at, 0, false, x);
}
static void parallelogram(const double at[3], double x[3]) {
  beam(at, 0.1, false, x);
}
static void trapezoid(const double at[3], double x[3]) {
  beam(at, 0.1, true, x);
}

static const char *const beam_load[4] = {
    "{set: tip, force: [1, 0, 0]}", "{set: tip, force: [0, 1, 0]}", "{set: tip, force: [0, 0, 1]}",
    "{set: tip, moment: [1, 0, 0]}"};

/* Displacement of the end along the load; of the twist, the rotation. */
static ig_status beam_tip(ig_ctx *cx, ig_elem_type type, ig_structure_place *place, int load,
                          double *tip) {
  ig_structure_problem q = {
      .grid = {{type, {6, 1, 1}, place, NULL}},
      .point = {{"tip", {6, 0.1, 0.05}, true}},
      .set = {{"materials", "{name: m, young: 1e7, poisson: 0.3}"},
              {"supports", "{set: a0, fix: xyz}"},
              {"couplings", "{node: tip, set: a1, kind: distributing}"},
              {"loads", beam_load[load]},
              {"sections", type == IG_HEX20 ? "{integration: reduced}" : "{integration: auto}"},
              {"analysis", "{kind: static}"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK)
    *tip = load < 3 ? ig_structure_problem_moved(&q, q.point[0].x, load)
                    : (ig_structure_problem_moved(&q, (double[]){6, 0.2, 0}, 2) -
                       ig_structure_problem_moved(&q, (double[]){6, 0, 0}, 2)) /
                          0.2;
  ig_structure_problem_free(&q);
  return status;
}

ig_status ig_structure_verify_beams(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const source = "MacNeal & Harder 1985";
  static const struct {
    const char *name;
    ig_elem_type type;
    ig_structure_place *place;
    int load;
    double expected, tolerance;
  } all[] = {{"hex8: extension", IG_HEX8, regular, 0, 3e-5, 0.02},
             {"hex8: in the plane", IG_HEX8, regular, 1, 0.1081, 0.025},
             {"hex8: out of the plane", IG_HEX8, regular, 2, 0.4321, 0.03},
             {"hex20: extension", IG_HEX20, regular, 0, 3e-5, 0.02},
             {"hex20: in the plane", IG_HEX20, regular, 1, 0.1081, 0.02},
             {"hex20: out of the plane", IG_HEX20, regular, 2, 0.4321, 0.03},
             {"hex20: twist", IG_HEX20, regular, 3, 0.03208, 0.1},
             {"hex20: parallelograms, in the plane", IG_HEX20, parallelogram, 1, 0.1081, 0.1},
             {"hex20: trapezoids, in the plane", IG_HEX20, trapezoid, 1, 0.1081, 0.1}};
  /* hex8 must stay stiff where it is no rectangle (MacNeal 1987): not stiffer than others */
  static const struct {
    const char *name;
    ig_structure_place *place;
    double share;
  } stiff[] = {{"hex8: parallelograms, missing to 0.624", parallelogram, 0.624},
               {"hex8: trapezoids, missing to 0.047", trapezoid, 0.047}};
  double tip;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    IG_TRY(beam_tip(cx, all[i].type, all[i].place, all[i].load, &tip));
    ROW(all[i].name, source, all[i].expected, tip, all[i].tolerance);
  }
  for (size_t i = 0; i < sizeof stiff / sizeof *stiff; i++) {
    IG_TRY(beam_tip(cx, IG_HEX8, stiff[i].place, 1, &tip));
    ROW(stiff[i].name, "OptiStruct 2022, HEX8", 0, fmax(0, stiff[i].share - tip / 0.1081), 0.005);
  }
  return IG_OK;
}

/* --- their curved beam, a quarter of a ring of 4.12 to 4.32, 0.1 thick */

static void curved(const double at[3], double x[3]) {
  const double angle = IG_PI / 2 * at[0], r = 4.12 + 0.2 * at[1];
  x[0] = r * sin(angle);
  x[1] = r * cos(angle);
  x[2] = 0.1 * at[2];
}

ig_status ig_structure_verify_curved(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *load, *integration;
    ig_elem_type type;
    int along;
    double expected;
  } all[] = {{"hex20, 12 x 3 x 2: in the plane", "{set: tip, force: [1, 0, 0]}",
              "{integration: reduced}", IG_HEX20, 0, 0.08734},
             {"hex20, 12 x 3 x 2: out of the plane", "{set: tip, force: [0, 0, 1]}",
              "{integration: reduced}", IG_HEX20, 2, 0.5022},
             {"hex8, 24 x 6 x 4: in the plane", "{set: tip, force: [1, 0, 0]}",
              "{integration: auto}", IG_HEX8, 0, 0.08734},
             {"hex8, 24 x 6 x 4: out of the plane", "{set: tip, force: [0, 0, 1]}",
              "{integration: auto}", IG_HEX8, 2, 0.5022}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const int n = all[i].type == IG_HEX8 ? 2 : 1;
    ig_structure_problem q = {.grid = {{all[i].type, {12 * n, 3 * n, 2 * n}, curved, NULL}},
                              .point = {{"tip", {4.22, 0, 0.05}, true}},
                              .set = {{"materials", "{name: m, young: 1e7, poisson: 0.25}"},
                                      {"supports", "{set: a0, fix: xyz}"},
                                      {"couplings", "{node: tip, set: a1, kind: distributing}"},
                                      {"loads", all[i].load},
                                      {"sections", all[i].integration},
                                      {"analysis", "{kind: static}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK)
      ROW(all[i].name, "MacNeal & Harder 1985", all[i].expected,
          q.u[3 * (size_t)(q.mesh->nodes - 1) + (size_t)all[i].along],
          all[i].type == IG_HEX8 ? 0.03 : 0.02);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- MacNeal and Harder's twisted beam, 12 x 1.1 x 0.32 */

static void twisted(const double at[3], double x[3]) {
  const double angle = IG_PI / 2 * at[0], y = 1.1 * (at[1] - 0.5), z = 0.32 * (at[2] - 0.5);
  x[0] = 12 * at[0];
  x[1] = y * cos(angle) - z * sin(angle);
  x[2] = y * sin(angle) + z * cos(angle);
}

ig_status ig_structure_verify_twisted(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *load;
    ig_elem_type type;
    int n[3], along;
    double expected;
  } all[] = {{"hex20, 12 x 2 x 1: along the depth of the end",
              "{set: tip, force: [0, 0, 1]}",
              IG_HEX20,
              {12, 2, 1},
              2,
              0.005424},
             {"hex20, 12 x 2 x 1: along the thickness of the end",
              "{set: tip, force: [0, 1, 0]}",
              IG_HEX20,
              {12, 2, 1},
              1,
              0.001754},
             {"hex8, 24 x 4 x 2: along the depth of the end",
              "{set: tip, force: [0, 0, 1]}",
              IG_HEX8,
              {24, 4, 2},
              2,
              0.005424},
             {"hex8, 24 x 4 x 2: along the thickness of the end",
              "{set: tip, force: [0, 1, 0]}",
              IG_HEX8,
              {24, 4, 2},
              1,
              0.001754}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_structure_problem q = {
        .grid = {{all[i].type, {all[i].n[0], all[i].n[1], all[i].n[2]}, twisted, NULL}},
        .point = {{"tip", {12, 0, 0}, true}},
        .set = {{"materials", "{name: m, young: 29e6, poisson: 0.22}"},
                {"supports", "{set: a0, fix: xyz}"},
                {"couplings", "{node: tip, set: a1, kind: distributing}"},
                {"loads", all[i].load},
                {"analysis", "{kind: static}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK)
      ROW(all[i].name, "MacNeal & Harder 1985", all[i].expected,
          q.u[3 * (size_t)(q.mesh->nodes - 1) + (size_t)all[i].along], 0.02);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- Cook's membrane: half of a plate of thickness 2, whose middle plane is a symmetry */

static void panel(const double at[3], double x[3]) {
  const double low = 44 * at[0], high = 44 + 16 * at[0];
  x[0] = 48 * at[0];
  x[1] = low + (high - low) * at[1];
  x[2] = at[2];
}

ig_status ig_structure_verify_cook(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name;
    ig_elem_type type;
    int n;
    double tolerance;
  } all[] = {{"hex8, 16 x 16: middle of the free edge", IG_HEX8, 16, 0.02},
             {"hex20, 8 x 8: middle of the free edge", IG_HEX20, 8, 0.01}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_structure_problem q = {.grid = {{all[i].type, {all[i].n, all[i].n, 1}, panel, NULL}},
                              .point = {{"edge", {48, 52, 0.5}, true}},
                              .set = {{"materials", "{name: m, young: 1, poisson: 0.333333333333}"},
                                      {"supports", "[{set: a0, fix: x y}, {set: c0, fix: z}]"},
                                      {"couplings", "{node: edge, set: a1, kind: distributing}"},
                                      {"loads", "{set: edge, force: [0, 1, 0]}"},
                                      {"analysis", "{kind: static}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK)
      ROW(all[i].name, "32 x 32 quadratic", 23.95,
          ig_structure_problem_moved(&q, (double[]){48, 52, 0}, 1), all[i].tolerance);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- cylinders in plane strain */

static void ring(const double at[3], double a, double b, double x[3]) {
  const double r = a + (b - a) * at[0], angle = IG_PI / 2 * at[1];
  x[0] = r * cos(angle);
  x[1] = r * sin(angle);
  x[2] = a * at[2] / 10;
}
static void thick(const double at[3], double x[3]) {
  ring(at, 3, 9, x);
}
static void gun(const double at[3], double x[3]) {
  ring(at, 0.1, 0.2, x);
}

ig_status ig_structure_verify_cylinder(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *material;
    ig_elem_type type;
    double expected;
  } all[] = {
      {"hex8, Poisson's ratio 0.49: inside", "{name: m, young: 1000, poisson: 0.49}", IG_HEX8,
       5.0399e-3},
      {"hex8, 0.4999: inside", "{name: m, young: 1000, poisson: 0.4999}", IG_HEX8, 5.0623e-3},
      {"hex20, 0.49: inside", "{name: m, young: 1000, poisson: 0.49}", IG_HEX20, 5.0399e-3},
      {"hex20, 0.4999: inside", "{name: m, young: 1000, poisson: 0.4999}", IG_HEX20, 5.0623e-3}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_structure_problem q = {
        .grid = {{all[i].type, {10, 12, 1}, thick, NULL}},
        .set = {{"materials", all[i].material},
                {"supports", "[{set: b0, fix: y}, {set: b1, fix: x}, {set: c0, fix: z}, {set: c1, "
                             "fix: z}]"},
                {"loads", "{set: a0, pressure: 1}"},
                {"sections", "{integration: auto}"},
                {"analysis", "{kind: static}"}}};
    if (all[i].type == IG_HEX20)
      q.set[3].value = "{integration: reduced}";
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK)
      ROW(all[i].name, "MacNeal & Harder 1985", all[i].expected,
          ig_structure_problem_moved(&q, (double[]){3, 0, 0}, 0), 0.02);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* Perfectly plastic: pressures at which the front is at 120 and 160 of 100 to 200 mm. The closed
   form takes the plastic zone as incompressible. */
ig_status ig_structure_verify_plastic(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *load, *integration;
    ig_elem_type type;
    int n[2];
    double expected;
  } all[] = {{"hex8: outside, front at 120 mm",
              "{set: a0, pressure: 0.13921 GPa}",
              "{integration: auto}",
              IG_HEX8,
              {16, 12},
              0.0865e-3},
             {"hex8: outside, front at 160 mm",
              "{set: a0, pressure: 0.18013 GPa}",
              "{integration: auto}",
              IG_HEX8,
              {16, 12},
              0.1537e-3},
             {"hex20: outside, front at 120 mm",
              "{set: a0, pressure: 0.13921 GPa}",
              "{integration: reduced}",
              IG_HEX20,
              {8, 4},
              0.0865e-3},
             {"hex20: outside, front at 160 mm",
              "{set: a0, pressure: 0.18013 GPa}",
              "{integration: reduced}",
              IG_HEX20,
              {8, 4},
              0.1537e-3}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_structure_problem q = {
        .grid = {{all[i].type, {all[i].n[0], all[i].n[1], 1}, gun, NULL}},
        .set = {{"materials", "{name: m, young: 210 GPa, poisson: 0.3, yield: 0.24 GPa, hardening: "
                              "0}"},
                {"supports", "[{set: b0, fix: y}, {set: b1, fix: x}, {set: c0, fix: z}, {set: c1, "
                             "fix: z}]"},
                {"loads", all[i].load},
                {"sections", all[i].integration},
                {"analysis", "{kind: static, first_step: 0.25}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK)
      ROW(all[i].name, "exact, plastic zone incompressible", all[i].expected,
          ig_structure_problem_moved(&q, (double[]){0.2, 0, 0}, 0), 0.03);
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- modes and buckling */

static void slender(const double at[3], double x[3]) {
  x[0] = 20 * at[0], x[1] = at[1], x[2] = 0.5 * at[2];
}
static void taper(const double at[3], double x[3]) {
  x[0] = 10 * at[0];
  x[1] = (5 - 4 * at[0]) * (at[1] - 0.5);
  x[2] = 0.05 * at[2];
}

ig_status ig_structure_verify_modes(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_structure_problem q = {
      .grid = {{IG_HEX20, {20, 1, 1}, slender, NULL}},
      .set = {{"materials", "{name: m, young: 200e9, poisson: 0, density: 8000}"},
              {"supports", "{set: a0, fix: xyz}"},
              {"analysis", "{kind: frequency, modes: 3}"}}};
  ig_status status = ig_structure_problem_run(cx, &q);
  /* first about the thin and the thick side, second about the thin one */
  const double unit = sqrt(200e9 / 8000 / 12) / (2 * IG_PI * 400);
  if (status == IG_OK) {
    ROW("cantilever 20 x 1 x 0.5: mode 1 [Hz]", "Euler-Bernoulli", pow(1.875104, 2) * unit * 0.5,
        q.mode[0], 0.01);
    ROW("cantilever 20 x 1 x 0.5: mode 2 [Hz]", "Euler-Bernoulli", pow(1.875104, 2) * unit,
        q.mode[1], 0.01);
    ROW("cantilever 20 x 1 x 0.5: mode 3 [Hz]", "Euler-Bernoulli", pow(4.694091, 2) * unit * 0.5,
        q.mode[2], 0.01);
  }
  ig_structure_problem_free(&q);
  IG_TRY(status);
  static const double exact[] = {44.623, 130.03, 162.70, 246.05, 379.90, 391.44};
  ig_structure_problem p = {
      .grid = {{IG_HEX20, {16, 8, 1}, taper, NULL}},
      .set = {{"materials", "{name: m, young: 200e9, poisson: 0.3, density: 8000}"},
              {"supports", "[{set: a0, fix: x y}, {set: c0, fix: z}]"},
              {"analysis", "{kind: frequency, modes: 6}"}}};
  status = ig_structure_problem_run(cx, &p);
  for (int i = 0; i < 6 && status == IG_OK; i++) {
    char name[64];
    snprintf(name, sizeof name, "tapered membrane: mode %d [Hz]", i + 1);
    ROW(name, "NAFEMS FV32", exact[i], p.mode[i], 0.01);
  }
  ig_structure_problem_free(&p);
  return status;
}

/* --- square plates of 10 m: thin ones as shells, a thick one as a solid on its lower edges */

static void plate(const double at[3], double x[3]) {
  x[0] = 10 * at[0], x[1] = 10 * at[1], x[2] = at[2];
}

ig_status ig_structure_verify_plates(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char steel[] = "{name: m, young: 200e9, poisson: 0.3, density: 8000}";
  static const struct {
    const char *name, *source;
    ig_elem_type type;
    const char *supports;
    int skip, count;
    double hertz[7];
  } all[] = {{"free, thin",
              "NAFEMS FV12",
              IG_QUAD8,
              NULL,
              6,
              6,
              {1.622, 2.360, 2.922, 4.233, 4.233, 7.416}},
             {"cantilever, thin",
              "NAFEMS FV16",
              IG_QUAD8,
              "{set: a0, fix: all}",
              0,
              6,
              {0.421, 1.029, 2.582, 3.306, 3.753, 6.555}},
             {"thick, on its lower edges",
              "solid (CalculiX), NAFEMS FV52",
              IG_HEX20,
              "{set: rim, fix: z}",
              3,
              7,
              {43.72, 105.46, 105.46, 158.28, 193.62, 198.38, 198.90}}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const bool thin = all[i].type == IG_QUAD8;
    char analysis[80];
    snprintf(analysis, sizeof analysis, "{kind: frequency, modes: %d}", all[i].skip + all[i].count);
    ig_structure_problem q = {.grid = {{all[i].type, {8, 8, 2}, plate, NULL}}};
    int k = 0;
    q.set[k++] = (ig_structure_entry){"materials", steel};
    q.set[k++] = (ig_structure_entry){"analysis", analysis};
    if (all[i].supports)
      q.set[k++] = (ig_structure_entry){"supports", all[i].supports};
    if (thin)
      q.set[k++] = (ig_structure_entry){"shells", "{thickness: 0.05}"};
    q.set[k++] =
        (ig_structure_entry){"sections", thin ? "{integration: reduced}" : "{integration: full}"};
    const ig_status status = ig_structure_problem_run(cx, &q);
    for (int m = 0; m < all[i].count && status == IG_OK; m++) {
      char name[64];
      snprintf(name, sizeof name, "%s: mode %d [Hz]", all[i].name, m + (thin && i ? 1 : 4));
      ROW(name, all[i].source, all[i].hertz[m], q.mode[all[i].skip + m], i == 0 ? 0.015 : 0.01);
    }
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}

static void column(const double at[3], double x[3]) {
  x[0] = 50 * at[0], x[1] = at[1], x[2] = 2 * at[2];
}

ig_status ig_structure_verify_column(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name;
    ig_elem_type type;
    int n[3];
  } all[] = {{"hex8: load over E A, first", IG_HEX8, {50, 2, 2}},
             {"hex20: load over E A, first", IG_HEX20, {20, 1, 1}}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_structure_problem q = {
        .grid = {{all[i].type, {all[i].n[0], all[i].n[1], all[i].n[2]}, column, NULL}},
        .set = {{"materials", "{name: m, young: 1e9, poisson: 0.3}"},
                {"supports", "{set: a0, fix: all}"},
                {"loads", "{set: a1, pressure: 1e9}"},
                {"analysis", "{kind: buckling, modes: 2}"}}};
    const ig_status status = ig_structure_problem_run(cx, &q);
    if (status == IG_OK) {
      ROW(all[i].name, "Euler", IG_PI * IG_PI / 4 / 12 / 2500, q.mode[0], 0.01);
      ROW("the other way, twice as thick", "Euler", IG_PI * IG_PI / 4 * 4 / 12 / 2500, q.mode[1],
          0.015);
    }
    ig_structure_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}
