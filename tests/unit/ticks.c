/* Ticks of axes: for any two numbers a few round values within them, rising, with labels that
   differ; none where there is nothing to divide. Ranges come from random bits: every exponent,
   huge offsets with tiny widths, subnormal numbers, infinities, NaN. */
#include "check.h"
#include "core/display.h"
#include <ingot/run.h>
#include "core/ticks.h"
#include <float.h>

static uint64_t seed = 12345;
static uint64_t bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}
static double any_double(void) {
  const uint64_t b = bits();
  double v;
  memcpy(&v, &b, sizeof v);
  return v;
}

static void ticks_hold(double low, double high, int wanted) {
  const ig_ticks t = ig_ticks_between(low, high, wanted);
  assert_in_range(t.count, 0, IG_TICKS);
  if (!ig_range_spans(low, high)) {
    assert_int_equal(t.count, 0);
    return;
  }
  char last[IG_TICK_TEXT] = "";
  for (int k = 0; k < t.count; k++) {
    char text[IG_TICK_TEXT];
    const double step = t.count > 1 ? t.value[1] / 2 - t.value[0] / 2 : high / 2 - low / 2;
    const double off = 1e-8 * step + DBL_EPSILON * fmax(fabs(low), fabs(high));
    assert_true(isfinite(t.value[k]));
    assert_true(t.value[k] / 2 >= low / 2 - off);
    assert_true(t.value[k] / 2 <= high / 2 + off);
    if (k > 0)
      assert_true(t.value[k] > t.value[k - 1]);
    ig_tick_text(&t, k, text);
    if (strcmp(text, last) == 0)
      fail_msg("%.17g to %.17g: label %s twice", low, high, text);
    assert_true(fabs(strtod(text, NULL) / 2 - t.value[k] / 2) <= 0.011 * step + off);
    memcpy(last, text, sizeof last);
  }
  /* at least one where there is space for it: steps are at most twice what was asked for */
  if (wanted >= 5 && high / 2 - low / 2 > 1e-290 && high / 2 - low / 2 < 1e307)
    assert_in_range(t.count, 2, 2 * wanted + 2);
}

static void random_ranges_have_ticks(void **state) {
  (void)state;
  for (int i = 0; i < 40000; i++) {
    const double a = any_double(), b = any_double();
    ticks_hold(a, b, 1 + (int)(bits() % 7));
    ticks_hold(fmin(a, b), fmax(a, b), 1 + (int)(bits() % 7));
    double next = a; /* few roundings apart */
    for (uint64_t k = bits() % 9; k; k--)
      next = nextafter(next, INFINITY);
    ticks_hold(a, next, 6);
    const double width = fabs(a) * pow(10, -16.0 * (double)(bits() % 1000) / 1000);
    ticks_hold(a, a + width, 6);
    ticks_hold(a - width, a, 5);
  }
}

static void special_ranges(void **state) {
  (void)state;
  static const double special[] = {0,       -0.0,     1,        -1,        293.15, 1e300,   -1e300,
                                   DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN,    DBL_MIN, 5e-324,
                                   -5e-324, 1e-310,   4.5e15,   9e15,      1e17};
  const int n = sizeof special / sizeof *special;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int wanted = 0; wanted < 8; wanted++)
        ticks_hold(special[i], special[j], wanted);
  ig_ticks t = ig_ticks_between(0, 1, 5);
  char text[IG_TICK_TEXT];
  assert_int_equal(t.count, 6);
  ig_tick_text(&t, 3, text);
  assert_string_equal(text, "0.6");
  t = ig_ticks_between(-3, 3, 6);
  assert_int_equal(t.count, 7);
  ig_tick_text(&t, 3, text);
  assert_string_equal(text, "0");
  assert_int_equal(ig_ticks_between(293.15, nextafter(293.15, 300), 6).count, 0);
}

/* Numbers of engineering size are shown in the units engineers read. */
static void units_for_reading(void **state) {
  (void)state;
  static const struct {
    const char *unit;
    double largest;
    const char *shown;
    double factor;
  } cases[] = {
      {"Pa", 690900000, "MPa", 1e-6},
      {"Pa", 2.1e11, "GPa", 1e-9},
      {"Pa", -5e6, "MPa", 1e-6},
      {"m", 1.9e-4, "mm", 1e3},
      {"m", 0.3, "mm", 1e3},
      {"m", 5, "m", 1},
      {"m", 2e-5, "um", 1e6},
      {"m^2", 9.6e-11, "um^2", 1e12},
      {"m^3", 3.5e-9, "mm^3", 1e9},
      {"N", -3.7e-9, "N", 1},
      {"J", 7e-12, "J", 1},
      {"s", 7.5e-5, "us", 1e6},
      {"J/m^3", 2e5, "kJ/m^3", 1e-3},
      {"K", 1700, "K", 1},
      {"", 1e9, "", 1},
      {"m", 0, "m", 1},
      {"furlong", 3, "furlong", 1},
      {"Pa", NAN, "Pa", 1},
      {NULL, 1, "", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ig_display d = ig_display_for(cases[i].unit, cases[i].largest);
    assert_string_equal(d.unit, cases[i].shown);
    assert_true(d.factor == cases[i].factor);
  }
}

/* What a run prints at its end. */
static void figures_for_reading(void **state) {
  (void)state;
  char text[64];
  assert_string_equal(ig_figure_text("von_mises_max", 6.7714431e8, "Pa", text), "677.144 MPa");
  assert_string_equal(ig_figure_text("tip", -0.00019012929, "m", text), "-0.190129 mm");
  assert_string_equal(ig_figure_text("T_max", 1809.4704, "K", text), "1809.47 K");
  assert_string_equal(ig_figure_text("fragments", 2, "", text), "2");
  assert_string_equal(ig_figure_text(NULL, 2.5, NULL, text), "2.5");
}

/* Temperatures are shifted, differences of them and other units are not. */
static void temperatures_in_celsius(void **state) {
  (void)state;
  const ig_display t = ig_display_of("T_max", "K", 400, true);
  const ig_display rise = ig_display_of("undercooling_mean", "K", 4, true);
  const ig_display plain = ig_display_of("T_max", "K", 400, false);
  const ig_display stress = ig_display_of("von_mises", "Pa", 2e8, true);
  assert_string_equal(t.unit, "\u00b0C");
  assert_true(fabs(ig_display_number(&t, 373.15) - 100) < 1e-12);
  assert_string_equal(rise.unit, "\u00b0C");
  assert_true(ig_display_number(&rise, 4) == 4);
  assert_string_equal(plain.unit, "K");
  assert_true(ig_display_number(&plain, 400) == 400);
  assert_string_equal(stress.unit, "MPa");
  assert_true(fabs(ig_display_number(&stress, 2e8) - 200) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_ranges_have_ticks), cmocka_unit_test(special_ranges),
      cmocka_unit_test(units_for_reading),        cmocka_unit_test(figures_for_reading),
      cmocka_unit_test(temperatures_in_celsius),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
