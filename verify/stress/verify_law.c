/* Verification: the law under several stresses at once, its tangent, and Newton's order. */
#include "verify/stress/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one element that is pulled --- */

static bool on_edge(void *user, const double x[3]) {
  (void)user;
  return fabs(x[0]) + fabs(x[1]) < 1e-12;
}

/* The face x1 is led along x by `rows` over time; free across. */
static ig_status pulled_new(ig_ctx *cx, ig_stress_problem *q, int count, const double (*rows)[2]) {
  ig_stress_problem_new(cx, q);
  IG_TRY(ig_stress_problem_box(q, (double[]){1, 1, 1}, (int[]){1, 1, 1}));
  IG_TRY(ig_stress_problem_set(q, "edge", on_edge, NULL));
  ig_stress_problem_hold(q, "x0", "x");
  ig_stress_problem_hold(q, "edge", "y");
  ig_stress_problem_hold(q, "z0", "z");
  ig_stress_problem_hold(q, "x1", NULL);
  ig_stress_support *pull = q->support + q->c.supports.count - 1;
  pull->components = "x";
  pull->displacement[0] = 1;
  pull->displacement[1] = pull->displacement[2] = 0;
  pull->history = ig_stress_problem_table(q, count, rows);
  return IG_OK;
}

/* Code_Aster HSNV125: a shear of 100 MPa is held while the bar is pulled and pushed, cold and hot.
   The path here is ours: what is compared are the stresses at which perfect material flows. */
static ig_status sheared(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double path[][2] = {{0, 0}, {1, 0}, {2, 0.01}, {3, -0.01}, {4, -0.01}, {5, -0.02}};
  static const double T[] = {100, 100, 100, 1060, 1060},
                      stress[] = {0, 469.0416, -469.0416, NAN, -180.2776};
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT], shear = 0;
  ig_status status;
  TRY(pulled_new(cx, &q, 6, path));
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1e-5, NAN, 0, 0);
  q.material[0].mechanical.yield =
      ig_stress_problem_table(&q, 2, (double[][2]){{373.15, 500e6}, {1333.15, 250e6}});
  q.c.temperature = 373.15;
  for (int i = 0; i < 2; i++)
    q.load[i] = (ig_stress_load){.set = i ? "x0" : "x1",
                                 .pressure = NAN,
                                 .total = {0, i ? -100e6 : 100e6, 0},
                                 .history = ig_stress_problem_constant(&q, 1)};
  q.c.loads = (ig_list){2, q.load};
  TRY(ig_stress_problem_open(&q));
  for (int i = 0; i < 5; i++) {
    TRY(ig_stress_problem_step(&q, 1, 273.15 + T[i], NULL, NULL));
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    shear = fmax(shear, fabs(1e-6 * mean[3] - 100));
    if (!isnan(stress[i]))
      ig_stress_row(sink, "sheared by 100 MPa, pulled and pushed at 100 and 1060 C: stress, MPa",
                    "Code_Aster HSNV125: sqrt(sy^2 - 3 tau^2)", stress[i], 1e-6 * mean[0],
                    stress[i] == 0 ? 1e-3 : 1e-6, stress[i] != 0);
  }
  ig_stress_row(sink, "its shear stress: worst error, MPa", "held at 100", 0, shear, 1e-3, false);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* MOOSE: pulled at 500, heated to 600 at fixed length, cooled to 400 and pulled. */
static ig_status yields_by_temperature(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double path[][2] = {{0, 0}, {1, 0.05}, {2, 0.05}, {3, 0.1}};
  static const double T[] = {500, 600, 400}, stress[] = {5000, 4000, 6000};
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT];
  ig_status status;
  TRY(pulled_new(cx, &q, 4, path));
  ig_stress_problem_hold(&q, "y0", "y");
  ig_stress_problem_material(&q, 0, 2e5, 0.3, 0, NAN, 0, 0);
  q.material[0].mechanical.yield =
      ig_stress_problem_table(&q, 3, (double[][2]){{400, 6000}, {500, 5000}, {600, 4000}});
  q.c.temperature = 500;
  TRY(ig_stress_problem_open(&q));
  for (int i = 0; i < 3; i++) {
    TRY(ig_stress_problem_step(&q, 1, T[i], NULL, NULL));
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    ig_stress_row(sink, "pulled at 500, heated to 600, cooled to 400 and pulled: stress",
                  "MOOSE, yield stress over temperature", stress[i], mean[0], 1e-6, true);
  }
