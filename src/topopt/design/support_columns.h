/* Supports of a part that is printed, from densities x of a grid in layers: support material stands
   in columns below every element that hangs, down to the plate or to what is below of the part.

     below_e = 1 - S^(1/8) with S = product of (1 - x_j^8) over the elements j that hold e up: those
               in the cone of the angle, a layer or two below; 1 on the plate
     hang_e  = x_e (1 - below_e)                      share of e that needs support
     need_e  = 1 - (1 - hang_f)(1 - column_f)         f: the element above e
     column_e = (1 - x_e) need_e                      share of e that support fills

   Volume: sum of column_e v. Contact with the part: that of hang_e above the plate, and of
   x_e column_f where a column ends on the part, times the area of an element. Of a black and white
   design these are exact counts; of a gray one they are smooth, and so are their slopes. */
#ifndef IG_TOPOPT_DESIGN_SUPPORT_COLUMNS_H
#define IG_TOPOPT_DESIGN_SUPPORT_COLUMNS_H

#include "topopt/topopt.h"

enum { IG_CONE = 128 };
typedef struct {
  const ig_topopt_layers *layers;
  int count, cone[IG_CONE][3];   /* elements that hold one up: steps along both axes; layers down */
  double volume, area;           /* of an element; of its lower face */
  double *below, *hang, *column; /* places of the grid (host) */
  double *slope_need;            /* of a layer of elements */
} ig_support_columns;

/* below_e of elements at[n] that hold one up; then its slope `by` becomes slopes by them (added).
 */
double ig_support_below(const double *x, int n, const int64_t *at);
void ig_support_below_back(const double *x, int n, const int64_t *at, double all, double by,
                           double *slope);
/* The angle that counts where `angle` is asked for: slopes of a grid are steps of its elements.
   What is less steep needs supports. */
double ig_support_columns_angle(const ig_topopt_layers *layers, double angle);
/* Refuses elements so flat or tall that a cone of the angle has too many of them. */
IG_MUST_CHECK ig_status ig_support_columns_check(ig_ctx *cx, const ig_printing_case *c,
                                                 const ig_topopt_layers *l);
/* Space for grids of `places`; angle in degrees, of a case that was checked. */
IG_MUST_CHECK ig_status ig_support_columns_new(ig_ctx *cx, const ig_topopt_layers *layers,
                                               size_t places, double angle, ig_support_columns *c);
void ig_support_columns_free(ig_support_columns *c);
/* Volume in m^3 and contact in m^2 of densities x, of the elements that `count` has (1 or 0; NULL:
 * all). */
void ig_support_columns_find(ig_support_columns *c, const double *x, const double *count,
                             double *volume, double *contact);
/* Of a part of 0 and 1 that was looked at last, area of elements in m^2: `flat` of what lies below
   it with nothing under it and is less steep than `angle` (degrees) over a few elements, `missed`
   of that which a step of elements holds up, so that no support is counted there. */
void ig_support_columns_missed(const ig_support_columns *c, const double *x, double angle,
                               double *flat, double *missed);
/* Slope of by_volume x volume + by_contact x contact by the densities that were looked at last. */
void ig_support_columns_back(ig_support_columns *c, const double *x, const double *count,
                             double by_volume, double by_contact, double *slope);

#endif
