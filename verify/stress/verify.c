/* Verification: blocks, bars held at their length, the Satoh test. */
#include "verify/stress/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inner nodes moved about. */
static void wobble(ig_mesh *mesh) {
  for (ig_lid i = 0; i < mesh->nodes; i++) {
    double *x = mesh->x + 3 * (int64_t)i;
    bool inner = true;
    for (int d = 0; d < 3; d++)
      inner &= x[d] > 1e-9 && x[d] < 1 - 1e-9;
    for (int d = 0; inner && d < 3; d++)
      x[d] += 0.06 * sin(5.0 * i + 2 * d);
  }
}

static ig_status patch(ig_ctx *cx, ig_stress_problem *q, bool clamped, double yield) {
  static const char *const sides[] = {"x0", "x1", "y0", "y1", "z0", "z1"};
  const double one[3] = {1, 1, 1};
  ig_stress_problem_new(cx, q);
  IG_TRY(ig_stress_problem_box(q, one, (int[]){3, 3, 3}));
  wobble(q->mesh);
  ig_stress_problem_material(q, 0, 200e9, 0.3, 1.2e-5, yield, NAN, 0);
  for (int i = 0; clamped && i < 6; i++)
    ig_stress_problem_hold(q, sides[i], "all");
  if (!clamped) {
    /* rigid motion alone is held: what bends under a temperature along x stays flat on y0 and z0 */
    ig_stress_problem_hold(q, "corner", "x");
    ig_stress_problem_hold(q, "y0", "y");
    ig_stress_problem_hold(q, "z0", "z");
  }
  return ig_stress_problem_open(q);
}

