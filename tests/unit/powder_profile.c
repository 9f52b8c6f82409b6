/* Profiles of the powder bed's beam: what cells receive, against sums of the intensity over them;
   the whole power, on any path; conductivity of the melt. */
#include "one_context.h"
#include "powder_case.h"

#include "kern/prec_f64.h"
#include "powder/level.inc"
#include "powder/tables.inc"
#include "powder/beam.inc"

#include <math.h>
#include <string.h>

enum { GAUSSIAN, ORDER, RING, TOP, PROFILES };
static double flat[2] = {1, 1}, distance[2] = {0, 50e-6};

static ig_powder_case with(int profile) {
  ig_powder_case c = small();
  c.beam.radius = 40e-6;
  c.grid.window[0] = NAN;
  if (profile == ORDER)
    c.beam.order = 6;
  if (profile == RING)
    c.beam.ring = (ig_profile_ring){{.given = true}, 60e-6, 15e-6, 0.7};
  if (profile == TOP)
    c.beam.profile = (ig_table){2, distance, flat};
  return c;
}

/* Watts per area of a watt at distance r, by hand. */
static double intensity(int profile, double r) {
  const double a = 40e-6;
  if (profile == TOP)
    return r < 50e-6 ? 1 / (M_PI * 50e-6 * 50e-6) : 0;
  if (profile == ORDER) /* 2 pi int r exp(-2 (r/a)^6) dr = pi a^2 2^(-1/3) Gamma(4/3) */
    return exp(-2 * pow(r / a, 6)) / (M_PI * a * a * 0.79370052598409974 * 0.89297951156924922);
  const double core = 2 / (M_PI * a * a) * exp(-2 * r * r / (a * a));
  if (profile == GAUSSIAN)
    return core;
  /* a ring far from the axis: its circle times the width of the Gaussian across it */
  const double R = 60e-6, w = 15e-6, off = (r - R) / w;
  return 0.3 * core + 0.7 * exp(-2 * off * off) / (2 * M_PI * R * w * sqrt(M_PI / 2));
}

/* A column's watts by 40 x 40 points. */
static double by_points(int profile, double h, double x, double y) {
  enum { N = 40 };
  double sum = 0;
  for (int n = 0; n < N * N; n++)
    sum += intensity(profile,
                     hypot(x + h * ((n % N + 0.5) / N - 0.5), y + h * ((n / N + 0.5) / N - 0.5)));
  return sum * h * h / (N * N);
}

static double share_of(const ig_powder_view *v, int i, int j, const double *x) {
  const double h = v->w.fine.edge;
  return v->within ? powder_share_within(v, i, j, x)
                   : powder_share(i, v->w.fine.n[0], v->low[0], h, x[0], v->radius) *
                         powder_share(j, v->w.fine.n[1], v->low[1], h, x[1], v->radius);
}

/* A beam beside the middle of a cell, and one whose light the bed's corner cuts. */
static void shares_are_integrals(void **state) {
  (void)state;
  for (int profile = 0; profile < PROFILES; profile++) {
    const ig_powder_case c = with(profile);
    ig_powder_run r;
    ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
    assert_int_equal(ig_powder_open(&job, &r), IG_OK);
    ig_powder_view v = r.view;
    v.w.fine.edge = r.cell;
    for (int d = 0; d < 3; d++)
      v.w.fine.n[d] = (int)r.nf[d];
    const double place[2][2] = {{0.153e-3, 0.146e-3}, {v.low[0] + 7e-6, v.low[1] + 11e-6}};
    for (int p = 0; p < 2; p++) {
      double all = 0, whole = 0, most = 0, worst = 0;
      for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < v.w.fine.n[1]; j++)
          for (int i = 0; i < v.w.fine.n[0]; i++) {
            const double right =
                by_points(profile, r.cell, v.low[0] + (i + 0.5) * r.cell - place[p][0],
                          v.low[1] + (j + 0.5) * r.cell - place[p][1]);
            if (pass == 0) {
              whole += right, most = fmax(most, right);
              continue;
            }
            const double share = share_of(&v, i, j, place[p]);
            assert_true(share >= 0);
            all += share;
            worst = fmax(worst, fabs(share - right / whole));
          }
      assert_float_equal(all, 1, 1e-12);
      assert_float_equal(whole, 1, p ? 1 : 2e-3);
      assert_true(worst < 2e-3 * most / whole);
    }
    ig_powder_close(&r);
  }
}

