/* Internal forces and products with the tangent: each rank computes its elements, then all get the
   sums at all nodes. */
#include "stress/model.h"

static ig_status forces(ig_stress *m, bool past) {
  IG_TRY(m->ops->force(m->cx, &m->args, &m->plan, past, m->u.dev, m->force.dev));
  return ig_stress_nodes_join(m, 3 * sizeof(double), m->force.dev);
}

ig_status ig_stress_forces(ig_stress *m) {
  return forces(m, false);
}

ig_status ig_stress_forces_past(ig_stress *m) {
  return forces(m, true);
}

ig_status ig_stress_product(ig_stress *m, const double *x, double *y) {
  IG_TRY(m->ops->product(m->cx, &m->args, &m->plan, x, y));
  return ig_stress_nodes_join(m, 3 * sizeof *y, y);
}
