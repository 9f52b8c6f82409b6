/* The nearest of many points. */
#ifndef IG_MESH_NEAREST_H
#define IG_MESH_NEAREST_H

#include "core/ctx.h"

/* Points in boxes of a regular grid, about two in each. */
typedef struct {
  const double *point; /* the caller's, kept until ig_nearest_free */
  int n[3];
  double low[3], size;
  int64_t *first, *order; /* boxes + 1; points by box */
} ig_point_boxes;

/* point: count x 3. */
IG_MUST_CHECK ig_status ig_nearest_new(ig_ctx *cx, const double *point, int64_t count,
                                       ig_point_boxes *to);
/* Of equally near ones the lowest number; -1: there are no points. far2: its squared distance. */
int64_t ig_nearest_find(const ig_point_boxes *b, const double x[3], double *far2);
void ig_nearest_free(ig_point_boxes *b); /* fine on a zeroed one */

#endif
