/* Verification of problems beyond given forces: bars that are known exactly, and slopes against
   central differences, on grids and on distorted hexahedra. */
#include "backend/backend.h"
#include "material/material.h"
#include "geometry/mesh_case.h"
#include "topopt/design/modes.h"
#include "verify/topopt/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- bars --- */

/* A solid of modulus and density 1 that expands by 0.01 per kelvin. */
static ig_list expanding(ig_material_case *material) {
  static double zero, one = 1, expansion = 0.01;
  *material = (ig_material_case){.name = "material", .young = 1, .poisson = 0.3};
  material->density = (ig_table){1, &zero, &one};
  material->mechanical.expansion = (ig_table){1, &zero, &expansion};
  return (ig_list){1, material};
}

static ig_status evaluated(ig_ctx *cx, const char *text, const ig_mesh *mesh, ig_evaluation *e) {
  ig_topopt_problem t;
  ig_material_case material;
  const ig_list materials = expanding(&material);
  *e = (ig_evaluation){0};
  IG_TRY(ig_topopt_problem_open_with(cx, text,
                                     strstr(text, "temperature_change") ? &materials : NULL, mesh,
                                     ig_topopt_mesh_model_assembly(cx), &t));
  ig_topopt_design_continue(&t.c, 1, e);
  const ig_status status = ig_topopt_design_evaluate(t.s, e);
  ig_topopt_problem_close(&t);
  return status;
}

static ig_status bar_mesh(ig_ctx *cx, ig_mesh **mesh) {
  ig_box_case b = {.size = IG_ROW(8, 1, 1), .cells = IG_ROW(8, 2, 1)};
  const ig_mesh_case c = {.boxes = {1, &b}};
  return ig_mesh_generate(cx, &c, mesh);
}

/* A bar of 8 x 1 x 1 held at x = 0 and everywhere against moving sideways: its modulus is that of
   uniaxial strain. */
#define BAR "volume: 1, filter: {kind: none}, solver: {tolerance: 1e-12}, "
#define SLIDES "{box: {min: [0, 0, 0]}, fix: yz}"

/* Longitudinal modes of the bar held at one end, a mass at the other or not: lumped masses on
   springs, w = 2 sqrt(E / h^2) sin((2 k - 1) pi / (4 n)) without it. */
static ig_status bar_modes(ig_ctx *cx, const ig_verify_sink *sink) {
  const double pi = acos(-1), modulus = 0.7 / (1.3 * 0.4);
  for (int on = 0; on < 2; on++) {
    char text[600], what[120];
    ig_mesh *mesh = NULL;
    ig_topopt_problem t;
    ig_evaluation e = {0};
    if (on)
      IG_TRY(bar_mesh(cx, &mesh));
    snprintf(text, sizeof text,
             "{%sproblem: frequency, " BAR "supports: [{box: {max: [0, 9, 9]}}, " SLIDES "]}",
             on ? "" : "grid: {elements: [8, 2, 1], size: [8, 1, 1]}, ");
    ig_status status = ig_topopt_problem_open_mesh(cx, text, mesh, &t);
    if (status == IG_OK) {
      ig_topopt_design_continue(&t.c, 1, &e);
      status = ig_topopt_design_evaluate(t.s, &e);
      for (int k = 0; k < 3 && status == IG_OK; k++) {
        snprintf(what, sizeof what, "a bar held at one end: frequency %d, %s", k + 1,
                 on ? "mesh" : "grid");
        row(sink, what, "sqrt(E / rho) sin((2 k - 1) pi / 4 n) / (pi h)",
            sqrt(modulus) * sin((2 * k + 1) * pi / 32) / pi, ig_topopt_modes_hertz(t.s, k), 1e-9,
            true);
      }
      ig_topopt_problem_close(&t);
    }
    ig_mesh_free(mesh);
    IG_TRY(status);
  }
  return IG_OK;
}

