/* Checkpoints on ranks. Rank 0 reads the file; the other ranks receive all of it (small models), or
   names, sizes and small arrays, and later their own ranges in pieces. A checkpoint stores arrays
   of the whole mesh, so it can be continued on any number of ranks. */
#include "ranks/restart.h"
#include "ranks/allgather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Heads that are broadcast before the data; plain bytes. there: 0 if there is no checkpoint. */
typedef struct {
  int64_t there, step, count;
  double time;
} restart_head;
typedef struct {
  char name[64];
  int64_t count, dtype, size;
} saved_head;

/* Whether all ranks get the data of an array. Arrays up to 4 kB are settings and counters, which
   every rank needs; larger ones are fields. */
static bool goes(bool whole, const saved_head *h) {
  enum { SMALL = 4096 };
  return whole || h->size <= SMALL;
}

/* memory[i] on other ranks holds the data followed by the name, in one allocation, until
   ig_restart_new has copied it. saved[i].name is a pointer into it. */
static ig_status saved_share(ig_ctx *cx, const ig_restart *from, bool whole, int count,
                             ig_saved *saved, void **memory) {
  for (int i = 0; i < count; i++) {
    saved_head h = {0};
    ig_status status = IG_OK;
    const void *data;
    if (ig_ranks_first(cx)) {
      snprintf(h.name, sizeof h.name, "%s", saved[i].name);
      h.count = saved[i].count;
      h.dtype = saved[i].dtype;
      h.size = (int64_t)ig_dtype_size(saved[i].dtype) * saved[i].count;
      if (goes(whole, &h))
        status = ig_restart_find(cx, from, saved[i].name, saved[i].dtype, saved[i].count, &data);
      memory[i] = saved[i].data;
    }
    IG_TRY(ig_ranks_agree(cx, status));
    IG_TRY(ig_ranks_bcast(cx, 0, &h, sizeof h));
    if (!ig_ranks_first(cx)) {
      char *name = NULL;
      const size_t size = goes(whole, &h) ? (size_t)h.size : 0;
      status = ig_alloc(cx, &memory[i], size + sizeof h.name, 1, "checkpoint");
      if (status == IG_OK) {
        name = (char *)memory[i] + size;
        memcpy(name, h.name, sizeof h.name);
        saved[i] = (ig_saved){.name = name,
                              .dtype = (ig_dtype)h.dtype,
                              .count = h.count,
                              .data = goes(whole, &h) ? memory[i] : NULL};
      }
    }
    IG_TRY(ig_ranks_agree(cx, status));
    if (goes(whole, &h))
      IG_TRY(ig_ranks_bcast(cx, 0, memory[i], (size_t)h.size));
  }
  return IG_OK;
}

ig_status ig_restart_share(ig_ctx *cx, bool whole, ig_restart **restart) {
  if (ig_ranks_count(cx->ranks) == 1)
    return IG_OK;
  const bool first = ig_ranks_first(cx);
  restart_head h = {0};
  if (first && *restart)
    h = (restart_head){
        .there = 1, .step = (*restart)->step, .count = (*restart)->count, .time = (*restart)->time};
  IG_TRY(ig_ranks_bcast(cx, 0, &h, sizeof h));
  if (!h.there)
    return IG_OK;
  ig_saved *saved = first ? (*restart)->saved : NULL;
  void **memory = NULL;
  ig_status status = IG_NEW(cx, &memory, h.count + 1, "checkpoint");
  if (status == IG_OK && !first)
    status = IG_NEW(cx, &saved, h.count + 1, "checkpoint");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = saved_share(cx, *restart, whole, (int)h.count, saved, memory);
  if (status == IG_OK && !first)
    status = ig_restart_new(cx, h.time, h.step, saved, (int)h.count, restart);
  for (int64_t i = 0; !first && memory && i < h.count; i++)
    free(memory[i]);
  if (!first)
    free(saved);
  free(memory);
  return ig_ranks_agree(cx, status);
}

/* --- ig_restart_take: each rank its own range */

/* Large enough to amortise a message, small enough to be negligible memory. */
enum { PIECE = 2 << 20 }; /* bytes of a piece */

typedef struct {
  int64_t begin, count;
} range;

/* Rank 0: a piece of an array, from memory or from the file. */
static ig_status piece_read(ig_ctx *cx, const ig_restart *from, const ig_saved *saved,
                            int64_t begin, int64_t count, double *to) {
  if (!saved->data)
    return from->read(cx, from, saved, begin, count, to);
  memcpy(to, (const double *)saved->data + begin, (size_t)count * sizeof *to);
  return IG_OK;
}

/* Rank 0 serves the ranges of ranks 0, 1, ... in turn. A rank that fails continues to take part,
   because others wait for its messages; the failure is shared at the end. */
static ig_status ranges_bring(ig_ctx *cx, const ig_restart *from, const ig_saved *saved,
                              const range *all, double *items, ig_collect_put *put, void *user) {
  const int64_t most = PIECE / sizeof *items;
  const int rank = ig_ranks_rank(cx->ranks);
  ig_status status = IG_OK;
  for (int r = 0; r < ig_ranks_count(cx->ranks); r++)
    for (int64_t at = 0, n; at < all[r].count; at += n) {
      n = all[r].count - at < most ? all[r].count - at : most;
      const size_t bytes = (size_t)n * sizeof *items;
      const ig_message message = {.rank = rank == 0 ? r : 0,
                                  .send = items,
                                  .receive = items,
                                  .send_size = rank == 0 ? bytes : 0,
                                  .receive_size = rank == 0 ? 0 : bytes};
      if (rank == 0 && status == IG_OK)
        status = piece_read(cx, from, saved, all[r].begin + at, n, items);
      if (r > 0)
        IG_TRY(ig_ranks_exchange(cx, &message, rank == 0 || rank == r));
      if (rank == r && status == IG_OK)
        status = put(user, items, at, n);
    }
  return status;
}

ig_status ig_restart_take(ig_ctx *cx, const ig_restart *from, const char *name, int64_t whole,
                          int64_t begin, int64_t count, ig_collect_put *put, void *user) {
  const range mine = {begin, count};
  ig_saved *saved = NULL;
  range *all = NULL;
  double *items = NULL;
  ig_status status = ig_restart_look(cx, from, name, IG_F64, whole, &saved);
  if (status == IG_OK)
    status = IG_NEW(cx, &items, PIECE / sizeof *items, "checkpoint");
  status = ig_ranks_allgather(cx, status, &mine, sizeof mine, (void **)&all);
  if (status == IG_OK)
    status = ranges_bring(cx, from, saved, all, items, put, user);
  free(all);
  free(items);
  return ig_ranks_agree(cx, status);
}
