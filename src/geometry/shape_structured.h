/* What shapes are made with. A shape is a plane or curved sheet of quadrilaterals or triangles,
   some drawn out to hexahedra, and names its sides as it goes. Sides are bits of a byte a node in
   the draft: up to six, named by ig_mesh_builder_name, from which ig_mesh_set_sides makes node and
   face sets. */
#ifndef IG_GEOMETRY_SHAPE_STRUCTURED_H
#define IG_GEOMETRY_SHAPE_STRUCTURED_H

#include "geometry/mesh_case.h"

/* A full turn, rad. */
#define IG_TAU 6.283185307179586476925

/* The shapes (shape_*.c). `type` is what was asked for, IG_ELEM_TYPES: the shape's own choice; it
   is left at what the draft must still become (tri6 of a draft of tri3, tet4 of one of hex8).
   They fail with IG_INPUT and a message that does not know its place in a case; boxes do. */
typedef ig_status ig_shape_fn(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                              ig_mesh_builder *draft);
ig_shape_fn ig_mesh_builder_voxels, ig_mesh_builder_boxes, ig_mesh_builder_annulus,
    ig_mesh_builder_tube, ig_mesh_builder_cylinder, ig_mesh_builder_cylinder_shell,
    ig_mesh_builder_disc, ig_mesh_builder_dome, ig_mesh_builder_lattice_dome,
    ig_mesh_builder_hemisphere, ig_mesh_builder_plate, ig_mesh_builder_beam_line;

/* --- what a case says of a shape. Messages do not know their place in it: ig_mesh_placed. */

/* `cells` as `count` whole numbers into n; what[i] names entry i in messages. Fails with IG_INPUT
   if there are more or fewer, if one is no whole number from 1, or if a mesh cannot number them. */
IG_MUST_CHECK ig_status ig_shape_cells(ig_ctx *cx, const ig_reals *cells, int count,
                                       const char *const *what, ig_lid *n);
/* Fails unless 0 < value < 1e30; `key` is for the message. */
IG_MUST_CHECK ig_status ig_shape_positive(ig_ctx *cx, const char *key, double value);
/* How far round, rad; 0 stands for all the way. *round: it is closed, within 1e-9 of a full
   turn. */
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

/* Place x[3] of grid point i, j; x is zero when called, so that plane shapes need not set z. */
typedef void ig_structured_map(const void *arg, ig_lid i, ig_lid j, double *x);
typedef struct {
  int dim;
  ig_lid n[2];
  bool wrap[2];
  ig_elem_type type; /* quad4 or tri3 */
  int pattern;
  ig_structured_map *map; /* where grid point i, j is */
  const void *arg;
} ig_structured;

/* What a sheet's elements are before cutting and quadratic ones. */
ig_elem_type ig_structured_type(ig_elem_type type);
/* Sides 0 to 3 of the draft are i = 0, i = n, j = 0, j = n. */
IG_MUST_CHECK ig_status ig_structured_make(ig_ctx *cx, const ig_structured *s,
                                           ig_mesh_builder *draft);
/* Draws a plane draft of quad4 out to hex8 through the heights z[0] … z[layers]; sides 4 and 5 are
   the bottom and the top. */
IG_MUST_CHECK ig_status ig_mesh_builder_extrude(ig_ctx *cx, ig_mesh_builder *draft, ig_lid layers,
                                                const double *z);
IG_MUST_CHECK ig_status ig_mesh_builder_extrude_even(ig_ctx *cx, ig_mesh_builder *draft,
                                                     ig_lid layers, double height);
/* Names sides 0 to 5; NULL: no such side. */
void ig_mesh_builder_name(ig_mesh_builder *draft, const char *a, const char *b, const char *c,
                          const char *d, const char *e, const char *f);

#endif
