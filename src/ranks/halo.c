/* Ghost (halo) exchange: lists of the nodes that each rank sends to each peer and receives from it,
   packing into buffers, and unpacking.

   Sender and receiver must list the same nodes in the same order without talking about it. Pairs
   (rank, local node) are therefore sorted; local numbers rise with global ones, so the order is the
   global order on both sides. */
#include "ranks/partition.h"
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

/* An element with nodes of several owners makes each of them need the nodes of the others: a ghost
   is received from its owner, and every own node of the element is sent to that owner. Duplicates
   are removed by pairs_sort. */
static ig_status pairs_find(ig_ctx *cx, const ig_partition *p, ig_halo_pairs *give,
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
  return IG_OK;
}

/* The list of one direction, copied to the device; start: peers + 1, where the nodes of each peer
   begin. */
static ig_status list_make(ig_ctx *cx, const ig_halo *h, const ig_halo_pairs *all, ig_array *node,
                           int32_t *start) {
  IG_TRY(ig_array_new(cx, node, (size_t)all->count + 1, sizeof(int32_t), "ghosts"));
  int64_t i = 0;
  for (int p = 0; p < h->peers; p++) {
    start[p] = (int32_t)i;
    for (; i < all->count && all->item[i].rank == h->wire.end[p].rank; i++)
      ((int32_t *)node->host)[i] = all->item[i].node;
  }
  start[h->peers] = (int32_t)i;
  return ig_array_push(cx, node);
}

/* Buffers for the lists. */
static ig_status wire_fit(ig_ctx *cx, ig_halo *h) {
  for (int p = 0; p < h->peers; p++) {
    h->wire.end[p].give = (size_t)(h->sent[p + 1] - h->sent[p]) * h->item;
    h->wire.end[p].take = (size_t)(h->received[p + 1] - h->received[p]) * h->item;
  }
  return ig_exchange_fit(cx, &h->wire);
}

/* Merges the ranks of both sorted lists: a peer may only give or only take. Returns their number;
   end NULL: count only. */
static int peers_list(const ig_halo_pairs *give, const ig_halo_pairs *take, ig_exchange_end *end) {
  int peers = 0;
  for (int64_t i = 0, j = 0; i < take->count || j < give->count; peers++) {
    const int32_t t = i < take->count ? take->item[i].rank : INT32_MAX;
    const int32_t g = j < give->count ? give->item[j].rank : INT32_MAX, rank = t < g ? t : g;
    if (end)
      end[peers].rank = rank;
    while (i < take->count && take->item[i].rank == rank)
      i++;
    while (j < give->count && give->item[j].rank == rank)
      j++;
  }
  return peers;
}

static ig_status halo_of_pairs(ig_ctx *cx, ig_halo_pairs *give, ig_halo_pairs *take, ig_halo *h) {
  pairs_sort(give);
  pairs_sort(take);
  h->peers = peers_list(give, take, NULL);
  IG_TRY(IG_NEW(cx, &h->sent, (size_t)h->peers + 1, "messages"));
  IG_TRY(IG_NEW(cx, &h->received, (size_t)h->peers + 1, "messages"));
  IG_TRY(ig_exchange_ends(cx, &h->wire, h->peers));
  peers_list(give, take, h->wire.end);
  IG_TRY(list_make(cx, h, give, &h->give, h->sent));
  IG_TRY(list_make(cx, h, take, &h->take, h->received));
  return wire_fit(cx, h);
}

ig_status ig_halo_of_pairs(ig_ctx *cx, ig_halo_pairs *give, ig_halo_pairs *take, size_t item,
                           ig_halo *h) {
  memset(h, 0, sizeof *h);
  h->item = item;
  const ig_status status = halo_of_pairs(cx, give, take, h);
  free(give->item);
  free(take->item);
  *give = *take = (ig_halo_pairs){0};
  if (status != IG_OK)
    ig_halo_free(cx, h);
  return status;
}

ig_status ig_halo_new(ig_ctx *cx, const ig_partition *part, size_t item, ig_halo *h) {
  ig_halo_pairs give = {0}, take = {0};
  const ig_status status = pairs_find(cx, part, &give, &take);
  if (status == IG_OK)
    return ig_halo_of_pairs(cx, &give, &take, item, h);
  free(give.item);
  free(take.item);
  return status;
}

/* Like realloc for a list on the device, with a quarter of reserve and without its content. The
   stream is synchronised first because a launched kernel may still read the old list. */
