/* Ghosts: lists of what each rank sends to each other one, and the exchange itself. */
#include "ranks/part.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

static int by_rank(const void *a, const void *b) {
  const ig_halo_pair *p = a, *q = b;
  if (p->rank != q->rank)
    return p->rank < q->rank ? -1 : 1;
  return (p->node > q->node) - (p->node < q->node);
}

ig_status ig_halo_pair_add(ig_ctx *cx, ig_halo_pairs *all, int32_t rank, ig_lid node) {
  IG_TRY(IG_MORE(cx, &all->item, all->count, "ghosts"));
  all->item[all->count++] = (ig_halo_pair){rank, node};
  return IG_OK;
}

/* By rank and node, each once. */
static void pairs_sort(ig_halo_pairs *all) {
  int64_t kept = 0;
  if (all->count)
    qsort(all->item, (size_t)all->count, sizeof *all->item, by_rank);
  for (int64_t i = 0; i < all->count; i++)
    if (i == 0 || by_rank(&all->item[i], &all->item[i - 1]) != 0)
      all->item[kept++] = all->item[i];
  all->count = kept;
}

/* Where an element has nodes of several ranks, each needs the others'; common nodes all need. */
static ig_status pairs_find(ig_ctx *cx, const ig_part *p, ig_halo_pairs *give,
                            ig_halo_pairs *take) {
  for (int b = 0; b < p->mesh->blocks; b++) {
    const ig_block *block = &p->mesh->block[b];
    const int npe = ig_elem_info_get(block->type)->nodes;
    for (ig_lid e = 0; e < block->count; e++) {
      const ig_lid *conn = &block->conn[(int64_t)npe * e];
      for (int a = 0; a < npe; a++) {
        if (!p->ghost[conn[a]])
          continue;
        const int32_t other = p->owner[p->node[conn[a]]];
        IG_TRY(ig_halo_pair_add(cx, take, other, conn[a]));
        for (int c = 0; c < npe; c++)
          if (!p->ghost[conn[c]])
            IG_TRY(ig_halo_pair_add(cx, give, other, conn[c]));
      }
    }
  }
  for (ig_lid n = 0; p->common && n < p->mesh->nodes; n++) {
    const int32_t owner = p->owner[p->node[n]];
    if (p->common[n] && p->ghost[n])
      IG_TRY(ig_halo_pair_add(cx, take, owner, n));
    for (int r = 0; r < p->ranks && p->common[n] && !p->ghost[n]; r++)
      if (r != p->rank)
        IG_TRY(ig_halo_pair_add(cx, give, r, n));
  }
  return IG_OK;
}

/* Lists of one direction: nodes to the device, where those of each peer begin. */
static ig_status list_make(ig_ctx *cx, const ig_halo *h, const ig_halo_pairs *all, ig_array *node,
                           int32_t *start) {
  IG_TRY(ig_array_new(cx, node, (size_t)all->count + 1, sizeof(int32_t), "ghosts"));
  int64_t i = 0;
  for (int p = 0; p < h->peers; p++) {
    start[p] = (int32_t)i;
    for (; i < all->count && all->item[i].rank == h->message[p].rank; i++)
      ((int32_t *)node->host)[i] = all->item[i].node;
  }
  start[h->peers] = (int32_t)i;
  return ig_array_push(cx, node);
}

/* A GPU reads and writes the buffers of the host itself: no copies, and no waiting but for `mark`.
 */
static bool direct(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

/* Buffers that messages are sent from and come to: on a CPU the device's are the host's; an MPI
   that sends device memory needs none of the host. */
static bool staged(const ig_ctx *cx) {
  return cx->backend && cx->backend->separate && !ig_ranks_device(cx);
}

static ig_status buffer_make(ig_ctx *cx, ig_array *device, void **host, int64_t count,
                             size_t item) {
  if (!direct(cx) || !staged(cx))
    IG_TRY(ig_array_new_device(cx, device, (size_t)count + 1, item, "exchange of ghosts"));
  if (staged(cx))
    return cx->backend->host_alloc(cx, host, ((size_t)count + 1) * item);
  *host = device->dev;
  return IG_OK;
}

ig_status ig_halo_of_pairs(ig_ctx *cx, int ranks, ig_halo_pairs *give, ig_halo_pairs *take,
                           size_t item, ig_halo *h) {
  ig_status status;
  memset(h, 0, sizeof *h);
  h->item = item;
  pairs_sort(give);
  pairs_sort(take);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &h->message, ranks, "messages"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &h->sent, (size_t)ranks + 1, "messages"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &h->received, (size_t)ranks + 1, "messages"));
  for (int64_t i = 0, j = 0; i < take->count || j < give->count;) { /* both rise with the rank */
    const int32_t t = i < take->count ? take->item[i].rank : INT32_MAX;
    const int32_t g = j < give->count ? give->item[j].rank : INT32_MAX, rank = t < g ? t : g;
    h->message[h->peers++].rank = rank;
    while (i < take->count && take->item[i].rank == rank)
      i++;
    while (j < give->count && give->item[j].rank == rank)
      j++;
  }
  IG_TRY_GOTO(status, done, list_make(cx, h, give, &h->give, h->sent));
  IG_TRY_GOTO(status, done, list_make(cx, h, take, &h->take, h->received));
  IG_TRY_GOTO(status, done, buffer_make(cx, &h->given, &h->out, give->count, item));
  IG_TRY_GOTO(status, done, buffer_make(cx, &h->taken, &h->in, take->count, item));
