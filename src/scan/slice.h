/* A part cut into layers: what is scanned, and its outline at a height. */
#ifndef IG_SCAN_SLICE_H
#define IG_SCAN_SLICE_H

#include "core/option.h"
#include "mesh/tri_surface.h"
#include "scan/spans.h"

/* A part to be scanned as the case names it: the surface in a file, or a box. NaN in `translate`,
   `min` and `max` means that the key was left out. */
typedef struct {
  ig_src at;
  const char *stl, *field;
  double unit;           /* m; NaN: the file's own */
  double threshold;      /* of an image: voxels above it are the part */
  double translate[3];   /* m, of the surface */
  double min[3], max[3]; /* of a box */
  int64_t laser;         /* 0: any */
} ig_scan_part;

/* The part as it is cut; `low` and `high` bound it, m, and the volume is in m^3. `oriented`: all
   triangles face the same way, so that winding numbers count instead of parity. */
typedef struct {
  ig_tri_surface soup; /* empty: a box */
  double low[3], high[3];
  double volume;
  bool oriented;
} ig_scan_body;

/* Reads a part; a surface that is not closed is refused. */
IG_MUST_CHECK ig_status ig_scan_body_open(ig_ctx *cx, const ig_scan_part *c, ig_scan_body *body);
void ig_scan_body_close(ig_scan_body *body);
/* Its outline at height z; empty outside of it. Free it. */
IG_MUST_CHECK ig_status ig_scan_body_cut(ig_ctx *cx, const ig_scan_body *body, double z,
                                         ig_outline *outline);
void ig_outline_free(ig_outline *outline);

#endif
