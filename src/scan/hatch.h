/* Scan paths of a part: layers hatched in lines, stripes or islands, contours, several lasers. */
#ifndef IG_SCAN_HATCH_H
#define IG_SCAN_HATCH_H

#include "core/toolpath.h"
#include "scan/slice.h"

typedef struct {
  ig_src at;
  int64_t count;
  double offset, spacing; /* of the outermost from the outline, of the next from it; m */
  double power, speed;    /* NaN: those of the lines */
  bool last;              /* after the lines of the layer */
} ig_hatch_contour;

typedef struct {
  ig_src at;
  int64_t layers;
  double power, speed; /* NaN: those of the lines */
} ig_hatch_skin;

enum { IG_HATCH_LINES, IG_HATCH_STRIPES, IG_HATCH_ISLANDS };

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

/* Makes the paths of all lasers: `lasers` of them. On failure none is left. */
IG_MUST_CHECK ig_status ig_hatch_make(ig_ctx *cx, const ig_hatch_case *c, ig_toolpath *paths);

/* --- contour.c */

/* Lines at a distance inside an outline, as pieces that hang together in their order. */
IG_MUST_CHECK ig_status ig_outline_inset(ig_ctx *cx, const ig_outline *s, double distance,
                                         ig_outline *inset);
IG_MUST_CHECK ig_status ig_outline_add(ig_ctx *cx, ig_outline *s, const double *a, const double *b);

#endif
