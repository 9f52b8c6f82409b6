/* The state of all parts: for a checkpoint and from one, for programs, and sizes of what is there.
 */
#include "backend/backend.h"
#include "thermal/heat_part.h"

#include <stdlib.h>
#include <string.h>

/* Arrays of the state, in the part; columns: of one array after another. */
typedef struct {
  const ig_collect *items;
  const ig_array *part;
  int columns;
  size_t size;      /* bytes per item and column */
  const char *name; /* in a checkpoint; numbers there per item */
  ig_dtype type;
  int numbers;
} kept;
enum { KEPT = 6 };

/* The same on all ranks, whatever each of them holds; in the order of one rank. */
static int kept_list(ig_heat *w, kept *list) {
  ig_heat_part *p = w->part;
  ig_heat *l = &p->local;
  const size_t state = ig_heat_state_size(w);
  const ig_dtype type = w->precision == IG_SINGLE ? IG_F32 : IG_F64;
  const kept all[KEPT] = {
      {&p->nodes, &l->node.T, 1, state, "T", type, 1},
      {&p->nodes, &l->node.H, 1, state, "H", type, 1},
      {&p->nodes, &l->node.ledger, 1, IG_LEDGER_COLUMNS * sizeof(double), "node_ledger", IG_F64,
       IG_LEDGER_COLUMNS},
      {&p->faces, &l->face.ledger, 1, 3 * sizeof(double), "face_ledger", IG_F64, 3},
      {&p->cells, &l->material.solid, 1, 1, "solid", IG_U8, 1},
      {&p->cells, &l->past.track, IG_TRACK_COLUMNS, sizeof(float), "track", IG_F32,
       IG_TRACK_COLUMNS}};
  const bool there[KEPT] = {true,
                            w->capacity == IG_HEAT_ENTHALPY,
                            true,
                            w->face.count > 0,
                            w->material.powder,
                            w->past.every > 0};
  int count = 0;
  for (int i = 0; i < KEPT; i++)
    if (there[i])
      list[count++] = all[i];
  return count;
}

static int64_t part_items(const ig_heat_part *p, const ig_collect *items) {
  return p->idle              ? 0
         : items == &p->nodes ? p->local.nodes
         : items == &p->cells ? p->local.elements
                              : p->local.face.count;
}

/* --- to a checkpoint */

void ig_heat_part_saved(ig_heat *whole, ig_saved *saved, int *count) {
  kept list[KEPT];
  *count = kept_list(whole, list);
  for (int i = 0; i < *count; i++)
    saved[i] =
        (ig_saved){list[i].name, list[i].type, list[i].items->whole_count * list[i].numbers, NULL};
}

/* Items of several numbers, as the numbers that a checkpoint counts. */
typedef struct {
  ig_stream_take *take;
  void *user;
  int numbers;
} counting;

static ig_status numbers_take(void *user, const void *rows, int64_t count) {
  const counting *c = user;
  return c->take(c->user, rows, count * c->numbers);
}

ig_status ig_heat_part_saved_array(ig_ctx *cx, ig_heat *whole, int i, ig_stream_take *take,
                                   void *user) {
  kept list[KEPT];
  const int count = kept_list(whole, list);
  if (i < 0 || i >= count)
    return IG_FAIL(cx, IG_ARG, "a checkpoint has no array %d", i);
  if (i == 0)
    return ig_heat_part_T(cx, whole, take, user);
  const kept *k = &list[i];
  const int64_t items = part_items(whole->part, k->items);
  counting c = {take, user, k->numbers / k->columns};
  for (int column = 0; column < k->columns; column++) {
    const char *dev = k->part->dev;
    IG_TRY(ig_heat_part_array(cx, whole, k->items,
                              dev ? dev + (size_t)(column * items) * k->size : NULL, k->size,
                              numbers_take, &c));
  }
  return IG_OK;
}

/* --- from one */

/* Items of the part from those of the whole: all nodes and cells, ghosts too; of faces its own. */
static ig_status array_scatter(ig_ctx *cx, const ig_heat_part *p, const kept *k, const char *from) {
  const int64_t count = part_items(p, k->items), whole = k->items->whole_count;
  const size_t size = k->size, columns = (size_t)k->columns;
  char *to;
  IG_TRY(ig_alloc(cx, (void **)&to, (size_t)count * columns + 1, size, "state"));
  for (size_t c = 0; c < columns; c++) {
    const char *column = from + c * (size_t)whole * size;
    char *mine = to + c * (size_t)count * size;
    if (k->items == &p->faces) {
      for (int64_t i = 0; i < p->faces.mine_count; i++)
        memcpy(mine + (size_t)p->faces.mine[i] * size, column + (size_t)p->faces.whole[i] * size,
               size);
      continue;
    }
    const ig_lid *place = k->items == &p->nodes ? p->part.node : p->local.cell_of;
    for (int64_t i = 0; i < count; i++)
      memcpy(mine + (size_t)i * size, column + (size_t)place[i] * size, size);
  }
  ig_status status = cx->backend->copy_in(cx, k->part->dev, to, (size_t)count * columns * size);
  if (status == IG_OK)
    status = cx->backend->sync(cx); /* before its memory goes */
  free(to);
  return status;
}

