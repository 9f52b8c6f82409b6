/* Verification: melting, powder, solidification, dwells. */
#include "thermal/verify.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Stefan: a solid at its melting point, one end held above it */

ig_status ig_verify_stefan(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_simple_metal metal;
  const double melt = 1000, hot = 2000, lambda = 0.98848, alpha = 20 / (8000 * 500.);
  const double front = 0.01, t = pow(front / (2 * lambda), 2) / alpha;
  ig_simple_metal_of(&metal, 8000, 500, 20);
  metal.m.latent_heat = 500 * (hot - melt) / 3.9;
  metal.m.solidus = metal.m.liquidus = melt;
  ig_verify_bar b = {.size = {0.015, 1e-3, 1e-3},
                     .cells = {300, 1, 1},
                     .material = &metal.m,
                     .where = "xmin",
                     .initial = melt - 0.01,
                     .time = t,
                     .step = 0.9,
                     .enthalpy = true};
  b.c = ig_verify_condition(NULL, NULL);
  b.c.temperature = hot;
  b.c.ambient = 300;
  for (int p = IG_DOUBLE; p <= IG_MIXED; p++) {
    double T[301], liquid = 0;
    ig_heat_ledger l;
    IG_TRY(ig_verify_bar_run(cx, &b, (ig_precision)p, IG_HEAT_CLASSES, T, &l));
    const double h = b.size[0] / b.cells[0];
    for (int i = 0; i <= b.cells[0]; i++) {
      const double share = (T[i] - (melt - 0.01)) / 0.02;
      liquid += (i == 0 ? 0.5 : 1) * h * (share < 0 ? 0 : share > 1 ? 1 : share);
    }
    ig_verify_say(sink, p == IG_DOUBLE ? "melting front, double [m]" : "melting front, mixed [m]",
                  "Stefan number 3.9, lambda = 0.98848", front, liquid, 0.01, true);
    ig_verify_say(sink, "energy ledger through melting: gap over heat in", "conservation", 0,
                  ig_heat_ledger_gap(&l) / l.held, p == IG_DOUBLE ? 1e-11 : 1e-5, false);
  }
  return IG_OK;
}

/* --- a block heated through melting by a flux and cooled back by convection */

static ig_status latent_run(ig_ctx *cx, bool enthalpy, ig_heat_ledger *ledger) {
  ig_simple_metal metal;
  const ig_material_case *material = &metal.m;
  ig_simple_metal_of(&metal, 8000, 500, 30);
  metal.m.latent_heat = 2.5e5;
  metal.m.solidus = 1000;
  metal.m.liquidus = 1050;
  const double size[] = {4e-3, 2e-3, 2e-3};
  const int cells[] = {8, 4, 4};
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  ig_heat_condition c[] = {ig_verify_condition(mesh, "xmin"), ig_verify_condition(mesh, "xmax")};
  c[0].flux = 1.5e7;
  c[1].h = 2e4; /* cools all the while; wins once the flux is switched */
  c[1].ambient = 300;
  for (int half = 0; half < 2; half++) {
    const ig_heat_setup setup = {.mesh = mesh,
                                 .precision = IG_DOUBLE,
                                 .assembly = IG_GATHER,
                                 .conduction = IG_HEAT_CLASSES,
                                 .surface = IG_HEAT_LUMPED,
                                 .enthalpy = enthalpy,
                                 .materials = 1,
                                 .material = &material,
                                 .conditions = half ? 1 : 2,
                                 .condition = half ? &c[1] : c,
                                 .initial = half ? 1400 : 300,
                                 .ambient = 300};
    ig_heat_ledger l;
    IG_TRY_GOTO(status, next, ig_heat_new(cx, &setup, &h));
    IG_TRY_GOTO(status, next, ig_heat_begin(cx, &h, 0));
    const double dt = 0.2 * 2 / h.rate;
    IG_TRY_GOTO(status, next, ig_verify_steps(cx, &h, dt, (int64_t)(0.9 / dt)));
    IG_TRY_GOTO(status, next, ig_heat_ledger_read(cx, &h, &l));
    ledger->stored += l.stored;
    ledger->start += l.start;
    ledger->flux += l.flux;
    ledger->convected += l.convected;
  next:
    ig_heat_free(cx, &h);
    if (status != IG_OK)
      break;
  }
done:
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_verify_latent(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int enthalpy = 1; enthalpy >= 0; enthalpy--) {
    ig_heat_ledger l = {0};
    IG_TRY(latent_run(cx, enthalpy, &l));
    ig_verify_say(sink,
                  enthalpy ? "heat content: gap over heat exchanged"
                           : "apparent capacity: gap over heat exchanged",
                  "conservation through melting and back", 0,
                  ig_heat_ledger_gap(&l) / (l.flux + l.convected), enthalpy ? 1e-12 : 0.02, false);
  }
  return IG_OK;
}

