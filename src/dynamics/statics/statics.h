/* Static equilibrium by Newton's method (implicit/newton.h) with the room's elements.

   Unknowns are the increments of displacements and rotations of all particles, dofs each, and
   six of every rigid body (its centre's way and its rotation vector). Supports, prescribed
   motions, ties and bodies are constraints. Groups of the engine: the room's groups of elements
   (forces by the packed kernels, tangents by dual numbers), turns of shells about their normal
   (which nothing resists: a weak spring per step), pressures, which follow their faces, and
   tools. All is computed on the host in double precision, whatever the backend and precision of
   the model; after every step its positions, states and forces are written back to the model, so
   that outputs and later analyses find them there.

   Rates have no effect: laws see steps of 10^12 s.

   Calls: _check when the case is read, _new at the start of the analysis, _step until _stand
   says done, _free. Files: statics.c (this interface), statics_elements.c, statics_loads.c,
   statics_tools.c; what they share is in statics_parts.h. */
#ifndef IG_DYNAMICS_STATICS_H
#define IG_DYNAMICS_STATICS_H

#include "dynamics/dynamics.h"
#include "implicit/newton.h"

typedef struct ig_dyn_statics ig_dyn_statics;

/* Refuses what Newton's method does not do here: contact, friction of tools, ranks, accelerations.
 */
IG_MUST_CHECK ig_status ig_dyn_statics_check(const ig_dyn_model *m, const ig_dyn_analysis *a);
IG_MUST_CHECK ig_status ig_dyn_statics_new(ig_dyn_model *m, const ig_dyn_analysis *a,
                                           ig_dyn_statics **to);
void ig_dyn_statics_free(ig_dyn_statics *s);
/* One converged step; the model is at its end. */
IG_MUST_CHECK ig_status ig_dyn_statics_step(ig_dyn_statics *s);
void ig_dyn_statics_stand(const ig_dyn_statics *s, ig_newton_standing *now);
/* Every iteration is reported to `note`. */
void ig_dyn_statics_watch(ig_dyn_statics *s, void (*note)(void *user, const ig_newton_note *note),
                          void *user);

#endif
