/* Where a probe measures: nodes or elements of a named set, or the one nearest to a point. */
#ifndef IG_MESH_PROBE_H
#define IG_MESH_PROBE_H

#include "core/option.h"

#include <ingot/mesh.h>

typedef struct {
  ig_lid *item, count; /* free item */
} ig_look;

/* Finds the items; elements: the quantity belongs to elements. Fails at `at` unless exactly one of
   set (NULL: none) and point (NaN: none, m) is given, and the point is in or near the mesh. In the
   plane point[2] is NaN. */
IG_MUST_CHECK ig_status ig_look_find(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at,
                                     const char *set, const double point[3], bool elements,
                                     ig_look *look);
/* The node nearest to a point; of several the first. x: nodes x 3. */
ig_lid ig_node_near(const double *x, ig_lid nodes, const double point[3]);

#endif
