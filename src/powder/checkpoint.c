/* Checkpoints: heat and states of the grids, the windows, what was counted. Temperatures follow
   from heat and are not stored. A resumed run has the bits of one that was not interrupted.

   Small ones (`checkpoint: small`) are for beds of 1e9 fine cells, whose states alone are a
   gigabyte. Numbers are rounded to the bits that matter, and all arrays are compressed; meltings of
   fine cells that no pool reaches any more become sums over coarse cells; sums of heat by column
   become one number. */
#include "powder/powder.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "ingot_io.h"
#include "ranks/partition.h"
#ifdef INGOT_HAVE_IO
#include "io/format/compress.h"
#endif

#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* numbers of a box: at and size; of a layer: those of layers_keep */
enum { MOLTEN = IG_MOLTEN_COUNT, BOX = 6, LAYER = 13, EVENT = 4 };
/* Numbers of a run, doubles throughout: whole numbers in them are exact up to 2^53. */
typedef struct {
  double time, step, layer, bed, dt_dwell, fine_steps, coarse_steps, moves, work, stored0, born,
      sunk;
  double windows, lingers, molten[MOLTEN], line[IG_POWDER_BEAMS], has_box[IG_POWDER_BEAMS];
  double box[IG_POWDER_BEAMS][BOX], linger[IG_POWDER_BOXES][BOX], window[IG_POWDER_WINDOWS][BOX];
  double beams[IG_POWDER_WINDOWS]; /* those that a window was placed for, a bit each */
  double events_before, events_lost, plan, buried;
} kept;
enum { KEPT = sizeof(kept) / sizeof(double) };

static void box_keep(const ig_powder_box *b, double *to) {
  for (int d = 0; d < 3; d++)
    to[d] = b->at[d], to[3 + d] = b->size[d];
}
/* False: not a box of this bed. */
static bool box_take(const ig_powder_run *r, const double *from, ig_powder_box *b) {
  for (int d = 0; d < 3; d++) {
    const double n = r->coarse.n[d];
    if (!(from[d] >= 0 && from[3 + d] >= 1 && from[3 + d] <= n && from[d] + from[3 + d] <= n))
      return false;
    b->at[d] = (int)from[d], b->size[d] = (int)from[3 + d];
  }
  return true;
}

/* The arrays a checkpoint holds, as they lie in a run; states are the third. */
enum { STATE = 2, ARRAYS = 23 };
/* One list serves writing and reading. Types follow from the size of an item: bytes, floats or
   doubles. */
static void arrays(ig_powder_run *r, ig_saved *s) {
  const ig_powder_arrays *a = &r->array;
  const struct {
    const char *name;
    const ig_array *array;
  } all[ARRAYS - 1] = {{"coarse", &a->heat},
                       {"solid", &a->solid},
                       {"state", &a->state},
                       {"source", &a->source},
                       {"lost", &a->lost},
                       {"held", &a->held},
                       {"coarse_lost", &a->coarse_lost},
                       {"coarse_held", &a->coarse_held},
                       {"pool", &a->pool},
                       {"lines", &a->line},
                       {"probe_now", &a->probe_now},
                       {"probe_peak", &a->probe_peak},
                       {"map", &a->map},
                       {"below", &a->below},
                       {"part_cells", &a->part_cells},
                       {"part_unfused", &a->part_unfused},
                       {"evaporated", &a->evaporated},
                       {"event_cells", &a->event_cells},
                       {"ground", &a->ground},
                       {"part_porosity", &a->part_porosity},
                       {"part_keyhole", &a->part_keyhole},
                       {"part_melts", &a->part_melts}};
  for (int i = 0; i < ARRAYS - 1; i++)
    s[i] = (ig_saved){all[i].name,
                      all[i].array->size == 1   ? IG_U8
                      : all[i].array->size == 4 ? IG_F32
                                                : IG_F64,
                      (int64_t)all[i].array->count, all[i].array->host};
  s[ARRAYS - 1] = (ig_saved){"event_lines", IG_F64, r->event_lines ? IG_EVENT_LINE * r->lines : 0,
                             r->event_lines};
  if (r->deep) /* no rank has all of them */
    s[STATE].data = NULL, s[STATE].count = r->nf[0] * r->nf[1] * r->nf[2];
}

