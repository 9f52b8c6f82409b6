/* A picture in the making: canvas, text, surface, camera. Private to io/picture*.c. */
#ifndef IG_IO_PICTURE_PICTURE_H
#define IG_IO_PICTURE_PICTURE_H

#include "core/output.h"
#include <ingot/view.h>

typedef struct {
  int width, height;
  float *rgb;   /* height x width x 3, linear light is not worth it here: plain sRGB values 0..1 */
  float *depth; /* height x width, smaller is nearer */
} ig_canvas;

IG_MUST_CHECK ig_status ig_canvas_new(ig_ctx *cx, int width, int height, ig_canvas *canvas);
void ig_canvas_free(ig_canvas *canvas);
/* Averages n x n pixels into one. */
IG_MUST_CHECK ig_status ig_canvas_shrink(ig_ctx *cx, const ig_canvas *from, int n, ig_canvas *to);
/* As a PNG file in memory, free *png. dpi 0: not said in it. */
IG_MUST_CHECK ig_status ig_canvas_png(ig_ctx *cx, const ig_canvas *canvas, double dpi, char **png,
                                      size_t *size);
/* What ig_view writes, in memory; free *png. */
IG_MUST_CHECK ig_status ig_view_png(ig_ctx *cx, const char *path, const ig_view_options *options,
                                    char **png, size_t *size);

/* How many times displacements of at most `most` are magnified in a part of that size. */
double ig_warp_usual(double size, double most);

void ig_canvas_rect(ig_canvas *canvas, int x, int y, int w, int h, const float rgb[3]);
/* A line with round ends, anti-aliased, on top of everything. */
void ig_canvas_line(ig_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                    const float rgb[3]);
/* Text in our stroke font; size is the height of a capital. Returns the width. */
float ig_canvas_text(ig_canvas *canvas, float x, float y, float size, const float rgb[3],
                     const char *text);
float ig_text_width(float size, const char *text);

/* A corner of a triangle on its way to the screen. */
typedef struct {
  float x, y, z;   /* pixels, depth */
  float inverse_w; /* for perspective-correct interpolation */
  float value;     /* of the field, 0..1 over the range; NaN: plain */
  float normal[3]; /* in camera space */
} ig_vertex;

typedef struct {
  const char *palette;
  bool edges;
  float edge_width; /* pixels */
} ig_shading;

/* Edge i runs from corner i to the next; bit i of `edges` says it is an element's edge. */
void ig_canvas_triangle(ig_canvas *canvas, const ig_vertex v[3], unsigned edges,
                        const ig_shading *shading);
/* A line in space with a width in pixels, seen as a round rod. */
void ig_canvas_rod(ig_canvas *canvas, const ig_vertex v[2], float width, const ig_shading *shading);

/* Color of a value 0..1 in a palette; unknown names fail when first checked. */
bool ig_palette_known(const char *name);
void ig_palette_color(const char *name, float value, float rgb[3]);

/* A field, and perhaps a component of it, as one number per point or cell. */
typedef struct {
  const ig_field *field;
  int component;   /* -1: magnitude */
  char label[160]; /* its name, without the unit */
} ig_scalar;
/* "T", "displacement.z", "displacement" for its magnitude; `path` for the message. */
IG_MUST_CHECK ig_status ig_scalar_find(const ig_snapshot *snap, const char *path, const char *name,
                                       ig_scalar *s);
double ig_scalar_value(const ig_scalar *s, int64_t i);
/* What people look for first, if it differs between the cells that are kept (NULL: all); else the
   first that is there. */
const char *ig_field_usual(const ig_snapshot *snap, const uint8_t *keep);

/* The faces of a solid cell, from the table of elements, as points of its VTK cell: corners, then
   mid-sides in the same turn. */
typedef struct {
  uint8_t vtk; /* 0: none yet */
  int faces, mids;
  int corners[6];
  int8_t node[6][6];
} ig_solid;
/* That of a VTK type, made in *last unless it is there already; NULL: the type is no solid. */
const ig_solid *ig_solid_of(ig_solid *last, uint8_t vtk);

/* The outer surface of the cells that are kept: triangles whose corners are snapshot points. */
/* A point between two others, cut by a plane: number `points` of the snapshot and up. */
typedef struct {
  int64_t a, b;
  double t;
} ig_between;

typedef struct {
  int64_t triangles, rods;
  int64_t *corner; /* triangles x 3 */
  int64_t *cell;   /* triangles: the cell each came from */
  uint8_t *edges;  /* triangles: which sides are element edges */
  int64_t *rod;    /* rods x 2 */
  int64_t *rod_cell;
  bool flat; /* all 2D cells in the plane z = 0 */
  int64_t betweens;
  ig_between *between;
} ig_surface;
/* keep: one byte per cell, NULL for all */
IG_MUST_CHECK ig_status ig_surface_new(ig_ctx *cx, const ig_snapshot *snap, const uint8_t *keep,
                                       ig_surface *surface);
void ig_surface_free(ig_surface *surface);

/* --- picture_cut.c */
/* Cuts the surface of `keep` by a plane across an axis: what is below, or the section alone. */
IG_MUST_CHECK ig_status ig_surface_cut(ig_ctx *cx, const ig_snapshot *snap, const uint8_t *keep,
                                       int axis, double at, bool slice, ig_surface *surface);
void ig_surface_at(const ig_snapshot *snap, const ig_surface *s, int64_t id, double p[3]);
double ig_surface_value(const ig_snapshot *snap, const ig_surface *s, const ig_scalar *scalar,
                        int64_t cell, int64_t id);

typedef struct {
  double right[3], up[3], back[3], centre[3];
  double distance;                /* eye to centre; infinite for flat models */
  double scale, shift_x, shift_y; /* to pixels */
  double box[4];                  /* of what is seen, at scale 1 */
} ig_camera;
void ig_camera_project(const ig_camera *k, const double *p, double out[3]);

/* --- picture_marks.c */
/* The edges of a surface at these points, before it was deformed. */
IG_MUST_CHECK ig_status ig_outline_draw(ig_ctx *cx, const ig_surface *s, const double *point,
                                        const ig_camera *camera, ig_canvas *canvas);
/* Arrows of a vector field; `size` is that of the part. */
IG_MUST_CHECK ig_status ig_arrows_draw(ig_ctx *cx, const ig_snapshot *snap, const char *path,
                                       const char *name, const ig_surface *s,
                                       const ig_camera *camera, double size, ig_canvas *canvas);

#endif
