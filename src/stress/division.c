/* Division of a model between ranks (division.h): which nodes and elements a rank computes, and the
   ways of arrays between its part and the whole. */
#include "stress/division.h"
#include "assembly/part.h"
#include "backend/backend.h"
#include "core/sorted.h"
#include "stress/model.h"

#include <stdlib.h>
#include <string.h>

/* LEAST: nodes per rank, below which messages take longer than what they save. ITEM: most bytes per
   node of a vector: doubles, or the rotations of nodes. */
enum { LEAST = 100, ITEM = 24, ITEM_TURN = 36 };

bool ig_stress_divided(const ig_stress *m) {
  return m->part.element != NULL;
}

ig_lid ig_stress_element(const ig_stress *m, int64_t i) {
  return m->part.element ? m->part.element[i] : (ig_lid)i;
}

int64_t ig_stress_own(const ig_stress *m, ig_lid e) {
  return m->part.element ? ig_sorted_find(m->part.element, m->part.elements, e) : e;
}

/* Nodes of each rank in rising order, as lists of what is given and taken: nodes of rank r are at
   start[r] to start[r + 1] - 1 of `list`. */
ig_status ig_stress_nodes_exchange(ig_stress *m, const int32_t *owner, size_t item, ig_halo *halo) {
  const int ranks = ig_ranks_count(m->cx->ranks), rank = ig_ranks_rank(m->cx->ranks);
  int32_t *start = NULL, *take_start = NULL, *give_start = NULL, *take = NULL, *give = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &start, (size_t)ranks + 1, "exchange of nodes"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &take_start, (size_t)ranks + 1, "exchange of nodes"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &give_start, (size_t)ranks + 1, "exchange of nodes"));
  for (ig_lid n = 0; n < m->nodes; n++)
    start[owner[n]]++;
  const int32_t mine = start[rank];
  for (int r = 0; r < ranks; r++) {
    take_start[r + 1] = take_start[r] + (r == rank ? 0 : start[r]);
    give_start[r + 1] = give_start[r] + (r == rank ? 0 : mine);
  }
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &take, take_start[ranks], "exchange of nodes"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &give, give_start[ranks], "exchange of nodes"));
  memcpy(start, take_start, sizeof *start * (size_t)ranks); /* from here on: the next place */
  int32_t given = 0;
  for (ig_lid n = 0; n < m->nodes; n++) {
    if (owner[n] != rank)
      take[start[owner[n]]++] = n;
    for (int r = 0; owner[n] == rank && r < ranks; r++)
      if (r != rank)
        give[give_start[r] + given] = n;
    given += owner[n] == rank;
  }
  status =
      ig_halo_of(m->cx, &(ig_halo_lists){ranks, give_start, give, take_start, take}, item, halo);
done:
  free(start);
  free(take_start);
  free(give_start);
  free(take);
  free(give);
  return status;
}

/* Elements of this rank, and the rank that gives the values of each. */
static ig_status elements_list(ig_stress *m, const int32_t *owner) {
  ig_stress_division *p = &m->part;
  const int rank = ig_ranks_rank(m->cx->ranks);
  IG_TRY(IG_NEW(m->cx, &p->owner, m->elements, "division of elements"));
  for (int pass = 0; pass < 2; pass++) { /* count, then fill */
    p->elements = 0;
    for (ig_lid e = 0; e < m->elements; e++) {
      const ig_lid *c = m->conn + m->npe * (int64_t)e;
      bool touches = false;
      for (int a = 0; a < m->npe; a++)
        touches |= owner[c[a]] == rank;
      p->owner[e] = ig_owner_of(owner, c, m->npe);
      if (touches && pass == 1)
        p->element[p->elements] = e;
      p->elements += touches;
    }
    if (pass == 0)
      IG_TRY(IG_NEW(m->cx, &p->element, (size_t)p->elements + 1, "division of elements"));
  }
  return IG_OK;
}

/* Whether every rank gives values of some element; a mesh may have nodes without elements. */
static bool all_have_some(const ig_stress *m) {
  bool all = true;
  for (int r = 0; r < ig_ranks_count(m->cx->ranks) && all; r++) {
    ig_lid e = 0;
    while (e < m->elements && m->part.owner[e] != r)
      e++;
    all = e < m->elements;
  }
  return all;
}

/* A part that grows in layers is divided by planes across x and y, so that it grows on all ranks;
   any other across z, too. */
