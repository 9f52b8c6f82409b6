/* Contexts: what a program leaves open a case may choose; what it chose stays. */
#include "check.h"
#include "core/ctx.h"

static void a_case_chooses_what_was_left_open(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on(NULL, 0);
  assert_string_equal(ig_ctx_backend(cx), "cpu");
  assert_int_equal(ig_ctx_follow(cx, "debug", 3), IG_OK);
  assert_string_equal(ig_ctx_backend(cx), "debug");
  assert_int_equal(cx->threads, 3);
  assert_non_null(strstr(ig_ctx_device(cx), "3 threads"));
  assert_int_equal(ig_ctx_follow(cx, "gpu", 0), IG_INPUT);
  ig_ctx_close(cx);
}

static void a_program_has_the_last_word(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 2);
  assert_int_equal(ig_ctx_follow(cx, "debug", 3), IG_OK);
  assert_string_equal(ig_ctx_backend(cx), "cpu");
  assert_int_equal(cx->threads, 2);
  ig_ctx_close(cx);
}

static void interrupts_reach_the_context_they_name(void **state) {
  (void)state;
  ig_ctx *a = ctx_on("cpu", 1), *b = ctx_on("cpu", 1);
  ig_ctx_interrupt(a);
  assert_true(a->interrupted && !b->interrupted);
  ig_ctx_close(a);
  ig_ctx_close(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_case_chooses_what_was_left_open),
      cmocka_unit_test(a_program_has_the_last_word),
      cmocka_unit_test(interrupts_reach_the_context_they_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
