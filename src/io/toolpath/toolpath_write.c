/* Writing and drawing of toolpaths, and the interface for programs (include/ingot/path.h). */
#include "io/format/json.h"
#include "core/number.h"
#include "core/require.h"
#include "io/picture/picture.h"
#include "io/format/atomic_file.h"
#include "io/toolpath/toolpath.h"
#include <ingot/path.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- writing */

/* Shortest numbers that read back exactly. */
static void row_add(ig_text *text, const double *value, int count, char gap) {
  for (int i = 0; i < count; i++) {
    char number[IG_NUMBER_TEXT];
    const char between[2] = {i + 1 < count ? gap : '\n', '\0'};
    ig_number_text(value[i], number);
    ig_text_add(text, number);
    ig_text_add(text, between);
  }
}

/* The format that all rooms read. */
static void table_write(ig_text *text, const ig_toolpath *p) {
  ig_text_add(text, "t,x,y,z,power\n");
  for (int64_t i = 0; i < p->count; i++) {
    const double row[] = {p->t[i], p->x[3 * i], p->x[3 * i + 1], p->x[3 * i + 2], p->power[i]};
    row_add(text, row, 5, ',');
  }
}

/* Segment list of AdditiveFOAM. A piece without length is a spot; a jump in no time is a line at a
   speed beyond any machine (1e6 m/s). */
static void segments_write(ig_text *text, const ig_toolpath *p) {
  ig_text_add(text, "Mode\tX(m)\tY(m)\tZ(m)\tPower(W)\ttParam\n");
  for (int64_t i = -1; i + 1 < p->count; i++) {
    const double *x = &p->x[3 * (i + 1)];
    const double time = i < 0 ? p->t[0] : p->t[i + 1] - p->t[i];
    const double length =
        i < 0 ? 0 : sqrt(pow(x[0] - x[-3], 2) + pow(x[1] - x[-2], 2) + pow(x[2] - x[-1], 2));
    const bool line = length > 0;
    if (i >= 0 && !line && time == 0)
      continue;
    const double row[] = {line ? 0 : 1,
                          x[0],
                          x[1],
                          x[2],
                          i < 0 ? 0 : p->power[i],
                          line ? (time > 0 ? length / time : 1e6) : time};
    row_add(text, row, 6, '\t');
  }
}

/* By the ending: .csv, or .txt for AdditiveFOAM. */
ig_status ig_toolpath_write(ig_ctx *cx, const ig_toolpath *path, const char *file) {
  const char *dot = strrchr(file, '.');
  ig_text text = {0};
  const double *d = path->direction;
  if (d[0] != 0 || d[1] != 0)
    ig_warn(cx, "%s: the beam's direction %.6g %.6g %.6g is not written: give `axis`", file, d[0],
            d[1], d[2]);
  if (dot && strcasecmp(dot, ".csv") == 0)
    table_write(&text, path);
  else if (dot && strcasecmp(dot, ".txt") == 0)
    segments_write(&text, path);
  else
    return IG_FAIL(cx, IG_INPUT,
                   "%s: a toolpath cannot be written so: expected .csv (t,x,y,z,power) or .txt "
                   "(AdditiveFOAM)",
                   file);
  const ig_status status = text.failed ? IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", file)
                                       : ig_store(cx, file, text.at, text.length);
  free(text.at);
  return status;
}

/* --- drawing */

enum { WIDTH = 1600, HEIGHT = 1200, MARGIN = 80 };

/* Height of a layer by its number from 0; NaN: there is no such layer. */
static ig_status layer_height(ig_ctx *cx, const ig_toolpath *p, int64_t layer, double *height) {
  double *z;
  int64_t count;
  IG_TRY(ig_toolpath_heights(cx, p, &z, &count));
  *height = layer >= 0 && layer < count ? z[layer] : NAN;
  free(z);
  return IG_OK;
}

/* Travel moves first, in grey, so that scan vectors are on top. Jumps first, in gray, then lines,
   coloured by power, so that these lie on top. */
static void pieces_draw(ig_canvas *canvas, const ig_toolpath *p, const ig_toolpath_survey *s,
                        double height) {
  static const float travel[3] = {0.72F, 0.74F, 0.78F};
  const double wide = fmax(s->high[0] - s->low[0], 1e-9), tall = fmax(s->high[1] - s->low[1], 1e-9);
  const double scale = fmin((WIDTH - 2 * MARGIN) / wide, (HEIGHT - 2 * MARGIN) / tall);
  const double left = 0.5 * (WIDTH - scale * wide), top = 0.5 * (HEIGHT + scale * tall);
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i + 1 < p->count; i++) {
      const bool on = p->power[i] > 0 && p->t[i + 1] > p->t[i];
      const double *a = &p->x[3 * i], *b = a + 3;
      if (on != (pass == 1) || (!isnan(height) && fabs(b[2] - height) > 1e-6))
        continue;
      const double span = s->power_max - s->power_min;
      float rgb[3];
      ig_palette_color("viridis", span > 0 ? (float)((p->power[i] - s->power_min) / span) : 0.4F,
                       rgb);
      ig_canvas_line(
          canvas, (float)(left + scale * (a[0] - s->low[0])),
          (float)(top - scale * (a[1] - s->low[1])), (float)(left + scale * (b[0] - s->low[0])),
          (float)(top - scale * (b[1] - s->low[1])), on ? 2.5F : 1.0F, on ? rgb : travel);
    }
}