/* Of quadratic tetrahedra against the bar itself. */
static ig_status quadratic_modes(ig_ctx *cx, const ig_verify_sink *sink) {
  const double modulus = 0.7 / (1.3 * 0.4);
  ig_box_case b = {.size = IG_ROW(8, 1, 1), .cells = IG_ROW(16, 2, 2)};
  const ig_mesh_case c = {.boxes = {1, &b}, .element = (int)IG_TET10 + 1};
  ig_mesh *mesh;
  ig_topopt_problem t;
  ig_evaluation e = {0};
  IG_TRY(ig_mesh_generate(cx, &c, &mesh));
  ig_status status = ig_topopt_problem_open_mesh(
      cx, "{problem: frequency, " BAR "supports: [{box: {max: [0, 9, 9]}}, " SLIDES "]}", mesh, &t);
  if (status == IG_OK) {
    ig_topopt_design_continue(&t.c, 1, &e);
    status = ig_topopt_design_evaluate(t.s, &e);
    if (status == IG_OK)
      row(sink, "a bar of tet10 held at one end: lowest frequency",
          "sqrt(E / rho) / (4 L), within 0.1 %", sqrt(modulus) / 32, ig_topopt_modes_hertz(t.s, 0),
          1e-3, true);
    ig_topopt_problem_close(&t);
  }
  ig_mesh_free(mesh);
  return status;
}

/* Bending of a slender cantilever, by Euler and Bernoulli, with a square section: pairs of equal
   frequencies. */
static ig_status beam_modes(ig_ctx *cx, const ig_verify_sink *sink) {
  const double root = 1.875104068711961;
  const double exact = root * root / (2 * acos(-1) * 40 * 40) * 2 / sqrt(12.0);
  ig_topopt_problem t;
  ig_evaluation e = {0};
  IG_TRY(ig_topopt_problem_open(
      cx,
      "{problem: frequency, volume: 1, grid: {elements: [80, 8, 8], size: [40, 2, 2]}, filter: "
      "{kind: none}, supports: [{box: {max: [0, 9, 9]}}], solver: {tolerance: 1e-6}}",
      &t));
  ig_topopt_design_continue(&t.c, 1, &e);
  const ig_status status = ig_topopt_design_evaluate(t.s, &e);
  if (status == IG_OK) {
    row(sink, "a cantilever of square section: lowest frequency", "Euler and Bernoulli", exact,
        ig_topopt_modes_hertz(t.s, 0), 0.02, true);
    row(sink, "a cantilever of square section: second over first frequency", "a pair", 1,
        ig_topopt_modes_hertz(t.s, 1) / ig_topopt_modes_hertz(t.s, 0), 1e-6, true);
  }
  ig_topopt_problem_close(&t);
  return status;
}

