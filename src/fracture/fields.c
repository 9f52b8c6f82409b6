/* What other programs read and change: motions, loads. */
#include "fracture/part.h"
#include "fracture/run.h"
#include "fracture/tables.h"

#include <string.h>

bool ig_frac_field(ig_frac_model *m, int i, ig_room_field *f) {
  static const char *const name[] = {"displacement", "velocity"}, *const unit[] = {"m", "m/s"};
  static const char *const table[] = {"u", "v"};
  if (i > 1)
    return false;
  const int64_t size = m->wide ? 8 : 4;
  *f = (ig_room_field){.name = name[i],
                       .unit = unit[i],
                       .where = IG_AT_POINTS,
                       .dtype = m->wide ? IG_F64 : IG_F32,
                       .components = m->shape.dim,
                       .count = m->count.nodes,
                       .writable = true,
                       /* in parts, on ranks: see get */
                       .dev = m->divided ? NULL : ig_arrays_at(&m->arrays, table[i])->dev,
                       .stride = {m->shape.dim * size, size}};
  return true;
}

/* Values of nodes on their way to the first rank. */
typedef struct {
  const ig_frac_model *q;
  const void *host;
  double *values;
} getting;

static void values_row(void *user, int64_t n, void *row) {
  const getting *g = user;
  const int dim = g->q->shape.dim;
  for (int d = 0; d < dim; d++)
    ((double *)row)[d] = ig_frac_model_real(g->q, g->host, (int64_t)n * dim + d);
}

static ig_status values_put(void *user, const void *rows, int64_t first, int64_t count) {
  const getting *g = user;
  const int dim = g->q->shape.dim;
  memcpy(g->values + first * dim, rows, (size_t)(count * dim) * sizeof *g->values);
  return IG_OK;
}

ig_status ig_frac_field_get(ig_frac_model *m, const char *name, double *values) {
  const size_t row = (size_t)m->shape.dim * sizeof *values;
  getting g = {.q = ig_frac_holder(m), .values = values};
  void *host = NULL;
  const ig_status pulled =
      ig_frac_model_pull(ig_frac_holder(m), strcmp(name, "velocity") == 0 ? "v" : "u", &host);
  g.host = host;
  IG_TRY(ig_frac_stream(m, IG_FRAC_PER_NODE, row, values_row, values_put, &g, pulled));
  return ig_ranks_share(m->cx, 0, values, (size_t)m->count.nodes * row);
}

static ig_status total(ig_frac_model *m, double *energy) {
  double f[IG_FRAC_FIGURES];
  IG_TRY(ig_frac_model_figures(m, f));
  *energy = f[IG_FRAC_KINETIC] + f[IG_FRAC_STRAIN] + f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_EXTERNAL];
  return IG_OK;
}

/* The energy as it stands. A check that is due waits: it would split nodes, for which a program
   that sets values has none. */
static ig_status total_now(ig_frac_model *m, double *energy) {
  const int every = m->check_every;
  m->check_every = 0;
  const ig_status status = total(m, energy);
  m->check_every = every;
  return status;
}

/* On ranks own nodes take theirs, and ghosts those of their owners. */
static ig_status table_set(ig_frac_model *m, const char *name, const double *values) {
  ig_frac_model *q = ig_frac_holder(m);
  ig_frac_part *p = m->divided;
  const int dim = m->shape.dim;
  void *host = NULL;
  ig_status status = ig_frac_model_pull(q, name, &host);
  for (int32_t n = 0; n < q->count.nodes && status == IG_OK; n++)
    for (int d = 0; d < dim && (!p || p->owner[p->origin[n]] == p->rank); d++)
      ig_frac_model_put(m, host, (int64_t)n * dim + d,
                        values[(int64_t)ig_frac_node_number(m, n) * dim + d]);
  if (status == IG_OK)
    status = ig_array_push(m->cx, ig_arrays_at(&q->arrays, name));
  if (!p)
    return status;
  p->unseen = true; /* what lies near what may be another */
  return ig_halo_refresh(m->cx, &p->halo[IG_FRAC_FAR], ig_arrays_at(&q->arrays, name)->dev,
                         (size_t)dim * (m->wide ? 8 : 4), status);
}

/* The energy that comes with it counts as there from the start; forces are computed anew. */
ig_status ig_frac_field_set(ig_frac_model *m, ig_frac_track *track, const char *name,
                            const double *values) {
  const char *table = strcmp(name, "velocity") == 0 ? "v" : "u";
  double before, after;
  IG_TRY(total_now(m, &before));
  IG_TRY(ig_ranks_agree(m->cx, table_set(m, table, values)));
  m->begun = false;
  IG_TRY(total(m, &after));
  if (track->started)
    track->energy0 += after - before;
  return IG_OK;
}

ig_status ig_frac_load_scale(ig_frac_model *m, int load, double factor) {
  if (load >= m->loads)
    return IG_FAIL(m->cx, IG_INPUT, "there is no load %d: the case has %d", load, m->loads);
  for (int d = 0; d < 3; d++)
    m->s.drive.load[load].value[d] = factor * m->load_given[load][d];
  ig_frac_graph_drop(m); /* it holds the former ones */
  return IG_OK;
}

ig_status ig_frac_support_scale(ig_frac_model *m, int support, double factor) {
  for (int i = 0; i < m->motions; i++)
    if (m->s.drive.motion[i].support == support)
      m->s.drive.motion[i].value = factor * m->s.drive.motion[i].given;
  ig_frac_graph_drop(m); /* it holds the former ones */
  return IG_OK;
}