/* --- powder: half of a bar is powder at first; the temperature where the halves meet */

static ig_status middle_settle(ig_ctx *cx, ig_heat *h, double *T, double *middle) {
  for (ig_lid n = 0; n < h->nodes; n++)
    T[n] = isnan(h->held[n]) ? 350 : h->held[n];
  IG_TRY(ig_heat_set_temperatures(cx, h, T));
  IG_TRY(ig_verify_steps(cx, h, 1.8 / h->rate, 6000));
  IG_TRY(ig_heat_temperatures(cx, h, T));
  *middle = T[10];
  return IG_OK;
}

ig_status ig_verify_powder(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_simple_metal metal;
  const ig_material_case *material = &metal.m;
  double powder[] = {2}, *T = NULL, birth[20], middle;
  ig_simple_metal_of(&metal, 8000, 500, 20);
  metal.m.powder_conductivity = (ig_table){1, metal.zero, powder};
  metal.m.solidus = 950;
  metal.m.liquidus = 1000;
  const double size[] = {20e-3, 1e-3, 1e-3};
  const int cells[] = {20, 1, 1};
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  ig_status status;
  for (int e = 0; e < 20; e++)
    birth[e] = e < 10 ? -INFINITY : 1e-6;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  ig_heat_condition c[] = {ig_verify_condition(mesh, "xmin"), ig_verify_condition(mesh, "xmax")};
  c[0].temperature = 400;
  c[1].temperature = 300;
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = IG_DOUBLE,
                               .assembly = IG_GATHER,
                               .conduction = IG_HEAT_CLASSES,
                               .surface = IG_HEAT_LUMPED,
                               .materials = 1,
                               .material = &material,
                               .birth = birth,
                               .conditions = 2,
                               .condition = c,
                               .initial = 350,
                               .ambient = 350};
  IG_TRY_GOTO(status, done, ig_heat_new(cx, &setup, &h));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 1));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &T, mesh->nodes, "temperatures"));
  IG_TRY_GOTO(status, done, middle_settle(cx, &h, T, &middle));
  ig_verify_say(sink, "where solid meets powder [K]", "conductivities 20 and 2 in series",
                (20 * 400. + 2 * 300) / 22, middle, 1e-6, true);
  for (ig_lid n = 0; n < mesh->nodes; n++)
    T[n] = 1100; /* molten once */
  IG_TRY_GOTO(status, done, ig_heat_set_temperatures(cx, &h, T));
  IG_TRY_GOTO(status, done, ig_verify_steps(cx, &h, 1e-6, 1));
  IG_TRY_GOTO(status, done, middle_settle(cx, &h, T, &middle));
  ig_verify_say(sink, "the same, after it was molten and is cold again [K]",
                "conductivity 20 throughout", 350, middle, 1e-6, true);
done:
  free(T);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

/* --- solidification: a linear field passes over elements that hardly conduct */

