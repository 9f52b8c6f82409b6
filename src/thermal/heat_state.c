/* The state: temperatures, surveys, the ledger, checkpoints, sizes. */
#include "thermal/heat_make.h"
#include "backend/backend.h"
#include "thermal/heat_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

ig_status ig_heat_temperatures(ig_ctx *cx, ig_heat *h, double *T) {
  widening w = {T, ig_heat_state_size(h)};
  IG_TRY(cx->backend->sync(cx));
  IG_TRY(ig_heat_part_T(cx, h, widen, &w));
  return ig_ranks_share(cx, 0, T, (size_t)h->part.nodes.whole_count * sizeof *T);
}

static void volume_of(const ig_heat *h, ig_lid n, double *volume) {
  for (int m = 0; m < h->material.count; m++)
    volume[m] =
        ig_heat_get(h->node.volume.host, ig_heat_state_size(h), (int64_t)n * h->material.count + m);
}

/* Of the part, ghosts too. T: nodes of the whole. */
static ig_status nodes_set(ig_ctx *cx, ig_heat *h, const double *T) {
  const size_t size = ig_heat_state_size(h);
  double volume[16];
  if (h->elements == 0)
    return IG_OK;
  if (h->node.H.host)
    IG_TRY(ig_array_pull(cx, &h->node.volume));
  for (ig_lid n = 0; n < h->nodes; n++) {
    const double value = T[h->node_of ? h->node_of[n] : n];
    ig_heat_put(h->node.T.host, size, n, value);
    if (h->node.H.host) {
      volume_of(h, n, volume);
      ig_heat_put(h->node.H.host, size, n, ig_heat_content_of(h, volume, value));
    }
  }
  if (h->node.H.host)
    IG_TRY(ig_array_push(cx, &h->node.H));
  IG_TRY(ig_array_push(cx, &h->node.T));
  return ig_heat_next_fill(cx, h);
}

ig_status ig_heat_set_temperatures(ig_ctx *cx, ig_heat *h, const double *T) {
  ig_heat_ledger ledger;
  h->part.counted = false;
  IG_TRY(nodes_set(cx, h, T));
  IG_TRY(ig_heat_ledger_read(cx, h, &ledger));
  ledger.start = 0;
  h->start_content = h->totals[0] = ig_heat_ledger_gap(&ledger);
  return IG_OK;
}

ig_status ig_heat_ask(ig_ctx *cx, ig_heat *h, const ig_heat_question *q, ig_heat_survey *found) {
  ig_status status = IG_OK;
  memset(found, 0, sizeof *found);
  for (int i = 0; i < IG_SURVEY_EXTREMES; i++) {
    found->low[i] = 1e300;
    found->high[i] = -1e300;
  }
  if (h->elements)
    status = ig_heat_survey_make(cx, h, q, found);
  return ig_heat_part_survey(cx, h, q, status, found);
}

ig_heat_ledger ig_heat_ledger_of(const ig_heat *h, const ig_heat_survey *s) {
  return (ig_heat_ledger){.start = h->start_content,
                          .stored = s->sum[IG_SURVEY_STORED],
                          .source = s->sum[IG_LEDGER_SOURCE],
                          .flux = s->sum[IG_LEDGER_FLUX],
                          .body = s->sum[IG_LEDGER_BODY],
                          .born = s->sum[IG_LEDGER_BORN],
                          .convected = s->sum[IG_LEDGER_CONVECTED],
                          .radiated = s->sum[IG_LEDGER_RADIATED],
                          .held = s->sum[IG_LEDGER_HELD] + s->sum[IG_LEDGER_HELD_ANEW]};
}

ig_status ig_heat_ledger_read(ig_ctx *cx, ig_heat *h, ig_heat_ledger *l) {
  const ig_heat_question nothing = {0};
  ig_heat_survey s;
  IG_TRY(ig_heat_ask(cx, h, &nothing, &s));
  *l = ig_heat_ledger_of(h, &s);
  return IG_OK;
}

/* --- checkpoints */

/* An array of the state: the same list on all ranks, whatever each of them has. `columns` arrays of
   the items stand one behind the other; an item of a column has `numbers` of the type. */
typedef struct {
  const char *name;
  ig_array *array;
  const ig_collect *items;
  ig_dtype type;
  int columns, numbers;
} table;
enum { TABLES = 6 };