done:
  free(give->item);
  free(take->item);
  *give = *take = (ig_halo_pairs){0};
  if (status != IG_OK)
    ig_halo_free(cx, h);
  return status;
}

ig_status ig_halo_new(ig_ctx *cx, const ig_part *part, size_t item, ig_halo *h) {
  ig_halo_pairs give = {0}, take = {0};
  const ig_status status = pairs_find(cx, part, &give, &take);
  if (status == IG_OK)
    return ig_halo_of_pairs(cx, part->ranks, &give, &take, item, h);
  free(give.item);
  free(take.item);
  return status;
}

static void buffer_free(ig_ctx *cx, ig_array *device, void **host) {
  if (staged(cx) && *host)
    cx->backend->host_free(cx, *host);
  *host = NULL;
  ig_array_free(cx, device);
}

/* A list and its buffer, with room for `count` nodes and some more. */
static ig_status list_fit(ig_ctx *cx, ig_array *node, ig_array *buffer, void **host, int64_t count,
                          size_t item) {
  if (node->count > (size_t)count)
    return IG_OK;
  if (direct(cx) && *host)
    IG_TRY(cx->backend->sync(cx)); /* what was received may still be read */
  const int64_t room = count + count / 4 + 16;
  ig_array_free(cx, node);
  buffer_free(cx, buffer, host);
  IG_TRY(ig_array_new(cx, node, (size_t)room + 1, sizeof(int32_t), "ghosts"));
  return buffer_make(cx, buffer, host, room, item);
}

/* Nodes of the ranks that this one talks to, one after the other. */
static ig_status list_take(ig_ctx *cx, const ig_halo *h, const int32_t *from_start,
                           const int32_t *from, ig_array *node, int32_t *start) {
  int32_t at = 0;
  for (int p = 0; p < h->peers; p++) {
    const int r = h->message[p].rank;
    const int32_t count = from_start[r + 1] - from_start[r];
    start[p] = at;
    memcpy((int32_t *)node->host + at, from + from_start[r], (size_t)count * sizeof *from);
    at += count;
  }
  start[h->peers] = at;
  return ig_array_push(cx, node);
}

static ig_status halo_fill(ig_ctx *cx, const ig_halo_lists *l, ig_halo *h) {
  const int32_t give = l->give_start[l->ranks], take = l->take_start[l->ranks];
  if (!h->message) {
    IG_TRY(IG_NEW(cx, &h->message, l->ranks, "messages"));
    IG_TRY(IG_NEW(cx, &h->sent, (size_t)l->ranks + 1, "messages"));
    IG_TRY(IG_NEW(cx, &h->received, (size_t)l->ranks + 1, "messages"));
  }
  h->peers = 0;
  for (int r = 0; r < l->ranks; r++)
    if (l->give_start[r + 1] > l->give_start[r] || l->take_start[r + 1] > l->take_start[r])
      h->message[h->peers++].rank = r;
  IG_TRY(list_fit(cx, &h->give, &h->given, &h->out, give, h->item));
  IG_TRY(list_fit(cx, &h->take, &h->taken, &h->in, take, h->item));
  IG_TRY(list_take(cx, h, l->give_start, l->give, &h->give, h->sent));
  return list_take(cx, h, l->take_start, l->take, &h->take, h->received);
}

ig_status ig_halo_of(ig_ctx *cx, const ig_halo_lists *lists, size_t item, ig_halo *h) {
  h->item = item;
  const ig_status status = halo_fill(cx, lists, h);
  if (status != IG_OK)
    ig_halo_free(cx, h);
  return status;
}

void ig_halo_free(ig_ctx *cx, ig_halo *h) {
#ifdef INGOT_HAVE_CUDA
  ig_halo_mark_free_cuda(h->mark);
#endif
  if (staged(cx)) {
    if (h->out)
      cx->backend->host_free(cx, h->out);
    if (h->in)
      cx->backend->host_free(cx, h->in);
  }
  ig_array_free(cx, &h->give);
  ig_array_free(cx, &h->take);
  ig_array_free(cx, &h->given);
  ig_array_free(cx, &h->taken);
  free(h->message);
  free(h->sent);
  free(h->received);
  memset(h, 0, sizeof *h);
}

