/* Large deflections (large.h) without a matrix, on the context's device: forces, tangent times a
   vector and slopes element by element (kernels/large_ops.h), Newton's method and adjoints by
   conjugate gradients with the preconditioner of the linear body.

     K d = r,   r = factor f - forces(u),   u += s d

   A step of the load ends when |r| is below 1e-10 of the sums of magnitudes that it is made of,
   and the last correction below 1e-8 of what the step has moved; or when corrections are the
   rounding of positions. s is sought along d as in implicit/newton.h. Steps are cut to a quarter
   where an element is inverted, conjugate gradients meet a direction without energy, or residuals
   do not fall; they grow by 1.5 after two easy ones. Stability is not looked at. */
#ifndef IG_TOPOPT_DESIGN_LARGE_ITEMS_H
#define IG_TOPOPT_DESIGN_LARGE_ITEMS_H

#include "topopt/design/large.h"
#include "topopt/kernels/large_ops.h"

struct ig_topopt_large_items {
  const ig_topopt_large_ops *ops;
  ig_topopt_large_body body;
  ig_array node, x, alike, place, at, first, item, spring, modulus, blend, slope;
  ig_array slot, fault;
  /* states: accepted, at hand (m); tried; residual, its magnitudes, correction */
  ig_array from, now, trial, rest, size, step;
  double reach; /* largest coordinate, m */
  char why[256];
};

IG_MUST_CHECK ig_status ig_topopt_large_items_new(ig_topopt_design *s);
void ig_topopt_large_items_free(ig_topopt_design *s);
/* Whether a body of so many unknowns is computed so: asked for, or on a GPU and a large one. */
bool ig_topopt_large_without_matrix(const ig_ctx *cx, const ig_topopt_case *c, int dim,
                                    double unknowns);
/* Device memory in bytes: n elements, nu values per state. */
double ig_topopt_large_items_bytes(double n, double nu, int dim, int corners);
/* Takes over moduli and blends of the elements, and the preconditioner. */
IG_MUST_CHECK ig_status ig_topopt_large_items_moduli(ig_topopt_design *s);
/* As their namesakes in large.h; equilibrium: the state s->u[r][q], from none. */
IG_MUST_CHECK ig_status ig_topopt_large_items_equilibrium(ig_topopt_design *s, int r, int q);
IG_MUST_CHECK ig_status ig_topopt_large_items_adjoint(ig_topopt_design *s, int r, int q,
                                                      const double *l, double *z,
                                                      ig_solve_report *report);
IG_MUST_CHECK ig_status ig_topopt_large_items_energy(ig_topopt_design *s, int r, int q,
                                                     const double *z, double scale, bool add,
                                                     double *out);
IG_MUST_CHECK ig_status ig_topopt_large_items_forces(const ig_topopt_design *s, int q,
                                                     double *forces);
/* y = K v at displacements u (m), 0 where held, in units of loading->stiffness. */
IG_MUST_CHECK ig_status ig_topopt_large_items_product(ig_topopt_design *s, const double *u,
                                                      const double *v, double *y);

#endif