/* layer -1: all layers above each other; z does not show. */
ig_status ig_toolpath_draw(ig_ctx *cx, const ig_toolpath *p, int64_t layer, const char *png) {
  static const float paper[3] = {1, 1, 1}, ink[3] = {0.15F, 0.15F, 0.18F};
  ig_toolpath_survey s;
  ig_canvas canvas;
  double height = NAN;
  IG_TRY(ig_toolpath_look(cx, p, &s));
  if (layer >= 0) {
    IG_TRY(layer_height(cx, p, layer, &height));
    if (isnan(height))
      return IG_FAIL(cx, IG_INPUT, "layer %lld: the path has %lld", (long long)layer + 1,
                     (long long)s.layers);
  }
  IG_TRY(ig_canvas_new(cx, WIDTH, HEIGHT, &canvas));
  ig_canvas_rect(&canvas, 0, 0, WIDTH, HEIGHT, paper);
  pieces_draw(&canvas, p, &s, height);
  char text[160];
  const int used = snprintf(
      text, sizeof text, "x %.4g to %.4g mm, y %.4g to %.4g mm, %.4g to %.4g W", 1e3 * s.low[0],
      1e3 * s.high[0], 1e3 * s.low[1], 1e3 * s.high[1], s.power_min, s.power_max);
  if (!isnan(height) && used > 0 && used < (int)sizeof text)
    ig_format(text + used, sizeof text - (size_t)used, ", z %.4g mm", 1e3 * height);
  ig_canvas_text(&canvas, 30, HEIGHT - 30, 18, ink, text);
  char *bytes = NULL;
  size_t size = 0;
  ig_status status = ig_canvas_png(cx, &canvas, 0, &bytes, &size);
  if (status == IG_OK)
    status = ig_store(cx, png, bytes, size);
  free(bytes);
  ig_canvas_free(&canvas);
  return status;
}

/* --- interface for programs */

/* Index of a format in the list of names. */
static ig_status format_find(ig_ctx *cx, const char *name, ig_toolpath_format *format) {
  const char *list = IG_TOOLPATH_FORMATS;
  *format = IG_TOOLPATH_AUTO;
  for (int i = 0; name; i++) {
    const size_t length = strcspn(list, "|");
    if (strlen(name) == length && strncmp(name, list, length) == 0) {
      *format = (ig_toolpath_format)i;
      return IG_OK;
    }
    if (!list[length])
      return IG_FAIL(cx, IG_INPUT, "'%s' is no toolpath dialect: expected %s", name,
                     IG_TOOLPATH_FORMATS);
    list += length + 1;
  }
  return IG_OK;
}

/* 0 in the options means "not given", so that a zero-initialised struct is valid. */
ig_status ig_path_open(ig_ctx *cx, const char *file, const ig_path_options *given, ig_path **path) {
  static const ig_path_options none;
  IG_REQUIRE_ARGS(cx, cx && file && path);
  given = given ? given : &none;
  *path = NULL;
  ig_toolpath_options o = {.power = given->power > 0 ? given->power : NAN,
                           .unit = given->unit > 0 ? given->unit : NAN,
                           .travel = given->travel > 0 ? given->travel : 1,
                           .feed = given->feed > 0 ? given->feed : NAN,
                           .z = given->z};
  IG_TRY(format_find(cx, given->format, &o.format));
  ig_path *p;
  IG_TRY(IG_NEW(cx, &p, 1, "toolpath"));
  const ig_status status = ig_toolpath_read(cx, file, &o, &p->path, &p->as);
  if (status != IG_OK)
    free(p);
  else
    *path = p;
  return status;
}

/* NULL is allowed. */
void ig_path_close(ig_path *path) {
  if (path)
    ig_toolpath_free(&path->path);
  free(path);
}

/* Labels and values for people; lengths in m, times in s, powers in W. */
ig_status ig_path_describe(ig_ctx *cx, const ig_path *path, ig_line_fn *line, void *user) {
  IG_REQUIRE_ARGS(cx, cx && path && line);
  ig_toolpath_survey s;
  char text[64];
  IG_TRY(ig_toolpath_look(cx, &path->path, &s));
  line(user, "read as", path->as.dialect);
  ig_format(text, sizeof text, "%.6g m", path->as.unit);
  line(user, "length unit", text);
  ig_toolpath_describe(&s, line, user);
  if (path->as.layers_marked) {
    snprintf(text, sizeof text, "%lld", (long long)path->as.layers_marked);
    line(user, "layers marked", text);
  }
  return IG_OK;
}

ig_status ig_path_write(ig_ctx *cx, const ig_path *path, const char *file) {
  IG_REQUIRE_ARGS(cx, cx && path && file);
  return ig_toolpath_write(cx, &path->path, file);
}

ig_status ig_path_draw(ig_ctx *cx, const ig_path *path, int layer, const char *png) {
  IG_REQUIRE_ARGS(cx, cx && path && png);
  return ig_toolpath_draw(cx, &path->path, layer - 1, png);
}
