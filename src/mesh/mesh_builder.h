/* A mesh under construction (draft): straight-sided elements, and for each node the named sides of
   the shape that it is on. Generators of src/geometry fill it; the functions here change it as a
   whole; sets are made from the side marks at the end. */
#ifndef IG_MESH_MESH_BUILDER_H
#define IG_MESH_MESH_BUILDER_H

#include "mesh/place.h"
#include <ingot/mesh.h>

/* Sides have a bit each in a byte. */
enum { IG_SIDES = 8 };
typedef struct {
  ig_mesh *mesh;
  uint8_t *side;              /* a bit per side, for each node; NULL: none are named */
  const char *name[IG_SIDES]; /* NULL: no such side */
} ig_mesh_builder;
void ig_mesh_builder_free(ig_mesh_builder *draft);

/* A set of `mesh.sets`: by place, by numbers of the mesh file, or sides of elements. */
enum { IG_PICK_BOTH, IG_PICK_NODES, IG_PICK_FACES, IG_PICK_ELEMENTS };
#define IG_PICKS "both|nodes|faces|elements"
typedef struct {
  ig_src at;
  const char *name;
  int of; /* IG_PICK_… */
  ig_place place;
  ig_reals numbers;     /* of nodes or elements, as the file has them */
  const char *elements; /* or a set of elements, of which these faces are: */
  int64_t side;         /* as Abaqus counts them, from 1; 0: none */
} ig_pick_case;

/* Section `mesh.jitter`. */
typedef struct {
  ig_src at;
  double amount; /* share of the shortest edge at a node */
  int64_t seed;
  ig_list keep; /* of ig_place: nodes there stay */
} ig_jitter_case;

/* Operations on a draft (edit.c, quadratic.c). On failure the draft is valid for
 * ig_mesh_builder_free only. */
IG_MUST_CHECK ig_status ig_mesh_builder_tets(ig_ctx *cx, ig_mesh_builder *draft);
IG_MUST_CHECK ig_status ig_mesh_builder_wedges(ig_ctx *cx, ig_mesh_builder *draft);
IG_MUST_CHECK ig_status ig_mesh_builder_keep(ig_ctx *cx, ig_mesh_builder *draft,
                                             const uint8_t *keep);
IG_MUST_CHECK ig_status ig_mesh_builder_jitter(ig_ctx *cx, ig_mesh_builder *draft,
                                               const ig_jitter_case *c);
IG_MUST_CHECK ig_status ig_mesh_builder_quadratic(ig_ctx *cx, ig_mesh_builder *draft);
/* A mesh that was read, with its sets: all of its linear elements become quadratic ones, with nodes
   in the middle of straight edges; refused where some have no quadratic kind (quadratic.c). */
IG_MUST_CHECK ig_status ig_mesh_quadratic(ig_ctx *cx, ig_mesh *mesh);
/* Nodes of an element that are corners, which come first; the others are middles of edges. */
int ig_elem_corners(ig_elem_type type);
/* Nodes closer than `tolerance` (m, per axis) become one. outer: flag of nodes that may have a
   partner; NULL: all. */
IG_MUST_CHECK ig_status ig_mesh_builder_weld(ig_ctx *cx, ig_mesh_builder *draft, double tolerance,
                                             const uint8_t *outer);

/* Six tetrahedra of a hexahedron, cut so that neighbours match. node: 8; tet: 6 x 4. */
void ig_hex_cut(const ig_lid *node, ig_lid *tet);

/* Local face (0-based, as ig_elem_face) of side `side` (from 1) in the numbering of Abaqus and
   CalculiX; -1: no such side. */
int ig_elem_side(ig_elem_type type, int side);

/* Sets (select.c). Items of all sets are in rising order. */
IG_MUST_CHECK ig_status ig_mesh_set_sides(ig_ctx *cx, ig_mesh *mesh, const uint8_t *side,
                                          const char *const *name);
/* Node and face sets xmin … zmax; a name the mesh has already is left alone. */
IG_MUST_CHECK ig_status ig_mesh_set_bounds(ig_ctx *cx, ig_mesh *mesh);
IG_MUST_CHECK ig_status ig_mesh_set_all(ig_ctx *cx, ig_mesh *mesh);
/* Element set of all elements whose tag is `tag`. */
IG_MUST_CHECK ig_status ig_mesh_set_tagged(ig_ctx *cx, ig_mesh *mesh, const char *name,
                                           int32_t tag);
/* inside[e] = 1 where the centroid of element e is in the place; *count: how many. */
IG_MUST_CHECK ig_status ig_mesh_pick_elements(ig_ctx *cx, const ig_mesh *mesh,
                                              const ig_place *place, uint8_t *inside,
                                              ig_lid *count);
/* inside[n] = 1 where node n is in the place; *count: how many. */
IG_MUST_CHECK ig_status ig_mesh_pick_nodes(ig_ctx *cx, const ig_mesh *mesh, const ig_place *place,
                                           uint8_t *inside, ig_lid *count);
/* Makes the sets of a list of ig_pick_case, in order; a later one may use an earlier one. */
IG_MUST_CHECK ig_status ig_mesh_pick(ig_ctx *cx, ig_mesh *mesh, const ig_list *picks);

#endif
