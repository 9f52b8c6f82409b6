/* What searches for eigenvectors of a design share: the small eigenproblem of a subspace, and
   vectors to begin with. */
#ifndef IG_TOPOPT_DESIGN_RITZ_H
#define IG_TOPOPT_DESIGN_RITZ_H

#include "topopt/topopt.h"

enum { IG_RITZ_MOST = 48 };
typedef double ig_ritz[IG_RITZ_MOST][IG_RITZ_MOST];

/* A v = lambda B v of n x n, lowest first, v.Bv = 1. False where B is not positive definite. */
bool ig_topopt_ritz(int n, ig_ritz a, ig_ritz b, double *lambda, ig_ritz v);
/* A state of values that are the same on every machine and division; `number` of several. */
IG_MUST_CHECK ig_status ig_topopt_state_scatter(const ig_topopt_design *s, int number,
                                                ig_array *state);

#endif
