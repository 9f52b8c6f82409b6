/* Laws at a point: elastic slopes, yield surfaces, hardening, plane stress, hyperelasticity. */
#include "check.h"
#include "kern/prec_f64.h"
#include "material/j2.inc"
#include "kern/pack_f64.h"
#include "material/j2.inc"

static mech_f64 steel(void) {
  mech_f64 m = {.density = 7850, .young = 200e9, .poisson = 0.3, .yield = 250e6, .hardening = 2e9};
  m.shear = m.young / (2 * (1 + m.poisson));
  m.bulk = m.young / (3 * (1 - 2 * m.poisson));
  return m;
}

static double mises(const double s[6]) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* Simple shear far beyond yield: the stress stays on the surface that hardening moved. */
static void solid_stays_on_its_yield_surface(void **state) {
  (void)state;
  for (int law = IG_LAW_J2; law <= IG_LAW_TABLE; law++) {
    mech_f64 m = steel();
    m.kinematic = law == IG_LAW_KINEMATIC ? 3e9 : 0;
    m.rows = 3;
    const double strain[3] = {0, 0.01, 0.05}, stress[3] = {250e6, 300e6, 340e6};
    memcpy(m.strain, strain, sizeof strain);
    memcpy(m.stress, stress, sizeof stress);
    double s[6] = {0}, h[7] = {0};
    const double de[6] = {1e-4, -0.3e-4, -0.5e-4, 0.8e-4, 0.2e-4, -0.1e-4};
    for (int i = 0; i < 300; i++)
      assert_true(j2_solid_f64(&m, law, 1e-6, de, s, h) < 1e-5);
    double r[6], expected = 250e6 + 2e9 * h[0];
    for (int i = 0; i < 6; i++)
      r[i] = s[i] - (law == IG_LAW_KINEMATIC ? h[1 + i] : 0);
    if (law == IG_LAW_TABLE)
      expected = h[0] < 0.01   ? 250e6 + 5e9 * h[0]
                 : h[0] < 0.05 ? 300e6 + 1e9 * (h[0] - 0.01)
                               : 340e6;
    assert_true(h[0] > 0.02);
    assert_true(fabs(mises(r) / expected - 1) < 1e-6);
  }
}

/* Uniaxial tension in a solid and in a layer give the tangent modulus E H / (E + H). */
static void layer_hardens_along_its_tangent(void **state) {
  (void)state;
  const mech_f64 m = steel();
  double s[3] = {0}, h[3] = {0}, thin, last = 0, strain = 0;
  for (int i = 0; i < 400; i++) {
    const double e = 1e-5;
    /* the lateral strain that leaves no lateral stress, by bisection */
    double low = -2 * e, high = e, t[3], g[3];
    for (int k = 0; k < 60; k++) {
      const double mid = 0.5 * (low + high), de[3] = {e, mid, 0};
      memcpy(t, s, sizeof s);
      memcpy(g, h, sizeof h);
      assert_true(j2_plane_f64(&m, IG_LAW_J2, 1e-6, de, t, g, &thin) < 1e-6);
      if (t[1] > 0)
        high = mid;
      else
        low = mid;
    }
    last = t[0] - s[0];
    memcpy(s, t, sizeof s);
    memcpy(h, g, sizeof h);
    strain += e;
  }
  const double tangent = 200e9 * 2e9 / (202e9);
  assert_true(fabs(last / 1e-5 / tangent - 1) < 1e-3);
  assert_true(fabs(s[0] / (250e6 + 2e9 * h[0]) - 1) < 1e-6);
  assert_true(fabs(strain - s[0] / 200e9 - h[0]) < 1e-9);
}

/* The fast return for linear hardening and the general one by table agree. */
static void two_plane_returns_agree(void **state) {
  (void)state;
  mech_f64 m = steel();
  m.rows = 2;
  m.strain[1] = 1;
  m.stress[0] = 250e6;
  m.stress[1] = 250e6 + 2e9;
  double a[3] = {0}, b[3] = {0}, ha[3] = {0}, hb[3] = {0}, ta, tb;
  for (int i = 0; i < 200; i++) {
    const double de[3] = {2e-4 * sin(0.1 * i), 1e-4 * cos(0.13 * i), 1e-4 * sin(0.07 * i + 1)};
    assert_true(j2_plane_f64(&m, IG_LAW_J2, 1e-6, de, a, ha, &ta) < 1e-6);
    assert_true(j2_plane_f64(&m, IG_LAW_TABLE, 1e-6, de, b, hb, &tb) < 1e-4);
    for (int k = 0; k < 3; k++)
      assert_true(fabs(a[k] - b[k]) < 1e-6 * 250e6);
    assert_true(fabs(ha[0] - hb[0]) < 1e-9);
    assert_true(fabs(ta - tb) < 1e-9);
  }
  assert_true(ha[0] > 1e-3);
}

