/* The pole figure: where the <100> axes of the solidified cells point, seen from above, in the
   equal-area projection of the upper half of the sphere. poles.csv has the density in multiples of
   a random texture on a square raster; poles.png draws it. */
#include "grains/grains.h"
#include "core/number.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "io/picture/picture.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RASTER = 48 }; /* fields along the diameter, of equal solid angle each */

/* The projection: radius 1 is the horizon. */
static void project(const float *axis, double *x, double *y) {
  const double up = axis[2] < 0 ? -1 : 1, z = up * (double)axis[2];
  const double scale = up / sqrt(1 + z);
  *x = scale * (double)axis[0];
  *y = scale * (double)axis[1];
}

/* An axis counts by bilinear shares of the four fields around it, so that it does not depend on
   the raster whether two axes are near each other. */
static void axis_add(const float *axis, double weight, double *sum) {
  double x, y;
  project(axis, &x, &y);
  const double at[2] = {(x + 1) / 2 * RASTER - 0.5, (y + 1) / 2 * RASTER - 0.5};
  const int i = (int)floor(at[0]), j = (int)floor(at[1]);
  for (int k = 0; k < 4; k++) {
    const int a = i + k % 2, b = j + k / 2;
    const double share = (1 - fabs(at[0] - a)) * (1 - fabs(at[1] - b));
    if (a >= 0 && b >= 0 && a < RASTER && b < RASTER)
      sum[b * RASTER + a] += weight * share;
  }
}

static bool in_circle(int i, int j) {
  const double x = (i + 0.5) / RASTER * 2 - 1, y = (j + 0.5) / RASTER * 2 - 1;
  return x * x + y * y <= 1;
}

/* Random: each axis of a cell is equally likely in all fields of the circle. */
static void density_make(const ig_grains_run *r, const ig_grains_measure *m, double *sum) {
  const double fields = M_PI / 4 * RASTER * RASTER;
  for (int64_t g = 0; g < m->grains; g++) {
    const float *axes = ig_grains_axes_of(r, m->grain[g].id);
    for (int i = 0; i < 3; i++)
      axis_add(&axes[3 * i], (double)m->grain[g].cells, sum);
  }
  for (int i = 0; i < RASTER * RASTER; i++)
    sum[i] *= fields / (3 * (double)m->cells);
}

static ig_status table_write(const ig_grains_run *r, const double *density, ig_sink *to) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return IG_FAIL(r->cx, IG_MEMORY, "no memory for poles.csv");
  fputs("x,y,density\n", f);
  for (int j = 0; j < RASTER; j++)
    for (int i = 0; i < RASTER; i++)
      if (in_circle(i, j))
        ig_print(f, "%.9g,%.9g,%.9g\n", (i + 0.5) / RASTER * 2 - 1, (j + 0.5) / RASTER * 2 - 1,
                 density[j * RASTER + i]);
  const bool failed = ferror(f);
  const ig_status status = fclose(f) != 0 || failed
                               ? IG_FAIL(r->cx, IG_MEMORY, "no memory for poles.csv")
                               : to->file(to, "poles.csv", text, size);
  free(text);
  return status;
}

#ifdef INGOT_HAVE_IO
enum { WIDE = 560, HIGH = 480, LEFT = 30, TOP = 50, ACROSS = 400 };

/* The map, its circle, a bar of colours from 0 to the largest density. */
static void draw(const double *density, double most, ig_canvas *k) {
  static const float white[3] = {1, 1, 1}, black[3] = {0.1f, 0.1f, 0.1f};
  char text[64];
  float rgb[3];
  ig_canvas_rect(k, 0, 0, WIDE, HIGH, white);
  for (int y = 0; y < ACROSS; y++)
    for (int x = 0; x < ACROSS; x++) {
      const double u = (x + 0.5) / ACROSS * 2 - 1, v = 1 - (y + 0.5) / ACROSS * 2;
      const int i = (int)((u + 1) / 2 * RASTER), j = (int)((v + 1) / 2 * RASTER);
      if (u * u + v * v > 1)
        continue;
      ig_palette_color(ig_palette_name(0), (float)(density[j * RASTER + i] / most), rgb);
      ig_canvas_rect(k, LEFT + x, TOP + y, 1, 1, rgb);
    }
  for (int i = 0; i < 180; i++) {
    const double a = 2 * M_PI * i / 180, b = 2 * M_PI * (i + 1) / 180, radius = 0.5 * ACROSS;
    ig_canvas_line(k, (float)(LEFT + radius * (1 + cos(a))), (float)(TOP + radius * (1 + sin(a))),
                   (float)(LEFT + radius * (1 + cos(b))), (float)(TOP + radius * (1 + sin(b))),
                   1.5f, black);
  }
  for (int y = 0; y < ACROSS; y++) {
    ig_palette_color(ig_palette_name(0), (float)(1 - (y + 0.5) / ACROSS), rgb);
    ig_canvas_rect(k, LEFT + ACROSS + 30, TOP + y, 18, 1, rgb);
  }
  ig_canvas_text(k, LEFT, 32, 13, black, "<100> poles, seen along z");
  snprintf(text, sizeof text, "%.2g", most);
  ig_canvas_text(k, LEFT + ACROSS + 54, TOP + 12, 12, black, text);
  ig_canvas_text(k, LEFT + ACROSS + 54, TOP + ACROSS, 12, black, "0");
  ig_canvas_text(k, LEFT, HIGH - 12, 11, black, "x to the right, y upwards; times random");
}

static ig_status picture_write(const ig_grains_run *r, const double *density, ig_sink *to) {
  ig_canvas k;
  char *png = NULL;
  size_t size = 0;
  double most = 1;
  for (int i = 0; i < RASTER * RASTER; i++)
    most = fmax(most, density[i]);
  IG_TRY(ig_canvas_new(r->cx, WIDE, HIGH, &k));
  draw(density, most, &k);
  ig_status status = ig_canvas_png(r->cx, &k, 0, &png, &size);
  if (status == IG_OK)
    status = to->file(to, "poles.png", png, size);
  free(png);
  ig_canvas_free(&k);
  return status;
}
#else
static ig_status picture_write(const ig_grains_run *r, const double *density, ig_sink *to) {
  (void)r, (void)density, (void)to;
  return IG_OK;
}
#endif

ig_status ig_grains_poles(const ig_grains_run *r, const ig_grains_measure *m, ig_sink *to) {
  double *density;
  if (m->cells == 0)
    return IG_OK;
  IG_TRY(IG_NEW(r->cx, &density, RASTER * RASTER, "a pole figure"));
  density_make(r, m, density);
  ig_status status = table_write(r, density, to);
  if (status == IG_OK)
    status = picture_write(r, density, to);
  free(density);
  return status;
}
