/* grains.png: two sections through the middle of the box, along x and z and along x and y, in the
   colours of the standard triangle (ig_grains_color). */
#include "grains/grains.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "io/picture/picture.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 480, EDGE = 24, HEAD = 44, FOOT = 30 };

/* A section: its first cell, and how far it is to the next one along both sides of the picture. */
typedef struct {
  const char *name;
  int wide, high;
  int64_t first, right, up;
} section;

/* Pixels of a cell; where a box has more cells than pixels, cells are left out. */
static double zoom_of(const section *s) {
  const int most = s->wide > s->high ? s->wide : s->high;
  return (double)SIDE / most;
}

static void section_draw(const ig_grains_run *r, const section *s, int left, ig_canvas *k) {
  static const float black[3] = {0.1f, 0.1f, 0.1f}, liquid[3] = {1, 1, 1};
  const int32_t *grain = r->array.grain.host;
  const double zoom = zoom_of(s);
  for (int y = 0; y < (int)(s->high * zoom); y++)
    for (int x = 0; x < (int)(s->wide * zoom); x++) {
      const int64_t i = (int64_t)(x / zoom), j = (int64_t)(y / zoom);
      const int32_t id = grain[s->first + i * s->right + j * s->up];
      float rgb[3];
      if (id)
        ig_grains_color(ig_grains_axes_of(r, id), r->c->ipf_axis, rgb);
      ig_canvas_rect(k, left + x, HEAD + SIDE - 1 - y, 1, 1, id ? rgb : liquid);
    }
  ig_canvas_text(k, (float)left, HEAD - 14, 13, black, s->name);
}

ig_status ig_grains_picture(const ig_grains_run *r, ig_sink *to) {
  static const float white[3] = {1, 1, 1}, black[3] = {0.1f, 0.1f, 0.1f};
  const int *n = r->view.n;
  const int64_t row = n[0], level = row * n[1];
  const section all[2] = {{"x, z in the middle of y", n[0], n[2], n[1] / 2 * row, 1, level},
                          {"x, y in the middle of z", n[0], n[1], n[2] / 2 * level, 1, row}};
  char text[96], *png = NULL;
  size_t size = 0;
  ig_canvas k;
  IG_TRY(ig_canvas_new(r->cx, 3 * EDGE + 2 * SIDE, HEAD + SIDE + FOOT, &k));
  ig_canvas_rect(&k, 0, 0, k.width, k.height, white);
  for (int i = 0; i < 2; i++)
    section_draw(r, &all[i], EDGE + i * (SIDE + EDGE), &k);
  snprintf(text, sizeof text, "along %c: red <100>, green <110>, blue <111>",
           "xyz"[r->c->ipf_axis]);
  ig_canvas_text(&k, EDGE, (float)k.height - 10, 11, black, text);
  ig_status status = ig_canvas_png(r->cx, &k, 0, &png, &size);
  if (status == IG_OK)
    status = to->file(to, "grains.png", png, size);
  free(png);
  ig_canvas_free(&k);
  return status;
}
#else
ig_status ig_grains_picture(const ig_grains_run *r, ig_sink *to) {
  (void)r, (void)to;
  return IG_OK;
}
#endif
