/* Cells: what the engine steps. Every cell is a trilinear hexahedron; other elements become
   hexahedra with nodes that coincide, for which the same kernels serve:

   tet4   corners 0 1 2 2 3 3 3 3 (VTK's order of a hexahedron). Its shape functions are those of
          the linear tetrahedron, and 2x2x2 points integrate conduction and volumes exactly.
   tet10  eight tet4 on its own ten nodes: four at the corners, four about the shortest diagonal of
          what is left. Second order; the lumped capacity of every node is positive, which that of
          the quadratic element is not at its corners.
   wedge6 corners 0 1 2 2 3 4 5 5, pyramid5 0 1 2 3 4 4 4 4: on triangles they are linear, on
          quadrilaterals bilinear, so that faces of hexahedra, wedges, pyramids and tetrahedra
          match. */
#ifndef IG_HEAT_CELLS_H
#define IG_HEAT_CELLS_H

#include "core/ctx.h"
#include "mesh/topology.h"
#include <ingot/mesh.h>

enum { IG_CELL_MOST = 8 }; /* cells of one element */

typedef struct {
  ig_lid count;
  ig_lid *conn;   /* x 8, corners in binary order: i + 2 j + 4 k */
  ig_lid *parent; /* the element each is of; cells of an element follow each other */
  ig_lid *start;  /* elements + 1: first cell of each */
  bool collapsed; /* some have nodes that coincide */
} ig_heat_cells;

/* Fails for elements that are not solid, and for meshes whose element types do not match at faces
   (a quadrilateral against two triangles, a quadratic tetrahedron beside a linear element). */
IG_MUST_CHECK ig_status ig_heat_cells_make(ig_ctx *cx, const ig_mesh *mesh, ig_heat_cells *cells);
void ig_heat_cells_free(ig_heat_cells *cells);
/* The cells of one element, conn: IG_CELL_MOST x 8; how many. */
int ig_heat_cells_of(const ig_mesh *mesh, const ig_block *block, ig_lid local, ig_lid (*conn)[8]);
/* Cells across faces, count x 6: -1 where there is none. */
IG_MUST_CHECK ig_status ig_heat_cells_neighbors(ig_ctx *cx, const ig_mesh *mesh,
                                                const ig_heat_cells *cells, ig_lid *neighbor);
/* The same for hexahedra with eight nodes each, from the cells at each node; false: the mesh has
   something unusual, such as a face of three cells, which the function above tells. */
bool ig_heat_cells_across(ig_ctx *cx, ig_lid count, const ig_lid *conn, const ig_csr *around,
                          ig_lid *neighbor);
/* The cell faces that make up face `face` of an element: their numbers cell x 6 + face, at most 4;
   how many. */
int ig_heat_cells_face(const ig_heat_cells *cells, const ig_mesh *mesh, ig_lid element, int face,
                       ig_lid *cell_face);
/* Different nodes of a cell's face, rising: fewer than 3 where it is no face at all. */
int ig_heat_face_nodes(const ig_lid *conn, int face, ig_lid *node);

#endif
