/* Verification: melting, powder, solidification. */
#include "verify/thermal/verify.h"

#include <math.h>

/* --- Stefan: a solid at its melting point, one end held above it */

static ig_status front_melt(ig_ctx *cx, ig_precision precision, double melt, double hot, double t,
                            double *front, double *gap) {
  const double size[] = {0.015, 1e-3, 1e-3};
  const int cells[] = {300, 1, 1};
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_box(cx, size, cells, &s));
  ig_thermal_problem_metal(&s, 8000, 500, 20);
  s.metal.m.latent_heat = 500 * (hot - melt) / 3.9;
  s.metal.m.solidus = s.metal.m.liquidus = melt;
  ig_thermal_problem_condition(&s, "xmin")->temperature = hot;
  s.setup.precision = precision;
  s.setup.enthalpy = true;
  s.setup.initial = melt - 0.01;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  const int64_t steps = (int64_t)ceil(t / (0.9 * 2 / s.heat.limit.rate));
  IG_TRY_GOTO(status, done, ig_thermal_problem_steps(&s, t / (double)steps, steps));
  IG_TRY_GOTO(status, done, ig_thermal_problem_read(&s));
  *front = 0;
  for (int i = 0; i <= cells[0]; i++) {
    const double share = (s.T[i] - (melt - 0.01)) / 0.02;
    *front += (i == 0 ? 0.5 : 1) * size[0] / cells[0] * (share < 0 ? 0 : share > 1 ? 1 : share);
  }
  ig_heat_ledger l;
  IG_TRY_GOTO(status, done, ig_heat_ledger_read(cx, &s.heat, &l));
  *gap = ig_heat_ledger_gap(&l) / l.held;
done:
  ig_thermal_problem_free(&s);
  return status;
}

ig_status ig_verify_stefan(ig_ctx *cx, const ig_verify_sink *sink) {
  const double melt = 1000, hot = 2000, lambda = 0.98848, alpha = 20 / (8000 * 500.);
  const double front = 0.01, t = pow(front / (2 * lambda), 2) / alpha;
  for (int p = IG_DOUBLE; p <= IG_MIXED; p++) {
    double found, gap;
    IG_TRY(front_melt(cx, (ig_precision)p, melt, hot, t, &found, &gap));
    ig_verify_say(sink, p == IG_DOUBLE ? "melting front, double [m]" : "melting front, mixed [m]",
                  "Stefan number 3.9, lambda = 0.98848", front, found, 0.01, true);
    ig_verify_say(sink, "energy ledger through melting: gap over heat in", "conservation", 0, gap,
                  p == IG_DOUBLE ? 1e-11 : 1e-5, false);
  }
  return IG_OK;
}

/* --- a block heated through melting by a flux, cooled by convection; then, molten, only cooled */

static ig_status latent_half(ig_ctx *cx, bool enthalpy, bool cooled, ig_heat_ledger *ledger) {
  const double size[] = {4e-3, 2e-3, 2e-3};
  const int cells[] = {8, 4, 4};
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_box(cx, size, cells, &s));
  ig_thermal_problem_metal(&s, 8000, 500, 30);
  s.metal.m.latent_heat = 2.5e5;
  s.metal.m.solidus = 1000;
  s.metal.m.liquidus = 1050;
  if (!cooled)
    ig_thermal_problem_condition(&s, "xmin")->flux = 1.5e7;
  ig_thermal_problem_condition(&s, "xmax")->h = 2e4;
  s.setup.enthalpy = enthalpy;
  s.setup.initial = cooled ? 1400 : 300;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  const double dt = 0.2 * 2 / s.heat.limit.rate;
  ig_heat_ledger l;
  IG_TRY_GOTO(status, done, ig_thermal_problem_steps(&s, dt, (int64_t)(0.9 / dt)));
  IG_TRY_GOTO(status, done, ig_heat_ledger_read(cx, &s.heat, &l));
  ledger->stored += l.stored;
  ledger->start += l.start;
  ledger->flux += l.flux;
  ledger->convected += l.convected;
done:
  ig_thermal_problem_free(&s);
  return status;
}

