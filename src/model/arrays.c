/* The arrays of a model: memory, checkpoints, values of all ranks. */
#include "model/arrays.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

static bool alone(const ig_arrays *r) {
  return ig_ranks_count(r->cx->ranks) == 1;
}

/* --- memory */

static ig_arrays_place place_of(const ig_arrays *r, int place) {
  const ig_arrays_place one = {1, 1, 1, NULL};
  return place == IG_PLACE_NONE ? one : r->of->place(r->room, place);
}

/* After memory was made or has moved: the pointer that kernels read is set to the device's side. */
static void at_follow(ig_arrays_entry *e) {
  if (e->def.at)
    memcpy(e->def.at, &ig_arrays_memory(e)->dev, sizeof(void *));
}

/* Entries keep the order in which they are added: a checkpoint has its arrays in that order. */
static ig_status entry_add(ig_arrays *r, const ig_array_def *def) {
  ig_arrays_entry *e;
  ig_halo_array ghosts[IG_ARRAYS];
  if (def->flags & IG_ARRAY_GHOSTED && ig_arrays_ghosts(r, def->place, ghosts) == IG_ARRAYS)
    return IG_FAIL(r->cx, IG_ARG, "array '%s': at most %d have ghosts", def->name, IG_ARRAYS);
  IG_TRY(IG_MORE(r->cx, &r->entry, r->count, "arrays"));
  IG_TRY(IG_NEW(r->cx, &e, 1, "arrays"));
  r->entry[r->count] = e;
  e->def = *def;
  e->def.columns = def->columns > 1 ? def->columns : 1;
  if (!def->array) {
    const size_t count = (size_t)place_of(r, def->place).rows * (size_t)def->width;
    const ig_status status = def->flags & IG_ARRAY_DEVICE
                                 ? ig_array_new_device(r->cx, &e->own, count, def->size, def->name)
                                 : ig_array_new(r->cx, &e->own, count, def->size, def->name);
    if (status != IG_OK)
      free(e);
    IG_TRY(status);
  }
  r->count++;
  at_follow(e);
  return def->place == IG_PLACE_NONE && !def->array ? ig_array_zero(r->cx, &e->own) : IG_OK;
}

ig_status ig_arrays_add(ig_arrays *r, const ig_array_def *def, int count) {
  for (int i = 0; i < count; i++)
    IG_TRY(entry_add(r, &def[i]));
  return IG_OK;
}

ig_arrays_entry *ig_arrays_find(const ig_arrays *r, const char *name) {
  for (int i = 0; i < r->count; i++)
    if (strcmp(r->entry[i]->def.name, name) == 0)
      return r->entry[i];
  return NULL;
}

ig_array *ig_arrays_at(const ig_arrays *r, const char *name) {
  return ig_arrays_memory(ig_arrays_find(r, name));
}

/* Memory may move: views that kernels hold must be renewed by the caller. */
ig_status ig_arrays_grow(ig_arrays *r, int place) {
  const int64_t rows = place_of(r, place).rows;
  for (int i = 0; i < r->count; i++) {
    ig_arrays_entry *e = r->entry[i];
    if (e->def.place != place || !ig_arrays_memory(e)->dev)
      continue;
    IG_TRY(ig_array_grow(r->cx, ig_arrays_memory(e), (size_t)(rows * e->def.width)));
    at_follow(e);
  }
  return IG_OK;
}

ig_status ig_arrays_push(ig_arrays *r) {
  for (int i = 0; i < r->count; i++) {
    ig_array *a = ig_arrays_memory(r->entry[i]);
    if (a->host && a->dev)
      IG_TRY(ig_array_push(r->cx, a));
  }
  return IG_OK;
}

static ig_status entry_pull(const ig_arrays *r, const ig_arrays_entry *e) {
  return e->def.flags & IG_ARRAY_HOST
             ? IG_OK
             : ig_array_pull(r->cx, ig_arrays_memory((ig_arrays_entry *)e));
}

