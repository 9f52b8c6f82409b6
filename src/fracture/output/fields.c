/* What other programs read and change: motions, loads. */
#include "fracture/run.h"
#include "fracture/engine/tables.h"

#include <string.h>

/* Nodes are those there are now; their number grows as cracks open. */
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
                       .count = ig_frac_counts(m)->nodes,
                       .writable = true,
                       /* in parts, on ranks: see get */
                       .dev = m->part.ranks > 1 ? NULL : ig_arrays_at(&m->arrays, table[i])->dev,
                       .stride = {m->shape.dim * size, size}};
  return true;
}

static const char *table_of(const char *name) {
  return strcmp(name, "velocity") == 0 ? "v" : "u";
}

ig_status ig_frac_field_get(ig_frac_model *m, const char *name, double *values) {
  return ig_arrays_get(&m->arrays, table_of(name), values);
}

/* Kinetic + strain + work of cohesive elements - external work: constant but for errors. */
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

/* The energy that comes with it counts as there from the start; forces are computed anew. */
ig_status ig_frac_field_set(ig_frac_model *m, ig_frac_track *track, const char *name,
                            const double *values) {
  double before, after;
  IG_TRY(total_now(m, &before));
  IG_TRY(ig_ranks_agree(m->cx, ig_arrays_set(&m->arrays, table_of(name), values)));
  m->part.unseen = true; /* which surfaces are near may have changed */
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

/* Fixed components have support -1 and are not scaled. */
ig_status ig_frac_support_scale(ig_frac_model *m, int support, double factor) {
  for (int i = 0; i < m->motions; i++)
    if (m->s.drive.motion[i].support == support)
      m->s.drive.motion[i].value = factor * m->s.drive.motion[i].given;
  ig_frac_graph_drop(m); /* it holds the former ones */
  return IG_OK;
}
