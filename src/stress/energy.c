/* The energy balance of a part that grows, is heated, yields and is cut. */
#include "stress/model.h"

#include <string.h>

ig_status ig_stress_energy_before(ig_stress *m, double *stored) {
  return ig_stress_value_sums(m, IG_VALUE_STORED, stored);
}

ig_status ig_stress_energy_after(ig_stress *m, double stored, bool cut) {
  double now;
  IG_TRY(ig_stress_value_sums(m, IG_VALUE_STORED, &now));
  m->balance.stored += now - stored;
  *(cut ? &m->balance.released : &m->balance.annealed) += stored - now;
  m->balance.cut |= cut;
  return IG_OK;
}

/* Work of loads and of what holds nodes, with the mean of the forces at both ends of the step. */
static double outer_work(ig_stress *m, const double *u, const double *old) {
  ig_stress_balance *b = &m->balance;
  const double *force = m->force.host, *load = m->load.host;
  const uint8_t *fix = m->fix.host;
  double work = 0;
  for (int64_t i = 0; i < 3 * (int64_t)m->nodes; i++) {
    const double way = u[i] - old[i];
    double f = b->load[i] + load[i];
    if (fix[i / 3] >> (i % 3) & 1)
      f = b->force[i] + force[i];
    work += 0.5 * f * way;
    b->force[i] = force[i];
    b->load[i] = load[i];
  }
  return work;
}

ig_status ig_stress_energies(ig_stress *m) {
  ig_stress_balance *b = &m->balance;
  double sum[IG_ENERGIES];
  IG_TRY(ig_stress_value_sums(m, IG_VALUE_ENERGY, sum));
  IG_TRY(ig_array_pull(m->cx, &m->force));
  IG_TRY(ig_array_pull(m->cx, &m->u));
  IG_TRY(ig_array_pull(m->cx, &m->work.old));
  const double work = outer_work(m, m->u.host, m->work.old.host);
  const double off = sum[0] - work; /* deformation without work from outside */
  b->work += work;
  *(b->cut ? &b->released : &b->missing) -= off;
  b->cut = false;
  b->dissipated += sum[2];
  b->heat += sum[3];
  b->stored = sum[1] - sum[4];
  b->annealed += sum[4];
  return IG_OK;
}
