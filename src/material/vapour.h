/* Evaporation: heat that vapour takes from the surface of a melt. The mass flux is that of Hertz
   and Knudsen at the pressure of Clausius and Clapeyron; 18 % of the vapour condenses again
   (Knight, 1979): q = 0.82 p0 exp(L M / R (1 / T_b - 1 / T)) sqrt(M / (2 pi R T)) L. Double
   precision, for the CPU and CUDA. */
#ifndef IG_MATERIAL_VAPOUR_H
#define IG_MATERIAL_VAPOUR_H

#include "kern/hd.h"

#include <math.h>

/* Heat per area and time at temperature T, W/m^2, and its gradient over temperature. evaporation:
   0.82 p0 sqrt(M / (2 pi R)) L; vapour: L M / R, K; boiling: K at p0 = 101325 Pa. */
IG_HD double ig_vapour_flux(double evaporation, double vapour, double boiling, double T,
                            double *slope) {
  const double q = evaporation / sqrt(T) * exp(vapour * (1 / boiling - 1 / T));
  *slope = q * (vapour / T - 0.5) / T;
  return q;
}

#endif
