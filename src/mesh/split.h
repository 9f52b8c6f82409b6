/* Meshes of hexahedra as tetrahedra. */
#ifndef IG_MESH_SPLIT_H
#define IG_MESH_SPLIT_H

#include <ingot/mesh.h>

/* Each hexahedron becomes six tetrahedra, in the order of the hexahedra; nodes stay, sets follow.
   Other element types fail. */
IG_MUST_CHECK ig_status ig_mesh_split(ig_ctx *cx, ig_mesh *mesh);

#endif
