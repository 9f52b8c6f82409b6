/* One step: loads, motion, forces of elements, in the order of Tang et al. (2020). The order of
   passes is drawn at the head of dynamics.h; on several ranks

     part_ready ─► move ─► watch ─► halo start ─► elements without ghosts ─► halo finish ─►
       shift ghosts by their velocities ─► elements at the border

   On one rank no element is at the border, and nothing is exchanged. All passes are enqueued on the
   backend; the host does not wait, so that steps can be recorded as a graph. */
#include "dynamics/model/part.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"

#include <limits.h>

/* Whether no group has elements: then no pass moves the clock, and the host does. */
static bool is_empty(const ig_dyn_model *m) {
  for (int k = 0; k < m->groups; k++)
    if (m->group[k].count > 0)
      return false;
  return true;
}

/* On ranks ig_dyn_part_ready has found which elements hold. */
ig_status ig_dyn_contact_now(ig_dyn_model *m, const ig_dyn_particles *p) {
  if (p->contact.surfaces == 0)
    return IG_OK;
  if (p->erosion.alive && ig_dyn_alone(m))
    IG_TRY(ig_dyn_alive_now(m));
  return m->ops->contact(m->cx, p);
}

/* First half of a step: loads at t, contact at x(t), particles, bodies and ties to t + dt.
   `commit`: contact memory moves on with it. */
ig_status ig_dyn_move(ig_dyn_model *m) {
  ig_dyn_particles p = m->p;
  /* the start, or after a restart: forces lie in f */
  p.slots.gather = ig_dyn_slotted(m) && !m->fresh;
  if (p.nodes == 0)
    return IG_OK;
  if (p.loads.count > 0)
    IG_TRY(m->ops->loads(m->cx, &p));
  p.contact.commit = 1;
  IG_TRY(ig_dyn_contact_now(m, &p));
  IG_TRY(m->ops->particles(m->cx, &p));
  if (p.bodies.count > 0)
    IG_TRY(m->ops->bodies(m->cx, &p, true));
  if (p.ties.count > 0)
    IG_TRY(m->ops->ties(m->cx, &p));
  return IG_OK;
}

/* Ranges of all groups from `first` to before `last`. */
static ig_status ranges_force(ig_dyn_model *m, int first, int last) {
  ig_dyn_particles p = m->p;
  p.slots.gather = ig_dyn_slotted(m) && !m->fresh;
  for (int k = 0; k < m->groups; k++)
    for (int c = first; c < m->group[k].colors && c < last; c++)
      if (ig_dyn_has_elements(&m->group[k], c)) {
        const ig_dyn_range range = ig_dyn_range_of(m, &m->group[k], c);
        IG_TRY(m->ops->elements(m->cx, &p, &range));
      }
  return IG_OK;
}

/* Element forces where particles are now. Ghosts travel while elements without them are computed.
   All ranks call it, also one that has failed (`status`): the others wait for its messages. */
ig_status ig_dyn_forces(ig_dyn_model *m, ig_status status) {
  ig_halo *halo = &m->division->halo;
  /* places of carried particles travel in the same message, after the velocities (split) */
  const ig_halo_array ghosts[] = {{m->v.dev, 3 * m->part}, {m->x.dev, 3 * m->part}};
  const bool alone = ig_dyn_alone(m);
  if (!alone)
    status = ig_halo_start(m->cx, halo, ghosts, 2, status);
  if (status == IG_OK)
    status = ranges_force(m, 0, ig_dyn_inner_ranges(m));
  if (!alone)
    status = ig_halo_finish(m->cx, halo, ghosts, 2, status);
  if (status == IG_OK && m->p.own.shifts)
    status = m->ops->shift(m->cx, &m->p);
  if (status == IG_OK)
    status = ranges_force(m, ig_dyn_inner_ranges(m), INT_MAX);
  IG_TRY(status);
  m->fresh = false;
  if (!is_empty(m))
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  ig_dyn_tick(m->clock.host);
  return ig_array_push(m->cx, &m->clock);
}

ig_status ig_dyn_step_once(ig_dyn_model *m, ig_status status) {
  status = ig_dyn_part_ready(m, status);
  if (status == IG_OK)
    status = ig_dyn_move(m);
  if (status == IG_OK)
    status = ig_dyn_part_watch(m);
  return ig_dyn_forces(m, status);
}

/* Conditions of ig_dyn_ops.joined: one group in clusters, and nothing that must see all
   particles between forces and motion. */
bool ig_dyn_joins(const ig_dyn_model *m) {
  const ig_dyn_particles *p = &m->p;
  if (!m->ops->joined || m->assembly != IG_CLUSTER || m->groups != 1 || !ig_dyn_alone(m) ||
      p->contact.surfaces || p->tools || p->bodies.count || p->ties.count || p->erosion.alive ||
      p->bound || is_empty(m))
    return false;
  const ig_dyn_group *g = &m->group[0];
#define X(kind, type, particles, freedoms, family, size, text) freedoms,
  static const int freedoms_of[] = {IG_DYN_ELEMENTS(X)};
#undef X
#define X(k, l)                                                                                    \
  if (g->kind == IG_DYN_##k && g->law == IG_LAW_##l)                                               \
    return p->dofs == freedoms_of[g->kind];
  IG_DYN_JOINED(X)
#undef X
  return false;
}
