/* Verification: austenite that becomes martensite on cooling, free, under load and held. */
#include "verify/stress/verify.h"

#include <math.h>
#include <stdio.h>

/* --- the material --- */

#define E 200e9
#define NU 0.3
#define K 8e-11 /* 1/Pa: transformation plasticity */
#define COLD 1.1e-5
#define HOT 1.8e-5

/* A unit cube that is free to expand; `length`: of fixed length along x. */
static ig_status cube_new(ig_ctx *cx, ig_stress_problem *q, double T, bool length, double rate,
                          double strain, double cold, double hot) {
  ig_stress_problem_new(cx, q);
  IG_TRY(ig_stress_problem_box(q, (double[]){1, 1, 1}, (int[]){1, 1, 1}));
  ig_stress_problem_hold(q, "x0", "x");
  ig_stress_problem_hold(q, "y0", "y");
  ig_stress_problem_hold(q, "z0", "z");
  if (length)
    ig_stress_problem_hold(q, "x1", "x");
  ig_stress_problem_material(q, 0, E, NU, cold, NAN, NAN, 0);
  ig_mechanical_case *m = &q->material[0].mechanical;
  m->anneal = 1700;
  m->transformation = (ig_transformation_case){.at = {.given = true},
                                               .martensite_start = 400,
                                               .rate = rate,
                                               .austenite_start = 850,
                                               .austenite_end = 1150,
                                               .strain = strain,
                                               .strain_temperature = T_START,
                                               .expansion = ig_stress_problem_constant(q, hot)};
  q->c.temperature = T;
  return IG_OK;
}

/* The strain of one side, and the mean of the stresses. */
static ig_status cube_look(ig_stress_problem *q, int side, double *strain, double *stress) {
  double mean[IG_STRESS_REPORT];
  IG_TRY(ig_stress_problem_mean(q, NULL, NULL, mean));
  const double *x = q->mesh->x, *u = q->m->u.host;
  *strain = 0;
  for (ig_lid n = 0; n < q->mesh->nodes; n++)
    *strain += x[3 * n + side] > 0.5 ? u[3 * n + side] / 4 : 0;
  *stress = 1e-6 * mean[0];
  return IG_OK;
}

static double koistinen(double rate, double T) {
  return 1 - exp(-rate * (400 - T));
}

/* --- a dilatometer --- */

/* Heated from room temperature to austenite and cooled: fractions and lengths. */
static ig_status dilatometer(ig_ctx *cx, const ig_verify_sink *sink) {
  const double strain = 5e-3, rate = 0.011, start = koistinen(rate, T_START);
  const struct {
    double T, martensite;
  } path[] = {{800, start},
              {1000, 0.5},
              {1200, 0},
              {700, 0},
              {350, koistinen(rate, 350)},
              {500, koistinen(rate, 350)},
              {T_START, start}};
  ig_stress_problem q;
  ig_status status;
  double worst = 0, share = 0, stressed = 0;
  TRY(cube_new(cx, &q, T_START, false, rate, strain, COLD, HOT));
  TRY(ig_stress_problem_open(&q));
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    const double T = path[i].T - T_START, z = path[i].martensite;
    /* martensite is the origin of strains */
    const double exact = z * COLD * T + (1 - z) * (HOT * T - strain) + (1 - start) * strain;
    double length, stress, mean[IG_STRESS_REPORT];
    TRY(ig_stress_problem_step(&q, 1, path[i].T, NULL, NULL));
    TRY(cube_look(&q, 0, &length, &stress));
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    worst = fmax(worst, fabs(length - exact));
    share = fmax(share, fabs(mean[15] - z));
    stressed = fmax(stressed, fabs(stress));
  }
  ig_stress_row(sink, "free, to 1200 K and back, in seven steps: worst error of the strain",
                "z e_m(T) + (1 - z) e_a(T), z by Koistinen and Marburger", 0, worst, 1e-12, false);
  ig_stress_row(sink, "its fraction of martensite: worst error", "1 - exp(-b (M_s - T)), lever", 0,
                share, 1e-12, false);
  ig_stress_row(sink, "its stress: largest, MPa", "free", 0, stressed, 1e-4, false);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- under a constant stress --- */

