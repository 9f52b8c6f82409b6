/* A divided model: its state on rank 0, in the order of the whole. */
#include "fracture/part.h"

#include <stdlib.h>
#include <string.h>

/* --- what was opened */

ig_status ig_frac_opened_add(ig_frac_model *m, const int32_t *facet, int64_t count) {
  ig_frac_opened *o = &m->divided->opened;
  const int64_t before = o->checks ? o->start[o->checks] : 0;
  int32_t *more = realloc(o->facet, (size_t)(before + count) * sizeof *more);
  if (more)
    o->facet = more;
  int64_t *start = realloc(o->start, (size_t)(o->checks + 2) * sizeof *start);
  if (start)
    o->start = start;
  if (!more || !start)
    return IG_FAIL(m->cx, IG_MEMORY, "no memory for the facets that were opened");
  memcpy(more + before, facet, (size_t)count * sizeof *more);
  start[o->checks++] = before;
  start[o->checks] = before + count;
  return IG_OK;
}

/* Opens in the whole what was opened in the parts, check by check: nodes and cohesive elements get
   the numbers of one rank. Their state comes with the rest. */
static ig_status whole_open(ig_frac_model *m) {
  ig_frac_part *p = m->divided;
  const ig_frac_opened *o = &p->opened;
  const ig_frac_count now = m->count;
  ig_status status = IG_OK;
  if (o->checks) {
    m->count = p->shown;
    status = ig_frac_count_push(m);
    m->s.zone.opening = IG_FRAC_BARE;
    for (int64_t i = 0; i < o->checks && status == IG_OK; i++) {
      status = ig_frac_list_put(m->cx, &p->opening, o->facet + o->start[i],
                                o->start[i + 1] - o->start[i]);
      if (status == IG_OK)
        status = ig_frac_open_list(m, &p->opening);
    }
    m->s.zone.opening = IG_FRAC_HOLD;
    IG_TRY(status);
    if (m->count.nodes != now.nodes || m->count.cohesive != now.cohesive)
      return IG_FAIL(m->cx, IG_NUMERIC,
                     "the parts have %d nodes and %d cohesive elements, the whole %d and %d",
                     now.nodes, now.cohesive, m->count.nodes, m->count.cohesive);
    m->count.step = now.step;
    m->count.touched = now.broken ? m->count.touched : 0;
    m->count.broken = now.broken;
    p->opened.checks = 0;
  }
  p->shown = m->count;
  return ig_frac_count_push(m);
}

/* --- the state */

typedef struct {
  ig_collect nodes, elements, cohesive, loads;
} collects;

static void collects_free(collects *c) {
  ig_collect_free(&c->nodes);
  ig_collect_free(&c->elements);
  ig_collect_free(&c->cohesive);
  ig_collect_free(&c->loads);
}

/* `own`: of the part; owner: of the whole, `count` of them; on rank 0. */
static ig_status collect_make(ig_frac_model *m, const int32_t *own, int64_t owns,
                              const int32_t *owner, int64_t count, ig_collect *c) {
  const ig_part part = {.rank = m->divided->rank, .ranks = m->divided->ranks};
  int32_t *mine;
  IG_TRY(IG_NEW(m->cx, &mine, (size_t)owns + 1, "own items"));
  if (owns)
    memcpy(mine, own, (size_t)owns * sizeof *mine);
  if (part.rank == 0)
    return ig_collect_new(m->cx, &part, owner, count, mine, owns, c);
  *c = (ig_collect){.mine = mine, .mine_count = owns};
  return IG_OK;
}

static ig_status list_collect(ig_frac_model *m, const ig_frac_list *own, const int32_t *owner,
                              int64_t count, ig_collect *c) {
  return collect_make(m, own->a.host, own->count, owner, count, c);
}

/* Nodes of the whole and their ranks. owner: room for them, on rank 0. */
static ig_status nodes_collect(ig_frac_model *m, int32_t *owner, ig_collect *c) {
  const ig_frac_part *p = m->divided;
  if (p->rank == 0) {
    void *node;
    IG_TRY(ig_frac_model_pull(m, "node", &node));
    for (int32_t n = 0; n < m->count.nodes; n++)
      owner[n] = p->whole_owner[((ig_frac_node *)node)[n].origin];
  }
  return list_collect(m, &p->nodes, owner, m->count.nodes, c);
}

