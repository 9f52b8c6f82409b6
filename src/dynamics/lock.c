/* Quadrilateral shells that bend in their plane. Their membranes are those of triangles of constant
   strain: where the corners move as u = q xi eta, which is how an element of 2a x 2b bends in its
   plane, they store t 2ab q^2 (E' / a^2 + G / b^2), a third of which, without the shear and with E
   for E' = E / (1 - nu^2), would be right. */
#include "dynamics/run.h"
#include "dynamics/model.h"

#include "kern/prec_f64.h"

#include <math.h>

/* Amplitudes of that motion along the element's own axes, and half its sides, from its corners. */
static void bend_of(const double x[4][3], double q[2], double side[2]) {
  double g[2][3], h[3], n[3], e[2][3];
  for (int c = 0; c < 3; c++) {
    g[0][c] = (x[1][c] + x[2][c] - x[0][c] - x[3][c]) / 4;
    g[1][c] = (x[2][c] + x[3][c] - x[0][c] - x[1][c]) / 4;
    h[c] = (x[0][c] - x[1][c] + x[2][c] - x[3][c]) / 4;
  }
  cross_f64(g[0], g[1], n);
  cross_f64(n, g[0], e[1]);
  side[0] = sqrt(dot_f64(g[0], g[0]));
  side[1] = sqrt(dot_f64(n, n)) / side[0];
  q[0] = dot_f64(h, g[0]) / side[0];
  q[1] = dot_f64(h, e[1]) / sqrt(dot_f64(e[1], e[1]));
}

static double excess_of(const ig_dyn_model *m, const ig_dyn_group *g, const int32_t *node) {
  const mech_f64 *k = &g->g_f64.mat;
  double start[4][3], now[4][3], q0[2], q[2], side[2], sum = 0;
  for (int i = 0; i < 12; i++) {
    start[i / 3][i % 3] = m->x0[3 * (int64_t)node[i / 3] + i % 3];
    now[i / 3][i % 3] = ig_dyn_get(m, &m->x, 3 * (int64_t)node[i / 3] + i % 3);
  }
  bend_of(now, q, side);
  bend_of(start, q0, side);
  for (int d = 0; d < 2; d++) {
    const double a = side[d], b = side[1 - d], plane = k->young / (1 - k->poisson * k->poisson);
    sum += g->g_f64.thickness * 2 * a * b * pow(q[d] - q0[d], 2) *
           ((plane - k->young / 3) / (a * a) + k->shear / (b * b));
  }
  return sum;
}

void ig_dyn_lock_warn(const ig_dyn_job *r, double internal) {
  const ig_dyn_model *m = r->m;
  double excess = 0;
  for (int i = 0; i < m->groups && !m->divided; i++) {
    const ig_dyn_group *g = &m->group[i];
    for (ig_lid s = 0; g->kind == IG_DYN_QUAD && s < g->slots; s++)
      if (g->element[s] >= 0)
        excess += excess_of(m, g, (const int32_t *)g->conn.host + 4 * (int64_t)s);
  }
  if (excess > 0.05 * internal && excess < internal)
    ig_warn_at(r->job->cx, &r->c->at,
               "shells bend in their plane, for which quad4 elements are too stiff: these store "
               "%.0f %% of the energy that should not be there, so that the model is about %.2g "
               "times too stiff; take more elements across (twice as many: a quarter of it), or "
               "solids",
               100 * excess / internal, internal / (internal - excess));
}
