/* Conversion of a mesh of hexahedra into tetrahedra. */
#ifndef IG_MESH_SPLIT_H
#define IG_MESH_SPLIT_H

#include <ingot/mesh.h>

/* Each hexahedron becomes six tetrahedra, 6 e to 6 e + 5; nodes stay, sets follow. Fails for other
   element types and mixed meshes. */
IG_MUST_CHECK ig_status ig_mesh_split(ig_ctx *cx, ig_mesh *mesh);

#endif