/* The patch of MOOSE: strains given, moduli that change with temperature at that strain. */
static ig_status moduli(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double strain[6] = {2e-6, 4e-6, 6e-6, 1e-6, 2e-6, 3e-6};
  static const double expected[6] = {3.84, 4.80, 5.76, 0.48, 0.96, 1.44};
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT], worst = 0;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){1, 1, 1}, (int[]){2, 2, 2}));
  ig_stress_problem_hold(&q, "all", "all");
  q.material[0].mechanical.young =
      ig_stress_problem_table(&q, 2, (double[][2]){{200, 1e6}, {400, 6e5}});
  q.material[0].mechanical.poisson =
      ig_stress_problem_table(&q, 2, (double[][2]){{200, 0}, {400, 0.25}});
  q.c.temperature = 200;
  TRY(ig_stress_problem_open(&q));
  for (ig_lid i = 0; i < q.mesh->nodes; i++) {
    const double *x = q.mesh->x + 3 * (int64_t)i;
    double *u = (double *)q.m->u.host + 3 * (int64_t)i;
    u[0] = strain[0] * x[0] + 2 * strain[3] * x[1];
    u[1] = strain[1] * x[1] + 2 * strain[4] * x[2];
    u[2] = strain[2] * x[2] + 2 * strain[5] * x[0];
  }
  TRY(ig_array_push(cx, &q.m->u));
  TRY(ig_stress_problem_step(&q, 1, 200, NULL, NULL));
  TRY(ig_stress_problem_step(&q, 1, 400, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  for (int i = 0; i < 6; i++)
    worst = fmax(worst, fabs(mean[i] - expected[i]));
  ig_stress_row(sink, "moduli fall at constant strain: worst of six stresses, Pa",
                "MOOSE, its test thermal_elastic", 0, worst, 1e-9, false);
done:
  ig_stress_problem_free(&q);
  return status;
}

static double gradient(void *user, const double x[3]) {
  (void)user;
  return 293.15 + 100 * x[0];
}

ig_status ig_stress_verify_blocks(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q = {0};
  double mean[IG_STRESS_REPORT], worst = 0;
  ig_status status;
  for (int yields = 0; yields < 2; yields++) {
    TRY(patch(cx, &q, true, yields ? 100e6 : NAN));
    TRY(ig_stress_problem_step(&q, 1, 393.15, NULL, NULL));
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    ig_stress_row(sink,
                  yields ? "clamped, 100 K, sigma_y = 100 MPa: stress, MPa"
                         : "clamped, 100 K: stress, MPa",
                  "-E alpha dT / (1 - 2 nu)", -600, 1e-6 * mean[0], 1e-8, true);
    ig_stress_problem_free(&q);
  }
  TRY(patch(cx, &q, false, NAN));
  TRY(ig_stress_problem_step(&q, 1, 393.15, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  for (int i = 0; i < 6; i++)
    worst = fmax(worst, fabs(mean[i]));
  ig_stress_row(sink, "free, distorted, 100 K: largest stress, Pa", "none", 0, worst, 10, false);
  ig_stress_problem_free(&q);
  /* a linear temperature in one element must not make a pressure: B-bar of the thermal strain */
  TRY(patch(cx, &q, false, NAN));
  TRY(ig_stress_problem_step(&q, 1, 0, gradient, NULL));
  worst = 0;
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  for (ig_lid e = 0; e < q.m->elements; e++) {
    const double *o = q.m->report + IG_STRESS_REPORT * (int64_t)e;
    worst = fmax(worst, fabs(o[0] + o[1] + o[2]) / 3);
  }
  ig_stress_row(sink, "free, linear temperature: largest mean stress over E alpha dT",
                "none, but for the elements' bending", 0, worst / 240e6, 0.1, false);
  ig_stress_problem_free(&q);
  return moduli(cx, sink);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- bars --- */

/* One element, held along x at both ends, free across. */
static ig_status bar_new(ig_ctx *cx, ig_stress_problem *q) {
  ig_stress_problem_new(cx, q);
  IG_TRY(ig_stress_problem_box(q, (double[]){1, 1, 1}, (int[]){1, 1, 1}));
  ig_stress_problem_hold(q, "x0", "x");
  ig_stress_problem_hold(q, "x1", "x");
  ig_stress_problem_hold(q, "y0", "y");
  ig_stress_problem_hold(q, "z0", "z");
  return IG_OK;
}

static ig_status bar_cycle(ig_ctx *cx, double H, double C, double heat, double *hot, double *cold,
                           double *p) {
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT];
  ig_status status;
  TRY(bar_new(cx, &q));
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, 240e6, H, C);
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, 293.15 + heat, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  *hot = 1e-6 * mean[0];
  TRY(ig_stress_problem_step(&q, 1, 293.15, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  *cold = 1e-6 * mean[0];
  *p = mean[7];
done:
  ig_stress_problem_free(&q);
  return status;
}

/* Code_Aster HSNV100: a yield stress that falls with temperature. */
static ig_status bar_hot(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double at[3][3] = {{66.666, -133.332, 0}, {80, -100, 3e-4}, {90, -75, 5.25e-4}};
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT];
  ig_status status;
  TRY(bar_new(cx, &q));
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1e-5, NAN, 200e9 / 3, 0);
  q.material[0].mechanical.yield =
      ig_stress_problem_table(&q, 2, (double[][2]){{273.15, 400e6}, {373.15, 1e-3}});
  q.c.temperature = 273.15;
  TRY(ig_stress_problem_open(&q));
  for (int i = 0; i < 3; i++) {
    TRY(ig_stress_problem_step(&q, 1, 273.15 + at[i][0], NULL, NULL));
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    ig_stress_row(sink, "yield stress falls with heat: stress, MPa", "Code_Aster HSNV100", at[i][1],
                  1e-6 * mean[0], 1e-4, true);
    if (i)
      ig_stress_row(sink, "its plastic strain", "Code_Aster HSNV100", at[i][2], mean[7], 1e-4,
                    true);
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

/* A clamped bar is molten between two steps, at the end of which it is as cold as before. */
static ig_status bar_remelt(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT];
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){4e-3, 1e-3, 1e-3}, (int[]){4, 1, 1}));
  ig_stress_problem_hold(&q, "x0", "x");
  ig_stress_problem_hold(&q, "x1", "x");
  ig_stress_problem_hold(&q, "y0", "y");
  ig_stress_problem_hold(&q, "z0", "z");
  q.c.temperature = 300;
  ig_stress_problem_material(&q, 0, 100e9, 0.3, 1e-5, 2000e6, 1e9, 0);
  q.material[0].mechanical.anneal = 1000;
  TRY(ig_stress_problem_open(&q));
  for (ig_lid e = 0; e < q.m->elements; e++)
    ((double *)q.m->work.excess.host)[e] = 1200;
  TRY(ig_stress_problem_step(&q, 1, 300, NULL, NULL));
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  ig_stress_row(sink, "clamped bar, molten between two steps: stress, MPa", "E alpha 700 K", 700,
                1e-6 * mean[0], 1e-6, true);
  ig_stress_row(sink, "and the energy balance: missing of what flowed", "none", 0,
                q.m->balance.missing / q.m->balance.flow, 1e-8, false);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* Two equal cycles above the annealing temperature leave the same stress. */
static ig_status bar_anneal(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT], first = 0;
  ig_status status;
  TRY(bar_new(cx, &q));
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, 240e6, 2e9, 2e9);
  q.material[0].mechanical.anneal = 1000;
  TRY(ig_stress_problem_open(&q));
  for (int i = 0; i < 2; i++) {
    for (int k = 1; k <= 4; k++)
      TRY(ig_stress_problem_step(&q, 1, 293.15 + (1100 - 293.15) * k / 4, NULL, NULL));
    for (int k = 3; k >= 0; k--)
      TRY(ig_stress_problem_step(&q, 1, 293.15 + (1100 - 293.15) * k / 4, NULL, NULL));
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    if (i == 0)
      first = mean[0];
  }
  ig_stress_row(sink, "second cycle above `anneal` over the first", "no memory of the first", 1,
                mean[0] / first, 1e-8, false);
  /* E e - (E + H) p = sy: one branch of loading from the annealing temperature down */
  const double e = 1.2e-5 * (1000 - 293.15), H = 4e9, E = 200e9;
  ig_stress_row(sink, "stress left by a cycle above `anneal`, MPa", "one way down from it",
                1e-6 * E * (e - (E * e - 240e6) / (E + H)), 1e-6 * mean[0], 1e-8, true);
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_bars(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *what;
    double H, C, heat, hot, cold, p;
  } all[] = {
      {"perfect, 150 K: stress back at the start, MPa", 0, 0, 150, -240, 120, 1.2e-3 * 0.5},
      {"perfect, 250 K: stress back at the start, MPa", 0, 0, 250, -240, 240, NAN},
      {"isotropic, 300 K and back: stress, MPa", 20e9, 0, 300, -283.636364, 297.520661, 2.87603e-3},
      {"kinematic, 300 K and back: stress, MPa", 0, 20e9, 300, -283.636364, 218.181818, 3.27273e-3},
      {"half of each, 300 K and back: stress, MPa", 10e9, 10e9, 300, -283.636364, 257.851240,
       3.07438e-3}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double hot, cold, p;
    IG_TRY(bar_cycle(cx, all[i].H, all[i].C, all[i].heat, &hot, &cold, &p));
    ig_stress_row(sink, "held bar, hot: stress, MPa", "exact", all[i].hot, hot, 1e-8, true);
    ig_stress_row(sink, all[i].what, "exact", all[i].cold, cold, 1e-8, true);
    if (!isnan(all[i].p))
      ig_stress_row(sink, "its plastic strain", "exact", all[i].p, p, 1e-5, true);
  }
  IG_TRY(bar_hot(cx, sink));
  IG_TRY(bar_anneal(cx, sink));
  return bar_remelt(cx, sink);
}