/* `rank`: items of the part, `items` of them. */
static ig_status ranks_collect(ig_frac_model *m, const int32_t *rank, int64_t items,
                               const int32_t *owner, int64_t count, ig_collect *c) {
  int32_t *own;
  int64_t owns = 0;
  IG_TRY(IG_NEW(m->cx, &own, (size_t)items + 1, "own items"));
  for (int64_t i = 0; i < items; i++)
    if (rank[i] == m->divided->rank)
      own[owns++] = (int32_t)i;
  const ig_status status = collect_make(m, own, owns, owner, count, c);
  free(own);
  return status;
}

static ig_status cohesive_collect(ig_frac_model *m, int32_t *owner, ig_collect *c) {
  const ig_frac_part *p = m->divided;
  if (p->rank == 0) {
    void *coh;
    IG_TRY(ig_frac_model_pull(m, "coh", &coh));
    for (int64_t i = 0; i < m->count.cohesive; i++)
      owner[i] = p->whole_element_owner[((int32_t *)coh)[2 * i] / m->shape.faces];
  }
  return ranks_collect(m, p->crack_owner.a.host, p->crack_owner.count, owner, m->count.cohesive, c);
}

static ig_status collects_make(ig_frac_model *m, int32_t *owner, collects *c) {
  const ig_frac_part *p = m->divided;
  const int32_t loads = m->s.drive.loads_on;
  IG_TRY(nodes_collect(m, owner, &c->nodes));
  IG_TRY(ranks_collect(m, p->element_owner, p->local.s.ne, p->whole_element_owner, m->s.ne,
                       &c->elements));
  IG_TRY(cohesive_collect(m, owner, &c->cohesive));
  for (int32_t k = 0; k < loads && p->rank == 0; k++)
    owner[k] = p->whole_element_owner[m->load_face[3 * k] / m->shape.faces];
  return list_collect(m, &p->own_loads, owner, loads, &c->loads);
}

/* `columns` of one table after another; rows: of the part. */
static ig_status table_gather(ig_frac_model *m, const ig_collect *c, const char *name, int columns,
                              int64_t rows) {
  const ig_frac_table *t = ig_frac_table_find(&m->divided->local, name);
  const bool first = m->divided->rank == 0;
  const size_t size = t->a.size * (size_t)(t->width / columns);
  for (int i = 0; i < columns; i++) {
    const char *from = (char *)t->a.dev + (size_t)i * (size_t)rows * size;
    char *to = NULL;
    if (first)
      to = (char *)ig_frac_table_find(m, name)->a.dev + (size_t)i * (size_t)c->whole_count * size;
    IG_TRY(ig_collect_items(m->cx, c, from, rows, size, to));
  }
  return IG_OK;
}

static ig_status tables_gather(ig_frac_model *m, const collects *c) {
  static const char *const node[] =
      {"u", "v", "work", "pressed", "surface_mass", "surface_gap", "surface_force", "surface_work"},
                           *const crack[] = {"cs", "cf", "ck", "cw", "cwork"},
                           *const load[] = {"lf", "lwork"};
  const ig_frac_model *q = &m->divided->local;
  const int columns = m->shape.nodes;
  for (int i = 0; i < (m->s.surface.on ? 8 : 3); i++)
    IG_TRY(table_gather(m, &c->nodes, node[i], 1, q->count.nodes));
  for (int i = 0; i < 5 && m->count.cohesive; i++)
    IG_TRY(table_gather(m, &c->cohesive, crack[i], 1, q->count.cohesive));
  for (int i = 0; i < 2 && m->s.drive.loads_on; i++)
    IG_TRY(table_gather(m, &c->loads, load[i], 1, q->s.drive.loads_on));
  if (m->s.zone.law.rigid) {
    IG_TRY(table_gather(m, &c->elements, "fc", columns, q->s.ne));
    IG_TRY(table_gather(m, &c->elements, "impact", 1, q->s.ne));
  }
  return table_gather(m, &c->elements, "fe", columns, q->s.ne);
}

