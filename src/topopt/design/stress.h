/* Stresses of a design: a smooth maximum of von Mises stresses as constraint or objective.

     s_e = x_e^relaxation sigma(D B u)           relaxed stress of the solid at the element's centre
     P   = (sum over e of s_e^exponent)^(1/exponent)
     c P ~ max s_e,  c from the last designs

   Relaxation after Bruggi 2008: the stress of the solid in an element that is nearly void is
   large, and a bound on it would keep the element from vanishing. The correction c and the norm
   over sets of elements are those of Le et al. 2010, clusters by stress level those of Holmberg
   et al. 2013.

   A bound on a cycle (Sines 1955): von Mises' stress of the amplitude and a weight k times the
   trace of the mean, both shares (1 - R)/2 and (1 + R)/2 of the stress under the largest load.

   A slot is a constraint as the optimiser sees it: a bound with k clusters has k slots in a row,
   each with its own norm, correction and adjoint states. */
#ifndef IG_TOPOPT_DESIGN_STRESS_H
#define IG_TOPOPT_DESIGN_STRESS_H

#include "topopt/topopt.h"

/* What a design with stresses keeps; slot IG_LIMITS is the objective's. */
struct ig_topopt_stress {
  ig_ctx *cx;
  const ig_topopt_stress_ops *ops;
  ig_array tensor, mises, relaxed, work, direct, load;
  ig_array member;                  /* of the objective; constraints have theirs in the loading */
  ig_array cluster[IG_LIMITS];      /* of each slot with several, its number as a double */
  ig_array state;                   /* adjoint of the objective, one per load case */
  double correction[IG_LIMITS + 1]; /* c; 0: not known yet */
  double norm[IG_LIMITS + 1];       /* of the last design */
};

/* What a bound on the stress looks at, of von Mises' stress s and the trace t under the largest
   load: factor x (s + mean x t). 1 and 0 without a cycle. */
void ig_topopt_stress_cycle(const ig_limit_case *limit, double *factor, double *mean);
IG_MUST_CHECK ig_status ig_topopt_stress_new(ig_topopt_design *s);
void ig_topopt_stress_free(ig_topopt_design *s);
/* Value over bound of slot i (IG_LIMITS: the objective, in Pa) and its slope by the filtered
   density; the largest stress itself goes to e->peak. */
IG_MUST_CHECK ig_status ig_topopt_stress_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                                  ig_evaluation *e, double *value, double *slope);
/* After an evaluation: corrections, and clusters by the stresses found. */
IG_MUST_CHECK ig_status ig_topopt_stress_learn(ig_topopt_design *s, const ig_evaluation *e);
/* Whether a case has stresses in its constraints or as its objective. */
bool ig_topopt_stress_asked(const ig_topopt_case *c);
/* The largest stress of all that are looked at, Pa. */
double ig_topopt_stress_peak(const ig_topopt_design *s, const ig_evaluation *e);
/* The largest stress of densities and states in place, gray elements reduced by `relaxation`, Pa:
   of the elements and load cases of slot i, or, i < 0, of all but the sets in `exclude`. Works
   without s->stress too. */
IG_MUST_CHECK ig_status ig_topopt_stress_largest(ig_topopt_design *s, int i, double relaxation,
                                                 double *peak);
/* Arrays for looking at stresses, into s->stress unless they are there (freed by
   ig_topopt_stress_free); `member`: 1 in all elements but those of `exclude`. */
IG_MUST_CHECK ig_status ig_topopt_stress_room(ig_topopt_design *s, ig_array *member);
/* The first load case's relaxed stress in Pa, into s->stress->relaxed. */
IG_MUST_CHECK ig_status ig_topopt_stress_field(const ig_topopt_design *s);

#endif
