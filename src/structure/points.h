/* Springs between nodes and masses on nodes, as groups of the implicit engine.

   A spring acts along the line between two nodes (large displacements: the line now), or between
   two components, or on one component of one node. Its force is stiffness x elongation, or that of
   its curve. A mass has inertia in every direction; its weight is that of loads with an
   acceleration on its node. */
#ifndef IG_STRUCTURE_POINTS_H
#define IG_STRUCTURE_POINTS_H

#include "structure/structure.h"

/* s->points stays NULL where the case has neither. */
IG_MUST_CHECK ig_status ig_structure_points_new(ig_structure *s);
void ig_structure_points_free(ig_structure *s);
/* The groups, at most two, after `n` others: how many there are then.
   Writes to s->implicit[n]; masses are at rest in statics. */
int ig_structure_points_groups(ig_structure *s, int n);
/* The group of masses for the mass matrix: 0 or 1. */
int ig_structure_points_masses(ig_structure *s, ig_implicit_group *group);
/* Adds the forces of springs at the accepted state to f (unknowns). */
void ig_structure_points_forces(ig_structure *s, double *f);
/* Adds what springs with one end do to the nodes there: reactions. */
void ig_structure_points_ground(const ig_structure *s, double *f);
/* Adds the weight of the masses on these nodes to f. */
void ig_structure_points_weight(const ig_structure *s, const ig_lid *node, ig_lid count,
                                const double acceleration[3], double factor, double *f);

#endif
