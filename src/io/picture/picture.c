/* Drawing a snapshot into a PNG file without a graphics library: a software rasteriser, so that
   pictures work on any machine and have the same pixels everywhere.

   read     one or two snapshots (or an STL surface)
   select   cells within a threshold; displacements added to the points (warp)
   surface  outer faces of the cells (picture_surface.c), cut by a plane (picture_cut.c)
   project  camera that fits the part into its window
   paint    triangles with depth buffer and shading (picture_canvas.c)
   label    colour bar, axes, time, title (picture_text.c)

   Everything is drawn at twice the size and averaged down (anti-aliasing). */
#include "io/picture/picture.h"
#include "core/require.h"
#include "core/display.h"
#include "core/number.h"
#include "core/ticks.h"
#include "io/mesh/stl.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SUPERSAMPLE: factor of the internal size. SIDES: snapshots side by side, at most. */
enum { SUPERSAMPLE = 2, SIDES = 2 };
static const double PI = 3.14159265358979323846;
static const float INK[3] = {0.13F, 0.14F, 0.16F};

/* --- selection of cells */
/* *keep NULL: all cells. For a point field a cell is kept if all its points are within the range.
 *keep NULL: all. Cells whose value is not a number are left out. */
static ig_status cells_keep(const ig_snapshot *snap, const char *path, const ig_view_options *o,
                            uint8_t **keep) {
  *keep = NULL;
  if (!o->threshold)
    return IG_OK;
  ig_scalar s;
  IG_TRY(ig_scalar_find(snap, path, o->threshold, &s));
  IG_TRY(IG_NEW(snap->cx, keep, snap->cells, "cell selection"));
  const double shift =
      ig_display_of(s.label, s.field->unit, 0, o->celsius && !snap->iterations).shift;
  const double low = o->threshold_range[0] - shift, high = o->threshold_range[1] - shift;
  for (int64_t c = 0; c < snap->cells; c++) {
    bool inside = true;
    if (s.field->where == IG_AT_CELLS) {
      const double v = ig_scalar_value(&s, c);
      inside = v >= low && v <= high;
    } else {
      for (int64_t i = snap->offset[c]; i < snap->offset[c + 1] && inside; i++) {
        const double v = ig_scalar_value(&s, snap->corner[i]);
        inside = v >= low && v <= high;
      }
    }
    (*keep)[c] = inside;
  }
  return IG_OK;
}

/* Moves the points of the snapshot in place by a factor times a vector field. */
static ig_status points_warp(ig_snapshot *snap, const char *path, const ig_view_options *o) {
  if (!o->warp || strcmp(o->warp, "none") == 0)
    return IG_OK;
  ig_scalar s;
  IG_TRY(ig_scalar_find(snap, path, o->warp, &s));
  if (s.field->where != IG_AT_POINTS || s.field->components != 3)
    return IG_FAIL(snap->cx, IG_INPUT, "%s: cannot deform by '%s': it is no vector at the points",
                   path, o->warp);
  const double scale = o->warp_scale != 0 ? o->warp_scale : 1;
  for (int64_t i = 0; i < 3 * snap->points; i++)
    snap->point[i] += scale * ig_field_number(s.field, i);
  return IG_OK;
}

/* 1/w of a vertex, for interpolation that is correct in perspective. */
static double camera_weight(const ig_camera *k, double depth) {
  return isinf(k->distance) ? 1 : 1 / (k->distance + depth);
}

/* Point number of corner i: corners of triangles first, then ends of rods. */
static int64_t surface_id(const ig_surface *s, int64_t i) {
  return i < 3 * s->triangles ? s->corner[i] : s->rod[i - 3 * s->triangles];
}

/* Sets direction and centre of the camera and finds the extent of the projection at scale 1.
   Returns the diagonal of the part, m. Flat models are seen from the front in parallel projection;
   solids in perspective from 2.6 diagonals away, which shows depth without distortion. */
static double camera_aim(ig_camera *k, const ig_snapshot *snap, const ig_surface *surface,
                         const ig_view_options *o) {
  const int64_t count = 3 * surface->triangles + 2 * surface->rods;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < count; i++) {
    double p[3];
    ig_surface_at(snap, surface, surface_id(surface, i), p);
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], p[c]);
      high[c] = fmax(high[c], p[c]);
    }
  }
  double diagonal = 0;
  for (int c = 0; c < 3; c++) {
    k->centre[c] = (low[c] + high[c]) / 2;
    diagonal += (high[c] - low[c]) * (high[c] - low[c]);
  }
  diagonal = diagonal > 0 ? sqrt(diagonal) : 1;
  const bool facing = surface->flat && !o->fixed_camera;
  /* a section is seen from the front, a part from three quarters */
  static const double usual[4][2] = {{-60, 25}, {0, 0}, {-90, 0}, {-90, 90}};
  const double *from = usual[o->slice ? o->cut_axis : 0];
  const double azimuth = (o->fixed_camera ? o->azimuth : from[0]) * PI / 180;
  const double elevation = (o->fixed_camera ? o->elevation : from[1]) * PI / 180;
  if (facing) {
    const ig_camera front = {.right = {1, 0, 0}, .up = {0, 1, 0}, .back = {0, 0, 1}};
    memcpy(k->right, front.right, sizeof k->right);
    memcpy(k->up, front.up, sizeof k->up);
    memcpy(k->back, front.back, sizeof k->back);
    k->distance = INFINITY;
  } else {
    const double ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);
    const double right[3] = {-sa, ca, 0}, up[3] = {-se * ca, -se * sa, ce};
    const double back[3] = {ce * ca, ce * sa, se};
    memcpy(k->right, right, sizeof right);
    memcpy(k->up, up, sizeof up);
    memcpy(k->back, back, sizeof back);
    k->distance = 2.6 * diagonal;
  }
  /* project once at scale 1, then fit what was found into the window */
  k->scale = 1;
  k->shift_x = k->shift_y = 0;
  const double none[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  memcpy(k->box, none, sizeof none);
  for (int64_t i = 0; i < count; i++) {
    double at[3], p[3];
    ig_surface_at(snap, surface, surface_id(surface, i), at);
    ig_camera_project(k, at, p);
    for (int c = 0; c < 2; c++) {
      k->box[c] = fmin(k->box[c], p[c]);
      k->box[2 + c] = fmax(k->box[2 + c], p[c]);
    }
  }
  for (int c = 0; c < 2; c++)
    k->box[2 + c] = fmax(k->box[2 + c], k->box[c] + 1e-12 * diagonal);
  return diagonal;
}

