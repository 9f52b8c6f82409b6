/* Inside of contact: what its files share of points. */
#ifndef IG_CONTACT_POINTS_H
#define IG_CONTACT_POINTS_H

#include "contact/contact.h"
#include "contact/search.h"

/* Points of a face of contact with the faces of the other side: natural coordinates and weight of
   each; pieces.c. *point grows and is the caller's to free; its former points are overwritten.
   found: room for all faces. */
enum { IG_CONTACT_POINTS = 16 }; /* of a face alone */
IG_MUST_CHECK ig_status ig_contact_rule(const ig_contact *s, int nodes, const ig_lid *node,
                                        const ig_contact_search *other, double reach,
                                        int32_t *found, double (**point)[3], int *points);
/* Whether a point meets a face or a tool. */
static inline bool ig_contact_meets(const ig_contact_point *t) {
  return t->masters || t->tool;
}
/* Distance of the place x to a tool at a time, and the normal; moved: from the tool's point; bend:
   derivative of the normal by x, 3 x 3 (NULL: not wanted). */
double ig_contact_tool_gap(const ig_contact *s, int tool, double time, const double x[3],
                           double n[3], double moved[3], double bend[9]);
/* The tool that `to` names, from 1; 0: none. */
IG_MUST_CHECK ig_status ig_contact_tool_find(const ig_contact *s, const ig_contact_case *c,
                                             int *tool);
/* Whether a round tool has passed over a point since the accepted state; now: place of the point
   relative to the tool, as `before` of the point is. */
bool ig_contact_tool_passes(const ig_contact *s, const ig_contact_point *p, const double now[3]);
/* Refuses a tool that has the part behind it where contact with it begins. */
IG_MUST_CHECK ig_status ig_contact_tool_side(const ig_contact *s, const ig_contact_case *c,
                                             int tool);
/* r = x - y: the sum of share x position over the nodes of both faces. */
void ig_contact_relative(const ig_contact *s, const ig_contact_point *t, const double *add,
                         double r[3]);
/* Size of the face of the other side that a point meets, of a tool that of its own face: the
   longest edge from the first node. */
double ig_contact_face_size(const ig_contact *s, const ig_contact_point *t);
/* How far a point has slid between two relative positions, across the normal where it is paired,
   and the size of a face to compare with. */
double ig_contact_slid(const ig_contact *s, const ig_contact_point *t, const double now[3],
                       const double from[3], double *size);

#endif
