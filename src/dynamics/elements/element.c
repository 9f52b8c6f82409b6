/* The table of elements: what the host asks of a kind: name, size, number of state values. Rows
   are made from IG_DYN_ELEMENTS in group.h; a new element needs a states_ function here. */
#include "dynamics/model/model.h"

/* Values of state an element keeps, by kind: see group.h for their layout. */
static int point_of(const ig_dyn_group *g) {
  return ig_law_state(g->law, 6);
}
static int states_HEX8(const ig_dyn_group *g) {
  return IG_HEX_POINT + 8 * point_of(g);
}
static int states_HEX1(const ig_dyn_group *g) {
  /* 12: hourglass forces, four modes of three components */
  return IG_HEX_POINT + point_of(g) + 12;
}
static int states_TET(const ig_dyn_group *g) {
  return IG_HEX_POINT + point_of(g);
}
static int states_TET10(const ig_dyn_group *g) {
  return IG_HEX_POINT + 4 * point_of(g);
}
static int states_SHELL(const ig_dyn_group *g) {
  (void)g;
  return IG_SHELL_STATES;
}
static int states_LAYERS(const ig_dyn_group *g) {
  /* 5 layers through the thickness at each of the points in the plane */
  return IG_LAYERS_POINT + g->g_f64.planes * 5 * ig_law_state(g->law, 3);
}
static int states_QUAD(const ig_dyn_group *g) {
  return IG_QUAD_CUTS * states_SHELL(g);
}
static int states_QUAD_LAYERS(const ig_dyn_group *g) {
  return IG_QUAD_CUTS * states_LAYERS(g);
}
static int states_BEAM(const ig_dyn_group *g) {
  (void)g;
  return IG_BEAM_STATES;
}
static int states_FIBRE(const ig_dyn_group *g) {
  return IG_BEAM_STATES + 2 * IG_DYN_FIBRES * ig_law_state(g->law, 1);
}
static int states_BAR(const ig_dyn_group *g) {
  (void)g;
  return IG_BAR_STATES;
}

const ig_dyn_element ig_dyn_element_of[IG_DYN_KINDS] = {
#define X(kind, mesh, particles, freedoms, group, measure, text)                                   \
  [IG_DYN_##kind] = {.name = text,                                                                 \
                     .type = IG_##mesh,                                                            \
                     .npe = particles,                                                             \
                     .dofs = freedoms,                                                             \
                     .family = IG_FAMILY_##group,                                                  \
                     .states = states_##kind,                                                      \
                     .size = ig_dyn_size_##measure},
    IG_DYN_ELEMENTS(X)
#undef X
};

/* Quadrilateral faces are cut along corners 0-2; a face of a quadratic tetrahedron into four
   triangles through its mid-sides. */
int ig_dyn_face_triangles(const ig_block *b, ig_lid e, int face, ig_lid triangle[4][3]) {
  const ig_elem_info *info = ig_elem_info_get(b->type);
  const ig_lid *n = b->conn + (int64_t)e * info->nodes;
  static const int plain[4] = {0, 1, 2, 3};
  /* corners 0 1 2, mid-sides 3 4 5 opposite to 2 0 1 */
  static const int three[1][3] = {{0, 1, 2}}, four[2][3] = {{0, 1, 2}, {0, 2, 3}},
                   six[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
  const int *f = face < 0 ? plain : ig_elem_face(b->type, face);
  const bool quads = b->type == IG_QUAD4 || b->type == IG_HEX8, mids = b->type == IG_TET10;
  const int(*cut)[3] = mids ? six : quads ? four : three, count = mids ? 4 : quads ? 2 : 1;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 3; i++)
      triangle[k][i] = n[f[cut[k][i]]];
  return count;
}

/* Equal shares, but for quadratic tetrahedra (ig_dyn_tet10_share, Hinton, Rock and Zienkiewicz
   1976). */
double ig_dyn_mass_share(ig_dyn_kind kind, double mass, int a) {
  if (kind == IG_DYN_TET10)
    return mass * ig_dyn_tet10_share(a);
  return mass / ig_dyn_element_of[kind].npe;
}