/* Counters and places, from the run to the record; numbers_take is the way back. */
static void numbers_keep(const ig_powder_run *r, kept *k) {
  memset(k, 0, sizeof *k);
  k->time = r->time;
  k->step = (double)r->step;
  k->layer = (double)r->layer;
  k->bed = (double)r->bed;
  k->dt_dwell = r->dt_dwell;
  k->fine_steps = (double)r->fine_steps;
  k->coarse_steps = (double)r->coarse_steps;
  k->moves = (double)r->moves;
  k->work = r->work;
  k->stored0 = r->stored0;
  k->born = r->ledger.born;
  k->sunk = (double)r->sunk;
  k->windows = r->set[r->now].count;
  k->lingers = r->lingers;
  k->plan = r->plan;
  k->buried = (double)r->buried;
  k->events_before = r->events_before;
  k->events_lost = r->events_lost;
  for (int i = 0; i < MOLTEN; i++)
    k->molten[i] = r->molten[i];
  for (int b = 0; b < IG_POWDER_BEAMS; b++) {
    k->line[b] = (double)r->laser[b].line;
    k->has_box[b] = r->laser[b].has_box;
    box_keep(&r->laser[b].box, k->box[b]);
  }
  for (int i = 0; i < r->lingers; i++)
    box_keep(&r->linger[i], k->linger[i]);
  for (int i = 0; i < r->set[r->now].count; i++) {
    const ig_powder_window *w = &r->set[r->now].window[i];
    box_keep(&w->box, k->window[i]);
    for (int b = 0; b < w->beams; b++)
      k->beams[i] += 1 << w->beam[b];
  }
}

/* What has been measured of layers; birth, height and lines follow from the path. */
static ig_status layers_keep(const ig_powder_run *r, double (**rows)[LAYER]) {
  IG_TRY(IG_NEW(r->cx, rows, r->layers, "checkpoint"));
  for (int64_t i = 0; i < r->layers; i++) {
    const ig_powder_layer *l = &r->layer_of[i];
    const double row[LAYER] = {l->interlayer, l->melted,     (double)l->cells, l->melts,
                               l->reached,    l->hottest,    l->hot[0],        l->hot[1],
                               l->index,      l->weakest[0], l->weakest[1],    l->porosity,
                               l->keyhole};
    memcpy((*rows)[i], row, sizeof row);
  }
  return IG_OK;
}

/* Events of the present layer; cells are whole numbers below 1e8. */
static ig_status events_keep(const ig_powder_run *r, double (**rows)[EVENT]) {
  IG_TRY(IG_NEW(r->cx, rows, r->events, "checkpoint"));
  for (int64_t i = 0; i < r->events; i++) {
    const ig_powder_event *e = &r->event[i];
    const double row[EVENT] = {(double)e->cell, e->melted, e->cooled, e->cooling};
    memcpy((*rows)[i], row, sizeof row);
  }
  return IG_OK;
}
static ig_status events_take(ig_powder_run *r, const ig_restart *from) {
  const void *data;
  int64_t count;
  if (!r->c->events.at.given)
    return IG_OK;
  IG_TRY(ig_restart_find_any(r->cx, from, "events", IG_F64, &count, &data));
  const double *row = data, cells = (double)(r->array.event_cells.count / IG_EVENT_COLUMNS);
  IG_TRY(ig_powder_events_reserve(r, count / EVENT));
  r->events = count / EVENT;
  for (int64_t i = 0; i < r->events; i++, row += EVENT) {
    if (!(row[0] >= 0 && row[0] < cells))
      return IG_FAIL(r->cx, IG_INPUT, "the checkpoint is not of this case");
    r->event[i] = (ig_powder_event){(int64_t)row[0], row[1], row[2], row[3]};
  }
  ig_powder_events_aim(r, r->layer);
  return IG_OK;
}

/* --- small ones */

#ifdef INGOT_HAVE_IO
/* Bits of the mantissa that are kept: heat to 8e-6, which is a few mK; of lines 5e-4. All
   others are exact. */
static int bits_of(const char *name) {
  static const struct {
    const char *name;
    int bits;
  } few[] = {
      {"coarse", 16}, {"solid", 20}, {"lines", 10}, {"part_porosity", 10}, {"part_keyhole", 10}};
  for (size_t i = 0; i < sizeof few / sizeof *few; i++)
    if (strcmp(name, few[i].name) == 0)
      return few[i].bits;
  return 52;
}

