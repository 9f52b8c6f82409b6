/* Several ranks. A window is computed by one of them, that of its first beam; all others learn what
   they need of it:

        each coarse step   coarse cells under it and around it, its pools, counts, probes
        before it moves    states, sums of heat by column, history of its cells, its heat
        for output         the same, where it is asked for

   Long steps, between layers, are divided by rows of coarse cells in y, whose borders ranks
   exchange before every stage. Coarse steps beside windows are everybody's.

   The coarse grid, the windows' places, the records of lines and layers are the same on all ranks,
   which compute them from equal numbers, in the order of one rank: all have its bits. */
#include "powder/powder.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int owner_of(const ig_powder_run *r, const ig_powder_window *w) {
  const int by = w->beams > 0 ? w->beam[0] : w->box.at[0] + w->box.at[1];
  return by % ig_ranks_count(r->cx->ranks);
}

bool ig_powder_away(const ig_powder_run *r, const ig_powder_window *w) {
  return owner_of(r, w) != ig_ranks_rank(r->cx->ranks);
}

/* --- parcels */

enum { PARCELS = 8 };
typedef struct {
  ig_powder_parcel of[PARCELS];
  int count;
  size_t bytes;
} parcels;

/* A box of an array; nothing where it is empty. */
static void parcel_add(parcels *all, void *array, const int64_t n[2], const int64_t at[3],
                       const int64_t size[3], int bytes) {
  ig_powder_parcel *p = &all->of[all->count];
  if (!array || size[0] <= 0 || size[1] <= 0 || size[2] <= 0)
    return;
  *p = (ig_powder_parcel){.array = array, .buffer = NULL, .bytes = bytes};
  memcpy(p->n, n, sizeof p->n);
  memcpy(p->at, at, sizeof p->at);
  memcpy(p->size, size, sizeof p->size);
  all->bytes += ((size_t)bytes * (size_t)(size[0] * size[1] * size[2]) + 15) / 16 * 16;
  all->count++;
}

/* Between the arrays and the buffer on the device, from byte `first` of it on. */
static ig_status parcels_copy(ig_powder_run *r, const parcels *all, size_t first, bool into) {
  char *at = (char *)r->array.parcel.dev + first;
  for (int i = 0; i < all->count; i++) {
    ig_powder_parcel *p = &r->view.a.parcel;
    *p = all->of[i];
    p->buffer = at;
    p->into = into;
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_parcel));
    at += ((size_t)p->bytes * (size_t)(p->size[0] * p->size[1] * p->size[2]) + 15) / 16 * 16;
  }
  return IG_OK;
}

static ig_status buffer_fit(ig_powder_run *r, size_t bytes) {
  ig_array *buffer = &r->array.parcel;
  if (buffer->count >= bytes)
    return IG_OK;
  ig_array_free(r->cx, buffer);
  return ig_array_new(r->cx, buffer, bytes + bytes / 4, 1, "exchange between ranks");
}

/* From rank `root` to all. */
static ig_status parcels_send(ig_powder_run *r, int root, const parcels *all) {
  ig_array *buffer = &r->array.parcel;
  const ig_backend *on = r->cx->backend;
  if (all->bytes == 0)
    return IG_OK;
  IG_TRY(buffer_fit(r, all->bytes));
  const bool mine = ig_ranks_rank(r->cx->ranks) == root;
  if (mine) {
    IG_TRY(parcels_copy(r, all, 0, false));
    IG_TRY(on->separate ? on->copy_out(r->cx, buffer->host, buffer->dev, all->bytes) : IG_OK);
  }
  IG_TRY(ig_ranks_bcast(r->cx, root, buffer->host, all->bytes));
  if (mine)
    return IG_OK;
  IG_TRY(on->separate ? on->copy_in(r->cx, buffer->dev, buffer->host, all->bytes) : IG_OK);
  return parcels_copy(r, all, 0, true);
}

/* --- windows */

/* The part of a window's cells that lies in a box of fine cells, `at` to `at` + `n` of the bed. */
static void history_add(const ig_powder_run *r, const ig_powder_window *w, const int64_t at[3],
                        const int64_t n[3], void *array, int bytes, parcels *all) {
  int64_t from[3], size[3];
  for (int d = 0; d < 3; d++) {
    const int64_t low = (int64_t)w->box.at[d] * r->r - at[d], high = low + w->fine.n[d];
    from[d] = low > 0 ? low : 0;
    size[d] = (high < n[d] ? high : n[d]) - from[d];
  }
  parcel_add(all, array, n, from, size, bytes);
}

