/* A divided model: its state on rank 0, in the order of the whole. Nobody has the whole while steps
   are taken: when somebody looks, rank 0 makes its tables and fills them with what all ranks have,
   and lets go of them before the next step. */
#include "fracture/part.h"

#include <stdlib.h>
#include <string.h>

/* --- tables of the whole */

/* Those that say how things are put out, not what there is, are small and stay; of those that are
   needed to take steps only, the whole has none any more. */
static bool stays(const ig_frac_table *t) {
  return t->per == IG_FRAC_ONE && strcmp(t->name, "part") != 0 && strcmp(t->name, "chain") != 0 &&
         strcmp(t->name, "bucket") != 0;
}
static bool unused(const ig_frac_table *t) {
  static const char *const names[] = {"mark",    "opened", "me",    "f",      "touch",
                                      "touched", "extra",  "chain", "bucket", "next",
                                      "hit",     "skin",   "depth", "after",  "push"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(t->name, names[i]) == 0)
      return true;
  return false;
}

void ig_frac_whole_drop(ig_frac_model *m) {
  ig_frac_part *p = m->divided;
  for (int i = 0; i < m->tables && p->whole_there; i++) {
    ig_frac_table *t = &m->table[i];
    if (stays(t))
      continue;
    p->kept[i].size = t->a.size;
    p->kept[i].host = t->a.host != NULL;
    ig_array_free(m->cx, &t->a);
    *t->at = NULL;
  }
  p->whole_there = false;
}

static int64_t rows_of(const ig_frac_model *m, ig_frac_per per) {
  return per == IG_FRAC_PER_ELEMENT    ? m->s.ne
         : per == IG_FRAC_PER_NODE     ? m->count.nodes
         : per == IG_FRAC_PER_COHESIVE ? m->count.cohesive
         : per == IG_FRAC_PER_LOAD     ? m->s.drive.loads_on
                                       : 1;
}

static ig_status whole_make(ig_frac_model *m) {
  ig_frac_part *p = m->divided;
  ig_frac_whole_drop(m);
  p->whole_there = true;
  m->s.node_max = m->count.nodes;
  m->s.coh_max = m->count.cohesive;
  for (int i = 0; i < m->tables; i++) {
    ig_frac_table *t = &m->table[i];
    if (stays(t))
      continue;
    t->a = (ig_array){.size = p->kept[i].size};
    const size_t count = unused(t) ? 0 : (size_t)rows_of(m, t->per) * (size_t)t->width;
    IG_TRY(p->kept[i].host ? ig_array_new(m->cx, &t->a, count, p->kept[i].size, t->name)
                           : ig_array_new_device(m->cx, &t->a, count, p->kept[i].size, t->name));
    *t->at = t->a.dev;
  }
  ig_frac_table *face = ig_frac_table_find(m, "load_face");
  if (face->a.count)
    memcpy(face->a.host, m->load_face, face->a.count * face->a.size);
  IG_TRY(ig_array_push(m->cx, &face->a));
  return ig_frac_count_push(m);
}

/* --- which items are whose */

typedef struct {
  ig_collect nodes, elements, cohesive, loads;
} collects;

static void collects_free(collects *c) {
  ig_collect_free(&c->nodes);
  ig_collect_free(&c->elements);
  ig_collect_free(&c->cohesive);
  ig_collect_free(&c->loads);
}

/* Own items of the part, and their numbers in the whole, of which there are `count`; all ranks call
   it. */