ig_status ig_arrays_pull(const ig_arrays *r, const char *name, void **host) {
  const ig_arrays_entry *e = ig_arrays_find(r, name);
  IG_TRY(entry_pull(r, e));
  *host = ig_arrays_memory((ig_arrays_entry *)e)->host;
  return IG_OK;
}

double ig_arrays_bytes_of(const ig_arrays *r, int place, int64_t rows) {
  double bytes = 0;
  for (int i = 0; i < r->count; i++)
    if (r->entry[i]->def.place == place && ig_arrays_memory(r->entry[i])->dev)
      bytes += (double)rows * (double)r->entry[i]->def.width * (double)r->entry[i]->def.size;
  return bytes;
}

double ig_arrays_bytes(const ig_arrays *r) {
  double bytes = 0;
  for (int i = 0; i < r->count; i++) {
    const ig_array *a = ig_arrays_memory(r->entry[i]);
    bytes += a->dev ? (double)a->count * (double)a->size : 0;
  }
  return bytes;
}

void ig_arrays_free(ig_arrays *r) {
  for (int i = 0; i < r->count; i++) {
    ig_array_free(r->cx, &r->entry[i]->own);
    free(r->entry[i]);
  }
  free(r->entry);
  r->entry = NULL;
  r->count = 0;
}

/* --- items of all ranks, in the order of the whole */

enum { PIECE = 1 << 13 }; /* rows, on one rank */

/* The same in pieces as on several ranks, so that callers need no memory for the whole either. */
static ig_status rows_alone(const ig_arrays *r, int64_t count, size_t size, ig_collect_row *row,
                            ig_collect_put *put, void *user) {
  char *rows;
  ig_status status = ig_alloc(r->cx, (void **)&rows, PIECE, size, "rows");
  for (int64_t first = 0; first < count && status == IG_OK; first += PIECE) {
    const int64_t here = count - first < PIECE ? count - first : PIECE;
    for (int64_t i = 0; i < here; i++)
      row(user, first + i, rows + (size_t)i * size);
    status = put(user, rows, first, here);
  }
  free(rows);
  return status;
}

ig_status ig_arrays_rows(const ig_arrays *r, int place, size_t size, ig_collect_row *row,
                         ig_collect_put *put, void *user, ig_status status) {
  const ig_arrays_place p = place_of(r, place);
  if (alone(r))
    return status == IG_OK ? rows_alone(r, p.whole, size, row, put, user) : status;
  const ig_collect none = {.whole_count = p.whole}, *own = &none;
  if (status == IG_OK)
    status = r->of->own(r->room, place, &own);
  return ig_collect_rows(r->cx, own, size, row, put, user, status);
}

static size_t file_size(const ig_arrays_entry *e) { /* bytes of a value in a checkpoint */
  return ig_dtype_size(e->def.dtype);
}

int64_t ig_arrays_saved(const ig_arrays *r, const ig_arrays_entry *e) {
  return place_of(r, e->def.place).whole * e->def.width * (int64_t)(e->def.size / file_size(e));
}

/* Bytes of an item; of one column where there are several. */
static size_t row_size(const ig_array_def *d) {
  return (size_t)(d->width / d->columns) * d->size;
}

/* Where the values of an item begin, and how far apart they are: bytes. */
static size_t item_at(const ig_array_def *d, int64_t item) {
  const int64_t B = d->block;
  return B > 1 ? (size_t)(item / B * d->width * B + item % B) * d->size
               : (size_t)item * row_size(d);
}

/* The item of an array as a row, and back. */
static void row_read(const ig_array_def *d, const char *array, int64_t item, char *row) {
  const char *from = array + item_at(d, item);
  if (d->block <= 1)
    memcpy(row, from, row_size(d));
  for (int64_t k = 0; d->block > 1 && k < d->width; k++)
    memcpy(row + (size_t)k * d->size, from + (size_t)(k * d->block) * d->size, d->size);
}
static void row_write(const ig_array_def *d, char *array, int64_t item, const char *row) {
  char *to = array + item_at(d, item);
  if (d->block <= 1)
    memcpy(to, row, row_size(d));
  for (int64_t k = 0; d->block > 1 && k < d->width; k++)
    memcpy(to + (size_t)(k * d->block) * d->size, row + (size_t)k * d->size, d->size);
}

