/* Verification: what beams deposit, and the fields and melt pools that follow. */
#include "verify/thermal/verify.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A plate at rest in the beams of straight tracks. */
typedef struct {
  ig_mesh_case mesh;
  const ig_material_case *material;
  ig_precision precision;
  ig_heat_conduction conduction;
  int beams;
  ig_beam_case beam[2];
  double from[2][3], to[2][3], power[2]; /* a track each */
  double initial, time;
  int steps;       /* 0: as many as stability asks for */
  double along[2]; /* for the melt pool, if the material melts */
} plate;

typedef struct {
  ig_thermal_problem problem;
  ig_beams beams;
  ig_heat_survey survey;
} plate_state;

static void plate_free(ig_ctx *cx, plate_state *s) {
  ig_beams_free(cx, &s->beams);
  ig_thermal_problem_free(&s->problem);
}

/* absorptivity: {0, value}, which must live as long as the case. */
static ig_beam_case beam_of(ig_beam_model model, double radius, double depth,
                            double *absorptivity) {
  return (ig_beam_case){.normalise = true,
                        .model = (int)model,
                        .radius = radius,
                        .depth = model == IG_BEAM_SURFACE ? NAN : depth,
                        .front = NAN,
                        .rear = NAN,
                        .absorptivity = {1, &absorptivity[0], &absorptivity[1]},
                        .reach = NAN};
}

/* The state at the end; freed by the caller, whatever happens. */
static ig_status plate_run(ig_ctx *cx, const plate *p, plate_state *s) {
  memset(s, 0, sizeof *s);
  ig_toolpath path[2];
  memset(path, 0, sizeof path);
  const ig_list cases = {p->beams, (void *)p->beam};
  ig_heat *h = &s->problem.heat;
  ig_heat_setup *setup = &s->problem.setup;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_problem_mesh(cx, &p->mesh, &s->problem));
  for (int b = 0; b < p->beams; b++) {
    IG_TRY_GOTO(status, done, ig_toolpath_add(cx, &path[b], 0, p->from[b], p->power[b]));
    IG_TRY_GOTO(status, done, ig_toolpath_add(cx, &path[b], p->time, p->to[b], 0));
  }
  const bool melts = !isnan(p->material->liquidus);
  s->problem.material = p->material;
  setup->precision = p->precision;
  setup->conduction = p->conduction;
  setup->enthalpy = true;
  setup->initial = setup->ambient = p->initial;
  setup->track = melts ? 1 << 30 : 0;
  IG_TRY_GOTO(status, done, ig_thermal_problem_start(&s->problem));
  IG_TRY_GOTO(
      status, done,
      ig_beams_new(cx, &cases, path, h, p->material, p->initial, 0, s->problem.mesh, &s->beams));
  const int steps = p->steps ? p->steps : (int)ceil(p->time / (0.9 * 2 / h->limit.rate));
  for (int i = 0; i < steps; i++) {
    IG_TRY_GOTO(status, done,
                ig_beams_step(cx, &s->beams, h, i * p->time / steps, p->time / steps));
    IG_TRY_GOTO(status, done, ig_heat_batch_step(cx, h, p->time / steps));
    if (i % 256 == 255 || i + 1 == steps) {
      IG_TRY_GOTO(status, done, ig_beams_power(cx, &s->beams, h));
      IG_TRY_GOTO(status, done, ig_heat_batch_run(cx, h));
    }
  }
  IG_TRY_GOTO(status, done, ig_fault_check(cx, "node", NULL));
  IG_TRY_GOTO(status, done, ig_thermal_problem_read(&s->problem));
  const ig_heat_question q = {.melt = melts, .along = {p->along[0], p->along[1]}};
  status = ig_heat_ask(cx, h, &q, &s->survey);
done:
  for (int b = 0; b < p->beams; b++)
    ig_toolpath_free(&path[b]);
  return status;
}

/* --- moving sources on a half-space */

