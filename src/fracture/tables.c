/* The model's tables: made, found by name, copied, made larger. */
#include "fracture/tables.h"

#include <string.h>

static size_t table_rows(const ig_frac_model *m, ig_frac_per per) {
  switch (per) {
  case IG_FRAC_PER_ELEMENT:
    return (size_t)m->s.ne;
  case IG_FRAC_PER_NODE:
    return (size_t)m->s.node_max;
  case IG_FRAC_PER_COHESIVE:
    return (size_t)m->s.coh_max;
  case IG_FRAC_PER_LOAD:
    return (size_t)m->s.drive.loads_on;
  default:
    return 1;
  }
}

ig_status ig_frac_table_add(ig_frac_model *m, const char *name, void *at, ig_frac_per per,
                            int64_t width, size_t size, int flags) {
  ig_frac_table *t = &m->table[m->tables];
  const size_t rows = table_rows(m, per);
  t->name = name;
  t->per = per;
  t->width = (int)width;
  t->saved = flags & SAVED;
  t->at = at;
  IG_TRY(flags & DEVICE_ONLY ? ig_array_new_device(m->cx, &t->a, rows * (size_t)width, size, name)
                             : ig_array_new(m->cx, &t->a, rows * (size_t)width, size, name));
  m->tables++;
  *t->at = t->a.dev;
  return per == IG_FRAC_ONE ? ig_array_zero(m->cx, &t->a) : IG_OK;
}

ig_frac_table *ig_frac_table_find(ig_frac_model *m, const char *name) {
  for (int i = 0; i < m->tables; i++)
    if (strcmp(m->table[i].name, name) == 0)
      return &m->table[i];
  return NULL;
}

void *ig_frac_model_host(ig_frac_model *m, const char *name) {
  return ig_frac_table_find(m, name)->a.host;
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

ig_status ig_frac_model_pull(ig_frac_model *m, const char *name, void **host) {
  ig_frac_table *t = ig_frac_table_find(m, name);
  IG_TRY(ig_array_pull(m->cx, &t->a));
  *host = t->a.host;
  return IG_OK;
}

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
  for (int i = 0; i < m->tables; i++) {
    ig_frac_table *t = &m->table[i];
    if (t->per != IG_FRAC_PER_NODE && t->per != IG_FRAC_PER_COHESIVE)
      continue;
    IG_TRY(ig_array_grow(m->cx, &t->a, table_rows(m, t->per) * (size_t)t->width));
    *t->at = t->a.dev;
  }
  IG_TRY(ig_array_zero(m->cx, &ig_frac_table_find(m, "touch")->a));
  if (m->s.surface.on)
    IG_TRY(ig_array_zero(m->cx, &ig_frac_table_find(m, "skin")->a));
  ig_frac_graph_drop(m);
  m->count.full = 0;
  return ig_frac_count_push(m);
}

double ig_frac_model_growth(const ig_frac_model *m) {
  double bytes = 0;
  for (int i = 0; i < m->tables; i++) {
    const ig_frac_table *t = &m->table[i];
    const int64_t rows = t->per == IG_FRAC_PER_NODE       ? (int64_t)m->s.ne * m->shape.nodes
                         : t->per == IG_FRAC_PER_COHESIVE ? m->facets
                                                          : 0;
    if (rows > (int64_t)table_rows(m, t->per))
      bytes += (double)(rows - (int64_t)table_rows(m, t->per)) * t->width * (double)t->a.size;
  }
  return bytes;
}

ig_status ig_frac_model_resume(ig_frac_model *m, const ig_frac_count *count) {
  m->count = *count;
  m->count.broken = 0;
  m->begun = false;
  return ig_frac_tables_grow(m);
}
