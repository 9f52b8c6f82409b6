/* What shapes are made with. A shape is a plane or curved sheet of quadrilaterals or triangles,
   some drawn out to hexahedra, and names its sides as it goes. */
#ifndef IG_GEOMETRY_SHEET_H
#define IG_GEOMETRY_SHEET_H

#include "geometry/mesh_case.h"

#define IG_TAU 6.283185307179586476925

/* The shapes (shape_*.c). `type` is what was asked for, IG_ELEM_TYPES: the shape's own choice; it
   is left at what the draft must still become (tri6 of a draft of tri3, tet4 of one of hex8).
   They fail with IG_INPUT and a message that does not know its place in a case; boxes do. */
typedef ig_status ig_shape_fn(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                              ig_draft *draft);
ig_shape_fn ig_draft_voxels, ig_draft_boxes, ig_draft_annulus, ig_draft_tube, ig_draft_cylinder,
    ig_draft_cylinder_shell, ig_draft_disc, ig_draft_dome, ig_draft_lattice_dome,
    ig_draft_hemisphere, ig_draft_plate, ig_draft_beam_line;

/* --- what a case says of a shape. Messages do not know their place in it: ig_mesh_placed. */

/* `cells` as whole numbers; what[i] names entry i in messages. */
IG_MUST_CHECK ig_status ig_shape_cells(ig_ctx *cx, const ig_reals *cells, int count,
                                       const char *const *what, ig_lid *n);
IG_MUST_CHECK ig_status ig_shape_positive(ig_ctx *cx, const char *key, double value);
/* How far round, rad; 0 stands for all the way. */
IG_MUST_CHECK ig_status ig_shape_angle(ig_ctx *cx, double given, double *angle, bool *round);
/* The element type: the shape's own unless one was asked for, which must be in the bits `allowed`.
 */
enum { IG_SHAPE_PLANE = 1 << IG_QUAD4 | 1 << IG_TRI3 | 1 << IG_TRI6 };
enum {
  IG_SHAPE_SOLID =
      1 << IG_HEX8 | 1 << IG_TET4 | 1 << IG_TET10 | 1 << IG_WEDGE6 | 1 << IG_HEX20 | 1 << IG_WEDGE15
};
IG_MUST_CHECK ig_status ig_shape_type(ig_ctx *cx, ig_elem_type *type, ig_elem_type own,
                                      unsigned allowed, const char *shape);

/* --- sheets: a grid of n[0] x n[1] cells, closed in a direction that wraps */

typedef void ig_sheet_map(const void *arg, ig_lid i, ig_lid j, double *x);
typedef struct {
  int dim;
  ig_lid n[2];
  bool wrap[2];
  ig_elem_type type; /* quad4 or tri3 */
  int pattern;
  ig_sheet_map *map; /* where grid point i, j is */
  const void *arg;
} ig_sheet;

/* What a sheet's elements are before cutting and quadratic ones. */
ig_elem_type ig_sheet_type(ig_elem_type type);
/* Sides 0 to 3 of the draft are i = 0, i = n, j = 0, j = n. */
IG_MUST_CHECK ig_status ig_sheet_make(ig_ctx *cx, const ig_sheet *s, ig_draft *draft);
/* Draws a plane draft of quad4 out to hex8 through the heights z[0] … z[layers]; sides 4 and 5 are
   the bottom and the top. */
IG_MUST_CHECK ig_status ig_draft_extrude(ig_ctx *cx, ig_draft *draft, ig_lid layers,
                                         const double *z);
IG_MUST_CHECK ig_status ig_draft_extrude_even(ig_ctx *cx, ig_draft *draft, ig_lid layers,
                                              double height);
/* Names sides 0 to 5; NULL: no such side. */
void ig_draft_name(ig_draft *draft, const char *a, const char *b, const char *c, const char *d,
                   const char *e, const char *f);

#endif
