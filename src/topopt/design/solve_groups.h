/* Linear systems of a design. Those of one group do not depend on each other: the load cases and
   the port of a mechanism, the adjoint systems of constraints and objective, the vectors of a round
   of subspace iteration. Ranks that share a design take turns at the systems of a group and hand
   the solutions on, so that all have the same bits. */
#ifndef IG_TOPOPT_DESIGN_SOLVE_GROUPS_H
#define IG_TOPOPT_DESIGN_SOLVE_GROUPS_H

#include "topopt/topopt.h"

/* A group whose right sides are all there. f and u are device arrays; report and rest are filled
   by the solve, on all ranks. */
typedef struct {
  int count;
  const double *f[IG_LOAD_CASES + 1];
  ig_array *u[IG_LOAD_CASES + 1];
  ig_solve_report report[IG_LOAD_CASES + 1];
  double rest[IG_LOAD_CASES + 1]; /* residual . u, right after the solve */
} ig_topopt_systems;

/* The rank that solves system k of a group; where the grid is divided, this one. */
int ig_topopt_systems_owner(const ig_topopt_design *s, int k);
IG_MUST_CHECK ig_status ig_topopt_systems_solve(ig_topopt_design *s, ig_topopt_systems *y,
                                                ig_evaluation *e);

/* A group whose right sides are made one after the other, in room that the next one needs: `pass`
   asks ig_topopt_turn_solve for each, in the same order on all ranks. Ranks that share call it
   twice. In the first pass (ig_topopt_turn_first) each solves its own systems, and nothing but
   their right sides has to be made; in the second all solutions are there. */
typedef ig_status ig_topopt_pass(ig_topopt_design *s, void *user, ig_evaluation *e);
IG_MUST_CHECK ig_status ig_topopt_turns_take(ig_topopt_design *s, ig_topopt_pass *pass, void *user,
                                             ig_evaluation *e);
static inline bool ig_topopt_turn_first(const ig_topopt_design *s) {
  return s->turns.first;
}
/* Whether the right side of the next system has to be made by this rank in this pass. */
bool ig_topopt_turn_mine(const ig_topopt_design *s);
void ig_topopt_turns_free(ig_topopt_design *s);
/* Solves the next system, or takes note of what another rank found; f NULL: there is no load, or
   the system is not this rank's. */
IG_MUST_CHECK ig_status ig_topopt_turn_solve(ig_topopt_design *s, const double *f, double *state,
                                             ig_evaluation *e);
/* The same by another solver than that of the body's linear systems; whether its solution will do
   is left to the caller, who has `report` after the second pass. */
typedef ig_status ig_topopt_turn_solver(ig_topopt_design *s, void *user, const double *f,
                                        double *state, ig_solve_report *report);
IG_MUST_CHECK ig_status ig_topopt_turn_solve_by(ig_topopt_design *s, ig_topopt_turn_solver *solver,
                                                void *user, const double *f, double *state,
                                                ig_solve_report *report);
/* What the owner of system k knows to all. */
IG_MUST_CHECK ig_status ig_topopt_systems_hand(ig_topopt_design *s, int k, void *bytes,
                                               size_t size);
/* Whether ranks take turns at systems: not where all have their part of every one. */
bool ig_topopt_systems_shared(const ig_topopt_design *s);

#endif