done:
  ig_stress_problem_free(&q);
  return status;
}

/* MOOSE: a constant instantaneous coefficient. */
static ig_status expands(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){1, 1, 1}, (int[]){1, 1, 1}));
  ig_stress_problem_hold(&q, "x0", "x");
  ig_stress_problem_hold(&q, "y0", "y");
  ig_stress_problem_hold(&q, "z0", "z");
  ig_stress_problem_material(&q, 0, 1e6, 0.3, 1e-4, NAN, NAN, 0);
  q.c.temperature = 0;
  q.c.solver.tolerance = 1e-12;
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, 2, NULL, NULL));
  TRY(ig_array_pull(cx, &q.m->u));
  double most = 0;
  for (ig_lid i = 0; i < 3 * q.mesh->nodes; i++)
    most = fmax(most, ((double *)q.m->u.host)[i]);
  ig_stress_row(sink, "expansion 1e-4 over 2 K: strain", "MOOSE, small strain", 2e-4, most, 1e-9,
                true);
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_law(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(sheared(cx, sink));
  IG_TRY(yields_by_temperature(cx, sink));
  return expands(cx, sink);
}

/* --- tangent and Newton --- */

static double hot_side(void *user, const double x[3]) {
  (void)user;
  return 293.15 + 400 * x[0] * x[2];
}

static ig_status forces_at(ig_stress *m, const double *at, const double *way, double h, double *f) {
  const size_t n = 3 * (size_t)m->nodes;
  for (size_t i = 0; i < n; i++)
    ((double *)m->u.host)[i] = at[i] + h * way[i];
  IG_TRY(ig_array_push(m->cx, &m->u));
  IG_TRY(ig_stress_forces(m));
  IG_TRY(ig_array_pull(m->cx, &m->force));
  memcpy(f, m->force.host, n * sizeof *f);
  return IG_OK;
}

/* Largest difference of tangent times a vector from the difference of forces, over the largest. */
static ig_status tangent_error(ig_stress *m, double *error) {
  const size_t n = 3 * (size_t)m->nodes;
  double *at = NULL, *way = NULL, *f[2] = {NULL, NULL}, most = 0, off = 0;
  const double h = 1e-9;
  ig_status status;
  TRY(IG_NEW(m->cx, &at, n, "differences"));
  TRY(IG_NEW(m->cx, &way, n, "differences"));
  TRY(IG_NEW(m->cx, &f[0], n, "differences"));
  TRY(IG_NEW(m->cx, &f[1], n, "differences"));
  unsigned seed = 7;
  for (size_t i = 0; i < n; i++) {
    seed = 1664525U * seed + 1013904223U;
    at[i] = 3e-3 * (seed / 4294967296.0 - 0.5);
    way[i] = sin(1.3 * (double)i);
  }
  for (int side = 0; side < 2; side++)
    TRY(forces_at(m, at, way, side ? -h : h, f[side]));
  for (size_t i = 0; i < n; i++)
    f[0][i] = (f[0][i] - f[1][i]) / (2 * h);
  TRY(forces_at(m, at, way, 0, f[1]));
  memcpy(m->work.old.host, way, n * sizeof *way);
  TRY(ig_array_push(m->cx, &m->work.old));
  TRY(m->ops->product(m->cx, &m->args, &m->plan, m->work.old.dev, m->force.dev));
  TRY(ig_array_pull(m->cx, &m->force));
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(f[0][i]));
    off = fmax(off, fabs(f[0][i] - ((double *)m->force.host)[i]));
  }
  *error = off / most;
done:
  free(at);
  free(way);
  free(f[0]);
  free(f[1]);
  return status;
}

/* A bar held at its length creeps: 1 / s^2 = 1 / s0^2 + 2 E A t for a power of 3. Steps are
   implicit, of first order: the error at half the step is half, and what both extrapolate to is
   exact to second order. */
