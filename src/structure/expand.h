/* Shells and beams as solids.

   A shell or beam of the mesh (quad4, tri3, quad8, tri6, beam2, beam3) becomes one solid over its
   thickness or section: hex8, wedge6, hex20, wedge15. The nodes of the mesh stay where they are and
   come first; the nodes of the solids follow. Elements keep their numbers, sets their members.

   Elements that meet at a node share the nodes of their solids there if their directions (normal of
   a shell; both axes of a beam's section) differ by less than 20 degrees and their sizes are the
   same: then the directions are averaged. A node of the mesh (drawn node) is joined to the nodes of
   the solids around it in one of two ways:

     plain    the drawn node moves with the point of the solid that it lies in,
              u = sum of share x u_i over the outer nodes of its section. It has no rotations.
     turning  the same, and the rotations of the drawn node are those of the section in the mean:
              the outer nodes move by u_i = u + (R(turn) (1 + sum of s_k B_k) - 1) r_i + h sigma_i,
              r_i from the drawn node, with everything that outer nodes can do besides as further
              unknowns: stretches s_k along the normal of a shell (1) or in the plane of a beam's
              section (3), and there the mode h, of which opposite corners have the same sign (3).
              This constrains no more than `plain` does. Where the rotations are prescribed the
              section is straight besides: nodes between outer ones move by the same formula, with
              the mean of sigma.
     knot     all nodes around it move as one body that may swell: the same without h, and with one
              stretch, B the unit matrix.

   Knots are where sections of different directions or sizes meet. A node is turning where a
   support, moment, equation or body uses its rotations. */
#ifndef IG_STRUCTURE_EXPAND_H
#define IG_STRUCTURE_EXPAND_H

#include "structure/structure.h"

/* Replaces s->mesh where it has shells or beams.
   Fails with a located message where a shell or beam has no entry in `shells` or `beams`. */
IG_MUST_CHECK ig_status ig_structure_expand(ig_structure *s);
void ig_structure_expansion_free(ig_structure *s);
/* Unknowns of the knots: rotations of drawn nodes, stretches. */
IG_MUST_CHECK ig_status ig_structure_knots_number(ig_structure *s);
/* The constraints that join drawn nodes to the solids around them. */
IG_MUST_CHECK ig_status ig_structure_expansion_constrain(ig_structure *s);
/* Nodes of knots and their coefficients at the rotations reached; u: increments. */
void ig_structure_knots_follow(ig_structure *s, double *u);
/* Adds a force on a drawn node, in its axes, times factor. On a plain corner of a quadratic shell
   it acts on the three nodes of the section as the consistent forces of a uniform traction over the
   thickness do: -1/2, 2, -1/2. */
void ig_structure_expansion_load(const ig_structure *s, ig_lid node, const double force[3],
                                 double factor, double *f);
/* Forces on drawn nodes that no solid of the mesh has: those on the sections around them. */
void ig_structure_expansion_gather(const ig_structure *s, const double *f, double *reaction);
/* Values of drawn nodes for the nodes around them: width numbers each. */
void ig_structure_expansion_spread(const ig_structure *s, int width, double *value);

#endif