static ig_status owners_choose(ig_stress *m, int32_t **owner) {
  bool grows = false;
  for (int i = 0; i < m->c->phases.count; i++) {
    const int kind = IG_ITEM(const ig_stress_phase, m->c->phases, i)->kind;
    grows |= kind == IG_PHASE_BUILD || kind == IG_PHASE_HEAT;
  }
  if (m->cx->ranks->division) /* as the user says */
    return ig_partition_owners(m->cx, m->mesh, IG_DIVIDE_BOXES, owner);
  IG_TRY(IG_NEW(m->cx, owner, m->nodes, "owners of nodes"));
  const ig_status status =
      ig_divide_boxes(m->cx, m->mesh, grows ? 2 : 3, NULL, ig_ranks_count(m->cx->ranks), *owner);
  if (status != IG_OK)
    free(*owner);
  return status;
}

/* What was chosen, with the elements of the busiest rank. */
static ig_status report(ig_stress *m) {
  int64_t most = m->part.elements;
  IG_TRY(ig_ranks_max(m->cx, IG_OK, &most, 1));
  if (ig_stress_divided(m))
    ig_info(m->cx, "the mesh is divided: of %d elements each rank computes at most %lld",
            m->elements, (long long)most);
  else
    ig_info(m->cx, "the mesh is too small to be divided: every rank computes all of it");
  return IG_OK;
}

ig_status ig_stress_division_new(ig_stress *m, ig_assembly how) {
  ig_stress_division *p = &m->part;
  const int ranks = ig_ranks_count(m->cx->ranks);
  int32_t *owner = NULL;
  p->elements = m->elements;
  if (ranks == 1)
    return IG_OK;
  if (how != IG_COLOR && how != IG_GATHER)
    return IG_FAIL(m->cx, IG_INPUT,
                   "assembly: %s sums in an order that depends on the number of ranks: on several, "
                   "stress takes color or gather",
                   ig_assembly_names[how]);
  if ((int64_t)m->nodes < (int64_t)LEAST * ranks)
    return report(m);
  IG_TRY(owners_choose(m, &owner));
  ig_status status = elements_list(m, owner);
  if (status == IG_OK && !all_have_some(m)) {
    free(p->element);
    p->element = NULL;
    p->elements = m->elements;
  } else if (status == IG_OK)
    status = ig_stress_nodes_exchange(
        m, owner, m->c->rotations == IG_ROTATIONS_FINITE ? ITEM_TURN : ITEM, &p->nodes);
  free(owner);
  return status == IG_OK ? report(m) : status;
}

ig_status ig_stress_division_tell(ig_stress *m, ig_partition_line *line, void *user) {
  const ig_halo *nodes = &m->part.nodes;
  if (!ig_stress_divided(m))
    return IG_OK;
  const int64_t others = nodes->received[nodes->peers];
  const ig_partition_facts mine = {.nodes = m->nodes - others,
                                   .elements = m->part.elements,
                                   .ghosts = others,
                                   .peers = nodes->peers,
                                   .whole = m->elements,
                                   .item = ITEM};
  return ig_partition_facts_tell(m->cx, &mine, line, user);
}

void ig_stress_division_free(ig_stress *m) {
  ig_stress_division *p = &m->part;
  ig_halo_free(m->cx, &p->nodes);
  free(p->element);
  free(p->owner);
}

/* The plan of the whole is cut: its order of additions stays. */
ig_status ig_stress_division_plan(ig_stress *m, ig_assembly how, ig_plan *plan) {
  const ig_stress_division *p = &m->part;
  ig_plan whole;
  ig_lid *conn;
  if (!ig_stress_divided(m))
    return ig_plan_new(m->cx, how, IG_SLOTS_COMPACT, m->nodes, m->elements, m->npe, m->conn, plan);
  IG_TRY(IG_NEW(m->cx, &conn, (size_t)m->npe * (size_t)p->elements, "connectivity"));
  for (int64_t i = 0; i < m->npe * (int64_t)p->elements; i++)
    conn[i] = m->conn[m->npe * (int64_t)p->element[i / m->npe] + i % m->npe];
  ig_status status =
      ig_plan_new(m->cx, how, IG_SLOTS_COMPACT, m->nodes, m->elements, m->npe, m->conn, &whole);
  if (status == IG_OK) {
    status = ig_plan_cut(m->cx, &whole, m->nodes, p->elements, p->element, conn, plan);
    ig_plan_free(m->cx, &whole);
  }
  free(conn);
  return status;
}

/* --- arrays of elements --- */

