/* Element types of other programs beyond those a mesh can contain. Quadratic cells become their
   corners, also hex20, wedge15, quad8 and beam3 unless the room asks for them. On request solids
   become tetrahedra. */
#ifndef IG_IO_MESH_CELL_TYPES_H
#define IG_IO_MESH_CELL_TYPES_H

#include "io/mesh/mesh_io.h"

/* Codes of cells; values below are ig_elem_type, these continue after it with a gap. */
enum {
  IG_CELL_WEDGE15 = 32,
  IG_CELL_PYRAMID13,
  IG_CELL_HEX20,
  IG_CELL_HEX27,
  IG_CELL_QUAD9,
  IG_CELL_WEDGE18,
  IG_CELL_PYRAMID14,
  IG_CELL_END
};
/* Nodes of the largest cell (hex27), and tetrahedra of a hexahedron. */
enum { IG_CELL_MOST_NODES = 27, IG_CELL_MOST_CHILDREN = 6 };

/* A type of cell in files. */
typedef struct {
  const char *name;
  int nodes, corners; /* corners come first */
  int base;           /* the type the corners make */
} ig_cell_info;
ig_cell_info ig_cell_info_get(int code);
/* The element type that a cell of this code becomes, unless it is cut. */
ig_elem_type ig_cell_type(int code);

/* Number of faces of a cell; corners of face `number` (as in ig_elem_face), returns how many. */
int ig_cell_faces(int code);
int ig_cell_face(int code, int number, int node[4]);
/* Faces of the elements that a cell became (`children` from `first` on) that lie on the cell's face
   `number`; found by node numbers, because elements may have been cut or reoriented. corner: nodes
   of the cell. out: element << 8 | face, at most IG_CELL_MOST_FACES; returns how many. */
enum { IG_CELL_MOST_FACES = 4 * IG_CELL_MOST_CHILDREN };
int ig_cell_faces_made(int code, const ig_lid *corner, int number, const ig_mesh *mesh,
                       ig_lid first, int children, int64_t *out);

/* Cells as a mesh can contain them; the caller's arrays if nothing had to change. Freed by
   ig_plain_free. */
typedef struct {
  ig_cells cells;
  ig_lid *first;  /* of each old cell, its first new one; NULL: nothing changed */
  uint8_t *count; /* and how many it became */
  uint8_t *type;  /* what `cells` points at */
  int64_t *offset;
  ig_lid *corner;
  int32_t *tag;
} ig_plain;
IG_MUST_CHECK ig_status ig_cells_plain(ig_ctx *cx, const ig_cells *from, ig_plain *plain);
void ig_plain_free(ig_plain *plain);

#endif