/* Items of an array in blocks from `item` on up to `last` get the values of the one before. */
static ig_status pads_fill(ig_ctx *cx, const ig_array_def *d, char *array, int64_t item,
                           int64_t last) {
  char *row;
  if (item >= last || item == 0)
    return IG_OK;
  IG_TRY(ig_alloc(cx, (void **)&row, (size_t)d->width, d->size, "rows"));
  row_read(d, array, item - 1, row);
  for (; item < last; item++)
    row_write(d, array, item, row);
  free(row);
  return IG_OK;
}

/* An array on its way to the first rank, row by row, of one column. */
typedef struct {
  const ig_array_def *def;
  const char *host;
  ig_stream_take *take;
  void *user;
  char *block;   /* arrays in blocks: the one being filled */
  int64_t items; /* that came so far */
} passing;

static void item_copy(void *user, int64_t item, void *row) {
  const passing *p = user;
  row_read(p->def, p->host, item, row);
}

static ig_status items_put(void *user, const void *rows, int64_t first, int64_t count) {
  passing *p = user;
  const size_t row = row_size(p->def), values = row / ig_dtype_size(p->def->dtype);
  const int64_t B = p->def->block;
  (void)first;
  if (B <= 1)
    return p->take(p->user, rows, count * (int64_t)values);
  for (int64_t i = 0; i < count; i++) {
    row_write(p->def, p->block, p->items++ % B, (const char *)rows + (size_t)i * row);
    if (p->items % B == 0)
      IG_TRY(p->take(p->user, p->block, B * (int64_t)values));
  }
  return IG_OK;
}

/* The last block is filled up with its last item. */
static ig_status blocks_end(const ig_arrays *r, passing *p) {
  const int64_t B = p->def->block, values = (int64_t)(p->def->size / ig_dtype_size(p->def->dtype));
  if (p->items % B == 0)
    return IG_OK;
  IG_TRY(pads_fill(r->cx, p->def, p->block, p->items % B, B));
  return p->take(p->user, p->block, B * p->def->width * values);
}

/* Of several ranks. */
static ig_status rows_pass(ig_arrays *r, const ig_arrays_entry *e, ig_stream_take *take, void *user,
                           ig_status status) {
  const ig_array_def *d = &e->def;
  const size_t row = row_size(d);
  const int64_t rows = place_of(r, d->place).rows;
  passing p = {d, ig_arrays_memory((ig_arrays_entry *)e)->host, take, user, NULL, 0};
  if (status == IG_OK && d->block > 1)
    status = ig_alloc(r->cx, (void **)&p.block, (size_t)d->block, row, "rows");
  for (int i = 0; i < d->columns; i++, p.host += (size_t)rows * row)
    status = ig_arrays_rows(r, d->place, row, item_copy, items_put, &p, status);
  if (status == IG_OK && d->block > 1)
    status = blocks_end(r, &p);
  free(p.block);
  return status;
}

ig_status ig_arrays_pass(ig_arrays *r, ig_arrays_entry *e, ig_stream_take *take, void *user) {
  if (!alone(r) && e->def.flags & IG_ARRAY_NUMBERS)
    return r->of->pass(r->room, e, take, user);
  const ig_status status = entry_pull(r, e);
  if (alone(r) || e->def.place == IG_PLACE_NONE)
    return status == IG_OK && take ? take(user, ig_arrays_memory(e)->host, ig_arrays_saved(r, e))
                                   : status;
  return rows_pass(r, e, take, user, status);
}

/* On several ranks item i of the part is item number[i] of the whole; columns are one after the
   other in both. Items without a number keep what the host has. */