ig_status ig_verify_latent(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int enthalpy = 1; enthalpy >= 0; enthalpy--) {
    ig_heat_ledger l = {0};
    for (int cooled = 0; cooled < 2; cooled++)
      IG_TRY(latent_half(cx, enthalpy, cooled, &l));
    ig_verify_say(sink,
                  enthalpy ? "heat content: gap over heat exchanged"
                           : "apparent capacity: gap over heat exchanged",
                  "conservation through melting and back", 0,
                  ig_heat_ledger_gap(&l) / (l.flux + l.convected), enthalpy ? 1e-12 : 0.02, false);
  }
  return IG_OK;
}

/* --- powder: half of a bar is powder at first; the temperature where the halves meet */

static ig_status middle_settle(ig_thermal_problem *s, double *middle) {
  for (ig_lid n = 0; n < s->mesh->nodes; n++)
    s->T[n] = isnan(s->heat.node.held[n]) ? 350 : s->heat.node.held[n];
  IG_TRY(ig_thermal_problem_write(s));
  IG_TRY(ig_thermal_problem_steps(s, 1.8 / s->heat.limit.rate, 6000));
  IG_TRY(ig_thermal_problem_read(s));
  *middle = s->T[10];
  return IG_OK;
}

ig_status ig_verify_powder(ig_ctx *cx, const ig_verify_sink *sink) {
  const double size[] = {20e-3, 1e-3, 1e-3};
  const int cells[] = {20, 1, 1};
  double powder[] = {2}, birth[20], middle;
  for (int e = 0; e < 20; e++)
    birth[e] = e < 10 ? -INFINITY : 0;
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_box(cx, size, cells, &s));
  ig_thermal_problem_metal(&s, 8000, 500, 20);
  s.metal.m.powder_conductivity = (ig_table){1, s.metal.zero, powder};
  s.metal.m.solidus = 950;
  s.metal.m.liquidus = 1000;
  ig_thermal_problem_condition(&s, "xmin")->temperature = 400;
  ig_thermal_problem_condition(&s, "xmax")->temperature = 300;
  s.setup.birth = birth;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  IG_TRY_GOTO(status, done, middle_settle(&s, &middle));
  ig_verify_say(sink, "where solid meets powder [K]", "conductivities 20 and 2 in series",
                (20 * 400. + 2 * 300) / 22, middle, 1e-6, true);
  for (ig_lid n = 0; n < s.mesh->nodes; n++)
    s.T[n] = 1100; /* molten once */
  IG_TRY_GOTO(status, done, ig_thermal_problem_write(&s));
  IG_TRY_GOTO(status, done, ig_thermal_problem_steps(&s, 1e-6, 1));
  IG_TRY_GOTO(status, done, middle_settle(&s, &middle));
  ig_verify_say(sink, "the same, after it was molten and is cold again [K]",
                "conductivity 20 throughout", 350, middle, 1e-6, true);
done:
  ig_thermal_problem_free(&s);
  return status;
}

/* --- solidification: a linear field passes over elements that hardly conduct */

/* gradient of length 1e5 K/m along (0.6, 0, 0.8); speed 0.05 m/s */
static const double slope = 1e5, speed = 0.05;

/* Three times to and fro, in steps of dt. */
static ig_status front_pass(ig_thermal_problem *s, double dt) {
  const int steps = (int)lround(8e-3 / speed / dt);
  for (int i = 0; i < 6 * steps; i++) {
    const int phase = i % (2 * steps);
    const double front = speed * dt * (phase < steps ? steps - phase : phase - steps) - 2e-3;
    for (ig_lid n = 0; n < s->mesh->nodes; n++) {
      const double *x = &s->mesh->x[3 * (int64_t)n];
      s->T[n] = 1500 + slope * (0.6 * x[0] + 0.8 * x[2] - front);
    }
    IG_TRY(ig_thermal_problem_write(s));
    IG_TRY(ig_thermal_problem_steps(s, dt, 1));
  }
  return ig_array_pull(s->cx, &s->heat.past.track);
}

