/* Elements come and go. */
#include "stress/model.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a newborn node stands: on the node of its edge below it that is there already, over as many
   newborn ones as there are between; else where it was drawn. from[n]: the node it follows. */
static ig_status nodes_follow(ig_stress *m, const ig_lid *list, ig_lid count, const uint8_t *there,
                              ig_lid *from) {
  /* pairs of corners along the edges, lower corner first in the element's own order */
  static const int edge[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                  {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  const double *x = m->mesh->x;
  for (ig_lid n = 0; n < m->nodes; n++)
    from[n] = there[n] ? n : -1;
  for (bool more = true; more;) {
    more = false;
    for (ig_lid i = 0; i < count; i++) {
      const ig_lid *c = m->conn + 8 * (int64_t)list[i];
      for (int k = 0; k < 24; k++) {
        const ig_lid n = c[edge[k / 2][k % 2]], o = c[edge[k / 2][1 - k % 2]];
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

static ig_status nodes_place(ig_stress *m, const ig_lid *list, ig_lid count, int newborn) {
  ig_ctx *cx = m->cx;
  const uint8_t *alive = m->alive.host;
  uint8_t *there = m->scratch;
  ig_lid *from = NULL;
  double *u = m->u.host;
  memset(there, 0, (size_t)m->nodes);
  for (int64_t i = 0; i < 8 * (int64_t)m->elements; i++)
    if (alive[i / 8])
      there[m->conn[i]] = 1;
  IG_TRY(IG_NEW(cx, &from, m->nodes, "births"));
  ig_status status = ig_array_pull(cx, &m->u);
  if (status == IG_OK && newborn == IG_NEWBORN_FOLLOW)
    status = nodes_follow(m, list, count, there, from);
  for (ig_lid i = 0; status == IG_OK && i < 8 * count; i++) {
    const int64_t n = m->conn[8 * (int64_t)list[i / 8] + i % 8];
    if (there[n])
      continue;
    for (int d = 0; d < 3; d++)
      u[3 * n + d] = newborn == IG_NEWBORN_FOLLOW && from[n] >= 0 ? u[3 * (int64_t)from[n] + d] : 0;
  }
  free(from);
  return status == IG_OK ? ig_array_push(cx, &m->u) : status;
}

ig_status ig_stress_birth(ig_stress *m, const ig_lid *list, const double *birth, ig_lid count,
                          int newborn) {
  ig_ctx *cx = m->cx;
  uint8_t *alive = m->alive.host;
  if (count == 0)
    return IG_OK;
  IG_TRY(nodes_place(m, list, count, newborn));
  for (ig_lid i = 0; i < count; i++)
    alive[list[i]] = 1;
  IG_TRY(ig_array_push(cx, &m->alive));
  ig_array_free(cx, &m->work.list);
  ig_array_free(cx, &m->work.birth);
  IG_TRY(ig_array_from(cx, &m->work.list, list, (size_t)count, sizeof *list, "births"));
  IG_TRY(ig_array_from(cx, &m->work.birth, birth, (size_t)count, sizeof *birth, "births"));
  return m->ops->wipe(cx, &m->args, m->u.dev, NULL, m->work.list.dev, m->work.birth.dev, count);
}

ig_status ig_stress_remove(ig_stress *m, const ig_lid *list, ig_lid count) {
  uint8_t *alive = m->alive.host;
  double stored;
  IG_TRY(ig_stress_energy_before(m, &stored));
  for (ig_lid i = 0; i < count; i++)
    alive[list[i]] = 0;
  IG_TRY(ig_array_push(m->cx, &m->alive));
  return ig_stress_energy_after(m, stored, true);
}