/* --- the Satoh test --- */

static const double weld_young[][2] = {
    {293.15, 195.6e9},  {373.15, 191.2e9},  {473.15, 185.7e9}, {573.15, 179.6e9},
    {673.15, 172.6e9},  {773.15, 164.5e9},  {873.15, 155e9},   {973.15, 144.1e9},
    {1073.15, 131.4e9}, {1173.15, 116.8e9}, {1273.15, 100e9},  {1373.15, 80e9},
    {1473.15, 57e9},    {1573.15, 30e9},    {1673.15, 2e9},    {1773.15, 1e9}};
static const double weld_yield[][2] = {
    {293.15, 286e6}, {473.15, 212e6}, {673.15, 180e6}, {873.15, 137e6}, {1073.15, 139e6},
    {1273.15, 70e6}, {1373.15, 35e6}, {1473.15, 16e6}, {1573.15, 10e6}, {1773.15, 10e6}};
static const double weld_tangent[][2] = {{293.15, 2.4e9},   {973.15, 2.4e9},  {1073.15, 2.35e9},
                                         {1173.15, 1.5e9},  {1273.15, 0.8e9}, {1373.15, 0.725e9},
                                         {1473.15, 0.15e9}, {1573.15, 10e6}};
static const double weld_expansion[][2] = {
    {293.15, 14.56e-6},  {373.15, 15.39e-6},  {473.15, 16.21e-6},  {573.15, 16.86e-6},
    {673.15, 17.37e-6},  {773.15, 17.78e-6},  {873.15, 18.12e-6},  {973.15, 18.43e-6},
    {1073.15, 18.72e-6}, {1173.15, 18.99e-6}, {1273.15, 19.27e-6}, {1373.15, 19.53e-6},
    {1473.15, 19.79e-6}, {1573.15, 20.02e-6}};
