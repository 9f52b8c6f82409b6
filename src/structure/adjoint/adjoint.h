/* Gradients of static analyses by the implicit function theorem.

   The state of equilibrium is the root v of r(v, p) = C^T f(C v + g), with f the forces out of
   balance, C and g the constraints, p everything that the set-up makes of the case. A figure
   J(u, f, p) has

     dJ/dp = d/dp [ J - lambda . r ]  at fixed v,       K^T lambda = dJ/dv = C^T dJ/du,

   K the tangent of r. So one solution with the transposed tangent gives the derivative by
   everything; of another case that differs in one key it takes its set-up, one evaluation of all
   elements and the product with lambda (ig_adjoint_change). C and g may depend on the key: lengths
   of the mesh and thicknesses are keys like any other.

   The forces are those of the whole analysis as one step from its start. That is the state of a
   run of any number of steps where nothing depends on the way: elastic and hyperelastic laws;
   plastic ones of one step. The state of the run is improved by Newton's method to rounding first:
   the tolerance of the run would be that of the gradient. */
#ifndef IG_STRUCTURE_ADJOINT_H
#define IG_STRUCTURE_ADJOINT_H

#include "implicit/direct.h"
#include "structure/structure.h"

typedef enum {
  IG_ADJOINT_DISPLACEMENT,
  IG_ADJOINT_REACTION,
  IG_ADJOINT_COMPLIANCE,
  IG_ADJOINT_STRESS
} ig_adjoint_kind;

/* displacement(SET, x), reaction(SET, x), compliance, von_mises(SET), stress(SET, xx). */
typedef struct {
  ig_adjoint_kind kind;
  char set[128];
  int component; /* of vectors x y z; of stress the place in a report */
  /* Stress: its derivative by the stress of each point of its elements, elements x IG_SOLID_POINTS
     x 6, and the sum of these times the stresses. A von Mises stress bends where it is near zero,
     its linear part does not. Filled by ig_adjoint_figure_slope. */
  double *weight, level;
} ig_adjoint_figure;

/* A model at increments u from its start: f_int - f_ext, and f_ext of dead loads; unknowns each. */
typedef struct {
  ig_structure *s;
  double *u, *f, *load;
} ig_adjoint_state;

typedef struct {
  ig_ctx *cx;
  ig_structure *s;   /* at its start */
  int32_t equations; /* of its system */
  double *v, *lambda;
  ig_adjoint_figure figure;
  double value;
} ig_adjoint;

/* --- figure.c */
IG_MUST_CHECK ig_status ig_adjoint_figure_read(ig_ctx *cx, const char *text, ig_adjoint_figure *to,
                                               char unit[16]);
IG_MUST_CHECK ig_status ig_adjoint_figure_value(const ig_adjoint_figure *f,
                                                const ig_adjoint_state *a, double *value);
/* What it changes by to first order, from the state of ig_adjoint_figure_slope, where it had
   `value`. */
IG_MUST_CHECK ig_status ig_adjoint_figure_change(const ig_adjoint_figure *f,
                                                 const ig_adjoint_state *a, double value,
                                                 double *change);
/* Its derivative by u, and by f where it depends on that; both `unknowns`, added. */
IG_MUST_CHECK ig_status ig_adjoint_figure_slope(ig_adjoint_figure *f, const ig_adjoint_state *a,
                                                double *by_u, double *by_f);

#endif
