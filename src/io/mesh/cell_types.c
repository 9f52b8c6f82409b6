/* Cells of other programs converted to element types that a mesh can contain: quadratic cells are
   reduced to their corners where a room does not need the mid-side nodes, and solids are cut into
   tetrahedra on request. */
#include "io/mesh/cell_types.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

/* Codes below IG_ELEM_TYPES are element types of the mesh; the others exist in files only. hex20
   and wedge15 have two codes, because some readers keep them and some always reduce them. */
ig_cell_info ig_cell_info_get(int code) {
  static const ig_cell_info more[] = {
      {"wedge15", 15, 6, IG_WEDGE6},     {"pyramid13", 13, 5, IG_PYRAMID5},
      {"hex20", 20, 8, IG_HEX8},         {"hex27", 27, 8, IG_HEX8},
      {"quad9", 9, 4, IG_QUAD4},         {"wedge18", 18, 6, IG_WEDGE6},
      {"pyramid14", 14, 5, IG_PYRAMID5},
  };
  /* Kinds of cells that are no element types of a mesh have codes above those. */
  if (code >= IG_CELL_WEDGE15)
    return more[code - IG_CELL_WEDGE15];
  if (code == IG_HEX20 || code == IG_WEDGE15)
    return more[code == IG_HEX20 ? 2 : 0];
  const ig_elem_info *info = ig_elem_info_get((ig_elem_type)code);
  if (code == IG_QUAD8 || code == IG_BEAM3)
    return (ig_cell_info){info->name, info->nodes, info->nodes / 2 + info->nodes % 2,
                          code == IG_QUAD8 ? IG_QUAD4 : IG_BEAM2};
  return (ig_cell_info){info->name, info->nodes, info->nodes, code};
}

ig_elem_type ig_cell_type(int code) {
  return (ig_elem_type)ig_cell_info_get(code).base;
}

/* Safe with members that were never allocated. */
void ig_plain_free(ig_plain *p) {
  free(p->first);
  free(p->count);
  free(p->type);
  free(p->offset);
  free(p->corner);
  free(p->tag);
  memset(p, 0, sizeof *p);
}

/* --- cutting into tetrahedra (Dompierre et al. 1999). Every quadrilateral is cut through its
   lowest node number, so that neighbours agree; every element is cut into tetrahedra from its own
   lowest node to the triangles of the faces that do not contain it. */

/* Faces of the three types, counter-clockwise seen from inside, so that tetrahedra with the apex
   inside are positive. */
typedef struct {
  int corners, node[4];
} face;
static const face wedge[] = {
    {3, {0, 1, 2}}, {3, {3, 5, 4}}, {4, {0, 1, 4, 3}}, {4, {1, 2, 5, 4}}, {4, {2, 0, 3, 5}}};
static const face pyramid[] = {
    {4, {0, 3, 2, 1}}, {3, {0, 1, 4}}, {3, {1, 2, 4}}, {3, {2, 3, 4}}, {3, {3, 0, 4}}};
static const face hexahedron[] = {{4, {0, 3, 2, 1}}, {4, {4, 5, 6, 7}}, {4, {0, 1, 5, 4}},
                                  {4, {1, 2, 6, 5}}, {4, {2, 3, 7, 6}}, {4, {3, 0, 4, 7}}};

int ig_cell_faces(int code) {
  return ig_elem_info_get(ig_cell_type(code))->faces;
}

/* node has room for four; returns the corners of the face. */
int ig_cell_face(int code, int number, int node[4]) {
  const ig_elem_type type = ig_cell_type(code);
  const int corners = ig_elem_face_distinct(type, number);
  memcpy(node, ig_elem_face(type, number), (size_t)corners * sizeof *node);
  return corners;
}

/* Compares nodes instead of tracking the cut: a face of a child lies on the cell's face if all its
   nodes are nodes of that face. */
int ig_cell_faces_made(int code, const ig_lid *corner, int number, const ig_mesh *mesh,
                       ig_lid first, int children, int64_t *out) {
  int local[4], made = 0;
  const int corners = ig_cell_face(code, number, local);
  for (ig_lid element = first; element < first + children; element++) {
    ig_lid at;
    const ig_block *block = ig_mesh_element(mesh, element, &at);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (int f = 0; f < info->faces; f++) {
      const int most = ig_elem_face_distinct(block->type, f);
      int on = 0;
      for (int a = 0; a < most; a++)
        for (int b = 0; b < corners; b++)
          on += block->conn[info->nodes * (int64_t)at + ig_elem_face(block->type, f)[a]] ==
                corner[local[b]];
      if (on == most)
        out[made++] = (int64_t)element << 8 | f;
    }
  }
  return made;
}

/* Position in `local` of the lowest node number. */
static int lowest(const ig_lid *node, const int *local, int count) {
  int low = 0;
  for (int a = 1; a < count; a++)
    low = node[local[a]] < node[local[low]] ? a : low;
  return low;
}

/* Cuts a wedge, pyramid or hexahedron (by its corners) into tetrahedra, 4 nodes each; returns how
   many, at most six. Faces that touch the apex give no tetrahedron; the others one or two.
   Tetrahedra from the corner of lowest number to the triangles of all faces that do not touch it
   (Dompierre et al. 1999): neighbours cut a common face alike, as the lowest of its corners
   decides. */
