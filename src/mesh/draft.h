/* A mesh in the making: straight-sided elements, and for each node the named sides it is on. */
#ifndef IG_MESH_DRAFT_H
#define IG_MESH_DRAFT_H

#include "mesh/place.h"
#include <ingot/mesh.h>

enum { IG_SIDES = 8 };
typedef struct {
  ig_mesh *mesh;
  uint8_t *side;              /* a bit per side, for each node; NULL: none are named */
  const char *name[IG_SIDES]; /* NULL: no such side */
} ig_draft;
void ig_draft_free(ig_draft *draft);

/* A set by place, by the numbers of the mesh file, or of the sides of elements. */
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

typedef struct {
  ig_src at;
  double amount; /* share of the shortest edge at a node */
  int64_t seed;
  ig_list keep; /* of ig_place: nodes there stay */
} ig_jitter_case;

/* Changes to a whole draft (edit.c). */
IG_MUST_CHECK ig_status ig_draft_tets(ig_ctx *cx, ig_draft *draft);
IG_MUST_CHECK ig_status ig_draft_wedges(ig_ctx *cx, ig_draft *draft);
IG_MUST_CHECK ig_status ig_draft_keep(ig_ctx *cx, ig_draft *draft, const uint8_t *keep);
IG_MUST_CHECK ig_status ig_draft_jitter(ig_ctx *cx, ig_draft *draft, const ig_jitter_case *c);
IG_MUST_CHECK ig_status ig_draft_quadratic(ig_ctx *cx, ig_draft *draft);
/* Nodes closer than `tolerance` become one. outer: nodes that may have such a one; NULL: all may.
 */
IG_MUST_CHECK ig_status ig_draft_weld(ig_ctx *cx, ig_draft *draft, double tolerance,
                                      const uint8_t *outer);

/* Six tetrahedra of a hexahedron, cut alike in neighbours: tet 6 x 4. */
void ig_hex_cut(const ig_lid *node, ig_lid *tet);

/* The local face that Abaqus and CalculiX call side `side` of an element, from 1; -1: none. */
int ig_elem_side(ig_elem_type type, int side);

/* Sets (select.c). */
IG_MUST_CHECK ig_status ig_mesh_set_sides(ig_ctx *cx, ig_mesh *mesh, const uint8_t *side,
                                          const char *const *name);
/* Node and face sets xmin … zmax; a name the mesh has already is left alone. */
IG_MUST_CHECK ig_status ig_mesh_set_bounds(ig_ctx *cx, ig_mesh *mesh);
IG_MUST_CHECK ig_status ig_mesh_set_all(ig_ctx *cx, ig_mesh *mesh);
/* Element set from region numbers, where a block's tag is `tag`. */
IG_MUST_CHECK ig_status ig_mesh_set_tagged(ig_ctx *cx, ig_mesh *mesh, const char *name,
                                           int32_t tag);
/* inside[e] = 1 where the centroid of e is there. */
IG_MUST_CHECK ig_status ig_mesh_pick_elements(ig_ctx *cx, const ig_mesh *mesh,
                                              const ig_place *place, uint8_t *inside,
                                              ig_lid *count);
/* inside[n] = 1 where node n is there. */
IG_MUST_CHECK ig_status ig_mesh_pick_nodes(ig_ctx *cx, const ig_mesh *mesh, const ig_place *place,
                                           uint8_t *inside, ig_lid *count);
/* The sets of a list of ig_pick_case, in turn. */
IG_MUST_CHECK ig_status ig_mesh_pick(ig_ctx *cx, ig_mesh *mesh, const ig_list *picks);

#endif
