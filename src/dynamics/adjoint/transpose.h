/* Transposed tangents of the room's elements: the element functions on a tape
   (kern/prec_reverse.h), IG_PACK_F64 elements of a group side by side. What goes in are positions
   after a step, increments, the state before it and the numbers of the group (material, section);
   what comes out are forces and the state after it. Bars of what comes out become bars of what goes
   in, to rounding. */
#ifndef IG_DYNAMICS_TRANSPOSE_H
#define IG_DYNAMICS_TRANSPOSE_H

#include "dynamics/kernels/step.h"
#include "kern/pack.h"

IG_C_BEGIN

/* Numbers of a group that have bars: of its material, then of its section. */
enum {
  IG_NUMBER_DENSITY,
  IG_NUMBER_YOUNG,
  IG_NUMBER_POISSON,
  IG_NUMBER_BULK,
  IG_NUMBER_SHEAR,
  IG_NUMBER_THICKNESS = 8 + 2 * IG_HARDENING_ROWS + 7 + 5
};
enum { IG_DYN_NUMBERS = IG_NUMBER_THICKNESS + 5 + 3 * IG_DYN_FIBRES + 3 };

/* Values that an element's state may have. */
enum { IG_TRANSPOSE_STATES = 1024 };

/* The numbers of a group, in their order. */
void ig_dyn_numbers(const dyn_group_f64 *g, double number[IG_DYN_NUMBERS]);

/* A tape; one per thread. */
typedef struct ig_dyn_transpose ig_dyn_transpose;
ig_dyn_transpose *ig_dyn_transpose_new(void); /* NULL: no memory */
int ig_dyn_transpose_lanes(void);             /* its IG_PACK_F64: as its callers have it */
void ig_dyn_transpose_free(ig_dyn_transpose *t);

/* A pack of elements, each value in IG_PACK_F64 lanes side by side. `state`: value k of lane l at
   state[k * pitch + l]. Lanes without an element repeat another one, and have bars of 0. */
typedef struct {
  ig_dyn_kind kind;
  int law;
  const dyn_group_f64 *g;
  const double *state;
  int pitch;
  double dt;
  const double *x, *u;      /* npe x 3 relative to the first particle, npe x dofs */
  const double *f_bar;      /* npe x dofs */
  const double *report_bar; /* IG_DYN_REPORT */
  double *state_bar;        /* states: after the step; then before it */
  double *x_bar, *u_bar;    /* results */
  double *number_bar;       /* IG_DYN_NUMBERS: results */
} ig_dyn_pack_bars;

/* Of a step; of what an element reports (ig_dyn_pack_bars.u, f_bar and u_bar do not count, and
   what state_bar has stays and gets more). False: no memory. */
bool ig_dyn_transpose_force(ig_dyn_transpose *t, const ig_dyn_pack_bars *b);
bool ig_dyn_transpose_report(ig_dyn_transpose *t, const ig_dyn_pack_bars *b);

IG_C_END
#endif