static ig_status items_take(ig_arrays *r, ig_arrays_entry *e, const char *whole) {
  const ig_array_def *d = &e->def;
  const ig_arrays_place p = place_of(r, d->place);
  char *host = ig_arrays_memory(e)->host, *row;
  IG_TRY(ig_alloc(r->cx, (void **)&row, row_size(d), 1, "rows"));
  for (size_t c = 0; c < (size_t)d->columns; c++) {
    for (int64_t i = 0; i < p.used; i++)
      if (!p.number || p.number[i] >= 0) {
        row_read(d, whole, p.number ? p.number[i] : i, row);
        row_write(d, host, i, row);
      }
    host += (size_t)p.rows * row_size(d);
    whole += (size_t)p.whole * row_size(d);
  }
  free(row);
  return IG_OK;
}

/* Items that have the numbers of the whole are copied as they lie. Both sides get them. */
ig_status ig_arrays_take(ig_arrays *r, ig_arrays_entry *e, const void *whole) {
  ig_array *a = ig_arrays_memory(e);
  const ig_arrays_place p = place_of(r, e->def.place);
  const size_t bytes = (size_t)(alone(r) ? p.whole : p.used) * row_size(&e->def);
  const bool host = e->def.flags & IG_ARRAY_HOST;
  if (p.number || e->def.columns > 1) {
    IG_TRY(items_take(r, e, whole));
    return host ? IG_OK : ig_array_push(r->cx, a);
  }
  if (host || (a->host && a->host != a->dev))
    memcpy(a->host, whole, bytes);
  return host ? IG_OK : r->cx->backend->copy_in(r->cx, a->dev, whole, bytes);
}

/* --- checkpoints */

static bool is_saved(const ig_arrays *r, const ig_arrays_entry *e) {
  const ig_array *a = ig_arrays_memory((ig_arrays_entry *)e);
  return e->def.flags & IG_ARRAY_SAVED && (a->host || a->dev) && ig_arrays_saved(r, e) > 0;
}

typedef struct {
  ig_arrays *r;
  double time;
  int64_t step;
  ig_sink *to;
  ig_saved *saved;
  ig_arrays_entry **entry; /* of each of them; NULL: not the register's */
  int count;
} saving;

static ig_status saved_bring(void *self, int array, ig_stream_take *take, void *user) {
  const saving *s = self;
  if (array < 0 || array >= s->count || !s->entry[array])
    return IG_FAIL(s->r->cx, IG_ARG, "a checkpoint has no array %d", array);
  return ig_arrays_pass(s->r, s->entry[array], take, user);
}

static ig_status saved_write(void *user, const ig_stream *stream) {
  const saving *s = user;
  return ig_sink_checkpoint(s->r->cx, s->to, s->time, s->step, s->saved, s->count, stream);
}

/* On one rank memory itself is saved; on several, pieces go to the first rank, and the others save
   what all have: a state that a program keeps is there on all ranks. */
static ig_status saved_all(saving *s, const ig_saved *own, int count) {
  ig_arrays *r = s->r;
  for (; s->count < count; s->count++)
    s->saved[s->count] = own[s->count];
  for (int i = 0; i < r->count; i++) {
    ig_arrays_entry *e = r->entry[i];
    void *host = NULL;
    if (!is_saved(r, e))
      continue;
    if (alone(r)) {
      const ig_arrays_place p = place_of(r, e->def.place);
      IG_TRY(ig_arrays_pull(r, e->def.name, &host));
      if (e->def.block > 1)
        IG_TRY(pads_fill(r->cx, &e->def, host, p.used, p.rows));
    }
    s->entry[s->count] = e;
    s->saved[s->count++] = (ig_saved){e->def.name, e->def.dtype, ig_arrays_saved(r, e), host};
  }
  if (alone(r))
    return s->to->checkpoint(s->to, s->time, s->step, s->saved, s->count);
  ig_served served = {r->cx, s, saved_bring};
  IG_TRY(ig_serve(&served, saved_write, s));
  return ig_ranks_first(r->cx) ? IG_OK : s->to->checkpoint(s->to, s->time, s->step, own, count);
}

