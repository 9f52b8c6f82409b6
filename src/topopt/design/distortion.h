/* What a part is out of shape when it has been printed, on its plate: inherent strains, layer by
   layer.

   Layer k of L is put onto the layers below, whatever they have moved by, in its nominal place.
   Then its inherent strain e* acts: elements above are not there (void), those below resist.

     K_k du_k = f_k = sum over e in layer k of E_e int B^T D e*        k = 1 … L
     u_n = sum of du_k,n over the layers that node n is there in

   J = sqrt(sum of w_n |u_n|^2 / sum of w_n) over the nodes of a region. With g = dJ/du, adjoint
   systems are K_k z_k = g at the nodes there are in step k, and

     dJ/dE_e = sum over k of (e in layer k) e*.D B z_k - (e there in k) z_k.k0 du_k */
#ifndef IG_TOPOPT_DESIGN_DISTORTION_H
#define IG_TOPOPT_DESIGN_DISTORTION_H

#include "topopt/topopt.h"

struct ig_topopt_distortion {
  ig_array *step;                           /* du_k, states */
  ig_array load, sum, adjoint, some, slope; /* states; the last for each element */
  ig_array tensor;                          /* 6 per element */
  ig_array whole, there, own;               /* of elements: 1; in the layers so far; in this one */
  ig_array nodes;                           /* 1 at the nodes there are */
  ig_array member;                          /* nodes of the objective */
  double count;                             /* of them */
  double *host;                             /* for masks */
  double stress[6];                         /* D e* at unit modulus */
};

/* Whether a case asks for it. */
bool ig_topopt_distortion_asked(const ig_topopt_case *c);
IG_MUST_CHECK ig_status ig_topopt_distortion_new(ig_topopt_design *s);
void ig_topopt_distortion_free(ig_topopt_design *s);
double ig_topopt_distortion_bytes(const ig_topopt_case *c, double n, double nu);
/* The layers' displacements for the moduli in place. */
IG_MUST_CHECK ig_status ig_topopt_distortion_solve(ig_topopt_design *s, ig_evaluation *e);
/* J over the bound of slot i (IG_LIMITS: the objective, m) and its slope by the filtered density.
 */
IG_MUST_CHECK ig_status ig_topopt_distortion_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                                      ig_evaluation *e, double *value,
                                                      double *slope);

#endif
