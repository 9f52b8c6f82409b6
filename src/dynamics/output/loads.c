/* Loads and supports as they act when a snapshot is taken: loads.csv (model/loads.h). Weight is
   left out: it acts on every particle. */
#include "dynamics/model/part.h"
#include "dynamics/model/solids.h"
#include "dynamics/run.h"
#include "model/loads.h"

#include <stdlib.h>

/* A particle's place at the start, its load, and the components that supports hold or lead. */
enum { PLACE = 0, LOAD = 3, HELD = 6, ROW = 7 };

typedef struct {
  const ig_dyn_model *m;
  ig_loads to;
  double *pushed; /* nodes x 3: pressures on solids of statics; NULL: none */
} listing;

static void particle_row(void *user, int64_t n, double *row) {
  const ig_dyn_model *m = ((const listing *)user)->m;
  const double *pushed = ((const listing *)user)->pushed;
  const int32_t kind = m->held.move.host ? ((const int32_t *)m->held.move.host)[n] : 0;
  unsigned held = 0;
  for (int c = 0; c < 3; c++) {
    row[PLACE + c] = m->x0[3 * n + c];
    row[LOAD + c] = m->load.count ? ig_dyn_get(m, &m->load, m->p.dofs * n + c) : 0;
    row[LOAD + c] += pushed ? pushed[3 * n + c] : 0;
    if (kind > 0 && ((const ig_dyn_motion *)m->held.motion.host)[kind].kind[c] != IG_MOVE_FREE)
      held |= 1U << c;
  }
  row[HELD] = held;
}

static void particle_add(void *user, const double *row) {
  ig_loads *to = &((listing *)user)->to;
  if (row[LOAD] != 0 || row[LOAD + 1] != 0 || row[LOAD + 2] != 0)
    ig_loads_add(to, row + PLACE, 1, row + LOAD);
  if (row[HELD] != 0)
    ig_loads_hold(to, row + PLACE, (unsigned)row[HELD]);
}

ig_status ig_dyn_loads_put(ig_dyn_job *r, ig_sink *to) {
  ig_dyn_model *m = r->m;
  listing l = {m, {.cx = m->cx}, NULL};
  if (!to || !to->file) /* on all ranks, or on none */
    return IG_OK;
  ig_status status = m->load.count ? ig_array_pull(m->cx, &m->load) : IG_OK;
  if (status == IG_OK && m->solids)
    status = IG_NEW(m->cx, &l.pushed, 3 * (size_t)m->p.nodes + 1, "loads");
  if (l.pushed)
    ig_dyn_solids_pushed(m, ig_dyn_clock_of(r)->time, true, l.pushed);
  status = ig_dyn_particles_add(m, status, ROW, particle_row, particle_add, &l);
  if (status == IG_OK && ig_ranks_first(m->cx))
    status = ig_loads_put(&l.to, to);
  free(l.to.text.at);
  free(l.pushed);
  return ig_dyn_agree(m, status);
}
