/* Largest values as objective or constraint: the highest temperature, and the fullest ball, which
   bounds the size of members. Each is replaced by a norm times a correction, as stresses are. */
#ifndef IG_TOPOPT_DESIGN_PNORM_H
#define IG_TOPOPT_DESIGN_PNORM_H

#include "topopt/topopt.h"

/* A ball more solid than this counts as solid. A plate or strip in its middle may then be four
   fifths (nine tenths in a plane) as thick as the ball. */
#define IG_MEMBER_SHARE 0.95

struct ig_topopt_pnorm {
  ig_array member, state; /* of the objective: nodes that count; adjoint states */
  ig_array value, power;  /* nodes or elements */
  double correction[IG_LIMITS + 1], norm[IG_LIMITS + 1]; /* the objective's last */
};

IG_MUST_CHECK ig_status ig_topopt_pnorm_new(ig_topopt_design *s);
void ig_topopt_pnorm_free(ig_topopt_design *s);
/* Value (over the bound; of the objective, slot IG_LIMITS, in K) and slope by the filtered density
   of a slot. */
IG_MUST_CHECK ig_status ig_topopt_pnorm_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                                 ig_evaluation *e, double *value, double *slope);
/* Corrections follow the design that was evaluated. */
void ig_topopt_pnorm_learn(ig_topopt_design *s, const ig_evaluation *e);

#endif
