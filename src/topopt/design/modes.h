/* Natural frequencies of a design: K phi = lambda M phi, by subspace iteration over the linear
   solver. Masses are lumped at the nodes.

     N = (sum of lambda_i^-P)^(1/P) over the lowest modes

   stands for 1 / (lowest lambda). It has a slope where eigenvalues coincide, too: the sum does not
   ask which mode is which. */
#ifndef IG_TOPOPT_DESIGN_MODES_H
#define IG_TOPOPT_DESIGN_MODES_H

#include "topopt/topopt.h"

/* Wanted modes at most, and vectors of the block: four more. */
enum { IG_MODES = 8, IG_MODES_BLOCK = IG_MODES + 4 };
struct ig_topopt_modes {
  /* wanted: modes of the case; block: vectors that are iterated, four more */
  int wanted, block;
  ig_array x[IG_MODES_BLOCK], y[IG_MODES_BLOCK]; /* states: modes, and what they become */
  ig_array kx, mx, mass;                         /* states; nodes */
  double lambda[IG_MODES_BLOCK];                 /* in units of stiffness over an element's mass */
  bool known;                                    /* modes of an earlier design are there */
};

/* Whether a case asks for frequencies. */
bool ig_topopt_modes_asked(const ig_topopt_case *c);
IG_MUST_CHECK ig_status ig_topopt_modes_new(ig_topopt_design *s);
void ig_topopt_modes_free(ig_topopt_design *s);
double ig_topopt_modes_bytes(const ig_topopt_case *c, double n, double nu);
/* The modes of realisation r, whose moduli are in place. */
IG_MUST_CHECK ig_status ig_topopt_modes_solve(ig_topopt_design *s, int r, ig_evaluation *e);
/* factor x N, and its slope by the filtered density. */
IG_MUST_CHECK ig_status ig_topopt_modes_slope(ig_topopt_design *s, const ig_law *law, int r,
                                              double factor, double *value, double *slope);
/* Frequency of mode i, Hz. */
double ig_topopt_modes_hertz(const ig_topopt_design *s, int i);

#endif
