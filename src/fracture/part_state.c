/* A divided model: its state for a checkpoint, table by table as one rank would have them, in
   pieces. */
#include "fracture/part.h"

#include <stdlib.h>
#include <string.h>

/* A table on its way. */
typedef struct {
  ig_frac_model *m;
  const ig_array_def *t; /* of the part */
  const char *host;
  const int32_t *list; /* "list" itself, for corners */
  size_t row;          /* bytes of an item, in a column of it where there are several */
  ig_stream_take *take;
  void *user;
} saving;

static ig_status bytes_put(void *user, const void *rows, int64_t first, int64_t count) {
  const saving *s = user;
  (void)first;
  return s->take(s->user, rows, count * (int64_t)s->row);
}

/* --- rows, with numbers of the whole where they are numbers */

static void plain_row(void *user, int64_t item, void *row) {
  const saving *s = user;
  memcpy(row, s->host + (size_t)item * s->row, s->row);
}

static void conn_row(void *user, int64_t e, void *row) {
  const saving *s = user;
  *(int32_t *)row = s->m->divided->whole[((const int32_t *)(const void *)s->host)[e]];
}

/* What is across a facet. */
static int32_t across_of(const ig_frac_model *m, int32_t o) {
  const ig_frac_part *p = m->divided;
  if (o < -1)
    return -2 - p->load_number[-2 - o];
  if (o < 0)
    return -1;
  return o < p->local.s.ne ? p->element[o]
                           : m->s.ne + ((const int32_t *)p->crack_number.a.host)[o - p->local.s.ne];
}
static void opp_row(void *user, int64_t e, void *row) {
  const saving *s = user;
  const int faces = s->m->shape.faces;
  for (int f = 0; f < faces; f++)
    ((int32_t *)row)[f] =
        across_of(s->m, ((const int32_t *)(const void *)s->host)[(int64_t)e * faces + f]);
}

static void coh_row(void *user, int64_t c, void *row) {
  const saving *s = user;
  const int faces = s->m->shape.faces;
  for (int side = 0; side < 2; side++) {
    const int32_t facet = ((const int32_t *)(const void *)s->host)[2 * (int64_t)c + side];
    ((int32_t *)row)[side] = s->m->divided->element[facet / faces] * faces + facet % faces;
  }
}

static void node_row(void *user, int64_t n, void *row) {
  const saving *s = user;
  const ig_frac_part *p = s->m->divided;
  ig_frac_node node;
  memcpy(&node, s->host + (size_t)n * sizeof node, sizeof node);
  node.first += p->shift[n];
  node.origin = p->mesh_node[p->origin[n]];
  memcpy(row, &node, sizeof node);
}

/* A place in the list of corners around nodes. */
static void list_row(void *user, int64_t i, void *row) {
  const saving *s = user;
  const int32_t ne = s->m->divided->local.s.ne;
  *(int32_t *)row = s->list[i] / ne * s->m->s.ne + s->m->divided->element[s->list[i] % ne];
}

/* --- the list: places of own nodes, which have all their corners in the part */

typedef struct {
  int32_t whole, mine;
} place;

static int by_place(const void *a, const void *b) {
  const int32_t x = ((const place *)a)->whole, y = ((const place *)b)->whole;
  return (x > y) - (x < y);
}

/* Nodes in the order of their stretches: copies lie within that of the node they were split from.
 */
static ig_status places_find(ig_frac_model *m, const ig_frac_node *node, ig_collect *c) {
  const ig_frac_part *p = m->divided;
  const int32_t *own = p->nodes.a.host;
  place *first;
  IG_TRY(IG_NEW(m->cx, &first, (size_t)p->nodes.count + 1, "places of corners"));
  int64_t places = 0;
  for (int64_t i = 0; i < p->nodes.count; i++) {
    first[i] = (place){node[own[i]].first + p->shift[own[i]], own[i]};
    places += node[own[i]].used;
  }
  if (p->nodes.count)
    qsort(first, (size_t)p->nodes.count, sizeof *first, by_place);
  ig_status status = IG_NEW(m->cx, &c->mine, (size_t)places + 1, "places of corners");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &c->whole, (size_t)places + 1, "places of corners");
  for (int64_t i = 0; i < p->nodes.count && status == IG_OK; i++) {
    const ig_frac_node *n = &node[first[i].mine];
    for (int32_t k = 0; k < n->used; k++) {
      c->mine[c->mine_count] = n->first + k;
      c->whole[c->mine_count++] = first[i].whole + k;
    }
  }
  free(first);
  return status;
}