ig_status ig_topopt_verify_problems(ig_ctx *cx, const ig_verify_sink *sink) {
  const double modulus = 0.7 / (1.3 * 0.4), length = 8, g = 3, led = 0.5;
  const struct {
    const char *what, *source, *text;
    double expected;
  } bars[] = {
      {"a bar under its own weight: compliance", "g^2 (L^3 / 3 - h^2 L / 12) / E, nodal loads",
       BAR "supports: [{box: {max: [0, 9, 9]}}, " SLIDES "], loads: [{gravity: [3, 0, 0]}]",
       g * g * (length * length * length / 3 - length / 12) / modulus},
      {"a bar pulled by its end: compliance", "-E d^2 / L",
       BAR "supports: [{box: {max: [0, 9, 9]}}, {box: {min: [8, 0, 0]}, displacement: [0.5, 0, "
           "0]}, " SLIDES "]",
       -modulus * led * led / length},
      {"a warm bar between walls: compliance, all of its sides free",
       "V E (a T)^2 (3 / (1 - 2 v) - 1)",
       BAR
       "temperature_change: 50, supports: [{box: {max: [0, 9, 9]}, fix: x}, {box: {min: [8, 0, "
       "0]}, fix: x}, {box: {max: [0, 0, 0]}}, {box: {min: [0, 1, 0], max: [0, 1, 0]}, fix: z}]",
       8 * 0.25 * 6.5},
      {"a warm bar held at one end and pulled: compliance",
       "V E (a T)^2 3 / (1 - 2 v) + F^2 L / E + 2 F a T L",
       BAR "temperature_change: 50, supports: [{box: {max: [0, 9, 9]}, fix: x}, {box: {max: [0, 0, "
           "0]}}, {box: {min: [0, 1, 0], max: [0, 1, 0]}, fix: z}], loads: [{box: {min: [8, 0, "
           "0]}, force: [2, 0, 0], spread: faces}]",
       8 * 0.25 * 7.5 + 4 * 8 + 2 * 2 * 0.5 * 8},
      {"a bar between two temperatures", "-k (T1 - T2)^2 / L",
       "problem: heat, " BAR "supports: [{box: {max: [0, 9, 9]}, temperature: 20}, {box: {min: [8, "
       "0, 0]}, temperature: 70}]",
       -2500 / length}};
  for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
    for (int on = 0; on < 2; on++) {
      char text[600], what[120];
      ig_mesh *mesh = NULL;
      ig_evaluation e;
      if (on)
        IG_TRY(bar_mesh(cx, &mesh));
      snprintf(text, sizeof text, "{%s%s}", on ? "" : "grid: {elements: [8, 1, 1]}, ",
               bars[i].text);
      const ig_status status = evaluated(cx, text, mesh, &e);
      ig_mesh_free(mesh);
      IG_TRY(status);
      snprintf(what, sizeof what, "%s, %s", bars[i].what, on ? "mesh" : "grid");
      row(sink, what, bars[i].source, bars[i].expected, e.objective, 1e-9, true);
    }
  IG_TRY(bar_modes(cx, sink));
  IG_TRY(quadratic_modes(cx, sink));
  return beam_modes(cx, sink);
}

/* --- slopes --- */

/* Functions at x + by d: the objective, then constraints. */
static ig_status values(ig_topopt_problem *t, const double *x, const double *d, double by,
                        double *moved, double *value) {
  ig_evaluation e = {0};
  const size_t n = (size_t)t->d->places;
  for (size_t i = 0; i < n; i++)
    moved[i] = x[i] + by * d[i];
  IG_TRY(t->cx->backend->copy_in(t->cx, t->s->x.dev, moved, n * sizeof *moved));
  IG_TRY(ig_topopt_design_link(t->s, t->s->x.dev));
  ig_topopt_design_continue(&t->c, 1, &e);
  IG_TRY(ig_topopt_design_evaluate(t->s, &e));
  value[0] = e.objective;
  for (int i = 0; i < t->s->limits; i++)
    value[1 + i] = e.limit[i];
  return IG_OK;
}

/* A design without pattern, the same within groups of linked elements. */
static ig_status scatter(ig_topopt_problem *t, double *x, uint8_t *role) {
  const size_t n = (size_t)t->d->places;
  IG_TRY(t->cx->backend->copy_out(t->cx, x, t->s->x.dev, n * sizeof *x));
  IG_TRY(t->cx->backend->copy_out(t->cx, role, t->d->role, n));
  for (size_t i = 0; i < n; i++)
    if (role[i] == IG_ROLE_DESIGN)
      x[i] = 0.5 + 0.3 * sin(1.7 * (double)i);
  return IG_OK;
}

/* Every eleventh element of the design, by amounts that all differ: an error of one slope is not
   made up for by another's. */
static void direction(const uint8_t *role, size_t n, double *d) {
  int64_t seen = 0;
  for (size_t i = 0; i < n; i++) {
    d[i] = 0;
    if (role[i] == IG_ROLE_DESIGN && seen++ % 11 == 5)
      d[i] = (seen % 2 ? 1 : -1) * (1 - 0.04 * (double)(seen / 11 % 13));
  }
}

