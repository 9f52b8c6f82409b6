/* Scan paths of a part: layers hatched in lines, stripes or islands, contours, several lasers.
   Lengths in m, angles in rad, times in s, powers in W. Paths run on top of each layer. */
#ifndef IG_SCAN_HATCH_H
#define IG_SCAN_HATCH_H

#include "core/toolpath.h"
#include "scan/slice.h"

/* Lines along the outline of a layer. */
typedef struct {
  ig_src at;
  int64_t count;
  double offset, spacing; /* of the outermost from the outline, of the next from it; m */
  double power, speed;    /* NaN: those of the lines */
  bool last;              /* after the lines of the layer */
} ig_hatch_contour;

/* Surfaces that face up or down, `layers` deep, with parameters of their own. */
typedef struct {
  ig_src at;
  int64_t layers;
  double power, speed; /* NaN: those of the lines */
} ig_hatch_skin;

enum { IG_HATCH_LINES, IG_HATCH_STRIPES, IG_HATCH_ISLANDS };

/* The whole section; a double that was left out is NaN where it has no default. */
typedef struct {
  ig_src at;
  ig_list parts; /* of ig_scan_part */
  double layer_height, base, spacing, border;
  int64_t first_layer, layers;
  double power, speed, jump_speed, settle;
  double angle, rotation;
  int pattern;
  double width, overlap;
  bool one_way;
  double skywriting;
  ig_hatch_contour contour;
  ig_hatch_skin up_skin, down_skin;
  double recoating, layer_time, start_time;
  int64_t lasers;
} ig_hatch_case;

extern const ig_option ig_hatch_options[];

/* Makes the paths of all lasers into paths[c->lasers], which the caller frees one by one. On
   failure none is left. Fails with IG_INPUT for a surface that is not closed and for keys that
   contradict each other. */
IG_MUST_CHECK ig_status ig_hatch_make(ig_ctx *cx, const ig_hatch_case *c, ig_toolpath *paths);

/* --- contour.c */

/* Lines at a distance inside an outline, as pieces that follow each other in their order; empty
   where the outline is narrower than twice the distance. Free it. */
IG_MUST_CHECK ig_status ig_outline_inset(ig_ctx *cx, const ig_outline *s, double distance,
                                         ig_outline *inset);
/* Appends the piece from a[2] to b[2]; fails for want of memory only. */
IG_MUST_CHECK ig_status ig_outline_add(ig_ctx *cx, ig_outline *s, const double *a, const double *b);

#endif
