/* Loads that follow the design: the weight of its elements, and what nodes held away from zero
   do to the others.

     f(x) = forces + N^T m(x) g - K(x) u_held        u = v + u_held, K v = f

   m(x) are the masses of the elements, N^T shares them out to the nodes, g is the acceleration.
   The compliance of a load case is 2 f.u - u.Ku (f.u where nothing is prescribed): least where
   the body is stiffest, whether forces or displacements are given, and its own adjoint.

   A body that is warmer by T would be displaced by t = expansion x T x position if nothing held it,
   without stress. States are then w = u - t: K w = forces, with w = u_held - t at supports, and
   stresses are those of w. The compliance is that of the forces and the loads K t of the restrained
   expansion, (f + K t).u = (2 f.w - w.Kw) + 2 f.t + t.Kt (Rodrigues and Fernandes 1995).

   Order of calls in an evaluation: prepare (load and energy for the moduli in place), lower
   (guess for v), the solve, lift (back to u), then direct and add for the gradients. */
#ifndef IG_TOPOPT_DESIGN_LOAD_H
#define IG_TOPOPT_DESIGN_LOAD_H

#include "topopt/topopt.h"

IG_MUST_CHECK ig_status ig_topopt_load_new(ig_topopt_design *s);
void ig_topopt_load_free(ig_topopt_design *s);
/* Device memory of it in bytes: n values per element array, nu per state. */
double ig_topopt_load_bytes(const ig_topopt_case *c, double n, double nu);
/* For the densities of realisation r, whose moduli are in place. */
IG_MUST_CHECK ig_status ig_topopt_load_prepare(ig_topopt_design *s, int r);
/* What load case q solves for. */
const double *ig_topopt_load_of(const ig_topopt_design *s, int q);
/* Takes what is held out of a state before it is solved for, and puts it in again. */
IG_MUST_CHECK ig_status ig_topopt_load_lower(ig_topopt_design *s, double *u);
IG_MUST_CHECK ig_status ig_topopt_load_lift(ig_topopt_design *s, int q, double *u);
/* The displacements of a state of load case q: with the free expansion, where there is one. Valid
   until the next call. */
IG_MUST_CHECK ig_status ig_topopt_load_moved(const ig_topopt_design *s, int q, const double *state,
                                             const double **u);
/* l . t in units of the states of load case q, for a vector l of unknowns; 0: no expansion. */
IG_MUST_CHECK ig_status ig_topopt_load_expansion(const ig_topopt_design *s, int q, const double *l,
                                                 double *value);
/* energy[e] -= scale t_e . k0 t_e, what a compliance of load case q has of it. */
IG_MUST_CHECK ig_status ig_topopt_load_expansion_energy(const ig_topopt_design *s, int q,
                                                        double scale, double *energy);
/* factor x state . df/dx of load case q, by the density of realisation r, into s->direct (added
   where `add`); then times `step`, the density's slope by the filtered one, into a slope. Nothing
   where no load follows the design. */
IG_MUST_CHECK ig_status ig_topopt_load_direct(ig_topopt_design *s, int r, int q,
                                              const double *state, double factor, bool add);
IG_MUST_CHECK ig_status ig_topopt_load_add(ig_topopt_design *s, const double *step, double *slope);
/* Nodal masses in units of an element's, into s->nodal; those that swing are lumped. */
IG_MUST_CHECK ig_status ig_topopt_load_masses(ig_topopt_design *s, int r, bool lumped);
/* s->direct (+)= factor x value at the nodes (s->nodal) . d(masses)/d(density). */
IG_MUST_CHECK ig_status ig_topopt_load_mass_slope(ig_topopt_design *s, int r, bool lumped,
                                                  double factor, bool add);
/* Arrays of nodes and elements that masses need. */
IG_MUST_CHECK ig_status ig_topopt_load_room(ig_topopt_design *s);

#endif
