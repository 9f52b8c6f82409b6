#include "ranks/crossings.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b) {
  const ig_crossing *p = a, *q = b;
  if (p->rank != q->rank)
    return (p->rank > q->rank) - (p->rank < q->rank);
  return p->low != q->low ? (p->low > q->low) - (p->low < q->low)
                          : (p->high > q->high) - (p->high < q->high);
}

void ig_crossings_sort(ig_crossing *list, int64_t count) {
  if (count)
    qsort(list, (size_t)count, sizeof *list, by_place);
}

/* One message per rank across: those of one rank stand together. */
ig_status ig_crossings_exchange(ig_ctx *cx, ig_status status, const ig_crossing *list,
                                int64_t count, size_t size, const void *out, void *in) {
  ig_message *message = NULL;
  int messages = 0;
  if (status == IG_OK)
    status = IG_NEW(cx, &message, (size_t)ig_ranks_count(cx->ranks), "messages");
  status = ig_ranks_agree(cx, status);
  for (int64_t i = 0, end; i < count && status == IG_OK; i = end) {
    for (end = i; end < count && list[end].rank == list[i].rank;)
      end++;
    message[messages++] = (ig_message){.rank = list[i].rank,
                                       .send = (const char *)out + (size_t)i * size,
                                       .send_size = (size_t)(end - i) * size,
                                       .receive = (char *)in + (size_t)i * size,
                                       .receive_size = (size_t)(end - i) * size};
  }
  if (status == IG_OK)
    status = ig_ranks_exchange(cx, message, messages);
  free(message);
  return status;
}
