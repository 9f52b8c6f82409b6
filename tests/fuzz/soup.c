/* Any bytes as a surface of triangles, in every format: read and cut into voxels, or refused in one
   line. */
#include "mesh/tri_surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool good) {
  if (!good)
    abort();
}

static void use(ig_ctx *cx, const ig_tri_surface *soup) {
  ig_tri_surface_survey v;
  uint8_t inside[5 * 5 * 5];
  const ig_lid n[3] = {5, 5, 5};
  demand(ig_tri_surface_look(cx, soup, &v) == IG_OK);
  const double edge = fmax(v.high[0] - v.low[0], fmax(v.high[1] - v.low[1], v.high[2] - v.low[2]));
  if (soup->triangles && edge > 0)
    for (int vote = 0; vote < 2; vote++)
      demand(ig_tri_surface_voxels(cx, soup, v.low, edge / 5, n, v.oriented, vote, inside) ==
             IG_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"fuzz-soup.stl", "fuzz-soup.obj",  "fuzz-soup.3mf",
                                      "fuzz-soup.vti", "fuzz-soup.nrrd", "fuzz-soup.npy",
                                      "fuzz-soup.ply", "fuzz-soup.off"};
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  if (ig_ctx_open(&options, &cx) == IG_OK)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      FILE *f = fopen(names[i], "wb");
      if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
      ig_tri_surface soup;
      const ig_status status = ig_tri_surface_read(cx, names[i], i == 5 ? 1e-3 : 0, 0, &soup);
      const char *message = ig_ctx_message(cx);
      demand(status == IG_OK || (status == IG_INPUT && *message && !strchr(message, '\n')));
      if (status == IG_OK)
        use(cx, &soup);
      ig_tri_surface_free(&soup);
      remove(names[i]);
    }
  ig_ctx_close(cx);
  return 0;
}