#define TABLE(q, t) ig_stress_problem_table(q, sizeof(t) / sizeof *(t), t)

/* hot: stress and plastic strain along the bar at 100 s */
static ig_status satoh(ig_ctx *cx, double kinematic, bool anneal, double stress[4], double hot[2]) {
  static const double T[9] = {20, 1125, 21, 932, 22, 685, 22, 473, 21};
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT];
  ig_status status;
  TRY(bar_new(cx, &q));
  ig_mechanical_case *m = &q.material[0].mechanical;
  m->young = TABLE(&q, weld_young);
  m->poisson = ig_stress_problem_constant(&q, 0.3);
  m->yield = TABLE(&q, weld_yield);
  m->tangent = TABLE(&q, weld_tangent);
  m->kinematic_share = kinematic;
  m->expansion_mean = TABLE(&q, weld_expansion);
  if (anneal) {
    m->recovery_start = 873.15;
    m->recovery_end = 1273.15;
  }
  TRY(ig_stress_problem_open(&q));
  for (int k = 0; k < 800; k++) {
    const int i = k / 100;
    const double t = T[i] + (T[i + 1] - T[i]) * (k % 100 + 1) / 100.0;
    TRY(ig_stress_problem_step(&q, 1, 273.15 + t, NULL, NULL));
    if (k == 99) {
      hot[0] = 0; /* what the step ended with: recovery comes after it */
      TRY(ig_array_pull(cx, &q.m->force));
      for (ig_lid n = 0; n < q.mesh->nodes; n++)
        hot[0] += q.mesh->x[3 * (int64_t)n] > 0.5
                      ? 1e-6 * ((double *)q.m->force.host)[3 * (int64_t)n]
                      : 0;
      TRY(ig_array_pull(cx, &q.m->state));
      hot[1] = ((double *)q.m->state.host)[ig_stress_at(0, q.m->args.states, IG_STATE_PLASTIC, 0)];
    }
    if (k % 200 == 199) {
      TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
      stress[k / 200] = 1e-6 * mean[0];
    }
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_satoh(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *what, *source;
    double kinematic;
    bool anneal;
    double stress[4], tolerance;
  } all[] = {{"isotropic, recovery: MPa after 200, 400, 600, 800 s",
              "Code_Aster HSNV140",
              0,
              true,
              {313.43, 312.63, 311.27, 336.50},
              1e-4},
             {"kinematic, recovery: MPa",
              "Code_Aster HSNV140",
              1,
              true,
              {313.43, 312.63, 308.73, 309.17},
              1e-4},
             {"isotropic: MPa",
              "the same tables, in one dimension",
              0,
              false,
              {383.227, 449.794, 486.687, 502.685},
              1e-4},
             {"kinematic: MPa",
              "the same tables, in one dimension",
              1,
              false,
              {282.049, 281.607, 281.607, 282.049},
              1e-4}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double stress[4], hot[2];
    IG_TRY(satoh(cx, all[i].kinematic, all[i].anneal, stress, hot));
    if (i == 0) {
      ig_stress_row(sink, "at 100 s: MPa", all[i].source, -30.403, hot[0], 1e-4, true);
      ig_stress_row(sink, "at 100 s: plastic strain", all[i].source, -0.021243, hot[1], 1e-4, true);
    }
    for (int k = 0; k < 4; k++)
      ig_stress_row(sink, all[i].what, all[i].source, all[i].stress[k], stress[k], all[i].tolerance,
                    true);
  }
  return IG_OK;
}

