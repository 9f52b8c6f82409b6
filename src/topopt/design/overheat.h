/* How hot a part becomes locally while it is printed, after Ranjan et al. (2020): steady conduction
   in the slab below each layer, instead of a transient of the whole build.

   Slab k is layer k and what is below it to a depth d: layers of the part, and below them the
   plate. The upper face of the layer takes a flux of 1 where it is solid, the lower face of the
   slab is at 0, its sides are adiabatic.

     K_k T_k = f_k,  conductivity c(x) = powder + (1 - powder) x^3,  f_k = sum over e in layer k of
                                                                          x_e area at its upper
   nodes t_e = mean of T_k at the upper nodes of e, over d: 1 on a solid slab J = C (sum over all e
   of x_e t_e^P)^(1/P)

   C is corrected from design to design such that J is the highest x_e^(1/P) t_e (Le et al. 2010).
   Each layer takes two systems of one unknown per node, of d alone: T and its adjoint. Of meshes
   see overheat_mesh.h. */
#ifndef IG_TOPOPT_DESIGN_OVERHEAT_H
#define IG_TOPOPT_DESIGN_OVERHEAT_H

#include "topopt/topopt.h"

#define IG_OVERHEAT_EXPONENT 10.0 /* P */
/* c(x) and its slope. Powder of metals conducts about a hundredth of the solid (Sih and Barlow
   2004). */
static inline double ig_overheat_conductivity(double x, double *slope) {
  const double powder = 0.01;
  *slope = 3 * (1 - powder) * x * x;
  return powder + (1 - powder) * x * x * x;
}

typedef struct ig_overheat_mesh ig_overheat_mesh;
struct ig_topopt_overheat {
  ig_overheat_mesh *mesh; /* NULL: a grid, and what follows */
  ig_multigrid *solver;   /* of a slab */
  ig_grid grid;           /* its elements: those of the part, `depth` along the build direction */
  int depth;
  double reference; /* rise of a solid slab at unit flux and conductivity: its depth */
  ig_array f, t, adjoint, energy, member; /* slab, the last: elements of the objective */
  /* host: places of the part; of the slab */
  double *density, *count, *slope, *modulus, *nodal, *load, *part;
  double correction[IG_LIMITS + 1], norm[IG_LIMITS + 1]; /* the objective's last */
};

bool ig_topopt_overheat_asked(const ig_topopt_case *c);
IG_MUST_CHECK ig_status ig_topopt_overheat_new(ig_topopt_design *s);
void ig_topopt_overheat_free(ig_topopt_design *s);
double ig_topopt_overheat_bytes(const ig_topopt_case *c, double n);
/* J over the bound of slot i (IG_LIMITS: the objective) and its slope by the filtered density. */
IG_MUST_CHECK ig_status ig_topopt_overheat_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                                    ig_evaluation *e, double *value, double *slope);
/* Corrections follow the design that was evaluated. */
void ig_topopt_overheat_learn(ig_topopt_design *s, const ig_evaluation *e);
/* The highest t_e of densities that are void or solid (host), of the elements that `count` has (1
   or 0; NULL: all), and the layer it is in. */
IG_MUST_CHECK ig_status ig_topopt_overheat_measure(ig_topopt_design *s, const double *density,
                                                   const double *count, double *most, int *layer);

#endif
