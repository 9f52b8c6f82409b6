/* Contexts, backends, arrays: errors have words, memory is counted, forgotten copies show. */
#include "check.h"
#include "backend/backend.h"
#include "core/array.h"

static void unknown_backend_is_named(void **state) {
  (void)state;
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "gpu"};
  BAD(cx, ig_ctx_open(&options, &cx), "'gpu' is unknown: expected auto, cpu, debug, cuda");
  ig_ctx_close(cx);
}

static void forgotten_push_shows_on_debug(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("debug", 2);
  ig_array a;
  assert_int_equal(ig_array_new(cx, &a, 8, sizeof(double), "test"), IG_OK);
  ((double *)a.host)[0] = 1;
  double seen = 0;
  assert_int_equal(cx->backend->copy_out(cx, &seen, a.dev, sizeof seen), IG_OK);
  assert_true(fabs(seen) > 1e100); /* poison, not 1 */
  assert_int_equal(ig_array_push(cx, &a), IG_OK);
  assert_int_equal(cx->backend->copy_out(cx, &seen, a.dev, sizeof seen), IG_OK);
  assert_true(seen == 1);
  ig_array_free(cx, &a);
  ig_ctx_close(cx);
}

static void memory_is_counted_and_overflow_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  const size_t before = cx->device_bytes;
  ig_array a;
  assert_int_equal(ig_array_new(cx, &a, 1000, 8, "test"), IG_OK);
  assert_int_equal(cx->device_bytes, before + 8000);
  assert_int_equal(ig_array_grow(cx, &a, 2000), IG_OK);
  ig_array_free(cx, &a);
  assert_int_equal(cx->device_bytes, before);
  assert_true(cx->device_peak >= 24000);
  assert_int_equal(ig_array_new(cx, &a, SIZE_MAX / 4, 8, "too much"), IG_MEMORY);
  assert_non_null(strstr(ig_ctx_message(cx), "too much"));
  ig_ctx_close(cx);
}

static void lowest_fault_is_reported(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("debug", 2);
  assert_int_equal(ig_fault_check(cx, "element", NULL), IG_OK);
  ig_fault_raise(cx->fault, IG_FAULT_NAN, 70);
  ig_fault_raise(cx->fault, IG_FAULT_JACOBIAN, 17);
  ig_fault_raise(cx->fault, IG_FAULT_NAN, 40);
  assert_int_equal(ig_fault_check(cx, "element", NULL), IG_NUMERIC);
  assert_non_null(strstr(ig_ctx_message(cx), "element 17 is inverted"));
  assert_int_equal(ig_fault_clear(cx), IG_OK);
  assert_int_equal(ig_fault_check(cx, "element", NULL), IG_OK);
  ig_ctx_close(cx);
}

static void reductions_do_not_depend_on_threads(void **state) {
  (void)state;
  enum { N = 100003 };
  double *x = malloc(N * sizeof *x), first = 0;
  for (int i = 0; i < N; i++)
    x[i] = sin(i);
  for (int threads = 1; threads <= 4; threads++) {
    ig_ctx *cx = ctx_on("cpu", threads);
    double dot, max;
    assert_int_equal(cx->backend->dot_f64(cx, N, x, x, &dot), IG_OK);
    assert_int_equal(cx->backend->absmax_f64(cx, N, x, &max), IG_OK);
    if (threads == 1)
      first = dot;
    assert_true(dot == first);
    assert_true(max <= 1 && max > 0.9999);
    ig_ctx_close(cx);
  }
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_backend_is_named),
      cmocka_unit_test(forgotten_push_shows_on_debug),
      cmocka_unit_test(memory_is_counted_and_overflow_refused),
      cmocka_unit_test(lowest_fault_is_reported),
      cmocka_unit_test(reductions_do_not_depend_on_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
