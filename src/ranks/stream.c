/* Streamed gather on rank 0, for arrays that no rank has as a whole. Memory on every rank is a few
   pieces of 2 MiB, whatever the size of the mesh.

   Each round covers `most` consecutive items of the whole. A rank sends its non-zero items of this
   range, each with its place in the piece, so rank 0 needs no index of the other ranks' items. */
#include "ranks/partition.h"
#include "backend/backend.h"
#include "core/sorted.h"

#include <stdlib.h>
#include <string.h>

/* Large enough to amortise a message, small enough to be negligible memory. */
enum { PIECE = 2 << 20 }; /* bytes of a piece */

void ig_collect_drop_index(ig_ctx *cx, ig_collect *g) {
  if (!ig_ranks_first(cx) || !g->start)
    return;
  int32_t *fits = realloc(g->whole, ((size_t)g->mine_count + 1) * sizeof *fits);
  g->whole = fits ? fits : g->whole; /* those of rank 0 come first */
  free(g->start);
  g->start = NULL;
}

/* Buffers of one gather. A message has `count` places (int32) followed by `count` items. */
typedef struct {
  const ig_collect *g;
  size_t size;
  int64_t most; /* items in a piece */
  char *own;    /* items as they are given */
  /* Outgoing message, and on rank 0 the incoming ones of all ranks. */
  int32_t *out, *in;
  /* Rank 0: the assembled piece and the number of items from each rank. */
  char *piece;
  int64_t *counts;
  ig_message *message;
} pass;

static ig_status pass_new(ig_ctx *cx, const ig_collect *g, size_t size, pass *p) {
  *p = (pass){.g = g, .size = size, .most = PIECE / (int64_t)size};
  p->most = p->most < 1 ? 1 : p->most < g->whole_count ? p->most : g->whole_count;
  const size_t room = (size_t)p->most, ranks = (size_t)ig_ranks_count(cx->ranks);
  const size_t item = size + sizeof(int32_t);
  IG_TRY(ig_alloc(cx, (void **)&p->own, room + 1, size, "values of a part"));
  IG_TRY(ig_alloc(cx, (void **)&p->out, room + 1, item, "values of a part"));
  IG_TRY(IG_NEW(cx, &p->message, ranks, "messages"));
  if (!ig_ranks_first(cx))
    return IG_OK;
  IG_TRY(IG_NEW(cx, &p->counts, ranks, "messages"));
  /* Each message is rounded up to whole int32 places: one more item per rank is enough. */
  IG_TRY(ig_alloc(cx, (void **)&p->in, room + ranks, item, "values of all ranks"));
  return ig_alloc(cx, (void **)&p->piece, room + 1, size, "values of all ranks");
}

static void pass_free(pass *p) {
  free(p->own);
  free(p->out);
  free(p->in);
  free(p->piece);
  free(p->counts);
  free(p->message);
}

/* All bytes equal the first, which is 0. The value -0.0 is not zero in this sense and is sent. */
static bool is_zero(const char *bytes, size_t size) {
  return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Compacts the own items that are not zero and writes their places in the piece; returns how
   many. */
static int64_t own_pack(const pass *p, int64_t begin, int64_t count, int64_t first) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++) {
    const char *item = p->own + (size_t)i * p->size;
    if (is_zero(item, p->size))
      continue;
    p->out[kept] = (int32_t)(p->g->whole[begin + i] - first);
    if (kept != i)
      memmove(p->own + (size_t)kept * p->size, item, p->size);
    kept++;
  }
  memcpy(p->out + kept, p->own, (size_t)kept * p->size);
  return kept;
}

static void items_place(const pass *p, const int32_t *message, int64_t count) {
  const char *item = (const char *)(message + count);
  for (int64_t i = 0; i < count; i++)
    memcpy(p->piece + (size_t)message[i] * p->size, item + (size_t)i * p->size, p->size);
}

/* Two messages per rank: the number of items, then places and items. Rank 0 clears the piece (items
   not sent are zero) and scatters. */
static ig_status piece_bring(ig_ctx *cx, pass *p, int64_t kept, int64_t count) {
  const int ranks = ig_ranks_count(cx->ranks);
  const size_t item = p->size + sizeof(int32_t);
  if (!ig_ranks_first(cx)) {
    const ig_message count_out = {.rank = 0, .send = &kept, .send_size = sizeof kept};
    const ig_message out = {.rank = 0, .send = p->out, .send_size = (size_t)kept * item};
    IG_TRY(ig_ranks_exchange(cx, &count_out, 1));
    return ig_ranks_exchange(cx, &out, 1);
  }
  for (int r = 1; r < ranks; r++)
    p->message[r - 1] =
        (ig_message){.rank = r, .receive = &p->counts[r], .receive_size = sizeof *p->counts};
  IG_TRY(ig_ranks_exchange(cx, p->message, ranks - 1));
  int32_t *to = p->in;
  for (int r = 1; r < ranks; r++) {
    const size_t bytes = (size_t)p->counts[r] * item;
    p->message[r - 1] = (ig_message){.rank = r, .receive = to, .receive_size = bytes};
    to += (bytes + sizeof *to - 1) / sizeof *to;
  }
  IG_TRY(ig_ranks_exchange(cx, p->message, ranks - 1));
  memset(p->piece, 0, (size_t)count * p->size);
  items_place(p, p->out, kept);
  for (int r = 1; r < ranks; r++)
    items_place(p, p->message[r - 1].receive, p->counts[r]);
  return IG_OK;
}

/* ig_ranks_agree once per piece: `give` may fail on any rank, and the others must not wait for its
   message. */
