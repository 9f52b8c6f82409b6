/* Measures of single elements, for checks, quality figures and generators. */
#ifndef IG_MESH_GEOMETRY_H
#define IG_MESH_GEOMETRY_H

#include <ingot/mesh.h>

/* Length, area or volume (m, m2, m3). *least (NULL: not wanted) is the smallest Jacobian
   determinant over the integration points, scaled to the unit of the measure: positive for a valid
   element. The sign counts where the element has the dimension of the mesh; shells and beams are
   never negative. Corners define the shape, except for hex20 and wedge15, and in *least of tri6. */
double ig_elem_measure(const ig_mesh *mesh, const ig_block *block, ig_lid e, double *least);

/* Shortest and longest straight edge between corner nodes, m. */
void ig_elem_edges(const ig_mesh *mesh, const ig_block *block, ig_lid e, double *shortest,
                   double *longest);

/* Area of a face of a solid (m2), length of an edge of a plane element (m), 1 for the end of a
   beam. */
double ig_face_measure(const ig_mesh *mesh, const ig_block *block, ig_lid e, int face);

/* Angle by which a body of nodes turns, rad: antisymmetric part of the displacement gradient that
   fits best, which is the rotation where strains are small. X, u: 3 per node. 0 where the nodes lie
   in a plane. */
double ig_nodes_turn(int nodes, const double *X, const double *u);
/* Least and largest principal stretch of the deformation that fits best; 1 where the nodes lie in a
   plane. */
void ig_nodes_stretch(int nodes, const double *X, const double *u, double *least, double *most);

#endif