/* Largest scale at which the projection fits into a window (pixels); and the shift that centres it
   there. */
static double camera_fits(const ig_camera *k, const double window[4]) {
  return fmin((window[2] - window[0]) / (k->box[2] - k->box[0]),
              (window[3] - window[1]) / (k->box[3] - k->box[1]));
}
/* Scale and shift that bring the body's box into the middle of a window, pixels. */
static void camera_place(ig_camera *k, const double window[4], double scale) {
  k->scale = scale;
  k->shift_x = (window[0] + window[2]) / 2 - scale * (k->box[0] + k->box[2]) / 2;
  k->shift_y = (window[1] + window[3]) / 2 - scale * (k->box[1] + k->box[3]) / 2;
}

/* --- normals: smooth where the surface is, sharp at its edges */
/* Not normalised: its length is twice the area, so that sums over triangles are weighted by
   area. */
static void face_normal(const ig_snapshot *snap, const ig_surface *s, int64_t t, double n[3]) {
  double p[3], q[3], r[3];
  ig_surface_at(snap, s, s->corner[3 * t], p);
  ig_surface_at(snap, s, s->corner[3 * t + 1], q);
  ig_surface_at(snap, s, s->corner[3 * t + 2], r);
  const double a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  const double b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
  n[0] = a[1] * b[2] - a[2] * b[1];
  n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A vector of no length stays zero. */
static void unit(double n[3]) {
  const double length = sqrt(dot(n, n));
  for (int c = 0; c < 3; c++)
    n[c] = length > 0 ? n[c] / length : 0;
}

/* --- painting */
/* Everything about one part in the picture. */
typedef struct {
  const ig_snapshot *snap;
  const ig_surface *surface;
  const ig_scalar *s; /* NULL: plain */
  double low, high;
  ig_camera camera;
  ig_shading shading;
  const float *smooth; /* points x 3 */
  double size;         /* of the part */
  const double *nodal; /* a cell field averaged at the points; NULL: values as they are */
  double solidus;      /* K; NAN: no melt is shown */
  bool celsius;
} scene;

/* Value as a share 0..1 of the colour range. Halves are subtracted, so that the difference cannot
   overflow. A field that is constant to rounding gets the middle colour. */
static float share_of(const scene *k, double v) {
  if (!ig_range_spans(k->low, k->high))
    return isnan(v) ? NAN : 0.5F;
  return (float)((v / 2 - k->low / 2) / (k->high / 2 - k->low / 2));
}

/* An element without a value has none at its nodes either. */
static float scene_value(const scene *k, int64_t cell, int64_t point) {
  if (!k->s)
    return NAN;
  const double v = ig_surface_value(k->snap, k->surface, k->s, cell, point);
  if (!k->nodal || isnan(v))
    return share_of(k, v);
  if (point < k->snap->points)
    return share_of(k, k->nodal[point]);
  const ig_between *b = &k->surface->between[point - k->snap->points];
  return share_of(k, (1 - b->t) * k->nodal[b->a] + b->t * k->nodal[b->b]);
}

/* Values of elements averaged at their points, over the elements that are drawn: for quantities
   that are continuous, which are those with a unit and strains. Points on two sides of a crack are
   two. */
static ig_status nodal_make(ig_ctx *cx, const ig_snapshot *snap, const uint8_t *keep,
                            const ig_scalar *s, double **nodal) {
  const ig_field *f = s->field;
  int32_t *count = NULL;
  *nodal = NULL;
  if (f->where != IG_AT_CELLS || (!*f->unit && !strstr(f->name, "strain")))
    return IG_OK;
  IG_TRY(IG_NEW(cx, nodal, snap->points + 1, "nodal values"));
  IG_TRY(IG_NEW(cx, &count, snap->points + 1, "nodal values"));
  for (int64_t c = 0; c < snap->cells; c++) {
    const double v = ig_scalar_value(s, c);
    if ((keep && !keep[c]) || isnan(v))
      continue;
    for (int64_t i = snap->offset[c]; i < snap->offset[c + 1]; i++) {
      (*nodal)[snap->corner[i]] += v;
      count[snap->corner[i]]++;
    }
  }
  for (int64_t i = 0; i < snap->points; i++)
    (*nodal)[i] = count[i] ? (*nodal)[i] / count[i] : NAN;
  free(count);
  return IG_OK;
}

/* Projects a corner. The averaged normal of the point is used if it is close to the face's own; at
   sharp edges the face's normal is used. Place, depth, light and value of one corner. Normals are
   averaged over neighbours where the surface is smooth, which hides the facets. */
static void scene_vertex(const scene *k, int64_t cell, int64_t point, const double normal[3],
                         ig_vertex *v) {
  double at[3], p[3], n[3] = {normal[0], normal[1], normal[2]};
  ig_surface_at(k->snap, k->surface, point, at);
  ig_camera_project(&k->camera, at, p);
  if (k->smooth) {
    double average[3];
    for (int c = 0; c < 3; c++)
      average[c] = (double)k->smooth[3 * point + c];
    unit(average);
    const double agree = dot(average, normal);
    if (fabs(agree) > 0.9) /* within 26 degrees: the same smooth surface */
      for (int c = 0; c < 3; c++)
        n[c] = agree > 0 ? average[c] : -average[c];
  }
  v->x = (float)p[0];
  v->y = (float)p[1];
  v->z = (float)p[2];
  v->inverse_w = (float)camera_weight(&k->camera, p[2]);
  v->value = scene_value(k, cell, point);
  v->normal[0] = (float)dot(n, k->camera.right);
  v->normal[1] = (float)dot(n, k->camera.up);
  v->normal[2] = (float)dot(n, k->camera.back);
}

/* First pass: normals of points as sums over faces. Second pass: triangles. Then rods, moved
   slightly towards the viewer so that they are visible on faces. */
static ig_status scene_paint(scene *k, ig_canvas *canvas) {
  const ig_surface *s = k->surface;
  ig_ctx *cx = k->snap->cx;
  float *smooth = NULL;
  IG_TRY(IG_NEW(cx, &smooth, 3 * (k->snap->points + s->betweens), "normals"));
  for (int64_t t = 0; t < s->triangles; t++) {
    double n[3];
    face_normal(k->snap, s, t, n);
    for (int i = 0; i < 3; i++) {
      float *sum = &smooth[3 * s->corner[3 * t + i]];
      /* shells may be numbered either way round: add on the side the sum is on */
      const double side = (double)sum[0] * n[0] + (double)sum[1] * n[1] + (double)sum[2] * n[2];
      for (int c = 0; c < 3; c++)
        sum[c] += (float)(side < 0 ? -n[c] : n[c]);
    }
  }
  k->smooth = smooth;
  /* Triangles by the depth buffer, so their order does not matter. */
  for (int64_t t = 0; t < s->triangles && !cx->interrupted; t++) {
    double n[3];
    face_normal(k->snap, s, t, n);
    unit(n);
    ig_vertex v[3];
    for (int i = 0; i < 3; i++)
      scene_vertex(k, s->cell[t], s->corner[3 * t + i], n, &v[i]);
    ig_canvas_triangle(canvas, v, s->edges[t], &k->shading);
  }
  k->smooth = NULL;
  free(smooth);
  /* Rods are lifted a little towards the eye, or faces would cover half of them. */
  for (int64_t r = 0; r < s->rods && !cx->interrupted; r++) {
    ig_vertex v[2];
    const double none[3] = {0, 0, 1};
    for (int i = 0; i < 2; i++) {
      scene_vertex(k, s->rod_cell[r], s->rod[2 * r + i], none, &v[i]);
      v[i].z -= 1e-4F * (float)k->size; /* before the face it lies in */
    }
    ig_canvas_rod(canvas, v, 0.004F * (float)canvas->height, &k->shading);
  }
  return ig_interrupt_take(cx, "drawing");
}

/* --- legend */

/* Height of a capital, pixels: a share of the picture's height, and never below 7 final pixels. */
static float text_size(const ig_canvas *c) {
  return fmaxf(0.017F * (float)c->height, 7.0F * SUPERSAMPLE);
}

/* Values are shown with a prefix that suits the larger end of the range. */
static ig_display bar_display(const scene *k) {
  return ig_display_of(k->s->label, k->s->field->unit, fmax(fabs(k->low), fabs(k->high)),
                       k->celsius);
}

/* How many ticks a bar has: numbers of regions have none between them. */
static int ticks_wanted(const scene *k) {
  static const char *const counted[] = {"tag", "block", "fragment", "grain"};
  for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
    if (strcmp(k->s->field->name, counted[i]) == 0)
      return (int)fmin(6, fmax(1, floor(k->high - k->low)));
  return 6;
}

/* Colour bar with ticks at round numbers in a readable unit (core/display.h). */
static void legend_bar(ig_canvas *c, const scene *k) {
  const float h = (float)c->height, size = text_size(c);
  const int x = (int)(0.885 * c->width), w = (int)(0.022 * h), y0 = (int)(0.2 * h),
            y1 = (int)(0.84 * h);
  for (int y = y0; y <= y1; y++) {
    float rgb[3];
    ig_shading_color(&k->shading, (float)(y1 - y) / (float)(y1 - y0), rgb);
    ig_canvas_rect(c, x, y, w, 1, rgb);
  }
  const ig_display shown = bar_display(k);
  const ig_ticks ticks = ig_ticks_between(ig_display_number(&shown, k->low),
                                          ig_display_number(&shown, k->high), ticks_wanted(k));
  char text[IG_TICK_TEXT], label[200];
  float widest = 0; /* many digits, of small differences of large values, are written smaller */
  for (int i = 0; i < ticks.count; i++) {
    ig_tick_text(&ticks, i, text);
    widest = fmaxf(widest, ig_text_width(size, text));
  }
  const float at = (float)(x + w) + 0.014F * h, space = (float)c->width - at - 0.01F * h;
  const float small = widest > space ? size * space / widest : size;
  /* The solidus is named on the bar; a tick that is too close makes room. */
  const float solidus = k->shading.melts && k->shading.melt > 0
                            ? (float)y1 - k->shading.melt * (float)(y1 - y0)
                            : NAN;
  if (isfinite(solidus)) {
    char name[64];
    ig_format(name, sizeof name, "solidus %.4g", ig_display_number(&shown, k->solidus));
    const float tight = fminf(small, small * space / ig_text_width(small, name));
    ig_canvas_line(c, (float)x, solidus, (float)(x + w) + 0.006F * h, solidus, 0.003F * h, INK);
    ig_canvas_text(c, at, solidus + tight / 2, tight, INK, name);
  }
  for (int i = 0; i < ticks.count; i++) {
    const float y =
        (float)y1 - share_of(k, (ticks.value[i] - shown.shift) / shown.factor) * (float)(y1 - y0);
    if (fabsf(y - solidus) < 1.6F * small)
      continue;
    ig_canvas_line(c, (float)(x + w), y, (float)(x + w) + 0.006F * h, y, 0.0016F * h, INK);
    ig_tick_text(&ticks, i, text);
    ig_canvas_text(c, at, y + small / 2, small, INK, text);
  }
  if (ticks.count == 0) {
    ig_format(text, sizeof text, "%.6g", ig_display_number(&shown, k->low));
    ig_canvas_text(c, at, (float)(y0 + y1) / 2, size, INK, text);
  }
  /* the name stands above the bar, kept inside the picture */
  if (*shown.unit)
    snprintf(label, sizeof label, "%s [%s]", k->s->label, shown.unit);
  else
    snprintf(label, sizeof label, "%s", k->s->label);
  const float width = ig_text_width(size, label);
  const float left = fminf((float)x, (float)c->width - width - 0.02F * h);
  ig_canvas_text(c, left, (float)y0 - 0.03F * h, size, INK, label);
}

/* The three axes as the camera sees them; one that points at the viewer is omitted. */
static void legend_axes(ig_canvas *c, const ig_camera *k, bool facing) {
  static const float color[3][3] = {
      {0.80F, 0.20F, 0.18F}, {0.20F, 0.58F, 0.25F}, {0.18F, 0.36F, 0.78F}};
  static const char *const name[] = {"x", "y", "z"};
  const float h = (float)c->height, length = 0.055F * h, ox = 0.085F * h, oy = 0.90F * h;
  for (int a = 0; a < (facing ? 2 : 3); a++) {
    const float dx = (float)k->right[a] * length, dy = -(float)k->up[a] * length;
    if (hypotf(dx, dy) < 0.1F * length)
      continue; /* seen from its end */
    ig_canvas_line(c, ox, oy, ox + dx, oy + dy, 0.003F * h, color[a]);
    ig_canvas_text(c, ox + 1.28F * dx - 0.005F * h, oy + 1.28F * dy + 0.006F * h,
                   0.9F * text_size(c), color[a], name[a]);
  }
}

/* Time in a readable unit. */
static void time_text(double t, char *text, size_t size) {
  const ig_display shown = ig_display_for("s", t);
  ig_format(text, size, "t = %.4g %s", shown.factor * t, shown.unit);
}

/* --- the whole picture */

/* One of the results that a picture shows. Arrays are owned and freed by part_free. */
typedef struct {
  const char *path;
  ig_snapshot *snap;
  bool stl; /* a surface alone */
  uint8_t *keep;
  double *drawn;             /* points before they were moved, if the outline is wanted */
  ig_surface surface, whole; /* whole: before a cut, if the outline is wanted */
  ig_scalar s;
  scene scene;
  double magnified; /* how many times the displacements are shown; 0: not deformed */
  const char *mode; /* the shape that is shown; NULL: none */
  double *nodal;
  ig_marks marks;
} part;

static void part_free(part *p) {
  ig_surface_free(&p->surface);
  ig_surface_free(&p->whole);
  ig_snapshot_free(p->snap);
  free(p->keep);
  free(p->drawn);
  free(p->nodal);
  ig_marks_free(&p->marks);
}

/* By the ending of the name. */
static ig_status part_read(ig_ctx *cx, const char *path, part *p) {
  const char *ending = strrchr(path, '.');
  p->path = path;
  p->stl = ending && strcmp(ending, ".stl") == 0;
  if (p->stl)
    return ig_stl_read(cx, path, &p->snap);
  IG_TRY(ig_snapshot_read(cx, path, &p->snap));
  return ig_opening_add(p->snap);
}

/* --- defaults */

/* A magnification of displacements, rounded down to one digit, at which the largest is a twentieth
   of the part; 1 if displacements are visible as they are (above 1 % of the size). */
double ig_warp_usual(double size, double most) {
  if (!(most > 0) || most > 0.01 * size)
    return 1;
  const double scale = 0.05 * size / most, power = pow(10, floor(log10(scale)));
  return power * floor(scale / power);
}

double ig_mode_usual(double size) {
  const double power = pow(10, floor(log10(0.1 * size)));
  return power * ceil(0.1 * size / power);
}

/* Whether a cell field has a value in the range anywhere. */
static bool any_cell(const ig_snapshot *snap, const ig_field *f, double low, double high) {
  for (int64_t c = 0; c < snap->cells; c++) {
    const double v = ig_field_number(f, c);
    if (v >= low && v <= high)
      return true;
  }
  return false;
}

/* Defaults if the user asks for nothing: of a design the dense cells (density above 0.5); of a
   fractured body the bulk without cohesive elements; displacements magnified to be visible. What is
   shown when nothing was asked for: of a design the dense part, of a fracture the body without its
   cohesive elements, displacements magnified. */
static void options_usual(const ig_snapshot *snap, ig_view_options *o) {
  const ig_field *density = ig_snapshot_find(snap, IG_AT_CELLS, "density");
  const ig_field *block = ig_snapshot_find(snap, IG_AT_CELLS, "block");
  const ig_field *moved = ig_vector_find(snap, "displacement");
  /* Anything that was asked for switches these defaults off. */
  if (o->field || o->threshold || o->warp || o->second)
    return;
  o->loads = true;
  if (ig_vector_find(snap, "mode_1")) {
    o->warp = "mode_1";
    return;
  }
  if (density && snap->iterations && any_cell(snap, density, 0.5, INFINITY)) {
    o->threshold = "density";
    o->threshold_range[0] = 0.5;
    o->threshold_range[1] = INFINITY;
  } else if (block && any_cell(snap, block, 0, 0) && any_cell(snap, block, 1, INFINITY)) {
    o->threshold = "block";
    o->threshold_range[0] = o->threshold_range[1] = 0;
  }
  /* Displacements of a design are of loads of any size, so they are not shown. */
  if (!moved || snap->iterations)
    return;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double size = 0, most = 0;
  for (int64_t i = 0; i < 3 * snap->points; i++) {
    low[i % 3] = fmin(low[i % 3], snap->point[i]);
    high[i % 3] = fmax(high[i % 3], snap->point[i]);
    most = fmax(most, fabs(ig_field_number(moved, i)));
  }
  for (int c = 0; c < 3; c++)
    size += (high[c] - low[c]) * (high[c] - low[c]);
  if (most > 0) {
    o->warp = "displacement";
    o->warp_scale = ig_warp_usual(sqrt(size), most);
    o->outline = true;
  }
}

/* The diagonal of the box around all points. */
static double part_size(const ig_snapshot *snap) {
  double size = 0;
  for (int c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < snap->points; i++) {
      low = fmin(low, snap->point[3 * i + c]);
      high = fmax(high, snap->point[3 * i + c]);
    }
    size += high > low ? (high - low) * (high - low) : 0;
  }
  return sqrt(size);
}

