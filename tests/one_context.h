/* One context on the CPU for all tests of a group: open_context and close_context are the group's
   set-up and end. */
#ifndef IG_TESTS_ONE_CONTEXT_H
#define IG_TESTS_ONE_CONTEXT_H

#include "check.h"

static ig_ctx *cx;
static int open_context(void **state) {
  (void)state;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  return ig_ctx_open(&options, &cx) != IG_OK;
}
static int close_context(void **state) {
  (void)state;
  ig_ctx_close(cx);
  return 0;
}

#endif