/* To so many bits, half of the last one up; exact where there are no more. */
static void rounded(ig_saved *s) {
  const int drop[2] = {23 - bits_of(s->name), 52 - bits_of(s->name)};
  for (int64_t i = 0; i < s->count && s->dtype == IG_F32 && drop[0] > 0; i++) {
    uint32_t *x = (uint32_t *)s->data + i;
    if (isfinite(((const float *)s->data)[i]))
      *x = (*x + ((uint32_t)1 << (drop[0] - 1))) >> drop[0] << drop[0];
  }
  for (int64_t i = 0; i < s->count && s->dtype == IG_F64 && drop[1] > 0; i++) {
    uint64_t *x = (uint64_t *)s->data + i;
    if (isfinite(((const double *)s->data)[i]))
      *x = (*x + ((uint64_t)1 << (drop[1] - 1))) >> drop[1] << drop[1];
  }
}
#endif

/* An array as bytes of its own; the caller frees them. */
static ig_status pack(ig_ctx *cx, ig_saved *s) {
#ifdef INGOT_HAVE_IO
  const size_t item = ig_dtype_size(s->dtype), bytes = (size_t)s->count * item;
  ig_saved own = *s;
  ig_piece piece = {0};
  if (bits_of(s->name) < 52) {
    IG_TRY(IG_NEW(cx, (char **)&own.data, bytes, "checkpoint"));
    memcpy(own.data, s->data, bytes);
    rounded(&own);
  }
  const bool good = ig_compress_parts(6, ig_team(cx, s->count, 1), own.data, bytes, item, &piece);
  if (own.data != s->data)
    free(own.data);
  if (!good)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a checkpoint");
  *s = (ig_saved){s->name, IG_U8, (int64_t)piece.size, piece.bytes};
  return IG_OK;
#else
  (void)s;
  return IG_FAIL(cx, IG_ARG, "this build writes no files");
#endif
}
static ig_status unpack(ig_ctx *cx, const ig_restart *from, const ig_saved *s) {
#ifdef INGOT_HAVE_IO
  const size_t item = ig_dtype_size(s->dtype);
  int64_t size;
  const void *piece;
  IG_TRY(ig_restart_find_any(cx, from, s->name, IG_U8, &size, &piece));
  return ig_expand_parts(piece, (size_t)size, item, ig_team(cx, s->count, 1), s->data,
                         (size_t)s->count * item)
             ? IG_OK
             : IG_FAIL(cx, IG_INPUT, "the checkpoint is not of this case, or damaged");
#else
  (void)from, (void)s;
  return IG_FAIL(cx, IG_ARG, "this build reads no files");
#endif
}

/* One number in place of the sum over columns. */
static ig_status column_sum(ig_powder_run *r, ig_array *a) {
  double *x = a->host, sum = 0;
  if (a->count == 0)
    return IG_OK;
  for (size_t i = 0; i < a->count; i++)
    sum += x[i];
  memset(x, 0, a->count * sizeof *x);
  x[0] = sum;
  return ig_array_push(r->cx, a);
}

static void melts_bury(void *user, int k, const int32_t *sum) {
  const ig_powder_run *r = user;
  float *melts = (float *)r->array.part_melts.host + ig_powder_cell(r, 0, 0, k);
  for (int i = 0; i < r->coarse.n[0] * r->coarse.n[1]; i++)
    melts[i] += (float)sum[i];
}

/* Meltings of levels that lie twice as deep as any pool so far go to the sums of coarse cells. A
   cell that melts again all the same is counted on from 0 and added. */
static ig_status bury(ig_powder_run *r) {
  const double deepest = ig_powder_host(&r->array.pool)[IG_POOL_MOST + 2];
  const int64_t keep = 2 + 2 * (int64_t)ceil(fmax(deepest, r->layer_height) / r->cell),
                to = r->bed - keep, level = r->nf[0] * r->nf[1], from = r->buried,
                live = from > r->live ? from : r->live;
  if (to <= from || r->c->map.at.given) /* a map has the meltings of its cells */
    return IG_OK;
  IG_TRY(ig_powder_melts_sum(r, from, to, true, melts_bury, r));
  r->buried = to;
  return r->cx->backend->separate && live < to
             ? r->cx->backend->copy_in(r->cx, r->view.state + live * level, r->state + live * level,
                                       (size_t)((to - live) * level))
             : IG_OK;
}

