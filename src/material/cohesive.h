/* A cohesive law's parameters, the same for both precisions. */
#ifndef IG_COHESIVE_H
#define IG_COHESIVE_H

#include "kern/hd.h"

enum { IG_COHESIVE_PPR, IG_COHESIVE_LINEAR };
#define IG_COHESIVE_CHOICES "ppr|linear"

typedef struct {
  int kind;
  double phi_n, phi_t; /* fracture energies, J/m^2 */
  double sigma, tau;   /* strengths, Pa */
  double alpha, beta;  /* softening exponents of PPR: 2 is straight */
  double friction;     /* Coulomb, once a point has failed */
  int rigid;           /* closing is somebody else's affair: no traction against it here */
} ig_cohesive;

#endif
