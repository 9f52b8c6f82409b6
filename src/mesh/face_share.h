/* How a force that acts evenly on faces of solids is shared by their nodes. */
#ifndef IG_MESH_FACE_SHARE_H
#define IG_MESH_FACE_SHARE_H

#include <ingot/context.h>
#include <ingot/mesh.h>

#include "core/ctx.h"

/* Per node of a face the integral of its shape function, at x (nodes x 3), corners first; returns
   the area: ig_solid_face_weights. */
typedef double ig_face_weights_fn(int nodes, const double *x, double *weight);

/* The share of each of `count` nodes, which sum to 1, in a force on the set `name`; free *share.
   *share is NULL where no set of faces of solids has this name, or where its nodes are not these:
   then nothing says how large the place of a node is. */
IG_MUST_CHECK ig_status ig_mesh_face_shares(ig_ctx *cx, const ig_mesh *mesh, const char *name,
                                            const ig_lid *node, ig_lid count,
                                            ig_face_weights_fn *weights, double **share);

#endif
