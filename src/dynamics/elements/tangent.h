/* Forces and exact tangents of the room's elements, one element at a time: the element functions
   compiled for dual numbers (kern/prec_dual.h). A dual number carries derivatives along several
   directions, so that the same source gives f and df/du to rounding (forward differentiation). */
#ifndef IG_DYNAMICS_TANGENT_H
#define IG_DYNAMICS_TANGENT_H

#include "dynamics/kernels/step.h"

IG_C_BEGIN

/* Numbers that the largest element's state has, and room for it: IG_TANGENT_ROOM doubles, aligned
   to 64 bytes. */
enum { IG_TANGENT_STATES = 1024, IG_TANGENT_ROOM = 8 * IG_TANGENT_STATES };

/* state: value k of the element at state[k * pitch], which stays as it is. x: positions after the
   increments u (npe x 3, npe x dofs of the kind). f: forces; k: df/du, row by row. room: scratch.
   left: what a return mapping left unsolved. Returns the worst Jacobian. */
double ig_dyn_tangent(ig_dyn_kind kind, int law, const dyn_group_f64 *g, const double *state,
                      int pitch, double dt, const double *x, const double *u, double *f, double *k,
                      double *left, double *room);

IG_C_END
#endif