/* Plane stress with a back stress: the stress lies on the yield surface that moved with it, and a
   uniaxial cycle is that of the law along a line. */
static void back_stress_moves_the_surface(void **state) {
  (void)state;
  mech_f64 m = steel();
  m.kinematic = 8e9;
  double s[3] = {0}, h[4] = {0}, thin;
  for (int i = 0; i < 300; i++) {
    const double de[3] = {3e-4 * sin(0.05 * i), 2e-4 * cos(0.07 * i), 2e-4 * sin(0.03 * i + 1)};
    const double before = h[0];
    assert_true(j2_plane_f64(&m, IG_LAW_KINEMATIC, 1e-6, de, s, h, &thin) < 1e-6);
    const double a = s[0] - h[1], b = s[1] - h[2], c = s[2] - h[3];
    const double q = sqrt(a * a - a * b + b * b + 3 * c * c), sy = 250e6 + 2e9 * h[0];
    assert_true(h[0] > before ? fabs(q / sy - 1) < 1e-4 : q < sy * (1 + 1e-9));
  }
  assert_true(h[0] > 1e-2);
  double p[3] = {0}, g[4] = {0}, line = 0, k[2] = {0};
  for (int i = 0; i < 400; i++) {
    const double e = 6e-5 * (i % 200 < 100 ? 1 : -1);
    double low = -6e-5, high = 6e-5, t[3], w[4]; /* no lateral stress, by bisection */
    for (int j = 0; j < 60; j++) {
      const double mid = 0.5 * (low + high), de[3] = {e, mid, 0};
      memcpy(t, p, sizeof p);
      memcpy(w, g, sizeof g);
      assert_true(j2_plane_f64(&m, IG_LAW_KINEMATIC, 1e-6, de, t, w, &thin) < 1e-6);
      if (t[1] > 0)
        high = mid;
      else
        low = mid;
    }
    memcpy(p, t, sizeof p);
    memcpy(g, w, sizeof g);
    assert_true(j2_line_f64(&m, IG_LAW_KINEMATIC, e, &line, k) == 0);
    assert_true(fabs(p[0] - line) < 2e-3 * 250e6);
  }
  assert_true(k[0] > 1e-3 && fabs(g[0] / k[0] - 1) < 5e-3);
}

/* Johnson and Cook: at the reference rate and room temperature the flow stress is A + B ep^n; it
   rises with the rate and falls with heat. */
static void johnson_cook_flows_as_it_should(void **state) {
  (void)state;
  mech_f64 m = steel();
  m.jc_b = 400e6, m.jc_n = 0.3, m.jc_c = 0.02, m.jc_rate0 = 1, m.jc_m = 1, m.jc_range = 1500;
  double stress[2];
  for (int fast = 0; fast < 2; fast++) {
    double s[6] = {0}, h[7] = {0};
    const double de[6] = {2e-4, -1e-4, -1e-4, 0, 0, 0}, dt = fast ? 1e-7 : 2.0;
    for (int i = 0; i < 400; i++)
      assert_true(j2_solid_f64(&m, IG_LAW_JOHNSON, dt, de, s, h) < 1e-4);
    stress[fast] = mises(s) / (250e6 + 400e6 * pow(h[0], 0.3));
  }
  assert_true(fabs(stress[0] - 1) < 1e-3);
  assert_true(fabs(stress[1] - (1 + 0.02 * log(2e-4 / 1e-7))) < 2e-3);
  m.jc_heat = 0.9 / (7850 * 460);
  double s[6] = {0}, h[7] = {0};
  const double de[6] = {2e-4, -1e-4, -1e-4, 0, 0, 0};
  for (int i = 0; i < 400; i++)
    assert_true(j2_solid_f64(&m, IG_LAW_JOHNSON, 2, de, s, h) < 1e-4);
  assert_true(h[1] > 1 && mises(s) < (250e6 + 400e6 * pow(h[0], 0.3)) * (1 - 0.5 * h[1] / 1500));
}