ig_status ig_heat_part_restore(ig_ctx *cx, ig_heat *whole, const ig_restart *restart) {
  ig_heat_part *p = whole->part;
  kept list[KEPT];
  const void *data;
  if (!p)
    return IG_OK;
  p->counted = false;
  if (p->idle)
    return IG_OK;
  const int count = kept_list(whole, list);
  for (int i = 0; i < count; i++) {
    const kept *k = &list[i];
    IG_TRY(
        ig_restart_find(cx, restart, k->name, k->type, k->items->whole_count * k->numbers, &data));
    if (k->part->count)
      IG_TRY(array_scatter(cx, p, k, data));
  }
  IG_TRY(ig_heat_next_fill(cx, &p->local));
  p->local.time = whole->time;
  p->local.past.time = whole->past.time;
  p->local.past.steps = whole->past.steps;
  return IG_OK;
}

/* --- for programs */

typedef struct {
  double *to;
  size_t size;
} widening;

static ig_status widen(void *user, const void *rows, int64_t count) {
  widening *w = user;
  for (int64_t i = 0; i < count; i++)
    *w->to++ = ig_heat_get(rows, w->size, i);
  return IG_OK;
}

ig_status ig_heat_part_temperatures(ig_ctx *cx, ig_heat *whole, double *T) {
  widening w = {T, ig_heat_state_size(whole)};
  IG_TRY(ig_heat_part_T(cx, whole, widen, &w));
  IG_TRY(ig_ranks_agree(cx, IG_OK));
  return ig_ranks_share(cx, 0, T, (size_t)whole->nodes * sizeof *T);
}

/* --- sizes */

typedef struct {
  const ig_heat *whole;
  ig_heat_part *part;
  double T, volume, area, content;
} sizing;

static ig_status sizes_fill(void *user, int32_t first, int32_t count, void *rows) {
  const sizing *s = user;
  const ig_heat *l = &s->part->local;
  double *row = rows;
  memset(rows, 0, (size_t)count * IG_HEAT_SIZES * sizeof *row);
  for (int32_t e = first; e < first + count && e < l->now.elements; e++)
    ig_heat_sizes_of(l, e, &s->part->far, row + (int64_t)IG_HEAT_SIZES * (e - first));
  return IG_OK;
}

static ig_status sizes_add(void *user, const void *rows, int64_t first, int64_t count) {
  sizing *s = user;
  const double *row = rows;
  (void)first;
  for (int64_t i = 0; i < count; i++, row += IG_HEAT_SIZES) {
    for (int a = 0; a < 8; a++)
      s->volume += row[a];
    for (int k = 8; k < IG_HEAT_SIZES; k++)
      s->area += row[k];
  }
  return IG_OK;
}

ig_status ig_heat_part_measure(ig_ctx *cx, ig_heat *whole, double *volume, double *area) {
  sizing s = {.whole = whole, .part = whole->part};
  whole->part->far.there = whole->now.elements;
  IG_TRY(ig_heat_part_stream(cx, &whole->part->cells, IG_HEAT_SIZES * sizeof(double), sizes_fill,
                             sizes_add, &s));
  double found[2] = {s.volume, s.area};
  IG_TRY(ig_ranks_share(cx, 0, found, sizeof found));
  *volume = found[0];
  *area = found[1];
  return IG_OK;
}

/* Those that were there from the start bring none. */
static ig_status contents_fill(void *user, int32_t first, int32_t count, void *rows) {
  const sizing *s = user;
  const ig_heat *l = &s->part->local;
  double *row = rows;
  memset(rows, 0, 8 * (size_t)count * sizeof *row);
  for (int32_t e = first; e < first + count && e < l->now.elements; e++)
    if (l->cell_of[e] >= s->whole->birth.start[1])
      ig_heat_contents_of(l, e, s->T, row + 8 * (int64_t)(e - first));
  return IG_OK;
}

static ig_status contents_add(void *user, const void *rows, int64_t first, int64_t count) {
  sizing *s = user;
  const double *row = rows;
  (void)first;
  for (int64_t i = 0; i < 8 * count; i++)
    s->content += row[i];
  return IG_OK;
}

ig_status ig_heat_part_born_content(ig_ctx *cx, ig_heat *whole, double T, double *content) {
  sizing s = {.whole = whole, .part = whole->part, .T = T};
  IG_TRY(ig_heat_part_stream(cx, &whole->part->cells, 8 * sizeof(double), contents_fill,
                             contents_add, &s));
  *content = s.content;
  return ig_ranks_share(cx, 0, content, sizeof *content);
}
