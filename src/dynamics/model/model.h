/* The parts of a model and who builds them; between the room's own files. Functions ending in
   _new are called once, by build() in engine/build.c; each fills the members of its name and
   reports errors at the line of the case. */
#ifndef IG_DYNAMICS_MODEL_H
#define IG_DYNAMICS_MODEL_H

#include "dynamics/dynamics.h"

/* Mass of an element (kg), rotary inertia of each of its particles (kg m^2), and its critical
   step (s), from the positions x of its corners. */
typedef double ig_dyn_size_fn(const ig_dyn_group *g, double inertia_scale, const double *const *x,
                              double *mass, double *inertia);
ig_dyn_size_fn ig_dyn_size_hex, ig_dyn_size_tet, ig_dyn_size_triangle, ig_dyn_size_quad,
    ig_dyn_size_line, ig_dyn_size_tet10;

/* What the host asks of a kind of element; rows come from IG_DYN_ELEMENTS. states: values of
   state per element, by law and section. */
typedef struct {
  const char *name;
  ig_elem_type type;
  int npe, dofs;
  ig_dyn_family family;
  int (*states)(const ig_dyn_group *g);
  ig_dyn_size_fn *size;
} ig_dyn_element;
extern const ig_dyn_element ig_dyn_element_of[IG_DYN_KINDS];
/* What particle a of an element gets of its mass. */
double ig_dyn_mass_share(ig_dyn_kind kind, double mass, int a);
/* The triangles of a solid's face, or of a shell element (face -1); returns how many. */
int ig_dyn_face_triangles(const ig_block *b, ig_lid e, int face, ig_lid triangle[4][3]);

/* Share of a quadratic tetrahedron's mass at its node a: a corner, the middle of an edge. */
static inline double ig_dyn_tet10_share(int a) {
  return a < 4 ? 1.0 / 36 : 4.0 / 27;
}

/* c = a - b */
static inline void ig_dyn_sub(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++)
    c[i] = a[i] - b[i];
}

/* Array of `size`-byte numbers from doubles (NULL: zeros), on the device. */
IG_MUST_CHECK ig_status ig_dyn_upload(ig_dyn_model *m, ig_array *a, size_t size, const double *from,
                                      size_t count, const char *what);
const ig_block *ig_dyn_block_of(const ig_mesh *mesh, ig_lid e, ig_lid *local);
/* The nodes of the set `name`: a node set as it is, else the nodes of its faces or elements,
   made once and kept in m->made. Fails at `at` if there is no such set. */
IG_MUST_CHECK ig_status ig_dyn_nodes_of(ig_dyn_model *m, const ig_src *at, const char *name,
                                        const ig_set **set);
/* A material of the case as kernels use it, and the number of its law. Fails if the room has no
   such law or a value is missing. */
IG_MUST_CHECK ig_status ig_dyn_material_read(ig_ctx *cx, const ig_material_case *c, mech_f64 *m,
                                             int *law);
/* Area, second moments and torsion constant of a line section into g. */
IG_MUST_CHECK ig_status ig_dyn_section_line(ig_ctx *cx, const ig_dyn_section *s, dyn_group_f64 *g);
/* The fibres a plastic beam's section is cut into; needs a profile. */
IG_MUST_CHECK ig_status ig_dyn_section_fibres(ig_ctx *cx, const ig_dyn_section *s,
                                              dyn_group_f64 *g);
/* Sorts elements into groups by kind, material and section, orders them by color or cluster, and
   uploads connectivity and state. */
IG_MUST_CHECK ig_status ig_dyn_groups_new(ig_dyn_model *m, const ig_list *materials);
/* Slots of forces (assembly gather, cluster): places of elements, and which of them each
   particle adds. */
IG_MUST_CHECK ig_status ig_dyn_slots_new(ig_dyn_model *m);
/* Supports become motions per particle; histories go into hs. */
IG_MUST_CHECK ig_status ig_dyn_motions_new(ig_dyn_model *m, ig_histories *hs);
/* Forces, pressures and moments become lists by particle; fails for loads that act on nothing. */
IG_MUST_CHECK ig_status ig_dyn_loads_new(ig_dyn_model *m, ig_histories *hs);
/* A history, or where none is given the one that loads have in statics. */
IG_MUST_CHECK ig_status ig_dyn_history_add(ig_dyn_model *m, ig_histories *hs, const ig_table *given,
                                           ig_history *history);
