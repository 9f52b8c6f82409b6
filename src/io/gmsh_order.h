/* Order of the nodes of quadratic elements in Gmsh, which differs from VTK's (and Ingot's) in the
   mid-side nodes. */
#ifndef IG_IO_GMSH_ORDER_H
#define IG_IO_GMSH_ORDER_H

#include <ingot/mesh.h>

/* The place at which Gmsh has node a: Gmsh sorts edges by their lowest corners. Linear elements are
   equal. */
static inline int ig_gmsh_node(ig_elem_type type, int a) {
  static const signed char hex[12] = {8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};
  static const signed char wedge[9] = {6, 9, 7, 12, 14, 13, 8, 10, 11};
  return type == IG_TET10 && a >= 8     ? 17 - a
         : type == IG_HEX20 && a >= 8   ? hex[a - 8]
         : type == IG_WEDGE15 && a >= 6 ? wedge[a - 6]
                                        : a;
}

/* The inverse: the node that Gmsh has at place a. */
static inline int ig_gmsh_place(ig_elem_type type, int a) {
  int node = 0;
  while (ig_gmsh_node(type, node) != a)
    node++;
  return node;
}

#endif
