/* Points of cells as VTK numbers them. */
#ifndef IG_CORE_VTK_CORNER_H
#define IG_CORE_VTK_CORNER_H

#include <ingot/mesh.h>

/* Which node of an element is point a of its cell: VTK has the triangles of a wedge the other
   way round. Other elements agree with VTK. wedge15: corners 0 to 5, then the midpoints of the
   edges below, above and upright, each list in VTK's order. */
static inline int ig_vtk_corner(ig_elem_type type, int a) {
  static const signed char wedge15[15] = {0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13};
  return type == IG_WEDGE15 ? wedge15[a] : type == IG_WEDGE6 && a % 3 ? (a / 3) * 6 + 3 - a : a;
}

#endif
