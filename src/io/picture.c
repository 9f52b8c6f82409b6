/* Drawing a snapshot: pick a field, keep some cells, find their surface, project, paint, label. */
#include "io/picture.h"
#include "core/number.h"
#include "io/stl.h"
#include "io/vtkhdf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUPERSAMPLE = 2 };
static const double PI = 3.14159265358979323846;
static const float INK[3] = {0.13F, 0.14F, 0.16F};

/* --- fields */
double ig_scalar_value(const ig_scalar *s, int64_t i) {
  const int n = s->field->components;
  if (s->component >= 0)
    return ig_field_number(s->field, i * n + s->component);
  if (n == 1)
    return ig_field_number(s->field, i);
  double sum = 0;
  for (int c = 0; c < n; c++) {
    const double v = ig_field_number(s->field, i * n + c);
    sum += (n == 6 && c > 2 ? 2 : 1) * v * v; /* off-diagonals count twice */
  }
  return sqrt(sum);
}

static void field_names(const ig_snapshot *snap, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < snap->fields && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", snap->field[i].name);
}

ig_status ig_scalar_find(const ig_snapshot *snap, const char *path, const char *name,
                         ig_scalar *s) {
  static const char *const vector[] = {"x", "y", "z"};
  static const char *const tensor[] = {"xx", "yy", "zz", "xy", "yz", "zx"};
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    const size_t length = strlen(f->name);
    if (strncmp(f->name, name, length) != 0 || (name[length] && name[length] != '.'))
      continue;
    s->field = f;
    s->component = -1;
    for (int c = 0; name[length] && c < f->components; c++) {
      char number[16];
      snprintf(number, sizeof number, "%d", c);
      const char *letter = f->components == 6 ? tensor[c] : c < 3 ? vector[c] : number;
      if (strcmp(name + length + 1, letter) == 0 || strcmp(name + length + 1, number) == 0)
        s->component = c;
    }
    if (name[length] && s->component < 0)
      return IG_FAIL(snap->cx, IG_INPUT, "%s: field '%s' has no component '%s' (it has %d)", path,
                     f->name, name + length + 1, f->components);
    if (f->unit[0])
      snprintf(s->label, sizeof s->label, "%s [%s]", name, f->unit);
    else
      snprintf(s->label, sizeof s->label, "%s", name);
    return IG_OK;
  }
  char names[1024];
  field_names(snap, names, sizeof names);
  return IG_FAIL(snap->cx, IG_INPUT, "%s: no field '%s': it has %s", path, name,
                 names[0] ? names : "none");
}

/* What people look for first; else the first that is there. */
static const char *usual_field(const ig_snapshot *snap) {
  static const char *const wanted[] = {"density", "T",         "temperature",
                                       "damage",  "von_mises", "principal_stress"};
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
    for (int i = 0; i < snap->fields; i++)
      if (strcmp(snap->field[i].name, wanted[k]) == 0)
        return wanted[k];
  return snap->fields ? snap->field[0].name : "none";
}

