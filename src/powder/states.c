/* States of fine cells on several ranks: a byte for each cell of the bed is most of a run's memory.
   Windows reach a few tens of levels down from the top, and only there states change. These levels
   every rank has, on the device. Levels below, in memory of the host, are divided: level k is of
   rank k modulo the number of ranks.

        bed's top    -------------------   live: of all ranks, `room` levels from `live` on
                     windows
        r->live      -------------------
                     deep levels: 0 1 2 0 1 2 ..., numbers of ranks
        bottom       -------------------

   As the bed rises, lower live levels become deep ones; where a window reaches deeper than ever,
   deep ones live again. Kernels see an address that lies `live` levels below that of the array. On
   one rank, and where a map asks for the meltings of its cells, all levels are live. */
#include "powder/powder.h"
#include "backend/backend.h"
#include "ranks/ranks.h"

#include <stdlib.h>
#include <string.h>

static size_t level_bytes(const ig_powder_run *r) {
  return (size_t)r->nf[0] * (size_t)r->nf[1];
}
static int owner_of(const ig_powder_run *r, int64_t level) {
  return (int)(level % ig_ranks_count(r->cx->ranks));
}
static bool mine(const ig_powder_run *r, int64_t level) {
  return owner_of(r, level) == ig_ranks_rank(r->cx->ranks);
}
static bool divided(const ig_powder_run *r) {
  return ig_powder_ranks(r) && !r->c->map.at.given;
}
static uint8_t *device_level(const ig_powder_run *r, int64_t level) {
  return (uint8_t *)r->array.state.dev + (size_t)(level - r->live) * level_bytes(r);
}

/* From where on levels live, in whole coarse cells, when the bed is `bed` levels high. */
static int64_t low_of(const ig_powder_run *r, int64_t bed) {
  const int64_t low = divided(r) && bed > r->keep ? bed - r->keep : 0;
  return low / r->r * r->r;
}
/* Levels of the array: the bed rises by as many as are kept before they move. */
static int64_t room_of(const ig_powder_run *r, int64_t low) {
  const int64_t most = 2 * r->keep + r->r;
  return divided(r) && most < r->nf[2] - low ? most : r->nf[2] - low;
}

/* Addresses of level 0, which may lie before the array. */
static uint8_t *whole(const ig_powder_run *r, void *array) {
  return (uint8_t *)((uintptr_t)array - (size_t)r->live * level_bytes(r));
}
static void addresses_take(ig_powder_run *r) {
  r->state = whole(r, r->array.state.host);
  r->view.state = whole(r, r->array.state.dev);
}

/* Levels of the least window, of one more coarse level, and of a layer and the one below it live at
   least. */
ig_status ig_powder_states_make(ig_powder_run *r) {
  r->keep = (int64_t)(r->size[2] + 1) * r->r + 2 + (int64_t)(r->layer_height / r->cell + 0.5);
  r->live = low_of(r, r->bed);
  IG_TRY(ig_array_new(r->cx, &r->array.state, (size_t)room_of(r, r->live) * level_bytes(r), 1,
                      "states of the bed"));
  if (divided(r))
    IG_TRY(IG_NEW(r->cx, &r->deep, r->nf[2], "states of the bed"));
  addresses_take(r);
  return IG_OK;
}

void ig_powder_states_free(ig_powder_run *r) {
  for (int64_t k = 0; r->deep && k < r->nf[2]; k++)
    free(r->deep[k].of);
  free(r->deep);
  free(r->melts);
}

void ig_powder_states_plate(ig_powder_run *r) {
  for (int64_t k = 0; k < r->live; k++)
    r->deep[k].all = IG_POWDER_SOLID;
  memset(r->array.state.host, IG_POWDER_SOLID, (size_t)(r->plate - r->live) * level_bytes(r));
}

/* --- between live and deep levels */

/* A deep level of this rank, of bytes at `from`; those of most of the plate are all the same, and
   have never melted. */
static ig_status deep_take(ig_powder_run *r, int64_t level, const uint8_t *from) {
  ig_powder_deep *d = &r->deep[level];
  const size_t bytes = level_bytes(r);
  free(d->of);
  *d = (ig_powder_deep){.all = from[0]};
  if (d->all >> IG_POWDER_MELTS == 0 && memcmp(from, from + 1, bytes - 1) == 0)
    return IG_OK;
  IG_TRY(ig_alloc(r->cx, (void **)&d->of, bytes, 1, "states of the bed"));
  memcpy(d->of, from, bytes);
  return IG_OK;
}
static void deep_give(const ig_powder_run *r, int64_t level, uint8_t *to) {
  const ig_powder_deep *d = &r->deep[level];
  if (d->of)
    memcpy(to, d->of, level_bytes(r));
  else
    memset(to, d->all, level_bytes(r));
}

