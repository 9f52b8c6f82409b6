/* How much too stiff linear hexahedra are where a body bends. */
#ifndef IG_MESH_BENDING_H
#define IG_MESH_BENDING_H

#include "core/ctx.h"
#include <ingot/mesh.h>

/* A layer of length l and thickness t across which there are n elements, fully integrated, bends
   as if it were stiffer by G / E (l / t n)^2: parasitic shear of the elements' own bending. Members
   of a body are taken to be four elements thick at most. */
static inline double ig_bending_excess(double length, double thickness, int layers) {
  const double ratio = length / thickness / (layers < 4 ? layers : 4);
  return 0.385 * ratio * ratio;
}

/* That share where the surface of a mesh has layers of elements below it, as a mean over the third
   of the surface that is worst; 0 where it is below 5 %. Hexahedra of 8 nodes count, of those
   elements whose mark is not 0 (NULL: all). */
IG_MUST_CHECK ig_status ig_mesh_bending_excess(ig_ctx *cx, const ig_mesh *mesh, const uint8_t *mark,
                                               double *excess);

#endif
