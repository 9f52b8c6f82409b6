/* Verification of creep against closed forms. */
#include "verify/structure/verify.h"

#include <math.h>
#include <stdio.h>

#define ROW(quantity, source, expected, computed, tolerance)                                       \
  ig_structure_verify_row(sink, quantity, source, expected, computed, tolerance)

/* --- a bar of one element, E 200 GPa, along x */

static void cube(const double at[3], double x[3]) {
  for (int d = 0; d < 3; d++)
    x[d] = at[d];
}

#define HELD "{set: a0, fix: x}, {set: b0, fix: y}, {set: c0, fix: z}"

/* Its end's displacement, and the stress along it. */
static ig_status bar(ig_ctx *cx, const char *creep, const char *supports, const char *loads,
                     const char *analysis, double *end, double *stress) {
  char material[256];
  snprintf(material, sizeof material,
           "{name: m, young: 200e9, poisson: 0.3, mechanical: {creep: %s}}", creep);
  ig_structure_problem q = {.grid = {{IG_HEX8, {1, 1, 1}, cube, NULL}},
                            .set = {{"materials", material},
                                    {"supports", supports},
                                    {"loads", loads},
                                    {"analysis", analysis}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    *end = ig_structure_problem_moved(&q, (double[]){1, 1, 1}, 0);
    *stress = q.stress[0];
  }
  ig_structure_problem_free(&q);
  return status;
}

/* 100 MPa for 100 s, then 200 MPa for 100 s; a power of the time of -1/2. */
static const double factor = 1e-38, early = 100, late = 200, s1 = 100e6, s2 = 200e6;
static double grown(double s, double t) {
  return 2 * factor * s * s * s * s * sqrt(t);
}

static ig_status hardening(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char pulls[] = "{set: a1, pressure: -100e6, history: [[0, 0], [1e-6, 1], "
                              "[100.000001, 1], [100.000002, 2]]}";
  static const char analysis[] =
      "[{kind: static, duration: 1e-6}, {kind: static, creep: true, duration: 100}, {kind: static, "
      "duration: 1e-6}, {kind: static, creep: true, duration: 100}]";
  const double begin = 1e-6, change = early + 2e-6; /* when stresses are reached */
  const double by_time =
      grown(s1, early + begin) - grown(s1, begin) + grown(s2, late + 2e-6) - grown(s2, change);
  const double before = pow(grown(s1, early), 2), all = before + pow(grown(s2, 1), 2) * 100;
  double end, stress;
  IG_TRY(bar(cx, "{factor: 1e-38, power: 4}", "[" HELD "]", pulls, analysis, &end, &stress));
  ROW("Norton, two stresses: strain", "rate times time",
      factor * 100 * (pow(s1, 4) + pow(s2, 4)) + 1e-3, end, 1e-6);
  IG_TRY(bar(cx, "{factor: 1e-38, power: 4, time_power: -0.5}", "[" HELD "]", pulls, analysis, &end,
             &stress));
  ROW("time hardening, two stresses: strain", "integral", by_time + 1e-3, end, 1e-6);
  IG_TRY(bar(cx, "{factor: 1e-38, power: 4, time_power: -0.5, hardening: strain}", "[" HELD "]",
             pulls, analysis, &end, &stress));
  ROW("strain hardening, two stresses: strain", "integral", sqrt(all) + 1e-3, end, 1e-6);
  return IG_OK;
}

/* A bolt that is drawn to 200 MPa and held: s' = -E A s^n. */
static ig_status relaxation(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char stretched[] =
      "[" HELD ", {set: a1, components: x, displacement: [1e-3, 0, 0], history: [[0, 0], [1e-6, "
      "1]]}]";
  static const char none[] = "{set: a1, pressure: 0}";
  char analysis[160];
  const double exact = pow(pow(200e6, -3) + 3 * 200e9 * factor * 1000, -1.0 / 3);
  double end, stress[2];
  for (int i = 0; i < 2; i++) {
    snprintf(analysis, sizeof analysis,
             "[{kind: static, duration: 1e-6}, {kind: static, creep: true, duration: 1000, "
             "creep_change: %g}]",
             i ? 3e-7 : 3e-6);
    IG_TRY(bar(cx, "{factor: 1e-38, power: 4}", stretched, none, analysis, &end, &stress[i]));
  }
  ROW("relaxation: stress after 1000 s [MPa]", "s' = -E A s^n", exact / 1e6, stress[1] / 1e6, 0.01);
  ROW("relaxation: error over that of tenfold `creep_change`, at most", "first order", 0,
      (stress[1] - exact) / (stress[0] - exact), 0.5);
  return IG_OK;
}

/* --- a thick tube under inner pressure, plane strain, in steady creep (Bailey 1951) */

static void tube(const double at[3], double x[3]) {
  const double r = 1 + at[0] * at[0] * 0.5 + at[0] * 0.5, angle = IG_PI / 2 * at[1];
  x[0] = r * cos(angle);
  x[1] = r * sin(angle);
  x[2] = 0.2 * at[2];
}

static ig_status pressurised(ig_ctx *cx, const ig_verify_sink *sink) {
  const double n = 4, p = 100e6, t = 1e5;
  ig_structure_problem q = {
      .grid = {{IG_HEX20, {6, 6, 1}, tube, NULL}},
      .set = {{"materials", "{name: m, young: 200e9, poisson: 0.3, mechanical: {creep: {factor: "
                            "1e-38, power: 4}}}"},
              {"supports", "[{set: b0, fix: y}, {set: b1, fix: x}, {set: c0, fix: z}, {set: c1, "
                           "fix: z}]"},
              {"loads", "{set: a0, pressure: 100e6, history: [[0, 0], [1e-6, 1]]}"},
              {"analysis", "[{kind: static, duration: 1e-6}, {kind: static, creep: true, duration: "
                           "1e5, creep_change: 1e-4}]"}}};
  const ig_status status = ig_structure_problem_run(cx, &q);
  if (status == IG_OK) {
    /* difference of hoop and radial stress c r^(-2 / n) */
    const double c = 2 * p / n * pow(2, 2 / n) / (pow(2, 2 / n) - 1), half = sqrt(3) / 2;
    const double rate = half * factor * pow(half * c, n);
    ROW("tube, steady creep: inner displacement over time [m/s]", "Bailey 1951", rate,
        ig_structure_problem_moved(&q, (double[]){1, 0, 0}, 0) / t, 0.02);
    ROW("tube, steady creep: outer displacement over time [m/s]", "Bailey 1951", rate / 2,
        ig_structure_problem_moved(&q, (double[]){2, 0, 0}, 0) / t, 0.02);
    for (int side = 0; side < 2; side++) {
      const ig_lid e = side ? 5 : 0; /* of the first row */
      const double *s = q.stress + 6 * e;
      double x[3];
      tube((double[]){side ? 5.5 / 6 : 0.5 / 6, 0, 0}, x);
      const double r = x[0], arc = IG_PI / 12; /* its stress is the mean over this angle */
      const double shear = sqrt((s[0] - s[1]) * (s[0] - s[1]) + 4 * s[3] * s[3]);
      ROW(side ? "tube, steady creep: hoop less radial stress outside [MPa]"
               : "tube, steady creep: hoop less radial stress inside [MPa]",
          "Bailey 1951", c * pow(r, -2 / n) * sin(arc) / arc / 1e6, shear / 1e6, 0.01);
    }
  }
  ig_structure_problem_free(&q);
  return status;
}

ig_status ig_structure_verify_creep(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(hardening(cx, sink));
  IG_TRY(relaxation(cx, sink));
  return pressurised(cx, sink);
}