/* Integrals over the time since emission, with tau = s^2 to make them smooth. */
typedef struct {
  double power, rho_c, alpha, v, t; /* absorbed W; m/s; s */
  double sigma;                     /* surface Gaussian; 0: an ellipsoid */
  double a[3];                      /* its semi-axes */
} moving;
static double moving_field(const moving *m, double x, double y, double z) {
  const int n = 3000;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double s = sqrt(m->t) * (i + 0.5) / n, tau = s * s, r = x + m->v * tau;
    if (m->sigma > 0) {
      const double wide = 2 * m->alpha * tau + m->sigma * m->sigma;
      sum += 2 * s / sqrt(4 * M_PI * m->alpha * tau) / wide / M_PI *
             exp(-(r * r + y * y) / (2 * wide) - z * z / (4 * m->alpha * tau));
    } else {
      double f[3];
      for (int d = 0; d < 3; d++)
        f[d] = 12 * m->alpha * tau + m->a[d] * m->a[d];
      sum += 2 * s * 2 * pow(3 / M_PI, 1.5) / sqrt(f[0] * f[1] * f[2]) *
             exp(-3 * (r * r / f[0] + y * y / f[1] + z * z / f[2]));
    }
  }
  return m->power / m->rho_c * sum * sqrt(m->t) / n;
}

/* How far from the beam the field is above a rise, along an axis: the first place below it. */
static double moving_reach(const moving *m, int axis, double sign, double x0, double rise) {
  double low = 0, high = 0.5e-3;
  for (int i = 0; i < 80; i++) {
    double at[3] = {x0, 0, 0};
    const double middle = i < 40 && low == 0 ? high : 0.5 * (low + high);
    at[axis] += sign * middle;
    if (moving_field(m, at[0], at[1], at[2]) > rise) {
      if (middle == high && low == 0) {
        high *= 2;
        continue;
      }
      low = middle;
    } else {
      high = middle;
      if (low == 0)
        low = 1e-12;
    }
    if (i >= 40 && high - low < 1e-7)
      break;
  }
  return 0.5 * (low + high);
}

static plate thick_plate(ig_box_case *box, const ig_material_case *material) {
  plate p = {.mesh = {.boxes = {1, box}},
             .material = material,
             .precision = IG_SINGLE,
             .conduction = IG_HEAT_STENCIL,
             .beams = 1,
             .from = {{5e-3, 7e-3, 7e-3}},
             .to = {{20e-3, 7e-3, 7e-3}},
             .power = {200},
             .initial = 300,
             .time = 0.75,
             .steps = 300,
             .along = {1, 0}};
  return p;
}

static double at_place(const plate_state *s, double x, double y, double z) {
  const int i = (int)lround((20e-3 + x) / 0.25e-3), j = (int)lround((7e-3 + y) / 0.25e-3),
            k = 28 - (int)lround(z / 0.25e-3);
  return s->problem.T[i + 105 * (j + 57 * k)] - 300;
}

