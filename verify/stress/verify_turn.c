/* Verification: finite rotations. */
#include "verify/stress/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A block turned about a slanting axis, and stretched before that: its stress turns along. */
static ig_status turned(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_stress_problem q;
  double mean[IG_STRESS_REPORT], worst = 0;
  const double angle = 1.0471975511965976; /* 60 degrees about z */
  ig_status status;
  for (int stretched = 0; stretched < 2; stretched++) {
    ig_stress_problem_new(cx, &q);
    q.c.rotations = IG_ROTATIONS_FINITE;
    TRY(ig_stress_problem_box(&q, (double[]){1, 1, 1}, (int[]){2, 2, 2}));
    ig_stress_problem_hold(&q, "all", "all");
    ig_stress_problem_material(&q, 0, 200e9, 0, 1.2e-5, NAN, NAN, 0);
    TRY(ig_stress_problem_open(&q));
    for (ig_lid i = 0; i < q.mesh->nodes; i++) {
      const double *x = q.mesh->x + 3 * (int64_t)i, c = cos(angle), s = sin(angle);
      const double y[3] = {x[0] * (1 + 1e-3 * stretched), x[1], x[2]};
      double *u = (double *)q.m->u.host + 3 * (int64_t)i;
      u[0] = c * y[0] - s * y[1] - x[0];
      u[1] = s * y[0] + c * y[1] - x[1];
      u[2] = y[2] - x[2];
    }
    TRY(ig_array_push(cx, &q.m->u));
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    for (int i = 0; i < 6; i++)
      worst = fmax(worst, fabs(mean[i]));
    if (!stretched)
      ig_stress_row(sink, "turned by 60 degrees: largest stress, Pa", "none", 0, worst, 1e-3,
                    false);
    else {
      ig_stress_row(sink, "stretched by 1e-3 and turned: sxx, MPa", "200 cos^2", 50, 1e-6 * mean[0],
                    1e-9, true);
      ig_stress_row(sink, "syy, MPa", "200 sin^2", 150, 1e-6 * mean[1], 1e-9, true);
      ig_stress_row(sink, "sxy, MPa", "200 sin cos", 86.60254037844386, 1e-6 * mean[3], 1e-9, true);
    }
    ig_stress_problem_free(&q);
  }
  return IG_OK;
done:
  ig_stress_problem_free(&q);
  return status;
}

/* A slender cantilever under a dead load at its end: P L^2 / E I = 1 and 2 (Mattiasson 1981). */
static ig_status cantilever(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double down[] = {0.30172, 0.49346}, back[] = {0.05643, 0.16064};
  const double L = 5, h = 0.5, b = 0.0625, E = 200e9, unit = E * b * h * h * h / 12 / (L * L);
  ig_stress_problem q;
  ig_status status;
  ig_stress_problem_new(cx, &q);
  q.c.rotations = IG_ROTATIONS_FINITE;
  TRY(ig_stress_problem_box(&q, (double[]){L, b, h}, (int[]){40, 1, 4}));
  ig_stress_problem_hold(&q, "x0", "all");
  ig_stress_problem_hold(&q, "y0", "y");
  ig_stress_problem_material(&q, 0, E, 0, 1.2e-5, NAN, NAN, 0);
  q.load[0] =
      (ig_stress_load){.set = "x1",
                       .pressure = NAN,
                       .total = {0, 0, -unit},
                       .history = ig_stress_problem_table(&q, 2, (double[][2]){{0, 0}, {10, 2}})};
  q.c.loads = (ig_list){1, q.load};
  TRY(ig_stress_problem_open(&q));
  double work = 0, sunk = 0; /* of the force along the way of the end, by trapezoids */
  for (int k = 0; k < 10; k++) {
    TRY(ig_stress_problem_step(&q, 1, 293.15, NULL, NULL));
    TRY(ig_array_pull(cx, &q.m->u));
    double tip[3] = {0}, n = 0;
    for (ig_lid i = 0; i < q.mesh->nodes; i++)
      if (q.mesh->x[3 * (int64_t)i] > L - 1e-9) {
        n++;
        for (int d = 0; d < 3; d++)
          tip[d] += ((double *)q.m->u.host)[3 * (int64_t)i + d];
      }
    work += 0.2 * (k + 0.5) * unit * (-tip[2] / n - sunk);
    sunk = -tip[2] / n;
    if (k != 4 && k != 9)
      continue;
    ig_stress_row(sink, "cantilever, P L^2 / E I = 1, then 2: deflection over L",
                  "Mattiasson 1981, slender beam", down[k / 5], -tip[2] / n / L, 0.02, true);
    ig_stress_row(sink, "the end comes back by, over L", "Mattiasson 1981", back[k / 5],
                  -tip[0] / n / L, 0.04, true);
  }
  const ig_stress_balance *b_end = &q.m->balance;
  ig_stress_row(sink, "work of the force, J", "sum of force times way, ten steps", work,
                b_end->work, 2e-3, true);
  ig_stress_row(sink, "energy balance: missing of what flowed", "none", 0,
                fabs(b_end->missing) / b_end->flow, 1e-8, false);
  ig_stress_row(sink, "Newton iterations of the last step", "quadratic convergence", 6,
                q.m->count.newton, 2, false);
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_turn(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(turned(cx, sink));
  return cantilever(cx, sink);
}
