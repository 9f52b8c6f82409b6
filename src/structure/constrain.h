/* What the constraints of the structure room share. */
#ifndef IG_STRUCTURE_CONSTRAIN_H
#define IG_STRUCTURE_CONSTRAIN_H

#include "structure/structure.h"

/* Nodes by the numbers of the mesh file: makes the list; finds one, -1: none. */
IG_MUST_CHECK ig_status ig_structure_numbers(ig_structure *s);
ig_lid ig_structure_numbered(const ig_structure *s, int64_t number);
/* The nodes of a face of an element, corners first, from outside counter-clockwise: how many. */
int ig_structure_face(const ig_mesh *mesh, ig_lid element, int face, ig_lid node[8]);
/* Shape functions of a face of 3, 4, 6 or 8 nodes and their derivatives. */
void ig_structure_face_values(int nodes, const double at[2], double *N, double d[8][2]);
/* Points of integration of a face, at most 9, and their weights: how many. */
int ig_structure_face_rule(int nodes, double at[9][2], double weight[9]);
/* The nearest point of a face: the square of its distance, its place, and the shares of the nodes.
 */
double ig_structure_nearest(int nodes, const double (*x)[3], const double p[3], double at[2],
                            double *N);
IG_MUST_CHECK ig_status ig_structure_tie_read(ig_structure *s, const ig_structure_tie *c);
void ig_structure_follow(void *self, double *u);

#endif
