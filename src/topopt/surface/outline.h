/* Outlines of plane designs, and files of them. */
#ifndef IG_TOPOPT_SURFACE_OUTLINE_H
#define IG_TOPOPT_SURFACE_OUTLINE_H

#include "topopt/surface/surface.h"

#include <string.h>

/* Closed polygons: next[v] follows v; start: a vertex of each. What is inside lies to the left.
   Positions in m; area and length of all polygons together, holes subtracted. */
typedef struct {
  int32_t vertices, polygons, *next, *start;
  double (*x)[2];
  double low[2], high[2]; /* of the whole, mirrored body */
  double area, length;
} ig_topopt_outline;
/* density: of the elements of a plane grid that is not divided. */
IG_MUST_CHECK ig_status ig_topopt_outline_make(ig_ctx *cx, const ig_grid *g, const double *h,
                                               const double *density, double level,
                                               const ig_texts *mirror, ig_topopt_outline *outline);
void ig_topopt_outline_free(ig_topopt_outline *outline);
/* Formats of outlines. */
static inline bool ig_topopt_outline_knows(const char *format) {
  return strcmp(format, "svg") == 0 || strcmp(format, "dxf") == 0;
}
/* "part." and the format is the name of the file. */
IG_MUST_CHECK ig_status ig_topopt_outline_write(ig_ctx *cx, const ig_topopt_outline *outline,
                                                const char *format, ig_sink *sink);

#endif