static void past_say(const ig_verify_sink *sink, const ig_heat *h) {
  const float *past = h->past.track.host;
  static const struct {
    int column;
    const char *name;
    double exact, tolerance;
  } rows[] = {{IG_TRACK_GRADIENT, "gradient G [K/m]", 1e5, 1e-4},
              {IG_TRACK_COOLING, "cooling rate [K/s]", 5e3, 1e-3},
              {IG_TRACK_SPEED, "speed of the front R [m/s]", 0.05, 1e-3},
              {IG_TRACK_LIQUIDUS_COOLING, "cooling rate at the liquidus [K/s]", 5e3, 1e-3},
              {IG_TRACK_MELTS, "times molten", 3, 0}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    double worst = rows[r].exact;
    for (ig_lid e = 0; e < h->elements; e++) {
      const double v = past[(int64_t)rows[r].column * h->elements + e];
      worst = fabs(v - rows[r].exact) > fabs(worst - rows[r].exact) ? v : worst;
    }
    ig_verify_say(sink, rows[r].name, "imposed field; worst element", rows[r].exact, worst,
                  rows[r].tolerance, true);
  }
  /* each passage takes it up to the highest temperature and back */
  double above = 0, exact = 0;
  for (ig_lid e = 0; e < h->elements; e++) {
    above += past[(int64_t)IG_TRACK_ABOVE * h->elements + e] / h->elements;
    exact += 3 * 2 * (past[(int64_t)IG_TRACK_PEAK * h->elements + e] - 1500) / (slope * speed) /
             h->elements;
  }
  ig_verify_say(sink, "time above liquidus, mean [s]", "imposed field, from the peak", exact, above,
                0.01, true);
}

/* When the front passed each element for the last time, to and fro. */
static void moments_say(const ig_verify_sink *sink, const ig_thermal_problem *s, double dt) {
  const ig_heat *h = &s->heat;
  const double steps = (double)lround(8e-3 / speed / dt);
  double worst[2] = {0};
  for (ig_lid e = 0; e < h->elements; e++) {
    const ig_lid *conn = s->mesh->block->conn + 8 * (int64_t)h->birth.order[e];
    const float *past = (const float *)h->past.track.host + e;
    double middle = 0;
    for (int a = 0; a < 8; a++)
      middle +=
          (0.6 * s->mesh->x[3 * (int64_t)conn[a]] + 0.8 * s->mesh->x[3 * (int64_t)conn[a] + 2]) / 8;
    for (int k = 0; k < 2; k++) {
      const int64_t first = k ? IG_TRACK_LIQUIDUS : IG_TRACK_MELTED;
      const double found =
          (double)past[first * h->elements] + (double)past[(first + 1) * h->elements];
      const double away = (middle + 2e-3) / (speed * dt);
      const double exact = dt * (4 * steps + (k ? steps + away : steps - away) + 1);
      worst[k] = fmax(worst[k], fabs(found - exact));
    }
  }
  ig_verify_say(sink, "time of the last melting, error [s]", "imposed field; worst element", 0,
                worst[0], 1e-6, false);
  ig_verify_say(sink, "time at the liquidus after it, error [s]", "imposed field; worst element", 0,
                worst[1], 1e-6, false);
}

ig_status ig_verify_solidification(ig_ctx *cx, const ig_verify_sink *sink) {
  const double size[] = {4e-3, 3e-3, 2e-3}, cells[] = {4, 3, 2};
  const ig_box_case box = {.size = {3, (double *)size}, .cells = {3, (double *)cells}};
  const ig_mesh_case mc = {.boxes = {1, (void *)&box},
                           .jitter = {.at = {.given = true}, .amount = 0.2, .seed = 5}};
  ig_thermal_problem s;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_mesh(cx, &mc, &s));
  ig_thermal_problem_metal(&s, 8000, 500, 1e-9);
  s.metal.m.solidus = s.metal.m.liquidus = 1500;
  s.setup.conduction = IG_HEAT_RECOMPUTE;
  s.setup.track = 1;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s));
  IG_TRY_GOTO(status, done, front_pass(&s, 2e-4));
  past_say(sink, &s.heat);
  moments_say(sink, &s, 2e-4);
done:
  ig_thermal_problem_free(&s);
  return status;
}
