/* Cohesive laws at a point: strengths, energies, unloading, contact, friction. */
#include "check.h"
#include "material/cohesive.h"
#include "kern/prec_f64.h"
#include "material/cohesive.inc"

static const double K = 1e20; /* stiff enough for the ramp not to count */

static ig_cohesive law(int kind, double ratio, double alpha, double beta) {
  return ig_cohesive_ready((ig_cohesive){.kind = kind,
                                         .phi_n = 300,
                                         .phi_t = 300 * ratio,
                                         .sigma = 3e8,
                                         .tau = 2.5e8,
                                         .alpha = alpha,
                                         .beta = beta});
}

/* Work of opening along a straight path to D (in n and t) in small steps. */
static double work(const ig_cohesive *l, double D_n, double D_t, int steps) {
  double max[2] = {0, 0}, D[2] = {0, 0}, T[2], before[2], last[2] = {0, 0}, sum = 0;
  FN(cohesive_point)(l, 2, 1, K, D, D, last, max, last);
  for (int i = 1; i <= steps; i++) {
    before[0] = D[0], before[1] = D[1];
    D[0] = D_n * i / steps;
    D[1] = D_t * i / steps;
    FN(cohesive_point)(l, 2, 1, K, D, before, last, max, T);
    for (int d = 0; d < 2; d++) {
      sum += 0.5 * (T[d] + last[d]) * (D[d] - before[d]);
      last[d] = T[d];
    }
  }
  return sum;
}

static void energies(void **state) {
  (void)state;
  static const double shapes[][2] = {{2, 2}, {1.5, 3}, {5, 1.2}};
  static const double ratios[] = {0.5, 1, 2};
  for (int kind = 0; kind < 2; kind++)
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < (kind ? 1 : 3); s++) {
        const ig_cohesive l = law(kind, ratios[r], shapes[s][0], shapes[s][1]);
        const double far = 2e-5;
        assert_float_equal(work(&l, far, 0, 400000) / l.phi_n, 1, 2e-4);
        assert_float_equal(work(&l, 0, far, 400000) / l.phi_t, 1, 2e-4);
        assert_float_equal(work(&l, 0, -far, 400000) / l.phi_t, 1, 2e-4);
      }
}

/* On a proportional path PPR gives between the two energies; equal energies and exponents give the
   same for every mode only where the potential says so: compare with the potential itself. */
static void mixed_mode_follows_the_potential(void **state) {
  (void)state;
  const ig_cohesive l = law(IG_COHESIVE_PPR, 1, 2, 2);
  const double dn = 2 * l.phi_n / l.sigma, dt = 2 * l.phi_t / l.tau;
  const double D_n = 0.4 * dn, D_t = 0.3 * dt;
  const double psi = l.phi_n - l.phi_n * pow(1 - 0.4, 2) * pow(1 - 0.3, 2);
  assert_float_equal(work(&l, D_n, D_t, 1000000) / psi, 1, 2e-5);
  const ig_cohesive c = law(IG_COHESIVE_LINEAR, 1, 2, 2);
  const double w = work(&c, 1e-4, 1e-4, 400000); /* one energy for every mixture */
  assert_float_equal(w / c.phi_n, 1, 2e-4);
}

static void tractions_start_at_the_strengths(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    const ig_cohesive l = law(kind, 1.3, 2, 2);
    for (double f = 0.5; f < 2; f += 0.5) {
      double max[2] = {0, 0}, T[2], zero[2] = {0, 0}, D[2] = {1.0001 * f * l.sigma / K, 0};
      D[0] *= kind ? fmax(1, l.tau * l.tau / (l.sigma * l.sigma) / 1.3) : 1;
      FN(cohesive_point)(&l, 2, f, K, D, zero, zero, max, T);
      assert_float_equal(T[0] / (f * l.sigma), 1, 1e-3);
    }
  }
}

