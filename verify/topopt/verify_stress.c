/* Verification of stresses: uniform tension, and a bound on the L-bracket. */
#include "backend/backend.h"
#include "topopt/design/stress.h"
#include "verify/topopt/verify.h"

#include <stdio.h>

/* A bar of section 2 x 3 (or of height 2, thickness 0.1) under 6: stress 1 (or 30), in gray
   material of density x: 1 / x in what is there, times x^relaxation. */
static ig_status verify_tension(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *text;
    double stress;
  } bars[] = {
      {"plane, thickness 0.1",
       "grid: {elements: [6, 4, 0], size: [3, 2, 0], thickness: 0.1}, supports: [{box: {max: [0, "
       "9]}, fix: x}, {box: {max: [0, 0]}, fix: y}], loads: [{box: {min: [3, 0]}, force: [6, 0, "
       "0], spread: faces}], volume: 1",
       30},
      {"plane strain, thickness 0.1", /* times the root of 1 - nu + nu^2 */
       "plane: strain, grid: {elements: [6, 4, 0], size: [3, 2, 0], thickness: 0.1}, supports: "
       "[{box: {max: [0, 9]}, fix: x}, {box: {max: [0, 0]}, fix: y}], loads: [{box: {min: [3, 0]}, "
       "force: [6, 0, 0], spread: faces}], volume: 1",
       30 * 0.88881944173155891},
      {"space",
       "grid: {elements: [5, 4, 3], size: [5, 2, 3]}, supports: [{box: {max: [0, 9, 9]}, "
       "fix: x}, {box: {max: [0, 0, 9]}, fix: y}, {box: {max: [0, 9, 0]}, fix: z}], "
       "loads: [{box: {min: [5, 0, 0]}, force: [6, 0, 0], spread: faces}], volume: 1",
       1},
      {"space, density 0.25, penalty 1, relaxation 0.5",
       "grid: {elements: [5, 4, 3], size: [5, 2, 3]}, supports: [{box: {max: [0, 9, 9]}, fix: x}, "
       "{box: {max: [0, 0, 9]}, fix: y}, {box: {max: [0, 9, 0]}, fix: z}], loads: [{box: {min: [5, "
       "0, 0]}, force: [6, 0, 0], spread: faces}], volume: 0.25, penalty: 1, void_ratio: 1e-15",
       2}};
  for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
    char text[800];
    ig_topopt_problem t;
    ig_evaluation e = {0};
    snprintf(text, sizeof text,
             "{%s, minimise: stress, filter: {kind: none}, solver: {tolerance: 1e-12}}",
             bars[i].text);
    IG_TRY(ig_topopt_problem_open(cx, text, &t));
    ig_topopt_design_continue(&t.c, 1, &e);
    const ig_status status = ig_topopt_design_evaluate(t.s, &e);
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    snprintf(text, sizeof text, "largest stress of a bar under tension, %s", bars[i].name);
    row(sink, text, "force over section", bars[i].stress, e.peak[IG_LIMITS], 1e-9, true);
  }
  return IG_OK;
}

/* The same bar in space, stress 1 or -1 under the largest load, a bound of 2: (1 - R)/2 |s| + k (1
   + R)/2 s over it. */
