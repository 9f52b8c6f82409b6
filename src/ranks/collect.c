/* Values of all parts on rank 0, in the order of the whole mesh: what is written to files does not
   know of ranks. */
#include "ranks/part.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

ig_status ig_collect_new(ig_ctx *cx, const ig_part *part, const int32_t *owner, int64_t count,
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

/* Memory of the device as the host sees it: a copy, or itself. */
static ig_status seen(ig_ctx *cx, const void *dev, size_t size, void **own, const void **host) {
  *host = dev;
  if (!cx->backend->separate || size == 0)
    return IG_OK;
  IG_TRY(ig_alloc(cx, own, size, 1, "values of a part"));
  *host = *own;
  return cx->backend->copy_out(cx, *own, dev, size);
}

/* Own items, one after the other. */
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

/* Rank 0: items as they came, to their places. */
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
    status = ig_ranks_swap(cx, message, messages);
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