/* --- which cells are drawn */
static ig_status cells_keep(const ig_snapshot *snap, const char *path, const ig_view_options *o,
                            uint8_t **keep) {
  *keep = NULL;
  if (!o->threshold)
    return IG_OK;
  ig_scalar s;
  IG_TRY(ig_scalar_find(snap, path, o->threshold, &s));
  IG_TRY(IG_NEW(snap->cx, keep, snap->cells, "cell selection"));
  const double low = o->threshold_range[0], high = o->threshold_range[1];
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

static ig_status points_warp(ig_snapshot *snap, const char *path, const ig_view_options *o) {
  if (!o->warp)
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

/* --- camera */
typedef struct {
  double right[3], up[3], back[3], centre[3];
  double distance;                /* eye to centre; infinite for flat models */
  double scale, shift_x, shift_y; /* to pixels */
} camera;

static void camera_project(const camera *k, const double *p, double out[3]) {
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

static double camera_weight(const camera *k, double depth) {
  return isinf(k->distance) ? 1 : 1 / (k->distance + depth);
}

typedef struct {
  const int64_t *id;
  int64_t count;
} point_list;

static void camera_aim(camera *k, const ig_snapshot *snap, const point_list lists[2], bool flat,
                       const ig_view_options *o, const double window[4]) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int l = 0; l < 2; l++)
    for (int64_t i = 0; i < lists[l].count; i++)
      for (int c = 0; c < 3; c++) {
        const double v = snap->point[3 * lists[l].id[i] + c];
        low[c] = fmin(low[c], v);
        high[c] = fmax(high[c], v);
      }
  double diagonal = 0;
  for (int c = 0; c < 3; c++) {
    k->centre[c] = (low[c] + high[c]) / 2;
    diagonal += (high[c] - low[c]) * (high[c] - low[c]);
  }
  diagonal = diagonal > 0 ? sqrt(diagonal) : 1;
  const bool facing = flat && !o->fixed_camera;
  const double azimuth = (o->fixed_camera ? o->azimuth : -60) * PI / 180;
  const double elevation = (o->fixed_camera ? o->elevation : 25) * PI / 180;
  if (facing) {
    const camera front = {.right = {1, 0, 0}, .up = {0, 1, 0}, .back = {0, 0, 1}};
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
  double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (int l = 0; l < 2; l++)
    for (int64_t i = 0; i < lists[l].count; i++) {
      double p[3];
      camera_project(k, &snap->point[3 * lists[l].id[i]], p);
      box[0] = fmin(box[0], p[0]);
      box[1] = fmin(box[1], p[1]);
      box[2] = fmax(box[2], p[0]);
      box[3] = fmax(box[3], p[1]);
    }
  const double w = fmax(box[2] - box[0], 1e-12 * diagonal),
               h = fmax(box[3] - box[1], 1e-12 * diagonal);
  k->scale =
      fmin((window[2] - window[0]) / w, (window[3] - window[1]) / h) * (o->zoom > 0 ? o->zoom : 1);
  k->shift_x = (window[0] + window[2]) / 2 - k->scale * (box[0] + box[2]) / 2;
  k->shift_y = (window[1] + window[3]) / 2 - k->scale * (box[1] + box[3]) / 2;
}

/* --- normals: smooth where the surface is, sharp at its edges */
static void face_normal(const ig_snapshot *snap, const int64_t *corner, double n[3]) {
  const double *p = &snap->point[3 * corner[0]], *q = &snap->point[3 * corner[1]],
               *r = &snap->point[3 * corner[2]];
  const double a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  const double b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
  n[0] = a[1] * b[2] - a[2] * b[1];
  n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void unit(double n[3]) {
  const double length = sqrt(dot(n, n));
  for (int c = 0; c < 3; c++)
    n[c] = length > 0 ? n[c] / length : 0;
}

/* --- painting */
typedef struct {
  const ig_snapshot *snap;
  const ig_surface *surface;
  const ig_scalar *s; /* NULL: plain */
  double low, high;
  camera camera;
  ig_shading shading;
  const float *smooth; /* points x 3 */
} scene;

static float scene_value(const scene *k, int64_t cell, int64_t point) {
  if (!k->s)
    return NAN;
  const double v = ig_scalar_value(k->s, k->s->field->where == IG_AT_CELLS ? cell : point);
  return k->high > k->low ? (float)((v - k->low) / (k->high - k->low)) : 0.5F;
}

static void scene_vertex(const scene *k, int64_t cell, int64_t point, const double normal[3],
                         ig_vertex *v) {
  double p[3], n[3] = {normal[0], normal[1], normal[2]};
  camera_project(&k->camera, &k->snap->point[3 * point], p);
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

static ig_status scene_paint(scene *k, ig_canvas *canvas) {
  const ig_surface *s = k->surface;
  float *smooth = NULL;
  IG_TRY(IG_NEW(k->snap->cx, &smooth, 3 * k->snap->points, "normals"));
  for (int64_t t = 0; t < s->triangles; t++) {
    double n[3];
    face_normal(k->snap, &s->corner[3 * t], n);
    for (int i = 0; i < 3; i++) {
      float *sum = &smooth[3 * s->corner[3 * t + i]];
      /* shells may be numbered either way round: add on the side the sum is on */
      const double side = (double)sum[0] * n[0] + (double)sum[1] * n[1] + (double)sum[2] * n[2];
      for (int c = 0; c < 3; c++)
        sum[c] += (float)(side < 0 ? -n[c] : n[c]);
    }
  }
  k->smooth = smooth;
  for (int64_t t = 0; t < s->triangles; t++) {
    double n[3];
    face_normal(k->snap, &s->corner[3 * t], n);
    unit(n);
    ig_vertex v[3];
    for (int i = 0; i < 3; i++)
      scene_vertex(k, s->cell[t], s->corner[3 * t + i], n, &v[i]);
    ig_canvas_triangle(canvas, v, s->edges[t], &k->shading);
  }
  k->smooth = NULL;
  free(smooth);
  for (int64_t r = 0; r < s->rods; r++) {
    ig_vertex v[2];
    const double none[3] = {0, 0, 1};
    for (int i = 0; i < 2; i++)
      scene_vertex(k, s->rod_cell[r], s->rod[2 * r + i], none, &v[i]);
    ig_canvas_rod(canvas, v, 0.004F * (float)canvas->height, &k->shading);
  }
  return IG_OK;
}

/* --- legend */
static double nice_step(double span, int wanted) {
  const double raw = span / wanted, power = pow(10, floor(log10(raw)));
  const double m = raw / power;
  return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}

static void legend_bar(ig_canvas *c, const scene *k) {
  const float h = (float)c->height, size = 0.017F * h;
  const int x = (int)(0.885 * c->width), w = (int)(0.022 * h), y0 = (int)(0.2 * h),
            y1 = (int)(0.84 * h);
  for (int y = y0; y <= y1; y++) {
    float rgb[3];
    ig_palette_color(k->shading.palette, (float)(y1 - y) / (float)(y1 - y0), rgb);
    ig_canvas_rect(c, x, y, w, 1, rgb);
  }
  const double span = k->high - k->low;
  char text[48];
  if (span > 0 && isfinite(span)) {
    const double step = nice_step(span, 6);
    for (double v = ceil(k->low / step - 1e-9) * step; v <= k->high + 1e-9 * span; v += step) {
      const float y = (float)y1 - (float)((v - k->low) / span) * (float)(y1 - y0);
      ig_canvas_line(c, (float)(x + w), y, (float)(x + w) + 0.006F * h, y, 0.0016F * h, INK);
      ig_format(text, sizeof text, "%.4g", fabs(v) < 1e-9 * span ? 0 : v);
      ig_canvas_text(c, (float)(x + w) + 0.014F * h, y + size / 2, size, INK, text);
    }
  } else {
    ig_format(text, sizeof text, "%.6g", k->low);
    ig_canvas_text(c, (float)(x + w) + 0.014F * h, (float)(y0 + y1) / 2, size, INK, text);
  }
  /* the name stands above the bar, kept inside the picture */
  const float width = ig_text_width(size, k->s->label);
  const float left = fminf((float)x, (float)c->width - width - 0.02F * h);
  ig_canvas_text(c, left, (float)y0 - 0.03F * h, size, INK, k->s->label);
}

static void legend_axes(ig_canvas *c, const camera *k, bool facing) {
  static const float color[3][3] = {
      {0.80F, 0.20F, 0.18F}, {0.20F, 0.58F, 0.25F}, {0.18F, 0.36F, 0.78F}};
  static const char *const name[] = {"x", "y", "z"};
  const float h = (float)c->height, length = 0.055F * h, ox = 0.085F * h, oy = 0.90F * h;
  for (int a = 0; a < (facing ? 2 : 3); a++) {
    const float dx = (float)k->right[a] * length, dy = -(float)k->up[a] * length;
    ig_canvas_line(c, ox, oy, ox + dx, oy + dy, 0.003F * h, color[a]);
    ig_canvas_text(c, ox + 1.28F * dx - 0.005F * h, oy + 1.28F * dy + 0.006F * h, 0.015F * h,
                   color[a], name[a]);
  }
}

static void time_text(double t, char *text, size_t size) {
  const double a = fabs(t);
  if (a == 0 || a >= 1)
    ig_format(text, size, "t = %.4g s", t);
  else if (a >= 1e-3)
    ig_format(text, size, "t = %.4g ms", 1e3 * t);
  else if (a >= 1e-6)
    ig_format(text, size, "t = %.4g us", 1e6 * t);
  else
    ig_format(text, size, "t = %.4g ns", 1e9 * t);
}

/* --- the whole */
static void scene_range(scene *k, const ig_view_options *o) {
  k->low = INFINITY;
  k->high = -INFINITY;
  const ig_surface *s = k->surface;
  const bool cells = k->s->field->where == IG_AT_CELLS;
  for (int64_t i = 0; i < 3 * s->triangles + 2 * s->rods; i++) {
    const bool rod = i >= 3 * s->triangles;
    const int64_t j = rod ? i - 3 * s->triangles : i;
    const int64_t cell = rod ? s->rod_cell[j / 2] : s->cell[j / 3];
    const double v = ig_scalar_value(k->s, cells ? cell : rod ? s->rod[j] : s->corner[j]);
    if (isfinite(v)) {
      k->low = fmin(k->low, v);
      k->high = fmax(k->high, v);
    }
  }
  if (!(k->low <= k->high))
    k->low = k->high = 0;
  if (o->fixed_range) {
    k->low = o->range[0];
    k->high = o->range[1];
  }
}

static ig_status draw(ig_snapshot *snap, const char *path, const ig_view_options *o,
                      const ig_surface *surface, ig_canvas *canvas) {
  ig_scalar s = {0};
  scene k = {.snap = snap, .surface = surface};
  const char *field = o->field ? o->field : usual_field(snap);
  if (strcmp(field, "none") != 0) {
    IG_TRY(ig_scalar_find(snap, path, field, &s));
    k.s = &s;
    scene_range(&k, o);
  }
  k.shading = (ig_shading){.palette = o->palette ? o->palette : "viridis",
                           .edges = o->edges,
                           .edge_width = 0.0016F * (float)canvas->height};
  const double w = canvas->width, h = canvas->height;
  const bool bar = k.s && !o->bare;
  const double window[4] = {0.06 * w, 0.09 * h, bar ? 0.86 * w : 0.94 * w, 0.91 * h};
  const point_list used[2] = {{surface->corner, 3 * surface->triangles},
                              {surface->rod, 2 * surface->rods}};
  camera_aim(&k.camera, snap, used, surface->flat, o, window);
  IG_TRY(scene_paint(&k, canvas));
  if (o->bare)
    return IG_OK;
  if (bar)
    legend_bar(canvas, &k);
  legend_axes(canvas, &k.camera, surface->flat && !o->fixed_camera);
  char text[64] = "";
  if (snap->iterations)
    ig_format(text, sizeof text, "iteration %.0f", snap->time);
  else if (!isnan(snap->time))
    time_text(snap->time, text, sizeof text);
  ig_canvas_text(canvas, 0.17F * (float)h, 0.955F * (float)h, 0.017F * (float)h, INK, text);
  if (o->title)
    ig_canvas_text(canvas, 0.04F * (float)h, 0.055F * (float)h, 0.021F * (float)h, INK, o->title);
  return IG_OK;
}

ig_status ig_view(ig_ctx *cx, const char *path, const ig_view_options *options, const char *png) {
  static const ig_view_options usual;
  IG_GIVEN(cx, cx && path && png);
  const ig_view_options *o = options ? options : &usual;
  const int width = o->width ? o->width : 1600, height = o->height ? o->height : 1000;
  if (width < 64 || height < 64 || width > 8192 || height > 8192)
    return IG_FAIL(cx, IG_INPUT, "picture size %d x %d: expected 64 to 8192 pixels a side", width,
                   height);
  if (o->palette && !ig_palette_known(o->palette))
    return IG_FAIL(cx, IG_INPUT,
                   "palette '%s' is unknown: expected viridis, inferno, coolwarm, rainbow or gray",
                   o->palette);
  if (o->fixed_range && !(o->range[0] < o->range[1]))
    return IG_FAIL(cx, IG_INPUT, "color range %g to %g is empty", o->range[0], o->range[1]);
  ig_snapshot *snap = NULL;
  const char *ending = strrchr(path, '.');
  const bool stl = ending && strcmp(ending, ".stl") == 0;
  IG_TRY(stl ? ig_stl_read(cx, path, &snap) : ig_snapshot_read(cx, path, &snap));
  uint8_t *keep = NULL;
  ig_surface surface = {0};
  ig_canvas large = {0}, final = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, cells_keep(snap, path, o, &keep));
  IG_TRY_GOTO(status, done, points_warp(snap, path, o));
  IG_TRY_GOTO(status, done, ig_surface_new(cx, snap, keep, &surface));
  if (surface.triangles + surface.rods == 0) {
    status = IG_FAIL(cx, IG_INPUT, "%s: nothing to draw%s", path,
                     o->threshold ? ": no cell lies within the threshold" : "");
    goto done;
  }
  IG_TRY_GOTO(status, done, ig_canvas_new(cx, SUPERSAMPLE * width, SUPERSAMPLE * height, &large));
  IG_TRY_GOTO(status, done, draw(snap, path, o, &surface, &large));
  IG_TRY_GOTO(status, done, ig_canvas_shrink(cx, &large, SUPERSAMPLE, &final));
  status = ig_canvas_write_png(cx, &final, png);
done:
  ig_canvas_free(&large);
  ig_canvas_free(&final);
  ig_surface_free(&surface);
  ig_snapshot_free(snap);
  free(keep);
  return status;
}
