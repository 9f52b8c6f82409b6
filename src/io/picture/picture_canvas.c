/* The canvas: a depth-buffered triangle rasteriser, lines, palettes, PNG encoding, projection.
   Barycentric coordinates per pixel; simple, and fast enough for a picture of some million
   triangles. */
#include "io/picture/picture.h"
#include <ingot/ingot.h>

#include <errno.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* White, infinitely far. */
ig_status ig_canvas_new(ig_ctx *cx, int width, int height, ig_canvas *canvas) {
  memset(canvas, 0, sizeof *canvas);
  canvas->width = width;
  canvas->height = height;
  const size_t n = (size_t)width * (size_t)height;
  ig_status status = IG_NEW(cx, &canvas->rgb, 3 * n, "picture");
  if (status == IG_OK)
    status = IG_NEW(cx, &canvas->depth, n, "picture depth");
  if (status != IG_OK) {
    ig_canvas_free(canvas);
    return status;
  }
  for (size_t i = 0; i < n; i++) {
    canvas->rgb[3 * i] = canvas->rgb[3 * i + 1] = canvas->rgb[3 * i + 2] = 1;
    canvas->depth[i] = INFINITY;
  }
  return IG_OK;
}

void ig_canvas_free(ig_canvas *canvas) {
  free(canvas->rgb);
  free(canvas->depth);
  memset(canvas, 0, sizeof *canvas);
}

/* Each pixel is the mean of n x n; a remainder at the rim is left out. */
ig_status ig_canvas_shrink(ig_ctx *cx, const ig_canvas *from, int n, ig_canvas *to) {
  IG_TRY(ig_canvas_new(cx, from->width / n, from->height / n, to));
  const float share = 1.0F / (float)(n * n);
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++) {
      float sum[3] = {0, 0, 0};
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
          for (int c = 0; c < 3; c++)
            sum[c] +=
                from->rgb[3 * ((size_t)(y * n + j) * (size_t)from->width + (size_t)(x * n + i)) +
                          (size_t)c];
      for (int c = 0; c < 3; c++)
        to->rgb[3 * ((size_t)y * (size_t)to->width + (size_t)x) + (size_t)c] = sum[c] * share;
    }
  return IG_OK;
}

/* Mixes a colour in; cover 0..1 is the share of the pixel. */
static void blend(ig_canvas *canvas, int x, int y, const float rgb[3], float cover) {
  if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height || cover <= 0)
    return;
  float *p = &canvas->rgb[3 * ((size_t)y * (size_t)canvas->width + (size_t)x)];
  for (int c = 0; c < 3; c++)
    p[c] += (rgb[c] - p[c]) * fminf(cover, 1);
}

/* What lies outside of the canvas is left out by blend. */
void ig_canvas_rect(ig_canvas *canvas, int x, int y, int w, int h, const float rgb[3]) {
  for (int j = y; j < y + h; j++)
    for (int i = x; i < x + w; i++)
      blend(canvas, i, j, rgb, 1);
}

/* Distance of a point to the segment from (0, 0) to (dx, dy). */
static float segment_distance(float px, float py, float dx, float dy) {
  const float length2 = dx * dx + dy * dy;
  float t = length2 > 0 ? (px * dx + py * dy) / length2 : 0;
  t = fminf(fmaxf(t, 0), 1);
  return hypotf(px - t * dx, py - t * dy);
}

/* Pixel range [*from, *to] of an interval, cut to the canvas; empty if it is outside. Comparisons
   come before conversions, because converting a huge float to int is undefined. */
static void clip(float low, float high, int limit, int *from, int *to) {
  *from = low > 0 ? (low < (float)limit ? (int)floorf(low) : limit) : 0;
  *to = high < (float)(limit - 1) ? (high > -1 ? (int)ceilf(high) : -1) : limit - 1;
}

/* Anti-aliased by the distance of the pixel's centre from the line. */
void ig_canvas_line(ig_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                    const float rgb[3]) {
  const float r = width / 2;
  int xa, xb, ya, yb;
  clip(fminf(x0, x1) - r - 1, fmaxf(x0, x1) + r + 1, canvas->width, &xa, &xb);
  clip(fminf(y0, y1) - r - 1, fmaxf(y0, y1) + r + 1, canvas->height, &ya, &yb);
  for (int y = ya; y <= yb; y++)
    for (int x = xa; x <= xb; x++)
      blend(canvas, x, y, rgb,
            r + 0.5F - segment_distance((float)x - x0, (float)y - y0, x1 - x0, y1 - y0));
}

