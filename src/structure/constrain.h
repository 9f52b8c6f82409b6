/* What the constraints of the structure room share.

   All of it works on the expanded mesh s->mesh; nodes are its indices, not numbers of the file. */
#ifndef IG_STRUCTURE_CONSTRAIN_H
#define IG_STRUCTURE_CONSTRAIN_H

#include "structure/structure.h"
#include "mesh/face_share.h"

/* Nodes by the numbers of the mesh file: makes the list; finds one, -1: none.
   Sorted list of (number, node), for files whose numbers have gaps; made once, freed with the
   model. */
IG_MUST_CHECK ig_status ig_structure_numbers(ig_structure *s);
ig_lid ig_structure_numbered(const ig_structure *s, int64_t number);
/* Integrals of the shape functions of a face as drawn; returns its area. */
double ig_structure_face_weights(const ig_mesh *mesh, int nodes, const ig_lid *node, double w[8]);
IG_MUST_CHECK ig_status ig_structure_tie_read(ig_structure *s, const ig_structure_tie *c);
/* The nodes of a number of the file or of a set; free *node. */
IG_MUST_CHECK ig_status ig_structure_term_nodes(ig_structure *s, const ig_src *at, const char *text,
                                                ig_lid **node, ig_lid *count);
/* The component 0 to 5 of "x" to "rz", -1: none; its unknown, -1: the node has none.
   text: one of x y z rx ry rz. */
int ig_structure_component(const char *text);
int32_t ig_structure_unknown_at(const ig_structure *s, ig_lid node, int component);
/* The unknown of a component "x" to "rz" of a node, -1: it has none. */
int32_t ig_structure_unknown(const ig_structure *s, ig_lid node, const char *component);
/* Fails where one of the nodes has axes of its own: couplings and ties are in fixed axes. */
IG_MUST_CHECK ig_status ig_structure_unframed(const ig_structure *s, const ig_src *at,
                                              const ig_lid *node, ig_lid count);
/* overruled.c
   Notes that the constraints from `begin` on are those of an entry. */
IG_MUST_CHECK ig_status ig_structure_source_add(ig_structure *s, const char *what, const ig_src *at,
                                                int32_t begin);
/* Refuses constraints that a later one of the same unknown replaces and contradicts. */
IG_MUST_CHECK ig_status ig_structure_overruled_check(ig_structure *s);
/* Callback of Newton's method (follow of ig_newton_model); u: increments, slaves are changed. */
void ig_structure_follow(void *self, double *u);
/* The rotation R of a rotation vector, and T: the spin of a change of the vector. */
void ig_structure_turned(const double turn[3], double R[3][3], double T[3][3]);
/* Components of a turn at arm r: row d of r x. */
void ig_structure_lever(const double r[3], double L[3][3]);

#endif
