/* Ghost exchange in stages: an algorithm that computes items in stages (the overhang filter of
   topopt, layer by layer) needs after each stage the ghosts of that stage only. The lists of a halo
   are sorted by stage; its buffers are shared by all stages. */
#include "ranks/partition.h"

#include <stdlib.h>
#include <string.h>

/* Stable counting sort of one direction's list by stage, then by peer; at: stages x (peers + 1),
   where each begins. Within a peer the order is kept, so sender and receiver still agree. */
static ig_status list_sort(ig_ctx *cx, const ig_halo *h, const ig_array *all, const int32_t *start,
                           int stages, const int32_t *stage, ig_array *list, int32_t **at) {
  const size_t row = (size_t)h->peers + 1;
  const int32_t *node = all->host;
  int32_t *next, total = 0;
  IG_TRY(IG_NEW(cx, at, (size_t)stages * row, "messages"));
  IG_TRY(ig_array_new(cx, list, (size_t)start[h->peers] + 1, sizeof(int32_t), "ghosts"));
  IG_TRY(IG_NEW(cx, &next, stages, "messages"));
  for (int p = 0; p < h->peers; p++)
    for (int32_t i = start[p]; i < start[p + 1]; i++)
      (*at)[(size_t)stage[node[i]] * row + (size_t)p + 1]++;
  for (int s = 0; s < stages; s++) {
    int32_t *begin = *at + (size_t)s * row;
    begin[0] = total;
    for (int p = 0; p < h->peers; p++)
      begin[p + 1] += begin[p];
    total = begin[h->peers];
  }
  for (int p = 0; p < h->peers; p++) {
    for (int s = 0; s < stages; s++)
      next[s] = (*at)[(size_t)s * row + (size_t)p];
    for (int32_t i = start[p]; i < start[p + 1]; i++)
      ((int32_t *)list->host)[next[stage[node[i]]]++] = node[i];
  }
  free(next);
  return ig_array_push(cx, list);
}

ig_status ig_halo_stages_new(ig_ctx *cx, ig_halo *all, int stages, const int32_t *stage,
                             ig_halo_stages *h) {
  memset(h, 0, sizeof *h);
  h->all = *all;
  memset(all, 0, sizeof *all);
  IG_TRY(list_sort(cx, &h->all, &h->all.give, h->all.sent, stages, stage, &h->give, &h->sent));
  return list_sort(cx, &h->all, &h->all.take, h->all.received, stages, stage, &h->take,
                   &h->received);
}

void ig_halo_stages_free(ig_ctx *cx, ig_halo_stages *h) {
  ig_halo_free(cx, &h->all);
  ig_array_free(cx, &h->give);
  ig_array_free(cx, &h->take);
  free(h->sent);
  free(h->received);
  memset(h, 0, sizeof *h);
}

/* Temporarily replaces the lists of the halo by those of the stage; its buffers, made for all
   items, are large enough. */
ig_status ig_halo_stage(ig_ctx *cx, ig_halo_stages *h, int stage, void *values, size_t item) {
  const size_t at = (size_t)stage * ((size_t)h->all.peers + 1);
  const ig_halo all = h->all;
  h->all.give = h->give;
  h->all.take = h->take;
  h->all.sent = h->sent + at;
  h->all.received = h->received + at;
  const ig_status status = ig_halo_refresh(cx, &h->all, values, item, IG_OK);
  h->all.give = all.give;
  h->all.take = all.take;
  h->all.sent = all.sent;
  h->all.received = all.received;
  return status;
}