/* Live levels below `low` become deep ones; of a bed that rises by many at once those between are
   powder. */
static ig_status levels_sink(ig_powder_run *r, int64_t low) {
  uint8_t *level;
  const int64_t end = r->live + (int64_t)(r->array.state.count / level_bytes(r));
  ig_status status = ig_alloc(r->cx, (void **)&level, level_bytes(r), 1, "states of the bed");
  for (int64_t k = r->live; k < low && status == IG_OK; k++)
    if (mine(r, k)) {
      if (k < end)
        status = r->cx->backend->copy_out(r->cx, level, device_level(r, k), level_bytes(r));
      else
        memset(level, 0, level_bytes(r));
      if (status == IG_OK)
        status = deep_take(r, k, level);
    }
  free(level);
  return ig_ranks_agree(r->cx, status);
}

ig_status ig_powder_states_rise(ig_powder_run *r, int64_t bed) {
  const size_t bytes = level_bytes(r), all = r->array.state.count;
  const int64_t low = low_of(r, bed), room = (int64_t)(all / bytes), by = low - r->live;
  const ig_backend *on = r->cx->backend;
  if (bed <= r->live + room)
    return IG_OK;
  IG_TRY(levels_sink(r, low));
  uint8_t *state = r->array.state.dev;
  for (int64_t k = 0; k + by < room; k += by) { /* so that no two parts of a copy overlap */
    const int64_t left = room - k - by, count = left < by ? left : by;
    IG_TRY(on->copy(r->cx, state + (size_t)k * bytes, state + (size_t)(k + by) * bytes,
                    (size_t)count * bytes));
  }
  const int64_t left = by < room ? room - by : 0; /* what is new is powder */
  IG_TRY(on->fill(r->cx, state + (size_t)left * bytes, 0, (size_t)(room - left) * bytes));
  r->live = low;
  addresses_take(r);
  return IG_OK;
}

/* A deep level to all ranks. */
static ig_status level_share(ig_powder_run *r, int64_t k, uint8_t *level) {
  if (mine(r, k))
    deep_give(r, k, level);
  return ig_ranks_bcast(r->cx, owner_of(r, k), level, level_bytes(r));
}

ig_status ig_powder_states_reach(ig_powder_run *r, int64_t low) {
  const size_t bytes = level_bytes(r);
  const ig_backend *on = r->cx->backend;
  if (low >= r->live)
    return IG_OK;
  low = low / r->r * r->r;
  ig_array more = {0};
  uint8_t *level = NULL;
  const int64_t deeper = r->live - low, now = (int64_t)(r->array.state.count / bytes);
  r->keep = r->bed - low > r->keep ? r->bed - low : r->keep;
  const int64_t room = room_of(r, low) > now + deeper ? room_of(r, low) : now + deeper;
  ig_status status = ig_array_new(r->cx, &more, (size_t)room * bytes, 1, "states of the bed");
  if (status == IG_OK)
    status = ig_alloc(r->cx, (void **)&level, bytes, 1, "states of the bed");
  if (status == IG_OK)
    status = on->copy(r->cx, (uint8_t *)more.dev + (size_t)deeper * bytes, r->array.state.dev,
                      r->array.state.count);
  if (status == IG_OK)
    status = on->fill(r->cx, (uint8_t *)more.dev + (size_t)(deeper + now) * bytes, 0,
                      (size_t)(room - deeper - now) * bytes);
  status = ig_ranks_agree(r->cx, status);
  for (int64_t k = low; k < r->live && status == IG_OK; k++) {
    status = level_share(r, k, level);
    if (status == IG_OK)
      status = on->copy_in(r->cx, (uint8_t *)more.dev + (size_t)(k - low) * bytes, level, bytes);
    free(r->deep[k].of);
    r->deep[k] = (ig_powder_deep){0};
  }
  free(level);
  if (status != IG_OK) {
    ig_array_free(r->cx, &more);
    return status;
  }
  ig_array_free(r->cx, &r->array.state);
  r->array.state = more;
  r->live = low;
  addresses_take(r);
  return IG_OK;
}

/* --- all levels, for output */

/* A level, of pulled live ones, on the first rank. `own`: memory for it on all. */
static ig_status level_bring(ig_powder_run *r, int64_t k, uint8_t *own, const uint8_t **level) {
  const bool first = ig_ranks_first(r->cx);
  const size_t bytes = level_bytes(r);
  *level = own;
  if (k >= r->live) {
    *level = r->state + (size_t)k * bytes;
    if (k >= r->live + (int64_t)(r->array.state.count / bytes)) { /* above what lives: powder */
      memset(own, 0, bytes);
      *level = own;
    }
    return IG_OK;
  }
  if (mine(r, k))
    deep_give(r, k, own);
  if (owner_of(r, k) == 0)
    return IG_OK;
  const ig_message give = {.rank = 0, .send = own, .send_size = bytes},
                   take = {.rank = owner_of(r, k), .receive = own, .receive_size = bytes};
  return ig_ranks_exchange(r->cx, first ? &take : &give, first || mine(r, k));
}