static ig_status list_bring(saving *s, ig_status status) {
  ig_frac_model *m = s->m;
  ig_collect c = {.whole_count = (int64_t)m->s.ne * m->shape.nodes};
  void *node = NULL;
  s->list = (const int32_t *)(const void *)s->host;
  s->row = sizeof *s->list;
  if (status == IG_OK)
    status = ig_frac_model_pull(&m->divided->local, "node", &node);
  if (status == IG_OK)
    status = places_find(m, node, &c);
  status = ig_collect_rows(m->cx, &c, s->row, list_row, bytes_put, s, status);
  ig_collect_free(&c);
  return status;
}

/* --- tables */

/* Columns of all elements one after the other: one of each corner. */
static ig_status columns_bring(saving *s, ig_collect_row *row, ig_status status) {
  const int columns = s->m->shape.nodes;
  const char *host = s->host;
  s->row = s->t->size * (size_t)(s->t->width / columns);
  for (int i = 0; i < columns; i++) {
    s->host = host + (size_t)i * (size_t)s->m->divided->local.s.ne * s->row;
    status = ig_frac_stream(s->m, IG_FRAC_PER_ELEMENT, s->row, row, bytes_put, s, status);
  }
  return status;
}

static ig_status table_bring(ig_frac_model *m, const ig_array_def *t, ig_stream_take *take,
                             void *user) {
  saving s = {.m = m, .t = t, .take = take, .user = user, .row = (size_t)t->width * t->size};
  static const struct {
    const char *name;
    ig_collect_row *row;
  } numbers[] = {{"opp", opp_row}, {"coh", coh_row}, {"node", node_row}};
  void *host = NULL;
  const ig_status status = ig_frac_model_pull(&m->divided->local, t->name, &host);
  s.host = host;
  if (strcmp(t->name, "conn") == 0)
    return columns_bring(&s, conn_row, status);
  if (strcmp(t->name, "fc") == 0)
    return columns_bring(&s, plain_row, status);
  if (strcmp(t->name, "list") == 0)
    return list_bring(&s, status);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(numbers[i].name, t->name) == 0)
      return ig_frac_stream(m, (ig_frac_per)t->place, s.row, numbers[i].row, bytes_put, &s, status);
  return ig_frac_stream(m, (ig_frac_per)t->place, s.row, plain_row, bytes_put, &s, status);
}

/* --- a checkpoint */

typedef struct {
  ig_frac_model *m;
  ig_sink *to;
  ig_saved saved[IG_ARRAYS + IG_FRAC_SAVED];
  const ig_array_def *table[IG_ARRAYS + IG_FRAC_SAVED];
  int count;
} checkpoint;

static ig_status saved_bring(void *self, int array, ig_stream_take *take, void *user) {
  const checkpoint *c = self;
  if (array < 0 || array >= c->count || !c->table[array])
    return IG_FAIL(c->m->cx, IG_ARG, "a checkpoint has no array %d", array);
  return table_bring(c->m, c->table[array], take, user);
}

static ig_status saved_tell(void *user, const ig_stream *stream) {
  checkpoint *c = user;
  return ig_sink_checkpoint(c->m->cx, c->to, (double)c->m->count.step * c->m->s.dt,
                            c->m->count.step, c->saved, c->count, stream);
}

ig_status ig_frac_part_save(ig_frac_model *m, const ig_saved *own, int count, ig_sink *to) {
  checkpoint c = {.m = m, .to = to};
  ig_served served = {m->cx, &c, saved_bring};
  const ig_frac_model *q = &m->divided->local;
  for (; c.count < count; c.count++)
    c.saved[c.count] = own[c.count];
  for (int i = 0; i < q->arrays.count; i++) {
    const ig_array_def *t = &q->arrays.entry[i].def;
    const int64_t bytes = ig_frac_items(m, (ig_frac_per)t->place) * t->width * (int64_t)t->size;
    if (!(t->flags & SAVED) || !bytes)
      continue;
    c.table[c.count] = t;
    c.saved[c.count++] = (ig_saved){t->name, IG_U8, bytes, NULL};
  }
  IG_TRY(ig_serve(&served, saved_tell, &c));
  /* others save what is not in parts: a state that a program keeps is there on all ranks */
  return ig_ranks_first(m->cx)
             ? IG_OK
             : to->checkpoint(to, (double)m->count.step * m->s.dt, m->count.step, own, count);
}
