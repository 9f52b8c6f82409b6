/* Mechanical laws by number, as kernels are stamped for them: `law` is a constant in each stamped
   kernel, so that the branches of j2.inc on it cost nothing. */
#ifndef IG_MATERIAL_J2_LAW_H
#define IG_MATERIAL_J2_LAW_H

#include "kern/hd.h"

/* Out of line on the CPU: what is taken seldom must not crowd the registers of what always is. */
#ifdef __CUDACC__
#define IG_FAR IG_HD
#else
#define IG_FAR static __attribute__((noinline, unused))
#endif

enum {
  IG_LAW_ELASTIC,   /* hypoelastic in the co-rotated frame */
  IG_LAW_J2,        /* linear isotropic hardening */
  IG_LAW_KINEMATIC, /* linear isotropic and kinematic hardening */
  IG_LAW_TABLE,     /* yield stress by table over plastic strain */
  IG_LAW_JOHNSON,   /* Johnson-Cook: rate, heating, damage */
  IG_LAW_NEOHOOKE,  /* compressible neo-Hookean, solids only */
  IG_LAWS,
  /* and up: a program's (ingot/law.h), in src/solid alone; IG_LAW_OWN + n keeps n numbers */
  IG_LAW_OWN = 100
};
/* of a hardening curve; the rows are part of the parameter block that kernels read */
enum { IG_HARDENING_ROWS = 16 };
enum { IG_J2_PASSES = 100 }; /* of a return mapping, at most; a few do */

/* Values a point carries: stress, plastic strain, and what the law adds to them. */
IG_HD int ig_law_state(int law, int stresses) {
  switch (law) {
  case IG_LAW_ELASTIC:
    return stresses;
  case IG_LAW_NEOHOOKE:
    return stresses + 9; /* inverse of the Jacobian at the start */
  case IG_LAW_KINEMATIC:
    return 2 * stresses + 1; /* back stress */
  case IG_LAW_JOHNSON:
    return stresses + 3; /* temperature rise, damage */
  default:
    return stresses + 1;
  }
}

#endif
