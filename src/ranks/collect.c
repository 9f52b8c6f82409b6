/* Gather to rank 0 in the order of the undivided mesh. Files are written from these arrays, so they
   do not depend on the number of ranks.

   Because local numbers rise with global ones, the own items of a rank are a rising subsequence of
   the global list. Rank 0 stores these subsequences one behind the other (`whole`, with `start` per
   rank), receives each rank's items into the matching range and scatters them. */
#include "ranks/partition.h"
#include "backend/backend.h"
#include "core/sorted.h"

#include <stdlib.h>
#include <string.h>

/* Counting sort of items by owner: first the lengths, then their sums, then the numbers. Rank 0
   keeps the lists of all ranks; another rank keeps only its own (all other lengths are 0). */
ig_status ig_collect_new(ig_ctx *cx, const ig_partition *part, const int32_t *owner, int64_t count,
                         int32_t *local, int64_t locals, ig_collect *g) {
  *g = (ig_collect){.mine = local, .mine_count = locals, .whole_count = count};
  const bool first = part->rank == 0;
  int64_t *at = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &g->whole, (first ? count : locals) + 1, "order of the whole mesh"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &g->start, (size_t)part->ranks + 1, "items of ranks"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &at, (size_t)part->ranks + 1, "items of ranks"));
  for (int64_t i = 0; i < count; i++)
    at[owner[i] + 1] += first || owner[i] == part->rank;
  for (int r = 0; r < part->ranks; r++)
    at[r + 1] += at[r];
  memcpy(g->start, at, ((size_t)part->ranks + 1) * sizeof *at);
  for (int64_t i = 0; i < count; i++)
    if (first || owner[i] == part->rank)
      g->whole[at[owner[i]]++] = (int32_t)i;
  /* The caller's count of own items is compared with that of `owner`: a difference would shift all
     values that are gathered, without an error anywhere else. */
  if (g->start[part->rank + 1] - g->start[part->rank] != locals)
    status =
        IG_FAIL(cx, IG_NUMERIC, "a part of the mesh has %lld items of its own, not %lld",
                (long long)locals, (long long)(g->start[part->rank + 1] - g->start[part->rank]));
done:
  free(at);
  if (status != IG_OK)
    ig_collect_free(g);
  return status;
}

void ig_collect_free(ig_collect *g) {
  free(g->mine);
  free(g->whole);
  free(g->start);
  memset(g, 0, sizeof *g);
}

/* Device memory as the host sees it. On a backend without separate memory *host is the array
   itself; otherwise *own is a copy that the caller frees. */
static ig_status seen(ig_ctx *cx, const void *dev, size_t size, void **own, const void **host) {
  *host = dev;
  if (!cx->backend->separate || size == 0)
    return IG_OK;
  IG_TRY(ig_alloc(cx, own, size, 1, "values of a part"));
  *host = *own;
  return cx->backend->copy_out(cx, *own, dev, size);
}

/* Packs the own items of the part, in the order of the whole mesh. */
static ig_status mine_take(ig_ctx *cx, const ig_collect *g, const void *part, int64_t count,
                           size_t size, char *buffer) {
  void *own = NULL;
  const void *host;
  const ig_status status = seen(cx, part, (size_t)count * size, &own, &host);
  for (int64_t i = 0; i < g->mine_count && status == IG_OK; i++)
    memcpy(buffer + (size_t)i * size, (const char *)host + (size_t)g->mine[i] * size, size);
  free(own);
  return status;
}

/* Rank 0: scatters the received items to their global places, through a host copy if the device
   memory is separate. */
static ig_status all_put(ig_ctx *cx, const ig_collect *g, const char *buffer, size_t size,
                         void *whole) {
  char *host = whole, *own = NULL;
  if (g->whole_count == 0)
    return IG_OK;
  if (cx->backend->separate) {
    IG_TRY(ig_alloc(cx, (void **)&own, (size_t)g->whole_count, size, "values of all ranks"));
    host = own;
  }
  for (int64_t i = 0; i < g->whole_count; i++)
    memcpy(host + (size_t)g->whole[i] * size, buffer + (size_t)i * size, size);
  ig_status status = IG_OK;
  if (own) {
    status = cx->backend->copy_in(cx, whole, own, (size_t)g->whole_count * size);
    if (status == IG_OK)
      status = cx->backend->sync(cx); /* before its memory goes */
  }
  free(own);
  return status;
}

