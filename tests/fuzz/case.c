/* Any bytes as a case file, and as the key and value of --set: read, or refused in one line. */
#include "io/format/case_yaml.h"
#include "run/case.h"
#include "sample_room.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool good) {
  if (!good)
    abort();
}

static void judge(ig_ctx *cx, ig_status status) {
  const char *message = ig_ctx_message(cx);
  demand(status == IG_OK || (status == IG_INPUT && *message && !strchr(message, '\n')));
}

static void set_first_line(ig_ctx *cx, const uint8_t *data, size_t size) {
  char key[256], *value;
  const size_t n = size < sizeof key - 1 ? size : sizeof key - 1;
  memcpy(key, data, n);
  key[n] = '\0';
  key[strcspn(key, "\r\n")] = '\0';
  if (!(value = strpbrk(key, "=:")))
    return;
  *value++ = '\0';
  ig_case *c;
  if (ig_case_new(cx, &c) != IG_OK)
    return;
  const ig_status status = ig_case_set(c, key, value);
  judge(cx, status);
  if (status == IG_OK && ig_case_set(c, "physics", "sample") == IG_OK)
    judge(cx, ig_case_read_for(c, sample_rooms));
  ig_case_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  ig_case *c;
  if (ig_ctx_open(&options, &cx) == IG_OK && ig_case_new(cx, &c) == IG_OK) {
    const ig_status status = ig_yaml_read(cx, c->arena, "fuzz.yaml", data, size, &c->root);
    judge(cx, status);
    if (status == IG_OK)
      judge(cx, ig_case_read_for(c, sample_rooms));
    ig_case_close(c);
    set_first_line(cx, data, size);
  }
  ig_ctx_close(cx);
  return 0;
}
