/* Hexahedra cut into tetrahedra in a mesh that already has sets (imported meshes, `split:
   true`). */
#include "mesh/split.h"
#include "core/ctx.h"
#include "mesh/mesh_builder.h"

#include <stdlib.h>

/* The two faces of the six tetrahedra that lie on face `face` of the hexahedron: (tetrahedron,
   local face) each. A face of a tetrahedron is on it if its three nodes are nodes of the
   quadrilateral. */
static void face_parts(const ig_lid *hex, const ig_lid *tet, int face, int part[2][2]) {
  const int *local = ig_elem_face(IG_HEX8, face);
  int found = 0;
  for (int t = 0; t < 6; t++)
    for (int f = 0; f < 4 && found < 2; f++) {
      const int *corner = ig_elem_face(IG_TET4, f);
      int on = 0;
      for (int i = 0; i < 3; i++)
        for (int a = 0; a < 4; a++)
          on += tet[4 * t + corner[i]] == hex[local[a]];
      if (on == 3) {
        part[found][0] = t;
        part[found++][1] = f;
      }
    }
}

/* Node sets stay; an element becomes 6 elements, a face 2 faces. An element becomes six, a face
   two, a node stays. hex and tet are the corners of
   the hexahedra and of the tetrahedra made of them, 8 and 24 to a cell. */
static ig_status set_split(ig_ctx *cx, ig_set *set, const ig_lid *hex, const ig_lid *tet) {
  const int times = set->kind == IG_SET_ELEMENTS ? 6 : 2;
  ig_lid *item = NULL;
  uint8_t *face = NULL;
  if (set->kind == IG_SET_NODES)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &item, (size_t)times * (size_t)set->count + 1, "sets"));
  if (set->kind == IG_SET_FACES) {
    const ig_status status = IG_NEW(cx, &face, 2 * (size_t)set->count + 1, "sets");
    if (status != IG_OK) {
      free(item);
      return status;
    }
  }
  for (ig_lid i = 0; i < set->count; i++) {
    const int64_t e = set->item[i];
    int part[2][2] = {{0}};
    if (face)
      face_parts(hex + 8 * e, tet + 24 * e, set->face[i], part);
    for (int k = 0; k < times; k++) {
      item[(int64_t)times * i + k] = (ig_lid)(6 * e + (face ? part[k][0] : k));
      if (face)
        face[2 * (int64_t)i + k] = (uint8_t)part[k][1];
    }
  }
  free(set->item);
  free(set->face);
  set->item = item;
  set->face = face;
  set->count *= times;
  return IG_OK;
}

/* In place; on failure the mesh is unchanged or still valid, and the caller frees it. */
ig_status ig_mesh_split(ig_ctx *cx, ig_mesh *mesh) {
  ig_block *b = mesh->block;
  if (mesh->blocks != 1 || b->type != IG_HEX8)
    return IG_FAIL(cx, IG_INPUT, "`split` is for meshes of hexahedra alone");
  if (b->count > INT32_MAX / 24)
    return IG_FAIL(cx, IG_INPUT, "%d cells cut into six are more than one mesh can number",
                   b->count);
  ig_lid *conn = NULL;
  int32_t *tag = NULL;
  ig_status status;
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &conn, 24 * (size_t)b->count, "tetrahedra"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &tag, 6 * (size_t)b->count, "tetrahedra"));
  for (int64_t e = 0; e < b->count; e++) {
    ig_hex_cut(b->conn + 8 * e, conn + 24 * e);
    for (int t = 0; t < 6; t++)
      tag[6 * e + t] = b->tag[e];
  }
  for (int i = 0; i < mesh->sets; i++)
    IG_TRY_GOTO(status, failed, set_split(cx, &mesh->set[i], b->conn, conn));
  free(b->conn);
  free(b->tag);
  *b = (ig_block){IG_TET4, 6 * b->count, conn, tag};
  return IG_OK;
failed:
  free(conn);
  free(tag);
  return status;
}