static ig_status collect_make(ig_frac_model *m, const ig_frac_list *own, const int32_t *number,
                              int64_t count, ig_collect *c) {
  const ig_frac_part *p = m->divided;
  const bool first = p->rank == 0;
  int64_t *each = NULL, mine = own->count;
  *c = (ig_collect){.mine_count = mine, .whole_count = count};
  ig_status status = IG_NEW(m->cx, &c->mine, (size_t)mine + 1, "own items");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &c->whole, (size_t)(first ? count : mine) + 1, "numbers of items");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &c->start, (size_t)p->ranks + 1, "items of ranks");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &each, (size_t)p->ranks, "items of ranks");
  if (status == IG_OK && mine)
    memcpy(c->mine, own->a.host, (size_t)mine * sizeof *c->mine);
  if (status == IG_OK && mine > count)
    status = IG_FAIL(m->cx, IG_NUMERIC, "a part has more items than the whole");
  for (int64_t i = 0; i < mine && status == IG_OK; i++)
    c->whole[i] = number[c->mine[i]];
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = ig_ranks_collect(m->cx, &mine, sizeof mine, each);
  for (int r = 0; r < p->ranks && first && status == IG_OK; r++)
    c->start[r + 1] = c->start[r] + each[r];
  if (status == IG_OK && first && c->start[p->ranks] != count)
    status = IG_FAIL(m->cx, IG_NUMERIC, "parts have %lld items of the %lld of the whole",
                     (long long)c->start[p->ranks], (long long)count);
  status = ig_collect_packed(m->cx, c, status, sizeof *c->whole, c->whole);
  for (int64_t i = 0; i < count && first && status == IG_OK; i++)
    if (c->whole[i] < 0 || c->whole[i] >= count)
      status = IG_FAIL(m->cx, IG_NUMERIC, "an item of a part has no number in the whole");
  free(each);
  return ig_ranks_agree(m->cx, status);
}

/* Those of `items` whose rank is this one. */
static ig_status owned(ig_frac_model *m, const int32_t *rank, int64_t items, ig_frac_list *own) {
  own->count = 0;
  for (int64_t i = 0; i < items; i++)
    if (rank[i] == m->divided->rank)
      IG_TRY(ig_frac_list_add(m->cx, own, (int32_t)i));
  return IG_OK;
}

static ig_status nodes_collect(ig_frac_model *m, ig_collect *c) {
  return collect_make(m, &m->divided->nodes, m->divided->whole, m->count.nodes, c);
}

static ig_status collects_make(ig_frac_model *m, collects *c) {
  ig_frac_part *p = m->divided;
  ig_frac_list own = {0};
  ig_status status = nodes_collect(m, &c->nodes);
  ig_status listed = status;
  if (status == IG_OK)
    listed = owned(m, p->element_owner, p->local.s.ne, &own);
  status = ig_ranks_agree(m->cx, listed);
  if (status == IG_OK)
    status = collect_make(m, &own, p->element, m->s.ne, &c->elements);
  if (status == IG_OK)
    listed = owned(m, p->crack_owner.a.host, p->crack_owner.count, &own);
  status = ig_ranks_agree(m->cx, status == IG_OK ? listed : status);
  if (status == IG_OK)
    status = collect_make(m, &own, p->crack_number.a.host, m->count.cohesive, &c->cohesive);
  if (status == IG_OK)
    status = collect_make(m, &p->own_loads, p->load_number, m->s.drive.loads_on, &c->loads);
  ig_array_free(m->cx, &own.a);
  return status;
}

/* --- tables that are copied */

/* `columns` of one table after another; rows: of the part. */
static ig_status table_gather(ig_frac_model *m, const ig_collect *c, const char *name, int columns,
                              int64_t rows) {
  const ig_frac_table *t = ig_frac_table_find(&m->divided->local, name);
  const bool first = m->divided->rank == 0;
  if (!t || !t->width)
    return IG_OK;
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
      {"x",           "minv",          "u",           "v", "work", "pressed", "surface_mass",
       "surface_gap", "surface_force", "surface_work"},
                           *const element[] = {"attach", "mat", "facet_law", "s0", "impact"},
                           *const crack[] = {"turn", "cs", "cf", "ck", "cw", "cwork"},
                           *const load[] = {"lf", "lwork"};
  const ig_frac_model *q = &m->divided->local;
  const int columns = m->shape.nodes;
  for (int i = 0; i < (m->s.surface.on ? 10 : 5); i++)
    IG_TRY(table_gather(m, &c->nodes, node[i], 1, q->count.nodes));
  for (int i = 0; i < 5; i++)
    IG_TRY(table_gather(m, &c->elements, element[i], 1, q->s.ne));
  for (int i = 0; i < 6 && m->count.cohesive; i++)
    IG_TRY(table_gather(m, &c->cohesive, crack[i], 1, q->count.cohesive));
  for (int i = 0; i < 2 && m->s.drive.loads_on; i++)
    IG_TRY(table_gather(m, &c->loads, load[i], 1, q->s.drive.loads_on));
  IG_TRY(table_gather(m, &c->elements, "fc", columns, q->s.ne));
  return table_gather(m, &c->elements, "fe", columns, q->s.ne);
}

/* --- and those whose values are numbers */