/* What a small checkpoint leaves out, of pulled arrays. */
static ig_status reduce(ig_powder_run *r) {
  ig_powder_arrays *a = &r->array;
  ig_array *const sums[] = {&a->source,      &a->lost,        &a->held,
                            &a->coarse_lost, &a->coarse_held, &a->evaporated};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    IG_TRY(column_sum(r, sums[i]));
  return bury(r);
}

/* --- states of several ranks, of which none has all */

typedef struct {
  ig_powder_run *r;
  ig_sink *to;
  const ig_saved *saved;
  int count;
} saving;

static ig_status states_append(void *user, const void *rows, int64_t count) {
  uint8_t **at = user;
  memcpy(*at, rows, (size_t)count);
  *at += count;
  return IG_OK;
}
/* All of them on the first rank, which compresses them; the caller frees what is allocated. */
static ig_status states_gather(ig_powder_run *r, ig_saved *s) {
  ig_status status = IG_OK;
  if (ig_ranks_first(r->cx))
    status = ig_alloc(r->cx, &s->data, (size_t)s->count, 1, "checkpoint");
  IG_TRY(ig_ranks_agree(r->cx, status));
  uint8_t *at = s->data;
  return ig_powder_states_bring(r, states_append, &at);
}

static ig_status saved_bring(void *self, int array, ig_stream_take *take, void *user) {
  const saving *s = self;
  (void)array; /* there is one */
  return ig_powder_states_bring(s->r, take, user);
}
static ig_status saved_tell(void *user, const ig_stream *stream) {
  const saving *s = user;
  return ig_sink_checkpoint(s->r->cx, s->to, s->r->time, s->r->step, s->saved, s->count, stream);
}
/* To the sink; states that are not in memory in pieces. The first rank has all other arrays, and
   the others save the numbers of the run alone. */
static ig_status saved_write(saving *s) {
  ig_powder_run *r = s->r;
  if (!r->deep)
    return s->to->checkpoint(s->to, r->time, r->step, s->saved, s->count);
  if (r->c->checkpoint == IG_CHECKPOINT_SMALL) {
    if (ig_ranks_first(r->cx))
      return s->to->checkpoint(s->to, r->time, r->step, s->saved, s->count);
  } else {
    ig_served served = {r->cx, s, saved_bring};
    IG_TRY(ig_serve(&served, saved_tell, s));
    if (ig_ranks_first(r->cx))
      return IG_OK;
  }
  return s->to->checkpoint(s->to, r->time, r->step, &s->saved[ARRAYS], 1);
}

/* Windows differ in number and size: an array each. */
static void window_name(int i, char *name, size_t size) {
  snprintf(name, size, "window%d", i);
}

/* Windows' heat is on the device only and is copied out here, ghosts included. */
ig_status ig_powder_save(void *self, ig_sink *to) {
  ig_powder_run *r = self;
  const ig_powder_windows *set = &r->set[r->now];
  ig_saved saved[ARRAYS + 3 + IG_POWDER_WINDOWS];
  char name[IG_POWDER_WINDOWS][24];
  double(*layer)[LAYER] = NULL, (*event)[EVENT] = NULL, *heat[IG_POWDER_WINDOWS] = {NULL};
  kept k;
  ig_status status;
  const bool small = r->c->checkpoint == IG_CHECKPOINT_SMALL;
  int packed = 0;
  void *states = NULL;
  IG_TRY(ig_powder_events_drain(r));
  IG_TRY(ig_powder_pull(r, ~0u));
  IG_TRY(ig_powder_windows_share(r, set, IG_PULL_WINDOWS));
  if (small)
    IG_TRY(reduce(r));
  numbers_keep(r, &k);
  arrays(r, saved);
  IG_TRY_GOTO(status, done, layers_keep(r, &layer));
  IG_TRY_GOTO(status, done, events_keep(r, &event));
  saved[ARRAYS] = (ig_saved){"kept", IG_F64, KEPT, &k};
  saved[ARRAYS + 1] = (ig_saved){"layers", IG_F64, LAYER * r->layers, layer};
  saved[ARRAYS + 2] = (ig_saved){"events", IG_F64, EVENT * r->events, event};
  for (int i = 0; i < set->count; i++) {
    const size_t count = ig_level_count(&set->window[i].fine);
    IG_TRY_GOTO(status, done, IG_NEW(r->cx, &heat[i], count, "checkpoint"));
    IG_TRY_GOTO(status, done,
                r->cx->backend->copy_out(r->cx, heat[i], set->heat[i].dev, count * sizeof(double)));
    window_name(i, name[i], sizeof name[i]);
    saved[ARRAYS + 3 + i] = (ig_saved){name[i], IG_F64, (int64_t)count, heat[i]};
  }
  if (small && r->deep)
    IG_TRY_GOTO(status, done, states_gather(r, &saved[STATE]));
  states = r->deep ? saved[STATE].data : NULL;
  for (; small && (!r->deep || ig_ranks_first(r->cx)) && packed < ARRAYS; packed++)
    if (saved[packed].count > 0)
      IG_TRY_GOTO(status, done, pack(r->cx, &saved[packed]));
  status = saved_write(&(saving){r, to, saved, ARRAYS + 3 + set->count});
done:
  free(states);
  for (int i = 0; i < packed; i++)
    if (saved[i].count > 0)
      free(saved[i].data);
  free(layer);
  free(event);
  for (int i = 0; i < IG_POWDER_WINDOWS; i++)
    free(heat[i]);
  return status;
}