/* The sum of slopes times d against central differences along d, over the largest slope. */
static ig_status slopes(ig_topopt_problem *t, double *worst) {
  const size_t n = (size_t)t->d->places;
  const int functions = 1 + t->s->limits;
  const double step = 5e-5;
  double *x = NULL, *slope = NULL, *d = NULL, *moved = NULL;
  double most[1 + IG_LIMITS], sum[1 + IG_LIMITS], up[1 + IG_LIMITS], down[1 + IG_LIMITS];
  uint8_t *role = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(t->cx, &x, n, "design"));
  IG_TRY_GOTO(status, done, IG_NEW(t->cx, &role, n, "roles"));
  IG_TRY_GOTO(status, done, IG_NEW(t->cx, &slope, n, "slopes"));
  IG_TRY_GOTO(status, done, IG_NEW(t->cx, &d, n, "direction"));
  IG_TRY_GOTO(status, done, IG_NEW(t->cx, &moved, n, "design beside"));
  IG_TRY_GOTO(status, done, scatter(t, x, role));
  direction(role, n, d);
  IG_TRY_GOTO(status, done, values(t, x, d, 0, moved, up));
  for (int f = 0; f < functions; f++) {
    const double *from = f ? t->s->limit_slope[f - 1].dev : t->s->dc.dev;
    IG_TRY_GOTO(status, done, t->cx->backend->copy_out(t->cx, slope, from, n * sizeof *slope));
    most[f] = largest(slope, (int)n);
    sum[f] = 0;
    for (size_t i = 0; i < n; i++)
      sum[f] += slope[i] * d[i];
  }
  IG_TRY_GOTO(status, done, values(t, x, d, step, moved, up));
  IG_TRY_GOTO(status, done, values(t, x, d, -step, moved, down));
  for (int f = 0; f < functions; f++)
    worst[f] = fabs((up[f] - down[f]) / (2 * step) - sum[f]) / most[f];
done:
  free(x);
  free(role);
  free(slope);
  free(d);
  free(moved);
  return status;
}