ig_status ig_powder_states_bring(ig_powder_run *r, ig_stream_take *take, void *user) {
  uint8_t *own;
  const uint8_t *level;
  ig_status status =
      ig_ranks_agree(r->cx, ig_alloc(r->cx, (void **)&own, level_bytes(r), 1, "states of the bed"));
  for (int64_t k = 0; k < r->nf[2] && status == IG_OK; k++) {
    status = level_bring(r, k, own, &level);
    if (status == IG_OK && ig_ranks_first(r->cx))
      status = take(user, level, (int64_t)level_bytes(r));
  }
  free(own);
  return ig_ranks_agree(r->cx, status);
}

ig_status ig_powder_states_take(ig_powder_run *r, const uint8_t *all, int64_t low) {
  const size_t bytes = level_bytes(r);
  const int64_t least = low_of(r, r->bed);
  r->live = low < least ? low / r->r * r->r : least;
  ig_array_free(r->cx, &r->array.state);
  int64_t room = room_of(r, least) + least - r->live;
  room = room < r->nf[2] - r->live ? room : r->nf[2] - r->live;
  IG_TRY(ig_array_new(r->cx, &r->array.state, (size_t)room * bytes, 1, "states of the bed"));
  addresses_take(r);
  memcpy(r->array.state.host, all + (size_t)r->live * bytes, r->array.state.count);
  for (int64_t k = 0; k < r->live; k++)
    if (mine(r, k))
      IG_TRY(deep_take(r, k, all + (size_t)k * bytes));
  return IG_OK;
}

/* --- meltings */

/* Those of a level, to its coarse cells. */
static void level_count(const ig_powder_run *r, const uint8_t *level, int32_t *to) {
  for (int64_t j = 0; j < r->nf[1]; j++)
    for (int64_t i = 0; i < r->nf[0]; i++)
      to[j / r->r * r->coarse.n[0] + i / r->r] += *level++ >> IG_POWDER_MELTS;
}
static void level_forget(const ig_powder_run *r, uint8_t *level) {
  for (size_t i = 0; i < level_bytes(r); i++)
    level[i] &= (1 << IG_POWDER_MELTS) - 1;
}

/* Counts of coarse columns of all ranks, on all; `each`: room for those of all. */
static ig_status counts_join(ig_powder_run *r, int32_t *count, int32_t *each) {
  const int cells = r->coarse.n[0] * r->coarse.n[1], ranks = ig_ranks_count(r->cx->ranks);
  const size_t bytes = (size_t)cells * sizeof *count;
  if (ranks == 1)
    return IG_OK;
  IG_TRY(ig_ranks_collect(r->cx, count, bytes, each));
  for (int rank = 1; rank < ranks && ig_ranks_first(r->cx); rank++)
    for (int i = 0; i < cells; i++)
      count[i] += each[(size_t)rank * (size_t)cells + (size_t)i];
  return ig_ranks_bcast(r->cx, 0, count, bytes);
}

ig_status ig_powder_melts_sum(ig_powder_run *r, int64_t from, int64_t to, bool forget,
                              ig_powder_melts_put *put, void *user) {
  const size_t cells = (size_t)r->coarse.n[0] * (size_t)r->coarse.n[1], bytes = level_bytes(r);
  const bool first = ig_ranks_first(r->cx);
  int32_t *count = NULL;
  ig_status status = IG_NEW(
      r->cx, &count, cells * (size_t)(first ? 1 + ig_ranks_count(r->cx->ranks) : 1), "meltings");
  status = ig_ranks_agree(r->cx, status);
  for (int64_t k = from; k < to && status == IG_OK;) {
    const int64_t coarse = k / r->r, end = (coarse + 1) * r->r < to ? (coarse + 1) * r->r : to;
    memset(count, 0, cells * sizeof *count);
    for (; k < end; k++) {
      uint8_t *level = k >= r->live ? r->state + (size_t)k * bytes : r->deep[k].of;
      if (level && (k < r->live || first))
        level_count(r, level, count);
      if (level && forget)
        level_forget(r, level);
    }
    status = counts_join(r, count, count + cells);
    if (status == IG_OK)
      put(user, (int)coarse, count);
  }
  free(count);
  return status;
}
