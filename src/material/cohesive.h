/* A cohesive law's parameters, the same for both precisions: what holds the two faces of a crack
   together while it opens. Filled by the fracture room from the material's keys. */
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
  int rigid;           /* closing is handled by rigid contact: no traction against it here */
  /* made of the above by ig_cohesive_ready, so that a point need not divide */
  double over_n, over_t; /* 1 / the separations at which all traction is gone */
  double ratio, soft;    /* linear: tau / sigma, ratio^2 phi_n / phi_t */
} ig_cohesive;

/* Area under a softening curve is the fracture energy: phi = sigma x (last separation) / alpha for
 * PPR with an exponent alpha, half of sigma x separation for the linear law.
 */
static inline ig_cohesive ig_cohesive_ready(ig_cohesive law) {
  const int ppr = law.kind == IG_COHESIVE_PPR;
  law.over_n = law.sigma / ((ppr ? law.alpha : 2) * law.phi_n);
  law.over_t = ppr ? law.tau / (law.beta * law.phi_t) : law.over_n;
  law.ratio = law.tau / law.sigma;
  law.soft = law.ratio * law.ratio * law.phi_n / law.phi_t;
  return law;
}

#endif