/* --- palettes: equally spaced colours with linear interpolation. viridis and inferno are
   perceptually uniform (Smith and van der Walt); cividis looks nearly the same with a red-green
   color deficiency (Nunez, Anderton and Renslow 2018); coolwarm is for differences (Moreland 2009);
   embers and steel become evenly darker from a light gray on: for what is zero nearly everywhere,
   and for temperatures, of which most of a part is at the lowest; distinct is for numbers that are
   names, of grains and fragments: its stops are computed. */
typedef struct {
  const char *name;
  int stops;
  uint8_t stop[8][3];
} palette;
static const palette palettes[] = {
    {"viridis", 5, {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}},
    {"cividis", 5, {{0, 34, 78}, {66, 78, 108}, {124, 123, 120}, {187, 173, 108}, {254, 232, 56}}},
    {"inferno", 5, {{0, 0, 4}, {87, 16, 110}, {188, 55, 84}, {249, 142, 9}, {252, 255, 164}}},
    {"coolwarm",
     5,
     {{59, 76, 192}, {141, 176, 254}, {221, 221, 221}, {244, 152, 122}, {180, 4, 38}}},
    {"rainbow", 5, {{40, 60, 190}, {30, 170, 210}, {90, 190, 80}, {245, 200, 50}, {200, 40, 40}}},
    {"gray", 2, {{30, 30, 30}, {235, 235, 235}}},
    {"embers",
     6,
     {{222, 224, 227}, {243, 205, 160}, {240, 149, 83}, {216, 82, 47}, {160, 29, 52}, {84, 8, 48}}},
    {"steel", 5, {{208, 217, 227}, {140, 178, 208}, {92, 128, 189}, {84, 66, 152}, {58, 12, 74}}},
    {"distinct", 32, {{0}}},
};

/* Of `distinct` hues follow each other by the golden angle, lighter and darker in turn. */
static float stop_of(const palette *p, int i, int c) {
  static const float light[] = {0.62F, 0.95F, 0.78F};
  if (p->stops <= (int)(sizeof p->stop / sizeof *p->stop))
    return p->stop[i][c];
  const float hue = fmodf(0.381966F * (float)i + (float)((4 - 2 * c) % 6) / 6, 1) * 6;
  const float share = fminf(fmaxf(fabsf(hue - 3) - 1, 0), 1); /* of the component in the hue */
  return 255 * light[i % 3] * (0.3F + 0.7F * share);
}

/* NULL: there is none of the name; the caller then takes the usual one or refuses it. */
static const palette *palette_find(const char *name) {
  for (size_t i = 0; i < sizeof palettes / sizeof *palettes; i++)
    if (strcmp(palettes[i].name, name) == 0)
      return &palettes[i];
  return NULL;
}

bool ig_palette_known(const char *name) {
  return palette_find(name) != NULL;
}

const char *ig_palette_name(int i) {
  return i < (int)(sizeof palettes / sizeof *palettes) ? palettes[i].name : NULL;
}

const char *ig_palette_usual(const char *field) {
  static const char *const usual[][2] = {{"crack_opening", "embers"},  {"damage", "embers"},
                                         {"plastic_strain", "embers"}, {"T", "steel"},
                                         {"T_peak", "steel"},          {"grain", "distinct"},
                                         {"fragment", "distinct"},     {"deviation", "coolwarm"}};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (strcmp(field, usual[i][0]) == 0)
      return usual[i][1];
  return "viridis";
}

/* Values outside the range take the end colours. */
void ig_palette_color(const char *name, float value, float rgb[3]) {
  const palette *p = palette_find(name);
  if (!p || isnan(value)) {
    rgb[0] = 0.72F, rgb[1] = 0.74F, rgb[2] = 0.77F;
    return;
  }
  const float at = fminf(fmaxf(value, 0), 1) * (float)(p->stops - 1);
  const int i = at >= (float)(p->stops - 1) ? p->stops - 2 : (int)at;
  for (int c = 0; c < 3; c++) {
    const float a = stop_of(p, i, c), b = stop_of(p, i + 1, c);
    rgb[c] = (a + (b - a) * (at - (float)i)) / 255;
  }
}

/* Melt has a band of its own, as in web/view.js: from red at the solidus to pale yellow. */
void ig_shading_color(const ig_shading *shading, float value, float rgb[3]) {
  static const float melt[2][3] = {{0.8F, 0.12F, 0.05F}, {1.0F, 0.9F, 0.6F}};
  if (!shading->melts || !(value > shading->melt)) {
    ig_palette_color(shading->palette, value, rgb);
    return;
  }
  const float wide = 1 - shading->melt;
  const float at = wide > 0 ? fminf((value - shading->melt) / wide, 1) : 1;
  for (int c = 0; c < 3; c++)
    rgb[c] = melt[0][c] + at * (melt[1][c] - melt[0][c]);
}

