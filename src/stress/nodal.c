/* Stresses at nodes: those of the integration points, which make the forces of an element,
   continued to its nodes and averaged over the elements of one material that are there. */
#include "solid/nodal.h"
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "stress/run.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const ig_stress *m;
  ig_nodal all;
} adding;

static ig_status take(void *user, ig_lid begin, ig_lid count, const double *value) {
  adding *a = user;
  const ig_stress *m = a->m;
  const ig_solid_kind kind = m->type == IG_TET10 ? IG_SOLID_TET10 : IG_SOLID_HEX8;
  const uint8_t *alive = m->alive.host, *law = m->material.law.host;
  for (ig_lid e = begin; e < begin + count; e++, value += IG_STRESS_POINTS)
    if (alive[e])
      IG_TRY(
          ig_nodal_add_solid(&a->all, kind, NULL, m->conn + m->npe * (int64_t)e, law[e], value, 6));
  return IG_OK;
}

/* On the first rank. Collective. all: to be freed with ig_nodal_free, also after a failure. */
static ig_status nodal_find(ig_stress *m, adding *a) {
  ig_status status = IG_OK;
  a->m = m;
  if (ig_ranks_first(m->cx))
    status = ig_nodal_new(m->cx, m->nodes, false, &a->all);
  IG_TRY(ig_ranks_agree(m->cx, status));
  return ig_stress_values_take(m, IG_VALUE_POINTS, false, take, a);
}

ig_status ig_stress_nodal_add(ig_stress_run *r, ig_snapshot *snap) {
  ig_stress *m = r->m;
  adding a = {0};
  double *stress = NULL, *mises = NULL;
  if (!ig_nodal_wanted(r->job->output))
    return IG_OK;
  ig_status status = nodal_find(m, &a);
  const bool shows = ig_ranks_first(m->cx) && status == IG_OK;
  if (shows && ig_output_wants(r->job->output, "nodal_stress"))
    status = ig_snapshot_add(snap, "nodal_stress", "Pa", IG_AT_POINTS, IG_F64, 6, NULL,
                             (void **)&stress);
  if (shows && status == IG_OK && ig_output_wants(r->job->output, "nodal_von_mises"))
    status = ig_snapshot_add(snap, "nodal_von_mises", "Pa", IG_AT_POINTS, IG_F64, 1, NULL,
                             (void **)&mises);
  for (ig_lid n = 0; n < m->nodes && shows && status == IG_OK; n++) {
    ig_nodal_stress s;
    ig_nodal_get(&a.all, n, &s);
    if (stress)
      memcpy(stress + 6 * (int64_t)n, s.stress, sizeof s.stress);
    if (mises)
      mises[n] = s.mises;
  }
  ig_nodal_free(&a.all);
  return status;
}

ig_status ig_stress_nodal_results(ig_stress_run *r, ig_sink *to) {
  ig_stress *m = r->m;
  const double *x = m->x.host;
  adding a = {0};
  ig_nodal_peak peak = {.node = -1};
  ig_status status = nodal_find(m, &a);
  for (ig_lid n = 0; n < a.all.nodes && status == IG_OK; n++) {
    ig_nodal_stress s;
    ig_nodal_get(&a.all, n, &s);
    ig_nodal_peak_take(&peak, s.mises, x + 3 * (int64_t)n, n);
  }
  ig_nodal_free(&a.all);
  IG_TRY(status);
  return ig_nodal_peak_put(to, &peak);
}
