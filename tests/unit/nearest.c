/* The nearest of many points against a look at all of them: clouds, planes, lines, equal places. */
#include "check.h"
#include "one_context.h"
#include "mesh/nearest.h"

#include <math.h>

enum { POINTS = 400, PLACES = 200 };

static double random_next(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 16777216.0;
}

/* flat: axes without extent. coarse: places on a lattice, so that many are equally near. */
static void look(int flat, bool coarse) {
  double point[3 * POINTS];
  uint32_t seed = 7;
  ig_point_boxes boxes;
  for (int i = 0; i < 3 * POINTS; i++) {
    point[i] = i % 3 < 3 - flat ? random_next(&seed) : 0.25;
    if (coarse)
      point[i] = floor(4 * point[i]);
  }
  GOOD(cx, ig_nearest_new(cx, point, POINTS, &boxes));
  for (int k = 0; k < PLACES; k++) {
    double x[3], least = INFINITY, far2;
    int64_t best = -1;
    for (int d = 0; d < 3; d++)
      x[d] = coarse ? floor(9 * random_next(&seed)) / 2 - 0.5 : 2 * random_next(&seed) - 0.5;
    for (int64_t i = 0; i < POINTS; i++) {
      const double away = pow(point[3 * i] - x[0], 2) + pow(point[3 * i + 1] - x[1], 2) +
                          pow(point[3 * i + 2] - x[2], 2);
      if (away < least) {
        least = away;
        best = i;
      }
    }
    assert_int_equal(ig_nearest_find(&boxes, x, &far2), best);
    assert_true(fabs(far2 - least) <= 1e-14);
  }
  ig_nearest_free(&boxes);
}

static void nearest_of_all(void **state) {
  (void)state;
  for (int flat = 0; flat <= 3; flat++) {
    look(flat, false);
    look(flat, true);
  }
}

static void few_points(void **state) {
  (void)state;
  const double point[3] = {1, 2, 3}, x[3] = {1, 2, 5};
  ig_point_boxes boxes;
  double far2;
  GOOD(cx, ig_nearest_new(cx, point, 1, &boxes));
  assert_int_equal(ig_nearest_find(&boxes, x, &far2), 0);
  assert_true(far2 == 4);
  ig_nearest_free(&boxes);
  GOOD(cx, ig_nearest_new(cx, point, 0, &boxes));
  assert_int_equal(ig_nearest_find(&boxes, x, &far2), -1);
  ig_nearest_free(&boxes);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nearest_of_all),
                                     cmocka_unit_test(few_points)};
  return cmocka_run_group_tests(tests, open_context, close_context);
}
