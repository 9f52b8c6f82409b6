/* What every cmocka test includes: contexts on the backends that are here, and calls that must
   succeed or be refused in so many words. */
#ifndef IG_TESTS_CHECK_H
#define IG_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <ingot/context.h>

/* The call must succeed; else the test ends with what the library said. */
#define GOOD(cx, call)                                                                             \
  do {                                                                                             \
    if ((call) != IG_OK)                                                                           \
      fail_msg("%s: %s", #call, ig_ctx_message(cx));                                               \
  } while (0)

/* The library's last message has these words in it. */
#define SAYS(cx, words)                                                                            \
  do {                                                                                             \
    const char *words_ = (words);                                                                  \
    if (!strstr(ig_ctx_message(cx), words_))                                                       \
      fail_msg("'%s' lacks '%s'", ig_ctx_message(cx), words_);                                     \
  } while (0)

/* The call must be refused as the user's to mend, with these words. */
#define BAD(cx, call, words)                                                                       \
  do {                                                                                             \
    assert_int_equal(call, IG_INPUT);                                                              \
    SAYS(cx, words);                                                                               \
  } while (0)

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* A context on this backend, which must be here. */
static inline ig_ctx *ctx_on(const char *backend, int threads) {
  ig_ctx *cx = NULL;
  GOOD(cx, ig_ctx_open(&(ig_ctx_options){.backend = backend, .threads = threads}, &cx));
  return cx;
}

/* Sanitizers take ten times as long: what is repeated for the sake of its numbers is not there, and
   of the backends debug alone, which runs the functions of cpu and copies besides. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* The backends a test goes through, NULL at the end: cpu, debug, and cuda where there is a GPU;
   the one that the environment variable INGOT_TEST_BACKEND names, if any, alone. Without cpu where
   INGOT_TEST_APART is set, as tests/CMakeLists.txt does for long programs: debug runs the same
   functions and copies besides.
     for (const char *const *backend = backends_here(); *backend; backend++) */
static inline const char *const *backends_here(void) {
  static const char *all[4] = {"cpu", "debug"}, *one[2];
  const char *only = getenv("INGOT_TEST_BACKEND");
  if (only || SANITIZED) {
    one[0] = only ? only : "debug";
    return one;
  }
  if (!all[2]) {
    ig_ctx *cx = NULL;
    if (ig_ctx_open(&(ig_ctx_options){.backend = "cuda", .threads = 1}, &cx) == IG_OK)
      all[2] = "cuda";
    ig_ctx_close(cx);
  }
  return getenv("INGOT_TEST_APART") ? all + 1 : all;
}

/* The last of them: a GPU where there is one. */
static inline const char *backend_last(void) {
  const char *const *here = backends_here();
  while (here[1])
    here++;
  return *here;
}

/* Is this backend one of them? */
static inline int backend_here(const char *name) {
  for (const char *const *backend = backends_here(); *backend; backend++)
    if (strcmp(*backend, name) == 0)
      return 1;
  return 0;
}

/* Tests on_cpu, on_debug and on_cuda of on(backend); a backend that is not here is skipped. */
#define ON_BACKEND(name)                                                                           \
  static void on_##name(void **state) {                                                            \
    (void)state;                                                                                   \
    if (!backend_here(#name))                                                                      \
      skip();                                                                                      \
    on(#name);                                                                                     \
  }
#define ON_BACKENDS ON_BACKEND(cpu) ON_BACKEND(debug) ON_BACKEND(cuda)
#define ON_BACKENDS_TESTS                                                                          \
  cmocka_unit_test(on_cpu), cmocka_unit_test(on_debug), cmocka_unit_test(on_cuda)

#endif
