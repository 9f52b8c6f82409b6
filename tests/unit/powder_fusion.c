/* Lack of fusion from the sizes of pools: the rule by hand, and along the lines of a bed. */
#include "one_context.h"
#include "powder_case.h"

#include <math.h>

/* Lines 80 um apart, layers of 30 um, pools of one size. */
static const double h = 80e-6, l = 30e-6;
static double between_like(double w, double d, bool turned) {
  const ig_fusion_pool p = {w, d};
  return ig_fusion_porosity(h, l, &p, &p, turned);
}

static void by_hand(void **state) {
  (void)state;
  /* 0.8^2 + 0.6^2 = 1: pools overlap just at the layer's bottom */
  assert_float_equal(ig_fusion_index(h, 100e-6, l, 50e-6), 1, 1e-12);
  assert_float_equal(between_like(100e-6, 50e-6, false), 0, 1e-12);
  assert_true(between_like(100e-6, 45e-6, false) > 0);
  /* upright walls of melt: what is between them stays, and once more between those of each layer
     above that reaches it */
  assert_float_equal(between_like(60e-6, 1, false), 0.25, 1e-6);
  assert_float_equal(between_like(60e-6, 1000 * l, true), 0, 1e-12);
  /* one layer's ellipses: 1 - (w/h) (1/l) (integral of sqrt(1 - z^2/d^2) over the layer) */
  const double d = 50e-6, x = l / d;
  assert_float_equal(between_like(40e-6, d, false),
                     1 - 0.5 / x * 0.5 * (x * sqrt(1 - x * x) + asin(x)), 1e-5);
  /* pools less deep than a layer leave what is below them; pools that are none all of it */
  assert_true(between_like(1, 20e-6, true) > 0.33);
  assert_float_equal(between_like(1e-12, 50e-6, true), 1, 1e-6);
  /* a wide pool covers what its narrow neighbour leaves: upright walls of 120 and 40 um leave
     nothing of 80 um, of 100 and 20 um a quarter; beside no pool a quarter, too
   */
  const ig_fusion_pool wide = {120e-6, 1}, narrow = {40e-6, 1}, other = {100e-6, 1},
                       thin = {20e-6, 1}, none = {0, 0};
  assert_float_equal(ig_fusion_porosity(h, l, &wide, &narrow, false), 0, 1e-6);
  assert_float_equal(ig_fusion_porosity(h, l, &other, &thin, false), 0.25, 1e-6);
  assert_float_equal(ig_fusion_porosity(h, l, &thin, &other, false), 0.25, 1e-6);
  assert_float_equal(ig_fusion_porosity(h, l, &wide, &none, false), 0.25, 1e-6);
}

/* Lines twice as far apart leave more; the map has it where lines are, and nothing elsewhere. */
static void along_lines(void **state) {
  (void)state;
  double porosity[2];
  for (int n = 0; n < 2; n++) {
    ig_powder_case c = small();
    ig_powder_run r;
    ig_job job = {.cx = cx, .materials = &materials, .room_case = &c};
    c.hatch.layers = 1;
    c.hatch.spacing = n ? 150e-6 : 75e-6;
    assert_int_equal(ig_powder_open(&job, &r), IG_OK);
    while (r.time < r.duration)
      assert_int_equal(ig_powder_advance(&r), IG_OK);
    assert_int_equal(ig_powder_layer_done(&r, 0), IG_OK);
    const ig_powder_layer *layer = &r.layer_of[0];
    const float *map = r.array.part_porosity.host, *index = r.array.part_keyhole.host;
    float most = 0;
    int64_t marked = 0;
    for (size_t i = 0; i < r.array.part_porosity.count; i++) {
      most = fmaxf(most, map[i]);
      marked += index[i] > 0;
    }
    porosity[n] = layer->porosity;
    assert_true(layer->porosity > 0 && layer->porosity <= (double)most * (1 + 1e-6) &&
                layer->index > 1);
    assert_true(layer->weakest[0] > 0 && layer->weakest[0] < 0.3e-3 && layer->keyhole > 0);
    assert_true(marked > 4 && marked < (int64_t)r.coarse.n[0] * r.coarse.n[1]);
    ig_powder_close(&r);
  }
  assert_true(porosity[1] > 1.5 * porosity[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(along_lines)};
  return cmocka_run_group_tests(tests, open_context, close_context);
}