/* Shapes of modes have no size: drawn as large as can be seen, colored by themselves. */
static bool shows_mode(const ig_view_options *o) {
  return o->warp && strncmp(o->warp, "mode_", 5) == 0;
}
static void mode_usual(const ig_snapshot *snap, ig_view_options *o) {
  if (!shows_mode(o))
    return;
  o->warp_scale = o->warp_scale != 0 ? o->warp_scale : ig_mode_usual(part_size(snap));
  o->field = o->field ? o->field : o->warp;
  o->outline = true;
}

/* The outline is that of the undeformed shape, so points and surface are copied before they are
   moved. */
static ig_status part_shape(ig_ctx *cx, part *p, const ig_view_options *o) {
  IG_TRY(cells_keep(p->snap, p->path, o, &p->keep));
  if (o->outline) {
    IG_TRY(IG_NEW(cx, &p->drawn, 3 * p->snap->points + 1, "the outline"));
    memcpy(p->drawn, p->snap->point, 3 * (size_t)p->snap->points * sizeof *p->drawn);
    IG_TRY(ig_surface_new(cx, p->snap, p->keep, &p->whole));
  }
  IG_TRY(points_warp(p->snap, p->path, o));
  IG_TRY(ig_surface_new(cx, p->snap, p->keep, &p->surface));
  if (p->surface.triangles + p->surface.rods == 0)
    return IG_FAIL(cx, IG_INPUT, "%s: nothing to draw%s", p->path,
                   o->threshold ? ": no cell lies within the threshold" : "");
  if (o->cut_axis)
    IG_TRY(ig_surface_cut(cx, p->snap, p->keep, o->cut_axis - 1, o->cut_at, o->slice, &p->surface));
  return IG_OK;
}

