/* Contexts: what a program leaves open a case may choose; what it chose stays. */
#include "check.h"
#include "core/backend.h"
#include "core/ctx.h"

#include <sys/wait.h>
#include <unistd.h>

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

/* Systems promise more memory than there is and end the program that uses it. So what a case asks
   for is held against what the machine has left before it is taken. */
static void memory_is_asked_for_before_it_is_taken(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  double *p;
  assert_int_equal(IG_NEW(cx, &p, (size_t)1 << 42, "temperatures"), IG_MEMORY);
  assert_null(p);
  assert_non_null(strstr(ig_ctx_message(cx), "temperatures: 3.52e+04 GB are needed and "));
  assert_int_equal(IG_NEW(cx, &p, SIZE_MAX / 4, "temperatures"), IG_MEMORY);
  assert_non_null(strstr(ig_ctx_message(cx), "more than memory can address"));
  void *device;
  assert_int_equal(cx->backend->alloc(cx, &device, (size_t)1 << 45), IG_MEMORY);
  assert_non_null(strstr(ig_ctx_message(cx), "GB of memory are left: take a coarser mesh"));
  ig_ctx_close(cx);
}

/* How many threads a parallel region has. */
static int team(void) {
  int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
  threads += 1;
  return threads;
}

/* Threads of the parent are not in a forked child: its parallel regions must not wait for them. */
static void children_work_in_parallel(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 4);
  assert_int_equal(team(), 4);
  for (int generation = 0; generation < 3; generation++) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(team() == 4 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(team(), 4);
  }
  ig_ctx_close(cx);
}

/* Whatever a file holds, a terminal gets nothing to obey, and the text ends within its space. */
static void control_characters_are_shown(void **state) {
  (void)state;
  char out[64], small[8];
  ig_printable("\033[31mred\a\n\x7f", out, sizeof out);
  assert_string_equal(out, "\\x1b[31mred\\x07\\x0a\\x7f");
  ig_printable("\xc2\x9b"
               "5m \xc2\xb5m \xe2\x82\xac",
               out, sizeof out);
  assert_string_equal(out, "\\x9b5m \xc2\xb5m \xe2\x82\xac");
  assert_int_equal(ig_printable("abcd\033e", small, sizeof small), 4);
  assert_string_equal(small, "abcd");
  assert_int_equal(ig_printable(NULL, out, sizeof out), 0);
  for (unsigned seed = 1, round = 0; round < 10000; round++) {
    char text[40], shown[48];
    size_t n = 0;
    for (; n < sizeof text - 1; n++) {
      seed = seed * 1103515245u + 12345u;
      text[n] = (char)(seed >> 16);
    }
    text[n] = '\0';
    const size_t size = 1 + seed % sizeof shown;
    assert_true(ig_printable(text, shown, size) < size);
    for (const char *c = shown; *c; c++)
      assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_case_chooses_what_was_left_open),
      cmocka_unit_test(a_program_has_the_last_word),
      cmocka_unit_test(interrupts_reach_the_context_they_name),
      cmocka_unit_test(memory_is_asked_for_before_it_is_taken),
      cmocka_unit_test(children_work_in_parallel),
      cmocka_unit_test(control_characters_are_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
