/* A hot spot that melts a track across a plate: convergence of displacements with the step. */
#include "verify/stress/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 24, LEVELS = 3 };

/* Temperatures when the spot is at x = `at`, in mm; it leaves cold metal behind. */
static double spot(void *at, const double x[3]) {
  const double dx = 1e3 * x[0] - *(double *)at, dy = 1e3 * x[1], dz = 1e3 * x[2] - 1.5;
  return 300 + 1700 * exp(-(dx * dx + dy * dy + dz * dz) / (1.3 * 1.3));
}

/* A plate on a rigid base after the spot has passed in `steps`, and cooled. */
static ig_status track_run(ig_ctx *cx, int steps, double **u, size_t *count, double *missing) {
  ig_stress_problem q;
  ig_status status;
  *u = NULL;
  ig_stress_problem_new(cx, &q);
  TRY(ig_stress_problem_box(&q, (double[]){6e-3, 1e-3, 1.5e-3}, (int[]){12, 2, 3}));
  ig_stress_problem_hold(&q, "z0", "xyz");
  ig_stress_problem_hold(&q, "y0", "y");
  q.c.temperature = 300;
  ig_stress_problem_material(&q, 0, 100e9, 0.3, 1e-5, 400e6, 2e9, 0);
  q.material[0].mechanical.anneal = 1200;
  TRY(ig_stress_problem_open(&q));
  for (int k = 1; k <= steps; k++) {
    double at = -3 + 12.0 * k / steps;
    TRY(ig_stress_problem_step(&q, 1, 0, spot, &at));
  }
  TRY(ig_stress_problem_step(&q, 1, 300, NULL, NULL));
  TRY(ig_array_pull(cx, &q.m->u));
  *count = q.m->u.count;
  *missing = fmax(*missing, fabs(q.m->balance.missing) / q.m->balance.flow);
  TRY(IG_NEW(cx, u, *count, "displacements"));
  memcpy(*u, q.m->u.host, *count * sizeof **u);
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_track(ig_ctx *cx, const ig_verify_sink *sink) {
  double *u[LEVELS] = {0}, change[LEVELS] = {0}, all = 0, missing = 0;
  size_t count = 0;
  ig_status status = IG_OK;
  for (int i = 0; i < LEVELS; i++)
    TRY(track_run(cx, STEPS << i, &u[i], &count, &missing));
  for (size_t k = 0; k < count; k++) {
    all += u[LEVELS - 1][k] * u[LEVELS - 1][k];
    for (int i = 1; i < LEVELS; i++)
      change[i] += (u[i][k] - u[i - 1][k]) * (u[i][k] - u[i - 1][k]);
  }
  ig_stress_row(sink, "displacements: change by the last halving of the step over the one before",
                "first order", 0.5, sqrt(change[2] / change[1]), 0.2, false);
  ig_stress_row(sink, "the last change over the displacements", "0 in the limit", 0,
                sqrt(change[2] / all), 0.2, false);
  ig_stress_row(sink, "energy balance: missing of what flowed", "none", 0, missing, 1e-6, false);
done:
  for (int i = 0; i < LEVELS; i++)
    free(u[i]);
  return status;
}