/* Values of the listed nodes into a buffer, on the device; and back. */
static ig_status pack(ig_ctx *cx, const void *values, const ig_array *list, int64_t count,
                      ig_halo_words at, void *buffer) {
  if (count == 0)
    return IG_OK;
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    return ig_halo_pack_cuda(cx, values, list->dev, count, at, buffer);
#endif
  (void)cx;
  const int32_t *node = list->dev;
  for (int64_t i = 0; i < count; i++)
    memcpy((uint32_t *)buffer + at.stride * i + at.offset,
           (const uint32_t *)values + at.words * (int64_t)node[i],
           sizeof(uint32_t) * (size_t)at.words);
  return IG_OK;
}

static ig_status unpack(ig_ctx *cx, const void *buffer, const ig_array *list, int64_t count,
                        ig_halo_words at, void *values) {
  if (count == 0)
    return IG_OK;
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    return ig_halo_unpack_cuda(cx, buffer, list->dev, count, at, values);
#endif
  (void)cx;
  const int32_t *node = list->dev;
  for (int64_t i = 0; i < count; i++)
    memcpy((uint32_t *)values + at.words * (int64_t)node[i],
           (const uint32_t *)buffer + at.stride * i + at.offset,
           sizeof(uint32_t) * (size_t)at.words);
  return IG_OK;
}

static void messages_fill(ig_halo *h, size_t item) {
  for (int p = 0; p < h->peers; p++) {
    ig_message *m = &h->message[p];
    m->send = (char *)h->out + (size_t)h->sent[p] * item;
    m->receive = (char *)h->in + (size_t)h->received[p] * item;
    m->send_size = (size_t)(h->sent[p + 1] - h->sent[p]) * item;
    m->receive_size = (size_t)(h->received[p + 1] - h->received[p]) * item;
  }
}

static size_t items_of(const ig_halo_array *array, int arrays) {
  size_t item = 0;
  for (int i = 0; i < arrays; i++)
    item += array[i].item;
  return item;
}

ig_status ig_halo_start(ig_ctx *cx, ig_halo *h, const ig_halo_array *array, int arrays,
                        ig_status status) {
  const int64_t give = h->sent[h->peers];
  const size_t item = items_of(array, arrays);
  ig_halo_words at = {.stride = (int)(item / 4)};
  for (int i = 0; i < arrays && status == IG_OK; i++, at.offset += at.words) {
    at.words = (int)(array[i].item / 4);
    status = pack(cx, array[i].values, &h->give, give, at, direct(cx) ? h->out : h->given.dev);
  }
  messages_fill(h, item);
#ifdef INGOT_HAVE_CUDA
  if (direct(cx))
    return status == IG_OK ? ig_halo_mark_cuda(cx, &h->mark) : status;
#endif
  if (status == IG_OK && staged(cx) && give)
    status = cx->backend->copy_out(cx, h->out, h->given.dev, (size_t)give * item);
  const ig_status posted = ig_ranks_post(cx, h->message, h->peers);
  return status == IG_OK ? posted : status;
}

/* What is received lies in the buffers of the host. */
static ig_status messages_await(ig_ctx *cx, ig_halo *h, ig_status status) {
  ig_status swapped = IG_OK;
#ifdef INGOT_HAVE_CUDA
  if (direct(cx)) { /* what is sent is there only now */
    if (status == IG_OK)
      status = ig_halo_wait_cuda(cx, h->mark);
    swapped = ig_ranks_post(cx, h->message, h->peers);
  }
#endif
  if (swapped == IG_OK)
    swapped = ig_ranks_await(cx, h->message, h->peers);
  return status == IG_OK ? swapped : status;
}

ig_status ig_halo_finish(ig_ctx *cx, ig_halo *h, const ig_halo_array *array, int arrays,
                         ig_status status) {
  const int64_t take = h->received[h->peers];
  const size_t item = items_of(array, arrays);
  status = messages_await(cx, h, status);
  if (status == IG_OK && staged(cx) && !direct(cx) && take)
    status = cx->backend->copy_in(cx, h->taken.dev, h->in, (size_t)take * item);
  ig_halo_words at = {.stride = (int)(item / 4)};
  for (int i = 0; i < arrays && status == IG_OK; i++, at.offset += at.words) {
    at.words = (int)(array[i].item / 4);
    status = unpack(cx, direct(cx) ? h->in : h->taken.dev, &h->take, take, at, array[i].values);
  }
  return status;
}

ig_status ig_halo_refresh_all(ig_ctx *cx, ig_halo *h, const ig_halo_array *array, int arrays,
                              ig_status status) {
  status = ig_halo_start(cx, h, array, arrays, status);
  return ig_halo_finish(cx, h, array, arrays, status);
}

ig_status ig_halo_refresh(ig_ctx *cx, ig_halo *h, void *values, size_t item, ig_status status) {
  return ig_halo_refresh_all(cx, h, &(ig_halo_array){values, item}, 1, status);
}