ig_status ig_collect_stream(ig_ctx *cx, const ig_collect *g, size_t size, ig_collect_give *give,
                            ig_collect_put *put, void *user, ig_status status) {
  pass p;
  const ig_status ready = pass_new(cx, g, size, &p);
  status = status == IG_OK ? ready : status;
  for (int64_t first = 0; first < g->whole_count; first += p.most) {
    const int64_t last = first + p.most < g->whole_count ? first + p.most : g->whole_count;
    const int64_t begin = ig_sorted_below(g->whole, g->mine_count, first);
    const int64_t own = ig_sorted_below(g->whole, g->mine_count, last) - begin;
    int64_t kept = 0;
    if (status == IG_OK && own > 0)
      status = give(user, begin, own, p.own);
    if (status == IG_OK)
      kept = own_pack(&p, begin, own, first);
    status = ig_ranks_agree(cx, status);
    if (status == IG_OK)
      status = piece_bring(cx, &p, kept, last - first);
    if (status != IG_OK)
      break;
    if (ig_ranks_first(cx))
      status = put(user, p.piece, first, last - first);
  }
  pass_free(&p);
  return ig_ranks_agree(cx, status);
}

/* --- contiguous ranges: the piece is sent as it is, rank after rank */

/* Items of rank r, `count` of them, from its memory to rank 0's. */
static ig_status range_bring(ig_ctx *cx, int r, void *items, size_t bytes) {
  const bool first = ig_ranks_first(cx), gives = ig_ranks_rank(cx->ranks) == r;
  const ig_message message = {.rank = first ? r : 0,
                              .send = items,
                              .receive = items,
                              .send_size = gives ? bytes : 0,
                              .receive_size = first ? bytes : 0};
  return ig_ranks_exchange(cx, &message, first || gives);
}

/* A rank that fails continues to take part, because others wait for its items; the failure is
   shared at the end. */
static ig_status ranges_bring(ig_ctx *cx, const int32_t *start, size_t size, int32_t most,
                              ig_collect_give *give, ig_collect_put *put, void *user, void *items) {
  const int rank = ig_ranks_rank(cx->ranks);
  ig_status status = IG_OK;
  for (int r = 0; r < ig_ranks_count(cx->ranks); r++)
    for (int32_t first = start[r], count; first < start[r + 1]; first += count) {
      count = start[r + 1] - first < most ? start[r + 1] - first : most;
      if (r == rank && status == IG_OK)
        status = give(user, first - start[r], count, items);
      if (r > 0)
        IG_TRY(range_bring(cx, r, items, (size_t)count * size));
      if (rank == 0 && status == IG_OK)
        status = put(user, items, first, count);
    }
  return status;
}

ig_status ig_ranges_stream(ig_ctx *cx, const int32_t *start, size_t size, ig_collect_give *give,
                           ig_collect_put *put, void *user, ig_status status) {
  const int32_t most = size < PIECE ? (int32_t)(PIECE / size) : 1;
  void *items = NULL;
  if (status == IG_OK)
    status = ig_alloc(cx, &items, (size_t)most, size, "values of a part");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK) {
    status = ranges_bring(cx, start, size, most, give, put, user, items);
    status = ig_ranks_agree(cx, status);
  }
  free(items);
  return status;
}

/* --- rows: adapts ig_collect_row to ig_collect_give */

typedef struct {
  const ig_collect *items;
  size_t size;
  ig_collect_row *row;
  ig_collect_put *put;
  void *user;
} rows_pass;

static ig_status rows_give(void *user, int64_t begin, int64_t count, void *rows) {
  const rows_pass *p = user;
  for (int64_t i = 0; i < count; i++)
    p->row(p->user, p->items->mine[begin + i], (char *)rows + (size_t)i * p->size);
  return IG_OK;
}

static ig_status rows_put(void *user, const void *rows, int64_t first, int64_t count) {
  const rows_pass *p = user;
  return p->put(p->user, rows, first, count);
}

ig_status ig_collect_rows(ig_ctx *cx, const ig_collect *g, size_t size, ig_collect_row *row,
                          ig_collect_put *put, void *user, ig_status status) {
  rows_pass p = {g, size, row, put, user};
  return ig_collect_stream(cx, g, size, rows_give, rows_put, &p, status);
}

/* --- arrays on request of rank 0 */

/* Rank 0: the meeting before the broadcast lets the serving ranks learn of a failure while they
   wait for a request. */
static ig_status array_ask(void *self, int array, ig_stream_take *take, void *user) {
  const ig_served *s = self;
  IG_TRY(ig_ranks_agree(s->cx, IG_OK));
  IG_TRY(ig_ranks_bcast(s->cx, 0, &array, sizeof array));
  return s->bring(s->self, array, take, user);
}

/* Array number -1 ends the service. */
ig_status ig_serve(ig_served *s, ig_status (*tell)(void *user, const ig_stream *stream),
                   void *user) {
  const ig_stream stream = {s, array_ask};
  int array = -1;
  if (ig_ranks_first(s->cx)) {
    const ig_status told = tell(user, &stream);
    IG_TRY(ig_ranks_agree(s->cx, told));
    return ig_ranks_bcast(s->cx, 0, &array, sizeof array);
  }
  for (;;) {
    IG_TRY(ig_ranks_agree(s->cx, IG_OK));
    IG_TRY(ig_ranks_bcast(s->cx, 0, &array, sizeof array));
    if (array < 0)
      return IG_OK;
    IG_TRY(s->bring(s->self, array, NULL, NULL));
  }
}
