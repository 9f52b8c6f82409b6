/* Cells of a file become blocks of a mesh, one block per element type; inverted elements are
   reoriented. */
#include "io/mesh/cell_types.h"
#include "io/mesh/mesh_io.h"

#include <stdlib.h>
#include <string.h>

/* Exchanges two nodes of an element. */
static void swap(ig_lid *conn, int a, int b) {
  const ig_lid keep = conn[a];
  conn[a] = conn[b];
  conn[b] = keep;
}

/* Mirrors an element: the same nodes in the other handedness, mid-side nodes included. Exchanges
   nodes so that the volume or normal changes its sign; nodes in the middles of edges follow their
   edges. */
static void turn_over(ig_elem_type type, ig_lid *conn) {
  switch (type) {
  case IG_TRI3:
  case IG_TET4:
    swap(conn, 1, 2);
    break;
  case IG_TRI6:
    swap(conn, 1, 2);
    swap(conn, 3, 5);
    break;
  /* Exchanging two opposite corners changes the sense of rotation. */
  case IG_QUAD4:
    swap(conn, 1, 3);
    break;
  case IG_TET10: /* edges 01 12 20 03 13 23 */
    swap(conn, 1, 2);
    swap(conn, 4, 6);
    swap(conn, 8, 9);
    break;
  /* Bottom and top change places. */
  case IG_HEX8:
    for (int a = 0; a < 4; a++)
      swap(conn, a, 4 + a);
    break;
  case IG_WEDGE6:
    swap(conn, 1, 2);
    swap(conn, 4, 5);
    break;
  case IG_PYRAMID5:
    swap(conn, 1, 3);
    break;
  case IG_HEX20:
    for (int a = 0; a < 4; a++) {
      swap(conn, a, 4 + a);
      swap(conn, 8 + a, 12 + a);
    }
    break;
  case IG_WEDGE15: /* edges 01 12 20, 34 45 53, 03 14 25 */
    swap(conn, 1, 2);
    swap(conn, 4, 5);
    swap(conn, 6, 8);
    swap(conn, 9, 11);
    swap(conn, 13, 14);
    break;
  case IG_QUAD8: /* edges 01 12 23 30 */
    swap(conn, 1, 3);
    swap(conn, 4, 7);
    swap(conn, 5, 6);
    break;
  case IG_BEAM2:
  case IG_BEAM3:
  case IG_ELEM_TYPES:
    break;
  }
}

/* Checked before anything uses the numbers as indices. */
static ig_status corners_check(ig_ctx *cx, const ig_mesh *mesh, const ig_cells *cells) {
  for (ig_lid c = 0; c < cells->count; c++)
    for (int64_t i = cells->offset[c]; i < cells->offset[c + 1]; i++)
      if ((uint32_t)cells->corner[i] >= (uint32_t)mesh->nodes)
        return IG_FAIL(cx, IG_INPUT, "cell %d uses node %d: there are %d", c, cells->corner[i],
                       mesh->nodes);
  return IG_OK;
}

/* number[c]: element of cell c. Elements of one type keep the order of the file. */
static ig_status cells_add(ig_ctx *cx, ig_mesh *mesh, const ig_cells *cells, ig_lid *number) {
  ig_lid count[IG_ELEM_TYPES] = {0};
  for (ig_lid c = 0; c < cells->count; c++)
    count[cells->type[c]]++;
  ig_lid first = ig_mesh_elements(mesh), turned = 0;
  for (int type = 0; type < IG_ELEM_TYPES; type++) {
    if (!count[type])
      continue;
    ig_block *block;
    IG_TRY(ig_mesh_add_block(cx, mesh, (ig_elem_type)type, count[type], &block));
    const size_t npe = (size_t)ig_elem_info_get((ig_elem_type)type)->nodes;
    const bool signed_size = ig_elem_info_get((ig_elem_type)type)->dim == mesh->dim;
    ig_lid e = 0;
    for (ig_lid c = 0; c < cells->count; c++) {
      if (cells->type[c] != type)
        continue;
      ig_lid *conn = block->conn + (size_t)e * npe;
      memcpy(conn, cells->corner + cells->offset[c], npe * sizeof *conn);
      block->tag[e] = cells->tag ? cells->tag[c] : 0;
      if (number)
        number[c] = first + e;
      e++;
    }
    for (e = 0; signed_size && e < block->count; e++)
      if (ig_mesh_measure(mesh, first + e) < 0) {
        turn_over(block->type, block->conn + (size_t)e * npe);
        /* VTK numbers wedges with the other orientation than most programs: reorienting them is not
           worth a warning. */
        turned += block->type != IG_WEDGE6 && block->type != IG_WEDGE15;
      }
    first += block->count;
  }
  if (turned && !cells->split)
    ig_warn(cx, "%d elements of the mesh file were inverted: turned over", turned);
  return IG_OK;
}

/* Reduces or cuts cells first, then adds blocks; number and children refer to the cells of the
   file. number[c]: the first element made of cell c; children[c]: how many. Without any cut, cells
   are elements one to one. */
ig_status ig_mesh_add_cells(ig_ctx *cx, ig_mesh *mesh, const ig_cells *cells, ig_lid *number) {
  ig_plain plain;
  IG_TRY(corners_check(cx, mesh, cells));
  IG_TRY(ig_cells_plain(cx, cells, &plain));
  if (!plain.first) {
    if (cells->children)
      memset(cells->children, 1, (size_t)cells->count);
    return cells_add(cx, mesh, cells, number);
  }
  ig_lid *of = NULL;
  ig_status status = IG_NEW(cx, &of, plain.cells.count, "element numbers");
  if (status == IG_OK)
    status = cells_add(cx, mesh, &plain.cells, of);
  /* Several children of a cell have numbers in a row, from the first. */
  for (ig_lid c = 0; status == IG_OK && c < cells->count; c++) {
    if (number)
      number[c] = of[plain.first[c]];
    if (cells->children)
      cells->children[c] = plain.count[c];
  }
  free(of);
  ig_plain_free(&plain);
  return status;
}

unsigned ig_cell_bit(int code) {
  return 1u << ig_cell_type(code);
}

/* Plane only if all elements are plane and all nodes are at z = 0; otherwise shells in space. */
int ig_mesh_infer_dim(const double *x, ig_lid nodes, unsigned types) {
  for (int type = 0; type < IG_ELEM_TYPES; type++)
    if ((types >> type & 1) && ig_elem_info_get((ig_elem_type)type)->dim != 2)
      return 3;
  for (size_t n = 0; n < (size_t)nodes; n++)
    if (x[3 * n + 2] != 0)
      return 3;
  return 2;
}