/* Tools with unit axes; fails for shapes without their sizes. */
IG_MUST_CHECK ig_status ig_dyn_tools_new(ig_dyn_model *m, ig_histories *hs);
/* Writes the initial velocities of the case into v (nodes x dofs, host); of several entries for
   a node the last one counts. */
IG_MUST_CHECK ig_status ig_dyn_start_velocities(ig_dyn_model *m, double *v);
/* Surfaces, springs and the space for the search; nothing where the case has no contact. */
IG_MUST_CHECK ig_status ig_dyn_contact_new(ig_dyn_model *m);
/* All but forces of contact and which elements hold. */
void ig_dyn_touching_free(ig_ctx *cx, ig_dyn_touching *t);
/* release.c: the memory of one model; a part of it must be gone. Takes NULL. */
void ig_dyn_model_release(ig_dyn_model *m);

/* --- ranges.c

   False for a color without elements: its range would be an empty launch. Ranges of a group that
   are computed before ghosts have come. */
bool ig_dyn_has_elements(const ig_dyn_group *g, int color);
int ig_dyn_inner_ranges(const ig_dyn_model *m);
ig_dyn_range ig_dyn_range_of(const ig_dyn_model *m, const ig_dyn_group *g, int color);

/* --- step.c */

/* Forces of surfaces that touch, at the positions of p, into touch. On ranks the part's elements
   have been looked at before (ig_dyn_part_ready). */
IG_MUST_CHECK ig_status ig_dyn_contact_now(ig_dyn_model *m, const ig_dyn_particles *p);
/* One step in two halves: loads and particles; then the forces of the elements. ig_dyn_step_once
   is both. A rank that has failed (`status`) takes part in the exchange all the same. */
IG_MUST_CHECK ig_status ig_dyn_step_once(ig_dyn_model *m, ig_status status);
IG_MUST_CHECK ig_status ig_dyn_move(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_forces(ig_dyn_model *m, ig_status status);
/* Whether the forces of a step and the motion of the next are made in one pass (ig_dyn_ops.joined).
 */
bool ig_dyn_joins(const ig_dyn_model *m);
/* Forces of elements into f. */
IG_MUST_CHECK ig_status ig_dyn_forces_sum(ig_dyn_model *m);
/* Edges that touch edges; `on` false: none. length: share of each particle of the mesh. */
typedef struct {
  int64_t count;
  int32_t *node, *side; /* 2 each: ends; triangles it belongs to, -1: none */
  double *length;
} ig_dyn_edges;
IG_MUST_CHECK ig_status ig_dyn_edges_find(ig_dyn_model *m, bool on, ig_dyn_edges *edges);
void ig_dyn_edges_free(ig_dyn_edges *edges);
/* Neighbours of the triangles: ig_dyn_contact_view.beside. */
IG_MUST_CHECK ig_status ig_dyn_beside_find(ig_dyn_model *m, int32_t *beside);
/* contact_spring.c: stiffness of contact over that of a layer of elements, as given or the default;
   springs and offsets of the particles. */
double ig_dyn_penalty(const ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_springs_new(ig_dyn_model *m);
/* Corners (`count` nodes) that lie on each of the particles that touch, in rising order. place:
   1 + number of a node among those; first: surfaces + 1. */
void ig_dyn_corners(const int32_t *place, const int32_t *node, int64_t count, int32_t surfaces,
                    int32_t *first, int32_t *item);
/* Whether elements of a group can fail and be left out; marks for elements, all alive; which of
   them hold now, into contact.alive on the device. */
bool ig_dyn_erodes(const ig_dyn_group *g);
IG_MUST_CHECK ig_status ig_dyn_alive_new(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_alive_now(ig_dyn_model *m);
/* Stresses at the start and their forces, where the case gives a snapshot. */
IG_MUST_CHECK ig_status ig_dyn_residual_new(ig_dyn_model *m);
IG_MUST_CHECK ig_status
ig_dyn_ties_new(ig_dyn_model *m); /* moves tied particles onto x0 of what carries them */
/* After masses were found: carriers take over the mass of what is tied to them; bodies get mass,
   centre and inertia; their particles start with the body's velocity. */
IG_MUST_CHECK ig_status ig_dyn_ties_mass(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_bodies_new(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_bodies_mass(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_bodies_start(ig_dyn_model *m, double *v);

#endif
