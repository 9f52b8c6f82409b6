/* What the constraints of the structure room share. */
#ifndef IG_STRUCTURE_CONSTRAIN_H
#define IG_STRUCTURE_CONSTRAIN_H

#include "structure/structure.h"

/* Nodes by the numbers of the mesh file: makes the list; finds one, -1: none. */
IG_MUST_CHECK ig_status ig_structure_numbers(ig_structure *s);
ig_lid ig_structure_numbered(const ig_structure *s, int64_t number);
/* The nodes of a face of an element, corners first, from outside counter-clockwise: how many. */
int ig_structure_face(const ig_mesh *mesh, ig_lid element, int face, ig_lid node[8]);
IG_MUST_CHECK ig_status ig_structure_tie_read(ig_structure *s, const ig_structure_tie *c);
void ig_structure_follow(void *self, double *u);

#endif