/* Cooled from austenite under 100 MPa, in one step or several: strains that the stress leaves. */
static ig_status loaded(ig_ctx *cx, const ig_verify_sink *sink, bool leblond) {
  const double stress = 100e6, strain = 5e-3, rate = 0.011, z = koistinen(rate, T_START);
  const double phi = leblond ? z * (1 - log(z)) : z * (2 - z);
  ig_stress_problem q;
  ig_status status;
  for (int steps = 1; steps <= 4; steps += 3) {
    double along, across, mean;
    TRY(cube_new(cx, &q, 1200, false, rate, strain, COLD, HOT));
    q.material[0].mechanical.transformation.trip = K;
    q.material[0].mechanical.transformation.saturation =
        leblond ? IG_TRIP_LEBLOND : IG_TRIP_DESALOS;
    q.load[0] = (ig_stress_load){.set = "x1",
                                 .pressure = NAN,
                                 .total = {stress, 0, 0},
                                 .history = ig_stress_problem_constant(&q, 1)};
    q.c.loads = (ig_list){1, q.load};
    TRY(ig_stress_problem_open(&q));
    TRY(ig_stress_problem_step(&q, 1, 420, NULL, NULL));
    for (int i = 1; i <= steps; i++)
      TRY(ig_stress_problem_step(&q, 1, 420 + (T_START - 420) * i / steps, NULL, NULL));
    TRY(cube_look(&q, 0, &along, &mean));
    TRY(cube_look(&q, 1, &across, &mean));
    const double warm = HOT * (1200 - T_START), free = -warm + z * strain;
    char name[120];
    snprintf(name, sizeof name, "100 MPa, %s, %d step%s: plastic strain along",
             leblond ? "Leblond" : "Desalos", steps, steps > 1 ? "s" : "");
    ig_stress_row(sink, name, "Greenwood and Johnson: K stress phi(z)", K * stress * phi,
                  along - stress / E - free, 1e-8, true);
    if (steps > 1)
      ig_stress_row(sink, "that across", "-1/2 of it", -0.5 * K * stress * phi,
                    across + NU * stress / E - free, 1e-8, true);
    else
      ig_stress_row(sink, "residual after one iteration of Newton's method",
                    "linear in the stress; tangents are floats", 0, q.m->count.trace[1], 1e-6,
                    false);
    ig_stress_problem_free(&q);
  }
  return IG_OK;
done:
  ig_stress_problem_free(&q);
  return status;
}

/* --- held at its length --- */

/* All of it transforms, without thermal strain: d stress = -E (strain dz + K stress d phi). */
static ig_status held(ig_ctx *cx, int steps, double *stress, double *missing) {
  const double rate = 0.2;
  double length;
  ig_stress_problem q;
  ig_status status;
  TRY(cube_new(cx, &q, 1200, true, rate, 5e-3, 0, 0));
  q.material[0].mechanical.transformation.trip = K;
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, 400, NULL, NULL));
  for (int i = 1; i <= steps; i++) /* equal steps of the fraction */
    TRY(ig_stress_problem_step(&q, 1, i < steps ? 400 + log(1 - (double)i / steps) / rate : T_START,
                               NULL, NULL));
  TRY(cube_look(&q, 0, &length, stress));
  *missing = fabs(q.m->balance.missing) / q.m->balance.flow;
done:
  ig_stress_problem_free(&q);
  return status;
}

/* Austenite of 200 and martensite of 1000 MPa, pulled by 2 % at room temperature. */
static ig_status mixture(ig_ctx *cx, const ig_verify_sink *sink) {
  const double z = koistinen(0.011, T_START);
  double length, stress;
  ig_stress_problem q;
  ig_status status;
  TRY(cube_new(cx, &q, T_START, false, 0.011, 5e-3, COLD, HOT));
  q.material[0].yield = 1000e6;
  q.material[0].hardening = 0;
  q.material[0].mechanical.transformation.yield = ig_stress_problem_constant(&q, 200e6);
  ig_stress_problem_hold(&q, "x1", NULL);
  ig_stress_support *pull = q.support + q.c.supports.count - 1;
  pull->components = "x";
  pull->displacement[0] = 0.02;
  pull->displacement[1] = pull->displacement[2] = 0;
  pull->history = ig_stress_problem_table(&q, 2, (double[][2]){{0, 0}, {1, 1}});
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, T_START, NULL, NULL));
  TRY(cube_look(&q, 0, &length, &stress));
  ig_stress_row(sink, "a mixture flows at, MPa", "z 1000 + (1 - z) 200", 1000 * z + 200 * (1 - z),
                stress, 1e-6, true);
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_phase(ig_ctx *cx, const ig_verify_sink *sink) {
  double coarse, fine, missing;
  IG_TRY(dilatometer(cx, sink));
  IG_TRY(loaded(cx, sink, false));
  IG_TRY(loaded(cx, sink, true));
  IG_TRY(mixture(cx, sink));
  IG_TRY(held(cx, 50, &coarse, &missing));
  IG_TRY(held(cx, 100, &fine, &missing));
  /* with eta = 1 - z: -E strain times the integral of exp(-E K eta^2) from 0 to 1 */
  const double root = sqrt(E * K),
               exact = -1e-6 * E * 5e-3 * 0.88622692545275801 * erf(root) / root;
  ig_stress_row(sink, "held while it transforms, 50 and 100 steps: stress extrapolated, MPa",
                "-E e sqrt(pi / (4 E K)) erf(sqrt(E K))", exact, 2 * fine - coarse, 2e-3, true);
  ig_stress_row(sink, "order of convergence with the step", "first order", 1,
                log2((coarse - exact) / (fine - exact)), 0.1, false);
  ig_stress_row(sink, "its energy balance: missing of what flowed", "closed", 0, missing, 1e-8,
                false);
  return IG_OK;
}