static int tables_list(ig_heat *h, table *list) {
  ig_heat_part *p = &h->part;
  const ig_dtype state = h->precision == IG_SINGLE ? IG_F32 : IG_F64;
  const struct {
    table of;
    bool there;
  } all[TABLES] = {
      {{"T", &h->node.T, &p->nodes, state, 1, 1}, true},
      {{"H", &h->node.H, &p->nodes, state, 1, 1}, h->capacity == IG_HEAT_ENTHALPY},
      {{"node_ledger", &h->node.ledger, &p->nodes, IG_F64, 1, IG_LEDGER_COLUMNS}, true},
      {{"face_ledger", &h->face.ledger, &p->faces, IG_F64, 1, 3}, p->faces.whole_count > 0},
      {{"solid", &h->material.solid, &p->cells, IG_U8, 1, 1}, h->material.powder},
      {{"track", &h->past.track, &p->cells, IG_F32, IG_TRACK_COLUMNS, 1}, h->past.every > 0}};
  int count = 0;
  for (int i = 0; i < TABLES; i++)
    if (all[i].there)
      list[count++] = all[i].of;
  return count;
}

static int64_t table_count(const table *t) {
  return t->items->whole_count * t->columns * t->numbers;
}

ig_status ig_heat_save(ig_ctx *cx, ig_heat *h, ig_saved *saved, int *count) {
  table list[TABLES];
  *count = tables_list(h, list);
  for (int i = 0; i < *count; i++) {
    saved[i] = (ig_saved){list[i].name, list[i].type, table_count(&list[i]), NULL};
    if (ig_heat_is_divided(h))
      continue;
    IG_TRY(ig_array_pull(cx, list[i].array));
    saved[i].data = list[i].array->host;
  }
  saved[(*count)++] = (ig_saved){"totals", IG_F64, 4, h->totals};
  return IG_OK;
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

/* Items of a table in the part. */
static int64_t table_items(const ig_heat *h, const table *t) {
  return t->items == &h->part.nodes   ? h->nodes
         : t->items == &h->part.cells ? h->elements
                                      : h->face.count;
}

ig_status ig_heat_saved_array(ig_ctx *cx, ig_heat *h, int i, ig_stream_take *take, void *user) {
  table list[TABLES];
  const int count = tables_list(h, list);
  if (i < 0 || i >= count)
    return IG_FAIL(cx, IG_ARG, "a checkpoint has no array %d", i);
  if (list[i].array == &h->node.T)
    return ig_heat_part_T(cx, h, take, user);
  const table *t = &list[i];
  const size_t size = (size_t)t->numbers * ig_dtype_size(t->type);
  counting c = {take, user, t->numbers};
  for (int column = 0; column < t->columns; column++) {
    const char *dev = t->array->dev;
    IG_TRY(ig_heat_part_array(cx, t->items,
                              dev ? dev + (size_t)(column * table_items(h, t)) * size : NULL, size,
                              NULL, numbers_take, &c));
  }
  return IG_OK;
}

/* Where the part's items of a table stand in the whole: all nodes and cells, ghosts too, of faces
   its own; NULL: as in the part. `item`: which of the part's they are; NULL: all. */
static int64_t table_places(const ig_heat *h, const table *t, const int32_t **item,
                            const int32_t **place) {
  *item = NULL;
  *place = t->items == &h->part.nodes ? h->node_of : h->cell_of;
  if (t->items != &h->part.faces)
    return table_items(h, t);
  *item = t->items->mine;
  *place = t->items->whole;
  return t->items->mine_count;
}

/* The part's items of an array of the whole. */
static ig_status table_fill(ig_ctx *cx, const ig_heat *h, const table *t, const char *from) {
  const int64_t all = table_items(h, t), whole = t->items->whole_count;
  const size_t size = (size_t)t->numbers * ig_dtype_size(t->type);
  const int32_t *item, *place;
  const int64_t count = table_places(h, t, &item, &place);
  const size_t bytes = (size_t)(all * t->columns) * size;
  char *host = t->array->host;
  if (!place)
    memcpy(host, from, bytes);
  else
    memset(host, 0, bytes);
  for (int c = 0; c < t->columns && place; c++)
    for (int64_t i = 0; i < count; i++)
      memcpy(host + (size_t)(c * all + (item ? item[i] : i)) * size,
             from + (size_t)(c * whole + place[i]) * size, size);
  return ig_array_push(cx, t->array);
}

ig_status ig_heat_restore(ig_ctx *cx, ig_heat *h, const ig_restart *restart) {
  table list[TABLES];
  const int count = tables_list(h, list);
  const void *data;
  for (int i = 0; i < count && h->elements; i++) {
    const table *t = &list[i];
    IG_TRY(ig_restart_find(cx, restart, t->name, t->type, table_count(t), &data));
    if (t->array->count)
      IG_TRY(table_fill(cx, h, t, data));
  }
  IG_TRY(ig_heat_next_fill(cx, h));
  IG_TRY(ig_restart_find(cx, restart, "totals", IG_F64, 4, &data));
  memcpy(h->totals, data, sizeof h->totals);
  h->part.counted = false;
  h->start_content = h->totals[0];
  h->steps_done = (int64_t)h->totals[1];
  h->past.time = h->totals[2];
  h->past.steps = (int)h->totals[3];
  return IG_OK;
}

double ig_heat_ledger_gap(const ig_heat_ledger *l) {
  return l->stored - l->start - l->source - l->flux - l->body - l->born + l->convected +
         l->radiated + l->held;
}

/* --- sizes of what is there: rows of elements, added in the order of the whole */

typedef struct {
  const ig_heat *h;
  double T, volume, area, content;
} sizing;

static ig_status sizes_fill(void *user, int32_t first, int32_t count, void *rows) {
  const ig_heat *h = ((const sizing *)user)->h;
  double *row = rows;
  memset(rows, 0, (size_t)count * IG_HEAT_SIZES * sizeof *row);
  for (int32_t e = first; e < first + count && e < h->now.elements; e++)
    ig_heat_sizes_of(h, e, row + (int64_t)IG_HEAT_SIZES * (e - first));
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

ig_status ig_heat_measure(ig_ctx *cx, ig_heat *h, double *volume, double *area) {
  sizing s = {.h = h};
  IG_TRY(ig_heat_part_stream(cx, &h->part.cells, IG_HEAT_SIZES * sizeof(double), sizes_fill,
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
  const ig_lid begin = s->h->birth.start[1];
  double *row = rows;
  memset(rows, 0, 8 * (size_t)count * sizeof *row);
  for (int32_t e = first > begin ? first : begin; e < first + count && e < s->h->now.elements; e++)
    ig_heat_contents_of(s->h, e, s->T, row + 8 * (int64_t)(e - first));
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

ig_status ig_heat_born_content(ig_ctx *cx, ig_heat *h, double T, double *content) {
  sizing s = {.h = h, .T = T};
  IG_TRY(
      ig_heat_part_stream(cx, &h->part.cells, 8 * sizeof(double), contents_fill, contents_add, &s));
  *content = s.content;
  return ig_ranks_share(cx, 0, content, sizeof *content);
}

double ig_heat_step_bytes(const ig_heat *h) {
  const double state = (double)ig_heat_state_size(h), work = (double)ig_heat_work_size(h);
  const double nodes = h->now.nodes, elements = h->now.elements, faces = h->now.faces;
  if (h->conduction == IG_HEAT_STENCIL) /* a byte or, on a GPU, a bit; temperature in and out */
    return nodes * ((h->rows.mask.dev ? 0.125 : 1) + 2 * state);
  double bytes = nodes * (2 * state + state + 2 * state) + elements * 32; /* T, 1/C, R; conn */
  bytes += h->conduction == IG_HEAT_RECOMPUTE ? nodes * 3 * work : elements * 4;
  if (h->elems.how == IG_GATHER)
    bytes += elements * (32 + 16 * state);
  if (h->elems.how ==
      IG_CLUSTER) /* no R but where sources or faces are; nodes of elements as 16 bit */
    bytes += ig_clusters_bytes(&h->cluster.of, 8, state) - nodes * 2 * state - elements * 32;
  if (h->surface == IG_HEAT_LUMPED) /* films themselves: few nodes have one */
    bytes += nodes;
  if (h->capacity == IG_HEAT_ENTHALPY)
    bytes += nodes * 2 * state;
  return bytes + elements + faces * (16 + 5 + 48);
}