/* Whether what was kept can be of this case. Limits of everything that later is an index or a
   count. */
static bool sensible(const ig_powder_run *r, const kept *k) {
  bool good = k->layer >= 0 && k->layer <= (double)r->layers && k->bed >= (double)r->plate &&
              k->bed <= (double)r->nf[2] && k->time >= 0 && k->sunk >= 0 && k->sunk < 1e18 &&
              k->buried >= 0 && k->buried <= (double)r->nf[2] && k->windows >= 0 &&
              k->windows <= IG_POWDER_WINDOWS && k->lingers >= 0 && k->lingers <= IG_POWDER_BOXES;
  for (int b = 0; b < r->beams; b++)
    good = good && k->line[b] >= -1 && k->line[b] < (double)r->lines;
  for (int i = 0; i < IG_POWDER_WINDOWS; i++)
    good = good && k->beams[i] >= 0 && k->beams[i] < 1 << IG_POWDER_BEAMS;
  return good;
}

/* Boxes of beams, those that linger, windows and their heat. */
static ig_status windows_take(ig_powder_run *r, const ig_restart *from, const kept *k) {
  ig_powder_box box[IG_POWDER_WINDOWS];
  bool good = true;
  r->lingers = (int)k->lingers;
  for (int b = 0; b < r->beams; b++) {
    r->laser[b].has_box = k->has_box[b] != 0;
    good = good && (!r->laser[b].has_box || box_take(r, k->box[b], &r->laser[b].box));
  }
  for (int i = 0; i < r->lingers; i++)
    good = good && box_take(r, k->linger[i], &r->linger[i]);
  for (int i = 0; i < (int)k->windows; i++)
    good = good && box_take(r, k->window[i], &box[i]);
  if (!good)
    return IG_FAIL(r->cx, IG_INPUT, "the checkpoint is not of this case");
  r->view.lingers = r->lingers;
  memcpy(r->view.linger, r->linger, sizeof r->linger);
  unsigned beams[IG_POWDER_WINDOWS]; /* one that has gone on is still the one of the pool there */
  for (int i = 0; i < (int)k->windows; i++)
    beams[i] = (unsigned)k->beams[i];
  IG_TRY(ig_powder_windows_make(r, 0, box, beams, (int)k->windows));
  for (int i = 0; i < (int)k->windows; i++) {
    const size_t count = ig_level_count(&r->set[0].window[i].fine);
    const void *heat;
    char name[24];
    window_name(i, name, sizeof name);
    IG_TRY(ig_restart_find(r->cx, from, name, IG_F64, (int64_t)count, &heat));
    IG_TRY(r->cx->backend->copy_in(r->cx, r->set[0].heat[i].dev, heat, count * sizeof(double)));
  }
  return ig_powder_windows_put(r);
}

