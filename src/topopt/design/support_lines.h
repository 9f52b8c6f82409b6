/* Supports of a part that is printed, from densities of a mesh: as support_columns.h has them of a
   grid, along upright lines in place of columns (ig_topopt_build).

   hang_e is that of the element, with the elements that touch it and lie below it no flatter than
   the angle. A line of area a goes from its top down through pieces i of length l_i, of elements
   e(i) or of air (x = 0):

     column_i = (1 - x_i) need,   need = 1 - (1 - hang)(1 - column) of the piece above
     volume   = sum of a l_i column_i
     contact  = sum of a (hang_i + x_i column of the piece above)

   On an even mesh of hexahedra that is what a grid has, up to 45 degrees. */
#ifndef IG_TOPOPT_DESIGN_SUPPORT_LINES_H
#define IG_TOPOPT_DESIGN_SUPPORT_LINES_H

#include "topopt/topopt.h"

typedef struct {
  const ig_topopt_build *build;
  double *below, *hang, *by_hang; /* elements (host); slope by `hang` */
  double *need, *column;          /* pieces of a line; need: what the one above asks for */
  int64_t *at;                    /* elements that hold one up */
  double air;                     /* 1: air counts */
} ig_support_lines;

IG_MUST_CHECK ig_status ig_support_lines_new(ig_ctx *cx, const ig_topopt_build *build,
                                             ig_support_lines *s);
void ig_support_lines_free(ig_support_lines *s);
/* As ig_support_columns_find and _back. Air counts where all elements do. */
void ig_support_lines_find(ig_support_lines *s, const double *x, const double *count,
                           double *volume, double *contact);
void ig_support_lines_back(ig_support_lines *s, const double *x, const double *count,
                           double by_volume, double by_contact, double *slope);

#endif