ig_status ig_verify_beam(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double at[][3] = {{0, 0, 0}, {-2e-3, 0, 0}, {-2e-3, 1e-3, 0}, {-1e-3, 0, 1e-3}};
  static const char *const source[] = {"Eagar-Tsai", "ellipsoid on a half-space"};
  ig_simple_metal metal;
  ig_box_case box = {.size = IG_ROW(26e-3, 14e-3, 7e-3), .cells = IG_ROW(104, 56, 28)};
  plate p = thick_plate(&box, ig_simple_metal_of(&metal, 8000, 500, 20));
  metal.m.solidus = metal.m.liquidus = 500; /* for the size of the pool alone */
  moving m = {.power = 100,
              .rho_c = 8000 * 500.,
              .alpha = 20 / (8000 * 500.),
              .v = 0.02,
              .t = 0.75,
              .sigma = 0.5e-3,
              .a = {1e-3, 1e-3, 0.75e-3}};
  for (int model = IG_BEAM_SURFACE; model <= IG_BEAM_GAUSSIAN; model++) {
    plate_state s;
    p.beam[0] = beam_of((ig_beam_model)model, 1e-3, 0.75e-3, (double[]){0, 0.5});
    m.sigma = model == IG_BEAM_SURFACE ? 0.5e-3 : 0;
    ig_status status = plate_run(cx, &p, &s);
    for (int i = 0; i < 4 && status == IG_OK; i++) {
      char text[96];
      snprintf(text, sizeof text, "T - T0 at %.0f %.0f %.0f mm from the beam [K]", 1e3 * at[i][0],
               1e3 * at[i][1], -1e3 * at[i][2]);
      ig_verify_say(sink, text, source[model], moving_field(&m, at[i][0], at[i][1], at[i][2]),
                    at_place(&s, at[i][0], at[i][1], at[i][2]), 0.03, true);
    }
    if (status == IG_OK && model == IG_BEAM_SURFACE) {
      const double R = 4e-3; /* straight behind the exponent is zero */
      ig_verify_say(sink, "T - T0 4 mm behind the beam [K]", "Rosenthal, R = 4 radii",
                    m.power / (2 * M_PI * 20 * R), at_place(&s, -R, 0, 0), 0.06, true);
      const double behind = moving_reach(&m, 0, -1, 0, 200), ahead = moving_reach(&m, 0, 1, 0, 200);
      double wide = 0, deep = 0;
      for (int i = 0; i <= 40; i++) {
        const double x = -behind * i / 40;
        wide = fmax(wide, moving_reach(&m, 1, 1, x, 200));
        deep = fmax(deep, moving_reach(&m, 2, 1, x, 200));
      }
      const double want[3] = {behind + ahead, 2 * wide, deep};
      static const char *const size[] = {"length of the pool [m]", "width of the pool [m]",
                                         "depth of the pool [m]"};
      for (int d = 0; d < 3; d++)
        ig_verify_say(sink, size[d], "Eagar-Tsai's isotherm", want[d],
                      s.survey.high[IG_SURVEY_POOL + d] - s.survey.low[IG_SURVEY_POOL + d], 0.03,
                      true);
    }
    plate_free(cx, &s);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- every model on every kind of mesh */

/* Mean place and spread of what one step put into the nodes, about the beam. */
static ig_status moments(const ig_thermal_problem *s, const double *at, double *mean,
                         double *spread) {
  double all = 0, *volume;
  IG_TRY(ig_thermal_problem_volumes(s, &volume));
  memset(mean, 0, 3 * sizeof *mean);
  memset(spread, 0, 3 * sizeof *spread);
  for (ig_lid n = 0; n < s->mesh->nodes; n++) {
    const double heat = volume[n] * (s->T[n] - 300);
    all += heat;
    for (int d = 0; d < 3; d++) {
      const double r = s->mesh->x[3 * (int64_t)n + d] - at[d];
      mean[d] += heat * r;
      spread[d] += heat * r * r;
    }
  }
  for (int d = 0; d < 3; d++) {
    mean[d] /= all;
    spread[d] = sqrt(spread[d] / all);
  }
  free(volume);
  return IG_OK;
}

ig_status ig_verify_sources(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const model[] = {"surface", "gaussian", "goldak", "cylinder"};
  ig_simple_metal metal;
  const double R = 1e-3, depth = 0.8e-3;
  const struct {
    const char *name;
    ig_reals cells, grading;
    double jitter;
  } meshes[] = {{"coarse", IG_ROW(4, 4, 2), {0, NULL}, 0},
                {"fine", IG_ROW(32, 32, 16), {0, NULL}, 0},
                {"graded", IG_ROW(16, 14, 10), IG_ROW(4, 0.3, 0.2), 0},
                {"distorted", IG_ROW(16, 16, 8), {0, NULL}, 0.2}};
  for (int k = 0; k < 4; k++)
    for (int b = 0; b < 4; b++) {
      ig_box_case box = {
          .size = IG_ROW(8e-3, 8e-3, 4e-3), .cells = meshes[k].cells, .grading = meshes[k].grading};
      plate p = {.mesh = {.boxes = {1, &box},
                          .jitter = {.at = {.given = meshes[k].jitter > 0},
                                     .amount = meshes[k].jitter,
                                     .seed = 11}},
                 .material = ig_simple_metal_of(&metal, 8000, 500, 1e-6),
                 .precision = IG_DOUBLE,
                 .conduction = IG_HEAT_RECOMPUTE,
                 .beams = 1,
                 .beam = {beam_of((ig_beam_model)b, R, depth, (double[]){0, 0.37})},
                 .from = {{4.1e-3, 3.9e-3, 4e-3}},
                 .to = {{4.1e-3 + 1e-6, 3.9e-3, 4e-3}},
                 .power = {321},
                 .initial = 300,
                 .time = 1e-3,
                 .steps = 1};
      p.beam[0].front = b == IG_BEAM_GOLDAK ? 0.8e-3 : NAN;
      p.beam[0].rear = b == IG_BEAM_GOLDAK ? 1.6e-3 : NAN;
      plate_state s;
      ig_status status = plate_run(cx, &p, &s);
      char text[96];
      if (status == IG_OK) {
        snprintf(text, sizeof text, "%s beam, %s mesh: heat deposited [J]", model[b],
                 meshes[k].name);
        ig_verify_say(sink, text, "absorptivity x power x time", 0.37 * 321 * 1e-3,
                      s.survey.sum[IG_LEDGER_SOURCE], 1e-12, true);
      }
      double mean[3], spread[3];
      if (status == IG_OK && k == 1) /* its shape, where the mesh can show it */
        status = moments(&s.problem, p.from[0], mean, spread);
      if (status == IG_OK && k == 1) {
        const double side = b == IG_BEAM_SURFACE || b == IG_BEAM_CYLINDER ? R / 2 : R / sqrt(6);
        snprintf(text, sizeof text, "%s beam: spread across [m]", model[b]);
        ig_verify_say(sink, text, "moment of its intensity", side, spread[1], 0.05, true);
        const double down[] = {0, depth / sqrt(6), depth / sqrt(6), depth / sqrt(3)};
        snprintf(text, sizeof text, "%s beam: spread in depth [m]", model[b]);
        ig_verify_say(sink, text, "moment of its intensity", down[b], spread[2],
                      b == IG_BEAM_SURFACE ? 1e-9 : 0.07 * down[b], false);
        if (b == IG_BEAM_GOLDAK) /* halves as heavy as they are long */
          ig_verify_say(sink, "goldak beam: centre of heat, along [m]", "moment of its intensity",
                        (0.8e-3 - 1.6e-3) / sqrt(3 * M_PI), mean[0], 2e-5, false);
      }
      plate_free(cx, &s);
      IG_TRY(status);
    }
  return IG_OK;
}

/* --- several lasers */

ig_status ig_verify_lasers(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_simple_metal metal;
  ig_box_case box = {.size = IG_ROW(10e-3, 6e-3, 2e-3), .cells = IG_ROW(20, 12, 4)};
  plate p = {.mesh = {.boxes = {1, &box}},
             .material = ig_simple_metal_of(&metal, 8000, 500, 20),
             .precision = IG_DOUBLE,
             .conduction = IG_HEAT_CLASSES,
             .beam = {beam_of(IG_BEAM_SURFACE, 0.8e-3, NAN, (double[]){0, 0.4}),
                      beam_of(IG_BEAM_GAUSSIAN, 1e-3, 0.7e-3, (double[]){0, 0.3})},
             .from = {{2e-3, 2.5e-3, 2e-3}, {8e-3, 3.5e-3, 2e-3}},
             .to = {{8e-3, 2.5e-3, 2e-3}, {2e-3, 3.5e-3, 2e-3}}, /* they meet half-way */
             .power = {150, 220},
             .initial = 300,
             .time = 0.4};
  plate_state s[3];
  memset(s, 0, sizeof s);
  p.beams = 2;
  ig_status status = plate_run(cx, &p, &s[0]);
  p.beams = 1;
  if (status == IG_OK)
    status = plate_run(cx, &p, &s[1]);
  p.beam[0] = p.beam[1];
  p.power[0] = p.power[1];
  memcpy(p.from[0], p.from[1], sizeof p.from[0]);
  memcpy(p.to[0], p.to[1], sizeof p.to[0]);
  if (status == IG_OK)
    status = plate_run(cx, &p, &s[2]);
  if (status == IG_OK) {
    double worst = 0, most = 0;
    for (ig_lid n = 0; n < s[0].problem.mesh->nodes; n++) {
      worst = fmax(worst, fabs(s[0].problem.T[n] + 300 - s[1].problem.T[n] - s[2].problem.T[n]));
      most = fmax(most, s[0].problem.T[n] - 300);
    }
    ig_verify_say(sink, "two at once less one and the other, over the rise",
                  "superposition, constant properties", 0, worst / most, 1e-11, false);
    ig_verify_say(sink, "heat deposited by both [J]", "sum of absorptivity x power x time",
                  0.4 * (0.4 * 150 + 0.3 * 220), s[0].survey.sum[IG_LEDGER_SOURCE], 1e-12, true);
  }
  for (int i = 0; i < 3; i++)
    plate_free(cx, &s[i]);
  return status;
}

/* --- NIST AM-Bench 2018-02: single tracks on bare IN625, the three cases a conduction model can
   aim at (Lane and others 2020). Absorptivity 0.34 and a source as deep as 0.28 of its width, as
   another finite-element study chose; IN625 as in materials/IN625.yaml. */

ig_status ig_verify_ambench(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name;
    double power, speed, size[3]; /* W, m/s; length, width, depth, m */
  } track[] = {{"A", 137.9, 0.4, {300e-6, 148e-6, 42e-6}},
               {"B", 179.2, 0.8, {359e-6, 123e-6, 36e-6}},
               {"C", 179.2, 1.2, {370e-6, 106e-6, 30e-6}}};
  double zero[] = {0}, rho[] = {8440}, hot[] = {300, 1563, 1623}, k[] = {9.4747, 30.0616, 30.078},
         c[] = {411.62, 719.918, 709.25};
  const ig_material_case in625 = {.name = "IN625",
                                  .density = {1, zero, rho},
                                  .conductivity = {3, hot, k},
                                  .specific_heat = {3, hot, c},
                                  .solidus = 1563,
                                  .liquidus = 1623,
                                  .latent_heat = 290e3,
                                  .emissivity = NAN};
  const double sigma = 170e-6 / 4, run = 0.9e-3;
  ig_box_case box = {.size = IG_ROW(1.2e-3, 0.4e-3, 0.18e-3), .cells = IG_ROW(120, 40, 18)};
  for (int t = 0; t < 3; t++) {
    plate p = {.mesh = {.boxes = {1, &box}},
               .material = &in625,
               .precision = IG_SINGLE,
               .conduction = IG_HEAT_CLASSES,
               .beams = 1,
               .beam = {beam_of(IG_BEAM_GAUSSIAN, sqrt(6) * sigma, sqrt(6) * 0.28 * sigma,
                                (double[]){0, 0.34})},
               .from = {{0.15e-3, 0.2e-3, 0.18e-3}},
               .to = {{0.15e-3 + run, 0.2e-3, 0.18e-3}},
               .power = {track[t].power},
               .initial = 298,
               .time = run / track[t].speed,
               .along = {1, 0}};
    plate_state s;
    const ig_status status = plate_run(cx, &p, &s);
    for (int d = 0; d < 3 && status == IG_OK; d++) {
      static const char *const what[] = {"length", "width", "depth"};
      char text[96];
      snprintf(text, sizeof text, "track %s, %s of the melt pool [m]", track[t].name, what[d]);
      /* a camera's length, without flow and with one absorptivity for all: only its order counts */
      ig_verify_say(sink, text, "measured, AMB2018-02 AMMT; conduction alone", track[t].size[d],
                    s.survey.high[IG_SURVEY_POOL + d] - s.survey.low[IG_SURVEY_POOL + d],
                    d == 0 ? 0.4 : 0.2, true);
    }
    plate_free(cx, &s);
    IG_TRY(status);
  }
  return IG_OK;
}
