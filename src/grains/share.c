/* Several ranks: the box is cut across y. A step reads of other cells only neighbours, and between
   its two passes: rows beside a rank's own come from the ranks that computed them. Cells, grains,
   nuclei and random numbers keep their numbers in the whole, so that bits are those of one rank.

   Each rank has the arrays of the whole box. */
#include "grains/grains.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first row of a rank; those without rows come last. */
static int row_of(const ig_grains_run *r, int rank) {
  const int rows = r->view.n[1], ranks = ig_ranks_count(r->cx->ranks),
            parts = ranks < rows ? ranks : rows;
  return rank < parts ? (int)((int64_t)rows * rank / parts) : rows;
}

/* Lists of ghosts: this rank's lowest and highest rows, then those below and above them. */
enum { GIVE_LOW, GIVE_HIGH, TAKE_LOW, TAKE_HIGH, LISTS };

ig_status ig_grains_divide(ig_grains_run *r) {
  ig_grains_view *v = &r->view;
  const int rank = ig_ranks_rank(r->cx->ranks), ranks = ig_ranks_count(r->cx->ranks),
            parts = ranks < v->n[1] ? ranks : v->n[1];
  v->own_y[0] = row_of(r, rank);
  v->own_y[1] = row_of(r, rank + 1);
  r->side[0] = r->side[1] = -1;
  if (parts == 1 || rank >= parts)
    return IG_OK;
  if (rank > 0 || v->periodic)
    r->side[0] = (rank + parts - 1) % parts;
  if (rank + 1 < parts || v->periodic)
    r->side[1] = (rank + 1) % parts;
  return ig_array_new(r->cx, &r->array.ghosts, LISTS * (size_t)v->n[0] * (size_t)v->n[2],
                      sizeof(ig_grains_ghost), "exchange between ranks");
}

/* A list between the cells at y and the device. */
static ig_status list_copy(ig_grains_run *r, int y, bool from, size_t at) {
  ig_grains_ghost *list = (ig_grains_ghost *)r->array.ghosts.dev + at;
  IG_IF_CUDA(if (r->cx->backend->kernels ==
                 IG_KERNELS_CUDA) return ig_grains_ghosts_cuda(r->cx, &r->view, y, from, list);)
  return ig_grains_ghosts_cpu(r->cx, &r->view, y, from, list);
}

/* Messages; a rank that is beside this one on both sides sends both rows in one, its lowest first.
 */
static int messages_make(ig_grains_run *r, ig_message *message) {
  const size_t count = (size_t)r->view.n[0] * (size_t)r->view.n[2],
               bytes = count * sizeof(ig_grains_ghost);
  ig_grains_ghost *list = r->array.ghosts.host;
  int messages = 0;
  if (r->side[0] >= 0 && r->side[0] == r->side[1]) {
    message[messages++] =
        (ig_message){r->side[0], list, list + TAKE_LOW * count, 2 * bytes, 2 * bytes};
    return messages;
  }
  for (int s = 0; s < 2; s++)
    if (r->side[s] >= 0)
      message[messages++] = (ig_message){r->side[s], list + (size_t)(GIVE_LOW + s) * count,
                                         list + (size_t)(TAKE_LOW + s) * count, bytes, bytes};
  return messages;
}

ig_status ig_grains_ghosts(ig_grains_run *r) {
  const ig_grains_view *v = &r->view;
  const size_t count = (size_t)v->n[0] * (size_t)v->n[2];
  ig_message message[2];
  if (ig_ranks_count(r->cx->ranks) == 1)
    return IG_OK;
  for (int s = 0; s < 2; s++)
    if (r->side[s] >= 0)
      IG_TRY(
          list_copy(r, s ? v->own_y[1] - 1 : v->own_y[0], false, (size_t)(GIVE_LOW + s) * count));
  if (r->array.ghosts.count)
    IG_TRY(ig_array_pull(r->cx, &r->array.ghosts));
  IG_TRY(ig_ranks_exchange(r->cx, message, messages_make(r, message)));
  if (r->array.ghosts.count)
    IG_TRY(ig_array_push(r->cx, &r->array.ghosts));
  const bool both = r->side[0] == r->side[1]; /* its lowest row is above this rank's */
  for (int s = 0; s < 2; s++)
    if (r->side[s] >= 0) {
      const int y = s ? v->own_y[1] % v->n[1] : (v->own_y[0] + v->n[1] - 1) % v->n[1];
      IG_TRY(list_copy(r, y, true, (size_t)(TAKE_LOW + (both ? 1 - s : s)) * count));
    }
  return IG_OK;
}

ig_status ig_grains_count_join(ig_grains_run *r, ig_status status, ig_grains_count *count) {
  const int ranks = ig_ranks_count(r->cx->ranks);
  const ig_grains_count mine = *count;
  ig_grains_count *all = NULL;
  if (ranks == 1)
    return status;
  if (status == IG_OK)
    status = IG_NEW(r->cx, &all, ranks, "counts of ranks");
  status = ig_ranks_agree(r->cx, status);
  if (status == IG_OK)
    status = ig_ranks_collect(r->cx, &mine, sizeof mine, all);
  if (status == IG_OK)
    status = ig_ranks_bcast(r->cx, 0, all, (size_t)ranks * sizeof *all);
  *count = (ig_grains_count){0, 0, INFINITY};
  for (int i = 0; i < ranks && status == IG_OK; i++) {
    count->liquid += all[i].liquid;
    count->active += all[i].active;
    count->wake = fmin(count->wake, all[i].wake);
  }
  free(all);
  return status;
}

/* Rows of a rank, one level after the other, between an array and a buffer. */
static void rows_copy(const ig_grains_run *r, int rank, size_t item, char *array, char *buffer,
                      bool into) {
  const int from = row_of(r, rank), to = row_of(r, rank + 1);
  const size_t row = (size_t)r->view.n[0] * item, size = (size_t)(to - from) * row,
               level = (size_t)r->view.n[1] * row;
  for (int z = 0; z < r->view.n[2]; z++) {
    char *at = array + (size_t)z * level + (size_t)from * row;
    memcpy(into ? at : buffer, into ? buffer : at, size);
    buffer += size;
  }
}

static ig_status array_gather(ig_grains_run *r, ig_array *a) {
  const int ranks = ig_ranks_count(r->cx->ranks), rank = ig_ranks_rank(r->cx->ranks);
  const size_t item = a->count / (size_t)r->view.cells * a->size;
  char *buffer = NULL;
  if (a->count == 0)
    return IG_OK;
  ig_status status = IG_NEW(r->cx, &buffer, (size_t)r->view.cells * item, "exchange between ranks");
  status = ig_ranks_agree(r->cx, status);
  for (int i = 0; i < ranks && status == IG_OK; i++) {
    const size_t rows = (size_t)(row_of(r, i + 1) - row_of(r, i));
    if (i == rank)
      rows_copy(r, i, item, a->host, buffer, false);
    status =
        ig_ranks_bcast(r->cx, i, buffer, rows * (size_t)r->view.n[0] * (size_t)r->view.n[2] * item);
    if (status == IG_OK && i != rank)
      rows_copy(r, i, item, a->host, buffer, true);
  }
  free(buffer);
  return status;
}

ig_status ig_grains_gather(ig_grains_run *r) {
  if (ig_ranks_count(r->cx->ranks) == 1)
    return IG_OK;
#define X(name, type) IG_TRY(array_gather(r, &r->array.name));
  IG_GRAINS_STATE_ARRAYS(X)
#undef X
  return IG_OK;
}