ig_status ig_stress_elements_new(ig_stress *m, ig_array *a, size_t per, size_t size,
                                 const char *what) {
  if (!ig_stress_divided(m))
    return ig_array_new(m->cx, a, per * (size_t)m->elements, size, what);
  IG_TRY(ig_array_new_device(m->cx, a, per * (size_t)m->part.elements, size, what));
  const ig_status status = ig_alloc(m->cx, &a->host, per * (size_t)m->elements, size, what);
  if (status != IG_OK)
    ig_array_free(m->cx, a);
  return status;
}

/* Bytes per element. */
static size_t item_of(const ig_stress *m, const ig_array *a) {
  return a->count / (size_t)m->part.elements * a->size;
}

ig_status ig_stress_elements_push(ig_stress *m, ig_array *a) {
  const ig_stress_division *p = &m->part;
  const bool separate = m->cx->backend->separate;
  const size_t item = item_of(m, a);
  char *to = a->dev;
  if (!ig_stress_divided(m))
    return ig_array_push(m->cx, a);
  if (separate)
    IG_TRY(IG_NEW(m->cx, &to, item * (size_t)p->elements, "elements of a rank"));
  for (ig_lid i = 0; i < p->elements; i++)
    memcpy(to + item * (size_t)i, (const char *)a->host + item * (size_t)p->element[i], item);
  if (!separate)
    return IG_OK;
  ig_status status = m->cx->backend->copy_in(m->cx, a->dev, to, item * (size_t)p->elements);
  if (status == IG_OK)
    status = m->cx->backend->sync(m->cx);
  free(to);
  return status;
}

/* Where a window of elements is: begin to end of the whole; the part's next element. */
typedef struct {
  ig_lid begin, end, next;
  ig_lid *count;   /* ranks: elements of the window that each gives */
  const char **at; /* ranks: the next row that came from each */
  ig_message *message;
  char *out, *in, *rows; /* own rows, those of others, all in the order of the whole */
} window;

/* Own elements of the window to w->out: of the part's rows, in place. */
static ig_status window_pack(const ig_stress *m, const ig_stress_flow *f, window *w) {
  const ig_stress_division *p = &m->part;
  const int rank = ig_ranks_rank(m->cx->ranks);
  const ig_lid begin = w->next;
  char *to = w->out;
  memset(w->count, 0, sizeof *w->count * (size_t)ig_ranks_count(m->cx->ranks));
  for (ig_lid e = w->begin; e < w->end; e++)
    w->count[p->owner[e]]++;
  while (w->next < p->elements && p->element[w->next] < w->end)
    w->next++;
  if (w->next > begin)
    IG_TRY(f->make(f->user, begin, w->next - begin, w->out));
  for (ig_lid i = begin; i < w->next; i++)
    if (p->owner[p->element[i]] == rank) {
      memmove(to, w->out + f->item * (size_t)(i - begin), f->item);
      to += f->item;
    }
  return IG_OK;
}

static ig_status window_exchange(ig_stress *m, const ig_stress_flow *f, const window *w) {
  const int ranks = ig_ranks_count(m->cx->ranks), rank = ig_ranks_rank(m->cx->ranks);
  const bool takes = f->everyone || rank == 0;
  char *in = w->in;
  int messages = 0;
  w->at[rank] = w->out;
  for (int r = 0; r < ranks; r++) {
    const bool gives = f->everyone || r == 0;
    if (r == rank || !(takes || gives))
      continue;
    const size_t size = takes ? f->item * (size_t)w->count[r] : 0;
    w->at[r] = in;
    w->message[messages++] = (ig_message){.rank = r,
                                          .send = w->out,
                                          .send_size = gives ? f->item * (size_t)w->count[rank] : 0,
                                          .receive = in,
                                          .receive_size = size};
    in += size;
  }
  return ig_ranks_exchange(m->cx, w->message, messages);
}

/* What came, and the own rows, in the order of the whole, to who takes them. */
static ig_status window_take(const ig_stress *m, const ig_stress_flow *f, window *w) {
  for (ig_lid e = w->begin; ig_stress_divided(m) && e < w->end; e++) {
    const char **from = &w->at[m->part.owner[e]];
    memcpy(w->rows + f->item * (size_t)(e - w->begin), *from, f->item);
    *from += f->item;
  }
  return f->take(f->user, w->begin, w->end - w->begin, w->rows);
}

static ig_status windows_pass(ig_stress *m, const ig_stress_flow *f, ig_lid length, window *w) {
  const bool divided = ig_stress_divided(m), takes = f->everyone || ig_ranks_first(m->cx);
  for (; w->begin < m->elements; w->begin = w->end) {
    w->end = m->elements - w->begin < length ? m->elements : w->begin + length;
    if (divided) {
      IG_TRY(window_pack(m, f, w));
      IG_TRY(window_exchange(m, f, w));
    } else if (takes)
      IG_TRY(f->make(f->user, w->begin, w->end - w->begin, w->rows));
    if (takes)
      IG_TRY(window_take(m, f, w));
  }
  return IG_OK;
}