ig_status ig_stress_verify_creep(ig_ctx *cx, const ig_verify_sink *sink) {
  const double young = 200e9, factor = 1e-30, start = 240e6, time = 1000;
  const double exact = 1e-6 / sqrt(1 / (start * start) + 2 * young * factor * time);
  double left[2];
  ig_stress_problem q;
  ig_status status;
  for (int i = 0; i < 2; i++) {
    const int steps = i ? 200 : 100;
    double mean[IG_STRESS_REPORT];
    ig_stress_problem_new(cx, &q);
    TRY(ig_stress_problem_box(&q, (double[]){4e-3, 1e-3, 1e-3}, (int[]){2, 1, 1}));
    ig_stress_problem_hold(&q, "x0", "x");
    ig_stress_problem_hold(&q, "x1", "x");
    ig_stress_problem_hold(&q, "y0", "y");
    ig_stress_problem_hold(&q, "z0", "z");
    ig_stress_problem_material(&q, 0, young, 0.3, 1.2e-5, NAN, NAN, 0);
    q.material[0].mechanical.creep.at.given = true;
    q.material[0].mechanical.creep.factor = factor;
    q.material[0].mechanical.creep.power = 3;
    TRY(ig_stress_problem_open(&q));
    TRY(ig_stress_problem_step(&q, 1e-9, 193.15, NULL, NULL)); /* 100 K colder: 240 MPa */
    for (int k = 0; k < steps; k++)
      TRY(ig_stress_problem_step(&q, time / steps, 193.15, NULL, NULL));
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    left[i] = 1e-6 * mean[0];
    ig_stress_problem_free(&q);
  }
  ig_stress_row(sink, "240 MPa after 1000 s, extrapolated from 100 and 200 steps, MPa",
                "Norton, power 3: 1/s^2 = 1/s0^2 + 2 E A t", exact, 2 * left[1] - left[0], 1e-3,
                true);
  ig_stress_row(sink, "error of 200 steps over that of 100", "first order", 0.5,
                (left[1] - exact) / (left[0] - exact), 0.05, true);
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_newton(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const names[] = {"tangent against differences: elastic", "isotropic hardening",
                                      "kinematic hardening", "mixed hardening"};
  ig_stress_problem q;
  ig_status status;
  for (int kind = 0; kind < 4; kind++) {
    double error = NAN;
    ig_stress_problem_new(cx, &q);
    TRY(ig_stress_problem_box(&q, (double[]){1, 1, 1}, (int[]){2, 2, 3}));
    ig_stress_problem_hold(&q, "z0", "all");
    ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, kind == 0 ? NAN : 240e6,
                               kind == 0 || kind == 2 ? 0 : 20e9, kind >= 2 ? 15e9 : 0);
    TRY(ig_stress_problem_open(&q));
    TRY(tangent_error(q.m, &error));
    ig_stress_row(sink, names[kind], "central differences of the forces", 0, error, 1e-6, false);
    ig_stress_problem_free(&q);
  }
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){1, 1, 1}, (int[]){4, 4, 4}));
  ig_stress_problem_hold(&q, "z0", "all");
  ig_stress_problem_material(&q, 0, 200e9, 0.3, 1.2e-5, 240e6, 20e9, 10e9);
  q.c.solver.tolerance = 1e-12;
  TRY(ig_stress_problem_open(&q));
  TRY(ig_stress_problem_step(&q, 1, 0, hot_side, NULL));
  const double *r = q.m->count.trace;
  double order = INFINITY;
  for (int i = 1; i <= q.m->count.newton; i++)
    if (r[i - 1] < 1e-2 && r[i - 1] > 1e-6)
      order = fmin(order, log(r[i]) / log(r[i - 1]));
  ig_stress_row(sink, "Newton: what its order, log r(i+1) / log r(i), lacks of 2",
                "quadratic: r(i+1) <= r(i)^2", 0, isfinite(order) ? fmax(2 - order, 0) : INFINITY,
                1e-12, false);
done:
  ig_stress_problem_free(&q);
  return status;
}