/* Selects the field; "none" gives a plain grey part. */
static ig_status part_field(part *p, const ig_view_options *o) {
  const char *field = o->field ? o->field : ig_field_usual(p->snap, p->keep);
  p->scene = (scene){.snap = p->snap, .surface = &p->surface};
  if (strcmp(field, "none") == 0)
    return IG_OK;
  IG_TRY(ig_scalar_find(p->snap, p->path, field, &p->s));
  p->scene.s = &p->s;
  /* Temperatures of a design are above those that are prescribed, not absolute. */
  p->scene.celsius = o->celsius && !p->snap->iterations;
  p->scene.solidus = NAN;
  return IG_OK;
}

/* Range of the field over what is visible, not over the whole snapshot. */
static void part_range(const part *p, double range[2]) {
  const ig_surface *s = &p->surface;
  for (int64_t i = 0; p->scene.s && i < 3 * s->triangles + 2 * s->rods; i++) {
    const int64_t j = i - 3 * s->triangles, cell = j < 0 ? s->cell[i / 3] : s->rod_cell[j / 2];
    const double v = ig_surface_value(p->snap, s, &p->s, cell, surface_id(s, i));
    if (isfinite(v)) {
      range[0] = fmin(range[0], v);
      range[1] = fmax(range[1], v);
    }
  }
}

