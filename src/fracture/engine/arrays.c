/* What the register of arrays (model/arrays.h) asks of a model: items of a place, those that are
   the rank's own, and arrays of numbers as the whole has them.

   The register saves checkpoints and gathers fields by rows of items. For most arrays a row is a
   copy of bytes. Five arrays (conn, opp, coh, list, node) hold numbers of other items, which
   differ between a part and the whole: numbers_pass translates them row by row, so that a
   checkpoint has the same bytes for any number of ranks. */
#include "fracture/engine/tables.h"

#include <stdlib.h>
#include <string.h>

/* --- places */

/* Callback of the register: rows there is memory for, rows in use, rows of the whole, and the
   numbers in the whole (NULL on one rank: the same). */
static ig_arrays_place place_of(const void *room, int place) {
  const ig_frac_model *m = room;
  const ig_frac_part *p = &m->part;
  const ig_frac_count *all = ig_frac_counts(m);
  const int64_t ne = m->s.ne, loads = m->s.drive.loads_on;
  const bool one = p->ranks == 1;
  switch (place) {
  case IG_FRAC_PER_ELEMENT:
    return (ig_arrays_place){ne, ne, one ? ne : p->total.elements, p->element};
  case IG_FRAC_PER_NODE:
    return (ig_arrays_place){m->s.node_max, m->count.nodes, all->nodes, p->node};
  case IG_FRAC_PER_COHESIVE:
    return (ig_arrays_place){m->s.coh_max, m->count.cohesive, all->cohesive,
                             p->crack_number.a.host};
  default:
    return (ig_arrays_place){loads, loads, one ? loads : p->total.loads, p->load_number};
  }
}

/* Items that this rank owns, in rising order, with their numbers in the whole. The result
   belongs to the part and is valid until the next call. */
static ig_status own_of(void *room, int place, const ig_collect **own) {
  ig_frac_model *m = room;
  ig_frac_part *p = &m->part;
  ig_collect *c = &p->own;
  const ig_arrays_place items = place_of(m, place);
  const ig_frac_list *listed = place == IG_FRAC_PER_NODE   ? &p->nodes
                               : place == IG_FRAC_PER_LOAD ? &p->own_loads
                                                           : NULL;
  const int32_t *owner =
      place == IG_FRAC_PER_ELEMENT ? p->element_owner : (const int32_t *)p->crack_owner.a.host;
  const int64_t all = listed ? listed->count : items.used;
  ig_collect_free(c);
  c->whole_count = items.whole;
  *own = c;
  IG_TRY(IG_NEW(m->cx, &c->mine, (size_t)all + 1, "own items"));
  IG_TRY(IG_NEW(m->cx, &c->whole, (size_t)all + 1, "own items"));
  for (int64_t i = 0; i < all; i++) {
    if (!listed && owner[i] != p->rank)
      continue;
    const int32_t item = listed ? ((int32_t *)listed->a.host)[i] : (int32_t)i;
    c->mine[c->mine_count] = item;
    c->whole[c->mine_count++] = items.number[item];
  }
  return IG_OK;
}

/* --- rows of numbers, as the whole has them */

/* An array on its way. */
typedef struct {
  const ig_frac_model *m;
  const int32_t *host; /* of the part */
  size_t row;          /* bytes of a row */
  ig_stream_take *take;
  void *user;
} passing;

/* Receiver of rows on the first rank: hands them on as bytes. */
static ig_status bytes_put(void *user, const void *rows, int64_t first, int64_t count) {
  const passing *s = user;
  (void)first;
  return s->take(s->user, rows, count * (int64_t)s->row);
}

static void conn_row(void *user, int64_t e, void *row) { /* one column: see conn_pass */
  const passing *s = user;
  *(int32_t *)row = s->m->part.node[s->host[e]];
}

/* What is across a facet. */
static int32_t across_of(const ig_frac_model *m, int32_t o) {
  const ig_frac_part *p = &m->part;
  if (o < -1)
    return -2 - p->load_number[-2 - o];
  if (o < 0)
    return -1;
  return o < m->s.ne ? p->element[o]
                     : p->total.elements + ((const int32_t *)p->crack_number.a.host)[o - m->s.ne];
}
/* The codes of `opp` (state.h): element, cohesive element, free, load; each is translated by its
   kind. */
static void opp_row(void *user, int64_t e, void *row) {
  const passing *s = user;
  const int faces = s->m->shape.faces;
  for (int f = 0; f < faces; f++)
    ((int32_t *)row)[f] = across_of(s->m, s->host[e * faces + f]);
}