/* The rate term starts at the reference rate with a kink: the return converges whatever its size
   and the step, for solids and layers, and ends on the yield surface at its own rate. */
static void johnson_cook_returns_at_any_rate(void **state) {
  (void)state;
  const double rate_term[] = {0, 0.001, 0.005, 0.014, 0.025, 0.05, 0.1};
  for (size_t i = 0; i < sizeof rate_term / sizeof *rate_term; i++)
    for (double dt = 1e-9; dt < 10; dt *= 3.7)
      for (double size = 1e-6; size < 1e-2; size *= 10) {
        mech_f64 m = steel();
        m.jc_b = 292e6, m.jc_n = 0.31, m.jc_c = rate_term[i], m.jc_rate0 = 1;
        m.jc_m = 1.09, m.jc_range = 1000;
        double s[6] = {0}, h[3] = {0}, p[3] = {0}, g[3] = {0}, thin;
        for (int k = 0; k < 40; k++) {
          const double de[6] = {size, -0.5 * size, -0.5 * size, 0.1 * size, 0, 0};
          const double flat[3] = {size, -0.3 * size, 0.2 * size};
          const double ep = h[0], eg = g[0];
          assert_true(j2_solid_f64(&m, IG_LAW_JOHNSON, dt, de, s, h) < 2e-6);
          assert_true(j2_plane_f64(&m, IG_LAW_JOHNSON, dt, flat, p, g, &thin) < 1e-5);
          const double now[2] = {mises(s),
                                 sqrt(p[0] * p[0] - p[0] * p[1] + p[1] * p[1] + 3 * p[2] * p[2])};
          const double to[2] = {h[0], g[0]}, from[2] = {ep, eg};
          for (int j = 0; j < 2; j++) {
            const double rate = (to[j] - from[j]) / dt;
            const double sy =
                (250e6 + 292e6 * pow(to[j], 0.31)) * (rate > 1 ? 1 + rate_term[i] * log(rate) : 1);
            if (to[j] > from[j] && to[j] > 1e-8)
              assert_true(fabs(now[j] / sy - 1) < 1e-4);
          }
        }
      }
}

/* Packs take logarithms and exponentials of their own: as the C library's, to a few units of the
   last digit, also over the ends of binades and beyond the range that exp clamps. */
static void packs_take_logarithms(void **state) {
  (void)state;
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    const ig_pack_f64 l = ig_lane_log_f64(x - (ig_pack_f64){0});
    assert_true(fabs(l[0] - log(x)) <= 1e-15 * (1 + fabs(log(x))));
    assert_true(l[IG_PACK_F64 - 1] == l[0]);
  }
  for (double x = 0.5; x < 2.1; x += 1.0 / 512) {
    const ig_pack_f64 l = ig_lane_log_f64(x - (ig_pack_f64){0});
    assert_true(fabs(l[0] - log(x)) <= 4e-16 + 4e-16 * fabs(log(x)));
    const float f = (float)x;
    const ig_pack_f32 k = ig_lane_log_f32(f - (ig_pack_f32){0});
    assert_true(fabs((double)k[0] - log(f)) <= 2.5e-7);
  }
  for (double y = -699; y < 699; y += 0.37) {
    const ig_pack_f64 e = ig_lane_exp_f64(y - (ig_pack_f64){0});
    assert_true(fabs(e[0] / exp(y) - 1) <= 3e-15);
  }
  for (float y = -79; y < 79; y += 0.37F) {
    const ig_pack_f32 e = ig_lane_exp_f32(y - (ig_pack_f32){0});
    assert_true(fabs((double)e[0] / exp(y) - 1) <= 1e-6);
  }
  assert_true(isfinite(ig_lane_exp_f64(1e9 - (ig_pack_f64){0})[0]));
}

/* One element's way through a law, in lane `lane` of packs whose other lanes go ways of their own:
   some elastic, some yielding. A solid and a layer. */
