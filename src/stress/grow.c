/* Elements come and go: births (with the place of their nodes), resets of molten points,
   removal. Each of these changes the stored energy, which is booked by energy.c. After births
   and removals the caller renews the system (ig_stress_system_change). */
#include "stress/model.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The node that a new node lies above: the node of its edge below it that is there already, over as
   many new ones as there are between; tetrahedra have no upright edges, and all pairs of their
   nodes count. from[n]: that node; itself where it is there; -1: none. */
static ig_status nodes_below(ig_stress *m, const ig_lid *list, ig_lid count, const uint8_t *there,
                             ig_lid *from) {
  /* pairs of corners along the edges, lower corner first in the element's own order */
  static const int edge[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                  {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  const double *x = m->mesh->x;
  /* An edge counts as upright when it is steeper than 45 degrees. The loop repeats until nothing
     changes, so that several new layers of elements at once inherit from the same old node. */
  for (ig_lid n = 0; n < m->nodes; n++)
    from[n] = there[n] ? n : -1;
  for (bool more = true; more;) {
    more = false;
    for (ig_lid i = 0; i < count; i++) {
      const ig_lid *c = m->conn + m->npe * (int64_t)list[i];
      const int pairs = m->npe == 8 ? 24 : m->npe * m->npe;
      for (int k = 0; k < pairs; k++) {
        const ig_lid n = c[m->npe == 8 ? edge[k / 2][k % 2] : k / m->npe],
                     o = c[m->npe == 8 ? edge[k / 2][1 - k % 2] : k % m->npe];
        const double *a = x + 3 * (int64_t)n, *b = x + 3 * (int64_t)o;
        const double side = hypot(a[0] - b[0], a[1] - b[1]);
        if (there[n] || from[n] >= 0 || from[o] < 0 || !(a[2] - b[2] > side))
          continue;
        from[n] = from[o];
        more = true;
      }
    }
  }
  return IG_OK;
}

/* Nothing tells a machine that the part has grown through the level of the next layer. */
static void warn_above(ig_stress *m, const double *x, double above) {
  if (!m->stood_above)
    ig_warn(m->cx,
            "the part stands %.3g m above the new layer at (%.4g, %.4g, %.4g) m: a recoater would "
            "touch it there",
            above, x[0], x[1], x[2]);
  m->stood_above = true;
}

/* Displacement of the new node n, which lies above the node `below` (-1: above none). */
static void node_place(ig_stress *m, int64_t n, int64_t below, int new_nodes, double *u) {
  const double *x = m->mesh->x, *base = u + 3 * below;
  double *v = u + 3 * n;
  v[0] = v[1] = v[2] = 0;
  if (below < 0 || new_nodes == IG_NODES_UNDEFORMED)
    return;
  if (new_nodes == IG_NODES_DEFORMED) {
    v[0] = base[0];
    v[1] = base[1];
  }
  if (new_nodes != IG_NODES_LEVEL) {
    v[2] = base[2];
    return;
  }
  const double above = x[3 * below + 2] + base[2] - x[3 * n + 2];
  if (above > 0) {
    v[2] = above;
    warn_above(m, x + 3 * n, above);
  }
}

/* Displacements of all nodes that no living element has, before `list` becomes alive. */
static ig_status nodes_place(ig_stress *m, const ig_lid *list, ig_lid count, int new_nodes) {
  ig_ctx *cx = m->cx;
  const uint8_t *alive = m->alive.host;
  uint8_t *there = m->scratch;
  ig_lid *from = NULL;
  memset(there, 0, (size_t)m->nodes);
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (alive[i / m->npe])
      there[m->conn[i]] = 1;
  IG_TRY(IG_NEW(cx, &from, m->nodes, "births"));
  ig_status status = ig_array_pull(m->cx, &m->u);
  if (status == IG_OK)
    status = nodes_below(m, list, count, there, from);
  for (int64_t i = 0; status == IG_OK && i < m->npe * (int64_t)count; i++) {
    const int64_t n = m->conn[m->npe * (int64_t)list[i / m->npe] + i % m->npe];
    if (!there[n])
      node_place(m, n, from[n], new_nodes, m->u.host);
  }
  free(from);
  return status == IG_OK ? ig_array_push(cx, &m->u) : status;
}

/* Places new nodes, marks the elements alive and sets the reference of their points. With total
   strain (reference: nominal) they are born stressed, which is booked as annealed energy. */
ig_status ig_stress_birth(ig_stress *m, const ig_lid *list, const double *birth, ig_lid count,
                          int new_nodes) {
  ig_ctx *cx = m->cx;
  uint8_t *alive = m->alive.host;
  double stored = 0;
  if (count == 0)
    return IG_OK;
  if (m->args.nominal) /* it is born with stress */
    IG_TRY(ig_stress_energy_before(m, &stored));
  IG_TRY(nodes_place(m, list, count, new_nodes));
  for (ig_lid i = 0; i < count; i++)
    alive[list[i]] = 1;
  IG_TRY(ig_stress_elements_push(m, &m->alive));
  /* lists differ in length from birth to birth: new arrays each time */
  ig_lid own;
  ig_array_free(cx, &m->work.list);
  ig_array_free(cx, &m->work.birth);
  IG_TRY(ig_array_new(cx, &m->work.list, (size_t)count, sizeof *list, "births"));
  IG_TRY(ig_array_new(cx, &m->work.birth, (size_t)count, sizeof *birth, "births"));
  ig_stress_elements_choose(m, list, birth, count, m->work.list.host, m->work.birth.host, &own);
  IG_TRY(ig_array_push(cx, &m->work.list));
  IG_TRY(ig_array_push(cx, &m->work.birth));
  IG_TRY(m->ops->wipe(cx, &m->args, m->u.dev, false, m->work.list.dev, m->work.birth.dev, own));
  return m->args.nominal ? ig_stress_energy_after(m, stored, false) : IG_OK;
}

/* Whether an element is, was or has been in between as hot as its annealing temperature. */
static ig_status any_hot(ig_stress *m, const double *T, const double *past, bool *hot) {
  const ig_stress_law *laws = m->material.laws.host;
  const uint8_t *law = m->material.law.host, *alive = m->alive.host;
  const double *warmer = m->warmer.host, *excess = m->work.excess.host;
  *hot = false;
  IG_TRY(ig_array_pull(m->cx, &m->work.warmer_past));
  const double *warmer_past = m->work.warmer_past.host;
  for (ig_lid i = 0; i < m->part.elements && !*hot; i++) {
    const ig_lid e = ig_stress_element(m, i);
    for (int a = 0; alive[e] && laws[law[e]].anneal < IG_UNBOUNDED && a < m->npe; a++) {
      const ig_lid n = m->conn[m->npe * (int64_t)e + a];
      *hot |= fmax(T[n] + warmer[i], past[n] + warmer_past[i]) + excess[i] >= laws[law[e]].anneal;
    }
  }
  return ig_stress_divided(m) ? ig_ranks_agree_any(m->cx, IG_OK, hot) : IG_OK;
}

/* Cheap tests on the host come first: most steps of most cases melt nothing. */
ig_status ig_stress_anneal(ig_stress *m) {
  const ig_stress_law *laws = m->material.laws.host;
  double stored;
  bool hot = false;
  for (size_t i = 0; i < m->material.laws.count; i++)
    hot |= laws[i].anneal < IG_UNBOUNDED;
  if (!hot)
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->work.T_past));
  IG_TRY(any_hot(m, m->T.host, m->work.T_past.host, &hot));
  if (!hot)
    return IG_OK;
  IG_TRY(ig_array_push(m->cx, &m->work.excess));
  IG_TRY(ig_stress_energy_before(m, &stored));
  IG_TRY(m->ops->wipe(m->cx, &m->args, m->u.dev, true, NULL, m->work.excess.dev, m->part.elements));
  memset(m->work.excess.host, 0, (size_t)m->part.elements * sizeof(double));
  return ig_stress_energy_after(m, stored, false);
}

ig_status ig_stress_remove(ig_stress *m, const ig_lid *list, ig_lid count) {
  uint8_t *alive = m->alive.host;
  double stored;
  IG_TRY(ig_stress_energy_before(m, &stored));
  for (ig_lid i = 0; i < count; i++)
    alive[list[i]] = 0;
  IG_TRY(ig_stress_elements_push(m, &m->alive));
  return ig_stress_energy_after(m, stored, true);
}

/* Removes elements; what is left of their nodes keeps the number of the layer. */
ig_status ig_stress_tear_off(ig_stress *m, const ig_lid *list, ig_lid count) {
  for (int64_t i = 0; i < m->npe * (int64_t)count; i++)
    m->tears.layer[m->conn[m->npe * (int64_t)list[i / m->npe] + i % m->npe]] = m->tears.now;
  m->tears.torn.elements += count;
  return ig_stress_remove(m, list, count);
}
