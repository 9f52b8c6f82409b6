/* Verification of the structure room: exact and published figures. */
#ifndef IG_STRUCTURE_VERIFY_H
#define IG_STRUCTURE_VERIFY_H

#include "verify/structure/problem.h"
#include "verify/verify.h"

#define IG_PI 3.14159265358979323846

static inline void ig_structure_verify_row(const ig_verify_sink *sink, const char *quantity,
                                           const char *source, double expected, double computed,
                                           double tolerance) {
  sink->row(sink->user,
            &(ig_verify_row){quantity, source, expected, computed, tolerance, expected != 0});
}

/* verify_solids.c */
ig_status ig_structure_verify_beams(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_curved(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_plates(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_twisted(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_cook(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_cylinder(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_plastic(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_modes(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_column(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_shells.c */
ig_status ig_structure_verify_roof(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_hemisphere(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_bowl(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_snap(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_snap_back(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_contact.c */
ig_status ig_structure_verify_patch(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_hertz(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_punch(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_ironing(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_nafems.c */
ig_status ig_structure_verify_nafems(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_nafems_heat(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_plate_buckling(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_sze.c */
ig_status ig_structure_verify_strip(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_slit(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_creep.c */
ig_status ig_structure_verify_creep(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_elements.c */
ig_status ig_structure_verify_tangents(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_structure_verify_newton(ig_ctx *cx, const ig_verify_sink *sink);

IG_MUST_CHECK ig_status ig_structure_verify_gradient(ig_ctx *cx, const ig_verify_sink *sink);

#endif