/* Facets as element x faces + face, with elements of the whole. */
static void coh_row(void *user, int64_t c, void *row) {
  const passing *s = user;
  const int faces = s->m->shape.faces;
  for (int side = 0; side < 2; side++) {
    const int32_t facet = s->host[2 * c + side];
    ((int32_t *)row)[side] = s->m->part.element[facet / faces] * faces + facet % faces;
  }
}

/* `first` is a place in the list of the whole: the part's own place plus the shift that
   part_model.c noted when it cut the list. */
static void node_row(void *user, int64_t n, void *row) {
  const passing *s = user;
  const ig_frac_part *p = &s->m->part;
  ig_frac_node node = ((const ig_frac_node *)(const void *)s->host)[n];
  node.first += p->shift[n];
  node.origin = p->mesh_node[p->origin[n]];
  memcpy(row, &node, sizeof node);
}

/* A place in the list of corners around nodes. */
static void list_row(void *user, int64_t i, void *row) {
  const passing *s = user;
  const int32_t ne = s->m->s.ne, slot = s->host[i];
  *(int32_t *)row = slot / ne * s->m->part.total.elements + s->m->part.element[slot % ne];
}

/* --- the list: places of own nodes, which have all their corners in the part */

/* A node's first entry in the list of the whole, and its number here. */
typedef struct {
  int32_t whole, mine;
} corner;

static int by_place(const void *a, const void *b) {
  const int32_t x = ((const corner *)a)->whole, y = ((const corner *)b)->whole;
  return (x > y) - (x < y);
}

/* Nodes in the order of their stretches: copies lie within that of the node they were split from.

   A corner is one entry of `list`. Own nodes are sorted by where their entries begin in the
   whole, because copies of a node lie in the stretch of the original. */
static ig_status corners_find(const ig_frac_model *m, const ig_frac_node *node, ig_collect *c) {
  const ig_frac_part *p = &m->part;
  const int32_t *own = p->nodes.a.host;
  corner *first;
  IG_TRY(IG_NEW(m->cx, &first, (size_t)p->nodes.count + 1, "places of corners"));
  int64_t places = 0;
  for (int64_t i = 0; i < p->nodes.count; i++) {
    first[i] = (corner){node[own[i]].first + p->shift[own[i]], own[i]};
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

/* Entries of own nodes only: each entry of the whole has exactly one owner. */
static ig_status list_pass(passing *s, ig_status status) {
  const ig_frac_model *m = s->m;
  ig_collect c = {.whole_count = (int64_t)m->part.total.elements * m->shape.nodes};
  void *node = NULL;
  s->row = sizeof *s->host;
  if (status == IG_OK)
    status = ig_frac_model_pull(m, "node", &node);
  if (status == IG_OK)
    status = corners_find(m, node, &c);
  status = ig_collect_rows(m->cx, &c, s->row, list_row, bytes_put, s, status);
  ig_collect_free(&c);
  return status;
}

/* Columns of all elements one after the other: one of each corner.
   conn is stored by corners (a * ne + e), so that it is passed corner by corner. */
static ig_status conn_pass(passing *s, ig_status status) {
  s->row = sizeof *s->host;
  for (int i = 0; i < s->m->shape.nodes; i++, s->host += s->m->s.ne)
    status =
        ig_arrays_rows(&s->m->arrays, IG_FRAC_PER_ELEMENT, s->row, conn_row, bytes_put, s, status);
  return status;
}

/* Callback of the register for arrays with the flag NUMBERS; `status` of the pull goes along,
   since all ranks must enter the exchange. */
static ig_status numbers_pass(void *room, const ig_arrays_entry *e, ig_stream_take *take,
                              void *user) {
  const ig_frac_model *m = room;
  passing s = {.m = m, .take = take, .user = user, .row = (size_t)e->def.width * e->def.size};
  static const struct {
    const char *name;
    ig_collect_row *row;
  } rows[] = {{"opp", opp_row}, {"coh", coh_row}, {"node", node_row}};
  void *host = NULL;
  const ig_status status = ig_frac_model_pull(m, e->def.name, &host);
  s.host = host;
  if (strcmp(e->def.name, "conn") == 0)
    return conn_pass(&s, status);
  if (strcmp(e->def.name, "list") == 0)
    return list_pass(&s, status);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].name, e->def.name) == 0)
      return ig_arrays_rows(&m->arrays, e->def.place, s.row, rows[i].row, bytes_put, &s, status);
  return IG_FAIL(m->cx, IG_ARG, "the numbers of '%s' are not known to parts", e->def.name);
}

const ig_arrays_room ig_frac_arrays_room = {place_of, own_of, numbers_pass};
