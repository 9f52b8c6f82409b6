/* Loads of a case that are hardly meant as they are: warnings, and what rooms find them by. */
#ifndef IG_MESH_LOAD_CHECK_H
#define IG_MESH_LOAD_CHECK_H

#include "core/option.h"

#include <ingot/mesh.h>

/* Where the forces of a load act. Zero-initialise, then ig_load_reaches for each of its nodes. */
typedef struct {
  unsigned acts;  /* bits of components: some force is not 0 */
  unsigned moves; /* the same, at a node that nothing holds along it */
} ig_load_reach;
/* Bit d of `held`: component d is held or led. A component below 1e-9 of the whole force counts as
   none: faces are seldom exactly along an axis. */
void ig_load_reaches(ig_load_reach *r, const double *force, int components, unsigned held);
/* As numbers whose maximum over the parts of a model is that of all of it, and back. */
enum { IG_REACH_NUMBERS = 6 };
void ig_load_reach_get(const ig_load_reach *r, double number[IG_REACH_NUMBERS]);
void ig_load_reach_set(ig_load_reach *r, const double number[IG_REACH_NUMBERS]);
/* Along the normal of a face: x of its 2 (an edge in the plane), 3 or 4 corners. */
void ig_load_normal(int corners, const double x[][3], double normal[3]);
/* Warns of a load that acts, all of it or all of a component, where supports hold nodes along it.
 */
void ig_warn_held(ig_ctx *cx, const ig_src *at, const ig_load_reach *r);

/* Warns of equal forces on nodes that are corners and middles of edges, as no traction has them: of
   `force`, that of each node, whose sum depends on the mesh; or, NULL, of the equal shares of a
   `total`. */
IG_MUST_CHECK ig_status ig_warn_equal_forces(ig_ctx *cx, const ig_src *at, const ig_mesh *mesh,
                                             const char *name, const ig_lid *node, ig_lid count,
                                             const double *force);

#endif
