/* Joints: conditions g(x) = 0 on the positions of nodes, one equation or two each.

     distance       of two nodes stays what it is at the start
     straight       nodes stay on the line through the first two
     plane          nodes stay in the plane of the first three
     mean_rotation  of nodes about an axis through their centre is the first component of another
                    node: sum over i of sin(angle of p_i) = n sin(that), p_i from the centre and
                    across the axis, which is along the position of that node

   Each equation is solved for one component of a node, its slave; the others are its masters. Where
   displacements are large, the slave and the coefficients follow (ig_structure_joints_follow).

   Example: `straight` with nodes a, b, c gives two equations, two components of (x_c - x_a) x
   (x_b - x_a) = 0; the third, along the largest component of x_b - x_a, follows from the others.
   Slaves are chosen among components of c. */
#ifndef IG_STRUCTURE_JOINT_H
#define IG_STRUCTURE_JOINT_H

#include "structure/structure.h"

/* After all other constraints: slaves are components that none of them has. */
IG_MUST_CHECK ig_status ig_structure_joints_constrain(ig_structure *s);
/* u: increments of the step, of which the slaves are set; coefficients of the constraints
   follow. */
void ig_structure_joints_follow(ig_structure *s, double *u);
void ig_structure_joints_free(ig_structure *s);

#endif