size_t ig_stress_portion(const ig_stress *m) {
  return ig_stress_divided(m) ? 1 << 21 : 1 << 23;
}

ig_status ig_stress_elements_flow(ig_stress *m, const ig_stress_flow *f) {
  const size_t ranks = (size_t)ig_ranks_count(m->cx->ranks);
  const bool divided = ig_stress_divided(m);
  const size_t bytes = ig_stress_portion(m);
  const ig_lid most = f->item < bytes ? (ig_lid)(bytes / f->item) : 1;
  const ig_lid length = most < m->elements ? most : m->elements;
  const size_t room = f->item * (size_t)length;
  window w = {0};
  ig_status status = IG_NEW(m->cx, &w.rows, room, "messages");
  if (status == IG_OK && divided)
    status = IG_NEW(m->cx, &w.count, ranks, "messages");
  if (status == IG_OK && divided)
    status = IG_NEW(m->cx, &w.at, ranks, "messages");
  if (status == IG_OK && divided)
    status = IG_NEW(m->cx, &w.message, ranks, "messages");
  if (status == IG_OK && divided)
    status = IG_NEW(m->cx, &w.out, room, "messages");
  if (status == IG_OK && divided)
    status = IG_NEW(m->cx, &w.in, room, "messages");
  if (divided)
    status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = windows_pass(m, f, length, &w);
  free(w.rows);
  free(w.count);
  free((void *)w.at);
  free(w.message);
  free(w.out);
  free(w.in);
  return status;
}

/* Rows that lie in memory, of the part and of the whole. */
typedef struct {
  size_t item;
  const char *part;
  char *whole;
} rows_of;

static ig_status rows_make(void *user, ig_lid begin, ig_lid count, void *rows) {
  const rows_of *g = user;
  memcpy(rows, g->part + g->item * (size_t)begin, g->item * (size_t)count);
  return IG_OK;
}

static ig_status rows_take(void *user, ig_lid begin, ig_lid count, const void *rows) {
  const rows_of *g = user;
  memcpy(g->whole + g->item * (size_t)begin, rows, g->item * (size_t)count);
  return IG_OK;
}

ig_status ig_stress_elements_pull(ig_stress *m, ig_array *a) {
  const size_t bytes = a->count * a->size;
  char *from = a->dev;
  if (!ig_stress_divided(m))
    return ig_array_pull(m->cx, a);
  if (m->cx->backend->separate)
    IG_TRY(IG_NEW(m->cx, &from, bytes, "elements of a rank"));
  ig_status status = from == a->dev ? m->cx->backend->sync(m->cx)
                                    : m->cx->backend->copy_out(m->cx, from, a->dev, bytes);
  if (status == IG_OK)
    status = ig_stress_elements_flow(m, &(ig_stress_flow){item_of(m, a), rows_make, rows_take,
                                                          &(rows_of){item_of(m, a), from, a->host},
                                                          true});
  if (from != a->dev)
    free(from);
  return status;
}

/* Rows of some elements; `next` of the list is what comes next. */
typedef struct {
  rows_of rows;
  const ig_lid *list;
  ig_lid count, next;
} fetching;

static ig_status fetch_make(void *user, ig_lid begin, ig_lid count, void *rows) {
  return rows_make(&((fetching *)user)->rows, begin, count, rows);
}

static ig_status fetch_take(void *user, ig_lid begin, ig_lid count, const void *rows) {
  fetching *f = user;
  const size_t item = f->rows.item;
  if (!f->list)
    return rows_take(&f->rows, begin, count, rows);
  for (; f->next < f->count && f->list[f->next] < begin + count; f->next++)
    memcpy(f->rows.whole + item * (size_t)f->next,
           (const char *)rows + item * (size_t)(f->list[f->next] - begin), item);
  return IG_OK;
}

ig_status ig_stress_elements_fetch(ig_stress *m, size_t item, const void *part, const ig_lid *list,
                                   ig_lid count, void *to) {
  fetching f = {{item, part, to}, list, count, 0};
  return ig_stress_elements_flow(m, &(ig_stress_flow){item, fetch_make, fetch_take, &f, true});
}