/* Difference of the field between two snapshots on the same mesh, added as a field of the first.
   First minus second, value by value; both must have the same mesh, by its counts. */
static ig_status parts_subtract(ig_ctx *cx, part p[2], const ig_view_options *o, char name[96]) {
  part *a = &p[0], *b = &p[1];
  IG_TRY(part_field(a, o));
  IG_TRY(part_field(b, o));
  if (!a->scene.s || !b->scene.s)
    return IG_FAIL(cx, IG_INPUT, "a difference needs a field");
  if (a->snap->points != b->snap->points || a->snap->cells != b->snap->cells ||
      a->s.field->where != b->s.field->where)
    return IG_FAIL(cx, IG_INPUT,
                   "no difference: '%s' has %lld points and %lld cells, '%s' %lld and %lld; two "
                   "results on the same mesh are needed",
                   a->path, (long long)a->snap->points, (long long)a->snap->cells, b->path,
                   (long long)b->snap->points, (long long)b->snap->cells);
  /* The result is a further field of the first snapshot. */
  const ig_location where = a->s.field->where;
  const int64_t count = where == IG_AT_CELLS ? a->snap->cells : a->snap->points;
  char unit[24];
  double *value = NULL, *data;
  snprintf(name, 96, "difference of %.40s", o->field ? o->field : a->s.field->name);
  snprintf(unit, sizeof unit, "%s", a->s.field->unit);
  IG_TRY(IG_NEW(cx, &value, count + 1, "a difference"));
  for (int64_t i = 0; i < count; i++)
    value[i] = ig_scalar_value(&a->s, i) - ig_scalar_value(&b->s, i);
  const ig_status status =
      ig_snapshot_add(a->snap, name, unit, where, IG_F64, 1, value, (void **)&data);
  free(value);
  return status;
}