ig_status ig_verify_solidification(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_simple_metal metal;
  const ig_material_case *material = ig_simple_metal_of(&metal, 8000, 500, 1e-9);
  metal.m.solidus = metal.m.liquidus = 1500;
  const double size[] = {4e-3, 3e-3, 2e-3}, cells[] = {4, 3, 2};
  const ig_box_case box = {.size = {3, (double *)size}, .cells = {3, (double *)cells}};
  const ig_mesh_case mc = {.boxes = {1, (void *)&box},
                           .jitter = {.at = {.given = true}, .amount = 0.2, .seed = 5}};
  /* gradient of length 1e5 K/m along (0.6, 0, 0.8); speed 0.05 m/s; three times to and fro */
  const double G = 1e5, R = 0.05, dt = 2e-4, span = 8e-3 / R;
  const int steps = (int)lround(span / dt);
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_generate(cx, &mc, &mesh));
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = IG_DOUBLE,
                               .assembly = IG_GATHER,
                               .conduction = IG_HEAT_RECOMPUTE,
                               .surface = IG_HEAT_LUMPED,
                               .materials = 1,
                               .material = &material,
                               .initial = 300,
                               .ambient = 300,
                               .track = 1};
  IG_TRY_GOTO(status, done, ig_heat_new(cx, &setup, &h));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 0));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &T, mesh->nodes, "temperatures"));
  for (int i = 0; i < 6 * steps; i++) {
    const int phase = i % (2 * steps);
    const double front = R * dt * (phase < steps ? steps - phase : phase - steps) - 2e-3;
    for (ig_lid n = 0; n < mesh->nodes; n++) {
      const double *x = &mesh->x[3 * (int64_t)n];
      T[n] = 1500 + G * (0.6 * x[0] + 0.8 * x[2] - front);
    }
    IG_TRY_GOTO(status, done, ig_heat_set_temperatures(cx, &h, T));
    IG_TRY_GOTO(status, done, ig_verify_steps(cx, &h, dt, 1));
  }
  IG_TRY_GOTO(status, done, ig_array_pull(cx, &h.track));
  const float *past = h.track.host;
  static const struct {
    int column;
    const char *name;
    double exact, tolerance;
  } rows[] = {{IG_TRACK_GRADIENT, "gradient G [K/m]", 1e5, 1e-4},
              {IG_TRACK_COOLING, "cooling rate [K/s]", 5e3, 1e-3},
              {IG_TRACK_SPEED, "speed of the front R [m/s]", 0.05, 1e-3},
              {IG_TRACK_MELTS, "times molten", 3, 0}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    double worst = rows[r].exact;
    for (ig_lid e = 0; e < h.elements; e++) {
      const double v = past[(int64_t)rows[r].column * h.elements + e];
      worst = fabs(v - rows[r].exact) > fabs(worst - rows[r].exact) ? v : worst;
    }
    ig_verify_say(sink, rows[r].name, "imposed field; worst element", rows[r].exact, worst,
                  rows[r].tolerance, true);
  }
  /* each passage takes it up to the highest temperature and back */
  double above = 0, exact = 0;
  for (ig_lid e = 0; e < h.elements; e++) {
    above += past[(int64_t)IG_TRACK_ABOVE * h.elements + e] / h.elements;
    exact += 3 * 2 * (past[(int64_t)IG_TRACK_PEAK * h.elements + e] - 1500) / (G * R) / h.elements;
  }
  ig_verify_say(sink, "time above liquidus, mean [s]", "imposed field, from the peak", exact, above,
                0.01, true);
done:
  free(T);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

/* --- dwells: long steps */

/* The slowest mode of an insulated bar, which the mesh keeps exactly: what is left of it after
   `leaps` long steps. */
static ig_status mode_left(ig_ctx *cx, int leaps, double *error) {
  ig_simple_metal metal;
  const ig_material_case *material = ig_simple_metal_of(&metal, 1, 1, 0.1);
  const double size[] = {1, 0.1, 0.1}, time = 1;
  const int cells[] = {20, 1, 1};
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = IG_DOUBLE,
                               .conduction = IG_HEAT_STENCIL,
                               .surface = IG_HEAT_LUMPED,
                               .materials = 1,
                               .material = &material,
                               .initial = 500,
                               .ambient = 500,
                               .leaps = true};
  IG_TRY_GOTO(status, done, ig_heat_new(cx, &setup, &h));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 0));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &T, mesh->nodes, "temperatures"));
  for (ig_lid n = 0; n < mesh->nodes; n++)
    T[n] = 500 + 100 * cos(M_PI * mesh->x[3 * (int64_t)n]);
  IG_TRY_GOTO(status, done, ig_heat_set_temperatures(cx, &h, T));
  for (int i = 0; i < leaps; i++)
    IG_TRY_GOTO(status, done, ig_heat_batch_leap(cx, &h, time / leaps, 1.8 / h.rate));
  IG_TRY_GOTO(status, done, ig_heat_batch_run(cx, &h));
  IG_TRY_GOTO(status, done, ig_heat_temperatures(cx, &h, T));
  const double rate = 0.1 * 2 * 400 * (1 - cos(M_PI / 20));
  *error = fabs(T[0] - 500 - 100 * exp(-rate * time));