static ig_status verify_cycles(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name, *source, *cycle;
    double force, value;
  } bars[] = {{"to and fro", "force over section", "{ratio: -1}", 6, 0.5},
              {"tension on and off, after Goodman", "s / 2 S + s / 2 U", "{ratio: 0, ultimate: 5}",
               6, 1 / 4. + 1 / 10.},
              {"pressure on and off, after Goodman", "s / 2 S - s / 2 U", "{ratio: 0, ultimate: 5}",
               -6, 1 / 4. - 1 / 10.},
              {"tension from 0.5, after Sines", "(1 - R) s / 2 S + k (1 + R) s / 2 S",
               "{ratio: 0.5, mean_stress: 0.2}", 6, (0.25 + 0.2 * 0.75) / 2},
              {"pressure whose mean heals all", "0", "{ratio: 0.5, mean_stress: 0.5}", -6, 0}};
  for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
    char text[800];
    ig_topopt_problem t;
    ig_evaluation e = {0};
    snprintf(
        text, sizeof text,
        "{grid: {elements: [5, 4, 3], size: [5, 2, 3]}, supports: [{box: {max: [0, 9, 9]}, fix: "
        "x}, {box: {max: [0, 0, 9]}, fix: y}, {box: {max: [0, 9, 0]}, fix: z}], loads: [{box: "
        "{min: [5, 0, 0]}, force: [%g, 0, 0], spread: faces}], volume: 1, constraints: "
        "[{stress: 2, cycle: %s}], filter: {kind: none}, solver: {tolerance: 1e-12}}",
        bars[i].force, bars[i].cycle);
    IG_TRY(ig_topopt_problem_open(cx, text, &t));
    ig_topopt_design_continue(&t.c, 1, &e);
    const ig_status status = ig_topopt_design_evaluate(t.s, &e);
    ig_topopt_problem_close(&t);
    IG_TRY(status);
    snprintf(text, sizeof text, "a bar in cycles over its bound: %s", bars[i].name);
    row(sink, text, bars[i].source, bars[i].value, e.peak[0], 1e-9, bars[i].value != 0);
  }
  return IG_OK;
}

#define BRACKET                                                                                    \
  "grid: {elements: [60, 60, 0]}, supports: [{box: {min: [0, 60], max: [24, 60]}}], loads: "       \
  "[{box: {min: [57, 24], max: [60, 24]}, force: [0, -1, 0]}], passive: [{box: {min: [24, 24], "   \
  "max: [60, 60]}, as: void}], sets: [{name: load, box: {min: [54, 19], max: [60, 24]}}], "        \
  "volume: 0.3, filter: {kind: density, radius: 2.4}, optimiser: {method: mma, move_limit: 0.1}, " \
  "stress: {exclude: [load], exponent: 12}"

static ig_status bracket(ig_ctx *cx, const char *more, ig_evaluation *e) {
  char text[900];
  ig_topopt_problem t;
  snprintf(text, sizeof text, "{" BRACKET ", %s}", more);
  IG_TRY(ig_topopt_problem_open(cx, text, &t));
  ig_status status = IG_OK;
  for (int i = 1; i <= 120 && status == IG_OK; i++)
    status = ig_topopt_problem_iterate(&t, i, e);
  if (status == IG_OK)
    status = ig_topopt_design_evaluate(t.s, e);
  ig_topopt_problem_close(&t);
  return status;
}

ig_status ig_topopt_verify_stress(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(verify_cycles(cx, sink));
  ig_evaluation stiff = {0}, bounded = {0}, least = {0};
  char text[80];
  IG_TRY(verify_tension(cx, sink));
  IG_TRY(bracket(cx, "constraints: [{stress: 1e9}]", &stiff));
  const double peak = stiff.peak[0] * 1e9;
  snprintf(text, sizeof text, "constraints: [{stress: %.17g}]", 0.8 * peak);
  IG_TRY(bracket(cx, text, &bounded));
  row(sink, "L-bracket: stress over its bound, four fifths of the stiffest design's", "bound met",
      1, bounded.peak[0], 0.02, true);
  row(sink, "L-bracket: volume of the design with that bound", "bound met", 0.3, bounded.volume,
      2e-3, true);
  row(sink, "L-bracket: compliance over the stiffest design's", "no more than a quarter above", 1.1,
      bounded.objective / stiff.objective, 0.15, false);
  IG_TRY(bracket(cx, "minimise: stress", &least));
  row(sink, "L-bracket: least stress over the stiffest design's, same volume", "below 0.8", 0.4,
      least.peak[IG_LIMITS] / peak, 0.4, false);
  return IG_OK;
}