static int cut(int corners, const ig_lid *node, ig_lid *tet) {
  static const int all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const face *faces = corners == 6 ? wedge : corners == 5 ? pyramid : hexahedron;
  const int count = corners == 8 ? 6 : 5, apex = lowest(node, all, corners);
  int made = 0;
  for (int f = 0; f < count; f++) {
    bool touches = false;
    for (int a = 0; a < faces[f].corners; a++)
      touches = touches || faces[f].node[a] == apex;
    if (touches)
      continue;
    const int low = lowest(node, faces[f].node, faces[f].corners), n = faces[f].corners;
    for (int a = 1; a + 1 < n; a++) {
      ig_lid *t = tet + 4 * made++;
      t[0] = node[faces[f].node[low]];
      t[1] = node[faces[f].node[(low + a) % n]];
      t[2] = node[faces[f].node[(low + a + 1) % n]];
      t[3] = node[apex];
    }
  }
  return made;
}

/* --- */

/* Upper limits: six children per cell, four nodes each, or the cell itself. */
static ig_status room_make(ig_ctx *cx, const ig_cells *from, ig_plain *p) {
  const size_t most = (size_t)from->count * IG_CELL_MOST_CHILDREN;
  IG_TRY(IG_NEW(cx, &p->first, from->count, "elements"));
  IG_TRY(IG_NEW(cx, &p->count, from->count, "elements"));
  IG_TRY(IG_NEW(cx, &p->type, most, "elements"));
  IG_TRY(IG_NEW(cx, &p->tag, most, "elements"));
  IG_TRY(IG_NEW(cx, &p->offset, most + 1, "elements"));
  return IG_NEW(cx, &p->corner, (size_t)from->offset[from->count] + 4 * most, "elements");
}

/* Appends one element. */
static void cell_add(ig_plain *p, int type, const ig_lid *node, int nodes, int32_t tag) {
  const ig_lid at = p->cells.count++;
  p->type[at] = (uint8_t)type;
  p->tag[at] = tag;
  memcpy(p->corner + p->offset[at], node, (size_t)nodes * sizeof *node);
  p->offset[at + 1] = p->offset[at] + nodes;
}

/* Whether a cell is an element as it is: depends on what the room can use (quadratic, curved) and
   on split. */
static bool stays(const ig_cells *from, int code) {
  const bool mids = code == IG_HEX20 || code == IG_WEDGE15;
  if (code == IG_QUAD8 || code == IG_BEAM3)
    return from->curved && !from->split;
  return mids ? from->quadratic && !from->split : code < IG_ELEM_TYPES && !from->split;
}

/* Each old cell gets a contiguous range of new ones (first, count), so sets can follow. Counts were
   made before, so all arrays have room. Cells that can stay as they are become one child each. */
static ig_status fill(ig_ctx *cx, const ig_cells *from, ig_plain *p) {
  ig_lid reduced = 0;
  const char *name = "";
  for (ig_lid c = 0; c < from->count; c++) {
    const ig_cell_info info = ig_cell_info_get(from->type[c]);
    const ig_lid *node = from->corner + from->offset[c];
    const int32_t tag = from->tag ? from->tag[c] : 0;
    ig_lid tet[4 * IG_CELL_MOST_CHILDREN];
    p->first[c] = p->cells.count;
    /* Only these can be cut; triangles, tetrahedra and lines stay as they are. */
    const bool solid = info.base == IG_HEX8 || info.base == IG_WEDGE6 || info.base == IG_PYRAMID5;
    if (stays(from, from->type[c])) {
      cell_add(p, from->type[c], node, info.nodes, tag);
      p->count[c] = 1;
      continue;
    }
    if (from->split && solid) {
      const int made = cut(info.corners, node, tet);
      for (int k = 0; k < made; k++)
        cell_add(p, IG_TET4, tet + 4 * k, 4, tag);
    } else {
      cell_add(p, info.base, node, info.corners, tag);
    }
    p->count[c] = (uint8_t)(p->cells.count - p->first[c]);
    /* Nodes in the middles of edges are dropped, which is worth one warning for all. */
    if (info.nodes > info.corners) {
      reduced++;
      name = info.name;
    }
  }
  if (reduced)
    ig_warn(cx,
            "%d quadratic elements (%s) are taken by their corners: their mid-side nodes are "
            "left out",
            reduced, name);
  return IG_OK;
}

/* If nothing has to change, the caller's arrays are used and nothing is copied. */
ig_status ig_cells_plain(ig_ctx *cx, const ig_cells *from, ig_plain *p) {
  bool plain = !from->split;
  memset(p, 0, sizeof *p);
  p->cells = *from;
  for (ig_lid c = 0; c < from->count; c++)
    plain = plain && stays(from, from->type[c]);
  if (plain)
    return IG_OK;
  p->cells.count = 0;
  ig_status status = room_make(cx, from, p);
  if (status == IG_OK)
    status = fill(cx, from, p);
  p->cells.type = p->type;
  p->cells.offset = p->offset;
  p->cells.corner = p->corner;
  p->cells.tag = p->tag;
  if (status != IG_OK)
    ig_plain_free(p);
  return status;
}
