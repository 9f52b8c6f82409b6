/* Variable-length gather to all ranks (what MPI calls Allgatherv): every rank contributes a list of
   its own length, and every rank receives all lists.

   The lists go through rank 0: it receives them, sorts them once if asked, and broadcasts the
   result. This costs two hops instead of one, but it needs only the point-to-point exchange of the
   transport, so threads and MPI share it, and the sorted result is identical on all ranks. It is
   meant for lists that are short compared with a mesh. */
#include "ranks/allgather.h"

#include <stdlib.h>
#include <string.h>

ig_status ig_ranks_gather(ig_ctx *cx, ig_status status, const void *mine, size_t size, void **all) {
  *all = NULL;
  if (status == IG_OK)
    status = ig_alloc(cx, all, (size_t)ig_ranks_count(cx->ranks), size, "values of ranks");
  status = ig_ranks_agree(cx, status);
  return status == IG_OK ? ig_ranks_collect(cx, mine, size, *all) : status;
}

/* The second call of ig_ranks_agree is needed because a rank that fails in the gather must not
   leave the others blocked in the broadcast. */
ig_status ig_ranks_allgather(ig_ctx *cx, ig_status status, const void *mine, size_t size,
                             void **all) {
  status = ig_ranks_agree(cx, ig_ranks_gather(cx, status, mine, size, all));
  return status == IG_OK ? ig_ranks_bcast(cx, 0, *all, (size_t)ig_ranks_count(cx->ranks) * size)
                         : status;
}

/* Counts of all ranks (freed by the caller) and their sum. */
static ig_status counts_share(ig_ctx *cx, ig_status status, int64_t mine, int64_t **each,
                              int64_t *sum) {
  *sum = 0;
  status = ig_ranks_allgather(cx, status, &mine, sizeof mine, (void **)each);
  for (int r = 0; r < ig_ranks_count(cx->ranks) && status == IG_OK; r++)
    *sum += (*each)[r];
  return status;
}

ig_status ig_ranks_sum_lists(ig_ctx *cx, ig_status status, int64_t mine, int64_t *sum) {
  int64_t *each;
  status = counts_share(cx, status, mine, &each, sum);
  free(each);
  return status;
}

/* Items of all ranks on the first, one rank after the other. Messages of zero bytes are not sent;
   both sides know that from `each`, so they agree on which messages exist. */
static ig_status items_collect(ig_ctx *cx, const char *mine, int64_t count, size_t size,
                               const int64_t *each, char *all) {
  const int ranks = ig_ranks_count(cx->ranks), rank = ig_ranks_rank(cx->ranks);
  ig_message *message = NULL;
  const ig_status status = ig_ranks_agree(cx, IG_NEW(cx, &message, (size_t)ranks, "messages"));
  if (status != IG_OK) {
    free(message);
    return status;
  }
  int messages = 0;
  char *at = all + (size_t)count * size;
  if (rank == 0 && count)
    memcpy(all, mine, (size_t)count * size);
  for (int r = 1; r < ranks && rank == 0; r++) {
    if (each[r])
      message[messages++] =
          (ig_message){.rank = r, .receive = at, .receive_size = (size_t)each[r] * size};
    at += (size_t)each[r] * size;
  }
  if (rank && count)
    message[messages++] = (ig_message){.rank = 0, .send = mine, .send_size = (size_t)count * size};
  const ig_status sent = ig_ranks_exchange(cx, message, messages);
  free(message);
  return sent;
}

ig_status ig_ranks_allgatherv(ig_ctx *cx, ig_status status, const void *mine, int64_t count,
                              size_t size, int (*order)(const void *, const void *), void **all,
                              int64_t *sum, int64_t *each) {
  const size_t ranks = (size_t)ig_ranks_count(cx->ranks);
  int64_t *counts;
  *all = NULL;
  status = counts_share(cx, status, count, &counts, sum);
  if (status == IG_OK && each)
    memcpy(each, counts, ranks * sizeof *each);
  /* One item more than needed is allocated, so that an empty list is not a NULL pointer. */
  if (status == IG_OK)
    status = ig_alloc(cx, all, (size_t)*sum + 1, size, "lists of ranks");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = items_collect(cx, mine, count, size, counts, *all);
  if (status == IG_OK && order && ig_ranks_first(cx) && *sum)
    qsort(*all, (size_t)*sum, size, order);
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = ig_ranks_bcast(cx, 0, *all, (size_t)*sum * size);
  free(counts);
  return status;
}
