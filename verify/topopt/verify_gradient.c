/* Gradients of the first design of a cantilever, through a density filter. */
#include "verify/gradient/gradient.h"
#include "verify/topopt/verify.h"

static const char grid[] = "{elements: [12, 6, 3], size: [120 mm, 60 mm, 30 mm]}";
static const char steel[] =
    "[{name: s, density: 7800, mechanical: {young: 200 GPa, poisson: 0.3}}]";
static const char supports[] = "[{box: {min: [0, 0, 0], max: [0, 60 mm, 30 mm]}}]";
static const char loads[] =
    "[{box: {min: [120 mm, 0, 0], max: [120 mm, 0, 30 mm]}, force: [0, -900 N, 200 N]}]";
#define CANTILEVER                                                                                 \
  "physics", "topopt", "grid", grid, "materials", steel, "supports", supports, "loads", loads,     \
      "filter", "{kind: density, radius: 15 mm}", "penalty", "2.5"

ig_status ig_topopt_verify_gradient(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const set[] = {CANTILEVER, NULL};
  static const char *const key[] = {"materials[0].mechanical.young",
                                    "materials[0].mechanical.poisson",
                                    "loads[0].force[1]",
                                    "loads[0].force[2]",
                                    "penalty",
                                    NULL};
  static const char *const linear[] = {"design", NULL};
  const ig_verify_gradient g = {set, "objective", key, set, "volume", linear, 1e-12};
  (void)cx;
  return ig_verify_gradients(&g, sink);
}
