/* The automaton on every backend against the CPU with one thread: the same bits, in a field with
   nuclei and with cells that melt twice. */
#include "grains_case.h"
#include "ingot_io.h"

#include <unistd.h>

static void same(const char *name, const ig_array *a, const ig_array *b) {
  assert_int_equal(a->count, b->count);
  if (a->count && memcmp(a->host, b->host, a->count * a->size) != 0)
    fail_msg("%s differ", name);
}

static void compare(const char *backend, const ig_grains_case *c) {
  ig_ctx *cx[2] = {ctx_on("cpu", 1), ctx_on(backend, 3)};
  ig_grains_run r[2];
  ig_job job[2];
  for (int i = 0; i < 2; i++)
    grains_run(cx[i], c, &job[i], &r[i]);
  assert_int_equal(r[0].step, r[1].step);
  assert_int_equal(r[0].tick, r[1].tick);
#define X(name, type) same(#name, &r[0].array.name, &r[1].array.name);
  IG_GRAINS_STATE_ARRAYS(X)
#undef X
  for (int i = 0; i < 2; i++) {
    ig_grains_close(&r[i]);
    ig_ctx_close(cx[i]);
  }
}

static void field_has_the_same_bits(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int periodic = 0; periodic < 2; periodic++) {
      ig_grains_case c = grains_box(37, 30, 24); /* a segment and a piece of one */
      c.periodic = periodic;
      compare(*backend, &c);
    }
}

#ifdef INGOT_HAVE_IO
static void events_have_the_same_bits(void **state) {
  (void)state;
  char path[] = "/tmp/ingot-grains-XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  grains_pool_write(path, false);
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_grains_file file;
    const ig_grains_case c = grains_pool(&file, path);
    compare(*backend, &c);
  }
  remove(path);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(field_has_the_same_bits),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test(events_have_the_same_bits),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
