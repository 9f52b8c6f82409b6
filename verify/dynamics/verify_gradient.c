/* Gradients of a bar that is struck, loaded and damped; of its linear motion at small strain. */
#include "verify/dynamics/verify.h"
#include "verify/gradient/gradient.h"

static const char boxes[] = "{boxes: [{name: bar, size: [60 mm, 20 mm, 20 mm], cells: [6, 2, 2]}]}";
static const char steel[] =
    "[{name: s, density: 7800, mechanical: {young: 200 GPa, poisson: 0.3}}]";
static const char analysis[] =
    "[{kind: dynamic, duration: 24 us, time_step: 0.4 us, damping: 500}]";
#define BAR "physics", "dynamics", "mesh", boxes, "analysis", analysis, "supports"
ig_status ig_dyn_verify_gradient(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const set[] = {
      BAR,         "[{set: xmin, fix: x y z}]",
      "loads",     "[{set: zmax, pressure: 60 MPa, history: [[0 s, 0], [20 us, 1]]}]",
      "initial",   "[{set: xmax, velocity: [-15 m/s, 4 m/s, 0]}]",
      "materials", steel,
      NULL};
  /* its motion across is odd in the velocity: linear to the square of the strain, 1e-11 */
  static const char *const linear_set[] = {BAR,         "[{set: xmin, fix: x y z}]",
                                           "initial",   "[{set: xmax, velocity: [0, 0.01 m/s, 0]}]",
                                           "materials", steel,
                                           NULL};
  static const char *const key[] = {
      "materials[0].mechanical.young", "materials[0].mechanical.poisson",
      "materials[0].density",          "loads[0].pressure",
      "initial[0].velocity[0]",        "analysis[0].damping",
      "mesh.boxes[0].size[0]",         NULL};
  static const char *const linear[] = {"initial_velocities", NULL};
  const ig_verify_gradient g = {set, "mean(energy)", key, linear_set, "velocity(xmax, y)", linear,
                                1e-9};
  (void)cx;
  return ig_verify_gradients(&g, sink);
}
