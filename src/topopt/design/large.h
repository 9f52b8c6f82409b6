/* Designs with large displacements and rotations.

     r(u) = sum over e of E_e f_e(u) + springs u - f = 0        total Lagrangian, Newton's method

   f_e is that of solid/ at unit modulus: St. Venant and Kirchhoff's law or the neo-Hookean one. In
   void, whose stiffness is next to nothing, such elements fold and Newton's method ends; there the
   energy is that of small strains (Wang, Lazarov, Sigmund, Jensen 2014):

     W_e(u) = E (W(g u) + (1 - g^2) W_linear(u)),   f_e(u) = g f(g u) + (1 - g^2) f_linear(u)
     g = (tanh(b c) + tanh(b (x - c))) / (tanh(b c) + tanh(b (1 - c))),   b = 500, c = 0.01

   x = (E - least) / (1 - least) is the density to the power of the penalty, so that an element
   depends on its modulus alone, as in linear designs: `energy` is d(z . r)/dE.

   A function J of the states has the slope

     dJ/dE = -z . dr/dE,   K z = dJ/du,   K = dr/du at the end of the last load step

   K is factorized once per load case, or solved with by conjugate gradients and the preconditioner
   of the linear body, whose moduli are the same; slopes are exact as far as equilibrium is. On a
   GPU, and where it is asked for, there is no matrix: see large_items.h. The
   compliance is that at full load, f.u ("end compliance"), and needs an adjoint of its own. Units
   of states, adjoints and energies are those of linear designs (topopt.c). With a matrix all is
   computed on the host; without one stresses and figures are. */
#ifndef IG_TOPOPT_DESIGN_LARGE_H
#define IG_TOPOPT_DESIGN_LARGE_H

#include "implicit/direct.h"
#include "implicit/system.h"
#include "solver/krylov/pcg.h"
#include "solid/solid.h"
#include "topopt/topopt.h"

typedef struct ig_topopt_large_items ig_topopt_large_items;

/* What Newton's method took; products with tangents are counted without a matrix. */
typedef struct {
  int64_t steps, iterations, products;
  int64_t negative; /* pivots of the tangents, the most */
  double residual;
} ig_topopt_large_counts;

struct ig_topopt_large {
  ig_topopt_body body;
  ig_solid_law law, linear; /* at unit modulus */
  ig_solid_across across;
  int32_t unknowns;             /* points x dim */
  ig_topopt_large_items *items; /* no matrix; NULL: there is one, `system` and what follows */
  ig_system *system;
  ig_implicit_group group[2]; /* elements, springs */
  ig_direct *direct;          /* K at the state of load case `factored` of a design; NULL: none */
  int factored;               /* -1: no longer */
  int32_t *unknown, *sprung;  /* of elements and of springs: point x dim + component */
  double *stiffness;          /* of springs, N/m */
  double *modulus, *blend, *slope; /* of elements: E, g, E dg/dE */
  double *u, *f, *values;          /* of unknowns in m and N; arrays of the device on the host */
  bool iterative;                  /* conjugate gradients instead of `direct` */
  ig_pcg pcg;
  ig_array right, left; /* its right side and solution */
  ig_array adjoint, load;
  /* of the last design, all load cases */
  int64_t steps, iterations, products;
  double residual;
  int64_t negative;
  ig_topopt_large_counts count[IG_LOAD_CASES], *now; /* of each; that at hand */
};

/* The point of a number, for messages. */
void ig_topopt_large_name(const ig_topopt_design *s, int32_t point, char *text, size_t size);
/* The error of a design without equilibrium beyond a share of the load. */
ig_status ig_topopt_large_lost(ig_topopt_design *s, int q, double factor, int64_t steps,
                               const char *why);
/* Solves a . large->left = large->right from zero. */
IG_MUST_CHECK ig_status ig_topopt_large_pcg(ig_topopt_design *s, const ig_linear *a,
                                            double tolerance, ig_solve_report *report);
/* Unknowns in a plane or in space up to which `auto` factorizes. */
int32_t ig_topopt_large_direct(int dim);
bool ig_topopt_large_asked(const ig_topopt_case *c);
IG_MUST_CHECK ig_status ig_topopt_large_new(ig_topopt_design *s);
void ig_topopt_large_free(ig_topopt_design *s);
/* The work of ig_topopt_design_analyse for the moduli in place. */
IG_MUST_CHECK ig_status ig_topopt_large_analyse(ig_topopt_design *s, int r, double *objective,
                                                ig_evaluation *e);
/* K z = l at the state of load case q of realisation r; l, z: device. One of the systems at which
   ranks take turns (solve_groups.h): in the first of two passes z is there where it is this rank's.
 */
IG_MUST_CHECK ig_status ig_topopt_large_adjoint(ig_topopt_design *s, int r, int q, const double *l,
                                                double *z);
/* out (+)= scale x z . dr/dE for load case q of realisation r; of linear bodies z_e . k0 u_e. */
IG_MUST_CHECK ig_status ig_topopt_large_energy(ig_topopt_design *s, int r, int q, const double *z,
                                               double scale, bool add, double *out);
/* Strain energy of elements at unit modulus, times scale, of load case 0 (last realisation). */
IG_MUST_CHECK ig_status ig_topopt_large_strain_energy(const ig_topopt_design *s, double scale,
                                                      double *out);
/* Forces of elements and springs of load case q (last realisation) over its norm, 0 where held. */
IG_MUST_CHECK ig_status ig_topopt_large_forces(const ig_topopt_design *s, int q, double *forces);
/* Of load case q (last realisation): work of its whole load f.u in J, largest displacement in m. */
IG_MUST_CHECK ig_status ig_topopt_large_figures(const ig_topopt_design *s, int q, double *work,
                                                double *most);
/* Measure of Cauchy's stress at the centres (von Mises, with law->mean of the trace) for load case
   q, in the units of ig_topopt_stress_ops: into `mises`. Then, with weights d(norm)/d(mises) of
   elements: the load of its adjoint, and what the blend g adds to energies, subtracted there. */
IG_MUST_CHECK ig_status ig_topopt_large_mises(const ig_topopt_design *s, int q,
                                              const ig_topopt_hooke *law, double *mises);
IG_MUST_CHECK ig_status ig_topopt_large_mises_back(const ig_topopt_design *s, int q,
                                                   const ig_topopt_hooke *law, const double *weight,
                                                   double *load, double *energy);

#endif