static ig_status list_fit(ig_ctx *cx, ig_array *node, int64_t count) {
  if (node->dev && node->count <= (size_t)count && cx->backend->separate)
    IG_TRY(cx->backend->sync(cx)); /* it may still be read */
  return ig_array_fit(cx, node, (size_t)count, sizeof(int32_t), true, "ghosts");
}

/* Concatenates the lists of the ranks that are peers; start: peers + 1. */
static ig_status list_take(ig_ctx *cx, const ig_halo *h, const int32_t *from_start,
                           const int32_t *from, ig_array *node, int32_t *start) {
  int32_t at = 0;
  for (int p = 0; p < h->peers; p++) {
    const int r = h->wire.end[p].rank;
    const int32_t count = from_start[r + 1] - from_start[r];
    start[p] = at;
    if (count > 0) /* a rank that only gives, or only takes, may have no list of the other */
      memcpy((int32_t *)node->host + at, from + from_start[r], (size_t)count * sizeof *from);
    at += count;
  }
  start[h->peers] = at;
  return ig_array_push(cx, node);
}

static bool peer_of(const ig_halo_lists *l, int r) {
  return l->give_start[r + 1] > l->give_start[r] || l->take_start[r + 1] > l->take_start[r];
}

/* Unlike ig_halo_new this reuses arrays of a former call: fracture calls it whenever nodes
   split. */
static ig_status halo_fill(ig_ctx *cx, const ig_halo_lists *l, ig_halo *h) {
  const int32_t give = l->give_start[l->ranks], take = l->take_start[l->ranks];
  if (!h->sent)
    IG_TRY(IG_NEW(cx, &h->sent, (size_t)l->ranks + 1, "messages"));
  if (!h->received)
    IG_TRY(IG_NEW(cx, &h->received, (size_t)l->ranks + 1, "messages"));
  h->peers = 0;
  for (int r = 0; r < l->ranks; r++)
    h->peers += peer_of(l, r);
  IG_TRY(ig_exchange_ends(cx, &h->wire, h->peers));
  for (int r = 0, p = 0; r < l->ranks; r++)
    if (peer_of(l, r))
      h->wire.end[p++].rank = r;
  IG_TRY(list_fit(cx, &h->give, give));
  IG_TRY(list_fit(cx, &h->take, take));
  IG_TRY(list_take(cx, h, l->give_start, l->give, &h->give, h->sent));
  IG_TRY(list_take(cx, h, l->take_start, l->take, &h->take, h->received));
  return wire_fit(cx, h);
}

ig_status ig_halo_of(ig_ctx *cx, const ig_halo_lists *lists, size_t item, ig_halo *h) {
  h->item = item;
  const ig_status status = halo_fill(cx, lists, h);
  if (status != IG_OK)
    ig_halo_free(cx, h);
  return status;
}

void ig_halo_free(ig_ctx *cx, ig_halo *h) {
  ig_exchange_free(cx, &h->wire);
  ig_array_free(cx, &h->give);
  ig_array_free(cx, &h->take);
  free(h->sent);
  free(h->received);
  memset(h, 0, sizeof *h);
}

#ifdef INGOT_HAVE_CUDA
/* At most IG_HALO_ENDS peers per launch: their addresses are passed as a kernel parameter. */
static ig_status carry_cuda(ig_ctx *cx, const ig_halo *h, bool out, ig_halo_words at,
                            void *values) {
  const int32_t *start = out ? h->sent : h->received;
  for (int p = 0; p < h->peers; p += IG_HALO_ENDS) {
    ig_halo_ends ends = {.count = h->peers - p < IG_HALO_ENDS ? h->peers - p : IG_HALO_ENDS};
    for (int i = 0; i < ends.count; i++) {
      char *buffer = out ? ig_exchange_to(&h->wire, p + i) : ig_exchange_from(&h->wire, p + i);
      ends.at[i] = (uint32_t *)(void *)buffer;
    }
    memcpy(ends.start, start + p, ((size_t)ends.count + 1) * sizeof *start);
    IG_TRY(out ? ig_halo_pack_cuda(cx, values, h->give.dev, &ends, at)
               : ig_halo_unpack_cuda(cx, h->take.dev, &ends, at, values));
  }
  return IG_OK;
}
#endif

/* memcpy with a constant size is inlined. 4 and 8 bytes are one value in single and double
   precision, 24 three values in double. */
static inline void item_copy(char *to, const char *from, size_t size) {
  if (size == 4)
    memcpy(to, from, 4);
  else if (size == 8)
    memcpy(to, from, 8);
  else if (size == 24)
    memcpy(to, from, 24);
  else
    memcpy(to, from, size);
}

