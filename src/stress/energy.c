/* The energy balance of a part that grows, is heated, yields and is cut; the terms are defined
   at ig_stress_balance in model.h. It is a check of the whole chain of law, forces and solver:
   each term is summed on its own, and `missing` is what does not cancel. Called by newton.c once
   per piece of a step and by grow.c around births, resets and cuts. */
#include "stress/model.h"

#include <math.h>
#include <string.h>

ig_status ig_stress_energy_before(ig_stress *m, double *stored) {
  return ig_stress_value_sums(m, IG_VALUE_STORED, stored);
}

/* Energy that disappeared with elements or points between _before and now. The next step also
   releases what they held in balance; `cut` and `reset` make ig_stress_energies account for
   that. */
ig_status ig_stress_energy_after(ig_stress *m, double stored, bool cut) {
  double now;
  IG_TRY(ig_stress_value_sums(m, IG_VALUE_STORED, &now));
  m->balance.stored += now - stored;
  *(cut ? &m->balance.released : &m->balance.annealed) += stored - now;
  m->balance.flow += fabs(stored - now);
  m->balance.cut |= cut;
  m->balance.reset |= !cut && stored != now;
  return IG_OK;
}

/* Forces of the stress at the last equilibrium, with the temperatures of then (past = true),
   copied to the host. Must be called after births and resets and before Newton's method. */
ig_status ig_stress_energy_start(ig_stress *m) {
  IG_TRY(ig_stress_forces_past(m));
  IG_TRY(ig_array_pull(m->cx, &m->force));
  memcpy(m->balance.force, m->force.host, 3 * sizeof(double) * (size_t)m->nodes);
  return IG_OK;
}

/* Work of loads and of what holds nodes, with the mean of the forces at both ends of the step; and
   that of the forces out of balance at its start. */
static double outer_work(ig_stress *m, const double *u, const double *old, double *loose,
                         double *inner) {
  ig_stress_balance *b = &m->balance;
  const double *force = m->force.host, *load = m->load.host;
  const uint8_t *fix = m->fix.host;
  const bool loads = m->c->loads.count > 0; /* else both stay zero, and take no memory */
  double work = 0;
  *loose = *inner = 0;
  for (int64_t i = 0; i < 3 * (int64_t)m->nodes; i++) {
    const double way = u[i] - old[i];
    *inner += 0.5 * (b->force[i] + force[i]) * way;
    /* at a prescribed component the force of the support is the internal force itself */
    if (fix[i / 3] >> (i % 3) & 1)
      work += 0.5 * (b->force[i] + force[i]) * way;
    else {
      work += 0.5 * (b->load[i] + load[i]) * way;
      *loose += 0.5 * (b->force[i] - b->load[i]) * way;
    }
    if (loads)
      b->load[i] = load[i];
  }
  return work;
}

/* After Newton's method has converged and before history moves on: sums of all elements, work of
   supports and loads. What a cut or reset left out of balance goes to its loss, the rest to
   `missing`. */
ig_status ig_stress_energies(ig_stress *m) {
  ig_stress_balance *b = &m->balance;
  double sum[IG_ENERGIES], loose, inner;
  IG_TRY(ig_stress_value_sums(m, IG_VALUE_ENERGY, sum));
  IG_TRY(ig_array_pull(m->cx, &m->force));
  IG_TRY(ig_array_pull(m->cx, &m->u));
  IG_TRY(ig_array_pull(m->cx, &m->work.old));
  double work = outer_work(m, m->u.host, m->work.old.host, &loose, &inner);
  /* forces of rotating elements are not straight along a step, and neither is the way: of such a
     step the work of the stresses is the better value, which in equilibrium is that from outside */
  if (m->turn.dev)
    work += sum[0] - inner;
  const bool lost = b->cut || b->reset;
  if (lost)
    *(b->cut ? &b->released : &b->annealed) -= loose;
  b->missing -= sum[0] - work - (lost ? loose : 0);
  b->cut = false;
  b->reset = false;
  b->work += work;
  b->dissipated += sum[2];
  b->heat += sum[3];
  b->stored = sum[1];
  b->flow += fabs(work) + fabs(sum[3]) + fabs(sum[2]) + (lost ? fabs(loose) : 0);
  return IG_OK;
}

/* The denominator has a lower bound, m->energy: of a part without loads only rounding flows, and
   its share of itself means nothing. Above 5 % the run fails, above 0.1 % a warning is given at
   the end. */
ig_status ig_stress_energy_check(const ig_stress *m, bool end) {
  const double part = fabs(m->balance.missing) / fmax(m->balance.flow, m->energy);
  if (part > 0.05)
    return IG_FAIL(
        m->cx, IG_NUMERIC,
        "the energy balance is off by %.2g %% of what flowed (%.3g of %.3g J): the steps "
        "are not in equilibrium; take a smaller solver.tolerance",
        100 * part, m->balance.missing, m->balance.flow);
  if (end && part > 1e-3)
    ig_warn(m->cx,
            "the energy balance is off by %.2g %% of what flowed (%.3g of %.3g J): take "
            "a smaller solver.tolerance",
            100 * part, m->balance.missing, m->balance.flow);
  return IG_OK;
}