/* `buffer` holds the own items on the host, with room for all on rank 0: these, in their places. */
static ig_status numbers_gather(ig_frac_model *m, const ig_collect *c, size_t size, char *buffer,
                                char *to) {
  IG_TRY(ig_collect_packed(m->cx, c, IG_OK, size, buffer));
  for (int64_t i = 0; i < c->whole_count && m->divided->rank == 0; i++)
    memcpy(to + (size_t)c->whole[i] * size, buffer + (size_t)i * size, size);
  return IG_OK;
}

/* The part's tables on the host, and room for items on their way. */
typedef struct {
  const int32_t *conn, *opp, *list, *coh;
  const ig_frac_node *node;
  char *buffer;
  int32_t *place; /* corners of the part: where they stand in the whole's list */
} topology;

static ig_status topology_open(ig_frac_model *m, const collects *c, topology *t) {
  ig_frac_part *p = m->divided;
  static const char *const names[] = {"conn", "opp", "list", "coh", "node"};
  const ig_collect *all[] = {&c->nodes, &c->elements, &c->cohesive};
  void *host[5];
  int64_t most = 0;
  for (int i = 0; i < 5; i++)
    IG_TRY(ig_frac_model_pull(&p->local, names[i], &host[i]));
  t->conn = host[0], t->opp = host[1], t->list = host[2], t->coh = host[3], t->node = host[4];
  for (int i = 0; i < 3; i++) {
    const int64_t count = p->rank == 0 ? all[i]->whole_count : all[i]->mine_count;
    most = most > count ? most : count;
  }
  IG_TRY(ig_alloc(m->cx, (void **)&t->buffer, (size_t)most + 1, sizeof(ig_frac_node),
                  "numbers of items"));
  IG_TRY(IG_NEW(m->cx, &t->place, (size_t)p->local.s.ne * (size_t)m->shape.nodes + 1,
                "numbers of items"));
  for (int32_t n = 0; n < p->local.count.nodes; n++)
    for (int32_t i = t->node[n].first; i < t->node[n].first + t->node[n].used; i++)
      t->place[t->list[i]] = i + p->shift[n];
  return IG_OK;
}

/* Corner a of all elements: their nodes, and where it stands in the list of its node. */
static ig_status corners_gather(ig_frac_model *m, const ig_collect *c, const topology *t, int a,
                                int32_t *conn, int32_t *list, int32_t *place) {
  const ig_frac_part *p = m->divided;
  const int64_t ne = p->local.s.ne, all = m->s.ne;
  int32_t *buffer = (int32_t *)(void *)t->buffer;
  for (int64_t i = 0; i < c->mine_count; i++)
    buffer[i] = p->whole[t->conn[a * ne + c->mine[i]]];
  IG_TRY(numbers_gather(m, c, sizeof *buffer, t->buffer, (char *)(conn + (conn ? a * all : 0))));
  for (int64_t i = 0; i < c->mine_count; i++)
    buffer[i] = t->place[a * ne + c->mine[i]];
  IG_TRY(numbers_gather(m, c, sizeof *buffer, t->buffer, (char *)place));
  for (int64_t e = 0; e < all && p->rank == 0; e++) {
    if (place[e] < 0 || place[e] >= all * m->shape.nodes)
      return IG_FAIL(m->cx, IG_NUMERIC, "a corner of element %lld stands nowhere", (long long)e);
    list[place[e]] = (int32_t)(a * all + e);
  }
  return IG_OK;
}

/* What is across a facet of the part, as the whole numbers it. */
static int32_t across_of(const ig_frac_model *m, int32_t o) {
  const ig_frac_part *p = m->divided;
  if (o < -1)
    return -2 - p->load_number[-2 - o];
  if (o < 0)
    return -1;
  return o < p->local.s.ne ? p->element[o]
                           : m->s.ne + ((const int32_t *)p->crack_number.a.host)[o - p->local.s.ne];
}