/* How much a value changes from one pixel to the next, in a triangle of so much area. */
static float value_slope(const ig_vertex v[3], float area) {
  const float a = v[1].value - v[0].value, b = v[2].value - v[0].value;
  const float x = (a * (v[2].y - v[0].y) - b * (v[1].y - v[0].y)) / area;
  const float y = (b * (v[1].x - v[0].x) - a * (v[2].x - v[0].x)) / area;
  return hypotf(x, y);
}

/* Simple lighting: a lamp beside the camera and one from above. Colours must remain those of the
   colour bar, so a field is shaded little and never brighter than its colour; plain grey takes more
   contrast. */
static void shade(float rgb[3], const float normal[3], bool plain) {
  const float facing = fabsf(normal[2]);
  const float above = fmaxf(0, normal[1] * (normal[2] < 0 ? -1 : 1));
  const float light =
      plain ? 0.62F + 0.30F * facing + 0.12F * above : 0.84F + 0.10F * facing + 0.06F * above;
  for (int c = 0; c < 3; c++)
    rgb[c] = fminf(1, rgb[c] * light);
}

/* A small negative tolerance of the barycentric coordinates closes gaps between neighbouring
   triangles. Depth is linear in screen space; value and normal are interpolated with 1/w.
   Barycentric coordinates at the middle of each pixel; a depth buffer keeps the nearest surface.
   edges: which sides are drawn as lines. */
void ig_canvas_triangle(ig_canvas *canvas, const ig_vertex v[3], unsigned edges,
                        const ig_shading *shading) {
  const float area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y);
  if (!(fabsf(area) > 1e-9F))
    return;
  int xa, xb, ya, yb;
  clip(fminf(v[0].x, fminf(v[1].x, v[2].x)), fmaxf(v[0].x, fmaxf(v[1].x, v[2].x)), canvas->width,
       &xa, &xb);
  clip(fminf(v[0].y, fminf(v[1].y, v[2].y)), fmaxf(v[0].y, fmaxf(v[1].y, v[2].y)), canvas->height,
       &ya, &yb);
  float length[3]; /* of the side opposite corner i: side i+1 -> i+2 */
  for (int i = 0; i < 3; i++)
    length[i] = hypotf(v[(i + 2) % 3].x - v[(i + 1) % 3].x, v[(i + 2) % 3].y - v[(i + 1) % 3].y);
  const float line = 1.6F * value_slope(v, area); /* half the width of the line of the solidus */
  /* The middle of a pixel decides; a little beyond the edge is allowed, so that no gap shows
     between triangles. */
  for (int y = ya; y <= yb; y++)
    for (int x = xa; x <= xb; x++) {
      float b[3];
      for (int i = 0; i < 3; i++) {
        const ig_vertex *p = &v[(i + 1) % 3], *q = &v[(i + 2) % 3];
        b[i] = ((q->x - p->x) * ((float)y - p->y) - ((float)x - p->x) * (q->y - p->y)) / area;
      }
      if (b[0] < -1e-6F || b[1] < -1e-6F || b[2] < -1e-6F)
        continue;
      const float z = b[0] * v[0].z + b[1] * v[1].z + b[2] * v[2].z;
      const size_t at = (size_t)y * (size_t)canvas->width + (size_t)x;
      if (!(z < canvas->depth[at]))
        continue;
      canvas->depth[at] = z;
      /* Weights by 1/w give the right values under a perspective camera. */
      float w = 0, value = 0, normal[3] = {0, 0, 0}, rgb[3];
      for (int i = 0; i < 3; i++) {
        const float wi = b[i] * v[i].inverse_w;
        w += wi;
        value += wi * v[i].value;
        for (int c = 0; c < 3; c++)
          normal[c] += wi * v[i].normal[c];
      }
      const float n = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      for (int c = 0; c < 3; c++)
        normal[c] /= n > 0 ? n : 1;
      ig_shading_color(shading, value / w, rgb);
      shade(rgb, normal, isnan(value));
      if (shading->melts && fabsf(value / w - shading->melt) < line)
        rgb[0] = rgb[1] = rgb[2] = 0.05F;
      if (shading->edges)
        for (int i = 0; i < 3; i++)
          if (edges >> ((i + 1) % 3) & 1) {
            const float away = b[i] * fabsf(area) / length[i]; /* pixels from that side */
            const float ink = 0.75F * fminf(fmaxf(shading->edge_width / 2 + 0.5F - away, 0), 1);
            for (int c = 0; c < 3; c++)
              rgb[c] += (0.12F - rgb[c]) * ink;
          }
      memcpy(&canvas->rgb[3 * at], rgb, sizeof rgb);
    }
}

/* Depth and value vary along the rod; the normal across it. A thick line with round ends: all
   pixels within half its width. */
