/* Size and quality of a mesh in a few figures, for `ingot check` and `ingot mesh`. */
#ifndef IG_MESH_QUALITY_H
#define IG_MESH_QUALITY_H

#include "core/ctx.h"
#include <ingot/mesh.h>

/* Lengths in m, areas in m2, volumes in m3. */
typedef struct {
  double measure[4];        /* by dimension of the elements: length, area, volume */
  double shortest, longest; /* edges */
  double jacobian;          /* least over elements and points, over the element's mean: 1 at best */
  double aspect;            /* largest longest edge over shortest of one element */
  ig_lid worst;             /* the element with that Jacobian */
  ig_lid faces;             /* boundary faces */
  double boundary;          /* their area, or length in the plane */
  ig_lid classes;           /* of congruent elements */
} ig_quality;
IG_MUST_CHECK ig_status ig_mesh_quality(ig_ctx *cx, const ig_mesh *mesh, ig_quality *quality);

#endif