/* Time or iteration, and the magnification if it is not 1 or the undeformed outline is beside it: a
   reader must see whether a shape is exaggerated. */
static void time_show(ig_canvas *canvas, const part *p, float left) {
  const float h = (float)canvas->height;
  char text[64] = "";
  if (p->mode)
    ig_format(text, sizeof text, "shape of %.20s, undeformed outline", p->mode);
  else if (p->snap->iterations)
    ig_format(text, sizeof text, "iteration %.0f", p->snap->time);
  else if (!isnan(p->snap->time))
    time_text(p->snap->time, text, sizeof text);
  if (p->magnified > 0 && (p->magnified != 1 || p->drawn))
    ig_format(text + strlen(text), sizeof text - strlen(text), "%sdeformed x %.4g",
              *text ? ", " : "", p->magnified);
  ig_canvas_text(canvas, left + 0.17F * h, 0.955F * h, text_size(canvas), INK, text);
}

/* Name of the result folder: "out/run-1/snap_000010.vtkhdf" gives "run-1". */
static void folder_show(ig_canvas *canvas, const part *p, float left) {
  const char *slash = strrchr(p->path, '/'), *from = slash;
  char text[64];
  while (from && from > p->path && from[-1] != '/')
    from--;
  if (slash)
    snprintf(text, sizeof text, "%.*s", (int)(slash - from < 60 ? slash - from : 60), from);
  else
    snprintf(text, sizeof text, "%.60s", p->path);
  ig_canvas_text(canvas, left + 0.04F * (float)canvas->height, 0.14F * (float)canvas->height,
                 text_size(canvas), INK, text);
}

/* Part, then outline and arrows on top of it. */
static ig_status part_draw(part *p, const ig_view_options *o, ig_canvas *canvas) {
  scene *k = &p->scene;
  ig_ctx *cx = p->snap->cx;
  IG_TRY(scene_paint(k, canvas));
  if (p->drawn)
    IG_TRY(ig_outline_draw(cx, &p->whole, p->drawn, p->snap->points, &k->camera, k->size, canvas));
  if (o->arrows)
    IG_TRY(
        ig_arrows_draw(cx, p->snap, p->path, o->arrows, &p->surface, &k->camera, k->size, canvas));
  ig_marks_draw(&p->marks, &k->camera, k->size, canvas, !o->bare,
                (k->s && !o->bare ? 0.86F : 0.97F) * (float)canvas->width, text_size(canvas));
  return IG_OK;
}

/* The undeformed shape is within the frame, too. */
static void outline_box(const part *p, ig_camera *camera) {
  for (int64_t i = 0; i < 3 * p->whole.triangles; i++) {
    double at[3];
    ig_camera_project(camera, &p->drawn[3 * p->whole.corner[i]], at);
    for (int c = 0; c < 2; c++) {
      camera->box[c] = fmin(camera->box[c], at[c]);
      camera->box[2 + c] = fmax(camera->box[2 + c], at[c]);
    }
  }
}

/* Two parts are drawn at the same scale, so that they can be compared. One or two windows beside
   each other with one scale, so that sizes can be compared; room at the right for the bar of
   colours. */
