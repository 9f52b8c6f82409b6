/* The mesh container: element types, blocks, sets. A mesh owns all its arrays; ig_mesh_free frees
   them. Elements are numbered through all blocks, in the order of blocks. */
#include <ingot/mesh.h>
#include "core/ctx.h"
#include "core/require.h"
#include "core/hash.h"
#include "mesh/mesh_builder.h"

#include <stdlib.h>
#include <string.h>

/* A guard against damaged files; a set needs a name, so no mesh has nearly as many. */
enum { MOST_SETS = 1 << 22 };

/* Name, dimension, nodes, faces, nodes per face and VTK type, from the one list of types in
   include/ingot/mesh.h. */
static const ig_elem_info elem_info[] = {
#define X(name, text, dim, nodes, faces, face_nodes, vtk)                                          \
  [IG_##name] = {text, dim, nodes, faces, face_nodes, vtk},
    IG_ELEM_LIST(X)
#undef X
};

#define FACES(...)                                                                                 \
  (const int[]) {                                                                                  \
    __VA_ARGS__                                                                                    \
  }
/* Local nodes of each face: corners counter-clockwise seen from outside, then mid-sides. Faces of
   hexahedra: x low, x high, y low, y high, z low, z high. Types with triangles and quadrilaterals
   have four entries for both; a triangle repeats its last node. */
static const int *const elem_faces[] = {
    [IG_BEAM2] = FACES(0, 1),
    [IG_TRI3] = FACES(0, 1, 1, 2, 2, 0),
    [IG_TRI6] = FACES(0, 1, 3, 1, 2, 4, 2, 0, 5),
    [IG_QUAD4] = FACES(0, 1, 1, 2, 2, 3, 3, 0),
    [IG_TET4] = FACES(0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2),
    [IG_TET10] = FACES(0, 2, 1, 6, 5, 4, 0, 1, 3, 4, 8, 7, 1, 2, 3, 5, 9, 8, 0, 3, 2, 7, 9, 6),
    [IG_HEX8] = FACES(0, 4, 7, 3, 1, 2, 6, 5, 0, 1, 5, 4, 3, 7, 6, 2, 0, 3, 2, 1, 4, 5, 6, 7),
    [IG_WEDGE6] = FACES(0, 2, 1, 1, 3, 4, 5, 5, 0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5),
    [IG_PYRAMID5] = FACES(0, 3, 2, 1, 0, 1, 4, 4, 1, 2, 4, 4, 2, 3, 4, 4, 3, 0, 4, 4),
    [IG_HEX20] =
        FACES(0, 4, 7, 3, 16, 15, 19, 11, 1, 2, 6, 5, 9, 18, 13, 17, 0, 1, 5, 4, 8, 17, 12, 16, 3,
              7, 6, 2, 19, 14, 18, 10, 0, 3, 2, 1, 11, 10, 9, 8, 4, 5, 6, 7, 12, 13, 14, 15),
    [IG_WEDGE15] = FACES(0, 2, 1, 1, 8, 7, 1, 6, 3, 4, 5, 5, 9, 10, 5, 11, 0, 1, 4, 3, 6, 13, 9, 12,
                         1, 2, 5, 4, 7, 14, 10, 13, 2, 0, 3, 5, 8, 12, 11, 14),
    [IG_QUAD8] = FACES(0, 1, 4, 1, 2, 5, 2, 3, 6, 3, 0, 7),
    [IG_BEAM3] = FACES(0, 1),
};

const ig_elem_info *ig_elem_info_get(ig_elem_type type) {
  return (unsigned)type < IG_ELEM_TYPES ? &elem_info[type] : NULL;
}

/* Local nodes of a face, corners first; NULL for a type or face that does not exist. */
const int *ig_elem_face(ig_elem_type type, int face) {
  return (unsigned)type < IG_ELEM_TYPES && face >= 0 && face < elem_info[type].faces
             ? elem_faces[type] + face * elem_info[type].face_nodes
             : NULL;
}

/* Abaqus numbers the sides of a hexahedron bottom, top, front, right, back, left. Sides in the
   numbering of Abaqus; only hexahedra differ from the order of ig_elem_face. */
int ig_elem_side(ig_elem_type type, int side) {
  static const int hex[] = {4, 5, 2, 1, 3, 0};
  const ig_elem_info *info = ig_elem_info_get(type);
  if (side < 1 || side > info->faces)
    return -1;
  return info->dim == 3 && info->faces == 6 ? hex[side - 1] : side - 1;
}

/* Coordinates are zero. In the plane (dim 2) z must stay 0. */
ig_status ig_mesh_new(ig_ctx *cx, int dim, ig_lid nodes, ig_mesh **out) {
  IG_REQUIRE_ARGS(cx, cx && out);
  *out = NULL;
  if (dim != 2 && dim != 3)
    return IG_FAIL(cx, IG_ARG, "mesh dimension %d: expected 2 or 3", dim);
  if (nodes < 0)
    return IG_FAIL(cx, IG_ARG, "mesh of %d nodes: expected 0 or more", nodes);
  ig_mesh *mesh;
  IG_TRY(IG_NEW(cx, &mesh, 1, "mesh"));
  mesh->dim = dim;
  mesh->nodes = nodes;
  const ig_status status = IG_NEW(cx, &mesh->x, 3 * (size_t)nodes, "node positions");
  if (status != IG_OK) {
    free(mesh);
    return status;
  }
  *out = mesh;
  return IG_OK;
}

/* NULL is allowed. Blocks, sets, numbers of files and coordinates all belong to the mesh. */
void ig_mesh_free(ig_mesh *mesh) {
  if (!mesh)
    return;
  for (int i = 0; i < mesh->blocks; i++) {
    free(mesh->block[i].conn);
    free(mesh->block[i].tag);
  }
  for (int i = 0; i < mesh->sets; i++) {
    free(mesh->set[i].name);
    free(mesh->set[i].item);
    free(mesh->set[i].face);
  }
  free(mesh->block);
  free(mesh->set);
  free(mesh->set_slot);
  free(mesh->node_number);
  free(mesh->element_number);
  free(mesh->x);
  free(mesh);
}

/* conn and tag are zero; *out (NULL: not wanted) is valid until the next block is added, which may
   move the array. The pointer to a block is valid until the next one is added, as their array may
   move. Connectivity and tags are zero. */
ig_status ig_mesh_add_block(ig_ctx *cx, ig_mesh *mesh, ig_elem_type type, ig_lid count,
                            ig_block **out) {
  IG_REQUIRE_ARGS(cx, cx && mesh);
  if ((unsigned)type >= IG_ELEM_TYPES || count < 0)
    return IG_FAIL(cx, IG_ARG, "block of %d elements of type %d", count, (int)type);
  if (count > INT32_MAX - ig_mesh_elements(mesh))
    return IG_FAIL(cx, IG_INPUT, "a mesh holds at most %d elements", INT32_MAX);
  ig_block block = {.type = type, .count = count};
  IG_TRY(IG_NEW(cx, &block.conn, (size_t)count * (size_t)elem_info[type].nodes, "connectivity"));
  ig_status status = IG_NEW(cx, &block.tag, count, "element tags");
  if (status == IG_OK)
    status = IG_MORE(cx, &mesh->block, mesh->blocks, "blocks");
  if (status != IG_OK) {
    free(block.conn);
    free(block.tag);
    return status;
  }
  mesh->block[mesh->blocks] = block;
  if (out)
    *out = &mesh->block[mesh->blocks];
  mesh->blocks++;
  return IG_OK;
}

/* The slot of a set in the hash table of names, or the free slot for it. Slots contain number + 1.
   At most half are in use, so the search ends. */
static int set_slot_find(const ig_mesh *mesh, const char *name, ig_set_kind kind) {
  const uint64_t h = ig_hash(IG_HASH_START + (uint64_t)kind, name, strlen(name));
  for (int slot = (int)(h & (uint64_t)(mesh->set_slots - 1));;
       slot = (slot + 1) & (mesh->set_slots - 1)) {
    const ig_set *set = mesh->set_slot[slot] ? &mesh->set[mesh->set_slot[slot] - 1] : NULL;
    if (!set || (set->kind == kind && strcmp(set->name, name) == 0))
      return slot;
  }
}

/* Makes room for one more set; names are hashed because decks may have 10^5 sets, and a linear
   search for duplicates would be quadratic. */
static ig_status set_slots_grow(ig_ctx *cx, ig_mesh *mesh) {
  if (mesh->sets >= MOST_SETS)
    return IG_FAIL(cx, IG_INPUT, "the mesh has more than %d sets", MOST_SETS);
  if (2 * (mesh->sets + 1) <= mesh->set_slots)
    return IG_OK;
  int *slot;
  const int slots = mesh->set_slots ? 2 * mesh->set_slots : 64;
  IG_TRY(IG_NEW(cx, &slot, slots, "sets"));
  free(mesh->set_slot);
  mesh->set_slot = slot;
  mesh->set_slots = slots;
  for (int i = 0; i < mesh->sets; i++)
    slot[set_slot_find(mesh, mesh->set[i].name, mesh->set[i].kind)] = i + 1;
  return IG_OK;
}

/* item (and face, for faces) are zero and are filled by the caller. Names are unique per kind. */
ig_status ig_mesh_add_set(ig_ctx *cx, ig_mesh *mesh, const char *name, ig_set_kind kind,
                          ig_lid count, ig_set **out) {
  IG_REQUIRE_ARGS(cx, cx && mesh);
  if (count < 0 || !name || !*name || (unsigned)kind > IG_SET_FACES)
    return IG_FAIL(cx, IG_ARG, "set '%s' of %d items, kind %d", name ? name : "", count, (int)kind);
  if (ig_mesh_find_set(mesh, name, kind))
    return IG_FAIL(cx, IG_INPUT, "the mesh has two %s sets named '%s': give them different names",
                   kind == IG_SET_NODES      ? "node"
                   : kind == IG_SET_ELEMENTS ? "element"
                                             : "face",
                   name);
  /* Grown before anything is allocated, so a failure leaves the mesh as it was. */
  IG_TRY(set_slots_grow(cx, mesh));
  ig_set set = {.kind = kind, .count = count};
  const size_t length = strlen(name) + 1;
  ig_status status = IG_NEW(cx, &set.name, length, "set name");
  if (status == IG_OK)
    status = IG_NEW(cx, &set.item, count, "set");
  if (status == IG_OK && kind == IG_SET_FACES)
    status = IG_NEW(cx, &set.face, count, "face set");
  if (status == IG_OK)
    status = IG_MORE(cx, &mesh->set, mesh->sets, "sets");
  if (status != IG_OK) {
    free(set.name);
    free(set.item);
    free(set.face);
    return status;
  }
  memcpy(set.name, name, length);
  mesh->set_slot[set_slot_find(mesh, name, kind)] = mesh->sets + 1;
  mesh->set[mesh->sets] = set;
  if (out)
    *out = &mesh->set[mesh->sets];
  mesh->sets++;
  return IG_OK;
}

/* A mesh built by a program by hand may have no table; the search is linear then. */
const ig_set *ig_mesh_find_set(const ig_mesh *mesh, const char *name, ig_set_kind kind) {
  if (mesh && name && mesh->set_slot) {
    const int at = mesh->set_slot[set_slot_find(mesh, name, kind)];
    return at ? &mesh->set[at - 1] : NULL;
  }
  for (int i = 0; mesh && name && i < mesh->sets; i++)
    if (mesh->set[i].kind == kind && strcmp(mesh->set[i].name, name) == 0)
      return &mesh->set[i];
  return NULL;
}

/* Elements of all blocks. Not stored, so that a program may change blocks by hand. */
ig_lid ig_mesh_elements(const ig_mesh *mesh) {
  ig_lid count = 0;
  for (int i = 0; mesh && i < mesh->blocks; i++)
    count += mesh->block[i].count;
  return count;
}

/* Block and local number of an element of the mesh; NULL: there is none. Linear in the blocks, of
   which there are few. */
const ig_block *ig_mesh_element(const ig_mesh *mesh, ig_lid element, ig_lid *local) {
  for (int i = 0; mesh && element >= 0 && i < mesh->blocks; element -= mesh->block[i++].count)
    if (element < mesh->block[i].count) {
      if (local)
        *local = element;
      return &mesh->block[i];
    }
  return NULL;
}

/* Bounding box, m; zeros for an empty mesh. */
void ig_mesh_bounds(const ig_mesh *mesh, double *low, double *high) {
  for (int d = 0; d < 3; d++)
    low[d] = high[d] = mesh->nodes ? mesh->x[d] : 0;
  for (size_t n = 1; n < (size_t)mesh->nodes; n++) /* once through memory, not once an axis */
    for (int d = 0; d < 3; d++) {
      const double x = mesh->x[3 * n + (size_t)d];
      low[d] = x < low[d] ? x : low[d];
      high[d] = x > high[d] ? x : high[d];
    }
}