#define CLAMPED "supports: [{box: {max: [0, 9, 9]}}]"
#define TIP "box: {min: [6, 0, 0]}"
static const struct {
  const char *what, *limits[3], *text;
} cases[] = {
    {"extruded along y, repeated and mirrored along x",
     {"a volume", "a compliance"},
     CLAMPED ", loads: [{" TIP ", force: [0, 2, 0]}], pattern: {extrude: y, repeat: [2, 1, 1], "
             "mirror: [x]}, constraints: [{box: {max: [4, 2, 9]}, volume: 0.3}, {compliance: 9}]"},
    {"drawn along y",
     {"a volume", "a compliance"},
     CLAMPED ", loads: [{" TIP
             ", force: [0, 2, 0]}], draw_direction: {direction: y-}, passive: [{box: {min: "
             "[5, 1, 0], max: [6, 2, 9]}}, {box: {min: [2, 2, 0], max: [3, 3, 9]}, as: void}], "
             "constraints: [{box: {max: [4, 2, 9]}, volume: 0.3}, {compliance: 9}]"},
    {"printed along z",
     {"a volume", "a compliance"},
     CLAMPED ", loads: [{" TIP ", force: [0, 2, 0]}], overhang: {direction: z+}, passive: [{box: "
             "{min: [5, 1, 0], max: [6, 2, 9]}}, {box: {min: [2, 2, 0], max: [3, 3, 9]}, as: "
             "void}], constraints: [{box: {max: [4, 2, 9]}, volume: 0.3}, {compliance: 9}]"},
    {"printed along z at 35 degrees",
     {NULL},
     CLAMPED ", loads: [{" TIP ", force: [0, 2, 0]}], overhang: {direction: z+, angle: 35}"},
    {"drawn both ways along x",
     {NULL},
     CLAMPED ", loads: [{" TIP ", force: [0, 2, 0]}], draw_direction: {direction: x+, parting: 2}"},
    {"drawn both ways along y with a draft of 20 degrees",
     {"a volume", "a compliance"},
     CLAMPED ", loads: [{" TIP ", force: [0, 2, 0]}], draw_direction: {direction: y+, parting: 1, "
             "angle: 20}, passive: [{box: {min: [5, 1, 0], max: [6, 2, 9]}}], constraints: [{box: "
             "{max: [4, 2, 9]}, volume: 0.3}, {compliance: 9}]"},
    {"milled from three sides",
     {"a volume", "a compliance"},
     CLAMPED ", loads: [{" TIP
             ", force: [0, 2, 0]}], milling: {directions: [x+, y-, y+]}, passive: [{box: {min: "
             "[5, 1, 0], max: [6, 2, 9]}}, {box: {min: [2, 2, 0], max: [3, 3, 9]}, as: void}], "
             "constraints: [{box: {max: [4, 2, 9]}, volume: 0.3}, {compliance: 9}]"},
    {"three materials to choose from, and weight",
     {"a frequency", "a volume", "a mass"},
     CLAMPED ", loads: [{" TIP ", force: [0, 2, 0]}, {gravity: [0, 1, 0]}], choose_material: true, "
             "constraints: [{frequency: 1}, {box: {max: [4, 2, 9]}, volume: 0.3}, {mass: 3}]"},
    {"frequencies and an added mass",
     {"a bound on the frequency"},
     "problem: frequency, " CLAMPED ", masses: [{" TIP
     ", mass: 3}], mass_threshold: 0.4, constraints: [{frequency: 1}]"},
    {"buckling under two load cases, one of them with weight",
     {"buckling of both", "buckling of the second", "buckling with weight"},
     "minimise: buckling, weights: [1, 2], buckling: {modes: 3, exponent: 4}, " CLAMPED
     ", mass_threshold: 0.4, loads: [{" TIP ", force: [-2, 1, 0]}, {gravity: [-1, 0.2, 0]}, {" TIP
     ", force: [-1, -1, 0], load_case: 2}], constraints: [{buckling: 2}, {buckling: 3, "
     "load_case: 2}, {buckling: 1, load_case: 1}]"},
    {"printed in layers: distortion",
     {"a distortion", "a region's distortion"},
     "minimise: distortion, " CLAMPED ", loads: [{" TIP ", force: [-2, 1, 0]}], printing: "
     "{direction: y+, layers: 3, strain: [-0.02, -0.01, -0.03], " TIP
     "}, passive: [{box: {min: [5, 1, 0], max: [6, 2, 9]}}, {box: {min: [2, 2, 0], max: [3, 3, "
     "9]}, as: void}], constraints: [{distortion: 0.1}, {box: {min: [2, 2, 0], max: [5, 3, 9]}, "
     "distortion: 0.02}]"},
    {"printed on supports",
     {"a removal force", "a region's supports", "overheating"},
     "minimise: support_volume, " CLAMPED ", loads: [{" TIP ", force: [-2, 1, 0]}], printing: "
     "{direction: y-, angle: 50, support_strength: 3}, passive: [{box: {min: [5, 1, 0], max: [6, "
     "2, "
     "9]}}, {box: {min: [2, 2, 0], max: [3, 3, 9]}, as: void}], constraints: [{removal_force: 7}, "
     "{box: {min: [2, 0, 0], max: [5, 2, 9]}, support_volume: 2}, {overheating: 3}]"},
    {"printed hot",
     {"a region's overheating", "supports at 30 degrees"},
     "minimise: overheating, " CLAMPED ", loads: [{" TIP
     ", force: [-2, 1, 0]}], printing: {direction: x+, angle: 30, slab: 3}, constraints: [{box: "
     "{min: [2, 0, 0], max: [5, 2, 9]}, overheating: 2}, {support_volume: 3}]"},
    {"weight and a force",
     {"a compliance with weight", "a displacement with weight", "a stress with weight"},
     CLAMPED ", loads: [{gravity: [0.1, -1, 0]}, {" TIP
             ", force: [0, 2, 0]}], mass_threshold: 0.4, "
             "constraints: [{compliance: 9}, {" TIP
             ", direction: [0, 1, 0], displacement: 2}, {stress: 3}]"},
    {"a displacement and a force",
     {"a compliance with it", "a displacement with it", "a stress with it"},
     "supports: [{box: {max: [0, 9, 9]}}, {" TIP ", fix: y, displacement: [0, 0.3, 0]}], loads: "
     "[{box: {min: [3, 3, 0], max: [3, 3, 9]}, force: [1, -1, 0]}], constraints: [{compliance: 9}, "
     "{box: {min: [2, 3, 0], max: [3, 3, 9]}, direction: [1, 0, 0], displacement: 2}, {stress: "
     "3}]"},
    {"warm, with weight, a force and a displacement",
     {"a compliance with it", "a displacement with it", "a stress with it"},
     "temperature_change: 20, supports: [{box: {max: [0, 9, 9]}}, {" TIP
     ", fix: x}, {box: {min: [3, 0, 0], max: [3, 0, 9]}, fix: y, displacement: [0, 0.1, 0]}], "
     "loads: [{gravity: [0.1, -1, 0]}, {box: {min: [3, 3, 0], max: [3, 3, 9]}, force: [1, -1, "
     "0]}], "
     "constraints: [{compliance: 9}, {box: {min: [2, 3, 0], max: [3, 3, 9]}, direction: [1, 1, 0], "
     "displacement: 2}, {stress: 3}]"},
    {"cycles on and off, of both signs",
     {"a stress after Sines", "a stress after Goodman", "a stress to and fro"},
     CLAMPED ", loads: [{" TIP ", force: [0, 2, 0]}, {" TIP
             ", force: [-3, 1, 0], load_case: 2}], constraints: [{stress: 3, cycle: {ratio: 0, "
             "mean_stress: 0.5}}, {stress: 3, load_case: 2, cycle: {ratio: 0.3, ultimate: 5}}, "
             "{box: {max: [3, 9, 9]}, stress: 3, cycle: {ratio: -0.5}}]"},
    {"two temperatures and a source",
     {NULL},
     "problem: heat, source: 1, supports: [{box: {max: [0, 9, 9]}, temperature: 3}, {" TIP
     ", temperature: 7}]"},
    {"the highest temperature of two load cases",
     {"a region's highest temperature", "members"},
     "problem: heat, minimise: temperature, source: 1, supports: [{box: {max: [0, 9, 9]}, "
     "temperature: 3}], loads: [{" TIP
     ", heat: 2, load_case: 2}], constraints: [{box: {max: [3, 3, "
     "9]}, temperature: 9, load_case: 2}, {member: 3}]"},
    {"the displacement of ports",
     {"a mass", "members", "a stress"},
     CLAMPED ", loads: [{" TIP
             ", force: [0, 2, 0]}, {gravity: [0, 1, 0]}], minimise: displacement, "
             "ports: [{box: {min: [3, 0, 0], max: [4, 3, 9]}, direction: [0.2, 1, 0]}], "
             "constraints: [{box: {max: [4, 2, 9]}, mass: 3}, {box: {max: [5, 9, 9]}, member: "
             "2.5}, {stress: 3}]"},
    {"the displacement of ports of a warm body",
     {NULL},
     "temperature_change: 20, " CLAMPED ", loads: [{" TIP
     ", force: [0, 2, 0]}], minimise: displacement, ports: [{" TIP ", direction: [1, 0.2, 0]}]"},
    {"a mechanism with weight, led by a displacement",
     {NULL},
     "problem: mechanism, supports: [{box: {max: [0, 1, 9]}}, {box: {min: [0, 3, 0], max: [0, 3, "
     "9]}, fix: x, displacement: [0.2, 0, 0]}], loads: [{gravity: [0, -1, 0]}], springs: [{" TIP
     ", stiffness: [0, 0.1, 0]}], ports: [{" TIP ", direction: [0, -1, 0]}]"}};