static ig_status parts_draw(part *p, int parts, const ig_view_options *o, const ig_titles *titles,
                            ig_canvas *canvas) {
  const double w = canvas->width, h = canvas->height;
  const bool bar = p[0].scene.s && !o->bare;
  const double right = bar ? 0.86 * w : 0.97 * w;
  double window[SIDES][4], scale = INFINITY;
  for (int i = 0; i < parts; i++) {
    const double from = right * i / parts, to = right * (i + 1) / parts;
    const double one[4] = {from + 0.06 * w / parts,
                           (parts > 1 ? 0.16
                            : o->bare ? 0.05
                                      : 0.12) *
                               h,
                           to - (parts > 1 ? 0.03 * w : 0.0), 0.91 * h};
    memcpy(window[i], one, sizeof one);
    p[i].scene.size = camera_aim(&p[i].scene.camera, p[i].snap, &p[i].surface, o);
    ig_marks_box(&p[i].marks, &p[i].scene.camera, p[i].scene.size);
    if (p[i].drawn)
      outline_box(&p[i], &p[i].scene.camera);
    scale = fmin(scale, camera_fits(&p[i].scene.camera, window[i]));
  }
  /* One scale for all parts. */
  scale *= o->zoom > 0 ? o->zoom : 1;
  for (int i = 0; i < parts; i++) {
    camera_place(&p[i].scene.camera, window[i], scale);
    IG_TRY(part_draw(&p[i], o, canvas));
    if (!o->bare)
      time_show(canvas, &p[i], (float)(right * i / parts));
    if (!o->bare && parts > 1)
      folder_show(canvas, &p[i], (float)(right * i / parts));
  }
  if (o->bare)
    return IG_OK;
  if (bar)
    legend_bar(canvas, &p[0].scene);
  legend_axes(canvas, &p[0].scene.camera, p[0].surface.flat && !o->fixed_camera);
  ig_titles_draw(canvas, titles, text_size(canvas));
  return IG_OK;
}

/* Marks of the folder; supports of a design where there is material. */
static ig_status part_marks(ig_ctx *cx, part *p) {
  IG_TRY(ig_marks_read(cx, p->path, part_size(p->snap), &p->marks));
  const ig_field *density = ig_snapshot_find(p->snap, IG_AT_CELLS, "density");
  if (p->marks.count == 0 || !(p->stl || (density && p->snap->iterations)))
    return IG_OK;
  bool *near;
  IG_TRY(IG_NEW(cx, &near, p->marks.count, "loads"));
  for (int64_t i = 0; i < 3 * p->surface.triangles; i++) {
    double at[3];
    ig_surface_at(p->snap, &p->surface, p->surface.corner[i], at);
    ig_marks_near(&p->marks, at, near);
  }
  ig_marks_keep(&p->marks, near);
  free(near);
  return IG_OK;
}

/* How values of the field that are asked for become SI: by a shift, of temperatures. */
static ig_display kelvins(const part *p, bool celsius) {
  return ig_display_of(p->scene.s ? p->s.label : "", p->scene.s ? p->s.field->unit : "", 0,
                       celsius && p->scene.celsius);
}

/* Values of both signs in colors whose middle is white: that is zero, as on the page. */
static bool signed_colors(const part *p, const ig_view_options *o, const double range[2]) {
  const char *palette = o->palette ? o->palette : p->scene.s ? ig_palette_usual(p->s.label) : "";
  return strcmp(palette, "coolwarm") == 0 && range[0] < 0 && range[1] > 0;
}

/* Reads one or two snapshots, makes their surfaces and finds the common range of colours. A
   difference has a range symmetric about 0. Both parts are read before anything is drawn, as they
   share range and scale. */
static ig_status parts_open(ig_ctx *cx, const char *path, const ig_view_options *o, part p[SIDES],
                            int *parts, char name[96], double range[2]) {
  ig_view_options used = *o;
  *parts = o->second ? 2 : 1;
  IG_TRY(part_read(cx, path, &p[0]));
  if (o->second)
    IG_TRY(part_read(cx, o->second, &p[1]));
  options_usual(p[0].snap, &used);
  mode_usual(p[0].snap, &used);
  if (o->second && o->difference) {
    IG_TRY(parts_subtract(cx, p, o, name));
    *parts = 1;
    used.field = name;
  }
  /* One range for all parts. */
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int i = 0; i < *parts; i++) {
    IG_TRY(part_shape(cx, &p[i], &used));
    p[i].mode = shows_mode(&used) ? used.warp : NULL;
    p[i].magnified = !p[i].mode && used.warp && strcmp(used.warp, "none") != 0
                         ? used.warp_scale != 0 ? used.warp_scale : 1
                         : 0;
    IG_TRY(part_field(&p[i], &used));
    part_range(&p[i], range);
    if (p[i].scene.s && !o->elementwise)
      IG_TRY(nodal_make(cx, p[i].snap, p[i].keep, &p[i].s, &p[i].nodal));
    p[i].scene.nodal = p[i].nodal;
    if (used.loads)
      IG_TRY(part_marks(cx, &p[i]));
  }
  if (p[0].scene.s && strcmp(p[0].s.field->unit, "K") == 0 && !o->difference &&
      !p[0].snap->iterations)
    IG_TRY(ig_folder_solidus(cx, path, &p[0].scene.solidus));
  if (*parts > 1)
    p[1].scene.solidus = p[0].scene.solidus;
  if (!(range[0] <= range[1]))
    range[0] = range[1] = 0;
  if (o->fixed_range) {
    const ig_display shown = kelvins(&p[0], o->celsius);
    for (int i = 0; i < 2; i++)
      range[i] = o->range[i] - shown.shift;
  } else if ((o->difference && o->second) || signed_colors(&p[0], o, range)) {
    range[1] = fmax(fabs(range[0]), fabs(range[1]));
    range[0] = -range[1];
  }
  return IG_OK;
}

/* Melt, where some is shown, begins at a share of the range of colors. */
static void melt_set(scene *k) {
  k->shading.melts = k->solidus > 0 && k->solidus < k->high && k->low < k->high;
  k->shading.melt = k->shading.melts ? fmaxf(share_of(k, k->solidus), 0) : 1;
}

