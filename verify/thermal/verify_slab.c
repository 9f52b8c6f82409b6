/* Verification: a slab cooled by convection, in plain steps and in the long ones of dwells. */
#include "verify/thermal/verify.h"

#include <math.h>
#include <stdio.h>

/* 0.1 m thick, convection on one side, insulated on the other; Bi = h L / k = 5 */
static ig_status slab_open(ig_ctx *cx, int cells, int across, ig_thermal_problem *s) {
  const double size[] = {0.1, 0.01, 0.01};
  const int n[] = {cells, across, across};
  IG_TRY(ig_thermal_problem_box(cx, size, n, s));
  ig_thermal_problem_metal(s, 100, 100, 1);
  ig_heat_condition *c = ig_thermal_problem_condition(s, "xmax");
  c->h = 50;
  c->ambient = 300;
  s->setup.initial = 400;
  return IG_OK;
}

static double slab_series(double bi, double fo, double x) {
  double theta = 0;
  for (int i = 0; i < 200; i++) {
    double low = i * M_PI + 1e-12, high = i * M_PI + M_PI / 2 - 1e-12;
    for (int k = 0; k < 200; k++) {
      const double z = 0.5 * (low + high);
      if (z * tan(z) > bi)
        high = z;
      else
        low = z;
    }
    const double z = 0.5 * (low + high);
    theta += 2 * sin(z) / (z + sin(z) * cos(z)) * exp(-z * z * fo) * cos(z * x);
  }
  return theta;
}

/* Its surface after 1 s: Fo = alpha t / L^2 = 0.01. */
static double slab_exact(void) {
  return 300 + 100 * slab_series(5, 0.01, 1);
}

/* --- plain steps */

static ig_status slab_cool(ig_ctx *cx, ig_heat_conduction conduction, ig_precision precision,
                           ig_assembly assembly, double *surface) {
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, slab_open(cx, 100, 1, &s));
  s.setup.conduction = conduction;
  s.setup.precision = precision;
  s.setup.assembly = assembly;
  if (conduction != IG_HEAT_STENCIL)
    s.setup.surface = (ig_heat_surface)assembly; /* one of each, too */
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  IG_TRY_GOTO(status, done, ig_thermal_problem_steps(&s, 1e-3, 1000));
  IG_TRY_GOTO(status, done, ig_thermal_problem_read(&s));
  *surface = 0;
  for (int corner = 1; corner <= 4; corner++) /* the last nodes of its four long edges */
    *surface += s.T[101 * corner - 1] / 4;
done:
  ig_thermal_problem_free(&s);
  return status;
}

ig_status ig_verify_slab(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_verify_say(sink, "series solution itself, surface", "tabulated value", 361.56903, slab_exact(),
                1e-5, false);
  for (int form = 0; form < 3; form++)
    for (int p = 0; p < 3; p++)
      for (int a = 0; a < (form == IG_HEAT_STENCIL ? 1 : 3); a++) {
        double T;
        char text[96];
        IG_TRY(slab_cool(cx, (ig_heat_conduction)form, (ig_precision)p, (ig_assembly)a, &T));
        snprintf(text, sizeof text, "surface after 1 s, %s %s %s [K]", ig_verify_form[form],
                 ig_verify_precision[p], form == IG_HEAT_STENCIL ? "" : ig_assembly_names[a]);
        ig_verify_say(sink, text, "series", slab_exact(), T, 0.05, false);
      }
  return IG_OK;
}

/* --- long steps */

/* The slowest mode of an insulated bar, which the mesh keeps exactly: what is left of it after
   `leaps` long steps. */
static ig_status mode_left(ig_ctx *cx, int leaps, double *error) {
  const double size[] = {1, 0.1, 0.1}, time = 1;
  const int cells[] = {20, 1, 1};
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_box(cx, size, cells, &s));
  ig_thermal_problem_metal(&s, 1, 1, 0.1);
  s.setup.conduction = IG_HEAT_STENCIL;
  s.setup.leaps = true;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  for (ig_lid n = 0; n < s.mesh->nodes; n++)
    s.T[n] = 500 + 100 * cos(M_PI * s.mesh->x[3 * (int64_t)n]);
  IG_TRY_GOTO(status, done, ig_thermal_problem_write(&s));
  for (int i = 0; i < leaps; i++)
    IG_TRY_GOTO(status, done,
                ig_heat_batch_leap(cx, &s.heat, time / leaps, 1.8 / s.heat.limit.rate));
  IG_TRY_GOTO(status, done, ig_heat_batch_run(cx, &s.heat));
  IG_TRY_GOTO(status, done, ig_thermal_problem_read(&s));
  const double rate = 0.1 * 2 * 400 * (1 - cos(M_PI / 20));
  *error = fabs(s.T[0] - 500 - 100 * exp(-rate * time));
done:
  ig_thermal_problem_free(&s);
  return status;
}

/* The slab: plain steps first, then longer and longer ones. */
static ig_status slab_leap(ig_ctx *cx, ig_heat_conduction conduction, double *surface,
                           double *share, double *gap) {
  const int cells = 200;
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, slab_open(cx, cells, 2, &s));
  s.setup.conduction = conduction;
  s.setup.leaps = true;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  const double critical = 1.8 / s.heat.limit.rate;
  double t = 0, leap = 10 * critical;
  for (; t < 20 * critical; t += critical)
    IG_TRY_GOTO(status, done, ig_heat_batch_step(cx, &s.heat, critical));
  for (; t < 1 - 1e-12; leap *= 1.2) {
    leap = fmin(leap, 1 - t);
    IG_TRY_GOTO(status, done, ig_heat_batch_leap(cx, &s.heat, leap, critical));
    t += leap;
  }
  *share = s.heat.batch.step_count * critical;
  IG_TRY_GOTO(status, done, ig_heat_batch_run(cx, &s.heat));
  IG_TRY_GOTO(status, done, ig_thermal_problem_read(&s));
  *surface = s.T[cells];
  ig_heat_ledger l;
  IG_TRY_GOTO(status, done, ig_heat_ledger_read(cx, &s.heat, &l));
  *gap = ig_heat_ledger_gap(&l) / l.convected;
done:
  ig_thermal_problem_free(&s);
  return status;
}

ig_status ig_verify_dwell(ig_ctx *cx, const ig_verify_sink *sink) {
  double error[2], surface, share, gap;
  for (int i = 0; i < 2; i++)
    IG_TRY(mode_left(cx, 4 << i, &error[i]));
  ig_verify_say(sink, "order in time of long steps", "Runge-Kutta-Legendre, second order", 2,
                log2(error[0] / error[1]), 0.2, false);
  for (int form = IG_HEAT_CLASSES; form <= IG_HEAT_STENCIL; form++) {
    IG_TRY(slab_leap(cx, (ig_heat_conduction)form, &surface, &share, &gap));
    ig_verify_say(sink, "slab under convection after 1 s, growing steps [K]", "series",
                  slab_exact(), surface, 0.05, false);
    ig_verify_say(sink, "energy ledger: gap over heat convected", "conservation", 0, gap, 1e-11,
                  false);
  }
  ig_verify_say(sink, "evaluations over those of plain steps", "at most half", 0, share, 0.5,
                false);
  return IG_OK;
}