/* A box of hexahedra, tet4 or tet10, its inner nodes moved about. */
static ig_status slope_mesh(ig_ctx *cx, int type, double jitter, ig_mesh **mesh) {
  static const ig_elem_type types[] = {IG_HEX8, IG_TET4, IG_TET10};
  ig_box_case fine = {.size = IG_ROW(6, 3, 2), .cells = IG_ROW(6, 3, 2)};
  ig_box_case coarse = {.size = IG_ROW(6, 3, 2), .cells = IG_ROW(6, 2, 2)};
  const ig_mesh_case c = {.boxes = {1, type > 0 ? &coarse : &fine},
                          .element = (int)types[type] + 1,
                          .jitter = {.at.given = jitter > 0, .amount = jitter, .seed = 7}};
  return ig_mesh_generate(cx, &c, mesh);
}

ig_status ig_topopt_verify_problem_slopes(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const bodies[] = {"plane grid", "grid", "hex8", "tet4", "tet10"};
  enum { BODIES = sizeof bodies / sizeof *bodies, MESHED = 2 };
  static const char *const grids[] = {"grid: {elements: [6, 3, 0]}, ",
                                      "grid: {elements: [6, 3, 2]}, ", "", "", ""};
  double zero = 0, mass[] = {0.3, 1, 0.62};
  ig_material_case material[3];
  memset(material, 0, sizeof material);
  for (int m = 0; m < 3; m++) {
    static const double young[] = {0.2, 1, 0.5};
    material[m].name = "material";
    material[m].young = young[m];
    material[m].poisson = 0.3;
    material[m].density = (ig_table){1, &zero, &mass[m]};
  }
  ig_material_case heated;
  const ig_list candidates = {3, material}, warm = expanding(&heated);
  ig_mesh *mesh[BODIES] = {NULL}, *even = NULL;
  ig_status status = IG_OK;
  for (int on = MESHED; on < BODIES; on++)
    IG_TRY_GOTO(status, done, slope_mesh(cx, on - MESHED, on == MESHED ? 0.3 : 0.2, &mesh[on]));
  IG_TRY_GOTO(status, done, slope_mesh(cx, 0, 0, &even));
  for (size_t k = 0; k < sizeof cases / sizeof *cases && status == IG_OK; k++)
    for (int on = 0; on < BODIES && status == IG_OK; on++) {
      char text[1200], what[160];
      const bool chosen = strstr(cases[k].text, "choose_material:");
      const bool linked = strstr(cases[k].text, "pattern:");
      const bool printed = strstr(cases[k].text, "overhang:");
      const ig_mesh *body = on == MESHED && linked ? even : mesh[on];
      double worst[1 + IG_LIMITS];
      ig_topopt_problem t;
      snprintf(text, sizeof text,
               "{%s%s, filter: {kind: density, radius: 1.6}, projection: {beta: 2}, void_ratio: "
               "1e-3, solver: {tolerance: 1e-12}}",
               grids[on], cases[k].text);
      if (on >= MESHED && (strstr(cases[k].text, "milling:") || strstr(cases[k].what, "draft")))
        continue; /* grids alone */
      const bool steep = printed && strstr(cases[k].text, "angle:");
      if ((on == 0 && printed) || (on > MESHED && linked) || (on < MESHED && steep))
        continue; /* of a plane the same as drawn; repetition needs rows; cubes have 45 degrees */
      IG_TRY_GOTO(status, done,
                  ig_topopt_problem_open_with(cx, text,
                                              chosen ? &candidates
                                              : strstr(cases[k].text, "temperature_change") ? &warm
                                                                                            : NULL,
                                              body, ig_topopt_mesh_model_assembly(cx), &t));
      status = slopes(&t, worst);
      const int limits = t.s->limits;
      ig_topopt_problem_close(&t);
      for (int f = 0; f <= limits && status == IG_OK; f++) {
        snprintf(what, sizeof what, "slope of %s, %s: %s",
                 f ? cases[k].limits[f - 1] : "the objective", bodies[on], cases[k].what);
        row(sink, what, "central differences", 0, worst[f], 1e-6, false);
      }
    }
done:
  for (int on = MESHED; on < BODIES; on++)
    ig_mesh_free(mesh[on]);
  ig_mesh_free(even);
  return status;
}