void ig_canvas_rod(ig_canvas *canvas, const ig_vertex v[2], float width,
                   const ig_shading *shading) {
  const float r = width / 2, dx = v[1].x - v[0].x, dy = v[1].y - v[0].y;
  const float length2 = dx * dx + dy * dy;
  int xa, xb, ya, yb;
  clip(fminf(v[0].x, v[1].x) - r, fmaxf(v[0].x, v[1].x) + r, canvas->width, &xa, &xb);
  clip(fminf(v[0].y, v[1].y) - r, fmaxf(v[0].y, v[1].y) + r, canvas->height, &ya, &yb);
  for (int y = ya; y <= yb; y++)
    for (int x = xa; x <= xb; x++) {
      const float px = (float)x - v[0].x, py = (float)y - v[0].y;
      const float away = segment_distance(px, py, dx, dy);
      if (!(away <= r))
        continue;
      const float t = length2 > 0 ? fminf(fmaxf((px * dx + py * dy) / length2, 0), 1) : 0;
      const float z = v[0].z + t * (v[1].z - v[0].z);
      const size_t at = (size_t)y * (size_t)canvas->width + (size_t)x;
      if (!(z < canvas->depth[at]))
        continue;
      canvas->depth[at] = z;
      const float across = away / r, normal[3] = {0, across, sqrtf(1 - across * across)};
      float rgb[3];
      ig_shading_color(shading, v[0].value + t * (v[1].value - v[0].value), rgb);
      shade(rgb, normal, isnan(v[0].value));
      memcpy(&canvas->rgb[3 * at], rgb, sizeof rgb);
    }
}

/* --- PNG (libpng reports errors by longjmp) */
/* No variables are changed between setjmp and longjmp, as the C standard requires. libpng reports
   errors by longjmp to here; dpi 0: none is written. */
static bool png_encode(const ig_canvas *canvas, double dpi, FILE *f, png_byte *row) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_init_io(png, f);
  png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)canvas->height, 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  /* PNG has pixels a metre. */
  if (dpi > 0) {
    const png_uint_32 metre = (png_uint_32)lround(dpi / 0.0254);
    png_set_pHYs(png, info, metre, metre, PNG_RESOLUTION_METER);
  }
  /* What the picture says, for readers that cannot see it and programs that sort pictures. */
  char program[48];
  png_text said[3] = {{0}};
  snprintf(program, sizeof program, "Ingot %s", ig_version());
  int texts = 0;
  for (int i = 0; canvas->titles && i < 2; i++)
    if (canvas->titles->line[i][0])
      said[texts++] = (png_text){.compression = PNG_ITXT_COMPRESSION_NONE,
                                 .key = (png_charp)(i ? "Description" : "Title"),
                                 .text = (png_charp)canvas->titles->line[i]};
  said[texts++] = (png_text){
      .compression = PNG_TEXT_COMPRESSION_NONE, .key = (png_charp) "Software", .text = program};
  png_set_text(png, info, said, texts);
  png_write_info(png, info);
  for (int y = 0; y < canvas->height; y++) {
    for (int i = 0; i < 3 * canvas->width; i++) {
      const float value = canvas->rgb[3 * (size_t)y * (size_t)canvas->width + (size_t)i];
      row[i] = (png_byte)(fminf(fmaxf(value, 0), 1) * 255 + 0.5F);
    }
    png_write_row(png, row);
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

/* Encoded into a memory stream; errors of libpng here can only be lack of memory. */
ig_status ig_canvas_png(ig_ctx *cx, const ig_canvas *canvas, double dpi, char **png, size_t *size) {
  png_byte *row = NULL;
  *png = NULL;
  IG_TRY(IG_NEW(cx, &row, 3 * canvas->width, "picture row"));
  FILE *f = open_memstream(png, size);
  bool good = f && png_encode(canvas, dpi, f, row);
  good = f && fclose(f) == 0 && good;
  free(row);
  if (good)
    return IG_OK;
  free(*png);
  *png = NULL;
  return IG_FAIL(cx, IG_MEMORY, "no memory for a picture");
}

/* --- camera */
/* out: pixel x, y, and depth (smaller is nearer). */
void ig_camera_project(const ig_camera *k, const double *p, double out[3]) {
  double d[3] = {0, 0, 0};
  const double *axes[3] = {k->right, k->up, k->back};
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < 3; c++)
      d[a] += axes[a][c] * (p[c] - k->centre[c]);
  const double w = isinf(k->distance) ? 1 : k->distance / (k->distance - d[2]);
  out[0] = k->shift_x + k->scale * d[0] * w;
  out[1] = k->shift_y - k->scale * d[1] * w;
  out[2] = -d[2]; /* nearer is smaller */
}