typedef struct {
  double stress[9], past[14], left;
} lane_end;
static void lane_go(const mech_f64 *m, int law, int lane, int others, lane_end *end) {
  ig_pack_f64 s[6] = {{0}}, h[7] = {{0}}, p[3] = {{0}}, g[7] = {{0}}, thin, left = {0};
  for (int i = 0; i < 60; i++) {
    ig_pack_f64 de[6] = {{0}}, flat[3] = {{0}};
    for (int l = 0; l < IG_PACK_F64; l++) {
      const int way = l == lane ? 0 : others + l; /* strength and phase of the strain */
      const double size = 2e-4 * (1 + way % 4) * (way % 3 == 2 ? 0.01 : 1);
      for (int k = 0; k < 6; k++)
        de[k][l] = size * sin(0.3 * i + 1.7 * k + 0.9 * way) * (k < 3 ? 1 : 0.5);
      for (int k = 0; k < 3; k++)
        flat[k][l] = size * sin(0.23 * i + 1.3 * k + 0.7 * way);
    }
    left = left + j2_solid_p64(m, law, 1e-6, de, s, h);
    left = left + j2_plane_p64(m, law, 1e-6, flat, p, g, &thin);
  }
  *end = (lane_end){.left = left[lane]};
  for (int k = 0; k < 9; k++)
    end->stress[k] = k < 6 ? s[k][lane] : p[k - 6][lane];
  for (int k = 0; k < 14; k++)
    end->past[k] = k < 7 ? h[k][lane] : g[k - 7][lane];
}
static void lanes_do_not_depend_on_each_other(void **state) {
  (void)state;
  mech_f64 m = steel();
  m.kinematic = 3e9;
  m.rows = 3;
  m.strain[1] = 0.001, m.strain[2] = 0.005;
  m.stress[0] = 250e6, m.stress[1] = 300e6, m.stress[2] = 340e6;
  m.jc_b = 292e6, m.jc_n = 0.31, m.jc_c = 0.014, m.jc_rate0 = 1, m.jc_m = 1.09, m.jc_range = 1000;
  m.jc_heat = 1e-7, m.jc_d[0] = 0.5;
  for (int law = IG_LAW_J2; law <= IG_LAW_JOHNSON; law++) {
    lane_end first;
    lane_go(&m, law, 0, 0, &first);
    assert_true(first.past[0] > 1e-4 && first.past[7] > 1e-4);
    for (int others = 0; others < 24; others++) {
      lane_end other;
      lane_go(&m, law, others % IG_PACK_F64, others, &other);
      assert_memory_equal(&first, &other, sizeof first);
    }
  }
}

/* Stress of a small strain is Hooke's; energy's slope is the stress. */
static void neo_hookean_meets_hooke(void **state) {
  (void)state;
  const mech_f64 m = steel();
  const double e = 1e-6, f[9] = {1 + e, 0, 0, 0, 1, 0, 0, 0, 1};
  double s[6], t[6];
  const double w0 = neohooke_f64(&m, f, s);
  assert_true(fabs(s[0] / e / (m.bulk + m.shear * 4 / 3) - 1) < 1e-4);
  assert_true(fabs(s[1] / e / (m.bulk - m.shear * 2 / 3) - 1) < 1e-4);
  assert_true(fabs(w0 / (0.5 * s[0] * e) - 1) < 1e-3);
  const double big[9] = {1.4, 0, 0, 0, 1, 0, 0, 0, 1},
               more[9] = {1.4 + 1e-6, 0, 0, 0, 1, 0, 0, 0, 1};
  const double w1 = neohooke_f64(&m, big, s), w2 = neohooke_f64(&m, more, t);
  assert_true(fabs((w2 - w1) / 1e-6 / s[0] - 1) < 1e-4); /* first Piola = Cauchy here: J F^-T = 1 */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solid_stays_on_its_yield_surface),
      cmocka_unit_test(layer_hardens_along_its_tangent),
      cmocka_unit_test(two_plane_returns_agree),
      cmocka_unit_test(back_stress_moves_the_surface),
      cmocka_unit_test(johnson_cook_flows_as_it_should),
      cmocka_unit_test(johnson_cook_returns_at_any_rate),
      cmocka_unit_test(packs_take_logarithms),
      cmocka_unit_test(lanes_do_not_depend_on_each_other),
      cmocka_unit_test(neo_hookean_meets_hooke),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
