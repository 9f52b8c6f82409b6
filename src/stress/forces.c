/* Internal forces and products with the tangent: each rank computes its elements, then all get the
   sums at all nodes. */
#include "stress/model.h"

#include "kern/prec_f64.h"

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

ig_mesh_args ig_stress_elastic_body(const ig_stress *m, const ig_plan *plan, const double *x) {
  return (ig_mesh_args){.scatter = ig_plan_view(plan),
                        .x = x,
                        .size = 3,
                        .shear = hooke_shear_f64(m->material.poisson),
                        .lame = hooke_lame_f64(m->material.poisson)};
}
