/* What verification problems share; between the room's own files. */
#ifndef IG_TOPOPT_VERIFY_H
#define IG_TOPOPT_VERIFY_H

#include "verify/topopt/problem.h"
#include "verify/verify.h"

#include <math.h>

static inline void row(const ig_verify_sink *sink, const char *quantity, const char *source,
                       double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row r = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &r);
}

/* Largest size of n values. */
static inline double largest(const double *v, int n) {
  double m = 0;
  for (int i = 0; i < n; i++)
    m = fabs(v[i]) > m ? fabs(v[i]) : m;
  return m;
}

typedef ig_status ig_topopt_verify_fn(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_elements.c */
ig_topopt_verify_fn ig_topopt_verify_elements, ig_topopt_verify_beam;
/* verify_slopes.c */
ig_topopt_verify_fn ig_topopt_verify_slopes;
/* verify_solvers.c */
ig_topopt_verify_fn ig_topopt_verify_solvers;
/* verify_design.c */
ig_topopt_verify_fn ig_topopt_verify_volume, ig_topopt_verify_constraints,
    ig_topopt_verify_symmetry;
/* verify_stress.c */
ig_topopt_verify_fn ig_topopt_verify_stress;
/* verify_problems.c */
ig_topopt_verify_fn ig_topopt_verify_problems, ig_topopt_verify_problem_slopes;
/* verify_buckling.c */
ig_topopt_verify_fn ig_topopt_verify_buckling;
/* verify_large.c */
ig_topopt_verify_fn ig_topopt_verify_large;
/* verify_mesh.c */
ig_topopt_verify_fn ig_topopt_verify_mesh_grid, ig_topopt_verify_mesh_patch,
    ig_topopt_verify_mesh_tets, ig_topopt_verify_mesh_slopes, ig_topopt_verify_mesh_solvers;
/* verify_gradient.c */
ig_topopt_verify_fn ig_topopt_verify_gradient;

#endif
