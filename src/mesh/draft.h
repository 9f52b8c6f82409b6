/* A mesh in the making: straight-sided elements, and for each node the named sides it is on. */
#ifndef IG_MESH_DRAFT_H
#define IG_MESH_DRAFT_H

#include "mesh/mesh_case.h"

enum { IG_SIDES = 8 };
typedef struct {
  ig_mesh *mesh;
  uint8_t *side;              /* a bit per side, for each node; NULL: none are named */
  const char *name[IG_SIDES]; /* NULL: no such side */
} ig_draft;
void ig_draft_free(ig_draft *draft);

/* The shapes (shape_*.c). `type` is what was asked for, IG_ELEM_TYPES: the shape's own choice; it
   is left at what the draft must still become (tri6 of a draft of tri3, tet4 of one of hex8).
   They fail with IG_INPUT and a message that does not know its place in a case; boxes do. */
typedef ig_status ig_shape_fn(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                              ig_draft *draft);
ig_shape_fn ig_draft_voxels, ig_draft_boxes, ig_draft_annulus, ig_draft_tube, ig_draft_cylinder,
    ig_draft_cylinder_shell, ig_draft_disc, ig_draft_dome, ig_draft_lattice_dome,
    ig_draft_hemisphere, ig_draft_plate, ig_draft_beam_line;

/* Says where in the case a failure belongs that knew only what went wrong; NULL: it was said. */
ig_status ig_mesh_placed(ig_ctx *cx, ig_status status, const ig_src *at);

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
