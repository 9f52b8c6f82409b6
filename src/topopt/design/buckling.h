/* Linear buckling of a design: the least factors of the loads at which it is no longer stable.

     (K + lambda G(u)) phi = 0,   G = sum over e of s(rho_e) int grad(phi)^T sigma(u) grad(phi)

   sigma is the solid's stress at the centre of an element, of the load case's displacements u, and
   so are the gradients. s = rho^penalty, without the stiffness that void keeps and next to nothing
   below mass_threshold: void, whose stiffness is small, must not buckle on its own (Ferrari and
   Sigmund 2019).

     N = (sum of mu_i^P)^(1/P),   mu = 1 / lambda > 0

   over the lowest factors of the load cases stands for 1 / (lowest lambda), and is differentiable
   where factors coincide. Negative factors, of loads the other way round, do not count.

   With phi.K phi = 1, mu = -phi.G phi; weighted by w_i = dN/dmu_i,

     dN/drho_e = - s' sigma:Q - E' (sum w_i mu_i phi_i.k0 phi_i + z.k0 u),
     Q = sum w_i grad(phi_i)^T grad(phi_i),   K z = d(-sum over e of s sigma(u):Q)/du */
#ifndef IG_TOPOPT_DESIGN_BUCKLING_H
#define IG_TOPOPT_DESIGN_BUCKLING_H

#include "topopt/topopt.h"

/* Factors wanted at most, and vectors of the block: four more. */
enum { IG_BUCKLINGS = 12, IG_BUCKLINGS_BLOCK = IG_BUCKLINGS + 4 };
struct ig_topopt_buckling {
  const ig_topopt_stress_ops *ops;
  int wanted, block;
  /* states: modes of each load case; what is left of their images, the last directions, room */
  ig_array x[IG_LOAD_CASES][IG_BUCKLINGS_BLOCK];
  ig_array rest[IG_BUCKLINGS_BLOCK], last[IG_BUCKLINGS_BLOCK], room[IG_BUCKLINGS_BLOCK];
  ig_array kx, gx, load, ones;
  ig_array stress, square, gradient;            /* 6, 6 and 9 per element */
  ig_array weight, direct;                      /* of elements */
  ig_array state;                               /* adjoint of the objective, one per load case */
  double mu[IG_LOAD_CASES][IG_BUCKLINGS_BLOCK]; /* largest first, in units of the states */
  bool known;                                   /* modes of an earlier design are there */
};

/* Whether a case asks for it. */
bool ig_topopt_buckling_asked(const ig_topopt_case *c);
IG_MUST_CHECK ig_status ig_topopt_buckling_new(ig_topopt_design *s);
void ig_topopt_buckling_free(ig_topopt_design *s);
double ig_topopt_buckling_bytes(const ig_topopt_case *c, double n, double nu, int cases);
/* Modes of all load cases of realisation r, whose moduli and displacements are in place. */
IG_MUST_CHECK ig_status ig_topopt_buckling_solve(ig_topopt_design *s, int r, ig_evaluation *e);
/* N of slot i (bound x N; IG_LIMITS: the objective) and its slope by the filtered density. */
IG_MUST_CHECK ig_status ig_topopt_buckling_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                                    ig_evaluation *e, double *value, double *slope);
/* Factor i of load case q, and the lowest one of slot i's load cases; infinite: none is positive.
 */
double ig_topopt_buckling_factor(const ig_topopt_design *s, int q, int i);
double ig_topopt_buckling_least(const ig_topopt_design *s, int slot);

#endif