static void unloading_is_straight_and_gives_back_the_triangle(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++)
    for (int mode = 0; mode < 2; mode++) {
      const ig_cohesive l = law(kind, 1, 2, 2);
      double max[2] = {0, 0}, zero[2] = {0, 0}, D[2] = {0, 0}, T[2], top[2];
      D[mode] = 5e-7;
      FN(cohesive_point)(&l, 2, 1, K, D, zero, zero, max, top);
      assert_true(top[mode] > 0.3 * l.tau);
      for (int i = 0; i <= 10; i++) {
        double back[2] = {0, 0};
        back[mode] = 5e-7 * (10 - i) / 10;
        FN(cohesive_point)(&l, 2, 1, K, back, D, top, max, T);
        assert_float_equal(T[mode] / top[mode], (10 - i) / 10.0, 2e-3);
      }
      FN(cohesive_point)(&l, 2, 1, K, D, zero, zero, max, T); /* and up again */
      assert_float_equal(T[mode], top[mode], 1e-9 * top[mode]);
    }
}

/* The ramp has the stiffness k in both modes, however much weaker shear is: a point holds T = k D
   until T_n^2 / sigma^2 + T_t^2 / tau^2 = 1, and breaking it in shear takes phi_t + tau^2 / 2k.
   With a ramp of tau^2 / 2k = phi_t / 8 and one secant for both modes it would take 5 times phi_t.
 */
static void ramps_are_as_stiff_in_shear(void **state) {
  (void)state;
  ig_cohesive l = law(IG_COHESIVE_LINEAR, 1, 2, 2);
  l.tau = 0.2 * l.sigma;
  l.phi_t = 0.4 * l.phi_n;
  l = ig_cohesive_ready(l); /* soft: 0.1 */
  const double k = 4 * l.tau * l.tau / l.phi_t, zero[2] = {0, 0};
  for (int i = 0; i <= 8; i++) {
    const double angle = i * acos(0) / 8, t[2] = {l.sigma * cos(angle), l.tau * sin(angle)};
    double max[2] = {0, 0}, T[2], off[2];
    const double D[2] = {0.999 * t[0] / k, 0.999 * t[1] / k};
    FN(cohesive_point)(&l, 2, 1, k, D, D, zero, max, T);
    for (int d = 0; d < 2; d++)
      assert_float_equal(T[d], k * D[d], 1e-12 * l.sigma);
    assert_true(max[0] == 0);
    FN(cohesive_offset)(&l, 2, 1, k, t, off); /* and a facet begins with the traction given */
    FN(cohesive_point)(&l, 2, 1, k, off, off, zero, max, T);
    for (int d = 0; d < 2; d++)
      assert_float_equal(T[d], t[d], 1e-12 * l.sigma);
  }
  const double phi[2] = {l.phi_n, l.phi_t}, strength[2] = {l.sigma, l.tau};
  for (int mode = 0; mode < 2; mode++) {
    double max[2] = {0, 0}, last = 0, sum = 0;
    const double end = 2 * phi[mode] / strength[mode] + strength[mode] / k;
    for (int i = 1; i <= 4000; i++) {
      double D[2] = {0, 0}, T[2];
      D[mode] = 1.001 * end * i / 4000;
      FN(cohesive_point)(&l, 2, 1, k, D, D, zero, max, T);
      sum += 0.5 * (T[mode] + last) * 1.001 * end / 4000;
      last = T[mode];
    }
    assert_true(last == 0);
    const double all = phi[mode] + 0.5 * strength[mode] * strength[mode] / k;
    assert_float_equal(sum / all, 1, 1e-5);
  }
}

/* Sheared beyond its strength, opened, and closed by way of shear or of tension first: no cycle
   gives more than it took. */
static void no_cycle_of_soft_shear_gives_energy(void **state) {
  (void)state;
  ig_cohesive l = law(IG_COHESIVE_LINEAR, 0.3, 2, 2);
  l.tau = 0.1 * l.sigma;
  l = ig_cohesive_ready(l);
  const double k = 3 * l.sigma * l.sigma / l.phi_n, d = 2 * l.phi_n / l.sigma, zero[2] = {0, 0};
  static const double corner[][2] = {{0, 0},    {0, 0.6},    {0.3, 0.6}, {0, 0.6},
                                     {0, 0},    {0.3, 0.6},  {0.3, 0},   {0, 0},
                                     {0, -0.5}, {0.4, -0.5}, {0, 0.7},   {0, 0}};
  double max[2] = {0, 0}, D[2] = {0, 0}, last[2] = {0, 0}, T[2], sum = 0;
  for (size_t c = 1; c < sizeof corner / sizeof *corner; c++) {
    for (int i = 1; i <= 2000; i++) {
      double next[2];
      for (int a = 0; a < 2; a++)
        next[a] = d * (corner[c - 1][a] + (corner[c][a] - corner[c - 1][a]) * i / 2000);
      const double was = max[0];
      FN(cohesive_point)(&l, 2, 1, k, next, D, zero, max, T);
      assert_true(max[0] >= was && T[1] * next[1] >= 0);
      for (int a = 0; a < 2; a++) {
        sum += 0.5 * (T[a] + last[a]) * (next[a] - D[a]);
        D[a] = next[a];
        last[a] = T[a];
      }
    }
    assert_true(sum - 0.5 * (T[0] * D[0] + T[1] * D[1]) > -1e-6 * l.phi_t);
  }
}

