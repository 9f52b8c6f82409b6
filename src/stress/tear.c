/* Supports that tear off. An element of a `tearing` set is removed once its mean stress, by the
   measure of its set, reaches the strength there. What it carried goes over to its neighbours,
   which may tear in their turn: elements are removed and equilibrium is found again at the same
   temperatures and loads until no element is above its strength.

   In each round the elements that are furthest above their strength go, and those within a tenth of
   them: all of a row that tears as a whole at once, and not those that the first ones relieve. */
#include "stress/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest principal value of xx yy zz xy yz zx, by Cardano's formula in the invariants of the
   deviator; atan2 is accurate near equal values. */
static double principal_largest(const double t[6]) {
  const double mean = (t[0] + t[1] + t[2]) / 3, a = t[0] - mean, b = t[1] - mean, c = t[2] - mean;
  const double j2 = 0.5 * (a * a + b * b + c * c) + t[3] * t[3] + t[4] * t[4] + t[5] * t[5];
  const double j3 =
      a * b * c + 2 * t[3] * t[4] * t[5] - a * t[4] * t[4] - b * t[5] * t[5] - c * t[3] * t[3];
  const double radius = sqrt(j2 / 3), cube = 2 * radius * radius * radius;
  const double cosine = cube > 0 ? fmax(fmin(j3 / cube, 1), -1) : 1;
  return mean + 2 * radius * cos(atan2(sqrt(fmax(1 - cosine * cosine, 0)), cosine) / 3);
}

/* Tension and shear across horizontal planes. */
static double traction(const double t[6]) {
  return sqrt(t[4] * t[4] + t[5] * t[5] + (t[2] > 0 ? t[2] * t[2] : 0));
}

/* Stress over strength of elements of the part; 0: never above it. */
static ig_status level_make(void *user, ig_lid begin, ig_lid count, void *rows) {
  const ig_stress *m = user;
  const uint8_t *alive = m->alive.host;
  double *level = rows;
  for (ig_lid i = 0; i < count; i++) {
    const ig_lid e = ig_stress_element(m, begin + i);
    const double *stress = m->report + IG_STRESS_REPORT * (int64_t)(begin + i);
    level[i] = 0;
    if (alive[e] && ig_stress_can_tear(m, e))
      level[i] = (m->tears.principal[e] ? principal_largest(stress) : traction(stress)) /
                 m->tears.strength[e];
  }
  return IG_OK;
}

static ig_status level_take(void *user, ig_lid begin, ig_lid count, const void *rows) {
  const ig_stress *m = user;
  memcpy(m->tears.level + begin, rows, sizeof(double) * (size_t)count);
  return IG_OK;
}

/* The first element that tears is reported with its place. */
static void first_report(ig_stress *m, ig_lid e, double time, int layer) {
  ig_stress_torn *t = &m->tears.torn;
  char where[32] = "";
  t->layer = layer;
  t->time = time;
  t->stress = m->tears.level[e] * m->tears.strength[e];
  for (int i = 0; i < 3 * m->npe; i++)
    t->place[i % 3] +=
        m->mesh->x[3 * (int64_t)m->conn[m->npe * (int64_t)e + i / 3] + i % 3] / m->npe;
  if (layer > 0)
    snprintf(where, sizeof where, " in layer %d", layer);
  ig_warn(m->cx,
          "a support tears off at (%.4g, %.4g, %.4g) m%s, at %.4g s: its stress is %.3g Pa, its "
          "strength %.3g Pa (figure torn_elements, field torn)",
          t->place[0], t->place[1], t->place[2], where, time, t->stress, m->tears.strength[e]);
}

/* What it takes to pull the part up off the supports that are left, all of them at once: strength
   times area of the faces on which the part lies, as seen from above. */
double ig_stress_removal_force(const ig_stress *m) {
  const uint8_t *alive = m->alive.host;
  double force = 0;
  for (int64_t i = 0; i < m->faces * (int64_t)m->elements; i++) {
    const ig_lid e = (ig_lid)(i / m->faces), on = m->adjacency.neighbor[i];
    const int *c = ig_elem_face(m->type, (int)(i % m->faces));
    const ig_lid *node = m->conn + m->npe * (int64_t)e;
    if (on < 0 || !alive[e] || !alive[on] || !ig_stress_can_tear(m, e) || ig_stress_can_tear(m, on))
      continue;
    const double *x[4];
    for (int k = 0; k < 4; k++)
      x[k] = m->mesh->x + 3 * (int64_t)node[c[m->type == IG_HEX8 ? k : k % 3]];
    /* upward component of the outward normal, by the diagonals; a triangle's fourth corner is its
       first */
    const double area = 0.5 * ((x[2][0] - x[0][0]) * (x[3][1] - x[1][1]) -
                               (x[2][1] - x[0][1]) * (x[3][0] - x[1][0]));
    force += m->tears.strength[e] * fmax(area, 0);
  }
  return force;
}

/* One round: *any: something has torn. */
static ig_status tear_round(ig_stress *m, const ig_stress_goal *at, ig_lid *list, bool *any) {
  const double *level = m->tears.level;
  double worst = 0;
  ig_lid first = 0, count = 0;
  IG_TRY(ig_stress_report(m));
  IG_TRY(ig_stress_elements_flow(
      m, &(ig_stress_flow){sizeof *level, level_make, level_take, m, true}));
  for (ig_lid e = 0; e < m->elements; e++)
    if (level[e] > worst) {
      worst = level[e];
      first = e;
    }
  *any = worst >= 1;
  if (!*any)
    return IG_OK;
  if (m->tears.torn.elements == 0)
    first_report(m, first, at->time, m->tears.now);
  for (ig_lid e = 0; e < m->elements; e++)
    if (level[e] >= fmax(1, 0.9 * worst))
      list[count++] = e;
  IG_TRY(ig_stress_tear_off(m, list, count));
  IG_TRY(ig_stress_system_change(m, false));
  return ig_stress_advance(m, at);
}

/* A signal is answered when the last round is done: a step whose first equilibrium is behind it
   cannot go back. */
ig_status ig_stress_tear(ig_stress *m, const ig_stress_goal *done, int layer) {
  ig_stress_goal at = *done;
  ig_lid *list;
  bool any = true, asked = false;
  at.T0 = at.T1;
  at.warmer0 = at.warmer1;
  at.share0 = at.share1;
  at.dt = 0;
  if (!m->tears.strength)
    return IG_OK;
  m->tears.now = layer;
  IG_TRY(IG_NEW(m->cx, &list, m->elements, "torn elements"));
  ig_status status = IG_OK;
  while (any && status == IG_OK) {
    status = tear_round(m, &at, list, &any);
    while (status == IG_INTERRUPTED && !m->cx->ranks) {
      asked = true;
      m->cx->interrupted = 0;
      status = ig_stress_advance(m, &at);
    }
  }
  free(list);
  if (asked)
    m->cx->interrupted = 1;
  return status;
}
