/* Gradients of a bar that bends far, and of its work at small displacements. */
#include "verify/gradient/gradient.h"
#include "verify/structure/verify.h"

static const char boxes[] =
    "{boxes: [{name: bar, size: [100 mm, 10 mm, 10 mm], cells: [6, 2, 2]}]}";
static const char steel[] = "[{name: s, mechanical: {young: 200 GPa, poisson: 0.3}}]";
static const char loads[] = "[{set: xmax, force: [0, 0, -600 N]}, {set: zmax, pressure: 1 MPa}]";
#define BAR                                                                                        \
  "physics", "structure", "mesh", boxes, "materials", steel, "supports",                           \
      "[{set: xmin, fix: x y z}]", "loads", loads, "analysis"

ig_status ig_structure_verify_gradient(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *const set[] = {BAR, "[{kind: static, duration: 1 s, large: true}]", NULL};
  static const char *const linear_set[] = {BAR, "[{kind: static, duration: 1 s}]", NULL};
  static const char *const key[] = {"materials[0].mechanical.young",
                                    "materials[0].mechanical.poisson",
                                    "loads[0].force[2]",
                                    "loads[1].pressure",
                                    "mesh.boxes[0].size[0]",
                                    NULL};
  static const char *const linear[] = {"loads[0].force[2]", "loads[1].pressure", NULL};
  const ig_verify_gradient g = {
      set, "displacement(xmax, z)", key, linear_set, "displacement(xmax, z)", linear, 1e-9};
  (void)cx;
  return ig_verify_gradients(&g, sink);
}