done:
  free(T);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

/* The slab with convection: plain steps first, then longer and longer ones. */
static ig_status slab_leap(ig_ctx *cx, ig_heat_conduction conduction, double *surface,
                           double *plain, double *taken, double *gap) {
  ig_simple_metal metal;
  const ig_material_case *material = ig_simple_metal_of(&metal, 100, 100, 1);
  const double size[] = {0.1, 0.01, 0.01};
  const int cells[] = {200, 2, 2};
  ig_mesh *mesh = NULL;
  ig_heat h;
  memset(&h, 0, sizeof h);
  double *T = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  ig_heat_condition c = ig_verify_condition(mesh, "xmax");
  c.h = 50;
  c.ambient = 300;
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = IG_DOUBLE,
                               .assembly = IG_GATHER,
                               .conduction = conduction,
                               .surface = IG_HEAT_LUMPED,
                               .materials = 1,
                               .material = &material,
                               .conditions = 1,
                               .condition = &c,
                               .initial = 400,
                               .ambient = 300,
                               .leaps = true};
  IG_TRY_GOTO(status, done, ig_heat_new(cx, &setup, &h));
  IG_TRY_GOTO(status, done, ig_heat_begin(cx, &h, 0));
  const double critical = 1.8 / h.rate;
  double t = 0, leap = 10 * critical;
  for (; t < 20 * critical; t += critical)
    IG_TRY_GOTO(status, done, ig_heat_batch_step(cx, &h, critical));
  for (; t < 1 - 1e-12; leap *= 1.2) {
    leap = fmin(leap, 1 - t);
    IG_TRY_GOTO(status, done, ig_heat_batch_leap(cx, &h, leap, critical));
    t += leap;
  }
  *plain = 1 / critical;
  *taken = h.step_count;
  IG_TRY_GOTO(status, done, ig_heat_batch_run(cx, &h));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &T, mesh->nodes, "temperatures"));
  IG_TRY_GOTO(status, done, ig_heat_temperatures(cx, &h, T));
  *surface = T[cells[0]];
  ig_heat_ledger l;
  IG_TRY_GOTO(status, done, ig_heat_ledger_read(cx, &h, &l));
  *gap = ig_heat_ledger_gap(&l) / l.convected;
done:
  free(T);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_verify_dwell(ig_ctx *cx, const ig_verify_sink *sink) {
  double error[2], surface, plain, taken, gap;
  for (int i = 0; i < 2; i++)
    IG_TRY(mode_left(cx, 4 << i, &error[i]));
  ig_verify_say(sink, "order in time of long steps", "Runge-Kutta-Legendre, second order", 2,
                log2(error[0] / error[1]), 0.2, false);
  for (int form = IG_HEAT_CLASSES; form <= IG_HEAT_STENCIL; form++) {
    IG_TRY(slab_leap(cx, (ig_heat_conduction)form, &surface, &plain, &taken, &gap));
    ig_verify_say(sink, "slab under convection after 1 s, growing steps [K]", "series",
                  300 + 100 * ig_slab_series(5, 0.01, 1), surface, 0.05, false);
    ig_verify_say(sink, "energy ledger: gap over heat convected", "conservation", 0, gap, 1e-11,
                  false);
  }
  ig_verify_say(sink, "evaluations over those of plain steps", "at most half", 0, taken / plain,
                0.5, false);
  return IG_OK;
}
