/* Internals of pictures: canvas, text, surface, camera. Private to io/picture. */
#ifndef IG_IO_PICTURE_PICTURE_H
#define IG_IO_PICTURE_PICTURE_H

#include "core/option.h"
#include "core/output.h"
#include <ingot/view.h>

/* Lines above a picture: the title of the case, and what is shown; "": none. */
typedef struct {
  char line[2][160];
} ig_titles;

/* A picture under construction: colours and depth of each pixel. */
typedef struct {
  int width, height;
  const ig_titles *titles; /* written into the file, as text; NULL: none */
  float *rgb;   /* height x width x 3, linear light is not worth it here: plain sRGB values 0..1 */
  float *depth; /* height x width, smaller is nearer */
} ig_canvas;

IG_MUST_CHECK ig_status ig_canvas_new(ig_ctx *cx, int width, int height, ig_canvas *canvas);
void ig_canvas_free(ig_canvas *canvas);
/* Averages n x n pixels into one. */
IG_MUST_CHECK ig_status ig_canvas_shrink(ig_ctx *cx, const ig_canvas *from, int n, ig_canvas *to);
/* Encodes as a PNG file in memory; the caller frees *png. dpi 0: no resolution is stored. */
IG_MUST_CHECK ig_status ig_canvas_png(ig_ctx *cx, const ig_canvas *canvas, double dpi, char **png,
                                      size_t *size);
/* What ig_view writes, in memory; the caller frees *png. */
IG_MUST_CHECK ig_status ig_view_png(ig_ctx *cx, const char *path, const ig_view_options *options,
                                    char **png, size_t *size);

/* The field that it draws, "": none, and the range of its colors, as the options take it. */
IG_MUST_CHECK ig_status ig_view_usual(ig_ctx *cx, const char *path, const ig_view_options *options,
                                      char field[160], double range[2]);

/* Magnification of displacements of at most `most` (m) in a part of size `size` (m). */
double ig_warp_usual(double size, double most);
/* The same of shapes of modes, whose largest is 1: about a tenth of the part, one digit. */
double ig_mode_usual(double size);

void ig_canvas_rect(ig_canvas *canvas, int x, int y, int w, int h, const float rgb[3]);
/* A line with round ends, anti-aliased, drawn over everything (no depth test). Pixels. */
void ig_canvas_line(ig_canvas *canvas, float x0, float y0, float x1, float y1, float width,
                    const float rgb[3]);
/* Text in the stroke font; size: height of a capital, y: baseline, pixels. Returns the width. */
float ig_canvas_text(ig_canvas *canvas, float x, float y, float size, const float rgb[3],
                     const char *text);
float ig_text_width(float size, const char *text);

/* A corner of a triangle after projection. */
typedef struct {
  float x, y, z;   /* pixels, depth */
  float inverse_w; /* for perspective-correct interpolation */
  float value;     /* of the field, 0..1 over the range; NaN: plain */
  float normal[3]; /* in camera space */
} ig_vertex;

/* How triangles and rods are coloured. */
typedef struct {
  const char *palette;
  bool edges;
  float edge_width; /* pixels */
  bool melts;       /* values 0..1 above `melt` have colors of their own */
  float melt;
} ig_shading;

/* Draws a triangle with depth test. Edge i runs from corner i to the next; bit i of `edges`: it is
   an edge of an element and may be drawn. */
void ig_canvas_triangle(ig_canvas *canvas, const ig_vertex v[3], unsigned edges,
                        const ig_shading *shading);
/* A line in space with a width in pixels, shaded like a round rod, with depth test. */
void ig_canvas_rod(ig_canvas *canvas, const ig_vertex v[2], float width, const ig_shading *shading);

/* Whether a palette exists; colour of a value 0..1 (NaN: grey). */
bool ig_palette_known(const char *name);
const char *ig_palette_name(int i); /* of the i-th; NULL: no more */
/* Of a field by its name: a cracked body is light where it is whole. */
const char *ig_palette_usual(const char *field);
void ig_palette_color(const char *name, float value, float rgb[3]);

/* The same of a field with melt; values are shares of the range. */
void ig_shading_color(const ig_shading *shading, float value, float rgb[3]);

/* A field, or a component or the magnitude of it, as one number per point or cell. Borrowed from
   the snapshot. */
typedef struct {
  const ig_field *field;
  int component;   /* -1: magnitude */
  char label[160]; /* its name, without the unit */
} ig_scalar;
/* Finds "T", "displacement.z", or "displacement" (magnitude); path: for the message. */
IG_MUST_CHECK ig_status ig_scalar_find(const ig_snapshot *snap, const char *path, const char *name,
                                       ig_scalar *s);
double ig_scalar_value(const ig_scalar *s, int64_t i);
/* A vector at the points; NULL: there is none of this name. */
const ig_field *ig_vector_find(const ig_snapshot *snap, const char *name);
/* Of a snapshot with cohesive elements that have opened: adds the point field crack_opening (m), at
   each node the mean separation of its cohesive elements, normal and tangential together. */
IG_MUST_CHECK ig_status ig_opening_add(ig_snapshot *snap);
/* What people look for first, if it differs between the cells that are kept (NULL: all); else the
   first that is there. */
const char *ig_field_usual(const ig_snapshot *snap, const uint8_t *keep);

/* Faces of a solid cell from the element table, as points of its VTK cell: corners, then mid-sides
   in the same order. */