ig_status ig_arrays_save(ig_arrays *r, double time, int64_t step, const ig_saved *own, int count,
                         ig_sink *to) {
  saving s = {.r = r, .time = time, .step = step, .to = to};
  const size_t room = (size_t)(r->count + count) + 1;
  ig_status status = IG_NEW(r->cx, &s.saved, room, "checkpoint");
  if (status == IG_OK)
    status = IG_NEW(r->cx, &s.entry, room, "checkpoint");
  status = ig_ranks_agree(r->cx, status);
  if (status == IG_OK)
    status = saved_all(&s, own, count);
  free(s.saved);
  free(s.entry);
  return status;
}

ig_status ig_arrays_restore(ig_arrays *r, const ig_restart *from) {
  for (int i = 0; i < r->count; i++) {
    ig_arrays_entry *e = r->entry[i];
    const void *data;
    if (!is_saved(r, e) || (!alone(r) && e->def.flags & IG_ARRAY_NUMBERS))
      continue;
    IG_TRY(ig_restart_find(r->cx, from, e->def.name, e->def.dtype, ig_arrays_saved(r, e), &data));
    IG_TRY(ig_arrays_take(r, e, data));
  }
  return IG_OK;
}

/* --- ghosts */

int ig_arrays_ghosts(const ig_arrays *r, int place, ig_halo_array *list) {
  int count = 0;
  for (int i = 0; i < r->count; i++) {
    const ig_array_def *d = &r->entry[i]->def;
    if (d->place == place && d->flags & IG_ARRAY_GHOSTED)
      list[count++] =
          (ig_halo_array){ig_arrays_memory(r->entry[i])->dev, (size_t)d->width * d->size};
  }
  return count;
}

/* --- programs */

typedef struct {
  const void *host;
  int width;
  size_t size;
  double *values;
} getting;

static double real_of(const void *from, size_t size, int64_t i) {
  return size == sizeof(double) ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

static void values_row(void *user, int64_t item, void *row) {
  const getting *g = user;
  for (int k = 0; k < g->width; k++)
    ((double *)row)[k] = real_of(g->host, g->size, item * g->width + k);
}

static ig_status values_put(void *user, const void *rows, int64_t first, int64_t count) {
  const getting *g = user;
  memcpy(g->values + first * g->width, rows, (size_t)(count * g->width) * sizeof *g->values);
  return IG_OK;
}

/* All ranks have all values at the end: for programs that are the same on each. */
ig_status ig_arrays_get(ig_arrays *r, const char *name, double *values) {
  const ig_arrays_entry *e = ig_arrays_find(r, name);
  const size_t row = (size_t)e->def.width * sizeof *values;
  void *host = NULL;
  const ig_status pulled = ig_arrays_pull(r, name, &host);
  getting g = {host, (int)e->def.width, e->def.size, values};
  IG_TRY(ig_arrays_rows(r, e->def.place, row, values_row, values_put, &g, pulled));
  return ig_ranks_bcast(r->cx, 0, values, (size_t)place_of(r, e->def.place).whole * row);
}

ig_status ig_arrays_set(ig_arrays *r, const char *name, const double *values) {
  const ig_arrays_entry *e = ig_arrays_find(r, name);
  const ig_arrays_place p = place_of(r, e->def.place);
  const int64_t width = e->def.width;
  ig_array *a = ig_arrays_at(r, name);
  IG_TRY(ig_array_pull(r->cx, a)); /* items that are not known keep theirs */
  for (int64_t i = 0; i < p.used * width; i++) {
    const int64_t item = p.number ? p.number[i / width] : i / width;
    if (item < 0)
      continue;
    const double value = values[item * width + i % width];
    if (e->def.size == sizeof(double))
      ((double *)a->host)[i] = value;
    else
      ((float *)a->host)[i] = (float)value;
  }
  return ig_array_push(r->cx, a);
}
