/* Overheating of a printed part on a mesh: as overheat.h has it of a grid, with layers that the
   centres of elements lie in, by a direct solver on the host.

   Slab k are the elements of layer k and of the layers below it to the depth. Nodes that it shares
   with elements below are at 0; where it reaches into the plate, the plate conducts upright what
   comes to it, and so does powder from faces that hang out of the mesh. The flux enters at the
   faces f of layer k that look up to what is not there yet, by their area seen from above.

     t_f = mean of T_k over the face, over that of the same slab all solid, which stands on solid
     J   = C (sum over all f of x_e t_f^P)^(1/P)

   On an even mesh of hexahedra that is what a grid has, but for slabs that reach into the plate,
   which conducts sideways there. */
#ifndef IG_TOPOPT_DESIGN_OVERHEAT_MESH_H
#define IG_TOPOPT_DESIGN_OVERHEAT_MESH_H

#include "topopt/design/overheat.h"

/* depth: layers of a slab. */
IG_MUST_CHECK ig_status ig_overheat_mesh_new(ig_ctx *cx, const ig_topopt_build *build, int depth,
                                             ig_overheat_mesh **to);
void ig_overheat_mesh_free(ig_overheat_mesh *m);
/* What layer `top` of densities x adds to the sum and to its slope, of the elements that `count`
   has; the highest x^(1/P) t. */
IG_MUST_CHECK ig_status ig_overheat_mesh_add(ig_overheat_mesh *m, const double *x,
                                             const double *count, int top, double *sum,
                                             double *most, double *slope);
/* The highest t of dense elements of layer `top` (count NULL: of all). */
IG_MUST_CHECK ig_status ig_overheat_mesh_most(ig_overheat_mesh *m, const double *x,
                                              const double *count, int top, double *most);

#endif
