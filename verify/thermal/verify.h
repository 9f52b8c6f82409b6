/* What the room's verification problems share. */
#ifndef IG_THERMAL_VERIFY_H
#define IG_THERMAL_VERIFY_H

#include "verify/thermal/problem.h"
#include "verify/verify.h"

void ig_verify_say(const ig_verify_sink *sink, const char *quantity, const char *source,
                   double expected, double computed, double tolerance, bool relative);
extern const char *const ig_verify_precision[], *const ig_verify_form[]; /* their names */

/* verify_slab.c */
ig_status ig_verify_slab(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_dwell(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_beam.c */
ig_status ig_verify_beam(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_sources(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_lasers(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_ambench(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_melt.c */
ig_status ig_verify_stefan(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_latent(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_powder(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_solidification(ig_ctx *cx, const ig_verify_sink *sink);

IG_MUST_CHECK ig_status ig_thermal_verify_gradient(ig_ctx *cx, const ig_verify_sink *sink);

#endif
