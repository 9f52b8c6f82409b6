/* Any bytes as a chain: every stage is read before the first would run, or refused in one line. The
   output folder cannot be made, so that nothing runs. */
#include "io/format/case_yaml.h"
#include "run/case.h"
#include <ingot/chain.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  ig_case *c;
  if (ig_ctx_open(&options, &cx) == IG_OK && ig_case_new(cx, &c) == IG_OK) {
    if (ig_yaml_read(cx, c->arena, "fuzz.yaml", data, size, &c->root) == IG_OK &&
        ig_case_is_chain(c)) {
      const ig_status status = ig_chain_run(c, &(ig_chain_options){.out = "/proc/ingot"});
      const char *message = ig_ctx_message(cx);
      if ((status != IG_INPUT && status != IG_IO) || !*message || strchr(message, '\n'))
        abort();
    }
    ig_case_close(c);
  }
  ig_ctx_close(cx);
  return 0;
}
