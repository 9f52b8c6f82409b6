/* Any bytes as a toolpath, in every dialect: read, or refused in one line. */
#include "io/toolpath/toolpath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  if (ig_ctx_open(&options, &cx) == IG_OK)
    for (int format = 0; format <= IG_TOOLPATH_CLI; format++) {
      const ig_toolpath_options o = {
          .format = (ig_toolpath_format)format, .power = 100, .unit = NAN, .travel = 1, .feed = 1};
      ig_toolpath path;
      const ig_status status =
          ig_toolpath_parse(cx, "fuzz", (const char *)data, size, &o, &path, NULL);
      const char *message = ig_ctx_message(cx);
      if (status != IG_OK && (status != IG_INPUT || !*message || strchr(message, '\n')))
        abort();
      for (int64_t i = 0; status == IG_OK && i < path.count; i++)
        if (!isfinite(path.t[i]) || !(path.power[i] >= 0) || (i && path.t[i] < path.t[i - 1]))
          abort();
      ig_toolpath_free(&path);
    }
  ig_ctx_close(cx);
  return 0;
}