ig_status ig_powder_windows_share(ig_powder_run *r, const ig_powder_windows *set, unsigned what) {
  for (int i = 0; i < set->count && ig_powder_ranks(r); i++) {
    const ig_powder_window *w = &set->window[i];
    const int64_t none[3] = {0, 0, 0}, plane[3] = {r->nf[0], r->nf[1], 1},
                  cells[3] = {(int64_t)ig_level_count(&w->fine), 1, 1};
    const ig_powder_view *v = &r->view;
    parcels all = {.count = 0};
    if (what & IG_PULL_STATE)
      history_add(r, w, none, r->nf, v->state, 1, &all);
    double *const column[] = {v->source, v->lost, v->held, v->evaporated};
    ig_powder_window top = *w; /* its columns */
    top.box.at[2] = 0;
    top.fine.n[2] = 1;
    for (size_t c = 0; c < sizeof column / sizeof *column && what & IG_PULL_LEDGER; c++)
      history_add(r, &top, none, plane, column[c], sizeof(double), &all);
    if (what & IG_PULL_MAP) {
      history_add(r, w, v->map.at, v->map.n, v->map.value, IG_MAP_COLUMNS * (int)sizeof(float),
                  &all);
      history_add(r, w, v->events.at, v->events.n, v->events.cell,
                  IG_EVENT_COLUMNS * (int)sizeof(double), &all);
    }
    if (what & IG_PULL_WINDOWS)
      parcel_add(&all, w->fine.heat, cells, none, cells, sizeof(double));
    IG_TRY(parcels_send(r, owner_of(r, w), &all));
  }
  return IG_OK;
}

ig_status ig_powder_coarse_share(ig_powder_run *r, const ig_powder_window *w) {
  const int *n = r->coarse.n;
  const int64_t ghosted[2] = {n[0] + 2, n[1] + 2}, plain[2] = {n[0], n[1]};
  int64_t around[3], size[3], at[3], in[3];
  parcels all = {.count = 0};
  if (!ig_powder_ranks(r))
    return IG_OK;
  for (int d = 0; d < 3; d++) {
    around[d] = w->box.at[d]; /* one cell before it, where the array has one of ghosts */
    size[d] = w->box.size[d] + 2;
    at[d] = w->box.at[d];
    in[d] = w->box.size[d];
  }
  parcel_add(&all, r->view.coarse.heat, ghosted, around, size, sizeof(double));
  parcel_add(&all, r->view.solid, plain, at, in, sizeof(double));
  return parcels_send(r, owner_of(r, w), &all);
}

/* --- rows of coarse cells, in long steps */

static int row_of(const ig_powder_run *r, int rank) {
  return (int)((int64_t)r->coarse.n[1] * rank / ig_ranks_count(r->cx->ranks));
}

bool ig_powder_rows(const ig_powder_run *r, int *from, int *to) {
  const int rank = ig_ranks_rank(r->cx->ranks);
  if (!ig_powder_ranks(r) || r->coarse.n[1] < ig_ranks_count(r->cx->ranks))
    return false;
  *from = row_of(r, rank);
  *to = row_of(r, rank + 1);
  return true;
}

/* Heat of rows `from` to `to` - 1 of the levels that are filled. */
static void rows_add(const ig_powder_run *r, int from, int to, parcels *all) {
  const int *n = r->coarse.n;
  const int64_t ghosted[2] = {n[0] + 2, n[1] + 2}, at[3] = {1, from + 1, 1},
                size[3] = {n[0], to - from, ig_powder_filled(&r->view, 2)};
  parcel_add(all, r->view.coarse.heat, ghosted, at, size, sizeof(double));
}

/* A row each is sent to and taken from the ranks below and above. */
ig_status ig_powder_rows_beside(ig_powder_run *r) {
  const int rank = ig_ranks_rank(r->cx->ranks), ranks = ig_ranks_count(r->cx->ranks),
            from = row_of(r, rank), to = row_of(r, rank + 1);
  const ig_backend *on = r->cx->backend;
  ig_array *buffer = &r->array.parcel;
  parcels give = {.count = 0}, take = {.count = 0};
  ig_message message[2];
  int messages = 0;
  if (rank > 0) {
    rows_add(r, from, from + 1, &give);
    rows_add(r, from - 1, from, &take);
  }
  if (rank + 1 < ranks) {
    rows_add(r, to - 1, to, &give);
    rows_add(r, to, to + 1, &take);
  }
  IG_TRY(buffer_fit(r, 2 * give.bytes));
  char *host = buffer->host;
  const size_t each = give.bytes / (size_t)give.count;
  for (int i = 0; i < give.count; i++)
    message[messages++] = (ig_message){.rank = i == 0 && rank > 0 ? rank - 1 : rank + 1,
                                       .send = host + (size_t)i * each,
                                       .receive = host + give.bytes + (size_t)i * each,
                                       .send_size = each,
                                       .receive_size = each};
  IG_TRY(parcels_copy(r, &give, 0, false));
  if (on->separate)
    IG_TRY(on->copy_out(r->cx, host, buffer->dev, give.bytes));
  IG_TRY(ig_ranks_exchange(r->cx, message, messages));
  if (on->separate)
    IG_TRY(on->copy_in(r->cx, (char *)buffer->dev + give.bytes, host + give.bytes, give.bytes));
  return parcels_copy(r, &take, give.bytes, true);
}