/* Moves values of the listed nodes into the buffers of the peers (out) or back, on the device.
   Values are moved as 4-byte words, so one routine serves every type and no number is changed. */
static ig_status carry(ig_ctx *cx, const ig_halo *h, bool out, ig_halo_words at, void *values) {
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    return carry_cuda(cx, h, out, at, values);
#endif
  (void)cx;
  const int32_t *start = out ? h->sent : h->received, *node = out ? h->give.dev : h->take.dev;
  const size_t size = sizeof(uint32_t) * (size_t)at.words;
  for (int p = 0; p < h->peers; p++) {
    char *buffer = out ? ig_exchange_to(&h->wire, p) : ig_exchange_from(&h->wire, p);
    for (int32_t i = start[p]; i < start[p + 1]; i++) {
      const bool second = at.split && node[i] >= at.split;
      char *value =
          (char *)(second ? at.more : values) + size * (size_t)(node[i] - (second ? at.split : 0));
      char *word = buffer + sizeof(uint32_t) *
                                ((size_t)at.stride * (size_t)(i - start[p]) + (size_t)at.offset);
      item_copy(out ? word : value, out ? value : word, size);
    }
  }
  return IG_OK;
}

/* With a split, `array` has two halves of the same widths: nodes below the split are in arrays of
   the first half, the others in the second. Only the first half defines the layout of a message. */
static int firsts_of(const ig_halo *h, int arrays) {
  return h->split ? arrays / 2 : arrays;
}

static size_t items_of(const ig_halo *h, const ig_halo_array *array, int arrays) {
  size_t item = 0;
  for (int i = 0; i < firsts_of(h, arrays); i++)
    item += array[i].item;
  return item;
}

/* Packs all arrays of one exchange into one message per peer: the values of a node stand together
   (stride), array after array (offset). Fewer messages matter more than bytes here. */
static ig_status arrays_carry(ig_ctx *cx, const ig_halo *h, bool out, const ig_halo_array *array,
                              int arrays) {
  const int firsts = firsts_of(h, arrays);
  ig_halo_words at = {.stride = (int)(items_of(h, array, arrays) / 4), .split = h->split};
  for (int i = 0; i < firsts; i++, at.offset += at.words) {
    at.words = (int)(array[i].item / 4);
    at.more = h->split ? array[firsts + i].values : NULL;
    IG_TRY(carry(cx, h, out, at, array[i].values));
  }
  return IG_OK;
}

ig_status ig_halo_pack(ig_ctx *cx, const ig_halo *h, const ig_halo_array *array, int arrays) {
  return arrays_carry(cx, h, true, array, arrays);
}
ig_status ig_halo_unpack(ig_ctx *cx, const ig_halo *h, const ig_halo_array *array, int arrays) {
  return arrays_carry(cx, h, false, array, arrays);
}

/* Sizes depend on the arrays passed, so they are set for each exchange; buffers were made for
   `item` bytes per node. */
ig_status ig_halo_start(ig_ctx *cx, ig_halo *h, const ig_halo_array *array, int arrays,
                        ig_status status) {
  const size_t item = items_of(h, array, arrays);
  const ig_status begun = ig_exchange_begin(cx, &h->wire);
  status = status == IG_OK ? begun : status;
  for (int p = 0; p < h->peers; p++) {
    h->wire.end[p].send = (size_t)(h->sent[p + 1] - h->sent[p]) * item;
    h->wire.end[p].receive = (size_t)(h->received[p + 1] - h->received[p]) * item;
  }
  if (status == IG_OK)
    status = ig_halo_pack(cx, h, array, arrays);
  return ig_exchange_send(cx, &h->wire, status);
}

ig_status ig_halo_finish(ig_ctx *cx, ig_halo *h, const ig_halo_array *array, int arrays,
                         ig_status status) {
  status = ig_exchange_take(cx, &h->wire, status);
  return status == IG_OK ? ig_halo_unpack(cx, h, array, arrays) : status;
}

ig_status ig_halo_refresh_all(ig_ctx *cx, ig_halo *h, const ig_halo_array *array, int arrays,
                              ig_status status) {
  status = ig_halo_start(cx, h, array, arrays, status);
  return ig_halo_finish(cx, h, array, arrays, status);
}

ig_status ig_halo_refresh(ig_ctx *cx, ig_halo *h, void *values, size_t item, ig_status status) {
  return ig_halo_refresh_all(cx, h, &(ig_halo_array){values, item}, 1, status);
}