static ig_status facets_gather(ig_frac_model *m, const collects *c, const topology *t, int32_t *opp,
                               int32_t *coh) {
  const ig_frac_part *p = m->divided;
  const int faces = m->shape.faces;
  int32_t *buffer = (int32_t *)(void *)t->buffer;
  for (int64_t i = 0; i < c->elements.mine_count; i++)
    for (int f = 0; f < faces; f++)
      buffer[i * faces + f] = across_of(m, t->opp[(int64_t)c->elements.mine[i] * faces + f]);
  IG_TRY(numbers_gather(m, &c->elements, (size_t)faces * sizeof *opp, t->buffer, (char *)opp));
  for (int64_t i = 0; i < c->cohesive.mine_count; i++)
    for (int side = 0; side < 2; side++) {
      const int32_t facet = t->coh[2 * (int64_t)c->cohesive.mine[i] + side];
      buffer[2 * i + side] = p->element[facet / faces] * faces + facet % faces;
    }
  return numbers_gather(m, &c->cohesive, 2 * sizeof *coh, t->buffer, (char *)coh);
}

static ig_status nodes_gather(ig_frac_model *m, const ig_collect *c, const topology *t,
                              ig_frac_node *node) {
  const ig_frac_part *p = m->divided;
  ig_frac_node *buffer = (ig_frac_node *)(void *)t->buffer;
  for (int64_t i = 0; i < c->mine_count; i++) {
    const int32_t n = c->mine[i];
    buffer[i] = t->node[n];
    buffer[i].first += p->shift[n];
    buffer[i].origin = p->mesh_node[p->origin[n]];
  }
  return numbers_gather(m, c, sizeof *node, t->buffer, (char *)node);
}

static ig_status topology_fill(ig_frac_model *m, const collects *c, const topology *t,
                               int32_t *place) {
  static const char *const names[] = {"conn", "list", "opp", "coh", "node"};
  void *to[5] = {0};
  for (int i = 0; i < 5 && m->divided->rank == 0; i++)
    to[i] = ig_frac_model_host(m, names[i]);
  for (int a = 0; a < m->shape.nodes; a++)
    IG_TRY(ig_ranks_agree(m->cx, corners_gather(m, &c->elements, t, a, to[0], to[1], place)));
  IG_TRY(facets_gather(m, c, t, to[2], to[3]));
  IG_TRY(nodes_gather(m, &c->nodes, t, to[4]));
  for (int i = 0; i < 5 && m->divided->rank == 0; i++)
    IG_TRY(ig_array_push(m->cx, &ig_frac_table_find(m, names[i])->a));
  return IG_OK;
}

static ig_status topology_gather(ig_frac_model *m, const collects *c) {
  topology t = {0};
  int32_t *place = NULL;
  ig_status status = topology_open(m, c, &t);
  if (status == IG_OK && m->divided->rank == 0)
    status = IG_NEW(m->cx, &place, (size_t)m->s.ne + 1, "numbers of items");
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = topology_fill(m, c, &t, place);
  free(t.buffer);
  free(t.place);
  free(place);
  return status;
}

/* Whoever puts out reads these on the host without asking for them. */
static ig_status whole_see(ig_frac_model *m) {
  static const char *const names[] = {"mat", "facet_law"};
  for (int i = 0; i < 2; i++) {
    ig_frac_table *t = ig_frac_table_find(m, names[i]);
    if (t)
      IG_TRY(ig_array_pull(m->cx, &t->a));
  }
  return IG_OK;
}

ig_status ig_frac_gather(ig_frac_model *m) {
  collects c = {0};
  if (!m->divided || !m->divided->stale)
    return IG_OK;
  const bool first = m->divided->rank == 0;
  ig_status status = ig_ranks_agree(m->cx, first ? whole_make(m) : IG_OK);
  if (status == IG_OK)
    status = collects_make(m, &c);
  if (status == IG_OK)
    status = topology_gather(m, &c);
  if (status == IG_OK)
    status = tables_gather(m, &c);
  if (status == IG_OK && first)
    status = whole_see(m);
  collects_free(&c);
  if (status == IG_OK)
    m->divided->stale = false;
  return ig_ranks_agree(m->cx, status);
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
  return ig_halo_refresh(m->cx, &p->halo[IG_FRAC_FAR], ig_frac_table_find(q, name)->a.dev, row,
                         status);
}

ig_status ig_frac_scatter(ig_frac_model *m, const char *name) {
  if (!m->divided)
    return IG_OK;
  const ig_frac_part *p = m->divided;
  const size_t row = (size_t)m->shape.dim * (m->wide ? 8 : 4);
  ig_collect c = {0};
  char *buffer = NULL;
  void *host = NULL;
  ig_status status = nodes_collect(m, &c);
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
  free(buffer);
  return status;
}
