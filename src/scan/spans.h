/* Sets of points on a line, as sorted spans that do not overlap; and outlines cut by lines. */
#ifndef IG_SCAN_SPANS_H
#define IG_SCAN_SPANS_H

#include "core/ctx.h"

/* A closed interval, m along a line from its origin. */
typedef struct {
  double from, to;
} ig_span;
/* Grows as needed; zeroed is empty. Setting the count to 0 keeps the memory for the next line. */
typedef struct {
  int count;
  ig_span *span;
} ig_spans;

void ig_spans_free(ig_spans *s);
IG_MUST_CHECK ig_status ig_spans_add(ig_ctx *cx, ig_spans *s, double from, double to);
/* Sorts and joins what was added in any order. */
void ig_spans_join(ig_spans *s);
/* out = a and b; out = a without b. `out` is neither. */
IG_MUST_CHECK ig_status ig_spans_both(ig_ctx *cx, const ig_spans *a, const ig_spans *b,
                                      ig_spans *out);
IG_MUST_CHECK ig_status ig_spans_without(ig_ctx *cx, const ig_spans *a, const ig_spans *b,
                                         ig_spans *out);

/* The outline of a part at one height: directed pieces that make closed loops. */
typedef struct {
  int count;
  double (*piece)[4]; /* x0, y0, x1, y1; m */
  bool oriented;      /* the part lies to the left of each piece, or to the right of each */
} ig_outline;

/* Where the line through `o` in direction `d` (length 1) is inside; distances from `o`. */
IG_MUST_CHECK ig_status ig_outline_inside(ig_ctx *cx, const ig_outline *s, const double *o,
                                          const double *d, ig_spans *out);
/* Where it is nearer to the outline than `near`. */
IG_MUST_CHECK ig_status ig_outline_near(ig_ctx *cx, const ig_outline *s, double near,
                                        const double *o, const double *d, ig_spans *out);

#endif
