/* Nodes of faces, and how a force that acts evenly on faces of solids is shared by them. */
#ifndef IG_MESH_FACE_SHARE_H
#define IG_MESH_FACE_SHARE_H

#include <ingot/context.h>
#include <ingot/mesh.h>

#include "core/ctx.h"

/* The nodes of a face of an element, corners first, from outside counter-clockwise: how many.
   face: from 0. Wedges have triangles among their faces: the number of nodes may be 3, 4, 6 or
   8. */
int ig_mesh_face_nodes(const ig_mesh *mesh, ig_lid element, int face, ig_lid node[8]);

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