/* All that is sent and absorbed arrives, less what the plume takes; the balance closes. */
static void power_arrives(void **state) {
  (void)state;
  for (int profile = 0; profile < PROFILES; profile++)
    for (int fits = 0; fits < 2; fits++) {
      ig_powder_case c = with(profile);
      ig_powder_run r;
      ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
      c.beam.powder_absorptivity = NAN;
      c.beam.loss = 0.1;
      c.hatch.layers = 1;
      c.hatch.power = 20;
      c.grid.margin = 40e-6; /* light beyond the sides goes into what is there */
      c.grid.window[0] = fits ? NAN : 5e-3;
      c.grid.window[1] = 5e-3;
      double sent = 0;
      ig_toolpath path;
      assert_int_equal(ig_powder_path(cx, &c, 0, &path), IG_OK);
      for (int64_t i = 0; i + 1 < path.count; i++)
        sent += path.power[i] * (path.t[i + 1] - path.t[i]);
      ig_toolpath_free(&path);
      assert_int_equal(ig_powder_open(&job, &r), IG_OK);
      while (r.time < r.duration)
        assert_int_equal(ig_powder_advance(&r), IG_OK);
      assert_int_equal(ig_powder_pull(&r, ~0u), IG_OK);
      assert_float_equal(r.ledger.source, 0.9 * 0.4 * sent, 1e-10 * sent);
      assert_float_equal(ig_powder_gap(&r), 0, 1e-11 * sent);
      assert_int_equal(isnan(ig_powder_enthalpy(&r, &r.line_of[0])), profile >= RING);
      ig_powder_close(&r);
    }
}

/* Melt conducts more, solid and powder as before, and the step follows. */
static void melt_conducts(void **state) {
  (void)state;
  ig_powder_case c = small();
  ig_powder_run r, s;
  ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
  assert_int_equal(ig_powder_open(&job, &r), IG_OK);
  c.liquid_conductivity = 3;
  assert_int_equal(ig_powder_open(&job, &s), IG_OK);
  const double T[3] = {1400, 1550, 2000}, more[3] = {1, 2, 3};
  for (int i = 0; i < 3; i++) {
    const double heat = ig_powder_table_heat(r.tables, T[i]);
    assert_float_equal(ig_powder_table_resist(r.tables, heat, 1) /
                           ig_powder_table_resist(s.tables, heat, 1),
                       more[i], 5e-3 * more[i]);
    assert_float_equal(ig_powder_table_resist(s.tables, heat, 0), 1, 1e-12);
  }
  assert_float_equal(r.dt_fine / s.dt_fine, 3, 1e-2);
  ig_powder_close(&r);
  ig_powder_close(&s);
}

static void refused(const ig_powder_case *c, const char *why) {
  ig_powder_run r;
  ig_job job = {.cx = cx, .materials = &materials, .room_case = c};
  assert_int_equal(ig_powder_open(&job, &r), IG_INPUT);
  assert_non_null(strstr(ig_ctx_message(cx), why));
  ig_powder_close(&r);
}
static void what_is_wrong_is_said(void **state) {
  (void)state;
  ig_powder_case c = with(RING);
  c.beam.order = 4;
  refused(&c, "one of `order`, `ring` and `profile`");
  c = with(TOP);
  c.beam.profile.count = 1;
  refused(&c, "2 to 32 rows");
  c = boiling();
  c.beam.order = 4;
  refused(&c, "a keyhole is that of a Gaussian beam");
  c = small();
  c.liquid_conductivity = 2;
  metal.liquidus = NAN;
  metal.latent_heat = 0;
  refused(&c, "liquid_conductivity");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_integrals), cmocka_unit_test(power_arrives),
      cmocka_unit_test(melt_conducts), cmocka_unit_test(what_is_wrong_is_said)};
  return cmocka_run_group_tests(tests, open_context, close_context);
}