void ig_stress_elements_choose(const ig_stress *m, const ig_lid *list, const double *value,
                               ig_lid count, ig_lid *own, double *values, ig_lid *kept) {
  *kept = 0;
  for (ig_lid i = 0; i < count; i++) {
    const ig_lid e = (ig_lid)ig_stress_own(m, list[i]);
    if (e < 0)
      continue;
    own[*kept] = e;
    values[(*kept)++] = value[i];
  }
}

/* --- states of points --- */

int64_t ig_stress_state_count(const ig_stress *m) {
  const int64_t tiles = ((int64_t)m->elements + IG_STRESS_TILE - 1) / IG_STRESS_TILE;
  return 8 * IG_STRESS_TILE * tiles * m->args.states;
}

/* Rows on their way to a stream; of states the present tile, on the first rank. */
typedef struct {
  const ig_stress *m;
  ig_stream_take *take;
  void *user;
  double *tile;
} streaming;

static ig_status states_make(void *user, ig_lid begin, ig_lid count, void *rows) {
  const ig_stress *m = ((const streaming *)user)->m;
  const int states = m->args.states;
  const double *from = m->state.host;
  double *to = rows;
  for (int64_t i = 0; i < count; i++)
    for (int k = 0; k < 8 * states; k++)
      *to++ = from[ig_stress_at(begin + i, states, k / 8, k % 8)];
  return IG_OK;
}

static ig_status states_take(void *user, ig_lid begin, ig_lid count, const void *rows) {
  const streaming *s = user;
  const int states = s->m->args.states, size = 8 * IG_STRESS_TILE * states;
  const double *from = rows;
  for (ig_lid e = begin; e < begin + count; e++) {
    for (int k = 0; k < 8 * states; k++)
      s->tile[ig_stress_at(e % IG_STRESS_TILE, states, k / 8, k % 8)] = *from++;
    if (e % IG_STRESS_TILE < IG_STRESS_TILE - 1 && e < s->m->elements - 1)
      continue;
    IG_TRY(s->take(s->user, s->tile, size));
    memset(s->tile, 0, sizeof *s->tile * (size_t)size);
  }
  return IG_OK;
}

ig_status ig_stress_state_pass(ig_stress *m, ig_stream_take *take, void *user) {
  streaming s = {m, take, user, NULL};
  const size_t row = 8 * (size_t)m->args.states;
  ig_status status = IG_OK;
  if (take)
    status = IG_NEW(m->cx, &s.tile, row * IG_STRESS_TILE, "state of the points");
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = ig_stress_elements_flow(
        m, &(ig_stress_flow){row * sizeof(double), states_make, states_take, &s, false});
  free(s.tile);
  return status;
}

/* Rows of an array of elements, `per` doubles each. */
typedef struct {
  streaming to;
  const double *part;
  int per;
} numbers;

static ig_status numbers_make(void *user, ig_lid begin, ig_lid count, void *rows) {
  const numbers *n = user;
  memcpy(rows, n->part + n->per * (int64_t)begin, (size_t)n->per * sizeof(double) * (size_t)count);
  return IG_OK;
}

static ig_status numbers_take(void *user, ig_lid begin, ig_lid count, const void *rows) {
  const numbers *n = user;
  (void)begin;
  return n->to.take(n->to.user, rows, n->per * (int64_t)count);
}

ig_status ig_stress_elements_pass(ig_stress *m, int per, const double *part, ig_stream_take *take,
                                  void *user) {
  numbers n = {{m, take, user, NULL}, part, per};
  return ig_stress_elements_flow(
      m, &(ig_stress_flow){(size_t)per * sizeof(double), numbers_make, numbers_take, &n, false});
}

void ig_stress_elements_place(const ig_stress *m, int per, const double *whole, double *part) {
  for (ig_lid i = 0; i < m->part.elements; i++)
    memcpy(part + per * (int64_t)i, whole + per * (int64_t)ig_stress_element(m, i),
           (size_t)per * sizeof *part);
}

ig_status ig_stress_state_place(ig_stress *m, const double *whole) {
  const int states = m->args.states;
  double *part = m->state.host;
  for (ig_lid i = 0; i < m->part.elements; i++)
    for (int k = 0; k < 8 * states; k++)
      part[ig_stress_at(i, states, k / 8, k % 8)] =
          whole[ig_stress_at(ig_stress_element(m, i), states, k / 8, k % 8)];
  return ig_array_push(m->cx, &m->state);
}

/* --- vectors of nodes --- */

ig_status ig_stress_nodes_join(ig_stress *m, size_t item, void *x) {
  return ig_stress_divided(m) ? ig_halo_refresh(m->cx, &m->part.nodes, x, item, IG_OK) : IG_OK;
}
