/* Messages of an import: two rounds, three counts each and then the bytes that they announce. A
   rank that fails agrees with the others before each round, so that none waits. */
#include "contact/explicit/parcels.h"
#include "core/sorted.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const int32_t count[IG_PARCEL_LISTS], const size_t size[IG_PARCEL_LISTS]) {
  size_t bytes = 0;
  for (int k = 0; k < IG_PARCEL_LISTS; k++)
    bytes += (size_t)count[k] * size[k];
  return bytes;
}

/* 8 bytes more than needed: an empty parcel has an address as well. */
static ig_status block_new(ig_ctx *cx, const int32_t count[IG_PARCEL_LISTS],
                           const size_t size[IG_PARCEL_LISTS], char **block) {
  return ig_alloc(cx, (void **)block, bytes_of(count, size) + 8, 1, "import of surfaces");
}
ig_status ig_parcel_open(ig_ctx *cx, ig_parcel *a, const size_t size[IG_PARCEL_LISTS]) {
  return block_new(cx, a->count, size, &a->out);
}

void ig_parcels_free(ig_parcel *list, int parcels) {
  for (int i = 0; i < parcels; i++) {
    for (int k = 0; k < IG_PARCEL_LISTS; k++)
      free(list[i].item[k]);
    if (list[i].in != list[i].out)
      free(list[i].in);
    free(list[i].out);
  }
  free(list);
}

/* Between this rank and the others of the list: of the counts, or (size given) of the contents. */
static int messages_make(const ig_ctx *cx, ig_parcel *list, int parcels, const size_t *size,
                         ig_message *message) {
  int messages = 0;
  for (int i = 0; i < parcels; i++) {
    ig_parcel *a = &list[i];
    if (a->rank == ig_ranks_rank(cx->ranks))
      continue;
    message[messages++] = size ? (ig_message){.rank = a->rank,
                                              .send = a->out,
                                              .send_size = bytes_of(a->count, size),
                                              .receive = a->in,
                                              .receive_size = bytes_of(a->take, size)}
                               : (ig_message){.rank = a->rank,
                                              .send = a->count,
                                              .send_size = sizeof a->count,
                                              .receive = a->take,
                                              .receive_size = sizeof a->take};
  }
  return messages;
}

/* Counts from other ranks are checked before memory is taken by them. */
static ig_status room_make(ig_ctx *cx, ig_parcel *list, int parcels, const size_t *size) {
  for (int i = 0; i < parcels; i++) {
    ig_parcel *a = &list[i];
    if (a->rank == ig_ranks_rank(cx->ranks)) {
      memcpy(a->take, a->count, sizeof a->take);
      a->in = a->out;
      continue;
    }
    for (int k = 0; k < IG_PARCEL_LISTS; k++)
      if (a->take[k] < 0)
        return IG_FAIL(cx, IG_NUMERIC, "surfaces of rank %d have a negative size", a->rank);
    IG_TRY(block_new(cx, a->take, size, &a->in));
  }
  return IG_OK;
}

ig_status ig_parcels_exchange(ig_ctx *cx, ig_status status, ig_parcel *list, int parcels,
                              const size_t size[IG_PARCEL_LISTS]) {
  ig_message *message = NULL;
  if (status == IG_OK)
    status = IG_NEW(cx, &message, (size_t)parcels + 1, "messages");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = ig_ranks_exchange(cx, message, messages_make(cx, list, parcels, NULL, message));
  if (status == IG_OK)
    status = ig_ranks_agree(cx, room_make(cx, list, parcels, size));
  if (status == IG_OK)
    status = ig_ranks_exchange(cx, message, messages_make(cx, list, parcels, size, message));
  free(message);
  return status;
}

void ig_records_sort(void *list, int32_t count, size_t size) {
  if (count)
    qsort(list, (size_t)count, size, ig_rising_i32);
}

int32_t ig_records_sort_once(void *list, int32_t count, size_t size) {
  int32_t kept = 0;
  ig_records_sort(list, count, size);
  for (int32_t i = 0; i < count; i++) {
    char *to = (char *)list + (size_t)kept * size, *from = (char *)list + (size_t)i * size;
    if (kept && ig_rising_i32(to - size, from) == 0)
      continue;
    memmove(to, from, size);
    kept++;
  }
  return kept;
}

int32_t ig_records_find(const void *list, int32_t count, size_t size, int32_t number) {
  if (number < 0 || count == 0)
    return -1;
  const char *found = bsearch(&number, list, (size_t)count, size, ig_rising_i32);
  return found ? (int32_t)((size_t)(found - (const char *)list) / size) : -1;
}
