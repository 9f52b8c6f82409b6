/* Points of cells as VTK numbers them. */
#ifndef IG_CORE_VTK_CORNER_H
#define IG_CORE_VTK_CORNER_H

#include <ingot/mesh.h>

/* Which node of an element is point a of its cell: VTK has the triangles of a wedge the other way
   round. */
static inline int ig_vtk_corner(ig_elem_type type, int a) {
  return type == IG_WEDGE6 && a % 3 ? (a / 3) * 6 + 3 - a : a;
}

#endif
