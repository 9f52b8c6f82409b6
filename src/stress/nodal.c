/* Stresses at nodes: those of the integration points, which make the forces of an element,
   continued to its nodes and averaged over the elements of one material that are there. */
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "stress/run.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const ig_stress *m;
  ig_nodal *all;
} adding;

static ig_status take(void *user, ig_lid begin, ig_lid count, const double *value) {
  adding *a = user;
  const ig_stress *m = a->m;
  const ig_solid_kind kind = m->type == IG_TET10 ? IG_SOLID_TET10 : IG_SOLID_HEX8;
  const uint8_t *alive = m->alive.host, *law = m->material.law.host;
  for (ig_lid e = begin; e < begin + count; e++, value += IG_STRESS_POINTS)
    if (alive[e])
      IG_TRY(
          ig_nodal_add_solid(a->all, kind, NULL, m->conn + m->npe * (int64_t)e, law[e], value, 6));
  return IG_OK;
}

ig_status ig_stress_nodal_find(ig_stress *m, ig_nodal *all) {
  adding a = {m, all};
  ig_status status = IG_OK;
  if (ig_ranks_first(m->cx))
    status = ig_nodal_new(m->cx, m->nodes, false, all);
  if (ig_stress_divided(m))
    status = ig_ranks_agree(m->cx, status);
  return status == IG_OK ? ig_stress_values_take(m, IG_VALUE_POINTS, false, take, &a) : status;
}

ig_status ig_stress_nodal_results(ig_stress_run *r, ig_sink *to) {
  ig_stress *m = r->m;
  const double *x = m->mesh->x;
  ig_nodal all = {0};
  ig_nodal_peak peak = {.node = -1};
  ig_status status = ig_stress_nodal_find(m, &all);
  for (ig_lid n = 0; n < all.nodes && status == IG_OK; n++) {
    ig_nodal_stress s;
    ig_nodal_get(&all, n, &s);
    ig_nodal_peak_take(&peak, s.mises, x + 3 * (int64_t)n, n);
  }
  ig_nodal_free(&all);
  IG_TRY(status);
  return ig_nodal_peak_put(to, &peak);
}
