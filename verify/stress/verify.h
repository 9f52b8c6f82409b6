/* Verification of the stress room: exact and published figures. */
#ifndef IG_STRESS_VERIFY_H
#define IG_STRESS_VERIFY_H

#include "verify/stress/problem.h"
#include "verify/verify.h"

/* In functions with an ig_status `status` and a label `done`. */
#define TRY(call) IG_TRY_GOTO(status, done, call)
#define T_START 293.15 /* K */

static inline void ig_stress_row(const ig_verify_sink *sink, const char *quantity,
                                 const char *source, double expected, double computed,
                                 double tolerance, bool relative) {
  sink->row(sink->user,
            &(ig_verify_row){quantity, source, expected, computed, tolerance, relative});
}

/* verify.c */
ig_status ig_stress_verify_blocks(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_bars(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_satoh(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_law.c */
ig_status ig_stress_verify_law(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_creep(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_newton(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_tet.c */
ig_status ig_stress_verify_tet(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_turn.c */
ig_status ig_stress_verify_turn(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_bend.c */
ig_status ig_stress_verify_bend(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_element(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_phase.c */
ig_status ig_stress_verify_phase(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_limit.c */
ig_status ig_stress_verify_limit(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_inclusion(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_tear.c */
ig_status ig_stress_verify_tear(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_cell.c */
ig_status ig_stress_verify_cell(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_track.c */
ig_status ig_stress_verify_track(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_round.c */
ig_status ig_stress_verify_sphere_heat(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_cylinder_heat(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_sphere_cycle(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_sphere_pressure(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_grow.c */
ig_status ig_stress_verify_plate(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_bimetal(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_column(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_rings(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_wall(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_strips(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_born(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_stress_verify_misfit(ig_ctx *cx, const ig_verify_sink *sink);

/* verify_round.c: an eighth of a hollow sphere between radii a and b, n x n elements on each of
   three patches, its planes of symmetry held; faces `inside`. */
IG_MUST_CHECK ig_status ig_stress_sphere_new(ig_ctx *cx, ig_stress_problem *q, double a, double b,
                                             int n, int layers);

#endif