/* Limits of size: 8192 x 8192 pixels are 4 GB of internal canvas. */
static ig_status options_check(ig_ctx *cx, const ig_view_options *o, int width, int height) {
  if (width < 64 || height < 64 || width > 8192 || height > 8192)
    return IG_FAIL(cx, IG_INPUT, "picture size %d x %d: expected 64 to 8192 pixels a side", width,
                   height);
  if (o->palette && !ig_palette_known(o->palette))
    return IG_FAIL(cx, IG_INPUT,
                   "palette '%s' is unknown: expected viridis, cividis, inferno, coolwarm, "
                   "rainbow, gray, embers "
                   "or steel",
                   o->palette);
  if (o->fixed_range && !ig_range_spans(o->range[0], o->range[1]))
    return IG_FAIL(cx, IG_INPUT, "color range %g to %g: expected two numbers, the lower one first",
                   o->range[0], o->range[1]);
  if (o->cut_axis < 0 || o->cut_axis > 3 || (o->cut_axis && !isfinite(o->cut_at)))
    return IG_FAIL(cx, IG_INPUT, "cut across axis %d at %g: expected 1, 2 or 3 and a number",
                   o->cut_axis, o->cut_at);
  if (o->difference && !o->second)
    return IG_FAIL(cx, IG_INPUT, "a difference needs two results");
  return IG_OK;
}

ig_status ig_view_usual(ig_ctx *cx, const char *path, const ig_view_options *options,
                        char field[160], double range[2]) {
  static const ig_view_options usual;
  part p[SIDES] = {0};
  char name[96];
  int parts;
  ig_view_options o = options ? *options : usual;
  o.fixed_range = false; /* `range` may be that of the options */
  const ig_status status = parts_open(cx, path, &o, p, &parts, name, range);
  const double shift = status == IG_OK ? kelvins(&p[0], o.celsius).shift : 0;
  for (int i = 0; i < 2 && status == IG_OK; i++)
    range[i] += shift; /* as the options take it */
  snprintf(field, 160, "%s", status == IG_OK && p[0].scene.s ? p[0].s.label : "");
  part_free(&p[0]);
  part_free(&p[1]);
  return status;
}

/* The range that ig_view_png would use; for movies, whose frames need one range. */
ig_status ig_view_range(ig_ctx *cx, const char *path, const ig_view_options *options,
                        double range[2]) {
  char field[160];
  return ig_view_usual(cx, path, options, field, range);
}

/* The title that was asked for, or that of the case beside the snapshot; then what is shown. */
static ig_status titles_find(ig_ctx *cx, const char *path, const part *p, int parts,
                             const ig_view_options *o, ig_titles *titles) {
  char own[160] = "";
  if (!o->title && parts == 1)
    IG_TRY(ig_folder_title(cx, path, own));
  ig_titles_make(o->title ? o->title : own, p->stl ? ig_base_name(path) : "", p->snap, p->scene.s,
                 p->scene.s ? bar_display(&p->scene).unit : "", parts == 1 && !o->difference,
                 titles);
  return IG_OK;
}

/* Drawn at a multiple of the size and averaged, which smooths edges. options may be NULL; *png is
   the caller's to free. */
ig_status ig_view_png(ig_ctx *cx, const char *path, const ig_view_options *options, char **png,
                      size_t *size) {
  static const ig_view_options usual;
  const ig_view_options *o = options ? options : &usual;
  const int width = o->width ? o->width : o->second && !o->difference ? 2000 : 1600;
  const int height = o->height ? o->height : 1000;
  part p[SIDES] = {0};
  char name[96];
  int parts;
  double range[2];
  ig_titles titles;
  ig_canvas large = {0}, final = {0};
  ig_status status;
  /* Sizes are limited before any memory is taken. */
  IG_TRY(options_check(cx, o, width, height));
  IG_TRY_GOTO(status, done, parts_open(cx, path, o, p, &parts, name, range));
  for (int i = 0; i < parts; i++) {
    p[i].scene.low = range[0];
    p[i].scene.high = range[1];
  }
  /* Several pixels for each of the picture, averaged at the end. */
  IG_TRY_GOTO(status, done, ig_canvas_new(cx, SUPERSAMPLE * width, SUPERSAMPLE * height, &large));
  for (int i = 0; i < parts; i++) {
    p[i].scene.shading = (ig_shading){.palette = o->palette      ? o->palette
                                                 : o->difference ? "coolwarm"
                                                 : p[i].scene.s  ? ig_palette_usual(p[i].s.label)
                                                                 : "viridis",
                                      .edges = o->edges,
                                      .edge_width = 0.0016F * (float)large.height};
    melt_set(&p[i].scene);
  }
  IG_TRY_GOTO(status, done, titles_find(cx, path, p, parts, o, &titles));
  IG_TRY_GOTO(status, done, parts_draw(p, parts, o, &titles, &large));
  IG_TRY_GOTO(status, done, ig_canvas_shrink(cx, &large, SUPERSAMPLE, &final));
  final.titles = &titles;
  status = ig_canvas_png(cx, &final, o->dpi, png, size);
done:
  ig_canvas_free(&large);
  ig_canvas_free(&final);
  part_free(&p[0]);
  part_free(&p[1]);
  return status;
}

ig_status ig_view(ig_ctx *cx, const char *path, const ig_view_options *options, const char *png) {
  char *bytes = NULL;
  size_t size = 0;
  IG_REQUIRE_ARGS(cx, cx && path && png);
  ig_status status = ig_view_png(cx, path, options, &bytes, &size);
  if (status == IG_OK)
    status = ig_store(cx, png, bytes, size);
  free(bytes);
  return status;
}