static void a_failed_point_only_pushes_and_rubs(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    ig_cohesive l = law(kind, 1, 2, 2);
    double max[2] = {0, 0}, zero[2] = {0, 0}, T[2];
    double open[2] = {1e-4, 0}, closed[2] = {-1e-12, 1e-11}, half[2] = {1e-7, 1e-7};
    assert_true(FN(cohesive_point)(&l, 2, 1, K, open, zero, zero, max, T) == 1);
    FN(cohesive_point)(&l, 2, 1, K, half, zero, zero, max, T);
    assert_true(T[0] == 0 && T[1] == 0);
    const double pressed[2] = {-1e-12, 0}, gone[2] = {-2e-12, 0}; /* the step before */
    FN(cohesive_point)(&l, 2, 1, K, closed, pressed, zero, max, T);
    assert_float_equal(T[0], -1e-12 * K, 1);
    assert_true(T[1] == 0);
    FN(cohesive_point)(&l, 2, 1, K, closed, zero, zero, max, T); /* closing: more */
    assert_float_equal(T[0], -1.2e-12 * K, 1);
    FN(cohesive_point)(&l, 2, 1, K, closed, gone, zero, max, T); /* opening: less */
    assert_float_equal(T[0], -0.8e-12 * K, 1);
    l.rigid = 1; /* somebody else pushes */
    FN(cohesive_point)(&l, 2, 1, K, closed, zero, zero, max, T);
    assert_true(T[0] == 0 && T[1] == 0);
    l.rigid = 0;
    l.friction = 0.25;
    FN(cohesive_point)(&l, 2, 1, K, closed, pressed, zero, max, T);
    assert_float_equal(T[1], 0.25 * 1e-12 * K, 1); /* slides */
    double stick[2] = {-1e-12, 1e-14};
    FN(cohesive_point)(&l, 2, 1, K, stick, pressed, zero, max, T);
    assert_float_equal(T[1], 1e-14 * K, 1); /* holds */
  }
}

static void a_new_facet_carries_what_it_did(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    const ig_cohesive l = law(kind, 1.7, 2, 2);
    const double k = 1e15;
    const double T0[3] = {1.8e8, -0.9e8, 0.4e8};
    double D[3], T[3], max[2] = {0, 0}, still[3] = {0};
    FN(cohesive_offset)(&l, 3, 1, k, T0, D);
    FN(cohesive_point)(&l, 3, 1, k, D, D, still, max, T);
    for (int d = 0; d < 3; d++)
      assert_float_equal(T[d], T0[d], 1e-6 * fabs(T0[d]));
    const double more[3] = {9e8, 9e8, 0}; /* beyond strength: cut back, not opened */
    FN(cohesive_offset)(&l, 3, 1, k, more, D);
    max[0] = max[1] = 0;
    FN(cohesive_point)(&l, 3, 1, k, D, D, still, max, T);
    assert_true(max[0] < 1e-12 && max[1] < 1e-12);
    assert_true(T[0] <= l.sigma * 1.0001 && T[1] <= l.tau * 1.0001);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energies),
      cmocka_unit_test(mixed_mode_follows_the_potential),
      cmocka_unit_test(tractions_start_at_the_strengths),
      cmocka_unit_test(unloading_is_straight_and_gives_back_the_triangle),
      cmocka_unit_test(ramps_are_as_stiff_in_shear),
      cmocka_unit_test(no_cycle_of_soft_shear_gives_energy),
      cmocka_unit_test(a_failed_point_only_pushes_and_rubs),
      cmocka_unit_test(a_new_facet_carries_what_it_did)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