ig_status ig_collect_packed(ig_ctx *cx, const ig_collect *g, ig_status status, size_t size,
                            void *buffer) {
  const bool first = ig_ranks_first(cx);
  const int ranks = ig_ranks_count(cx->ranks);
  ig_message *message = NULL;
  if (status == IG_OK)
    status = IG_NEW(cx, &message, ranks, "messages");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK) {
    int messages = 0;
    for (int r = 1; r < ranks && first; r++)
      message[messages++] =
          (ig_message){.rank = r,
                       .receive = (char *)buffer + (size_t)g->start[r] * size,
                       .receive_size = (size_t)(g->start[r + 1] - g->start[r]) * size};
    if (!first)
      message[messages++] =
          (ig_message){.rank = 0, .send = buffer, .send_size = (size_t)g->mine_count * size};
    status = ig_ranks_exchange(cx, message, messages);
  }
  free(message);
  return status;
}

ig_status ig_collect_items(ig_ctx *cx, const ig_collect *g, const void *part, int64_t count,
                           size_t size, void *whole) {
  const bool first = ig_ranks_first(cx);
  char *buffer = NULL;
  ig_status status =
      ig_alloc(cx, (void **)&buffer, (size_t)(first ? g->whole_count : g->mine_count) + 1, size,
               "values of a part");
  if (status == IG_OK)
    status = mine_take(cx, g, part, count, size, buffer); /* those of rank 0 come first */
  status = ig_collect_packed(cx, g, status, size, buffer);
  if (status == IG_OK && first)
    status = all_put(cx, g, buffer, size, whole);
  free(buffer);
  return status;
}

/* --- streamed gather: at most `most` items of the whole at a time */

/* Number of items of rank r that come before `item` in the whole: binary search in its rising list.
   Both sides compute the length of each message with it, so no lengths are sent. */
static int64_t items_before(const ig_collect *g, int r, int64_t item) {
  return ig_sorted_below(g->whole + g->start[r], g->start[r + 1] - g->start[r], item);
}

/* Gathers items [first, last) of the whole on rank 0. buffer: received items, grouped by rank;
   piece: the same in global order. Both hold last - first items. */
static ig_status piece_bring(ig_ctx *cx, const ig_collect *g, const char *own, size_t size,
                             int64_t first, int64_t last, ig_message *message, char *buffer,
                             char *piece) {
  const int ranks = ig_ranks_count(cx->ranks), rank = ig_ranks_rank(cx->ranks);
  const int64_t begin = items_before(g, rank, first), mine = items_before(g, rank, last) - begin;
  const char *out = own + (size_t)begin * size;
  int messages = 0;
  if (rank > 0) {
    message[messages++] = (ig_message){.rank = 0, .send = out, .send_size = (size_t)mine * size};
    return ig_ranks_exchange(cx, message, messages);
  }
  char *to = buffer;
  for (int r = 1; r < ranks; r++) {
    const size_t bytes = (size_t)(items_before(g, r, last) - items_before(g, r, first)) * size;
    message[messages++] = (ig_message){.rank = r, .receive = to, .receive_size = bytes};
    to += bytes;
  }
  IG_TRY(ig_ranks_exchange(cx, message, messages));
  const char *from = buffer;
  for (int r = 0; r < ranks; r++) {
    const int32_t *place = g->whole + g->start[r] + items_before(g, r, first);
    const int64_t count = items_before(g, r, last) - items_before(g, r, first);
    const char *items = r == 0 ? out : from;
    for (int64_t i = 0; i < count; i++)
      memcpy(piece + (size_t)(place[i] - first) * size, items + (size_t)i * size, size);
    from += r == 0 ? 0 : (size_t)count * size;
  }
  return IG_OK;
}

ig_status ig_collect_pass(ig_ctx *cx, const ig_collect *g, const void *part, int64_t count,
                          size_t size, int64_t most, ig_collect_take *take, void *user) {
  const bool first = ig_ranks_first(cx);
  char *own = NULL, *buffer = NULL;
  ig_message *message = NULL;
  most = most < g->whole_count ? most : g->whole_count;
  ig_status status =
      ig_alloc(cx, (void **)&own, (size_t)g->mine_count + 1, size, "values of a part");
  if (status == IG_OK)
    status = mine_take(cx, g, part, count, size, own);
  if (status == IG_OK && first)
    status = ig_alloc(cx, (void **)&buffer, 2 * (size_t)most + 1, size, "values of all ranks");
  if (status == IG_OK)
    status = IG_NEW(cx, &message, ig_ranks_count(cx->ranks), "messages");
  status = ig_ranks_agree(cx, status);
  for (int64_t at = 0; at < g->whole_count && status == IG_OK; at += most) {
    const int64_t last = at + most < g->whole_count ? at + most : g->whole_count;
    char *piece = first ? buffer + (size_t)most * size : NULL;
    status = piece_bring(cx, g, own, size, at, last, message, buffer, piece);
    if (status == IG_OK && first)
      take(user, piece, at, last - at);
  }
  free(own);
  free(buffer);
  free(message);
  return status;
}
