/* The model's tables: made, found by name, copied, made larger.

   Counts live on the device (ig_frac_count); the host's copy is only as fresh as the last pull.
   Any change of an array's address makes a recorded graph invalid (ig_frac_graph_drop). */
#include "fracture/engine/tables.h"

#include <string.h>

ig_status ig_frac_arrays_add(ig_frac_model *m, const ig_array_def *def, int count) {
  for (int i = 0; i < count; i++) {
    ig_array_def bytes = def[i];
    bytes.dtype = IG_U8; /* in a checkpoint */
    IG_TRY(ig_arrays_add(&m->arrays, &bytes, 1));
  }
  return IG_OK;
}

double ig_frac_model_real(const ig_frac_model *m, const void *p, int64_t i) {
  return m->wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
void ig_frac_model_put(const ig_frac_model *m, void *p, int64_t i, double value) {
  if (m->wide)
    ((double *)p)[i] = value;
  else
    ((float *)p)[i] = (float)value;
}

/* Waits for the device. */
ig_status ig_frac_count_pull(ig_frac_model *m) {
  IG_TRY(m->cx->backend->copy_out(m->cx, &m->count, m->s.count, sizeof m->count));
  return IG_OK;
}
ig_status ig_frac_count_push(ig_frac_model *m) {
  return m->cx->backend->copy_in(m->cx, m->s.count, &m->count, sizeof m->count);
}

void ig_frac_graph_drop(ig_frac_model *m) {
  if (m->graph)
    m->cx->backend->graph_free(m->cx, m->graph);
  m->graph = NULL;
}

/* n, c: what is certain to be needed after the facets that were marked; at least half as much
   again (nodes) or twice (cohesive elements), at most what a mesh fully apart has. Flags of
   touched nodes are cleared, since the insertion is repeated from its check. */
ig_status ig_frac_tables_grow(ig_frac_model *m) {
  const int64_t all = (int64_t)m->s.ne * m->shape.nodes + m->s.bare;
  int64_t n = m->count.nodes + (int64_t)m->count.broken * m->shape.face_nodes;
  int64_t c = m->count.cohesive + (int64_t)m->count.broken;
  if (n <= m->s.node_max)
    n = m->s.node_max;
  else if (n < m->s.node_max + (int64_t)m->s.node_max / 2)
    n = m->s.node_max + (int64_t)m->s.node_max / 2;
  if (n > all)
    n = all > m->s.node_max ? all : m->s.node_max;
  if (c <= m->s.coh_max)
    c = m->s.coh_max;
  else if (c < 2 * (int64_t)m->s.coh_max)
    c = 2 * (int64_t)m->s.coh_max;
  if (n > INT32_MAX || c > INT32_MAX)
    return IG_FAIL(m->cx, IG_MEMORY, "the cracked mesh needs more than 2^31 nodes");
  m->s.node_max = (int32_t)n;
  m->s.coh_max = (int32_t)c;
  IG_TRY(ig_arrays_grow(&m->arrays, IG_FRAC_PER_NODE));
  IG_TRY(ig_arrays_grow(&m->arrays, IG_FRAC_PER_COHESIVE));
  IG_TRY(ig_array_zero(m->cx, ig_arrays_at(&m->arrays, "touch")));
  if (m->s.surface.on)
    IG_TRY(ig_array_zero(m->cx, ig_arrays_at(&m->arrays, "skin")));
  ig_frac_graph_drop(m);
  m->count.full = 0;
  return ig_frac_count_push(m);
}

/* For `ingot check`: memory beyond the present if every facet opens. */
double ig_frac_model_growth(const ig_frac_model *m) {
  const int64_t nodes = (int64_t)m->s.ne * m->shape.nodes - m->s.node_max,
                cohesive = m->facets - m->s.coh_max;
  return (nodes > 0 ? ig_arrays_bytes_of(&m->arrays, IG_FRAC_PER_NODE, nodes) : 0) +
         (cohesive > 0 ? ig_arrays_bytes_of(&m->arrays, IG_FRAC_PER_COHESIVE, cohesive) : 0);
}
