/* What the verification problems of this room share. */
#ifndef IG_FRAC_VERIFY_H
#define IG_FRAC_VERIFY_H

#include "verify/fracture/problem.h"
#include "verify/verify.h"

static inline void row(const ig_verify_sink *sink, const char *quantity, const char *source,
                       double expected, double computed, double tolerance, bool relative) {
  sink->row(sink->user, &(ig_verify_row){.quantity = quantity,
                                         .source = source,
                                         .expected = expected,
                                         .computed = computed,
                                         .tolerance = tolerance,
                                         .relative = relative});
}

IG_MUST_CHECK ig_status ig_frac_verify_laws(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_separation(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_insertion(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_insertion_large(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_insertion_3d(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_friction(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_impact(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_strip_elastic(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_strip(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_refinement(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_ring(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_kalthoff(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_mott(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_frac_verify_backends(ig_ctx *cx, const ig_verify_sink *sink);

#endif