const ig_verify_entry ig_stress_verify[] = {
    {"blocks", "free and clamped blocks, moduli over temperature", true, ig_stress_verify_blocks},
    {"bars", "bars held at their length, heated and cooled", true, ig_stress_verify_bars},
    {"law", "sheared and pulled, yield stress and expansion over temperature", true,
     ig_stress_verify_law},
    {"bend", "walls of one element thickness", true, ig_stress_verify_bend},
    {"element", "eigenvalues, volume, plastic moments", true, ig_stress_verify_element},
    {"tet", "tetrahedra: patches, beams, layers, limit load", false, ig_stress_verify_tet},
    {"phase", "austenite becomes martensite: free, under load, held", true, ig_stress_verify_phase},
    {"creep", "stress relief of a held bar by Norton's law", true, ig_stress_verify_creep},
    {"newton", "tangent against differences, quadratic convergence", true, ig_stress_verify_newton},
    {"satoh", "the Satoh test of 316L", false, ig_stress_verify_satoh},
    {"sphere-heat", "hollow sphere, hot inside", true, ig_stress_verify_sphere_heat},
    {"cylinder-heat", "hollow cylinder, hot inside", true, ig_stress_verify_cylinder_heat},
    {"sphere-cycle", "the sphere yields and cools again", false, ig_stress_verify_sphere_cycle},
    {"sphere-pressure", "the sphere yields under pressure", false,
     ig_stress_verify_sphere_pressure},
    {"turn", "finite rotations: a turned block, a cantilever that bends far", false,
     ig_stress_verify_turn},
    {"limit", "limit loads of vessels", false, ig_stress_verify_limit},
    {"inclusion", "a ball that shrinks inside another", true, ig_stress_verify_inclusion},
    {"plate", "a plate through a thermal cycle", false, ig_stress_verify_plate},
    {"bimetal", "a strip of two metals", true, ig_stress_verify_bimetal},
    {"column", "layers on a clamped column", true, ig_stress_verify_column},
    {"rings", "stacked rings", true, ig_stress_verify_rings},
    {"wall", "a wall by elements per layer and by element size", true, ig_stress_verify_wall},
    {"strips", "strips that are built clamped and free", false, ig_stress_verify_strips},
    {"misfit", "layers born at temperatures that rise with height", true, ig_stress_verify_misfit},
    {"born", "born without stress in a strained body", true, ig_stress_verify_born},
    {"tear", "supports that tear off", true, ig_stress_verify_tear},
    {"cell", "supports of thin walls as a continuum", true, ig_stress_verify_cell},
    {"track", "a hot spot melts a track: convergence with the step", true, ig_stress_verify_track},
    {NULL}};