typedef struct {
  uint8_t vtk; /* 0: none yet */
  int faces, mids;
  int corners[6];
  int8_t node[6][6];
} ig_solid;
/* The faces of a VTK type; cached in *last, because neighbouring cells mostly have the same type.
   NULL: not a solid. */
const ig_solid *ig_solid_of(ig_solid *last, uint8_t vtk);

/* The outer surface of the kept cells as triangles, and rods for line cells. */
/* A point between points a and b, (1 - t) a + t b, made by a cut; numbered from snap->points on. */
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
/* Makes the surface. keep: a byte per cell, NULL: all. */
IG_MUST_CHECK ig_status ig_surface_new(ig_ctx *cx, const ig_snapshot *snap, const uint8_t *keep,
                                       ig_surface *surface);
void ig_surface_free(ig_surface *surface);

/* --- picture_cut.c */
/* Cuts the surface by the plane where coordinate `axis` is `at` (m): keeps what is below with the
   section closed, or the section alone (slice). Replaces *surface. */
IG_MUST_CHECK ig_status ig_surface_cut(ig_ctx *cx, const ig_snapshot *snap, const uint8_t *keep,
                                       int axis, double at, bool slice, ig_surface *surface);
/* Coordinates and value at a point of a surface, which may be one made by a cut. */
void ig_surface_at(const ig_snapshot *snap, const ig_surface *s, int64_t id, double p[3]);
double ig_surface_value(const ig_snapshot *snap, const ig_surface *s, const ig_scalar *scalar,
                        int64_t cell, int64_t id);

/* Camera. right, up, back are unit vectors; back points to the viewer. */
typedef struct {
  double right[3], up[3], back[3], centre[3];
  double distance;                /* eye to centre; infinite for flat models */
  double scale, shift_x, shift_y; /* to pixels */
  double box[4];                  /* of what is seen, at scale 1 */
} ig_camera;
void ig_camera_project(const ig_camera *k, const double *p, double out[3]);

/* --- picture_marks.c */
/* Draws the edges of a surface at the given points (the undeformed shape); points at one place
   count as one, so that cracks are closed. size: of the part, m. */
IG_MUST_CHECK ig_status ig_outline_draw(ig_ctx *cx, const ig_surface *s, const double *point,
                                        int64_t points, const ig_camera *camera, double size,
                                        ig_canvas *canvas);
/* Draws arrows of a vector field at visible points, thinned to a regular pattern. size: of the
   part, m. */
IG_MUST_CHECK ig_status ig_arrows_draw(ig_ctx *cx, const ig_snapshot *snap, const char *path,
                                       const char *name, const ig_surface *s,
                                       const ig_camera *camera, double size, ig_canvas *canvas);

/* --- picture_title.c */
/* title: NULL, none; file: of a surface alone, else ""; s: the field, NULL: none; unit: as on the
   color bar. alone: with the time and what is beside it, which two results side by side have below
   each of them. */
void ig_titles_make(const char *title, const char *file, const ig_snapshot *snap,
                    const ig_scalar *s, const char *unit, bool alone, ig_titles *t);
/* size: height of capitals, pixels. */
void ig_titles_draw(ig_canvas *canvas, const ig_titles *t, float size);

/* --- picture_loads.c: what the folder of a snapshot says beside it */
/* A load (a sum over the nodes of a region) or a support. */
typedef struct {
  double at[3], load[3]; /* m; N, or W in load[0] */
  int load_case;         /* from 1; 0: a support */
  unsigned held;         /* bits of components */
} ig_mark;
enum { IG_MARK_CASES = 4 }; /* load cases whose sums are shown */
typedef struct {
  int64_t count;
  ig_mark *mark;
  int cases;    /* the highest load case */
  double most;  /* length of the largest load */
  double pitch; /* about the distance of marks, m */
  double total[IG_MARK_CASES];
  bool cancels[IG_MARK_CASES]; /* the sum is zero; the total is that of one side */
  bool heat;                   /* heat flows and prescribed temperatures */
} ig_marks;
/* Marks of loads.csv beside a snapshot, in a body of `size` (m); none where there is no such file.
 */
IG_MUST_CHECK ig_status ig_marks_read(ig_ctx *cx, const char *path, double size, ig_marks *m);
void ig_marks_free(ig_marks *m);
/* Total of load case q, from 0, in a unit for reading. */
void ig_marks_said(const ig_marks *m, int q, char text[64]);
/* Of a body of which a part is shown: notes in near[i] that mark i is near a point of it; then
   drops supports that are near none. */
void ig_marks_near(const ig_marks *m, const double p[3], bool *near);
void ig_marks_keep(ig_marks *m, const bool *near);
/* Extends camera->box, at scale 1, by the arrows. */
void ig_marks_box(const ig_marks *m, ig_camera *camera, double size);
/* right, text: where the legend ends, the height of its capitals; pixels. */
void ig_marks_draw(const ig_marks *m, const ig_camera *camera, double size, ig_canvas *canvas,
                   bool legend, float right, float text);
/* Where the first material of a case that melts begins to (K); NAN: none does, or several differ.
   The second reads the case beside a snapshot. */
double ig_case_solidus(const ig_node *kase);
IG_MUST_CHECK ig_status ig_folder_solidus(ig_ctx *cx, const char *path, double *solidus);
/* The title of the case beside a snapshot; "": it has none, or there is no case. */
IG_MUST_CHECK ig_status ig_folder_title(ig_ctx *cx, const char *path, char title[160]);

#endif