/* Room for the owners of nodes, cohesive elements or loads of the whole: on rank 0. */
static ig_status owners_room(ig_frac_model *m, int32_t **owner) {
  int64_t most = m->count.nodes > m->count.cohesive ? m->count.nodes : m->count.cohesive;
  most = most > m->s.drive.loads_on ? most : m->s.drive.loads_on;
  return m->divided->rank == 0 ? IG_NEW(m->cx, owner, (size_t)most + 1, "owners") : IG_OK;
}

ig_status ig_frac_gather(ig_frac_model *m) {
  collects c = {0};
  int32_t *owner = NULL;
  if (!m->divided || !m->divided->stale)
    return IG_OK;
  ig_status status = m->divided->rank == 0 ? whole_open(m) : IG_OK;
  if (status == IG_OK)
    status = owners_room(m, &owner);
  if (status == IG_OK)
    status = collects_make(m, owner, &c);
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = tables_gather(m, &c);
  collects_free(&c);
  free(owner);
  if (status == IG_OK)
    m->divided->stale = false;
  return status;
}

/* --- back to the parts */

/* Rows of own nodes from rank 0; `buffer`: for all of them there, for those of the rank
   elsewhere. */
static ig_status rows_send(ig_frac_model *m, const ig_collect *c, size_t row, char *buffer) {
  const ig_frac_part *p = m->divided;
  ig_message *message;
  const ig_status status = IG_NEW(m->cx, &message, (size_t)p->ranks, "messages");
  IG_TRY(ig_ranks_agree(m->cx, status));
  int messages = 0;
  for (int r = 1; r < p->ranks && p->rank == 0; r++)
    message[messages++] = (ig_message){.rank = r,
                                       .send = buffer + (size_t)c->start[r] * row,
                                       .send_size = (size_t)(c->start[r + 1] - c->start[r]) * row};
  if (p->rank)
    message[messages++] =
        (ig_message){.rank = 0, .receive = buffer, .receive_size = (size_t)c->mine_count * row};
  const ig_status sent = ig_ranks_swap(m->cx, message, messages);
  free(message);
  return sent;
}

/* Rows of own nodes, and those of ghosts from their owners. */
static ig_status rows_take(ig_frac_model *m, const ig_collect *c, const char *name, size_t row,
                           const char *buffer) {
  ig_frac_part *p = m->divided;
  ig_frac_model *q = &p->local;
  void *host = NULL;
  ig_status status = ig_frac_model_pull(q, name, &host);
  for (int64_t i = 0; i < c->mine_count && status == IG_OK; i++)
    memcpy((char *)host + (size_t)c->mine[i] * row, buffer + (size_t)i * row, row);
  if (status == IG_OK)
    status = ig_array_push(m->cx, &ig_frac_table_find(q, name)->a);
  p->unseen = true; /* what lies near what may be another */
  ig_halo *halo = &p->halo[m->s.surface.on ? IG_FRAC_ALL : IG_FRAC_FAR];
  return ig_halo_refresh(m->cx, halo, ig_frac_table_find(q, name)->a.dev, row, status);
}

ig_status ig_frac_scatter(ig_frac_model *m, const char *name) {
  if (!m->divided)
    return IG_OK;
  const ig_frac_part *p = m->divided;
  const size_t row = (size_t)m->shape.dim * (m->wide ? 8 : 4);
  ig_collect c = {0};
  int32_t *owner = NULL;
  char *buffer = NULL;
  void *host = NULL;
  ig_status status = owners_room(m, &owner);
  if (status == IG_OK)
    status = nodes_collect(m, owner, &c);
  const int64_t rows = p->rank == 0 ? c.whole_count : c.mine_count;
  if (status == IG_OK)
    status = ig_alloc(m->cx, (void **)&buffer, (size_t)rows + 1, row, "values of a part");
  if (status == IG_OK && p->rank == 0)
    status = ig_frac_model_pull(m, name, &host);
  for (int64_t i = 0; i < rows && p->rank == 0 && status == IG_OK; i++)
    memcpy(buffer + (size_t)i * row, (char *)host + (size_t)c.whole[i] * row, row);
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = rows_send(m, &c, row, buffer);
  if (status == IG_OK) /* those of rank 0 come first there */
    status = rows_take(m, &c, name, row, buffer);
  ig_collect_free(&c);
  free(owner);
  free(buffer);
  return status;
}
