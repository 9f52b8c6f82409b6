/* Sizes of single elements. */
#ifndef IG_MESH_GEOMETRY_H
#define IG_MESH_GEOMETRY_H

#include <ingot/mesh.h>

/* Length, area or volume. *least (NULL: not wanted) is the smallest Jacobian determinant over the
   integration points, scaled to the measure's unit: positive for a valid element. The sign counts
   where the element's dimension is the mesh's; shells and beams are never negative. Corner nodes
   define the shape: mid-side nodes are taken as straight, except in the least of a tri6. */
double ig_elem_measure(const ig_mesh *mesh, const ig_block *block, ig_lid e, double *least);

/* Shortest and longest straight edge between corner nodes. */
void ig_elem_edges(const ig_mesh *mesh, const ig_block *block, ig_lid e, double *shortest,
                   double *longest);

/* Area (length, 1) of a face. */
double ig_face_measure(const ig_mesh *mesh, const ig_block *block, ig_lid e, int face);

#endif
