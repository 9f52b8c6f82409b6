/* Vibration and linear buckling about the state that the model is in.

   Frequencies: K phi = w^2 M phi, K the tangent of that state (`implicit/system.h`), M the
   lumped masses of the particles. Buckling: (K + l G) phi = 0, G the change of the tangent per
   load: found from the tangent under a small share of the loads that act at `at_time`. Effective
   masses are those of base motion along an axis; over all modes they sum to the mass that can
   move. */
#ifndef IG_DYNAMICS_MODES_H
#define IG_DYNAMICS_MODES_H

#include "dynamics/dynamics.h"

/* Modes in rising order of their value. */
typedef struct {
  int count;
  double *value;     /* frequencies, Hz; or load factors */
  double (*mass)[3]; /* frequencies: effective masses along x y z, kg */
  double *shape;     /* count x nodes x 3: displacements, the largest is 1 */
  double error;      /* of the eigenvalues, relative */
  int64_t below;     /* frequencies: modes that there are up to the last one (Sturm), -1: unknown */
} ig_dyn_modes;

/* Finds a->modes modes, or as many as there are, on the host by a direct solver. The model's
   state is not changed. Not on several ranks. */
IG_MUST_CHECK ig_status ig_dyn_modes_find(ig_dyn_model *m, const ig_dyn_analysis *a,
                                          ig_dyn_modes *to);
void ig_dyn_modes_free(ig_dyn_modes *m);

#endif