static void numbers_take(ig_powder_run *r, const kept *k) {
  r->time = k->time;
  r->step = (int64_t)k->step;
  r->layer = (int64_t)k->layer;
  r->bed = (int64_t)k->bed;
  r->dt_dwell = k->dt_dwell;
  r->fine_steps = (int64_t)k->fine_steps;
  r->coarse_steps = (int64_t)k->coarse_steps;
  r->moves = (int64_t)k->moves;
  r->work = k->work;
  r->stored0 = k->stored0;
  r->ledger.born = k->born;
  r->plan = k->plan;
  r->buried = (int64_t)k->buried;
  r->events_before = k->events_before;
  r->events_lost = k->events_lost;
  const bool first = ig_ranks_first(r->cx); /* which has what was counted so far */
  r->sunk = (uint64_t)k->sunk;
  *(uint64_t *)r->array.sunk.host = first ? r->sunk : 0;
  for (int i = 0; i < MOLTEN; i++) {
    r->molten[i] = (int)k->molten[i];
    ((int *)r->array.molten.host)[i] = first ? r->molten[i] : 0;
  }
  for (int b = 0; b < r->beams; b++)
    r->laser[b].line = (int64_t)k->line[b];
}

/* States of several ranks: the upper ones, and those that this rank keeps of the others. */
static ig_status states_take(ig_powder_run *r, const ig_restart *from, const kept *k,
                             const ig_saved *s) {
  const void *data;
  void *all = NULL;
  double low = k->bed;
  for (int i = 0; i < (int)k->windows; i++)
    low = k->window[i][2] >= 0 ? fmin(low, r->r * k->window[i][2]) : low;
  if (r->c->checkpoint != IG_CHECKPOINT_SMALL) {
    IG_TRY(ig_restart_find(r->cx, from, s->name, s->dtype, s->count, &data));
    return ig_powder_states_take(r, data, (int64_t)low);
  }
  ig_saved own = *s;
  IG_TRY(ig_alloc(r->cx, &all, (size_t)s->count, 1, "states of the bed"));
  own.data = all;
  ig_status status = unpack(r->cx, from, &own);
  if (status == IG_OK)
    status = ig_powder_states_take(r, all, (int64_t)low);
  free(all);
  return status;
}

/* Numbers are checked before anything is changed: a checkpoint of another case, or a damaged one,
   must not index arrays out of their bounds. */
ig_status ig_powder_restore(void *self, const ig_restart *from) {
  ig_powder_run *r = self;
  const void *data;
  ig_saved all[ARRAYS];
  kept k;
  IG_TRY(ig_restart_find(r->cx, from, "kept", IG_F64, KEPT, &data));
  memcpy(&k, data, sizeof k);
  if (!sensible(r, &k))
    return IG_FAIL(r->cx, IG_INPUT, "the checkpoint is not of this case");
  arrays(r, all);
  for (int i = 0; i < ARRAYS; i++) {
    if (all[i].count == 0 || (i == STATE && r->deep))
      continue;
    if (r->c->checkpoint == IG_CHECKPOINT_SMALL) {
      IG_TRY(unpack(r->cx, from, &all[i]));
      continue;
    }
    IG_TRY(ig_restart_find(r->cx, from, all[i].name, all[i].dtype, all[i].count, &data));
    memcpy(all[i].data, data, (size_t)all[i].count * ig_dtype_size(all[i].dtype));
  }
  IG_TRY(ig_restart_find(r->cx, from, "layers", IG_F64, LAYER * r->layers, &data));
  const double *row = data;
  for (int64_t i = 0; i < r->layers; i++, row += LAYER) {
    ig_powder_layer *l = &r->layer_of[i];
    l->interlayer = row[0], l->melted = row[1], l->cells = (int64_t)row[2];
    l->melts = row[3], l->reached = row[4], l->hottest = row[5];
    l->hot[0] = row[6], l->hot[1] = row[7];
    l->index = row[8], l->weakest[0] = row[9], l->weakest[1] = row[10];
    l->porosity = row[11], l->keyhole = row[12];
  }
  numbers_take(r, &k);
  if (r->deep)
    IG_TRY(states_take(r, from, &k, &all[STATE]));
  /* the schedule moves on to the time of the checkpoint */
  (void)ig_powder_film_due(r); /* frames until then are there */
  IG_TRY(windows_take(r, from, &k));
  IG_TRY(events_take(r, from));
  IG_TRY(ig_powder_fill(r));
  return ig_powder_push(r);
}