ig_status ig_powder_rows_join(ig_powder_run *r) {
  const int64_t plane[2] = {r->coarse.n[0], r->coarse.n[1]};
  for (int rank = 0; rank < ig_ranks_count(r->cx->ranks); rank++) {
    const int64_t at[3] = {0, row_of(r, rank), 0},
                  size[3] = {plane[0], row_of(r, rank + 1) - at[1], 1};
    parcels all = {.count = 0};
    rows_add(r, (int)at[1], row_of(r, rank + 1), &all);
    parcel_add(&all, r->view.coarse_lost, plane, at, size, sizeof(double));
    parcel_add(&all, r->view.coarse_held, plane, at, size, sizeof(double));
    IG_TRY(parcels_send(r, rank, &all));
  }
  return IG_OK;
}

/* --- what was looked at */

typedef struct {
  uint64_t key[IG_POWDER_KEYS], sunk;
  double now[IG_POWDER_PROBES], peak[IG_POWDER_PROBES];
  int molten[IG_MOLTEN_COUNT];
} look;

/* Largest extents and temperatures, cells of pools, counts, the probe of who knows it. */
static void look_add(look *sum, const look *one, int probes) {
  for (int i = 0; i < IG_POWDER_KEYS; i++)
    sum->key[i] = i % IG_KEYS == IG_KEY_CELLS ? sum->key[i] + one->key[i]
                  : one->key[i] > sum->key[i] ? one->key[i]
                                              : sum->key[i];
  for (int i = 0; i < IG_MOLTEN_COUNT; i++)
    sum->molten[i] = i < IG_MOLTEN_EXTENT              ? sum->molten[i] + one->molten[i]
                     : one->molten[i] > sum->molten[i] ? one->molten[i]
                                                       : sum->molten[i];
  sum->sunk += one->sunk;
  for (int i = 0; i < probes; i++) {
    sum->now[i] = isnan(sum->now[i]) ? one->now[i] : sum->now[i];
    sum->peak[i] = fmax(sum->peak[i], one->peak[i]);
  }
}

static ig_status look_keep(ig_powder_run *r, look *one) {
  ig_powder_arrays *a = &r->array;
  const size_t probes = (size_t)r->c->probes.count * sizeof(double);
  IG_TRY(ig_array_pull(r->cx, &a->keys));
  IG_TRY(ig_array_pull(r->cx, &a->molten));
  IG_TRY(ig_array_pull(r->cx, &a->sunk));
  IG_TRY(ig_array_pull(r->cx, &a->probe_now));
  IG_TRY(ig_array_pull(r->cx, &a->probe_peak));
  memcpy(one->key, a->keys.host, sizeof one->key);
  memcpy(one->molten, a->molten.host, sizeof one->molten);
  one->sunk = *(const uint64_t *)a->sunk.host;
  if (probes) {
    memcpy(one->now, a->probe_now.host, probes);
    memcpy(one->peak, a->probe_peak.host, probes);
  }
  return IG_OK;
}

/* Counts stay those of each rank on its device: some go on over the whole run. */
static ig_status look_take(ig_powder_run *r, const look *sum) {
  ig_powder_arrays *a = &r->array;
  const size_t probes = (size_t)r->c->probes.count * sizeof(double);
  memcpy(a->keys.host, sum->key, sizeof sum->key);
  memcpy(r->molten, sum->molten, sizeof r->molten);
  r->sunk = sum->sunk;
  if (probes) {
    memcpy(a->probe_now.host, sum->now, probes);
    memcpy(a->probe_peak.host, sum->peak, probes);
  }
  IG_TRY(ig_array_push(r->cx, &a->keys));
  IG_TRY(ig_array_push(r->cx, &a->probe_now));
  return ig_array_push(r->cx, &a->probe_peak);
}

ig_status ig_powder_looks_join(ig_powder_run *r) {
  const int ranks = ig_ranks_count(r->cx->ranks);
  look *all = NULL, mine;
  memset(&mine, 0, sizeof mine);
  ig_status status = look_keep(r, &mine);
  if (status == IG_OK)
    status = IG_NEW(r->cx, &all, ranks, "looks of ranks");
  status = ig_ranks_agree(r->cx, status);
  if (status == IG_OK)
    status = ig_ranks_collect(r->cx, &mine, sizeof mine, all);
  if (status == IG_OK && ig_ranks_first(r->cx))
    for (int i = 1; i < ranks; i++)
      look_add(&all[0], &all[i], r->c->probes.count);
  if (status == IG_OK)
    status = ig_ranks_bcast(r->cx, 0, all, sizeof *all);
  if (status == IG_OK)
    status = look_take(r, all);
  free(all);
  return status;
}
